/*
 * bfloat16: __nv_bfloat16, the upper half of a float, and __nv_bfloat162, two of them.
 *
 * Conversions are shifts and an integer rounding; arithmetic works in single precision and rounds once, which gives the
 * correctly rounded sum, difference, product and quotient. From sm_80 on the fused multiply-add is the machine's own.
 * weir_half_ops.h has what bfloat16 and half share.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_H__
#pragma GCC system_header

#include "cuda_fp16.h"

#ifdef __cplusplus
#include "weir_half.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

WEIR_HALF_HD float weir_bf2f(unsigned short b)
{
    unsigned bits = (unsigned)b << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
/* mode: 'n' nearest even, 'z' toward zero, 'd' down, 'u' up. */
WEIR_HALF_HD unsigned short weir_f2bf(float f, char mode)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (mode == 'n') {
        unsigned short nearest;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(nearest) : "f"(f));
        return nearest;
    }
#endif
    unsigned bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    if (mode == 'n')
        bits += 0x7fff + (bits >> 16 & 1);
    else if ((mode == 'u' && !(bits >> 31)) || (mode == 'd' && bits >> 31))
        bits += 0xffff;
    return (unsigned short)(bits >> 16);
}

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
    __host__ __device__ __nv_bfloat16(float f) : __x(weir_f2bf(f, 'n')) {}
    __host__ __device__ __nv_bfloat16(double d) : __x(weir_f2bf(weir_odd(d), 'n')) {}
    explicit __host__ __device__ __nv_bfloat16(__half h) : __x(weir_f2bf(weir_h2f(h.__x), 'n')) {}
    __host__ __device__ __nv_bfloat16(short i) : __x(weir_f2bf(weir_odd((int)i), 'n')) {}
    __host__ __device__ __nv_bfloat16(unsigned short i) : __x(weir_f2bf(weir_odd((unsigned)i), 'n')) {}
    __host__ __device__ __nv_bfloat16(int i) : __x(weir_f2bf(weir_odd(i), 'n')) {}
    __host__ __device__ __nv_bfloat16(unsigned i) : __x(weir_f2bf(weir_odd(i), 'n')) {}
    __host__ __device__ __nv_bfloat16(long i) : __x(weir_f2bf(weir_odd((long long)i), 'n')) {}
    __host__ __device__ __nv_bfloat16(unsigned long i) : __x(weir_f2bf(weir_odd((unsigned long long)i), 'n')) {}
    __host__ __device__ __nv_bfloat16(long long i) : __x(weir_f2bf(weir_odd(i), 'n')) {}
    __host__ __device__ __nv_bfloat16(unsigned long long i) : __x(weir_f2bf(weir_odd(i), 'n')) {}
    __host__ __device__ __nv_bfloat16 &operator=(const __nv_bfloat16_raw &r)
    {
        __x = r.x;
        return *this;
    }
    __host__ __device__ __nv_bfloat16 &operator=(float f)
    {
        __x = weir_f2bf(f, 'n');
        return *this;
    }
    __host__ __device__ operator float() const { return weir_bf2f(__x); }
    __host__ __device__ operator __nv_bfloat16_raw() const
    {
        __nv_bfloat16_raw r = {__x};
        return r;
    }
    explicit __host__ __device__ operator bool() const { return (__x & 0x7fff) != 0; }
    explicit __host__ __device__ operator signed char() const { return weir_float_char(weir_bf2f(__x)); }
    explicit __host__ __device__ operator unsigned char() const { return weir_float_uchar(weir_bf2f(__x)); }
    explicit __host__ __device__ operator char() const { return (char)weir_float_char(weir_bf2f(__x)); }
    explicit __host__ __device__ operator short() const { return weir_float_short(weir_bf2f(__x)); }
    explicit __host__ __device__ operator unsigned short() const { return weir_float_ushort(weir_bf2f(__x)); }
    explicit __host__ __device__ operator int() const { return weir_float_int(weir_bf2f(__x)); }
    explicit __host__ __device__ operator unsigned() const { return weir_float_uint(weir_bf2f(__x)); }
    explicit __host__ __device__ operator long() const { return weir_float_ll(weir_bf2f(__x)); }
    explicit __host__ __device__ operator unsigned long() const { return weir_float_ull(weir_bf2f(__x)); }
    explicit __host__ __device__ operator long long() const { return weir_float_ll(weir_bf2f(__x)); }
    explicit __host__ __device__ operator unsigned long long() const { return weir_float_ull(weir_bf2f(__x)); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
    __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &r)
    {
        x.__x = r.x;
        y.__x = r.y;
    }
    __host__ __device__ operator __nv_bfloat162_raw() const
    {
        __nv_bfloat162_raw r = {x.__x, y.__x};
        return r;
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__host__ __device__ inline __half::__half(__nv_bfloat16 b) : __x(weir_f2h(weir_bf2f(b.__x), 'n'))
{
}
WEIR_HALF_HD __nv_bfloat16 weir_bf(unsigned short bits)
{
    __nv_bfloat16 b;
    b.__x = bits;
    return b;
}
WEIR_HALF_HD unsigned weir_bf2_bits(__nv_bfloat162 v)
{
    unsigned r;
    memcpy(&r, &v, 4);
    return r;
}
WEIR_HALF_HD __nv_bfloat162 weir_bf2(unsigned bits)
{
    __nv_bfloat162 r;
    memcpy(&r, &bits, 4);
    return r;
}
WEIR_HALF_HD __nv_bfloat16 __float2bfloat16(float f)
{
    return weir_bf(weir_f2bf(f, 'n'));
}
WEIR_HALF_HD __nv_bfloat16 __float2bfloat16_rn(float f)
{
    return weir_bf(weir_f2bf(f, 'n'));
}
WEIR_HALF_HD __nv_bfloat16 __float2bfloat16_rz(float f)
{
    return weir_bf(weir_f2bf(f, 'z'));
}
WEIR_HALF_HD __nv_bfloat16 __float2bfloat16_rd(float f)
{
    return weir_bf(weir_f2bf(f, 'd'));
}
WEIR_HALF_HD __nv_bfloat16 __float2bfloat16_ru(float f)
{
    return weir_bf(weir_f2bf(f, 'u'));
}
WEIR_HALF_HD __nv_bfloat16 __double2bfloat16(double d)
{
    return weir_bf(weir_f2bf(weir_odd(d), 'n'));
}
WEIR_HALF_HD float __bfloat162float(__nv_bfloat16 b)
{
    return weir_bf2f(b.__x);
}
WEIR_HALF_HD __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return __nv_bfloat162(__float2bfloat16(f), __float2bfloat16(f));
}
WEIR_HALF_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __nv_bfloat162 both;
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(b), "f"(a));
    memcpy(&both, &bits, 4);
    return both;
