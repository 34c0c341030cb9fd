/* Builds and connects an L2 slice; its invariants, deadlock report, parameters and statistics. */
#include "l2/l2_priv.h"

#include "engine/waits.h"

static const char *const stall_name[L2_STALLS] = {"a way",          "an MSHR entry", "a merge slot",
                                                  "the miss queue", "its reply",     "the atomic unit"};

static void l2_sync(struct comp *comp, uint64_t now)
{
    struct l2 *l2 = (struct l2 *)comp;
    if (l2->blocked >= 0) {
        l2->stats.stall_cycles[l2->blocked] += now + 1 - l2->blocked_since;
        l2->blocked_since = now + 1;
    }
    if (l2->order)
        order_sync(l2->order, now);
}

bool l2_drained(const struct l2 *l2)
{
    return port_empty(&l2->in) && port_empty(&l2->fill_in) && l2->mshr.used == 0 && ring_empty(&l2->miss) &&
           ring_empty(&l2->ready) && l2->at_tags.req == REQ_NONE && !(l2->order && order_count(l2->order)) &&
           (!l2->remote_out || (port_empty(&l2->remote_in) && port_empty(&l2->copy_in) && ring_empty(&l2->far) &&
                                l2->remote_cur == REQ_NONE));
}

static int l2_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct l2 *l2 = (const struct l2 *)comp;
    const struct l2_stats *s = &l2->stats;
    if (s->accesses != s->hits + s->misses + s->merges + s->bypasses)
        return err_set(e, "%s: %lu accesses, but %lu hits + %lu misses + %lu merges + %lu bypasses", comp->name,
                       (unsigned long)s->accesses, (unsigned long)s->hits, (unsigned long)s->misses,
                       (unsigned long)s->merges, (unsigned long)s->bypasses);
    if (drained && !l2_drained(l2))
        return err_set(e, "%s: %u requests, %u MSHRs, %u misses, %u replies left", comp->name,
                       port_count(&l2->in) + (l2->order ? order_count(l2->order) : 0), l2->mshr.used,
                       ring_count(&l2->miss), ring_count(&l2->ready));
    return 0;
}

/* A request at the tags, or in the order policy's buffer, that was refused for `why`. */
static void refused_waits(const struct l2 *l2, struct waits *w, req_id id, int why)
{
    if (why == STALL_REPLY_FULL)
        waits_for_room(w, NULL, id, l2->reply_out, stall_name[why]);
    else
        waits_for_comp(w, NULL, id, l2->dram_out->consumer, why >= 0 && why < L2_STALLS ? stall_name[why] : "its turn");
}

static void l2_waits(const struct comp *comp, struct waits *w)
{
    const struct l2 *l2 = (const struct l2 *)comp;
    const struct order *o = l2->order;
    req_id first = l2->at_tags.req;
    if (first != REQ_NONE)
        refused_waits(l2, w, first, l2->blocked);
    for (uint32_t s = o ? o->oldest : ORDER_NONE; s != ORDER_NONE; s = o->slot[s].age_next)
        if (o->slot[s].req != l2->at_tags.req)
            refused_waits(l2, w, o->slot[s].req, o->slot[s].waits ? o->slot[s].why : -1);
    if (first == REQ_NONE && o && o->oldest != ORDER_NONE)
        first = o->slot[o->oldest].req;
    if (!port_empty(&l2->in) && first != REQ_NONE)
        waits_for_request(w, &l2->in, port_oldest(&l2->in), first, "earlier requests");
    for (uint32_t b = 0; b <= l2->mshr.bucket_mask; b++)
        for (uint32_t m = l2->mshr.bucket[b]; m != MSHR_NONE; m = l2->mshr.e[m].hnext)
            for (uint32_t i = l2->mshr.e[m].head; i != MSHR_NONE; i = l2->waiter[i].next)
                waits_for_comp(w, NULL, l2->waiter[i].req, l2->dram_out->consumer, "its line");
    for (uint32_t i = l2->ready.head; i != l2->ready.tail; i++)
        waits_for_room(w, NULL, l2->waiter[l2->ready.slot[i & l2->ready.mask]].req, l2->reply_out, "its reply");
    for (uint32_t i = l2->miss.head; i != l2->miss.tail; i++)
        waits_for_room(w, NULL, l2->miss.slot[i & l2->miss.mask], l2->dram_out, "the DRAM channel");
    if (!l2->remote_out)
        return;
    if (l2->remote_cur != REQ_NONE)
        refused_waits(l2, w, l2->remote_cur, l2->remote_stall);
    for (uint32_t i = l2->far.head; i != l2->far.tail; i++)
        waits_for_room(w, NULL, l2->far.slot[i & l2->far.mask], l2->remote_out, "the other partition");
}

