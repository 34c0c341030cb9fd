/*
 * Which instructions of a region an assembler does not issue, because those that use their results take them in:
 *
 *   copies            moves, conversions between address spaces, conversions that keep the bits
 *   addresses         additions of constants to addresses of accesses: [reg + constant]
 *   multiply-add      a product that is only added; a 64-bit address from base, index and size is one operation
 *   three operands    an addition that is only added, a logical operation that only enters another, shift and add,
 *                     comparisons whose predicates are combined
 *
 * An instruction is folded when its result lives in its region alone, every use can take it in, and its sources still
 * have their values at the last use. A copy into a register that lives on disappears when its source can be
 * computed in that register from the start, as register allocation would find.
 */
#include "code/lower.h"

static const uint32_t *uses_of(const struct code_func *c, uint32_t reg, uint32_t *n)
{
    *n = c->uses.at[reg + 1] - c->uses.at[reg];
    return c->uses.item + c->uses.at[reg];
}

static uint32_t n_defs(const struct code_func *c, uint32_t reg)
{
    return c->defs.at[reg + 1] - c->defs.at[reg];
}

/* Whether `reg` is written by an instruction in (after, before). */
static bool is_written(const struct code_func *c, uint32_t reg, uint32_t after, uint32_t before)
{
    for (uint32_t k = c->defs.at[reg]; k < c->defs.at[reg + 1]; k++)
        if (c->defs.item[k] > after && c->defs.item[k] < before)
            return true;
    return false;
}

static bool is_used(const struct code_func *c, uint32_t reg, uint32_t after, uint32_t before)
{
    for (uint32_t k = c->uses.at[reg]; k < c->uses.at[reg + 1]; k++)
        if (c->uses.item[k] > after && c->uses.item[k] < before)
            return true;
    return false;
}

/* The register that an unguarded instruction with one result writes, when that is its only definition; or CODE_NONE. */
static uint32_t only_result(const struct code_func *c, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    if (i->guard >= 0 || i->bad || c->du.n_def[pc] != 1)
        return CODE_NONE;
    uint32_t reg = c->du.reg[c->du.at[pc]];
    return n_defs(c, reg) == 1 ? reg : CODE_NONE;
}

/* The last use of `reg` when all come behind pc and in its region; 0 when not. */
static uint32_t last_use_here(const struct code_func *c, uint32_t reg, uint32_t pc)
{
    uint32_t n, last = 0;
    const uint32_t *use = uses_of(c, reg, &n);
    for (uint32_t k = 0; k < n; k++) {
        if (use[k] <= pc || c->region_of[use[k]] != c->region_of[pc])
            return 0;
        last = use[k] > last ? use[k] : last;
    }
    return last;
}

/* Whether lanes that do not execute pc, because a short branch goes around it, execute none of its users either. */
static bool same_lanes(const struct code_func *c, uint32_t pc, const uint32_t *use, uint32_t n, uint32_t last)
{
    const uint32_t predicate = c->predicate[pc];
    if (predicate == CODE_NONE)
        return true;
    for (uint32_t k = 0; k < n; k++)
        if (c->predicate[use[k]] != predicate)
            return false;
    return !is_written(c, predicate, pc, last);
}

static bool sources_hold(const struct code_func *c, uint32_t pc, uint32_t until)
{
    for (uint32_t k = c->du.at[pc] + c->du.n_def[pc]; k < c->du.at[pc + 1]; k++)
        if (is_written(c, c->du.reg[k], pc, until))
            return false;
    return true;
}

static bool is_type(const struct ptx_inst *i, unsigned bytes)
{
    enum ptx_type t = i->n_type ? (enum ptx_type)i->type[i->n_type - 1] : PTX_T_NONE;
    return t >= PTX_T_B8 && t <= PTX_T_S64 && ptx_type_bytes(t) == bytes;
}

/* ---- what kind of folding an instruction is for ---- */

