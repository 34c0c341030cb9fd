/* Calls of the CUDA runtime that must succeed: a probe without its board has nothing to tell. */
#ifndef SILICON_CHECK_H
#define SILICON_CHECK_H

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t err_ = (call);                                                                                     \
        if (err_ != cudaSuccess) {                                                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
