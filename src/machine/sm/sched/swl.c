/*
 * Static warp limiting (CCWS-SWL: Rogers et al., MICRO 2012): greedy then oldest among the `limit` oldest warps of each
 * scheduler. The best limit of a program is found by trying them all (Best-SWL). See sched/warp_limit.h.
 */
#include "sm/sched/warp_limit.h"

struct swl_params {
    uint32_t limit;
};

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct sched_limit *s = st;
    (void)g, (void)e;
    s->n = ((const struct swl_params *)params)->limit;
    return 0;
}

static const struct cfg_field params[] = {CFG_ROW(struct swl_params, limit, CFG_INT, "warps", "64", 1, 64, NULL,
                                                  "warps of one scheduler that may issue, the oldest ones; values of "
                                                  "at least sm.max_warps / sm.schedulers = no limit"),
                                          CFG_END};
static const struct stat_def stats[] = {SCHED_LIMIT_STATS("swl"), STAT_END};

const struct sm_sched sm_sched_swl = {
    .info = {.name = "swl",
             .doc =
                 "Static warp limiting over GTO: only the oldest swl.limit warps of a scheduler issue, so that their "
                 "working sets fit in the L1 (CCWS-SWL; Rogers et al., MICRO 2012). Without a limit it is gto. A "
                 "warp at a barrier or fence gives its place to the next.",
             .params = params,
             .params_bytes = sizeof(struct swl_params),
             .stats = stats},
    .state_bytes = sizeof(struct sched_limit),
    .init = init,
    .pick = sched_limit_pick,
    .on_warp_start = sched_limit_on_warp_start,
    .on_issue = sched_limit_on_issue,
    .on_wait = sched_limit_on_wait,
    .on_warp_exit = sched_limit_on_finish,
};