/* A policy without hooks needs no buffer. */
static int order_new(struct l2 *l2, const struct l2_setup *config, struct err *e)
{
    struct arena *arena = l2->comp.eng->arena;
    l2->order_policy =
        config->order ? config->order : (const struct order_policy *)(const void *)l2_order_kind.policy[l2->cfg.order];
    if (!WEIR_HOOKS || !l2->order_policy->pick)
        return 0;
    struct order_host host = {.arena = arena,
                              .map = l2->env.map,
                              .at = ORDER_AT_L2,
                              .index = l2->env.slice,
                              .line_size = 1u << l2->tags.line_shift,
                              .n_set = l2->tags.n_set,
                              .n_sm = l2->env.n_sm,
                              .cache = l2,
                              .set_of = l2_set_of,
                              .resources_needed = l2_needs};
    l2->order = arena_alloc64(arena, sizeof *l2->order);
    l2->comp.tick = l2_tick_reordered;
    return order_init(l2->order, l2->order_policy, config->order_params, &host, l2->req, e);
}

struct l2 *l2_new(struct engine *eng, const struct l2_setup *config, const struct l2_env *env, const char *name,
                  struct err *e)
{
    const struct l2_config *cfg = config->cfg;
    struct l2 *l2 = arena_alloc64(eng->arena, sizeof *l2);
    l2->comp = (struct comp){.tick = l2_tick_plain, .sync = l2_sync, .waits = l2_waits, .check = l2_check};
    l2->cfg = *cfg;
    l2->env = *env;
    l2->at_tags.req = l2->remote_cur = REQ_NONE;
    l2->blocked = STALL_NONE;
    engine_add(eng, &l2->comp, CLK_L2, name);
    l2->req = eng->requests.req;
    uint32_t sets = (uint32_t)(cfg->size / (cfg->line * cfg->assoc));
    if (tags_init(&l2->tags, eng->arena, sets, cfg->assoc, (uint32_t)cfg->line, (enum set_hash)cfg->set_hash, e))
        return NULL;
    l2->words = arena_alloc64(eng->arena, tags_entries(&l2->tags) * sizeof *l2->words);
    l2->copied_lines = arena_alloc(eng->arena, sets);
    if (cfg->line_metadata || config->line_metadata)
        l2->policy_tag = arena_alloc64(eng->arena, tags_entries(&l2->tags) * sizeof *l2->policy_tag);
    mshr_init(&l2->mshr, eng->arena, cfg->mshrs, cfg->max_merges);
    l2->cfg.bypass_on_stall |= config->bypass_on_stall;
    uint32_t waiters = cfg->mshrs * cfg->max_merges + (l2->cfg.bypass_on_stall ? cfg->dram_queue : 0);
    l2->waiter = arena_alloc64(eng->arena, waiters * sizeof *l2->waiter);
    for (uint32_t i = 0; i < waiters; i++)
        l2->waiter[i].next = i + 1 < waiters ? i + 1 : UINT32_MAX;
    ring_init(&l2->ready, eng->arena, waiters);
    ring_init(&l2->miss, eng->arena, cfg->miss_queue);
    /* The port includes the latency, so its capacity is the queue plus the requests in flight. */
    port_init(&l2->in, eng, &l2->comp, cfg->ingress_queue + cfg->latency, cfg->latency ? cfg->latency : 1,
              "l2 ingress");
    port_init(&l2->fill_in, eng, &l2->comp, cfg->fill_queue, 1, "l2 fills");
    if (cfg->partitions > 1) {
        ring_init(&l2->far, eng->arena, cfg->miss_queue);
        port_init(&l2->remote_in, eng, &l2->comp, cfg->ingress_queue + cfg->partition_link_latency,
                  cfg->partition_link_latency, "l2 requests of the other partition");
        port_init(&l2->copy_in, eng, &l2->comp, cfg->fill_queue + cfg->partition_link_latency,
                  cfg->partition_link_latency, "l2 fills of the other partition");
    }
    l2_coalescer_init(l2);
    return order_new(l2, config, e) ? NULL : l2;
}

