/* See cc/artifact_cache.h. */
#include "cc/artifact_cache.h"

#include "base/mem.h"
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { UNUSED_DAYS = 60 }; /* a kept file that nothing has asked for so long is removed */

/* ---- keys ---- */

static void add_bytes(struct key *k, const void *bytes, size_t n)
{
    const unsigned __int128 prime = ((unsigned __int128)1 << 88) + 0x13b;
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        k->hash = (k->hash ^ p[i]) * prime;
}

void key_begin(struct key *k)
{
    k->hash = (unsigned __int128)0x6c62272e07bb0142ull << 64 | 0x62b821756295c58dull;
}

void key_add(struct key *k, const char *text)
{
    add_bytes(k, text ? "=" : "-", 1);
    if (text)
        add_bytes(k, text, strlen(text) + 1);
}

/* 0, or -1: it cannot be read, or not to its end. */
static int add_content(struct key *k, const char *path)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    enum { ROOM = 1 << 16 };
    char *buffer = xmalloc(ROOM);
    uint64_t bytes = 0;
    for (size_t n; (n = fread(buffer, 1, ROOM, f)) > 0; bytes += n)
        add_bytes(k, buffer, n);
    add_bytes(k, &bytes, sizeof bytes);
    free(buffer);
    const int status = ferror(f) ? -1 : 0;
    fclose(f);
    return status;
}

void key_add_file(struct key *k, const char *path)
{
    if (add_content(k, path))
        key_add(k, NULL);
}

static int visible(const struct dirent *x)
{
    return x->d_name[0] != '.';
}

void key_add_folder(struct key *k, const char *folder)
{
    struct dirent **file;
    const int n = scandir(folder, &file, visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct stat st;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file[i]->d_name) < sizeof path && !stat(path, &st)) {
            key_add(k, file[i]->d_name);
            if (S_ISDIR(st.st_mode))
                key_add_folder(k, path);
            else
                key_add_file(k, path);
        }
        free(file[i]);
    }
    if (n >= 0)
        free(file);
    key_add(k, NULL); /* the folder ends here */
}

void key_text(const struct key *k, char out[KEY_TEXT])
{
    snprintf(out, KEY_TEXT, "%016llx%016llx", (unsigned long long)(k->hash >> 64), (unsigned long long)k->hash);
}

/* ---- the folder ---- */

static int no_folder(const char *path, struct err *e)
{
    err_at(e, path, 0, 0, "cannot create the folder, where weir keeps compiled programs: %s", strerror(errno));
    return err_hint(e, "set XDG_CACHE_HOME to another folder");
}

/* What is in the folder is executed: no other user may write there, or rename the folder itself. */
static int check_folder(const char *path, bool parent, struct err *e)
{
    struct stat st;
    if (stat(path, &st))
        return no_folder(path, e);
    const bool others_write = st.st_mode & (S_IWGRP | S_IWOTH), sticky = st.st_mode & S_ISVTX;
    if (!S_ISDIR(st.st_mode))
        return err_at(e, path, 0, 0, "weir keeps compiled programs here, but it is not a folder");
    if (st.st_uid != geteuid() && !(parent && st.st_uid == 0)) {
        err_at(e, path, 0, 0, "weir keeps compiled programs here, but the folder belongs to another user");
        return err_hint(e, "set XDG_CACHE_HOME to a folder of your own");
    }
    if (others_write && !(parent && sticky)) {
        err_at(e, path, 0, 0, "weir keeps compiled programs here, but others may write to the folder");
        return err_hint(e, "inspect its contents and run chmod go-w, or set XDG_CACHE_HOME to another folder");
    }
    return 0;
}

int artifact_subfolder(const char *path, struct err *e)
{
    if (mkdir(path, 0700) && errno != EEXIST)
        return no_folder(path, e);
    return check_folder(path, false, e);
}

int artifact_folder(char *out, size_t bytes, struct err *e)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (!home || !*home) {
        const struct passwd *user = getpwuid(geteuid());
        home = user ? user->pw_dir : NULL;
    }
    char parent[PATH_MAX];
    int n;
    if (base && *base)
        n = snprintf(parent, sizeof parent, "%s", base);
    else if (home && *home == '/' && home[1])
        n = snprintf(parent, sizeof parent, "%s/.cache", home);
    else {
        err_set(e, "no home folder for compiled programs");
        return err_hint(e, "set HOME or XDG_CACHE_HOME");
    }
    if ((size_t)n >= sizeof parent || (size_t)snprintf(out, bytes, "%s/weir", parent) >= bytes)
        return err_set(e, "the cache folder's name is too long");
    if (mkdir(parent, 0700) && errno != EEXIST)
        return no_folder(parent, e);
    return check_folder(parent, true, e) || artifact_subfolder(out, e) ? -1 : 0;
}

/* ---- files ---- */

static int content_text(const char *path, char out[KEY_TEXT])
{
    struct key k;
    key_begin(&k);
    if (add_content(&k, path))
        return -1;
    key_text(&k, out);
    return 0;
}

bool artifact_is_whole(const char *path)
{
    char sum[PATH_MAX + 8], is[KEY_TEXT], was[KEY_TEXT] = "";
    if ((size_t)snprintf(sum, sizeof sum, "%s.sum", path) >= sizeof sum)
        return false;
    FILE *f = fopen(sum, "re");
    if (!f)
        return false;
    const size_t n = fread(was, 1, KEY_TEXT - 1, f);
    fclose(f);
    if (n != KEY_TEXT - 1 || content_text(path, is) || strcmp(is, was))
        return false;
    utimensat(AT_FDCWD, path, NULL, 0); /* still in use */
    utimensat(AT_FDCWD, sum, NULL, 0);
    return true;
}

/* Removes what has not been used for long from the folder of `path`. Failures do not matter. */
static void prune(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return;
    char *folder = xstrndup(path, (size_t)(slash - path));
    DIR *d = opendir(folder);
    const time_t now = time(NULL);
    for (struct dirent *x; d && (x = readdir(d));) {
        struct stat st;
        if (visible(x) && strncmp(x->d_name, "results", 7) && /* not the database */
            !fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
            now - st.st_mtime > UNUSED_DAYS * 86400L)
            unlinkat(dirfd(d), x->d_name, 0);
    }
    if (d)
        closedir(d);
    free(folder);
}

int artifact_publish(const char *unfinished, const char *path, struct err *e)
{
    char sum[PATH_MAX + 8], text[KEY_TEXT];
    snprintf(sum, sizeof sum, "%s.sum", path);
    /* The sum first: until the file follows, or if it never does, the two do not agree and the file is made again. */
    if (content_text(unfinished, text))
        err_at(e, unfinished, 0, 0, "cannot be read: %s", strerror(errno));
    else if (!outfile_write(sum, text, strlen(text), e)) {
        if (!rename(unfinished, path)) {
            prune(path);
            return 0;
        }
        err_at(e, path, 0, 0, "cannot be written: %s", strerror(errno));
    }
    unlink(unfinished);
    return -1;
}
