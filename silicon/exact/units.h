/*
 * Matrix and texture instructions as they are compared with real silicon: the cases, their kernels and their inputs.
 *
 * The GPU's side (silicon/exact/units.cu) and weir's (units_test.c) include this file, so both run the very same PTX on
 * the very same inputs. Results are stored case after case in the order of unit_cases.
 * Three kinds of case:
 *   mma    registers -> one mma -> registers; 8 blocks of one warp with inputs of their own
 *   frag   wmma.load of a matrix whose elements are numbers, to see which lane holds what
 *   wmma   load a, b and c, multiply, store d; small whole numbers, so that every sum is exact
 *   tex    128 fetches at positions that include texel centres, edges and places far outside
 */
#ifndef WEIR_TESTS_SILICON_UNITS_H
#define WEIR_TESTS_SILICON_UNITS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unit_kind { UNIT_MMA, UNIT_FRAG, UNIT_WMMA, UNIT_TEX };
enum { UNIT_BLOCKS = 8, UNIT_FETCHES = 128, UNIT_TEX_WORDS = 8, UNIT_MAX_CASES = 400 };

/* As enum emu_tex_shape, emu_tex_address, ... of src/frontend/emu/tex.h. */
enum unit_tex_shape { UT_LINEAR_MEM, UT_1D, UT_2D, UT_3D, UT_1D_LAYERED, UT_2D_LAYERED, UT_CUBE, UT_CUBE_LAYERED };
enum unit_tex_op { UT_FETCH, UT_FETCH_INT, UT_LEVEL, UT_GRAD, UT_GATHER, UT_SULD_ZERO, UT_SULD_CLAMP };

struct unit_tex {
    uint8_t shape, op, n_channel, bits, kind; /* kind: 0 signed, 1 unsigned, 2 float */
    uint8_t address, filter, mip_filter, normalized, read_normalized, srgb, comp;
    uint32_t w, h, d, levels; /* d: depth or layers (6 a cube) */
};

struct unit_case {
    enum unit_kind kind;
    char name[96]; /* opcode of mma and wmma forms */
    /* mma, frag, wmma */
    unsigned n_d, n_a, n_b, n_c; /* registers */
    unsigned m, n, k;
    char type[8], type_c[8], type_d[8];               /* of a and b; of c and d */
    char layout_a[4], layout_b[4], layout_c[4], role; /* role: of frag */
    struct unit_tex tex;
};

/* ---- numbers ---- */
static inline uint64_t unit_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
static inline uint64_t unit_rand(uint32_t c, uint32_t a, uint32_t b)
{
    return unit_mix(unit_mix((uint64_t)c << 32 | a) ^ b);
}
static inline uint32_t unit_f32_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static inline unsigned unit_bits(const char *type)
{
    if (!strcmp(type, "f64"))
        return 64;
    if (!strcmp(type, "f32") || !strcmp(type, "tf32") || !strcmp(type, "s32"))
        return 32;
    if (!strcmp(type, "f16") || !strcmp(type, "bf16"))
        return 16;
    if (!strcmp(type, "s8") || !strcmp(type, "u8") || !strcmp(type, "e4m3") || !strcmp(type, "e5m2"))
        return 8;
    return strcmp(type, "b1") ? 4 : 1;
}

/* A random element. Blocks 0-3: magnitudes near 1; 4-5: a wide range; 6: whole numbers; 7: specials among them. */
static inline uint64_t unit_element(const char *type, uint32_t block, uint64_t r)
{
    unsigned fraction = 0, bias = 0, bits = unit_bits(type);
    if (!strcmp(type, "f16"))
        fraction = 10, bias = 15;
    else if (!strcmp(type, "bf16"))
        fraction = 7, bias = 127;
    else if (!strcmp(type, "tf32") || !strcmp(type, "f32"))
        fraction = 23, bias = 127;
    else if (!strcmp(type, "f64"))
        fraction = 52, bias = 1023;
    else if (!strcmp(type, "e4m3"))
        fraction = 3, bias = 7;
    else if (!strcmp(type, "e5m2"))
        fraction = 2, bias = 15;
    else
        return bits == 32 ? r & 0xffffffff : r & ((1ull << bits) - 1);
    uint64_t sign = r >> 63, mantissa = r & ((1ull << fraction) - 1), exponent;
    uint32_t pick = (uint32_t)(r >> 54 & 255);
    if (block < 4) {
        exponent = bias - 3 + pick % 5;
    } else if (block < 6) {
        uint32_t span = bias < 12 ? bias : 12;
        exponent = bias - span + pick % (span + span / 2);
    } else if (block == 6) {
        exponent = bias + pick % 3;
        mantissa &= ~((1ull << (fraction - 2)) - 1);
    } else {
        exponent = pick < 3 ? 2 * bias + 1 : pick < 12 ? 0 : bias - 3 + pick % 5;
        if (pick < 2)
            mantissa = 0; /* infinity, or the largest of e4m3 */
        if (pick >= 12 && pick < 20)
            exponent = 0, mantissa = 0;
    }
    return sign << (bits - 1) | exponent << fraction | mantissa;
}

