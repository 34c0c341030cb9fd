/*
 * Instructions that an assembler issues as a sequence: divisions, roots, 64-bit integer arithmetic and similar.
 *
 * Each sequence is the path that ordinary operands take in the code of CUDA 13's ptxas for sm_90, as found by
 * assembling kernels of one instruction (docs/code.md): the calls for denormal or huge operands are not on it, the
 * test that avoids them is. A sequence is written as letters, one per operation, each depending on the one before;
 * those behind a '-' depend on the operands only and nothing depends on them (tests for special operands, the marks of
 * divergence around the call). A branch goes around that call: what precedes it in the program is issued before
 * it, the rest behind it.
 */
#include "code/lower.h"

struct code_step code_step_of(const char **text)
{
    static const struct {
        char letter;
        uint8_t cls;
    } steps[] = {{'i', TRACE_INT_ADD}, {'m', TRACE_INT_MAD}, {'f', TRACE_FP_MAD}, {'a', TRACE_FP_ADD},
                 {'u', TRACE_FP_MUL},  {'s', TRACE_SFU},     {'c', TRACE_CVT},    {'d', TRACE_DP_MAD},
                 {'v', TRACE_MOVE},    {'b', TRACE_BRANCH},  {'n', TRACE_NOP}};
    bool beside = **text == '-';
    char letter = *(*text += beside);
    ++*text;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (steps[k].letter == letter)
            return (struct code_step){.cls = steps[k].cls, .beside = beside};
    BUG("no class is written '%c'", letter);
}

static const char *divide_float(const struct ptx_inst *i)
{
    bool rough = ptx_has(i, PTX_M_APPROX), ftz = ptx_has(i, PTX_M_FTZ);
    switch (i->op) {
    case PTX_DIV:
        return ptx_has(i, PTX_M_FULL) ? (ftz ? "-a-asu" : "-a-auuuusu")
               : rough                ? (ftz ? "su" : "-auusu")
                                      : "-ns-sfffff-b-n";
    case PTX_RCP:
        return rough ? (ftz ? NULL : "-a-a-a-aausu") : "-n-i-i-i-bsfaf-n";
    case PTX_SQRT:
        return rough ? (ftz ? "su" : "-ausu") : "-ns-i-i-buuff-n";
    case PTX_SIN:
    case PTX_COS:
        return "us";
    case PTX_LG2:
        return ftz ? NULL : "-ausa";
    default: /* rsqrt, ex2 */
        return ftz ? NULL : "-ausu";
    }
}

static const char *divide_double(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_DIV:
        return "-v-n-asdddddddd-f-a-b-n";
    case PTX_RCP:
        return "-n-i-asddddd-b-n";
    case PTX_SQRT:
        return "-v-v-n-i-isdddddiddd-b-n";
    default:
        return "-v-v-v-n-i-isddddd-b-n";
    }
}

static const char *divide_integer(const struct ptx_inst *i, enum ptx_type t)
{
    bool is_signed = t == PTX_T_S32 || t == PTX_T_S64 || t == PTX_T_S16;
    const struct ptx_opnd *by = &i->opnd[i->n_opnd - 1];
    if (ptx_type_bytes(t) == 8) /* a function of its own */
        return "vbicscmmmmimmmmimmmmmimmmmmimmmmmmmmiimmmmiiiiiimmmmiiiiiimmmmiiiiiiiiib";
    if (by->kind == PTX_O_IMM) /* multiplied by the reciprocal */
        return i->op == PTX_REM ? "miim" : "mii";
    if (i->op == PTX_REM)
        return is_signed ? "i-i-i-i-icsiicmmmmmiimii-i-i" : "c-i-isic-vmmmmmiimi-i";
    return is_signed ? "i-i-i-i-i-icsicmmmimmmimiiii-i" : "c-i-isicmmmmimimiii-i";
}

/* Integer arithmetic of 64 bits in halves. */
static const char *wide_integer(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_ADD:
    case PTX_SUB:
    case PTX_NEG:
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_SHL:
    case PTX_SHR:
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_NOT:
    case PTX_SETP:
        return "ii";
    case PTX_SELP:
        return "v-v";
    case PTX_MIN:
    case PTX_MAX:
        return "iiv-v";
    case PTX_ABS:
        return "iii";
    case PTX_MUL:
        return ptx_has(i, PTX_M_HI) ? "mmmivim" : "mmmi";
    case PTX_MAD:
        return "mmmii";
    default:
        return NULL;
    }
}

/*
 * Whether a 64-bit result serves only as an address in shared or local memory, which has 32 bits: the assembler
 * computes the lower half alone. `depth` bounds the chain of additions that is followed.
 */
static bool is_short_address(const struct code_func *c, uint32_t pc, unsigned depth)
{
    if (c->du.n_def[pc] != 1 || !depth)
        return false;
    uint32_t reg = c->du.reg[c->du.at[pc]];
    for (uint32_t k = c->uses.at[reg]; k < c->uses.at[reg + 1]; k++) {
        const struct ptx_inst *user = &c->func->inst[c->uses.item[k]];
        unsigned at = user->op == PTX_ST || user->op == PTX_RED ? 0 : 1;
        bool access = user->op == PTX_LD || user->op == PTX_ST || user->op == PTX_ATOM || user->op == PTX_RED;
        bool is_base = access && (user->space == PTX_S_SHARED || user->space == PTX_S_LOCAL) && user->n_opnd > at &&
                       user->opnd[at].kind == PTX_O_ADDR && user->opnd[at].reg == (int32_t)reg;
        bool is_sum = (user->op == PTX_ADD || user->op == PTX_SUB || user->op == PTX_MOV) && !user->n_mod;
        if (!is_base && !(is_sum && is_short_address(c, c->uses.item[k], depth - 1)))
            return false;
    }
    return c->uses.at[reg] != c->uses.at[reg + 1];
}

static bool is_integer(enum ptx_type t)
{
    return (t >= PTX_T_B8 && t <= PTX_T_S64);
}

const char *code_expansion(const struct code_func *c, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    enum ptx_type t = i->n_type ? (enum ptx_type)i->type[i->n_type - 1] : PTX_T_NONE;
    if (i->bad)
        return NULL;
    switch (i->op) {
    case PTX_DIV:
    case PTX_REM:
        if (is_integer(t))
            return divide_integer(i, t);
        return t == PTX_T_F64 ? divide_double(i) : divide_float(i);
    case PTX_RCP:
    case PTX_SQRT:
    case PTX_RSQRT:
        return t == PTX_T_F64 ? divide_double(i) : divide_float(i);
    case PTX_SIN:
    case PTX_COS:
    case PTX_LG2:
    case PTX_EX2:
        return t == PTX_T_F32 ? divide_float(i) : NULL;
    case PTX_MIN:
    case PTX_MAX:
        if (t == PTX_T_F64)
            return "-vdv-v-vv-v";
        break;
    case PTX_CLZ:
        return "ii";
    case PTX_BFE:
        return "ii";
    case PTX_BFI:
        return "iii";
    default:
        break;
    }
    bool wide = is_integer(t) && ptx_type_bytes(t) == 8 && !ptx_has(i, PTX_M_WIDE);
    return wide && !is_short_address(c, pc, 8) ? wide_integer(i) : NULL;
}
