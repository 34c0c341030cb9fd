/*
 * C++ conveniences over the C runtime: pointers of any type, symbols and kernels by name, channel descriptors by type,
 * signatures of older CUDA versions.
 */
#ifndef WEIR_CUDA_RUNTIME_HPP
#define WEIR_CUDA_RUNTIME_HPP

/* Allocation without a cast to void **. */
template <class weir_T> static inline cudaError_t cudaMalloc(weir_T **ptr, size_t bytes)
{
    return ::cudaMalloc((void **)(void *)ptr, bytes);
}
template <class weir_T> static inline cudaError_t cudaMallocHost(weir_T **ptr, size_t bytes, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)ptr, bytes, flags);
}
static inline cudaError_t cudaMallocHost(void **ptr, size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc(ptr, bytes, flags);
}
template <class weir_T> static inline cudaError_t cudaHostAlloc(weir_T **ptr, size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)ptr, bytes, flags);
}
template <class weir_T>
static inline cudaError_t cudaMallocManaged(weir_T **ptr, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)ptr, bytes, flags);
}
template <class weir_T> static inline cudaError_t cudaMallocPitch(weir_T **ptr, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)ptr, pitch, width, height);
}
template <class weir_T> static inline cudaError_t cudaMallocAsync(weir_T **ptr, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)ptr, bytes, stream);
}
template <class weir_T>
static inline cudaError_t cudaMallocFromPoolAsync(weir_T **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, bytes, pool, stream);
}
static inline cudaError_t cudaMallocAsync(void **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(ptr, bytes, pool, stream);
}
template <class weir_T>
static inline cudaError_t cudaMallocAsync(weir_T **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, bytes, pool, stream);
}
template <class weir_T> static inline cudaError_t cudaHostGetDevicePointer(weir_T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class weir_T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, weir_T *ptr, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)ptr, bytes, flags);
}

/* Symbols: a __device__ or __constant__ variable stands for itself. */
template <class weir_T>
static inline cudaError_t cudaMemcpyToSymbol(const weir_T &symbol, const void *src, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, bytes, offset, kind);
}
template <class weir_T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const weir_T &symbol, const void *src, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset, kind, stream);
}
template <class weir_T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const weir_T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, bytes, offset, kind);
}
template <class weir_T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const weir_T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class weir_T> static inline cudaError_t cudaGetSymbolAddress(void **ptr, const weir_T &symbol)
{
    return ::cudaGetSymbolAddress(ptr, (const void *)&symbol);
}
template <class weir_T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const weir_T &symbol)
{
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* Kernels by name. */
template <class weir_T>
static inline cudaError_t cudaLaunchKernel(weir_T *func, dim3 grid, dim3 block, void **args, size_t shared_bytes = 0,
                                           cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)func, grid, block, args, shared_bytes, stream);
}
template <class weir_T>
static inline cudaError_t cudaLaunchCooperativeKernel(weir_T *func, dim3 grid, dim3 block, void **args,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared_bytes, stream);
}
template <class weir_T> static inline cudaError_t cudaFuncSetCacheConfig(weir_T *func, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)func, config);
}
template <class weir_T> static inline cudaError_t cudaFuncSetSharedMemConfig(weir_T *func, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class weir_T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, weir_T *func)
{
    return ::cudaFuncGetAttributes(attr, (const void *)func);
}
template <class weir_T> static inline cudaError_t cudaFuncSetAttribute(weir_T *func, cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class weir_T> static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, weir_T *func)
{
    return ::cudaGetKernel(kernel, (const void *)func);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, weir_T func, int block_size,
                                                                        size_t shared_bytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, block_size, shared_bytes);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, weir_T func, int block_size,
                                                                                 size_t shared_bytes,
                                                                                 unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, block_size,
                                                                    shared_bytes, flags);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, weir_T *func, int blocks,
                                                                    int block_size)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (const void *)func, blocks, block_size);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, weir_T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)func, config);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, weir_T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)func, config);
}

/*
 * The block size that keeps most threads resident, and the grid that fills the device with it. Whole warps are tried
 * from the largest block down, so of equal ones the largest wins.
 */
