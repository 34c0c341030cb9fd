/*
 * The look-up at an L2 slice's tags: what a read, a store, an atomic or a write-back does to them, which resources it
 * needs, and how long it occupies the port. l2_tick.c has the slice's cycle, partition.c what a second partition adds,
 * coalescer.c how reads share a look-up.
 *
 * Source: GPGPU-Sim's memory sub-partition for the baseline's rules: stores that miss allocate a line without fetching
 * it, and with split_sectors a request is counted, occupies the tags and MSHRs, and is fetched and answered, as if
 * each of its sectors were a separate request. The model handles these sectors together: one look-up (the tags are
 * then busy for as many cycles), one fetch of several bursts, one reply message of several packets. The reply leaves
 * when its last sector has arrived.
 */
#include "l2/l2_priv.h"

void l2_answer(struct l2 *l2, req_id id, uint8_t asked, uint64_t extra, bool joined)
{
    const struct req *r = &l2->req[id];
    uint32_t pieces = units(l2, asked), data = 0;
    if (r->kind == REQ_READ)
        data = sector_count(asked) * SECTOR_BYTES;
    else if (r->kind == REQ_ATOMIC)
        data = 4 * (uint32_t)__builtin_popcount(r->words);
    l2->stats.replies += pieces;
    if (pieces > 1)
        data /= pieces;
    const uint32_t info = net_info_pieces(NET_HEADER_BYTES + data, asked, pieces);
    port_send_later(l2->reply_out, id, joined && l2->cfg.coalesce_copies ? net_copy(info) : info, extra);
}

/* Puts a new request of the slice into `out`: to DRAM for its own lines, to the counterpart for copies. */
static void request_to(struct ring *out, struct l2 *l2, uint64_t addr, uint8_t sectors, uint8_t kind, uint32_t token,
                       uint64_t created_at)
{
    req_id id = req_alloc(engine_pool(&l2->comp));
    struct req *r = &l2->req[id];
    r->addr = addr;
    r->created_at = created_at;
    r->token = token;
    r->origin = REQ_FROM_L2;
    r->slice = (uint16_t)l2->env.slice;
    r->bytes = (uint16_t)(sector_count(sectors) * SECTOR_BYTES);
    r->flags = 0;
    r->policy_tag = 0; /* the counterpart's line keeps its own */
    r->kind = kind;
    r->space = REQ_SP_GLOBAL;
    r->sectors = sectors;
    r->served = REQ_AT_DRAM;
    ring_push(out, id);
}

/* Writes the dirty sectors of an entry's line back to DRAM. */
static void write_back(struct l2 *l2, uint32_t entry)
{
    struct tags *t = &l2->tags;
    uint8_t dirty = l2->cfg.sectored ? t->dirty[entry] : t->full;
    l2->stats.write_back_sectors += sector_count(dirty);
    request_to(&l2->miss, l2, t->line[entry] << t->line_shift, dirty, REQ_WRITEBACK, 0, 0);
}

static void evict(struct l2 *l2, uint32_t entry)
{
    struct tags *t = &l2->tags;
    if (t->line[entry] == TAG_NONE)
        return;
    l2->stats.evictions++;
    if (!t->dirty[entry])
        return;
    l2->stats.write_backs++;
    write_back(l2, entry);
}

/* The sectors that a miss of `asked` fetches. */
static inline uint8_t fetched(const struct l2 *l2, uint8_t asked)
{
    if (!l2->cfg.sectored || l2->cfg.fetch == 4 * SECTOR_BYTES)
        return l2->tags.full;
    if (l2->cfg.fetch == 2 * SECTOR_BYTES)
        asked |= (uint8_t)((asked & 0x55) << 1 | (asked & 0xaa) >> 1);
    return asked & l2->tags.full;
}

/*
 * The entry that must be written back before another of its set becomes dirty: the least recently used dirty entry, if
 * the set has reached l2.dirty_ways; otherwise -1.
 */
