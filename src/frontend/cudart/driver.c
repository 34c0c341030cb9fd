/*
 * The driver API: initialization, the table of its functions, error names, devices. cuda.h declares all of it;
 * driver.def lists what there is.
 *
 * libcuda.so.1 is this library under a second name. So both APIs are one in a process, as on a GPU: streams, memory and
 * kernels of the one are handles of the other. Left out: functions with a per-thread default stream (the legacy one is
 * used), IPC, virtual memory management, multicast.
 */
#include "cudart/driver.h"

#include <errno.h>

enum { VERSION = 13000 };

cudaError_t cudaDeviceGetAttribute(int *, int, int);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int);
cudaError_t cudaDeviceGetPCIBusId(char *, int, int);
cudaError_t cudaDeviceGetByPCIBusId(int *, const char *);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaGetDeviceCount(int *);
const char *cudaGetErrorString(cudaError_t);

/* ---- results ---- */

/* Both APIs number their errors alike, but for those that only the runtime has. */
CUresult driver_result(cudaError_t e)
{
    switch (e) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidTexture:
    case cudaErrorInvalidTextureBinding:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    default:
        return (CUresult)e;
    }
}

static const struct {
    CUresult code;
    const char *name;
} errors[] = {
#define X(name) {name, #name},
#include "cudart/driver_errors.def"
#undef X
};

API CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors && !*name; i++)
        if (errors[i].code == error)
            *name = errors[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorString(CUresult error, const char **text)
{
    CUresult r = cuGetErrorName(error, text);
    if (!r)
        *text = cudaGetErrorString((cudaError_t)error);
    return r;
}

/* ---- beginning ---- */

API CUresult cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    rt_enter_any();
    const cudaError_t e = rt.finished ? cudaErrorCudartUnloading : rt.init_status;
    return driver_leave(driver_result(e));
}

CUresult driver_started(void)
{
    return rt.ready ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult enter(CUresult r)
{
    if (r) {
        pthread_mutex_lock(&rt.lock);
        return r;
    }
    const struct rt_thread before = rt_thread;
    r = driver_result(rt_enter());
    rt_thread = before;
    return r;
}

CUresult driver_enter(void)
{
    return enter(driver_ready());
}

CUresult driver_enter_anywhere(void)
{
    return enter(driver_started());
}

CUresult driver_leave(CUresult r)
{
    pthread_mutex_unlock(&rt.lock);
    return r;
}

API CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = VERSION;
    return CUDA_SUCCESS;
}

/* ---- the functions by name ---- */
static const struct {
    const char *name;
    void *function;
    int since;
} functions[] = {
#define DRIVER(name, symbol, since) {#name, (void *)(uintptr_t)symbol, since},
#include "cudart/driver.def"
};

void *driver_function(const char *name, int version, bool *newer)
{
    void *best = NULL;
    int best_since = 0;
    *newer = false;
    for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name))
            continue;
        if (functions[i].since > version)
            *newer = true;
        else if (functions[i].since > best_since) {
            best = functions[i].function;
            best_since = functions[i].since;
        }
    }
    return best;
}

API CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *status)
{
    bool newer;
    if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    *function = driver_function(symbol, version, &newer);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
                  : newer   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

API CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

/*
 * Only a CUDA runtime asks for these undocumented tables: one that a program, or a library of its, has linked statically.
 * Its kernels would never reach weir. `weir run` refuses such programs when it sees them; this is for those behind a
 * script. A program with the shared runtime continues, since the library may be dispensable.
 */
API CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)table, (void)id;
    if (rt.module.n) {
        rt_message(
            "a library with a CUDA runtime of its own (NVIDIA's cuBLAS, cuFFT) cannot be simulated: "
            "cuGetExportTable returns CUDA_ERROR_NOT_SUPPORTED; use weir's cuBLAS, cuFFT, cuRAND and NVRTC");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    rt_enter_any(); /* for the report */
    if (rt.report)
        atomic_fetch_add(&rt.report->unsimulated, 1);
    rt_message("%s links the CUDA runtime statically and would run unsimulated; rebuild it with: nvcc -cudart shared",
               program_invocation_name);
    rt_leave_process(2);
}

/* ---- devices ---- */
CUresult driver_device(CUdevice device)
{
    const CUresult r = driver_started();
    return r ? r : device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    const CUresult r = driver_device(ordinal);
    if (!r && !device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *device = ordinal;
    return r;
}

SAME_ANYWHERE(cuDeviceGetCount, (int *count), cudaGetDeviceCount(count))
SAME_ANYWHERE(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device),
              cudaDeviceGetAttribute(value, (int)attribute, device))
SAME_ANYWHERE(cuDeviceGetPCIBusId, (char *id, int len, CUdevice device), cudaDeviceGetPCIBusId(id, len, device))
SAME_ANYWHERE(cuDeviceGetByPCIBusId, (CUdevice * device, const char *id), cudaDeviceGetByPCIBusId(device, id))
SAME_ANYWHERE(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
              cudaDeviceCanAccessPeer(can, device, peer))
SAME_ANYWHERE(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
              cudaDeviceGetDefaultMemPool(pool, device))

static CUresult get_props(struct cudaDeviceProp *p, CUdevice device)
{
    return DRIVER_CALL(driver_started(), cudaGetDeviceProperties(p, device));
}

API CUresult cuDeviceGetName(char *name, int len, CUdevice device)
{
    struct cudaDeviceProp p;
    if (!name || len <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = get_props(&p, device);
    if (!r)
        snprintf(name, (size_t)len, "%s", p.name);
    return r;
}

API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult r = uuid ? get_props(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *uuid = p.uuid;
    return r;
}

API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid_v2(uuid, device);
}

API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult r = bytes ? get_props(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *bytes = p.totalGlobalMem;
    return r;
}

API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult r = major && minor ? get_props(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        *major = p.major;
        *minor = p.minor;
    }
    return r;
}

API CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult r = out ? get_props(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (r)
        return r;
    *out = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                       .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                       .totalConstantMemory = (int)p.totalConstMem,
                       .SIMDWidth = p.warpSize,
                       .memPitch = (int)p.memPitch,
                       .regsPerBlock = p.regsPerBlock,
                       .clockRate = p.clockRate,
                       .textureAlign = (int)p.textureAlignment};
    memcpy(out->maxThreadsDim, p.maxThreadsDim, sizeof out->maxThreadsDim);
    memcpy(out->maxGridSize, p.maxGridSize, sizeof out->maxGridSize);
    return CUDA_SUCCESS;
}
