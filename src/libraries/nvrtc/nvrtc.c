/*
 * NVRTC: CUDA C++ compiled at run time, by weir's compiler driver in a process of its own.
 *
 * A program's source and headers go into a temporary folder; what the compiler says about them is the program's log, with
 * the names that the program gave. A name expression becomes a constant that holds the address of what it names, behind
 * the source; the PTX then says by which symbol.
 *
 * Left out: machine code, OptiX and LTO code, precompiled headers, time traces.
 */
#include "base/infile.h"
#include "base/out_of_memory.h"
#include "base/mem.h"
#include "cc/cc.h"
#include "compile/device_code.h"
#include "weir/cuda/nvrtc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define API       __attribute__((visibility("default")))
#define NAME_MARK "weir_nvrtc_name_"
/* Own files in the temporary folder: names that no header has. */
#define OWN "weir nvrtc."

enum { VERSION_MAJOR = 13, VERSION_MINOR = 0 };
static const int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
enum { N_ARCHITECTURES = sizeof architectures / sizeof *architectures };

struct text {
    char *name, *text;
};
struct _nvrtcProgram {
    char *source, *name;
    VEC(struct text) header;
    VEC(struct text) expression; /* and what it is called in the PTX; NULL = not known */
    char *ptx, *log;
    bool compiled;
    bool real; /* for sm_90, not compute_90: with machine code, were this NVIDIA's */
};

API const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const name[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
    };
    return (size_t)result < sizeof name / sizeof *name ? name[result] : "NVRTC_ERROR unknown";
}

API nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = VERSION_MAJOR;
    *minor = VERSION_MINOR;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
    if (!n)
        return NVRTC_ERROR_INVALID_INPUT;
    *n = N_ARCHITECTURES;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcGetSupportedArchs(int *list)
{
    if (!list)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(list, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */
API nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int n_header,
                                   const char *const *headers, const char *const *names)
{
    if (!out || !source || n_header < 0 || (n_header && (!headers || !names)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n_header; i++) /* a name that leads out of the folder */
        if (!headers[i] || !names[i] || names[i][0] == '/' || strstr(names[i], ".."))
            return NVRTC_ERROR_INVALID_INPUT;
    struct _nvrtcProgram *p = xcalloc(1, sizeof *p);
    p->source = xstrdup(source);
    p->name = xstrdup(name && *name ? name : "default_program");
    for (int i = 0; i < n_header; i++)
        VEC_PUSH(&p->header, (struct text){xstrdup(names[i]), xstrdup(headers[i])});
    *out = p;
    return NVRTC_SUCCESS;
}

static void forget_results(struct _nvrtcProgram *p)
{
    for (size_t i = 0; i < p->expression.n; i++) {
        free(p->expression.p[i].text);
        p->expression.p[i].text = NULL;
    }
    free(p->ptx);
    free(p->log);
    p->ptx = p->log = NULL;
    p->compiled = false;
}

API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    struct _nvrtcProgram *p = *program;
    forget_results(p);
    for (size_t i = 0; i < p->header.n; i++) {
        free(p->header.p[i].name);
        free(p->header.p[i].text);
    }
    for (size_t i = 0; i < p->expression.n; i++)
        free(p->expression.p[i].name);
    VEC_FREE(&p->header);
    VEC_FREE(&p->expression);
    free(p->source);
    free(p->name);
    free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *const expression)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || strpbrk(expression, "\n;{}"))
        return NVRTC_ERROR_INVALID_INPUT;
    if (p->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    VEC_PUSH(&p->expression, (struct text){xstrdup(expression), NULL});
    return NVRTC_SUCCESS;
}

/* ---- compilation ---- */

