/* Graphs: nodes that own operations, cloning, ordering, running, and executable graphs. */
#include "cudart/runtime.h"
#include "base/outfile.h"

/* ---- nodes ---- */
static struct rt_node *node_new(struct rt_graph *g, const struct rt_op *op)
{
    struct rt_node *n = xcalloc(1, sizeof *n);
    n->graph = g;
    n->serial = rt.next_serial++;
    n->enabled = true;
    op_copy(&n->op, op);
    op_own_graphs(n);
    VEC_PUSH(&g->node, n);
    ptrmap_put(&rt.handle, n, RT_NODE, n);
    return n;
}

static void node_free(struct rt_node *n)
{
    ptrmap_drop(&rt.handle, n, RT_NODE);
    op_release(&n->op);
    VEC_FREE(&n->deps);
    VEC_FREE(&n->done.on);
    free(n);
}

static bool node_live(const struct rt_node *n)
{
    return ptrmap_get(&rt.handle, n, RT_NODE) != NULL;
}

static void add_dep(struct rt_node *n, struct rt_node *dep)
{
    for (size_t i = 0; i < n->deps.n; i++)
        if (n->deps.p[i] == dep)
            return;
    VEC_PUSH(&n->deps, dep);
}

cudaError_t graph_add(struct rt_graph *g, const struct rt_op *op, struct rt_node *const *deps, size_t n_dep,
                      struct rt_node **out)
{
    if (n_dep && !deps)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n_dep; i++)
        if (!node_live(deps[i]) || deps[i]->graph != g)
            return cudaErrorInvalidValue;
    struct rt_node *n = node_new(g, op);
    for (size_t i = 0; i < n_dep; i++)
        add_dep(n, deps[i]);
    if (out)
        *out = n;
    return cudaSuccess;
}

/* ---- graphs ---- */
struct rt_graph *graph_new(void)
{
    struct rt_graph *g = xcalloc(1, sizeof *g);
    ptrmap_put(&rt.handle, g, RT_GRAPH, g);
    return g;
}

void user_object_release(struct rt_user_object *o, unsigned count)
{
    o->refs -= count < o->refs ? count : o->refs;
    if (o->refs)
        return;
    ptrmap_drop(&rt.handle, o, RT_USER_OBJECT);
    rt_call_host(o->destroy, o->ptr);
    free(o);
}

void graph_keep(struct rt_graph *g, struct rt_user_object *o, unsigned refs)
{
    for (size_t i = 0; i < g->object.n; i++)
        if (g->object.p[i].object == o) {
            g->object.p[i].refs += refs;
            return;
        }
    VEC_PUSH(&g->object, (struct rt_kept){o, refs});
}

void graph_free(struct rt_graph *g)
{
    ptrmap_drop(&rt.handle, g, RT_GRAPH);
    for (size_t i = 0; i < g->node.n; i++)
        node_free(g->node.p[i]);
    for (size_t i = 0; i < g->object.n; i++)
        user_object_release(g->object.p[i].object, g->object.p[i].refs);
    for (size_t i = 0; i < g->condition.n; i++)
        condition_release(g->condition.p[i]);
    VEC_FREE(&g->node);
    VEC_FREE(&g->object);
    VEC_FREE(&g->condition);
    free(g);
}

static size_t index_of(const struct rt_graph *g, const struct rt_node *n)
{
    for (size_t i = 0; i < g->node.n; i++)
        if (g->node.p[i] == n)
            return i;
    BUG("a graph node depends on a node of another graph");
}

