/* See table.h. */
#include "chart/table.h"

#include "base/out_of_memory.h"
#include "base/text.h"

#include <jansson.h>
#include <math.h>

void table_add_column(struct table *t, const char *name, const char *label)
{
    VEC_PUSH(&t->column, (struct table_column){.name = xstrdup(name), .label = xstrdup(label)});
}

double *table_add_row(struct table *t, const char *label, const char *group)
{
    struct table_row r = {.label = xstrdup(label), .group = xstrdup(group)};
    r.cell = xmalloc((t->column.n + 1) * sizeof *r.cell);
    for (size_t i = 0; i < t->column.n; i++)
        r.cell[i] = NAN;
    VEC_PUSH(&t->row, r);
    return r.cell;
}

double *table_add_row_as(struct table *t, const struct table_row *r)
{
    double *cell = table_add_row(t, r->label, r->group);
    struct table_row *added = &t->row.p[t->row.n - 1];
    added->mean = r->mean;
    added->idle = r->idle;
    added->partial = r->partial;
    return cell;
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->column.n; i++) {
        free(t->column.p[i].name);
        free(t->column.p[i].label);
        free(t->column.p[i].over);
        free(t->column.p[i].panel);
        free(t->column.p[i].in_panel);
    }
    for (size_t i = 0; i < t->row.n; i++) {
        free(t->row.p[i].label);
        free(t->row.p[i].group);
        free(t->row.p[i].link);
        free(t->row.p[i].cell);
    }
    VEC_FREE(&t->column);
    VEC_FREE(&t->row);
}

int table_column(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->column.n; i++)
        if (!strcmp(t->column.p[i].name, name))
            return (int)i;
    return -1;
}

bool table_has_values(const struct table *t)
{
    for (size_t i = 0; i < t->row.n; i++)
        for (size_t c = 0; c < t->column.n; c++)
            if (isfinite(t->row.p[i].cell[c]))
                return true;
    return false;
}

bool table_row_is(const struct table_row *r, const char *of)
{
    return !r->idle && table_row_is_named(r, of);
}

bool table_row_is_named(const struct table_row *r, const char *of)
{
    if (r->mean)
        return false;
    if (!strcmp(of, "all"))
        return true;
    for (const char *at = of; *at;) {
        size_t n = strcspn(at, "+");
        if ((strlen(r->group) == n && !strncmp(r->group, at, n)) ||
            (strlen(r->label) == n && !strncmp(r->label, at, n)))
            return true;
        at += n + (at[n] == '+');
    }
    return false;
}

const char *table_mark(const struct table_row *r)
{
    return r->idle ? "*" : r->partial ? "†" : "";
}

void table_put_marks(const struct table *t, const char *bullet, FILE *out)
{
    bool idle = false, partial = false;
    for (size_t c = 0; c < t->column.n; c++)
        if (t->column.p[c].over)
            fprintf(out, "%s%s: over %s\n", bullet, t->column.p[c].label, t->column.p[c].over);
    for (size_t i = 0; i < t->row.n; i++) {
        idle |= t->row.p[i].idle;
        partial |= t->row.p[i].partial && !t->row.p[i].idle;
    }
    if (t->spread > 0)
        fprintf(out, "%ssampled: 95%% intervals of up to \u00b1 %.1f%% of a value\n", bullet, 100 * t->spread);
    if (idle)
        fprintf(out, "%s* most SMs had no CTA: excluded from means and verdicts\n", bullet);
    if (partial)
        fprintf(out, "%s† a value is missing: excluded, so that all means cover the same rows\n", bullet);
}

/* The mean without row `but` (-1 = with all). */
static double mean_of(const struct table *t, unsigned column, const char *of, int but, unsigned *n_out,
                      unsigned *missing_out)
{
    double sum = 0;
    unsigned n = 0, missing = 0;
    for (size_t i = 0; i < t->row.n; i++) {
        if (!table_row_is(&t->row.p[i], of) || (int)i == but)
            continue;
        double v = t->row.p[i].cell[column];
        if (isnan(v) || t->row.p[i].partial) {
            missing++;
            continue;
        }
        sum += t->geometric ? log(v) : v;
        n++;
    }
    if (n_out)
        *n_out = n;
    if (missing_out)
        *missing_out = missing;
    if (!n)
        return NAN;
    return t->geometric ? exp(sum / n) : sum / n;
}

