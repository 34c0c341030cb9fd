/*
 * Child processes that do not outlive weir: what is started for a run ends with it, also when weir is killed.
 */
#ifndef WEIR_BASE_CHILD_H
#define WEIR_BASE_CHILD_H

#include <sys/types.h>

/*
 * In a child, between fork and exec: the kernel sends it `sig` when the thread that forked it ends. `parent`: getpid()
 * from before the fork. Ends the child at once when the parent has already exited.
 */
void subprocess_end_with(pid_t parent, int sig);

/* Waits for a process, whatever signals come: its status as waitpid gives it; -1 and errno: it is not weir's child. */
int subprocess_wait(pid_t);
/* The same as an exit status: `otherwise` where it was ended by a signal or cannot be waited for. */
int subprocess_exit(pid_t, int otherwise);

#endif
