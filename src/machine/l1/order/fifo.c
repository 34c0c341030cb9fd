/* The baseline order in front of the L1's tags: first in, first out, with head-of-line blocking. */
#include "cache/order.h"

extern const struct order_policy l1_order_fifo;
const struct order_policy l1_order_fifo = {
    .info = {.name = "fifo", .doc = "Requests reach the L1 in the order in which the SM issues them."}};
