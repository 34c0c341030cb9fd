/* Runs gnuplot, which draws the pictures (plot.h), and finds out whether it did. */
#ifndef WEIR_CHART_GNUPLOT_H
#define WEIR_CHART_GNUPLOT_H

#include "base/err.h"

#include <stddef.h>

/* Runs a script for a kind of picture (svg, pdf, png, eps), which goes to the open file `picture`. -1: *e. */
int gnuplot_run(const char *script, const char *kind, int picture, struct err *);
/* All that was written into a file without a name, owned by the caller. */
char *gnuplot_read_back(int fd, size_t *bytes);

#endif
