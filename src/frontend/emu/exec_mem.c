/*
 * Memory instructions: the careful paths, and everything about addresses that is not a plain load or store.
 *
 * Here an access is looked at lane by lane: which space a generic address names, which allocation holds it, whether it
 * is aligned; and if something is wrong, what to tell the person: by how much the access misses which allocation.
 */
#include "emu/exec_mem.h"

#include "emu/op_lane.h"
#include "emu/op_table.h"
#include "emu/op_wgmma.h"

#include <stdio.h>

emu_op_fn *emu_ldst_select(const struct emu_mem_form *f)
{
    struct emu_op_variant v[3];
    unsigned n = emu_op_variants(v);
    if (n == 1)
        return emu_ldst_select_base(f);
#if defined(__x86_64__)
    return n == 2 ? emu_ldst_select_v3(f) : emu_ldst_select_v4(f);
#else
    return emu_ldst_select_base(f);
#endif
}

emu_op_fn *emu_wgmma_select(void)
{
    struct emu_op_variant v[3];
    unsigned n = emu_op_variants(v);
    if (n == 1)
        return emu_wgmma_select_base();
#if defined(__x86_64__)
    return n == 2 ? emu_wgmma_select_v3() : emu_wgmma_select_v4();
#else
    return emu_wgmma_select_base();
#endif
}

/* ---- what is wrong with an address ---- */

static const char *kind_text(const struct emu_alloc *a, char *buf, size_t cap)
{
    static const char *const what[] = {"", "managed ", "page-locked ",  "registered host ",
                                       "", "array ",   "device malloc "};
    if (a->kind == EMU_MEM_MODULE && a->name)
        snprintf(buf, cap, "the %llu-byte variable %s", (unsigned long long)a->bytes, a->name);
    else
        snprintf(buf, cap, "the %llu-byte %s%sallocation #%u", (unsigned long long)a->bytes, a->freed ? "freed " : "",
                 what[a->kind], a->serial);
    return buf;
}

/* A wrong index of 32 bits leads at most 64 GiB away (16-byte elements); what is farther from all allocations has
 * nothing to do with any of them. */
#define FAR_BYTES (64ull << 30)

/* "4 bytes past the end of the 4096-byte allocation #3 at 0x200000001200" */
static void describe_global(const struct emu *emu, uint64_t addr, uint64_t bytes, char *out, size_t cap)
{
    char kind[320];
    const struct emu_alloc *a = emu_mem_nearest(emu, addr);
    if (addr < 4096) {
        snprintf(out, cap, "the address is a null pointer or close to one");
    } else if (!a) {
        snprintf(out, cap, "no device memory has been allocated");
    } else if (addr + FAR_BYTES < a->addr || addr > a->addr + a->bytes + FAR_BYTES) {
        snprintf(out, cap,
                 "no device memory nearby: a host pointer (copy its data with cudaMemcpy) or an uninitialized pointer");
    } else if (addr >= a->addr && addr - a->addr < a->bytes) {
        uint64_t over = addr + bytes - (a->addr + a->bytes);
        if (a->freed)
            snprintf(out, cap, "%llu bytes into %s at 0x%llx", (unsigned long long)(addr - a->addr),
                     kind_text(a, kind, sizeof kind), (unsigned long long)a->addr);
        else
            snprintf(out, cap, "its last %llu bytes are past the end of %s at 0x%llx", (unsigned long long)over,
                     kind_text(a, kind, sizeof kind), (unsigned long long)a->addr);
    } else if (addr < a->addr) {
        snprintf(out, cap, "%llu bytes before the start of %s at 0x%llx", (unsigned long long)(a->addr - addr),
                 kind_text(a, kind, sizeof kind), (unsigned long long)a->addr);
    } else {
        uint64_t past = addr - (a->addr + a->bytes);
        char by[48];
        if (past)
            snprintf(by, sizeof by, "%llu bytes past", (unsigned long long)past);
        else
            snprintf(by, sizeof by, "just past");
        snprintf(out, cap, "%s the end of %s at 0x%llx", by, kind_text(a, kind, sizeof kind),
                 (unsigned long long)a->addr);
    }
}

