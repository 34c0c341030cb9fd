// Prefix sums: Hillis-Steele in a block, Blelloch in a block, and a multi-block scan in three kernels.
#include "check.h"

__global__ void hillis_steele(int *data)
{
    __shared__ int s[2][512];
    int t = threadIdx.x, from = 0;
    s[0][t] = data[t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    data[t] = s[from][t];
}

// Exclusive scan of 2 * blockDim.x elements per block; the block's total goes to sums.
__global__ void blelloch(int *data, int *sums)
{
    extern __shared__ int s[];
    int t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n;
    s[2 * t] = data[base + 2 * t];
    s[2 * t + 1] = data[base + 2 * t + 1];
    int offset = 1;
    for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = s[n - 1];
        s[n - 1] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    data[base + 2 * t] = s[2 * t];
    data[base + 2 * t + 1] = s[2 * t + 1];
}

__global__ void add_base(int *data, const int *sums)
{
    data[blockIdx.x * 2 * blockDim.x + threadIdx.x] += sums[blockIdx.x];
    data[blockIdx.x * 2 * blockDim.x + blockDim.x + threadIdx.x] += sums[blockIdx.x];
}

int main()
{
    rng r(6);
    std::vector<int> in(512), want(512);
    for (int i = 0, s = 0; i < 512; i++)
        want[i] = s += in[i] = (int)r.below(50);
    dev<int> small(in);
    hillis_steele<<<1, 512>>>(small);
    RAN();
    check_equal("inclusive", small.get(), want);

    const int threads = 64, blocks = 32, n = 2 * threads * blocks;
    in.resize(n);
    want.resize(n);
    for (int i = 0, s = 0; i < n; i++) {
        in[i] = (int)r.below(50);
        want[i] = s;
        s += in[i];
    }
    dev<int> data(in), sums(blocks);
    blelloch<<<blocks, threads, 2 * threads * sizeof(int)>>>(data, sums);
    blelloch<<<1, blocks / 2, blocks * sizeof(int)>>>(sums, NULL);
    add_base<<<blocks, threads>>>(data, sums);
    RAN();
    check_equal("exclusive", data.get(), want);
    return check_result();
}
