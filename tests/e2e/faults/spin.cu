// Half of the block spins on a flag that the other half would set after a barrier both need.
// fails: deadlock in kernel stuck.*spin\.cu:.*cudaErrorLaunchTimeout
#include "fault.h"

__global__ void stuck(volatile int *flag)
{
    if (threadIdx.x < 32) {
        // These wait for a flag that the others set only after the barrier.
        __syncthreads();
    } else {
        while (*flag == 0)
            ;
        __syncthreads();
    }
    *flag = 1;
}

int main()
{
    int *flag;
    CUDA(cudaMalloc(&flag, 4));
    CUDA(cudaMemset(flag, 0, 4));
    stuck<<<1, 64>>>(flag);
    return finish();
}
