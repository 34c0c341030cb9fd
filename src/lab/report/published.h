/*
 * Published values beside ours. One file per paper holds every number its text gives, with its sentence:
 *
 *     [claim fig12-cs]
 *     figure    = 12
 *     kind      = gain            ; what is compared, see below
 *     of        = both            ; columns of the figure's table
 *     over      = baseline
 *     programs  = CS              ; rows: classes or labels joined by '+', or all
 *     published = 34%
 *     quote     = the performance of CS applications increases by 34% on average
 *
 * gain    mean of `of` / mean of `over` - 1 is `published`
 * mean    mean of `of` is `published`
 * least   `of` / `over` - 1 is nowhere below `published`
 * within  mean of each `of` / mean of `over` - 1 is between -published and +published
 * ahead   mean of `of` is above the mean of each `over`
 *
 * Columns that the plan divides by different variants are compared on one scale (claims.c, compare).
 *
 * Verdicts. A gain holds when ours is within a third of the published one; its direction holds when ours has the same
 * sign and is at least 1% and a tenth of it. A mean holds within a tenth, its direction (its size) within a third.
 * Bounds and orders hold or do not. A gain of more than twice the published one does not hold, and its direction says by
 * how much. A claim is judged only when all its programs that the suite has ran and kept the machine busy. [explain] lists the statistics that are shown with a verdict.
 */
#ifndef WEIR_REPORT_PUBLISHED_H
#define WEIR_REPORT_PUBLISHED_H

#include "study/study.h"

enum claim_kind { CLAIM_GAIN, CLAIM_MEAN, CLAIM_LEAST, CLAIM_WITHIN, CLAIM_AHEAD, CLAIM_KINDS };
enum verdict { VERDICT_HOLDS, VERDICT_DIRECTION, VERDICT_FAILS, VERDICT_NOT_JUDGED };

struct claim {
    char *name, *figure, *quote, *programs, *value;
    enum claim_kind kind;
    struct inifile_words of, over;
    double published;
    bool percent;
    struct inifile_place at;
};
struct claims {
    VEC(struct claim) claim;
    struct plan_statistics explain;
    char *path;
};

int claims_read(struct claims *, const char *path, struct err *);
void claims_free(struct claims *);
/*
 * Reduces a figure to what its claims are judged by: the programs they are about and the columns they compare. false: no
 * claim is about this figure. Only bars are reduced; a figure of another kind, or a sweep, is one analysis or study.
 */
bool claims_narrow(const struct claims *, struct plan *);

struct assessment {
    enum verdict verdict;
    double ours;
    unsigned n, all;       /* programs that ran and kept the machine busy; all that the claim is about */
    char text[80];         /* ours, written like the published value, and of which subject where there are several */
    char text_verdict[48]; /* the verdict in words */
    char because[900];     /* the statistics */
};
/* A claim against its figure. -1: the claim names a column the figure does not have (*e: file and line). */
int published_compare(const struct claims *, const struct claim *, struct lab *, struct lab_figure *,
                      struct assessment *, struct err *);

#endif
