/* See suite_record.h. A recording appears under its name only when it is whole: it is renamed there. */
#include "cli/suite_record.h"

#include "base/child.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int record_program(char *const *argv, const char *path, bool show)
{
    VEC(char *) line = {0};
    for (char *const *first = (char *const[]){"weir", "record", "--quiet", "--output", (char *)path, NULL}; *first;
         first++)
        VEC_PUSH(&line, *first);
    for (; *argv; argv++)
        VEC_PUSH(&line, *argv);
    VEC_PUSH(&line, NULL);
    fflush(NULL);
    const pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        child_end_with(self, SIGTERM);
        const int to = show ? dup(STDERR_FILENO) : open("/dev/null", O_WRONLY);
        dup2(to, STDOUT_FILENO);
        execv("/proc/self/exe", line.p);
        _exit(127);
    }
    VEC_FREE(&line);
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_BAD_INPUT;
    if (pid < 0)
        return CLI_BAD_INPUT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_PROGRAM_FAILED;
}

int suite_record(const struct suite *s, const struct suite_program *p, const char *size, const char *cache,
                 char path[SUITE_PATH], struct err *e)
{

    char binary[SUITE_PATH], folder[SUITE_PATH], unfinished[SUITE_PATH];
    if (suite_build(s, p, cache, binary))
        return err_set(e, "suite program '%s' did not compile", p->name);
    snprintf(folder, sizeof folder, "%.*s/recordings", PATH_MAX, cache);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return err_at(e, folder, 0, 0, "cannot create the folder: %s", strerror(errno));
    const int n = snprintf(path, SUITE_PATH, "%.*s/recordings/%s-%s.wt", PATH_MAX, cache, p->name, size);
    const int m = snprintf(unfinished, sizeof unfinished, "%.*s/recordings/%s-%s.%d", PATH_MAX, cache, p->name, size,
                           (int)gettid());
    if (n >= SUITE_PATH || m >= SUITE_PATH)
        return err_at(e, cache, 0, 0, "this folder's name is too long");
    if (suite_is_newer(path, binary))
        return 0;
    char *argv[] = {binary, (char *)size, NULL};
    const int status = record_program(argv, unfinished, false);
    if (status || rename(unfinished, path)) {
        unlink(unfinished);
        return err_set(e, "suite program '%s' failed at size %s (exit status %d)", p->name, size, status);
    }
    return 0;
}
