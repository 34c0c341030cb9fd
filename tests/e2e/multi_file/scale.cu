// Kernels of the second file; `offset` is another kernel than the first file's.
#include "parts.h"

__global__ static void offset(float *p, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= factor;
}
__global__ void halve(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 0.5f;
}

void scale(float *device, int n, float factor) { offset<<<(n + 63) / 64, 64>>>(device, n, factor); }
void launch_halve(float *device, int n) { halve<<<(n + 63) / 64, 64>>>(device, n); }
