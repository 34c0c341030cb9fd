/*
 * The asynchronous proxy (wgmma, bulk and tensor copies, st.async, red.async) and the barriers of clusters.
 * Source: PTX ISA 9.1, 9.7.9.25 (completion of asynchronous copies), 9.7.13.4, 9.7.13.15, 9.7.15.
 *
 * What a copy or product accesses belongs to no thread: it happens at some time between its issue and the moment that a
 * thread waits for. So it has stamps of its own, of engines that stand behind the CTAs' numbers:
 *   - COUNTED: copies that an mbarrier counts. The thread of the stamp is the mbarrier, the clock its phase; who sees
 *     the phase completed knows of all that was counted in it.
 *   - READ, WRITE: reads of shared memory and writes of global memory by a thread's bulk copies in groups; the clock is
 *     the group, and cp.async.bulk.wait_group{.read} of this thread makes them known to it.
 *   - PRODUCT: what a warpgroup's wgmma read; the clock is the group. A warp that waits for it knows of what all four
 *     warps read, because groups are the warpgroup's: pipelines rely on it where one thread announces a free stage.
 * Whether an access conflicts with earlier ones is decided by what the issuing thread knows.
 */
#include "check/state.h"

enum { SLOTS = 1024, MBARRIER_BYTES = 8 };

struct async {
    uint32_t clock[SLOTS]; /* COUNTED: the phase that is open, by mbarrier */
    uint32_t group[SLOTS]; /* by thread: committed bulk groups */
    uint32_t product[32];  /* by warp: committed groups of products */
    uint32_t last[SLOTS];  /* COUNTED: the last phase that has a copy */
    uint32_t reads[SLOTS]; /* by thread: the last group that reads shared memory */
    const struct site *copy[SLOTS], *store[SLOTS];
};

static struct async *async_of(struct ccta *a)
{
    if (!a->async)
        a->async = xcalloc(1, sizeof *a->async);
    return a->async;
}

void async_clear(struct ccta *a)
{
    if (a->object)
        memset(a->object, 0, a->object_words * sizeof *a->object);
    if (a->async)
        memset(a->async, 0, sizeof *a->async);
}

static uint32_t slot_of(uint32_t mbarrier)
{
    return mbarrier / MBARRIER_BYTES % SLOTS;
}

/* Neighboring mbarriers are of different "warps", of which knowledge keeps few parts each. */
static unsigned slot_warp(uint32_t slot)
{
    return slot % 32;
}
static unsigned slot_lane(uint32_t slot)
{
    return slot / 32;
}

/* The first warp of a product's four. */
static unsigned warpgroup(const struct emu_warp_run *r)
{
    return r->w.index & ~3u;
}

/* The engine's number among the CTAs; UINT32_MAX: there are too many CTAs. */
static uint32_t engine(const struct check *c, enum engine kind, uint64_t cta)
{
    const uint64_t e = c->grid->n_cta * kind + cta;
    return e < CTA_MAX ? (uint32_t)e : UINT32_MAX;
}

static uint64_t stamp_of(uint32_t cta, uint32_t clock, unsigned warp, unsigned lane, const struct site *x)
{
    return (uint64_t)(cta + 1) << STAMP_CTA | (uint64_t)(clock < CLOCK_MAX ? clock : CLOCK_MAX) << STAMP_CLOCK |
           (uint64_t)warp << STAMP_WARP | (uint64_t)lane << STAMP_LANE | x->id;
}

static struct issuer *issuer(struct check *c, uint32_t cta, uint32_t slot)
{
    return &c->issuer[(cta * 31 + slot) % ISSUERS];
}

/* Who issued the copy of a stamp that names an mbarrier. */
bool async_issuer(struct check *c, uint64_t stamp, struct end *e, const struct launch *l)
{
    const uint32_t cta = stamp_cta(stamp), slot = stamp_lane(stamp) * 32 + stamp_warp(stamp);
    const struct issuer *i = issuer(c, cta, slot);
    if (l != c->launch || i->cta != cta || i->slot != slot)
        return false;
    const struct end by = end_of(l, l->code->by_id[stamp_site(stamp)], e->what, i->by, i->thread);
    memcpy(e->cta, by.cta, sizeof by.cta);
    memcpy(e->thread, by.thread, sizeof by.thread);
    return true;
}

