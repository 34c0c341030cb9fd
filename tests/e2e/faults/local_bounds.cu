// Past the end of the thread's stack.
// fails: invalid local write of 4 bytes.*local_bounds\.cu:10.*cudaErrorIllegalAddress
#include "fault.h"

__global__ void smash(int *out, int n)
{
    volatile int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = i;
    a[n] = 1;
    out[0] = a[n / 2];
}

int main()
{
    int *out;
    CUDA(cudaMalloc(&out, 4));
    smash<<<1, 1>>>(out, 1 << 20);
    return finish();
}
