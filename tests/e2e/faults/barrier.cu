// A barrier for more threads than will ever come.
// fails: barrier.*barrier\.cu:8.*cudaErrorLaunchFailure
#include "fault.h"

__global__ void stuck(int *p)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    *p = 1;
}

int main()
{
    int *p;
    CUDA(cudaMalloc(&p, 4));
    stuck<<<1, 64>>>(p);
    return finish();
}
