/* See swcache_results.h. */
#include "cli/swcache_results.h"

#include "base/jsonfile.h"
#include "base/outfile.h"
#include "chart/html_page.h"
#include "chart/plot.h"
#include "report/report.h"
#include "chart/table.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

void swcache_results_free(struct swcache_results *r)
{
    for (size_t k = 0; k < r->outcome.n; k++) {
        free(r->outcome.p[k].failure);
        for (int v = 0; v < SWCACHE_VARIANTS; v++)
            json_decref(r->outcome.p[k].statistics[v]);
    }
    VEC_FREE(&r->outcome);
    free(r->machine);
}

/* ---- numbers ---- */

static double statistic(const struct swcache_outcome *o, enum swcache_variant v, const char *name)
{
    const json_t *x = json_object_get(o->statistics[v], name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static double dram_bytes(const struct swcache_outcome *o, enum swcache_variant v)
{
    return statistic(o, v, "dram.read_bytes") + statistic(o, v, "dram.write_bytes");
}

/* A program that the transformer leaves alone is the plain one. */
static double speed_up(const struct swcache_outcome *o, enum swcache_variant v)
{
    if (o->failure)
        return NAN;
    return v == SWCACHE_AUTO && o->left_alone ? 1 : o->time[SWCACHE_PLAIN] / o->time[v];
}

static double more_insts(const struct swcache_outcome *o, enum swcache_variant v)
{
    if (o->failure)
        return NAN;
    return v == SWCACHE_AUTO && o->left_alone
               ? 1
               : statistic(o, v, "warp_insts") / statistic(o, SWCACHE_PLAIN, "warp_insts");
}

/* ---- tables ---- */

enum { TIME, HAND, AUTO, HAND_INSTS, AUTO_INSTS, PLAIN_MISSES, HAND_MISSES, HAND_DRAM, COLUMNS };

static void fill_row(const struct swcache_results *r, const struct swcache_outcome *o, double *cell)
{
    cell[TIME] = o->time[SWCACHE_PLAIN];
    cell[HAND] = speed_up(o, SWCACHE_HAND);
    cell[AUTO] = speed_up(o, SWCACHE_AUTO);
    if (!r->simulated)
        return;
    cell[HAND_INSTS] = more_insts(o, SWCACHE_HAND);
    cell[AUTO_INSTS] = more_insts(o, SWCACHE_AUTO);
    cell[PLAIN_MISSES] = statistic(o, SWCACHE_PLAIN, "l1.miss_rate");
    cell[HAND_MISSES] = statistic(o, SWCACHE_HAND, "l1.miss_rate");
    cell[HAND_DRAM] = dram_bytes(o, SWCACHE_HAND) / dram_bytes(o, SWCACHE_PLAIN);
}

/* Geometric means of the ratios; of nothing else. */
static void add_means(struct table *t, const char *group)
{
    table_add_mean(t, group);
    double *cell = t->row.p[t->row.n - 1].cell;
    cell[TIME] = NAN;
    if (t->column.n > PLAIN_MISSES)
        cell[PLAIN_MISSES] = cell[HAND_MISSES] = NAN;
}

static bool has_group(const struct swcache_results *r, const char *group)
{
    unsigned n = 0;
    for (size_t k = 0; k < r->outcome.n; k++)
        n += !strcmp(r->outcome.p[k].app->group, group);
    return n > 1;
}

static void tabulate(const struct swcache_results *r, struct table *t)
{
    static const char *const label[COLUMNS] = {NULL,         "by hand", "automatic", "insts hand",
                                               "insts auto", "L1 miss", "L1 hand",   "DRAM hand"};
    char plain[40];
    snprintf(plain, sizeof plain, "plain, %s", r->unit);
    memset(t, 0, sizeof *t);
    t->geometric = true;
    for (int c = 0; c < (r->simulated ? COLUMNS : HAND_INSTS); c++)
        table_add_column(t, label[c] ? label[c] : plain, label[c] ? label[c] : plain);
    for (size_t k = 0; k < r->outcome.n; k++) {
        const struct swcache_outcome *o = &r->outcome.p[k];
        fill_row(r, o, table_add_row(t, o->app->name, o->app->group));
    }
    for (const char *const *g = (const char *const[]){"streaming", "others", NULL}; *g; g++)
        if (has_group(r, *g))
            add_means(t, *g);
}

static void list_names(const struct swcache_results *r, bool failed, const char *says, FILE *out)
{
    bool any = false;
    for (size_t k = 0; k < r->outcome.n; k++) {
        const struct swcache_outcome *o = &r->outcome.p[k];
        if (failed ? o->failure != NULL : !o->failure && o->left_alone) {
            fprintf(out, "%s %s", any ? "," : says, failed ? o->failure : o->app->name);
            any = true;
        }
    }
    if (any)
        fputs(".\n", out);
}

void swcache_results_print(const struct swcache_results *r, bool markdown, FILE *out)
{
    struct table t;
    tabulate(r, &t);
    fprintf(out, markdown ? "\n## %s\n\n" : "\n%s", r->machine);
    if (r->says)
        fprintf(out, markdown ? "%s\n\n" : ": %s", r->says);
    fputs(markdown ? "" : "\n", out);
    table_print(&t, markdown, out);
    fputs(markdown ? "\n" : "", out);
    list_names(r, false, "Not changed by the transformer (speedup 1):", out);
    list_names(r, true, "Failed:", out);
    table_free(&t);
}

/* ---- JSON ---- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *outcome_json(const struct swcache_results *r, const struct swcache_outcome *o)
{
    json_t *all = json_pack("{s:s, s:s}", "program", o->app->name, "group", o->app->group);
    if (o->failure)
        json_object_set_new(all, "failure", json_string(o->failure));
    for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS && !o->failure; v++) {
        json_t *x = json_object();
        json_object_set_new(x, "speedup", number(speed_up(o, v)));
        if (v == SWCACHE_AUTO && o->left_alone)
            json_object_set_new(x, "left_alone", json_true());
        else
            json_object_set_new(x, r->unit, number(o->time[v]));
        if (o->statistics[v])
            json_object_set(x, "statistics", o->statistics[v]);
        json_object_set_new(all, swcache_variant_name[v], x);
    }
    return all;
}

static json_t *results_json(const struct swcache_results *r)
{
    struct table t;
    tabulate(r, &t);
    json_t *programs = json_array(), *means = json_object();
    for (size_t k = 0; k < r->outcome.n; k++)
        json_array_append_new(programs, outcome_json(r, &r->outcome.p[k]));
    for (const char *const *g = (const char *const[]){"streaming", "others", NULL}; *g; g++) {
        unsigned n;
        double hand = table_mean(&t, HAND, *g, &n, NULL);
        if (n)
            json_object_set_new(means, *g,
                                json_pack("{s:o, s:o, s:i}", "hand", number(hand), "auto",
                                          number(table_mean(&t, AUTO, *g, NULL, NULL)), "programs", (int)n));
    }
    table_free(&t);
    return json_pack("{s:s, s:s, s:b, s:o, s:o}", "machine", r->machine, "size", r->size, "simulated", r->simulated,
                     "programs", programs, "means", means);
}

int swcache_results_json(const struct swcache_results *r, size_t n, const char *path, struct err *e)
{
    json_t *machines = json_array();
    for (size_t k = 0; k < n; k++)
        json_array_append_new(machines, results_json(&r[k]));
    json_t *doc = json_pack("{s:s, s:o}", "schema", "weir-swcache-1", "machines", machines);
    return jsonfile_write(doc, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12), e);
}

/* ---- report ---- */

/* What a report shows of one machine. */
static void drawn_table(const struct swcache_results *r, struct table *t)
{
    struct table all;
    tabulate(r, &all);
    *t = (struct table){.geometric = true};
    table_add_column(t, "hand", "by hand");
    table_add_column(t, "auto", "automatic");
    for (size_t k = 0; k < all.row.n; k++) {
        double *cell = table_add_row(t, all.row.p[k].label, all.row.p[k].group);
        cell[0] = all.row.p[k].cell[HAND];
        cell[1] = all.row.p[k].cell[AUTO];
        t->row.p[k].mean = all.row.p[k].mean;
    }
    table_free(&all);
}

static void title_of(const struct swcache_results *r, char title[200])
{
    snprintf(title, 200, "Software L1 on %.150s, size %s", r->machine, r->size);
}

static struct plot plot_of(const char *title)
{
    return (struct plot){.title = title, .axis = "speedup over plain", .style = PLOT_BARS, .line_at_one = true};
}

static int draw(const struct swcache_results *r, const char *folder, struct err *e)
{
    struct table t;
    char name[160], stem[PATH_MAX + 200], title[200];
    drawn_table(r, &t);
    swcache_file_name(r->machine, name);
    snprintf(stem, sizeof stem, "%.*s/%s", PATH_MAX, folder, name);
    title_of(r, title);
    const struct plot plot = plot_of(title);
    const int drawn = plot_write(&t, &plot, stem, e);
    table_free(&t);
    return drawn < 0 ? -1 : 0; /* the report says of which programs there is no result */
}

/* One machine's section of the page. */
static void put_section(const struct swcache_results *r, FILE *f)
{
    struct table t;
    struct err e;
    char title[200];
    size_t bytes = 0;
    drawn_table(r, &t);
    title_of(r, title);
    const struct plot plot = plot_of(title);
    page_element(f, "h2", title);
    char *svg = plot_svg(&t, &plot, &bytes, &e);
    if (svg) {
        fputs("<figure>\n", f);
        page_picture(f, svg, bytes, title);
        fputs("</figure>\n", f);
    }
    page_table(f, &t, "program");
    char *csv = page_csv(&t);
    page_download(f, "swcache.csv", "text/csv", csv, "The data as CSV");
    free(csv);
    free(svg);
    table_free(&t);
}

static int write_page(const struct swcache_results *r, size_t n, const char *folder, struct err *e)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%.*s/report.html", PATH_MAX, folder);
    struct outfile *file = outfile_open(path, e);
    if (!file)
        return -1;
    FILE *f = outfile_stream(file);
    page_begin(f, "The software L1",
               "Thread-private cache lines in shared memory or registers: speedup over the plain kernel, hand-written "
               "and automatic.");
    for (size_t k = 0; k < n; k++)
        put_section(&r[k], f);
    page_end(f, "Generated by weir reproduce swcache. This page is self-contained.");
    return outfile_commit(file, e);
}

int swcache_results_report(const struct swcache_results *r, size_t n, const char *folder, struct err *e)
{
    char path[PATH_MAX + 16];
    if (report_folder(folder, e))
        return -1;
    snprintf(path, sizeof path, "%.*s/report.md", PATH_MAX, folder);
    struct outfile *file = outfile_open(path, e);
    if (!file)
        return -1;
    FILE *out = outfile_stream(file);
    fprintf(out, "# The software L1\n\nSize of the programs: %s. Speedup over the plain kernel.\n", n ? r->size : "");
    for (size_t k = 0; k < n; k++) {
        char name[160];
        swcache_file_name(r[k].machine, name);
        swcache_results_print(&r[k], true, out);
        fprintf(out, "\n![%s](%s.svg)\n", r[k].machine, name);
    }
    if (outfile_commit(file, e))
        return -1;
    for (size_t k = 0; k < n; k++)
        if (draw(&r[k], folder, e))
            return -1;
    return write_page(r, n, folder, e);
}
