/*
 * Orders that several warp schedulers share: which warp of a set comes first.
 *
 * Greedy then oldest (Rogers et al., MICRO 2012) is the order underneath the schedulers that limit how many warps may
 * issue: they pass the set that is left.
 */
#ifndef WEIR_SM_SCHED_GREEDY_H
#define WEIR_SM_SCHED_GREEDY_H

#include <stdint.h>

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

#endif
