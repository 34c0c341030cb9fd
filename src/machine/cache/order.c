/*
 * The buffer of a request order: slots, the guard of one SM's requests to a line, refusals, starvation, statistics.
 *
 * States of a request: outside (no room) -> held, may be offered -> offered -> taken
 *                                             ^                       |
 *                                             |                       +-> refused, waits at the tags -> offered
 *                                             +--- something freed ---+-> refused, back among the others
 *
 * Not modeled: the time a request takes to enter the buffer (it is part of the port's latency), and the energy of a
 * selection.
 */
#include "cache/order.h"

#include "engine/engine.h"

/* Causes that do not depend on the request's line or set: every request that needs the same resource fails, too. */
#define EVERYBODYS                                                                                                     \
    (1u << STALL_NO_MSHR | 1u << STALL_MISS_QUEUE_FULL | 1u << STALL_REPLY_FULL | 1u << STALL_ATOMIC_BUSY)

static inline uint32_t bucket_of(const struct order *o, uint16_t sm, uint64_t line)
{
    return (uint32_t)(((line << 16 ^ sm) * 0x9e3779b97f4a7c15ull) >> 40) & o->bucket_mask;
}

int order_init(struct order *o, const struct order_policy *policy, const void *params, const struct order_host *host,
               const struct req *pool, struct err *e)
{
    *o = (struct order){.policy = policy,
                        .host = *host,
                        .req = pool,
                        .free = 0,
                        .oldest = ORDER_NONE,
                        .youngest = ORDER_NONE,
                        .waiting = ORDER_NONE,
                        .outside = REQ_NONE,
                        .line_shift = (uint32_t)__builtin_ctz(host->line_size),
                        .no_room_since = NEVER};
    o->host.order = o;
    o->st = arena_alloc64(host->arena, policy->state_bytes ? policy->state_bytes : 1);
    err_clear(e);
    if (policy->init(o->st, params, &o->host, e))
        return policy_hook_failed(&policy->info, "init", e);
    uint32_t cap = o->host.capacity, n_bucket = 1;
    if (cap == 0)
        return err_set(e, "%s: the buffer has no capacity", policy->info.name);
    if (cap > ORDER_MAX_CAPACITY)
        return err_set(e, "%s: a buffer for %u requests; at most %u are possible", policy->info.name, cap,
                       ORDER_MAX_CAPACITY);
    if (o->host.select_cycles == 0)
        o->host.select_cycles = 1;
    while (n_bucket < 2 * cap)
        n_bucket *= 2;
    o->slot = arena_alloc64(host->arena, cap * sizeof *o->slot);
    o->bucket = arena_alloc64(host->arena, n_bucket * sizeof *o->bucket);
    o->bucket_mask = n_bucket - 1;
    for (uint32_t i = 0; i < n_bucket; i++)
        o->bucket[i] = ORDER_NONE;
    for (uint32_t i = 0; i < cap; i++)
        o->slot[i] = (struct order_slot){.req = REQ_NONE, .q_next = i + 1 < cap ? i + 1 : ORDER_NONE};
    return 0;
}

static void count_occupancy(struct order *o, uint64_t now)
{
    o->stats.request_cycles += o->n * (now - o->counted_to);
    o->counted_to = now;
}

void order_sync(struct order *o, uint64_t now)
{
    /* Cycle `now` itself is over. */
    count_occupancy(o, now + 1);
    if (o->no_room_since != NEVER) {
        o->stats.buffer_full_cycles += now + 1 - o->no_room_since;
        o->no_room_since = now + 1;
    }
}

/* What enqueue, when it refuses, and pick must leave as it is. */
#define ORDER_MEMORY(o)                                                                                                \
    (struct policy_memory)                                                                                             \
    {                                                                                                                  \
        (o)->st, (o)->slot, (o)->policy->state_bytes, (o)->host.capacity * sizeof *(o)->slot                           \
    }

