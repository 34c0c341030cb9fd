/* See study.h. */
#include "cli/study.h"

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_args.h"
#include "cli/program_arg.h"
#include "cli/progress.h"
#include "cli/suite_record.h"
#include "study/slurm.h"

#include <stdbool.h>
#include <unistd.h>

/* ---- programs of the suite and their recordings ---- */

/* What program.ini says of the paper, "BFS (CS)": label and class. */
static struct lab_program describe(const struct suite_program *p, const struct plan *plan)
{
    const char *says = plan->paper ? suite_in_paper(p, plan->paper) : NULL;
    struct lab_program out = {.name = xstrdup(p->name),
                              .paper = plan->paper ? xstrdup(plan->paper) : NULL,
                              .cflags = plan->cflags ? xstrdup(plan->cflags) : NULL};
    size_t label = says ? strcspn(says, " (") : 0;
    const char *open = says ? strchr(says, '(') : NULL;
    out.label = xstrndup(says ? says : "", label);
    out.group = open ? xstrndup(open + 1, strcspn(open + 1, ")")) : xstrdup("");
    out.launches = *out.label ? plan_launches(plan, out.label) : 0;
    return out;
}

/* Compiles and records if needed. Other flags make other programs, with names of their own. */
static int record_suite(const struct study *a, const struct suite *s, const char *cache, struct lab_program *p,
                        struct err *e)
{
    struct suite_program program = *suite_find(s, p->name);
    char path[SUITE_PATH];
    if (a->cflags) {
        free(p->cflags);
        p->cflags = xstrdup(a->cflags);
    }
    program.flags = program.flags ? xstrdup(program.flags) : NULL;
    suite_add_flags(&program, p->cflags);
    const int bad = a->no_run ? suite_record_kept(s, &program, a->size, cache, path, e)
                              : suite_record(s, &program, a->size, cache, path, e);
    free(program.flags);
    if (bad)
        return -1;
    p->recording = xstrdup(path);
    return lab_program_measure(p, e);
}

static bool is_used(const struct lab *l, const struct lab_program *p)
{
    for (size_t i = 0; i < l->figure.n; i++)
        for (size_t k = 0; k < l->figure.p[i].program.n; k++)
            if (l->figure.p[i].program.p[k] == p || (p->under && !strcmp(l->figure.p[i].program.p[k]->name, p->name)))
                return true;
    return false;
}

static int record_all(const struct study *a, struct lab *l, const struct suite *s, const char *cache, struct err *e)
{
    struct progress line;
    size_t used = 0, done = 0;
    int status = 0;
    for (size_t i = 0; i < l->program.n; i++) {
        l->program.p[i].sampled = a->sampled;
        used += is_used(l, &l->program.p[i]);
    }
    progress_count_begin(&line);
    for (size_t i = 0; i < l->program.n && !status && !progress_interrupted(); i++) {
        struct lab_program *p = &l->program.p[i];
        if (!is_used(l, p))
            continue;
        progress_count(&line, "recording", done++, used, p->name);
        status = !p->command.n ? record_suite(a, s, cache, p, e)
                 : a->no_run   ? study_record_kept(p, cache, e)
                               : study_record(p, cache, e);
    }
    progress_clear(&line);
    return status;
}

static void warn_of_idle_of(const struct lab *l, bool own, const char *what, const char *advice)
{
    size_t n = 0;
    for (size_t i = 0; i < l->program.n; i++) {
        if ((l->program.p[i].command.n > 0) != own || !lab_is_idle(l, &l->program.p[i]))
            continue;
        fprintf(stderr, "%s%s %s", n ? "" : "weir: warning: ", n ? "," : what, l->program.p[i].name);
        n++;
    }
    if (n)
        fprintf(stderr, "; marked with *, excluded from means and verdicts: %s\n", advice);
}

/* Programs that are too small for the machine, which a table alone does not show. Those of one's own have no size that
 * weir could choose. */
