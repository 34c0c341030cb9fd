/*
 * The device library, part one: operations that are one or two PTX instructions each. Bits, integers, conversions with
 * a rounding mode, arithmetic with a rounding mode, the approximate functions of the special-function unit.
 *
 * The names are those that clang's CUDA headers call. Each function is a few lines over compiler built-ins, so that the
 * optimizer sees through it and a kernel that calls __popc() executes one popc.
 */
#ifndef WEIR_CUDA_LIBDEVICE_H
#define WEIR_CUDA_LIBDEVICE_H

#define WEIR_FN extern "C" __device__ inline __attribute__((always_inline))

/* --ftz=true and -use_fast_math flush single-precision denormals: the .ftz form of an instruction does. */
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define WEIR_F(stem)   __nvvm_##stem##_ftz_f
#define WEIR_CVT(stem) __nvvm_##stem##_ftz
#else
#define WEIR_F(stem)   __nvvm_##stem##_f
#define WEIR_CVT(stem) __nvvm_##stem
#endif

/* ---- bits ---- */
WEIR_FN int __nv_clz(int a)
{
    return a ? __builtin_clz((unsigned)a) : 32;
}
WEIR_FN int __nv_clzll(long long a)
{
    return a ? __builtin_clzll((unsigned long long)a) : 64;
}
WEIR_FN int __nv_popc(int a)
{
    return __builtin_popcount((unsigned)a);
}
WEIR_FN int __nv_popcll(long long a)
{
    return __builtin_popcountll((unsigned long long)a);
}
WEIR_FN int __nv_brev(int a)
{
    return (int)__builtin_bitreverse32((unsigned)a);
}
WEIR_FN long long __nv_brevll(long long a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)a);
}
WEIR_FN int __nv_ffs(int a)
{
    return __builtin_ffs(a);
}
WEIR_FN int __nv_ffsll(long long a)
{
    return __builtin_ffsll(a);
}
WEIR_FN int __nv_byte_perm(int a, int b, int c)
{
    return (int)__nvvm_prmt((unsigned)a, (unsigned)b, (unsigned)c);
}

/* ---- integers ---- */
WEIR_FN int __nv_abs(int a)
{
    return a < 0 ? (int)-(unsigned)a : a;
}
WEIR_FN long long __nv_llabs(long long a)
{
    return a < 0 ? (long long)-(unsigned long long)a : a;
}
WEIR_FN int __nv_min(int a, int b)
{
    return a < b ? a : b;
}
WEIR_FN int __nv_max(int a, int b)
{
    return a > b ? a : b;
}
WEIR_FN unsigned __nv_umin(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
WEIR_FN unsigned __nv_umax(unsigned a, unsigned b)
{
    return a > b ? a : b;
}
WEIR_FN long long __nv_llmin(long long a, long long b)
{
    return a < b ? a : b;
}
WEIR_FN long long __nv_llmax(long long a, long long b)
{
    return a > b ? a : b;
}
WEIR_FN unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
WEIR_FN unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
WEIR_FN int __nv_mulhi(int a, int b)
{
    return (int)(((long long)a * b) >> 32);
}
WEIR_FN unsigned __nv_umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a * b) >> 32);
}
WEIR_FN long long __nv_mul64hi(long long a, long long b)
{
    return __nvvm_mulhi_ll(a, b);
}
WEIR_FN unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
WEIR_FN int __nv_mul24(int a, int b)
{
    return __nvvm_mul24_i(a, b);
}
WEIR_FN unsigned __nv_umul24(unsigned a, unsigned b)
{
    return __nvvm_mul24_ui(a, b);
}
WEIR_FN unsigned __nv_sad(int a, int b, unsigned c)
{
    return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}
