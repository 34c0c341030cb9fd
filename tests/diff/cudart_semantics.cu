/*
 * Asks the CUDA runtime everything that has an exact answer and prints the answers, one per line: error codes of wrong
 * calls, what is sticky and what is not, launch limits, handles, capture and graph rules, pointer kinds.
 *
 * The answers of a real runtime on a real GPU are committed beside it (cudart_semantics.expected); weir must give the
 * same. To make them again on a machine with a GPU:
 *   nvcc -arch=compute_75 cudart_semantics.cu -o semantics
 *   for s in $(./semantics); do echo "== $s"; ./semantics $s; done > cudart_semantics.expected
 */
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void store(int *p, int v)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void nothing() {}
__global__ void __launch_bounds__(128) bounded() {}
__global__ void with_shared(int *p)
{
    __shared__ int s[1024];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void dynamic_shared(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
}
__device__ int var[4] = {1, 2, 3, 4};
__constant__ int constant[4] = {5, 6, 7, 8};

#define SAY(call)                                                                                                      \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        cudaError_t l_ = cudaGetLastError();                                                                           \
        printf("%s: %s%s%s\n", #call, cudaGetErrorName(e_), l_ != e_ ? ", last " : "",                                 \
               l_ != e_ ? cudaGetErrorName(l_) : "");                                                                  \
    } while (0)
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        cudaError_t p_ = cudaPeekAtLastError(), l_ = cudaGetLastError(), m_ = cudaGetLastError();                      \
        printf("%s: %s, %s, then %s\n", #__VA_ARGS__, cudaGetErrorName(p_), cudaGetErrorName(l_),                      \
               cudaGetErrorName(m_));                                                                                  \
    } while (0)

static const char *kind_name(cudaMemoryType t)
{
    return t == cudaMemoryTypeUnregistered ? "unregistered"
           : t == cudaMemoryTypeHost       ? "host"
           : t == cudaMemoryTypeDevice     ? "device"
                                           : "managed";
}

static void say_pointer(const char *what, const void *p)
{
    cudaPointerAttributes a;
    cudaError_t e = cudaPointerGetAttributes(&a, p);
    printf("pointer %s: %s %s device %d dev %s host %s\n", what, cudaGetErrorName(e), kind_name(a.type),
           a.device, a.devicePointer == p ? "same" : a.devicePointer ? "other" : "null",
           a.hostPointer == p ? "same" : a.hostPointer ? "other" : "null");
    cudaGetLastError();
}

