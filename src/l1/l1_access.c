/*
 * What happens at the tags: look-up, merge, miss, write, bypass; and what a reply does.
 *
 * Source: GPGPU-Sim's first-level data cache for the baseline's rules (allocation on miss, write-evict, order in which
 * resources are tested: line, miss queue, MSHR), the five papers for what policies may change.
 *
 * States of a load: in the SM's port -> taken -> hit: in `hit` -> SM
 *                                           -> merged: in an MSHR chain -> in `fill` -> SM
 *                                           -> missed: in the miss queue and in an MSHR chain -> network ... -> `fill`
 *                                           -> bypassed or remote: in the miss queue -> network ... -> `fill`
 *
 * The body of an access is compiled twice: without policies, where the calls vanish, and with them.
 */
#include "l1/l1_priv.h"

#define BODY static inline __attribute__((always_inline))

static void queue_down(struct l1 *l1, struct l1_cache *c, req_id id, uint32_t bytes, uint32_t asked)
{
    struct req *r = &l1->req[id];
    if (!(r->flags & REQ_F_REMOTE) || r->sm != l1->env.sm)
        r->to = l1->env.slice_node[addrmap_slice(l1->env.map, r->addr)];
    r->from = l1->env.sm_node[l1->env.sm];
    ring_push(&c->miss_queue, id);
    ring_push(&c->miss_info, net_info(bytes, asked));
}

/* Hands a finished request to whoever made it. */
static void complete(struct l1 *l1, req_id id)
{
    struct req *r = &l1->req[id];
    if (r->flags & REQ_F_PREFETCH) {
        req_release(&l1->comp.eng->pool, id);
    } else if (r->sm == l1->env.sm) {
        l1->in_flight--;
        port_send_paced(l1->fill, id, 0);
    } else {
        r->from = l1->env.sm_node[r->sm];
        ring_push(&l1->remote_reply, id);
    }
}

/* A line leaves the cache for another one. There must be room in the miss queue when it is dirty. */
static void evict(struct l1 *l1, struct l1_cache *c, uint32_t entry, const struct req *cause, bool hooked)
{
    struct tags *t = &c->tags;
    if (t->line[entry] == TAG_NONE)
        return;
    c->stats.evictions++;
    if (t->flags[entry] & TAG_F_PREFETCHED)
        c->stats.prefetch_unused++;
    if (hooked && l1->mgmt && l1->mgmt->on_evict)
        l1->mgmt->on_evict(l1->mgmt_st, entry, t->line[entry], t->flags[entry] & TAG_F_REUSED);
    if (hooked && l1->pf && l1->pf->on_evict)
        l1->pf->on_evict(l1->pf_st, entry, t->line[entry], t->flags[entry] & TAG_F_PREFETCHED);
    if (t->dirty[entry]) {
        req_id id = req_alloc(&l1->comp.eng->pool);
        struct req *wb = &l1->req[id];
        uint32_t bytes = sector_count(t->dirty[entry]) * SECTOR_BYTES;
        *wb = (struct req){.addr = t->line[entry] << t->line_shift,
                           .born = cause ? cause->born : 0,
                           .words = ~0u,
                           .sm = (uint16_t)l1->env.sm,
                           .bytes = (uint16_t)bytes,
                           .kind = REQ_WRITEBACK,
                           .space = REQ_SP_LOCAL,
                           .sectors = t->dirty[entry]};
        c->stats.write_backs++;
        queue_down(l1, c, id, NET_HEADER_BYTES + bytes, wb->sectors);
    }
}

/* Drops a line that a write or an atomic makes stale. A line on its way stays reserved: its data is newer or equal. */
static void drop(struct l1 *l1, struct l1_cache *c, int32_t entry, bool hooked)
{
    if (entry < 0 || c->tags.pending[entry])
        return;
    c->stats.dropped++;
    if (c->tags.flags[entry] & TAG_F_PREFETCHED)
        c->stats.prefetch_unused++;
    if (hooked && l1->mgmt && l1->mgmt->on_evict)
        l1->mgmt->on_evict(l1->mgmt_st, (uint32_t)entry, c->tags.line[entry], c->tags.flags[entry] & TAG_F_REUSED);
    tags_drop(&c->tags, (uint32_t)entry);
}

static int go_past(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t *count)
{
    struct req *r = &l1->req[id];
    if (ring_free(&c->miss_queue) == 0)
        return L1_FAIL_QUEUE;
    c->stats.accesses++;
    (*count)++;
    r->arrived = 0;
    uint32_t bytes = NET_HEADER_BYTES + (r->kind == REQ_READ ? 0 : r->bytes);
    queue_down(l1, c, id, bytes, r->sectors);
    return -1;
}

