/*
 * Queues by DRAM bank in front of the L2 (Gu and Chen, CART, 2018, section III-C and figure 3).
 *
 * A request joins queue (bank mod queues) and leaves it in order; the queues are served in turn, one request each, so
 * that the misses of successive cycles go to different banks. A queue whose first request cannot be accepted is
 * skipped until the resource that the request lacks has been freed. With one queue this is a FIFO with head-of-line
 * blocking whose stalls are counted by case (l2_order.blocked_*).
 *
 * Slices of a channel divide its banks by the bank's low bits; these bits are removed, so that a slice uses all of its
 * queues. The queue of the network's port (l2.ingress_queue) is the paper's incoming buffer.
 */
#include "cache/order.h"

struct params {
    uint32_t queues, entries, select_cycles, max_wait;
};

struct bank_queues {
    const struct order_host *host;
    struct params p;
    struct order_queue *queue;
    uint32_t next; /* whose turn it is */
};

static int init(void *st, const void *params, struct order_host *host, struct err *e)
{
    (void)e;
    struct bank_queues *s = st;
    s->host = host;
    s->p = *(const struct params *)params;
    s->queue = order_queues(host, s->p.queues, s->p.entries);
    host->select_cycles = s->p.select_cycles;
    host->max_wait = s->p.max_wait;
    return 0;
}

static uint32_t queue_of(const struct bank_queues *s, const struct req *r)
{
    struct addr_place place;
    addrmap_place(s->host->map, r->addr, &place);
    return place.bank / s->host->map->n_slice_per_channel % s->p.queues;
}

static bool enqueue(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    (void)now;
    struct bank_queues *s = st;
    return order_queue_try_push(s->host, &s->queue[queue_of(s, r)], s->p.entries, slot);
}

static uint32_t pick(const void *st, uint64_t now)
{
    (void)now;
    const struct bank_queues *s = st;
    for (uint32_t i = 0; i < s->p.queues; i++) {
        uint32_t at = s->next + i < s->p.queues ? s->next + i : s->next + i - s->p.queues;
        uint32_t first = s->queue[at].head;
        if (first != ORDER_NONE && order_ready(s->host, first))
            return first;
    }
    return ORDER_NONE;
}

/* Passes the turn to the queue after this request's; returns the request's queue. */
static uint32_t pass_turn(struct bank_queues *s, uint32_t slot)
{
    uint32_t q = queue_of(s, order_req(s->host, slot));
    s->next = q + 1 < s->p.queues ? q + 1 : 0;
    return q;
}

static void on_accept(void *st, uint32_t slot)
{
    struct bank_queues *s = st;
    order_queue_remove(s->host, &s->queue[pass_turn(s, slot)], slot);
}

static enum order_action on_reject(void *st, uint32_t slot, enum stall why)
{
    (void)why;
    pass_turn(st, slot);
    return ORDER_PICK_ANOTHER;
}

#define T struct params
static const struct cfg_field fields[] = {
    CFG_ROW(T, queues, CFG_INT, "queues", "16", 1, 256, NULL, "queues of a slice: B in the paper"),
    CFG_ROW(T, entries, CFG_INT, "requests", "4", 1, 4096, NULL, "requests one queue holds"),
    CFG_ROW(T, select_cycles, CFG_INT, "cycles", "1", 1, 64, NULL, "cycles that one selection takes"),
    CFG_ROW(T, max_wait, CFG_INT, "cycles", "0", 0, 1u << 30, NULL,
            "requests that have waited longer get priority; 0 = never"),
    CFG_END};
#undef T

const struct order_policy l2_order_bank_queues = {
    .info = {.name = "bank_queues",
             .doc = "A queue per DRAM bank, served in turn. The design of CART's figure 3 (Gu and Chen, 2018): "
                    "successive misses go to different banks, at the cost of locality.",
             .params = fields,
             .params_bytes = sizeof(struct params)},
    .state_bytes = sizeof(struct bank_queues),
    .init = init,
    .enqueue = enqueue,
    .pick = pick,
    .on_accept = on_accept,
    .on_reject = on_reject};
