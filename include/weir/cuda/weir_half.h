/*
 * What half precision and bfloat16 share below their names: conversions between the float that holds a value, integers
 * and doubles, each with one rounding.
 */
#ifndef WEIR_CUDA_HALF_H
#define WEIR_CUDA_HALF_H
#pragma GCC system_header

#include "cuda_runtime.h"

#include <string.h>

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */

#define WEIR_HALF_HD static __inline__ __host__ __device__ __attribute__((always_inline, unused))

/*
 * A number as a float that is rounded to odd: where bits are lost, the last one is 1. Rounding that once more, to 11 or
 * 8 bits and in whatever direction, gives what rounding the number itself would.
 */
WEIR_HALF_HD float weir_odd_magnitude(unsigned long long m)
{
    int drop = m >> 24 ? 40 - __builtin_clzll(m) : 0;
    unsigned long long kept = m >> drop;
    return (float)(kept << drop == m ? m : (kept | 1) << drop);
}
WEIR_HALF_HD float weir_odd(unsigned long long i)
{
    return weir_odd_magnitude(i);
}
WEIR_HALF_HD float weir_odd(long long i)
{
    return i < 0 ? -weir_odd_magnitude(-(unsigned long long)i) : weir_odd_magnitude((unsigned long long)i);
}
WEIR_HALF_HD float weir_odd(int i)
{
    return weir_odd((long long)i);
}
WEIR_HALF_HD float weir_odd(unsigned i)
{
    return weir_odd_magnitude(i);
}
WEIR_HALF_HD float weir_odd(double d)
{
    float f = (float)d;
    double back = (double)f;
    unsigned bits;
    memcpy(&bits, &f, 4);
    if (back == d || d != d || bits & 1)
        return f;
    bits += (back < d) == (d > 0) ? 1u : -1u; /* the nearest is even, so the odd one is on the other side of d */
    memcpy(&f, &bits, 4);
    return f;
}
/* a + b, rounded to odd: what the nearest double leaves out is known exactly. */
WEIR_HALF_HD double weir_odd_sum(double a, double b)
{
    double s = a + b, t = s - a, rest = (a - (s - t)) + (b - t);
    unsigned long long bits;
    memcpy(&bits, &s, 8);
    if (!(rest < 0 || rest > 0) || bits & 1)
        return s;
    bits += (rest > 0) == (s > 0) ? 1ull : -1ull;
    memcpy(&s, &bits, 8);
    return s;
}

/* Between 0 and 1; a NaN gives 0. */
WEIR_HALF_HD float weir_saturate(float f)
{
    return f > 0 ? f < 1 ? f : 1.0f : 0.0f;
}

/* A float without a fraction as an integer; what does not fit becomes the nearest one that there is. */
#ifdef __CUDA_ARCH__
#define WEIR_FLOAT_INTEGER(name, Word, letter, type, lowest, highest, above, no_number)                                \
    WEIR_HALF_HD Word weir_float_##name(float f)                                                                       \
    {                                                                                                                  \
        Word r;                                                                                                        \
        asm("cvt.rzi." type ".f32 %0, %1;" : "=" letter(r) : "f"(f));                                                  \
        return r;                                                                                                      \
    }
#else
#define WEIR_FLOAT_INTEGER(name, Word, letter, type, lowest, highest, above, no_number)                                \
    WEIR_HALF_HD Word weir_float_##name(float f)                                                                       \
    {                                                                                                                  \
        return f != f ? no_number : f <= (float)(lowest) ? lowest : f >= above ? highest : (Word)f;                    \
    }
#endif
WEIR_FLOAT_INTEGER(int, int, "r", "s32", -0x7fffffff - 1, 0x7fffffff, 2147483648.0f, 0)
WEIR_FLOAT_INTEGER(uint, unsigned, "r", "u32", 0u, 0xffffffffu, 4294967296.0f, 0u)
WEIR_FLOAT_INTEGER(ll, long long, "l", "s64", -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll, 9223372036854775808.0f,
                   -0x7fffffffffffffffll - 1)
WEIR_FLOAT_INTEGER(ull, unsigned long long, "l", "u64", 0ull, 0xffffffffffffffffull, 18446744073709551616.0f,
                   0x8000000000000000ull)
#undef WEIR_FLOAT_INTEGER
#define WEIR_FLOAT_SMALL(name, Word, lowest, highest)                                                                  \
    WEIR_HALF_HD Word weir_float_##name(float f)                                                                       \
    {                                                                                                                  \
        int i = weir_float_int(f);                                                                                     \
        return (Word)(i < lowest ? lowest : i > highest ? highest : i);                                                \
    }
WEIR_FLOAT_SMALL(char, signed char, -128, 127)
WEIR_FLOAT_SMALL(uchar, unsigned char, 0, 255)
WEIR_FLOAT_SMALL(short, short, -32768, 32767)
WEIR_FLOAT_SMALL(ushort, unsigned short, 0, 65535)
#undef WEIR_FLOAT_SMALL

#pragma clang attribute pop

#endif
