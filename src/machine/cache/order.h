/*
 * Request order: the buffer between a cache's source of requests (the SM's port, the network) and its tags, with a
 * policy that decides which request reaches the tags next. The L1 and the L2 share this contract.
 *
 *   in order of arrival -> order_enqueue -> [slots, policy] -> order_offer -> look-up -> order_accepted
 *                                                   ^                           |
 *                                                   +------ order_rejected <-----+
 *
 * A request that enters the buffer gets a slot, a number below the buffer's capacity; policies identify requests by
 * slot. The layer keeps everything that is common to all policies: the requests, the port's info about them, which of
 * them the cache has refused, the links of the policy's lists, and the statistics. The policy keeps only its own
 * state, for example a round-robin pointer or the heads of its queues.
 *
 * Whatever the policy picks, the layer guarantees:
 *   - Requests of one SM to the same line, including atomics, reach the tags in the order in which they arrived: when
 *     the policy picks a younger one, the layer offers the oldest of them. (The SM enforces fences.)
 *   - A refused request is not retried until a resource it needs has been freed, so that a failed look-up costs the
 *     tags one cycle and the host no further work.
 *   - With max_wait, a request that has waited that long is offered before the policy's choice, so no request starves.
 *
 * A cache without a policy has no buffer: it takes its requests straight from the port and does not use this file.
 */
#ifndef WEIR_CACHE_ORDER_H
#define WEIR_CACHE_ORDER_H

#include "base/err.h"
#include "base/mem.h"
#include "cache/stall.h"
#include "engine/addrmap.h"
#include "engine/policy_registry.h"
#include "engine/request.h"

#include <stdio.h>

#define ORDER_NONE         UINT32_MAX /* no slot */
#define ORDER_MAX_CAPACITY (1u << 16) /* requests: far more than can wait for a cache */

struct order;

/* ---- the policy's interface ---- */

enum order_at { ORDER_AT_L1, ORDER_AT_L2 };

/* What the layer passes to a policy at init; lives as long as the cache. */
struct order_host {
    const struct order *order;
    struct arena *arena;       /* for the policy's allocations at init */
    const struct addrmap *map; /* DRAM bank, row and column of a request: addrmap_place(map, req->addr, &place) */
    enum order_at at;
    uint32_t index;            /* of the SM (L1) or the slice (L2) */
    uint32_t line_size, n_set; /* of the cache behind the buffer */
    uint32_t n_sm;             /* of the machine */
    uint32_t n_warp, n_cta;    /* slots of an SM; 0 at the L2 */
    const void *cache;         /* for the two functions below */
    uint32_t (*set_of)(const void *cache, uint64_t addr);
    /*
     * The resources that a request would need if it were looked up now: bits 1 << enum stall. A hit needs the reply, a
     * secondary miss a merge slot, a primary miss a line, an entry and the queue. No side effects. NULL: the cache
     * does not provide this.
     */
    uint32_t (*resources_needed)(const void *cache, const struct req *, uint32_t info);

    /* Set by the policy's init. */
    uint32_t capacity;      /* requests that the buffer holds; 1 to ORDER_MAX_CAPACITY */
    uint32_t select_cycles; /* cycles per selection; selections do not overlap; 0 counts as 1 */
    uint64_t max_wait;      /* cycles after which a request has priority; 0: only the policy decides */
    /* Set by enqueue, on_accept or on_reject: call pick again in this cycle even if nothing has changed; 0: no. */
    uint64_t pick_again_at;
};

enum order_action {
    ORDER_WAIT,         /* it waits at the tags and blocks all others: head-of-line blocking */
    ORDER_PICK_ANOTHER, /* it returns to its slot; pick is called again */
    ORDER_BYPASS,       /* it bypasses the cache if that is possible; otherwise it waits at the tags */
};