struct rt_graph *graph_clone(const struct rt_graph *from)
{
    struct rt_graph *g = graph_new();
    for (size_t i = 0; i < from->node.n; i++) {
        const struct rt_node *old = from->node.p[i];
        struct rt_node *n = node_new(g, &old->op);
        n->origin = old->serial;
        n->enabled = old->enabled;
    }
    for (size_t i = 0; i < from->node.n; i++)
        for (size_t k = 0; k < from->node.p[i]->deps.n; k++)
            VEC_PUSH(&g->node.p[i]->deps, g->node.p[index_of(from, from->node.p[i]->deps.p[k])]);
    for (size_t i = 0; i < from->object.n; i++) {
        from->object.p[i].object->refs++;
        graph_keep(g, from->object.p[i].object, 1);
    }
    for (size_t i = 0; i < from->condition.n; i++)
        VEC_PUSH(&g->condition, condition_keep(from->condition.p[i]));
    return g;
}

/* Repeatedly takes the first node whose dependencies are all placed: stable, and quadratic only on odd graphs. */
bool graph_sort(struct rt_graph *g)
{
    const size_t n = g->node.n;
    struct rt_node **sorted = xcalloc(n + 1, sizeof *sorted);
    struct ptrmap placed = {0};
    size_t done = 0;
    for (bool progress = true; progress && done < n;) {
        progress = false;
        for (size_t i = 0; i < n; i++) {
            struct rt_node *node = g->node.p[i];
            bool ready = !ptrmap_get(&placed, node, RT_NODE);
            for (size_t k = 0; ready && k < node->deps.n; k++)
                ready = ptrmap_get(&placed, node->deps.p[k], RT_NODE) != NULL;
            if (!ready)
                continue;
            ptrmap_put(&placed, node, RT_NODE, node);
            sorted[done++] = node;
            progress = true;
        }
    }
    free(placed.slot);
    if (done == n && n)
        memcpy(g->node.p, sorted, n * sizeof *sorted);
    free(sorted);
    for (size_t i = 0; i < n && done == n; i++)
        for (unsigned k = 0; k < op_graphs(&g->node.p[i]->op).n; k++)
            if (!graph_sort(op_graphs(&g->node.p[i]->op).p[k]))
                return false;
    return done == n;
}

/* A kernel that may begin before the end of the one node that it depends on: captured with the attribute of programmatic
 * stream serialization, or added with such an edge. */
static bool follows_early(const struct rt_node *n)
{
    return n->op.kind == OP_KERNEL && n->op.kernel.early && n->deps.n == 1 && n->deps.p[0]->op.kind == OP_KERNEL;
}

static cudaGraphEdgeData edge_to(const struct rt_node *n)
{
    cudaGraphEdgeData edge = {0};
    if (follows_early(n)) {
        edge.from_port = cudaGraphKernelNodePortProgrammatic;
        edge.type = cudaGraphDependencyTypeProgrammatic;
    }
    return edge;
}

/* Whether some node need not wait for the one before it. */
static bool branches(const struct rt_graph *g)
{
    bool yes = false;
    for (size_t i = 1; i < g->node.n; i++) {
        bool follows = false;
        for (size_t k = 0; k < g->node.p[i]->deps.n; k++)
            follows |= g->node.p[i]->deps.p[k] == g->node.p[i - 1];
        yes |= !follows;
    }
    return yes;
}

/* Runs the nodes; each waits for those it depends on, the first ones for what the graph waits for. */
cudaError_t graph_run(struct rt_graph *g, uint32_t stream_id)
{
    cudaError_t e = cudaSuccess;
    if (branches(g))
        order_turn_on();
    struct order before = order_take(), after = {0};
    for (size_t i = 0; i < g->node.n && !e; i++) {
        struct rt_node *n = g->node.p[i];
        struct order now = {0};
        for (size_t k = 0; k < n->deps.n; k++) {
            order_add(&now, &n->deps.p[k]->done);
            n->deps.p[k]->last = false;
        }
        if (!n->deps.n)
            order_add(&now, &before);
        n->last = true;
        order_put(now);
        order_overlap(follows_early(n) ? n->deps.p[0]->opened1 : 0);
        if (n->enabled)
            e = op_run(&n->op, stream_id);
        VEC_FREE(&n->done.on);
        n->done = order_take();
        n->opened1 = order_opened();
    }
    order_overlap(0);
    for (size_t i = 0; i < g->node.n && !e; i++)
        if (g->node.p[i]->last)
            order_add(&after, &g->node.p[i]->done);
    if (g->node.n && !e)
        VEC_FREE(&before.on);
    order_put(g->node.n && !e ? after : before);
    return e;
}

