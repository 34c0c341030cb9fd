/* See study.h. */
#include "cli/study.h"

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_args.h"
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
    struct earlier_claims earlier;
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
    if (suite_load(&x->suite, e) || suite_cache_folder(cache, e) || (a->slurm && prepare_slurm(a, x, cache, e)))
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
    if (a->before && earlier_claims_read(&x->earlier, a->before, e))
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
                        .threads = a->threads,
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
        pool.slurm = a->slurm ? &x->slurm : NULL;
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
    char *rows = NULL, cache[SUITE_PATH];
    size_t rows_n = 0;
    FILE *claims = text_stream(&rows, &rows_n);
    struct report report = {.title = a->title,
                            .folder = a->out,
                            .size = a->size,
                            .command = a->command,
                            .formats = a->formats,
                            .claims = x->has_claims ? &x->claims : NULL,
                            .earlier = a->before ? &x->earlier : NULL,
                            .all_claims = claims,
                            .verdict = a->verdict};
    const int written = report_write(&x->lab, &report, stdout, e);
    fclose(claims);
    if (a->all_claims)
        fwrite(rows, 1, rows_n, a->all_claims);
    /* A sample's verdicts, or those of other compiler flags, are no size's. */
    if (!written && x->has_claims && rows_n && !(a->sampled > 0) && !a->cflags && lab_has_suite(&x->lab) &&
        !suite_cache_folder(cache, e))
        study_tell_verdicts(a, cache, rows, rows_n);
    free(rows);
    if (written)
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
        status = cli_fail(&e);
    }
    store_close(x.store);
    if (x.has_claims)
        claims_free(&x.claims);
    lab_free(&x.lab);
    search_results_free(&x.from);
    earlier_claims_free(&x.earlier);
    suite_free(&x.suite);
    return status;
}

/* ---- options ---- */

void study_init(struct study *a, int argc, char **argv)
{
    *a = (struct study){
        .size = "small", .jobs = cli_cores(), .command = text_join((const char *const *)argv, (size_t)argc, ' ')};
}

void study_free(struct study *a)
{
    for (size_t i = 0; i < a->plan.n; i++)
        plan_free(&a->plan.p[i]);
    VEC_FREE(&a->plan);
    free(a->command);
}

char *study_folder(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    return xasprintf("weir-%.*s", (int)strcspn(base, "."), base);
}

static void take_formats(struct argp_state *state, void *args, char *formats)
{
    struct err e;
    if (plot_check_formats(formats, &e))
        argp_error(state, "--format %s: %s; %s", formats, e.msg, e.hint);
    ((struct study *)args)->formats = formats;
}

static void take_engine(struct argp_state *state, void *args, char *engine)
{
    cli_choose(state, "--on", engine, (const char *const[]){"local", "slurm", NULL});
    ((struct study *)args)->slurm = !strcmp(engine, "slurm");
}

static void take_sampled(struct argp_state *state, void *args, char *error)
{
    struct err e;
    if (sampled_error_parse(error, &((struct study *)args)->sampled, &e))
        argp_error(state, "%s; %s", e.msg, e.hint);
}

static void take_threads(struct argp_state *state, void *args, char *text)
{
    struct err e;
    if (threads_parse(text, &((struct study *)args)->threads, &e))
        argp_error(state, "%s; %s", e.msg, e.hint);
}

static void check_options(struct argp_state *state, void *args)
{
    const struct study *a = args;
    if (a->threads > 1 && a->slurm)
        argp_error(state, "--threads and --on slurm exclude each other: a Slurm task has one core");
    if (a->sampled > 0 && a->profiles)
        argp_error(state, "--sampled and --profiles exclude each other: a sample has no profile of the whole run");
}

static const struct cli_option options[] = {
    {"size", "tiny|small|paper", "input size of the suite's programs (default: small)", CLI_SIZE(struct study, size)},
    {"jobs", "N", "number of parallel simulations (default: one per core)", CLI_JOBS(struct study, jobs),
     .letter = 'j'},
    {"threads", "N", "host threads of a simulation, up to N, where fewer are left than run in parallel (default: 1)",
     .call = take_threads},
    {"output", "DIR", "folder for report.html, tables and figures (default: weir-NAME)", CLI_TEXT(struct study, out),
     .letter = 'o'},
    {"format", "pdf,png,eps", "also draw figures in these formats (besides SVG)", .call = take_formats},
    {"profiles", NULL, "also profile every simulation, each on a page that the report leads to",
     CLI_FLAG(struct study, profiles)},
    {"cflags", "FLAGS",
     "compile suite programs with these flags instead of the plan's, e.g. -fno-unroll-loops ('' = none)",
     CLI_TEXT(struct study, cflags)},
    {"results", "FILE", "result store (default: results.sqlite in the cache folder)", CLI_TEXT(struct study, results)},
    {"sampled", "ERROR",
     "simulate a sample of each program, to this error of the cycles (default: 2%), and extrapolate (docs/sampling.md)",
     .call = take_sampled, .flags = OPTION_ARG_OPTIONAL},
    {"search-from", "FILE",
     "start searches at the results of another size (its report's found.ini), with steps of one eighth",
     CLI_TEXT(struct study, search_from)},
    {"before", "FILE", "put the verdicts of another run beside these: claims.tsv of its report",
     CLI_TEXT(struct study, before)},
    {"on", "local|slurm", "where to simulate: on this computer (default) or on a Slurm cluster", .call = take_engine},
    {"trust", NULL,
     "execute what a plan names (plugins, programs, compiler flags) without asking, also where it did not come with "
     "weir",
     CLI_FLAG(struct study, trust)},
    {"slurm", "OPTIONS", "with --on slurm: options for sbatch, e.g. '--partition=long --mem=4G'",
     CLI_TEXT(struct study, slurm_options)},
    {0}};
const struct cli_syntax study_syntax = {options, {{&progress_syntax, 0, NULL}}, .end = check_options};
