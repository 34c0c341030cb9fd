/* Tables of an analysis and their pictures; see analyze_figures.h. plot.h draws. */
#include "profile/analyze_figures.h"

#include "chart/plot.h"
#include "chart/table.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

enum { LOADS_DRAWN = 16 };

struct canvas {
    const char *folder;
    const char *name; /* of the program; NULL = several */
    struct err *err;  /* of the picture that status is about */
    int status;       /* as analyze_draw */
};

static void draw(struct canvas *c, struct table *t, const char *file, const char *title, const char *axis,
                 enum plot_style style)
{
    char stem[PATH_MAX], full[PATH_MAX + 256];
    snprintf(stem, sizeof stem, "%s/%s", c->folder, file);
    snprintf(full, sizeof full, "%s%s%s", c->name ? c->name : "", c->name ? ": " : "", title);
    struct err e;
    err_clear(&e);
    const int status = plot_write(t, &(struct plot){.title = full, .axis = axis, .style = style}, stem, &e);
    table_free(t);
    if (status && c->status >= 0) {
        c->status = status;
        *c->err = e;
    }
}

static int make_folder(const struct canvas *c)
{
    if (mkdir(c->folder, 0777) && errno != EEXIST)
        return err_at(c->err, c->folder, 0, 0, "cannot create the folder: %s", strerror(errno));
    return 0;
}

static double part(uint64_t x, uint64_t of)
{
    return of ? (double)x / (double)of : 0;
}

static void type_columns(struct table *t)
{
    for (int i = 0; i < LOCALITY_TYPE_COUNT; i++)
        table_add_column(t, locality_type_name[i], locality_type_name[i]);
}

static void type_row(struct table *t, const char *label, const char *group, const struct locality_load *l)
{
    double *cell = table_add_row(t, label, group);
    for (int i = 0; i < LOCALITY_TYPE_COUNT; i++)
        cell[i] = part(l->line[i], locality_lines(l));
}

static void count_columns(struct table *t)
{
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        table_add_column(t, locality_count_name[b], locality_count_name[b]);
}

static void count_row(struct table *t, const char *label, const char *group, const uint64_t count[LOCALITY_COUNT_BINS])
{
    uint64_t all = 0;
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        all += count[b];
    double *cell = table_add_row(t, label, group);
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        cell[b] = part(count[b], all);
}

/* Shares of the reuses, by distance, for each type that has any. */
static void draw_distances(struct canvas *c, const struct locality_load *l)
{
    struct table t = {0};
    int last = 0;
    uint64_t all[LOCALITY_TYPE_COUNT] = {0};
    for (int i = LOCALITY_INTER; i < LOCALITY_TYPE_COUNT; i++) {
        table_add_column(&t, locality_type_name[i], locality_type_name[i]);
        for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++) {
            all[i] += l->distance[i][b];
            last = l->distance[i][b] && b > last ? b : last;
        }
    }
    for (int b = 0; b <= last; b++) {
        char label[24];
        snprintf(label, sizeof label, "%llu", 1ull << b);
        double *cell = table_add_row(&t, label, "");
        for (int i = LOCALITY_INTER; i < LOCALITY_TYPE_COUNT; i++)
            cell[i - LOCALITY_INTER] = part(l->distance[i][b], all[i]);
    }
    draw(c, &t, "distances", "reuse distance (accesses to the SM's L1; from)", "share of the reuses", PLOT_LINES);
}

int analyze_draw(const struct analyze_summary *s, const char *name, const char *folder, struct err *e)
{
    struct canvas c = {folder, name, e, 0};
    struct table types = {0}, counts = {0}, iterations = {0};
    if (make_folder(&c))
        return -1;
    type_columns(&types);
    count_columns(&counts);
    table_add_column(&iterations, "iterations", "executions per warp");
    for (size_t i = 0; i < s->load.n && i < LOADS_DRAWN; i++) {
        char label[128];
        analyze_load_place(&s->load.p[i], label, sizeof label);
        if (locality_lines(s->load.p[i].counters)) /* some loads find everything that others brought */
            type_row(&types, label, "load", s->load.p[i].counters);
        table_add_row(&iterations, label, "load")[0] = locality_iterations(s->load.p[i].counters);
    }
    type_row(&types, "program", "program", &s->sum);
    count_row(&counts, "16 KB L1", "", s->sum.finite_count);
    count_row(&counts, "infinite L1", "", s->sum.count);
    draw(&c, &types, "types", "lines by locality type", "share of the lines", PLOT_STACKED);
    draw(&c, &counts, "counts", "lines by number of uses", "share of the lines", PLOT_STACKED);
    draw(&c, &iterations, "iterations", "executions of a load in a warp", "executions", PLOT_BARS);
    draw_distances(&c, &s->sum);
    return c.status;
}

/* One bar per program with one number. */
static void draw_numbers(struct canvas *c, const struct analyze_bar *bar, size_t n, const char *file, const char *title,
                         const char *axis, size_t offset)
{
    struct table t = {0};
    table_add_column(&t, file, axis);
    for (size_t i = 0; i < n; i++)
        table_add_row(&t, bar[i].name, "")[0] = *(const double *)((const char *)bar[i].summary + offset);
    draw(c, &t, file, title, axis, PLOT_BARS);
}

int analyze_draw_all(const struct analyze_bar *bar, size_t n, const char *folder, struct err *e)
{
    struct canvas c = {folder, NULL, e, 0};
    struct table types = {0}, counts = {0};
    struct locality_load sum = {0};
    if (make_folder(&c))
        return -1;
    type_columns(&types);
    count_columns(&counts);
    for (size_t i = 0; i < n; i++) {
        type_row(&types, bar[i].name, "", &bar[i].summary->sum);
        count_row(&counts, bar[i].name, bar[i].name, bar[i].summary->sum.finite_count);
        count_row(&counts, "infinite", bar[i].name, bar[i].summary->sum.count);
        locality_add(&sum, &bar[i].summary->sum);
    }
    draw(&c, &types, "types", "lines by locality type", "share of the lines", PLOT_STACKED);
    draw(&c, &counts, "counts", "lines by number of uses: 16 KB L1, infinite L1", "share of the lines", PLOT_STACKED);
    draw_distances(&c, &sum);
    draw_numbers(&c, bar, n, "similarity", "access pattern similarity", "APS", offsetof(struct analyze_summary, aps));
    draw_numbers(&c, bar, n, "replication", "misses of a 16 KB L1 whose line another L1 has", "share of the misses",
                 offsetof(struct analyze_summary, finite_replication));
    draw_numbers(&c, bar, n, "iterations", "executions in a warp: mean of the four most repeated loads", "executions",
                 offsetof(struct analyze_summary, iterations));
    return c.status;
}
