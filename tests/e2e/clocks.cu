// Clocks: counters that grow, the global timer, sleeping, events that measure.
#include "check.h"

__global__ void read_clocks(long long *out)
{
    long long a = clock64();
    unsigned c = (unsigned)clock();
    volatile int x = threadIdx.x;
    for (int i = 0; i < 100; i++)
        x = x * 3 + 1;
    __nanosleep(100);
    long long b = clock64();
    unsigned d = (unsigned)clock();
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    out[threadIdx.x * 4] = b - a;
    out[threadIdx.x * 4 + 1] = (int)(d - c);
    out[threadIdx.x * 4 + 2] = (long long)t;
    out[threadIdx.x * 4 + 3] = x;
}

int main()
{
    dev<long long> out(64 * 4);
    cudaEvent_t a, b;
    CUDA(cudaEventCreate(&a));
    CUDA(cudaEventCreate(&b));
    CUDA(cudaEventRecord(a));
    read_clocks<<<1, 64>>>(out);
    CUDA(cudaEventRecord(b));
    CUDA(cudaEventSynchronize(b));
    RAN();
    std::vector<long long> o = out.get();
    for (int i = 0; i < 64; i++)
        CHECK(o[i * 4] > 0 && o[i * 4 + 1] > 0);
    float ms = -1;
    CUDA(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms >= 0);
    return check_result();
}
