/*
 * Copies of the asynchronous proxy: bulk and tensor copies (the TMA), asynchronous stores and reductions to other CTAs,
 * and changes of tensor maps. Source: PTX ISA 9.1, 9.7.9.25 to 9.7.9.28.
 *
 * A copy is done when it is issued, by each lane for itself, and counts its bytes at its mbarrier at once; groups of
 * copies have nothing to wait for. What programs must not rely on, that a copy takes time, is left out here; so is
 * the ordering of proxies: memory is sequentially consistent.
 *
 * Left out: interleaved tensor maps; rounding to tf32 on the way; that a fused multiply-add takes the NaN that fills
 * what is out of range as zero.
 */
#include "emu/bulk.h"

#include "emu/op_lane.h"
#include "emu/watch.h"

#include <stdio.h>

/* BOX_BYTES_MOST: no CTA has so much shared memory. */
enum { BOX_BYTES_MOST = 256 << 10, ROW_MAX = TMAP_BOX_MAX * 8, OFFSET_MASK = (1 << EMU_RANK_AT) - 1 };

static const struct emu_bulk *bulk_of(const struct emu_inst *in)
{
    return (const struct emu_bulk *)(uintptr_t)in->imm;
}

static u64 address(const struct emu_warp *w, const struct emu_bulk_addr *a, int lane)
{
    const u64 sum = emu_lane_value(w, &a->row, lane) + a->offset;
    return a->row.lane == EMU_LANE_32 ? (u32)sum : sum;
}

