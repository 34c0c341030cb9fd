// Stream-ordered allocation, memory pools, and copies of every kind between allocations.
#include "check.h"

__global__ void fill(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v + i;
}

int main()
{
    const int n = 1000;
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    std::vector<int> out(n), want(n);
    for (int round = 0; round < 4; round++) {
        int *p, *q;
        CUDA(cudaMallocAsync(&p, n * sizeof(int), s));
        CUDA(cudaMallocAsync(&q, n * sizeof(int), s));
        fill<<<8, 128, 0, s>>>(p, n, round * 100);
        CUDA(cudaMemcpyAsync(q, p, n * sizeof(int), cudaMemcpyDeviceToDevice, s));
        CUDA(cudaFreeAsync(p, s));
        CUDA(cudaMemcpyAsync(out.data(), q, n * sizeof(int), cudaMemcpyDefault, s));
        CUDA(cudaFreeAsync(q, s));
        CUDA(cudaStreamSynchronize(s));
        for (int i = 0; i < n; i++)
            want[i] = round * 100 + i;
        check_equal("round", out, want);
    }
    cudaMemPool_t pool;
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long keep = ~0ull;
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    int *p;
    CUDA(cudaMallocFromPoolAsync((void **)&p, 4096, pool, s));
    CUDA(cudaMemsetAsync(p, 0x11, 4096, s));
    CUDA(cudaMemcpyAsync(out.data(), p, 40, cudaMemcpyDeviceToHost, s));
    CUDA(cudaFreeAsync(p, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(out[0] == 0x11111111 && out[9] == 0x11111111);
    CUDA(cudaStreamDestroy(s));
    return check_result();
}
