// Many blocks, and few that stride: the same sum from a grid of 70000 blocks in x, and one spread over y and z.
#include "check.h"

__global__ void count_x(unsigned long long *sum)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, (unsigned long long)blockIdx.x);
}
__global__ void count_yz(unsigned *hits)
{
    if (threadIdx.x == 0)
        atomicAdd(&hits[(blockIdx.y * 31 + blockIdx.z) % 16], 1);
}
__global__ void stride(const unsigned *in, unsigned long long *sum, int n)
{
    unsigned long long s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    atomicAdd(sum, s);
}

int main()
{
    const unsigned blocks = 70000;
    dev<unsigned long long> sum(1);
    sum.fill(0);
    count_x<<<blocks, 1>>>(sum);
    RAN();
    CHECK(sum.get()[0] == (unsigned long long)blocks * (blocks - 1) / 2);
    dev<unsigned> hits(16);
    hits.fill(0);
    count_yz<<<dim3(2, 300, 20), 3>>>(hits);
    RAN();
    std::vector<unsigned> want(16);
    for (int y = 0; y < 300; y++)
        for (int z = 0; z < 20; z++)
            want[(y * 31 + z) % 16] += 2;
    check_equal("hits", hits.get(), want);
    std::vector<unsigned> in(30000);
    unsigned long long total = 0;
    rng r(31);
    for (auto &v : in)
        total += v = r.next();
    dev<unsigned> din(in);
    sum.fill(0);
    stride<<<3, 200>>>(din, sum, 30000);
    RAN();
    CHECK(sum.get()[0] == total);
    return check_result();
}
