/*
 * weir reproduce swcache: the applications of the software L1 ("Resurrecting L1"), plain, cached by hand and cached by
 * the source transformer, on simulated machines or, with --device, on the GPU of this computer. The paper's figures are
 * lost; of its numbers, 25% more instructions issued is the one that can be set beside ours.
 *
 * An application is compiled once, run once for each machine to check every variant's output against a reference and
 * bit for bit against the plain variant's, and recorded variant by variant. The recordings are simulated by the
 * laboratory's pool, which keeps results: what is not changed is not simulated again. Only the first of a recording's
 * two equal launches is: caches are cold, as for inputs much larger than they are.
 *
 * On simulated machines the cached kernel is always used, because that is the question; on a device, the program
 * chooses as it would in earnest.
 */
#include "cli/swcache_reproduce.h"

#include "base/clock.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/swcache_device.h"
#include "engine/config.h"
#include "gpu/gpu_config.h"
#include "study/pool.h"
#include "report/report.h"
#include "trace/file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
    const char *size, *app, *json, *out, *results;
    VEC(const char *) gpu; /* none: those below */
    VEC(const char *) set; /* for all of them */
    unsigned jobs;
    bool device, nvcc;
};

/*
 * Inputs that a simulation can afford do not fill a large GPU, and an SM that has its L1 for a few warps alone shows
 * another machine than a full one. So of the H200 a part is simulated, with its share of the L2 and of the memory.
 */
static const struct swcache_machine usual[] = {
    {.name = "gtx480", .gpu = "gtx480"},
    {.name = "gtx780", .gpu = "gtx780"},
    {.name = "h200/12",
     .gpu = "h200",
     .says = "a twelfth of an H200: 11 of 132 SMs, 4 of 48 memory channels with their L2 slices",
     .set = {"machine.sms=11", "memory.channels=4"},
     .n_set = 2},
};
enum { N_USUAL = sizeof usual / sizeof *usual };

struct machines {
    VEC(struct swcache_machine) machine;
};

static int add_machine(struct machines *all, const char *name, const struct args *a, struct err *e)
{
    struct swcache_machine m = {.gpu = name};
    snprintf(m.name, sizeof m.name, "%.100s", name);
    for (size_t i = 0; i < N_USUAL; i++)
        if (!strcmp(name, usual[i].name))
            m = usual[i];
    for (size_t i = 0; i < a->set.n; i++) {
        size_t n = strlen(m.name);
        if (m.n_set == SWCACHE_SETS || strlen(a->set.p[i]) + n + 2 > sizeof m.name)
            return err_set(e, "--set: too many");
        snprintf(m.name + n, sizeof m.name - n, " %s", a->set.p[i]);
        m.set[m.n_set++] = a->set.p[i];
    }
    struct cfg *c = cfg_load(gpu_schema(), m.gpu, m.set, m.n_set, NULL, e);
    if (!c)
        return -1;
    cfg_free(c);
    VEC_PUSH(&all->machine, m);
    return 0;
}

static int find_machines(struct machines *all, const struct args *a, struct err *e)
{
    for (size_t k = 0; k < (a->gpu.n ? a->gpu.n : N_USUAL); k++)
        if (add_machine(all, a->gpu.n ? a->gpu.p[k] : usual[k].name, a, e))
            return -1;
    return 0;
}

/* ---- simulated machines ---- */

struct session {
    const struct args *args;
    struct swcache_apps apps;
    struct machines machines;
    VEC(struct swcache_results) results; /* of each machine */
    VEC(char) broken;                    /* of each application: it could not be prepared */
};

static int prepare(const struct session *x, const struct swcache_app *app, struct err *e)
{
    char binary[SWCACHE_PATH];
    if (swcache_build(&x->apps, app, binary, e))
        return -1;
    for (size_t m = 0; m < x->machines.machine.n; m++)
        if (swcache_record(&x->apps, app, &x->machines.machine.p[m], binary, x->args->size, e))
            return -1;
    return 0;
}

