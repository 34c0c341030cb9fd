/*
 * The error codes of the runtime, function by function and argument by argument: what each call must return, and where
 * that is from (cudart_errors.h). cudart_errors.py compares, and counts which documented codes have no row. Calls whose
 * answer an H200 gave are in cudart_semantics.cu and not here; graphs are in cudart_errors_graphs.cu.
 *
 * A handle that is none is a pointer to other live memory, or one that was destroyed. CUDA may follow such a pointer, so
 * these rows cannot be asked of a GPU.
 */
#include "cudart_errors.h"

#include <cuda_profiler_api.h>
#include <pthread.h>

__global__ void nothing() {}
__global__ void store(int *p, int v)
{
    *p = v;
}
__device__ int var[4];
__constant__ int constant[4];
__managed__ int shared_int;

static const cudaStream_t bad_stream = (cudaStream_t)other;
static const cudaArray_t bad_array = (cudaArray_t)other;
static const cudaMipmappedArray_t bad_mipmap = (cudaMipmappedArray_t)other;
static const cudaGraph_t bad_graph = (cudaGraph_t)other;
static const cudaGraphNode_t bad_node = (cudaGraphNode_t)other;
static const cudaMemPool_t bad_pool = (cudaMemPool_t)other;
static const void *const bad_function = other;

static void memory()
{
    void *p;
    size_t pitch, n;
    unsigned flags;
    cudaPitchedPtr box;
    cudaArray_t a, second;
    cudaMipmappedArray_t m;
    cudaPointerAttributes attributes;
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), none = {}, f4 = cudaCreateChannelDesc<float4>();
    void **const null = NULL;

    D(VALUE, cudaMalloc(null, 16));
    D(MEMORY, cudaMalloc(&p, HUGE_BYTES));
    D(MEMORY, cudaMalloc(&p, SIZE_MAX));
    D(VALUE, cudaMallocHost(null, 16));
    D(MEMORY, cudaMallocHost(&p, HUGE_BYTES));
    D(VALUE, cudaHostAlloc(null, 16, 0));
    D(VALUE, cudaHostAlloc(&p, 16, 64));
    D(MEMORY, cudaHostAlloc(&p, HUGE_BYTES, 0));
    D(VALUE, cudaMallocManaged(null, 16, cudaMemAttachGlobal));
    D(VALUE, cudaMallocManaged(&p, 16, cudaMemAttachSingle));
    D(MEMORY, cudaMallocManaged(&p, HUGE_BYTES, cudaMemAttachGlobal));
    D(VALUE, cudaMallocPitch(null, &pitch, 16, 2));
    D(VALUE, cudaMallocPitch(&p, NULL, 16, 2));
    D(MEMORY, cudaMallocPitch(&p, &pitch, (size_t)1 << 40, 1 << 20));
    D(MEMORY, cudaMallocPitch(&p, &pitch, SIZE_MAX, 1));
    D(MEMORY, cudaMallocPitch(&p, &pitch, (size_t)1 << 40, (size_t)1 << 40));
    D(VALUE, cudaMalloc3D(NULL, make_cudaExtent(16, 2, 2)));
    D(MEMORY, cudaMalloc3D(&box, make_cudaExtent((size_t)1 << 40, 1 << 10, 1 << 10)));
    D(MEMORY, cudaMalloc3D(&box, make_cudaExtent(SIZE_MAX, SIZE_MAX, SIZE_MAX)));
    D(VALUE, cudaMallocArray(NULL, &f, 8, 4));
    D(VALUE, cudaMallocArray(&a, NULL, 8, 4));
    D(VALUE, cudaMallocArray(&a, &f, 0, 4));
    D(VALUE, cudaMallocArray(&a, &f, 8, 4, 1u << 31));
    D(VALUE, cudaMallocArray(&a, &f, SIZE_MAX, SIZE_MAX));
    D(OK, cudaMallocArray(&a, &f4, 131072, 65536));
    D(MEMORY, cudaMallocArray(&second, &f4, 131072, 65536));
    D(OK, cudaFreeArray(a));
    B(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &none, 8, 4));
    D(VALUE, cudaMalloc3DArray(NULL, &f, make_cudaExtent(8, 4, 2)));
    D(VALUE, cudaMalloc3DArray(&a, NULL, make_cudaExtent(8, 4, 2)));
    D(VALUE, cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 4, 2), 1u << 31));
    D(VALUE, cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 4, 4096), cudaArrayLayered));
    D(MEMORY, cudaMalloc3DArray(&a, &f, make_cudaExtent(16384, 16384, 16384)));
    D(VALUE, cudaMallocMipmappedArray(NULL, &f, make_cudaExtent(8, 4, 0), 2));
    D(VALUE, cudaMallocMipmappedArray(&m, NULL, make_cudaExtent(8, 4, 0), 2));
    D(VALUE, cudaMallocMipmappedArray(&m, &f, make_cudaExtent(0, 4, 0), 2));
    D(VALUE, cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 4, 0), 2, 1u << 31));
    D(VALUE, cudaMallocMipmappedArray(&m, &f, make_cudaExtent(SIZE_MAX, 4, 0), 2));
    D(MEMORY, cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16384, 16384, 16384), 2));

    D(VALUE, cudaFree(host));
    D(VALUE, cudaFree(dev + 16));
    D(VALUE, cudaFreeHost(dev));
    D(VALUE, cudaFreeHost(host));
    E(HANDLE, cudaFreeArray(bad_array));
    E(HANDLE, cudaFreeMipmappedArray(bad_mipmap));
    D(OK, cudaFreeMipmappedArray(NULL));

    D(VALUE, cudaHostRegister(NULL, 16, 0));
    D(VALUE, cudaHostRegister(host, 0, 0));
    D(VALUE, cudaHostRegister(host, 16, 1u << 20));
    D(VALUE, cudaHostRegister(host, SIZE_MAX, 0));
    D(VALUE, cudaHostRegister((void *)4096, 16, 0)); /* nothing is mapped there */
    D(OK, cudaHostRegister(host, N, 0));
    D(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(host + 8, 16, 0));
    D(VALUE, cudaHostGetDevicePointer(null, host, 0));
    D(VALUE, cudaHostGetDevicePointer(&p, host, 1));
    D(VALUE, cudaHostGetDevicePointer(&p, dev, 0));
    D(VALUE, cudaHostGetFlags(NULL, host));
    D(VALUE, cudaHostGetFlags(&flags, dev));
    D(VALUE, cudaHostGetFlags(&flags, NULL));
    D(VALUE, cudaHostUnregister(NULL));
    D(OK, cudaHostUnregister(host));
    D(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
    D(VALUE, cudaMemGetInfo(NULL, &n));
    D(VALUE, cudaMemGetInfo(&n, NULL));
    D(VALUE, cudaPointerGetAttributes(NULL, dev));
    D(OK, cudaPointerGetAttributes(&attributes, NULL));
}

