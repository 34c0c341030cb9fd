/* See swcache_apps.h. */
#include "cli/swcache_apps.h"

#include "base/infile.h"
#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "base/paths.h"
#include "cc/cc.h"
#include "cc/version.h" /* made by the build: hash of the source of the front end */
#include "cli/cli.h"
#include "cli/suite_record.h"
#include "base/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    return err_hint_names(e, only, names, n);
}

void swcache_apps_free(struct swcache_apps *a)
{
    for (size_t k = 0; k < a->app.n; k++)
        free(a->app.p[k].name);
    VEC_FREE(&a->app);
}

/* ---- compiling ---- */

/* What it prints is only shown when it fails. */
static int spawn(char **argv, const char *log)
{
    const int status = suite_spawn(argv, log);
    size_t n;
    char *said = status ? infile_bytes(log, &n) : NULL;
    fputs(said ? said : "", stderr);
    free(said);
    return status;
}

int swcache_find_nvcc(struct err *e)
{
    const char *old = getenv("PATH");
    char *path = xasprintf("%s:/usr/local/cuda/bin", old ? old : "/usr/bin");
    setenv("PATH", path, 1);
    free(path);
    return cc_in_path("nvcc") ? 0 : err_set(e, "nvcc is not installed");
}

/* A file of a program's folder. */
static char *file_in(const char *folder, const char *name)
{
    return xasprintf("%s/%s", folder, name);
}

static char *source_of(const struct swcache_apps *a, const struct swcache_app *app, const char *name)
{
    return xasprintf("%s/apps/%s%s%s", a->library, app->name, *name ? "/" : "", name);
}

/* The folder of what is made from the application. Its name holds the hash of everything that decides what that is. */
static void app_folder(const struct swcache_apps *a, const struct swcache_app *app, char out[SUITE_PATH + 128])
{
    struct key k = a->common;
    char text[KEY_TEXT], *own = source_of(a, app, "");
    key_add_folder(&k, own);
    key_add(&k, a->has_transformer ? "transformer" : NULL);
    key_add(&k, a->device ? "device" : a->nvcc ? "nvcc" : "clang");
    if (a->device || a->nvcc) {
        char version[200];
        char *const ask[] = {"nvcc", "--version", NULL};
        key_add(&k, cc_last_line(ask, version, sizeof version) ? NULL : version);
    }
    key_text(&k, text);
    snprintf(out, SUITE_PATH + 128, "%.*s/%.60s-%s", SUITE_PATH + 8, a->folder, app->name, text);
    free(own);
}

