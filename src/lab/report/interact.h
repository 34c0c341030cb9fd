/*
 * The interaction of mechanisms: the analysis behind a plan of kind `interactions` (plan.h), which runs every
 * combination of its parts over every program.
 *
 * A gain is the metric over the baseline's. If two mechanisms did not know of each other, the gain of both would be
 * the product of their gains; what is above or below that product is their interaction. Statistics are judged the same
 * way, by sums: what both together change beyond what each changes alone. Shares of the whole (Shapley values of the
 * logarithms) tell what each part contributes on average, whatever joined first.
 */
#ifndef WEIR_REPORT_INTERACT_H
#define WEIR_REPORT_INTERACT_H

#include "report/published.h"

/* Gains of a combination over the programs that have all values. `mask`: which parts, by their order in the plan. */
double interact_gain(const struct lab_figure *, unsigned mask);
/* What a part contributes to the gain of all, as a factor; the product over the parts is the gain of all. */
double interact_share(const struct lab_figure *, unsigned part);

/* The combinations with their mean gains, beside the product of their parts' gains; empty where no program
 * takes part. The caller frees it. */
struct table interact_means(const struct lab_figure *);
/* Tables and sentences for people. `explain`: the statistics that may tell why; NULL = none. */
void interact_print(struct lab *, const struct lab_figure *, const struct claims *explain, bool markdown, FILE *);

#endif