static void memory()
{
    int *d = NULL, *m = NULL, *h = NULL, host[256] = {0};
    size_t pitch = 0;
    void *p = NULL;
    SAY(cudaMalloc(&d, 1024));
    SAY(cudaMalloc(&p, 0));
    printf("cudaMalloc of 0 gives %s\n", p ? "something" : "NULL");
    SAY(cudaMalloc(&p, (size_t)1 << 50));
    SAY(cudaMalloc((void **)NULL, 4));
    SAY(cudaMallocManaged(&m, 1024));
    SAY(cudaMallocManaged(&p, 0));
    SAY(cudaMallocManaged(&p, 16, 9));
    SAY(cudaMallocHost(&h, 1024));
    SAY(cudaHostAlloc(&p, 64, 64));
    SAY(cudaMallocPitch(&p, &pitch, 100, 7));
    printf("pitch %zu\n", pitch);
    SAY(cudaFree(p));
    SAY(cudaFree(NULL));
    SAY(cudaFreeHost(NULL));
    SAY(cudaFree(host));
    SAY(cudaFree(d + 1));
    SAY(cudaFree(h));
    SAY(cudaFreeHost(d));
    SAY(cudaFreeHost(host));
    say_pointer("cudaMalloc", d);
    say_pointer("inside cudaMalloc", d + 5);
    say_pointer("managed", m);
    say_pointer("pinned", h);
    say_pointer("stack", host);
    say_pointer("NULL", NULL);
    SAY(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault));
    say_pointer("registered", host);
    SAY(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault));
    SAY(cudaHostGetDevicePointer(&p, host, 0));
    printf("registered device pointer %s\n", p == host ? "same" : "other");
    SAY(cudaHostUnregister(host));
    SAY(cudaHostUnregister(host));
    SAY(cudaHostGetDevicePointer(&p, host, 0));
    SAY(cudaHostGetDevicePointer(&p, h, 0));
    SAY(cudaHostRegister(NULL, 16, 0));
    SAY(cudaHostRegister(host, 0, 0));

    SAY(cudaMemcpy(d, host, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, host, 1024, cudaMemcpyDefault));
    SAY(cudaMemcpy(host, d, 1024, cudaMemcpyDefault));
    SAY(cudaMemcpy(d, host, 1024, (cudaMemcpyKind)9));
    SAY(cudaMemcpy(host, host + 1, 16, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(d, host, 1024, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(host, d, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(host, host, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(host, host, 1024, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d, d, 1024, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d, h, 1024, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d, m, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(m, host, 1024, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(d, d, 1024, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(NULL, host, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, NULL, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 16, host, 32, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 32, host, 16, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 32, host, 32, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 32, host, 32, 0, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyAsync(d, host, 16, cudaMemcpyHostToDevice, cudaStreamPerThread));
    SAY(cudaMemset(d, 0, 1024));
    SAY(cudaMemset(host, 0, 64));
    SAY(cudaMemset(h, 0, 64));
    SAY(cudaMemset(NULL, 0, 64));
    SAY(cudaMemset(NULL, 0, 0));
    SAY(cudaMemset2D(d, 16, 0, 32, 2));
    SAY(cudaMemset2D(d, 32, 0, 16, 2));
    SAY(cudaFree(m));
    SAY(cudaFreeHost(h));
    SAY(cudaFree(d));
    SAY(cudaFree(d));
}

static void symbols()
{
    int host[4];
    size_t n = 0;
    void *p;
    int not_a_symbol = 0;
    SAY(cudaMemcpyFromSymbol(host, var, sizeof host));
    printf("var %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    SAY(cudaMemcpyFromSymbol(host, constant, 8, 8));
    printf("constant %d %d\n", host[0], host[1]);
    SAY(cudaMemcpyFromSymbol(host, var, 20));
    SAY(cudaMemcpyFromSymbol(host, var, 16, 4));
    SAY(cudaMemcpyToSymbol(var, host, 16, 0, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyToSymbol(var, host, 16, 0, cudaMemcpyHostToHost));
    SAY(cudaMemcpyToSymbol(not_a_symbol, host, 4));
    SAY(cudaGetSymbolSize(&n, var));
    printf("size %zu\n", n);
    SAY(cudaGetSymbolAddress(&p, constant));
    say_pointer("symbol", p);
    SAY(cudaGetSymbolAddress(&p, not_a_symbol));
}

static void launches()
{
    int *d;
    cudaFuncAttributes a;
    int n;
    cudaMalloc(&d, 1 << 20);
    LAUNCH(store<<<1, 32>>>(d, 1));
    LAUNCH(nothing<<<0, 32>>>());
    LAUNCH(nothing<<<1, 0>>>());
    LAUNCH(nothing<<<1, 1025>>>());
    LAUNCH(nothing<<<1, dim3(32, 32, 2)>>>());
    LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
    LAUNCH(nothing<<<dim3(1, 65536), 1>>>());
    LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>());
    LAUNCH(nothing<<<1, 1, 49153>>>());
    LAUNCH(nothing<<<1, 1, 1 << 20>>>());
    LAUNCH(bounded<<<1, 128>>>());
    LAUNCH(bounded<<<1, 129>>>());
    LAUNCH(with_shared<<<1, 1024, 45056>>>(d));
    LAUNCH(with_shared<<<1, 1024, 45057>>>(d));
    LAUNCH(dynamic_shared<<<1, 32, 65536>>>(d));
    SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    LAUNCH(dynamic_shared<<<1, 32, 65536>>>(d));
    SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SAY(cudaFuncSetAttribute(dynamic_shared, (cudaFuncAttribute)3, 1));
    SAY(cudaFuncSetCacheConfig(dynamic_shared, cudaFuncCachePreferL1));
    SAY(cudaFuncGetAttributes(&a, with_shared));
    printf("with_shared: static %zu max dynamic %d threads %d\n", a.sharedSizeBytes, a.maxDynamicSharedSizeBytes,
           a.maxThreadsPerBlock);
    SAY(cudaFuncGetAttributes(&a, bounded));
    printf("bounded: threads %d\n", a.maxThreadsPerBlock);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 2048, 0));
    printf("blocks of 2048: %d\n", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 256, 0));
    printf("bounded blocks of 256: %d\n", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 1024, 0));
    printf("blocks of 1024: %d\n", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 32, 0));
    printf("blocks of 32: %d\n", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, with_shared, 256, 0));
    printf("blocks of 256 with 4 KiB: %d\n", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 64, 32768));
    printf("blocks of 64 with 32 KiB: %d\n", n);
    void *none[1] = {0};
    SAY(cudaLaunchKernel(nothing, dim3(0), dim3(1), none, 0, 0));
    SAY(cudaLaunchKernel(nothing, dim3(1), dim3(2000), none, 0, 0));
    SAY(cudaLaunchKernel(nothing, dim3(1), dim3(1, 1, 65), none, 0, 0));
    SAY(cudaLaunchKernel(nothing, dim3(1), dim3(1), none, 1 << 20, 0));
    SAY(cudaLaunchKernel(bounded, dim3(1), dim3(129), none, 0, 0));
    SAY(cudaLaunchKernel(nothing, dim3(1), dim3(1), none, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(2000);
    SAY(cudaLaunchKernelExC(&config, (const void *)nothing, none));
    config.blockDim = dim3(32);
    SAY(cudaLaunchKernelExC(&config, (const void *)nothing, none));
    SAY(cudaLaunchCooperativeKernel(nothing, dim3(1), dim3(2000), none, 0, 0));
    SAY(cudaLaunchCooperativeKernel(nothing, dim3(1000000), dim3(1024), none, 0, 0));
    SAY(cudaLaunchCooperativeKernel(nothing, dim3(4), dim3(64), none, 0, 0));
    SAY(cudaDeviceSynchronize());
    cudaFree(d);
}

static void CUDART_CB count(void *p)
{
    ++*(int *)p;
}

static void streams_and_events()
{
    cudaStream_t s, t;
    cudaEvent_t a, b, c;
    float ms = -1;
    int least, greatest, priority, calls = 0;
    unsigned flags;
    SAY(cudaStreamCreate(&s));
    SAY(cudaStreamCreateWithFlags(&t, 7));
    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("priorities %d %d\n", least, greatest);
    SAY(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -100));
    SAY(cudaStreamGetPriority(t, &priority));
    SAY(cudaStreamGetFlags(t, &flags));
    printf("priority %d flags %u\n", priority, flags);
    SAY(cudaStreamQuery(s));
    SAY(cudaStreamSynchronize(0));
    SAY(cudaEventCreate(&a));
    SAY(cudaEventCreate(&b));
    SAY(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    SAY(cudaEventCreateWithFlags(&c, 64));
    SAY(cudaEventCreateWithFlags(&c, cudaEventInterprocess));
    SAY(cudaEventQuery(a));
    SAY(cudaEventSynchronize(a));
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaEventRecord(a, s));
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaEventRecord(b, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaEventElapsedTime(&ms, a, b));
    printf("elapsed %s\n", ms >= 0 ? "not negative" : "negative");
    SAY(cudaEventElapsedTime(NULL, a, b));
    SAY(cudaEventRecord(c, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaEventElapsedTime(&ms, a, c));
    SAY(cudaStreamWaitEvent(t, a, 0));
    SAY(cudaLaunchHostFunc(s, count, &calls));
    SAY(cudaLaunchHostFunc(s, NULL, &calls));
    SAY(cudaStreamSynchronize(s));
    printf("host function called %d times\n", calls);
    SAY(cudaEventDestroy(a));
    SAY(cudaEventDestroy(b));
    SAY(cudaStreamDestroy(t));
    SAY(cudaStreamDestroy(s));
    SAY(cudaStreamDestroy(0));
}

static void devices()
{
    cudaDeviceProp p;
    int n, v;
    size_t bytes, total;
    SAY(cudaSetDevice(99));
    SAY(cudaSetDevice(-1));
    SAY(cudaSetDevice(0));
    SAY(cudaGetDevice(&n));
    printf("device %d\n", n);
    SAY(cudaGetDeviceProperties(&p, 99));
    SAY(cudaGetDeviceProperties(&p, 0));
    printf("%d.%d warp %d threads %d, %d %d %d, grid %d %d %d, const %zu\n", p.major, p.minor, p.warpSize,
           p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0],
           p.maxGridSize[1], p.maxGridSize[2], p.totalConstMem);
    SAY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)0, 0));
    SAY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)100000, 0));
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
    SAY(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    SAY(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    printf("stack %zu\n", bytes);
    SAY(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    printf("heap %zu\n", bytes);
    SAY(cudaDeviceGetLimit(&bytes, (cudaLimit)77));
    SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    SAY(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    printf("stack %zu\n", bytes);
    SAY(cudaDeviceSetLimit((cudaLimit)77, 1));
    SAY(cudaMemGetInfo(&bytes, &total));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceCanAccessPeer(&n, 0, 0));
    SAY(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    SAY(cudaProfilerStart());
    SAY(cudaProfilerStop());
    printf("%s, %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
}

static void arrays()
{
    cudaArray_t a = NULL, b = NULL;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), bad = {8, 16, 0, 0, cudaChannelFormatKindUnsigned};
    cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags;
    float host[64];
    for (int i = 0; i < 64; i++)
        host[i] = (float)i;
    SAY(cudaMallocArray(&a, &f, 8, 4));
    SAY(cudaMallocArray(&b, &bad, 8, 4));
    SAY(cudaMallocArray(&b, &three, 8, 4));
    SAY(cudaMallocArray(&b, &f, 0, 4));
    SAY(cudaMallocArray(&b, &f, 1 << 20, 1 << 20));
    SAY(cudaMalloc3DArray(&b, &f, make_cudaExtent(8, 0, 4)));
    SAY(cudaMalloc3DArray(&b, &f, make_cudaExtent(8, 8, 5), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&b, &f, make_cudaExtent(8, 4, 6), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&b, &f, make_cudaExtent(8, 8, 6), cudaArrayCubemap));
    SAY(cudaArrayGetInfo(&got, &extent, &flags, b));
    printf("cube %zu %zu %zu flags %u\n", extent.width, extent.height, extent.depth, flags);
    SAY(cudaArrayGetInfo(&got, &extent, &flags, a));
    printf("array %zu %zu %zu flags %u bits %d %d\n", extent.width, extent.height, extent.depth, flags, got.x, got.y);
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 4, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 1, host, 32, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 16, 32, 4, cudaMemcpyHostToDevice));
    memset(host, 0, sizeof host);
    SAY(cudaMemcpy2DFromArray(host, 16, a, 8, 1, 16, 2, cudaMemcpyDeviceToHost));
    printf("read %g %g %g\n", host[0], host[3], host[4]);
    SAY(cudaFreeArray(b));
    SAY(cudaFreeArray(NULL));

    cudaTextureObject_t tex = 0;
    cudaSurfaceObject_t surf = 0;
    cudaResourceDesc res = {};
    cudaTextureDesc td = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    SAY(cudaDestroyTextureObject(tex));
    SAY(cudaDestroyTextureObject(0));
    SAY(cudaCreateSurfaceObject(&surf, &res));
    td.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    td.readMode = cudaReadModeElementType;
    td.filterMode = cudaFilterModeLinear;
    td.normalizedCoords = 1;
    SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    int *d;
    cudaMalloc(&d, 4096);
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = d;
    res.res.linear.desc = cudaCreateChannelDesc<int>();
    res.res.linear.sizeInBytes = 4096;
    SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    memset(&td, 0, sizeof td);
    SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    res.res.linear.sizeInBytes = 16;
    for (int offset = 4; offset <= 512; offset *= 2) {
        res.res.linear.devPtr = (char *)d + offset;
        printf("texture at offset %d\n", offset);
        SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    }
    res.res.linear.devPtr = d;
    res.res.linear.sizeInBytes = 8192; /* longer than the allocation */
    SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    res.resType = cudaResourceTypePitch2D;
    res.res.pitch2D.devPtr = d;
    res.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    res.res.pitch2D.width = 16;
    res.res.pitch2D.height = 4;
    for (int pitch = 48; pitch <= 128; pitch += 16) {
        res.res.pitch2D.pitchInBytes = pitch;
        printf("texture with pitch %d\n", pitch);
        SAY(cudaCreateTextureObject(&tex, &res, &td, NULL));
    }
    SAY(cudaCreateTextureObject(&tex, &res, NULL, NULL));
    cudaFree(d);
    SAY(cudaFreeArray(a));
}

static void graphs()
{
    cudaGraph_t g, clone, child;
    cudaGraphExec_t x;
    cudaGraphNode_t k1, k2, m, e, nodes[8], found;
    cudaStream_t s, t;
    cudaEvent_t ev;
    cudaStreamCaptureStatus status;
    cudaGraphNodeType type;
    int *d, v = 7, host[32], calls = 0;
    size_t n;
    cudaMalloc(&d, 4096);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&ev);
    SAY(cudaGraphCreate(&g, 0));
    SAY(cudaGraphCreate(&g, 5));
    void *args[] = {&d, &v};
    cudaKernelNodeParams p = {};
    p.func = (void *)store;
    p.gridDim = dim3(1);
    p.blockDim = dim3(32);
    p.kernelParams = args;
    SAY(cudaGraphAddKernelNode(&k1, g, NULL, 0, &p));
    v = 9; /* arguments were copied */
    p.blockDim = dim3(2000);
    SAY(cudaGraphAddKernelNode(&k2, g, NULL, 0, &p));
    p.blockDim = dim3(16);
    SAY(cudaGraphAddKernelNode(&k2, g, &k1, 1, &p));
    SAY(cudaGraphAddMemcpyNode1D(&m, g, &k2, 1, host, d, 128, cudaMemcpyDeviceToHost));
    cudaHostNodeParams hp = {count, &calls};
    SAY(cudaGraphAddHostNode(&e, g, &m, 1, &hp));
    SAY(cudaGraphGetNodes(g, NULL, &n));
    printf("nodes %zu\n", n);
    SAY(cudaGraphGetRootNodes(g, NULL, &n));
    printf("roots %zu\n", n);
    SAY(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
    printf("edges %zu\n", n);
    SAY(cudaGraphNodeGetType(m, &type));
    printf("type %d\n", (int)type);
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    printf("host %d %d, calls %d\n", host[15], host[16], calls);
    v = 11;
    SAY(cudaGraphExecKernelNodeSetParams(x, k2, &p));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    printf("host %d %d, calls %d\n", host[15], host[16], calls);
    SAY(cudaGraphClone(&clone, g));
    SAY(cudaGraphNodeFindInClone(&found, k1, clone));
    printf("clone's node %s\n", found == k1 ? "same" : "another");
    SAY(cudaGraphNodeFindInClone(&found, k1, g));
    SAY(cudaGraphAddDependencies(g, &m, &k1, NULL, 1)); /* a cycle */
    cudaGraphExec_t y;
    SAY(cudaGraphInstantiate(&y, g, 0));
    SAY(cudaGraphRemoveDependencies(g, &m, &k1, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, &m, &k1, NULL, 1));
    cudaGraphExecUpdateResultInfo info;
    SAY(cudaGraphExecUpdate(x, clone, &info));
    printf("update %d\n", (int)info.result);
    SAY(cudaGraphAddEmptyNode(&found, clone, NULL, 0));
    SAY(cudaGraphExecUpdate(x, clone, &info));
    printf("update %d\n", (int)info.result);
    SAY(cudaGraphCreate(&child, 0));
    SAY(cudaGraphAddChildGraphNode(&found, child, NULL, 0, clone));
    SAY(cudaGraphDestroy(child));
    SAY(cudaGraphDestroy(clone));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphDestroy(g));

    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    LAUNCH(store<<<1, 32, 0, s>>>(d, 21));
    SAY(cudaMemsetAsync(d, 0, 4, s));
    SAY(cudaEventRecord(ev, s));
    SAY(cudaStreamWaitEvent(t, ev, 0));
    SAY(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    LAUNCH(store<<<1, 1, 0, t>>>(d + 1, 33));
    SAY(cudaEventRecord(ev, t));
    SAY(cudaStreamWaitEvent(s, ev, 0));
    SAY(cudaMemcpyAsync(host, d, 128, cudaMemcpyDeviceToHost, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphGetNodes(g, nodes, (n = 8, &n)));
    printf("captured %zu\n", n);
    host[0] = host[1] = -1;
    SAY(cudaGraphInstantiate(&x, g, 0));
    printf("not run yet: %d\n", host[0]);
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    printf("host %d %d %d\n", host[0], host[1], host[2]);
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphDestroy(g));

    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaEventRecord(ev, s));
    SAY(cudaStreamWaitEvent(t, ev, 0));
    LAUNCH(nothing<<<1, 1, 0, t>>>());
    SAY(cudaStreamEndCapture(s, &g)); /* t did not come back */
    SAY(cudaEventQuery(ev));
    SAY(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaEventRecord(ev, s));
    SAY(cudaEventQuery(ev));
    SAY(cudaEventRecord(ev, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaEventQuery(ev));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaEventRecord(ev, s));
    SAY(cudaStreamWaitEvent(t, ev, 0));
    SAY(cudaStreamEndCapture(t, &g)); /* s began it */
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaEventRecord(ev, s));
    SAY(cudaStreamEndCapture(s, &g)); /* an empty graph */
    SAY(cudaEventQuery(ev));
    SAY(cudaStreamWaitEvent(t, ev, 0));
    SAY(cudaGraphDestroy(g));
    SAY(cudaEventQuery(ev));
    SAY(cudaEventRecord(ev, t));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamWaitEvent(s, ev, 0)); /* recorded outside */
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    LAUNCH(nothing<<<1, 1>>>()); /* the default stream waits for s */
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaDeviceSynchronize());
    cudaFree(d);
}

