/*
 * Order between threads: barriers, warp synchronization, fences, release and acquire; and what is wrong with them.
 * Source: PTX ISA 9.0, 8 (memory consistency model), 9.7.13 (barriers, fences, votes, shuffles).
 *
 * A fence marks what its thread knows; a strong write then leaves that at its address for a reader with a
 * strong read, and a fence behind the read makes it known. Barriers pass on everything, marks included, so a fence before
 * __syncthreads() counts for the one thread that sets a flag behind it: programs do that, and GPUs honor it.
 * A flag without fences orders one thing: reads before the flag is set, and writes behind its being seen, because a value
 * must have arrived before anything depends on it. Scans and selections in place, such as CUB's, rely on that.
 * Shuffles and votes order nothing (as PTX says); that one lay between is remembered, because such code works in fact.
 */
#include "check/state.h"

static struct cwarp *warp_of(const struct emu_warp_run *r)
{
    return &ccta_of(r)->warp[r->w.index];
}

/* The events up to now are over: the next ones get later stamps. */
void sync_tick(struct check *c, struct ccta *a, uint32_t last)
{
    if (last != a->clock)
        return;
    if (a->clock < CLOCK_MAX)
        a->clock++;
    else
        c->clock_stopped = true;
}

/* ---- what is ordered ---- */

static bool lane_knows(struct check *c, const struct ccta *a, unsigned warp, unsigned lane, uint64_t s)
{
    const unsigned w = stamp_warp(s), l = stamp_lane(s);
    const uint32_t clock = stamp_clock(s), cta = stamp_cta(s);
    const struct cwarp *me = &a->warp[warp];
    if (cta + 1 == a->stamp_cta && w == warp) {
        if (l == lane && !(s & FLAG_BIT))
            return true;
        if (clock <= (me->pair ? me->pair[lane][l] : me->base))
            return true;
    }
    if (!a->synced)
        return false;
    return known_covers(know_get(c, a->know, cta), w, l, clock) ||
           known_covers(know_get(c, know_of(&me->know, lane), cta), w, l, clock);
}

bool sync_ordered(struct check *c, const struct ccta *a, unsigned warp, unsigned lane, uint64_t s)
{
    if (stamp_clock(s) == CLOCK_NEVER)
        return false;
    return (stamp_cta(s) + 1 == a->stamp_cta && stamp_clock(s) <= a->base) || lane_knows(c, a, warp, lane, s);
}

bool sync_ordered_seen(struct check *c, const struct ccta *a, unsigned warp, unsigned lane, uint64_t s)
{
    const uint32_t cta = stamp_cta(s);
    const unsigned w = stamp_warp(s), l = stamp_lane(s);
    return a->synced && (known_covers(know_get(c, a->seen, cta), w, l, stamp_clock(s)) ||
                         known_covers(know_get(c, know_of(&a->warp[warp].seen, lane), cta), w, l, stamp_clock(s)));
}

bool sync_ordered_loose(struct check *c, const struct ccta *a, unsigned warp, unsigned lane, uint64_t s)
{
    const uint32_t cta = stamp_cta(s);
    const unsigned w = stamp_warp(s), l = stamp_lane(s);
    return a->synced && (known_covers(know_get(c, a->loose, cta), w, l, stamp_clock(s)) ||
                         known_covers(know_get(c, know_of(&a->warp[warp].loose, lane), cta), w, l, stamp_clock(s)));
}

/* ---- fences, and memory as a messenger ---- */

static struct mark *marks_of(struct cwarp *w, unsigned scope)
{
    if (!w->mark[scope]) {
        if (!w->mark_room[scope])
            w->mark_room[scope] = xmalloc(EMU_LANES * sizeof *w->mark_room[scope]);
        w->mark[scope] = memset(w->mark_room[scope], 0, EMU_LANES * sizeof *w->mark_room[scope]);
    }
    return w->mark[scope];
}

