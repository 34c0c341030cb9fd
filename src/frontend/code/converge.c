/*
 * Where a warp's lanes may part, and where they meet again: BSSY and BSYNC.
 *
 * Lanes part at a branch whose condition may differ between them. Conditions made of parameters, constants, block
 * indices, votes and what is loaded from one address for all lanes do not; what depends on the thread's index does, and
 * so does a value that a warp changes while some of its lanes are elsewhere. ptxas marks the meeting point, the
 * branch's immediate post-dominator, before the first branch that parts lanes on the way to it (BSSY; before the loop
 * where the branch leaves one), and waits there for them (BSYNC). Branches to the same point share the mark. None is
 * needed where lanes exit, or where the block is predicated.
 *
 * On the board, `cutcp` executes 2,159,497 warp instructions a launch; without these it is 1,741,334 operations here,
 * with them 2,154,582. Not modeled: that parted lanes arrive at BSYNC more than once.
 */
#include "code/lower.h"

struct parting {
    const struct code_func *c;
    const struct ptx_func *f;
    bool *varies;     /* by register: its value may differ between the lanes of a warp */
    bool *is_partial; /* by block: some of a warp's lanes may be elsewhere */
    bool *parts;      /* by block: the branch at its end parts lanes */
};

static bool is_lane_register(const struct ptx_opnd *o)
{
    if (o->kind != PTX_O_SREG)
        return false;
    switch (o->sreg) {
    case PTX_SR_TID_X:
    case PTX_SR_TID_Y:
    case PTX_SR_TID_Z:
    case PTX_SR_LANEID:
    case PTX_SR_LANEMASK_EQ:
    case PTX_SR_LANEMASK_LE:
    case PTX_SR_LANEMASK_LT:
    case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return true;
    default:
        return false;
    }
}

/* Whether a result of pc may differ between lanes. */
static bool result_varies(const struct parting *p, uint32_t pc)
{
    const struct ptx_inst *i = &p->f->inst[pc];
    const struct ptx_defuse *du = &p->c->du;
    switch (i->op) {
    case PTX_VOTE:
    case PTX_ACTIVEMASK:
    case PTX_REDUX:
        return false;
    case PTX_ATOM:
    case PTX_SHFL:
    case PTX_MATCH:
    case PTX_ELECT:
    case PTX_CALL:
        return true;
    default:
        break;
    }
    if (i->space == PTX_S_LOCAL)
        return true;
    for (unsigned k = 0; k < i->n_opnd; k++)
        if (is_lane_register(&i->opnd[k]))
            return true;
    for (uint32_t k = du->at[pc] + du->n_def[pc]; k < du->at[pc + 1]; k++)
        if (p->varies[du->reg[k]])
            return true;
    return false;
}

static bool spread_values(struct parting *p)
{
    const struct code_func *c = p->c;
    bool changed = false;
    for (uint32_t pc = 0; pc < p->f->n_inst; pc++) {
        bool varies = result_varies(p, pc), partial = p->is_partial[p->f->inst_block[pc]];
        for (uint32_t k = c->du.at[pc]; k < c->du.at[pc] + c->du.n_def[pc]; k++) {
            uint32_t reg = c->du.reg[k];
            bool several = c->defs.at[reg + 1] - c->defs.at[reg] > 1;
            if (!p->varies[reg] && (varies || (partial && several)))
                p->varies[reg] = changed = true;
        }
    }
    return changed;
}

/* The branch at the end of block b, when an assembler makes one of it and lanes may disagree. */
static bool parts_lanes(const struct parting *p, uint32_t b)
{
    uint32_t pc = p->f->block[b].last;
    const struct ptx_inst *i = &p->f->inst[pc];
    return i->op == PTX_BRA && i->guard >= 0 && p->f->block[b].n_succ > 1 && p->c->predicate[pc] == CODE_NONE &&
           p->varies[i->guard];
}

/* Marks the blocks between b and where its lanes meet. */
static void mark_partial(struct parting *p, uint32_t b, uint32_t *stack, uint32_t *seen)
{
    const struct ptx_block *block = p->f->block;
    uint32_t n = 0, meet = block[b].ipdom;
    stack[n++] = b;
    while (n) {
        const struct ptx_block *from = &block[stack[--n]];
        for (uint32_t k = 0; k < from->n_succ; k++) {
            uint32_t to = from->succ[k];
            if (to == meet || to >= p->f->n_block || seen[to] == b + 1)
                continue;
            seen[to] = b + 1;
            p->is_partial[to] = true;
            stack[n++] = to;
        }
    }
}

/* Whether loop `inner` + 1 is `outer` + 1 or inside of it. */
static bool is_in_loop(const struct ptx_func *f, uint32_t inner, uint32_t outer)
{
    for (; inner; inner = f->loop[inner - 1].parent)
        if (inner == outer)
            return true;
    return !outer;
}

/* Where the meeting point of block b's branch is announced: in b, or before the loops that lanes leave to get there. */
static uint32_t announcement(const struct parting *p, uint32_t b)
{
    const struct ptx_func *f = p->f;
    while (f->block[b].loop && !is_in_loop(f, f->block[f->block[b].ipdom].loop, f->block[b].loop)) {
        uint32_t header = f->loop[f->block[b].loop - 1].header, meet = f->block[b].ipdom, before = header;
        for (uint32_t k = 0; k < f->block[header].n_pred; k++)
            if (f->block[header].pred[k] < header)
                before = f->block[header].pred[k];
        if (before == header || f->block[before].loop == f->block[b].loop)
            break;
        b = before;
        if (!f->block[b].loop || is_in_loop(f, f->block[meet].loop, f->block[b].loop))
            break;
    }
    return b;
}

void code_converge_find(struct code_func *c)
{
    const struct ptx_func *f = c->func;
    struct arena *scratch = arena_new();
    uint32_t *stack = arena_alloc(scratch, (f->n_block + 1ull) * sizeof *stack);
    uint32_t *seen = arena_alloc(scratch, (f->n_block + 1ull) * sizeof *seen);
    struct parting p = {.c = c,
                        .f = f,
                        .varies = arena_alloc(scratch, f->n_reg + 1ull),
                        .is_partial = arena_alloc(scratch, f->n_block + 1ull),
                        .parts = arena_alloc(scratch, f->n_block + 1ull)};
    c->opens = arena_alloc(c->arena, f->n_inst + 1ull);
    c->meets = arena_alloc(c->arena, f->n_inst + 1ull);
    for (uint32_t reg = 0; reg < f->n_reg && !f->is_entry; reg++) /* a caller's arguments */
        p.varies[reg] = c->defs.at[reg] == c->defs.at[reg + 1];
    while (spread_values(&p))
        for (uint32_t b = 0; b < f->n_block; b++)
            if (!p.parts[b] && parts_lanes(&p, b)) {
                p.parts[b] = true;
                mark_partial(&p, b, stack, seen);
            }
    for (uint32_t b = 0; b < f->n_block; b++) {
        uint32_t meet = f->block[b].ipdom;
        if (!p.parts[b] || meet >= f->n_block || c->meets[f->block[meet].first])
            continue;
        c->meets[f->block[meet].first] = true;
        c->opens[f->block[announcement(&p, b)].last] = true;
    }
    arena_free(scratch);
}
