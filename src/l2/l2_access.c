/*
 * One cycle of an L2 slice: a fill, a reply, one look-up, misses to DRAM.
 *
 * Source: GPGPU-Sim's memory sub-partition for the baseline's rules: stores that miss take a line without fetching it,
 * and with split_sectors a request counts, occupies the tags and MSHRs, and is fetched and answered, as so many
 * requests of one sector. They are handled together here: looked up in one go (the tags are then busy for as many
 * cycles), fetched by one request of several bursts, answered by one message of several packets. The answer leaves when
 * its last sector is there.
 *
 * States of a request: in the port (the slice's latency) -> [ingress order] -> at the tags (`cur`), where it may be
 * blocked hit: in the reply network; miss or merge: a waiter in an MSHR -> fill -> `ready` -> reply network A write is
 * answered when it has been taken; a write-back is not answered.
 */
#include "l2/l2_priv.h"

/* What a set of sectors counts as. */
static inline uint32_t units(const struct l2 *l2, uint8_t sectors)
{
    return l2->cfg.split_sectors ? sector_count(sectors) : sectors != 0;
}

/* Answers a request: one packet, or one per sector when requests are split. */
static void reply(struct l2 *l2, req_id id, uint8_t asked, uint64_t extra)
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
    port_send_later(l2->reply_out, id, net_info_pieces(NET_HEADER_BYTES + data, asked, pieces), extra);
}

static void to_dram(struct l2 *l2, uint64_t addr, uint8_t sectors, uint8_t kind, uint32_t token, uint64_t born)
{
    req_id id = req_alloc(&l2->comp.eng->pool);
    struct req *r = &l2->req[id];
    r->addr = addr;
    r->born = born;
    r->token = token;
    r->sm = (uint16_t)l2->env.slice;
    r->bytes = (uint16_t)(sector_count(sectors) * SECTOR_BYTES);
    r->flags = 0;
    r->kind = kind;
    r->space = REQ_SP_GLOBAL;
    r->sectors = sectors;
    ring_push(&l2->miss, id);
}

static void evict(struct l2 *l2, uint32_t entry)
{
    struct tags *t = &l2->tags;
    if (t->line[entry] == TAG_NONE)
        return;
    l2->stats.evictions++;
    uint8_t dirty = t->dirty[entry];
    if (!dirty)
        return;
    if (!l2->cfg.sectors)
        dirty = t->full;
    l2->stats.write_backs++;
    l2->stats.write_back_sectors += sector_count(dirty);
    to_dram(l2, t->line[entry] << t->line_shift, dirty, REQ_WRITEBACK, 0, 0);
}

static uint32_t waiter_new(struct l2 *l2, req_id req, uint8_t sectors)
{
    uint32_t w = l2->waiter_free;
    l2->waiter_free = l2->waiter[w].next;
    l2->waiter[w] = (struct l2_waiter){req, UINT32_MAX, sectors};
    return w;
}

/* Hangs a waiter into an MSHR entry; the entry's chain uses waiter indices. */
static void wait_in(struct l2 *l2, uint32_t m, req_id req, uint8_t sectors)
{
    struct mshr_entry *e = &l2->mshr.e[m];
    uint32_t w = waiter_new(l2, req, sectors);
    if (e->head == REQ_NONE)
        e->head = w;
    else
        l2->waiter[e->tail].next = w;
    e->tail = w;
    e->n++;
}

static void exchange_note(struct l2 *l2, struct req *r, uint32_t entry)
{
    uint16_t old = l2->note[entry];
    if (r->note)
        l2->note[entry] = r->note;
    r->note = old;
}

/* The entry for a line that is not there: -1 = all reserved. *dirty: its line must be written back. */
static int32_t claim(struct l2 *l2, uint32_t set, bool *dirty)
{
    int32_t entry = tags_victim_lru(&l2->tags, set);
    *dirty = entry >= 0 && l2->tags.line[entry] != TAG_NONE && l2->tags.dirty[entry];
    return entry;
}

