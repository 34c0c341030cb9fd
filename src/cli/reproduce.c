/*
 * weir reproduce, weir sweep, weir report: figures from plan files (lab/plan.h).
 *
 * The programs that the figures ask for are compiled and recorded once for each size, into the cache folder; results of
 * simulations are kept there too, for every figure and for the next time. The report goes to a folder of its own.
 */
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/machine_args.h"
#include "cli/progress.h"
#include "cli/suite_record.h"
#include "cli/swcache_reproduce.h"
#include "lab/report.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

struct args {
    const char *what; /* paper or plan */
    const char *size, *out, *results, *cflags;
    char *figures; /* "12,13"; NULL = all */
    unsigned jobs;
    bool no_run, is_plan;
};

/* ---- what to do: plans ---- */

static bool is_wanted(const struct args *a, const char *number)
{
    if (!a->figures)
        return true;
    size_t n = number ? strlen(number) : 0;
    for (const char *at = a->figures; *at;) {
        size_t len = strcspn(at, ", ");
        if (n && len == n && !strncmp(at, number, n))
            return true;
        at += len + (at[len] != 0);
    }
    return false;
}

/* The paper's own figures first, then what has no number of its own. */
static int rank(const struct plan *p)
{
    int n = p->number ? atoi(p->number) : 0;
    return n > 0 ? n : INT_MAX;
}

static int by_number(const void *a, const void *b)
{
    const struct plan *x = a, *y = b;
    return rank(x) != rank(y) ? (rank(x) < rank(y) ? -1 : 1) : strcmp(x->path, y->path);
}

struct plans {
    VEC(struct plan) plan;
};

static int read_folder(struct plans *all, const char *folder, struct err *e)
{
    DIR *d = opendir(folder);
    if (!d)
        return err_at(e, folder, 0, 0, "%s", strerror(errno));
    int status = 0;
    for (struct dirent *x; !status && (x = readdir(d));) {
        size_t n = strlen(x->d_name);
        if (strncmp(x->d_name, "fig", 3) || n < 5 || strcmp(x->d_name + n - 4, ".ini"))
            continue;
        char path[2 * PATH_MAX + 300];
        struct plan p;
        snprintf(path, sizeof path, "%s/%s", folder, x->d_name);
        status = plan_read(&p, path, e);
        if (!status)
            VEC_PUSH(&all->plan, p);
    }
    closedir(d);
    qsort(all->plan.p, all->plan.n, sizeof *all->plan.p, by_number);
    return status;
}

/* Adds a word to an enumeration, as long as there is room. */
static void enumerate(char *list, size_t bytes, const char *word)
{
    size_t n = strlen(list);
    if (n + strlen(word) + 3 < bytes)
        snprintf(list + n, bytes - n, "%s%s", n ? ", " : "", word);
}

/* Every figure asked for must be there, and must not be one that cannot be made. */
static int check_figures(const struct args *a, const struct plans *all, struct err *e)
{
    char *copy = a->figures ? xstrdup(a->figures) : NULL;
    int status = 0;
    for (char *save, *w = copy ? strtok_r(copy, ", ", &save) : NULL; w && !status; w = strtok_r(NULL, ", ", &save)) {
        const struct plan *found = NULL;
        for (size_t i = 0; i < all->plan.n; i++)
            if (all->plan.p[i].number && !strcmp(all->plan.p[i].number, w))
                found = &all->plan.p[i];
        if (found && found->refused) {
            status = err_set(e, "figure %s cannot be reproduced: %s", w, found->refused);
        } else if (!found) {
            char list[200] = "";
            for (size_t i = 0; i < all->plan.n; i++)
                if (all->plan.p[i].number)
                    enumerate(list, sizeof list, all->plan.p[i].number);
            err_set(e, "there is no plan for figure %s", w);
            status = err_hint(e, "there are: %s", list);
        }
    }
    free(copy);
    return status;
}

