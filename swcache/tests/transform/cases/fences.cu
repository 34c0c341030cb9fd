// Threads that talk through cached structures: flushes before barriers, fences and atomics.
#include "common.h"

__device__ void meet()
{
    __syncthreads();
}

__global__ void neighbors(int *__restrict__ field, unsigned *__restrict__ turns, int n, int rounds)
{
    int t = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += field[((t + 1) % blockDim.x) * n + i];
        __syncthreads();
        for (int i = 0; i < n; i++)
            field[t * n + i] = sum + i * r;
        if (r & 1)
            __threadfence();
        atomicAdd(&turns[t % 7], 1u);
        turns[8 + t] += 1;
        meet();
    }
}

__global__ void pass_on(int *__restrict__ chain, int n)
{
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        if (t == i % blockDim.x)
            chain[i + 1] = chain[i] * 3 + t;
        __syncthreads();
    }
}

__global__ void tally(const unsigned char *__restrict__ in, unsigned *__restrict__ bins, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seen = 0;
    for (int i = 0; i < n; i++) {
        int v = in[t * n + i];
        bins[256 + t] += v;
        seen += bins[256 + t] & 1;
        atomicAdd(&bins[v], 1u);
    }
    bins[256 + blockDim.x * gridDim.x + t] = seen;
}

int main()
{
    const int threads = 64, n = 13;
    int *field = filled<int>(threads * n, 1), *chain = filled<int>(301, 2);
    unsigned *turns = filled<unsigned>(8 + threads, 3), *bins = filled<unsigned>(256 + 2 * 128, 4);
    unsigned char *in = filled<unsigned char>(128 * 100, 5);
    neighbors<<<1, threads>>>(field, turns, n, 9);
    pass_on<<<1, threads>>>(chain, 300);
    tally<<<4, 32>>>(in, bins, 100);
    OK(cudaGetLastError());
    print_hash("field", field, threads * n);
    print_hash("chain", chain, 301);
    print_hash("turns", turns, 8 + threads);
    print_hash("bins", bins, 256 + 2 * 128);
}
