/*
 * A libcuda.so.1 that exists to be loaded by mistake: weir simulates the runtime API, not the driver's.
 *
 * A program with the CUDA runtime linked statically opens the driver by this name. Found first on weir's library path,
 * it stops the program before it runs on real hardware, or without any, unsimulated. `weir run` refuses such programs
 * itself; this is for those behind a script. A program with the shared runtime may load the driver as well, through a
 * library that has a runtime of its own (cuBLAS) or to look something up: it goes on, and the driver's functions say
 * that they are not simulated.
 */
#include "cudart/run_link.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME "libcudart.so.13"

/* Whether an object of the process was linked against the shared runtime. Preloading it does not count: weir run does
 * that to every program behind a script. */
static bool somebody_needs_runtime(void)
{
    for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
        const char *strings = NULL;
        for (const ElfW(Dyn) *d = m->l_ld; d && d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_STRTAB && d->d_un.d_ptr > m->l_addr) /* the vDSO's is not relocated */
                strings = (const char *)d->d_un.d_ptr;
        for (const ElfW(Dyn) *d = m->l_ld; strings && d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_NEEDED && !strcmp(strings + d->d_un.d_val, RUNTIME))
                return true;
    }
    return false;
}

/* Whether the program has called it, however it found it. */
static bool runtime_used(void)
{
    void *runtime = dlopen(RUNTIME, RTLD_LAZY | RTLD_NOLOAD);
    int (*used)(void) = runtime ? (int (*)(void))(size_t)dlsym(runtime, "__weirRuntimeUsed") : NULL;
    return used && used();
}

__attribute__((constructor)) static void refuse(void)
{
    if (somebody_needs_runtime() || runtime_used())
        return;
    const char *fd = getenv(REPORT_ENV_FD);
    struct stat st;
    if (fd && !fstat(atoi(fd), &st) && (size_t)st.st_size >= sizeof(struct report)) {
        struct report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
        if (r != MAP_FAILED && r->version == REPORT_VERSION)
            atomic_fetch_add(&r->unsimulated, 1);
    }
    fflush(stdout);
    fprintf(stderr,
            "weir: %s links the CUDA runtime statically and would run unsimulated; rebuild it with: nvcc -cudart "
            "shared\n",
            program_invocation_name);
    _exit(2);
}

/* ---- the functions through which a driver is entered; whoever gets no further has met the word below ---- */
enum { CUDA_ERROR_NOT_SUPPORTED = 801 };

static int not_simulated(const char *name)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        fprintf(stderr,
                "weir: the CUDA driver API is not simulated: %s returns CUDA_ERROR_NOT_SUPPORTED; a library with a "
                "CUDA runtime of its own (cuBLAS, cuFFT) cannot be used\n",
                name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define DRIVER(name)                                                                                                   \
    __attribute__((visibility("default"))) int name(void);                                                             \
    __attribute__((visibility("default"))) int name(void) /* arguments stay where the caller put them */               \
    {                                                                                                                  \
        return not_simulated(#name);                                                                                   \
    }
DRIVER(cuInit)
DRIVER(cuDriverGetVersion)
DRIVER(cuGetProcAddress)
DRIVER(cuGetProcAddress_v2)
DRIVER(cuGetExportTable)
DRIVER(cuGetErrorName)
DRIVER(cuGetErrorString)
DRIVER(cuDeviceGet)
DRIVER(cuDeviceGetAttribute)
DRIVER(cuDeviceGetCount)
DRIVER(cuDeviceGetName)
DRIVER(cuDeviceGetUuid)
DRIVER(cuDeviceGetUuid_v2)
DRIVER(cuDevicePrimaryCtxGetState)
DRIVER(cuDevicePrimaryCtxRelease_v2)
DRIVER(cuDevicePrimaryCtxRetain)
DRIVER(cuDeviceTotalMem_v2)
DRIVER(cuCtxCreate_v2)
DRIVER(cuCtxDestroy_v2)
DRIVER(cuCtxGetCurrent)
DRIVER(cuCtxGetDevice)
DRIVER(cuCtxPopCurrent_v2)
DRIVER(cuCtxPushCurrent_v2)
DRIVER(cuCtxSetCurrent)
DRIVER(cuCtxSynchronize)
DRIVER(cuFuncGetAttribute)
DRIVER(cuFuncSetAttribute)
DRIVER(cuLaunchKernel)
DRIVER(cuLaunchKernelEx)
DRIVER(cuLibraryGetKernel)
DRIVER(cuLibraryLoadData)
DRIVER(cuLibraryUnload)
DRIVER(cuMemAlloc_v2)
DRIVER(cuMemFree_v2)
DRIVER(cuMemGetInfo_v2)
DRIVER(cuMemcpyDtoH_v2)
DRIVER(cuMemcpyHtoD_v2)
DRIVER(cuModuleGetFunction)
DRIVER(cuModuleGetGlobal_v2)
DRIVER(cuModuleLoad)
DRIVER(cuModuleLoadData)
DRIVER(cuModuleLoadDataEx)
DRIVER(cuModuleUnload)
DRIVER(cuPointerGetAttribute)
DRIVER(cuPointerGetAttributes)
DRIVER(cuStreamCreate)
DRIVER(cuStreamDestroy_v2)
DRIVER(cuStreamSynchronize)
DRIVER(cuTensorMapEncodeTiled)
