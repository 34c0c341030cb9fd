/*
 * weir suite: the workloads that ship with weir, each a CUDA program of its own in suite/<name>/ with a program.ini
 * that says where it comes from and which papers use it. A program is compiled with `weir cc` when it is first needed
 * (into the cache folder) and then run like any other program.
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/paths.h"
#include "cli/cli.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUITE_PAPERS(X)                                                                                                \
    X(apcm, "APCM")                                                                                                    \
    X(cart, "CART")                                                                                                    \
    X(sharedl1, "Shared L1")                                                                                           \
    X(caps, "CAPS")                                                                                                    \
    X(swcache, "software L1")

struct program {
    char *name; /* folder */
    char *title, *origin, *does, *source, *flags;
#define X(key, text) char *key;
    SUITE_PAPERS(X)
#undef X
};

struct suite {
    char folder[PATH_MAX];
    VEC(struct program) program;
};

/* Every key of program.ini and where its value goes: one list for reading and for freeing. */
enum { PROGRAM_FIELDS = 10 };
struct program_field {
    const char *key;
    char **at;
};
static void program_fields(struct program *p, struct program_field field[PROGRAM_FIELDS])
{
    const struct program_field all[] = {
        {"title", &p->title},
        {"origin", &p->origin},
        {"does", &p->does},
        {"source", &p->source},
        {"flags", &p->flags},
#define X(key, text) {#key, &p->key},
        SUITE_PAPERS(X)
#undef X
    };
    _Static_assert(sizeof all / sizeof *all == PROGRAM_FIELDS, "PROGRAM_FIELDS counts this list");
    memcpy(field, all, sizeof all);
}

static int on_ini(void *ctx, const char *section, const char *key, const char *value)
{
    struct program_field field[PROGRAM_FIELDS];
    program_fields(ctx, field);
    for (int i = 0; i < PROGRAM_FIELDS; i++)
        if (!strcmp(section, "program") && !strcmp(field[i].key, key)) {
            free(*field[i].at);
            *field[i].at = xstrdup(value);
            return 1;
        }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct program *)a)->name, ((const struct program *)b)->name);
}

static int suite_load(struct suite *s, struct err *e)
{
    if (paths_find(PATHS_SUITE, s->folder, sizeof s->folder)) {
        err_set(e, "weir's workload suite was not found");
        return err_hint(e, "install weir, or run it from its build folder");
    }
    DIR *d = opendir(s->folder);
    if (!d)
        return err_at(e, s->folder, 0, 0, "%s", strerror(errno));
    int status = 0;
    for (struct dirent *x; !status && (x = readdir(d));) {
        char path[PATH_MAX + 300];
        snprintf(path, sizeof path, "%s/%s/program.ini", s->folder, x->d_name);
        if (access(path, R_OK))
            continue;
        struct program p = {.name = xstrdup(x->d_name)};
        int line = ini_parse(path, on_ini, &p);
        if (line != 0)
            status = err_at(e, path, line > 0 ? line : 0, 0, "a line that is not a known 'key = value' of [program]");
        else if (!p.title || !p.origin || !p.does || !p.source)
            status = err_at(e, path, 0, 0, "title, origin, does and source must be given");
        VEC_PUSH(&s->program, p);
    }
    closedir(d);
    qsort(s->program.p, s->program.n, sizeof *s->program.p, by_name);
    return status;
}

static void suite_free(struct suite *s)
{
    for (size_t i = 0; i < s->program.n; i++) {
        struct program_field field[PROGRAM_FIELDS];
        program_fields(&s->program.p[i], field);
        for (int k = 0; k < PROGRAM_FIELDS; k++)
            free(*field[k].at);
        free(s->program.p[i].name);
    }
    VEC_FREE(&s->program);
}

static struct program *suite_find(struct suite *s, const char *name)
{
    for (size_t i = 0; i < s->program.n; i++)
        if (!strcmp(s->program.p[i].name, name))
            return &s->program.p[i];
    return NULL;
}

/* ---- list ---- */
static int suite_list(const struct suite *s)
{
    for (size_t i = 0; i < s->program.n; i++) {
        const struct program *p = &s->program.p[i];
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

/* ---- build and run ---- */
static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_BAD_INPUT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_PROGRAM_FAILED;
}

static int spawn(char **argv)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    return pid < 0 ? CLI_BAD_INPUT : wait_for(pid);
}

