/*
 * DynAMAT: the dynamic organization that compares average memory access times (Section 4.2, metric I). The metric
 * ignores how much latency a GPU hides.
 *
 *     AMAT      = hit latency + L/(L+R) x local miss rate x L2 latency + R/(L+R) x AMAT_home       (1)
 *     AMAT_home = home latency + remote miss rate x L2 latency                                     (2)
 *
 * L and R are the SM's own requests to its own L1 and to homes. Latencies are measured for the SM's own loads of the
 * half, minus the hit latency; the L2's is measured over both halves, because they share one L2. The hit latency is
 * the same in both halves and is left out. Requests that Min(H, L2) sends straight to the L2 are in neither term.
 */
#include "l1/organization/shared/dynamic.h"

#define UNIT 4096 /* times are kept in 1/4096 of a cycle */

static uint64_t ratio(uint64_t num, uint64_t den)
{
    return den ? num * UNIT / den : 0;
}

static uint64_t access_time(const struct dynamic_half *h, uint64_t l2_latency)
{
    uint64_t local_miss_rate = ratio(h->own_misses, h->own_accesses);
    uint64_t remote_miss_rate = ratio(h->home_misses, h->home_hits + h->home_misses);
    uint64_t home = ratio(h->home_hit_cycles, h->home_hits) + remote_miss_rate * l2_latency / UNIT;
    uint64_t requests = h->local + h->remote;
    return ratio(h->local, requests) * (local_miss_rate * l2_latency / UNIT) / UNIT +
           ratio(h->remote, requests) * home / UNIT;
}

static bool prefers_shared(const struct dynamic_params *p, const struct dynamic_half half[HALVES])
{
    (void)p;
    uint64_t l2_latency = ratio(half[HALF_PRIVATE].l2_cycles + half[HALF_SHARED].l2_cycles,
                                half[HALF_PRIVATE].l2_timed + half[HALF_SHARED].l2_timed);
    return access_time(&half[HALF_SHARED], l2_latency) < access_time(&half[HALF_PRIVATE], l2_latency);
}

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    return dynamic_init(st, params, host, prefers_shared, e);
}

const struct l1_organization l1_organization_dynamat = {
    .info = {.name = "dynamat",
             .doc = "Each SM runs as Shared++ or as private, whichever has the shorter average memory access time in a "
                    "sample. DynAMAT of Ibrahim et al., PACT 2020, with L1MRpr; dynamat.threshold=0 is without.",
             DYNAMIC_INFO},
    .init = init,
    DYNAMIC_HOOKS};
