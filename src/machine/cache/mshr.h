/*
 * Miss status holding registers: which lines have been requested, and which requests wait for them.
 *
 * There is one entry per line. Its waiters form a chain, headed by the request that missed first. A waiter is a
 * number: a request chained through req.next (the L1), or an index into the cache's own table (the L2), which provides
 * the links through a function. An entry holds at most `max_merge` waiters. Entries are found through a small hash
 * table; nothing is allocated after mshr_init.
 */
#ifndef WEIR_CACHE_MSHR_H
#define WEIR_CACHE_MSHR_H

#include "base/inline.h"
#include "base/mem.h"
#include "engine/request.h"

#define MSHR_NONE UINT32_MAX

struct mshr_entry {
    uint64_t line;
    uint32_t head, tail; /* waiters, or MSHR_NONE */
    uint32_t n;          /* waiters in the chain */
    uint32_t hnext;      /* hash chain, free list */
    uint8_t asked;       /* sectors requested */
    uint8_t arrived;     /* sectors that have arrived */
    uint8_t no_fill;     /* do not allocate the line when it arrives */
    uint8_t prefetched;  /* started by a prefetch, no demand access merged yet; used while it has no tag entry */
    int32_t entry;       /* the tag entry reserved for it, or -1 */
};

struct mshr {
    struct mshr_entry *e;
    uint32_t *bucket;
    uint32_t bucket_mask;
    uint32_t free;
    uint32_t cap, used, max_merge;
};

void mshr_init(struct mshr *, struct arena *, uint32_t cap, uint32_t max_merge);

static inline uint32_t mshr_bucket(const struct mshr *m, uint64_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15ull) >> 40) & m->bucket_mask;
}

static inline uint32_t mshr_find(const struct mshr *m, uint64_t line)
{
    uint32_t i = m->bucket[mshr_bucket(m, line)];
    while (i != MSHR_NONE && m->e[i].line != line)
        i = m->e[i].hnext;
    return i;
}

/* Any entry in use, or MSHR_NONE. A linear search, for reports. */
static inline uint32_t mshr_any(const struct mshr *m)
{
    for (uint32_t b = 0; b <= m->bucket_mask; b++)
        if (m->bucket[b] != MSHR_NONE)
            return m->bucket[b];
    return MSHR_NONE;
}

static inline bool mshr_full(const struct mshr *m)
{
    return m->free == MSHR_NONE;
}

/* A new entry for a line that has none; there must be a free one. Its chain is empty. */
static inline uint32_t mshr_add(struct mshr *m, uint64_t line)
{
    uint32_t i = m->free, b = mshr_bucket(m, line);
    m->free = m->e[i].hnext;
    m->e[i] =
        (struct mshr_entry){.line = line, .head = MSHR_NONE, .tail = MSHR_NONE, .hnext = m->bucket[b], .entry = -1};
    m->bucket[b] = i;
    m->used++;
    return i;
}

static inline bool mshr_can_merge(const struct mshr *m, uint32_t i)
{
    return m->e[i].n < m->max_merge;
}

/* Returns the link of a waiter. Each caller passes a constant function, so that the compiler can inline it. */
typedef uint32_t *mshr_link(void *ctx, uint32_t waiter);

ALWAYS_INLINE void mshr_append(struct mshr_entry *e, mshr_link *link, void *ctx, uint32_t waiter)
{
    *link(ctx, waiter) = MSHR_NONE;
    if (e->head == MSHR_NONE)
        e->head = waiter;
    else
        *link(ctx, e->tail) = waiter;
    e->tail = waiter;
    e->n++;
}

/*
 * Offers each waiter, oldest first, to `serve`, which returns true when all its data has arrived and it has been served
 * (its link may then be reused). The others stay in the chain, in order.
 */
ALWAYS_INLINE void mshr_split(struct mshr_entry *e, mshr_link *link, void *ctx,
                              bool (*serve)(void *ctx, uint32_t waiter))
{
    uint32_t waiter = e->head;
    e->head = e->tail = MSHR_NONE;
    e->n = 0;
    while (waiter != MSHR_NONE) {
        uint32_t next = *link(ctx, waiter);
        if (!serve(ctx, waiter))
            mshr_append(e, link, ctx, waiter);
        waiter = next;
    }
}

/* For chains of requests. ctx: the pool. */
static inline uint32_t *mshr_req_link(void *ctx, uint32_t id)
{
    return &((struct req *)ctx)[id].next;
}

static inline void mshr_chain(struct mshr *m, uint32_t i, struct req *req, req_id id)
{
    mshr_append(&m->e[i], mshr_req_link, req, id);
}

/* Frees the entry; the caller has taken over the chain. */
void mshr_remove(struct mshr *, uint32_t i);

#endif
