/*
 * NAME: an order of requests in front of the LEVEL to start from. A buffer of NAME.entries requests: the oldest that the
 * cache is not known to refuse is looked up next, so a request that waits for an MSHR does not hold up those behind it.
 *
 * The layer (cache/order.h) keeps requests of one SM to the same line in their order, whatever is picked here.
 */
#include <weir/plugin.h>

struct NAME_params {
    uint32_t entries;
};

/* The state of one buffer; begins as zeroes. */
struct NAME {
    const struct order_host *host;
    struct order_queue queue;  /* oldest first */
    uint64_t requests, passed; /* statistics */
};

static int init(void *st, const void *params, struct order_host *host, struct err *e)
{
    struct NAME *s = st;
    const struct NAME_params *p = params;
    (void)e;
    s->host = host;
    s->queue = ORDER_QUEUE_EMPTY;
    host->capacity = p->entries;
    return 0;
}

static bool enqueue(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    struct NAME *s = st;
    (void)r, (void)now;
    order_queue_push(s->host, &s->queue, slot);
    s->requests++;
    return true;
}

/* Asked as often as the layer likes: changes nothing. */
static uint32_t pick(const void *st, uint64_t now)
{
    const struct NAME *s = st;
    uint32_t slot = s->queue.head;
    (void)now;
    while (slot != ORDER_NONE && !order_ready(s->host, slot))
        slot = order_queue_after(s->host, slot);
    return slot;
}

static void on_accept(void *st, uint32_t slot)
{
    struct NAME *s = st;
    s->passed += slot != s->queue.head;
    order_queue_remove(s->host, &s->queue, slot);
}

static enum order_action on_reject(void *st, uint32_t slot, enum stall why)
{
    (void)st, (void)slot, (void)why;
    return ORDER_PICK_ANOTHER;
}

static const struct cfg_field params[] = {
    CFG_ROW(struct NAME_params, entries, CFG_INT, "entries", "16", 1, 4096, NULL, "requests the buffer holds"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct NAME, requests, "requests", "requests taken into the buffer"),
    STAT_ROW(struct NAME, passed, "requests", "requests that left the buffer before the oldest"),
    STAT_END,
};

static const struct order_policy NAME = {
    .info = {.name = "NAME",
             .doc = "The oldest request that the cache can take goes first.",
             .params = params,
             .params_bytes = sizeof(struct NAME_params),
             .stats = stats},
    .state_bytes = sizeof(struct NAME),
    .init = init,
    .enqueue = enqueue,
    .pick = pick,
    .on_accept = on_accept,
    .on_reject = on_reject,
};

WEIR_PLUGIN(WEIR_LEVEL_ORDER(NAME))
