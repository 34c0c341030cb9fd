/*
 * The option language of nvcc, as far as programs' makefiles use it.
 *
 * nvcc writes an option's value as `--name value`, `--name=value` or, for one-letter options, glued on; many have a
 * long and a short name, and a few take lists separated by commas. One table says what each does. An
 * option that is not in the table is an error: passing an unknown word on to another compiler would fail in a less
 * clear way.
 */
#include "base/out_of_memory.h"
#include "base/infile.h"
#include "cc/cc.h"
#include "base/nearest.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum value {
    NONE,
    JOINED,   /* -Ifoo or -I foo */
    SEPARATE, /* --name=value or --name value */
};

/* The progress of a parse. */
struct parse {
    struct cc_job *job;
    int forced; /* the language that -x chose; -1 = by the file's name */
    int depth;  /* of options files in each other */
    struct err *e;
};

struct option {
    const char *name;
    enum value value;
    /* What becomes of it; NULL: nothing of it matters here. 0, or -1 with the parse's error filled. */
    int (*take)(struct parse *, const struct option *, const char *value);
    size_t at;      /* where in struct cc_job it goes, or for take_stage which stage it is */
    const char *as; /* how the other compiler spells it; NULL: the same way. For take_refusal: what to do instead */
};

void cc_push(struct cc_list *list, const char *text)
{
    VEC_PUSH(list, xstrdup(text));
}

void cc_pushf(struct cc_list *list, const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    const int n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0)
        out_of_memory(strlen(format));
    VEC_PUSH(list, text);
}

void cc_list_free(struct cc_list *list)
{
    VEC_FREE_ALL(list);
}

/* Pushes the parts of `value` between commas. */
static void push_split(struct cc_list *list, const char *value)
{
    for (const char *part = value; *part;) {
        size_t len = strcspn(part, ",");
        char *word = xstrndup(part, len);
        /* Makefiles also pack several words into one quoted value: -Xcompiler "-O3 -Wall". */
        for (char *save = NULL, *w = strtok_r(word, " ", &save); w; w = strtok_r(NULL, " ", &save))
            cc_push(list, w);
        free(word);
        part += len + (part[len] == ',');
    }
}

static bool is_true(const char *value)
{
    return !strcmp(value, "true") || !strcmp(value, "1") || !strcmp(value, "yes");
}

static enum cc_language language_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot)
        return CC_LINK;
    if (!strcmp(dot, ".cu"))
        return CC_CUDA;
    if (!strcmp(dot, ".c"))
        return CC_C;
    static const char *const cxx[] = {".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP"};
    for (size_t i = 0; i < sizeof cxx / sizeof *cxx; i++)
        if (!strcmp(dot, cxx[i]))
            return CC_CXX;
    return CC_LINK;
}

/* ---- what an option does ---- */

static int take_word(struct parse *p, const struct option *o, const char *value)
{
    struct cc_list *to = (struct cc_list *)((char *)p->job + o->at);
    const char *as = o->as ? o->as : o->name;
    const size_t len = strlen(as);
    if (o->value == NONE)
        cc_push(to, as);
    else if (len == 2 || as[len - 1] == '=')
        cc_pushf(to, "%s%s", as, value);
    else {
        cc_push(to, as);
        cc_push(to, value);
    }
    return 0;
}

static int take_split(struct parse *p, const struct option *o, const char *value)
{
    push_split((struct cc_list *)((char *)p->job + o->at), value);
    return 0;
}

static int take_linker(struct parse *p, const struct option *o, const char *value)
{
    for (const char *part = value; *part;) {
        const size_t len = strcspn(part, ",");
        cc_push(&p->job->link, "-Xlinker");
        cc_pushf(&p->job->link, "%.*s", (int)len, part);
        part += len + (part[len] == ',');
    }
    return 0;
}

static bool *flag_of(struct parse *p, const struct option *o)
{
    return (bool *)((char *)p->job + o->at);
}

static int take_flag(struct parse *p, const struct option *o, const char *value)
{
    *flag_of(p, o) = true;
    return 0;
}

static int take_yes(struct parse *p, const struct option *o, const char *value)
{
    *flag_of(p, o) = is_true(value);
    return 0;
}