/* The entry a missing line goes to: >= 0, -1 = all reserved, -2 = the policy protects all of them. */
BODY int32_t choose_way(struct l1 *l1, struct l1_cache *c, const struct l1_access *a, bool hooked)
{
    if (!hooked || !l1->mgmt || !l1->mgmt->victim)
        return tags_victim_lru(&c->tags, a->set);
    uint64_t cand = tags_candidates(&c->tags, a->set);
    if (!cand)
        return -1;
    uint32_t base = a->set * c->tags.n_way;
    for (uint32_t w = 0; w < c->tags.n_way; w++)
        if (c->tags.line[base + w] == TAG_NONE)
            return (int32_t)(base + w);
    uint32_t way = l1->mgmt->victim(l1->mgmt_st, a, cand);
    return way == L1_NO_WAY ? -2 : (int32_t)(base + way);
}

BODY bool may_go_past(struct l1 *l1, const struct l1_access *a, enum l1_fail why)
{
    if (l1->order && l1->order->on_fail && l1->order->on_fail(l1->order_st, a, why))
        return true;
    return l1->mgmt && l1->mgmt->on_fail && l1->mgmt->on_fail(l1->mgmt_st, a, why);
}

/* A load that is not a hit. `verdict` is L1_NORMAL or L1_BYPASS_MISS. */
BODY int load_miss(struct l1 *l1, struct l1_cache *c, req_id id, struct l1_access *a, uint8_t need, unsigned verdict,
                   bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    int fail;
    uint32_t m = mshr_find(&c->mshr, a->line);
    if (m != MSHR_NONE) {
        struct mshr_entry *e = &c->mshr.e[m];
        uint8_t have = a->entry >= 0 ? t->valid[a->entry] : 0;
        uint8_t more = need & (uint8_t) ~(e->asked | have);
        if (!mshr_can_merge(&c->mshr, m)) {
            fail = L1_FAIL_MERGE;
            goto failed;
        }
        if (more && ring_free(&c->miss_queue) == 0)
            return L1_FAIL_QUEUE;
        c->stats.accesses++;
        if (a->entry >= 0) {
            tags_touch(t, (uint32_t)a->entry);
            t->pending[a->entry] |= more;
            if (t->flags[a->entry] & TAG_F_PREFETCHED && !(r->flags & REQ_F_PREFETCH)) {
                t->flags[a->entry] &= (uint8_t)~TAG_F_PREFETCHED;
                c->stats.prefetch_late++;
            }
        }
        e->asked |= more;
        if (hooked && verdict == L1_NORMAL)
            e->no_fill = 0; /* one requester that may allocate is enough */
        r->served = REQ_AT_L1_MERGE;
        r->flags |= REQ_F_MSHR;
        mshr_chain(&c->mshr, m, l1->req, id);
        if (more) {
            c->stats.misses++;
            c->stats.load_misses++;
            c->stats.sector_misses++;
            queue_down(l1, c, id, NET_HEADER_BYTES, more);
        } else {
            c->stats.merges++;
        }
        if (hooked && l1->mgmt && l1->mgmt->on_hit) {
            a->pending = true;
            l1->mgmt->on_hit(l1->mgmt_st, a);
        }
        return -1;
    }

    bool allocate = !c->on_fill && verdict == L1_NORMAL;
    int32_t entry = a->entry; /* a sector miss keeps its line */
    if (allocate && entry < 0) {
        entry = choose_way(l1, c, a, hooked);
        if (entry == -1) {
            fail = L1_FAIL_LINE;
            goto failed;
        }
        if (entry == -2 && r->flags & REQ_F_PREFETCH)
            return L1_FAIL_LINE;
        if (entry == -2) { /* everything protected */
            int f = go_past(l1, c, id, &c->stats.bypasses);
            if (f < 0) {
                c->stats.all_protected++;
                if (l1->mgmt->on_all_protected)
                    l1->mgmt->on_all_protected(l1->mgmt_st, a);
            }
            return f;
        }
    }
    bool dirty_victim = allocate && a->entry < 0 && t->dirty[entry];
    if (ring_free(&c->miss_queue) < 1u + dirty_victim)
        return L1_FAIL_QUEUE;
    if (mshr_full(&c->mshr)) {
        fail = L1_FAIL_MSHR;
        goto failed;
    }
    uint8_t have = a->entry >= 0 ? t->valid[a->entry] : 0;
    uint8_t asked = need & (uint8_t)~have;
    m = mshr_add(&c->mshr, a->line);
    c->mshr.e[m].asked = asked;
    c->mshr.e[m].no_fill = !allocate && !c->on_fill && a->entry < 0;
    if (c->on_fill && verdict != L1_NORMAL)
        c->mshr.e[m].no_fill = 1;
    if (allocate || a->entry >= 0) {
        if (a->entry < 0) {
            evict(l1, c, (uint32_t)entry, r, hooked);
            tags_place(t, (uint32_t)entry, a->line);
            if (r->flags & REQ_F_PREFETCH)
                t->flags[entry] |= TAG_F_PREFETCHED;
        } else {
            tags_touch(t, (uint32_t)entry);
        }
        t->pending[entry] |= asked;
        c->mshr.e[m].entry = entry;
    }
    c->stats.accesses++;
    c->stats.misses++;
    c->stats.load_misses++;
    r->served = REQ_AT_L2;
    r->flags |= REQ_F_MSHR;
    mshr_chain(&c->mshr, m, l1->req, id);
    queue_down(l1, c, id, NET_HEADER_BYTES, asked);
    if (hooked && l1->mgmt && l1->mgmt->on_miss) {
        a->entry = c->mshr.e[m].entry;
        l1->mgmt->on_miss(l1->mgmt_st, a, allocate);
    }
    return -1;

failed:
    if (hooked && !(r->flags & REQ_F_PREFETCH) && may_go_past(l1, a, (enum l1_fail)fail))
        return go_past(l1, c, id, &c->stats.bypasses);
    return fail;
}

