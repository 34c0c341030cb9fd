/* Loads first: misses start as early as possible, at the cost of keeping the warps in step. */
#include <weir/plugin.h>

struct loads_first {
    uint64_t loads, others;
};

static int pick(void *st, const struct sched_view *v)
{
    struct loads_first *s = st;
    uint64_t set = v->issuable & v->loads ? v->issuable & v->loads : v->issuable;
    ++*(v->issuable & v->loads ? &s->loads : &s->others);
    int oldest = __builtin_ctzll(set);
    for (; set; set &= set - 1)
        if (v->age[__builtin_ctzll(set)] < v->age[oldest])
            oldest = __builtin_ctzll(set);
    return oldest;
}

static const struct stat_def stats[] = {
    STAT_ROW(struct loads_first, loads, "instructions", "loads that went first"),
    STAT_ROW(struct loads_first, others, "instructions", "instructions while no load could"),
    STAT_END,
};

static const struct sm_sched loads_first = {
    .info = {.name = "loads_first", .doc = "Loads go first, the oldest warp's before others'.", .stats = stats},
    .state_bytes = sizeof(struct loads_first),
    .pick = pick,
};

WEIR_PLUGIN(WEIR_SCHEDULER(loads_first))