static void managed()
{
    int *m;
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, elsewhere = {cudaMemLocationTypeDevice, 7},
                          invalid = {(cudaMemLocationType)99, 0}, cpu = {cudaMemLocationTypeHost, 0};
    cudaMallocManaged(&m, N, cudaMemAttachGlobal);
    D(OK, cudaMemAdvise(m, N, cudaMemAdviseSetReadMostly, here));
    D(OK, cudaMemAdvise(m, N, cudaMemAdviseSetPreferredLocation, cpu));
    D(VALUE, cudaMemAdvise(m, N, (cudaMemoryAdvise)77, here));
    D(VALUE, cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, here));
    D(VALUE, cudaMemAdvise(m, N + 1, cudaMemAdviseSetReadMostly, here));
    D(VALUE, cudaMemAdvise(dev, N, cudaMemAdviseSetReadMostly, here));
    D(VALUE, cudaMemAdvise(m, N, cudaMemAdviseSetPreferredLocation, invalid));
    D(DEVICE, cudaMemAdvise(m, N, cudaMemAdviseSetAccessedBy, elsewhere));
    D(OK, cudaMemPrefetchAsync(m, N, here, 0, 0));
    D(OK, cudaMemPrefetchAsync(m, N, cpu, 0, 0));
    D(VALUE, cudaMemPrefetchAsync(m, 0, here, 0, 0));
    D(VALUE, cudaMemPrefetchAsync(dev, N, here, 0, 0));
    D(VALUE, cudaMemPrefetchAsync(m, N, here, 1, 0));
    D(VALUE, cudaMemPrefetchAsync(m, N, invalid, 0, 0));
    D(DEVICE, cudaMemPrefetchAsync(m, N, elsewhere, 0, 0));
    E(HANDLE, cudaMemPrefetchAsync(m, N, here, 0, bad_stream));
    D(VALUE, cudaStreamAttachMemAsync(0, dev, 0, cudaMemAttachGlobal));
    D(VALUE, cudaStreamAttachMemAsync(0, m, 0, 9));
    D(HANDLE, cudaStreamAttachMemAsync(bad_stream, m, 0, cudaMemAttachGlobal));
    D(OK, cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachGlobal));
    cudaFree(m);
}

