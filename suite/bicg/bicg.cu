/*
 * s = A^T r and q = A p: the two products of a BiCG step.
 *
 * Origin: PolyBench/GPU 1.0, BICG. First kernel: one thread per column (coalesced); second: one thread per row. 256
 * threads per block; sums are kept in global memory. Original size 4096 x 4096, which is "paper"; in
 * "small" each thread walks the first 1280 elements of its column or row.
 */
#include "../common/suite_polybench.h"

__global__ void columns(const float *a, const float *r, float *s, int n, int walk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        s[j] = 0;
        for (int i = 0; i < walk; i++)
            s[j] += a[i * n + j] * r[i];
    }
}

__global__ void rows(const float *a, const float *p, float *q, int n, int walk)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i] = 0;
        for (int j = 0; j < walk; j++)
            q[i] += a[i * n + j] * p[j];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 256, 4096, 4096), walk = suite_pick(size, 256, 1280, 4096);
    std::vector<float> a = pb_matrix((size_t)n * n, 1), r = pb_matrix(n, 2), p = pb_matrix(n, 3), got_s(n), got_q(n), s(n),
                       q(n);
    float *da = suite_to_device(a.data(), a.size()), *dr = suite_to_device(r.data(), n), *dp = suite_to_device(p.data(), n),
          *ds = suite_device<float>(n), *dq = suite_device<float>(n);
    columns<<<pb_grid1(n), PB_1D>>>(da, dr, ds, n, walk);
    rows<<<pb_grid1(n), PB_1D>>>(da, dp, dq, n, walk);
    SUITE_LAUNCHED();
    suite_to_host(got_s.data(), ds, n);
    suite_to_host(got_q.data(), dq, n);
    std::vector<double> sum(n, 0.0);
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int j = 0; j < walk; j++)
            t += (double)a[(size_t)i * n + j] * p[j];
        for (int j = 0; j < n && i < walk; j++)
            sum[j] += (double)a[(size_t)i * n + j] * r[i];
        q[i] = (float)t;
    }
    for (int j = 0; j < n; j++)
        s[j] = (float)sum[j];
    size_t bad = suite_diff("s", got_s.data(), s.data(), n, PB_REL, 0) + suite_diff("q", got_q.data(), q.data(), n, PB_REL, 0);
    return suite_done("bicg", argc, argv, bad);
}
