/*
 * weir cc: compiles CUDA C++ into an ordinary Linux program whose kernels run in weir, with Debian's clang and weir's
 * own CUDA headers. Neither NVIDIA's toolkit nor its headers are needed.
 *
 * A .cu file is compiled twice: for the device, which yields PTX text, and for the host, which embeds that text. Both
 * passes run at the same time; the host pass reads the PTX through a named pipe at its very end. The program links with
 * weir's libcudart.so.13, which hands the PTX to the emulator when the program starts.
 *
 * With --nvcc, NVIDIA's compiler does the work instead, if it is installed.
 */
#include "base/infile.h"
#include "base/demangle.h"
#include "base/err.h"
#include "base/out_of_memory.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/paths.h"
#include "cc/cc.h"
#include "emu/emu.h"
#include "ptx/ir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- running other programs ---- */

static void show(const struct cc_list *words)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *w = words->p[i];
        bool quote = !*w || strpbrk(w, " \t\"'$&|;()<>*?\\") != NULL;
        fprintf(stderr, "%s%s%s%s", i ? " " : "", quote ? "'" : "", w, quote ? "'" : "");
    }
    fputc('\n', stderr);
}

/* Starts a program; its error output goes to `errors` (a file) when given. Returns its process id, -1 on failure. */
static pid_t start(struct cc_list *words, const char *errors)
{
    VEC_PUSH(words, NULL);
    words->n--;
    pid_t pid = cc_fork();
    if (pid < 0)
        fprintf(stderr, "weir: cannot start %s: %s\n", words->p[0], strerror(errno));
    if (pid != 0)
        return pid;
    if (errors) {
        int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0)
            dup2(fd, STDERR_FILENO);
    }
    execvp(words->p[0], words->p);
    fprintf(stderr, "weir: cannot run %s: %s\n", words->p[0], strerror(errno));
    _exit(127);
}

