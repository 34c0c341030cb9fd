// Matrix units, elements of less than a byte: 4-bit integers, and bits by xor and by and.
// flags: -arch=sm_80
#include "check.h"
#include <mma.h>
using namespace nvcuda;
using namespace nvcuda::wmma::experimental;

enum { SIDE = 8 };

template <class T> __global__ void multiply(const unsigned *a, const unsigned *b, int *d)
{
    wmma::fragment<wmma::matrix_a, SIDE, SIDE, 32, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, 32, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, 32, int> acc;
    wmma::fill_fragment(acc, 5);
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::mma_sync(acc, fa, fb, acc);
    wmma::store_matrix_sync(d, acc, SIDE, wmma::mem_row_major);
}
__global__ void multiply_bits(const unsigned *a, const unsigned *b, int *d, bmmaBitOp op)
{
    wmma::fragment<wmma::matrix_a, SIDE, SIDE, 128, precision::b1, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, 128, precision::b1, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, 128, int> acc;
    wmma::fill_fragment(acc, 5);
    wmma::load_matrix_sync(fa, a, 128);
    wmma::load_matrix_sync(fb, b, 128);
    if (op == bmmaBitOpXOR)
        wmma::bmma_sync(acc, fa, fb, acc);
    else
        wmma::bmma_sync(acc, fa, fb, acc, bmmaBitOpAND, bmmaAccumulateOpPOPC);
    wmma::store_matrix_sync(d, acc, SIDE, wmma::mem_row_major);
}

static int element(const std::vector<unsigned> &m, int bits, int k, int row, int at, bool is_signed)
{
    const int bit = (row * k + at) * bits;
    const int v = m[bit / 32] >> bit % 32 & ((1 << bits) - 1);
    return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}

template <class F> static void test(const char *what, int bits, bool is_signed, bool is_xor, F launch)
{
    const int k = 128 / bits;
    rng r(bits);
    std::vector<unsigned> a(SIDE * 4), b(SIDE * 4);
    for (auto &v : a)
        v = r.next();
    for (auto &v : b)
        v = r.next();
    std::vector<int> want(SIDE * SIDE, 5);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int n = 0; n < k; n++) {
                const int x = element(a, bits, k, i, n, is_signed), y = element(b, bits, k, j, n, is_signed);
                want[i * SIDE + j] += is_xor ? x ^ y : x * y;
            }
    dev<unsigned> da(a), db(b);
    dev<int> dd(SIDE * SIDE);
    launch((unsigned *)da, (unsigned *)db, (int *)dd);
    RAN();
    check_equal(what, dd.get(), want);
}

int main()
{
    test("u4", 4, false, false, [](unsigned *a, unsigned *b, int *d) { multiply<precision::u4><<<1, 32>>>(a, b, d); });
    test("s4", 4, true, false, [](unsigned *a, unsigned *b, int *d) { multiply<precision::s4><<<1, 32>>>(a, b, d); });
    test("xor", 1, false, true, [](unsigned *a, unsigned *b, int *d) { multiply_bits<<<1, 32>>>(a, b, d, bmmaBitOpXOR); });
    test("and", 1, false, false, [](unsigned *a, unsigned *b, int *d) { multiply_bits<<<1, 32>>>(a, b, d, bmmaBitOpAND); });
    return check_result();
}
