/* Finds machine files by name: beside the file that names them, or in weir's folder of machines; and energy files. */
#include "engine/config_find.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "base/paths.h"
#include "base/text.h"
#include "engine/config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

struct names {
    VEC(char *) list;
    char folder[PATH_MAX];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the files in weir's folder of machine files, or in a folder below it. */
static int read_names(struct names *n, const char *below)
{
    memset(n, 0, sizeof *n);
    if (paths_find(PATHS_CONFIGS, n->folder, sizeof n->folder))
        return -1;
    size_t at = strlen(n->folder);
    snprintf(n->folder + at, sizeof n->folder - at, "%s", below);
    DIR *d = opendir(n->folder);
    if (!d)
        return -1;
    for (struct dirent *x; (x = readdir(d));) {
        if (text_ends_in(x->d_name, ".ini"))
            VEC_PUSH(&n->list, xstrndup(x->d_name, strlen(x->d_name) - 4));
    }
    closedir(d);
    qsort(n->list.p, n->list.n, sizeof *n->list.p, by_name);
    return 0;
}

static void free_names(struct names *n)
{
    VEC_FREE_ALL(&n->list);
}

static int no_folder(struct err *e)
{
    err_set(e, "weir's folder of machine files was not found");
    return err_hint(e, "install weir, or run it from its build folder");
}

static int no_machine(const char *name, struct err *e)
{
    struct names n;
    if (read_names(&n, ""))
        return no_folder(e);
    const char *near = nearest_name(name, (const char *const *)n.list.p, (unsigned)n.list.n);
    err_set(e, "there is no machine '%s'", name);
    if (near)
        err_hint(e, "did you mean '%s'?", near);
    else
        err_hint(e, "'weir list gpus' shows them; a file of your own is named with its .ini");
    free_names(&n);
    return -1;
}

int cfg_find_machine(const char *name, const char *from, char *path, size_t bytes, struct err *e)
{
    bool is_path = strchr(name, '/') || text_ends_in(name, ".ini");
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
    char folder[PATH_MAX];
    if (paths_find(PATHS_CONFIGS, folder, sizeof folder))
        return no_folder(e);
    snprintf(path, bytes, "%s/%s.ini", folder, name);
    return access(path, R_OK) == 0 ? 0 : no_machine(name, e);
}

int cfg_find_energy(const char *name, char *path, size_t bytes, struct err *e)
{
    if (strchr(name, '/') || text_ends_in(name, ".ini")) {
        snprintf(path, bytes, "%s", name);
        return 0;
    }
    struct names n;
    if (read_names(&n, "/energy"))
        return no_folder(e);
    snprintf(path, bytes, "%s/%s.ini", n.folder, name);
    int status = access(path, R_OK);
    if (status) {
        err_set(e, "there are no energy coefficients '%s'", name);
        err_hint_names(e, name, (const char *const *)n.list.p, (unsigned)n.list.n);
    }
    free_names(&n);
    return status;
}

int cfg_each_machine(void (*fn)(void *ctx, const char *name, const char *path, const char *what), void *ctx,
                     struct err *e)
{
    struct names n;
    if (read_names(&n, ""))
        return no_folder(e);
    for (size_t i = 0; i < n.list.n; i++) {
        char path[PATH_MAX + 80], line[256] = "";
        snprintf(path, sizeof path, "%s/%s.ini", n.folder, n.list.p[i]);
        FILE *in = fopen(path, "re");
        if (!in) {
            err_at(e, path, 0, 0, "cannot read: %s", strerror(errno));
            free_names(&n);
            return -1;
        }
        if (fgets(line, sizeof line, in))
            line[strcspn(line, "\n")] = 0;
        fclose(in);
        fn(ctx, n.list.p[i], path, line[0] == '#' ? line + 1 + strspn(line + 1, " ") : "");
    }
    free_names(&n);
    return 0;
}
