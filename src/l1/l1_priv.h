/* Inside the L1 unit: shared by l1.c (building, connecting), l1_access.c (the tags), l1_tick.c (the cycle). */
#ifndef WEIR_L1_L1_PRIV_H
#define WEIR_L1_L1_PRIV_H

#include "cache/mshr.h"
#include "cache/tags.h"
#include "engine/netmsg.h"
#include "engine/ring.h"
#include "l1/l1_config.h"

struct l1_stats {
    uint64_t accesses, hits, misses, merges, bypasses, atomics, remote;
    uint64_t load_hits, load_misses, store_hits, store_misses, sector_misses;
    uint64_t fills, evictions, write_backs, flushed, dropped;
    uint64_t fail_cycles[L1_FAIL_COUNT]; /* cycles in which the oldest access could not be taken */
    uint64_t failed[L1_FAIL_COUNT];      /* accesses that could not be taken at first, by the first reason */
    uint64_t prefetch_asked, prefetch_issued, prefetch_full, prefetch_present, prefetch_busy;
    uint64_t prefetch_useful, prefetch_late, prefetch_unused;
    uint64_t remote_served, remote_hits, remote_misses, all_protected;
    uint64_t replies;   /* messages taken from the reply network */
    uint64_t completed; /* requests given back to the SM */
};

/* What an access needs and where it hangs. */
struct l1_cache {
    struct port in;
    struct tags tags;
    struct mshr mshr;
    struct ring miss_queue; /* requests on their way to the network: id | asked sectors are recomputed */
    struct ring miss_info;  /* net_info of each, in step */
    uint64_t blocked_since;
    int8_t blocked; /* enum l1_fail of the oldest access, or -1 */
    uint8_t which;
    bool sectored, on_fill, hooked;
    bool freed;         /* something a blocked access may wait for has been freed since it was last tried */
    uint32_t hit_extra; /* cycles from the tags to the data */
    struct l1_cache_config cfg;
    struct l1_stats stats;
};

struct l1 {
    struct comp comp;
    struct req *req; /* the pool */
    struct l1_cache *cache[L1_COUNT];
    struct port events, reply_in, request_in;
    struct port *hit, *fill, *event, *request_out, *reply_out;
    uint8_t next_cache; /* whose miss queue goes first */

    /* Policies; the pointers are NULL where the policy has no hooks at all. */
    const struct l1_management *mgmt;
    const struct l1_organisation *org;
    const struct l1_prefetcher *pf;
    const struct l1_order *order;
    void *mgmt_st, *org_st, *pf_st, *order_st;
    const struct l1_management *mgmt_any; /* the chosen ones, hooks or not */
    const struct l1_organisation *org_any;
    const struct l1_prefetcher *pf_any;
    const struct l1_order *order_any;
    struct l1_host mgmt_host, org_host, pf_host, order_host;
    uint64_t epoch_at; /* next on_epoch; NEVER = none */

    struct ring prefetch; /* index into prefetch_slot */
    struct prefetch_ask {
        uint64_t addr;
        uint32_t pc;
        uint16_t warp, cta;
    } * prefetch_slot;
    struct ring remote_reply; /* requests of other SMs, answered, on their way to the reply network */
    uint32_t remote_inside;   /* requests of other SMs taken and not yet answered: no more than the ring holds */

    struct l1_env env;
    uint64_t in_flight; /* requests taken from the SM and not given back */
};

/* l1_tick.c */
uint64_t l1_tick_plain(struct comp *, uint64_t now);
uint64_t l1_tick_hooked(struct comp *, uint64_t now);
void l1_sync(struct comp *, uint64_t now);

/* l1_access.c: tries to take a request; -1 = taken, else enum l1_fail. */
int l1_access_plain(struct l1 *, struct l1_cache *, req_id, uint64_t now);
int l1_access_hooked(struct l1 *, struct l1_cache *, req_id, uint64_t now);
/* A message of the reply network has come. */
void l1_reply(struct l1 *, req_id, uint32_t info, uint64_t now);
/* Tries the oldest prefetch; true when it used the cache's port. */
bool l1_try_prefetch(struct l1 *, struct l1_cache *, uint64_t now);

/* Do any policies listen to this cache? */
static inline bool l1_hooked(const struct l1_cache *c)
{
    return WEIR_HOOKS && c->hooked;
}

static inline struct l1_cache *l1_cache_of(struct l1 *l1, const struct req *r)
{
    return l1->cache[r->space == REQ_SP_CONST ? L1_CONST : r->space == REQ_SP_TEX ? L1_TEX : L1_DATA];
}

#endif
