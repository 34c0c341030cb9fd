/* See plot.h. */
#include "chart/plot.h"

#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "base/text.h"
#include "chart/gnuplot.h"
#include "base/nearest.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* Distinct for color-blind readers and in gray (after Okabe and Ito). */
static const char *const colors[] = {"#999999", "#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#d55e00", "#f0e442", "#000000"};
enum { N_COLORS = sizeof colors / sizeof *colors };

/* Of 'sans,12' in SVG: how wide a character is, and how high and how wide a turned one makes its name. */
enum { CHARACTER_PX = 7, TURNED_PX = 5 };

const char *const plot_style_name[] = {"bars", "stacked", "lines", "sorted", "heat", "area", "scatter", "curves", NULL};

/* ---- words ---- */

/*
 * Names and titles come from plans and files, and gnuplot runs what is between backticks in a command, within
 * double quotes too. Within single quotes it reads nothing but '', which stands for one quote.
 */
void plot_put_string(const char *s, FILE *f)
{
    fputc('\'', f);
    for (; *s; s++)
        if (*s == '\'')
            fputs("''", f);
        else
            fputc((unsigned char)*s < ' ' ? ' ' : *s, f);
    fputc('\'', f);
}

/* A word of the data block and its mark, which gnuplot reads as it is but for quotes and backslashes. */
static void put_word(const char *s, const char *mark, FILE *f)
{
    fputc('"', f);
    for (; *s; s++)
        fputc(*s == '"' ? '\'' : (unsigned char)*s < ' ' || *s == '\\' ? ' ' : *s, f);
    fprintf(f, "%s\"", mark);
}

static void put_number(double v, FILE *f)
{
    if (!isfinite(v))
        fputs(" ?", f);
    else
        fprintf(f, " %.6g", v);
}

/* ---- data ---- */

/* "CS:finite" and "CS:infinite" are adjacent. */
static bool same_group(const char *a, const char *b)
{
    size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && !strncmp(a, b, n);
}

/* An empty row separates groups, and precedes the means. */
static bool gap_before(const struct table *t, size_t i)
{
    const struct table_row *r = &t->row.p[i];
    return i && (r->mean != t->row.p[i - 1].mean || (!r->mean && !same_group(r->group, t->row.p[i - 1].group)));
}

static bool has_gaps(const struct plot *p)
{
    return p->style == PLOT_BARS || p->style == PLOT_STACKED;
}

/* Are the rows named along an axis of their numbers? */
static bool has_names(const struct plot *p)
{
    return has_gaps(p) || ((p->style == PLOT_LINES || p->style == PLOT_AREA) && !p->x_numeric);
}

/* Which row of the data it is, counted with the gaps. */
static size_t place_of(const struct table *t, size_t row)
{
    size_t at = row;
    for (size_t i = 1; i <= row; i++)
        at += gap_before(t, i);
    return at;
}

/* What the key calls a column: "APCM 32KB (over 32KB)" where the axis speaks of another divisor. Owned by the caller.
 */
static char *title_of(const struct table_column *c)
{
    return c->over ? xasprintf("%s (over %s)", c->label, c->over) : xstrdup(c->label);
}

/* Characters of the longest name of a column in the key, and of a row with its mark. */
static size_t longest_title(const struct table *t)
{
    size_t longest = 0;
    for (size_t c = 0; c < t->column.n; c++) {
        char *title = title_of(&t->column.p[c]);
        const size_t chars = text_width(title);
        longest = chars > longest ? chars : longest;
        free(title);
    }
    return longest;
}

/* In a picture there is less room for what a mean is called than in a table. */
static const char *picture_name(const struct table_row *r, const char **before)
{
    static const char kinds[2][2][16] = {{"geometric mean", "geomean"}, {"arithmetic mean", "mean"}};
    *before = "";
    for (int k = 0; k < 2; k++)
        if (r->mean && !strncmp(r->label, kinds[k][0], strlen(kinds[k][0]))) {
            *before = kinds[k][1];
            return r->label + strlen(kinds[k][0]);
        }
    return r->label;
}

static size_t longest_row(const struct table *t)
{
    size_t longest = 0;
    for (size_t i = 0; i < t->row.n; i++) {
        const char *before, *label = picture_name(&t->row.p[i], &before);
        const size_t chars = text_width(before) + text_width(label) + text_width(table_mark(&t->row.p[i]));
        longest = chars > longest ? chars : longest;
    }
    return longest;
}

