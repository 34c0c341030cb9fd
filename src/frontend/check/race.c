/*
 * Races: two accesses to one place, one of them a write, that nothing orders.
 *
 * Source of the idea: FastTrack (Flanagan, Freund, PLDI 2009), a last write and last reads per place with clocks. As in
 * HiRace (Jacobson et al., 2024) the hierarchy of threads keeps them small. Strong accesses (atomics, volatile, relaxed
 * and stronger) of sufficient scope do not race with each other.
 *
 * Left out: constant memory. Of more than two concurrent readers the last two warps are remembered, so that with unusual
 * order between them a race with a third one may be missed.
 */
#include "base/inline.h"
#include "check/state.h"

#include <stdio.h>

struct cells_at {
    uint64_t me, lo, span, warp_base; /* me: of the first lane */
};
#define CELLS(name) name##_base
#define CELLS_TARGET
#include "check/cells.h"
#undef CELLS
#undef CELLS_TARGET
#if defined(__x86_64__)
#define CELLS(name)  name##_avx2
#define CELLS_TARGET __attribute__((target("avx2")))
#include "check/cells.h"
#undef CELLS
#undef CELLS_TARGET
#define CELLS(name)  name##_avx512
#define CELLS_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#include "check/cells.h"
#undef CELLS
#undef CELLS_TARGET
#endif
typedef bool cells_read_fn(const uint64_t *, const uint64_t *, uint64_t *, uint64_t *, unsigned, unsigned,
                           const struct cells_at *);
typedef bool cells_write_fn(uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *, unsigned, unsigned,
                            const struct cells_at *);
static cells_read_fn *cells_read = read_base;
static cells_write_fn *cells_write = write_base;
typedef void cells_narrow_fn(const uint64_t *, uint32_t, uint32_t *, uint32_t *, uint32_t *);
static cells_narrow_fn *cells_narrow = narrow_base;

void race_choose(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
        cells_read = read_avx512;
        cells_write = write_avx512;
        cells_narrow = narrow_avx512;
    } else if (__builtin_cpu_supports("avx2")) {
        cells_read = read_avx2;
        cells_write = write_avx2;
        cells_narrow = narrow_avx2;
    }
#endif
}

void race_narrow(const uint64_t *addr, uint32_t mask, uint32_t *out, uint32_t *lo, uint32_t *hi)
{
    cells_narrow(addr, mask, out, lo, hi);
}

/* One instruction of a warp. */
struct now {
    struct check *c;
    struct emu_warp_run *r;
    struct ccta *a, *home; /* who accesses, and whose shared memory */
    struct cwarp *w;
    const struct site *site;
    enum access access;
    enum ptx_space space;
    uint32_t mask, bytes;
    const uint64_t *addr;
    struct cells_at at; /* me: of lane 0 */
};

/* ---- what was found ---- */

static const char *verb(const struct site *x, bool write)
{
    return x->kind == SITE_ATOMIC       ? "atomic"
           : x->kind == SITE_ASYNC_COPY ? (write ? "asynchronous write" : "read")
           : x->kind == SITE_BULK       ? (write ? "asynchronous write" : "asynchronous read")
           : write                      ? "write"
                                        : "read";
}

static const char *place_of(const struct end *e, char *buf, size_t cap)
{
    const char *slash = e->file ? strrchr(e->file, '/') : NULL;
    snprintf(buf, cap, "%s:%u", slash ? slash + 1 : e->file ? e->file : "?", e->line);
    return buf;
}