static int store(struct l1 *l1, struct l1_cache *c, req_id id, struct l1_access *a, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    uint32_t how = r->space == REQ_SP_LOCAL ? c->cfg.write_local : c->cfg.write_global;
    bool present = a->entry >= 0 && !t->pending[a->entry];
    if (how == L1_WRITE_BACK && present && (t->valid[a->entry] & r->sectors) == r->sectors) {
        c->stats.accesses++;
        c->stats.hits++;
        c->stats.store_hits++;
        if (hooked && l1->mgmt && l1->mgmt->on_store)
            l1->mgmt->on_store(l1->mgmt_st, a);
        tags_touch(t, (uint32_t)a->entry);
        t->dirty[a->entry] |= r->sectors;
        t->flags[a->entry] |= TAG_F_REUSED;
        r->served = REQ_AT_L1;
        if (r->sm == l1->env.sm) {
            l1->in_flight--;
            port_send_later(l1->hit, id, 0, c->hit_extra);
        } else {
            complete(l1, id);
        }
        return -1;
    }
    int fail = go_past(l1, c, id, present ? &c->stats.hits : &c->stats.misses);
    if (fail >= 0)
        return fail;
    c->stats.store_hits += present;
    c->stats.store_misses += !present;
    r->served = REQ_AT_L2;
    if (hooked && l1->mgmt && l1->mgmt->on_store)
        l1->mgmt->on_store(l1->mgmt_st, a);
    if (!present)
        return -1;
    if (how == L1_WRITE_EVICT)
        drop(l1, c, a->entry, hooked);
    else
        tags_touch(t, (uint32_t)a->entry); /* written through: the line stays good */
    return -1;
}

