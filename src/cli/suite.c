/*
 * weir suite: the workloads that ship with weir, each a CUDA program of its own in suite/<name>/ with a program.ini
 * that says where it comes from and which papers use it. A program is compiled with `weir cc` when it is first needed
 * (into the cache folder) and then run like any other program.
 */
#include "cli/cli.h"
#include "cli/target.h"
#include "cli/machine_args.h"
#include "cli/progress.h"
#include "cli/suite_run.h"
#include "gpu/plugin.h"

#include <argp.h>
#include <stdbool.h>
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
    VEC(char *) name; /* the verb, then programs */
    struct suite_plan plan;
    struct machine_args machine; /* what the runs are given, to be judged before the first */
};

static int choose(const struct suite *s, struct args *a)
{
    if (a->all && a->name.n > 1) {
        fprintf(stderr, "weir: --all or names ('%s'), not both\n", a->name.p[1]);
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
        fputs("weir: which program? name some, or say --all\n", stderr);
    return a->plan.program.n ? 0 : -1;
}

/* A machine that cannot be built is an error before the first program is compiled. */
static int judge(const struct args *a)
{
    struct err e;
    if (a->plan.functional && a->machine.opts.with) {
        fputs("weir: an execution without timing has no policies, so --with has nothing to do\n", stderr);
        return -1;
    }
    if (a->plan.functional && a->plan.energy) {
        fputs("weir: an execution without timing has no energy, so --energy has nothing to do\n", stderr);
        return -1;
    }
    if (!machine_args_check(&a->machine, !a->plan.functional, &e))
        return 0;
    err_print(&e, stderr);
    return -1;
}

/* ---- options ---- */
enum { KEY_ALL = 1000, KEY_SIZE, KEY_FUNCTIONAL, KEY_SET, KEY_WITH, KEY_PLUGIN, KEY_JSON, KEY_ENGINE, KEY_ENERGY };

static const struct argp_option options[] = {
    {"all", KEY_ALL, NULL, 0, "every program", 0},
    {"size", KEY_SIZE, "tiny|small|paper", 0, "input size (default: small)", 0},
    {"functional", KEY_FUNCTIONAL, NULL, 0, "execute only, without the timing model", 0},
    {"gpu", 'g', "MACHINE", 0, "simulated GPU: see 'weir list gpus'", 0},
    {"set", KEY_SET, "KEY=VALUE", 0, "change one parameter of the machine", 0},
    {"with", KEY_WITH, "POLICY,...", 0, "policies: see 'weir list policies'", 0},
    {"plugin", KEY_PLUGIN, "FILE.so", 0, "add the policies of a plugin; may be repeated", 0},
    {"json", KEY_JSON, "FILE", 0, "write the statistics of all programs", 0},
    {"energy", KEY_ENERGY, NULL, 0, "energy and power of each run (docs/energy.md)", 0},
    {"jobs", 'j', "N", 0, "programs at a time (default: one for each core)", 0},
    {"engine", KEY_ENGINE, "skip|tick", 0, "skip idle time (default), or tick every cycle: the oracle", 0},
    {0},
};

static void pass_on(struct args *a, const char *option, const char *value)
{
    VEC_PUSH(&a->plan.pass, (char *)option);
    VEC_PUSH(&a->plan.pass, (char *)value);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case KEY_ALL:
        a->all = true;
        return 0;
    case KEY_SIZE:
        a->plan.size = target_size(state, arg);
        return 0;
    case KEY_FUNCTIONAL:
        a->plan.functional = true;
        return 0;
    case 'g':
        a->machine.opts.machine = arg;
        pass_on(a, "--gpu", arg);
        return 0;
    case KEY_SET:
        machine_args_set(&a->machine, arg);
        pass_on(a, "--set", arg);
        return 0;
    case KEY_WITH:
        machine_args_with(&a->machine, arg);
        pass_on(a, "--with", arg);
        return 0;
    case KEY_PLUGIN: {
        struct err e;
        if (plugin_load(arg, &e)) { /* said once, not by each program */
            err_print(&e, stderr);
            exit(CLI_BAD_INPUT);
        }
        pass_on(a, "--plugin", arg);
        return 0;
    }
    case KEY_ENERGY:
        a->machine.opts.energy = a->plan.energy = true;
        VEC_PUSH(&a->plan.pass, (char *)"--energy");
        return 0;
    case KEY_JSON:
        a->machine.json = a->plan.json = arg;
        return 0;
    case 'j':
        a->plan.parallel = cli_jobs(state, arg);
        return 0;
    case KEY_ENGINE:
        cli_choose(state, "--engine", arg, (const char *const[]){"skip", "tick", NULL});
        pass_on(a, "--engine", arg);
        return 0;
    case ARGP_KEY_ARG:
        VEC_PUSH(&a->name, arg);
        return 0;
    case ARGP_KEY_END:
        cli_choose(state, NULL, a->name.n ? a->name.p[0] : NULL, (const char *const[]){"list", "run", "check", NULL});
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&progress_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    options,
    on_option,
    "list [PROGRAM...]\nrun [PROGRAM...]\ncheck [PROGRAM...]",
    "The workloads that ship with weir.\v"
    "list   names, origin, what each does, which papers use it\n"
    "run    compile and run programs on a simulated GPU; a table of cycles, IPC and L1 miss rate\n"
    "check  execute programs without timing; each checks its own result (all when none is named); a table of "
    "instructions\n\n"
    "Examples:\n"
    "  weir suite list\n"
    "  weir suite run bfs kmeans --gpu gtx480 --with apcm\n"
    "  weir suite run --all --size tiny\n"
    "  weir suite check --size paper --jobs 2 --json counts.json",
    children,
    NULL,
    NULL,
};

int cli_suite(int argc, char **argv)
{
    struct args a = {.plan = {.size = "small", .parallel = cli_cores()}};
    cli_parse(&argp, argc, argv, 0, &a);
    struct suite s = {0};
    struct err e;
    int status = CLI_BAD_INPUT;
    if (suite_load(&s, &e)) {
        err_print(&e, stderr);
    } else if (!strcmp(a.name.p[0], "list")) {
        a.all |= a.name.n == 1;
        if (a.plan.json || a.plan.functional || a.plan.pass.n)
            fputs("weir: a list runs nothing, so the options of runs have nothing to do\n", stderr);
        else if (!choose(&s, &a))
            status = suite_list(&s, &a.plan);
    } else {
        if (!strcmp(a.name.p[0], "check")) {
            a.plan.functional = true;
            a.all |= a.name.n == 1;
        }
        if (!judge(&a) && !choose(&s, &a))
            status = suite_run(&s, &a.plan);
    }
    VEC_FREE(&a.name);
    machine_args_free(&a.machine);
    VEC_FREE(&a.plan.pass);
    VEC_FREE(&a.plan.program);
    suite_free(&s);
    return status;
}
