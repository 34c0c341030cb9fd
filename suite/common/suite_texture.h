/* Point-sampled textures: the path on which many programs put their read-only inputs. */
#ifndef WEIR_SUITE_TEXTURE_H
#define WEIR_SUITE_TEXTURE_H

#include "suite.h"

static inline cudaTextureObject_t suite_texture(const cudaResourceDesc &resource)
{
    cudaTextureDesc sampling;
    memset(&sampling, 0, sizeof sampling);
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
    sampling.filterMode = cudaFilterModePoint;
    sampling.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    SUITE_CUDA(cudaCreateTextureObject(&t, &resource, &sampling, nullptr));
    return t;
}

/* Over plain device memory, read by element number (tex1Dfetch). */
template <class T> static inline cudaTextureObject_t suite_linear_texture(T *data, size_t n)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = n * sizeof(T);
    return suite_texture(resource);
}

/* A copy of a host picture in an array, addresses clamped (tex2D). */
template <class T> static inline cudaTextureObject_t suite_picture_texture(const T *host, int w, int h)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    SUITE_CUDA(cudaMallocArray(&array, &format, w, h));
    SUITE_CUDA(cudaMemcpy2DToArray(array, 0, 0, host, w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return suite_texture(resource);
}

#endif