BODY int access_body(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now, bool hooked)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    struct l1_access a = {.req = r, .line = r->addr >> t->line_shift, .now = now};
    a.set = tags_set(t, a.line);

    if (hooked && l1->org && l1->org->route && r->sm == l1->env.sm && !(r->flags & (REQ_F_BYPASS | REQ_F_PREFETCH)) &&
        (r->kind == REQ_READ || r->kind == REQ_WRITE)) {
        uint32_t home;
        enum l1_route route = L1_ROUTE_LOCAL;
        if (!(r->flags & REQ_F_JUDGED)) {
            route = l1->org->route(l1->org_st, r, a.line, a.set, &home);
            /* Retries must not ask twice: the answer is kept in flags and `to`. */
            if (route == L1_ROUTE_REMOTE && home != l1->env.sm) {
                r->flags |= REQ_F_REMOTE | REQ_F_JUDGED;
                r->to = l1->env.sm_node[home];
            } else if (route == L1_ROUTE_L2) {
                r->flags |= REQ_F_BYPASS;
            }
        }
        if (r->flags & REQ_F_REMOTE) {
            int fail = go_past(l1, c, id, &c->stats.remote);
            if (fail < 0) /* the home judges it afresh */
                r->flags &= (uint16_t) ~(REQ_F_JUDGED | REQ_F_WAITED);
            return fail;
        }
    }

    if (r->flags & REQ_F_BYPASS || r->kind == REQ_ATOMIC || r->kind == REQ_RED) {
        bool atomic = r->kind == REQ_ATOMIC || r->kind == REQ_RED;
        int fail = go_past(l1, c, id, atomic ? &c->stats.atomics : &c->stats.bypasses);
        r->served = REQ_AT_L2;
        if (fail < 0 && r->kind != REQ_READ)
            drop(l1, c, tags_find(t, a.set, a.line), hooked);
        return fail;
    }

    a.entry = tags_find(t, a.set, a.line);
    if (r->kind == REQ_WRITE)
        return store(l1, c, id, &a, hooked);

    uint8_t need = c->sectored ? r->sectors : t->full;
    a.hit = a.entry >= 0 && (t->valid[a.entry] & need) == need;
    unsigned verdict = L1_NORMAL;
    if (hooked) {
        a.pending = a.entry >= 0 && t->pending[a.entry];
        if (!(r->flags & REQ_F_JUDGED)) {
            r->flags |= REQ_F_JUDGED;
            if (l1->mgmt && l1->mgmt->on_access)
                r->flags |= (uint16_t)(l1->mgmt->on_access(l1->mgmt_st, &a) << REQ_F_VERDICT_SHIFT);
            r->note = a.note;
            if (l1->org && l1->org->on_local)
                l1->org->on_local(l1->org_st, &a);
            if (l1->pf && l1->pf->on_access && r->sm == l1->env.sm)
                l1->pf->on_access(l1->pf_st, &a);
        }
        verdict = (r->flags & REQ_F_VERDICT) >> REQ_F_VERDICT_SHIFT;
        if (verdict == L1_BYPASS) {
            r->served = REQ_AT_L2;
            return go_past(l1, c, id, &c->stats.bypasses);
        }
        if (verdict == L1_BYPASS_MISS && a.entry < 0)
            need = r->sectors; /* what is not kept need not be whole */
    }
    if (a.hit) {
        c->stats.accesses++;
        c->stats.hits++;
        c->stats.load_hits++;
        tags_touch(t, (uint32_t)a.entry);
        if (t->flags[a.entry] & TAG_F_PREFETCHED) {
            t->flags[a.entry] &= (uint8_t)~TAG_F_PREFETCHED;
            c->stats.prefetch_useful++;
        }
        t->flags[a.entry] |= TAG_F_REUSED;
        if (hooked && l1->mgmt && l1->mgmt->on_hit)
            l1->mgmt->on_hit(l1->mgmt_st, &a);
        if (hooked && r->sm != l1->env.sm) {
            r->served = REQ_AT_REMOTE_L1;
            c->stats.remote_hits++;
            complete(l1, id);
        } else {
            r->served = REQ_AT_L1;
            l1->in_flight--;
            port_send_later(l1->hit, id, 0, c->hit_extra);
        }
        return -1;
    }
    int fail = load_miss(l1, c, id, &a, need, verdict, hooked);
    if (hooked && fail < 0 && r->sm != l1->env.sm)
        c->stats.remote_misses++;
    return fail;
}

int l1_access_plain(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now)
{
    return access_body(l1, c, id, now, false);
}

int l1_access_hooked(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now)
{
    return access_body(l1, c, id, now, true);
}

static void tell_reply(struct l1 *l1, const struct req *r)
{
    if (l1->mgmt && l1->mgmt->on_reply)
        l1->mgmt->on_reply(l1->mgmt_st, r);
    if (l1->org && l1->org->on_reply)
        l1->org->on_reply(l1->org_st, r);
}

