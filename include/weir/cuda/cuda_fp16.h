/*
 * Half precision: __half (IEEE binary16) and __half2, two of them in one register.
 *
 * Device code uses the f16 and f16x2 instructions; functions without one (division, roots, comparisons below sm_80)
 * work in single precision and round once, which is exact for the basic operations because 24 bits are more than
 * twice 11. The host converts in integer arithmetic and computes in float.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#define __CUDA_FP16_H__
#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __cplusplus
#include "weir_half.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

/* ---- conversions of bit patterns ---- */
WEIR_HALF_HD float weir_h2f(unsigned short h)
{
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    unsigned sign = (unsigned)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff, bits;
    if (e == 31) {
        bits = sign | 0x7f800000u | m << 13;
    } else if (e) {
        bits = sign | (e + 112) << 23 | m << 13;
    } else {
        float f = (float)m * 5.96046448e-8f;
        memcpy(&bits, &f, 4);
        bits |= sign;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
#endif
}
/* mode: 'n' nearest even, 'z' toward zero, 'd' down, 'u' up. */
WEIR_HALF_HD unsigned short weir_f2h(float f, char mode)
{
#ifdef __CUDA_ARCH__
    unsigned short h;
    if (mode == 'z')
        asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else if (mode == 'd')
        asm("cvt.rm.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else if (mode == 'u')
        asm("cvt.rp.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    unsigned bits;
    memcpy(&bits, &f, 4);
    unsigned sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;
    if (a > 0x7f800000)
        return 0x7fff;
    bool up = mode == 'u' ? !sign : mode == 'd' ? sign != 0 : false;
    if (a >= 0x47800000) /* 65536: beyond every finite half */
        return (unsigned short)(sign | (a == 0x7f800000 || mode == 'n' || up ? 0x7c00 : 0x7bff));
    /* The significand as an integer, and how many of its low bits go. */
    int e = (int)(a >> 23), drop = e > 112 ? 13 : 126 - e;
    unsigned m = e ? (a & 0x7fffff) | 0x800000 : 0;
    if (drop > 25)
        drop = 25, m = a ? 1 : 0;
    unsigned kept = m >> drop, rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
    unsigned h = e > 112 ? ((unsigned)(e - 112) << 10) + (kept & 0x3ff) : kept;
    if (mode == 'n' ? rest > half || (rest == half && (h & 1)) : up && rest)
        h++;
    return (unsigned short)(sign | h);
#endif
}

struct __half2;
struct __nv_bfloat16;

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    __host__ __device__ __half(const __half_raw &r) : __x(r.x) {}
    explicit __host__ __device__ __half(__nv_bfloat16 b); /* in cuda_bf16.h */
    __host__ __device__ __half(float f) : __x(weir_f2h(f, 'n')) {}
    __host__ __device__ __half(double d) : __x(weir_f2h(weir_odd(d), 'n')) {}
    __host__ __device__ __half(short i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(unsigned short i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(int i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(unsigned i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(long i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(unsigned long i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(long long i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half(unsigned long long i) : __x(weir_f2h((float)i, 'n')) {}
    __host__ __device__ __half &operator=(const __half_raw &r)
    {
        __x = r.x;
        return *this;
    }
    __host__ __device__ __half &operator=(float f)
    {
        __x = weir_f2h(f, 'n');
        return *this;
    }
    __host__ __device__ operator float() const { return weir_h2f(__x); }
    __host__ __device__ operator __half_raw() const
    {
        __half_raw r = {__x};
        return r;
    }
    explicit __host__ __device__ operator bool() const { return (__x & 0x7fff) != 0; }
    explicit __host__ __device__ operator signed char() const { return weir_float_char(weir_h2f(__x)); }
    explicit __host__ __device__ operator unsigned char() const { return weir_float_uchar(weir_h2f(__x)); }
    explicit __host__ __device__ operator char() const { return (char)weir_float_char(weir_h2f(__x)); }
    explicit __host__ __device__ operator short() const { return weir_float_short(weir_h2f(__x)); }
    explicit __host__ __device__ operator unsigned short() const { return weir_float_ushort(weir_h2f(__x)); }
    explicit __host__ __device__ operator int() const { return weir_float_int(weir_h2f(__x)); }
    explicit __host__ __device__ operator unsigned() const { return weir_float_uint(weir_h2f(__x)); }
    explicit __host__ __device__ operator long() const { return weir_float_ll(weir_h2f(__x)); }
    explicit __host__ __device__ operator unsigned long() const { return weir_float_ull(weir_h2f(__x)); }
    explicit __host__ __device__ operator long long() const { return weir_float_ll(weir_h2f(__x)); }
    explicit __host__ __device__ operator unsigned long long() const { return weir_float_ull(weir_h2f(__x)); }
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
    __host__ __device__ __half2(const __half2_raw &r)
    {
        x.__x = r.x;
        y.__x = r.y;
    }
    __host__ __device__ operator __half2_raw() const
    {
        __half2_raw r = {x.__x, y.__x};
        return r;
    }
};
typedef __half half;
typedef __half2 half2;

WEIR_HALF_HD __half weir_half(unsigned short bits)
{
    __half h;
    h.__x = bits;
    return h;
}
WEIR_HALF_HD unsigned weir_h2_bits(__half2 v)
{
    unsigned r;
    memcpy(&r, &v, 4);
    return r;
}
WEIR_HALF_HD __half2 weir_half2(unsigned bits)
{
    __half2 r;
    memcpy(&r, &bits, 4);
    return r;
}

/* ---- conversions by name ---- */
WEIR_HALF_HD __half __float2half(float f)
{
    return weir_half(weir_f2h(f, 'n'));
}
WEIR_HALF_HD __half __float2half_rn(float f)
{
    return weir_half(weir_f2h(f, 'n'));
}
WEIR_HALF_HD __half __float2half_rz(float f)
{
    return weir_half(weir_f2h(f, 'z'));
}
WEIR_HALF_HD __half __float2half_rd(float f)
{
    return weir_half(weir_f2h(f, 'd'));
}
WEIR_HALF_HD __half __float2half_ru(float f)
{
    return weir_half(weir_f2h(f, 'u'));
}
WEIR_HALF_HD __half __double2half(double d)
{
    return weir_half(weir_f2h(weir_odd(d), 'n'));
}
WEIR_HALF_HD float __half2float(__half h)
{
    return weir_h2f(h.__x);
}
WEIR_HALF_HD __half2 __float2half2_rn(float f)
{
    return __half2(__float2half(f), __float2half(f));
}
WEIR_HALF_HD __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__float2half(a), __float2half(b));
}
WEIR_HALF_HD __half2 __float22half2_rn(float2 v)
{
    return __floats2half2_rn(v.x, v.y);
}
WEIR_HALF_HD float2 __half22float2(__half2 v)
{
    return make_float2(weir_h2f(v.x.__x), weir_h2f(v.y.__x));
}
WEIR_HALF_HD float __low2float(__half2 v)
{
    return weir_h2f(v.x.__x);
}
WEIR_HALF_HD float __high2float(__half2 v)
{
    return weir_h2f(v.y.__x);
}
WEIR_HALF_HD __half __low2half(__half2 v)
{
    return v.x;
}
WEIR_HALF_HD __half __high2half(__half2 v)
{
    return v.y;
}
WEIR_HALF_HD __half2 __half2half2(__half h)
{
    return __half2(h, h);
}
WEIR_HALF_HD __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
WEIR_HALF_HD __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
WEIR_HALF_HD __half2 __low2half2(__half2 v)
{
    return __half2(v.x, v.x);
}
WEIR_HALF_HD __half2 __high2half2(__half2 v)
{
    return __half2(v.y, v.y);
}
WEIR_HALF_HD __half2 __lowhigh2highlow(__half2 v)
{
    return __half2(v.y, v.x);
}
WEIR_HALF_HD __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
WEIR_HALF_HD __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
WEIR_HALF_HD short __half_as_short(__half h)
{
    return (short)h.__x;
}
WEIR_HALF_HD unsigned short __half_as_ushort(__half h)
{
    return h.__x;
}
WEIR_HALF_HD __half __short_as_half(short s)
{
    return weir_half((unsigned short)s);
}
WEIR_HALF_HD __half __ushort_as_half(unsigned short s)
{
    return weir_half(s);
}

/* ---- arithmetic ---- */
#ifdef __CUDA_ARCH__
#define WEIR_H_BINARY(name, op, expression)                                                                            \
    WEIR_HALF_HD __half name(__half a, __half b)                                                                            \
    {                                                                                                                  \
        __half r;                                                                                                      \
        asm(op ".f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));                                             \
        return r;                                                                                                      \
    }                                                                                                                  \
    WEIR_HALF_HD __half2 name##2(__half2 a, __half2 b)                                                                      \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(weir_h2_bits(a)), "r"(weir_h2_bits(b)));                           \
        return weir_half2(r);                                                                                          \
    }
#else
#define WEIR_H_BINARY(name, op, expression)                                                                            \
    WEIR_HALF_HD __half name(__half x, __half y)                                                                            \
    {                                                                                                                  \
        float a = __half2float(x), b = __half2float(y);                                                                \
        return __float2half(expression);                                                                               \
    }                                                                                                                  \
    WEIR_HALF_HD __half2 name##2(__half2 a, __half2 b)                                                                      \
    {                                                                                                                  \
        return __half2(name(a.x, b.x), name(a.y, b.y));                                                                \
    }
#endif
WEIR_H_BINARY(__hadd, "add", a + b)
WEIR_H_BINARY(__hsub, "sub", a - b)
WEIR_H_BINARY(__hmul, "mul", a *b)
WEIR_H_BINARY(__hadd_rn, "add.rn", a + b)
WEIR_H_BINARY(__hsub_rn, "sub.rn", a - b)
WEIR_H_BINARY(__hmul_rn, "mul.rn", a *b)
WEIR_H_BINARY(__hadd_sat, "add.sat", weir_saturate(a + b))
WEIR_H_BINARY(__hsub_sat, "sub.sat", weir_saturate(a - b))
WEIR_H_BINARY(__hmul_sat, "mul.sat", weir_saturate(a *b))
#undef WEIR_H_BINARY
WEIR_HALF_HD __half2 __hadd2_sat(__half2 a, __half2 b)
{
    return __hadd_sat2(a, b);
}
WEIR_HALF_HD __half2 __hsub2_sat(__half2 a, __half2 b)
{
    return __hsub_sat2(a, b);
}
WEIR_HALF_HD __half2 __hmul2_sat(__half2 a, __half2 b)
{
    return __hmul_sat2(a, b);
}
WEIR_HALF_HD __half2 __hadd2_rn(__half2 a, __half2 b)
{
    return __hadd_rn2(a, b);
}
WEIR_HALF_HD __half2 __hsub2_rn(__half2 a, __half2 b)
{
    return __hsub_rn2(a, b);
}
WEIR_HALF_HD __half2 __hmul2_rn(__half2 a, __half2 b)
{
    return __hmul_rn2(a, b);
}
WEIR_HALF_HD __half __hfma(__half a, __half b, __half c)
{
#ifdef __CUDA_ARCH__
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    /* The product of two halves is exact in float; the sum in double is off by less than a half can tell. */
    return __double2half((double)(__half2float(a) * __half2float(b)) + (double)__half2float(c));
#endif
}
WEIR_HALF_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
#ifdef __CUDA_ARCH__
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(weir_h2_bits(a)), "r"(weir_h2_bits(b)), "r"(weir_h2_bits(c)));
    return weir_half2(r);
#else
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}
WEIR_HALF_HD __half __hdiv(__half a, __half b)
{
    return __float2half(__half2float(a) / __half2float(b));
}
WEIR_HALF_HD __half2 __h2div(__half2 a, __half2 b)
{
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
WEIR_HALF_HD __half __hfma_sat(__half a, __half b, __half c)
{
#ifdef __CUDA_ARCH__
    __half r;
    asm("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    return __float2half(weir_saturate(__half2float(__hfma(a, b, c))));
#endif
}
WEIR_HALF_HD __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c)
{
#ifdef __CUDA_ARCH__
    unsigned r;
    asm("fma.rn.sat.f16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(weir_h2_bits(a)), "r"(weir_h2_bits(b)), "r"(weir_h2_bits(c)));
    return weir_half2(r);
#else
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
#endif
}

#define WEIR_F             __half
#define WEIR_F2            __half2
#define WEIR_VALUE(h)      weir_h2f((h).__x)
#define WEIR_ROUND(f, how) weir_half(weir_f2h(f, how))
#define WEIR_MAKE(bits)    weir_half(bits)
#define WEIR_PAIR(bits)    weir_half2(bits)
#define WEIR_PAIR_BITS(v)  weir_h2_bits(v)
#define WEIR_TO(a, how)    __##a##2half_##how
#define WEIR_FROM(a, how)  __half2##a##_##how
#define WEIR_INF           0x7c00
#define WEIR_1             0x3c00
#define WEIR_TYPE          "f16"
#define WEIR_SINCE         530
#ifndef __CUDA_NO_HALF_OPERATORS__
#define WEIR_OPERATORS
#endif
#include "weir_half_ops.h"

#if defined(__CUDA__)
/* The machine's own tanh from sm_75 on. */
WEIR_HALF_DEV __half htanh_approx(__half a)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    __half r;
    asm("tanh.approx.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x));
    return r;
#else
    return htanh(a);
#endif
}
WEIR_HALF_DEV __half2 h2tanh_approx(__half2 a)
{
    return __half2(htanh_approx(a.x), htanh_approx(a.y));
}
WEIR_HALF_DEV __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(weir_h2_bits(v)) : "memory");
    return weir_half2(old);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WEIR_HALF_DEV __half atomicAdd(__half *p, __half v)
{
    __half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.__x) : "l"(p), "h"(v.__x) : "memory");
    return old;
}
#endif
#endif

#pragma clang attribute pop

#endif /* __cplusplus */
#endif
