/* The L1 caches' parameters and statistics, as tables. Defaults are the GTX480's. */
#include "l1/l1_priv.h"

#define T struct l1_cache_config
#define CACHE_ROWS(size_, line_, assoc_, hash_, mshrs_, merges_, queue_, latency_, tag_)                               \
    CFG_ROW(T, enabled, CFG_BOOL, "", "yes", 0, 1, NULL, "whether the SM has this cache"),                             \
        CFG_ROW(T, size, CFG_BYTES, "", size_, 1024, 1 << 24, NULL, "capacity"),                                       \
        CFG_ROW(T, line, CFG_BYTES, "", line_, 32, 128, NULL, "line size"),                                            \
        CFG_ROW(T, assoc, CFG_INT, "ways", assoc_, 1, 64, NULL, "associativity"),                                      \
        CFG_ROW(T, set_hash, CFG_ENUM, "", hash_, 0, 0, SET_HASH_CHOICES, "set index function"),                       \
        CFG_ROW(T, fill, CFG_ENUM, "", "line", 0, 0, "line sector",                                                    \
                "what a miss fetches: the whole line or the 32-byte sectors touched"),                                 \
        CFG_ROW(T, allocate, CFG_ENUM, "", "on-miss", 0, 0, "on-miss on-fill",                                         \
                "when a missing line is allocated: at the miss or at the fill"),                                       \
        CFG_ROW(T, mshrs, CFG_INT, "entries", mshrs_, 1, 65536, NULL, "lines that can be in flight"),                  \
        CFG_ROW(T, max_merges, CFG_INT, "requests", merges_, 1, 65536, NULL, "requests one MSHR entry can hold"),      \
        CFG_ROW(T, miss_queue, CFG_INT, "requests", queue_, 2, 65536, NULL, "requests waiting for the network"),       \
        CFG_ROW(T, latency, CFG_INT, "cycles", latency_, 2, 400, NULL, "load-to-use latency of a hit"),                \
        CFG_ROW(T, tag_latency, CFG_INT, "cycles", tag_, 1, 399, NULL,                                                 \
                "part of the latency before the tag lookup (misses leave then)"),                                      \
        CFG_ROW(T, ports, CFG_INT, "accesses", "1", 1, 32, NULL, "line accesses per cycle"),                           \
        CFG_ROW(T, banks, CFG_INT, "banks", "1", 1, 64, NULL, "banks by line; one access per bank and cycle"),         \
        CFG_ROW(T, flush, CFG_BOOL, "", "yes", 0, 1, NULL, "invalidate the cache at the end of each kernel")

static const struct cfg_field l1_fields[] = {
    CACHE_ROWS("16KiB", "128B", "4", "fermi", "64", "8", "8", "35", "34"),
    CFG_ROW(T, write_global, CFG_ENUM, "", "evict", 0, 0, "evict through back allocate",
            "a store to global memory that hits: invalidate the line and write through, update it and write through, "
            "or make it dirty; allocate: write through and allocate on a miss"),
    CFG_ROW(T, write_local, CFG_ENUM, "", "back", 0, 0, "evict through back allocate", "the same for local memory"),
    CFG_ROW(T, store_whole_sectors, CFG_BOOL, "", "no", 0, 1, NULL,
            "stores send whole 32-byte sectors to the L2, not only the written bytes"),
    CFG_ROW(
        T, store_lines, CFG_INT, "stores", "0", 0, 64, NULL,
        "stores to other lines for which a store waits for others to its line, so that one packet takes them to the "
        "L2; 0 = none waits"),
    CFG_ROW(T, store_wait, CFG_INT, "cycles", "11", 1, 1000, NULL, "without a store, after which such lines are sent"),
    CFG_ROW(T, carveouts, CFG_TEXT, "", "", 0, 0, NULL,
            "sizes of shared memory in KiB, ascending (\"8 16 32\"), one of which is carved out of l1.size for a "
            "kernel; \"\" = none is"),
    CFG_ROW(T, bypass_fetch, CFG_ENUM, "", "line", 0, 0, "line sector",
            "what a load that uses an MSHR but does not allocate (abyp, pcal) fetches: the whole line or the touched "
            "sectors; loads that bypass the lookup always fetch only what they touch"),
    CFG_ROW(T, reply_queue, CFG_INT, "replies", "8", 1, 65536, NULL,
            "replies in flight on the crossbar or waiting at the L1; values below noc.crossbar_latency limit the SM's "
            "bandwidth"),
    CFG_ROW(T, prefetch_queue, CFG_INT, "lines", "16", 1, 1024, NULL,
            "prefetches waiting for a free cycle of the cache"),
    CFG_ROW(T, observe, CFG_BOOL, "", "no", 0, 1, NULL,
            "collect statistics on replication, bytes used, serving level and home load; does not affect timing"),
    CFG_ROW(T, management, CFG_POLICY, "", "lru", 0, 0, "l1-management",
            "L1 management policy (allocation, replacement)"),
    CFG_ROW(T, organization, CFG_POLICY, "", "private", 0, 0, "l1-organization", "which L1s may hold a line"),
    CFG_ROW(T, prefetcher, CFG_POLICY, "", "none", 0, 0, "prefetcher", "prefetcher"),
    CFG_ROW(T, order, CFG_POLICY, "", "fifo", 0, 0, "l1-order", "order in which requests reach the L1"),
    CFG_END};
