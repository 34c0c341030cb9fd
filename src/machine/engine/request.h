/*
 * A memory request: the 64-byte record that travels from the SM to DRAM and back, and the store it lives in.
 *
 * Requests are named by a 32-bit index (struct req *r = &pool->req[id]). The SM allocates one per line (or per line and
 * bank conflict) that a warp's instruction touches and hands it to the L1; it returns to the SM exactly once
 * (loads: data is there; stores, reductions: acknowledged) and the SM frees it. In between the same record travels: the
 * request that missed first is the one that goes to the L2, those that merged with it wait in a chain. What the
 * hierarchy makes for itself (a prefetch, a write-back, an L2 fill) is freed by the component that completes it. So
 * "created = retired" is one invariant over one store.
 */
#ifndef WEIR_ENGINE_REQUEST_H
#define WEIR_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

typedef uint32_t req_id;
#define REQ_NONE UINT32_MAX

enum req_kind {
    REQ_READ,
    REQ_WRITE,
    REQ_ATOMIC,    /* performed at the L2, the old value returns */
    REQ_RED,       /* performed at the L2, only an acknowledgment returns */
    REQ_WRITEBACK, /* a dirty line that leaves for the next level; no reply */
    REQ_KIND_COUNT
};

/* Same numbers as enum trace_space of trace/kernel.h, which this folder may not include. */
enum req_space { REQ_SP_GLOBAL = 1, REQ_SP_LOCAL = 3, REQ_SP_CONST = 4, REQ_SP_TEX = 6 };

enum req_flag {
    REQ_F_BYPASS = 1 << 0,   /* must not look in or allocate in the L1: volatile, .cg, .cv */
    REQ_F_PREFETCH = 1 << 1, /* made by a prefetcher: no warp waits for it */
    REQ_F_PARTIAL = 1 << 2,  /* a write that covers some of its 4-byte words only in part */
    REQ_F_LAST = 1 << 3,     /* last line of its warp instruction */
    REQ_F_STREAM = 1 << 4,   /* .cs: likely used once */
    REQ_F_NC = 1 << 5,       /* ld.global.nc: read-only path */
    REQ_F_INDIRECT = 1 << 6, /* the address depends on loaded data */
    REQ_F_POLICY = 1 << 7,   /* free for a policy of the L1: kept from the access to the reply */
    /* Set and read by the L1 alone. */
    REQ_F_MSHR = 1 << 8,         /* an MSHR entry waits for its reply */
    REQ_F_REMOTE = 1 << 9,       /* sent to another SM's L1 */
    REQ_F_WAITED = 1 << 10,      /* its first stall has been counted */
    REQ_F_POLICY_DONE = 1 << 11, /* policies have seen it; the verdict is in the two bits above */
    REQ_F_VERDICT_SHIFT = 12,
    REQ_F_VERDICT = 3 << 12,
    REQ_F_ROUTED = 1 << 14, /* the organization has decided where it goes */
    REQ_F_BOTH = 1 << 15,   /* a store sent to another SM's L1 that is written here, too */
};
/* What the SM may set. */
#define REQ_F_SM_FLAGS (REQ_F_BYPASS | REQ_F_PARTIAL | REQ_F_LAST | REQ_F_STREAM | REQ_F_NC | REQ_F_INDIRECT)

/* Where the data came from: the SM keeps average latencies by it. */
enum req_served { REQ_AT_NONE, REQ_AT_L1, REQ_AT_L1_MERGE, REQ_AT_REMOTE_L1, REQ_AT_L2, REQ_AT_DRAM, REQ_AT_COUNT };

/* Who made it. */
enum req_origin { REQ_FROM_SM /* or its L1 */, REQ_FROM_L2 /* a fetch or a write to DRAM, or a fetch of a copy */ };

struct req {
    uint64_t addr;       /* first byte of the line */
    uint64_t created_at; /* core cycle in which it was made */
    req_id next;         /* list link for the structure that holds it (MSHR chain, free list, reorder queue) */
    uint32_t token;      /* the maker's: the SM's pending-access entry, the L1's MSHR, the L2's MSHR */
    uint32_t pc;         /* static instruction; prefetches: the load that caused it */
    uint32_t words;      /* which 4-byte words of the line are touched (first 128 bytes of a line) */
    union {
        uint16_t sm;    /* REQ_FROM_SM: the SM it was made for */
        uint16_t slice; /* REQ_FROM_L2: the slice that made it */
    };
    uint16_t warp;        /* warp slot in that SM */
    uint16_t cta;         /* CTA slot in that SM */
    uint16_t loop;        /* innermost loop of the instruction: trace_inst.loop */
    uint16_t from, to;    /* network nodes; a reply goes to `from` */
    uint16_t bytes;       /* data bytes it moves: touched bytes, payload of a write */
    uint16_t flags;       /* enum req_flag */
    uint16_t policy_tag;  /* a policy's remark that travels to the L2 and back (l2.h: exchanged with the line's) */
    uint8_t kind;         /* enum req_kind */
    uint8_t space;        /* enum req_space */
    uint8_t sectors;      /* which 32-byte sectors of the line are asked for; without sectors all of the line's */
    uint8_t arrived;      /* which of them have returned (the maker sets 0) */
    uint8_t served;       /* enum req_served */
    uint8_t first;        /* byte offset in the line of the first active lane's access */
    uint8_t origin;       /* enum req_origin */
    uint8_t nth, n_lines; /* this is line nth of the n_lines of its warp instruction (saturate at 255) */
};
_Static_assert(sizeof(struct req) == 64, "a request is one cache line of the host");

/* All requests of a machine. */
struct req_store {
    struct req *req;
    uint32_t listed; /* requests that have been in a free list so far: the first ones */
    uint32_t cap;    /* as many can be in flight */
    uint32_t size;   /* with those that lie idle in the pools of several workers */
    req_id returned; /* pieces that pools have given back: linked by the first one's token */
    int lock;        /* of listed and returned: several workers */
};

/* The free list of one worker (engine.h), which alone uses it. Sums over all pools: created, retired. */
struct req_pool {
    struct req *req;
    req_id free;
    uint32_t room; /* requests that the free list may grow by until a piece of it goes back to the store */
    uint64_t created, retired;
    struct req_store *store;
};

enum { REQ_PIECE = 256, REQ_IDLE = 4 * REQ_PIECE }; /* requests that move at once; that a pool of several keeps */

void req_store_init(struct req_store *, struct arena *, uint32_t cap, uint32_t pools);
void req_pool_init(struct req_pool *, struct req_store *, bool alone);
/* The free list is empty: adds requests to it and returns the first. */
req_id req_pool_extend(struct req_pool *) __attribute__((cold, noinline));
/* The free list is long: gives a piece of it back. */
void req_pool_give_back(struct req_pool *) __attribute__((cold, noinline));

/* The fields are whatever the last owner left: the maker sets all it and its receivers use. */
static inline req_id req_alloc(struct req_pool *p)
{
    req_id id = p->free;
    if (__builtin_expect(id == REQ_NONE, 0))
        id = req_pool_extend(p);
    p->free = p->req[id].next;
    p->created++;
    p->room++;
    return id;
}

static inline void req_release(struct req_pool *p, req_id id)
{
    p->req[id].next = p->free;
    p->free = id;
    p->retired++;
    if (__builtin_expect(--p->room == 0, 0))
        req_pool_give_back(p);
}

static inline bool req_is_write(const struct req *r)
{
    return r->kind == REQ_WRITE || r->kind == REQ_WRITEBACK;
}

#endif
