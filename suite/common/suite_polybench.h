/* What the PolyBench/GPU programs share: their block shapes and their kind of input (small smooth values). */
#ifndef WEIR_SUITE_POLYBENCH_H
#define WEIR_SUITE_POLYBENCH_H

#include "suite.h"

#include <vector>

/* PolyBench/GPU 1.0: 32 x 8 threads for two-dimensional kernels, 256 for one-dimensional ones. */
enum { PB_X = 32, PB_Y = 8, PB_1D = 256 };

static inline dim3 pb_grid2(int nx, int ny)
{
    return dim3((unsigned)((nx + PB_X - 1) / PB_X), (unsigned)((ny + PB_Y - 1) / PB_Y));
}
static inline dim3 pb_block2()
{
    return dim3(PB_X, PB_Y);
}
static inline unsigned pb_grid1(int n)
{
    return (unsigned)((n + PB_1D - 1) / PB_1D);
}

/* Values in [0.1, 1.1): sums of products stay well conditioned, so a wrong element cannot hide in rounding. */
static inline std::vector<float> pb_matrix(size_t n, uint64_t seed)
{
    suite_rng r(seed);
    std::vector<float> v(n);
    for (float &x : v)
        x = 0.1f + r.unit();
    return v;
}

/* Largest tolerated relative error: float sums of up to a few thousand terms against double ones. */
static const double PB_REL = 2e-4;

#endif
