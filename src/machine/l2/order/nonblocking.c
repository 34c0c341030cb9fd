/*
 * A non-blocking request buffer in front of the L2 (Gu and Chen, CART, 2018, section III-B and figure 2(b)).
 *
 * Requests leave in the order of their arrival until one cannot be accepted. Then the selector moves on to the next
 * request that is not known to lack the same resource, wherever it is in the buffer: a secondary miss behind a primary
 * one that finds no MSHR entry, a miss behind a secondary one whose entry is full, a hit behind either.
 *
 * round_robin: the selector continues after the request that last overtook others, and returns to the oldest at the
 * buffer's end, so that every request has its turn. oldest: it always takes the oldest that qualifies.
 *
 * The paper's giant multiplexer selects a qualified request among all at once; select_cycles is the cost of that. The
 * queue of the network's port (l2.ingress_queue) remains in front of the buffer.
 */
#include "cache/order.h"

enum { SELECT_ROUND_ROBIN, SELECT_OLDEST };

struct params {
    uint32_t entries, select, select_cycles, max_wait;
};

struct nonblocking {
    const struct order_host *host;
    struct order_queue all; /* in order of arrival */
    uint32_t from;          /* round robin: where the selector continues; ORDER_NONE = at the oldest */
    uint32_t select;
};

static int init(void *st, const void *params, struct order_host *host, struct err *e)
{
    (void)e;
    struct nonblocking *s = st;
    const struct params *p = params;
    *s = (struct nonblocking){.host = host, .all = ORDER_QUEUE_EMPTY, .from = ORDER_NONE, .select = p->select};
    host->capacity = p->entries;
    host->select_cycles = p->select_cycles;
    host->max_wait = p->max_wait;
    return 0;
}

static bool enqueue(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    (void)r, (void)now;
    struct nonblocking *s = st;
    order_queue_push(s->host, &s->all, slot);
    return true;
}

static uint32_t pick(const void *st, uint64_t now)
{
    (void)now;
    const struct nonblocking *s = st;
    for (uint32_t k = s->from; k != ORDER_NONE; k = order_queue_after(s->host, k))
        if (order_ready(s->host, k))
            return k;
    for (uint32_t k = s->all.head; k != s->from && k != ORDER_NONE; k = order_queue_after(s->host, k))
        if (order_ready(s->host, k))
            return k;
    return ORDER_NONE;
}

static void on_accept(void *st, uint32_t slot)
{
    struct nonblocking *s = st;
    /* While nothing stalls, the selector stays at the oldest. */
    if (s->select == SELECT_ROUND_ROBIN && (slot == s->from || slot != s->all.head))
        s->from = order_queue_after(s->host, slot);
    order_queue_remove(s->host, &s->all, slot);
}

static enum order_action on_reject(void *st, uint32_t slot, enum stall why)
{
    (void)st, (void)slot, (void)why;
    return ORDER_PICK_ANOTHER;
}

#define T struct params
static const struct cfg_field fields[] = {
    CFG_ROW(T, entries, CFG_INT, "requests", "64", 1, 65536, NULL, "requests the buffer holds"),
    CFG_ROW(T, select, CFG_ENUM, "", "round_robin", 0, 0, "round_robin oldest",
            "request to try after a stall: the next in the buffer, or the oldest that may succeed"),
    CFG_ROW(T, select_cycles, CFG_INT, "cycles", "1", 1, 64, NULL, "cycles that one selection takes"),
    CFG_ROW(T, max_wait, CFG_INT, "cycles", "0", 0, 1u << 30, NULL,
            "requests that have waited longer get priority; 0 = never"),
    CFG_END};
#undef T

const struct order_policy l2_order_nonblocking = {
    .info = {.name = "nonblocking",
             .doc = "A request that the cache rejects lets others pass. The buffer of CART's figure 2(b) (Gu and Chen, "
                    "2018): any request can be selected, so that hits and merges pass misses that find no MSHR.",
             .params = fields,
             .params_bytes = sizeof(struct params)},
    .state_bytes = sizeof(struct nonblocking),
    .init = init,
    .enqueue = enqueue,
    .pick = pick,
    .on_accept = on_accept,
    .on_reject = on_reject};