static int32_t too_dirty(const struct l2 *l2, uint32_t set, int32_t entry)
{
    const struct tags *t = &l2->tags;
    uint32_t n = 0;
    int32_t oldest = -1;
    if (!l2->cfg.dirty_ways || (entry >= 0 && t->dirty[entry] && !(t->flags[entry] & TAG_F_COPIED)))
        return -1;
    for (uint32_t k = set * t->n_way; k < (set + 1) * t->n_way; k++)
        if (t->line[k] != TAG_NONE && t->dirty[k] && !(t->flags[k] & TAG_F_COPIED)) {
            n++;
            if (!t->pending[k] && (oldest < 0 || t->used[k] < t->used[oldest]))
                oldest = (int32_t)k;
        }
    return n >= l2->cfg.dirty_ways ? oldest : -1;
}

static void clean(struct l2 *l2, int32_t entry)
{
    struct tags *t = &l2->tags;
    if (entry < 0 || !t->dirty[entry])
        return;
    l2->stats.eager_write_backs++;
    write_back(l2, (uint32_t)entry);
    t->dirty[entry] = 0;
}

/* A waiter for the request at the tags. */
static uint32_t waiter_new(struct l2 *l2, const struct l2_lookup *q)
{
    uint32_t w = l2->waiter_free;
    l2->waiter_free = l2->waiter[w].next;
    l2->waiter[w] = (struct l2_waiter){q->req, UINT32_MAX, q->asked, q->far, false};
    return w;
}

static void exchange_policy_tag(struct l2 *l2, struct req *r, uint32_t entry)
{
    uint16_t old = l2->policy_tag[entry];
    if (r->policy_tag)
        l2->policy_tag[entry] = r->policy_tag;
    r->policy_tag = old;
}

/*
 * A random victim among the lines that host copies have left in a set, once the set holds l2.copy_ways lines. -1 if
 * there is none.
 */
static int32_t copied_victim(struct l2 *l2, uint32_t set)
{
    const struct tags *t = &l2->tags;
    uint32_t n = 0, n_copied = 0;
    for (uint32_t k = set * t->n_way; k < (set + 1) * t->n_way; k++) {
        n += t->line[k] != TAG_NONE;
        n_copied += t->flags[k] & TAG_F_COPIED && !t->pending[k];
    }
    if (n < l2->cfg.copy_ways || !n_copied)
        return -1;
    l2->random_state = l2->random_state * 6364136223846793005u + 1442695040888963407u;
    uint32_t nth = (uint32_t)((l2->random_state >> 33) % n_copied);
    for (uint32_t k = set * t->n_way;; k++)
        if (t->flags[k] & TAG_F_COPIED && !t->pending[k] && nth-- == 0)
            return (int32_t)k;
}

int32_t l2_claim(struct l2 *l2, uint32_t set, bool *dirty)
{
    int32_t entry = l2->cfg.copy_ways ? copied_victim(l2, set) : -1;
    if (entry < 0)
        entry = tags_victim_lru(&l2->tags, set);
    *dirty = entry >= 0 && l2->tags.line[entry] != TAG_NONE && l2->tags.dirty[entry];
    return entry;
}

void l2_place(struct l2 *l2, uint32_t entry, uint64_t line)
{
    evict(l2, entry);
    tags_place(&l2->tags, entry, line);
    l2->words[entry] = 0;
    if (l2->policy_tag)
        l2->policy_tag[entry] = 0;
}

/* Counts an accepted look-up once, by its outcome. */
ALWAYS_INLINE void count_taken(struct l2 *l2, const struct l2_lookup *q, const struct l2_outcome *o, bool atomic)
{
    struct l2_stats *s = &l2->stats;
    s->accesses += o->hits + o->misses + o->merges + o->bypasses;
    s->hits += o->hits;
    s->misses += o->misses;
    s->merges += o->merges;
    s->bypasses += o->bypasses;
    if (o->store) {
        s->write_hits += o->hits;
        s->write_misses += o->misses;
    } else {
        s->read_hits += o->hits;
        s->read_misses += o->misses;
        if (o->line_here)
            s->sector_misses += o->misses;
    }
    s->atomics += atomic && !o->forwarded;
    if (atomic)
        return;
    uint32_t sectors = sector_count(q->asked);
    if (o->store) {
        s->write_sectors += sectors;
    } else {
        s->read_sectors += sectors;
        s->read_sector_hits += sectors - sector_count(o->missed);
    }
}

