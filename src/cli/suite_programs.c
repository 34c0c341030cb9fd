/* See suite_programs.h. */
#include "cli/suite_programs.h"

#include "base/out_of_memory.h"
#include "base/paths.h"
#include "base/subprocess.h"
#include "cc/cc.h"
#include "cli/cli.h"
#include "base/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <unistd.h>

/* Every key of program.ini and where its value goes: one list for reading and for freeing. */
enum { PROGRAM_FIELDS = 10 };
struct program_field {
    const char *key;
    char **at;
};
static void program_fields(struct suite_program *p, struct program_field field[PROGRAM_FIELDS])
{
    const struct program_field all[] = {
        {"title", &p->title},
        {"origin", &p->origin},
        {"does", &p->does},
        {"source", &p->source},
        {"flags", &p->flags},
#define X(key, text) {#key, &p->key},
        SUITE_PAPERS(X)
#undef X
    };
    _Static_assert(sizeof all / sizeof *all == PROGRAM_FIELDS, "PROGRAM_FIELDS counts this list");
    memcpy(field, all, sizeof all);
}

static int on_ini(void *ctx, const char *section, const char *key, const char *value)
{
    struct program_field field[PROGRAM_FIELDS];
    program_fields(ctx, field);
    for (int i = 0; i < PROGRAM_FIELDS; i++)
        if (!strcmp(section, "program") && !strcmp(field[i].key, key)) {
            free(*field[i].at);
            *field[i].at = xstrdup(value);
            return 1;
        }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct suite_program *)a)->name, ((const struct suite_program *)b)->name);
}

int suite_load(struct suite *s, struct err *e)
{
    if (paths_find(PATHS_SUITE, s->folder, sizeof s->folder)) {
        err_set(e, "weir's workload suite was not found");
        return err_hint(e, "install weir, or run it from its build folder");
    }
    DIR *d = opendir(s->folder);
    if (!d)
        return err_at(e, s->folder, 0, 0, "%s", strerror(errno));
    int status = 0;
    for (struct dirent *x; !status && (x = readdir(d));) {
        char path[PATH_MAX + 300];
        snprintf(path, sizeof path, "%s/%s/program.ini", s->folder, x->d_name);
        if (access(path, R_OK))
            continue;
        struct suite_program p = {.name = xstrdup(x->d_name)};
        int line = ini_parse(path, on_ini, &p);
        if (line != 0)
            status = err_at(e, path, line > 0 ? line : 0, 0, "unknown key or malformed line in [program]");
        else if (!p.title || !p.origin || !p.does || !p.source)
            status = err_at(e, path, 0, 0, "title, origin, does and source are required");
        VEC_PUSH(&s->program, p);
    }
    closedir(d);
    qsort(s->program.p, s->program.n, sizeof *s->program.p, by_name);
    return status;
}

void suite_free(struct suite *s)
{
    for (size_t i = 0; i < s->program.n; i++) {
        struct program_field field[PROGRAM_FIELDS];
        program_fields(&s->program.p[i], field);
        for (int k = 0; k < PROGRAM_FIELDS; k++)
            free(*field[k].at);
        free(s->program.p[i].name);
    }
    VEC_FREE(&s->program);
}

const struct suite_program *suite_find(const struct suite *s, const char *name)
{
    for (size_t i = 0; i < s->program.n; i++)
        if (!strcmp(s->program.p[i].name, name))
            return &s->program.p[i];
    return NULL;
}

void suite_add_flags(struct suite_program *p, const char *cflags)
{
    char *flags = cflags && *cflags ? xasprintf("%s%s%s", p->flags ? p->flags : "", p->flags ? " " : "", cflags) : NULL;
    if (!flags)
        return;
    free(p->flags);
    p->flags = flags;
}

int suite_unknown(const struct suite *s, const char *name, const char *more, struct err *e)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < s->program.n; i++)
        VEC_PUSH(&names, s->program.p[i].name);
    err_set(e, "the suite has no program '%s'%s", name, more);
    err_hint_nearest(e, name, names.p, (unsigned)names.n, "see 'weir suite list'");
    VEC_FREE(&names);
    return -1;
}

const char *suite_in_paper(const struct suite_program *p, const char *paper)
{
#define X(key, text)                                                                                                   \
    if (!strcmp(paper, #key))                                                                                          \
        return p->key;
    SUITE_PAPERS(X)
#undef X
    return NULL;
}

/* ---- build and run ---- */
int suite_spawn(char **argv, const char *log)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        const int to = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
        if (to >= 0) {
            dup2(to, STDOUT_FILENO);
            dup2(to, STDERR_FILENO);
        }
        if (strcmp(argv[0], "weir"))
            execvp(argv[0], argv);
        else
            execv("/proc/self/exe", argv);
        fprintf(stderr, "weir: cannot run %s: %s\n", strcmp(argv[0], "weir") ? argv[0] : "weir itself",
                strerror(errno));
        _exit(CLI_BAD_INPUT);
    }
    if (pid < 0)
        fprintf(stderr, "weir: cannot start another process: %s\n", strerror(errno));
    return pid < 0 ? CLI_BAD_INPUT : subprocess_exit(pid, CLI_PROGRAM_FAILED);
}

