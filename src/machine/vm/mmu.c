/*
 * The MMU: the TLB that all SMs share, page table walkers, and the cache of their upper levels.
 *
 * Up to vm.l2_ports translations a cycle are looked up, SMs in turn. A miss starts a walk when one of vm.walkers is
 * free; others for the same entry join it. A walk reads one table after the other, vm.level_latency each, from the
 * lowest one that the walk cache knows. With vm.first_touch, the first walk for a block of vm.l2_reach takes
 * vm.fault_latency more and holds its walker for it. Source: as tlb.c; the walk cache as in Barr, Cox, Rixner, ISCA
 * 2010 (a unified translation cache).
 */
#include "vm/vm_priv.h"

#include <stdlib.h>

enum { INDEX_BITS = 9 }; /* a table has 512 entries */

struct port *mmu_in(struct mmu *m, uint32_t sm)
{
    return &m->in[sm];
}

void mmu_connect(struct mmu *m, uint32_t sm, struct port *reply)
{
    m->reply[sm] = reply;
    port_connect(reply, &m->comp);
}

static void answer(struct mmu *m, req_id id)
{
    port_send_later(m->reply[m->req[id].sm], id, 0, m->reply_latency);
}

static uint32_t find_walk(const struct mmu *m, uint64_t block)
{
    for (uint32_t i = 0; m->n_walk && i < m->cfg.l2_misses; i++)
        if (m->walk[i].used && m->walk[i].block == block)
            return i;
    return VM_NONE;
}

/* The table that a walk reads at a level (0: the last), told apart from those of other levels. */
static uint64_t table_of(const struct mmu *m, uint64_t addr, uint32_t level)
{
    return (addr / m->cfg.page >> INDEX_BITS * (level + 1)) * 8 + level;
}

/* Tables to read: from the lowest one whose place the walk cache knows; the root's is always known. */
static uint32_t levels_of(struct mmu *m, uint64_t addr)
{
    for (uint32_t level = 0; level + 1 < m->cfg.levels; level++) {
        const uint32_t at = entries_find(&m->walk_cache, table_of(m, addr, level));
        if (at == VM_NONE)
            continue;
        entries_touch(&m->walk_cache, at);
        return level + 1;
    }
    return m->cfg.levels;
}

static void note_tables(struct mmu *m, uint64_t addr)
{
    for (uint32_t level = 0; m->cfg.walk_cache && level + 1 < m->cfg.levels; level++)
        if (entries_find(&m->walk_cache, table_of(m, addr, level)) == VM_NONE)
            entries_put(&m->walk_cache, table_of(m, addr, level));
}

static void start_walks(struct mmu *m, uint64_t now)
{
    while (m->busy < m->cfg.walkers && !ring_empty(&m->queue)) {
        struct walk *w = &m->walk[ring_pop(&m->queue)];
        const uint32_t levels = levels_of(m, w->addr);
        w->began_at = now;
        w->done_at = now + (uint64_t)levels * m->cfg.level_latency;
        m->stats.walks++;
        m->stats.levels += levels;
        m->stats.queue_cycles += now - w->asked_at;
        if (m->cfg.first_touch && touched_add(&m->touched, w->block)) {
            w->done_at += m->cfg.fault_latency;
            m->stats.faults++;
        }
        m->busy++;
    }
}

/* Ends the walks that are done, in the order of their places. */
static void end_walks(struct mmu *m, uint64_t now)
{
    for (uint32_t i = 0; m->busy && i < m->cfg.l2_misses; i++) {
        struct walk *w = &m->walk[i];
        if (!w->used || w->done_at > now)
            continue;
        entries_put(&m->entries, w->block);
        note_tables(m, w->addr);
        for (req_id id = w->first, after; id != REQ_NONE; id = after) {
            after = m->req[id].next;
            answer(m, id);
        }
        m->stats.walk_cycles += now - w->asked_at;
        m->stats.walker_cycles += now - w->began_at;
        w->used = false;
        m->n_walk--;
        m->busy--;
    }
}