static char *advice(const struct now *n, enum class class, const struct finding *f, bool same_cta, bool same_warp,
                    bool other_writes, bool atomics_and_reads)
{
    char p[160], q[160];
    /* Threads take turns, so that lines have an order of their own; what an engine does comes after its issue. */
    const bool turned = class != RACE_ASYNC && f->b.file == f->a.file && f->b.line > f->a.line;
    place_of(turned ? &f->a : &f->b, p, sizeof p);
    place_of(turned ? &f->b : &f->a, q, sizeof q);
    switch (class) {
    case RACE_SAME_INST:
        return xasprintf(
            "lanes of one instruction write different values to one address; which one stays is left open");
    case RACE_SCOPE:
        return xasprintf(
            "the accesses or fences are of block scope and the threads are of different CTAs: use "
            "__threadfence() or an operation of device scope");
    case RACE_ACQUIRE:
        return xasprintf("no __threadfence() between the read of the flag and %s", q);
    case RACE_WARP:
        return xasprintf("works only as long as the warp stays converged: add __syncwarp() between %s and %s", p, q);
    case RACE_ASYNC:
        if (f->b.what && strstr(f->b.inst, "wgmma"))
            return xasprintf("the product may still read its operands: wgmma.wait_group between %s and %s", p, q);
        if (f->b.what && strstr(f->b.inst, "mbarrier::complete_tx"))
            return xasprintf("no wait for the mbarrier that counts the copy (mbarrier.try_wait) between %s and %s", p,
                             q);
        if (f->b.what && strstr(f->b.inst, ".bulk"))
            return xasprintf("no cp.async.bulk.wait_group%s between %s and %s", other_writes ? "" : ".read", p, q);
        return xasprintf("no cp.async.wait_all or wait_group (__pipeline_wait_prior) between %s and %s", p, q);
    default:
        break;
    }
    if (n->site->kind == SITE_BULK && n->access != ACCESS_READ)
        return xasprintf(
            "the copy may come before %s is over: a barrier, or an arrival at an mbarrier that the copy's "
            "thread waits for, between the two",
            other_writes ? "the write" : "the read");
    if (atomics_and_reads)
        return xasprintf("a plain read beside atomics: read it with an atomic or through volatile, or order the two");
    const bool adds = n->access == ACCESS_WRITE && other_writes && f->a.line == f->b.line;
    if (same_warp)
        return xasprintf("no __syncwarp() between %s and %s", p, q);
    if (same_cta)
        return f->a.line == f->b.line && f->a.file == f->b.file
                   ? xasprintf(adds ? "several threads write it: use an atomic, or a location for each thread"
                                    : "no __syncthreads() between one round's %s and the next's",
                               q)
                   : xasprintf("no __syncthreads() between %s and %s", p, q);
    if (n->site->kind != SITE_ATOMIC && other_writes && n->access == ACCESS_WRITE)
        return xasprintf("several CTAs write it: use an atomic, or a location for each CTA");
    char writer[160], other[160];
    place_of(other_writes ? &f->b : &f->a, writer, sizeof writer);
    place_of(other_writes ? &f->a : &f->b, other, sizeof other);
    if (n->c->code->narrow_fence)
        return xasprintf(
            "__threadfence_block() orders the threads of one CTA only: use __threadfence() between %s and the flag",
            writer);
    if (n->c->code->talks)
        return xasprintf(
            "CTAs run in any order: add __threadfence() between %s and the flag or counter that announces it, and "
            "between the read of that and %s",
            writer, other);
    return xasprintf(
        "CTAs run in any order: put an atomic, a fence and a flag, or the end of a launch between %s and %s", p, q);
}

/* The bytes that this lane is about to write, and those that are there. */
static bool same_value(const struct now *n, unsigned lane, const void *there)
{
    const struct emu_inst *in = n->site->in;
    const uint32_t e = in->aux[EMU_AUX_BYTES];
    for (uint32_t k = 0; k < in->aux[EMU_AUX_VEC]; k++) {
        const struct emu_opnd *o = &in->src[1 + k];
        if (memcmp((const char *)emu_src(&n->r->w, o) + lane * o->lane, (const char *)there + k * e, e))
            return false;
    }
    return true;
}

static bool same_as_lane(const struct now *n, unsigned lane, unsigned other)
{
    const struct emu_inst *in = n->site->in;
    for (uint32_t k = 0; k < in->aux[EMU_AUX_VEC]; k++) {
        const struct emu_opnd *o = &in->src[1 + k];
        const char *row = emu_src(&n->r->w, o);
        if (memcmp(row + lane * o->lane, row + other * o->lane, in->aux[EMU_AUX_BYTES]))
            return false;
    }
    return n->addr[lane] == n->addr[other];
}

static const void *host_at(const struct now *n, uint64_t addr)
{
    return n->space == PTX_S_SHARED ? n->home->cta->smem + addr : (const void *)(uintptr_t)addr;
}

static bool writes(enum access a)
{
    return a != ACCESS_READ;
}

/* Does the other lane access the same bytes with this very instruction? */
static bool same_instruction(const struct now *n, unsigned lane, uint64_t s)
{
    const unsigned l = stamp_lane(s);
    return stamp_site(s) == n->site->id && l != lane && n->mask >> l & 1 && n->addr[l] < n->addr[lane] + n->bytes &&
           n->addr[lane] < n->addr[l] + n->bytes;
}

