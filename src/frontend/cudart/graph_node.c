/*
 * Graph nodes: making them, reading and replacing their parameters, in graphs and in executable graphs.
 *
 * CUDA has a set of calls per kind of node. Here each kind has one function that builds its operation; adding a node,
 * setting a node's parameters and setting them in an executable graph then are the same three steps for all of them.
 */
#include "cudart/runtime.h"

static const uint8_t type_of[] = {
    [OP_EMPTY] = cudaGraphNodeTypeEmpty,
    [OP_KERNEL] = cudaGraphNodeTypeKernel,
    [OP_COPY] = cudaGraphNodeTypeMemcpy,
    [OP_MEMSET] = cudaGraphNodeTypeMemset,
    [OP_HOST] = cudaGraphNodeTypeHost,
    [OP_EVENT_RECORD] = cudaGraphNodeTypeEventRecord,
    [OP_EVENT_WAIT] = cudaGraphNodeTypeWaitEvent,
    [OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
    [OP_FREE] = cudaGraphNodeTypeMemFree,
    [OP_GRAPH] = cudaGraphNodeTypeGraph,
    [OP_CONDITIONAL] = cudaGraphNodeTypeConditional,
};

static struct rt_node *node_find(cudaGraphNode_t n)
{
    return ptrmap_get(&rt.handle, n, RT_NODE);
}

/* The node of an executable graph that was made from `node`. */
static struct rt_node *exec_node(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    const struct rt_exec *x = ptrmap_get(&rt.handle, exec, RT_EXEC);
    const struct rt_node *n = node_find(node);
    for (size_t i = 0; x && n && i < x->graph->node.n; i++)
        if (x->graph->node.p[i]->origin == n->serial)
            return x->graph->node.p[i];
    return NULL;
}

/* ---- the three steps ---- */

/* Each takes the operation and the status of building it, releases the operation and leaves the context. */
static cudaError_t finish_add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_dep,
                              struct rt_op *op, cudaError_t e)
{
    struct rt_graph *g = e ? NULL : ptrmap_get(&rt.handle, graph, RT_GRAPH);
    if (!e && (!g || !out))
        e = cudaErrorInvalidValue;
    if (!e)
        e = graph_add(g, op, deps, n_dep, out);
    op_release(op);
    return rt_leave(e);
}

static cudaError_t finish_set(struct rt_node *n, struct rt_op *op, cudaError_t e)
{
    if (!e && (!n || n->op.kind != op->kind || op->kind == OP_CONDITIONAL))
        e = cudaErrorInvalidValue;
    if (!e) {
        if (op->kind == OP_KERNEL)
            op->kernel.early = n->op.kernel.early; /* of the edge, not of the parameters */
        op_release(&n->op);
        n->op = *op;
        op_own_graphs(n);
        if (op->kind == OP_GRAPH)
            graph_sort(op->graph);
    } else {
        op_release(op);
    }
    return rt_leave(e);
}

/* ---- one builder per kind; called inside the context with an empty operation ---- */
static cudaError_t build_kernel(struct rt_op *op, const struct cudaKernelNodeParams *p)
{
    return p ? kernel_op(op, p->func, p->gridDim, p->blockDim, p->kernelParams, p->extra, p->sharedMemBytes,
                         &(struct launch_attributes){0})
             : cudaErrorInvalidValue;
}

static cudaError_t build_copy(struct rt_op *op, const struct cudaMemcpy3DParms *p)
{
    if (!p)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_COPY, .copy = *p};
    return copy_check(p);
}

static cudaError_t build_copy_1d(struct rt_op *op, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    *op = copy_op_1d(dst, src, bytes, kind);
    return copy_check(&op->copy);
}

static cudaError_t build_host(struct rt_op *op, const struct cudaHostNodeParams *p)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_HOST, .host = {p->fn, p->userData}};
    return cudaSuccess;
}

static cudaError_t build_event(struct rt_op *op, enum rt_op_kind kind, cudaEvent_t event)
{
    struct rt_event *ev = event_find(event);
    if (!ev)
        return cudaErrorInvalidResourceHandle;
    *op = (struct rt_op){.kind = kind, .event = ev};
    return cudaSuccess;
}

