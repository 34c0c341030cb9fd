/*
 * bfloat16: __nv_bfloat16, the upper half of a float, and __nv_bfloat162, two of them.
 *
 * Conversions are shifts and an integer rounding; arithmetic works in single precision and rounds once, which gives the
 * correctly rounded sum, difference, product and quotient. From sm_80 on the fused multiply-add is the machine's own.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_H__
#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __cplusplus
#include <string.h>

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

#define WEIR_HD static __inline__ __host__ __device__ __attribute__((always_inline, unused))

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

WEIR_HD float weir_bf2f(unsigned short b)
{
    unsigned bits = (unsigned)b << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
/* mode: 'n' nearest even, 'z' towards zero, 'd' down, 'u' up. */
WEIR_HD unsigned short weir_f2bf(float f, char mode)
{
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
    __host__ __device__ __nv_bfloat16(double d) : __x(weir_f2bf((float)d, 'n')) {}
    __host__ __device__ __nv_bfloat16(int i) : __x(weir_f2bf((float)i, 'n')) {}
    __host__ __device__ __nv_bfloat16(unsigned i) : __x(weir_f2bf((float)i, 'n')) {}
    __host__ __device__ __nv_bfloat16(long long i) : __x(weir_f2bf((float)i, 'n')) {}
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
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WEIR_HD __nv_bfloat16 weir_bf(unsigned short bits)
{
    __nv_bfloat16 b;
    b.__x = bits;
    return b;
}
WEIR_HD __nv_bfloat16 __float2bfloat16(float f)
{
    return weir_bf(weir_f2bf(f, 'n'));
}
WEIR_HD __nv_bfloat16 __float2bfloat16_rn(float f)
{
    return weir_bf(weir_f2bf(f, 'n'));
}
WEIR_HD __nv_bfloat16 __float2bfloat16_rz(float f)
{
    return weir_bf(weir_f2bf(f, 'z'));
}
WEIR_HD __nv_bfloat16 __float2bfloat16_rd(float f)
{
    return weir_bf(weir_f2bf(f, 'd'));
}
WEIR_HD __nv_bfloat16 __float2bfloat16_ru(float f)
{
    return weir_bf(weir_f2bf(f, 'u'));
}
WEIR_HD __nv_bfloat16 __double2bfloat16(double d)
{
    return weir_bf(weir_f2bf((float)d, 'n'));
}
WEIR_HD float __bfloat162float(__nv_bfloat16 b)
{
    return weir_bf2f(b.__x);
}
WEIR_HD __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return __nv_bfloat162(__float2bfloat16(f), __float2bfloat16(f));
}
WEIR_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b));
}
WEIR_HD __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __floats2bfloat162_rn(v.x, v.y);
}
WEIR_HD float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2(weir_bf2f(v.x.__x), weir_bf2f(v.y.__x));
}
WEIR_HD float __low2float(__nv_bfloat162 v)
{
    return weir_bf2f(v.x.__x);
}
WEIR_HD float __high2float(__nv_bfloat162 v)
{
    return weir_bf2f(v.y.__x);
}
WEIR_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}
WEIR_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}
WEIR_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 b)
{
    return __nv_bfloat162(b, b);
}
WEIR_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
WEIR_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
WEIR_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 b)
{
    return b.__x;
}
WEIR_HD short __bfloat16_as_short(__nv_bfloat16 b)
{
    return (short)b.__x;
}
WEIR_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short s)
{
    return weir_bf(s);
}
WEIR_HD __nv_bfloat16 __short_as_bfloat16(short s)
{
    return weir_bf((unsigned short)s);
}
WEIR_HD __nv_bfloat16 __int2bfloat16_rn(int i)
{
    return __float2bfloat16((float)i);
}
WEIR_HD int __bfloat162int_rz(__nv_bfloat16 b)
{
    return (int)weir_bf2f(b.__x);
}

#define WEIR_BF_BINARY(name, name2, op)                                                                                \
    WEIR_HD __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                                                       \
    {                                                                                                                  \
        return __float2bfloat16(weir_bf2f(a.__x) op weir_bf2f(b.__x));                                                 \
    }                                                                                                                  \
    WEIR_HD __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b)                                                   \
    {                                                                                                                  \
        return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                                         \
    }
WEIR_BF_BINARY(__hadd, __hadd2, +)
WEIR_BF_BINARY(__hsub, __hsub2, -)
WEIR_BF_BINARY(__hmul, __hmul2, *)
WEIR_BF_BINARY(__hdiv, __h2div, /)
#undef WEIR_BF_BINARY
WEIR_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __nv_bfloat16 r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    /* The product is exact in float. */
    return __double2bfloat16((double)(weir_bf2f(a.__x) * weir_bf2f(b.__x)) + (double)weir_bf2f(c.__x));
#endif
}
WEIR_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WEIR_HD __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
    return weir_bf(a.__x ^ 0x8000);
}
WEIR_HD __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return weir_bf(a.__x & 0x7fff);
}
WEIR_HD bool __hisnan(__nv_bfloat16 a)
{
    return (a.__x & 0x7fff) > 0x7f80;
}
WEIR_HD __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : weir_bf2f(a.__x) > weir_bf2f(b.__x) || b.__x == 0x8000 ? a : b;
}
WEIR_HD __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : weir_bf2f(a.__x) < weir_bf2f(b.__x) || a.__x == 0x8000 ? a : b;
}
#define WEIR_BF_COMPARE(name, op)                                                                                      \
    WEIR_HD bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b)                                                           \
    {                                                                                                                  \
        return weir_bf2f(a.__x) op weir_bf2f(b.__x);                                                                   \
    }                                                                                                                  \
    WEIR_HD bool operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b)                                           \
    {                                                                                                                  \
        return __h##name(a, b);                                                                                        \
    }
WEIR_BF_COMPARE(eq, ==)
WEIR_BF_COMPARE(lt, <)
WEIR_BF_COMPARE(le, <=)
WEIR_BF_COMPARE(gt, >)
WEIR_BF_COMPARE(ge, >=)
#undef WEIR_BF_COMPARE
WEIR_HD bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return weir_bf2f(a.__x) != weir_bf2f(b.__x);
}
#define WEIR_BF_OPERATOR(op, function, function2)                                                                      \
    WEIR_HD __nv_bfloat16 operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b)                                  \
    {                                                                                                                  \
        return function(a, b);                                                                                         \
    }                                                                                                                  \
    WEIR_HD __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, const __nv_bfloat16 &b)                                    \
    {                                                                                                                  \
        return a = function(a, b);                                                                                     \
    }                                                                                                                  \
    WEIR_HD __nv_bfloat162 operator op(const __nv_bfloat162 &a, const __nv_bfloat162 &b)                               \
    {                                                                                                                  \
        return function2(a, b);                                                                                        \
    }
WEIR_BF_OPERATOR(+, __hadd, __hadd2)
WEIR_BF_OPERATOR(-, __hsub, __hsub2)
WEIR_BF_OPERATOR(*, __hmul, __hmul2)
WEIR_BF_OPERATOR(/, __hdiv, __h2div)
#undef WEIR_BF_OPERATOR
WEIR_HD __nv_bfloat16 operator-(const __nv_bfloat16 &a)
{
    return __hneg(a);
}

#undef WEIR_HD

#pragma clang attribute pop
#endif /* __cplusplus */
#endif
