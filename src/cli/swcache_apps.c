/* See swcache_apps.h. */
#include "cli/swcache_apps.h"

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/suite_record.h"
#include "engine/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const swcache_variant_name[SWCACHE_VARIANTS] = {"plain", "hand", "auto"};

/* ---- which ---- */

/* Coalesced, random, tiny or already in shared memory. */
static const char *group_of(const char *name)
{
    static const char *const others[] = {"gather", "saxpy", "tiles", "tiny", "vecadd"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i]))
            return "others";
    return "streaming";
}

static int in_order(const void *a, const void *b)
{
    const struct swcache_app *x = a, *y = b;
    return x->group != y->group && strcmp(x->group, y->group) ? -strcmp(x->group, y->group) : strcmp(x->name, y->name);
}

/* Leaves only the one that is asked for. */
static int keep_one(struct swcache_apps *a, const char *only, struct err *e)
{
    const char *names[64];
    unsigned n = 0;
    for (size_t k = 0; k < a->app.n; k++)
        if (!strcmp(a->app.p[k].name, only)) {
            struct swcache_app found = a->app.p[k];
            a->app.p[k] = a->app.p[0];
            a->app.p[0] = found;
            while (a->app.n > 1)
                free(a->app.p[--a->app.n].name);
            return 0;
        } else if (n < 64)
            names[n++] = a->app.p[k].name;
    err_set(e, "there is no application '%s'", only);
    const char *near = cfg_nearest(only, names, n);
    if (near)
        return err_hint(e, "did you mean '%s'?", near);
    char list[200] = "";
    for (unsigned k = 0; k < n; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", names[k]);
    return err_hint(e, "there are: %s", list);
}

void swcache_apps_free(struct swcache_apps *a)
{
    for (size_t k = 0; k < a->app.n; k++)
        free(a->app.p[k].name);
    VEC_FREE(&a->app);
}

/* ---- compiling ---- */

static void put_log(const char *path)
{
    FILE *f = fopen(path, "re");
    char line[1024];
    while (f && fgets(line, sizeof line, f))
        fputs(line, stderr);
    if (f)
        fclose(f);
}

/* Runs weir itself (argv[0] = "weir") or another program. What it prints is only shown when it fails. */
static int spawn(char **argv, const char *log)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        dup2(to, STDOUT_FILENO);
        dup2(to, STDERR_FILENO);
        if (strcmp(argv[0], "weir"))
            execvp(argv[0], argv);
        else
            execv("/proc/self/exe", argv);
        _exit(127);
    }
    int how = -1;
    while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    int status = pid > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : CLI_PROGRAM_FAILED;
    if (status)
        put_log(log);
    return status;
}

int swcache_find_nvcc(struct err *e)
{
    const char *old = getenv("PATH");
    char *path;
    if (asprintf(&path, "%s:/usr/local/cuda/bin", old ? old : "/usr/bin") < 0)
        BUG("no memory");
    setenv("PATH", path, 1);
    bool found = false;
    for (char *save, *d = strtok_r(path, ":", &save); d && !found; d = strtok_r(NULL, ":", &save)) {
        char file[PATH_MAX];
        snprintf(file, sizeof file, "%s/nvcc", d);
        found = access(file, X_OK) == 0;
    }
    free(path);
    return found ? 0 : err_set(e, "nvcc is not installed");
}

/* A file that belongs to an application, in the folder for them. */
static char *file_of(const struct swcache_apps *a, const struct swcache_app *app, const char *ending)
{
    size_t n = strlen(a->folder) + strlen(app->name) + strlen(ending) + 2;
    char *path = xmalloc(n);
    snprintf(path, n, "%s/%s%s", a->folder, app->name, ending);
    return path;
}

static char *source_of(const struct swcache_apps *a, const struct swcache_app *app, const char *name)
{
    size_t n = strlen(a->library) + strlen(app->name) + strlen(name) + 16;
    char *path = xmalloc(n);
    snprintf(path, n, "%s/apps/%s%s%s", a->library, app->name, *name ? "/" : "", name);
    return path;
}

static bool is_stale(const struct swcache_apps *a, const struct swcache_app *app, const char *binary)
{
    struct stat st;
    if (stat(binary, &st))
        return true;
    char *own = source_of(a, app, ""), *text = file_of(a, app, "-transformed.cu");
    char path[PATH_MAX + 32], headers[PATH_MAX];
    bool stale = suite_any_newer(own, &st) || suite_any_newer(a->library, &st);
    stale = stale || (a->has_transformer && access(text, F_OK)); /* it could not run before */
    free(own);
    free(text);
    snprintf(path, sizeof path, "%s/apps", a->library); /* common.h */
    stale = stale || suite_any_newer(path, &st);
    stale = stale || (!paths_find(PATHS_HEADERS, headers, sizeof headers) && suite_any_newer(headers, &st));
    if (!stale && !paths_find(PATHS_TRANSFORMER, headers, sizeof headers)) {
        snprintf(path, sizeof path, "%s/libweir-swcache.so", headers);
        stale = suite_is_newer(path, binary);
    }
    return stale;
}

