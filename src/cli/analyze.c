/*
 * weir analyze: what reuse the loads of a program have, whatever the caches (APCM, section 3). A recording is read; a
 * program, of the suite or any other, is recorded first.
 */
#include "cli/analyze.h"
#include "base/temp_folder.h"

#include "base/jsonfile.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/program_arg.h"
#include "profile/analyze_figures.h"
#include "report/report.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

enum { KEY_ALL = 500, KEY_SIZE, KEY_CLASSES, KEY_FIGURES, KEY_JSON, KEY_RESULTS, KEY_WITH };

static const struct argp_option options[] = {
    {"size", KEY_SIZE, "tiny|small|paper", 0, "input size of a suite program (default: small)", 0},
    {"json", KEY_JSON, "FILE", 0, "write all results, per load, to FILE ('-': standard output)", 0},
    {"figures", KEY_FIGURES, "FOLDER", 0, "write figures to FOLDER (needs gnuplot)", 0},
    {"all", KEY_ALL, NULL, 0, "analyze programs of the suite, one line each (those named, or all)", 0},
    {"classes", KEY_CLASSES, "PAPER,...", OPTION_ARG_OPTIONAL,
     "classify programs of the suite (those named, or those that each paper uses) by measurements on the papers' "
     "machines; PAPER is apcm, cart or sharedl1 (default: all three)",
     0},
    {"jobs", 'j', "N", 0, "with --all, --classes: number of parallel jobs (default: one per core)", 0},
    {"results", KEY_RESULTS, "FILE", 0, "with --classes: store simulation results in FILE and reuse those it has", 0},
    {"with", KEY_WITH, "POLICY", OPTION_HIDDEN, "not accepted; prints the reason", 0},
    {0},
};

int analyze_write_json(json_t *doc, const char *path, struct err *e)
{
    return jsonfile_write(doc, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12), e);
}

/* ---- what to analyze ---- */
struct source {
    char name[PATH_MAX];
    char recording[SUITE_PATH];
    struct temp_folder folder; /* of a recording that is removed afterward; none = it stays */
};

/* Runs it and keeps its streams for as long as they are read. An exit status. */
static int record_other(const struct analyze_args *a, struct source *s)
{
    const char *what = a->argv[0];
    char here[PATH_MAX + 2];
    struct err e;
    /* A folder of its own: under a name that can be guessed another user might have put a link. */
    if (temp_folder_make(&s->folder, "analyze", &e)) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    snprintf(s->recording, sizeof s->recording, "%.*s/program.wt", (int)sizeof s->recording - 16, s->folder.path);
    VEC(char *) line = {0};
    for (int i = 0; i < a->argc; i++)
        VEC_PUSH(&line, a->argv[i]);
    VEC_PUSH(&line, NULL);
    snprintf(here, sizeof here, "./%s", what);
    if (!strchr(what, '/'))
        line.p[0] = here;
    const int status = record_program(line.p, s->recording, RECORD_OUTPUT);
    VEC_FREE(&line);
    return status;
}