/* The exit status of what start() returned. */
static int finish(pid_t pid)
{
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    cc_ended(pid);
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Runs a program to its end; `errors` as for start(). */
static int run(const struct cc_job *job, struct cc_list *words, const char *errors)
{
    if (job->verbose)
        show(words);
    return job->dry_run ? 0 : finish(start(words, errors));
}

static void print_file(const char *path)
{
    char buffer[4096];
    size_t n;
    FILE *f = fopen(path, "r");
    while (f && (n = fread(buffer, 1, sizeof buffer, f)) > 0)
        fwrite(buffer, 1, n, stderr);
    if (f)
        fclose(f);
}

/* ---- one file ---- */

static bool wants_openmp(const struct cc_job *job)
{
    for (size_t i = 0; i < job->host.n; i++)
        if (!strncmp(job->host.p[i], "-fopenmp", 8))
            return true;
    return false;
}

/* The part of a path between the last slash and the last dot. */
static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return xstrndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

/* Feeds the text into the pipe that the host compilation reads; gives up when that process ends before reading. 0, or
 * -1 and a message on stderr: it did not get all of it, and must not exit with 0. */
static int feed(const char *pipe_path, const char *text, size_t bytes, pid_t reader, int *reader_status)
{
    int fd;
    while ((fd = open(pipe_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        int status;
        if (errno != ENXIO && errno != EINTR) { /* anything but: no reader yet */
            fprintf(stderr, "weir: %s: cannot pass the device code to the next stage: %s\n", pipe_path,
                    strerror(errno));
            return -1;
        }
        if (waitpid(reader, &status, WNOHANG) == reader) {
            cc_ended(reader);
            *reader_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
            return 0;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    fcntl(fd, F_SETFL, 0);
    int rc = 0;
    while (!rc && bytes > 0) {
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 && errno != EPIPE) /* a reader that ends says why itself */
            fprintf(stderr, "weir: %s: cannot pass the device code to the next stage: %s\n", pipe_path,
                    strerror(errno));
        if (n <= 0)
            rc = -1;
        else
            text += n, bytes -= (size_t)n;
    }
    close(fd);
    return rc;
}

static int print_error(const struct err *e)
{
    err_print(e, stderr);
    return 1;
}

/* The PTX text that the device pass has written, as weir wants it; NULL and a message on stderr: it cannot be read. */
static char *read_ptx(const struct cc_job *job, const char *ptx, const struct cc_list *clusters, size_t *bytes)
{
    char *text = infile_bytes(ptx, bytes);
    if (!text)
        fprintf(stderr, "weir: %s: cannot read the device code: %s\n", ptx, strerror(errno));
    return text ? cc_adjust_ptx(text, bytes, job, clusters) : NULL;
}

static int undefined(const struct cc_input *in, const char *what, const char *name)
{
    char plain[256];
    struct err e;
    demangle(name, plain, sizeof plain);
    err_at(&e, in->path, 0, 0, "undefined device %s %s", what, plain);
    err_hint(&e, "define it in this file, or compile all files with -rdc=true if another file defines it");
    return print_error(&e);
}

/*
 * Without -rdc=true a file's device code is complete by itself. What it uses and does not define is reported here, as by
 * nvcc, and not at the first launch that needs it. Code that weir cannot parse is left to the launch. Returns 0, or 1 with
 * a message on stderr.
 */
static int check_defined(const struct cc_job *job, const struct cc_input *in, const char *text, size_t bytes)
{
    struct ptx_module *m = job->relocatable ? NULL : ptx_parse(text, bytes, in->path, NULL);
    int rc = 0;
    for (uint32_t i = 0; m && i < m->n_func; i++)
        if (m->func[i].linkage == PTX_L_EXTERN && !m->func[i].has_body && !emu_has_builtin(m->func[i].name))
            rc = undefined(in, "function", m->func[i].name);
    for (uint32_t i = 0; m && i < m->n_var; i++)
        if (m->var[i].linkage == PTX_L_EXTERN && (m->var[i].space == PTX_S_GLOBAL || m->var[i].space == PTX_S_CONST))
            rc = undefined(in, "variable", m->var[i].name);
    if (m)
        ptx_module_free(m);
    return rc;
}

/*
 * The second half of the device pass: the text of a file's device code from what the first half made.
 *
 * An array that is indexed by a loop's counter can live in registers only if the loop is unrolled whole. clang gives up
 * on nested ones of a few hundred instructions, as tiled matrix products have them, and leaves the array in local
 * memory, where nvcc does not. So code that uses local memory is compiled once more with longer unrolling, and that is
 * taken if it uses less.
 */
static char *optimize(const struct cc_job *job, const struct cc_tools *t, const char *ir, const char *ptx,
                      const char *errors, size_t *bytes)
{
    struct cc_back how = {0};
    struct cc_list clusters = {0};
    struct err e;
    char *text = infile_bytes(ir, bytes);
    if (!text) {
        fprintf(stderr, "weir: %s: cannot read the device code: %s\n", ir, strerror(errno));
        return NULL;
    }
    cc_find_clusters(text, &clusters);
    how.keep_vectors = !job->no_whole_vectors && cc_whole_vectors(&text, bytes);
    const int bad = how.keep_vectors ? outfile_write(ir, text, *bytes, &e) : 0;
    free(text);
    text = NULL;
    if (bad) {
        cc_list_free(&clusters);
        print_error(&e);
        return NULL;
    }
    const int tries = cc_has_unroll_pragma(job) ? 1 : 2;
    size_t least = SIZE_MAX;
    for (int i = 0; i < tries && least; i++) {
        struct cc_list w = {0};
        how.unroll_more = i > 0;
        cc_back_command(&w, job, t, how, ir, ptx);
        size_t n;
        char *made = run(job, &w, errors) ? NULL : read_ptx(job, ptx, &clusters, &n);
        cc_list_free(&w);
        print_file(errors);
        if (!made)
            break;
        const size_t local = cc_local_bytes(made);
        if (local < least) {
            free(text);
            text = made;
            *bytes = n;
            least = local;
        } else {
            free(made);
        }
    }
    cc_list_free(&clusters);
    return text;
}

/* What --dry-run shows of the device pass. */
static void show_device(const struct cc_job *job, const struct cc_tools *t, const struct cc_input *in, const char *ir,
                        const char *ptx)
{
    struct cc_list front = {0}, back = {0};
    cc_front_command(&front, job, t, in, ir);
    cc_back_command(&back, job, t, (struct cc_back){.keep_vectors = !job->no_whole_vectors}, ir, ptx);
    show(&front);
    show(&back);
    cc_list_free(&front);
    cc_list_free(&back);
}

/* Whether the device pass failed at launches from device code that are mended now, so that it is worth another attempt. */
static bool mended_launches(const struct cc_job *job, struct cc_input *in, const char *errors, const char *folder,
                            size_t index)
{
    struct err e;
    if (!cc_find_launches(errors, &in->launches))
        return false;
    const int bad = cc_fix_launches(in, &job->common, folder, index, &e);
    if (bad)
        print_error(&e);
    return !bad;
}

/* Device pass alone. */
static int compile_ptx(const struct cc_job *job, const struct cc_tools *t, struct cc_input *in, const char *folder,
                       size_t index, const char *output)
{
    struct cc_list w = {0};
    struct err e;
    char *ir = xasprintf("%s/%zu.ll", folder, index), *ptx = xasprintf("%s/%zu.ptx", folder, index);
    char *errors = xasprintf("%s/%zu.device.txt", folder, index);
    if (job->dry_run) {
        show_device(job, t, in, ir, output);
        return 0;
    }
    int rc;
    do {
        cc_list_free(&w);
        cc_front_command(&w, job, t, in, ir);
        rc = run(job, &w, errors);
    } while (rc && mended_launches(job, in, errors, folder, index));
    print_file(errors);
    if (rc) {
        cc_explain_launches(errors);
        return rc;
    }
    size_t bytes;
    char *text = optimize(job, t, ir, ptx, errors, &bytes);
    if (text)
        cc_warn_of_empty(text, bytes, in->path, cc_arch(job, t));
    if (text && job->fat_binary)
        text = cc_fat_binary(text, &bytes, cc_arch(job, t));
    return !text ? 1 : outfile_write(output, text, bytes, &e) ? print_error(&e) : 0;
}

/* The names of the device code, for the host pass to read after it. 0, or 1 and a message on stderr. */
static int write_names(const struct cc_job *job, const char *folder, const char *names, const char *text, size_t bytes)
{
    struct err e;
    if (!job->relocatable)
        return 0;
    size_t n;
    char *lines = cc_device_names(text, bytes, &n), *path = xasprintf("%s/%s", folder, names);
    const int rc = outfile_write(path, lines, n, &e) ? print_error(&e) : 0;
    free(lines);
    free(path);
    return rc;
}

/* Both passes of a .cu file, side by side. */
static int compile_cuda(const struct cc_job *job, const struct cc_tools *t, struct cc_input *in, const char *folder,
                        size_t index, const char *made, const char *object)
{
    char *ir = xasprintf("%s/%zu.ll", folder, index), *ptx = xasprintf("%s/%zu.ptx", folder, index);
    char *pipe_path = xasprintf("%s/%zu.pipe", folder, index);
    char *device_errors = xasprintf("%s/%zu.device.txt", folder, index),
         *host_errors = xasprintf("%s/%zu.host.txt", folder, index);
    struct cc_list device = {0}, host = {0};
    cc_front_command(&device, job, t, in, ir);
    char *names = xasprintf("weir-names-%zu.s", index);
    cc_host_command(&host, job, t, in, job->dry_run ? ptx : pipe_path, folder, names, made, object);
    if (job->dry_run) {
        show_device(job, t, in, ir, ptx);
        show(&host);
        return 0;
    }
    if (job->verbose) {
        show(&device);
        show(&host);
    }
    if (mkfifo(pipe_path, 0600)) {
        fprintf(stderr, "weir: cannot make a pipe in %s: %s\n", folder, strerror(errno));
        return 1;
    }
    pid_t device_pid = start(&device, device_errors), host_pid = start(&host, host_errors);
    int rc = finish(device_pid), host_rc = -1;
    if (rc && mended_launches(job, in, device_errors, folder, index)) {
        if (host_pid > 0)
            kill(host_pid, SIGKILL);
        finish(host_pid);
        unlink(pipe_path);
        return compile_cuda(job, t, in, folder, index, made, object);
    }
    print_file(device_errors);
    if (rc) {
        cc_explain_missing(device_errors, t);
        cc_explain_launches(device_errors);
    }
    size_t bytes = 0;
    char *text = rc == 0 ? optimize(job, t, ir, ptx, device_errors, &bytes) : NULL;
    if (text)
        cc_warn_of_empty(text, bytes, in->path, cc_arch(job, t));
    if (text && (check_defined(job, in, text, bytes) || write_names(job, folder, names, text, bytes))) {
        free(text);
        text = NULL;
    }
    if (!text || host_pid < 0) {
        /* The host pass would report the same errors again. */
        if (host_pid > 0)
            kill(host_pid, SIGKILL);
        finish(host_pid);
        return rc ? rc : 1;
    }
    const int fed = feed(pipe_path, text, bytes + 1, host_pid, &host_rc); /* clang 15 and later add no final 0 */
    if (fed)
        kill(host_pid, SIGKILL);
    if (host_rc < 0)
        host_rc = finish(host_pid);
    print_file(host_errors);
    if (host_rc)
        cc_explain_unknown(host_errors);
    struct err e;
    if (job->keep && outfile_write(xasprintf("%s.ptx", stem(in->path)), text, bytes, &e))
        host_rc = print_error(&e);
    free(text);
    return fed ? 1 : host_rc;
}

/* `object`: NULL = standard output, of the preprocessor. */
static int compile(const struct cc_job *job, const struct cc_tools *t, struct cc_input *in, const char *folder,
                   size_t index, const char *object)
{
    struct err e;
    char *made = object && !job->dry_run ? xasprintf("%s/%zu.o", folder, index) : NULL;
    int rc;
    if (in->language == CC_CUDA && job->stage != CC_PREPROCESS) {
        rc = compile_cuda(job, t, in, folder, index, made ? made : object, object);
    } else {
        struct cc_list w = {0};
        cc_host_command(&w, job, t, in, NULL, NULL, NULL, made ? made : object, object);
        char *errors = xasprintf("%s/%zu.host.txt", folder, index);
        rc = run(job, &w, errors);
        print_file(errors);
        if (rc)
            cc_explain_unknown(errors);
        if (rc && wants_openmp(job))
            cc_explain_openmp(t);
    }
    return rc || !made ? rc : cc_publish(made, object, &e) ? print_error(&e) : 0;
}

/* ---- the whole job ---- */

/* Runs the last program of a job; its word number `at` is the output. */
static int make_output(const struct cc_job *job, struct cc_list *w, size_t at, const char *made, const char *output)
{
    struct err e;
    if (!job->dry_run) {
        free(w->p[at]);
        w->p[at] = xstrdup(made);
    }
    char *errors = xasprintf("%s.txt", made);
    const int rc = run(job, w, errors);
    print_file(errors);
    if (rc) {
        cc_explain_wanted(errors);
        cc_explain_library(errors);
    }
    free(errors);
    return rc || job->dry_run ? rc : cc_publish(made, output, &e) ? print_error(&e) : 0;
}

static int link_program(const struct cc_job *job, const struct cc_tools *t, const struct cc_list *objects,
                        const char *folder)
{
    const char *output = job->output ? job->output : "a.out";
    struct cc_list w = {0};
    cc_push_compiler(&w, t);
    if (job->called && job->verbose) {
        /* CMake takes the runtime's folder, for its own links, from ld's arguments. */
        cc_push(&w, "-v");
        cc_pushf(&w, "-L%s", t->cudart);
    }
    cc_push_all(&w, objects);
    /* -Xcompiler -fopenmp and similar options concern the link too, as with nvcc. */
    for (size_t i = 0; i < job->host.n; i++)
        if (!strncmp(job->host.p[i], "-fopenmp", 8) || !strncmp(job->host.p[i], "-fsanitize", 10) ||
            !strcmp(job->host.p[i], "-pthread") || !strncmp(job->host.p[i], "-Wl,", 4) ||
            !strcmp(job->host.p[i], "-rdynamic"))
            cc_push(&w, job->host.p[i]);
    if (t->libraries[0]) /* behind the user's folders, none of which should have them */
        cc_pushf(&w, "-L%s", t->libraries);
    /* clang's code calls its own OpenMP library. gcc's beside it would answer omp_get_thread_num() for threads that are
     * not its. */
    bool gomp = false;
    for (size_t i = 0; i < job->link.n; i++)
        gomp |= !strcmp(job->link.p[i], "-lgomp");
    gomp = gomp && cc_has_openmp(t);
    for (size_t i = 0; i < job->link.n; i++)
        cc_push(&w, gomp && !strcmp(job->link.p[i], "-lgomp") ? "-lomp" : job->link.p[i]);
    cc_pushf(&w, "%s/libcudart.so.13", t->cudart);
    const char *const more = t->libraries[0] ? "-rpath" : NULL;
    for (const char *const *x = (const char *const[]){"-rpath", t->cudart, more, t->libraries, NULL}; *x; x++) {
        cc_push(&w, "-Xlinker"); /* not -Wl, which splits a path at its commas */
        cc_push(&w, *x);
    }
    cc_push(&w, "-lm");
    cc_push(&w, "-ldl");
    cc_push(&w, "-lpthread");
    cc_push(&w, "-o");
    cc_push(&w, output);
    if (job->called && job->verbose)
        cc_print_link(job, t, objects, output);
    const int rc = make_output(job, &w, w.n - 1, xasprintf("%s/program", folder), output);
    if (rc && wants_openmp(job))
        cc_explain_openmp(t);
    return rc;
}

static int archive(const struct cc_job *job, const struct cc_list *objects, const char *folder)
{
    const char *output = job->output ? job->output : "a.a";
    struct cc_list w = {0};
    cc_push(&w, "ar");
    cc_push(&w, "rcs");
    cc_push(&w, output);
    const size_t at = w.n - 1;
    cc_push_all(&w, objects);
    for (size_t i = 0; i < job->input.n; i++)
        if (job->input.p[i].language == CC_LINK)
            cc_push(&w, job->input.p[i].path);
    return make_output(job, &w, at, xasprintf("%s/archive", folder), output);
}

/* Device code is linked when the program is loaded; an object requested of this step is empty. */
static int device_link(const struct cc_job *job, const struct cc_tools *t, const char *folder)
{
    const char *output = job->output ? job->output : "a_dlink.o";
    struct cc_list w = {0};
    cc_push_compiler(&w, t);
    for (const char *const *x = (const char *const[]){"-x", "c", "-c", "-fPIC", "/dev/null", "-o", output, NULL}; *x;
         x++)
        cc_push(&w, *x);
    return make_output(job, &w, w.n - 1, xasprintf("%s/dlink.o", folder), output);
}

/* What was made, as the user would start it. */
static int run_program(const struct cc_job *job)
{
    const char *output = job->output ? job->output : "a.out";
    struct cc_list w = {0};
    cc_push(&w, strchr(output, '/') ? output : xasprintf("./%s", output));
    return run(job, &w, NULL);
}

static int build(struct cc_job *job, const struct cc_tools *t, const char *folder)
{
    struct cc_list objects = {0};
    if (job->stage == CC_DEVICE_LINK)
        return device_link(job, t, folder);
    for (size_t i = 0; i < job->input.n; i++) {
        struct cc_input *in = &job->input.p[i];
        struct err e;
        if (in->language == CC_LINK)
            continue;
        if (in->language == CC_CUDA && cc_fix_launches(in, &job->common, folder, i, &e)) {
            err_print(&e, stderr);
            return 1;
        }
        char *base = stem(in->path);
        int rc;
        if (job->stage == CC_TO_PTX) {
            rc = compile_ptx(job, t, in, folder, i,
                             job->output       ? job->output
                             : job->fat_binary ? xasprintf("%s.fatbin", base)
                                               : xasprintf("%s.ptx", base));
        } else if (job->stage == CC_PREPROCESS) {
            rc = compile(job, t, in, folder, i, job->output);
        } else {
            char *object = job->stage == CC_TO_OBJECT && job->output ? job->output
                           : job->stage == CC_TO_OBJECT || job->keep ? xasprintf("%s.o", base)
                                                                     : xasprintf("%s/%zu-%s.o", folder, i, base);
            cc_push(&objects, object);
            rc = compile(job, t, in, folder, i, object);
        }
        if (rc)
            return rc;
    }
    if (job->stage == CC_TO_PROGRAM)
        return link_program(job, t, &objects, folder);
    if (job->stage == CC_TO_ARCHIVE)
        return archive(job, &objects, folder);
    return 0;
}

static int with_nvcc(int argc, char **argv, const struct cc_job *job)
{
    struct cc_list w = {0};
    const char *nvcc = cc_in_path("nvcc") ? "nvcc" : "/usr/local/cuda/bin/nvcc";
    if (!cc_in_path(nvcc)) {
        fputs("weir: --nvcc: nvcc is not installed; leave the option out to compile with clang\n", stderr);
        return CC_FAILED;
    }
    setenv("WEIR_WANTS_NVCC", "1", 1); /* should that program be weir again, it says so */
    cc_push(&w, nvcc);
    cc_push(&w, "-cudart");
    cc_push(&w, "shared");
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--nvcc"))
            cc_push(&w, argv[i]);
    return run(job, &w, NULL) ? CC_FAILED : 0;
}

static int check(const struct cc_job *job, struct err *e)
{
    size_t sources = 0;
    for (size_t i = 0; i < job->input.n; i++) {
        const struct cc_input *in = &job->input.p[i];
        sources += in->language != CC_LINK;
        if (access(in->path, R_OK) != 0)
            return err_at(e, in->path, 0, 0, "cannot read this file");
        if (job->stage == CC_TO_PTX && in->language != CC_CUDA) {
            err_at(e, in->path, 0, 0, "%s needs CUDA files", job->fat_binary ? "-fatbin" : "-ptx");
            return err_hint(e, "rename it to .cu, or put -x cu before it");
        }
    }
    if (job->input.n == 0 && !(job->version && job->nvcc)) {
        err_set(e, "no input files");
        return err_hint(e, "try 'weir cc file.cu -o program'");
    }
    if (sources > 1 && job->output && (job->stage == CC_TO_OBJECT || job->stage == CC_TO_PTX))
        return err_set(e, "-o cannot be used with %zu input files", sources);
    return 0;
}

int cc_main(int argc, char **argv)
{
    struct err e;
    err_clear(&e);
    struct cc_job job = {0};
    struct cc_tools t = {0};
    const char *called = strcmp(argv[0], "weir cc") ? argv[0] : NULL;
    if (cc_parse(&job, argc - 1, argv + 1, &e)) {
        err_print(&e, stderr);
        return called ? CC_BAD_OPTION : CC_FAILED;
    }
    job.called = called;
    if (job.called && getenv("WEIR_WANTS_NVCC")) {
        fputs("weir: --nvcc: the first nvcc in PATH is weir itself; put the CUDA toolkit's bin folder before it\n",
              stderr);
        return CC_FAILED;
    }
    if (job.version && !job.nvcc) {
        cc_print_version();
        return 0;
    }
    /* Where the parts are is asked with the name of a file that there is not. */
    if (job.called && job.verbose && !job.nvcc && !cc_find_tools(&t, &job, &e))
        cc_print_paths(&job, &t);
    if (check(&job, &e)) {
        err_print(&e, stderr);
        return CC_FAILED;
    }
    if (job.nvcc)
        return with_nvcc(argc, argv, &job);
    if (cc_find_tools(&t, &job, &e)) {
        err_print(&e, stderr);
        return CC_FAILED;
    }
    const char *folder = cc_make_folder(&e);
    if (!folder) {
        err_print(&e, stderr);
        return CC_FAILED;
    }
    signal(SIGPIPE, SIG_IGN);
    int rc = build(&job, &t, folder);
    cc_remove_folder();
    if (!rc && job.run && job.stage == CC_TO_PROGRAM)
        return run_program(&job);
    return rc ? CC_FAILED : 0;
}
