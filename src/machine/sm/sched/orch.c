/*
 * Orchestrated scheduling and prefetching, the scheduler's half (Jog et al., ISCA 2013), on two-level scheduling as the
 * CAPS study has it: prefetch-aware groups of warps. The prefetcher's half is l1/prefetch/lap.h.
 *
 * The warps of a scheduler form groups of non-consecutive warps. Consecutive warps share macro-blocks of memory;
 * because they run at different times, the misses of one group trigger prefetches for the next. Warps of the current
 * group enter the ready queue (sched/ready_queue.h) first; when none of them could issue, the next group with such a
 * warp becomes the current one. Warps in the queue issue in round robin, those of the group that issued last before
 * others.
 *
 * Choices, because the source was not available: a group is as large as the ready queue, there are as many groups as
 * the kernel's resident warps fill, and the n-th slot of a scheduler is in group n modulo that number.
 */
#include "sm/sched/ready_queue.h"

#include "sm/sched/pick.h"

#include <string.h>

struct orch_params {
    uint32_t group;
};

struct orch {
    struct ready_queue q; /* its marks: the current group */
    uint32_t groups, n_sched;
    uint32_t slots; /* of the scheduler that the kernel has used, from the first on */
    uint64_t owned;
    uint64_t member[64]; /* by group */
    uint32_t present;    /* group that gets places in the queue */
    uint32_t issuing;    /* group of the warp that issued last */
    uint64_t after;      /* slots after the last issue */
    uint64_t switches;
};

/* Deals the slots out to as many groups as `slots` of them fill. */
static void form_groups(struct orch *s, uint32_t slots)
{
    s->slots = slots;
    s->groups = slots > s->q.capacity ? (slots + s->q.capacity - 1) / s->q.capacity : 1;
    s->present = s->issuing = 0;
    memset(s->member, 0, sizeof s->member);
    for (uint64_t left = s->owned; left; left &= left - 1) {
        unsigned warp = (unsigned)__builtin_ctzll(left);
        s->member[warp / s->n_sched % s->groups] |= 1ull << warp;
    }
}

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct orch *s = st;
    (void)e;
    s->q.capacity = ((const struct orch_params *)params)->group;
    s->n_sched = g->n_sched;
    s->owned = g->owned;
    s->after = ~0ull;
    form_groups(s, 0);
    return 0;
}

static void on_kernel(void *st)
{
    form_groups(st, 0);
}

/* The first group, from the current one on, with a pending warp that could issue becomes the preferred one. */
static void prefer(struct orch *s, uint64_t able)
{
    uint32_t g = s->present;
    for (uint32_t n = 0; n < s->groups && !(s->member[g] & able); n++)
        g = g + 1 == s->groups ? 0 : g + 1;
    s->switches += g != s->present;
    s->present = g;
    s->q.leading = s->member[g];
}

static int pick(void *st, const struct sched_view *v)
{
    const struct orch *s = st;
    uint64_t can = v->issuable & s->q.queue, same = can & s->member[s->issuing];
    return can ? sched_round_robin(same ? same : can, s->after) : SCHED_NONE;
}

static void on_issue(void *st, unsigned warp)
{
    struct orch *s = st;
    s->after = sched_after(warp);
    s->issuing = warp / s->n_sched % s->groups;
}

static void on_warp_start(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct orch *s = st;
    (void)cta, (void)warp_in_cta;
    if (warp / s->n_sched >= s->slots)
        form_groups(s, warp / s->n_sched + 1);
    s->q.leading = s->member[s->present];
    ready_queue_warp_start(&s->q, warp, s->q.leading >> warp & 1);
}

static void on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct orch *s = st;
    uint64_t bit = 1ull << warp, able = s->q.pending & ~s->q.asleep;
    if (sched_is_long_wait(why))
        able &= ~bit;
    else
        able |= s->q.pending & bit;
    prefer(s, able);
    ready_queue_wait(&s->q, warp, why);
}

static void on_warp_exit(void *st, unsigned warp)
{
    struct orch *s = st;
    prefer(s, s->q.pending & ~s->q.asleep & ~(1ull << warp));
    ready_queue_finish(&s->q, warp);
}

static const struct cfg_field params[] = {CFG_ROW(struct orch_params, group, CFG_INT, "warps", "8", 1, 64, NULL,
                                                  "warps in the ready queue of one scheduler, and in a group"),
                                          CFG_END};
static const struct stat_def stats[] = {READY_QUEUE_STATS(struct orch, q),
                                        STAT_ROW(struct orch, switches, "times", "changes of the prioritized group"),
                                        STAT_END};

const struct sm_sched sm_sched_orch = {
    .info = {.name = "orch",
             .doc = "Orchestrated scheduling, the scheduler's half: two-level scheduling whose groups hold "
                    "non-consecutive warps, so that one group's misses prefetch for the next (Jog et al., ISCA 2013).",
             .params = params,
             .params_bytes = sizeof(struct orch_params),
             .stats = stats},
    .state_bytes = sizeof(struct orch),
    .init = init,
    .pick = pick,
    .on_warp_start = on_warp_start,
    .on_issue = on_issue,
    .on_wait = on_wait,
    .on_warp_exit = on_warp_exit,
    .on_kernel = on_kernel,
};