static const struct cfg_field const_fields[] = {CACHE_ROWS("8KiB", "64B", "2", "linear", "2", "32", "4", "12", "11"),
                                                CFG_END};
static const struct cfg_field tex_fields[] = {CACHE_ROWS("12KiB", "128B", "24", "linear", "64", "128", "4", "40", "39"),
                                              CFG_END};

static int check_cache(const struct cfg *c, const char *section, const void *values, struct err *e)
{
    const T *v = (const T *)values;
    char key[64];
    uint64_t way = v->line * v->assoc;
    uint64_t sets = way ? v->size / way : 0;
    if (!sets || v->size % way || sets & (sets - 1)) {
        char sized[3][64];
        static const char *const by[] = {"assoc", "size", "line"};
        for (unsigned i = 0; i < 3; i++)
            snprintf(sized[i], sizeof sized[i], "%s.%s", section, by[i]);
        const char *last = cfg_last_set(c, (const char *const[]){sized[0], sized[1], sized[2]}, 3);
        cfg_fault(c, last, e, "%lu bytes / (%lu-byte lines x %u ways) is not a power of two of sets",
                  (unsigned long)v->size, (unsigned long)v->line, v->assoc);
        for (uint32_t a = 1; a <= 64; a++) {
            uint64_t s = v->line ? v->size / (v->line * a) : 0;
            if (a != v->assoc && s && v->size % (v->line * a) == 0 && !(s & (s - 1)) && a >= v->assoc)
                return err_hint(e, "try %u ways", a);
        }
        return -1;
    }
    if (v->line & (v->line - 1)) {
        snprintf(key, sizeof key, "%s.line", section);
        return cfg_fault(c, key, e, "a line of %lu bytes is not a power of two", (unsigned long)v->line);
    }
    if (v->set_hash == SET_FERMI && ((sets != 32 && sets != 64) || v->line != 128)) {
        snprintf(key, sizeof key, "%s.set_hash", section);
        cfg_fault(c, key, e, "Fermi's hash is for 32 or 64 sets of 128-byte lines, not %lu of %lu", (unsigned long)sets,
                  (unsigned long)v->line);
        return err_hint(e, "use xor or linear");
    }
    if (v->tag_latency >= v->latency) {
        snprintf(key, sizeof key, "%s.tag_latency", section);
        cfg_fault(c, key, e, "tag_latency is %u cycles, but a hit takes only %u", v->tag_latency, v->latency);
        return err_hint(e, "tag_latency must be less than latency");
    }
    if (v->banks & (v->banks - 1)) {
        snprintf(key, sizeof key, "%s.banks", section);
        return cfg_fault(c, key, e, "%u banks: not a power of two", v->banks);
    }
    return 0;
}
static int check_l1(const struct cfg *c, const void *v, struct err *e)
{
    return check_cache(c, "l1", v, e);
}
static int check_const(const struct cfg *c, const void *v, struct err *e)
{
    return check_cache(c, "const", v, e);
}
static int check_tex(const struct cfg *c, const void *v, struct err *e)
{
    return check_cache(c, "tex", v, e);
}

const struct cfg_section l1_cfg_section = {"l1", "the L1 data cache of an SM", l1_fields, sizeof(T), check_l1};
const struct cfg_section const_cfg_section = {"const", "the constant cache of an SM", const_fields, sizeof(T),
                                              check_const};
