/*
 * Finds machine files: in share/weir/configs beside an installed weir, in configs/ of the source tree for a build that
 * is not installed. The place is worked out from where this code was loaded from, which is the weir program or, inside
 * a CUDA program, weir's runtime library; so neither environment nor options are needed.
 */
#include "engine/config_find.h"

#include "base/mem.h"
#include "engine/config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FOLDERS = 16 };

struct folders {
    char path[MAX_FOLDERS][PATH_MAX];
    unsigned n;
};

static void add_folder(struct folders *f, const char *path)
{
    char real[PATH_MAX];
    if (f->n == MAX_FOLDERS || !realpath(path, real))
        return;
    for (unsigned i = 0; i < f->n; i++)
        if (!strcmp(f->path[i], real))
            return;
    snprintf(f->path[f->n++], PATH_MAX, "%s", real);
}

static void add_beside(struct folders *f, const char *program)
{
    static const char *const places[] = {"../share/weir/configs", "../../share/weir/configs", "configs", "../configs"};
    char real[PATH_MAX], path[PATH_MAX + 64];
    if (!realpath(program, real))
        return;
    *strrchr(real, '/') = 0;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", real, places[i]);
        /* A folder that merely has this name is none of ours. */
        char probe[sizeof path + 16];
        snprintf(probe, sizeof probe, "%s/gtx480.ini", path);
        if (access(probe, R_OK) == 0)
            add_folder(f, path);
    }
}

static struct folders *find_folders(void)
{
    struct folders *f = xcalloc(1, sizeof *f);
    Dl_info info;
    if (dladdr((void *)find_folders, &info) && info.dli_fname)
        add_beside(f, info.dli_fname);
    add_beside(f, "/proc/self/exe");
    add_folder(f, WEIR_CONFIG_SOURCE);
    return f;
}

static int cannot_find(const char *name, struct folders *f, struct err *e)
{
    char names[128][64];
    const char *list[128];
    unsigned n = 0;
    for (unsigned i = 0; i < f->n; i++) {
        DIR *d = opendir(f->path[i]);
        for (struct dirent *x; d && (x = readdir(d)) && n < 128;) {
            size_t len = strlen(x->d_name);
            if (len > 4 && len < 64 && !strcmp(x->d_name + len - 4, ".ini")) {
                snprintf(names[n], sizeof names[n], "%.*s", (int)len - 4, x->d_name);
                list[n] = names[n];
                n++;
            }
        }
        if (d)
            closedir(d);
    }
    const char *near = cfg_nearest(name, list, n);
    err_set(e, "there is no machine '%s'", name);
    return near ? err_hint(e, "did you mean '%s'?", near)
                : err_hint(e, "'weir list gpus' shows them; a file of your own is named with its .ini");
}

int cfg_find_machine(const char *name, const char *from, char *path, size_t bytes, struct err *e)
{
    size_t n = strlen(name);
    bool is_path = strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".ini"));
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (is_path && (name[0] == '/' || !slash)) {
        snprintf(path, bytes, "%s", name);
        return 0;
    }
    if (from) { /* a base is looked for beside the file that names it first */
        int folder = slash ? (int)(slash - from) + 1 : 0;
        snprintf(path, bytes, "%.*s%s%s", folder, from, name, is_path ? "" : ".ini");
        if (is_path || (access(path, R_OK) == 0 && strcmp(path, from)))
            return 0;
    }
    struct folders *f = find_folders();
    int status = -1;
    for (unsigned i = 0; i < f->n && status; i++) {
        snprintf(path, bytes, "%s/%s.ini", f->path[i], name);
        status = access(path, R_OK);
    }
    if (status)
        cannot_find(name, f, e);
    free(f);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int cfg_each_machine(void (*fn)(void *ctx, const char *name, const char *path, const char *what), void *ctx,
                     struct err *e)
{
    struct folders *f = find_folders();
    if (!f->n) {
        free(f);
        err_set(e, "weir's folder of machine files was not found");
        return err_hint(e, "install weir, or run it from its build folder");
    }
    VEC(char *) names = {0};
    DIR *d = opendir(f->path[0]);
    for (struct dirent *x; d && (x = readdir(d));) {
        size_t n = strlen(x->d_name);
        if (n > 4 && !strcmp(x->d_name + n - 4, ".ini"))
            VEC_PUSH(&names, xstrndup(x->d_name, n - 4));
    }
    if (d)
        closedir(d);
    qsort(names.p, names.n, sizeof *names.p, by_name);
    for (size_t i = 0; i < names.n; i++) {
        char path[PATH_MAX + 80], line[256] = "";
        snprintf(path, sizeof path, "%s/%s.ini", f->path[0], names.p[i]);
        FILE *in = fopen(path, "re");
        if (in && fgets(line, sizeof line, in))
            line[strcspn(line, "\n")] = 0;
        if (in)
            fclose(in);
        fn(ctx, names.p[i], path, line[0] == '#' ? line + 1 + strspn(line + 1, " ") : "");
        free(names.p[i]);
    }
    VEC_FREE(&names);
    free(f);
    return 0;
}
