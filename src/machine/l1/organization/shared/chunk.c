/* Shared+Chunk: Shared, with replies that carry only the requested data (Section 3.3, optimization I). */
#include "l1/organization/shared/shared.h"

const struct l1_organization l1_organization_shared_chunk = {
    .info = {.name = "shared+chunk",
             .doc = "Shared L1s whose replies carry only the requested 32-byte sectors, not the line. Shared+Chunk of "
                    "Ibrahim et al., PACT 2020.",
             SHARED_COST},
    .state_bytes = sizeof(struct shared_map),
    .remote = true,
    .init = shared_init,
    .route = shared_route,
    .reply_bytes = shared_chunk};
