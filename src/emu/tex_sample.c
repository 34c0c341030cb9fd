/*
 * Texture objects and their sampling, after the CUDA Programming Guide ("Texture Fetching"): address modes, point and
 * linear filtering with coordinates in 1.8 fixed point, layers, cube maps, mipmaps, formats.
 *
 * Filter weights have 8 bits of fraction as the hardware's; the weighted sum is made in f32 with one rounding an
 * operation. Left out: anisotropy, seamless cube edges, block-compressed formats.
 */
#include "emu/tex_sample.h"

#include "base/mem.h"
#include "emu/op_float.h"
#include "emu/state.h"

#include <math.h>

/* ---- objects ---- */
struct emu_tex_table {
    VEC(struct emu_tex_desc *) slot; /* handle - 1; NULL = destroyed. Handles are not used twice */
};

void emu_tex_table_free(struct emu_tex_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->slot.n; i++)
        free(t->slot.p[i]);
    VEC_FREE(&t->slot);
    free(t);
}

uint64_t emu_tex_create(struct emu *e, const struct emu_tex_desc *d)
{
    if (!e->tex)
        e->tex = xcalloc(1, sizeof *e->tex);
    struct emu_tex_desc *copy = xmalloc(sizeof *copy);
    *copy = *d;
    VEC_PUSH(&e->tex->slot, copy);
    return e->tex->slot.n;
}

uint64_t emu_surf_create(struct emu *e, const struct emu_tex_desc *d)
{
    return emu_tex_create(e, d);
}

const struct emu_tex_desc *emu_tex_get(const struct emu *e, uint64_t handle)
{
    return e->tex && handle && handle <= e->tex->slot.n ? e->tex->slot.p[handle - 1] : NULL;
}

int emu_tex_destroy(struct emu *e, uint64_t handle)
{
    if (!emu_tex_get(e, handle))
        return -1;
    free(e->tex->slot.p[handle - 1]);
    e->tex->slot.p[handle - 1] = NULL;
    return 0;
}

/* ---- shapes ---- */
unsigned tex_texel_bytes(const struct emu_tex_desc *d)
{
    return d->n_channel * d->channel_bits / 8u;
}

unsigned tex_dims(const struct emu_tex_desc *d)
{
    switch (d->shape) {
    case EMU_TEX_LINEAR_MEM:
    case EMU_TEX_1D:
    case EMU_TEX_1D_LAYERED:
        return 1;
    case EMU_TEX_3D:
        return 3;
    default:
        return 2;
    }
}

bool tex_is_layered(const struct emu_tex_desc *d)
{
    return d->shape == EMU_TEX_1D_LAYERED || d->shape == EMU_TEX_2D_LAYERED || d->shape == EMU_TEX_CUBE ||
           d->shape == EMU_TEX_CUBE_LAYERED;
}

static uint32_t at_least_one(uint32_t n)
{
    return n ? n : 1;
}

uint64_t tex_level_bytes(const struct emu_tex_desc *d, const struct emu_tex_level *l)
{
    return (at_least_one(l->depth) - 1) * l->slice_bytes + (at_least_one(l->height) - 1) * l->row_bytes +
           (uint64_t)l->width * tex_texel_bytes(d);
}

/* ---- texels ---- */
static bool gives_float(const struct emu_tex_desc *d)
{
    return d->channel_kind == EMU_TEX_FLOAT || d->read_normalized;
}

static float srgb_to_linear(float c)
{
    return c <= 0.04045f ? c / 12.92f : (float)pow((c + 0.055) / 1.055, 2.4); /* in f64: the same on every C library */
}

static uint32_t channel_bits_at(const struct emu_tex_desc *d, const uint8_t *p, unsigned ch)
{
    uint32_t v = 0;
    memcpy(&v, p + ch * d->channel_bits / 8u, d->channel_bits / 8u);
    return v;
}

/* One channel as stored, to a float (gives_float) or an integer of 32 bits. */
static uint32_t channel_value(const struct emu_tex_desc *d, uint32_t v, unsigned ch)
{
    const unsigned bits = d->channel_bits;
    if (d->channel_kind == EMU_TEX_FLOAT)
        return bits == 16 ? emu_f32_bits(f32_of_f16(v)) : v;
    const int32_t sv = bits == 32 ? (int32_t)v : (int32_t)(v << (32 - bits)) >> (32 - bits);
    if (!d->read_normalized)
        return d->channel_kind == EMU_TEX_SIGNED ? (uint32_t)sv : v;
    const float top = (float)((UINT64_C(1) << (bits - (d->channel_kind == EMU_TEX_SIGNED))) - 1);
    float f = d->channel_kind == EMU_TEX_SIGNED ? (float)sv / top : (float)v / top;
    f = f < -1 ? -1 : f;
    return emu_f32_bits(d->srgb && ch < 3 ? srgb_to_linear(f) : f);
}

