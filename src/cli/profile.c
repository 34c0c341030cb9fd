/*
 * weir profile: runs a program, a recording or a program of the suite with counts by instruction, or takes the document
 * of such a run, and tells where the time went: on the screen, and as a page.
 */
#include "base/out_of_memory.h"
#include "base/jsonfile.h"
#include "base/outfile.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/program_arg.h"
#include "cli/run.h"
#include "base/temp_folder.h"
#include "cli/suite_record.h"
#include "profile/profile.h"

#include <argp.h>
#include <errno.h>
#include <unistd.h>

enum { KEY_HTML = 600, KEY_JSON, KEY_SIZE, KEY_SOURCE, KEY_ENERGY, KEY_CFLAGS, KEY_TIMELINE };

struct args {
    struct machine_args machine;
    const char *html, *json, *size, *source, *cflags;
    char **argv;
    int argc;
    char *command; /* as it was typed */
};

/* ---- what to profile ---- */

/* The document of a run that is done. */
static bool is_document(const char *what)
{
    return !strcmp(what, "-") || text_ends_in(what, ".json");
}

/* Simulates, with the document at `path`; an exit status. */
static int simulate(struct args *a, const char *path)
{
    struct machine_args *m = &a->machine;
    m->opts.profile = true;
    m->no_summary = true;
    m->json = path;
    switch (program_arg_kind(a->argv[0])) {
    case PROGRAM_ARG_RECORDING:
        return replay_recording(m, a->argv[0], stdout);
    case PROGRAM_ARG_PROGRAM: {
        /* A name without a slash that is a file here is that file. */
        char *here = strchr(a->argv[0], '/') ? NULL : xasprintf("./%s", a->argv[0]);
        char *typed = a->argv[0];
        a->argv[0] = here ? here : typed;
        const int status = run_program(m, a->argc, a->argv);
        a->argv[0] = typed;
        free(here);
        return status;
    }
    default: {
        char recording[SUITE_PATH];
        struct err e;
        if (!suite_record_named(a->argv[0], a->size, a->cflags, recording, &e))
            return replay_recording(m, recording, stdout);
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    }
}

/* ---- the profile ---- */

static int write_page(const struct args *a, const struct profile *p, struct err *e)
{
    struct outfile *o = outfile_open(a->html, e);
    if (!o)
        return -1;
    struct err later;
    const int drawn = profile_page(p, a->command, outfile_stream(o), e);
    if (outfile_commit(o, &later)) {
        *e = later;
        return -1;
    }
    return drawn; /* the page is there, without a picture */
}

static int show(const struct args *a, const char *path, const char *name)
{
    struct err e;
    struct profile p;
    json_t *doc = jsonfile_read(path, &e);
    if (!doc || profile_read(&p, doc, name, a->source, &e)) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    profile_print(&p, stdout);
    int bad = a->html && write_page(a, &p, &e);
    if (bad)
        err_print(&e, stderr);
    profile_free(&p);
    return bad ? CLI_BAD_INPUT : CLI_OK;
}

static int profile(struct args *a)
{
    struct err e;
    struct temp_folder folder = {0}; /* of a document that nobody wants to keep */
    char path[PATH_MAX + 16];
    if ((a->html && outfile_check(a->html, &e)) || (a->json && outfile_check(a->json, &e)) ||
        (a->machine.timeline && outfile_check(a->machine.timeline, &e))) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    if (is_document(a->argv[0]))
        return show(a, a->argv[0], a->argv[0]);
    if (a->json)
        snprintf(path, sizeof path, "%s", a->json);
    else if (temp_folder_make(&folder, "profile", &e)) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    } else
        snprintf(path, sizeof path, "%s/run.json", folder.path);
    /* A program that fails leaves a document of what there was. */
    int status = simulate(a, path);
    if (status != CLI_BAD_INPUT && !access(path, R_OK)) {
        const int shown = show(a, path, a->argv[0]);
        status = status ? status : shown;
    }
    temp_folder_remove(&folder);
    return status;
}

/* ---- options ---- */

