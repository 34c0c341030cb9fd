/*
 * Which registers an instruction writes and reads. Source: PTX ISA 9.0, section 9.
 *
 * PTX writes its destination first, with few exceptions, which are listed here once for every pass. The carry flag
 * (add.cc ... addc) is no register here; kernel_table.c gives it a number of its own.
 */
#include "ptx/flow.h"

unsigned ptx_reg_rows(const struct ptx_reg *r)
{
    if (r->type == PTX_T_PRED)
        return 0;
    unsigned bytes = ptx_type_bytes((enum ptx_type)r->type);
    return bytes <= 4 ? 1 : bytes / 4;
}

bool ptx_writes_first(const struct ptx_inst *i)
{
    if (i->n_opnd == 0)
        return false;
    switch (i->op) {
    case PTX_APPLYPRIORITY:
    case PTX_BRA:
    case PTX_BRKPT:
    case PTX_BRX:
    case PTX_CP:
    case PTX_DISCARD:
    case PTX_EXIT:
    case PTX_FENCE:
    case PTX_GRIDDEPCONTROL:
    case PTX_MEMBAR:
    case PTX_NANOSLEEP:
    case PTX_PMEVENT:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_RED:
    case PTX_RET:
    case PTX_SETMAXNREG:
    case PTX_ST:
    case PTX_STACKRESTORE:
    case PTX_STMATRIX:
    case PTX_SURED:
    case PTX_SUST:
    case PTX_TRAP:
        return false;
    case PTX_BAR:
    case PTX_BARRIER:
        return ptx_has(i, PTX_M_RED);
    case PTX_WMMA:
        return !ptx_has(i, PTX_M_STORE);
    case PTX_WGMMA:
        return ptx_has(i, PTX_M_MMA_ASYNC);
    default:
        /* mbarrier, tensor copies and similar: an address first means that nothing is written. */
        return i->opnd[0].kind != PTX_O_ADDR && i->opnd[0].kind != PTX_O_TEXADDR;
    }
}

/* Appends the registers of an operand. The caller made room. */
static uint32_t *take(const struct ptx_opnd *o, uint32_t *out)
{
    if ((o->kind == PTX_O_REG || o->kind == PTX_O_ADDR) && o->reg >= 0)
        *out++ = (uint32_t)o->reg;
    for (unsigned k = 0; k < o->n; k++)
        out = take(&o->elem[k], out);
    return out;
}

static size_t count(const struct ptx_opnd *o)
{
    size_t n = 1;
    for (unsigned k = 0; k < o->n; k++)
        n += count(&o->elem[k]);
    return n;
}

void ptx_defuse_build(const struct ptx_func *f, struct arena *arena, struct ptx_defuse *out)
{
    size_t room = 0, n_ret_reg = 0;
    for (uint32_t k = f->n_param; k < f->n_param + f->n_ret; k++)
        n_ret_reg += f->param[k].in_reg;
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        room += 1 + n_ret_reg;
        for (unsigned k = 0; k < f->inst[pc].n_opnd; k++)
            room += 2 * count(&f->inst[pc].opnd[k]);
    }
    out->at = arena_alloc(arena, ((size_t)f->n_inst + 1) * sizeof *out->at);
    out->n_def = arena_alloc(arena, (size_t)f->n_inst * sizeof *out->n_def);
    out->reg = arena_alloc(arena, room * sizeof *out->reg);
    uint32_t *p = out->reg;
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        const struct ptx_inst *i = &f->inst[pc];
        bool writes = ptx_writes_first(i);
        out->at[pc] = (uint32_t)(p - out->reg);
        if (writes)
            p = take(&i->opnd[0], p);
        out->n_def[pc] = (uint16_t)(p - out->reg - out->at[pc]);
        if (writes && i->op == PTX_WGMMA) /* accumulates in place */
            p = take(&i->opnd[0], p);
        for (unsigned k = writes; k < i->n_opnd; k++)
            p = take(&i->opnd[k], p);
        /* What a .func returns in registers is read by its caller. */
        if (i->op == PTX_RET || pc + 1 == f->n_inst)
            for (uint32_t k = f->n_param; k < f->n_param + f->n_ret; k++)
                if (f->param[k].in_reg)
                    *p++ = (uint32_t)f->param[k].reg;
        if (i->guard >= 0)
            *p++ = (uint32_t)i->guard;
    }
    out->at[f->n_inst] = (uint32_t)(p - out->reg);
}

struct ptx_lists ptx_lists_build(struct arena *arena, uint32_t n_key, const struct ptx_pair *pair, size_t n_pair)
{
    struct ptx_lists l = {.n = n_key};
    l.at = arena_alloc(arena, ((size_t)n_key + 2) * sizeof *l.at);
    l.item = arena_alloc(arena, n_pair * sizeof *l.item);
    for (size_t k = 0; k < n_pair; k++)
        l.at[pair[k].key + 2]++;
    for (uint32_t k = 0; k < n_key; k++)
        l.at[k + 2] += l.at[k + 1];
    for (size_t k = 0; k < n_pair; k++) /* at[key + 1] walks from the start of key's items to their end */
        l.item[l.at[pair[k].key + 1]++] = pair[k].item;
    return l;
}
