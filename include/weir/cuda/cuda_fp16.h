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
#include <string.h>

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

#define WEIR_HD static __inline__ __host__ __device__ __attribute__((always_inline, unused))
#ifdef __CUDA_ARCH__
#define WEIR_ON_DEVICE 1
#else
#define WEIR_ON_DEVICE 0
#endif

/* ---- conversions of bit patterns ---- */
WEIR_HD float weir_h2f(unsigned short h)
{
#if WEIR_ON_DEVICE
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
/* mode: 'n' nearest even, 'z' towards zero, 'd' down, 'u' up. */
WEIR_HD unsigned short weir_f2h(float f, char mode)
{
#if WEIR_ON_DEVICE
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

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    __host__ __device__ __half(const __half_raw &r) : __x(r.x) {}
    __host__ __device__ __half(float f) : __x(weir_f2h(f, 'n')) {}
    __host__ __device__ __half(double d) : __x(weir_f2h((float)d, 'n')) {}
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
    explicit __host__ __device__ operator int() const { return (int)weir_h2f(__x); }
    explicit __host__ __device__ operator unsigned() const { return (unsigned)weir_h2f(__x); }
    explicit __host__ __device__ operator short() const { return (short)weir_h2f(__x); }
    explicit __host__ __device__ operator unsigned short() const { return (unsigned short)weir_h2f(__x); }
    explicit __host__ __device__ operator long long() const { return (long long)weir_h2f(__x); }
    explicit __host__ __device__ operator unsigned long long() const { return (unsigned long long)weir_h2f(__x); }
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

WEIR_HD __half weir_half(unsigned short bits)
{
    __half h;
    h.__x = bits;
    return h;
}
WEIR_HD unsigned weir_h2_bits(__half2 v)
{
    unsigned r;
    memcpy(&r, &v, 4);
    return r;
}
WEIR_HD __half2 weir_half2(unsigned bits)
{
    __half2 r;
    memcpy(&r, &bits, 4);
    return r;
}

/* ---- conversions by name ---- */
WEIR_HD __half __float2half(float f)
{
    return weir_half(weir_f2h(f, 'n'));
}
WEIR_HD __half __float2half_rn(float f)
{
    return weir_half(weir_f2h(f, 'n'));
}
WEIR_HD __half __float2half_rz(float f)
{
    return weir_half(weir_f2h(f, 'z'));
}
WEIR_HD __half __float2half_rd(float f)
{
    return weir_half(weir_f2h(f, 'd'));
}
WEIR_HD __half __float2half_ru(float f)
{
    return weir_half(weir_f2h(f, 'u'));
}
WEIR_HD __half __double2half(double d)
{
    return weir_half(weir_f2h((float)d, 'n'));
}
WEIR_HD float __half2float(__half h)
{
    return weir_h2f(h.__x);
}
WEIR_HD __half2 __float2half2_rn(float f)
{
    return __half2(__float2half(f), __float2half(f));
}
WEIR_HD __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__float2half(a), __float2half(b));
}
WEIR_HD __half2 __float22half2_rn(float2 v)
{
    return __floats2half2_rn(v.x, v.y);
}
WEIR_HD float2 __half22float2(__half2 v)
{
    return make_float2(weir_h2f(v.x.__x), weir_h2f(v.y.__x));
}
WEIR_HD float __low2float(__half2 v)
{
    return weir_h2f(v.x.__x);
}
WEIR_HD float __high2float(__half2 v)
{
    return weir_h2f(v.y.__x);
}
WEIR_HD __half __low2half(__half2 v)
{
    return v.x;
}
WEIR_HD __half __high2half(__half2 v)
{
    return v.y;
}
WEIR_HD __half2 __half2half2(__half h)
{
    return __half2(h, h);
}
WEIR_HD __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
WEIR_HD __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
WEIR_HD __half2 __low2half2(__half2 v)
{
    return __half2(v.x, v.x);
}
WEIR_HD __half2 __high2half2(__half2 v)
{
    return __half2(v.y, v.y);
}
WEIR_HD __half2 __lowhigh2highlow(__half2 v)
{
    return __half2(v.y, v.x);
}
WEIR_HD __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
WEIR_HD __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
WEIR_HD short __half_as_short(__half h)
{
    return (short)h.__x;
}
WEIR_HD unsigned short __half_as_ushort(__half h)
{
    return h.__x;
}
WEIR_HD __half __short_as_half(short s)
{
    return weir_half((unsigned short)s);
}
WEIR_HD __half __ushort_as_half(unsigned short s)
{
    return weir_half(s);
}
#define WEIR_INT_HALF(name, T)                                                                                         \
    WEIR_HD __half __##name##2half_rn(T i)                                                                             \
    {                                                                                                                  \
        return __float2half_rn((float)i);                                                                              \
    }                                                                                                                  \
    WEIR_HD __half __##name##2half_rz(T i)                                                                             \
    {                                                                                                                  \
        return __float2half_rz((float)i);                                                                              \
    }