/* Options that only NVRTC has, and what they are to nvcc: "" = nothing of it matters here, NULL = DEFAULT_DEVICE. */
static const struct {
    const char *begins, *as;
} own_options[] = {
    {"--device-as-default-execution-space", NULL},
    {"-default-device", NULL},
    {"--minimal", ""},
    {"-minimal", ""},
    {"--builtin-move-forward", ""},
    {"-builtin-move-forward", ""},
    {"--builtin-initializer-list", ""},
    {"-builtin-initializer-list", ""},
    {"--no-source-include", ""},
    {"-no-source-include", ""},
    {"--no-cache", ""},
    {"-no-cache", ""},
    {"--jump-table-density", ""},
    {"--device-int128", ""},
    {"-device-int128", ""},
    {"--device-float128", ""},
    {"--brief-diagnostics", ""},
    {"-brief-diag", ""},
    {"--display-error-number", ""},
    {"-err-no", ""},
    {"--no-display-error-number", ""},
    {"-no-err-no", ""},
    {"--version-ident", ""},
    {"--time", ""},
    {"-time", ""},
    {"--fdevice-time-trace", ""},
    {"-pch", ""},
    {"--pch", ""},
    {"--disable-warnings", "-w"},
};

/* The pragma that makes functions without an execution space functions of both sides. */
#define DEFAULT_DEVICE "#pragma clang force_cuda_host_device begin\n"

