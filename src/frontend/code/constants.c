/*
 * Parameters and constants at fixed addresses: an assembler does not keep them in registers, it loads them again where
 * they are needed.
 *
 * PTX loads them where the kernel begins. Of what reads them in other regions, ptxas 13 (sm_90) gives arithmetic the
 * constant as a uniform operand, which costs nothing here. An instruction has only one such operand: one that has an
 * immediate value as well, or two constants, and one that computes a 64-bit address or starts a sequence, reads a
 * register, which LDC loads: in each region that reads it where more registers are alive than leave room for all warps
 * of an SM, else once, in the first region that reads it, or where PTX does if that region is in a loop.
 * Not modeled: the uniform loads themselves (ULDC), and that ptxas loads constants late to save registers.
 */
#include "code/lower.h"

/* 64 warps of 32 lanes share 65536 registers. */
enum { ROOM_FOR_ALL_WARPS = 32 };

static bool is_copy(const struct ptx_inst *i)
{
    return (i->op == PTX_MOV || i->op == PTX_CVTA) && i->guard < 0 && i->n_opnd == 2 && i->opnd[1].kind == PTX_O_REG;
}

static bool is_constant_load(const struct code_func *c, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    bool fixed = i->op == PTX_LD && i->n_opnd == 2 && i->opnd[0].kind == PTX_O_REG && i->opnd[1].kind == PTX_O_ADDR &&
                 i->opnd[1].reg < 0;
    return fixed && c->func->is_entry && i->guard < 0 && c->predicate[pc] == CODE_NONE && !i->bad &&
           (i->space == PTX_S_PARAM || i->space == PTX_S_CONST);
}

/* The load of the constant that a register always holds, through copies; or CODE_NONE. */
static uint32_t load_of(const struct code_func *c, uint32_t reg)
{
    enum { COPIES_MOST = 8 };
    for (unsigned k = 0; k < COPIES_MOST; k++) {
        if (reg >= c->func->n_reg || c->defs.at[reg + 1] - c->defs.at[reg] != 1)
            return CODE_NONE;
        uint32_t def = c->defs.item[c->defs.at[reg]];
        if (is_constant_load(c, def))
            return def;
        if (!is_copy(&c->func->inst[def]) || c->predicate[def] != CODE_NONE)
            return CODE_NONE;
        reg = (uint32_t)c->func->inst[def].opnd[1].reg;
    }
    return CODE_NONE;
}

/* Whether the region of pc, which reads it, loads the constant again. */
static bool reloads_in(const struct code_func *c, uint32_t load, uint32_t pc)
{
    if (c->region_of[load] == c->region_of[pc])
        return false;
    return c->live.max_live > ROOM_FOR_ALL_WARPS || c->region_of[pc] == c->home[load];
}

void code_constants_find(struct code_func *c)
{
    const struct ptx_func *f = c->func;
    c->constant = arena_alloc(c->arena, (c->n_reg + 1ull) * sizeof *c->constant);
    c->keeps = arena_alloc(c->arena, f->n_inst + 1ull);
    c->home = arena_alloc(c->arena, (f->n_inst + 1ull) * sizeof *c->home);
    for (uint32_t reg = 0; reg < c->n_reg; reg++)
        c->constant[reg] = load_of(c, reg);
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        c->home[pc] = CODE_NONE;
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        for (uint32_t k = c->du.at[pc] + c->du.n_def[pc]; k < c->du.at[pc + 1]; k++) {
            uint32_t load = c->constant[c->du.reg[k]];
            if (load == CODE_NONE || (is_copy(&f->inst[pc]) && c->constant[c->du.reg[c->du.at[pc]]] == load))
                continue;
            if (c->home[load] == CODE_NONE) /* its first reader; in a loop, it is loaded before that */
                c->home[load] = f->block[f->inst_block[pc]].loop ? c->region_of[load] : c->region_of[pc];
            c->keeps[load] |= c->region_of[pc] == c->region_of[load] ||
                              (!reloads_in(c, load, pc) && c->home[load] == c->region_of[load]);
        }
}

bool code_constant_gone(const struct code_func *c, uint32_t pc)
{
    if (c->du.n_def[pc] != 1 || (!is_copy(&c->func->inst[pc]) && !is_constant_load(c, pc)))
        return false;
    uint32_t load = c->constant[c->du.reg[c->du.at[pc]]];
    return load != CODE_NONE && !c->keeps[load];
}

uint32_t code_constant_reloaded(const struct code_func *c, uint32_t reg, uint32_t pc)
{
    uint32_t load = reg < c->func->n_reg ? c->constant[reg] : CODE_NONE;
    return load != CODE_NONE && reloads_in(c, load, pc) ? load : CODE_NONE;
}
