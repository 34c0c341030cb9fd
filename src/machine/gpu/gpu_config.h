/* The machine as a whole: sections [machine], [clock], [memory], and the schema of everything. */
#ifndef WEIR_GPU_GPU_CONFIG_H
#define WEIR_GPU_GPU_CONFIG_H

#include "engine/config.h"

struct machine_config {
    const char *name, *energy;
    uint32_t sms, gpcs;
    uint32_t launch_cycles;
    uint32_t cta_rate;
    bool cta_from_first;
    uint32_t concurrent_kernels;
    uint32_t deadlock_cycles;
};
struct clock_config {
    uint64_t core, noc, l2, dram;
};
struct memory_config {
    uint64_t size, interleave;
    uint32_t channels, slices_per_channel;
    const char *address_map;
    bool hash_bank, hash_channel, copies_preload_l2;
};

/* All sections and kinds of policy of a machine. */
const struct cfg_schema *gpu_schema(void);

#endif
