/*
 * What the kernels of random_gen.c stand on: their types, exact helpers, and how their results leave them.
 */
#ifndef RANDOM_KERNELS_H
#define RANDOM_KERNELS_H

#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;

#define BLOCKS  2
#define THREADS 64
#define LANES   (BLOCKS * THREADS)
#define INPUTS  22 /* 64-bit words per thread */
#define CELLS32 32 /* one operation for every four of them */
#define CELLS64 24
#define CELLSF  4
#define SLOTS   13 /* 64-bit results per thread */

typedef void (*kernel_function)(const u64 *, u64 *, u32 *, u64 *, float *, u32 *);
struct random_kernel {
    int number;
    u32 text_hash;
    kernel_function run;
};
bool register_kernels(const random_kernel *table, int n);

struct s_ib {
    i32 a;
    bool b;
};
struct s_fh {
    float a;
    i16 b;
};
struct s_cd {
    i8 a;
    double b;
};
struct s_hl {
    i16 a;
    i64 b;
};
struct s_cfh {
    u8 a;
    float b;
    u16 c;
};
struct s_ccc {
    i8 a;
    u8 b;
    bool c;
};
struct s_lc {
    u64 a;
    u8 b;
};
struct s_hhc {
    u16 a;
    i16 b;
    i8 c;
};
struct s_bld {
    bool a;
    i64 b;
    double c;
};
struct s_fb {
    float a;
    bool b;
};

/* Calls that pass and return a structure, which no compiler may take apart. */
#define CHOOSE2(S)                                                                                                     \
    static __device__ __noinline__ S choose_##S(S x, bool other)                                                       \
    {                                                                                                                  \
        S y = {x.a, x.b};                                                                                              \
        return other ? S{} : y;                                                                                        \
    }
#define CHOOSE3(S)                                                                                                     \
    static __device__ __noinline__ S choose_##S(S x, bool other)                                                       \
    {                                                                                                                  \
        S y = {x.a, x.b, x.c};                                                                                         \
        if (other)                                                                                                     \
            y.b = 0, y.c = 0;                                                                                          \
        return y;                                                                                                      \
    }
CHOOSE2(s_ib)
CHOOSE2(s_fh)
CHOOSE2(s_cd)
CHOOSE2(s_hl)
CHOOSE3(s_cfh)
CHOOSE3(s_ccc)
CHOOSE2(s_lc)
CHOOSE3(s_hhc)
CHOOSE3(s_bld)
CHOOSE2(s_fb)

static __device__ __noinline__ s_ib lesser(s_ib x, s_ib y)
{
    return x.a < y.a || (x.a == y.a && !x.b) ? x : y;
}

/* All NaNs are one: CUDA does not say which bits an operation gives them. */
static __device__ __forceinline__ u64 bits(float x)
{
    return x != x ? 0x7fc00000u : (u32)__float_as_uint(x);
}
static __device__ __forceinline__ u64 bits(double x)
{
    return x != x ? 0x7ff8000000000000ull : (u64)__double_as_longlong(x);
}

template <class T> static __device__ __forceinline__ u64 observe(T x)
{
    return (u64)x;
}
template <> __device__ __forceinline__ u64 observe(float x)
{
    return bits(x);
}
template <> __device__ __forceinline__ u64 observe(double x)
{
    return bits(x);
}

template <class T> static __device__ __forceinline__ T quotient(T x, T y)
{
    if (y == 0)
        return x;
    if ((T)-1 < 0 && y == (T)-1)
        return (T)(0 - (u64)x);
    return (T)(x / y);
}
template <class T> static __device__ __forceinline__ T rest(T x, T y)
{
    return y == 0 || ((T)-1 < 0 && y == (T)-1) ? (T)0 : (T)(x % y);
}
template <class T> static __device__ __forceinline__ T smaller(T x, T y)
{
    return x < y ? x : y;
}
template <class T> static __device__ __forceinline__ T larger(T x, T y)
{
    return x > y ? x : y;
}
template <> __device__ __forceinline__ i32 smaller(i32 x, i32 y)
{
    return min(x, y);
}
template <> __device__ __forceinline__ u64 larger(u64 x, u64 y)
{
    return max(x, y);
}

