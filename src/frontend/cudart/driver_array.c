/* Arrays, textures and copies of boxes in the driver API: its descriptors turned into the runtime's. */
#include "cudart/driver.h"

cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent, unsigned);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);

/* A format that is none of these has no bits, which the runtime refuses. */
static struct cudaChannelFormatDesc channels(CUarray_format format, unsigned n)
{
    const int bits =
        format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 8
        : format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 || format == CU_AD_FORMAT_HALF
            ? 16
        : format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32 || format == CU_AD_FORMAT_FLOAT
            ? 32
            : 0;
    const enum cudaChannelFormatKind kind = format & 0x30   ? cudaChannelFormatKindFloat
                                            : format & 0x08 ? cudaChannelFormatKindSigned
                                                            : cudaChannelFormatKindUnsigned;
    return (struct cudaChannelFormatDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind};
}

/* ---- arrays ---- */
API CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    if (!array || !d)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaChannelFormatDesc format = channels(d->Format, d->NumChannels);
    return DRIVER_CALL(driver_ready(),
                       cudaMalloc3DArray(array, &format, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}

API CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR all = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return cuArray3DCreate_v2(array, &all);
}
SAME(cuArrayDestroy, (CUarray array), cudaFreeArray(array))

/* ---- boxes ---- */

/* Offsets count bytes here, elements there when an array takes part; a row of bytes is then a row of whole elements. */
static size_t array_element(CUarray array)
{
    CUresult r = driver_enter();
    const struct rt_array *a = r ? NULL : array_find(array);
    const size_t bytes = a ? a->elem_bytes : 0;
    driver_leave(r);
    return bytes;
}

static bool whole(size_t bytes, size_t element)
{
    return bytes % element == 0;
}

static CUresult copy_box(const CUDA_MEMCPY3D *c, CUstream stream)
{
    const bool from_array = c->srcMemoryType == CU_MEMORYTYPE_ARRAY, to_array = c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const size_t element = from_array ? array_element(c->srcArray) : to_array ? array_element(c->dstArray) : 1;
    if (!element || !whole(c->WidthInBytes, element) || (from_array && !whole(c->srcXInBytes, element)) ||
        (to_array && !whole(c->dstXInBytes, element)) || c->srcLOD || c->dstLOD)
        return element ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    const size_t width = c->WidthInBytes;
    struct cudaMemcpy3DParms p = {.extent = {width / element, c->Height, c->Depth}, .kind = cudaMemcpyDefault};
    if (from_array) {
        p.srcArray = c->srcArray;
        p.srcPos = (struct cudaPos){c->srcXInBytes / element, c->srcY, c->srcZ};
    } else { /* the offset goes into the pointer, which counts bytes */
        const void *src = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost : PTR(c->srcDevice);
        const size_t pitch = c->srcPitch ? c->srcPitch : width + c->srcXInBytes;
        p.srcPtr = (struct cudaPitchedPtr){(char *)(uintptr_t)src + c->srcXInBytes, pitch, width,
                                           c->srcHeight ? c->srcHeight : c->Height};
        p.srcPos = (struct cudaPos){0, c->srcY, c->srcZ};
    }
    if (to_array) {
        p.dstArray = c->dstArray;
        p.dstPos = (struct cudaPos){c->dstXInBytes / element, c->dstY, c->dstZ};
    } else {
        void *dst = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : PTR(c->dstDevice);
        const size_t pitch = c->dstPitch ? c->dstPitch : width + c->dstXInBytes;
        p.dstPtr = (struct cudaPitchedPtr){(char *)dst + c->dstXInBytes, pitch, width,
                                           c->dstHeight ? c->dstHeight : c->Height};
        p.dstPos = (struct cudaPos){0, c->dstY, c->dstZ};
    }
    return DRIVER_CALL(driver_ready(), cudaMemcpy3DAsync(&p, stream));
}

API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    const CUresult r = driver_ready();
    return r ? r : copy ? copy_box(copy, stream) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    return cuMemcpy3DAsync_v2(copy, NULL);
}

API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D box = {.srcXInBytes = c->srcXInBytes,
                               .srcY = c->srcY,
                               .srcMemoryType = c->srcMemoryType,
                               .srcHost = c->srcHost,
                               .srcDevice = c->srcDevice,
                               .srcArray = c->srcArray,
                               .srcPitch = c->srcPitch,
                               .dstXInBytes = c->dstXInBytes,
                               .dstY = c->dstY,
                               .dstMemoryType = c->dstMemoryType,
                               .dstHost = c->dstHost,
                               .dstDevice = c->dstDevice,
                               .dstArray = c->dstArray,
                               .dstPitch = c->dstPitch,
                               .WidthInBytes = c->WidthInBytes,
                               .Height = c->Height,
                               .Depth = 1};
    return cuMemcpy3DAsync_v2(&box, stream);
}

