/* Tables as SVG, drawn by gnuplot. The script with its data is kept beside the picture, so that a person can redraw it.
 */
#ifndef WEIR_LAB_PLOT_H
#define WEIR_LAB_PLOT_H

#include "base/err.h"
#include "lab/table.h"

enum plot_style { PLOT_BARS, PLOT_STACKED, PLOT_LINES };
struct plot {
    const char *title, *axis; /* axis: of the values */
    enum plot_style style;
    bool line_at_one; /* ratios: where nothing changes */
};
/* Writes STEM.gp and STEM.svg. */
int plot_write(const struct table *, const struct plot *, const char *stem, struct err *);

#endif