/* ---- cases ---- */
static inline struct unit_case *unit_add(struct unit_case *list, unsigned *n, enum unit_kind kind, const char *name)
{
    struct unit_case *c = &list[(*n)++];
    memset(c, 0, sizeof *c);
    c->kind = kind;
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

static inline void unit_add_mma(struct unit_case *list, unsigned *n, const char *shape, unsigned m, unsigned nn,
                                unsigned k, const char *d, const char *a, const char *b, const char *c,
                                const char *extra)
{
    char name[96];
    snprintf(name, sizeof name, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s", shape,
             !strcmp(extra, ".satfinite") ? extra : "", d, a, b, c, strcmp(extra, ".satfinite") ? extra : "");
    struct unit_case *u = unit_add(list, n, UNIT_MMA, name);
    u->m = m, u->n = nn, u->k = k;
    snprintf(u->type, sizeof u->type, "%s", a);
    snprintf(u->type_c, sizeof u->type_c, "%s", c);
    snprintf(u->type_d, sizeof u->type_d, "%s", d);
    const unsigned reg = unit_bits(a) == 64 ? 64 : 32, reg_c = unit_bits(c) == 64 ? 64 : 32;
    const unsigned at_once = !strcmp(shape, "m8n8k4") && unit_bits(a) == 16 ? 4 : 1; /* Volta's form: four products */
    u->n_a = at_once * m * k * unit_bits(a) / 32 / reg;
    u->n_b = at_once * nn * k * unit_bits(a) / 32 / reg;
    u->n_c = at_once * m * nn * unit_bits(c) / 32 / reg_c;
    u->n_d = at_once * m * nn * unit_bits(d) / 32 / reg_c;
}

static inline unsigned unit_wmma_regs(const char *type, unsigned elements, int is_ab)
{
    if (is_ab && !strcmp(type, "f16"))
        return 8;
    return elements * unit_bits(type) / 32 / (unit_bits(type) == 64 ? 64 : 32);
}

static inline void unit_add_frag(struct unit_case *list, unsigned *n, char role, const char *layout, unsigned m,
                                 unsigned nn, unsigned k, const char *type)
{
    char name[96];
    snprintf(name, sizeof name, "wmma.load.%c.sync.aligned.%s.m%un%uk%u.global.%s", role, layout, m, nn, k, type);
    struct unit_case *u = unit_add(list, n, UNIT_FRAG, name);
    u->m = m, u->n = nn, u->k = k;
    u->role = role;
    snprintf(u->type, sizeof u->type, "%s", type);
    snprintf(u->layout_a, sizeof u->layout_a, "%s", layout);
    u->n_d = unit_wmma_regs(type, role == 'a' ? m * k : role == 'b' ? k * nn : m * nn, role != 'c');
}

static inline void unit_add_wmma(struct unit_case *list, unsigned *n, unsigned m, unsigned nn, unsigned k,
                                 const char *d, const char *a, const char *c, const char *la, const char *lb,
                                 const char *lc)
{
    char name[96];
    if (!strcmp(a, "f16"))
        snprintf(name, sizeof name, "wmma.mma.sync.aligned.%s.%s.m%un%uk%u.%s.%s", la, lb, m, nn, k, d, c);
    else
        snprintf(name, sizeof name, "wmma.mma.sync.aligned.%s.%s.m%un%uk%u.%s%s.%s.%s.%s", la, lb, m, nn, k,
                 strcmp(a, "f64") ? "" : "rn.", d, a, a, c);
    struct unit_case *u = unit_add(list, n, UNIT_WMMA, name);
    u->m = m, u->n = nn, u->k = k;
    snprintf(u->type, sizeof u->type, "%s", a);
    snprintf(u->type_c, sizeof u->type_c, "%s", c);
    snprintf(u->type_d, sizeof u->type_d, "%s", d);
    snprintf(u->layout_a, sizeof u->layout_a, "%s", la);
    snprintf(u->layout_b, sizeof u->layout_b, "%s", lb);
    snprintf(u->layout_c, sizeof u->layout_c, "%s", lc);
    u->n_a = unit_wmma_regs(a, m * k, 1);
    u->n_b = unit_wmma_regs(a, nn * k, 1);
    u->n_c = unit_wmma_regs(c, m * nn, 0);
    u->n_d = unit_wmma_regs(d, m * nn, 0);
}

static inline void unit_add_tex(struct unit_case *list, unsigned *n, struct unit_tex t)
{
    char name[96];
    snprintf(name, sizeof name, "tex shape %u op %u %ux%u bits kind %u address %u filter %u norm %u read %u srgb %u",
             t.shape, t.op, t.n_channel, t.bits, t.kind, t.address, t.filter, t.normalized, t.read_normalized, t.srgb);
    unit_add(list, n, UNIT_TEX, name)->tex = t;
}

static inline void unit_tex_cases(struct unit_case *list, unsigned *n)
{
    static const struct unit_tex shapes[] = {
        {UT_1D, 0, 1, 32, 2, 0, 0, 0, 0, 0, 0, 0, 37, 0, 0, 1},
        {UT_2D, 0, 1, 32, 2, 0, 0, 0, 0, 0, 0, 0, 19, 13, 0, 1},
        {UT_2D, 0, 4, 8, 1, 0, 0, 0, 0, 1, 0, 0, 16, 8, 0, 1},
        {UT_3D, 0, 1, 32, 2, 0, 0, 0, 0, 0, 0, 0, 7, 5, 6, 1},
        {UT_1D_LAYERED, 0, 2, 32, 2, 0, 0, 0, 0, 0, 0, 0, 11, 0, 3, 1},
        {UT_2D_LAYERED, 0, 1, 32, 2, 0, 0, 0, 0, 0, 0, 0, 9, 7, 4, 1},
    };
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned address = 0; address < 4; address++)
            for (unsigned filter = 0; filter < 2; filter++)
                for (unsigned normalized = 0; normalized < 2; normalized++) {
                    struct unit_tex t = shapes[s];
                    t.address = (uint8_t)address;
                    t.filter = (uint8_t)filter;
                    t.normalized = (uint8_t)normalized;
                    if (!normalized && (address == 0 || address == 2))
                        continue;
                    unit_add_tex(list, n, t);
                }
    /* Formats, with clamped unnormalized coordinates: as elements, and as normalized floats both ways. */
    static const uint8_t format[][3] = {{8, 0, 1},  {8, 1, 1},  {8, 1, 2},  {16, 0, 2}, {16, 1, 4}, {16, 2, 1},
                                        {16, 2, 4}, {32, 0, 1}, {32, 1, 4}, {32, 2, 2}, {32, 2, 4}};
    for (unsigned f = 0; f < sizeof format / sizeof *format; f++)
        for (unsigned read = 0; read < 3; read++) { /* 0: elements; 1, 2: floats by point and linear filter */
            struct unit_tex t = {UT_2D, 0, format[f][2], format[f][0], format[f][1], 1, 0, 0, 0, 0, 0, 0, 12, 6, 0, 1};
            if (format[f][0] == 32 && format[f][1] != 2 && read)
                continue;
            if (format[f][1] == 2 && read == 1)
                continue;
            t.read_normalized = read && format[f][1] != 2;
            t.filter = read == 2;
            unit_add_tex(list, n, t);
        }
    struct unit_tex srgb = {UT_2D, 0, 4, 8, 1, 1, 0, 0, 0, 1, 1, 0, 12, 6, 0, 1};
    unit_add_tex(list, n, srgb);
    srgb.filter = 1;
    unit_add_tex(list, n, srgb);
    struct unit_tex linear = {UT_LINEAR_MEM, UT_FETCH_INT, 1, 32, 2, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 1};
    unit_add_tex(list, n, linear);
    linear.n_channel = 4;
    linear.kind = 0;
    unit_add_tex(list, n, linear);
    for (unsigned filter = 0; filter < 2; filter++) {
        struct unit_tex cube = {UT_CUBE, 0, 1, 32, 2, 1, (uint8_t)filter, 0, 1, 0, 0, 0, 8, 8, 6, 1};
        unit_add_tex(list, n, cube);
        cube.shape = UT_CUBE_LAYERED;
        cube.d = 12;
        unit_add_tex(list, n, cube);
        for (unsigned mip = 0; mip < 2; mip++)
            for (unsigned op = UT_LEVEL; op <= UT_GRAD; op++) {
                struct unit_tex level = {UT_2D, (uint8_t)op, 1,  32, 2, 0, (uint8_t)filter, (uint8_t)mip, 1, 0,
                                         0,     0,           32, 16, 0, 5};
                unit_add_tex(list, n, level);
            }
    }
    for (unsigned comp = 0; comp < 4; comp++) {
        struct unit_tex gather = {UT_2D, UT_GATHER, 4, 32, 2, (uint8_t)comp, 0, 0, 1, 0, 0, (uint8_t)comp, 10, 9, 0, 1};
        unit_add_tex(list, n, gather);
    }
    for (unsigned op = UT_SULD_ZERO; op <= UT_SULD_CLAMP; op++) {
        struct unit_tex surface = {UT_2D, (uint8_t)op, 1, 32, 1, 0, 0, 0, 0, 0, 0, 0, 9, 5, 0, 1};
        unit_add_tex(list, n, surface);
        surface.n_channel = 4;
        surface.bits = 8;
        unit_add_tex(list, n, surface);
    }
}