static void pools()
{
    cudaMemPool_t pool, other;
    cudaStream_t s;
    void *p = NULL;
    unsigned long long bytes = 0;
    int flag = -1;
    cudaStreamCreate(&s);
    SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
    SAY(cudaDeviceGetMemPool(&other, 0));
    printf("default is %s\n", pool == other ? "current" : "not current");
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
    printf("threshold %llu\n", bytes);
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag));
    printf("reuse %d\n", flag);
    SAY(cudaMallocAsync(&p, 1 << 20, s));
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    printf("used %llu\n", bytes);
    SAY(cudaMemsetAsync(p, 1, 1 << 20, s));
    SAY(cudaFreeAsync(p, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    printf("used %llu\n", bytes);
    SAY(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &bytes));
    SAY(cudaMemPoolDestroy(pool));
    SAY(cudaMallocAsync(&p, 4096, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaFree(p));
    SAY(cudaFreeAsync(NULL, s));
}

static void shapes()
{
    cudaPitchedPtr box;
    cudaArray_t a, level;
    cudaMipmappedArray_t mip;
    cudaExtent extent;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    static float host[8 * 4 * 3], back[8 * 4 * 3], big[1 << 20];
    int *d;
    for (int i = 0; i < 96; i++)
        host[i] = (float)i;
    SAY(cudaMalloc3D(&box, make_cudaExtent(32, 4, 3)));
    printf("box pitch %zu x %zu y %zu\n", box.pitch, box.xsize, box.ysize);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(host, 32, 8, 4);
    p.dstPtr = box;
    p.extent = make_cudaExtent(32, 4, 3);
    p.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&p));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 4, 3)));
    cudaMemcpy3DParms q = {};
    q.srcPtr = box;
    q.dstArray = a;
    q.extent = make_cudaExtent(8, 4, 3); /* elements: an array takes part */
    q.kind = cudaMemcpyDeviceToDevice;
    SAY(cudaMemcpy3D(&q));
    cudaMemcpy3DParms r = {};
    r.srcArray = a;
    r.srcPos = make_cudaPos(2, 1, 1);
    r.dstPtr = make_cudaPitchedPtr(back, 32, 8, 4);
    r.dstPos = make_cudaPos(4, 0, 0); /* bytes */
    r.extent = make_cudaExtent(3, 2, 2);
    r.kind = cudaMemcpyDeviceToHost;
    SAY(cudaMemcpy3D(&r));
    printf("back %g %g %g %g %g, %g %g\n", back[0], back[1], back[3], back[4], back[9], back[33], back[41]);
    r.extent = make_cudaExtent(7, 2, 2);
    SAY(cudaMemcpy3D(&r));
    r.extent = make_cudaExtent(0, 2, 2);
    SAY(cudaMemcpy3D(&r));
    r.extent = make_cudaExtent(3, 2, 2);
    r.srcPtr = box;
    SAY(cudaMemcpy3D(&r)); /* two sources */
    SAY(cudaMemset3D(box, 1, make_cudaExtent(32, 4, 3)));
    SAY(cudaMemset3D(box, 1, make_cudaExtent(1024, 4, 3)));
    SAY(cudaFreeArray(a));
    SAY(cudaFree(box.ptr));

    SAY(cudaMalloc(&d, 1024));
    SAY(cudaMemcpy(big, d, sizeof big, cudaMemcpyDeviceToHost)); /* more than any page around it */
    SAY(cudaMemset(d, 0, (size_t)1 << 33));
    SAY(cudaFree(d));
    SAY(cudaMemcpyToArray(NULL, 0, 0, host, 4, cudaMemcpyHostToDevice));

    SAY(cudaMallocMipmappedArray(&mip, &f, make_cudaExtent(16, 4, 0), 3));
    for (unsigned i = 0; i < 4; i++) {
        printf("level %u\n", i);
        SAY(cudaGetMipmappedArrayLevel(&level, mip, i));
        if (i < 3) {
            SAY(cudaArrayGetInfo(NULL, &extent, NULL, level));
            printf("%zu %zu %zu\n", extent.width, extent.height, extent.depth);
        }
    }
    SAY(cudaFreeMipmappedArray(mip));
    SAY(cudaMallocMipmappedArray(&mip, &f, make_cudaExtent(16, 4, 0), 0));
}

