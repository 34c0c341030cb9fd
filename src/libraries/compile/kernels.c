/* See kernels.h. */
#include "compile/kernels.h"

#include "base/out_of_memory.h"
#include "base/mem.h"
#include "compile/device_code.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What was compiled, by file and defines. Loaded for the process; a reset of the device takes it along. */
struct unit {
    char *key;
    cudaLibrary_t library;
};
static VEC(struct unit) units;
static pthread_mutex_t units_lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t load_unit(const char *file, const char *const *defines, cudaLibrary_t *out)
{
    int major = 0, minor = 0;
    cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (!e)
        e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    if (e)
        return e;
    const char *args[16];
    size_t n = 0;
    struct err why;
    err_clear(&why);
    char *arch = xasprintf("-arch=sm_%d%d", major, minor);
    args[n++] = arch;
    for (size_t i = 0; defines[i]; i++)
        args[n++] = defines[i];
    args[n] = NULL;
    char *ptx = device_code_own(file, args, &why);
    free(arch);
    if (!ptx) {
        fflush(stdout);
        err_print(&why, stderr);
        return cudaErrorInitializationError;
    }
    e = cudaLibraryLoadData(out, ptx, NULL, NULL, 0, NULL, NULL, 0);
    free(ptx);
    return e;
}

cudaError_t kernel_find(const char *file, const char *const *defines, const char *kernel, cudaKernel_t *out)
{
    char key[256];
    size_t at = (size_t)snprintf(key, sizeof key, "%s", file);
    for (size_t i = 0; defines[i] && at < sizeof key; i++)
        at += (size_t)snprintf(key + at, sizeof key - at, " %s", defines[i]);
    struct unit *u = NULL;
    cudaError_t e = cudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&units_lock);
    for (size_t i = 0; i < units.n && !u; i++)
        if (!strcmp(units.p[i].key, key))
            u = &units.p[i];
    if (u)
        e = cudaLibraryGetKernel(out, u->library, kernel);
    if (e == cudaErrorInvalidResourceHandle) { /* never loaded, or the device was reset */
        if (!u) {
            VEC_PUSH(&units, (struct unit){.key = xstrdup(key)});
            u = &units.p[units.n - 1];
        }
        e = load_unit(file, defines, &u->library);
        if (!e)
            e = cudaLibraryGetKernel(out, u->library, kernel);
    }
    pthread_mutex_unlock(&units_lock);
    return e;
}
