/*
 * Natural loops: a header that dominates the source of an edge back to it, and all blocks that reach that source
 * without passing the header. Loops with one header are one loop. A cycle with several entries (irreducible, only
 * from goto) is no loop here.
 *
 * Inner loops are found first and shrunk into their headers (union-find), so each block is visited once.
 */
#include "ptx/flow.h"

static uint32_t find(uint32_t *set, uint32_t x)
{
    while (set[x] != x) {
        set[x] = set[set[x]];
        x = set[x];
    }
    return x;
}

struct loops {
    struct ptx_func *f;
    uint32_t *set;      /* union-find over blocks */
    uint32_t *found_at; /* header -> loop number in order of discovery + 1 */
    uint32_t *loop_of;  /* block -> the same, innermost */
    uint32_t *parent;   /* loop -> the same */
    uint32_t *header;   /* loop -> block */
    uint32_t *stack;
    const uint32_t *in, *size; /* places in the dominator tree */
    uint32_t n;
};

static bool dominates(const struct loops *l, uint32_t a, uint32_t b)
{
    return l->in[b] != PTX_NOWHERE && l->in[a] <= l->in[b] && l->in[b] < l->in[a] + l->size[a];
}

/* Collects the loop of header h, if it is one. */
static void collect(struct loops *l, uint32_t h)
{
    uint32_t n = 0;
    bool is_loop = false;
    for (uint32_t k = 0; k < l->f->block[h].n_pred; k++) {
        uint32_t latch = l->f->block[h].pred[k];
        if (!dominates(l, h, latch))
            continue;
        is_loop = true;
        latch = find(l->set, latch);
        if (latch != h) {
            l->set[latch] = h; /* joined when pushed, so that no block is pushed twice */
            l->stack[n++] = latch;
        }
    }
    if (!is_loop)
        return;
    uint32_t me = ++l->n;
    l->header[me - 1] = h;
    l->found_at[h] = l->loop_of[h] = me;
    while (n) {
        uint32_t b = l->stack[--n];
        if (l->found_at[b])
            l->parent[l->found_at[b] - 1] = me;
        else
            l->loop_of[b] = me;
        for (uint32_t k = 0; k < l->f->block[b].n_pred; k++) {
            uint32_t q = l->f->block[b].pred[k];
            if (l->in[q] == PTX_NOWHERE)
                continue;
            q = find(l->set, q);
            if (q != h) {
                l->set[q] = h;
                l->stack[n++] = q;
            }
        }
    }
}

int ptx_loops_build(const struct ptx_module *m, struct ptx_func *f, struct arena *scratch, struct err *e)
{
    uint32_t n = f->n_block;
    if (n == 0)
        return 0;
    size_t room = 0, n_edge = 0;
    for (uint32_t b = 0; b < n; b++)
        room += f->block[b].n_succ;
    struct ptx_pair *pair = arena_alloc(scratch, room * sizeof *pair);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = 0; k < f->block[b].n_succ; k++)
            if (f->block[b].succ[k] != n)
                pair[n_edge++] = (struct ptx_pair){b, f->block[b].succ[k]};
    struct ptx_lists succ = ptx_lists_build(scratch, n, pair, n_edge);
    for (size_t k = 0; k < n_edge; k++)
        pair[k] = (struct ptx_pair){pair[k].item, pair[k].key};
    struct ptx_lists pred = ptx_lists_build(scratch, n, pair, n_edge);

    size_t bytes = (size_t)n * sizeof(uint32_t);
    uint32_t *idom = arena_alloc(scratch, bytes), *order = arena_alloc(scratch, bytes);
    uint32_t reached = ptx_dominators(scratch, &succ, &pred, 0, idom, order);

    /* Intervals in the dominator tree: a dominates b when in[a] <= in[b] < in[a] + size[a]. */
    uint32_t *in = arena_alloc(scratch, bytes), *size = arena_alloc(scratch, bytes),
             *next = arena_alloc(scratch, bytes);
    memset(in, 0xff, bytes);
    for (uint32_t k = reached; k-- > 0;) {
        size[order[k]]++;
        if (k)
            size[idom[order[k]]] += size[order[k]];
    }
    for (uint32_t k = 0; k < reached; k++) {
        uint32_t v = order[k];
        in[v] = k ? next[idom[v]] : 0;
        if (k)
            next[idom[v]] += size[v];
        next[v] = in[v] + 1;
    }

    struct loops l = {.f = f,
                      .set = arena_alloc(scratch, bytes),
                      .found_at = arena_alloc(scratch, bytes),
                      .loop_of = arena_alloc(scratch, bytes),
                      .parent = arena_alloc(scratch, bytes),
                      .header = arena_alloc(scratch, bytes),
                      .stack = arena_alloc(scratch, bytes),
                      .in = in,
                      .size = size};
    for (uint32_t b = 0; b < n; b++)
        l.set[b] = b;
    for (uint32_t k = reached; k-- > 0;)
        collect(&l, order[k]);
    if (l.n >= UINT16_MAX)
        return err_at(e, m->name, (int)f->line, 0, "function '%s' has more than %d loops", f->name, UINT16_MAX - 1);

    /* Renumber in the order a warp meets them; an outer loop then precedes its inner ones. */
    f->n_loop = l.n;
    f->loop = arena_alloc(m->arena, (size_t)l.n * sizeof *f->loop);
    for (uint32_t k = 0; k < l.n; k++) {
        uint32_t old = l.n - 1 - k;
        uint32_t parent = l.parent[old] ? l.n - l.parent[old] + 1 : 0;
        f->loop[k] = (struct ptx_loop){
            .parent = (uint16_t)parent,
            .depth = (uint16_t)(parent ? f->loop[parent - 1].depth + 1 : 1),
            .header = l.header[old],
        };
    }
    for (uint32_t b = 0; b < n; b++)
        f->block[b].loop = (uint16_t)(l.loop_of[b] ? l.n - l.loop_of[b] + 1 : 0);
    return 0;
}
