/* See board.h. */
#include "profile/hw_counters.h"

#include "base/csv.h"
#include "base/text.h"
#include "gpu/ncu_names.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Metrics by other names: clocks of other units that run at the SM's rate, and the labels of ncu's sections. */
static const struct {
    const char *theirs, *name;
} alias[] = {
    {"sm__cycles_elapsed.avg", "sm__cycles_elapsed.max"}, {"gpc__cycles_elapsed.max", "sm__cycles_elapsed.max"},
    {"Elapsed Cycles", "sm__cycles_elapsed.max"},         {"Duration", "gpu__time_duration.sum"},
    {"gpu__time_duration.avg", "gpu__time_duration.sum"}, {"Executed Instructions", "smsp__inst_executed.sum"},
    {"sm__inst_executed.sum", "smsp__inst_executed.sum"},
};

/* Units that ncu chooses by size; without --print-units base. */
static const struct {
    const char *unit;
    double factor;
} unit_of[] = {
    {"Kbyte", 1e3}, {"Mbyte", 1e6},   {"Gbyte", 1e9}, {"us", 1e3},     {"usecond", 1e3},
    {"ms", 1e6},    {"msecond", 1e6}, {"s", 1e9},     {"second", 1e9},
};

int hw_metric(const char *name)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; ncu_metrics[i].name; i++)
            if (!strcmp(ncu_metrics[i].name, name))
                return i;
        for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
            if (!strcmp(alias[i].theirs, name))
                name = alias[i].name;
    }
    return -1;
}

static double factor(const char *unit)
{
    for (size_t i = 0; i < sizeof unit_of / sizeof *unit_of; i++)
        if (!strcmp(unit_of[i].unit, unit))
            return unit_of[i].factor;
    return 1;
}

/* ---- lines and fields ---- */
struct reader {
    const char *path;
    FILE *file;
    char *text; /* the line, cut into fields */
    size_t cap;
    int line;
    struct csv_fields cut;
    /* by column of the header */
    int n_column;
    VEC(int) metric; /* -1 = not kept */
    VEC(double) factor;
    int kernel, id, name, unit, value, program, launches; /* columns; -1 = there is none */
};

static int fault(const struct reader *r, struct err *e, const char *what, const char *which)
{
    return err_at(e, r->path, r->line, 0, "%s%s%.120s", what, which ? " " : "", which ? which : "");
}

static int cut_csv(struct reader *r, struct err *e)
{
    char why[64];
    return csv_cut(r->text, &r->cut, why) ? fault(r, e, why, NULL) : 0;
}

static void cut_tsv(struct reader *r)
{
    r->cut.field.n = 0;
    for (char *at = r->text;;) {
        char *next = strchr(at, '\t');
        if (next)
            *next++ = 0;
        VEC_PUSH(&r->cut.field, text_plain(at));
        if (!next)
            return;
        at = next;
    }
}

/* The next line without its end. 1 = there is none, -1 = it cannot be read. */
static int next_line(struct reader *r, struct err *e)
{
    errno = 0;
    ssize_t n = getline(&r->text, &r->cap, r->file);
    if (n < 0)
        return ferror(r->file) ? err_at(e, r->path, 0, 0, "cannot read: %s", strerror(errno)) : 1;
    r->line++;
    if (strlen(r->text) != (size_t)n)
        return fault(r, e, "contains a zero byte: not a text file", NULL);
    while (n && (r->text[n - 1] == '\n' || r->text[n - 1] == '\r'))
        r->text[--n] = 0;
    return 0;
}

static int column(const struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->cut.field.n; i++)
        if (!strcmp(r->cut.field.p[i], name))
            return (int)i;
    return -1;
}

/* "1,234.5"; what is not there, and what ncu could not measure, is NAN. */
static int number(struct reader *r, char *text, double *out, struct err *e)
{
    char *to = text, *end;
    *out = NAN;
    for (const char *from = text; *from; from++)
        if (*from != ',')
            *to++ = *from;
    *to = 0;
    if (!*text || !strcmp(text, "n/a") || !strcmp(text, "(!) n/a") || !strcmp(text, "nan"))
        return 0;
    *out = strtod(text, &end);
    if (*end || !isfinite(*out) || *out < 0)
        return fault(r, e, "not a count:", text);
    return 0;
}

static struct hw_row *add_row(struct hw_counters *b, const struct reader *r, const char *kernel)
{
    struct hw_row row = {.kernel = xstrdup(kernel), .launches = 1, .line = r->line};
    for (int i = 0; i < BOARD_METRICS; i++)
        row.value[i] = NAN;
    VEC_PUSH(&b->row, row);
    return &b->row.p[b->row.n - 1];
}

/* ---- the header ---- */
static int read_header(struct reader *r, struct err *e)
{
    r->n_column = (int)r->cut.field.n;
    r->kernel = column(r, "Kernel Name");
    r->id = column(r, "ID");
    r->name = column(r, "Metric Name");
    r->unit = column(r, "Metric Unit");
    r->value = column(r, "Metric Value");
    if (r->program >= 0) {
        r->kernel = column(r, "kernel");
        r->launches = column(r, "launches");
        if (r->launches < 0)
            return fault(r, e, "there is no column 'launches'", NULL);
    }
    if (r->kernel < 0)
        return fault(r, e, "there is no column for the kernel's name", NULL);
    if (r->name >= 0 && r->value < 0)
        return fault(r, e, "there is no column 'Metric Value'", NULL);
    int known = 0;
    r->metric.n = r->factor.n = 0;
    for (int i = 0; i < r->n_column; i++) {
        int m = r->name >= 0 ? -1 : hw_metric(r->cut.field.p[i]);
        known += m >= 0;
        VEC_PUSH(&r->metric, m);
        VEC_PUSH(&r->factor, 1.0);
    }
    if (r->name < 0 && !known) {
        fault(r, e, "weir has none of these metrics", NULL);
        return err_hint(e, "ncu --metrics sm__cycles_elapsed.max,...; 'weir correlate --metrics' lists them");
    }
    return 0;
}

