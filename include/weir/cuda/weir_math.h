/*
 * The device library, part two: what CUDA's math functions are called inside, declared once. weir_math_f32.h,
 * weir_math_f64.h and weir_math_special.h define them.
 */
#ifndef WEIR_CUDA_MATH_H
#define WEIR_CUDA_MATH_H

extern "C" {
/* X##f is the single-precision twin. */
#define WEIR_MATH1(X)                                                                                                  \
    __device__ double __nv_##X(double);                                                                                \
    __device__ float __nv_##X                                                                                          \
    ##f(float);
#define WEIR_MATH2(X)                                                                                                  \
    __device__ double __nv_##X(double, double);                                                                        \
    __device__ float __nv_##X                                                                                          \
    ##f(float, float);
WEIR_MATH1(sin)
WEIR_MATH1(cos)
WEIR_MATH1(tan)
WEIR_MATH1(asin) WEIR_MATH1(acos) WEIR_MATH1(atan) WEIR_MATH1(sinh) WEIR_MATH1(cosh) WEIR_MATH1(tanh) WEIR_MATH1(asinh)
    WEIR_MATH1(acosh) WEIR_MATH1(atanh) WEIR_MATH1(sinpi) WEIR_MATH1(cospi) WEIR_MATH1(exp) WEIR_MATH1(exp2)
        WEIR_MATH1(exp10) WEIR_MATH1(expm1) WEIR_MATH1(log) WEIR_MATH1(log2) WEIR_MATH1(log10) WEIR_MATH1(log1p)
            WEIR_MATH1(logb) WEIR_MATH1(cbrt) WEIR_MATH1(rcbrt) WEIR_MATH1(erf) WEIR_MATH1(erfc) WEIR_MATH1(erfcx)
                WEIR_MATH1(erfinv) WEIR_MATH1(erfcinv) WEIR_MATH1(normcdf) WEIR_MATH1(normcdfinv) WEIR_MATH1(tgamma)
                    WEIR_MATH1(lgamma) WEIR_MATH1(j0) WEIR_MATH1(j1) WEIR_MATH1(y0) WEIR_MATH1(y1)
                        WEIR_MATH1(cyl_bessel_i0) WEIR_MATH1(cyl_bessel_i1) WEIR_MATH2(pow) WEIR_MATH2(atan2)
                            WEIR_MATH2(hypot) WEIR_MATH2(rhypot) WEIR_MATH2(fmod) WEIR_MATH2(remainder)
                                WEIR_MATH2(nextafter)
#undef WEIR_MATH1
#undef WEIR_MATH2
                                    __device__ double __nv_rsqrt(double);
__device__ void __nv_sincos(double, double *, double *);
__device__ void __nv_sincosf(float, float *, float *);
__device__ void __nv_sincospi(double, double *, double *);
__device__ void __nv_sincospif(float, float *, float *);
__device__ double __nv_remquo(double, double, int *);
__device__ float __nv_remquof(float, float, int *);
__device__ double __nv_frexp(double, int *);
__device__ float __nv_frexpf(float, int *);
__device__ double __nv_ldexp(double, int);
__device__ float __nv_ldexpf(float, int);
__device__ double __nv_scalbn(double, int);
__device__ float __nv_scalbnf(float, int);
__device__ int __nv_ilogb(double);
__device__ int __nv_ilogbf(float);
__device__ double __nv_modf(double, double *);
__device__ float __nv_modff(float, float *);
__device__ double __nv_powi(double, int);
__device__ float __nv_powif(float, int);
__device__ double __nv_norm3d(double, double, double);
__device__ float __nv_norm3df(float, float, float);
__device__ double __nv_norm4d(double, double, double, double);
__device__ float __nv_norm4df(float, float, float, float);
__device__ double __nv_rnorm3d(double, double, double);
__device__ float __nv_rnorm3df(float, float, float);
__device__ double __nv_rnorm4d(double, double, double, double);
__device__ float __nv_rnorm4df(float, float, float, float);
__device__ double __nv_norm(int, const double *);
__device__ float __nv_normf(int, const float *);
__device__ double __nv_rnorm(int, const double *);
__device__ float __nv_rnormf(int, const float *);
__device__ double __nv_jn(int, double);
__device__ float __nv_jnf(int, float);
__device__ double __nv_yn(int, double);
__device__ float __nv_ynf(int, float);
}

#endif