uint32_t l2_dram_port_slots(const struct l2_config *c)
{
    uint32_t per_line = c->split_sectors ? (uint32_t)c->line / SECTOR_BYTES : 1;
    return c->dram_queue > per_line ? c->dram_queue / per_line : 1;
}

uint32_t l2_max_own_requests(const struct l2_setup *c)
{
    uint32_t fetches = c->cfg->mshrs * ((uint32_t)c->cfg->line / SECTOR_BYTES);
    if (c->cfg->bypass_on_stall || c->bypass_on_stall)
        fetches += c->cfg->mshrs * c->cfg->max_merges + c->cfg->dram_queue;
    if (c->cfg->partition_of == L2_PARTITION_OF_SM) /* that a copy is old */
        fetches += c->cfg->miss_queue + c->cfg->ingress_queue + c->cfg->partition_link_latency + 1;
    return fetches + c->cfg->miss_queue + c->cfg->dram_queue + 2;
}

struct port *l2_in(struct l2 *l2)
{
    return &l2->in;
}
struct port *l2_fill_in(struct l2 *l2)
{
    return &l2->fill_in;
}

void l2_connect(struct l2 *l2, struct port *reply_out, struct port *dram_out)
{
    l2->reply_out = reply_out;
    l2->dram_out = dram_out;
    port_connect(reply_out, &l2->comp);
    port_connect(dram_out, &l2->comp);
}

void l2_connect_partitions(struct l2 *a, struct l2 *b)
{
    struct l2 *end[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct l2 *from = end[i], *to = end[!i];
        from->remote_out = &to->remote_in;
        from->copy_out = &to->copy_in;
        port_connect(from->remote_out, &from->comp);
        port_connect(from->copy_out, &from->comp);
        if (!from->order)
            from->comp.tick = l2_tick_partitioned;
    }
}

void l2_kernel_begin(struct l2 *l2, uint32_t launch_index)
{
    if (!l2->order)
        return;
    order_kernel(l2->order, launch_index);
    engine_wake(&l2->comp, 0); /* the policy may now offer requests that it held back */
}

bool l2_is_hooked(const struct l2 *l2)
{
    return l2->order != NULL;
}

void l2_invalidate(struct l2 *l2, uint64_t addr, uint64_t bytes)
{
    struct tags *t = &l2->tags;
    for (uint32_t i = 0; i < tags_entries(t); i++) {
        if (t->line[i] == TAG_NONE || t->pending[i])
            continue;
        uint64_t a = t->line[i] << t->line_shift;
        if (a < addr + bytes && a + (1ull << t->line_shift) > addr)
            tags_drop(t, i);
    }
}