/* The job's field says that something is off; the option says whether it is on. */
static int take_no(struct parse *p, const struct option *o, const char *value)
{
    *flag_of(p, o) = !is_true(value);
    return 0;
}

static int take_dry_run(struct parse *p, const struct option *o, const char *value)
{
    p->job->dry_run = p->job->verbose = true;
    return 0;
}

static int take_output(struct parse *p, const struct option *o, const char *value)
{
    p->job->output = xstrdup(value);
    return 0;
}

static int take_stage(struct parse *p, const struct option *o, const char *value)
{
    p->job->stage = (enum cc_stage)o->at;
    return 0;
}

static int take_fat_binary(struct parse *p, const struct option *o, const char *value)
{
    p->job->fat_binary = true;
    p->job->stage = CC_TO_PTX;
    return 0;
}

static int take_relocatable_object(struct parse *p, const struct option *o, const char *value)
{
    p->job->relocatable = true;
    p->job->stage = CC_TO_OBJECT;
    return 0;
}

static int take_dependencies(struct parse *p, const struct option *o, const char *value)
{
    cc_push(&p->job->host, o->name);
    p->job->stage = CC_PREPROCESS;
    return 0;
}

static int take_shared(struct parse *p, const struct option *o, const char *value)
{
    p->job->shared = true;
    cc_push(&p->job->link, "-shared");
    return 0;
}

static int take_standard(struct parse *p, const struct option *o, const char *value)
{
    cc_pushf(&p->job->common, "-std=%s", value);
    p->job->standard_given = true;
    return 0;
}

static int take_level(struct parse *p, const struct option *o, const char *value)
{
    p->job->opt = isdigit((unsigned char)*value) ? atoi(value) : 2;
    return 0;
}

static int take_warnings_as_errors(struct parse *p, const struct option *o, const char *value)
{
    if (strstr(value, "all-warnings"))
        cc_push(&p->job->host, "-Werror");
    return 0;
}

/* weir's runtime stands in for CUDA's own libraries; of the others, weir's shared ones for NVIDIA's static ones. NVTX is
 * headers only. */
