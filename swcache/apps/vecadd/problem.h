/* Coalesced: neighboring threads add neighboring elements. The hardware serves this well; caching must stay off. */
#ifndef VECADD_PROBLEM_H
#define VECADD_PROBLEM_H

#include "../common.h"

struct problem {
    const float *a, *b;
    int count;
    float *sum;
};

#endif
