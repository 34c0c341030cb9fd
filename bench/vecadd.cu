// Streaming: every line is used once. argument: elements
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void add(const float *x, const float *y, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float *host = (float *)malloc(n * sizeof *host), *x, *y, *sum;
    for (int i = 0; i < n; i++)
        host[i] = (float)(i % 1000);
    cudaMalloc((void **)&x, n * sizeof *x);
    cudaMalloc((void **)&y, n * sizeof *y);
    cudaMalloc((void **)&sum, n * sizeof *sum);
    cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice);
    cudaMemcpy(y, host, n * sizeof *y, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(x, y, sum, n);
    cudaMemcpy(host, sum, n * sizeof *host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += host[i] != 2.0f * (float)(i % 1000);
    printf("vecadd %d: %d wrong\n", n, wrong);
    return wrong != 0;
}
