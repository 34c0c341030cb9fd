/*
 * Preloaded: the n-th allocation of each process fails (n from WEIR_FAIL_MALLOC), or the n-th fork or exec of all
 * processes together (WEIR_FAIL_FORK, WEIR_FAIL_EXEC). What fails once may succeed later, as in a process that others
 * have squeezed. A file named by WEIR_FAIL_SEEN is made if n was reached; forks and execs are counted in
 * WEIR_FAIL_COUNT, a byte for each. WEIR_FAIL_ONLY names the only program in which anything fails: compilers are not
 * what is tested.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_long count;
static long wanted; /* 0 = none, as long as the loader is at work */
static int concerned;
static _Thread_local int loading; /* the loader exits with 127 when it lacks memory, whatever its caller does */

__attribute__((constructor)) static void start(void)
{
    const char *n = getenv("WEIR_FAIL_MALLOC"), *only = getenv("WEIR_FAIL_ONLY");
    concerned = !only || !strcmp(only, program_invocation_short_name);
    wanted = n && concerned ? atol(n) : 0;
}

static void tell(void)
{
    const char *seen = getenv("WEIR_FAIL_SEEN");
    const int fd = seen ? open(seen, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        close(fd);
}

static int fails(void)
{
    if (!wanted || loading || atomic_fetch_add(&count, 1) + 1 != wanted)
        return 0;
    tell();
    errno = ENOMEM;
    return 1;
}

/* Is this the n-th of them all? The file that all processes append to knows. */
static int nth_fails(const char *variable, int error)
{
    const char *n = getenv(variable), *path = getenv("WEIR_FAIL_COUNT");
    const int fd = n && path && concerned ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return 0;
    const int is_nth = write(fd, "x", 1) == 1 && lseek(fd, 0, SEEK_CUR) == atol(n);
    close(fd);
    if (is_nth) {
        tell();
        errno = error;
    }
    return is_nth;
}

#define PUBLIC __attribute__((visibility("default")))
PUBLIC void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}
PUBLIC void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}
PUBLIC void *realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}
PUBLIC void *aligned_alloc(size_t align, size_t n)
{
    return fails() ? NULL : __libc_memalign(align, n);
}
PUBLIC void *dlopen(const char *file, int mode)
{
    loading++;
    void *handle = ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(file, mode);
    loading--;
    return handle;
}
PUBLIC pid_t fork(void)
{
    return nth_fails("WEIR_FAIL_FORK", EAGAIN) ? -1 : ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
}
PUBLIC int execv(const char *path, char *const argv[])
{
    return nth_fails("WEIR_FAIL_EXEC", EACCES)
               ? -1
               : ((int (*)(const char *, char *const[]))dlsym(RTLD_NEXT, "execv"))(path, argv);
}
PUBLIC int execvp(const char *path, char *const argv[])
{
    return nth_fails("WEIR_FAIL_EXEC", EACCES)
               ? -1
               : ((int (*)(const char *, char *const[]))dlsym(RTLD_NEXT, "execvp"))(path, argv);
}
