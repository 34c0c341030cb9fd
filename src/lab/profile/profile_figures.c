/* See profile_figures.h. */
#include "profile/profile_figures.h"

#include "base/text.h"
#include "chart/html_page.h"
#include "chart/plot.h"
#include "profile/memory_chart.h"

#include <math.h>

static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/*
 * A figure of the page, whose caption is its title; takes over `svg` (NULL: it could not be drawn, *e says why). The reason
 * takes the place of a missing picture; the first reason is kept for the command.
 */
static void put_figure(FILE *f, char *svg, size_t bytes, const struct table *data, const char *name,
                       const char *caption, const struct err *e, struct err *first)
{
    fputs("<figure>\n", f);
    if (svg)
        page_picture(f, svg, bytes, caption);
    else
        page_printf(f, "Figure not available: %s.", e->msg);
    if (!svg && table_has_values(data) && !*first->msg)
        *first = *e;
    fputs("<figcaption>", f);
    page_text(f, caption);
    if (data) {
        char *csv = page_csv(data), file[64];
        snprintf(file, sizeof file, "%s.csv", name);
        fputc(' ', f);
        page_download(f, file, "text/csv", csv, "The data as CSV.");
        free(csv);
    }
    fputs("</figcaption>\n</figure>\n", f);
    free(svg);
}

/* ---- issue slots by kernel ---- */

enum { KERNELS_DRAWN = 12 };

void profile_draw_stalls(const struct profile *p, FILE *f, struct err *first)
{
    struct table t = {.percent = true};
    struct err e;
    size_t n = 0;
    int column[PROFILE_STALL_COUNT], n_column = 0;
    table_add_column(&t, "issue", "issue");
    for (int i = 0; i < PROFILE_STALL_COUNT; i++)
        if (share(p->stall[i], p->slots) >= 0.005) {
            table_add_column(&t, profile_stall_name[i], profile_stall_name[i]);
            column[n_column++] = i;
        }
    for (size_t k = 0; k < p->kernel.n && k < KERNELS_DRAWN; k++) {
        const struct profile_kernel *x = &p->kernel.p[k];
        double *cell = table_add_row(&t, x->brief, "");
        cell[0] = share(x->issued, x->slots);
        for (int i = 0; i < n_column; i++)
            cell[i + 1] = share(x->stall[column[i]], x->slots);
    }
    struct plot plot = {.axis = "share of issue slots", .style = PLOT_STACKED};
    if (t.row.n) {
        char *svg = plot_svg(&t, &plot, &n, &e);
        put_figure(f, svg, n, &t, "stalls", "Issue slots of each kernel: issued, or lost by reason.", &e, first);
    }
    table_free(&t);
}

/* ---- the course of the run ---- */

struct course {
    const char *label, *top, *bottom; /* bottom NULL: the statistic as it is */
};

static void draw_course(const struct profile *p, const char *axis, bool percent, const struct course *c,
                        unsigned n_course, const char *name, const char *caption, FILE *f, struct err *first)
{
    struct table t = {.percent = percent};
    struct err e;
    size_t i, n = 0;
    json_t *s;
    for (unsigned k = 0; k < n_course; k++)
        table_add_column(&t, c[k].label, c[k].label);
    json_array_foreach(json_object_get(p->doc, "samples"), i, s)
    {
        char label[32];
        snprintf(label, sizeof label, "%.0f", profile_number(s, "cycle"));
        double *cell = table_add_row(&t, label, "");
        for (unsigned k = 0; k < n_course; k++) {
            const double by = c[k].bottom ? profile_number(s, c[k].bottom) : 1;
            cell[k] = by > 0 ? profile_number(s, c[k].top) / by : NAN;
        }
    }
    struct plot plot = {.axis = axis, .x_axis = "core cycle", .style = PLOT_LINES, .x_numeric = true, .height = 260};
    char *svg = plot_svg(&t, &plot, &n, &e);
    put_figure(f, svg, n, &t, name, caption, &e, first);
    table_free(&t);
}

