/*
 * Counters of single SMs, L2 slices, DRAM channels and banks, for pictures over time. They are read with each sample of
 * a profile or a timeline; the statistics themselves keep only sums over all instances (engine/stats.h).
 */
#ifndef WEIR_GPU_PARTS_H
#define WEIR_GPU_PARTS_H

#include "gpu/gpu.h"

/* X(enumerator, statistic): one counter of each instance that counts it. */
#define PARTS(X)                                                                                                       \
    X(SM_SLOTS, "sm.scheduler_cycles")                                                                                 \
    X(SM_ISSUE, "sm.issue_cycles")                                                                                     \
    X(L2_ACCESSES, "l2.accesses")                                                                                      \
    X(DRAM_DATA, "dram.data_cycles")                                                                                   \
    X(DRAM_CYCLES, "dram.cycles")

enum part {
#define X(name, stat) PART_##name,
    PARTS(X)
#undef X
        PART_BANK_BURSTS, /* of the banks, channel by channel */
    PART_SM_STALL,        /* this and the next SM_STALL_COUNT - 1: by enum sm_stall */
};

struct parts;
struct parts *parts_new(const struct gpu *);
void parts_free(struct parts *);
unsigned parts_values(const struct parts *); /* of one reading */
void parts_read(const struct parts *, const struct gpu *, uint64_t *out);
/* Where a counter's values begin in a reading, and how many there are. */
unsigned parts_of(const struct parts *, unsigned part, unsigned *n);

#endif
