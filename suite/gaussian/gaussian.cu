/*
 * Gaussian elimination without pivoting, then back substitution on the host.
 *
 * Origin: Rodinia 3.1, gaussian. Per column: Fan1 computes the multipliers (512 threads per block), Fan2 updates the rest of
 * the matrix and the right-hand side (4 x 4 threads per block). Original 208 x 208 (matrix208) and larger; "paper" is 256.
 */
#include "../common/suite.h"

#include <vector>

__global__ void multipliers(float *m, const float *a, int n, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1 - t)
        m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

__global__ void update(const float *m, float *a, float *b, int n, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n - 1 - t || y >= n - t)
        return;
    a[n * (x + 1 + t) + (y + t)] -= m[n * (x + 1 + t) + t] * a[n * t + (y + t)];
    if (y == 0)
        b[x + 1 + t] -= m[n * (x + 1 + t) + t] * b[t];
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 32, 160, 256);
    std::vector<float> a((size_t)n * n), b(n), m((size_t)n * n, 0.0f), x(n);
    suite_rng r(47);
    for (float &v : a)
        v = r.range(-1, 1);
    std::vector<double> truth(n);
    for (int i = 0; i < n; i++) {
        a[(size_t)i * n + i] += 0.5f * (float)n; /* diagonally dominant: no pivoting needed */
        truth[i] = r.range(-1, 1);
    }
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += a[(size_t)i * n + j] * truth[j];
        b[i] = (float)s;
    }
    float *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), n), *dm = suite_to_device(m.data(), m.size());
    for (int t = 0; t < n - 1; t++) {
        multipliers<<<(n + 511) / 512, 512>>>(dm, da, n, t);
        update<<<dim3((n + 3) / 4, (n + 3) / 4), dim3(4, 4)>>>(dm, da, db, n, t);
    }
    SUITE_LAUNCHED();
    suite_to_host(a.data(), da, a.size());
    suite_to_host(b.data(), db, n);
    for (int i = n - 1; i >= 0; i--) {
        double s = b[i];
        for (int j = i + 1; j < n; j++)
            s -= (double)a[(size_t)i * n + j] * x[j];
        x[i] = (float)(s / a[(size_t)i * n + i]);
    }
    size_t bad = 0;
    for (int i = 0; i < n; i++)
        bad += !(fabs(x[i] - truth[i]) < 1e-3);
    return suite_done("gaussian", argc, argv, bad);
}
