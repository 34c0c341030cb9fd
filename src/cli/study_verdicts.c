/*
 * Verdicts at other sizes. What a study finds of a paper's claims is kept in the cache folder, by size and model; a study
 * at another size says which of its verdicts differ, since a claim that holds for small inputs only is worth knowing.
 */
#include "cli/study.h"

#include "base/mem.h"
#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "report/claim_table.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 4 };

/* CACHE/verdicts/MODEL-TITLE-SIZE.tsv */
static char *file_of(const char *cache, const char *title, const char *size)
{
    char *path = xasprintf("%s/verdicts/%s-%s-%s.tsv", cache, lab_model(), title ? title : "", size);
    for (char *c = path + strlen(cache) + strlen("/verdicts/"); *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '-';
    return path;
}

static void compare(const struct earlier_claims *mine, const struct earlier_claims *other, const char *size)
{
    size_t both = 0, differ = 0;
    VEC(char *) words = {0};
    for (size_t i = 0; i < mine->one.n; i++) {
        const struct earlier_claim *c = &mine->one.p[i], *o = earlier_claims_find(other, c->paper, c->claim);
        if (!o || !strncmp(o->verdict, "not judged", 10) || !strncmp(c->verdict, "not judged", 10))
            continue;
        both++;
        if (!strcmp(o->verdict, c->verdict))
            continue;
        differ++;
        if (words.n < SHOWN)
            VEC_PUSH(&words, xasprintf("%s: %s there, %s here", c->claim, o->verdict, c->verdict));
    }
    if (differ)
        fprintf(stderr, "weir: %zu of %zu verdicts differ from those at size %s:", differ, both, size);
    for (size_t i = 0; i < words.n; i++)
        fprintf(stderr, "%s %s", i ? ";" : "", words.p[i]);
    if (differ)
        fprintf(stderr, "%s\n", differ > words.n ? "; ..." : "");
    VEC_FREE_ALL(&words);
}

void study_tell_verdicts(const struct study *a, const char *cache, const char *rows, size_t bytes)
{
    static const char *const sizes[] = {"tiny", "small", "paper"};
    struct earlier_claims mine, other;
    struct err e;
    char *folder = xasprintf("%s/verdicts", cache), *own = file_of(cache, a->title, a->size);
    /* Nothing rests on these files: one that cannot be written or read is left out. */
    if (!report_folder(folder, &e) && !outfile_write(own, rows, bytes, &e) && !earlier_claims_read(&mine, own, &e)) {
        for (int i = 0; i < 3; i++) {
            char *path = file_of(cache, a->title, sizes[i]);
            if (strcmp(sizes[i], a->size) && !access(path, R_OK) && !earlier_claims_read(&other, path, &e)) {
                compare(&mine, &other, sizes[i]);
                earlier_claims_free(&other);
            }
            free(path);
        }
        earlier_claims_free(&mine);
    }
    free(folder);
    free(own);
}