double table_mean(const struct table *t, unsigned column, const char *of, unsigned *n_out, unsigned *missing_out)
{
    return mean_of(t, column, of, -1, n_out, missing_out);
}

/* A row of means over `of` without row `but`. */
static void add_mean(struct table *t, const char *of, int but)
{
    unsigned most = 0, n;
    char *without = but < 0 ? xstrdup("") : xasprintf(" without %s", t->row.p[but].label);
    double *mean = xmalloc((t->column.n + 1) * sizeof *mean);
    for (unsigned i = 0; i < t->column.n; i++) {
        mean[i] = mean_of(t, i, of, but, &n, NULL);
        most = n > most ? n : most;
    }
    char *label = xasprintf("%s mean%s%s%s, n = %u", t->geometric ? "geometric" : "arithmetic",
                            strcmp(of, "all") ? " of " : "", strcmp(of, "all") ? of : "", without, most);
    memcpy(table_add_row(t, label, of), mean, t->column.n * sizeof *mean);
    t->row.p[t->row.n - 1].mean = true;
    t->row.p[t->row.n - 1].n = most;
    free(label);
    free(without);
    free(mean);
}

void table_add_mean(struct table *t, const char *of)
{
    add_mean(t, of, -1);
}

/* How far the mean moves without the row that moves it most, as a part of its distance from `neutral`. */
static double carried(const struct table *t, unsigned column, const char *of, double neutral, int *row)
{
    unsigned n;
    const double all = mean_of(t, column, of, -1, &n, NULL), distance = fabs(all - neutral);
    double most = 0;
    *row = -1;
    for (size_t i = 0; n >= 3 && i < t->row.n; i++) {
        const double move = fabs(mean_of(t, column, of, (int)i, NULL, NULL) - all);
        if (move > most && move > distance / 3 && move > 0.02 * fabs(all)) {
            most = move;
            *row = (int)i;
        }
    }
    return distance > 0 ? most / distance : 0;
}

int table_carrier(const struct table *t, unsigned column, const char *of, double neutral)
{
    int row;
    carried(t, column, of, neutral, &row);
    return row;
}

void table_add_mean_without_carrier(struct table *t, const char *of, double neutral)
{
    double most = 0;
    int carrier = -1, row;
    for (unsigned c = 0; c < t->column.n; c++) {
        const double moved = carried(t, c, of, neutral, &row);
        if (row >= 0 && moved > most) {
            most = moved;
            carrier = row;
        }
    }
    if (carrier >= 0)
        add_mean(t, of, carrier);
}

/* Four significant places are more than a simulation can promise; large numbers without decimals. */
int table_decimals(const struct table *t, size_t column, double v)
{
    const double size = fabs(v);
    if (t->percent)
        return 1;
    if (t->column.p[column].count || size >= 1000)
        return 0;
    if (size >= 100)
        return 1;
    /* Quantities with a unit may be small, as joules are; a small ratio says "next to nothing" in three decimals. */
    return t->quantity && size > 0 && size < 0.1 ? -1 : 3;
}

void table_cell(const struct table *t, size_t column, double v, char out[32])
{
    const int decimals = isnan(v) ? 0 : table_decimals(t, column, v);
    if (isnan(v))
        strcpy(out, "-");
    else if (decimals < 0)
        snprintf(out, 32, "%#.4g", v);
    else
        snprintf(out, 32, "%.*f%s", decimals, t->percent ? 100 * v : v, t->percent ? "%" : "");
}

static int width_of(const char *s)
{
    return (int)text_width(s);
}

static void put(FILE *out, const char *text, int width, bool left)
{
    int pad = width - width_of(text);
    fprintf(out, "%*s", left || pad < 0 ? 0 : pad, "");
    text_put(text, out);
    fprintf(out, "%*s", left && pad > 0 ? pad : 0, "");
}

