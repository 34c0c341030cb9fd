/*
 * Two-level scheduling with a ready queue (Gebhart et al., ISCA 2011; the baseline of the CAPS study, Table III: 8
 * ready warps). Only the warps in the ready queue are candidates, in round robin. One that must wait for memory, a
 * fence or a barrier leaves the queue; the pending warp that has waited longest and could go on takes its place.
 *
 * A warp is never promoted while it still waits, unlike in GPGPU-Sim's two_level_active.
 */
#include "sm/sched/sched.h"

struct two_level_params {
    uint32_t ready;
};

struct two_level {
    uint32_t capacity;
    uint64_t queue;          /* warps in the ready queue */
    uint64_t pending;        /* the others of the resident warps */
    uint64_t asleep;         /* of all: those that wait for something long */
    uint64_t after;          /* slots behind the last issue */
    uint64_t seq, since[64]; /* when a pending warp entered that level */
    uint64_t promotions, demotions;
};

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct two_level *s = st;
    (void)g, (void)e;
    s->capacity = ((const struct two_level_params *)params)->ready;
    s->after = ~0ull;
    return 0;
}

static void refill(struct two_level *s)
{
    while ((uint32_t)__builtin_popcountll(s->queue) < s->capacity) {
        uint64_t able = s->pending & ~s->asleep;
        if (!able)
            return;
        unsigned first = (unsigned)__builtin_ctzll(able);
        while (able &= able - 1) {
            unsigned w = (unsigned)__builtin_ctzll(able);
            if (s->since[w] < s->since[first])
                first = w;
        }
        s->pending &= ~(1ull << first);
        s->queue |= 1ull << first;
        s->promotions++;
    }
}

static int pick(void *st, const struct sched_view *v)
{
    const struct two_level *s = st;
    uint64_t can = v->can & s->queue;
    if (!can)
        return SCHED_NONE;
    uint64_t later = can & s->after;
    return __builtin_ctzll(later ? later : can);
}

static void on_issue(void *st, unsigned warp)
{
    struct two_level *s = st;
    s->after = warp == 63 ? 0 : ~0ull << (warp + 1);
}

static void on_assign(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct two_level *s = st;
    (void)cta, (void)warp_in_cta;
    s->asleep &= ~(1ull << warp);
    s->pending |= 1ull << warp;
    s->since[warp] = s->seq++;
    refill(s);
}

static void on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct two_level *s = st;
    uint64_t bit = 1ull << warp;
    bool is_long = why == WARP_MEM || why == WARP_FENCE || why == WARP_BARRIER || why == WARP_DRAIN;
    s->asleep = is_long ? s->asleep | bit : s->asleep & ~bit;
    if (is_long && s->queue & bit) {
        s->queue &= ~bit;
        s->pending |= bit;
        s->since[warp] = s->seq++;
        s->demotions++;
    }
    refill(s);
}

static void on_finish(void *st, unsigned warp)
{
    struct two_level *s = st;
    s->queue &= ~(1ull << warp);
    s->pending &= ~(1ull << warp);
    refill(s);
}

static const struct cfg_field params[] = {CFG_ROW(struct two_level_params, ready, CFG_INT, "warps", "8", 1, 64, NULL,
                                                  "warps in the ready queue of one scheduler"),
                                          CFG_END};

static const struct stat_def stats[] = {
    STAT_ROW(struct two_level, promotions, "warps", "warps that entered a ready queue"),
    STAT_ROW(struct two_level, demotions, "warps", "warps that left a ready queue to wait"), STAT_END};

const struct sm_sched sm_sched_two_level = {
    .info = {.name = "two_level",
             .doc = "Two-level round robin with a ready queue: only the warps in the queue issue; one that waits for "
                    "memory makes room for another (Gebhart et al., ISCA 2011; CAPS Table III).",
             .params = params,
             .params_bytes = sizeof(struct two_level_params),
             .stats = stats},
    .state_bytes = sizeof(struct two_level),
    .init = init,
    .pick = pick,
    .on_assign = on_assign,
    .on_issue = on_issue,
    .on_wait = on_wait,
    .on_finish = on_finish,
};