/* Where compiled programs are kept: $XDG_CACHE_HOME/weir or ~/.cache/weir. Creates the folder. */
static int cache_folder(char *out, size_t bytes, struct err *e)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[PATH_MAX];
    if (base && *base)
        snprintf(parent, sizeof parent, "%s", base);
    else
        snprintf(parent, sizeof parent, "%s/.cache", home && *home ? home : "/tmp");
    mkdir(parent, 0777);
    snprintf(out, bytes, "%s/weir", parent);
    if (mkdir(out, 0777) && errno != EEXIST)
        return err_at(e, out, 0, 0, "cannot create the folder: %s", strerror(errno));
    return 0;
}

static bool newer(const char *a, const struct stat *than)
{
    struct stat st;
    return stat(a, &st) == 0 &&
           (st.st_mtim.tv_sec > than->st_mtim.tv_sec ||
            (st.st_mtim.tv_sec == than->st_mtim.tv_sec && st.st_mtim.tv_nsec > than->st_mtim.tv_nsec));
}

/* A program is compiled again when its sources, the shared headers or weir itself are newer than it. */
static bool stale(const struct suite *s, const struct program *p, const char *binary)
{
    struct stat st;
    if (stat(binary, &st))
        return true;
    const char *const names[] = {p->name, "common"};
    for (int i = 0; i < 2; i++) {
        char folder[2 * PATH_MAX];
        snprintf(folder, sizeof folder, "%s/%s", s->folder, names[i]);
        DIR *d = opendir(folder);
        bool found = false;
        for (struct dirent *x; d && !found && (x = readdir(d));) {
            char file[3 * PATH_MAX];
            snprintf(file, sizeof file, "%s/%s", folder, x->d_name);
            found = x->d_name[0] != '.' && newer(file, &st);
        }
        if (d)
            closedir(d);
        if (found)
            return true;
    }
    return newer("/proc/self/exe", &st);
}

static int build(const struct suite *s, const struct program *p, const char *cache, char *binary, size_t bytes)
{
    snprintf(binary, bytes, "%s/%s", cache, p->name);
    if (!stale(s, p, binary))
        return CLI_OK;
    char source[3 * PATH_MAX];
    char *argv[32] = {"weir", "cc", "-O2"};
    int n = 3;
    char *flags = xstrdup(p->flags ? p->flags : ""), *sources = xstrdup(p->source);
    for (char *save, *f = strtok_r(flags, " ", &save); f && n < 16; f = strtok_r(NULL, " ", &save))
        argv[n++] = f;
    char *owned[8];
    int n_owned = 0;
    for (char *save, *f = strtok_r(sources, " ", &save); f && n_owned < 8; f = strtok_r(NULL, " ", &save)) {
        snprintf(source, sizeof source, "%s/%s/%s", s->folder, p->name, f);
        argv[n++] = owned[n_owned++] = xstrdup(source);
    }
    argv[n++] = "-o";
    argv[n++] = binary;
    argv[n] = NULL;
    int status = spawn(argv);
    for (int i = 0; i < n_owned; i++)
        free(owned[i]);
    free(flags);
    free(sources);
    return status;
}

struct args {
    bool all, functional;
    const char *size;
    VEC(char *) name, pass; /* programs; options handed on to `weir run` */
};

static int run_one(const struct suite *s, const struct program *p, const char *cache, struct args *a)
{
    char binary[PATH_MAX + 300];
    if (build(s, p, cache, binary, sizeof binary)) {
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
    return spawn(argv);
}

static int suite_run(struct suite *s, struct args *a)
{
    struct err e;
    char cache[PATH_MAX + 16];
    if (cache_folder(cache, sizeof cache, &e)) {
        err_print(&e, stderr);
        return CLI_BAD_INPUT;
    }
    VEC(struct program *) todo = {0};
    for (size_t i = 0; a->all && i < s->program.n; i++)
        VEC_PUSH(&todo, &s->program.p[i]);
    for (size_t i = 0; i < a->name.n; i++) {
        struct program *p = suite_find(s, a->name.p[i]);
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