static cudaError_t build_graph(struct rt_op *op, cudaGraph_t child)
{
    const struct rt_graph *g = ptrmap_get(&rt.handle, child, RT_GRAPH);
    if (!g)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_GRAPH, .graph = graph_clone(g)};
    return cudaSuccess;
}

static cudaError_t build_alloc(struct rt_op *op, struct cudaMemAllocNodeParams *p)
{
    if (!p || !p->bytesize)
        return cudaErrorInvalidValue;
    cudaError_t e = pool_check(&p->poolProps);
    if (!e)
        e = mem_alloc(&p->dptr, p->bytesize, EMU_MEM_DEVICE);
    if (e)
        return e;
    *op = (struct rt_op){.kind = OP_ALLOC, .alloc = graph_mem_new((uintptr_t)p->dptr, p->bytesize)};
    return cudaSuccess;
}

/* The memory itself goes with the last copy of its allocation node: graphs are launched again and again. */
static cudaError_t build_free(struct rt_op *op, void *p)
{
    if (!mem_find(p, 1))
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_FREE, .free_addr = (uintptr_t)p};
    return cudaSuccess;
}

static cudaError_t build_any(struct rt_op *op, struct cudaGraphNodeParams *p)
{
    if (!p)
        return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams k = {p->kernel.func,           p->kernel.gridDim,      p->kernel.blockDim,
                                               p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
        return build_kernel(op, &k);
    }
    case cudaGraphNodeTypeMemcpy:
        return build_copy(op, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        const struct cudaMemsetParams m = {p->memset.dst,         p->memset.pitch, p->memset.value,
                                           p->memset.elementSize, p->memset.width, p->memset.height};
        return memset_op(op, &m);
    }
    case cudaGraphNodeTypeHost: {
        const struct cudaHostNodeParams h = {p->host.fn, p->host.userData};
        return build_host(op, &h);
    }
    case cudaGraphNodeTypeGraph:
        return build_graph(op, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return build_event(op, OP_EVENT_WAIT, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return build_event(op, OP_EVENT_RECORD, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams a = {p->alloc.poolProps, p->alloc.accessDescs, p->alloc.accessDescCount,
                                           p->alloc.bytesize, NULL};
        const cudaError_t e = build_alloc(op, &a);
        p->alloc.dptr = a.dptr; /* the caller learns where */
        return e;
    }
    case cudaGraphNodeTypeMemFree:
        return build_free(op, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return condition_op(op, &p->conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        rt_message("graph nodes of type %d are not supported", (int)p->type);
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- adding ---- */
#define ADD_ARGS cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_dep
#define ADD(builder)                                                                                                   \
    struct rt_op op = {0};                                                                                             \
    cudaError_t e = rt_enter();                                                                                        \
    return finish_add(out, graph, deps, n_dep, &op, e ? e : (builder))

API cudaError_t cudaGraphAddKernelNode(ADD_ARGS, const struct cudaKernelNodeParams *p)
{
    ADD(build_kernel(&op, p));
}
API cudaError_t cudaGraphAddMemcpyNode(ADD_ARGS, const struct cudaMemcpy3DParms *p)
{
    ADD(build_copy(&op, p));
}
API cudaError_t cudaGraphAddMemcpyNode1D(ADD_ARGS, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    ADD(build_copy_1d(&op, dst, src, bytes, kind));
}
API cudaError_t cudaGraphAddMemcpyNodeToSymbol(ADD_ARGS, const void *symbol, const void *src, size_t bytes,
                                               size_t offset, enum cudaMemcpyKind kind)
{
    ADD(copy_op_symbol(&op, symbol, src, bytes, offset, kind, true));
}
API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(ADD_ARGS, void *dst, const void *symbol, size_t bytes, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    ADD(copy_op_symbol(&op, symbol, dst, bytes, offset, kind, false));
}
API cudaError_t cudaGraphAddMemsetNode(ADD_ARGS, const struct cudaMemsetParams *p)
{
    ADD(memset_op(&op, p));
}
API cudaError_t cudaGraphAddHostNode(ADD_ARGS, const struct cudaHostNodeParams *p)
{
    ADD(build_host(&op, p));
}
API cudaError_t cudaGraphAddChildGraphNode(ADD_ARGS, cudaGraph_t child)
{
    ADD(build_graph(&op, child));
}
API cudaError_t cudaGraphAddEmptyNode(ADD_ARGS)
{
    ADD(cudaSuccess);
}
API cudaError_t cudaGraphAddEventRecordNode(ADD_ARGS, cudaEvent_t event)
{
    ADD(build_event(&op, OP_EVENT_RECORD, event));
}
API cudaError_t cudaGraphAddEventWaitNode(ADD_ARGS, cudaEvent_t event)
{
    ADD(build_event(&op, OP_EVENT_WAIT, event));
}
API cudaError_t cudaGraphAddMemAllocNode(ADD_ARGS, struct cudaMemAllocNodeParams *p)
{
    ADD(build_alloc(&op, p));
}
API cudaError_t cudaGraphAddMemFreeNode(ADD_ARGS, void *p)
{
    ADD(build_free(&op, p));
}
API cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                 const cudaGraphEdgeData *edge, size_t n_dep, struct cudaGraphNodeParams *p)
{
    struct rt_op op = {0};
    cudaError_t e = rt_enter();
    e = e ? e : build_any(&op, p);
    if (!e && op.kind == OP_KERNEL && edge && n_dep == 1)
        op.kernel.early = edge->type == cudaGraphDependencyTypeProgrammatic;
    e = finish_add(out, graph, deps, n_dep, &op, e);
    if (!e && p->type == cudaGraphNodeTypeConditional) /* the caller fills the bodies */
        p->conditional.phGraph_out = (cudaGraph_t *)(*out)->op.conditional.body;
    return e;
}

/* ---- replacing parameters ---- */
#define SET(find, builder)                                                                                             \
    struct rt_op op = {0};                                                                                             \
    cudaError_t e = rt_enter();                                                                                        \
    if (!e)                                                                                                            \
        e = (builder);                                                                                                 \
    return finish_set(e ? NULL : (find), &op, e)
#define SET_IN_GRAPH(builder) SET(node_find(node), builder)
#define SET_IN_EXEC(builder)  SET(exec_node(exec, node), builder)

API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    SET_IN_GRAPH(build_kernel(&op, p));
}
API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
    SET_IN_GRAPH(build_copy(&op, p));
}
API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    SET_IN_GRAPH(build_copy_1d(&op, dst, src, bytes, kind));
}
API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                     size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    SET_IN_GRAPH(copy_op_symbol(&op, symbol, src, bytes, offset, kind, true));
}
API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol,
                                                       size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    SET_IN_GRAPH(copy_op_symbol(&op, symbol, dst, bytes, offset, kind, false));
}
API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    SET_IN_GRAPH(memset_op(&op, p));
}
API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
    SET_IN_GRAPH(build_host(&op, p));
}
API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    SET_IN_GRAPH(build_event(&op, OP_EVENT_RECORD, event));
}
API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    SET_IN_GRAPH(build_event(&op, OP_EVENT_WAIT, event));
}
API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    SET_IN_GRAPH(build_any(&op, p));
}
API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const struct cudaKernelNodeParams *p)
{
    SET_IN_EXEC(build_kernel(&op, p));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const struct cudaMemcpy3DParms *p)
{
    SET_IN_EXEC(build_copy(&op, p));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                   const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    SET_IN_EXEC(build_copy_1d(&op, dst, src, bytes, kind));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                         const void *src, size_t bytes, size_t offset,
                                                         enum cudaMemcpyKind kind)
{
    SET_IN_EXEC(copy_op_symbol(&op, symbol, src, bytes, offset, kind, true));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                           const void *symbol, size_t bytes, size_t offset,
                                                           enum cudaMemcpyKind kind)
{
    SET_IN_EXEC(copy_op_symbol(&op, symbol, dst, bytes, offset, kind, false));
}
API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const struct cudaMemsetParams *p)
{
    SET_IN_EXEC(memset_op(&op, p));
}
API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               const struct cudaHostNodeParams *p)
{
    SET_IN_EXEC(build_host(&op, p));
}
API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    SET_IN_EXEC(build_graph(&op, child));
}
API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    SET_IN_EXEC(build_event(&op, OP_EVENT_RECORD, event));
}
API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    SET_IN_EXEC(build_event(&op, OP_EVENT_WAIT, event));
}
API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    SET_IN_EXEC(build_any(&op, p));
}