static void warn_of_idle(const struct study *a, const struct lab *l)
{
    char what[80];
    snprintf(what, sizeof what, "at size %.20s most SMs have no CTA:", a->size);
    warn_of_idle_of(l, false, what, "try a larger --size");
    warn_of_idle_of(l, true, "too few CTAs to occupy most SMs:", "use a larger input or a machine with fewer SMs");
}

/* ---- running ---- */

struct session {
    struct suite suite;
    struct lab lab;
    struct claims claims;
    bool has_claims;
    struct search_results from;
    struct store *store;
    struct slurm slurm;
    char slurm_folder[SUITE_PATH + 16], self[PATH_MAX];
};

/* The same program on all nodes, by its path; jobs in the cache folder, which they share as home folders are. */
static int prepare_slurm(const struct study *a, struct session *x, const char *cache, struct err *e)
{
    const ssize_t n = readlink("/proc/self/exe", x->self, sizeof x->self - 1);
    if (slurm_check(e))
        return -1;
    if (n <= 0)
        return err_set(e, "cannot determine weir's own path");
    snprintf(x->slurm_folder, sizeof x->slurm_folder, "%s/slurm", cache);
    x->slurm = (struct slurm){.weir = x->self, .folder = x->slurm_folder, .options = a->slurm_options, .retries = 2};
    return 0;
}

/* Searches start from what another study found. Every line is looked at before anything runs. */
static int start_searches(const struct study *a, struct session *x, struct err *e)
{
    if (search_results_read(&x->from, a->search_from, e))
        return -1;
    x->lab.from = &x->from;
    if (lab_check_searches(&x->lab, e))
        return -1;
    for (size_t i = 0; i < x->from.one.n; i++)
        if (x->from.one.p[i].used)
            return 0;
    err_at(e, a->search_from, 0, 0, "it has no search results for these figures");
    return err_hint(e, "use found.ini from a report of the same figures at another size");
}

/* The suite in the words and with the flags of a plan's paper, each once. */
static void describe_suite(struct session *x, const struct plan *plan, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (text_same(plan[k].paper, plan[i].paper) && text_same(plan[k].cflags, plan[i].cflags))
            return;
    for (size_t k = 0; k < x->suite.program.n; k++)
        VEC_PUSH(&x->lab.program, describe(&x->suite.program.p[k], &plan[i]));
}

/* A report simulates nothing: which sizes have results of its programs. */
static void tell_sizes(const struct study *a, const struct session *x)
{
    static const char *const sizes[] = {"tiny", "small", "paper"};
    for (int i = 0; i < 3; i++) {
        size_t all = 0, have = 0;
        for (size_t k = 0; k < x->lab.program.n; k++)
            if (is_used(&x->lab, &x->lab.program.p[k])) {
                all++;
                have += store_count(x->store, x->lab.program.p[k].name, sizes[i]) > 0;
            }
        if (have && strcmp(sizes[i], a->size))
            fprintf(stderr, "weir: %zu of these %zu programs have results at size %s: --size %s\n", have, all, sizes[i],
                    sizes[i]);
    }
}

static int prepare(struct study *a, struct session *x, struct err *e)
{
    char cache[SUITE_PATH], file[3 * PATH_MAX];
    if (study_ask(a, e) || study_load_plugins(a, e))
        return -1;
    if (suite_load(&x->suite, e) || suite_cache_folder(cache, e) || (a->on && prepare_slurm(a, x, cache, e)))
        return -1;
    const char *published = NULL;
    for (size_t i = 0; i < a->plan.n && !published; i++)
        published = a->plan.p[i].published;
    for (size_t i = 0; i < a->plan.n; i++)
        describe_suite(x, a->plan.p, i);
    for (size_t i = 0; i < a->plan.n; i++)
        if (study_add_programs(&x->lab, &x->suite, &a->plan.p[i], e))
            return -1;
    if (published && claims_read(&x->claims, published, e))
        return -1;
    x->has_claims = published != NULL;
    for (size_t i = 0; i < a->plan.n; i++)
        if (lab_add_figure(&x->lab, &a->plan.p[i], e))
            return -1;
    if (a->search_from && start_searches(a, x, e))
        return -1;
    if (lab_check(&x->lab, e) || (a->out && report_check(a->out, e)))
        return -1;
    snprintf(file, sizeof file, "%s/results.sqlite", cache);
    x->store = store_open(a->results ? a->results : file, e);
    if (!x->store)
        return -1;
    const int bad = record_all(a, &x->lab, &x->suite, cache, e);
    if (bad && a->no_run)
        tell_sizes(a, x);
    return bad ? -1 : 0;
}

