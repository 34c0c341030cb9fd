#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly, swcache::ReadWrite>;

static __global__ void saxpy(const float *__restrict__ x, float a, int count, float *__restrict__ y)
{
    Lines cache;
    cache.within<0>(x, count * sizeof(float));
    cache.within<1>(y, count * sizeof(float));
    const swcache::Id<0> x_;
    const swcache::Id<1> y_;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    swcache::run(cache, i < count, [&](auto &memory) {
        memory.store(y_, &y[i], memory.load(y_, &y[i]) + a * memory.load(x_, &x[i]));
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
            saxpy<<<min(2048, (p.count + 255) / 256), 256, swcache::shared_bytes<Lines>(saxpy, 256)>>>(p.x, p.a,
                                                                                                       p.count, p.y);
        });
}
APP_VARIANT("hand", launch);
