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
    uint64_t lo = addr[0], hi = addr[EMU_LANES - 1];
    if (shape == SHAPE_OTHER) {
        lo = ~0ull;
        hi = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint64_t at = addr[__builtin_ctz(m)];
            lo = at < lo ? at : lo;
            hi = at > hi ? at : hi;
        }
    }
    return parts(a, lo, hi + bytes - 1);
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

bool quiet_read(struct check *c, struct emu_warp_run *r, const struct site *x, uint32_t mask, const uint64_t *addr,
                uint32_t bytes, enum shape shape)
{
    struct ccta *a = ccta_of(r);
    const uint64_t p = parts_of(a, mask, addr, bytes, shape);
    if (a->no_log || p & a->loud || !a->stamp_cta || x->strong)
        return false;
    if (a->log_used + sizeof(struct read) + EMU_LANES * sizeof(uint32_t) > LOG_BYTES) {
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
    for (unsigned l = 0; l < q->n; l++)
        q->addr[l] = (uint32_t)addr[l];
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
    a->loud = a->stays_loud;
    for (uint32_t i = 0; i < a->n_warp; i++)
        for (size_t k = 0; k < a->warp[i].copies.v.n; k++) {
            const struct pending *d = &a->warp[i].copies.v.p[k];
            for (uint32_t m = d->mask; m; m &= m - 1)
                a->loud |= parts(a, d->to[__builtin_ctz(m)], d->to[__builtin_ctz(m)] + d->bytes - 1);
        }
}
