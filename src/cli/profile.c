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

#include <errno.h>
#include <unistd.h>

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
        return cli_fail(&e);
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
    if (!doc || profile_read(&p, doc, name, a->source, &e))
        return cli_fail(&e);
    profile_print(&p, stdout);
    const int status = a->html && write_page(a, &p, &e) ? cli_fail(&e) : CLI_OK;
    profile_free(&p);
    return status;
}

static int profile(struct args *a)
{
    struct err e;
    struct temp_folder folder = {0}; /* of a document that is not kept */
    char path[PATH_MAX + 16];
    if ((a->html && outfile_check(a->html, &e)) || (a->json && outfile_check(a->json, &e)) ||
        (a->machine.timeline && outfile_check(a->machine.timeline, &e)))
        return cli_fail(&e);
    if (is_document(a->argv[0]))
        return show(a, a->argv[0], a->argv[0]);
    if (a->json)
        snprintf(path, sizeof path, "%s", a->json);
    else if (temp_folder_make(&folder, "profile", &e)) {
        return cli_fail(&e);
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

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->argc)
        argp_error(state, "give one program");
    program_arg_take(state, !is_document(word) && program_arg_kind(word) == PROGRAM_ARG_PROGRAM, &a->argc, &a->argv);
}

static void check_options(struct argp_state *state, void *args)
{
    struct args *a = args;
    a->machine.opts.timeline = a->machine.timeline != NULL;
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

static const struct cli_option options[] = {
    {"html", "FILE", "also write one self-contained HTML page with plots, annotated source and sortable tables",
     CLI_TEXT(struct args, html)},
    {"json", "FILE", "save the statistics document; 'weir profile FILE' shows it again", CLI_TEXT(struct args, json)},
    {"energy", NULL, "report energy, or fail where the machine has no coefficients (docs/energy.md)",
     CLI_FLAG(struct args, machine.opts.energy)},
    {"timeline", "FILE.json", "also write the run over time for ui.perfetto.dev (docs/profile.md)",
     CLI_TEXT(struct args, machine.timeline)},
    {"source", "DIR", "folder of the sources, if they have moved since compilation", CLI_TEXT(struct args, source)},
    {"size", "tiny|small|paper", "input size of a suite program (default: small)", CLI_SIZE(struct args, size)},
    {"cflags", "FLAGS", "compile a suite program with these flags, too, as a study's report names them",
     CLI_TEXT(struct args, cflags)},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&machine_syntax, offsetof(struct args, machine), "The machine:"}, {&progress_syntax, 0, NULL}},
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
    take_word,
    check_options};

int cli_profile(int argc, char **argv)
{
    struct args a = {.size = "small", .command = text_join((const char *const *)argv, (size_t)argc, ' ')};
    cli_parse(&syntax, argc, argv, ARGP_IN_ORDER, &a);
    const int status = profile(&a);
    machine_args_free(&a.machine);
    free(a.command);
    return status;
}
