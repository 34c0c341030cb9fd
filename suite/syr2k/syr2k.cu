/*
 * C = alpha A B^T + alpha B A^T + beta C.
 *
 * Origin: PolyBench/GPU 1.0, SYR2K. One thread per element of C, 32 x 8 threads per block; a warp reads one row of A and B
 * and 32 different ones of each. Original size 2048; "paper" computes the first 64 rows of C
 * over 432 steps of the sum, for the instruction cap, "small" 16 rows over 160. Rows have 2048 elements in both.
 */
#include "../common/suite_polybench.h"

__global__ void syr2k(const float *a, const float *b, float *c, float alpha, float beta, int rows, int n, int walk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < walk; k++)
            c[i * n + j] += alpha * a[i * n + k] * b[j * n + k] + alpha * b[i * n + k] * a[j * n + k];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 2048, 2048), rows = suite_pick(size, 64, 16, 64), walk = suite_pick(size, 64, 160, 432);
    float alpha = 1.5f, beta = 0.75f;
    std::vector<float> a = pb_matrix((size_t)n * n, 1), b = pb_matrix((size_t)n * n, 2), c = pb_matrix((size_t)rows * n, 3),
                       got(c.size());
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size()),
          *dc = suite_to_device(c.data(), c.size());
    syr2k<<<pb_grid2(n, rows), pb_block2()>>>(da, db, dc, alpha, beta, rows, n, walk);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, got.size());
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < walk; k++)
                s += (double)a[(size_t)i * n + k] * b[(size_t)j * n + k] + (double)b[(size_t)i * n + k] * a[(size_t)j * n + k];
            c[(size_t)i * n + j] = (float)(beta * c[(size_t)i * n + j] + alpha * s);
        }
    return suite_done("syr2k", argc, argv, suite_diff("c", got.data(), c.data(), c.size(), PB_REL, 0));
}
