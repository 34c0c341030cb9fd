/*
 * Orders that several warp schedulers share: which warp of a set has priority.
 *
 * Greedy then oldest (Rogers et al., MICRO 2012) is the order underneath the schedulers that limit how many warps may
 * issue, and round robin underlies those with a ready queue; they pass the remaining set of warps.
 */
#ifndef WEIR_SM_SCHED_ORDERS_H
#define WEIR_SM_SCHED_ORDERS_H

#include "sm/sched/sched.h"

/* Is this a long wait? Two-level schedulers then replace the warp by another. */
static inline bool sched_is_long_wait(enum warp_wait why)
{
    return why == WARP_MEMORY || why == WARP_FENCE || why == WARP_BARRIER || why == WARP_DRAIN;
}

/* The oldest warp of `set`, which is not empty. */
static inline int sched_oldest(uint64_t set, const uint64_t *age)
{
    int oldest = __builtin_ctzll(set);
    while (set &= set - 1) {
        int w = __builtin_ctzll(set);
        if (age[w] < age[oldest])
            oldest = w;
    }
    return oldest;
}

/* The warp that issued last (`last`: its bit, or 0) if it is in `set`, else the oldest of the set. */
static inline int sched_greedy_then_oldest(uint64_t set, uint64_t last, const uint64_t *age)
{
    return set & last ? __builtin_ctzll(last) : sched_oldest(set, age);
}

/* The scheduler gto, which most machines have: the SM knows it and calls these instead of its hooks. */
struct sched_gto {
    uint64_t last; /* the greedy warp's bit; 0 = none yet */
};
static inline int sched_gto_pick(const struct sched_gto *g, uint64_t issuable, const uint64_t *age)
{
    return sched_greedy_then_oldest(issuable, g->last, age);
}
static inline void sched_gto_issued(struct sched_gto *g, unsigned warp)
{
    g->last = 1ull << warp;
}

/* The slots after that of the warp that issued last. */
static inline uint64_t sched_after(unsigned warp)
{
    return warp == 63 ? 0 : ~0ull << (warp + 1);
}

/* The first warp of `set`, which is not empty, whose slot is in `after`; if there is none, the first of the set. */
static inline int sched_round_robin(uint64_t set, uint64_t after)
{
    return __builtin_ctzll(set & after ? set & after : set);
}

#endif