WEIR_INT_HALF(int, int)
WEIR_INT_HALF(uint, unsigned)
WEIR_INT_HALF(short, short)
WEIR_INT_HALF(ushort, unsigned short)
WEIR_INT_HALF(ll, long long)
WEIR_INT_HALF(ull, unsigned long long)
#undef WEIR_INT_HALF
#define WEIR_HALF_INT(name, T)                                                                                         \
    WEIR_HD T __half2##name##_rn(__half h)                                                                             \
    {                                                                                                                  \
        return (T)__builtin_rintf(__half2float(h));                                                                    \
    }                                                                                                                  \
    WEIR_HD T __half2##name##_rz(__half h)                                                                             \
    {                                                                                                                  \
        return (T)__half2float(h);                                                                                     \
    }                                                                                                                  \
    WEIR_HD T __half2##name##_rd(__half h)                                                                             \
    {                                                                                                                  \
        return (T)__builtin_floorf(__half2float(h));                                                                   \
    }                                                                                                                  \
    WEIR_HD T __half2##name##_ru(__half h)                                                                             \
    {                                                                                                                  \
        return (T)__builtin_ceilf(__half2float(h));                                                                    \
    }
WEIR_HALF_INT(int, int)
WEIR_HALF_INT(uint, unsigned)
WEIR_HALF_INT(short, short)
WEIR_HALF_INT(ushort, unsigned short)
WEIR_HALF_INT(ll, long long)
WEIR_HALF_INT(ull, unsigned long long)
#undef WEIR_HALF_INT

