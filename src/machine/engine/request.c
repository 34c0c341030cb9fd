/* The request pool: a free list through req.next. */
#include "engine/request.h"

#include "base/err.h"
#include "base/mem.h"

void req_pool_init(struct req_pool *p, struct arena *arena, uint32_t cap)
{
    *p = (struct req_pool){.req = arena_alloc64(arena, (size_t)(cap ? cap : 1) * sizeof *p->req), .cap = cap};
    for (uint32_t i = 0; i < cap; i++)
        p->req[i].next = i + 1 < cap ? i + 1 : REQ_NONE;
    p->free = cap ? 0 : REQ_NONE;
}

void req_pool_empty(const struct req_pool *p)
{
    BUG("all %u requests are in flight", p->cap);
}
