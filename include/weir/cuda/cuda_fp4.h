/*
 * Four bits: e2m1, the numbers 0, 0.5, 1, 1.5, 2, 3, 4 and 6 with a sign, one or two in a byte.
 *
 * Conversions as functions, to the nearest number, ties to even, larger ones to 6, NaN to +6; and back. The machine has none
 * of them before Blackwell. Left out: the classes __nv_fp4_e2m1 ..., and six bits.
 */
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__
#pragma GCC system_header

#include "cuda_fp8.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

WEIR_HALF_HD __nv_fp4_storage_t __nv_cvt_double_to_fp4(double d, __nv_fp4_interpretation_t, enum cudaRoundMode)
{
    const double a = d < 0 ? -d : d;
    const int code = (a > 0.25) + (a >= 0.75) + (a > 1.25) + (a >= 1.75) + (a > 2.5) + (a >= 3.5) + (a > 5);
    return d != d ? 7 : (__nv_fp4_storage_t)(code | (__builtin_signbit(d) ? 8 : 0));
}
WEIR_HALF_HD __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 v, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode)
{
    const unsigned low = __nv_cvt_double_to_fp4(v.x, kind, mode), high = __nv_cvt_double_to_fp4(v.y, kind, mode);
    return (__nv_fp4x2_storage_t)(low | high << 4);
}

/* Every narrower type by way of it: T alone and in pairs, which are made of x and y. */
#define WEIR_TO_FP4(one, T, two, T2, x, y, wide)                                                                       \
    WEIR_HALF_HD __nv_fp4_storage_t __nv_cvt_##one##_to_fp4(T v, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) \
    {                                                                                                                  \
        return __nv_cvt_double_to_fp4((double)wide(v), kind, mode);                                                    \
    }                                                                                                                  \
    WEIR_HALF_HD __nv_fp4x2_storage_t __nv_cvt_##two##_to_fp4x2(T2 v, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) \
    {                                                                                                                  \
        const T low = {x}, high = {y};                                                                                 \
        return __nv_cvt_double2_to_fp4x2(make_double2((double)wide(low), (double)wide(high)), kind, mode);            \
    }
WEIR_TO_FP4(float, float, float2, float2, v.x, v.y, )
WEIR_TO_FP4(halfraw, __half_raw, halfraw2, __half2_raw, v.x, v.y, __half2float)
WEIR_TO_FP4(bfloat16raw, __nv_bfloat16_raw, bfloat16raw2, __nv_bfloat162_raw, v.x, v.y, __bfloat162float)
#undef WEIR_TO_FP4

WEIR_HALF_HD __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t v, __nv_fp4_interpretation_t)
{
    /* The exponent's bias is 15 instead of 1; 0.5 is the one subnormal number. */
    const unsigned code = v & 7;
    __half_raw h;
    h.x = (unsigned short)((v & 8) << 12 | (code == 1 ? 0x3800 : code ? (code << 9) + 0x3800 : 0));
    return h;
}
WEIR_HALF_HD __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t v, __nv_fp4_interpretation_t kind)
{
    const __half_raw low = __nv_cvt_fp4_to_halfraw(v, kind), high = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(v >> 4), kind);
    const __half2_raw h = {low.x, high.x};
    return h;
}
#pragma clang attribute pop
#endif

#endif
