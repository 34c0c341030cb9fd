/*
 * What compilers emit calls to before main and around each launch: registration of fat binaries, kernels and variables,
 * and the launch configuration stack. nvcc 13 launches through a kernel handle (__cudaGetKernel, __cudaLaunchKernel),
 * clang through the host stub (cudaLaunchKernel); both push and pop the configuration.
 *
 * Nothing here makes the context: a program may register device code and never use it.
 */
#include "cudart/runtime.h"

/* Static initializers register, where a handle can only be one of ours. */
static struct rt_module *lock_module(void **handle)
{
    pthread_mutex_lock(&rt.lock);
    return (struct rt_module *)handle;
}

static void unlock(void)
{
    pthread_mutex_unlock(&rt.lock);
}

API void **__cudaRegisterFatBinary(void *wrapper)
{
    lock_module(NULL);
    struct rt_module *m = module_new(wrapper);
    unlock();
    return (void **)m;
}

API void __cudaRegisterFatBinaryEnd(void **handle)
{
    module_init_managed(lock_module(handle));
    unlock();
}

API void __cudaUnregisterFatBinary(void **handle)
{
    struct rt_module *m = lock_module(handle);
    if (m)
        module_free(m);
    unlock();
}

API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                                void *tid, void *bid, void *block, void *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    module_add_func(lock_module(handle), host, name);
    unlock();
}

static void add_var(void **handle, const void *host, void **managed, const char *name, size_t bytes, bool constant)
{
    struct rt_module *m = lock_module(handle);
    struct rt_var *v = xcalloc(1, sizeof *v);
    *v = (struct rt_var){.module = m, .host = host, .managed = managed, .bytes = bytes, .constant = constant};
    v->name = xstrdup(name);
    VEC_PUSH(&m->var, v);
    ptrmap_put(&rt.symbol, host, RT_VAR, v);
    unlock();
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes,
                           int constant, int global)
{
    (void)device, (void)ext, (void)global;
    add_var(handle, host, NULL, name, bytes, constant);
}

API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t bytes,
                                  int constant, int global)
{
    (void)device, (void)ext, (void)global;
    add_var(handle, host, host, name, bytes, constant);
}

/* A variable of the host that device code may name; only systems with unified page tables use it. */
API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
}

API void __cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table;
}

/* Asked for before the first touch of a __managed__ variable on the host. */
API char __cudaInitModule(void **handle)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = module_load((struct rt_module *)handle);
    rt_leave(e);
    return !e;
}

/* ---- the launch configuration ---- */
struct config {
    dim3 grid, block;
    size_t smem_bytes;
    cudaStream_t stream;
};
/* A stack, because a launch's arguments may themselves contain launches. */
static _Thread_local VEC(struct config) config_stack;

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t smem_bytes, cudaStream_t stream)
{
    VEC_PUSH(&config_stack, (struct config){grid, block, smem_bytes, stream});
    return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *smem_bytes, void *stream)
{
    if (!config_stack.n) {
        rt_thread.last_error = cudaErrorMissingConfiguration;
        return cudaErrorMissingConfiguration;
    }
    const struct config *c = &config_stack.p[--config_stack.n];
    *grid = c->grid;
    *block = c->block;
    *smem_bytes = c->smem_bytes;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* The handle exists whether or not the code can be loaded: a failure is reported at the launch. */
API cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host)
{
    pthread_mutex_lock(&rt.lock);
    struct rt_func *f = ptrmap_get(&rt.symbol, host, RT_FUNC);
    *out = f;
    unlock();
    return f ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
