/* See suite_programs.h. */
#include "cli/suite_programs.h"

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/cc_version.h" /* made by the build: hash of the source of weir cc */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every key of program.ini and where its value goes: one list for reading and for freeing. */
enum { PROGRAM_FIELDS = 10 };
struct program_field {
    const char *key;
    char **at;
};
static void program_fields(struct suite_program *p, struct program_field field[PROGRAM_FIELDS])
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
    return strcmp(((const struct suite_program *)a)->name, ((const struct suite_program *)b)->name);
}

int suite_load(struct suite *s, struct err *e)
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
        struct suite_program p = {.name = xstrdup(x->d_name)};
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

void suite_free(struct suite *s)
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

const struct suite_program *suite_find(const struct suite *s, const char *name)
{
    for (size_t i = 0; i < s->program.n; i++)
        if (!strcmp(s->program.p[i].name, name))
            return &s->program.p[i];
    return NULL;
}

const char *suite_in_paper(const struct suite_program *p, const char *paper)
{
#define X(key, text)                                                                                                   \
    if (!strcmp(paper, #key))                                                                                          \
        return p->key;
    SUITE_PAPERS(X)
#undef X
    return NULL;
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

int suite_spawn(char **argv, bool silent)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int null = silent ? open("/dev/null", O_WRONLY) : -1;
        if (null >= 0)
            dup2(null, STDOUT_FILENO);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    return pid < 0 ? CLI_BAD_INPUT : wait_for(pid);
}

int suite_cache_folder(char out[SUITE_PATH], struct err *e)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[PATH_MAX];
    if (base && *base)
        snprintf(parent, sizeof parent, "%s", base);
    else
        snprintf(parent, sizeof parent, "%s/.cache", home && *home ? home : "/tmp");
    mkdir(parent, 0777);
    snprintf(out, SUITE_PATH, "%s/weir", parent);
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

bool suite_is_newer(const char *a, const char *b)
{
    struct stat than;
    return stat(b, &than) == 0 && newer(a, &than);
}

bool suite_any_newer(const char *folder, const struct stat *than)
{
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *x; d && !found && (x = readdir(d));) {
        char file[3 * PATH_MAX];
        snprintf(file, sizeof file, "%s/%s", folder, x->d_name);
        found = x->d_name[0] != '.' && newer(file, than);
    }
    if (d)
        closedir(d);
    return found;
}

/* Whether the file, or one that it includes by a name in quotes, is newer. Files include each other a few deep. */
static bool source_newer(const char *path, const struct stat *than, int deep)
{
    FILE *f = deep ? fopen(path, "r") : NULL;
    bool found = newer(path, than);
    char line[256], name[200], next[3 * PATH_MAX];
    while (f && !found && fgets(line, sizeof line, f))
        if (sscanf(line, "#include \"%199[^\"]\"", name) == 1) {
            const char *slash = strrchr(path, '/');
            snprintf(next, sizeof next, "%.*s/%s", (int)(slash ? slash - path : 0), path, name);
            found = source_newer(next, than, deep - 1);
        }
    if (f)
        fclose(f);
    return found;
}

/* A program is compiled again when its folder, what it includes or weir's CUDA headers are newer than it. */
static bool stale(const struct suite *s, const struct suite_program *p, const char *binary)
{
    struct stat st;
    if (stat(binary, &st))
        return true;
    char folder[2 * PATH_MAX], headers[PATH_MAX], file[3 * PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", s->folder, p->name);
    bool found = suite_any_newer(folder, &st) ||
                 (!paths_find(PATHS_HEADERS, headers, sizeof headers) && suite_any_newer(headers, &st));
    char *sources = xstrdup(p->source);
    for (char *save, *x = strtok_r(sources, " ", &save); x && !found; x = strtok_r(NULL, " ", &save)) {
        snprintf(file, sizeof file, "%s/%s", folder, x);
        found = source_newer(file, &st, 8);
    }
    free(sources);
    return found;
}

void suite_binary(const struct suite_program *p, const char *cache, char binary[SUITE_PATH])
{
    snprintf(binary, SUITE_PATH, "%.*s/%s-" WEIR_CC, PATH_MAX, cache, p->name);
}

int suite_build(const struct suite *s, const struct suite_program *p, const char *cache, char binary[SUITE_PATH])
{
    suite_binary(p, cache, binary);
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
    int status = suite_spawn(argv, false);
    for (int i = 0; i < n_owned; i++)
        free(owned[i]);
    free(flags);
    free(sources);
    return status;
}