/* ---- accesses ---- */

bool async_access(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane,
                  const struct emu_async *e)
{
    struct ccta *own = ccta_of(r), *home = e->cta ? e->cta->watched : NULL, *counter;
    const uint32_t thread = r->w.index * EMU_LANES + lane;
    const bool writes = e->access != EMU_ASYNC_READ;
    bool undefined = false;
    if (e->cta && !home)
        return false;
    if (c->initing)
        undefined = init_async(c, home, e->at, e->bytes, e->access == EMU_ASYNC_WRITE);
    if (c->initing && undefined && e->access == EMU_ASYNC_REDUCE)
        init_async_found(c, r, x, lane, home, e->at, e->bytes);
    if (!c->racing)
        return undefined;
    if (home && home == own)
        proxy_async(c, r, x, lane, home, (uint32_t)e->at, e->bytes, writes);
    uint64_t stamp;
    uint32_t cta;
    if (e->counter) {
        counter = e->counter->watched;
        if (!counter)
            return undefined;
        struct async *s = async_of(counter);
        const uint32_t slot = slot_of(e->mbarrier);
        s->copy[slot] = x;
        s->last[slot] = s->clock[slot] + 1;
        cta = engine(c, ENGINE_COUNTED, counter->index);
        *issuer(c, cta, slot) = (struct issuer){cta, slot, thread, own->index};
        stamp = stamp_of(cta, s->clock[slot] + 1, slot_warp(slot), slot_lane(slot), x);
    } else if (e->product) {
        cta = engine(c, ENGINE_PRODUCT, own->index);
        stamp = stamp_of(cta, async_of(own)->product[r->w.index] + 1, warpgroup(r), 0, x);
    } else {
        struct async *s = async_of(own);
        if (home && !writes) {
            s->store[thread] = x;
            s->reads[thread] = s->group[thread] + 1;
        }
        cta = engine(c, writes ? ENGINE_WRITE : ENGINE_READ, own->index);
        stamp = stamp_of(cta, s->group[thread] + 1, r->w.index, lane, x);
    }
    if (cta == UINT32_MAX)
        c->many_ctas = true;
    else
        race_async(c, r, x, lane, e, home, stamp);
    return undefined;
}

/* ---- what is known of them ---- */

static struct know *know_engine(struct check *c, struct know *k, enum engine kind, uint64_t cta, unsigned warp,
                                uint32_t lanes, uint32_t clock)
{
    const uint32_t e = engine(c, kind, cta);
    struct part p = {warp, lanes, clock < CLOCK_MAX ? clock : CLOCK_MAX};
    const struct known one = {.n = 1, .part = &p};
    return e == UINT32_MAX || !clock ? k : know_put(c, k, e, &one);
}

/* A copy has counted its bytes: who sees this phase completed knows of it. */
void async_counted(struct check *c, struct ccta *counter, uint32_t mbarrier)
{
    const uint32_t slot = slot_of(mbarrier);
    struct async *s = async_of(counter);
    sync_counted(c, counter, mbarrier,
                 know_engine(c, NULL, ENGINE_COUNTED, counter->index, slot_warp(slot), 1u << slot_lane(slot),
                             s->clock[slot] + 1));
}

/* The mbarrier's phase is complete: what is counted from now on belongs to the next one. */
void async_phase(struct check *c, struct ccta *counter, uint32_t mbarrier)
{
    if (c->code->proxies)
        async_of(counter)->clock[slot_of(mbarrier)]++;
}

void async_group(struct check *c, struct emu_warp_run *r, const struct ptx_inst *p, uint32_t mask)
{
    struct ccta *a = ccta_of(r);
    struct async *s = async_of(a);
    struct cwarp *w = &a->warp[r->w.index];
    const bool product = p->op == PTX_WGMMA;
    const uint32_t pending = p->n_opnd ? (uint32_t)p->opnd[0].imm : 0;
    a->synced = true;
    if (ptx_has(p, PTX_M_COMMIT_GROUP)) {
        if (product)
            s->product[r->w.index]++;
        for (uint32_t m = product ? 0 : mask; m; m &= m - 1)
            s->group[r->w.index * EMU_LANES + (unsigned)__builtin_ctz(m)]++;
        return;
    }
    if (product) {
        const uint32_t n = s->product[r->w.index];
        if (n > pending)
            know_learn(c, &w->know, mask, r->w.live,
                       know_engine(c, NULL, ENGINE_PRODUCT, a->index, warpgroup(r), 1, n - pending));
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint32_t n = s->group[r->w.index * EMU_LANES + l];
        if (n <= pending)
            continue;
        struct know *k = know_engine(c, NULL, ENGINE_READ, a->index, r->w.index, 1u << l, n - pending);
        if (!ptx_has(p, PTX_M_READ))
            k = know_engine(c, k, ENGINE_WRITE, a->index, r->w.index, 1u << l, n - pending);
        know_learn(c, &w->know, 1u << l, r->w.live, k);
    }
}