/* ---- entering the buffer ---- */
/* Asks the policy for room; a refusal is pure, and is an event once per request. */
static bool find_room(struct order *o, uint32_t slot, req_id id, uint64_t now)
{
    const struct order_policy *p = o->policy;
    const struct req *r = &o->req[id];
    const struct policy_memory memory = ORDER_MEMORY(o);
    const uint64_t before = WEIR_CHECK_HOOKS ? policy_digest(&memory) : 0;
    if (p->enqueue(o->st, slot, r, now)) {
        o->outside = REQ_NONE;
        return true;
    }
    if (WEIR_CHECK_HOOKS && (p->enqueue(o->st, slot, r, now) || policy_digest(&memory) != before))
        policy_not_pure(&p->info, "enqueue that answers false");
    if (o->outside != id && p->on_no_room)
        o->policy->on_no_room(o->st, r);
    o->outside = id;
    return false;
}

/* Puts the slot behind the youngest request of the same SM and line. */
static void guard_add(struct order *o, uint32_t s)
{
    struct order_slot *x = &o->slot[s];
    uint16_t sm = o->req[x->req].sm;
    uint32_t *link = &o->bucket[bucket_of(o, sm, x->line)];
    x->older = x->younger = ORDER_NONE;
    while (*link != ORDER_NONE && (o->slot[*link].line != x->line || o->req[o->slot[*link].req].sm != sm))
        link = &o->slot[*link].hash_next;
    if (*link == ORDER_NONE) {
        x->hash_next = ORDER_NONE;
    } else {
        x->older = *link;
        o->slot[x->older].younger = s;
        x->hash_next = o->slot[x->older].hash_next;
    }
    *link = s; /* the table holds the youngest of each chain */
}

static void guard_remove(struct order *o, uint32_t s)
{
    const struct order_slot *x = &o->slot[s];
    if (x->younger != ORDER_NONE) {
        o->slot[x->younger].older = x->older;
        return; /* offers are made oldest first, so there is none older */
    }
    uint32_t *link = &o->bucket[bucket_of(o, o->req[x->req].sm, x->line)];
    while (*link != s)
        link = &o->slot[*link].hash_next;
    *link = x->hash_next;
}

/* The request that must reach the tags before this one, or itself. */
static inline uint32_t guard_first(const struct order *o, uint32_t s)
{
    while (o->slot[s].older != ORDER_NONE)
        s = o->slot[s].older;
    return s;
}

bool order_enqueue(struct order *o, req_id id, uint32_t info, uint64_t now)
{
    uint32_t s = o->free;
    if (s != ORDER_NONE) {
        uint32_t next_free = o->slot[s].q_next;
        o->slot[s] = (struct order_slot){.req = id,
                                         .info = info,
                                         .line = o->req[id].addr >> o->line_shift,
                                         .arrival = o->n_in,
                                         .arrived = now,
                                         .q_prev = ORDER_NONE,
                                         .q_next = ORDER_NONE,
                                         .age_prev = o->youngest,
                                         .age_next = ORDER_NONE,
                                         .why = STALL_NONE};
        if (find_room(o, s, id, now)) {
            o->free = next_free;
        } else {
            o->slot[s].req = REQ_NONE;
            o->slot[s].q_next = next_free;
            s = ORDER_NONE;
        }
    }
    if (s == ORDER_NONE) {
        if (o->no_room_since == NEVER)
            o->no_room_since = now;
        return false;
    }
    if (o->no_room_since != NEVER) {
        o->stats.buffer_full_cycles += now - o->no_room_since;
        o->no_room_since = NEVER;
    }
    count_occupancy(o, now);
    guard_add(o, s);
    if (o->youngest != ORDER_NONE)
        o->slot[o->youngest].age_next = s;
    else
        o->oldest = s;
    o->youngest = s;
    if ((o->n == 0 || o->idle) && o->select_at < now + o->host.select_cycles)
        o->select_at = now + o->host.select_cycles;
    o->idle = false;
    o->n++;
    o->n_in++;
    o->stats.requests++;
    return true;
}

