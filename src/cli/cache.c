/*
 * weir cache: what is in the folder of kept files (cc/artifact_cache.h), and its end.
 *
 * Everything there can be made again; removing it costs time, never results of a kind of their own. A run that is going
 * on keeps what it has opened.
 */
#include "cli/cli.h"
#include "cc/artifact_cache.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { PROGRAM, RECORDING, RESULTS, OTHER, N_KIND };
static const char *const kind_name[] = {"programs", "recordings", "results", "other"};

struct file {
    char *path;
    enum kind kind;
    uint64_t bytes;
    time_t used;
};

/* nftw has no argument to find these by. */
static VEC(struct file) files;

static enum kind kind_of(const char *path, const char *name)
{
    if (!strncmp(name, "results", 7))
        return RESULTS;
    if (text_ends_in(name, ".wt") || text_ends_in(name, ".wt.sum"))
        return RECORDING;
    return strchr(name, '-') || strstr(path, "/swcache/") ? PROGRAM : OTHER;
}

static int add(const char *path, const struct stat *st, int type, struct FTW *at)
{
    if (type == FTW_F)
        VEC_PUSH(&files,
                 (struct file){xstrdup(path), kind_of(path, path + at->base), (uint64_t)st->st_size, st->st_mtime});
    return 0;
}

static const char *size_text(uint64_t bytes, char out[32])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double x = (double)bytes;
    unsigned i = 0;
    for (; x >= 1024 && i < 4; i++)
        x /= 1024;
    snprintf(out, 32, i ? "%.1f %s" : "%.0f %s", x, unit[i]);
    return out;
}

static long days_since(time_t then)
{
    const time_t now = time(NULL);
    return now > then ? (long)((now - then) / 86400) : 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static void list(const char *folder, bool each)
{
    uint64_t bytes[N_KIND] = {0}, all = 0;
    size_t count[N_KIND] = {0};
    char text[32];
    for (size_t i = 0; i < files.n; i++) {
        const struct file *f = &files.p[i];
        bytes[f->kind] += f->bytes;
        all += f->bytes;
        count[f->kind] += !text_ends_in(f->path, ".sum");
        if (each)
            printf("%10s  %4ld days  %s\n", size_text(f->bytes, text), days_since(f->used),
                   f->path + strlen(folder) + 1);
    }
    printf("%s\n", folder);
    for (int k = 0; k < N_KIND; k++)
        if (count[k])
            printf("  %-12s %6zu files  %10s\n", kind_name[k], count[k], size_text(bytes[k], text));
    printf("  %-12s %6s        %10s\n", "total", "", size_text(all, text));
}

struct args {
    const char *verb;
    long older_days; /* -1 = of any age */
    bool files, results;
};

static int clean(const struct args *a)
{
    uint64_t bytes = 0;
    size_t n = 0;
    int status = CLI_OK;
    char text[32];
    for (size_t i = 0; i < files.n; i++) {
        const struct file *f = &files.p[i];
        if ((f->kind == RESULTS && !a->results) || (a->older_days >= 0 && days_since(f->used) < a->older_days))
            continue;
        if (unlink(f->path)) {
            fprintf(stderr, "weir: %s: cannot be removed: %s\n", f->path, strerror(errno));
            status = CLI_BAD_INPUT;
            continue;
        }
        char *slash = strrchr(f->path, '/');
        *slash = 0;
        rmdir(f->path); /* if it is empty now; the folder itself may go, too, and is made again */
        *slash = '/';
        bytes += f->bytes;
        n++;
    }
    printf("%zu file%s removed, %s\n", n, n == 1 ? "" : "s", size_text(bytes, text));
    return status;
}

static void take_days(struct argp_state *state, void *args, char *days)
{
    struct args *a = args;
    char *end;
    a->older_days = strtol(days, &end, 10);
    if (end == days || *end || a->older_days < 0)
        argp_error(state, "--older-than %s: expected a number of days", days);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->verb)
        argp_error(state, "one argument expected");
    a->verb = word;
}

static void check_options(struct argp_state *state, void *args)
{
    cli_choose(state, NULL, ((struct args *)args)->verb, (const char *const[]){"list", "clean", NULL});
}

static const struct cli_option options[] = {
    {"files", NULL, "list: show every file with its size and days since last use", CLI_FLAG(struct args, files)},
    {"older-than", "DAYS", "clean: only files not used for DAYS days", .call = take_days},
    {"results", NULL, "clean: also remove simulation results", CLI_FLAG(struct args, results)},
    {0}};

static const struct cli_syntax syntax = {
    .option = options,
    .usage = "list\nclean",
    .doc =
        "List or remove the contents of weir's cache folder ($XDG_CACHE_HOME/weir, or ~/.cache/weir): compiled "
        "programs, "
        "recordings, results of simulations. weir recreates all of it on demand.\vExamples:\n"
        "  weir cache list\n"
        "  weir cache clean --older-than 30\n"
        "  weir cache clean --results\n"
        "\n"
        "Files that are not used for 60 days are removed automatically; results are removed only by --results.\n",
    .word = take_word,
    .end = check_options};

int cli_cache(int argc, char **argv)
{
    struct args a = {.older_days = -1};
    struct err e;
    char folder[PATH_MAX];
    cli_parse(&syntax, argc, argv, 0, &a);
    if (artifact_folder(folder, sizeof folder, &e))
        return cli_fail(&e);
    if (nftw(folder, add, 16, FTW_PHYS)) {
        fprintf(stderr, "weir: %s: cannot be read: %s\n", folder, strerror(errno));
        return CLI_BAD_INPUT;
    }
    if (files.n)
        qsort(files.p, files.n, sizeof *files.p, by_path);
    int status = CLI_OK;
    if (!strcmp(a.verb, "list"))
        list(folder, a.files);
    else
        status = clean(&a);
    for (size_t i = 0; i < files.n; i++)
        free(files.p[i].path);
    VEC_FREE(&files);
    return status;
}