API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    cudaError_t e = rt_enter();
    struct rt_node *n = e ? NULL : exec_node(exec, node);
    if (!e && (!n || (n->op.kind != OP_KERNEL && n->op.kind != OP_COPY && n->op.kind != OP_MEMSET)))
        e = cudaErrorInvalidValue;
    if (!e)
        n->enabled = enabled != 0;
    return rt_leave(e);
}

API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *out)
{
    cudaError_t e = rt_enter();
    const struct rt_node *n = e ? NULL : exec_node(exec, node);
    if (!e && (!n || !out))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = n->enabled;
    return rt_leave(e);
}

/* ---- reading parameters ---- */
#define GETTER(function, op_kind, type, expression)                                                                    \
    API cudaError_t function(cudaGraphNode_t node, type *out)                                                          \
    {                                                                                                                  \
        cudaError_t e = rt_enter();                                                                                    \
        const struct rt_node *n = e ? NULL : node_find(node);                                                          \
        if (!e && (!n || !out || n->op.kind != (op_kind)))                                                             \
            e = cudaErrorInvalidValue;                                                                                 \
        if (!e)                                                                                                        \
            *out = (expression);                                                                                       \
        return rt_leave(e);                                                                                            \
    }

static struct cudaKernelNodeParams kernel_params(const struct rt_op *op)
{
    const struct rt_func *f = op->kernel.func;
    return (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(f->host ? f->host : (const void *)f),
        .gridDim = op->kernel.grid,
        .blockDim = op->kernel.block,
        .sharedMemBytes = (unsigned)op->kernel.smem_bytes,
        .kernelParams = op->kernel.arg,
    };
}

