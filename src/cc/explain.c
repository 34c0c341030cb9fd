/* What the messages of compilers and linkers mean where weir knows more than they do: see cc.h. */
#include "base/demangle.h"
#include "base/infile.h"
#include "base/mem.h"
#include "cc/cc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cc_has_openmp(const struct cc_tools *t)
{
    char *const argv[] = {(char *)t->clang, "-print-file-name=libomp.so", NULL};
    char path[PATH_MAX];
    return !cc_last_line(argv, path, sizeof path) && strchr(path, '/'); /* the bare name: it was not found */
}

void cc_explain_openmp(const struct cc_tools *t)
{
    if (!cc_has_openmp(t))
        fprintf(stderr, "weir: OpenMP on the host needs clang's library: apt-get install libomp-%d-dev\n", t->major);
}

/* A message of clang's about a launch from device code, in a line that begins with FILE:LINE:. */
static bool is_launch(const char *line, size_t n)
{
    static const char configured[] = ": error: reference to __host__ function '__cudaPushCallConfiguration'";
    static const char kernel[] = ": error: reference to __global__ function '";
    return memmem(line, n, configured, sizeof configured - 1) || memmem(line, n, kernel, sizeof kernel - 1);
}

unsigned cc_find_launches(const char *errors, struct cc_places *out)
{
    size_t bytes;
    unsigned found = 0;
    char *text = infile_bytes(errors, &bytes), *next;
    for (char *line = text; line && *line; line = *next ? next + 1 : next) {
        next = strchrnul(line, '\n');
        char *colon = memchr(line, ':', (size_t)(next - line)), full[PATH_MAX];
        if (!colon || !is_launch(line, (size_t)(next - line)))
            continue;
        *colon = 0;
        const struct cc_place place = {full, (unsigned)strtoul(colon + 1, NULL, 10)};
        bool there = !realpath(line, full);
        for (size_t i = 0; i < out->n && !there; i++)
            there = out->p[i].line == place.line && !strcmp(out->p[i].file, full);
        if (there)
            continue;
        VEC_PUSH(out, ((struct cc_place){xstrdup(full), place.line}));
        found++;
    }
    free(text);
    return found;
}

void cc_explain_launches(const char *errors)
{
    size_t bytes;
    char *text = infile_bytes(errors, &bytes);
    if (text && (is_launch(text, bytes) || strstr(text, "weir_launched<")))
        fputs(
            "weir: a launch from device code names its kernel with all template arguments, "
            "kernel<int><<<grid, block>>>(...), not through a pointer or a macro\n",
            stderr);
    free(text);
}

#define NO_LIBRARY(name)                                                                                               \
    "weir has no " name ", and NVIDIA's cannot be simulated; leave out what calls it (docs/programs.md)"
#define NO_GRAPHICS "kernels cannot share buffers with OpenGL, EGL or Vulkan here; leave out what draws"
/* What is part of a toolkit and not here: how its headers begin, how its library is called (NULL: it has none), and what to
 * do. */