bool profile_energy_component(const char *key, char name[64])
{
    static const char *const sums[] = {"energy.total_j", "energy.dynamic_j", "energy.static_j"};
    const size_t n = strlen(key);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (!strcmp(key, sums[i]))
            return false;
    if (strncmp(key, "energy.", 7) || n < 10 || strcmp(key + n - 2, "_j"))
        return false;
    snprintf(name, 64, "%.*s", (int)(n - 9), key + 7);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return true;
}

/* Power by component over time, the larger ones by name. */
static void draw_power(const struct profile *p, FILE *f, struct err *first)
{
    json_t *total = json_object_get(p->doc, "total"), *value, *s;
    const double all = profile_number(total, "energy.total_j"), clock = profile_config(p, "clock.core");
    struct table t = {.quantity = true};
    VEC(const char *) large = {0};
    struct err e;
    const char *key;
    char name[64];
    size_t i, n = 0;
    if (!(all > 0) || clock <= 0)
        return;
    json_object_foreach(total, key,
                        value) if (profile_energy_component(key, name) && json_number_value(value) > 0.04 * all)
    {
        VEC_PUSH(&large, key);
        table_add_column(&t, name, name);
    }
    table_add_column(&t, "other", "all other");
    json_array_foreach(json_object_get(p->doc, "samples"), i, s)
    {
        const double seconds = profile_number(s, "cycles") / clock;
        snprintf(name, sizeof name, "%.0f", profile_number(s, "cycle"));
        double *cell = table_add_row(&t, name, ""), rest = profile_number(s, "energy.power_w");
        for (size_t k = 0; k < large.n; k++) {
            cell[k] = seconds > 0 ? profile_number(s, large.p[k]) / seconds : 0;
            rest -= cell[k];
        }
        cell[large.n] = fmax(0, rest);
    }
    struct plot plot = {.axis = "W", .x_axis = "core cycle", .style = PLOT_AREA, .x_numeric = true, .height = 300};
    char *svg = plot_svg(&t, &plot, &n, &e);
    put_figure(f, svg, n, &t, "power", "Power of the whole GPU by component.", &e, first);
    VEC_FREE(&large);
    table_free(&t);
}

/* In which phase of a policy the SMs are, over time. */
static void draw_phases(const struct profile *p, FILE *f, struct err *first)
{
    const char *policy;
    json_t *line;
    struct err e;
    json_object_foreach(json_object_get(p->doc, "timelines"), policy, line)
    {
        struct table t = {.percent = true};
        size_t n = 0;
        char caption[160];
        table_add_timeline(&t, line, true);
        snprintf(caption, sizeof caption, "Phases of %.80s: in which of them the SMs are.", policy);
        struct plot plot = {
            .axis = "fraction of SMs", .x_axis = "core cycle", .style = PLOT_AREA, .x_numeric = true, .height = 260};
        if (t.row.n) {
            char *svg = plot_svg(&t, &plot, &n, &e);
            put_figure(f, svg, n, &t, "phases", caption, &e, first);
        }
        table_free(&t);
    }
}

void profile_draw_time(const struct profile *p, FILE *f, struct err *first)
{
    static const struct course ipc[] = {{"IPC", "thread_insts", "cycles"}};
    static const struct course misses[] = {{"L1", "l1.misses", "l1.accesses"}, {"L2", "l2.misses", "l2.accesses"}};
    static const struct course noc[] = {{"requests", "noc.request.flits_in", "cycles"},
                                        {"replies", "noc.reply.flits_in", "cycles"}};
    static const struct course dram[] = {{"data bus", "dram.data_cycles", "dram.cycles"},
                                         {"with requests", "dram.active_cycles", "dram.cycles"}};
    fputs("<h2 id=\"time\">Over time</h2>\n", f);
    profile_draw_timeline(p, f);
    if (json_array_size(json_object_get(p->doc, "samples")) < 2)
        return;
    draw_course(p, "thread instructions / cycle", false, ipc, 1, "ipc",
                "Thread instructions per core cycle, sample by sample.", f, first);
    draw_course(p, "misses / accesses", true, misses, 2, "misses", "Misses of the L1s and of the L2.", f, first);
    draw_course(p, "flits / core cycle", false, noc, 2, "noc",
                "Flits that enter the networks to and from the L2 per core cycle.", f, first);
    draw_course(p, "share of DRAM cycles", true, dram, 2, "dram",
                "DRAM cycles with data transfer, and with pending requests.", f, first);
    draw_power(p, f, first);
    draw_phases(p, f, first);
}

