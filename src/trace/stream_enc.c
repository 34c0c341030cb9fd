/*
 * Encoder of one warp's stream: see stream.h for the calls, model.h for what is foreseen, docs/trace-format.md for
 * the bytes.
 *
 * Address records are encoded as they are announced, into a buffer of their own, because the head of the run they
 * belong to is first in the stream and is known last. A record whose lanes turn out to be fewer than the run's is
 * patched with its mask then; that is rare (a generic access to several spaces at once).
 */
#include "trace/stream.h"

#include "base/err.h"
#include "base/mem.h"
#include "trace/bytes.h"
#include "trace/model.h"

enum { RECORD_MAX_BYTES = 2 + 4 + 10 + 21 + 1 + TRACE_WARP_SIZE * 8 + 8, PACK_MAX_BITS = 56 };

struct pending {
    uint32_t at, mask; /* offset in rec */
    bool numbers;      /* of space ASYNC: the mask says how many, not which lanes */
};

struct stream_enc {
    const struct trace_kernel *kernel;
    VEC(uint8_t) out; /* finished runs */
    VEC(uint8_t) rec; /* records of the run that is not closed yet */
    VEC(struct pending) pending;
    bool one_mask; /* all pending records have the same mask */
    struct model m;
};

struct stream_enc *stream_enc_new(void)
{
    return xcalloc(1, sizeof(struct stream_enc));
}

void stream_enc_free(struct stream_enc *e)
{
    if (!e)
        return;
    VEC_FREE(&e->out);
    VEC_FREE(&e->rec);
    VEC_FREE(&e->pending);
    free(e);
}

void stream_enc_begin(struct stream_enc *e, const struct trace_kernel *k)
{
    e->kernel = k;
    e->out.n = e->rec.n = e->pending.n = 0;
    e->one_mask = true;
    model_reset(&e->m);
}

