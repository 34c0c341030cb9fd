/* Reads lines of a text file, plain or compressed by xz. */
#include "import/lines.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line holds at most 32 addresses; only a kernel's name can make it longer than a page. */
enum { STORED_BYTES = 1 << 16, LONGEST_LINE = 1 << 20 };

struct lines {
    char *name;
    int fd; /* -1: from memory */
    int number;
    uint64_t n_read;
    bool begun, packed, stored_end, text_end;
    lzma_stream xz;
    const uint8_t *stored; /* bytes of the file; [stored_at, stored_n) is unread */
    size_t stored_at, stored_n;
    uint8_t *room; /* the buffer of `stored`; NULL: from memory */
    char *text;    /* decompressed; [text_at, text_n) is unread, and a byte after it is free for a terminating zero */
    size_t text_at, text_n, text_cap;
};

static struct lines *lines_new(const char *name, int fd)
{
    struct lines *l = xcalloc(1, sizeof *l);
    l->name = xstrdup(name);
    l->fd = fd;
    l->xz = (lzma_stream)LZMA_STREAM_INIT;
    l->text_cap = 2 * STORED_BYTES;
    l->text = xmalloc(l->text_cap);
    return l;
}

struct lines *lines_open(const char *path, struct err *e)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        err_at(e, path, 0, 0, "cannot open: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    if (S_ISDIR(st.st_mode)) {
        close(fd);
        err_at(e, path, 0, 0, "is a folder, not a trace");
        return NULL;
    }
    struct lines *l = lines_new(path, fd);
    l->stored = l->room = xmalloc(STORED_BYTES);
    return l;
}

struct lines *lines_mem(const void *bytes, size_t n, const char *name)
{
    struct lines *l = lines_new(name, -1);
    l->stored = bytes;
    l->stored_n = n;
    l->n_read = n;
    return l;
}

void lines_close(struct lines *l)
{
    if (!l)
        return;
    if (l->fd >= 0)
        close(l->fd);
    lzma_end(&l->xz);
    free(l->room);
    free(l->text);
    free(l->name);
    free(l);
}

uint64_t lines_read_bytes(const struct lines *l)
{
    return l->n_read;
}

int lines_err(const struct lines *l, struct err *e, const char *fmt, ...)
{
    char msg[sizeof e->msg];
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    return err_at(e, l->name, l->number, 0, "%s", msg);
}

/* Reads more bytes of the file if none are left. */
static int refill(struct lines *l, struct err *e)
{
    if (l->stored_at < l->stored_n || l->stored_end)
        return 0;
    if (l->fd < 0) {
        l->stored_end = true;
        return 0;
    }
    ssize_t got;
    do
        got = read(l->fd, l->room, STORED_BYTES);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_at(e, l->name, 0, 0, "cannot read: %s", strerror(errno));
    l->stored_at = 0;
    l->stored_n = (size_t)got;
    l->n_read += (uint64_t)got;
    l->stored_end = !got;
    return 0;
}

static int begin(struct lines *l, struct err *e)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    l->begun = true;
    if (refill(l, e))
        return -1;
    l->packed = l->stored_n >= sizeof magic && !memcmp(l->stored, magic, sizeof magic);
    if (l->packed && lzma_stream_decoder(&l->xz, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
        return err_at(e, l->name, 0, 0, "no memory to unpack it");
    return 0;
}

static int unpack(struct lines *l, struct err *e)
{
    l->xz.next_in = l->stored + l->stored_at;
    l->xz.avail_in = l->stored_n - l->stored_at;
    l->xz.next_out = (uint8_t *)l->text + l->text_n;
    l->xz.avail_out = l->text_cap - 1 - l->text_n;
    lzma_ret rc = lzma_code(&l->xz, l->stored_end ? LZMA_FINISH : LZMA_RUN);
    l->stored_at = l->stored_n - l->xz.avail_in;
    l->text_n = l->text_cap - 1 - l->xz.avail_out;
    if (rc == LZMA_STREAM_END)
        l->text_end = true;
    else if (rc == LZMA_BUF_ERROR && l->stored_end)
        return err_at(e, l->name, 0, 0, "the xz file is truncated");
    else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
        return err_at(e, l->name, 0, 0, "%s",
                      rc == LZMA_MEM_ERROR ? "no memory to unpack it" : "the xz file is damaged");
    return 0;
}

/* Appends text to the unread rest; sets text_end at the end of the file. */
static int more_text(struct lines *l, struct err *e)
{
    if (!l->begun && begin(l, e))
        return -1;
    memmove(l->text, l->text + l->text_at, l->text_n - l->text_at);
    l->text_n -= l->text_at;
    l->text_at = 0;
    if (l->text_n + STORED_BYTES > l->text_cap) {
        l->text_cap = l->text_n + 2 * STORED_BYTES;
        l->text = xrealloc(l->text, l->text_cap);
    }
    if (refill(l, e))
        return -1;
    if (l->packed)
        return unpack(l, e);
    size_t n = l->stored_n - l->stored_at;
    if (n > l->text_cap - 1 - l->text_n)
        n = l->text_cap - 1 - l->text_n;
    if (n)
        memcpy(l->text + l->text_n, l->stored + l->stored_at, n);
    l->stored_at += n;
    l->text_n += n;
    l->text_end = l->stored_end;
    return 0;
}

/* Returns the line of n bytes at `text_at`, without the last `skip` of them. */
static int take(struct lines *l, size_t n, size_t skip, char **line, struct err *e)
{
    char *p = l->text + l->text_at;
    l->text_at += n;
    l->number += l->number < INT_MAX;
    n -= skip;
    while (n && strchr(" \t\r", p[n - 1]) && p[n - 1])
        n--;
    p[n] = '\0';
    *line = p + strspn(p, " \t");
    return strlen(p) == n ? 1 : lines_err(l, e, "the line has a zero byte: this is not a text file");
}

int lines_next(struct lines *l, char **line, struct err *e)
{
    for (size_t seen = 0;;) {
        size_t left = l->text_n - l->text_at;
        char *end = left > seen ? memchr(l->text + l->text_at + seen, '\n', left - seen) : NULL;
        if (end)
            return take(l, (size_t)(end - (l->text + l->text_at)) + 1, 1, line, e);
        if (left >= LONGEST_LINE) {
            l->number++;
            return lines_err(l, e, "the line is longer than a mebibyte: this is not a trace");
        }
        seen = left;
        if (!l->text_end) {
            if (more_text(l, e))
                return -1;
        } else if (left) { /* the last line has no newline */
            return take(l, left, 0, line, e);
        } else {
            return 0;
        }
    }
}