static int unknown_paper(const char *plans, const char *name, struct err *e)
{
    char list[200] = "";
    struct dirent **x = NULL;
    int n = scandir(plans, &x, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (x[i]->d_name[0] != '.')
            enumerate(list, sizeof list, x[i]->d_name);
        free(x[i]);
    }
    free(x);
    err_set(e, "there are no plans for '%s'", name);
    return err_hint(e, "papers: %s; or name a plan file: 'weir sweep FILE.ini'", list);
}

/* All plans of a paper, or the one plan file. */
static int read_plans(const struct args *a, struct plans *all, struct err *e)
{
    size_t n = strlen(a->what);
    if (a->is_plan || strchr(a->what, '/') || (n > 4 && !strcmp(a->what + n - 4, ".ini"))) {
        struct plan p;
        if (plan_read(&p, a->what, e))
            return -1;
        VEC_PUSH(&all->plan, p);
        return check_figures(a, all, e);
    }
    char plans[PATH_MAX], folder[2 * PATH_MAX];
    if (paths_find(PATHS_PLANS, plans, sizeof plans)) {
        err_set(e, "weir's plans were not found");
        return err_hint(e, "install weir, or run it from its build folder");
    }
    snprintf(folder, sizeof folder, "%s/%s", plans, a->what);
    struct stat st;
    if (stat(folder, &st) || !S_ISDIR(st.st_mode))
        return unknown_paper(plans, a->what, e);
    return read_folder(all, folder, e) || check_figures(a, all, e) ? -1 : 0;
}

/* ---- programs and their recordings ---- */

/* What program.ini says of the paper, "BFS (CS)": label and class. */
static struct lab_program describe(const struct suite_program *p, const struct plan *plan)
{
    const char *says = plan && plan->paper ? suite_in_paper(p, plan->paper) : NULL;
    struct lab_program out = {.name = xstrdup(p->name)};
    size_t label = says ? strcspn(says, " (") : 0;
    const char *open = says ? strchr(says, '(') : NULL;
    out.label = xstrndup(says ? says : "", label);
    out.group = open ? xstrndup(open + 1, strcspn(open + 1, ")")) : xstrdup("");
    out.launches = plan && *out.label ? plan_launches(plan, out.label) : 0;
    return out;
}

/* Compiles and records if needed. Other flags make other programs, with names of their own. */
static int record(const struct args *a, const struct suite *s, const char *cflags, const char *cache,
                  struct lab_program *p, struct err *e)
{
    struct suite_program program = *suite_find(s, p->name);
    char path[SUITE_PATH], *flags = NULL;
    if (cflags && *cflags) {
        if (asprintf(&flags, "%s %s", program.flags ? program.flags : "", cflags) < 0)
            return err_set(e, "no memory");
        program.flags = flags;
    }
    const int bad = suite_record(s, &program, a->size, cache, path, e);
    free(flags);
    if (bad)
        return -1;
    p->recording = xstrdup(path);
    return lab_program_measure(p, e);
}

static bool is_used(const struct lab *l, const struct lab_program *p)
{
    for (size_t i = 0; i < l->figure.n; i++)
        for (size_t k = 0; k < l->figure.p[i].program.n; k++)
            if (l->figure.p[i].program.p[k] == p)
                return true;
    return false;
}

static int record_all(const struct args *a, struct lab *l, const struct suite *s, const char *cache, struct err *e)
{
    bool terminal = isatty(STDERR_FILENO);
    /* All figures are of one paper. */
    const char *cflags = a->cflags ? a->cflags : l->figure.n ? l->figure.p[0].plan.cflags : NULL;
    for (size_t i = 0; i < l->program.n && !progress_interrupted(); i++)
        if (is_used(l, &l->program.p[i])) {
            if (terminal)
                fprintf(stderr, "\r\033[Kpreparing %s", l->program.p[i].name);
            if (record(a, s, cflags, cache, &l->program.p[i], e)) {
                if (terminal)
                    fputs("\r\033[K", stderr);
                return -1;
            }
        }
    if (terminal)
        fputs("\r\033[K", stderr);
    return 0;
}

/* ---- running ---- */

struct session {
    struct suite suite;
    struct plans plans;
    struct lab lab;
    struct claims claims;
    bool has_claims;
    struct store *store;
};