static inline uint8_t *put_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline unsigned first_lane(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* ---- lane shapes ---- */
struct shape {
    int64_t stride, pitch;
    unsigned group_log2;
};

static inline uint64_t shape_offset(const struct shape *s, unsigned lane)
{
    unsigned in_group = lane & ((1u << s->group_log2) - 1);
    return (uint64_t)s->stride * in_group + (uint64_t)s->pitch * (lane >> s->group_log2);
}

/*
 * All 32 lanes against base + stride * (lane % 2^k) + pitch * (lane / 2^k). This is most of what recording costs, so
 * there is a variant for machines with 256-bit vectors, which take four lanes at once (k >= 2).
 */
#if defined(__x86_64__)
typedef uint64_t lane_quad __attribute__((vector_size(32)));

__attribute__((target("avx2"))) static bool grid_equals_avx2(const uint64_t *addr, uint64_t base, uint64_t stride,
                                                             uint64_t pitch, unsigned k)
{
    lane_quad group = {base, base + stride, base + 2 * stride, base + 3 * stride}, wrong = {0, 0, 0, 0}, lanes;
    const lane_quad step = {4 * stride, 4 * stride, 4 * stride, 4 * stride}, next = {pitch, pitch, pitch, pitch};
    if (k == SHAPE_WHOLE_WARP) { /* the usual case, with a fixed number of rounds */
        for (unsigned lane = 0; lane < TRACE_WARP_SIZE; lane += 4, group += step) {
            memcpy(&lanes, addr + lane, sizeof lanes);
            wrong |= lanes ^ group;
        }
        return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
    }
    for (unsigned lane = 0; lane < TRACE_WARP_SIZE; group += next) {
        lane_quad at = group;
        for (unsigned i = 0; i < 1u << k; i += 4, lane += 4, at += step) {
            memcpy(&lanes, addr + lane, sizeof lanes);
            wrong |= lanes ^ at;
        }
    }
    return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
}
#endif

static bool grid_equals(const uint64_t *addr, uint64_t base, uint64_t stride, uint64_t pitch, unsigned k)
{
#if defined(__x86_64__)
    if (k >= 2 && __builtin_cpu_supports("avx2"))
        return grid_equals_avx2(addr, base, stride, pitch, k);
#endif
    uint64_t want[TRACE_WARP_SIZE];
    grid_fill(want, base, stride, pitch, k);
    return lanes_equal(addr, want);
}

/* Whether the active lanes have the shape's pattern; then *base is where lane 0 is or would be. */
static bool shape_fits(const struct shape *s, uint32_t mask, const uint64_t *addr, uint64_t *base)
{
    if (mask == UINT32_MAX) {
        *base = addr[0];
        return addr[31] == addr[0] + shape_offset(s, 31) && /* most misfits are seen at once */
               grid_equals(addr, addr[0], (uint64_t)s->stride, (uint64_t)s->pitch, s->group_log2);
    }
    unsigned first = first_lane(mask), last = 31 - (unsigned)__builtin_clz(mask);
    uint64_t at = addr[first] - shape_offset(s, first), want[TRACE_WARP_SIZE], wrong = 0;
    *base = at;
    if (addr[last] != at + shape_offset(s, last))
        return false;
    grid_fill(want, at, (uint64_t)s->stride, (uint64_t)s->pitch, s->group_log2);
    for (unsigned lane = 0; lane < TRACE_WARP_SIZE; lane++)
        wrong |= (addr[lane] ^ want[lane]) & -(uint64_t)(mask >> lane & 1);
    return !wrong;
}

static bool divide(int64_t a, int64_t b, int64_t *q)
{
    if (b == 1) {
        *q = a;
        return fits_i32(a);
    }
    if (!fits_i32(a) || a % b)
        return false;
    *q = a / b;
    return true;
}

/* Finds stride and pitch for groups of 2^k lanes from few lanes, then looks at all. */
static bool shape_infer_groups(struct shape *s, unsigned k, uint32_t mask, const uint64_t *addr, uint64_t *base)
{
    unsigned f = first_lane(mask), in_group = (1u << k) - 1;
    s->group_log2 = k;
    s->stride = s->pitch = 0;
    unsigned before = f;
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
        unsigned lane = first_lane(left);
        if (lane >> k == before >> k) {
            if (!divide((int64_t)(addr[lane] - addr[before]), lane - before, &s->stride))
                return false;
            break;
        }
        before = lane;
    }
    uint32_t others = k < 5 ? mask & ~(((1u << (1u << k)) - 1) << (f & ~in_group)) : 0;
    if (others) {
        unsigned t = first_lane(others);
        uint64_t along = (uint64_t)s->stride * (t & in_group) - (uint64_t)s->stride * (f & in_group);
        int64_t apart = (int64_t)(addr[t] - addr[f] - along);
        if (!divide(apart, (int64_t)(t >> k) - (int64_t)(f >> k), &s->pitch))
            return false;
    }
    return shape_fits(s, mask, addr, base);
}

static bool shape_infer(struct shape *s, uint32_t mask, const uint64_t *addr, uint64_t *base)
{
    for (unsigned k = SHAPE_WHOLE_WARP; k > 0; k--)
        if (shape_infer_groups(s, k, mask, addr, base))
            return true;
    return false;
}

/* ---- gathers ---- */
static bool gather_moved(const struct model_gather *g, uint32_t mask, const uint64_t *addr, uint64_t *base)
{
    unsigned f = first_lane(mask);
    uint64_t by = addr[f] - g->addr[f];
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
        unsigned lane = first_lane(left);
        if (addr[lane] - g->addr[lane] != by)
            return false;
    }
    *base = g->base + by;
    return true;
}

/* Per-lane values to be packed, with what it takes to store them. */
struct pack {
    uint64_t value[TRACE_WARP_SIZE];
    uint64_t base, any; /* any: all values or-ed */
    unsigned shape;
};

/* Takes the lowest from all n values (the lowest as a signed number when `is_signed`); returns it. */
static uint64_t pack_from_lowest(struct pack *p, unsigned n, bool is_signed)
{
    const uint64_t bias = is_signed ? UINT64_C(1) << 63 : 0;
    uint64_t low = UINT64_MAX, any = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t v = p->value[i] ^ bias;
        low = v < low ? v : low;
    }
    low ^= bias;
    for (unsigned i = 0; i < n; i++)
        any |= p->value[i] -= low;
    p->any = any;
    return low;
}