static void nodes()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t k, set, alloc, release, copy;
    cudaStream_t s;
    cudaEvent_t ev;
    cudaKernelNodeParams kp = {}, got;
    cudaMemsetParams sp = {}, sgot;
    cudaMemAllocNodeParams ap = {};
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    unsigned enabled;
    const cudaGraphNode_t *deps;
    size_t n;
    int *d, v = 5, host[8] = {0};
    float ms;
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, 256);
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
    void *args[] = {&d, &v};
    kp.func = (void *)store;
    kp.gridDim = dim3(1);
    kp.blockDim = dim3(4);
    kp.kernelParams = args;
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, &kp));
    SAY(cudaGraphKernelNodeGetParams(k, &got));
    printf("function %s, block %u, argument %d\n", got.func == (void *)store ? "same" : "another", got.blockDim.x,
           *(int *)got.kernelParams[1]);
    sp.dst = d + 2;
    sp.elementSize = 2;
    sp.value = 0x1234;
    sp.width = 3;
    sp.height = 1;
    SAY(cudaGraphAddMemsetNode(&set, g, &k, 1, &sp));
    SAY(cudaGraphMemsetNodeGetParams(set, &sgot));
    printf("memset %u %u %zu %zu\n", sgot.value, sgot.elementSize, sgot.width, sgot.height);
    SAY(cudaGraphMemsetNodeGetParams(k, &sgot));
    sp.elementSize = 3;
    SAY(cudaGraphMemsetNodeSetParams(set, &sp));
    ap.bytesize = 4096;
    ap.poolProps.allocType = cudaMemAllocationTypePinned;
    ap.poolProps.location.type = cudaMemLocationTypeDevice;
    SAY(cudaGraphAddMemAllocNode(&alloc, g, &set, 1, &ap));
    printf("address %s\n", ap.dptr ? "known" : "unknown");
    SAY(cudaGraphAddMemcpyNode1D(&copy, g, &alloc, 1, ap.dptr, d, 32, cudaMemcpyDeviceToDevice));
    cudaGraphNode_t out;
    SAY(cudaGraphAddMemcpyNode1D(&out, g, &copy, 1, host, ap.dptr, 32, cudaMemcpyDeviceToHost));
    SAY(cudaGraphAddMemFreeNode(&release, g, &out, 1, ap.dptr));
    SAY(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++) {
        SAY(cudaGraphLaunch(x, s));
        SAY(cudaStreamSynchronize(s));
        printf("host %d %d %x %x %d\n", host[0], host[1], host[2], host[3], host[4]);
    }
    SAY(cudaGraphNodeGetEnabled(x, set, &enabled));
    printf("enabled %u\n", enabled);
    SAY(cudaGraphNodeSetEnabled(x, set, 0));
    SAY(cudaGraphNodeSetEnabled(x, release, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    printf("host %d %d %x %x\n", host[0], host[1], host[2], host[3]);
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphDestroy(g));

    SAY(cudaStreamGetCaptureInfo(s, &status, &id));
    printf("status %d id %llu\n", (int)status, id);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    store<<<1, 4, 0, s>>>(d, 1);
    store<<<1, 4, 0, s>>>(d, 2);
    SAY(cudaStreamGetCaptureInfo(s, &status, &id, &g, &deps, NULL, &n));
    printf("status %d id %s deps %zu\n", (int)status, id ? "set" : "0", n);
    SAY(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
    store<<<1, 4, 0, s>>>(d + 8, 3);
    SAY(cudaStreamEndCapture(s, &g));
    printf("graph %s\n", g ? "made" : "not made");
    SAY(cudaEventCreate(&ev));
    SAY(cudaEventRecord(NULL, s));
    SAY(cudaEventElapsedTime(&ms, NULL, ev));
    SAY(cudaEventSynchronize(NULL));
    SAY(cudaEventDestroy(NULL));
    SAY(cudaGraphDestroy(NULL));
    SAY(cudaGraphLaunch(NULL, s));
    SAY(cudaGraphNodeGetType(NULL, NULL));
    SAY(cudaDeviceSynchronize());
}

/* What is left of the runtime after a fault: every call has the fault's error, and it cannot be cleared. */
static void after_fault(const char *what)
{
    int *d, n = -1;
    void *p = NULL;
    cudaDeviceProp prop;
    cudaEvent_t e;
    printf("after %s\n", what);
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    SAY(cudaMalloc(&d, 16));
    SAY(cudaFree(NULL));
    SAY(cudaMallocHost(&p, 16));
    SAY(cudaEventCreate(&e));
    SAY(cudaGetDevice(&n));
    SAY(cudaGetDeviceCount(&n));
    SAY(cudaGetDeviceProperties(&prop, 0));
    SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    SAY(cudaSetDevice(0));
    SAY(cudaPeekAtLastError());
    LAUNCH(nothing<<<1, 1>>>());
}

__global__ void trap()
{
    asm volatile("trap;");
}
__global__ void wild(int *p)
{
    *p = 1;
}
static void fault_address()
{
    wild<<<1, 1>>>((int *)0x10);
    after_fault("a store to 0x10");
}

static void fault_misaligned()
{
    int *d;
    cudaMalloc(&d, 64);
    wild<<<1, 1>>>((int *)((char *)d + 1));
    after_fault("a misaligned store");
}

static void fault_trap()
{
    trap<<<1, 1>>>();
    after_fault("a trap");
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {
    {"memory", memory},
    {"symbols", symbols},
    {"launches", launches},
    {"streams", streams_and_events},
    {"devices", devices},
    {"arrays", arrays},
    {"graphs", graphs},
    {"pools", pools},
    {"shapes", shapes},
    {"nodes", nodes},
    {"fault-address", fault_address},
    {"fault-misaligned", fault_misaligned},
    {"fault-trap", fault_trap},
};

/* With a name, that section; without, the names. Each wants a process of its own. */
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (argc < 2)
            puts(sections[i].name);
        else if (!strcmp(argv[1], sections[i].name))
            sections[i].run();
    }
    return 0;
}
