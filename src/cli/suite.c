/*
 * weir suite: the workloads that ship with weir, each a CUDA program of its own in suite/<name>/ with a program.ini
 * that gives its origin and the papers that use it. A program is compiled with `weir cc` when it is first needed
 * (into the cache folder) and then run like any other program.
 */
#include "cli/cli.h"
#include "cli/machine_args.h"
#include "cli/progress.h"
#include "cli/suite_run.h"

#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>

/* ---- list ---- */
static int suite_list(const struct suite *s, const struct suite_plan *chosen)
{
    for (size_t i = 0; i < chosen->program.n; i++) {
        const struct suite_program *p = chosen->program.p[i];
        printf("%-14s %s (%s)\n               %s\n", p->name, p->title, p->origin, p->does);
        const char *sep = "               ";
#define X(key, text)                                                                                                   \
    if (p->key) {                                                                                                      \
        printf("%s%s: %s", sep, text, p->key);                                                                         \
        sep = "; ";                                                                                                    \
    }
        SUITE_PAPERS(X)
#undef X
        puts(sep[0] == ';' ? "" : "               no paper");
    }
    if (chosen->program.n == s->program.n)
        printf("%zu programs; sizes of each: tiny, small, paper\n", s->program.n);
    return CLI_OK;
}

/* ---- run ---- */
struct args {
    bool all;
    const char *cflags;
    VEC(char *) name; /* the verb, then programs */
    struct suite_plan plan;
};

static int choose(const struct suite *s, struct args *a)
{
    if (a->all && a->name.n > 1) {
        fprintf(stderr, "weir: --all cannot be combined with names ('%s')\n", a->name.p[1]);
        return -1;
    }
    for (size_t i = 0; a->all && i < s->program.n; i++)
        VEC_PUSH(&a->plan.program, &s->program.p[i]);
    for (size_t i = 1; !a->all && i < a->name.n; i++) {
        const struct suite_program *p = suite_find(s, a->name.p[i]);
        if (!p) {
            struct err e;
            suite_unknown(s, a->name.p[i], "", &e);
            err_print(&e, stderr);
            return -1;
        }
        bool twice = false;
        for (size_t k = 0; k < a->plan.program.n; k++)
            twice |= a->plan.program.p[k] == p;
        if (!twice)
            VEC_PUSH(&a->plan.program, p);
    }
    if (!a->plan.program.n)
        fputs("weir: no program given; name some or use --all\n", stderr);
    return a->plan.program.n ? 0 : -1;
}

static void search_result_word(void *found, const char *word)
{
    (void)word;
    *(bool *)found = true;
}
/* Whether options were given that only runs can use. */
static bool runs_something(const struct args *a)
{
    const struct suite_plan *plan = &a->plan;
    bool found = a->cflags || plan->functional || plan->machine.json || plan->machine.quiet;
    machine_args_each_word(&plan->machine, search_result_word, &found);
    return found;
}

/* A machine that cannot be built is an error before the first program is compiled. */
static int exit_status(const struct args *a)
{
    struct err e;
    const char *option = machine_args_timing_option(&a->plan.machine);
    if (a->plan.functional && option) {
        fprintf(stderr, "weir: this run has no timing model, so %s has no effect\n", option);
        return -1;
    }
    if (a->plan.machine.opts.profile) {
        fprintf(stderr, "weir: a profile covers one program: weir profile %s\n",
                a->name.n > 1 ? a->name.p[1] : "PROGRAM");
        return -1;
    }
    if (!machine_args_check(&a->plan.machine, !a->plan.functional, &e))
        return 0;
    err_print(&e, stderr);
    return -1;
}

/* ---- options ---- */
static void add_word(struct argp_state *state, void *args, char *word)
{
    (void)state;
    VEC_PUSH(&((struct args *)args)->name, word);
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    cli_choose(state, NULL, a->name.n ? a->name.p[0] : NULL, (const char *const[]){"list", "run", "check", NULL});
}

static const struct cli_option options[] = {
    {"all", NULL, "every program", CLI_FLAG(struct args, all)},
    {"size", "tiny|small|paper", "input size (default: small)", CLI_SIZE(struct args, plan.size)},
    {"cflags", "FLAGS", "compile with these flags, too, as a study's report names them", CLI_TEXT(struct args, cflags)},
    {"functional", NULL, "execute only, without the timing model", CLI_FLAG(struct args, plan.functional)},
    {"jobs", "N", "number of parallel programs (default: one per core)", CLI_JOBS(struct args, plan.parallel),
     .letter = 'j'},
    {"profile", NULL, "not accepted; prints the right command", CLI_FLAG(struct args, plan.machine.opts.profile),
     .flags = OPTION_HIDDEN},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&machine_syntax, offsetof(struct args, plan.machine), "The machine:"},
     {&reports_syntax, offsetof(struct args, plan.machine), "The runs and their results:"}},
    "list [PROGRAM...]\nrun [PROGRAM...]\ncheck [PROGRAM...]",
    "The workloads that ship with weir.\v"
    "list   names, origin, what each does, which papers use it\n"
    "run    compile and run programs on a simulated GPU; a table of cycles, IPC and L1 miss rate\n"
    "check  execute programs without timing; each checks its own result (all when none is named); a table of "
    "instructions\n\n"
    "Examples:\n"
    "  weir suite list\n"
    "  weir suite run bfs kmeans --gpu gtx480 --with apcm\n"
    "  weir suite run bfs --size tiny --with apcm --explain-loads\n"
    "  weir suite run --all --size tiny\n"
    "  weir suite run fft hotspot --size paper --sampled\n"
    "  weir suite check --size paper --jobs 2 --json counts.json",
    add_word,
    check_options};

int cli_suite(int argc, char **argv)
{
    struct args a = {.plan = {.size = "small", .parallel = cli_cores()}};
    cli_parse(&syntax, argc, argv, 0, &a);
    struct suite s = {0};
    struct err e;
    int status = CLI_BAD_INPUT;
    if (suite_load(&s, &e)) {
        cli_fail(&e);
    } else if (!strcmp(a.name.p[0], "list")) {
        a.all |= a.name.n == 1;
        if (runs_something(&a))
            fputs("weir: 'list' runs nothing, so run options have no effect\n", stderr);
        else if (!choose(&s, &a))
            status = suite_list(&s, &a.plan);
    } else {
        if (!strcmp(a.name.p[0], "check")) {
            a.plan.functional = true;
            a.all |= a.name.n == 1;
        }
        for (size_t i = 0; i < s.program.n; i++)
            suite_add_flags(&s.program.p[i], a.cflags);
        if (!exit_status(&a) && !choose(&s, &a))
            status = suite_run(&s, &a.plan);
    }
    VEC_FREE(&a.name);
    machine_args_free(&a.plan.machine);
    VEC_FREE(&a.plan.program);
    suite_free(&s);
    return status;
}