/* Cycles of a transfer through the port; packed, it begins in what the one just before left of its last cycle. */
ALWAYS_INLINE uint32_t transfer_cycles(struct l2 *l2, uint32_t bytes, uint64_t now)
{
    const uint32_t width = l2->cfg.port_bytes;
    if (!l2->cfg.port_packed)
        return (bytes - 1) / width + 1;
    const uint32_t rest = now == l2->port_free_at ? l2->port_rest : 0, left = bytes > rest ? bytes - rest : 1;
    const uint32_t cycles = (left - 1) / width + 1;
    l2->port_rest = cycles * width - left;
    return cycles;
}

/* Cycles for which it occupies the port: hits transfer data; a miss leaves the tags after one cycle. */
ALWAYS_INLINE uint32_t port_cycles(struct l2 *l2, const struct l2_lookup *q, const struct l2_outcome *o, uint64_t now)
{
    if (o->reads_out)
        return (1u << l2->tags.line_shift) / l2->cfg.port_bytes;
    if (o->store && l2->cfg.write_port_bytes) {
        uint32_t transfer = (sector_count(q->asked) * SECTOR_BYTES - 1) / l2->cfg.write_port_bytes + 1;
        return o->forwarded ? transfer : transfer + l2->cfg.store_cycles;
    }
    uint32_t cycles = o->misses + o->merges + o->bypasses;
    if (o->hits) {
        uint32_t sectors = l2->cfg.split_sectors ? o->hits : sector_count(q->asked);
        return cycles + transfer_cycles(l2, sectors * SECTOR_BYTES, now);
    }
    l2->port_rest = 0;
    return cycles;
}

/* A read of `asked` sectors: `hit` are present, `joined` are in flight for another request, the rest is fetched. */
ALWAYS_INLINE struct l2_outcome read_outcome(const struct l2 *l2, uint8_t asked, uint8_t hit, uint8_t joined,
                                             bool line_here)
{
    struct l2_outcome o = {.stall = STALL_NONE, .line_here = line_here};
    uint8_t missed = asked & (uint8_t) ~(hit | joined);
    o.missed = missed;
    if (l2->cfg.split_sectors) {
        o.hits = sector_count(hit);
        o.misses = sector_count(missed);
    } else {
        o.hits = hit == asked;
        o.misses = missed != 0;
    }
    o.merges = units(l2, asked) - o.hits - o.misses;
    return o;
}

/* Is it a store that goes to DRAM as well as fetching its line? */
static inline bool goes_through(const struct l2 *l2, const struct req *r)
{
    return r->kind == REQ_WRITE && l2->cfg.write_miss == L2_WRITE_AROUND_FETCH;
}

/*
 * Has the miss queue room for a miss that sends `n` requests? With l2.miss_reserve it needs room for the most a miss
 * can send: the fetch and a write-back, and for a store the store itself.
 */
static inline bool queue_room(const struct l2 *l2, const struct req *r, uint32_t n)
{
    if (l2->cfg.miss_reserve)
        n = r->kind == REQ_WRITE ? 3 : 2;
    return ring_free(&l2->miss) >= n;
}