static struct cudaMemsetParams memset_params(const struct rt_op *op)
{
    return (struct cudaMemsetParams){
        .dst = op->memset.dst.ptr,
        .pitch = op->memset.dst.pitch,
        .value = op->memset.value,
        .elementSize = op->memset.elem_bytes,
        .width = op->memset.extent.width,
        .height = op->memset.extent.height,
    };
}

GETTER(cudaGraphKernelNodeGetParams, OP_KERNEL, struct cudaKernelNodeParams, kernel_params(&n->op))
GETTER(cudaGraphMemcpyNodeGetParams, OP_COPY, struct cudaMemcpy3DParms, n->op.copy)
GETTER(cudaGraphMemsetNodeGetParams, OP_MEMSET, struct cudaMemsetParams, memset_params(&n->op))
GETTER(cudaGraphHostNodeGetParams, OP_HOST, struct cudaHostNodeParams,
       ((struct cudaHostNodeParams){n->op.host.fn, n->op.host.user}))
GETTER(cudaGraphChildGraphNodeGetGraph, OP_GRAPH, cudaGraph_t, n->op.graph)
GETTER(cudaGraphEventRecordNodeGetEvent, OP_EVENT_RECORD, cudaEvent_t, n->op.event)
GETTER(cudaGraphEventWaitNodeGetEvent, OP_EVENT_WAIT, cudaEvent_t, n->op.event)
GETTER(cudaGraphMemFreeNodeGetParams, OP_FREE, void *, (void *)(uintptr_t)n->op.free_addr)
GETTER(cudaGraphMemAllocNodeGetParams, OP_ALLOC, struct cudaMemAllocNodeParams,
       ((struct cudaMemAllocNodeParams){.poolProps = {.allocType = 1, .location = {1, 0}},
                                        .bytesize = n->op.alloc->bytes,
                                        .dptr = (void *)(uintptr_t)n->op.alloc->addr}))

API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *out)
{
    cudaError_t e = rt_enter();
    const struct rt_node *n = e ? NULL : node_find(node);
    if (!e && (!n || !out))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = type_of[n->op.kind];
    return rt_leave(e);
}

