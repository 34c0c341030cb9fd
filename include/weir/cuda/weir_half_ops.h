/*
 * The functions that half precision and bfloat16 have in common, but for the names of conversions. cuda_fp16.h and
 * cuda_bf16.h include it, each once, with these macros:
 *
 *   WEIR_F, WEIR_F2   the type and its pair             WEIR_VALUE(x)        the float that x is
 *   WEIR_MAKE(bits)   a WEIR_F of its bits              WEIR_ROUND(f, mode)  of a float; mode as in weir_f2h
 *   WEIR_PAIR(bits)   a WEIR_F2 of its bits             WEIR_PAIR_BITS(v)    and back
 *   WEIR_TO(a, b)     the name __a2half_b               WEIR_FROM(a, b)      the name __half2a_b
 *   WEIR_INF, WEIR_1  bits of infinity and one          WEIR_TYPE            "f16", as instructions spell it
 *   WEIR_SINCE        the architecture that computes with it, as __CUDA_ARCH__; WEIR_OPERATORS: are operators wanted?
 *
 * They have defined sums, products and the fused multiply-add. NaN results are 0x7fff, as the machine's are.
 */

/* ---- integers ---- */
#define WEIR_TO_F(name, Word, Wide)                                                                                    \
    WEIR_HALF_HD WEIR_F WEIR_TO(name, rn)(Word i)                                                                      \
    {                                                                                                                  \
        return WEIR_ROUND(weir_odd((Wide)i), 'n');                                                                     \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F WEIR_TO(name, rz)(Word i)                                                                      \
    {                                                                                                                  \
        return WEIR_ROUND(weir_odd((Wide)i), 'z');                                                                     \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F WEIR_TO(name, rd)(Word i)                                                                      \
    {                                                                                                                  \
        return WEIR_ROUND(weir_odd((Wide)i), 'd');                                                                     \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F WEIR_TO(name, ru)(Word i)                                                                      \
    {                                                                                                                  \
        return WEIR_ROUND(weir_odd((Wide)i), 'u');                                                                     \
    }
WEIR_TO_F(int, int, int)
WEIR_TO_F(uint, unsigned, unsigned)
WEIR_TO_F(short, short, int)
WEIR_TO_F(ushort, unsigned short, unsigned)
WEIR_TO_F(ll, long long, long long)
WEIR_TO_F(ull, unsigned long long, unsigned long long)
#undef WEIR_TO_F
#define WEIR_FROM_F(name, Word)                                                                                        \
    WEIR_HALF_HD Word WEIR_FROM(name, rn)(WEIR_F x)                                                                    \
    {                                                                                                                  \
        return weir_float_##name(__builtin_rintf(WEIR_VALUE(x)));                                                      \
    }                                                                                                                  \
    WEIR_HALF_HD Word WEIR_FROM(name, rz)(WEIR_F x)                                                                    \
    {                                                                                                                  \
        return weir_float_##name(WEIR_VALUE(x));                                                                       \
    }                                                                                                                  \
    WEIR_HALF_HD Word WEIR_FROM(name, rd)(WEIR_F x)                                                                    \
    {                                                                                                                  \
        return weir_float_##name(__builtin_floorf(WEIR_VALUE(x)));                                                     \
    }                                                                                                                  \
    WEIR_HALF_HD Word WEIR_FROM(name, ru)(WEIR_F x)                                                                    \
    {                                                                                                                  \
        return weir_float_##name(__builtin_ceilf(WEIR_VALUE(x)));                                                      \
    }
WEIR_FROM_F(int, int)
WEIR_FROM_F(uint, unsigned)
WEIR_FROM_F(short, short)
WEIR_FROM_F(ushort, unsigned short)
WEIR_FROM_F(ll, long long)
WEIR_FROM_F(ull, unsigned long long)
#undef WEIR_FROM_F
WEIR_HALF_HD signed char WEIR_FROM(char, rz)(WEIR_F x)
{
    return weir_float_char(WEIR_VALUE(x));
}
WEIR_HALF_HD unsigned char WEIR_FROM(uchar, rz)(WEIR_F x)
{
    return weir_float_uchar(WEIR_VALUE(x));
}

/* ---- signs and classes ---- */
WEIR_HALF_HD bool __hisnan(WEIR_F a)
{
    return (a.__x & 0x7fff) > WEIR_INF;
}
WEIR_HALF_HD WEIR_F2 __hisnan2(WEIR_F2 a)
{
    return WEIR_F2(WEIR_MAKE(__hisnan(a.x) ? WEIR_1 : 0), WEIR_MAKE(__hisnan(a.y) ? WEIR_1 : 0));
}
WEIR_HALF_HD int __hisinf(WEIR_F a)
{
    return (a.__x & 0x7fff) != WEIR_INF ? 0 : a.__x & 0x8000 ? -1 : 1;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= WEIR_SINCE
#define WEIR_SIGN(name, expression)                                                                                    \
    WEIR_HALF_HD WEIR_F __h##name(WEIR_F a)                                                                            \
    {                                                                                                                  \
        WEIR_F r;                                                                                                      \
        asm(#name "." WEIR_TYPE " %0, %1;" : "=h"(r.__x) : "h"(a.__x));                                                \
        return r;                                                                                                      \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 __h##name##2(WEIR_F2 a)                                                                       \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(#name "." WEIR_TYPE "x2 %0, %1;" : "=r"(r) : "r"(WEIR_PAIR_BITS(a)));                                      \
        return WEIR_PAIR(r);                                                                                           \
    }
#else
#define WEIR_SIGN(name, expression)                                                                                    \
    WEIR_HALF_HD WEIR_F __h##name(WEIR_F a)                                                                            \
    {                                                                                                                  \
        return WEIR_MAKE(__hisnan(a) ? 0x7fff : expression);                                                           \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 __h##name##2(WEIR_F2 a)                                                                       \
    {                                                                                                                  \
        return WEIR_F2(__h##name(a.x), __h##name(a.y));                                                                \
    }
#endif
WEIR_SIGN(neg, a.__x ^ 0x8000)
WEIR_SIGN(abs, a.__x & 0x7fff)
#undef WEIR_SIGN

/* ---- the larger and the smaller; +0 is larger than -0. Without _nan, a number is taken rather than a NaN ---- */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define WEIR_EXTREME_OF(name, pair, op)                                                                                \
    WEIR_HALF_HD WEIR_F name(WEIR_F a, WEIR_F b)                                                                       \
    {                                                                                                                  \
        WEIR_F r;                                                                                                      \
        asm(op "." WEIR_TYPE " %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));                                   \
        return r;                                                                                                      \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 pair(WEIR_F2 a, WEIR_F2 b)                                                                    \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(op "." WEIR_TYPE "x2 %0, %1, %2;" : "=r"(r) : "r"(WEIR_PAIR_BITS(a)), "r"(WEIR_PAIR_BITS(b)));             \
        return WEIR_PAIR(r);                                                                                           \
    }
#define WEIR_EXTREME(name, op, sign)                                                                                   \
    WEIR_EXTREME_OF(__h##name, __h##name##2, #name)                                                                    \
    WEIR_EXTREME_OF(__h##name##_nan, __h##name##2_nan, #name ".NaN")
#else
#define WEIR_EXTREME(name, op, sign)                                                                                   \
    WEIR_HALF_HD WEIR_F __h##name(WEIR_F a, WEIR_F b)                                                                  \
    {                                                                                                                  \
        if (__hisnan(a) || __hisnan(b))                                                                                \
            return !__hisnan(a) ? a : !__hisnan(b) ? b : WEIR_MAKE(0x7fff);                                            \
        float x = WEIR_VALUE(a), y = WEIR_VALUE(b);                                                                    \
        return x op y || (x == y && (a.__x & 0x8000) == sign) ? a : b;                                                 \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F __h##name##_nan(WEIR_F a, WEIR_F b)                                                            \
    {                                                                                                                  \
        return __hisnan(a) || __hisnan(b) ? WEIR_MAKE(0x7fff) : __h##name(a, b);                                       \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 __h##name##2(WEIR_F2 a, WEIR_F2 b)                                                            \
    {                                                                                                                  \
        return WEIR_F2(__h##name(a.x, b.x), __h##name(a.y, b.y));                                                      \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 __h##name##2_nan(WEIR_F2 a, WEIR_F2 b)                                                        \
    {                                                                                                                  \
        return WEIR_F2(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y));                                          \
    }
#endif
WEIR_EXTREME(max, >, 0)
WEIR_EXTREME(min, <, 0x8000)
#undef WEIR_EXTREME
#undef WEIR_EXTREME_OF

/* ---- multiply-adds: no less than 0, and products of complex numbers ---- */
WEIR_HALF_HD WEIR_F __hfma_relu(WEIR_F a, WEIR_F b, WEIR_F c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    WEIR_F r;
    asm("fma.rn.relu." WEIR_TYPE " %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    return __hmax_nan(__hfma(a, b, c), WEIR_MAKE(0));
#endif
}
WEIR_HALF_HD WEIR_F2 __hfma2_relu(WEIR_F2 a, WEIR_F2 b, WEIR_F2 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned r;
    asm("fma.rn.relu." WEIR_TYPE "x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(WEIR_PAIR_BITS(a)), "r"(WEIR_PAIR_BITS(b)), "r"(WEIR_PAIR_BITS(c)));
    return WEIR_PAIR(r);
#else
    return WEIR_F2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
#endif
}
WEIR_HALF_HD WEIR_F2 __hcmadd(WEIR_F2 a, WEIR_F2 b, WEIR_F2 c)
{
    WEIR_F2 r = __hfma2(WEIR_F2(a.x, a.x), b, c);
    return __hfma2(WEIR_F2(__hneg(a.y), a.y), WEIR_F2(b.y, b.x), r);
}

/* ---- comparisons; the u-forms are true for unordered operands ---- */
#define WEIR_COMPARE_AS(name, expression)                                                                              \
    WEIR_HALF_HD bool __h##name(WEIR_F a, WEIR_F b)                                                                    \
    {                                                                                                                  \
        float x = WEIR_VALUE(a), y = WEIR_VALUE(b);                                                                    \
        return expression;                                                                                             \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 __h##name##2(WEIR_F2 a, WEIR_F2 b)                                                            \
    {                                                                                                                  \
        return WEIR_F2(WEIR_MAKE(__h##name(a.x, b.x) ? WEIR_1 : 0), WEIR_MAKE(__h##name(a.y, b.y) ? WEIR_1 : 0));      \
    }                                                                                                                  \
    WEIR_HALF_HD unsigned __h##name##2_mask(WEIR_F2 a, WEIR_F2 b)                                                      \
    {                                                                                                                  \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                          \
    }                                                                                                                  \
    WEIR_HALF_HD bool __hb##name##2(WEIR_F2 a, WEIR_F2 b)                                                              \
    {                                                                                                                  \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                             \
    }
#define WEIR_COMPARE(name, op, opposite)                                                                               \
    WEIR_COMPARE_AS(name, x op y)                                                                                      \
    WEIR_COMPARE_AS(name##u, !(x opposite y))
WEIR_COMPARE(lt, <, >=)
WEIR_COMPARE(le, <=, >)
WEIR_COMPARE(gt, >, <=)
WEIR_COMPARE(ge, >=, <)
WEIR_COMPARE_AS(eq, x == y)
WEIR_COMPARE_AS(equ, !(x < y || x > y))
WEIR_COMPARE_AS(ne, x < y || x > y)
WEIR_COMPARE_AS(neu, x != y)
#undef WEIR_COMPARE
#undef WEIR_COMPARE_AS

#if defined(__CUDA__)
#define WEIR_HALF_DEV static __inline__ __device__ __attribute__((unused))

/* ---- functions, in single precision ---- */
#define WEIR_FUNCTION(name, expression)                                                                                \
    WEIR_HALF_DEV WEIR_F h##name(WEIR_F h)                                                                             \
    {                                                                                                                  \
        float x = WEIR_VALUE(h);                                                                                       \
        return WEIR_ROUND(expression, 'n');                                                                            \
    }                                                                                                                  \
    WEIR_HALF_DEV WEIR_F2 h2##name(WEIR_F2 v)                                                                          \
    {                                                                                                                  \
        return WEIR_F2(h##name(v.x), h##name(v.y));                                                                    \
    }
WEIR_FUNCTION(exp, __expf(x))
WEIR_FUNCTION(exp2, exp2f(x))
WEIR_FUNCTION(exp10, __exp10f(x))
WEIR_FUNCTION(log, logf(x))
WEIR_FUNCTION(log2, log2f(x))
WEIR_FUNCTION(log10, log10f(x))
WEIR_FUNCTION(sin, sinf(x))
WEIR_FUNCTION(cos, cosf(x))
WEIR_FUNCTION(tanh, tanhf(x))
WEIR_FUNCTION(sqrt, sqrtf(x))
WEIR_FUNCTION(rsqrt, rsqrtf(x))
WEIR_FUNCTION(rcp, 1.0f / x)
WEIR_FUNCTION(ceil, ceilf(x))
WEIR_FUNCTION(floor, floorf(x))
WEIR_FUNCTION(trunc, truncf(x))
WEIR_FUNCTION(rint, rintf(x))
#undef WEIR_FUNCTION

/* ---- memory: as the words of 16 and 32 bits that they are ---- */
#define WEIR_LOAD(name)                                                                                                \
    WEIR_HALF_DEV WEIR_F name(const WEIR_F *p)                                                                         \
    {                                                                                                                  \
        return WEIR_MAKE(name((const unsigned short *)p));                                                             \
    }                                                                                                                  \
    WEIR_HALF_DEV WEIR_F2 name(const WEIR_F2 *p)                                                                       \
    {                                                                                                                  \
        return WEIR_PAIR(name((const unsigned *)p));                                                                   \
    }
WEIR_LOAD(__ldg)
WEIR_LOAD(__ldca)
WEIR_LOAD(__ldcg)
WEIR_LOAD(__ldcs)
WEIR_LOAD(__ldlu)
WEIR_LOAD(__ldcv)
#undef WEIR_LOAD
#define WEIR_STORE(name)                                                                                               \
    WEIR_HALF_DEV void name(WEIR_F *p, WEIR_F v)                                                                       \
    {                                                                                                                  \
        name((unsigned short *)p, v.__x);                                                                              \
    }                                                                                                                  \
    WEIR_HALF_DEV void name(WEIR_F2 *p, WEIR_F2 v)                                                                     \
    {                                                                                                                  \
        name((unsigned *)p, WEIR_PAIR_BITS(v));                                                                        \
    }
WEIR_STORE(__stwb)
WEIR_STORE(__stcg)
WEIR_STORE(__stcs)
WEIR_STORE(__stwt)
#undef WEIR_STORE

/* ---- warps ---- */
#define WEIR_SHUFFLE(name, Lane)                                                                                       \
    WEIR_HALF_DEV WEIR_F2 name(unsigned mask, WEIR_F2 v, Lane lane, int width = 32)                                    \
    {                                                                                                                  \
        return WEIR_PAIR(name(mask, WEIR_PAIR_BITS(v), lane, width));                                                  \
    }                                                                                                                  \
    WEIR_HALF_DEV WEIR_F name(unsigned mask, WEIR_F v, Lane lane, int width = 32)                                      \
    {                                                                                                                  \
        return WEIR_MAKE((unsigned short)name(mask, (unsigned)v.__x, lane, width));                                    \
    }
WEIR_SHUFFLE(__shfl_sync, int)
WEIR_SHUFFLE(__shfl_up_sync, unsigned)
WEIR_SHUFFLE(__shfl_down_sync, unsigned)
WEIR_SHUFFLE(__shfl_xor_sync, int)
#undef WEIR_SHUFFLE
#endif

/* ---- operators ---- */
#ifdef WEIR_OPERATORS
#define WEIR_OPERATOR(op, function, pair)                                                                              \
    WEIR_HALF_HD WEIR_F operator op(const WEIR_F &a, const WEIR_F &b)                                                  \
    {                                                                                                                  \
        return function(a, b);                                                                                         \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F &operator op##=(WEIR_F &a, const WEIR_F &b)                                                    \
    {                                                                                                                  \
        return a = function(a, b);                                                                                     \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 operator op(const WEIR_F2 &a, const WEIR_F2 &b)                                               \
    {                                                                                                                  \
        return pair(a, b);                                                                                             \
    }                                                                                                                  \
    WEIR_HALF_HD WEIR_F2 &operator op##=(WEIR_F2 &a, const WEIR_F2 &b)                                                 \
    {                                                                                                                  \
        return a = pair(a, b);                                                                                         \
    }
WEIR_OPERATOR(+, __hadd, __hadd2)
WEIR_OPERATOR(-, __hsub, __hsub2)
WEIR_OPERATOR(*, __hmul, __hmul2)
WEIR_OPERATOR(/, __hdiv, __h2div)
#undef WEIR_OPERATOR
#define WEIR_SIGN_OPERATORS(Type, negative, one)                                                                       \
    WEIR_HALF_HD Type operator+(const Type &a)                                                                         \
    {                                                                                                                  \
        return a;                                                                                                      \
    }                                                                                                                  \
    WEIR_HALF_HD Type operator-(const Type &a)                                                                         \
    {                                                                                                                  \
        return negative(a);                                                                                            \
    }                                                                                                                  \
    WEIR_HALF_HD Type &operator++(Type &a)                                                                             \
    {                                                                                                                  \
        return a += one;                                                                                               \
    }                                                                                                                  \
    WEIR_HALF_HD Type &operator--(Type &a)                                                                             \
    {                                                                                                                  \
        return a -= one;                                                                                               \
    }                                                                                                                  \
    WEIR_HALF_HD Type operator++(Type &a, int)                                                                         \
    {                                                                                                                  \
        Type old = a;                                                                                                  \
        a += one;                                                                                                      \
        return old;                                                                                                    \
    }                                                                                                                  \
    WEIR_HALF_HD Type operator--(Type &a, int)                                                                         \
    {                                                                                                                  \
        Type old = a;                                                                                                  \
        a -= one;                                                                                                      \
        return old;                                                                                                    \
    }
WEIR_SIGN_OPERATORS(WEIR_F, __hneg, WEIR_MAKE(WEIR_1))
WEIR_SIGN_OPERATORS(WEIR_F2, __hneg2, WEIR_F2(WEIR_MAKE(WEIR_1), WEIR_MAKE(WEIR_1)))
#undef WEIR_SIGN_OPERATORS
#define WEIR_COMPARE_OPERATOR(op, function, pair)                                                                      \
    WEIR_HALF_HD bool operator op(const WEIR_F &a, const WEIR_F &b)                                                    \
    {                                                                                                                  \
        return function(a, b);                                                                                         \
    }                                                                                                                  \
    WEIR_HALF_HD bool operator op(const WEIR_F2 &a, const WEIR_F2 &b)                                                  \
    {                                                                                                                  \
        return pair(a, b);                                                                                             \
    }
WEIR_COMPARE_OPERATOR(==, __heq, __hbeq2)
WEIR_COMPARE_OPERATOR(!=, __hneu, __hbneu2)
WEIR_COMPARE_OPERATOR(<, __hlt, __hblt2)
WEIR_COMPARE_OPERATOR(<=, __hle, __hble2)
WEIR_COMPARE_OPERATOR(>, __hgt, __hbgt2)
WEIR_COMPARE_OPERATOR(>=, __hge, __hbge2)
#undef WEIR_COMPARE_OPERATOR
#endif

#undef WEIR_F
#undef WEIR_F2
#undef WEIR_VALUE
#undef WEIR_MAKE
#undef WEIR_ROUND
#undef WEIR_PAIR
#undef WEIR_PAIR_BITS
#undef WEIR_TO
#undef WEIR_FROM
#undef WEIR_INF
#undef WEIR_1
#undef WEIR_TYPE
#undef WEIR_SINCE
#undef WEIR_OPERATORS
