/*
 * The beginning and every end of the process: what `weir run` asked for is noted when the library is loaded, and what
 * was simulated is written however the program ends.
 *
 * Programs end in more ways than by returning from main. A destructor of this library sees exit; a handler sees
 * quick_exit; _exit and the exec functions are defined here in front of libc's; a watching thread sees a main thread
 * that left through pthread_exit while only our own threads remain, and the user's signals. What nothing can see (an
 * exit_group system call made directly, SIGKILL, a crash) leaves report_slot.finished at 0, and `weir run` says so.
 */
#include "cudart/runtime.h"
#include "trace/file.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what weir run asked for ---- */

/* A program may clear its environment before its first CUDA call, so it is copied before main. */
static VEC(char *) option;

static void note_options(void)
{
    for (char **v = environ; v && *v; v++)
        if (!strncmp(*v, REPORT_ENV_PREFIX, sizeof REPORT_ENV_PREFIX - 1))
            VEC_PUSH(&option, xstrdup(*v));
}

const char *rt_option(const char *name)
{
    const size_t len = strlen(name);
    for (size_t i = 0; i < option.n; i++)
        if (!strncmp(option.p[i], name, len) && option.p[i][len] == '=')
            return option.p[i] + len + 1;
    return NULL;
}

/* ---- the end ---- */

void rt_finish(void)
{
    /* A child of fork has nothing to write; one of vfork shares this memory, and the parent continues with it. */
    if (rt.pid != getpid())
        return;
    /* A signal handler that leaves from the middle of a CUDA call finds the lock held by its own thread. */
    if (pthread_mutex_lock(&rt.lock) == EDEADLK)
        return;
    if (rt.ready && !rt.finished && !rt.forked) {
        struct err e;
        err_clear(&e);
        fflush(stdout);
        if (rt.faulted) { /* what a kernel did before it failed is no recording of the program */
            trace_writer_abandon(rt.writer);
            rt.slot->not_whole = 1;
        } else if (trace_writer_close(rt.writer, &e)) {
            rt_bad_input(&e);
        }
        rt.writer = NULL;
        timing_finish();
        checking_finish();
        rt.slot->finished = 1;
    }
    rt.finished = true;
    pthread_mutex_unlock(&rt.lock);
}

_Noreturn void rt_leave_process(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

/* After the program's own exit handlers and destructors, which may still free things. */
__attribute__((destructor)) static void on_unload(void)
{
    rt_finish();
}

__attribute__((constructor)) static void on_load(void)
{
    rt.pid = getpid();
    note_options();
    rt_map_report();
    at_quick_exit(rt_finish);
}

API _Noreturn void _exit(int status)
{
    rt_finish();
    rt_leave_process(status);
}

API _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* ---- exec: the end of this program, the beginning of another ---- */

/* Whether `file` would be found; an exec that fails returns, and the program continues. */
static bool can_start(const char *file, bool search)
{
    if (!file)
        return false;
    if (!search || strchr(file, '/'))
        return !access(file, X_OK);
    const char *dirs = getenv("PATH");
    char path[PATH_MAX];
    for (const char *d = dirs ? dirs : "/bin:/usr/bin", *end; *d; d = *end ? end + 1 : end) {
        end = strchrnul(d, ':');
        const int n = snprintf(path, sizeof path, "%.*s/%s", (int)(end - d), d, file);
        if (n > 0 && (size_t)n < sizeof path && !access(path, X_OK))
            return true;
    }
    return false;
}

static void before_exec(const char *file, bool search)
{
    if (can_start(file, search))
        rt_finish();
}

#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

API int execve(const char *path, char *const argv[], char *const envp[])
{
    before_exec(path, false);
    return REAL(execve)(path, argv, envp);
}

API int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

API int execvpe(const char *file, char *const argv[], char *const envp[])
{
    before_exec(file, true);
    return REAL(execvpe)(file, argv, envp);
}

API int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

API int fexecve(int fd, char *const argv[], char *const envp[])
{
    rt_finish();
    return REAL(fexecve)(fd, argv, envp);
}

/* The arguments of execl, execle and execlp as an array on the stack: a child of vfork must not allocate. */
#define GATHER(argv, first, last)                                                                                      \
    size_t n_##argv = 1;                                                                                               \
    va_list list_##argv;                                                                                               \
    va_start(list_##argv, first);                                                                                      \
    while (va_arg(list_##argv, char *))                                                                                \
        n_##argv++;                                                                                                    \
    va_end(list_##argv);                                                                                               \
    char *argv[n_##argv + 1];                                                                                          \
    argv[0] = (char *)(uintptr_t)first;                                                                                \
    va_start(list_##argv, first);                                                                                      \
    for (size_t i_ = 1; i_ <= n_##argv; i_++)                                                                          \
        argv[i_] = va_arg(list_##argv, char *);                                                                        \
    last;                                                                                                              \
    va_end(list_##argv)

API int execl(const char *path, const char *arg, ...)
{
    GATHER(argv, arg, (void)0);
    return execve(path, argv, environ);
}

API int execlp(const char *file, const char *arg, ...)
{
    GATHER(argv, arg, (void)0);
    return execvpe(file, argv, environ);
}

API int execle(const char *path, const char *arg, ...)
{
    char *const *envp;
    GATHER(argv, arg, envp = va_arg(list_argv, char *const *));
    return execve(path, argv, envp);
}

/* ---- the watch: ends that happen while the machine's thread keeps the process alive ---- */

/* A thread's state as the kernel shows it ('Z': it has ended); 0 = not there. */
static char thread_state(const char *tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

static unsigned threads_alive(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *t; d && (t = readdir(d));)
        if (*t->d_name != '.') {
            const char state = thread_state(t->d_name);
            n += state && state != 'Z' && state != 'X';
        }
    if (d)
        closedir(d);
    return n;
}

enum { WATCH_NS = 100 * 1000 * 1000, OUR_THREADS = 2 /* this one and the machine's */ };

static void *watch(void *unused)
{
    (void)unused;
    char main_thread[24];
    snprintf(main_thread, sizeof main_thread, "%ld", (long)getpid());
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = WATCH_NS}, NULL);
        const int sig = timing_interrupted();
        if (sig) { /* in the middle of a launch the machine refuses the stream, and the launch ends by itself */
            rt_finish();
            signal(sig, SIG_DFL);
            kill(getpid(), sig);
        }
        /* When the last thread of a program ends, the process exits with status 0. */
        if (thread_state(main_thread) == 'Z' && threads_alive() == OUR_THREADS)
            exit(0);
    }
    return NULL;
}

void rt_start_watch(void)
{
    pthread_t t;
    sigset_t all, old;
    sigfillset(&all); /* the program's signals are for the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (!pthread_create(&t, NULL, watch, NULL))
        pthread_detach(t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