static bool same_text(const char *a, const char *b)
{
    FILE *f = fopen(a, "re"), *g = fopen(b, "re");
    int x = 0, y = 0;
    while (f && g && (x = getc(f)) == (y = getc(g)) && x != EOF)
        ;
    bool same = f && g && x == y;
    if (f)
        fclose(f);
    if (g)
        fclose(g);
    return same;
}

/* What the transformer makes of a plain kernel, or why it cannot. */
static int run_transformer(const struct swcache_apps *a, const struct swcache_app *app, char *text, const char *log)
{
    char *plain = source_of(a, app, "plain.cu");
    char *argv[] = {"weir", "swcache", "transform", "--quiet", plain, "-o", text, NULL};
    int status = spawn(argv, log);
    free(plain);
    return status;
}

/* Whether it runs here: it is not part of every build, and it needs clang's headers. If not, it has said why. */
static bool try_transformer(const struct swcache_apps *a)
{
    char folder[PATH_MAX];
    if (!a->app.n || paths_find(PATHS_TRANSFORMER, folder, sizeof folder))
        return false;
    char *text = file_of(a, &a->app.p[0], "-tried.cu"), *log = file_of(a, &a->app.p[0], ".log");
    bool runs = run_transformer(a, &a->app.p[0], text, log) == 0;
    unlink(text);
    free(text);
    free(log);
    return runs;
}

/* Transforms the plain kernel; *made = a source file that registers it as another variant, or NULL: left alone. */
static int transform(const struct swcache_apps *a, const struct swcache_app *app, const char *log, char **made,
                     struct err *e)
{
    char *plain = source_of(a, app, "plain.cu"), *text = file_of(a, app, "-transformed.cu");
    char *wrapper = file_of(a, app, "-auto.cu");
    unlink(text);
    int status = a->has_transformer && run_transformer(a, app, text, log)
                     ? err_set(e, "%s: the plain kernel could not be transformed", app->name)
                     : 0;
    *made = NULL;
    unlink(wrapper); /* that it is not there says: no such variant */
    if (!status && a->has_transformer && !same_text(plain, text)) {
        FILE *f = fopen(wrapper, "we");
        if (f)
            fprintf(f, "#define APP_VARIANT_NAME \"auto\"\n#include \"%s-transformed.cu\"\n", app->name);
        if (!f || fclose(f))
            status = err_at(e, wrapper, 0, 0, "%s", strerror(errno));
        else
            *made = xstrdup(wrapper);
    }
    free(plain);
    free(text);
    free(wrapper);
    return status;
}

bool swcache_has(const struct swcache_apps *a, const struct swcache_app *app, enum swcache_variant v)
{
    char *wrapper = file_of(a, app, "-auto.cu");
    bool has = v != SWCACHE_AUTO || access(wrapper, F_OK) == 0;
    free(wrapper);
    return has;
}

/* -O of weir cc concerns the host; what it makes for the device is always fully optimised. */
static int compile(const struct swcache_apps *a, const struct swcache_app *app, bool device, char *made, char *binary,
                   const char *log)
{
    char include[PATH_MAX + 8], own[PATH_MAX + 300], *folder = source_of(a, app, "");
    char *part[3] = {source_of(a, app, "app.cu"), source_of(a, app, "plain.cu"), source_of(a, app, "hand.cu")};
    snprintf(include, sizeof include, "-I%s", a->library);
    snprintf(own, sizeof own, "-I%s", folder);
    char *simulated[] = {"weir", "cc", "-O1", "-DSWCACHE_TUNE=0", NULL};
    char *ptx[] = {"nvcc",
                   "-O3",
                   "-std=c++17",
                   "-cudart",
                   "shared",
                   "-gencode",
                   "arch=compute_90,code=compute_90",
                   "-DSWCACHE_TUNE=0",
                   NULL};
    char *real[] = {"nvcc", "-O3", "-std=c++17", "-arch=native", NULL};
    char *argv[20];
    int n = 0;
    for (char **w = device ? real : a->nvcc ? ptx : simulated; *w; w++)
        argv[n++] = *w;
    argv[n++] = include;
    argv[n++] = own;
    for (int k = 0; k < 3; k++)
        argv[n++] = part[k];
    if (made)
        argv[n++] = made;
    argv[n++] = "-o";
    argv[n++] = binary;
    argv[n] = NULL;
    int status = spawn(argv, log);
    for (int k = 0; k < 3; k++)
        free(part[k]);
    free(folder);
    return status;
}

