// Cache-friendly: a matrix product without shared memory. argument: rows
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *b, *c;
    for (int i = 0; i < n * n; i++)
        host[i] = (float)(i % 3);
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes);
    cudaMalloc((void **)&c, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    multiply<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
    float *product = (float *)malloc(bytes);
    cudaMemcpy(product, c, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < n; y += 7)
        for (int x = 0; x < n; x += 5) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += host[y * n + k] * host[k * n + x];
            wrong += sum != product[y * n + x];
        }
    printf("matmul %d: %d wrong\n", n, wrong);
    return wrong != 0;
}
