/*
 * 3-D convolution with eleven of the 27 taps of a 3 x 3 x 3 kernel.
 *
 * Origin: PolyBench/GPU 1.0, 3DCONV. One launch per slab i, one thread per (j, k), 32 x 8 threads per block.
 * Original size 256 x 256 x 256; "paper" is the first 136 slabs, for the instruction cap, "small" the first 24.
 */
#include "../common/suite_polybench.h"

static __host__ __device__ inline float taps(const float *a, int n, int i, int j, int k)
{
    const float c11 = +2, c21 = +5, c31 = -8, c12 = -3, c22 = +6, c32 = -9, c13 = +4, c23 = +7, c33 = +10;
    int nn = n * n;
    return c11 * a[(i - 1) * nn + (j - 1) * n + (k - 1)] + c13 * a[(i + 1) * nn + (j - 1) * n + (k - 1)] +
           c21 * a[(i - 1) * nn + (j - 1) * n + (k - 1)] + c23 * a[(i + 1) * nn + (j - 1) * n + (k - 1)] +
           c31 * a[(i - 1) * nn + (j - 1) * n + (k - 1)] + c33 * a[(i + 1) * nn + (j - 1) * n + (k - 1)] +
           c12 * a[i * nn + (j - 1) * n + k] + c22 * a[i * nn + j * n + k] + c32 * a[i * nn + (j + 1) * n + k] +
           c11 * a[(i - 1) * nn + (j - 1) * n + (k + 1)] + c13 * a[(i + 1) * nn + (j - 1) * n + (k + 1)] +
           c21 * a[(i - 1) * nn + j * n + (k + 1)] + c23 * a[(i + 1) * nn + j * n + (k + 1)] +
           c31 * a[(i - 1) * nn + (j + 1) * n + (k + 1)] + c33 * a[(i + 1) * nn + (j + 1) * n + (k + 1)];
}

__global__ void convolve(const float *a, float *b, int n, int i)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j > 0 && k > 0 && j < n - 1 && k < n - 1)
        b[i * n * n + j * n + k] = taps(a, n, i, j, k);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 24, 256, 256), slabs = suite_pick(size, 24, 24, 136);
    size_t total = (size_t)slabs * n * n;
    std::vector<float> a = pb_matrix(total, 1), b(total, 0.0f), got(total);
    float *da = suite_to_device(a.data(), total), *db = suite_to_device(b.data(), total);
    for (int i = 1; i < slabs - 1; i++)
        convolve<<<pb_grid2(n, n), pb_block2()>>>(da, db, n, i);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), db, total);
    for (int i = 1; i < slabs - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                b[((size_t)i * n + j) * n + k] = taps(a.data(), n, i, j, k);
    return suite_done("3dconv", argc, argv, suite_diff("b", got.data(), b.data(), total, 1e-5, 1e-4));
}
