/*
 * MRPB, the Memory Request Prioritization Buffer between the coalescer and the L1 (Jia, Shaw and Martonosi, HPCA 2014).
 *
 * Requests are sorted into FIFO queues by a signature (warp, or CTA) and drained by fixed priority: the first
 * non-empty queue, so that one warp's requests stay together. A load that misses in a set whose ways are all reserved
 * bypasses the cache instead of stalling (mrpb.bypass = no_way), or at any stall for a line, an MSHR entry or a merge
 * slot (any).
 *
 * Published descriptions give the queues, the fixed priority and the bypass on associativity stalls. They do not give
 * the number and depth of the queues, which are parameters, as are greedy and longest-first drains. A full queue
 * blocks the coalescer. A warp's stores are in its own queue, and the layer keeps requests to one line in order; the
 * SM enforces fences.
 */
#include "cache/order.h"

enum { SIGN_WARP, SIGN_CTA };
enum { DRAIN_FIXED, DRAIN_GREEDY, DRAIN_LONGEST };
enum { BYPASS_LINE, BYPASS_ANY, BYPASS_NONE };

struct params {
    uint32_t queues, entries, signature, drain, bypass;
};

struct mrpb {
    const struct order_host *host;
    struct params p;
    struct order_queue *queue;
    uint32_t last;     /* queue drained last */
    uint64_t bypasses; /* bypasses requested; the L1 counts those it performed */
};

static int init(void *st, const void *params, struct order_host *host, struct err *e)
{
    (void)e;
    struct mrpb *s = st;
    s->host = host;
    s->p = *(const struct params *)params;
    s->queue = order_queues(host, s->p.queues, s->p.entries);
    return 0;
}

static uint32_t queue_of(const struct mrpb *s, const struct req *r)
{
    return (s->p.signature == SIGN_WARP ? r->warp : r->cta) % s->p.queues;
}

static bool enqueue(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    (void)now;
    struct mrpb *s = st;
    return order_queue_try_push(s->host, &s->queue[queue_of(s, r)], s->p.entries, slot);
}

static uint32_t pick(const void *st, uint64_t now)
{
    (void)now;
    const struct mrpb *s = st;
    if (s->p.drain == DRAIN_GREEDY && s->queue[s->last].n)
        return s->queue[s->last].head;
    uint32_t best = ORDER_NONE;
    for (uint32_t i = 0; i < s->p.queues; i++) {
        if (!s->queue[i].n)
            continue;
        if (s->p.drain != DRAIN_LONGEST)
            return s->queue[i].head;
        if (best == ORDER_NONE || s->queue[i].n > s->queue[best].n)
            best = i;
    }
    return best == ORDER_NONE ? ORDER_NONE : s->queue[best].head;
}

static void on_accept(void *st, uint32_t slot)
{
    struct mrpb *s = st;
    s->last = queue_of(s, order_req(s->host, slot));
    order_queue_remove(s->host, &s->queue[s->last], slot);
}

static enum order_action on_reject(void *st, uint32_t slot, enum stall why)
{
    (void)slot;
    struct mrpb *s = st;
    bool resource =
        why == STALL_NO_WAY || (s->p.bypass == BYPASS_ANY && (why == STALL_NO_MSHR || why == STALL_NO_MERGE_SLOT));
    if (s->p.bypass == BYPASS_NONE || !resource)
        return ORDER_WAIT;
    s->bypasses++;
    return ORDER_BYPASS;
}

#define T struct params
static const struct cfg_field fields[] = {
    CFG_ROW(T, queues, CFG_INT, "queues", "48", 1, 64, NULL, "FIFO queues of an SM"),
    CFG_ROW(T, entries, CFG_INT, "requests", "8", 1, 1024, NULL, "requests one queue holds"),
    CFG_ROW(T, signature, CFG_ENUM, "", "warp", 0, 0, "warp cta", "request property that selects the queue"),
    CFG_ROW(T, drain, CFG_ENUM, "", "fixed", 0, 0, "fixed greedy longest",
            "which queue drains first: the lowest-numbered, the current one until empty, or the longest"),
    CFG_ROW(T, bypass, CFG_ENUM, "", "no_way", 0, 0, "no_way any none",
            "which stalls a load bypasses: every way reserved; MSHR and merge slots as well; none"),
    CFG_END};
#undef T

#define S struct mrpb
static const struct stat_def stats[] = {STAT_ROW(S, bypasses, "tries", "stalled requests selected to bypass the L1"),
                                        STAT_END};
#undef S

const struct order_policy l1_order_mrpb = {
    .info = {.name = "mrpb",
             .doc =
                 "Memory Request Prioritization Buffer: requests wait in a queue per warp and leave by fixed priority; "
                 "those that find every way reserved bypass the L1 (Jia, Shaw, Martonosi, HPCA 2014).",
             .params = fields,
             .params_bytes = sizeof(struct params),
             .stats = stats},
    .state_bytes = sizeof(struct mrpb),
    .init = init,
    .enqueue = enqueue,
    .pick = pick,
    .on_accept = on_accept,
    .on_reject = on_reject};
