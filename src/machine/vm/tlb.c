/*
 * The TLB of an SM, between its caches and the network.
 *
 * One request a cycle is looked up and forwarded. One whose translation is missing waits beside the path, so that others
 * pass it; when the translation has come, those that wait for it are forwarded first, one a cycle, in their order.
 * Source: per-SM TLBs with hit under miss as in Power, Hill, Wood, HPCA 2014, and Ausavarungnirun et al., MICRO 2017;
 * their place behind the L1, which has virtual addresses, from Jia et al., arXiv 1804.06826, section 3.9.
 */
#include "vm/vm_priv.h"

static uint64_t block_of(const struct tlb *t, req_id id)
{
    return t->req[id].addr >> t->entries.shift;
}

static uint32_t find_miss(const struct tlb *t, uint64_t block)
{
    for (uint32_t i = 0; t->n_miss && i < t->cfg.l1_misses; i++)
        if (t->miss[i].used && t->miss[i].block == block)
            return i;
    return VM_NONE;
}

static uint32_t free_miss(const struct tlb *t)
{
    for (uint32_t i = 0; t->n_miss < t->cfg.l1_misses; i++)
        if (!t->miss[i].used)
            return i;
    return VM_NONE;
}

static void wait_for(struct tlb *t, uint32_t miss, const struct msg *m, uint64_t now)
{
    struct tlb_miss *e = &t->miss[miss];
    const uint32_t at = t->waiting_free;
    struct tlb_waiting *w = &t->waiting[at];
    t->waiting_free = w->next;
    t->n_waiting++;
    *w = (struct tlb_waiting){m->req, m->info, VM_NONE, now};
    if (e->first == VM_NONE)
        e->first = at;
    else
        t->waiting[e->last].next = at;
    e->last = at;
}

static void begin_miss(struct tlb *t, uint32_t miss, uint64_t block, uint64_t now)
{
    req_id id = req_alloc(engine_pool(&t->comp));
    t->miss[miss] = (struct tlb_miss){.block = block, .first = VM_NONE, .last = VM_NONE, .used = true};
    t->n_miss++;
    t->req[id] = (struct req){.addr = block << t->entries.shift,
                              .created_at = now,
                              .next = REQ_NONE,
                              .token = miss,
                              .sm = (uint16_t)t->sm,
                              .kind = REQ_READ};
    port_send(t->to_mmu, id, 0);
}

/* Looks up the request at the head of the port. `may_send`: the path to the network is free. true: it was taken. */
static bool look_up(struct tlb *t, const struct msg *m, bool may_send, uint64_t now)
{
    const uint64_t block = block_of(t, m->req);
    uint32_t miss = find_miss(t, block);
    if (miss != VM_NONE) {
        if (t->waiting_free == VM_NONE)
            return false;
        wait_for(t, miss, m, now);
        t->stats.merges++;
        return true;
    }
    const uint32_t at = entries_find(&t->entries, block);
    if (at != VM_NONE) {
        if (!may_send)
            return false;
        entries_touch(&t->entries, at);
        port_send(t->to_l2, m->req, m->info);
        t->stats.hits++;
        return true;
    }
    miss = free_miss(t);
    if (miss == VM_NONE || t->waiting_free == VM_NONE || !port_can_send(t->to_mmu))
        return false;
    begin_miss(t, miss, block, now);
    wait_for(t, miss, m, now);
    t->stats.misses++;
    return true;
}

/* Forwards the oldest request that waits for the translation that came first. */
static void send_waiting(struct tlb *t, uint64_t now)
{
    const uint32_t miss = ring_front(&t->arrived);
    struct tlb_miss *e = &t->miss[miss];
    const uint32_t at = e->first;
    struct tlb_waiting *w = &t->waiting[at];
    const uint64_t cycles = now - w->since;
    t->stats.waited++;
    t->stats.wait_cycles += cycles;
    t->stats.wait_max = cycles > t->stats.wait_max ? cycles : t->stats.wait_max;
    port_send(t->to_l2, w->req, w->info);
    e->first = w->next;
    w->next = t->waiting_free;
    t->waiting_free = at;
    t->n_waiting--;
    if (e->first != VM_NONE)
        return;
    e->used = false;
    t->n_miss--;
    ring_pop(&t->arrived);
}

static uint64_t tlb_tick(struct comp *comp, uint64_t now)
{
    struct tlb *t = (struct tlb *)comp;
    while (port_peek(&t->reply_in, now)) {
        const req_id id = port_pop(&t->reply_in).req;
        const uint32_t miss = t->req[id].token;
        entries_put(&t->entries, t->miss[miss].block);
        ring_push(&t->arrived, miss);
        req_release(engine_pool(&t->comp), id);
    }
    const bool room = port_can_send(t->to_l2), sends = room && !ring_empty(&t->arrived);
    if (sends)
        send_waiting(t, now);
    const struct msg *m = port_peek(&t->in, now);
    bool taken = false;
    if (m) {
        taken = look_up(t, m, room && !sends, now);
        if (taken) {
            port_pop(&t->in);
            t->stats.accesses++;
            t->refused = false;
        } else if (!t->refused) {
            t->refused = true;
            t->stats.stalled++;
        }
    }
    uint64_t want = port_next_ready(&t->reply_in);
    /* A head that was refused for the network's turn goes in the next cycle; else a reply or a port wakes it. */
    if (sends || taken || (m && !taken && room && sends))
        want = earliest(want, now + 1);
    else if (!m)
        want = earliest(want, port_next_ready(&t->in));
    return want > now ? want : now + 1;
}

