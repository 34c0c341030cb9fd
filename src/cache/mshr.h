/*
 * Miss status holding registers: which lines have been asked for, and who waits for them.
 *
 * One entry per line; the requests that wait hang in a chain through req.next, the one that missed first at its head.
 * An entry holds at most `max_merge` requests. Look-up is a small hash table; nothing is allocated after mshr_init.
 */
#ifndef WEIR_CACHE_MSHR_H
#define WEIR_CACHE_MSHR_H

#include "base/mem.h"
#include "engine/request.h"

#define MSHR_NONE UINT32_MAX

struct mshr_entry {
    uint64_t line;
    req_id head, tail;
    uint32_t n;      /* requests in the chain */
    uint32_t hnext;  /* hash chain, free list */
    uint8_t asked;   /* sectors asked for */
    uint8_t arrived; /* sectors that have come */
    uint8_t no_fill; /* do not allocate the line when it comes */
    uint8_t spare;
    int32_t entry; /* the tag entry reserved for it, or -1 */
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

static inline bool mshr_full(const struct mshr *m)
{
    return m->free == MSHR_NONE;
}

/* A new entry for a line that has none; there must be a free one. Its chain is empty. */
static inline uint32_t mshr_add(struct mshr *m, uint64_t line)
{
    uint32_t i = m->free, b = mshr_bucket(m, line);
    m->free = m->e[i].hnext;
    m->e[i] = (struct mshr_entry){.line = line, .head = REQ_NONE, .tail = REQ_NONE, .hnext = m->bucket[b], .entry = -1};
    m->bucket[b] = i;
    m->used++;
    return i;
}

static inline bool mshr_can_merge(const struct mshr *m, uint32_t i)
{
    return m->e[i].n < m->max_merge;
}

static inline void mshr_chain(struct mshr *m, uint32_t i, struct req *req, req_id id)
{
    struct mshr_entry *e = &m->e[i];
    req[id].next = REQ_NONE;
    if (e->head == REQ_NONE)
        e->head = id;
    else
        req[e->tail].next = id;
    e->tail = id;
    e->n++;
}

/* Gives the entry back; the caller has taken the chain. */
void mshr_remove(struct mshr *, uint32_t i);

#endif
