/*
 * C = A B with tiles in shared memory.
 *
 * Origin: CUDA SDK (4.x), matrixMul. 16 x 16 threads per block (8 warps, as CAPS says), each loads one element of each
 * tile per step. Original 480 x 320 times 320 x 320, which is "small"; "paper" multiplies four times (the original 30).
 */
#include "../common/suite.h"

#include <vector>

enum { TILE = 16 };

__global__ void matrix_mul(float *c, const float *a, const float *b, int wa, int wb)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int m = 0; m < wa; m += TILE) {
        as[ty][tx] = a[row * wa + m + tx];
        bs[ty][tx] = b[(m + ty) * wb + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * wb + col] = sum;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 320, 320), rows = n / 2 * 3, times = suite_pick(size, 1, 1, 4);
    std::vector<float> a((size_t)rows * n), b((size_t)n * n), c((size_t)rows * n), got(c.size());
    suite_rng r(3);
    for (float &x : a)
        x = r.unit();
    for (float &x : b)
        x = r.unit();
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size()),
          *dc = suite_device<float>(c.size());
    for (int i = 0; i < times; i++)
        matrix_mul<<<dim3(n / TILE, rows / TILE), dim3(TILE, TILE)>>>(dc, da, db, n, n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, got.size());
    for (int i = 0; i < rows; i++) {
        std::vector<double> row(n, 0.0);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                row[j] += (double)a[(size_t)i * n + k] * b[(size_t)k * n + j];
        for (int j = 0; j < n; j++)
            c[(size_t)i * n + j] = (float)row[j];
    }
    return suite_done("matrixmul", argc, argv, suite_diff("c", got.data(), c.data(), c.size(), 1e-4, 1e-4));
}