/* Waits for one of the processes that prepare applications; its application. */
static size_t wait_for_one(const pid_t *pid, size_t n, size_t done, struct progress *line, bool *failed)
{
    int how;
    pid_t ended;
    progress_ticks(true);
    while ((ended = waitpid(-1, &how, 0)) < 0 && errno == EINTR)
        progress_count(line, "compiling and recording", done, n, NULL);
    progress_ticks(false);
    *failed = ended < 0 || !WIFEXITED(how) || WEXITSTATUS(how);
    for (size_t k = 0; k < n; k++)
        if (pid[k] == ended)
            return k;
    return n;
}

/* Compiles, checks and records, several applications at a time, each in a process of its own. */
static int prepare_all(struct session *x, struct err *e)
{
    size_t n = x->apps.app.n, next = 0, running = 0, done = 0;
    pid_t *pid = xcalloc(n, sizeof *pid);
    struct progress line;
    int status = 0;
    progress_count_begin(&line);
    for (size_t k = 0; k < n; k++)
        VEC_PUSH(&x->broken, 0);
    while (running || (next < n && !progress_interrupted() && !status)) {
        if (next < n && running < x->args->jobs && !progress_interrupted() && !status) {
            fflush(NULL);
            pid[next] = fork();
            if (pid[next] == 0) {
                struct err why;
                err_clear(&why);
                int bad = prepare(x, &x->apps.app.p[next], &why);
                if (bad)
                    err_print(&why, stderr);
                _exit(bad != 0);
            }
            if (pid[next] < 0)
                status = err_set(e, "cannot start a process: %s", strerror(errno));
            running += pid[next++] > 0;
            continue;
        }
        bool failed;
        size_t k = wait_for_one(pid, n, done, &line, &failed);
        if (k < n)
            x->broken.p[k] = failed;
        running--;
        done++;
    }
    progress_clear(&line);
    free(pid);
    return status;
}

/* The first of the two launches of each kernel; see the beginning of this file. */
static int measure(struct lab_program *p, struct err *e)
{
    struct trace_file *f = trace_open(p->recording, e);
    if (!f)
        return -1;
    p->launches = trace_n_launches(f) / 2;
    trace_close(f);
    return lab_program_measure(p, e);
}

struct work {
    VEC(struct lab_program) program; /* in the order of the points */
    VEC(struct point *) point;
};

static bool is_run(const struct session *x, size_t app, enum swcache_variant v)
{
    return !x->broken.p[app] && swcache_has(&x->apps, &x->apps.app.p[app], v);
}

/* Points of everything that is run: machine by machine, application by application, variant by variant. */
static int make_points(const struct session *x, struct work *w, struct err *e)
{
    const size_t n_machine = x->machines.machine.n;
    VEC_RESERVE(&w->program, n_machine * x->apps.app.n * SWCACHE_VARIANTS); /* points keep pointers into it */
    for (size_t m = 0; m < n_machine; m++)
        for (size_t k = 0; k < x->apps.app.n; k++)
            for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS; v++) {
                if (!is_run(x, k, v))
                    continue;
                const struct swcache_app *app = &x->apps.app.p[k];
                const struct swcache_machine *machine = &x->machines.machine.p[m];
                char path[SWCACHE_PATH], name[100];
                swcache_recording(&x->apps, app, machine, x->args->size, v, path);
                snprintf(name, sizeof name, "swcache/%.60s %s", app->name, swcache_variant_name[v]);
                struct lab_program p = {.name = xstrdup(name),
                                        .label = xstrdup(app->name),
                                        .group = xstrdup(app->group),
                                        .recording = xstrdup(path)};
                VEC_PUSH(&w->program, p);
                struct lab_program *at = &w->program.p[w->program.n - 1];
                if (measure(at, e))
                    return -1;
                struct point *point =
                    point_new(at, false, machine->gpu, NULL, (char *const *)machine->set, machine->n_set, e);
                if (!point)
                    return -1;
                VEC_PUSH(&w->point, point);
            }
    return 0;
}

