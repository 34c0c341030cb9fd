/* See found.h. */
#include "study/search_results.h"

#include <errno.h>
#include <string.h>

static const char for_word[] = " for ";

/* "fig15/pcal": the figure's name is that of a file. */
static int take(void *ctx, const struct inifile_item *i, struct err *e)
{
    struct search_results *f = ctx;
    const char *slash = strchr(i->section, '/'), *program = strstr(i->value, for_word);
    if (!slash) {
        err_at(e, i->file, i->line, 0, "[%s]: expected [FIGURE/VARIANT]", i->section);
        return err_hint(e, "write [fig15/pcal], as found.ini of a report has it");
    }
    if (strcmp(i->key, "best") || i->continued || !program || program == i->value) {
        err_at(e, i->file, i->line, 0, "%s = %s: not a search result", i->key, i->value);
        return err_hint(e, "write best = KEY=VALUE for PROGRAM");
    }
    struct search_result one = {.figure = xstrndup(i->section, (size_t)(slash - i->section)),
                                .variant = xstrdup(slash + 1),
                                .program = xstrdup(program + strlen(for_word))};
    char *set = xstrndup(i->value, (size_t)(program - i->value));
    inifile_split(&one.set, set);
    one.set.at = (struct inifile_place){f->path, i->line};
    free(set);
    VEC_PUSH(&f->one, one);
    return 0;
}

int search_results_read(struct search_results *f, const char *path, struct err *e)
{
    *f = (struct search_results){.path = xstrdup(path)};
    return inifile_read(path, take, f, e);
}

void search_results_free(struct search_results *f)
{
    for (size_t i = 0; i < f->one.n; i++) {
        free(f->one.p[i].figure);
        free(f->one.p[i].variant);
        free(f->one.p[i].program);
        inifile_free_words(&f->one.p[i].set);
    }
    VEC_FREE(&f->one);
    free(f->path);
}

/* The value of one searched key, within those that the plan lists. */
static int value_of(const struct search_result *o, const struct plan_search *search, const char *set, long *value,
                    struct err *e)
{
    const size_t n = strlen(search->key);
    const long low = strtol(search->value.word.p[0], NULL, 10);
    const long high = strtol(search->value.word.p[search->value.word.n - 1], NULL, 10);
    char *end;
    if (strncmp(set, search->key, n) || set[n] != '=')
        return INIFILE_FAULT(o->set.at, e, "%s: %s searches %s here", set, o->variant, search->key);
    errno = 0;
    *value = strtol(set + n + 1, &end, 10);
    if (end == set + n + 1 || *end || errno || *value < low || *value > high)
        return INIFILE_FAULT(o->set.at, e, "%s: not a whole number from %ld to %ld, where %s searches", set, low, high,
                             o->variant);
    return 0;
}

int search_results_start(struct search_results *f, const struct plan *plan, const struct plan_variant *v,
                         const char *program, long at[SEARCH_KNOBS], struct err *e)
{
    char figure[64];
    plan_stem(plan, figure);
    for (size_t i = 0; i < f->one.n; i++) {
        struct search_result *o = &f->one.p[i];
        if (strcmp(o->figure, figure) || strcmp(o->variant, v->name) || strcmp(o->program, program))
            continue;
        if (o->set.word.n != v->best.n)
            return INIFILE_FAULT(o->set.at, e, "%zu values, where %s searches %zu", o->set.word.n, o->variant,
                                 v->best.n);
        for (size_t k = 0; k < v->best.n; k++)
            if (value_of(o, &v->best.p[k], o->set.word.p[k], &at[k], e))
                return -1;
        o->used = true;
        return 0;
    }
    return 1;
}

void search_results_write(FILE *out, const char *program, const char *set)
{
    fprintf(out, "best = %s%s%s\n", set, for_word, program);
}