/* What a fetch outside the image gives in border mode, and in components the format does not have. */
static void border_texel(const struct emu_tex_desc *d, uint32_t out[4])
{
    for (unsigned ch = 0; ch < 4; ch++) {
        const bool absent = ch >= d->n_channel;
        const float f = absent ? (ch == 3 ? 1.0f : 0.0f) : d->border[ch];
        out[ch] = gives_float(d) ? emu_f32_bits(f) : (uint32_t)(int32_t)f;
    }
}

static void read_texel(const struct emu_tex_desc *d, uint64_t addr, uint32_t out[4])
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)addr;
    border_texel(d, out); /* absent components */
    for (unsigned ch = 0; ch < d->n_channel; ch++)
        out[ch] = channel_value(d, channel_bits_at(d, p, ch), ch);
}

/* ---- addressing ---- */
static enum emu_tex_address mode_of(const struct emu_tex_desc *d, unsigned dim)
{
    const enum emu_tex_address m = d->address[dim];
    if (d->shape == EMU_TEX_LINEAR_MEM)
        return EMU_TEX_BORDER; /* outside: zeros */
    if (!d->normalized_coords && (m == EMU_TEX_WRAP || m == EMU_TEX_MIRROR))
        return EMU_TEX_CLAMP; /* defined for normalized coordinates only */
    return m;
}

