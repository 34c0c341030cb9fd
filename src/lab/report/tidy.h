/*
 * A figure as tidy data, for statistics programs: a row for each value, a column for each thing that it depends on
 * (program, class, variant, machine, the policy of each kind, settings), then metric, unit, value and n.
 */
#ifndef WEIR_REPORT_TIDY_H
#define WEIR_REPORT_TIDY_H

#include "study/study.h"

/* Comma-separated values, owned by the caller. Machine, policies and settings are of simulated programs only, not of
 * means. */
char *tidy_csv(struct lab *, const struct lab_figure *);

#endif
