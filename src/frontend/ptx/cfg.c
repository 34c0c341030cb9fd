/*
 * Basic blocks and the edges between them.
 *
 * A block starts at the first instruction, at every label that some branch names, and behind every instruction that
 * may leave the straight line. Calls stay inside blocks unless the callee never returns. A guarded ret, exit or trap
 * is a branch to the exit. The exit is a virtual block with number n_block.
 */
#include "ptx/flow.h"

static bool call_returns(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_inst *i)
{
    if (i->n_opnd > 3 && i->opnd[3].kind == PTX_O_LABEL && f->label[i->opnd[3].label].noreturn)
        return false;
    if (i->n_opnd < 2 || i->opnd[1].kind != PTX_O_SYM || PTX_SYM_KIND(i->opnd[1].sym) != PTX_SYM_FUNC)
        return true;
    return !m->func[PTX_SYM_INDEX(i->opnd[1].sym)].noreturn;
}

struct ptx_exits ptx_exits_of(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_inst *i)
{
    struct ptx_exits x = {.falls = true};
    if (i->bad)
        return x;
    switch (i->op) {
    case PTX_BRA:
    case PTX_BRX:
        x = (struct ptx_exits){.branches = true};
        break;
    case PTX_RET:
    case PTX_EXIT:
        x = (struct ptx_exits){.returns = true};
        break;
    case PTX_TRAP:
        x = (struct ptx_exits){.dies = true};
        break;
    case PTX_CALL:
        if (!call_returns(m, f, i))
            x = (struct ptx_exits){.dies = true};
        break;
    default:
        break;
    }
    if (i->guard >= 0)
        x.falls = true;
    return x;
}

/* The labels a branch may go to; `one` is room for the list of a plain bra. */
static uint32_t branch_targets(const struct ptx_func *f, const struct ptx_inst *i, const int32_t **list, int32_t *one)
{
    if (i->op == PTX_BRA) {
        *one = i->opnd[0].label;
        *list = one;
        return 1;
    }
    const struct ptx_label *l = &f->label[i->opnd[1].label];
    *list = l->target;
    return l->n_target;
}

static uint32_t *mark_leaders(const struct ptx_module *m, const struct ptx_func *f, struct arena *scratch)
{
    uint32_t *leader = arena_alloc(scratch, ((size_t)f->n_inst + 1) * sizeof *leader);
    leader[0] = 1;
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        struct ptx_exits x = ptx_exits_of(m, f, &f->inst[pc]);
        if (x.branches || x.returns || x.dies)
            leader[pc + 1] = 1;
        if (x.branches) {
            const int32_t *list;
            int32_t one;
            uint32_t n = branch_targets(f, &f->inst[pc], &list, &one);
            for (uint32_t k = 0; k < n; k++)
                leader[f->label[list[k]].pc] = 1;
        }
    }
    return leader;
}

/* Adds an edge unless the block has it already (both ways of a branch to the next instruction, repeated targets). */
static void add_edge(uint32_t from, uint32_t to, uint32_t *last_from, struct ptx_pair *pair, size_t *n)
{
    if (last_from[to] == from + 1)
        return;
    last_from[to] = from + 1;
    pair[(*n)++] = (struct ptx_pair){from, to};
}

void ptx_cfg_build(const struct ptx_module *m, struct ptx_func *f, struct arena *scratch)
{
    uint32_t *leader = mark_leaders(m, f, scratch);
    uint32_t n_block = 0;
    f->inst_block = arena_alloc(m->arena, (size_t)f->n_inst * sizeof *f->inst_block);
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        n_block += leader[pc];
        f->inst_block[pc] = n_block - 1;
    }
    f->n_block = n_block;
    f->block = arena_alloc(m->arena, (size_t)n_block * sizeof *f->block);
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        struct ptx_block *b = &f->block[f->inst_block[pc]];
        if (leader[pc])
            b->first = pc;
        b->last = pc;
    }

    size_t room = 2 * (size_t)n_block;
    for (uint32_t b = 0; b < n_block; b++) {
        const struct ptx_inst *i = &f->inst[f->block[b].last];
        if (i->op == PTX_BRX && !i->bad)
            room += f->label[i->opnd[1].label].n_target;
    }
    struct ptx_pair *pair = arena_alloc(scratch, room * sizeof *pair);
    uint32_t *last_from = arena_alloc(scratch, ((size_t)n_block + 1) * sizeof *last_from);
    size_t n_edge = 0;
    for (uint32_t b = 0; b < n_block; b++) {
        uint32_t pc = f->block[b].last;
        struct ptx_exits x = ptx_exits_of(m, f, &f->inst[pc]);
        if (x.falls)
            add_edge(b, b + 1, last_from, pair, &n_edge); /* off the end is the exit */
        if (x.returns || x.dies)
            add_edge(b, n_block, last_from, pair, &n_edge);
        if (x.branches) {
            const int32_t *list;
            int32_t one;
            uint32_t n = branch_targets(f, &f->inst[pc], &list, &one);
            for (uint32_t k = 0; k < n; k++) {
                uint32_t to = f->label[list[k]].pc;
                add_edge(b, to < f->n_inst ? f->inst_block[to] : n_block, last_from, pair, &n_edge);
            }
        }
    }

    struct ptx_lists succ = ptx_lists_build(m->arena, n_block, pair, n_edge);
    for (size_t k = 0; k < n_edge; k++)
        pair[k] = (struct ptx_pair){pair[k].item, pair[k].key};
    struct ptx_lists pred = ptx_lists_build(m->arena, n_block + 1, pair, n_edge);
    for (uint32_t b = 0; b < n_block; b++) {
        f->block[b].n_succ = succ.at[b + 1] - succ.at[b];
        f->block[b].succ = succ.item + succ.at[b];
        f->block[b].n_pred = pred.at[b + 1] - pred.at[b];
        f->block[b].pred = pred.item + pred.at[b];
    }
}
