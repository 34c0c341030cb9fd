/*
 * The progress of a simulation, and Ctrl-C as a polite request to stop. On a terminal it is one line that is written
 * anew; elsewhere (a log, a batch job) a line now and then, the first after ten seconds, then each half minute.
 */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct progress {
    uint64_t total; /* warp instructions; 0 = not known */
    struct timespec start, shown;
    bool terminal, printed;
    double interval_s; /* no terminal: until the next line */
    struct sigaction before;
};

void progress_begin(struct progress *, uint64_t total_warp_insts);
/* Seconds between two lines where the output is no terminal; 0 = none. For all that begin later. */
void progress_set_interval(double seconds);
/* As gpu_opts.poll, with a struct progress as its context. */
int progress_poll(void *progress, uint64_t cycle, uint64_t warp_insts);
/* The same for a sweep, whose total is that of all its points: points done and failed, instructions of all. */
void progress_points(struct progress *, size_t done, size_t failed, size_t points, uint64_t warp_insts);
/* Both for a struct pool (lab/pool.h) whose context is a struct progress: its show and its stop. */
struct pool_progress;
void progress_pool(void *progress, const struct pool_progress *);
bool progress_stop(void *progress);
bool progress_interrupted(void); /* Ctrl-C since progress_begin */
/* Steps that are counted, not measured: "recording bfs (3 of 20)". Leaves Ctrl-C to whoever has begun. */
void progress_steps_begin(struct progress *);
void progress_step(struct progress *, const char *what, const char *name, size_t done, size_t all);
void progress_steps_end(struct progress *);
double progress_end(struct progress *); /* seconds since the beginning; removes the line */

#endif
