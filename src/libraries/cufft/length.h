/* How many points one launch transforms: factors, tables, and the two launches of a long transform. */
#ifndef WEIR_CUFFT_LENGTH_H
#define WEIR_CUFFT_LENGTH_H

#include "base/mem.h"
#include "cufft/lines.h"

#include <stdbool.h>
#include <stddef.h>

/* Complex numbers, as pairs; places in it stay the same while it grows. */
typedef VEC(double) table_t;

struct length {
    int n, padded, stages, radix[LINES_STAGES];
    size_t roots, chirp; /* places in the table; chirp is only for padded != n */
};

/* An axis: one line, or `parts` = 2: part 0's lines are n2 = part[1].n apart. */
struct axis {
    int n, parts;
    struct length part[2];
    size_t fine, coarse; /* places: see lines.h */
};

/* most: points that fit into a CTA's shared memory. False: nothing here transforms that many. */
bool axis_make(struct axis *, long long n, int most, table_t *);

#endif
