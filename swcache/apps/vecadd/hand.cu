#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly, swcache::ReadOnly, swcache::ReadWrite>;

static __global__ void add(const float *__restrict__ a, const float *__restrict__ b, int count, float *__restrict__ sum)
{
    Lines cache;
    cache.within<0>(a, count * sizeof(float));
    cache.within<1>(b, count * sizeof(float));
    cache.within<2>(sum, count * sizeof(float));
    const swcache::Id<0> a_;
    const swcache::Id<1> b_;
    const swcache::Id<2> sum_;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    swcache::run(cache, i < count, [&](auto &memory) {
        memory.store(sum_, &sum[i], memory.load(a_, &a[i]) + memory.load(b_, &b[i]));
        i += gridDim.x * blockDim.x;
        return i < count;
    });
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            add<<<min(2048, (p.count + 255) / 256), 256, swcache::shared_bytes<Lines>(add, 256)>>>(p.a, p.b, p.count,
                                                                                                   p.sum);
        });
}
APP_VARIANT("hand", launch);
