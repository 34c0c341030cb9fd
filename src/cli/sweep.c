/*
 * weir sweep: programs under several machines, policies and settings, compared; from a plan file, or from the command
 * line alone, which describes the same plan (study/axes.h).
 */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_args.h"
#include "cli/study.h"
#include "cli/program_arg.h"
#include "study/axes.h"
#include "study/slurm.h"

#include <argp.h>
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

/* Quotes a word for the plan, as study_programs.c takes it apart; a quote in it stands between the other kind. */
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

static void append(char **text, const char *between, const char *word)
{
    char *old = *text;
    if (asprintf(text, "%s%s%s", old ? old : "", old ? between : "", word) < 0)
        exit(CLI_BAD_INPUT);
    free(old);
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
        append(&run, " ", q);
        append(&name, " ", slash ? slash + 1 : word[n]);
        free(q);
    }
    if (plan_own_program(&a->plan, name)) { /* two of one name: told apart by their folders */
        free(name);
        name = xstrdup(run);
    }
    VEC_PUSH(&a->plan.program, (struct plan_program){.name = name, .run = run});
    VEC_PUSH(&a->plan.programs.word, xstrdup(name));
    state->next += n - 1 + (n < left); /* and the "--" */
}

static void add_word(struct args *a, char *word, struct argp_state *state)
{
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

/* "gtx480,h200", or one file, whose name may hold blanks and commas */
static int add_machines(struct args *a, const char *arg, struct err *e)
{
    struct stat st;
    char *one = !stat(arg, &st) && S_ISREG(st.st_mode) ? quoted(arg) : xstrdup(arg);
    const int status = axes_add(&a->plan, PLAN_AXIS_MACHINE, NULL, one, (struct inifile_place){0}, e);
    free(one);
    return status;
}

/* "l1.size=16KiB,32KiB" */
static int add_set(struct args *a, const char *word, struct err *e)
{
    const char *eq = strchr(word, '=');
    if (!eq || eq == word) {
        err_set(e, "--set %s: write it as KEY=VALUE,VALUE,...", word);
        return -1;
    }
    char *key = xstrndup(word, (size_t)(eq - word));
    const int status = axes_add(&a->plan, PLAN_AXIS_SET, key, eq + 1, (struct inifile_place){0}, e);
    free(key);
    return status;
}

enum { KEY_GPU = 500, KEY_WITH, KEY_SET, KEY_METRIC, KEY_NORMALIZE, KEY_TASK };

static const struct argp_option options[] = {
    {"gpu", KEY_GPU, "MACHINE,...", 0, "machines to compare ('weir list gpus'); gtx480 if not given", 0},
    {"with", KEY_WITH, "POLICY,...", 0,
     "policies to use together; each --with adds a configuration to compare; 'baseline' = the machine's own policies",
     0},
    {"set", KEY_SET, "KEY=VALUE,...", 0,
     "values of a parameter to compare, or a range: 8..64*2, 10..50+10; a --set for each parameter", 0},
    {"metric", KEY_METRIC, "STATISTIC", 0,
     "what to compare (default: ipc); a statistic, or as in 'l1.misses / l1.accesses'; a table for each --metric", 0},
    {"normalize", KEY_NORMALIZE, "VARIANT", OPTION_ARG_OPTIONAL,
     "normalize to this combination (its name in the table; default: the first)", 0},
    {"task", KEY_TASK, "FOLDER", OPTION_HIDDEN, "internal: run this Slurm task's share of FOLDER", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    const struct inifile_place here = {0};
    struct err e;
    err_clear(&e);
    int bad = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->study;
        return 0;
    case KEY_GPU:
        a->varied = "--gpu";
        bad = add_machines(a, arg, &e);
        break;
    case KEY_WITH:
        a->varied = "--with";
        bad = axes_add(&a->plan, PLAN_AXIS_WITH, NULL, arg, here, &e);
        break;
    case KEY_SET:
        a->varied = "--set";
        bad = add_set(a, arg, &e);
        break;
    case KEY_METRIC:
        a->varied = "--metric";
        VEC_PUSH(&a->metric, arg);
        return 0;
    case KEY_NORMALIZE:
        a->varied = "--normalize";
        a->normalize = arg ? arg : "first";
        return 0;
    case KEY_TASK:
        a->task = arg;
        return 0;
    case ARGP_KEY_ARG:
        add_word(a, arg, state);
        return 0;
    case ARGP_KEY_END:
        if (!a->file && !a->plan.programs.word.n && !a->task)
            argp_error(state, "no plan or programs given");
        if (a->file && a->varied)
            argp_error(state, "%s cannot be used with a plan", a->varied);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (bad) {
        err_print(&e, stderr);
        exit(CLI_BAD_INPUT);
    }
    return 0;
}

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
        append(&p.path, "-", metric);
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
        axes_add(&p, PLAN_AXIS_MACHINE, NULL, "gtx480", (struct inifile_place){0}, e);
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

static const char doc[] =
    "Run programs under several machines, policies and settings, and compare them: a table, a picture, a report.\vA "
    "PROGRAM is one of the suite ('weir suite list'), a recording (FILE.wt), or an executable, named with a slash; the "
    "words after an executable are its arguments, up to the next --. Runs every combination of --gpu, --with and "
    "--set.\n"
    "\n"
    "Examples:\n"
    "  weir sweep --with baseline --with apcm --normalize bfs kmeans spmv\n"
    "  weir sweep --sampled --size paper --with baseline --with apcm --normalize bfs fft\n"
    "  weir sweep --gpu gtx480,gtx780 --set l1.size=16KiB,32KiB --metric ipc --metric l1.miss_rate bfs app.wt\n"
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
    "Results are stored: nothing is simulated twice, and after Ctrl-C the same command resumes.\n";

static int run_task(const char *folder)
{
    const char *task = getenv("SLURM_ARRAY_TASK_ID");
    struct err e;
    err_clear(&e);
    if (!task)
        err_set(&e, "--task is for tasks of Slurm, which have SLURM_ARRAY_TASK_ID");
    if (task && !slurm_task(folder, (unsigned)strtoul(task, NULL, 10), &e))
        return CLI_OK;
    err_print(&e, stderr);
    return CLI_BAD_INPUT;
}

int cli_sweep(int argc, char **argv)
{
    static const struct argp_child children[] = {{&study_argp, 0, NULL, 0}, {&plugin_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {options, on_option, "PLAN.ini\nPROGRAM...", doc, children, NULL, NULL};
    struct args a = {0};
    struct err e;
    err_clear(&e);
    study_init(&a.study);
    study_command(&a.study, argc, argv);
    int status = CLI_BAD_INPUT;
    char *folder = NULL;
    /* In order: the words behind an executable are its own. */
    if (!cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) {
        folder = study_folder(a.file ? a.file : nowhere);
        a.study.title = a.file ? a.file : "sweep";
        if (!a.study.out)
            a.study.out = folder;
        if (a.task)
            status = run_task(a.task);
        else if (make_plans(&a, &e))
            err_print(&e, stderr);
        else
            status = study_run(&a.study);
    }
    free(folder);
    study_free(&a.study);
    plan_free(&a.plan);
    VEC_FREE(&a.metric);
    return status;
}