void sync_fence(struct check *c, struct emu_warp_run *r, uint32_t mask, unsigned scope)
{
    struct ccta *a = ccta_of(r);
    struct cwarp *w = warp_of(r);
    c->published = a->synced = true;
    /* What strong reads have seen is known now; with a fence of the CTA's scope, what they saw of the CTA. */
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        struct know *seen = know_join(c, know_of(&w->seen, l), a->seen);
        const struct known *own = scope == STRONG_CTA ? know_get(c, seen, a->index) : NULL;
        if (scope == STRONG_CTA)
            seen = own ? know_put(c, NULL, a->index, own) : NULL;
        know_learn(c, &w->know, 1u << l, r->w.live, seen);
    }
    for (unsigned s = STRONG_CTA; s <= scope; s++) {
        struct mark *marks = marks_of(w, s - STRONG_CTA);
        for (uint32_t m = mask; m; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctz(m);
            marks[l] = (struct mark){.know = know_join(c, a->know, know_of(&w->know, l)),
                                     .clock = w->last,
                                     .base = a->base,
                                     .warp_base = w->base};
        }
    }
    sync_tick(c, a, w->last);
}

/* What a lane knew at its last fence of the scope. */
static struct know *fenced(struct check *c, struct ccta *a, unsigned warp, unsigned lane, unsigned scope)
{
    struct mark *m = a->warp[warp].mark[scope - STRONG_CTA];
    if (!m || !m[lane].clock)
        return NULL;
    m += lane;
    if (!m->made) {
        struct part own[2] = {{warp, 1u << lane, m->clock}, {warp, ~0u, m->warp_base}};
        const struct known k = {.all = m->base, .n = 2, .part = own};
        m->made = know_put(c, m->know, a->index, &k);
    }
    return m->made;
}

struct know *sync_fenced(struct check *c, struct ccta *a, unsigned warp, unsigned lane)
{
    return know_join(c, a->fenced[STRONG_GPU - STRONG_CTA], fenced(c, a, warp, lane, STRONG_GPU));
}

/* Open addressing; a slot of key 0 is free. */
static struct var *find_var(struct check *c, uint64_t key, uint64_t cta, bool make)
{
    enum { FIRST = 256 };
    if (make && 2 * (c->n_var + 1) > c->var.cap) {
        struct var *old = c->var.p;
        const size_t n = c->var.cap;
        c->var.cap = n ? 2 * n : FIRST;
        c->var.p = xcalloc(c->var.cap, sizeof *c->var.p);
        c->n_var = 0;
        for (size_t i = 0; i < n; i++)
            if (old[i].key)
                *find_var(c, old[i].key, old[i].cta, true) = old[i];
        free(old);
    }
    if (!c->var.cap)
        return NULL;
    for (size_t i = (key * 0x9e3779b97f4a7c15ull ^ cta * 0xc2b2ae3d27d4eb4full) >> 20;; i++) {
        struct var *v = &c->var.p[i & (c->var.cap - 1)];
        if (v->key == key && v->cta == cta)
            return v;
        if (!v->key) {
            if (!make)
                return NULL;
            *v = (struct var){.key = key, .cta = cta};
            c->n_var++;
            return v;
        }
    }
}

/* Shared memory is that of c->home. */
static struct var *var_at(struct check *c, enum ptx_space space, uint64_t addr, bool make)
{
    const bool shared = space == PTX_S_SHARED;
    return find_var(c, shared ? addr / 4 + 1 : addr & ~3ull, shared ? c->home->index + 1 : 0, make);
}

/* All that a lane knows now, of flags without fences, too. */
static struct know *told(struct check *c, struct ccta *a, unsigned warp, unsigned lane)
{
    struct cwarp *w = &a->warp[warp];
    struct part own[2] = {{warp, 1u << lane, w->last}, {warp, ~0u, w->base}};
    const struct known k = {.all = a->base, .n = 2, .part = own};
    struct know *all =
        know_join(c, know_join(c, a->know, know_of(&w->know, lane)), know_join(c, a->loose, know_of(&w->loose, lane)));
    all = know_put(c, all, a->index, &k);
    sync_tick(c, a, w->last);
    return all;
}

/* A strong write. A plain store discards what earlier writers left; a read-modify-write adds to it. */
void sync_publish(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, enum ptx_space space,
                  uint64_t addr, bool replaces)
{
    struct ccta *a = ccta_of(r);
    struct know *gpu = NULL, *own = NULL;
    if (x->release)
        sync_fence(c, r, 1u << lane, x->strong);
    if (x->strong == STRONG_GPU)
        gpu = sync_fenced(c, a, r->w.index, lane);
    own = know_join(c, a->fenced[0], fenced(c, a, r->w.index, lane, STRONG_CTA));
    struct know *loose = replaces && space == PTX_S_GLOBAL && c->code->polls ? told(c, a, r->w.index, lane) : NULL;
    struct var *v = var_at(c, space, addr, gpu || own || loose);
    if (!v)
        return;
    v->loose = replaces ? loose : v->loose;
    if (replaces || v->own_cta != a->index + 1)
        v->own = NULL;
    v->own_cta = a->index + 1;
    v->own = know_join(c, v->own, own);
    v->gpu = replaces ? gpu : know_join(c, v->gpu, gpu);
}

