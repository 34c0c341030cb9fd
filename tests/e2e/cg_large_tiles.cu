// Cooperative groups: tiles of several warps, with memory from the program and without, their parts, and tiles of tiles.
// flags: -arch=compute_80
#include "check.h"
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct both {
    float sum;
    int most;
};
struct join {
    __device__ both operator()(const both &a, const both &b) const { return {a.sum + b.sum, a.most > b.most ? a.most : b.most}; }
};

template <int N, class Block> __device__ void fill(const Block &block, const int *in, int *out)
{
    auto tile = cg::tiled_partition<N>(block);
    const int i = block.thread_rank(), n = block.size();
    const int v = in[i];
    out[i] = cg::reduce(tile, v, cg::plus<int>());
    out[n + i] = tile.thread_rank() + 1000 * tile.meta_group_rank() + 100000 * tile.meta_group_size();
    tile.sync();
    out[2 * n + i] = tile.shfl(v, N - 3);
    out[3 * n + i] = tile.any(v == in[5]) + 2 * tile.all(v >= 0) + 4 * tile.all(v == in[5]);
    const both b = cg::reduce(tile, both{(float)v, v}, join());
    out[4 * n + i] = (int)b.sum + b.most;
    auto part = cg::tiled_partition<32>(tile);
    out[5 * n + i] = cg::reduce(part, v, cg::greater<int>()) + 10000 * (int)part.meta_group_rank() + 1000000 * (int)part.meta_group_size();
    // Tiles that come to their barriers unequally often.
    int rounds = 0;
    for (int k = 0; k <= (int)tile.meta_group_rank(); k++) {
        tile.sync();
        rounds += tile.shfl(k, k);
    }
    out[6 * n + i] = rounds;
}

template <int N> __global__ void given(const int *in, int *out)
{
    __shared__ cg::block_tile_memory<1024> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    fill<N>(block, in, out);
}
template <int N> __global__ void own(const int *in, int *out) { fill<N>(cg::this_thread_block(), in, out); }

__global__ void nested(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto four = cg::tiled_partition<4>(warp);
    cg::thread_block_tile<4> plain = four;
    out[threadIdx.x] = four.meta_group_rank() * 100 + plain.meta_group_size() * 10 + four.thread_rank() + 1000 * plain.meta_group_rank();
}

template <int N> static void test(int threads)
{
    rng r(N);
    std::vector<int> in(threads), want(7 * threads);
    for (auto &v : in)
        v = r.below(1000);
    for (int i = 0; i < threads; i++) {
        const int first = i / N * N, warp = i / 32 * 32;
        int sum = 0, most = 0, most_of_warp = 0, same = 0, rounds = 0;
        for (int k = first; k < first + N; k++) {
            sum += in[k];
            most = std::max(most, in[k]);
            same += in[k] == in[5];
        }
        for (int k = warp; k < warp + 32; k++)
            most_of_warp = std::max(most_of_warp, in[k]);
        for (int k = 0; k <= i / N; k++)
            rounds += k;
        want[i] = sum;
        want[threads + i] = i % N + 1000 * (i / N) + 100000 * (threads / N);
        want[2 * threads + i] = in[first + N - 3];
        want[3 * threads + i] = (same > 0) + 2 + 4 * (same == N);
        want[4 * threads + i] = sum + most;
        want[5 * threads + i] = most_of_warp + 10000 * (i % N / 32) + 1000000 * (N / 32);
        want[6 * threads + i] = rounds;
    }
    dev<int> d(in), out(7 * threads);
    given<N><<<1, threads>>>(d, out);
    RAN();
    check_equal("memory given", out.get(), want);
    out.fill(0);
    own<N><<<1, threads>>>(d, out);
    RAN();
    check_equal("memory its own", out.get(), want);
}

int main()
{
    test<64>(64);
    test<64>(1024);
    test<128>(384);
    test<256>(512);
    test<512>(512);
    dev<int> out(64);
    nested<<<1, 64>>>(out);
    RAN();
    std::vector<int> want(64);
    for (int i = 0; i < 64; i++)
        want[i] = i % 32 / 4 * 1100 + 80 + i % 4;
    check_equal("tiles of tiles", out.get(), want);
    return check_result();
}
