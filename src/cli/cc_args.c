/*
 * The option language of nvcc, as far as programs' makefiles use it.
 *
 * nvcc writes an option's value as `--name value`, `--name=value` or, for one-letter options, glued on; many have a
 * long and a short name, and a few take lists separated by commas. One table says for each what becomes of it. An
 * option that is not in the table is an error: passing an unknown word on to another compiler would fail in a less
 * clear way.
 */
#include "cli/cc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

enum action {
    IGNORE,  /* nothing of it matters here */
    COMMON,  /* option to both compilations */
    HOST,    /* option to the host compilation */
    DEVICE,  /* option to the device compilation */
    LINK,    /* option to the linker */
    TO_HOST, /* the value, split at commas, goes to the host compilation and the linker driver: -Xcompiler */
    TO_LINK, /* the value, split at commas, goes to the linker: -Xlinker */
    PTXAS,   /* options for the PTX assembler; -maxrregcount is the one with an effect */
    OUTPUT,
    OBJECT,
    RDC_OBJECT, /* -dc */
    PTX,
    ARCHIVE,
    PREPROCESS,
    DEPENDENCIES,
    LANGUAGE,
    ARCH,
    OPTIMIZE,
    STANDARD,
    DEBUG,
    LIBRARY,
    SHARED,
    RDC,
    MAX_REGS,
    FAST_MATH,
    FTZ,
    PREC_DIV,
    PREC_SQRT,
    FMAD,
    NO_UNROLL,
    KEEP,
    VERBOSE,
    DRY_RUN,
    QUIET,
    NVCC,
    LINE_INFO,
    WARN_ERROR,
    INPUTS, /* @file */
    REFUSE
};

enum value {
    NONE,
    JOINED,   /* -Ifoo or -I foo */
    SEPARATE, /* --name=value or --name value */
};

struct option {
    const char *name;
    enum value value;
    enum action action;
    const char *as; /* how the other compiler spells it; NULL: the same way. For REFUSE: what to do instead */
};

