// Past the end of the block's shared memory.
// fails: invalid shared write of 4 bytes at byte 4000.*shared_bounds\.cu:8.*cudaErrorIllegalAddress
#include "fault.h"

__global__ void fill(int n)
{
    extern __shared__ int s[];
    s[threadIdx.x * n] = 1;
}

int main()
{
    fill<<<1, 64, 256>>>(1000);
    return finish();
}