WEIR_FN unsigned __nv_usad(unsigned a, unsigned b, unsigned c)
{
    return (a < b ? b - a : a - b) + c;
}
/* Averages without overflow: halves of the sum are halves of the differing bits plus the common ones. */
WEIR_FN int __nv_hadd(int a, int b)
{
    return (a & b) + ((a ^ b) >> 1);
}
WEIR_FN unsigned __nv_uhadd(unsigned a, unsigned b)
{
    return (a & b) + ((a ^ b) >> 1);
}
WEIR_FN int __nv_rhadd(int a, int b)
{
    return (a | b) - ((a ^ b) >> 1);
}
WEIR_FN unsigned __nv_urhadd(unsigned a, unsigned b)
{
    return (a | b) - ((a ^ b) >> 1);
}

/* ---- the same bits as another type ---- */
WEIR_FN int __nv_float_as_int(float a)
{
    return __builtin_bit_cast(int, a);
}
WEIR_FN unsigned __nv_float_as_uint(float a)
{
    return __builtin_bit_cast(unsigned, a);
}
WEIR_FN float __nv_int_as_float(int a)
{
    return __builtin_bit_cast(float, a);
}
WEIR_FN float __nv_uint_as_float(unsigned a)
{
    return __builtin_bit_cast(float, a);
}
WEIR_FN unsigned long long __nv_double_as_longlong(double a)
{
    return __builtin_bit_cast(unsigned long long, a);
}
WEIR_FN double __nv_longlong_as_double(long long a)
{
    return __builtin_bit_cast(double, a);
}
WEIR_FN int __nv_double2hiint(double a)
{
    return (int)(__builtin_bit_cast(unsigned long long, a) >> 32);
}
WEIR_FN int __nv_double2loint(double a)
{
    return (int)__builtin_bit_cast(unsigned long long, a);
}
WEIR_FN double __nv_hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double, ((unsigned long long)(unsigned)hi << 32) | (unsigned)lo);
}

/*
 * ---- conversions; the mode's letter is PTX's: rn nearest, rz zero, rd (rm) down, ru (rp) up ----
 * The compiler takes its built-ins with rz for plain C casts, which round and overflow otherwise; hence the assembly.
 */
#define WEIR_CONVERT(R, name, T, builtin, rz, r, t)                                                                    \
    WEIR_FN R __nv_##name##_rn(T a)                                                                                    \
    {                                                                                                                  \
        return (R)builtin##_rn(a);                                                                                     \
    }                                                                                                                  \
    WEIR_FN R __nv_##name##_rd(T a)                                                                                    \
    {                                                                                                                  \
        return (R)builtin##_rm(a);                                                                                     \
    }                                                                                                                  \
    WEIR_FN R __nv_##name##_ru(T a)                                                                                    \
    {                                                                                                                  \
        return (R)builtin##_rp(a);                                                                                     \
    }                                                                                                                  \
    WEIR_FN R __nv_##name##_rz(T a)                                                                                    \
    {                                                                                                                  \
        R v;                                                                                                           \
        __asm__("cvt." rz " %0, %1;" : "=" r(v) : t(a));                                                               \
        return v;                                                                                                      \
    }
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define WEIR_RZI "rzi.ftz."
#else
#define WEIR_RZI "rzi."
#endif
WEIR_CONVERT(int, float2int, float, __nvvm_f2i, WEIR_RZI "s32.f32", "r", "f")
WEIR_CONVERT(unsigned, float2uint, float, __nvvm_f2ui, WEIR_RZI "u32.f32", "r", "f")
WEIR_CONVERT(long long, float2ll, float, __nvvm_f2ll, WEIR_RZI "s64.f32", "l", "f")
WEIR_CONVERT(unsigned long long, float2ull, float, __nvvm_f2ull, WEIR_RZI "u64.f32", "l", "f")
WEIR_CONVERT(int, double2int, double, __nvvm_d2i, "rzi.s32.f64", "r", "d")
WEIR_CONVERT(unsigned, double2uint, double, __nvvm_d2ui, "rzi.u32.f64", "r", "d")
WEIR_CONVERT(long long, double2ll, double, __nvvm_d2ll, "rzi.s64.f64", "l", "d")
WEIR_CONVERT(unsigned long long, double2ull, double, __nvvm_d2ull, "rzi.u64.f64", "l", "d")
WEIR_CONVERT(float, int2float, int, __nvvm_i2f, "rz.f32.s32", "f", "r")
WEIR_CONVERT(float, uint2float, unsigned, __nvvm_ui2f, "rz.f32.u32", "f", "r")
WEIR_CONVERT(float, ll2float, long long, __nvvm_ll2f, "rz.f32.s64", "f", "l")
WEIR_CONVERT(float, ull2float, unsigned long long, __nvvm_ull2f, "rz.f32.u64", "f", "l")
WEIR_CONVERT(double, ll2double, long long, __nvvm_ll2d, "rz.f64.s64", "d", "l")
WEIR_CONVERT(double, ull2double, unsigned long long, __nvvm_ull2d, "rz.f64.u64", "d", "l")
WEIR_CONVERT(float, double2float, double, __nvvm_d2f, "rz.f32.f64", "f", "d")
#undef WEIR_CONVERT
#undef WEIR_RZI
WEIR_FN double __nv_int2double_rn(int a)
{
    return (double)a;
}
WEIR_FN double __nv_uint2double_rn(unsigned a)
{
    return (double)a;
}
WEIR_FN unsigned short __nv_float2half_rn(float a)
{
    unsigned short h;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
    return h;
}
WEIR_FN float __nv_half2float(unsigned short h)
{
    float a;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(h));
    return a;
}

