/* Textures over plain device memory, read by element: the path on which many programs put their read-only inputs. */
#ifndef WEIR_SUITE_TEXTURE_H
#define WEIR_SUITE_TEXTURE_H

#include "suite.h"

template <class T> static inline cudaTextureObject_t suite_linear_texture(T *data, size_t n)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = n * sizeof(T);
    cudaTextureDesc sampling;
    memset(&sampling, 0, sizeof sampling);
    sampling.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    SUITE_CUDA(cudaCreateTextureObject(&t, &resource, &sampling, nullptr));
    return t;
}

#endif
