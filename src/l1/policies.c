/* The baselines (no hooks at all) and the tables made from policies.def. */
#include "l1/policy.h"

const struct l1_management l1_management_lru = {
    .info = {.name = "lru",
             .doc =
                 "Keeps what was used last: allocates every load that misses, replaces the least recently used line."}};
const struct l1_organisation l1_organisation_private = {
    .info = {.name = "private", .doc = "Every SM caches what it asks for: each L1 may hold any line."}};
const struct l1_prefetcher l1_prefetcher_none = {.info = {.name = "none", .doc = "No prefetching into the L1."}};
const struct l1_order l1_order_fifo = {
    .info = {.name = "fifo", .doc = "Requests reach the L1 in the order in which the SM made them."}};

#define L1_MANAGEMENT(name)   extern const struct l1_management l1_management_##name;
#define L1_ORGANISATION(name) extern const struct l1_organisation l1_organisation_##name;
#define L1_PREFETCHER(name)   extern const struct l1_prefetcher l1_prefetcher_##name;
#define L1_ORDER(name)        extern const struct l1_order l1_order_##name;
#include "l1/policies.def"
#undef L1_MANAGEMENT
#undef L1_ORGANISATION
#undef L1_PREFETCHER
#undef L1_ORDER

#define SKIP(name)
#define TAKE_MANAGEMENT(name)   &l1_management_##name.info,
#define TAKE_ORGANISATION(name) &l1_organisation_##name.info,
#define TAKE_PREFETCHER(name)   &l1_prefetcher_##name.info,
#define TAKE_ORDER(name)        &l1_order_##name.info,

static const struct policy_info *const management[] = {
#define L1_MANAGEMENT   TAKE_MANAGEMENT
#define L1_ORGANISATION SKIP
#define L1_PREFETCHER   SKIP
#define L1_ORDER        SKIP
#include "l1/policies.def"
#undef L1_MANAGEMENT
#undef L1_ORGANISATION
};
static const struct policy_info *const organisation[] = {
#define L1_MANAGEMENT   SKIP
#define L1_ORGANISATION TAKE_ORGANISATION
#include "l1/policies.def"
#undef L1_ORGANISATION
#undef L1_PREFETCHER
};
static const struct policy_info *const prefetcher[] = {
#define L1_ORGANISATION SKIP
#define L1_PREFETCHER   TAKE_PREFETCHER
#include "l1/policies.def"
#undef L1_PREFETCHER
#undef L1_ORDER
};
static const struct policy_info *const order[] = {
#define L1_PREFETCHER SKIP
#define L1_ORDER      TAKE_ORDER
#include "l1/policies.def"
#undef L1_MANAGEMENT
#undef L1_ORGANISATION
#undef L1_PREFETCHER
#undef L1_ORDER
};

/* In a build without hooks the baseline is the only one there is. */
#define COUNT(a) (unsigned)(WEIR_HOOKS ? sizeof(a) / sizeof *(a) : 1)
const struct policy_kind l1_management_kind = {
    "l1-management", "l1.management", "what the L1 keeps: bypass, protection, victim", management, COUNT(management)};
const struct policy_kind l1_organisation_kind = {"l1-organisation", "l1.organisation", "in whose L1 a line may be",
                                                 organisation, COUNT(organisation)};
const struct policy_kind l1_prefetcher_kind = {
    "prefetcher", "l1.prefetcher", "what is brought into the L1 before it is asked for", prefetcher, COUNT(prefetcher)};
const struct policy_kind l1_order_kind = {"l1-order", "l1.order", "in which order requests reach the L1", order,
                                          COUNT(order)};
