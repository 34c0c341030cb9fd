/*
 * Sparse matrix-vector product in CSR.
 *
 * Origin: SHOC, Spmv: the scalar kernel (one thread per row: a warp walks 32 rows at once) and the vector kernel (one warp
 * per row, reduction in shared memory). 128 threads per block. Input: power-law rows.
 * Original 1 Ki to 12 Ki rows at 1% density; "paper" is 12,288 rows of about 123.
 */
#include "../common/suite_sparse.h"

enum { THREADS = 128 };

__global__ void csr_scalar(const float *val, const int *col, const int *row, const float *x, int n, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0;
        int end = row[i + 1];
        for (int k = row[i]; k < end; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}

__global__ void csr_vector(const float *val, const int *col, const int *row, const float *x, int n, float *y)
{
    __shared__ volatile float part[THREADS];
    int t = threadIdx.x, lane = t & 31, i = blockIdx.x * (THREADS / 32) + t / 32;
    if (i < n) {
        int end = row[i + 1];
        float s = 0;
        for (int k = row[i] + lane; k < end; k += 32)
            s += val[k] * x[col[k]];
        part[t] = s;
        __syncwarp();
        for (int step = 16; step > 0; step >>= 1) {
            if (lane < step)
                part[t] += part[t + step];
            __syncwarp();
        }
        if (lane == 0)
            y[i] = part[t];
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_csr m = suite_power_law(suite_pick(size, 512, 8192, 12288), suite_pick(size, 16, 64, 123), 127);
    suite_rng r(131);
    std::vector<float> x(m.n), got(m.n);
    for (float &v : x)
        v = r.unit();
    float *dy = suite_device<float>(m.n), *dv = suite_to_device(m.val.data(), m.nnz), *dx = suite_to_device(x.data(), m.n);
    int *dc = suite_to_device(m.col.data(), m.nnz), *dr = suite_to_device(m.row.data(), m.row.size());
    std::vector<float> y = suite_sparse_times(m, x);
    size_t bad = 0;
    for (int vector = 0; vector < 2; vector++) {
        SUITE_CUDA(cudaMemset(dy, 0xff, m.n * sizeof(float)));
        if (vector)
            csr_vector<<<(m.n + THREADS / 32 - 1) / (THREADS / 32), THREADS>>>(dv, dc, dr, dx, m.n, dy);
        else
            csr_scalar<<<(m.n + THREADS - 1) / THREADS, THREADS>>>(dv, dc, dr, dx, m.n, dy);
        SUITE_LAUNCHED();
        suite_to_host(got.data(), dy, m.n);
        bad += suite_diff(vector ? "vector" : "scalar", got.data(), y.data(), m.n, 1e-4, 1e-5);
    }
    return suite_done("spmv_shoc", argc, argv, bad);
}
