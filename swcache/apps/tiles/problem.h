/*
 * Matrix product through tiles in shared memory, most of which the kernel already uses: there is no room for lines
 * without losing occupancy, and the loads of tiles are coalesced. Caching must stay off.
 */
#ifndef TILES_PROBLEM_H
#define TILES_PROBLEM_H

#include "../common.h"

enum { TILE = 32, DEEP = 96 }; /* a block's share of A and B: 2 * TILE * DEEP floats, 24 KiB */

struct problem {
    const float *a, *b;
    int n;
    float *c;
};

#endif
