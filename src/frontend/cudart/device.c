/*
 * The device: properties, attributes, limits and flags. There is one, and it is the simulated GPU.
 *
 * What the machine's configuration says comes from trace/device.h. What it does not say (texture and surface limits,
 * features) is what CUDA reports for compute capability 9.0, because that is what the emulator runs.
 */
#include "cudart/driver.h"

enum { VERSION = 13000, MAX_STACK_BYTES = 512 << 10 /* local memory that a thread can have */ };

static void fill_props(struct cudaDeviceProp *out)
{
    const struct device_props *p = &rt.props;
    *out = (struct cudaDeviceProp){
        .uuid = {"weir-device-0"},
        .totalGlobalMem = p->global_bytes,
        .sharedMemPerBlock = p->smem_per_block,
        .regsPerBlock = (int)p->regs_per_block,
        .warpSize = (int)p->warp_size,
        .memPitch = INT32_MAX,
        .maxThreadsPerBlock = (int)p->max_threads_per_block,
        .maxThreadsDim = {(int)p->max_threads_per_block, (int)p->max_threads_per_block, 64},
        .maxGridSize = {INT32_MAX, 65535, 65535},
        .totalConstMem = p->const_bytes,
        .major = (int)p->cc_major,
        .minor = (int)p->cc_minor,
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .multiProcessorCount = (int)p->sm_count,
        .canMapHostMemory = 1,
        .maxTexture1D = 131072,
        .maxTexture1DMipmap = 32768,
        .maxTexture2D = {131072, 65536},
        .maxTexture2DMipmap = {32768, 32768},
        .maxTexture2DLinear = {131072, 65000, 2097120},
        .maxTexture2DGather = {32768, 32768},
        .maxTexture3D = {16384, 16384, 16384},
        .maxTexture3DAlt = {8192, 8192, 32768},
        .maxTextureCubemap = 32768,
        .maxTexture1DLayered = {32768, 2048},
        .maxTexture2DLayered = {32768, 32768, 2048},
        .maxTextureCubemapLayered = {32768, 2046},
        .maxSurface1D = 32768,
        .maxSurface2D = {131072, 65536},
        .maxSurface3D = {16384, 16384, 16384},
        .maxSurface1DLayered = {32768, 2048},
        .maxSurface2DLayered = {32768, 32768, 2048},
        .maxSurfaceCubemap = 32768,
        .maxSurfaceCubemapLayered = {32768, 2046},
        .surfaceAlignment = 512,
        .concurrentKernels = 1,
        .pciBusID = 1,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = (int)p->mem_bus_bits,
        .l2CacheSize = (int)p->l2_bytes,
        .maxThreadsPerMultiProcessor = (int)p->max_threads_per_sm,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = p->smem_per_sm,
        .regsPerMultiprocessor = (int)p->regs_per_sm,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .cooperativeLaunch = 1,
        .clusterLaunch = 1,
        .sharedMemPerBlockOptin = p->smem_per_block_optin,
        .maxBlocksPerMultiProcessor = (int)p->max_ctas_per_sm,
        .reservedSharedMemPerBlock = p->smem_reserved_per_block,
        .hostRegisterSupported = 1,
        .hostRegisterReadOnlySupported = 1,
        .memoryPoolsSupported = 1,
        .unifiedFunctionPointers = 0,
        .hostNumaId = -1,
        .deviceNumaId = -1,
        /* Members that CUDA 13 dropped: the headers of weir cc keep them here for older sources. */
        .reserved = {[0] = (int)p->clock_khz,
                     [1] = 1, /* deviceOverlap */
                     [4] = (int)p->mem_clock_khz,
                     [5] = 1 << 28, /* maxTexture1DLinear */
                     [6] = 2 /* singleToDoublePrecisionPerfRatio */},
    };
    snprintf(out->name, sizeof out->name, "%s", p->name);
}

API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    rt_enter_any();
    cudaError_t e = rt.init_status;
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e && device)
        e = cudaErrorInvalidDevice;
    if (!e)
        fill_props(out);
    return rt_leave(e);
}

