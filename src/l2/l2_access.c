/*
 * One cycle of an L2 slice: a reply, a fill, a miss to DRAM, one look-up.
 *
 * Source: GPGPU-Sim's memory sub-partition for the baseline's rules (a request is split into sectors, each answered by
 * a packet of its own; stores that miss take a line without fetching it), generalised to lines and to sectors handled
 * together.
 *
 * States of a request: in the port (the slice's latency) -> at the tags (`cur`), sector by sector when split
 *   hit: a packet in the reply network; miss or merge: a waiter in an MSHR -> fill -> `ready` -> reply network
 * A write is answered when it has been taken; a write-back is not answered.
 */
#include "l2/l2_priv.h"

static uint8_t words_of(const struct req *r, uint32_t sector)
{
    return (uint8_t)(r->words >> (8 * (sector & 3)));
}

/* Answers a request: one packet, or one per sector when requests are handled by sectors. */
static void reply(struct l2 *l2, req_id id, uint8_t asked, uint64_t extra)
{
    const struct req *r = &l2->req[id];
    uint32_t n = (uint32_t)__builtin_popcount(asked), pieces = l2->cfg.split_sectors ? n : 1, data = 0;
    if (r->kind == REQ_READ)
        data = n * SECTOR_BYTES;
    else if (r->kind == REQ_ATOMIC)
        data = 4 * (uint32_t)__builtin_popcount(r->words);
    l2->stats.replies += pieces;
    port_send_later(l2->reply_out, id, net_info_pieces(NET_HEADER_BYTES + data / pieces, asked, pieces), extra);
}

/* Would these sectors complete the request at the tags? Then its answer must find room. */
static bool completes(const struct l2 *l2, const struct req *r, uint8_t sectors)
{
    return ((r->arrived | sectors) & l2->cur_asked) == l2->cur_asked;
}

static void to_dram(struct l2 *l2, uint64_t addr, uint8_t sectors, uint8_t kind, uint32_t token,
                    const struct req *cause)
{
    req_id id = req_alloc(&l2->comp.eng->pool);
    l2->req[id] = (struct req){.addr = addr,
                               .born = cause ? cause->born : 0,
                               .token = token,
                               .sm = (uint16_t)l2->env.slice,
                               .bytes = (uint16_t)(__builtin_popcount(sectors) * SECTOR_BYTES),
                               .kind = kind,
                               .space = REQ_SP_GLOBAL,
                               .sectors = sectors};
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
    l2->stats.write_back_sectors += (uint64_t)__builtin_popcount(dirty);
    to_dram(l2, t->line[entry] << t->line_shift, dirty, REQ_WRITEBACK, 0, NULL);
}

static uint32_t waiter_new(struct l2 *l2, req_id req, uint8_t sectors)
{
    uint32_t w = l2->waiter_free;
    l2->waiter_free = l2->waiter[w].next;
    l2->waiter[w] = (struct l2_waiter){req, UINT32_MAX, sectors, l2->cur_asked};
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
    l2->cur_entry = (int32_t)entry;
    l2->words[entry] = 0;
    if (l2->note)
        l2->note[entry] = 0;
}

