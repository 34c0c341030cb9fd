/* Pointer map: open addressing, tombstones for deleted keys, rebuilt when two thirds full. */
#include "cudart/runtime.h"

static const char tombstone;

static size_t hash(const void *key, enum rt_kind kind)
{
    uint64_t x = (uint64_t)(uintptr_t)key + kind;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    return (size_t)x;
}

/* The slot that holds the key, or the empty slot that ends its probe sequence. */
static struct ptrmap_slot *probe(const struct ptrmap *m, const void *key, enum rt_kind kind)
{
    size_t i = hash(key, kind) & (m->cap - 1);
    while (m->slot[i].key && !(m->slot[i].key == key && m->slot[i].kind == kind))
        i = (i + 1) & (m->cap - 1);
    return &m->slot[i];
}

void *ptrmap_get(const struct ptrmap *m, const void *key, enum rt_kind kind)
{
    return m->cap && key ? probe(m, key, kind)->value : NULL;
}

void ptrmap_put(struct ptrmap *m, const void *key, enum rt_kind kind, void *value)
{
    if (m->n * 3 >= m->cap * 2) {
        struct ptrmap old = *m;
        size_t live = 0;
        for (size_t i = 0; i < old.cap; i++)
            live += old.slot[i].value != NULL;
        m->cap = 64;
        while (m->cap < live * 4)
            m->cap *= 2;
        m->slot = xcalloc(m->cap, sizeof *m->slot);
        m->n = live;
        for (size_t i = 0; i < old.cap; i++)
            if (old.slot[i].value)
                *probe(m, old.slot[i].key, old.slot[i].kind) = old.slot[i];
        free(old.slot);
    }
    struct ptrmap_slot *s = probe(m, key, kind);
    m->n += !s->key;
    *s = (struct ptrmap_slot){.key = key, .value = value, .kind = (uint8_t)kind};
}

void ptrmap_drop(struct ptrmap *m, const void *key, enum rt_kind kind)
{
    if (!m->cap || !key)
        return;
    struct ptrmap_slot *s = probe(m, key, kind);
    if (s->key)
        *s = (struct ptrmap_slot){.key = &tombstone};
}