static void place(struct l2 *l2, uint32_t entry, uint64_t line)
{
    evict(l2, entry);
    tags_place(&l2->tags, entry, line);
    l2->words[entry] = 0;
    if (l2->note)
        l2->note[entry] = 0;
}

/* Counts an access of `asked` sectors: `hit` are there, `joined` are on their way for another, the rest is fetched. */
static void count_read(struct l2 *l2, uint8_t asked, uint8_t hit, uint8_t joined, bool line_there)
{
    struct l2_stats *s = &l2->stats;
    uint8_t missed = asked & (uint8_t) ~(hit | joined);
    uint32_t n = units(l2, asked), hits, misses;
    if (l2->cfg.split_sectors) {
        hits = sector_count(hit);
        misses = sector_count(missed);
    } else {
        hits = hit == asked;
        misses = missed != 0;
    }
    s->accesses += n;
    s->hits += hits;
    s->read_hits += hits;
    s->misses += misses;
    s->read_misses += misses;
    s->merges += n - hits - misses;
    if (line_there)
        s->sector_misses += misses;
}

/* A read or an atomic of sectors that are not all there. -1 = taken. */
static int fetch(struct l2 *l2, req_id id, uint8_t asked)
{
    struct req *r = &l2->req[id];
    struct tags *t = &l2->tags;
    int32_t entry = l2->cur_entry;
    if (l2->waiter_free == UINT32_MAX)
        return L2_FAIL_MSHR; /* what has been fetched holds its place until it is answered */
    uint8_t have = entry >= 0 ? t->valid[entry] : 0, want = (l2->cfg.sectors ? asked : t->full) & (uint8_t)~have;
    uint32_t m = mshr_find(&l2->mshr, l2->cur_line);
    uint8_t more = want;
    if (m != MSHR_NONE) {
        more &= (uint8_t)~l2->mshr.e[m].asked;
        if (!mshr_can_merge(&l2->mshr, m))
            return L2_FAIL_MERGE;
        if (more && ring_free(&l2->miss) == 0)
            return L2_FAIL_QUEUE;
        if (l2->cfg.split_sectors && l2->mshr_units + units(l2, more) > l2->cfg.mshrs)
            return L2_FAIL_MSHR;
        if (l2->cfg.split_sectors)
            l2->mshr_units += units(l2, more);
    } else {
        bool dirty = false;
        int32_t at = entry >= 0 ? entry : claim(l2, l2->cur_set, &dirty);
        if (at < 0)
            return L2_FAIL_LINE;
        if (ring_free(&l2->miss) < 1u + dirty)
            return L2_FAIL_QUEUE;
        if (l2->mshr_units + units(l2, want) > l2->cfg.mshrs)
            return L2_FAIL_MSHR;
        l2->mshr_units += units(l2, want);
        if (entry < 0)
            place(l2, (uint32_t)at, l2->cur_line);
        m = mshr_add(&l2->mshr, l2->cur_line);
        l2->mshr.e[m].entry = at;
    }
    struct mshr_entry *e = &l2->mshr.e[m];
    count_read(l2, asked, have & asked, asked & e->asked & (uint8_t)~have, entry >= 0);
    e->asked |= more;
    t->pending[e->entry] |= more;
    tags_touch(t, (uint32_t)e->entry);
    if (l2->note)
        exchange_note(l2, r, (uint32_t)e->entry);
    wait_in(l2, m, id, asked);
    if (more)
        to_dram(l2, r->addr, more, REQ_READ, m, r->born);
    return -1;
}

/* Words of the line written so far decide which sectors have become readable without a fetch. */
static void note_written(struct l2 *l2, const struct req *r, uint32_t entry, uint8_t sectors)
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

