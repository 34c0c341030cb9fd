/*
 * Reads of shared memory that a barrier makes irrelevant.
 *
 * Tiled kernels write shared memory, wait at a barrier, read it often and wait again. A read of memory that nobody has
 * written since the last barrier of the CTA conflicts with nothing that came before, and after the next barrier nothing
 * conflicts with it. So such reads go into a log, and the barrier empties it. Only when a write comes first where the
 * log has reads are they given their stamps, in the order in which they happened. A log that is full is given its
 * stamps, too, and reads are stamped at once until the next barrier.
 *
 * Shared memory is looked at in 64 parts; "loud" are those that were written since the barrier, and those that have
 * stamps which a barrier of the CTA does not order: of asynchronous copies, and of other CTAs of the cluster.
 */
#include "check/state.h"

enum { LOG_BYTES = 256 << 10, PARTS = 64, LEAST_SHIFT = 6 };

struct read {
    const struct site *site;
    uint32_t mask, clock, warp, bytes;
    uint32_t n;      /* addresses: 1 (all lanes side by side, or at the same place) or EMU_LANES */
    uint32_t shape;  /* enum shape */
    uint32_t addr[]; /* n */
};

unsigned quiet_shift(uint32_t smem_bytes)
{
    unsigned shift = LEAST_SHIFT;
    while (smem_bytes > (uint64_t)PARTS << shift)
        shift++;
    return shift;
}

/* Parts from one byte to another. */
static uint64_t parts(const struct ccta *a, uint64_t first, uint64_t last)
{
    const unsigned lo = (unsigned)(first >> a->part_shift), hi = (unsigned)(last >> a->part_shift);
    return hi < PARTS ? (~0ull >> (PARTS - 1 - hi + lo)) << lo : ~0ull;
}

static uint64_t parts_of(const struct ccta *a, uint32_t mask, const uint64_t *addr, uint32_t bytes, enum shape shape)
{
    uint32_t at[EMU_LANES], lo = (uint32_t)addr[0], hi = (uint32_t)addr[EMU_LANES - 1];
    if (shape == SHAPE_OTHER)
        race_narrow(addr, mask, at, &lo, &hi);
    return parts(a, lo, (uint64_t)hi + bytes - 1);
}

/* Gives the logged reads their stamps. */
static void flush(struct check *c, struct ccta *a)
{
    struct ccta *home = c->home;
    const uint32_t clock = a->clock, last = a->last;
    c->home = a;
    for (size_t at = 0; at < a->log_used;) {
        const struct read *q = (const void *)(a->log + at);
        uint64_t addr[EMU_LANES];
        for (unsigned l = 0; l < EMU_LANES; l++)
            addr[l] = q->n > 1 ? q->addr[l] : q->addr[0] + (q->shape == SHAPE_SAME ? 0 : l * q->bytes);
        const uint32_t warp_last = a->warp[q->warp].last;
        a->clock = q->clock;
        race_stamp(c, &a->cta->warp[q->warp], q->site, ACCESS_READ, q->mask, PTX_S_SHARED, addr, q->bytes,
                   (enum shape)q->shape);
        a->warp[q->warp].last = warp_last;
        at += sizeof *q + ((q->n + 1) & ~1u) * sizeof *q->addr;
    }
    a->clock = clock;
    a->last = last;
    a->log_used = 0;
    a->logged = 0;
    c->home = home;
}

/* Looks again at the parts of which not all bytes were known to be written, once between two barriers. */
static void fill(struct ccta *a, uint64_t p)
{
    a->tried |= p;
    for (; p; p &= p - 1) {
        const uint32_t lo = (uint32_t)__builtin_ctzll(p) << a->part_shift, hi = lo + (1u << a->part_shift);
        if (lo < a->cta->smem_bytes && init_whole(a, lo, hi < a->cta->smem_bytes ? hi : a->cta->smem_bytes))
            a->full |= p & -p;
    }
}

bool quiet_read(struct emu_warp_run *r, struct check *c, const struct site *x, uint32_t mask, const uint64_t *addr,
                uint32_t bytes, enum shape shape, bool *defined)
{
    struct ccta *a = ccta_of(r);
    uint32_t at[EMU_LANES], lo = (uint32_t)addr[0], hi = (uint32_t)addr[EMU_LANES - 1];
    if (shape == SHAPE_OTHER)
        race_narrow(addr, mask, at, &lo, &hi);
    const uint64_t p = parts(a, lo, (uint64_t)hi + bytes - 1);
    if ((uint64_t)hi + bytes > a->cta->smem_bytes)
        return false;
    if (c->initing) {
        if (p & ~(a->full | a->tried))
            fill(a, p & ~(a->full | a->tried));
        *defined = !(p & ~a->full) && !(x->passes && a->warp[r->w.index].any_undefined);
    }
    if (!c->racing || a->no_log || p & a->loud || !a->stamp_cta || x->strong)
        return !c->racing;
    if (a->log_used + sizeof(struct read) + sizeof at > LOG_BYTES) {
        flush(c, a);
        a->no_log = true;
        return false;
    }
    if (!a->log)
        a->log = xmalloc(LOG_BYTES);
    struct read *q = (void *)(a->log + a->log_used);
    q->site = x;
    q->mask = mask;
    q->clock = a->clock;
    q->warp = r->w.index;
    q->bytes = bytes;
    q->shape = shape;
    q->n = shape == SHAPE_OTHER ? EMU_LANES : 1;
    if (q->n > 1)
        memcpy(q->addr, at, sizeof at);
    else
        q->addr[0] = lo;
    a->log_used += sizeof *q + ((q->n + 1) & ~1u) * sizeof *q->addr;
    a->logged |= p;
    a->last = a->warp[r->w.index].last = a->clock;
    return true;
}

static void loud(struct check *c, struct ccta *a, uint64_t p, bool stays)
{
    if (p & a->logged)
        flush(c, a);
    a->loud |= p;
    a->stays_loud |= stays ? p : 0;
}

void quiet_write(struct check *c, const struct ccta *by, uint32_t mask, const uint64_t *addr, uint32_t bytes,
                 enum shape shape, bool stays)
{
    loud(c, c->home, parts_of(c->home, mask, addr, bytes, shape), stays || by != c->home);
}

void quiet_range(struct check *c, struct ccta *a, uint64_t at, uint32_t bytes)
{
    loud(c, a, parts(a, at, at + bytes - 1), true);
}

/* All threads of the CTA were at a barrier. */
void quiet_barrier(struct ccta *a)
{
    a->log_used = 0;
    a->logged = 0;
    a->no_log = false;
    a->tried = 0;
    a->loud = a->stays_loud;
    for (uint32_t i = 0; i < a->n_warp; i++)
        for (size_t k = 0; k < a->warp[i].copies.v.n; k++) {
            const struct pending *d = &a->warp[i].copies.v.p[k];
            for (uint32_t m = d->mask; m; m &= m - 1)
                a->loud |= parts(a, d->to[__builtin_ctz(m)], d->to[__builtin_ctz(m)] + d->bytes - 1);
        }
}
