/*
 * f16 and bf16 arithmetic, single and packed: add sub mul fma neg abs min max ex2 tanh with .ftz .sat .relu .NaN
 * .xorsign.abs. PTX ISA 9.0, "Half Precision Floating Point Instructions". Comparisons are in op_cmp.c.
 *
 * Each operation is done in f32 or f64, exactly or rounded to odd, and then rounded once to 16 bits. Rounding to odd
 * keeps, in the last bit, that something was lost, so that the second rounding cannot be led astray.
 */
#include "emu/op_mufu.h"

#include <math.h>

enum { FTZ = 1, SAT = 2, RELU = 4, NANS = 8, XORSIGN = 16 };

/* The exact value is r + error. */
ALWAYS_INLINE f32 odd_f32(f32 r, f32 error)
{
    const u32 u = emu_f32_bits(r);
    const bool away = (emu_f32_bits(error) ^ u) >> 31 == 0;
    return emu_f32(error != 0 && !(u & 1) ? (away ? u + 1 : u - 1) : u);
}
ALWAYS_INLINE f64 odd_f64(f64 r, f64 error)
{
    const u64 u = emu_f64_bits(r);
    const bool away = (emu_f64_bits(error) ^ u) >> 63 == 0;
    return emu_f64(error != 0 && !(u & 1) ? (away ? u + 1 : u - 1) : u);
}
ALWAYS_INLINE f32 narrow_odd(f64 x)
{
    const f32 r = (f32)x;
    const u32 u = emu_f32_bits(r);
    const f64 back = r;
    return emu_f32(back != x && !(u & 1) && x == x ? (fabs(back) < fabs(x) ? u + 1 : u - 1) : u);
}

/* ---- f16 ---- */
ALWAYS_INLINE u32 f16_flush(u32 h)
{
    return h & 0x7c00 ? h : h & 0x8000;
}
ALWAYS_INLINE u32 f16_in(u32 h, unsigned flags)
{
    return flags & FTZ ? f16_flush(h) : h;
}
ALWAYS_INLINE u32 f16_out(f32 x, unsigned flags)
{
    u32 h = f16_of_f32(x);
    /* As with f32, what counts is the value rounded with an unbounded exponent: see f32_flush_small. */
    const bool tiny = (f16_of_f32(x * 0x1p10f) & 0x7fff) < 0x2c00;
    h = flags & FTZ && tiny ? h & 0x8000 : h;
    const bool nan = x != x;
    const u32 unit = nan | (h >> 15) ? 0 : h > 0x3c00 ? 0x3c00 : h, ramp = nan ? h : h >> 15 ? 0 : h;
    return flags & SAT ? unit : flags & RELU ? ramp : h;
}
ALWAYS_INLINE u32 add_f16(u32 a, u32 b, unsigned f)
{
    return f16_out(f32_of_f16(f16_in(a, f)) + f32_of_f16(f16_in(b, f)), f);
}
ALWAYS_INLINE u32 sub_f16(u32 a, u32 b, unsigned f)
{
    return f16_out(f32_of_f16(f16_in(a, f)) - f32_of_f16(f16_in(b, f)), f);
}
ALWAYS_INLINE u32 mul_f16(u32 a, u32 b, unsigned f)
{
    return f16_out(f32_of_f16(f16_in(a, f)) * f32_of_f16(f16_in(b, f)), f);
}
ALWAYS_INLINE u32 fma_f16(u32 a, u32 b, u32 c, unsigned f)
{
    const f32 p = f32_of_f16(f16_in(a, f)) * f32_of_f16(f16_in(b, f)), z = f32_of_f16(f16_in(c, f)); /* p is exact */
    const f32 s = p + z, back = s - p, error = (p - (s - back)) + (z - back);
    return f16_out(s - s == 0 ? odd_f32(s, error) : s, f);
}

/* ---- bf16: as wide a range as f32, so products need f64 ---- */
ALWAYS_INLINE u32 bf16_out(f32 x, unsigned flags)
{
    const u32 h = bf16_of_f32(x);
    return flags & RELU && x == x && h & 0x8000 ? 0 : h;
}
ALWAYS_INLINE u32 add_bf16(u32 a, u32 b, unsigned f)
{
    return bf16_out(f32_of_bf16(a) + f32_of_bf16(b), f);
}
ALWAYS_INLINE u32 sub_bf16(u32 a, u32 b, unsigned f)
{
    return bf16_out(f32_of_bf16(a) - f32_of_bf16(b), f);
}
ALWAYS_INLINE u32 mul_bf16(u32 a, u32 b, unsigned f)
{
    return bf16_out(narrow_odd((f64)f32_of_bf16(a) * (f64)f32_of_bf16(b)), f);
}
ALWAYS_INLINE u32 fma_bf16(u32 a, u32 b, u32 c, unsigned f)
{
    const f64 p = (f64)f32_of_bf16(a) * (f64)f32_of_bf16(b), z = f32_of_bf16(c);
    const f64 s = p + z, back = s - p, error = (p - (s - back)) + (z - back);
    return bf16_out(narrow_odd(s - s == 0 ? odd_f64(s, error) : s), f);
}

