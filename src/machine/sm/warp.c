/*
 * What a warp waits for (registers, its next instruction, barriers), and how it ends.
 *
 * Scoreboard: each register of a warp has the cycle from which it can be read. An instruction of an execution unit
 * sets that cycle at issue; a load leaves its registers pending until its last line has arrived. Both sources and
 * destinations are checked, so results are written in program order.
 *
 * Fetching: `sm.fetch_width` instructions are fetched together; the next fetch starts when the buffer is empty, one
 * fetch per cycle and SM, through an instruction cache whose misses take a fixed time. A jump discards the buffer.
 *
 * Barriers count warps. A diverged warp arrives in parts; it has arrived when all its live lanes have.
 */
#include "sm/sm_priv.h"

/* The warp can issue in cycle `at`, which is in the future. */
static void set_timer(struct sm *sm, unsigned slot, uint64_t at, uint64_t now)
{
    sm->warp[slot].ready_at = at;
    /* A time beyond the wheel is reached in several steps. */
    if (at - now >= SM_TIMERS - 2)
        at = now + SM_TIMERS - 2;
    uint64_t i = at & (SM_TIMERS - 1);
    sm->timer[i] |= warp_bit(slot);
    sm->timer_busy[i >> 6] |= 1ull << (i & 63);
}

void sm_expire_timers(struct sm *sm, uint64_t now)
{
    uint64_t i = now & (SM_TIMERS - 1);
    uint64_t due = sm->timer[i];
    sm->timer[i] = 0;
    sm->timer_busy[i >> 6] &= ~(1ull << (i & 63));
    for (; due; due &= due - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(due);
        uint64_t at = sm->warp[slot].ready_at;
        if (at > now)
            set_timer(sm, slot, at, now);
        else
            sm_move_warp(sm, slot, WARP_READY);
    }
}

uint64_t sm_next_timer(const struct sm *sm, uint64_t now)
{
    uint64_t start = (now + 1) & (SM_TIMERS - 1);
    uint64_t word = start >> 6, bits = sm->timer_busy[word] & ~0ull << (start & 63);
    for (unsigned k = 0; k <= SM_TIMERS / 64; k++) {
        if (bits) {
            uint64_t i = (word << 6) + (uint64_t)__builtin_ctzll(bits);
            return now + 1 + ((i - start) & (SM_TIMERS - 1));
        }
        word = (word + 1) & (SM_TIMERS / 64 - 1);
        bits = sm->timer_busy[word];
    }
    return NEVER;
}

static bool fence_waits(const struct warp *w)
{
    return w->inst.barrier ? w->unsent >= w->inst.barrier : w->outstanding;
}

/* Until when it waits for products: all of a group, or, before a further one, as many as it may run ahead of. */
static uint64_t held_until(const struct sm *sm, const struct warp *w)
{
    uint32_t ahead = sm->cfg.wgmma_ahead;
    if (!ahead || w->inst.cls != TRACE_WGMMA || !w->inst.barrier_warps)
        return w->hold_until;
    ahead -= ahead > 1 && !(w->inst.mem_flags & TRACE_WGMMA_A_SHARED);
    if (w->n_product < ahead)
        return w->hold_until;
    const uint64_t room = w->ends_at[(w->n_product - ahead) % SM_WGMMA_AHEAD];
    return room > w->hold_until ? room : w->hold_until;
}

