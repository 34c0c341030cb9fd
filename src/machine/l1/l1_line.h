/*
 * What a look-up (l1_access.c) and a reply (l1_reply.c) both do to lines and requests of an L1: place, evict and drop a
 * line, choose the victim, call the policies' hooks, send to the L2, and return what is finished. `hooked` is constant
 * at each call, so without policies nothing of the hooks remains.
 */
#ifndef WEIR_L1_LINE_H
#define WEIR_L1_LINE_H

#include "l1/l1_priv.h"

/* Calls a hook of the chosen policy, if it has that hook. */
#define CALL_HOOK(slot, hook, ...)                                                                                     \
    do {                                                                                                               \
        if (hooked && l1->slot.hooks->hook)                                                                            \
            l1->slot.hooks->hook(l1->slot.st, __VA_ARGS__);                                                            \
    } while (0)

static inline bool is_prefetch(const struct req *r)
{
    return r->flags & REQ_F_PREFETCH;
}

static inline bool is_own(const struct l1 *l1, const struct req *r)
{
    return r->sm == l1->env.sm;
}

/* The observer beside the L1s, where there is one and `c` is a data cache. */
ALWAYS_INLINE struct l1_observer *observer_of(const struct l1 *l1, const struct l1_cache *c, bool hooked)
{
    return hooked && c->which == L1_DATA ? l1->env.observer : NULL;
}

static inline void send_to_l2(struct l1 *l1, struct l1_cache *c, req_id id, uint32_t bytes, uint32_t asked)
{
    struct req *r = &l1->req[id];
    r->to = l1->env.slice_node[addrmap_request_slice(l1->env.map, r->addr, l1->env.sm)];
    r->from = l1->env.sm_node[l1->env.sm];
    l1->to_l2_queued++;
    l1_send_queue_push(&c->to_l2, id, net_info(bytes, asked));
}

/* The size of a request's packet: a header, and the data of what writes. */
static inline uint32_t request_bytes(const struct l1_cache *c, const struct req *r)
{
    if (r->kind == REQ_WRITE && c->cfg.store_whole_sectors)
        return NET_HEADER_BYTES + sector_count(r->sectors) * SECTOR_BYTES;
    return NET_HEADER_BYTES + (r->kind == REQ_READ ? 0 : r->bytes);
}

/* A line takes an entry, with no valid sector yet. */
static inline void place(struct l1_cache *c, uint32_t entry, uint64_t line)
{
    tags_place(&c->tags, entry, line);
    if (c->words)
        c->words[entry] = 0;
}

/* Returns a finished request to its requester. */
static inline void complete(struct l1 *l1, req_id id)
{
    struct req *r = &l1->req[id];
    if (is_prefetch(r)) {
        req_release(engine_pool(&l1->comp), id);
    } else if (is_own(l1, r)) {
        l1->in_flight--;
        port_send_paced(l1->fill, id, 0);
    } else {
        r->from = l1->env.sm_node[r->sm];
        ring_push(&l1->remote_reply, id);
    }
}

/* Tells the policies that a line leaves the cache, and counts an unused prefetch. */
static inline void notify_evict(struct l1 *l1, struct l1_cache *c, uint32_t entry, bool hooked)
{
    struct tags *t = &c->tags;
    bool unused = t->flags[entry] & TAG_F_PREFETCHED;
    c->stats.prefetch_unused += unused;
    CALL_HOOK(management, on_evict, entry, t->line[entry], t->flags[entry] & TAG_F_REUSED);
    CALL_HOOK(prefetcher, on_evict, entry, t->line[entry], unused);
    struct l1_observer *o = observer_of(l1, c, hooked);
    if (o && t->valid[entry])
        l1_observe_copy(o, t->line[entry], false, engine_cycle(l1->comp.eng, CLK_CORE));
}

/* A line is replaced. If it is dirty, there must be room in to_l2. */
static inline void evict(struct l1 *l1, struct l1_cache *c, uint32_t entry, const struct req *cause, bool hooked)
{
    struct tags *t = &c->tags;
    if (t->line[entry] == TAG_NONE)
        return;
    c->stats.evictions++;
    c->stats.prefetch_evicted += (t->flags[entry] & TAG_F_PREFETCHED) != 0;
    c->stats.prefetch_evicted_by_own += t->flags[entry] & TAG_F_PREFETCHED && is_prefetch(cause);
    notify_evict(l1, c, entry, hooked);
    if (t->dirty[entry]) {
        req_id id = req_alloc(engine_pool(&l1->comp));
        struct req *wb = &l1->req[id];
        uint32_t bytes = sector_count(t->dirty[entry]) * SECTOR_BYTES;
        *wb = (struct req){.addr = t->line[entry] << t->line_shift,
                           .created_at = cause ? cause->created_at : 0,
                           .words = ~0u,
                           .sm = (uint16_t)l1->env.sm,
                           .bytes = (uint16_t)bytes,
                           .kind = REQ_WRITEBACK,
                           .space = REQ_SP_LOCAL,
                           .sectors = t->dirty[entry]};
        c->stats.write_backs++;
        send_to_l2(l1, c, id, request_bytes(c, wb), wb->sectors);
    }
}

