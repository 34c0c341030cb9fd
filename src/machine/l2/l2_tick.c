/*
 * One cycle of an L2 slice: a fill, a reply, one look-up, misses to DRAM.
 *
 * States of a request:
 *
 *   in the port (the slice's latency) -> [held by the request order] -> at the tags -> taken as
 *       hit             -> reply network
 *       miss, merge     -> a waiter in an MSHR -> fill -> ready -> reply network
 *       bypass          -> a waiter of its own -> reply of DRAM -> ready -> reply network
 *       write           -> reply network (the acknowledgment)
 *       write-back      -> done: it is not answered
 *
 * A request that cannot be accepted blocks the tags; with a request order (cache/order.h) the policy may try another
 * request instead.
 */
#include "l2/l2_priv.h"

/* l2.look_up_room: the full queue behind the tags that keeps every request from being looked up, or STALL_NONE. */
ALWAYS_INLINE enum stall full_queue(const struct l2 *l2)
{
    if (!l2->cfg.look_up_room)
        return STALL_NONE;
    return !port_can_send(l2->dram_out)    ? STALL_MISS_QUEUE_FULL
           : !port_can_send(l2->reply_out) ? STALL_REPLY_FULL
                                           : STALL_NONE;
}

/* Closes the tags while such a queue is full; the queue wakes the slice. */
ALWAYS_INLINE bool is_closed(struct l2 *l2, uint64_t now)
{
    enum stall why = full_queue(l2);
    if (why >= 0 && !l2->closed && l2->blocked != (int8_t)why)
        l2_count_stall(l2, &l2->at_tags, why, now);
    l2->closed = why >= 0;
    return l2->closed;
}

/* The look-up stage without a request order: one request at a time, straight from the port. */
ALWAYS_INLINE void access_in_order(struct l2 *l2, uint64_t now)
{
    if (l2->at_tags.req == REQ_NONE) {
        if (!port_peek(&l2->in, now))
            return;
        struct msg got = port_pop(&l2->in);
        l2->stats.requests++;
        l2->at_tags = l2_look_up_begin(l2, got.req, got.info, false, false);
    } else if (l2->blocked >= 0 && l2->blocked <= STALL_MISS_QUEUE_FULL && !l2->freed && !l2->closed) {
        return; /* it would fail again, even to bypass, which needs a waiter and room in the miss queue */
    }
    if (is_closed(l2, now))
        return;
    l2->freed = 0;
    l2_try_plain(l2, now);
}

/* Stall causes that have been resolved since requests were last tried, or do not apply now. */
static uint32_t gone(const struct l2 *l2, uint64_t now)
{
    uint32_t waits = order_waits(l2->order), causes = l2->freed;
    if (waits & 1u << STALL_REPLY_FULL && port_can_send(l2->reply_out))
        causes |= 1u << STALL_REPLY_FULL;
    if (waits & 1u << STALL_ATOMIC_BUSY && now >= l2->atomic_free_at)
        causes |= 1u << STALL_ATOMIC_BUSY;
    /* A request that may bypass needs room in the queue below, not the resource it was refused for. */
    if (l2->cfg.bypass_on_stall && causes & (1u << STALL_MISS_QUEUE_FULL | 1u << STALL_NO_MSHR))
        causes |= 1u << STALL_NO_WAY | 1u << STALL_NO_MSHR | 1u << STALL_NO_MERGE_SLOT;
    return causes & waits;
}

/* The look-up stage behind a request order: it tries the offered requests, one look-up per cycle. */
static __attribute__((noinline)) void access_reordered(struct l2 *l2, uint64_t now)
{
    struct order *o = l2->order;
    l2->at_tags.waited = true; /* what waits at closed tags was not refused itself */
    if (order_count(o) && is_closed(l2, now))
        return;
    order_freed(o, gone(l2, now));
    l2->freed = 0;
    l2->offered = order_offer(o, now);
    if (l2->offered == ORDER_NONE)
        return;
    const struct order_slot *x = &o->slot[l2->offered];
    l2->at_tags = l2_look_up_begin(l2, x->req, x->info, x->refused, false);
    l2_try_reordered(l2, now);
    l2->at_tags.req = REQ_NONE; /* a refused request waits in its slot */
}