void sm_settle(struct sm *sm, unsigned slot, uint64_t earliest)
{
    struct warp *w = &sm->warp[slot];
    const uint16_t *reg = w->regs + w->inst.regs_at;
    const uint64_t held = held_until(sm, w);
    uint64_t at = 0;
    for (const uint16_t *end = reg + w->inst.n_reg; reg < end; reg++) {
        uint64_t t = w->reg_at[*reg];
        at = t > at ? t : at;
    }
    if (w->inst.guarded && at < REG_PENDING_NEAR && w->reg_at[reg[-1]] + sm->cfg.guard_cycles > at)
        at = w->reg_at[reg[-1]] + sm->cfg.guard_cycles;
    if (at >= REG_PENDING_NEAR) {
        sm_move_warp(sm, slot, at == REG_PENDING ? WARP_MEMORY : WARP_NEAR);
    } else if (w->inst.cls == TRACE_FENCE && fence_waits(w)) {
        sm_move_warp(sm, slot, WARP_FENCE);
    } else if (at <= earliest && w->fetched_at <= earliest && held <= earliest && w->poll_at <= earliest) {
        sm_move_warp(sm, slot, WARP_READY);
    } else if (w->poll_at > at && w->poll_at > w->fetched_at) {
        sm_move_warp(sm, slot, WARP_MBARRIER);
        set_timer(sm, slot, w->poll_at, earliest);
    } else if (held > at && held > w->fetched_at) {
        sm_move_warp(sm, slot, WARP_TENSOR);
        set_timer(sm, slot, held, earliest);
    } else {
        bool fetch = w->fetched_at > at;
        sm_move_warp(sm, slot, fetch ? WARP_FETCH : WARP_ALU);
        set_timer(sm, slot, fetch ? w->fetched_at : at, earliest);
    }
}

/* ---- fetching ---- */

/* The cycle in which the instruction cache delivers the line of the warp's instruction `place`, requested in cycle `at`. */
static uint64_t icache_access(struct sm *sm, const struct warp *w, uint32_t place, uint64_t at)
{
    uint64_t line = place >> sm->icache_shift, tag = line + 1;
    tag |= (uint64_t)w->grid_number << 32;
    struct icache_line *set = &sm->icache[(line & (sm->icache_sets - 1)) * sm->icfg.assoc], *victim = set;
    for (unsigned i = 0; i < sm->icfg.assoc; i++) {
        if (set[i].tag == tag) {
            set[i].used = at;
            return set[i].ready_at > at ? set[i].ready_at : at;
        }
        if (set[i].used < victim->used)
            victim = &set[i];
    }
    w->count->icache_misses++;
    *victim = (struct icache_line){.tag = tag, .ready_at = at + sm->icfg.miss_latency, .used = at};
    return victim->ready_at;
}

/* The warp's buffer is empty (or discarded): fetches from `place` on, starting in cycle now. */
static void fetch(struct sm *sm, struct warp *w, uint32_t place, uint64_t now, bool jumped)
{
    if (!sm->cfg.fetch_width) {
        w->fetched_at = now + (jumped ? sm->cfg.branch_cycles : 0);
        uint64_t known = w->condition_at + sm->cfg.loop_cycles;
        if (jumped && w->jumped_back && known > w->fetched_at)
            w->fetched_at = known;
        w->buffered = 255;
        return;
    }
    uint64_t at = now + (jumped ? sm->cfg.branch_cycles : 0);
    if (sm->fetch_free_at > at)
        at = sm->fetch_free_at;
    sm->fetch_free_at = at + 1;
    w->count->fetches++;
    if (sm->icache)
        at = icache_access(sm, w, place, at);
    w->fetched_at = at + sm->cfg.fetch_cycles;
    w->buffered = (uint8_t)sm->cfg.fetch_width;
}

/* ---- barriers ---- */

static void release(struct sm *sm, struct cta *c, unsigned number, uint64_t now)
{
    uint64_t waiting = c->waiting[number];
    c->waiting[number] = 0;
    c->came[number] = 0;
    c->grid->count->barriers++;
    for (; waiting; waiting &= waiting - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(waiting);
        struct warp *w = &sm->warp[slot];
        uint64_t at = (now > sm->barrier_busy_until ? now : sm->barrier_busy_until) + sm->cfg.lat[TRACE_BARRIER];
        w->arrived[number] = 0;
        w->fetched_at = w->fetched_at > at ? w->fetched_at : at;
        sm_settle(sm, slot, now + 1);
    }
}

/* All of the CTA's warps that still run wait at the barrier: it opens. */
static void try_release(struct sm *sm, struct cta *c, unsigned number, uint64_t now)
{
    if (c->waiting[number] && c->waiting[number] == c->running)
        release(sm, c, number, now);
}

/*
 * A barrier opens when all running warps of the CTA wait at it, or, where the program gives a number, when that many
 * have arrived. Arriving and opening are two steps, because the warp's next instruction is decoded in between.
 */
