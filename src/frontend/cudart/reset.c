/*
 * cudaDeviceReset: frees what the program allocated and forgets its handles; modules start afresh when next used.
 *
 * A lost device stays lost, as CUDA documents it. While a sink is attached the modules stay as they are, because a
 * recording names their kernels; then only the values of module variables differ from a real reset.
 */
#include "cudart/runtime.h"

static void unload(struct rt_module *m)
{
    struct emu_module *unit = m->emu;
    for (size_t i = 0; i < rt.module.n; i++) /* linked modules share a unit */
        if (rt.module.p[i] != m && rt.module.p[i]->emu == unit)
            rt.module.p[i]->emu = NULL;
    if (unit)
        emu_module_unload(rt.emu, unit);
    m->emu = NULL;
    m->tried = false;
    m->status = cudaSuccess;
    for (size_t i = 0; i < m->func.n; i++)
        m->func.p[i]->kernel = NULL;
}

API cudaError_t cudaDeviceReset(void)
{
    cudaError_t e = rt_enter();
    if (e)
        return rt_leave(e);
    host_waits(NULL);
    order_forget_streams();
    struct ptrmap old = rt.handle;
    rt.handle = (struct ptrmap){0};
    for (size_t i = 0; i < old.cap; i++) {
        const struct ptrmap_slot *s = &old.slot[i];
        const uint64_t addr = (uint64_t)(uintptr_t)s->key;
        if (!s->value)
            continue;
        if (s->kind == RT_MEM)
            emu_mem_free(rt.emu, addr, ((struct rt_mem *)s->value)->kind);
        else if (s->kind == RT_ARRAY)
            emu_mem_free(rt.emu, ((struct rt_array *)s->value)->addr, EMU_MEM_ARRAY);
        else if (s->kind == RT_FUNC)
            ptrmap_put(&rt.handle, s->key, RT_FUNC, s->value);
    }
    free(old.slot);
    rt.default_pool = rt.current_pool = NULL;
    pool_forget_all();
    virtual_forget_all();
    texture_forget_all();
    capture_forget_all();
    rt_thread.last_error = cudaSuccess;
    if (!rt.sink)
        for (size_t i = 0; i < rt.module.n; i++)
            unload(rt.module.p[i]);
    return rt_leave(cudaSuccess);
}