/* cudaDeviceAttr numbers, and where each value comes from. Numbers that are not listed are features weir lacks: 0. */
#define ATTRIBUTES(X)                                                                                                  \
    X(1, d.maxThreadsPerBlock)                                                                                         \
    X(2, d.maxThreadsDim[0])                                                                                           \
    X(3, d.maxThreadsDim[1])                                                                                           \
    X(4, d.maxThreadsDim[2])                                                                                           \
    X(5, d.maxGridSize[0])                                                                                             \
    X(6, d.maxGridSize[1])                                                                                             \
    X(7, d.maxGridSize[2])                                                                                             \
    X(8, d.sharedMemPerBlock)                                                                                          \
    X(9, d.totalConstMem)                                                                                              \
    X(10, d.warpSize)                                                                                                  \
    X(11, d.memPitch)                                                                                                  \
    X(12, d.regsPerBlock)                                                                                              \
    X(13, rt.props.clock_khz)                                                                                          \
    X(14, d.textureAlignment)                                                                                          \
    X(15, 1)                                                                                                           \
    X(16, d.multiProcessorCount)                                                                                       \
    X(19, d.canMapHostMemory)                                                                                          \
    X(21, d.maxTexture1D)                                                                                              \
    X(22, d.maxTexture2D[0])                                                                                           \
    X(23, d.maxTexture2D[1])                                                                                           \
    X(24, d.maxTexture3D[0])                                                                                           \
    X(25, d.maxTexture3D[1])                                                                                           \
    X(26, d.maxTexture3D[2])                                                                                           \
    X(27, d.maxTexture2DLayered[0])                                                                                    \
    X(28, d.maxTexture2DLayered[1])                                                                                    \
    X(29, d.maxTexture2DLayered[2])                                                                                    \
    X(30, d.surfaceAlignment)                                                                                          \
    X(31, d.concurrentKernels)                                                                                         \
    X(33, d.pciBusID)                                                                                                  \
    X(36, rt.props.mem_clock_khz)                                                                                      \
    X(37, d.memoryBusWidth)                                                                                            \
    X(38, d.l2CacheSize)                                                                                               \
    X(39, d.maxThreadsPerMultiProcessor)                                                                               \
    X(40, d.asyncEngineCount)                                                                                          \
    X(41, d.unifiedAddressing)                                                                                         \
    X(42, d.maxTexture1DLayered[0])                                                                                    \
    X(43, d.maxTexture1DLayered[1])                                                                                    \
    X(45, d.maxTexture2DGather[0])                                                                                     \
    X(46, d.maxTexture2DGather[1])                                                                                     \
    X(47, d.maxTexture3DAlt[0])                                                                                        \
    X(48, d.maxTexture3DAlt[1])                                                                                        \
    X(49, d.maxTexture3DAlt[2])                                                                                        \
    X(51, d.texturePitchAlignment)                                                                                     \
    X(52, d.maxTextureCubemap)                                                                                         \
    X(53, d.maxTextureCubemapLayered[0])                                                                               \
    X(54, d.maxTextureCubemapLayered[1])                                                                               \
    X(55, d.maxSurface1D)                                                                                              \
    X(56, d.maxSurface2D[0])                                                                                           \
    X(57, d.maxSurface2D[1])                                                                                           \
    X(58, d.maxSurface3D[0])                                                                                           \
    X(59, d.maxSurface3D[1])                                                                                           \
    X(60, d.maxSurface3D[2])                                                                                           \
    X(61, d.maxSurface1DLayered[0])                                                                                    \
    X(62, d.maxSurface1DLayered[1])                                                                                    \
    X(63, d.maxSurface2DLayered[0])                                                                                    \
    X(64, d.maxSurface2DLayered[1])                                                                                    \
    X(65, d.maxSurface2DLayered[2])                                                                                    \
    X(66, d.maxSurfaceCubemap)                                                                                         \
    X(67, d.maxSurfaceCubemapLayered[0])                                                                               \
    X(68, d.maxSurfaceCubemapLayered[1])                                                                               \
    X(69, 1 << 28)                                                                                                     \
    X(70, d.maxTexture2DLinear[0])                                                                                     \
    X(71, d.maxTexture2DLinear[1])                                                                                     \
    X(72, d.maxTexture2DLinear[2])                                                                                     \
    X(73, d.maxTexture2DMipmap[0])                                                                                     \
    X(74, d.maxTexture2DMipmap[1])                                                                                     \
    X(75, d.major)                                                                                                     \
    X(76, d.minor)                                                                                                     \
    X(77, d.maxTexture1DMipmap)                                                                                        \
    X(78, d.streamPrioritiesSupported)                                                                                 \
    X(79, d.globalL1CacheSupported)                                                                                    \
    X(80, d.localL1CacheSupported)                                                                                     \
    X(81, d.sharedMemPerMultiprocessor)                                                                                \
    X(82, d.regsPerMultiprocessor)                                                                                     \
    X(83, d.managedMemory)                                                                                             \
    X(87, 2)                                                                                                           \
    X(89, d.concurrentManagedAccess)                                                                                   \
    X(90, d.computePreemptionSupported)                                                                                \
    X(91, d.canUseHostPointerForRegisteredMem)                                                                         \
    X(95, d.cooperativeLaunch)                                                                                         \
    X(97, d.sharedMemPerBlockOptin)                                                                                    \
    X(99, d.hostRegisterSupported)                                                                                     \
    X(102, 1) /* virtual memory management */                                                                          \
    X(103, 1) /* ... shared by file descriptors */                                                                     \
    X(106, d.maxBlocksPerMultiProcessor)                                                                               \
    X(111, d.reservedSharedMemPerBlock)                                                                                \
    X(113, d.hostRegisterReadOnlySupported)                                                                            \
    X(115, d.memoryPoolsSupported)                                                                                     \
    X(120, d.clusterLaunch)                                                                                            \
    X(131, d.deviceNumaId)                                                                                             \
    X(134, d.hostNumaId)