/* A lane's access and a stamp that is not ordered before it. `launch` is the stamp's. */
static void conflict(const struct now *n, unsigned lane, uint64_t s, bool wrote, const struct launch *launch)
{
    struct check *c = n->c;
    const struct code *code = launch->code;
    const struct site *x = code->by_id[stamp_site(s)];
    const bool other_launch = launch != c->launch;
    const uint64_t n_cta = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t cta = stamp_cta(s) % n_cta;
    const enum engine engine = (enum engine)(stamp_cta(s) / n_cta);
    const bool same_cta = !other_launch && !engine && stamp_cta(s) + 1 == n->a->stamp_cta;
    const bool same_warp = same_cta && stamp_warp(s) == n->r->w.index;
    const bool both_strong = x->strong && n->site->strong;
    enum class class = RACE;
    enum severity severity = ERROR;
    if (both_strong && (same_cta || (x->strong == STRONG_GPU && n->site->strong == STRONG_GPU))) {
        /* No race. Lanes of a warp that talk through volatile memory rely on its staying together, though. */
        if (!same_warp || !x->is_volatile || !n->site->is_volatile || same_instruction(n, lane, s) || s & FLAG_BIT)
            return;
        class = RACE_WARP;
        severity = NOTE;
    } else if (!wrote && !other_launch && !engine && sync_ordered_loose(c, n->a, n->r->w.index, lane, s)) {
        return;
    } else if (both_strong && !other_launch) {
        class = RACE_SCOPE;
    } else if ((n->site->guesses && x->strong && wrote) || (x->guesses && n->site->strong && !wrote)) {
        class = RACE_GUESS;
        severity = NOTE;
    } else if (!other_launch && (engine || (stamp_clock(s) == CLOCK_NEVER && same_cta))) {
        class = RACE_ASYNC;
    } else if (wrote && n->access == ACCESS_WRITE && n->site->kind == SITE_STORE && !other_launch &&
               (same_warp && same_instruction(n, lane, s) ? same_as_lane(n, lane, stamp_lane(s))
                                                          : same_value(n, lane, host_at(n, n->addr[lane])))) {
        class = RACE_EQUAL;
        severity = NOTE;
    } else if (same_warp && wrote && n->access == ACCESS_WRITE && same_instruction(n, lane, s)) {
        class = RACE_SAME_INST;
    } else if (same_warp && stamp_clock(s) <= n->w->soft) {
        class = RACE_WARP;
        severity = WARNING;
    } else if (!other_launch && sync_ordered_seen(c, n->a, n->r->w.index, lane, s)) {
        class = RACE_ACQUIRE;
        severity = WARNING;
    } else if (other_launch) {
        class = RACE_LAUNCH;
    }
    /* Either order of the two is one finding; of several the one between the farthest threads is shown. */
    const uint8_t reach = (uint8_t)(same_warp ? 0 : same_cta ? 1 : 2);
    const uint64_t p = site_line(n->site), q = site_line(x);
    struct finding *f;
    if (!finding_new(c, class, p < q ? p : q, p < q ? q : p, 0, &f) && (!f || f->reach >= reach))
        return;
    free(f->where);
    free(f->advice);
    f->reach = reach;
    f->severity = severity;
    f->space = (uint8_t)n->space;
    f->addr = n->addr[lane];
    f->a = end_of(c->launch, n->site, verb(n->site, writes(n->access)), n->a->index, n->r->w.index * EMU_LANES + lane);
    f->b = end_of(launch, x, verb(x, wrote), cta, stamp_warp(s) * EMU_LANES + stamp_lane(s));
    if (engine == ENGINE_COUNTED)
        f->b.has_thread = async_issuer(c, s, &f->b, launch);
    f->where = finding_where(c, (uint8_t)n->space, n->addr[lane]);
    f->advice =
        class == RACE_GUESS ? xasprintf("the plain read is only a guess, which the compare-and-swap checks")
        : class == RACE_EQUAL
            ? xasprintf("every thread writes the same value, so the result does not depend on the order")
        : class == RACE_LAUNCH
            ? xasprintf("the launches are on different streams: cudaStreamWaitEvent() or one stream orders them")
            : advice(n, class, f, same_cta, same_warp, wrote,
                     (n->site->kind == SITE_ATOMIC && !wrote) || (x->kind == SITE_ATOMIC && !writes(n->access)));
    finding_done(c, f);
}

/* ---- one cell ---- */