static void put_header(const struct table *t, FILE *f)
{
    fputs("\"\"", f);
    for (size_t c = 0; c < t->column.n; c++) {
        char *title = title_of(&t->column.p[c]);
        fputc(' ', f);
        put_word(title, "", f);
        free(title);
    }
    fputc('\n', f);
}

static void put_rows(const struct table *t, const struct plot *p, FILE *f)
{
    const double unit = t->percent ? 100 : 1;
    put_header(t, f);
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        if (has_gaps(p) && gap_before(t, i)) {
            fputs("\"\"", f);
            for (size_t c = 0; c < t->column.n; c++)
                fputs(" ?", f);
            fputc('\n', f);
        }
        if (p->x_numeric)
            fprintf(f, "%.9g", strtod(r->label, NULL));
        else
            put_word(r->label, table_mark(r), f);
        double sum = 0;
        for (size_t c = 0; c < t->column.n; c++) {
            sum += isnan(r->cell[c]) ? 0 : r->cell[c];
            put_number(unit * (p->style == PLOT_AREA ? sum : r->cell[c]), f);
        }
        fputc('\n', f);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Each column by itself, sorted; rows of means have no part. A shorter column ends early. */
static void put_sorted(const struct table *t, FILE *f)
{
    const double unit = t->percent ? 100 : 1;
    double *value = xmalloc((t->row.n + 1) * (t->column.n + 1) * sizeof *value);
    size_t *n = xcalloc(t->column.n + 1, sizeof *n), longest = 0;
    for (size_t c = 0; c < t->column.n; c++) {
        for (size_t i = 0; i < t->row.n; i++)
            if (!t->row.p[i].mean && !isnan(t->row.p[i].cell[c]))
                value[c * t->row.n + n[c]++] = unit * t->row.p[i].cell[c];
        qsort(value + c * t->row.n, n[c], sizeof *value, ascending);
        longest = n[c] > longest ? n[c] : longest;
    }
    put_header(t, f);
    for (size_t i = 0; i < longest; i++) {
        fprintf(f, "%zu", i + 1);
        for (size_t c = 0; c < t->column.n; c++)
            put_number(i < n[c] ? value[c * t->row.n + i] : NAN, f);
        fputc('\n', f);
    }
    free(value);
    free(n);
}

/* ---- looks ---- */

void plot_begin(const struct plot *p, unsigned width, unsigned height, const char *svg, FILE *f)
{
    fputs(
        "# Drawn by weir. 'gnuplot FILE.gp' draws it again; 'gnuplot -c FILE.gp pdf >FILE.pdf' as PDF; also png, eps.\n"
        "kind = exists('ARGC') && ARGC > 0 ? ARG1 : 'svg'\n",
        f);
    fprintf(f,
            "if (kind eq 'pdf') set terminal pdfcairo size %.2fin,%.2fin font 'sans,9' noenhanced\n"
            "if (kind eq 'eps') set terminal epscairo size %.2fin,%.2fin font 'sans,9' noenhanced\n"
            "if (kind eq 'png') set terminal pngcairo size %u,%u font 'sans,22' noenhanced\n"
            "if (kind eq 'svg') set terminal svg size %u,%u font 'sans,12' background '#ffffff' noenhanced\n",
            width / 110.0, height / 110.0, width / 110.0, height / 110.0, 2 * width, 2 * height, width, height);
    /* weir calls it with an argument and takes the picture from standard output, so that it appears when it is whole.
     */
    fputs("if (!exists('ARGC') || ARGC == 0) set output ", f);
    plot_put_string(svg, f);
    if (p->title) {
        fputs("\nset title ", f);
        plot_put_string(p->title, f);
    }
    fputs("\nset ylabel ", f);
    plot_put_string(p->axis, f);
    if (p->x_axis) {
        fputs("\nset xlabel ", f);
        plot_put_string(p->x_axis, f);
    }
    fputs(
        "\nset key outside top center horizontal\nset datafile missing '?'\nset grid ytics lc rgb '#dddddd'\n"
        "set border 3\nset tics nomirror out\n",
        f);
    if (p->line_at_one)
        fputs("set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#444444' dt 2 back\n", f);
}

/* ---- the key ---- */

struct key {
    size_t columns, rows;
};

/*
 * How the key is laid out above the picture. gnuplot draws a key that is too high for its picture over it, so the
 * height has to be known before: the names, and a sample of color beside each.
 */
static struct key key_of(const struct table *t, const struct plot *p, size_t width_px)
{
    enum { SAMPLE_PX = 75, MARGINS_PX = 100 };
    const size_t n = t->column.n + (p->n_mark > 0);
    size_t columns = (width_px - MARGINS_PX) / (longest_title(t) * CHARACTER_PX + SAMPLE_PX);
    columns = columns < 1 ? 1 : columns;
    return (struct key){columns, (n + columns - 1) / columns};
}

static bool has_key(const struct plot *p)
{
    return p->style != PLOT_HEAT && p->style != PLOT_SCATTER;
}

/* There are as many colors as can be distinguished; where they begin again, bars and areas are hatched and lines dashed.
 */
static void put_round(const struct plot *p, size_t round, FILE *f)
{
    static const int pattern[] = {4, 5, 1, 2, 6, 7}; /* gnuplot's: 0 is empty and 3 is solid */
    if (!round)
        return;
    if (has_gaps(p) || p->style == PLOT_AREA)
        fprintf(f, " fs pattern %d border rgb '#444444'", pattern[(round - 1) % (sizeof pattern / sizeof *pattern)]);
    else
        fprintf(f, " dt %zu", round % 5 + 1);
}

/* Do the cells of every row add up to a whole at most, as parts of one do? Rates on top of each other need not. */
static bool is_of_whole(const struct table *t)
{
    for (size_t i = 0; i < t->row.n; i++) {
        double sum = 0;
        for (size_t c = 0; c < t->column.n; c++)
            sum += isnan(t->row.p[i].cell[c]) ? 0 : t->row.p[i].cell[c];
        if (sum > 1 + 1e-6)
            return false;
    }
    return true;
}

/* gnuplot reads the name of a tick as a format: each % is doubled. */
static char *tick_name(const struct table_row *r)
{
    const char *before, *label = picture_name(r, &before);
    char *name = xasprintf("%s%s%s", before, label, table_mark(r)), *out = xmalloc(2 * strlen(name) + 1);
    size_t n = 0;
    for (const char *c = name; *c; c++) {
        out[n++] = *c;
        if (*c == '%')
            out[n++] = '%';
    }
    out[n] = 0;
    free(name);
    return out;
}

/* The rows' names below the axis; separators between groups have none, and no tick. */
static void put_names(const struct table *t, const struct plot *p, FILE *f)
{
    fputs("set xtics rotate by 45 right (", f);
    for (size_t i = 0; i < t->row.n; i++) {
        char *name = tick_name(&t->row.p[i]);
        fputs(i ? ", " : "", f);
        plot_put_string(name, f);
        fprintf(f, " %zu", has_gaps(p) ? place_of(t, i) : i);
        free(name);
    }
    fputs(")\n", f);
}

/* ---- bars: where the axis ends, and values above them ---- */

/* The end of the axis where values are cut off; 0 = none is. */
static double ceiling_of(const struct table *t, const struct plot *p)
{
    double *value = xmalloc((t->row.n * t->column.n + p->n_mark + 1) * sizeof *value), idle = 0, end = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->row.n; i++)
        for (size_t c = 0; c < t->column.n; c++) {
            const double v = t->row.p[i].cell[c];
            if (isfinite(v) && t->row.p[i].idle)
                idle = fmax(idle, v);
            else if (isfinite(v))
                value[n++] = v;
        }
    for (size_t i = 0; i < p->n_mark; i++)
        value[n++] = p->mark[i].value;
    qsort(value, n, sizeof *value, ascending);
    size_t last = n; /* one past the last that is shown whole; an eighth may be cut off, and one of a few */
    for (size_t i = n - 1; n > 2 && i > 0 && i + n / 8 + 1 >= n; i--)
        if (value[i] > 2 * value[i - 1])
            last = i;
    if (n && value[last - 1] > 0 && (last < n || idle > value[n - 1]))
        end = 1.15 * value[last - 1];
    free(value);
    return end;
}