/* ---- what only moves signs or picks a source; `inf` is the format's infinity ---- */
ALWAYS_INLINE u32 neg_half(u32 a, unsigned f, u32 inf)
{
    a = f & FTZ ? f16_flush(a) : a;
    return (a & 0x7fff) > inf ? 0x7fff : a ^ 0x8000;
}
ALWAYS_INLINE u32 abs_half(u32 a, unsigned f, u32 inf)
{
    a = f & FTZ ? f16_flush(a) : a;
    return (a & 0x7fff) > inf ? 0x7fff : a & 0x7fff;
}
/* Order of the bit patterns as numbers: -0 before +0. */
ALWAYS_INLINE s32 rank(u32 a)
{
    return a & 0x8000 ? -(s32)(a & 0x7fff) - 1 : (s32)a;
}
ALWAYS_INLINE u32 minmax_half(u32 a, u32 b, unsigned f, u32 inf, bool max)
{
    a = f & FTZ ? f16_flush(a) : a;
    b = f & FTZ ? f16_flush(b) : b;
    const u32 sign = (a ^ b) & 0x8000;
    const bool nan_a = (a & 0x7fff) > inf, nan_b = (b & 0x7fff) > inf;
    const u32 keep = f & XORSIGN ? 0x7fff : 0xffff;
    a &= keep, b &= keep;
    const u32 number = (rank(a) < rank(b)) ^ max ? a : b, r = nan_a ? b : nan_b ? a : number;
    const bool canonical = f & NANS ? nan_a | nan_b : nan_a & nan_b;
    return canonical ? 0x7fff : f & XORSIGN ? r | sign : r;
}

/* ---- approximations: the special-function unit on the f32 value, truncated ---- */
ALWAYS_INLINE u32 ex2_f16(u32 a, unsigned f)
{
    return mufu_to_f16(mufu_ex2(emu_f32_bits(f32_of_f16(f16_in(a, f)))));
}
ALWAYS_INLINE u32 ex2_bf16(u32 a, unsigned f)
{
    return mufu_to_bf16(mufu_ex2(a << 16));
}
ALWAYS_INLINE u32 tanh_f16(u32 a, unsigned f)
{
    return mufu_to_f16(mufu_tanh(emu_f32_bits(f32_of_f16(a))));
}
ALWAYS_INLINE u32 tanh_bf16(u32 a, unsigned f)
{
    return mufu_to_bf16(mufu_tanh(a << 16));
}

#define LO(x) ((x)&0xffff)
#define HI(x) ((x) >> 16)
/* The plain form, with no modifier, gets a loop of its own; the flags of the others are read before the loop. */
#define HALF_BODY(FETCH, PLAIN, FLAGGED)                                                                               \
    const unsigned f = i->aux[0];                                                                                      \
    if (f == 0) {                                                                                                      \
        EMU_BODY(u32, 1, FETCH, PLAIN)                                                                                 \
    } else {                                                                                                           \
        EMU_BODY(u32, 1, FETCH, FLAGGED)                                                                               \
    }