struct order_policy {
    struct policy_info info;
    size_t state_bytes;
    /* Sets host->capacity. 0, or -1 with *e filled. Required, except for the baseline, which has no hooks. */
    int (*init)(void *st, const void *params, struct order_host *, struct err *e);
    /*
     * A request has arrived and would get this slot. false: there is no room now. The request stays outside and
     * enqueue is called again later, so it must leave the policy's state unchanged (checked with -Dcheck_hooks=true).
     */
    bool (*enqueue)(void *st, uint32_t slot, const struct req *, uint64_t now);
    /* enqueue has refused this request for the first time; not called again when it is tried again. NULL: nothing */
    void (*on_no_room)(void *st, const struct req *);
    /*
     * The slot of the request to look up next, or ORDER_NONE. It has no side effects, because the layer may call it any
     * number of times. After ORDER_NONE it is not called again until something has changed (or at host->pick_again_at).
     */
    uint32_t (*pick)(const void *st, uint64_t now);
    /* The cache has accepted this request, or it has bypassed: remove it. It may be any slot, because of the guard. */
    void (*on_accept)(void *st, uint32_t slot);
    /* The cache has refused this request. NULL: ORDER_WAIT. */
    enum order_action (*on_reject)(void *st, uint32_t slot, enum stall why);
    void (*on_kernel)(void *st, uint32_t launch_index); /* a kernel starts. NULL: nothing to do */
};

/* ---- what a policy may call ---- */
const struct req *order_req(const struct order_host *, uint32_t slot);
/* The request's arrival number, counted from the machine's start: the smaller of two is older. */
uint64_t order_arrival(const struct order_host *, uint32_t slot);
/*
 * false: a look-up of this request is known to fail now, because the cache has refused it, or another one that needs
 * the same entry, queue, network or unit, and nothing has been freed since.
 */
bool order_ready(const struct order_host *, uint32_t slot);

/* A FIFO of slots with removal at any position; a slot is in at most one. Zeroed memory is not an empty queue. */
struct order_queue {
    uint32_t head, tail, n;
};
#define ORDER_QUEUE_EMPTY ((struct order_queue){ORDER_NONE, ORDER_NONE, 0})
void order_queue_push(const struct order_host *, struct order_queue *, uint32_t slot);
void order_queue_remove(const struct order_host *, struct order_queue *, uint32_t slot);
uint32_t order_queue_after(const struct order_host *, uint32_t slot); /* the next slot, or ORDER_NONE */

/* For a policy's init: `queues` empty queues of `entries` requests each, which together form the buffer. */
static inline struct order_queue *order_queues(struct order_host *host, uint32_t queues, uint32_t entries)
{
    struct order_queue *q = arena_alloc64(host->arena, queues * sizeof *q);
    for (uint32_t i = 0; i < queues; i++)
        q[i] = ORDER_QUEUE_EMPTY;
    host->capacity = queues * entries;
    return q;
}
/* For its enqueue: false, without side effects, when the queue already holds `entries` requests. */
static inline bool order_queue_try_push(const struct order_host *host, struct order_queue *q, uint32_t entries,
                                        uint32_t slot)
{
    if (q->n == entries)
        return false;
    order_queue_push(host, q, slot);
    return true;
}

/* ---- what the layer keeps ---- */
struct order_slot {
    req_id req;
    uint32_t info;               /* the port's info: net_info at the L2 */
    uint64_t line;               /* with the SM, the guard's key */
    uint64_t arrival, arrived;   /* its number and its cycle */
    uint32_t q_prev, q_next;     /* the policy's queue; q_next also chains the free slots */
    uint32_t age_prev, age_next; /* all requests held, oldest first */
    uint32_t older, younger;     /* of the same SM and line */
    uint32_t hash_next;
    uint32_t waits; /* refused, and none of these causes (bits) has been freed since; 0 = may be tried */
    int8_t why;     /* the cause of the last refusal, while `waits` is set */
    bool refused;   /* at least once */
};

