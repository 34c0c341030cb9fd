/*
 * Conditional nodes of graphs: IF, WHILE and SWITCH, with bodies that are graphs themselves.
 *
 * A handle is the address of a word in device memory, which cudaGraphSetConditional() in device code writes (emu/syscall.c).
 * Kernels have run when the next node begins, so the word is read when the node's turn comes. It costs no time of its own.
 */
#include "cudart/runtime.h"

struct rt_condition {
    uint32_t *value; /* in device memory */
    unsigned initial;
    bool assign; /* at each launch */
    unsigned refs;
};

struct rt_condition *condition_keep(struct rt_condition *c)
{
    c->refs++;
    return c;
}

void condition_release(struct rt_condition *c)
{
    if (--c->refs)
        return;
    ptrmap_drop(&rt.handle, c->value, RT_CONDITION);
    mem_free((uintptr_t)c->value, EMU_MEM_DEVICE);
    free(c);
}

struct op_graphs op_graphs(const struct rt_op *op)
{
    if (op->kind == OP_CONDITIONAL)
        return (struct op_graphs){op->conditional.body, op->conditional.bodies};
    return (struct op_graphs){(struct rt_graph **)(uintptr_t)&op->graph, op->kind == OP_GRAPH};
}

void op_own_graphs(struct rt_node *n)
{
    const struct op_graphs g = op_graphs(&n->op);
    for (unsigned i = 0; i < g.n; i++)
        g.p[i]->owner = n;
}

cudaError_t condition_op(struct rt_op *op, const struct cudaConditionalNodeParams *p)
{
    struct rt_condition *on = ptrmap_get(&rt.handle, (void *)(uintptr_t)p->handle, RT_CONDITION);
    const unsigned most = p->type == cudaGraphCondTypeIf ? 2 : p->type == cudaGraphCondTypeWhile ? 1 : 256;
    if (!on || p->type > cudaGraphCondTypeSwitch || p->size < 1 || p->size > most)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_CONDITIONAL, .conditional = {condition_keep(on), p->type, p->size, NULL}};
    op->conditional.body = xcalloc(p->size, sizeof(struct rt_graph *));
    for (unsigned i = 0; i < p->size; i++)
        op->conditional.body[i] = graph_new();
    return cudaSuccess;
}

cudaError_t condition_run(const struct rt_op *op, uint32_t stream_id)
{
    const uint32_t *value = op->conditional.on->value;
    struct rt_graph **body = op->conditional.body;
    cudaError_t e = cudaSuccess;
    switch (op->conditional.type) {
    case cudaGraphCondTypeIf: /* the second body is for 0 */
        return *value                       ? graph_run(body[0], stream_id)
               : op->conditional.bodies > 1 ? graph_run(body[1], stream_id)
                                            : cudaSuccess;
    case cudaGraphCondTypeWhile:
        while (*value && !e)
            e = graph_run(body[0], stream_id);
        return e;
    case cudaGraphCondTypeSwitch:
        return *value < op->conditional.bodies ? graph_run(body[*value], stream_id) : cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

void graph_set_conditions(const struct rt_graph *g)
{
    for (size_t i = 0; i < g->condition.n; i++)
        if (g->condition.p[i]->assign)
            *g->condition.p[i]->value = g->condition.p[i]->initial;
    for (size_t i = 0; i < g->node.n; i++) {
        const struct op_graphs inner = op_graphs(&g->node.p[i]->op);
        for (unsigned k = 0; k < inner.n; k++)
            graph_set_conditions(inner.p[k]);
    }
}

static cudaError_t check_body(const struct rt_graph *g)
{
    static const bool allowed[] = {[OP_EMPTY] = true,  [OP_KERNEL] = true, [OP_COPY] = true,
                                   [OP_MEMSET] = true, [OP_GRAPH] = true,  [OP_CONDITIONAL] = true};
    for (size_t i = 0; i < g->node.n; i++) {
        const struct rt_op *op = &g->node.p[i]->op;
        if (op->kind >= sizeof allowed || !allowed[op->kind]) {
            rt_message(
                "the body of a conditional node has a node that CUDA does not allow there; it may have kernels, "
                "copies, "
                "memsets, empty nodes, graphs and conditional nodes");
            return cudaErrorNotSupported;
        }
        const struct op_graphs inner = op_graphs(op);
        for (unsigned k = 0; k < inner.n; k++) {
            const cudaError_t e = check_body(inner.p[k]);
            if (e)
                return e;
        }
    }
    return cudaSuccess;
}

cudaError_t graph_check_bodies(const struct rt_graph *g)
{
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < g->node.n && !e; i++) {
        const struct rt_op *op = &g->node.p[i]->op;
        const struct op_graphs inner = op_graphs(op);
        for (unsigned k = 0; k < inner.n && !e; k++)
            e = op->kind == OP_CONDITIONAL ? check_body(inner.p[k]) : graph_check_bodies(inner.p[k]);
    }
    return e;
}

API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t graph, unsigned initial,
                                                 unsigned flags)
{
    cudaError_t e = rt_enter();
    struct rt_graph *g = e ? NULL : ptrmap_get(&rt.handle, graph, RT_GRAPH);
    if (!e && (!out || !g || flags & ~(unsigned)cudaGraphCondAssignDefault))
        e = cudaErrorInvalidValue;
    void *value = NULL;
    if (!e)
        e = mem_alloc(&value, sizeof(uint32_t), EMU_MEM_DEVICE);
    if (!e) {
        struct rt_condition *c = xmalloc(sizeof *c);
        *c = (struct rt_condition){value, initial, flags & cudaGraphCondAssignDefault, 1};
        *c->value = initial;
        ptrmap_put(&rt.handle, value, RT_CONDITION, c);
        VEC_PUSH(&g->condition, c);
        *out = (uintptr_t)value;
    }
    return rt_leave(e);
}
