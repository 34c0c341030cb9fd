/*
 * The device library, part six: math functions for float under the names without f, as CUDA's C++ headers overload them, and for the host
 * those that CUDA adds to the C library's.
 *
 * clang declares the overloads of <cmath>'s names and leaves most to NVIDIA's headers to define; those of CUDA's own names
 * (rsqrt and below) it does not know. Without them a float would pass through double precision, or find no function at all.
 */
#ifndef WEIR_CUDA_MATH_OVERLOADS_H
#define WEIR_CUDA_MATH_OVERLOADS_H

#define WEIR_OF_FLOAT static __inline__ __device__ __attribute__((always_inline))
#define WEIR_FLOAT1(R, X)                                                                                              \
    WEIR_OF_FLOAT R X(float a)                                                                                         \
    {                                                                                                                  \
        return X##f(a);                                                                                                \
    }
#define WEIR_FLOAT2(X)                                                                                                 \
    WEIR_OF_FLOAT float X(float a, float b)                                                                            \
    {                                                                                                                  \
        return X##f(a, b);                                                                                             \
    }
WEIR_FLOAT1(float, acosh)
WEIR_FLOAT1(float, asinh)
WEIR_FLOAT1(float, atanh)
WEIR_FLOAT1(float, cbrt)
WEIR_FLOAT1(float, erf)
WEIR_FLOAT1(float, erfc)
WEIR_FLOAT1(float, exp2)
WEIR_FLOAT1(float, expm1)
WEIR_FLOAT1(float, lgamma)
WEIR_FLOAT1(float, tgamma)
WEIR_FLOAT1(float, log1p)
WEIR_FLOAT1(float, log2)
WEIR_FLOAT1(float, logb)
WEIR_FLOAT1(float, nearbyint)
WEIR_FLOAT1(float, rint)
WEIR_FLOAT1(float, round)
WEIR_FLOAT1(float, trunc)
WEIR_FLOAT1(int, ilogb)
WEIR_FLOAT1(long, lrint)
WEIR_FLOAT1(long, lround)
WEIR_FLOAT1(long long, llrint)
WEIR_FLOAT1(long long, llround)
WEIR_FLOAT2(copysign)
WEIR_FLOAT2(fdim)
WEIR_FLOAT2(fmax)
WEIR_FLOAT2(fmin)
WEIR_FLOAT2(hypot)
WEIR_FLOAT2(nextafter)
WEIR_FLOAT2(remainder)
WEIR_OF_FLOAT float fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
WEIR_OF_FLOAT float remquo(float a, float b, int *quotient)
{
    return remquof(a, b, quotient);
}
WEIR_OF_FLOAT float scalbn(float a, int exponent)
{
    return scalbnf(a, exponent);
}
WEIR_OF_FLOAT float scalbln(float a, long exponent)
{
    return scalblnf(a, exponent);
}
/* The payload that the text may name is not kept. */
WEIR_OF_FLOAT double nan(const char *)
{
    return __builtin_nan("");
}
WEIR_OF_FLOAT float nanf(const char *)
{
    return __builtin_nanf("");
}

WEIR_FLOAT1(float, rsqrt)
WEIR_FLOAT1(float, rcbrt)
WEIR_FLOAT1(float, sinpi)
WEIR_FLOAT1(float, cospi)
WEIR_FLOAT1(float, exp10)
WEIR_FLOAT1(float, j0)
WEIR_FLOAT1(float, j1)
WEIR_FLOAT1(float, y0)
WEIR_FLOAT1(float, y1)
WEIR_FLOAT1(float, cyl_bessel_i0)
WEIR_FLOAT1(float, cyl_bessel_i1)
WEIR_FLOAT1(float, erfinv)
WEIR_FLOAT1(float, erfcinv)
WEIR_FLOAT1(float, erfcx)
WEIR_FLOAT1(float, normcdf)
WEIR_FLOAT1(float, normcdfinv)
WEIR_OF_FLOAT float jn(int n, float a)
{
    return jnf(n, a);
}
WEIR_OF_FLOAT float yn(int n, float a)
{
    return ynf(n, a);
}
WEIR_OF_FLOAT void sincos(float a, float *s, float *c)
{
    sincosf(a, s, c);
}
WEIR_OF_FLOAT void sincospi(float a, float *s, float *c)
{
    sincospif(a, s, c);
}
#undef WEIR_FLOAT1
#undef WEIR_FLOAT2
#undef WEIR_OF_FLOAT

/* For the references that people compute on the host; norms and rhypot are for the device alone. */
#define WEIR_ON_HOST static __inline__ __host__
#define WEIR_HOST_NAMES(T, X, f)                                                                                       \
    WEIR_ON_HOST T rsqrt##X(T a)                                                                                       \
    {                                                                                                                  \
        return 1 / __builtin_sqrt##f(a);                                                                               \
    }                                                                                                                  \
    WEIR_ON_HOST T rcbrt##X(T a)                                                                                       \
    {                                                                                                                  \
        return 1 / __builtin_cbrt##f(a);                                                                               \
    }                                                                                                                  \
    WEIR_ON_HOST T sinpi##X(T a)                                                                                       \
    {                                                                                                                  \
        T r = __builtin_remainder##f(a, 2); /* exact; in [-1, 1] */                                                    \
        return (T)__builtin_sin(3.14159265358979323846 * (r > (T)0.5 ? 1 - r : r < (T)-0.5 ? -1 - r : r));             \
    }                                                                                                                  \
    WEIR_ON_HOST T cospi##X(T a)                                                                                       \
    {                                                                                                                  \
        T r = __builtin_fabs##f(__builtin_remainder##f(a, 2));                                                         \
        return (T)__builtin_sin(3.14159265358979323846 * ((T)0.5 - r));                                                \
    }                                                                                                                  \
    WEIR_ON_HOST void sincospi##X(T a, T *s, T *c)                                                                     \
    {                                                                                                                  \
        *s = sinpi##X(a);                                                                                              \
        *c = cospi##X(a);                                                                                              \
    }                                                                                                                  \
    WEIR_ON_HOST T normcdf##X(T a)                                                                                     \
    {                                                                                                                  \
        return (T)(0.5 * __builtin_erfc(-0.70710678118654752440 * a));                                                 \
    }
WEIR_HOST_NAMES(double, , )
WEIR_HOST_NAMES(float, f, f)
WEIR_HOST_NAMES(float, , f)
#undef WEIR_HOST_NAMES
#undef WEIR_ON_HOST

#endif
