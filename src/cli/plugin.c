/*
 * weir plugin: policies of one's own without weir's source. `new` writes a working policy of a kind and its test,
 * `build` compiles it against the headers that were installed with weir (include/weir/plugin.h). `new --in-tree` starts
 * a policy in weir's source: the same file with its place in the lists of policies and tests.
 */
#include "base/infile.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "engine/config.h"
#include "engine/policy_registry.h"
#include "gpu/gpu_config.h"
#include "gpu/plugin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
    const char *verb, *what, *kind, *output;
    bool in_tree;
};

/*
 * Kinds that can be started from a template; a statistic of it that is never zero when its hooks work; and in the tree:
 * its folder, the header that declares its hooks, its type, and the first part of its constant's name.
 */
static const struct {
    const char *kind, *file, *statistic, *folder, *header, *type, *constant;
} templates[] = {
    {"l1-management", "l1-management.c", "evicted", "l1/management", "l1/policy.h", "l1_management", "l1_management"},
    {"scheduler", "scheduler.c", "picks", "sm/sched", "sm/sched/sched.h", "sm_sched", "sm_sched"},
    {"prefetcher", "prefetcher.c", "asked", "l1/prefetch", "l1/policy.h", "l1_prefetcher", "l1_prefetcher"},
    {"l1-organization", "l1-organization.c", "left", "l1/organization", "l1/policy.h", "l1_organization",
     "l1_organization"},
    {"l1-order", "order.c", "requests", "l1/order", "cache/order.h", "order_policy", "l1_order"},
    {"l2-order", "order.c", "requests", "l2/order", "cache/order.h", "order_policy", "l2_order"}};
enum { N_TEMPLATE = sizeof templates / sizeof *templates };

/* ---- new ---- */

struct word {
    const char *is, *becomes;
};

/* Writes `text` to `path` with words replaced; refuses to touch a file that exists. */
static int write_file(const char *path, const char *text, const struct word *word, mode_t mode, struct err *e)
{
    FILE *f = fopen(path, "wxe");
    if (!f) {
        err_at(e, path, 0, 0, "cannot be written: %s", strerror(errno));
        return errno == EEXIST ? err_hint(e, "remove it, or choose another name") : -1;
    }
    while (*text) {
        const struct word *w = word;
        while (w->is && strncmp(text, w->is, strlen(w->is)))
            w++;
        if (w->is) {
            fputs(w->becomes, f);
            text += strlen(w->is);
        } else {
            fputc(*text++, f);
        }
    }
    bool bad = ferror(f) || fchmod(fileno(f), mode);
    bad |= fclose(f) != 0;
    return bad ? err_at(e, path, 0, 0, "cannot be written: %s", strerror(errno)) : 0;
}

static char *read_template(const char *name, struct err *e)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (paths_find(PATHS_PLUGIN, folder, sizeof folder)) {
        err_set(e, "weir's templates for plugins were not found");
        err_hint(e, "install weir again, or run it from its build folder");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/templates/%s", folder, name);
    return infile_text(path, INFILE_ANY_SIZE, e);
}

