/*
 * Joins the two halves of weir in the program's process: defines what the CUDA runtime declares under "timing" in
 * cudart/runtime.h, with the machine beside the program (gpu/live.h): its clock for events, and its results when the program
 * ends.
 *
 * Asking when an event was done waits for the machine.
 */
#include "base/clock.h"
#include "cudart/runtime.h"
#include "gpu/live.h"
#include "gpu/plugin.h"
#include "gpu/props.h"
#include "gpu/result.h"
#include "gpu/timeline.h"

#include <jansson.h>
#include <signal.h>
#include <unistd.h>

static struct gpu_live *live;
static uint64_t started_ns;
static volatile sig_atomic_t interrupted;
static uint64_t interrupted_ns;

/*
 * A second signal ends the program at once. One that follows within a second repeats the first: a signal to a
 * whole group of processes (timeout, batch systems) reaches the program directly and through weir, which passes it on.
 */
static void on_interrupt(int sig)
{
    if (!interrupted) {
        interrupted_ns = clock_ns();
        interrupted = sig;
    } else if (clock_seconds_since(interrupted_ns) >= 1) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

int timing_interrupted(void)
{
    return interrupted;
}

/* In the machine's thread. */
static int poll(void *ctx, uint64_t cycle, uint64_t warp_insts)
{
    (void)ctx;
    rt.slot->machine_cycle = cycle;
    rt.slot->machine_insts = warp_insts;
    return interrupted != 0;
}

/* A list; the strings stay in *copy. */
struct lines {
    char *copy;
    VEC(const char *) line;
};
static struct lines split_lines(const char *text)
{
    struct lines l = {.copy = xstrdup(text ? text : "")};
    const char between[] = {REPORT_BETWEEN, 0};
    for (char *save, *s = strtok_r(l.copy, between, &save); s; s = strtok_r(NULL, between, &save))
        VEC_PUSH(&l.line, s);
    return l;
}

/* Before a configuration is read: it may name their policies. */
static int load_plugins(struct err *e)
{
    struct lines plugin = split_lines(rt_option(REPORT_ENV_PLUGINS));
    int bad = 0;
    for (size_t i = 0; i < plugin.line.n && !bad; i++)
        bad = plugin_load(plugin.line.p[i], e);
    VEC_FREE(&plugin.line);
    free(plugin.copy);
    return bad;
}

int timing_props(const char *fallback, struct err *e)
{
    const char *machine = rt_option(REPORT_ENV_GPU);
    if (load_plugins(e))
        return -1;
    struct lines set = split_lines(rt_option(REPORT_ENV_SET));
    int bad = gpu_props_load(machine ? machine : fallback, set.line.p, (unsigned)set.line.n, rt_option(REPORT_ENV_WITH),
                             &rt.props, e);
    VEC_FREE(&set.line);
    free(set.copy);
    return bad;
}

/* The process ends at once, and weir run shall not take that for the program's doing. */
static void note_policy_fault(void)
{
    if (rt.report)
        atomic_fetch_add(&rt.report->bad_input, 1);
}

int timing_open(struct err *e)
{
    static struct lines set; /* the machine keeps pointers to them */
    const char *sample = rt_option(REPORT_ENV_SAMPLE), *engine = rt_option(REPORT_ENV_ENGINE);
    const char *threads = rt_option(REPORT_ENV_THREADS);
    const char *wanted = rt_option(REPORT_ENV_SHOW);
    set = split_lines(rt_option(REPORT_ENV_SET));
    const struct gpu_opts opts = {
        .machine = rt_option(REPORT_ENV_GPU),
        .set = set.line.p,
        .n_set = (unsigned)set.line.n,
        .with = rt_option(REPORT_ENV_WITH),
        .tick_all = engine && !strcmp(engine, "tick"),
        .threads = threads ? (unsigned)strtoul(threads, NULL, 10) : 0,
        .sample_cycles = sample ? strtoull(sample, NULL, 10) : 0,
        .ncu_names = wanted && strstr(wanted, "ncu"),
        .classify_loads = wanted && strstr(wanted, "loads"),
        .profile = wanted && strstr(wanted, "profile"),
        .energy = wanted && strstr(wanted, "energy"),
        .timeline = rt_option(REPORT_ENV_TIMELINE) != NULL,
        .poll = poll,
    };
    gpu_live_at_policy_fault(note_policy_fault);
    live = load_plugins(e) ? NULL : gpu_live_open(&opts, e);
    if (!live)
        return -1;
    rt.sink = gpu_live_sink(live);
    started_ns = clock_ns();
    struct sigaction old, sa = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    const int sig[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof sig / sizeof *sig; i++)
        if (!sigaction(sig[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(sig[i], &sa, NULL);
    rt_start_watch();
    return 0;
}

bool timing_on(void)
{
    return live != NULL;
}

uint64_t timing_done_ps(uint64_t event)
{
    return gpu_live_done_ps(live, event);
}

/* A document without one of its parts would look whole, so its memory must not fail in silence. The program may use
 * jansson, too. */
static int write_json(struct gpu *g, bool complete, const char *path, struct err *e)
{
    json_malloc_t its_malloc;
    json_free_t its_free;
    json_get_alloc_funcs(&its_malloc, &its_free);
    json_set_alloc_funcs(xmalloc, free);
    const char *command = rt_option(REPORT_ENV_PROGRAM), *to = strcmp(path, "-") ? NULL : rt_option(REPORT_ENV_STDOUT);
    if (to)
        dup2(atoi(to), STDOUT_FILENO);
    const int bad = result_write_json(g, complete, command ? command : "", path, e);
    if (to) /* the program may print until its very end: not into the document */
        dup2(STDERR_FILENO, STDOUT_FILENO);
    json_set_alloc_funcs(its_malloc, its_free);
    return bad;
}

static void write_timeline(struct gpu *g)
{
    const char *path = rt_option(REPORT_ENV_TIMELINE), *command = rt_option(REPORT_ENV_PROGRAM);
    struct err e;
    char shown[TIMELINE_NOTE];
    if (!path || !*path || !rt.report || rt.slot != &rt.report->slot[0])
        return;
    if (timeline_write(g, command ? command : "", path, &e))
        rt_bad_input(&e);
    else if (timeline_thinned(g, shown))
        rt_message("%s shows %s", path, shown);
}

/* What the user asked to see, the machine's complaints first. */
static void show(struct gpu *g, enum gpu_end end, bool complete, const struct err *failure)
{
    const char *wanted = rt_option(REPORT_ENV_SHOW), *json = rt_option(REPORT_ENV_JSON);
    struct err e;
    const double host_s = clock_seconds_since(started_ns);
    fflush(stdout);
    if (rt.report && atomic_exchange(&rt.report->line, REPORT_LINE_OVER) == REPORT_LINE_SHOWN)
        fputs("\r\033[K", stderr);
    if (end == GPU_FAILED && !rt.faulted) {
        err_print(failure, stderr);
        if (rt.report)
            atomic_fetch_add(&rt.report->bad_input, 1);
    } else if (end == GPU_DEADLOCKED) {
        fputs("weir: deadlock: requests or warps wait and nothing makes progress. Wait chain:\n", stderr);
        gpu_report_deadlock(g, stderr);
        if (rt.report)
            atomic_fetch_add(&rt.report->deadlocks, 1);
    }
    err_clear(&e);
    if (gpu_finish(g, complete, &e)) {
        fputs("weir: an invariant is violated; the statistics cannot be trusted:\n", stderr);
        err_print(&e, stderr);
        if (rt.report)
            atomic_fetch_add(&rt.report->faults, 1);
    }
    if (!wanted || strstr(wanted, "summary"))
        result_print_summary(g, complete, host_s, stderr);
    if (wanted && strstr(wanted, "loads"))
        result_print_loads(g, stderr);
    const bool gpgpusim = wanted && strstr(wanted, "gpgpusim"), ncu = wanted && strstr(wanted, "ncu");
    if (gpgpusim)
        result_print_gpgpusim(g, stdout);
    if (ncu)
        result_print_ncu(g, stdout);
    if (gpgpusim || ncu) {
        if (fflush(stdout) || ferror(stdout)) {
            err_set(&e, "standard output: cannot write the statistics");
            rt_bad_input(&e);
        }
    }
    if (json && *json && rt.report && rt.slot != &rt.report->slot[0])
        rt_message("a second process of this run uses CUDA; %s holds the first one's statistics", json);
    else if (json && *json && write_json(g, complete, json, &e))
        rt_bad_input(&e);
    write_timeline(g);
    fflush(stdout);
}

void timing_finish(void)
{
    if (!live)
        return;
    struct err e;
    err_clear(&e);
    struct gpu *g = gpu_live_finish(live);
    const enum gpu_end end = gpu_live_status(live, &e);
    show(g, end, end == GPU_DONE && !rt.sticky, &e);
    gpu_live_close(live);
    live = NULL;
    rt.sink = NULL;
    /* A program whose kernels are all executed may be at its end while the machine still simulates them: a signal then
     * is no less an end before the end. */
    const int sig = interrupted;
    if (sig && end != GPU_DONE) {
        rt.slot->finished = 1;
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

/* The machine refused the stream: the user's signal ends the program here, everything else loses the device. */
void timing_on_sink_error(void)
{
    if (interrupted)
        timing_finish();
}

void timing_abandon_kernel(void)
{
    if (live)
        gpu_live_give_up(live);
}