/* ---- API: whole graphs ---- */
static struct rt_graph *graph_find(cudaGraph_t g)
{
    return ptrmap_get(&rt.handle, g, RT_GRAPH);
}

static struct rt_node *node_find(cudaGraphNode_t n)
{
    return ptrmap_get(&rt.handle, n, RT_NODE);
}

static struct rt_exec *exec_find(cudaGraphExec_t x)
{
    return ptrmap_get(&rt.handle, x, RT_EXEC);
}

API cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || flags))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = graph_new();
    return rt_leave(e);
}

API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t e = rt_enter();
    struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || g->owner))
        e = cudaErrorInvalidValue;
    if (!e)
        graph_free(g);
    return rt_leave(e);
}

API cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    cudaError_t e = rt_enter();
    struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || !out))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = graph_clone(g);
    return rt_leave(e);
}

API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    cudaError_t e = rt_enter();
    struct rt_node *n = e ? NULL : node_find(node);
    if (!e && !n)
        e = cudaErrorInvalidValue;
    if (!e) {
        struct rt_graph *g = n->graph;
        const size_t at = index_of(g, n);
        memmove(g->node.p + at, g->node.p + at + 1, (--g->node.n - at) * sizeof *g->node.p);
        for (size_t i = 0; i < g->node.n; i++) {
            struct rt_node *other = g->node.p[i];
            for (size_t k = 0; k < other->deps.n; k++)
                if (other->deps.p[k] == n)
                    other->deps.p[k--] = other->deps.p[--other->deps.n];
        }
        node_free(n);
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone)
{
    cudaError_t e = rt_enter();
    const struct rt_node *n = e ? NULL : node_find(original);
    const struct rt_graph *g = e ? NULL : graph_find(clone);
    if (!e && (!n || !g || !out))
        e = cudaErrorInvalidValue;
    if (!e) {
        e = cudaErrorInvalidValue;
        for (size_t i = 0; i < g->node.n; i++)
            if (g->node.p[i]->origin == n->serial) {
                *out = g->node.p[i];
                e = cudaSuccess;
            }
    }
    return rt_leave(e);
}

/* ---- API: dependencies and listings ---- */
API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                         const cudaGraphEdgeData *edge, size_t n)
{
    cudaError_t e = rt_enter();
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || (n && (!from || !to))))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !e; i++) {
        struct rt_node *a = node_find(from[i]), *b = node_find(to[i]);
        if (!a || !b || a == b || a->graph != g || b->graph != g)
            e = cudaErrorInvalidValue;
        if (e)
            break;
        add_dep(b, a);
        if (edge && b->op.kind == OP_KERNEL)
            b->op.kernel.early = edge[i].type == cudaGraphDependencyTypeProgrammatic;
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *edge, size_t n)
{
    (void)edge;
    cudaError_t e = rt_enter();
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || (n && (!from || !to))))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !e; i++) {
        struct rt_node *b = node_find(to[i]);
        e = cudaErrorInvalidValue;
        for (size_t k = 0; b && b->graph == g && k < b->deps.n; k++)
            if (b->deps.p[k] == from[i]) {
                b->deps.p[k] = b->deps.p[--b->deps.n];
                e = cudaSuccess;
                break;
            }
    }
    return rt_leave(e);
}

/* CUDA's way to return a list: with no array only the count; else at most *n entries, the rest set to NULL. */
static void give_list(struct rt_node *const *list, size_t n_list, cudaGraphNode_t *out, size_t *n)
{
    if (!out) {
        *n = n_list;
        return;
    }
    for (size_t i = 0; i < *n; i++)
        out[i] = i < n_list ? list[i] : NULL;
    if (n_list < *n)
        *n = n_list;
}