static int prepare(struct args *a, struct session *x, struct err *e)
{
    char cache[SUITE_PATH], file[3 * PATH_MAX];
    if (suite_load(&x->suite, e) || read_plans(a, &x->plans, e) || suite_cache_folder(cache, e))
        return -1;
    const struct plan *any = x->plans.plan.n ? &x->plans.plan.p[0] : NULL; /* all of one paper */
    const char *published = any ? any->published : NULL;
    for (size_t i = 0; i < x->suite.program.n; i++)
        VEC_PUSH(&x->lab.program, describe(&x->suite.program.p[i], any));
    for (size_t i = 0; i < x->plans.plan.n; i++)
        if (is_wanted(a, x->plans.plan.p[i].number) && lab_add_figure(&x->lab, &x->plans.plan.p[i], e))
            return -1;
    if (published && claims_read(&x->claims, published, e))
        return -1;
    x->has_claims = published != NULL;
    if (report_check(a->out, e) || record_all(a, &x->lab, &x->suite, cache, e))
        return -1;
    snprintf(file, sizeof file, "%s/results.sqlite", cache);
    x->store = store_open(a->results ? a->results : file, e);
    return x->store ? 0 : -1;
}

/* Programs that are too small for the machine, which a table alone does not show. */
static void warn_of_idle(const struct args *a, const struct lab *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->program.n; i++) {
        if (!lab_is_idle(l, &l->program.p[i]))
            continue;
        if (!n++)
            fprintf(stderr, "weir: warning: size %s leaves most SMs without a CTA:", a->size);
        fprintf(stderr, "%s %s", n > 1 ? "," : "", l->program.p[i].name);
    }
    if (n)
        fprintf(stderr, "; marked with *, in no mean and not judged: try a larger --size\n");
}

static int run(struct args *a, struct session *x, struct err *e)
{
    struct progress line;
    struct pool pool = {.size = a->size,
                        .jobs = a->jobs,
                        .no_run = a->no_run,
                        .show = progress_pool,
                        .stop = progress_stop,
                        .ctx = &line};
    progress_begin(&line, 0);
    int status = prepare(a, x, e);
    if (!status && !progress_interrupted()) {
        pool.store = x->store;
        clock_gettime(CLOCK_MONOTONIC, &line.start); /* the rate is of simulations only */
        status = lab_run(&x->lab, &pool, e);
    }
    bool stopped = progress_interrupted();
    double seconds = progress_end(&line);
    if (status < 0 && !stopped) /* a recording that Ctrl-C cut short is no error */
        return -1;
    if (stopped) {
        fprintf(stderr, "weir: stopped; %zu results were added and are kept: the same command goes on from there\n",
                pool.simulated);
        return CLI_PROGRAM_FAILED;
    }
    struct report report = {
        .title = a->what, .folder = a->out, .size = a->size, .claims = x->has_claims ? &x->claims : NULL};
    status = report_write(&x->lab, &report, stdout, e);
    if (status)
        return -1;
    warn_of_idle(a, &x->lab);
    fprintf(stderr, "weir: %zu simulations in %.0f s, %zu taken from earlier ones, %zu failed", pool.simulated, seconds,
            pool.reused, pool.failed);
    fprintf(stderr, a->out ? "; see %s/report.md\n" : "\n", a->out);
    return pool.failed ? CLI_PROGRAM_FAILED : CLI_OK;
}

static int run_session(struct args *a)
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
    for (size_t i = 0; i < x.plans.plan.n; i++)
        plan_free(&x.plans.plan.p[i]);
    VEC_FREE(&x.plans.plan);
    suite_free(&x.suite);
    free(a->figures);
    return status;
}

/* ---- options ---- */

enum { KEY_SIZE = 1000, KEY_RESULTS, KEY_CFLAGS };

