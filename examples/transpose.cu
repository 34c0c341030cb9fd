#include <cstdio>
#include <cuda_runtime.h>
__global__ void transpose(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x]; // neighbors read one line, and write 32: the profile's first finding
}

int main()
{
    const int n = 512;
    float *a, *b;
    cudaMalloc(&a, n * n * sizeof *a);
    cudaMalloc(&b, n * n * sizeof *b);
    cudaMemset(a, 0, n * n * sizeof *a);
    transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(b, a, n);
    transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
