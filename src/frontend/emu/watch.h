/*
 * What an observer of executions receives; check/ finds races and uninitialized reads with it.
 *
 * An observer replaces handlers when a kernel is decoded, so that memory accesses, fences and warp synchronizations
 * pass through its own. Everything else is a call here, at events that are rare: a barrier, a CTA, a launch. Without an
 * observer, code that is executed often is the same as if there were none.
 */
#ifndef WEIR_EMU_WATCH_H
#define WEIR_EMU_WATCH_H

#include "emu/state.h"

struct emu_watch {
    void *ctx;
    /* The kernel was decoded and has not run: handlers may be replaced, emu_prog.watched is free to use. */
    void (*decoded)(void *ctx, struct emu_prog *);
    void (*launch_begin)(void *ctx, struct emu_grid *);
    void (*launch_end)(void *ctx, struct emu_grid *);
    void (*cta_begin)(void *ctx, struct emu_cta *); /* emu_cta.watched is free to use */
    void (*cta_end)(void *ctx, struct emu_cta *);
    /* Lanes arrive at a barrier; it completes and releases the waiting lanes. */
    void (*arrive)(void *ctx, struct emu_warp_run *, const struct emu_inst *, unsigned id, uint32_t mask);
    void (*release)(void *ctx, struct emu_cta *, unsigned id);
    /* `bytes` bytes of each lane, of an instruction that moves matrices; it has not taken effect yet. */
    void (*matrix)(void *ctx, struct emu_warp *, const struct emu_inst *, uint32_t mask, enum ptx_space,
                   const uint64_t addr[EMU_LANES], uint32_t bytes);
    /* The asynchronous proxy (wgmma, bulk and tensor copies) reads or writes bytes of a CTA's shared memory. */
    void (*async)(void *ctx, struct emu_warp *, const struct emu_inst *, int lane, struct emu_cta *, uint32_t offset,
                  uint32_t bytes, bool writes);
};

static inline void emu_watch_async(struct emu_warp *w, const struct emu_inst *in, int lane, struct emu_cta *c,
                                   uint32_t offset, uint32_t bytes, bool writes)
{
    const struct emu_watch *watch = w->emu->opts.watch;
    if (watch)
        watch->async(watch->ctx, w, in, lane, c, offset, bytes, writes);
}

#endif