/* A read or an atomic of `sectors` that are not all there. -1 = taken. */
static int fetch(struct l2 *l2, req_id id, uint8_t sectors, uint64_t line, uint32_t set, int32_t entry)
{
    struct req *r = &l2->req[id];
    struct tags *t = &l2->tags;
    if (l2->waiter_free == UINT32_MAX)
        return L2_FAIL_MSHR; /* what has been fetched holds its place until it is answered */
    uint64_t key = l2->cfg.split_sectors ? line << 3 | (uint64_t)__builtin_ctz(sectors) : line;
    uint32_t m = mshr_find(&l2->mshr, key);
    if (m != MSHR_NONE) {
        struct mshr_entry *e = &l2->mshr.e[m];
        uint8_t have = entry >= 0 ? t->valid[entry] : 0;
        uint8_t more = (l2->cfg.sectors ? sectors : t->full) & (uint8_t) ~(e->asked | have);
        if (!mshr_can_merge(&l2->mshr, m))
            return L2_FAIL_MERGE;
        if (more && ring_free(&l2->miss) == 0)
            return L2_FAIL_QUEUE;
        if (more) {
            l2->stats.misses++;
            l2->stats.read_misses++;
            l2->stats.sector_misses++;
            e->asked |= more;
            if (entry >= 0)
                t->pending[entry] |= more;
            to_dram(l2, r->addr, more, REQ_READ, m, r);
        } else {
            l2->stats.merges++;
        }
        if (entry >= 0) {
            tags_touch(t, (uint32_t)entry);
            if (l2->note)
                exchange_note(l2, r, (uint32_t)entry);
        }
        wait_in(l2, m, id, sectors);
        return -1;
    }
    bool dirty = false;
    int32_t at = entry;
    if (at < 0) {
        at = claim(l2, set, &dirty);
        if (at < 0)
            return L2_FAIL_LINE;
    }
    if (ring_free(&l2->miss) < 1u + dirty)
        return L2_FAIL_QUEUE;
    if (mshr_full(&l2->mshr))
        return L2_FAIL_MSHR;
    if (entry < 0)
        place(l2, (uint32_t)at, line);
    uint8_t have = entry >= 0 ? t->valid[entry] : 0;
    uint8_t asked = (l2->cfg.sectors ? sectors : t->full) & (uint8_t)~have;
    m = mshr_add(&l2->mshr, key);
    l2->mshr.e[m].asked = asked;
    l2->mshr.e[m].entry = at;
    t->pending[at] |= asked;
    tags_touch(t, (uint32_t)at);
    if (l2->note)
        exchange_note(l2, r, (uint32_t)at);
    wait_in(l2, m, id, sectors);
    to_dram(l2, r->addr, asked, REQ_READ, m, r);
    l2->stats.misses++;
    l2->stats.read_misses++;
    l2->stats.sector_misses += entry >= 0;
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
    for (uint32_t s = 0; s < 4; s++) {
        if (!(sectors >> s & 1))
            continue;
        l2->words[entry] |= (uint32_t)words_of(r, s) << 8 * s;
        if ((l2->words[entry] >> 8 * s & 0xff) == 0xff)
            t->valid[entry] |= (uint8_t)(1u << s);
    }
}

static int store(struct l2 *l2, req_id id, uint8_t sectors, uint64_t line, uint32_t set, int32_t entry)
{
    struct req *r = &l2->req[id];
    struct tags *t = &l2->tags;
    bool answered = r->kind != REQ_WRITEBACK && completes(l2, r, sectors);
    if (answered && !port_can_send(l2->reply_out))
        return L2_FAIL_REPLY;
    bool hit = entry >= 0 && ((t->valid[entry] | t->dirty[entry] | t->pending[entry]) & sectors) == sectors;
    if (!hit && l2->cfg.write == L2_WRITE_AROUND && entry < 0) {
        if (ring_free(&l2->miss) == 0)
            return L2_FAIL_QUEUE;
        to_dram(l2, r->addr, sectors, REQ_WRITE, 0, r);
        l2->stats.misses++;
        l2->stats.write_misses++;
    } else {
        if (entry < 0) {
            bool dirty;
            entry = claim(l2, set, &dirty);
            if (entry < 0)
                return L2_FAIL_LINE;
            if (dirty && ring_free(&l2->miss) == 0)
                return L2_FAIL_QUEUE;
            place(l2, (uint32_t)entry, line);
        }
        if (hit) {
            l2->stats.hits++;
            l2->stats.write_hits++;
        } else {
            l2->stats.misses++;
            l2->stats.write_misses++;
        }
        tags_touch(t, (uint32_t)entry);
        note_written(l2, r, (uint32_t)entry, sectors);
    }
    r->arrived |= sectors;
    if (answered)
        reply(l2, id, l2->cur_asked, 0);
    return -1;
}