/* One lane's `bytes` at an address, as a host address; NULL after raising a fault. */
static char *resolve(struct emu_warp *w, const struct emu_inst *in, int lane, enum ptx_space space, u64 at, u32 bytes,
                     u32 align)
{
    u64 a[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        a[l] = at;
    if (at % align) {
        emu_raise(w, in, lane, EMU_FAULT_MISALIGNED, "address 0x%llx of an asynchronous copy is no multiple of %u",
                  (unsigned long long)at, align);
        return NULL;
    }
    return emu_resolve_lanes(emu_run_of(w), in, 1u << lane, space, a, bytes, 1, false) ? (char *)(uintptr_t)a[lane]
                                                                                       : NULL;
}

/* ---- where a copy into shared memory goes ---- */

struct target {
    char *data; /* host address of the destination */
    u32 offset; /* its offset in the CTA's shared memory: the swizzle depends on it */
    void *mbarrier;
    u32 rank; /* of the CTA that has both */
};

static struct emu_cta *cta_of(const struct emu_warp *w, const struct target *t)
{
    return w->cta->cluster->cta[t->rank];
}

/* What the observer learns of a copy that the target's mbarrier counts; `t` NULL: a group waits for it. */
static struct emu_async told_of(struct emu_warp *w, const struct target *t, int access, struct emu_cta *cta, u64 at,
                                u32 bytes)
{
    struct emu_async a = {.access = access, .cta = cta, .at = at, .bytes = bytes};
    if (t) {
        a.counter = cta_of(w, t);
        a.mbarrier = (u32)((char *)t->mbarrier - a.counter->smem);
    }
    return a;
}

/* The same offsets in every CTA of the mask for a multicast, else the one place that the addresses name. -1: a fault. */
static int targets(struct emu_warp *w, const struct emu_inst *in, int lane, u32 bytes, u32 align, struct target *out)
{
    const struct emu_bulk *b = bulk_of(in);
    const struct emu_cluster *k = w->cta->cluster;
    const u64 to = address(w, &b->to, lane), mbarrier = address(w, &b->mbarrier, lane);
    if (!b->ctas.lane) {
        out[0].data = resolve(w, in, lane, b->to_space, to, bytes, align);
        if (!out[0].data)
            return -1;
        out[0].offset = (u32)to & OFFSET_MASK;
        out[0].rank = b->to_space == PTX_S_SHARED_CLUSTER ? (u32)to >> EMU_RANK_AT : w->cta->rank;
        out[0].mbarrier = resolve(w, in, lane, b->to_space, mbarrier, 8, 8);
        return out[0].mbarrier ? 1 : -1;
    }
    const u32 mask = (u32)emu_lane_value(w, &b->ctas, lane) & 0xffff;
    int n = 0;
    for (u32 m = mask; m; m &= m - 1) {
        const u32 rank = (u32)__builtin_ctz(m);
        if (rank >= k->n) {
            emu_raise(w, in, lane, EMU_FAULT_ILLEGAL_ADDRESS, "a multicast to CTA %u of a cluster of %u", rank, k->n);
            return -1;
        }
        const u64 base = (u64)rank << EMU_RANK_AT;
        struct target *t = &out[n++];
        t->offset = (u32)to & OFFSET_MASK;
        t->rank = rank;
        t->data = resolve(w, in, lane, PTX_S_SHARED_CLUSTER, base | t->offset, bytes, align);
        t->mbarrier =
            t->data ? resolve(w, in, lane, PTX_S_SHARED_CLUSTER, base | (mbarrier & OFFSET_MASK), 8, 8) : NULL;
        if (!t->mbarrier)
            return -1;
    }
    return n;
}

/* What the stream says of an instruction: the copy of its first lane, and how far the next lane's is from it. */
struct told {
    bool first;
    enum stream_copy_kind kind;
    u64 number[EMU_LANES]; /* by STREAM_COPY_* */
    unsigned n;
    u64 base[2]; /* of the first and the second lane */
};

/* The copy's bytes at its mbarrier. */
static bool count(struct emu_warp *w, const struct emu_inst *in, int lane, const struct target *t, u32 bytes,
                  u32 events)
{
    const struct emu_watch *watch = emu_watch_of(w);
    if (!emu_mbarrier_add_tx(w, in, lane, t->mbarrier, -(s64)bytes, events))
        return false;
    if (watch)
        watch->counted(watch->ctx, w, cta_of(w, t), (u32)((char *)t->mbarrier - cta_of(w, t)->smem));
    return true;
}

static bool complete(struct emu_warp *w, const struct emu_inst *in, int lane, const struct target *t, int n, u32 bytes,
                     struct told *told)
{
    for (int k = 0; k < n && told->first; k++) {
        told->number[STREAM_COPY_MBARRIER] = emu_mbarrier_number(w, t[k].mbarrier);
        told->number[STREAM_COPY_CTAS] |= 1ull << t[k].rank;
    }
    for (int k = 0; k < n; k++)
        if (!count(w, in, lane, &t[k], bytes, told->first))
            return false;
    return true;
}

/* Further lanes become one more dimension of the box. */
static void record(struct emu_warp *w, const struct emu_inst *in, u32 mask, struct told *t)
{
    const u32 lanes = (u32)__builtin_popcount(mask);
    if (!emu_recording(w))
        return;
    t->number[STREAM_COPY_KIND] = t->kind;
    t->number[STREAM_COPY_BASE] = t->base[0];
    if (lanes > 1 && t->n + 2 <= STREAM_COPY_WORDS) {
        t->number[t->n++] = lanes;
        t->number[t->n++] = t->base[1] - t->base[0];
    }
    emu_record(w, in, TRACE_SP_ASYNC, (1u << t->n) - 1, t->number);
}

/* ---- bulk copies ---- */

static bool reduce(struct emu_warp *w, const struct emu_inst *in, int lane, enum ptx_type type, char *to,
                   const char *from, u32 bytes)
{
    const struct emu_bulk *b = bulk_of(in);
    emu_apply_fn *apply = emu_atom_apply(b->op, type);
    const u32 step = ptx_type_bytes(type);
    if (!apply) {
        emu_raise(w, in, lane, EMU_FAULT_ILLEGAL_INSTRUCTION, "this reduction does not exist for elements of .%s",
                  ptx_type_name(type));
        return false;
    }
    for (u32 k = 0; k + step <= bytes; k += step)
        apply(to + k, from + k);
    return true;
}

/* The observer learns of both sides of a copy. */
static void tell_bulk(struct emu_warp *w, const struct emu_inst *in, int lane, const char *from, const struct target *t,
                      int n, u32 bytes)
{
    const struct emu_bulk *b = bulk_of(in);
    const struct emu_watch *watch = emu_watch_of(w);
    struct emu_cta *source = b->to_shared && !b->from_shared ? NULL : w->cta;
    const u64 at = source ? (u64)(from - source->smem) : (u64)(uintptr_t)from;
    const int access = b->type ? EMU_ASYNC_REDUCE : EMU_ASYNC_WRITE;
    emu_watch_async(w, in, lane, told_of(w, b->to_shared ? t : NULL, EMU_ASYNC_READ, source, at, bytes));
    for (int k = 0; k < n; k++) {
        struct emu_cta *to = b->to_shared ? cta_of(w, &t[k]) : NULL;
        const u64 offset = to ? t[k].offset : (u64)(uintptr_t)t[k].data;
        emu_watch_async(w, in, lane, told_of(w, to ? &t[k] : NULL, access, to, offset, bytes));
        if (!b->type)
            watch->define(watch->ctx, to, offset, source, at, bytes);
    }
}

static bool bulk_lane(struct emu_warp *w, const struct emu_inst *in, int lane, struct told *told)
{
    const struct emu_bulk *b = bulk_of(in);
    const u32 bytes = (u32)emu_lane_value(w, &b->size, lane);
    struct target t[EMU_CLUSTER_MAX];
    int n = 1;
    if (bytes % 16) {
        emu_raise(w, in, lane, EMU_FAULT_MISALIGNED, "a bulk copy of %u bytes, which is no multiple of 16", bytes);
        return false;
    }
    if (bytes == 0)
        return true;
    const bool from_global = b->prefetch || (b->to_shared && !b->from_shared);
    const char *from =
        resolve(w, in, lane, from_global ? PTX_S_GLOBAL : PTX_S_SHARED, address(w, &b->from, lane), bytes, 16);
    if (!from)
        return false;
    if (b->prefetch)
        return true;
    if (b->to_shared) {
        n = targets(w, in, lane, bytes, 16, t);
    } else {
        t[0] = (struct target){.data = resolve(w, in, lane, PTX_S_GLOBAL, address(w, &b->to, lane), bytes, 16)};
        n = t[0].data ? 1 : -1;
    }
    if (emu_watch_of(w) && n > 0)
        tell_bulk(w, in, lane, from, t, n, bytes);
    for (int k = 0; k < n; k++)
        if (!b->type)
            memmove(t[k].data, from, bytes);
        else if (!reduce(w, in, lane, b->type, t[k].data, from, bytes))
            return false;
    emu_run_of(w)->grid->changed++;
    return n >= 0 && (!b->to_shared || complete(w, in, lane, t, n, bytes, told));
}

static enum stream_copy_kind kind_of(const struct emu_bulk *b)
{
    return b->prefetch      ? STREAM_COPY_PREFETCH
           : b->from_shared ? STREAM_COPY_CLUSTER
           : b->to_shared   ? STREAM_COPY_LOAD
                            : STREAM_COPY_STORE;
}

void emu_bulk_copy(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_bulk *b = bulk_of(in);
    struct told told = {.first = true, .kind = kind_of(b), .n = STREAM_COPY_BOX};
    unsigned n = 0;
    /* Of a prefetch longer than that the timing model sees the beginning. */
    const u64 bytes = emu_lane_value(w, &b->size, __builtin_ctz(mask)), most = STREAM_COPY_BYTES_MOST / EMU_LANES;
    told.number[STREAM_COPY_ROW] = b->prefetch && bytes > most ? most : bytes;
    for (u32 m = mask; m; m &= m - 1, n++) {
        const int l = __builtin_ctz(m);
        if (n < 2)
            told.base[n] = address(w, b->to_shared || b->prefetch ? &b->from : &b->to, l);
        if (!bulk_lane(w, in, l, &told))
            return;
        told.first = false;
    }
    record(w, in, mask, &told);
}

/* ---- tensor copies ---- */

struct box {
    struct emu_warp *w;
    const struct emu_inst *in;
    int lane;
    const struct tensor_map *map;
    u32 step; /* bytes of an element */
    const struct target *target;
    int n_target;
    u64 lo, hi;     /* the allocation that the last row was in */
    bool undefined; /* shared memory that is stored was never written in part */
};

/* The observer learns of a row; `undefined`: byte by byte, because some were never written. */
static void define_row(const struct box *x, const struct tmap_row *r, bool store)
{
    const struct emu_watch *watch = emu_watch_of(x->w);
    const u64 from = r->from * x->step, to = r->to * x->step, global = r->address;
    for (int t = 0; t < x->n_target; t++) {
        const u32 offset = x->target[t].offset;
        struct emu_cta *cta = cta_of(x->w, &x->target[t]);
        for (u64 k = from; k < to; k++) {
            const u64 shared = tmap_swizzled((u32)(offset + r->at + k), x->map->swizzle);
            if (store)
                watch->define(watch->ctx, NULL, global + k, cta, shared, 1);
            else
                watch->define(watch->ctx, cta, shared, NULL, global + k, 1);
        }
    }
}

static void tell_row(const struct box *x, const struct tmap_row *r, bool store)
{
    const struct emu_bulk *b = bulk_of(x->in);
    const u64 lo = r->address + (u64)r->from * x->step;
    if (!emu_watch_of(x->w) || r->from == r->to)
        return;
    const bool undefined = emu_watch_async(x->w, x->in, x->lane,
                                           told_of(x->w, b->to_shared ? x->target : NULL,
                                                   !store    ? EMU_ASYNC_READ
                                                   : b->type ? EMU_ASYNC_REDUCE
                                                             : EMU_ASYNC_WRITE,
                                                   NULL, lo, (r->to - r->from) * x->step));
    if (store ? x->undefined && !b->type : undefined)
        define_row(x, r, store);
}

static enum ptx_type type_of_map(const struct tensor_map *m)
{
    static const uint8_t types[TMAP_TYPE_COUNT] = {
        [TMAP_U8] = PTX_T_U8,         [TMAP_U16] = PTX_T_U16,   [TMAP_U32] = PTX_T_U32,     [TMAP_S32] = PTX_T_S32,
        [TMAP_U64] = PTX_T_U64,       [TMAP_S64] = PTX_T_S64,   [TMAP_F16] = PTX_T_F16,     [TMAP_F32] = PTX_T_F32,
        [TMAP_F64] = PTX_T_F64,       [TMAP_BF16] = PTX_T_BF16, [TMAP_F32_FTZ] = PTX_T_F32, [TMAP_TF32] = PTX_T_TF32,
        [TMAP_TF32_FTZ] = PTX_T_TF32,
    };
    return types[m->type];
}

/* The row's part inside the tensor must be in an allocation. */
static bool row_is_valid(struct box *x, const struct tmap_row *r)
{
    const u64 lo = r->address + (u64)r->from * x->step, hi = r->address + (u64)r->to * x->step;
    if (r->from == r->to || (lo >= x->lo && hi <= x->hi))
        return true;
    const struct emu_alloc *a = emu_mem_find(x->w->emu, lo, hi - lo);
    if (!a) {
        resolve(x->w, x->in, x->lane, PTX_S_GLOBAL, lo, (u32)(hi - lo), 1); /* says what is wrong with the address */
        return false;
    }
    x->lo = a->addr;
    x->hi = a->addr + a->bytes;
    return true;
}

static void flush_subnormals(u8 *row, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        u32 u;
        memcpy(&u, row + 4 * k, 4);
        u = u & 0x7f800000 ? u : u & 0x80000000;
        memcpy(row + 4 * k, &u, 4);
    }
}

