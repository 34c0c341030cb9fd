// Reductions by shuffles in which only a part of a warp takes part: what lies beyond it counts as 0.
#include "check.h"

__device__ __forceinline__ int add_down(unsigned mask, int v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(mask, v, offset);
    return v;
}

// The sums of the warps are added by as many threads as there are warps.
__global__ void sum(const int *in, int *out)
{
    __shared__ int of_warp[32];
    const int warps = blockDim.x / 32;
    int v = add_down(0xffffffff, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < warps);
    if (threadIdx.x < warps) {
        v = add_down(mask, of_warp[threadIdx.x]);
        if (threadIdx.x == 0)
            out[blockIdx.x] = v;
    }
}

// A block of less than a warp, and of that a part.
__global__ void few(int *out)
{
    const int v = threadIdx.x + 1;
    if (threadIdx.x < 5) {
        const int s = add_down(0x1f, v);
        if (threadIdx.x == 0)
            out[0] = s;
    }
}

int main()
{
    const int threads = 256, blocks = 5;
    rng r;
    std::vector<int> in(threads * blocks), want(blocks);
    for (int i = 0; i < threads * blocks; i++)
        want[i / threads] += in[i] = r.below(1000);
    dev<int> d(in), out(blocks), small(1);
    sum<<<blocks, threads>>>(d, out);
    RAN();
    check_equal("sums", out.get(), want);
    few<<<1, 20>>>(small);
    RAN();
    check_equal("few", small.get(), std::vector<int>{15});
    return check_result();
}
