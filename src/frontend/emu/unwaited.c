/*
 * Registers that a warpgroup's products (wgmma) still write, or read as A, when the program touches them. Source: PTX
 * ISA 9.1, 9.7.15.7: that is undefined before wgmma.wait_group. Here products are done at once, so it is the code that
 * is looked at, when it is decoded.
 *
 * Forward data flow: a register is in flight at a pc when it is on every path there, so a report is never wrong, and what
 * happens on some paths only is not reported. A move passes the state on, since compilers copy accumulators between
 * products and assemblers remove the copies. One instruction is reported for each function.
 */
#include "emu/state.h"

#include "ptx/flow.h"

/*
 * State of a register: 0 not in flight; OPEN written by a product that is not committed; OPEN + n committed, n - 1
 * groups ago. AS_A: only read.
 */
enum { OPEN = 1, OLDEST = 100, AS_A = 128, UNSEEN = 255 };

struct flow {
    const struct ptx_func *f;
    struct ptx_defuse du;
    uint8_t *at_start; /* [block][register] */
    uint8_t *now;      /* [register] */
};

static unsigned age_of(uint8_t state)
{
    return state & ~AS_A;
}

static void commit(struct flow *x)
{
    for (uint32_t r = 0; r < x->f->n_reg; r++)
        if (age_of(x->now[r]) && age_of(x->now[r]) < OLDEST)
            x->now[r]++;
}

static void wait(struct flow *x, int64_t pending)
{
    for (uint32_t r = 0; r < x->f->n_reg; r++)
        if (age_of(x->now[r]) > OPEN + (pending < OLDEST ? pending : OLDEST))
            x->now[r] = 0;
}

static void mark(struct flow *x, const struct ptx_opnd *o, uint8_t state)
{
    for (unsigned k = 0; o->kind == PTX_O_VEC && k < o->n; k++)
        if (o->elem[k].kind == PTX_O_REG && o->elem[k].reg >= 0)
            x->now[o->elem[k].reg] = state;
}

/* The first register that the instruction may not touch yet; -1 = none. */
static int32_t touched(const struct flow *x, uint32_t pc)
{
    const struct ptx_inst *i = &x->f->inst[pc];
    const uint32_t first = x->du.at[pc], uses = first + x->du.n_def[pc];
    const bool product = i->op == PTX_WGMMA;
    /* A product adds to what the one before it wrote; its A must be there. */
    for (uint32_t k = product ? uses + x->du.n_def[pc] : uses; k < x->du.at[pc + 1]; k++)
        if (x->now[x->du.reg[k]] && x->now[x->du.reg[k]] < AS_A)
            return (int32_t)x->du.reg[k];
    for (uint32_t k = first; k < uses && !product; k++)
        if (x->now[x->du.reg[k]])
            return (int32_t)x->du.reg[k];
    return -1;
}

/* Executes one instruction; the register that it touches too early, or -1. */
static int32_t step(struct flow *x, uint32_t pc)
{
    const struct ptx_inst *i = &x->f->inst[pc];
    if (i->op == PTX_WGMMA && ptx_has(i, PTX_M_COMMIT_GROUP)) {
        commit(x);
        return -1;
    }
    if (i->op == PTX_WGMMA && ptx_has(i, PTX_M_WAIT_GROUP)) {
        wait(x, i->n_opnd && i->opnd[0].kind == PTX_O_IMM ? i->opnd[0].imm : 0);
        return -1;
    }
    const bool moves =
        i->op == PTX_MOV && i->n_opnd == 2 && i->opnd[0].kind == PTX_O_REG && i->opnd[1].kind == PTX_O_REG;
    const int32_t early = moves ? -1 : touched(x, pc);
    for (uint32_t k = x->du.at[pc]; k < x->du.at[pc] + x->du.n_def[pc] && i->guard < 0; k++)
        x->now[x->du.reg[k]] = moves ? x->now[i->opnd[1].reg] & (AS_A - 1) : 0;
    if (i->op == PTX_WGMMA && ptx_has(i, PTX_M_MMA_ASYNC)) {
        mark(x, &i->opnd[1], OPEN | AS_A);
        mark(x, &i->opnd[0], OPEN);
    }
    return early;
}