static bool conflicts_with(const struct now *n, unsigned lane, uint64_t s)
{
    const uint64_t me = n->at.me + ((uint64_t)lane << STAMP_LANE);
    return !fine_base(s, me, &n->at) && !sync_ordered(n->c, n->a, n->r->w.index, lane, s);
}

/* A stamp of a write and the lanes that read the place. */
static void meets_write(const struct now *n, uint64_t s, unsigned lane, unsigned count)
{
    if (!s || s - n->at.lo <= n->at.span)
        return;
    for (unsigned l = lane; l < lane + count; l++)
        if (conflicts_with(n, l, s))
            conflict(n, l, s, true, n->c->launch);
}

/* `count` lanes from `lane` on read the cell. */
static void cell_read(const struct now *n, struct page *p, unsigned i, unsigned lane, unsigned count)
{
    const uint64_t me = n->at.me + ((uint64_t)lane << STAMP_LANE), s = p->r0[i];
    const uint64_t flag = count > 1 ? FLAG_BIT : 0;
    if (p->w)
        meets_write(n, p->w[i], lane, count);
    if (p->a)
        meets_write(n, p->a[i], lane, count);
    if (fine_base(s, me, &n->at)) {
        p->r0[i] = me | flag;
    } else if (!((s ^ me) & WARP_BITS)) {
        p->r0[i] = me | FLAG_BIT;
    } else {
        if (page_cells(n->c, p, &p->r1))
            p->r1[i] = s;
        p->r0[i] = me | flag;
    }
}

static void cell_write(const struct now *n, struct page *p, unsigned i, unsigned lane)
{
    if (p->w && conflicts_with(n, lane, p->w[i]))
        conflict(n, lane, p->w[i], true, n->c->launch);
    /* Atomics of the GPU's scope do not mind each other. */
    if (p->a && (n->access != ACCESS_ATOMIC || n->c->code->narrow) && conflicts_with(n, lane, p->a[i]))
        conflict(n, lane, p->a[i], true, n->c->launch);
    if (p->r0 && conflicts_with(n, lane, p->r0[i]))
        conflict(n, lane, p->r0[i], false, n->c->launch);
    if (p->r1 && conflicts_with(n, lane, p->r1[i]))
        conflict(n, lane, p->r1[i], false, n->c->launch);
    (n->site->strong ? p->a : p->w)[i] = n->at.me + ((uint64_t)lane << STAMP_LANE);
}

/* Stamps of launches that may run at the same time. */
static void cell_older(const struct now *n, const struct page *p, unsigned byte, unsigned lane)
{
    for (const struct page *o = p->older; o; o = o->older) {
        const unsigned i = byte >> (2 - o->cell_fine);
        if (o->w && o->w[i])
            conflict(n, lane, o->w[i], true, o->launch);
        if (o->a && o->a[i])
            conflict(n, lane, o->a[i], true, o->launch);
        if (writes(n->access) && o->r0 && o->r0[i])
            conflict(n, lane, o->r0[i], false, o->launch);
    }
}

/* Copies and memsets that may run at the same time. */
static void range_conflict(const struct now *n, uint64_t addr, uint64_t bytes, unsigned lane)
{
    for (size_t i = 0; i < n->c->overlap.n; i++) {
        const struct range_op *o = &n->c->overlap.p[i];
        struct finding *f;
        if (addr >= o->hi || addr + bytes <= o->lo || (!o->write && !writes(n->access)) ||
            !finding_new(n->c, RACE_LAUNCH, site_line(n->site), (uintptr_t)o->launch->call, writes(n->access), &f))
            continue;
        f->space = PTX_S_GLOBAL;
        f->addr = addr;
        f->a = end_of(n->c->launch, n->site, verb(n->site, writes(n->access)), n->a->index,
                      n->r->w.index * EMU_LANES + lane);
        f->b = end_of(o->launch, NULL, o->write ? "write" : "read", 0, 0);
        f->where = finding_where(n->c, PTX_S_GLOBAL, addr);
        f->advice = xasprintf("nothing orders the kernel behind %s: cudaStreamWaitEvent() or one stream would",
                              o->launch->call);
        finding_done(n->c, f);
    }
}

/* ---- a run of lanes whose bytes are neighbors within a page ---- */

static bool together(const struct now *n, struct page *p, unsigned first, unsigned cells, unsigned shift,
                     const struct cells_at *x)
{
    uint64_t *w = p->w ? p->w + first : NULL, *a = p->a ? p->a + first : NULL;
    uint64_t *r0 = p->r0 ? p->r0 + first : NULL, *r1 = p->r1 ? p->r1 + first : NULL;
    return n->access == ACCESS_READ ? cells_read(w, a, r0, r1, cells, shift, x)
                                    : cells_write(w, a, r0, r1, cells, shift, x);
}

