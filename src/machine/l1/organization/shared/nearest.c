/* Shared++: Shared+Chunk, and a request goes to the L2 if it is nearer than the home (Section 3.3, optimization II). */
#include "l1/organization/shared/shared.h"

const struct l1_organization l1_organization_shared_nearest = {
    .info = {.name = "shared++",
             .doc =
                 "Shared L1s with chunked replies, where a request goes to its home or to the L2, whichever is fewer "
                 "hops away. Shared+Chunk+Min(H, L2) of Ibrahim et al., PACT 2020.",
             SHARED_COST},
    .state_bytes = sizeof(struct shared_map),
    .remote = true,
    .init = shared_init,
    .route = shared_route_nearest,
    .reply_bytes = shared_chunk};
