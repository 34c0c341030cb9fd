// Two ways to transpose a matrix, each slow for a reason of its own that a profile must name.
#include "tiled.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    float *a, *b;
    unsigned *done;
    cudaMalloc(&a, n * n * sizeof *a);
    cudaMalloc(&b, n * n * sizeof *b);
    cudaMalloc(&done, sizeof *done);
    cudaMemset(a, 0, n * n * sizeof *a);
    cudaMemset(done, 0, sizeof *done);
    naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(b, a, n);
    naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
    columns<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(b, a, done, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