static void copies()
{
    cudaMemcpy3DParms p = {}, q;
    cudaMemcpy3DPeerParms peer = {};
    void *to[2] = {dev, dev + 64};
    const void *from[2] = {host, host + 64};
    size_t bytes[2] = {16, 16};
    cudaMemcpyAttributes attributes = {};
    size_t first = 0;
    const cudaPitchedPtr box = make_cudaPitchedPtr(dev, 32, 32, 4);

    D(VALUE, cudaMemcpy(NULL, host, 16, H2D));
    D(VALUE, cudaMemcpy(dev, host, N + 1, H2D));
    D(DIRECTION, cudaMemcpy(dev, host, 16, NOWHERE));
    D(VALUE, cudaMemcpyAsync(dev, NULL, 16, H2D, 0));
    D(VALUE, cudaMemcpyAsync(dev, host, SIZE_MAX, H2D, 0));
    D(DIRECTION, cudaMemcpyAsync(dev, host, 16, NOWHERE, 0));
    E(HANDLE, cudaMemcpyAsync(dev, host, 16, H2D, bad_stream));
    D(DEVICE, cudaMemcpyPeer(dev, 1, dev, 0, 16));
    D(VALUE, cudaMemcpyPeer(NULL, 0, dev, 0, 16));
    D(DEVICE, cudaMemcpyPeerAsync(dev, 0, dev, -1, 16, 0));
    D(VALUE, cudaMemcpyPeerAsync(dev, 0, NULL, 0, 16, 0));

    D(VALUE, cudaMemcpy2D(NULL, 32, host, 32, 32, 4, H2D));
    D(VALUE, cudaMemcpy2D(dev, 32, host, 32, 32, 1 << 20, H2D));
    D(PITCH, cudaMemcpy2D(dev, 16, host, 32, 32, 4, H2D));
    D(DIRECTION, cudaMemcpy2D(dev, 32, host, 32, 32, 4, NOWHERE));
    D(VALUE, cudaMemcpy2D(dev, (size_t)1 << 62, host, 64, 8, 5, H2D));
    D(VALUE, cudaMemcpy2DAsync(dev, 32, NULL, 32, 32, 4, H2D, 0));
    D(PITCH, cudaMemcpy2DAsync(dev, 32, host, 16, 32, 4, H2D, 0));
    D(DIRECTION, cudaMemcpy2DAsync(dev, 32, host, 32, 32, 4, NOWHERE, 0));
    E(HANDLE, cudaMemcpy2DAsync(dev, 32, host, 32, 32, 4, H2D, bad_stream));

    p.srcPtr = make_cudaPitchedPtr(host, 32, 32, 4);
    p.dstPtr = box;
    p.extent = make_cudaExtent(32, 4, 2);
    p.kind = H2D;
    D(OK, cudaMemcpy3D(&p));
    D(VALUE, cudaMemcpy3D(NULL));
    D(VALUE, (q = p, q.extent.depth = 1 << 20, cudaMemcpy3D(&q)));
    D(VALUE, (q = p, q.dstPtr.ysize = (size_t)1 << 58, cudaMemcpy3D(&q)));
    D(PITCH, (q = p, q.dstPtr.pitch = 16, cudaMemcpy3D(&q)));
    D(DIRECTION, (q = p, q.kind = NOWHERE, cudaMemcpy3D(&q)));
    E(HANDLE, (q = p, q.dstPtr.ptr = NULL, q.dstArray = bad_array, cudaMemcpy3D(&q)));
    D(VALUE, cudaMemcpy3DAsync(NULL, 0));
    D(PITCH, (q = p, q.srcPtr.pitch = 16, cudaMemcpy3DAsync(&q, 0)));
    D(DIRECTION, (q = p, q.kind = NOWHERE, cudaMemcpy3DAsync(&q, 0)));
    E(HANDLE, cudaMemcpy3DAsync(&p, bad_stream));
    peer.srcPtr = peer.dstPtr = box;
    peer.extent = make_cudaExtent(32, 4, 2);
    D(VALUE, cudaMemcpy3DPeer(NULL));
    D(DEVICE, (peer.srcDevice = 1, cudaMemcpy3DPeer(&peer)));
    D(PITCH, (peer.srcDevice = 0, peer.srcPtr.pitch = 16, cudaMemcpy3DPeer(&peer)));
    D(VALUE, cudaMemcpy3DPeerAsync(NULL, 0));
    D(PITCH, cudaMemcpy3DPeerAsync(&peer, 0));
    D(DEVICE, (peer.dstDevice = 1, cudaMemcpy3DPeerAsync(&peer, 0)));

    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    D(OK, cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync((void **)NULL, from, bytes, 2, &attributes, &first, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync(to, (const void **)NULL, bytes, 2, &attributes, &first, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync(to, from, (size_t *)NULL, 2, &attributes, &first, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync(to, from, bytes, 0, &attributes, &first, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync(to, from, bytes, 2, (cudaMemcpyAttributes *)NULL, &first, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, (size_t *)NULL, 1, cudaStreamPerThread));
    D(VALUE, cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 3, cudaStreamPerThread));
    D(VALUE, (first = 1, cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, cudaStreamPerThread)));
    E(HANDLE, (first = 0, cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, bad_stream)));

    D(VALUE, cudaMemset(NULL, 0, 16));
    D(VALUE, cudaMemset(dev, 0, N + 1));
    D(VALUE, cudaMemset(dev, 0, SIZE_MAX));
    D(VALUE, cudaMemsetAsync(host, 0, 16, 0));
    E(HANDLE, cudaMemsetAsync(dev, 0, 16, bad_stream));
    D(VALUE, cudaMemset2D(dev, 16, 0, 32, 2));
    D(VALUE, cudaMemset2D(dev, (size_t)1 << 62, 0, 8, 5));
    D(VALUE, cudaMemset2DAsync(NULL, 32, 0, 16, 2, 0));
    E(HANDLE, cudaMemset2DAsync(dev, 32, 0, 16, 2, bad_stream));
    D(VALUE, cudaMemset3D(make_cudaPitchedPtr(NULL, 32, 32, 4), 0, make_cudaExtent(32, 4, 2)));
    D(VALUE, cudaMemset3D(make_cudaPitchedPtr(dev, 32, 32, (size_t)1 << 58), 0, make_cudaExtent(32, 4, 2)));
    D(VALUE, cudaMemset3DAsync(box, 0, make_cudaExtent(32, 4, 1 << 20), 0));
    E(HANDLE, cudaMemset3DAsync(box, 0, make_cudaExtent(32, 4, 2), bad_stream));

    D(VALUE, cudaMemcpyToSymbol(var, host, 16, 4));
    D(VALUE, cudaMemcpyToSymbol(var, host, 16, SIZE_MAX));
    D(SYMBOL, cudaMemcpyToSymbol(not_a_symbol, host, 4));
    D(DIRECTION, cudaMemcpyToSymbol(var, host, 16, 0, D2H));
    D(VALUE, cudaMemcpyToSymbolAsync(var, NULL, 16, 0, H2D, 0));
    D(SYMBOL, cudaMemcpyToSymbolAsync(not_a_symbol, host, 4, 0, H2D, 0));
    D(DIRECTION, cudaMemcpyToSymbolAsync(constant, host, 16, 0, NOWHERE, 0));
    E(HANDLE, cudaMemcpyToSymbolAsync(var, host, 16, 0, H2D, bad_stream));
    D(VALUE, cudaMemcpyFromSymbol(host, var, 20));
    D(SYMBOL, cudaMemcpyFromSymbol(host, not_a_symbol, 4));
    D(DIRECTION, cudaMemcpyFromSymbol(host, var, 16, 0, H2D));
    D(VALUE, cudaMemcpyFromSymbolAsync(NULL, var, 16, 0, D2H, 0));
    D(SYMBOL, cudaMemcpyFromSymbolAsync(host, not_a_symbol, 4, 0, D2H, 0));
    D(DIRECTION, cudaMemcpyFromSymbolAsync(host, constant, 16, 0, NOWHERE, 0));
    E(HANDLE, cudaMemcpyFromSymbolAsync(host, var, 16, 0, D2H, bad_stream));
    void *address;
    size_t n;
    D(SYMBOL, cudaGetSymbolAddress(&address, not_a_symbol));
    D(SYMBOL, cudaGetSymbolSize(&n, not_a_symbol));
    E(VALUE, cudaGetSymbolAddress((void **)NULL, var));
    E(VALUE, cudaGetSymbolSize(NULL, var));
}

static void arrays()
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaChannelFormatDesc desc;
    cudaExtent extent;
    unsigned flags;
    cudaArray_t a, level;
    cudaMipmappedArray_t m;
    cudaArraySparseProperties sparse;
    cudaArrayMemoryRequirements needs;
    cudaMallocArray(&a, &f, 8, 4);
    cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 4, 0), 2);

    E(HANDLE, cudaArrayGetInfo(&desc, &extent, &flags, bad_array));
    D(OK, cudaArrayGetInfo(NULL, NULL, NULL, a));
    D(VALUE, cudaGetChannelDesc(NULL, a));
    E(HANDLE, cudaGetChannelDesc(&desc, bad_array));
    D(VALUE, cudaArrayGetSparseProperties(&sparse, a));
    D(VALUE, cudaMipmappedArrayGetSparseProperties(&sparse, m));
    D(VALUE, cudaArrayGetMemoryRequirements(NULL, a, 0));
    E(DEVICE, cudaArrayGetMemoryRequirements(&needs, a, 3));
    E(HANDLE, cudaArrayGetMemoryRequirements(&needs, bad_array, 0));
    D(VALUE, cudaMipmappedArrayGetMemoryRequirements(NULL, m, 0));
    E(HANDLE, cudaMipmappedArrayGetMemoryRequirements(&needs, bad_mipmap, 0));
    D(VALUE, cudaGetMipmappedArrayLevel(NULL, m, 0));
    D(VALUE, cudaGetMipmappedArrayLevel(&level, m, 2));
    D(HANDLE, cudaGetMipmappedArrayLevel(&level, bad_mipmap, 0));
    cudaGetMipmappedArrayLevel(&level, m, 0);
    E(HANDLE, cudaFreeArray(level)); /* its mipmapped array owns it */

    D(VALUE, cudaMemcpy2DToArray(a, 8, 0, host, 32, 32, 4, H2D));
    D(VALUE, cudaMemcpy2DToArray(a, 1, 0, host, 32, 8, 4, H2D));
    D(PITCH, cudaMemcpy2DToArray(a, 0, 0, host, 16, 32, 4, H2D));
    D(DIRECTION, cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 4, NOWHERE));
    E(HANDLE, cudaMemcpy2DToArray(bad_array, 0, 0, host, 32, 32, 4, H2D));
    D(VALUE, cudaMemcpy2DToArrayAsync(a, 0, 3, host, 32, 32, 4, H2D, 0));
    D(PITCH, cudaMemcpy2DToArrayAsync(a, 0, 0, host, 16, 32, 4, H2D, 0));
    D(DIRECTION, cudaMemcpy2DToArrayAsync(a, 0, 0, host, 32, 32, 4, NOWHERE, 0));
    D(VALUE, cudaMemcpy2DFromArray(host, 32, a, SIZE_MAX & ~(size_t)3, 0, 32, 4, D2H));
    D(PITCH, cudaMemcpy2DFromArray(host, 16, a, 0, 0, 32, 4, D2H));
    D(DIRECTION, cudaMemcpy2DFromArray(host, 32, a, 0, 0, 32, 4, NOWHERE));
    D(VALUE, cudaMemcpy2DFromArrayAsync(NULL, 32, a, 0, 0, 32, 4, D2H, 0));
    D(PITCH, cudaMemcpy2DFromArrayAsync(host, 16, a, 0, 0, 32, 4, D2H, 0));
    D(DIRECTION, cudaMemcpy2DFromArrayAsync(host, 32, a, 0, 0, 32, 4, NOWHERE, 0));
    E(HANDLE, cudaMemcpy2DFromArrayAsync(host, 32, bad_array, 0, 0, 32, 4, D2H, 0));
    D(VALUE, cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 0, 64, 4));
    D(DIRECTION, cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 0, 32, 4, NOWHERE));
    E(HANDLE, cudaMemcpy2DArrayToArray(a, 0, 0, bad_array, 0, 0, 32, 4));
    D(VALUE, cudaMemcpyToArray(a, 0, 0, host, 129, H2D));
    D(DIRECTION, cudaMemcpyToArray(a, 0, 0, host, 32, NOWHERE));
    D(VALUE, cudaMemcpyToArrayAsync(a, 0, 0, NULL, 32, H2D, 0));
    D(DIRECTION, cudaMemcpyToArrayAsync(a, 0, 0, host, 32, NOWHERE, 0));
    D(VALUE, cudaMemcpyFromArray(host, a, 0, 4, 32, D2H));
    D(DIRECTION, cudaMemcpyFromArray(host, a, 0, 0, 32, NOWHERE));
    D(VALUE, cudaMemcpyFromArrayAsync(host, a, 0, 0, SIZE_MAX, D2H, 0));
    D(DIRECTION, cudaMemcpyFromArrayAsync(host, a, 0, 0, 32, NOWHERE, 0));
    E(HANDLE, cudaMemcpyFromArrayAsync(host, bad_array, 0, 0, 32, D2H, 0));
    D(VALUE, cudaMemcpyArrayToArray(a, 0, 0, a, 0, 0, SIZE_MAX));
    D(DIRECTION, cudaMemcpyArrayToArray(a, 0, 0, a, 0, 0, 32, NOWHERE));
    E(HANDLE, cudaMemcpyArrayToArray(bad_array, 0, 0, a, 0, 0, 32));

    cudaResourceDesc res = {}, got;
    cudaTextureDesc td = {}, td_got;
    cudaResourceViewDesc view = {};
    cudaTextureObject_t tex;
    cudaSurfaceObject_t surf;
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    D(VALUE, cudaCreateTextureObject(NULL, &res, &td, NULL));
    D(VALUE, cudaCreateTextureObject(&tex, NULL, &td, NULL));
    D(VALUE, (td.addressMode[0] = (cudaTextureAddressMode)77, cudaCreateTextureObject(&tex, &res, &td, NULL)));
    td.addressMode[0] = cudaAddressModeWrap;
    D(VALUE, (res.resType = (cudaResourceType)9, cudaCreateTextureObject(&tex, &res, &td, NULL)));
    D(VALUE, cudaCreateSurfaceObject(&surf, &res));
    res.resType = cudaResourceTypeArray;
    D(VALUE, (view.lastMipmapLevel = 3, cudaCreateTextureObject(&tex, &res, &td, &view)));
    D(OK, cudaCreateTextureObject(&tex, &res, &td, NULL));
    D(VALUE, cudaGetTextureObjectResourceDesc(NULL, tex));
    D(VALUE, cudaGetTextureObjectResourceDesc(&got, 12345));
    D(VALUE, cudaGetTextureObjectTextureDesc(NULL, tex));
    D(VALUE, cudaGetTextureObjectTextureDesc(&td_got, 12345));
    D(VALUE, cudaGetTextureObjectResourceViewDesc(&view, tex)); /* it was made without one */
    D(VALUE, cudaDestroyTextureObject(12345));
    D(VALUE, cudaCreateSurfaceObject(NULL, &res));
    D(VALUE, cudaCreateSurfaceObject(&surf, NULL));
    D(OK, cudaCreateSurfaceObject(&surf, &res));
    D(VALUE, cudaGetSurfaceObjectResourceDesc(NULL, surf));
    D(VALUE, cudaGetSurfaceObjectResourceDesc(&got, 12345));
    D(VALUE, cudaDestroySurfaceObject(12345));
    D(HANDLE, (res.res.array.array = bad_array, cudaCreateSurfaceObject(&surf, &res)));
    D(OK, cudaDestroySurfaceObject(surf));
    D(OK, cudaDestroyTextureObject(tex));
    cudaFreeMipmappedArray(m);
    cudaFreeArray(a);
}

