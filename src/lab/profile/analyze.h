/*
 * The locality of a recorded program, without timing: every load of the recording goes through the classifier of
 * cache/locality.h in an order that a machine without latencies would give.
 *
 * CTAs go to the SMs round-robin, as many at once as the machine's occupancy allows, the next ones to the SMs that have
 * ended some. In a round every resident warp of every SM executes one instruction, SM after SM, within an SM in the
 * order of the CTAs' arrival. A warp at a barrier waits until every warp of its CTA is at one or has ended. So the
 * warps of an SM interleave as under loose round-robin scheduling, and nothing depends on a latency.
 *
 * Counted are loads of global memory that the L1 serves: not those that bypass it by their cache operator (.cg, .cv,
 * .volatile and stronger), and not local, constant or texture accesses.
 */
#ifndef WEIR_PROFILE_ANALYZE_H
#define WEIR_PROFILE_ANALYZE_H

#include "cache/locality.h"
#include "trace/file.h"

struct analyze_opts {
    const char *machine; /* name or file; NULL = gtx480: the number of SMs and the occupancy */
    const char *const *set;
    unsigned n_set;
    const char *with; /* policies whose parameters are among `set`; they do not change an analysis. NULL = none */
    uint32_t finite_bytes, finite_way, max_lines; /* of struct locality_config; 0 = its defaults */
    /* As gpu_opts.poll, with 0 for the cycle; NULL = not wanted. Not 0 stops the analysis with an error. */
    int (*poll)(void *ctx, uint64_t cycle, uint64_t warp_insts);
    void *poll_ctx;
};

struct analysis {
    struct locality *locality; /* kernels by their number in the recording, loads by mem_index */
    uint32_t n_sm;
    uint64_t launches, ctas, warp_insts, thread_insts;
    uint64_t loads_uncached;  /* executions of global loads that bypass the L1 */
    uint64_t loads_other;     /* executions of local, constant and texture loads */
    uint64_t stores, atomics; /* executions, global memory */
};

/* 0, or -1 with *e filled. Several files may be analyzed at once, each by one thread. */
int analyze_trace(struct trace_file *, const struct analyze_opts *, struct analysis *, struct err *);
void analysis_free(struct analysis *);

#endif
