/* Parameters of the L1 caches (sections [l1], [const], [tex]) and what the builder hands to l1_new. */
#ifndef WEIR_L1_L1_CONFIG_H
#define WEIR_L1_L1_CONFIG_H

#include "engine/config.h"
#include "engine/stats.h"
#include "l1/policy.h"

enum l1_fill { L1_FILL_LINE, L1_FILL_SECTOR };
enum l1_allocate { L1_ALLOCATE_ON_MISS, L1_ALLOCATE_ON_FILL };
enum l1_write {
    L1_WRITE_EVICT,    /* write-through; a present line is invalidated */
    L1_WRITE_THROUGH,  /* write-through; a present line is updated */
    L1_WRITE_BACK,     /* a present line becomes dirty and absorbs the write; otherwise write-through */
    L1_WRITE_ALLOCATE, /* write-through; written data can be read here, in a line allocated for it if necessary */
};

/* One cache. The same members for all three, so that the code is the same. */
struct l1_cache_config {
    uint64_t size;
    uint64_t line;
    uint32_t assoc;
    uint32_t set_hash; /* enum set_hash */
    uint32_t fill;     /* enum l1_fill */
    uint32_t allocate; /* enum l1_allocate */
    uint32_t mshrs, max_merges, miss_queue;
    uint32_t latency, tag_latency;
    uint32_t ports, banks;
    uint32_t write_global, write_local; /* enum l1_write */
    uint32_t bypass_fetch;              /* enum l1_fill */
    bool flush;
    bool enabled;
    /* Only in [l1]. */
    uint32_t reply_queue, prefetch_queue;
    bool observe, store_whole_sectors;
    uint32_t store_lines, store_wait;
    const char *carveouts;
    uint32_t management, organization, prefetcher, order; /* indices in the kinds */
};

extern const struct cfg_section l1_cfg_section, const_cfg_section, tex_cfg_section;

/* What l1_new takes. cache[which] NULL or not enabled: the SM has no such cache. */
struct l1_setup {
    const struct l1_cache_config *cache[L1_COUNT];
    const struct l1_management *management;
    const struct l1_organization *organization;
    const struct l1_prefetcher *prefetcher;
    const struct order_policy *order;
    const void *management_params, *organization_params, *prefetcher_params, *order_params;
};
/* The caches and the chosen policies of a configuration. */
struct l1_setup l1_setup_of(const struct cfg *);

/* Statistics of one cache; registered under l1, const and tex. */
extern const struct stat_def l1_stat_defs[];
struct stats;
/* Registers the unit's counters and those of its policies. */
void l1_register_stats(struct l1 *, struct stats *);
/* The observer of a machine's L1s, registered with the statistics; NULL where the configuration asks for none. */
struct arena;
struct l1_observer *l1_config_observer(const struct l1_setup *, uint32_t n_sm, struct arena *, struct stats *);
/* Requests of its own (prefetches, write-backs) one unit can have in flight. */
uint32_t l1_max_own_requests(const struct l1_setup *);

#endif