static const char *verb(const struct emu_inst *in)
{
    switch (in->ptx->op) {
    case PTX_ST:
    case PTX_STMATRIX:
    case PTX_SUST:
    case PTX_TENSORMAP:
        return "write";
    case PTX_ATOM:
    case PTX_RED:
    case PTX_MBARRIER:
        return "atomic access";
    }
    return "read";
}

static const char *space_text(enum ptx_space s)
{
    switch (s) {
    case PTX_S_SHARED:
        return "shared";
    case PTX_S_LOCAL:
        return "local";
    case PTX_S_CONST:
        return "constant";
    case PTX_S_PARAM:
        return "parameter";
    default:
        return "global";
    }
}

static void raise_bounds(struct emu_warp_run *r, const struct emu_inst *in, int lane, enum ptx_space space,
                         uint64_t addr, uint64_t offset, uint64_t bytes, uint64_t limit)
{
    char where[448];
    if (space == PTX_S_GLOBAL)
        describe_global(r->w.emu, addr, bytes, where, sizeof where);
    else if (space == PTX_S_SHARED)
        snprintf(where, sizeof where, "the CTA has %llu bytes of shared memory (%u static, %u dynamic)",
                 (unsigned long long)limit, r->prog->smem_static, r->grid->launch.smem_dynamic_bytes);
    else if (space == PTX_S_LOCAL)
        snprintf(where, sizeof where, "the thread's frame ends at byte %llu", (unsigned long long)limit);
    else if (space == PTX_S_CONST)
        snprintf(where, sizeof where, "the module has %llu bytes of constants", (unsigned long long)limit);
    else
        snprintf(where, sizeof where, "the kernel has %llu bytes of parameters", (unsigned long long)limit);
    if (space == PTX_S_GLOBAL)
        emu_raise(&r->w, in, lane, EMU_FAULT_ILLEGAL_ADDRESS, "invalid %s %s of %llu bytes at address 0x%llx: %s",
                  space_text(space), verb(in), (unsigned long long)bytes, (unsigned long long)addr, where);
    else
        emu_raise(&r->w, in, lane, EMU_FAULT_ILLEGAL_ADDRESS, "invalid %s %s of %llu bytes at byte %lld: %s",
                  space_text(space), verb(in), (unsigned long long)bytes,
                  space == PTX_S_SHARED ? (long long)(int32_t)offset : (long long)offset, where);
}

/* ---- resolving ---- */

bool emu_range_refill(struct emu_warp_run *r, const struct emu_inst *in, uint64_t addr)
{
    const struct emu_alloc *a = emu_mem_find(r->w.emu, addr, 1);
    if (!a)
        return false;
    r->cache[in->target] = (struct emu_range){a->addr, a->addr + a->bytes};
    return true;
}

/* The space a generic address names, and its offset in it. */
static enum ptx_space generic_space(uint64_t addr, uint64_t *offset)
{
    *offset = addr & ~EMU_WINDOW_MASK;
    switch (addr & EMU_WINDOW_MASK) {
    case EMU_SHARED_WINDOW:
        return PTX_S_SHARED;
    case EMU_LOCAL_WINDOW:
        return PTX_S_LOCAL;
    case EMU_CONST_WINDOW:
        return PTX_S_CONST;
    case EMU_PARAM_WINDOW:
        return PTX_S_PARAM;
    }
    *offset = addr;
    return PTX_S_GLOBAL;
}

/* Host base of a space for one lane, and how many bytes it has; NULL base for global. */
static char *space_base(struct emu_warp_run *r, unsigned lane, enum ptx_space space, uint64_t *limit)
{
    switch (space) {
    case PTX_S_SHARED: /* addresses start with the CTA's rank in its cluster: shared_of takes it off */
        *limit = r->w.cta->smem_bytes;
        return r->w.cta->smem;
    case PTX_S_LOCAL:
        *limit = r->frame->local_top;
        return r->local + (size_t)lane * r->local_stride;
    case PTX_S_CONST:
        *limit = r->prog->kernel->unit->const_bytes;
        return (char *)(uintptr_t)r->prog->kernel->unit->const_addr;
    case PTX_S_PARAM:
        *limit = r->grid->param_bytes;
        return r->grid->params;
    default:
        *limit = 0;
        return NULL;
    }
}

