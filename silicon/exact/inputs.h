/*
 * The inputs of the silicon comparison, made the same way by the GPU's runner and by weir's test: element e of source k
 * of a form is a function of the form's name and the kind of the source. Half of them are special values (all pairs of
 * the first CORE ones for two sources), the rest random in several manners: any bits, near one, near the ends of the
 * range where products and sums overflow or become subnormal, small integers and halves, and neighbors of source 0.
 */
#ifndef WEIR_SILICON_INPUTS_H
#define WEIR_SILICON_INPUTS_H

#include <stdint.h>
#include <string.h>

enum { SILICON_CORE = 18 };

static inline uint64_t silicon_hash(const char *s)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 0x100000001b3ull;
    return h;
}
static inline uint64_t silicon_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static const uint64_t silicon_int[] = {
    /* core, cut to the width */
    0,
    1,
    2,
    3,
    0xffffffffffffffff,
    0xfffffffffffffffe,
    0x8000000080008000,
    0x7fffffff7fff7fff,
    0x8000000080008001,
    0x7fffffff7fff7ffe,
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    7,
    0xfffffffffffffff9,
    10,
    0x100,
    0x0000ffff00ff00ff,
    31,
    /* more; signed extremes of each width first */
    0x8000000000000000,
    0x7fffffffffffffff,
    0x80000000,
    0x7fffffff,
    0xffffffff80000000,
    0xffffffff80000001,
    0xffffffff,
    0x100000000,
    0x10001,
    0x8000,
    0x7fff,
    0xffff8000,
    0x80,
    0x7f,
    0xffffff80,
    0xff,
    0xffffff7f,
    64,
    0xffffffffffffff80,
    0x1000001,
    0x1ffffff,
    0x20000000000001,
    0x3fffffffffffff,
    0xfffffffffffffc00,
    0x7fffff80,
    0x7fffffffffffff80,
};
static const uint32_t silicon_f32[] = {
    0x00000000,
    0x80000000,
    0x3f800000,
    0xbf800000,
    0x7f800000,
    0xff800000,
    0x7fffffff,
    0xffc12345,
    0x7f812345,
    0x00000001,
    0x807fffff,
    0x00800000,
    0x80800000,
    0x7f7fffff,
    0xff7fffff,
    0x3f7fffff,
    0x40200000,
    0xbf000000,
    /* more */
    0x3f000000,
    0x3fc00000,
    0x40400000,
    0xc0200000,
    0x3f800001,
    0x3effffff,
    0x4b000000,
    0x4b000001,
    0x4b7fffff,
    0x4effffff,
    0x4f000000,
    0x4f7fffff,
    0x4f800000,
    0xcf000000,
    0xcf000001,
    0x5effffff,
    0x5f000000,
    0x5f7fffff,
    0x5f800000,
    0xdf000000,
    0xdf000001,
    0x477fe000,
    0x477fefff,
    0x477ff000,
    0x47800000,
    0x33000000,
    0x33000001,
    0x387fe000,
    0x38800000,
    0x33800000,
    0x437f0000,
    0x437f8000,
    0x43000000,
    0xc3008000,
    0xc3010000,
    0x7e800000,
    0x7f000000,
    0x01000000,
    0x00400000,
    0x7fc00000,
    0xff923456,
    0x43e00000,
    0x43e80000,
    0x47600000,
    0x47700000,
    0x3b000000,
    0x3a800000,
    0x37000000,
    0x3fb504f3,
    0x3f317218,
    0x40490fdb,
    0x3fc90fdb,
    0xc0490fdb,
    0x42fc0000,
    0x43000000,
    0xc2fc0000,
    0xc3150000,
    0xc3160000,
    0x40a00000,
};
static const uint64_t silicon_f64[] = {
    0x0000000000000000,
    0x8000000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7fffffffffffffff,
    0xfff8123456789abc,
    0x7ff0123456789abc,
    0x0000000000000001,
    0x800fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x3fefffffffffffff,
    0x4004000000000000,
    0xbfe0000000000000,
    /* more */
    0x3fe0000000000000,
    0x3ff8000000000000,
    0x4008000000000000,
    0xc004000000000000,
    0x3ff0000000000001,
    0x3fdfffffffffffff,
    0x4330000000000000,
    0x4330000000000001,
    0x433fffffffffffff,
    0x41dfffffffc00000,
    0x41dfffffffe00000,
    0x41e0000000000000,
    0x41efffffffe00000,
    0x41effffffff00000,
    0x41f0000000000000,
    0xc1e0000000000000,
    0xc1e0000000100000,
    0xc1e0000000200000,
    0x43dfffffffffffff,
    0x43e0000000000000,
    0x43efffffffffffff,
    0x43f0000000000000,
    0xc3e0000000000000,
    0xc3e0000000000001,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x47f0000000000000,
    0x3690000000000000,
    0x3690000000000001,
    0x36a0000000000000,
    0x380fffffe0000000,
    0x380ffffff0000000,
    0x3810000000000000,
    0x380fffffefffffff,
    0x40effc0000000000,
    0x40effdffffffffff,
    0x40effe0000000000,
    0x40f0000000000000,
    0x3e60000000000000,
    0x3e60000000000001,
    0x3f0ffc0000000000,
    0x7fe0000000000000,
    0x0008000000000000,
    0x7ff8000000000000,
    0xfff4000000000001,
    0x406fe00000000000,
    0x406ff00000000000,
    0xc060100000000000,
    0xc060200000000000,
    0x3ff0000010000000,
    0x3ff0000030000000,
    0x3ff000000fffffff,
    0x0000000080000000,
};
static const uint16_t silicon_f16[] = {
    0x0000,
    0x8000,
    0x3c00,
    0xbc00,
    0x7c00,
    0xfc00,
    0x7fff,
    0xfe12,
    0x7c12,
    0x0001,
    0x83ff,
    0x0400,
    0x8400,
    0x7bff,
    0xfbff,
    0x3bff,
    0x4100,
    0xb800,
    /* more */
    0x3800,
    0x3e00,
    0x4200,
    0xc100,
    0x3c01,
    0x37ff,
    0x6400,
    0x6401,
    0x67ff,
    0x7800,
    0x7bfe,
    0x0002,
    0x0200,
    0x0801,
    0x5bf8,
    0x5c00,
    0xd800,
    0xd808,
    0x5800,
    0x57f8,
    0x7e00,
    0xfd55,
    0x4248,
    0x4580,
    0xce00,
    0x4c00,
};
static const uint16_t silicon_bf16[] = {
    0x0000,
    0x8000,
    0x3f80,
    0xbf80,
    0x7f80,
    0xff80,
    0x7fff,
    0xffc3,
    0x7f83,
    0x0001,
    0x807f,
    0x0080,
    0x8080,
    0x7f7f,
    0xff7f,
    0x3f7f,
    0x4020,
    0xbf00,
    /* more */
    0x3f00,
    0x3fc0,
    0x4040,
    0xc020,
    0x3f81,
    0x3eff,
    0x4b00,
    0x4b01,
    0x4b7f,
    0x4f00,
    0x5f00,
    0xcf00,
    0xdf00,
    0x0002,
    0x0040,
    0x0101,
    0x7fc0,
    0xff93,
    0x437f,
    0x4380,
    0xc300,
    0x4300,
    0x4049,
    0x4780,
    0x7e80,
    0x4f80,
};

