// A histogram with atomics in shared memory, merged with atomics in global memory.
#include "check.h"

__global__ void count(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i])
            atomicAdd(&bins[i], local[i]);
}

int main()
{
    const int n = 40000;
    rng r(8);
    std::vector<unsigned char> data(n);
    std::vector<unsigned> want(256);
    for (auto &d : data) {
        // Skewed, so that many threads of a warp hit one bin.
        d = (unsigned char)(r.below(16) * r.below(16));
        want[d]++;
    }
    dev<unsigned char> ddata(data);
    dev<unsigned> bins(256);
    bins.fill(0);
    count<<<11, 96>>>(ddata, n, bins);
    RAN();
    check_equal("bins", bins.get(), want);
    return check_result();
}