/* ---- rows ---- */
/* The row below the header of a raw page names the units. */
static bool take_units(struct reader *r)
{
    if (r->name >= 0 || r->id < 0 || *r->cut.field.p[r->id])
        return false;
    for (int i = 0; i < r->n_column; i++)
        r->factor.p[i] = factor(r->cut.field.p[i]);
    return true;
}

static int take_wide_row(struct reader *r, struct hw_counters *b, struct err *e)
{
    struct hw_row *row = add_row(b, r, r->cut.field.p[r->kernel]);
    double v;
    if (r->id >= 0)
        row->id = xstrdup(r->cut.field.p[r->id]);
    if (r->program >= 0) {
        row->program = xstrdup(r->cut.field.p[r->program]);
        if (number(r, r->cut.field.p[r->launches], &v, e))
            return -1;
        if (!(v >= 1 && v <= 1e9) || v != floor(v))
            return fault(r, e, "not a number of launches:", r->cut.field.p[r->launches]);
        row->launches = (unsigned)v;
    }
    for (int i = 0; i < r->n_column; i++) {
        int m = r->metric.p[i];
        if (m < 0)
            continue;
        if (number(r, r->cut.field.p[i], &v, e))
            return -1;
        if (isnan(row->value[m]))
            row->value[m] = v * r->factor.p[i];
    }
    return 0;
}

static int take_metric_row(struct reader *r, struct hw_counters *b, struct err *e)
{
    const char *id = r->id >= 0 ? r->cut.field.p[r->id] : "", *kernel = r->cut.field.p[r->kernel];
    int m = hw_metric(r->cut.field.p[r->name]);
    double v;
    struct hw_row *row = b->row.n ? &b->row.p[b->row.n - 1] : NULL;
    if (!row || strcmp(row->id, id) || strcmp(row->kernel, kernel)) {
        row = add_row(b, r, kernel);
        row->id = xstrdup(id);
    }
    if (m < 0)
        return 0;
    if (number(r, r->cut.field.p[r->value], &v, e))
        return -1;
    if (isnan(row->value[m]))
        row->value[m] = v * (r->unit >= 0 ? factor(r->cut.field.p[r->unit]) : 1);
    return 0;
}

static int take_row(struct reader *r, struct hw_counters *b, struct err *e)
{
    if ((int)r->cut.field.n != r->n_column) {
        char have[64];
        snprintf(have, sizeof have, "%zu fields, but the header has %d", r->cut.field.n, r->n_column);
        return fault(r, e, have, NULL);
    }
    if (take_units(r))
        return 0;
    if (!*r->cut.field.p[r->kernel])
        return fault(r, e, "the kernel has no name", NULL);
    return r->name >= 0 ? take_metric_row(r, b, e) : take_wide_row(r, b, e);
}

static int read_lines(struct reader *r, struct hw_counters *b, struct err *e)
{
    bool tabs = false;
    int end;
    while (!(end = next_line(r, e))) {
        const char *t = r->text;
        if (!strncmp(t, "program\t", 8)) {
            tabs = b->summed = true;
            cut_tsv(r);
            r->program = 0;
            if (read_header(r, e))
                return -1;
        } else if (tabs) {
            if (*t == '#' || !*t)
                continue;
            cut_tsv(r);
            if (take_row(r, b, e))
                return -1;
        } else if (!strncmp(t, "\"ID\",", 5) || !strncmp(t, "ID,", 3)) {
            if (cut_csv(r, e) || read_header(r, e))
                return -1;
        } else if (r->n_column && *t == '"') {
            if (cut_csv(r, e) || take_row(r, b, e))
                return -1;
        }
    }
    if (end < 0)
        return -1;
    if (!r->n_column || !b->row.n) {
        err_at(e, r->path, r->line ? r->line : 1, 0,
               r->n_column ? "no launch below the header" : "no Nsight Compute header found");
        return err_hint(e, "make it with: ncu --csv --page raw --metrics sm__cycles_elapsed.max PROGRAM > FILE");
    }
    return 0;
}

int hw_read(struct hw_counters *b, const char *path, struct err *e)
{
    int n = 0;
    while (ncu_metrics[n].name)
        n++;
    if (n > BOARD_METRICS)
        BUG("%d metrics do not fit in a hw_row", n);
    struct reader r = {
        .path = path, .kernel = -1, .id = -1, .name = -1, .unit = -1, .value = -1, .program = -1, .launches = -1};
    r.file = fopen(path, "r");
    if (!r.file)
        return err_set(e, "%s: %s", path, strerror(errno));
    int status = read_lines(&r, b, e);
    fclose(r.file);
    free(r.text);
    VEC_FREE(&r.cut.field);
    VEC_FREE(&r.metric);
    VEC_FREE(&r.factor);
    return status;
}

void hw_free(struct hw_counters *b)
{
    for (size_t i = 0; i < b->row.n; i++) {
        free(b->row.p[i].program);
        free(b->row.p[i].kernel);
        free(b->row.p[i].id);
    }
    VEC_FREE(&b->row);
}
