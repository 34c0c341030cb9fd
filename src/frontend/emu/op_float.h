/*
 * Floating-point pieces the operation groups share: canonical NaNs, flush to zero, saturation, and the 16-bit formats
 * as f32. Everything is branch-free bit work or a single IEEE operation, so that lane loops vectorize.
 */
#ifndef WEIR_EMU_OP_FLOAT_H
#define WEIR_EMU_OP_FLOAT_H

#include "emu/op_lane.h"

#define F32_NAN  0x7fffffffu
#define F16_NAN  0x7fffu
#define BF16_NAN 0x7fffu

/* f32 arithmetic delivers one NaN whatever the operands' payloads were. */
ALWAYS_INLINE f32 f32_canon(f32 x)
{
    return x == x ? x : emu_f32(F32_NAN);
}

/*
 * f64 arithmetic passes NaNs on, made quiet, sign and payload kept: of several the second source's first, then the
 * third's. An operation that itself is invalid gives F64_NAN.
 */
#define F64_NAN 0xfff8000000000000ull
ALWAYS_INLINE f64 f64_quiet(f64 x)
{
    return emu_f64(emu_f64_bits(x) | 0x0008000000000000);
}
ALWAYS_INLINE f64 f64_nan1(f64 r, f64 a)
{
    const f64 own = r == r ? r : emu_f64(F64_NAN);
    return a != a ? f64_quiet(a) : own;
}
ALWAYS_INLINE f64 f64_nan2(f64 r, f64 a, f64 b)
{
    return f64_nan1(r, b != b ? b : a);
}
ALWAYS_INLINE f64 f64_nan3(f64 r, f64 a, f64 b, f64 c)
{
    const f64 n = c != c ? c : a;
    return f64_nan1(r, b != b ? b : n);
}

/* .ftz: a subnormal becomes a zero of its sign. */
ALWAYS_INLINE f32 f32_flush(f32 x)
{
    const u32 u = emu_f32_bits(x);
    return emu_f32(u & 0x7f800000 ? u : u & 0x80000000);
}
/*
 * A product or sum under .ftz is flushed when it would be subnormal after rounding to 24 bits with an unbounded
 * exponent: a value just below 2^-126 that ordinary rounding would bring up to it is still flushed. Scaling by 2^24
 * shows that rounding. Sources are flushed already.
 */
ALWAYS_INLINE f32 f32_flush_small(f32 r, f32 scaled)
{
    const u32 sign = emu_f32_bits(r) & 0x80000000;
    return scaled < 0x1p-102f && scaled > -0x1p-102f ? emu_f32(sign) : f32_canon(r);
}
ALWAYS_INLINE f32 f32_mul_ftz(f32 a, f32 b)
{
    a = f32_flush(a), b = f32_flush(b);
    return f32_flush_small(a * b, (a * 0x1p12f) * (b * 0x1p12f));
}
ALWAYS_INLINE f32 f32_fma_ftz(f32 a, f32 b, f32 c)
{
    a = f32_flush(a), b = f32_flush(b), c = f32_flush(c);
    return f32_flush_small(__builtin_fmaf(a, b, c), __builtin_fmaf(a * 0x1p12f, b * 0x1p12f, c * 0x1p24f));
}

/* .sat: to [0, 1]; NaN and negative values, -0 too, become +0. */
ALWAYS_INLINE f32 f32_saturate(f32 x)
{
    const f32 low = x > 0 ? x : 0;
    return low < 1 ? low : 1;
}

/*
 * f16 -> f32, exactly. A subnormal is an integer multiple of 2^-24, which the conversion of the 10-bit fraction gives.
 * NaNs keep sign and payload here.
 */
ALWAYS_INLINE f32 f32_of_f16(u32 h)
{
    const u32 sign = (h & 0x8000) << 16, mag = h & 0x7fff;
    const u32 normal = (mag << 13) + (112u << 23);
    const u32 special = (mag << 13) | 0x7f800000;
    const u32 tiny = emu_f32_bits((f32)(s32)mag * 0x1p-24f);
    return emu_f32(sign | (mag >= 0x7c00 ? special : mag < 0x400 ? tiny : normal));
}
ALWAYS_INLINE f32 f32_of_bf16(u32 h)
{
    return emu_f32(h << 16);
}

/* f32 -> f16, nearest even; every NaN becomes the canonical one. */
ALWAYS_INLINE u32 f16_of_f32(f32 x)
{
    const u32 u = emu_f32_bits(x), sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
    /* Normal: round the 13 dropped bits; the carry moves into the exponent, up to infinity. */
    const u32 normal = (mag - (112u << 23) + 0xfff + (mag >> 13 & 1)) >> 13;
    /* Subnormal: adding 0.5 aligns the last bit of f16 (2^-24) with the last bit of f32. */
    const u32 tiny = emu_f32_bits(emu_f32(mag) + 0.5f) & 0x7ff;
    const u32 finite = mag < (113u << 23) ? tiny : mag >= 0x477ff000 ? 0x7c00 : normal;
    return mag > 0x7f800000 ? F16_NAN : sign | finite;
}
ALWAYS_INLINE u32 bf16_of_f32(f32 x)
{
    const u32 u = emu_f32_bits(x);
    const u32 r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (u & 0x7fffffff) > 0x7f800000 ? BF16_NAN : r;
}

#endif