static void functions()
{
    cudaFuncAttributes a;
    const char *name;
    size_t offset, bytes;
    int n;
    cudaKernel_t kernel;
    cudaFunction_t function;
    int *p = (int *)dev, v = 1;
    void *args[] = {&p, &v}, *none[] = {NULL, NULL};
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = config.blockDim = dim3(1);

    D(FUNCTION, cudaLaunchKernel(NULL, dim3(1), dim3(1), args, 0, 0));
    D(FUNCTION, cudaLaunchKernel(bad_function, dim3(1), dim3(1), args, 0, 0));
    E(VALUE, cudaLaunchKernel((const void *)store, dim3(1), dim3(1), none, 0, 0));
    E(VALUE, cudaLaunchKernel((const void *)store, dim3(1), dim3(1), NULL, 0, 0));
    B(VALUE, cudaLaunchKernel((const void *)store, dim3(1u << 31), dim3(1), args, 0, 0));
    B(VALUE, cudaLaunchKernel((const void *)store, dim3(1, 1, 1 << 16), dim3(1), args, 0, 0));
    B(VALUE, cudaLaunchKernel((const void *)store, dim3(1), dim3(1u << 31, 2, 1), args, 0, 0));
    B(VALUE, cudaLaunchKernel((const void *)store, dim3(1), dim3(1), args, SIZE_MAX, 0));
    E(HANDLE, cudaLaunchKernel((const void *)store, dim3(1), dim3(1), args, 0, bad_stream));
    D(FUNCTION, cudaLaunchCooperativeKernel(bad_function, dim3(1), dim3(1), args, 0, 0));
    E(HANDLE, cudaLaunchCooperativeKernel((const void *)store, dim3(1), dim3(1), args, 0, bad_stream));
    D(FUNCTION, cudaLaunchKernelExC(&config, bad_function, args));
    E(VALUE, cudaLaunchKernelExC(NULL, (const void *)store, args));
    E(VALUE, (config.numAttrs = 1, cudaLaunchKernelExC(&config, (const void *)store, args)));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    E(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&config, (const void *)store, args)); /* 1 % 2 */
    D(cudaErrorInvalidClusterSize,
      (attribute.val.clusterDim.x = 64, cudaOccupancyMaxActiveClusters(&n, (const void *)nothing, &config)));
    D(VALUE, cudaOccupancyMaxActiveClusters(NULL, (const void *)nothing, &config));
    D(VALUE, cudaOccupancyMaxActiveClusters(&n, (const void *)nothing, (cudaLaunchConfig_t *)NULL));
    D(FUNCTION, cudaOccupancyMaxActiveClusters(&n, bad_function, &config));
    D(VALUE, cudaOccupancyMaxPotentialClusterSize(NULL, (const void *)nothing, &config));
    D(FUNCTION, cudaOccupancyMaxPotentialClusterSize(&n, bad_function, &config));

    D(FUNCTION, cudaFuncGetAttributes(&a, bad_function));
    E(VALUE, cudaFuncGetAttributes(NULL, (const void *)nothing));
    D(FUNCTION, cudaFuncSetAttribute(bad_function, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
    D(VALUE, cudaFuncSetAttribute((const void *)nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
    D(VALUE, cudaFuncSetAttribute((const void *)nothing, cudaFuncAttributeMax, 0));
    D(FUNCTION, cudaFuncSetCacheConfig(bad_function, cudaFuncCachePreferL1));
    E(VALUE, cudaFuncSetCacheConfig((const void *)nothing, (cudaFuncCache)9));
    D(FUNCTION, cudaFuncSetSharedMemConfig(bad_function, cudaSharedMemBankSizeDefault));
    D(VALUE, cudaFuncSetSharedMemConfig((const void *)nothing, (cudaSharedMemConfig)9));
    D(VALUE, cudaFuncGetName(NULL, (const void *)nothing));
    D(FUNCTION, cudaFuncGetName(&name, bad_function));
    E(VALUE, cudaFuncGetParamInfo((const void *)store, 2, &offset, &bytes));
    E(FUNCTION, cudaFuncGetParamInfo(bad_function, 0, &offset, &bytes));
    E(VALUE, cudaGetKernel(NULL, (const void *)nothing));
    E(FUNCTION, cudaGetKernel(&kernel, bad_function));
    E(FUNCTION, cudaGetFuncBySymbol(&function, bad_function));
    cudaGetKernel(&kernel, (const void *)nothing);
    D(VALUE, cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMax, 0, 0));
    D(FUNCTION,
      cudaKernelSetAttributeForDevice((cudaKernel_t)other, cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 0));
    E(DEVICE, cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 3));

    D(VALUE, cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, (const void *)nothing, 32, 0));
    D(VALUE, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)nothing, -1, 0));
    D(FUNCTION, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bad_function, 32, 0));
    D(VALUE, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, (const void *)nothing, 32, 0, 99));
    D(FUNCTION, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, bad_function, 32, 0, 0));
    D(VALUE, cudaOccupancyAvailableDynamicSMemPerBlock(NULL, (const void *)nothing, 1, 32));
    D(VALUE, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)nothing, 0, 32));
    D(VALUE, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)nothing, 1, 0));
    D(FUNCTION, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, bad_function, 1, 32));
}

