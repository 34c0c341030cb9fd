/*
 * Copies. Every form of cudaMemcpy is brought into the shape of cudaMemcpy3D, checked against the allocations, and run
 * row by row.
 *
 * A device range must be inside one live allocation. The host's side is not ours to know; it is only probed, so that
 * a wild pointer is an error of the call and not a crash.
 */
#include "cudart/runtime.h"

/* One side of a copy, resolved: where row (y, z) starts. */
struct side {
    uint8_t *base;
    size_t row_step, slice_step;
};

/* Positions count elements of the array that takes part, also on the linear side; bytes when none does. */
static struct side linear_side(const struct cudaPitchedPtr *p, const struct cudaPos *pos, size_t elem_bytes)
{
    const struct box before = {
        .width = sat_mul(pos->x, elem_bytes), .height = sat_add(pos->y, 1), .depth = sat_add(pos->z, 1)};
    struct side s = {.row_step = p->pitch, .slice_step = sat_mul(p->pitch, p->ysize)};
    s.base = (uint8_t *)(uintptr_t)sat_add((uintptr_t)p->ptr, box_span(&before, s.row_step, s.slice_step));
    return s;
}

static struct side array_side(const struct rt_array *a, const struct cudaPos *pos)
{
    struct side s = {.row_step = a->row_bytes, .slice_step = a->slice_bytes};
    s.base = (uint8_t *)(uintptr_t)a->addr + pos->z * s.slice_step + pos->y * s.row_step + pos->x * a->elem_bytes;
    return s;
}

static bool array_holds(const struct rt_array *a, const struct cudaPos *pos, const struct cudaExtent *n)
{
    const size_t h = array_height(a), d = array_depth(a);
    return pos->x <= a->extent.width && n->width <= a->extent.width - pos->x && pos->y <= h &&
           n->height <= h - pos->y && pos->z <= d && n->depth <= d - pos->z;
}

enum place { HOST, DEVICE };

