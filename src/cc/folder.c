/*
 * The folder in which weir cc and the transformer work, and its end whatever way they end.
 *
 * A signal handler may call few functions. fork, exec, kill and waitpid are among them, opendir is not: so the handler
 * lets rm remove the folder.
 */
#include "base/out_of_memory.h"
#include "cc/cc.h"
#include "base/temp_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CHILDREN = 4 };
static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { N_ENDING = sizeof ending / sizeof *ending };

/* A handler has no argument to find these by. */
static struct temp_folder working_in;
static volatile pid_t child[MAX_CHILDREN];

static void clear_up(void)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (child[i] > 0)
            kill(child[i], SIGKILL);
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (child[i] > 0)
            waitpid(child[i], NULL, 0); /* it might write into the folder still */
    if (working_in.path[0]) {
        char *const argv[] = {"rm", "-rf", "--", working_in.path, NULL};
        pid_t pid = fork();
        if (pid == 0) {
            execv("/bin/rm", argv);
            _exit(127);
        }
        if (pid > 0)
            waitpid(pid, NULL, 0);
    }
}

static void on_signal(int signal_number)
{
    clear_up();
    signal(signal_number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(signal_number);
}

static sigset_t ending_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < N_ENDING; i++)
        sigaddset(&set, ending[i]);
    return set;
}

const char *cc_make_folder(struct err *e)
{
    const sigset_t set = ending_set();
    sigset_t old;
    sigprocmask(SIG_BLOCK, &set, &old);
    const bool made = !temp_folder_make(&working_in, "cc", e);
    if (made) {
        at_out_of_memory(clear_up);
        struct sigaction action = {.sa_handler = on_signal, .sa_mask = set}, before;
        for (int i = 0; i < N_ENDING; i++)
            if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup stays in force */
                sigaction(ending[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return made ? working_in.path : NULL;
}

void cc_remove_folder(void)
{
    const sigset_t set = ending_set();
    sigset_t old;
    sigprocmask(SIG_BLOCK, &set, &old);
    temp_folder_remove(&working_in);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

pid_t cc_fork(void)
{
    const sigset_t set = ending_set();
    sigset_t old;
    sigprocmask(SIG_BLOCK, &set, &old);
    const pid_t pid = fork();
    for (int i = 0; pid > 0 && i < MAX_CHILDREN; i++)
        if (!child[i]) {
            child[i] = pid;
            break;
        }
    if (pid == 0)
        at_out_of_memory(NULL); /* the folder is the parent's */
    for (int i = 0; pid == 0 && i < N_ENDING; i++) {
        struct sigaction now;
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(ending[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid;
}

void cc_ended(pid_t pid)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (child[i] == pid)
            child[i] = 0;
}
