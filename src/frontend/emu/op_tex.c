/*
 * Texture and surface instructions: tex, tld4, txq; suld, sust, sured, suq. The texture unit itself is tex_sample.c.
 *
 * Objects only (the handle is a 64-bit value); texture references went away with CUDA 12. One record of the lanes'
 * texel addresses is made for each instruction; what filtering reads beside that texel is not recorded.
 * Left out: separate samplers, offsets, depth compare, multisampling, sparse residency.
 */
#include "emu/access.h"
#include "emu/op_frag.h"
#include "emu/state.h"
#include "emu/tex_sample.h"
#include "emu/watch.h"

#include <stdio.h>

/* How an instruction names a position. */
enum geometry { GEO_1D, GEO_2D, GEO_3D, GEO_A1D, GEO_A2D, GEO_CUBE, GEO_ACUBE, GEO_NONE };

enum { /* emu_inst.aux of tex and tld4 */
       AUX_GEO,
       AUX_INT,    /* coordinates are integers */
       AUX_COORDS, /* source operands that hold coordinates, after the handle */
       AUX_LOD,    /* enum lod_kind */
       AUX_COMP,   /* tld4: component */
       AUX_HALF,   /* results are two f16x2 */
};
enum lod_kind { LOD_NONE, LOD_LEVEL, LOD_GRAD };

enum {                /* emu_inst.aux of surface instructions, AUX_GEO and AUX_COORDS as above */
       AUX_BYTES = 1, /* of one element of the access */
       AUX_VEC = 3,
       AUX_OUTSIDE = 4, /* enum outside */
       AUX_OP = 5,      /* sured: enum reduction | type << 3; sust.p: type */
};
enum outside { OUT_TRAP, OUT_CLAMP, OUT_ZERO };
enum reduction { RED_ADD, RED_MIN, RED_MAX, RED_AND, RED_OR };

static u32 lane_u32(const struct emu_warp *w, const struct emu_opnd *o, unsigned lane)
{
    return ((const u32 *)emu_src(w, o))[lane];
}
static f32 lane_f32(const struct emu_warp *w, const struct emu_opnd *o, unsigned lane)
{
    return ((const f32 *)emu_src(w, o))[lane];
}
/* A handle: 64 bits, plus the offset of an address operand. */
static u64 lane_handle(const struct emu_warp *w, const struct emu_inst *i, const struct emu_opnd *o, unsigned lane)
{
    u64 at = 0;
    memcpy(&at, (const char *)emu_src(w, o) + lane * o->lane, o->lane);
    return at + (u64)(s64)(s32)i->target;
}

/* Does the object fit what the instruction asks of it? */
static bool fits_geometry(const struct emu_tex_desc *d, enum geometry g)
{
    switch (g) {
    case GEO_1D:
        return d->shape == EMU_TEX_LINEAR_MEM || d->shape == EMU_TEX_1D;
    case GEO_2D:
        return d->shape == EMU_TEX_2D || d->shape == EMU_TEX_PITCH2D;
    case GEO_3D:
        return d->shape == EMU_TEX_3D;
    case GEO_A1D:
        return d->shape == EMU_TEX_1D_LAYERED;
    case GEO_A2D: /* surfaces see a cube's faces as layers */
        return d->shape == EMU_TEX_2D_LAYERED || d->shape == EMU_TEX_CUBE || d->shape == EMU_TEX_CUBE_LAYERED;
    case GEO_CUBE:
        return d->shape == EMU_TEX_CUBE;
    case GEO_ACUBE:
        return d->shape == EMU_TEX_CUBE_LAYERED;
    default:
        return true;
    }
}

/*
 * The object behind a lane's handle, with all its memory checked. Lanes nearly always share it: *last and *handle keep
 * what the lane before found. NULL after a fault.
 */
