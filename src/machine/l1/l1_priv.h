/* Inside the L1 unit: shared by l1.c (building, connecting), l1_access.c (the tags), l1_tick.c (the cycle). */
#ifndef WEIR_L1_L1_PRIV_H
#define WEIR_L1_L1_PRIV_H

#include "cache/mshr.h"
#include "cache/tags.h"
#include "engine/netmsg.h"
#include "engine/ring.h"
#include "engine/tick.h"
#include "l1/l1_config.h"
#include "l1/observer.h"

/* Buckets of the prefetch distance: as many bounds in l1_config.c, and one bucket for what is above them. */
enum { L1_DISTANCES = 9 };
extern const uint64_t l1_distance_bound[L1_DISTANCES - 1];

struct l1_stats {
    uint64_t taken
        [2]
        [L1_ACCEPTED_COUNT]; /* demand accesses by outcome: loads; stores and atomics. The sums below follow (l1_sync) */
    uint64_t accesses, hits, misses, merges, bypasses, atomics, forwarded;
    uint64_t load_hits, load_misses, store_hits, store_misses, sector_misses;
    uint64_t remote_loads,
        remote_loads_unserved;              /* of the above: loads of other SMs, and those that this L1 passed on */
    uint64_t own_loads, own_loads_unserved; /* loads of this SM, each once */
    uint64_t global_sectors, global_sector_hits; /* of loads from global memory, textures left out */
    uint64_t fills, evictions, write_backs, flushed, invalidations;
    uint64_t stall_cycles[L1_STALLS];     /* cycles in which the oldest access stalled */
    uint64_t stalled_requests[L1_STALLS]; /* accesses that stalled at least once, by the first reason */
    uint64_t prefetch_requested, prefetch_issued, prefetch_queue_full, prefetch_redundant, prefetch_no_resource;
    uint64_t prefetch_policy_rejected, prefetch_to_home, prefetch_from_remote_sms, prefetch_canceled,
        prefetch_overtaken;
    uint64_t prefetch_timely, prefetch_late, prefetch_unused, prefetch_evicted, prefetch_evicted_by_own;
    uint64_t prefetch_distance_sum, prefetch_distance[L1_DISTANCES]; /* of the useful and the late ones */
    uint64_t prefetch_noc_bytes, prefetch_dram_bytes;
    uint64_t remote_requests, remote_hits, remote_misses, all_protected;
    uint64_t replies; /* messages taken from the reply networks */
};

/* Requests that wait for a slot of the network, and in parallel the sizes of their packets (netmsg.h). */
struct l1_send_queue {
    struct ring id, info;
};

struct l1_cache {
    struct port in;
    struct tags tags;
    uint64_t
        empty_at; /* the tags' stamp when the last kernel's end left no line: none was placed while it is the same */
    struct mshr mshr;
    struct l1_send_queue to_l2;
    uint64_t blocked_since;
    int8_t blocked; /* stall of the oldest access (index in stall_cycles), or -1 */
    uint8_t which;
    bool sectored, on_fill, hooked;
    uint8_t missed;     /* sectors that the last miss requested from the L2 */
    bool freed;         /* a resource that a blocked access may wait for has been freed since the last try */
    uint32_t hit_extra; /* cycles from the tags to the data */
    uint32_t *words;    /* by tag entry: 4-byte words written since the line was placed; NULL = writes take no line */
    uint64_t *prefetched_at; /* by tag entry: the cycle in which its prefetch was issued; NULL = no prefetcher */
    struct l1_cache_config cfg;
    struct l1_stats stats;
};

/* The chosen policy of one kind. `hooks` is never NULL where there is a data cache; the baseline's hooks are. */
#define L1_SLOT(type)                                                                                                  \
    struct {                                                                                                           \
        const struct type *hooks;                                                                                      \
        void *st;                                                                                                      \
        struct l1_host host;                                                                                           \
    }

/* Lines whose stores wait to be joined, the one stored to longest ago first; l1_stores.c. */
struct l1_stores {
    struct l1_waiting {
        req_id first;  /* store, with the words of all; the others are chained to it */
        uint64_t last; /* stores made before the last to it */
    } * slot;          /* NULL: none wait */
    uint32_t n, cap, wait;
    uint64_t made;   /* stores so far */
    uint64_t due_at; /* all leave, unless another store comes */
};

