/*
 * weir sweep: programs under several machines, policies and settings, compared; from a plan file, or from the command
 * line alone, which describes the same plan (study/axes.h).
 */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_args.h"
#include "cli/study.h"
#include "study/axes.h"
#include "study/slurm.h"

#include <sys/stat.h>

struct args {
    struct study study;
    struct plan plan;         /* from the command line; its path names the report */
    const char *file;         /* a plan; NULL = the command line says all */
    const char *varied;       /* an option of the command line that says what to vary; NULL = none was given */
    VEC(const char *) metric; /* one table each */
    const char *normalize;
    const char *task; /* the folder of a job of Slurm, inside one of its tasks */
};

static const char nowhere[] = "sweep"; /* the path of a plan that is no file */

/* ---- words of the command line ---- */

/* Quotes a word for the plan, as study_programs.c takes it apart; one that contains a quote is put in the other kind. */
static char *quoted(const char *word)
{
    VEC(char) out = {0};
    char mark = 0;
    for (const char *c = word; *c || !mark; c++) {
        const char needed = *c == '\'' ? '"' : '\'';
        if (mark && mark != needed)
            VEC_PUSH(&out, mark);
        if (mark != needed)
            VEC_PUSH(&out, needed);
        mark = needed;
        if (!*c)
            break;
        VEC_PUSH(&out, *c);
    }
    VEC_PUSH(&out, mark);
    VEC_PUSH(&out, 0);
    return out.p;
}

/*
 * An executable and the words up to the next "--" are one program. Its name is what tells it from the others: the file
 * without its folder, and the arguments.
 */
static void add_executable(struct args *a, struct argp_state *state)
{
    int n = 0;
    char **word = &state->argv[state->next - 1];
    const int left = state->argc - (state->next - 1);
    char *run = NULL, *name = NULL;
    for (; n < left && strcmp(word[n], "--"); n++) {
        const char *slash = n ? NULL : strrchr(word[n], '/');
        char *q = quoted(word[n]);
        text_append(&run, " ", q);
        text_append(&name, " ", slash ? slash + 1 : word[n]);
        free(q);
    }
    if (plan_own_program(&a->plan, name)) { /* two of one name: distinguished by their folders */
        free(name);
        name = xstrdup(run);
    }
    VEC_PUSH(&a->plan.program, (struct plan_program){.name = name, .run = run});
    VEC_PUSH(&a->plan.programs.word, xstrdup(name));
    state->next += n - 1 + (n < left); /* and the "--" */
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (*word == '-') /* behind a "--", where argp takes everything for an argument */
        argp_error(state, "%s: options must precede the programs", word);
    if (text_ends_in(word, ".ini")) {
        if (a->file || a->plan.programs.word.n)
            argp_error(state, "a plan cannot be combined with another plan or with programs");
        a->file = word;
    } else if (a->file) {
        argp_error(state, "a plan cannot be combined with programs");
    } else if (strchr(word, '/') && !text_ends_in(word, ".wt")) {
        add_executable(a, state);
    } else {
        VEC_PUSH(&a->plan.programs.word, xstrdup(word)); /* of the suite, or a recording */
    }
}

static void vary(struct args *a, const char *option, enum plan_axis_kind kind, const char *key, const char *values)
{
    struct err e;
    err_clear(&e);
    a->varied = option;
    if (axes_add(&a->plan, kind, key, values, (struct inifile_place){0}, &e))
        exit(cli_fail(&e));
}

/* "gtx480,h200", or one file, whose name may hold blanks and commas */
static void add_machines(struct argp_state *state, void *args, char *machines)
{
    struct stat st;
    (void)state;
    char *one = !stat(machines, &st) && S_ISREG(st.st_mode) ? quoted(machines) : xstrdup(machines);
    vary(args, "--gpu", PLAN_AXIS_MACHINE, NULL, one);
    free(one);
}

static void add_policies(struct argp_state *state, void *args, char *policies)
{
    (void)state;
    vary(args, "--with", PLAN_AXIS_WITH, NULL, policies);
}

/* "l1.size=16KiB,32KiB" */
static void add_set(struct argp_state *state, void *args, char *word)
{
    const char *eq = strchr(word, '=');
    (void)state;
    if (!eq || eq == word) {
        struct err e;
        err_set(&e, "--set %s: write it as KEY=VALUE,VALUE,...", word);
        exit(cli_fail(&e));
    }
    char *key = xstrndup(word, (size_t)(eq - word));
    vary(args, "--set", PLAN_AXIS_SET, key, eq + 1);
    free(key);
}

static void add_metric(struct argp_state *state, void *args, char *metric)
{
    struct args *a = args;
    (void)state;
    a->varied = "--metric";
    VEC_PUSH(&a->metric, metric);
}

static void take_divisor(struct argp_state *state, void *args, char *variant)
{
    struct args *a = args;
    (void)state;
    a->varied = "--normalize";
    a->normalize = variant ? variant : "first";
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    if (!a->file && !a->plan.programs.word.n && !a->task)
        argp_error(state, "no plan or programs given");
    if (a->file && a->varied)
        argp_error(state, "%s cannot be used with a plan", a->varied);
}