static const struct emu_tex_desc *object(struct emu_warp *w, const struct emu_inst *i, unsigned lane, u64 now,
                                         const struct emu_tex_desc *last, u64 *handle)
{
    if (last && now == *handle)
        return last;
    const struct emu_tex_desc *d = emu_tex_get(w->emu, now);
    if (!d) {
        emu_raise(w, i, (int)lane, EMU_FAULT_ILLEGAL_INSTRUCTION,
                  "%#llx is not the handle of a texture or surface object", (unsigned long long)now);
        return NULL;
    }
    if (!fits_geometry(d, i->aux[AUX_GEO])) {
        emu_raise(w, i, (int)lane, EMU_FAULT_ILLEGAL_INSTRUCTION,
                  "the texture or surface object %#llx has another shape than the instruction",
                  (unsigned long long)now);
        return NULL;
    }
    for (u32 k = 0; k < d->n_level; k++) {
        const struct emu_tex_level *l = &d->level[k];
        if (!emu_mem_find(w->emu, l->addr, tex_level_bytes(d, l))) {
            emu_raise(w, i, (int)lane, EMU_FAULT_ILLEGAL_ADDRESS,
                      "the memory of the texture or surface object %#llx, at %#llx, is not (or no longer) allocated",
                      (unsigned long long)now, (unsigned long long)l->addr);
            return NULL;
        }
    }
    *handle = now;
    return d;
}

/* ---- tex and tld4 ---- */

/* Coordinates of a lane: src[0] is the handle, then aux[AUX_COORDS] values, then level or gradients. */
static void coordinates(struct tex_coord *c, const struct emu_warp *w, const struct emu_inst *i, unsigned lane)
{
    const struct emu_opnd *o = &i->src[1];
    unsigned n = i->aux[AUX_COORDS];
    *c = (struct tex_coord){.is_int = i->aux[AUX_INT]};
    switch (i->aux[AUX_GEO]) {
    case GEO_A1D:
    case GEO_A2D:
    case GEO_ACUBE:
        c->layer = lane_u32(w, o, lane);
        o++;
        n--;
    }
    f32 *const x[3] = {&c->x, &c->y, &c->z};
    s32 *const ix[3] = {&c->ix, &c->iy, &c->iz};
    for (unsigned k = 0; k < n && k < 3; k++) {
        *ix[k] = (s32)lane_u32(w, &o[k], lane);
        *x[k] = lane_f32(w, &o[k], lane);
    }
}

static void level_of_detail(struct tex_coord *c, const struct emu_tex_desc *d, const struct emu_warp *w,
                            const struct emu_inst *i, unsigned lane)
{
    const struct emu_opnd *o = &i->src[1 + i->aux[AUX_COORDS]];
    if (i->aux[AUX_LOD] == LOD_LEVEL) {
        c->lod = i->aux[AUX_INT] ? (f32)(s32)lane_u32(w, o, lane) : lane_f32(w, o, lane);
    } else if (i->aux[AUX_LOD] == LOD_GRAD) {
        const unsigned each = (i->n_src - 1u - i->aux[AUX_COORDS]) / 2;
        f32 dx[3] = {0}, dy[3] = {0};
        for (unsigned k = 0; k < each && k < 3; k++) {
            dx[k] = lane_f32(w, &o[k], lane);
            dy[k] = lane_f32(w, &o[each + k], lane);
        }
        c->lod = tex_lod_of_grad(d, dx, dy);
    }
}

static void store_results(struct emu_warp *w, const struct emu_inst *i, u32 mask, u32 out[4][EMU_LANES])
{
    if (i->aux[AUX_HALF])
        for (unsigned l = 0; l < EMU_LANES; l++)
            for (unsigned k = 0; k < 2; k++)
                out[k][l] = out[2 * k][l] | out[2 * k + 1][l] << 16;
    for (unsigned k = 0; k < i->n_dst; k++)
        if (i->dst[k].lane)
            emu_store_row(emu_dst(w, &i->dst[k]), out[k], mask, 4);
}

static u32 half_of(const struct tex_result *r, unsigned k)
{
    struct emu_tex_desc f16 = {.n_channel = 1, .channel_bits = 16, .channel_kind = EMU_TEX_FLOAT};
    u32 bits = 0;
    tex_pack_texel(&f16, &r->c[k], true, &bits);
    return bits;
}

