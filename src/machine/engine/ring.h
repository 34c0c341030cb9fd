/* A bounded queue of 32-bit values inside one component (between components use a port). */
#ifndef WEIR_ENGINE_RING_H
#define WEIR_ENGINE_RING_H

#include "base/mem.h"

#include <stdbool.h>

struct ring {
    uint32_t *slot;
    uint32_t mask, cap, head, tail;
};

static inline void ring_init(struct ring *r, struct arena *a, uint32_t cap)
{
    uint32_t n = 1;
    while (n < cap)
        n *= 2;
    *r = (struct ring){.slot = (uint32_t *)arena_alloc64(a, n * sizeof(uint32_t)), .mask = n - 1, .cap = cap};
}
static inline uint32_t ring_count(const struct ring *r)
{
    return r->tail - r->head;
}
static inline uint32_t ring_free(const struct ring *r)
{
    return r->cap - (r->tail - r->head);
}
static inline bool ring_empty(const struct ring *r)
{
    return r->tail == r->head;
}
static inline void ring_push(struct ring *r, uint32_t v)
{
    r->slot[r->tail++ & r->mask] = v;
}
static inline uint32_t ring_front(const struct ring *r)
{
    return r->slot[r->head & r->mask];
}
static inline uint32_t ring_pop(struct ring *r)
{
    return r->slot[r->head++ & r->mask];
}

#endif
