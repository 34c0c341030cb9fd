/*
 * PolyBench/GPU's naive matrix multiplication, shared by 2mm and 3mm: one thread per element of C, 32 x 8 threads per
 * block, the sum kept in global memory (the original's pointers may alias, so every step loads and stores C).
 */
#ifndef WEIR_SUITE_MM_H
#define WEIR_SUITE_MM_H

#include "suite_polybench.h"

__global__ void multiply(const float *a, const float *b, float *c, int ni, int nj, int nk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        c[i * nj + j] = 0;
        for (int k = 0; k < nk; k++)
            c[i * nj + j] += a[i * nk + k] * b[k * nj + j];
    }
}

static inline void pb_multiply(const float *a, const float *b, float *c, int ni, int nj, int nk)
{
    multiply<<<pb_grid2(nj, ni), pb_block2()>>>(a, b, c, ni, nj, nk);
    SUITE_LAUNCHED();
}

static inline std::vector<float> pb_multiply_host(const std::vector<float> &a, const std::vector<float> &b, int ni,
                                                  int nj, int nk)
{
    std::vector<float> c((size_t)ni * nj);
    std::vector<double> row(nj);
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            row[j] = 0;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                row[j] += (double)a[(size_t)i * nk + k] * b[(size_t)k * nj + j];
        for (int j = 0; j < nj; j++)
            c[(size_t)i * nj + j] = (float)row[j];
    }
    return c;
}

#endif
