/* What a cache lacks when it cannot take an access. The same causes, in the same order, for the L1 and the L2. */
#ifndef WEIR_CACHE_STALL_H
#define WEIR_CACHE_STALL_H

enum stall {
    STALL_NONE = -1, /* the access was taken */
    STALL_LINE,      /* every way of the set is reserved for a line in flight */
    STALL_MSHR,      /* no MSHR entry is free */
    STALL_MERGE,     /* the line's MSHR entry holds as many requests as it can */
    STALL_QUEUE,     /* the miss queue is full */
    STALL_REPLY,     /* the way back (the reply network) takes nothing */
    STALL_ATOMIC,    /* the atomic unit is busy */
    STALL_BANK,      /* another access of this cycle uses the bank */
    STALL_COUNT
};

#endif