/* The most frequent fetch by far, tex1Dfetch of 32-bit elements: no filter, no conversion. False: not that. */
static bool fetch_elements(const struct emu_tex_desc *d, const struct emu_warp *w, const struct emu_inst *i, u32 mask,
                           u64 addr[EMU_LANES], u32 out[4][EMU_LANES])
{
    if (d->shape != EMU_TEX_LINEAR_MEM || !i->aux[AUX_INT] || d->channel_bits != 32 || d->read_normalized ||
        i->aux[AUX_HALF])
        return false;
    const u32 *x = emu_src(w, &i->src[1]), width = d->level[0].width, texel = tex_texel_bytes(d);
    const char *base = (const char *)(uintptr_t)d->level[0].addr;
    for (u32 left = mask; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const bool inside = x[l] < width;
        const u64 at = (u64)(inside ? x[l] : (s32)x[l] < 0 ? 0 : width - 1) * texel;
        addr[l] = d->level[0].addr + at;
        for (unsigned k = 0; inside && k < d->n_channel; k++)
            memcpy(&out[k][l], base + at + 4 * k, 4);
    }
    return true;
}

/* The texel along one dimension of a picture n wide, clamped to it; NaN is 0. */
static u64 clamped_texel(const struct emu_warp *w, const struct emu_inst *i, unsigned dim, unsigned lane, u32 n)
{
    const struct emu_opnd *o = &i->src[1 + dim];
    n = n ? n : 1;
    if (i->aux[AUX_INT]) {
        const s32 x = (s32)lane_u32(w, o, lane);
        return x < 0 ? 0 : (u32)x < n ? (u32)x : n - 1;
    }
    const f32 x = lane_f32(w, o, lane);
    return x >= (f32)n ? n - 1 : x > 0 ? (u32)x : 0;
}

/* The next frequent: point samples of a picture by texel coordinates, without conversion. False: not that. */
static bool fetch_picture(const struct emu_tex_desc *d, const struct emu_warp *w, const struct emu_inst *i, u32 mask,
                          u64 addr[EMU_LANES], u32 out[4][EMU_LANES])
{
    const bool is_float = d->channel_kind == EMU_TEX_FLOAT;
    if (i->ptx->op != PTX_TEX || i->aux[AUX_GEO] != GEO_2D || i->aux[AUX_HALF] || d->n_level != 1 ||
        d->normalized_coords || d->read_normalized ||
        (is_float && (d->channel_bits != 32 || d->filter != EMU_TEX_POINT)) || d->address[0] == EMU_TEX_BORDER ||
        d->address[1] == EMU_TEX_BORDER)
        return false;
    const struct emu_tex_level *level = &d->level[0];
    const u32 texel = tex_texel_bytes(d), bits = d->channel_bits;
    for (u32 left = mask; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const u64 at = clamped_texel(w, i, 1, l, level->height) * level->row_bytes +
                       clamped_texel(w, i, 0, l, level->width) * texel;
        const u8 *p = (const u8 *)(uintptr_t)(addr[l] = level->addr + at);
        for (unsigned k = 0; k < d->n_channel; k++) {
            u32 v = p[k * bits / 8];
            if (bits == 16)
                v |= (u32)p[2 * k + 1] << 8;
            else if (bits == 32)
                memcpy(&v, p + 4 * k, 4);
            out[k][l] = d->channel_kind == EMU_TEX_SIGNED ? (u32)((s32)(v << (32 - bits)) >> (32 - bits)) : v;
        }
    }
    return true;
}

/* Do all lanes name one object? (Its operand has 64-bit lanes.) */
static bool same_handle(const struct emu_warp *w, const struct emu_opnd *o, u32 mask)
{
    const u64 *h = emu_src(w, o);
    u64 differ = 0;
    const u64 first = h[__builtin_ctz(mask)];
    for (u32 left = mask; left; left &= left - 1)
        differ |= h[__builtin_ctz(left)] ^ first;
    return !differ;
}

