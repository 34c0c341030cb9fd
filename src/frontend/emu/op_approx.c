/*
 * Approximate functions: div.approx div.full rcp sqrt rsqrt sin cos lg2 ex2 tanh with .approx, and the f64 seeds
 * rcp.approx.ftz.f64, rsqrt.approx.ftz.f64. PTX ISA 9.0, "Floating Point Instructions".
 *
 * PTX gives error bounds only. These are the instruction sequences that ptxas emits for sm_90 around the
 * special-function unit, with the unit modeled exactly (op_mufu.h), so results equal the H200's bit for bit;
 * rsqrt.approx.f64 alone, which no compiler emits, is only within its bound.
 */
#include "emu/op_mufu.h"

#include <math.h>

ALWAYS_INLINE f32 rcp_of(f32 x)
{
    return emu_f32(mufu_rcp(emu_f32_bits(x)));
}
ALWAYS_INLINE f32 sqrt_of(f32 x)
{
    return emu_f32(mufu_sqrt(emu_f32_bits(x)));
}
ALWAYS_INLINE f32 rsqrt_of(f32 x)
{
    return emu_f32(mufu_rsqrt(emu_f32_bits(x)));
}
ALWAYS_INLINE f32 lg2_of(f32 x)
{
    return emu_f32(mufu_lg2(emu_f32_bits(x)));
}
ALWAYS_INLINE f32 ex2_of(f32 x)
{
    return emu_f32(mufu_ex2(emu_f32_bits(x)));
}

#define TINY  0x1p-126f /* below: subnormal */
#define HUGE_ 0x1p126f  /* above: the reciprocal is subnormal */

ALWAYS_INLINE f32 div_approx(f32 a, f32 b)
{
    const f32 scale = fabsf(b) < TINY ? 0x1p24f : 1;
    return f32_canon(rcp_of(b * scale) * (a * scale));
}
ALWAYS_INLINE f32 div_full(f32 a, f32 b)
{
    const f32 scale = fabsf(b) > HUGE_ ? 0.25f : fabsf(b) < TINY ? 0x1p24f : 1;
    return f32_canon(rcp_of(b * scale) * (a * scale));
}
ALWAYS_INLINE f32 div_full_ftz(f32 a, f32 b)
{
    const f32 scale = fabsf(b) > HUGE_ ? 0.25f : 1;
    return f32_mul_ftz(rcp_of(f32_mul_ftz(b, scale)), f32_mul_ftz(a, scale));
}
ALWAYS_INLINE f32 rcp_approx(f32 a)
{
    const f32 scale = fabsf(a) > HUGE_ ? 0.25f : fabsf(a) < TINY ? 0x1p24f : 1;
    return f32_canon(rcp_of(a * scale) * scale);
}
ALWAYS_INLINE f32 sqrt_approx(f32 a)
{
    const bool tiny = fabsf(a) < TINY;
    return f32_canon(sqrt_of(tiny ? a * 0x1p24f : a) * (tiny ? 0x1p-12f : 1));
}
ALWAYS_INLINE f32 rsqrt_approx(f32 a)
{
    const bool tiny = fabsf(a) < TINY;
    return f32_canon(rsqrt_of(tiny ? a * 0x1p24f : a) * (tiny ? 0x1p12f : 1));
}
ALWAYS_INLINE f32 lg2_approx(f32 a)
{
    const bool tiny = fabsf(a) < TINY;
    return f32_canon(lg2_of(tiny ? a * 0x1p24f : a) - (tiny ? 24 : 0));
}
ALWAYS_INLINE f32 ex2_approx(f32 a)
{
    const bool tiny = a < -126;
    const f32 r = ex2_of(tiny ? a * 0.5f : a);
    return f32_canon(r * (tiny ? r : 1));
}
/* sin and cos: the argument in turns, rounded toward zero, without flush. */
ALWAYS_INLINE u32 sine(f32 a, u32 quarter)
{
    const f64 exact = (f64)a * (f64)0.15915493667125701904f; /* 48 bits: exact */
    const f32 nearest = (f32)exact;
    const u32 u = emu_f32_bits(nearest);
    const bool away = fabs((f64)nearest) > fabs(exact);
    return mufu_sine(away ? u - 1 : u, quarter);
}

EMU_OP2(div_approx_f32, f32, f32, f32, div_approx(a, b))
EMU_OP2(div_approx_ftz_f32, f32, f32, f32, f32_mul_ftz(a, rcp_of(b)))
EMU_OP2(div_full_f32, f32, f32, f32, div_full(a, b))
EMU_OP2(div_full_ftz_f32, f32, f32, f32, div_full_ftz(f32_flush(a), f32_flush(b)))
EMU_OP1(rcp_approx_f32, f32, f32, rcp_approx(a))
EMU_OP1(rcp_approx_ftz_f32, f32, f32, rcp_of(a))
EMU_OP1(sqrt_approx_f32, f32, f32, sqrt_approx(a))
EMU_OP1(sqrt_approx_ftz_f32, f32, f32, sqrt_of(a))
EMU_OP1(rsqrt_approx_f32, f32, f32, rsqrt_approx(a))
EMU_OP1(rsqrt_approx_ftz_f32, f32, f32, rsqrt_of(a))
EMU_OP1(lg2_approx_f32, f32, f32, lg2_approx(a))
EMU_OP1(lg2_approx_ftz_f32, f32, f32, lg2_of(a))
EMU_OP1(ex2_approx_f32, f32, f32, ex2_approx(a))
EMU_OP1(ex2_approx_ftz_f32, f32, f32, ex2_of(a))
EMU_OP1(sin_approx_f32, u32, f32, sine(a, 0))
EMU_OP1(cos_approx_f32, u32, f32, sine(a, 1))

