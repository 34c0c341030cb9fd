/*
 * Eight bits: __nv_fp8_e4m3 (numbers up to 448, one NaN, no infinity), __nv_fp8_e5m2 (the upper half of a half),
 * __nv_fp8_e8m0 (the exponent of a float: a scale), and pairs and fours of them.
 *
 * There are only conversions: from wider types to the nearest number, ties to even, and back, exactly. The machine has
 * them as instructions from sm_89 on; elsewhere and where nothing is saturated they are integer arithmetic, and so are
 * those of scales, whose instructions came with Blackwell.
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t; /* what is too large */
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

/* ---- to eight bits ---- */
WEIR_HALF_HD __nv_fp8_storage_t weir_f2fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    const int fraction = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14; /* exponent of normals */
    const unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
    unsigned bits;
    memcpy(&bits, &f, 4);
    const unsigned sign = bits >> 24 & 0x80, a = bits & 0x7fffffff;
    if (a > 0x7f800000)
        return 0x7f;
    /* The significand as an integer, and how many of its low bits go. */
    const int e = (int)(a >> 23) - 127, low = e > least ? e : least;
    int drop = 23 - fraction + (low - e);
    unsigned m = (a & 0x7fffff) | 0x800000;
    if (drop > 25)
        drop = 25, m = a ? 1 : 0;
    unsigned kept = m >> drop, rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
    kept += rest > half || (rest == half && kept & 1);
    unsigned r = e > 16 ? 0xff : ((unsigned)(low - least) << fraction) + kept;
    if (r > largest)
        r = saturate == __NV_SATFINITE ? largest : largest + 1;
    return (__nv_fp8_storage_t)(sign | r);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    if (saturate == __NV_SATFINITE) {
        unsigned short r;
        if (kind == __NV_E4M3)
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(v.y), "f"(v.x));
        else
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(v.y), "f"(v.x));
        return r;
    }
#endif
    return (__nv_fp8x2_storage_t)(weir_f2fp8(v.x, saturate, kind) | weir_f2fp8(v.y, saturate, kind) << 8);
}
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(f, 0), saturate, kind);
}
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind)
{
    if (d != d) /* CUDA keeps the sign of this NaN, and has another one for e5m2 */
        return (__nv_fp8_storage_t)((__builtin_signbit(d) ? 0x80 : 0) | (kind == __NV_E4M3 ? 0x7f : 0x7e));
    return __nv_cvt_float_to_fp8(weir_odd(d), saturate, kind);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    const unsigned low = __nv_cvt_double_to_fp8(v.x, saturate, kind), high = __nv_cvt_double_to_fp8(v.y, saturate, kind);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw h, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(weir_h2f(h.x), saturate, kind);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(make_float2(weir_h2f(v.x), weir_h2f(v.y)), saturate, kind);
}
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw b, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(weir_bf2f(b.x), saturate, kind);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t saturate,
                                                                 __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(make_float2(weir_bf2f(v.x), weir_bf2f(v.y)), saturate, kind);
}

/* ---- and back ---- */
WEIR_HALF_HD unsigned short weir_fp82h(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    const unsigned sign = (unsigned)(x & 0x80) << 8, a = x & 0x7f;
    if (kind == __NV_E5M2)
        return (unsigned short)(a > 0x7c ? 0x7fff : sign | a << 8);
    if (a == 0x7f)
        return 0x7fff;
    /* Subnormals of e4m3 are normal halves: 2^-9 times an integer below 8. */
    return (unsigned short)(sign | (a >= 8 ? (a << 7) + 0x2000 : weir_f2h((float)a * 0.001953125f, 'n')));
}
WEIR_HALF_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    unsigned r;
    if (kind == __NV_E4M3)
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"(x));
    else
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(r) : "h"(x));
    __half2_raw v = {(unsigned short)r, (unsigned short)(r >> 16)};
#else
    __half2_raw v = {weir_fp82h((__nv_fp8_storage_t)x, kind), weir_fp82h((__nv_fp8_storage_t)(x >> 8), kind)};
#endif
    return v;
}
WEIR_HALF_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    __half_raw r = {__nv_cvt_fp8x2_to_halfraw2(x, kind).x};
    return r;
}

