/* The table of the L2's request orders, from src/machine/policies.list. */
#include "engine/policies.h"
#include "l2/l2_config.h"

#define DECLARE(name) extern const struct order_policy l2_order_##name;
L2_ORDER_POLICIES(DECLARE)
#define ORDER(name) &l2_order_##name.info,
static const struct policy_info *const orders[] = {L2_ORDER_POLICIES(ORDER)};

/* In a build without hooks only the baseline exists. */
struct policy_kind l2_order_kind = {"l2-order", "l2.order", "order in which requests reach the L2", orders,
                                    WEIR_HOOKS ? sizeof orders / sizeof *orders : 1};