EMU_HANDLER(tex)
{
    const struct emu_tex_desc *d = NULL;
    u64 handle = 0, addr[EMU_LANES];
    u32 out[4][EMU_LANES] = {{0}};
    if (((i->aux[AUX_GEO] == GEO_1D && i->aux[AUX_INT]) || i->aux[AUX_GEO] == GEO_2D) &&
        same_handle(w, &i->src[0], mask)) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        d = object(w, i, l, lane_handle(w, i, &i->src[0], l), NULL, &handle);
        if (!d)
            return;
        if (fetch_elements(d, w, i, mask, addr, out) || fetch_picture(d, w, i, mask, addr, out)) {
            emu_watch_access(w, i, mask, PTX_S_GLOBAL, addr, tex_texel_bytes(d));
            emu_record(w, i, TRACE_SP_TEX, mask, addr);
            store_results(w, i, mask, out);
            return;
        }
    }
    for (u32 left = mask; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        struct tex_coord c;
        struct tex_result r;
        d = object(w, i, l, lane_handle(w, i, &i->src[0], l), d, &handle);
        if (!d)
            return;
        coordinates(&c, w, i, l);
        level_of_detail(&c, d, w, i, l);
        if (i->ptx->op == PTX_TLD4)
            tex_gather(d, &c, i->aux[AUX_COMP], &r);
        else
            tex_fetch(d, &c, &r);
        addr[l] = r.addr;
        for (unsigned k = 0; k < 4; k++)
            out[k][l] = i->aux[AUX_HALF] ? half_of(&r, k) : r.c[k];
    }
    emu_watch_access(w, i, mask, PTX_S_GLOBAL, addr, tex_texel_bytes(d));
    emu_record(w, i, TRACE_SP_TEX, mask, addr);
    store_results(w, i, mask, out);
}

/* ---- queries ---- */

/* OpenCL's numbers, which txq and suq give. */
static u32 channel_type_number(const struct emu_tex_desc *d)
{
    const unsigned size = d->channel_bits == 8 ? 0 : d->channel_bits == 16 ? 1 : 2;
    if (d->channel_kind == EMU_TEX_FLOAT)
        return d->channel_bits == 16 ? 0x10dd : 0x10de;
    if (d->read_normalized)
        return (d->channel_kind == EMU_TEX_SIGNED ? 0x10d0 : 0x10d2) + size;
    return (d->channel_kind == EMU_TEX_SIGNED ? 0x10d7 : 0x10da) + size;
}

static u32 query(const struct emu_tex_desc *d, enum ptx_mod what, u32 level)
{
    const struct emu_tex_level *l = &d->level[level < d->n_level ? level : d->n_level - 1];
    static const u32 address_number[] = {0, 2, 1, 3}; /* wrap, mirror, clamp to edge, clamp to border */
    switch (what) {
    case PTX_M_WIDTH:
        return l->width;
    case PTX_M_HEIGHT:
        return tex_dims(d) >= 2 ? l->height : 0;
    case PTX_M_DEPTH:
        return tex_dims(d) == 3 ? l->depth : 0;
    case PTX_M_ARRAY_SIZE:
        return d->shape == EMU_TEX_CUBE_LAYERED ? l->depth / 6 : d->shape == EMU_TEX_CUBE ? 1 : l->depth;
    case PTX_M_NUM_MIPMAP_LEVELS:
        return d->n_level;
    case PTX_M_CHANNEL_DATA_TYPE:
        return channel_type_number(d);
    case PTX_M_CHANNEL_ORDER:
        return d->n_channel == 1 ? 0x10b0 : d->n_channel == 2 ? 0x10b2 : 0x10b5;
    case PTX_M_NORMALIZED_COORDS:
        return d->normalized_coords;
    case PTX_M_FILTER_MODE:
        return d->filter == EMU_TEX_LINEAR;
    case PTX_M_ADDR_MODE_0:
    case PTX_M_ADDR_MODE_1:
    case PTX_M_ADDR_MODE_2:
        return address_number[d->address[what - PTX_M_ADDR_MODE_0] & 3];
    default:
        return 0;
    }
}

EMU_HANDLER(txq)
{
    const struct emu_tex_desc *d = NULL;
    u64 handle = 0;
    u32 out[EMU_LANES] = {0};
    for (u32 left = mask; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        d = object(w, i, l, lane_handle(w, i, &i->src[0], l), d, &handle);
        if (!d)
            return;
        out[l] = query(d, (enum ptx_mod)i->imm, i->n_src > 1 ? lane_u32(w, &i->src[1], l) : 0);
    }
    if (i->dst[0].lane)
        emu_store_row(emu_dst(w, &i->dst[0]), out, mask, 4);
}