/* ---- scales ----
 *
 * A power of two, 2^-127 to 2^127; 255 is a NaN. A number counts without its sign, and is rounded up or, with any other
 * mode, toward zero.
 */
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float f, __nv_saturation_t saturate, enum cudaRoundMode mode)
{
    unsigned a;
    memcpy(&a, &f, 4);
    a &= 0x7fffffff;
    if (a > 0x7f800000)
        return 0xff;
    const bool between = a > 0x00400000 && a & 0x007fffff; /* 2^-127 is a subnormal float */
    const unsigned e = (a >> 23) + (mode == cudaRoundPosInf && between);
    return (__nv_fp8_storage_t)(e == 0xff && saturate == __NV_SATFINITE ? 0xfe : e);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 v, __nv_saturation_t saturate,
                                                            enum cudaRoundMode mode)
{
    const unsigned low = __nv_cvt_float_to_e8m0(v.x, saturate, mode), high = __nv_cvt_float_to_e8m0(v.y, saturate, mode);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double d, __nv_saturation_t saturate, enum cudaRoundMode mode)
{
    return __nv_cvt_float_to_e8m0(weir_odd(d), saturate, mode);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 v, __nv_saturation_t saturate,
                                                             enum cudaRoundMode mode)
{
    return __nv_cvt_float2_to_e8m0x2(make_float2(weir_odd(v.x), weir_odd(v.y)), saturate, mode);
}
WEIR_HALF_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw b, __nv_saturation_t saturate,
                                                             enum cudaRoundMode mode)
{
    return __nv_cvt_float_to_e8m0(weir_bf2f(b.x), saturate, mode);
}
WEIR_HALF_HD __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw v, __nv_saturation_t saturate,
                                                                  enum cudaRoundMode mode)
{
    return __nv_cvt_float2_to_e8m0x2(make_float2(weir_bf2f(v.x), weir_bf2f(v.y)), saturate, mode);
}
WEIR_HALF_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    __nv_bfloat16_raw r = {(unsigned short)(x == 0 ? 0x0040 : x == 0xff ? 0x7fff : x << 7)};
    return r;
}
WEIR_HALF_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    __nv_bfloat162_raw r = {__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
                            __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
    return r;
}

/* ---- the types ---- */
#define WEIR_FP8_FROM(Type, Number)                                                                                    \
    explicit __host__ __device__ Type(Number i) : Type((float)i) {}
#define WEIR_FP8X4_FROM(Type, Pair, Four)                                                                              \
    explicit __host__ __device__ Type(Four v)                                                                          \
        : __x(Pair(make_double2(v.x, v.y)).__x | (unsigned)Pair(make_double2(v.z, v.w)).__x << 16)                     \
    {                                                                                                                  \
    }
