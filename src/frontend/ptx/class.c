/*
 * Timing class of an instruction. The list of classes is the machine's (trace/kernel.h); the mapping follows which
 * pipeline an NVIDIA GPU executes the operation on. Address-space conversions are moves: on hardware they are an
 * addition at most, and mostly nothing.
 */
#include "ptx/ir.h"

#include "base/err.h"
#include "trace/kernel.h"

enum kind { INTEGER, SINGLE, DOUBLE }; /* half precision counts as single */

static enum kind kind_of(enum ptx_type t)
{
    switch (t) {
    case PTX_T_F64:
        return DOUBLE;
    case PTX_T_F16:
    case PTX_T_F16X2:
    case PTX_T_BF16:
    case PTX_T_BF16X2:
    case PTX_T_TF32:
    case PTX_T_F32:
    case PTX_T_F32X2:
        return SINGLE;
    default:
        return INTEGER;
    }
}

static unsigned pick(enum kind k, unsigned integer, unsigned single, unsigned dbl)
{
    return k == DOUBLE ? dbl : k == SINGLE ? single : integer;
}

static unsigned barrier_class(const struct ptx_inst *i)
{
    return ptx_has(i, PTX_M_WARP) ? TRACE_WARP : ptx_has(i, PTX_M_CLUSTER) ? TRACE_MBARRIER : TRACE_BARRIER;
}

unsigned ptx_mbarrier(const struct ptx_inst *i)
{
    if (ptx_has(i, PTX_M_ARRIVE) || ptx_has(i, PTX_M_ARRIVE_DROP) || i->op == PTX_CP || i->op == PTX_ST ||
        i->op == PTX_RED) /* st.async, red.async: the bytes arrive */
        return TRACE_MBARRIER_ARRIVE;
    bool waits = ptx_has(i, PTX_M_TEST_WAIT) || ptx_has(i, PTX_M_TRY_WAIT) || ptx_has(i, PTX_M_WAIT);
    return waits ? TRACE_MBARRIER_WAIT : TRACE_MBARRIER_OTHER;
}

bool ptx_barrier_varies(const struct ptx_inst *i)
{
    for (unsigned k = ptx_has(i, PTX_M_RED); k < i->n_opnd; k++)
        if (i->opnd[k].kind == PTX_O_REG)
            return true;
    return false;
}

/* rcp, sqrt, rsqrt, div: a special function when approximate, a sequence of instructions when IEEE. */
static unsigned divide_class(const struct ptx_inst *i, enum kind k)
{
    if (k == INTEGER)
        return TRACE_INT_DIV;
    if (ptx_has(i, PTX_M_APPROX) && i->op != PTX_DIV)
        return TRACE_SFU;
    return k == DOUBLE ? TRACE_DP_DIV : TRACE_FP_DIV;
}

static unsigned copy_class(const struct ptx_inst *i)
{
    const bool bulk = ptx_has(i, PTX_M_BULK);
    if (bulk && ptx_has(i, PTX_M_COMMIT_GROUP))
        return TRACE_MOVE;
    bool group = ptx_has(i, PTX_M_WAIT_GROUP) || ptx_has(i, PTX_M_WAIT_ALL) || ptx_has(i, PTX_M_COMMIT_GROUP);
    return group ? TRACE_FENCE : bulk ? TRACE_ASYNC : ptx_has(i, PTX_M_MBARRIER) ? TRACE_MBARRIER : TRACE_LOAD;
}

static unsigned param_class(const struct ptx_inst *i)
{
    /* A call's arguments and results; a function's own parameters are distinguished in kernel_table.c. */
    unsigned addr = i->op == PTX_ST ? 0 : 1;
    if (i->op == PTX_ST)
        return TRACE_MOVE;
    bool own = i->n_opnd > addr && i->opnd[addr].sym >= 0 && PTX_SYM_KIND(i->opnd[addr].sym) == PTX_SYM_LOCALVAR;
    return own ? TRACE_MOVE : TRACE_LOAD;
}

