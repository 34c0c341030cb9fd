/* Greedy then oldest among the N oldest warps; see sched/warp_limit.h. */
#include "sm/sched/warp_limit.h"

#include "sm/sched/pick.h"

/* The N places change with assignments, barriers and exits, not with time: they are recomputed on the next use. */
static void give_places(struct sched_limit *s, const uint64_t *age)
{
    uint64_t left = s->live & ~s->waiting;
    s->stale = false;
    if ((uint32_t)__builtin_popcountll(left) <= s->n) {
        s->active = left;
        return;
    }
    s->active = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t bit = 1ull << sched_oldest(left, age);
        s->active |= bit;
        left &= ~bit;
    }
}

int sched_limit_pick(void *st, const struct sched_view *v)
{
    struct sched_limit *s = st;
    if (s->stale)
        give_places(s, v->age);
    uint64_t can = v->issuable & s->active;
    if (!can)
        return SCHED_NONE;
    s->picks++;
    s->active_sum += (uint64_t)__builtin_popcountll(s->active);
    s->limited += can != v->issuable;
    return sched_greedy_then_oldest(can, s->last, v->age);
}

void sched_limit_on_warp_start(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct sched_limit *s = st;
    (void)cta, (void)warp_in_cta;
    s->live |= 1ull << warp;
    s->waiting &= ~(1ull << warp);
    s->stale = true;
}

void sched_limit_on_issue(void *st, unsigned warp)
{
    struct sched_limit *s = st;
    s->last = 1ull << warp;
}

void sched_limit_on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct sched_limit *s = st;
    uint64_t bit = 1ull << warp, now = why == WARP_BARRIER || why == WARP_FENCE || why == WARP_DRAIN ? bit : 0;
    if ((s->waiting & bit) == now)
        return;
    s->waiting ^= bit;
    s->stale = true;
}

void sched_limit_on_finish(void *st, unsigned warp)
{
    struct sched_limit *s = st;
    s->live &= ~(1ull << warp);
    s->waiting &= ~(1ull << warp);
    s->last &= ~(1ull << warp);
    s->stale = true;
}