/* ---- the memory that an mbarrier lives in ---- */

static void misuse(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, uint32_t at,
                   bool stored)
{
    struct finding *f;
    if (!finding_new(c, MBARRIER, site_line(x), stored, 0, &f))
        return;
    f->severity = stored ? ERROR : WARNING;
    f->space = PTX_S_SHARED;
    f->addr = at;
    f->a = end_of(c->launch, x, stored ? "write" : NULL, r->w.cta->index, r->w.index * EMU_LANES + lane);
    f->where = finding_where(c, PTX_S_SHARED, at);
    f->text = xasprintf(stored ? "an ordinary store into an mbarrier" : "an mbarrier is initialized where one lives");
    f->advice = xasprintf("mbarrier.inval ends its life, before its memory is used for anything else");
    finding_done(c, f);
}

void async_object(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, uint32_t mbarrier,
                  bool starts)
{
    struct ccta *a = c->home;
    if (!a->object) {
        a->object_words = a->cta->smem_bytes / MBARRIER_BYTES / 64 + 1;
        a->object = xcalloc(a->object_words, sizeof *a->object);
    }
    uint64_t *word = &a->object[mbarrier / MBARRIER_BYTES / 64], bit = 1ull << mbarrier / MBARRIER_BYTES % 64;
    if (starts && *word & bit && c->syncing)
        misuse(c, r, x, lane, mbarrier, false);
    *word = starts ? *word | bit : *word & ~bit;
}

void async_store(struct check *c, struct emu_warp_run *r, const struct site *x, uint32_t mask, const uint64_t *addr,
                 uint32_t bytes)
{
    const struct ccta *a = c->home;
    for (uint32_t m = a->object ? mask : 0; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        for (uint64_t k = addr[l] / MBARRIER_BYTES; k <= (addr[l] + bytes - 1) / MBARRIER_BYTES; k++)
            if (k / 64 < a->object_words && a->object[k / 64] >> k % 64 & 1)
                misuse(c, r, x, l, (uint32_t)k * MBARRIER_BYTES, true);
    }
}

/* ---- barrier.cluster ---- */

static struct ccluster *cluster_of(struct check *c, uint64_t index)
{
    for (size_t i = 0; i < c->cluster.n; i++)
        if (c->cluster.p[i].index == index)
            return &c->cluster.p[i];
    VEC_PUSH(&c->cluster, (struct ccluster){.index = index});
    return &c->cluster.p[c->cluster.n - 1];
}

static void cluster_arrive(struct check *c, struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct ccta *a = ccta_of(r);
    struct cwarp *w = &a->warp[r->w.index];
    struct ccluster *k = cluster_of(c, r->w.cta->cluster->index);
    if (ptx_has(in->ptx, PTX_M_RELAXED)) {
        a->relaxed = true;
        for (uint32_t m = mask; m; m &= m - 1)
            k->pending = know_join(c, k->pending, sync_fenced(c, a, r->w.index, (unsigned)__builtin_ctz(m)));
        return;
    }
    for (uint32_t m = a->synced ? mask : 0; m; m &= m - 1) {
        k->pending = know_join(c, k->pending, know_of(&w->know, (unsigned)__builtin_ctz(m)));
        if (!w->know.lane)
            break;
    }
    k->pending = know_join(c, k->pending, a->know);
    w->arrived = w->last;
    w->arrived_mask |= mask;
    sync_tick(c, a, w->last);
}

