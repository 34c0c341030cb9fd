/*
 * What searches ended with, as a file: found.ini of a report. A study of the same figures at a larger size can start
 * from it (search.h), with a third of the simulations or less.
 *
 *     [fig15/pcal]
 *     best = pcal.warps=4 pcal.tokens=12 for bfs
 */
#ifndef WEIR_LAB_FOUND_H
#define WEIR_LAB_FOUND_H

#include "lab/plan.h"
#include "lab/search.h"

struct found_one {
    char *figure, *variant, *program;
    struct inifile_words set; /* "pcal.warps=4" */
    bool used;
};

struct found {
    char *path;
    VEC(struct found_one) one;
};

int found_read(struct found *, const char *path, struct err *);
void found_free(struct found *);

/*
 * Where the search of a variant starts: a value for each of its `best` keys. 1: the file says nothing of it; -1: it
 * says what cannot be (*e).
 */
int found_start(struct found *, const struct plan *, const struct plan_variant *, const char *program,
                long at[SEARCH_KNOBS], struct err *);

/* Writes one; `set` as lab_found gives it. */
void found_write(FILE *, const char *program, const char *set);

#endif