static bool is_copy(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_CVTA:
        return true;
    case PTX_MOV:
        for (unsigned k = 1; k < i->n_opnd; k++)
            if (i->opnd[k].kind == PTX_O_SREG)
                return false;
        return true;
    case PTX_CVT: { /* between integers, without a change of bits that the users do not make themselves */
        enum ptx_type to = (enum ptx_type)i->type[0], from = (enum ptx_type)i->type[i->n_type - 1];
        if (i->n_type < 2 || to < PTX_T_B8 || to > PTX_T_S64 || from < PTX_T_B8 || from > PTX_T_S64)
            return false;
        return !ptx_has(i, PTX_M_SAT) && !(from == PTX_T_S32 && ptx_type_bytes(to) == 8);
    }
    case PTX_NOT:
        return i->n_type && i->type[0] == PTX_T_PRED;
    default:
        return false;
    }
}

/* A sign that float users apply to their operand. */
static bool is_sign(const struct ptx_inst *i)
{
    return (i->op == PTX_NEG || i->op == PTX_ABS) && i->n_type && (i->type[0] == PTX_T_F32 || i->type[0] == PTX_T_F64);
}

static bool takes_sign(const struct ptx_inst *i)
{
    return i->n_type && (i->type[i->n_type - 1] == PTX_T_F32 || i->type[i->n_type - 1] == PTX_T_F64) &&
           (i->op == PTX_ADD || i->op == PTX_SUB || i->op == PTX_MUL || i->op == PTX_FMA || i->op == PTX_MAD ||
            i->op == PTX_SETP || i->op == PTX_MIN || i->op == PTX_MAX);
}

static bool is_offset(const struct ptx_inst *i)
{
    return i->op == PTX_ADD && is_type(i, 8) && i->n_opnd == 3 && i->opnd[1].kind == PTX_O_REG &&
           i->opnd[2].kind == PTX_O_IMM && i->opnd[2].imm >= -(1 << 23) && i->opnd[2].imm < 1 << 23;
}

/* Whether pc uses `reg` only as the base of its address. */
static bool is_base(const struct code_func *c, uint32_t pc, uint32_t reg)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    bool found = false;
    if (i->op != PTX_LD && i->op != PTX_ST && i->op != PTX_ATOM && i->op != PTX_RED && i->op != PTX_LDU)
        return c->folded[pc] == CODE_ADDRESS;
    for (unsigned k = 0; k < i->n_opnd; k++) {
        const struct ptx_opnd *o = &i->opnd[k];
        if (o->kind == PTX_O_ADDR)
            found |= o->reg == (int32_t)reg;
        else if (o->kind == PTX_O_REG && o->reg == (int32_t)reg)
            return false;
        for (unsigned e = 0; e < o->n; e++)
            if (o->elem[e].kind == PTX_O_REG && o->elem[e].reg == (int32_t)reg)
                return false;
    }
    return found;
}

static bool is_sum(const struct ptx_inst *i, unsigned bytes)
{
    return (i->op == PTX_ADD || i->op == PTX_SUB) && is_type(i, bytes) && !i->n_mod;
}

static bool is_logic(const struct ptx_inst *i)
{
    return (i->op == PTX_AND || i->op == PTX_OR || i->op == PTX_XOR || i->op == PTX_NOT) && is_type(i, 4);
}

static bool combines_predicates(const struct ptx_inst *i)
{
    return (i->op == PTX_AND || i->op == PTX_OR || i->op == PTX_XOR) && i->n_type && i->type[0] == PTX_T_PRED;
}

static bool is_contractible(const struct ptx_inst *i)
{
    return i->n_type && i->type[0] == PTX_T_F32 && !ptx_has(i, PTX_M_RN) && !ptx_has(i, PTX_M_SAT);
}

/* Whether an instruction still has a free operand: it absorbs one other instruction, and then is not absorbed itself. */
static bool has_room(const struct code_func *c, uint32_t pc)
{
    return !c->taken[pc] && c->folded[pc] == CODE_KEPT;
}

