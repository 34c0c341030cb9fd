/*
 * PolyBench/GPU's naive matrix multiplication, shared by 2mm and 3mm: one thread per element of C, 32 x 8 threads per
 * block, the sum kept in global memory (the original's pointers may alias, so every step loads and stores C). Rows of
 * all matrices have n elements; computed are the first `rows` rows of C, over the first `walk` steps of the sum.
 */
#ifndef WEIR_SUITE_MM_H
#define WEIR_SUITE_MM_H

#include "suite_polybench.h"

__global__ void multiply(const float *a, const float *b, float *c, int rows, int n, int walk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n) {
        c[i * n + j] = 0;
        for (int k = 0; k < walk; k++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

static inline void pb_multiply(const float *a, const float *b, float *c, int rows, int n, int walk)
{
    multiply<<<pb_grid2(n, rows), pb_block2()>>>(a, b, c, rows, n, walk);
    SUITE_LAUNCHED();
}

static inline std::vector<float> pb_multiply_host(const std::vector<float> &a, const std::vector<float> &b, int rows,
                                                  int n, int walk)
{
    std::vector<float> c((size_t)rows * n);
    std::vector<double> row(n);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            row[j] = 0;
        for (int k = 0; k < walk; k++)
            for (int j = 0; j < n; j++)
                row[j] += (double)a[(size_t)i * n + k] * b[(size_t)k * n + j];
        for (int j = 0; j < n; j++)
            c[(size_t)i * n + j] = (float)row[j];
    }
    return c;
}

#endif
