// Matrix units, half precision: a 64 x 48 x 32 product in 16 x 16 x 16 pieces, row- and column-major.
#include "check.h"
#include <mma.h>
using namespace nvcuda;

const int M = 64, N = 48, K = 32;

template <class LA, class LB> __global__ void multiply(const half *a, const half *b, const float *c, float *d, int lda, int ldb)
{
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, LA> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, LB> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc, fc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < K; k += 16) {
        bool ra = lda == K, rb = ldb == N;
        wmma::load_matrix_sync(fa, ra ? a + row * lda + k : a + k * lda + row, lda);
        wmma::load_matrix_sync(fb, rb ? b + k * ldb + col : b + col * ldb + k, ldb);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::load_matrix_sync(fc, c + row * N + col, N, wmma::mem_row_major);
    for (int i = 0; i < (int)acc.num_elements; i++)
        acc.x[i] = 2 * acc.x[i] + fc.x[i];
    wmma::store_matrix_sync(d + row * N + col, acc, N, wmma::mem_row_major);
}

__global__ void in_half(const half *a, const half *b, half *d)
{
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, half> acc;
    wmma::fill_fragment(acc, __float2half(1.0f));
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(acc, fa, fb, acc);
    wmma::store_matrix_sync(d, acc, 32, wmma::mem_col_major);
}

int main()
{
    rng r(20);
    std::vector<half> a(M * K), b(K * N), at(M * K), bt(K * N);
    std::vector<float> c(M * N), want(M * N);
    auto small = [&] { return __float2half((int)r.below(9) - 4); };
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            at[k * M + i] = a[i * K + k] = small();
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            bt[j * K + k] = b[k * N + j] = small();
    for (auto &v : c)
        v = (float)r.below(10);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += __half2float(a[i * K + k]) * __half2float(b[k * N + j]);
            want[i * N + j] = 2 * s + c[i * N + j];
        }
    dev<half> da(a), db(b), dat(at), dbt(bt);
    dev<float> dc(c), dd(M * N);
    dim3 grid(N / 16, M / 16);
    multiply<wmma::row_major, wmma::row_major><<<grid, 32>>>(da, db, dc, dd, K, N);
    RAN();
    check_equal("row row", dd.get(), want);
    multiply<wmma::row_major, wmma::col_major><<<grid, 32>>>(da, dbt, dc, dd, K, K);
    RAN();
    check_equal("row col", dd.get(), want);
    multiply<wmma::col_major, wmma::row_major><<<grid, 32>>>(dat, db, dc, dd, M, N);
    RAN();
    check_equal("col row", dd.get(), want);

    dev<half> dh(32 * 8);
    in_half<<<1, 32>>>(da, dbt, dh);
    RAN();
    std::vector<half> got = dh.get();
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 8; j++) {
            float s = 1;
            for (int k = 0; k < 16; k++)
                s += __half2float(a[i * 16 + k]) * __half2float(bt[j * 16 + k]);
            CHECK(__half2float(got[j * 32 + i]) == s);
        }
    return check_result();
}
