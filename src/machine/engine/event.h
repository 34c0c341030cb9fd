/*
 * Events: what an SM and its L1 unit tell each other beside requests.
 *
 * They travel through ports like everything else, so a policy sees a warp's exit or a prefetch's arrival one cycle
 * later and the order of ticks cannot matter. The L1 unit says which events its policies want (l1_wanted_events); the
 * SM sends no others, so an unused event costs one test.
 *
 * In struct msg: req = the 32-bit argument, info = event_info(kind, warp or CTA slot).
 */
#ifndef WEIR_ENGINE_EVENT_H
#define WEIR_ENGINE_EVENT_H

#include <stdint.h>

enum event {
    /* SM to L1 */
    EVENT_WARP_START, /* slot = warp, argument = CTA slot */
    EVENT_WARP_EXIT,  /* slot = warp */
    EVENT_CTA_START,  /* slot = CTA slot, argument = first warp slot | number of warps << 16 */
    EVENT_CTA_END,    /* slot = CTA slot */
    EVENT_LOOP_EXIT,  /* slot = warp, argument = the loop it left (trace_inst.loop numbering) */
    EVENT_ISSUE,      /* slot = warp, argument = warp instructions issued by this SM since the last one (epochs) */
    /* L1 to SM; the warp scheduler gets them */
    EVENT_LOST_LOCALITY,    /* slot = warp: it missed on a line it had lost (CCWS), argument = the cycle, low 32 bits */
    EVENT_PREFETCH_ARRIVED, /* slot = warp, argument = pc: a line prefetched for it has arrived (CAPS) */
    EVENT_POLICY,           /* slot and argument as the two policies agree */
    EVENT_COUNT
};

static inline uint32_t event_info(enum event kind, uint32_t slot)
{
    return (uint32_t)kind << 24 | (slot & 0xffffff);
}
static inline enum event event_kind(uint32_t info)
{
    return (enum event)(info >> 24);
}
static inline uint32_t event_slot(uint32_t info)
{
    return info & 0xffffff;
}

#endif
