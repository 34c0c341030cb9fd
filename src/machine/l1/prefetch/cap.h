/*
 * The CTA-aware prefetcher of CAPS (Koo, Jeon, Liu, Kim, Annavaram, IPDPS 2018, section V-B), the part that the
 * policies cap and caps share. docs/papers/caps.md goes through the paper sentence by sentence.
 *
 * PerCTA table, one per CTA slot: for up to four loads, the leading warp (the first of the CTA to execute the load)
 * and its addresses, which are the CTA's base addresses. DIST table, one per SM: for up to four loads, the stride in
 * bytes between one warp and the next, and a count of mispredictions.
 *
 * The state of the two tables determines what an execution of a load by a warp does:
 *
 * - PerCTA no, DIST no: the warp is the leading warp of its CTA; its addresses are registered.
 * - PerCTA no, DIST yes: the same; then lines are prefetched for the CTA's other warps (Figure 9b).
 * - PerCTA yes, DIST no: a trailing warp. If all its addresses have one stride, the stride enters DIST, and lines are
 *   prefetched for every other CTA whose base addresses are known (Figure 9a); otherwise the entry is invalidated.
 * - PerCTA yes, DIST yes: a trailing warp's lines are compared with the prediction, and a difference counts as a
 *   misprediction. If it is the leading warp itself (a loop), its new addresses become the base, and lines are
 *   prefetched for the CTA's other warps.
 *
 * When a warp has executed a load as often as its CTA's leading warp, what still waits in the queue for it is dropped
 * (unless `drop = no`).
 *
 * Nothing is prefetched for a load with more than `threshold` mispredictions, for loads of more than four lines, or
 * for loads whose address depends on loaded data. The loads in a full DIST table are the selected ones; other loads
 * are then ignored (unless `replace`). A stride of 0 has nothing to prefetch and takes no entry in DIST.
 */
#ifndef WEIR_L1_PREFETCH_CAP_H
#define WEIR_L1_PREFETCH_CAP_H

#include "l1/prefetch/load_tracker.h"

enum { CAP_ENTRIES = 16, CAP_CTAS = 64 };

struct cap_params {
    uint32_t cta_entries, dist_entries, max_lines, max_mispredictions;
    bool allow_indirect, update_bases, replace_dist, drop;
};

struct cap_base {
    uint32_t pc;
    uint16_t lead; /* warp slot */
    uint32_t n;    /* addresses; 0 = the entry is empty */
    uint64_t addr[PF_LINES];
    uint64_t updated; /* stamp */
};

struct cap_dist {
    uint32_t pc;
    bool valid;
    int64_t stride; /* bytes from one warp to the next */
    uint32_t mispredictions;
    uint64_t updated;
};

/* Why nothing is prefetched for a load, or that something is. */
enum cap_state {
    CAP_UNKNOWN,
    CAP_INDIRECT,
    CAP_LINES,
    CAP_IRREGULAR,
    CAP_DIST_FULL,
    CAP_STRIDE,
    CAP_STRIDE_0,
    CAP_MISPREDICTED,
    CAP_PREFETCHED,
    CAP_STATES
};

struct cap {
    struct pf_tracker watch;
    struct cap_params p;
    uint64_t stamp;
    struct {
        uint32_t first_warp, n_warp; /* n_warp 0: no CTA */
        struct cap_base e[CAP_ENTRIES];
    } cta[CAP_CTAS];
    struct cap_dist dist[CAP_ENTRIES];
    struct { /* in the order of watch.load */
        uint8_t state;
        int64_t stride;
        uint64_t bases, mispredictions;
        uint16_t runs[PF_WARPS]; /* executions by each warp since its CTA began */
    } load[PF_LOADS];
    /* statistics */
    uint64_t executions, indirect, uncoalesced, dist_full, bases_registered, bases_updated, percta_evictions,
        strides_found, percta_invalidated, dist_evictions;
    uint64_t verified, mispredicted, throttled, by_stride, by_leader;
};

int cap_init(void *st, const void *params, struct l1_host *, struct err *);
void cap_on_access(void *st, const struct l1_access *);
void cap_on_fill(void *st, const struct req *, uint32_t entry);
void cap_on_event(void *st, enum event, uint32_t slot, uint32_t argument);
void cap_on_kernel(void *st, uint32_t launch_index);
void cap_report_loads(const void *st, load_row *, void *ctx);
unsigned cap_cost(const struct cfg *, const void *params, struct policy_cost out[POLICY_COSTS]);
extern const struct cfg_field cap_param_fields[];
extern const struct stat_def cap_stats[];
extern const struct load_column cap_load_columns[];

/* The hooks of a policy whose state is a struct cap. */
#define CAP_HOOKS                                                                                                      \
    .state_bytes = sizeof(struct cap), .events = 1u << EVENT_CTA_START | 1u << EVENT_CTA_END, .init = cap_init,        \
    .on_access = cap_on_access, .on_fill = cap_on_fill, .on_event = cap_on_event, .on_kernel = cap_on_kernel
#define CAP_INFO                                                                                                       \
    .params = cap_param_fields, .params_bytes = sizeof(struct cap_params), .stats = cap_stats,                         \
    .load_columns = cap_load_columns, .report_loads = cap_report_loads, .cost = cap_cost, .published_mm2 = 0.018,      \
    .published_nm = 45, .published_area = "0.08% of an SM of 22 mm2 (section V-D)"

#endif
