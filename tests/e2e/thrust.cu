// Thrust and CUB of Debian's packages, or of a newer CCCL.
// flags: -I/usr/local/cuda/include/cccl
// unless: file not found
// only: clang
#include "check.h"

#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

__global__ void sum(const int *in, int *out)
{
    using blocks = cub::BlockReduce<int, 128>;
    __shared__ typename blocks::TempStorage memory;
    const int all = blocks(memory).Sum(in[threadIdx.x]);
    if (!threadIdx.x)
        *out = all;
}
struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int main()
{
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; i++)
        numbers[i] = i * 7919 % 1000;
    thrust::device_vector<int> v(numbers.begin(), numbers.end()), out(1);
    thrust::sort(v.begin(), v.end());
    std::sort(numbers.begin(), numbers.end());
    CHECK(thrust::reduce(v.begin(), v.end()) == 499500);
    thrust::transform(v.begin(), v.end(), v.begin(), twice());
    for (int i = 0; i < 1000; i += 37)
        CHECK(v[i] == 2 * numbers[i]);
    sum<<<1, 128>>>(thrust::raw_pointer_cast(v.data()), thrust::raw_pointer_cast(out.data()));
    CHECK(out[0] == 127 * 128);
    return check_result();
}
