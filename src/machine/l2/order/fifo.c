/*
 * The baseline order in front of the L2's tags: first in, first out, with head-of-line blocking. It has no hooks, so
 * the L2 has no buffer and takes its requests straight from the network's port.
 */
#include "cache/order.h"

const struct order_policy l2_order_fifo = {
    .info = {.name = "fifo", .doc = "Requests reach the L2's tags in network order."}};
