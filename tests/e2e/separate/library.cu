// The other half of separate.cu.
#include "library.h"
#include <cuda_runtime.h>

__device__ int library_bias = 100, library_calls;
__device__ int library_table[4] = {5, 6, 7, 8};
__device__ int library_mix(int a, int b) { return a * 31 ^ b; }

int library_count()
{
    int n = -1;
    cudaMemcpyFromSymbol(&n, library_calls, sizeof n);
    return n;
}
