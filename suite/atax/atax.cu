/*
 * y = A^T (A x).
 *
 * Origin: PolyBench/GPU 1.0, ATAX. First kernel: one thread per row (each thread walks its own row, so a warp touches 32
 * rows at once); second: one thread per column (coalesced). 256 threads per block; sums are kept in global memory.
 * Original size 4096 x 4096, which is "paper"; in "small" each thread walks the first 1280 elements of its row or column.
 */
#include "../common/suite_polybench.h"

__global__ void rows(const float *a, const float *x, float *tmp, int n, int walk)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tmp[i] = 0;
        for (int j = 0; j < walk; j++)
            tmp[i] += a[i * n + j] * x[j];
    }
}

__global__ void columns(const float *a, const float *tmp, float *y, int n, int walk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        y[j] = 0;
        for (int i = 0; i < walk; i++)
            y[j] += a[i * n + j] * tmp[i];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 256, 4096, 4096), walk = suite_pick(size, 256, 1280, 4096);
    std::vector<float> a = pb_matrix((size_t)n * n, 1), x = pb_matrix(n, 2), y(n), got(n);
    float *da = suite_to_device(a.data(), a.size()), *dx = suite_to_device(x.data(), n), *dtmp = suite_device<float>(n),
          *dy = suite_device<float>(n);
    rows<<<pb_grid1(n), PB_1D>>>(da, dx, dtmp, n, walk);
    columns<<<pb_grid1(n), PB_1D>>>(da, dtmp, dy, n, walk);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dy, n);
    std::vector<double> sum(n, 0.0);
    for (int i = 0; i < walk; i++) {
        double t = 0;
        for (int j = 0; j < walk; j++)
            t += (double)a[(size_t)i * n + j] * x[j];
        for (int j = 0; j < n; j++)
            sum[j] += a[(size_t)i * n + j] * t;
    }
    for (int j = 0; j < n; j++)
        y[j] = (float)sum[j];
    return suite_done("atax", argc, argv, suite_diff("y", got.data(), y.data(), n, 5 * PB_REL, 0));
}
