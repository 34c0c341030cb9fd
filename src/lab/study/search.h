/*
 * From a coarse grid to the best whole numbers: several knobs at once, each between the values that were listed for it.
 *
 * A step tries the neighbors of the best point so far, one knob up or down at a time, and goes to the best of those
 * that are better. When none is, the grid is halved around the point; when there is nothing left to halve, the point is
 * the answer. That takes about two points per knob and halving, instead of every combination. It finds the best of a
 * hill with one top; of several tops it finds the one that the coarse grid led to.
 *
 * Where the best of a smaller input is known, a search of a larger one can climb from there instead: on a ladder whose
 * rungs are an eighth apart, without a coarse grid before and without halving after.
 */
#ifndef WEIR_STUDY_SEARCH_H
#define WEIR_STUDY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum { SEARCH_KNOBS = 4, SEARCH_VALUES = 64 };

struct search_knob {
    long value[SEARCH_VALUES]; /* ascending */
    size_t n;
};
/* How good a point is. false: that is not known yet; it has been noted that it is wanted. */
typedef bool search_ask(void *ctx, const long *at, double *value);

/*
 * `at` is a point of the coarse grid, the best that is known of it; afterward the best that was found. false: points
 * are missing, and all that the present step needs have been asked for. The knobs' values are changed.
 */
bool search_refine(struct search_knob *, size_t n, search_ask *, void *ctx, long *at);

/* Replaces the listed values by a ladder through `from`: each rung an eighth from the one below (at least 1), the ends
 * where they were. `from` is between them. */
void search_ladder(struct search_knob *, long from);
/* As search_refine, but goes from rung to rung only. */
bool search_climb(const struct search_knob *, size_t n, search_ask *, void *ctx, long *at);

#endif
