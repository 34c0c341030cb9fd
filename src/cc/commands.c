/*
 * The command lines of clang for weir cc: from CUDA C++ to LLVM's language, from that to PTX, and the host's compilation,
 * which embeds the PTX.
 */
#include "base/mem.h"
#include "cc/cc.h"

#include <stdio.h>

/* How large a loop may become when it is unrolled to take arrays out of local memory; clang's own bound is 300. */
#define UNROLL_MORE "-unroll-threshold=2700"

void cc_push_all(struct cc_list *to, const struct cc_list *from)
{
    for (size_t i = 0; i < from->n; i++)
        cc_push(to, from->p[i]);
}

void cc_push_compiler(struct cc_list *w, const struct cc_tools *t)
{
    cc_push(w, t->clang);
    cc_push(w, "--driver-mode=g++");
}

int cc_arch(const struct cc_job *job, const struct cc_tools *t)
{
    const int arch = job->arch ? job->arch : CC_DEFAULT_ARCH;
    return arch > t->max_arch ? t->max_arch : arch < 50 ? 50 : arch;
}

const char *cc_arch_suffix(const struct cc_job *job, const struct cc_tools *t)
{
    return job->arch_only && cc_arch(job, t) == 90 && t->major >= 18 ? "a" : "";
}

static void push_cuda(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t)
{
    cc_push(w, "-x");
    cc_push(w, "cuda");
    cc_pushf(w, "--cuda-gpu-arch=sm_%d%s", cc_arch(job, t), cc_arch_suffix(job, t));
    cc_push(w, "-nocudainc");
    cc_push(w, "-nocudalib");
    /* Never look at an installed toolkit: the result must not depend on whether there is one. */
    cc_push(w, "--cuda-path=/nonexistent");
    cc_push(w, "-Xclang");
    cc_push(w, "-target-sdk-version=11.5");
    /* Templates ask by f(...), which is never called, what a type has; all of Thrust, CUB and libcu++ does. */
    cc_push(w, "-Xclang");
    cc_push(w, "-fcuda-allow-variadic-functions");
    if (job->relocatable)
        cc_push(w, "-DWEIR_RELOCATABLE");
    if (!job->standard_given)
        cc_push(w, "-std=gnu++17");
    cc_push(w, "-include");
    cc_pushf(w, "%s/cuda_runtime.h", t->headers);
}

static void push_headers(struct cc_list *w, const struct cc_tools *t)
{
    cc_push(w, "-isystem");
    cc_push(w, t->headers);
    if (t->swcache[0]) {
        cc_push(w, "-isystem");
        cc_push(w, t->swcache);
    }
}

