/*
 * The CUDA 13 runtime's binary interface: the types that cross the boundary between a program and libcudart.so.13.
 *
 * They are stated once, in the header that weir cc compiles programs against; here the opaque handles get weir's own
 * records behind them, and the layout is checked against what nvcc 13 gives a program.
 */
#ifndef WEIR_CUDART_ABI_H
#define WEIR_CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CUstream_st         rt_stream
#define CUevent_st          rt_event
#define cudaArray           rt_array
#define cudaMipmappedArray  rt_mipmap
#define CUgraph_st          rt_graph
#define CUgraphNode_st      rt_node
#define CUgraphExec_st      rt_exec
#define CUmemPoolHandle_st  rt_pool
#define CUkern_st           rt_func
#define CUfunc_st           rt_func
#define CUlib_st            rt_module
#define CUuserObject_st     rt_user_object
#define CUctx_st            rt_context
#define CUmod_st            rt_module
#define CUarray_st          rt_array
#define CUmipmappedArray_st rt_mipmap
#define CUlinkState_st      rt_link
#include "weir/cuda/driver_types.h"

typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *user);
enum { CUDA_LIMIT_COUNT = cudaLimitPersistingL2CacheSize + 1, LAUNCH_ATTRIBUTE_LAST = 17 };

/* Values of a stream handle that name the default streams. */
#define CUDA_STREAM_LEGACY     ((cudaStream_t)0x1)
#define CUDA_STREAM_PER_THREAD ((cudaStream_t)0x2)

