/*
 * weir suite: the workloads that ship with weir, each a CUDA program of its own in suite/<name>/ with a program.ini
 * that says where it comes from and which papers use it. A program is compiled with `weir cc` when it is first needed
 * (into the cache folder) and then run like any other program.
 */
#include "cli/cli.h"
#include "cli/suite_programs.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- list ---- */
static int suite_list(const struct suite *s)
{
    for (size_t i = 0; i < s->program.n; i++) {
        const struct suite_program *p = &s->program.p[i];
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
    printf("%zu programs; sizes of each: tiny, small, paper\n", s->program.n);
    return CLI_OK;
}

/* ---- run ---- */
struct args {
    bool all, functional;
    const char *size;
    VEC(char *) name, pass; /* programs; options handed on to `weir run` */
};

static int run_one(const struct suite *s, const struct suite_program *p, const char *cache, struct args *a)
{
    char binary[SUITE_PATH];
    if (suite_build(s, p, cache, binary)) {
        fprintf(stderr, "weir: suite program '%s' did not compile\n", p->name);
        return CLI_BAD_INPUT;
    }
    char *argv[64] = {"weir", "run"};
    int n = 2;
    if (a->functional)
        argv[n++] = "--functional";
    for (size_t i = 0; i < a->pass.n && n < 60; i++)
        argv[n++] = a->pass.p[i];
    argv[n++] = binary;
    argv[n++] = (char *)a->size;
    argv[n] = NULL;
    return suite_spawn(argv, false);
}

static int suite_run(struct suite *s, struct args *a)
{
    struct err e;
    char cache[SUITE_PATH];
    if (suite_cache_folder(cache, &e)) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    VEC(const struct suite_program *) todo = {0};
    for (size_t i = 0; a->all && i < s->program.n; i++)
        VEC_PUSH(&todo, &s->program.p[i]);
    for (size_t i = 0; i < a->name.n; i++) {
        const struct suite_program *p = suite_find(s, a->name.p[i]);
        if (!p) {
            fprintf(stderr, "weir: the suite has no program '%s'; 'weir suite list' shows them\n", a->name.p[i]);
            VEC_FREE(&todo);
            return CLI_BAD_INPUT;
        }
        VEC_PUSH(&todo, p);
    }
    if (!todo.n) {
        fputs("weir: which program? name some, or say --all\n", stderr);
        return CLI_BAD_INPUT;
    }
    int worst = CLI_OK;
    size_t failed = 0;
    for (size_t i = 0; i < todo.n; i++) {
        int status = run_one(s, todo.p[i], cache, a);
        failed += status != CLI_OK;
        if (status > worst)
            worst = status;
    }
    if (todo.n > 1)
        printf("suite: %zu programs, %zu failed\n", todo.n, failed);
    VEC_FREE(&todo);
    return worst;
}

/* ---- options ---- */
enum { KEY_ALL = 1000, KEY_SIZE, KEY_FUNCTIONAL, KEY_SET, KEY_WITH, KEY_JSON, KEY_ENGINE };

static const struct argp_option options[] = {
    {"all", KEY_ALL, NULL, 0, "every program", 0},
    {"size", KEY_SIZE, "tiny|small|paper", 0, "input size (default: tiny)", 0},
    {"functional", KEY_FUNCTIONAL, NULL, 0, "execute only, without the timing model", 0},
    {"gpu", 'g', "MACHINE", 0, "simulated GPU: see 'weir list gpus'", 0},
    {"set", KEY_SET, "KEY=VALUE", 0, "change one parameter of the machine", 0},
    {"with", KEY_WITH, "POLICY,...", 0, "policies: see 'weir list policies'", 0},
    {"json", KEY_JSON, "FILE", 0, "write the statistics", 0},
    {"engine", KEY_ENGINE, "skip|tick", 0, "skip idle time (default), or tick every cycle: the oracle", 0},
    {0},
};

static void pass_on(struct args *a, const char *option, const char *value)
{
    VEC_PUSH(&a->pass, (char *)option);
    VEC_PUSH(&a->pass, (char *)value);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case KEY_ALL:
        a->all = true;
        return 0;
    case KEY_SIZE:
        if (strcmp(arg, "tiny") && strcmp(arg, "small") && strcmp(arg, "paper"))
            argp_error(state, "--size is tiny, small or paper, not '%s'", arg);
        a->size = arg;
        return 0;
    case KEY_FUNCTIONAL:
        a->functional = true;
        return 0;
    case 'g':
        pass_on(a, "--gpu", arg);
        return 0;
    case KEY_SET:
        pass_on(a, "--set", arg);
        return 0;
    case KEY_WITH:
        pass_on(a, "--with", arg);
        return 0;
    case KEY_JSON:
        pass_on(a, "--json", arg);
        return 0;
    case KEY_ENGINE:
        pass_on(a, "--engine", arg);
        return 0;
    case ARGP_KEY_ARG:
        VEC_PUSH(&a->name, arg);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
    options,
    on_option,
    "list\nrun [PROGRAM...]\ncheck [PROGRAM...]",
    "The workloads that ship with weir.\v"
    "list   names, origin, what each does, which papers use it\n"
    "run    compile and run programs on a simulated GPU\n"
    "check  run programs functionally; each checks its own result (all when none is named)\n\n"
    "Examples:\n"
    "  weir suite list\n"
    "  weir suite run bfs kmeans --gpu gtx480\n"
    "  weir suite run --all --size tiny",
    NULL,
    NULL,
    NULL,
};

int cli_suite(int argc, char **argv)
{
    argp_err_exit_status = CLI_BAD_INPUT;
    struct args a = {.size = "tiny"};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    struct suite s = {0};
    struct err e;
    int status = CLI_BAD_INPUT;
    if (suite_load(&s, &e)) {
        err_print(&e, stderr);
    } else if (a.name.n == 0) {
        fputs("weir: say list, run or check; 'weir suite --help' tells more\n", stderr);
    } else {
        const char *verb = a.name.p[0];
        memmove(a.name.p, a.name.p + 1, --a.name.n * sizeof *a.name.p);
        if (!strcmp(verb, "list")) {
            status = suite_list(&s);
        } else if (!strcmp(verb, "run")) {
            status = suite_run(&s, &a);
        } else if (!strcmp(verb, "check")) {
            a.functional = true;
            a.all = a.name.n == 0;
            status = suite_run(&s, &a);
        } else {
            fprintf(stderr, "weir: 'suite %s' is not a command; say list, run or check\n", verb);
        }
    }
    VEC_FREE(&a.name);
    VEC_FREE(&a.pass);
    suite_free(&s);
    return status;
}
