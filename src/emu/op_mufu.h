/*
 * The special-function unit (MUFU), bit for bit: reciprocal, reciprocal square root, square root, base-2 logarithm and
 * exponential, sine and cosine of turns. Subnormal inputs count as zeros and subnormal results become zeros, always;
 * what PTX promises without .ftz, the instruction sequences in op_approx.c add.
 *
 * The unit splits the input's mantissa (or its fixed-point form) into a segment and 17 bits dx, and adds
 * c0 + c1 dx + c2 sq(dx) as integers, where sq is a squarer that lacks its low columns (Oberman and Siu, ARITH 2005).
 * Results are truncated. Tables and details were recovered from an H200: see tools/silicon/fit.c.
 */
#ifndef WEIR_EMU_OP_MUFU_H
#define WEIR_EMU_OP_MUFU_H

#include "emu/op_float.h"
#include "emu/op_mufu_table.h"

static inline u32 mufu_square(u32 dx)
{
    const u32 h = dx >> 9;
    u32 sq = h * h >> 1;
    for (int p = 2; p <= 8; p++)
        sq += (0 - (dx >> p & 1)) & dx >> (18 - p);
    return sq;
}

/* Sum of a segment; c0 counts 2^quantum units. */
static inline s64 mufu_sum(const struct mufu_row *row, u32 dx, int quantum, s64 bias)
{
    return (s64)row->c0 * (1ll << quantum) + bias + (s64)row->c1 * (s64)dx + (s64)row->c2 * (s64)mufu_square(dx);
}

