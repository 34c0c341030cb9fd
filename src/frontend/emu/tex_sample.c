/*
 * Sampling of texture objects, after the CUDA Programming Guide ("Texture Fetching"): address modes, point and
 * linear filtering with coordinates in 1.8 fixed point, layers, cube maps, mipmaps, formats.
 *
 * Filter weights have 8 bits of fraction as the hardware's; the weighted sum is made in f32 with one rounding an
 * operation. Left out: anisotropy, seamless cube edges, block-compressed formats.
 */
#include "emu/tex_sample.h"

#include "emu/op_float.h"

#include <math.h>

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

/* The hardware's table has 8 significant bits. In f64, so that it is the same with every C library. */
static float srgb_to_linear(float c)
{
    const double linear = c <= 0.04045f ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    return f32_of_bf16(bf16_of_f32((float)linear));
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

/* Border colors have no more precision than the format; halves are rounded down. */
static float border_channel(const struct emu_tex_desc *d, float f)
{
    if (d->channel_kind == EMU_TEX_FLOAT || d->channel_bits != 8)
        return f;
    const float top = d->channel_kind == EMU_TEX_SIGNED ? 127 : 255, low = d->channel_kind == EMU_TEX_SIGNED ? -1 : 0;
    f = f > 1 ? 1 : f > low ? f : low;
    return ceilf(f * top - 0.5f) / top;
}

/* What a fetch outside the image gives in border mode, and in components the format does not have. */
static void border_texel(const struct emu_tex_desc *d, uint32_t out[4])
{
    for (unsigned ch = 0; ch < 4; ch++) {
        const bool absent = ch >= d->n_channel;
        const float f = absent || d->shape == EMU_TEX_LINEAR_MEM ? 0.0f : d->border[ch];
        out[ch] = gives_float(d) ? emu_f32_bits(f ? border_channel(d, f) : f) : (uint32_t)(int32_t)f;
    }
}

static void read_texel(const struct emu_tex_desc *d, uint64_t addr, uint32_t out[4])
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)addr;
    const bool as_it_is = d->channel_bits == 32 && !d->read_normalized;
    out[0] = out[1] = out[2] = out[3] = 0; /* absent components */
    for (unsigned ch = 0; ch < d->n_channel; ch++)
        if (as_it_is)
            memcpy(&out[ch], p + 4 * ch, 4);
        else
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
static int64_t to_fixed(double x)
{
    const double far = 0x1p+40f;
    if (x != x)
        return 0;
    x = x > far ? far : x < -far ? -far : x;
    return (int64_t)floor(x * 256 + 0.5);
}

/* One coordinate in texels of a level that is n wide. */
static double in_texels(const struct emu_tex_desc *d, unsigned dim, float x, uint32_t n)
{
    if (!d->normalized_coords)
        return x;
    if (mode_of(d, dim) == EMU_TEX_WRAP)
        x -= floorf(x);
    else if (mode_of(d, dim) == EMU_TEX_MIRROR)
        x -= 2 * floorf(x * 0.5f);
    return floor(x * 0x1p+21) * 0x1p-21 * n;
}

/* What a fetch looks at: one texel, two along each dimension to be filtered, or two as they are. */
enum look { LOOK_POINT, LOOK_FILTER, LOOK_GATHER };

/* The texels along one dimension that a fetch looks at, and the weight of the second. */
struct span {
    int64_t i[2];    /* -1 = border */
    int64_t near;    /* the first, moved inside */
    unsigned weight; /* of the second, in 1/256 */
};

