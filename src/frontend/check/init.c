/*
 * Reads of memory that was never written: a bit per byte of global, shared and local memory.
 *
 * Memory from cudaMalloc and a CTA's shared memory begin unwritten; managed and page-locked memory, which the host writes
 * unseen, and variables count as written. A load whose results are only stored (the copy of a structure with padding)
 * is no finding: the bytes that were undefined stay so where they are stored. Of local memory only the kernel's own
 * frame is looked at, because functions pass arguments in theirs.
 */
#include "check/state.h"

static uint64_t ones(uint32_t bytes)
{
    return bytes >= 64 ? ~0ull : (1ull << bytes) - 1;
}

/* The 64 bits that hold those of an access; NULL: not looked at. *at = the first of them. */
static uint64_t *bits_of(struct check *c, struct emu_warp_run *r, enum ptx_space space, unsigned lane, uint64_t addr,
                         uint32_t bytes, unsigned *at)
{
    struct ccta *a = ccta_of(r);
    *at = addr % 64;
    if (*at + bytes > 64)
        return NULL;
    switch (space) {
    case PTX_S_SHARED:
        if (addr + bytes > r->w.cta->smem_bytes)
            return NULL;
        return &c->home->smem[addr >> PAGE_BITS].init[addr % PAGE_BYTES / 64];
    case PTX_S_LOCAL: {
        const uint32_t frame = r->prog->func[0].frame_bytes, stride = (frame + 63) / 64;
        if (addr + bytes > frame)
            return NULL;
        struct cwarp *w = &a->warp[r->w.index];
        if (!w->local_init)
            w->local_init = xcalloc((size_t)stride * EMU_LANES, 8);
        return &w->local_init[(size_t)stride * lane + addr / 64];
    }
    case PTX_S_GLOBAL: {
        struct page *p = shadow_page(c, addr);
        return &p->init[addr % PAGE_BYTES / 64];
    }
    default:
        return NULL;
    }
}

static void found(struct check *c, struct emu_warp_run *r, const struct site *x, enum ptx_space space, unsigned lane,
                  uint64_t addr, uint32_t bytes, uint64_t missing)
{
    struct finding *f;
    if (!finding_new(c, UNINIT, site_line(x), space, 0, &f))
        return;
    f->space = (uint8_t)space;
    f->addr = addr;
    f->a = end_of(c->launch, x, x->kind == SITE_ATOMIC ? "atomic" : "read", r->w.cta->index,
                  r->w.index * EMU_LANES + lane);
    f->where = finding_where(c, (uint8_t)space, addr);
    const unsigned n = (unsigned)__builtin_popcountll(missing);
    f->text = n == bytes ? xasprintf("these %u bytes were never written", bytes)
                         : xasprintf("%u of these %u bytes were never written", n, bytes);
    f->advice = xasprintf(space == PTX_S_GLOBAL   ? "cudaMemset() or a kernel must write it first"
                          : space == PTX_S_SHARED ? "shared memory has no value until a thread of the CTA writes it"
                                                  : "give the variable a value where it is declared");
    finding_done(c, f);
}

static bool row_of(const struct emu_warp_run *r, const struct emu_opnd *o, uint32_t *row)
{
    *row = o->off / EMU_ROW_BYTES;
    return o->bank == EMU_BANK_REG && (o->lane == EMU_LANE_32 || o->lane == EMU_LANE_64) && r->frame->caller == NULL;
}

/* The undefined bytes of each register of a passing load. */
static void pass(struct emu_warp_run *r, const struct site *x, unsigned lane, uint64_t missing)
{
    struct cwarp *w = &ccta_of(r)->warp[r->w.index];
    const struct emu_inst *in = x->in;
    if (!missing && !w->any_undefined)
        return;
    if (!w->undefined) {
        w->n_undefined = r->prog->func[0].reg_bytes / EMU_ROW_BYTES;
        w->undefined = xcalloc(w->n_undefined + 1u, sizeof *w->undefined);
    }
    w->any_undefined = true;
    const uint32_t e = in->aux[EMU_AUX_BYTES];
    for (uint32_t k = 0; k < in->aux[EMU_AUX_VEC]; k++) {
        uint32_t row;
        if (row_of(r, &in->dst[k], &row))
            w->undefined[row][lane] = (uint8_t)(missing >> k * e & ones(e));
    }
}

/* The bits of all lanes' bytes, if these are adjacent in one page. NULL: they do not. */
static uint64_t *row_bits(struct check *c, struct emu_warp_run *r, enum ptx_space space, const uint64_t *addr,
                          uint32_t bytes, enum shape shape, uint32_t *n)
{
    *n = shape == SHAPE_SAME ? bytes : EMU_LANES * bytes;
    if (shape == SHAPE_OTHER || space == PTX_S_LOCAL || addr[0] % PAGE_BYTES + *n > PAGE_BYTES)
        return NULL;
    if (space == PTX_S_GLOBAL)
        return shadow_page(c, addr[0])->init;
    return space == PTX_S_SHARED && addr[0] + *n <= r->w.cta->smem_bytes ? c->home->smem[addr[0] >> PAGE_BITS].init
                                                                         : NULL;
}

