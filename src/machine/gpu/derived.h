/* What a machine's values amount to, and which of them no GPU has: for `weir config check`. */
#ifndef WEIR_GPU_DERIVED_H
#define WEIR_GPU_DERIVED_H

#include <stdio.h>

struct cfg;

/* Capacities in all, bandwidth of each level, what limits occupancy. */
void derived_print(const struct cfg *, FILE *);
/* Prints a line for each value or total that no GPU comes near; returns how many. */
unsigned derived_doubts(const struct cfg *, FILE *);

#endif