/* Fills list (room for UNIT_MAX_CASES) and returns how many there are. */
static inline unsigned unit_cases(struct unit_case *list)
{
    unsigned n = 0;
    unit_add_mma(list, &n, "m16n8k16", 16, 8, 16, "f32", "f16", "f16", "f32", "");
    unit_add_mma(list, &n, "m16n8k8", 16, 8, 8, "f32", "f16", "f16", "f32", "");
    unit_add_mma(list, &n, "m16n8k16", 16, 8, 16, "f16", "f16", "f16", "f16", "");
    unit_add_mma(list, &n, "m16n8k8", 16, 8, 8, "f16", "f16", "f16", "f16", "");
    unit_add_mma(list, &n, "m16n8k16", 16, 8, 16, "f32", "bf16", "bf16", "f32", "");
    unit_add_mma(list, &n, "m16n8k8", 16, 8, 8, "f32", "bf16", "bf16", "f32", "");
    unit_add_mma(list, &n, "m16n8k8", 16, 8, 8, "f32", "tf32", "tf32", "f32", "");
    unit_add_mma(list, &n, "m16n8k4", 16, 8, 4, "f32", "tf32", "tf32", "f32", "");
    unit_add_mma(list, &n, "m16n8k32", 16, 8, 32, "f32", "e4m3", "e4m3", "f32", "");
    unit_add_mma(list, &n, "m16n8k32", 16, 8, 32, "f32", "e5m2", "e5m2", "f32", "");
    unit_add_mma(list, &n, "m8n8k4", 8, 8, 4, "f64", "f64", "f64", "f64", "");
    unit_add_mma(list, &n, "m16n8k4", 16, 8, 4, "f64", "f64", "f64", "f64", "");
    unit_add_mma(list, &n, "m16n8k8", 16, 8, 8, "f64", "f64", "f64", "f64", "");
    unit_add_mma(list, &n, "m16n8k16", 16, 8, 16, "f64", "f64", "f64", "f64", "");
    unit_add_mma(list, &n, "m8n8k4", 8, 8, 4, "f32", "f16", "f16", "f32", "");
    unit_add_mma(list, &n, "m8n8k4", 8, 8, 4, "f16", "f16", "f16", "f16", "");
    unit_add_mma(list, &n, "m8n8k16", 8, 8, 16, "s32", "s8", "s8", "s32", "");
    unit_add_mma(list, &n, "m16n8k16", 16, 8, 16, "s32", "u8", "s8", "s32", "");
    unit_add_mma(list, &n, "m16n8k32", 16, 8, 32, "s32", "u8", "u8", "s32", "");
    unit_add_mma(list, &n, "m16n8k32", 16, 8, 32, "s32", "s8", "s8", "s32", ".satfinite");
    unit_add_mma(list, &n, "m8n8k32", 8, 8, 32, "s32", "s4", "s4", "s32", "");
    unit_add_mma(list, &n, "m16n8k32", 16, 8, 32, "s32", "u4", "s4", "s32", "");
    unit_add_mma(list, &n, "m16n8k64", 16, 8, 64, "s32", "s4", "s4", "s32", "");
    unit_add_mma(list, &n, "m8n8k128", 8, 8, 128, "s32", "b1", "b1", "s32", ".xor.popc");
    unit_add_mma(list, &n, "m16n8k128", 16, 8, 128, "s32", "b1", "b1", "s32", ".and.popc");
    unit_add_mma(list, &n, "m16n8k256", 16, 8, 256, "s32", "b1", "b1", "s32", ".xor.popc");
    static const unsigned shape[][3] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
    static const char *const layout[] = {"row", "col"};
    for (unsigned s = 0; s < 3; s++) {
        const unsigned m = shape[s][0], nn = shape[s][1], k = shape[s][2];
        for (unsigned l = 0; l < 2; l++) {
            static const char *const types[] = {"f16", "bf16", "s8"};
            for (unsigned t = 0; t < 3; t++) {
                unit_add_frag(list, &n, 'a', layout[l], m, nn, k, types[t]);
                unit_add_frag(list, &n, 'b', layout[l], m, nn, k, types[t]);
            }
            unit_add_frag(list, &n, 'c', layout[l], m, nn, k, "f16");
            unit_add_frag(list, &n, 'c', layout[l], m, nn, k, "f32");
            unit_add_frag(list, &n, 'c', layout[l], m, nn, k, "s32");
        }
        unit_add_wmma(list, &n, m, nn, k, "f32", "f16", "f32", "row", "col", "row");
        unit_add_wmma(list, &n, m, nn, k, "f16", "f16", "f16", "col", "row", "col");
        unit_add_wmma(list, &n, m, nn, k, "f32", "f16", "f16", "row", "row", "col");
        unit_add_wmma(list, &n, m, nn, k, "f32", "bf16", "f32", "col", "col", "row");
        unit_add_wmma(list, &n, m, nn, k, "s32", "s8", "s32", "row", "col", "row");
        unit_add_wmma(list, &n, m, nn, k, "s32", "u8", "s32", "col", "row", "col");
    }
    for (unsigned l = 0; l < 2; l++) {
        unit_add_frag(list, &n, 'a', layout[l], 16, 16, 8, "tf32");
        unit_add_frag(list, &n, 'b', layout[l], 16, 16, 8, "tf32");
        unit_add_frag(list, &n, 'c', layout[l], 16, 16, 8, "f32");
        unit_add_frag(list, &n, 'a', layout[l], 8, 8, 4, "f64");
        unit_add_frag(list, &n, 'b', layout[l], 8, 8, 4, "f64");
        unit_add_frag(list, &n, 'c', layout[l], 8, 8, 4, "f64");
    }
    unit_add_wmma(list, &n, 16, 16, 8, "f32", "tf32", "f32", "row", "col", "row");
    unit_add_wmma(list, &n, 8, 8, 4, "f64", "f64", "f64", "row", "col", "col");
    unit_tex_cases(list, &n);
    return n;
}

