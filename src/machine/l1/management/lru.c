/* The baseline of L1 management: no hooks, so the cache's own rules hold (l1_access.c). */
#include "l1/policy.h"

const struct l1_management l1_management_lru = {
    .info = {.name = "lru",
             .doc =
                 "Keeps what was used last: allocates every load that misses, replaces the least recently used line."}};