#define SILICON_N(a) (sizeof(a) / sizeof *(a))

/* A random float of e exponent bits and m fraction bits. r and s are independent random words. */
static inline uint64_t silicon_random_float(unsigned e, unsigned m, uint64_t r, uint64_t s)
{
    const uint64_t fraction = r & ((1ull << m) - 1), sign = (s & 1) << (e + m), bias = (1ull << (e - 1)) - 1;
    const uint64_t quarter = bias / 2, spread = e > 5 ? 12 : 4, top = (1ull << e) - 1;
    uint64_t exponent;
    uint64_t f = fraction;
    switch (s >> 1 & 7) {
    case 0: /* any bits */
        return r & ((1ull << (e + m)) - 1) ? (r & ((1ull << (e + m)) - 1)) | sign : sign;
    case 1: /* products near the subnormals, or near overflow */
        exponent = (s & 16 ? bias - quarter : bias + quarter) + (s >> 8) % (2 * spread) - spread;
        break;
    case 2: /* the very small: sums and scalings into the subnormals */
        exponent = (s >> 8) % (spread * 2);
        break;
    case 3: /* the very large */
        exponent = top - 1 - (s >> 8) % (spread * 2);
        break;
    case 4: /* integers and halves up to the size of a 64-bit word: few or all fraction bits */
        exponent = bias + (s >> 8) % (e > 5 ? 66 : 15);
        if (s & 32)
            f &= ~((1ull << (m - 3)) - 1);
        break;
    case 5: /* around one half with few bits: ties */
        exponent = bias - 3 + (s >> 8) % 10;
        f &= ~((1ull << (m - 5)) - 1);
        break;
    default: /* near one */
        exponent = bias - spread / 2 + (s >> 8) % spread;
        break;
    }
    return sign | exponent << m | f;
}

static inline uint64_t silicon_mask(unsigned bits)
{
    return bits == 64 ? ~0ull : (1ull << bits) - 1;
}

