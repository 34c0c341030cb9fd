/*
 * Answers names that were public before and are not accepted any more: renamed.def lists them. Each place that looks up
 * a name from outside calls err_hint_renamed when it does not find the name, before it guesses what was meant.
 */
#ifndef WEIR_BASE_RENAMED_H
#define WEIR_BASE_RENAMED_H

#include "base/err.h"

#include <stdbool.h>

enum renamed_kind {
    RENAMED_STATISTIC = 1 << 0, /* "l2.warmed"; for a histogram, also its buckets */
    RENAMED_PARAMETER = 1 << 1, /* "icache.ways" */
    RENAMED_VALUE = 1 << 2,     /* of a parameter: "mrpb.bypass=line" */
    RENAMED_COLUMN = 1 << 3,    /* of a table of loads, without the policy: "asked" */
    RENAMED_KIND = 1 << 4,      /* of policies */
    RENAMED_OPTION = 1 << 5,    /* of the command line: "--normalise" */
    RENAMED_PLAN = 1 << 6,      /* in plans and published values: "says", "kind=ahead" */
};

/* Writes "renamed: OLD is now NEW" where `name` is an old name of one of the `kinds`; otherwise returns false. */
bool renamed_hint(unsigned kinds, const char *name, char *out, size_t bytes);
/* The same as the hint of an error; one that it has is replaced. */
bool err_hint_renamed(struct err *, unsigned kinds, const char *name);
/* All of them, for tests. */
void renamed_each(void (*fn)(void *ctx, enum renamed_kind, const char *old, const char *now), void *ctx);

#endif
