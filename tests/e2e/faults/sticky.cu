// After a fault every call reports it: the error is sticky.
// fails: sticky as it should be
#include "fault.h"

__global__ void bad(int *p) { p[1 << 20] = 1; }
__global__ void good() {}

int main()
{
    int *p, value = 0;
    CUDA(cudaMalloc(&p, 4));
    bad<<<1, 1>>>(p);
    cudaError_t first = cudaDeviceSynchronize();
    good<<<1, 1>>>();
    cudaError_t second = cudaGetLastError(), third = cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    if (first == cudaErrorIllegalAddress && second == first && third == first && cudaFree(p) == first)
        fprintf(stderr, "sticky as it should be\n");
    else
        fprintf(stderr, "%s %s %s\n", cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(third));
    return 1;
}
