/*
 * Notices: what an SM and its L1 unit tell each other beside requests.
 *
 * They travel through ports like everything else, so a policy sees a warp's exit or a prefetch's arrival one cycle
 * later and the order of ticks cannot matter. The L1 unit says which notices its policies want (l1_wanted_notices); the
 * SM sends no others, so an unused notice costs one test.
 *
 * In struct msg: req = the 32-bit argument, info = notice_info(kind, warp or CTA slot).
 */
#ifndef WEIR_ENGINE_NOTICE_H
#define WEIR_ENGINE_NOTICE_H

#include <stdint.h>

enum notice {
    /* SM to L1 */
    NOTICE_WARP_START, /* slot = warp, argument = CTA slot */
    NOTICE_WARP_EXIT,  /* slot = warp */
    NOTICE_CTA_START,  /* slot = CTA slot, argument = first warp slot | number of warps << 16 */
    NOTICE_CTA_END,    /* slot = CTA slot */
    NOTICE_LOOP_EXIT,  /* slot = warp, argument = the loop it left (trace_inst.loop numbering) */
    NOTICE_ISSUE,      /* slot = warp, argument = warp instructions issued by this SM since the last one (epochs) */
    /* L1 to SM; the warp scheduler gets them */
    NOTICE_LOST_LOCALITY, /* slot = warp: it missed on a line it had lost (CCWS), argument = the cycle, low 32 bits */
    NOTICE_PREFETCHED,    /* slot = warp, argument = pc: a line prefetched for it has arrived (CAPS) */
    NOTICE_POLICY,        /* slot and argument as the two policies agree */
    NOTICE_COUNT
};

static inline uint32_t notice_info(enum notice kind, uint32_t slot)
{
    return (uint32_t)kind << 24 | (slot & 0xffffff);
}
static inline enum notice notice_kind(uint32_t info)
{
    return (enum notice)(info >> 24);
}
static inline uint32_t notice_slot(uint32_t info)
{
    return info & 0xffffff;
}

#endif