static enum trace_space trace_space_of(enum ptx_space s)
{
    switch (s) {
    case PTX_S_SHARED:
        return TRACE_SP_SHARED;
    case PTX_S_LOCAL:
        return TRACE_SP_LOCAL;
    case PTX_S_CONST:
        return TRACE_SP_CONST;
    case PTX_S_PARAM:
        return TRACE_SP_PARAM;
    default:
        return TRACE_SP_GLOBAL;
    }
}

/*
 * Shared address -> CTA that has it and offset there. Instructions that name no more than .shared reach their own CTA,
 * whose rank an address may lack; .shared::cluster and generic ones (`cluster`) reach all. NULL: no such CTA.
 */
static struct emu_cta *shared_of(struct emu_cta *own, bool cluster, uint64_t *offset)
{
    const uint32_t rank = (uint32_t)*offset >> EMU_RANK_AT;
    struct emu_cta *c = cluster ? emu_cluster_cta(own, *offset) : rank == own->rank || rank == 0 ? own : NULL;
    if (c)
        *offset &= (1u << EMU_RANK_AT) - 1;
    return c;
}

static void raise_cluster(struct emu_warp_run *r, const struct emu_inst *in, int lane, uint64_t addr, bool cluster,
                          const struct emu_cta *c)
{
    if (c)
        emu_raise(&r->w, in, lane, EMU_FAULT_ILLEGAL_ADDRESS,
                  "%s of the shared memory of the cluster's CTA %u, which has exited; a cluster barrier at the end of "
                  "the kernel keeps it",
                  verb(in), c->rank);
    else
        emu_raise(&r->w, in, lane, EMU_FAULT_ILLEGAL_ADDRESS,
                  "%s at shared address 0x%x: it names CTA %u of a cluster of %u, as seen by an instruction that may "
                  "reach %s",
                  verb(in), (uint32_t)addr, (uint32_t)addr >> EMU_RANK_AT, r->w.cta->cluster->n,
                  cluster ? "all of it" : "its own CTA only");
}

bool emu_resolve_lanes(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask, enum ptx_space space,
                       uint64_t addr[EMU_LANES], uint32_t bytes, uint32_t align, bool rec)
{
    uint64_t host[EMU_LANES], seen[EMU_LANES];
    enum ptx_space first_space = PTX_S_NONE;
    uint32_t same = 0;
    const bool is_generic = space == PTX_S_GENERIC || space == PTX_S_NONE;
    const bool cluster = is_generic || space == PTX_S_SHARED_CLUSTER;
    if (space == PTX_S_SHARED_CLUSTER)
        space = PTX_S_SHARED;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t offset = addr[l], limit, remote = 0;
        enum ptx_space s = is_generic ? generic_space(addr[l], &offset) : space;
        char *base = space_base(r, l, s, &limit);
        if (s == PTX_S_SHARED && r->w.cta->cluster->n == 1) {
            offset = (uint32_t)offset; /* an address of shared memory has 32 bits; PTX cuts off what is above */
        } else if (s == PTX_S_SHARED) {
            const struct emu_cta *c = shared_of(r->w.cta, cluster, &offset);
            if (!c || c->live == 0) {
                raise_cluster(r, in, (int)l, addr[l], cluster, c);
                return false;
            }
            base = c->smem;
            remote = c == r->w.cta ? 0 : (c->rank + 1ull) << EMU_RANK_AT;
        }
        if (align > 1 && addr[l] & (align - 1)) {
            emu_raise(&r->w, in, (int)l, EMU_FAULT_MISALIGNED,
                      "misaligned %s %s of %u bytes at address 0x%llx: it must be a multiple of %u", space_text(s),
                      verb(in), bytes, (unsigned long long)addr[l], align);
            return false;
        }
        bool ok = base ? bytes <= limit && offset <= limit - bytes : emu_mem_find(r->w.emu, offset, bytes) != NULL;
        if (!ok) {
            raise_bounds(r, in, (int)l, s, addr[l], offset, bytes, limit);
            return false;
        }
        host[l] = base ? (uint64_t)(uintptr_t)(base + offset) : offset;
        seen[l] = remote | offset;
        if (first_space == PTX_S_NONE)
            first_space = s;
        if (s == first_space)
            same |= 1u << l;
    }
    if (same != mask)
        r->w.emu->stats.mixed_space_accesses++;
    if (rec && r->enc)
        stream_enc_mem(r->enc, emu_pc_of(r, in), trace_space_of(first_space), same, seen);
    uint64_t first = host[__builtin_ctz(mask)];
    for (int l = 0; l < EMU_LANES; l++)
        addr[l] = mask >> l & 1 ? host[l] : first;
    return true;
}

