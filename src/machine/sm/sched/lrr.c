/*
 * Loose round robin: the first warp that can issue, starting after the one that issued last. A warp that waits is
 * skipped; the pointer moves only with an issue. GPGPU-Sim's baseline.
 */
#include "sm/sched/sched.h"

#include "sm/sched/pick.h"

struct lrr {
    uint64_t after; /* slots after the last issue */
};

static int pick(void *st, const struct sched_view *v)
{
    const struct lrr *s = st;
    return sched_round_robin(v->issuable, s->after);
}

static void on_issue(void *st, unsigned warp)
{
    struct lrr *s = st;
    s->after = sched_after(warp);
}

const struct sm_sched sm_sched_lrr = {
    .info = {.name = "lrr",
             .doc = "Loose round robin: the next warp in turn that can issue. Warps progress evenly, so they reach "
                    "their loads together."},
    .state_bytes = sizeof(struct lrr),
    .pick = pick,
    .on_issue = on_issue,
};