static void pack_min(struct pack *p, const uint64_t *active, unsigned n)
{
    p->shape = SHAPE_PACK_MIN;
    memcpy(p->value, active, n * sizeof *active);
    p->base = pack_from_lowest(p, n, false);
}

static void pack_moves(struct pack *p, const uint64_t *active, unsigned n, uint32_t mask,
                       const struct model_gather *from)
{
    unsigned i = 0;
    p->shape = SHAPE_PACK_OWN;
    for (uint32_t left = mask; left; left &= left - 1, i++)
        p->value[i] = active[i] - from->addr[first_lane(left)];
    p->base = from->base + pack_from_lowest(p, n, true);
}

static void pack_steps(struct pack *p, const uint64_t *active, unsigned n)
{
    uint64_t any = 0;
    p->shape = SHAPE_PACK_LANE;
    p->base = active[0];
    for (unsigned i = 0; i + 1 < n; i++)
        any |= p->value[i] = zigzag((int64_t)(active[i + 1] - active[i]));
    p->any = any;
}

static unsigned pack_bits(const struct pack *p)
{
    return p->any ? 64 - (unsigned)__builtin_clzll(p->any) : 0;
}

static uint8_t *put_packed(uint8_t *p, const struct pack *k, unsigned n)
{
    unsigned shift = k->any ? (unsigned)__builtin_ctzll(k->any) : 0;
    shift = shift > 3 ? 3 : shift;
    unsigned bits = pack_bits(k) > shift ? pack_bits(k) - shift : 0;
    if (bits > PACK_MAX_BITS) {
        *p++ = PACK_RAW;
        for (unsigned i = 0; i < n; i++)
            for (int b = 0; b < 8; b++)
                *p++ = (uint8_t)(k->value[i] >> 8 * b);
        return p;
    }
    *p++ = (uint8_t)(shift << 6 | bits);
    uint64_t acc = 0;
    unsigned held = 0; /* bits in acc: below 8 before each value */
    for (unsigned i = 0; i < n; i++) {
        acc |= k->value[i] >> shift << held;
        held += bits;
        for (int b = 0; b < 8; b++)
            p[b] = (uint8_t)(acc >> 8 * b);
        p += held / 8;
        acc = held < 64 ? acc >> (held & ~7u) : 0;
        held %= 8;
    }
    if (held)
        *p++ = (uint8_t)acc;
    return p;
}

/* Chooses the narrowest of the ways to store an irregular access. */
static const struct pack *pack_best(struct pack way[3], const struct model_gather *own, uint32_t mem_index,
                                    uint32_t mask, const uint64_t *addr)
{
    const struct pack *best = &way[0];
    uint64_t active[TRACE_WARP_SIZE];
    unsigned n = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        active[n++] = addr[first_lane(left)];
    pack_min(&way[0], active, n);
    pack_steps(&way[1], active, n);
    if (pack_bits(&way[1]) < pack_bits(best))
        best = &way[1];
    if (model_gather_knows(own, mem_index, mask)) {
        pack_moves(&way[2], active, n, mask, own);
        if (pack_bits(&way[2]) < pack_bits(best))
            best = &way[2];
    }
    return best;
}

/* ---- records ---- */
static unsigned base_how(const struct model *m, const struct model_addr *a, unsigned space, uint64_t base)
{
    if (base == a->base + (uint64_t)(int64_t)a->step[0])
        return BASE_STEP0;
    if (base == a->base + (uint64_t)(int64_t)a->step[1])
        return BASE_STEP1;
    if (base == m->prev_base[space] + (uint64_t)a->near)
        return BASE_PREV;
    uint64_t own = zigzag((int64_t)(base - a->base)), near = zigzag((int64_t)(base - m->prev_base[space]));
    return own < near ? BASE_OWN : BASE_NEAR;
}

static uint8_t *put_base(uint8_t *p, const struct model *m, const struct model_addr *a, unsigned space, unsigned how,
                         uint64_t base)
{
    if (how == BASE_OWN)
        return put_varint(p, zigzag((int64_t)(base - a->base)));
    if (how == BASE_NEAR)
        return put_varint(p, zigzag((int64_t)(base - m->prev_base[space])));
    return p;
}

