/*
 * Warp schedulers: they decide which of the ready warps issues.
 *
 * A policy is one file, sched/<name>.c, with a constant struct of hooks, and what l1/policy.h says goes with it. Each
 * scheduler of each SM has its own state of `state_bytes` zeroed bytes. Every hook but `pick` may be NULL.
 *
 * Warps are named by their slot in the SM (0..63) and sets of warps are 64-bit masks. Hooks run inside the SM's tick.
 * `pick` is called only when some warp of this scheduler could issue. The number of calls that return no warp must not
 * matter, so `pick` may change its state only for the warp it returns. Events inform a policy of changes between
 * picks.
 */
#ifndef WEIR_SM_SCHED_H
#define WEIR_SM_SCHED_H

#include "engine/event.h"
#include "engine/policy_registry.h"

#include <stdbool.h>
#include <stdint.h>

/* What a warp waits for; every warp is in exactly one of these states. */
enum warp_wait {
    WARP_READY,    /* nothing: its registers and instruction are available */
    WARP_ALU,      /* a register that an execution unit will write at a known time */
    WARP_FETCH,    /* its next instruction */
    WARP_MEMORY,   /* a register that a load will write */
    WARP_NEAR,     /* the same, of shared or constant memory: a short wait (sm.long_loads = memory) */
    WARP_FENCE,    /* its earlier memory accesses */
    WARP_BARRIER,  /* the other warps of its CTA */
    WARP_DRAIN,    /* it has ended; its last stores are in flight */
    WARP_MBARRIER, /* arrivals and copies that an mbarrier, or its cluster's barrier, counts */
    WARP_TENSOR,   /* products of its warpgroup, which end at a known time */
    WARP_WAITS
};

struct sched_geom {
    uint64_t owned; /* the slots of this scheduler */
    uint32_t n_warp, n_sched, index;
    uint32_t sm;
    void *shared; /* the policy's shared_bytes of this SM; the same for all its schedulers */
};

/* What a policy sees when it picks. */
struct sched_view {
    uint64_t issuable;   /* warps of this scheduler that could issue now; never 0 */
    uint64_t loads;      /* all warps whose next instruction loads from global or local memory */
    const uint64_t *age; /* by slot: order of assignment, smaller = older; unique */
    uint64_t now;
};

#define SCHED_NONE (-1)

struct sm_sched {
    struct policy_info info;
    size_t state_bytes;
    size_t shared_bytes; /* zeroed bytes that the schedulers of an SM share (sched_geom.shared); 0 = none */
    uint32_t events;     /* bits of enum event that on_event receives from the L1 */
    int (*init)(void *st, const void *params, const struct sched_geom *, struct err *);
    /* A warp of v->issuable, or SCHED_NONE: no warp may issue (the cycle counts as throttled). */
    int (*pick)(void *st, const struct sched_view *v);
    void (*on_warp_start)(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta); /* a new CTA's warp */
    void (*on_issue)(void *st, unsigned warp);
    void (*on_wait)(void *st, unsigned warp, enum warp_wait why); /* a change of state, also to WARP_READY */
    void (*on_warp_exit)(void *st, unsigned warp);
    void (*on_event)(void *st, enum event, unsigned warp, uint32_t argument);
    void (*on_kernel)(void *st);
};

const struct sm_sched *sm_sched_get(unsigned index);

#endif
