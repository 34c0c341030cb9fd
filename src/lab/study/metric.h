/*
 * Metrics as plans write them: a statistic ("l1.miss_rate"), or sums of statistics and one division
 * ("l1.misses+l1.merges / l1.accesses"); a whole number stands for itself ("1 / cycles"). Names are checked before the first simulation, so that a misspelled one costs
 * nothing.
 */
#ifndef WEIR_STUDY_METRIC_H
#define WEIR_STUDY_METRIC_H

#include "study/plan.h"

/* What is wrong with how the metric is written; NULL = nothing, as far as can be checked without the names. */
const char *metric_fault(const char *metric);
/* Calls fn with each name of the metric, numbers left out; stops at the first that returns not 0, and returns it. */
int metric_each_name(const char *metric, int (*fn)(void *ctx, const char *name), void *ctx);
/* Every name of the plan's metric and of what it maximizes must be a statistic of at least one of its variants, which
 * are machines that can be built (lab_check). */
int metric_check(const struct plan *, struct err *);
/* The same for statistics that explain, which are of no one plan: each name must be a statistic of some machine and some
 * policy that weir knows. */
int metric_check_statistics(const struct plan_statistics *, struct err *);

#endif
