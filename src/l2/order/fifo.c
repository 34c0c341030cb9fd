/* The baseline order in front of the L2's tags: first in, first out, with head-of-line blocking. */
#include "l2/l2_config.h"

const struct l2_order l2_order_fifo = {
    .info = {.name = "fifo", .doc = "Requests reach the L2's tags in the order in which the network brought them."}};