/* Its ports, as bits of l1.mail: a cycle looks only at those that may hold messages. */
enum { L1_MAIL_EVENT = 1, L1_MAIL_REPLY = 2, L1_MAIL_HOME_REPLY = 4, L1_MAIL_REQUEST = 8, L1_MAIL_IN = 16 };

struct l1 {
    struct comp comp;
    struct req *req; /* the pool */
    struct l1_cache *cache[L1_COUNT];
    uint64_t mail; /* L1_MAIL_...; L1_MAIL_IN << i: cache i's port */
    struct port events, reply_in, home_reply_in, request_in;
    struct port *hit, *fill, *event;
    struct l1_net net;
    uint32_t to_l2_queued; /* packets in the caches' queues to the L2 */
    uint8_t next_cache;    /* whose misses go to the L2 first */
    bool home_reply_next;  /* if both replies wait, the home's is taken */
    uint64_t yielded_at;   /* when a request of another SM last had priority over a stalled local one */

    L1_SLOT(l1_management) management;
    L1_SLOT(l1_organization) organization;
    L1_SLOT(l1_prefetcher) prefetcher;
    struct order order; /* policy NULL: requests come straight from the SM's port */
    uint64_t epoch_at;  /* next on_epoch; NEVER = none */

    struct ring prefetch; /* index into prefetch_slot */
    struct prefetch_request {
        uint64_t addr;
        uint32_t pc;
        uint16_t warp, cta;
    } * prefetch_slot;
    struct l1_send_queue to_home; /* requests of this SM for lines that live in another L1 */
    struct ring remote_reply;     /* requests of other SMs, answered, waiting for the network */
    uint32_t remote_inside;       /* requests of other SMs taken and not yet answered: no more than the ring holds */

    struct l1_stores stores;
    struct l1_env env;
    uint64_t in_flight; /* requests accepted from the SM and not yet returned */
};

/* l1_tick.c */
uint64_t l1_tick_plain(struct comp *, uint64_t now);
uint64_t l1_tick_hooked(struct comp *, uint64_t now);
void l1_sync(struct comp *, uint64_t now);

/* l1_access.c: one look-up, for the SM's own requests, those of other SMs and prefetches; counts what it takes. */
enum l1_outcome l1_access_plain(struct l1 *, struct l1_cache *, req_id, uint64_t now);
enum l1_outcome l1_access_hooked(struct l1 *, struct l1_cache *, req_id, uint64_t now);
/* Sends a stalled load to the L2 without a look-up, for an order policy's bypass. */
enum l1_outcome l1_bypass(struct l1 *, struct l1_cache *, req_id);
/* l1_reply.c: handles a message from a reply network. */
void l1_reply(struct l1 *, req_id, uint32_t info);

/* l1_stores.c: a store waits or joins; `outcome`, or a stall. */
void l1_stores_init(struct l1 *, const struct l1_cache_config *);
enum l1_outcome l1_store_join(struct l1 *, struct l1_cache *, req_id, uint64_t now, enum l1_outcome outcome);
void l1_stores_tick(struct l1 *, uint64_t now);            /* sends what has waited long enough */
void l1_stores_acknowledge(struct l1 *, req_id performed); /* what joined it */

static inline bool l1_is_stall(enum l1_outcome o)
{
    return o >= L1_ACCEPTED_COUNT;
}

static inline void l1_send_queue_init(struct l1_send_queue *q, struct arena *a, uint32_t cap)
{
    ring_init(&q->id, a, cap);
    ring_init(&q->info, a, cap);
}
static inline void l1_send_queue_push(struct l1_send_queue *q, req_id id, uint32_t info)
{
    ring_push(&q->id, id);
    ring_push(&q->info, info);
}
static inline void l1_send_queue_send(struct l1_send_queue *q, struct port *to)
{
    req_id id = ring_pop(&q->id);
    port_send(to, id, ring_pop(&q->info));
}

/* Do any policies apply to this cache? */
static inline bool l1_hooked(const struct l1_cache *c)
{
    return WEIR_HOOKS && c->hooked;
}

static inline struct l1_cache *l1_cache_of(struct l1 *l1, const struct req *r)
{
    if (r->space == REQ_SP_CONST)
        return l1->cache[L1_CONST];
    /* Without a cache of their own, textures are read through the L1. */
    return l1->cache[r->space == REQ_SP_TEX && l1->cache[L1_TEX] ? L1_TEX : L1_DATA];
}

#endif