/* ---- arithmetic with a rounding mode; never fused with a neighbor ---- */
#define WEIR_ROUNDED1(T, name, stem, suffix)                                                                           \
    WEIR_FN T __nv_##name##_rn(T a)                                                                                    \
    {                                                                                                                  \
        return suffix(stem##_rn)(a);                                                                                   \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rz(T a)                                                                                    \
    {                                                                                                                  \
        return suffix(stem##_rz)(a);                                                                                   \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rd(T a)                                                                                    \
    {                                                                                                                  \
        return suffix(stem##_rm)(a);                                                                                   \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_ru(T a)                                                                                    \
    {                                                                                                                  \
        return suffix(stem##_rp)(a);                                                                                   \
    }
#define WEIR_ROUNDED2(T, name, stem, suffix)                                                                           \
    WEIR_FN T __nv_##name##_rn(T a, T b)                                                                               \
    {                                                                                                                  \
        return suffix(stem##_rn)(a, b);                                                                                \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rz(T a, T b)                                                                               \
    {                                                                                                                  \
        return suffix(stem##_rz)(a, b);                                                                                \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rd(T a, T b)                                                                               \
    {                                                                                                                  \
        return suffix(stem##_rm)(a, b);                                                                                \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_ru(T a, T b)                                                                               \
    {                                                                                                                  \
        return suffix(stem##_rp)(a, b);                                                                                \
    }
#define WEIR_ROUNDED3(T, name, stem, suffix)                                                                           \
    WEIR_FN T __nv_##name##_rn(T a, T b, T c)                                                                          \
    {                                                                                                                  \
        return suffix(stem##_rn)(a, b, c);                                                                             \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rz(T a, T b, T c)                                                                          \
    {                                                                                                                  \
        return suffix(stem##_rz)(a, b, c);                                                                             \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rd(T a, T b, T c)                                                                          \
    {                                                                                                                  \
        return suffix(stem##_rm)(a, b, c);                                                                             \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_ru(T a, T b, T c)                                                                          \
    {                                                                                                                  \
        return suffix(stem##_rp)(a, b, c);                                                                             \
    }
#define WEIR_D(stem)      __nvvm_##stem##_d
#define WEIR_F_IEEE(stem) __nvvm_##stem##_f
WEIR_ROUNDED2(float, fadd, add, WEIR_F)
WEIR_ROUNDED2(float, fmul, mul, WEIR_F)
WEIR_ROUNDED2(float, fdiv, div, WEIR_F)
WEIR_ROUNDED1(float, frcp, rcp, WEIR_F)
WEIR_ROUNDED1(float, fsqrt, sqrt, WEIR_F)
WEIR_ROUNDED3(float, fmaf, fma, WEIR_F)
WEIR_ROUNDED3(float, fmaf_ieee, fma, WEIR_F_IEEE)
WEIR_ROUNDED2(double, dadd, add, WEIR_D)
WEIR_ROUNDED2(double, dmul, mul, WEIR_D)
WEIR_ROUNDED2(double, ddiv, div, WEIR_D)
WEIR_ROUNDED1(double, drcp, rcp, WEIR_D)
WEIR_ROUNDED1(double, dsqrt, sqrt, WEIR_D)
WEIR_ROUNDED3(double, fma, fma, WEIR_D)
#undef WEIR_ROUNDED1
#undef WEIR_ROUNDED2
#undef WEIR_ROUNDED3
#define WEIR_SUB(T, name, add)                                                                                         \
    WEIR_FN T __nv_##name##_rn(T a, T b)                                                                               \
    {                                                                                                                  \
        return __nv_##add##_rn(a, -b);                                                                                 \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rz(T a, T b)                                                                               \
    {                                                                                                                  \
        return __nv_##add##_rz(a, -b);                                                                                 \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_rd(T a, T b)                                                                               \
    {                                                                                                                  \
        return __nv_##add##_rd(a, -b);                                                                                 \
    }                                                                                                                  \
    WEIR_FN T __nv_##name##_ru(T a, T b)                                                                               \
    {                                                                                                                  \
        return __nv_##add##_ru(a, -b);                                                                                 \
    }
WEIR_SUB(float, fsub, fadd)
WEIR_SUB(double, dsub, dadd)
#undef WEIR_SUB

/* ---- signs, classes, minima, whole numbers ---- */
WEIR_FN float __nv_fabsf(float a)
{
    return __builtin_fabsf(a);
}
WEIR_FN double __nv_fabs(double a)
{
    return __builtin_fabs(a);
}
WEIR_FN float __nv_copysignf(float a, float b)
{
    return __builtin_copysignf(a, b);
}
WEIR_FN double __nv_copysign(double a, double b)
{
    return __builtin_copysign(a, b);
}
WEIR_FN int __nv_signbitf(float a)
{
    return __nv_float_as_int(a) < 0;
}
WEIR_FN int __nv_signbitd(double a)
{
    return __nv_double2hiint(a) < 0;
}
WEIR_FN int __nv_isnanf(float a)
{
    return a != a;
}
WEIR_FN int __nv_isnand(double a)
{
    return a != a;
}
WEIR_FN int __nv_isinff(float a)
{
    return __builtin_fabsf(a) == __builtin_inff();
}
WEIR_FN int __nv_isinfd(double a)
{
    return __builtin_fabs(a) == __builtin_inf();
}
WEIR_FN int __nv_finitef(float a)
{
    return __builtin_fabsf(a) < __builtin_inff();
}
WEIR_FN int __nv_isfinited(double a)
{
    return __builtin_fabs(a) < __builtin_inf();
}
WEIR_FN float __nv_fminf(float a, float b)
{
    return WEIR_F(fmin)(a, b);
}
WEIR_FN float __nv_fmaxf(float a, float b)
{
    return WEIR_F(fmax)(a, b);
}
WEIR_FN double __nv_fmin(double a, double b)
{
    return __nvvm_fmin_d(a, b);
}
WEIR_FN double __nv_fmax(double a, double b)
{
    return __nvvm_fmax_d(a, b);
}
WEIR_FN float __nv_fdimf(float a, float b)
{
    return a <= b ? 0.0f : a - b;
}
WEIR_FN double __nv_fdim(double a, double b)
{
    return a <= b ? 0.0 : a - b;
}
WEIR_FN float __nv_saturatef(float a)
{
    return WEIR_F(saturate)(a);
}
WEIR_FN float __nv_floorf(float a)
{
    return __builtin_floorf(a);
}
WEIR_FN float __nv_ceilf(float a)
{
    return __builtin_ceilf(a);
}
WEIR_FN float __nv_truncf(float a)
{
    return __builtin_truncf(a);
}
WEIR_FN float __nv_rintf(float a)
{
    return __builtin_rintf(a);
}
WEIR_FN float __nv_nearbyintf(float a)
{
    return __builtin_nearbyintf(a);
}
WEIR_FN double __nv_floor(double a)
{
    return __builtin_floor(a);
}
WEIR_FN double __nv_ceil(double a)
{
    return __builtin_ceil(a);
}
WEIR_FN double __nv_trunc(double a)
{
    return __builtin_trunc(a);
}
WEIR_FN double __nv_rint(double a)
{
    return __builtin_rint(a);
}
WEIR_FN double __nv_nearbyint(double a)
{
    return __builtin_nearbyint(a);
}
/* Half away from zero. The addend is the largest number below one half: one half itself would carry 0.49999997f up. */
WEIR_FN float __nv_roundf(float a)
{
    float t = __builtin_truncf(a + __builtin_copysignf(__builtin_bit_cast(float, 0x3effffff), a));
    return __builtin_copysignf(__builtin_fabsf(a) < 8388608.0f ? t : a, a);
}
WEIR_FN double __nv_round(double a)
{
    double t = __builtin_trunc(a + __builtin_copysign(__builtin_bit_cast(double, 0x3fdfffffffffffffull), a));
    return __builtin_copysign(__builtin_fabs(a) < 4503599627370496.0 ? t : a, a);
}
WEIR_FN long long __nv_llrintf(float a)
{
    return __nvvm_f2ll_rn(a);
}
WEIR_FN long long __nv_llrint(double a)
{
    return __nvvm_d2ll_rn(a);
}
WEIR_FN long long __nv_llroundf(float a)
{
    return (long long)__nv_roundf(a);
}
WEIR_FN long long __nv_llround(double a)
{
    return (long long)__nv_round(a);
}
WEIR_FN float __nv_nanf(const signed char *)
{
    return __builtin_nanf("");
}
WEIR_FN double __nv_nan(const signed char *)
{
    return __builtin_nan("");
}
WEIR_FN float __nv_fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
WEIR_FN double __nv_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* ---- the special-function unit ---- */
WEIR_FN float __nv_sqrtf(float a)
{
    return __builtin_sqrtf(a);
}
WEIR_FN double __nv_sqrt(double a)
{
    return __builtin_sqrt(a);
}
WEIR_FN float __nv_rsqrtf(float a)
{
    return WEIR_F(rsqrt_approx)(a);
}
WEIR_FN float __nv_frsqrt_rn(float a)
{
    return (float)(1.0 / __builtin_sqrt((double)a));
}
WEIR_FN float __nv_fast_sinf(float a)
{
    return WEIR_F(sin_approx)(a);
}
WEIR_FN float __nv_fast_cosf(float a)
{
    return WEIR_F(cos_approx)(a);
}
WEIR_FN void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}
WEIR_FN float __nv_fast_fdividef(float a, float b)
{
    return WEIR_F(div_approx)(a, b);
}
WEIR_FN float __nv_fast_tanf(float a)
{
    return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a));
}
WEIR_FN float __nv_fast_log2f(float a)
{
    return WEIR_F(lg2_approx)(a);
}
WEIR_FN float __nv_fast_logf(float a)
{
    return WEIR_F(lg2_approx)(a) * 0.693147182f;
}
WEIR_FN float __nv_fast_log10f(float a)
{
    return WEIR_F(lg2_approx)(a) * 0.301029996f;
}
WEIR_FN float __nv_fast_expf(float a)
{
    return WEIR_F(ex2_approx)(a * 1.44269502f);
}
WEIR_FN float __nv_fast_exp10f(float a)
{
    return WEIR_F(ex2_approx)(a * 3.32192802f);
}
WEIR_FN float __nv_fast_powf(float a, float b)
{
    return WEIR_F(ex2_approx)(b * WEIR_F(lg2_approx)(a));
}

#endif
