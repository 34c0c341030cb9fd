/*
 * Loads and stores: the fast paths. Compiled once per instruction set, like the operations.
 *
 * A handler computes 32 addresses, checks them all with a few vector instructions against one range (the allocation
 * this instruction used last; shared memory; the constant bank; the thread's frame), and moves the data: by one copy
 * when the lanes are neighbors, by a broadcast when they all read the same place, else lane by lane. What the range
 * does not cover goes the careful way (emu_resolve_lanes), which finds the right allocation, or the fault. Stores of
 * lanes to the same place take effect in lane order.
 */
#include "base/inline.h"
#include "emu/exec_mem.h"
#include "emu/op_lane.h"

ALWAYS_INLINE void lane_addresses(const struct emu_warp *w, const struct emu_inst *in, u64 *restrict a)
{
    const struct emu_opnd *o = &in->src[0];
    u64 off = in->imm;
    if (o->lane == EMU_LANE_64) {
        const u64 *row = emu_src(w, o);
        EMU_EACH_LANE
        a[l] = row[l] + off;
    } else {
        const u32 *row = emu_src(w, o); /* the sum wraps like the register */
        EMU_EACH_LANE
        a[l] = (u32)(row[l] + (u32)off);
    }
}

/* Inactive lanes take the first active one's address, so that all 32 can be treated alike. */
ALWAYS_INLINE void fill_inactive(u64 *a, u32 mask)
{
    u64 first = a[__builtin_ctz(mask)];
    EMU_EACH_LANE
    {
        u64 m = (u64)(s64)(mask & emu_bit[l] ? -1 : 0);
        a[l] = (a[l] & m) | (first & ~m);
    }
}

/* Do all lanes access [lo, hi), aligned? Differences instead of compares: their sign bits tell. */
ALWAYS_INLINE bool all_inside(const u64 *a, u64 lo, u64 hi, u64 bytes)
{
    u64 bad = 0, low = 0, last = hi - bytes;
    EMU_EACH_LANE
    {
        bad |= (a[l] - lo) | (last - a[l]);
        low |= a[l];
    }
    return !(bad >> 63) && !(low & (bytes - 1));
}

ALWAYS_INLINE bool neighbors(const u64 *a, u64 stride)
{
    if (a[31] - a[0] != 31 * stride)
        return false;
    u64 bad = 0, first = a[0];
    EMU_EACH_LANE
    bad |= a[l] ^ (first + (u64)l * stride);
    return bad == 0;
}

ALWAYS_INLINE void record(struct emu_warp_run *r, const struct emu_inst *in, enum trace_space space, u32 mask,
                          const u64 *a)
{
    if (__builtin_expect(r->enc != NULL, 0))
        stream_enc_mem(r->enc, emu_pc_of(r, in), space, mask, a);
}

/*
 * Turns addresses into host addresses minus *base. On return all 32 entries of a[] are valid. False: fault raised.
 * `bytes` is the whole access of a lane and its alignment.
 */
