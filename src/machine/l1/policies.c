/* The tables of the L1's four kinds of policy, from src/machine/policies.list. */
#include "engine/policies.h"
#include "l1/policy.h"

#define DECLARE(name) extern const struct l1_management l1_management_##name;
L1_MANAGEMENT_POLICIES(DECLARE)
#undef DECLARE
#define DECLARE(name) extern const struct l1_organization l1_organization_##name;
L1_ORGANIZATION_POLICIES(DECLARE)
#undef DECLARE
#define DECLARE(name) extern const struct l1_prefetcher l1_prefetcher_##name;
PREFETCHER_POLICIES(DECLARE)
#undef DECLARE
#define DECLARE(name) extern const struct order_policy l1_order_##name;
L1_ORDER_POLICIES(DECLARE)

#define MANAGEMENT(name)   &l1_management_##name.info,
#define ORGANIZATION(name) &l1_organization_##name.info,
#define PREFETCHER(name)   &l1_prefetcher_##name.info,
#define ORDER(name)        &l1_order_##name.info,
static const struct policy_info *const management[] = {L1_MANAGEMENT_POLICIES(MANAGEMENT)};
static const struct policy_info *const organization[] = {L1_ORGANIZATION_POLICIES(ORGANIZATION)};
static const struct policy_info *const prefetcher[] = {PREFETCHER_POLICIES(PREFETCHER)};
static const struct policy_info *const order[] = {L1_ORDER_POLICIES(ORDER)};

/* In a build without hooks only the baseline exists. */
#define COUNT(a) (unsigned)(WEIR_HOOKS ? sizeof(a) / sizeof *(a) : 1)
struct policy_kind l1_management_kind = {"l1-management", "l1.management",
                                         "L1 management: allocation, protection, replacement", management,
                                         COUNT(management)};
struct policy_kind l1_organization_kind = {"l1-organization", "l1.organization", "which L1s may hold a line",
                                           organization, COUNT(organization)};
struct policy_kind l1_prefetcher_kind = {"prefetcher", "l1.prefetcher", "L1 prefetching", prefetcher,
                                         COUNT(prefetcher)};
struct policy_kind l1_order_kind = {"l1-order", "l1.order", "order in which requests reach the L1", order,
                                    COUNT(order)};
