/*
 * min() and max() as CUDA overloads them: for every pair of arithmetic types, on host and device.
 */
#ifndef WEIR_CUDA_MINMAX_H
#define WEIR_CUDA_MINMAX_H

#define WEIR_HD static __inline__ __host__ __device__ __attribute__((always_inline))
#define WEIR_MINMAX(R, A, B)                                                                                           \
    WEIR_HD R min(A a, B b)                                                                                            \
    {                                                                                                                  \
        return (R)a < (R)b ? (R)a : (R)b;                                                                              \
    }                                                                                                                  \
    WEIR_HD R max(A a, B b)                                                                                            \
    {                                                                                                                  \
        return (R)a > (R)b ? (R)a : (R)b;                                                                              \
    }
/* The device's own for int comes with the compiler's headers. */
static __inline__ __host__ int min(int a, int b)
{
    return a < b ? a : b;
}
static __inline__ __host__ int max(int a, int b)
{
    return a > b ? a : b;
}
WEIR_MINMAX(unsigned int, unsigned int, unsigned int)
WEIR_MINMAX(unsigned int, int, unsigned int)
WEIR_MINMAX(unsigned int, unsigned int, int)
WEIR_MINMAX(long, long, long)
WEIR_MINMAX(unsigned long, unsigned long, unsigned long)
WEIR_MINMAX(unsigned long, long, unsigned long)
WEIR_MINMAX(unsigned long, unsigned long, long)
WEIR_MINMAX(long long, long long, long long)
WEIR_MINMAX(unsigned long long, unsigned long long, unsigned long long)
WEIR_MINMAX(unsigned long long, long long, unsigned long long)
WEIR_MINMAX(unsigned long long, unsigned long long, long long)
#undef WEIR_MINMAX

/* Of a number and a NaN the number wins, as fmin and fmax have it. */
#define WEIR_FMINMAX(R, A, B, f)                                                                                       \
    WEIR_HD R min(A a, B b)                                                                                            \
    {                                                                                                                  \
        return fmin##f((R)a, (R)b);                                                                                    \
    }                                                                                                                  \
    WEIR_HD R max(A a, B b)                                                                                            \
    {                                                                                                                  \
        return fmax##f((R)a, (R)b);                                                                                    \
    }
WEIR_FMINMAX(float, float, float, f)
WEIR_FMINMAX(double, double, double, )
WEIR_FMINMAX(double, float, double, )
WEIR_FMINMAX(double, double, float, )
#undef WEIR_FMINMAX
#undef WEIR_HD

#endif
