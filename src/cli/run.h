/* Runs and replays for commands that want the machine's results and say more about them. */
#ifndef WEIR_CLI_RUN_H
#define WEIR_CLI_RUN_H

#include "cli/machine_args.h"

/* What `weir run` and `weir replay` do with these options; an exit status. argv: the program and its arguments. */
int run_program(const struct machine_args *, int argc, char **argv);
int replay_recording(struct machine_args *, const char *file);

#endif
