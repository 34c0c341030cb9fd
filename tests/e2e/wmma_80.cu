// Matrix units of sm_80: tf32, double, and bfloat16 in the shapes that are not square; each layout of each matrix.
// flags: -arch=compute_80
#include "check.h"
#include <cuda_bf16.h>
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

template <class Use, int M, int N, int K, class T, class Layout, class X>
__device__ void fetch(wmma::fragment<Use, M, N, K, T, Layout> &f, const X *p, int rows, int cols)
{
    wmma::load_matrix_sync(f, p, std::is_same<Layout, wmma::row_major>::value ? cols : rows);
}

template <int M, int N, int K, class T, class X, class S, class LA, class LB> __global__ void multiply(const X *a, const X *b, const S *c, S *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> acc;
    wmma::load_matrix_sync(acc, c, N, wmma::mem_row_major);
    fetch(fa, a, M, K);
    fetch(fb, b, K, N);
    for (int i = 0; i < fa.num_elements; i++)
        fa.x[i] = fa.x[i] + fa.x[i];
    wmma::mma_sync(acc, fa, fb, acc);
    wmma::store_matrix_sync(d, acc, M, wmma::mem_col_major);
}

// Small integers: exact in each type, whatever the order of the sums.
template <int M, int N, int K, class T, class X, class S, class LA, class LB> static void test_layouts(const char *what)
{
    rng r(M + N);
    const bool ra = std::is_same<LA, wmma::row_major>::value, rb = std::is_same<LB, wmma::row_major>::value;
    std::vector<X> a(M * K), b(K * N);
    std::vector<S> c(M * N), want(M * N);
    for (auto &v : a)
        v = (X)(float)((int)r.below(31) - 15);
    for (auto &v : b)
        v = (X)(float)((int)r.below(31) - 15);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            S sum = c[i * N + j] = (S)r.below(100);
            for (int k = 0; k < K; k++)
                sum += 2 * (float)a[ra ? i * K + k : k * M + i] * (float)b[rb ? k * N + j : j * K + k];
            want[j * M + i] = sum;
        }
    dev<X> da(a), db(b);
    dev<S> dc(c), dd(M * N);
    multiply<M, N, K, T, X, S, LA, LB><<<1, 32>>>(da, db, dc, dd);
    RAN();
    check_equal(what, dd.get(), want);
}
template <int M, int N, int K, class T, class X, class S> static void test(const char *what)
{
    test_layouts<M, N, K, T, X, S, wmma::row_major, wmma::row_major>(what);
    test_layouts<M, N, K, T, X, S, wmma::row_major, wmma::col_major>(what);
    test_layouts<M, N, K, T, X, S, wmma::col_major, wmma::row_major>(what);
    test_layouts<M, N, K, T, X, S, wmma::col_major, wmma::col_major>(what);
}

__global__ void round_all(const float *in, float *out) { out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]); }

int main()
{
    test<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
    test<8, 8, 4, double, double, double>("double");
    test<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16");
    test<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16, 32 rows");
    test<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16, 32 columns");
    dev<float> in(std::vector<float>{1, 1 + 0x1p-10f, 1 + 0x1p-11f, 1 + 0x0.ffep-11f, -1 - 0x1.8p-10f}), out(5);
    round_all<<<1, 5>>>(in, out);
    RAN();
    check_equal("rounded", out.get(), std::vector<float>{1, 1 + 0x1p-10f, 1 + 0x1p-10f, 1, -1 - 0x1p-9f});
    return check_result();
}