static const struct option options[] = {
    {"-o", JOINED, OUTPUT, NULL},
    {"--output-file", SEPARATE, OUTPUT, NULL},
    {"-c", NONE, OBJECT, NULL},
    {"--compile", NONE, OBJECT, NULL},
    {"-dc", NONE, RDC_OBJECT, NULL},
    {"--device-c", NONE, RDC_OBJECT, NULL},
    {"-dw", NONE, OBJECT, NULL},
    {"--device-w", NONE, OBJECT, NULL},
    {"-ptx", NONE, PTX, NULL},
    {"--ptx", NONE, PTX, NULL},
    {"-lib", NONE, ARCHIVE, NULL},
    {"--lib", NONE, ARCHIVE, NULL},
    {"-E", NONE, PREPROCESS, NULL},
    {"--preprocess", NONE, PREPROCESS, NULL},
    {"-M", NONE, DEPENDENCIES, NULL},
    {"-MM", NONE, DEPENDENCIES, NULL},
    {"-MD", NONE, HOST, NULL},
    {"-MMD", NONE, HOST, NULL},
    {"-MP", NONE, HOST, NULL},
    {"-MF", JOINED, HOST, NULL},
    {"-MT", JOINED, HOST, NULL},
    {"-x", JOINED, LANGUAGE, NULL},
    {"--x", SEPARATE, LANGUAGE, NULL},
    {"-D", JOINED, COMMON, "-D"},
    {"--define-macro", SEPARATE, COMMON, "-D"},
    {"-U", JOINED, COMMON, "-U"},
    {"--undefine-macro", SEPARATE, COMMON, "-U"},
    {"-I", JOINED, COMMON, "-I"},
    {"--include-path", SEPARATE, COMMON, "-I"},
    {"-isystem", JOINED, COMMON, "-isystem"},
    {"--system-include", SEPARATE, COMMON, "-isystem"},
    {"-include", SEPARATE, COMMON, "-include"},
    {"--pre-include", SEPARATE, COMMON, "-include"},
    {"-L", JOINED, LINK, "-L"},
    {"--library-path", SEPARATE, LINK, "-L"},
    {"-l", JOINED, LIBRARY, NULL},
    {"--library", SEPARATE, LIBRARY, NULL},
    {"-arch", SEPARATE, ARCH, NULL},
    {"--gpu-architecture", SEPARATE, ARCH, NULL},
    {"-code", SEPARATE, ARCH, NULL},
    {"--gpu-code", SEPARATE, ARCH, NULL},
    {"-gencode", SEPARATE, ARCH, NULL},
    {"--generate-code", SEPARATE, ARCH, NULL},
    {"-O", JOINED, OPTIMIZE, NULL},
    {"--optimize", SEPARATE, OPTIMIZE, NULL},
    {"-dopt", SEPARATE, IGNORE, NULL},
    {"-Ofc", SEPARATE, IGNORE, NULL},
    {"-std", SEPARATE, STANDARD, NULL},
    {"--std", SEPARATE, STANDARD, NULL},
    {"-g", NONE, DEBUG, NULL},
    {"--debug", NONE, DEBUG, NULL},
    {"-G", NONE, LINE_INFO, NULL},
    {"--device-debug", NONE, LINE_INFO, NULL},
    {"-lineinfo", NONE, LINE_INFO, NULL},
    {"--generate-line-info", NONE, LINE_INFO, NULL},
    {"-pg", NONE, HOST, NULL},
    {"-shared", NONE, SHARED, NULL},
    {"--shared", NONE, SHARED, NULL},
    {"-Xcompiler", SEPARATE, TO_HOST, NULL},
    {"--compiler-options", SEPARATE, TO_HOST, NULL},
    {"-Xlinker", SEPARATE, TO_LINK, NULL},
    {"--linker-options", SEPARATE, TO_LINK, NULL},
    {"-Xptxas", SEPARATE, PTXAS, NULL},
    {"--ptxas-options", SEPARATE, PTXAS, NULL},
    {"-Xcudafe", SEPARATE, IGNORE, NULL},
    {"-Xnvlink", SEPARATE, IGNORE, NULL},
    {"--nvlink-options", SEPARATE, IGNORE, NULL},
    {"-Xfatbin", SEPARATE, IGNORE, NULL},
    {"-Xarchive", SEPARATE, IGNORE, NULL},
    {"-Xopencc", SEPARATE, IGNORE, NULL},
    {"-maxrregcount", SEPARATE, MAX_REGS, NULL},
    {"--maxrregcount", SEPARATE, MAX_REGS, NULL},
    {"-use_fast_math", NONE, FAST_MATH, NULL},
    {"--use_fast_math", NONE, FAST_MATH, NULL},
    {"-ffast-math", NONE, FAST_MATH, NULL},
    {"-ftz", SEPARATE, FTZ, NULL},
    {"--ftz", SEPARATE, FTZ, NULL},
    {"-prec-div", SEPARATE, PREC_DIV, NULL},
    {"--prec-div", SEPARATE, PREC_DIV, NULL},
    {"-prec-sqrt", SEPARATE, PREC_SQRT, NULL},
    {"--prec-sqrt", SEPARATE, PREC_SQRT, NULL},
    {"-fmad", SEPARATE, FMAD, NULL},
    {"--fmad", SEPARATE, FMAD, NULL},
    {"-fno-unroll-loops", NONE, NO_UNROLL, NULL},
    {"-rdc", SEPARATE, RDC, NULL},
    {"--relocatable-device-code", SEPARATE, RDC, NULL},
    {"-extra-device-vectorization", NONE, IGNORE, NULL},
    {"-restrict", NONE, IGNORE, NULL},
    {"--restrict", NONE, IGNORE, NULL},
    {"-m64", NONE, IGNORE, NULL},
    {"-m", JOINED, IGNORE, NULL},
    {"--machine", SEPARATE, IGNORE, NULL},
    {"-ccbin", SEPARATE, IGNORE, NULL},
    {"--compiler-bindir", SEPARATE, IGNORE, NULL},
    {"-cudart", SEPARATE, IGNORE, NULL},
    {"--cudart", SEPARATE, IGNORE, NULL},
    {"-cudadevrt", SEPARATE, IGNORE, NULL},
    {"--cudadevrt", SEPARATE, IGNORE, NULL},
    {"-default-stream", SEPARATE, IGNORE, NULL},
    {"--default-stream", SEPARATE, IGNORE, NULL},
    {"-t", JOINED, IGNORE, NULL},
    {"--threads", SEPARATE, IGNORE, NULL},
    {"-split-compile", SEPARATE, IGNORE, NULL},
    {"--split-compile", SEPARATE, IGNORE, NULL},
    {"-expt-relaxed-constexpr", NONE, IGNORE, NULL},
    {"--expt-relaxed-constexpr", NONE, IGNORE, NULL},
    {"-expt-extended-lambda", NONE, IGNORE, NULL},
    {"--expt-extended-lambda", NONE, IGNORE, NULL},
    {"-extended-lambda", NONE, IGNORE, NULL},
    {"--extended-lambda", NONE, IGNORE, NULL},
    {"-diag-suppress", SEPARATE, IGNORE, NULL},
    {"--diag-suppress", SEPARATE, IGNORE, NULL},
    {"-diag-error", SEPARATE, IGNORE, NULL},
    {"-diag-warn", SEPARATE, IGNORE, NULL},
    {"-no-compress", NONE, IGNORE, NULL},
    {"--no-compress", NONE, IGNORE, NULL},
    {"-res-usage", NONE, IGNORE, NULL},
    {"--resource-usage", NONE, IGNORE, NULL},
    {"-src-in-ptx", NONE, IGNORE, NULL},
    {"-Wno-deprecated-gpu-targets", NONE, IGNORE, NULL},
    {"-allow-unsupported-compiler", NONE, IGNORE, NULL},
    {"--allow-unsupported-compiler", NONE, IGNORE, NULL},
    {"-w", NONE, QUIET, NULL},
    {"--disable-warnings", NONE, QUIET, NULL},
    {"-Werror", JOINED, WARN_ERROR, NULL},
    {"--Werror", SEPARATE, WARN_ERROR, NULL},
    {"-keep", NONE, KEEP, NULL},
    {"--keep", NONE, KEEP, NULL},
    {"--save-temps", NONE, KEEP, NULL},
    {"-save-temps", NONE, KEEP, NULL},
    {"-keep-dir", SEPARATE, IGNORE, NULL},
    {"--keep-dir", SEPARATE, IGNORE, NULL},
    {"-v", NONE, VERBOSE, NULL},
    {"--verbose", NONE, VERBOSE, NULL},
    {"-dryrun", NONE, DRY_RUN, NULL},
    {"--dryrun", NONE, DRY_RUN, NULL},
    {"--dry-run", NONE, DRY_RUN, NULL},
    {"--nvcc", NONE, NVCC, NULL},
    {"-optf", SEPARATE, INPUTS, NULL},
    {"--options-file", SEPARATE, INPUTS, NULL},
    {"-cubin", NONE, REFUSE, "there is no machine code to make; use -ptx"},
    {"--cubin", NONE, REFUSE, "there is no machine code to make; use -ptx"},
    {"-fatbin", NONE, REFUSE, "programs carry their PTX directly; use -ptx"},
    {"--fatbin", NONE, REFUSE, "programs carry their PTX directly; use -ptx"},
    {"-dlink", NONE, REFUSE, "device code is linked when the program is loaded; leave the step out"},
    {"--device-link", NONE, REFUSE, "device code is linked when the program is loaded; leave the step out"},
    {"-dlto", NONE, REFUSE, "use -rdc=true without link-time optimisation"},
};

