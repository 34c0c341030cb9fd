// Clusters that kernels declare: __cluster_dims__, also of template arguments, and __block_size__, with which a launch counts
// clusters. Dynamic shared memory declared as a structure.
// flags: -gencode=arch=compute_90a,code=compute_90a
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

template <int N> __global__ void __launch_bounds__(32) __cluster_dims__(1, N / 2) columns(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = place();
}

template <int N> struct tile {
    int v[N];
    int sum;
};
template <int N> __global__ void sum(int *out)
{
    extern __shared__ __align__(16) tile<N> t;
    t.v[threadIdx.x] = (int)threadIdx.x;
    t.sum = 0;
    __syncthreads();
    atomicAdd(&t.sum, t.v[N - 1 - threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = t.sum;
}

static void check_columns()
{
    dev<int> got(8);
    columns<4><<<dim3(2, 4), 32>>>(got.p);
    RAN();
    std::vector<int> want;
    for (int i = 0; i < 8; i++)
        want.push_back(i * 100 + i / 2 % 2);
    check_equal("columns of 2", got.get(), want);
    columns<8><<<dim3(2, 4), 32>>>(got.p);
    RAN();
    for (int i = 0; i < 8; i++)
        want[i] = i * 100 + i / 2;
    check_equal("columns of 4", got.get(), want);
}

#if defined(__CUDACC__) && !defined(__clang__)
__global__ void __block_size__((32, 1, 1), (2, 2, 1)) fours(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = place() + (gridDim.x == 6 && gridDim.y == 2 ? 0 : 10000);
}

static void check_fours()
{
    dev<int> four(12);
    fours<<<dim3(3, 1)>>>(four.p);
    RAN();
    std::vector<int> want;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 6; x++)
            want.push_back((y * 6 + x) * 100 + y * 2 + x % 2);
    check_equal("__block_size__", four.get(), want);
}
#else
static void check_fours() {}
#endif

int main()
{
    dev<int> two(4);
    pairs<<<4, 32>>>(two.p);
    RAN();
    check_equal("__cluster_dims__", two.get(), std::vector<int>{0, 101, 200, 301});
    pairs<<<3, 32>>>(two.p); /* no multiple of the cluster */
    CHECK(cudaGetLastError() != cudaSuccess);
    check_columns();
    check_fours();
    sum<64><<<1, 64, sizeof(tile<64>)>>>(two.p);
    RAN();
    CHECK(two.get()[0] == 64 * 63 / 2);
    return check_result();
}