static struct page *page_at(const struct now *n, uint64_t addr)
{
    if (n->space != PTX_S_SHARED) {
        struct page *p = shadow_page(n->c, addr);
        if (p->owner != n->c->launch->serial)
            page_own(n->c, p, n->c->launch->serial, n->c->launch);
        return p;
    }
    struct page *p = &n->home->smem[addr >> PAGE_BITS];
    if (p->owner != n->home->owner)
        page_own(n->c, p, n->home->owner, NULL);
    return p;
}

static unsigned fineness(uint64_t addr, uint32_t bytes)
{
    const uint64_t odd = addr | bytes;
    return odd & 1 ? 2 : odd & 2 ? 1 : 0;
}

/* fine_base() of what is most frequent first. */
ALWAYS_INLINE bool good(uint64_t s, uint64_t me, const struct cells_at *x)
{
    if (!s || s - x->lo <= x->span)
        return true;
    if (!((s ^ me) & (OWN_BITS | FLAG_BIT)))
        return stamp_clock(s) != CLOCK_NEVER;
    return ((s ^ me) & WARP_BITS) == 0 && stamp_clock(s) <= x->warp_base;
}

/* Where scattered lanes go: the arrays of a page, as far as an access of this kind is to look at them. */
enum { SCATTER_PAGES = 8 };
struct scatter {
    uint64_t page; /* number + 1; 0 = none */
    uint64_t *look[4], *to, *r1;
    unsigned n_look, down;
};

static bool scatter_to(const struct now *n, struct scatter *x, uint64_t addr)
{
    struct page *p = page_at(n, addr);
    x->page = 0;
    x->to = n->access == ACCESS_READ ? p->r0 : n->site->strong ? p->a : p->w;
    if (p->older || n->bytes != 4u >> p->cell_fine || n->c->overlap.n || !x->to)
        return false;
    x->n_look = 0;
    if (p->w)
        x->look[x->n_look++] = p->w;
    if (p->a && (n->access != ACCESS_ATOMIC || n->c->code->narrow))
        x->look[x->n_look++] = p->a;
    if (n->access != ACCESS_READ) {
        if (p->r0)
            x->look[x->n_look++] = p->r0;
        if (p->r1)
            x->look[x->n_look++] = p->r1;
    }
    x->r1 = p->r1;
    x->down = 2 - p->cell_fine;
    x->page = (addr >> PAGE_BITS) + 1;
    return true;
}

/* One lane, one cell, nothing to be said: scattered accesses are mostly like that. False: look closer. */
ALWAYS_INLINE bool quick(const struct now *n, const struct cells_at *at, struct scatter *pages, uint64_t addr,
                         unsigned lane)
{
    struct scatter *x = &pages[(addr >> PAGE_BITS) % SCATTER_PAGES];
    if (x->page != (addr >> PAGE_BITS) + 1 && !scatter_to(n, x, addr))
        return false;
    const unsigned i = (unsigned)(addr % PAGE_BYTES) >> x->down;
    const uint64_t me = at->me + ((uint64_t)lane << STAMP_LANE);
    for (unsigned k = 0; k < x->n_look; k++)
        if (!good(x->look[k][i], me, at))
            return false;
    if (n->access == ACCESS_READ) {
        const uint64_t s = x->to[i];
        if (!good(s, me, at)) {
            if (!((s ^ me) & WARP_BITS) || !x->r1)
                return false;
            x->r1[i] = s;
        }
    }
    x->to[i] = me;
    return true;
}

