/*
 * C = alpha A B^T + beta C with register tiles.
 *
 * Origin: Parboil, sgemm (the sgemmNT kernel of Volkov and Demmel). 16 x 8 threads per block; a thread keeps 16 results of
 * one column of C in registers; a 16 x 8 tile of B is loaded into shared memory per step of 8, A is read from global
 * memory. Matrices are column-major. Original 1024 x 1056 x 992 (its smallest 128 x 96 x 160); "paper" is
 * 1024 x 1056 x 352, "small" the first 384 columns of C of the same matrices and a depth of 128.
 */
#include "../common/suite.h"

#include <vector>

enum { TN = 16, RATIO = 8, TM = TN * RATIO };

__global__ void sgemm_nt(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int k, float alpha, float beta)
{
    __shared__ float bs[RATIO][TN];
    float acc[TN];
#pragma unroll
    for (int i = 0; i < TN; i++)
        acc[i] = 0;
    int mid = threadIdx.y * blockDim.x + threadIdx.x, m = blockIdx.x * TM + mid, n = blockIdx.y * TN + threadIdx.x;
    for (int i = 0; i < k; i += RATIO) {
        bs[threadIdx.y][threadIdx.x] = b[n + (i + threadIdx.y) * ldb];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < RATIO; j++) {
            float x = a[m + (i + j) * lda];
#pragma unroll
            for (int kk = 0; kk < TN; kk++)
                acc[kk] += x * bs[j][kk];
        }
        __syncthreads();
    }
    int t = ldc * blockIdx.y * TN + m;
#pragma unroll
    for (int i = 0; i < TN; i++)
        c[t + i * ldc] = c[t + i * ldc] * beta + alpha * acc[i];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int m = suite_pick(size, 128, 1024, 1024), ldb = suite_pick(size, 96, 1056, 1056);
    int n = suite_pick(size, 32, 384, 1056), k = suite_pick(size, 64, 128, 352);
    const float alpha = 1, beta = 0.5f;
    std::vector<float> a((size_t)m * k), b((size_t)ldb * k), c((size_t)m * n), got(c.size());
    suite_rng r(163);
    for (float &x : a)
        x = r.unit();
    for (float &x : b)
        x = r.unit();
    for (float &x : c)
        x = r.unit();
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size()),
          *dc = suite_to_device(c.data(), c.size());
    sgemm_nt<<<dim3(m / TM, n / TN), dim3(TN, RATIO)>>>(da, m, db, ldb, dc, m, k, alpha, beta);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, got.size());
    for (int j = 0; j < n; j++) {
        std::vector<double> column(m, 0.0);
        for (int l = 0; l < k; l++)
            for (int i = 0; i < m; i++)
                column[i] += (double)a[i + (size_t)l * m] * b[j + (size_t)l * ldb];
        for (int i = 0; i < m; i++)
            c[i + (size_t)j * m] = (float)(beta * c[i + (size_t)j * m] + alpha * column[i]);
    }
    return suite_done("sgemm", argc, argv, suite_diff("c", got.data(), c.data(), c.size(), 1e-4, 1e-4));
}