static bool all_written(struct check *c, struct emu_warp_run *r, enum ptx_space space, const uint64_t *addr,
                        uint32_t bytes, enum shape shape)
{
    uint32_t n;
    const uint64_t *bits = row_bits(c, r, space, addr, bytes, shape, &n);
    if (!bits)
        return false;
    uint64_t missing = 0;
    for (uint32_t at = addr[0] % PAGE_BYTES, end = at + n; at < end;) {
        const uint32_t to = (at / 64 + 1) * 64 < end ? (at / 64 + 1) * 64 : end;
        missing |= ~(bits[at / 64] >> at % 64) & ones(to - at);
        at = to;
    }
    return !missing;
}

void init_read(struct check *c, struct emu_warp_run *r, const struct site *x, uint32_t mask, enum ptx_space space,
               const uint64_t *addr, uint32_t bytes, enum shape shape)
{
    const bool passes = x->passes && r->frame->caller == NULL;
    const struct cwarp *w = &ccta_of(r)->warp[r->w.index];
    if (!(passes && w->any_undefined) && all_written(c, r, space, addr, bytes, shape))
        return;
    uint64_t *last = NULL, last_word = ~0ull;
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        unsigned at = addr[l] % 64;
        if (space == PTX_S_LOCAL || addr[l] / 64 != last_word) {
            last = bits_of(c, r, space, l, addr[l], bytes, &at);
            last_word = last ? addr[l] / 64 : ~0ull;
        }
        if (!last)
            continue;
        if (*last == ~0ull && !(passes && w->any_undefined))
            continue;
        const uint64_t missing = ~(*last >> at) & ones(bytes);
        if (passes)
            pass(r, x, l, missing);
        else if (missing)
            found(c, r, x, space, l, addr[l], bytes, missing);
    }
}

/* ---- the asynchronous proxy ---- */

static uint64_t *word_at(struct check *c, struct ccta *a, uint64_t at)
{
    return &(a ? &a->smem[at / PAGE_BYTES] : shadow_page(c, at))->init[at % PAGE_BYTES / 64];
}

bool init_whole(const struct ccta *a, uint32_t lo, uint32_t hi)
{
    for (uint32_t at = lo; at < hi; at += 64)
        if (~a->smem[at / PAGE_BYTES].init[at % PAGE_BYTES / 64] & ones(hi - at))
            return false;
    return true;
}

bool init_async(struct check *c, struct ccta *a, uint64_t at, uint32_t bytes, bool set)
{
    bool undefined = false;
    for (const uint64_t end = at + bytes; at < end;) {
        const uint64_t next = (at / 64 + 1) * 64, to = next < end ? next : end;
        const uint64_t mask = ones((uint32_t)(to - at)) << at % 64;
        uint64_t *word = word_at(c, a, at);
        undefined |= ~*word & mask;
        *word |= set ? mask : 0;
        at = to;
    }
    return undefined;
}

void init_async_found(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, struct ccta *a,
                      uint64_t at, uint32_t bytes)
{
    for (uint64_t b = at; b < at + bytes; b++)
        if (!(*word_at(c, a, b) >> b % 64 & 1)) {
            found(c, r, x, a ? PTX_S_SHARED : PTX_S_GLOBAL, lane, b, 1, 1);
            return;
        }
}

void init_define(struct check *c, struct ccta *to_cta, uint64_t to, struct ccta *from_cta, uint64_t from,
                 uint32_t bytes)
{
    c->undefinings++;
    if (to_cta)
        to_cta->full = 0;
    for (uint32_t k = 0; k < bytes; k++) {
        if (!((to + k) % 64) && !((from + k) % 64) && bytes - k >= 64) {
            *word_at(c, to_cta, to + k) = *word_at(c, from_cta, from + k);
            k += 63;
            continue;
        }
        uint64_t *word = word_at(c, to_cta, to + k);
        const uint64_t bit = 1ull << (to + k) % 64;
        *word = *word_at(c, from_cta, from + k) >> (from + k) % 64 & 1 ? *word | bit : *word & ~bit;
    }
}

void init_write(struct check *c, struct emu_warp_run *r, const struct site *x, uint32_t mask, enum ptx_space space,
                const uint64_t *addr, uint32_t bytes, enum shape shape)
{
    const struct cwarp *w = &ccta_of(r)->warp[r->w.index];
    const bool passes = x->passes && w->any_undefined && r->frame->caller == NULL;
    uint32_t n;
    uint64_t *whole = passes ? NULL : row_bits(c, r, space, addr, bytes, shape, &n);
    if (whole) {
        for (uint32_t at = addr[0] % PAGE_BYTES, end = at + n; at < end;) {
            const uint32_t to = (at / 64 + 1) * 64 < end ? (at / 64 + 1) * 64 : end;
            whole[at / 64] |= ones(to - at) << at % 64;
            at = to;
        }
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        unsigned at;
        uint64_t *word = bits_of(c, r, space, l, addr[l], bytes, &at);
        if (!word)
            continue;
        uint64_t undefined = 0;
        if (passes) {
            const uint32_t e = x->in->aux[EMU_AUX_BYTES];
            for (uint32_t k = 0; k < x->in->aux[EMU_AUX_VEC]; k++) {
                uint32_t row;
                if (row_of(r, &x->in->src[1 + k], &row) && row < w->n_undefined)
                    undefined |= (w->undefined[row][l] & ones(e)) << k * e;
            }
        }
        c->undefinings += undefined != 0;
        if (undefined && space == PTX_S_SHARED)
            c->home->full = 0;
        *word = (*word | ones(bytes) << at) & ~(undefined << at);
    }
}
