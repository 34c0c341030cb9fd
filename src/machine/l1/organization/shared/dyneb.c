/*
 * DynEB: the dynamic organization that compares effective bandwidths (Section 4.2, metric II).
 *
 * EB = L2 replies / L1 miss rate + home replies, for each half of the sets over the same time; the larger one wins. A
 * half without a miss counts as having one miss. The paper's counter of L2 replies is that of replies "to install"; what
 * Min(H, L2) sends past all L1s is never installed (dyneb.past).
 */
#include "l1/organization/shared/dynamic.h"

static uint64_t effective_bandwidth(const struct dynamic_params *p, const struct dynamic_half *h)
{
    uint64_t divided = h->l2_replies + (p->past == DYNAMIC_PAST_DIVIDED ? h->past_replies : 0);
    uint64_t others = h->home_replies + (p->past == DYNAMIC_PAST_UNDIVIDED ? h->past_replies : 0);
    return divided * h->accesses / (h->misses ? h->misses : 1) + others;
}

static bool prefers_shared(const struct dynamic_params *p, const struct dynamic_half half[HALVES])
{
    const struct dynamic_half *shared = &half[HALF_SHARED], *private = &half[HALF_PRIVATE];
    uint64_t of_shared = effective_bandwidth(p, shared), of_private = effective_bandwidth(p, private);
    if (p->compare == DYNAMIC_COMPARE_PER_REQUEST)
        return of_shared * private->counted > of_private * shared->counted;
    return of_shared > of_private;
}

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    return dynamic_init(st, params, host, prefers_shared, e);
}

const struct l1_organization l1_organization_dyneb = {
    .info = {.name = "dyneb",
             .doc = "Each SM runs as Shared++ or as private, whichever has the larger effective bandwidth in a sample. "
                    "DynEB of Ibrahim et al., PACT 2020.",
             DYNAMIC_INFO},
    .init = init,
    DYNAMIC_HOOKS};
