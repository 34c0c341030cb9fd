// Pinned host memory: allocated, mapped into the device, registered after the fact.
#include "check.h"

__global__ void scale(const float *in, float *out, int n, float f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * f;
}

int main()
{
    const int n = 1000;
    float *a, *b, *da, *db;
    CUDA(cudaMallocHost(&a, n * sizeof(float)));
    CUDA(cudaHostAlloc(&b, n * sizeof(float), cudaHostAllocMapped));
    for (int i = 0; i < n; i++)
        a[i] = (float)i;
    // Copies from and to pinned memory.
    dev<float> x(n), y(n);
    CUDA(cudaMemcpyAsync(x, a, n * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<8, 128>>>(x, y, n, 2);
    CUDA(cudaMemcpyAsync(a, y, n * sizeof(float), cudaMemcpyDeviceToHost));
    RAN();
    for (int i = 0; i < n; i++)
        CHECK(a[i] == 2.0f * i);
    // Zero copy: the kernel works on host memory itself.
    CUDA(cudaHostGetDevicePointer(&db, b, 0));
    CUDA(cudaHostGetDevicePointer(&da, a, 0));
    scale<<<8, 128>>>(da, db, n, 0.5f);
    RAN();
    for (int i = 0; i < n; i++)
        CHECK(b[i] == (float)i);
    // Ordinary memory, registered.
    float *c = (float *)aligned_alloc(4096, 8192), *dc;
    for (int i = 0; i < 2048; i++)
        c[i] = 1;
    CUDA(cudaHostRegister(c, 8192, cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer(&dc, c, 0));
    scale<<<16, 128>>>(dc, dc, 2048, 3);
    RAN();
    for (int i = 0; i < 2048; i++)
        CHECK(c[i] == 3);
    CUDA(cudaHostUnregister(c));
    free(c);
    unsigned flags;
    CUDA(cudaHostGetFlags(&flags, b));
    CHECK(flags & cudaHostAllocMapped);
    CUDA(cudaFreeHost(a));
    CUDA(cudaFreeHost(b));
    return check_result();
}
