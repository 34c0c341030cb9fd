/*
 * A sweep over numbers as lines: the values of one parameter along the axis, a line for each combination of all else, the
 * mean over the programs. Eighteen bars for each program are no picture; three lines over six sizes are.
 */
#ifndef WEIR_STUDY_CURVES_H
#define WEIR_STUDY_CURVES_H

#include "chart/plot.h"
#include "study/study.h"

/* Is there a parameter with two or more numbers of one unit? */
bool curves_possible(const struct plan *);
/* The figure's table as curves, and how they are drawn; returns the words of the axis. The caller frees both. */
char *curves_of(const struct lab_figure *, struct table *, struct plot *);

#endif