/* ---- surfaces ---- */

/*
 * The address of a lane's access of `bytes` bytes: x counts bytes (or elements of `scale` bytes), y and z elements. Returns
 * false when it is outside and nothing is to be accessed; *addr is inside the surface in any case.
 */
static bool surface_place(const struct emu_tex_desc *d, const struct emu_warp *w, const struct emu_inst *i,
                          unsigned lane, u32 scale, u32 bytes, u64 *addr)
{
    const struct emu_tex_level *l = &d->level[0];
    const struct emu_opnd *o = &i->src[1];
    const unsigned geo = i->aux[AUX_GEO], dims = geo == GEO_3D ? 3 : geo == GEO_2D || geo == GEO_A2D ? 2 : 1;
    s64 at[3] = {0}, layer = 0;
    if (geo == GEO_A1D || geo == GEO_A2D) {
        layer = (s64)lane_u32(w, o, lane);
        o++;
    }
    for (unsigned k = 0; k < dims; k++)
        at[k] = (s32)lane_u32(w, &o[k], lane);
    at[0] *= scale;
    const s64 row = (s64)l->width * tex_texel_bytes(d), layers = l->depth ? l->depth : 1;
    const s64 end[3] = {row - (s64)bytes, (l->height ? l->height : 1) - 1, layers - 1};
    bool inside = layer < layers;
    for (unsigned k = 0; k < dims; k++) {
        inside = inside && at[k] >= 0 && at[k] <= end[k];
        at[k] = at[k] > end[k] ? end[k] : at[k];
        at[k] = at[k] < 0 ? 0 : at[k];
    }
    const s64 slice = dims == 3 ? at[2] : layer >= layers ? layers - 1 : layer;
    at[0] -= at[0] % (s64)bytes;
    *addr = l->addr + (u64)slice * l->slice_bytes + (u64)at[1] * l->row_bytes + (u64)at[0];
    return inside && end[0] >= 0;
}

/* Finds every lane's place; `*hit` are the lanes that access memory. -1 after a fault. */
static int surface_open(struct emu_warp *w, const struct emu_inst *i, u32 mask, bool by_element, u64 addr[EMU_LANES],
                        const struct emu_tex_desc **desc, u32 *hit)
{
    const struct emu_tex_desc *d = NULL;
    u64 handle = 0;
    u32 at_a_time = 0;
    *hit = 0;
    for (u32 left = mask; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        d = object(w, i, l, lane_handle(w, i, &i->src[0], l), d, &handle);
        if (!d)
            return -1;
        const u32 texel = tex_texel_bytes(d), bytes = by_element ? texel : (u32)i->aux[AUX_BYTES] * i->aux[AUX_VEC];
        desc[l] = d;
        at_a_time = bytes;
        if (bytes > (u64)d->level[0].width * texel) {
            emu_raise(w, i, (int)l, EMU_FAULT_ILLEGAL_ADDRESS,
                      "an access of %u bytes to a surface whose rows have %llu", bytes,
                      (unsigned long long)d->level[0].width * texel);
            return -1;
        }
        if (surface_place(d, w, i, l, by_element ? texel : 1, bytes, &addr[l])) {
            *hit |= 1u << l;
        } else if (i->aux[AUX_OUTSIDE] == OUT_TRAP) {
            emu_raise(w, i, (int)l, EMU_FAULT_ILLEGAL_ADDRESS,
                      "outside the surface of %u x %u x %u elements of %u bytes", d->level[0].width, d->level[0].height,
                      d->level[0].depth, texel);
            return -1;
        } else if (i->aux[AUX_OUTSIDE] == OUT_CLAMP) {
            *hit |= 1u << l;
        }
    }
    if (*hit)
        emu_watch_access(w, i, *hit, PTX_S_GLOBAL, addr, at_a_time);
    emu_record(w, i, TRACE_SP_GLOBAL, mask, addr);
    return 0;
}

