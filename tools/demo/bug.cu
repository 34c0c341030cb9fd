// One thread too many.
#include <cstdio>

__global__ void square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] *= x[i];
}

int main()
{
    float *x;
    cudaMalloc(&x, 1000 * sizeof(float));
    square<<<4, 256>>>(x, 1000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
