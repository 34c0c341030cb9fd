/* Results as a JSON document, a screen of text, and under the names that users of GPGPU-Sim and Nsight Compute know. */
#ifndef WEIR_GPU_RESULT_H
#define WEIR_GPU_RESULT_H

#include "engine/stats.h"
#include "gpu/gpu.h"

#define RESULT_SCHEMA "weir-stats-1"

/*
 * Writes the document described in docs/statistics.md to `path` ("-" = stdout). `command`: the program and its
 * arguments, for the member "provenance". Its date is today's, or that of SOURCE_DATE_EPOCH where it is set, so that
 * two runs can be compared byte by byte.
 */
int result_write_json(struct gpu *, bool complete, const char *command, const char *path, struct err *);
/* The members "total", "loads" and, where there are any, "timelines" alone, in few bytes; owned by the caller. What
 * sweeps keep. */
char *result_brief_json(struct gpu *);
/* About one screen. `host_s`: seconds the run took, for the rate; 0 = leave it out. */
void result_print_summary(struct gpu *, bool complete, double host_s, FILE *);
/* A line per static load: what the policies tell about it, beside the program's line. Kernels with none are left out.
 */
void result_print_loads(struct gpu *, FILE *);
/* "gpu_sim_cycle = 85482" and so on. */
void result_print_gpgpusim(struct gpu *, FILE *);

/* A launch after another, its statistics under the names of Nsight Compute. */
void result_print_ncu(struct gpu *, FILE *);

/* For `weir explain`: every statistic there is, whatever the machine. */
struct stat_doc {
    const char *name, *unit, *doc;
    enum stat_kind kind;
    const struct stat_def *def; /* NULL: of energy, computed after a run */
};
int result_each_stat(void (*fn)(void *ctx, const struct stat_doc *), void *ctx, struct err *);

#endif
