/*
 * Loops that the assembler unrolls: four iterations become one piece of code, in which the loads of all come early.
 *
 * ptxas unrolls a loop of one block by four when it can count the iterations: a register is increased by a constant
 * once, and the loop continues while that register compares with something that does not change. It leaves alone what the
 * compiler has marked
 * (.pragma "nounroll", which clang and nvcc put on loops they have unrolled themselves), and long bodies. The rest is
 * done by two and by one.
 *
 * In the unrolled code, registers that grow by a constant are computed once: an access adds the constant to its
 * address, other uses add it themselves. Comparison and branch are done once. Found by assembling the suite's kernels;
 * docs/code.md.
 */
#include "code/unroll.h"

#include "code/name.h"

enum { LONGEST_BODY = 64 };

/* ---- counting ---- */

/* x = x + constant, in the registers' final names; the constant in *step. */
static bool is_count(const struct code_func *c, uint32_t pc, uint32_t *reg, int64_t *step)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    if ((i->op != PTX_ADD && i->op != PTX_SUB) || i->guard >= 0 || i->n_mod || i->n_opnd != 3 ||
        i->opnd[0].kind != PTX_O_REG || i->opnd[1].kind != PTX_O_REG || i->opnd[2].kind != PTX_O_IMM ||
        i->opnd[2].is_float || c->folded[pc] != CODE_KEPT)
        return false;
    *reg = c->renamed[i->opnd[0].reg];
    *step = i->op == PTX_ADD ? i->opnd[2].imm : -i->opnd[2].imm;
    return *reg == c->renamed[i->opnd[1].reg];
}

/* How often a register is written in the region, in final names. */
static unsigned writes_in(const struct code_func *c, uint32_t reg, uint32_t first, uint32_t last)
{
    unsigned n = 0;
    for (uint32_t pc = first; pc <= last; pc++) {
        if (c->folded[pc] == CODE_GONE)
            continue;
        for (uint32_t k = c->du.at[pc]; k < c->du.at[pc] + c->du.n_def[pc]; k++)
            n += c->renamed[c->du.reg[k]] == reg;
    }
    return n;
}

/* The instruction in the region that counts `reg`; CODE_NONE when none does alone. */
static uint32_t counter_of(const struct code_func *c, uint32_t reg, uint32_t first, uint32_t last)
{
    uint32_t counted;
    int64_t step;
    for (uint32_t pc = first; pc <= last; pc++)
        if (is_count(c, pc, &counted, &step) && counted == reg)
            return writes_in(c, reg, first, last) == 1 ? pc : CODE_NONE;
    return CODE_NONE;
}

/* The comparison that decides about the loop's branch, when it can be counted; CODE_NONE when not. */
static uint32_t find_test(const struct code_func *c, uint32_t first, uint32_t last)
{
    bool turns = code_turns_back(c->func, first, last);
    const struct ptx_inst *branch = &c->func->inst[turns ? last - 1 : last];
    if (branch->op != PTX_BRA || branch->guard < 0 || branch->opnd[0].kind != PTX_O_LABEL ||
        (!turns && c->func->label[branch->opnd[0].label].pc != first))
        return CODE_NONE;
    uint32_t guard = (uint32_t)branch->guard;
    if (c->defs.at[guard + 1] - c->defs.at[guard] != 1 || c->uses.at[guard + 1] - c->uses.at[guard] != 1)
        return CODE_NONE;
    uint32_t pc = c->defs.item[c->defs.at[guard]];
    const struct ptx_inst *test = &c->func->inst[pc];
    if (pc < first || pc > last || test->op != PTX_SETP || test->guard >= 0 || test->n_opnd != 3)
        return CODE_NONE;
    for (unsigned k = 1; k < 3; k++) {
        const struct ptx_opnd *x = &test->opnd[k], *limit = &test->opnd[3 - k];
        if (x->kind != PTX_O_REG || counter_of(c, c->renamed[x->reg], first, last) == CODE_NONE)
            continue;
        if (limit->kind == PTX_O_IMM ||
            (limit->kind == PTX_O_REG && !writes_in(c, c->renamed[limit->reg], first, last)))
            return pc;
    }
    return CODE_NONE;
}

bool code_may_unroll(const struct code_func *c, uint32_t first, uint32_t last)
{
    const struct ptx_block *b = &c->func->block[c->func->inst_block[first]];
    uint32_t end = code_turns_back(c->func, first, last) ? last - 1 : last;
    if (b->first != first || b->last != end || last - first >= LONGEST_BODY || c->func->inst[first].nounroll)
        return false;
    unsigned accesses = 0;
    for (uint32_t pc = first; pc <= last; pc++) {
        unsigned cls = ptx_class(&c->func->inst[pc]);
        accesses += cls == TRACE_LOAD || cls == TRACE_STORE || cls == TRACE_ATOM || cls == TRACE_RED ||
                    cls == TRACE_TEX || cls == TRACE_SURF;
    }
    return accesses * CODE_COPIES <= TRACE_REGION_ACCESSES && find_test(c, first, last) != CODE_NONE;
}

/* ---- what grows by a constant ---- */

/* The growth of an operand; false when it is not constant. */
static bool steps_by(const struct code_func *c, const struct code_unroll *u, const struct ptx_opnd *o, int64_t *step)
{
    if (o->kind == PTX_O_REG && o->reg >= 0) {
        *step = u->step[c->renamed[o->reg]];
        return u->is_steady[c->renamed[o->reg]];
    }
    *step = 0;
    return o->kind == PTX_O_IMM || o->kind == PTX_O_SYM;
}

