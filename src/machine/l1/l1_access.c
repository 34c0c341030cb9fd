/*
 * The look-up at the tags, which the SM's own requests, those of other SMs and prefetches share. l1_reply.c has what
 * follows when the data arrives.
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
#include "l1/l1_line.h"

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

/* A demand access is the first to use a prefetched line, whose prefetch was issued in cycle `since`. */
static void count_used(struct l1_cache *c, bool late, uint64_t since, uint64_t now)
{
    struct l1_stats *s = &c->stats;
    s->prefetch_late += late;
    s->prefetch_timely += !late;
    s->prefetch_distance_sum += now - since;
    stat_hist_add(s->prefetch_distance, l1_distance_bound, L1_DISTANCES - 1, now - since);
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
static enum l1_outcome pass_on(struct l1 *l1, struct l1_cache *c, req_id id, enum l1_outcome outcome, uint64_t now)
{
    struct req *r = &l1->req[id];
    if (r->kind == REQ_WRITE && l1->stores.slot && c->which == L1_DATA && is_own(l1, r))
        return l1_store_join(l1, c, id, now, outcome);
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

/* A load that would stall for a line, an MSHR entry or a merge slot bypasses if the management says so. */
ALWAYS_INLINE enum l1_outcome stall(struct l1 *l1, struct l1_cache *c, req_id id, const struct l1_access *a,
                                    enum l1_outcome why, bool hooked)
{
    const enum stall cause = (enum stall)(why - L1_ACCEPTED_COUNT);
    if (!hooked || is_prefetch(a->req) || !l1->management.hooks->bypass_on_stall ||
        !POLICY_PURE(&l1->management.hooks->info, MANAGEMENT_MEMORY, "bypass_on_stall",
                     l1->management.hooks->bypass_on_stall(l1->management.st, a, cause)))
        return why;
    enum l1_outcome outcome = pass_on(l1, c, id, L1_BYPASSED, a->now);
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
            if (pass_on(l1, c, id, L1_BYPASSED, a->now) != L1_BYPASSED)
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
    const enum l1_outcome outcome = pass_on(l1, c, id, present ? L1_HIT : L1_MISS, a->now);
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
        enum l1_outcome outcome = pass_on(l1, c, id, atomic ? L1_ATOMIC : L1_BYPASSED, now);
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
            return pass_on(l1, c, id, L1_BYPASSED, now);
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
    req_release(engine_pool(&l1->comp), id);
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
    enum l1_outcome outcome = pass_on(l1, c, id, L1_BYPASSED, 0);
    if (!l1_is_stall(outcome))
        c->stats.taken[!load][outcome]++;
    return outcome;
}
