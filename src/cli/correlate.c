/* weir correlate: kernels of runs beside the counters that Nsight Compute took of the same kernels on a real GPU. */
#include "cli/cli.h"

#include "base/mem.h"
#include "base/outfile.h"
#include "gpu/ncu_names.h"
#include "profile/correlate.h"
#include "chart/plot.h"

#include <math.h>
#include <string.h>

struct args {
    const char *board, *plot;
    VEC(const char *) run;
    bool markdown, split, metrics;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    (void)state;
    if (!a->board)
        a->board = word;
    else
        VEC_PUSH(&a->run, word);
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    if (!a->metrics && !a->board)
        argp_error(state, "no counters given; give Nsight Compute's CSV and the runs' JSON files");
    if (!a->metrics && !a->run.n)
        argp_error(state, "no runs given; give JSON files from 'weir run --json'");
}

static const struct cli_option options[] = {
    {"plot", "STEM", "plot simulated against measured cycles: writes STEM.svg and its gnuplot script STEM.gp",
     CLI_TEXT(struct args, plot)},
    {"markdown", NULL, "print the tables as Markdown", CLI_FLAG(struct args, markdown)},
    {"held-out", NULL,
     "report the calibration and held-out halves of the programs separately (split by a hash of the name)",
     CLI_FLAG(struct args, split)},
    {"metrics", NULL, "print the compared metrics as an argument for ncu --metrics", CLI_FLAG(struct args, metrics)},
    {0}};

static const struct cli_syntax syntax = {
    .option = options,
    .usage = "BOARD RUN.json...",
    .doc =
        "Compare runs with the counters of a real GPU, kernel by kernel: cycles, hit rates, DRAM traffic.\vBOARD is "
        "the "
        "CSV output of Nsight Compute (raw or details page), or a tab-separated table of sums with the header 'program "
        "kernel launches METRIC...'. RUN.json is the output of 'weir run --json' or 'weir replay --json'; with a table "
        "of "
        "sums, each file must be named after its program. Kernels are matched by name, launches in order.\n"
        "\n"
        "Examples:\n"
        "  weir correlate --metrics        # what to ask Nsight Compute for\n"
        "  ncu --csv --page raw --print-units base --clock-control none \\\n"
        "    --metrics $(weir correlate --metrics) ./app > ncu.csv\n"
        "  weir run --gpu h200 --json run.json ./app\n"
        "  weir correlate ncu.csv run.json --plot correlation\n",
    .word = take_word,
    .end = check_options};

/* ---- tables ---- */
enum { N_CELL = 10 };

static void print_row(const struct args *a, char cell[N_CELL][160])
{
    static const int width[N_CELL] = {-14, -28, 5, 12, 12, 6, 15, 15, 10, 10};
    if (a->markdown) {
        for (int i = 0; i < N_CELL; i++)
            printf("| %s ", cell[i]);
        puts("|");
        return;
    }
    for (int i = 0; i < N_CELL; i++)
        printf("%s%*s", i ? " " : "", width[i], cell[i]);
    putchar('\n');
}

static void put_number(char cell[160], const char *format, double v)
{
    if (isnan(v))
        strcpy(cell, "-");
    else
        snprintf(cell, 160, format, v);
}

static void put_both(char cell[160], double board, double weir)
{
    if (isnan(board) || isnan(weir))
        strcpy(cell, "-");
    else
        snprintf(cell, 160, "%.1f, %.1f", 100 * board, 100 * weir);
}

static void print_pair(const struct args *a, const struct pair *p)
{
    char cell[N_CELL][160];
    double board = pair_cycles(p, true), weir = pair_cycles(p, false);
    snprintf(cell[0], sizeof cell[0], "%s", p->program);
    snprintf(cell[1], sizeof cell[1], a->markdown && *p->kernel ? "`%.150s`" : "%.28s", p->kernel);
    snprintf(cell[2], sizeof cell[2], "%u", p->launches);
    put_number(cell[3], "%.0f", board);
    put_number(cell[4], "%.0f", weir);
    put_number(cell[5], "%.2f", weir / board);
    put_both(cell[6], pair_l1_hit(p, true), pair_l1_hit(p, false));
    put_both(cell[7], pair_l2_hit(p, true), pair_l2_hit(p, false));
    put_number(cell[8], "%.2f", pair_dram_bytes(p, true) / 1e6);
    put_number(cell[9], "%.2f", pair_dram_bytes(p, false) / 1e6);
    print_row(a, cell);
}