static int store(struct l2 *l2, req_id id, uint8_t sectors)
{
    struct req *r = &l2->req[id];
    struct tags *t = &l2->tags;
    int32_t entry = l2->cur_entry;
    bool answered = r->kind != REQ_WRITEBACK;
    if (answered && !port_can_send(l2->reply_out))
        return L2_FAIL_REPLY;
    uint8_t hit = entry >= 0 ? (t->valid[entry] | t->dirty[entry] | t->pending[entry]) & sectors : 0;
    if (entry < 0 && l2->cfg.write == L2_WRITE_AROUND) {
        if (ring_free(&l2->miss) == 0)
            return L2_FAIL_QUEUE;
        to_dram(l2, r->addr, sectors, REQ_WRITE, 0, r->born);
    } else {
        if (entry < 0) {
            bool dirty;
            entry = claim(l2, l2->cur_set, &dirty);
            if (entry < 0)
                return L2_FAIL_LINE;
            if (dirty && ring_free(&l2->miss) == 0)
                return L2_FAIL_QUEUE;
            place(l2, (uint32_t)entry, l2->cur_line);
        }
        tags_touch(t, (uint32_t)entry);
        note_written(l2, r, (uint32_t)entry, sectors);
    }
    uint32_t n = units(l2, sectors), hits = l2->cfg.split_sectors ? units(l2, hit) : hit == sectors;
    l2->stats.accesses += n;
    l2->stats.hits += hits;
    l2->stats.write_hits += hits;
    l2->stats.misses += n - hits;
    l2->stats.write_misses += n - hits;
    if (answered)
        reply(l2, id, sectors, 0);
    else
        req_release(&l2->comp.eng->pool, id);
    return -1;
}

/* All sectors are there. */
static int hit(struct l2 *l2, req_id id, uint8_t asked, uint64_t now)
{
    struct req *r = &l2->req[id];
    struct tags *t = &l2->tags;
    uint32_t entry = (uint32_t)l2->cur_entry, n = units(l2, asked);
    if (!port_can_send(l2->reply_out))
        return L2_FAIL_REPLY;
    l2->stats.accesses += n;
    l2->stats.hits += n;
    tags_touch(t, entry);
    if (l2->note)
        exchange_note(l2, r, entry);
    uint64_t extra = 0;
    if (r->kind == REQ_WRITE) {
        l2->stats.write_hits += n;
    } else {
        l2->stats.read_hits += n;
        if (r->kind != REQ_READ) {
            l2->stats.atomics++;
            l2->atomic_free_at = now + l2->cfg.atomic_interval;
            extra = l2->cfg.atomic_latency;
        }
    }
    if (r->kind != REQ_READ)
        t->dirty[entry] |= asked;
    r->served = REQ_AT_L2;
    reply(l2, id, asked, extra);
    return -1;
}

/* Tries the request at the tags. -1 = taken, else enum l2_fail. */
static int look_up(struct l2 *l2, uint64_t now)
{
    req_id id = l2->cur;
    uint8_t asked = l2->cur_asked, kind = l2->req[id].kind;
    if (kind == REQ_WRITEBACK || (kind == REQ_WRITE && l2->cfg.write != L2_WRITE_FETCH))
        return store(l2, id, asked);
    bool atomic = kind == REQ_ATOMIC || kind == REQ_RED;
    if (atomic && now < l2->atomic_free_at)
        return L2_FAIL_ATOMIC;
    if (l2->cur_entry >= 0 && (l2->tags.valid[l2->cur_entry] & asked) == asked)
        return hit(l2, id, asked, now);
    int fail = fetch(l2, id, asked);
    if (fail < 0 && atomic) {
        l2->stats.atomics++;
        l2->atomic_free_at = now + l2->cfg.atomic_interval;
    }
    return fail;
}

static void count_fail(struct l2 *l2, int fail, uint64_t now)
{
    if (l2->blocked >= 0)
        l2->stats.fail_cycles[l2->blocked] += now - l2->blocked_since;
    l2->blocked = (int8_t)fail;
    l2->blocked_since = now;
    if (fail >= 0 && !l2->cur_waited) {
        l2->cur_waited = true;
        l2->stats.failed[fail]++;
    }
}

