/* Inside address translation: the two levels of TLBs. */
#ifndef WEIR_VM_VM_PRIV_H
#define WEIR_VM_VM_PRIV_H

#include "engine/netmsg.h"
#include "engine/ring.h"
#include "engine/tick.h"
#include "engine/waits.h"
#include "vm/vm_config.h"

#define VM_NONE UINT32_MAX

/* A set-associative array of translations, least recently used replaced. `block` is address / reach of an entry. */
struct entries {
    uint64_t *block, *used; /* set-major; NEVER = empty */
    uint64_t stamp;
    uint32_t n_set, n_way, shift;
};

static inline void entries_init(struct entries *t, struct arena *a, uint32_t n, uint32_t assoc, uint64_t reach)
{
    *t = (struct entries){.n_set = n / assoc, .n_way = assoc, .shift = (uint32_t)__builtin_ctzll(reach)};
    t->block = arena_alloc64(a, n * sizeof *t->block);
    t->used = arena_alloc64(a, n * sizeof *t->used);
    for (uint32_t i = 0; i < n; i++)
        t->block[i] = NEVER;
}

/* The place of a block, or VM_NONE. */
static inline uint32_t entries_find(const struct entries *t, uint64_t block)
{
    const uint32_t base = (uint32_t)(block % t->n_set) * t->n_way;
    for (uint32_t i = base; i < base + t->n_way; i++)
        if (t->block[i] == block)
            return i;
    return VM_NONE;
}

static inline void entries_touch(struct entries *t, uint32_t at)
{
    t->used[at] = ++t->stamp;
}

static inline void entries_put(struct entries *t, uint64_t block)
{
    const uint32_t base = (uint32_t)(block % t->n_set) * t->n_way;
    uint32_t at = base;
    for (uint32_t i = base; i < base + t->n_way && t->block[at] != NEVER; i++)
        if (t->block[i] == NEVER || t->used[i] < t->used[at])
            at = i;
    t->block[at] = block;
    entries_touch(t, at);
}

/* Blocks that have been touched: for faults (vm.first_touch). touched.c */
struct touched {
    uint64_t *slot; /* block + 1; 0 = free */
    uint64_t mask, n;
};
/* Adds a block; false: it was there. */
bool touched_add(struct touched *, uint64_t block);

/* ---- the TLB of an SM ---- */
struct tlb_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t waited, wait_cycles, wait_max; /* requests that waited for a translation */
    uint64_t stalled;                       /* requests at the head of the port that could not be looked up at once */
};

/* A translation that is missing, with the requests that wait for it, in order. */
struct tlb_miss {
    uint64_t block;
    uint32_t first, last; /* in `waiting` */
    bool used, arrived;
};

struct tlb_waiting {
    req_id req;
    uint32_t info, next;
    uint64_t since;
};

struct tlb {
    struct comp comp;
    struct req *req;
    struct port in, reply_in;
    struct port *to_l2, *to_mmu;
    struct entries entries;
    struct tlb_miss *miss;
    struct tlb_waiting *waiting;
    uint32_t waiting_free, n_waiting, n_miss;
    struct ring arrived; /* misses whose translation has come, in order */
    bool refused;        /* the request at the head of `in` has been counted as stalled */
    uint32_t sm;
    struct vm_config cfg;
    struct tlb_stats stats;
};

/* ---- what all SMs share ---- */
struct mmu_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t walks, levels, walk_cycles, queue_cycles; /* walk_cycles: from the miss to its end, queueing included */
    uint64_t walker_cycles;                            /* of busy walkers */
    uint64_t faults;
};

struct walk {
    uint64_t block, addr;
    uint64_t asked_at, began_at, done_at; /* done_at: NEVER while it waits for a walker */
    req_id first, last;                   /* translations that wait, linked by req.next */
    bool used;
};

struct mmu {
    struct comp comp;
    struct req *req;
    struct port *in, **reply; /* by SM */
    uint64_t *marked;         /* SMs whose port may have messages */
    struct entries entries, walk_cache;
    struct walk *walk;
    struct ring queue; /* walks that wait for a walker */
    uint32_t n_walk, busy, next_sm, n_sm, reply_latency;
    struct touched touched;
    struct vm_config cfg;
    struct mmu_stats stats;
};

struct port *mmu_in(struct mmu *, uint32_t sm);
void mmu_connect(struct mmu *, uint32_t sm, struct port *reply);

#endif
