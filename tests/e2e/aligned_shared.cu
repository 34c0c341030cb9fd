// alignas behind __shared__, __device__ and __constant__, as nvcc takes it.
#include "check.h"

__device__ alignas(64) int table[16];
__constant__ alignas(32) float factors[4] = {1, 2, 3, 4};
struct alignas(16) four {
    float x[4];
};

__global__ void use(unsigned long long *low, float *out)
{
    __shared__ char odd[3];
    __shared__ alignas(128) float tile[32];
    __shared__
        alignas(four) float other[4];
    odd[threadIdx.x % 3] = (char)threadIdx.x;
    tile[threadIdx.x] = threadIdx.x;
    other[threadIdx.x % 4] = 5;
    __syncthreads();
    low[0] = (size_t)tile % 128;
    low[1] = (size_t)table % 64;
    low[2] = (size_t)factors % 32;
    low[3] = (size_t)other % alignof(four);
    out[threadIdx.x] = tile[31 - threadIdx.x] * factors[threadIdx.x % 4] + other[0] + 0 * odd[0]; // __shared__ alignas(8) in a comment
}

int main()
{
    dev<unsigned long long> low(4);
    dev<float> out(32);
    use<<<1, 32>>>(low, out);
    RAN();
    check_equal("addresses", low.get(), std::vector<unsigned long long>(4));
    std::vector<float> want(32);
    for (int i = 0; i < 32; i++)
        want[i] = (31 - i) * (i % 4 + 1) + 5;
    check_equal("values", out.get(), want);
    return check_result();
}
