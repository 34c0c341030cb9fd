/*
 * The four kinds of policy of an L1: management, organization, prefetcher, request order.
 *
 * A policy is one file, a constant struct of hooks, with a line in src/machine/policies.list, a test and golden
 * statistics: `weir plugin new --in-tree` starts them (docs/add-a-policy.md). Every hook may be NULL, which means the
 * baseline's behavior (except a request order's init, enqueue, pick and taken: cache/order.h). A NULL hook costs
 * nothing, because an L1 whose policies have no hooks runs a variant of the access path without the calls.
 *
 * A policy's state is `state_bytes` zeroed bytes per L1; `line_state_bytes` more per cache line are kept in a side array
 * (host.line_state + entry * line_state_bytes). Parameters come as the policy's own struct, filled from its section of the
 * configuration; statistics are uint64_t members of the state (policy_info.stats). Hooks run inside the L1's tick, those
 * of several L1s at the same time (--threads), so what they share must be constant. They may read the tags (host.tags)
 * but not change them; they act through their return values and the functions below. docs/policies.md shows how the
 * published mechanisms use these hooks.
 */
#ifndef WEIR_L1_POLICY_H
#define WEIR_L1_POLICY_H

#include "cache/order.h"
#include "cache/stall.h"
#include "cache/tags.h"
#include "engine/event.h"
#include "engine/policy_registry.h"
#include "engine/request.h"
#include "l1/l1.h"

/* The outcome of a look-up. The order of the stalls is that of the statistics. */
enum l1_outcome {
    L1_HIT,            /* the data is present; for a store, its line is */
    L1_MISS,           /* a fetch starts; for a store, its line is absent */
    L1_SECTOR_MISS,    /* a fetch starts for sectors of a line that is present or in flight */
    L1_MERGE,          /* merges with a fetch in flight */
    L1_BYPASSED,       /* to the L2 without an effect on this cache, except that stores invalidate a stale line */
    L1_ATOMIC,         /* performed at the L2 */
    L1_REMOTE,         /* to the L1 of another SM */
    L1_ACCEPTED_COUNT, /* the number of outcomes in which the request was accepted */
    /* Not accepted: L1_ACCEPTED_COUNT + enum stall. */
    L1_STALL_NO_WAY = L1_ACCEPTED_COUNT + STALL_NO_WAY,
    L1_STALL_NO_MSHR = L1_ACCEPTED_COUNT + STALL_NO_MSHR,
    L1_STALL_NO_MERGE_SLOT = L1_ACCEPTED_COUNT + STALL_NO_MERGE_SLOT,
    L1_STALL_MISS_QUEUE_FULL = L1_ACCEPTED_COUNT + STALL_MISS_QUEUE_FULL,
    L1_OUTCOMES
};
enum { L1_STALLS = L1_OUTCOMES - L1_ACCEPTED_COUNT };

/* What a policy sees of an access. `entry` indexes host.tags; set = entry / ways. */
struct l1_access {
    const struct req *req;
    uint64_t line; /* line number */
    uint64_t now;  /* core cycle */
    uint32_t set;
    int32_t entry;       /* where the line is; -1 = absent */
    bool hit;            /* all requested sectors are valid */
    bool pending;        /* the line is in flight (an MSHR holds it) */
    uint16_t policy_tag; /* decide may set it; it goes to the L2 with the request (req.policy_tag, l2.line_metadata) */
};

/* What the L1 passes to a policy at init; lives as long as the L1. */
struct l1_host {
    struct l1 *l1;
    const struct tags *tags; /* of the data cache */
    void *line_state;        /* the policy's side array */
    uint32_t sm, n_sm, n_warp, n_cta;
    uint32_t line_size;   /* bytes of a cache line */
    uint32_t hit_latency; /* cycles from the SM's request to its data when it hits */
    uint32_t kernel;      /* number of the running kernel, the same for all its launches; a pc counts within it */
};

