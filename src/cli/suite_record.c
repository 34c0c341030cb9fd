/* See suite_record.h. A recording appears under its name only when it is whole: it is renamed there. */
#include "cli/suite_record.h"

#include "base/subprocess.h"
#include "cc/version.h" /* made by the build: hash of the source of the front end */
#include "cli/cli.h"
#include "cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int record_program(char *const *argv, const char *path, enum record_shows shows)
{
    VEC(char *) line = {0};
    char interval[32];
    snprintf(interval, sizeof interval, "%g", progress_interval());
    char *const first[] = {"weir",
                           "record",
                           "--progress",
                           interval,
                           "--output",
                           (char *)path,
                           shows == RECORD_NOTHING ? "--quiet" : "--no-summary"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        VEC_PUSH(&line, first[i]);
    for (; *argv; argv++)
        VEC_PUSH(&line, *argv);
    VEC_PUSH(&line, NULL);
    fflush(NULL);
    const pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        subprocess_end_with(self, SIGTERM);
        const int to = shows == RECORD_OUTPUT ? dup(STDERR_FILENO) : open("/dev/null", O_WRONLY);
        dup2(to, STDOUT_FILENO);
        execv("/proc/self/exe", line.p);
        fprintf(stderr, "weir: cannot run weir itself: %s\n", strerror(errno));
        _exit(CLI_BAD_INPUT);
    }
    VEC_FREE(&line);
    if (pid < 0) {
        fprintf(stderr, "weir: cannot start another process: %s\n", strerror(errno));
        return CLI_BAD_INPUT;
    }
    return subprocess_exit(pid, CLI_PROGRAM_FAILED);
}

/* The program's name holds its key; what records it is the front end. */
static int name_recording(const char *cache, const char *binary, const char *size, char path[SUITE_PATH], struct err *e)
{
    if (snprintf(path, SUITE_PATH, "%.*s/recordings%s-%s-" WEIR_FRONT_END ".wt", PATH_MAX, cache, strrchr(binary, '/'),
                 size) >= SUITE_PATH)
        return err_at(e, cache, 0, 0, "this folder's name is too long");
    return 0;
}

static int record(const struct suite *s, const struct suite_program *p, const char *size, const char *cache,
                  enum record_shows shows, char path[SUITE_PATH], struct err *e)
{
    char binary[SUITE_PATH], folder[SUITE_PATH], unfinished[SUITE_PATH + 32];
    if (suite_build(s, p, cache, binary))
        return err_set(e, "suite program '%s' did not compile", p->name);
    snprintf(folder, sizeof folder, "%.*s/recordings", PATH_MAX, cache);
    if (artifact_subfolder(folder, e) || name_recording(cache, binary, size, path, e))
        return -1;
    if (artifact_is_whole(path))
        return 0;
    snprintf(unfinished, sizeof unfinished, "%s.%d", path, (int)gettid());
    char *argv[] = {binary, (char *)size, NULL};
    const int status = record_program(argv, unfinished, shows);
    if (status) {
        unlink(unfinished);
        return err_set(e, "suite program '%s' failed at size %s (exit status %d)", p->name, size, status);
    }
    return artifact_publish(unfinished, path, e);
}

int suite_record(const struct suite *s, const struct suite_program *p, const char *size, const char *cache,
                 char path[SUITE_PATH], struct err *e)
{
    return record(s, p, size, cache, RECORD_NOTHING, path, e);
}

int suite_record_kept(const struct suite *s, const struct suite_program *p, const char *size, const char *cache,
                      char path[SUITE_PATH], struct err *e)
{
    char binary[SUITE_PATH];
    if (suite_binary(s, p, cache, binary, e) || name_recording(cache, binary, size, path, e))
        return -1;
    if (artifact_is_whole(path))
        return 0;
    err_set(e, "there is no recording of '%s' at size %s", p->name, size);
    return err_hint(e, "weir sweep and weir reproduce make it");
}

int suite_record_named(const char *name, const char *size, const char *cflags, char path[SUITE_PATH], struct err *e)
{
    struct suite suite = {0};
    char cache[SUITE_PATH];
    int bad = suite_load(&suite, e) || suite_cache_folder(cache, e);
    struct suite_program *p = bad ? NULL : (struct suite_program *)suite_find(&suite, name);
    if (p)
        suite_add_flags(p, cflags);
    if (!bad)
        bad = p ? record(&suite, p, size, cache, RECORD_PROGRESS, path, e)
                : suite_unknown(&suite, name, ", and no such file exists", e);
    suite_free(&suite);
    return bad ? -1 : 0;
}
