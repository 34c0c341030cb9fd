/*
 * The tables of Access Pattern-aware Cache Management (Koo, Oh, Ro, Annavaram: "Access Pattern-Aware Cache Management
 * for Improving Data Utilization in GPU", ISCA 2017), and their rules. docs/papers/apcm.md goes through the paper's
 * section 5 sentence by sentence.
 *
 * LAT, load alias table (5.1): pc -> load id, for the first loads of a kernel.
 * MTA, monitor tag array (5.1): lines of the monitored warp, with counts of its own and of all warps' accesses.
 * CAIT, cache access information table (5.1): per load id, its type and what to do with it.
 * PSB, protection status board (5.2): per warp, whether the lines that it pinned are still protected.
 * Additional tag fields (5.1, 5.2): per L1 line, accesses, protection, warp.
 *
 * The functions here (tables.c) do not depend on the cache, so that each table's rule can be tested by itself;
 * apcm.c connects them to the L1's hooks. Members after "observed" are for reports and affect no decision.
 */
#ifndef WEIR_L1_APCM_H
#define WEIR_L1_APCM_H

#include "l1/policy.h"

enum { APCM_LOADS_MAX = 64, APCM_MTA_MAX = 1024, APCM_WARPS_MAX = 64 };
#define APCM_NONE 0xff /* no load id */

enum apcm_mode { APCM_BOTH, APCM_BYPASS_ONLY, APCM_PROTECT_ONLY };
#define APCM_MODES "both bypass protect"
enum apcm_monitored { APCM_MONITOR_FIRST, APCM_MONITOR_SLOT };
#define APCM_MONITORED "first-load slot-0"

enum apcm_inherit_counts { APCM_COUNTS_ALL, APCM_COUNTS_OTHERS, APCM_COUNTS_NONE };
#define APCM_INHERIT_COUNTS "all others none"
enum apcm_lifetime { APCM_KEEP_LAUNCH, APCM_KEEP_KERNEL };
#define APCM_LIFETIMES "launch kernel"

struct apcm_params {
    uint32_t mode; /* enum apcm_mode */
    uint32_t load_entries;
    uint32_t mta_entries, mta_assoc, mta_requests;
    uint32_t count_bits, threshold;
    uint32_t monitored_warp; /* enum apcm_monitored */
    uint32_t protect_distance;
    uint32_t inherit_counts;    /* enum apcm_inherit_counts */
    uint32_t decision_lifetime; /* enum apcm_lifetime */
    bool replace_own;
};

/* ---- types and methods: Table 2 and section 5.1 ---- */
enum apcm_type { APCM_STREAMING, APCM_INTER, APCM_INTRA, APCM_MIXED, APCM_TYPES };
enum apcm_method { APCM_NORMAL, APCM_BYPASS, APCM_PROTECT, APCM_METHODS };
extern const char *const apcm_type_name[APCM_TYPES], *const apcm_method_name[APCM_METHODS];

/* Table 2: the type of a line from all its accesses and those of the warp that fetched it. */
enum apcm_type apcm_classify(uint32_t accesses, uint32_t own);
enum apcm_method apcm_method_of(enum apcm_type);

/* ---- load alias table ---- */
struct apcm_lat {
    uint32_t pc[APCM_LOADS_MAX], of[APCM_LOADS_MAX]; /* an entry's pc, and the kernel it belongs to */
    uint32_t kernel;                                 /* the one that runs */
    uint32_t n, cap;
    uint64_t given; /* ids given to new loads so far */
};
/*
 * The id of a load of the current kernel. A new load gets the next id while there is room, then that of another
 * kernel's load. APCM_NONE: the table is full of this kernel's loads.
 */
uint8_t apcm_lat_id(struct apcm_lat *, uint32_t pc);

/* ---- monitor tag array ---- */
struct apcm_mta_entry {
    uint64_t line;
    uint64_t used; /* stamp, for replacement among ways */
    uint16_t accesses, own;
    uint8_t first, last; /* load ids; last = APCM_NONE until the tag is hit */
    bool valid;
};
struct apcm_mta {
    struct apcm_mta_entry e[APCM_MTA_MAX];
    uint64_t stamp;
    uint32_t sets, ways, max; /* max: where the counts stop */
};
struct apcm_mta_entry *apcm_mta_find(struct apcm_mta *, uint64_t line);
/* A request hits: `own` = it is of the monitored warp, made by load `id`. */
void apcm_mta_hit(struct apcm_mta *, struct apcm_mta_entry *, bool own, uint8_t id);
/* The entry for a line: empty, or the least recently used of its set. The caller handles its old contents first. */
struct apcm_mta_entry *apcm_mta_place(struct apcm_mta *, uint64_t line);
/* `accesses`: 1, or the L1 tag's count when the L1 has the line. */
void apcm_mta_fill(struct apcm_mta *, struct apcm_mta_entry *, uint64_t line, uint8_t id, uint32_t accesses);

