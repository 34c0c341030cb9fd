/*
 * Verdicts as data, claims.tsv: a row per claim of a paper, with what an earlier run found beside what this one finds.
 * The earlier run is given by its own claims.tsv; rows belong together by the paper's and the claim's name.
 */
#ifndef WEIR_REPORT_CLAIM_TABLE_H
#define WEIR_REPORT_CLAIM_TABLE_H

#include "report/report_page.h"

struct earlier_claim {
    const char *paper, *claim, *value, *verdict; /* parts of `text` */
};
struct earlier_claims {
    char *text;
    VEC(struct earlier_claim) one;
};
int earlier_claims_read(struct earlier_claims *, const char *path, struct err *);
void earlier_claims_free(struct earlier_claims *);
/* NULL: the earlier run had no such claim. */
const struct earlier_claim *earlier_claims_find(const struct earlier_claims *, const char *paper, const char *claim);

/* The line of names, and a paper's rows. `earlier` may be NULL. */
void claim_table_head(FILE *);
void claim_table_rows(FILE *, const struct earlier_claims *earlier, const char *paper, const struct report_claim *,
                      size_t n);

#endif
