/* The baseline of L1 organization: each L1 serves its own SM only. */
#include "l1/policy.h"

const struct l1_organization l1_organization_private = {
    .info = {.name = "private", .doc = "Each SM caches what it requests; every L1 may hold any line."}};
