/*
 * Which allocations a launch can write: those that the addresses of its stores and atomics come from.
 *
 * Reads of all others race with nothing of the launch and need no stamps, which is most of what kernels do. A store's
 * address comes from pointers among the kernel's parameters, from variables, or from pointers that are themselves in
 * memory; in the last case everything counts as written. The sets are of registers, whatever the order of instructions.
 * A store that goes somewhere else after all (by an index that leaves its allocation for another) is still checked, and
 * the report says that earlier reads of the launch were not.
 */
#include "check/state.h"

#include "emu/exec_mem.h"
#include "ptx/flow.h"

enum { PARAMS = 62 };
#define SYMBOL (1ull << 62) /* a variable's address */
#define ANY    (1ull << 63) /* a pointer out of memory, or what nobody knows */

static uint64_t param_bit(struct code *k, uint64_t offset)
{
    for (uint32_t i = 0; i < k->n_root; i++)
        if (k->root[i] == offset)
            return 1ull << i;
    if (k->n_root == PARAMS)
        return ANY;
    k->root[k->n_root] = (uint32_t)offset;
    return 1ull << k->n_root++;
}

static bool has_symbol(const struct ptx_opnd *o)
{
    if (o->sym >= 0 && (o->kind == PTX_O_SYM || o->kind == PTX_O_ADDR) && PTX_SYM_KIND(o->sym) == PTX_SYM_VAR)
        return true;
    for (unsigned k = 0; k < o->n && o->elem; k++)
        if (has_symbol(&o->elem[k]))
            return true;
    return false;
}

/* What an instruction's results come from. */
static uint64_t result(struct code *k, const struct emu_inst *in, uint64_t sources)
{
    const struct ptx_inst *p = in->ptx;
    const bool wide = p->n_type && ptx_type_bytes((enum ptx_type)p->type[p->n_type - 1]) >= 8;
    switch (p->op) {
    case PTX_LD:
    case PTX_LDU:
        if (!wide)
            return 0;
        if (in->fn != emu_ld_param)
            return ANY;
        uint64_t all = 0;
        for (unsigned v = 0; v < in->aux[EMU_AUX_VEC]; v++)
            all |= param_bit(k, in->imm + v * 8ull);
        return all;
    case PTX_ATOM:
        return wide ? ANY : 0;
    case PTX_CALL:
        return ANY;
    case PTX_SETP:
        return 0;
    default:
        return sources;
    }
}

static bool writes_global(const struct ptx_inst *p)
{
    switch (p->op) {
    case PTX_ST:
    case PTX_ATOM:
    case PTX_RED:
        return p->space == PTX_S_GLOBAL || p->space == PTX_S_NONE || p->space == PTX_S_GENERIC;
    case PTX_WMMA:
        return ptx_has(p, PTX_M_STORE) && p->space != PTX_S_SHARED;
    default:
        return false;
    }
}

static bool calls_a_copy(const struct ptx_inst *p)
{
    return p->op == PTX_CALL && p->text &&
           (strstr(p->text, "memcpy") || strstr(p->text, "memmove") || strstr(p->text, "memset"));
}

/* The operand that is the address. */
static const struct ptx_opnd *address(const struct ptx_inst *p)
{
    return &p->opnd[p->op == PTX_ATOM && p->opnd[0].kind != PTX_O_ADDR && p->n_opnd > 1 ? 1 : 0];
}

void roots_find(struct code *k, const struct emu_prog *p)
{
    const struct ptx_func *f = p->func[0].ptx;
    if (p->n_func > 1 || p->indirect) { /* its functions would have to be followed */
        k->written = ANY;
        return;
    }
    struct arena *scratch = arena_new();
    struct ptx_defuse du;
    ptx_defuse_build(f, scratch, &du);
    uint64_t *from = arena_alloc(scratch, (f->n_reg + 1u) * sizeof *from);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < f->n_inst; pc++) {
            const uint32_t first = du.at[pc], use = first + du.n_def[pc];
            uint64_t sources = 0;
            for (uint32_t u = use; u < du.at[pc + 1]; u++)
                sources |= from[du.reg[u]];
            for (unsigned o = 0; o < f->inst[pc].n_opnd; o++)
                sources |= has_symbol(&f->inst[pc].opnd[o]) ? SYMBOL : 0;
            const uint64_t now = du.n_def[pc] ? result(k, &p->inst[pc], sources) : 0;
            for (uint32_t d = first; d < use; d++) {
                changed |= (from[du.reg[d]] | now) != from[du.reg[d]];
                from[du.reg[d]] |= now;
            }
        }
    }
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        const struct ptx_inst *in = &f->inst[pc];
        if ((in->op == PTX_CP && ptx_has(in, PTX_M_BULK)) || in->op == PTX_TENSORMAP || in->op == PTX_SUST ||
            in->op == PTX_SURED || calls_a_copy(in))
            k->written |= ANY;
        if (!writes_global(in))
            continue;
        const struct ptx_opnd *a = address(in);
        k->written |= has_symbol(a) ? SYMBOL : a->reg >= 0 ? from[a->reg] : 0;
    }
    arena_free(scratch);
}

