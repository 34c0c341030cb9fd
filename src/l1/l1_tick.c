/*
 * One cycle of an L1 unit: events, one reply from the network, the tags of each cache, prefetches, one packet to the
 * network. What the cycle frees at one stage is used by the stage before it in the next cycle.
 */
#include "l1/l1_priv.h"

static void count_fail(struct l1_cache *c, struct req *r, int fail, uint64_t now)
{
    if (c->blocked != fail) {
        if (c->blocked >= 0)
            c->stats.fail_cycles[c->blocked] += now - c->blocked_since;
        c->blocked = (int8_t)fail;
        c->blocked_since = now;
    }
    if (!(r->flags & REQ_F_WAITED)) {
        r->flags |= REQ_F_WAITED;
        c->stats.failed[fail]++;
    }
}

static inline void count_taken(struct l1_cache *c, uint64_t now)
{
    if (c->blocked >= 0) {
        c->stats.fail_cycles[c->blocked] += now - c->blocked_since;
        c->blocked = -1;
    }
}

/* `hooked` is constant where it is false: an L1 without policies runs code in which they do not exist. */
#define BODY static inline __attribute__((always_inline))

BODY int try_access(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now, bool hooked)
{
    return hooked ? l1_access_hooked(l1, c, id, now) : l1_access_plain(l1, c, id, now);
}

/* The oldest requests of the SM's port, in order; as many as ports and banks allow. Returns how many were taken. */
BODY uint32_t take_in_order(struct l1 *l1, struct l1_cache *c, uint64_t now, bool hooked)
{
    const struct msg *m;
    uint32_t taken = 0;
    uint64_t banks_used = 0;
    /* Without policies a blocked access fails again until a line has come or the miss queue has moved. */
    if (c->blocked >= 0 && !c->freed && !hooked)
        return 0;
    c->freed = false;
    while (taken < c->cfg.ports && (m = port_peek(&c->in, now))) {
        req_id id = m->req;
        struct req *r = &l1->req[id];
        if (c->cfg.banks > 1) {
            uint64_t bank = 1ull << (r->addr >> c->tags.line_shift & (c->cfg.banks - 1));
            if (banks_used & bank)
                break;
            banks_used |= bank;
        }
        l1->in_flight++; /* a hit gives it back at once */
        int fail = try_access(l1, c, id, now, hooked);
        if (fail >= 0) {
            l1->in_flight--;
            count_fail(c, r, fail, now);
            return taken;
        }
        count_taken(c, now);
        port_pop(&c->in);
        taken++;
    }
    return taken;
}

/* The same with a reordering buffer between the port and the tags. */
static uint32_t take_reordered(struct l1 *l1, struct l1_cache *c, uint64_t now)
{
    const struct msg *m;
    uint32_t taken = 0;
    while (taken < c->cfg.ports) {
        req_id id = l1->order->pick(l1->order_st, l1->req, now);
        if (id == REQ_NONE)
            break;
        struct req *r = &l1->req[id];
        req_id next = r->next;
        int fail = try_access(l1, c, id, now, true);
        if (fail >= 0) {
            count_fail(c, r, fail, now);
            break;
        }
        count_taken(c, now);
        l1->order->take(l1->order_st, l1->req, id, next);
        taken++;
    }
    while ((m = port_peek(&c->in, now)) && l1->order->room(l1->order_st, &l1->req[m->req])) {
        l1->in_flight++;
        l1->order->push(l1->order_st, l1->req, port_pop(&c->in).req);
    }
    return taken;
}

/* Requests of other SMs for lines that live here: after this SM's own. */
static void take_remote(struct l1 *l1, struct l1_cache *c, uint64_t now, uint32_t taken)
{
    const struct msg *m;
    while (taken < c->cfg.ports && (m = port_peek(&l1->request_in, now))) {
        if (l1->remote_inside == l1->remote_reply.cap || try_access(l1, c, m->req, now, true) >= 0)
            return;
        port_pop(&l1->request_in);
        l1->remote_inside++;
        c->stats.remote_served++;
        taken++;
    }
}

static void send_down(struct l1 *l1, uint64_t now)
{
    (void)now;
    for (uint32_t k = 0; k < L1_COUNT; k++) {
        uint32_t i = l1->next_cache + k;
        if (i >= L1_COUNT)
            i -= L1_COUNT;
        struct l1_cache *c = l1->cache[i];
        if (!c || ring_empty(&c->miss_queue))
            continue;
        if (!port_can_send(l1->request_out))
            return;
        c->freed = true;
        req_id id = ring_pop(&c->miss_queue);
        port_send(l1->request_out, id, ring_pop(&c->miss_info));
        l1->next_cache = (uint8_t)(i + 1 == L1_COUNT ? 0 : i + 1);
        return;
    }
}