void sync_observe(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, enum ptx_space space,
                  uint64_t addr)
{
    struct ccta *a = ccta_of(r);
    const struct var *v = var_at(c, space, addr, false);
    if (!v)
        return;
    if (v->loose) {
        a->synced = true;
        know_learn(c, &warp_of(r)->loose, 1u << lane, r->w.live, v->loose);
    }
    const bool object = x->kind == SITE_MBARRIER;
    struct know *k = x->strong != STRONG_GPU && space != PTX_S_SHARED ? NULL : object ? v->gpu_done : v->gpu;
    if (v->own_cta == a->index + 1)
        k = know_join(c, k, object ? v->own_done : v->own);
    if (!k)
        return;
    a->synced = true;
    struct cwarp *w = warp_of(r);
    know_learn(c, x->acquire ? &w->know : &w->seen, 1u << lane, r->w.live, k);
}

/* ---- mbarriers: who waits for a phase learns what was told before its completion ---- */

void sync_counted(struct check *c, struct ccta *counter, uint32_t mbarrier, struct know *k)
{
    c->home = counter;
    struct var *v = var_at(c, PTX_S_SHARED, mbarrier, true);
    v->gpu = know_join(c, v->gpu, k);
    c->published = true;
    sync_phase(c, mbarrier, false);
}

void sync_phase(struct check *c, uint32_t mbarrier, bool starts)
{
    struct var *v = var_at(c, PTX_S_SHARED, mbarrier, true);
    const uint8_t now = (uint8_t)emu_mbarrier_phase(c->home->cta->smem + mbarrier);
    if (starts) {
        v->gpu = v->own = v->gpu_done = v->own_done = NULL;
    } else if (now != v->phase) {
        v->gpu_done = v->gpu;
        v->own_done = v->own;
        async_phase(c, c->home, mbarrier);
    }
    v->phase = now;
}

/* ---- warps ---- */

static void find_place(struct emu_warp_run *r, const struct emu_inst *in, unsigned lane, struct finding *f)
{
    struct check *c = r->w.emu->opts.watch->ctx;
    const struct site *x = &c->code->site[emu_pc_of(r, in)];
    f->a = end_of(c->launch, x, NULL, r->w.cta->index, r->w.index * EMU_LANES + lane);
}

/* Lanes that wait at another instruction of the same kind: the compiler may have doubled it. */
static uint32_t at_a_twin(const struct emu_warp_run *r, const struct emu_inst *in)
{
    uint32_t m = 0;
    for (const struct emu_fiber *f = r->fibers; f; f = f->next)
        if (f->state == EMU_WAIT_SYNC && r->code[f->path[f->n - 1].pc].ptx->op == in->ptx->op)
            m |= f->mask;
    return m;
}

static void check_members(struct check *c, struct emu_warp_run *r, const struct emu_inst *in, const uint32_t *member,
                          uint32_t mask)
{
    uint32_t named = 0, outside = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        named |= member[l];
        outside |= member[l] & 1u << l ? 0 : 1u << l;
    }
    const uint32_t missing = named & r->w.live & ~mask;
    const uint32_t absent = missing ? missing & ~at_a_twin(r, in) : 0;
    if (!absent && !outside)
        return;
    struct finding *f;
    if (!finding_new(c, SYNC_MASK, (uintptr_t)in->ptx, outside != 0, 0, &f))
        return;
    const unsigned l = (unsigned)__builtin_ctz(outside ? outside : mask);
    find_place(r, in, l, f);
    if (outside)
        f->text = xasprintf("lane %u executes it and is not in its own mask 0x%08x", l, member[l]);
    else
        f->text = xasprintf("the mask names lanes 0x%08x that do not execute it; lanes 0x%08x do", absent, mask);
    f->advice =
        xasprintf("take the mask with __ballot_sync() before the branch, or let all lanes of the mask get here");
    finding_done(c, f);
}