int emu_access(struct emu_warp *w, const struct emu_inst *in, uint32_t mask, enum ptx_space space,
               const uint64_t addr[EMU_LANES], uint32_t bytes, uint32_t align, void *ptr[EMU_LANES])
{
    uint64_t a[EMU_LANES];
    memcpy(a, addr, sizeof a);
    if (!emu_resolve_lanes(emu_run_of(w), in, mask, space, a, bytes, align, false))
        return -1;
    for (int l = 0; l < EMU_LANES; l++)
        ptr[l] = (void *)(uintptr_t)a[l];
    return 0;
}

int emu_access_record(struct emu_warp *w, const struct emu_inst *in, uint32_t mask, enum ptx_space space,
                      const uint64_t addr[EMU_LANES], uint32_t bytes, uint32_t align, void *ptr[EMU_LANES])
{
    uint64_t a[EMU_LANES];
    memcpy(a, addr, sizeof a);
    if (!emu_resolve_lanes(emu_run_of(w), in, mask, space, a, bytes, align, true))
        return -1;
    for (int l = 0; l < EMU_LANES; l++)
        ptr[l] = (void *)(uintptr_t)a[l];
    return 0;
}

void emu_record(struct emu_warp *w, const struct emu_inst *in, enum trace_space space, uint32_t mask,
                const uint64_t addr[EMU_LANES])
{
    struct emu_warp_run *r = emu_run_of(w);
    if (r->enc)
        stream_enc_mem(r->enc, emu_pc_of(r, in), space, mask, addr);
}

bool emu_recording(const struct emu_warp *w)
{
    return ((const struct emu_warp_run *)w)->enc != NULL;
}

uint64_t emu_generic_extent(struct emu_warp_run *r, unsigned lane, uint64_t addr, uint64_t max, void **at)
{
    uint64_t offset, limit;
    enum ptx_space s = generic_space(addr, &offset);
    char *base = space_base(r, lane, s, &limit);
    if (s == PTX_S_SHARED) {
        const struct emu_cta *c = shared_of(r->w.cta, true, &offset);
        base = c ? c->smem : base;
        limit = c ? limit : 0;
    }
    if (base) {
        if (offset >= limit)
            return 0;
        *at = base + offset;
        return limit - offset < max ? limit - offset : max;
    }
    const struct emu_alloc *a = emu_mem_find(r->w.emu, addr, 1);
    if (!a)
        return 0;
    *at = (void *)(uintptr_t)addr;
    uint64_t left = a->addr + a->bytes - addr;
    return left < max ? left : max;
}

void *emu_generic_ptr(struct emu_warp_run *r, unsigned lane, uint64_t addr, uint64_t bytes)
{
    void *at;
    return bytes && emu_generic_extent(r, lane, addr, bytes, &at) == bytes ? at : NULL;
}

/* ---- parameters ---- */

/*
 * ld.param. Of an entry: a constant of the launch, the same for every thread (src[0] absent: the offset alone). In a
 * function, and ld.param/st.param of call arguments: bytes of the frame.
 */
static void put_lane(char *dst, const struct emu_opnd *o, int l, const char *from, unsigned bytes, bool sign)
{
    uint64_t v[2] = {0, 0};
    memcpy(v, from, bytes);
    unsigned spare = bytes < 8 ? 64 - 8 * bytes : 0;
    if (sign && spare)
        v[0] = (uint64_t)((int64_t)(v[0] << spare) >> spare);
    unsigned reg_bytes = ptx_type_bytes(o->type);
    if (reg_bytes < 8)
        v[0] &= (1ull << (8 * reg_bytes)) - 1;
    memcpy(dst + l * o->lane, v, o->lane);
}

