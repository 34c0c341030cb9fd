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

/* An access of the asynchronous proxy: of wgmma, bulk and tensor copies, st.async, red.async. */
struct emu_async {
    enum { EMU_ASYNC_READ, EMU_ASYNC_WRITE, EMU_ASYNC_REDUCE } access;
    bool product;        /* of wgmma: its groups say when it is over; else those of bulk copies, or the mbarrier */
    struct emu_cta *cta; /* whose shared memory; NULL: global memory */
    uint64_t at;         /* offset or address */
    uint32_t bytes;
    struct emu_cta *counter; /* the mbarrier that counts it: its CTA; NULL: none */
    uint32_t mbarrier;       /* and offset */
};

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
    /* `bytes` bytes of each lane, of an instruction that moves matrices, fetches texels or accesses a surface; it has
     * not taken effect yet. */
    void (*access)(void *ctx, struct emu_warp *, const struct emu_inst *, uint32_t mask, enum ptx_space,
                   const uint64_t addr[EMU_LANES], uint32_t bytes);
    /* Memory that a lane of this warp gets from device code's malloc; others may have had it before. */
    void (*heap)(void *ctx, uint64_t addr, uint64_t bytes);
    /* A lane's call of memcpy or memset (from 0 = memset); no warp: a copy that was launched by device code. */
    void (*move)(void *ctx, struct emu_warp *, const struct emu_inst *, int lane, uint64_t to, uint64_t from,
                 uint64_t bytes);
    /* The asynchronous proxy accesses memory for a lane; it has not taken effect yet. True: some of the bytes that it
     * reads were never written. */
    bool (*async)(void *ctx, struct emu_warp *, const struct emu_inst *, int lane, const struct emu_async *);
    /* Bytes that it writes are as defined as those that they come from: addresses, of global memory or (CTA given) of
     * its shared memory. */
    void (*define)(void *ctx, struct emu_cta *to_cta, uint64_t to, struct emu_cta *from_cta, uint64_t from,
                   uint32_t bytes);
    /* An asynchronous copy has counted its bytes at an mbarrier, at this offset of the CTA's shared memory. */
    void (*counted)(void *ctx, struct emu_warp *, struct emu_cta *, uint32_t mbarrier);
    /* barrier.cluster: lanes arrive or are about to leave; the phase is complete. */
    void (*cluster)(void *ctx, struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
    void (*cluster_complete)(void *ctx, struct emu_cluster *);
};

static inline const struct emu_watch *emu_watch_of(const struct emu_warp *w)
{
    return w->emu->opts.watch;
}

static inline bool emu_watch_async(struct emu_warp *w, const struct emu_inst *in, int lane, struct emu_async a)
{
    const struct emu_watch *watch = emu_watch_of(w);
    return watch && watch->async(watch->ctx, w, in, lane, &a);
}

static inline void emu_watch_access(struct emu_warp *w, const struct emu_inst *in, uint32_t mask, enum ptx_space space,
                                    const uint64_t *addr, uint32_t bytes)
{
    const struct emu_watch *watch = emu_watch_of(w);
    if (watch)
        watch->access(watch->ctx, w, in, mask, space, addr, bytes);
}

#endif