static void tlb_waits(const struct comp *comp, struct waits *w)
{
    const struct tlb *t = (const struct tlb *)comp;
    for (uint32_t i = 0; i < t->cfg.l1_misses; i++) {
        const struct tlb_miss *e = &t->miss[i];
        bool came = false;
        for (uint32_t k = t->arrived.head; k != t->arrived.tail; k++)
            came |= t->arrived.slot[k & t->arrived.mask] == i;
        for (uint32_t at = e->used ? e->first : VM_NONE; at != VM_NONE; at = t->waiting[at].next)
            if (came)
                waits_for_room(w, NULL, t->waiting[at].req, t->to_l2, "the network to the L2");
            else
                waits_for_comp(w, NULL, t->waiting[at].req, t->to_mmu->consumer, "a translation");
    }
    const req_id head = port_oldest(&t->in);
    if (head == REQ_NONE)
        return;
    if (!t->n_miss)
        waits_for_room(w, &t->in, head, t->to_l2, "the network to the L2");
    else
        waits_for_comp(w, &t->in, head, t->to_mmu->consumer, "room to wait for a translation");
}

bool tlb_drained(const struct tlb *t)
{
    return port_empty(&t->in) && port_empty(&t->reply_in) && !t->n_miss && !t->n_waiting;
}

static int tlb_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct tlb *t = (const struct tlb *)comp;
    const struct tlb_stats *s = &t->stats;
    if (s->accesses != s->hits + s->misses + s->merges)
        return err_set(e, "%s: %lu accesses, but %lu hits + %lu misses + %lu merges", comp->name,
                       (unsigned long)s->accesses, (unsigned long)s->hits, (unsigned long)s->misses,
                       (unsigned long)s->merges);
    if (s->misses + s->merges != s->waited + t->n_waiting)
        return err_set(e, "%s: %lu requests had no translation, but %lu waited and %u wait", comp->name,
                       (unsigned long)(s->misses + s->merges), (unsigned long)s->waited, t->n_waiting);
    if (drained && !tlb_drained(t))
        return err_set(e, "%s: %u requests and %u translations left", comp->name, port_count(&t->in) + t->n_waiting,
                       t->n_miss);
    return 0;
}

struct tlb *tlb_new(struct engine *eng, const struct vm_config *cfg, uint32_t sm, const char *name)
{
    struct tlb *t = arena_alloc64(eng->arena, sizeof *t);
    t->comp = (struct comp){.tick = tlb_tick, .waits = tlb_waits, .check = tlb_check};
    engine_add(eng, &t->comp, CLK_CORE, name);
    t->req = eng->requests.req;
    t->cfg = *cfg;
    t->sm = sm;
    port_init(&t->in, eng, &t->comp, cfg->l1_latency + 1, cfg->l1_latency, "requests to the TLB");
    port_init(&t->reply_in, eng, &t->comp, cfg->l1_misses, 1, "translations");
    entries_init(&t->entries, eng->arena, cfg->l1_entries, cfg->l1_assoc, cfg->l1_reach ? cfg->l1_reach : cfg->page);
    t->miss = arena_alloc64(eng->arena, cfg->l1_misses * sizeof *t->miss);
    t->waiting = arena_alloc64(eng->arena, cfg->l1_waiting * sizeof *t->waiting);
    for (uint32_t i = 0; i < cfg->l1_waiting; i++)
        t->waiting[i].next = i + 1 < cfg->l1_waiting ? i + 1 : VM_NONE;
    ring_init(&t->arrived, eng->arena, cfg->l1_misses);
    return t;
}

void tlb_connect(struct tlb *t, struct mmu *mmu, struct port *to_l2)
{
    t->to_l2 = to_l2;
    t->to_mmu = mmu_in(mmu, t->sm);
    port_connect(to_l2, &t->comp);
    port_connect(t->to_mmu, &t->comp);
    mmu_connect(mmu, t->sm, &t->reply_in);
}

struct port *tlb_in(struct tlb *t)
{
    return &t->in;
}

#define S struct tlb_stats
static const struct stat_def stat_defs[] = {
    STAT_ROW(S, accesses, "requests", "requests to the L2 looked up in the TLBs of the SMs"),
    STAT_ROW(S, hits, "requests", "requests whose translation was there"),
    STAT_ROW(S, misses, "requests", "requests that asked the MMU for their translation"),
    STAT_ROW(S, merges, "requests", "requests whose translation had been asked for"),
    STAT_ROW(S, waited, "requests", "requests that have waited for a translation"),
    STAT_ROW(S, wait_cycles, "cycles", "core cycles they waited, summed"),
    STAT_MAXIMUM(S, wait_max, "cycles", "longest wait for a translation"),
    STAT_ROW(S, stalled, "requests",
             "requests that held up those behind them: no room to wait, or the path was in use"),
    STAT_QUOTIENT("miss_rate", "", "tlb.misses+tlb.merges", "tlb.accesses", "share of requests without a translation"),
    STAT_QUOTIENT("wait", "cycles", "tlb.wait_cycles", "tlb.waited", "mean wait for a translation"),
    STAT_QUOTIENT("wait_per_request", "cycles", "tlb.wait_cycles", "tlb.accesses",
                  "mean wait for a translation over all requests to the L2: its part of their latency"),
    STAT_END};
#undef S

void tlb_register_stats(struct tlb *t, struct stats *s)
{
    stats_add(s, "tlb", stat_defs, &t->stats);
}
