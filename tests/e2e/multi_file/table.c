/* Plain C. */
#include "parts.h"
#include <cuda_runtime_api.h>

static const int table[] = {1, 2, 4, 8};

int table_entry(int i)
{
    struct cudaDeviceProp prop;
    return cudaGetDeviceProperties(&prop, 0) == cudaSuccess ? table[i] : -1;
}
