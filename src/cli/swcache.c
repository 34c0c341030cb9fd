/*
 * weir swcache: the software L1 for real GPUs. `transform` rewrites a CUDA source so that its main loops go through
 * swcache.cuh (swcache/transform has the work; this file has the command line).
 *
 * The transformer is a module that is loaded here and nowhere else: libclang, which it needs, is slow to load.
 */
#include "cc/cc.h"
#include "cli/cli.h"

#include "base/infile.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/paths.h"
#include "base/subprocess.h"
#include "base/nearest.h"
#include "transform/transform.h"

#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help_text[] =
    "Usage: weir swcache transform [OPTION...] FILE.cu [-o OUTPUT.cu]\n"
    "\n"
    "Rewrites the main loops of a file's kernels so that each thread keeps small lines of the data it streams through "
    "in\n"
    "shared memory (swcache.cuh). The output is the same program, with the same results; code that cannot be changed "
    "safely\n"
    "is left unchanged, and a note on stderr gives the reason with file and line.\n"
    "\n"
    "  -o FILE          the output (default: standard output)\n"
    "  --alias-safe     also cache pointers without __restrict__; each access checks all lines\n"
    "  --split=WHICH    which loop of a nest is split: auto (default), outer, inner\n"
    "  --slices         write the loop slices inline instead of passing one iteration to swcache::run()\n"
    "  --no-scans       no swcache::scan(): loops over consecutive elements keep their lines in shared memory like "
    "others\n"
    "  --all            rewrite every possible access, even without expected gain\n"
    "  --quiet          no notes\n"
    "  -v               also print syntax tree sizes and node visits\n"
    "  -I DIR, -D NAME, -include FILE, -std=c++17, -arch=sm_NN    as for weir cc\n"
    "\n"
    "Exit status: 0 done, also when there was nothing to transform (the output is then a copy); 2 bad input.\n"
    "\n"
    "Example:\n"
    "  weir swcache transform wordcount.cu -o wordcount.cached.cu && weir cc wordcount.cached.cu -o wordcount\n";

enum { SAID = 1 }; /* an error that the child has printed */

struct args {
    struct swcache_options options;
    struct cc_job job;
    const char *output;
    bool quiet;
};

/* A word that looks like one of the transformer's own options and is none of weir cc's. */
static bool misspelled(const char *arg, struct err *e)
{
    static const char *const own[] = {"--alias-safe", "--all", "--slices", "--no-scans", "--quiet", "--split"};
    char *word = xstrndup(arg, strcspn(arg, "="));
    const char *near =
        strncmp(arg, "--", 2) || cc_is_option(arg) ? NULL : nearest_name(word, own, sizeof own / sizeof *own);
    free(word);
    if (!near)
        return false;
    err_set(e, "unknown option '%s'", arg);
    err_hint(e, "did you mean '%s'?", near);
    return true;
}

static int parse(struct args *a, int argc, char **argv, struct err *e)
{
    struct cc_list rest = {0};
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (!strcmp(arg, "--alias-safe"))
            a->options.alias_safe = true;
        else if (!strcmp(arg, "--all"))
            a->options.keep_all = true;
        else if (!strcmp(arg, "--slices"))
            a->options.slices = true;
        else if (!strcmp(arg, "--no-scans"))
            a->options.no_scans = true;
        else if (!strcmp(arg, "--quiet"))
            a->quiet = true;
        else if (!strncmp(arg, "--split=", 8)) {
            static const char *const name[] = {"auto", "outer", "inner"};
            int which = 0;
            while (which < 3 && strcmp(arg + 8, name[which]))
                which++;
            if (which == 3) {
                err_set(e, "%s: not one of auto, outer, inner", arg);
                return err_hint_names(e, arg + 8, name, 3);
            }
            a->options.split = (enum swcache_split)which;
        } else if (misspelled(arg, e)) {
            return -1;
        } else
            cc_push(&rest, arg);
    }
    /* A header with kernels is CUDA too. */
    struct cc_list words = {0};
    cc_push(&words, "-x");
    cc_push(&words, "cu");
    for (size_t i = 0; i < rest.n; i++)
        cc_push(&words, rest.p[i]);
    if (cc_parse(&a->job, (int)words.n, words.p, e))
        return -1;
    if (a->job.input.n != 1) {
        err_set(e, a->job.input.n ? "one file expected" : "no input file");
        return err_hint(e, "try 'weir swcache transform kernel.cu -o kernel.cached.cu'");
    }
    a->options.path = a->job.input.p[0].path;
    a->output = a->job.output;
    return access(a->options.path, R_OK) ? err_at(e, a->options.path, 0, 0, "cannot open: %s", strerror(errno)) : 0;
}

static swcache_transform_fn *load(struct err *e)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];
    if (paths_find(PATHS_TRANSFORMER, folder, sizeof folder)) {
        err_set(e, "weir was built without the source transformer");
        err_hint(e, "install libclang-19-dev and build weir again");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/libweir-swcache.so", folder);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    swcache_transform_fn *f = module ? (swcache_transform_fn *)(size_t)dlsym(module, SWCACHE_TRANSFORM_SYMBOL) : NULL;
    if (!f) {
        err_set(e, "cannot load the source transformer: %s", dlerror());
        err_hint(e, "it needs libclang: apt-get install libclang1-19");
    }
    return f;
}