static int write_file(const char *folder, const char *name, const char *text, const char *more, struct err *e)
{
    char *path = xasprintf("%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "we");
    const int bad = !f || fputs(text, f) < 0 || fputs(more, f) < 0;
    const int why = errno;
    if ((f && fclose(f)) || bad) {
        err_set(e, "cannot write %s: %s", path, strerror(why));
        free(path);
        return -1;
    }
    free(path);
    return 0;
}

/* A name as a string of C. */
static char *quoted(const char *name)
{
    char *out = xmalloc(4 * strlen(name) + 1), *at = out;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        at += sprintf(at, *c < ' ' ? "\\%03o" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    *at = '\0';
    return out;
}

/* The source as it is compiled: under its own name, and with a constant for each name expression. */
static int write_source(const struct _nvrtcProgram *p, const char *folder, bool default_device, struct err *e)
{
    char *name = quoted(p->name);
    char *head = xasprintf("%s#line 1 \"%s\"\n", default_device ? DEFAULT_DEVICE : "", name);
    char *text = xasprintf("%s%s\n", head, p->source), *more = xstrdup("");
    for (size_t i = 0; i < p->expression.n; i++) {
        char *longer = xasprintf(
            "%s#line 1 \"name expression\"\nextern \"C\" __device__ __attribute__((used)) const void "
            "*const " NAME_MARK "%zu = (const void *)(%s);\n",
            more, i, p->expression.p[i].name);
        free(more);
        more = longer;
    }
    const int rc = write_file(folder, OWN "cu", text, more, e);
    free(more);
    free(text);
    free(head);
    free(name);
    return rc;
}

/* Takes the constants out of the PTX, and from them the names: ".const .align 8 .u64 weir_nvrtc_name_0 = generic(x);" */
static void take_names(struct _nvrtcProgram *p)
{
    for (char *at; (at = strstr(p->ptx, NAME_MARK));) {
        char *line = at, *end = at + strcspn(at, "\n");
        while (line > p->ptx && line[-1] != '\n')
            line--;
        const size_t i = strtoul(at + strlen(NAME_MARK), NULL, 10);
        char *name = memchr(at, '=', (size_t)(end - at));
        if (name && i < p->expression.n && !p->expression.p[i].text) {
            name += 1 + strspn(name + 1, " ");
            if (!strncmp(name, "generic(", 8))
                name += 8;
            p->expression.p[i].text = xstrndup(name, strcspn(name, ";) ,\n"));
        }
        memmove(line, *end ? end + 1 : end, strlen(*end ? end + 1 : end) + 1);
    }
}

/* What the compiler said, in the program's words: without the temporary folder. */
static char *read_log(const char *path, const char *folder)
{
    size_t n;
    char *text = infile_bytes(path, &n);
    const size_t skip = strlen(folder) + 1;
    for (char *at = text; at && (at = strstr(at, folder));)
        memmove(at, at + skip, strlen(at + skip) + 1);
    return text ? text : xstrdup("");
}

static nvrtcResult compile(struct _nvrtcProgram *p, int n, const char *const *options, const char *folder,
                           struct err *e)
{
    VEC(const char *) args = {0};
    bool default_device = false;
    p->real = false;
    for (int i = 0; i < n; i++) {
        const char *as = options[i];
        for (size_t k = 0; k < sizeof own_options / sizeof *own_options; k++)
            if (!strncmp(options[i], own_options[k].begins, strlen(own_options[k].begins)))
                as = own_options[k].as;
        /* -arch=sm_90, --gpu-architecture=sm_90, -arch sm_90 */
        if (!strncmp(options[i], "-arch", 5) || !strncmp(options[i], "--gpu-architecture", 18))
            p->real = strstr(strchr(options[i], '=') || i + 1 == n ? options[i] : options[i + 1], "sm_");
        if (!as)
            default_device = true;
        else if (*as)
            VEC_PUSH(&args, as);
    }
    const char *slash = strrchr(p->name, '/');
    char *beside = slash ? xasprintf("-I%.*s", (int)(slash - p->name), p->name) : xstrdup("-I."),
         *headers = xasprintf("-I%s", folder), *ptx = xasprintf("%s/" OWN "ptx", folder),
         *log = xasprintf("%s/" OWN "log", folder), *source = xasprintf("%s/" OWN "cu", folder);
    VEC_PUSH(&args, "-D__CUDACC_RTC__");
    VEC_PUSH(&args, "-include"); /* assert() is built into NVRTC */
    VEC_PUSH(&args, "assert.h");
    VEC_PUSH(&args, headers);
    VEC_PUSH(&args, beside);
    VEC_PUSH(&args, NULL);
    int bad = write_source(p, folder, default_device, e);
    for (size_t i = 0; i < p->header.n && !bad; i++)
        bad = write_file(folder, p->header.p[i].name, p->header.p[i].text, "\n", e);
    const int rc = bad ? -1 : device_code_compile(args.p, source, ptx, log, e);
    if (rc >= 0)
        p->log = read_log(log, folder);
    size_t bytes;
    if (!rc)
        p->ptx = infile_bytes(ptx, &bytes);
    if (p->ptx)
        take_names(p);
    free(source);
    free(log);
    free(ptx);
    free(headers);
    free(beside);
    VEC_FREE(&args);
    return rc < 0                ? NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
           : p->ptx              ? NVRTC_SUCCESS
           : rc == CC_BAD_OPTION ? NVRTC_ERROR_INVALID_OPTION
                                 : NVRTC_ERROR_COMPILATION;
}

API nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (n < 0 || (n && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n; i++)
        if (!options[i])
            return NVRTC_ERROR_INVALID_INPUT;
    struct workplace w;
    struct err e;
    err_clear(&e);
    forget_results(p);
    p->compiled = true;
    nvrtcResult r = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    if (!workplace_make(&w, &e)) {
        r = compile(p, n, options, w.path, &e);
        workplace_remove(&w);
    }
    if (!p->log)
        p->log = xasprintf("weir: %s%s%s\n", e.msg, *e.hint ? "; " : "", e.hint);
    return r;
}

/* ---- results ---- */
static nvrtcResult size_of(const char *text, size_t *bytes)
{
    if (!bytes)
        return NVRTC_ERROR_INVALID_INPUT;
    *bytes = text ? strlen(text) + 1 : 0;
    return text ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

static nvrtcResult copy_of(const char *text, char *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    if (text)
        memcpy(out, text, strlen(text) + 1);
    return text ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

API nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes)
{
    return p ? size_of(p->ptx, bytes) : NVRTC_ERROR_INVALID_PROGRAM;
}

API nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out)
{
    return p ? copy_of(p->ptx, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes)
{
    return p ? size_of(p->log ? p->log : "", bytes) : NVRTC_ERROR_INVALID_PROGRAM;
}

API nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out)
{
    return p ? copy_of(p->log ? p->log : "", out) : NVRTC_ERROR_INVALID_PROGRAM;
}

/* Where NVIDIA's has machine code, this has the PTX once more: whatever loads the one takes the other. */
API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes)
{
    if (p && p->ptx && !p->real && bytes) {
        *bytes = 0;
        return NVRTC_SUCCESS;
    }
    return nvrtcGetPTXSize(p, bytes);
}

API nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
    return p && p->ptx && !p->real ? NVRTC_ERROR_INVALID_PROGRAM : nvrtcGetPTX(p, out);
}

API nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *const expression, const char **name)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!p->compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < p->expression.n; i++)
        if (!strcmp(p->expression.p[i].name, expression) && p->expression.p[i].text) {
            *name = p->expression.p[i].text;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
