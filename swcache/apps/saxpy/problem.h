/* y += a x, coalesced, a read-write structure: caching must stay off. */
#ifndef SAXPY_PROBLEM_H
#define SAXPY_PROBLEM_H

#include "../common.h"

struct problem {
    const float *x;
    float a;
    int count;
    float *y;
};

#endif