static int run(struct study *a, struct session *x, struct err *e)
{
    struct progress line;
    struct pool pool = {.size = a->size,
                        .jobs = a->jobs,
                        .no_run = a->no_run,
                        .show = progress_pool,
                        .stop = progress_stop,
                        .ctx = &line};
    char *pages = a->profiles ? xasprintf("%s/profiles", a->out) : NULL;
    pool.pages = pages;
    progress_begin(&line, 0);
    int status = prepare(a, x, e);
    if (!status && pages)
        status = report_folder(pages, e);
    if (!status && !progress_interrupted()) {
        pool.store = x->store;
        pool.slurm = a->on ? &x->slurm : NULL;
        line.start_ns = clock_ns(); /* the rate is of simulations only */
        status = lab_run(&x->lab, &pool, e);
    }
    free(pages);
    bool stopped = progress_interrupted();
    double seconds = progress_end(&line);
    if (status < 0 && !stopped) /* a recording that Ctrl-C cut short is no error */
        return -1;
    if (stopped) {
        fprintf(stderr, "weir: stopped; %zu results were stored; the same command resumes from there\n",
                pool.simulated);
        return CLI_PROGRAM_FAILED;
    }
    struct report report = {.title = a->title,
                            .folder = a->out,
                            .size = a->size,
                            .command = a->command,
                            .formats = a->formats,
                            .claims = x->has_claims ? &x->claims : NULL,
                            .verdict = a->verdict};
    if (report_write(&x->lab, &report, stdout, e))
        return -1;
    warn_of_idle(a, &x->lab);
    bool lacking = false;
    for (size_t i = 0; i < x->lab.figure.n; i++)
        lacking |= x->lab.figure.p[i].trouble.n > 0;
    if (a->no_run && lacking)
        tell_sizes(a, x);
    fprintf(stderr, "weir: %zu simulations in %.0f s, %zu reused, %zu failed", pool.simulated, seconds, pool.reused,
            pool.failed);
    if (x->slurm.resubmitted)
        fprintf(stderr, ", %zu tasks resubmitted", x->slurm.resubmitted);
    fprintf(stderr, a->out ? "; see %s/report.html\n" : "\n", a->out);
    a->simulated = pool.simulated;
    a->reused = pool.reused;
    a->failed = pool.failed;
    return pool.failed ? CLI_PROGRAM_FAILED : CLI_OK;
}

int study_run(struct study *a)
{
    struct session x = {0};
    struct err e;
    err_clear(&e);
    int status = run(a, &x, &e);
    if (status < 0) {
        err_print(&e, stderr);
        status = CLI_BAD_INPUT;
    }
    store_close(x.store);
    if (x.has_claims)
        claims_free(&x.claims);
    lab_free(&x.lab);
    search_results_free(&x.from);
    suite_free(&x.suite);
    return status;
}

/* ---- options ---- */

void study_init(struct study *a)
{
    memset(a, 0, sizeof *a);
    a->size = "small";
    a->jobs = cli_cores();
}

void study_free(struct study *a)
{
    for (size_t i = 0; i < a->plan.n; i++)
        plan_free(&a->plan.p[i]);
    VEC_FREE(&a->plan);
    free(a->command);
}

void study_command(struct study *a, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        char *longer = xasprintf("%s%s%s", a->command ? a->command : "", i ? " " : "", argv[i]);
        free(a->command);
        a->command = longer;
    }
}