/* ---- tables ---- */
#define T struct l2_config
static const struct cfg_field fields[] = {
    CFG_ROW(T, size, CFG_BYTES, "", "64KiB", 1024, 1ull << 32, NULL, "capacity of one slice"),
    CFG_ROW(T, line, CFG_BYTES, "", "128B", 32, 128, NULL, "line size"),
    CFG_ROW(T, assoc, CFG_INT, "ways", "8", 1, 64, NULL, "associativity"),
    CFG_ROW(T, set_hash, CFG_ENUM, "", "linear", 0, 0, SET_HASH_CHOICES, "set index function"),
    CFG_ROW(T, sectored, CFG_BOOL, "", "yes", 0, 1, NULL,
            "fetch and write back 32-byte sectors instead of whole lines"),
    CFG_ROW(T, split_sectors, CFG_BOOL, "", "no", 0, 1, NULL,
            "handle and answer a request one sector at a time, each sector with its own MSHR"),
    CFG_ROW(T, mshrs, CFG_INT, "entries", "32", 1, 65536, NULL, "lines (sectors when split) that can be in flight"),
    CFG_ROW(T, max_merges, CFG_INT, "requests", "4", 1, 4096, NULL, "requests one MSHR entry can hold"),
    CFG_ROW(T, miss_queue, CFG_INT, "requests", "4", 2, 65536, NULL, "requests waiting for the DRAM channel's queue"),
    CFG_ROW(T, ingress_queue, CFG_INT, "requests", "64", 1, 65536, NULL, "requests waiting for the tags"),
    CFG_ROW(T, latency, CFG_INT, "cycles", "120", 1, 400, NULL, "L2 cycles from the network to the tags"),
    CFG_ROW(T, dram_queue, CFG_INT, "requests", "64", 1, 65536, NULL, "requests between slice and DRAM controller"),
    CFG_ROW(T, fill_queue, CFG_INT, "requests", "180", 1, 65536, NULL, "replies between DRAM and the slice"),
    CFG_ROW(T, write_miss, CFG_ENUM, "", "validate", 0, 0, "validate fetch around around_fetch",
            "write miss: allocate without fetching, fetch the line, write around to DRAM, or write around and fetch"),
    CFG_ROW(T, atomic_interval, CFG_INT, "cycles", "1", 1, 256, NULL, "cycles between two atomics of a slice"),
    CFG_ROW(
        T, atomic_part_sector, CFG_INT, "half cycles", "0", 0, 64, NULL,
        "of the atomic unit for a sector of which an atomic changes at most half the words; 0 = l2.atomic_interval"),
    CFG_ROW(T, atomic_most_of_sector, CFG_INT, "half cycles", "0", 0, 64, NULL, "the same where it changes more"),
    CFG_ROW(T, part_store, CFG_INT, "half cycles", "0", 0, 64, NULL,
            "how long a store of part of a sector takes one of a slice's two data banks (512 bytes in each, in turn), "
            "in both "
            "partitions; 0 = no longer than the port"),
    CFG_ROW(T, atomic_latency, CFG_INT, "cycles", "0", 0, 400, NULL, "additional latency of an atomic"),
    CFG_ROW(T, partitions, CFG_INT, "", "1", 1, 2, NULL,
            "2: each half of the channels has an L2 of its own; half of the lines are requested through the other "
            "partition, which keeps copies"),
    CFG_ROW(
        T, partition_of, CFG_ENUM, "", "address", 0, 0, "address sm",
        "what decides which of two partitions is asked: the address, so that half of the lines are far for all SMs, or "
        "the SM; stores and atomics of an SM beside the line then take the other partition's copy away"),
    CFG_ROW(T, partition_link_latency, CFG_INT, "cycles", "1", 1, 400, NULL,
            "L2 cycles from one partition to the other"),
    CFG_ROW(T, partition_link_bytes, CFG_INT, "bytes", "32", 1, 256, NULL,
            "bytes a slice sends the other partition per cycle; l2.partitions = 2"),
    CFG_ROW(T, fetch, CFG_BYTES, "", "32B", 32, 128, NULL,
            "fetch granularity: the aligned block of this size around each missing sector"),
    CFG_ROW(
        T, dirty_ways, CFG_INT, "ways", "0", 0, 64, NULL,
        "ways of a set that may be dirty: a store beyond that writes the least recently used of them back; 0 = all"),
    CFG_ROW(T, copy_ways, CFG_INT, "ways", "0", 0, 64, NULL,
            "ways of a set that host copies may fill; these lines are replaced first; 0 = all ways, no preference"),
    CFG_ROW(T, copy_dirty_ways, CFG_INT, "ways", "0", 0, 64, NULL,
            "ways of a set that a copy from the host leaves dirty; the rest is in DRAM, too"),
    CFG_ROW(T, port_bytes, CFG_INT, "bytes", "32", 8, 256, NULL, "bytes the data array moves per cycle"),
    CFG_ROW(T, port_packed, CFG_BOOL, "", "no", 0, 1, NULL,
            "a hit that follows another begins in the bytes that it left of its last cycle; no: in the next cycle"),
    CFG_ROW(T, fill_bytes, CFG_INT, "bytes", "0", 0, 256, NULL,
            "bytes of a line that a fill writes in a cycle: the next fill waits; 0 = fills take no time"),
    CFG_ROW(T, write_back_port, CFG_BOOL, "", "no", 0, 1, NULL,
            "a read miss that writes a line back holds the port while the line is read out (l2.port_bytes)"),
    CFG_ROW(T, miss_reserve, CFG_BOOL, "", "no", 0, 1, NULL,
            "a read that misses needs two free entries of the miss queue, a store three, whatever they send"),
    CFG_ROW(T, miss_rate, CFG_INT, "requests", "0", 0, 16, NULL,
            "requests that leave the miss queue in a cycle; 0 = as many as the channel's queue has room for"),
    CFG_ROW(T, look_up_room, CFG_BOOL, "", "no", 0, 1, NULL,
            "no look-up while the queue to the DRAM channel or to the network is full, not even a hit"),
    CFG_ROW(T, write_port_bytes, CFG_INT, "bytes", "0", 0, 256, NULL,
            "the same for stores, in whole sectors; 0 = as for reads, and only hits occupy the port"),
    CFG_ROW(T, store_cycles, CFG_INT, "cycles", "0", 0, 16, NULL,
            "cycles that a store holds the port beyond its transfer, in the slice where its line lives; with "
            "l2.write_port_bytes"),
    CFG_ROW(
        T, store_awaits_fill, CFG_BOOL, "", "no", 0, 1, NULL,
        "a store to a line that is being fetched waits for the fill in front of the tags; no: it changes it at once"),
    CFG_ROW(
        T, coalesce, CFG_INT, "requests", "1", 1, 64, NULL,
        "reads of a line that one look-up answers: those that arrive before its data is read; with l2.order = fifo"),
    CFG_ROW(T, coalesce_copies, CFG_BOOL, "", "no", 0, 1, NULL,
            "such a read takes a copy of the reply packet made next to the SMs, without time of the slice's link"),
    CFG_ROW(T, line_metadata, CFG_BOOL, "", "no", 0, 1, NULL,
            "keep 16 bits of L1 policy metadata with each line; enabled automatically by policies that need it"),
    CFG_ROW(T, bypass_on_stall, CFG_BOOL, "", "no", 0, 1, NULL,
            "a read that finds no way, MSHR entry or merge slot bypasses the L2 instead of waiting (RACB)"),
    CFG_ROW(T, order, CFG_POLICY, "", "fifo", 0, 0, "l2-order", "order in which requests reach the tags"),
    CFG_END};