/* Tries `sectors` of the request at the tags. -1 = taken, else enum l2_fail. */
static int look_up(struct l2 *l2, req_id id, uint8_t sectors, uint64_t now)
{
    struct req *r = &l2->req[id];
    struct tags *t = &l2->tags;
    /* Between the sectors of one request nothing else can move its line: it is looked for once. */
    uint64_t line = l2->cur_line;
    uint32_t set = l2->cur_set;
    int32_t entry = l2->cur_entry;
    bool atomic = r->kind == REQ_ATOMIC || r->kind == REQ_RED;
    if (!atomic && r->kind != REQ_READ && !(l2->cfg.write == L2_WRITE_FETCH && r->kind == REQ_WRITE))
        return store(l2, id, sectors, line, set, entry);

    if (atomic && now < l2->atomic_free_at)
        return L2_FAIL_ATOMIC;
    if (entry >= 0 && (t->valid[entry] & sectors) == sectors) {
        bool answered = completes(l2, r, sectors);
        if (answered && !port_can_send(l2->reply_out))
            return L2_FAIL_REPLY;
        r->arrived |= sectors;
        l2->stats.hits++;
        tags_touch(t, (uint32_t)entry);
        if (l2->note)
            exchange_note(l2, r, (uint32_t)entry);
        if (r->kind == REQ_READ) {
            l2->stats.read_hits++;
        } else {
            t->dirty[entry] |= sectors;
            if (!atomic)
                l2->stats.write_hits++;
        }
        if (r->served != REQ_AT_DRAM)
            r->served = REQ_AT_L2;
        uint64_t extra = 0;
        if (atomic) {
            l2->stats.atomics++;
            l2->atomic_free_at = now + l2->cfg.atomic_interval;
            extra = l2->cfg.atomic_latency;
        }
        if (answered)
            reply(l2, id, l2->cur_asked, extra);
        return -1;
    }
    int fail = fetch(l2, id, sectors, line, set, entry);
    if (fail < 0 && atomic) {
        l2->stats.atomics++;
        l2->atomic_free_at = now + l2->cfg.atomic_interval;
    }
    return fail;
}

