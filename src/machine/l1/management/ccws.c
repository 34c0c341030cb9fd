/*
 * Cache-conscious wavefront scheduling, the L1's half: detects which warps miss on lines they have lost (Rogers,
 * O'Connor, Aamodt, MICRO 2012, section 4.1). Scores and throttling are the scheduler's half, sm/sched/ccws.c.
 *
 * Every warp has a victim tag array (VTA): the most recently evicted lines of those that it fetched, in sets with FIFO
 * replacement (16 tags in 2 sets in the authors' simulator). A load that misses and finds its line in its own warp's
 * VTA has lost locality; an event tells the scheduler. A store invalidates the line's tag in all VTAs.
 *
 * Choices where the source is silent: a tag leaves the VTA when it is hit (the line is no longer lost), a line that
 * enters again takes no second entry, and a new warp in a slot starts with an empty VTA. With another scheduler this
 * half only measures: it counts lost locality and does not affect timing.
 */
#include "l1/policy.h"

#include <string.h>

enum { WARPS = 64, ENTRIES = 64 };

struct ccws_params {
    uint32_t vta_entries, vta_assoc;
};

struct vta {
    uint64_t line[ENTRIES]; /* line number + 1; 0 = empty */
    uint8_t next[ENTRIES];  /* by set: the way that is replaced next */
};

struct ccws {
    struct l1_host *host;
    uint16_t *owner; /* side array: the warp that fetched the line */
    uint32_t sets, ways;
    uint64_t stored; /* line number + 1 of the store that is about to drop a line */
    struct {
        uint64_t line; /* line number + 1; 0 = nothing */
        uint16_t warp;
    } leaving; /* a line evicted by a miss that has yet to probe its own VTA, which comes first */
    uint64_t vta_inserts, vta_hits, vta_misses;
    struct vta vta[WARPS];
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct ccws *s = st;
    const struct ccws_params *p = params;
    (void)e;
    s->host = host;
    s->owner = host->line_state;
    s->ways = p->vta_assoc;
    s->sets = p->vta_entries / p->vta_assoc;
    return 0;
}

/* Index of the first tag of the line's set. */
static uint32_t set_of(const struct ccws *s, uint64_t line)
{
    return (uint32_t)(line % s->sets) * s->ways;
}

/* Where the line is in the set at `base`, or -1. */
static int find(const struct ccws *s, const struct vta *v, uint32_t base, uint64_t line)
{
    for (uint32_t i = base; i < base + s->ways; i++)
        if (v->line[i] == line + 1)
            return (int)i;
    return -1;
}

static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct ccws *s = st;
    s->owner[entry] = r->warp % WARPS;
}

/* Puts the tag of the line that was evicted last into its warp's VTA. */
static void insert(struct ccws *s)
{
    if (!s->leaving.line)
        return;
    uint64_t line = s->leaving.line - 1;
    uint32_t base = set_of(s, line);
    struct vta *v = &s->vta[s->leaving.warp];
    s->leaving.line = 0;
    if (find(s, v, base, line) >= 0)
        return;
    uint8_t *next = &v->next[base / s->ways];
    v->line[base + *next] = line + 1;
    *next = (uint8_t)((*next + 1u) % s->ways);
    s->vta_inserts++;
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct ccws *s = st;
    (void)reused;
    insert(s);
    if (line + 1 == s->stored)
        return; /* not lost: made stale by a store */
    s->leaving.line = line + 1;
    s->leaving.warp = s->owner[entry];
}

static void on_miss(void *st, const struct l1_access *a, bool allocated)
{
    struct ccws *s = st;
    (void)allocated;
    if (a->req->flags & REQ_F_PREFETCH)
        return;
    unsigned warp = a->req->warp % WARPS;
    struct vta *v = &s->vta[warp];
    int at = find(s, v, set_of(s, a->line), a->line);
    if (at < 0) {
        s->vta_misses++;
    } else {
        v->line[at] = 0;
        s->vta_hits++;
        l1_notify_sm(s->host, EVENT_LOST_LOCALITY, warp, (uint32_t)a->now);
    }
    insert(s);
}

static void on_store(void *st, const struct l1_access *a)
{
    struct ccws *s = st;
    uint32_t base = set_of(s, a->line);
    insert(s);
    s->stored = a->line + 1;
    for (unsigned w = 0; w < s->host->n_warp; w++) {
        int at = find(s, &s->vta[w], base, a->line);
        if (at >= 0)
            s->vta[w].line[at] = 0;
    }
}

static enum l1_decision decide(void *st, struct l1_access *a)
{
    struct ccws *s = st;
    (void)a;
    insert(s);
    s->stored = 0; /* an eviction from here on is caused by a load */
    return L1_NORMAL;
}

static void on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    struct ccws *s = st;
    (void)kind, (void)argument;
    insert(s);
    memset(&s->vta[slot % WARPS], 0, sizeof *s->vta);
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    const struct ccws_params *p = params;
    if (p->vta_entries % p->vta_assoc)
        return cfg_fault(c, "ccws.vta_assoc", e, "%u tags (ccws.vta_entries) cannot be divided into sets of %u",
                         p->vta_entries, p->vta_assoc);
    return 0;
}

#define T struct ccws_params
static const struct cfg_field params[] = {
    CFG_ROW(T, vta_entries, CFG_INT, "tags", "16", 1, ENTRIES, NULL, "tags in the victim tag array of one warp"),
    CFG_ROW(T, vta_assoc, CFG_INT, "ways", "8", 1, ENTRIES, NULL, "its associativity; first in, first out"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct ccws, vta_inserts, "lines", "evicted lines whose tags entered a victim tag array"),
    STAT_ROW(struct ccws, vta_hits, "requests", "load misses on lines the same warp had lost"),
    STAT_ROW(struct ccws, vta_misses, "requests", "load misses on other lines"),
    STAT_QUOTIENT("lost_rate", "", "ccws.vta_hits", "ccws.vta_hits+ccws.vta_misses",
                  "share of load misses on lost lines"),
    STAT_END,
};

const struct l1_management l1_management_ccws = {
    .info = {.name = "ccws",
             .doc =
                 "Cache-conscious wavefront scheduling, the L1's half: victim tag arrays find warps that miss on "
                 "lines they have lost and tell the scheduler (Rogers et al., MICRO 2012). What the L1 keeps is LRU.",
             .params = params,
             .params_bytes = sizeof(struct ccws_params),
             .stats = stats,
             .check = check},
    .state_bytes = sizeof(struct ccws),
    .line_state_bytes = sizeof(uint16_t),
    .events = 1u << EVENT_WARP_START,
    .init = init,
    .decide = decide,
    .on_miss = on_miss,
    .on_store = on_store,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_event = on_event,
};