EMU_HANDLER(suld)
{
    u64 addr[EMU_LANES];
    const struct emu_tex_desc *d[EMU_LANES];
    u32 hit;
    if (surface_open(w, i, mask, false, addr, d, &hit))
        return;
    const unsigned bytes = i->aux[AUX_BYTES];
    for (unsigned k = 0; k < i->n_dst; k++) {
        const struct emu_opnd *o = &i->dst[k];
        if (!o->lane)
            continue;
        for (u32 left = mask; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctz(left);
            u64 v = 0;
            if (hit >> l & 1)
                memcpy(&v, (const char *)(uintptr_t)addr[l] + k * bytes, bytes);
            memcpy((char *)emu_dst(w, o) + l * o->lane, &v, o->lane);
        }
    }
}

EMU_HANDLER(sust)
{
    u64 addr[EMU_LANES];
    const struct emu_tex_desc *d[EMU_LANES];
    u32 hit;
    if (surface_open(w, i, mask, false, addr, d, &hit))
        return;
    const unsigned bytes = i->aux[AUX_BYTES], first = 1 + i->aux[AUX_COORDS];
    for (unsigned k = 0; k < i->aux[AUX_VEC]; k++) {
        const struct emu_opnd *o = &i->src[first + k];
        for (u32 left = hit; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctz(left);
            memcpy((char *)(uintptr_t)addr[l] + k * bytes, (const char *)emu_src(w, o) + l * o->lane, bytes);
        }
    }
}

/* sust.p: coordinates in elements, values converted to the surface's format. */
EMU_HANDLER(sust_p)
{
    u64 addr[EMU_LANES];
    const struct emu_tex_desc *d[EMU_LANES];
    u32 hit;
    if (surface_open(w, i, mask, true, addr, d, &hit))
        return;
    const unsigned first = 1 + i->aux[AUX_COORDS];
    for (u32 left = hit; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        u32 c[4] = {0};
        for (unsigned k = 0; k < i->aux[AUX_VEC]; k++)
            c[k] = lane_u32(w, &i->src[first + k], l);
        tex_pack_texel(d[l], c, i->aux[AUX_OP] == PTX_T_F32, (void *)(uintptr_t)addr[l]);
    }
}

static u64 reduce(enum reduction op, enum ptx_type t, u64 a, u64 b)
{
    const bool less = t == PTX_T_S32 ? (s32)a < (s32)b : t == PTX_T_S64 ? (s64)a < (s64)b : a < b;
    switch (op) {
    case RED_ADD:
        return a + b;
    case RED_MIN:
        return less ? a : b;
    case RED_MAX:
        return less ? b : a;
    case RED_AND:
        return a & b;
    default:
        return a | b;
    }
}

EMU_HANDLER(sured)
{
    u64 addr[EMU_LANES];
    const struct emu_tex_desc *d[EMU_LANES];
    u32 hit;
    if (surface_open(w, i, mask, ptx_has(i->ptx, PTX_M_P), addr, d, &hit))
        return;
    const struct emu_opnd *o = &i->src[1 + i->aux[AUX_COORDS]];
    const unsigned bytes = i->aux[AUX_BYTES];
    for (u32 left = hit; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        u64 old = 0, v = 0;
        memcpy(&old, (const char *)(uintptr_t)addr[l], bytes);
        memcpy(&v, (const char *)emu_src(w, o) + l * o->lane, bytes);
        v = reduce(i->aux[AUX_OP] & 7, (enum ptx_type)i->imm, old, v);
        memcpy((char *)(uintptr_t)addr[l], &v, bytes);
    }
}

/* ---- selection ---- */