void emu_ld_param(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    unsigned bytes = in->aux[EMU_AUX_BYTES];
    bool sign = in->aux[EMU_AUX_FLAGS] & EMU_AUXF_SIGNED;
    for (unsigned k = 0; k < in->aux[EMU_AUX_VEC]; k++) {
        const struct emu_opnd *o = &in->dst[k];
        const char *from = r->grid->params + in->imm + k * bytes;
        if (o->lane == EMU_LANE_NONE)
            continue;
        char *dst = emu_dst(w, o);
        if (o->lane == EMU_LANE_32 && bytes == 4) {
            u32 v, t[EMU_LANES];
            memcpy(&v, from, 4);
            EMU_EACH_LANE
            t[l] = v;
            emu_store_row(dst, t, mask, 4);
        } else if (o->lane == EMU_LANE_64 && bytes == 8) {
            u64 v, t[EMU_LANES];
            memcpy(&v, from, 8);
            EMU_EACH_LANE
            t[l] = v;
            emu_store_row(dst, t, mask, 8);
        } else {
            for (u32 m = mask; m; m &= m - 1)
                put_lane(dst, o, __builtin_ctz(m), from, bytes, sign);
        }
    }
}

/* Parameter space through a register: the entry's parameter buffer, or the frame in a function. */
void emu_ld_param_at(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    unsigned bytes = in->aux[EMU_AUX_BYTES], vec = in->aux[EMU_AUX_VEC];
    u64 a[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        a[l] = emu_lane_address(w, in, l);
    enum ptx_space space = r->frame->caller ? PTX_S_LOCAL : PTX_S_PARAM;
    if (!emu_resolve_lanes(r, in, mask, space, a, bytes * vec, bytes * vec, false))
        return;
    for (unsigned k = 0; k < vec; k++)
        for (u32 m = mask; m && in->dst[k].lane; m &= m - 1) {
            int l = __builtin_ctz(m);
            put_lane(emu_dst(w, &in->dst[k]), &in->dst[k], l, (const char *)(uintptr_t)a[l] + k * bytes, bytes,
                     in->aux[EMU_AUX_FLAGS] & EMU_AUXF_SIGNED);
        }
}

/* Bytes of the running frame at a fixed offset: call arguments and results, a function's own parameters. */
void emu_ld_frame(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    unsigned bytes = in->aux[EMU_AUX_BYTES];
    const char *from = r->local + r->frame->local_base + in->imm;
    for (unsigned k = 0; k < in->aux[EMU_AUX_VEC]; k++, from += bytes)
        for (u32 m = mask; m && in->dst[k].lane; m &= m - 1) {
            int l = __builtin_ctz(m);
            put_lane(emu_dst(w, &in->dst[k]), &in->dst[k], l, from + (size_t)l * r->local_stride, bytes,
                     in->aux[EMU_AUX_FLAGS] & EMU_AUXF_SIGNED);
        }
}

void emu_st_frame(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    unsigned bytes = in->aux[EMU_AUX_BYTES];
    char *to = r->local + r->frame->local_base + in->imm;
    for (unsigned k = 0; k < in->aux[EMU_AUX_VEC]; k++, to += bytes) {
        const struct emu_opnd *o = &in->src[1 + k];
        const char *src = emu_src(w, o);
        for (u32 m = mask; m; m &= m - 1) {
            int l = __builtin_ctz(m);
            memcpy(to + (size_t)l * r->local_stride, src + l * o->lane, bytes);
        }
    }
}

/* ---- addresses as values ---- */

/* mov of a local variable's or parameter's address inside a function. */
void emu_mov_frame(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 t[EMU_LANES], v = emu_run_of(w)->frame->local_base + in->imm;
    u32 n[EMU_LANES];
    EMU_EACH_LANE
    {
        t[l] = v;
        n[l] = (u32)v;
    }
    const struct emu_opnd *o = &in->dst[0];
    emu_store_row(emu_dst(w, o), o->lane == EMU_LANE_64 ? (void *)t : (void *)n, mask, o->lane);
}

/* cvta: a window is added, or taken off (imm is its negative then). */
void emu_cvta(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_opnd *s = &in->src[0], *o = &in->dst[0];
    u64 t[EMU_LANES];
    const void *row = emu_src(w, s);
    if (s->lane == EMU_LANE_64) {
        EMU_EACH_LANE
        t[l] = ((const u64 *)row)[l] + in->imm;
    } else {
        EMU_EACH_LANE
        t[l] = ((const u32 *)row)[l] + in->imm;
    }
    if (o->lane == EMU_LANE_64) {
        emu_store_row(emu_dst(w, o), t, mask, 8);
        return;
    }
    u32 n[EMU_LANES];
    EMU_EACH_LANE
    n[l] = (u32)t[l];
    emu_store_row(emu_dst(w, o), n, mask, 4);
}

/* isspacep: aux says which space. Parameters of a function are in its frame, like local memory. */
void emu_isspacep(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_opnd *s = &in->src[0];
    const char *row = emu_src(w, s);
    u32 yes = 0;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 a = 0, off;
        memcpy(&a, row + l * s->lane, s->lane);
        if (generic_space(a, &off) == (enum ptx_space)in->aux[EMU_AUX_SPACE] &&
            (!in->aux[EMU_AUX_OP] || (u32)off >> EMU_RANK_AT == w->cta->rank))
            yes |= 1u << l;
    }
    emu_dst_pred(w, &in->dst[0], mask, yes);
}

