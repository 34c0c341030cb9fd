/* Progress line and interruption; see progress.h. */
#include "cli/progress.h"

#include "base/clock.h"
#include "study/pool.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    (void)sig;
    interrupted = 1;
}

enum { FIRST_LINE_S = 10, NEXT_LINE_S = 30 };
static double interval_s = NEXT_LINE_S;

/* One that can write a line anew. */
static bool is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

void progress_count_begin(struct progress *p)
{
    memset(p, 0, sizeof *p);
    p->terminal = is_terminal();
    p->interval_s = interval_s < FIRST_LINE_S ? interval_s : FIRST_LINE_S;
    p->start_ns = p->shown_ns = clock_ns();
}

void progress_begin(struct progress *p, uint64_t total)
{
    progress_count_begin(p);
    p->total = total;
    interrupted = 0;
    /* SA_RESETHAND: a second Ctrl-C ends the program at once. */
    struct sigaction sa = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &sa, &p->before);
}

/* Seconds since the beginning, or -1 while it is not time for a line. */
static double due(struct progress *p)
{
    if (p->quiet || (!p->terminal && interval_s <= 0) ||
        clock_seconds_since(p->shown_ns) < (p->terminal ? 0.25 : p->interval_s))
        return -1;
    p->shown_ns = clock_ns();
    p->interval_s = interval_s;
    return clock_seconds_since(p->start_ns);
}

/* A line that would wrap could not be written anew: a narrow terminal shows its beginning. */
static void put_line(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_line(struct progress *p, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    struct winsize size = {0};
    if (p->terminal && !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 && size.ws_col <= sizeof text)
        text[size.ws_col - 1] = 0;
    fprintf(stderr, p->terminal ? "\r\033[K%s" : "weir: %s\n", text);
    fflush(stderr);
    p->printed = p->terminal;
}

static int minutes(double seconds)
{
    return (int)seconds / 60;
}
static int rest(double seconds)
{
    return (int)seconds % 60;
}

void progress_count(struct progress *p, const char *doing, size_t done, size_t all, const char *now)
{
    const double s = due(p);
    if (s < 0)
        return;
    char left[48] = "";
    if (done && done < all) {
        const double more = s / (double)done * (double)(all - done);
        snprintf(left, sizeof left, ", about %d:%02d left", minutes(more), rest(more));
    }
    put_line(p, "%s: %zu of %zu done%s%s%s", doing, done, all, left, now && *now ? "; " : "", now ? now : "");
}

void progress_clear(struct progress *p)
{
    if (p->printed)
        fputs("\r\033[K", stderr);
    p->printed = false;
}

/* "0.52 M warp instructions/s, 40%, 1:20 left" */
static void rate_text(const struct progress *p, double seconds, uint64_t warp_insts, char out[96])
{
    const double rate = seconds > 0 ? (double)warp_insts / seconds : 0;
    int n = snprintf(out, 96, "%.2f M warp instructions/s", rate / 1e6);
    if (p->total && rate > 0) {
        const double left = warp_insts < p->total ? (double)(p->total - warp_insts) / rate : 0;
        snprintf(out + n, 96 - (size_t)n, ", %.0f%%, %d:%02d left", 100.0 * (double)warp_insts / (double)p->total,
                 minutes(left), rest(left));
    }
}

int progress_poll(void *ctx, uint64_t cycle, uint64_t warp_insts)
{
    struct progress *p = ctx;
    char rate[96];
    if (interrupted)
        return 1;
    const double s = due(p);
    if (s >= 0) {
        rate_text(p, s, warp_insts, rate);
        if (cycle)
            put_line(p, "cycle %" PRIu64 ", %s", cycle, rate);
        else
            put_line(p, "%s", rate);
    }
    return 0;
}

void progress_program(struct progress *p, uint64_t executed, uint64_t cycle, uint64_t timed)
{
    const double s = executed || cycle ? due(p) : -1;
    if (s < 0)
        return;
    char rate[96];
    rate_text(p, s, cycle ? timed : executed, rate);
    if (cycle)
        put_line(p, "cycle %" PRIu64 ", %s, %d:%02d so far", cycle, rate, minutes(s), rest(s));
    else
        put_line(p, "executing, %s, %d:%02d so far", rate, minutes(s), rest(s));
}

bool progress_interrupted(void)
{
    return interrupted;
}

void progress_pool(void *ctx, const struct pool_progress *p)
{
    struct progress *line = ctx;
    char rate[96], fail[40] = "";
    line->total = p->insts_total;
    if (due(line) < 0)
        return;
    rate_text(line, p->seconds, p->insts_done, rate); /* searches run a pool for each step: not since the beginning */
    if (p->failed)
        snprintf(fail, sizeof fail, "%zu failed, ", p->failed);
    put_line(line, "%zu of %zu simulations, %s%s", p->done, p->total, fail, rate);
}

bool progress_stop(void *ctx)
{
    (void)ctx;
    return progress_interrupted();
}

double progress_end(struct progress *p)
{
    const double seconds = clock_seconds_since(p->start_ns);
    progress_clear(p);
    sigaction(SIGINT, &p->before, NULL);
    return seconds;
}

/* ---- waiting ---- */

static void on_tick(int sig)
{
    (void)sig;
}

void progress_ticks(bool on)
{
    /* Without SA_RESTART: waitpid returns. Children do not inherit the timer, and exec resets the handler. */
    struct sigaction sa = {.sa_handler = on_tick};
    const double s = interval_s > 0.25 || interval_s <= 0 ? 0.25 : interval_s > 0.01 ? interval_s : 0.01;
    const struct timeval tick = {.tv_usec = on ? (suseconds_t)(s * 1e6) : 0};
    if (on)
        sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){tick, tick}, NULL);
}

/* ---- the option ---- */

double progress_interval(void)
{
    return interval_s;
}

static void take_interval(struct argp_state *state, void *args, char *seconds)
{
    (void)args;
    char *end;
    const double s = strtod(seconds, &end);
    if (end == seconds || *end || !(s >= 0 && s < 1e9))
        argp_error(state, "--progress %s: expected a number of seconds", seconds);
    interval_s = s;
}

static const struct cli_option options[] = {
    {"progress", "SECONDS", "if standard error is not a terminal: print progress every SECONDS (default: 30; 0: never)",
     .call = take_interval},
    {0}};
const struct cli_syntax progress_syntax = {options};
