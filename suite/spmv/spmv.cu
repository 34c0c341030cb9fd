/*
 * Sparse matrix-vector product in jagged diagonal storage.
 *
 * Origin: Parboil, spmv. Rows are sorted by length and padded to the longest row of their warp; element k of all rows lies
 * together, so a warp reads the matrix coalesced and gathers the vector. 192 threads per block.
 * Input: uniform random rows. Original: a finite-element matrix of 146,689 rows, multiplied 50 times; "paper" has as many
 * rows of about 24 elements and multiplies 16 times.
 */
#include "../common/suite_sparse.h"

__global__ void spmv_jds(float *y, const float *val, const int *col, const int *perm, const float *x, const int *diag_at,
                         const int *warp_len, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 0;
    int len = warp_len[i / 32];
    for (int k = 0; k < len; k++) {
        int j = diag_at[k] + i;
        s += val[j] * x[col[j]];
    }
    y[perm[i]] = s;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_csr m = suite_sparse(suite_pick(size, 1024, 65536, 146689), 24, SUITE_UNIFORM, 109);
    suite_rng r(113);
    std::vector<float> x(m.n), got(m.n);
    for (float &v : x)
        v = r.unit();
    std::vector<int> perm(m.n), warp_len((m.n + 31) / 32), diag_at;
    for (int i = 0; i < m.n; i++)
        perm[i] = i;
    auto len = [&](int i) { return m.row[i + 1] - m.row[i]; };
    std::stable_sort(perm.begin(), perm.end(), [&](int a, int b) { return len(a) > len(b); });
    for (size_t w = 0; w < warp_len.size(); w++)
        warp_len[w] = len(perm[w * 32]);
    std::vector<float> val;
    std::vector<int> col;
    for (int k = 0; k < warp_len[0]; k++) {
        diag_at.push_back((int)val.size());
        for (size_t w = 0; w < warp_len.size() && warp_len[w] > k; w++)
            for (int i = (int)w * 32; i < (int)w * 32 + 32 && i < m.n; i++) {
                bool in = k < len(perm[i]);
                val.push_back(in ? m.val[m.row[perm[i]] + k] : 0.0f);
                col.push_back(in ? m.col[m.row[perm[i]] + k] : 0);
            }
    }
    float *dy = suite_device<float>(m.n), *dv = suite_to_device(val.data(), val.size()), *dx = suite_to_device(x.data(), m.n);
    int *dc = suite_to_device(col.data(), col.size()), *dp = suite_to_device(perm.data(), m.n),
        *da = suite_to_device(diag_at.data(), diag_at.size()), *dl = suite_to_device(warp_len.data(), warp_len.size());
    for (int i = suite_pick(size, 1, 3, 16); i > 0; i--)
        spmv_jds<<<(m.n + 191) / 192, 192>>>(dy, dv, dc, dp, dx, da, dl, m.n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dy, m.n);
    std::vector<float> y = suite_sparse_times(m, x);
    return suite_done("spmv", argc, argv, suite_diff("y", got.data(), y.data(), m.n, 1e-4, 1e-5));
}
