/*
 * Decoder of one warp's stream: the mirror of stream_enc.c, safe on any bytes.
 *
 * A run's head is read when the run before is used up, a record when its instruction is reached. Every read is
 * checked against the end of the piece; what a head or record says is checked against the kernel's table, so a step
 * that is returned always names an instruction that exists.
 */
#include "trace/stream.h"

#include "base/err.h"
#include "base/inline.h"
#include "trace/bytes.h"
#include "trace/model.h"

#include <endian.h>

struct stream_dec {
    const uint8_t *p, *end;
    const struct trace_kernel *kernel;
    uint32_t pc, left, mask; /* of the current run */
    bool corrupt;
    struct model m;
};

size_t stream_dec_bytes(void)
{
    return sizeof(struct stream_dec);
}

void stream_dec_begin(struct stream_dec *d, const struct trace_kernel *k)
{
    d->p = d->end = NULL;
    d->kernel = k;
    d->pc = d->left = d->mask = 0;
    d->corrupt = false;
    model_reset(&d->m);
}

void stream_dec_feed(struct stream_dec *d, const uint8_t *bytes, size_t n)
{
    if (!d->corrupt && (d->p != d->end || d->left))
        BUG("a stream's next piece arrived before the previous one was consumed");
    d->p = bytes;
    d->end = n ? bytes + n : bytes;
}

static inline bool get_varint(struct stream_dec *d, uint64_t *v)
{
    uint64_t out = 0;
    for (unsigned shift = 0; shift < 64 && d->p < d->end; shift += 7) {
        uint8_t b = *d->p++;
        if (shift == 63 && b > 1)
            return false;
        out |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            *v = out;
            return true;
        }
    }
    return false;
}

static inline bool get_signed(struct stream_dec *d, int64_t *v)
{
    uint64_t u;
    if (!get_varint(d, &u))
        return false;
    *v = unzigzag(u);
    return true;
}

static inline bool get_u32(struct stream_dec *d, uint32_t *v)
{
    if (d->end - d->p < 4)
        return false;
    *v = (uint32_t)d->p[0] | (uint32_t)d->p[1] << 8 | (uint32_t)d->p[2] << 16 | (uint32_t)d->p[3] << 24;
    d->p += 4;
    return true;
}

/* ---- runs ---- */
static bool get_mask(struct stream_dec *d, unsigned how, uint32_t predicted, uint32_t *mask)
{
    const struct model *m = &d->m;
    switch (how) {
    case MASK_PREDICTED:
        *mask = predicted;
        return true;
    case MASK_ELSE:
        *mask = m->recent[1] & ~m->recent[0];
        return true;
    case MASK_EXPLICIT:
        return get_u32(d, mask);
    case MASK_ONE_LANE:
        if (d->p == d->end || *d->p >= TRACE_WARP_SIZE)
            return false;
        *mask = 1u << *d->p++;
        return true;
    default:
        *mask = m->recent[how - MASK_RECENT0];
        return true;
    }
}

static bool get_run(struct stream_dec *d)
{
    struct model *m = &d->m;
    uint8_t head = *d->p++;
    if ((head & 0xe0) != RUN_HEAD)
        return false;
    struct model_run *way = model_ways(m), r;
    unsigned how = head & 3, w = 2;
    uint32_t predicted = m->recent[0];
    if (how <= RUN_WAY1) {
        w = how;
        r = way[w];
        predicted = r.mask;
    } else {
        int64_t pc = 0;
        uint64_t n;
        if (how == RUN_NEW && !get_signed(d, &pc))
            return false;
        if (pc < INT32_MIN || pc > UINT32_MAX || !get_varint(d, &n) || n > UINT32_MAX)
            return false;
        pc += m->end_pc;
        if (pc < 0 || pc > UINT32_MAX)
            return false;
        r.pc = (uint32_t)pc;
        r.n = (uint32_t)n;
    }
    if (!r.n || r.pc >= d->kernel->n_inst || r.n > d->kernel->n_inst - r.pc)
        return false;
    if (!get_mask(d, head >> 2 & 7, predicted, &r.mask))
        return false;
    model_run_seen(m, way, w, r);
    d->pc = r.pc;
    d->left = r.n;
    d->mask = r.mask;
    return true;
}

/* ---- records ---- */
static bool get_base(struct stream_dec *d, const struct model_addr *a, unsigned space, unsigned how, uint64_t *base)
{
    int64_t by;
    switch (how) {
    case BASE_STEP0:
    case BASE_STEP1:
        *base = a->base + (uint64_t)(int64_t)a->step[how - BASE_STEP0];
        return true;
    case BASE_PREV:
        *base = d->m.prev_base[space] + (uint64_t)a->near;
        return true;
    case BASE_OWN:
        if (!get_signed(d, &by))
            return false;
        *base = a->base + (uint64_t)by;
        return true;
    case BASE_NEAR:
        if (!get_signed(d, &by))
            return false;
        *base = d->m.prev_base[space] + (uint64_t)by;
        return true;
    default:
        return false;
    }
}

