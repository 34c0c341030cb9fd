/*
 * nvcuda::wmma: matrix multiply-accumulate by a whole warp. Shapes 16x16x16, 32x8x16 and 8x32x16 of half (sums in half
 * or float), of 8-bit integers (sums in int) and of bfloat16, 16x16x8 of tf32, 8x8x4 of double, 8x8x32 of 4-bit integers and
 * 8x8x128 of bits.
 *
 * Which element of a fragment belongs to which place of the matrix is the machine's business; programs may only do the
 * same to every element. Elements of less than a byte are seen as words: `x` has one int, not eight or 32 elements.
 */
#ifndef WEIR_CUDA_MMA_H
#define WEIR_CUDA_MMA_H
#pragma GCC system_header

#include "cuda_fp16.h"
#include "cuda_bf16.h"

#if defined(__CUDA__) && defined(__cplusplus)

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */
namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int weir_M, int weir_N, int weir_K, class weir_T, class Layout = void> class fragment;

/* R registers of type W hold E elements of type T. */
template <class weir_T, class weir_W, int weir_E, int weir_R> struct weir_fragment {
    enum { num_elements = weir_E, num_storage_elements = weir_E };
    weir_T x[weir_E];
    typedef weir_T element_type;
    __device__ inline void get(weir_W (&r)[weir_R]) const
    {
        static_assert(sizeof(x) == sizeof(r), "a fragment fills its registers");
        __builtin_memcpy(&r, &x, sizeof r);
    }
    __device__ inline void set(const weir_W (&r)[weir_R]) { __builtin_memcpy(&x, &r, sizeof r); }
};

#define WEIR_WMMA_DEV static __device__ inline

template <class weir_F, class weir_T> WEIR_WMMA_DEV void fill_fragment(weir_F &f, const weir_T &v)
{
    for (int i = 0; i < (int)weir_F::num_elements; i++)
        f.x[i] = (typename weir_F::element_type)v;
}

/* Register lists of one to eight operands, as text and as constraints. */
#define WEIR_OUT1(c, r) "=" c(r[0])
#define WEIR_OUT2(c, r) WEIR_OUT1(c, r), "=" c(r[1])
#define WEIR_OUT4(c, r) WEIR_OUT2(c, r), "=" c(r[2]), "=" c(r[3])
#define WEIR_OUT8(c, r) WEIR_OUT4(c, r), "=" c(r[4]), "=" c(r[5]), "=" c(r[6]), "=" c(r[7])
#define WEIR_IN1(c, r)  c(r[0])
#define WEIR_IN2(c, r)  WEIR_IN1(c, r), c(r[1])
#define WEIR_IN4(c, r)  WEIR_IN2(c, r), c(r[2]), c(r[3])
#define WEIR_IN8(c, r)  WEIR_IN4(c, r), c(r[4]), c(r[5]), c(r[6]), c(r[7])
#define WEIR_FROM0_1    "{%0}"
#define WEIR_FROM0_2    "{%0, %1}"
#define WEIR_FROM0_4    "{%0, %1, %2, %3}"
#define WEIR_FROM0_8    "{%0, %1, %2, %3, %4, %5, %6, %7}"
/* The two operands after n registers. */
#define WEIR_THEN1_1 "%1"
#define WEIR_THEN2_1 "%2"
#define WEIR_THEN1_2 "%2"
#define WEIR_THEN2_2 "%3"
#define WEIR_THEN1_4 "%4"
#define WEIR_THEN2_4 "%5"
#define WEIR_THEN1_8 "%8"
#define WEIR_THEN2_8 "%9"
/* Stores: the address and the stride come first. */
#define WEIR_FROM2_2 "{%2, %3}"
#define WEIR_FROM2_4 "{%2, %3, %4, %5}"
#define WEIR_FROM2_8 "{%2, %3, %4, %5, %6, %7, %8, %9}"

/* Matrices a and b: of type T, whose elements are X, in R registers W. */
#define WEIR_WMMA_LOAD(use, letter, M, N, K, shape, T, X, type, layout, W, c, E, R)                                    \
    template <> class fragment<matrix_##use, M, N, K, T, layout##_major> : public weir_fragment<X, W, E, R>            \
    {                                                                                                                  \
    };                                                                                                                 \
    WEIR_WMMA_DEV void load_matrix_sync(fragment<matrix_##use, M, N, K, T, layout##_major> &f, const X *p,             \
                                        unsigned stride)                                                               \
    {                                                                                                                  \
        W r[R];                                                                                                        \
        asm volatile("wmma.load." letter ".sync.aligned." #layout "." shape "." type " " WEIR_FROM0_##R                \
                     ", [" WEIR_THEN1_##R "], " WEIR_THEN2_##R ";"                                                     \
                     : WEIR_OUT##R(c, r)                                                                               \
                     : "l"(p), "r"(stride)                                                                             \
                     : "memory");                                                                                      \
        f.set(r);                                                                                                      \
    }