static void fill_row(const struct box *x, u8 *row, u32 n)
{
    memset(row, x->map->fill == TMAP_FILL_NAN ? 0xff : 0, (size_t)n * x->step);
    for (u32 k = 0; k < n && x->map->fill == TMAP_FILL_NAN; k++)
        row[(k + 1) * x->step - 1] = 0x7f; /* a positive NaN of all ones */
}

static bool load_row(void *ctx, const struct tmap_row *r)
{
    struct box *x = ctx;
    u8 row[ROW_MAX];
    const u32 bytes = r->n * x->step;
    if (!row_is_valid(x, r))
        return false;
    tell_row(x, r, false);
    fill_row(x, row, r->n);
    memcpy(row + (size_t)r->from * x->step, (const void *)(uintptr_t)(r->address + (u64)r->from * x->step),
           (size_t)(r->to - r->from) * x->step);
    if (x->map->type == TMAP_F32_FTZ || x->map->type == TMAP_TF32_FTZ)
        flush_subnormals(row, r->n);
    for (int t = 0; t < x->n_target; t++) {
        const u32 offset = x->target[t].offset;
        for (u32 k = 0; k < bytes; k += 16)
            memcpy(x->target[t].data + (tmap_swizzled(offset + r->at + k, x->map->swizzle) - offset), row + k, 16);
    }
    return true;
}