static enum geometry geometry_of(const struct ptx_inst *p)
{
    static const struct {
        u8 mod, geo;
    } known[] = {{PTX_M_1D, GEO_1D},   {PTX_M_2D, GEO_2D},     {PTX_M_3D, GEO_3D},      {PTX_M_A1D, GEO_A1D},
                 {PTX_M_A2D, GEO_A2D}, {PTX_M_CUBE, GEO_CUBE}, {PTX_M_ACUBE, GEO_ACUBE}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (ptx_has(p, known[k].mod))
            return (enum geometry)known[k].geo;
    return GEO_NONE;
}

static unsigned coords_of(enum geometry g)
{
    static const u8 n[] = {[GEO_1D] = 1,  [GEO_2D] = 2,   [GEO_3D] = 3,    [GEO_A1D] = 2,
                           [GEO_A2D] = 3, [GEO_CUBE] = 3, [GEO_ACUBE] = 4, [GEO_NONE] = 0};
    return n[g];
}

static unsigned flat_count(const struct ptx_opnd *o)
{
    return o->kind == PTX_O_VEC || o->kind == PTX_O_PAIR ? o->n : 1;
}

/* Appends the signature of [handle, {coordinates}]; returns their number, or 0 when it is something else. */
static unsigned sig_position(const struct ptx_opnd *o, char **sig)
{
    if (o->kind != PTX_O_TEXADDR || o->n != 2)
        return 0;
    const unsigned n = flat_count(&o->elem[1]);
    *(*sig)++ = 'd';
    memset(*sig, 'w', n);
    *sig += n;
    return n;
}

static int select_tex(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum geometry geo = geometry_of(p);
    const bool gather = p->op == PTX_TLD4;
    if (geo == GEO_NONE || p->n_type < 2)
        return emu_no(why, "this texture geometry is not supported");
    if (gather && geo != GEO_2D && geo != GEO_A2D)
        return emu_no(why, "tld4 of this geometry is not supported");
    const enum ptx_type td = p->type[0], tc = p->type[1];
    const bool half = td == PTX_T_F16X2;
    if (td != PTX_T_F32 && td != PTX_T_U32 && td != PTX_T_S32 && !half)
        return emu_no(why, "this type of texture result is not supported");
    if (tc != PTX_T_F32 && tc != PTX_T_S32)
        return emu_no(why, "this type of texture coordinate is not supported");
    if (p->n_opnd < 2 || flat_count(&p->opnd[0]) != (half ? 2u : 4u))
        return emu_no(why, "a texture fetch gives four components");
    char *at = sel->sig;
    memset(at, 'w', flat_count(&p->opnd[0]));
    at += flat_count(&p->opnd[0]);
    *at++ = '>';
    const unsigned n = sig_position(&p->opnd[1], &at);
    if (n < coords_of(geo) || n > 4)
        return emu_no(why, "this form of texture address is not supported (only objects, without sampler)");
    unsigned rest = 0;
    enum lod_kind lod = LOD_NONE;
    if (ptx_has(p, PTX_M_LEVEL)) {
        lod = LOD_LEVEL;
        rest = 1;
    } else if (ptx_has(p, PTX_M_GRAD)) {
        lod = LOD_GRAD;
        rest = 2;
    }
    if (p->n_opnd != 2 + rest)
        return emu_no(why, "texture offsets and depth compare are not supported");
    for (unsigned k = 0; k < rest; k++) {
        const unsigned m = flat_count(&p->opnd[2 + k]);
        if (m > 4)
            return emu_no(why, "a texture operand has too many elements");
        memset(at, 'w', m);
        at += m;
    }
    memset(sel->src_type, tc, sizeof sel->src_type);
    sel->src_type[0] = PTX_T_U64;
    if (geo == GEO_A1D || geo == GEO_A2D || geo == GEO_ACUBE)
        sel->src_type[1] = PTX_T_U32;
    sel->fn = tex;
    sel->aux[AUX_GEO] = (u8)geo;
    sel->aux[AUX_INT] = tc == PTX_T_S32;
    sel->aux[AUX_COORDS] = (u8)n;
    sel->aux[AUX_LOD] = (u8)lod;
    sel->aux[AUX_COMP] = gather ? ptx_has(p, PTX_M_G) ? 1 : ptx_has(p, PTX_M_B) ? 2 : ptx_has(p, PTX_M_A) ? 3 : 0 : 0;
    sel->aux[AUX_HALF] = half;
    return 0;
}

static int select_query(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static const u8 known[] = {PTX_M_WIDTH,       PTX_M_HEIGHT,        PTX_M_DEPTH,
                               PTX_M_ARRAY_SIZE,  PTX_M_CHANNEL_ORDER, PTX_M_CHANNEL_DATA_TYPE,
                               PTX_M_FILTER_MODE, PTX_M_ADDR_MODE_0,   PTX_M_NUM_MIPMAP_LEVELS,
                               PTX_M_ADDR_MODE_1, PTX_M_ADDR_MODE_2,   PTX_M_NORMALIZED_COORDS};
    unsigned what = PTX_M_NONE;
    for (size_t k = 0; k < sizeof known; k++)
        if (ptx_has(p, known[k]))
            what = known[k];
    if (what == PTX_M_NONE || p->n_opnd < 2)
        return emu_no(why, "this texture query is not supported");
    const bool level = ptx_has(p, PTX_M_LEVEL);
    emu_sig(sel, txq, p->opnd[1].kind == PTX_O_ADDR ? level ? "w>aw" : "w>a" : level ? "w>dw" : "w>d", PTX_T_U32);
    sel->src_type[0] = PTX_T_U64;
    sel->aux[AUX_GEO] = GEO_NONE;
    sel->imm = what;
    return 0;
}

static int select_surface(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum geometry geo = geometry_of(p);
    const bool load = p->op == PTX_SULD, formatted = ptx_has(p, PTX_M_P);
    if (geo == GEO_NONE || geo == GEO_CUBE || geo == GEO_ACUBE || !p->n_type || p->n_opnd != 2)
        return emu_no(why, "this form of surface access is not supported");
    const enum ptx_type t = p->type[0];
    const unsigned bytes = ptx_type_bytes(t);
    const struct ptx_opnd *place = &p->opnd[load ? 1 : 0], *data = &p->opnd[load ? 0 : 1];
    const unsigned n_data = flat_count(data);
    if (!bytes || bytes > 8 || n_data > 4 || (load && formatted) || (formatted && bytes != 4))
        return emu_no(why, "this type of surface access is not supported");
    char *at = sel->sig;
    const char c = bytes == 8 ? 'd' : 'w';
    if (load) {
        memset(at, c, n_data);
        at += n_data;
    }
    *at++ = '>';
    const unsigned n = sig_position(place, &at);
    if (n < coords_of(geo) || n > 4)
        return emu_no(why, "this form of surface address is not supported");
    if (!load)
        memset(at, c, n_data);
    memset(sel->src_type, PTX_T_S32, sizeof sel->src_type);
    sel->src_type[0] = PTX_T_U64;
    for (unsigned k = 0; !load && k < n_data; k++)
        sel->src_type[1 + n + k] = (u8)t;
    sel->aux[AUX_GEO] = (u8)geo;
    sel->aux[AUX_BYTES] = (u8)bytes;
    sel->aux[AUX_COORDS] = (u8)n;
    sel->aux[AUX_VEC] = (u8)n_data;
    sel->aux[AUX_OUTSIDE] = ptx_has(p, PTX_M_CLAMP) ? OUT_CLAMP : ptx_has(p, PTX_M_ZERO) ? OUT_ZERO : OUT_TRAP;
    sel->fn = load ? suld : formatted ? sust_p : sust;
    if (p->op == PTX_SUST)
        sel->aux[AUX_OP] = (u8)t;
    if (p->op == PTX_SURED) {
        static const u8 known[][2] = {
            {PTX_M_ADD, RED_ADD}, {PTX_M_MIN, RED_MIN}, {PTX_M_MAX, RED_MAX}, {PTX_M_AND, RED_AND}, {PTX_M_OR, RED_OR}};
        unsigned op = 8;
        for (size_t k = 0; k < 5; k++)
            if (ptx_has(p, known[k][0]))
                op = known[k][1];
        if (op == 8 || bytes < 4)
            return emu_no(why, "this reduction on a surface is not supported");
        sel->aux[AUX_OP] = (u8)op;
        sel->imm = t;
        sel->fn = sured;
    }
    return 0;
}

int emu_sel_tex(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    switch (p->op) {
    case PTX_TEX:
    case PTX_TLD4:
        return select_tex(p, sel, why);
    case PTX_TXQ:
    case PTX_SUQ:
        return select_query(p, sel, why);
    default:
        return select_surface(p, sel, why);
    }
}