static struct span span_of(const struct emu_tex_desc *d, unsigned dim, const struct tex_coord *c, uint32_t n,
                           enum look look)
{
    const enum emu_tex_address m = mode_of(d, dim);
    const bool linear = look != LOOK_POINT;
    struct span s = {.weight = 0};
    int64_t i;
    if (c->is_int) {
        i = dim == 0 ? c->ix : dim == 1 ? c->iy : c->iz;
    } else {
        const double x = in_texels(d, dim, dim == 0 ? c->x : dim == 1 ? c->y : c->z, n);
        if (linear) {
            int64_t fixed = to_fixed(x - 0.5);
            if (m == EMU_TEX_CLAMP && look == LOOK_FILTER)
                fixed = fixed < 0 ? 0 : fixed > ((int64_t)n - 1) * 256 ? ((int64_t)n - 1) * 256 : fixed;
            i = fixed >> 8;
            s.weight = (unsigned)(fixed & 255);
        } else {
            const double limit = 0x1p+40, f = floor(x);
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
                      enum look look)
{
    struct tex_coord c = *in;
    struct emu_tex_desc faces; /* a cube's faces: normalized, clamped */
    v->l = &d->level[level];
    uint32_t layer = tex_is_layered(d) ? c.layer : 0;
    if (d->shape == EMU_TEX_CUBE || d->shape == EMU_TEX_CUBE_LAYERED) {
        float s, t;
        const unsigned face = cube_face(in, &s, &t);
        const uint32_t cubes = at_least_one(v->l->depth / 6);
        layer = d->shape == EMU_TEX_CUBE ? 0 : layer >= cubes ? cubes - 1 : layer;
        layer = layer * 6 + face;
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
    v->x = span_of(rules, 0, &c, at_least_one(v->l->width), look);
    v->y = v->z = (struct span){{0, 0}, 0, 0};
    if (d->shape == EMU_TEX_1D && look == LOOK_FILTER && d->address[1] == EMU_TEX_BORDER)
        v->y = (struct span){{-1, 0}, 0, 128}; /* a line is an image one texel high, looked at along its upper edge */
    if (tex_dims(d) >= 2)
        v->y = span_of(rules, 1, &c, at_least_one(v->l->height), look);
    if (tex_dims(d) == 3)
        v->z = span_of(rules, 2, &c, layers, look);
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

/*
 * Weights of the four texels of a square (or the two of a line: y = 0) that share the weight `total`, all in 1/256. The
 * hardware rounds after each split and gives the rest to the neighbor, so that they always add up.
 */
static void square_weights(unsigned total, unsigned x, unsigned y, unsigned w[4])
{
    w[1] = (total * x + 128) >> 8;
    w[0] = total - w[1];
    w[2] = (w[0] * y + 127) >> 8;
    w[3] = (w[1] * y + 128) >> 8;
    w[0] -= w[2];
    w[1] -= w[3];
}

/* f32 is filtered in f32, f16 and sRGB in f16, other normalized formats as integers of 16 bits. */
static bool filters_float(const struct emu_tex_desc *d)
{
    return d->channel_kind == EMU_TEX_FLOAT || d->srgb;
}
/* What 1 is in those integers. */
static double filter_top(const struct emu_tex_desc *d)
{
    return d->channel_kind == EMU_TEX_SIGNED ? 32767 : 65535;
}
static double filter_input(const struct emu_tex_desc *d, uint32_t channel)
{
    const double v = emu_f32(channel);
    if (filters_float(d))
        return v;
    return d->channel_kind == EMU_TEX_SIGNED && d->channel_bits == 8 ? v * filter_top(d) : rint(v * filter_top(d));
}

/* Adds a level's texels, weighted to `share` of 256 in all, to sum (in 1/256). */
static void add_linear(const struct emu_tex_desc *d, unsigned level, const struct tex_coord *c, unsigned share,
                       double sum[4], uint64_t *addr)
{
    struct view v;
    view_make(&v, d, level, c, LOOK_FILTER);
    *addr = view_addr(&v);
    const unsigned far = (share * v.z.weight + 128) >> 8;
    for (unsigned k = 0; k < 2; k++) {
        unsigned w[4];
        square_weights(k ? far : share - far, v.x.weight, v.y.weight, w);
        for (unsigned corner = 0; corner < 4; corner++) {
            uint32_t texel[4];
            if (!w[corner])
                continue;
            view_texel(&v, corner & 1, corner >> 1, k, texel);
            for (unsigned ch = 0; ch < d->n_channel; ch++)
                sum[ch] += w[corner] * filter_input(d, texel[ch]);
        }
    }
}

static void fetch_point(const struct emu_tex_desc *d, unsigned level, const struct tex_coord *c, struct tex_result *r)
{
    struct view v;
    view_make(&v, d, level, c, LOOK_POINT);
    r->addr = view_addr(&v);
    view_texel(&v, 0, 0, 0, r->c);
}

/* To f32 as the filter rounds: halves away from zero. */
static float round_f32(double v)
{
    const double up = emu_f64(emu_f64_bits(v) + (1ull << 28)); /* half of the last bit of f32 */
    return v > -0x1p-126 && v < 0x1p-126 ? (float)v : (float)emu_f64(emu_f64_bits(up) & ~((1ull << 29) - 1));
}

/* A filtered value in the precision the filter works in. */
static float filtered(const struct emu_tex_desc *d, double v)
{
    if (!filters_float(d))
        return (float)(floor(v + 0.5) / filter_top(d));
    if (d->channel_bits == 32)
        return round_f32(v);
    /* f16, halves away from zero: to nearest even once the half is not a half any more */
    return f32_of_f16(f16_of_f32((float)(v * (1 + 0x1p-20))));
}

/* ---- fetches ---- */
void tex_fetch(const struct emu_tex_desc *d, const struct tex_coord *c, struct tex_result *r)
{
    const bool is_float = gives_float(d);
    const bool linear = d->filter == EMU_TEX_LINEAR && is_float && !c->is_int && d->shape != EMU_TEX_LINEAR_MEM;
    const unsigned top = d->n_level ? d->n_level - 1 : 0;
    float lod = c->lod + d->mip_bias;
    lod = lod < d->min_level ? d->min_level : lod;
    lod = lod > d->max_level ? d->max_level : lod;
    lod = lod > 0 ? lod : 0; /* NaN too */
    lod = lod < (float)top ? lod : (float)top;
    const bool between = d->mip_filter == EMU_TEX_LINEAR && is_float && top > 0;
    const unsigned fixed = between ? (unsigned)floorf(lod * 256.0f + 0.5f) : (unsigned)floorf(lod + 0.5f) << 8;
    const unsigned level = fixed >> 8, next = fixed & 255; /* next: share of the level after */
    r->is_float = is_float;
    if (!linear && !next) {
        fetch_point(d, level, c, r);
        return;
    }
    double sum[4] = {0};
    for (unsigned k = 0; k < 2; k++) {
        const unsigned share = k ? next : 256 - next;
        struct tex_result part;
        if (!share)
            continue;
        if (linear) {
            add_linear(d, level + k, c, share, sum, &part.addr);
        } else {
            fetch_point(d, level + k, c, &part);
            for (unsigned ch = 0; ch < d->n_channel; ch++)
                sum[ch] += share * filter_input(d, part.c[ch]);
        }
        if (k == 0)
            r->addr = part.addr;
    }
    for (unsigned ch = 0; ch < 4; ch++)
        r->c[ch] = ch < d->n_channel ? emu_f32_bits(filtered(d, sum[ch] / 256)) : 0;
}

void tex_gather(const struct emu_tex_desc *d, const struct tex_coord *c, unsigned comp, struct tex_result *r)
{
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct view v;
    view_make(&v, d, 0, c, LOOK_GATHER);
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
    const double size[3] = {l->width, l->height, l->depth};
    double xx = 0, yy = 0, xy = 0;
    for (unsigned k = 0; k < tex_dims(d); k++) {
        const double scale = d->normalized_coords ? size[k] : 1, x = dx[k] * scale, y = dy[k] * scale;
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    /* The longer axis of the ellipse that a pixel's circle becomes: the largest eigenvalue of J * J'. */
    const double half = (xx + yy) / 2, most = half + sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
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