struct silicon_kind {
    char name[10];
    uint8_t bits;                         /* of an element */
    uint8_t exponent_bits, fraction_bits; /* floats */
    uint8_t halves;                       /* packed pairs: 2 */
};
static const struct silicon_kind silicon_kinds[] = {
    {"pred", 1, 0, 0, 1},      {"b16", 16, 0, 0, 1},    {"u16", 16, 0, 0, 1},   {"s16", 16, 0, 0, 1},
    {"b32", 32, 0, 0, 1},      {"u32", 32, 0, 0, 1},    {"s32", 32, 0, 0, 1},   {"b64", 64, 0, 0, 1},
    {"u64", 64, 0, 0, 1},      {"s64", 64, 0, 0, 1},    {"f16", 16, 5, 10, 1},  {"bf16", 16, 8, 7, 1},
    {"f16x2", 16, 5, 10, 2},   {"bf16x2", 16, 8, 7, 2}, {"u16x2", 16, 0, 0, 2}, {"s16x2", 16, 0, 0, 2},
    {"f32", 32, 8, 23, 1},     {"f64", 64, 11, 52, 1},  {"count", 32, 0, 0, 1}, {"field", 32, 0, 0, 1},
    {"selector", 32, 0, 0, 1}, {"lane", 32, 0, 0, 1},   {"byte", 32, 0, 0, 1},
};
/* -1 when unknown. */
static inline int silicon_find_kind(const char *name, size_t n)
{
    for (unsigned k = 0; k < SILICON_N(silicon_kinds); k++)
        if (strlen(silicon_kinds[k].name) == n && !strncmp(silicon_kinds[k].name, name, n))
            return (int)k;
    return -1;
}

static inline uint64_t silicon_special(const struct silicon_kind *k, uint64_t index, unsigned limit)
{
#define PICK(list) ((list)[index % (limit < SILICON_N(list) ? limit : SILICON_N(list))])
    if (k->exponent_bits == 11)
        return PICK(silicon_f64);
    if (k->exponent_bits == 8 && k->bits == 32)
        return PICK(silicon_f32);
    if (k->exponent_bits == 8)
        return PICK(silicon_bf16);
    if (k->exponent_bits == 5)
        return PICK(silicon_f16);
    return PICK(silicon_int) & silicon_mask(k->bits);
#undef PICK
}

/* Kinds that are small numbers with a meaning. Returns 0 when `name` is none of them. */
static inline int silicon_small(const char *name, uint64_t r, uint64_t *value)
{
    const uint64_t way = r >> 32;
    if (!strcmp(name, "pred"))
        *value = r & 1;
    else if (!strcmp(name, "count")) /* shift counts, many beyond the width */
        *value = way % 8 == 0 ? (uint32_t)r : way % 8 == 1 ? 0x100 + r % 64 : r % 72;
    else if (!strcmp(name, "field")) /* positions and lengths */
        *value = way % 8 == 0 ? (uint32_t)r : way % 8 == 1 ? r % 300 : r % 40 + (way % 8 == 2 ? 30 : 0);
    else if (!strcmp(name, "byte")) /* small signed numbers */
        *value = (uint32_t)((int32_t)(r % 20) - 10);
    else if (!strcmp(name, "selector"))
        *value = way % 4 == 0 ? (uint32_t)r : r & 0xffff;
    else if (!strcmp(name, "lane"))
        *value = way % 8 == 0 ? (uint32_t)r : r % 33;
    else
        return 0;
    return 1;
}

static inline uint64_t silicon_scalar(const struct silicon_kind *k, uint64_t seed, unsigned source, unsigned sources,
                                      uint32_t e)
{
    const uint64_t r = silicon_mix(seed + source * 0x1000003ull + (uint64_t)e * 0x10001ull), s = silicon_mix(r);
    uint64_t value;
    if (silicon_small(k->name, r, &value))
        return value;
    if (sources == 1 && e < 80)
        return silicon_special(k, e, 1000);
    if (sources == 2 && e < SILICON_CORE * SILICON_CORE)
        return silicon_special(k, source ? e % SILICON_CORE : e / SILICON_CORE, SILICON_CORE);
    if (s >> 60 < (sources == 1 ? 2 : 6))
        return silicon_special(k, s >> 8, 1000);
    if (k->exponent_bits)
        return silicon_random_float(k->exponent_bits, k->fraction_bits, r, s);
    /* Integers of any length. */
    return (r & silicon_mask(k->bits)) >> (s >> 8) % k->bits ^ (s & 1 ? silicon_mask(k->bits) : 0);
}

/* Element e of source `source` (of `sources`) of the form called `name`. */
static inline uint64_t silicon_input(const char *name, unsigned kind, unsigned source, unsigned sources, uint32_t e)
{
    const struct silicon_kind *k = &silicon_kinds[kind];
    const uint64_t seed = silicon_hash(name);
    if (k->halves == 2)
        return silicon_scalar(k, seed, source, sources, e) | silicon_scalar(k, seed + 77, source, sources, e + 1000)
                                                                 << 16;
    const uint64_t x = silicon_scalar(k, seed, source, sources, e);
    /* Now and then a neighbor of source 0, or its negation: cancellation, equality. */
    const uint64_t r = silicon_mix(seed ^ ((uint64_t)e << 20) ^ source);
    uint64_t small;
    if (source && k->bits >= 16 && !silicon_small(k->name, r, &small) && r % 8 == 0 &&
        (sources > 2 || e >= SILICON_CORE * SILICON_CORE)) {
        uint64_t first = silicon_scalar(k, seed, 0, sources, e);
        first += (r >> 8) % 5 - 2;
        if (r & 0x10000)
            first ^= 1ull << (k->bits - 1);
        return first & silicon_mask(k->bits);
    }
    return x;
}

#endif