/* ---- what a policy may call ---- */
/* Sends an event to the SM's warp scheduler; it arrives in the next cycle. */
void l1_notify_sm(struct l1_host *, enum event, uint32_t slot, uint32_t argument);
/*
 * Requests a prefetch of a line for `warp`. The prefetch waits in a queue of l1.prefetch_queue addresses and uses the
 * cache's port in a cycle without a demand access. From there it takes the path of a load (route, decide, victim,
 * on_miss, on_fill; to the line's home where lines have one), but it is dropped when the line is present or in flight,
 * when the management would not allocate it, or when a resource it needs is not free. false: the queue is full
 * (counted).
 */
bool l1_prefetch(struct l1_host *, uint64_t addr, uint32_t pc, uint32_t warp, uint32_t cta);
/* Drops what waits in that queue on behalf of a load for a warp that has executed it meanwhile. */
void l1_prefetch_overtaken(struct l1_host *, uint32_t pc, uint32_t warp);
/* Network distance between this SM and another or an L2 slice of an address; 0 without a network. */
uint32_t l1_hops_to_sm(const struct l1_host *, uint32_t sm);
uint32_t l1_hops_to_l2(const struct l1_host *, uint64_t addr);

/* The current core cycle, for hooks that do not receive it. */
uint64_t l1_now(const struct l1_host *);

/* ---- management: what to allocate and what to replace ---- */
enum l1_decision {
    L1_NORMAL,      /* hit: served; miss: fetched and allocated */
    L1_BYPASS_MISS, /* hit: served; miss: fetched according to l1.bypass_fetch, may merge, not allocated */
    L1_BYPASS,      /* not looked up: straight to the L2, no MSHR, no allocation, only the touched sectors */
};
#define L1_NO_VICTIM UINT32_MAX

struct l1_management {
    struct policy_info info;
    size_t state_bytes, line_state_bytes;
    uint32_t events; /* bits of enum event that on_event receives */
    bool
        l2_line_metadata; /* it uses l1_access.policy_tag and req.policy_tag, so the L2 keeps them, as with l2.line_metadata = yes */
    bool (*l2_bypass_on_stall)(
        const void *params); /* true: reads bypass an L2 slice that cannot accept them (l2.bypass_on_stall) */
    int (*init)(void *st, const void *params, struct l1_host *, struct err *);
    /* --- decisions --- */
    /* Called once per load of the data cache, before its look-up, and not again on retries after a stall. */
    enum l1_decision (*decide)(void *st, struct l1_access *);
    /*
     * victim and bypass_on_stall are called each time the access is tried, and the number of retries of a stalled access
     * depends on what else happens in the L1 and on --engine. Neither may count its calls, draw random numbers or
     * otherwise change state; state changes belong in the event hooks, which are called once per access. A build with
     * -Dcheck_hooks=true calls both twice and ends the run if an answer or the state differs.
     *
     * victim selects the line to replace. It returns one way of `candidates` (never 0; any other way is a fatal
     * error), or L1_NO_VICTIM: all ways are protected, and the access bypasses. NULL = least recently used. Empty ways
     * are used first, without a call.
     */
    uint32_t (*victim)(void *st, const struct l1_access *, uint64_t candidates);
    /* The access stalls. true: it bypasses the cache as soon as the miss queue has room. Not called for STALL_MISS_QUEUE_FULL. */
    bool (*bypass_on_stall)(void *st, const struct l1_access *, enum stall why);
    /* --- events --- */
    void (*on_hit)(void *st, const struct l1_access *);                  /* also merges: a->pending */
    void (*on_miss)(void *st, const struct l1_access *, bool allocated); /* entry = the reserved one, or -1 */
    void (*on_all_protected)(void *st, const struct l1_access *); /* `victim` returned L1_NO_VICTIM: it bypasses */
    void (*on_stall_bypass)(void *st, const struct l1_access *, enum stall why); /* `bypass_on_stall` returned true */
    void (*on_store)(void *st, const struct l1_access *); /* before the write's own effect on the line */
    void (*on_fill)(void *st, const struct req *, uint32_t entry);
    void (*on_evict)(void *st, uint32_t entry, uint64_t line, bool reused); /* replaced or dropped; not at flushes */
    void (*on_reply)(void *st, const struct req *); /* a request's reply has arrived; req.policy_tag = the L2 line's */
    void (*on_event)(void *st, enum event, uint32_t slot, uint32_t argument);
    void (*on_kernel)(void *st, uint32_t launch_index); /* a kernel starts; the cache is empty if it is flushed */
    uint64_t (*on_epoch)(void *st, uint64_t now); /* returns the next core cycle to be called in, a later one; 0 = none.
                                                     First called in the first cycle of a kernel */
    /* --- reports --- */
    /* Checks the policy's own invariants at the end of a run: -1 with *e filled when one is violated. */
    int (*check)(const void *st, struct err *e);
};

