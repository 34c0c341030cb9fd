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

/* The cluster that a launch configuration asks for, and how many of its CTAs fit on an SM. */
static cudaError_t cluster_fit(const struct rt_func *f, const cudaLaunchConfig_t *config, uint32_t *n, uint32_t *fit)
{
    dim3 asked = {0, 0, 0};
    uint32_t c[3];
    for (unsigned i = 0; i < config->numAttrs && config->attrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            asked = (dim3){config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                           config->attrs[i].val.clusterDim.z};
    const cudaError_t e = cluster_of(f, asked, c);
    *n = e ? 0 : c[0] * c[1] * c[2];
    *fit = (uint32_t)ctas_per_sm(f, (int)(config->blockDim.x * config->blockDim.y * config->blockDim.z),
                                 config->dynamicSmemBytes);
    return e;
}

API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *out, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_func *f;
    uint32_t n, fit;
    cudaError_t e = rt_enter();
    if (!e)
        e = out && config ? func_find(func, &f) : cudaErrorInvalidValue;
    if (!e) {
        cluster_fit(f, config, &n, &fit);
        for (n = f->non_portable ? 16 : 8; n > 1 && !device_clusters(&rt.props, fit, n);)
            n /= 2;
        *out = (int)n;
    }
    return rt_leave(e);
}

API cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_func *f;
    uint32_t n, fit;
    cudaError_t e = rt_enter();
    if (!e)
        e = out && config ? func_find(func, &f) : cudaErrorInvalidValue;
    if (!e)
        e = cluster_fit(f, config, &n, &fit);
    if (!e)
        *out = (int)device_clusters(&rt.props, fit, n);
    return rt_leave(e);
}
