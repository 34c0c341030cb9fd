/*
 * What searches ended with, as a file: found.ini of a report. A study of the same figures at a larger size can start
 * from it (search.h), with a third of the simulations or less.
 *
 *     [fig15/pcal]
 *     best = pcal.warps=4 pcal.tokens=12 for bfs
 */
#ifndef WEIR_STUDY_SEARCH_RESULTS_H
#define WEIR_STUDY_SEARCH_RESULTS_H

#include "study/plan.h"
#include "study/search.h"

struct search_result {
    char *figure, *variant, *program;
    struct inifile_words set; /* "pcal.warps=4" */
    bool used;
};

struct search_results {
    char *path;
    VEC(struct search_result) one;
};

int search_results_read(struct search_results *, const char *path, struct err *);
void search_results_free(struct search_results *);

/*
 * Where the search of a variant starts: a value for each of its `best` keys. 1: the file says nothing of it; -1: it
 * says what cannot be (*e).
 */
int search_results_start(struct search_results *, const struct plan *, const struct plan_variant *, const char *program,
                         long at[SEARCH_KNOBS], struct err *);

/* Writes one; `set` as lab_search_outcome gives it. */
void search_results_write(FILE *, const char *program, const char *set);

#endif