static int check_l2(const struct cfg *c, const void *values, struct err *e)
{
    const T *v = (const T *)values;
    uint64_t way = v->line * v->assoc, sets = way ? v->size / way : 0;
    if (!sets || v->size % way || sets & (sets - 1))
        return cfg_fault(c, cfg_last_set(c, (const char *const[]){"l2.assoc", "l2.size", "l2.line"}, 3), e,
                         "%lu bytes / (%lu-byte lines x %u ways) is not a power of two of sets", (unsigned long)v->size,
                         (unsigned long)v->line, v->assoc);
    if (v->partitions > 1 && (v->assoc < 2 || v->mshrs < 2))
        return cfg_fault(c, "l2.partitions", e,
                         "copies of the other partition's lines need two ways and two MSHRs of a slice");
    if (v->line & (v->line - 1))
        return cfg_fault(c, "l2.line", e, "a line of %lu bytes is not a power of two", (unsigned long)v->line);
    if (v->set_hash == SET_FERMI && ((sets != 32 && sets != 64) || v->line != 128))
        return cfg_fault(c, "l2.set_hash", e, "Fermi's hash is for 32 or 64 sets of 128-byte lines");
    if ((v->write_miss == L2_WRITE_AROUND_FETCH || (v->write_miss == L2_WRITE_FETCH && v->miss_reserve)) &&
        v->miss_queue < 3)
        return cfg_fault(c, "l2.miss_queue", e,
                         "a store that misses puts up to three requests (write, fetch, write-back) into a queue of %u",
                         v->miss_queue);
    if (v->fetch & (v->fetch - 1) || v->fetch > v->line)
        return cfg_fault(c, "l2.fetch", e, "a piece of %lu bytes is no power of two up to a line",
                         (unsigned long)v->fetch);
    if (v->split_sectors && !v->sectored) {
        cfg_fault(c, "l2.split_sectors", e, "requests are split into sectors, but the L2 has none");
        return err_hint(e, "set l2.sectored = yes");
    }
    uint32_t sectors = (uint32_t)v->line / SECTOR_BYTES, least = sectors * v->partitions;
    if (v->split_sectors && v->mshrs < least)
        return cfg_fault(
            c, cfg_last_set(c, (const char *const[]){"l2.mshrs", "l2.split_sectors", "l2.line"}, 3), e,
            "a request of a line takes an MSHR for each of its %u sectors%s (l2.split_sectors), and "
            "l2.mshrs=%u would never be enough",
            sectors, v->partitions > 1 ? ", and copies of the other partition's take no more than half" : "", v->mshrs);
    return 0;
}
const struct cfg_section l2_cfg_section = {"l2", "an L2 slice", fields, sizeof(T), check_l2};
#undef T

