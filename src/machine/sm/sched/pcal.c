/*
 * Priority-based cache allocation, the scheduler's half (Li et al., HPCA 2015, the static scheme): `warps` is the knob
 * W, the warps that may issue, as in swl. The other half decides which of them may allocate in the L1
 * (l1/management/pcal.c).
 */
#include "sm/sched/warp_limit.h"

#include <string.h>

struct pcal_params {
    uint32_t warps;
};

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct sched_limit *s = st;
    (void)g, (void)e;
    s->n = ((const struct pcal_params *)params)->warps;
    return 0;
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    (void)params;
    const char *management = cfg_chosen(c, "l1-management");
    if (!management || !strcmp(management, "pcal"))
        return 0;
    cfg_fault(c, "sm.scheduler", e,
              "the second half of the policy, l1.management = pcal, is not chosen (l1.management=%s)", management);
    return err_hint(e, "use --with pcal, or --with swl for the limit alone");
}

static const struct cfg_field params[] = {CFG_ROW(struct pcal_params, warps, CFG_INT, "warps", "64", 1, 64, NULL,
                                                  "W: warps of one scheduler that may issue, the oldest ones; values "
                                                  "of at least sm.max_warps / sm.schedulers = no limit"),
                                          CFG_END};
static const struct stat_def stats[] = {SCHED_LIMIT_STATS("pcal"), STAT_END};

const struct sm_sched sm_sched_pcal = {
    .info = {.name = "pcal",
             .doc = "Static PCAL, the scheduler's half: only the oldest pcal.warps warps of a scheduler issue, greedy "
                    "then oldest (Li et al., HPCA 2015).",
             .params = params,
             .params_bytes = sizeof(struct pcal_params),
             .stats = stats,
             .check = check},
    .state_bytes = sizeof(struct sched_limit),
    .init = init,
    .pick = sched_limit_pick,
    .on_warp_start = sched_limit_on_warp_start,
    .on_issue = sched_limit_on_issue,
    .on_wait = sched_limit_on_wait,
    .on_warp_exit = sched_limit_on_finish,
};
