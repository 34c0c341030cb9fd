/*
 * One cycle of an L1 unit: events, one reply from the network, the tags of each cache, prefetches, one packet to the
 * network. A resource that one stage frees is available to the preceding stage in the next cycle.
 */
#include "l1/l1_priv.h"

static void count_stall(struct l1_cache *c, struct req *r, enum l1_outcome why, uint64_t now)
{
    int reason = why - L1_ACCEPTED_COUNT;
    if (c->blocked != reason) {
        if (c->blocked >= 0)
            c->stats.stall_cycles[c->blocked] += now - c->blocked_since;
        c->blocked = (int8_t)reason;
        c->blocked_since = now;
    }
    if (!(r->flags & REQ_F_WAITED)) {
        r->flags |= REQ_F_WAITED;
        c->stats.stalled_requests[reason]++;
    }
}

static inline void end_stall(struct l1_cache *c, uint64_t now)
{
    if (c->blocked >= 0) {
        c->stats.stall_cycles[c->blocked] += now - c->blocked_since;
        c->blocked = -1;
    }
}

/* `hooked` is a constant false for an L1 without policies, so the compiler removes the hooks. */
ALWAYS_INLINE enum l1_outcome try_access(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now, bool hooked)
{
    return hooked ? l1_access_hooked(l1, c, id, now) : l1_access_plain(l1, c, id, now);
}

/* The ports and banks of a cache that are still free in this cycle. */
struct budget {
    uint32_t taken;
    uint32_t past_tags; /* of these, forwarded without a look-up: the tags are free for requests of other SMs */
    uint64_t banks_used;
};

/* Bypassing loads, atomics, and requests whose home is elsewhere skip the cache. */
static inline bool skips_tags(enum l1_outcome o)
{
    return o == L1_BYPASSED || o == L1_ATOMIC || o == L1_REMOTE;
}

/* May this request go to the tags in this cycle? Then its bank is in use. */
static inline bool claim_bank(const struct l1_cache *c, const struct req *r, struct budget *b)
{
    if (b->taken == c->cfg.ports)
        return false;
    if (c->cfg.banks > 1) {
        uint64_t bank = 1ull << (r->addr >> c->tags.line_shift & (c->cfg.banks - 1));
        if (b->banks_used & bank)
            return false;
        b->banks_used |= bank;
    }
    return true;
}

/* The oldest requests of the SM's port, in order; as many as ports and banks allow. */
ALWAYS_INLINE void take_in_order(struct l1 *l1, struct l1_cache *c, uint64_t now, struct budget *b, bool hooked)
{
    const struct msg *m;
    /* Without policies a blocked access stalls again until a line has arrived or the queue to the L2 has advanced. */
    if (c->blocked >= 0 && !c->freed && !hooked)
        return;
    c->freed = false;
    while ((m = port_peek(&c->in, now))) {
        req_id id = m->req;
        struct req *r = &l1->req[id];
        if (!claim_bank(c, r, b))
            return;
        l1->in_flight++; /* a hit returns it at once */
        enum l1_outcome outcome = try_access(l1, c, id, now, hooked);
        if (l1_is_stall(outcome)) {
            l1->in_flight--;
            count_stall(c, r, outcome, now);
            return;
        }
        end_stall(c, now);
        port_pop(&c->in);
        b->taken++;
        b->past_tags += skips_tags(outcome);
    }
}