/* One request per cycle goes from the network's queue into the policy's, if the policy has a place for it. */
static void fill_order(struct l2 *l2, uint64_t now)
{
    const struct msg *m = port_peek(&l2->in, now);
    if (!m || !l2->order->room(l2->order_st, &l2->req[m->req]))
        return;
    struct msg got = port_pop(&l2->in);
    l2->order->push(l2->order_st, l2->req, got.req, got.info);
}

/* Brings the next request to the tags. */
static bool next_request(struct l2 *l2, uint64_t now)
{
    uint32_t info;
    if (WEIR_HOOKS && l2->order) {
        l2->cur = l2->order->pick(l2->order_st, l2->req, now, &info);
        if (l2->cur == REQ_NONE)
            return false;
    } else {
        if (!port_peek(&l2->in, now))
            return false;
        struct msg got = port_pop(&l2->in);
        l2->cur = got.req;
        info = got.info;
    }
    struct tags *t = &l2->tags;
    uint64_t addr = l2->req[l2->cur].addr;
    l2->stats.requests++;
    l2->cur_waited = false;
    l2->cur_asked = (uint8_t)net_sectors(info);
    l2->cur_line = addr >> t->line_shift;
    l2->cur_set = tags_set(t, addrmap_local(l2->env.map, addr) >> t->line_shift);
    /* While it waits at the tags nothing else can bring its line in or out: it is looked for once. */
    l2->cur_entry = tags_find(t, l2->cur_set, l2->cur_line);
    return true;
}

/* Sends a read that found no room in the cache to DRAM; its reply goes straight to the network. */
static int go_past(struct l2 *l2, int fail)
{
    if (ring_free(&l2->miss) == 0 || l2->waiter_free == UINT32_MAX)
        return fail;
    const struct req *r = &l2->req[l2->cur];
    l2->stats.accesses += units(l2, l2->cur_asked);
    l2->stats.bypasses += units(l2, l2->cur_asked);
    to_dram(l2, r->addr, l2->cur_asked, REQ_READ, L2_PAST | waiter_new(l2, l2->cur, l2->cur_asked), r->born);
    return -1;
}

/* The look-up stage: one request at a time. */
static void access_stage(struct l2 *l2, uint64_t now)
{
    if (now < l2->port_free_at)
        return;
    if (l2->cur == REQ_NONE) {
        if (!next_request(l2, now))
            return;
    } else if (l2->blocked >= 0 && l2->blocked <= L2_FAIL_QUEUE && !l2->freed && !l2->cfg.bypass_on_fail) {
        return; /* it would fail again */
    }
    l2->freed = false;
    bool read = l2->req[l2->cur].kind == REQ_READ;
    uint64_t hits = l2->stats.hits, accesses = l2->stats.accesses;
    int fail = look_up(l2, now);
    if (fail >= 0 && l2->cfg.bypass_on_fail && read && fail <= L2_FAIL_MERGE)
        fail = go_past(l2, fail);
    if (fail != l2->blocked)
        count_fail(l2, fail, now);
    if (fail >= 0)
        return;
    /* Hits move data; what misses leaves the tags after one cycle. */
    uint64_t hit_units = l2->stats.hits - hits, rest = l2->stats.accesses - accesses - hit_units, busy = rest;
    if (hit_units) {
        uint32_t n = sector_count(l2->cur_asked);
        uint64_t bytes = (l2->cfg.split_sectors ? hit_units : n) * SECTOR_BYTES;
        busy += (bytes - 1) / l2->cfg.port_bytes + 1;
    }
    l2->stats.busy += busy;
    l2->port_free_at = now + busy;
    l2->cur = REQ_NONE;
}

