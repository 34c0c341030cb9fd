/*
 * make_int2(), make_float4() and the rest: the constructors CUDA programs use for the short vectors.
 */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__
#pragma GCC system_header

#include "host_defines.h"
#include "vector_types.h"

#ifdef __cplusplus
#define WEIR_MAKE static __inline__ __host__ __device__
#else
#define WEIR_MAKE static inline
#endif

#define WEIR_MAKER4(V, T)                                                                                              \
    WEIR_MAKE V make_##V(T x, T y, T z, T w)                                                                           \
    {                                                                                                                  \
        V v;                                                                                                           \
        v.x = x, v.y = y, v.z = z, v.w = w;                                                                            \
        return v;                                                                                                      \
    }
#define WEIR_MAKERS(V, T)                                                                                              \
    WEIR_MAKE V##1 make_##V##1(T x)                                                                                    \
    {                                                                                                                  \
        V##1 v;                                                                                                        \
        v.x = x;                                                                                                       \
        return v;                                                                                                      \
    }                                                                                                                  \
    WEIR_MAKE V##2 make_##V##2(T x, T y)                                                                               \
    {                                                                                                                  \
        V##2 v;                                                                                                        \
        v.x = x, v.y = y;                                                                                              \
        return v;                                                                                                      \
    }                                                                                                                  \
    WEIR_MAKE V##3 make_##V##3(T x, T y, T z)                                                                          \
    {                                                                                                                  \
        V##3 v;                                                                                                        \
        v.x = x, v.y = y, v.z = z;                                                                                     \
        return v;                                                                                                      \
    }                                                                                                                  \
    WEIR_MAKER4(V##4, T)

WEIR_MAKERS(char, signed char)
WEIR_MAKERS(uchar, unsigned char)
WEIR_MAKERS(short, short)
WEIR_MAKERS(ushort, unsigned short)
WEIR_MAKERS(int, int)
WEIR_MAKERS(uint, unsigned int)
WEIR_MAKERS(long, long)
WEIR_MAKERS(ulong, unsigned long)
WEIR_MAKERS(longlong, long long)
WEIR_MAKERS(ulonglong, unsigned long long)
WEIR_MAKERS(float, float)
WEIR_MAKERS(double, double)
WEIR_MAKER4(long4_16a, long)
WEIR_MAKER4(long4_32a, long)
WEIR_MAKER4(ulong4_16a, unsigned long)
WEIR_MAKER4(ulong4_32a, unsigned long)
WEIR_MAKER4(longlong4_16a, long long)
WEIR_MAKER4(longlong4_32a, long long)
WEIR_MAKER4(ulonglong4_16a, unsigned long long)
WEIR_MAKER4(ulonglong4_32a, unsigned long long)
WEIR_MAKER4(double4_16a, double)
WEIR_MAKER4(double4_32a, double)

#undef WEIR_MAKERS
#undef WEIR_MAKER4
#undef WEIR_MAKE

#endif