void stream_enc_mem(struct stream_enc *e, uint32_t pc, uint8_t space, uint32_t mask,
                    const uint64_t addr[TRACE_WARP_SIZE])
{
    struct model *m = &e->m;
    if (pc >= e->kernel->n_inst || !trace_has_addresses(&e->kernel->inst[pc]))
        BUG("address record for pc %u, which accesses no traced space", pc);
    if (!mask || space == TRACE_SP_NONE || space == TRACE_SP_GENERIC || space >= TRACE_SP_COUNT)
        BUG("address record for pc %u with mask %08x in space %u", pc, mask, space);
    const struct trace_inst *inst = &e->kernel->inst[pc];
    unsigned slot = inst->mem_index % MODEL_ADDRS;
    struct model_addr *a = &m->addr[slot];
    if (m->group_log2[slot] == SHAPE_UNSEEN)
        model_addr_first(m, slot, inst);

    VEC_RESERVE(&e->rec, e->rec.n + RECORD_MAX_BYTES);
    if (e->pending.n && e->pending.p[0].mask != mask)
        e->one_mask = false;
    VEC_PUSH(&e->pending, (struct pending){(uint32_t)e->rec.n, mask, space == TRACE_SP_ASYNC});
    uint8_t *token = e->rec.p + e->rec.n, *p = token + 1;
    *token = 0;
    uint8_t expected = inst->space == TRACE_SP_GENERIC ? m->space[slot] : inst->space;
    if (space != expected) {
        *token = REC_FLAGS;
        *p++ = (uint8_t)(FLAG_SPACE | space << 4);
    }
    m->space[slot] = space;

    uint64_t base;
    struct shape s = {a->stride, a->pitch, m->group_log2[slot]};
    struct model_gather *own = model_gather_of(m, inst->mem_index), *last = &m->gather[m->last_gather];
    unsigned shape;
    struct pack way[3];
    const struct pack *packed = NULL;
    if (shape_fits(&s, mask, addr, &base))
        shape = SHAPE_SAME;
    else if (model_gather_knows(own, inst->mem_index, mask) && gather_moved(own, mask, addr, &base))
        shape = SHAPE_GATHER_OWN;
    else if (shape_infer(&s, mask, addr, &base))
        shape = s.group_log2 == SHAPE_WHOLE_WARP ? SHAPE_LINE : SHAPE_GRID;
    else if (last->mask && !(mask & ~last->mask) && gather_moved(last, mask, addr, &base))
        shape = SHAPE_GATHER_LAST;
    else {
        packed = pack_best(way, own, inst->mem_index, mask, addr);
        shape = packed->shape;
        base = packed->base;
    }

    unsigned how = base_how(m, a, space, base);
    *token |= (uint8_t)(how | shape << 3);
    p = put_base(p, m, a, space, how, base);
    if (shape == SHAPE_LINE || shape == SHAPE_GRID) {
        if (shape == SHAPE_GRID)
            *p++ = (uint8_t)s.group_log2;
        p = put_varint(p, zigzag(s.stride));
        if (shape == SHAPE_GRID)
            p = put_varint(p, zigzag(s.pitch));
        a->stride = (int32_t)s.stride;
        a->pitch = (int32_t)s.pitch;
        m->group_log2[slot] = (uint8_t)s.group_log2;
    } else if (packed) {
        unsigned n = (unsigned)__builtin_popcount(mask);
        p = put_packed(p, packed, shape == SHAPE_PACK_LANE ? n - 1 : n);
    }
    if (shape >= SHAPE_GATHER_OWN)
        model_gather_seen(m, inst->mem_index, base, mask, addr);
    model_base_seen(m, a, space, how, base);
    e->rec.n = (size_t)(p - e->rec.p);
}

/* ---- runs ---- */

