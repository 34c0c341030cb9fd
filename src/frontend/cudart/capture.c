/*
 * Stream capture: while a stream is captured, its operations become nodes of a graph instead of running.
 *
 * A capture spreads to other streams through events: a stream that waits for an event recorded in the capture joins it.
 * When the capture ends, every captured stream must have joined the one it began on.
 */
#include "cudart/runtime.h"

struct rt_capture {
    uint64_t id;
    struct rt_graph *graph;
    struct rt_stream *origin;
    pthread_t thread; /* which must end it, too, unless it is relaxed */
    bool relaxed;
    bool own_graph; /* made by the capture; otherwise the program gave it */
    bool invalid;
    VEC(struct rt_stream *) stream;
    VEC(struct rt_node *) left; /* last nodes of streams that were destroyed meanwhile */
};
static VEC(struct rt_capture *) captures;

static struct rt_capture *capture_find(uint64_t id)
{
    for (size_t i = 0; i < captures.n; i++)
        if (captures.p[i]->id == id)
            return captures.p[i];
    return NULL;
}

static void set_deps(struct rt_stream *s, struct rt_node *const *deps, size_t n)
{
    s->deps.n = 0;
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(&s->deps, deps[i]);
}

static void add_deps(struct rt_stream *s, struct rt_node *const *deps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < s->deps.n; k++)
            known |= s->deps.p[k] == deps[i];
        if (!known)
            VEC_PUSH(&s->deps, deps[i]);
    }
}

static bool nodes_of(const struct rt_graph *g, const cudaGraphNode_t *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ptrmap_get(&rt.handle, node[i], RT_NODE) || node[i]->graph != g)
            return false;
    return true;
}

/* Nodes may have been destroyed behind the capture's back. */
static void drop_dead_deps(struct rt_stream *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->deps.n; i++)
        if (ptrmap_get(&rt.handle, s->deps.p[i], RT_NODE))
            s->deps.p[kept++] = s->deps.p[i];
    s->deps.n = kept;
}

static void join(struct rt_capture *c, struct rt_stream *s)
{
    s->capture = c;
    s->deps.n = 0;
    VEC_PUSH(&c->stream, s);
}

static void end(struct rt_capture *c)
{
    for (size_t i = 0; i < c->stream.n; i++) {
        c->stream.p[i]->capture = NULL;
        c->stream.p[i]->deps.n = 0;
    }
    for (size_t i = 0; i < captures.n; i++)
        if (captures.p[i] == c)
            captures.p[i] = captures.p[--captures.n];
    VEC_FREE(&c->stream);
    VEC_FREE(&c->left);
    free(c);
}

void capture_forget_all(void)
{
    while (captures.n)
        end(captures.p[0]);
}

cudaError_t capture_op(struct rt_stream *s, const struct rt_op *op)
{
    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    struct rt_node *n;
    drop_dead_deps(s);
    cudaError_t e = graph_add(s->capture->graph, op, s->deps.p, s->deps.n, &n);
    if (!e)
        set_deps(s, &n, 1);
    return e;
}

cudaError_t capture_record(struct rt_stream *s, struct rt_event *ev)
{
    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    ev->capture_id = s->capture->id;
    ev->deps.n = 0;
    for (size_t i = 0; i < s->deps.n; i++)
        VEC_PUSH(&ev->deps, s->deps.p[i]);
    return cudaSuccess;
}

cudaError_t capture_wait(struct rt_stream *s, struct rt_event *ev)
{
    if (!ev->capture_id) {
        if (!ev->recorded)
            return cudaSuccess;
        capture_invalidate(s);
        return cudaErrorStreamCaptureIsolation;
    }
    struct rt_capture *c = capture_find(ev->capture_id);
    if (!c)
        return cudaErrorInvalidValue; /* it has ended */
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (s->capture && s->capture != c)
        return cudaErrorStreamCaptureMerge;
    if (s == &rt.legacy)
        return cudaErrorStreamCaptureImplicit;
    if (!s->capture)
        join(c, s);
    add_deps(s, ev->deps.p, ev->deps.n);
    return cudaSuccess;
}

void capture_invalidate(struct rt_stream *s)
{
    if (s->capture)
        s->capture->invalid = true;
}

bool capture_invalidate_event(const struct rt_event *ev)
{
    struct rt_capture *c = capture_find(ev->capture_id);
    if (c)
        c->invalid = true;
    return c != NULL;
}

void capture_forget_stream(struct rt_stream *s)
{
    struct rt_capture *c = s->capture;
    if (!c)
        return;
    if (c->origin == s) {
        struct rt_graph *g = c->own_graph ? c->graph : NULL;
        end(c);
        if (g)
            graph_free(g);
        return;
    }
    drop_dead_deps(s);
    for (size_t i = 0; i < s->deps.n; i++)
        VEC_PUSH(&c->left, s->deps.p[i]);
    for (size_t i = 0; i < c->stream.n; i++)
        if (c->stream.p[i] == s)
            c->stream.p[i] = c->stream.p[--c->stream.n];
}

static bool blocks_default_stream(const struct rt_capture *c)
{
    for (size_t i = 0; i < c->stream.n; i++)
        if (!(c->stream.p[i]->flags & cudaStreamNonBlocking))
            return true;
    return false;
}

bool capture_active_on_blocking_stream(void)
{
    for (size_t i = 0; i < captures.n; i++)
        if (blocks_default_stream(captures.p[i]))
            return true;
    return false;
}

void capture_invalidate_blocking(void)
{
    for (size_t i = 0; i < captures.n; i++)
        captures.p[i]->invalid |= blocks_default_stream(captures.p[i]);
}

