/* See subprocess.h. */
#include "base/subprocess.h"

#include <sys/prctl.h>
#include <unistd.h>

void subprocess_end_with(pid_t parent, int sig)
{
    prctl(PR_SET_PDEATHSIG, (unsigned long)sig, 0UL, 0UL, 0UL);
    if (getppid() != parent)
        _exit(127);
}