API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
    return cuMemcpy2DAsync_v2(copy, NULL);
}

API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
    return cuMemcpy2DAsync_v2(copy, NULL);
}

/* The first row of an array. */
API CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes)
{
    const CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = src,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = dst,
                             .dstXInBytes = offset,
                             .WidthInBytes = bytes,
                             .Height = 1};
    return cuMemcpy2DAsync_v2(&c, NULL);
}

API CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes)
{
    const CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                             .srcArray = src,
                             .srcXInBytes = offset,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = dst,
                             .WidthInBytes = bytes,
                             .Height = 1};
    return cuMemcpy2DAsync_v2(&c, NULL);
}

/* ---- textures and surfaces ---- */
static struct cudaResourceDesc resource(const CUDA_RESOURCE_DESC *r)
{
    struct cudaResourceDesc out = {.resType = (enum cudaResourceType)r->resType, .flags = r->flags};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out.res.array.array = r->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out.res.mipmap.mipmap = r->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        out.res.linear.devPtr = PTR(r->res.linear.devPtr);
        out.res.linear.desc = channels(r->res.linear.format, r->res.linear.numChannels);
        out.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        out.res.pitch2D.devPtr = PTR(r->res.pitch2D.devPtr);
        out.res.pitch2D.desc = channels(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        out.res.pitch2D.width = r->res.pitch2D.width;
        out.res.pitch2D.height = r->res.pitch2D.height;
        out.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
    return out;
}

/* Whether texels of the resource are integers of one or two bytes; a texture reads these as fractions by default. */
static bool normalizes(const CUDA_RESOURCE_DESC *r)
{
    struct cudaChannelFormatDesc d = {0};
    if (r->resType == CU_RESOURCE_TYPE_LINEAR)
        d = channels(r->res.linear.format, r->res.linear.numChannels);
    else if (r->resType == CU_RESOURCE_TYPE_PITCH2D)
        d = channels(r->res.pitch2D.format, r->res.pitch2D.numChannels);
    else if (r->resType == CU_RESOURCE_TYPE_ARRAY && !driver_enter()) {
        const struct rt_array *a = array_find(r->res.array.hArray);
        if (a)
            d = a->desc;
        driver_leave(CUDA_SUCCESS);
    }
    return d.f != cudaChannelFormatKindFloat && d.x && d.x < 32;
}

API CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *res, const CUDA_TEXTURE_DESC *tex,
                               const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUresult r = driver_ready();
    if (!r && (!object || !res || !tex))
        r = CUDA_ERROR_INVALID_VALUE;
    if (r)
        return r;
    const struct cudaResourceDesc from = resource(res);
    struct cudaTextureDesc t = {
        .filterMode = (enum cudaTextureFilterMode)tex->filterMode,
        .readMode = !(tex->flags & CU_TRSF_READ_AS_INTEGER) && normalizes(res) ? cudaReadModeNormalizedFloat
                                                                               : cudaReadModeElementType,
        .sRGB = (tex->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (tex->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = tex->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)tex->mipmapFilterMode,
        .mipmapLevelBias = tex->mipmapLevelBias,
        .minMipmapLevelClamp = tex->minMipmapLevelClamp,
        .maxMipmapLevelClamp = tex->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (enum cudaTextureAddressMode)tex->addressMode[i];
    memcpy(t.borderColor, tex->borderColor, sizeof t.borderColor);
    return DRIVER_CALL(CUDA_SUCCESS, cudaCreateTextureObject(object, &from, &t, view));
}
SAME(cuTexObjectDestroy, (CUtexObject object), cudaDestroyTextureObject(object))

API CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *res)
{
    CUresult r = driver_ready();
    if (!r && (!object || !res))
        r = CUDA_ERROR_INVALID_VALUE;
    if (r)
        return r;
    const struct cudaResourceDesc from = resource(res);
    return DRIVER_CALL(CUDA_SUCCESS, cudaCreateSurfaceObject(object, &from));
}
SAME(cuSurfObjectDestroy, (CUsurfObject object), cudaDestroySurfaceObject(object))