/* Fills *s; not 0: an exit status, told already. */
static int find_source(const struct analyze_args *a, struct source *s)
{
    struct err e;
    snprintf(s->name, sizeof s->name, "%s", a->argv[0]);
    switch (program_arg_kind(a->argv[0])) {
    case PROGRAM_ARG_RECORDING:
        snprintf(s->recording, sizeof s->recording, "%s", a->argv[0]);
        return CLI_OK;
    case PROGRAM_ARG_PROGRAM:
        return record_other(a, s);
    default:
        snprintf(s->name, sizeof s->name, "%s (%s)", a->argv[0], a->size);
        if (!suite_record_named(a->argv[0], a->size, s->recording, &e))
            return CLI_OK;
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
}

static int analyze_one(const struct analyze_args *a)
{
    struct source source = {0};
    struct err e;
    int status = find_source(a, &source);
    struct trace_file *f = status ? NULL : trace_open(source.recording, &e);
    temp_folder_remove(&source.folder); /* the recording is mapped */
    if (status)
        return status;
    struct analyze_opts opts = analyze_options(a);
    struct analysis found = {0};
    struct progress line;
    uint64_t insts = 0;
    for (uint32_t i = 0; f && i < trace_n_launches(f); i++)
        insts += trace_launch_insts(f, i);
    progress_begin(&line, insts);
    opts.poll = progress_poll;
    opts.poll_ctx = &line;
    const int bad = f ? analyze_trace(f, &opts, &found, &e) : -1;
    const bool stopped = progress_interrupted();
    progress_end(&line);
    if (bad) {
        err_print(&e, stderr);
        trace_close(f);
        return stopped ? CLI_PROGRAM_FAILED : CLI_BAD_INPUT;
    }
    struct analyze_summary s;
    analyze_summarize(&found, f, &s);
    if (!a->machine.json || strcmp(a->machine.json, "-"))
        analyze_print(&found, &s, source.name, analyze_machine(a), stdout);
    if (a->machine.json &&
        analyze_write_json(analyze_json(&found, &s, source.name, analyze_machine(a)), a->machine.json, &e)) {
        err_print(&e, stderr);
        status = CLI_BAD_INPUT;
    }
    if (a->figures) {
        const int drawn = analyze_draw(&s, source.name, a->figures, &e);
        if (drawn)
            err_print(&e, stderr);
        status = drawn < 0 ? CLI_BAD_INPUT : status;
    }
    analyze_summary_free(&s);
    analysis_free(&found);
    trace_close(f);
    return status;
}

/* Everything is judged before the first program is recorded. */
static int analyze(const struct analyze_args *a)
{
    struct err e;
    if (machine_args_check(&a->machine, false, &e) || (a->figures && report_folder(a->figures, &e))) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    return a->all ? analyze_all(a) : a->classes ? analyze_classes(a) : analyze_one(a);
}

/* ---- options ---- */
static void check_options(const struct analyze_args *a, struct argp_state *state)
{
    if (!a->all && !a->classes && !a->argc)
        argp_error(state, "no program given; name a suite program, a recording or an executable, or use --all");
    if (a->all && a->classes)
        argp_error(state, "--all and --classes cannot be combined");
    if (a->classes && (a->machine.opts.machine || a->machine.opts.n_set))
        argp_error(state, "--classes uses the papers' machines; --gpu and --set have no effect");
    if (a->classes && a->figures)
        argp_error(state, "--classes has no figures");
    if (a->results && !a->classes)
        argp_error(state, "--results needs --classes; an analysis stores no results");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct analyze_args *a = state->input;
    struct err e = {.msg = "which papers?", .hint = "only apcm, cart and sharedl1 define classes"};
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->machine;
        return 0;
    case KEY_SIZE:
        a->size = program_arg_size(state, arg);
        return 0;
    case KEY_ALL:
        a->all = true;
        return 0;
    case KEY_CLASSES:
        a->classes = arg ? class_papers(arg, &e) : (1u << CLASS_PAPERS) - 1;
        if (!a->classes)
            argp_error(state, "--classes: %s; %s", e.msg, e.hint);
        return 0;
    case KEY_WITH:
        argp_error(state, "an analysis has no timing model, so --with has no effect");
        return 0;
    case KEY_FIGURES:
        a->figures = arg;
        return 0;
    case KEY_JSON:
        a->machine.json = arg;
        return 0;
    case KEY_RESULTS:
        a->results = arg;
        return 0;
    case 'j':
        a->jobs = cli_jobs(state, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (a->all || a->classes) {
            VEC_PUSH(&a->name, arg);
            return 0;
        }
        if (a->argc)
            argp_error(state, "give one program, or --all before the names");
        program_arg_take(state, program_arg_kind(arg) == PROGRAM_ARG_PROGRAM, &a->argc, &a->argv);
        return 0;
    case ARGP_KEY_SUCCESS:
        check_options(a, state);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {
    {&untimed_argp, 0, "The machine (its SMs and its occupancy):", 1}, {&progress_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    options,
    parse,
    "NAME|FILE.wt|./PROGRAM [ARGUMENTS]\n--all [NAME...]\n--classes [NAME...]",
    "Reports the data reuse of a program's loads, without timing: locality types, uses per line, reuse distances, "
    "access pattern similarity, coalescing, replication between L1s, iterations. A name is a program of the "
    "suite.\vExamples:\n"
    "  weir analyze bfs\n"
    "  weir analyze --gpu gtx780 --json vecadd.json ./vecadd 1000000\n"
    "  weir analyze --figures pictures app.wt\n"
    "  weir analyze --all --size small -j 2\n"
    "  weir analyze --classes --size small --results classes.db\n"
    "\n"
    "docs/analyze.md defines every number.\n",
    children,
    NULL,
    NULL,
};

int cli_analyze(int argc, char **argv)
{
    struct analyze_args a = {.size = "small", .jobs = cli_cores()};
    machine_args_init(&a.machine);
    const int status = cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &a) ? CLI_BAD_INPUT : analyze(&a);
    machine_args_free(&a.machine);
    VEC_FREE(&a.name);
    return status;
}
