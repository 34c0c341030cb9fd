/*
 * Which clang compiles, and where weir's headers and runtime are.
 *
 * The newest clang in PATH is used. Version 14 and older are refused: 14 miscompiles some programs without a diagnostic
 * (device functions that return structures with holes between their fields). One named in WEIR_CLANG is used all the same,
 * with a warning at each compilation.
 */
#include "base/paths.h"
#include "cc/artifact_cache.h"
#include "cc/cc.h"
#include "cc/version.h" /* made by the build: hash of the source of weir cc */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OLDEST_CLANG = 14, OLDEST_SOUND_CLANG = 15, NEWEST_NAME = 40 };

bool cc_in_path(const char *program)
{
    if (strchr(program, '/'))
        return access(program, X_OK) == 0;
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t len = strcspn(at, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)len, at, program);
        if (access(file, X_OK) == 0)
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

int cc_last_line(char *const *argv, char *line, size_t bytes)
{
    int ends[2], status = -1;
    line[0] = 0;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    const int why = errno;
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    FILE *f = pid > 0 ? fdopen(ends[0], "r") : NULL;
    const bool readable = f != NULL;
    if (f) {
        while (fgets(line, (int)bytes, f) || (ferror(f) && errno == EINTR)) { /* a signal is no end of the text */
            clearerr(f);
            line[strcspn(line, "\n")] = 0;
        }
        fclose(f);
    } else {
        close(ends[0]);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid <= 0 || !readable) {
        errno = pid <= 0 ? why : ENOMEM;
        return -1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        line[0] = 0;
    return 0;
}

/* Asks the program for its version. Leaves t alone when the program is no clang. -1: it could not be asked, and another
 * compiler must not be taken for that reason. */
static int consider(struct cc_tools *t, const char *program, struct err *e)
{
    char *const argv[] = {(char *)program, "-dumpversion", NULL};
    char version[64];
    if (strlen(program) >= sizeof t->clang || !cc_in_path(program))
        return 0;
    if (cc_last_line(argv, version, sizeof version)) {
        t->not_asked = true;
        return err_set(e, "cannot start %s: %s", program, strerror(errno));
    }
    int major = atoi(version);
    if (major <= t->major)
        return 0;
    snprintf(t->clang, sizeof t->clang, "%s", program);
    snprintf(t->version, sizeof t->version, "%s", version);
    t->major = major;
    return 0;
}

static int check_version(const struct cc_tools *t, bool named, struct err *e)
{
    if (t->major < OLDEST_CLANG || (t->major < OLDEST_SOUND_CLANG && !named)) {
        err_set(e, "%s is version %d, which miscompiles some device code", t->clang, t->major);
        return err_hint(e, "install a newer one (apt-get install clang-19)%s",
                        t->major >= OLDEST_CLANG ? "; set WEIR_CLANG=clang-14 to use it anyway" : "");
    }
    if (t->major < OLDEST_SOUND_CLANG)
        fprintf(stderr,
                "weir: warning: %s is version %d, which miscompiles some device code (structures with padding, for "
                "one); results may be wrong\n",
                t->clang, t->major);
    return 0;
}

int cc_find_clang(struct cc_tools *t, struct err *e)
{
    const char *wanted = getenv("WEIR_CLANG");
    const bool named = wanted && *wanted;
    if (named) {
        if (consider(t, wanted, e))
            return -1;
        if (!t->major)
            return err_set(e, "WEIR_CLANG is %s, which is not a working clang", wanted);
    } else {
        char name[32];
        for (int v = NEWEST_NAME; v >= OLDEST_CLANG && !t->major; v--) {
            snprintf(name, sizeof name, "clang++-%d", v);
            if (consider(t, name, e))
                return -1;
            snprintf(name, sizeof name, "clang-%d", v);
            if (!t->major && consider(t, name, e))
                return -1;
        }
        if (consider(t, "clang++", e)) /* may be newer still: it needs not come from a package */
            return -1;
    }
    if (!t->major) {
        err_set(e, "weir cc compiles with clang, which is not installed");
        return err_hint(e, "install it: apt-get install clang-19; or use nvcc with --nvcc");
    }
    static const struct {
        int major, arch, ptx;
    } known[] = {{14, 86, 75}, {16, 90, 78}, {17, 90, 81}, {18, 90, 83}, {19, 90, 85}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (t->major >= known[i].major) {
            t->max_arch = known[i].arch;
            t->ptx = known[i].ptx;
        }
    return check_version(t, named, e);
}

int cc_find_tools(struct cc_tools *t, const struct cc_job *job, struct err *e)
{
    if (cc_find_clang(t, e))
        return -1;
    if (paths_find(PATHS_HEADERS, t->headers, sizeof t->headers)) {
        err_set(e, "weir's CUDA headers were not found next to the weir program");
        return err_hint(e, "install weir again: make install");
    }
    if (paths_find(PATHS_SWCACHE, t->swcache, sizeof t->swcache))
        t->swcache[0] = 0;
    if (job->stage == CC_TO_PROGRAM && paths_find(PATHS_CUDART, t->cudart, sizeof t->cudart)) {
        err_set(e, "weir's libcudart.so.13 was not found next to the weir program");
        return err_hint(e, "build it: make");
    }
    if (job->stage != CC_TO_PROGRAM || paths_find(PATHS_LIBRARIES, t->libraries, sizeof t->libraries))
        t->libraries[0] = 0;
    return 0;
}

int cc_key_compiler(struct key *k, struct err *e)
{
    struct cc_tools t = {0};
    char headers[PATH_MAX];
    key_add(k, WEIR_CC);
    const bool found = !cc_find_clang(&t, e);
    if (!found && t.not_asked)
        return -1;
    key_add(k, found ? t.version : NULL); /* a missing clang is reported when it is needed */
    if (!paths_find(PATHS_HEADERS, headers, sizeof headers))
        key_add_folder(k, headers);
    return 0;
}
