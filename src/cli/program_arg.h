/* What several commands take: a suite's program, a recording or an executable with arguments of its own. */
#ifndef WEIR_CLI_TARGET_H
#define WEIR_CLI_TARGET_H

#include <argp.h>
#include <stdbool.h>

enum program_arg { PROGRAM_ARG_SUITE, PROGRAM_ARG_RECORDING, PROGRAM_ARG_PROGRAM };

/* A file FILE.wt is a recording; what has a slash or is a file here is a program; anything else names one of the suite.
 */
enum program_arg program_arg_kind(const char *word);
/* The word that argp is at and, after a program, all that follows: its own arguments, which argp then skips. */
void program_arg_take(struct argp_state *, bool program, int *argc, char ***argv);

#endif
