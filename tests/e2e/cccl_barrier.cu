// libcu++'s barriers and pipelines in shared memory, where the toolkit's copy of the headers is installed.
// flags: -I/usr/local/cuda/include/cccl -arch=compute_80
// unless: file not found
// only: clang
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

using barrier = cuda::barrier<cuda::thread_scope_block>;


template <int N> __global__ void pass(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ barrier two [2] ;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
    __shared__ int tile[N];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar, block.size());
        init(&two[0], block.size());
        init(&two[1], block.size());
        count = 0;
    }
    block.sync();
    cuda::memcpy_async(block, tile, in, sizeof tile, bar);
    bar.arrive_and_wait();
    const int v = tile[N - 1 - threadIdx.x];
    two[0].arrive_and_wait();
    tile[threadIdx.x] = v + 1;
    auto token = two[1].arrive();
    count.fetch_add(v, cuda::memory_order_relaxed);
    two[1].wait(std::move(token));
    out[threadIdx.x] = tile[(threadIdx.x + 1) % N];
    bar.arrive_and_wait();
    if (threadIdx.x == 0)
        out[N] = count.load();
}

__global__ void stages(const int *in, int *out, int n)
{
    constexpr int deep = 2;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, deep> state;
    __shared__ int tile[deep][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int next = 0, done = 0; done < n; done++) {
        for (; next < n && next < done + deep; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[next % deep], in + next * 64, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[done * 64 + threadIdx.x] = 2 * tile[done % deep][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

int main()
{
    std::vector<int> v(64 * 5), want(65), piped(64 * 5);
    rng r;
    for (auto &x : v)
        x = r.below(1000);
    for (int i = 0; i < 64; i++) {
        want[i] = v[63 - (i + 1) % 64] + 1;
        want[64] += v[i];
    }
    for (int i = 0; i < 64 * 5; i++)
        piped[i] = 2 * v[i / 64 * 64 + 63 - i % 64];
    dev<int> in(v), out(65), all(64 * 5);
    pass<64><<<1, 64>>>(in, out);
    RAN();
    check_equal("passed", out.get(), want);
    stages<<<1, 64>>>(in, all, 5);
    RAN();
    check_equal("piped", all.get(), piped);
    return check_result();
}
