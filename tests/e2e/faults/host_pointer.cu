// Ordinary host memory passed to a kernel.
// fails: invalid global read of 4 bytes.*a host pointer \(copy its data with cudaMemcpy\).*host_pointer\.cu:5.*cudaErrorIllegalAddress
#include "fault.h"

__global__ void use(const int *p, int *out) { *out = p[threadIdx.x]; }

int main()
{
    int *host = (int *)malloc(4096), *out;
    CUDA(cudaMalloc(&out, 4));
    use<<<1, 1>>>(host, out);
    return finish();
}
