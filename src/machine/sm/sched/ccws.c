/*
 * Cache-conscious wavefront scheduling, the scheduler's half: lost-locality scores decide which warps may load (Rogers,
 * O'Connor, Aamodt, MICRO 2012, section 4). The rules and constants are those of the authors' simulator.
 *
 * Every warp has `base` points. When it misses on a line it has lost (l1/management/ccws.c sends EVENT_LOST_LOCALITY),
 * its score rises to LLDS = lost / issued x k x cutoff, where lost and issued count those events and the warp
 * instructions of the resident warps, and cutoff = base x resident warps; the current value of the same expression is
 * the maximum of a score. Points above the base decay by one per cycle. In the order of their scores, warps may load
 * until the sum of scores reaches the cutoff, including the warp that crosses it; the others may issue anything except
 * loads from global or local memory. Among the warps that may issue, the order is greedy then oldest.
 *
 * The schedulers of an SM share the scores. Two differences from the authors' simulator: a warp at a barrier or fence
 * is left out of the sum, so that warps with high scores cannot block the loads of the warps they wait for; and the
 * decay is computed from the clock, so the cap applies when scores are read, not in every cycle.
 */
#include "sm/sched/sched.h"

#include "sm/sched/pick.h"

#include <string.h>

struct ccws_params {
    uint32_t base, k;
};

struct ccws_sm { /* shared by the schedulers of an SM */
    uint64_t live, waiting;
    uint64_t lost, issued; /* of the live warps */
    uint32_t lost_by[64];
    uint64_t issued_by[64];
    uint64_t above;      /* warps whose score may be above the base */
    uint64_t points[64]; /* of them: the score ... */
    uint32_t since[64];  /* ... in this cycle (low bits: nothing stays above the base for 2^32 cycles) */
    uint64_t allowed, allowed_at;
    bool known; /* `allowed` is that of cycle allowed_at */
};

struct ccws {
    struct ccws_sm *sm;
    uint64_t base, k;
    uint64_t last; /* bit of the warp that issued last */
    uint64_t lost_locality, picks, allowed_sum, limited;
};

static int init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct ccws *s = st;
    const struct ccws_params *p = params;
    (void)e;
    s->sm = g->shared;
    s->base = p->base;
    s->k = p->k;
    return 0;
}

static uint64_t cutoff(const struct ccws *s)
{
    return s->base * (uint64_t)__builtin_popcountll(s->sm->live);
}

/* LLDS: the score after a loss, and the maximum of a score. */
static uint64_t worth(const struct ccws *s)
{
    const struct ccws_sm *m = s->sm;
    return m->lost * s->k * cutoff(s) / (m->issued ? m->issued : 1);
}

static uint64_t score(const struct ccws *s, unsigned warp, uint64_t cap, uint64_t now)
{
    const struct ccws_sm *m = s->sm;
    if (!(m->above >> warp & 1))
        return s->base;
    uint64_t gone = (uint32_t)now - m->since[warp], points = m->points[warp] > gone ? m->points[warp] - gone : 0;
    points = points < cap ? points : cap;
    return points > s->base ? points : s->base;
}

/* The warps that may load in cycle `now`. */
static void allow(struct ccws *s, uint64_t now)
{
    struct ccws_sm *m = s->sm;
    uint64_t left = m->live & ~m->waiting, limit = cutoff(s), cap = worth(s), sum = 0, points[64];
    m->allowed = m->live;
    m->allowed_at = now;
    m->known = true;
    for (uint64_t w = m->above; w; w &= w - 1) {
        unsigned i = (unsigned)__builtin_ctzll(w);
        points[i] = score(s, i, cap, now);
        if (m->points[i] <= s->base + ((uint32_t)now - m->since[i]))
            m->above &= ~(1ull << i); /* it has decayed for good */
    }
    if (!(m->above & left))
        return; /* all have the base */
    m->allowed = 0;
    for (uint64_t set = left & m->above; set && sum < limit;) { /* highest first; of equals, the lower slot */
        unsigned top = (unsigned)__builtin_ctzll(set);
        for (uint64_t w = set & (set - 1); w; w &= w - 1) {
            unsigned i = (unsigned)__builtin_ctzll(w);
            top = points[i] > points[top] ? i : top;
        }
        if (points[top] == s->base)
            break; /* capped to the base: one of the rest */
        sum += points[top];
        m->allowed |= 1ull << top;
        set &= ~(1ull << top);
    }
    for (uint64_t w = left & ~m->allowed; w && sum < limit; w &= w - 1, sum += s->base)
        m->allowed |= w & -w;
}

