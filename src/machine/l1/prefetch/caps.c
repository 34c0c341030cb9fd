/* CTA-aware prefetching and scheduling, the prefetcher's half: prefetch/cap.h. The scheduler's half: sm/sched/pas.h. */
#include "l1/prefetch/cap.h"

const struct l1_prefetcher l1_prefetcher_caps = {
    .info = {.name = "caps",
             .doc = "CTA-aware prefetching and scheduling, the prefetcher's half: the stride between a CTA's warps and "
                    "the base address of each CTA predict what its other warps load (Koo et al., IPDPS 2018; "
                    "docs/papers/caps.md).",
             CAP_INFO},
    CAP_HOOKS,
};