const struct cfg_section tex_cfg_section = {"tex", "the texture cache of an SM", tex_fields, sizeof(T), check_tex};
#undef T

#define S struct l1_stats
const struct stat_def l1_stat_defs[] = {
    STAT_ROW(S, accesses, "requests",
             "accepted line accesses: hits + misses + merges + bypasses + atomics + remote; one sent to another SM's "
             "L1 counts as remote here and by its outcome there"),
    STAT_ROW(S, hits, "requests", "accesses that hit (stores: line present)"),
    STAT_ROW(S, misses, "requests", "accesses that started a fetch, and stores to absent lines"),
    STAT_ROW(S, merges, "requests", "loads merged with a fetch in flight"),
    STAT_ROW(S, bypasses, "requests", "loads and stores that bypassed the cache"),
    STAT_ROW(S, atomics, "requests", "atomics and reductions, performed at the L2"),
    STAT_ROW(S, forwarded, "requests", "accesses sent to another SM's L1"),
    STAT_ROW(S, load_hits, "requests", "loads that hit"),
    STAT_ROW(S, load_misses, "requests", "loads that started a fetch"),
    STAT_ROW(S, store_hits, "requests", "stores to present lines"),
    STAT_ROW(S, store_misses, "requests", "stores to absent lines"),
    STAT_NAMED(S, own_loads, "loads", "requests", "loads of this SM, each once, wherever they were answered"),
    STAT_NAMED(S, own_loads_unserved, "unserved_loads", "requests",
               "of these: answered beyond this SM's L1, which had neither the data nor a fetch of it in flight: load "
               "misses, loads that bypassed, and loads sent to another SM's L1"),
    STAT_ROW(S, sector_misses, "requests", "load misses to an absent sector of a present or in-flight line"),
    STAT_ROW(S, global_sectors, "sectors", "sectors requested by global loads, without textures"),
    STAT_ROW(S, global_sector_hits, "sectors", "of these, present or in flight"),
    STAT_ROW(S, fills, "lines", "fetches completed"),
    STAT_ROW(S, evictions, "lines", "lines replaced by another"),
    STAT_ROW(S, write_backs, "lines", "evictions of dirty lines, written to the L2"),
    STAT_ROW(S, invalidations, "lines", "lines invalidated by stores and atomics"),
    STAT_ROW(S, flushed, "lines", "lines invalidated at the end of a kernel"),
    STAT_NAMED(S, stall_cycles[L1_STALL_NO_WAY - L1_ACCEPTED_COUNT], "stall_cycles.no_way", "cycles",
               "the oldest access waited for a way that is not reserved"),
    STAT_NAMED(S, stall_cycles[L1_STALL_NO_MSHR - L1_ACCEPTED_COUNT], "stall_cycles.no_mshr", "cycles",
               "the oldest access waited for an MSHR entry"),
    STAT_NAMED(S, stall_cycles[L1_STALL_NO_MERGE_SLOT - L1_ACCEPTED_COUNT], "stall_cycles.no_merge_slot", "cycles",
               "the oldest access waited for a merge slot"),
    STAT_NAMED(S, stall_cycles[L1_STALL_MISS_QUEUE_FULL - L1_ACCEPTED_COUNT], "stall_cycles.miss_queue_full", "cycles",
               "the oldest access waited for the miss queue"),
    STAT_NAMED(S, stalled_requests[L1_STALL_NO_WAY - L1_ACCEPTED_COUNT], "stalled_requests.no_way", "requests",
               "accesses that stalled first because no way was free"),
    STAT_NAMED(S, stalled_requests[L1_STALL_NO_MSHR - L1_ACCEPTED_COUNT], "stalled_requests.no_mshr", "requests",
               "accesses that stalled first because no MSHR entry was free"),
    STAT_NAMED(S, stalled_requests[L1_STALL_NO_MERGE_SLOT - L1_ACCEPTED_COUNT], "stalled_requests.no_merge_slot",
               "requests", "accesses that stalled first because the MSHR entry could merge no more requests"),
    STAT_NAMED(S, stalled_requests[L1_STALL_MISS_QUEUE_FULL - L1_ACCEPTED_COUNT], "stalled_requests.miss_queue_full",
               "requests", "accesses that stalled first because the miss queue was full"),
    STAT_NAMED(S, prefetch_requested, "prefetch.requested", "lines", "prefetches requested by the prefetcher"),
    STAT_NAMED(S, prefetch_issued, "prefetch.issued", "lines", "prefetches sent to the L2"),
    STAT_NAMED(S, prefetch_queue_full, "prefetch.queue_full", "lines",
               "prefetches dropped because the prefetch queue was full"),
    STAT_NAMED(S, prefetch_redundant, "prefetch.redundant", "lines",
               "prefetches dropped because the line was present or in flight"),
    STAT_NAMED(S, prefetch_no_resource, "prefetch.no_resource", "lines",
               "prefetches dropped because no way, MSHR entry or queue slot was free"),
    STAT_NAMED(S, prefetch_policy_rejected, "prefetch.policy_rejected", "lines",
               "prefetches dropped because the management or organization does not allocate the line here"),
    STAT_NAMED(S, prefetch_canceled, "prefetch.canceled", "lines", "prefetches dropped at the end of a kernel"),
    STAT_NAMED(S, prefetch_overtaken, "prefetch.overtaken", "lines",
               "prefetches dropped: their warp executed the load while they waited"),
    STAT_NAMED(S, prefetch_to_home, "prefetch.to_home", "lines", "prefetches sent to the line's home L1"),
    STAT_NAMED(S, prefetch_from_remote_sms, "prefetch.from_remote_sms", "lines", "prefetches received from other SMs"),
    STAT_NAMED(S, prefetch_timely, "prefetch.timely", "lines", "prefetched lines that a load hit later"),
    STAT_NAMED(S, prefetch_late, "prefetch.late", "lines",
               "prefetched lines that a load requested before they arrived"),
    STAT_NAMED(S, prefetch_unused, "prefetch.unused", "lines", "prefetched lines evicted or invalidated before use"),
    STAT_ROW(S, remote_requests, "requests", "requests received from other SMs"),
    STAT_ROW(S, remote_hits, "requests", "of these, hits"),
    STAT_ROW(S, remote_misses, "requests", "of these, misses and merges"),
    STAT_NAMED(S, all_protected, "bypass.all_protected", "requests",
               "loads that bypassed because the policy protected every way"),
    STAT_ROW(S, replies, "packets", "packets received from the reply network"),
    STAT_END};