/* Reads n packed values. */
static bool get_packed(struct stream_dec *d, unsigned n, uint64_t value[TRACE_WARP_SIZE])
{
    if (d->p == d->end)
        return false;
    uint8_t head = *d->p++;
    unsigned bits = head & 63, shift = head >> 6;
    bool raw = bits == PACK_RAW;
    if (raw ? shift != 0 : bits > 56)
        return false;
    bits = raw ? 64 : bits;
    size_t bytes = ((size_t)n * bits + 7) / 8;
    if ((size_t)(d->end - d->p) < bytes)
        return false;
    uint8_t room[TRACE_WARP_SIZE * 8 + 8];
    memcpy(room, d->p, bytes);
    memset(room + bytes, 0, 8);
    d->p += bytes;
    uint64_t keep = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (unsigned i = 0; i < n; i++) {
        size_t at = (size_t)i * bits;
        uint64_t v;
        memcpy(&v, room + at / 8, 8);
        v = le64toh(v);
        value[i] = (v >> at % 8 & keep) << shift;
    }
    return true;
}

static bool get_new_shape(struct stream_dec *d, unsigned slot, unsigned shape)
{
    struct model *m = &d->m;
    int64_t stride, pitch = 0;
    uint8_t group_log2 = SHAPE_WHOLE_WARP;
    if (shape == SHAPE_GRID) {
        if (d->p == d->end)
            return false;
        group_log2 = *d->p++;
        if (group_log2 < 1 || group_log2 > 4)
            return false;
    }
    if (!get_signed(d, &stride) || (shape == SHAPE_GRID && !get_signed(d, &pitch)))
        return false;
    if (!fits_i32(stride) || !fits_i32(pitch))
        return false;
    m->group_log2[slot] = group_log2;
    m->addr[slot].stride = (int32_t)stride;
    m->addr[slot].pitch = (int32_t)pitch;
    return true;
}

static void fill_shape(const struct model *m, unsigned slot, uint64_t base, struct stream_mem *mem, bool addresses)
{
    const struct model_addr *a = &m->addr[slot];
    unsigned k = m->group_log2[slot];
    mem->affine = k == SHAPE_WHOLE_WARP;
    mem->group = mem->affine ? TRACE_WARP_SIZE : (uint8_t)(1u << k);
    mem->base = base;
    mem->stride = a->stride;
    mem->pitch = a->pitch;
    if (!addresses)
        return;
    uint64_t stride = (uint64_t)(int64_t)a->stride, pitch = (uint64_t)(int64_t)a->pitch;
    if (mem->affine)
        line_fill(mem->addr, base, stride);
    else
        grid_fill(mem->addr, base, stride, pitch, k);
}

static bool fill_gather(struct stream_dec *d, uint32_t mem_index, unsigned shape, uint64_t base, struct stream_mem *mem)
{
    struct model *m = &d->m;
    const struct model_gather *g =
        shape == SHAPE_GATHER_LAST ? &m->gather[m->last_gather] : model_gather_of(m, mem_index);
    bool from_own = shape == SHAPE_GATHER_OWN || shape == SHAPE_PACK_OWN;
    if (from_own && !model_gather_knows(g, mem_index, mem->mask))
        return false;
    if (shape == SHAPE_GATHER_LAST && (!g->mask || (mem->mask & ~g->mask)))
        return false;
    unsigned n = (unsigned)__builtin_popcount(mem->mask);
    uint64_t value[TRACE_WARP_SIZE];
    memset(value, 0, sizeof value);
    if (shape >= SHAPE_PACK_MIN && !get_packed(d, shape == SHAPE_PACK_LANE ? n - 1 : n, value))
        return false;
    mem->affine = mem->group = 0;
    mem->base = base;
    mem->stride = 0;
    uint64_t moved = base - g->base, at = base;
    unsigned i = 0;
    for (uint32_t left = mem->mask; left; left &= left - 1, i++) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (shape == SHAPE_PACK_MIN)
            mem->addr[lane] = base + value[i];
        else if (shape == SHAPE_PACK_LANE)
            mem->addr[lane] = at += i ? (uint64_t)unzigzag(value[i - 1]) : 0;
        else
            mem->addr[lane] = g->addr[lane] + moved + value[i];
    }
    model_gather_seen(m, mem_index, base, mem->mask, mem->addr);
    return true;
}

