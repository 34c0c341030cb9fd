/*
 * The ready queue of two-level scheduling, the part that two_level and pas share (Gebhart et al., ISCA 2011; CAPS,
 * IPDPS 2018, section V-A).
 *
 * Only the warps in the queue are candidates. A warp that must wait for memory, a fence or a barrier leaves the queue,
 * and the longest pending warp that could issue takes its place. Unlike in GPGPU-Sim's two_level_active, a warp is
 * never promoted while it still waits.
 *
 * A warp may be marked as leading (pas). Leading warps are promoted before others, and a leading warp that arrives at
 * a full queue replaces the trailing warp that entered last; the replaced warp keeps its turn among the pending ones.
 */
#ifndef WEIR_SM_SCHED_READY_QUEUE_H
#define WEIR_SM_SCHED_READY_QUEUE_H

#include "sm/sched/sched.h"

struct ready_queue {
    uint32_t capacity;
    uint64_t queue;          /* warps in the ready queue */
    uint64_t pending;        /* the others of the resident warps */
    uint64_t asleep;         /* of all: those in a long wait */
    uint64_t leading;        /* of all: those that are marked */
    uint64_t seq, since[64]; /* when a warp became pending: the pending ones' order */
    uint64_t entered[64];    /* when it entered the queue */
    /* statistics */
    uint64_t promotions, demotions;
};

void ready_queue_warp_start(struct ready_queue *, unsigned warp, bool leading);
void ready_queue_wait(struct ready_queue *, unsigned warp, enum warp_wait why);
void ready_queue_finish(struct ready_queue *, unsigned warp);
/* Promotes a pending warp that could issue, replacing another if necessary. Returns whether it was promoted. */
bool ready_queue_wake(struct ready_queue *, unsigned warp);

#define READY_QUEUE_STATS(T, member)                                                                                   \
    STAT_NAMED(T, member.promotions, "promotions", "warps", "warps that entered a ready queue"),                       \
        STAT_NAMED(T, member.demotions, "demotions", "warps", "warps that left a ready queue to wait")

#endif
