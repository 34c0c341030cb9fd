/*
 * The programs of the workload suite: what suite/<name>/program.ini says of each, and their compilation on first need.
 * Used by `weir suite`, which runs them, and by `weir reproduce` and `weir sweep`, which record them.
 */
#ifndef WEIR_CLI_SUITE_PROGRAMS_H
#define WEIR_CLI_SUITE_PROGRAMS_H

#include "base/err.h"
#include "base/mem.h"
#include "cc/artifact_cache.h"

#include <limits.h>
#include <stdbool.h>

/* The papers whose evaluation uses programs of the suite: key in program.ini, name for people. */
#define SUITE_PAPERS(X)                                                                                                \
    X(apcm, "APCM")                                                                                                    \
    X(cart, "CART")                                                                                                    \
    X(sharedl1, "Shared L1")                                                                                           \
    X(caps, "CAPS")                                                                                                    \
    X(swcache, "software L1")

struct suite_program {
    char *name; /* folder */
    char *title, *origin, *does, *source, *flags;
#define X(key, text) char *key;
    SUITE_PAPERS(X)
#undef X
};

struct suite {
    char folder[PATH_MAX];
    VEC(struct suite_program) program; /* by name */
};

int suite_load(struct suite *, struct err *);
void suite_free(struct suite *);
const struct suite_program *suite_find(const struct suite *, const char *name); /* NULL = there is none */
/* Compiles the program with these flags, too, as a study does; NULL = none. */
void suite_add_flags(struct suite_program *, const char *cflags);
/* Fills *e: the suite has no program of this name, `more` (may be ""), and which one may be meant. Returns -1. */
int suite_unknown(const struct suite *, const char *name, const char *more, struct err *);
/* What the program says of a paper ("BFS (CS)"); NULL = the paper does not use it, or there is no such paper. */
const char *suite_in_paper(const struct suite_program *, const char *paper);

enum { SUITE_PATH = PATH_MAX + 300 };
/* Where compiled programs and recordings are kept; see cc/artifact_cache.h. Creates the folder. */
int suite_cache_folder(char out[SUITE_PATH], struct err *);
/* Where the compiled program is, or would be: its name holds the hash of all that it is made from. 0, or -1 with *e:
 * the compiler could not be asked for its version. */
int suite_binary(const struct suite *, const struct suite_program *, const char *cache, char binary[SUITE_PATH],
                 struct err *e);
/* Compiles the program if that has not been done; its path. Not 0: the compiler's exit status. */
int suite_build(const struct suite *, const struct suite_program *, const char *cache, char binary[SUITE_PATH]);
/* Runs weir itself (argv[0] = "weir") or another program; its exit status. What it prints goes to the file `log`, if it
 * is not NULL. */
int suite_spawn(char **argv, const char *log);

#endif
