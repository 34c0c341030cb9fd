/*
 * Streams, events and host functions.
 *
 * All work has run when its call returns, so waiting is a check of the handle and a query is always "done". What it
 * tells the host counts for the machine's time (order.c).
 */
#include "cudart/runtime.h"

static _Thread_local struct rt_stream *thread_stream;

struct rt_stream *stream_find(cudaStream_t s)
{
    if (!s || s == CUDA_STREAM_LEGACY)
        return &rt.legacy;
    if (s == CUDA_STREAM_PER_THREAD) {
        if (!thread_stream) {
            thread_stream = xcalloc(1, sizeof *thread_stream);
            thread_stream->id = ++rt.n_stream;
            thread_stream->per_thread = true;
            order_stream_new(thread_stream);
        }
        return thread_stream;
    }
    return ptrmap_get(&rt.handle, s, RT_STREAM);
}

struct rt_event *event_find(cudaEvent_t e)
{
    return ptrmap_get(&rt.handle, e, RT_EVENT);
}

cudaError_t stream_usable_for_sync(struct rt_stream *s)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!s->capture)
        return cudaSuccess;
    capture_invalidate(s);
    return cudaErrorStreamCaptureUnsupported;
}

/* ---- streams ---- */
static cudaError_t stream_new(cudaStream_t *out, unsigned flags, int priority)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || flags > cudaStreamNonBlocking))
        e = cudaErrorInvalidValue;
    if (!e) {
        struct rt_stream *s = xcalloc(1, sizeof *s);
        s->id = ++rt.n_stream;
        s->flags = flags;
        s->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
        ptrmap_put(&rt.handle, s, RT_STREAM, s);
        order_stream_new(s);
        if (rt.check)
            check_stream(rt.check);
        *out = s;
    }
    return rt_leave(e);
}

API cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return stream_new(out, 0, 0);
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    return stream_new(out, flags, 0);
}

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    return stream_new(out, flags, priority);
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    struct rt_stream *s = e ? NULL : ptrmap_get(&rt.handle, stream, RT_STREAM);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e) {
        capture_forget_stream(s);
        ptrmap_drop(&rt.handle, s, RT_STREAM);
        order_stream_gone(s);
        VEC_FREE(&s->deps);
        free(s);
    }
    return rt_leave(e);
}

static cudaError_t wait_for(cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e)
        e = stream_usable_for_sync(s);
    if (!e)
        host_waits(s);
    return rt_leave(e);
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_for(stream);
}

API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_for(stream);
}

API cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t e = rt_enter();
    if (!e && capture_active_on_blocking_stream())
        e = cudaErrorStreamCaptureUnsupported;
    if (!e)
        host_waits(NULL);
    return rt_leave(e);
}

/* One property of a stream; all of them are asked for in the same way. */
#define STREAM_GETTER(function, type, expression)                                                                      \
    API cudaError_t function(cudaStream_t stream, type *out)                                                           \
    {                                                                                                                  \
        cudaError_t e = rt_enter();                                                                                    \
        const struct rt_stream *s = e ? NULL : stream_find(stream);                                                    \
        if (!e && !s)                                                                                                  \
            e = cudaErrorInvalidResourceHandle;                                                                        \
        if (!e && !out)                                                                                                \
            e = cudaErrorInvalidValue;                                                                                 \
        if (!e)                                                                                                        \
            *out = (expression);                                                                                       \
        return rt_leave(e);                                                                                            \
    }
STREAM_GETTER(cudaStreamGetPriority, int, s->priority)
STREAM_GETTER(cudaStreamGetFlags, unsigned, s->flags)
STREAM_GETTER(cudaStreamGetId, unsigned long long, s->id)
STREAM_GETTER(cudaStreamGetDevice, int, 0)

API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attr, union cudaLaunchAttributeValue *out)
{
    cudaError_t e = rt_enter();
    const struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!out || attr < 0 || attr > LAUNCH_ATTRIBUTE_LAST))
        e = cudaErrorInvalidValue;
    if (!e) {
        memset(out, 0, sizeof *out);
        if (attr == cudaLaunchAttributePriority)
            out->priority = s->priority;
    }
    return rt_leave(e);
}

/* Attributes are hints about caches and scheduling; the priority is the only one kept. */
API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attr, const union cudaLaunchAttributeValue *value)
{
    cudaError_t e = rt_enter();
    struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!value || attr < 0 || attr > LAUNCH_ATTRIBUTE_LAST))
        e = cudaErrorInvalidValue;
    if (!e && attr == cudaLaunchAttributePriority)
        s->priority = value->priority;
    return rt_leave(e);
}