/* ---- roofline ---- */

/* The levels of the memory hierarchy, each with its own roof; the tensor cores have one of their own. */
enum level { LEVEL_L1, LEVEL_L2, LEVEL_DRAM, LEVELS };
static const char *const level_name[LEVELS] = {"L1", "L2", "DRAM"};

/* Products of the tensor cores in a second: of wgmma where warpgroups made some, else of mma.m16n8k16. */
static double tensor_peak(const struct profile *p)
{
    const double per_cycle = profile_config(p, "machine.sms") * profile_config(p, "clock.core");
    if (profile_number(json_object_get(p->doc, "total"), "sm.wgmma_cycles") > 0)
        return per_cycle * 2 * 64 * 16 * profile_config(p, "sm.wgmma_columns");
    const double interval = profile_config(p, "sm.ii.tensor");
    return interval > 0 ? per_cycle * profile_config(p, "sm.tensor_units") * 2 * 16 * 8 * 16 / interval : 0;
}

struct roofline {
    bool flops; /* the work is floating point, else thread instructions */
    double peak, tensor_peak, bandwidth[LEVELS];
    double least, most; /* of the horizontal axis */
    struct table t;     /* by kernel: work a second, then work per byte at each level */
};

static double bytes_at(const struct profile *p, size_t kernel, enum level l)
{
    const struct memory_chart c = memory_chart_of(p, (int)kernel);
    const json_t *sum = p->kernel.p[kernel].sum;
    return l == LEVEL_L1   ? c.value[MEMORY_L1_LOADED] + c.value[MEMORY_L1_STORED]
           : l == LEVEL_L2 ? 32 * (profile_number(sum, "l2.read_sectors") + profile_number(sum, "l2.write_sectors"))
                           : c.value[MEMORY_DRAM_READ] + c.value[MEMORY_DRAM_WRITTEN];
}

static void take_roofline(const struct profile *p, struct roofline *r)
{
    double flops = 0, insts = 0, tensor = 0;
    const double clock = profile_config(p, "clock.core");
    for (size_t i = 0; i < p->kernel.n; i++) {
        flops += p->kernel.p[i].flops;
        tensor += p->kernel.p[i].tensor_flops;
        insts += p->kernel.p[i].thread_insts;
    }
    r->flops = flops > 0.01 * insts;
    r->peak = r->flops ? p->peak_flops : p->peak_ipc * clock;
    r->tensor_peak = r->flops && tensor > 0 ? tensor_peak(p) : 0;
    r->bandwidth[LEVEL_L1] = memory_chart_l1_peak(p);
    r->bandwidth[LEVEL_L2] = memory_chart_l2_peak(p);
    r->bandwidth[LEVEL_DRAM] = p->peak_bytes;
    r->most = 0;
    r->least = INFINITY;
    table_add_column(&r->t, "rate", r->flops ? "GFLOP/s" : "G instructions/s");
    for (int l = 0; l < LEVELS; l++)
        table_add_column(&r->t, level_name[l], level_name[l]);
    for (size_t i = 0; i < p->kernel.n && i < KERNELS_DRAWN / 2; i++) {
        const struct profile_kernel *k = &p->kernel.p[i];
        const double work = r->flops ? k->flops : k->thread_insts;
        if (work <= 0 || k->cycles <= 0 || clock <= 0)
            continue;
        double *cell = table_add_row(&r->t, k->brief, "");
        cell[0] = work / (k->cycles / clock) * 1e-9;
        for (int l = 0; l < LEVELS; l++) {
            const double bytes = bytes_at(p, i, (enum level)l);
            if (!(bytes > 0))
                continue;
            cell[1 + l] = work / bytes;
            r->most = fmax(r->most, work / bytes);
            r->least = fmin(r->least, work / bytes);
        }
    }
}

