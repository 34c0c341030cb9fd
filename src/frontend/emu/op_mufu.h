/*
 * The special-function unit (MUFU), bit for bit: reciprocal, reciprocal square root, square root, base-2 logarithm and
 * exponential, sine and cosine of turns. Subnormal inputs count as zeros and subnormal results become zeros, always;
 * what PTX promises without .ftz, the instruction sequences in op_approx.c add.
 *
 * The unit splits the input's mantissa (or its fixed-point form) into a segment and 17 bits dx, and adds
 * c0 + c1 dx + c2 sq(dx) as integers, where sq is a squarer that lacks its low columns (Oberman and Siu, ARITH 2005).
 * Results are truncated. Tables and details were recovered from an H200: see silicon/exact/fit.c.
 */
#ifndef WEIR_EMU_OP_MUFU_H
#define WEIR_EMU_OP_MUFU_H

#include "emu/op_float.h"
#include "emu/op_mufu_table.h"

ALWAYS_INLINE u32 mufu_square(u32 dx)
{
    const u32 h = dx >> 9;
#define COLUMN(p)                                                                                                      \
    ((0 - (dx >> (p)&1)) & dx >> (18 - (p))) /* by hand: a loop here would keep the lanes' from vectorizing */
    return (h * h >> 1) + COLUMN(2) + COLUMN(3) + COLUMN(4) + COLUMN(5) + COLUMN(6) + COLUMN(7) + COLUMN(8);
#undef COLUMN
}

/* Sum of a segment; c0 counts 2^quantum units. */
ALWAYS_INLINE s64 mufu_sum(const struct mufu_table *t, u32 segment, u32 dx, int quantum, s64 bias)
{
    return (s64)t->c0[segment] * (1ll << quantum) + bias + (s64)t->c1[segment] * (s32)dx +
           (s64)t->c2[segment] * (s32)mufu_square(dx);
}

/* c ? a : b as bit operations: of a real choice the compiler would compute one side only, and not vectorize. */
ALWAYS_INLINE u32 mufu_pick(bool c, u32 a, u32 b)
{
    const u32 m = 0 - (u32)c;
    return (a & m) | (b & ~m);
}
ALWAYS_INLINE u32 mufu_exponent(u32 x)
{
    return x >> 23 & 0xff;
}
ALWAYS_INLINE bool mufu_is_nan(u32 x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}
/* x >> n for n >= 0 and x << -n for n < 0; nothing is left of x after 24 places to the right or 32 to the left. */
ALWAYS_INLINE u32 mufu_shift(u32 x, s32 n)
{
    const u32 right = x >> (u32)(n < 0 ? 0 : n > 24 ? 24 : n), left = x << (u32)(n < -31 ? 31 : n > 0 ? 0 : -n);
    return mufu_pick(n >= 0, right, mufu_pick(n < -31, 0, left));
}

/* 1/m for the 23 fraction bits of m in [1, 2): units of 2^-24 above one half. */
ALWAYS_INLINE u32 mufu_rcp_fraction(u32 fraction)
{
    return (u32)(mufu_sum(&mufu_rcp_table, fraction >> 16, (fraction & 0xffff) << 1, 14, 4046) >> 16);
}
ALWAYS_INLINE u32 mufu_rcp(u32 x)
{
    const u32 sign = x & 0x80000000, e = mufu_exponent(x), fraction = x & 0x7fffff;
    const s32 bits = (s32)mufu_rcp_fraction(fraction) + (253 - (s32)e) * 0x800000;
    const u32 finite = bits < 0x800000 ? 0 : (u32)bits;
    const u32 r = sign | (e == 0 ? 0x7f800000 : e == 255 ? 0 : finite);
    return mufu_is_nan(x) ? F32_NAN : r;
}

/* 1/sqrt(m) for m in [1, 2), or in [2, 4) when `odd`: units of 2^-24 above one half. */
ALWAYS_INLINE u32 mufu_rsqrt_fraction(u32 fraction, u32 odd)
{
    const u32 r = (u32)(mufu_sum(&mufu_rsqrt_table, fraction >> 17 | odd << 6, fraction & 0x1ffff, 14, 16383) >> 16);
    return (fraction | odd) == 0 ? 0x800000 : r;
}
ALWAYS_INLINE u32 mufu_rsqrt(u32 x)
{
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff;
    const s32 half = (s32)((e + 1) >> 1) - 64; /* floor((e - 127) / 2) */
    const u32 finite = (u32)((s32)mufu_rsqrt_fraction(fraction, ~e & 1) + (126 - half) * 0x800000);
    const u32 r = e == 0 ? (x & 0x80000000) | 0x7f800000 : x >> 31 ? F32_NAN : e == 255 ? 0 : finite;
    return mufu_is_nan(x) ? F32_NAN : r;
}

ALWAYS_INLINE u32 mufu_sqrt(u32 x)
{
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff, odd = ~e & 1;
    const s32 half = (s32)((e + 1) >> 1) - 64;
    const s64 sum = mufu_sum(&mufu_sqrt_table, fraction >> 17 | odd << 6, fraction & 0x1ffff, 15, 32767);
    const u32 finite = (u32)((s32)(sum >> 17) + (127 + half) * 0x800000);
    const u32 r = e == 0 ? x & 0x80000000 : x >> 31 ? F32_NAN : e == 255 ? 0x7f800000 : finite;
    return mufu_is_nan(x) ? F32_NAN : r;
}