/* How user `at` absorbs the result of instruction i; CODE_KEPT: not at all. */
static enum code_fold fold_into(const struct code_func *c, const struct ptx_inst *i, uint32_t at, uint32_t reg)
{
    const struct ptx_inst *user = &c->func->inst[at];
    if (is_copy(i))
        return CODE_COPY;
    if (is_sign(i))
        return takes_sign(user) ? CODE_COPY : CODE_KEPT;
    if (is_offset(i))
        return is_base(c, at, reg) ? CODE_ADDRESS : CODE_KEPT;
    if (i->op == PTX_MUL && ptx_has(i, PTX_M_WIDE) && i->n_type && ptx_type_bytes((enum ptx_type)i->type[0]) == 4)
        return is_sum(user, 8) && user->op == PTX_ADD && has_room(c, at) ? CODE_FUSED : CODE_KEPT;
    if ((i->op == PTX_SHL && is_type(i, 8) && i->opnd[2].kind == PTX_O_IMM) || i->op == PTX_CVT)
        return is_sum(user, 8) && user->op == PTX_ADD && has_room(c, at) ? CODE_WIDENED : CODE_KEPT;
    bool product = i->op == PTX_MUL && is_type(i, 4) && ptx_has(i, PTX_M_LO);
    bool shifted = i->op == PTX_SHL && is_type(i, 4) && i->opnd[2].kind == PTX_O_IMM;
    if (product || shifted || is_sum(i, 4))
        return is_sum(user, 4) && has_room(c, at) ? CODE_FUSED : CODE_KEPT;
    if (is_logic(i))
        return is_logic(user) && has_room(c, at) ? CODE_FUSED : CODE_KEPT;
    if (i->op == PTX_SETP)
        return combines_predicates(user) && has_room(c, at) ? CODE_FUSED : CODE_KEPT;
    if (i->op == PTX_MUL && is_contractible(i))
        return (user->op == PTX_ADD || user->op == PTX_SUB) && is_contractible(user) && has_room(c, at) ? CODE_FUSED
                                                                                                        : CODE_KEPT;
    return CODE_KEPT;
}

/* Sums and logic are folded for one user only: for more, computing them once is cheaper. */
static bool needs_one_user(const struct ptx_inst *i)
{
    return is_sum(i, 4) || is_logic(i) || i->op == PTX_SETP || (i->op == PTX_MUL && !ptx_has(i, PTX_M_WIDE)) ||
           (i->op == PTX_SHL && is_type(i, 4));
}

static void try_fold(struct code_func *c, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    uint32_t reg = only_result(c, pc), n;
    if (reg == CODE_NONE)
        return;
    const uint32_t *use = uses_of(c, reg, &n);
    uint32_t last = last_use_here(c, reg, pc);
    if (!last || !sources_hold(c, pc, last) || !same_lanes(c, pc, use, n, last) || (n > 1 && needs_one_user(i)))
        return;
    enum code_fold fold = fold_into(c, i, use[0], reg);
    if (fold == CODE_KEPT || ((fold == CODE_FUSED || fold == CODE_WIDENED) && c->taken[pc]))
        return;
    for (uint32_t k = 0; k < n; k++)
        if (fold_into(c, i, use[k], reg) != fold)
            return;
    c->folded[pc] = (uint8_t)fold;
    for (uint32_t k = 0; k < n && fold != CODE_COPY; k++)
        c->taken[use[k]]++;
}

/* A copy whose source can live in the destination from its definition on. */
static void try_join(struct code_func *c, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    if (c->folded[pc] != CODE_KEPT || !is_copy(i) || i->guard >= 0 || c->du.n_def[pc] != 1 ||
        c->du.at[pc + 1] - c->du.at[pc] != 2)
        return;
    uint32_t to = c->du.reg[c->du.at[pc]], from = c->du.reg[c->du.at[pc] + 1];
    if (from == to || n_defs(c, from) != 1 || c->renamed[from] != from)
        return;
    uint32_t def = c->defs.item[c->defs.at[from]], last = 0;
    if (def >= pc || c->region_of[def] != c->region_of[pc] || c->folded[def] != CODE_KEPT ||
        c->func->inst[def].guard >= 0)
        return;
    last = last_use_here(c, from, def);
    if (!last || is_used(c, to, def, pc) || is_written(c, to, def, pc) || is_written(c, to, pc, last + 1))
        return;
    if (ptx_reg_rows(&c->func->reg[from]) != ptx_reg_rows(&c->func->reg[to]))
        return;
    c->renamed[from] = to;
    c->folded[pc] = CODE_GONE;
}

void code_fold(struct code_func *c, uint32_t first, uint32_t last)
{
    /* Backward, so that a user knows already whether it is folded itself. */
    for (uint32_t pc = last + 1; pc-- > first;)
        try_fold(c, pc);
    for (uint32_t pc = first; pc <= last; pc++)
        try_join(c, pc);
}
