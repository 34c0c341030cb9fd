/*
 * Dominators (Lengauer and Tarjan, TOPLAS 1979, the version with path compression) and, on the reversed graph,
 * immediate post-dominators: where the lanes of a diverged warp meet again.
 *
 * Only paths that end normally count for post-dominance: code that runs into trap or into a call that never returns,
 * or that loops for ever, does not pull the reconvergence point of the branch before it to the function's end. Among
 * themselves such blocks post-dominate as if their last ones led to the exit.
 */
#include "ptx/flow.h"

struct lt {
    uint32_t *number;   /* preorder number + 1; 0 = not reached */
    uint32_t *vertex;   /* by number */
    uint32_t *parent;   /* in the spanning tree */
    uint32_t *semi;     /* number of the semidominator */
    uint32_t *ancestor; /* in the forest; PTX_NOWHERE = root */
    uint32_t *label;
    uint32_t *bucket, *bucket_next;
    uint32_t *stack;
};

static uint32_t lt_eval(struct lt *t, uint32_t v)
{
    if (t->ancestor[v] == PTX_NOWHERE)
        return t->label[v];
    /* Compress the path from v to its root, from the top down. */
    uint32_t n = 0;
    for (uint32_t u = v; t->ancestor[t->ancestor[u]] != PTX_NOWHERE; u = t->ancestor[u])
        t->stack[n++] = u;
    while (n-- > 0) {
        uint32_t u = t->stack[n], a = t->ancestor[u];
        if (t->semi[t->label[a]] < t->semi[t->label[u]])
            t->label[u] = t->label[a];
        t->ancestor[u] = t->ancestor[a];
    }
    return t->label[v];
}

static uint32_t lt_search(struct lt *t, const struct ptx_lists *succ, uint32_t root, uint32_t *cursor)
{
    uint32_t count = 0, depth = 0;
    t->stack[depth++] = root;
    t->number[root] = ++count;
    t->vertex[0] = root;
    cursor[root] = succ->at[root];
    while (depth) {
        uint32_t v = t->stack[depth - 1];
        if (cursor[v] == succ->at[v + 1]) {
            depth--;
            continue;
        }
        uint32_t w = succ->item[cursor[v]++];
        if (t->number[w])
            continue;
        t->vertex[count] = w;
        t->number[w] = ++count;
        t->parent[w] = v;
        cursor[w] = succ->at[w];
        t->stack[depth++] = w;
    }
    return count;
}

uint32_t ptx_dominators(struct arena *a, const struct ptx_lists *succ, const struct ptx_lists *pred, uint32_t root,
                        uint32_t *idom, uint32_t *order)
{
    size_t bytes = (size_t)succ->n * sizeof(uint32_t);
    struct lt t = {
        .number = arena_alloc(a, bytes),
        .vertex = order,
        .parent = arena_alloc(a, bytes),
        .semi = arena_alloc(a, bytes),
        .ancestor = arena_alloc(a, bytes),
        .label = arena_alloc(a, bytes),
        .bucket = arena_alloc(a, bytes),
        .bucket_next = arena_alloc(a, bytes),
        .stack = arena_alloc(a, bytes),
    };
    uint32_t count = lt_search(&t, succ, root, t.semi /* free until below */);
    for (uint32_t v = 0; v < succ->n; v++) {
        t.semi[v] = t.number[v];
        t.label[v] = v;
        t.ancestor[v] = t.bucket[v] = idom[v] = PTX_NOWHERE;
    }
    for (uint32_t k = count; k-- > 1;) {
        uint32_t w = t.vertex[k], p = t.parent[w];
        for (uint32_t i = pred->at[w]; i < pred->at[w + 1]; i++) {
            uint32_t v = pred->item[i];
            if (!t.number[v])
                continue;
            uint32_t u = lt_eval(&t, v);
            if (t.semi[u] < t.semi[w])
                t.semi[w] = t.semi[u];
        }
        uint32_t s = t.vertex[t.semi[w] - 1];
        t.bucket_next[w] = t.bucket[s];
        t.bucket[s] = w;
        t.ancestor[w] = p;
        while (t.bucket[p] != PTX_NOWHERE) {
            uint32_t v = t.bucket[p];
            t.bucket[p] = t.bucket_next[v];
            uint32_t u = lt_eval(&t, v);
            idom[v] = t.semi[u] < t.semi[v] ? u : p;
        }
    }
    for (uint32_t k = 1; k < count; k++) {
        uint32_t w = t.vertex[k];
        if (idom[w] != t.vertex[t.semi[w] - 1])
            idom[w] = idom[idom[w]];
    }
    idom[root] = root;
    return count;
}

