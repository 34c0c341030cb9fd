/*
 * Zero-cost sharing: the hypothetical bound of Section 2.2, Shared on a cost-free network between SMs.
 *
 * The remaining limit is the one access per cycle that a home's L1 accepts. The links are as wide as there are SMs,
 * and the round-trip cycles of a message are subtracted from the latency from the SM to the tags, so that a hit in
 * another L1 takes as long as a local hit (l1.c).
 */
#include "l1/organization/shared/shared.h"

const struct l1_organization l1_organization_zero_cost = {
    .info = {.name = "zero-cost",
             .doc = "Shared L1s with a zero-latency network between SMs: an upper bound, not a real machine. Figure 2 "
                    "of Ibrahim et al., PACT 2020."},
    .state_bytes = sizeof(struct shared_map),
    .remote = true,
    .ideal = true,
    .init = shared_init,
    .route = shared_route};
