/*
 * Little-endian fields and varints in memory: what the frames of a .wt file are made of. Private to trace/.
 *
 * A reader never runs past its end: it turns `bad` and gives zeros from then on, so that a parser checks once.
 */
#ifndef WEIR_TRACE_BYTES_H
#define WEIR_TRACE_BYTES_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Signed values as unsigned ones, small either way. */
static inline uint64_t zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}
static inline int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

typedef VEC(uint8_t) byte_vec;

static inline void put_bytes(byte_vec *v, const void *p, size_t n)
{
    VEC_RESERVE(v, v->n + n);
    if (n)
        memcpy(v->p + v->n, p, n);
    v->n += n;
}

/* The low `bytes` bytes of x. */
static inline void put_le(byte_vec *v, uint64_t x, unsigned bytes)
{
    VEC_RESERVE(v, v->n + 8);
    for (unsigned i = 0; i < bytes; i++)
        v->p[v->n++] = (uint8_t)(x >> 8 * i);
}

static inline void put_var(byte_vec *v, uint64_t x)
{
    VEC_RESERVE(v, v->n + 10);
    for (; x >= 0x80; x >>= 7)
        v->p[v->n++] = (uint8_t)(x | 0x80);
    v->p[v->n++] = (uint8_t)x;
}

static inline void put_str(byte_vec *v, const char *s)
{
    size_t n = strlen(s);
    put_var(v, n);
    put_bytes(v, s, n);
}

struct byte_reader {
    const uint8_t *p, *end;
    bool bad;
};

static inline size_t reader_left(const struct byte_reader *r)
{
    return (size_t)(r->end - r->p);
}

static inline const uint8_t *get_bytes(struct byte_reader *r, size_t n)
{
    if (r->bad || reader_left(r) < n) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->p;
    r->p += n;
    return p;
}

static inline uint64_t get_le(struct byte_reader *r, unsigned bytes)
{
    const uint8_t *p = get_bytes(r, bytes);
    uint64_t x = 0;
    for (unsigned i = 0; p && i < bytes; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static inline uint64_t get_var(struct byte_reader *r)
{
    uint64_t x = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *p = get_bytes(r, 1);
        if (!p || (shift == 63 && *p > 1))
            break;
        x |= (uint64_t)(*p & 0x7f) << shift;
        if (!(*p & 0x80))
            return x;
    }
    r->bad = true;
    return 0;
}

/* A varint that must fit 32 bits. */
static inline uint32_t get_var32(struct byte_reader *r)
{
    uint64_t x = get_var(r);
    if (x > UINT32_MAX)
        r->bad = true;
    return r->bad ? 0 : (uint32_t)x;
}

/* NULL when bad; strings contain no NUL. */
static inline const char *get_str(struct byte_reader *r, size_t *n)
{
    uint64_t len = get_var(r);
    const uint8_t *p = len <= reader_left(r) ? get_bytes(r, (size_t)len) : NULL;
    if (!p || memchr(p, 0, (size_t)len)) {
        r->bad = true;
        return NULL;
    }
    *n = (size_t)len;
    return (const char *)p;
}

#endif
