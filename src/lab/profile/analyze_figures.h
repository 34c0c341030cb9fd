/* Figures of an analysis, drawn by gnuplot as SVG files: APCM Figures 3, 4, 5, 6 and CAPS Figure 4. */
#ifndef WEIR_PROFILE_ANALYZE_FIGURES_H
#define WEIR_PROFILE_ANALYZE_FIGURES_H

#include "profile/analyze_summary.h"
#include "chart/plot.h"

/* One program into `folder` (made if need be): types.svg, counts.svg, distances.svg, iterations.svg, by load. -1: one
 * could not be drawn; PLOT_NOTHING: one had no value; *e says which. */
int analyze_draw(const struct analyze_summary *, const char *name, const char *folder, struct err *);

/* Programs side by side: types.svg, counts.svg, similarity.svg, distances.svg, replication.svg, iterations.svg. */
struct analyze_bar {
    const char *name;
    const struct analyze_summary *summary;
};
int analyze_draw_all(const struct analyze_bar *, size_t n, const char *folder, struct err *);

#endif