/* Marks in seen[] (with `mark`) all blocks that reach `block` backward and are not marked yet. */
static void mark_backward(const struct ptx_func *f, uint32_t block, uint8_t mark, uint8_t *seen, uint32_t *stack)
{
    uint32_t n = 0;
    if (seen[block])
        return;
    seen[block] = mark;
    stack[n++] = block;
    while (n) {
        const struct ptx_block *b = &f->block[stack[--n]];
        for (uint32_t k = 0; k < b->n_pred; k++)
            if (!seen[b->pred[k]]) {
                seen[b->pred[k]] = mark;
                stack[n++] = b->pred[k];
            }
    }
}

/* Whether the block's edge to the exit is one that ends normally. */
static bool ends_normally(const struct ptx_module *m, const struct ptx_func *f, uint32_t b)
{
    uint32_t pc = f->block[b].last;
    struct ptx_exits x = ptx_exits_of(m, f, &f->inst[pc]);
    bool to_exit = false;
    for (uint32_t k = 0; k < f->block[b].n_succ; k++)
        to_exit |= f->block[b].succ[k] == f->n_block;
    return to_exit && (!x.dies || (x.falls && b + 1 == f->n_block));
}

void ptx_postdom_build(const struct ptx_module *m, struct ptx_func *f, struct arena *scratch)
{
    enum { NORMAL = 1, ABNORMAL = 2 };
    uint32_t n = f->n_block, exit = n;
    uint8_t *seen = arena_alloc(scratch, (size_t)n + 1);
    uint8_t *leaves = arena_alloc(scratch, (size_t)n + 1); /* has an edge to the exit in the graph below */
    uint32_t *stack = arena_alloc(scratch, ((size_t)n + 1) * sizeof *stack);
    for (uint32_t b = 0; b < n; b++)
        if (ends_normally(m, f, b)) {
            leaves[b] = 1;
            mark_backward(f, b, NORMAL, seen, stack);
        }
    for (uint32_t b = 0; b < n; b++)
        if (!seen[b] && ptx_exits_of(m, f, &f->inst[f->block[b].last]).dies) {
            leaves[b] = 1;
            mark_backward(f, b, ABNORMAL, seen, stack);
        }
    for (uint32_t b = n; b-- > 0;) /* endless loops: their last block serves as the exit */
        if (!seen[b]) {
            leaves[b] = 1;
            mark_backward(f, b, ABNORMAL, seen, stack);
        }

    size_t room = n;
    for (uint32_t b = 0; b < n; b++)
        room += f->block[b].n_succ;
    struct ptx_pair *pair = arena_alloc(scratch, room * sizeof *pair);
    size_t n_edge = 0;
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t k = 0; k < f->block[b].n_succ; k++) {
            uint32_t s = f->block[b].succ[k];
            if (s != exit && seen[s] == seen[b])
                pair[n_edge++] = (struct ptx_pair){b, s};
        }
        if (leaves[b])
            pair[n_edge++] = (struct ptx_pair){b, exit};
    }
    struct ptx_lists forward = ptx_lists_build(scratch, n + 1, pair, n_edge);
    for (size_t k = 0; k < n_edge; k++)
        pair[k] = (struct ptx_pair){pair[k].item, pair[k].key};
    struct ptx_lists backward = ptx_lists_build(scratch, n + 1, pair, n_edge);
    uint32_t *ipdom = arena_alloc(scratch, ((size_t)n + 1) * sizeof *ipdom);
    uint32_t *order = arena_alloc(scratch, ((size_t)n + 1) * sizeof *order);
    ptx_dominators(scratch, &backward, &forward, exit, ipdom, order);

    f->reconv_pc = arena_alloc(m->arena, (size_t)f->n_inst * sizeof *f->reconv_pc);
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        f->reconv_pc[pc] = f->n_inst;
    for (uint32_t b = 0; b < n; b++) {
        f->block[b].ipdom = ipdom[b] == PTX_NOWHERE ? exit : ipdom[b];
        if (f->block[b].ipdom != exit)
            f->reconv_pc[f->block[b].last] = f->block[f->block[b].ipdom].first;
    }
}