/* Texel number inside [0, n), or -1: outside in border mode. */
static int64_t wrap_index(enum emu_tex_address m, int64_t i, int64_t n)
{
    switch (m) {
    case EMU_TEX_WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case EMU_TEX_MIRROR:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    case EMU_TEX_BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static int64_t inside(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* A position in texels with 8 bits of fraction. */
static int64_t to_fixed(float x)
{
    const float far = 0x1p+40f;
    if (x != x)
        return 0;
    x = x > far ? far : x < -far ? -far : x;
    return (int64_t)floorf(x * 256.0f + 0.5f);
}

/* One coordinate in texels of a level that is n wide. */
static float in_texels(const struct emu_tex_desc *d, unsigned dim, float x, uint32_t n)
{
    if (!d->normalized_coords)
        return x;
    if (mode_of(d, dim) == EMU_TEX_WRAP) /* only the fraction counts, and it alone keeps its precision */
        x -= floorf(x);
    else if (mode_of(d, dim) == EMU_TEX_MIRROR)
        x -= 2 * floorf(x * 0.5f);
    return x * (float)n;
}

/* The texels along one dimension that a fetch looks at, and the weight of the second. */
struct span {
    int64_t i[2]; /* -1 = border */
    int64_t near; /* the first, moved inside */
    float weight;
};

static struct span span_of(const struct emu_tex_desc *d, unsigned dim, const struct tex_coord *c, uint32_t n,
                           bool linear)
{
    const enum emu_tex_address m = mode_of(d, dim);
    struct span s = {.weight = 0};
    int64_t i;
    if (c->is_int) {
        i = dim == 0 ? c->ix : dim == 1 ? c->iy : c->iz;
    } else {
        const float x = in_texels(d, dim, dim == 0 ? c->x : dim == 1 ? c->y : c->z, n);
        if (linear) {
            const int64_t fixed = to_fixed(x - 0.5f);
            i = fixed >> 8;
            s.weight = (float)(fixed & 255) / 256.0f;
        } else {
            const float limit = 0x1p+40f, f = floorf(x);
            i = f != f ? 0 : (int64_t)(f > limit ? limit : f < -limit ? -limit : f);
        }
    }
    s.i[0] = wrap_index(m, i, n);
    s.i[1] = linear ? wrap_index(m, i + 1, n) : s.i[0];
    s.near = s.i[0] >= 0 ? s.i[0] : inside(i, n);
    return s;
}

/* Turns a direction into a face and a position on it, in [0, 1]. */
static unsigned cube_face(const struct tex_coord *c, float *s, float *t)
{
    const float ax = fabsf(c->x), ay = fabsf(c->y), az = fabsf(c->z);
    unsigned face;
    float m, u, v;
    if (ax >= ay && ax >= az) {
        face = c->x >= 0 ? 0 : 1;
        m = ax, u = c->x >= 0 ? -c->z : c->z, v = -c->y;
    } else if (ay >= az) {
        face = c->y >= 0 ? 2 : 3;
        m = ay, u = c->x, v = c->y >= 0 ? c->z : -c->z;
    } else {
        face = c->z >= 0 ? 4 : 5;
        m = az, u = c->z >= 0 ? c->x : -c->x, v = -c->y;
    }
    *s = m ? (u / m + 1) * 0.5f : 0;
    *t = m ? (v / m + 1) * 0.5f : 0;
    return face;
}

/* ---- one level ---- */
struct view {
    const struct emu_tex_desc *d;
    const struct emu_tex_level *l;
    struct span x, y, z; /* z: of 3-D shapes */
    uint64_t base;       /* address of the layer */
};

static void view_make(struct view *v, const struct emu_tex_desc *d, unsigned level, const struct tex_coord *in,
                      bool linear)
{
    struct tex_coord c = *in;
    struct emu_tex_desc faces; /* a cube's faces: normalized, clamped */
    v->l = &d->level[level];
    uint32_t layer = tex_is_layered(d) ? c.layer : 0;
    if (d->shape == EMU_TEX_CUBE || d->shape == EMU_TEX_CUBE_LAYERED) {
        float s, t;
        const unsigned face = cube_face(in, &s, &t);
        layer = (d->shape == EMU_TEX_CUBE ? 0 : layer) * 6 + face;
        c.x = s;
        c.y = t;
        faces = *d;
        faces.normalized_coords = true;
        faces.address[0] = faces.address[1] = EMU_TEX_CLAMP;
    }
    const uint32_t layers = at_least_one(v->l->depth);
    layer = layer >= layers ? layers - 1 : layer;
    const struct emu_tex_desc *rules = d->shape == EMU_TEX_CUBE || d->shape == EMU_TEX_CUBE_LAYERED ? &faces : d;
    v->d = d;
    v->x = span_of(rules, 0, &c, at_least_one(v->l->width), linear);
    v->y = v->z = (struct span){{0, 0}, 0, 0};
    if (tex_dims(d) >= 2)
        v->y = span_of(rules, 1, &c, at_least_one(v->l->height), linear);
    if (tex_dims(d) == 3)
        v->z = span_of(rules, 2, &c, layers, linear);
    v->base = v->l->addr + (tex_is_layered(d) ? layer * v->l->slice_bytes : 0);
}

static void view_texel(const struct view *v, unsigned i, unsigned j, unsigned k, uint32_t out[4])
{
    const int64_t x = v->x.i[i], y = v->y.i[j], z = v->z.i[k];
    if (x < 0 || y < 0 || z < 0) {
        border_texel(v->d, out);
        return;
    }
    read_texel(v->d,
               v->base + (uint64_t)z * v->l->slice_bytes + (uint64_t)y * v->l->row_bytes +
                   (uint64_t)x * tex_texel_bytes(v->d),
               out);
}

static uint64_t view_addr(const struct view *v)
{
    return v->base + (uint64_t)v->z.near * v->l->slice_bytes + (uint64_t)v->y.near * v->l->row_bytes +
           (uint64_t)v->x.near * tex_texel_bytes(v->d);
}

static void fetch_level(const struct emu_tex_desc *d, unsigned level, const struct tex_coord *c, struct tex_result *r)
{
    const bool linear = d->filter == EMU_TEX_LINEAR && gives_float(d) && !c->is_int && d->shape != EMU_TEX_LINEAR_MEM;
    const unsigned dims = tex_dims(d);
    struct view v;
    view_make(&v, d, level, c, linear);
    r->is_float = gives_float(d);
    r->addr = view_addr(&v);
    if (!linear) {
        view_texel(&v, 0, 0, 0, r->c);
        return;
    }
    float sum[4] = {0};
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        const unsigned i = corner & 1, j = corner >> 1 & 1, k = corner >> 2 & 1;
        float weight = i ? v.x.weight : 1 - v.x.weight;
        if (dims >= 2)
            weight *= j ? v.y.weight : 1 - v.y.weight;
        if (dims == 3)
            weight *= k ? v.z.weight : 1 - v.z.weight;
        if (weight == 0)
            continue;
        uint32_t texel[4];
        view_texel(&v, i, j, k, texel);
        for (unsigned ch = 0; ch < 4; ch++)
            sum[ch] += weight * emu_f32(texel[ch]);
    }
    for (unsigned ch = 0; ch < 4; ch++)
        r->c[ch] = emu_f32_bits(sum[ch]);
}

/* ---- fetches ---- */
void tex_fetch(const struct emu_tex_desc *d, const struct tex_coord *c, struct tex_result *r)
{
    const unsigned top = d->n_level ? d->n_level - 1 : 0;
    float lod = c->lod + d->mip_bias;
    lod = lod < d->min_level ? d->min_level : lod;
    lod = lod > d->max_level ? d->max_level : lod;
    lod = lod > 0 ? lod : 0; /* NaN too */
    lod = lod < (float)top ? lod : (float)top;
    if (d->mip_filter == EMU_TEX_POINT || !gives_float(d) || top == 0) {
        fetch_level(d, (unsigned)floorf(lod + 0.5f), c, r);
        return;
    }
    const unsigned fixed = (unsigned)floorf(lod * 256.0f + 0.5f), level = fixed >> 8;
    const float weight = (float)(fixed & 255) / 256.0f;
    fetch_level(d, level, c, r);
    if (weight == 0)
        return;
    struct tex_result next;
    fetch_level(d, level + 1 > top ? top : level + 1, c, &next);
    for (unsigned ch = 0; ch < 4; ch++)
        r->c[ch] = emu_f32_bits((1 - weight) * emu_f32(r->c[ch]) + weight * emu_f32(next.c[ch]));
}

void tex_gather(const struct emu_tex_desc *d, const struct tex_coord *c, unsigned comp, struct tex_result *r)
{
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct view v;
    view_make(&v, d, 0, c, true);
    r->is_float = gives_float(d);
    r->addr = view_addr(&v);
    for (unsigned n = 0; n < 4; n++) {
        uint32_t texel[4];
        view_texel(&v, corner[n][0], corner[n][1], 0, texel);
        r->c[n] = texel[comp];
    }
}

float tex_lod_of_grad(const struct emu_tex_desc *d, const float dx[3], const float dy[3])
{
    const struct emu_tex_level *l = &d->level[0];
    const float size[3] = {(float)l->width, (float)l->height, (float)l->depth};
    float along[2] = {0, 0};
    for (unsigned k = 0; k < tex_dims(d); k++) {
        const float scale = d->normalized_coords ? size[k] : 1;
        along[0] += dx[k] * scale * (dx[k] * scale);
        along[1] += dy[k] * scale * (dy[k] * scale);
    }
    const float most = along[0] > along[1] ? along[0] : along[1];
    return most > 0 ? (float)(0.5 * log2(most)) : -HUGE_VALF;
}

/* ---- formatted stores ---- */
void tex_pack_texel(const struct emu_tex_desc *d, const uint32_t c[4], bool is_float, void *texel)
{
    uint8_t *p = texel;
    const unsigned bits = d->channel_bits;
    for (unsigned ch = 0; ch < d->n_channel; ch++) {
        uint32_t v = c[ch];
        if (d->channel_kind == EMU_TEX_FLOAT) {
            v = bits == 16 ? f16_of_f32(emu_f32(v)) : v;
        } else if (is_float) { /* normalized: [0, 1] or [-1, 1] to the whole range */
            const bool is_signed = d->channel_kind == EMU_TEX_SIGNED;
            const float top = (float)((UINT64_C(1) << (bits - is_signed)) - 1), low = is_signed ? -1 : 0;
            float f = emu_f32(v);
            f = f > 1 ? 1 : f > low ? f : low;
            v = (uint32_t)(int32_t)(int64_t)rintf(f * top);
        } else if (d->channel_kind == EMU_TEX_SIGNED && bits < 32) {
            const int32_t top = (1 << (bits - 1)) - 1, s = (int32_t)v;
            v = (uint32_t)(s > top ? top : s < -top - 1 ? -top - 1 : s);
        } else if (bits < 32) {
            const uint32_t top = (1u << bits) - 1;
            v = v > top ? top : v;
        }
        memcpy(p + ch * bits / 8, &v, bits / 8);
    }
}
