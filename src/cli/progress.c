/* Progress line and interruption; see progress.h. */
#include "cli/progress.h"

#include "lab/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    (void)sig;
    interrupted = 1;
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
}

enum { FIRST_LINE_S = 10, NEXT_LINE_S = 30 };
static double interval_s = NEXT_LINE_S;

void progress_set_interval(double seconds)
{
    interval_s = seconds;
}

void progress_steps_begin(struct progress *p)
{
    memset(p, 0, sizeof *p);
    p->terminal = isatty(STDERR_FILENO);
    p->interval_s = interval_s < FIRST_LINE_S ? interval_s : FIRST_LINE_S;
    clock_gettime(CLOCK_MONOTONIC, &p->start);
    p->shown = p->start;
}

void progress_begin(struct progress *p, uint64_t total)
{
    progress_steps_begin(p);
    p->total = total;
    interrupted = 0;
    /* SA_RESETHAND: a second Ctrl-C ends the program at once. */
    struct sigaction sa = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &sa, &p->before);
}

/* Begins the line when it is time for it. */
static bool is_time(struct progress *p, struct timespec *now)
{
    clock_gettime(CLOCK_MONOTONIC, now);
    if ((!p->terminal && interval_s <= 0) || seconds_between(&p->shown, now) < (p->terminal ? 0.25 : p->interval_s))
        return false;
    p->shown = *now;
    p->printed = p->terminal;
    p->interval_s = interval_s;
    fputs(p->terminal ? "\r\033[K" : "weir: ", stderr);
    return true;
}

/* The rate in warp instructions per second, or -1 while it is not time for a line. */
static double begin_line(struct progress *p, uint64_t warp_insts)
{
    struct timespec now;
    if (!is_time(p, &now))
        return -1;
    double s = seconds_between(&p->start, &now);
    return s > 0 ? (double)warp_insts / s : 0;
}

void progress_step(struct progress *p, const char *what, const char *name, size_t done, size_t all)
{
    struct timespec now;
    if (!is_time(p, &now))
        return;
    fprintf(stderr, "%s %s (%zu of %zu)%s", what, name, done + 1, all, p->terminal ? "" : "\n");
    fflush(stderr);
}

void progress_steps_end(struct progress *p)
{
    if (p->printed)
        fputs("\r\033[K", stderr);
}

static void end_line(const struct progress *p, double rate, uint64_t warp_insts)
{
    fprintf(stderr, "%.2f M warp instructions/s", rate / 1e6);
    if (p->total && rate > 0) {
        double left = warp_insts < p->total ? (double)(p->total - warp_insts) / rate : 0;
        fprintf(stderr, ", %.0f%%, %d:%02d left", 100.0 * (double)warp_insts / (double)p->total, (int)left / 60,
                (int)left % 60);
    }
    if (!p->terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

int progress_poll(void *ctx, uint64_t cycle, uint64_t warp_insts)
{
    struct progress *p = ctx;
    if (interrupted)
        return 1;
    double rate = begin_line(p, warp_insts);
    if (rate >= 0) {
        fprintf(stderr, "cycle %" PRIu64 ", ", cycle);
        end_line(p, rate, warp_insts);
    }
    return 0;
}

void progress_points(struct progress *p, size_t done, size_t failed, size_t points, uint64_t warp_insts)
{
    double rate = begin_line(p, warp_insts);
    if (rate < 0)
        return;
    fprintf(stderr, "%zu of %zu simulations, ", done, points);
    if (failed)
        fprintf(stderr, "%zu failed, ", failed);
    end_line(p, rate, warp_insts);
}

bool progress_interrupted(void)
{
    return interrupted;
}

void progress_pool(void *ctx, const struct pool_progress *p)
{
    struct progress *line = ctx;
    line->total = p->insts_total;
    progress_points(line, p->done, p->failed, p->total, p->insts_done);
}

bool progress_stop(void *ctx)
{
    (void)ctx;
    return progress_interrupted();
}

double progress_end(struct progress *p)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (p->printed)
        fputs("\r\033[K", stderr);
    sigaction(SIGINT, &p->before, NULL);
    return seconds_between(&p->start, &now);
}