/* Moves one request per cycle from the network's queue into the buffer. false: there is one, but no room for it. */
static bool fill_order(struct l2 *l2, uint64_t now)
{
    const struct msg *m = port_peek(&l2->in, now);
    if (!m)
        return true;
    if (!order_enqueue(l2->order, m->req, m->info, now))
        return false;
    port_pop(&l2->in);
    l2->stats.requests++;
    return true;
}

struct fill {
    struct l2 *l2;
    uint8_t have;   /* of the line's sectors */
    uint8_t served; /* where they came from: enum req_served */
};

static uint32_t *fill_link(void *ctx, uint32_t w)
{
    return l2_waiter_link(((struct fill *)ctx)->l2, w);
}

/* Replies to a waiter if all its sectors have arrived. */
static bool serve(void *ctx, uint32_t w)
{
    const struct fill *f = (const struct fill *)ctx;
    const struct l2_waiter *x = &f->l2->waiter[w];
    if (x->sectors & ~f->have)
        return false;
    f->l2->req[x->req].served = f->served;
    ring_push(&f->l2->ready, w);
    return true;
}

static void take_fill(struct l2 *l2, req_id id, bool copy)
{
    const struct req *d = &l2->req[id];
    uint32_t m = d->token;
    uint8_t sectors = d->sectors, served = d->served;
    free_causes(l2, 1u << STALL_NO_WAY | 1u << STALL_NO_MSHR | 1u << STALL_NO_MERGE_SLOT);
    req_release(engine_pool(&l2->comp), id);
    l2->stats.fills += units(l2, sectors);
    if (m & L2_BYPASS) {
        uint32_t w = m & ~L2_BYPASS;
        l2->req[l2->waiter[w].req].served = REQ_AT_DRAM;
        ring_push(&l2->ready, w);
        return;
    }
    struct mshr_entry *e = &l2->mshr.e[m];
    struct tags *t = &l2->tags;
    uint32_t entry = (uint32_t)e->entry;
    e->arrived |= sectors;
    t->valid[entry] |= sectors;
    t->pending[entry] &= (uint8_t)~sectors;
    struct fill f = {l2, t->valid[entry], served};
    mshr_split(e, fill_link, &f, serve);
    if (e->arrived == e->asked) {
        l2->mshr_units -= units(l2, e->asked);
        l2->copy_units -= copy ? units(l2, e->asked) : 0;
        mshr_remove(&l2->mshr, m);
    }
}

/* The next cycle in which the look-up stage may have work. Full ports wake the slice when they have room. */
static uint64_t next_look_up(const struct l2 *l2, uint64_t now)
{
    if (l2->at_tags.req == REQ_NONE)
        return port_next_ready(&l2->in);
    /* Blocked: a fill or room in the reply network causes the next tick; the miss queue was drained after the look-up.
     */
    if (l2->closed && full_queue(l2) >= 0)
        return NEVER;
    if (l2->blocked < 0 || l2->port_free_at > now || l2->closed || (l2->blocked <= STALL_MISS_QUEUE_FULL && l2->freed))
        return now + 1;
    return l2->blocked == STALL_ATOMIC_BUSY ? l2->atomic_free_at : NEVER;
}

static uint64_t next_offer(const struct l2 *l2, uint64_t now)
{
    if (order_count(l2->order) && full_queue(l2) >= 0)
        return l2->closed ? NEVER : now + 1; /* the next try closes the tags */
    uint64_t at = l2->closed ? now + 1 : order_next_cycle(l2->order, now);
    if (order_waits(l2->order) & 1u << STALL_ATOMIC_BUSY)
        at = earliest(at, l2->atomic_free_at);
    if (gone(l2, now))
        at = now + 1;
    return at;
}

/* Can the reply of the oldest complete waiter be sent? */
ALWAYS_INLINE bool can_answer(const struct l2 *l2, uint64_t now, bool partitioned)
{
    if (ring_empty(&l2->ready))
        return false;
    if (partitioned && l2_fetches_copy(l2, &l2->waiter[ring_front(&l2->ready)]))
        return l2_link_ready(l2, l2->copy_out, now);
    return port_can_send(l2->reply_out);
}