static void report(const struct args *a, const struct swcache_result *r)
{
    for (size_t i = 0; i < r->n_note && !a->quiet; i++)
        fprintf(stderr, "%s:%u:%u: %s\n", r->note[i].file ? r->note[i].file : a->options.path, r->note[i].line,
                r->note[i].col, r->note[i].text);
    if (r->n_loop == 0)
        fprintf(stderr, "weir: %s: nothing was transformed; the output is a copy\n", a->options.path);
    else if (!a->quiet)
        fprintf(stderr, "weir: %s: %u loop%s of %u kernel%s split, %u launch%s adjusted\n", a->options.path, r->n_loop,
                r->n_loop == 1 ? "" : "s", r->n_kernel, r->n_kernel == 1 ? "" : "s", r->n_launch,
                r->n_launch == 1 ? "" : "es");
    if (a->job.verbose)
        fprintf(stderr, "weir: %s: %lu nodes of syntax trees, visited %lu times\n", a->options.path, r->nodes,
                r->visits);
}

/* Launches written << < >> > are closed up first, as for weir cc; the transformer sees the mended texts. libclang takes
 * them from memory: with an overlay of the file system it no longer finds the system's headers. */
static int mend(struct args *a, const char *folder, struct err *e)
{
    struct cc_input in = {.path = (char *)a->options.path};
    if (cc_fix_launches(&in, &a->job.common, folder, 0, e))
        return -1;
    const char *overlay = in.overlay;
    json_t *all = overlay ? json_load_file(overlay, 0, NULL) : NULL, *root;
    size_t i;
    VEC(struct swcache_file) files = {0};
    json_array_foreach(json_object_get(all, "roots"), i, root)
    {
        const char *name = json_string_value(json_object_get(root, "name"));
        const char *copy = json_string_value(json_object_get(root, "external-contents"));
        if (name && copy) {
            struct swcache_file file = {.path = xstrdup(name)};
            file.text = infile_bytes(copy, &file.bytes);
            if (!file.text)
                return err_at(e, copy, 0, 0, "cannot be read: %s", strerror(errno));
            VEC_PUSH(&files, file);
        }
    }
    if (overlay && !all)
        return err_at(e, overlay, 0, 0, "cannot be read");
    json_decref(all);
    a->options.mended = files.p;
    a->options.n_mended = files.n;
    return 0;
}

/* In a process of its own: libclang is known to crash on some sources, and as it is loaded where there is no memory; it
 * is then to cost an error message only. */
static int transform_apart(const struct args *a, struct err *e)
{
    fflush(NULL);
    const pid_t pid = cc_fork();
    if (pid < 0)
        return err_set(e, "cannot start the transformer: %s", strerror(errno));
    if (pid == 0) {
        struct swcache_result result;
        swcache_transform_fn *f = load(e);
        int rc = f ? f(&a->options, &result, e) : -1;
        if (!rc) {
            report(a, &result);
            rc = outfile_write(a->output ? a->output : "-", result.text, result.bytes, e);
        }
        if (rc)
            err_print(e, stderr);
        _exit(rc ? CLI_BAD_INPUT : CLI_OK);
    }
    const int status = subprocess_wait(pid);
    if (status < 0)
        return err_set(e, "lost contact with the transformer: %s", strerror(errno));
    cc_ended(pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CLI_OK)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CLI_BAD_INPUT)
        return SAID;
    err_at(e, a->options.path, 0, 0, "the transformer or libclang failed on this file (%s)",
           WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it stopped");
    return err_hint(e, "nothing was written; move its kernels to a separate file");
}

static int transform(struct args *a, struct err *e)
{
    struct cc_list words = {0};
    const char *folder = cc_device_args(&a->job, &words, e) ? NULL : cc_make_folder(e);
    if (!folder)
        return -1;
    a->options.arg = (const char *const *)words.p;
    a->options.n_arg = (int)words.n;
    int rc = mend(a, folder, e);
    if (!rc)
        rc = transform_apart(a, e);
    cc_remove_folder();
    return rc;
}

int cli_swcache(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help_text, stdout);
            return CLI_OK;
        }
    struct err e;
    struct args a = {0};
    err_clear(&e);
    static const char *const verbs[] = {"transform", NULL};
    char *wrong = cli_not_among(NULL, argc >= 2 ? argv[1] : NULL, verbs);
    if (wrong) {
        fprintf(stderr, "weir swcache: %s\nTry 'weir swcache --help' for more information.\n", wrong);
        free(wrong);
        return CLI_BAD_INPUT;
    }
    int rc = parse(&a, argc - 2, argv + 2, &e);
    if (!rc)
        rc = transform(&a, &e);
    if (rc && rc != SAID)
        err_print(&e, stderr);
    return rc ? CLI_BAD_INPUT : CLI_OK;
}
