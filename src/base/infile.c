/* See infile.h. */
#include "base/infile.h"

#include "base/out_of_memory.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10 };

/* Opening a pipe must not wait for its writer, and opening a device may already do something. */
int infile_fd(const char *path, uint64_t most_bytes, struct err *e)
{
    struct stat st;
    int fd = -1;
    if (stat(path, &st) || (S_ISREG(st.st_mode) && (fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0))
        return err_at(e, path, 0, 0, "cannot read: %s", strerror(errno));
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        err_at(e, path, 0, 0, S_ISDIR(st.st_mode) ? "is a folder, not a file" : "is not a plain file");
    else if ((uint64_t)st.st_size > most_bytes)
        err_at(e, path, 0, 0, "has more than %" PRIu64 " bytes", most_bytes);
    else
        return fd;
    if (fd >= 0)
        close(fd);
    errno = EINVAL;
    return -1;
}

FILE *infile_open(const char *path, uint64_t most_bytes, struct err *e)
{
    const int fd = infile_fd(path, most_bytes, e);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !f)
        out_of_memory(0);
    return f;
}

char *infile_whole(const char *path, uint64_t most_bytes, size_t *n, struct err *e)
{
    FILE *f = infile_open(path, most_bytes, e);
    VEC(char) bytes = {0};
    size_t got;
    if (!f)
        return NULL;
    do {
        VEC_RESERVE(&bytes, bytes.n + READ_BYTES + 1);
        bytes.n += got = fread(bytes.p + bytes.n, 1, READ_BYTES, f);
    } while (got && bytes.n <= most_bytes);
    const int bad = ferror(f) ? errno : 0;
    fclose(f);
    bytes.p[bytes.n] = '\0';
    *n = bytes.n;
    if (!bad && bytes.n <= most_bytes)
        return bytes.p;
    err_at(e, path, 0, 0, bad ? "cannot read: %s" : "it grows while it is read%s", bad ? strerror(bad) : "");
    VEC_FREE(&bytes);
    errno = bad ? bad : EFBIG;
    return NULL;
}

char *infile_bytes(const char *path, size_t *n)
{
    return infile_whole(path, INFILE_ANY_SIZE, n, NULL);
}

char *infile_text(const char *path, uint64_t most_bytes, struct err *e)
{
    size_t n;
    char *text = infile_whole(path, most_bytes, &n, e);
    if (text && strlen(text) != n) {
        err_at(e, path, 0, 0, "this is not a text file");
        free(text);
        text = NULL;
    }
    return text;
}