/* ---- sizes, in bytes ---- */
static inline unsigned unit_reg_bytes(const char *type)
{
    return unit_bits(type) == 64 ? 8 : 4;
}
static inline unsigned unit_in_bytes(const struct unit_case *c)
{
    switch (c->kind) {
    case UNIT_MMA:
        return UNIT_BLOCKS * 32 * ((c->n_a + c->n_b) * unit_reg_bytes(c->type) + c->n_c * unit_reg_bytes(c->type_c));
    case UNIT_FRAG:
        return 32 * 32 * 8;
    case UNIT_WMMA: /* a, b, c at offsets 0, 4096, 8192 */
        return 3 * 4096;
    default:
        return UNIT_FETCHES * UNIT_TEX_WORDS * 4;
    }
}
static inline unsigned unit_out_bytes(const struct unit_case *c)
{
    switch (c->kind) {
    case UNIT_MMA:
        return UNIT_BLOCKS * 32 * c->n_d * unit_reg_bytes(c->type_d);
    case UNIT_FRAG:
        return 32 * c->n_d * unit_reg_bytes(c->type);
    case UNIT_WMMA:
        return c->m * c->n * unit_bits(c->type_d) / 8;
    default:
        return UNIT_FETCHES * 16;
    }
}

/* ---- inputs ---- */
static inline void unit_put(uint8_t *p, unsigned element, unsigned bits, uint64_t v)
{
    if (bits >= 8) {
        memcpy(p + (size_t)element * bits / 8, &v, bits / 8);
    } else {
        unsigned at = element * bits, shift = at % 8;
        p[at / 8] = (uint8_t)((p[at / 8] & ~(((1u << bits) - 1) << shift)) | (unsigned)v << shift);
    }
}

