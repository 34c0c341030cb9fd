/* Occupancy queries: CUDA's calculator over the simulated GPU's limits (trace/device.h). */
#include "cudart/runtime.h"

/* CTAs of `threads` threads that fit on an SM; 0 when the block itself is impossible. Launch bounds do not count. */
static int ctas_per_sm(const struct rt_func *f, int threads, size_t dynamic_smem)
{
    if (threads <= 0)
        return 0;
    return (int)device_occupancy(&rt.props, (uint32_t)threads, f->info.regs_per_thread,
                                 (uint64_t)f->info.smem_static_bytes + dynamic_smem, NULL);
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *func, int threads,
                                                                       size_t dynamic_smem, unsigned flags)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e && (!out || threads <= 0 || flags > 1))
        e = cudaErrorInvalidValue;
    if (!e)
        e = func_find(func, &f);
    if (!e)
        *out = ctas_per_sm(f, threads, dynamic_smem);
    return rt_leave(e);
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *func, int threads,
                                                              size_t dynamic_smem)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, func, threads, dynamic_smem, 0);
}

/* The largest dynamic shared memory with which `blocks` CTAs still fit, by bisection in allocation units. */
API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *func, int blocks, int threads)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e && (!out || blocks <= 0 || threads <= 0))
        e = cudaErrorInvalidValue;
    if (!e)
        e = func_find(func, &f);
    if (!e && ctas_per_sm(f, threads, 0) < blocks)
        e = cudaErrorInvalidValue;
    if (!e) {
        const size_t unit = rt.props.smem_alloc_unit ? rt.props.smem_alloc_unit : 1;
        size_t low = 0, high = rt.props.smem_per_block_optin / unit + 1; /* low fits, high does not */
        while (high - low > 1) {
            const size_t mid = (low + high) / 2;
            const bool fits = mid * unit + f->info.smem_static_bytes <= rt.props.smem_per_block_optin &&
                              ctas_per_sm(f, threads, mid * unit) >= blocks;
            *(fits ? &low : &high) = mid;
        }
        *out = low * unit;
    }
    return rt_leave(e);
}

/* Clusters are not formed: one CTA each, and how many larger ones would fit is not known. */
API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *out, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = out && config ? func_find(func, &f) : cudaErrorInvalidValue;
    if (!e)
        *out = 1;
    return rt_leave(e);
}

API cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *func, const cudaLaunchConfig_t *config)
{
    (void)out, (void)func, (void)config;
    return rt_unsupported("cudaOccupancyMaxActiveClusters");
}
