/*
 * CTA barriers: bar and barrier with sync, arrive and red, numbers 0 to 15. Source: PTX ISA 9.0, 9.7.13.1.
 *
 * Without a thread count a barrier waits for every thread of the CTA that has not exited, as GPUs since Volta do.
 * With a count, arrivals add up in units of warps: a warp whose lanes have all come counts as 32 threads, whatever its
 * number of live lanes; lanes that arrive apart from their warp count one by one until the rest has arrived, too.
 */
#include "emu/state.h"

#include "emu/access.h"
#include "emu/watch.h"

/* Results of bar.red for the lanes of a waiting fiber. */
static void write_result(struct emu_warp_run *r, const struct emu_inst *in, const struct emu_frame *frame,
                         uint32_t mask, const struct emu_barrier *b)
{
    const struct emu_opnd *o = &in->dst[0];
    if (o->lane == EMU_LANE_PRED) {
        uint32_t value = (in->aux[1] == EMU_BAR_AND ? b->red_and : b->red_or) ? ~0u : 0;
        frame->pred[o->off] = (frame->pred[o->off] & ~mask) | (value & mask);
    } else if (o->lane == EMU_LANE_32) {
        uint32_t *row = (uint32_t *)(frame->reg + o->off);
        for (uint32_t m = mask; m; m &= m - 1)
            row[__builtin_ctz(m)] = b->red_popc;
    }
    (void)r;
}

static void release(struct emu_cta *cta, unsigned id)
{
    struct emu_barrier *b = &cta->bar[id];
    const struct emu_watch *watch = cta->grid->emu->opts.watch;
    if (watch)
        watch->release(watch->ctx, cta, id);
    for (uint32_t i = 0; i < cta->n_warp; i++) {
        struct emu_warp_run *r = &cta->warp[i];
        r->bar_partial[id] = 0;
        for (struct emu_fiber *f = r->fibers; f; f = f->next) {
            if (f->state != EMU_WAIT_BAR || f->bar != id)
                continue;
            struct emu_path *t = &f->path[f->n - 1];
            if (f->wait->aux[0] == EMU_BAR_RED)
                write_result(r, f->wait, t->frame, f->mask, b);
            f->state = EMU_READY;
        }
    }
    *b = (struct emu_barrier){0};
}

static bool complete(const struct emu_cta *cta, const struct emu_barrier *b)
{
    return b->expected ? b->arrived >= b->expected : b->waiting >= cta->live;
}

void emu_barrier_recheck(struct emu_cta *cta)
{
    if (!cta->bars_busy || cta->live == 0)
        return;
    for (unsigned id = 0; id < 16; id++)
        if (cta->bars_busy >> id & 1 && cta->bar[id].waiting && complete(cta, &cta->bar[id])) {
            release(cta, id);
            cta->bars_busy &= ~(1u << id);
        }
}

/* Threads this arrival adds to a counted barrier. */
static uint32_t count_arrival(struct emu_warp_run *r, unsigned id, uint32_t mask)
{
    uint32_t before = r->bar_partial[id], now = before | mask;
    if ((r->w.live & ~now) == 0) {
        r->bar_partial[id] = 0;
        return EMU_LANES - (uint32_t)__builtin_popcount(before);
    }
    r->bar_partial[id] = now;
    return (uint32_t)__builtin_popcount(mask & ~before);
}

/* The value of the number (0) or the count (1) in a lane; no count: 0. */
static uint32_t value_of(struct emu_warp_run *r, const struct emu_inst *in, unsigned which, int lane)
{
    const struct emu_opnd *o = &in->src[which];
    return o->lane ? ((const uint32_t *)emu_src(&r->w, o))[lane] : 0;
}

void emu_barrier_record(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    const int lane = __builtin_ctz(mask);
    if (!r->enc || !ptx_barrier_varies(in->ptx))
        return;
    /* Impossible values end the launch when the warp arrives. */
    const uint32_t id = value_of(r, in, 0, lane) % STREAM_BARRIERS, warps = value_of(r, in, 1, lane) / EMU_LANES;
    const uint64_t told[EMU_LANES] = {STREAM_BARRIER(id, warps < TRACE_WARP_SIZE ? warps : TRACE_WARP_SIZE)};
    emu_record(&r->w, in, TRACE_SP_ASYNC, 1, told);
}

bool emu_barrier_arrive(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct emu_cta *cta = r->w.cta;
    int lane = __builtin_ctz(mask);
    const uint32_t id = value_of(r, in, 0, lane), count = value_of(r, in, 1, lane);
    if (id > 15) {
        emu_raise(&r->w, in, lane, EMU_FAULT_BARRIER, "barrier number %u; a CTA has barriers 0 to 15", id);
        return true;
    }
    if (in->src[1].lane && (count == 0 || count % EMU_LANES)) {
        emu_raise(&r->w, in, lane, EMU_FAULT_BARRIER, "barrier %u for %u threads, which is no multiple of 32", id,
                  count);
        return true;
    }
    struct emu_barrier *b = &cta->bar[id];
    if (!(cta->bars_busy >> id & 1)) {
        cta->bars_busy |= 1u << id;
        *b = (struct emu_barrier){.expected = count, .red_and = 1};
    }
    const struct emu_watch *watch = r->w.emu->opts.watch;
    if (watch)
        watch->arrive(watch->ctx, r, in, id, mask);
    b->arrived += count_arrival(r, id, mask);
    if (in->aux[0] == EMU_BAR_RED) {
        uint32_t p = emu_src_pred(&r->w, &in->src[2]) & mask;
        b->red_and &= p == mask;
        b->red_or |= p != 0;
        b->red_popc += (uint32_t)__builtin_popcount(p);
    }
    if (in->aux[0] != EMU_BAR_ARRIVE)
        b->waiting += (uint32_t)__builtin_popcount(mask);
    struct emu_fiber *f = r->fiber;
    if (complete(cta, b)) {
        if (in->aux[0] == EMU_BAR_RED)
            write_result(r, in, r->frame, mask, b);
        cta->bars_busy &= ~(1u << id);
        release(cta, id);
        return false;
    }
    if (in->aux[0] == EMU_BAR_ARRIVE)
        return false;
    f->path[f->n - 1].pc = emu_pc_of(r, in) + 1;
    emu_fiber_split(r);
    f->state = EMU_WAIT_BAR;
    f->bar = (uint8_t)id;
    f->mask = mask;
    f->wait = in;
    return true;
}
