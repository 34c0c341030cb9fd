/* Inside gpu/: the machine's parts. */
#ifndef WEIR_GPU_GPU_PRIV_H
#define WEIR_GPU_GPU_PRIV_H

#include "base/mem.h"
#include "dram/dram.h"
#include "engine/addrmap.h"
#include "engine/engine.h"
#include "engine/stats.h"
#include "gpu/carveout.h"
#include "gpu/dispatch.h"
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "gpu/loads.h"
#include "gpu/props.h"
#include "l1/l1.h"
#include "l2/l2.h"
#include "noc/fabric.h"
#include "sm/sm.h"
#include "vm/vm.h"

struct sampling;

struct gpu {
    struct cfg *cfg;
    const struct machine_config *machine;
    const struct clock_config *clock;
    const struct memory_config *memory;
    const struct sm_config *smc;
    struct device_props props;
    struct arena *arena;
    struct engine *eng;
    struct stats *stats;
    struct addrmap map;
    uint32_t n_sm, n_slice;
    uint16_t *sm_node, *slice_node;
    struct sm **sm;
    struct l1 **l1;
    struct l2 **l2;
    struct dram **dram;
    struct tlb **tlb; /* and mmu: NULL = translation takes no time */
    struct mmu *mmu;
    struct fabric *fabric;
    struct dispatch *dispatch;
    struct carveouts carveouts;
    struct sm_streams streams;       /* what the SMs call: passes on to ... */
    const struct sm_streams *source; /* ... the present launch's */
    int (*poll)(void *ctx, uint64_t cycle, uint64_t warp_insts);
    void *poll_ctx;
    /* statistics */
    uint64_t cycles, launches, final_cycles;
    uint64_t sample_cycles, next_sample;
    unsigned n_value;
    uint64_t *read, *at_sample, *total;
    VEC(struct sm_kernel *) prepared;
    struct gpu_loads *loads;
    bool ncu_names;
    bool classify;               /* an infinite-cache observer runs beside */
    struct energy_model *energy; /* NULL = not asked for */
    struct sampling *sampling;   /* gpu/sampled.h; NULL = everything is simulated */
    uint64_t estimated_cycles;   /* of a sampled simulation, at its end */
    bool profile;
    struct parts *parts; /* NULL = not sampled */
    uint64_t *parts_at_sample;
    struct cta_times *ctas; /* NULL = no timeline */
    unsigned max_samples;   /* neighbors are joined when there are so many; 0 = never */
    VEC(struct gpu_kernel_result) kernel;
    VEC(struct gpu_load_result) load;
    VEC(struct gpu_inst_result) inst;
    VEC(struct gpu_sample) sample;
    VEC(struct gpu_phase) phase;
    struct gpu_results results;
};

uint64_t gpu_warp_insts(const struct gpu *);
/* Runs until the dispatcher stops the engine. */
enum gpu_end gpu_run(struct gpu *, struct err *);
/* All statistics as they are now. */
void gpu_read_stats(struct gpu *, uint64_t *out);

#endif