static bool is_identifier(const char *s)
{
    return *s >= 'a' && *s <= 'z' && strlen(s) < 40 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

static int check_name(const char *name, const char *kind, struct err *e)
{
    const struct cfg_schema *s = gpu_schema();
    if (!is_identifier(name)) {
        err_set(e, "'%s' cannot be a policy's name", name);
        return err_hint(e, "use lower-case letters, digits and _, starting with a letter, fewer than 40 characters");
    }
    static const char *const keywords[] = {
        "auto",     "break",  "case",     "char",   "const",  "continue", "default", "do",     "double",  "else",
        "enum",     "extern", "float",    "for",    "goto",   "if",       "inline",  "int",    "long",    "register",
        "return",   "short",  "restrict", "signed", "sizeof", "static",   "struct",  "switch", "typedef", "union",
        "unsigned", "void",   "volatile", "while",  "asm",    "typeof",   "bool",    "true",   "false"};
    for (unsigned i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strcmp(keywords[i], name)) {
            err_set(e, "'%s' is a C keyword and cannot be a policy's name", name);
            return err_hint(e, "choose another name, for example my_%s", name);
        }
    if (plugin_name_taken(name)) {
        err_set(e, "'%s' is reserved and cannot be a policy's name", name);
        return err_hint(e, "choose another name, for example my_%s", name);
    }
    for (unsigned i = 0; i < s->n_section; i++)
        if (!strcmp(s->section[i]->name, name)) {
            err_set(e, "'%s' is a section of the configuration and cannot be a policy's name", name);
            return err_hint(e, "choose another name, for example my_%s", name);
        }
    for (unsigned i = 0; i < s->n_kind; i++)
        if (!strcmp(s->kind[i]->name, kind) && policy_find(s->kind[i], name) >= 0)
            return err_set(e, "a policy '%s' of kind %s already exists", name, kind);
    return 0;
}

static int find_template(const char *kind, struct err *e)
{
    const char *names[N_TEMPLATE];
    for (int i = 0; i < N_TEMPLATE; i++) {
        if (!strcmp(templates[i].kind, kind))
            return i;
        names[i] = templates[i].kind;
    }
    err_set(e, "--kind=%s: there is no such kind of policy", kind);
    return err_hint_names(e, kind, names, N_TEMPLATE);
}

/* Adds a line to a file behind its last line that begins with `after`, or at its end. */
static int add_line(const char *path, const char *line, const char *after, struct err *e)
{
    char *text = infile_text(path, INFILE_ANY_SIZE, e), *at = text;
    if (!text)
        return -1;
    for (char *p = text, *end; *p; p = end) {
        end = p + strcspn(p, "\n");
        end += *end != 0;
        if (!strncmp(p, after, strlen(after)))
            at = end;
    }
    struct outfile *o = outfile_open(path, e);
    if (o)
        fprintf(outfile_stream(o), "%.*s%s\n%s", (int)(at - text), text, line, at);
    free(text);
    return o ? outfile_commit(o, e) : -1;
}

#define POLICIES "src/machine/policies.list"
#define TESTS    "tests/behave/meson.build"

static int new_in_tree(const char *name, int t, struct err *e)
{
    const char *kind = templates[t].kind;
    char source[256], test[128], header[128], is[128], becomes[192], line[192], after[64];
    if (access(POLICIES, W_OK) || access(TESTS, W_OK)) {
        err_set(e, "there is no " POLICIES " here that can be written");
        return err_hint(e, "--in-tree works in the top folder of weir's source");
    }
    snprintf(source, sizeof source, "src/machine/%s/%s.c", templates[t].folder, name);
    snprintf(test, sizeof test, "tests/behave/%s_test.c", name);
    snprintf(header, sizeof header, "#include \"%s\"", templates[t].header);
    snprintf(is, sizeof is, "static const struct %s NAME =", templates[t].type);
    snprintf(becomes, sizeof becomes, "const struct %s %s_%s =", templates[t].type, templates[t].constant, name);
    const struct word word[] = {{"#include <weir/plugin.h>", header},
                                {is, becomes},
                                {"NAME", name},
                                {"KIND", kind},
                                {"LEVEL", !strncmp(kind, "l2", 2) ? "L2" : "L1"},
                                {"STATISTIC", templates[t].statistic},
                                {0}};
    char *policy = read_template(templates[t].file, e), *skeleton = policy ? read_template("tree_test.c", e) : NULL;
    if (skeleton) /* what makes a plugin of the file is at its end */
        strstr(policy, "\nWEIR_PLUGIN(")[0] = 0;
    int bad = !skeleton || write_file(source, policy, word, 0644, e) || write_file(test, skeleton, word, 0644, e);
    free(policy);
    free(skeleton);
    snprintf(line, sizeof line, "%s %s", kind, name);
    snprintf(after, sizeof after, "%s ", kind);
    if (bad || add_line(POLICIES, line, after, e))
        return -1;
    snprintf(line, sizeof line,
             "test('%s', executable('%s_test', '%s_test.c', include_directories: inc, dependencies: [synth_dep, "
             "memsys_dep]),\n  suite: 'behave')",
             name, name, name);
    if (add_line(TESTS, line, "", e))
        return -1;
    printf("%s: a policy of kind %s; %s: its test\n" POLICIES ", " TESTS
           ": their lines\n"
           "  ninja -C build && meson test -C build %s\n"
           "  python3 tests/golden/policies.py build/weir --record %s   # its golden statistics: commit the file\n",
           source, kind, test, name, name);
    return 0;
}

static int new_plugin(const struct args *a)
{
    struct err e;
    char source[128], test[128], recordings[PATH_MAX], recording[PATH_MAX + 32];
    const char *name = a->what;
    int t = find_template(a->kind, &e);
    if (t < 0 || check_name(name, a->kind, &e))
        return cli_fail(&e);
    if (a->in_tree)
        return new_in_tree(name, t, &e) ? cli_fail(&e) : CLI_OK;
    if (paths_find(PATHS_RECORDINGS, recordings, sizeof recordings)) {
        err_set(&e, "weir's recordings were not found");
        return cli_fail(&e);
    }
    snprintf(recording, sizeof recording, "%s/gather-4096.wt", recordings);
    snprintf(source, sizeof source, "%s.c", name);
    snprintf(test, sizeof test, "%s_test.sh", name);
    const struct word word[] = {{"NAME", name},
                                {"KIND", a->kind},
                                {"LEVEL", !strncmp(a->kind, "l2", 2) ? "L2" : "L1"},
                                {"STATISTIC", templates[t].statistic},
                                {"RECORDING", recording},
                                {0}};
    char *policy = read_template(templates[t].file, &e), *script = policy ? read_template("test.sh", &e) : NULL;
    int bad = !script || write_file(source, policy, word, 0644, &e) || write_file(test, script, word, 0755, &e);
    free(policy);
    free(script);
    if (bad)
        return cli_fail(&e);
    printf(
        "%s: a policy of kind %s; %s: its test\n"
        "  weir plugin build %s\n  ./%s\n  weir run --plugin ./%s.so --with %s ./app\n",
        source, a->kind, test, source, test, name, name);
    return CLI_OK;
}

/* ---- build ---- */

static int run_compiler(char *const *argv, struct err *e)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return err_set(e, "cannot start %s: %s", argv[0], strerror(errno));
    if (!pid) {
        execvp(argv[0], argv);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        err_set(e, "there is no C compiler '%s'", argv[0]);
        return err_hint(e, "install one (Debian: gcc), or name yours: CC=clang weir plugin build ...");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : err_set(e, "%s was ended by a signal", argv[0]);
}

/* A compiler's command line, built up word by word. */
struct command {
    VEC(char *) word;
};

static void add_word(struct command *c, const char *word)
{
    VEC_PUSH(&c->word, xstrdup(word));
}

static void free_command(struct command *c)
{
    VEC_FREE_ALL(&c->word);
}

/* How files that include weir/plugin.h are compiled. */
static int add_flags(struct command *c, struct err *e)
{
    static const char *const flags[] = {"-O2",
                                        "-std=gnu17",
                                        "-D_GNU_SOURCE",
                                        "-Wall",
                                        "-Wextra",
                                        "-Wno-unused-parameter",
                                        "-Wno-missing-field-initializers",
                                        "-fvisibility=hidden",
                                        "-fno-strict-aliasing"};
    char headers[PATH_MAX], path[PATH_MAX + 32];
    if (paths_find(PATHS_PLUGIN_HEADERS, headers, sizeof headers)) {
        err_set(e, "weir's headers for plugins were not found");
        return err_hint(e, "install weir again, or run it from its build folder");
    }
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
        add_word(c, flags[i]);
    snprintf(path, sizeof path, "-I%s", headers);
    add_word(c, path);
    /* In weir's own tree the public header is apart from those that it includes. */
    static const char *const in_tree[] = {"src", "src/machine"};
    for (unsigned i = 0; i < sizeof in_tree / sizeof *in_tree; i++) {
        snprintf(path, sizeof path, "-I%s/../%s", headers, in_tree[i]);
        if (!access(path + 2, R_OK))
            add_word(c, path);
    }
    return 0;
}

static int print_flags(void)
{
    struct err e;
    struct command c = {0};
    int bad = add_flags(&c, &e);
    for (size_t i = 0; i < c.word.n; i++)
        printf("%s%s", i ? " " : "", c.word.p[i]);
    if (!bad)
        putchar('\n');
    free_command(&c);
    return bad ? cli_fail(&e) : CLI_OK;
}

static int check_source(const char *source, struct err *e)
{
    size_t n = strlen(source);
    if (n < 3 || n > PATH_MAX - 4 || strcmp(source + n - 2, ".c")) {
        err_set(e, "%s: a plugin is one C file", source);
        return err_hint(e, "the file name must end in .c; 'weir plugin new NAME' creates one");
    }
    return access(source, R_OK) ? err_at(e, source, 0, 0, "cannot read: %s", strerror(errno)) : 0;
}

static int build_plugin(const char *source, const char *output)
{
    struct err e;
    struct command c = {0};
    char out[PATH_MAX], in[PATH_MAX];
    if (check_source(source, &e))
        return cli_fail(&e);
    /* What begins with - would be an option to the compiler. */
    snprintf(in, sizeof in, "%s%s", *source == '-' ? "./" : "", source);
    snprintf(out, sizeof out, "%.*s.so", (int)strlen(in) - 2, in);
    const char *cc = getenv("CC");
    char *compiler = xstrdup(cc && *cc ? cc : "cc");
    for (char *save, *w = strtok_r(compiler, " ", &save); w; w = strtok_r(NULL, " ", &save))
        add_word(&c, w); /* "ccache gcc" */
    free(compiler);
    int status = add_flags(&c, &e);
    const char *const last[] = {"-shared", "-fPIC", "-o", output ? output : out, in};
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++)
        add_word(&c, last[i]);
    VEC_PUSH(&c.word, NULL);
    if (!status)
        status = run_compiler(c.word.p, &e);
    free_command(&c);
    if (status < 0)
        return cli_fail(&e);
    if (status) {
        fprintf(stderr, "weir: %s was not built; see the compiler's messages\n", source);
        return CLI_BAD_INPUT;
    }
    printf("%s\n", output ? output : out);
    return CLI_OK;
}

