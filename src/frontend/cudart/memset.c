/* Memset in all its shapes: linear, rows, boxes, and the 1-, 2- and 4-byte elements of graph nodes. */
#include "cudart/runtime.h"

static bool nothing(const struct cudaExtent *n)
{
    return !n->width || !n->height || !n->depth;
}

static cudaError_t check(const struct rt_op *op)
{
    const struct cudaPitchedPtr *d = &op->memset.dst;
    const struct cudaExtent n = op->memset.extent;
    const size_t width = sat_mul(n.width, op->memset.elem_bytes);
    if (nothing(&n))
        return cudaSuccess;
    if (!d->ptr || ((n.height > 1 || n.depth > 1) && d->pitch < width))
        return cudaErrorInvalidValue;
    if (n.depth > 1 && d->ysize < n.height)
        return cudaErrorInvalidValue;
    const size_t span = box_span(&(struct box){width, n.height, n.depth}, d->pitch, sat_mul(d->pitch, d->ysize));
    return mem_find(d->ptr, span) ? cudaSuccess : mem_bad_range("memset", d->ptr, span);
}

cudaError_t memset_run(const struct rt_op *op, uint32_t stream_id)
{
    const cudaError_t e = check(op);
    const struct cudaPitchedPtr *d = &op->memset.dst;
    const struct cudaExtent n = op->memset.extent;
    if (e || nothing(&n))
        return e;
    const size_t elem = op->memset.elem_bytes, width = n.width * elem, slice = d->pitch * d->ysize;
    for (size_t z = 0; z < n.depth; z++)
        for (size_t y = 0; y < n.height; y++) {
            uint8_t *row = (uint8_t *)d->ptr + z * slice + y * d->pitch;
            if (rt.check)
                check_write(rt.check, (uintptr_t)row, width, "cudaMemset");
            if (elem == 1)
                memset(row, (int)op->memset.value, width);
            else
                for (size_t x = 0; x < n.width; x++)
                    memcpy(row + x * elem, &op->memset.value, elem);
        }
    const uint64_t bytes = (uint64_t)width * n.height * n.depth;
    if (!timing_on())
        rt_advance_ps(device_copy_ps(&rt.props, TRACE_EV_MEMSET, bytes));
    rt_event(TRACE_EV_MEMSET, stream_id, (uintptr_t)d->ptr, 0, bytes);
    return rt.sticky;
}

cudaError_t memset_op(struct rt_op *op, const struct cudaMemsetParams *p)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_MEMSET,
                         .memset = {.dst = {p->dst, p->pitch, sat_mul(p->width, p->elementSize), p->height},
                                    .value = p->value,
                                    .elem_bytes = p->elementSize,
                                    .extent = {p->width, p->height, 1}}};
    return check(op);
}

API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr dst, int value, struct cudaExtent extent, cudaStream_t stream)
{
    const struct rt_op op = {
        .kind = OP_MEMSET,
        .memset = {.dst = dst, .value = (uint8_t)value, .elem_bytes = 1, .extent = extent},
    };
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : op_submit(stream, &op));
}

API cudaError_t cudaMemset3D(struct cudaPitchedPtr dst, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(dst, value, extent, NULL);
}

API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    const struct cudaPitchedPtr dst = {p, pitch, width, height};
    return cudaMemset3DAsync(dst, value, (struct cudaExtent){width, height, 1}, stream);
}

API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

API cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemset2DAsync(p, bytes, value, bytes, 1, stream);
}

API cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return cudaMemset2DAsync(p, bytes, value, bytes, 1, NULL);
}