#define WEIR_WMMA_LOADS_AS(M, N, K, shape, T, X, type, W, c, EA, RA, EB, RB)                                           \
    WEIR_WMMA_LOAD(a, "a", M, N, K, shape, T, X, type, row, W, c, EA, RA)                                              \
    WEIR_WMMA_LOAD(a, "a", M, N, K, shape, T, X, type, col, W, c, EA, RA)                                              \
    WEIR_WMMA_LOAD(b, "b", M, N, K, shape, T, X, type, row, W, c, EB, RB)                                              \
    WEIR_WMMA_LOAD(b, "b", M, N, K, shape, T, X, type, col, W, c, EB, RB)
#define WEIR_WMMA_LOADS(M, N, K, shape, T, type, EA, RA, EB, RB)                                                       \
    WEIR_WMMA_LOADS_AS(M, N, K, shape, T, T, type, unsigned, "r", EA, RA, EB, RB)

/* Sums. */
#define WEIR_WMMA_SUM(M, N, K, shape, T, type, W, c, E, R)                                                             \
    template <> class fragment<accumulator, M, N, K, T> : public weir_fragment<T, W, E, R>                             \
    {                                                                                                                  \
    };                                                                                                                 \
    WEIR_WMMA_DEV void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned stride,             \
                                        layout_t layout)                                                               \
    {                                                                                                                  \
        W r[R];                                                                                                        \
        if (layout == mem_row_major)                                                                                   \
            asm volatile("wmma.load.c.sync.aligned.row." shape "." type " " WEIR_FROM0_##R ", [" WEIR_THEN1_##R        \
                         "], " WEIR_THEN2_##R ";"                                                                      \
                         : WEIR_OUT##R(c, r)                                                                           \
                         : "l"(p), "r"(stride)                                                                         \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile("wmma.load.c.sync.aligned.col." shape "." type " " WEIR_FROM0_##R ", [" WEIR_THEN1_##R        \
                         "], " WEIR_THEN2_##R ";"                                                                      \
                         : WEIR_OUT##R(c, r)                                                                           \
                         : "l"(p), "r"(stride)                                                                         \
                         : "memory");                                                                                  \
        f.set(r);                                                                                                      \
    }                                                                                                                  \
    WEIR_WMMA_DEV void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned stride,            \
                                         layout_t layout)                                                              \
    {                                                                                                                  \
        W r[R];                                                                                                        \
        f.get(r);                                                                                                      \
        if (layout == mem_row_major)                                                                                   \
            asm volatile("wmma.store.d.sync.aligned.row." shape "." type " [%0], " WEIR_FROM2_##R ", %1;" ::"l"(p),    \
                         "r"(stride), WEIR_IN##R(c, r)                                                                 \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile("wmma.store.d.sync.aligned.col." shape "." type " [%0], " WEIR_FROM2_##R ", %1;" ::"l"(p),    \
                         "r"(stride), WEIR_IN##R(c, r)                                                                 \
                         : "memory");                                                                                  \
    }

/* The product. Layouts are part of the instruction, so there are four of each. Named operands keep the lists readable.
 */
#define WEIR_NAMES1(l)      "{%[" l "0]}"
#define WEIR_NAMES2(l)      "{%[" l "0], %[" l "1]}"
#define WEIR_NAMES4(l)      "{%[" l "0], %[" l "1], %[" l "2], %[" l "3]}"
#define WEIR_NAMES8(l)      "{%[" l "0], %[" l "1], %[" l "2], %[" l "3], %[" l "4], %[" l "5], %[" l "6], %[" l "7]}"
#define WEIR_GIVE1(l, c, r) [l##0] c(r[0])
#define WEIR_GIVE2(l, c, r) WEIR_GIVE1(l, c, r), [l##1] c(r[1])
#define WEIR_GIVE4(l, c, r) WEIR_GIVE2(l, c, r), [l##2] c(r[2]), [l##3] c(r[3])
#define WEIR_GIVE8(l, c, r) WEIR_GIVE4(l, c, r), [l##4] c(r[4]), [l##5] c(r[5]), [l##6] c(r[6]), [l##7] c(r[7])