/* A small whole number. */
static inline uint64_t unit_whole(const char *type, int v)
{
    float f = (float)v;
    double d = v;
    uint64_t bits = 0;
    if (!strcmp(type, "f64"))
        memcpy(&bits, &d, 8);
    else if (!strcmp(type, "f32") || !strcmp(type, "tf32"))
        bits = unit_f32_bits(f);
    else if (!strcmp(type, "bf16"))
        bits = unit_f32_bits(f) >> 16;
    else if (!strcmp(type, "f16")) {
        uint32_t u = unit_f32_bits(f);
        bits = v ? (u >> 16 & 0x8000) | ((u >> 13 & 0x3ffff) - (112u << 10)) : 0;
    } else if (!strcmp(type, "u8"))
        bits = (uint64_t)(v < 0 ? 200 + v : v);
    else
        bits = (uint64_t)(uint32_t)v & (unit_bits(type) == 8 ? 0xff : 0xffffffff);
    return bits;
}

static inline void unit_tex_inputs(const struct unit_tex *t, uint32_t c, uint32_t *p)
{
    const int cube = t->shape == UT_CUBE || t->shape == UT_CUBE_LAYERED;
    const int surface = t->op >= UT_SULD_ZERO;
    const unsigned layered = t->shape == UT_1D_LAYERED || t->shape == UT_2D_LAYERED || t->shape == UT_CUBE_LAYERED;
    const uint32_t size[3] = {t->w, t->h ? t->h : 1, t->d ? t->d : 1};
    for (unsigned i = 0; i < UNIT_FETCHES; i++, p += UNIT_TEX_WORDS) {
        unsigned at = 0;
        memset(p, 0, UNIT_TEX_WORDS * 4);
        if (layered)
            p[at++] = (uint32_t)(unit_rand(c, i, 50) % (t->shape == UT_CUBE_LAYERED ? t->d / 6 + 1 : t->d + 1));
        for (unsigned k = 0; k < 3 && at < 4; k++) {
            uint64_t r = unit_rand(c, i, k);
            float n = (float)size[k], x;
            if (t->op == UT_FETCH_INT || surface) {
                int v = (int)(r % (size[k] + 6)) - 3;
                p[at++] = (uint32_t)(surface && k == 0 ? v * (int)(t->n_channel * t->bits / 8) : v);
                continue;
            }
            switch (i % 8) {
            case 0: /* texel centres */
                x = (float)(r % size[k]) + 0.5f;
                break;
            case 1: /* edges between texels */
                x = (float)(r % (size[k] + 1));
                break;
            case 2: /* just beside the steps of the filter's fixed point */
                x = (float)(r % (size[k] * 256)) / 256.0f + ((float)(r >> 32 & 7) - 3.5f) / 4096.0f;
                break;
            case 3: /* outside */
                x = ((float)(r >> 40) / 16777216.0f - 0.5f) * 5 * n;
                break;
            default:
                x = (float)(r >> 40) / 16777216.0f * n;
            }
            if (cube)
                x = (float)(r >> 40) / 8388608.0f - 1.0f;
            p[at++] = unit_f32_bits(t->normalized && !cube ? x / n : x);
        }
        uint64_t r = unit_rand(c, i, 60);
        if (t->op == UT_LEVEL)
            p[4] = unit_f32_bits((float)(r % 1800) / 256.0f - 1.0f);
        for (unsigned k = 0; t->op == UT_GRAD && k < 4; k++)
            p[4 + k] = unit_f32_bits((float)(unit_rand(c, i, 70 + k) % 512) / 4096.0f);
    }
}