/* ---- one launch ---- */

static void add(struct check *c, uint64_t lo, uint64_t hi)
{
    for (size_t i = 0; i < c->writable.n; i++)
        if (c->writable.p[i].lo == lo)
            return;
    VEC_PUSH(&c->writable, (struct emu_range){lo, hi});
}

void roots_launch(struct check *c, const struct emu_grid *g)
{
    enum { NEAR = 1 << 20 };
    const struct code *k = c->code;
    c->writable.n = 0;
    c->all_writable = c->several_streams || k->written & ANY;
    c->variables_writable = k->written & SYMBOL;
    if (c->emu->workspace) /* of grid-wide barriers, whose address is in no parameter */
        add(c, c->emu->workspace, c->emu->workspace + 1);
    for (uint32_t i = 0; i < k->n_root && !c->all_writable; i++) {
        uint64_t v = 0;
        if (!(k->written >> i & 1) || k->root[i] + 8 > g->param_bytes)
            continue;
        memcpy(&v, g->params + k->root[i], 8);
        const struct emu_alloc *a = emu_mem_find(c->emu, v, 1);
        if (a) {
            add(c, a->addr, a->addr + a->bytes);
            continue;
        }
        /* A pointer before or behind an allocation may be meant to lead into it. */
        a = emu_mem_nearest(c->emu, v);
        if (a && v + NEAR > a->addr && v < a->addr + a->bytes + NEAR)
            c->all_writable = true;
    }
}

static bool writable(const struct check *c, const struct emu_alloc *a)
{
    if (c->all_writable || (a->kind == EMU_MEM_MODULE && c->variables_writable))
        return true;
    for (size_t i = 0; i < c->writable.n; i++)
        if (a->addr >= c->writable.p[i].lo && a->addr < c->writable.p[i].hi)
            return true;
    return false;
}

/* A store to memory that the launch was not expected to write. */
void roots_store(struct check *c, uint64_t addr)
{
    const struct emu_alloc *a = c->all_writable ? NULL : emu_mem_find(c->emu, addr, 1);
    if (!a || writable(c, a))
        return;
    add(c, a->addr, a->addr + a->bytes);
    c->known_serial++;
    c->unexpected = true;
}

/* Has each byte of the allocation been written? */
static bool defined(struct check *c, const struct emu_alloc *a)
{
    if (a->kind != EMU_MEM_DEVICE && a->kind != EMU_MEM_HEAP)
        return true;
    struct place *p = (struct place *)host_place(c, a->addr);
    if (!p || p->addr != a->addr)
        return false;
    if (p->defined_at == c->undefinings + 1)
        return true;
    if (p->looked_at == c->launch->serial)
        return false;
    p->looked_at = c->launch->serial;
    for (uint64_t at = a->addr, end = a->addr + a->bytes; at < end;) {
        const struct page *page = shadow_find(c, at);
        const uint64_t next = (at / PAGE_BYTES + 1) * PAGE_BYTES, to = next < end ? next : end;
        if (!page)
            return false;
        for (; at < to; at = (at / 64 + 1) * 64) {
            const uint64_t from = at % 64, n = to - at < 64 - from ? to - at : 64 - from;
            const uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << from;
            if (~page->init[at % PAGE_BYTES / 64] & mask)
                return false;
        }
        at = to;
    }
    p->defined_at = c->undefinings + 1;
    return true;
}

/* What is known of the allocation at an address: the instruction keeps it. */
void roots_know(struct check *c, struct site *x, uint64_t addr)
{
    const struct emu_alloc *a = emu_mem_find(c->emu, addr, 1);
    x->known = a ? (struct emu_range){a->addr, a->addr + a->bytes} : (struct emu_range){0, 0};
    x->known_serial = c->known_serial;
    x->undefinings = c->undefinings;
    x->read_only = a && !writable(c, a);
    x->defined = a && c->initing && defined(c, a);
}