/* ---- organization: where a line lives ---- */
enum l1_route {
    L1_ROUTE_LOCAL,  /* looked up here */
    L1_ROUTE_REMOTE, /* to the home's L1; a store invalidates the local copy */
    L1_ROUTE_L2,     /* to the L2, bypassing every L1; a store invalidates the local copy */
    L1_ROUTE_BOTH,   /* stores: written here and sent to the home's L1, which writes its copy and the L2 */
};

struct l1_organization {
    struct policy_info info;
    size_t state_bytes;
    bool remote; /* needs a network between SMs */
    bool ideal;  /* hypothetical: that network is free, and another L1 is as near as the local one */
    int (*init)(void *st, const void *params, struct l1_host *, struct err *);
    /*
     * Selects where this SM's request for a line goes; *home = the home SM for REMOTE and BOTH. Called once per load or
     * store of the data cache. NULL = always LOCAL. If the home is this SM, the request is LOCAL.
     */
    enum l1_route (*route)(void *st, const struct req *, uint64_t line, uint32_t set, uint32_t *home);
    /* Bytes of data in a reply from the home (chunking), at most a line. NULL = the whole line. */
    uint32_t (*reply_bytes)(void *st, const struct req *);
    /*
     * The candidate ways to replace before all others; 0 = no preference. NULL = never a preference. Called as often as
     * a management's victim, and must not change state either.
     */
    uint64_t (*preferred_victims)(void *st, uint32_t set, uint64_t candidates);
    void (*on_lookup)(void *st, const struct l1_access *); /* a look-up here, by local and remote loads and stores */
    /* A reply has arrived from the L2 or a home, for this SM or for another SM whose request this L1 forwarded. */
    void (*on_reply)(void *st, const struct req *, bool from_home);
    void (*on_kernel)(void *st, uint32_t launch_index);
};

/* ---- prefetcher ---- */
struct l1_prefetcher {
    struct policy_info info;
    size_t state_bytes;
    uint32_t events;
    int (*init)(void *st, const void *params, struct l1_host *, struct err *);
    void (*on_access)(void *st,
                      const struct l1_access *); /* once per load of the data cache, when it reaches the tags */
    void (*on_fill)(void *st, const struct req *, uint32_t entry); /* demand and prefetch (REQ_F_PREFETCH) */
    void (*on_evict)(void *st, uint32_t entry, uint64_t line, bool unused_prefetch);
    void (*on_event)(void *st, enum event, uint32_t slot, uint32_t argument);
    void (*on_kernel)(void *st, uint32_t launch_index);
};

/* The contract of request orders, the fourth kind, is shared with the L2: cache/order.h. */

/* The tables, in the order of src/machine/policies.list; the first of each is the baseline. */
extern struct policy_kind l1_management_kind, l1_organization_kind, l1_prefetcher_kind, l1_order_kind;

#endif