static void count_fail(struct l2 *l2, int fail, uint64_t now)
{
    if (l2->blocked != fail) {
        if (l2->blocked >= 0)
            l2->stats.fail_cycles[l2->blocked] += now - l2->blocked_since;
        l2->blocked = (int8_t)fail;
        l2->blocked_since = now;
    }
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
    if (l2->order) {
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
    l2->stats.requests++;
    l2->cur_waited = false;
    l2->cur_asked = l2->cur_sectors = (uint8_t)net_sectors(info);
    l2->req[l2->cur].arrived = 0;
    struct tags *t = &l2->tags;
    uint64_t addr = l2->req[l2->cur].addr;
    l2->cur_line = addr >> t->line_shift;
    l2->cur_set = tags_set(t, addrmap_local(l2->env.map, addr) >> t->line_shift);
    l2->cur_entry = tags_find(t, l2->cur_set, l2->cur_line);
    return true;
}

/* Sends a read that found no room in the cache to DRAM; its reply goes straight to the network. */
static int go_past(struct l2 *l2, req_id id, uint8_t sectors, int fail)
{
    if (ring_free(&l2->miss) == 0 || l2->waiter_free == UINT32_MAX)
        return fail;
    l2->stats.bypasses++;
    to_dram(l2, l2->req[id].addr, sectors, REQ_READ, L2_PAST | waiter_new(l2, id, sectors), &l2->req[id]);
    return -1;
}

/*
 * The look-up stage: one request at a time. Its sectors, when handled one by one, are looked up as far as they can be
 * taken, and the tags are busy for as many cycles.
 */
static void access_stage(struct l2 *l2, uint64_t now)
{
    if (now < l2->port_free_at)
        return;
    if (l2->cur == REQ_NONE && !next_request(l2, now))
        return;
    req_id id = l2->cur;
    const struct req *r = &l2->req[id];
    bool write_back = r->kind == REQ_WRITEBACK, read = r->kind == REQ_READ;
    uint64_t busy = 0;
    while (l2->cur_sectors) {
        uint8_t sectors = l2->cfg.split_sectors ? l2->cur_sectors & (uint8_t)-l2->cur_sectors : l2->cur_sectors;
        uint64_t hits = l2->stats.hits;
        int fail = look_up(l2, id, sectors, now);
        if (fail >= 0 && l2->cfg.bypass_on_fail && read && fail <= L2_FAIL_MERGE)
            fail = go_past(l2, id, sectors, fail);
        if (fail != l2->blocked)
            count_fail(l2, fail, now);
        if (fail >= 0)
            break;
        l2->stats.accesses++;
        l2->cur_sectors &= (uint8_t)~sectors;
        /* Hits move data; what misses leaves the tags after one cycle. */
        busy += l2->stats.hits != hits
                    ? (uint32_t)(__builtin_popcount(sectors) * SECTOR_BYTES - 1) / l2->cfg.port_bytes + 1
                    : 1;
    }
    l2->stats.busy += busy;
    l2->port_free_at = now + busy;
    if (l2->cur_sectors)
        return;
    if (write_back)
        req_release(&l2->comp.eng->pool, id);
    l2->cur = REQ_NONE;
}

/* The waiter's sectors are there: its request is answered when all are. */
static void satisfied(struct l2 *l2, uint32_t w)
{
    struct l2_waiter *x = &l2->waiter[w];
    struct req *r = &l2->req[x->req];
    r->served = REQ_AT_DRAM;
    r->arrived |= x->sectors;
    l2->stats.from_dram++;
    if ((r->arrived & x->asked) == x->asked) {
        ring_push(&l2->ready, w);
    } else {
        x->next = l2->waiter_free;
        l2->waiter_free = w;
    }
}

static void take_fill(struct l2 *l2, req_id id)
{
    struct req *d = &l2->req[id];
    uint32_t m = d->token;
    if (m & L2_PAST) {
        l2->stats.fills++;
        satisfied(l2, m & ~L2_PAST);
        req_release(&l2->comp.eng->pool, id);
        return;
    }
    struct mshr_entry *e = &l2->mshr.e[m];
    struct tags *t = &l2->tags;
    e->arrived |= d->sectors;
    if (e->entry >= 0) {
        t->valid[e->entry] |= d->sectors;
        t->pending[e->entry] &= (uint8_t)~d->sectors;
    }
    uint8_t have = e->entry >= 0 ? t->valid[e->entry] : e->arrived;
    l2->stats.fills++;
    req_release(&l2->comp.eng->pool, id);
    uint32_t head = UINT32_MAX, tail = UINT32_MAX, kept = 0;
    for (uint32_t w = e->head; w != UINT32_MAX;) {
        struct l2_waiter *x = &l2->waiter[w];
        uint32_t next = x->next;
        if ((x->sectors & ~have) == 0) {
            if (e->entry >= 0 && l2->req[x->req].kind != REQ_READ)
                t->dirty[e->entry] |= x->sectors;
            satisfied(l2, w);
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
    if (e->arrived == e->asked)
        mshr_remove(&l2->mshr, m);
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
        reply(l2, l2->waiter[w].req, l2->waiter[w].asked, atomic ? l2->cfg.atomic_latency : 0);
        l2->waiter[w].next = l2->waiter_free;
        l2->waiter_free = w;
    }
    access_stage(l2, now);
    while (!ring_empty(&l2->miss) && port_can_send(l2->dram_out)) {
        req_id id = ring_pop(&l2->miss);
        const struct req *r = &l2->req[id];
        port_send(l2->dram_out, id, net_info(r->bytes, r->sectors));
    }

    /* What could happen next? Full ports wake us when they have room. */
    uint64_t want = NEVER, look = NEVER;
    if (l2->order) {
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
    } else if (l2->order && l2->order->count(l2->order_st)) {
        look = now + 1;
    } else {
        look = port_next_ready(&l2->in);
    }
    sooner(&want, look < l2->port_free_at ? l2->port_free_at : look);
    return want > now ? want : now + 1;
}
