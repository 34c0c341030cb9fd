/*
 * What an address begins from: the kernel's parameter or the variable that it is computed from. For people, who read
 * which array a load reads; nothing is simulated by it.
 *
 * A register has a base when it was loaded from a 64-bit parameter, holds a variable's address, or is such a register
 * moved, converted between address spaces, or plus or minus something without a base. Two bases, as in p + n with both
 * from parameters, are none. The order of instructions is ignored: compilers hardly reuse virtual registers.
 */
#include "ptx/flow.h"

enum { NONE = -1, SEVERAL = -2 };

static int32_t join(int32_t a, int32_t b)
{
    return a == NONE ? b : b == NONE || a == b ? a : SEVERAL;
}

static int32_t base_of(const struct ptx_opnd *o, const int32_t *base)
{
    if (o->kind == PTX_O_REG && o->reg >= 0)
        return base[o->reg];
    return o->kind == PTX_O_SYM && PTX_SYM_KIND(o->sym) != PTX_SYM_FUNC ? o->sym : NONE;
}

/* The base of what an instruction writes into its first operand. */
static int32_t result_base(const struct ptx_func *f, const struct ptx_inst *i, const int32_t *base)
{
    switch (i->op) {
    case PTX_LD: /* a pointer among the parameters; `vec` would be parts of a struct */
        return f->is_entry && i->space == PTX_S_PARAM && i->vec == 1 && i->n_type && i->n_opnd > 1 &&
                       ptx_type_bytes((enum ptx_type)i->type[0]) == 8 && i->opnd[1].sym >= 0 &&
                       PTX_SYM_KIND(i->opnd[1].sym) == PTX_SYM_PARAM
                   ? i->opnd[1].sym
                   : NONE;
    case PTX_MOV:
    case PTX_CVTA:
        return i->n_opnd > 1 ? base_of(&i->opnd[1], base) : NONE;
    case PTX_ADD:
        return i->n_opnd > 2 ? join(base_of(&i->opnd[1], base), base_of(&i->opnd[2], base)) : NONE;
    case PTX_SUB:
        return i->n_opnd > 2 ? base_of(&i->opnd[1], base) : NONE;
    case PTX_MAD:
        return i->n_opnd > 3 ? base_of(&i->opnd[3], base) : NONE;
    case PTX_SELP:
        return i->n_opnd > 2 ? join(base_of(&i->opnd[1], base), base_of(&i->opnd[2], base)) : NONE;
    default:
        return NONE;
    }
}

int32_t *ptx_base_build(const struct ptx_func *f, struct arena *scratch)
{
    int32_t *base = arena_alloc(scratch, (size_t)f->n_reg * sizeof *base + 1);
    for (uint32_t r = 0; r < f->n_reg; r++)
        base[r] = NONE;
    /* A register's base changes twice at most, so this ends. */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < f->n_inst; pc++) {
            const struct ptx_inst *i = &f->inst[pc];
            if (!i->n_opnd || i->opnd[0].kind != PTX_O_REG || i->opnd[0].reg < 0 || !ptx_writes_first(i))
                continue;
            int32_t *at = &base[i->opnd[0].reg];
            const int32_t now = join(*at, result_base(f, i, base));
            changed |= now != *at;
            *at = now;
        }
    }
    return base;
}

const char *ptx_base_text(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_inst *i,
                          const int32_t *base, char out[PTX_BASE_TEXT])
{
    for (unsigned k = 0; k < i->n_opnd && i->space != PTX_S_PARAM; k++) {
        const struct ptx_opnd *o = &i->opnd[k];
        const int32_t sym = o->kind != PTX_O_ADDR ? NONE : o->reg >= 0 ? base[o->reg] : o->sym;
        if (sym < 0)
            continue;
        const uint32_t at = (uint32_t)PTX_SYM_INDEX(sym);
        const char *name = PTX_SYM_KIND(sym) == PTX_SYM_VAR ? m->var[at].name : f->var[at].name;
        if (PTX_SYM_KIND(sym) == PTX_SYM_PARAM)
            snprintf(out, PTX_BASE_TEXT, "[#%u%+lld", at, (long long)o->imm);
        else
            snprintf(out, PTX_BASE_TEXT, "[%.160s%+lld", name, (long long)o->imm);
        return out;
    }
    return NULL;
}
