// Thrust, CUB and libcu++, where the toolkit's copy of their headers is installed.
// flags: -I/usr/local/cuda/include/cccl
// unless: file not found
// only: clang
#include "check.h"
#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/atomic>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

__global__ void scan(const int *in, int *out, int *warps, int *total)
{
    using blocks = cub::BlockScan<int, 128>;
    using lanes = cub::WarpReduce<int>;
    __shared__ typename blocks::TempStorage memory;
    __shared__ typename lanes::TempStorage of_warp[4];
    const int v = in[threadIdx.x], warp = threadIdx.x / 32;
    int before;
    blocks(memory).ExclusiveSum(v, before);
    out[threadIdx.x] = before;
    const int sum = lanes(of_warp[warp]).Sum(v);
    if (threadIdx.x % 32 == 0)
        warps[warp] = sum;
    cuda::atomic_ref<int, cuda::thread_scope_device>(*total).fetch_add(v, cuda::memory_order_relaxed);
}

int main()
{
    rng r;
    std::vector<int> v(128), before(128), warps(4);
    int sum = 0;
    for (int i = 0; i < 128; i++) {
        v[i] = r.below(1000);
        before[i] = sum;
        warps[i / 32] += v[i];
        sum += v[i];
    }
    dev<int> in(v), out(128), of_warps(4), total(std::vector<int>{0});
    scan<<<1, 128>>>(in, out, of_warps, total);
    RAN();
    check_equal("scan", out.get(), before);
    check_equal("warps", of_warps.get(), warps);
    check_equal("total", total.get(), std::vector<int>{sum});

    std::vector<unsigned> many(3000), got(3000);
    for (auto &x : many)
        x = r.next();
    thrust::device_vector<unsigned> d(many);
    thrust::sort(d.begin(), d.end());
    const unsigned added = thrust::reduce(d.begin(), d.end(), 0u);
    thrust::copy(d.begin(), d.end(), got.begin());
    unsigned expected = 0;
    for (unsigned x : many)
        expected += x;
    std::sort(many.begin(), many.end());
    CHECK(got == many);
    CHECK(added == expected);
    return check_result();
}