API cudaError_t cudaDeviceGetAttribute(int *out, int attr, int device)
{
    rt_enter_any();
    cudaError_t e = rt.init_status;
    if (!e && (!out || attr < 1 || attr > 147))
        e = cudaErrorInvalidValue;
    if (!e && device)
        e = cudaErrorInvalidDevice;
    if (!e) {
        struct cudaDeviceProp d;
        fill_props(&d);
        *out = 0;
        switch (attr) {
#define X(number, value)                                                                                               \
    case number:                                                                                                       \
        *out = (int)(value);                                                                                           \
        break;
            ATTRIBUTES(X)
#undef X
        }
    }
    return rt_leave(e);
}

/* ---- which device ---- */
API cudaError_t cudaGetDeviceCount(int *out)
{
    rt_enter_any();
    if (out)
        *out = 1;
    return rt_leave(out ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaGetDevice(int *out)
{
    rt_enter_any();
    if (out)
        *out = 0;
    return rt_leave(out ? cudaSuccess : cudaErrorInvalidValue);
}

/* Choosing the device works on a lost one, too. */
static cudaError_t only_device(int device)
{
    rt_enter_any();
    return rt_leave(rt.init_status ? rt.init_status : device ? cudaErrorInvalidDevice : cudaSuccess);
}

API cudaError_t cudaSetDevice(int device)
{
    return only_device(device);
}

API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return only_device(device);
}

API cudaError_t cudaSetValidDevices(int *list, int n)
{
    if (n && (!list || n != 1)) { /* a list is not longer than there are devices */
        rt_enter_any();
        return rt_leave(cudaErrorInvalidValue);
    }
    return only_device(n ? *list : 0);
}

API cudaError_t cudaChooseDevice(int *out, const struct cudaDeviceProp *want)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || !want))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = 0;
    return rt_leave(e);
}

API cudaError_t cudaDeviceGetPCIBusId(char *out, int bytes, int device)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || bytes < 13))
        e = cudaErrorInvalidValue;
    if (!e && device)
        e = cudaErrorInvalidDevice;
    if (!e)
        snprintf(out, (size_t)bytes, "0000:01:00.0");
    return rt_leave(e);
}

API cudaError_t cudaDeviceGetByPCIBusId(int *out, const char *id)
{
    unsigned domain = 0, bus, device, function = 0;
    cudaError_t e = rt_enter();
    if (!e && (!out || !id))
        e = cudaErrorInvalidValue;
    if (!e && sscanf(id, "%x:%x:%x.%x", &domain, &bus, &device, &function) < 3) {
        domain = function = 0;
        if (sscanf(id, "%x:%x.%x", &bus, &device, &function) < 2)
            e = cudaErrorInvalidValue;
    }
    if (!e && (domain || bus != 1 || device || function))
        e = cudaErrorInvalidDevice;
    if (!e)
        *out = 0;
    return rt_leave(e);
}

/* ---- peers: there are none ---- */
API cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || device || peer))
        e = out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!e)
        *out = 0;
    return rt_leave(e);
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = flags ? cudaErrorInvalidValue : peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported;
    return rt_leave(e);
}

API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

