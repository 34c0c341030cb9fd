// A kernel waits for a word that the host would write after the launch.
// fails: deadlock in kernel waits.*nor will the host.*host_flag\.cu:8.*cudaErrorLaunchTimeout
#include "fault.h"

__global__ void waits(volatile int *flag, int *out)
{
    if (threadIdx.x == 0)
        while (*flag == 0) // here
            ;
    __syncthreads();
    *out = 1;
}

int main()
{
    int *flag, *out;
    CUDA(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
    CUDA(cudaMalloc(&out, 4));
    *flag = 0;
    waits<<<2, 64>>>(flag, out);
    *flag = 1;
    return finish();
}