#define HALF1(name, FN, ...)                                                                                           \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const u32 *pa = emu_src(w, &i->src[0]);                                                                        \
        HALF_BODY(const u32 a = pa[l], FN(LO(a), 0, ##__VA_ARGS__), FN(LO(a), f, ##__VA_ARGS__))                       \
    }                                                                                                                  \
    EMU_HANDLER(name##_x2)                                                                                             \
    {                                                                                                                  \
        const u32 *pa = emu_src(w, &i->src[0]);                                                                        \
        HALF_BODY(const u32 a = pa[l], FN(LO(a), 0, ##__VA_ARGS__) | FN(HI(a), 0, ##__VA_ARGS__) << 16,                \
                  FN(LO(a), f, ##__VA_ARGS__) | FN(HI(a), f, ##__VA_ARGS__) << 16)                                     \
    }
#define HALF2(name, FN, ...)                                                                                           \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const u32 *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]);                                          \
        HALF_BODY(const u32 a = pa[l];                                                                                 \
                  const u32 b = pb[l], FN(LO(a), LO(b), 0, ##__VA_ARGS__), FN(LO(a), LO(b), f, ##__VA_ARGS__))         \
    }                                                                                                                  \
    EMU_HANDLER(name##_x2)                                                                                             \
    {                                                                                                                  \
        const u32 *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]);                                          \
        HALF_BODY(const u32 a = pa[l]; const u32 b = pb[l],                                                            \
                                       FN(LO(a), LO(b), 0, ##__VA_ARGS__) | FN(HI(a), HI(b), 0, ##__VA_ARGS__) << 16,  \
                                       FN(LO(a), LO(b), f, ##__VA_ARGS__) | FN(HI(a), HI(b), f, ##__VA_ARGS__) << 16)  \
    }
#define HALF3(name, FN)                                                                                                \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const u32 *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]), *pc = emu_src(w, &i->src[2]);            \
        HALF_BODY(const u32 a = pa[l]; const u32 b = pb[l];                                                            \
                  const u32 c = pc[l], FN(LO(a), LO(b), LO(c), 0), FN(LO(a), LO(b), LO(c), f))                         \
    }                                                                                                                  \
    EMU_HANDLER(name##_x2)                                                                                             \
    {                                                                                                                  \
        const u32 *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]), *pc = emu_src(w, &i->src[2]);            \
        HALF_BODY(const u32 a = pa[l]; const u32 b = pb[l];                                                            \
                  const u32 c = pc[l], FN(LO(a), LO(b), LO(c), 0) | FN(HI(a), HI(b), HI(c), 0) << 16,                  \
                  FN(LO(a), LO(b), LO(c), f) | FN(HI(a), HI(b), HI(c), f) << 16)                                       \
    }

HALF2(op_add_f16, add_f16)
HALF2(op_sub_f16, sub_f16)
HALF2(op_mul_f16, mul_f16)
HALF3(op_fma_f16, fma_f16)
HALF2(op_add_bf16, add_bf16)
HALF2(op_sub_bf16, sub_bf16)
HALF2(op_mul_bf16, mul_bf16)
HALF3(op_fma_bf16, fma_bf16)
HALF1(op_neg_f16, neg_half, 0x7c00)
HALF1(op_abs_f16, abs_half, 0x7c00)
HALF1(op_neg_bf16, neg_half, 0x7f80)
HALF1(op_abs_bf16, abs_half, 0x7f80)
HALF2(op_min_f16, minmax_half, 0x7c00, false)
HALF2(op_max_f16, minmax_half, 0x7c00, true)
HALF2(op_min_bf16, minmax_half, 0x7f80, false)
HALF2(op_max_bf16, minmax_half, 0x7f80, true)
HALF1(op_ex2_f16, ex2_f16)
HALF1(op_ex2_bf16, ex2_bf16)
HALF1(op_tanh_f16, tanh_f16)
HALF1(op_tanh_bf16, tanh_bf16)

int emu_sel_half(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
#define ROW(n)                                                                                                         \
    {                                                                                                                  \
        n##_f16, n##_f16_x2, n##_bf16, n##_bf16_x2                                                                     \
    }
    static const struct {
        u16 op;
        char sig[6];
        emu_op_fn *fn[4];
    } table[] = {
        {PTX_ADD, "w>ww", ROW(op_add)},  {PTX_SUB, "w>ww", ROW(op_sub)}, {PTX_MUL, "w>ww", ROW(op_mul)},
        {PTX_FMA, "w>www", ROW(op_fma)}, {PTX_NEG, "w>w", ROW(op_neg)},  {PTX_ABS, "w>w", ROW(op_abs)},
        {PTX_MIN, "w>ww", ROW(op_min)},  {PTX_MAX, "w>ww", ROW(op_max)}, {PTX_EX2, "w>w", ROW(op_ex2)},
        {PTX_TANH, "w>w", ROW(op_tanh)},
    };
    static const u8 mods[] = {PTX_M_RN,      PTX_M_FTZ, PTX_M_SAT,    PTX_M_RELU, PTX_M_NAN,
                              PTX_M_XORSIGN, PTX_M_ABS, PTX_M_APPROX, 0};
    if (!emu_knows_mods(p, mods))
        return emu_no(why, "this half-precision instruction has no such suffix");
    const enum ptx_type t = p->type[0];
    const int col = t == PTX_T_F16 ? 0 : t == PTX_T_F16X2 ? 1 : t == PTX_T_BF16 ? 2 : 3;
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].op != p->op || !table[k].fn[col])
            continue;
        emu_sig(sel, table[k].fn[col], table[k].sig, t);
        sel->aux[0] = (u8)((ptx_has(p, PTX_M_FTZ) ? FTZ : 0) | (ptx_has(p, PTX_M_SAT) ? SAT : 0) |
                           (ptx_has(p, PTX_M_RELU) ? RELU : 0) | (ptx_has(p, PTX_M_NAN) ? NANS : 0) |
                           (ptx_has(p, PTX_M_XORSIGN) ? XORSIGN : 0));
        return 0;
    }
    return emu_no(why, "there is no such half-precision instruction");
}