/* Some lanes of a warp synchronize. */
static void order_lanes(struct check *c, struct emu_warp_run *r, uint32_t group)
{
    struct ccta *a = ccta_of(r);
    struct cwarp *w = warp_of(r);
    if (a->synced) {
        struct know *k = NULL, *s = NULL, *t = NULL;
        for (uint32_t m = group; m; m &= m - 1) {
            k = know_join(c, k, know_of(&w->know, (unsigned)__builtin_ctz(m)));
            s = know_join(c, s, know_of(&w->seen, (unsigned)__builtin_ctz(m)));
            t = know_join(c, t, know_of(&w->loose, (unsigned)__builtin_ctz(m)));
        }
        know_learn(c, &w->know, group, r->w.live, k);
        know_learn(c, &w->seen, group, r->w.live, s);
        know_learn(c, &w->loose, group, r->w.live, t);
        for (int i = 0; i < 2; i++) { /* the fence of one lane counts for all: see the barrier */
            if (!w->mark[i])
                continue;
            struct know *f = NULL;
            for (uint32_t m = group; m; m &= m - 1)
                f = know_join(c, f, fenced(c, a, r->w.index, (unsigned)__builtin_ctz(m), STRONG_CTA + (unsigned)i));
            for (uint32_t m = group; f && m; m &= m - 1) {
                struct mark *k2 = &w->mark[i][__builtin_ctz(m)];
                *k2 = (struct mark){.know = f, .made = f, .clock = k2->clock ? k2->clock : 1};
            }
        }
    }
    if (!(r->w.live & ~group)) {
        w->base = w->last;
        w->pair = NULL;
    } else {
        if (!w->pair) {
            if (!w->pair_room)
                w->pair_room = xmalloc(EMU_LANES * sizeof *w->pair_room);
            w->pair = w->pair_room;
            for (int j = 0; j < EMU_LANES; j++)
                for (int i = 0; i < EMU_LANES; i++)
                    w->pair[j][i] = w->base;
        }
        uint32_t row[EMU_LANES] = {0};
        for (uint32_t m = group; m; m &= m - 1)
            for (int i = 0; i < EMU_LANES; i++) {
                const uint32_t k = w->pair[__builtin_ctz(m)][i];
                row[i] = row[i] > k ? row[i] : k;
            }
        for (uint32_t m = group; m; m &= m - 1)
            row[__builtin_ctz(m)] = w->last;
        for (uint32_t m = group; m; m &= m - 1)
            memcpy(w->pair[__builtin_ctz(m)], row, sizeof row);
    }
    sync_tick(c, a, w->last);
}

void sync_warp(struct check *c, struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    if (in->target2 != EMU_SYNC_MEMBERS)
        return;
    const uint32_t *member = emu_src(&r->w, &in->src[in->n_src - 1]);
    if (c->syncing)
        check_members(c, r, in, member, mask);
    if (!c->racing)
        return;
    const bool orders = in->ptx->op == PTX_BAR || in->ptx->op == PTX_BARRIER;
    struct cwarp *w = warp_of(r);
    for (uint32_t left = mask; left;) {
        uint32_t group = 0, members = member[__builtin_ctz(left)];
        for (uint32_t m = left; m; m &= m - 1)
            group |= member[__builtin_ctz(m)] == members ? m & -m : 0;
        left &= ~group;
        if (orders) {
            order_lanes(c, r, group);
        } else if (!(r->w.live & ~group)) {
            w->soft = w->last;
            sync_tick(c, ccta_of(r), w->last);
        }
    }
}

/* ---- barriers of a CTA ---- */

static void join_fences(struct check *c, struct ccta *a, unsigned warp, uint32_t mask, struct know **into)
{
    for (int s = 0; s < 2; s++) {
        if (!a->warp[warp].mark[s])
            continue;
        for (uint32_t m = mask; m; m &= m - 1)
            into[s] = know_join(c, into[s], fenced(c, a, warp, (unsigned)__builtin_ctz(m), STRONG_CTA + (unsigned)s));
    }
}