static void wait_at(struct sm *sm, unsigned slot, unsigned number)
{
    struct warp *w = &sm->warp[slot];
    sm->cta[w->cta].waiting[number] |= warp_bit(slot);
    w->at_barrier = (uint8_t)number;
    sm_move_warp(sm, slot, WARP_BARRIER);
}

void sm_barrier_arrive(struct sm *sm, unsigned slot, const struct sm_inst *i, uint32_t mask, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    unsigned number = i->barrier;
    w->arrived[number] |= mask;
    if ((w->arrived[number] & w->live) != w->live)
        return; /* the other part of a diverged warp has not arrived yet */
    if (sm->barrier_busy_until < now)
        sm->barrier_busy_until = now;
    sm->barrier_busy_until += sm->cfg.barrier_interval;
    sm->cta[w->cta].came[number] += i->barrier_warps != 0;
    if (i->mem_flags & SM_BARRIER_ARRIVE_ONLY)
        w->arrived[number] = 0;
    else
        wait_at(sm, slot, number);
}

void sm_barrier_open(struct sm *sm, unsigned slot, const struct sm_inst *i, uint64_t now)
{
    struct cta *c = &sm->cta[sm->warp[slot].cta];
    if (i->barrier_warps && c->came[i->barrier] >= i->barrier_warps)
        release(sm, c, i->barrier, now);
    else
        try_release(sm, c, i->barrier, now);
}

/* Lanes exit. The remaining lanes of a diverged warp may now be complete at a barrier where they wait. */
void sm_exit_lanes(struct sm *sm, unsigned slot, uint32_t mask)
{
    struct warp *w = &sm->warp[slot];
    w->live &= ~mask;
    for (unsigned b = 0; b < SM_BARRIERS && w->live; b++)
        if (w->arrived[b] && (w->arrived[b] & w->live) == w->live) {
            wait_at(sm, slot, b);
            return;
        }
}

/* ---- decoding ahead ---- */

/* The stream is corrupt (1) or its source has failed (-1): the engine stops. */
static int fail(struct sm *sm, unsigned slot, int how)
{
    struct warp *w = &sm->warp[slot];
    sm->failed = how;
    sm->failed_cta = sm->cta[w->cta].number;
    sm->failed_warp = w->index;
    engine_stop(sm->comp.eng);
    return -1;
}

/* The decoder has consumed its piece: passes it the next one. Returns 1, 0 at the end of the stream, -1 on failure. */
static int feed(struct sm *sm, unsigned slot)
{
    struct warp *w = &sm->warp[slot];
    const uint8_t *bytes;
    size_t n;
    const struct cta *c = &sm->cta[w->cta];
    const struct sm_streams *from = c->grid->streams;
    int more = from->piece(from->ctx, c->number, w->index, w->seq++, &bytes, &n);
    if (more < 0)
        return fail(sm, slot, -1);
    if (more)
        stream_dec_feed(w->dec, bytes, n);
    return more;
}

int sm_warp_run(struct sm *sm, unsigned slot, struct stream_run *r)
{
    int got;
    while ((got = stream_dec_run(sm->warp[slot].dec, r)) == 0)
        if ((got = feed(sm, slot)) <= 0)
            return got;
    return got < 0 ? fail(sm, slot, 1) : got;
}

static int next_inst(struct sm *sm, unsigned slot)
{
    struct warp *w = &sm->warp[slot];
    struct stream_step step;
    int got;
    while ((got = stream_dec_next_rule(w->dec, &step, &w->mem)) == 0)
        if ((got = feed(sm, slot)) <= 0)
            return got;
    if (got < 0)
        return fail(sm, slot, 1);
    w->inst = w->kernel->inst[step.pc];
    w->jumped = step.pc != w->pc + 1;
    w->jumped_back = step.pc <= w->pc;
    w->pc = w->at = step.pc;
    w->mask = step.mask;
    return 1;
}

/* Reads the warp's next instruction into w->inst, at, pc, mask, mem. Returns false at the end of the stream or on
 * failure. */
