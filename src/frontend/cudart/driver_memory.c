/* Memory of the driver API: allocation, pointers, linear copies and sets. */
#include "cudart/driver.h"

cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaMallocFromPoolAsync(void **, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned);
cudaError_t cudaHostGetFlags(unsigned *, void *);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t);
cudaError_t cudaMemAdvise(const void *, size_t, int, struct cudaMemLocation);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t);

/* ---- allocation ---- */
SAME(cuMemGetInfo_v2, (size_t * free_bytes, size_t *total), cudaMemGetInfo(free_bytes, total))
SAME(cuMemAlloc_v2, (CUdeviceptr * p, size_t n), n ? cudaMalloc((void **)p, n) : cudaErrorInvalidValue)
SAME(cuMemAllocPitch_v2, (CUdeviceptr * p, size_t *pitch, size_t width, size_t height, unsigned element),
     element == 4 || element == 8 || element == 16 ? cudaMallocPitch((void **)p, pitch, width, height)
                                                   : cudaErrorInvalidValue)
SAME(cuMemAllocManaged, (CUdeviceptr * p, size_t n, unsigned flags),
     n ? cudaMallocManaged((void **)p, n, flags) : cudaErrorInvalidValue)
SAME(cuMemAllocAsync, (CUdeviceptr * p, size_t n, CUstream s), cudaMallocAsync((void **)p, n, s))
SAME(cuMemAllocFromPoolAsync, (CUdeviceptr * p, size_t n, CUmemoryPool pool, CUstream s),
     cudaMallocFromPoolAsync((void **)p, n, pool, s))
SAME(cuMemFree_v2, (CUdeviceptr p), cudaFree(PTR(p)))
SAME(cuMemFreeAsync, (CUdeviceptr p, CUstream s), cudaFreeAsync(PTR(p), s))
SAME(cuMemAllocHost_v2, (void **p, size_t n), cudaHostAlloc(p, n, 0))
SAME(cuMemHostAlloc, (void **p, size_t n, unsigned flags), cudaHostAlloc(p, n, flags))
SAME(cuMemFreeHost, (void *p), cudaFreeHost(p))
SAME(cuMemHostGetDevicePointer_v2, (CUdeviceptr * p, void *host, unsigned flags),
     cudaHostGetDevicePointer((void **)p, host, flags))
SAME(cuMemHostGetFlags, (unsigned *flags, void *p), cudaHostGetFlags(flags, p))
SAME(cuMemHostRegister_v2, (void *p, size_t n, unsigned flags), cudaHostRegister(p, n, flags))
SAME(cuMemHostUnregister, (void *p), cudaHostUnregister(p))

static struct cudaMemLocation location(CUmemLocation where)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)where.type, where.id};
}
SAME(cuMemPrefetchAsync_v2, (CUdeviceptr p, size_t n, CUmemLocation where, unsigned flags, CUstream s),
     cudaMemPrefetchAsync(PTR(p), n, location(where), flags, s))
SAME(cuMemAdvise_v2, (CUdeviceptr p, size_t n, CUmem_advise advice, CUmemLocation where),
     cudaMemAdvise(PTR(p), n, (int)advice, location(where)))

/* ---- what a pointer is ---- */
API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    CUresult r = driver_enter();
    const struct emu_alloc *a = r ? NULL : mem_find(PTR(address), 1);
    if (!r && !a)
        r = CUDA_ERROR_NOT_FOUND;
    if (!r && base)
        *base = a->addr;
    if (!r && bytes)
        *bytes = a->bytes;
    return driver_leave(r);
}

/* One attribute; each has the size that cuda.h's documentation gives it. */
static CUresult pointer_attribute(void *value, CUpointer_attribute attribute, const struct emu_alloc *a,
                                  CUdeviceptr address, CUcontext context)
{
    const bool host = a->kind == EMU_MEM_PINNED || a->kind == EMU_MEM_REGISTERED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)value = context;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (a->kind == EMU_MEM_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)value = PTR(address);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(int *)value = 1; /* all operations are synchronous here */
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)value = a->addr;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(int *)value = a->kind == EMU_MEM_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(int *)value = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = a->addr;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = a->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(int *)value = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

API CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    CUcontext context = NULL;
    CUresult r = cuCtxGetCurrent(&context);
    if (r)
        return r;
    r = driver_enter();
    const struct emu_alloc *a = r ? NULL : mem_find(PTR(address), 1);
    if (!r)
        r = value && a ? pointer_attribute(value, attribute, a, address, context) : CUDA_ERROR_INVALID_VALUE;
    return driver_leave(r);
}

/* Unlike the function for one, this succeeds with zeros for a pointer that CUDA does not know. */
API CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attributes, void **values, CUdeviceptr address)
{
    if (!attributes || !values)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_ready();
    for (unsigned i = 0; i < n && !r; i++)
        r = values[i] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < n && !r; i++)
        if (cuPointerGetAttribute(values[i], attributes[i], address))
            memset(values[i], 0,
                   attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_MAPPED
                       ? sizeof(int)
                       : sizeof(void *));
    return r;
}

/* ---- copies ---- */
#define COPY(name, dst_type, src_type, kind)                                                                           \
    SAME(name##_v2, (dst_type dst, src_type src, size_t n), cudaMemcpyAsync(PTR(dst), PTR(src), n, kind, NULL))        \
    SAME(name##Async_v2, (dst_type dst, src_type src, size_t n, CUstream s),                                           \
         cudaMemcpyAsync(PTR(dst), PTR(src), n, kind, s))
COPY(cuMemcpyHtoD, CUdeviceptr, const void *, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH, void *, CUdeviceptr, cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)
SAME(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t n),
     cudaMemcpyAsync(PTR(dst), PTR(src), n, cudaMemcpyDefault, NULL))
SAME(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream s),
     cudaMemcpyAsync(PTR(dst), PTR(src), n, cudaMemcpyDefault, s))

/* ---- sets: elements of one, two and four bytes ---- */
static cudaError_t set(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                       CUstream stream)
{
    struct rt_op op;
    const struct cudaMemsetParams p = {PTR(dst), pitch, value, element, width, height};
    cudaError_t e = rt_enter();
    if (!e)
        e = dst % element || (height > 1 && pitch % element) ? cudaErrorInvalidValue : memset_op(&op, &p);
    if (!e)
        e = op_submit(stream, &op);
    return rt_leave(e);
}
#define SET(bits, type)                                                                                                \
    SAME(cuMemsetD##bits##_v2, (CUdeviceptr dst, type value, size_t n),                                                \
         set(dst, n * sizeof value, value, sizeof value, n, 1, NULL))                                                  \
    SAME(cuMemsetD##bits##Async, (CUdeviceptr dst, type value, size_t n, CUstream s),                                  \
         set(dst, n * sizeof value, value, sizeof value, n, 1, s))                                                     \
    SAME(cuMemsetD2D##bits##_v2, (CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height),             \
         set(dst, pitch, value, sizeof value, width, height, NULL))
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)
