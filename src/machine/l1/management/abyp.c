/*
 * Adaptive bypassing (ABYP: Tian et al., GPGPU-8, 2015): loads whose lines die unused are not kept in the L1.
 *
 * A table of saturating counters, indexed by a hash of a load's pc, predicts whether the lines that the load touches
 * are dead on arrival. Every line records the hash of the load that last touched it. A hit shows that this load's line
 * was worth keeping: its counter is decremented, and the line records the new load. An eviction shows the opposite:
 * the counter of the load that last touched the line is incremented. A load whose counter has reached the threshold no
 * longer allocates (it still hits and merges). Bypassed lines give no further evidence, so they leave a mark in the
 * L2: the hash and the SM. The next request that finds such a mark shows that the line was reused: the counter is
 * decremented and the mark is cleared.
 *
 * The source is unclear about these, so they are parameters: the table's size, the width of the counters, the
 * threshold, and whether a mark of another SM counts. A line invalidated by a store changes no counter. The counters
 * start at 0: every load allocates until its lines have died unused.
 */
#include "l1/policy.h"

#include <string.h>

enum { ENTRIES = 128, NOTE_PLACE = 0x7f, NOTE_SM_SHIFT = 7, NOTE_SM = 0xff, NOTE_BYPASSED = 0x8000, NOTE_NONE = 1 };

struct abyp_params {
    uint32_t entries, bits, threshold;
    bool l2_correction, own_marks_only;
};

struct abyp {
    struct abyp_params p;
    struct l1_host *host;
    uint32_t max;
    uint16_t sm;     /* of this L1, as in a note */
    uint8_t *last;   /* side array: table index of the load that last touched the line, + 1; 0 = unknown */
    uint64_t stored; /* line number + 1 of the store that is about to drop a line */
    uint64_t predicted_dead, unallocated_misses, counter_increments, counter_decrements, corrections;
    uint8_t counter[ENTRIES];
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct abyp *s = st;
    (void)e;
    s->p = *(const struct abyp_params *)params;
    s->host = host;
    s->max = (1u << s->p.bits) - 1;
    s->sm = (uint16_t)((host->sm & NOTE_SM) << NOTE_SM_SHIFT);
    s->last = host->line_state;
    return 0;
}

/* The load's table index. A pc counts from the kernel's first instruction, so the kernel is hashed with it. */
static uint32_t place_of(const struct abyp *s, uint32_t pc)
{
    uint32_t x = pc + s->host->kernel * 0x9e3779b1u;
    return (x ^ x >> 7 ^ x >> 14 ^ x >> 21) % s->p.entries;
}

static void lower(struct abyp *s, uint32_t place)
{
    s->counter[place] = (uint8_t)(s->counter[place] - (s->counter[place] > 0));
}

static enum l1_decision decide(void *st, struct l1_access *a)
{
    struct abyp *s = st;
    uint32_t place = place_of(s, a->req->pc);
    s->stored = 0;
    a->policy_tag = s->p.l2_correction ? NOTE_NONE : 0; /* clears the mark of an earlier bypass */
    if (s->counter[place] < s->p.threshold)
        return L1_NORMAL;
    s->predicted_dead++;
    if (s->p.l2_correction)
        a->policy_tag = (uint16_t)(NOTE_BYPASSED | s->sm | place);
    return L1_BYPASS_MISS;
}

static void on_hit(void *st, const struct l1_access *a)
{
    struct abyp *s = st;
    if (a->entry < 0)
        return; /* merged with a miss that has no entry in the cache */
    uint8_t *last = &s->last[a->entry];
    if (*last) {
        s->counter_decrements++;
        lower(s, *last - 1u);
    }
    *last = (uint8_t)(place_of(s, a->req->pc) + 1);
}

static void on_miss(void *st, const struct l1_access *a, bool allocated)
{
    struct abyp *s = st;
    (void)allocated;
    if (a->entry >= 0)
        s->last[a->entry] = (uint8_t)(place_of(s, a->req->pc) + 1);
    else
        s->unallocated_misses++;
}

static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct abyp *s = st;
    if (!s->last[entry]) /* its entry was allocated only now */
        s->last[entry] = (uint8_t)(place_of(s, r->pc) + 1);
}

static void on_store(void *st, const struct l1_access *a)
{
    ((struct abyp *)st)->stored = a->line + 1;
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct abyp *s = st;
    (void)reused;
    uint32_t last = s->last[entry];
    s->last[entry] = 0;
    if (!last || line + 1 == s->stored)
        return;
    s->counter_increments++;
    s->counter[last - 1] = (uint8_t)(s->counter[last - 1] + (s->counter[last - 1] < s->max));
}

/* The L2's note for the line: the mark of the last bypass, if the line has not been requested since. */
static void on_reply(void *st, const struct req *r)
{
    struct abyp *s = st;
    if (r->kind != REQ_READ || !(r->policy_tag & NOTE_BYPASSED))
        return;
    if (s->p.own_marks_only && (r->policy_tag & NOTE_SM << NOTE_SM_SHIFT) != s->sm)
        return;
    s->corrections++;
    lower(s, (r->policy_tag & NOTE_PLACE) % s->p.entries);
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct abyp *s = st;
    (void)launch_index;
    /* The cache has been flushed without evictions; the counters are kept. */
    memset(s->last, 0, tags_entries(s->host->tags) * sizeof *s->last);
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    const struct abyp_params *p = params;
    if (p->threshold >= 1u << p->bits)
        return cfg_fault(c, "abyp.threshold", e, "a counter of %u bits (abyp.bits) never reaches it", p->bits);
    return 0;
}

#define T struct abyp_params
static const struct cfg_field params[] = {
    CFG_ROW(T, entries, CFG_INT, "counters", "128", 1, ENTRIES, NULL, "counters in the prediction table of one L1"),
    CFG_ROW(T, bits, CFG_INT, "bits", "4", 1, 8, NULL, "width of a counter"),
    CFG_ROW(T, threshold, CFG_INT, "", "8", 1, 255, NULL, "count from which a load's misses do not allocate"),
    CFG_ROW(T, l2_correction, CFG_BOOL, "", "yes", 0, 1, NULL,
            "bypassed lines are marked in the L2, and a request that finds the mark lowers the count"),
    CFG_ROW(T, own_marks_only, CFG_BOOL, "", "yes", 0, 1, NULL, "only marks of this SM's own requests count"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct abyp, predicted_dead, "requests", "loads predicted dead (no L1 allocation)"),
    STAT_ROW(struct abyp, unallocated_misses, "requests", "of these, misses that did not allocate"),
    STAT_ROW(struct abyp, counter_increments, "lines", "evictions that raised a counter"),
    STAT_ROW(struct abyp, counter_decrements, "requests", "hits and merges that lowered a counter"),
    STAT_ROW(struct abyp, corrections, "requests", "marks of wrong bypasses found in the L2"),
    STAT_END,
};

const struct l1_management l1_management_abyp = {
    .info = {.name = "abyp",
             .doc = "Adaptive bypassing: a load whose lines are evicted unused more often than they are hit no longer "
                    "allocates; marks in the L2 correct wrong predictions (Tian et al., GPGPU-8 2015).",
             .params = params,
             .params_bytes = sizeof(struct abyp_params),
             .stats = stats,
             .check = check},
    .state_bytes = sizeof(struct abyp),
    .line_state_bytes = sizeof(uint8_t),
    .l2_line_metadata = true,
    .init = init,
    .decide = decide,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .on_store = on_store,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_reply = on_reply,
    .on_kernel = on_kernel,
};
