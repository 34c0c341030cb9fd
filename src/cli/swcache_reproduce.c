/*
 * weir reproduce swcache: the applications of the software L1 ("Resurrecting L1"), plain and cached, on simulated
 * machines or, with --device, on the GPU of this computer. The paper's figures are lost; its numbers that survive are
 * printed beside ours.
 *
 * An application is compiled for each use, and each variant runs in a process of its own, which checks every output
 * against a reference. On simulated machines the cached kernel is always used, because that is the question; on a
 * device, the program chooses as it would in earnest.
 */
#include "base/err.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/suite_programs.h"
#include "cli/swcache_reproduce.h"

#include <argp.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
    const char *size, *app;
    bool device;
};

struct names {
    VEC(char *) name;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_apps(struct names *apps, const char *folder, const char *only, struct err *e)
{
    DIR *d = opendir(folder);
    if (!d)
        return err_at(e, folder, 0, 0, "cannot be read");
    for (struct dirent *x; (x = readdir(d));)
        if (x->d_name[0] != '.' && !strchr(x->d_name, '.') && (!only || !strcmp(only, x->d_name)))
            VEC_PUSH(&apps->name, xstrdup(x->d_name));
    closedir(d);
    if (!apps->name.n)
        return err_at(e, folder, 0, 0, "there is no such application");
    qsort(apps->name.p, apps->name.n, sizeof *apps->name.p, by_name);
    return 0;
}

/* Compiles one application; its path in binary. */
static int build(const char *app, const char *library, const char *cache, bool device, char binary[SUITE_PATH])
{
    char source[3][2 * SUITE_PATH], include[2 * SUITE_PATH];
    static const char *const parts[3] = {"app", "plain", "hand"};
    for (int k = 0; k < 3; k++)
        snprintf(source[k], sizeof source[k], "%s/apps/%s/%s.cu", library, app, parts[k]);
    snprintf(include, sizeof include, "-I%s", library);
    snprintf(binary, SUITE_PATH, "%.*s/swcache-%s%s", PATH_MAX, cache, app, device ? "-device" : "");
    char *simulated[] = {"weir", "cc",   "-O1", "-DSWCACHE_TUNE=0", include, source[0], source[1], source[2],
                         "-o",   binary, NULL};
    char *real[] = {"weir",    "cc",      "--nvcc",  "-O3", "-arch=native", "-std=c++17", include,
                    source[0], source[1], source[2], "-o",  binary,         NULL};
    return suite_spawn(device ? real : simulated, false);
}

/* Runs one variant on a simulated machine: its cycles and instructions, or -1. */
static int simulate(char *binary, const char *machine, const char *size, char *variant, const char *cache,
                    double out[2])
{
    char gpu[64], json[2 * SUITE_PATH], path[SUITE_PATH];
    snprintf(gpu, sizeof gpu, "--gpu=%s", machine);
    snprintf(path, sizeof path, "%.*s/swcache.json", PATH_MAX, cache);
    snprintf(json, sizeof json, "--json=%s", path);
    char *argv[] = {"weir", "run", "-q", gpu, json, binary, "--size", (char *)size, "--variant", variant, NULL};
    if (suite_spawn(argv, true))
        return -1;
    json_t *all = json_load_file(path, 0, NULL), *total = json_object_get(all, "total");
    out[0] = json_number_value(json_object_get(total, "cycles"));
    out[1] = json_number_value(json_object_get(total, "sm.issue_cycles"));
    json_decref(all);
    return out[0] > 0 ? 0 : -1;
}

static int on_machines(const struct names *apps, const struct args *a, const char *library, const char *cache)
{
    static const char *const machines[] = {"gtx480", "gtx780", "h200"};
    int status = CLI_OK;
    printf(
        "Speed-up of the cached kernel and, in brackets, warp instructions issued, over the plain kernel (size %s).\n"
        "The paper: 25%% more instructions issued. On an H200, measured: see docs/swcache.md.\n\n%-14s",
        a->size, "program");
    for (size_t m = 0; m < 3; m++)
        printf("  %-14s", machines[m]);
    putchar('\n');
    for (size_t k = 0; k < apps->name.n; k++) {
        char binary[SUITE_PATH];
        if (build(apps->name.p[k], library, cache, false, binary))
            return CLI_BAD_INPUT;
        printf("%-14s", apps->name.p[k]);
        for (size_t m = 0; m < 3; m++) {
            double plain[2], cached[2];
            if (simulate(binary, machines[m], a->size, "plain", cache, plain) ||
                simulate(binary, machines[m], a->size, "hand", cache, cached)) {
                printf("  %-14s", "failed");
                status = CLI_PROGRAM_FAILED;
            } else {
                printf("  %4.2f (x%4.2f)  ", plain[0] / cached[0], cached[1] / plain[1]);
            }
            fflush(stdout);
        }
        putchar('\n');
    }
    return status;
}

/* Every application on the GPU of this computer; each prints its own lines. */
static int on_device(const struct names *apps, const char *library, const char *cache)
{
    int status = CLI_OK;
    for (size_t k = 0; k < apps->name.n; k++) {
        char binary[SUITE_PATH];
        if (build(apps->name.p[k], library, cache, true, binary))
            return CLI_BAD_INPUT;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            execl(binary, binary, "--size", "full", "--launches", "31", (char *)NULL);
            _exit(127);
        }
        int how = 1;
        if (pid < 0 || waitpid(pid, &how, 0) < 0 || how)
            status = CLI_PROGRAM_FAILED;
    }
    return status;
}

static error_t on_option(int key, char *value, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 's':
        a->size = value;
        if (strcmp(value, "tiny") && strcmp(value, "small"))
            argp_error(state, "--size=%s: tiny or small", value);
        return 0;
    case 'a':
        a->app = value;
        return 0;
    case 'd':
        a->device = true;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

int swcache_reproduce(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"size", 's', "SIZE", 0, "tiny or small (default): what the simulated machines run", 0},
        {"app", 'a', "NAME", 0, "one application only", 0},
        {"device", 'd', NULL, 0, "run on the GPU of this computer instead (needs nvcc)", 0},
        {0}};
    static const struct argp argp = {options,
                                     on_option,
                                     NULL,
                                     "The software L1: every application, plain and cached.\v"
                                     "Examples:\n"
                                     "  weir reproduce swcache --size tiny --app wordcount\n"
                                     "  weir reproduce swcache --device\n",
                                     NULL,
                                     NULL,
                                     NULL};
    struct args a = {.size = "small"};
    argp_err_exit_status = CLI_BAD_INPUT;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    char library[PATH_MAX], apps_folder[PATH_MAX + 8], cache[SUITE_PATH];
    struct err e = {0};
    struct names apps = {0};
    int status = CLI_BAD_INPUT;
    if (paths_find(PATHS_SWCACHE, library, sizeof library)) {
        fputs("weir: the folder of swcache.cuh is missing; install weir or run it from its build folder\n", stderr);
        return status;
    }
    snprintf(apps_folder, sizeof apps_folder, "%s/apps", library);
    if (read_apps(&apps, apps_folder, a.app, &e) || suite_cache_folder(cache, &e))
        err_print(&e, stderr);
    else
        status = a.device ? on_device(&apps, library, cache) : on_machines(&apps, &a, library, cache);
    for (size_t k = 0; k < apps.name.n; k++)
        free(apps.name.p[k]);
    VEC_FREE(&apps.name);
    return status;
}
