/*
 * C = alpha A A^T + beta C.
 *
 * Origin: PolyBench/GPU 1.0, SYRK. One thread per element of C, 32 x 8 threads per block; x runs along a row of C, so a
 * warp reads one row of A together with 32 different ones. Original size 1024; "paper" computes the first 256 rows of C
 * over 512 steps of the sum, for the instruction cap, "small" 64 rows over 168. Rows have 1024 elements in both.
 */
#include "../common/suite_polybench.h"

__global__ void syrk(const float *a, float *c, float alpha, float beta, int rows, int n, int walk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < walk; k++)
            c[i * n + j] += alpha * a[i * n + k] * a[j * n + k];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 1024, 1024), rows = suite_pick(size, 64, 64, 256), walk = suite_pick(size, 64, 168, 512);
    float alpha = 1.5f, beta = 0.75f;
    std::vector<float> a = pb_matrix((size_t)n * n, 1), c = pb_matrix((size_t)rows * n, 2), got(c.size());
    float *da = suite_to_device(a.data(), a.size()), *dc = suite_to_device(c.data(), c.size());
    syrk<<<pb_grid2(n, rows), pb_block2()>>>(da, dc, alpha, beta, rows, n, walk);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, got.size());
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < walk; k++)
                s += (double)a[(size_t)i * n + k] * a[(size_t)j * n + k];
            c[(size_t)i * n + j] = (float)(beta * c[(size_t)i * n + j] + alpha * s);
        }
    return suite_done("syrk", argc, argv, suite_diff("c", got.data(), c.data(), c.size(), PB_REL, 0));
}