/* The growth of what an instruction computes, from that of its operands. */
static bool result_steps(const struct code_func *c, const struct code_unroll *u, const struct ptx_inst *i,
                         int64_t *step)
{
    int64_t a, b, d;
    if (i->guard >= 0 || i->bad || i->n_opnd < 2 || i->opnd[0].kind != PTX_O_REG)
        return false;
    bool integer = i->n_type && i->type[0] >= PTX_T_B8 && i->type[0] <= PTX_T_S64;
    if (!integer || !steps_by(c, u, &i->opnd[1], &a))
        return false;
    switch (i->op) {
    case PTX_MOV:
    case PTX_CVTA:
    case PTX_CVT:
        *step = a;
        return integer;
    case PTX_ADD:
    case PTX_SUB:
        *step = 0;
        if (i->n_opnd != 3 || i->n_mod || !steps_by(c, u, &i->opnd[2], &b))
            return false;
        *step = i->op == PTX_ADD ? a + b : a - b;
        return true;
    case PTX_MUL:
        *step = a * i->opnd[2].imm;
        return i->opnd[2].kind == PTX_O_IMM && !ptx_has(i, PTX_M_HI);
    case PTX_SHL:
        if (i->opnd[2].kind != PTX_O_IMM || i->opnd[2].imm < 0 || i->opnd[2].imm > 31)
            return false;
        *step = a * (INT64_C(1) << i->opnd[2].imm);
        return true;
    case PTX_MAD:
        if (i->n_opnd != 4 || i->opnd[2].kind != PTX_O_IMM || ptx_has(i, PTX_M_HI) || !steps_by(c, u, &i->opnd[3], &d))
            return false;
        *step = a * i->opnd[2].imm + d;
        return true;
    default:
        return false;
    }
}

static void find_steps(const struct code_func *c, struct code_unroll *u, uint32_t first, uint32_t last)
{
    for (uint32_t reg = 0; reg < c->func->n_reg; reg++)
        u->is_steady[reg] = true; /* what is not written below */
    for (uint32_t pc = first; pc <= last; pc++)
        for (uint32_t k = c->du.at[pc]; k < c->du.at[pc] + c->du.n_def[pc]; k++)
            u->is_steady[c->renamed[c->du.reg[k]]] = false;
    for (uint32_t pc = first; pc <= last; pc++) {
        uint32_t reg;
        int64_t step;
        if (is_count(c, pc, &reg, &step) && writes_in(c, reg, first, last) == 1) {
            u->is_steady[reg] = true;
            u->step[reg] = step;
            u->counted[reg] = pc + 1;
        }
    }
    for (uint32_t pc = first; pc <= last; pc++) {
        if (c->du.n_def[pc] != 1 || c->folded[pc] == CODE_GONE)
            continue;
        uint32_t reg = c->renamed[c->du.reg[c->du.at[pc]]];
        int64_t step;
        if (u->counted[reg] || !code_is_local(c, reg) || writes_in(c, reg, first, last) != 1 ||
            !result_steps(c, u, &c->func->inst[pc], &step))
            continue;
        u->is_steady[reg] = true;
        u->step[reg] = step;
    }
}

struct code_unroll *code_unroll_begin(const struct code_func *c, uint32_t first, uint32_t last, unsigned copies,
                                      struct arena *arena)
{
    size_t n = c->n_reg + 1ull;
    struct code_unroll *u = arena_alloc(arena, sizeof *u);
    *u = (struct code_unroll){.copies = copies,
                              .test_pc = find_test(c, first, last),
                              .is_steady = arena_alloc(arena, n),
                              .step = arena_alloc(arena, n * sizeof *u->step),
                              .counted = arena_alloc(arena, n * sizeof *u->counted),
                              .here = arena_alloc(arena, n * sizeof *u->here),
                              .moved = arena_alloc(arena, n * sizeof *u->moved)};
    find_steps(c, u, first, last);
    return u;
}

void code_unroll_next(const struct code_func *c, struct code_unroll *u, unsigned copy)
{
    u->copy = copy;
    for (uint32_t reg = 0; reg < c->n_reg; reg++) {
        u->here[reg] = CODE_NONE;
        u->moved[reg].reg = CODE_NONE;
    }
}

/* ---- for the selection ---- */

bool code_unroll_skips(const struct code_func *c, const struct code_unroll *u, uint32_t pc)
{
    bool is_last = u->copy + 1 == u->copies;
    if (pc == u->test_pc || c->func->inst[pc].op == PTX_BRA)
        return !is_last;
    if (c->du.n_def[pc] != 1 || c->folded[pc] != CODE_KEPT)
        return false;
    uint32_t reg = c->renamed[c->du.reg[c->du.at[pc]]];
    if (u->counted[reg])
        return !is_last;
    return u->copy && u->is_steady[reg]; /* the first iteration has computed it */
}

unsigned code_unroll_steps(const struct code_func *c, const struct code_unroll *u, uint32_t reg, uint32_t pc)
{
    if (!u->is_steady[reg] || !u->step[reg])
        return 0;
    if (!u->counted[reg])
        return code_is_local(c, reg) ? u->copy : 0;
    if (pc + 1 == u->counted[reg])
        return 0;
    bool is_behind = pc >= u->counted[reg];
    if (is_behind && u->copy + 1 == u->copies)
        return 0; /* the last iteration makes it the next one's */
    return u->copy + is_behind;
}
