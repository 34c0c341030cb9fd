/*
 * Orchestrated scheduling and prefetching, the scheduler's half: prefetch-aware fetch groups (Jog et al., ISCA 2013).
 * The prefetcher's half is l1/prefetch/lap.h.
 *
 * The warps of a scheduler form groups of `group` warps whose numbers are not consecutive: neighbours, which share
 * macro-blocks of memory, run at different times, so that what one group misses prefetches for the next. Warps of the
 * present group issue in round robin; the next group takes over when every warp of the present one waits for memory, a
 * fence or a barrier.
 *
 * Chosen so, where the source is not at hand: there are as many groups as the warps that the kernel has resident fill,
 * and the n-th slot of a scheduler is in group n modulo their number.
 */
#include "sm/sched/sched.h"

#include "sm/sched/orders.h"

#include <string.h>

struct orch_params {
    uint32_t group;
};

struct orch {
    uint32_t size, groups, n_sched;
    uint32_t slots; /* of the scheduler that the kernel has used, from the first on */
    uint64_t owned;
    uint64_t member[64]; /* by group */
    uint64_t resident, asleep;
    uint64_t after;   /* slots behind the last issue */
    uint32_t present; /* group */
    uint64_t switches;
};

static uint32_t group_of(const struct orch *s, unsigned warp)
{
    return warp / s->n_sched % s->groups;
}

/* Deals the slots out to as many groups as `slots` of them fill. */
static void form_groups(struct orch *s, uint32_t slots)
{
    s->slots = slots;
    s->groups = slots > s->size ? (slots + s->size - 1) / s->size : 1;
    s->present = 0;
    memset(s->member, 0, sizeof s->member);
    for (uint64_t left = s->owned; left; left &= left - 1) {
        unsigned warp = (unsigned)__builtin_ctzll(left);
        s->member[group_of(s, warp)] |= 1ull << warp;
    }
}

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct orch *s = st;
    uint32_t size = ((const struct orch_params *)params)->group / g->n_sched;
    (void)e;
    s->size = size ? size : 1;
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

/* The first group from the present one on that has a warp which does not wait. */
static uint64_t present_warps(const struct orch *s)
{
    uint64_t awake = s->resident & ~s->asleep;
    uint32_t g = s->present;
    for (uint32_t n = 0; n < s->groups && !(s->member[g] & awake); n++)
        g = g + 1 == s->groups ? 0 : g + 1;
    return s->member[g];
}

static int pick(void *st, const struct sched_view *v)
{
    const struct orch *s = st;
    uint64_t can = v->can & present_warps(s);
    return can ? sched_round_robin(can, s->after) : SCHED_NONE;
}

static void on_issue(void *st, unsigned warp)
{
    struct orch *s = st;
    uint32_t g = group_of(s, warp);
    s->switches += g != s->present;
    s->present = g;
    s->after = sched_after(warp);
}

static void on_assign(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct orch *s = st;
    (void)cta, (void)warp_in_cta;
    if (warp / s->n_sched >= s->slots)
        form_groups(s, warp / s->n_sched + 1);
    s->resident |= 1ull << warp;
    s->asleep &= ~(1ull << warp);
}

static void on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct orch *s = st;
    uint64_t bit = 1ull << warp;
    s->asleep = sched_is_long(why) ? s->asleep | bit : s->asleep & ~bit;
}

static void on_finish(void *st, unsigned warp)
{
    struct orch *s = st;
    s->resident &= ~(1ull << warp);
}

static const struct cfg_field params[] = {CFG_ROW(struct orch_params, group, CFG_INT, "warps", "8", 1, 64, NULL,
                                                  "warps of an SM in a fetch group, shared by its schedulers"),
                                          CFG_END};
static const struct stat_def stats[] = {STAT_ROW(struct orch, switches, "times", "times another fetch group took over"),
                                        STAT_END};

const struct sm_sched sm_sched_orch = {
    .info = {.name = "orch",
             .doc = "Orchestrated scheduling, the scheduler's half: two-level fetch groups of warps that are not "
                    "neighbours, so that one group's misses prefetch for the next (Jog et al., ISCA 2013).",
             .params = params,
             .params_bytes = sizeof(struct orch_params),
             .stats = stats},
    .state_bytes = sizeof(struct orch),
    .init = init,
    .pick = pick,
    .on_assign = on_assign,
    .on_issue = on_issue,
    .on_wait = on_wait,
    .on_finish = on_finish,
    .on_kernel = on_kernel,
};