void sync_arrive(void *ctx, struct emu_warp_run *r, const struct emu_inst *in, unsigned id, uint32_t mask)
{
    struct check *c = ctx;
    struct ccta *a = ccta_of(r);
    if (!c->on || !a)
        return;
    struct cbar *b = &a->bar[id];
    struct cwarp *w = warp_of(r);
    const unsigned i = r->w.index;
    if (c->syncing && b->mask[i] && b->at[i] != in && (ptx_has(in->ptx, PTX_M_ALIGNED) || in->ptx->op == PTX_BAR)) {
        struct finding *f;
        if (finding_new(c, SYNC_DIVERGED, (uintptr_t)in->ptx, (uintptr_t)b->at[i]->ptx, id, &f)) {
            find_place(r, in, (unsigned)__builtin_ctz(mask), f);
            f->b = end_of(c->launch, &c->code->site[emu_pc_of(r, b->at[i])], NULL, r->w.cta->index,
                          i * EMU_LANES + (unsigned)__builtin_ctz(b->mask[i]));
            f->text = xasprintf("lanes 0x%08x of a warp wait at one barrier instruction and lanes 0x%08x at another",
                                b->mask[i], mask);
            f->advice = xasprintf("call __syncthreads() where all threads of the CTA pass, not inside the branch");
            finding_done(c, f);
        }
    }
    b->used = true;
    if (in->aux[0] != EMU_BAR_ARRIVE) {
        b->mask[i] |= mask;
        b->at[i] = in;
    }
    if (!c->racing)
        return;
    /* Of a barrier of all threads the clock is enough; the rest is for those of some. */
    if (a->synced || in->src[1].lane) {
        a->synced = true;
        for (uint32_t m = mask; m; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctz(m);
            b->know = know_join(c, b->know, know_of(&w->know, l));
            b->seen = know_join(c, b->seen, know_of(&w->seen, l));
            b->loose = know_join(c, b->loose, know_of(&w->loose, l));
        }
        if (in->src[1].lane) {
            struct part p[2] = {{i, mask, w->last}, {i, ~0u, w->base}};
            const struct known k = {.all = a->base, .n = 2, .part = p};
            b->know = know_put(c, b->know, a->index, &k);
            sync_tick(c, a, w->last);
        }
        join_fences(c, a, i, mask, b->fenced);
    }
}

void sync_release(void *ctx, struct emu_cta *cta, unsigned id)
{
    struct check *c = ctx;
    struct ccta *a = cta->watched;
    if (!c->on || !a)
        return;
    struct cbar *b = &a->bar[id];
    bool whole = true;
    for (uint32_t i = 0; i < cta->n_warp; i++)
        whole &= !(cta->warp[i].w.live & ~b->mask[i]);
    if (c->racing && whole) {
        a->base = a->clock;
        sync_tick(c, a, a->last);
        quiet_barrier(a);
        if (a->synced) {
            for (uint32_t i = 0; i < cta->n_warp; i++) {
                struct cwarp *w = &a->warp[i];
                for (int l = 0; l < EMU_LANES; l++) { /* of lanes that have exited, too */
                    if (l && !w->know.lane && !w->seen.lane && !w->loose.lane)
                        break;
                    b->know = know_join(c, b->know, know_of(&w->know, (unsigned)l));
                    b->seen = know_join(c, b->seen, know_of(&w->seen, (unsigned)l));
                    b->loose = know_join(c, b->loose, know_of(&w->loose, (unsigned)l));
                }
                join_fences(c, a, i, ~0u, b->fenced);
                w->know = w->seen = w->loose = (struct know_set){0};
                w->mark[0] = w->mark[1] = NULL;
            }
            a->know = know_join(c, a->know, b->know);
            a->seen = know_join(c, a->seen, b->seen);
            a->loose = know_join(c, a->loose, b->loose);
            for (int s = 0; s < 2; s++)
                a->fenced[s] = know_join(c, a->fenced[s], b->fenced[s]);
        }
        for (uint32_t i = 0; i < cta->n_warp; i++)
            a->warp[i].pair = NULL, a->warp[i].base = a->base;
    } else if (c->racing) {
        for (uint32_t i = 0; i < cta->n_warp; i++) {
            if (!b->mask[i])
                continue;
            struct cwarp *w = &a->warp[i];
            know_learn(c, &w->know, b->mask[i], cta->warp[i].w.live, b->know);
            know_learn(c, &w->seen, b->mask[i], cta->warp[i].w.live, b->seen);
            know_learn(c, &w->loose, b->mask[i], cta->warp[i].w.live, b->loose);
            if (!(cta->warp[i].w.live & ~b->mask[i]))
                w->base = w->last, w->pair = NULL;
            for (int s = 0; s < 2; s++) {
                if (!b->fenced[s])
                    continue;
                struct mark *marks = marks_of(w, (unsigned)s);
                for (uint32_t m = b->mask[i]; m; m &= m - 1)
                    marks[__builtin_ctz(m)] = (struct mark){.made = b->fenced[s], .know = b->fenced[s], .clock = 1};
            }
        }
    }
    *b = (struct cbar){0};
}
