/*
 * Tables as pictures, drawn by gnuplot, in the forms that papers use. The script with its data is kept beside the
 * picture, so that a person can redraw it: 'gnuplot FIG.gp' makes FIG.svg, 'gnuplot -c FIG.gp pdf >FIG.pdf' another
 * kind.
 */
#ifndef WEIR_CHART_PLOT_H
#define WEIR_CHART_PLOT_H

#include "base/err.h"
#include "chart/table.h"

enum plot_style {
    PLOT_BARS,    /* a group of bars per row, a color per column */
    PLOT_STACKED, /* a bar per row, its cells on top of each other */
    PLOT_LINES,   /* a line per column over the rows */
    PLOT_SORTED,  /* a line per column over its own values in ascending order: an S-curve */
    PLOT_HEAT,    /* a field per cell, colored by its value */
    PLOT_AREA,    /* as lines, on top of each other */
    PLOT_SCATTER, /* the first column is x, each other a kind of point; logarithmic, with the line of equal values */
    PLOT_STYLES
};
extern const char *const plot_style_name[];

/* A value that is known from elsewhere, drawn over the bar of its cell. */
struct plot_mark {
    size_t row, column;
    double value;
};

struct plot {
    const char *title, *axis; /* title: NULL = what is around the picture says it; axis: of the values */
    const char *x_axis;       /* NULL = none is needed: rows have names */
    enum plot_style style;
    bool line_at_one;    /* ratios: where nothing changes */
    bool color_by_group; /* BARS of one column: a color per group of rows */
    bool x_numeric;      /* LINES, AREA: labels of rows are numbers on the axis */
    const struct plot_mark *mark;
    size_t n_mark;
    const char *mark_title; /* in the key */
    const char *formats;    /* what is drawn beside SVG: "pdf,png,eps"; NULL = nothing */
    unsigned height;        /* pixels; 0 = 380 */
};

/*
 * Bars far above all others do not flatten them: a value more than twice the next one is cut off, and so are those of
 * idle rows, which do not set the axis. A bar that is cut off has its value above it, and so have all where there is
 * room.
 */
enum { PLOT_NOTHING = 1 };
/* Writes STEM.gp, STEM.svg and the other formats. PLOT_NOTHING: the table has no value, nothing was written, and *e
 * says so, as a remark. */
int plot_write(const struct table *, const struct plot *, const char *stem, struct err *);
/* The SVG alone, owned by the caller; NULL: *e. */
char *plot_svg(const struct table *, const struct plot *, size_t *bytes, struct err *);

/* Whether `list` names formats that can be drawn, separated by commas. -1: *e. */
int plot_check_formats(const char *list, struct err *);

/* The script that draws the table; where nothing else is said, into the file `svg`. */
void plot_put_script(const struct table *, const struct plot *, const char *svg, FILE *);

/* ---- for pictures of other kinds ---- */
/* The beginning of a script: terminal, output, title, axes, looks. */
void plot_begin(const struct plot *, unsigned width, unsigned height, const char *svg, FILE *);
/* A string as gnuplot reads it, whatever is in it. */
void plot_put_string(const char *, FILE *);
/* Runs a script that begins so; as plot_svg. */
char *plot_run(const char *script, size_t *bytes, struct err *);

#endif