/* The place of a bar on the axis of rows. A cluster of n bars is n + 1 bars wide and is centered on its row's number. */
static double bar_at(const struct table *t, const struct plot *p, size_t row, size_t column)
{
    const double n = (double)t->column.n;
    return (double)place_of(t, row) + (p->style == PLOT_BARS ? ((double)column - (n - 1) / 2) / (n + 1) : 0);
}

static void put_values(const struct table *t, const struct plot *p, double end, size_t width_px, FILE *f)
{
    enum { AROUND_PX = 80, VALUE_PX = 30 };
    const size_t bars = (place_of(t, t->row.n - 1) + 1) * (p->style == PLOT_BARS ? t->column.n + 1 : 1);
    const bool room = (width_px - AROUND_PX) / bars >= VALUE_PX;
    for (size_t i = 0; i < t->row.n; i++)
        for (size_t c = 0; c < t->column.n; c++) {
            const double v = t->row.p[i].cell[c], x = bar_at(t, p, i, c);
            const bool cut = end > 0 && v > end;
            if (!isfinite(v) || !(room || cut))
                continue;
            char text[32];
            table_cell(t, c, v, text);
            if (!t->percent && fabs(v) < 100)
                snprintf(text, sizeof text, "%.*f", v < 9.995 ? 2 : 1, v);
            fputs("set label ", f);
            plot_put_string(text, f);
            if (cut)
                fprintf(f,
                        " at first %.6g, graph 1 offset 0,0.5 center font ',10' front\n"
                        "set label '//' at first %.6g, graph 0.95 center font ',14' tc rgb '#ffffff' front\n",
                        x, x);
            else
                fprintf(f, " at first %.6g, first %.6g offset 0,0.5 center font ',10' front\n", x,
                        (t->percent ? 100 : 1) * v);
        }
}

