// A kernel that uses memory the host has freed.
// fails: invalid global read of 4 bytes .*256-byte freed allocation.*use_after_free\.cu:5.*cudaErrorIllegalAddress
#include "fault.h"

__global__ void sum(const int *p, int *out) { atomicAdd(out, p[threadIdx.x]); }

int main()
{
    int *p, *out;
    CUDA(cudaMalloc(&p, 256));
    CUDA(cudaMalloc(&out, 4));
    CUDA(cudaFree(p));
    sum<<<1, 32>>>(p, out);
    return finish();
}
