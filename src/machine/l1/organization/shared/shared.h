/*
 * What the shared L1 organizations have in common: the home of a line, the shorter of two routes, the size of a reply.
 *
 * Source: Ibrahim et al., "Analyzing and Leveraging Shared L1 Caches in GPUs", PACT 2020, Sections 3.1 to 3.3. Every
 * line has one home: the SM selected by the low ceil(log2 N) bits of its tag ("core bits"). Where N is not a power of
 * two the bits can select an SM that does not exist; they are folded modulo N, so the first 2^k - N SMs are home to
 * twice as many lines.
 *
 * Only global memory is shared: local memory belongs to one thread, so it is never replicated and stays in its SM's
 * L1. Constant and texture caches are not shared, and atomics bypass all L1s and are performed at the L2.
 */
#ifndef WEIR_L1_ORGANIZATION_SHARED_H
#define WEIR_L1_ORGANIZATION_SHARED_H

#include "l1/policy.h"

/* How an SM finds homes. The first member of the state of every shared organization. */
struct shared_map {
    struct l1_host *host;
    uint32_t tag_shift; /* from line number to tag */
    uint32_t core_mask;
    /* Hops to each SM; 0 for this one. To the L2: l1_hops_to_l2, which depends on the address. */
    uint16_t hops[1024];
};

/* Fills the state's first member; refuses machines of more SMs than it has room for. */
int shared_init(void *st, const void *params, struct l1_host *, struct err *);

static inline uint32_t shared_home(const struct shared_map *m, uint64_t line)
{
    return (uint32_t)(line >> m->tag_shift & m->core_mask) % m->host->n_sm;
}

/* The route of a request in a shared organization: to its home (Shared). */
enum l1_route shared_route(void *st, const struct req *, uint64_t line, uint32_t set, uint32_t *home);
/* Min(H, L2): to the home or to the L2, whichever is fewer hops away; to the home if equal. */
enum l1_route shared_route_nearest(void *st, const struct req *, uint64_t line, uint32_t set, uint32_t *home);
/*
 * The storage it adds: a request that waits in a home's MSHR may belong to any SM, so its slot holds an SM id. The
 * paper's area (65 nm, section 4.2) is that of the synthesized request handling, including logic.
 */
unsigned shared_cost(const struct cfg *, const void *params, struct policy_cost out[POLICY_COSTS]);
#define SHARED_COST                                                                                                    \
    .cost = shared_cost, .published_mm2 = 0.085, .published_nm = 65, .published_area = "per core (section 4.2)"
/* Chunking: a home's reply carries only the requested 32-byte sectors. */
uint32_t shared_chunk(void *st, const struct req *);

#endif
