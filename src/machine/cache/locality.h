/*
 * What kind of reuse each load of a program has, seen by caches that never have to evict.
 *
 * The classifier is fed with warp loads in the order in which they reach their SM's L1 (the caller determines
 * that order: a running machine, or a walk over a recording) and keeps, per SM, an L1 of infinite size next to
 * one of real size. APCM (Koo et al., ISCA 2017), section 3, defines what it tells:
 *
 *   locality type      of a line, from the accesses it got (Table 2); of a load, the types of the lines it brought in
 *   access count       how often a line was used while it was in the cache, finite (16 KB) and infinite (Figure 4)
 *   reuse distance     accesses to the SM's L1 from one use of a line to the next, by the line's type (Figure 6)
 *   similarity (APS)   how far each load sticks to one type: equation 1
 *
 * and beside it the coalescing degree, the inter-core replication ratio of Shared L1 (Ibrahim et al., PACT 2020,
 * section 2: misses whose line another L1 holds) and how often a warp repeats a load (CAPS, IPDPS 2018, Figure 4).
 *
 * A launch starts with empty caches, as in the machine. Stores and atomics are not fed: only what loads bring in is
 * asked about, and a store neither takes a line away nor counts as a use of it.
 *
 * Cost: about 50 bytes per line and SM, for one launch; nothing is allocated per access. One classifier belongs to one
 * thread at a time.
 */
#ifndef WEIR_CACHE_LOCALITY_H
#define WEIR_CACHE_LOCALITY_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* APCM Table 2: N uses of a line, M of them by the warp that brought it in. X(enumerator, name, N and M) */
#define LOCALITY_TYPES(X)                                                                                              \
    X(STREAMING, "streaming", "N = 1")                                                                                 \
    X(INTER, "inter-warp", "N > 1, M = 1")                                                                             \
    X(INTRA, "intra-warp", "N > 1, M = N")                                                                             \
    X(BOTH, "inter+intra", "N > 1, 1 < M < N")

enum locality_type {
#define X(name, text, doc) LOCALITY_##name,
    LOCALITY_TYPES(X)
#undef X
        LOCALITY_TYPE_COUNT
};
extern const char *const locality_type_name[LOCALITY_TYPE_COUNT];

/* Access counts: bin 0 = 1, 1 = 2, 2 = 3-4, 3 = 5-8, 4 = 9-16, 5 = 17-32, 6 = 33-64, 7 = more. */
#define LOCALITY_COUNT_BINS 8
extern const char *const locality_count_name[LOCALITY_COUNT_BINS];
/* Reuse distances: bin b = 2^b .. 2^(b+1) - 1 accesses; the last has no upper end. 1 = the very next access. */
#define LOCALITY_DISTANCE_BINS 24

/* What is known of one static load; sums of them describe a kernel or a program. */
struct locality_load {
    uint64_t executions;                 /* warp instructions with at least one active lane */
    uint64_t lanes, accesses;            /* active lanes; lines they touched: accesses to the L1 */
    uint64_t warps;                      /* warps that executed it at least once (in each launch) */
    uint64_t repeats;                    /* executions after a warp's first */
    uint64_t line[LOCALITY_TYPE_COUNT];  /* lines it brought into the infinite L1s, by the reuse they saw */
    uint64_t used[LOCALITY_TYPE_COUNT];  /* accesses that those lines got, from any load */
    uint64_t replicated;                 /* of its lines: another SM's infinite L1 had them */
    uint64_t count[LOCALITY_COUNT_BINS]; /* lines by their access count */
    uint64_t distance[LOCALITY_TYPE_COUNT][LOCALITY_DISTANCE_BINS]; /* uses of its lines after the first */
    /* the L1 of real size */
    uint64_t finite_misses, finite_replicated;
    uint64_t finite_count[LOCALITY_COUNT_BINS]; /* lines it brought in, by access count when evicted or at the end */
    uint64_t untracked; /* accesses beyond max_lines: in `accesses`, in nothing that follows it but the finite L1 */
};

struct locality_config {
    uint32_t n_sm;                     /* 1 .. 65535 */
    uint32_t finite_bytes, finite_way; /* 0, 0 = 16 KiB in 4 ways; 128-byte lines, Fermi's set hash */
    uint32_t max_lines;                /* lines (of all SMs) remembered in one launch; 0 = 16 Mi, about 1 GB */
};

struct locality;
struct locality *locality_new(const struct locality_config *, struct err *); /* NULL: *e says what is wrong */
void locality_free(struct locality *);                                       /* NULL is allowed */

/*
 * A launch of kernel `kernel` (numbered from 0; any order) whose loads are numbered below `n_load`: mem_index of
 * trace/kernel.h serves. Launches do not overlap.
 */
void locality_launch_begin(struct locality *, uint32_t kernel, uint32_t n_load);
/*
 * One warp load. `warp`: number of the warp in its launch (cta * warps_per_cta + warp of the CTA), never reused within
 * the launch; `line`: the n distinct line numbers (address / 128) it touches, in the order of the requests.
 */
void locality_access(struct locality *, uint32_t sm, uint32_t warp, uint32_t load, uint32_t lanes, const uint64_t *line,
                     unsigned n);
/* Only now is the type of the launch's lines known and added to their loads. */
void locality_launch_end(struct locality *);

/* ---- results; complete after launch_end, valid until the next launch_begin ---- */
uint32_t locality_n_kernels(const struct locality *); /* highest kernel number seen + 1 */
/* The loads of one kernel, all launches together; those never executed are all zero. */
const struct locality_load *locality_loads(const struct locality *, uint32_t kernel, uint32_t *n_load);
/* Adds x to *sum. */
void locality_add(struct locality_load *sum, const struct locality_load *x);
/* The sum over one kernel's loads, or with UINT32_MAX over the program. */
struct locality_load locality_sum(const struct locality *, uint32_t kernel);

/* Equation 1 over the loads of one kernel, or with UINT32_MAX over all loads of the program; 0 without lines. */
double locality_aps(const struct locality *, uint32_t kernel);
/* The type most of a load's lines have: what APCM's detector should find. STREAMING without lines. */
enum locality_type locality_dominant(const struct locality_load *);

static inline uint64_t locality_lines(const struct locality_load *l)
{
    uint64_t n = 0;
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        n += l->line[t];
    return n;
}
/* Mean executions of the load in a warp that executes it at all. */
static inline double locality_iterations(const struct locality_load *l)
{
    return l->warps ? (double)l->executions / (double)l->warps : 0;
}

#endif
