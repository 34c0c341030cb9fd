/*
 * The look-up at the tags, which the SM's own requests, those of other SMs and prefetches share; and the handling of
 * replies.
 *
 * Source: GPGPU-Sim's first-level data cache for the baseline's rules (allocation on miss, write-evict, the order in
 * which resources are tested: line, miss queue, MSHR), the five papers for the policies' decisions.
 *
 * States of a load, by the outcome of its look-up:
 *
 *   - hit:                  in the port `hit`, then at the SM
 *   - merge:                in an MSHR chain, then in the port `fill`
 *   - miss:                 in `to_l2` and in an MSHR chain; L2; in `fill`
 *   - bypassed, atomic:     in `to_l2`; L2; in `fill`
 *   - remote:               in `to_home`; at its home's L1, with one of the outcomes above; in `fill`
 *   - stall:                stays where it is and is retried
 *
 * Outcomes are counted in one place (access_body, count_prefetch). The body of an access is compiled twice: without
 * policies, where the hook calls are removed, and with them.
 */
#include "l1/l1_priv.h"

/* Calls a hook of the chosen policy, if it has that hook. */
#define CALL_HOOK(slot, hook, ...)                                                                                     \
    do {                                                                                                               \
        if (hooked && l1->slot.hooks->hook)                                                                            \
            l1->slot.hooks->hook(l1->slot.st, __VA_ARGS__);                                                            \
    } while (0)

static bool is_prefetch(const struct req *r)
{
    return r->flags & REQ_F_PREFETCH;
}

static bool is_own(const struct l1 *l1, const struct req *r)
{
    return r->sm == l1->env.sm;
}

/* The observer beside the L1s, where there is one and `c` is a data cache. */
ALWAYS_INLINE struct l1_observer *observer_of(const struct l1 *l1, const struct l1_cache *c, bool hooked)
{
    return hooked && c->which == L1_DATA ? l1->env.observer : NULL;
}

static void send_to_l2(struct l1 *l1, struct l1_cache *c, req_id id, uint32_t bytes, uint32_t asked)
{
    struct req *r = &l1->req[id];
    r->to = l1->env.slice_node[addrmap_request_slice(l1->env.map, r->addr)];
    r->from = l1->env.sm_node[l1->env.sm];
    l1->to_l2_queued++;
    l1_send_queue_push(&c->to_l2, id, net_info(bytes, asked));
}

/* The size of a request's packet: a header, and the data of what writes. */
static uint32_t request_bytes(const struct l1_cache *c, const struct req *r)
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

/* The requested sectors that a load can read here: valid sectors, and sectors whose words have all been written. */
static inline uint8_t readable(const struct l1_cache *c, uint32_t entry, const struct req *r)
{
    uint8_t have = c->tags.valid[entry];
    if (!c->words || !(r->sectors & ~have))
        return have;
    uint32_t missing = r->words & ~c->words[entry];
    for (uint32_t s = 0; s < 4; s++)
        if (r->sectors >> s & 1 && !(missing >> 8 * s & 0xff))
            have |= (uint8_t)(1u << s);
    return have;
}

/* Returns a finished request to its requester. */
static void complete(struct l1 *l1, req_id id)
{
    struct req *r = &l1->req[id];
    if (is_prefetch(r)) {
        req_release(&l1->comp.eng->pool, id);
    } else if (is_own(l1, r)) {
        l1->in_flight--;
        port_send_paced(l1->fill, id, 0);
    } else {
        r->from = l1->env.sm_node[r->sm];
        ring_push(&l1->remote_reply, id);
    }
}

/* Tells the policies that a line leaves the cache, and counts an unused prefetch. */
static void notify_evict(struct l1 *l1, struct l1_cache *c, uint32_t entry, bool hooked)
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