static int take_library(struct parse *p, const struct option *o, const char *value)
{
    static const char *const inside[] = {"cudart",  "cudart_static", "cudadevrt",   "cuda",
                                         "culibos", "nvToolsExt",    "nvtx3interop"};
    static const char *const with_static[] = {"cublas", "cublasLt", "cufft", "curand", "nvrtc"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (!strcmp(value, inside[i]))
            return 0;
    for (size_t i = 0; i < sizeof with_static / sizeof *with_static; i++) {
        const size_t n = strlen(with_static[i]);
        if (!strncmp(value, with_static[i], n) && !strcmp(value + n, "_static"))
            value = with_static[i];
    }
    cc_pushf(&p->job->link, "-l%s", value);
    return 0;
}

static int take_max_regs(struct parse *p, const struct option *o, const char *value)
{
    p->job->max_regs = atoi(value);
    return 0;
}

/* Options for the PTX assembler: -maxrregcount is the one with an effect. */
static int take_ptxas(struct parse *p, const struct option *o, const char *value)
{
    const char *regs = strstr(value, "maxrregcount");
    if (regs)
        p->job->max_regs = atoi(regs + strcspn(regs, "0123456789"));
    return 0;
}

/* "90a" behind sm_: the number, or 0; *end is behind it. */
static int arch_number(const char *text, const char **end)
{
    int n = 0;
    for (*end = text; isdigit((unsigned char)**end) && n < 1000; ++*end)
        n = n * 10 + **end - '0';
    const char *behind = *end + (**end == 'a' || **end == 'f');
    return n >= 10 && n < 1000 && !isalnum((unsigned char)*behind) && *behind != '_' ? n : 0;
}

/* The highest sm_NN or compute_NN in the value of -arch, -code or -gencode; native and all are the default. */
static int take_arch(struct parse *p, const struct option *o, const char *value)
{
    static const char *const prefix[] = {"sm_", "compute_", "lto_"};
    bool known = !strncmp(value, "native", 6) || !strncmp(value, "all", 3), wrong = false;
    for (const char *at = value; *at; at++)
        for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
            if (!strncmp(at, prefix[i], strlen(prefix[i]))) {
                const char *end;
                const int n = arch_number(at + strlen(prefix[i]), &end);
                known = true;
                wrong |= n == 0;
                p->job->arch_only |= n == 90 && *end == 'a';
                p->job->arch = n > p->job->arch ? n : p->job->arch;
            }
    if (known && !wrong)
        return 0;
    err_set(p->e, "%s %s: there is no such architecture", o->name, value);
    return err_hint(p->e, "name it as sm_75 or compute_90a");
}

static int take_language(struct parse *p, const struct option *o, const char *value)
{
    static const struct {
        const char *name;
        int language;
    } known[] = {{"cu", CC_CUDA}, {"cuda", CC_CUDA}, {"c++", CC_CXX}, {"c", CC_C}, {"none", -1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(value, known[i].name)) {
            p->forced = known[i].language;
            return 0;
        }
    err_set(p->e, "-x %s: unknown language", value);
    return err_hint(p->e, "use cu, c++, c or none");
}

static int parse_file(struct parse *p, const char *path);

static int take_options_file(struct parse *p, const struct option *o, const char *value)
{
    return parse_file(p, value);
}

static int take_refusal(struct parse *p, const struct option *o, const char *value)
{
    err_set(p->e, "%s is not supported", o->name);
    return err_hint(p->e, "%s", o->as);
}

/* ---- the table ---- */

#define AT(field) offsetof(struct cc_job, field)
static const struct option options[] = {
    {"-o", JOINED, take_output},
    {"--output-file", SEPARATE, take_output},
    {"-c", NONE, take_stage, CC_TO_OBJECT},
    {"--compile", NONE, take_stage, CC_TO_OBJECT},
    {"-dc", NONE, take_relocatable_object},
    {"--device-c", NONE, take_relocatable_object},
    {"-dw", NONE, take_stage, CC_TO_OBJECT},
    {"--device-w", NONE, take_stage, CC_TO_OBJECT},
    {"-ptx", NONE, take_stage, CC_TO_PTX},
    {"--ptx", NONE, take_stage, CC_TO_PTX},
    {"-lib", NONE, take_stage, CC_TO_ARCHIVE},
    {"--lib", NONE, take_stage, CC_TO_ARCHIVE},
    {"-E", NONE, take_stage, CC_PREPROCESS},
    {"--preprocess", NONE, take_stage, CC_PREPROCESS},
    {"-M", NONE, take_dependencies},
    {"-MM", NONE, take_dependencies},
    {"-MD", NONE, take_word, AT(host)},
    {"-MMD", NONE, take_word, AT(host)},
    {"-MP", NONE, take_word, AT(host)},
    {"-MF", JOINED, take_word, AT(host)},
    {"-MT", JOINED, take_word, AT(host)},
    {"-x", JOINED, take_language},
    {"--x", SEPARATE, take_language},
    {"-D", JOINED, take_word, AT(common), "-D"},
    {"--define-macro", SEPARATE, take_word, AT(common), "-D"},
    {"-U", JOINED, take_word, AT(common), "-U"},
    {"--undefine-macro", SEPARATE, take_word, AT(common), "-U"},
    {"-I", JOINED, take_word, AT(common), "-I"},
    {"--include-path", SEPARATE, take_word, AT(common), "-I"},
    {"-ffile-prefix-map", SEPARATE, take_word, AT(common), "-ffile-prefix-map="},
    {"-fdebug-prefix-map", SEPARATE, take_word, AT(common), "-fdebug-prefix-map="},
    {"-isystem", JOINED, take_word, AT(common), "-isystem"},
    {"--system-include", SEPARATE, take_word, AT(common), "-isystem"},
    {"-include", SEPARATE, take_word, AT(common), "-include"},
    {"--pre-include", SEPARATE, take_word, AT(common), "-include"},
    {"-L", JOINED, take_word, AT(link), "-L"},
    {"--library-path", SEPARATE, take_word, AT(link), "-L"},
    {"-l", JOINED, take_library},
    {"--library", SEPARATE, take_library},
    {"-arch", SEPARATE, take_arch},
    {"--gpu-architecture", SEPARATE, take_arch},
    {"-code", SEPARATE, take_arch},
    {"--gpu-code", SEPARATE, take_arch},
    {"-gencode", SEPARATE, take_arch},
    {"--generate-code", SEPARATE, take_arch},
    {"-O", JOINED, take_level},
    {"--optimize", SEPARATE, take_level},
    {"-dopt", SEPARATE, NULL},
    {"-Ofc", SEPARATE, NULL},
    {"-std", SEPARATE, take_standard},
    {"--std", SEPARATE, take_standard},
    {"-g", NONE, take_flag, AT(host_debug)},
    {"--debug", NONE, take_flag, AT(host_debug)},
    {"-G", NONE, NULL},
    {"--device-debug", NONE, NULL},
    {"-lineinfo", NONE, NULL},
    {"--generate-line-info", NONE, NULL},
    {"-pg", NONE, take_word, AT(host)},
    {"-shared", NONE, take_shared},
    {"--shared", NONE, take_shared},
    {"-Xcompiler", SEPARATE, take_split, AT(host)},
    {"--compiler-options", SEPARATE, take_split, AT(host)},
    {"-Xlinker", SEPARATE, take_linker},
    {"--linker-options", SEPARATE, take_linker},
    {"-Xptxas", SEPARATE, take_ptxas},
    {"--ptxas-options", SEPARATE, take_ptxas},
    {"-Xcudafe", SEPARATE, NULL},
    {"-Xnvlink", SEPARATE, NULL},
    {"--nvlink-options", SEPARATE, NULL},
    {"-Xfatbin", SEPARATE, NULL},
    {"-Xarchive", SEPARATE, NULL},
    {"-Xopencc", SEPARATE, NULL},
    {"-maxrregcount", SEPARATE, take_max_regs},
    {"--maxrregcount", SEPARATE, take_max_regs},
    {"-use_fast_math", NONE, take_flag, AT(fast_math)},
    {"--use_fast_math", NONE, take_flag, AT(fast_math)},
    {"-ffast-math", NONE, take_flag, AT(fast_math)},
    {"-ftz", SEPARATE, take_yes, AT(ftz)},
    {"--ftz", SEPARATE, take_yes, AT(ftz)},
    {"-prec-div", SEPARATE, take_no, AT(prec_div_off)},
    {"--prec-div", SEPARATE, take_no, AT(prec_div_off)},
    {"-prec-sqrt", SEPARATE, take_no, AT(prec_sqrt_off)},
    {"--prec-sqrt", SEPARATE, take_no, AT(prec_sqrt_off)},
    {"-fmad", SEPARATE, take_no, AT(no_fma)},
    {"--fmad", SEPARATE, take_no, AT(no_fma)},
    {"-fno-unroll-loops", NONE, take_flag, AT(no_unroll)},
    {"-funroll-known-loops", NONE, take_flag, AT(unroll_known)},
    {"-fno-whole-vectors", NONE, take_flag, AT(no_whole_vectors)},
    {"-rdc", SEPARATE, take_yes, AT(relocatable)},
    {"--relocatable-device-code", SEPARATE, take_yes, AT(relocatable)},
    {"-extra-device-vectorization", NONE, NULL},
    {"-restrict", NONE, NULL},
    {"--restrict", NONE, NULL},
    {"-m64", NONE, NULL},
    {"-m", JOINED, NULL},
    {"--machine", SEPARATE, NULL},
    {"-ccbin", SEPARATE, NULL},
    {"--compiler-bindir", SEPARATE, NULL},
    {"-cudart", SEPARATE, NULL},
    {"--cudart", SEPARATE, NULL},
    {"-cudadevrt", SEPARATE, NULL},
    {"--cudadevrt", SEPARATE, NULL},
    {"-default-stream", SEPARATE, NULL},
    {"--default-stream", SEPARATE, NULL},
    {"-t", JOINED, NULL},
    {"--threads", SEPARATE, NULL},
    {"-split-compile", SEPARATE, NULL},
    {"--split-compile", SEPARATE, NULL},
    {"-expt-relaxed-constexpr", NONE, NULL},
    {"--expt-relaxed-constexpr", NONE, NULL},
    {"-expt-extended-lambda", NONE, NULL},
    {"--expt-extended-lambda", NONE, NULL},
    {"-extended-lambda", NONE, NULL},
    {"--extended-lambda", NONE, NULL},
    {"-diag-suppress", SEPARATE, NULL},
    {"--diag-suppress", SEPARATE, NULL},
    {"-diag-error", SEPARATE, NULL},
    {"-diag-warn", SEPARATE, NULL},
    {"-no-compress", NONE, NULL},
    {"--no-compress", NONE, NULL},
    {"-res-usage", NONE, NULL},
    {"--resource-usage", NONE, NULL},
    {"-src-in-ptx", NONE, NULL},
    {"-Wno-deprecated-gpu-targets", NONE, NULL},
    {"-allow-unsupported-compiler", NONE, NULL},
    {"--allow-unsupported-compiler", NONE, NULL},
    {"-w", NONE, take_flag, AT(quiet)},
    {"--disable-warnings", NONE, take_flag, AT(quiet)},
    {"-Werror", JOINED, take_warnings_as_errors},
    {"--Werror", SEPARATE, take_warnings_as_errors},
    {"-keep", NONE, take_flag, AT(keep)},
    {"--keep", NONE, take_flag, AT(keep)},
    {"--save-temps", NONE, take_flag, AT(keep)},
    {"-save-temps", NONE, take_flag, AT(keep)},
    {"-keep-dir", SEPARATE, NULL},
    {"--keep-dir", SEPARATE, NULL},
    {"-v", NONE, take_flag, AT(verbose)},
    {"--verbose", NONE, take_flag, AT(verbose)},
    {"-dryrun", NONE, take_dry_run},
    {"--dryrun", NONE, take_dry_run},
    {"--dry-run", NONE, take_dry_run},
    {"--nvcc", NONE, take_flag, AT(nvcc)},
    {"-optf", SEPARATE, take_options_file},
    {"--options-file", SEPARATE, take_options_file},
    {"-cubin", NONE, take_refusal, 0, "weir does not generate machine code; use -ptx"},
    {"--cubin", NONE, take_refusal, 0, "weir does not generate machine code; use -ptx"},
    {"-fatbin", NONE, take_fat_binary},
    {"--fatbin", NONE, take_fat_binary},
    {"-dlink", NONE, take_stage, CC_DEVICE_LINK},
    {"--device-link", NONE, take_stage, CC_DEVICE_LINK},
    {"-run", NONE, take_flag, AT(run)},
    {"--run", NONE, take_flag, AT(run)},
    {"-V", NONE, take_flag, AT(version)},
    {"--version", NONE, take_flag, AT(version)},
    {"-Xclang", SEPARATE, take_word, AT(common)},
    {"-mllvm", SEPARATE, take_word, AT(common)},
    {"-forward-unknown-to-host-compiler", NONE, take_flag, AT(forward)},
    {"--forward-unknown-to-host-compiler", NONE, take_flag, AT(forward)},
    {"-forward-unknown-to-host-linker", NONE, take_flag, AT(forward)},
    {"--forward-unknown-to-host-linker", NONE, take_flag, AT(forward)},
    {"-forward-unknown-opts", NONE, take_flag, AT(forward)},
    {"--forward-unknown-opts", NONE, take_flag, AT(forward)},
    {"-dlto", NONE, take_refusal, 0, "use -rdc=true without link-time optimization"},
};
#undef AT

/* ---- words ---- */

/* Options of gcc and clang that makefiles hand to nvcc by way of CXXFLAGS; they concern the host compilation. */
static bool host_option(const char *word)
{
    static const char *const prefix[] = {"-W", "-f", "-march=", "-mtune=", "-pthread", "-pipe", "-s", "-rdynamic"};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (!strncmp(word, prefix[i], strlen(prefix[i])))
            return true;
    return false;
}

/* The option that a word is, or begins with; *value: what follows it in the same word, or NULL. NULL: none. */
static const struct option *find_option(const char *w, const char **value)
{
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        const struct option *o = &options[k];
        const size_t len = strlen(o->name);
        if (!strcmp(w, o->name))
            return o;
        if (o->value != NONE && !strncmp(w, o->name, len) && w[len] == '=' && len > 2) {
            *value = w + len + 1;
            return o;
        }
    }
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        const struct option *o = &options[k];
        if (o->value == JOINED && strlen(o->name) == 2 && !strncmp(w, o->name, 2) && !host_option(w)) {
            *value = w + 2 + (w[2] == '=' && strchr("oOtx", w[1]));
            return o;
        }
    }
    return NULL;
}