#define S struct l2_remote_stats
static const struct stat_def remote_stat_defs[] = {
    STAT_ROW(S, fetches, "requests", "fetches from the other partition"),
    STAT_ROW(S, forwarded, "requests", "stores and atomics forwarded to the other partition"), STAT_END};
#undef S

#define S struct l2
static const struct stat_def coalesced_stat_defs[] = {
    STAT_ROW(S, coalesced, "requests", "reads answered by the look-up of an earlier one (l2.coalesce): no accesses"),
    STAT_END};
#undef S

#define S struct l2_stats
static const struct stat_def cleaned_stat_defs[] = {
    STAT_ROW(S, eager_write_backs, "lines", "dirty lines written back before eviction (l2.dirty_ways)"), STAT_END};
static const struct stat_def stat_defs[] = {
    STAT_ROW(S, requests, "requests", "packets received from the request network"),
    STAT_ROW(S, accesses, "accesses", "accepted lookups: hits + misses + merges + bypasses (per sector when split)"),
    STAT_ROW(S, hits, "accesses", "lookups that hit"),
    STAT_ROW(S, misses, "accesses", "lookups that started a fetch, and stores to absent data"),
    STAT_ROW(S, merges, "accesses", "lookups merged with a fetch in flight"),
    STAT_ROW(S, bypasses, "accesses", "reads that bypassed the cache"),
    STAT_ROW(S, read_hits, "accesses", "reads that hit"),
    STAT_ROW(S, read_misses, "accesses", "reads and atomics that started a fetch"),
    STAT_ROW(S, write_hits, "accesses", "stores to present data"),
    STAT_ROW(S, write_misses, "accesses", "stores to absent data"),
    STAT_ROW(S, sector_misses, "accesses", "read misses to an absent sector of a present line"),
    STAT_ROW(S, atomics, "accesses", "atomics and reductions performed"),
    STAT_ROW(S, read_sectors, "sectors", "sectors requested by reads"),
    STAT_ROW(S, read_sector_hits, "sectors", "of these, present or in flight"),
    STAT_ROW(S, write_sectors, "sectors", "sectors that stores and write-backs of the L1s wrote to"),
    STAT_ROW(S, fills, "requests", "replies from DRAM"),
    STAT_ROW(S, evictions, "lines", "lines replaced by another"),
    STAT_ROW(S, write_backs, "lines", "evictions of dirty lines, written to DRAM"),
    STAT_ROW(S, write_back_sectors, "sectors", "sectors written back"),
    STAT_ROW(S, replies, "packets", "packets sent to the reply network"),
    STAT_ROW(S, preloaded, "lines", "lines preloaded by host copies"),
    STAT_NAMED(S, stall_cycles[STALL_NO_WAY], "stall_cycles.no_way", "cycles",
               "the request at the tags waited for a way"),
    STAT_NAMED(S, stall_cycles[STALL_NO_MSHR], "stall_cycles.no_mshr", "cycles",
               "the request at the tags waited for an MSHR entry"),
    STAT_NAMED(S, stall_cycles[STALL_NO_MERGE_SLOT], "stall_cycles.no_merge_slot", "cycles",
               "the request at the tags waited for a merge slot"),
    STAT_NAMED(S, stall_cycles[STALL_MISS_QUEUE_FULL], "stall_cycles.miss_queue_full", "cycles",
               "the request at the tags waited for the miss queue"),
    STAT_NAMED(S, stall_cycles[STALL_REPLY_FULL], "stall_cycles.reply_full", "cycles",
               "the request at the tags waited for the reply network"),
    STAT_NAMED(S, stall_cycles[STALL_ATOMIC_BUSY], "stall_cycles.atomic_busy", "cycles",
               "the atomic at the tags waited for the atomic unit"),
    STAT_NAMED(S, stalled_requests[STALL_NO_WAY], "stalled_requests.no_way", "requests",
               "requests that stalled first because no way was free"),
    STAT_NAMED(S, stalled_requests[STALL_NO_MSHR], "stalled_requests.no_mshr", "requests",
               "requests that stalled first because no MSHR entry was free"),
    STAT_NAMED(S, stalled_requests[STALL_NO_MERGE_SLOT], "stalled_requests.no_merge_slot", "requests",
               "requests that stalled first because the MSHR entry could merge no more requests"),
    STAT_NAMED(S, stalled_requests[STALL_MISS_QUEUE_FULL], "stalled_requests.miss_queue_full", "requests",
               "requests that stalled first because the miss queue was full"),
    STAT_NAMED(S, stalled_requests[STALL_REPLY_FULL], "stalled_requests.reply_full", "requests",
               "requests that stalled first because the reply network accepted nothing"),
    STAT_QUOTIENT("miss_rate", "", "l2.misses", "l2.accesses", "misses / accesses"),
    STAT_END};
#undef S

void l2_each_policy(const struct l2 *l2, policy_visit *fn, void *ctx)
{
    if (l2->order)
        fn(ctx, &l2->order_policy->info, l2->order->st);
}

void l2_register_stats(struct l2 *l2, struct stats *s)
{
    stats_add(s, "l2", stat_defs, &l2->stats);
    if (l2->cfg.dirty_ways)
        stats_add(s, "l2", cleaned_stat_defs, &l2->stats);
    if (l2->reads)
        stats_add(s, "l2", coalesced_stat_defs, l2);
    if (l2->cfg.partitions > 1)
        stats_add(s, "l2.remote_partition", remote_stat_defs, &l2->remote_stats);
    if (!l2->order)
        return;
    stats_add(s, "l2_order", order_l2_stats, &l2->order->stats);
    if (l2->order_policy->info.stats)
        stats_add(s, l2->order_policy->info.name, l2->order_policy->info.stats, l2->order->st);
}