char *study_folder(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    char *folder = NULL;
    if (asprintf(&folder, "weir-%.*s", (int)strcspn(base, "."), base) < 0)
        folder = xstrdup("weir-report");
    return folder;
}

enum {
    KEY_SIZE = 1000,
    KEY_RESULTS,
    KEY_CFLAGS,
    KEY_ON,
    KEY_SLURM,
    KEY_FORMAT,
    KEY_SEARCH_FROM,
    KEY_PROFILES,
    KEY_SAMPLED,
    KEY_TRUST
};

static const struct argp_option options[] = {
    {"size", KEY_SIZE, "tiny|small|paper", 0, "input size of the suite's programs (default: small)", 0},
    {"jobs", 'j', "N", 0, "number of parallel simulations (default: one per core)", 0},
    {"output", 'o', "DIR", 0, "folder for report.html, tables and figures (default: weir-NAME)", 0},
    {"format", KEY_FORMAT, "pdf,png,eps", 0, "also draw figures in these formats (besides SVG)", 0},
    {"profiles", KEY_PROFILES, NULL, 0, "also profile every simulation, each on a page that the report leads to", 0},
    {"cflags", KEY_CFLAGS, "FLAGS", 0,
     "compile suite programs with these flags instead of the plan's, e.g. -fno-unroll-loops ('' = none)", 0},
    {"results", KEY_RESULTS, "FILE", 0, "result store (default: results.sqlite in the cache folder)", 0},
    {"sampled", KEY_SAMPLED, "ERROR", OPTION_ARG_OPTIONAL,
     "simulate a sample of each program, to this error of the cycles (default: 2%), and extrapolate (docs/sampling.md)",
     0},
    {"search-from", KEY_SEARCH_FROM, "FILE", 0,
     "start searches at the results of another size (its report's found.ini), with steps of one eighth", 0},
    {"on", KEY_ON, "local|slurm", 0, "where to simulate: on this computer (default) or on a Slurm cluster", 0},
    {"trust", KEY_TRUST, NULL, 0,
     "execute what a plan names (plugins, programs, compiler flags) without asking, also where it did not come with "
     "weir",
     0},
    {"slurm", KEY_SLURM, "OPTIONS", 0, "with --on slurm: options for sbatch, e.g. '--partition=long --mem=4G'", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
    struct study *a = state->input;
    switch (key) {
    case KEY_FORMAT: {
        struct err e;
        if (plot_check_formats(arg, &e))
            argp_error(state, "--format %s: %s; %s", arg, e.msg, e.hint);
        a->formats = arg;
        return 0;
    }
    case KEY_SIZE:
        a->size = program_arg_size(state, arg);
        return 0;
    case 'j':
        a->jobs = cli_jobs(state, arg);
        return 0;
    case 'o':
        a->out = arg;
        return 0;
    case KEY_PROFILES:
        a->profiles = true;
        return 0;
    case KEY_SAMPLED: {
        struct err e;
        if (sampled_error_parse(arg, &a->sampled, &e))
            argp_error(state, "%s; %s", e.msg, e.hint);
        return 0;
    }
    case ARGP_KEY_SUCCESS:
        if (a->sampled > 0 && a->profiles)
            argp_error(state, "--sampled and --profiles exclude each other: a sample has no profile of the whole run");
        return 0;
    case KEY_CFLAGS:
        a->cflags = arg;
        return 0;
    case KEY_RESULTS:
        a->results = arg;
        return 0;
    case KEY_SEARCH_FROM:
        a->search_from = arg;
        return 0;
    case KEY_ON:
        cli_choose(state, "--on", arg, (const char *const[]){"local", "slurm", NULL});
        a->on = strcmp(arg, "slurm") ? NULL : arg;
        return 0;
    case KEY_SLURM:
        a->slurm_options = arg;
        return 0;
    case KEY_TRUST:
        a->trust = true;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&progress_argp, 0, NULL, 0}, {0}};
const struct argp study_argp = {options, on_option, NULL, NULL, children, NULL, NULL};