ALWAYS_INLINE void answer(struct l2 *l2, uint64_t now, bool partitioned)
{
    uint32_t w = ring_pop(&l2->ready);
    req_id id = l2->waiter[w].req;
    free_causes(l2, 1u << STALL_NO_MSHR);
    if (l2->reads)
        l2_coalescer_answered(l2, l2->req[id].addr >> l2->tags.line_shift, now);
    if (partitioned && l2_fetches_copy(l2, &l2->waiter[w]))
        l2_send_copy(l2, id, l2->waiter[w].sectors, now);
    else
        l2_answer(l2, id, l2->waiter[w].sectors, is_atomic(&l2->req[id]) ? l2->cfg.atomic_latency : 0,
                  l2->waiter[w].joined);
    l2->waiter[w].next = l2->waiter_free;
    l2->waiter_free = w;
}

ALWAYS_INLINE uint64_t tick(struct l2 *l2, uint64_t now, bool reorder, bool partitioned)
{
    bool room = true;
    if (now >= l2->fill_free_at && port_peek(&l2->fill_in, now)) {
        take_fill(l2, port_pop(&l2->fill_in).req, false);
        if (l2->cfg.fill_bytes)
            l2->fill_free_at = now + ((1u << l2->tags.line_shift) - 1) / l2->cfg.fill_bytes + 1;
    }
    if (partitioned && port_peek(&l2->copy_in, now))
        take_fill(l2, port_pop(&l2->copy_in).req, true);
    if (can_answer(l2, now, partitioned))
        answer(l2, now, partitioned);
    const bool joined = !reorder && l2->reads && l2_coalesce(l2, now);
    if (now >= l2->port_free_at && !(partitioned && l2_access_far(l2, now))) {
        if (reorder)
            access_reordered(l2, now);
        else if (!joined)
            access_in_order(l2, now);
    }
    if (reorder)
        room = fill_order(l2, now);
    for (uint32_t n = 0;
         !ring_empty(&l2->miss) && (!l2->cfg.miss_rate || n < l2->cfg.miss_rate) && port_can_send(l2->dram_out); n++) {
        free_causes(l2, 1u << STALL_MISS_QUEUE_FULL);
        req_id id = ring_pop(&l2->miss);
        const struct req *r = &l2->req[id];
        /* A split fetch is one request per sector to the DRAM, and occupies as many entries of its queue. */
        uint32_t pieces = r->kind == REQ_READ ? units(l2, r->sectors) : 1;
        port_send(l2->dram_out, id, net_info_pieces(r->bytes / pieces, r->sectors, pieces));
    }
    if (partitioned)
        l2_send_far(l2, now);

    uint64_t want = port_next_ready(&l2->fill_in), look;
    if (want < l2->fill_free_at)
        want = l2->fill_free_at;
    if (l2->cfg.miss_rate && !ring_empty(&l2->miss) && port_can_send(l2->dram_out))
        want = now + 1;
    if (can_answer(l2, now, partitioned))
        want = now + 1;
    if (partitioned)
        want = earliest(want, l2_next_far(l2, now));
    if (reorder) {
        look = next_offer(l2, now);
        if (room) /* otherwise a request must leave the buffer first */
            want = earliest(want, port_next_ready(&l2->in));
    } else {
        look = next_look_up(l2, now);
        if (l2->reads)
            want = earliest(want, l2_coalescer_next(l2, now));
    }
    want = earliest(want, look < l2->port_free_at ? l2->port_free_at : look);
    return want > now ? want : now + 1;
}

uint64_t l2_tick_plain(struct comp *comp, uint64_t now)
{
    return tick((struct l2 *)comp, now, false, false);
}

uint64_t l2_tick_reordered(struct comp *comp, uint64_t now)
{
    struct l2 *l2 = (struct l2 *)comp;
    return tick(l2, now, true, l2->remote_out != NULL);
}

uint64_t l2_tick_partitioned(struct comp *comp, uint64_t now)
{
    return tick((struct l2 *)comp, now, false, true);
}