/* true: the translation is answered, or its walk is under way. */
static bool look_up(struct mmu *m, req_id id, uint64_t now)
{
    const uint64_t block = m->req[id].addr >> m->entries.shift;
    const uint32_t at = entries_find(&m->entries, block), walk = find_walk(m, block);
    if (at != VM_NONE) {
        entries_touch(&m->entries, at);
        answer(m, id);
        m->stats.hits++;
    } else if (walk != VM_NONE) {
        m->req[m->walk[walk].last].next = id;
        m->walk[walk].last = id;
        m->stats.merges++;
    } else if (m->n_walk < m->cfg.l2_misses) {
        uint32_t i = 0;
        while (m->walk[i].used)
            i++;
        m->walk[i] = (struct walk){.block = block,
                                   .addr = m->req[id].addr,
                                   .asked_at = now,
                                   .done_at = NEVER,
                                   .first = id,
                                   .last = id,
                                   .used = true};
        m->n_walk++;
        ring_push(&m->queue, i);
        m->stats.misses++;
    } else {
        return false;
    }
    m->req[id].next = REQ_NONE;
    m->stats.accesses++;
    return true;
}

/* SMs in turn, from the one behind that served last; one that finds no room to wait does not hold up the others. */
static uint64_t look_ups(struct mmu *m, uint64_t now)
{
    uint64_t want = NEVER;
    uint32_t room = m->cfg.l2_ports;
    const uint32_t from = m->next_sm;
    for (uint32_t k = 0; k < m->n_sm; k++) {
        const uint32_t sm = from + k < m->n_sm ? from + k : from + k - m->n_sm;
        struct port *p = &m->in[sm];
        if (!(m->marked[sm >> 6] >> (sm & 63) & 1))
            continue;
        const struct msg *g = port_peek(p, now);
        if (g && !room)
            return now + 1;
        if (g && look_up(m, g->req, now)) {
            port_pop(p);
            room--;
            m->next_sm = sm + 1 < m->n_sm ? sm + 1 : 0;
            want = earliest(want, port_empty(p) ? NEVER : now + 1);
        } else if (!g) {
            want = earliest(want, port_next_ready(p));
        }
        if (port_empty(p))
            port_unmark(p);
    }
    return want;
}

static uint64_t mmu_tick(struct comp *comp, uint64_t now)
{
    struct mmu *m = (struct mmu *)comp;
    end_walks(m, now);
    uint64_t want = look_ups(m, now);
    start_walks(m, now);
    for (uint32_t i = 0; m->busy && i < m->cfg.l2_misses; i++)
        if (m->walk[i].used)
            want = earliest(want, m->walk[i].done_at);
    return want > now ? want : now + 1;
}

static void mmu_waits(const struct comp *comp, struct waits *w)
{
    const struct mmu *m = (const struct mmu *)comp;
    for (uint32_t i = 0; i < m->cfg.l2_misses; i++)
        for (req_id id = m->walk[i].used ? m->walk[i].first : REQ_NONE; id != REQ_NONE; id = m->req[id].next)
            waits_for_else(w, NULL, id, m->walk[i].done_at == NEVER ? "a page table walker" : "its walk");
    for (uint32_t sm = 0; sm < m->n_sm; sm++)
        if (!port_empty(&m->in[sm]))
            waits_for_else(w, &m->in[sm], port_oldest(&m->in[sm]), "a walk to end (vm.l2_misses)");
}

bool mmu_drained(const struct mmu *m)
{
    bool empty = !m->n_walk;
    for (uint32_t sm = 0; sm < m->n_sm; sm++)
        empty &= port_empty(&m->in[sm]);
    return empty;
}