/* The sectors of a missed line have come: put them in place and release whoever has all it waits for. */
static void fill_line(struct l1 *l1, struct l1_cache *c, req_id id, uint8_t sectors)
{
    struct req *r = &l1->req[id];
    struct tags *t = &c->tags;
    uint64_t line = r->addr >> t->line_shift;
    uint32_t m = mshr_find(&c->mshr, line);
    if (m == MSHR_NONE)
        BUG("%s: a reply for line %lx that nobody asked for", l1->comp.name, (unsigned long)line);
    struct mshr_entry *e = &c->mshr.e[m];
    e->arrived |= sectors;
    bool all = e->arrived == e->asked;
    if (!all && !c->sectored)
        return;
    if (e->entry < 0 && !e->no_fill) {
        /* Allocation on fill (or a merged request that may allocate): the line finds its place now, if there is one. */
        uint32_t set = tags_set(t, line);
        struct l1_access a = {.req = r, .line = line, .set = set, .entry = -1};
        int32_t entry = tags_find(t, set, line);
        if (entry < 0)
            entry = choose_way(l1, c, &a, l1_hooked(c));
        if (entry >= 0 && t->line[entry] != line && t->dirty[entry] && ring_free(&c->miss_queue) == 0)
            entry = -1; /* nowhere to write the victim to: the line is used once and not kept */
        if (entry >= 0) {
            if (t->line[entry] != line) {
                evict(l1, c, (uint32_t)entry, r, l1_hooked(c));
                tags_place(t, (uint32_t)entry, line);
                if (r->flags & REQ_F_PREFETCH)
                    t->flags[entry] |= TAG_F_PREFETCHED;
            }
            e->entry = entry;
        } else {
            e->no_fill = 1;
        }
    }
    if (e->entry >= 0) {
        t->valid[e->entry] |= e->arrived;
        t->pending[e->entry] &= (uint8_t)~e->arrived;
    }
    if (all) {
        c->stats.fills++;
        if (l1_hooked(c)) {
            tell_reply(l1, r);
            if (l1->mgmt && l1->mgmt->on_fill && e->entry >= 0)
                l1->mgmt->on_fill(l1->mgmt_st, r, (uint32_t)e->entry);
            if (l1->pf && l1->pf->on_fill && e->entry >= 0)
                l1->pf->on_fill(l1->pf_st, r, (uint32_t)e->entry);
        }
    }
    uint8_t have = e->arrived | (e->entry >= 0 ? t->valid[e->entry] : 0);
    req_id keep_head = REQ_NONE, keep_tail = REQ_NONE;
    uint32_t kept = 0;
    for (req_id w = e->head; w != REQ_NONE;) {
        req_id next = l1->req[w].next;
        if (all || (c->sectored && (l1->req[w].sectors & ~have) == 0)) {
            complete(l1, w);
        } else {
            l1->req[w].next = REQ_NONE;
            if (keep_head == REQ_NONE)
                keep_head = w;
            else
                l1->req[keep_tail].next = w;
            keep_tail = w;
            kept++;
        }
        w = next;
    }
    e->head = keep_head;
    e->tail = keep_tail;
    e->n = kept;
    c->freed = true;
    if (all)
        mshr_remove(&c->mshr, m);
}

void l1_reply(struct l1 *l1, req_id id, uint32_t info, uint64_t now)
{
    (void)now;
    struct req *r = &l1->req[id];
    struct l1_cache *c = l1_cache_of(l1, r);
    c->stats.replies++;
    if (r->flags & REQ_F_MSHR && !(r->flags & REQ_F_REMOTE && r->sm == l1->env.sm)) {
        fill_line(l1, c, id, (uint8_t)net_sectors(info));
        return;
    }
    r->arrived |= (uint8_t)net_sectors(info);
    if ((r->arrived & r->sectors) != r->sectors)
        return;
    if (l1_hooked(c))
        tell_reply(l1, r);
    complete(l1, id);
}

bool l1_try_prefetch(struct l1 *l1, struct l1_cache *c, uint64_t now)
{
    if (ring_empty(&l1->prefetch))
        return false;
    const struct prefetch_ask *p = &l1->prefetch_slot[ring_pop(&l1->prefetch)];
    struct tags *t = &c->tags;
    uint64_t line = p->addr >> t->line_shift;
    uint32_t set = tags_set(t, line);
    int32_t entry = tags_find(t, set, line);
    if (entry >= 0 || mshr_find(&c->mshr, line) != MSHR_NONE) {
        c->stats.prefetch_present++;
        return true;
    }
    req_id id = req_alloc(&l1->comp.eng->pool);
    struct req *r = &l1->req[id];
    *r = (struct req){.addr = line << t->line_shift,
                      .born = now,
                      .pc = p->pc,
                      .words = ~0u,
                      .sm = (uint16_t)l1->env.sm,
                      .warp = p->warp,
                      .cta = p->cta,
                      .bytes = (uint16_t)(1u << t->line_shift),
                      .flags = REQ_F_PREFETCH | REQ_F_JUDGED,
                      .kind = REQ_READ,
                      .space = REQ_SP_GLOBAL,
                      .sectors = t->full,
                      .n_lines = 1};
    struct l1_access a = {.req = r, .line = line, .now = now, .set = set, .entry = -1};
    /* Its resources are tested like a demand miss's; it never waits for them. */
    if (load_miss(l1, c, id, &a, t->full, L1_NORMAL, true) >= 0) {
        c->stats.prefetch_busy++;
        req_release(&l1->comp.eng->pool, id);
        return true;
    }
    /* Demand statistics are about demand. */
    c->stats.accesses--;
    c->stats.misses--;
    c->stats.load_misses--;
    c->stats.prefetch_issued++;
    return true;
}
