/*
 * The programs of the workload suite: what suite/<name>/program.ini says of each, and their compilation on first need.
 * Used by `weir suite`, which runs them, and by `weir reproduce` and `weir sweep`, which record them.
 */
#ifndef WEIR_CLI_SUITE_PROGRAMS_H
#define WEIR_CLI_SUITE_PROGRAMS_H

#include "base/err.h"
#include "base/mem.h"

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
/* What the program says of a paper ("BFS (CS)"); NULL = the paper does not use it, or there is no such paper. */
const char *suite_in_paper(const struct suite_program *, const char *paper);

enum { SUITE_PATH = PATH_MAX + 300 };
/* Where compiled programs are kept: $XDG_CACHE_HOME/weir or ~/.cache/weir. Creates the folder. */
int suite_cache_folder(char out[SUITE_PATH], struct err *);
/* Where the compiled program is, or would be. */
void suite_binary(const struct suite_program *, const char *cache, char binary[SUITE_PATH]);
/* Compiles the program if it is not up to date; its path. Not 0: the compiler's exit status. */
int suite_build(const struct suite *, const struct suite_program *, const char *cache, char binary[SUITE_PATH]);
/* Whether a is newer than b; false when one of them is not there. */
bool suite_is_newer(const char *a, const char *b);
/* Whether a file of the folder is newer than a file with this status. */
struct stat;
bool suite_any_newer(const char *folder, const struct stat *than);
/* Runs weir itself with these arguments (argv[0] = "weir"); its exit status. Silent: what it prints is dropped, but for
 * errors. */
int suite_spawn(char **argv, bool silent);

#endif
