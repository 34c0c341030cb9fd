/*
 * Accesses that a thread-private line cannot serve, as far as the text tells. Only a guess at the gain:
 * whatever it answers, the result of the program is the same; the monitoring phase decides about the rest at run time.
 */
#ifndef WEIR_TRANSFORM_PROFIT_H
#define WEIR_TRANSFORM_PROFIT_H

#include "transform/pointers.h"

/* NULL: may gain. Otherwise why it does not; `only`: no other access of the loop goes to the same structure. */
const char *profit_refused(const struct pointers *, const struct access *, const struct node *unit, bool only);
/* The loop hands out work to the threads of the grid (its step is the grid's size). */
bool profit_deals_out(const struct pointers *, const struct node *loop);
/* Is the variable changed inside the node? */
bool var_changes(const struct pointers *, const struct var *, const struct node *inside);

/* How much n grows when v grows by one; false: not by a constant. */
bool profit_growth(const struct pointers *, struct node *n, const struct var *v, long long *by);
/* The value of a constant expression. */
bool profit_constant(const struct node *, long long *value);

#endif