static void libraries()
{
    cudaLibrary_t lib = NULL, no = NULL;
    cudaKernel_t kernel;
    void *p;
    size_t n;
    static const char good[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .u32 word;\n"
        ".visible .entry k()\n{\n ret;\n}\n";
#define NO_OPTIONS NULL, NULL, 0, NULL, NULL, 0
    D(VALUE, cudaLibraryLoadData(NULL, good, NO_OPTIONS));
    D(VALUE, cudaLibraryLoadData(&no, NULL, NO_OPTIONS));
    D(VALUE, cudaLibraryLoadData(&no, good, NULL, NULL, 3, NULL, NULL, 0));
    D(VALUE, cudaLibraryLoadData(&no, good, NULL, NULL, 0, NULL, NULL, 3));
    D(cudaErrorInvalidPtx,
      cudaLibraryLoadData(&no, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  ]];\n}\n",
                          NO_OPTIONS));
    D(cudaErrorNoKernelImageForDevice,
      cudaLibraryLoadData(&no, ".version 8.0\n.target sm_999\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n",
                          NO_OPTIONS));
    D(VALUE, cudaLibraryLoadFromFile(NULL, "nowhere.ptx", NO_OPTIONS));
    D(VALUE, cudaLibraryLoadFromFile(&no, NULL, NO_OPTIONS));
    E(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&no, "/nowhere/nowhere.ptx", NO_OPTIONS));
    D(OK, cudaLibraryLoadData(&lib, good, NO_OPTIONS));
    D(VALUE, cudaLibraryGetKernel(NULL, lib, "k"));
    D(VALUE, cudaLibraryGetKernel(&kernel, lib, NULL));
    D(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, lib, "l"));
    D(HANDLE, cudaLibraryGetKernel(&kernel, (cudaLibrary_t)other, "k"));
    D(VALUE, cudaLibraryGetGlobal(NULL, NULL, lib, "word"));
    D(VALUE, cudaLibraryGetGlobal(&p, &n, lib, NULL));
    D(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&p, &n, lib, "k"));
    D(HANDLE, cudaLibraryGetGlobal(&p, &n, (cudaLibrary_t)other, "word"));
    D(VALUE, cudaLibraryGetManaged(&p, &n, lib, NULL));
    D(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&p, &n, lib, "word")); /* it is not managed */
    D(HANDLE, cudaLibraryGetManaged(&p, &n, (cudaLibrary_t)other, "word"));
    D(OK, cudaLibraryUnload(lib));
    D(VALUE, cudaLibraryUnload(lib));
    D(VALUE, cudaLibraryUnload(NULL));
}

