/* What the programs that must fail share: a checked call, and an end that says how it ended. */
#ifndef E2E_FAULT_H
#define E2E_FAULT_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            fprintf(stderr, "%s\n", cudaGetErrorName(e_));                                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline int finish()
{
    CUDA(cudaDeviceSynchronize());
    puts("nothing was noticed");
    return 0;
}

#endif
