/*
 * Greedy then oldest (Rogers et al., MICRO 2012): keep issuing from the warp that issued last; when it cannot, take
 * the oldest warp that can. Age is the order of assignment to the SM, so there are no ties.
 */
#include "sm/sched/sched.h"

#include "sm/sched/pick.h"

static int pick(void *st, const struct sched_view *v)
{
    return sched_gto_pick(st, v->issuable, v->age);
}

static void on_issue(void *st, unsigned warp)
{
    sched_gto_issued(st, warp);
}

static void on_warp_exit(void *st, unsigned warp)
{
    struct sched_gto *s = st;
    s->last &= ~(1ull << warp);
}

const struct sm_sched sm_sched_gto = {
    .info = {.name = "gto",
             .doc = "Greedy then oldest: the same warp as long as it can issue, else the oldest that can. Staggers the "
                    "warps, which keeps their working sets in the L1 longer (Rogers et al., MICRO 2012)."},
    .state_bytes = sizeof(struct sched_gto),
    .pick = pick,
    .on_issue = on_issue,
    .on_warp_exit = on_warp_exit,
};
