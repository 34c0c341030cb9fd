/* See profile_figures.h. */
#include "profile/profile_figures.h"

#include "base/text.h"
#include "chart/html_page.h"
#include "chart/plot.h"

#include <math.h>

static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* A figure of the page; takes over `svg` (NULL: it could not be drawn, *e says why). */
/* Why a picture is missing stands in its place; the first reason is kept for the command. */
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
    struct plot plot = {.title = "Issue slots by kernel", .axis = "share of issue slots", .style = PLOT_STACKED};
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

static void draw_course(const struct profile *p, const char *title, const char *axis, bool percent,
                        const struct course *c, unsigned n_course, const char *name, const char *caption, FILE *f,
                        struct err *first)
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
    struct plot plot = {
        .title = title, .axis = axis, .x_axis = "core cycle", .style = PLOT_LINES, .x_numeric = true, .height = 260};
    char *svg = plot_svg(&t, &plot, &n, &e);
    put_figure(f, svg, n, &t, name, caption, &e, first);
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
        char title[128];
        table_add_timeline(&t, line, true);
        snprintf(title, sizeof title, "Phases of %.80s", policy);
        struct plot plot = {.title = title,
                            .axis = "fraction of SMs",
                            .x_axis = "core cycle",
                            .style = PLOT_AREA,
                            .x_numeric = true,
                            .height = 260};
        if (t.row.n) {
            char *svg = plot_svg(&t, &plot, &n, &e);
            put_figure(f, svg, n, &t, "phases", "Policy phase of the SMs over time.", &e, first);
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
    if (json_array_size(json_object_get(p->doc, "samples")) < 2)
        return;
    fputs("<h2 id=\"time\">Over time</h2>\n", f);
    draw_course(p, "Instructions per cycle", "thread instructions / cycle", false, ipc, 1, "ipc",
                "Thread instructions per core cycle, sample by sample.", f, first);
    draw_course(p, "Miss rates", "misses / accesses", true, misses, 2, "misses", "Misses of the L1s and of the L2.", f,
                first);
    draw_course(p, "Networks", "flits / core cycle", false, noc, 2, "noc",
                "Flits that enter the networks to and from the L2 per core cycle.", f, first);
    draw_course(p, "DRAM use", "share of DRAM cycles", true, dram, 2, "dram",
                "DRAM cycles with data transfer, and with pending requests.", f, first);
    static const struct course power[] = {{"power", "energy.power_w", NULL}};
    if (profile_number(json_object_get(p->doc, "total"), "energy.total_j") > 0)
        draw_course(p, "Power", "W", false, power, 1, "power", "Power of the whole GPU.", f, first);
    draw_phases(p, f, first);
}

/* ---- roofline ---- */

/*
 * Work over traffic: floating-point operations where there are any to speak of, else instructions of threads, per byte
 * that DRAM moves; under the roof of the machine's peaks.
 */
void profile_draw_roofline(const struct profile *p, FILE *f, struct err *first)
{
    double flops = 0, insts = 0, most = 0, least = INFINITY;
    struct err e;
    size_t n = 0, script_n = 0;
    for (size_t i = 0; i < p->kernel.n; i++) {
        flops += p->kernel.p[i].flops;
        insts += p->kernel.p[i].thread_insts;
    }
    const bool fp = flops > 0.01 * insts;
    const double clock = profile_config(p, "clock.core"), peak = fp ? p->peak_flops : p->peak_ipc * clock;
    struct table t = {0};
    table_add_column(&t, "x", fp ? "operations/byte" : "instructions/byte");
    table_add_column(&t, "y", fp ? "GFLOP/s" : "G instructions/s");
    for (size_t i = 0; i < p->kernel.n && i < KERNELS_DRAWN; i++) {
        const struct profile_kernel *k = &p->kernel.p[i];
        const double work = fp ? k->flops : k->thread_insts;
        if (work <= 0 || k->dram_bytes <= 0 || k->cycles <= 0)
            continue;
        double *cell = table_add_row(&t, k->brief, "");
        cell[0] = work / k->dram_bytes;
        cell[1] = work / (k->cycles / clock) * 1e-9;
        most = fmax(most, cell[0]);
        least = fmin(least, cell[0]);
    }
    if (!t.row.n || peak <= 0 || p->peak_bytes <= 0) {
        table_free(&t);
        return;
    }
    const double ridge = peak / p->peak_bytes;
    most = fmax(most, ridge) * 4;
    least = fmin(least, ridge) / 4;
    fputs("<h2 id=\"roofline\">Roofline</h2>\n", f);
    struct plot plot = {.title = "Roofline",
                        .axis = fp ? "GFLOP/s" : "thread instructions/s (10^9)",
                        .x_axis =
                            fp ? "floating-point operations / byte of DRAM" : "thread instructions / byte of DRAM"};
    char *script = NULL;
    FILE *s = text_stream(&script, &script_n);
    plot_begin(&plot, 760, 440, "roofline.svg", s);
    fprintf(s,
            "set logscale xy\nset grid xtics ytics lc rgb '#dddddd'\nset xrange [%.6g:%.6g]\nset samples 400\n"
            "roof(x) = x * %.6g < %.6g ? x * %.6g : %.6g\n",
            least, most, p->peak_bytes * 1e-9, peak * 1e-9, p->peak_bytes * 1e-9, peak * 1e-9);
    for (size_t i = 0; i < t.row.n; i++)
        fprintf(s, "$k%zu << EOD\n%.6g %.6g\nEOD\n", i, t.row.p[i].cell[0], t.row.p[i].cell[1]);
    fputs("plot roof(x) with lines lw 2 lc rgb '#444444' title 'peak of the machine'", s);
    for (size_t i = 0; i < t.row.n; i++) {
        static const char *const colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"};
        fprintf(s, ", \\\n     $k%zu using 1:2 with points pt %zu ps 1.4 lw 2 lc rgb '%s' title ", i, 5 + 2 * (i % 5),
                colors[i % 6]);
        plot_put_string(t.row.p[i].label, s);
    }
    fputc('\n', s);
    fclose(s);
    char *svg = plot_run(script, &n, &e);
    free(script);
    char caption[200];
    snprintf(caption, sizeof caption,
             "The slope is the peak DRAM bandwidth, %.0f GB/s; the flat part is %.0f %s. A kernel on the roof is "
             "limited by bandwidth or by throughput.",
             p->peak_bytes * 1e-9, peak * 1e-9, fp ? "GFLOP/s" : "G instructions/s");
    put_figure(f, svg, n, &t, "roofline", caption, &e, first);
    table_free(&t);
}
