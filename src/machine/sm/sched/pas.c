/* The prefetch-aware scheduler of CAPS under its own name, and what it shares with caps; see sched/pas.h. */
#include "sm/sched/pas.h"

#include "sm/sched/pick.h"

int pas_init(void *st, const void *params, const struct sched_geom *g, struct err *e)
{
    struct pas *s = st;
    const struct pas_params *p = params;
    (void)e;
    s->base = (enum pas_base)p->base;
    s->q.capacity = s->base == PAS_TWO_LEVEL ? p->ready : 64;
    s->lead = (enum pas_lead)p->lead;
    s->wakeup = p->wakeup && s->base == PAS_TWO_LEVEL;
    s->after = ~0ull;
    return 0;
}

int pas_pick(void *st, const struct sched_view *v)
{
    struct pas *s = st;
    uint64_t can = s->base == PAS_TWO_LEVEL ? v->issuable & s->q.queue : v->issuable, leading = can & s->q.leading;
    if (!can)
        return SCHED_NONE;
    if (leading) {
        s->picks_leading++;
        can = leading;
    } else {
        s->picks_trailing++;
    }
    int warp = s->base == PAS_GTO ? sched_greedy_then_oldest(can, s->last, v->age) : sched_round_robin(can, s->after);
    s->loading = v->loads & 1ull << warp;
    return warp;
}

void pas_on_issue(void *st, unsigned warp)
{
    struct pas *s = st;
    s->after = sched_after(warp);
    s->last = 1ull << warp;
    if (s->lead == PAS_LEAD_FIRST_LOAD)
        s->q.leading &= ~(s->loading & s->last);
}

void pas_on_assign(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta)
{
    struct pas *s = st;
    (void)cta;
    ready_queue_warp_start(&s->q, warp, warp_in_cta == 0);
}

void pas_on_wait(void *st, unsigned warp, enum warp_wait why)
{
    struct pas *s = st;
    ready_queue_wait(&s->q, warp, why);
}

void pas_on_finish(void *st, unsigned warp)
{
    struct pas *s = st;
    s->last &= ~(1ull << warp);
    ready_queue_finish(&s->q, warp);
}

/* A line prefetched for the warp has arrived. */
void pas_on_event(void *st, enum event kind, unsigned warp, uint32_t argument)
{
    struct pas *s = st;
    (void)kind, (void)argument;
    s->arrivals++;
    if (s->wakeup && ready_queue_wake(&s->q, warp))
        s->wakeups++;
}

#define T struct pas_params
const struct cfg_field pas_param_fields[] = {
    CFG_ROW(T, base, CFG_ENUM, "", "two_level", 0, 0, PAS_BASES, "base scheduler"),
    CFG_ROW(T, lead, CFG_ENUM, "", "always", 0, 0, PAS_LEADS,
            "how long a CTA's leading warp goes first: always, or until it has issued a load"),
    CFG_ROW(T, ready, CFG_INT, "warps", "8", 1, 64, NULL, "warps in the ready queue of one scheduler (two_level)"),
    CFG_ROW(T, wakeup, CFG_BOOL, "", "yes", 0, 1, NULL,
            "eager wake-up: a warp enters the ready queue when a line prefetched for it arrives (two_level)"),
    CFG_END};
#undef T

#define S struct pas
const struct stat_def pas_stats[] = {
    READY_QUEUE_STATS(S, q),
    STAT_NAMED(S, picks_leading, "picks.leading", "picks", "times a leading warp was chosen to issue"),
    STAT_NAMED(S, picks_trailing, "picks.trailing", "picks", "times a trailing warp was chosen to issue"),
    STAT_NAMED(S, arrivals, "arrivals", "lines", "prefetched lines whose arrival the prefetcher announced"),
    STAT_NAMED(S, wakeups, "wakeups", "warps", "of these, arrivals that moved the warp into the ready queue"),
    STAT_END};
#undef S

const struct sm_sched sm_sched_pas = {
    .info = {.name = "pas",
             .doc = "Prefetch-aware scheduling: the first warp of each CTA issues before others, and a warp whose "
                    "prefetched line has arrived moves into the ready queue (Koo et al., CAPS, IPDPS 2018). The "
                    "scheduler's half of caps, for other prefetchers or none.",
             .params = pas_param_fields,
             .params_bytes = sizeof(struct pas_params),
             .stats = pas_stats},
    PAS_HOOKS,
};