/* A read, an atomic or a store that fetches, when some of its sectors are absent. */
ALWAYS_INLINE struct l2_outcome fetch(struct l2 *l2, const struct l2_lookup *q)
{
    struct req *r = &l2->req[q->req];
    const uint8_t asked = q->asked;
    struct tags *t = &l2->tags;
    int32_t entry = q->entry;
    if (l2->waiter_free == MSHR_NONE)
        return stalled(STALL_NO_MSHR); /* a fetched sector keeps its entry until the reply is sent */
    uint8_t have = entry >= 0 ? t->valid[entry] : 0, want = fetched(l2, asked) & (uint8_t)~have;
    uint32_t m = mshr_find(&l2->mshr, q->line);
    uint8_t more = want;
    bool dirty = false, through = goes_through(l2, r);
    struct ring *out = q->copy ? &l2->far : &l2->miss;
    if (m != MSHR_NONE) {
        more &= (uint8_t)~l2->mshr.e[m].asked;
        if (!mshr_can_merge(&l2->mshr, m))
            return stalled(STALL_NO_MERGE_SLOT);
        if (ring_free(out) < (uint32_t)(more != 0) + through || !queue_room(l2, r, 0))
            return stalled(STALL_MISS_QUEUE_FULL);
        if (l2->cfg.split_sectors) {
            uint32_t more_units = units(l2, more);
            if (l2->mshr_units + more_units > l2->cfg.mshrs || (q->copy && !l2_leaves_mshrs(l2, more_units)))
                return stalled(STALL_NO_MSHR);
            l2->mshr_units += more_units;
            l2->copy_units += q->copy ? more_units : 0;
        }
    } else {
        enum stall why = q->copy ? l2_reserved_for_far(l2, q, units(l2, want)) : STALL_NONE;
        if (why >= 0)
            return stalled(why);
        int32_t at = entry >= 0 ? entry : l2_claim(l2, q->set, &dirty);
        if (at < 0)
            return stalled(STALL_NO_WAY);
        if (!queue_room(l2, r, (uint32_t)!q->copy + dirty + through) || ring_free(out) == 0)
            return stalled(STALL_MISS_QUEUE_FULL);
        if (l2->mshr_units + units(l2, want) > l2->cfg.mshrs)
            return stalled(STALL_NO_MSHR);
        l2->mshr_units += units(l2, want);
        if (entry < 0)
            l2_place(l2, (uint32_t)at, q->line);
        l2->copy_units += q->copy ? units(l2, want) : 0;
        m = mshr_add(&l2->mshr, q->line);
        l2->mshr.e[m].entry = at;
    }
    struct mshr_entry *e = &l2->mshr.e[m];
    struct l2_outcome o = read_outcome(l2, asked, have & asked, asked & e->asked & (uint8_t)~have, entry >= 0);
    o.store = r->kind == REQ_WRITE;
    o.reads_out = dirty && !o.store && l2->cfg.write_back_port;
    e->asked |= more;
    t->pending[e->entry] |= more;
    if (through)
        request_to(&l2->miss, l2, r->addr, asked, REQ_WRITE, 0, r->created_at);
    else if (r->kind != REQ_READ)
        t->dirty[e->entry] |= asked; /* it is performed when the sectors arrive; until then they cannot be evicted */
    tags_touch(t, (uint32_t)e->entry);
    if (l2->policy_tag)
        exchange_policy_tag(l2, r, (uint32_t)e->entry);
    mshr_append(e, l2_waiter_link, l2, waiter_new(l2, q));
    if (more)
        request_to(out, l2, r->addr, more, REQ_READ, m, r->created_at);
    if (l2->reads && r->kind == REQ_READ && !q->far)
        l2_coalescer_note(l2, q->line, asked, NEVER);
    return o;
}

void l2_wait_joined(struct l2 *l2, uint32_t m, req_id id, uint8_t sectors)
{
    const struct l2_lookup q = {.req = id, .asked = sectors};
    if (l2->policy_tag)
        exchange_policy_tag(l2, &l2->req[id], (uint32_t)l2->mshr.e[m].entry);
    const uint32_t w = waiter_new(l2, &q);
    l2->waiter[w].joined = true;
    mshr_append(&l2->mshr.e[m], l2_waiter_link, l2, w);
}