static void take_fill(struct l2 *l2, req_id id)
{
    const struct req *d = &l2->req[id];
    uint32_t m = d->token;
    uint8_t sectors = d->sectors;
    l2->freed = true;
    req_release(&l2->comp.eng->pool, id);
    l2->stats.fills += units(l2, sectors);
    if (m & L2_PAST) {
        uint32_t w = m & ~L2_PAST;
        l2->req[l2->waiter[w].req].served = REQ_AT_DRAM;
        ring_push(&l2->ready, w);
        return;
    }
    struct mshr_entry *e = &l2->mshr.e[m];
    struct tags *t = &l2->tags;
    uint32_t entry = (uint32_t)e->entry;
    e->arrived |= sectors;
    uint8_t have = t->valid[entry] |= sectors;
    t->pending[entry] &= (uint8_t)~sectors;
    uint32_t head = UINT32_MAX, tail = UINT32_MAX, kept = 0;
    for (uint32_t w = e->head; w != UINT32_MAX;) {
        struct l2_waiter *x = &l2->waiter[w];
        uint32_t next = x->next;
        if ((x->sectors & ~have) == 0) {
            struct req *r = &l2->req[x->req];
            r->served = REQ_AT_DRAM;
            if (r->kind != REQ_READ)
                t->dirty[entry] |= x->sectors;
            ring_push(&l2->ready, w);
        } else {
            x->next = UINT32_MAX;
            if (head == UINT32_MAX)
                head = w;
            else
                l2->waiter[tail].next = w;
            tail = w;
            kept++;
        }
        w = next;
    }
    e->head = head;
    e->tail = tail;
    e->n = kept;
    if (e->arrived == e->asked) {
        l2->mshr_units -= units(l2, e->asked);
        mshr_remove(&l2->mshr, m);
    }
}

static inline void sooner(uint64_t *want, uint64_t at)
{
    if (at < *want)
        *want = at;
}

uint64_t l2_tick(struct comp *comp, uint64_t now)
{
    struct l2 *l2 = (struct l2 *)comp;
    if (port_peek(&l2->fill_in, now))
        take_fill(l2, port_pop(&l2->fill_in).req);
    if (!ring_empty(&l2->ready) && port_can_send(l2->reply_out)) {
        uint32_t w = ring_pop(&l2->ready);
        const struct req *r = &l2->req[l2->waiter[w].req];
        bool atomic = r->kind == REQ_ATOMIC || r->kind == REQ_RED;
        l2->freed = true;
        reply(l2, l2->waiter[w].req, l2->waiter[w].sectors, atomic ? l2->cfg.atomic_latency : 0);
        l2->waiter[w].next = l2->waiter_free;
        l2->waiter_free = w;
    }
    access_stage(l2, now);
    while (!ring_empty(&l2->miss) && port_can_send(l2->dram_out)) {
        l2->freed = true;
        req_id id = ring_pop(&l2->miss);
        const struct req *r = &l2->req[id];
        /* A split fetch is so many requests of one sector to the DRAM, and occupies as much of its queue. */
        uint32_t pieces = r->kind == REQ_READ ? units(l2, r->sectors) : 1;
        port_send(l2->dram_out, id, net_info_pieces(r->bytes / pieces, r->sectors, pieces));
    }

    /* What could happen next? Full ports wake us when they have room. */
    uint64_t want = NEVER, look = NEVER;
    if (WEIR_HOOKS && l2->order) {
        fill_order(l2, now);
        sooner(&want, port_next_ready(&l2->in));
    }
    sooner(&want, port_next_ready(&l2->fill_in));
    if (!ring_empty(&l2->ready) && port_can_send(l2->reply_out))
        want = now + 1;
    if (l2->cur != REQ_NONE) {
        /* Blocked: a fill, room in the reply network or (it is drained above) in the miss queue brings the next tick.
         */
        if (l2->blocked < 0 || l2->port_free_at > now || (l2->blocked == L2_FAIL_QUEUE && ring_free(&l2->miss)))
            look = now + 1;
        else if (l2->blocked == L2_FAIL_ATOMIC)
            look = l2->atomic_free_at;
    } else if (WEIR_HOOKS && l2->order && l2->order->count(l2->order_st)) {
        look = now + 1;
    } else {
        look = port_next_ready(&l2->in);
    }
    sooner(&want, look < l2->port_free_at ? l2->port_free_at : look);
    return want > now ? want : now + 1;
}
