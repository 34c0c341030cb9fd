/* See outfile.h. */
#include "base/outfile.h"

#include "base/out_of_memory.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ASIDE_NAMES = 1000, ASIDE_BYTES = 40 };

struct outfile {
    char *path; /* as the user wrote it, for errors */
    FILE *stream;
    int fd;
    bool direct;             /* no plain file: written in place */
    int dir;                 /* folder of the target; -1 when direct */
    char *name;              /* of the target in it */
    char aside[ASIDE_BYTES]; /* name of the hidden file; "" = nameless */
    bool has_mode;           /* `mode` is the old file's, or one that was asked for */
    mode_t mode;
};

static int cannot(const char *path, const char *what, int why, struct err *e)
{
    err_at(e, path, 0, 0, "cannot %s: %s", what, strerror(why));
    if (why == ENOSPC)
        err_hint(e, "free some space, or choose another location");
    return -1;
}

/* Names of a process's own descriptors: what they lead to must keep its inode. */
static bool names_descriptor(const char *path)
{
    return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr") || !strncmp(path, "/dev/fd/", 8) ||
           !strncmp(path, "/proc/", 6);
}

static void aside_name(char name[ASIDE_BYTES], unsigned i)
{
    snprintf(name, ASIDE_BYTES, ".weir-%ld-%u", (long)getpid(), i);
}

/* A file in o->dir without a name yet. */
static int open_aside(struct outfile *o)
{
    char link[64];
    o->fd = openat(o->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", o->fd);
    if (o->fd >= 0 && !access(link, F_OK))
        return 0;
    if (o->fd >= 0)
        close(o->fd);
    for (unsigned i = 0; i < ASIDE_NAMES; i++) {
        aside_name(o->aside, i);
        o->fd = openat(o->dir, o->aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0 || errno != EEXIST)
            break;
    }
    if (o->fd < 0)
        o->aside[0] = 0;
    return o->fd < 0 ? -1 : 0;
}

/* Finds the folder and the name in it, behind links. */
static int find_target(struct outfile *o, struct err *e)
{
    struct stat st;
    char *real = NULL;
    if (!lstat(o->path, &st)) {
        real = realpath(o->path, NULL);
        if (!real && errno == ENOENT)
            return err_at(e, o->path, 0, 0, "is a dangling symbolic link");
        if (!real || stat(real, &st) || access(real, W_OK)) {
            const int why = errno;
            free(real);
            return cannot(o->path, "write", why, e);
        }
        o->has_mode = true;
        o->mode = st.st_mode & 07777;
    }
    const char *full = real ? real : o->path, *slash = strrchr(full, '/');
    char *folder = !slash ? xstrdup(".") : xstrndup(full, slash == full ? 1 : (size_t)(slash - full));
    o->name = xstrdup(slash ? slash + 1 : full);
    free(real);
    o->dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int why = errno;
    free(folder);
    if (o->dir < 0)
        return cannot(o->path, "create", why, e);
    return *o->name ? 0 : cannot(o->path, "create", EISDIR, e);
}

static int open_target(struct outfile *o, struct err *e)
{
    struct stat st;
    if (!strcmp(o->path, "-")) {
        o->direct = true;
        o->stream = stdout;
        return 0;
    }
    if (!*o->path)
        return err_set(e, "an output file needs a name");
    const bool exists = !stat(o->path, &st);
    if (exists && S_ISDIR(st.st_mode))
        return err_at(e, o->path, 0, 0, "is a folder");
    if (exists && (!S_ISREG(st.st_mode) || names_descriptor(o->path))) {
        o->direct = true;
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        return o->fd < 0 ? cannot(o->path, "write", errno, e) : 0;
    }
    if (find_target(o, e))
        return -1;
    return open_aside(o) ? cannot(o->path, "create", errno, e) : 0;
}

static void release(struct outfile *o)
{
    if (o->stream && o->stream != stdout)
        fclose(o->stream);
    else if (o->fd >= 0)
        close(o->fd);
    if (o->aside[0])
        unlinkat(o->dir, o->aside, 0);
    if (o->dir >= 0)
        close(o->dir);
    free(o->name);
    free(o->path);
    free(o);
}

struct outfile *outfile_open(const char *path, struct err *e)
{
    struct outfile *o = xcalloc(1, sizeof *o);
    o->path = xstrdup(path);
    o->fd = o->dir = -1;
    if (!open_target(o, e))
        return o;
    release(o);
    return NULL;
}

int outfile_check(const char *path, struct err *e)
{
    struct stat st;
    /* A pipe would lose its reader when it is opened and closed again. */
    if (!strcmp(path, "-") || (!stat(path, &st) && S_ISFIFO(st.st_mode)))
        return 0;
    struct outfile *o = outfile_open(path, e);
    outfile_abandon(o);
    return o ? 0 : -1;
}

FILE *outfile_stream(struct outfile *o)
{
    if (!o->stream) {
        o->stream = fdopen(o->fd, "w");
        if (!o->stream) /* a descriptor that was opened for writing: only memory can be lacking */
            out_of_memory(0);
    }
    return o->stream;
}

int outfile_fd(const struct outfile *o)
{
    return o->stream == stdout ? STDOUT_FILENO : o->fd;
}

void outfile_set_mode(struct outfile *o, mode_t mode)
{
    o->has_mode = true;
    o->mode = mode;
}

/* Writing nothing fails where a device is full; a full file system says so itself. */
int outfile_why_failed(int fd)
{
    struct statvfs fs;
    if (errno)
        return errno;
    if (write(fd, "", 0) < 0)
        return errno;
    return !fstatvfs(fd, &fs) && fs.f_blocks && !fs.f_bavail ? ENOSPC : EIO;
}

/* All bytes are with the kernel, without an error. */
static int finish_bytes(struct outfile *o, struct err *e)
{
    if (!o->stream)
        return 0;
    errno = 0;
    if (fflush(o->stream) || ferror(o->stream))
        return cannot(o->stream == stdout ? "standard output" : o->path, "write", outfile_why_failed(outfile_fd(o)), e);
    return 0;
}

/* A name for the nameless file, so that it can be renamed. The thread's own folder of descriptors, because that of the
 * process has exited when its main thread has ended. */
static int name_aside(struct outfile *o)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", o->fd);
    for (unsigned i = 0; i < ASIDE_NAMES; i++) {
        aside_name(o->aside, i);
        if (!linkat(AT_FDCWD, link, o->dir, o->aside, AT_SYMLINK_FOLLOW))
            return 0;
        if (errno != EEXIST)
            break;
    }
    o->aside[0] = 0;
    return -1;
}