static bool same_text(const char *a, const char *b)
{
    size_t n, m;
    char *x = infile_bytes(a, &n), *y = infile_bytes(b, &m);
    const bool same = x && y && n == m && !memcmp(x, y, n);
    free(x);
    free(y);
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

/* A folder of plain files. */
static void remove_folder(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *x; d && (x = readdir(d));)
        unlinkat(dirfd(d), x->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
}

/* Whether it runs here: it is not part of every build, and it needs clang's headers. If not, it has said why. */
static bool try_transformer(const struct swcache_apps *a)
{
    char folder[PATH_MAX];
    if (!a->app.n || paths_find(PATHS_TRANSFORMER, folder, sizeof folder))
        return false;
    char aside[SUITE_PATH + 32];
    snprintf(aside, sizeof aside, "%s/.tried-XXXXXX", a->folder);
    if (!mkdtemp(aside))
        return false;
    char *text = file_in(aside, "tried.cu"), *log = file_in(aside, "log");
    bool runs = run_transformer(a, &a->app.p[0], text, log) == 0;
    free(text);
    free(log);
    remove_folder(aside);
    return runs;
}

/* Transforms the plain kernel; *made = a source file that registers it as another variant, or NULL: left alone. */
static int transform(const struct swcache_apps *a, const struct swcache_app *app, const char *folder, const char *log,
                     char **made, struct err *e)
{
    char *plain = source_of(a, app, "plain.cu"), *text = file_in(folder, "transformed.cu");
    char *wrapper = file_in(folder, "auto.cu"); /* that it is not there says: no such variant */
    int status = a->has_transformer && run_transformer(a, app, text, log)
                     ? err_set(e, "%s: the plain kernel could not be transformed", app->name)
                     : 0;
    *made = NULL;
    if (!status && a->has_transformer && !same_text(plain, text)) {
        static const char says[] = "#define APP_VARIANT_NAME \"auto\"\n#include \"transformed.cu\"\n";
        status = outfile_write(wrapper, says, strlen(says), e);
        *made = status ? NULL : xstrdup(wrapper);
    }
    free(plain);
    free(text);
    free(wrapper);
    return status;
}

bool swcache_has(const struct swcache_apps *a, const struct swcache_app *app, enum swcache_variant v)
{
    char folder[SUITE_PATH + 128];
    if (v != SWCACHE_AUTO)
        return true;
    app_folder(a, app, folder);
    char *wrapper = file_in(folder, "auto.cu");
    bool has = access(wrapper, F_OK) == 0;
    free(wrapper);
    return has;
}

/* -O of weir cc concerns the host; what it makes for the device is always fully optimized. */
static int compile(const struct swcache_apps *a, const struct swcache_app *app, char *made, char *binary,
                   const char *log)
{
    char include[PATH_MAX + 8], own[PATH_MAX + 300], map[PATH_MAX + 40], *folder = source_of(a, app, "");
    char *part[3] = {source_of(a, app, "app.cu"), source_of(a, app, "plain.cu"), source_of(a, app, "hand.cu")};
    snprintf(include, sizeof include, "-I%s", a->library);
    snprintf(own, sizeof own, "-I%s", folder);
    snprintf(map, sizeof map, "-ffile-prefix-map=%s=swcache", a->library); /* recordings hold the names of files */
    char *simulated[] = {"weir", "cc", "-O1", "-arch=sm_75", "-DSWCACHE_TUNE=0", map, NULL};
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
    for (char **w = a->device ? real : a->nvcc ? ptx : simulated; *w; w++)
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

/* Makes everything in a folder aside. */
static int build_in(const struct swcache_apps *a, const struct swcache_app *app, const char *folder, struct err *e)
{
    char *log = file_in(folder, "log"), *unfinished = file_in(folder, "linked"), *program = file_in(folder, "program");
    char *made = NULL;
    int status = transform(a, app, folder, log, &made, e);
    if (!status && compile(a, app, made, unfinished, log))
        status = err_set(e, "%s does not compile", app->name);
    if (!status)
        status = artifact_publish(unfinished, program, e);
    free(made);
    free(log);
    free(unfinished);
    free(program);
    return status;
}

int swcache_build(const struct swcache_apps *a, const struct swcache_app *app, char binary[SWCACHE_PATH], struct err *e)
{
    char folder[SUITE_PATH + 128], aside[SUITE_PATH + 32];
    app_folder(a, app, folder);
    snprintf(binary, SWCACHE_PATH, "%s/program", folder);
    if (artifact_is_whole(binary))
        return 0;
    snprintf(aside, sizeof aside, "%s/.aside-XXXXXX", a->folder);
    if (!mkdtemp(aside))
        return err_at(e, aside, 0, 0, "cannot create the folder: %s", strerror(errno));
    int status = build_in(a, app, aside, e);
    /* Another weir may have been faster: then its program serves. A damaged one makes room. */
    if (!status && rename(aside, folder) && !artifact_is_whole(binary)) {
        remove_folder(folder);
        if (rename(aside, folder) && !artifact_is_whole(binary))
            status = err_at(e, folder, 0, 0, "cannot be written: %s", strerror(errno));
    }
    remove_folder(aside);
    return status;
}

/* The compiler, the library, what the applications share, the transformer. */
static int find_common_key(struct swcache_apps *a, struct err *e)
{
    static const char *const shared[] = {"swcache.cuh", "swcache_auto.cuh", "swcache_launch.h", "swcache_scan.cuh",
                                         "apps/common.h"};
    char transformer[PATH_MAX];
    key_begin(&a->common);
    if (cc_key_compiler(&a->common, e))
        return -1;
    key_add(&a->common, WEIR_FRONT_END); /* recordings are in the same folder */
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        char *path = file_in(a->library, shared[i]);
        key_add_file(&a->common, path);
        free(path);
    }
    if (!paths_find(PATHS_TRANSFORMER, transformer, sizeof transformer)) {
        char *path = file_in(transformer, "libweir-swcache.so");
        key_add_file(&a->common, path);
        free(path);
    }
    return 0;
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
    if (artifact_subfolder(a->folder, e))
        return -1;
    a->has_transformer = try_transformer(a);
    return find_common_key(a, e);
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
    char machine[160], folder[SUITE_PATH + 128];
    swcache_file_name(m->name, machine);
    app_folder(a, app, folder);
    snprintf(path, SWCACHE_PATH, "%s/%s-%s-%s.wt", folder, swcache_variant_name[v], size, machine);
}

static bool is_recorded(const struct swcache_apps *a, const struct swcache_app *app, const struct swcache_machine *m,
                        const char *size)
{
    for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS; v++) {
        char path[SWCACHE_PATH];
        swcache_recording(a, app, m, size, v, path);
        if (swcache_has(a, app, v) && !artifact_is_whole(path))
            return false;
    }
    return true;
}

int swcache_record(const struct swcache_apps *a, const struct swcache_app *app, const struct swcache_machine *m,
                   const char *binary, const char *size, struct err *e)
{
    if (is_recorded(a, app, m, size))
        return 0;
    /* How much shared memory a launch asks for depends on the machine, so each has recordings of its own. */
    char gpu[PATH_MAX + 8], set[SWCACHE_SETS][200], *words[SWCACHE_SETS + 8], log[SWCACHE_PATH + 32];
    int n = 0;
    snprintf(log, sizeof log, "%s.%d.log", binary, (int)getpid());
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
    unlink(log);
    words[n++] = "--variant";
    for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS && !status; v++) {
        if (!swcache_has(a, app, v))
            continue;
        char path[SWCACHE_PATH], unfinished[SWCACHE_PATH + 16];
        swcache_recording(a, app, m, size, v, path);
        snprintf(unfinished, sizeof unfinished, "%s.%d", path, (int)getpid());
        words[n] = (char *)swcache_variant_name[v];
        words[n + 1] = NULL;
        if (record_program(words, unfinished, RECORD_NOTHING)) {
            unlink(unfinished);
            status = err_set(e, "%s: the variant '%s' failed on %s", app->name, swcache_variant_name[v], m->name);
        } else
            status = artifact_publish(unfinished, path, e);
    }
    return status;
}
