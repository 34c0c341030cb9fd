/*
 * The version macros and the few driver-API names that programs built on the runtime mention.
 *
 * weir simulates the runtime API; the driver API proper (cuModuleLoad and its kin) is left out.
 */
#ifndef WEIR_CUDA_H
#define WEIR_CUDA_H
#pragma GCC system_header
#define __cuda_cuda_h__

#define CUDA_VERSION 13000

#include "cuda_runtime_api.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_UNKNOWN = 999 } CUresult;

/* One device, always present: what programs ask before they turn to the runtime. */
static inline CUresult weir_cu(cudaError_t e)
{
    return e == cudaSuccess ? CUDA_SUCCESS : (CUresult)e;
}
static inline CUresult cuInit(unsigned int flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}
static inline CUresult cuDeviceGetCount(int *count)
{
    return weir_cu(cudaGetDeviceCount(count));
}
static inline CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}
static inline CUresult cuDeviceGetName(char *name, int len, CUdevice device)
{
    struct cudaDeviceProp prop;
    cudaError_t e = cudaGetDeviceProperties(&prop, device);
    if (e == cudaSuccess && len > 0) {
        int i = 0;
        for (; i < len - 1 && prop.name[i]; i++)
            name[i] = prop.name[i];
        name[i] = 0;
    }
    return weir_cu(e);
}
static inline CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp prop;
    cudaError_t e = cudaGetDeviceProperties(&prop, device);
    if (e == cudaSuccess)
        *bytes = prop.totalGlobalMem;
    return weir_cu(e);
}
static inline CUresult cuDriverGetVersion(int *version)
{
    return weir_cu(cudaDriverGetVersion(version));
}
static inline CUresult cuCtxSynchronize(void)
{
    return weir_cu(cudaDeviceSynchronize());
}
static inline CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return weir_cu(cudaMemGetInfo(free_bytes, total_bytes));
}

#endif
