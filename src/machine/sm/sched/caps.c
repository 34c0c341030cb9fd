/* CTA-aware prefetching and scheduling, the scheduler's half: sched/pas.h. The prefetcher's half: l1/prefetch/cap.h. */
#include "sm/sched/pas.h"

#include <string.h>

static int check(const struct cfg *c, const void *params, struct err *e)
{
    (void)params;
    const char *prefetcher = cfg_chosen(c, "prefetcher");
    if (!prefetcher || !strcmp(prefetcher, "caps"))
        return 0;
    cfg_fault(c, "sm.scheduler", e,
              "the second half of the policy, l1.prefetcher = caps, is not chosen (l1.prefetcher=%s)", prefetcher);
    return err_hint(e, "use --with caps, or --with pas for the scheduler beside another prefetcher");
}

const struct sm_sched sm_sched_caps = {
    .info = {.name = "caps",
             .doc =
                 "CTA-aware prefetching and scheduling, the scheduler's half: the leading warp of each CTA first, "
                 "eager wake-up of warps whose prefetched lines arrive (Koo et al., IPDPS 2018; docs/papers/caps.md).",
             .params = pas_param_fields,
             .params_bytes = sizeof(struct pas_params),
             .stats = pas_stats,
             .check = check},
    PAS_HOOKS,
};
