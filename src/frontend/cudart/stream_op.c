/* Operations: the one path by which work reaches the device, now or through a graph. */
#include "cudart/runtime.h"

cudaError_t op_submit(cudaStream_t handle, const struct rt_op *op)
{
    struct rt_stream *s = stream_find(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->capture)
        return capture_op(s, op);
    /* The default stream would wait for the captured one, which cannot be. */
    if (s == &rt.legacy && capture_active_on_blocking_stream()) {
        capture_invalidate_blocking();
        return cudaErrorStreamCaptureImplicit;
    }
    checking_op(s);
    rt.host_wait = HOST_GOES_ON;
    order_begin(s, op);
    const cudaError_t e = op_run(op, s->id);
    order_end(s);
    if (op->kind == OP_COPY && rt.host_wait == HOST_WAITS_FOR_DATA)
        host_waits(s);
    else if (op->kind == OP_COPY && rt.host_wait == HOST_WAITS_FOR_BUFFER)
        host_passes_time(s);
    return e;
}

cudaError_t op_run(const struct rt_op *op, uint32_t stream_id)
{
    switch (op->kind) {
    case OP_EVENT_WAIT: /* everything submitted before has run */
        order_wait(NULL, op->event);
        if (rt.check)
            check_stream_waits_event(rt.check, stream_id, op->event);
        return cudaSuccess;
    case OP_EMPTY:
        return cudaSuccess;
    case OP_KERNEL:
        return kernel_run(op, stream_id);
    case OP_COPY:
        return copy_run(&op->copy, stream_id);
    case OP_MEMSET:
        return memset_run(op, stream_id);
    case OP_HOST:
        rt_call_host(op->host.fn, op->host.user);
        return rt.sticky;
    case OP_EVENT_RECORD:
        op->event->recorded = true;
        if (rt.check)
            check_event_record(rt.check, op->event, stream_id);
        order_record(op->event);
        return cudaSuccess;
    case OP_ALLOC: /* the address was fixed when the node was made */
        op->alloc->live = true;
        return cudaSuccess;
    case OP_FREE:
        if (rt.check) {
            const struct emu_alloc *a = emu_mem_find(rt.emu, op->free_addr, 1);
            checking_span(NULL, op->free_addr, a ? a->bytes : 1, "cudaFreeAsync");
        }
        return mem_free_device(op->free_addr);
    case OP_GRAPH:
        return graph_run(op->graph, stream_id);
    case OP_CONDITIONAL:
        return condition_run(op, stream_id);
    }
    return cudaErrorUnknown;
}

struct rt_graph_mem *graph_mem_new(uint64_t addr, uint64_t bytes)
{
    struct rt_graph_mem *m = xmalloc(sizeof *m);
    *m = (struct rt_graph_mem){.addr = addr, .bytes = bytes, .refs = 1};
    ptrmap_put(&rt.handle, (void *)(uintptr_t)addr, RT_GRAPH_MEM, m);
    return m;
}

bool graph_mem_freed(uint64_t addr)
{
    struct rt_graph_mem *m = ptrmap_get(&rt.handle, (void *)(uintptr_t)addr, RT_GRAPH_MEM);
    if (m)
        m->live = false;
    return m != NULL;
}

void op_copy(struct rt_op *dst, const struct rt_op *src)
{
    *dst = *src;
    switch (src->kind) {
    case OP_KERNEL: {
        struct emu_kernel *k = src->kernel.func->kernel;
        const uint32_t n = src->kernel.func->info.n_param, bytes = emu_kernel_param_bytes(k);
        dst->kernel.params = xmalloc(bytes + 1);
        memcpy(dst->kernel.params, src->kernel.params, bytes);
        dst->kernel.arg = xcalloc(n + 1, sizeof(void *));
        for (uint32_t i = 0; i < n; i++)
            dst->kernel.arg[i] = dst->kernel.params + ((uint8_t *)src->kernel.arg[i] - src->kernel.params);
        break;
    }
    case OP_ALLOC:
        src->alloc->refs++;
        break;
    case OP_GRAPH:
        dst->graph = graph_clone(src->graph);
        break;
    case OP_CONDITIONAL:
        condition_keep(src->conditional.on);
        dst->conditional.body = xcalloc(src->conditional.bodies, sizeof(struct rt_graph *));
        for (unsigned i = 0; i < src->conditional.bodies; i++)
            dst->conditional.body[i] = graph_clone(src->conditional.body[i]);
        break;
    default:
        break;
    }
}

void op_release(struct rt_op *op)
{
    switch (op->kind) {
    case OP_KERNEL:
        free(op->kernel.params);
        free(op->kernel.arg);
        break;
    case OP_ALLOC:
        if (!--op->alloc->refs) {
            ptrmap_drop(&rt.handle, (void *)(uintptr_t)op->alloc->addr, RT_GRAPH_MEM);
            if (!op->alloc->live) /* otherwise it outlives the graph, until the program frees it */
                mem_free(op->alloc->addr, EMU_MEM_DEVICE);
            free(op->alloc);
        }
        break;
    case OP_GRAPH:
        graph_free(op->graph);
        break;
    case OP_CONDITIONAL:
        condition_release(op->conditional.on);
        for (unsigned i = 0; i < op->conditional.bodies; i++)
            graph_free(op->conditional.body[i]);
        free(op->conditional.body);
        break;
    default:
        break;
    }
    *op = (struct rt_op){0};
}