static bool store_row(void *ctx, const struct tmap_row *r)
{
    struct box *x = ctx;
    const struct emu_bulk *b = bulk_of(x->in);
    u8 row[ROW_MAX];
    const u32 bytes = r->n * x->step, offset = x->target[0].offset;
    if (!row_is_valid(x, r))
        return false;
    tell_row(x, r, true);
    for (u32 k = 0; k < bytes; k += 16)
        memcpy(row + k, x->target[0].data + (tmap_swizzled(offset + r->at + k, x->map->swizzle) - offset), 16);
    char *to = (char *)(uintptr_t)(r->address + (u64)r->from * x->step),
         *from = (char *)row + (size_t)r->from * x->step;
    const u32 n = (r->to - r->from) * x->step;
    if (b->type)
        return n == 0 || reduce(x->w, x->in, x->lane, type_of_map(x->map), to, from, n);
    memcpy(to, from, n);
    return true;
}

static bool prefetch_row(void *ctx, const struct tmap_row *r)
{
    return row_is_valid(ctx, r);
}

/* The map of one lane, copied; false after raising a fault. */
static bool read_map(struct emu_warp *w, const struct emu_inst *in, int lane, struct tensor_map *map)
{
    const struct emu_bulk *b = bulk_of(in);
    const u64 at = address(w, b->to_shared || b->prefetch ? &b->from : &b->to, lane);
    const void *host = emu_generic_ptr(emu_run_of(w), (unsigned)lane, at, sizeof *map);
    if (!host || at % 64) {
        emu_raise(w, in, lane, host ? EMU_FAULT_MISALIGNED : EMU_FAULT_ILLEGAL_ADDRESS,
                  "the tensor map's address 0x%llx is %s", (unsigned long long)at,
                  host ? "no multiple of 64" : "not in the kernel's parameters, in constant or in global memory");
        return false;
    }
    memcpy(map, host, sizeof *map);
    const char *wrong = tmap_check(map);
    if (wrong) {
        emu_raise(w, in, lane, EMU_FAULT_ILLEGAL_INSTRUCTION, "the 128 bytes at 0x%llx are no valid tensor map: %s",
                  (unsigned long long)at, wrong);
        return false;
    }
    if (map->rank != b->rank || (map->im2col && !b->im2col && b->to_shared)) {
        emu_raise(w, in, lane, EMU_FAULT_ILLEGAL_INSTRUCTION,
                  "the instruction is for a %ud%s tensor, the map for a %ud%s one", b->rank, b->im2col ? " im2col" : "",
                  map->rank, map->im2col ? " im2col" : "");
        return false;
    }
    if (tmap_box_bytes(map) > BOX_BYTES_MOST) {
        emu_raise(w, in, lane, EMU_FAULT_ILLEGAL_INSTRUCTION,
                  "the tensor map's box has %llu bytes, more than any CTA's shared memory",
                  (unsigned long long)tmap_box_bytes(map));
        return false;
    }
    if (map->interleave) {
        emu_raise(w, in, lane, EMU_FAULT_UNSUPPORTED, "weir cannot copy interleaved tensors");
        return false;
    }
    return true;
}