void l2_answer_joined(struct l2 *l2, req_id id, uint8_t sectors)
{
    struct req *r = &l2->req[id];
    const uint64_t line = r->addr >> l2->tags.line_shift;
    const int32_t entry = l2->policy_tag ? tags_find(&l2->tags, l2_set_of(l2, r->addr), line) : -1;
    if (entry >= 0)
        exchange_policy_tag(l2, r, (uint32_t)entry);
    r->served = REQ_AT_L2;
    l2_answer(l2, id, sectors, 0, true);
}

void l2_note_written(struct l2 *l2, const struct req *r, uint32_t entry, uint8_t sectors)
{
    struct tags *t = &l2->tags;
    t->dirty[entry] |= sectors;
    if (r->kind == REQ_WRITEBACK) {
        t->valid[entry] |= sectors; /* write-backs are whole sectors */
        return;
    }
    if (r->flags & REQ_F_PARTIAL)
        return;
    uint32_t words = l2->words[entry] |= r->words;
    for (uint32_t s = 0; s < 4; s++)
        if (sectors >> s & 1 && (words >> 8 * s & 0xff) == 0xff)
            t->valid[entry] |= (uint8_t)(1u << s);
}

/* A store to a line that is being fetched, whichever sectors; write-backs are not asked. */
static inline bool awaits_fill(const struct l2 *l2, const struct req *r, int32_t entry)
{
    return l2->cfg.store_awaits_fill && r->kind == REQ_WRITE && entry >= 0 && l2->tags.pending[entry];
}

ALWAYS_INLINE struct l2_outcome store(struct l2 *l2, const struct l2_lookup *q)
{
    const uint8_t sectors = q->asked;
    struct req *r = &l2->req[q->req];
    struct tags *t = &l2->tags;
    int32_t entry = q->entry;
    bool answered = r->kind != REQ_WRITEBACK;
    if (answered && !port_can_send(l2->reply_out))
        return stalled(STALL_REPLY_FULL);
    uint8_t hit = entry >= 0 ? (t->valid[entry] | t->dirty[entry] | t->pending[entry]) & sectors : 0;
    if (entry < 0 && l2->cfg.write_miss == L2_WRITE_AROUND) {
        if (ring_free(&l2->miss) == 0)
            return stalled(STALL_MISS_QUEUE_FULL);
        request_to(&l2->miss, l2, r->addr, sectors, REQ_WRITE, 0, r->created_at);
    } else {
        int32_t other = too_dirty(l2, q->set, entry);
        if (entry < 0) {
            bool dirty;
            entry = l2_claim(l2, q->set, &dirty);
            if (entry < 0)
                return stalled(STALL_NO_WAY);
            if (ring_free(&l2->miss) < (uint32_t)dirty + (other >= 0))
                return stalled(STALL_MISS_QUEUE_FULL);
            l2_place(l2, (uint32_t)entry, q->line);
        } else if (other >= 0 && ring_free(&l2->miss) == 0) {
            return stalled(STALL_MISS_QUEUE_FULL);
        }
        if (other != entry)
            clean(l2, other);
        tags_touch(t, (uint32_t)entry);
        t->flags[entry] &= (uint8_t)~TAG_F_COPIED;
        l2_note_written(l2, r, (uint32_t)entry, sectors);
    }
    uint32_t hits = l2->cfg.split_sectors ? units(l2, hit) : hit == sectors;
    struct l2_outcome o = {.stall = STALL_NONE, .hits = hits, .misses = units(l2, sectors) - hits, .store = true};
    if (answered)
        l2_answer(l2, q->req, sectors, 0, false);
    return o;
}

