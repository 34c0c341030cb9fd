/*
 * Any floating-point format as an exact integer times a power of two, and back with any rounding: the definition that
 * conversions and odd formats are built on. Integer arithmetic only, so results do not depend on the host's FPU mode.
 * One value at a time; the hot conversions have vector code of their own and are tested against this.
 */
#ifndef WEIR_EMU_OP_SOFT_H
#define WEIR_EMU_OP_SOFT_H

#include "emu/op_lane.h"

enum soft_round { SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP, SOFT_RNA };

struct soft_format {
    u8 fraction_bits, exponent_bits;
    u8 low_zeros; /* tf32 is kept in the high bits of an f32 register */
    bool no_inf;  /* e4m3: the top exponent holds numbers, all ones is NaN */
    u64 nan;      /* the canonical NaN, with low_zeros dropped */
};
static const struct soft_format soft_f16 = {10, 5, 0, false, 0x7fff};
static const struct soft_format soft_bf16 = {7, 8, 0, false, 0x7fff};
static const struct soft_format soft_tf32 = {10, 8, 13, false, 0x3ffff};
static const struct soft_format soft_f32 = {23, 8, 0, false, 0x7fffffff};
static const struct soft_format soft_f64 = {52, 11, 0, false, 0x7fffffffffffffff};
static const struct soft_format soft_e4m3 = {3, 4, 0, true, 0x7f};
static const struct soft_format soft_e5m2 = {2, 5, 0, false, 0x7f};

enum soft_class { SOFT_ZERO, SOFT_FINITE, SOFT_INF, SOFT_NAN };
struct soft {
    u8 class; /* enum soft_class */
    bool negative;
    bool subnormal;  /* in the format it came from */
    s32 exponent;    /* FINITE: value = significand * 2^exponent */
    u64 significand; /* NAN: the fraction, at the top of the word */
};

static inline s32 soft_bias(const struct soft_format *f)
{
    return (1 << (f->exponent_bits - 1)) - 1;
}
static inline u64 soft_top_exponent(const struct soft_format *f)
{
    return (1u << f->exponent_bits) - 1;
}

static inline struct soft soft_unpack(const struct soft_format *f, u64 bits)
{
    bits >>= f->low_zeros;
    const u64 fraction = bits & ((1ull << f->fraction_bits) - 1);
    const u64 exponent = bits >> f->fraction_bits & soft_top_exponent(f);
    struct soft x = {.negative = bits >> (f->fraction_bits + f->exponent_bits) & 1};
    const bool top = exponent == soft_top_exponent(f);
    if (top && f->no_inf ? fraction == (1ull << f->fraction_bits) - 1 : top && fraction) {
        x.class = SOFT_NAN;
        x.significand = fraction << (64 - f->fraction_bits);
    } else if (top && !f->no_inf) {
        x.class = SOFT_INF;
    } else if (exponent == 0) {
        x.class = fraction ? SOFT_FINITE : SOFT_ZERO;
        x.subnormal = fraction != 0;
        x.significand = fraction;
        x.exponent = 1 - soft_bias(f) - f->fraction_bits;
    } else {
        x.class = SOFT_FINITE;
        x.significand = fraction | 1ull << f->fraction_bits;
        x.exponent = (s32)exponent - soft_bias(f) - f->fraction_bits;
    }
    return x;
}

static inline s32 soft_top_bit(u64 x)
{
    return 63 - __builtin_clzll(x);
}

/* significand / 2^shift as an integer; shift may be anything >= 0. */
static inline u64 soft_shift_round(u64 significand, s32 shift, bool negative, enum soft_round mode)
{
    if (shift == 0)
        return significand;
    const u64 quotient = shift > 63 ? 0 : significand >> shift;
    const bool half = shift <= 64 && (significand >> (shift - 1) & 1);
    const u64 below_half = shift > 64 ? significand : shift == 1 ? 0 : significand << (65 - shift);
    if (!half && !below_half)
        return quotient;
    switch (mode) {
    case SOFT_RN:
        return quotient + (half && (below_half || (quotient & 1)));
    case SOFT_RNA:
        return quotient + half;
    case SOFT_RM:
        return quotient + negative;
    case SOFT_RP:
        return quotient + !negative;
    case SOFT_RZ:
        break;
    }
    return quotient;
}

/* The magnitude's bits without sign; FINITE only. `saturate`: largest finite number instead of infinity. */
static inline u64 soft_pack_magnitude(const struct soft_format *f, struct soft x, enum soft_round mode, bool saturate)
{
    const s32 e_min = 1 - soft_bias(f), e = x.exponent + soft_top_bit(x.significand);
    const s32 e_field = e > e_min ? e : e_min;
    const s32 shift = e_field - f->fraction_bits - x.exponent;
    const u64 max_finite = f->no_inf ? (soft_top_exponent(f) << f->fraction_bits) + (1ull << f->fraction_bits) - 2
                                     : (soft_top_exponent(f) << f->fraction_bits) - 1;
    const bool to_inf = mode == SOFT_RN || mode == SOFT_RNA || mode == (x.negative ? SOFT_RM : SOFT_RP);
    const u64 overflow = saturate || !to_inf ? max_finite : f->no_inf ? f->nan : max_finite + 1;
    if (e_field > soft_bias(f) + 1)
        return overflow;
    const u64 q = shift <= 0 ? x.significand << -shift : soft_shift_round(x.significand, shift, x.negative, mode);
    const u64 bits = ((u64)(e_field - e_min) << f->fraction_bits) + q;
    return bits > max_finite ? overflow : bits;
}

static inline u64 soft_pack(const struct soft_format *f, struct soft x, enum soft_round mode, bool saturate)
{
    u64 magnitude = 0;
    switch (x.class) {
    case SOFT_ZERO:
        break;
    case SOFT_FINITE:
        magnitude = soft_pack_magnitude(f, x, mode, saturate);
        break;
    case SOFT_INF:
        magnitude = soft_top_exponent(f) << f->fraction_bits;
        if (f->no_inf)
            magnitude = saturate ? magnitude + (1ull << f->fraction_bits) - 2 : f->nan;
        else if (saturate)
            magnitude -= 1;
        break;
    case SOFT_NAN:
        return f->nan << f->low_zeros;
    }
    return (magnitude | (u64)x.negative << (f->fraction_bits + f->exponent_bits)) << f->low_zeros;
}

/* A NaN with its sign and the top of its payload kept, made quiet. */
static inline u64 soft_pack_nan(const struct soft_format *f, struct soft x)
{
    const u64 fraction = (x.significand | 1ull << 63) >> (64 - f->fraction_bits);
    const u64 sign = (u64)x.negative << f->exponent_bits;
    return ((sign | soft_top_exponent(f)) << f->fraction_bits | fraction) << f->low_zeros;
}

/* Rounds to an integral value; the sign stays, on zero too. */
static inline struct soft soft_to_integral(struct soft x, enum soft_round mode)
{
    if (x.class != SOFT_FINITE || x.exponent >= 0)
        return x;
    x.significand = soft_shift_round(x.significand, -x.exponent, x.negative, mode);
    x.exponent = 0;
    if (x.significand == 0)
        x.class = SOFT_ZERO;
    return x;
}

static inline struct soft soft_from_int(u64 bits, bool is_signed)
{
    const bool negative = is_signed && (s64)bits < 0;
    const u64 magnitude = negative ? 0 - bits : bits;
    return (struct soft){
        .class = magnitude ? SOFT_FINITE : SOFT_ZERO, .negative = negative, .exponent = 0, .significand = magnitude};
}

#endif