/* One column as one for each group, so that each has its color and its name in the key. */
static struct table by_group(const struct table *t)
{
    struct table out = {.percent = t->percent, .geometric = t->geometric, .quantity = t->quantity};
    for (size_t i = 0; i < t->row.n; i++)
        if (table_column(&out, t->row.p[i].group) < 0)
            table_add_column(&out, t->row.p[i].group, t->row.p[i].group);
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        table_add_row_as(&out, r)[table_column(&out, r->group)] = r->cell[0];
    }
    return out;
}

static void put_axes(const struct table *t, const struct plot *p, double end, FILE *f)
{
    const bool whole = (p->style == PLOT_STACKED || p->style == PLOT_AREA) && t->percent && is_of_whole(t);
    if (p->style == PLOT_SORTED)
        fputs("set yrange [*:*]\n", f);
    else if (end > 0)
        fprintf(f, "set yrange [0:%.9g]\n", (t->percent ? 100 : 1) * end);
    else
        fprintf(f, "set yrange [0:%s]\n", whole ? "100" : "*");
    if (has_names(p))
        put_names(t, p, f);
    if (t->percent)
        fputs("set format y '%g%%'\n", f);
    switch (p->style) {
    case PLOT_BARS:
    case PLOT_STACKED:
        fprintf(f,
                "set style data histograms\nset style histogram %s\nset boxwidth 0.9\n"
                "set style fill solid 1 border rgb '#444444'\n",
                p->style == PLOT_STACKED ? "rowstacked" : "clustered gap 1");
        break;
    case PLOT_SORTED:
        fprintf(f, "set style data linespoints\nset pointsize 0.5\nset xrange [1:*]\nset xtics 1, %zu\n",
                t->row.n / 12 + 1);
        break;
    case PLOT_AREA:
        fputs("set style fill solid 1 noborder\nset xrange [*:*] noextend\n", f);
        break;
    default:
        if (p->x_log)
            fputs("set style data linespoints\nset logscale x 2\n", f);
        else if (p->x_numeric)
            fputs("set style data lines\nset xrange [*:*] noextend\n", f);
        else
            fputs("set style data linespoints\n", f);
    }
}

/*
 * The room around the fields of a heat map, in pixels. gnuplot would take what names need from the fields. Names of
 * columns are turned: they reach below the fields and to their left. The scale of colors at the right needs a height
 * of its own, however few rows there are.
 */
struct frame {
    size_t left, right, top, bottom;
};
enum { FIELD_PX = 64, NARROW_PX = 48, FIELD_HIGH_PX = 24, SCALE_HIGH_PX = 140 };