/* The same with a reordering buffer between the port and the tags. A failed look-up uses a turn of the tags. */
static void take_reordered(struct l1 *l1, struct l1_cache *c, uint64_t now, struct budget *b)
{
    struct order *o = &l1->order;
    const uint32_t of_fills =
        1u << STALL_NO_WAY | 1u << STALL_NO_MSHR | 1u << STALL_NO_MERGE_SLOT | 1u << STALL_MISS_QUEUE_FULL;
    order_freed(o, 1u << STALL_BANK_CONFLICT | (c->freed ? of_fills : 0));
    c->freed = false;
    uint32_t slot;
    while (b->taken < c->cfg.ports && (slot = order_offer(o, now)) != ORDER_NONE) {
        req_id id = o->slot[slot].req;
        struct req *r = &l1->req[id];
        if (!claim_bank(c, r, b)) {
            if (order_rejected(o, slot, STALL_BANK_CONFLICT, now) == ORDER_PICK_ANOTHER)
                continue;
            break;
        }
        enum l1_outcome outcome = try_access(l1, c, id, now, true);
        b->taken++;
        if (l1_is_stall(outcome)) {
            enum stall why = (enum stall)(outcome - L1_ACCEPTED_COUNT);
            enum order_action verdict = order_rejected(o, slot, why, now);
            if (verdict == ORDER_BYPASS && why != STALL_MISS_QUEUE_FULL && r->kind == REQ_READ)
                outcome = l1_bypass(l1, c, id);
            if (l1_is_stall(outcome)) {
                count_stall(c, r, outcome, now);
                if (verdict == ORDER_PICK_ANOTHER)
                    continue;
                break;
            }
        }
        end_stall(c, now);
        b->past_tags += skips_tags(outcome);
        order_accepted(o, slot, now);
    }
    const struct msg *m;
    while ((m = port_peek(&c->in, now)) && order_enqueue(o, m->req, 0, now)) {
        l1->in_flight++;
        port_pop(&c->in);
    }
}

/*
 * Takes requests of other SMs for lines that live here, after this SM's own. Returns how many were accepted. A local
 * access that stalled in the previous cycle yields every other time, because otherwise the resource it waits for, for
 * example an MSHR entry, would never be available to others while this SM misses.
 */
static uint32_t take_remote(struct l1 *l1, struct l1_cache *c, uint64_t now, const struct budget *own)
{
    struct budget b = {.taken = own->taken - own->past_tags, .banks_used = own->banks_used};
    uint32_t before = b.taken;
    const struct msg *m;
    while ((m = port_peek(&l1->request_in, now))) {
        struct req *r = &l1->req[m->req];
        bool prefetch = r->flags & REQ_F_PREFETCH;
        if ((!prefetch && l1->remote_inside == l1->remote_reply.cap) || !claim_bank(c, r, &b))
            break;
        /* A prefetch is accepted or dropped, and has no reply. */
        l1->remote_inside += !prefetch;
        c->stats.prefetch_from_remote_sms += prefetch;
        if (l1_is_stall(try_access(l1, c, m->req, now, true)) && !prefetch) {
            l1->remote_inside--;
            break;
        }
        port_pop(&l1->request_in);
        b.taken++;
    }
    return b.taken - before;
}

/* One prefetch takes the path of a load, in a cycle in which no load uses the cache. */
static void try_prefetch(struct l1 *l1, struct l1_cache *c, uint64_t now)
{
    const struct prefetch_request *p = &l1->prefetch_slot[ring_pop(&l1->prefetch)];
    const struct tags *t = &c->tags;
    req_id id = req_alloc(engine_pool(&l1->comp));
    l1->req[id] = (struct req){.addr = p->addr >> t->line_shift << t->line_shift,
                               .created_at = now,
                               .pc = p->pc,
                               .words = ~0u,
                               .sm = (uint16_t)l1->env.sm,
                               .warp = p->warp,
                               .cta = p->cta,
                               .bytes = (uint16_t)(1u << t->line_shift),
                               .flags = REQ_F_PREFETCH,
                               .kind = REQ_READ,
                               .space = REQ_SP_GLOBAL,
                               .sectors = t->full,
                               .n_lines = 1};
    l1_access_hooked(l1, c, id, now);
}

/* One packet of the caches' misses to the L2, the caches in turn. */
static void send_to_l2(struct l1 *l1)
{
    if (!l1->to_l2_queued || !port_can_send(l1->net.to_l2))
        return;
    for (uint32_t k = 0; k < L1_COUNT; k++) {
        uint32_t i = l1->next_cache + k;
        if (i >= L1_COUNT)
            i -= L1_COUNT;
        struct l1_cache *c = l1->cache[i];
        if (!c || ring_empty(&c->to_l2.id))
            continue;
        c->freed = true;
        l1->to_l2_queued--;
        l1_send_queue_send(&c->to_l2, l1->net.to_l2);
        l1->next_cache = (uint8_t)(i + 1 == L1_COUNT ? 0 : i + 1);
        return;
    }
}

