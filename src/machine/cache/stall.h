/* Stall reasons: the resource that a cache lacks for an access. The L1 and the L2 have the same, in the same order. */
#ifndef WEIR_CACHE_STALL_H
#define WEIR_CACHE_STALL_H

enum stall {
    STALL_NONE = -1,       /* the access was accepted */
    STALL_NO_WAY,          /* every way of the set is reserved for a line in flight */
    STALL_NO_MSHR,         /* no MSHR entry is free */
    STALL_NO_MERGE_SLOT,   /* the line's MSHR entry holds as many requests as it can */
    STALL_MISS_QUEUE_FULL, /* the miss queue is full */
    STALL_REPLY_FULL,      /* the reply network accepts nothing */
    STALL_ATOMIC_BUSY,     /* the atomic unit is busy */
    STALL_BANK_CONFLICT,   /* another access of this cycle uses the bank */
    STALL_COUNT
};

#endif