/* ---- the command line ---- */

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (!a->verb)
        a->verb = word;
    else if (!a->what)
        a->what = word;
    else
        argp_error(state, "give one name");
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    cli_choose(state, NULL, a->verb, (const char *const[]){"new", "build", "flags", NULL});
    if (!a->what && strcmp(a->verb, "flags"))
        argp_error(state, !strcmp(a->verb, "new") ? "no name given" : "which file?");
}

static const struct cli_option options[] = {
    {"kind", "KIND", "new: what kind of policy ('weir list policies')", CLI_TEXT(struct args, kind)},
    {"in-tree", NULL,
     "new: a policy in weir's source, with its lines in the lists of policies and tests; in the source's top "
     "folder",
     CLI_FLAG(struct args, in_tree)},
    {"output", "FILE.so", "build: the file to write (default: the source's name with .so)",
     CLI_TEXT(struct args, output), .letter = 'o'},
    {0}};

static const struct cli_syntax syntax = {
    .option = options,
    .usage = "new NAME\nbuild FILE.c\nflags",
    .doc =
        "Create and build policy plugins: one C file, compiled against the installed headers.\vExamples:\n"
        "  weir plugin new mine --kind l1-management\n"
        "  weir plugin build mine.c\n"
        "  ./mine_test.sh\n"
        "  weir run --plugin ./mine.so --with mine ./app\n"
        "\n"
        "new writes a working policy and its test; kinds: l1-management (default), l1-organization, l1-order, "
        "l2-order,\n"
        "prefetcher, scheduler. build compiles it with cc, or with $CC. flags prints the compiler flags for a test\n"
        "that includes the policy's file: cc $(weir plugin flags) mine_test.c -o mine_test.\n"
        "docs/add-a-policy.md is a tutorial.\n",
    .word = take_word,
    .end = check_options};

int cli_plugin(int argc, char **argv)
{
    struct args a = {.kind = "l1-management"};
    cli_parse(&syntax, argc, argv, 0, &a);
    return !strcmp(a.verb, "new")     ? new_plugin(&a)
           : !strcmp(a.verb, "build") ? build_plugin(a.what, a.output)
                                      : print_flags();
}