/* Old sources are compiled as they are: what gcc and nvcc let pass is no error here either. */
static void push_tolerance(struct cc_list *w, bool quiet)
{
    static const char *const flags[] = {"-Wno-c++11-narrowing",
                                        "-Wno-register",
                                        "-Wno-writable-strings",
                                        "-Wno-reserved-user-defined-literal",
                                        "-Wno-deprecated-declarations",
                                        "-Wno-deprecated-register",
                                        "-Wno-unknown-pragmas",
                                        "-Wno-unknown-warning-option",
                                        "-Wno-unused-command-line-argument",
                                        "-Wno-pass-failed",
                                        "-Wno-missing-template-arg-list-after-template-kw", /* Debian's CUB */
                                        "-fno-strict-return"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        cc_push(w, flags[i]);
    if (quiet)
        cc_push(w, "-w");
}

static void push_source(struct cc_list *w, const struct cc_input *in)
{
    if (in->overlay) {
        cc_push(w, "-ivfsoverlay");
        cc_push(w, in->overlay);
    }
    cc_push(w, in->path);
}

/* What the compiler must know to understand a file as device code. */
static void push_device(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t)
{
    push_cuda(w, job, t);
    cc_push(w, "--cuda-device-only");
    push_headers(w, t);
    /* Warnings come from the host pass, once. */
    push_tolerance(w, true);
    if (job->fast_math || job->ftz) {
        cc_push(w, "-fcuda-flush-denormals-to-zero");
        cc_push(w, "-D__CUDA_FTZ=1");
    }
    if (job->relocatable)
        cc_push(w, "-fgpu-rdc");
    cc_push_all(w, &job->common);
    cc_push_all(w, &job->device);
}

int cc_device_args(const struct cc_job *job, struct cc_list *out, struct err *e)
{
    struct cc_tools t = {0};
    struct cc_job parsed = *job;
    parsed.stage = CC_TO_PTX; /* nothing will be linked */
    if (cc_find_tools(&t, &parsed, e))
        return -1;
    push_device(out, job, &t);
    return 0;
}

void cc_front_command(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t, const struct cc_input *in,
                      const char *ir)
{
    cc_push_compiler(w, t);
    push_device(w, job, t);
    cc_push(w, "-S");
    cc_push(w, "-emit-llvm");
    cc_push(w, "-O3");
    cc_push(w, "-Xclang");
    cc_push(w, "-disable-llvm-passes");
    cc_push(w, "-gline-tables-only");
    cc_push(w, "-Xclang");
    cc_push(w, "-target-feature");
    cc_push(w, "-Xclang");
    cc_pushf(w, "+ptx%d", t->ptx);
    if (job->fast_math)
        cc_push(w, "-fcuda-approx-transcendentals");
    if (job->no_fma)
        cc_push(w, "-ffp-contract=off");
    push_source(w, in);
    cc_push(w, "-o");
    cc_push(w, ir);
}

static void push_llvm(struct cc_list *w, const char *option)
{
    cc_push(w, "-mllvm");
    cc_push(w, option);
}

/* The options for the optimizer that the user gave, one after the other from *i = 0 on; NULL: there are no more. */
static const char *next_llvm(const struct cc_job *job, size_t *i)
{
    while (*i + 1 < job->common.n)
        if (!strcmp(job->common.p[(*i)++], "-mllvm"))
            return job->common.p[(*i)++];
    return NULL;
}

bool cc_has_unroll_pragma(const struct cc_job *job)
{
    bool said = job->no_unroll || job->unroll_known;
    size_t i = 0;
    for (const char *option; !said && (option = next_llvm(job, &i));)
        said = strstr(option, "unroll") != NULL;
    return said;
}

void cc_back_command(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t, struct cc_back how,
                     const char *ir, const char *ptx)
{
    cc_push_compiler(w, t);
    cc_push(w, "--target=nvptx64-nvidia-cuda");
    cc_push(w, "-nocudalib");
    cc_push(w, "-Wno-unused-command-line-argument");
    cc_push(w, "-Wno-pass-failed");
    cc_push(w, "-S");
    cc_push(w, "-O3");
    cc_push(w, "-Xclang");
    cc_push(w, "-target-cpu");
    cc_push(w, "-Xclang");
    cc_pushf(w, "sm_%d%s", cc_arch(job, t), cc_arch_suffix(job, t));
    cc_push(w, "-Xclang");
    cc_push(w, "-target-feature");
    cc_push(w, "-Xclang");
    cc_pushf(w, "+ptx%d", t->ptx);
    cc_push(w, "-Xclang");
    cc_push(w, "-discard-value-names");
    push_llvm(w, job->no_fma ? "-nvptx-fma-level=0" : "-nvptx-fma-level=2"); /* -ffp-contract is for sources */
    if (job->fast_math || job->prec_div_off)
        push_llvm(w, job->fast_math ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1");
    if (job->fast_math || job->prec_sqrt_off)
        push_llvm(w, "-nvptx-prec-sqrtf32=0");
    if (job->no_unroll)
        cc_push(w, "-fno-unroll-loops");
    if (job->unroll_known) {
        push_llvm(w, "-unroll-runtime=false");
        push_llvm(w, "-unroll-allow-partial=false");
    }
    size_t i = 0;
    for (const char *option; (option = next_llvm(job, &i));)
        push_llvm(w, option);
    if (how.keep_vectors)
        push_llvm(w, "-disable-vector-combine");
    if (how.unroll_more)
        push_llvm(w, UNROLL_MORE);
    cc_push(w, "-x");
    cc_push(w, "ir");
    cc_push(w, ir);
    cc_push(w, "-o");
    cc_push(w, ptx);
}

void cc_host_command(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t, const struct cc_input *in,
                     const char *ptx, const char *folder, const char *names, const char *made, const char *object)
{
    cc_push_compiler(w, t);
    if (in->language == CC_CUDA) {
        push_cuda(w, job, t);
        cc_push(w, "--cuda-host-only");
        if (ptx) {
            cc_push(w, "-Xclang");
            cc_push(w, "-fcuda-include-gpubinary");
            cc_push(w, "-Xclang");
            cc_push(w, ptx);
        }
        if (ptx && job->relocatable) {
            cc_push(w, "-iquote");
            cc_push(w, folder);
            cc_pushf(w, "-DWEIR_DEVICE_NAMES=\"%s\"", names);
        }
    } else {
        cc_push(w, "-x");
        cc_push(w, in->language == CC_C ? "c" : "c++");
    }
    cc_push(w, job->stage == CC_PREPROCESS ? "-E" : "-c");
    cc_pushf(w, "-O%d", job->opt > 3 ? 3 : job->opt);
    /* nvcc's host compiler does not optimize unless asked. Programs rely on what that leaves alone. */
    cc_push(w, "-fwrapv");
    cc_push(w, "-fno-strict-aliasing");
    if (job->host_debug)
        cc_push(w, "-g");
    if (job->shared)
        cc_push(w, "-fPIC");
    push_headers(w, t);
    push_tolerance(w, job->quiet);
    for (size_t i = 0; i < job->common.n; i++)
        if (in->language != CC_C || strncmp(job->common.p[i], "-std=", 5))
            cc_push(w, job->common.p[i]);
    cc_push_all(w, &job->host);
    push_source(w, in);
    if (object) {
        cc_push_dependencies(w, job, object);
        cc_push(w, "-o");
        cc_push(w, made);
    }
}