static void CUDART_CB call(void *) {}
static void CUDART_CB call_back(cudaStream_t, cudaError_t, void *) {}

static void streams()
{
    cudaStream_t s = NULL, t = NULL, gone;
    cudaEvent_t ev, timed, untimed, gone_event;
    int n;
    unsigned flags;
    unsigned long long id;
    float ms;
    cudaStreamAttrValue value = {};

    D(VALUE, cudaStreamCreate(NULL));
    D(VALUE, cudaStreamCreateWithFlags(NULL, 0));
    D(VALUE, cudaStreamCreateWithFlags(&s, 2));
    D(VALUE, cudaStreamCreateWithPriority(NULL, 0, 0));
    D(VALUE, cudaStreamCreateWithPriority(&s, 2, 0));
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreate(&gone);
    D(OK, cudaStreamDestroy(gone));
    D(HANDLE, cudaStreamDestroy(gone));
    D(HANDLE, cudaStreamDestroy(cudaStreamPerThread));
    D(HANDLE, cudaStreamSynchronize(gone));
    D(HANDLE, cudaStreamQuery(gone));
    D(VALUE, cudaStreamGetPriority(s, NULL));
    D(HANDLE, cudaStreamGetPriority(gone, &n));
    D(VALUE, cudaStreamGetFlags(s, NULL));
    D(HANDLE, cudaStreamGetFlags(gone, &flags));
    D(VALUE, cudaStreamGetId(s, NULL));
    D(HANDLE, cudaStreamGetId(gone, &id));
    D(VALUE, cudaStreamGetDevice(s, NULL));
    E(HANDLE, cudaStreamGetDevice(gone, &n));
    D(VALUE, cudaStreamGetAttribute(s, cudaLaunchAttributePriority, NULL));
    D(VALUE, cudaStreamGetAttribute(s, (cudaLaunchAttributeID)999, &value));
    D(HANDLE, cudaStreamGetAttribute(gone, cudaLaunchAttributePriority, &value));
    D(VALUE, cudaStreamSetAttribute(s, cudaLaunchAttributePriority, NULL));
    D(VALUE, cudaStreamSetAttribute(s, (cudaLaunchAttributeID)999, &value));
    D(HANDLE, cudaStreamSetAttribute(gone, cudaLaunchAttributePriority, &value));
    E(HANDLE, cudaStreamCopyAttributes(gone, s));
    E(HANDLE, cudaStreamCopyAttributes(s, gone));
    D(VALUE, cudaLaunchHostFunc(s, NULL, NULL));
    D(HANDLE, cudaLaunchHostFunc(gone, call, NULL));
    D(VALUE, cudaStreamAddCallback(s, NULL, NULL, 0));
    D(VALUE, cudaStreamAddCallback(s, call_back, NULL, 1));
    D(HANDLE, cudaStreamAddCallback(gone, call_back, NULL, 0));
    D(OK, cudaDeviceGetStreamPriorityRange(NULL, NULL));

    D(VALUE, cudaEventCreate(NULL));
    D(VALUE, cudaEventCreateWithFlags(NULL, 0));
    D(VALUE, cudaEventCreateWithFlags(&ev, 1u << 20));
    cudaEventCreate(&ev);
    cudaEventCreate(&timed);
    cudaEventCreate(&gone_event);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    D(OK, cudaEventDestroy(gone_event));
    D(HANDLE, cudaEventDestroy(gone_event));
    D(HANDLE, cudaEventRecord(gone_event, s));
    D(HANDLE, cudaEventRecord(ev, gone));
    D(VALUE, cudaEventRecordWithFlags(ev, s, 99));
    D(HANDLE, cudaEventRecordWithFlags(gone_event, s, 0));
    D(HANDLE, cudaEventSynchronize(gone_event));
    D(HANDLE, cudaEventQuery(gone_event));
    D(VALUE, cudaStreamWaitEvent(s, ev, 99));
    D(HANDLE, cudaStreamWaitEvent(s, gone_event, 0));
    D(HANDLE, cudaStreamWaitEvent(gone, ev, 0));
    D(HANDLE, cudaEventElapsedTime(&ms, ev, timed)); /* neither was recorded */
    cudaEventRecord(ev, s);
    cudaEventRecord(untimed, s);
    D(VALUE, cudaEventElapsedTime(NULL, ev, ev));
    D(HANDLE, cudaEventElapsedTime(&ms, ev, untimed));
    D(HANDLE, cudaEventElapsedTime(&ms, ev, gone_event));
    cudaStreamDestroy(t);
    cudaStreamDestroy(s);
}

