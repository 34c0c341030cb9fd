/*
 * x1 += A y1 and x2 += A^T y2.
 *
 * Origin: PolyBench/GPU 1.0, MVT. First kernel: one thread per row; second: one thread per column (coalesced). 256 threads
 * per block; sums are kept in global memory. Original size 4096, which is "paper"; in "small"
 * each thread walks the first 1280 elements of its row or column.
 */
#include "../common/suite_polybench.h"

__global__ void by_rows(const float *a, float *x, const float *y, int n, int walk)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < walk; j++)
            x[i] += a[i * n + j] * y[j];
}

__global__ void by_columns(const float *a, float *x, const float *y, int n, int walk)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < walk; j++)
            x[i] += a[j * n + i] * y[j];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 256, 4096, 4096), walk = suite_pick(size, 256, 1280, 4096);
    std::vector<float> a = pb_matrix((size_t)n * n, 1), x1 = pb_matrix(n, 2), x2 = pb_matrix(n, 3), y1 = pb_matrix(n, 4),
                       y2 = pb_matrix(n, 5), got1(n), got2(n);
    float *da = suite_to_device(a.data(), a.size()), *dx1 = suite_to_device(x1.data(), n),
          *dx2 = suite_to_device(x2.data(), n), *dy1 = suite_to_device(y1.data(), n), *dy2 = suite_to_device(y2.data(), n);
    by_rows<<<pb_grid1(n), PB_1D>>>(da, dx1, dy1, n, walk);
    by_columns<<<pb_grid1(n), PB_1D>>>(da, dx2, dy2, n, walk);
    SUITE_LAUNCHED();
    suite_to_host(got1.data(), dx1, n);
    suite_to_host(got2.data(), dx2, n);
    std::vector<double> s2(x2.begin(), x2.end());
    for (int i = 0; i < n; i++) {
        double s1 = x1[i];
        for (int j = 0; j < walk; j++)
            s1 += (double)a[(size_t)i * n + j] * y1[j];
        for (int j = 0; j < n && i < walk; j++)
            s2[j] += (double)a[(size_t)i * n + j] * y2[i];
        x1[i] = (float)s1;
    }
    for (int i = 0; i < n; i++)
        x2[i] = (float)s2[i];
    size_t bad = suite_diff("x1", got1.data(), x1.data(), n, PB_REL, 0) + suite_diff("x2", got2.data(), x2.data(), n, PB_REL, 0);
    return suite_done("mvt", argc, argv, bad);
}
