/* Inside the laboratory: from simulated points to the table of a figure. */
#ifndef WEIR_STUDY_FIGURE_H
#define WEIR_STUDY_FIGURE_H

#include "study/study.h"

/* The settled point of a variant and program; NULL = there is none yet. */
struct point *figure_point(struct lab *, const struct lab_figure *, const struct plan_variant *,
                           const struct lab_program *);
/* What the plan's metric says of a variant, divided by what it says of `over`; NULL = not divided. NAN: it is missing,
 * or there is nothing to divide by. */
double figure_value(struct lab *, const struct lab_figure *, const struct plan_variant *,
                    const struct plan_variant *over, const struct lab_program *);
/* Of the same value where it was sampled: half of its 95% interval, as a share of it; NAN: not sampled, or not known. */
double figure_spread(struct lab *, const struct lab_figure *, const struct plan_variant *,
                     const struct plan_variant *over, const struct lab_program *);
/* Do the program's launches leave most SMs without a CTA, on the machine of the variant that others are compared with?
 */
bool figure_is_idle(struct lab *, const struct lab_figure *, const struct lab_program *);
/* Makes f->table and f->trouble anew from the points. */
void figure_tabulate(struct lab *, struct lab_figure *);

#endif