void cc_push(struct cc_list *list, const char *text)
{
    VEC_PUSH(list, xstrdup(text));
}

void cc_pushf(struct cc_list *list, const char *format, ...)
{
    char text[4096];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    cc_push(list, text);
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

/* The highest sm_NN or compute_NN in the value of -arch, -code or -gencode. */
static void note_arch(struct cc_job *job, const char *value)
{
    for (const char *at = value; *at; at++) {
        int n = 0;
        if (!strncmp(at, "sm_", 3))
            n = atoi(at + 3);
        else if (!strncmp(at, "compute_", 8))
            n = atoi(at + 8);
        else if (!strncmp(at, "lto_", 4))
            n = atoi(at + 4);
        if (n > job->arch)
            job->arch = n;
    }
}

static void note_ptxas(struct cc_job *job, const char *value)
{
    const char *regs = strstr(value, "maxrregcount");
    if (regs)
        job->max_regs = atoi(regs + strcspn(regs, "0123456789"));
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

static int set_language(int *forced, const char *value, struct err *e)
{
    if (!strcmp(value, "cu") || !strcmp(value, "cuda"))
        *forced = CC_CUDA;
    else if (!strcmp(value, "c++"))
        *forced = CC_CXX;
    else if (!strcmp(value, "c"))
        *forced = CC_C;
    else if (!strcmp(value, "none"))
        *forced = -1;
    else {
        err_set(e, "-x %s: no such language", value);
        return err_hint(e, "use cu, c++, c or none");
    }
    return 0;
}

static int parse_file(struct cc_job *job, const char *path, int depth, int *forced, struct err *e);

static int apply(struct cc_job *job, const struct option *o, const char *value, int depth, int *forced, struct err *e)
{
    const char *as = o->as ? o->as : o->name;
    struct cc_list *to = NULL;
    switch (o->action) {
    case IGNORE:
    case LINE_INFO:
        break;
    case COMMON:
        to = &job->common;
        break;
    case HOST:
        to = &job->host;
        break;
    case DEVICE:
        to = &job->device;
        break;
    case LINK:
        to = &job->link;
        break;
    case TO_HOST:
        push_split(&job->host, value);
        break;
    case TO_LINK:
        for (const char *part = value; *part;) {
            size_t len = strcspn(part, ",");
            cc_push(&job->link, "-Xlinker");
            cc_pushf(&job->link, "%.*s", (int)len, part);
            part += len + (part[len] == ',');
        }
        break;
    case PTXAS:
        note_ptxas(job, value);
        break;
    case OUTPUT:
        job->output = xstrdup(value);
        break;
    case RDC_OBJECT:
        job->relocatable = true;
        job->stage = CC_TO_OBJECT;
        break;
    case OBJECT:
        job->stage = CC_TO_OBJECT;
        break;
    case PTX:
        job->stage = CC_TO_PTX;
        break;
    case ARCHIVE:
        job->stage = CC_TO_ARCHIVE;
        break;
    case DEPENDENCIES:
        cc_push(&job->host, o->name);
        job->stage = CC_PREPROCESS;
        break;
    case PREPROCESS:
        job->stage = CC_PREPROCESS;
        break;
    case LANGUAGE:
        return set_language(forced, value, e);
    case ARCH:
        note_arch(job, value);
        break;
    case OPTIMIZE:
        job->opt = isdigit((unsigned char)*value) ? atoi(value) : 2;
        break;
    case STANDARD:
        cc_pushf(&job->common, "-std=%s", value);
        job->standard_given = true;
        break;
    case DEBUG:
        job->host_debug = true;
        break;
    case LIBRARY:
        /* weir's runtime stands in for all of these. */
        if (strcmp(value, "cudart") && strcmp(value, "cudart_static") && strcmp(value, "cudadevrt") &&
            strcmp(value, "cuda"))
            cc_pushf(&job->link, "-l%s", value);
        break;
    case SHARED:
        job->shared = true;
        cc_push(&job->link, "-shared");
        break;
    case RDC:
        job->relocatable = is_true(value);
        break;
    case MAX_REGS:
        job->max_regs = atoi(value);
        break;
    case FAST_MATH:
        job->fast_math = true;
        break;
    case FTZ:
        job->ftz = is_true(value);
        break;
    case PREC_DIV:
        job->prec_div_off = !is_true(value);
        break;
    case PREC_SQRT:
        job->prec_sqrt_off = !is_true(value);
        break;
    case NO_UNROLL:
        job->no_unroll = true;
        break;
    case FMAD:
        job->no_fma = !is_true(value);
        break;
    case KEEP:
        job->keep = true;
        break;
    case VERBOSE:
        job->verbose = true;
        break;
    case DRY_RUN:
        job->dry_run = job->verbose = true;
        break;
    case QUIET:
        job->quiet = true;
        break;
    case WARN_ERROR:
        if (strstr(value, "all-warnings"))
            cc_push(&job->host, "-Werror");
        break;
    case NVCC:
        job->nvcc = true;
        break;
    case INPUTS:
        return parse_file(job, value, depth + 1, forced, e);
    case REFUSE:
        err_set(e, "%s is not possible", o->name);
        return err_hint(e, "%s", o->as);
    }
    if (to) {
        if (o->value == NONE)
            cc_push(to, as);
        else if (strlen(as) == 2)
            cc_pushf(to, "%s%s", as, value);
        else {
            cc_push(to, as);
            cc_push(to, value);
        }
    }
    return 0;
}

/* Options of gcc and clang that makefiles hand to nvcc by way of CXXFLAGS; they concern the host compilation. */
static bool host_option(const char *word)
{
    static const char *const prefix[] = {"-W", "-f", "-march=", "-mtune=", "-pthread", "-pipe", "-s", "-rdynamic"};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (!strncmp(word, prefix[i], strlen(prefix[i])))
            return true;
    return false;
}

static int parse_words(struct cc_job *job, int n, char **word, int depth, int *forced, struct err *e)
{
    for (int i = 0; i < n; i++) {
        const char *w = word[i], *value = NULL;
        if (w[0] == '@') {
            if (parse_file(job, w + 1, depth + 1, forced, e))
                return -1;
            continue;
        }
        if (w[0] != '-' || !w[1]) {
            struct cc_input in = {xstrdup(w), *forced >= 0 ? (enum cc_language) * forced : language_of(w)};
            if (in.language == CC_LINK)
                cc_push(&job->link, w); /* objects keep their place among the libraries */
            VEC_PUSH(&job->input, in);
            continue;
        }
        const struct option *hit = NULL;
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            const struct option *o = &options[k];
            size_t len = strlen(o->name);
            if (!strcmp(w, o->name)) {
                hit = o;
                break;
            }
            if (o->value != NONE && !strncmp(w, o->name, len) && w[len] == '=' && len > 2) {
                hit = o;
                value = w + len + 1;
                break;
            }
        }
        for (size_t k = 0; !hit && k < sizeof options / sizeof *options; k++) {
            const struct option *o = &options[k];
            if (o->value == JOINED && strlen(o->name) == 2 && !strncmp(w, o->name, 2) && !host_option(w)) {
                hit = o;
                value = w + 2 + (w[2] == '=' && strchr("oOtx", w[1]));
            }
        }
        if (!hit && !strncmp(w, "-Wl,", 4)) {
            cc_push(&job->link, w);
            continue;
        }
        if (!hit && host_option(w)) {
            cc_push(&job->host, w);
            continue;
        }
        if (!hit) {
            err_set(e, "%s: no such option of weir cc", w);
            return err_hint(e, "options for the host compiler go after -Xcompiler; 'weir cc --help' lists the rest");
        }
        bool optional = hit->action == OPTIMIZE || hit->action == WARN_ERROR;
        if (hit->value != NONE && !value) {
            if (optional)
                value = "";
            else if (i + 1 >= n)
                return err_set(e, "%s needs a value", w);
            else
                value = word[++i];
        }
        if (apply(job, hit, value, depth, forced, e))
            return -1;
    }
    return 0;
}

/* An options file holds words separated by white space; quotes keep a word together. */
static int parse_file(struct cc_job *job, const char *path, int depth, int *forced, struct err *e)
{
    if (depth > 8)
        return err_at(e, path, 0, 0, "options files include each other too deeply");
    FILE *f = fopen(path, "r");
    if (!f)
        return err_at(e, path, 0, 0, "cannot read this options file");
    struct cc_list words = {0};
    char word[4096];
    size_t n = 0;
    int quote = 0, c;
    bool in_word = false;
    while ((c = getc(f)) != EOF) {
        if (quote ? c == quote : (c == '"' || c == '\'')) {
            quote = quote ? 0 : c;
            in_word = true;
        } else if (!quote && isspace(c)) {
            if (in_word) {
                word[n] = 0;
                cc_push(&words, word);
            }
            n = 0;
            in_word = false;
        } else if (n < sizeof word - 1) {
            word[n++] = (char)c;
            in_word = true;
        }
    }
    fclose(f);
    if (in_word) {
        word[n] = 0;
        cc_push(&words, word);
    }
    return parse_words(job, (int)words.n, words.p, depth, forced, e);
}

int cc_parse(struct cc_job *job, int argc, char **argv, struct err *e)
{
    int forced = -1;
    job->opt = 2;
    return parse_words(job, argc, argv, 0, &forced, e);
}
