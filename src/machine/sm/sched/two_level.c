/*
 * Two-level scheduling with a ready queue (Gebhart et al., ISCA 2011; the baseline of the CAPS study, Table III: 8
 * ready warps): only the warps in the ready queue issue, in round robin. See sched/ready_queue.h.
 */
#include "sm/sched/ready_queue.h"

#include "sm/sched/pick.h"

struct two_level_params {
    uint32_t ready;
};

struct two_level {
    struct ready_queue q;
    uint64_t after; /* slots after the last issue */
};

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct two_level *s = st;
    (void)g, (void)e;
    s->q.capacity = ((const struct two_level_params *)params)->ready;
    s->after = ~0ull;
    return 0;
}

static int pick(void *st, const struct sched_view *v)
{
    const struct two_level *s = st;
    uint64_t can = v->issuable & s->q.queue;
    return can ? sched_round_robin(can, s->after) : SCHED_NONE;
}

static void on_issue(void *st, unsigned warp)
{
    struct two_level *s = st;
    s->after = sched_after(warp);
}

static void on_warp_start(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct two_level *s = st;
    (void)cta, (void)warp_in_cta;
    ready_queue_warp_start(&s->q, warp, false);
}

static void on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct two_level *s = st;
    ready_queue_wait(&s->q, warp, why);
}

static void on_warp_exit(void *st, unsigned warp)
{
    struct two_level *s = st;
    ready_queue_finish(&s->q, warp);
}

static const struct cfg_field params[] = {CFG_ROW(struct two_level_params, ready, CFG_INT, "warps", "8", 1, 64, NULL,
                                                  "warps in the ready queue of one scheduler"),
                                          CFG_END};

static const struct stat_def stats[] = {READY_QUEUE_STATS(struct two_level, q), STAT_END};

const struct sm_sched sm_sched_two_level = {
    .info = {.name = "two_level",
             .doc = "Two-level round robin with a ready queue: only the warps in the queue issue; a warp that waits "
                    "for memory is replaced by another (Gebhart et al., ISCA 2011; CAPS Table III).",
             .params = params,
             .params_bytes = sizeof(struct two_level_params),
             .stats = stats},
    .state_bytes = sizeof(struct two_level),
    .init = init,
    .pick = pick,
    .on_warp_start = on_warp_start,
    .on_issue = on_issue,
    .on_wait = on_wait,
    .on_warp_exit = on_warp_exit,
};