static void *end_elsewhere(void *stream)
{
    cudaGraph_t g;
    D(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture((cudaStream_t)stream, &g));
    return NULL;
}

static void captures()
{
    cudaStream_t s, t, apart;
    cudaGraph_t g = NULL;
    cudaStreamCaptureStatus status;
    cudaStreamCaptureMode mode = (cudaStreamCaptureMode)7;
    pthread_t thread;
    cudaEvent_t ev;
    cudaEventCreate(&ev);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    const cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;

    D(VALUE, cudaThreadExchangeStreamCaptureMode(NULL));
    D(VALUE, cudaThreadExchangeStreamCaptureMode(&mode));
    D(VALUE, cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    E(HANDLE, cudaStreamBeginCapture(bad_stream, relaxed));
    D(VALUE, cudaStreamBeginCaptureToGraph(s, bad_graph, NULL, NULL, 0, relaxed));
    cudaGraphCreate(&g, 0);
    D(VALUE, cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, relaxed));
    D(VALUE, cudaStreamBeginCaptureToGraph(s, g, &bad_node, NULL, 1, relaxed));
    D(VALUE, cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, (cudaStreamCaptureMode)9));
    cudaGraphDestroy(g);
    D(VALUE, cudaStreamIsCapturing(s, NULL));
    E(HANDLE, cudaStreamIsCapturing(bad_stream, &status));
    D(VALUE, cudaStreamGetCaptureInfo(s, NULL));
    E(HANDLE, cudaStreamGetCaptureInfo(bad_stream, &status));
    D(VALUE, cudaStreamEndCapture(s, NULL));
    E(HANDLE, cudaStreamEndCapture(bad_stream, &g));
    D(cudaErrorIllegalState, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0));
    E(HANDLE, cudaStreamUpdateCaptureDependencies(bad_stream, NULL, NULL, 0, 0));

    D(OK, cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    D(VALUE, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 99));
    D(VALUE, cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 1, 0));
    D(VALUE, cudaStreamUpdateCaptureDependencies(s, (cudaGraphNode_t *)&bad_node, NULL, 1, 0));
    D(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(0, &status)); /* s would make it wait */
    D(cudaErrorStreamCaptureImplicit, cudaStreamGetCaptureInfo(0, &status));
    pthread_create(&thread, NULL, end_elsewhere, s);
    pthread_join(thread, NULL);
    D(OK, cudaStreamEndCapture(s, &g));
    cudaGraphDestroy(g);

    D(OK, cudaStreamBeginCapture(apart, relaxed));
    D(OK, cudaStreamIsCapturing(0, &status)); /* it does not wait for this one */
    D(OK, cudaStreamBeginCapture(s, relaxed));
    cudaEventRecord(ev, s);
    E(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(apart, ev, 0));
    E(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    D(VALUE, cudaStreamEndCapture(s, NULL));
    cudaStreamEndCapture(s, &g);
    cudaStreamEndCapture(apart, &g);
    cudaStreamDestroy(apart);
    cudaStreamDestroy(t);
    cudaStreamDestroy(s);
}

static void devices()
{
    int n;
    size_t bytes;
    unsigned flags;
    char id[32];
    void *f;
    int list[2] = {0, 7};
    cudaDeviceProp prop;
    cudaFuncCache cache;
    cudaSharedMemConfig banks;
    cudaDriverEntryPointQueryResult found;
    cudaMemPool_t pool;
    const cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>(), none = {};

    E(VALUE, cudaGetDeviceCount(NULL));
    D(VALUE, cudaGetDevice(NULL));
    D(DEVICE, cudaSetDevice(1));
    D(DEVICE, cudaInitDevice(1, 0, 0));
    D(VALUE, cudaSetValidDevices(NULL, 1));
    D(DEVICE, cudaSetValidDevices(list + 1, 1));
    D(VALUE, cudaSetValidDevices(list, -1));
    D(VALUE, cudaSetValidDevices(list, 2)); /* more than there are */
    D(OK, cudaSetValidDevices(list, 1));
    E(VALUE, cudaGetDeviceProperties(NULL, 0));
    D(DEVICE, cudaGetDeviceProperties(&prop, 1));
    D(VALUE, cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    D(VALUE, cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
    D(DEVICE, cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1));
    D(VALUE, cudaChooseDevice(NULL, &prop));
    D(VALUE, cudaChooseDevice(&n, NULL));
    D(VALUE, cudaDeviceGetPCIBusId(NULL, 32, 0));
    D(VALUE, cudaDeviceGetPCIBusId(id, 4, 0));
    D(DEVICE, cudaDeviceGetPCIBusId(id, 32, 1));
    D(VALUE, cudaDeviceGetByPCIBusId(NULL, "0000:01:00.0"));
    D(VALUE, cudaDeviceGetByPCIBusId(&n, NULL));
    D(VALUE, cudaDeviceGetByPCIBusId(&n, "nonsense"));
    D(DEVICE, cudaDeviceGetByPCIBusId(&n, "0000:77:00.0"));
    D(OK, cudaDeviceGetByPCIBusId(&n, "0000:01:00.0"));
    D(DEVICE, cudaDeviceCanAccessPeer(&n, 0, 1));
    E(VALUE, cudaDeviceCanAccessPeer(NULL, 0, 0));
    D(DEVICE, cudaDeviceEnablePeerAccess(1, 0));
    D(VALUE, cudaDeviceEnablePeerAccess(0, 1));
    D(DEVICE, cudaDeviceDisablePeerAccess(1));
    D(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    D(VALUE, cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1));
    D(VALUE, cudaDeviceGetP2PAttribute(&n, (cudaDeviceP2PAttr)99, 0, 1));
    D(DEVICE, cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 1));
    D(DEVICE, cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0)); /* one device twice */
    D(VALUE, cudaDriverGetVersion(NULL));
    D(VALUE, cudaRuntimeGetVersion(NULL));
    D(VALUE, cudaGetDriverEntryPoint(NULL, &f, cudaEnableDefault, &found));
    D(VALUE, cudaGetDriverEntryPoint("cuInit", (void **)NULL, cudaEnableDefault, &found));
    D(VALUE, cudaGetDriverEntryPoint("cuInit", &f, 99, &found));
    D(VALUE, cudaGetDriverEntryPointByVersion(NULL, &f, 13000, cudaEnableDefault, &found));
    D(VALUE, cudaGetDriverEntryPointByVersion("cuInit", (void **)NULL, 13000, cudaEnableDefault, &found));
    D(VALUE, cudaGetDriverEntryPointByVersion("cuInit", &f, 13000, 99, &found));
    D(VALUE, cudaSetDeviceFlags(1u << 20));
    E(VALUE, cudaGetDeviceFlags(NULL));
    D(OK, cudaGetDeviceFlags(&flags));
    E(VALUE, cudaDeviceSetCacheConfig((cudaFuncCache)9));
    E(VALUE, cudaDeviceGetCacheConfig(NULL));
    D(OK, cudaDeviceGetCacheConfig(&cache));
    D(VALUE, cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9));
    D(VALUE, cudaDeviceGetSharedMemConfig(NULL));
    D(OK, cudaDeviceGetSharedMemConfig(&banks));
    D(VALUE, cudaDeviceSetLimit((cudaLimit)99, 1));
    D(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 1));
    D(MEMORY, cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 60));
    D(MEMORY, cudaDeviceSetLimit(cudaLimitPrintfFifoSize, (size_t)1 << 60));
    D(VALUE, cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
    D(VALUE, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    D(VALUE, cudaDeviceGetLimit(&bytes, (cudaLimit)99));
    D(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&bytes, cudaLimitDevRuntimeSyncDepth));
    D(VALUE, cudaDeviceGetTexture1DLinearMaxWidth(NULL, &f32, 0));
    D(VALUE, cudaDeviceGetTexture1DLinearMaxWidth(&bytes, NULL, 0));
    D(VALUE, cudaDeviceGetTexture1DLinearMaxWidth(&bytes, &none, 0));
    E(DEVICE, cudaDeviceGetTexture1DLinearMaxWidth(&bytes, &f32, 1));
    D(VALUE, cudaDeviceGetDefaultMemPool(NULL, 0));
    D(DEVICE, cudaDeviceGetDefaultMemPool(&pool, 1));
    D(VALUE, cudaDeviceGetMemPool(NULL, 0));
    E(DEVICE, cudaDeviceGetMemPool(&pool, 1));
    D(OK, cudaCtxResetPersistingL2Cache());
    D(OK, cudaProfilerStart());
    D(OK, cudaProfilerStop());
}

