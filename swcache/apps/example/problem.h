/* The example of the paper's section 1.1: one byte and one integer in, one integer out, each thread over its own range.
 */
#ifndef EXAMPLE_PROBLEM_H
#define EXAMPLE_PROBLEM_H

#include "../common.h"

struct problem {
    const char *chars;
    const int *ints;
    long count;
    int per_thread;
    int *out;
};

__host__ __device__ inline int do_computation(char a, int b)
{
    return (b ^ (b >> 7)) * (2 * a + 1);
}

#endif