static void send_remote_reply(struct l1 *l1)
{
    if (ring_empty(&l1->remote_reply) || !port_can_send(l1->reply_out))
        return;
    req_id id = ring_pop(&l1->remote_reply);
    l1->remote_inside--;
    struct req *r = &l1->req[id];
    uint32_t bytes = 0;
    if (r->kind == REQ_READ)
        bytes = l1->org && l1->org->reply_bytes ? l1->org->reply_bytes(l1->org_st, r)
                                                : 1u << l1->cache[L1_DATA]->tags.line_shift;
    port_send(l1->reply_out, id, net_info(NET_HEADER_BYTES + bytes, r->sectors));
}

static void take_events(struct l1 *l1, uint64_t now)
{
    while (port_peek(&l1->events, now)) {
        struct msg m = port_pop(&l1->events);
        enum event kind = event_kind(m.info);
        if (l1->mgmt && l1->mgmt->on_event && l1->mgmt->events >> kind & 1)
            l1->mgmt->on_event(l1->mgmt_st, kind, event_slot(m.info), m.req);
        if (l1->pf && l1->pf->on_event && l1->pf->events >> kind & 1)
            l1->pf->on_event(l1->pf_st, kind, event_slot(m.info), m.req);
    }
}

static inline uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

BODY uint64_t tick_body(struct l1 *l1, uint64_t now, bool hooked)
{
    uint64_t want = NEVER;
    if (hooked) {
        if (!port_empty(&l1->events))
            take_events(l1, now);
        if (now >= l1->epoch_at) {
            uint64_t at = l1->mgmt->on_epoch(l1->mgmt_st, now);
            l1->epoch_at = at > now ? at : NEVER;
        }
        want = l1->epoch_at;
    }

    send_down(l1, now);
    if (hooked && l1->reply_out)
        send_remote_reply(l1);
    if (port_peek(&l1->reply_in, now)) {
        struct msg m = port_pop(&l1->reply_in);
        l1_reply(l1, m.req, m.info, now);
    }
    if (!port_empty(&l1->reply_in)) {
        uint64_t ready = port_next_ready(&l1->reply_in);
        want = sooner(want, ready > now ? ready : now + 1);
    }

    bool to_send = false;
    for (uint32_t i = 0; i < L1_COUNT; i++) {
        struct l1_cache *c = l1->cache[i];
        if (!c)
            continue;
        bool reorder = hooked && l1->order && i == L1_DATA;
        if (!reorder && port_empty(&c->in) && i != L1_DATA) {
            to_send |= !ring_empty(&c->miss_queue);
            continue;
        }
        uint32_t taken = reorder ? take_reordered(l1, c, now) : take_in_order(l1, c, now, hooked && c->hooked);
        if (hooked && i == L1_DATA) {
            if (l1->reply_out && !port_empty(&l1->request_in)) {
                take_remote(l1, c, now, taken);
                if (!port_empty(&l1->request_in))
                    want = sooner(want, now + 1);
            }
            if (taken == 0 && c->blocked < 0)
                l1_try_prefetch(l1, c, now);
            if (!ring_empty(&l1->prefetch) && c->blocked < 0)
                want = now + 1;
            if (reorder && l1->order->count(l1->order_st))
                want = now + 1;
        }
        /* A blocked cache waits for a reply or for room in the miss queue; both bring a tick. */
        if (c->blocked < 0 && !port_empty(&c->in)) {
            uint64_t ready = port_next_ready(&c->in);
            want = sooner(want, ready > now ? ready : now + 1);
        }
        to_send |= !ring_empty(&c->miss_queue);
    }
    /* A full port wakes its producer when a slot is freed. */
    if (to_send && port_can_send(l1->request_out))
        want = now + 1;
    if (hooked && !ring_empty(&l1->remote_reply) && port_can_send(l1->reply_out))
        want = now + 1;
    return want;
}

uint64_t l1_tick_plain(struct comp *comp, uint64_t now)
{
    return tick_body((struct l1 *)comp, now, false);
}

uint64_t l1_tick_hooked(struct comp *comp, uint64_t now)
{
    return tick_body((struct l1 *)comp, now, true);
}

void l1_sync(struct comp *comp, uint64_t now)
{
    struct l1 *l1 = (struct l1 *)comp;
    for (uint32_t i = 0; i < L1_COUNT; i++) {
        struct l1_cache *c = l1->cache[i];
        if (c && c->blocked >= 0) {
            /* Cycles up to and including `now` have failed; the next interval starts after it. */
            c->stats.fail_cycles[c->blocked] += now + 1 - c->blocked_since;
            c->blocked_since = now + 1;
        }
    }
}
