/*
 * Tracks which loops a warp is in, for L1 policies that request an event when it has left one (EVENT_LOOP_EXIT).
 *
 * A diverged warp leaves a loop in parts: some lanes run ahead outside it and wait at the reconvergence point. As with
 * a SIMT stack, the warp has left the loop when none of the lanes that entered remains. Each loop that a warp is in
 * therefore has a set of lanes; a lane leaves it when it executes an instruction outside the loop, or exits. Loops
 * inside called functions are not tracked: a call belongs to the loop that contains it.
 */
#include "sm/sm_priv.h"

#include "base/mem.h"

static bool holds(const struct trace_kernel *k, uint16_t outer, uint16_t inner)
{
    while (inner && inner != outer)
        inner = k->loop[inner - 1].parent;
    return inner == outer;
}

static void enter(struct warp *w, uint16_t loop, uint32_t lanes)
{
    for (unsigned i = 0; i < w->n_in; i++)
        if (w->in[i].loop == loop) {
            w->in[i].lanes |= lanes;
            return;
        }
    w->in[w->n_in++] = (struct loop_lanes){.lanes = lanes, .loop = loop};
}

/* The warp's next instruction is decoded: lanes may have entered loops and left others. */
void sm_loops_step(struct sm *sm, unsigned slot)
{
    struct warp *w = &sm->warp[slot];
    const struct trace_kernel *k = w->kernel->trace;
    uint16_t loop = w->inst.loop;
    if (loop == w->loop && w->mask == w->loop_mask && w->live == w->loop_live)
        return;
    w->loop = loop;
    w->loop_mask = w->mask;
    w->loop_live = w->live;
    for (unsigned i = w->n_in; i-- > 0;) {
        struct loop_lanes *in = &w->in[i];
        in->lanes &= w->live;
        if (!holds(k, in->loop, loop))
            in->lanes &= ~w->mask;
        if (!in->lanes) {
            sm_notify_l1(sm, EVENT_LOOP_EXIT, slot, in->loop);
            *in = w->in[--w->n_in];
        }
    }
    for (; loop; loop = k->loop[loop - 1].parent)
        enter(w, loop, w->mask);
}

void sm_loops_begin(struct sm *sm, unsigned slot)
{
    struct warp *w = &sm->warp[slot];
    w->n_in = 0;
    w->loop = UINT16_MAX;
    sm_loops_step(sm, slot);
}

/* Allocates room for the kernel's loops; a warp is in each at most once. */
void sm_loops_set_kernel(struct sm *sm, const struct sm_kernel *k)
{
    if (sm_room_grow(sm, &sm->loops_room, k->trace->n_loop * sizeof *sm->warp->in))
        for (unsigned i = 0; i < sm->cfg.max_warps; i++)
            sm->warp[i].in = sm_room_of(&sm->loops_room, i);
}