/* ---- offering ---- */
bool order_ready(const struct order_host *h, uint32_t slot)
{
    const struct order *o = h->order;
    const struct order_slot *x = &o->slot[guard_first(o, slot)];
    if (x->waits)
        return false;
    return !o->exhausted || !h->resources_needed ||
           (h->resources_needed(h->cache, &o->req[x->req], x->info) & o->exhausted) == 0;
}

static inline bool is_overdue(const struct order *o, uint32_t s, uint64_t now)
{
    return o->host.max_wait && now - o->slot[s].arrived >= o->host.max_wait;
}

uint32_t order_offer(struct order *o, uint64_t now)
{
    if (o->n == 0 || now < o->select_at)
        return ORDER_NONE;
    if (o->waiting != ORDER_NONE)
        return o->slot[o->waiting].waits ? ORDER_NONE : o->waiting;
    for (uint32_t s = o->oldest; s != ORDER_NONE && is_overdue(o, s, now); s = o->slot[s].age_next)
        if (order_ready(&o->host, s)) {
            o->stats.aged++;
            return guard_first(o, s);
        }
    if (o->idle && !(o->host.pick_again_at && now >= o->host.pick_again_at))
        return ORDER_NONE;
    if (o->host.pick_again_at && now >= o->host.pick_again_at)
        o->host.pick_again_at = 0;
    uint32_t s = POLICY_PURE(&o->policy->info, ORDER_MEMORY(o), "pick", o->policy->pick(o->st, now));
    if (s != ORDER_NONE && (s >= o->host.capacity || o->slot[s].req == REQ_NONE))
        policy_fault(&o->policy->info, "pick returned slot %u, which holds no request", s);
    if (s == ORDER_NONE || !order_ready(&o->host, s)) {
        o->idle = true;
        return ORDER_NONE;
    }
    uint32_t first = guard_first(o, s);
    o->stats.order_enforced += first != s;
    return first;
}

uint64_t order_next_cycle(const struct order *o, uint64_t now)
{
    uint64_t at = NEVER;
    if (o->n == 0)
        return NEVER;
    if (o->waiting != ORDER_NONE) {
        if (o->slot[o->waiting].waits)
            return NEVER;
        at = now + 1;
    } else if (!o->idle) {
        at = now + 1;
    } else {
        if (o->host.pick_again_at)
            at = o->host.pick_again_at;
        for (uint32_t s = o->oldest; o->host.max_wait && s != ORDER_NONE; s = o->slot[s].age_next) {
            if (is_overdue(o, s, now))
                continue; /* it is refused: it must wait until something is freed */
            if (o->slot[s].arrived + o->host.max_wait < at)
                at = o->slot[s].arrived + o->host.max_wait;
            break;
        }
    }
    if (at <= now)
        at = now + 1;
    return at < o->select_at ? o->select_at : at;
}

/* ---- the outcome of an offer ---- */
static void sum_waits(struct order *o)
{
    o->waits = o->exhausted = 0;
    for (uint32_t s = o->oldest; s != ORDER_NONE; s = o->slot[s].age_next)
        if (o->slot[s].waits) {
            o->waits |= o->slot[s].waits;
            o->exhausted |= 1u << o->slot[s].why & EVERYBODYS;
        }
}

static void selected(struct order *o, uint64_t now)
{
    /* A cache with several ports gets several offers per cycle from a selector that takes one cycle. */
    if (o->host.select_cycles > 1)
        o->select_at = now + o->host.select_cycles;
    o->idle = false;
}

