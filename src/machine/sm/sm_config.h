/* Parameters of an SM: sections [sm] and [icache]; see sm_config.c for what each means. */
#ifndef WEIR_SM_SM_CONFIG_H
#define WEIR_SM_SM_CONFIG_H

#include "engine/config.h"
#include "engine/policy_registry.h"
#include "trace/kernel.h"

enum sm_long_loads { SM_LONG_ALL, SM_LONG_MEMORY };
enum sm_coalesce { SM_COALESCE_LINES, SM_COALESCE_SEGMENTS };

/* The order in which a warp issues its instructions. */
#define SM_CODE_CHOICES "ptx scheduled"
enum sm_code { SM_CODE_PTX, SM_CODE_SCHEDULED };

struct sm_config {
    /* what a tick uses lies together: front end, execution, memory pipeline */
    uint32_t schedulers, issue_width, lsu_interval, operand_cycles;
    uint32_t fetch_width, fetch_cycles, branch_cycles, loop_cycles, guard_cycles, fall_through_cycles, converge_cycles,
        converge_drain, part_cycles;
    uint32_t outstanding_requests, lsu_lines, param_latency, data_banks, smem_banks, smem_latency;
    uint32_t coalesce;   /* enum sm_coalesce */
    uint32_t long_loads; /* enum sm_long_loads */
    bool store_passes;
    bool tex_quads;
    bool smem_pairs;
    /* capacity */
    uint32_t max_warps, max_ctas, max_threads_per_cta, max_regs_per_thread;
    uint64_t regfile, smem, smem_per_cta, smem_reserved;
    uint32_t reg_alloc_unit, warp_alloc_unit;
    uint64_t smem_alloc_unit;
    /* the rest of the front end */
    uint32_t scheduler;
    uint32_t code; /* enum sm_code */
    /* of execution */
    uint32_t simt_width;
    uint32_t sp_units, int_units, sfu_units, dp_units, tensor_units;
    uint32_t lat[TRACE_CLASS_COUNT], ii[TRACE_CLASS_COUNT];
    uint32_t wgmma_columns, wgmma_least, wgmma_latency, wgmma_shared_latency, wgmma_wait, wgmma_ahead, mbarrier_poll,
        tma_latency, tma_lines, cluster_latency, cluster_barrier, cluster_bytes;
    /* of the memory pipeline */
    uint32_t lsu_queue, tex_cycles, tex_plane_cycles, tex_latency, pending_loads;
    uint32_t smem_atomic_cycles, smem_atomic_latency, smem_atomic_wait;
    uint32_t const_interval, const_far_latency, barrier_interval;
    uint64_t const_near;
};

struct icache_config {
    uint64_t size, line, inst_bytes;
    uint32_t assoc, miss_latency;
};

extern const struct cfg_section sm_cfg_section, icache_cfg_section;
extern struct policy_kind sm_sched_kind; /* "scheduler" */

#endif