/* Closing reports what a network file system could not write; so it precedes the rename. */
static int close_bytes(struct outfile *o)
{
    int bad = o->stream ? fclose(o->stream) : close(o->fd);
    o->stream = NULL;
    o->fd = -1;
    return bad;
}

static int give_name(struct outfile *o, struct err *e)
{
    if (o->has_mode && fchmod(o->fd, o->mode))
        return cannot(o->path, "write", errno, e);
    if (!o->aside[0] && name_aside(o))
        return cannot(o->path, "create", errno, e);
    if (close_bytes(o))
        return cannot(o->path, "write", errno, e);
    if (renameat(o->dir, o->aside, o->dir, o->name))
        return cannot(o->path, "create", errno, e);
    o->aside[0] = 0;
    return 0;
}

int outfile_commit(struct outfile *o, struct err *e)
{
    int rc = finish_bytes(o, e);
    if (!rc && !o->direct)
        rc = give_name(o, e);
    else if (!rc && o->stream != stdout && close_bytes(o))
        rc = cannot(o->path, "write", errno, e);
    release(o);
    return rc;
}

void outfile_abandon(struct outfile *o)
{
    if (o)
        release(o);
}

int outfile_write(const char *path, const void *bytes, size_t n, struct err *e)
{
    struct outfile *o = outfile_open(path, e);
    if (!o)
        return -1;
    fwrite(bytes, 1, n, outfile_stream(o));
    return outfile_commit(o, e);
}
