/*
 * Memory pools and stream-ordered allocation. Work runs in submission order, so an asynchronous allocation is an
 * allocation; a pool only counts what came from it.
 */
#include "cudart/runtime.h"

struct rt_pool {
    uint64_t used, used_high;
    uint64_t release_threshold;
    int reuse[3];
};

struct piece { /* which pool an allocation belongs to */
    uint64_t addr, bytes;
    struct rt_pool *pool;
};
static VEC(struct piece) pieces;

static struct rt_pool *pool_new(void)
{
    struct rt_pool *p = xcalloc(1, sizeof *p);
    for (int i = 0; i < 3; i++)
        p->reuse[i] = 1;
    ptrmap_put(&rt.handle, p, RT_POOL, p);
    return p;
}

static struct rt_pool *pool_find(cudaMemPool_t pool)
{
    return ptrmap_get(&rt.handle, pool, RT_POOL);
}

static struct rt_pool *default_pool(void)
{
    if (!rt.default_pool)
        rt.default_pool = rt.current_pool = pool_new();
    return rt.default_pool;
}

static struct rt_pool *current_pool(void)
{
    default_pool();
    return rt.current_pool;
}

cudaError_t pool_alloc(struct rt_pool *pool, void **out, size_t bytes)
{
    cudaError_t e = mem_alloc(out, bytes, EMU_MEM_DEVICE);
    if (e || !*out)
        return e;
    VEC_PUSH(&pieces, (struct piece){(uintptr_t)*out, bytes, pool});
    pool->used += bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    return cudaSuccess;
}

void pool_forget_all(void)
{
    VEC_FREE(&pieces);
}

void pool_note_free(uint64_t addr)
{
    for (size_t i = 0; i < pieces.n; i++)
        if (pieces.p[i].addr == addr) {
            pieces.p[i].pool->used -= pieces.p[i].bytes;
            pieces.p[i] = pieces.p[--pieces.n];
            return;
        }
}

static cudaError_t malloc_async(void **out, size_t bytes, struct rt_pool *pool, cudaStream_t stream)
{
    struct rt_stream *s = stream_find(stream);
    if (!pool)
        return cudaErrorInvalidValue;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!s->capture) {
        const cudaError_t e = pool_alloc(pool, out, bytes);
        if (!e && *out)
            checking_span(s, (uintptr_t)*out, bytes, "cudaMallocAsync");
        return e;
    }
    /* Captured: the memory belongs to the node. */
    cudaError_t e = bytes ? mem_alloc(out, bytes, EMU_MEM_DEVICE) : cudaErrorInvalidValue;
    if (e)
        return e;
    struct rt_op op = {.kind = OP_ALLOC, .alloc = graph_mem_new((uintptr_t)*out, bytes)};
    e = op_submit(stream, &op);
    op_release(&op);
    return e;
}

API cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : malloc_async(out, bytes, current_pool(), stream));
}

API cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : malloc_async(out, bytes, pool_find(pool), stream));
}

API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    if (!e && p) {
        const struct rt_op op = {.kind = OP_FREE, .free_addr = (uintptr_t)p};
        e = mem_find(p, 1) ? op_submit(stream, &op) : cudaErrorInvalidValue;
    }
    return rt_leave(e);
}

/* ---- pools ---- */
cudaError_t pool_check(const struct cudaMemPoolProps *props)
{
    if (props->allocType < cudaMemAllocationTypePinned || props->allocType > cudaMemAllocationTypeManaged ||
        mem_location(&props->location) || props->location.type == cudaMemLocationTypeHostNumaCurrent)
        return cudaErrorInvalidValue;
    return props->handleTypes ? cudaErrorNotSupported : cudaSuccess; /* other processes */
}

API cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = out && props ? pool_check(props) : cudaErrorInvalidValue;
    if (!e)
        *out = pool_new();
    return rt_leave(e);
}

API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    cudaError_t e = rt_enter();
    struct rt_pool *p = e ? NULL : pool_find(pool);
    if (!e && (!p || p == default_pool()))
        e = cudaErrorInvalidValue;
    if (!e) {
        for (size_t i = 0; i < pieces.n; i++)
            if (pieces.p[i].pool == p)
                pieces.p[i].pool = default_pool(); /* outstanding memory lives on */
        if (rt.current_pool == p)
            rt.current_pool = default_pool();
        ptrmap_drop(&rt.handle, p, RT_POOL);
        free(p);
    }
    return rt_leave(e);
}

static cudaError_t attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value, bool set)
{
    cudaError_t e = rt_enter();
    struct rt_pool *p = e ? NULL : pool_find(pool);
    if (!e && (!p || !value))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    int *flag = value;
    uint64_t *bytes = value;
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(set ? &p->reuse[attr - 1] : flag) = set ? *flag : p->reuse[attr - 1];
        break;
    case cudaMemPoolAttrReleaseThreshold:
        *(set ? &p->release_threshold : bytes) = set ? *bytes : p->release_threshold;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        if (set)
            e = cudaErrorInvalidValue;
        else
            *bytes = p->used;
        break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (set && *bytes)
            e = cudaErrorInvalidValue; /* it can only be reset */
        else if (set)
            p->used_high = p->used;
        else
            *bytes = p->used_high;
        break;
    default:
        e = cudaErrorInvalidValue;
    }
    return rt_leave(e);
}

API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    return attribute(pool, attr, value, true);
}

API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    return attribute(pool, attr, value, false);
}

API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep;
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : pool_find(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t n)
{
    cudaError_t e = rt_enter();
    if (!e && (!pool_find(pool) || (n && !desc)))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        if (mem_location(&desc[i].location) || (unsigned)desc[i].flags > 3 || desc[i].flags == 2)
            e = cudaErrorInvalidValue;
    return rt_leave(e);
}

API cudaError_t cudaMemPoolGetAccess(int *out, cudaMemPool_t pool, struct cudaMemLocation *where)
{
    cudaError_t e = rt_enter();
    if (!e && (!pool_find(pool) || !out || !where))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = 3; /* read and write */
    return rt_leave(e);
}

static cudaError_t give_pool(cudaMemPool_t *out, int device, bool current)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || device))
        e = out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!e)
        *out = current ? current_pool() : default_pool();
    return rt_leave(e);
}

API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return give_pool(out, device, false);
}

API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return give_pool(out, device, true);
}

API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t e = rt_enter();
    struct rt_pool *p = e ? NULL : pool_find(pool);
    if (!e && (!p || device))
        e = p ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!e) {
        default_pool();
        rt.current_pool = p;
    }
    return rt_leave(e);
}

/* ---- memory of graphs: lives with its nodes, nothing is cached ---- */
API cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : device ? cudaErrorInvalidValue : cudaSuccess);
}

API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attr, void *value)
{
    cudaError_t e = rt_enter();
    if (!e && (device || !value || attr < 0 || attr > 3))
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!e)
        *(uint64_t *)value = 0;
    return rt_leave(e);
}

API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attr, void *value)
{
    cudaError_t e = rt_enter();
    if (!e && (device || !value || attr < 0 || attr > 3))
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    return rt_leave(e);
}