void order_accepted(struct order *o, uint32_t s, uint64_t now)
{
    struct order_slot *x = &o->slot[s];
    count_occupancy(o, now);
    if (x->arrival > o->n_out) {
        uint64_t places = x->arrival - o->n_out;
        o->stats.reordered++;
        o->stats.reorder_distance += places;
        if (places > o->stats.max_reorder_distance)
            o->stats.max_reorder_distance = places;
    }
    if (now - x->arrived > o->stats.max_wait_cycles)
        o->stats.max_wait_cycles = now - x->arrived;
    o->n_out++;
    o->policy->on_accept(o->st, s);
    guard_remove(o, s);
    if (x->age_prev != ORDER_NONE)
        o->slot[x->age_prev].age_next = x->age_next;
    else
        o->oldest = x->age_next;
    if (x->age_next != ORDER_NONE)
        o->slot[x->age_next].age_prev = x->age_prev;
    else
        o->youngest = x->age_prev;
    /* Its line may now be present or in flight: a request refused for lack of an entry or a way may hit or merge. */
    bool other = x->waits != 0;
    x->waits = 0;
    if (o->waits)
        for (uint32_t k = o->oldest; k != ORDER_NONE; k = o->slot[k].age_next)
            if (o->slot[k].line == x->line && o->slot[k].waits) {
                o->slot[k].waits = 0;
                other = true;
            }
    if (other)
        sum_waits(o);
    x->req = REQ_NONE;
    x->q_next = o->free;
    o->free = s;
    o->n--;
    if (o->waiting == s)
        o->waiting = ORDER_NONE;
    selected(o, now);
}

/* Which of CART's three cases is it? Does the refused request block one that could be accepted? */
static void count_blocked(struct order *o, uint32_t refused, enum stall why)
{
    bool merge = false, entry = false, hit = false;
    o->stats.rejected++;
    if (!o->host.resources_needed)
        return;
    for (uint32_t s = o->oldest; s != ORDER_NONE; s = o->slot[s].age_next) {
        if (s == refused || o->slot[s].waits)
            continue;
        uint32_t needs = o->host.resources_needed(o->host.cache, &o->req[o->slot[s].req], o->slot[s].info);
        if (needs & 1u << why & EVERYBODYS)
            continue; /* it lacks the same resource */
        if (!(needs &
              (1u << STALL_NO_WAY | 1u << STALL_NO_MSHR | 1u << STALL_NO_MERGE_SLOT | 1u << STALL_MISS_QUEUE_FULL)))
            hit = true;
        else if (!(needs & 1u << STALL_NO_MSHR))
            merge |= needs >> STALL_NO_MERGE_SLOT & 1;
        else if (!(needs & 1u << STALL_NO_MERGE_SLOT))
            entry = true;
    }
    o->stats.hol_blocking_merge += why == STALL_NO_MSHR && merge;
    o->stats.hol_blocking_miss += why == STALL_NO_MERGE_SLOT && entry;
    o->stats.hol_blocking_hit += hit;
}

enum order_action order_rejected(struct order *o, uint32_t s, enum stall why, uint64_t now)
{
    struct order_slot *x = &o->slot[s];
    enum order_action v = o->policy->on_reject ? o->policy->on_reject(o->st, s, why) : ORDER_WAIT;
    if ((unsigned)v > ORDER_BYPASS)
        policy_fault(&o->policy->info, "on_reject returned %u, which is not a value of enum order_action", (unsigned)v);
    if (!x->refused) {
        x->refused = true;
        count_blocked(o, s, why);
    }
    x->why = (int8_t)why;
    x->waits = 1u << why;
    if (v == ORDER_BYPASS) /* a bypass needs room in the queue below, and a waiter for its reply */
        x->waits |= 1u << STALL_MISS_QUEUE_FULL | 1u << STALL_NO_MSHR;
    o->waits |= x->waits;
    o->exhausted |= 1u << why & EVERYBODYS;
    o->stats.tried_another += v == ORDER_PICK_ANOTHER;
    o->waiting = v == ORDER_PICK_ANOTHER ? ORDER_NONE : s;
    if (v == ORDER_PICK_ANOTHER)
        selected(o, now);
    return v;
}

void order_freed(struct order *o, uint32_t causes)
{
    if (!(o->waits & causes))
        return;
    for (uint32_t s = o->oldest; s != ORDER_NONE; s = o->slot[s].age_next)
        if (o->slot[s].waits & causes)
            o->slot[s].waits = 0;
    sum_waits(o);
    o->idle = false;
}