static void run_of_lanes(const struct now *n, unsigned lane, unsigned count, bool same)
{
    const uint64_t addr = n->addr[lane];
    const uint32_t bytes = same ? n->bytes : n->bytes * count;
    struct page *p = page_at(n, addr);
    if (n->c->overlap.n && n->space != PTX_S_SHARED)
        range_conflict(n, addr, bytes, lane);
    const unsigned fine = fineness(addr, n->bytes);
    if (fine > p->cell_fine)
        page_refine(n->c, p, fine);
    if (!page_cells(n->c, p, !writes(n->access) ? &p->r0 : n->site->strong ? &p->a : &p->w))
        return;
    const unsigned at = (unsigned)(addr % PAGE_BYTES), down = 2 - p->cell_fine, first = at >> down;
    const unsigned cells = bytes >> down, per_lane = n->bytes >> down;
    const bool plain = !p->older && (n->access == ACCESS_READ || !n->site->strong) && !(per_lane & (per_lane - 1)) &&
                       n->site->kind != SITE_ASYNC_COPY;
    if (plain && cells > 1 && !same) {
        const unsigned shift = (unsigned)__builtin_ctz(per_lane);
        struct cells_at x = n->at;
        x.me += (uint64_t)lane << STAMP_LANE;
        if (together(n, p, first, cells, shift, &x))
            return;
        if (n->access == ACCESS_READ && !p->r1 && page_cells(n->c, p, &p->r1) &&
            together(n, p, first, cells, shift, &x))
            return;
    }
    if (p->older)
        for (unsigned i = 0; i < cells; i++)
            cell_older(n, p, (first + i) << down, same ? lane : lane + i / per_lane);
    if (n->access == ACCESS_READ)
        for (unsigned i = 0; i < cells; i++)
            cell_read(n, p, first + i, same ? lane : lane + i / per_lane, same ? count : 1);
    else
        for (unsigned k = 0; k < count; k++)
            for (unsigned i = 0; i < per_lane; i++)
                cell_write(n, p, first + (same ? 0 : k * per_lane) + i, lane + k);
}

/* Stores are looked at before they are checked; is this one within an allocation? */
static bool may_touch(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask, const uint64_t *addr,
                      uint32_t bytes)
{
    const struct emu_range *k = &r->cache[in->target];
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t at = addr[__builtin_ctz(m)];
        if ((at < k->lo || at + bytes > k->hi) && !emu_mem_find(r->w.emu, at, bytes))
            return false;
    }
    return true;
}

/* Is it memory that the launch was expected to write? */
static void written(struct check *c, struct site *x, uint32_t mask, const uint64_t *addr)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t at = addr[__builtin_ctz(m)];
        if (x->known_serial == c->known_serial && at >= x->known.lo && at < x->known.hi)
            continue;
        roots_store(c, at);
        roots_know(c, x, at);
    }
}

void race_stamp(struct check *c, struct emu_warp_run *r, const struct site *site, enum access access, uint32_t mask,
                enum ptx_space space, const uint64_t *addr, uint32_t bytes, enum shape shape)
{
    struct ccta *a = ccta_of(r);
    struct now n = {.c = c,
                    .r = r,
                    .a = a,
                    .home = c->home,
                    .w = &a->warp[r->w.index],
                    .site = site,
                    .access = access,
                    .space = space,
                    .mask = mask,
                    .bytes = bytes,
                    .addr = addr};
    if (!a->stamp_cta) {
        c->many_ctas = true;
        return;
    }
    n.at = (struct cells_at){
        .me = (uint64_t)a->stamp_cta << STAMP_CTA |
              (uint64_t)(site->kind == SITE_ASYNC_COPY && access == ACCESS_WRITE ? CLOCK_NEVER : a->clock)
                  << STAMP_CLOCK |
              (uint64_t)r->w.index << STAMP_WARP | site->id,
        .lo = (uint64_t)a->stamp_cta << STAMP_CTA,
        .span = (uint64_t)a->base << STAMP_CLOCK | ((1ull << STAMP_CLOCK) - 1),
        .warp_base = n.w->pair ? 0 : n.w->base,
    };
    a->last = n.w->last = a->clock;
    if (shape != SHAPE_OTHER) {
        for (unsigned l = 0; l < EMU_LANES;) {
            const uint64_t fit = shape == SHAPE_SAME ? EMU_LANES : (PAGE_BYTES - addr[l] % PAGE_BYTES) / bytes;
            const unsigned k = fit < EMU_LANES - l ? (unsigned)fit : EMU_LANES - l;
            run_of_lanes(&n, l, k, shape == SHAPE_SAME);
            l += k;
        }
        return;
    }
    struct scatter x[SCATTER_PAGES]; /* by the low bits of the page's number */
    const struct cells_at at = n.at;
    for (unsigned i = 0; i < SCATTER_PAGES; i++)
        x[i].page = 0;
    for (unsigned l = 0; l < EMU_LANES;) {
        if (!(mask >> l & 1)) {
            l++;
            continue;
        }
        const uint64_t page = addr[l] >> PAGE_BITS;
        unsigned k = 1;
        if ((addr[l] + bytes - 1) >> PAGE_BITS != page) { /* misaligned, as no access may be */
            l++;
            continue;
        }
        const uint64_t apart = l + 1 < EMU_LANES && mask >> (l + 1) & 1 ? addr[l + 1] - addr[l] : ~0ull;
        if (apart && apart != bytes && quick(&n, &at, x, addr[l], l)) {
            l++;
            continue;
        }
        const bool same = apart == 0;
        const uint64_t step = same ? 0 : bytes;
        while (l + k < EMU_LANES && mask >> (l + k) & 1 && addr[l + k] == addr[l] + k * step &&
               (addr[l + k] + bytes - 1) >> PAGE_BITS == page)
            k++;
        run_of_lanes(&n, l, k, same);
        x[page % SCATTER_PAGES].page = 0; /* it may have other arrays now */
        l += k;
    }
}

