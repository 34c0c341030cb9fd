// Matrix units, 8-bit integers with 32-bit sums, in all three shapes.
#include "check.h"
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, class T> __global__ void multiply(const T *a, const T *b, int *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, int> acc;
    wmma::fill_fragment(acc, 7);
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::mma_sync(acc, fa, fb, acc);
    wmma::store_matrix_sync(d, acc, N, wmma::mem_row_major);
}

template <int M, int N, int K, class T> static void test()
{
    rng r(M);
    std::vector<T> a(M * K), b(N * K);
    for (auto &v : a)
        v = (T)r.next();
    for (auto &v : b)
        v = (T)r.next();
    std::vector<int> want(M * N, 7);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < K; k++)
                want[i * N + j] += a[i * K + k] * b[j * K + k];
    dev<T> da(a), db(b);
    dev<int> dd(M * N);
    multiply<M, N, K, T><<<1, 32>>>(da, db, dd);
    RAN();
    check_equal("product", dd.get(), want);
}

int main()
{
    test<16, 16, 16, signed char>();
    test<16, 16, 16, unsigned char>();
    test<32, 8, 16, signed char>();
    test<8, 32, 16, unsigned char>();
    return check_result();
}
