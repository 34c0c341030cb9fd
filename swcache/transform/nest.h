/*
 * Two loops that walk through one structure with one index: the inner loop goes on where the turn of the outer one is.
 *
 *     for (long i = begin; i < end; i++) {
 *         ... html[i] ...                         // before: may continue
 *         long start = ++i;
 *         for (; html[i] != '"'; i++)             // inner
 *             hash = hash * 31 + html[i];
 *         ...                                     // after
 *     }
 *
 * All of it is one scan, whose turns are in the inner loop or not.
 */
#ifndef WEIR_TRANSFORM_NEST_H
#define WEIR_TRANSFORM_NEST_H

#include "transform/pointers.h"

struct unit;

struct nest {
    unsigned structure;
    const struct var *v;           /* the index */
    const struct node *inner;      /* the inner loop, a statement of the outer one's body */
    const struct node *advance;    /* ++i or i++ before it */
    const struct node *declares;   /* the variable of `char c = html[i];`, if only what is before uses it */
    const struct node *cond;       /* the inner loop's */
    const struct node *bound;      /* end */
    VEC(const struct node *) name; /* all elements html[i] */
    VEC(const struct node *) keep; /* variables declared before that live on */
};

/* Is the unit's loop such a nest? Fills *out, which nest_free() frees in any case. */
bool nest_find(struct nest *out, const struct unit *, const struct pointers *);
void nest_free(struct nest *);

#endif
