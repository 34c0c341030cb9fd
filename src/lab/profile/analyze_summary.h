/*
 * What an analysis tells, as numbers and as a JSON document: shares, means and rankings computed from the counters of
 * cache/locality.h. docs/analyze.md explains each.
 */
#ifndef WEIR_PROFILE_ANALYZE_SUMMARY_H
#define WEIR_PROFILE_ANALYZE_SUMMARY_H

#include "base/mem.h"
#include "profile/analyze.h"

#define ANALYZE_SCHEMA "weir-locality-1"

struct analyze_load {
    const struct trace_kernel *kernel;
    uint32_t kernel_index, pc;
    const struct locality_load *counters;
};

struct analyze_summary {
    struct locality_load sum;      /* over all loads */
    VEC(struct analyze_load) load; /* executed ones, most accesses to the L1 first */
    double aps;
    double by_lines[LOCALITY_TYPE_COUNT];    /* shares of the lines, by type: APCM Figure 3 */
    double by_accesses[LOCALITY_TYPE_COUNT]; /* shares of the accesses that those lines got */
    double lines_per_load, lanes_per_load;
    double miss_rate, finite_miss_rate;     /* misses / accesses */
    double replication, finite_replication; /* misses whose line another L1 has / misses */
    /* CAPS Figure 4 */
    double iterations;           /* mean of the (up to) four loads that a warp executes most often */
    uint32_t n_repeated, n_loop; /* loads some warp executed more than once; loads inside loops of the code */
};

/* Points into the analysis and the file. */
void analyze_summarize(const struct analysis *, const struct trace_file *, struct analyze_summary *);
void analyze_summary_free(struct analyze_summary *);

/*
 * The distance that a share `q` (0..1) of the reuses of lines of this type stays below, as the power of two at the top
 * of its bin; 0 when there are none.
 */
uint64_t analyze_distance(const struct locality_load *, enum locality_type, double q);

/* The load's place in the source, for people: "bfs.cu:45", or "ptx:12" without source lines; and its opcode. */
void analyze_load_place(const struct analyze_load *, char *out, size_t bytes);
const char *analyze_load_opcode(const struct analyze_load *);

/* The document of docs/analyze.md; the caller owns it. `name`: of the program, `machine`: as given. */
struct json_t *analyze_json(const struct analysis *, const struct analyze_summary *, const char *name,
                            const char *machine);
/* The same without the loads: one entry of a suite's document. */
struct json_t *analyze_json_brief(const struct analysis *, const struct analyze_summary *, const char *name);

#endif