static void cluster_leave(struct check *c, struct emu_warp_run *r, uint32_t mask)
{
    struct ccta *a = ccta_of(r);
    struct ccluster *k = cluster_of(c, r->w.cta->cluster->index);
    a->synced = true;
    know_learn(c, &a->warp[r->w.index].know, mask, r->w.live, k->done);
    a->left += (uint32_t)__builtin_popcount(mask);
    if (a->left < r->w.cta->live || !a->cluster_base)
        return;
    /* All threads of the CTA have come, and none did anything between arriving and leaving. */
    a->base = a->cluster_base;
    a->cluster_base = 0;
    a->know = know_join(c, a->know, k->done);
    for (uint32_t i = 0; i < a->n_warp; i++) {
        a->warp[i].pair = NULL;
        a->warp[i].base = a->base > a->warp[i].base ? a->base : a->warp[i].base;
    }
}

void async_cluster(void *ctx, struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct check *c = ctx;
    if (!c->on || !c->racing || !ccta_of(r))
        return;
    if (in->aux[0] == EMU_CLUSTER_ARRIVE)
        cluster_arrive(c, r, in, mask);
    else
        cluster_leave(c, r, mask);
}

/* Threads that have exited count as arrived. */
void async_cluster_complete(void *ctx, struct emu_cluster *e)
{
    struct check *c = ctx;
    if (!c->on || !c->racing)
        return;
    struct ccluster *k = cluster_of(c, e->index);
    for (uint32_t i = 0; i < e->n; i++) {
        struct ccta *a = e->cta[i]->ended ? NULL : e->cta[i]->watched;
        if (!a)
            continue;
        bool quiet = !a->relaxed;
        struct part part[32];
        struct known one = {.all = a->relaxed ? 0 : a->base, .part = part};
        for (uint32_t j = 0; j < a->n_warp; j++) {
            const uint32_t live = e->cta[i]->warp[j].w.live;
            struct cwarp *w = &a->warp[j];
            if (live & ~w->arrived_mask || (live && w->last > w->arrived))
                quiet = false;
            if (!live || !a->relaxed)
                part[one.n++] = (struct part){j, ~live | w->arrived_mask, live ? w->arrived : w->last};
            w->arrived_mask = 0;
        }
        a->left = 0;
        a->relaxed = false;
        a->cluster_base = quiet ? a->clock : 0;
        if (quiet) {
            one = (struct known){.all = a->clock};
            sync_tick(c, a, a->clock);
        }
        k->pending = know_put(c, k->pending, a->index, &one);
    }
    k->done = k->pending;
}

/* ---- what nobody has waited for when its CTA ends ---- */

static void unwaited(struct check *c, struct ccta *a, const struct site *copy, const struct site *store, uint32_t i)
{
    struct finding *f;
    if (!finding_new(c, UNWAITED, site_line(copy ? copy : store), copy != NULL, 0, &f))
        return;
    f->severity = WARNING;
    f->space = PTX_S_SHARED;
    f->a = end_of(c->launch, copy ? copy : store, copy ? "write" : "read", a->index, copy ? 0 : i);
    f->a.has_thread = !copy;
    f->text = copy ? xasprintf("the CTA ends, and none of its threads has waited for this copy into its shared memory")
                   : xasprintf("the CTA ends while this copy may still read its shared memory");
    f->advice = copy ? xasprintf("wait for the mbarrier's phase before the kernel ends")
                     : xasprintf("cp.async.bulk.wait_group.read 0 before the thread ends");
    finding_done(c, f);
}

void async_end(struct check *c, struct ccta *a)
{
    if (!a->async || !c->racing)
        return;
    struct async *s = a->async;
    struct know *k = a->know;
    for (uint32_t i = 0; i < a->n_warp; i++)
        for (unsigned l = 0; l < EMU_LANES && (!l || a->warp[i].know.lane); l++)
            k = know_join(c, k, know_of(&a->warp[i].know, l));
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct known *counted = know_get(c, k, engine(c, ENGINE_COUNTED, a->index)),
                           *read = know_get(c, k, engine(c, ENGINE_READ, a->index));
        if (s->last[i] && !known_covers(counted, slot_warp(i), slot_lane(i), s->last[i]))
            unwaited(c, a, s->copy[i], NULL, i);
        if (s->reads[i] && !known_covers(read, i / EMU_LANES, i % EMU_LANES, s->reads[i]))
            unwaited(c, a, NULL, s->store[i], i);
    }
}