/* All sectors are there. */
ALWAYS_INLINE struct l2_outcome hit(struct l2 *l2, const struct l2_lookup *q, bool atomic, uint64_t now)
{
    const uint8_t asked = q->asked;
    struct req *r = &l2->req[q->req];
    struct tags *t = &l2->tags;
    uint32_t entry = (uint32_t)q->entry;
    t->flags[entry] &= (uint8_t)~TAG_F_COPIED;
    bool of_copy = q->far && r->kind == REQ_READ;
    if (!of_copy && !port_can_send(l2->reply_out))
        return stalled(STALL_REPLY_FULL);
    tags_touch(t, entry);
    if (l2->policy_tag)
        exchange_policy_tag(l2, r, entry);
    if (r->kind != REQ_READ)
        t->dirty[entry] |= asked;
    r->served = REQ_AT_L2;
    if (of_copy)
        l2_send_copy(l2, q->req, asked, now);
    else
        l2_answer(l2, q->req, asked, atomic ? l2->cfg.atomic_latency : 0, false);
    if (l2->reads && r->kind == REQ_READ && !q->far)
        l2_coalescer_note(l2, q->line, asked, now);
    return (struct l2_outcome){.stall = STALL_NONE, .hits = units(l2, asked), .store = r->kind == REQ_WRITE};
}

/* Does it need its sectors (a read, an atomic, a store that fetches), or does it only write data? */
static inline bool leaves_data(const struct l2 *l2, const struct req *r)
{
    return r->kind == REQ_WRITEBACK || (r->kind == REQ_WRITE && l2->cfg.write_miss != L2_WRITE_FETCH &&
                                        l2->cfg.write_miss != L2_WRITE_AROUND_FETCH);
}

ALWAYS_INLINE struct l2_outcome look_up_here(struct l2 *l2, const struct l2_lookup *q, uint64_t now, bool atomic)
{
    if (awaits_fill(l2, &l2->req[q->req], q->entry))
        return stalled(STALL_NO_MERGE_SLOT);
    if (q->copy && l2->req[q->req].kind != REQ_READ)
        return l2_pass_on(l2, q);
    if (leaves_data(l2, &l2->req[q->req]))
        return store(l2, q);
    if (atomic && now < l2->atomic_free_at)
        return stalled(STALL_ATOMIC_BUSY);
    if (q->entry >= 0 && (l2->tags.valid[q->entry] & q->asked) == q->asked)
        return hit(l2, q, atomic, now);
    return fetch(l2, q);
}

ALWAYS_INLINE struct l2_outcome look_up(struct l2 *l2, const struct l2_lookup *q, uint64_t now, bool atomic)
{
    const struct req *r = &l2->req[q->req];
    /* The other partition's copy of the line is old then, if it has one. */
    const bool invalidates =
        (atomic || r->kind == REQ_WRITE) && l2->cfg.partition_of && l2->remote_out && !q->far && !q->copy;
    if (!invalidates)
        return look_up_here(l2, q, now, atomic);
    const uint64_t addr = r->addr;
    if (ring_free(&l2->far) == 0)
        return stalled(STALL_MISS_QUEUE_FULL);
    const struct l2_outcome o = look_up_here(l2, q, now, atomic);
    if (o.stall < 0)
        request_to(&l2->far, l2, addr, q->asked, REQ_WRITE, 0, 0);
    return o;
}

static inline uint32_t set_of(const struct l2 *l2, uint64_t addr)
{
    return tags_set(&l2->tags, addrmap_local(l2->env.map, addr) >> l2->tags.line_shift);
}

uint32_t l2_set_of(const void *l2, uint64_t addr)
{
    return set_of((const struct l2 *)l2, addr);
}

