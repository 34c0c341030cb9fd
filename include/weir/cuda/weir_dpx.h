/*
 * DPX: the steps of dynamic programming (alignment, shortest paths) as one call each, on host and device. Hopper has
 * instructions for them; here they are what they compute: additions, comparisons and selections, as older chips have it.
 *
 *   __viaddmax_X(a, b, c)      max(a + b, c)          __viaddmin_X(a, b, c)      min(a + b, c)
 *   __vimax3_X(a, b, c)        max(a, b, c)           __vimin3_X(a, b, c)        min(a, b, c)
 *   __vibmax_X(a, b, &took_a)  max(a, b), a >= b      __vibmin_X(a, b, &took_a)  min(a, b), a <= b
 *
 * X is s32, u32, or s16x2, u16x2: two halves of a word, each by itself. Signed ones end in _relu where what is negative
 * becomes 0. Sums wrap around.
 */
#ifndef WEIR_CUDA_DPX_H
#define WEIR_CUDA_DPX_H

#define WEIR_HD static __inline__ __host__ __device__ __attribute__((always_inline))

#define WEIR_DPX_32(X, T)                                                                                              \
    WEIR_HD T __vimax3_##X(T a, T b, T c)                                                                              \
    {                                                                                                                  \
        return max(max(a, b), c);                                                                                      \
    }                                                                                                                  \
    WEIR_HD T __vimin3_##X(T a, T b, T c)                                                                              \
    {                                                                                                                  \
        return min(min(a, b), c);                                                                                      \
    }                                                                                                                  \
    WEIR_HD T __viaddmax_##X(T a, T b, T c)                                                                            \
    {                                                                                                                  \
        return max((T)((unsigned)a + (unsigned)b), c);                                                                 \
    }                                                                                                                  \
    WEIR_HD T __viaddmin_##X(T a, T b, T c)                                                                            \
    {                                                                                                                  \
        return min((T)((unsigned)a + (unsigned)b), c);                                                                 \
    }                                                                                                                  \
    WEIR_HD T __vibmax_##X(T a, T b, bool *took_a)                                                                     \
    {                                                                                                                  \
        *took_a = a >= b;                                                                                              \
        return *took_a ? a : b;                                                                                        \
    }                                                                                                                  \
    WEIR_HD T __vibmin_##X(T a, T b, bool *took_a)                                                                     \
    {                                                                                                                  \
        *took_a = a <= b;                                                                                              \
        return *took_a ? a : b;                                                                                        \
    }
WEIR_DPX_32(s32, int)
WEIR_DPX_32(u32, unsigned)
#undef WEIR_DPX_32

/* Both halves of a word by a function of numbers. */
#define WEIR_BY_HALVES(T, of_low, of_high)                                                                             \
    ((unsigned)(unsigned short)(T)(of_low) | (unsigned)(unsigned short)(T)(of_high) << 16)
#define WEIR_LOW(T, word)  ((T)(unsigned short)(word))
#define WEIR_HIGH(T, word) ((T)(unsigned short)((word) >> 16))

#define WEIR_DPX_16(X, T)                                                                                              \
    WEIR_HD unsigned __vimax3_##X(unsigned a, unsigned b, unsigned c)                                                  \
    {                                                                                                                  \
        return WEIR_BY_HALVES(T, __vimax3_s32(WEIR_LOW(T, a), WEIR_LOW(T, b), WEIR_LOW(T, c)),                         \
                              __vimax3_s32(WEIR_HIGH(T, a), WEIR_HIGH(T, b), WEIR_HIGH(T, c)));                        \
    }                                                                                                                  \
    WEIR_HD unsigned __vimin3_##X(unsigned a, unsigned b, unsigned c)                                                  \
    {                                                                                                                  \
        return WEIR_BY_HALVES(T, __vimin3_s32(WEIR_LOW(T, a), WEIR_LOW(T, b), WEIR_LOW(T, c)),                         \
                              __vimin3_s32(WEIR_HIGH(T, a), WEIR_HIGH(T, b), WEIR_HIGH(T, c)));                        \
    }                                                                                                                  \
    WEIR_HD unsigned __viaddmax_##X(unsigned a, unsigned b, unsigned c)                                                \
    {                                                                                                                  \
        return WEIR_BY_HALVES(T, max((int)(T)(WEIR_LOW(T, a) + WEIR_LOW(T, b)), (int)WEIR_LOW(T, c)),                  \
                              max((int)(T)(WEIR_HIGH(T, a) + WEIR_HIGH(T, b)), (int)WEIR_HIGH(T, c)));                 \
    }                                                                                                                  \
    WEIR_HD unsigned __viaddmin_##X(unsigned a, unsigned b, unsigned c)                                                \
    {                                                                                                                  \
        return WEIR_BY_HALVES(T, min((int)(T)(WEIR_LOW(T, a) + WEIR_LOW(T, b)), (int)WEIR_LOW(T, c)),                  \
                              min((int)(T)(WEIR_HIGH(T, a) + WEIR_HIGH(T, b)), (int)WEIR_HIGH(T, c)));                 \
    }                                                                                                                  \
    WEIR_HD unsigned __vibmax_##X(unsigned a, unsigned b, bool *high_took_a, bool *low_took_a)                         \
    {                                                                                                                  \
        return WEIR_BY_HALVES(T, __vibmax_s32(WEIR_LOW(T, a), WEIR_LOW(T, b), low_took_a),                             \
                              __vibmax_s32(WEIR_HIGH(T, a), WEIR_HIGH(T, b), high_took_a));                            \
    }                                                                                                                  \
    WEIR_HD unsigned __vibmin_##X(unsigned a, unsigned b, bool *high_took_a, bool *low_took_a)                         \
    {                                                                                                                  \
        return WEIR_BY_HALVES(T, __vibmin_s32(WEIR_LOW(T, a), WEIR_LOW(T, b), low_took_a),                             \
                              __vibmin_s32(WEIR_HIGH(T, a), WEIR_HIGH(T, b), high_took_a));                            \
    }
WEIR_DPX_16(s16x2, short)
WEIR_DPX_16(u16x2, unsigned short)
#undef WEIR_DPX_16

/* What is negative becomes 0. */
WEIR_HD int __vimax_s32_relu(int a, int b)
{
    return __vimax3_s32(a, b, 0);
}
WEIR_HD int __vimin_s32_relu(int a, int b)
{
    return max(min(a, b), 0);
}
WEIR_HD unsigned __vimax_s16x2_relu(unsigned a, unsigned b)
{
    return __vimax3_s16x2(a, b, 0);
}
WEIR_HD unsigned __vimin_s16x2_relu(unsigned a, unsigned b)
{
    return __vimax3_s16x2(__vimin3_s16x2(a, b, b), 0, 0);
}
#define WEIR_DPX_RELU(function)                                                                                        \
    WEIR_HD int function##_s32_relu(int a, int b, int c)                                                               \
    {                                                                                                                  \
        return max(function##_s32(a, b, c), 0);                                                                        \
    }                                                                                                                  \
    WEIR_HD unsigned function##_s16x2_relu(unsigned a, unsigned b, unsigned c)                                         \
    {                                                                                                                  \
        return __vimax_s16x2_relu(function##_s16x2(a, b, c), 0);                                                       \
    }
WEIR_DPX_RELU(__vimax3)
WEIR_DPX_RELU(__vimin3)
WEIR_DPX_RELU(__viaddmax)
WEIR_DPX_RELU(__viaddmin)
#undef WEIR_DPX_RELU
#undef WEIR_BY_HALVES
#undef WEIR_LOW
#undef WEIR_HIGH
#undef WEIR_HD

#endif