bool cc_is_option(const char *word)
{
    const char *value;
    return find_option(word, &value) || host_option(word);
}

const char *cc_nearest_option(const char *w)
{
    const char *names[sizeof options / sizeof *options];
    unsigned n = 0;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (strlen(options[k].name) > 3)
            names[n++] = options[k].name;
    char *word = xstrndup(w, strcspn(w, "="));
    const char *near = nearest_name(word, names, n);
    free(word);
    return near;
}

static void take_input(struct parse *p, const char *w)
{
    struct cc_input in = {xstrdup(w), p->forced >= 0 ? (enum cc_language)p->forced : language_of(w)};
    if (in.language == CC_LINK)
        cc_push(&p->job->link, w); /* objects keep their place among the libraries */
    VEC_PUSH(&p->job->input, in);
}

/* What may follow nvcc's -Werror; gcc's takes no value. */
static bool is_warning_kind(const char *word)
{
    static const char *const kind[] = {"all-warnings",
                                       "cross-execution-space-call",
                                       "reorder",
                                       "default-stream-launch",
                                       "missing-launch-bounds",
                                       "deprecated-declarations",
                                       "ext-lambda-captures-this"};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (!strncmp(word, kind[i], strlen(kind[i])))
            return true;
    return false;
}

static int parse_words(struct parse *p, int n, char **word)
{
    for (int i = 0; i < n; i++) {
        const char *w = word[i], *value = NULL;
        if (w[0] == '@') {
            if (parse_file(p, w + 1))
                return -1;
            continue;
        }
        if (w[0] != '-' || !w[1]) {
            take_input(p, w);
            continue;
        }
        const struct option *o = find_option(w, &value);
        if (!o && !strncmp(w, "-Wl,", 4))
            cc_push(&p->job->link, w);
        else if (!o && (host_option(w) || p->job->forward))
            cc_push(&p->job->host, w);
        else if (!o) {
            err_set(p->e, "%s: unknown option of weir cc", w);
            const char *near = cc_nearest_option(w);
            if (near)
                return err_hint(p->e, "did you mean '%s'?", near);
            return err_hint(p->e, "options for the host compiler go after -Xcompiler; 'weir cc --help' lists the rest");
        }
        if (!o)
            continue;
        if (o->value != NONE && !value) {
            if (o->take == take_warnings_as_errors && i + 1 < n && is_warning_kind(word[i + 1]))
                value = word[++i];
            else if (o->take == take_level || o->take == take_warnings_as_errors) /* the value may be left out */
                value = "";
            else if (i + 1 >= n)
                return err_set(p->e, "%s needs a value", w);
            else
                value = word[++i];
        }
        if (o->take && o->take(p, o, value))
            return -1;
    }
    return 0;
}

