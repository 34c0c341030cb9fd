/*
 * weir's kernels beside a board's: which launches belong together, by how much they differ, how they correlate.
 *
 * Names are compared without namespaces, template arguments and parameters, because the board's are demangled and
 * weir's are not; several instances of a template are distinguished by the order in which they are first launched. Of each
 * kernel the first launches are compared, as many as both sides have, and their values are added.
 */
#ifndef WEIR_PROFILE_CORRELATE_H
#define WEIR_PROFILE_CORRELATE_H

#include "profile/hw_counters.h"

/* A run's statistics: the file that --json wrote. */
struct run_launch {
    char *kernel;
    double value[BOARD_METRICS]; /* by index in ncu_metrics */
};
struct run {
    char *program; /* the file's name without folder and .json */
    VEC(struct run_launch) launch;
};
int run_read(struct run *, const char *path, struct err *);
void run_free(struct run *);

struct pair {
    const char *program, *kernel;
    unsigned launches;
    double board[BOARD_METRICS], weir[BOARD_METRICS]; /* sums */
};
struct correlation {
    VEC(struct pair) pair;
    VEC(const char *) unmatched; /* kernels of the board that no run has */
};
void correlate(struct correlation *, const struct hw_counters *, const struct run *, size_t n_run);
void correlation_free(struct correlation *);

/* A rate of hits, from 0 to 1; NAN where there are none to count. `board`: of the board's counts, else weir's. */
double pair_l1_hit(const struct pair *, bool board);
double pair_l2_hit(const struct pair *, bool board);
double pair_dram_bytes(const struct pair *, bool board);
double pair_cycles(const struct pair *, bool board);
/* The kernels of a program as one. */
struct pair pair_sum(const struct correlation *, const char *program);

/* Over a set of pairs. Each rate counts pairs for which both sides have it. */
struct correlation_summary {
    unsigned n, n_l1, n_l2, n_dram; /* dram: where the board moves more than 1 MB */
    double error, factor, r;     /* cycles: mean of |weir/board - 1|, exp of the mean |ln|, correlation of logarithms */
    double l1_points, l2_points; /* mean difference of hit rates, in percentage points */
    unsigned l1_within_5, dram_within_10;
    /* sums that the above follow from */
    double sum_abs_log, x, y, xx, yy, xy;
};
void summary_add(struct correlation_summary *, const struct pair *);
void summary_finish(struct correlation_summary *);

/* The rule that sets programs aside for judging: half of all names, by the lowest bit of their FNV-1a hash. */
bool held_out(const char *program);

#endif
