/*
 * Orchestrated scheduling and prefetching, the prefetcher's half (Jog et al., ISCA 2013): locality-aware prefetching,
 * prefetch/lap.h. The groups of warps that make it prefetch for one another are the scheduler's half, sm/sched/orch.c.
 */
#include "l1/prefetch/lap.h"

const struct l1_prefetcher l1_prefetcher_orch = {
    .info = {.name = "orch",
             .doc = "Orchestrated prefetching, the prefetcher's half: as lap, under a scheduler that separates "
                    "consecutive warps (Jog et al., ISCA 2013). A comparator of the CAPS study.",
             LAP_INFO},
    LAP_HOOKS,
};
