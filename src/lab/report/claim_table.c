/* See claim_table.h. */
#include "report/claim_table.h"

#include "base/infile.h"
#include "base/out_of_memory.h"

enum { PAPER, FIGURE, CLAIM, PROGRAMS, SAYS, PUBLISHED, BEFORE, BEFORE_VERDICT, WEIR, VERDICT, MEAN, BEHIND, COLUMNS };
static const char *const column[COLUMNS] = {"paper",          "figure",    "claim",  "programs",
                                            "the paper says", "published", "before", "before: verdict",
                                            "weir",           "verdict",   "mean",   "behind it"};

/* ---- an earlier run's ---- */

/* Cuts the line at its tabs. -1: it has not as many fields as a row. */
static int fields(char *line, const char *field[COLUMNS])
{
    for (int k = 0; k < COLUMNS; k++) {
        field[k] = line;
        char *tab = strchr(line, '\t');
        if (!tab != (k == COLUMNS - 1))
            return -1;
        if (tab) {
            *tab = 0;
            line = tab + 1;
        }
    }
    return 0;
}

int earlier_claims_read(struct earlier_claims *all, const char *path, struct err *e)
{
    memset(all, 0, sizeof *all);
    all->text = infile_text(path, 64 << 20, e);
    if (!all->text)
        return -1;
    unsigned line = 0;
    for (char *at = all->text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        if (*end)
            *end++ = 0;
        line++;
        const char *f[COLUMNS];
        if (!*at || *at == '#')
            continue;
        if (fields(at, f)) {
            earlier_claims_free(all);
            err_at(e, path, line, 0, "not a row of claims.tsv: it does not have %d fields", COLUMNS);
            return err_hint(e, "use claims.tsv from the folder of a report");
        }
        VEC_PUSH(&all->one, (struct earlier_claim){f[PAPER], f[CLAIM], f[WEIR], f[VERDICT]});
    }
    return 0;
}

void earlier_claims_free(struct earlier_claims *all)
{
    VEC_FREE(&all->one);
    free(all->text);
    memset(all, 0, sizeof *all);
}

const struct earlier_claim *earlier_claims_find(const struct earlier_claims *all, const char *paper, const char *claim)
{
    for (size_t i = 0; all && i < all->one.n; i++)
        if (!strcmp(all->one.p[i].paper, paper) && !strcmp(all->one.p[i].claim, claim))
            return &all->one.p[i];
    return NULL;
}

/* ---- ours ---- */

/* A text as a field: what would end it becomes a blank. */
static void put(FILE *f, const char *s, char end)
{
    for (; s && *s; s++)
        fputc(*s == '\t' || *s == '\n' ? ' ' : *s, f);
    fputc(end, f);
}

void claim_table_head(FILE *f)
{
    for (int k = 0; k < COLUMNS; k++)
        put(f, column[k], k == COLUMNS - 1 ? '\n' : '\t');
}

void claim_table_rows(FILE *f, const struct earlier_claims *earlier, const char *paper, const struct report_claim *c,
                      size_t n)
{
    for (; n--; c++) {
        const struct earlier_claim *was = earlier_claims_find(earlier, paper, c->claim->name);
        const struct assessment *j = &c->judged;
        char mean[48];
        snprintf(mean, sizeof mean, "%s, n = %u", c->geometric ? "geometric" : "arithmetic", j->n);
        const char *const field[COLUMNS] = {
            [PAPER] = paper,
            [FIGURE] = c->claim->figure,
            [CLAIM] = c->claim->name,
            [PROGRAMS] = c->claim->programs ? c->claim->programs : "all",
            [SAYS] = c->claim->quote,
            [PUBLISHED] = c->published,
            [BEFORE] = was ? was->value : "",
            [BEFORE_VERDICT] = was ? was->verdict : "",
            [WEIR] = j->text,
            [VERDICT] = j->text_verdict,
            [MEAN] = c->claim->kind == CLAIM_LEAST ? "each program"
                     : j->all == 1                 ? "one program"
                                                   : mean,
            [BEHIND] = j->because,
        };
        for (int k = 0; k < COLUMNS; k++)
            put(f, field[k], k == COLUMNS - 1 ? '\n' : '\t');
    }
}