/* Drops a line that a write or an atomic makes stale. A line in flight stays reserved: its data is newer or equal. */
static inline void drop(struct l1 *l1, struct l1_cache *c, int32_t entry, bool hooked)
{
    if (entry < 0 || c->tags.pending[entry])
        return;
    c->stats.invalidations++;
    notify_evict(l1, c, (uint32_t)entry, hooked);
    tags_drop(&c->tags, (uint32_t)entry);
}

enum way { WAY_FOUND, WAY_ALL_RESERVED, WAY_ALL_PROTECTED };

static inline uint32_t least_recently_used(const struct tags *t, uint32_t base, uint64_t candidates)
{
    uint32_t best = base + (uint32_t)__builtin_ctzll(candidates);
    for (uint64_t m = candidates; m; m &= m - 1) {
        uint32_t entry = base + (uint32_t)__builtin_ctzll(m);
        if (t->used[entry] < t->used[best])
            best = entry;
    }
    return best;
}

/* What the pure hooks of the management and the organization must leave as it is. */
#define MANAGEMENT_MEMORY                                                                                              \
    (struct policy_memory)                                                                                             \
    {                                                                                                                  \
        l1->management.st, l1->management.host.line_state, l1->management.hooks->state_bytes,                          \
            l1->management.hooks->line_state_bytes *tags_entries(l1->management.host.tags)                             \
    }
#define ORGANIZATION_MEMORY                                                                                            \
    (struct policy_memory)                                                                                             \
    {                                                                                                                  \
        .state = l1->organization.st, .state_bytes = l1->organization.hooks->state_bytes                               \
    }

/* The entry for a missing line. */
ALWAYS_INLINE enum way choose_way(struct l1 *l1, struct l1_cache *c, const struct l1_access *a, uint32_t *entry,
                                  bool hooked)
{
    bool preferred = hooked && l1->organization.hooks->preferred_victims;
    if (!hooked || (!l1->management.hooks->victim && !preferred)) {
        int32_t lru = tags_victim_lru(&c->tags, a->set);
        *entry = (uint32_t)lru;
        return lru < 0 ? WAY_ALL_RESERVED : WAY_FOUND;
    }
    uint64_t candidates = tags_candidates(&c->tags, a->set);
    if (!candidates)
        return WAY_ALL_RESERVED;
    uint32_t base = a->set * c->tags.n_way;
    for (uint32_t w = 0; w < c->tags.n_live; w++) {
        if (c->tags.line[base + w] == TAG_NONE) {
            *entry = base + w;
            return WAY_FOUND;
        }
    }
    if (preferred) {
        uint64_t first =
            POLICY_PURE(&l1->organization.hooks->info, ORGANIZATION_MEMORY, "preferred_victims",
                        l1->organization.hooks->preferred_victims(l1->organization.st, a->set, candidates));
        if (first & ~candidates)
            policy_fault(&l1->organization.hooks->info,
                         "preferred_victims returned ways %#lx of set %u, but the candidates are %#lx",
                         (unsigned long)first, a->set, (unsigned long)candidates);
        candidates = first ? first : candidates;
    }
    if (!l1->management.hooks->victim) {
        *entry = least_recently_used(&c->tags, base, candidates);
        return WAY_FOUND;
    }
    uint32_t way = POLICY_PURE(&l1->management.hooks->info, MANAGEMENT_MEMORY, "victim",
                               l1->management.hooks->victim(l1->management.st, a, candidates));
    if (way == L1_NO_VICTIM)
        return WAY_ALL_PROTECTED;
    if (way >= 64 || !(candidates >> way & 1))
        policy_fault(&l1->management.hooks->info, "victim returned way %u of set %u, but the candidates are %#lx", way,
                     a->set, (unsigned long)candidates);
    *entry = base + way;
    return WAY_FOUND;
}

#endif
