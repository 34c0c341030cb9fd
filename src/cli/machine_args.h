/*
 * The options that choose a machine and what to do with its statistics, the same for run, replay, suite and config; and
 * what is printed at the end of a simulation.
 */
#ifndef WEIR_CLI_MACHINE_ARGS_H
#define WEIR_CLI_MACHINE_ARGS_H

#include "base/mem.h"
#include "cli/cli.h"
#include "gpu/gpu.h"

struct machine_args {
    struct gpu_opts opts; /* points into what follows; zeroed at first, as all of it */
    VEC(const char *) set;
    char *with;
    const char *json;     /* NULL = none; "-" = standard output, and everything else goes to standard error */
    const char *timeline; /* NULL = none */
    bool gpgpusim, quiet;
    bool no_summary; /* as quiet, but the progress is shown */
};
void machine_args_free(struct machine_args *);

/* What --set and --with do, for commands with options of their own. */
void machine_args_set(struct machine_args *, const char *assignment);
void machine_args_with(struct machine_args *, const char *policies);

/*
 * Before anything starts: whether the machine can be built and --json written. Without `timing` (a recording, an
 * analysis) only the machine's properties are asked for. -1: *e says what is wrong.
 */
int machine_args_check(const struct machine_args *, bool timing, struct err *);

/* One of the given options that only a simulation of time can serve; NULL = there is none. */
const char *machine_args_timing_option(const struct machine_args *);

/*
 * The options but --json, --quiet and --no-summary as words, for a weir that is started to run with them. A word lasts
 * as long as the call.
 */
void machine_args_each_word(const struct machine_args *, void (*word)(void *ctx, const char *), void *ctx);

/*
 * Parts of a command's syntax, for a struct machine_args. machine_syntax: --gpu, --set, --with, --plugin. report_syntax:
 * --engine, --threads, --json, --sample, --explain-loads, --profile, --timeline, --energy,
 * --gpgpusim-stats, --ncu-names, --sampled, --quiet, --progress.
 * untimed_syntax: without --with, for what has no timing. reports_syntax: without --profile, for several programs.
 */
extern const struct cli_syntax machine_syntax, untimed_syntax, report_syntax, reports_syntax;
/* --plugin alone, for commands without a machine; fills nothing. */
extern const struct cli_syntax plugin_syntax;

/* The value of --threads. -1: it is none. */
int threads_parse(const char *, unsigned *out, struct err *);

/* The value of --sampled (NULL: given without one) as a fraction: "2%", "0.02". -1: it is none. */
#define SAMPLED_DEFAULT 0.02
#define SAMPLED_MIN     0.001
#define SAMPLED_MAX     0.5
int sampled_error_parse(const char *, double *out, struct err *);

/*
 * After the run: checks the conservation invariants, prints what was asked for to `out`, deadlocks and errors to
 * stderr. Returns the exit status. `host_s`: seconds of the run; `command`: what was recorded.
 */
int machine_report(struct gpu *, enum gpu_end, const struct machine_args *, double host_s, const char *command,
                   const struct err *failure, FILE *out);

#endif
