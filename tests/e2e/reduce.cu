// Sums four ways: a tree in shared memory, warp shuffles, one atomic per thread, and a whole grid in two passes.
#include "check.h"

__global__ void tree(const int *in, int *out, int n)
{
    __shared__ int s[256];
    int sum = 0;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n && i < (int)(blockIdx.x + 1) * 512; i += 256)
        sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__inline__ __device__ int warp_sum(int v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}

__global__ void shuffles(const int *in, int *out, int n)
{
    __shared__ int per_warp[32];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        per_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? per_warp[threadIdx.x] : 0;
        sum = warp_sum(sum);
        if (threadIdx.x == 0)
            atomicAdd(out, sum);
    }
}

__global__ void atomics(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

__device__ unsigned finished;

// The block that comes last adds up the partial sums of all.
__global__ void last_block(const int *in, int *partial, int *out, int n)
{
    __shared__ bool last;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    atomicAdd(&partial[blockIdx.x], sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += ((volatile int *)partial)[b];
        *out = total;
    }
}

int main()
{
    const int n = 20000;
    rng r(4);
    std::vector<int> in(n);
    int want = 0;
    for (auto &v : in)
        want += v = (int)r.below(1000) - 500;
    dev<int> din(in);
    int blocks = (n + 511) / 512;
    dev<int> partial(blocks), out(1);
    tree<<<blocks, 256>>>(din, partial, n);
    RAN();
    int sum = 0;
    for (int v : partial.get())
        sum += v;
    CHECK(sum == want);
    out.fill(0);
    shuffles<<<7, 192>>>(din, out, n);
    RAN();
    CHECK(out.get()[0] == want);
    out.fill(0);
    atomics<<<(n + 127) / 128, 128>>>(din, out, n);
    RAN();
    CHECK(out.get()[0] == want);
    for (int again = 0; again < 2; again++) {
        partial.fill(0);
        last_block<<<13, 64>>>(din, partial, out, n);
        RAN();
        CHECK(out.get()[0] == want);
    }
    return check_result();
}