ALWAYS_INLINE bool resolve(struct emu_warp_run *r, const struct emu_inst *in, u32 mask, enum ptx_space space, u64 *a,
                           u64 bytes, u64 *base)
{
    if (mask != EMU_ALL_LANES)
        fill_inactive(a, mask);
    if (space == PTX_S_GLOBAL || space == PTX_S_GENERIC) {
        const struct emu_range *c = &r->cache[in->target];
        *base = 0;
        if (__builtin_expect(all_inside(a, c->lo, c->hi, bytes), 1) ||
            (emu_range_refill(r, in, a[0]) && all_inside(a, c->lo, c->hi, bytes))) {
            record(r, in, TRACE_SP_GLOBAL, mask, a);
            return true;
        }
    }
    if (space == PTX_S_SHARED || space == PTX_S_GENERIC) {
        const struct emu_cta *cta = r->w.cta;
        u64 window = (space == PTX_S_GENERIC ? EMU_SHARED_WINDOW : 0) + cta->smem_base;
        if (__builtin_expect(all_inside(a, window, window + cta->smem_bytes, bytes), 1)) {
            if (window && __builtin_expect(r->enc != NULL, 0)) {
                EMU_EACH_LANE
                a[l] -= window;
                window = 0;
            }
            record(r, in, TRACE_SP_SHARED, mask, a);
            *base = (u64)(uintptr_t)cta->smem - window;
            return true;
        }
    }
    if (space == PTX_S_CONST) {
        const struct emu_module *u = r->prog->kernel->unit;
        if (__builtin_expect(all_inside(a, 0, u->const_bytes, bytes), 1)) {
            record(r, in, TRACE_SP_CONST, mask, a);
            *base = u->const_addr;
            return true;
        }
    }
    if (space == PTX_S_LOCAL || space == PTX_S_GENERIC) {
        u64 window = space == PTX_S_GENERIC ? EMU_LOCAL_WINDOW : 0;
        if (space == PTX_S_LOCAL && in->aux[EMU_AUX_FLAGS] & EMU_AUXF_FRAME) {
            EMU_EACH_LANE
            a[l] += r->frame->local_base;
        }
        if (__builtin_expect(all_inside(a, window, window + r->frame->local_top, bytes), 1)) {
            if (__builtin_expect(r->enc != NULL, 0)) {
                EMU_EACH_LANE
                a[l] -= window;
                window = 0;
                record(r, in, TRACE_SP_LOCAL, mask, a);
            }
            /* An inactive lane reads its own copy of what the first one reads: valid too. */
            u64 stride = r->local_stride;
            EMU_EACH_LANE
            a[l] += (u64)l * stride;
            *base = (u64)(uintptr_t)r->local - window;
            return true;
        }
    }
    *base = 0;
    if (space == PTX_S_SHARED) /* or .shared::cluster */
        space = in->aux[EMU_AUX_SPACE];
    return emu_resolve_lanes(r, in, mask, space, a, (uint32_t)bytes, (uint32_t)bytes, true);
}

/* ---- moving data ---- */

/*
 * Eight lanes at a time: neighbors are one copy, the same place a broadcast. Tiles narrower than a warp look like
 * that.
 */
ALWAYS_INLINE void load4_eight(u32 *t, u64 base, const u64 *a)
{
    u64 span = a[7] - a[0], apart = 0;
    const char *at = (const char *)(uintptr_t)(base + a[0]);
    if (span == 7 * 4) {
        for (int l = 0; l < 8; l++)
            apart |= a[l] ^ (a[0] + 4 * (u64)l);
        if (!apart) {
            memcpy(t, at, 32);
            return;
        }
    } else if (span == 0) {
        for (int l = 0; l < 8; l++)
            apart |= a[l] ^ a[0];
        if (!apart) {
            u32 v;
            memcpy(&v, at, 4);
            for (int l = 0; l < 8; l++)
                t[l] = v;
            return;
        }
    }
    for (int l = 0; l < 8; l++)
        memcpy(&t[l], (const void *)(uintptr_t)(base + a[l]), 4);
}

ALWAYS_INLINE void load4(u32 *dst, u64 base, const u64 *a, u32 mask)
{
    _Alignas(64) u32 t[EMU_LANES];
    u32 *to = mask == EMU_ALL_LANES ? dst : t;
    if (mask == EMU_ALL_LANES && neighbors(a, 4)) {
        memcpy(dst, (const void *)(uintptr_t)(base + a[0]), sizeof t);
        return;
    }
    if (neighbors(a, 0)) {
        u32 v;
        memcpy(&v, (const void *)(uintptr_t)(base + a[0]), 4);
        EMU_EACH_LANE
        t[l] = v;
        emu_store_row(dst, t, mask, 4);
        return;
    }
    for (int l = 0; l < EMU_LANES; l += 8)
        load4_eight(to + l, base, a + l);
    if (mask != EMU_ALL_LANES)
        emu_blend4(dst, t, mask);
}

