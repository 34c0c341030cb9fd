/*
 * DynEB: the dynamic organization that compares effective bandwidths (Section 4.2, metric II).
 *
 * EB = L2 replies / L1 miss rate + home replies, for each half of the sets over the same time; the larger one wins. A
 * half without a miss counts as having one miss.
 */
#include "l1/organization/shared/dynamic.h"

static uint64_t effective_bandwidth(const struct dynamic_half *h)
{
    return h->l2_replies * h->accesses / (h->misses ? h->misses : 1) + h->home_replies;
}

static bool prefers_shared(const struct dynamic_half half[HALVES])
{
    return effective_bandwidth(&half[HALF_SHARED]) > effective_bandwidth(&half[HALF_PRIVATE]);
}

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    return shared_init(st, params, host, e) ? -1 : dynamic_init(st, params, prefers_shared);
}

const struct l1_organization l1_organization_dyneb = {
    .info = {.name = "dyneb",
             .doc = "Each SM runs as Shared++ or as private, whichever has the larger effective bandwidth in a sample. "
                    "DynEB of Ibrahim et al., PACT 2020.",
             .params = dynamic_fields,
             .params_bytes = sizeof(struct dynamic_params),
             .stats = dynamic_stats,
             .report_phases = dynamic_report_phases,
             DYNAMIC_COST},
    .init = init,
    DYNAMIC_HOOKS};
