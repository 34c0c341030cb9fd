/*
 * Locality-aware prefetching (Jog et al., ISCA 2013), the part that the policies lap and orch share.
 *
 * Memory is divided into macro-blocks of four lines. When `misses` different lines of a block have missed, the other
 * lines of the block are prefetched, once. A table with LRU replacement records which lines of recent blocks have
 * missed.
 */
#ifndef WEIR_L1_PREFETCH_LAP_H
#define WEIR_L1_PREFETCH_LAP_H

#include "l1/prefetch/load_tracker.h"

enum { LAP_BLOCK = 4, LAP_ENTRIES = 256 };

struct lap_params {
    uint32_t entries, misses;
};

struct lap {
    struct pf_tracker watch;
    struct lap_params p;
    uint64_t stamp;
    struct {
        uint64_t block, stamp; /* stamp 0 = empty */
        uint8_t missed;        /* bit per line; all = the block was prefetched */
    } e[LAP_ENTRIES];
    uint64_t macro_blocks;
};

int lap_init(void *st, const void *params, struct l1_host *, struct err *);
void lap_on_access(void *st, const struct l1_access *);
void lap_on_kernel(void *st, uint32_t launch_index);
extern const struct cfg_field lap_param_fields[];
extern const struct stat_def lap_stats[];

/* The hooks of a policy whose state is a struct lap. */
#define LAP_HOOKS                                                                                                      \
    .state_bytes = sizeof(struct lap), .init = lap_init, .on_access = lap_on_access, .on_kernel = lap_on_kernel
#define LAP_INFO                                                                                                       \
    .params = lap_param_fields, .params_bytes = sizeof(struct lap_params), .stats = lap_stats,                         \
    .load_columns = pf_load_columns, .report_loads = pf_report_loads

#endif
