/*
 * Why a program gains or loses: sentences about the statistics that a plan's [explain] lists, before and after. They
 * say what moved with the time, not what caused it: the plan's author chose the statistics.
 */
#ifndef WEIR_REPORT_WHY_H
#define WEIR_REPORT_WHY_H

#include "study/study.h"

/* One sentence about a row under a variant, against the variant that divides it; NULL = nothing is known. Owned by the
 * caller. */
char *why_sentence(struct lab *, const struct lab_figure *, size_t program, size_t variant);
/* Is there anything to say about the figure? */
bool why_has(const struct lab_figure *);

#endif
