/* See temp_folder.h. */
#include "base/temp_folder.h"

#include "base/out_of_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A folder is made first and locked then: one without a lock may be young. */
enum { YOUNG_SECONDS = 3600 };
static const char begins[] = "weir-";

/* Without opendir, which needs memory: that there is none may be why the folder goes. */
static void empty(int folder)
{
    struct entry {
        uint64_t inode, offset;
        uint16_t bytes;
        uint8_t type;
        char name[];
    };
    _Alignas(struct entry) char buffer[8192];
    lseek(folder, 0, SEEK_SET);
    for (long n; (n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n;) {
            const struct entry *f = (const struct entry *)(buffer + at);
            unlinkat(folder, f->name, 0);
            at += f->bytes;
        }
}

static bool ends_as_made(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash && strlen(dash) == strlen("-XXXXXX");
}

static void sweep(const char *tmp)
{
    DIR *d = opendir(tmp);
    const time_t now = time(NULL);
    for (struct dirent *x; d && (x = readdir(d));) {
        struct stat st, opened;
        if (strncmp(x->d_name, begins, strlen(begins)) || !ends_as_made(x->d_name) ||
            fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            (st.st_mode & 077) || now - st.st_mtime < YOUNG_SECONDS)
            continue;
        const int folder = openat(dirfd(d), x->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        /* Still the one that was checked: a user who may write in `tmp` can have replaced it. */
        if (folder >= 0 && !fstat(folder, &opened) && opened.st_ino == st.st_ino && opened.st_dev == st.st_dev &&
            !flock(folder, LOCK_EX | LOCK_NB)) {
            empty(folder);
            unlinkat(dirfd(d), x->d_name, AT_REMOVEDIR);
        }
        if (folder >= 0)
            close(folder);
    }
    if (d)
        closedir(d);
}

/* The one that goes when there is no memory: a handler has no argument to find it by. */
static struct temp_folder *current;

static void remove_current(void)
{
    if (current)
        temp_folder_remove(current);
}

int temp_folder_make(struct temp_folder *s, const char *what, struct err *e)
{
    const char *named = getenv("TMPDIR"), *tmp = named && *named ? named : "/tmp";
    s->lock = -1;
    if (snprintf(s->path, sizeof s->path, "%s/%s%s-XXXXXX", tmp, begins, what) >= (int)sizeof s->path) {
        s->path[0] = 0;
        return err_set(e, "the name of the folder for temporary files is too long");
    }
    sweep(tmp);
    if (!mkdtemp(s->path)) {
        err_at(e, tmp, 0, 0, "cannot make a temporary folder here: %s", strerror(errno));
        s->path[0] = 0;
        return err_hint(e, "set TMPDIR to another folder");
    }
    s->lock = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->lock < 0 || flock(s->lock, LOCK_EX)) {
        err_at(e, s->path, 0, 0, "cannot lock this folder: %s", strerror(errno));
        temp_folder_remove(s);
        return -1;
    }
    current = s;
    at_out_of_memory(remove_current);
    return 0;
}

void temp_folder_remove(struct temp_folder *s)
{
    if (!s->path[0])
        return;
    if (current == s) {
        current = NULL;
        at_out_of_memory(NULL);
    }
    if (s->lock >= 0) {
        empty(s->lock);
        close(s->lock);
    }
    rmdir(s->path);
    s->path[0] = 0;
    s->lock = -1;
}
