/*
 * 2-D convolution with a 3 x 3 kernel of constants.
 *
 * Origin: PolyBench/GPU 1.0, 2DCONV. One thread per element, 32 x 8 threads per block, all taps read from global memory.
 * Original size 4096 x 4096; "paper" is the first 3400 rows, for the instruction cap, "small" the first 480.
 */
#include "../common/suite_polybench.h"

static __host__ __device__ inline float taps(const float *a, int n, int i, int j)
{
    const float c11 = +0.2f, c21 = +0.5f, c31 = -0.8f;
    const float c12 = -0.3f, c22 = +0.6f, c32 = -0.9f;
    const float c13 = +0.4f, c23 = +0.7f, c33 = +0.10f;
    return c11 * a[(i - 1) * n + (j - 1)] + c12 * a[i * n + (j - 1)] + c13 * a[(i + 1) * n + (j - 1)] +
           c21 * a[(i - 1) * n + j] + c22 * a[i * n + j] + c23 * a[(i + 1) * n + j] + c31 * a[(i - 1) * n + (j + 1)] +
           c32 * a[i * n + (j + 1)] + c33 * a[(i + 1) * n + (j + 1)];
}

__global__ void convolve(const float *a, float *b, int rows, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < rows - 1 && j < n - 1)
        b[i * n + j] = taps(a, n, i, j);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 128, 4096, 4096), rows = suite_pick(size, 128, 480, 3400);
    std::vector<float> a = pb_matrix((size_t)rows * n, 1), b((size_t)rows * n, 0.0f), got(b.size());
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size());
    convolve<<<pb_grid2(n, rows), pb_block2()>>>(da, db, rows, n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), db, got.size());
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[(size_t)i * n + j] = taps(a.data(), n, i, j);
    return suite_done("2dconv", argc, argv, suite_diff("b", got.data(), b.data(), b.size(), 1e-5, 1e-5));
}