ALWAYS_INLINE void load8(u64 *dst, u64 base, const u64 *a, u32 mask, bool unit)
{
    u64 t[EMU_LANES];
    if (unit && mask == EMU_ALL_LANES) {
        memcpy(dst, (const void *)(uintptr_t)(base + a[0]), sizeof t);
        return;
    }
    for (int l = 0; l < EMU_LANES; l++)
        memcpy(&t[l], (const void *)(uintptr_t)(base + a[l]), 8);
    emu_store_row(dst, t, mask, 8);
}

/* One element of any width into a register of any width. */
static void load_any(struct emu_warp *w, const struct emu_inst *in, const struct emu_opnd *o, u64 base, const u64 *a,
                     u32 mask)
{
    unsigned bytes = in->aux[EMU_AUX_BYTES];
    bool sign = in->aux[EMU_AUX_FLAGS] & EMU_AUXF_SIGNED;
    unsigned reg_bytes = ptx_type_bytes(o->type);
    char *dst = emu_dst(w, o);
    if (o->lane == EMU_LANE_128) {
        for (u32 m = mask; m; m &= m - 1) {
            int l = __builtin_ctz(m);
            memset(dst + 16 * l, 0, 16);
            memcpy(dst + 16 * l, (const void *)(uintptr_t)(base + a[l]), bytes);
        }
        return;
    }
    u64 t[EMU_LANES];
    EMU_EACH_LANE
    t[l] = 0;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        memcpy(&t[l], (const void *)(uintptr_t)(base + a[l]), bytes);
    }
    unsigned spare = 64 - 8 * bytes;
    if (sign && spare) {
        EMU_EACH_LANE
        t[l] = (u64)((s64)(t[l] << spare) >> spare);
    }
    if (o->lane == EMU_LANE_64) {
        emu_store_row(dst, t, mask, 8);
        return;
    }
    u32 keep = reg_bytes == 1 ? 0xffu : reg_bytes == 2 ? 0xffffu : ~0u; /* narrow registers stay zero-extended */
    u32 n[EMU_LANES];
    EMU_EACH_LANE
    n[l] = (u32)t[l] & keep;
    emu_store_row(dst, n, mask, 4);
}

/* bytes == 0: any shape, read from aux; else every register's lane is `bytes` wide. */
ALWAYS_INLINE void do_load(struct emu_warp *w, const struct emu_inst *in, u32 mask, enum ptx_space space,
                           unsigned bytes, unsigned vec)
{
    struct emu_warp_run *r = emu_run_of(w);
    _Alignas(64) u64 a[EMU_LANES];
    u64 base;
    unsigned e = bytes ? bytes : in->aux[EMU_AUX_BYTES], v = bytes ? vec : in->aux[EMU_AUX_VEC];
    lane_addresses(w, in, a);
    if (!resolve(r, in, mask, space, a, e * v, &base))
        return;
    if (bytes && vec == 1) {
        if (bytes == 4)
            load4(emu_dst(w, &in->dst[0]), base, a, mask);
        else
            load8(emu_dst(w, &in->dst[0]), base, a, mask, mask == EMU_ALL_LANES && neighbors(a, bytes));
        return;
    }
    for (unsigned k = 0; k < v; k++, base += e) {
        const struct emu_opnd *o = &in->dst[k];
        if (o->lane == EMU_LANE_NONE)
            continue;
        if (bytes == 4)
            load4(emu_dst(w, o), base, a, mask);
        else if (bytes == 8)
            load8(emu_dst(w, o), base, a, mask, false);
        else
            load_any(w, in, o, base, a, mask);
    }
}

ALWAYS_INLINE void store4(const u32 *src, u64 base, const u64 *a, u32 mask)
{
    if (mask == EMU_ALL_LANES)
        for (int l = 0; l < EMU_LANES; l++)
            memcpy((void *)(uintptr_t)(base + a[l]), &src[l], 4);
    else
        for (u32 m = mask; m; m &= m - 1) {
            int l = __builtin_ctz(m);
            memcpy((void *)(uintptr_t)(base + a[l]), &src[l], 4);
        }
}