static inline void unit_inputs(const struct unit_case *u, uint32_t c, uint8_t *p)
{
    memset(p, 0, unit_in_bytes(u));
    if (u->kind == UNIT_TEX) {
        unit_tex_inputs(&u->tex, c, (uint32_t *)(void *)p);
        return;
    }
    const unsigned bits = unit_bits(u->type);
    if (u->kind == UNIT_FRAG) {
        for (unsigned i = 0; i < 32 * 32; i++)
            unit_put(p, i, bits, bits == 64 ? i : i & ((1ull << (bits < 32 ? bits : 31)) - 1));
        return;
    }
    if (u->kind == UNIT_WMMA) {
        for (unsigned i = 0; i < u->m * u->k; i++)
            unit_put(p, i, bits, unit_whole(u->type, (int)(unit_rand(c, i, 0) % 9) - 4));
        for (unsigned i = 0; i < u->n * u->k; i++)
            unit_put(p + 4096, i, bits, unit_whole(u->type, (int)(unit_rand(c, i, 1) % 9) - 4));
        for (unsigned i = 0; i < u->m * u->n; i++)
            unit_put(p + 8192, i, unit_bits(u->type_c), unit_whole(u->type_c, (int)(unit_rand(c, i, 2) % 33) - 16));
        return;
    }
    for (uint32_t block = 0; block < UNIT_BLOCKS; block++)
        for (uint32_t part = 0; part < 3; part++) {
            const char *type = part == 2 ? u->type_c : u->type;
            const unsigned regs = part == 0 ? u->n_a : part == 1 ? u->n_b : u->n_c;
            const unsigned per = regs * unit_reg_bytes(type) * 8 / unit_bits(type) * 32;
            for (unsigned i = 0; i < per; i++)
                unit_put(p, i, unit_bits(type), unit_element(type, block, unit_rand(c * 8 + block, i, part)));
            p += (size_t)32 * regs * unit_reg_bytes(type);
        }
}

/* Contents of a texture: element i of level `level`, channel ch. */
static inline uint32_t unit_texel(const struct unit_tex *t, uint32_t c, unsigned level, uint64_t i, unsigned ch)
{
    uint64_t r = unit_rand(c ^ 0x8000u, (uint32_t)i, level * 4 + ch);
    if (t->kind != 2)
        return (uint32_t)r & (t->bits == 32 ? 0xffffffffu : (1u << t->bits) - 1);
    if (t->bits == 16)
        return (uint32_t)unit_element("f16", 0, r);
    return unit_f32_bits((float)(r >> 40) / 16777216.0f);
}
static inline uint32_t unit_level_size(uint32_t size, unsigned level)
{
    return size >> level ? size >> level : 1;
}

/* ---- kernels ---- */
struct unit_text {
    char *p;
    size_t n, cap;
};
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static inline void
unit_say(struct unit_text *t, const char *fmt, ...)
{
    va_list ap;
    if (t->cap - t->n < 4096) {
        t->cap = t->cap ? 2 * t->cap : 1 << 16;
        t->p = (char *)realloc(t->p, t->cap);
    }
    va_start(ap, fmt);
    t->n += (size_t)vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);
    va_end(ap);
}

static inline void unit_regs(struct unit_text *t, char c, unsigned n)
{
    unit_say(t, "{");
    for (unsigned i = 0; i < n; i++)
        unit_say(t, "%s%%%c%u", i ? ", " : "", c, i);
    unit_say(t, "}");
}

static inline const char *unit_reg_type(const char *type)
{
    if (!strcmp(type, "f64"))
        return "f64";
    if (!strcmp(type, "f32"))
        return "f32";
    return "b32";
}