/* The same look-up without side effects: the resources that the request would need. */
uint32_t l2_needs(const void *cache, const struct req *r, uint32_t info)
{
    const struct l2 *l2 = (const struct l2 *)cache;
    const struct tags *t = &l2->tags;
    uint64_t line = r->addr >> t->line_shift;
    int32_t entry = tags_find(t, set_of(l2, r->addr), line);
    uint8_t asked = (uint8_t)net_sectors(info), have = entry >= 0 ? t->valid[entry] : 0;
    if (leaves_data(l2, r)) {
        uint32_t needs = r->kind != REQ_WRITEBACK ? 1u << STALL_REPLY_FULL : 0;
        if (awaits_fill(l2, r, entry))
            needs |= 1u << STALL_NO_MERGE_SLOT;
        if (entry < 0)
            needs |= l2->cfg.write_miss == L2_WRITE_AROUND ? 1u << STALL_MISS_QUEUE_FULL : 1u << STALL_NO_WAY;
        return needs;
    }
    uint32_t needs = is_atomic(r) ? 1u << STALL_ATOMIC_BUSY : 0;
    if ((asked & ~have) == 0)
        return needs | 1u << STALL_REPLY_FULL;
    uint32_t m = mshr_find(&l2->mshr, line);
    if (m == MSHR_NONE)
        return needs | 1u << STALL_NO_MSHR | 1u << STALL_MISS_QUEUE_FULL | (entry < 0 ? 1u << STALL_NO_WAY : 0);
    uint8_t more = fetched(l2, asked) & (uint8_t) ~(have | l2->mshr.e[m].asked);
    needs |= 1u << STALL_NO_MERGE_SLOT;
    if (more || goes_through(l2, r) || l2->cfg.miss_reserve)
        needs |= 1u << STALL_MISS_QUEUE_FULL;
    if (more && l2->cfg.split_sectors)
        needs |= 1u << STALL_NO_MSHR;
    return needs;
}

void l2_count_stall(struct l2 *l2, struct l2_lookup *q, enum stall why, uint64_t now)
{
    if (l2->blocked >= 0)
        l2->stats.stall_cycles[l2->blocked] += now - l2->blocked_since;
    l2->blocked = (int8_t)why;
    l2->blocked_since = now;
    if (why >= 0 && !q->waited) {
        q->waited = true;
        l2->stats.stalled_requests[why]++;
    }
}

struct l2_lookup l2_look_up_begin(const struct l2 *l2, req_id id, uint32_t info, bool waited, bool far)
{
    uint64_t addr = l2->req[id].addr, line = addr >> l2->tags.line_shift;
    uint32_t set = set_of(l2, addr);
    return (struct l2_lookup){.req = id,
                              .line = line,
                              .set = set,
                              .entry = tags_find(&l2->tags, set, line),
                              .asked = (uint8_t)net_sectors(info),
                              .waited = waited,
                              .copy = l2->remote_out && !far && addrmap_slice(l2->env.map, addr) != l2->env.slice,
                              .far = far};
}

/* Sends a read that the cache cannot accept to DRAM; its reply goes straight to the network. */
static bool bypass(struct l2 *l2, const struct l2_lookup *q, struct l2_outcome *o)
{
    const struct req *r = &l2->req[q->req];
    if (r->kind != REQ_READ || q->copy || o->stall > STALL_NO_MERGE_SLOT || ring_free(&l2->miss) == 0 ||
        l2->waiter_free == MSHR_NONE)
        return false;
    if (q->entry >= 0 && l2->tags.dirty[q->entry] & q->asked)
        return false; /* DRAM's copy is old */
    *o = (struct l2_outcome){.stall = STALL_NONE, .bypasses = units(l2, q->asked), .missed = q->asked};
    request_to(&l2->miss, l2, r->addr, q->asked, REQ_READ, L2_BYPASS | waiter_new(l2, q), r->created_at);
    return true;
}

/* The atomic unit: so long for an atomic, or for each of its sectors, by how much of it changes. */
ALWAYS_INLINE void occupy_atomic_unit(struct l2 *l2, const struct l2_lookup *q, uint64_t now)
{
    if (!l2->cfg.atomic_part_sector) {
        l2->atomic_free_at = now + l2->cfg.atomic_interval;
        return;
    }
    const uint32_t words = l2->req[q->req].words;
    uint64_t at = l2->atomic_free_half > 2 * now ? l2->atomic_free_half : 2 * now;
    for (uint32_t s = 0; s < 4; s++)
        if (q->asked >> s & 1)
            at += __builtin_popcount(words >> 8 * s & 0xff) > 4 ? l2->cfg.atomic_most_of_sector
                                                                : l2->cfg.atomic_part_sector;
    l2->atomic_free_half = at;
    l2->atomic_free_at = at / 2;
}

