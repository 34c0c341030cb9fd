/*
 * The CUDA 13 runtime's binary interface, in our own words: the types that cross the boundary between a program and
 * libcudart.so.13, as far as weir reads or writes them.
 *
 * Names of types, fields and codes are CUDA's, because programs were compiled against them; the layout is checked by
 * the assertions at the end. Enumerations that weir only passes through are plain ints here.
 */
#ifndef WEIR_CUDART_ABI_H
#define WEIR_CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError {
#define X(value, name, text) name = value,
#include "cudart/errors.def"
#undef X
} cudaError_t;

/* ---- handles: weir's own records behind CUDA's opaque pointers ---- */
typedef struct rt_stream *cudaStream_t;
typedef struct rt_event *cudaEvent_t;
typedef struct rt_array *cudaArray_t;
typedef struct rt_mipmap *cudaMipmappedArray_t;
typedef struct rt_graph *cudaGraph_t;
typedef struct rt_node *cudaGraphNode_t;
typedef struct rt_exec *cudaGraphExec_t;
typedef struct rt_pool *cudaMemPool_t;
typedef struct rt_func *cudaKernel_t;
typedef struct rt_func *cudaFunction_t;
typedef struct rt_module *cudaLibrary_t;
typedef struct rt_user_object *cudaUserObject_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef void (*cudaHostFn_t)(void *user);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *user);

/* Values of a stream handle that name the default streams. */
#define CUDA_STREAM_LEGACY     ((cudaStream_t)0x1)
#define CUDA_STREAM_PER_THREAD ((cudaStream_t)0x2)

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

/* ---- memory ---- */
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum {
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8
};
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaMemLocation {
    int type; /* 1 device, 2 host */
    int id;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};

/* ---- memory pools ---- */
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
struct cudaMemPoolProps {
    int allocType, handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    int flags;
};

/* ---- arrays, textures ---- */
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits of each channel */
    enum cudaChannelFormatKind f;
};
enum {
    cudaArrayLayered = 0x01,
    cudaArraySurfaceLoadStore = 0x02,
    cudaArrayCubemap = 0x04,
    cudaArrayTextureGather = 0x08,
    cudaArraySparse = 0x40,
    cudaArrayDeferredMapping = 0x80
};
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned reserved[4];
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
    unsigned reserved[16];
};
struct cudaTextureDesc {
    int addressMode[3]; /* wrap, clamp, mirror, border */
    int filterMode;     /* point, linear */
    int readMode;       /* element type, normalised float */
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

/* ---- kernels ---- */
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15
};
enum cudaLaunchAttributeID { /* those that change what weir does */
                             cudaLaunchAttributeCooperative = 2,
                             cudaLaunchAttributeClusterDimension = 4,
                             cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    char pad[64];
    void *align;
    int cooperative, priority;
    struct {
        unsigned x, y, z;
    } clusterDim;
};
struct cudaLaunchAttribute {
    int id;
    char pad[4];
    union cudaLaunchAttributeValue val;
};
typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    struct cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

/* ---- graphs ---- */
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeConditional = 13
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaKernelNodeParamsV2 {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
    void *ctx;
};
struct cudaMemcpyNodeParams {
    int flags, reserved[3];
    struct cudaMemcpy3DParms copyParams;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct cudaMemcpyNodeParams memcpy;
        struct cudaMemsetParams memset;
        struct cudaHostNodeParams host;
        struct {
            cudaGraph_t graph;
            int ownership;
        } graph;
        struct {
            cudaEvent_t event;
        } event;
        struct cudaMemAllocNodeParams alloc;
        struct {
            void *dptr;
        } free;
    };
    long long reserved2;
};
typedef struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;
typedef struct cudaGraphInstantiateParams {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    int result_out;
} cudaGraphInstantiateParams;
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess,
    cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged,
    cudaGraphExecUpdateErrorNodeTypeChanged,
    cudaGraphExecUpdateErrorFunctionChanged,
    cudaGraphExecUpdateErrorParametersChanged
};
typedef struct cudaGraphExecUpdateResultInfo {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
enum { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1 };
enum { cudaStreamNonBlocking = 1 };
enum { cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};

/* ---- the device ---- */
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize,
    CUDA_LIMIT_COUNT
};
struct cudaUUID {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[256];
    struct cudaUUID uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
};

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
