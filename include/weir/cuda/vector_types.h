/*
 * CUDA's short vectors: int2, float4 and so on, with the alignments the device requires (a float4 moves as one 16-byte
 * access). The same text serves C and C++, host and device.
 */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__
#pragma GCC system_header

#include "host_defines.h"

#define WEIR_VEC1(name, T)                                                                                             \
    struct name {                                                                                                      \
        T x;                                                                                                           \
    };                                                                                                                 \
    typedef struct name name;
#define WEIR_VEC2(name, T, al)                                                                                         \
    struct __align__(al) name                                                                                          \
    {                                                                                                                  \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    typedef struct name name;
#define WEIR_VEC3(name, T)                                                                                             \
    struct name {                                                                                                      \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    typedef struct name name;
#define WEIR_VEC4(name, T, al)                                                                                         \
    struct __align__(al) name                                                                                          \
    {                                                                                                                  \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    typedef struct name name;

/* al2, al4: alignment of the two- and four-element vector. */
#define WEIR_VECS(base, T, al2, al4)                                                                                   \
    WEIR_VEC1(base##1, T) WEIR_VEC2(base##2, T, al2) WEIR_VEC3(base##3, T) WEIR_VEC4(base##4, T, al4)

WEIR_VECS(char, signed char, 2, 4)
WEIR_VECS(uchar, unsigned char, 2, 4)
WEIR_VECS(short, short, 4, 8)
WEIR_VECS(ushort, unsigned short, 4, 8)
WEIR_VECS(int, int, 8, 16)
WEIR_VECS(uint, unsigned int, 8, 16)
WEIR_VECS(long, long, 16, 16)
WEIR_VECS(ulong, unsigned long, 16, 16)
WEIR_VECS(longlong, long long, 16, 16)
WEIR_VECS(ulonglong, unsigned long long, 16, 16)
WEIR_VECS(float, float, 8, 16)
WEIR_VECS(double, double, 16, 16)
WEIR_VEC4(double4_16a, double, 16)
WEIR_VEC4(double4_32a, double, 32)
WEIR_VEC4(long4_16a, long, 16)
WEIR_VEC4(long4_32a, long, 32)
WEIR_VEC4(ulong4_16a, unsigned long, 16)
WEIR_VEC4(ulong4_32a, unsigned long, 32)
WEIR_VEC4(longlong4_16a, long long, 16)
WEIR_VEC4(longlong4_32a, long long, 32)
WEIR_VEC4(ulonglong4_16a, unsigned long long, 16)
WEIR_VEC4(ulonglong4_32a, unsigned long long, 32)

#undef WEIR_VECS
#undef WEIR_VEC1
#undef WEIR_VEC2
#undef WEIR_VEC3
#undef WEIR_VEC4

/* A launch's extent: what is not given is 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
#define WEIR_DIM3 __host__ __device__ constexpr
#else
#define WEIR_DIM3 __host__ __device__
#endif
    WEIR_DIM3 dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    WEIR_DIM3 dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    WEIR_DIM3 operator uint3() const
    {
#if __cplusplus >= 201103L
        return uint3{x, y, z};
#else
        uint3 v = {x, y, z};
        return v;
#endif
    }
#undef WEIR_DIM3
#endif
};
typedef struct dim3 dim3;

#endif