static bool can_send_home(const struct l1 *l1)
{
    return !ring_empty(&l1->to_home.id) && port_can_send(l1->net.to_home);
}

static bool can_send_remote_reply(const struct l1 *l1)
{
    return !ring_empty(&l1->remote_reply) && port_can_send(l1->net.to_requester);
}

/* Messages to other L1s: each message class has its own queue and port, so none waits for another. */
static void send_to_sms(struct l1 *l1)
{
    if (can_send_home(l1)) {
        l1_send_queue_send(&l1->to_home, l1->net.to_home);
        l1->cache[L1_DATA]->freed = true; /* a request order may hold a request that found this queue full */
    }
    if (!can_send_remote_reply(l1))
        return;
    req_id id = ring_pop(&l1->remote_reply);
    l1->remote_inside--;
    struct req *r = &l1->req[id];
    const struct l1_organization *o = l1->organization.hooks;
    uint32_t bytes = 0, line_bytes = 1u << l1->cache[L1_DATA]->tags.line_shift;
    if (r->kind == REQ_READ)
        bytes = o->reply_bytes ? o->reply_bytes(l1->organization.st, r) : line_bytes;
    if (bytes > line_bytes)
        policy_fault(&o->info, "reply_bytes returned %u bytes for a line of %u", bytes, line_bytes);
    port_send(l1->net.to_requester, id, net_info(NET_HEADER_BYTES + bytes, r->sectors));
}

/* The next cycle in which the oldest message of a port that has mail can be taken; NEVER when none is left. */
static inline uint64_t next_from(struct port *p, uint64_t now)
{
    uint64_t ready = port_next_ready(p);
    if (ready == NEVER)
        port_unmark(p);
    return ready > now ? ready : now + 1;
}

/* One reply per cycle, from the L2 or from a home, alternating when both have one. Returns when to check again. */
ALWAYS_INLINE uint64_t take_reply(struct l1 *l1, uint64_t now, bool remote)
{
    struct port *p = &l1->reply_in;
    if (remote && (l1->home_reply_next || !port_peek(p, now)) && port_peek(&l1->home_reply_in, now))
        p = &l1->home_reply_in;
    if (port_peek(p, now)) {
        if (remote)
            l1->home_reply_next = p == &l1->reply_in;
        struct msg m = port_pop(p);
        l1_reply(l1, m.req, m.info);
    }
    uint64_t want = next_from(&l1->reply_in, now);
    return remote ? earliest(want, next_from(&l1->home_reply_in, now)) : want;
}

static void take_events(struct l1 *l1, uint64_t now)
{
    const struct l1_management *management = l1->management.hooks;
    const struct l1_prefetcher *prefetcher = l1->prefetcher.hooks;
    while (port_peek(&l1->events, now)) {
        struct msg m = port_pop(&l1->events);
        enum event kind = event_kind(m.info);
        if (management->on_event && management->events >> kind & 1)
            management->on_event(l1->management.st, kind, event_slot(m.info), m.req);
        if (prefetcher->on_event && prefetcher->events >> kind & 1)
            prefetcher->on_event(l1->prefetcher.st, kind, event_slot(m.info), m.req);
    }
    port_unmark_if_empty(&l1->events);
}

