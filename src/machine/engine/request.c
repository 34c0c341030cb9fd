/*
 * The request pool: a free list through req.next. Requests enter it in pieces as they are needed, because a large
 * machine's pool is tens of megabytes, of which a short run uses little.
 */
#include "engine/request.h"

#include "base/err.h"
#include "base/mem.h"

void req_pool_init(struct req_pool *p, struct arena *arena, uint32_t cap)
{
    *p = (struct req_pool){
        .req = arena_alloc64(arena, (size_t)(cap ? cap : 1) * sizeof *p->req), .free = REQ_NONE, .cap = cap};
}

req_id req_pool_extend(struct req_pool *p)
{
    enum { PIECE = 256 };
    const uint32_t from = p->listed, left = p->cap - from, to = from + (left < PIECE ? left : PIECE);
    if (from == to)
        BUG("all %u requests are in flight", p->cap); /* the pool is sized from the configuration */
    for (uint32_t i = from; i < to; i++)
        p->req[i].next = i + 1 < to ? i + 1 : REQ_NONE;
    p->listed = to;
    return from;
}
