/*
 * Shared by the prefetchers that track loads: it reassembles the lines of one warp instruction and counts by load.
 *
 * The L1 sees one request per line; stride prefetchers work on executions of a load by a warp. The lines of an
 * execution are collected by warp until all have been seen. An address is that of the first 32-byte segment touched in
 * the line, which is the resolution of the coalescers of the studies' machines: warps that read bytes are 32 apart.
 * Only loads of global memory count, and only the first PF_LINES lines of an execution are kept, because no prefetcher
 * here predicts loads with more.
 */
#ifndef WEIR_L1_PREFETCH_WATCH_H
#define WEIR_L1_PREFETCH_WATCH_H

#include "l1/policy.h"

enum { PF_LINES = 4, PF_LOADS = 64, PF_WARPS = 64 };

/* One execution of a load by a warp. */
struct pf_exec {
    uint32_t pc;
    uint16_t warp, cta;      /* slots */
    uint32_t n;              /* lines; may be more than PF_LINES */
    uint64_t addr[PF_LINES]; /* of each line: its first 32-byte segment that is touched */
    uint64_t byte;           /* address of the first lane's access */
    bool indirect;           /* the address depends on loaded data */
};

/* The counters of each load, for the first PF_LOADS loads of a kernel. */
struct pf_load {
    uint32_t pc;
    uint64_t executions; /* by warps */
    uint64_t asked;      /* lines */
    uint64_t used;       /* loads that were the first to use a prefetched line */
};

struct pf_tracker {
    struct l1_host *host;
    struct {
        struct pf_exec x;
        uint32_t seen;
    } part[PF_WARPS];
    struct pf_load load[PF_LOADS];
    uint32_t n_load;
};

void pf_tracker_init(struct pf_tracker *, struct l1_host *);
void pf_tracker_kernel(struct pf_tracker *); /* another kernel: other loads */
/* Sees a line request. The execution it completes, or NULL; valid until the warp's next request. */
const struct pf_exec *pf_tracker_line(struct pf_tracker *, const struct l1_access *);
/* The load's counters; NULL when there are too many loads. */
struct pf_load *pf_tracker_load(struct pf_tracker *, uint32_t pc);
/* Prefetches a line on behalf of a load, for a warp of a CTA (slots). */
void pf_prefetch(struct pf_tracker *, uint64_t addr, uint32_t pc, uint32_t warp, uint32_t cta);
/* Prefetches the lines of an execution, all shifted by `bytes`. */
void pf_prefetch_shifted(struct pf_tracker *, const struct pf_exec *, int64_t bytes, uint32_t warp, uint32_t cta);

/* ---- reports ---- */
#define PF_COLUMNS                                                                                                     \
    {"executions", "runs", "warps", LOAD_SUM, "executions of the load by warps", NULL, false},                         \
        {"requested", "requested", "lines", LOAD_SUM, "lines prefetched on behalf of the load", NULL, false},          \
    {                                                                                                                  \
        "used", "used", "lines", LOAD_SUM, "prefetched lines that the load was the first to use", "requested", false   \
    }
enum { PF_COLUMN_COUNT = 3 };
void pf_columns(const struct pf_load *, struct load_value *out);
extern const struct load_column pf_load_columns[];
/* report_loads of a policy whose state begins with a struct pf_tracker, with pf_load_columns. */
void pf_report_loads(const void *st, load_row *row, void *ctx);

#endif
