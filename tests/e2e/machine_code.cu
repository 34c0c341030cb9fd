// A kernel keeps 128 values over a barrier: machine code beside the PTX says that it has as many registers, where the
// estimate from PTX alone is lower.
// only: nvcc
// flags: -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90
// run: --gpu h200
#include "check.h"

enum { VALUES = 128 };

__global__ void keep(volatile float *p)
{
    float x[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        x[i] = p[i * 32 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        p[i * 32 + threadIdx.x] = x[VALUES - 1 - i];
}

int main()
{
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, keep) == cudaSuccess);
    printf("%d registers\n", a.numRegs);
    CHECK(a.numRegs >= VALUES && a.numRegs <= 255);
    float *p, value[VALUES * 32];
    for (int i = 0; i < VALUES * 32; i++)
        value[i] = (float)i;
    CHECK(cudaMalloc(&p, sizeof value) == cudaSuccess);
    CHECK(cudaMemcpy(p, value, sizeof value, cudaMemcpyHostToDevice) == cudaSuccess);
    keep<<<1, 32>>>(p);
    CHECK(cudaMemcpy(value, p, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < VALUES * 32; i++)
        CHECK(value[i] == (float)((VALUES - 1 - i / 32) * 32 + i % 32));
    return check_result();
}
