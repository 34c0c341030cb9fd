/*
 * Preloaded: the n-th allocation of each process fails, n from WEIR_FAIL_MALLOC. What fails once may succeed later, as
 * in a process that others have squeezed. At the end of the process a file named by WEIR_FAIL_SEEN is made if n was
 * reached.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *__libc_valloc(size_t);

static atomic_long count;
static long wanted; /* 0 = none, as long as the loader is at work */

__attribute__((constructor)) static void start(void)
{
    const char *n = getenv("WEIR_FAIL_MALLOC");
    wanted = n ? atol(n) : 0;
}

static int fails(void)
{
    if (!wanted || atomic_fetch_add(&count, 1) + 1 != wanted)
        return 0;
    const char *seen = getenv("WEIR_FAIL_SEEN");
    const int fd = seen ? open(seen, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        close(fd);
    errno = ENOMEM;
    return 1;
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