static const struct {
    const char *header, *library, *advice;
} absent[] = {
    {"thrust/", NULL, "apt-get install libthrust-dev, or give the folders of NVIDIA's CCCL by -I"},
    {"cub/", NULL, "apt-get install libcub-dev, or give the folders of NVIDIA's CCCL by -I"},
    {"cuda/", NULL, "give the folders of NVIDIA's CCCL by -I; Debian's libcu++-dev has part of it"},
    {"nv/", NULL, "give the folders of NVIDIA's CCCL by -I; Debian's libcu++-dev has part of it"},
    {"cusparse", "cusparse", NO_LIBRARY("cuSPARSE")},
    {"cusolver", "cusolver", NO_LIBRARY("cuSOLVER")},
    {"cudnn", "cudnn", NO_LIBRARY("cuDNN")},
    {"nccl", "nccl", NO_LIBRARY("NCCL (there is one GPU)")},
    {"npp", "npp", NO_LIBRARY("NPP")},
    {"cutensor", "cutensor", NO_LIBRARY("cuTENSOR")},
    {"nvml", "nvidia-ml", NO_LIBRARY("NVML")},
    {"cublas", NULL, "weir's cuBLAS has cublas_v2.h and cublasLt.h"},
    {"cufft", NULL, "weir's cuFFT has cufft.h and cufftXt.h"},
    {"curand", NULL, "weir's cuRAND has curand.h and curand_kernel.h"},
    {"GL/", "GL", NO_GRAPHICS},
    {"GLFW/", "glfw", NO_GRAPHICS},
    {"cuda_gl_interop.h", "glut", NO_GRAPHICS},
    {"cudaGL.h", NULL, NO_GRAPHICS},
    {"cuda_egl_interop.h", "EGL", NO_GRAPHICS},
    {"cudaEGL.h", NULL, NO_GRAPHICS},
    {"helper_gl.h", NULL, NO_GRAPHICS},
    {"vulkan/", "vulkan", NO_GRAPHICS},
    {"helper_", NULL, "it comes with NVIDIA's CUDA samples; give their folder Common by -I"},
    {"cutlass/", NULL, "give the folder include of NVIDIA's CUTLASS by -I"},
    {"cute/", NULL, "give the folder include of NVIDIA's CUTLASS by -I"},
};

void cc_explain_library(const char *errors)
{
    size_t bytes;
    char *text = infile_bytes(errors, &bytes), *at = text ? strstr(text, "cannot find -l") : NULL;
    for (size_t i = 0; at && i < sizeof absent / sizeof *absent; i++)
        if (absent[i].library && !strncmp(at + 14, absent[i].library, strlen(absent[i].library))) {
            fprintf(stderr, "weir: -l%s: %s\n", absent[i].library, absent[i].advice);
            break;
        }
    free(text);
}

void cc_explain_missing(const char *errors, const struct cc_tools *t)
{
    size_t bytes;
    char *text = infile_bytes(errors, &bytes), *end = text ? strstr(text, "' file not found") : NULL;
    char *name = end;
    while (name && name > text && name[-1] != '\'' && name[-1] != '\n')
        name--;
    if (end && !strncmp(name, "omp.h'", 6))
        cc_explain_openmp(t);
    for (size_t i = 0; end && i < sizeof absent / sizeof *absent; i++)
        if (!strncmp(name, absent[i].header, strlen(absent[i].header))) {
            fprintf(stderr, "weir: %.*s: %s\n", (int)(end - name), name, absent[i].advice);
            break;
        }
    free(text);
}

void cc_explain_unknown(const char *errors)
{
    static const char says[] = "unknown argument: '"; /* where clang knows none that is near */
    size_t bytes;
    char *text = infile_bytes(errors, &bytes), *at = text ? strstr(text, says) : NULL;
    if (at) {
        at += strlen(says);
        at[strcspn(at, "'\n")] = 0;
        const char *near = cc_nearest_option(at);
        if (near)
            fprintf(stderr, "weir: %s: no such option; did you mean '%s'?\n", at, near);
        else
            fprintf(stderr, "weir: %s: unknown option of weir cc and clang; 'weir cc --help' lists those of weir cc\n",
                    at);
    }
    free(text);
}

void cc_explain_wanted(const char *errors)
{
    size_t bytes;
    char *text = infile_bytes(errors, &bytes);
    struct cc_list told = {0};
    for (char *at = text; at && (at = strstr(at, CC_DEVICE_NAME));) {
        at += strlen(CC_DEVICE_NAME);
        const size_t n = strcspn(at, "'`\" \t\n");
        char *name = xstrndup(at, n), plain[256];
        bool again = false;
        for (size_t i = 0; i < told.n; i++)
            again |= !strcmp(told.p[i], name);
        demangle(name, plain, sizeof plain);
        if (!again)
            fprintf(stderr, "weir: no file or library defines the device symbol %s\n", plain);
        cc_push(&told, name);
        free(name);
        at += n;
    }
    cc_list_free(&told);
    free(text);
}