void order_kernel(struct order *o, uint32_t launch_index)
{
    if (o->policy->on_kernel)
        o->policy->on_kernel(o->st, launch_index);
    o->idle = false;
}

/* ---- for policies ---- */
const struct req *order_req(const struct order_host *h, uint32_t slot)
{
    return &h->order->req[h->order->slot[slot].req];
}

uint64_t order_arrival(const struct order_host *h, uint32_t slot)
{
    return h->order->slot[slot].arrival;
}

void order_queue_push(const struct order_host *h, struct order_queue *q, uint32_t s)
{
    struct order_slot *slot = h->order->slot;
    slot[s].q_prev = q->tail;
    slot[s].q_next = ORDER_NONE;
    if (q->tail != ORDER_NONE)
        slot[q->tail].q_next = s;
    else
        q->head = s;
    q->tail = s;
    q->n++;
}

void order_queue_remove(const struct order_host *h, struct order_queue *q, uint32_t s)
{
    struct order_slot *slot = h->order->slot, *x = &slot[s];
    if (x->q_prev != ORDER_NONE)
        slot[x->q_prev].q_next = x->q_next;
    else
        q->head = x->q_next;
    if (x->q_next != ORDER_NONE)
        slot[x->q_next].q_prev = x->q_prev;
    else
        q->tail = x->q_prev;
    q->n--;
}

uint32_t order_queue_after(const struct order_host *h, uint32_t slot)
{
    return h->order->slot[slot].q_next;
}

/* ---- tables ---- */
#define S struct order_stats
#define ORDER_STATS(prefix)                                                                                            \
    {                                                                                                                  \
        STAT_ROW(S, requests, "requests", "requests accepted by the reorder buffer"),                                  \
            STAT_ROW(S, request_cycles, "request-cycles", "sum over cycles of the requests in the buffer"),            \
            STAT_ROW(S, buffer_full_cycles, "cycles", "cycles in which a request waited because the buffer was full"), \
            STAT_ROW(S, reordered, "requests", "requests that left the buffer before an older request"),               \
            STAT_ROW(S, reorder_distance, "places", "positions that these requests advanced, in total"),               \
            STAT_MAXIMUM(S, max_reorder_distance, "places",                                                            \
                         "the largest number of positions that one request advanced"),                                 \
            STAT_MAXIMUM(S, max_wait_cycles, "cycles", "longest time that a request spent in the buffer"),             \
            STAT_ROW(S, order_enforced, "requests",                                                                    \
                     "requests put first because a younger one of the same SM to the same "                            \
                     "line was picked"),                                                                               \
            STAT_ROW(S, aged, "requests", "requests given priority because they had waited for max_wait cycles"),      \
            STAT_ROW(S, tried_another, "requests", "rejected lookups after which the policy picked another request"),  \
            STAT_ROW(S, rejected, "requests", "requests that the cache rejected at least once"),                       \
            STAT_NAMED(S, hol_blocking_merge, "hol_blocking.merge", "requests",                                        \
                       "rejected without a free MSHR entry while another request in the buffer could have merged"),    \
            STAT_NAMED(S, hol_blocking_miss, "hol_blocking.miss", "requests",                                          \
                       "rejected without a merge slot while another request in the buffer needed only an MSHR entry"), \
            STAT_NAMED(S, hol_blocking_hit, "hol_blocking.hit", "requests",                                            \
                       "rejected while another request in the buffer would have hit"),                                 \
            STAT_QUOTIENT("mean_wait", "cycles", prefix ".request_cycles", prefix ".requests",                         \
                          "mean time in the buffer"),                                                                  \
            STAT_QUOTIENT("mean_reorder_distance", "places", prefix ".reorder_distance", prefix ".reordered",          \
                          "mean positions that a reordered request advanced"),                                         \
            STAT_END                                                                                                   \
    }
const struct stat_def order_l1_stats[] = ORDER_STATS("l1_order");
const struct stat_def order_l2_stats[] = ORDER_STATS("l2_order");
#undef S
