/*
 * Gram-Schmidt orthogonalization, A = Q R.
 *
 * Origin: PolyBench/GPU 1.0, GRAMSCHM. Three launches per column k: one thread computes the norm, one thread per row
 * scales the column, one thread per later column projects it (walking down the rows twice).
 * Original size 2048 x 2048; "paper" takes the first 32 columns of 512 rows, for the instruction cap, "small" 8 columns of
 * 176 rows. Rows have 2048 elements in both.
 */
#include "../common/suite_polybench.h"

__global__ void norm(const float *a, float *r, int k, int m, int n)
{
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < m; i++)
            sum += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrtf(sum);
    }
}

__global__ void scale(const float *a, const float *r, float *q, int k, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        q[i * n + k] = a[i * n + k] / r[k * n + k];
}

__global__ void project(float *a, float *r, const float *q, int k, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < n) {
        r[k * n + j] = 0;
        for (int i = 0; i < m; i++)
            r[k * n + j] += q[i * n + k] * a[i * n + j];
        for (int i = 0; i < m; i++)
            a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 24, 2048, 2048), m = suite_pick(size, 24, 176, 512), columns = suite_pick(size, 24, 8, 32);
    size_t mn = (size_t)m * n, cn = (size_t)columns * n;
    /* A dominant diagonal keeps the columns well apart, so that rounding does not grow. */
    std::vector<float> a = pb_matrix(mn, 1), rest(mn), q(mn, 0.0f), r(cn, 0.0f);
    for (int i = 0; i < m; i++)
        a[(size_t)i * n + i] += (float)m;
    float *da = suite_to_device(a.data(), mn), *dq = suite_to_device(q.data(), mn), *dr = suite_to_device(r.data(), cn);
    for (int k = 0; k < columns; k++) {
        norm<<<1, PB_1D>>>(da, dr, k, m, n);
        scale<<<pb_grid1(m), PB_1D>>>(da, dr, dq, k, m, n);
        project<<<pb_grid1(n), PB_1D>>>(da, dr, dq, k, m, n);
    }
    SUITE_LAUNCHED();
    suite_to_host(q.data(), dq, mn);
    suite_to_host(r.data(), dr, cn);
    suite_to_host(rest.data(), da, mn);
    /* Q R, and what is left of the later columns, must give A back; Q's columns must be orthonormal, R upper triangular. */
    size_t bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = j < columns ? 0 : rest[(size_t)i * n + j];
            for (int k = 0; k < columns && k <= j; k++)
                s += (double)q[(size_t)i * n + k] * r[(size_t)k * n + j];
            bad += !(fabs(s - a[(size_t)i * n + j]) <= 1e-3 * m / 100.0 + 1e-3);
        }
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < columns; j++) {
            double o = 0;
            for (int k = 0; k < m; k++)
                o += (double)q[(size_t)k * n + i] * q[(size_t)k * n + j];
            bad += !(fabs(o - (i == j)) <= 1e-3);
            bad += i > j && r[(size_t)i * n + j] != 0;
        }
    return suite_done("gramschm", argc, argv, bad);
}
