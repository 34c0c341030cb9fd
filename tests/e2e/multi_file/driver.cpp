// Host code only, but it speaks to the runtime.
#include "parts.h"
#include <cuda_runtime.h>

int halve_on_device(float *device, int n)
{
    cudaDeviceProp prop;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess || prop.warpSize != 32)
        return 1;
    launch_halve(device, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
