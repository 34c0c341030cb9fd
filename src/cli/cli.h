/*
 * The command line: one function per command, each in the file of its name (record is in run.c, explain in list.c,
 * report in reproduce.c). commands.def lists them.
 *
 * Exit status, the same for every command: 0 done, 1 the simulated program failed, 2 bad input, 3 deadlock.
 */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H

#include "base/err.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

enum { CLI_OK = 0, CLI_PROGRAM_FAILED = 1, CLI_BAD_INPUT = 2, CLI_DEADLOCK = 3 };

/* Prints the error and returns CLI_BAD_INPUT. */
int cli_fail(const struct err *);
int cli_list_papers(void); /* what reproduce takes, with the figures of each */

/*
 * The syntax of a command line: options, each with what it sets, and words. Sets of options that several commands have
 * are parts of theirs. argp reads the line and writes --help from it (options.c).
 */
struct cli_option {
    const char *name, *value; /* value: what help calls it; NULL = the option takes none */
    const char *doc;
    enum cli_sets { CLI_SETS_NOTHING, CLI_SETS_FLAG, CLI_SETS_TEXT, CLI_SETS_JOBS, CLI_SETS_SIZE } sets;
    size_t at;                                                  /* of the field in the command's arguments */
    void (*call)(struct argp_state *, void *args, char *value); /* what it does instead; NULL = nothing else */
    char letter;                                                /* 0 = none */
    int flags;                                                  /* OPTION_HIDDEN, OPTION_ARG_OPTIONAL */
};
#define CLI_FIELD(kind, type, field) .sets = kind, .at = offsetof(type, field)
#define CLI_FLAG(type, field)        CLI_FIELD(_Generic(((type *)0)->field, bool : CLI_SETS_FLAG), type, field)
#define CLI_TEXT(type, field)        CLI_FIELD(_Generic(((type *)0)->field, const char * : CLI_SETS_TEXT), type, field)
#define CLI_SIZE(type, field)        CLI_FIELD(_Generic(((type *)0)->field, const char * : CLI_SETS_SIZE), type, field)
#define CLI_JOBS(type, field)        CLI_FIELD(_Generic(((type *)0)->field, unsigned : CLI_SETS_JOBS), type, field)

enum { CLI_PARTS = 2 };
struct cli_syntax {
    const struct cli_option *option; /* ended by one without a name; NULL = none of its own */
    struct cli_part {
        const struct cli_syntax *syntax; /* NULL = no more */
        size_t at;                       /* of its arguments in these */
        const char *heading;             /* in --help; NULL = among the command's own options */
    } part[CLI_PARTS];
    const char *usage, *doc; /* as argp_parse has them */
    /* Takes a word that is no option; NULL = there are none. */
    void (*word)(struct argp_state *, void *args, char *word);
    /* Checks all that was given, when the line has ended; NULL = nothing is to be checked. */
    void (*end)(struct argp_state *, void *args);
};

/* Reads the line into `args`; ends the command where it is wrong. `flags`: argp_parse's. */
void cli_parse(const struct cli_syntax *, int argc, char **argv, unsigned flags, void *args);

/*
 * A word that must be one of `words` (up to a NULL): NULL if it is, otherwise what to say about it, with the nearest;
 * free() it. `option` is what the word is the value of; NULL = it says what the command is to do. A NULL word: none was
 * given.
 */
char *cli_not_among(const char *option, const char *word, const char *const *words);
/* The same inside argp: says it and ends the command. */
void cli_choose(const struct argp_state *, const char *option, const char *word, const char *const *words);

/* How many jobs there are without -j: one for each core. */
unsigned cli_cores(void);

/* argv[0] is "weir COMMAND", for messages. */
#define COMMAND(name, what) int cli_##name(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* In files of their own: weir trace import, weir reproduce swcache. argv[0] is the command's name, for messages. */
int cli_trace_import(int argc, char **argv);
int swcache_reproduce(int argc, char **argv);

#endif