#define WEIR_FP8_TO(Number, name)                                                                                      \
    explicit __host__ __device__ operator Number() const { return (Number)weir_float_##name((float)*this); }
#define WEIR_FP8(name, kind)                                                                                           \
    struct __attribute__((aligned(1))) __nv_fp8_##name {                                                               \
        __nv_fp8_storage_t __x;                                                                                        \
                                                                                                                       \
        __nv_fp8_##name() = default;                                                                                   \
        explicit __host__ __device__ __nv_fp8_##name(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ __nv_fp8_##name(double d)                                                         \
            : __x(__nv_cvt_double_to_fp8(d, __NV_SATFINITE, kind))                                                     \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8_##name(__half h) : __nv_fp8_##name(weir_h2f(h.__x)) {}                   \
        explicit __host__ __device__ __nv_fp8_##name(__nv_bfloat16 b) : __nv_fp8_##name(weir_bf2f(b.__x)) {}           \
        WEIR_FP8_FROM(__nv_fp8_##name, short)                                                                          \
        WEIR_FP8_FROM(__nv_fp8_##name, unsigned short)                                                                 \
        WEIR_FP8_FROM(__nv_fp8_##name, int)                                                                            \
        WEIR_FP8_FROM(__nv_fp8_##name, unsigned)                                                                       \
        WEIR_FP8_FROM(__nv_fp8_##name, long)                                                                           \
        WEIR_FP8_FROM(__nv_fp8_##name, unsigned long)                                                                  \
        WEIR_FP8_FROM(__nv_fp8_##name, long long)                                                                      \
        WEIR_FP8_FROM(__nv_fp8_##name, unsigned long long)                                                             \
        explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }    \
        explicit __host__ __device__ operator float() const                                                            \
        {                                                                                                              \
            return weir_h2f(__nv_cvt_fp8_to_halfraw(__x, kind).x);                                                     \
        }                                                                                                              \
        explicit __host__ __device__ operator double() const { return (double)(float)*this; }                          \
        explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }            \
        WEIR_FP8_TO(signed char, char)                                                                                 \
        WEIR_FP8_TO(unsigned char, uchar)                                                                              \
        WEIR_FP8_TO(char, char)                                                                                        \
        WEIR_FP8_TO(short, short)                                                                                      \
        WEIR_FP8_TO(unsigned short, ushort)                                                                            \
        WEIR_FP8_TO(int, int)                                                                                          \
        WEIR_FP8_TO(unsigned, uint)                                                                                    \
        WEIR_FP8_TO(long, ll)                                                                                          \
        WEIR_FP8_TO(unsigned long, ull)                                                                                \
        WEIR_FP8_TO(long long, ll)                                                                                     \
        WEIR_FP8_TO(unsigned long long, ull)                                                                           \
        explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }                               \
    };                                                                                                                 \
    struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                                             \
        __nv_fp8x2_storage_t __x;                                                                                      \
                                                                                                                       \
        __nv_fp8x2_##name() = default;                                                                                 \
        explicit __host__ __device__ __nv_fp8x2_##name(float2 v)                                                       \
            : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind))                                                   \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8x2_##name(double2 v)                                                      \
            : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind))                                                  \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8x2_##name(__half2 v) : __nv_fp8x2_##name(__half22float2(v)) {}            \
        explicit __host__ __device__ __nv_fp8x2_##name(__nv_bfloat162 v) : __nv_fp8x2_##name(__bfloat1622float2(v)) {} \
        explicit __host__ __device__ operator __half2() const                                                          \
        {                                                                                                              \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));                                                     \
        }                                                                                                              \
        explicit __host__ __device__ operator float2() const { return __half22float2((__half2) * this); }              \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                                             \
        __nv_fp8x4_storage_t __x;                                                                                      \
                                                                                                                       \
        __nv_fp8x4_##name() = default;                                                                                 \
        explicit __host__ __device__ __nv_fp8x4_##name(float2 low, float2 high)                                        \
            : __x(__nv_fp8x2_##name(low).__x | (unsigned)__nv_fp8x2_##name(high).__x << 16)                            \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8x4_##name(float4 v)                                                       \
            : __nv_fp8x4_##name(make_float2(v.x, v.y), make_float2(v.z, v.w))                                          \
        {                                                                                                              \
        }                                                                                                              \
        WEIR_FP8X4_FROM(__nv_fp8x4_##name, __nv_fp8x2_##name, double4)                                                 \
        WEIR_FP8X4_FROM(__nv_fp8x4_##name, __nv_fp8x2_##name, double4_16a)                                             \
        WEIR_FP8X4_FROM(__nv_fp8x4_##name, __nv_fp8x2_##name, double4_32a)                                             \
        explicit __host__ __device__ __nv_fp8x4_##name(__half2 low, __half2 high)                                      \
            : __nv_fp8x4_##name(__half22float2(low), __half22float2(high))                                             \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8x4_##name(__nv_bfloat162 low, __nv_bfloat162 high)                        \
            : __nv_fp8x4_##name(__bfloat1622float2(low), __bfloat1622float2(high))                                     \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ operator float4() const                                                           \
        {                                                                                                              \
            float2 low = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, kind)));         \
            float2 high = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), kind))); \
            return make_float4(low.x, low.y, high.x, high.y);                                                          \
        }                                                                                                              \
    };
WEIR_FP8(e4m3, __NV_E4M3)
WEIR_FP8(e5m2, __NV_E5M2)