static struct frame heat_frame(const struct table *t)
{
    enum { GAP_PX = 20, WORDS_PX = 64, SCALE_PX = 100 };
    /* A quarter more than SVG needs: beside the picture, characters of PNG and PDF are larger. */
    const size_t turned = longest_title(t) * TURNED_PX * 5 / 4, row = longest_row(t) * CHARACTER_PX * 5 / 4;
    const size_t least = t->row.n * FIELD_HIGH_PX < SCALE_HIGH_PX ? SCALE_HIGH_PX - t->row.n * FIELD_HIGH_PX : 0;
    return (struct frame){(row > turned ? row : turned) + GAP_PX, SCALE_PX, WORDS_PX,
                          (turned > least ? turned : least) + GAP_PX};
}

static void put_frame(const struct table *t, const struct plot *p, const struct frame *r, size_t width_px,
                      size_t height_px, FILE *f)
{
    enum { AXIS_PX = 46, SCALE_LEFT_PX = 75, SCALE_WIDE_PX = 20 };
    const double w = (double)width_px, h = (double)height_px, high = (double)(t->row.n * FIELD_HIGH_PX);
    const double scale = high > SCALE_HIGH_PX ? high : SCALE_HIGH_PX;
    fprintf(f, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", (double)r->left / w,
            1 - (double)r->right / w);
    fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", 1 - (double)r->top / h,
            (double)r->bottom / h);
    fprintf(f, "set colorbox user origin screen %.4f, screen %.4f size screen %.4f, screen %.4f\n",
            1 - SCALE_LEFT_PX / w, 1 - ((double)r->top + scale) / h, SCALE_WIDE_PX / w, scale / h);
    /* What the colors mean, in a line of its own below the title: beside the scale there may be no room for it. */
    fputs("set title offset 0,1.2\nset label ", f);
    plot_put_string(p->axis, f);
    fprintf(f, " at graph 0.5, screen %.4f center tc rgb '#444444'\n", 1 - AXIS_PX / h);
    fprintf(f, "set xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\n", t->column.n - 1, t->row.n - 1);
}

/* A heat map: rows above each other as in the table, each value written into its field. */
static void put_heat(const struct table *t, const struct plot *p, FILE *f)
{
    fputs(
        "unset grid\nunset ylabel\nunset key\nunset arrow\nset border 0\nset tics scale 0\n"
        "set xtics rotate by 45 right\nset style fill solid 1 noborder\n",
        f);
    if (p->line_at_one) { /* from blue through white, where nothing changes, to orange */
        double span = 0;
        for (size_t i = 0; i < t->row.n; i++)
            for (size_t c = 0; c < t->column.n; c++)
                span = fmax(span, isfinite(t->row.p[i].cell[c]) ? fabs(t->row.p[i].cell[c] - 1) : 0);
        span = span > 0 ? span : 1;
        fprintf(f, "set palette defined (0 '#0072b2', 0.5 '#ffffff', 1 '#d55e00')\nset cbrange [%.9g:%.9g]\n", 1 - span,
                1 + span);
    } else {
        fputs("set palette defined (0 '#ffffff', 1 '#0072b2')\n", f);
    }
    if (t->percent)
        fputs("set format cb '%g%%'\n", f);
    /* Not an image, which gnuplot does not draw of one row or one column. */
    fprintf(
        f,
        "plot $data matrix rowheaders columnheaders using 1:2:(0.5):(0.5):3 with boxxyerror fc palette notitle, \\\n"
        "     $data matrix rowheaders columnheaders using 1:2:(sprintf('%s', $3)) with labels tc rgb '#000000' "
        "notitle\n",
        t->percent    ? "%.0f"
        : t->quantity ? "%.3g"
                      : "%.2f");
}

static void put_scatter(const struct table *t, FILE *f)
{
    fputs(
        "set logscale xy\nset format xy '%.0e'\nset grid xtics lc rgb '#dddddd'\nset key inside top left vertical\n"
        "set yrange [*:*]\nset size ratio -1\nplot x title 'equal' lc rgb '#444444' dt 2",
        f);
    for (size_t c = 1; c < t->column.n; c++)
        fprintf(f, ", \\\n     $data using 2:%zu with points pt 7 ps 0.5 lc rgb '%s' title columnheader(%zu)", c + 2,
                colors[c % N_COLORS], c + 2);
    fputc('\n', f);
}

static void put_marks(const struct table *t, const struct plot *p, FILE *f)
{
    const double unit = t->percent ? 100 : 1;
    fputs("$marks << EOD\n", f);
    for (size_t i = 0; i < p->n_mark; i++) {
        const struct plot_mark *m = &p->mark[i];
        fprintf(f, "%.6g %.6g\n", bar_at(t, p, m->row, m->column), unit * m->value);
    }
    fputs("EOD\n", f);
}

