/* The baseline order in front of the L1's tags: first in, first out, with head-of-line blocking. */
#include "l1/policy.h"

const struct l1_order l1_order_fifo = {
    .info = {.name = "fifo", .doc = "Requests reach the L1 in the order in which the SM made them."}};
