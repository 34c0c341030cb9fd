/*
 * The requests of a machine: free lists through req.next, one for each worker. Requests enter a list in pieces as they are
 * needed, because a large machine's store is tens of megabytes, of which a short run uses little. What one worker makes
 * and another completes returns through the store, piece by piece; so the store is larger than the requests in flight by
 * what the lists of several workers keep.
 */
#include "engine/request.h"

#include "base/err.h"
#include "base/mem.h"

void req_store_init(struct req_store *s, struct arena *arena, uint32_t cap, uint32_t pools)
{
    const uint32_t size = (cap ? cap : 1) + (pools > 1 ? pools * REQ_IDLE : 0);
    *s = (struct req_store){.req = arena_alloc64(arena, (size_t)size * sizeof *s->req),
                            .cap = cap,
                            .size = pools > 1 ? size : cap,
                            .returned = REQ_NONE};
}

void req_pool_init(struct req_pool *p, struct req_store *s, bool alone)
{
    *p = (struct req_pool){.req = s->req, .free = REQ_NONE, .room = alone ? UINT32_MAX : REQ_IDLE, .store = s};
}

static void lock(struct req_store *s)
{
    while (__atomic_exchange_n(&s->lock, 1, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(struct req_store *s)
{
    __atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE);
}

req_id req_pool_extend(struct req_pool *p)
{
    struct req_store *s = p->store;
    lock(s);
    const req_id returned = s->returned;
    const uint32_t from = s->listed, left = s->size - from, n = left < REQ_PIECE ? left : REQ_PIECE;
    if (returned != REQ_NONE)
        s->returned = s->req[returned].token;
    else
        s->listed += n;
    unlock(s);
    if (returned != REQ_NONE) {
        p->room -= REQ_PIECE;
        return returned;
    }
    if (!n)
        BUG("all %u requests are in flight", s->cap); /* the store is sized from the configuration */
    for (uint32_t i = from; i < from + n; i++)
        s->req[i].next = i + 1 < from + n ? i + 1 : REQ_NONE;
    p->room -= n;
    return from;
}

void req_pool_give_back(struct req_pool *p)
{
    struct req_store *s = p->store;
    const req_id first = p->free;
    req_id last = first;
    for (unsigned i = 1; i < REQ_PIECE; i++)
        last = s->req[last].next;
    p->free = s->req[last].next;
    s->req[last].next = REQ_NONE;
    p->room += REQ_PIECE;
    lock(s);
    s->req[first].token = s->returned;
    s->returned = first;
    unlock(s);
}