/* Characters of a line when it is printed with the columns side by side. */
static int width_across(const struct table *t)
{
    int n = 10;
    for (size_t c = 0; c < t->column.n; c++) {
        const int w = width_of(t->column.p[c].label);
        n += 2 + (w > 9 ? w : 9);
    }
    return n;
}

/* One line for each column: for few rows under many long names. */
static void print_turned(const struct table *t, FILE *out)
{
    int first = 8;
    for (size_t c = 0; c < t->column.n; c++)
        if (width_of(t->column.p[c].label) > first)
            first = width_of(t->column.p[c].label);
    for (size_t c = 0; c <= t->column.n; c++) { /* the first line: names of the rows */
        fputs("  ", out);
        put(out, c ? t->column.p[c - 1].label : "", first, true);
        for (size_t i = 0; i < t->row.n; i++) {
            const struct table_row *r = &t->row.p[i];
            char text[32];
            const int w = width_of(r->label) + width_of(table_mark(r));
            if (c)
                table_cell(t, c - 1, r->cell[c - 1], text);
            fputs("  ", out);
            put(out, c ? text : r->label, (w > 9 ? w : 9) - (c ? 0 : width_of(table_mark(r))), false);
            fputs(c ? "" : table_mark(r), out);
        }
        fputc('\n', out);
    }
}

void table_print(const struct table *t, bool markdown, FILE *out)
{
    enum { SCREEN = 150, FEW_ROWS = 10 };
    if (!markdown && t->row.n <= FEW_ROWS && t->row.n < t->column.n && width_across(t) > SCREEN) {
        print_turned(t, out);
        return;
    }
    int first = 8;
    for (size_t i = 0; i < t->row.n; i++) {
        int w = width_of(t->row.p[i].label) + width_of(table_mark(&t->row.p[i]));
        first = w > first ? w : first;
    }
    fputs(markdown ? "| " : "  ", out);
    put(out, "", first, true);
    for (size_t c = 0; c < t->column.n; c++) {
        int w = width_of(t->column.p[c].label);
        fputs(markdown ? " | " : "  ", out);
        put(out, t->column.p[c].label, w > 9 ? w : 9, false);
    }
    fputs(markdown ? " |\n|---" : "\n", out);
    for (size_t c = 0; markdown && c < t->column.n; c++)
        fputs("|--:", out);
    fputs(markdown ? "|\n" : "", out);
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        if (!markdown && i && r->mean != t->row.p[i - 1].mean)
            fputc('\n', out);
        fputs(markdown ? "| " : "  ", out);
        text_put(r->label, out);
        put(out, table_mark(r), first - width_of(r->label), true);
        for (size_t c = 0; c < t->column.n; c++) {
            char text[32];
            int w = width_of(t->column.p[c].label);
            table_cell(t, c, r->cell[c], text);
            fputs(markdown ? " | " : "  ", out);
            put(out, text, w > 9 ? w : 9, false);
        }
        fputs(markdown ? " |\n" : "\n", out);
    }
}

void table_add_timeline(struct table *t, const json_t *line, bool in_cycles)
{
    const json_t *phases = json_object_get(line, "phases");
    const double width = json_number_value(json_object_get(line, "bin_cycles"));
    const double cycles = json_number_value(json_object_get(line, "cycles"));
    const double sms = json_number_value(json_object_get(line, "sms"));
    const char *name;
    json_t *bins;
    size_t n = 0;
    json_object_foreach((json_t *)phases, name, bins)
    {
        table_add_column(t, name, name);
        n = json_array_size(bins) > n ? json_array_size(bins) : n;
    }
    for (size_t b = 0; b < n && (double)b * width < cycles && width * sms > 0; b++) {
        /* The last bin may end before its width does. */
        const double from = (double)b * width, to = fmin(cycles, from + width);
        char label[32];
        snprintf(label, sizeof label, "%.6g", in_cycles ? (from + to) / 2 : 50 * (from + to) / cycles);
        double *cell = table_add_row(t, label, "");
        size_t c = 0;
        json_object_foreach((json_t *)phases, name, bins) cell[c++] =
            json_number_value(json_array_get(bins, b)) / ((to - from) * sms);
    }
}
