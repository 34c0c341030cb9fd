/*
 * Results on disk: one SQLite row for each simulation that was ever finished, so that a figure is continued where it
 * was stopped, figures share their points, and nothing is simulated twice.
 *
 * A row's key is what decides the outcome: every parameter of the machine and its policies, the recording's bytes, and
 * the source of weir's machine model (a change of the model starts afresh). Each row is a transaction: a crash or
 * Ctrl-C loses at most what was still running. Several weir processes may share a file.
 */
#ifndef WEIR_STUDY_STORE_H
#define WEIR_STUDY_STORE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

struct store_row {
    const char *program, *size, *machine, *policies, *settings; /* for people who open the file */
    const char *document;                                       /* JSON: "total" and "loads" of docs/statistics.md */
};

/* Whether the file is one: an SQLite database. */
bool store_is(const char *path);
struct store *store_open(const char *path, struct err *);
void store_close(struct store *);
/* The document of a key, owned by the caller; NULL = not there. */
char *store_get(struct store *, const char *key);
/* How many results of this model a program has at a size, whatever the machine. */
unsigned store_count(struct store *, const char *program, const char *size);
/* All rows, by program, machine and so on; stops where fn returns not 0, and returns that. */
int store_each(struct store *, int (*fn)(void *ctx, const char *key, const struct store_row *, struct err *), void *ctx,
               struct err *);
/* How SQLite finds a row by its key, and all rows of a program, size, machine and policies: for tests. Owned by the
 * caller. */
char *store_query_plan(struct store *);
/* Between these two many rows are one transaction: a thousand times as fast, and lost together. */
int store_begin(struct store *, struct err *);
int store_end(struct store *, struct err *);
int store_put(struct store *, const char *key, const struct store_row *, struct err *);

#endif