API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    cudaError_t e = rt_enter();
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || !n))
        e = cudaErrorInvalidValue;
    if (!e)
        give_list(g->node.p, g->node.n, nodes, n);
    return rt_leave(e);
}

API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    cudaError_t e = rt_enter();
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || !n))
        e = cudaErrorInvalidValue;
    if (!e) {
        VEC(struct rt_node *) root = {0};
        for (size_t i = 0; i < g->node.n; i++)
            if (!g->node.p[i]->deps.n)
                VEC_PUSH(&root, g->node.p[i]);
        give_list(root.p, root.n, nodes, n);
        VEC_FREE(&root);
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                  cudaGraphEdgeData *edge, size_t *n)
{
    cudaError_t e = rt_enter();
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || !n || !from != !to))
        e = cudaErrorInvalidValue;
    if (!e) {
        size_t room = from ? *n : 0, count = 0;
        for (size_t i = 0; i < g->node.n; i++)
            for (size_t k = 0; k < g->node.p[i]->deps.n; k++, count++)
                if (count < room) {
                    from[count] = g->node.p[i]->deps.p[k];
                    to[count] = g->node.p[i];
                    if (edge)
                        edge[count] = edge_to(g->node.p[i]);
                }
        *n = from && count > room ? room : count;
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edge,
                                             size_t *n)
{
    cudaError_t e = rt_enter();
    const struct rt_node *x = e ? NULL : node_find(node);
    if (!e && (!x || !n))
        e = cudaErrorInvalidValue;
    if (!e) {
        give_list(x->deps.p, x->deps.n, out, n);
        for (size_t i = 0; edge && out && i < *n; i++)
            edge[i] = edge_to(x);
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edge,
                                               size_t *n)
{
    cudaError_t e = rt_enter();
    const struct rt_node *x = e ? NULL : node_find(node);
    if (!e && (!x || !n))
        e = cudaErrorInvalidValue;
    if (!e) {
        VEC(struct rt_node *) after = {0};
        for (size_t i = 0; i < x->graph->node.n; i++)
            for (size_t k = 0; k < x->graph->node.p[i]->deps.n; k++)
                if (x->graph->node.p[i]->deps.p[k] == x)
                    VEC_PUSH(&after, x->graph->node.p[i]);
        give_list(after.p, after.n, out, n);
        for (size_t i = 0; edge && out && i < *n; i++)
            edge[i] = edge_to(out[i]);
        VEC_FREE(&after);
    }
    return rt_leave(e);
}

/* ---- API: executable graphs ---- */
static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    struct rt_graph *g = graph_find(graph);
    if (!g || !out || flags >= 2 * cudaGraphInstantiateFlagUseNodePriority)
        return cudaErrorInvalidValue;
    struct rt_graph *copy = graph_clone(g);
    const cudaError_t e = graph_sort(copy) ? graph_check_bodies(copy) : cudaErrorInvalidValue;
    if (e) {
        graph_free(copy);
        return e;
    }
    struct rt_exec *x = xcalloc(1, sizeof *x);
    x->graph = copy;
    x->flags = flags;
    ptrmap_put(&rt.handle, x, RT_EXEC, x);
    *out = x;
    return cudaSuccess;
}

API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : instantiate(out, graph, flags));
}

API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiate(out, graph, flags);
}