static inline u32 mufu_exponent(u32 x)
{
    return x >> 23 & 0xff;
}
static inline bool mufu_is_nan(u32 x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

/* 1/m for the 23 fraction bits of m in [1, 2): units of 2^-24 above one half. */
static inline u32 mufu_rcp_fraction(u32 fraction)
{
    return (u32)(mufu_sum(&mufu_rcp_table[fraction >> 16], (fraction & 0xffff) << 1, 14, 4046) >> 16);
}
static inline u32 mufu_rcp(u32 x)
{
    const u32 sign = x & 0x80000000, e = mufu_exponent(x), fraction = x & 0x7fffff;
    const s32 bits = (s32)mufu_rcp_fraction(fraction) + (253 - (s32)e) * 0x800000;
    const u32 finite = bits < 0x800000 ? 0 : (u32)bits;
    const u32 r = sign | (e == 0 ? 0x7f800000 : e == 255 ? 0 : finite);
    return mufu_is_nan(x) ? F32_NAN : r;
}

/* 1/sqrt(m) for m in [1, 2), or in [2, 4) when `odd`: units of 2^-24 above one half. */
static inline u32 mufu_rsqrt_fraction(u32 fraction, bool odd)
{
    const struct mufu_row *row = (odd ? mufu_rsqrt2_table : mufu_rsqrt1_table) + (fraction >> 17);
    const u32 r = (u32)(mufu_sum(row, fraction & 0x1ffff, 14, 16383) >> 16);
    return fraction == 0 && !odd ? 0x800000 : r;
}
static inline u32 mufu_rsqrt(u32 x)
{
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff;
    const s32 half = (s32)((e + 1) >> 1) - 64; /* floor((e - 127) / 2) */
    const u32 finite = (u32)((s32)mufu_rsqrt_fraction(fraction, !(e & 1)) + (126 - half) * 0x800000);
    const u32 r = e == 0 ? (x & 0x80000000) | 0x7f800000 : x & 0x80000000 ? F32_NAN : e == 255 ? 0 : finite;
    return mufu_is_nan(x) ? F32_NAN : r;
}

static inline u32 mufu_sqrt(u32 x)
{
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff;
    const bool odd = !(e & 1);
    const s32 half = (s32)((e + 1) >> 1) - 64;
    const struct mufu_row *row = (odd ? mufu_sqrt2_table : mufu_sqrt1_table) + (fraction >> 17);
    const u32 finite = (u32)((s32)(mufu_sum(row, fraction & 0x1ffff, 15, 32767) >> 17) + (127 + half) * 0x800000);
    const u32 r = e == 0 ? x & 0x80000000 : x & 0x80000000 ? F32_NAN : e == 255 ? 0x7f800000 : finite;
    return mufu_is_nan(x) ? F32_NAN : r;
}

/* A fixed-point number of `bits` fraction bits as a float, truncated. */
static inline u32 mufu_float(u64 magnitude, int bits, u32 sign)
{
    if (magnitude == 0)
        return sign;
    const int top = 63 - __builtin_clzll(magnitude);
    const u32 fraction = (u32)(top > 23 ? magnitude >> (top - 23) : magnitude << (23 - top)) & 0x7fffff;
    return sign | (u32)(top - bits + 127) << 23 | fraction;
}

static inline u32 mufu_lg2(u32 x)
{
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff;
    if (mufu_is_nan(x))
        return F32_NAN;
    if (e == 0)
        return 0xff800000;
    if (x & 0x80000000)
        return F32_NAN;
    if (e == 255)
        return 0x7f800000;
    if (x == 0x3f800000)
        return 0;
    s64 sum = mufu_sum(&mufu_lg2_table[fraction >> 17], fraction & 0x1ffff, 12, 837) >> 2;
    sum += ((s64)e - 127) * (1ll << 36);
    /* The negative is taken by complementing the bits. */
    return mufu_float((u64)(sum < 0 ? ~sum : sum), 36, sum < 0 ? 0x80000000 : 0);
}

/* 2^f for the 23 bits of f in [0, 1): fraction bits of a float. */
static inline u32 mufu_ex2_fraction(u32 f)
{
    return (u32)(mufu_sum(&mufu_ex2_table[f >> 17], f & 0x1ffff, 13, 6114) >> 15);
}
static inline u32 mufu_ex2(u32 x)
{
    const u32 e = mufu_exponent(x), significand = (x & 0x7fffff) | 0x800000;
    if (mufu_is_nan(x))
        return F32_NAN;
    if (e >= 127 + 8) /* |x| >= 256 */
        return x & 0x80000000 ? 0 : 0x7f800000;
    /* x with 23 fraction bits; the negative is taken by complementing the bits, unless it is an integer */
    const s32 shift = (s32)e - 127;
    const s32 magnitude = shift >= 0 ? (s32)(significand << shift) : shift > -24 ? (s32)(significand >> -shift) : 0;
    const bool negative = x >> 31, exact = !(magnitude & 0x7fffff);
    const s32 fixed = e == 0 ? 0 : !negative ? magnitude : exact ? -magnitude : ~magnitude;
    const s32 whole = fixed >> 23;
    const s64 bits = (s64)mufu_ex2_fraction((u32)fixed & 0x7fffff) + ((s64)whole + 127) * 0x800000;
    return whole > 127 ? 0x7f800000 : bits < 0x800000 ? 0 : (u32)bits;
}

/* sin or cos of 2 pi x. */
static inline u32 mufu_sine(u32 x, bool cosine)
{
    const u32 e = mufu_exponent(x), significand = (x & 0x7fffff) | 0x800000;
    if (e == 255)
        return F32_NAN;
    const bool negative = x >> 31;
    /* |x| modulo 1 with 25 fraction bits */
    const s32 shift = (s32)e - 127 + 2;
    u32 turn = e == 0 || shift <= -24 ? 0 : shift < 0 ? significand >> -shift : shift < 32 ? significand << shift : 0;
    turn &= 0x1ffffff;
    const u32 quadrant = (turn >> 23) + cosine;
    u32 f = turn & 0x7fffff;
    if (quadrant & 1)
        f = ~f & 0x7fffff;
    const s64 sum = mufu_sum(&mufu_sin_table[f >> 17], f & 0x1ffff, 10, 0);
    const bool below = (quadrant >> 1 & 1) ^ (negative && !cosine);
    return mufu_float((u64)sum, 37, below ? 0x80000000 : 0);
}

static inline u32 mufu_tanh(u32 x)
{
    /* 2^-8 to 8 in binades: segment bits, and the first row of each. */
    static const u8 bits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3}, first[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff, sign = x & 0x80000000;
    if (mufu_is_nan(x))
        return F32_NAN;
    if (e < 119)
        return x;
    if (e >= 130)
        return sign | 0x3f800000;
    const u32 m = bits[e - 119];
    const struct mufu_row *row = &mufu_tanh_table[first[e - 119] + (m ? fraction >> (23 - m) : 0)];
    return mufu_float((u64)mufu_sum(row, fraction >> (6 - m) & 0x1ffff, 16, 0), 40, sign);
}

/* The 16-bit forms truncate the f32 result; f16 keeps subnormals. */
static inline u32 mufu_to_f16(u32 x)
{
    const u32 sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;
    const u32 normal = (magnitude - (112u << 23)) >> 13;
    const s32 e = (s32)(magnitude >> 23);
    const u32 tiny = e < 103 ? 0 : ((magnitude & 0x7fffff) | 0x800000) >> (126 - e);
    const u32 finite = e < 113 ? tiny : normal;
    return mufu_is_nan(x) ? F16_NAN : sign | (magnitude >= 0x47800000 ? 0x7c00 : finite);
}
static inline u32 mufu_to_bf16(u32 x)
{
    return mufu_is_nan(x) ? BF16_NAN : x >> 16;
}

#endif
