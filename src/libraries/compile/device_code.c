/* See device_code.h. The compiler is `nvcc`, weir's second name, in a process of its own. */
#include "compile/device_code.h"

#include "base/infile.h"
#include "base/out_of_memory.h"
#include "base/mem.h"
#include "base/paths.h"
#include "cc/artifact_cache.h"
#include "cc/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int workplace_make(struct workplace *w, struct err *e)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(w->path, sizeof w->path, "%s/weir-compile-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(w->path))
        return err_set(e, "cannot make a folder %s: %s", w->path, strerror(errno));
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

void workplace_remove(struct workplace *w)
{
    nftw(w->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The environment without what makes a process one of the simulated program's. */
static char **plain_environment(void)
{
    VEC(char *) env = {0};
    for (char **v = environ; v && *v; v++)
        if (strncmp(*v, "LD_PRELOAD=", 11) && strncmp(*v, "WEIR_WANTS_NVCC=", 16))
            VEC_PUSH(&env, *v);
    VEC_PUSH(&env, NULL);
    return env.p;
}

int device_code_compile(const char *const *args, const char *source, const char *ptx, const char *log, struct err *e)
{
    char nvcc[PATH_MAX];
    if (paths_find(PATHS_NVCC, nvcc, sizeof nvcc - 8)) {
        err_set(e, "weir's compiler driver was not found next to this library");
        return err_hint(e, "install weir again: make install");
    }
    strcat(nvcc, "/nvcc");
    VEC(char *) argv = {0};
    VEC_PUSH(&argv, nvcc);
    VEC_PUSH(&argv, (char *)"-ptx");
    for (size_t i = 0; args && args[i]; i++)
        VEC_PUSH(&argv, (char *)(uintptr_t)args[i]);
    for (const char *const *x = (const char *const[]){"-x", "cu", source, "-o", ptx, NULL}; *x; x++)
        VEC_PUSH(&argv, (char *)(uintptr_t)*x);
    VEC_PUSH(&argv, NULL);
    char **env = plain_environment();
    posix_spawn_file_actions_t io;
    posix_spawn_file_actions_init(&io);
    posix_spawn_file_actions_addopen(&io, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_addopen(&io, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t pid = 0;
    const int bad = posix_spawn(&pid, nvcc, &io, NULL, argv.p, env);
    posix_spawn_file_actions_destroy(&io);
    free(env);
    VEC_FREE(&argv);
    if (bad)
        return err_set(e, "cannot start %s: %s", nvcc, strerror(bad));
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) /* the program collects its children itself: what was made tells how it went */
            return access(ptx, R_OK) ? 1 : 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Everything that decides the output. */
static int key_of(struct key *k, const char *source, const char *const *args, struct err *e)
{
    key_begin(k);
    if (cc_key_compiler(k, e))
        return -1;
    const char *slash = strrchr(source, '/');
    char *folder = xstrndup(source, (size_t)(slash - source));
    key_add(k, slash);
    key_add_folder(k, folder);
    free(folder);
    for (size_t i = 0; args && args[i]; i++)
        key_add(k, args[i]);
    return 0;
}

static char *read_ptx(const char *path, struct err *e)
{
    size_t n;
    char *text = infile_bytes(path, &n);
    if (!text)
        err_set(e, "%s: cannot read it: %s", path, strerror(errno));
    return text;
}

static int make(const char *source, const char *const *args, const char *kept, struct err *e)
{
    struct workplace w;
    if (workplace_make(&w, e))
        return -1;
    char *log = xasprintf("%s/log", w.path);
    /* Aside in the same folder, whence it gets its name by a rename. */
    char *aside = xasprintf("%s.%ld", kept, (long)getpid());
    int rc = device_code_compile(args, source, aside, log, e);
    if (rc > 0) {
        size_t n;
        char *said = infile_bytes(log, &n);
        if (said)
            fputs(said, stderr);
        free(said);
        rc = err_set(e, "%s: weir's own device code cannot be compiled", source);
        err_hint(e, "install the packages that weir uses at run time: make deps");
    }
    if (!rc)
        rc = artifact_publish(aside, kept, e);
    free(aside);
    free(log);
    workplace_remove(&w);
    return rc;
}

char *device_code_own(const char *source, const char *const *args, struct err *e)
{
    char folder[PATH_MAX], cache[PATH_MAX], name[KEY_TEXT];
    struct key k;
    if (paths_find(PATHS_LIBRARY_CODE, folder, sizeof folder)) {
        err_set(e, "the device code of weir's libraries was not found next to this library");
        err_hint(e, "install weir again: make install");
        return NULL;
    }
    if (artifact_folder(cache, sizeof cache, e))
        return NULL;
    char *path = xasprintf("%s/%s", folder, source), *sub = xasprintf("%s/libraries", cache), *kept = NULL;
    char *text = NULL;
    if (!artifact_subfolder(sub, e) && !key_of(&k, path, args, e)) {
        key_text(&k, name);
        kept = xasprintf("%s/%s.ptx", sub, name);
        if (artifact_is_whole(kept) || !make(path, args, kept, e))
            text = read_ptx(kept, e);
    }
    free(kept);
    free(sub);
    free(path);
    return text;
}
