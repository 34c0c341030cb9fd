/* weir replay: a recording on a simulated GPU. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/run.h"

#include "base/outfile.h"
#include "gpu/plugin.h"
#include "gpu/replay.h"

struct args {
    struct machine_args machine;
    const char *file;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->file)
        argp_error(state, "one recording expected");
    a->file = word;
}

static void check_options(struct argp_state *state, void *args)
{
    if (!((struct args *)args)->file)
        argp_error(state, "no recording given");
}

static const struct cli_syntax syntax = {
    NULL,
    {{&machine_syntax, offsetof(struct args, machine), "The machine:"},
     {&report_syntax, offsetof(struct args, machine), "The run and its results:"}},
    "FILE.wt",
    "Run a recording on a simulated GPU. Gives the same statistics as 'weir run' on the program."
    "\vExamples:\n"
    "  weir record -o vecadd.wt ./vecadd\n"
    "  weir replay --gpu gtx480 vecadd.wt\n"
    "  weir replay --set l1.size=32KiB --with gto --json out.json vecadd.wt\n"
    "  weir replay --gpu gtx480 --sampled=1% vecadd.wt\n\n"
    "Ctrl-C prints the statistics so far.\n",
    take_word,
    check_options};

int replay_recording(struct machine_args *m, const char *file, FILE *out)
{
    struct err e;
    struct trace_file *f = m->json && outfile_check(m->json, &e) ? NULL : trace_open(file, &e);
    if (!f)
        return cli_fail(&e);
    uint64_t insts = 0;
    for (uint32_t i = 0; i < trace_n_launches(f); i++)
        insts += trace_launch_insts(f, i);
    struct progress p;
    progress_begin(&p, insts);
    p.quiet = m->quiet;
    m->opts.poll = progress_poll;
    m->opts.poll_ctx = &p;
    plugin_report_crashes();
    struct gpu *g = gpu_new(&m->opts, &e);
    int status;
    if (!g) {
        progress_end(&p);
        status = cli_fail(&e);
    } else {
        err_clear(&e);
        enum gpu_end end = gpu_replay(g, f, &e);
        double host_s = progress_end(&p);
        status = machine_report(g, end, m, host_s, trace_program(f), &e, out);
    }
    gpu_free(g);
    trace_close(f);
    return status;
}

int cli_replay(int argc, char **argv)
{
    struct args a = {0};
    cli_parse(&syntax, argc, argv, 0, &a);
    const int status = replay_recording(&a.machine, a.file, stdout);
    machine_args_free(&a.machine);
    return status;
}