#define WEIR_MMA(la, lb, M, N, K, shape, T, W, ca, RA, RB, TD, WD, cd, RD, TC, WC, cc, RC, types)                      \
    WEIR_WMMA_DEV void mma_sync(                                                                                       \
        fragment<accumulator, M, N, K, TD> &d, const fragment<matrix_a, M, N, K, T, la##_major> &fa,                   \
        const fragment<matrix_b, M, N, K, T, lb##_major> &fb, const fragment<accumulator, M, N, K, TC> &fc)            \
    {                                                                                                                  \
        W a[RA], b[RB];                                                                                                \
        WC c[RC];                                                                                                      \
        WD r[RD];                                                                                                      \
        fa.get(a);                                                                                                     \
        fb.get(b);                                                                                                     \
        fc.get(c);                                                                                                     \
        asm volatile("wmma.mma.sync.aligned." #la "." #lb "." shape "." types " " WEIR_NAMES##RD(                      \
                         "d") ", " WEIR_NAMES##RA("a") ", " WEIR_NAMES##RB("b") ", " WEIR_NAMES##RC("c") ";"           \
                     : WEIR_GIVE##RD(d, "=" cd, r)                                                                     \
                     : WEIR_GIVE##RA(a, ca, a), WEIR_GIVE##RB(b, ca, b), WEIR_GIVE##RC(c, cc, c));                     \
        d.set(r);                                                                                                      \
    }
#define WEIR_MMAS_AS(...)                                                                                              \
    WEIR_MMA(row, row, __VA_ARGS__)                                                                                    \
    WEIR_MMA(row, col, __VA_ARGS__)                                                                                    \
    WEIR_MMA(col, row, __VA_ARGS__)                                                                                    \
    WEIR_MMA(col, col, __VA_ARGS__)
#define WEIR_MMAS(M, N, K, shape, T, ...) WEIR_MMAS_AS(M, N, K, shape, T, unsigned, "r", __VA_ARGS__)

#define WEIR_WMMA_SHAPE(M, N, K, shape, IA, IB)                                                                        \
    WEIR_WMMA_LOADS(M, N, K, shape, __half, "f16", 16, 8, 16, 8)                                                       \
    WEIR_WMMA_SUM(M, N, K, shape, float, "f32", float, "f", 8, 8)                                                      \
    WEIR_WMMA_SUM(M, N, K, shape, __half, "f16", unsigned, "r", 8, 4)                                                  \
    WEIR_MMAS(M, N, K, shape, __half, 8, 8, float, float, "f", 8, float, float, "f", 8, "f32.f32")                     \
    WEIR_MMAS(M, N, K, shape, __half, 8, 8, __half, unsigned, "r", 4, __half, unsigned, "r", 4, "f16.f16")             \
    WEIR_MMAS(M, N, K, shape, __half, 8, 8, float, float, "f", 8, __half, unsigned, "r", 4, "f32.f16")                 \
    WEIR_MMAS(M, N, K, shape, __half, 8, 8, __half, unsigned, "r", 4, float, float, "f", 8, "f16.f32")                 \
    WEIR_WMMA_INT_SHAPE(M, N, K, shape, IA, IB)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
#define WEIR_WMMA_INT_SHAPE(M, N, K, shape, RA, RB)                                                                    \
    WEIR_WMMA_LOADS(M, N, K, shape, signed char, "s8", RA * 4, RA, RB * 4, RB)                                         \
    WEIR_WMMA_LOADS(M, N, K, shape, unsigned char, "u8", RA * 4, RA, RB * 4, RB)                                       \
    WEIR_WMMA_SUM(M, N, K, shape, int, "s32", int, "r", 8, 8)                                                          \
    WEIR_MMAS(M, N, K, shape, signed char, RA, RB, int, int, "r", 8, int, int, "r", 8, "s32.s8.s8.s32")                \
    WEIR_MMAS(M, N, K, shape, unsigned char, RA, RB, int, int, "r", 8, int, int, "r", 8, "s32.u8.u8.s32")
#else
#define WEIR_WMMA_INT_SHAPE(M, N, K, shape, RA, RB)
#endif
WEIR_WMMA_SHAPE(16, 16, 16, "m16n16k16", 2, 2)
WEIR_WMMA_SHAPE(32, 8, 16, "m32n8k16", 4, 1)
WEIR_WMMA_SHAPE(8, 32, 16, "m8n32k16", 1, 4)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
/* A by rows and B by columns, as the instructions demand; strides count elements. */
#define WEIR_WMMA_PACKED(use, letter, K, shape, T, type, layout)                                                       \
    template <>                                                                                                        \
    class fragment<matrix_##use, 8, 8, K, experimental::precision::T, layout##_major>                                  \
        : public weir_fragment<int, unsigned, 1, 1>                                                                    \
    {                                                                                                                  \
    };                                                                                                                 \
    WEIR_WMMA_DEV void load_matrix_sync(fragment<matrix_##use, 8, 8, K, experimental::precision::T, layout##_major> &f, \
                                        const void *p, unsigned stride)                                                \
    {                                                                                                                  \
        unsigned r[1];                                                                                                 \
        asm volatile("wmma.load." letter ".sync.aligned." #layout "." shape "." type " {%0}, [%1], %2;"               \
                     : "=r"(r[0])                                                                                      \
                     : "l"(p), "r"(stride)                                                                             \
                     : "memory");                                                                                      \
        f.set(r);                                                                                                      \
    }
#define WEIR_WMMA_SMALL(K, shape, T, type)                                                                             \
    WEIR_WMMA_PACKED(a, "a", K, shape, T, type, row) WEIR_WMMA_PACKED(b, "b", K, shape, T, type, col)
WEIR_WMMA_SMALL(32, "m8n8k32", u4, "u4")
WEIR_WMMA_SMALL(32, "m8n8k32", s4, "s4")
WEIR_WMMA_SMALL(128, "m8n8k128", b1, "b1")
WEIR_WMMA_SUM(8, 8, 32, "m8n8k32", int, "s32", int, "r", 2, 2)
WEIR_WMMA_SUM(8, 8, 128, "m8n8k128", int, "s32", int, "r", 2, 2)
WEIR_MMA(row, col, 8, 8, 32, "m8n8k32", experimental::precision::u4, unsigned, "r", 1, 1, int, int, "r", 2, int, int, "r", 2, "s32.u4.u4.s32")
WEIR_MMA(row, col, 8, 8, 32, "m8n8k32", experimental::precision::s4, unsigned, "r", 1, 1, int, int, "r", 2, int, int, "r", 2, "s32.s4.s4.s32")
typedef fragment<accumulator, 8, 8, 128, int> weir_bit_sums;
WEIR_WMMA_DEV void bmma_sync(weir_bit_sums &d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &fa,
                             const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &fb, const weir_bit_sums &fc,
                             experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    unsigned a[1], b[1];
    int c[2], r[2];
    fa.get(a);
    fb.get(b);
    fc.get(c);
    if (op == experimental::bmmaBitOpXOR)
        asm volatile("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
    else
        asm volatile("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
    d.set(r);
}
#undef WEIR_WMMA_PACKED
#undef WEIR_WMMA_SMALL
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/* bfloat16 fragments are twice as large as those of 8-bit integers. */
#define WEIR_WMMA_BF16(M, N, shape, RA, RB)                                                                            \
    WEIR_WMMA_LOADS(M, N, 16, shape, __nv_bfloat16, "bf16", 2 * RA, RA, 2 * RB, RB)                                    \
    WEIR_MMAS(M, N, 16, shape, __nv_bfloat16, RA, RB, float, float, "f", 8, float, float, "f", 8, "f32.bf16.bf16.f32")
WEIR_WMMA_BF16(16, 16, "m16n16k16", 4, 4)
WEIR_WMMA_BF16(32, 8, "m32n8k16", 8, 2)
WEIR_WMMA_BF16(8, 32, "m8n32k16", 2, 8)
#undef WEIR_WMMA_BF16

namespace precision
{
struct tf32; /* a float of which the matrix units read the upper 19 bits */
}
WEIR_WMMA_DEV float __float_to_tf32(float f)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(f));
    __builtin_memcpy(&f, &r, 4);
    return f;
}
WEIR_WMMA_LOADS_AS(16, 16, 8, "m16n16k8", precision::tf32, float, "tf32", unsigned, "r", 4, 4, 4, 4)
WEIR_WMMA_SUM(16, 16, 8, "m16n16k8", float, "f32", float, "f", 8, 8)
WEIR_MMAS(16, 16, 8, "m16n16k8", precision::tf32, 4, 4, float, float, "f", 8, float, float, "f", 8, "f32.tf32.tf32.f32")

WEIR_WMMA_LOADS_AS(8, 8, 4, "m8n8k4", double, double, "f64", double, "d", 1, 1, 1, 1)
WEIR_WMMA_SUM(8, 8, 4, "m8n8k4", double, "f64", double, "d", 2, 2)
WEIR_MMAS_AS(8, 8, 4, "m8n8k4", double, double, "d", 1, 1, double, double, "d", 2, double, double, "d", 2, "rn.f64.f64.f64.f64")
#endif

#undef WEIR_WMMA_DEV

} // namespace wmma
} // namespace nvcuda
#pragma clang attribute pop

#endif
#endif