/* An options file holds words separated by white space; quotes keep a word together. */
static int parse_file(struct parse *p, const char *path)
{
    if (p->depth >= 8)
        return err_at(p->e, path, 0, 0, "options files are nested too deeply");
    FILE *f = infile_open(path, 16 << 20, p->e);
    if (!f)
        return err_hint(p->e, "it is named as a file of options");
    struct cc_list words = {0};
    VEC(char) word = {0};
    int quote = 0, c;
    bool in_word = false;
    do {
        c = getc(f);
        const bool ends = c == EOF || (!quote && isspace(c));
        if (ends && in_word) {
            VEC_PUSH(&word, 0);
            cc_push(&words, word.p);
        }
        if (ends) {
            word.n = 0;
            in_word = false;
        } else if (quote ? c == quote : (c == '"' || c == '\'')) {
            quote = quote ? 0 : c;
            in_word = true;
        } else {
            VEC_PUSH(&word, (char)c);
            in_word = true;
        }
    } while (c != EOF);
    fclose(f);
    VEC_FREE(&word);
    p->depth++;
    const int status = parse_words(p, (int)words.n, words.p);
    p->depth--;
    return status;
}

int cc_parse(struct cc_job *job, int argc, char **argv, struct err *e)
{
    job->opt = 2;
    for (int i = 0; i < argc; i++) /* it concerns the options before it, too */
        job->forward |= strstr(argv[i], "-forward-unknown-") && argv[i][0] == '-';
    return parse_words(&(struct parse){.job = job, .forced = -1, .e = e}, argc, argv);
}
