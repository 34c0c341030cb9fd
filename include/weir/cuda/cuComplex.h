/* Complex numbers of CUDA's C interface: cuFloatComplex is a float2, cuDoubleComplex a double2. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_
#pragma GCC system_header

#include <math.h>
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WEIR_COMPLEX(C, R, f, F)                                                                                       \
    static __inline__ __host__ __device__ C make_cu##F##Complex(R re, R im)                                            \
    {                                                                                                                  \
        C z;                                                                                                           \
        z.x = re, z.y = im;                                                                                            \
        return z;                                                                                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ R cuCreal##f(C z)                                                            \
    {                                                                                                                  \
        return z.x;                                                                                                    \
    }                                                                                                                  \
    static __inline__ __host__ __device__ R cuCimag##f(C z)                                                            \
    {                                                                                                                  \
        return z.y;                                                                                                    \
    }                                                                                                                  \
    static __inline__ __host__ __device__ C cuConj##f(C z)                                                             \
    {                                                                                                                  \
        return make_cu##F##Complex(z.x, -z.y);                                                                         \
    }                                                                                                                  \
    static __inline__ __host__ __device__ C cuCadd##f(C a, C b)                                                        \
    {                                                                                                                  \
        return make_cu##F##Complex(a.x + b.x, a.y + b.y);                                                              \
    }                                                                                                                  \
    static __inline__ __host__ __device__ C cuCsub##f(C a, C b)                                                        \
    {                                                                                                                  \
        return make_cu##F##Complex(a.x - b.x, a.y - b.y);                                                              \
    }                                                                                                                  \
    static __inline__ __host__ __device__ C cuCmul##f(C a, C b)                                                        \
    {                                                                                                                  \
        return make_cu##F##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ C cuCfma##f(C a, C b, C c)                                                   \
    {                                                                                                                  \
        return cuCadd##f(cuCmul##f(a, b), c);                                                                          \
    }                                                                                                                  \
    /* Scaled by the divisor's size, so that no square overflows. */                                                   \
    static __inline__ __host__ __device__ C cuCdiv##f(C a, C b)                                                        \
    {                                                                                                                  \
        R s = (R)1 / (fabs##f(b.x) + fabs##f(b.y));                                                                    \
        R ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;                                                      \
        R d = (R)1 / (bx * bx + by * by);                                                                              \
        return make_cu##F##Complex((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);                                  \
    }                                                                                                                  \
    static __inline__ __host__ __device__ R cuCabs##f(C z)                                                             \
    {                                                                                                                  \
        return hypot##f(z.x, z.y);                                                                                     \
    }
WEIR_COMPLEX(cuFloatComplex, float, f, Float)
WEIR_COMPLEX(cuDoubleComplex, double, , Double)
#undef WEIR_COMPLEX
static __inline__ __host__ __device__ cuComplex make_cuComplex(float re, float im)
{
    return make_cuFloatComplex(re, im);
}
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex((double)z.x, (double)z.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#endif