static void print_head(const struct args *a)
{
    char head[N_CELL][160] = {"program", "kernel",   "runs",     "cycles: GPU",  "weir",
                              "ratio",   "L1 hit %", "L2 hit %", "DRAM MB: GPU", "weir"};
    if (a->markdown) {
        print_row(a, head);
        puts("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        return;
    }
    strcpy(head[3], "cycles GPU");
    strcpy(head[8], "MB GPU");
    print_row(a, head);
}

static void print_summary(const struct args *a, const char *what, struct correlation_summary s)
{
    summary_finish(&s);
    if (a->markdown)
        printf("| %s | %u | %.1f%% | %.2f | %.3f | %.1f | %u of %u | %.1f | %u of %u |\n", what, s.n, 100 * s.error,
               s.factor, s.r, s.l1_points, s.l1_within_5, s.n_l1, s.l2_points, s.dram_within_10, s.n_dram);
    else
        printf(
            "%-24s %4u  cycles: mean error %.1f%%, factor %.2f, correlation %.3f; L1 hit rate: mean %.1f points, %u "
            "of %u within 5; L2: mean %.1f points; DRAM: %u of %u within 10%%\n",
            what, s.n, 100 * s.error, s.factor, s.r, s.l1_points, s.l1_within_5, s.n_l1, s.l2_points, s.dram_within_10,
            s.n_dram);
}

static void print_summaries(const struct args *a, const struct correlation *c, bool by_program)
{
    static const char *const name[] = {"calibration", "held out", "all"};
    struct correlation_summary kernels[3] = {0}, programs[3] = {0};
    for (size_t i = 0; i < c->pair.n; i++) {
        const struct pair *p = &c->pair.p[i];
        int half = held_out(p->program);
        summary_add(&kernels[half], p);
        summary_add(&kernels[2], p);
        if (i && !strcmp(c->pair.p[i - 1].program, p->program))
            continue;
        struct pair whole = pair_sum(c, p->program);
        summary_add(&programs[half], &whole);
        summary_add(&programs[2], &whole);
    }
    putchar('\n');
    if (a->markdown)
        puts(
            "| | n | mean error | factor | correlation | L1 points | L1 within 5 | L2 points | DRAM within 10% |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (int i = a->split ? 0 : 2; i < 3; i++) {
        char what[64];
        if (by_program) {
            snprintf(what, sizeof what, "programs, %s", name[i]);
            print_summary(a, what, programs[i]);
        }
        snprintf(what, sizeof what, "kernels, %s", name[i]);
        print_summary(a, what, kernels[i]);
    }
}

static int draw(const struct args *a, const struct correlation *c, struct err *e)
{
    struct table t = {0};
    table_add_column(&t, "board", "GPU");
    table_add_column(&t, "calibration", a->split ? "calibration" : "kernels");
    if (a->split)
        table_add_column(&t, "held_out", "held out");
    for (size_t i = 0; i < c->pair.n; i++) {
        const struct pair *p = &c->pair.p[i];
        double board = pair_cycles(p, true), weir = pair_cycles(p, false);
        if (!(board > 0 && weir > 0))
            continue;
        double *cell = table_add_row(&t, p->kernel, "");
        cell[0] = board;
        cell[a->split && held_out(p->program) ? 2 : 1] = weir;
    }
    struct plot plot = {.title = "Cycles of each kernel", .axis = "weir", .x_axis = "GPU", .style = PLOT_SCATTER};
    const int drawn = plot_write(&t, &plot, a->plot, e);
    table_free(&t);
    if (drawn == PLOT_NOTHING)
        err_print(e, stderr);
    return drawn < 0 ? -1 : 0;
}

static void print_metrics(void)
{
    for (const struct ncu_metric *m = ncu_metrics; m->name; m++)
        printf("%s%s", m == ncu_metrics ? "" : ",", m->name);
    putchar('\n');
}

static int compare(const struct args *a, struct hw_counters *b, struct run *run, struct correlation *c, struct err *e)
{
    if (hw_read(b, a->board, e))
        return -1;
    for (size_t i = 0; i < a->run.n; i++)
        if (run_read(&run[i], a->run.p[i], e))
            return -1;
    correlate(c, b, run, a->run.n);
    if (!c->pair.n) {
        err_at(e, a->board, 0, 0, "none of its kernels occurs in the runs");
        return err_hint(e, b->summed ? "name each run's file after its program, e.g. bfs.json"
                                     : "profile and simulate the same program");
    }
    print_head(a);
    for (size_t i = 0; i < c->pair.n; i++)
        print_pair(a, &c->pair.p[i]);
    print_summaries(a, c, b->summed);
    for (size_t i = 0; i < c->unmatched.n; i++)
        fprintf(stderr, "weir: %s: no run has the kernel '%.200s'; skipped\n", a->board, c->unmatched.p[i]);
    return a->plot ? draw(a, c, e) : 0;
}

int cli_correlate(int argc, char **argv)
{
    struct args a = {0};
    cli_parse(&syntax, argc, argv, 0, &a);
    if (a.metrics) {
        print_metrics();
        VEC_FREE(&a.run);
        return CLI_OK;
    }
    struct err e;
    err_clear(&e);
    struct hw_counters board = {0};
    struct correlation c = {0};
    struct run *run = xcalloc(a.run.n, sizeof *run);
    const int status = compare(&a, &board, run, &c, &e) ? cli_fail(&e) : CLI_OK;
    correlation_free(&c);
    hw_free(&board);
    for (size_t i = 0; i < a.run.n; i++)
        run_free(&run[i]);
    free(run);
    VEC_FREE(&a.run);
    return status;
}
