/*
 * y = alpha A x + beta B x.
 *
 * Origin: PolyBench/GPU 1.0, GESUMMV. One thread per row, 256 threads per block: a warp walks 32 rows of two matrices at
 * once, with both sums in global memory. Original size 4096, which is "paper"; in "small" each thread walks the first
 * 1280 elements of its rows.
 */
#include "../common/suite_polybench.h"

__global__ void gesummv(const float *a, const float *b, const float *x, float *y, float *tmp, float alpha, float beta, int n,
                        int walk)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tmp[i] = 0;
        y[i] = 0;
        for (int j = 0; j < walk; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 256, 4096, 4096), walk = suite_pick(size, 256, 1280, 4096);
    float alpha = 1.25f, beta = 0.5f;
    std::vector<float> a = pb_matrix((size_t)n * n, 1), b = pb_matrix((size_t)n * n, 2), x = pb_matrix(n, 3), y(n), got(n);
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size()),
          *dx = suite_to_device(x.data(), n), *dy = suite_device<float>(n), *dtmp = suite_device<float>(n);
    gesummv<<<pb_grid1(n), PB_1D>>>(da, db, dx, dy, dtmp, alpha, beta, n, walk);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dy, n);
    for (int i = 0; i < n; i++) {
        double sa = 0, sb = 0;
        for (int j = 0; j < walk; j++) {
            sa += (double)a[(size_t)i * n + j] * x[j];
            sb += (double)b[(size_t)i * n + j] * x[j];
        }
        y[i] = (float)(alpha * sa + beta * sb);
    }
    return suite_done("gesummv", argc, argv, suite_diff("y", got.data(), y.data(), n, PB_REL, 0));
}