static void free_work(struct work *w)
{
    for (size_t k = 0; k < w->point.n; k++)
        point_free(w->point.p[k]);
    for (size_t k = 0; k < w->program.n; k++)
        lab_program_free(&w->program.p[k]);
    VEC_FREE(&w->point);
    VEC_FREE(&w->program);
}

/* What the points found, put together. */
static void collect(struct session *x, const struct work *w)
{
    size_t next = 0;
    for (size_t m = 0; m < x->machines.machine.n; m++) {
        struct swcache_results r = {.machine = xstrdup(x->machines.machine.p[m].name),
                                    .says = x->machines.machine.p[m].says,
                                    .size = x->args->size,
                                    .unit = "cycles",
                                    .simulated = true};
        for (size_t k = 0; k < x->apps.app.n; k++) {
            struct swcache_outcome o = {.app = &x->apps.app.p[k],
                                        .failure = x->broken.p[k] ? xstrdup(x->apps.app.p[k].name) : NULL,
                                        .left_alone = x->apps.has_transformer && !is_run(x, k, SWCACHE_AUTO)};
            for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS; v++) {
                const struct point *p = is_run(x, k, v) ? w->point.p[next++] : NULL;
                o.time[v] = point_value(p, "cycles");
                if (p && p->document)
                    o.statistics[v] = json_incref(json_object_get(point_result(p), "total"));
                if (p && p->failure && !o.failure &&
                    asprintf(&o.failure, "%s (%s: %s)", o.app->name, swcache_variant_name[v], p->failure) < 0)
                    BUG("no memory");
            }
            VEC_PUSH(&r.outcome, o);
        }
        VEC_PUSH(&x->results, r);
    }
}

static int on_machines(struct session *x, struct err *e)
{
    const struct args *a = x->args;
    char file[SUITE_PATH + 32];
    struct progress line;
    struct work w = {0};
    x->apps.nvcc = a->nvcc;
    if (find_machines(&x->machines, a, e) || (a->nvcc && swcache_find_nvcc(e)))
        return -1;
    struct pool pool = {.size = a->size, .jobs = a->jobs, .show = progress_pool, .stop = progress_stop, .ctx = &line};
    snprintf(file, sizeof file, "%s/../results.sqlite", x->apps.folder);
    pool.store = store_open(a->results ? a->results : file, e);
    if (!pool.store)
        return -1;
    progress_begin(&line, 0);
    int status = prepare_all(x, e) || progress_interrupted() || make_points(x, &w, e) ? -1 : 0;
    if (!status) {
        line.start_ns = clock_ns(); /* the rate is of simulations only */
        status = pool_run(&pool, w.point.p, w.point.n, e);
    }
    bool stopped = progress_interrupted();
    double seconds = progress_end(&line);
    if (stopped)
        fprintf(stderr, "weir: stopped; %zu results were stored; the same command resumes from there\n",
                pool.simulated);
    else if (!status) {
        collect(x, &w);
        fprintf(stderr, "weir: %zu simulations in %.0f s, %zu reused, %zu failed\n", pool.simulated, seconds,
                pool.reused, pool.failed);
    }
    store_close(pool.store);
    free_work(&w);
    return stopped ? 1 : status;
}

static int on_device(struct session *x, struct err *e)
{
    struct swcache_results r;
    x->apps.device = true;
    int status = swcache_on_device(&x->apps, x->args->size, &r, e);
    if (!status)
        VEC_PUSH(&x->results, r);
    return status;
}

/* ---- results and options ---- */

static int show(const struct session *x, struct err *e)
{
    const struct args *a = x->args;
    FILE *out = a->json && !strcmp(a->json, "-") ? stderr : stdout;
    fprintf(out, "Speedup over the plain kernel%s, size %s%s.\n",
            a->device ? ", as the program's tuner chooses" : "; the cached kernel is always used", a->size,
            a->nvcc && !a->device ? ", compiled by nvcc" : "");
    if (!a->device)
        fputs(
            "insts: warp instructions, relative to plain (the paper: 1.25 issued); L1 miss: of plain; DRAM: bytes, "
            "relative to plain.\n",
            out);
    if (!x->apps.has_transformer)
        fputs("No automatic variants: the source transformer is not available.\n", out);
    bool failed = false;
    for (size_t k = 0; k < x->results.n; k++) {
        const struct swcache_results *r = &x->results.p[k];
        swcache_results_print(r, false, out);
        for (size_t i = 0; i < r->outcome.n; i++)
            failed |= r->outcome.p[i].failure != NULL;
    }
    if (a->json && swcache_results_json(x->results.p, x->results.n, a->json, e))
        return -1;
    if (swcache_results_report(x->results.p, x->results.n, a->out, e))
        return -1;
    return failed ? CLI_PROGRAM_FAILED : CLI_OK;
}

