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

char *infile_text(const char *path, uint64_t most_bytes, struct err *e)
{
    FILE *f = infile_open(path, most_bytes, e);
    if (!f)
        return NULL;
    VEC(char) text = {0};
    bool zero = false;
    for (int c; text.n < most_bytes && (c = getc(f)) != EOF;) {
        zero |= !c;
        VEC_PUSH(&text, (char)c);
    }
    const bool bad = ferror(f) != 0;
    const int why = errno;
    fclose(f);
    VEC_PUSH(&text, 0);
    if (!bad && !zero)
        return text.p;
    if (bad)
        err_at(e, path, 0, 0, "cannot read: %s", strerror(why));
    else
        err_at(e, path, 0, 0, "this is not a text file");
    VEC_FREE(&text);
    return NULL;
}

char *infile_bytes(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rbe");
    if (!f)
        return NULL;
    struct stat st;
    char *bytes = NULL;
    if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)) {
        bytes = xmalloc((size_t)st.st_size + 1);
        *n = fread(bytes, 1, (size_t)st.st_size, f);
        bytes[*n] = 0;
        if (ferror(f)) {
            free(bytes);
            bytes = NULL;
        }
    }
    const int why = bytes ? errno : EIO;
    fclose(f);
    errno = why;
    return bytes;
}
