/*
 * What a CUDA program may ask about the simulated GPU, and how many CTAs of a kernel fit on one SM.
 *
 * Taken from the machine's configuration alone; no machine is built. All machines report compute capability 9.0: their
 * files describe timing and capacities, while the emulator runs modern PTX on every one of them, and programs refuse
 * to run on devices older than their code.
 */
#ifndef WEIR_GPU_PROPS_H
#define WEIR_GPU_PROPS_H

#include "base/err.h"

#include <stdint.h>

struct gpu_props {
    char name[256];              /* "weir gtx480" */
    uint32_t cc_major, cc_minor; /* 9, 0 */
    uint32_t sm_count;
    uint32_t clock_khz;     /* core clock */
    uint32_t mem_clock_khz; /* DRAM command clock */
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
 * Machine by name or file, with key=value assignments; -1 and *e on a fault. `with` (may be NULL) chooses policies:
 * they do not show in the properties, but their parameters may be among the assignments.
 */
int gpu_props_load(const char *machine, const char *const *set, unsigned n_set, const char *with, struct gpu_props *,
                   struct err *);

/*
 * Registers a thread of a kernel has on this GPU: the estimate, but no more than the GPU gives a thread, and no more
 * than lets a CTA of .maxntid threads (0 = not given) fit, since a compiler would spill the rest.
 */
uint32_t gpu_kernel_regs(const struct gpu_props *, uint32_t estimate, uint32_t max_threads_per_cta);

enum gpu_limit { GPU_LIMIT_CTAS, GPU_LIMIT_WARPS, GPU_LIMIT_REGS, GPU_LIMIT_SMEM, GPU_LIMIT_BLOCK };
/*
 * CTAs of a kernel that can be resident on one SM at once; 0 when not even one fits. `limit` (may be NULL) says what
 * binds.
 */
uint32_t gpu_occupancy(const struct gpu_props *, uint32_t threads_per_cta, uint32_t regs_per_thread,
                       uint64_t smem_bytes, enum gpu_limit *limit);

#endif