static const struct cli_option options[] = {
    {"gpu", "MACHINE,...", "machines to compare ('weir list gpus'); gtx480 if not given", .call = add_machines},
    {"with", "POLICY,...",
     "policies to use together; each --with adds a configuration to compare; 'baseline' = the machine's own policies",
     .call = add_policies},
    {"set", "KEY=VALUE,...",
     "values of a parameter to compare, or a range: 8..64*2, 10..50+10; a --set for each parameter", .call = add_set},
    {"metric", "STATISTIC",
     "what to compare (default: ipc); a statistic, or as in 'l1.misses / l1.accesses'; a table for each --metric",
     .call = add_metric},
    {"normalize", "VARIANT", "normalize to this combination (its name in the table; default: the first)",
     .call = take_divisor, .flags = OPTION_ARG_OPTIONAL},
    {"task", "FOLDER", "internal: run this Slurm task's share of FOLDER", CLI_TEXT(struct args, task),
     .flags = OPTION_HIDDEN},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&study_syntax, offsetof(struct args, study), NULL}, {&plugin_syntax, 0, NULL}},
    "PLAN.ini\nPROGRAM...",
    "Run programs under several machines, policies and settings, and compare them: a table, a picture, a report.\vA "
    "PROGRAM is one of the suite ('weir suite list'), a recording (FILE.wt), or an executable, named with a slash; the "
    "words after an executable are its arguments, up to the next --. Runs every combination of --gpu, --with and "
    "--set.\n"
    "\n"
    "Examples:\n"
    "  weir sweep --with baseline --with apcm --normalize bfs kmeans spmv\n"
    "  weir sweep --sampled --size paper --with baseline --with apcm bfs fft\n"
    "  weir sweep --gpu gtx480,gtx780 --set l1.mshrs=32,64 --metric ipc bfs app.wt\n"
    "  weir sweep --set l1.mshrs=8..64*2 ./app 4096 -- ./other -- bfs\n"
    "  weir sweep l1size.ini --size tiny\n"
    "  weir sweep l1size.ini --on slurm --slurm '--partition=long'\n"
    "\n"
    "with l1size.ini:\n"
    "  [figure]\n"
    "  title     = L1 size\n"
    "  programs  = bfs spmv\n"
    "  metric    = ipc\n"
    "  normalize = first\n"
    "  [sweep]\n"
    "  with = lrr\n"
    "  with = gto\n"
    "  set  = l1.size: 16KiB 32KiB\n"
    "\n"
    "Results are stored: nothing is simulated twice, and after Ctrl-C the same command resumes.\n",
    take_word,
    check_options};

/* ---- plans ---- */

static void copy_words(struct inifile_words *to, const struct inifile_words *from)
{
    to->at = from->at;
    for (size_t i = 0; i < from->word.n; i++)
        VEC_PUSH(&to->word, xstrdup(from->word.p[i]));
}

/* The plan of one metric: the tables of several share their simulations. */
static int add_plan(struct args *a, const char *metric, struct err *e)
{
    struct plan p = {.metric = xstrdup(metric)};
    const struct plan *o = &a->plan;
    p.path = xstrdup(nowhere);
    if (a->metric.n > 1) { /* the figure's files are named after it */
        text_append(&p.path, "-", metric);
        for (char *c = p.path; *c; c++)
            *c = *c == '/' || *c == '.' || *c == ' ' ? '_' : *c;
    }
    VEC_PUSH(&p.text, p.path);
    p.title = xstrdup(metric);
    VEC_PUSH(&p.means.word, xstrdup("all"));
    if (a->normalize) {
        p.normalize = xstrdup(a->normalize);
        p.geometric = true;
    }
    copy_words(&p.programs, &o->programs);
    for (size_t i = 0; i < o->program.n; i++)
        VEC_PUSH(&p.program,
                 (struct plan_program){.name = xstrdup(o->program.p[i].name), .run = xstrdup(o->program.p[i].run)});
    for (size_t i = 0; i < o->sweep.n; i++) {
        const struct plan_axis *from = &o->sweep.p[i];
        struct plan_axis axis = {.kind = from->kind, .key = from->key ? xstrdup(from->key) : NULL};
        copy_words(&axis.value, &from->value);
        for (size_t k = 0; k < from->value.word.n; k++)
            VEC_PUSH(&axis.value_at, (struct inifile_place){0});
        VEC_PUSH(&p.sweep, axis);
    }
    if (!p.sweep.n) /* one machine as it is */
        axes_add(&p, PLAN_AXIS_MACHINE, NULL, GPU_DEFAULT, (struct inifile_place){0}, e);
    if (plan_complete(&p, e))
        return -1;
    VEC_PUSH(&a->study.plan, p);
    return 0;
}

static int make_plans(struct args *a, struct err *e)
{
    if (a->file) {
        struct plan p;
        if (plan_read(&p, a->file, e))
            return -1;
        VEC_PUSH(&a->study.plan, p);
        return 0;
    }
    if (!a->metric.n)
        VEC_PUSH(&a->metric, "ipc");
    for (size_t i = 0; i < a->metric.n; i++)
        if (add_plan(a, a->metric.p[i], e))
            return -1;
    return 0;
}

static int run_task(const char *folder)
{
    const char *task = getenv("SLURM_ARRAY_TASK_ID");
    struct err e;
    err_clear(&e);
    if (!task)
        err_set(&e, "--task is for tasks of Slurm, which have SLURM_ARRAY_TASK_ID");
    if (task && !slurm_task(folder, (unsigned)strtoul(task, NULL, 10), &e))
        return CLI_OK;
    return cli_fail(&e);
}

int cli_sweep(int argc, char **argv)
{
    struct args a = {0};
    struct err e;
    err_clear(&e);
    study_init(&a.study, argc, argv);
    /* In order: the words behind an executable are its own. */
    cli_parse(&syntax, argc, argv, ARGP_IN_ORDER, &a);
    char *folder = study_folder(a.file ? a.file : nowhere);
    a.study.title = a.file ? a.file : "sweep";
    if (!a.study.out)
        a.study.out = folder;
    const int status = a.task ? run_task(a.task) : make_plans(&a, &e) ? cli_fail(&e) : study_run(&a.study);
    free(folder);
    study_free(&a.study);
    plan_free(&a.plan);
    VEC_FREE(&a.metric);
    return status;
}
