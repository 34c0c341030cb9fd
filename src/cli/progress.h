/*
 * The progress of a long command, and Ctrl-C as a polite request to stop. On a terminal it is one line that is written
 * anew; elsewhere (a log, a batch job, a terminal that cannot go back) a line now and then, the first after ten
 * seconds, then each half minute, or as --progress says.
 */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include "cli/cli.h"

#include <signal.h>
#include <stdint.h>

struct progress {
    uint64_t total; /* warp instructions; 0 = not known */
    uint64_t start_ns, shown_ns;
    bool terminal, printed, quiet; /* quiet: no line at all */
    double interval_s;             /* no terminal: until the next line */
    struct sigaction before;
};

/* The option --progress; fills nothing. */
extern const struct cli_syntax progress_syntax;
/* Its value, for a weir that is started to do a part. */
double progress_interval(void);

void progress_begin(struct progress *, uint64_t total_warp_insts);
/* As gpu_opts.poll, with a struct progress as its context. Cycle 0: there is no time. */
int progress_poll(void *progress, uint64_t cycle, uint64_t warp_insts);
/* A program that runs in another process: warp instructions executed and, where there is timing, the machine's. */
void progress_program(struct progress *, uint64_t executed, uint64_t cycle, uint64_t timed);
/* Both for a struct pool (study/pool.h) whose context is a struct progress: its show and its stop. */
struct pool_progress;
void progress_pool(void *progress, const struct pool_progress *);
bool progress_stop(void *progress);
bool progress_interrupted(void);        /* Ctrl-C since progress_begin */
double progress_end(struct progress *); /* seconds since the beginning; removes the line */

/* Things that are counted, not measured: "recording: 3 of 20 done, about 0:40 left; bfs". `now` says what is at work.
 * Leaves Ctrl-C to the caller. */
void progress_count_begin(struct progress *);
void progress_count(struct progress *, const char *doing, size_t done, size_t all, const char *now);
/* Removes the line, before something else is printed or at the end. */
void progress_clear(struct progress *);

/* While on, a wait for other processes is interrupted (EINTR) a few times a second, so that a line can be shown. */
void progress_ticks(bool on);

#endif
