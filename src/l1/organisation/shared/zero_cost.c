/*
 * Zero-cost sharing: the hypothetical bound of Section 2.2, Shared on a network between SMs that costs nothing.
 *
 * What is left is the one access per cycle that a home's L1 takes. The links are as wide as there are SMs, and the
 * cycles that a message needs there and back are taken off the way from the SM to the tags: a hit in another L1 takes
 * as long as one in the own L1 (l1.c).
 */
#include "l1/organisation/shared/shared.h"

const struct l1_organisation l1_organisation_zero_cost = {
    .info =
        {.name = "zero-cost",
         .doc = "Shared L1s whose SMs reach each other in no time: a bound, not a machine. Figure 2 of Ibrahim et al., "
                "PACT 2020."},
    .state_bytes = sizeof(struct shared_map),
    .remote = true,
    .ideal = true,
    .init = shared_init,
    .route = shared_route};
