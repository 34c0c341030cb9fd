// A four-byte store to an odd address.
// fails: misaligned global write of 4 bytes.*misaligned\.cu:5.*cudaErrorMisalignedAddress
#include "fault.h"

__global__ void poke(char *p) { *(int *)(p + 2 * threadIdx.x + 1) = 7; }

int main()
{
    char *p;
    CUDA(cudaMalloc(&p, 256));
    poke<<<1, 32>>>(p);
    return finish();
}
