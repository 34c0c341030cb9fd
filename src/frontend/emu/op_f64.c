/*
 * f64 arithmetic, rounded to nearest even: add sub mul fma mad div rcp sqrt abs neg min max copysign. PTX ISA 9.0,
 * "Floating Point Instructions". Directed roundings are in op_round.c, the approximations in op_approx.c.
 */
#include "emu/op_float.h"

#include <math.h>

#define F64_SIGN 0x8000000000000000ull

EMU_OP2(add_f64, f64, f64, f64, f64_nan2(a + b, a, b))
EMU_OP2(sub_f64, f64, f64, f64, f64_nan2(a - b, a, b))
EMU_OP2(mul_f64, f64, f64, f64, f64_nan2(a *b, a, b))
EMU_OP2(div_f64, f64, f64, f64, f64_nan2(a / b, b, a)) /* the first source's NaN goes first */
EMU_OP3(fma_f64, f64, f64, f64, f64, f64_nan3(__builtin_fma(a, b, c), a, b, c))
EMU_OP1(rcp_f64, f64, f64, f64_nan1(1.0 / a, a))
EMU_OP1(sqrt_f64, f64, f64, f64_nan1(sqrt(a), a))

EMU_OP1(abs_f64, f64, f64, a == a ? emu_f64(emu_f64_bits(a) & ~F64_SIGN) : f64_quiet(a))
EMU_OP1(neg_f64, f64, f64, a == a ? -a : f64_quiet(a))
EMU_OP2(copysign_f64, u64, u64, u64, (a & F64_SIGN) | (b & ~F64_SIGN))

/* As in f32: a NaN loses against a number, -0 is less than +0; of two NaNs the second is passed on. */
ALWAYS_INLINE f64 min_num(f64 a, f64 b)
{
    const f64 equal = emu_f64(emu_f64_bits(a) | emu_f64_bits(b));
    const f64 r = a < b ? a : a == b ? equal : b;
    return b != b ? (a != a ? f64_quiet(b) : a) : r;
}
ALWAYS_INLINE f64 max_num(f64 a, f64 b)
{
    const f64 equal = emu_f64(emu_f64_bits(a) & emu_f64_bits(b));
    const f64 r = a > b ? a : a == b ? equal : b;
    return b != b ? (a != a ? f64_quiet(b) : a) : r;
}
EMU_OP2(min_f64, f64, f64, f64, min_num(a, b))
EMU_OP2(max_f64, f64, f64, f64, max_num(a, b))

int emu_sel_f64(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const char *sig = "d>dd";
    emu_op_fn *fn = NULL;
    switch (p->op) {
    case PTX_ADD:
        fn = add_f64;
        break;
    case PTX_SUB:
        fn = sub_f64;
        break;
    case PTX_MUL:
        fn = mul_f64;
        break;
    case PTX_DIV:
        fn = div_f64;
        break;
    case PTX_MIN:
        fn = min_f64;
        break;
    case PTX_MAX:
        fn = max_f64;
        break;
    case PTX_COPYSIGN:
        fn = copysign_f64;
        break;
    case PTX_FMA:
    case PTX_MAD:
        fn = fma_f64, sig = "d>ddd";
        break;
    case PTX_RCP:
        fn = rcp_f64, sig = "d>d";
        break;
    case PTX_SQRT:
        fn = sqrt_f64, sig = "d>d";
        break;
    case PTX_ABS:
        fn = abs_f64, sig = "d>d";
        break;
    case PTX_NEG:
        fn = neg_f64, sig = "d>d";
        break;
    }
    static const u8 mods[] = {PTX_M_RN, 0};
    if (!fn || !emu_knows_mods(p, mods))
        return emu_no(why, "there is no such f64 instruction");
    emu_sig(sel, fn, sig, PTX_T_F64);
    return 0;
}