/* ---- cache access information table ---- */
struct apcm_cait_entry {
    bool valid;
    uint8_t method; /* enum apcm_method */
    uint8_t last;   /* load id of the last access; the entry's own id when the line was used by this load alone */
    uint16_t accesses;
    /* observed */
    uint8_t type, first_type;
    uint16_t own;
    uint32_t writes;
    uint64_t decided_at, changed_at; /* core cycles: first valid, last change of the method */
};
/* Transfers an MTA entry to the CAIT entry of its first load, unless that has a larger count. True: it did. */
bool apcm_cait_update(struct apcm_cait_entry *cait, const struct apcm_mta_entry *, uint64_t now);

/* ---- protection status board ---- */
struct apcm_psb_entry {
    bool set;
    bool loop;    /* released when the warp leaves loop `loop_id`, not by a load */
    uint8_t last; /* the load whose execution releases it */
    uint16_t loop_id;
    uint64_t since; /* observed */
};
/* Whether a load whose CAIT entry names `last` may pin lines for the warp: the board is free, or holds this protection.
 */
static inline bool apcm_psb_admits(const struct apcm_psb_entry *p, uint8_t id, uint8_t last)
{
    return !p->set || (p->last == last && p->loop == (last == id));
}

/* ---- additional fields of an L1 tag (Figure 9a) ---- */
struct apcm_line {
    uint64_t line;  /* the line these fields belong to: line number + 1; 0 = none */
    uint64_t until; /* APCM-pN only: protected until the cache has seen so many accesses */
    uint16_t accesses;
    uint8_t warp; /* the warp that fetched it and, if it is pinned, protects it */
    uint8_t load; /* observed: which load pinned it */
    bool pinned;
};

/* ---- the policy's state in one L1 ---- */
enum { APCM_HELD_BOUNDS = 4 };
struct apcm_stats {
    uint64_t accesses, untracked, undecided, by_method[APCM_METHODS], bypasses;
    uint64_t loads, monitored;
    uint64_t mta_own_hits, mta_other_hits, mta_fills, mta_from_l1, mta_dropped, mta_conflicts;
    uint64_t update_conflict, update_threshold, update_exit, update_superseded, classified[APCM_TYPES];
    uint64_t hits, pinned, pinned_hits, skipped, all_protected, expired;
    uint64_t psb_set, psb_by_load, psb_by_loop, psb_by_exit, psb_cycles;
    uint64_t psb_duration[APCM_HELD_BOUNDS + 1];
};
struct apcm {
    struct apcm_params p;
    struct l1_host *host;
    struct apcm_line *line; /* by entry of the L1's tags */
    struct apcm_lat lat;
    struct apcm_mta mta;
    struct apcm_cait_entry cait[APCM_LOADS_MAX];
    struct apcm_psb_entry psb[APCM_WARPS_MAX];
    int monitored; /* warp slot, or one of the two below */
    uint64_t seen; /* APCM-pN only: accesses of the cache */
    /* observed */
    uint64_t kernel_start; /* core cycle */
    struct apcm_load {
        uint64_t accesses, bypassed, pinned, pinned_hits, all_protected;
    } load[APCM_LOADS_MAX];
    struct apcm_stats s;
};
#define APCM_NOT_YET (-1) /* no warp is monitored yet */
#define APCM_OVER    (-2) /* the monitored warp has ended */

/* ---- storage (Table 3) ---- */
struct apcm_geometry {
    uint32_t lines, warps, line_bytes, address_bits;
};
/* Bits of every structure of one SM, in the order of Table 3, beside the paper's. Returns the number of rows. */
unsigned apcm_storage(const struct apcm_params *, const struct apcm_geometry *, struct policy_cost out[POLICY_COSTS]);
/* The same for a whole configuration: policy_info.cost. */
unsigned apcm_cost(const struct cfg *, const void *params, struct policy_cost out[POLICY_COSTS]);

#endif
