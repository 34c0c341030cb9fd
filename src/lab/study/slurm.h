/*
 * Points on a cluster: Slurm as the engine of a pool (pool.h) in place of processes of this computer.
 *
 * All points that are wanted become one array job. A folder that every node sees (by default in the cache folder) holds
 * their description (points.json); task i simulates points i, i + tasks, ... and leaves each result there as a file
 * that appears when it is whole, or the words of a failure. The pool collects them into the store as they come. A task
 * that ends without having done its part (its node failed, it was canceled, its time was up) is submitted again,
 * alone, a few times. Ctrl-C cancels the job; what was collected is kept.
 *
 * Left out: clusters without a common file system, and nodes with another weir, which the tasks refuse.
 */
#ifndef WEIR_STUDY_SLURM_H
#define WEIR_STUDY_SLURM_H

#include "study/pool.h"

struct slurm {
    const char *weir;    /* the program that tasks run */
    const char *folder;  /* where job folders are made */
    const char *options; /* for sbatch, separated by blanks; NULL = none */
    unsigned retries;    /* how often a failed task is submitted again */
    size_t resubmitted;  /* tasks, counted over all calls */
};

/* Whether there is a Slurm to submit to. */
int slurm_check(struct err *);
/* As pool_run, for points that are not settled. */
int slurm_run(struct pool *, struct point **, size_t n, struct err *);
/* Inside a task: does its part of the job whose folder this is. `task`: SLURM_ARRAY_TASK_ID. */
int slurm_task(const char *folder, unsigned task, struct err *);

#endif