/* A demand access is the first to use a prefetched line, whose prefetch was issued in cycle `since`. */
static void count_used(struct l1_cache *c, bool late, uint64_t since, uint64_t now)
{
    struct l1_stats *s = &c->stats;
    s->prefetch_late += late;
    s->prefetch_timely += !late;
    s->prefetch_distance_sum += now - since;
    stat_hist_add(s->prefetch_distance, l1_distance_bound, L1_DISTANCES - 1, now - since);
}

/* A line is replaced. If it is dirty, there must be room in to_l2. */
static void evict(struct l1 *l1, struct l1_cache *c, uint32_t entry, const struct req *cause, bool hooked)
{
    struct tags *t = &c->tags;
    if (t->line[entry] == TAG_NONE)
        return;
    c->stats.evictions++;
    c->stats.prefetch_evicted += (t->flags[entry] & TAG_F_PREFETCHED) != 0;
    c->stats.prefetch_evicted_by_own += t->flags[entry] & TAG_F_PREFETCHED && is_prefetch(cause);
    notify_evict(l1, c, entry, hooked);
    if (t->dirty[entry]) {
        req_id id = req_alloc(&l1->comp.eng->pool);
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
static void drop(struct l1 *l1, struct l1_cache *c, int32_t entry, bool hooked)
{
    if (entry < 0 || c->tags.pending[entry])
        return;
    c->stats.invalidations++;
    notify_evict(l1, c, (uint32_t)entry, hooked);
    tags_drop(&c->tags, (uint32_t)entry);
}

/* A store of this SM is performed elsewhere: the local copy is dropped, so that no later look-up finds stale data. */
static void invalidate(struct l1 *l1, struct l1_cache *c, uint32_t set, uint64_t line)
{
    int32_t entry = tags_find(&c->tags, set, line);
    if (entry >= 0 && c->tags.pending[entry])
        c->tags.flags[entry] |= TAG_F_STALE;
    else
        drop(l1, c, entry, true);
}

/* Sends a request to the L2 without an MSHR and counts it as `outcome`. */
static enum l1_outcome pass_on(struct l1 *l1, struct l1_cache *c, req_id id, enum l1_outcome outcome)
{
    struct req *r = &l1->req[id];
    if (ring_free(&c->to_l2.id) == 0)
        return L1_STALL_MISS_QUEUE_FULL;
    r->arrived = 0;
    send_to_l2(l1, c, id, request_bytes(c, r), r->sectors);
    return outcome;
}

/* A store that also goes to its home writes the copy here, as if it went to the L2. */
static void write_copy(struct l1 *l1, struct l1_cache *c, struct l1_access *a)
{
    const bool hooked = true;
    a->entry = tags_find(&c->tags, a->set, a->line);
    CALL_HOOK(management, on_store, a);
    if (a->entry < 0 || c->tags.pending[a->entry])
        return;
    if (c->cfg.write_global == L1_WRITE_EVICT)
        drop(l1, c, a->entry, hooked);
    else
        tags_touch(&c->tags, (uint32_t)a->entry);
}

/*
 * Sends a request to the line's home. The prefetcher sees the load here, where its warp is; all other decisions are
 * made at the home.
 */
static enum l1_outcome send_home(struct l1 *l1, struct l1_cache *c, req_id id, struct l1_access *a)
{
    const bool hooked = true;
    struct req *r = &l1->req[id];
    if (r->kind == REQ_READ && !(r->flags & (REQ_F_PREFETCH | REQ_F_POLICY_DONE))) {
        r->flags |= REQ_F_POLICY_DONE;
        a->entry = -1;
        CALL_HOOK(prefetcher, on_access, a);
    }
    if (ring_free(&l1->to_home.id) == 0)
        return L1_STALL_MISS_QUEUE_FULL;
    if (r->flags & REQ_F_BOTH)
        write_copy(l1, c, a);
    else if (r->kind == REQ_WRITE)
        invalidate(l1, c, a->set, a->line);
    r->arrived = 0;
    r->from = l1->env.sm_node[l1->env.sm];
    r->flags &= (uint16_t) ~(REQ_F_POLICY_DONE | REQ_F_WAITED);
    l1_send_queue_push(&l1->to_home, id, net_info(request_bytes(c, r), r->sectors));
    return L1_REMOTE;
}

enum way { WAY_FOUND, WAY_ALL_RESERVED, WAY_ALL_PROTECTED };

static uint32_t least_recently_used(const struct tags *t, uint32_t base, uint64_t candidates)
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

/* A load that would stall for a line, an MSHR entry or a merge slot bypasses if the management says so. */
ALWAYS_INLINE enum l1_outcome stall(struct l1 *l1, struct l1_cache *c, req_id id, const struct l1_access *a,
                                    enum l1_outcome why, bool hooked)
{
    const enum stall cause = (enum stall)(why - L1_ACCEPTED_COUNT);
    if (!hooked || is_prefetch(a->req) || !l1->management.hooks->bypass_on_stall ||
        !POLICY_PURE(&l1->management.hooks->info, MANAGEMENT_MEMORY, "bypass_on_stall",
                     l1->management.hooks->bypass_on_stall(l1->management.st, a, cause)))
        return why;
    enum l1_outcome outcome = pass_on(l1, c, id, L1_BYPASSED);
    if (outcome == L1_BYPASSED)
        CALL_HOOK(management, on_stall_bypass, a, cause);
    return outcome;
}

/* A load whose line is in flight merges with the fetch; sectors that are not in flight are requested. */
ALWAYS_INLINE enum l1_outcome join_fetch(struct l1 *l1, struct l1_cache *c, req_id id, uint32_t m, struct l1_access *a,
                                         uint8_t need, unsigned verdict, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    struct mshr_entry *e = &c->mshr.e[m];
    uint8_t have = a->entry >= 0 ? t->valid[a->entry] : 0;
    uint8_t more = need & (uint8_t) ~(e->asked | have);
    if (!mshr_can_merge(&c->mshr, m))
        return stall(l1, c, id, a, L1_STALL_NO_MERGE_SLOT, hooked);
    if (more && ring_free(&c->to_l2.id) == 0)
        return L1_STALL_MISS_QUEUE_FULL;
    if (e->prefetched) {
        count_used(c, true, l1->req[e->head].created_at, a->now);
        e->prefetched = 0;
    }
    if (a->entry >= 0) {
        tags_touch(t, (uint32_t)a->entry);
        t->pending[a->entry] |= more;
        if (t->flags[a->entry] & TAG_F_PREFETCHED) {
            count_used(c, true, c->prefetched_at[a->entry], a->now);
            t->flags[a->entry] &= (uint8_t)~TAG_F_PREFETCHED;
        }
    }
    c->missed = more;
    e->asked |= more;
    if (hooked && verdict == L1_NORMAL)
        e->no_fill = 0; /* one requester that may allocate is enough */
    r->served = REQ_AT_L1_MERGE;
    r->flags |= REQ_F_MSHR;
    mshr_chain(&c->mshr, m, l1->req, id);
    if (more)
        send_to_l2(l1, c, id, NET_HEADER_BYTES, more);
    if (hooked) {
        a->pending = true;
        CALL_HOOK(management, on_hit, a);
    }
    return more ? L1_SECTOR_MISS : L1_MERGE;
}

/* A load that misses and whose line is not in flight. `verdict` is L1_NORMAL or L1_BYPASS_MISS. */
ALWAYS_INLINE enum l1_outcome start_fetch(struct l1 *l1, struct l1_cache *c, req_id id, struct l1_access *a,
                                          uint8_t need, unsigned verdict, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    bool allocate = !c->on_fill && verdict == L1_NORMAL;
    bool line_there = a->entry >= 0; /* a sector miss keeps its line */
    uint32_t entry = (uint32_t)a->entry;
    if (allocate && !line_there) {
        switch (choose_way(l1, c, a, &entry, hooked)) {
        case WAY_FOUND:
            break;
        case WAY_ALL_RESERVED:
            return stall(l1, c, id, a, L1_STALL_NO_WAY, hooked);
        case WAY_ALL_PROTECTED:
            if (is_prefetch(r))
                return L1_STALL_NO_WAY;
            if (pass_on(l1, c, id, L1_BYPASSED) != L1_BYPASSED)
                return L1_STALL_MISS_QUEUE_FULL;
            c->stats.all_protected++;
            CALL_HOOK(management, on_all_protected, a);
            return L1_BYPASSED;
        }
    }
    bool dirty_victim = allocate && !line_there && t->dirty[entry];
    if (ring_free(&c->to_l2.id) < 1u + dirty_victim)
        return L1_STALL_MISS_QUEUE_FULL;
    if (mshr_full(&c->mshr))
        return stall(l1, c, id, a, L1_STALL_NO_MSHR, hooked);
    uint8_t have = line_there ? t->valid[entry] : 0;
    uint8_t asked = need & (uint8_t)~have;
    c->missed = asked;
    struct mshr_entry *e = &c->mshr.e[mshr_add(&c->mshr, a->line)];
    e->asked = asked;
    e->no_fill = c->on_fill ? verdict != L1_NORMAL : !allocate && !line_there;
    if (allocate || line_there) {
        if (line_there) {
            tags_touch(t, entry);
        } else {
            evict(l1, c, entry, r, hooked);
            place(c, entry, a->line);
            if (hooked && is_prefetch(r)) {
                t->flags[entry] = TAG_F_PREFETCHED;
                c->prefetched_at[entry] = a->now;
            }
        }
        t->pending[entry] |= asked;
        e->entry = (int32_t)entry;
    } else {
        e->prefetched = hooked && is_prefetch(r);
    }
    r->served = REQ_AT_L2;
    r->flags |= REQ_F_MSHR;
    mshr_chain(&c->mshr, (uint32_t)(e - c->mshr.e), l1->req, id);
    send_to_l2(l1, c, id, NET_HEADER_BYTES, asked);
    if (hooked) {
        a->entry = e->entry;
        CALL_HOOK(management, on_miss, a, allocate);
    }
    return line_there ? L1_SECTOR_MISS : L1_MISS;
}

/* Written data can be read here; an absent line is allocated for it if a way is available at once. */
static void keep_written(struct l1 *l1, struct l1_cache *c, struct l1_access *a, bool hooked)
{
    const struct req *r = a->req;
    struct tags *t = &c->tags;
    uint32_t entry = (uint32_t)a->entry;
    if (a->entry < 0) {
        if (mshr_find(&c->mshr, a->line) != MSHR_NONE || choose_way(l1, c, a, &entry, hooked) != WAY_FOUND ||
            t->dirty[entry])
            return;
        evict(l1, c, entry, r, hooked);
        place(c, entry, a->line);
    } else {
        tags_touch(t, entry);
    }
    if (r->flags & REQ_F_PARTIAL)
        return;
    uint32_t words = c->words[entry] |= r->words;
    for (uint32_t s = 0; s < 4; s++)
        if ((words >> 8 * s & 0xff) == 0xff)
            t->valid[entry] |= (uint8_t)(1u << s) & t->full;
}

static enum l1_outcome store(struct l1 *l1, struct l1_cache *c, req_id id, struct l1_access *a, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    uint32_t how = r->space == REQ_SP_LOCAL ? c->cfg.write_local : c->cfg.write_global;
    bool present = a->entry >= 0 && !t->pending[a->entry];
    if (how == L1_WRITE_BACK && present && (t->valid[a->entry] & r->sectors) == r->sectors) {
        CALL_HOOK(management, on_store, a);
        tags_touch(t, (uint32_t)a->entry);
        t->dirty[a->entry] |= r->sectors;
        t->flags[a->entry] |= TAG_F_REUSED;
        if (is_own(l1, r)) {
            r->served = REQ_AT_L1;
            l1->in_flight--;
            port_send_later(l1->hit, id, 0, c->hit_extra);
        } else {
            r->served = REQ_AT_REMOTE_L1;
            complete(l1, id);
        }
        return L1_HIT;
    }
    enum l1_outcome outcome = pass_on(l1, c, id, present ? L1_HIT : L1_MISS);
    if (l1_is_stall(outcome))
        return outcome;
    r->served = REQ_AT_L2;
    CALL_HOOK(management, on_store, a);
    if (how == L1_WRITE_ALLOCATE && (present || a->entry < 0)) {
        keep_written(l1, c, a, hooked);
        return outcome;
    }
    if (!present)
        return outcome;
    if (how == L1_WRITE_EVICT)
        drop(l1, c, a->entry, hooked);
    else
        tags_touch(t, (uint32_t)a->entry); /* written through: the line stays valid */
    return outcome;
}

static inline void check_home(const struct l1 *l1, uint32_t home)
{
    const struct l1_organization *o = l1->organization.hooks;
    if (home >= l1->env.n_sm)
        policy_fault(&o->info, "route returned home SM %u; there are %u SMs", home, l1->env.n_sm);
    if (!l1->net.to_home)
        policy_fault(&o->info, "route returned another SM as home, but the policy does not set .remote = true");
}

/* Calls the organization's `route`, once per request of this SM. */
static enum l1_route route(struct l1 *l1, struct req *r, const struct l1_access *a)
{
    if (!(r->flags & REQ_F_ROUTED)) {
        uint32_t home = l1->env.sm;
        enum l1_route to = l1->organization.hooks->route(l1->organization.st, r, a->line, a->set, &home);
        r->flags |= REQ_F_ROUTED;
        if ((unsigned)to > L1_ROUTE_BOTH)
            policy_fault(&l1->organization.hooks->info, "route returned %u, which is not a value of enum l1_route",
                         (unsigned)to);
        if (to == L1_ROUTE_L2) {
            r->flags |= REQ_F_BYPASS;
        } else if (to != L1_ROUTE_LOCAL && home != l1->env.sm) {
            check_home(l1, home);
            r->flags |= to == L1_ROUTE_BOTH && r->kind == REQ_WRITE ? REQ_F_REMOTE | REQ_F_BOTH : REQ_F_REMOTE;
            r->to = l1->env.sm_node[home];
        }
    }
    return r->flags & REQ_F_BYPASS ? L1_ROUTE_L2 : r->flags & REQ_F_REMOTE ? L1_ROUTE_REMOTE : L1_ROUTE_LOCAL;
}

/* The policies see a load once, however often it is retried. Returns enum l1_decision. */
static unsigned decide(struct l1 *l1, struct req *r, struct l1_access *a)
{
    const bool hooked = true;
    if (!(r->flags & REQ_F_POLICY_DONE)) {
        r->flags |= REQ_F_POLICY_DONE;
        if (l1->management.hooks->decide) {
            unsigned verdict = l1->management.hooks->decide(l1->management.st, a);
            if (verdict > L1_BYPASS)
                policy_fault(&l1->management.hooks->info,
                             "decide returned %u, which is not a value of enum l1_decision", verdict);
            r->flags |= (uint16_t)(verdict << REQ_F_VERDICT_SHIFT);
        }
        r->policy_tag = a->policy_tag;
        if (!is_prefetch(r)) {
            CALL_HOOK(organization, on_lookup, a);
            if (is_own(l1, r))
                CALL_HOOK(prefetcher, on_access, a);
        }
    }
    return (r->flags & REQ_F_VERDICT) >> REQ_F_VERDICT_SHIFT;
}

ALWAYS_INLINE enum l1_outcome load_hit(struct l1 *l1, struct l1_cache *c, req_id id, struct l1_access *a, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    tags_touch(t, (uint32_t)a->entry);
    if (t->flags[a->entry] & TAG_F_PREFETCHED) {
        t->flags[a->entry] &= (uint8_t)~TAG_F_PREFETCHED;
        count_used(c, false, c->prefetched_at[a->entry], a->now);
    }
    t->flags[a->entry] |= TAG_F_REUSED;
    CALL_HOOK(management, on_hit, a);
    if (hooked && !is_own(l1, r)) {
        r->served = REQ_AT_REMOTE_L1;
        complete(l1, id);
    } else {
        r->served = REQ_AT_L1;
        l1->in_flight--;
        port_send_later(l1->hit, id, 0, c->hit_extra);
    }
    return L1_HIT;
}

ALWAYS_INLINE enum l1_outcome look_up(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    struct l1_access a = {.req = r, .line = r->addr >> t->line_shift, .now = now};
    a.set = tags_set(t, a.line);

    if (hooked && l1->organization.hooks->route && is_own(l1, r) && (r->kind == REQ_READ || r->kind == REQ_WRITE) &&
        !(r->flags & REQ_F_BYPASS) && route(l1, r, &a) == L1_ROUTE_REMOTE)
        return send_home(l1, c, id, &a);

    bool atomic = r->kind == REQ_ATOMIC || r->kind == REQ_RED;
    if (r->flags & REQ_F_BYPASS || atomic) {
        if (hooked && is_prefetch(r))
            return L1_BYPASSED; /* there is nothing to fetch into this L1 */
        enum l1_outcome outcome = pass_on(l1, c, id, atomic ? L1_ATOMIC : L1_BYPASSED);
        r->served = REQ_AT_L2;
        if (!l1_is_stall(outcome) && r->kind != REQ_READ) {
            if (hooked && r->flags & REQ_F_ROUTED)
                invalidate(l1, c, a.set, a.line);
            else
                drop(l1, c, tags_find(t, a.set, a.line), hooked);
        }
        return outcome;
    }

    a.entry = tags_find(t, a.set, a.line);
    if (r->kind == REQ_WRITE) {
        if (hooked && l1->organization.hooks->on_lookup && !(r->flags & REQ_F_POLICY_DONE)) {
            r->flags |= REQ_F_POLICY_DONE;
            a.hit = a.entry >= 0 && !t->pending[a.entry];
            l1->organization.hooks->on_lookup(l1->organization.st, &a);
        }
        return store(l1, c, id, &a, hooked);
    }

    uint8_t need = c->sectored ? r->sectors : t->full;
    unsigned verdict = L1_NORMAL;
    a.hit = a.entry >= 0 && (readable(c, (uint32_t)a.entry, r) & need) == need;
    uint32_t m = a.hit && !(hooked && is_prefetch(r)) ? MSHR_NONE : mshr_find(&c->mshr, a.line);
    if (hooked) {
        if (is_prefetch(r) && (a.entry >= 0 || m != MSHR_NONE))
            return m != MSHR_NONE ? L1_MERGE : L1_HIT;
        a.pending = a.entry >= 0 && t->pending[a.entry];
        verdict = decide(l1, r, &a);
        if (is_prefetch(r) && verdict != L1_NORMAL)
            return L1_BYPASSED;
        if (verdict == L1_BYPASS) {
            r->served = REQ_AT_L2;
            return pass_on(l1, c, id, L1_BYPASSED);
        }
        if (verdict == L1_BYPASS_MISS && a.entry < 0 && c->cfg.bypass_fetch == L1_FILL_SECTOR)
            need = r->sectors; /* a line that is not allocated need not be complete */
    }
    if (a.hit)
        return load_hit(l1, c, id, &a, hooked);
    return m != MSHR_NONE ? join_fetch(l1, c, id, m, &a, need, verdict, hooked)
                          : start_fetch(l1, c, id, &a, need, verdict, hooked);
}

/* A prefetch is issued or dropped; nothing waits for it. `r` is freed by a drop, and handed over when sent home. */
static void count_prefetch(struct l1 *l1, struct l1_cache *c, req_id id, enum l1_outcome outcome)
{
    struct l1_stats *s = &c->stats;
    switch (outcome) {
    case L1_MISS:
        s->prefetch_issued++;
        s->prefetch_noc_bytes += 2 * NET_HEADER_BYTES + l1->req[id].bytes;
        return;
    case L1_REMOTE:
        s->prefetch_to_home++;
        return;
    case L1_HIT:
    case L1_MERGE:
        s->prefetch_redundant++;
        break;
    case L1_BYPASSED:
        s->prefetch_policy_rejected++;
        break;
    default:
        s->prefetch_no_resource++;
    }
    req_release(&l1->comp.eng->pool, id);
}

/* The request may already be in flight, but no component receives it before the next cycle. */
static void observe(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t line, enum l1_outcome outcome, bool remote,
                    bool load, uint64_t now)
{
    struct l1_observer *o = observer_of(l1, c, true);
    if (outcome == L1_MISS && load)
        l1_observe_miss(o, line, now);
    if (outcome <= L1_MERGE)
        l1_observe_home(o, l1->env.sm);
    if (!remote)
        l1_observe_request(o, &l1->req[id], load && outcome == L1_HIT);
}

/* Sectors of a load, as Nsight Compute counts them: those of a line in flight are hits. */
static inline void count_sectors(struct l1_cache *c, uint8_t asked, enum l1_outcome outcome)
{
    uint8_t missed = outcome == L1_HIT || outcome == L1_MERGE          ? 0
                     : outcome == L1_MISS || outcome == L1_SECTOR_MISS ? c->missed & asked
                                                                       : asked;
    c->stats.global_sectors += sector_count(asked);
    c->stats.global_sector_hits += sector_count(asked & (uint8_t)~missed);
}

ALWAYS_INLINE enum l1_outcome access_body(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now, bool hooked)
{
    struct req *r = &l1->req[id];
    /* These are read before the look-up, which may hand over the request. */
    bool prefetch = hooked && is_prefetch(r), remote = hooked && !is_own(l1, r), load = r->kind == REQ_READ;
    bool global = load && r->space == REQ_SP_GLOBAL && !remote;
    uint8_t asked = r->sectors;
    uint64_t line = r->addr >> c->tags.line_shift;
    enum l1_outcome outcome = look_up(l1, c, id, now, hooked);
    if (prefetch) {
        count_prefetch(l1, c, id, outcome);
    } else if (!l1_is_stall(outcome)) {
        c->stats.taken[!load][outcome]++;
        if (global)
            count_sectors(c, asked, outcome);
        if (observer_of(l1, c, hooked))
            observe(l1, c, id, line, outcome, remote, load, now);
        if (remote) {
            c->stats.remote_loads += load;
            c->stats.remote_loads_unserved += load && outcome != L1_HIT && outcome != L1_MERGE;
            c->stats.remote_requests++;
            c->stats.remote_hits += outcome == L1_HIT;
            c->stats.remote_misses += outcome == L1_MISS || outcome == L1_SECTOR_MISS || outcome == L1_MERGE;
        }
    }
    return outcome;
}

enum l1_outcome l1_access_plain(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now)
{
    return access_body(l1, c, id, now, false);
}

enum l1_outcome l1_access_hooked(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now)
{
    return access_body(l1, c, id, now, true);
}

enum l1_outcome l1_bypass(struct l1 *l1, struct l1_cache *c, req_id id)
{
    bool load = l1->req[id].kind == REQ_READ;
    enum l1_outcome outcome = pass_on(l1, c, id, L1_BYPASSED);
    if (!l1_is_stall(outcome))
        c->stats.taken[!load][outcome]++;
    return outcome;
}

/* ---- replies ---- */
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