static __device__ __forceinline__ float small_f32(u32 x)
{
    return __fmul_rn(__uint2float_rn(x & 1023), 0.25f);
}
static __device__ __forceinline__ double small_f64(u64 x)
{
    return __dmul_rn((double)(i32)(x & 0xffffff), 0.0625);
}
static __device__ __forceinline__ float half_value(u16 x)
{
    return __half2float(__ushort_as_half(x));
}
#define HALF_BITS(round)                                                                                               \
    static __device__ __forceinline__ u32 half_bits_##round(float x)                                                   \
    {                                                                                                                  \
        return x != x ? 0x7fffu : (u32)__half_as_ushort(__float2half_##round(x));                                      \
    }
HALF_BITS(rn)
HALF_BITS(rz)
HALF_BITS(ru)
HALF_BITS(rd)

/*
 * Only what fits is converted to an integer. Instructions saturate, but compilers do not when they convert a constant;
 * silicon/exact has the instructions.
 */
#define WITHIN(integer, low, high)                                                                                     \
    template <class T> static __device__ __forceinline__ T within_##integer(T x)                                       \
    {                                                                                                                  \
        return x > (T)low && x < (T)high ? x : (T)1.5;                                                                 \
    }
WITHIN(int, -2147483000.0, 2147483000.0)
WITHIN(uint, 0.0, 4294966000.0)
WITHIN(ll, -9223371000000000000.0, 9223371000000000000.0)
WITHIN(ull, 0.0, 18446743000000000000.0)

/* The n-th lane of a mask that is not empty. */
static __device__ __forceinline__ int member(u32 mask, u32 n)
{
    for (n %= __popc(mask); n > 0; n--)
        mask &= mask - 1;
    return __ffs(mask) - 1;
}

static __host__ __device__ __forceinline__ u64 scramble(u64 z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Values worth computing with: whole ranges, small numbers, special numbers; the upper bits choose. */
template <class T> static __device__ __forceinline__ T from_bits(u64 x)
{
    return x >> 62 == 0 ? (T)((x & 0xff) - 128) : (T)x;
}
template <> __device__ __forceinline__ bool from_bits(u64 x)
{
    return (x & 1) != 0;
}
template <> __device__ __forceinline__ float from_bits(u64 x)
{
    switch (x >> 61) {
    case 0:
        return __uint_as_float((u32)x & 0x807fffff);
    case 1:
    case 2:
        return __uint_as_float((u32)x);
    case 3:
    case 4:
        return __int2float_rn((i32)x);
    case 5:
        return __uint_as_float(((u32)x & 0x807fffff) | 0x3f800000);
    default:
        return small_f32((u32)x);
    }
}
template <> __device__ __forceinline__ double from_bits(u64 x)
{
    switch (x >> 61) {
    case 0:
        return __longlong_as_double((i64)((x << 8) & 0x800fffffffffffffull));
    case 1:
    case 2:
        return __longlong_as_double((i64)(x << 3));
    case 3:
    case 4:
        return (double)(i32)x;
    case 5:
        return __longlong_as_double((i64)(((x << 8) & 0x800fffffffffffffull) | 0x3ff0000000000000ull));
    default:
        return small_f64(x);
    }
}

#define KERNEL_BEGIN                                                                                                   \
    __shared__ u64 shared[THREADS];                                                                                    \
    __shared__ u32 cells32[CELLS32];                                                                                   \
    __shared__ u64 cells64[CELLS64];                                                                                   \
    __shared__ float cellsf[CELLSF];                                                                                   \
    const int lane = threadIdx.x % 32, thread = blockIdx.x * THREADS + threadIdx.x;                                    \
    auto input = [=](int n) { return in[n * LANES + thread]; };                                                        \
    auto result = [=](int slot, u64 value) { out[slot * LANES + thread] = value; };                                    \
    (void)lane;                                                                                                        \
    shared[threadIdx.x] = thread;                                                                                      \
    if (threadIdx.x < CELLS32)                                                                                         \
        cells32[threadIdx.x] = (u32)scramble(threadIdx.x);                                                             \
    if (threadIdx.x < CELLS64)                                                                                         \
        cells64[threadIdx.x] = scramble(threadIdx.x + 100);                                                            \
    if (threadIdx.x < CELLSF)                                                                                          \
        cellsf[threadIdx.x] = 0;                                                                                       \
    __syncthreads()

#define KERNEL_END                                                                                                     \
    __syncthreads();                                                                                                   \
    int at = threadIdx.x;                                                                                              \
    result(SLOTS - 1, at < CELLS32                      ? cells32[at]                                                  \
                      : at < CELLS32 + CELLS64          ? cells64[at - CELLS32]                                        \
                      : at < CELLS32 + CELLS64 + CELLSF ? bits(cellsf[at - CELLS32 - CELLS64])                         \
                                                        : 0)

#endif
