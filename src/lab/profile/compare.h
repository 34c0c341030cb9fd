/*
 * Two runs side by side: what changed, and the statistics that tell why. Made from two statistics documents
 * (docs/statistics.md) of weir run or weir replay.
 *
 * Every cycle of every scheduler is an issue or one stall, so a difference in cycles is, to the cycle, a sum of
 * differences by reason; that is where the explanation starts. Cycles of a reason are those of all schedulers over
 * their number, which makes machines of different size comparable. Left out: samples and phases over time.
 */
#ifndef WEIR_PROFILE_COMPARE_H
#define WEIR_PROFILE_COMPARE_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct compare_opts {
    double threshold; /* smaller changes are not shown: 0.01 = 1% */
    bool all;         /* all kernels and loads, not only those that changed most */
};

/* Reads a statistics document. NULL and *e: it cannot be read or is something else. */
json_t *compare_read(const char *path, struct err *);
/* Takes the document over; NULL and *e: it is none of a run. */
json_t *compare_take(json_t *doc, const char *path, struct err *);
/* -1: one of them is a sample's estimate and the other is not. */
int compare_check(const json_t *a, const json_t *b, const char *name_a, const char *name_b, struct err *);
void compare_print(const json_t *a, const json_t *b, const char *name_a, const char *name_b,
                   const struct compare_opts *, FILE *);

struct profile;
/* The same as a page, with the memory chart and source lines. */
void compare_page(const struct profile *a, const struct profile *b, const char *name_a, const char *name_b,
                  const struct compare_opts *, FILE *);

#endif
