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

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

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
    if (temp_folder_make(&s->folder, "analyze", &e))
        return cli_fail(&e);
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

/* Fills *s; not 0: an exit status, reported already. */
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
        if (!suite_record_named(a->argv[0], a->size, NULL, s->recording, &e))
            return CLI_OK;
        return cli_fail(&e);
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
        status = cli_fail(&e);
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
    if (machine_args_check(&a->machine, false, &e) || (a->figures && report_folder(a->figures, &e)))
        return cli_fail(&e);
    return a->all ? analyze_all(a) : a->classes ? analyze_classes(a) : analyze_one(a);
}

/* ---- options ---- */
static void take_classes(struct argp_state *state, void *args, char *papers)
{
    struct analyze_args *a = args;
    struct err e = {.msg = "which papers?", .hint = "only apcm, cart and sharedl1 define classes"};
    a->classes = papers ? class_papers(papers, &e) : (1u << CLASS_PAPERS) - 1;
    if (!a->classes)
        argp_error(state, "--classes: %s; %s", e.msg, e.hint);
}

static void refuse_with(struct argp_state *state, void *args, char *policies)
{
    (void)args, (void)policies;
    argp_error(state, "an analysis has no timing model, so --with has no effect");
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct analyze_args *a = args;
    if (a->all || a->classes) {
        VEC_PUSH(&a->name, word);
        return;
    }
    if (a->argc)
        argp_error(state, "give one program, or --all before the names");
    program_arg_take(state, program_arg_kind(word) == PROGRAM_ARG_PROGRAM, &a->argc, &a->argv);
}

static void check_options(struct argp_state *state, void *args)
{
    const struct analyze_args *a = args;
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

static const struct cli_option options[] = {
    {"size", "tiny|small|paper", "input size of a suite program (default: small)", CLI_SIZE(struct analyze_args, size)},
    {"json", "FILE", "write all results, per load, to FILE ('-': standard output)",
     CLI_TEXT(struct analyze_args, machine.json)},
    {"figures", "FOLDER", "write figures to FOLDER (needs gnuplot)", CLI_TEXT(struct analyze_args, figures)},
    {"all", NULL, "analyze programs of the suite, one line each (those named, or all)",
     CLI_FLAG(struct analyze_args, all)},
    {"classes", "PAPER,...",
     "classify programs of the suite (those named, or those that each paper uses) by measurements on the papers' "
     "machines; PAPER is apcm, cart or sharedl1 (default: all three)",
     .call = take_classes, .flags = OPTION_ARG_OPTIONAL},
    {"jobs", "N", "with --all, --classes: number of parallel jobs (default: one per core)",
     CLI_JOBS(struct analyze_args, jobs), .letter = 'j'},
    {"results", "FILE", "with --classes: store simulation results in FILE and reuse those it has",
     CLI_TEXT(struct analyze_args, results)},
    {"with", "POLICY", "not accepted; prints the reason", .call = refuse_with, .flags = OPTION_HIDDEN},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&untimed_syntax, offsetof(struct analyze_args, machine), "The machine (its SMs and its occupancy):"},
     {&progress_syntax, 0, NULL}},
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
    take_word,
    check_options};

int cli_analyze(int argc, char **argv)
{
    struct analyze_args a = {.size = "small", .jobs = cli_cores()};
    cli_parse(&syntax, argc, argv, ARGP_IN_ORDER, &a);
    const int status = analyze(&a);
    machine_args_free(&a.machine);
    VEC_FREE(&a.name);
    return status;
}
