/*
 * The command line: one function per command, each in the file of its name (record is in run.c, explain in list.c,
 * report in reproduce.c). commands.def lists them.
 *
 * Exit status, the same for every command: 0 done, 1 the simulated program failed, 2 bad input, 3 deadlock.
 */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H

#include <argp.h>

enum { CLI_OK = 0, CLI_PROGRAM_FAILED = 1, CLI_BAD_INPUT = 2, CLI_DEADLOCK = 3 };

/* argp_parse, which says what is wrong with the options by itself; that it had no memory is said here. */
int cli_parse(const struct argp *, int argc, char **argv, unsigned flags, void *input);
/* A long option that the command does not have while one is near (options.c); NULL = all are known, or none is near. */
const char *cli_misspelled(const struct argp *, int argc, char **argv, unsigned flags, const char **near);

/*
 * A word that must be one of `words` (up to a NULL): NULL if it is, otherwise what to say about it, with the nearest;
 * free() it. `option` is what the word is the value of; NULL = it says what the command is to do. A NULL word: none was
 * given.
 */
char *cli_not_among(const char *option, const char *word, const char *const *words);
/* The same inside argp: says it and ends the command. */
void cli_choose(const struct argp_state *, const char *option, const char *word, const char *const *words);

/* The number of -j, which every command takes alike: from 1 to 4096; without -j one for each core. */
unsigned cli_jobs(const struct argp_state *, const char *arg);
unsigned cli_cores(void);

/* argv[0] is "weir COMMAND", for messages; parse with cli_parse. */
#define COMMAND(name, what) int cli_##name(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

#endif