static bool decode(struct sm *sm, unsigned slot)
{
    struct warp *w = &sm->warp[slot];
    uint64_t bit = warp_bit(slot);
    unsigned unit = w->inst.unit;
    if ((w->kernel->op ? sm_region_next(sm, slot) : next_inst(sm, slot)) != 1)
        return false;
    if (w->inst.unit != unit) {
        sm->want[unit] &= ~bit;
        sm->want[w->inst.unit] |= bit;
    }
    bool load = w->inst.cls == TRACE_LOAD && (w->mem.space == TRACE_SP_GLOBAL || w->mem.space == TRACE_SP_LOCAL);
    sm->wants_load = load ? sm->wants_load | bit : sm->wants_load & ~bit;
    return true;
}

void sm_warp_gone(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    struct cta *c = &sm->cta[w->cta];
    uint64_t bit = warp_bit(slot);
    (void)now;
    sm->in[w->wait] &= ~bit;
    sm->resident &= ~bit;
    sm->n_resident--;
    if (sm->sched->on_warp_exit)
        sm->sched->on_warp_exit(sm->sched_state[w->scheduler], slot);
    if (--c->left)
        return;
    sm_notify_l1(sm, EVENT_CTA_END, w->cta, 0);
    c->busy = false;
    sm->cta_busy &= ~(1ull << w->cta);
    c->grid->count->ctas++;
    c->grid->streams->cta_done(c->grid->streams->ctx, c->number);
    port_send(sm->done_out, (req_id)c->number, SM_CTA_INFO(c->number, c->place) | (c->has_let ? SM_CTA_HAS_LET : 0));
}

static void end_warp(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    uint64_t bit = warp_bit(slot);
    w->ended = true;
    w->live = 0;
    sm->want[w->inst.unit] &= ~bit;
    sm->wants_load &= ~bit;
    sm->cta[w->cta].running &= ~bit;
    sm->held &= ~bit;
    sm_notify_l1(sm, EVENT_WARP_EXIT, slot, 0);
    if (w->wait == WARP_BARRIER)
        sm->cta[w->cta].waiting[w->at_barrier] &= ~bit;
    for (unsigned b = 0; b < SM_MBARRIERS && w->wait == WARP_MBARRIER; b++)
        sm->cta[w->cta].mbarrier[b].waiting &= ~bit;
    for (unsigned b = 0; b < SM_BARRIERS; b++)
        try_release(sm, &sm->cta[w->cta], b, now); /* the others no longer wait for this one */
    if (w->outstanding)
        sm_move_warp(sm, slot, WARP_DRAIN);
    else
        sm_warp_gone(sm, slot, now);
}

void sm_advance(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    bool computed = w->inst.unit != SM_UNIT_LSU && w->inst.cls != TRACE_BRANCH;
    if (!decode(sm, slot)) {
        if (sm->failed)
            return; /* the engine stops; the warp stays as it is */
        end_warp(sm, slot, now);
        return;
    }
    w->count->fetch_redirects += w->jumped;
    if (w->jumped)
        fetch(sm, w, w->at, now, true);
    else if (!--w->buffered)
        fetch(sm, w, w->at, now, false);
    if (w->inst.converges && computed && !w->jumped && w->fetched_at < now + sm->cfg.converge_drain)
        w->fetched_at = now + sm->cfg.converge_drain;
    if (WEIR_HOOKS && sm->wanted >> EVENT_LOOP_EXIT & 1 && !w->call_depth)
        sm_loops_step(sm, slot);
    if (w->wait != WARP_BARRIER && w->wait != WARP_MBARRIER)
        sm_settle(sm, slot, now + 1);
}

void sm_start_warp(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    sm->resident |= warp_bit(slot);
    sm->n_resident++;
    w->wait = WARP_FETCH;
    sm->in[WARP_FETCH] |= warp_bit(slot);
    w->inst.unit = SM_UNIT_SP;
    sm->want[SM_UNIT_SP] |= warp_bit(slot);
    if (!decode(sm, slot)) {
        if (!sm->failed)
            end_warp(sm, slot, now);
        return;
    }
    if (WEIR_HOOKS && sm->wanted >> EVENT_LOOP_EXIT & 1)
        sm_loops_begin(sm, slot);
    fetch(sm, w, w->at, now, false);
    sm_settle(sm, slot, now);
}
