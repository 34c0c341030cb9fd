/*
 * A table of strides, shared by the stride prefetchers: entries by key, with LRU replacement.
 *
 * An entry holds the last address seen, the stride between the last two and a confidence, a saturating count of
 * consecutive occurrences of that stride. The prefetcher defines the key (a load, or a load and a warp) and the
 * meaning of the distance between two addresses.
 */
#ifndef WEIR_L1_PREFETCH_STRIDE_H
#define WEIR_L1_PREFETCH_STRIDE_H

#include <stdbool.h>
#include <stdint.h>

enum { STRIDE_ENTRIES = 256, STRIDE_MAX_CONFIDENCE = 7 };

struct stride_entry {
    uint64_t key;
    uint64_t last;
    int64_t stride;
    uint64_t stamp; /* of the last use; 0 = empty */
    uint16_t warp;  /* that accessed `last` */
    uint8_t confidence;
};

struct stride_table {
    uint32_t sets, ways;
    uint64_t stamp;
    struct stride_entry e[STRIDE_ENTRIES];
};

/* `ways` 0: fully associative. */
static inline void stride_init(struct stride_table *t, uint32_t entries, uint32_t ways)
{
    t->ways = ways ? ways : entries;
    t->sets = entries / t->ways;
}

/* The entry of a key. If there is none, it replaces the least recently used one and sets *is_new. */
static inline struct stride_entry *stride_get(struct stride_table *t, uint64_t key, bool *is_new)
{
    uint64_t h = key * 0x9e3779b97f4a7c15ull >> 33;
    struct stride_entry *set = &t->e[h % t->sets * t->ways], *oldest = set;
    *is_new = false;
    for (uint32_t i = 0; i < t->ways; i++) {
        if (set[i].stamp && set[i].key == key) {
            set[i].stamp = ++t->stamp;
            return &set[i];
        }
        if (set[i].stamp < oldest->stamp)
            oldest = &set[i];
    }
    *is_new = true;
    *oldest = (struct stride_entry){.key = key, .stamp = ++t->stamp};
    return oldest;
}

/* Another stride was seen. */
static inline void stride_train(struct stride_entry *e, int64_t stride)
{
    if (stride != 0 && stride == e->stride) {
        e->confidence += e->confidence < STRIDE_MAX_CONFIDENCE;
    } else {
        e->stride = stride;
        e->confidence = stride != 0;
    }
}

#endif
