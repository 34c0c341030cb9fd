/*
 * A simulated GPU: built from a configuration, fed with launches, asked for statistics.
 *
 * One gpu is one simulation and belongs to one thread at a time (which may have others help it: gpu_opts.threads); several live side by side in one process. Where the
 * instructions come from is the caller's affair: replay.h reads a file, live.h listens to a running emulator.
 */
#ifndef WEIR_GPU_GPU_H
#define WEIR_GPU_GPU_H

#include "base/err.h"
#include "trace/kernel.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gpu;
struct cfg;
struct policy_info;
struct stats;
struct sm_streams;
struct sm_load_stats;
struct sm_profile;

/* The machine where none is named. */
#define GPU_DEFAULT "gtx480"

enum { GPU_MAX_THREADS = 256 };

struct gpu_opts {
    const char *machine;    /* name or file; NULL = gtx480 */
    const char *const *set; /* "key=value" assignments */
    unsigned n_set;
    const char *with;       /* names of policies, separated by commas; NULL = the machine's own */
    bool tick_all;          /* --engine=tick */
    unsigned threads;       /* host threads that simulate it, up to GPU_MAX_THREADS; 0 = 1 */
    uint64_t sample_cycles; /* take a sample of all counters this often; 0 = never */
    bool ncu_names;         /* the JSON document has them too (gpu/ncu_names.h) */
    bool energy;            /* apply the machine's energy coefficients to the results (gpu/energy.h) */
    bool classify_loads;    /* also show each load to infinite caches (gpu_load_result.truth) */
    double sampled;         /* simulate a sample of the recording, to this error of its cycles; 0 = all of it */
    bool profile;           /* count by static instruction, and take at most GPU_PROFILE_SAMPLES samples of the run */
    bool timeline;          /* keep what gpu/timeline.h writes; samples as a profile, up to GPU_TIMELINE_SAMPLES */
    /*
     * Called now and then from the thread that runs the machine, with the simulated core cycle and the warp
     * instructions issued so far. Not 0: stop, and keep what is counted. NULL = none.
     */
    int (*poll)(void *ctx, uint64_t cycle, uint64_t warp_insts);
    void *poll_ctx;
};

/*
 * A profile without sample_cycles samples a run of any length: when there are this many, neighbors are joined and the
 * interval doubles.
 */
enum { GPU_PROFILE_SAMPLES = 256, GPU_TIMELINE_SAMPLES = 1024, GPU_PROFILE_FIRST_CYCLES = 256 };

struct gpu *gpu_new(const struct gpu_opts *, struct err *);
void gpu_free(struct gpu *);

enum gpu_end { GPU_DONE, GPU_INTERRUPTED, GPU_DEADLOCKED, GPU_FAILED };
/*
 * Runs one launch to its end, while nothing else runs. `k` must live as long as the gpu. FAILED: *e says why (the launch
 * does not fit, the stream is corrupt; when the source itself failed, *e is left alone). DEADLOCKED: gpu_report_deadlock
 * reports what waits
 * for whom.
 */
enum gpu_end gpu_launch(struct gpu *, const struct trace_kernel *k, const struct trace_launch *,
                        const struct sm_streams *, struct err *e);
/* A launch that is not simulated: its result, the statistics all 0. -1: it does not fit. */
int gpu_skip_launch(struct gpu *, const struct trace_kernel *k, const struct trace_launch *, struct err *e);
/* A host copy or memset between launches: what it leaves in the L2 (memory.copies_preload_l2). */
void gpu_event(struct gpu *, const struct trace_event *);
/* Lets what is still in flight arrive (write-backs), then checks every invariant. -1: one is violated. */
int gpu_finish(struct gpu *, bool complete, struct err *);

uint64_t gpu_cycles(const struct gpu *); /* core cycles so far */
uint64_t gpu_time_ns(const struct gpu *);
void gpu_report_deadlock(const struct gpu *, FILE *);
const struct cfg *gpu_config(const struct gpu *);

/* ---- results ---- */
struct gpu_kernel_result {
    uint32_t launch;
    const struct trace_kernel *kernel;
    struct trace_launch shape;
    uint32_t ctas_per_sm;
    uint32_t registers;  /* of a thread, on this machine */
    double occupancy;    /* warps of ctas_per_sm CTAs, of those that an SM can hold */
    const char *limiter; /* what keeps further CTAs off an SM: ctas, warps, registers, shared_memory, or grid */
    uint64_t start_cycle;
    uint64_t overlapped; /* of its cycles, those in which other kernels ran, too */
    double simulated;    /* share of its warp instructions; 1 unless it was sampled (gpu/sampled.h) */
    uint64_t *value;     /* stats_count() differences */
};
/* What a sampled simulation ran, and how sure its statistics are. */
struct gpu_sampled {
    double error;                                          /* asked for */
    uint32_t launches, launches_simulated, launches_whole; /* whole: of the simulated ones */
    double share;                                          /* of all warp instructions that was simulated */
    const double *half; /* stats_count(): half of each total's 95% interval; INFINITY = unknown, 0 for maxima */
};
enum { GPU_REPORTERS = 8 }; /* at most one policy of each kind */
struct gpu_load_result {
    const struct trace_kernel *kernel;
    uint32_t pc;
    const struct sm_load_stats *count;                   /* sm/sm.h */
    const struct gpu_load_report *report[GPU_REPORTERS]; /* by policy (gpu/loads.h); NULL = nothing known */
    const struct locality_load *truth; /* of infinite caches (cache/locality.h); NULL = not asked for */
};
struct gpu_inst_result { /* in a profile */
    const struct trace_kernel *kernel;
    uint32_t pc;
    const struct sm_profile *count; /* sm/sm.h */
    uint32_t order;                 /* of its first operation in scheduled code; UINT32_MAX = none, or PTX order */
};
struct gpu_sample {
    uint64_t cycle; /* at its end */
    uint32_t launch;
    uint64_t *value;
    uint64_t *part; /* of single SMs, slices and channels (gpu/parts.h); NULL = neither profile nor timeline */
};
struct gpu_phase { /* of a policy that works in phases */
    const char *policy, *phase;
    uint32_t sm;
    uint64_t cycle; /* in which it began */
};
struct gpu_results {
    const struct stats *stats;         /* the names */
    const struct energy_model *energy; /* gpu/energy.h; NULL = not asked for */
    const struct gpu_sampled *sampled; /* NULL: everything was simulated */
    uint64_t *total;
    const struct gpu_kernel_result *kernel;
    unsigned n_kernel;
    const struct gpu_load_result *load; /* memory instructions that were executed, by kernel and pc */
    unsigned n_load;
    const struct gpu_inst_result *inst; /* instructions that were issued, by kernel and pc; none without a profile */
    unsigned n_inst;
    const struct policy_info *const *reporter; /* the policies that tell about loads */
    unsigned n_reporter;
    const struct gpu_sample *sample;
    unsigned n_sample;
    const struct gpu_phase *phase; /* by SM, policy and time */
    unsigned n_phase;
};
/* Valid until the gpu runs on or is freed. */
const struct gpu_results *gpu_get_results(struct gpu *);

#endif
