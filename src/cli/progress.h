/* The progress line of a simulation on a terminal, and Ctrl-C as a polite request to stop. */
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
    struct sigaction before;
};

void progress_begin(struct progress *, uint64_t total_warp_insts);
/* As gpu_opts.poll, with a struct progress as its context. */
int progress_poll(void *progress, uint64_t cycle, uint64_t warp_insts);
/* The same for a sweep, whose total is that of all its points: points done and failed, instructions of all. */
void progress_points(struct progress *, size_t done, size_t failed, size_t points, uint64_t warp_insts);
/* Both for a struct pool (lab/pool.h) whose context is a struct progress: its show and its stop. */
struct pool_progress;
void progress_pool(void *progress, const struct pool_progress *);
bool progress_stop(void *progress);
bool progress_interrupted(void);        /* Ctrl-C since progress_begin */
double progress_end(struct progress *); /* seconds since the beginning; removes the line */

#endif