#undef S

static const struct stat_def data_ratios[] = {
    STAT_QUOTIENT(
        "miss_rate", "", "l1.misses", "l1.accesses",
        "misses / accesses; accesses sent to another SM's L1 count twice: remote, and by their outcome there. A "
        "request "
        "that bypasses is an access and never a miss, so a policy that bypasses lowers this rate without a hit more: "
        "compare such policies by l1.unserved_rate"),
    STAT_QUOTIENT("unserved_rate", "", "l1.unserved_loads", "l1.loads",
                  "loads answered beyond this SM's L1 / loads of this SM: misses, bypasses and loads sent to another "
                  "SM's L1; a load that joins a fetch in flight counts as served, as in the miss rate"),
    STAT_QUOTIENT("hit_rate", "", "l1.hits", "l1.accesses",
                  "hits / accesses; accesses sent to another SM's L1 count twice: remote, and by their outcome there"),
    STAT_END};

/* Statistics of prefetching, common to all prefetchers. Shown when there is one. */
const uint64_t l1_distance_bound[L1_DISTANCES - 1] = {16, 32, 64, 128, 256, 512, 1024, 4096};
#define S        struct l1_stats
#define PF(name) "l1.prefetch." name
#define LOADS    "l1.load_hits+l1.load_misses+l1.merges"
static const struct stat_def prefetch_stats[] = {
    STAT_NAMED(S, prefetch_issued, "issued", "lines", "prefetches sent to the L2"),
    STAT_NAMED(S, prefetch_timely, "timely", "lines", "prefetched lines present at their first use"),
    STAT_NAMED(S, prefetch_late, "late", "lines", "prefetched lines in flight at their first use"),
    STAT_NAMED(S, prefetch_unused, "unused", "lines", "prefetched lines evicted or invalidated before use"),
    STAT_NAMED(S, prefetch_evicted, "evicted", "lines", "of these: replaced by another line"),
    STAT_NAMED(S, prefetch_evicted_by_own, "evicted.by_prefetch", "lines", "of these: by another prefetched line"),
    STAT_NAMED(S, prefetch_distance_sum, "distance_sum", "cycles", "sum of the prefetch distances"),
    STAT_HISTOGRAM(S, prefetch_distance, "distances", "cycles", l1_distance_bound,
                   "cycles from the issue of a prefetch to the first load of its line"),
    STAT_NAMED(S, prefetch_noc_bytes, "noc_bytes", "bytes",
               "request and reply packets of prefetches; those of used lines replace demand traffic"),
    STAT_NAMED(S, prefetch_dram_bytes, "dram_bytes", "bytes", "read from DRAM for prefetches"),
    STAT_QUOTIENT("coverage", "", PF("issued"), LOADS, "prefetches / line requests of loads"),
    STAT_QUOTIENT("miss_coverage", "", PF("timely") "+" PF("late"), PF("timely") "+l1.load_misses+l1.merges",
                  "prefetch-covered loads / (covered loads + load misses and merges)"),
    STAT_QUOTIENT("accuracy", "", PF("timely") "+" PF("late"), PF("issued"), "used prefetches / prefetches"),
    STAT_QUOTIENT("early_rate", "", "prefetch.evicted", PF("issued"), "prefetches replaced before use / prefetches"),
    STAT_QUOTIENT("late_rate", "", PF("late"), PF("timely") "+" PF("late"), "late prefetches / used prefetches"),
    STAT_QUOTIENT("distance", "cycles", "prefetch.distance_sum", PF("timely") "+" PF("late"),
                  "mean cycles from the issue of a prefetch to the first load of its line"),
    STAT_END};