int swcache_build(const struct swcache_apps *a, const struct swcache_app *app, bool device, char binary[SWCACHE_PATH],
                  struct err *e)
{
    char *path = file_of(a, app,
                         device    ? "-device"
                         : a->nvcc ? "-nvcc"
                                   : ""),
         *log = file_of(a, app, ".log"), *made = NULL;
    snprintf(binary, SWCACHE_PATH, "%s", path);
    int status = 0;
    if (is_stale(a, app, binary)) {
        unlink(binary);
        status = transform(a, app, log, &made, e);
        if (!status && compile(a, app, device, made, binary, log))
            status = err_set(e, "%s does not compile", app->name);
    }
    free(made);
    free(path);
    free(log);
    return status;
}

int swcache_apps_find(struct swcache_apps *a, const char *only, struct err *e)
{
    memset(a, 0, sizeof *a);
    if (paths_find(PATHS_SWCACHE, a->library, sizeof a->library)) {
        err_set(e, "the folder of swcache.cuh is missing");
        return err_hint(e, "install weir, or run it from its build folder");
    }
    char folder[PATH_MAX + 8], cache[SUITE_PATH];
    snprintf(folder, sizeof folder, "%s/apps", a->library);
    DIR *d = opendir(folder);
    if (!d)
        return err_at(e, folder, 0, 0, "%s", strerror(errno));
    for (struct dirent *x; (x = readdir(d));)
        if (!strchr(x->d_name, '.')) /* folders */
            VEC_PUSH(&a->app, (struct swcache_app){xstrdup(x->d_name), group_of(x->d_name)});
    closedir(d);
    qsort(a->app.p, a->app.n, sizeof *a->app.p, in_order);
    if ((only && keep_one(a, only, e)) || suite_cache_folder(cache, e))
        return -1;
    snprintf(a->folder, sizeof a->folder, "%s/swcache", cache);
    if (mkdir(a->folder, 0777) && errno != EEXIST)
        return err_at(e, a->folder, 0, 0, "%s", strerror(errno));
    a->has_transformer = try_transformer(a);
    return 0;
}

/* ---- recording ---- */

void swcache_file_name(const char *machine, char out[160])
{
    snprintf(out, 160, "%s", machine);
    for (char *c = out; *c; c++)
        if (strchr("/ =", *c))
            *c = '-';
}

void swcache_recording(const struct swcache_apps *a, const struct swcache_app *app, const struct swcache_machine *m,
                       const char *size, enum swcache_variant v, char path[SWCACHE_PATH])
{
    char machine[160];
    swcache_file_name(m->name, machine);
    snprintf(path, SWCACHE_PATH, "%.*s/%.60s-%s%s-%s-%s.wt", SUITE_PATH, a->folder, app->name, a->nvcc ? "nvcc-" : "",
             swcache_variant_name[v], size, machine);
}

static bool is_recorded(const struct swcache_apps *a, const struct swcache_app *app, const struct swcache_machine *m,
                        const char *binary, const char *size)
{
    for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS; v++) {
        char path[SWCACHE_PATH];
        swcache_recording(a, app, m, size, v, path);
        if (swcache_has(a, app, v) && !suite_is_newer(path, binary))
            return false;
    }
    return true;
}

int swcache_record(const struct swcache_apps *a, const struct swcache_app *app, const struct swcache_machine *m,
                   const char *binary, const char *size, struct err *e)
{
    if (is_recorded(a, app, m, binary, size))
        return 0;
    /* How much shared memory a launch asks for depends on the machine, so each has recordings of its own. */
    char gpu[PATH_MAX + 8], set[SWCACHE_SETS][200], *words[SWCACHE_SETS + 8], *log = file_of(a, app, ".log");
    int n = 0;
    snprintf(gpu, sizeof gpu, "--gpu=%s", m->gpu);
    words[n++] = gpu;
    for (unsigned k = 0; k < m->n_set; k++) {
        snprintf(set[k], sizeof set[k], "--set=%s", m->set[k]);
        words[n++] = set[k];
    }
    char *const program[] = {(char *)binary, "--size", (char *)size, NULL};
    for (char *const *w = program; *w; w++)
        words[n++] = *w;
    words[n] = NULL;
    char *check[SWCACHE_SETS + 12] = {"weir", "run", "--functional", "--quiet"};
    memcpy(check + 4, words, (size_t)(n + 1) * sizeof *words);
    int status = spawn(check, log) ? err_set(e, "%s: its own check failed on %s", app->name, m->name) : 0;
    free(log);
    words[n++] = "--variant";
    for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS && !status; v++) {
        if (!swcache_has(a, app, v))
            continue;
        /* A recording has its name only when it is whole: others may be reading the one before. */
        char path[SWCACHE_PATH], unfinished[SWCACHE_PATH + 16];
        swcache_recording(a, app, m, size, v, path);
        snprintf(unfinished, sizeof unfinished, "%s.%d", path, (int)getpid());
        words[n] = (char *)swcache_variant_name[v];
        words[n + 1] = NULL;
        if (record_program(words, unfinished, false) || rename(unfinished, path))
            status = err_set(e, "%s: the variant '%s' failed on %s", app->name, swcache_variant_name[v], m->name);
    }
    return status;
}
