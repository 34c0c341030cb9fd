/*
 * 1-D Jacobi relaxation.
 *
 * Origin: PolyBench/GPU 1.0, JACOBI1D. 256 threads per block, two kernels per step: three-point average into B, copy back
 * to A. Original 4096 elements (16 blocks) and 10,000 steps; "paper" performs the first 4000 steps, "small" 400.
 */
#include "../common/suite_polybench.h"

__global__ void average(int n, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

__global__ void copy_back(int n, float *a, const float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        a[i] = b[i];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    const int n = 4096, steps = suite_pick(size, 4, 400, 4000);
    std::vector<float> a = pb_matrix(n, 149), b(n), got(n);
    float *da = suite_to_device(a.data(), n), *db = suite_device<float>(n);
    for (int t = 0; t < steps; t++) {
        average<<<pb_grid1(n), PB_1D>>>(n, da, db);
        copy_back<<<pb_grid1(n), PB_1D>>>(n, da, db);
    }
    SUITE_LAUNCHED();
    suite_to_host(got.data(), da, n);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
    return suite_done("jacobi1d", argc, argv, suite_diff("a", got.data(), a.data(), n, 1e-4, 1e-6));
}