API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    cudaError_t e = rt_enter();
    struct rt_stream *d = e ? NULL : stream_find(dst), *s = e ? NULL : stream_find(src);
    if (!e && (!d || !s))
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        d->priority = s->priority;
    return rt_leave(e);
}

API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t e = rt_enter();
    if (!e && least)
        *least = 0;
    if (!e && greatest)
        *greatest = -5;
    return rt_leave(e);
}

/* ---- host functions ---- */
API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *user)
{
    const struct rt_op op = {.kind = OP_HOST, .host = {fn, user}};
    cudaError_t e = rt_enter();
    if (!e)
        e = fn ? op_submit(stream, &op) : cudaErrorInvalidValue;
    return rt_leave(e);
}

struct callback {
    cudaStreamCallback_t fn;
    cudaStream_t stream;
    void *user;
};
static void call_back(void *p)
{
    const struct callback *c = p;
    c->fn(c->stream, cudaSuccess, c->user);
}

API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t fn, void *user, unsigned flags)
{
    cudaError_t e = rt_enter();
    const struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!fn || flags))
        e = cudaErrorInvalidValue;
    if (!e && s->capture)
        e = cudaErrorStreamCaptureUnsupported;
    if (!e) {
        struct callback c = {fn, stream, user};
        rt_call_host(call_back, &c);
    }
    return rt_leave(e);
}

/* ---- events ---- */
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || flags > 7 || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))))
        e = cudaErrorInvalidValue;
    if (!e) {
        struct rt_event *ev = xcalloc(1, sizeof *ev);
        ev->flags = flags;
        ptrmap_put(&rt.handle, ev, RT_EVENT, ev);
        *out = ev;
    }
    return rt_leave(e);
}

API cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, 0);
}

API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t e = rt_enter();
    struct rt_event *ev = e ? NULL : event_find(event);
    if (!e && !ev)
        e = cudaErrorInvalidResourceHandle;
    if (!e) {
        ptrmap_drop(&rt.handle, ev, RT_EVENT);
        if (rt.check)
            check_event_forget(rt.check, ev);
        VEC_FREE(&ev->deps);
        VEC_FREE(&ev->after.on);
        free(ev);
    }
    return rt_leave(e);
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t e = rt_enter();
    struct rt_event *ev = e ? NULL : event_find(event);
    struct rt_stream *s = e ? NULL : stream_find(stream);
    const bool external = flags == 1; /* a node of its own even while capturing */
    if (!e && (!ev || !s))
        e = cudaErrorInvalidResourceHandle;
    if (!e && flags > 1)
        e = cudaErrorInvalidValue;
    if (!e && s->capture && !external) {
        e = capture_record(s, ev);
    } else if (!e) {
        const struct rt_op op = {.kind = OP_EVENT_RECORD, .event = ev};
        ev->capture_id = 0;
        e = op_submit(stream, &op);
    }
    return rt_leave(e);
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}

API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t e = rt_enter();
    struct rt_event *ev = e ? NULL : event_find(event);
    struct rt_stream *s = e ? NULL : stream_find(stream);
    if (!e && (!ev || !s))
        e = cudaErrorInvalidResourceHandle;
    if (!e && flags > 1)
        e = cudaErrorInvalidValue;
    if (!e && flags == 1 && s->capture) {
        const struct rt_op op = {.kind = OP_EVENT_WAIT, .event = ev};
        e = op_submit(stream, &op);
    } else if (!e && (s->capture || ev->capture_id)) {
        e = capture_wait(s, ev);
    } else if (!e) {
        order_wait(s, ev);
        if (rt.check)
            check_stream_waits_event(rt.check, s->id, ev);
    }
    return rt_leave(e);
}

static cudaError_t event_done(cudaEvent_t event)
{
    cudaError_t e = rt_enter();
    struct rt_event *ev = e ? NULL : event_find(event);
    if (!e && !ev)
        e = cudaErrorInvalidResourceHandle;
    if (!e && ev->capture_id)
        e = capture_invalidate_event(ev) ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
    if (!e)
        host_waits_event(ev);
    return rt_leave(e);
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return event_done(event);
}

API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return event_done(event);
}

API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = rt_enter();
    struct rt_event *a = e ? NULL : event_find(start), *b = e ? NULL : event_find(end);
    if (!e && !ms)
        e = cudaErrorInvalidValue;
    if (!e && (!a || !b || !a->recorded || !b->recorded || (a->flags | b->flags) & cudaEventDisableTiming))
        e = cudaErrorInvalidResourceHandle;
    if (!e) { /* the answer tells the host that both are done */
        host_waits_event(a);
        host_waits_event(b);
        *ms = (float)((double)((int64_t)order_event_ps(b) - (int64_t)order_event_ps(a)) * 1e-9);
    }
    return rt_leave(e);
}