unsigned ptx_class(const struct ptx_inst *i)
{
    if (i->bad)
        return TRACE_NOP;
    /* The last type is that of the sources: set.eq.u32.f32 compares floats. */
    enum kind k = kind_of(i->n_type ? (enum ptx_type)i->type[i->n_type - 1] : PTX_T_NONE);
    bool is_pred = i->n_type && i->type[0] == PTX_T_PRED;
    switch ((enum ptx_op)i->op) { /* no default: the compiler names an opcode that is missing */
    case PTX_MOV:
    case PTX_SELP:
    case PTX_SLCT:
    case PTX_CVTA:
    case PTX_ISSPACEP:
    case PTX_ISTYPEP:
    case PTX_MAPA:
    case PTX_GETCTARANK:
    case PTX_ALLOCA:
    case PTX_STACKSAVE:
    case PTX_STACKRESTORE:
    case PTX_CREATEPOLICY:
    case PTX_TXQ:
    case PTX_SUQ:
        return TRACE_MOVE;
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_NOT:
        return is_pred ? TRACE_MOVE : TRACE_INT_ADD;
    case PTX_ADD:
    case PTX_SUB:
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_SETP:
    case PTX_SET:
    case PTX_NEG:
    case PTX_TESTP:
    case PTX_COPYSIGN:
        return pick(k, TRACE_INT_ADD, TRACE_FP_ADD, TRACE_DP_ADD);
    case PTX_ABS:
    case PTX_MIN:
    case PTX_MAX:
        return pick(k, TRACE_INT_MINMAX, TRACE_FP_MINMAX, TRACE_DP_MINMAX);
    case PTX_MUL:
    case PTX_MUL24:
        return pick(k, TRACE_INT_MUL, TRACE_FP_MUL, TRACE_DP_MUL);
    case PTX_MAD:
    case PTX_FMA:
    case PTX_MAD24:
    case PTX_MADC:
    case PTX_DP2A:
    case PTX_DP4A:
    case PTX_VMAD:
        return pick(k, TRACE_INT_MAD, TRACE_FP_MAD, TRACE_DP_MAD);
    case PTX_DIV:
    case PTX_RCP:
    case PTX_SQRT:
    case PTX_RSQRT:
        return divide_class(i, k);
    case PTX_REM:
        return TRACE_INT_DIV;
    case PTX_SIN:
    case PTX_COS:
    case PTX_EX2:
    case PTX_LG2:
    case PTX_TANH:
        return TRACE_SFU;
    case PTX_CVT:
        return TRACE_CVT;
    case PTX_MMA:
        return TRACE_TENSOR;
    case PTX_WGMMA:
        return TRACE_WGMMA;
    case PTX_WMMA:
        return ptx_has(i, PTX_M_MMA) ? TRACE_TENSOR : ptx_has(i, PTX_M_STORE) ? TRACE_STORE : TRACE_LOAD;
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_MATCH:
    case PTX_REDUX:
    case PTX_ACTIVEMASK:
    case PTX_ELECT:
    case PTX_MOVMATRIX:
        return TRACE_WARP;
    case PTX_LD:
        return i->space == PTX_S_PARAM ? param_class(i) : TRACE_LOAD;
    case PTX_ST:
        return i->space == PTX_S_PARAM ? param_class(i) : ptx_has(i, PTX_M_ASYNC) ? TRACE_MBARRIER : TRACE_STORE;
    case PTX_LDU:
    case PTX_LDMATRIX:
        return TRACE_LOAD;
    case PTX_STMATRIX:
        return TRACE_STORE;
    case PTX_CP:
        return copy_class(i);
    case PTX_ATOM:
        return TRACE_ATOM;
    case PTX_MBARRIER:
        return ptx_has(i, PTX_M_PENDING_COUNT) ? TRACE_INT_ADD : TRACE_MBARRIER;
    case PTX_RED:
        return ptx_has(i, PTX_M_ASYNC) ? TRACE_MBARRIER : TRACE_RED;
    case PTX_TEX:
    case PTX_TLD4:
        return TRACE_TEX;
    case PTX_SULD:
    case PTX_SUST:
    case PTX_SURED:
        return TRACE_SURF;
    case PTX_BAR:
    case PTX_BARRIER:
        return barrier_class(i);
    case PTX_FENCE:
    case PTX_MEMBAR:
        return TRACE_FENCE;
    case PTX_BRA:
    case PTX_BRX:
        return TRACE_BRANCH;
    case PTX_CALL:
        return TRACE_CALL;
    case PTX_RET:
        return TRACE_RET;
    case PTX_EXIT:
    case PTX_TRAP:
        return TRACE_EXIT;
    case PTX_NANOSLEEP:
        return TRACE_SLEEP;
    case PTX_APPLYPRIORITY:
    case PTX_BRKPT:
    case PTX_DISCARD:
    case PTX_GRIDDEPCONTROL:
    case PTX_PMEVENT:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_SETMAXNREG:
    case PTX_TENSORMAP:
        return TRACE_NOP;
    /* Shifts, bit fields, byte permutes, video: the integer pipeline. */
    case PTX_BFE:
    case PTX_BFI:
    case PTX_BFIND:
    case PTX_BMSK:
    case PTX_BREV:
    case PTX_CLZ:
    case PTX_CNOT:
    case PTX_FNS:
    case PTX_LOP3:
    case PTX_POPC:
    case PTX_PRMT:
    case PTX_SAD:
    case PTX_SHF:
    case PTX_SHL:
    case PTX_SHR:
    case PTX_SZEXT:
    case PTX_VABSDIFF:
    case PTX_VABSDIFF2:
    case PTX_VABSDIFF4:
    case PTX_VADD:
    case PTX_VADD2:
    case PTX_VADD4:
    case PTX_VAVRG2:
    case PTX_VAVRG4:
    case PTX_VMAX:
    case PTX_VMAX2:
    case PTX_VMAX4:
    case PTX_VMIN:
    case PTX_VMIN2:
    case PTX_VMIN4:
    case PTX_VSET:
    case PTX_VSET2:
    case PTX_VSET4:
    case PTX_VSHL:
    case PTX_VSHR:
    case PTX_VSUB:
    case PTX_VSUB2:
    case PTX_VSUB4:
        return TRACE_INT_ADD;
    case PTX_OP_UNKNOWN: /* has i->bad */
    case PTX_OP_COUNT:
        break;
    }
    BUG("opcode %u has no class", i->op);
}
