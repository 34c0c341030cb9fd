// Cooperative groups within a block: tiles of every size, reductions, scans, coalesced groups.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <int N> __global__ void tiles(const int *in, int *sum, int *scan, unsigned *info)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank();
    sum[i] = cg::reduce(tile, in[i], cg::plus<int>());
    scan[i] = cg::exclusive_scan(tile, in[i]);
    unsigned odd = tile.ballot(in[i] & 1);
    info[i] = tile.thread_rank() | tile.meta_group_rank() << 8 | (unsigned)tile.any(odd) << 16 |
              (unsigned)__popc(odd) << 20 | (unsigned)(tile.shfl(in[i], 0) & 3) << 28;
    block.sync();
}

__global__ void coalesced(int *total, int *sizes)
{
    if (threadIdx.x % 3 == 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        int sum = cg::reduce(g, (int)threadIdx.x, cg::plus<int>());
        if (g.thread_rank() == 0)
            atomicAdd(total, sum);
        sizes[threadIdx.x] = (int)g.size() * 100 + (int)g.thread_rank();
    }
}

struct odd_size {
    unsigned char b[5];
};

// Whole structures travel from lane to lane.
__global__ void exchange(unsigned *out)
{
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    uint4 v = tile.shfl_xor(make_uint4(t, t + 100, t + 200, t + 300), 1);
    odd_size o = {{(unsigned char)t, 1, 2, 3, (unsigned char)(t + 4)}};
    o = tile.shfl_down(o, 2);
    double d = tile.shfl(t * 1.5, 3);
    out[t] = v.x + v.y + v.z + v.w + o.b[0] * 4096 + o.b[4] * 65536 + (d == 4.5) * 0x1000000;
}

template <int N> static void test(const std::vector<int> &in)
{
    const int n = (int)in.size();
    dev<int> d(in), sum(n), scan(n);
    dev<unsigned> info(n);
    tiles<N><<<n / 96, 96>>>(d, sum, scan, info);
    RAN();
    std::vector<int> wsum(n), wscan(n);
    std::vector<unsigned> winfo(n);
    for (int i = 0; i < n; i++) {
        int base = i / N * N, odd = 0;
        for (int k = base; k < base + N; k++) {
            wsum[i] += in[k];
            odd += in[k] & 1;
            if (k < i)
                wscan[i] += in[k];
        }
        winfo[i] = i % N | (i % 96 / N) << 8 | (unsigned)(odd > 0) << 16 | (unsigned)odd << 20 | (unsigned)(in[base] & 3) << 28;
    }
    check_equal("sums", sum.get(), wsum);
    check_equal("scans", scan.get(), wscan);
    check_equal("info", info.get(), winfo);
}

int main()
{
    rng r(17);
    std::vector<int> in(96 * 4);
    for (auto &v : in)
        v = (int)r.below(8);
    test<32>(in);
    test<16>(in);
    test<8>(in);
    test<4>(in);
    test<2>(in);
    dev<int> total(1), sizes(64);
    total.fill(0);
    sizes.fill(0);
    coalesced<<<1, 64>>>(total, sizes);
    RAN();
    int want = 0;
    std::vector<int> wsizes(64);
    for (int w = 0; w < 2; w++) {
        int count = 0, rank = 0;
        for (int i = 32 * w; i < 32 * w + 32; i++)
            count += i % 3 == 1;
        for (int i = 32 * w; i < 32 * w + 32; i++)
            if (i % 3 == 1) {
                want += i;
                wsizes[i] = count * 100 + rank++;
            }
    }
    CHECK(total.get()[0] == want);
    check_equal("sizes", sizes.get(), wsizes);

    dev<unsigned> words(32);
    exchange<<<1, 32>>>(words);
    RAN();
    std::vector<unsigned> wwords(32);
    for (unsigned t = 0; t < 32; t++) {
        unsigned from = t + 2 < 32 ? t + 2 : t;
        wwords[t] = 4 * (t ^ 1) + 600 + from * 4096 + (from + 4) * 65536 + 0x1000000;
    }
    check_equal("structures", words.get(), wwords);
    return check_result();
}