#endif
    return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b));
}
WEIR_HALF_HD __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __floats2bfloat162_rn(v.x, v.y);
}
WEIR_HALF_HD float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2(weir_bf2f(v.x.__x), weir_bf2f(v.y.__x));
}
WEIR_HALF_HD float __low2float(__nv_bfloat162 v)
{
    return weir_bf2f(v.x.__x);
}
WEIR_HALF_HD float __high2float(__nv_bfloat162 v)
{
    return weir_bf2f(v.y.__x);
}
WEIR_HALF_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}
WEIR_HALF_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}
WEIR_HALF_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 b)
{
    return __nv_bfloat162(b, b);
}
WEIR_HALF_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
WEIR_HALF_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
WEIR_HALF_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 b)
{
    return b.__x;
}
WEIR_HALF_HD short __bfloat16_as_short(__nv_bfloat16 b)
{
    return (short)b.__x;
}
WEIR_HALF_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short s)
{
    return weir_bf(s);
}
WEIR_HALF_HD __nv_bfloat16 __short_as_bfloat16(short s)
{
    return weir_bf((unsigned short)s);
}
WEIR_HALF_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.x, v.x);
}
WEIR_HALF_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.y);
}
WEIR_HALF_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.x);
}
WEIR_HALF_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
WEIR_HALF_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}

#define WEIR_BF_BINARY(name, name2, expression)                                                                        \
    WEIR_HALF_HD __nv_bfloat16 name(__nv_bfloat16 x, __nv_bfloat16 y)                                                  \
    {                                                                                                                  \
        float a = weir_bf2f(x.__x), b = weir_bf2f(y.__x);                                                              \
        return __float2bfloat16(expression);                                                                           \
    }                                                                                                                  \
    WEIR_HALF_HD __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b)                                              \
    {                                                                                                                  \
        return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                                         \
    }