int suite_cache_folder(char out[SUITE_PATH], struct err *e)
{
    return artifact_folder(out, SUITE_PATH, e);
}

/* The file and those that it includes by a name in quotes, from any folder. Files include each other a few deep.
 */
static void add_source(struct key *k, const char *path, int deep)
{
    FILE *f = deep ? fopen(path, "re") : NULL;
    char line[256], name[200], next[3 * PATH_MAX];
    key_add_file(k, path);
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, " # include \"%199[^\"]\"", name) == 1) {
            const char *slash = strrchr(path, '/');
            snprintf(next, sizeof next, "%.*s/%s", (int)(slash ? slash - path : 0), path, name);
            key_add(k, name);
            add_source(k, next, deep - 1);
        }
    if (f)
        fclose(f);
}

/* Everything that decides what the compiler makes of the program. */
static int program_key(const struct suite *s, const struct suite_program *p, char out[KEY_TEXT], struct err *e)
{
    struct key k;
    char path[3 * PATH_MAX], swcache[PATH_MAX];
    key_begin(&k);
    if (cc_key_compiler(&k, e))
        return -1;
    key_add(&k, p->flags);
    key_add(&k, p->source);
    snprintf(path, sizeof path, "%s/%s", s->folder, p->name);
    key_add_folder(&k, path);
    char *sources = xstrdup(p->source);
    for (char *save, *x = strtok_r(sources, " ", &save); x; x = strtok_r(NULL, " ", &save)) {
        snprintf(path, sizeof path, "%s/%s/%s", s->folder, p->name, x);
        add_source(&k, path, 8);
    }
    free(sources);
    if (!paths_find(PATHS_SWCACHE, swcache, sizeof swcache)) {
        snprintf(path, sizeof path, "%s/swcache.cuh", swcache);
        add_source(&k, path, 8);
    }
    key_text(&k, out);
    return 0;
}

int suite_binary(const struct suite *s, const struct suite_program *p, const char *cache, char binary[SUITE_PATH],
                 struct err *e)
{
    char key[KEY_TEXT];
    if (program_key(s, p, key, e))
        return -1;
    snprintf(binary, SUITE_PATH, "%.*s/%s-%s", PATH_MAX, cache, p->name, key);
    return 0;
}

static void push_words(struct cc_list *list, const char *text)
{
    char *words = xstrdup(text ? text : "");
    for (char *save, *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        cc_push(list, w);
    free(words);
}

int suite_build(const struct suite *s, const struct suite_program *p, const char *cache, char binary[SUITE_PATH])
{
    struct err e;
    if (suite_binary(s, p, cache, binary, &e))
        return cli_fail(&e);
    if (artifact_is_whole(binary))
        return CLI_OK;
    char unfinished[SUITE_PATH + 32], headers[PATH_MAX];
    snprintf(unfinished, sizeof unfinished, "%s.%d", binary, (int)getpid());
    struct cc_list argv = {0};
    /* The studies' results (docs/papers) are of programs whose vectors were not loaded whole: docs/suite.md. */
    push_words(&argv, "weir cc -O2 -fno-whole-vectors");
    if (!p->flags || !strstr(p->flags, "-arch")) /* and for Turing, whatever the default has become */
        push_words(&argv, "-arch=sm_75");
    /* Line numbers name the files as the suite does, wherever it is installed: recordings hold these names. */
    cc_pushf(&argv, "-ffile-prefix-map=%s=suite", s->folder);
    if (!paths_find(PATHS_HEADERS, headers, sizeof headers))
        cc_pushf(&argv, "-ffile-prefix-map=%s=cuda", headers);
    push_words(&argv, p->flags);
    char *sources = xstrdup(p->source);
    for (char *save, *f = strtok_r(sources, " ", &save); f; f = strtok_r(NULL, " ", &save))
        cc_pushf(&argv, "%s/%s/%s", s->folder, p->name, f);
    free(sources);
    cc_push(&argv, "-o");
    cc_push(&argv, unfinished);
    VEC_PUSH(&argv, NULL);
    int status = suite_spawn(argv.p, NULL);
    cc_list_free(&argv);
    if (status)
        unlink(unfinished);
    else if (artifact_publish(unfinished, binary, &e)) {
        status = cli_fail(&e);
    }
    return status;
}
