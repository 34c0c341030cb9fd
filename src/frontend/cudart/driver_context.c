/*
 * Contexts of the driver API. There is one device and one address space, so a context is a name: what programs make
 * current, push and destroy. The primary context is the runtime's.
 *
 * Left out: destroying a context frees neither its memory nor its modules, and all contexts share limits and flags.
 */
#include "cudart/driver.h"

enum { API_VERSION = 3020 };

struct rt_context {
    unsigned flags;
};
static struct rt_context primary;
static unsigned primary_retained;

/* The contexts that the thread has pushed, the current one last; NULL among them means: none. */
static _Thread_local VEC(struct rt_context *) stack;

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceGetLimit(size_t *, enum cudaLimit);
cudaError_t cudaDeviceGetCacheConfig(int *);
cudaError_t cudaDeviceSetCacheConfig(int);
cudaError_t cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceReset(void);

static bool exists(struct rt_context *c)
{
    if (c == &primary)
        return true;
    pthread_mutex_lock(&rt.lock);
    const bool found = ptrmap_get(&rt.handle, c, RT_CONTEXT);
    pthread_mutex_unlock(&rt.lock);
    return found;
}

/* A thread that has used the runtime works in the primary context unless it chose another. */
static struct rt_context *current(void)
{
    return stack.n ? stack.p[stack.n - 1] : rt_thread.uses_runtime ? &primary : NULL;
}

CUresult driver_ready(void)
{
    const CUresult r = driver_started();
    struct rt_context *c = current();
    return r ? r : !c ? CUDA_ERROR_INVALID_CONTEXT : exists(c) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* ---- the primary context ---- */
API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult r = context ? driver_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        *context = &primary;
        primary_retained++;
    }
    return r;
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult r = driver_device(device);
    if (!r && !primary_retained)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!r)
        primary_retained--;
    return r;
}

API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    return DRIVER_CALL(driver_device(device), cudaDeviceReset());
}

API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    const CUresult r = flags & ~(unsigned)CU_CTX_FLAGS_MASK ? CUDA_ERROR_INVALID_VALUE : driver_device(device);
    if (!r)
        primary.flags = flags;
    return r;
}

API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    const CUresult r = flags && active ? driver_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        *flags = primary.flags;
        *active = primary_retained || rt_thread.uses_runtime;
    }
    return r;
}

/* ---- contexts that a program makes ---- */
API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult r = context && !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) ? driver_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (r)
        return r;
    struct rt_context *c = xcalloc(1, sizeof *c);
    c->flags = flags;
    pthread_mutex_lock(&rt.lock);
    ptrmap_put(&rt.handle, c, RT_CONTEXT, c);
    pthread_mutex_unlock(&rt.lock);
    VEC_PUSH(&stack, c);
    *context = c;
    return CUDA_SUCCESS;
}

API CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device)
{
    return params && (params->numExecAffinityParams || params->cigParams) ? CUDA_ERROR_NOT_SUPPORTED
                                                                          : cuCtxCreate_v2(context, flags, device);
}

API CUresult cuCtxDestroy_v2(CUcontext context)
{
    const CUresult r = driver_started();
    if (r)
        return r;
    if (!context || context == &primary || !exists(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&rt.lock);
    ptrmap_drop(&rt.handle, context, RT_CONTEXT);
    pthread_mutex_unlock(&rt.lock);
    if (stack.n && stack.p[stack.n - 1] == context)
        stack.n--;
    free(context);
    return CUDA_SUCCESS;
}

API CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    const CUresult r = driver_started();
    if (!r && (!context || !exists(context)))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!r)
        VEC_PUSH(&stack, context);
    return r;
}

API CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    const CUresult r = driver_started();
    if (!r && !stack.n)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!r && context)
        *context = stack.p[stack.n - 1];
    if (!r)
        stack.n--;
    return r;
}

API CUresult cuCtxSetCurrent(CUcontext context)
{
    const CUresult r = driver_started();
    if (!r && context && !exists(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!r) {
        stack.n -= stack.n > 0;
        VEC_PUSH(&stack, context);
    }
    return r;
}

API CUresult cuCtxGetCurrent(CUcontext *context)
{
    const CUresult r = context ? driver_started() : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *context = current();
    return r;
}

API CUresult cuCtxGetDevice(CUdevice *device)
{
    const CUresult r = device ? driver_ready() : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *device = 0;
    return r;
}

API CUresult cuCtxGetFlags(unsigned *flags)
{
    const CUresult r = flags ? driver_ready() : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *flags = current()->flags;
    return r;
}

API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    const CUresult r = version ? driver_started() : CUDA_ERROR_INVALID_VALUE;
    if (!r && context && !exists(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!r)
        *version = API_VERSION;
    return r;
}

API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    CUresult r = driver_enter();
    if (!r)
        r = !context ? CUDA_ERROR_INVALID_VALUE : stream_find(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (!r)
        *context = current();
    return driver_leave(r);
}

SAME(cuCtxSynchronize, (void), cudaDeviceSynchronize())
SAME(cuCtxSetLimit, (CUlimit limit, size_t value), cudaDeviceSetLimit((enum cudaLimit)limit, value))
SAME(cuCtxGetLimit, (size_t * value, CUlimit limit), cudaDeviceGetLimit(value, (enum cudaLimit)limit))
SAME(cuCtxSetCacheConfig, (CUfunc_cache config), cudaDeviceSetCacheConfig((int)config))
SAME(cuCtxGetStreamPriorityRange, (int *least, int *greatest), cudaDeviceGetStreamPriorityRange(least, greatest))

API CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    int c = 0;
    const CUresult r = config ? DRIVER_CALL(driver_ready(), cudaDeviceGetCacheConfig(&c)) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *config = (CUfunc_cache)c;
    return r;
}

/* There is one device, and no peer of it. */
API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    (void)peer, (void)flags;
    const CUresult r = driver_ready();
    return r ? r : CUDA_ERROR_INVALID_CONTEXT;
}
