/* The baseline of prefetching into the L1: none. */
#include "l1/policy.h"

const struct l1_prefetcher l1_prefetcher_none = {.info = {.name = "none", .doc = "No prefetching into the L1."}};