/* A fixed-point number of `bits` fraction bits (below 2^52) as a float, truncated. */
ALWAYS_INLINE u32 mufu_float(s64 magnitude, int bits, u32 sign)
{
    const u64 u = emu_f64_bits(emu_f64(0x4330000000000000 | (u64)magnitude) - 0x1p52); /* exact */
    const u32 exponent = (u32)(u >> 52) - 1023 - (u32)bits + 127;
    return sign | mufu_pick(magnitude == 0, 0, exponent << 23 | ((u32)(u >> 29) & 0x7fffff));
}

ALWAYS_INLINE u32 mufu_lg2(u32 x)
{
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff;
    const u64 part = (u64)mufu_sum(&mufu_lg2_table, fraction >> 17, fraction & 0x1ffff, 12, 837) >> 2;
    const s64 sum = (s64)part + ((s64)(s32)e - 127) * (1ll << 36);
    /* The negative is taken by complementing the bits. */
    const s64 negative = sum < 0 ? -1 : 0;
    const u32 finite = mufu_float(sum ^ negative, 36, (u32)negative & 0x80000000);
    const u32 r = mufu_pick(e == 0, 0xff800000, mufu_pick(x == 0x3f800000, 0, finite));
    return mufu_pick(mufu_is_nan(x) | ((x >> 31) & (e != 0)), F32_NAN, mufu_pick(x == 0x7f800000, x, r));
}

/* 2^f for the 23 bits of f in [0, 1): fraction bits of a float. */
ALWAYS_INLINE u32 mufu_ex2_fraction(u32 f)
{
    return (u32)(mufu_sum(&mufu_ex2_table, f >> 17, f & 0x1ffff, 13, 6114) >> 15);
}
ALWAYS_INLINE u32 mufu_ex2(u32 x)
{
    const u32 e = mufu_exponent(x), significand = (x & 0x7fffff) | 0x800000;
    /* x with 23 fraction bits; the negative is taken by complementing the bits, unless it is an integer */
    const bool large = e >= 127 + 8; /* |x| >= 256 */
    const s32 magnitude = (s32)mufu_pick(e == 0, 0, mufu_shift(significand, large ? 0 : 127 - (s32)e));
    const bool negative = x >> 31, exact = !(magnitude & 0x7fffff);
    const s32 fixed = !negative ? magnitude : exact ? -magnitude : ~magnitude;
    const s32 whole = fixed >> 23, exponent = whole < -130 ? -3 : whole > 127 ? 255 : whole + 127;
    const s32 bits = (s32)mufu_ex2_fraction((u32)fixed & 0x7fffff) + exponent * 0x800000;
    const u32 finite = mufu_pick(whole > 127, 0x7f800000, mufu_pick(bits < 0x800000, 0, (u32)bits));
    return mufu_pick(mufu_is_nan(x), F32_NAN, mufu_pick(large, negative ? 0 : 0x7f800000, finite));
}

/* sin or cos (quarter = 1) of 2 pi x. */
ALWAYS_INLINE u32 mufu_sine(u32 x, u32 quarter)
{
    const u32 e = mufu_exponent(x), significand = (x & 0x7fffff) | 0x800000;
    /* |x| modulo 1 with 25 fraction bits */
    const u32 turn = mufu_pick(e == 0, 0, mufu_shift(significand, 125 - (s32)e)) & 0x1ffffff;
    const u32 quadrant = (turn >> 23) + quarter;
    const u32 f = (quadrant & 1 ? ~turn : turn) & 0x7fffff;
    const s64 sum = mufu_sum(&mufu_sin_table, f >> 17, f & 0x1ffff, 10, 0);
    const u32 sign = (quadrant << 30 & 0x80000000) ^ (quarter ? 0 : x & 0x80000000);
    return mufu_pick(e == 255, F32_NAN, mufu_float(sum, 37, sign));
}

ALWAYS_INLINE u32 mufu_tanh(u32 x)
{
    /* 2^-8 to 8 in binades: segment bits, and the first segment of each. */
    static const s32 bits[16] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3}, first[16] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    const u32 e = mufu_exponent(x), fraction = x & 0x7fffff, sign = x & 0x80000000;
    const u32 binade = mufu_pick(e < 119, 0, mufu_pick(e > 129, 10, e - 119));
    const u32 m = (u32)bits[binade], segment = (u32)first[binade] + (fraction >> (23 - m));
    const u32 r = mufu_float(mufu_sum(&mufu_tanh_table, segment, fraction >> (6 - m) & 0x1ffff, 16, 0), 40, sign);
    const u32 end = mufu_pick(e < 119, x, mufu_pick(e >= 130, sign | 0x3f800000, r));
    return mufu_pick(mufu_is_nan(x), F32_NAN, end);
}

/* The 16-bit forms truncate the f32 result; f16 keeps subnormals. */
ALWAYS_INLINE u32 mufu_to_f16(u32 x)
{
    const u32 sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;
    const u32 normal = (magnitude - (112u << 23)) >> 13;
    const s32 e = (s32)(magnitude >> 23);
    const u32 tiny = mufu_shift((magnitude & 0x7fffff) | 0x800000, e > 126 ? 0 : 126 - e);
    const u32 finite = e < 113 ? tiny : normal;
    return mufu_is_nan(x) ? F16_NAN : sign | (magnitude >= 0x47800000 ? 0x7c00 : finite);
}
ALWAYS_INLINE u32 mufu_to_bf16(u32 x)
{
    return mufu_is_nan(x) ? BF16_NAN : x >> 16;
}

#endif