#undef LOADS
#undef PF
#undef S

struct l1_setup l1_setup_of(const struct cfg *cfg)
{
    const struct l1_cache_config *l1 = cfg_section(cfg, "l1");
    /* policy_info is the first member of every policy. */
    return (struct l1_setup){
        .cache = {[L1_DATA] = l1, [L1_CONST] = cfg_section(cfg, "const"), [L1_TEX] = cfg_section(cfg, "tex")},
        .management = (const void *)l1_management_kind.policy[l1->management],
        .organization = (const void *)l1_organization_kind.policy[l1->organization],
        .prefetcher = (const void *)l1_prefetcher_kind.policy[l1->prefetcher],
        .order = (const void *)l1_order_kind.policy[l1->order],
        .management_params = cfg_policy_params(cfg, l1_management_kind.name, l1->management),
        .organization_params = cfg_policy_params(cfg, l1_organization_kind.name, l1->organization),
        .prefetcher_params = cfg_policy_params(cfg, l1_prefetcher_kind.name, l1->prefetcher),
        .order_params = cfg_policy_params(cfg, l1_order_kind.name, l1->order),
    };
}

struct l1_observer *l1_config_observer(const struct l1_setup *cfg, uint32_t n_sm, struct arena *a, struct stats *s)
{
    const struct l1_cache_config *data = cfg->cache[L1_DATA];
    if (!data || !data->enabled || !data->observe || !WEIR_HOOKS)
        return NULL;
    struct l1_observer *o = l1_observer_new(a, n_sm, n_sm * (uint32_t)(data->size / data->line));
    l1_observer_register_stats(o, s);
    return o;
}

static void register_policy(struct stats *s, const struct policy_info *info, const void *st)
{
    if (info->stats)
        stats_add(s, info->name, info->stats, st);
}

void l1_register_stats(struct l1 *l1, struct stats *s)
{
    static const char *const prefix[L1_COUNT] = {"l1", "const", "tex"};
    for (uint32_t i = 0; i < L1_COUNT; i++)
        if (l1->cache[i])
            stats_add(s, prefix[i], l1_stat_defs, &l1->cache[i]->stats);
    stats_add(s, "l1", data_ratios, NULL);
    if (!l1->cache[L1_DATA])
        return;
    if (l1->cache[L1_DATA]->prefetched_at)
        stats_add(s, "prefetch", prefetch_stats, &l1->cache[L1_DATA]->stats);
    register_policy(s, &l1->management.hooks->info, l1->management.st);
    register_policy(s, &l1->organization.hooks->info, l1->organization.st);
    register_policy(s, &l1->prefetcher.hooks->info, l1->prefetcher.st);
    if (l1->order.policy) {
        register_policy(s, &l1->order.policy->info, l1->order.st);
        stats_add(s, "l1_order", order_l1_stats, &l1->order.stats);
    }
}
