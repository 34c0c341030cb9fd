/*
 * Which operation of a region must be issued before which.
 *
 * A result before its readers, by its latency; readers before the register is written again; writes of one register
 * in order; and among accesses to memory what their order allows (enum code_order). Two accesses are apart when they
 * are in different spaces, or at known, different places behind the same base register or symbol: an assembler knows no
 * more of pointers. Exits of the region come last.
 */
#include "code/lower.h"

struct builder {
    const struct code_region *r;
    VEC(struct code_edge) edge; /* by the later node: from, in `to` */
    uint32_t *first;            /* by node: its first entry */
};

static void must_follow(struct builder *b, uint32_t earlier, uint16_t latency)
{
    for (size_t k = b->edge.n; k-- > b->first[0];)
        if (b->edge.p[k].to == earlier) {
            if (latency > b->edge.p[k].latency)
                b->edge.p[k].latency = latency;
            return;
        }
    VEC_PUSH(&b->edge, (struct code_edge){.to = earlier, .latency = latency});
}

static bool same_space(uint8_t a, uint8_t b)
{
    return a == b || a == PTX_S_GENERIC || b == PTX_S_GENERIC;
}

/* That a base register has the same value for both is not asked: its readers and writers are in order anyway. */
static bool may_overlap(const struct code_addr *a, const struct code_addr *b)
{
    if (!same_space(a->space, b->space))
        return false;
    if (!a->known || !b->known)
        return true;
    if (a->reg == CODE_NONE && b->reg == CODE_NONE && a->sym != b->sym)
        return false; /* two variables */
    if (a->reg != b->reg || a->sym != b->sym)
        return true;
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static bool conflict(const struct code_node *a, const struct code_node *b)
{
    if (a->order == CODE_FREE || b->order == CODE_FREE)
        return false;
    if (a->order == CODE_ALL || b->order == CODE_ALL)
        return true;
    return (a->order == CODE_WRITE || b->order == CODE_WRITE) && may_overlap(&a->addr, &b->addr);
}

/* What follows from registers. `writer`: the last one of each, + 1; `readers`: nodes that read it since. */
static void order_registers(struct builder *b, uint32_t i, uint32_t *writer, const struct ptx_lists *readers)
{
    const struct code_node *n = &b->r->node.p[i];
    for (unsigned k = 0; k < n->n_src; k++) {
        uint32_t w = writer[code_src(b->r, n)[k]];
        bool guards = n->flags & TRACE_OP_GUARDED && k + 1 == n->n_src;
        if (w)
            must_follow(b, w - 1, (uint16_t)(b->r->node.p[w - 1].latency + (guards ? CODE_GUARD : 0)));
    }
    for (unsigned k = 0; k < n->n_dst; k++) {
        uint32_t reg = code_dst(b->r, n)[k], w = writer[reg];
        if (w)
            must_follow(b, w - 1, n->keeps_old ? b->r->node.p[w - 1].latency : 1);
        for (uint32_t q = readers->at[reg]; q < readers->at[reg + 1] && readers->item[q] < i; q++)
            if (!w || readers->item[q] >= w)
                must_follow(b, readers->item[q], 0);
        writer[reg] = i + 1;
    }
}

static void order_memory(struct builder *b, uint32_t i)
{
    const struct code_node *node = b->r->node.p;
    if (node[i].order == CODE_FREE)
        return;
    for (uint32_t k = i; k-- > 0;) {
        if (conflict(&node[k], &node[i]))
            must_follow(b, k, 0);
        if (node[k].order == CODE_ALL)
            break; /* it is behind all the others */
    }
}

void code_graph_build(const struct code_func *c, const struct code_region *r, struct arena *arena,
                      struct code_graph *out)
{
    uint32_t n = (uint32_t)r->node.n, n_reg = c->n_reg + r->n_temp;
    struct builder b = {.r = r, .first = arena_alloc(arena, sizeof(uint32_t))};
    uint32_t *writer = arena_alloc(arena, (n_reg + 1ull) * sizeof *writer);
    VEC(struct ptx_pair) reads = {0};
    for (uint32_t i = 0; i < n; i++)
        for (unsigned k = 0; k < r->node.p[i].n_src; k++)
            VEC_PUSH(&reads, (struct ptx_pair){code_src(r, &r->node.p[i])[k], i});
    struct ptx_lists readers = ptx_lists_build(arena, n_reg, reads.p, reads.n);
    VEC(struct ptx_pair) pairs = {0}; /* earlier, index of the edge */
    uint32_t *later = NULL;
    VEC(uint32_t) to = {0};
    out->n = n;
    out->n_pred = arena_alloc(arena, (n + 1ull) * sizeof *out->n_pred);
    for (uint32_t i = 0; i < n; i++) {
        *b.first = (uint32_t)b.edge.n;
        order_registers(&b, i, writer, &readers);
        order_memory(&b, i);
        for (uint32_t k = 0; k < i && r->node.p[i].is_last; k++)
            must_follow(&b, k, 0);
        for (uint32_t k = 0; k < i; k++)
            if (r->node.p[k].is_last)
                must_follow(&b, k, 0);
        out->n_pred[i] = (uint32_t)b.edge.n - *b.first;
        for (size_t k = *b.first; k < b.edge.n; k++) {
            VEC_PUSH(&pairs, (struct ptx_pair){b.edge.p[k].to, (uint32_t)k});
            VEC_PUSH(&to, i);
        }
    }
    later = to.p;
    struct ptx_lists succ = ptx_lists_build(arena, n, pairs.p, pairs.n);
    out->at = succ.at;
    out->edge = arena_alloc(arena, (pairs.n + 1) * sizeof *out->edge);
    for (size_t k = 0; k < pairs.n; k++)
        out->edge[k] = (struct code_edge){.to = later[succ.item[k]], .latency = b.edge.p[succ.item[k]].latency};
    VEC_FREE(&reads);
    VEC_FREE(&pairs);
    VEC_FREE(&to);
    VEC_FREE(&b.edge);
}