/* Copies the pending records to p, adding the mask to those whose lanes are not the run's. */
static uint8_t *put_records_with_masks(const struct stream_enc *e, uint8_t *p, uint32_t run_mask)
{
    for (size_t i = 0; i < e->pending.n; i++) {
        size_t at = e->pending.p[i].at, end = i + 1 < e->pending.n ? e->pending.p[i + 1].at : e->rec.n;
        const uint8_t *r = e->rec.p + at;
        uint32_t mask = e->pending.p[i].mask;
        if (mask & ~run_mask && !e->pending.p[i].numbers)
            BUG("a memory record's lanes %08x are not among its run's %08x", mask, run_mask);
        if (mask != run_mask) {
            bool flags = *r & REC_FLAGS;
            *p++ = (uint8_t)(r[0] | REC_FLAGS);
            *p++ = (uint8_t)((flags ? r[1] : 0) | FLAG_MASK);
            p = put_u32(p, mask);
            at += flags ? 2 : 1;
        }
        memcpy(p, e->rec.p + at, end - at);
        p += end - at;
    }
    return p;
}

static unsigned mask_how(const struct model *m, uint32_t predicted, uint32_t mask)
{
    if (mask == predicted)
        return MASK_PREDICTED;
    for (unsigned i = 0; i < MODEL_MASKS; i++)
        if (mask == m->recent[i])
            return MASK_RECENT0 + i;
    if (mask == (m->recent[1] & ~m->recent[0]))
        return MASK_ELSE;
    return mask && !(mask & (mask - 1)) ? MASK_ONE_LANE : MASK_EXPLICIT;
}

static void check_records(const struct stream_enc *e, uint32_t pc, uint32_t n, uint32_t mask)
{
    const struct trace_inst *inst = e->kernel->inst;
    size_t want = 0;
    if (mask)
        for (uint32_t i = 0; i < n; i++)
            want += trace_has_addresses(&inst[pc + i]);
    if (want != e->pending.n)
        BUG("run [%u, +%u) under %08x has %zu memory records instead of %zu", pc, n, mask, e->pending.n, want);
}

void stream_enc_run(struct stream_enc *e, uint32_t pc, uint32_t n, uint32_t mask)
{
    struct model *m = &e->m;
    if (!n || pc >= e->kernel->n_inst || n > e->kernel->n_inst - pc)
        BUG("run [%u, +%u) is outside the kernel's %u instructions", pc, n, e->kernel->n_inst);
    check_records(e, pc, n, mask);

    VEC_RESERVE(&e->out, e->out.n + 32 + e->rec.n + 8 * e->pending.n);
    uint8_t *head = e->out.p + e->out.n, *p = head + 1;
    struct model_run *way = model_ways(m);
    unsigned how, w = 2;
    uint32_t predicted = m->recent[0];
    if (way[0].pc == pc && way[0].n == n) {
        how = RUN_WAY0;
        w = 0;
        predicted = way[0].mask;
    } else if (way[1].pc == pc && way[1].n == n) {
        how = RUN_WAY1;
        w = 1;
        predicted = way[1].mask;
    } else {
        how = pc == m->end_pc ? RUN_NEXT : RUN_NEW;
        if (how == RUN_NEW)
            p = put_varint(p, zigzag((int64_t)pc - (int64_t)m->end_pc));
        p = put_varint(p, n);
    }
    unsigned mh = mask_how(m, predicted, mask);
    *head = (uint8_t)(RUN_HEAD | mh << 2 | how);
    if (mh == MASK_EXPLICIT)
        p = put_u32(p, mask);
    else if (mh == MASK_ONE_LANE)
        *p++ = (uint8_t)first_lane(mask);
    model_run_seen(m, way, w, (struct model_run){pc, n, mask});

    if (e->pending.n && (!e->one_mask || e->pending.p[0].mask != mask)) {
        p = put_records_with_masks(e, p, mask);
    } else if (e->rec.n) {
        memcpy(p, e->rec.p, e->rec.n);
        p += e->rec.n;
    }
    e->out.n = (size_t)(p - e->out.p);
    e->rec.n = e->pending.n = 0;
    e->one_mask = true;
}

size_t stream_enc_bytes(const struct stream_enc *e)
{
    return e->out.n;
}

void stream_enc_take(struct stream_enc *e, uint8_t **buf, size_t *len, size_t *cap)
{
    if (*len + e->out.n > *cap) {
        size_t want = *cap ? *cap : 1024;
        while (want < *len + e->out.n)
            want *= 2;
        *buf = xrealloc(*buf, want);
        *cap = want;
    }
    if (e->out.n)
        memcpy(*buf + *len, e->out.p, e->out.n);
    *len += e->out.n;
    e->out.n = 0;
}
