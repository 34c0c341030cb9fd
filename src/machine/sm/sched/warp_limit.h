/*
 * Static warp limiting, the part that swl and pcal share: greedy then oldest among the N oldest warps of a scheduler.
 *
 * Rogers et al., MICRO 2012, section 4.2 (SWL); the rules are those of GPGPU-Sim's swl_scheduler: N counts per
 * scheduler, and a warp that waits at a barrier or a fence, or has ended, does not take one of the N places, so a CTA
 * whose warps are not all active can reach its barrier. Unlike in GPGPU-Sim, the warp that issued last has no
 * additional place.
 */
#ifndef WEIR_SM_SCHED_LIMIT_H
#define WEIR_SM_SCHED_LIMIT_H

#include "sm/sched/sched.h"

struct sched_limit {
    uint32_t n;
    uint64_t live;    /* resident warps */
    uint64_t waiting; /* of them: at a barrier or a fence, or ended */
    uint64_t active;  /* the N places; valid unless stale */
    uint64_t last;    /* bit of the warp that issued last */
    bool stale;
    /* statistics */
    uint64_t picks, active_sum, limited;
};

int sched_limit_pick(void *st, const struct sched_view *);
void sched_limit_on_warp_start(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta);
void sched_limit_on_issue(void *st, unsigned warp);
void sched_limit_on_wait(void *st, unsigned warp, enum warp_wait why);
void sched_limit_on_finish(void *st, unsigned warp);

/* The statistics of a policy called `name` (a string constant) whose state is a struct sched_limit. */
#define SCHED_LIMIT_STATS(name)                                                                                        \
    STAT_ROW(struct sched_limit, picks, "picks", "times a warp was chosen to issue"),                                  \
        STAT_ROW(struct sched_limit, active_sum, "warps", "sum over these of the warps that were active"),             \
        STAT_ROW(struct sched_limit, limited, "picks", "picks while the limit kept a warp from issuing"),              \
        STAT_QUOTIENT("active", "warps", name ".active_sum", name ".picks",                                            \
                      "mean number of active warps of a scheduler when one issues")

#endif
