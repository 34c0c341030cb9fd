// __trap() ends the kernel.
// fails: trap in kernel stop.*trap\.cu:8.*thread \(5,0,0\).*cudaError(LaunchFailure|IllegalInstruction)
#include "fault.h"

__global__ void stop(int when)
{
    if (threadIdx.x == when)
        __trap();
}

int main()
{
    stop<<<1, 32>>>(5);
    return finish();
}