void race_access(struct check *c, struct emu_warp_run *r, const struct site *site, enum access access, uint32_t mask,
                 enum ptx_space space, const uint64_t *addr, uint32_t bytes, enum shape shape)
{
    if (space == PTX_S_SHARED) {
        uint64_t most = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            most = addr[__builtin_ctz(m)] > most ? addr[__builtin_ctz(m)] : most;
        if (most + bytes > r->w.cta->smem_bytes)
            return; /* the access itself will say so */
        if (access != ACCESS_READ) {
            quiet_write(c, ccta_of(r), mask, addr, bytes, shape, false);
        }
    } else {
        if (site->kind == SITE_STORE && !may_touch(r, site->in, mask, addr, bytes))
            return;
        if (access != ACCESS_READ && !c->all_writable)
            written(c, (struct site *)site, mask, addr);
    }
    race_stamp(c, r, site, access, mask, space, addr, bytes, shape);
}

/* ---- the asynchronous proxy ---- */

static bool engine_meets(const struct now *n, unsigned lane, uint64_t s, uint64_t *fine)
{
    if (!s || s - n->at.lo <= n->at.span || s == *fine)
        return false;
    if (conflicts_with(n, lane, s))
        return true;
    *fine = s;
    return false;
}

static void engine_cell(const struct now *n, struct page *p, unsigned i, unsigned lane, uint64_t stamp, uint64_t *fine)
{
    if (p->w && engine_meets(n, lane, p->w[i], fine))
        conflict(n, lane, p->w[i], true, n->c->launch);
    if (p->a && n->access != ACCESS_ATOMIC && engine_meets(n, lane, p->a[i], fine))
        conflict(n, lane, p->a[i], true, n->c->launch);
    if (n->access == ACCESS_READ) {
        const uint64_t s = p->r0[i];
        if (s && ((s ^ stamp) & OWN_BITS) && engine_meets(n, lane, s, fine) && page_cells(n->c, p, &p->r1))
            p->r1[i] = s;
        p->r0[i] = stamp;
        return;
    }
    if (p->r0 && engine_meets(n, lane, p->r0[i], fine))
        conflict(n, lane, p->r0[i], false, n->c->launch);
    if (p->r1 && engine_meets(n, lane, p->r1[i], fine))
        conflict(n, lane, p->r1[i], false, n->c->launch);
    (n->access == ACCESS_ATOMIC ? p->a : p->w)[i] = stamp;
}

void race_async(struct check *c, struct emu_warp_run *r, const struct site *site, unsigned lane,
                const struct emu_async *e, struct ccta *home, uint64_t stamp)
{
    struct ccta *a = ccta_of(r);
    uint64_t addr[EMU_LANES] = {0}, fine = 0;
    const struct now n = {
        .c = c,
        .r = r,
        .a = a,
        .home = home,
        .w = &a->warp[r->w.index],
        .site = site,
        .access = e->access == EMU_ASYNC_READ    ? ACCESS_READ
                  : e->access == EMU_ASYNC_WRITE ? ACCESS_WRITE
                                                 : ACCESS_ATOMIC,
        .space = home ? PTX_S_SHARED : PTX_S_GLOBAL,
        .mask = 1u << lane,
        .addr = addr,
        .at = {.me = (uint64_t)a->stamp_cta << STAMP_CTA | (uint64_t)a->clock << STAMP_CLOCK |
                     (uint64_t)r->w.index << STAMP_WARP | site->id,
               .lo = (uint64_t)a->stamp_cta << STAMP_CTA,
               .span = (uint64_t)a->base << STAMP_CLOCK | ((1ull << STAMP_CLOCK) - 1)},
    };
    if (home && n.access != ACCESS_READ)
        quiet_range(c, home, e->at, e->bytes);
    for (uint64_t at = e->at, end = at + e->bytes; at < end;) {
        const uint64_t next = (at / PAGE_BYTES + 1) * PAGE_BYTES, to = next < end ? next : end;
        struct page *p = page_at(&n, at);
        if (!home && c->overlap.n) {
            addr[lane] = at;
            range_conflict(&n, at, to - at, lane);
        }
        const unsigned odd = fineness(at, (uint32_t)(to - at));
        if (odd > p->cell_fine)
            page_refine(c, p, odd);
        if (!page_cells(c, p, n.access == ACCESS_READ ? &p->r0 : n.access == ACCESS_ATOMIC ? &p->a : &p->w))
            return;
        const unsigned down = 2 - p->cell_fine;
        for (; at < to; at += 1u << down) {
            addr[lane] = at;
            if (p->older)
                cell_older(&n, p, at % PAGE_BYTES, lane);
            engine_cell(&n, p, (unsigned)(at % PAGE_BYTES) >> down, lane, stamp, &fine);
        }
    }
}