struct __attribute__((aligned(1))) __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;

    __nv_fp8_e8m0() = default;
    explicit __host__ __device__ __nv_fp8_e8m0(float f) : __x(__nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf))
    {
    }
    explicit __host__ __device__ __nv_fp8_e8m0(double d) : __nv_fp8_e8m0(weir_odd(d)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(__half h) : __nv_fp8_e8m0(weir_h2f(h.__x)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(__nv_bfloat16 b) : __nv_fp8_e8m0(weir_bf2f(b.__x)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(short i) : __nv_fp8_e8m0((float)i) {}
    explicit __host__ __device__ __nv_fp8_e8m0(unsigned short i) : __nv_fp8_e8m0((float)i) {}
    explicit __host__ __device__ __nv_fp8_e8m0(int i) : __nv_fp8_e8m0(weir_odd(i)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(unsigned i) : __nv_fp8_e8m0(weir_odd(i)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(long i) : __nv_fp8_e8m0(weir_odd((long long)i)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(unsigned long i) : __nv_fp8_e8m0(weir_odd((unsigned long long)i)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(long long i) : __nv_fp8_e8m0(weir_odd(i)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(unsigned long long i) : __nv_fp8_e8m0(weir_odd(i)) {}
    explicit __host__ __device__ operator __nv_bfloat16() const
    {
        return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x));
    }
    explicit __host__ __device__ operator float() const { return weir_bf2f(__nv_cvt_e8m0_to_bf16raw(__x).x); }
    explicit __host__ __device__ operator double() const
    {
        const unsigned long long bits = __x == 0xff ? 0x7fffe00000000000 : (__x + 1023ULL - 127) << 52;
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    explicit __host__ __device__ operator __half() const { return __float2half_rn((float)*this); }
    WEIR_FP8_TO(signed char, char)
    WEIR_FP8_TO(unsigned char, uchar)
    WEIR_FP8_TO(char, char)
    WEIR_FP8_TO(short, short)
    WEIR_FP8_TO(unsigned short, ushort)
    WEIR_FP8_TO(int, int)
    WEIR_FP8_TO(unsigned, uint)
    WEIR_FP8_TO(long, ll)
    WEIR_FP8_TO(unsigned long, ull)
    WEIR_FP8_TO(long long, ll)
    WEIR_FP8_TO(unsigned long long, ull)
    explicit __host__ __device__ operator bool() const { return true; } /* no scale is zero */
};
struct __attribute__((aligned(2))) __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;

    __nv_fp8x2_e8m0() = default;
    explicit __host__ __device__ __nv_fp8x2_e8m0(float2 v)
        : __x(__nv_cvt_float2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf))
    {
    }
    explicit __host__ __device__ __nv_fp8x2_e8m0(double2 v)
        : __x(__nv_cvt_double2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf))
    {
    }
    explicit __host__ __device__ __nv_fp8x2_e8m0(__half2 v) : __nv_fp8x2_e8m0(__half22float2(v)) {}
    explicit __host__ __device__ __nv_fp8x2_e8m0(__nv_bfloat162 v) : __nv_fp8x2_e8m0(__bfloat1622float2(v)) {}
    explicit __host__ __device__ operator __nv_bfloat162() const
    {
        return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
    }
    explicit __host__ __device__ operator float2() const
    {
        const __nv_bfloat162_raw v = __nv_cvt_e8m0x2_to_bf162raw(__x);
        return make_float2(weir_bf2f(v.x), weir_bf2f(v.y));
    }
    explicit __host__ __device__ operator __half2() const { return __float22half2_rn((float2) * this); }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e8m0 {
    __nv_fp8x4_storage_t __x;

    __nv_fp8x4_e8m0() = default;
    explicit __host__ __device__ __nv_fp8x4_e8m0(__half2 low, __half2 high)
        : __x(__nv_fp8x2_e8m0(low).__x | (unsigned)__nv_fp8x2_e8m0(high).__x << 16)
    {
    }
    explicit __host__ __device__ __nv_fp8x4_e8m0(__nv_bfloat162 low, __nv_bfloat162 high)
        : __x(__nv_fp8x2_e8m0(low).__x | (unsigned)__nv_fp8x2_e8m0(high).__x << 16)
    {
    }
    explicit __host__ __device__ __nv_fp8x4_e8m0(float4 v)
        : __x(__nv_fp8x2_e8m0(make_float2(v.x, v.y)).__x | (unsigned)__nv_fp8x2_e8m0(make_float2(v.z, v.w)).__x << 16)
    {
    }
    WEIR_FP8X4_FROM(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0, double4)
    WEIR_FP8X4_FROM(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0, double4_16a)
    WEIR_FP8X4_FROM(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0, double4_32a)
    explicit __host__ __device__ operator float4() const
    {
        __nv_fp8x2_e8m0 low, high;
        low.__x = (__nv_fp8x2_storage_t)__x;
        high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
        const float2 a = (float2)low, b = (float2)high;
        return make_float4(a.x, a.y, b.x, b.y);
    }
};
#undef WEIR_FP8
#undef WEIR_FP8_FROM
#undef WEIR_FP8X4_FROM
#undef WEIR_FP8_TO

#pragma clang attribute pop
#endif /* __cplusplus */
#endif
