// Decisions inside the kernel: what the software cache finds out about a loop's data, and that it finds out again.
#include "check.h"
#include <swcache.cuh>

/* A loop that watches again notices when its data change their behaviour, in both directions. */
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

int main()
{
    drift();
    return check_result();
}
