/* See subprocess.h. */
#include "base/subprocess.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void subprocess_end_with(pid_t parent, int sig)
{
    prctl(PR_SET_PDEATHSIG, (unsigned long)sig, 0UL, 0UL, 0UL);
    if (getppid() != parent)
        _exit(127);
}

int subprocess_wait(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

int subprocess_exit(pid_t pid, int otherwise)
{
    const int status = subprocess_wait(pid);
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : otherwise;
}
