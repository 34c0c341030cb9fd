/*
 * Priority-based cache allocation, the L1's half (Li, Rhu et al., HPCA 2015, the static scheme): `tokens` is the knob
 * T. The scheduler's half (sm/sched/pcal.c) limits how many warps may issue, W; with another scheduler all of them
 * may.
 *
 * Each of the T oldest warps of the SM holds a token, and its loads use the L1 normally. The loads of the other warps
 * may hit, but their misses do not allocate. Such a miss still has an MSHR entry, so that misses to one line merge,
 * and a line that a token holder merges with is kept. When a holder ends, its token passes to the oldest warp without
 * one. Choices where the source is unclear: a warp that waits at a barrier keeps its token; stores are not affected.
 * The dynamic schemes that adapt T or W are not implemented.
 */
#include "l1/policy.h"

enum { WARPS = 64 };

struct pcal_params {
    uint32_t tokens;
};

struct pcal {
    uint32_t tokens;
    uint64_t holders; /* warps with a token */
    uint64_t others;  /* live warps without */
    uint64_t seq, born[WARPS];
    uint64_t token_loads, other_loads, unallocated_misses, tokens_passed;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct pcal *s = st;
    (void)host, (void)e;
    s->tokens = ((const struct pcal_params *)params)->tokens;
    return 0;
}

static void start(struct pcal *s, uint32_t slot)
{
    uint64_t bit = 1ull << slot;
    s->born[slot] = s->seq++;
    if ((uint32_t)__builtin_popcountll(s->holders) < s->tokens)
        s->holders |= bit;
    else
        s->others |= bit;
}

static void end(struct pcal *s, uint32_t slot)
{
    uint64_t bit = 1ull << slot, left = s->others & ~bit;
    s->others = left;
    if (!(s->holders & bit))
        return;
    s->holders &= ~bit;
    if (!left)
        return;
    unsigned heir = (unsigned)__builtin_ctzll(left);
    while (left &= left - 1) {
        unsigned w = (unsigned)__builtin_ctzll(left);
        heir = s->born[w] < s->born[heir] ? w : heir;
    }
    s->others &= ~(1ull << heir);
    s->holders |= 1ull << heir;
    s->tokens_passed++;
}

static void on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    (void)argument;
    if (kind == EVENT_WARP_START)
        start(st, slot % WARPS);
    else
        end(st, slot % WARPS);
}

static enum l1_decision decide(void *st, struct l1_access *a)
{
    struct pcal *s = st;
    if (s->others >> a->req->warp % WARPS & 1) {
        s->other_loads++;
        return L1_BYPASS_MISS;
    }
    s->token_loads++; /* or of a warp that has ended and waits for no data: normal */
    return L1_NORMAL;
}

static void on_miss(void *st, const struct l1_access *a, bool allocated)
{
    struct pcal *s = st;
    (void)allocated;
    s->unallocated_misses += a->entry < 0;
}

static const struct cfg_field params[] = {CFG_ROW(struct pcal_params, tokens, CFG_INT, "warps", "64", 0, 64, NULL,
                                                  "T: warps of an SM whose misses may allocate in the L1, the oldest "
                                                  "ones; values above pcal.warps x sm.schedulers have no effect"),
                                          CFG_END};
static const struct stat_def stats[] = {
    STAT_ROW(struct pcal, token_loads, "requests", "loads of warps with a token"),
    STAT_ROW(struct pcal, other_loads, "requests", "loads of warps without"),
    STAT_ROW(struct pcal, unallocated_misses, "requests",
             "misses that did not allocate, because their warp had no token"),
    STAT_ROW(struct pcal, tokens_passed, "tokens", "tokens transferred when their warp ended"),
    STAT_END,
};

const struct l1_management l1_management_pcal = {
    .info = {.name = "pcal",
             .doc = "Static PCAL, the L1's half: only the loads of the oldest pcal.tokens warps of an SM allocate in "
                    "the L1, other warps' loads may hit but do not allocate (Li et al., HPCA 2015).",
             .params = params,
             .params_bytes = sizeof(struct pcal_params),
             .stats = stats},
    .state_bytes = sizeof(struct pcal),
    .events = 1u << EVENT_WARP_START | 1u << EVENT_WARP_EXIT,
    .init = init,
    .decide = decide,
    .on_miss = on_miss,
    .on_event = on_event,
};