/* ---- arithmetic ---- */
#if WEIR_ON_DEVICE
#define WEIR_H_BINARY(name, op, expression)                                                                            \
    WEIR_HD __half name(__half a, __half b)                                                                            \
    {                                                                                                                  \
        __half r;                                                                                                      \
        asm(op ".f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));                                             \
        return r;                                                                                                      \
    }                                                                                                                  \
    WEIR_HD __half2 name##2(__half2 a, __half2 b)                                                                      \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(weir_h2_bits(a)), "r"(weir_h2_bits(b)));                           \
        return weir_half2(r);                                                                                          \
    }
#else
#define WEIR_H_BINARY(name, op, expression)                                                                            \
    WEIR_HD __half name(__half x, __half y)                                                                            \
    {                                                                                                                  \
        float a = __half2float(x), b = __half2float(y);                                                                \
        return __float2half(expression);                                                                               \
    }                                                                                                                  \
    WEIR_HD __half2 name##2(__half2 a, __half2 b)                                                                      \
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
WEIR_H_BINARY(__hadd_sat, "add.sat", __builtin_fminf(__builtin_fmaxf(a + b, 0.0f), 1.0f))
WEIR_H_BINARY(__hsub_sat, "sub.sat", __builtin_fminf(__builtin_fmaxf(a - b, 0.0f), 1.0f))
WEIR_H_BINARY(__hmul_sat, "mul.sat", __builtin_fminf(__builtin_fmaxf(a *b, 0.0f), 1.0f))
#undef WEIR_H_BINARY
WEIR_HD __half2 __hadd2_sat(__half2 a, __half2 b)
{
    return __hadd_sat2(a, b);
}
WEIR_HD __half2 __hsub2_sat(__half2 a, __half2 b)
{
    return __hsub_sat2(a, b);
}
WEIR_HD __half2 __hmul2_sat(__half2 a, __half2 b)
{
    return __hmul_sat2(a, b);
}
WEIR_HD __half2 __hadd2_rn(__half2 a, __half2 b)
{
    return __hadd_rn2(a, b);
}
WEIR_HD __half2 __hsub2_rn(__half2 a, __half2 b)
{
    return __hsub_rn2(a, b);
}
WEIR_HD __half2 __hmul2_rn(__half2 a, __half2 b)
{
    return __hmul_rn2(a, b);
}
WEIR_HD __half __hfma(__half a, __half b, __half c)
{
#if WEIR_ON_DEVICE
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    /* The product of two halves is exact in float and the sum in double, so one rounding remains. */
    return __double2half((double)(__half2float(a) * __half2float(b)) + (double)__half2float(c));
#endif
}
WEIR_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
#if WEIR_ON_DEVICE
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(weir_h2_bits(a)), "r"(weir_h2_bits(b)), "r"(weir_h2_bits(c)));
    return weir_half2(r);
#else
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}
WEIR_HD __half __hdiv(__half a, __half b)
{
    return __float2half(__half2float(a) / __half2float(b));
}
WEIR_HD __half2 __h2div(__half2 a, __half2 b)
{
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
WEIR_HD __half __hneg(__half a)
{
    return weir_half(a.__x ^ 0x8000);
}
WEIR_HD __half2 __hneg2(__half2 a)
{
    return weir_half2(weir_h2_bits(a) ^ 0x80008000u);
}
WEIR_HD __half __habs(__half a)
{
    return weir_half(a.__x & 0x7fff);
}
WEIR_HD __half2 __habs2(__half2 a)
{
    return weir_half2(weir_h2_bits(a) & 0x7fff7fffu);
}
WEIR_HD bool __hisnan(__half a)
{
    return (a.__x & 0x7fff) > 0x7c00;
}
WEIR_HD int __hisinf(__half a)
{
    return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1;
}
WEIR_HD __half __hmax(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : __half2float(a) > __half2float(b) || (b.__x == 0x8000) ? a : b;
}
WEIR_HD __half __hmin(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : __half2float(a) < __half2float(b) || (a.__x == 0x8000) ? a : b;
}
WEIR_HD __half2 __hmax2(__half2 a, __half2 b)
{
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
WEIR_HD __half2 __hmin2(__half2 a, __half2 b)
{
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

/* ---- comparisons; the u-forms are true for unordered operands ---- */
#define WEIR_H_COMPARE(name, op)                                                                                       \
    WEIR_HD bool __h##name(__half a, __half b)                                                                         \
    {                                                                                                                  \
        return __half2float(a) op __half2float(b);                                                                     \
    }                                                                                                                  \
    WEIR_HD bool __h##name##u(__half a, __half b)                                                                      \
    {                                                                                                                  \
        return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                                          \
    }                                                                                                                  \
    WEIR_HD __half2 __h##name##2(__half2 a, __half2 b)                                                                 \
    {                                                                                                                  \
        return __floats2half2_rn(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f);                \
    }                                                                                                                  \
    WEIR_HD bool __hb##name##2(__half2 a, __half2 b)                                                                   \
    {                                                                                                                  \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                             \
    }
WEIR_H_COMPARE(eq, ==)
WEIR_H_COMPARE(lt, <)
WEIR_H_COMPARE(le, <=)
WEIR_H_COMPARE(gt, >)
WEIR_H_COMPARE(ge, >=)
#undef WEIR_H_COMPARE
WEIR_HD bool __hne(__half a, __half b)
{
    return !__hisnan(a) && !__hisnan(b) && __half2float(a) != __half2float(b);
}
WEIR_HD bool __hneu(__half a, __half b)
{
    return __half2float(a) != __half2float(b);
}

/* ---- functions, in single precision with the special-function unit ---- */
#if defined(__CUDA__)
#define WEIR_H_FUNCTION(name, expression)                                                                              \
    static __inline__ __device__ __attribute__((unused)) __half h##name(__half h)                                      \
    {                                                                                                                  \
        float x = __half2float(h);                                                                                     \
        return __float2half(expression);                                                                               \
    }                                                                                                                  \
    static __inline__ __device__ __attribute__((unused)) __half2 h2##name(__half2 v)                                   \
    {                                                                                                                  \
        return __half2(h##name(v.x), h##name(v.y));                                                                    \
    }
WEIR_H_FUNCTION(exp, __expf(x))
WEIR_H_FUNCTION(exp2, exp2f(x))
WEIR_H_FUNCTION(exp10, __exp10f(x))
WEIR_H_FUNCTION(log, logf(x))
WEIR_H_FUNCTION(log2, log2f(x))
WEIR_H_FUNCTION(log10, log10f(x))
WEIR_H_FUNCTION(sin, sinf(x))
WEIR_H_FUNCTION(cos, cosf(x))
WEIR_H_FUNCTION(tanh, tanhf(x))
WEIR_H_FUNCTION(sqrt, sqrtf(x))
WEIR_H_FUNCTION(rsqrt, rsqrtf(x))
WEIR_H_FUNCTION(rcp, 1.0f / x)
WEIR_H_FUNCTION(ceil, ceilf(x))
WEIR_H_FUNCTION(floor, floorf(x))
WEIR_H_FUNCTION(trunc, truncf(x))
WEIR_H_FUNCTION(rint, rintf(x))
#undef WEIR_H_FUNCTION

/* ---- memory and warps ---- */
#define WEIR_H_DEV static __inline__ __device__ __attribute__((unused))
WEIR_H_DEV __half __ldg(const __half *p)
{
    return weir_half(__ldg((const unsigned short *)p));
}
WEIR_H_DEV __half2 __ldg(const __half2 *p)
{
    return weir_half2(__ldg((const unsigned *)p));
}
#define WEIR_H_SHUFFLE(name, S)                                                                                        \
    WEIR_H_DEV __half2 name(unsigned mask, __half2 v, S lane, int width = 32)                                          \
    {                                                                                                                  \
        return weir_half2(name(mask, weir_h2_bits(v), lane, width));                                                   \
    }                                                                                                                  \
    WEIR_H_DEV __half name(unsigned mask, __half v, S lane, int width = 32)                                            \
    {                                                                                                                  \
        return weir_half((unsigned short)name(mask, (unsigned)v.__x, lane, width));                                    \
    }
WEIR_H_SHUFFLE(__shfl_sync, int)
WEIR_H_SHUFFLE(__shfl_up_sync, unsigned)
WEIR_H_SHUFFLE(__shfl_down_sync, unsigned)
WEIR_H_SHUFFLE(__shfl_xor_sync, int)
#undef WEIR_H_SHUFFLE
WEIR_H_DEV __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(weir_h2_bits(v)) : "memory");
    return weir_half2(old);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WEIR_H_DEV __half atomicAdd(__half *p, __half v)
{
    __half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.__x) : "l"(p), "h"(v.__x) : "memory");
    return old;
}
#endif
#undef WEIR_H_DEV
#endif

/* ---- operators ---- */
#ifndef __CUDA_NO_HALF_OPERATORS__
#define WEIR_H_OPERATOR(op, function)                                                                                  \
    WEIR_HD __half operator op(const __half &a, const __half &b)                                                       \
    {                                                                                                                  \
        return function(a, b);                                                                                         \
    }                                                                                                                  \
    WEIR_HD __half &operator op##=(__half &a, const __half &b)                                                         \
    {                                                                                                                  \
        return a = function(a, b);                                                                                     \
    }                                                                                                                  \
    WEIR_HD __half2 operator op(const __half2 &a, const __half2 &b)                                                    \
    {                                                                                                                  \
        return WEIR_H2(function)(a, b);                                                                                \
    }                                                                                                                  \
    WEIR_HD __half2 &operator op##=(__half2 &a, const __half2 &b)                                                      \
    {                                                                                                                  \
        return a = WEIR_H2(function)(a, b);                                                                            \
    }
#define WEIR_H2(function) weir_##function##_two
#define weir___hadd_two   __hadd2
#define weir___hsub_two   __hsub2
#define weir___hmul_two   __hmul2
#define weir___hdiv_two   __h2div
WEIR_H_OPERATOR(+, __hadd)
WEIR_H_OPERATOR(-, __hsub)
WEIR_H_OPERATOR(*, __hmul)
WEIR_H_OPERATOR(/, __hdiv)
#undef weir___hadd_two
#undef weir___hsub_two
#undef weir___hmul_two
#undef weir___hdiv_two
#undef WEIR_H2
#undef WEIR_H_OPERATOR
WEIR_HD __half operator+(const __half &a)
{
    return a;
}
WEIR_HD __half operator-(const __half &a)
{
    return __hneg(a);
}
WEIR_HD __half2 operator-(const __half2 &a)
{
    return __hneg2(a);
}
WEIR_HD bool operator==(const __half &a, const __half &b)
{
    return __heq(a, b);
}
WEIR_HD bool operator!=(const __half &a, const __half &b)
{
    return __hneu(a, b);
}
WEIR_HD bool operator<(const __half &a, const __half &b)
{
    return __hlt(a, b);
}
WEIR_HD bool operator<=(const __half &a, const __half &b)
{
    return __hle(a, b);
}
WEIR_HD bool operator>(const __half &a, const __half &b)
{
    return __hgt(a, b);
}
WEIR_HD bool operator>=(const __half &a, const __half &b)
{
    return __hge(a, b);
}
WEIR_HD bool operator==(const __half2 &a, const __half2 &b)
{
    return __hbeq2(a, b);
}
#endif

#undef WEIR_HD
#undef WEIR_ON_DEVICE
#pragma clang attribute pop

#endif /* __cplusplus */
#endif