ALWAYS_INLINE void store8(const u64 *src, u64 base, const u64 *a, u32 mask)
{
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        memcpy((void *)(uintptr_t)(base + a[l]), &src[l], 8);
    }
}

ALWAYS_INLINE void do_store(struct emu_warp *w, const struct emu_inst *in, u32 mask, enum ptx_space space,
                            unsigned bytes, unsigned vec)
{
    struct emu_warp_run *r = emu_run_of(w);
    _Alignas(64) u64 a[EMU_LANES];
    u64 base;
    unsigned e = bytes ? bytes : in->aux[EMU_AUX_BYTES], v = bytes ? vec : in->aux[EMU_AUX_VEC];
    lane_addresses(w, in, a);
    if (!resolve(r, in, mask, space, a, e * v, &base))
        return;
    if (bytes && vec == 1 && mask == EMU_ALL_LANES && neighbors(a, bytes)) {
        memcpy((void *)(uintptr_t)(base + a[0]), emu_src(w, &in->src[1]), (size_t)EMU_LANES * bytes);
        return;
    }
    for (unsigned k = 0; k < v; k++, base += e) {
        const struct emu_opnd *o = &in->src[1 + k];
        const char *src = emu_src(w, o);
        if (bytes == 4)
            store4((const u32 *)src, base, a, mask);
        else if (bytes == 8)
            store8((const u64 *)src, base, a, mask);
        else
            for (u32 m = mask; m; m &= m - 1) {
                int l = __builtin_ctz(m);
                memcpy((void *)(uintptr_t)(base + a[l]), src + l * o->lane, e);
            }
    }
}

/* ---- the handlers: space x shape ---- */

#define SHAPES(X, space, S)                                                                                            \
    X(space, S, any, 0, 0)                                                                                             \
    X(space, S, b32, 4, 1)                                                                                             \
    X(space, S, b64, 8, 1)                                                                                             \
    X(space, S, v2b32, 4, 2)                                                                                           \
    X(space, S, v4b32, 4, 4)                                                                                           \
    X(space, S, v2b64, 8, 2)
#define SPACES(X)                                                                                                      \
    SHAPES(X, global, PTX_S_GLOBAL)                                                                                    \
    SHAPES(X, shared, PTX_S_SHARED)                                                                                    \
    SHAPES(X, generic, PTX_S_GENERIC)                                                                                  \
    SHAPES(X, local, PTX_S_LOCAL)                                                                                      \
    SHAPES(X, const, PTX_S_CONST)

#define DEFINE(space, S, shape, bytes, vec)                                                                            \
    static void ld_##space##_##shape(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)                     \
    {                                                                                                                  \
        do_load(w, in, mask, S, bytes, vec);                                                                           \
    }                                                                                                                  \
    static void st_##space##_##shape(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)                     \
    {                                                                                                                  \
        do_store(w, in, mask, S, bytes, vec);                                                                          \
    }
SPACES(DEFINE)

static const struct {
    uint8_t space, bytes, vec;
    emu_op_fn *load, *store;
} handler[] = {
#define ROW(space, S, shape, bytes, vec) {S, bytes, vec, ld_##space##_##shape, st_##space##_##shape},
    SPACES(ROW)
#undef ROW
};

emu_op_fn *EMU_VARIANT(emu_ldst_select)(const struct emu_mem_form *f)
{
    emu_op_fn *any = NULL;
    for (unsigned i = 0; i < sizeof handler / sizeof *handler; i++) {
        if (handler[i].space != f->space)
            continue;
        emu_op_fn *fn = f->store ? handler[i].store : handler[i].load;
        if (handler[i].bytes == 0)
            any = fn;
        else if (f->plain && handler[i].bytes == f->bytes && handler[i].vec == f->vec)
            return fn;
    }
    return any;
}
