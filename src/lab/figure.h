/* Inside the laboratory: from simulated points to the table of a figure. */
#ifndef WEIR_LAB_FIGURE_H
#define WEIR_LAB_FIGURE_H

#include "lab/lab.h"

/* The settled point of a variant and program; NULL = there is none yet. */
struct point *figure_point(struct lab *, const struct lab_figure *, const struct plan_variant *,
                           const struct lab_program *);
/* Makes f->table and f->trouble anew from the points. */
void figure_tabulate(struct lab *, struct lab_figure *);

#endif