static bool tensor_lane(struct emu_warp *w, const struct emu_inst *in, int lane, struct told *told, u64 *base)
{
    const struct emu_bulk *b = bulk_of(in);
    struct tensor_map map;
    if (!read_map(w, in, lane, &map))
        return false;
    int32_t coord[TMAP_RANK];
    uint16_t filter[3] = {0};
    for (unsigned k = 0; k < b->rank; k++)
        coord[k] = (int32_t)emu_lane_value(w, &b->coord[k], lane);
    for (unsigned k = 0; b->im2col && k + 2 < b->rank; k++)
        filter[k] = b->filter[k].lane ? (uint16_t)emu_lane_value(w, &b->filter[k], lane) : 0;
    struct target t[EMU_CLUSTER_MAX];
    struct box x = {.w = w, .in = in, .lane = lane, .map = &map, .step = tmap_type_bytes(map.type), .target = t};
    /* A swizzle may move the last bytes of a box to the end of their 128. */
    const u32 bytes = (u32)tmap_box_bytes(&map), room = map.swizzle ? (bytes + 127) & ~127u : bytes;
    if (b->to_shared) {
        x.n_target = targets(w, in, lane, room, 128, t);
        for (int k = 0; k < x.n_target; k++)
            emu_watch_async(w, in, lane, told_of(w, &t[k], EMU_ASYNC_WRITE, cta_of(w, &t[k]), t[k].offset, room));
    } else if (!b->prefetch) {
        const u64 from = address(w, &b->from, lane);
        t[0] = (struct target){.data = resolve(w, in, lane, PTX_S_SHARED, from, room, 128),
                               .offset = (u32)from & OFFSET_MASK,
                               .rank = w->cta->rank};
        x.n_target = t[0].data ? 1 : -1;
        if (t[0].data)
            x.undefined = emu_watch_async(w, in, lane, told_of(w, NULL, EMU_ASYNC_READ, w->cta, t[0].offset, room));
    }
    if (x.n_target < 0 || !tmap_rows(&map, coord, filter,
                                     b->prefetch    ? prefetch_row
                                     : b->to_shared ? load_row
                                                    : store_row,
                                     &x))
        return false;
    struct tmap_extent e;
    tmap_extent(&map, coord, &e);
    *base = e.base;
    told->number[STREAM_COPY_ROW] = told->first ? e.row_bytes : told->number[STREAM_COPY_ROW];
    for (unsigned d = 0; told->first && d < TMAP_RANK - 1; d++) {
        told->number[STREAM_COPY_BOX + 2 * d] = e.n[d];
        told->number[STREAM_COPY_BOX + 2 * d + 1] = e.step[d];
        told->n = e.n[d] > 1 ? STREAM_COPY_BOX + 2 * d + 2 : told->n;
    }
    emu_run_of(w)->grid->changed++;
    return !b->to_shared || complete(w, in, lane, t, x.n_target, bytes, told);
}

