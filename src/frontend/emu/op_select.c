/*
 * Which group knows an instruction. Compiled once per instruction set, like the groups.
 */
#include "emu/op_lane.h"
#include "emu/op_table.h"

static bool is_half(enum ptx_type t)
{
    return t == PTX_T_F16 || t == PTX_T_F16X2 || t == PTX_T_BF16 || t == PTX_T_BF16X2;
}
static bool is_directed(const struct ptx_inst *p)
{
    return ptx_has(p, PTX_M_RZ) || ptx_has(p, PTX_M_RM) || ptx_has(p, PTX_M_RP);
}
static bool is_approx(const struct ptx_inst *p)
{
    return ptx_has(p, PTX_M_APPROX) || ptx_has(p, PTX_M_FULL);
}

int EMU_VARIANT(emu_op_select)(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum ptx_type t = p->n_type ? p->type[0] : PTX_T_NONE;
    switch (p->op) {
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MAD:
    case PTX_FMA:
    case PTX_DIV:
    case PTX_MIN:
    case PTX_MAX:
    case PTX_ABS:
    case PTX_NEG:
    case PTX_RCP:
    case PTX_SQRT:
    case PTX_COPYSIGN:
        if (is_half(t))
            return emu_sel_half(p, sel, why);
        if (t != PTX_T_F32 && t != PTX_T_F64)
            return emu_sel_int(p, sel, why);
        if (is_approx(p))
            return emu_sel_approx(p, sel, why);
        if (is_directed(p))
            return emu_sel_round(p, sel, why);
        return t == PTX_T_F32 ? emu_sel_f32(p, sel, why) : emu_sel_f64(p, sel, why);
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_MADC:
    case PTX_MUL24:
    case PTX_MAD24:
    case PTX_SAD:
    case PTX_REM:
        return emu_sel_int(p, sel, why);
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_NOT:
    case PTX_CNOT:
    case PTX_LOP3:
    case PTX_SHL:
    case PTX_SHR:
    case PTX_SHF:
    case PTX_PRMT:
    case PTX_POPC:
    case PTX_CLZ:
    case PTX_BFIND:
    case PTX_FNS:
    case PTX_BREV:
    case PTX_BFE:
    case PTX_BFI:
    case PTX_BMSK:
    case PTX_SZEXT:
    case PTX_DP4A:
    case PTX_DP2A:
        return emu_sel_bits(p, sel, why);
    case PTX_SET:
    case PTX_SETP:
    case PTX_SELP:
    case PTX_SLCT:
    case PTX_TESTP:
        return emu_sel_cmp(p, sel, why);
    case PTX_MOV:
        return emu_sel_mov(p, sel, why);
    case PTX_CVT:
        return emu_sel_cvt(p, sel, why);
    case PTX_RSQRT:
    case PTX_SIN:
    case PTX_COS:
    case PTX_EX2:
    case PTX_LG2:
    case PTX_TANH:
        return is_half(t) ? emu_sel_half(p, sel, why) : emu_sel_approx(p, sel, why);
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_MATCH:
    case PTX_REDUX:
    case PTX_ACTIVEMASK:
    case PTX_ELECT:
    case PTX_CREATEPOLICY:
        return emu_sel_warp(p, sel, why);
    case PTX_MMA:
    case PTX_WMMA:
        return emu_sel_mma(p, sel, why);
    case PTX_VADD:
    case PTX_VSUB:
    case PTX_VABSDIFF:
    case PTX_VMIN:
    case PTX_VMAX:
    case PTX_VSHL:
    case PTX_VSHR:
    case PTX_VMAD:
    case PTX_VSET:
    case PTX_VADD2:
    case PTX_VSUB2:
    case PTX_VABSDIFF2:
    case PTX_VMIN2:
    case PTX_VMAX2:
    case PTX_VAVRG2:
    case PTX_VSET2:
    case PTX_VADD4:
    case PTX_VSUB4:
    case PTX_VABSDIFF4:
    case PTX_VMIN4:
    case PTX_VMAX4:
    case PTX_VAVRG4:
    case PTX_VSET4:
        return emu_sel_video(p, sel, why);
    }
    *why = "it is not an arithmetic instruction";
    return -1;
}