/* What holds on both ways: in flight on both, for as long as on the longer. */
static uint8_t meet(uint8_t a, uint8_t b)
{
    if (a == UNSEEN || b == UNSEEN)
        return a == UNSEEN ? b : a;
    return !a || !b || (a ^ b) & AS_A ? 0 : a > b ? a : b;
}

static int32_t run_block(struct flow *x, uint32_t b, uint32_t *pc)
{
    memcpy(x->now, x->at_start + (size_t)b * x->f->n_reg, x->f->n_reg);
    for (*pc = x->f->block[b].first; *pc <= x->f->block[b].last; ++*pc) {
        const int32_t early = step(x, *pc);
        if (early >= 0)
            return early;
    }
    return -1;
}

/* Goes through the blocks until nothing changes. */
static void settle(struct flow *x, uint32_t *stack, uint8_t *queued)
{
    const uint32_t n = x->f->n_reg;
    uint32_t depth = 0, pc;
    stack[depth++] = 0;
    while (depth) {
        const uint32_t b = stack[--depth];
        queued[b] = 0;
        memcpy(x->now, x->at_start + (size_t)b * n, n);
        for (pc = x->f->block[b].first; pc <= x->f->block[b].last; pc++)
            step(x, pc);
        for (uint32_t k = 0; k < x->f->block[b].n_succ; k++) {
            const uint32_t s = x->f->block[b].succ[k];
            if (s >= x->f->n_block)
                continue;
            uint8_t *to = x->at_start + (size_t)s * n;
            bool changed = false;
            for (uint32_t r = 0; r < n; r++) {
                const uint8_t both = meet(to[r], x->now[r]);
                changed |= both != to[r];
                to[r] = both;
            }
            if (changed && !queued[s]) {
                queued[s] = 1;
                stack[depth++] = s;
            }
        }
    }
}

static void tell(struct emu *emu, const struct emu_prog *p, const struct emu_func *f, uint32_t pc, int32_t reg)
{
    struct emu_fault fault;
    emu_fault_place(emu, &fault, f->module, &p->func[0], f->ptx, &f->ptx->inst[pc]);
    fault.kind = EMU_FAULT_UNDEFINED;
    snprintf(fault.text, sizeof fault.text,
             "register %s is used before wgmma.wait_group has waited for the product that works on it; weir has its "
             "final value, a "
             "GPU may not",
             f->ptx->reg[reg].name);
    emu->opts.remark(&fault);
}

static bool has_products(const struct ptx_func *f)
{
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        if (f->inst[pc].op == PTX_WGMMA)
            return true;
    return false;
}

void emu_tell_unwaited(struct emu *emu, const struct emu_prog *p)
{
    for (uint32_t i = 0; i < p->n_func && emu->opts.remark; i++) {
        const struct ptx_func *f = p->func[i].ptx;
        if (!f->n_block || !has_products(f))
            continue;
        struct arena *arena = arena_new();
        struct flow x = {.f = f, .at_start = arena_alloc(arena, (size_t)f->n_block * f->n_reg)};
        x.now = arena_alloc(arena, f->n_reg);
        ptx_defuse_build(f, arena, &x.du);
        memset(x.at_start, UNSEEN, (size_t)f->n_block * f->n_reg);
        memset(x.at_start, 0, f->n_reg);
        settle(&x, arena_alloc(arena, (f->n_block + 1) * sizeof(uint32_t)), arena_alloc(arena, f->n_block));
        for (uint32_t b = 0, pc; b < f->n_block; b++) {
            const int32_t reg = x.at_start[(size_t)b * f->n_reg] == UNSEEN ? -1 : run_block(&x, b, &pc);
            if (reg < 0)
                continue;
            tell(emu, p, &p->func[i], pc, reg);
            break;
        }
        arena_free(arena);
    }
}