/* ---- asynchronous copies: done at once; waiting for them is nothing ---- */

void emu_cp_async(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    u32 bytes = in->aux[EMU_AUX_BYTES];
    u64 to[EMU_LANES], from[EMU_LANES], n[EMU_LANES];
    /* src: shared address, global address, bytes to read (the rest is zeros) or absent, predicate "ignore" or absent */
    const struct emu_opnd *o = in->src;
    for (int l = 0; l < EMU_LANES; l++) {
        to[l] = emu_lane_value(w, &o[0], l) + (u64)(int64_t)(int32_t)in->imm;
        from[l] = emu_lane_value(w, &o[1], l) + (u64)((int64_t)in->imm >> 32);
        n[l] = o[2].lane ? emu_lane_value(w, &o[2], l) : bytes;
        if (n[l] > bytes)
            n[l] = bytes;
    }
    u32 reads = mask;
    if (o[3].lane)
        reads &= ~emu_src_pred(w, &o[3]);
    for (u32 m = mask; m; m &= m - 1)
        if (n[__builtin_ctz(m)] == 0)
            reads &= ~(1u << __builtin_ctz(m));
    if (r->enc)
        stream_enc_mem(r->enc, emu_pc_of(r, in), TRACE_SP_GLOBAL, mask, from);
    if (!emu_resolve_lanes(r, in, mask, PTX_S_SHARED, to, bytes, bytes, false))
        return;
    if (reads && !emu_resolve_lanes(r, in, reads, PTX_S_GLOBAL, from, bytes, bytes, false))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        char *dst = (char *)(uintptr_t)to[l];
        memset(dst, 0, bytes);
        if (reads >> l & 1)
            memcpy(dst, (const void *)(uintptr_t)from[l], n[l]);
    }
}

/* ---- the stack: all lanes of a frame move together, by the most any of them asks for ---- */

void emu_alloca(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct emu_frame *f = r->frame;
    u64 bytes = 0, align = in->imm ? in->imm : 8;
    for (u32 m = mask; m; m &= m - 1) {
        u64 v = emu_lane_value(w, &in->src[0], __builtin_ctz(m));
        bytes = v > bytes ? v : bytes;
    }
    u64 at = (f->local_top + align - 1) / align * align;
    if (bytes > r->local_stride || at + bytes > r->local_stride) {
        emu_raise(w, in, -1, EMU_FAULT_STACK, "alloca of %llu bytes exceeds the thread's %u bytes of stack",
                  (unsigned long long)bytes, r->local_stride);
        return;
    }
    f->local_top = (uint32_t)((at + bytes + 15) & ~15ull);
    for (u32 m = mask; m; m &= m - 1)
        emu_set_lane(w, &in->dst[0], __builtin_ctz(m), at);
}

void emu_stacksave(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    for (u32 m = mask; m; m &= m - 1)
        emu_set_lane(w, &in->dst[0], __builtin_ctz(m), emu_run_of(w)->frame->local_top);
}

void emu_stackrestore(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_frame *f = emu_run_of(w)->frame;
    u64 top = 0;
    for (u32 m = mask; m; m &= m - 1) {
        u64 v = emu_lane_value(w, &in->src[0], __builtin_ctz(m));
        top = v > top ? v : top;
    }
    if (top >= f->local_base + f->func->frame_bytes && top <= f->local_top)
        f->local_top = (uint32_t)top;
    else
        emu_raise(w, in, -1, EMU_FAULT_STACK, "stackrestore to byte %llu, which is not in the running frame",
                  (unsigned long long)top);
}