static void put_plot(const struct table *t, const struct plot *p, FILE *f)
{
    fputs("plot ", f);
    for (size_t k = 0; k < t->column.n; k++) {
        /* The lower areas are drawn over the higher ones. */
        size_t c = p->style == PLOT_AREA ? t->column.n - 1 - k : k;
        fputs(k ? ", \\\n     " : "", f);
        if (p->style == PLOT_AREA)
            fprintf(f, "$data using %d:%zu with filledcurves y1=0", p->x_numeric ? 1 : 0, c + 2);
        else if (p->style == PLOT_SORTED || p->x_numeric)
            fprintf(f, "$data using 1:%zu", c + 2);
        else
            fprintf(f, "$data using %zu", c + 2);
        const size_t color = c + (p->x_numeric || p->color_by_group); /* the first, gray, is for a baseline */
        fprintf(f, " lc rgb '%s'%s", colors[color % N_COLORS],
                p->style == PLOT_LINES || p->style == PLOT_SORTED ? " lw 2" : "");
        put_round(p, color / N_COLORS, f);
        fprintf(f, " title columnheader(%zu)", c + 2);
    }
    if (p->n_mark) {
        /* White with a black edge: seen on bars of every color. */
        fputs(", \\\n     $marks using 1:2 with points pt 13 ps 1.3 lc rgb '#ffffff' notitle", f);
        fputs(", \\\n     $marks using 1:2 with points pt 12 ps 1.3 lw 1.5 lc rgb '#000000' title ", f);
        plot_put_string(p->mark_title ? p->mark_title : "published", f);
    }
    fputc('\n', f);
}

/* Axes and data. `end`: of the axis of values; 0 = where they end. */
static void put_body(const struct table *t, const struct plot *p, double end, size_t width, FILE *f)
{
    put_axes(t, p, end, f);
    if (p->style == PLOT_BARS || p->color_by_group)
        put_values(t, p, end, width, f);
    fputs("$data << EOD\n", f);
    if (p->style == PLOT_SORTED)
        put_sorted(t, f);
    else
        put_rows(t, p, f);
    fputs("EOD\n", f);
    if (p->n_mark && p->style != PLOT_HEAT && p->style != PLOT_SCATTER)
        put_marks(t, p, f);
}

static void put_as(const struct table *t, const struct plot *as, double end, const char *svg, FILE *f)
{
    struct plot p = *as;
    if (p.style == PLOT_AREA && t->row.n < 2)
        p.style = PLOT_STACKED; /* an area needs a second place to go to */
    enum { KEY_ROW_PX = 18, LEAST_PX = 560, MOST_PX = 1100 };
    size_t bars = t->row.n * (p.style == PLOT_BARS ? t->column.n : 2);
    size_t width = 300 + bars * 12, height = p.height ? p.height : 380;
    if (p.x_numeric || p.style == PLOT_SORTED)
        width = 760;
    else if (p.style == PLOT_SCATTER)
        width = height = 600;
    width = width < LEAST_PX ? LEAST_PX : width > MOST_PX ? MOST_PX : width;
    const struct frame frame = heat_frame(t);
    if (p.style == PLOT_HEAT) {
        const size_t around = frame.left + frame.right, fields = t->column.n * FIELD_PX;
        width = around + fields;
        if (width > MOST_PX) /* as wide as other pictures while the numbers have room in their fields */
            width = around + t->column.n * NARROW_PX > MOST_PX ? around + t->column.n * NARROW_PX : MOST_PX;
        width = width < LEAST_PX ? LEAST_PX : width;
        height = frame.top + frame.bottom + t->row.n * FIELD_HIGH_PX;
    }
    const struct key key = key_of(t, &p, width);
    if (has_key(&p))
        height += (key.rows - 1) * KEY_ROW_PX; /* the one row of most pictures is in their height */
    if (has_names(&p)) {
        enum {
            USUAL = 16,
            MOST = 100
        }; /* characters that are in the height of most pictures; most that are shown whole */
        const size_t chars = longest_row(t) < MOST ? longest_row(t) : MOST;
        height += chars > USUAL ? (chars - USUAL) * TURNED_PX : 0;
    }
    height = height > 4000 ? 4000 : height;
    plot_begin(&p, (unsigned)width, (unsigned)height, svg, f);
    if (has_key(&p))
        fprintf(f, "set key maxcols %zu\n", key.columns);
    put_body(t, &p, end, width, f);
    if (p.style == PLOT_HEAT) {
        put_frame(t, &p, &frame, width, height, f);
        put_heat(t, &p, f);
    } else if (p.style == PLOT_SCATTER)
        put_scatter(t, f);
    else
        put_plot(t, &p, f);
}

