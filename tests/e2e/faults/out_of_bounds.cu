// One element past the end of an allocation: found even though the page exists.
// fails: invalid global write of 4 bytes .*just past the end of the 400-byte allocation.*out_of_bounds\.cu:8.*thread \(100,0,0\) of CTA \(0,0,0\).*cudaErrorIllegalAddress
#include "fault.h"

__global__ void fill(int *p, int n)
{
    int i = threadIdx.x;
    p[i] = i;
}

int main()
{
    int *p;
    CUDA(cudaMalloc(&p, 100 * sizeof(int)));
    fill<<<1, 101>>>(p, 100);
    return finish();
}