WEIR_BF_BINARY(__hadd, __hadd2, a + b)
WEIR_BF_BINARY(__hsub, __hsub2, a - b)
WEIR_BF_BINARY(__hmul, __hmul2, a *b)
WEIR_BF_BINARY(__hdiv, __h2div, a / b)
WEIR_BF_BINARY(__hadd_rn, __hadd2_rn, a + b)
WEIR_BF_BINARY(__hsub_rn, __hsub2_rn, a - b)
WEIR_BF_BINARY(__hmul_rn, __hmul2_rn, a *b)
WEIR_BF_BINARY(__hadd_sat, __hadd2_sat, weir_saturate(a + b))
WEIR_BF_BINARY(__hsub_sat, __hsub2_sat, weir_saturate(a - b))
WEIR_BF_BINARY(__hmul_sat, __hmul2_sat, weir_saturate(a *b))
#undef WEIR_BF_BINARY
WEIR_HALF_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __nv_bfloat16 r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    /* The product is exact in double. */
    double product = (double)weir_bf2f(a.__x) * (double)weir_bf2f(b.__x);
    return __double2bfloat16(weir_odd_sum(product, (double)weir_bf2f(c.__x)));
#endif
}
WEIR_HALF_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WEIR_HALF_HD __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __float2bfloat16(weir_saturate(weir_bf2f(__hfma(a, b, c).__x)));
}
WEIR_HALF_HD __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}

#define WEIR_F             __nv_bfloat16
#define WEIR_F2            __nv_bfloat162
#define WEIR_VALUE(b)      weir_bf2f((b).__x)
#define WEIR_ROUND(f, how) weir_bf(weir_f2bf(f, how))
#define WEIR_MAKE(bits)    weir_bf(bits)
#define WEIR_PAIR(bits)    weir_bf2(bits)
#define WEIR_PAIR_BITS(v)  weir_bf2_bits(v)
#define WEIR_TO(a, how)    __##a##2bfloat16_##how
#define WEIR_FROM(a, how)  __bfloat162##a##_##how
#define WEIR_INF           0x7f80
#define WEIR_1             0x3f80
#define WEIR_TYPE          "bf16"
#define WEIR_SINCE         800
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define WEIR_OPERATORS
#endif
#include "weir_half_ops.h"

#if defined(__CUDA__)
/* The machine's own tanh: of bfloat16 from sm_90 on, of floats from sm_75 on. */
WEIR_HALF_DEV __nv_bfloat16 htanh_approx(__nv_bfloat16 a)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __nv_bfloat16 r;
    asm("tanh.approx.bf16 %0, %1;" : "=h"(r.__x) : "h"(a.__x));
    return r;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    float f;
    asm("tanh.approx.f32 %0, %1;" : "=f"(f) : "f"(weir_bf2f(a.__x)));
    return __float2bfloat16(f);
#else
    return htanh(a);
#endif
}
WEIR_HALF_DEV __nv_bfloat162 h2tanh_approx(__nv_bfloat162 a)
{
    return __nv_bfloat162(htanh_approx(a.x), htanh_approx(a.y));
}
/* An instruction from sm_90 on; before, the sum is put where what it was made of still stands. */
WEIR_HALF_DEV __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(weir_bf2_bits(v)) : "memory");
    return weir_bf2(old);
#else
    unsigned seen = *(volatile unsigned *)p, expected;
    do {
        expected = seen;
        seen = atomicCAS((unsigned *)p, expected, weir_bf2_bits(__hadd2(weir_bf2(expected), v)));
    } while (seen != expected);
    return weir_bf2(seen);
#endif
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WEIR_HALF_DEV __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __nv_bfloat16 old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old.__x) : "l"(p), "h"(v.__x) : "memory");
    return old;
#else
    unsigned short seen = *(volatile unsigned short *)p, expected;
    do {
        expected = seen;
        seen = atomicCAS((unsigned short *)p, expected, __hadd(weir_bf(expected), v).__x);
    } while (seen != expected);
    return weir_bf(seen);
#endif
}
#endif
#endif

#pragma clang attribute pop
#endif /* __cplusplus */
#endif
