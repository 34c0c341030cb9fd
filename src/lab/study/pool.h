/*
 * Runs many points at once, each in a process of its own: a point that crashes, deadlocks or runs out of memory costs
 * only itself, and its memory goes back to the system. Each finished point is put into the store at once. The order in
 * which points finish changes nothing: they do not know of each other.
 */
#ifndef WEIR_STUDY_POOL_H
#define WEIR_STUDY_POOL_H

#include "study/point.h"
#include "study/store.h"

struct pool_progress {
    size_t done, failed, total;
    uint64_t insts_done, insts_total; /* warp instructions, what is running included */
    double seconds;                   /* since this pool_run began */
};

struct slurm;

struct pool {
    struct slurm *slurm; /* the cluster that runs them (slurm.h); NULL = processes of this computer */
    struct store *store; /* NULL = results are only kept in the points */
    const char *size;    /* for the store's readers */
    const char *pages;   /* the folder for a profile of each point, as point_page_name calls it; NULL = none is made */
    unsigned jobs;
    unsigned threads; /* of a point that begins when fewer than `jobs` are left, at most; 0 = 1 */
    bool no_run;      /* only what the store has */
    void (*show)(void *ctx, const struct pool_progress *); /* about four times a second; NULL = never */
    bool (*stop)(void *ctx);                               /* asked as often; true: end what runs and return */
    void *ctx;
    size_t simulated, reused, failed; /* counted over all calls */
};

/*
 * Gives each point its result, or its failure in words. 0; 1 = stopped, what was finished is stored; -1 = *e: the store
 * cannot be written or no process can be started.
 */
int pool_run(struct pool *, struct point **, size_t n, struct err *);
/* Puts a result into the store; for engines. */
int pool_keep(struct pool *, struct point *, const char *document, struct err *);

#endif