static void pools()
{
    cudaMemPool_t pool, own, none;
    cudaMemPoolProps props = {};
    cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags flags;
    unsigned long long value = 1;
    void *p;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    props.allocType = cudaMemAllocationTypePinned;
    props.location = where;
    D(VALUE, cudaMemPoolCreate(NULL, &props));
    D(VALUE, cudaMemPoolCreate(&none, NULL));
    D(VALUE, (props.allocType = (cudaMemAllocationType)77, cudaMemPoolCreate(&none, &props)));
    props.allocType = cudaMemAllocationTypePinned;
    D(VALUE, (props.location.id = 7, cudaMemPoolCreate(&none, &props)));
    D(VALUE, (props.location.type = (cudaMemLocationType)77, cudaMemPoolCreate(&none, &props)));
    props.location = where;
    D(cudaErrorNotSupported,
      (props.handleTypes = cudaMemHandleTypePosixFileDescriptor, cudaMemPoolCreate(&none, &props)));
    props.handleTypes = cudaMemHandleTypeNone;
    D(OK, cudaMemPoolCreate(&own, &props));
    D(VALUE, cudaMemPoolDestroy(bad_pool));
    D(VALUE, cudaMemPoolDestroy(pool));
    D(VALUE, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL));
    D(VALUE, cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value));
    D(VALUE, cudaMemPoolGetAttribute(bad_pool, cudaMemPoolAttrReleaseThreshold, &value));
    D(VALUE, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    D(VALUE, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value)); /* only 0 may be set */
    D(VALUE, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL));
    D(VALUE, cudaMemPoolTrimTo(bad_pool, 0));
    D(VALUE, cudaMemPoolSetAccess(bad_pool, &access, 1));
    D(VALUE, cudaMemPoolSetAccess(pool, NULL, 1));
    D(VALUE, (access.location.id = 7, cudaMemPoolSetAccess(pool, &access, 1)));
    access.location.id = 0;
    D(VALUE, (access.flags = (cudaMemAccessFlags)99, cudaMemPoolSetAccess(pool, &access, 1)));
    E(VALUE, cudaMemPoolGetAccess(NULL, pool, &where));
    E(VALUE, cudaMemPoolGetAccess(&flags, bad_pool, &where));
    D(VALUE, cudaDeviceSetMemPool(0, bad_pool));
    D(DEVICE, cudaDeviceSetMemPool(1, pool));
    D(VALUE, cudaMallocAsync((void **)NULL, 16, cudaStreamPerThread));
    D(MEMORY, cudaMallocAsync(&p, HUGE_BYTES, cudaStreamPerThread));
    E(HANDLE, cudaMallocAsync(&p, 16, bad_stream));
    D(VALUE, cudaMallocFromPoolAsync(&p, 16, bad_pool, cudaStreamPerThread));
    D(MEMORY, cudaMallocFromPoolAsync(&p, HUGE_BYTES, own, cudaStreamPerThread));
    E(HANDLE, cudaMallocFromPoolAsync(&p, 16, own, bad_stream));
    D(VALUE, cudaFreeAsync(host, cudaStreamPerThread));
    E(HANDLE, cudaFreeAsync(dev, bad_stream));
    D(OK, cudaMemPoolDestroy(own));
    D(VALUE, cudaDeviceGraphMemTrim(1));
    D(DEVICE, cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemCurrent, &value));
    E(VALUE, cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)99, &value));
    D(DEVICE, cudaDeviceSetGraphMemAttribute(1, cudaGraphMemAttrUsedMemHigh, &value));
    E(VALUE, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, NULL));
}

int main()
{
    cudaMalloc(&dev, N);
    memory();
    managed();
    copies();
    arrays();
    functions();
    libraries();
    streams();
    captures();
    devices();
    pools();
    D(OK, cudaDeviceSynchronize()); /* nothing of all this is an error of the device */
    D(OK, cudaDeviceReset());
    D(OK, cudaGetLastError());
    D(OK, cudaPeekAtLastError());
    return 0;
}