/* ---- the layout, as a program built by nvcc 13 sees it on x86-64 ---- */
#define ABI_SIZE(type, bytes)       _Static_assert(sizeof(type) == (bytes), #type)
#define ABI_AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
ABI_SIZE(dim3, 12);
ABI_SIZE(struct cudaPitchedPtr, 32);
ABI_AT(struct cudaPitchedPtr, ysize, 24);
ABI_SIZE(struct cudaExtent, 24);
ABI_AT(struct cudaExtent, depth, 16);
ABI_SIZE(struct cudaPos, 24);
ABI_AT(struct cudaPos, z, 16);
ABI_SIZE(struct cudaMemcpy3DParms, 160);
ABI_AT(struct cudaMemcpy3DParms, srcPtr, 32);
ABI_AT(struct cudaMemcpy3DParms, dstArray, 64);
ABI_AT(struct cudaMemcpy3DParms, dstPtr, 96);
ABI_AT(struct cudaMemcpy3DParms, extent, 128);
ABI_AT(struct cudaMemcpy3DParms, kind, 152);
ABI_SIZE(struct cudaMemcpy3DPeerParms, 168);
ABI_AT(struct cudaMemcpy3DPeerParms, srcDevice, 64);
ABI_AT(struct cudaMemcpy3DPeerParms, dstArray, 72);
ABI_AT(struct cudaMemcpy3DPeerParms, dstDevice, 136);
ABI_AT(struct cudaMemcpy3DPeerParms, extent, 144);
ABI_SIZE(struct cudaMemsetParams, 40);
ABI_AT(struct cudaMemsetParams, value, 16);
ABI_AT(struct cudaMemsetParams, width, 24);
ABI_AT(struct cudaMemsetParams, height, 32);
ABI_SIZE(struct cudaMemLocation, 8);
ABI_SIZE(struct cudaPointerAttributes, 88);
ABI_AT(struct cudaPointerAttributes, device, 4);
ABI_AT(struct cudaPointerAttributes, devicePointer, 8);
ABI_AT(struct cudaPointerAttributes, hostPointer, 16);
ABI_SIZE(struct cudaMemPoolProps, 88);
ABI_AT(struct cudaMemPoolProps, location, 8);
ABI_AT(struct cudaMemPoolProps, maxSize, 24);
ABI_AT(struct cudaMemPoolProps, usage, 32);
ABI_SIZE(struct cudaMemAccessDesc, 12);
ABI_AT(struct cudaMemAccessDesc, flags, 8);
ABI_SIZE(struct cudaChannelFormatDesc, 20);
ABI_AT(struct cudaChannelFormatDesc, f, 16);
ABI_SIZE(struct cudaArrayMemoryRequirements, 32);
ABI_SIZE(struct cudaResourceDesc, 144);
ABI_AT(struct cudaResourceDesc, res.linear.devPtr, 8);
ABI_AT(struct cudaResourceDesc, res.linear.desc, 16);
ABI_AT(struct cudaResourceDesc, res.linear.sizeInBytes, 40);
ABI_AT(struct cudaResourceDesc, res.pitch2D.width, 40);
ABI_AT(struct cudaResourceDesc, res.pitch2D.pitchInBytes, 56);
ABI_AT(struct cudaResourceDesc, flags, 136);
ABI_SIZE(struct cudaResourceViewDesc, 112);
ABI_AT(struct cudaResourceViewDesc, width, 8);
ABI_AT(struct cudaResourceViewDesc, firstMipmapLevel, 32);
ABI_AT(struct cudaResourceViewDesc, lastLayer, 44);
ABI_SIZE(struct cudaTextureDesc, 72);
ABI_AT(struct cudaTextureDesc, filterMode, 12);
ABI_AT(struct cudaTextureDesc, readMode, 16);
ABI_AT(struct cudaTextureDesc, sRGB, 20);
ABI_AT(struct cudaTextureDesc, borderColor, 24);
ABI_AT(struct cudaTextureDesc, normalizedCoords, 40);
ABI_AT(struct cudaTextureDesc, maxAnisotropy, 44);
ABI_AT(struct cudaTextureDesc, mipmapFilterMode, 48);
ABI_AT(struct cudaTextureDesc, mipmapLevelBias, 52);
ABI_AT(struct cudaTextureDesc, maxMipmapLevelClamp, 60);
ABI_AT(struct cudaTextureDesc, seamlessCubemap, 68);
ABI_SIZE(struct cudaFuncAttributes, 144);
ABI_AT(struct cudaFuncAttributes, localSizeBytes, 16);
ABI_AT(struct cudaFuncAttributes, maxThreadsPerBlock, 24);
ABI_AT(struct cudaFuncAttributes, numRegs, 28);
ABI_AT(struct cudaFuncAttributes, ptxVersion, 32);
ABI_AT(struct cudaFuncAttributes, binaryVersion, 36);
ABI_AT(struct cudaFuncAttributes, maxDynamicSharedSizeBytes, 44);
ABI_AT(struct cudaFuncAttributes, clusterDimMustBeSet, 52);
ABI_AT(struct cudaFuncAttributes, nonPortableClusterSizeAllowed, 72);
ABI_SIZE(cudaLaunchConfig_t, 56);
ABI_AT(cudaLaunchConfig_t, blockDim, 12);
ABI_AT(cudaLaunchConfig_t, dynamicSmemBytes, 24);
ABI_AT(cudaLaunchConfig_t, stream, 32);
ABI_AT(cudaLaunchConfig_t, attrs, 40);
ABI_AT(cudaLaunchConfig_t, numAttrs, 48);
ABI_SIZE(union cudaLaunchAttributeValue, 64);
ABI_SIZE(struct cudaKernelNodeParams, 56);
ABI_AT(struct cudaKernelNodeParams, gridDim, 8);
ABI_AT(struct cudaKernelNodeParams, blockDim, 20);
ABI_AT(struct cudaKernelNodeParams, sharedMemBytes, 32);
ABI_AT(struct cudaKernelNodeParams, kernelParams, 40);
ABI_AT(struct cudaKernelNodeParams, extra, 48);
ABI_SIZE(struct cudaMemcpyNodeParams, 176);
ABI_AT(struct cudaMemcpyNodeParams, copyParams, 16);
ABI_SIZE(struct cudaHostNodeParams, 16);
ABI_AT(struct cudaHostNodeParams, userData, 8);
ABI_SIZE(struct cudaMemAllocNodeParams, 120);
ABI_AT(struct cudaMemAllocNodeParams, accessDescs, 88);
ABI_AT(struct cudaMemAllocNodeParams, bytesize, 104);
ABI_AT(struct cudaMemAllocNodeParams, dptr, 112);
ABI_SIZE(struct cudaGraphNodeParams, 256);
ABI_AT(struct cudaGraphNodeParams, kernel, 16);
ABI_AT(struct cudaGraphNodeParams, reserved2, 248);
ABI_SIZE(cudaGraphEdgeData, 8);
ABI_SIZE(cudaGraphInstantiateParams, 32);
ABI_AT(cudaGraphInstantiateParams, errNode_out, 16);
ABI_AT(cudaGraphInstantiateParams, result_out, 24);
ABI_SIZE(cudaGraphExecUpdateResultInfo, 24);
ABI_AT(cudaGraphExecUpdateResultInfo, errorNode, 8);
ABI_AT(cudaGraphExecUpdateResultInfo, errorFromNode, 16);
ABI_SIZE(struct cudaDeviceProp, 1008);
ABI_AT(struct cudaDeviceProp, uuid, 256);
ABI_AT(struct cudaDeviceProp, luidDeviceNodeMask, 280);
ABI_AT(struct cudaDeviceProp, totalGlobalMem, 288);
ABI_AT(struct cudaDeviceProp, sharedMemPerBlock, 296);
ABI_AT(struct cudaDeviceProp, regsPerBlock, 304);
ABI_AT(struct cudaDeviceProp, warpSize, 308);
ABI_AT(struct cudaDeviceProp, memPitch, 312);
ABI_AT(struct cudaDeviceProp, maxThreadsPerBlock, 320);
ABI_AT(struct cudaDeviceProp, maxThreadsDim, 324);
ABI_AT(struct cudaDeviceProp, maxGridSize, 336);
ABI_AT(struct cudaDeviceProp, totalConstMem, 352);
ABI_AT(struct cudaDeviceProp, major, 360);
ABI_AT(struct cudaDeviceProp, textureAlignment, 368);
ABI_AT(struct cudaDeviceProp, multiProcessorCount, 384);
ABI_AT(struct cudaDeviceProp, canMapHostMemory, 392);
ABI_AT(struct cudaDeviceProp, maxTexture2DLinear, 420);
ABI_AT(struct cudaDeviceProp, maxTexture3D, 440);
ABI_AT(struct cudaDeviceProp, maxTextureCubemapLayered, 488);
ABI_AT(struct cudaDeviceProp, maxSurface1D, 496);
ABI_AT(struct cudaDeviceProp, surfaceAlignment, 552);
ABI_AT(struct cudaDeviceProp, concurrentKernels, 560);
ABI_AT(struct cudaDeviceProp, pciBusID, 568);
ABI_AT(struct cudaDeviceProp, asyncEngineCount, 584);
ABI_AT(struct cudaDeviceProp, unifiedAddressing, 588);
ABI_AT(struct cudaDeviceProp, memoryBusWidth, 592);
ABI_AT(struct cudaDeviceProp, l2CacheSize, 596);
ABI_AT(struct cudaDeviceProp, maxThreadsPerMultiProcessor, 604);
ABI_AT(struct cudaDeviceProp, sharedMemPerMultiprocessor, 624);
ABI_AT(struct cudaDeviceProp, regsPerMultiprocessor, 632);
ABI_AT(struct cudaDeviceProp, managedMemory, 636);
ABI_AT(struct cudaDeviceProp, concurrentManagedAccess, 656);
ABI_AT(struct cudaDeviceProp, cooperativeLaunch, 668);
ABI_AT(struct cudaDeviceProp, sharedMemPerBlockOptin, 672);
ABI_AT(struct cudaDeviceProp, maxBlocksPerMultiProcessor, 688);
ABI_AT(struct cudaDeviceProp, reservedSharedMemPerBlock, 696);
ABI_AT(struct cudaDeviceProp, hostRegisterSupported, 704);
ABI_AT(struct cudaDeviceProp, memoryPoolsSupported, 720);
ABI_AT(struct cudaDeviceProp, memoryPoolSupportedHandleTypes, 736);
ABI_AT(struct cudaDeviceProp, clusterLaunch, 748);
ABI_AT(struct cudaDeviceProp, hostNumaId, 768);
ABI_AT(struct cudaDeviceProp, hostNumaMultinodeIpcSupported, 780);
#undef ABI_SIZE
#undef ABI_AT

#endif