/* ---- panels ---- */

/* The columns of a panel; `panel` NULL = of all. The reference, which is 1, has no bars. */
static struct table in_panel(const struct table *t, const char *panel)
{
    struct table out = {.percent = t->percent, .geometric = t->geometric, .quantity = t->quantity};
    VEC(size_t) from = {0};
    for (size_t c = 0; c < t->column.n; c++) {
        const struct table_column *x = &t->column.p[c];
        if (x->reference || !x->panel || (panel && strcmp(x->panel, panel)))
            continue;
        table_add_column(&out, x->name, x->in_panel);
        VEC_PUSH(&from, c);
    }
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        double *cell = table_add_row_as(&out, r);
        for (size_t c = 0; c < from.n; c++)
            cell[c] = r->cell[from.p[c]];
    }
    VEC_FREE(&from);
    return out;
}

static double largest(const struct table *t)
{
    double most = 0;
    for (size_t i = 0; i < t->row.n; i++)
        for (size_t c = 0; c < t->column.n; c++)
            most = isfinite(t->row.p[i].cell[c]) ? fmax(most, t->row.p[i].cell[c]) : most;
    return most;
}

/* Panels above each other with one scale, the key at the top. */
static void put_panels(const struct table *t, const struct plot *as, const char *svg, FILE *f)
{
    enum { PANEL_PX = 250, TITLE_PX = 30, LEAST_PX = 560, MOST_PX = 1100 };
    VEC(const char *) panel = {0};
    struct table all = in_panel(t, NULL);
    for (size_t c = 0; c < t->column.n; c++) {
        const char *name = t->column.p[c].panel;
        bool known = !name || t->column.p[c].reference;
        for (size_t k = 0; k < panel.n; k++)
            known |= !strcmp(panel.p[k], name);
        if (!known)
            VEC_PUSH(&panel, name);
    }
    double end = ceiling_of(&all, as);
    end = end > 0 ? end : 1.05 * largest(&all);
    size_t width = 200 + t->row.n * (all.column.n / (panel.n ? panel.n : 1) + 1) * 10;
    width = width < LEAST_PX ? LEAST_PX : width > MOST_PX ? MOST_PX : width;
    const size_t height = PANEL_PX + longest_row(t) * TURNED_PX;
    plot_begin(as, (unsigned)width, (unsigned)(panel.n * height + TITLE_PX), svg, f);
    fprintf(f, "unset ylabel\nset multiplot layout %zu,1 title ", panel.n);
    plot_put_string(as->axis, f);
    fputc('\n', f);
    for (size_t k = 0; k < panel.n; k++) {
        struct table one = in_panel(t, panel.p[k]);
        struct plot p = *as;
        p.color_by_group = true; /* no gray, which is for a baseline */
        fputs("unset label\nset title ", f);
        plot_put_string(panel.p[k], f);
        fputs(" offset 0,-0.5\n", f);
        put_body(&one, &p, end, width, f);
        put_plot(&one, &p, f);
        table_free(&one);
    }
    fputs("unset multiplot\n", f);
    table_free(&all);
    VEC_FREE(&panel);
}

static bool has_panels(const struct table *t)
{
    const char *first = NULL;
    for (size_t c = 0; c < t->column.n; c++) {
        const char *name = t->column.p[c].panel;
        if (!name)
            return false;
        first = first ? first : name;
        if (strcmp(first, name))
            return true;
    }
    return false;
}

void plot_put_script(const struct table *t, const struct plot *as, const char *svg, FILE *f)
{
    struct plot p = *as;
    if (p.color_by_group && p.style == PLOT_BARS) {
        struct table grouped = by_group(t);
        p.style = PLOT_STACKED;
        put_as(&grouped, &p, ceiling_of(&grouped, &p), svg, f);
        table_free(&grouped);
    } else if (p.style == PLOT_BARS && has_panels(t)) {
        put_panels(t, &p, svg, f);
    } else {
        put_as(t, &p, p.style == PLOT_BARS ? ceiling_of(t, &p) : 0, svg, f);
    }
}