/* Whether a GPU could make this copy: so that no record of a few bytes is work without end. */
static bool copy_is_possible(const struct stream_mem *mem)
{
    uint64_t number[STREAM_COPY_WORDS], rows = 1;
    stream_copy_numbers(mem, number);
    for (unsigned k = 0; k < STREAM_COPY_DIMS; k++) {
        const uint64_t n = number[STREAM_COPY_BOX + 2 * k];
        if (n > STREAM_COPY_ROWS_MOST / rows)
            return false;
        rows *= n ? n : 1;
    }
    return number[STREAM_COPY_ROW] <= STREAM_COPY_BYTES_MOST / rows;
}

static inline bool get_record(struct stream_dec *d, const struct trace_inst *inst, struct stream_mem *mem, bool by_rule)
{
    struct model *m = &d->m;
    unsigned slot = inst->mem_index % MODEL_ADDRS;
    struct model_addr *a = &m->addr[slot];
    if (m->group_log2[slot] == SHAPE_UNSEEN)
        model_addr_first(m, slot, inst);
    if (d->p == d->end)
        return false;
    uint8_t token = *d->p++;
    if (token & RUN_HEAD)
        return false;
    mem->mask = d->mask;
    mem->space = inst->space == TRACE_SP_GENERIC ? m->space[slot] : inst->space;
    if (token & REC_FLAGS) {
        if (d->p == d->end)
            return false;
        uint8_t flags = *d->p++;
        if ((flags & 0x8c) || !(flags & (FLAG_SPACE | FLAG_MASK)) || (!(flags & FLAG_SPACE) && flags >> 4))
            return false;
        if (flags & FLAG_SPACE)
            mem->space = flags >> 4;
        if ((flags & FLAG_MASK) &&
            (!get_u32(d, &mem->mask) || !mem->mask || (mem->space != TRACE_SP_ASYNC && mem->mask & ~d->mask)))
            return false;
    }
    if (mem->space == TRACE_SP_NONE || mem->space == TRACE_SP_GENERIC || mem->space >= TRACE_SP_COUNT)
        return false;
    m->space[slot] = mem->space;

    unsigned how = token & 7, shape = token >> 3 & 7;
    uint64_t base;
    if (!get_base(d, a, mem->space, how, &base))
        return false;
    if (shape <= SHAPE_GRID) {
        if (shape != SHAPE_SAME && !get_new_shape(d, slot, shape))
            return false;
        fill_shape(m, slot, base, mem, !by_rule || mem->space != TRACE_SP_GLOBAL);
    } else if (!fill_gather(d, inst->mem_index, shape, base, mem)) {
        return false;
    }
    model_base_seen(m, a, mem->space, how, base);
    if (inst->cls == TRACE_BARRIER)
        return mem->mask == 1 && (mem->addr[0] & 0xff) < STREAM_BARRIERS && mem->addr[0] >> 8 <= TRACE_WARP_SIZE;
    return inst->cls != TRACE_ASYNC || copy_is_possible(mem);
}

/* Makes sure that there is a present run; returns as stream_dec_next. */
static inline int need_run(struct stream_dec *d)
{
    if (d->left)
        return 1;
    if (d->corrupt)
        return -1;
    if (d->p == d->end)
        return 0;
    if (get_run(d))
        return 1;
    d->corrupt = true;
    d->left = 0;
    return -1;
}

int stream_dec_run(struct stream_dec *d, struct stream_run *r)
{
    int got = need_run(d);
    if (got == 1)
        *r = (struct stream_run){.pc = d->pc, .left = d->left, .mask = d->mask};
    return got;
}

void stream_dec_skip(struct stream_dec *d, uint32_t n)
{
    if (n > d->left)
        BUG("%u instructions taken of a run that has %u", n, d->left);
    d->pc += n;
    d->left -= n;
}

ALWAYS_INLINE int next(struct stream_dec *d, struct stream_step *step, struct stream_mem *mem, bool by_rule)
{
    int got = need_run(d);
    if (got != 1)
        return got;
    const struct trace_inst *inst = &d->kernel->inst[d->pc];
    step->pc = d->pc;
    step->mask = d->mask;
    if (trace_has_addresses(inst) && d->mask) {
        if (!get_record(d, inst, mem, by_rule))
            goto corrupt;
    } else {
        mem->mask = 0;
    }
    d->pc++;
    d->left--;
    return 1;
corrupt:
    d->corrupt = true;
    d->left = 0;
    return -1;
}

int stream_dec_next(struct stream_dec *d, struct stream_step *step, struct stream_mem *mem)
{
    return next(d, step, mem, false);
}

int stream_dec_next_rule(struct stream_dec *d, struct stream_step *step, struct stream_mem *mem)
{
    return next(d, step, mem, true);
}