/* Two devices would be needed. */
API cudaError_t cudaDeviceGetP2PAttribute(int *out, int attr, int from, int to)
{
    (void)from, (void)to;
    cudaError_t e = rt_enter();
    if (!e)
        e = !out || attr < 1 || attr > 5 ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    return rt_leave(e);
}

/* ---- versions ---- */
static cudaError_t version(int *out)
{
    rt_enter_any();
    if (out)
        *out = VERSION;
    return rt_leave(out ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaDriverGetVersion(int *out)
{
    return version(out);
}

API cudaError_t cudaRuntimeGetVersion(int *out)
{
    return version(out);
}

/* Functions with a stream per thread are treated like those with the legacy stream. */
static cudaError_t entry_point(const char *symbol, void **function, unsigned version, unsigned long long flags,
                               int *status)
{
    bool newer;
    cudaError_t e = rt_enter();
    if (!e && (!symbol || !function || flags > cudaEnablePerThreadDefaultStream))
        e = cudaErrorInvalidValue;
    if (!e) {
        *function = driver_function(symbol, (int)version, &newer);
        if (status)
            *status = *function ? cudaDriverEntryPointSuccess
                      : newer   ? cudaDriverEntryPointVersionNotSufficent
                                : cudaDriverEntryPointSymbolNotFound;
        if (!*function && !status)
            e = cudaErrorSymbolNotFound;
    }
    return rt_leave(e);
}

API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *status)
{
    return entry_point(symbol, function, VERSION, flags, status);
}

API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                 unsigned long long flags, int *status)
{
    return entry_point(symbol, function, version, flags, status);
}

/* ---- flags, preferences, limits ---- */
API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && flags & ~0xffu)
        e = cudaErrorInvalidValue;
    if (!e)
        rt.device_flags = flags;
    return rt_leave(e);
}

API cudaError_t cudaGetDeviceFlags(unsigned *out)
{
    cudaError_t e = rt_enter();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt.device_flags | 8; /* host memory can always be mapped */
    return rt_leave(e);
}

/* The split between L1 and shared memory is the machine's configuration, not the program's. */
API cudaError_t cudaDeviceSetCacheConfig(int config)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : config < 0 || config > 3 ? cudaErrorInvalidValue : cudaSuccess);
}

API cudaError_t cudaDeviceGetCacheConfig(int *out)
{
    cudaError_t e = rt_enter();
    if (!e && out)
        *out = 0;
    return rt_leave(e ? e : out ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : config < 0 || config > 2 ? cudaErrorInvalidValue : cudaSuccess);
}

API cudaError_t cudaDeviceGetSharedMemConfig(int *out)
{
    cudaError_t e = rt_enter();
    if (!e && out)
        *out = 1; /* four-byte banks */
    return rt_leave(e ? e : out ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t e = rt_enter();
    if (!e && (unsigned)limit >= CUDA_LIMIT_COUNT)
        e = cudaErrorInvalidValue;
    if (!e && limit == cudaLimitDevRuntimeSyncDepth)
        e = cudaErrorUnsupportedLimit;
    if (!e && limit == cudaLimitStackSize && value > MAX_STACK_BYTES)
        e = cudaErrorInvalidValue;
    if (!e && (limit == cudaLimitMallocHeapSize || limit == cudaLimitPrintfFifoSize) && value > rt.props.global_bytes)
        e = cudaErrorMemoryAllocation;
    if (!e) {
        rt.limit[limit] = value;
        if (limit == cudaLimitStackSize)
            emu_options(rt.emu)->stack_bytes = value;
        if (limit == cudaLimitMallocHeapSize)
            emu_options(rt.emu)->malloc_bytes = value;
    }
    return rt_leave(e);
}

API cudaError_t cudaDeviceGetLimit(size_t *out, enum cudaLimit limit)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || (unsigned)limit >= CUDA_LIMIT_COUNT))
        e = cudaErrorInvalidValue;
    if (!e && limit == cudaLimitDevRuntimeSyncDepth)
        e = cudaErrorUnsupportedLimit;
    if (!e)
        *out = rt.limit[limit];
    return rt_leave(e);
}

API cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return rt_leave(rt_enter());
}

API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const struct cudaChannelFormatDesc *f, int device)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || !f || device))
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!e && !array_element_bytes(f))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = 1 << 28;
    return rt_leave(e);
}

/* ---- profiler: nothing to start ---- */
API cudaError_t cudaProfilerStart(void)
{
    return rt_leave(rt_enter());
}

API cudaError_t cudaProfilerStop(void)
{
    return rt_leave(rt_enter());
}