/* %p: base of the lane's values in a block. */
static inline void unit_move(struct unit_text *t, int load, char c, unsigned n, const char *type, const char *base,
                             unsigned from)
{
    for (unsigned i = 0; i < n; i++)
        if (load)
            unit_say(t, "    ld.global.%s %%%c%u, [%s+%u];\n", unit_reg_type(type), c, i, base,
                     from + i * unit_reg_bytes(type));
        else
            unit_say(t, "    st.global.%s [%s+%u], %%%c%u;\n", unit_reg_type(type), base,
                     from + i * unit_reg_bytes(type), c, i);
}

static inline void unit_emit_mma(struct unit_text *t, const struct unit_case *u)
{
    const unsigned in_a = 32 * u->n_a * unit_reg_bytes(u->type), in_b = 32 * u->n_b * unit_reg_bytes(u->type);
    const unsigned in_c = 32 * u->n_c * unit_reg_bytes(u->type_c), out = 32 * u->n_d * unit_reg_bytes(u->type_d);
    unit_say(t, "    mul.wide.u32 %%x, %%blk, %u;\n    add.u64 %%i, %%i, %%x;\n", in_a + in_b + in_c);
    unit_say(t, "    mul.wide.u32 %%x, %%blk, %u;\n    add.u64 %%o, %%o, %%x;\n", out);
    unit_say(t, "    mul.wide.u32 %%x, %%t, %u;\n    add.u64 %%y, %%i, %%x;\n", u->n_a * unit_reg_bytes(u->type));
    unit_move(t, 1, 'a', u->n_a, u->type, "%y", 0);
    unit_say(t, "    mul.wide.u32 %%x, %%t, %u;\n    add.u64 %%y, %%i, %%x;\n", u->n_b * unit_reg_bytes(u->type));
    unit_move(t, 1, 'b', u->n_b, u->type, "%y", in_a);
    unit_say(t, "    mul.wide.u32 %%x, %%t, %u;\n    add.u64 %%y, %%i, %%x;\n", u->n_c * unit_reg_bytes(u->type_c));
    unit_move(t, 1, 'c', u->n_c, u->type_c, "%y", in_a + in_b);
    unit_say(t, "    %s ", u->name);
    unit_regs(t, 'd', u->n_d);
    unit_say(t, ", ");
    unit_regs(t, 'a', u->n_a);
    unit_say(t, ", ");
    unit_regs(t, 'b', u->n_b);
    unit_say(t, ", ");
    unit_regs(t, 'c', u->n_c);
    unit_say(t, ";\n    mul.wide.u32 %%x, %%t, %u;\n    add.u64 %%y, %%o, %%x;\n", u->n_d * unit_reg_bytes(u->type_d));
    unit_move(t, 0, 'd', u->n_d, u->type_d, "%y", 0);
}

/* Elements between lines of a matrix in memory: no gaps. */
static inline unsigned unit_stride(const char *layout, unsigned rows, unsigned cols)
{
    return strcmp(layout, "row") ? rows : cols;
}

static inline void unit_emit_wmma(struct unit_text *t, const struct unit_case *u)
{
    const char part[] = "abc";
    for (unsigned k = 0; k < 3; k++) {
        const char *layout = k == 0 ? u->layout_a : k == 1 ? u->layout_b : u->layout_c;
        const unsigned rows = k == 1 ? u->k : u->m, cols = k == 0 ? u->k : u->n;
        unit_say(t, "    wmma.load.%c.sync.aligned.%s.m%un%uk%u.global.%s ", part[k], layout, u->m, u->n, u->k,
                 k == 2 ? u->type_c : u->type);
        unit_regs(t, part[k], k == 0 ? u->n_a : k == 1 ? u->n_b : u->n_c);
        unit_say(t, ", [%%i+%u], %u;\n", k * 4096, unit_stride(layout, rows, cols));
    }
    unit_say(t, "    %s ", u->name);
    unit_regs(t, 'd', u->n_d);
    unit_say(t, ", ");
    unit_regs(t, 'a', u->n_a);
    unit_say(t, ", ");
    unit_regs(t, 'b', u->n_b);
    unit_say(t, ", ");
    unit_regs(t, 'c', u->n_c);
    unit_say(t, ";\n    wmma.store.d.sync.aligned.%s.m%un%uk%u.global.%s [%%o], ", u->layout_c, u->m, u->n, u->k,
             u->type_d);
    unit_regs(t, 'd', u->n_d);
    unit_say(t, ", %u;\n", unit_stride(u->layout_c, u->m, u->n));
}

