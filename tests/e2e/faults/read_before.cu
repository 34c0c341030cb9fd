// A read just before the start of an allocation.
// fails: invalid global read of 8 bytes .*8 bytes before the start of the 1024-byte allocation.*read_before\.cu:5.*cudaErrorIllegalAddress
#include "fault.h"

__global__ void look(double *p) { p[1] = p[-1]; }

int main()
{
    double *p;
    CUDA(cudaMalloc(&p, 1024));
    look<<<1, 1>>>(p);
    return finish();
}