struct order_stats {
    uint64_t requests;                    /* accepted */
    uint64_t request_cycles;              /* sum over cycles of the requests in the buffer: occupancy */
    uint64_t buffer_full_cycles;          /* cycles in which a request found no room */
    uint64_t reordered, reorder_distance; /* requests that left ahead of older ones, and the sum of the places gained */
    uint64_t max_reorder_distance, max_wait_cycles;
    uint64_t order_enforced; /* offers in which the layer replaced the choice by an older request of the SM and line */
    uint64_t aged;           /* offers made because of max_wait */
    uint64_t tried_another;  /* refusals after which the policy chose another request */
    uint64_t rejected;       /* requests refused at least once */
    /* Of those, when they were refused first, the ones behind which another request could have been taken (CART III-A):
     */
    uint64_t hol_blocking_merge; /* refused for lack of an entry, and another needed only a merge slot */
    uint64_t hol_blocking_miss;  /* refused for lack of a merge slot, and another needed an entry */
    uint64_t hol_blocking_hit;   /* refused for any reason, and another would have hit */
};
/* Tables for stats_add(s, "l1_order" or "l2_order", table, &order->stats). */
extern const struct stat_def order_l1_stats[], order_l2_stats[];

struct order {
    const struct order_policy *policy;
    void *st;
    struct order_host host;
    const struct req *req; /* the pool */
    struct order_slot *slot;
    uint32_t *bucket, bucket_mask;
    uint32_t n, free;
    uint32_t oldest, youngest;
    uint32_t waiting;   /* the request that waits at the tags, or ORDER_NONE */
    req_id outside;     /* the request that enqueue has refused, or REQ_NONE */
    uint32_t waits;     /* of all slots together */
    uint32_t exhausted; /* the causes of refusal that apply to any request: entry, queue, reply, unit */
    uint32_t line_shift;
    bool idle;          /* the policy has nothing to offer until something changes */
    uint64_t select_at; /* the next selection is complete in this cycle */
    uint64_t n_in, n_out;
    uint64_t counted_to;    /* cycle up to which occupancy is counted */
    uint64_t no_room_since; /* NEVER: there is room, or no request waits outside */
    struct order_stats stats;
};

/* ---- for the cache ---- */
/*
 * Builds the buffer and calls the policy's init. `host`: everything above "set by the policy" but `order`. `now`s are
 * cycles of the cache's clock. 0, or -1 with *e filled.
 */
int order_init(struct order *, const struct order_policy *, const void *params, const struct order_host *host,
               const struct req *pool, struct err *e);
/* false: no room. Call it after the cycle's look-ups, so that a request spends a cycle in the buffer. */
bool order_enqueue(struct order *, req_id, uint32_t info, uint64_t now);
/* The slot of the request to look up now, or ORDER_NONE. The caller must then call order_accepted or order_rejected. */
uint32_t order_offer(struct order *, uint64_t now);
/* Call it before handing the request to a component that may free it in this cycle: the policy reads it. */
void order_accepted(struct order *, uint32_t slot, uint64_t now);
/* ORDER_BYPASS: bypass if possible and call order_accepted; otherwise do nothing, and the request waits. */
enum order_action order_rejected(struct order *, uint32_t slot, enum stall why, uint64_t now);
/* Resources that refused requests may wait for have been freed: bits 1 << enum stall. */
void order_freed(struct order *, uint32_t causes);
/* The first cycle after `now` in which order_offer may return a slot, unless a resource is freed before; or NEVER. */
uint64_t order_next_cycle(const struct order *, uint64_t now);
void order_kernel(struct order *, uint32_t launch_index);
void order_sync(struct order *, uint64_t now); /* updates the counters that add intervals */

static inline uint32_t order_count(const struct order *o)
{
    return o->n;
}
/* Causes (bits) that a request in the buffer waits for; the cache must report them by order_freed. */
static inline uint32_t order_waits(const struct order *o)
{
    return o->waits;
}

#endif
