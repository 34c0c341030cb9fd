/*
 * Sparse matrix-vector product in jagged diagonal storage.
 *
 * Origin: Parboil, spmv (version cuda). Rows are sorted by length and padded to the longest row of their warp; element k
 * of all rows lies together, so a warp reads the matrix coalesced and gathers the vector. Where diagonals start and how
 * long the rows of each warp are stands in constant memory. The loop is pipelined by hand: column k is loaded before
 * value and vector element k - 1, which are used one turn later. 192 threads per block when there are more rows than
 * fit into the machine at once, else one warp per block.
 * Input: a symmetric pattern of bicubic finite elements. Original: Dubcova3, 146,689 rows (383 x 383 unknowns) and 3.64
 * million elements, multiplied 50 times. "small" and "paper" have a matrix of these measures (how Dubcova3 numbers its
 * unknowns is not documented; here row by row) and multiply 2 and 16 times; "tiny" has 1024 rows, about as
 * many as the original's smallest input (1138).
 */
#include "../common/suite_sparse.h"

enum { WARP = 32, MOST = 5000 }; /* the original's constant arrays */
__constant__ int diagonal_at[MOST], warp_length[MOST];

__global__ void spmv_jds(float *y, const float *val, const int *col, const int *perm, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    int len = warp_length[i / WARP], j = diagonal_at[0] + i;
    float a = val[j], b = x[col[j]];
    if (len > 1) {
        j = diagonal_at[1] + i;
        int c = col[j];
        for (int k = 2; k < len; k++) {
            float next_a = val[j];
            j = diagonal_at[k] + i;
            int next_c = col[j];
            float next_b = x[c];
            sum += a * b;
            c = next_c;
            a = next_a;
            b = next_b;
        }
        float last_a = val[j], last_b = x[c];
        sum += a * b;
        a = last_a;
        b = last_b;
    }
    sum += a * b;
    y[perm[i]] = sum;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_csr m = suite_finite_elements(suite_pick(size, 11, 128, 128), 3, 109);
    suite_rng r(113);
    std::vector<float> x(m.n), got(m.n);
    for (float &v : x)
        v = r.unit();
    std::vector<int> perm(m.n), length((m.n + WARP - 1) / WARP), diag_at;
    for (int i = 0; i < m.n; i++)
        perm[i] = i;
    auto len = [&](int i) { return m.row[i + 1] - m.row[i]; };
    std::stable_sort(perm.begin(), perm.end(), [&](int a, int b) { return len(a) > len(b); });
    for (size_t w = 0; w < length.size(); w++)
        length[w] = len(perm[w * WARP]);
    std::vector<float> val;
    std::vector<int> col;
    for (int k = 0; k < length[0]; k++) {
        diag_at.push_back((int)val.size());
        for (size_t w = 0; w < length.size() && length[w] > k; w++)
            for (int i = (int)w * WARP; i < (int)w * WARP + WARP && i < m.n; i++) {
                bool in = k < len(perm[i]);
                val.push_back(in ? m.val[m.row[perm[i]] + k] : 0.0f);
                col.push_back(in ? m.col[m.row[perm[i]] + k] : 0);
            }
    }
    if (length.size() > MOST || diag_at.size() > MOST) {
        fprintf(stderr, "%d rows do not fit into constant memory\n", m.n);
        return 1;
    }
    SUITE_CUDA(cudaMemcpyToSymbol(diagonal_at, diag_at.data(), diag_at.size() * sizeof(int)));
    SUITE_CUDA(cudaMemcpyToSymbol(warp_length, length.data(), length.size() * sizeof(int)));
    float *dy = suite_device<float>(m.n), *dv = suite_to_device(val.data(), val.size()), *dx = suite_to_device(x.data(), m.n);
    int *dc = suite_to_device(col.data(), col.size()), *dp = suite_to_device(perm.data(), m.n);
    int threads = suite_pick<int>(size, WARP, 192, 192);
    for (int i = suite_pick(size, 1, 2, 16); i > 0; i--)
        spmv_jds<<<(m.n + threads - 1) / threads, threads>>>(dy, dv, dc, dp, dx, m.n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dy, m.n);
    std::vector<float> y = suite_sparse_times(m, x);
    return suite_done("spmv", argc, argv, suite_diff("y", got.data(), y.data(), m.n, 1e-4, 1e-5));
}