/* ---- f64 seeds: the f32 unit on the upper 20 fraction bits; the lower word of the result is 0 ---- */
ALWAYS_INLINE u64 rcp_seed(u64 x)
{
    const u32 hi = (u32)(x >> 32), e = hi >> 20 & 0x7ff, sign = hi & 0x80000000;
    const s32 bits = (s32)(mufu_rcp_fraction((hi & 0xfffff) << 3) >> 3) + (2045 - (s32)e) * 0x100000;
    const u32 r = e == 0 ? 0x7ff00000 : e == 2047 || bits < 0x100000 ? 0 : (u32)bits;
    const bool nan = e == 2047 && (hi & 0xfffff || (u32)x);
    return (u64)(nan ? F32_NAN : sign | r) << 32;
}
ALWAYS_INLINE u64 rsqrt_seed(u64 x)
{
    const u32 hi = (u32)(x >> 32), e = hi >> 20 & 0x7ff, sign = hi & 0x80000000;
    const s32 half = (s32)((e + 1) >> 1) - 512;
    const u32 bits = (u32)((s32)(mufu_rsqrt_fraction((hi & 0xfffff) << 3, ~e & 1) >> 3) + (1022 - half) * 0x100000);
    const u32 r = e == 0 ? sign | 0x7ff00000 : sign ? F32_NAN : e == 2047 ? 0 : bits;
    const bool nan = e == 2047 && (hi & 0xfffff || (u32)x);
    return (u64)(nan ? F32_NAN : r) << 32;
}
EMU_OP1(rcp_approx_ftz_f64, u64, u64, rcp_seed(a))
EMU_OP1(rsqrt_approx_ftz_f64, u64, u64, rsqrt_seed(a))

/* rsqrt.approx.f64: one third-order step from the seed; subnormals are scaled. */
ALWAYS_INLINE f64 rsqrt_step(f64 x)
{
    const f64 y = emu_f64(rsqrt_seed(emu_f64_bits(x))), e = __builtin_fma(x, -(y * y), 1);
    return __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
}
ALWAYS_INLINE f64 rsqrt_approx_wide(f64 a)
{
    const u64 u = emu_f64_bits(a);
    const bool tiny = (u & 0x7ff0000000000000) == 0;
    const f64 r = rsqrt_step(tiny ? a * 0x1p54 : a) * (tiny ? 0x1p27 : 1);
    const f64 inf = emu_f64(u | 0x7ff0000000000000);
    return a != a ? f64_quiet(a) : a == 0 ? inf : a < 0 ? emu_f64(F64_NAN) : a > 0x1.fffffffffffffp1023 ? 0 : r;
}
EMU_OP1(rsqrt_approx_f64, f64, f64, rsqrt_approx_wide(a))

EMU_OP1(tanh_approx_f32, u32, u32, mufu_tanh(a))

int emu_sel_approx(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static const struct {
        u16 op;
        emu_op_fn *plain, *ftz, *wide, *wide_ftz;
    } table[] = {
        {PTX_RCP, rcp_approx_f32, rcp_approx_ftz_f32, NULL, rcp_approx_ftz_f64},
        {PTX_SQRT, sqrt_approx_f32, sqrt_approx_ftz_f32, NULL, NULL},
        {PTX_RSQRT, rsqrt_approx_f32, rsqrt_approx_ftz_f32, rsqrt_approx_f64, rsqrt_approx_ftz_f64},
        {PTX_SIN, sin_approx_f32, sin_approx_f32, NULL, NULL},
        {PTX_COS, cos_approx_f32, cos_approx_f32, NULL, NULL},
        {PTX_LG2, lg2_approx_f32, lg2_approx_ftz_f32, NULL, NULL},
        {PTX_EX2, ex2_approx_f32, ex2_approx_ftz_f32, NULL, NULL},
        {PTX_TANH, tanh_approx_f32, tanh_approx_f32, NULL, NULL},
    };
    const bool ftz = ptx_has(p, PTX_M_FTZ), full = ptx_has(p, PTX_M_FULL), wide = p->n_type && p->type[0] == PTX_T_F64;
    static const u8 mods[] = {PTX_M_APPROX, PTX_M_FULL, PTX_M_FTZ, 0};
    if (!emu_knows_mods(p, mods))
        return emu_no(why, "this approximate instruction has no such suffix");
    if (p->op == PTX_DIV && !wide) {
        emu_op_fn *fn = full ? (ftz ? div_full_ftz_f32 : div_full_f32) : (ftz ? div_approx_ftz_f32 : div_approx_f32);
        emu_sig(sel, fn, "w>ww", PTX_T_F32);
        return 0;
    }
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].op == p->op) {
            emu_op_fn *fn = wide ? (ftz ? table[k].wide_ftz : table[k].wide) : ftz ? table[k].ftz : table[k].plain;
            if (!fn)
                break;
            emu_sig(sel, fn, wide ? "d>d" : "w>w", wide ? PTX_T_F64 : PTX_T_F32);
            return 0;
        }
    return emu_no(why, "there is no such approximate instruction");
}