static void put_roofline_script(const struct roofline *r, FILE *s)
{
    static const char *const colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"};
    static const int point[LEVELS] = {7, 5, 9}, dash[LEVELS] = {3, 2, 1};
    const double high = fmax(r->peak, r->tensor_peak) * 1e-9;
    fprintf(s, "set logscale xy\nset grid xtics ytics lc rgb '#dddddd'\nset xrange [%.6g:%.6g]\nset samples 400\n",
            r->least, r->most);
    for (size_t i = 0; i < r->t.row.n; i++)
        for (int l = 0; l < LEVELS; l++)
            fprintf(s, "$k%zu_%d << EOD\n%.6g %.6g\nEOD\n", i, l, r->t.row.p[i].cell[1 + l], r->t.row.p[i].cell[0]);
    fputs("plot ", s);
    for (int l = 0; l < LEVELS; l++) {
        const double slope = r->bandwidth[l] * 1e-9;
        fprintf(s,
                "(x * %.6g < %.6g ? x * %.6g : %.6g) with lines lw 2 dt %d lc rgb '#444444' title '%s: %.0f GB/s', "
                "\\\n     ",
                slope, high, slope, high, dash[l], level_name[l], slope);
    }
    if (r->tensor_peak > 0)
        fprintf(s, "%.6g with lines lw 2 lc rgb '#888888' title 'tensor cores: %.4g TFLOP/s', \\\n     ",
                r->tensor_peak * 1e-9, r->tensor_peak * 1e-12);
    fprintf(s, "%.6g with lines lw 2 lc rgb '#bbbbbb' title '%s: %.4g T/s'", r->peak * 1e-9,
            r->flops ? "SP units" : "issue", r->peak * 1e-12);
    for (size_t i = 0; i < r->t.row.n; i++)
        for (int l = 0; l < LEVELS; l++) {
            if (isnan(r->t.row.p[i].cell[1 + l]))
                continue;
            fprintf(s, ", \\\n     $k%zu_%d using 1:2 with points pt %d ps 1.4 lw 2 lc rgb '%s' ", i, l, point[l],
                    colors[i % 6]);
            char title[160];
            snprintf(title, sizeof title, "%.120s, %s", r->t.row.p[i].label, level_name[l]);
            fputs("title ", s);
            plot_put_string(title, s);
        }
    fputc('\n', s);
}

/*
 * Work over traffic at each level: floating-point operations where there are any to speak of, else instructions of
 * threads, per byte that the L1, the L2 and DRAM move; under the roofs of the machine's peaks.
 */
void profile_draw_roofline(const struct profile *p, FILE *f, struct err *first)
{
    struct roofline r = {.t = {.quantity = true}};
    struct err e;
    size_t n = 0, script_n = 0;
    take_roofline(p, &r);
    if (r.most <= 0 || r.peak <= 0 || p->peak_bytes <= 0) {
        table_free(&r.t);
        return;
    }
    r.most = fmax(r.most, fmax(r.peak, r.tensor_peak) / p->peak_bytes) * 4;
    r.least = fmin(r.least, r.peak / r.bandwidth[LEVEL_L1]) / 4;
    fputs("<h2 id=\"roofline\">Roofline</h2>\n", f);
    struct plot plot = {.axis = r.flops ? "GFLOP/s" : "thread instructions/s (10^9)",
                        .x_axis = r.flops ? "floating-point operations / byte" : "thread instructions / byte"};
    char *script = NULL;
    FILE *s = text_stream(&script, &script_n);
    plot_begin(&plot, 760, 520, "roofline.svg", s);
    put_roofline_script(&r, s);
    fclose(s);
    char *svg = plot_run(script, &n, &e);
    free(script);
    put_figure(f, svg, n, &r.t, "roofline",
               "Each kernel once per level, by the bytes that this level moved. A point on the slope of its level is "
               "limited by that level's bandwidth, one on a flat roof by execution.",
               &e, first);
    table_free(&r.t);
}
