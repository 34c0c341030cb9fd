/* Runs and replays for commands that want the machine's results and say more about them. */
#ifndef WEIR_CLI_RUN_H
#define WEIR_CLI_RUN_H

#include "cli/machine_args.h"

struct check_args { /* weir check; see cudart/run_link.h */
    const char *words, *kernel, *suppress, *sarif, *max_insn;
};
/* Runs the program under the checker; an exit status. */
int run_checked(const struct machine_args *, const struct check_args *, int argc, char **argv);
/* The value of --max-insn, checked. */
const char *run_max_insn(const struct argp_state *, const char *);

/* What `weir run` and `weir replay` do with these options; an exit status. argv: the program and its arguments. */
int run_program(const struct machine_args *, int argc, char **argv);
int replay_recording(struct machine_args *, const char *file, FILE *out);

#endif
