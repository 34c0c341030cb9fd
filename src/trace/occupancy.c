/*
 * How many CTAs fit on an SM: the rules of CUDA's occupancy calculator.
 *
 * A warp gets its registers in units of reg_alloc_unit from one of the SM's warp_alloc_unit equal parts of the register
 * file; a CTA is refused when its warps, rounded up to a multiple of those parts, need more than a block may have.
 * Shared memory is allocated in units of smem_alloc_unit and includes what the system reserves.
 */
#include "trace/device.h"

static uint32_t round_up(uint32_t v, uint32_t unit)
{
    return (v + unit - 1) / unit * unit;
}

uint32_t device_kernel_regs(const struct device_props *p, uint32_t estimate, uint32_t max_threads_per_cta)
{
    uint32_t most = p->max_regs_per_thread;
    if (max_threads_per_cta && max_threads_per_cta <= p->max_threads_per_block) {
        uint32_t warps = round_up((max_threads_per_cta + p->warp_size - 1) / p->warp_size, p->warp_alloc_unit);
        uint32_t fit = p->regs_per_sm / warps / p->reg_alloc_unit * p->reg_alloc_unit / p->warp_size;
        most = fit < most ? fit : most;
    }
    return estimate < most ? estimate : most;
}

uint32_t device_occupancy(const struct device_props *p, uint32_t threads_per_cta, uint32_t regs_per_thread,
                          uint64_t smem_bytes, enum device_limit *limit)
{
    enum device_limit which = DEVICE_LIMIT_CTAS;
    uint32_t ctas = p->max_ctas_per_sm;
    uint32_t warps = (threads_per_cta + p->warp_size - 1) / p->warp_size;
    if (!threads_per_cta || threads_per_cta > p->max_threads_per_block || smem_bytes > p->smem_per_block_optin) {
        if (limit)
            *limit = DEVICE_LIMIT_BLOCK;
        return 0;
    }

    /* A compiler for this GPU would have spilled what exceeds the limit. */
    if (regs_per_thread > p->max_regs_per_thread)
        regs_per_thread = p->max_regs_per_thread;

    uint32_t by_warps = p->max_warps_per_sm / warps;
    if (by_warps < ctas) {
        ctas = by_warps;
        which = DEVICE_LIMIT_WARPS;
    }
    if (regs_per_thread) {
        uint32_t per_warp = round_up(regs_per_thread * p->warp_size, p->reg_alloc_unit);
        uint32_t warps_held = p->regs_per_sm / p->warp_alloc_unit / per_warp * p->warp_alloc_unit;
        uint32_t by_regs = warps_held / warps;
        if (per_warp * round_up(warps, p->warp_alloc_unit) > p->regs_per_block)
            by_regs = 0;
        if (by_regs < ctas) {
            ctas = by_regs;
            which = DEVICE_LIMIT_REGS;
        }
    }
    uint64_t smem = smem_bytes + p->smem_reserved_per_block;
    if (smem) {
        smem = (smem + p->smem_alloc_unit - 1) / p->smem_alloc_unit * p->smem_alloc_unit;
        uint64_t by_smem = p->smem_per_sm / smem;
        if (by_smem < ctas) {
            ctas = (uint32_t)by_smem;
            which = DEVICE_LIMIT_SMEM;
        }
    }
    if (limit)
        *limit = which;
    return ctas;
}

uint32_t device_gpc_sms(const struct device_props *p, uint32_t gpc)
{
    const uint32_t n = p->gpc_count ? p->gpc_count : 1, pairs = p->sm_count / 2, odd = p->sm_count % 2;
    return 2 * (pairs / n + (gpc < pairs % n)) + (gpc + 1 == n ? odd : 0);
}

uint32_t device_clusters(const struct device_props *p, uint32_t per_sm, uint32_t ctas)
{
    uint32_t sum = 0;
    for (uint32_t g = 0; g < (p->gpc_count ? p->gpc_count : 1) && ctas; g++)
        sum += device_gpc_sms(p, g) * per_sm / ctas;
    return sum;
}
