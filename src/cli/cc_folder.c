/*
 * The folder in which weir cc and the transformer work, and its end whatever way they end.
 *
 * A signal handler may call few functions. fork, exec, kill and waitpid are among them, opendir is not: so the handler
 * lets rm remove the folder.
 */
#include "cli/cc.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CHILDREN = 4 };
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_ENDING = sizeof ending / sizeof *ending };

/* A handler has no argument to find these by. */
static char working_in[PATH_MAX];
static volatile pid_t child[MAX_CHILDREN];

static void on_signal(int signal_number)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (child[i] > 0)
            kill(child[i], SIGKILL);
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (child[i] > 0)
            waitpid(child[i], NULL, 0); /* it might write into the folder still */
    if (working_in[0]) {
        char *const argv[] = {"rm", "-rf", "--", working_in, NULL};
        pid_t pid = fork();
        if (pid == 0) {
            execv("/bin/rm", argv);
            _exit(127);
        }
        if (pid > 0)
            waitpid(pid, NULL, 0);
    }
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

int cc_make_folder(char *folder, size_t bytes, struct err *e)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, bytes, "%s/weir-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    const sigset_t set = ending_set();
    sigset_t old;
    sigprocmask(SIG_BLOCK, &set, &old);
    const bool made = mkdtemp(folder) != NULL;
    if (made) {
        snprintf(working_in, sizeof working_in, "%s", folder);
        struct sigaction action = {.sa_handler = on_signal, .sa_mask = set}, before;
        for (int i = 0; i < N_ENDING; i++)
            if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup stays in force */
                sigaction(ending[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return made ? 0 : err_set(e, "cannot make a temporary folder %s: %s", folder, strerror(errno));
}

void cc_remove_folder(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d));)
        unlinkat(dirfd(d), f->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
    working_in[0] = 0;
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
