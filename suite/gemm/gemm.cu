/*
 * C = alpha A B + beta C.
 *
 * Origin: PolyBench/GPU 1.0, GEMM. One thread per element of C, 32 x 8 threads per block, x along a row of C; the sum is
 * accumulated in global memory as in the original.
 * Original size 512; "paper" walks 340 steps of k, to stay under a billion thread instructions, "small" computes the first
 * 128 rows and walks 136 steps. Rows have 512 elements in both.
 */
#include "../common/suite_polybench.h"

__global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta, int rows, int n, int walk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < walk; k++)
            c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 512, 512), rows = suite_pick(size, 64, 128, 512), walk = suite_pick(size, 64, 136, 340);
    float alpha = 1.5f, beta = 0.75f;
    std::vector<float> a = pb_matrix((size_t)rows * n, 1), b = pb_matrix((size_t)n * n, 2), c = pb_matrix((size_t)rows * n, 3);
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size()),
          *dc = suite_to_device(c.data(), c.size());
    gemm<<<pb_grid2(n, rows), pb_block2()>>>(da, db, dc, alpha, beta, rows, n, walk);
    SUITE_LAUNCHED();
    std::vector<float> got(c.size());
    suite_to_host(got.data(), dc, got.size());
    for (int i = 0; i < rows; i++) {
        std::vector<double> row(n, 0.0);
        for (int k = 0; k < walk; k++)
            for (int j = 0; j < n; j++)
                row[j] += (double)a[(size_t)i * n + k] * b[(size_t)k * n + j];
        for (int j = 0; j < n; j++)
            c[(size_t)i * n + j] = (float)(beta * c[(size_t)i * n + j] + alpha * row[j]);
    }
    return suite_done("gemm", argc, argv, suite_diff("c", got.data(), c.data(), c.size(), PB_REL, 0));
}