/* ---- attributes of kernel nodes: cooperative launch is the one that matters ---- */
API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attr,
                                                const union cudaLaunchAttributeValue *value)
{
    cudaError_t e = rt_enter();
    struct rt_node *n = e ? NULL : node_find(node);
    if (!e && (!n || !value || attr < 0 || attr > LAUNCH_ATTRIBUTE_LAST || n->op.kind != OP_KERNEL))
        e = cudaErrorInvalidValue;
    if (!e && attr == cudaLaunchAttributeCooperative)
        n->op.kernel.cooperative = value->cooperative != 0;
    return rt_leave(e);
}

API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attr, union cudaLaunchAttributeValue *out)
{
    cudaError_t e = rt_enter();
    const struct rt_node *n = e ? NULL : node_find(node);
    if (!e && (!n || !out || attr < 0 || attr > LAUNCH_ATTRIBUTE_LAST || n->op.kind != OP_KERNEL))
        e = cudaErrorInvalidValue;
    if (!e) {
        memset(out, 0, sizeof *out);
        if (attr == cudaLaunchAttributeCooperative)
            out->cooperative = n->op.kernel.cooperative;
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src)
{
    cudaError_t e = rt_enter();
    struct rt_node *d = e ? NULL : node_find(dst), *s = e ? NULL : node_find(src);
    if (!e && (!d || !s || d->op.kind != OP_KERNEL || s->op.kind != OP_KERNEL))
        e = cudaErrorInvalidValue;
    if (!e)
        d->op.kernel.cooperative = s->op.kernel.cooperative;
    return rt_leave(e);
}

/* ---- user objects: things a graph keeps alive ---- */
static bool references_ok(unsigned n)
{
    return n && n <= INT32_MAX;
}

API cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *ptr, cudaHostFn_t destroy, unsigned refs,
                                     unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || !destroy || !references_ok(refs) || flags != 1))
        e = cudaErrorInvalidValue;
    if (!e) {
        struct rt_user_object *o = xmalloc(sizeof *o);
        *o = (struct rt_user_object){.destroy = destroy, .ptr = ptr, .refs = refs};
        ptrmap_put(&rt.handle, o, RT_USER_OBJECT, o);
        *out = o;
    }
    return rt_leave(e);
}

static struct rt_user_object *object_find(cudaUserObject_t object)
{
    return ptrmap_get(&rt.handle, object, RT_USER_OBJECT);
}

API cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    cudaError_t e = rt_enter();
    struct rt_user_object *o = e ? NULL : object_find(object);
    if (!e && (!o || !references_ok(count)))
        e = cudaErrorInvalidValue;
    if (!e)
        o->refs += count;
    return rt_leave(e);
}

API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    cudaError_t e = rt_enter();
    struct rt_user_object *o = e ? NULL : object_find(object);
    if (!e && (!o || !references_ok(count)))
        e = cudaErrorInvalidValue;
    if (!e)
        user_object_release(o, count);
    return rt_leave(e);
}

API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags)
{
    cudaError_t e = rt_enter();
    struct rt_user_object *o = e ? NULL : object_find(object);
    struct rt_graph *g = e ? NULL : ptrmap_get(&rt.handle, graph, RT_GRAPH);
    if (!e && (!o || !g || !references_ok(count) || flags > 1))
        e = cudaErrorInvalidValue;
    if (!e && flags == 0 && o->refs > UINT32_MAX - count)
        e = cudaErrorInvalidValue;
    if (!e) {
        graph_keep(g, o, count);
        if (flags == 0) /* 1: the caller's references move to the graph */
            o->refs += count;
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    cudaError_t e = rt_enter();
    struct rt_user_object *o = e ? NULL : object_find(object);
    struct rt_graph *g = e ? NULL : ptrmap_get(&rt.handle, graph, RT_GRAPH);
    if (!e && (!o || !g || !references_ok(count)))
        e = cudaErrorInvalidValue;
    struct rt_kept *kept = NULL;
    for (size_t i = 0; !e && i < g->object.n; i++)
        if (g->object.p[i].object == o)
            kept = &g->object.p[i];
    if (!e && (!kept || kept->refs < count))
        e = cudaErrorInvalidValue;
    if (!e) {
        kept->refs -= count;
        if (!kept->refs)
            *kept = g->object.p[--g->object.n];
        user_object_release(o, count);
    }
    return rt_leave(e);
}