/* ---- asynchronous copies: they belong to the thread's past from the wait on ---- */

void race_wait_copies(struct check *c, struct emu_warp_run *r, uint32_t newest_kept, bool all)
{
    struct ccta *a = ccta_of(r);
    struct cwarp *w = &a->warp[r->w.index];
    struct copies *q = &w->copies;
    size_t keep = 0;
    for (size_t i = 0; i < q->v.n; i++) {
        const struct pending *d = &q->v.p[i];
        if (!all && d->group + newest_kept >= q->group) {
            q->v.p[keep++] = *d;
            continue;
        }
        for (uint32_t m = d->mask; m; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctz(m);
            struct page *p = &a->smem[d->to[l] >> PAGE_BITS];
            if (p->owner != a->owner || !p->w)
                continue;
            const unsigned down = 2 - p->cell_fine;
            for (unsigned k = 0; k < d->bytes >> down; k++) {
                uint64_t *s = &p->w[((d->to[l] % PAGE_BYTES) >> down) + k];
                if (stamp_clock(*s) == CLOCK_NEVER && stamp_warp(*s) == r->w.index && stamp_lane(*s) == l)
                    *s = (*s & ~((uint64_t)CLOCK_NEVER << STAMP_CLOCK)) | (uint64_t)a->clock << STAMP_CLOCK;
            }
        }
        a->last = w->last = a->clock;
    }
    q->v.n = keep;
}

/* ---- copies and memsets of the host ---- */

/* Stamps of launches that the running operation is not ordered behind. */
void race_range(struct check *c, struct launch *op, uint64_t lo, uint64_t hi, bool write)
{
    for (uint64_t at = lo; at < hi; at = (at / PAGE_BYTES + 1) * PAGE_BYTES) {
        const struct page *top = shadow_find(c, at);
        for (const struct page *p = top; p; p = p->older) {
            if (!p->launch || host_ordered(c, p->launch))
                continue;
            const uint64_t base = at / PAGE_BYTES * PAGE_BYTES, end = hi < base + PAGE_BYTES ? hi : base + PAGE_BYTES;
            for (uint64_t b = at; b < end; b += 4u >> p->cell_fine) {
                const unsigned i = (unsigned)(b - base) >> (2 - p->cell_fine);
                const uint64_t w = p->w && p->w[i] ? p->w[i] : p->a ? p->a[i] : 0;
                const uint64_t s = w ? w : write && p->r0 ? p->r0[i] : 0;
                if (!s)
                    continue;
                const bool wrote = w != 0;
                const struct site *x = p->launch->code->by_id[stamp_site(s)];
                struct finding *f;
                if (!finding_new(c, RACE_LAUNCH, (uintptr_t)op->call, site_line(x), write * 2u + wrote, &f))
                    continue;
                f->space = PTX_S_GLOBAL;
                f->addr = b;
                f->a = end_of(op, NULL, write ? "write" : "read", 0, 0);
                f->b = end_of(p->launch, x, verb(x, wrote), stamp_cta(s), stamp_warp(s) * EMU_LANES + stamp_lane(s));
                f->where = finding_where(c, PTX_S_GLOBAL, b);
                f->advice = xasprintf(
                    "nothing orders %s behind the kernel: cudaStreamSynchronize(), an event, or the "
                    "same stream",
                    op->call);
                finding_done(c, f);
            }
        }
    }
}