void emu_tensor_copy(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct told told = {.first = true, .kind = kind_of(bulk_of(in)), .n = STREAM_COPY_BOX};
    u64 base;
    unsigned n = 0;
    for (u32 m = mask; m; m &= m - 1, n++) {
        if (!tensor_lane(w, in, __builtin_ctz(m), &told, &base))
            return;
        if (n < 2)
            told.base[n] = base;
        told.first = false;
    }
    record(w, in, mask, &told);
}

/* ---- single values to another CTA ---- */

void emu_st_async(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_bulk *b = bulk_of(in);
    const u32 bytes = (u32)b->n_value * b->value_bytes;
    u64 told[EMU_LANES] = {0};
    for (u32 m = mask; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        struct target t;
        if (targets(w, in, l, bytes, bytes, &t) < 0)
            return;
        told[l] = STREAM_MBARRIER(t.rank == w->cta->rank ? 0 : t.rank + 1, emu_mbarrier_number(w, t.mbarrier));
        for (u32 k = 0; k < b->n_value; k++) {
            const u64 v = emu_lane_value(w, &b->value[k], l);
            if (!b->type)
                memcpy(t.data + (size_t)k * b->value_bytes, &v, b->value_bytes);
            else
                emu_atom_apply(b->op, b->type)(t.data, &v);
        }
        emu_watch_async(w, in, l,
                        told_of(w, &t, b->type ? EMU_ASYNC_REDUCE : EMU_ASYNC_WRITE, cta_of(w, &t), t.offset, bytes));
        if (!count(w, in, l, &t, bytes, 1))
            return;
    }
    emu_record(w, in, TRACE_SP_ASYNC, mask, told);
}

/* ---- tensor maps ---- */

void emu_tensormap_replace(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_bulk *b = bulk_of(in);
    for (u32 m = mask; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        struct tensor_map map;
        char *at = resolve(w, in, l, b->to_space, address(w, &b->to, l), sizeof map, 64);
        if (!at)
            return;
        memcpy(&map, at, sizeof map);
        const u64 ord = b->size.lane ? emu_lane_value(w, &b->size, l) : 0, value = emu_lane_value(w, &b->value[0], l);
        if (map.magic != TMAP_MAGIC || !tmap_replace(&map, b->field, (unsigned)ord, value)) {
            emu_raise(w, in, l, EMU_FAULT_ILLEGAL_INSTRUCTION, "%s",
                      map.magic != TMAP_MAGIC ? "there is no tensor map at this address"
                                              : "the dimension or the value is out of range for this field");
            return;
        }
        memcpy(at, &map, sizeof map);
    }
}

/* tensormap.cp_fenceproxy: the whole warp names one map, which is copied once. */
void emu_tensormap_copy(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_bulk *b = bulk_of(in);
    const int l = __builtin_ctz(mask);
    const char *from = resolve(w, in, l, PTX_S_SHARED, address(w, &b->from, l), sizeof(struct tensor_map), 16);
    char *to = from ? resolve(w, in, l, PTX_S_GLOBAL, address(w, &b->to, l), sizeof(struct tensor_map), 64) : NULL;
    if (to)
        memcpy(to, from, sizeof(struct tensor_map));
}
