/*
 * Sparse matrix-vector product in CSR and ELLPACK-R.
 *
 * Origin: SHOC, Spmv. Three kernels, 128 threads per block, the vector through a linear texture: CSR scalar (one thread per
 * row: a warp walks 32 rows at once), CSR vector (one warp per row, reduction in shared memory), both also with rows
 * padded to 16 elements, and ELLPACK-R (one thread per row, column-major). Input: uniform random, 1% of the elements.
 * Simplified: single precision only. Original 1 Ki to 16 Ki rows, 100 products each; "small" is 8192 rows, each product
 * once, "paper" 12288 rows, five times.
 */
#include "../common/suite_sparse.h"
#include "../common/suite_texture.h"

enum { THREADS = 128, PAD = 16 };

__global__ void csr_scalar(const float *__restrict__ val, const int *__restrict__ col, const int *__restrict__ row,
                           cudaTextureObject_t x, int n, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0;
        int start = row[i], end = row[i + 1];
        for (int k = start; k < end; k++)
            s += val[k] * tex1Dfetch<float>(x, col[k]);
        y[i] = s;
    }
}

__global__ void csr_vector(const float *__restrict__ val, const int *__restrict__ col, const int *__restrict__ row,
                           cudaTextureObject_t x, int n, float *__restrict__ y)
{
    __shared__ volatile float part[THREADS];
    int t = threadIdx.x, lane = t & 31, i = blockIdx.x * (THREADS / 32) + t / 32;
    if (i < n) {
        int start = row[i], end = row[i + 1];
        float s = 0;
        for (int k = start + lane; k < end; k += 32)
            s += val[k] * tex1Dfetch<float>(x, col[k]);
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

__global__ void ellpack_r(const float *__restrict__ val, const int *__restrict__ col, const int *__restrict__ length,
                          cudaTextureObject_t x, int n, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0;
        int len = length[i];
        for (int k = 0; k < len; k++)
            s += val[k * n + i] * tex1Dfetch<float>(x, col[k * n + i]);
        y[i] = s;
    }
}

/* The same matrix with rows filled up by zeros. */
static suite_csr padded(const suite_csr &m)
{
    suite_csr p;
    p.n = m.n;
    p.row.push_back(0);
    for (int i = 0; i < m.n; i++) {
        for (int k = m.row[i]; k < m.row[i + 1]; k++) {
            p.col.push_back(m.col[k]);
            p.val.push_back(m.val[k]);
        }
        while (p.col.size() % PAD) {
            p.col.push_back(0);
            p.val.push_back(0);
        }
        p.row.push_back((int)p.col.size());
    }
    p.nnz = (int)p.col.size();
    return p;
}

struct product {
    cudaTextureObject_t x;
    float *y;
    std::vector<float> expect;
    int times, rows, by_thread, by_warp;

    size_t wrong(const char *what)
    {
        SUITE_LAUNCHED();
        std::vector<float> got(expect.size());
        suite_to_host(got.data(), y, got.size());
        SUITE_CUDA(cudaMemset(y, 0xff, got.size() * sizeof(float)));
        return suite_diff(what, got.data(), expect.data(), got.size(), 1e-4, 1e-5);
    }
    size_t csr(const suite_csr &m)
    {
        float *val = suite_to_device(m.val.data(), m.nnz);
        int *col = suite_to_device(m.col.data(), m.nnz), *row = suite_to_device(m.row.data(), m.row.size());
        for (int i = 0; i < times; i++)
            csr_scalar<<<by_thread, THREADS>>>(val, col, row, x, rows, y);
        size_t bad = wrong("scalar");
        for (int i = 0; i < times; i++)
            csr_vector<<<by_warp, THREADS>>>(val, col, row, x, rows, y);
        return bad + wrong("vector");
    }
    size_t ellpack(const suite_csr &m)
    {
        std::vector<int> length(m.n);
        int longest = 0;
        for (int i = 0; i < m.n; i++) {
            length[i] = m.row[i + 1] - m.row[i];
            longest = std::max(longest, length[i]);
        }
        std::vector<float> v((size_t)longest * m.n, 0.0f);
        std::vector<int> c(v.size(), 0);
        for (int i = 0; i < m.n; i++)
            for (int k = 0; k < length[i]; k++) {
                v[(size_t)k * m.n + i] = m.val[m.row[i] + k];
                c[(size_t)k * m.n + i] = m.col[m.row[i] + k];
            }
        float *val = suite_to_device(v.data(), v.size());
        int *col = suite_to_device(c.data(), c.size()), *len = suite_to_device(length.data(), length.size());
        for (int i = 0; i < times; i++)
            ellpack_r<<<by_thread, THREADS>>>(val, col, len, x, rows, y);
        return wrong("ellpack");
    }
};

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 512, 8192, 12288);
    suite_csr m = suite_uniform_sparse(n, n / 100, 127);
    suite_rng r(131);
    std::vector<float> x(n);
    for (float &v : x)
        v = r.unit();
    product p = {suite_linear_texture(suite_to_device(x.data(), n), n),
                 suite_device<float>(n),
                 suite_sparse_times(m, x),
                 suite_pick(size, 1, 1, 5),
                 n,
                 (n + THREADS - 1) / THREADS,
                 (n + THREADS / 32 - 1) / (THREADS / 32)};
    SUITE_CUDA(cudaMemset(p.y, 0xff, n * sizeof(float)));
    size_t bad = p.csr(m);
    bad += p.csr(padded(m));
    bad += p.ellpack(m);
    return suite_done("spmv_shoc", argc, argv, bad);
}
