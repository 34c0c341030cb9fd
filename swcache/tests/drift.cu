// Decisions inside the kernel: what the software cache finds out about a loop's data, and that it finds out again.
#include "check.h"
#include <swcache.cuh>

/* A loop that watches again notices when its data change their behavior, in both directions. */
__global__ void drifting(const int *data, int count, int steps, bool scattered_first, long long *sums, int *cached)
{
    using Lines = swcache::Cache<swcache::ReadOnly>;
    int thread = threadIdx.x, i = 0;
    long long sum = 0;
    Lines cache;
    cache.within<0>(data, count * sizeof(int));
    const swcache::Id<0> data_;
    swcache::run_watchful<64>(cache, true, [&](auto &memory) {
        bool scattered = (i < steps / 2) == scattered_first;
        unsigned at = thread * steps + i;
        sum += memory.load(data_, &data[scattered ? at * 2654435761u % count : at]) * (long long)(i + 1);
        return ++i < steps;
    });
    sums[thread] = sum;
    atomicAdd(cached, cache.active());
}

static void drift()
{
    const int threads = 64, steps = 700;
    std::vector<int> data(threads * steps);
    rng r(8);
    for (auto &d : data)
        d = (int)r.below(1000);
    dev<int> in(data), cached(1);
    dev<long long> sums(threads);
    for (int scattered_first = 0; scattered_first < 2; scattered_first++) {
        std::vector<long long> want(threads);
        for (int t = 0; t < threads; t++)
            for (int i = 0; i < steps; i++) {
                unsigned at = t * steps + i;
                bool scattered = (i < steps / 2) == scattered_first;
                want[t] += data[scattered ? at * 2654435761u % data.size() : at] * (long long)(i + 1);
            }
        cached.fill(0);
        drifting<<<1, threads, swcache::shared_bytes(drifting, threads, 1)>>>(in, (int)data.size(), steps,
                                                                              scattered_first, sums, cached);
        RAN();
        check_equal("drifting sums", sums.get(), want);
        CHECK(cached.get()[0] == (scattered_first ? threads : 0));
    }
}

/* Warps of one block that choose differently, with lines of different sizes: each keeps its own bytes. */
__global__ void disagreeing(const int *in, int *out, int per_thread, int *wrong, int *chose)
{
    swcache::Cache<swcache::Window, swcache::ReadWrite> cache;
    int count = blockDim.x * per_thread, first = threadIdx.x * per_thread, i = 0, warp = threadIdx.x / 32;
    cache.within<0>(in, count * sizeof(int));
    cache.within<1>(out, count * sizeof(int));
    auto place = [&](int k) { return warp == 2 ? (int)((first + k) * 2654435761u % count) : first + k; };
    for (; cache.monitoring(); i++)
        cache.watch_store<1>(&out[first + i], cache.watch<0>(&in[place(i)]) + 1);
    cache.select();
    atomicAdd(&chose[warp], cache.caches<0>() + 100 * cache.caches<1>());
    for (; i < per_thread; i++) {
        int v = cache.load<0>(&in[place(i)]);
        __syncthreads();
        cache.store<1>(&out[first + i], v + 1);
        __syncthreads();
        if (cache.load<0>(&in[place(i)]) != in[place(i)])
            atomicAdd(wrong, 1);
        __syncthreads();
    }
    cache.flush();
}

static void disagreement()
{
    const int threads = 96, per_thread = 100;
    std::vector<int> data(threads * per_thread), want(data.size());
    rng r(9);
    for (auto &d : data)
        d = (int)r.below(1000000);
    for (int i = 0; i < (int)data.size(); i++)
        want[i] = data[i / per_thread / 32 == 2 ? i * 2654435761u % data.size() : i] + 1;
    dev<int> in(data), out(data.size()), wrong(1), chose(3);
    wrong.fill(0);
    chose.fill(0);
    using Lines = swcache::Cache<swcache::Window, swcache::ReadWrite>;
    disagreeing<<<1, threads, swcache::shared_bytes<Lines>(disagreeing, threads)>>>(in, out, per_thread, wrong, chose);
    RAN();
    check_equal("lines of other warps", wrong.get(), std::vector<int>{0});
    check_equal("what the warps chose", chose.get(), std::vector<int>{3232, 3232, 3200});
    check_equal("after a disagreement", out.get(), want);
}

int main()
{
    drift();
    disagreement();
    return check_result();
}