/* ---- API ---- */
static cudaError_t begin(cudaStream_t stream, struct rt_graph *g, const cudaGraphNode_t *deps, size_t n_dep, int mode)
{
    struct rt_stream *s = stream_find(stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (mode < 0 || mode > 2)
        return cudaErrorInvalidValue;
    if (s == &rt.legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    if (!nodes_of(g, deps, n_dep))
        return cudaErrorInvalidValue;
    struct rt_capture *c = xcalloc(1, sizeof *c);
    c->id = rt.next_serial++;
    c->own_graph = !g;
    c->graph = g ? g : graph_new();
    c->origin = s;
    c->thread = pthread_self();
    c->relaxed = mode == cudaStreamCaptureModeRelaxed;
    VEC_PUSH(&captures, c);
    join(c, s);
    set_deps(s, deps, n_dep);
    return cudaSuccess;
}

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : begin(stream, NULL, NULL, 0, mode));
}

API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                              const cudaGraphEdgeData *edge, size_t n_dep, int mode)
{
    (void)edge;
    cudaError_t e = rt_enter();
    struct rt_graph *g = e ? NULL : ptrmap_get(&rt.handle, graph, RT_GRAPH);
    if (!e && (!g || (n_dep && !deps)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : begin(stream, g, deps, n_dep, mode));
}

static void mark_ancestors(struct ptrmap *seen, struct rt_node *const *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ptrmap_get(seen, node[i], RT_NODE)) {
            ptrmap_put(seen, node[i], RT_NODE, node[i]);
            mark_ancestors(seen, node[i]->deps.p, node[i]->deps.n);
        }
}

/* The last nodes of every stream that joined must come before the end of the stream that began. */
static bool all_joined(const struct rt_capture *c)
{
    struct ptrmap seen = {0};
    bool joined = true;
    for (size_t i = 0; i < c->stream.n; i++)
        drop_dead_deps(c->stream.p[i]);
    mark_ancestors(&seen, c->origin->deps.p, c->origin->deps.n);
    for (size_t i = 0; i < c->stream.n; i++)
        for (size_t k = 0; k < c->stream.p[i]->deps.n; k++)
            joined &= ptrmap_get(&seen, c->stream.p[i]->deps.p[k], RT_NODE) != NULL;
    for (size_t i = 0; i < c->left.n; i++)
        joined &= ptrmap_get(&seen, c->left.p[i], RT_NODE) || !ptrmap_get(&rt.handle, c->left.p[i], RT_NODE);
    free(seen.slot);
    return joined;
}

API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    cudaError_t e = rt_enter();
    struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && !out && (!s->capture || s->capture->own_graph)) /* the program has the graph that it gave */
        e = cudaErrorInvalidValue;
    if (!e && !s->capture)
        e = cudaErrorIllegalState;
    if (!e && s->capture->origin != s) {
        capture_invalidate(s);
        e = cudaErrorStreamCaptureUnmatched;
    }
    if (!e && !s->capture->relaxed && !pthread_equal(s->capture->thread, pthread_self()))
        e = cudaErrorStreamCaptureWrongThread;
    if (!e) {
        struct rt_capture *c = s->capture;
        struct rt_graph *g = c->graph;
        const bool own = c->own_graph;
        if (c->invalid)
            e = cudaErrorStreamCaptureInvalidated;
        else if (own && !all_joined(c))
            e = cudaErrorStreamCaptureUnjoined;
        end(c);
        if (e && own)
            graph_free(g);
        if (out)
            *out = e ? NULL : g;
    }
    return rt_leave(e);
}

static int status_of(const struct rt_stream *s)
{
    return !s->capture           ? cudaStreamCaptureStatusNone
           : s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
}

/* Asking for the default stream's status while it would wait for a capture spoils nothing, but has no answer. */
static cudaError_t legacy_usable(const struct rt_stream *s)
{
    return s == &rt.legacy && capture_active_on_blocking_stream() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *out)
{
    cudaError_t e = rt_enter();
    const struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        e = legacy_usable(s);
    if (!e)
        *out = status_of(s);
    return rt_leave(e);
}

API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
                                         const cudaGraphNode_t **deps, const cudaGraphEdgeData **edge, size_t *n_dep)
{
    cudaError_t e = rt_enter();
    const struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && !status)
        e = cudaErrorInvalidValue;
    if (!e)
        e = legacy_usable(s);
    if (!e) {
        *status = status_of(s);
        const bool active = *status == cudaStreamCaptureStatusActive;
        if (active && id)
            *id = s->capture->id;
        if (active && graph)
            *graph = s->capture->graph;
        if (active && deps)
            *deps = s->deps.p;
        if (active && edge)
            *edge = NULL;
        if (active && n_dep)
            *n_dep = s->deps.n;
    }
    return rt_leave(e);
}

API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                    const cudaGraphEdgeData *edge, size_t n, unsigned flags)
{
    (void)edge;
    cudaError_t e = rt_enter();
    struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && !s->capture)
        e = cudaErrorIllegalState;
    if (!e && (flags > 1 || (n && !deps) || !nodes_of(s->capture->graph, deps, n)))
        e = cudaErrorInvalidValue;
    if (!e && flags == 1)
        set_deps(s, deps, n);
    else if (!e)
        add_deps(s, deps, n);
    return rt_leave(e);
}

/* Capture modes restrict what other calls may do meanwhile; weir allows all of them. */
API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int current;
    cudaError_t e = rt_enter();
    if (!e && (!mode || *mode < 0 || *mode > 2))
        e = cudaErrorInvalidValue;
    if (!e) {
        int old = current;
        current = *mode;
        *mode = old;
    }
    return rt_leave(e);
}
