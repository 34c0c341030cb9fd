/*
 * Replies to an L1: sectors arrive, fill a line or are used once, and release the requests that wait in the MSHR's chain.
 */
#include "l1/l1_line.h"

static void notify_reply(struct l1 *l1, const struct req *r)
{
    const bool hooked = true;
    CALL_HOOK(management, on_reply, r);
    CALL_HOOK(organization, on_reply, r, r->flags & REQ_F_REMOTE && is_own(l1, r));
}

/* Allocates an entry now for a line that should be kept and has none, if one is available. `r` started the fetch. */
ALWAYS_INLINE void place_on_fill(struct l1 *l1, struct l1_cache *c, struct mshr_entry *e, const struct req *r,
                                 bool hooked)
{
    struct tags *t = &c->tags;
    uint32_t set = tags_set(t, e->line), way;
    struct l1_access a = {.req = r, .line = e->line, .set = set, .entry = -1};
    int32_t entry = tags_find(t, set, e->line);
    if (entry < 0 && choose_way(l1, c, &a, &way, hooked) == WAY_FOUND) {
        /* Without room to write back a dirty victim, the line is used once and not allocated. */
        if (!t->dirty[way] || ring_free(&c->to_l2.id)) {
            evict(l1, c, way, r, hooked);
            place(c, way, e->line);
            if (e->prefetched) {
                t->flags[way] = TAG_F_PREFETCHED;
                c->prefetched_at[way] = r->created_at;
            }
            entry = (int32_t)way;
        }
    }
    c->stats.prefetch_unused += e->prefetched && entry < 0;
    e->prefetched = 0;
    e->entry = entry;
    e->no_fill = entry < 0;
}

/* The waiters in an MSHR's chain, and the sectors that have arrived. */
struct waiters {
    struct req *pool;
    struct l1 *l1;
    bool some; /* some sectors are missing: only waiters whose sectors are in `have` are served */
    uint8_t have;
};

static uint32_t *waiter_link(void *ctx, uint32_t id)
{
    return mshr_req_link(((struct waiters *)ctx)->pool, id);
}

static bool serve_waiter(void *ctx, uint32_t id)
{
    const struct waiters *w = ctx;
    if (w->some && w->pool[id].sectors & ~w->have)
        return false;
    complete(w->l1, id);
    return true;
}

/* Sectors of a missed line have arrived: fill them and release the waiters that have all their sectors. */
ALWAYS_INLINE void fill_line(struct l1 *l1, struct l1_cache *c, req_id id, uint8_t sectors, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    uint32_t m = mshr_find(&c->mshr, r->addr >> t->line_shift);
    if (m == MSHR_NONE)
        BUG("%s: unexpected reply for address %lx", l1->comp.name, (unsigned long)r->addr);
    struct mshr_entry *e = &c->mshr.e[m];
    e->arrived |= sectors;
    bool all = e->arrived == e->asked;
    if (!all && !c->sectored)
        return;
    if (e->entry < 0 && !e->no_fill)
        place_on_fill(l1, c, e, r, hooked);
    if (e->entry >= 0) {
        struct l1_observer *o = observer_of(l1, c, hooked);
        if (o && !t->valid[e->entry])
            l1_observe_copy(o, e->line, true, engine_cycle(l1->comp.eng, CLK_CORE));
        t->valid[e->entry] |= e->arrived;
        t->pending[e->entry] &= (uint8_t)~e->arrived;
    }
    if (all) {
        c->stats.fills++;
        if (hooked) {
            if (is_prefetch(r) && r->served == REQ_AT_DRAM)
                c->stats.prefetch_dram_bytes += r->bytes;
            notify_reply(l1, r);
        }
        if (e->entry >= 0) {
            CALL_HOOK(management, on_fill, r, (uint32_t)e->entry);
            CALL_HOOK(prefetcher, on_fill, r, (uint32_t)e->entry);
        }
    }
    struct waiters w = {
        .pool = l1->req, .l1 = l1, .some = !all, .have = e->arrived | (e->entry >= 0 ? t->valid[e->entry] : 0)};
    mshr_split(e, waiter_link, &w, serve_waiter);
    c->freed = true;
    if (!all)
        return;
    if (hooked && e->entry >= 0 && t->flags[e->entry] & TAG_F_STALE)
        drop(l1, c, e->entry, hooked);
    mshr_remove(&c->mshr, m);
}

ALWAYS_INLINE void take_reply(struct l1 *l1, struct l1_cache *c, req_id id, uint32_t info, bool hooked)
{
    struct req *r = &l1->req[id];
    c->stats.replies++;
    struct l1_observer *o = observer_of(l1, c, hooked);
    if (o)
        l1_observe_reply(o, r->flags & REQ_F_REMOTE && is_own(l1, r));
    /* An MSHR of this L1 waits for it, not one of the home that has replied. */
    if (r->flags & REQ_F_MSHR && !(r->flags & REQ_F_REMOTE && is_own(l1, r))) {
        fill_line(l1, c, id, (uint8_t)net_sectors(info), hooked);
        return;
    }
    r->arrived |= (uint8_t)net_sectors(info);
    if ((r->arrived & r->sectors) != r->sectors)
        return;
    if (hooked)
        notify_reply(l1, r);
    complete(l1, id);
    if (l1->stores.slot && r->kind == REQ_WRITE)
        l1_stores_acknowledge(l1, id);
}

static __attribute__((noinline)) void take_reply_hooked(struct l1 *l1, struct l1_cache *c, req_id id, uint32_t info)
{
    take_reply(l1, c, id, info, true);
}

void l1_reply(struct l1 *l1, req_id id, uint32_t info)
{
    struct l1_cache *c = l1_cache_of(l1, &l1->req[id]);
    if (l1_hooked(c))
        take_reply_hooked(l1, c, id, info);
    else
        take_reply(l1, c, id, info, false);
}