static const struct argp_option options[] = {
    {"figure", 'f', "N", 0, "only this figure; may be repeated, or a list: 12,13", 0},
    {"size", KEY_SIZE, "tiny|small|paper", 0, "input size of the programs (default: small)", 0},
    {"jobs", 'j', "N", 0, "simulations at once (default: one for each core)", 0},
    {"output", 'o', "DIR", 0, "folder for report.md, tables and pictures (default: weir-NAME)", 0},
    {"cflags", KEY_CFLAGS, "FLAGS", 0,
     "compile the programs with these flags instead of the plan's, e.g. -fno-unroll-loops; '' for none", 0},
    {"results", KEY_RESULTS, "FILE", 0, "where results are kept (default: results.sqlite in the cache folder)", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'f': {
        size_t old = a->figures ? strlen(a->figures) : 0;
        a->figures = xrealloc(a->figures, old + strlen(arg) + 2);
        sprintf(a->figures + old, "%s%s", old ? "," : "", arg);
        return 0;
    }
    case KEY_SIZE:
        if (strcmp(arg, "tiny") && strcmp(arg, "small") && strcmp(arg, "paper"))
            argp_error(state, "--size is tiny, small or paper, not '%s'", arg);
        a->size = arg;
        return 0;
    case 'j': {
        char *end;
        long n = strtol(arg, &end, 10);
        if (end == arg || *end || n < 1 || n > 4096)
            argp_error(state, "-j %s: a number from 1 to 4096", arg);
        a->jobs = (unsigned)n;
        return 0;
    }
    case 'o':
        a->out = arg;
        return 0;
    case KEY_CFLAGS:
        a->cflags = arg;
        return 0;
    case KEY_RESULTS:
        a->results = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (a->what)
            argp_error(state, "one at a time");
        a->what = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->what)
            argp_error(state, "which one?");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static int parse_and_run(const struct argp *argp, int argc, char **argv, struct args *a)
{
    cli_parse(argp, argc, argv, 0, a);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!a->jobs)
        a->jobs = cores > 0 ? (unsigned)cores : 1;
    char folder[300];
    const char *slash = strrchr(a->what, '/'), *name = slash ? slash + 1 : a->what;
    snprintf(folder, sizeof folder, "weir-%.*s", (int)strcspn(name, "."), name);
    if (!a->out)
        a->out = folder;
    return run_session(a);
}

static const char reproduce_doc[] =
    "Reproduce the figures of a paper: tables, pictures, and a verdict for each published number.\v"
    "Examples:\n"
    "  weir reproduce apcm\n"
    "  weir reproduce apcm --figure 12 --size tiny -o out\n\n"
    "Ctrl-C loses nothing that is finished: the same command goes on from there.\n";
static const char sweep_doc[] =
    "Run what a plan file says: programs under several policies and settings, compared.\v"
    "Example:\n"
    "  weir sweep l1size.ini --size tiny\n\n"
    "with l1size.ini:\n"
    "  [figure]\n"
    "  title     = L1 size\n"
    "  programs  = bfs spmv\n"
    "  metric    = ipc\n"
    "  normalise = 16KB\n"
    "  [variant 16KB]\n"
    "  set = l1.size=16KiB\n"
    "  [variant 32KB]\n"
    "  set = l1.size=32KiB\n";
static const char report_doc[] =
    "Tables, pictures and verdicts from what is already simulated; nothing is run.\v"
    "Example:\n"
    "  weir report apcm --size small -o out\n";

static const struct argp_child children[] = {{&plugin_argp, 0, NULL, 0}, {0}};

int cli_reproduce(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "swcache")) /* its programs choose their own variants: no plan says that */
        return swcache_reproduce(argc - 1, argv + 1);
    static const struct argp argp = {options, on_option, "PAPER", reproduce_doc, children, NULL, NULL};
    return parse_and_run(&argp, argc, argv, &(struct args){.size = "small"});
}

int cli_sweep(int argc, char **argv)
{
    static const struct argp argp = {options, on_option, "PLAN.ini", sweep_doc, children, NULL, NULL};
    return parse_and_run(&argp, argc, argv, &(struct args){.size = "small", .is_plan = true});
}

int cli_report(int argc, char **argv)
{
    static const struct argp argp = {options, on_option, "PAPER\nPLAN.ini", report_doc, children, NULL, NULL};
    return parse_and_run(&argp, argc, argv, &(struct args){.size = "small", .no_run = true});
}