static cudaError_t check_side(const struct side *s, const struct box *n, enum place place, const char *what)
{
    const size_t bytes = box_span(n, s->row_step, s->slice_step);
    const struct emu_alloc *a = mem_find(s->base, bytes);
    if (place == DEVICE)
        return a ? cudaSuccess : mem_bad_range(what, s->base, bytes);
    if (a)
        return a->kind == EMU_MEM_DEVICE || a->kind == EMU_MEM_ARRAY || a->kind == EMU_MEM_MODULE
                   ? cudaErrorInvalidValue
                   : cudaSuccess;
    /* Starts inside an allocation and leaves it, or is in none: freed, never allocated. */
    if (mem_is_device(s->base) || emu_mem_is_reserved(rt.emu, (uintptr_t)s->base, bytes))
        return mem_bad_range(what, s->base, bytes);
    if (!mem_host_mapped(s->base, bytes)) {
        rt_message("%s: %zu bytes at %p: not mapped in the program", what, bytes, (void *)s->base);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

struct plan {
    struct side dst, src;
    struct box n;
    enum place to, from;
};

static cudaError_t make_plan(const struct cudaMemcpy3DParms *p, struct plan *out)
{
    const struct rt_array *da = NULL, *sa = NULL;
    if ((unsigned)p->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if ((p->dstArray && p->dstPtr.ptr) || (p->srcArray && p->srcPtr.ptr))
        return cudaErrorInvalidValue;
    if ((p->dstArray && !(da = array_find(p->dstArray))) || (p->srcArray && !(sa = array_find(p->srcArray))))
        return cudaErrorInvalidResourceHandle;
    if ((da && !array_holds(da, &p->dstPos, &p->extent)) || (sa && !array_holds(sa, &p->srcPos, &p->extent)))
        return cudaErrorInvalidValue;
    if (da && sa && da->elem_bytes != sa->elem_bytes)
        return cudaErrorInvalidValue;
    const size_t elem = da ? da->elem_bytes : sa ? sa->elem_bytes : 1;
    *out = (struct plan){
        .dst = da ? array_side(da, &p->dstPos) : linear_side(&p->dstPtr, &p->dstPos, elem),
        .src = sa ? array_side(sa, &p->srcPos) : linear_side(&p->srcPtr, &p->srcPos, elem),
        .n = {sat_mul(p->extent.width, elem), p->extent.height, p->extent.depth},
    };
    if (!out->n.width || !out->n.height || !out->n.depth)
        return cudaSuccess;
    const bool rows = out->n.height > 1 || out->n.depth > 1;
    if (rows && ((!da && p->dstPtr.pitch < out->n.width) || (!sa && p->srcPtr.pitch < out->n.width)))
        return cudaErrorInvalidPitchValue;
    /* Slices are stored one after the other. */
    if (out->n.depth > 1 && ((!da && p->dstPtr.ysize < out->n.height) || (!sa && p->srcPtr.ysize < out->n.height)))
        return cudaErrorInvalidValue;
    if ((!da && !out->dst.base) || (!sa && !out->src.base))
        return cudaErrorInvalidValue;
    switch (p->kind) {
    case cudaMemcpyDefault:
    case cudaMemcpyHostToHost: /* as CUDA does: unified addresses tell more than the direction */
        out->to = mem_is_device(out->dst.base) ? DEVICE : HOST;
        out->from = mem_is_device(out->src.base) ? DEVICE : HOST;
        break;
    default:
        out->to = p->kind == cudaMemcpyHostToDevice || p->kind == cudaMemcpyDeviceToDevice ? DEVICE : HOST;
        out->from = p->kind == cudaMemcpyDeviceToHost || p->kind == cudaMemcpyDeviceToDevice ? DEVICE : HOST;
    }
    cudaError_t e = check_side(&out->dst, &out->n, out->to, "copy to");
    return e ? e : check_side(&out->src, &out->n, out->from, "copy from");
}

cudaError_t copy_check(const struct cudaMemcpy3DParms *p)
{
    struct plan plan;
    return make_plan(p, &plan);
}

/*
 * Memory that the program has not pinned is copied by way of a buffer, which the host waits for. When that has been
 * filled from the host, the copy to the device may still be under way.
 */
static bool is_pageable(const struct side *s, enum place place)
{
    return place == HOST && !mem_find(s->base, 1);
}

cudaError_t copy_run(const struct cudaMemcpy3DParms *params, uint32_t stream_id)
{
    struct plan p;
    cudaError_t e = make_plan(params, &p);
    if (e || !p.n.width || !p.n.height || !p.n.depth)
        return e;
    const uint64_t bytes = (uint64_t)p.n.width * p.n.height * p.n.depth;
    for (size_t z = 0; z < p.n.depth; z++)
        for (size_t y = 0; y < p.n.height; y++) {
            uint8_t *d = p.dst.base + z * p.dst.slice_step + y * p.dst.row_step;
            uint8_t *s = p.src.base + z * p.src.slice_step + y * p.src.row_step;
            checking_copy(d, s, p.n.width, p.to == DEVICE, p.from == DEVICE);
            memmove(d, s, p.n.width);
        }
    rt.slot->copies++;
    rt.slot->copied_bytes += bytes;
    const enum trace_event_kind kind = p.to == p.from   ? TRACE_EV_COPY_D2D
                                       : p.to == DEVICE ? TRACE_EV_COPY_H2D
                                                        : TRACE_EV_COPY_D2H;
    if (!timing_on() || (p.to == HOST && p.from == HOST)) /* else the machine knows */
        rt_advance_ps(device_copy_ps(&rt.props, kind, bytes));
    if (is_pageable(&p.dst, p.to))
        rt.host_wait = HOST_WAITS_FOR_DATA;
    else if (is_pageable(&p.src, p.from))
        rt.host_wait = HOST_WAITS_FOR_BUFFER;
    if (p.to == DEVICE && p.from == DEVICE)
        rt_event(TRACE_EV_COPY_D2D, stream_id, (uintptr_t)p.dst.base, (uintptr_t)p.src.base, bytes);
    else if (p.to == DEVICE)
        rt_event(TRACE_EV_COPY_H2D, stream_id, (uintptr_t)p.dst.base, 0, bytes);
    else if (p.from == DEVICE)
        rt_event(TRACE_EV_COPY_D2H, stream_id, (uintptr_t)p.src.base, 0, bytes);
    return rt.sticky;
}

struct rt_op copy_op_1d(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return (struct rt_op){.kind = OP_COPY,
                          .copy = {.dstPtr = {dst, bytes, bytes, 1},
                                   .srcPtr = {(void *)(uintptr_t)src, bytes, bytes, 1},
                                   .extent = {bytes, 1, 1},
                                   .kind = kind}};
}

cudaError_t copy_op_symbol(struct rt_op *op, const void *symbol, const void *ptr, size_t bytes, size_t offset,
                           enum cudaMemcpyKind kind, bool to_symbol)
{
    uint64_t addr;
    size_t size;
    cudaError_t e = symbol_find(symbol, &addr, &size);
    if (e)
        return e;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyHostToHost || kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return cudaErrorInvalidMemcpyDirection;
    void *at = (void *)(uintptr_t)(addr + offset);
    *op = to_symbol ? copy_op_1d(at, ptr, bytes, kind) : copy_op_1d((void *)(uintptr_t)ptr, at, bytes, kind);
    return cudaSuccess;
}

/* ---- the shapes of cudaMemcpy ---- */
static cudaError_t submit(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    if (!e) {
        const struct rt_op op = {.kind = OP_COPY, .copy = *p};
        e = op_submit(stream, &op);
    }
    return rt_leave(e);
}

/* The same, and the host waits. */
static cudaError_t waited(cudaError_t e)
{
    if (e)
        return e;
    rt_enter_any();
    host_waits(&rt.legacy);
    return rt_leave(e);
}

API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct rt_op op = copy_op_1d(dst, src, bytes, kind);
    return submit(&op.copy, stream);
}

API cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return waited(cudaMemcpyAsync(dst, src, bytes, kind, NULL));
}

API cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                                    cudaStream_t stream)
{
    if (dst_device || src_device) {
        rt_enter();
        return rt_leave(cudaErrorInvalidDevice);
    }
    return cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, stream);
}

API cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return waited(cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, NULL));
}

API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct cudaMemcpy3DParms p = {.dstPtr = {dst, dst_pitch, width, height},
                                        .srcPtr = {(void *)(uintptr_t)src, src_pitch, width, height},
                                        .extent = {width, height, 1},
                                        .kind = kind};
    if (width > dst_pitch || width > src_pitch) {
        rt_enter();
        return rt_leave(cudaErrorInvalidPitchValue);
    }
    return submit(&p, stream);
}

API cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                             size_t height, enum cudaMemcpyKind kind)
{
    return waited(cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, NULL));
}

API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    if (!p) {
        rt_enter();
        return rt_leave(cudaErrorInvalidValue);
    }
    return submit(p, stream);
}

API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return waited(cudaMemcpy3DAsync(p, NULL));
}

API cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    if (!p || p->srcDevice || p->dstDevice) {
        rt_enter();
        return rt_leave(p ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    }
    const struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                        p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return submit(&q, stream);
}

API cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return waited(cudaMemcpy3DPeerAsync(p, NULL));
}

/* The attributes say when sources are read, which is at once here. */
API cudaError_t cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *bytes, size_t n,
                                     void *attrs, size_t *attr_index, size_t n_attr, cudaStream_t stream)
{
    bool bad = !dst || !src || !bytes || !n || !attrs || !attr_index || !n_attr || n_attr > n || attr_index[0];
    for (size_t i = 1; i < n_attr && !bad; i++)
        bad = attr_index[i] <= attr_index[i - 1] || attr_index[i] >= n;
    if (bad) {
        rt_enter();
        return rt_leave(cudaErrorInvalidValue);
    }
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < n && !e; i++)
        e = cudaMemcpyAsync(dst[i], src[i], bytes[i], cudaMemcpyDefault, stream);
    return e;
}

/* ---- symbols ---- */
static cudaError_t symbol_copy(const void *symbol, const void *ptr, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, bool to_symbol, cudaStream_t stream)
{
    struct rt_op op;
    cudaError_t e = rt_enter();
    if (!e)
        e = copy_op_symbol(&op, symbol, ptr, bytes, offset, kind, to_symbol);
    if (!e)
        e = op_submit(stream, &op);
    return rt_leave(e);
}

API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return symbol_copy(symbol, src, bytes, offset, kind, true, stream);
}

API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                   enum cudaMemcpyKind kind)
{
    return waited(symbol_copy(symbol, src, bytes, offset, kind, true, NULL));
}

API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return symbol_copy(symbol, dst, bytes, offset, kind, false, stream);
}

API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind)
{
    return waited(symbol_copy(symbol, dst, bytes, offset, kind, false, NULL));
}
