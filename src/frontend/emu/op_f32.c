/*
 * f32 arithmetic, rounded to nearest even: add sub mul fma mad div rcp sqrt abs neg min max copysign, with .ftz and
 * .sat. PTX ISA 9.0, "Floating Point Instructions". The directed roundings are in op_round.c, the approximations in
 * op_approx.c.
 */
#include "emu/op_float.h"

#include <math.h>

/* name, name_ftz, name_sat, name_ftz_sat: sources flushed first, then one IEEE operation, then NaN, flush, clamp. */
#define NO_FLUSH(x)     (x)
#define FLUSH(x)        f32_flush(x)
#define DONE(x)         f32_canon(x)
#define DONE_FTZ(x)     f32_flush(f32_canon(x))
#define DONE_SAT(x)     f32_saturate(x)
#define DONE_FTZ_SAT(x) f32_saturate(f32_flush(x))

#define F32_OP1(name, EXPR)                                                                                            \
    EMU_OP1(name, f32, f32, DONE(EXPR(NO_FLUSH)))                                                                      \
    EMU_OP1(name##_ftz, f32, f32, DONE_FTZ(EXPR(FLUSH)))
#define F32_OP2(name, EXPR)                                                                                            \
    EMU_OP2(name, f32, f32, f32, DONE(EXPR(NO_FLUSH)))                                                                 \
    EMU_OP2(name##_ftz, f32, f32, f32, DONE_FTZ(EXPR(FLUSH)))                                                          \
    EMU_OP2(name##_sat, f32, f32, f32, DONE_SAT(EXPR(NO_FLUSH)))                                                       \
    EMU_OP2(name##_ftz_sat, f32, f32, f32, DONE_FTZ_SAT(EXPR(FLUSH)))

#define ADD(F)  (F(a) + F(b))
#define SUB(F)  (F(a) - F(b))
#define DIV(F)  (F(a) / F(b))
#define RCP(F)  (1.0f / F(a))
#define SQRT(F) sqrtf(F(a))
F32_OP2(add_f32, ADD)
F32_OP2(sub_f32, SUB)
EMU_OP2(mul_f32, f32, f32, f32, f32_canon(a *b))
EMU_OP2(mul_f32_ftz, f32, f32, f32, f32_mul_ftz(a, b))
EMU_OP2(mul_f32_sat, f32, f32, f32, f32_saturate(a *b))
EMU_OP2(mul_f32_ftz_sat, f32, f32, f32, f32_saturate(f32_mul_ftz(a, b)))
EMU_OP3(fma_f32, f32, f32, f32, f32, f32_canon(__builtin_fmaf(a, b, c)))
EMU_OP3(fma_f32_ftz, f32, f32, f32, f32, f32_fma_ftz(a, b, c))
EMU_OP3(fma_f32_sat, f32, f32, f32, f32, f32_saturate(__builtin_fmaf(a, b, c)))
EMU_OP3(fma_f32_ftz_sat, f32, f32, f32, f32, f32_saturate(f32_fma_ftz(a, b, c)))
F32_OP2(div_f32, DIV)
F32_OP1(rcp_f32, RCP)
F32_OP1(sqrt_f32, SQRT)

ALWAYS_INLINE f32 magnitude(f32 x)
{
    return emu_f32(emu_f32_bits(x) & 0x7fffffff);
}
EMU_OP1(abs_f32, f32, f32, f32_canon(magnitude(a)))
EMU_OP1(neg_f32, f32, f32, f32_canon(-a))
EMU_OP1(abs_ftz_f32, f32, f32, f32_canon(magnitude(f32_flush(a))))
EMU_OP1(neg_ftz_f32, f32, f32, f32_canon(-f32_flush(a)))
EMU_OP2(copysign_f32, u32, u32, u32, (a & 0x80000000) | (b & 0x7fffffff))

/*
 * min and max: a NaN loses against a number (unless .NaN), -0 is less than +0. Equal operands differ at most in the
 * sign of zero, so combining their bits picks the right zero.
 */
ALWAYS_INLINE f32 min_num(f32 a, f32 b)
{
    const f32 equal = emu_f32(emu_f32_bits(a) | emu_f32_bits(b));
    const f32 r = a < b ? a : a == b ? equal : b;
    return b != b ? f32_canon(a) : a != a ? b : r;
}
ALWAYS_INLINE f32 max_num(f32 a, f32 b)
{
    const f32 equal = emu_f32(emu_f32_bits(a) & emu_f32_bits(b));
    const f32 r = a > b ? a : a == b ? equal : b;
    return b != b ? f32_canon(a) : a != a ? b : r;
}
ALWAYS_INLINE f32 nan_if(f32 a, f32 b, f32 r)
{
    return a == a && b == b ? r : emu_f32(F32_NAN);
}
ALWAYS_INLINE f32 xor_sign(f32 a, f32 b, f32 r)
{
    const u32 sign = (emu_f32_bits(a) ^ emu_f32_bits(b)) & 0x80000000;
    return f32_canon(emu_f32((emu_f32_bits(r) & 0x7fffffff) | sign));
}
#define MINMAX(name, OF)                                                                                               \
    EMU_OP2(name##_f32, f32, f32, f32, OF(a, b))                                                                       \
    EMU_OP2(name##_ftz_f32, f32, f32, f32, OF(f32_flush(a), f32_flush(b)))                                             \
    EMU_OP2(name##_nan_f32, f32, f32, f32, nan_if(a, b, OF(a, b)))                                                     \
    EMU_OP2(name##_ftz_nan_f32, f32, f32, f32, nan_if(a, b, OF(f32_flush(a), f32_flush(b))))                           \
    EMU_OP2(name##_xs_f32, f32, f32, f32, xor_sign(a, b, OF(magnitude(a), magnitude(b))))                              \
    EMU_OP2(name##_ftz_xs_f32, f32, f32, f32, xor_sign(a, b, OF(magnitude(f32_flush(a)), magnitude(f32_flush(b)))))    \
    EMU_OP2(name##_nan_xs_f32, f32, f32, f32, xor_sign(a, b, nan_if(a, b, OF(magnitude(a), magnitude(b)))))            \
    EMU_OP2(name##_ftz_nan_xs_f32, f32, f32, f32,                                                                      \
            xor_sign(a, b, nan_if(a, b, OF(magnitude(f32_flush(a)), magnitude(f32_flush(b))))))
MINMAX(min, min_num)
MINMAX(max, max_num)

int emu_sel_f32(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
#define VARIANTS(n)                                                                                                    \
    {                                                                                                                  \
        n, n##_ftz, n##_sat, n##_ftz_sat                                                                               \
    }
    static emu_op_fn *const add[] = VARIANTS(add_f32), *const sub[] = VARIANTS(sub_f32),
                            *const mul[] = VARIANTS(mul_f32);
    static emu_op_fn *const div[] = VARIANTS(div_f32), *const fma[] = VARIANTS(fma_f32);
#define MINMAX_VARIANTS(n)                                                                                             \
    {                                                                                                                  \
        n##_f32, n##_ftz_f32, n##_nan_f32, n##_ftz_nan_f32, n##_xs_f32, n##_ftz_xs_f32, n##_nan_xs_f32,                \
            n##_ftz_nan_xs_f32                                                                                         \
    }
    static emu_op_fn *const min[] = MINMAX_VARIANTS(min), *const max[] = MINMAX_VARIANTS(max);
    static const u8 arithmetic[] = {PTX_M_RN, PTX_M_FTZ, PTX_M_SAT, 0},
                    orders[] = {PTX_M_FTZ, PTX_M_NAN, PTX_M_XORSIGN, PTX_M_ABS, 0};
    const bool order = p->op == PTX_MIN || p->op == PTX_MAX;
    if (!emu_knows_mods(p, order ? orders : arithmetic))
        return emu_no(why, "this f32 instruction has no such suffix");
    const unsigned ftz = ptx_has(p, PTX_M_FTZ), v = ftz + 2 * ptx_has(p, PTX_M_SAT);
    const unsigned mv = ftz + 2 * ptx_has(p, PTX_M_NAN) + 4 * ptx_has(p, PTX_M_XORSIGN);
    switch (p->op) {
    case PTX_ADD:
        emu_sig(sel, add[v], "w>ww", PTX_T_F32);
        return 0;
    case PTX_SUB:
        emu_sig(sel, sub[v], "w>ww", PTX_T_F32);
        return 0;
    case PTX_MUL:
        emu_sig(sel, mul[v], "w>ww", PTX_T_F32);
        return 0;
    case PTX_DIV:
        emu_sig(sel, div[v], "w>ww", PTX_T_F32);
        return 0;
    case PTX_FMA:
    case PTX_MAD:
        emu_sig(sel, fma[v], "w>www", PTX_T_F32);
        return 0;
    case PTX_RCP:
        emu_sig(sel, ftz ? rcp_f32_ftz : rcp_f32, "w>w", PTX_T_F32);
        return 0;
    case PTX_SQRT:
        emu_sig(sel, ftz ? sqrt_f32_ftz : sqrt_f32, "w>w", PTX_T_F32);
        return 0;
    case PTX_ABS:
        emu_sig(sel, ftz ? abs_ftz_f32 : abs_f32, "w>w", PTX_T_F32);
        return 0;
    case PTX_NEG:
        emu_sig(sel, ftz ? neg_ftz_f32 : neg_f32, "w>w", PTX_T_F32);
        return 0;
    case PTX_COPYSIGN:
        emu_sig(sel, copysign_f32, "w>ww", PTX_T_F32);
        return 0;
    case PTX_MIN:
    case PTX_MAX:
        if (p->n_opnd != 3)
            break;
        emu_sig(sel, (p->op == PTX_MIN ? min : max)[mv], "w>ww", PTX_T_F32);
        return 0;
    }
    return emu_no(why, "there is no such f32 instruction");
}