static int pick(void *st, const struct sched_view *v)
{
    struct ccws *s = st;
    struct ccws_sm *m = s->sm;
    if (!m->known || (m->allowed_at != v->now && m->above))
        allow(s, v->now);
    uint64_t can = v->issuable & (m->allowed | ~v->loads);
    if (!can)
        return SCHED_NONE;
    s->picks++;
    s->allowed_sum += (uint64_t)__builtin_popcountll(m->allowed);
    s->limited += can != v->issuable;
    return sched_greedy_then_oldest(can, s->last, v->age);
}

/* A warp has missed on a line that it lost. `argument`: the cycle of the miss; the event arrives a cycle later. */
static void on_event(void *st, enum event kind, unsigned warp, uint32_t argument)
{
    struct ccws *s = st;
    struct ccws_sm *m = s->sm;
    (void)kind;
    if (!(m->live >> warp & 1))
        return;
    s->lost_locality++;
    m->lost++;
    m->lost_by[warp]++;
    m->points[warp] = worth(s);
    m->since[warp] = argument + 1;
    m->above |= 1ull << warp;
    m->known = false;
}

static void on_warp_start(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct ccws_sm *m = ((struct ccws *)st)->sm;
    (void)cta, (void)warp_in_cta;
    m->live |= 1ull << warp;
    m->known = false;
}

static void on_issue(void *st, unsigned warp)
{
    struct ccws *s = st;
    s->last = 1ull << warp;
    if (s->sm->live & s->last) { /* not its last instruction */
        s->sm->issued++;
        s->sm->issued_by[warp]++;
    }
}

/* The warp has ended: its share of the counts is removed. */
static void leave(struct ccws_sm *m, unsigned warp)
{
    uint64_t bit = 1ull << warp;
    if (!(m->live & bit))
        return;
    m->live &= ~bit;
    m->waiting &= ~bit;
    m->above &= ~bit;
    m->lost -= m->lost_by[warp];
    m->issued -= m->issued_by[warp];
    m->lost_by[warp] = 0;
    m->issued_by[warp] = 0;
    m->known = false;
}

static void on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct ccws_sm *m = ((struct ccws *)st)->sm;
    uint64_t bit = 1ull << warp, now = why == WARP_BARRIER || why == WARP_FENCE ? bit : 0;
    if (why == WARP_DRAIN)
        leave(m, warp);
    else if ((m->waiting & bit) != now) {
        m->waiting ^= bit;
        m->known = false;
    }
}

static void on_warp_exit(void *st, unsigned warp)
{
    struct ccws *s = st;
    s->last &= ~(1ull << warp);
    leave(s->sm, warp);
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    (void)params;
    const char *management = cfg_chosen(c, "l1-management");
    if (!management || !strcmp(management, "ccws"))
        return 0;
    cfg_fault(c, "sm.scheduler", e,
              "the second half of the policy, l1.management = ccws, is not chosen (l1.management=%s)", management);
    return err_hint(e, "use --with ccws, or --with swl for a fixed limit beside another L1 management");
}

#define T struct ccws_params
static const struct cfg_field params[] = {
    CFG_ROW(T, base, CFG_INT, "points", "100", 1, 10000, NULL, "base score of a warp without lost locality"),
    CFG_ROW(T, k, CFG_INT, "", "8", 1, 1000, NULL, "how strongly lost locality throttles (K_throttle)"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct ccws, lost_locality, "events", "misses on lines that the same warp had lost, as scored"),
    STAT_ROW(struct ccws, picks, "picks", "times a warp was chosen to issue"),
    STAT_ROW(struct ccws, allowed_sum, "warps", "sum over these of the warps of the SM that were allowed to load"),
    STAT_ROW(struct ccws, limited, "picks", "picks while a warp with a load was not allowed to issue it"),
    STAT_QUOTIENT("allowed", "warps", "ccws.allowed_sum", "ccws.picks",
                  "mean number of warps of an SM that are allowed to load when one issues"),
    STAT_END,
};

const struct sm_sched sm_sched_ccws = {
    .info = {.name = "ccws",
             .doc = "Cache-conscious wavefront scheduling, the scheduler's half: warps that lose locality gain score; "
                    "when the total score is high, low-scoring warps may not issue loads (Rogers et al., MICRO 2012). "
                    "Greedy then oldest underneath.",
             .params = params,
             .params_bytes = sizeof(struct ccws_params),
             .stats = stats,
             .check = check},
    .state_bytes = sizeof(struct ccws),
    .shared_bytes = sizeof(struct ccws_sm),
    .events = 1u << EVENT_LOST_LOCALITY,
    .init = init,
    .pick = pick,
    .on_warp_start = on_warp_start,
    .on_issue = on_issue,
    .on_wait = on_wait,
    .on_warp_exit = on_warp_exit,
    .on_event = on_event,
};