static inline void unit_emit_tex(struct unit_text *t, const struct unit_tex *x)
{
    static const char *const geometry[] = {"1d", "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    static const char *const position[] = {"{%q0}",
                                           "{%q0}",
                                           "{%q0, %q1}",
                                           "{%q0, %q1, %q2, %q2}",
                                           "{%q0, %q1}",
                                           "{%q0, %q1, %q2, %q2}",
                                           "{%q0, %q1, %q2, %q2}",
                                           "{%q0, %q1, %q2, %q3}"};
    const char *g = geometry[x->shape], *at = position[x->shape];
    const char *type = x->kind == 2 || x->read_normalized ? "f32" : x->kind == 1 ? "u32" : "s32";
    unit_say(t, "    mul.wide.u32 %%x, %%t, 32;\n    add.u64 %%i, %%i, %%x;\n");
    unit_say(t, "    ld.global.v4.b32 {%%q0, %%q1, %%q2, %%q3}, [%%i];\n");
    unit_say(t, "    ld.global.v4.b32 {%%q4, %%q5, %%q6, %%q7}, [%%i+16];\n");
    unit_say(t, "    mov.b32 %%d0, 0;\n    mov.b32 %%d1, 0;\n    mov.b32 %%d2, 0;\n    mov.b32 %%d3, 0;\n    ");
    switch (x->op) {
    case UT_FETCH:
    case UT_FETCH_INT:
        unit_say(t, "tex.%s.v4.%s.%s {%%d0, %%d1, %%d2, %%d3}, [%%h, %s];\n", g, type,
                 x->op == UT_FETCH_INT ? "s32" : "f32", at);
        break;
    case UT_LEVEL:
        unit_say(t, "tex.level.%s.v4.%s.f32 {%%d0, %%d1, %%d2, %%d3}, [%%h, %s], %%q4;\n", g, type, at);
        break;
    case UT_GRAD:
        unit_say(t, "tex.grad.%s.v4.%s.f32 {%%d0, %%d1, %%d2, %%d3}, [%%h, %s], {%%q4, %%q5}, {%%q6, %%q7};\n", g, type,
                 at);
        break;
    case UT_GATHER:
        unit_say(t, "tld4.%c.%s.v4.%s.f32 {%%d0, %%d1, %%d2, %%d3}, [%%h, %s];\n", "rgba"[x->comp], g, type, at);
        break;
    default:
        unit_say(t, "suld.b.%s.b32.%s %%d0, [%%h, %s];\n", g, x->op == UT_SULD_ZERO ? "zero" : "clamp", at);
    }
    unit_say(t, "    mul.wide.u32 %%x, %%t, 16;\n    add.u64 %%o, %%o, %%x;\n");
    unit_say(t, "    st.global.v4.b32 [%%o], {%%d0, %%d1, %%d2, %%d3};\n");
}

/* Kernel u<c>(handle, in, out). */
static inline void unit_emit(struct unit_text *t, const struct unit_case *u, unsigned c)
{
    const char *a = u->kind == UNIT_TEX ? "b32" : unit_reg_type(u->type);
    unit_say(t, ".visible .entry u%u(.param .u64 h, .param .u64 in, .param .u64 out)\n{\n", c);
    unit_say(t, "    .reg .b64 %%h, %%i, %%o, %%x, %%y;\n    .reg .b32 %%t, %%blk, %%q<8>;\n");
    unit_say(t, "    .reg .%s %%a<9>, %%b<9>;\n", a);
    unit_say(t, "    .reg .%s %%c<9>;\n    .reg .%s %%d<17>;\n", u->kind == UNIT_TEX ? "b32" : unit_reg_type(u->type_c),
             u->kind == UNIT_TEX ? "b32" : unit_reg_type(u->kind == UNIT_FRAG ? u->type : u->type_d));
    unit_say(t, "    ld.param.u64 %%h, [h];\n    ld.param.u64 %%i, [in];\n    ld.param.u64 %%o, [out];\n");
    unit_say(t, "    mov.u32 %%t, %%tid.x;\n    mov.u32 %%blk, %%ctaid.x;\n");
    if (u->kind == UNIT_MMA) {
        unit_emit_mma(t, u);
    } else if (u->kind == UNIT_FRAG) {
        unit_say(t, "    %s ", u->name);
        unit_regs(t, 'd', u->n_d);
        const unsigned rows = u->role == 'b' ? u->k : u->m, cols = u->role == 'a' ? u->k : u->n;
        unit_say(t, ", [%%i], %u;\n    mul.wide.u32 %%x, %%t, %u;\n    add.u64 %%o, %%o, %%x;\n",
                 unit_stride(u->layout_a, rows, cols), u->n_d * unit_reg_bytes(u->type));
        unit_move(t, 0, 'd', u->n_d, u->type, "%o", 0);
    } else if (u->kind == UNIT_WMMA) {
        unit_emit_wmma(t, u);
    } else {
        unit_emit_tex(t, &u->tex);
    }
    unit_say(t, "    ret;\n}\n");
}

static inline char *unit_ptx(const struct unit_case *list, unsigned n)
{
    struct unit_text t = {0, 0, 0};
    unit_say(&t, ".version 8.4\n.target sm_90\n.address_size 64\n");
    for (unsigned c = 0; c < n; c++)
        unit_emit(&t, &list[c], c);
    return t.p;
}
static inline unsigned unit_blocks(const struct unit_case *u)
{
    return u->kind == UNIT_MMA ? UNIT_BLOCKS : 1;
}
static inline unsigned unit_threads(const struct unit_case *u)
{
    return u->kind == UNIT_TEX ? UNIT_FETCHES : 32;
}

#endif