ALWAYS_INLINE uint64_t tick_body(struct l1 *l1, uint64_t now, bool hooked)
{
    const bool remote = hooked && l1->net.to_home;
    const uint64_t mail = l1->mail;
    uint64_t want = NEVER;
    if (hooked) {
        if (mail & L1_MAIL_EVENT)
            take_events(l1, now);
        if (now >= l1->epoch_at) {
            uint64_t at = l1->management.hooks->on_epoch(l1->management.st, now);
            if (at && at <= now)
                policy_fault(&l1->management.hooks->info,
                             "on_epoch in cycle %lu returned cycle %lu, which is not later", (unsigned long)now,
                             (unsigned long)at);
            l1->epoch_at = at ? at : NEVER;
        }
        want = l1->epoch_at;
    }

    send_to_l2(l1);
    if (remote)
        send_to_sms(l1);
    if (l1->stores.n)
        l1_stores_tick(l1, now);
    if (mail & (L1_MAIL_REPLY | L1_MAIL_HOME_REPLY))
        want = earliest(want, take_reply(l1, now, remote));

    for (uint32_t i = 0; i < L1_COUNT; i++) {
        const bool own = mail & L1_MAIL_IN << i, others = remote && i == L1_DATA && mail & L1_MAIL_REQUEST;
        if (!own && i != L1_DATA)
            continue;
        struct l1_cache *c = l1->cache[i];
        if (!c)
            continue;
        bool reorder = hooked && i == L1_DATA && l1->order.policy;
        struct budget b = {0};
        uint32_t of_others = 0;
        if (others) {
            if (c->blocked >= 0 && now != l1->yielded_at + 1)
                of_others = b.taken = take_remote(l1, c, now, &b);
            if (of_others)
                l1->yielded_at = now;
        }
        if (reorder)
            take_reordered(l1, c, now, &b);
        else if (own)
            take_in_order(l1, c, now, &b, hooked && c->hooked);
        else
            c->freed = false;
        if (hooked && i == L1_DATA) {
            if (others) {
                of_others += take_remote(l1, c, now, &b);
                want = earliest(want, next_from(&l1->request_in, now));
                if (c->blocked >= 0 && of_others)
                    want = now + 1; /* this SM's own access may now stall for another reason, which is counted */
            }
            if (b.taken + of_others == 0 && c->blocked < 0 && !ring_empty(&l1->prefetch))
                try_prefetch(l1, c, now);
            if (!ring_empty(&l1->prefetch) && c->blocked < 0)
                want = now + 1;
            if (reorder) {
                want = earliest(want, order_next_cycle(&l1->order, now));
                if (order_waits(&l1->order) >> STALL_BANK_CONFLICT & 1)
                    want = now + 1;
            }
        }
        /* A blocked cache waits for a reply or for room in a queue; both cause a tick. A buffer may still accept. */
        if (own && (c->blocked < 0 || reorder))
            want = earliest(want, next_from(&c->in, now));
    }
    if (l1->stores.n)
        want = earliest(want, l1->stores.due_at);
    /* A full port wakes its producer when a slot is freed. */
    if (l1->to_l2_queued && port_can_send(l1->net.to_l2))
        want = now + 1;
    if (remote && (can_send_home(l1) || can_send_remote_reply(l1)))
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

/* The reported counters are computed from the outcomes. */
static void sum_outcomes(struct l1_stats *s)
{
    const uint64_t *load = s->taken[0], *store = s->taken[1];
    s->load_hits = load[L1_HIT];
    s->load_misses = load[L1_MISS] + load[L1_SECTOR_MISS];
    s->sector_misses = load[L1_SECTOR_MISS];
    s->merges = load[L1_MERGE];
    s->store_hits = store[L1_HIT];
    s->store_misses = store[L1_MISS];
    s->hits = s->load_hits + s->store_hits;
    s->misses = s->load_misses + s->store_misses;
    s->bypasses = load[L1_BYPASSED] + store[L1_BYPASSED];
    s->atomics = store[L1_ATOMIC];
    s->forwarded = load[L1_REMOTE] + store[L1_REMOTE];
    s->accesses = 0;
    uint64_t loads = 0;
    for (uint32_t o = 0; o < L1_ACCEPTED_COUNT; o++) {
        s->accesses += load[o] + store[o];
        loads += load[o];
    }
    s->own_loads = loads - s->remote_loads;
    s->own_loads_unserved = loads - load[L1_HIT] - load[L1_MERGE] - s->remote_loads_unserved;
}

void l1_sync(struct comp *comp, uint64_t now)
{
    struct l1 *l1 = (struct l1 *)comp;
    if (l1->order.policy)
        order_sync(&l1->order, now);
    if (l1->env.observer)
        l1_observe_sync(l1->env.observer, now);
    for (uint32_t i = 0; i < L1_COUNT; i++) {
        struct l1_cache *c = l1->cache[i];
        if (!c)
            continue;
        sum_outcomes(&c->stats);
        if (c->blocked >= 0) {
            /* Cycles up to and including `now` have stalled; the next interval starts after it. */
            c->stats.stall_cycles[c->blocked] += now + 1 - c->blocked_since;
            c->blocked_since = now + 1;
        }
    }
}