static int mmu_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct mmu *m = (const struct mmu *)comp;
    const struct mmu_stats *s = &m->stats;
    if (s->accesses != s->hits + s->misses + s->merges)
        return err_set(e, "%s: %lu accesses, but %lu hits + %lu misses + %lu merges", comp->name,
                       (unsigned long)s->accesses, (unsigned long)s->hits, (unsigned long)s->misses,
                       (unsigned long)s->merges);
    if (s->misses != s->walks + ring_count(&m->queue))
        return err_set(e, "%s: %lu misses, but %lu walks and %u waiting", comp->name, (unsigned long)s->misses,
                       (unsigned long)s->walks, ring_count(&m->queue));
    if (drained && !mmu_drained(m))
        return err_set(e, "%s: %u walks left", comp->name, m->n_walk);
    return 0;
}

struct mmu *mmu_new(struct engine *eng, const struct vm_config *cfg, uint32_t n_sm)
{
    struct mmu *m = arena_alloc64(eng->arena, sizeof *m);
    m->comp = (struct comp){.tick = mmu_tick, .waits = mmu_waits, .check = mmu_check};
    engine_add(eng, &m->comp, CLK_CORE, "mmu");
    m->req = eng->requests.req;
    m->cfg = *cfg;
    m->n_sm = n_sm;
    /* The way there and back is in the ports; each takes a cycle at least. */
    const uint32_t there = cfg->l2_latency > 2 ? cfg->l2_latency / 2 : 1;
    m->reply_latency = cfg->l2_latency > there + 1 ? cfg->l2_latency - there - 1 : 0;
    m->in = arena_alloc64(eng->arena, n_sm * sizeof *m->in);
    m->reply = arena_alloc64(eng->arena, n_sm * sizeof(struct port *));
    m->marked = arena_alloc64(eng->arena, (n_sm + 63) / 64 * sizeof *m->marked);
    for (uint32_t i = 0; i < n_sm; i++) {
        port_init(&m->in[i], eng, &m->comp, cfg->l1_misses, there, "misses of the TLBs");
        port_watch(&m->in[i], &m->marked[i >> 6], 1ull << (i & 63));
    }
    entries_init(&m->entries, eng->arena, cfg->l2_entries, cfg->l2_assoc, cfg->l2_reach ? cfg->l2_reach : cfg->page);
    entries_init(&m->walk_cache, eng->arena, cfg->walk_cache ? cfg->walk_cache : 1,
                 cfg->walk_cache ? cfg->walk_cache : 1, 1);
    m->walk = arena_alloc64(eng->arena, cfg->l2_misses * sizeof *m->walk);
    ring_init(&m->queue, eng->arena, cfg->l2_misses);
    return m;
}

void mmu_free(struct mmu *m)
{
    if (m)
        free(m->touched.slot);
}

#define S struct mmu_stats
static const struct stat_def stat_defs[] = {
    STAT_ROW(S, accesses, "translations", "translations looked up in the TLB that all SMs share"),
    STAT_ROW(S, hits, "translations", "translations that were there"),
    STAT_ROW(S, misses, "translations", "translations that started a page table walk"),
    STAT_ROW(S, merges, "translations", "translations that joined a walk under way"),
    STAT_ROW(S, walks, "walks", "page table walks begun"),
    STAT_ROW(S, levels, "tables", "tables read by walks"),
    STAT_ROW(S, walk_cycles, "cycles", "core cycles from a miss to the end of its walk, summed"),
    STAT_ROW(S, queue_cycles, "cycles", "of these, waiting for a walker"),
    STAT_ROW(S, walker_cycles, "cycles", "core cycles in which walkers were busy, summed over walkers"),
    STAT_ROW(S, faults, "faults", "walks that touched a block of memory first (vm.first_touch)"),
    STAT_QUOTIENT("miss_rate", "", "mmu.misses+mmu.merges", "mmu.accesses",
                  "share of translations not in the shared TLB"),
    STAT_QUOTIENT("walk", "cycles", "mmu.walk_cycles", "mmu.walks",
                  "mean time of a walk, waiting for a walker included"),
    STAT_QUOTIENT("levels_per_walk", "tables", "mmu.levels", "mmu.walks", "mean number of tables that a walk read"),
    STAT_END};
#undef S

void mmu_register_stats(struct mmu *m, struct stats *s)
{
    stats_add(s, "mmu", stat_defs, &m->stats);
}
