/* weir replay: a recording on a simulated GPU. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/run.h"

#include "base/outfile.h"
#include "gpu/plugin.h"
#include "gpu/replay.h"

#include <argp.h>

static const char doc[] =
    "Run a recording on a simulated GPU. Gives the same statistics as 'weir run' on the program."
    "\vExamples:\n"
    "  weir record -o vecadd.wt ./vecadd\n"
    "  weir replay --gpu gtx480 vecadd.wt\n"
    "  weir replay --gpu gtx480 --set l1.size=32KiB --with gto --json out.json vecadd.wt\n"
    "  weir replay --gpu gtx480 --sampled=1% vecadd.wt\n\n"
    "Ctrl-C prints the statistics so far.\n";

struct args {
    struct machine_args machine;
    const char *file;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->machine;
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one recording expected");
        a->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->file)
            argp_error(state, "which recording?");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

int replay_recording(struct machine_args *m, const char *file, FILE *out)
{
    struct err e;
    struct trace_file *f = m->json && outfile_check(m->json, &e) ? NULL : trace_open(file, &e);
    if (!f) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
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
    int status = CLI_BAD_INPUT;
    if (!g) {
        progress_end(&p);
        err_print(&e, stderr);
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
    static const struct argp_child children[] = {
        {&machine_argp, 0, "The machine:", 1}, {&report_argp, 0, "The run and its results:", 2}, {0}};
    static const struct argp argp = {NULL, parse, "FILE.wt", doc, children, NULL, NULL};
    machine_args_init(&a.machine);
    int status = cli_parse(&argp, argc, argv, 0, &a) ? CLI_BAD_INPUT : replay_recording(&a.machine, a.file, stdout);
    machine_args_free(&a.machine);
    return status;
}