static void take_size(struct argp_state *state, void *args, char *size)
{
    cli_choose(state, "--size", size, (const char *const[]){"tiny", "small", "full", NULL});
    ((struct args *)args)->size = size;
}

static void add_machine_word(struct argp_state *state, void *args, char *machine)
{
    (void)state;
    VEC_PUSH(&((struct args *)args)->gpu, machine);
}

static void add_set(struct argp_state *state, void *args, char *assignment)
{
    (void)state;
    VEC_PUSH(&((struct args *)args)->set, assignment);
}

static const struct cli_option options[] = {
    {"app", "NAME", "one application only", CLI_TEXT(struct args, app), .letter = 'a'},
    {"size", "tiny|small|full", "input size of the programs (default: small; with --device: full)", .call = take_size},
    {"gpu", "MACHINE", "simulate this machine; may be repeated (default: gtx480, gtx780, h200/12)",
     .call = add_machine_word},
    {"set", "KEY=VALUE", "change one parameter of the machines; may be repeated", .call = add_set},
    {"nvcc", NULL, "compile the programs with nvcc instead of weir cc", CLI_FLAG(struct args, nvcc)},
    {"device", NULL, "run on the GPU of this computer instead (needs nvcc)", CLI_FLAG(struct args, device),
     .letter = 'd'},
    {"jobs", "N", "number of parallel simulations (default: one per core)", CLI_JOBS(struct args, jobs), .letter = 'j'},
    {"output", "DIR", "folder for report.md and pictures (default: weir-swcache)", CLI_TEXT(struct args, out),
     .letter = 'o'},
    {"json", "FILE", "write all results and statistics there; - is standard output", CLI_TEXT(struct args, json)},
    {"results", "FILE", "result store (default: results.sqlite in the cache folder)", CLI_TEXT(struct args, results)},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&progress_syntax, 0, NULL}},
    NULL,
    "The software L1: every application, plain, cached by hand and cached automatically.\v"
    "h200/12 is a twelfth of an H200, which the programs fill at size small; h200 is all of it.\n"
    "\n"
    "Examples:\n"
    "  weir reproduce swcache --size tiny --app wordcount\n"
    "  weir reproduce swcache -o out --json out/all.json\n"
    "  weir reproduce swcache --gpu gtx480 --set icache.size=32KiB\n"
    "  weir reproduce swcache --device\n",
    NULL,
    NULL};

int swcache_reproduce(int argc, char **argv)
{
    struct args a = {.out = "weir-swcache", .jobs = cli_cores()};
    cli_parse(&syntax, argc, argv, 0, &a);
    if (!a.size)
        a.size = a.device ? "full" : "small";
    struct session x = {.args = &a};
    struct err e;
    err_clear(&e);
    int status = swcache_apps_find(&x.apps, a.app, &e);
    if (!status && (report_check(a.out, &e) || (a.json && outfile_check(a.json, &e))))
        status = -1;
    if (!status)
        status = a.device ? on_device(&x, &e) : on_machines(&x, &e);
    if (!status)
        status = show(&x, &e);
    if (status < 0)
        status = cli_fail(&e);
    for (size_t k = 0; k < x.results.n; k++)
        swcache_results_free(&x.results.p[k]);
    VEC_FREE(&x.results);
    VEC_FREE(&x.machines.machine);
    VEC_FREE(&x.broken);
    VEC_FREE(&a.gpu);
    VEC_FREE(&a.set);
    swcache_apps_free(&x.apps);
    return status;
}
