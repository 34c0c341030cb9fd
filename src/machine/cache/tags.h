/*
 * A set-associative tag array with sectors, shared by the L1 caches and the L2 slices.
 *
 * It holds no data, only which lines are present. Each property has its own array (set-major), because a look-up reads
 * only `line`. A line is present when `line` matches; each of its 32-byte sectors may be valid (readable), dirty or
 * pending (requested, in flight). A cache without sectors uses the same masks and always requests all sectors. A line
 * with pending sectors is reserved: it cannot be a victim.
 *
 * Replacement is least recently used unless the caller chooses among tags_candidates() itself.
 */
#ifndef WEIR_CACHE_TAGS_H
#define WEIR_CACHE_TAGS_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define TAG_NONE     UINT64_MAX /* no line here */
#define SECTOR_BYTES 32

/* The number of sectors in a mask of up to eight; the host may have no popcount instruction. */
static inline uint32_t sector_count(uint8_t mask)
{
#define SECTORS_16(n)                                                                                                  \
    n, n + 1, n + 1, n + 2, n + 1, n + 2, n + 2, n + 3, n + 1, n + 2, n + 2, n + 3, n + 2, n + 3, n + 3, n + 4
    static const uint8_t ones[256] = {SECTORS_16(0), SECTORS_16(1), SECTORS_16(1), SECTORS_16(2),
                                      SECTORS_16(1), SECTORS_16(2), SECTORS_16(2), SECTORS_16(3),
                                      SECTORS_16(1), SECTORS_16(2), SECTORS_16(2), SECTORS_16(3),
                                      SECTORS_16(2), SECTORS_16(3), SECTORS_16(3), SECTORS_16(4)};
#undef SECTORS_16
    return ones[mask];
}

enum set_hash {
    SET_LINEAR, /* low bits of the line number */
    SET_FERMI,  /* Fermi's L1: Nugteren et al., HPCA 2014; 32 or 64 sets */
    SET_XOR,    /* low bits xor the next two fields of the same width */
};
#define SET_HASH_CHOICES "linear fermi xor"

enum tag_flag {
    TAG_F_REUSED = 1 << 0,     /* hit at least once since it was filled */
    TAG_F_PREFETCHED = 1 << 1, /* fetched by a prefetch and not yet used by a demand access */
    TAG_F_STALE = 1 << 2,      /* written elsewhere while in flight: dropped on arrival */
    TAG_F_COPIED = 1 << 3,     /* placed by a copy from the host and not yet used by a kernel */
};

struct tags {
    uint64_t *line;   /* line number (address >> line_shift) or TAG_NONE */
    uint64_t *used;   /* stamp of the last use: larger = more recent */
    uint8_t *valid;   /* sectors that can be read */
    uint8_t *dirty;   /* sectors to be written back */
    uint8_t *pending; /* sectors in flight */
    uint8_t *flags;   /* enum tag_flag */
    uint64_t stamp;
    uint32_t n_set, n_way;
    uint32_t n_live; /* ways of each set that may hold lines; the others are empty */
    uint8_t line_shift, hash;
    uint8_t n_sector, full; /* sectors of a line; mask of all of them */
};

/* 0, or -1 with *e filled: sizes must be powers of two and fit the hash. line_bytes: 32..256. */
int tags_init(struct tags *, struct arena *, uint32_t n_set, uint32_t n_way, uint32_t line_bytes, enum set_hash,
              struct err *e);
/* Set of a line number under the configured hash. */
uint32_t tags_set_hashed(const struct tags *, uint64_t line);

static inline uint32_t tags_set(const struct tags *t, uint64_t line)
{
    return t->hash == SET_LINEAR ? (uint32_t)line & (t->n_set - 1) : tags_set_hashed(t, line);
}

/* Index of the line's entry in the arrays, or -1. */
static inline int32_t tags_find(const struct tags *t, uint32_t set, uint64_t line)
{
    const uint64_t *l = &t->line[set * t->n_way];
    for (uint32_t w = 0; w < t->n_way; w++)
        if (l[w] == line)
            return (int32_t)(set * t->n_way + w);
    return -1;
}

static inline void tags_touch(struct tags *t, uint32_t entry)
{
    t->used[entry] = ++t->stamp;
}

/* The entry to replace: an empty one, else the least recently used that is not reserved; -1 when all are reserved. */
static inline int32_t tags_victim_lru(const struct tags *t, uint32_t set)
{
    uint32_t base = set * t->n_way;
    int32_t best = -1;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t e = base; e < base + t->n_live; e++) {
        if (t->line[e] == TAG_NONE)
            return (int32_t)e;
        if (!t->pending[e] && t->used[e] < oldest) {
            oldest = t->used[e];
            best = (int32_t)e;
        }
    }
    return best;
}

/* Ways that could be replaced: bit per way. Empty ways are included. */
static inline uint64_t tags_candidates(const struct tags *t, uint32_t set)
{
    uint64_t m = 0;
    for (uint32_t w = 0; w < t->n_live; w++)
        m |= (uint64_t)(t->pending[set * t->n_way + w] == 0) << w;
    return m;
}

/* Places a line in an entry, with no valid sector. The caller has handled the previous line. */
static inline void tags_place(struct tags *t, uint32_t entry, uint64_t line)
{
    t->line[entry] = line;
    t->valid[entry] = t->dirty[entry] = t->pending[entry] = t->flags[entry] = 0;
    tags_touch(t, entry);
}

static inline void tags_drop(struct tags *t, uint32_t entry)
{
    t->line[entry] = TAG_NONE;
    t->valid[entry] = t->dirty[entry] = t->pending[entry] = t->flags[entry] = 0;
}

static inline uint32_t tags_entries(const struct tags *t)
{
    return t->n_set * t->n_way;
}

#endif