/*
 * A store of parts of sectors has them read, merged and written in one of the slice's two data banks, which pieces of 512 bytes
 * take in turn. A few such stores wait at a bank before the port does; more in one request take no longer, as far as is known.
 */
enum { BANK_SHIFT = 9, BANK_QUEUE = 4 };

static void occupy_bank(struct l2 *l2, const struct l2_lookup *q, uint64_t now)
{
    const struct req *r = &l2->req[q->req];
    bool part = r->flags & REQ_F_PARTIAL;
    for (uint32_t s = 0; s < 4; s++)
        part |= q->asked >> s & 1 && (r->words >> 8 * s & 0xff) != 0xff;
    if (!part)
        return;
    uint64_t *free_at = &l2->bank_free_half[__builtin_parityll(r->addr >> BANK_SHIFT)];
    *free_at = (*free_at > 2 * now ? *free_at : 2 * now) + l2->cfg.part_store;
    const uint64_t room = (*free_at - BANK_QUEUE * l2->cfg.part_store + 1) / 2;
    if (*free_at > BANK_QUEUE * l2->cfg.part_store && room > l2->port_free_at)
        l2->port_free_at = room;
}

/* An accepted look-up occupies the slice; a write-back ends here, because nothing waits for it. */
ALWAYS_INLINE void occupy(struct l2 *l2, const struct l2_lookup *q, const struct l2_outcome *o, bool atomic,
                          uint64_t now)
{
    if (atomic && !o->forwarded)
        occupy_atomic_unit(l2, q, now);
    l2->port_free_at = now + port_cycles(l2, q, o, now);
    if (l2->cfg.part_store && l2->req[q->req].kind == REQ_WRITE)
        occupy_bank(l2, q, now);
    if (l2->req[q->req].kind == REQ_WRITEBACK && !o->forwarded)
        req_release(engine_pool(&l2->comp), q->req);
}

/* `reordered` is constant at each call. */
ALWAYS_INLINE void try_request(struct l2 *l2, uint64_t now, bool reordered)
{
    struct l2_lookup *q = &l2->at_tags;
    bool atomic = is_atomic(&l2->req[q->req]);
    struct l2_outcome o = look_up(l2, q, now, atomic);
    if (o.stall >= 0 && l2->cfg.bypass_on_stall)
        bypass(l2, q, &o);
    if (reordered && o.stall >= 0 && order_rejected(l2->order, l2->offered, o.stall, now) == ORDER_BYPASS)
        bypass(l2, q, &o);
    if (o.stall != l2->blocked)
        l2_count_stall(l2, q, o.stall, now);
    if (o.stall >= 0)
        return;
    count_taken(l2, q, &o, atomic);
    occupy(l2, q, &o, atomic, now);
    if (reordered)
        order_accepted(l2->order, l2->offered, now);
    q->req = REQ_NONE;
    l2->remote_freed = true; /* it may have taken or used the way that the counterpart's request would take */
}

void l2_try_plain(struct l2 *l2, uint64_t now)
{
    try_request(l2, now, false);
}

void l2_try_reordered(struct l2 *l2, uint64_t now)
{
    try_request(l2, now, true);
}

enum stall l2_try_far(struct l2 *l2, req_id id, uint32_t info, uint64_t now)
{
    const struct l2_lookup q = l2_look_up_begin(l2, id, info, false, true);
    const bool atomic = is_atomic(&l2->req[id]);
    const struct l2_outcome o = look_up(l2, &q, now, atomic);
    if (o.stall < 0) {
        count_taken(l2, &q, &o, atomic);
        occupy(l2, &q, &o, atomic, now);
        l2->freed |= ~0u;                /* it may have changed what the network's request waits for */
        if (l2->at_tags.req != REQ_NONE) /* or replaced or brought its line */
            l2->at_tags.entry = tags_find(&l2->tags, l2->at_tags.set, l2->at_tags.line);
    }
    return o.stall;
}