API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *p)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = p ? instantiate(out, graph, p->flags) : cudaErrorInvalidValue;
    if (p) {
        p->errNode_out = NULL;
        p->result_out = e ? 1 : 0;
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    cudaError_t e = rt_enter();
    struct rt_exec *x = e ? NULL : exec_find(exec);
    if (!e && !x)
        e = cudaErrorInvalidValue;
    if (!e) {
        ptrmap_drop(&rt.handle, x, RT_EXEC);
        graph_free(x->graph);
        free(x);
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *out)
{
    cudaError_t e = rt_enter();
    const struct rt_exec *x = e ? NULL : exec_find(exec);
    if (!e && (!x || !out))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = x->flags;
    return rt_leave(e);
}

API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    struct rt_exec *x = e ? NULL : exec_find(exec);
    if (!e && !x)
        e = cudaErrorInvalidValue;
    if (!e) {
        const struct rt_op op = {.kind = OP_GRAPH, .graph = x->graph};
        graph_set_conditions(x->graph);
        e = op_submit(stream, &op);
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    if (!e && (!exec_find(exec) || !stream_find(stream)))
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

/* Whether two sorted graphs have the same shape; says how not. */
static enum cudaGraphExecUpdateResult same_shape(const struct rt_graph *a, const struct rt_graph *b)
{
    if (a->node.n != b->node.n)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->node.n; i++) {
        const struct rt_node *x = a->node.p[i], *y = b->node.p[i];
        if (x->deps.n != y->deps.n)
            return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t k = 0; k < x->deps.n; k++)
            if (index_of(a, x->deps.p[k]) != index_of(b, y->deps.p[k]))
                return cudaGraphExecUpdateErrorTopologyChanged;
        if (x->op.kind != y->op.kind)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        const struct op_graphs ours = op_graphs(&x->op), theirs = op_graphs(&y->op);
        enum cudaGraphExecUpdateResult r =
            ours.n == theirs.n ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
        for (unsigned k = 0; k < ours.n && !r && x->op.kind == OP_CONDITIONAL; k++)
            r = same_shape(ours.p[k], theirs.p[k]);
        if (r)
            return r;
    }
    return cudaGraphExecUpdateSuccess;
}

API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    cudaError_t e = rt_enter();
    struct rt_exec *x = e ? NULL : exec_find(exec);
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!x || !g))
        e = cudaErrorInvalidValue;
    if (!e) {
        struct rt_graph *copy = graph_clone(g);
        enum cudaGraphExecUpdateResult r = graph_sort(copy) ? same_shape(x->graph, copy) : cudaGraphExecUpdateError;
        for (size_t i = 0; !r && i < copy->node.n; i++) {
            struct rt_op old = x->graph->node.p[i]->op;
            x->graph->node.p[i]->op = copy->node.p[i]->op;
            copy->node.p[i]->op = old; /* released with the copy */
        }
        graph_free(copy);
        if (info)
            *info = (cudaGraphExecUpdateResultInfo){.result = r};
        if (r)
            e = cudaErrorGraphExecUpdateFailure;
    }
    return rt_leave(e);
}

API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    static const char *const kind[] = {"empty", "kernel",    "memcpy",   "memset", "host",       "record",
                                       "wait",  "mem alloc", "mem free", "graph",  "conditional"};
    (void)flags;
    cudaError_t e = rt_enter();
    const struct rt_graph *g = e ? NULL : graph_find(graph);
    if (!e && (!g || !path))
        e = cudaErrorInvalidValue;
    struct outfile *file = e ? NULL : outfile_open(path, NULL);
    if (!e && !file)
        e = cudaErrorOperatingSystem;
    if (!e) {
        FILE *f = outfile_stream(file);
        fprintf(f, "digraph dot {\n");
        for (size_t i = 0; i < g->node.n; i++) {
            const struct rt_node *n = g->node.p[i];
            fprintf(f, "  n%zu [label=\"%zu: %s%s%s\"];\n", i, i, kind[n->op.kind],
                    n->op.kind == OP_KERNEL ? "\\n" : "", n->op.kind == OP_KERNEL ? n->op.kernel.func->name : "");
            for (size_t k = 0; k < n->deps.n; k++)
                fprintf(f, "  n%zu -> n%zu;\n", index_of(g, n->deps.p[k]), i);
        }
        fprintf(f, "}\n");
        if (outfile_commit(file, NULL))
            e = cudaErrorOperatingSystem;
    }
    return rt_leave(e);
}
