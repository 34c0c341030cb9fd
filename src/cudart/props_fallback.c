/* Stand-in for the machine's own loader: an H200. */
#include "cudart/rt.h"

int gpu_props_load(const char *machine, const char *const *set, unsigned n_set, struct gpu_props *p, struct err *e)
{
    (void)machine, (void)set, (void)n_set, (void)e;
    *p = (struct gpu_props){.name = "weir h200",
                            .cc_major = 9,
                            .sm_count = 132,
                            .clock_khz = 1980000,
                            .mem_clock_khz = 3201000,
                            .mem_bus_bits = 6144,
                            .global_bytes = 141ull << 30,
                            .l2_bytes = 60 << 20,
                            .const_bytes = 65536,
                            .warp_size = 32,
                            .schedulers_per_sm = 4,
                            .max_threads_per_block = 1024,
                            .max_threads_per_sm = 2048,
                            .max_warps_per_sm = 64,
                            .max_ctas_per_sm = 32,
                            .regs_per_block = 65536,
                            .regs_per_sm = 65536,
                            .max_regs_per_thread = 255,
                            .smem_per_block = 49152,
                            .smem_per_block_optin = 232448,
                            .smem_per_sm = 233472,
                            .smem_reserved_per_block = 1024,
                            .reg_alloc_unit = 256,
                            .warp_alloc_unit = 4,
                            .smem_alloc_unit = 128};
    return 0;
}
