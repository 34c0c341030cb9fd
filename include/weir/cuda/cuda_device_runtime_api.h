/*
 * Launches from the device: declared for headers that mention them in code that the host never runs (Thrust, CUB). Code that
 * calls them is refused where its device code is checked.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#pragma GCC system_header

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}
#endif

#endif
