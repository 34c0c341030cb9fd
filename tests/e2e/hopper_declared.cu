// Clusters that kernels declare: __cluster_dims__, and __block_size__, with which a launch counts clusters.
// flags: -gencode=arch=compute_90a,code=compute_90a
// only: nvcc
#include "hopper.h"

static __device__ int place(void)
{
    return (int)((blockIdx.y * gridDim.x + blockIdx.x) * 100 + cluster_rank());
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = place();
}
__global__ void __block_size__((32, 1, 1), (2, 2, 1)) fours(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = place() + (gridDim.x == 6 && gridDim.y == 2 ? 0 : 10000);
}

int main()
{
    dev<int> two(4), four(12);
    pairs<<<4, 32>>>(two.p);
    RAN();
    check_equal("__cluster_dims__", two.get(), std::vector<int>{0, 101, 200, 301});
    pairs<<<3, 32>>>(two.p); /* no multiple of the cluster */
    CHECK(cudaGetLastError() != cudaSuccess);
    fours<<<dim3(3, 1)>>>(four.p);
    RAN();
    std::vector<int> want;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 6; x++)
            want.push_back((y * 6 + x) * 100 + y * 2 + x % 2);
    check_equal("__block_size__", four.get(), want);
    return check_result();
}