static void check_options(const struct args *a, struct argp_state *state)
{
    if (!a->argc)
        argp_error(state, "no input given; name an executable, a recording, a suite program, or a run's FILE.json");
    if (a->json && !strcmp(a->json, "-"))
        argp_error(state, "--json -: the profile uses standard output; give a file name");
    if (is_document(a->argv[0]) && (a->machine.opts.machine || a->machine.opts.n_set || a->machine.opts.with))
        argp_error(state, "%s is a finished run: --gpu, --set and --with have no effect", a->argv[0]);
    if (is_document(a->argv[0]) && a->machine.opts.energy)
        argp_error(state, "%s is a finished run: use 'weir energy %s'", a->argv[0], a->argv[0]);
    if (is_document(a->argv[0]) && a->machine.timeline)
        argp_error(state, "%s is a finished run: --timeline has no effect", a->argv[0]);
    if (a->cflags && (is_document(a->argv[0]) || program_arg_kind(a->argv[0]) != PROGRAM_ARG_SUITE))
        argp_error(state, "--cflags is for programs of the suite, which weir compiles");
    if (is_document(a->argv[0]) && a->json)
        argp_error(state, "%s already is a statistics document: --json has no effect", a->argv[0]);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->machine;
        return 0;
    case KEY_HTML:
        a->html = arg;
        return 0;
    case KEY_JSON:
        a->json = arg;
        return 0;
    case KEY_SOURCE:
        a->source = arg;
        return 0;
    case KEY_ENERGY:
        a->machine.opts.energy = true;
        return 0;
    case KEY_TIMELINE:
        a->machine.timeline = arg;
        a->machine.opts.timeline = true;
        return 0;
    case KEY_CFLAGS:
        a->cflags = arg;
        return 0;
    case KEY_SIZE:
        a->size = program_arg_size(state, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (a->argc)
            argp_error(state, "give one program");
        program_arg_take(state, !is_document(arg) && program_arg_kind(arg) == PROGRAM_ARG_PROGRAM, &a->argc, &a->argv);
        return 0;
    case ARGP_KEY_SUCCESS:
        check_options(a, state);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
    {"html", KEY_HTML, "FILE", 0,
     "also write one self-contained HTML page with plots, annotated source and sortable tables", 0},
    {"json", KEY_JSON, "FILE", 0, "save the statistics document; 'weir profile FILE' shows it again", 0},
    {"energy", KEY_ENERGY, NULL, 0, "also report energy by component (docs/energy.md)", 0},
    {"timeline", KEY_TIMELINE, "FILE.json", 0, "also write the run over time for ui.perfetto.dev (docs/profile.md)", 0},
    {"source", KEY_SOURCE, "DIR", 0, "folder of the sources, if they have moved since compilation", 0},
    {"size", KEY_SIZE, "tiny|small|paper", 0, "input size of a suite program (default: small)", 0},
    {"cflags", KEY_CFLAGS, "FLAGS", 0, "compile a suite program with these flags, too, as a study's report names them",
     0},
    {0},
};
static const struct argp_child children[] = {{&machine_argp, 0, "The machine:", 1}, {&progress_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    options,
    parse,
    "./PROGRAM [ARGUMENTS]\nNAME|FILE.wt|FILE.json",
    "Shows where a program spends its time on a simulated GPU: the main findings in plain sentences; kernels; stalls "
    "by reason and by source line; each load, store and atomic with its lines, sectors, hits and waits; occupancy and "
    "its limit; behavior over time. A name is a program of the suite.\vExamples:\n"
    "  weir profile ./app\n"
    "  weir profile --gpu gtx780 --html app.html ./app 1000000\n"
    "  weir profile --size tiny bfs\n"
    "  weir run --profile --json run.json ./app; weir profile run.json\n"
    "\n"
    "docs/profile.md explains the output.\n"
    "Exit status: 0 done, 1 the program failed (its status, a signal or a device fault), 2 bad input, 3 deadlock of "
    "the machine.\n",
    children,
    NULL,
    NULL,
};

static char *join_words(int argc, char **argv)
{
    char *line = xasprintf("%s", argv[0]);
    for (int i = 1; i < argc; i++) {
        char *longer = xasprintf("%s %s", line, argv[i]);
        free(line);
        line = longer;
    }
    return line;
}

int cli_profile(int argc, char **argv)
{
    struct args a = {.size = "small", .command = join_words(argc, argv)};
    machine_args_init(&a.machine);
    const int status = cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &a) ? CLI_BAD_INPUT : profile(&a);
    machine_args_free(&a.machine);
    free(a.command);
    return status;
}
