/*
 * What a CUDA program may ask about the simulated GPU, and how many CTAs of a kernel fit on one SM.
 *
 * Both halves of weir use it: the CUDA runtime answers the program's questions with it, the machine dispatches CTAs by
 * it. gpu/props.h fills it from a machine's configuration. All machines report compute capability 9.0: their
 * files describe timing and capacities, while the emulator runs modern PTX on every one of them, and programs refuse
 * to run on devices older than their code.
 */
#ifndef WEIR_TRACE_DEVICE_H
#define WEIR_TRACE_DEVICE_H

#include "trace/kernel.h"

#include <stdint.h>

struct device_props {
    char name[256];               /* "weir gtx480" */
    uint32_t cc_major, cc_minor;  /* 9, 0 */
    uint32_t sm_count, gpc_count; /* graphics processing clusters: the CTAs of a cluster share one */
    uint32_t clock_khz;           /* core clock */
    uint32_t mem_clock_khz;       /* DRAM command clock */
    uint32_t mem_bus_bits;
    uint64_t global_bytes;
    uint64_t l2_bytes;
    uint64_t const_bytes; /* 64 KiB */
    uint32_t warp_size;   /* 32 */
    uint32_t schedulers_per_sm;
    uint32_t max_threads_per_block;
    uint32_t max_threads_per_sm;
    uint32_t max_warps_per_sm;
    uint32_t max_ctas_per_sm;
    uint32_t regs_per_block, regs_per_sm; /* 32-bit registers */
    uint32_t max_regs_per_thread;
    uint32_t smem_per_block; /* without opting in */
    uint32_t smem_per_block_optin;
    uint32_t smem_per_sm;
    uint32_t smem_reserved_per_block;
    /* allocation granularities, as in CUDA's occupancy calculator */
    uint32_t reg_alloc_unit;  /* registers are given to a warp in multiples of this */
    uint32_t warp_alloc_unit; /* parts of the register file; each holds whole warps */
    uint32_t smem_alloc_unit; /* bytes */
};

/*
 * Registers a thread of a kernel has on this GPU: the estimate, but no more than the GPU gives a thread, and no more
 * than lets a CTA of .maxntid threads (0 = not given) fit, since a compiler would spill the rest.
 */
uint32_t device_kernel_regs(const struct device_props *, uint32_t estimate, uint32_t max_threads_per_cta);

enum device_limit { DEVICE_LIMIT_CTAS, DEVICE_LIMIT_WARPS, DEVICE_LIMIT_REGS, DEVICE_LIMIT_SMEM, DEVICE_LIMIT_BLOCK };
/*
 * CTAs of a kernel that can be resident on one SM at once; 0 when not even one fits. `limit` (may be NULL) says what
 * binds.
 */
uint32_t device_occupancy(const struct device_props *, uint32_t threads_per_cta, uint32_t regs_per_thread,
                          uint64_t smem_bytes, enum device_limit *limit);

/*
 * What a copy or a memset takes. Between host and device it is what a 16-lane PCIe 4.0 link takes; on the device, what
 * DRAM at its peak bandwidth takes to read and write, or to write.
 */
uint64_t device_copy_ps(const struct device_props *, enum trace_event_kind, uint64_t bytes);

/* SMs of GPC number `gpc`: whole pairs of SMs, spread evenly, the first GPCs having what is left over. */
uint32_t device_gpc_sms(const struct device_props *, uint32_t gpc);
/* Clusters of `ctas` CTAs that can be resident at once when an SM holds `per_sm` of the CTAs. */
uint32_t device_clusters(const struct device_props *, uint32_t per_sm, uint32_t ctas);

#endif