template <class weir_F, class weir_T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid, int *block_size,
                                                                                  weir_T func, weir_F shared_bytes_of,
                                                                                  int limit = 0, unsigned int flags = 0)
{
    int device = 0, sms = 0, warp = 0, max_block = 0, max_resident = 0;
    cudaFuncAttributes attr;
    cudaError_t e;
    if ((e = ::cudaGetDevice(&device)) != cudaSuccess ||
        (e = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess ||
        (e = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device)) != cudaSuccess ||
        (e = ::cudaDeviceGetAttribute(&max_block, cudaDevAttrMaxThreadsPerBlock, device)) != cudaSuccess ||
        (e = ::cudaDeviceGetAttribute(&max_resident, cudaDevAttrMaxThreadsPerMultiProcessor, device)) != cudaSuccess ||
        (e = ::cudaFuncGetAttributes(&attr, (const void *)func)) != cudaSuccess)
        return e;
    if (attr.maxThreadsPerBlock < max_block)
        max_block = attr.maxThreadsPerBlock;
    if (limit > 0 && limit < max_block)
        max_block = limit;
    int best_threads = 0, best_block = 0, best_per_sm = 0;
    for (int top = (max_block + warp - 1) / warp * warp; top > 0; top -= warp) {
        int block = top < max_block ? top : max_block, per_sm = 0;
        e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&per_sm, (const void *)func, block,
                                                                     (size_t)shared_bytes_of(block), flags);
        if (e != cudaSuccess)
            return e;
        if (block * per_sm > best_threads)
            best_threads = block * per_sm, best_block = block, best_per_sm = per_sm;
        if (best_threads == max_resident)
            break;
    }
    *block_size = best_block;
    *min_grid = best_per_sm * sms;
    return cudaSuccess;
}
struct weir_same_bytes {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
};
template <class weir_F, class weir_T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_size, weir_T func,
                                                                         weir_F shared_bytes_of, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, block_size, func, shared_bytes_of, limit,
                                                                   0);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, weir_T func,
                                                                      size_t shared_bytes = 0, int limit = 0,
                                                                      unsigned int flags = 0)
{
    weir_same_bytes same = {shared_bytes};
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, block_size, func, same, limit, flags);
}
template <class weir_T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, weir_T func,
                                                             size_t shared_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, func, shared_bytes, limit, 0);
}

#if __cplusplus >= 201103L
/* Launches with attributes. */
template <class... weir_P, class... weir_A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(weir_P...), weir_A &&...args)
{
    return [&](weir_P... converted) {
        void *pointers[] = {(void *)&converted..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(static_cast<weir_A &&>(args)...);
}
#endif

/* Signatures of versions before 13. */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t bytes, int device, cudaStream_t stream = 0)
{
    cudaMemLocation where;
    where.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = device;
    return ::cudaMemPrefetchAsync(ptr, bytes, where, 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void *ptr, size_t bytes, cudaMemoryAdvise advice, int device)
{
    cudaMemLocation where;
    where.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = device;
    return ::cudaMemAdvise(ptr, bytes, advice, where);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                               char *log, size_t log_bytes)
{
    if (error_node)
        *error_node = 0;
    if (log && log_bytes)
        *log = 0;
    return ::cudaGraphInstantiate(exec, graph, 0ull);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t n)
{
    return ::cudaGraphAddDependencies(graph, from, to, (const cudaGraphEdgeData *)0, n);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t e = ::cudaGraphExecUpdate(exec, graph, &info);
    if (error_node)
        *error_node = info.errorNode;
    if (result)
        *result = info.result;
    return e;
}

/* Channel descriptors from a texel's type. */
template <class weir_T> struct weir_texel;
#define WEIR_TEXEL(T, bits, n, kind)                                                                                   \
    template <> struct weir_texel<T> {                                                                                 \
        static inline cudaChannelFormatDesc desc()                                                                     \
        {                                                                                                              \
            cudaChannelFormatDesc d = {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind};              \
            return d;                                                                                                  \
        }                                                                                                              \
    };
#define WEIR_TEXELS(S, V, bits, kind)                                                                                  \
    WEIR_TEXEL(S, bits, 1, kind)                                                                                       \
    WEIR_TEXEL(V##1, bits, 1, kind)                                                                                    \
    WEIR_TEXEL(V##2, bits, 2, kind)                                                                                    \
    WEIR_TEXEL(V##3, bits, 3, kind)                                                                                    \
    WEIR_TEXEL(V##4, bits, 4, kind)
WEIR_TEXELS(signed char, char, 8, cudaChannelFormatKindSigned)
WEIR_TEXELS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
WEIR_TEXELS(short, short, 16, cudaChannelFormatKindSigned)
WEIR_TEXELS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
WEIR_TEXELS(int, int, 32, cudaChannelFormatKindSigned)
WEIR_TEXELS(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
WEIR_TEXELS(float, float, 32, cudaChannelFormatKindFloat)
WEIR_TEXEL(char, 8, 1, cudaChannelFormatKindSigned)
#undef WEIR_TEXELS
#undef WEIR_TEXEL
template <class weir_T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return weir_texel<weir_T>::desc();
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    cudaChannelFormatDesc d = {16, 0, 0, 0, cudaChannelFormatKindFloat};
    return d;
}

#endif
