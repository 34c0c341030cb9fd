/*
 * Which addresses depend on loaded data. A prefetcher that predicts strides (CAPS) leaves such accesses alone: an
 * address loaded from memory, as in a[b[i]], follows no stride.
 *
 * A register is tainted when some instruction that writes it loads from memory (kernel parameters are constants, not
 * loads), fetches a texel, performs an atomic or calls a function, or reads a tainted register. Control dependence (a
 * guard, a branch) does not taint. The order of instructions is ignored: compilers hardly reuse virtual registers.
 */
#include "ptx/flow.h"

static bool loads(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_LD:
        /* Results of a call are read by ld.param from a variable of the caller's. */
        if (i->space == PTX_S_PARAM)
            return i->n_opnd > 1 && i->opnd[1].sym >= 0 && PTX_SYM_KIND(i->opnd[1].sym) == PTX_SYM_LOCALVAR;
        return true;
    case PTX_LDU:
    case PTX_ATOM:
    case PTX_TEX:
    case PTX_TLD4:
    case PTX_SULD:
    case PTX_LDMATRIX:
    case PTX_CALL:
        return true;
    case PTX_WMMA:
        return ptx_has(i, PTX_M_LOAD);
    default:
        return false;
    }
}

/* Whether any register inside an address operand is tainted. */
static bool address_tainted(const struct ptx_opnd *o, bool inside, const uint8_t *tainted)
{
    inside = inside || o->kind == PTX_O_ADDR || o->kind == PTX_O_TEXADDR;
    if (inside && o->reg >= 0 && tainted[o->reg])
        return true;
    for (unsigned k = 0; k < o->n; k++)
        if (address_tainted(&o->elem[k], inside, tainted))
            return true;
    return false;
}

void ptx_addr_build(const struct ptx_module *m, struct ptx_func *f, const struct ptx_defuse *du, struct arena *scratch)
{
    /* Readers of each register, guards left out. */
    VEC(struct ptx_pair) pair = {0};
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        for (uint32_t k = du->at[pc] + du->n_def[pc]; k < du->at[pc + 1] - (f->inst[pc].guard >= 0); k++)
            VEC_PUSH(&pair, (struct ptx_pair){du->reg[k], pc});
    struct ptx_lists readers = ptx_lists_build(scratch, f->n_reg, pair.p, pair.n);
    VEC_FREE(&pair);

    uint8_t *tainted = arena_alloc(scratch, f->n_reg);
    uint32_t *work = arena_alloc(scratch, (size_t)f->n_reg * sizeof *work), n = 0;
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        for (uint32_t k = du->at[pc]; loads(&f->inst[pc]) && k < du->at[pc] + du->n_def[pc]; k++)
            if (!tainted[du->reg[k]]) {
                tainted[du->reg[k]] = 1;
                work[n++] = du->reg[k];
            }
    while (n) {
        uint32_t r = work[--n];
        for (uint32_t u = readers.at[r]; u < readers.at[r + 1]; u++) {
            uint32_t pc = readers.item[u];
            if (f->inst[pc].op == PTX_LD) /* ld.param of a kernel: its value is no loaded data, wherever it is stored */
                continue;
            for (uint32_t k = du->at[pc]; k < du->at[pc] + du->n_def[pc]; k++)
                if (!tainted[du->reg[k]]) {
                    tainted[du->reg[k]] = 1;
                    work[n++] = du->reg[k];
                }
        }
    }

    f->addr_from_load = arena_alloc(m->arena, f->n_inst);
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        for (unsigned k = 0; k < f->inst[pc].n_opnd && !f->addr_from_load[pc]; k++)
            f->addr_from_load[pc] = address_tainted(&f->inst[pc].opnd[k], false, tainted);
}
