#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::Always, swcache::ReadOnlyLine<16>>;

static __global__ void add_up(const sale *__restrict__ sales, long count, int per_thread,
                              unsigned long long *__restrict__ revenue)
{
    __shared__ unsigned long long bins[CATEGORIES];
    for (int k = threadIdx.x; k < CATEGORIES; k += blockDim.x)
        bins[k] = 0;
    __syncthreads();
    long begin = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(begin + per_thread, count);
    Lines cache;
    cache.within<0>(sales, count * sizeof(sale));
    const swcache::Id<0> sales_;
    long i = begin;
    swcache::run(cache, i < end, [&](auto &memory) {
        const sale *s = &sales[i];
        unsigned category = memory.load(sales_, &s->category);
        unsigned long long price = memory.load(sales_, &s->price);
        atomicAdd(&bins[category % CATEGORIES], price * memory.load(sales_, &s->quantity));
        return ++i < end;
    });
    __syncthreads();
    for (int k = threadIdx.x; k < CATEGORIES; k += blockDim.x)
        atomicAdd(&revenue[k], bins[k]);
}

static void launch(const problem &p)
{
    long threads = (p.count + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            add_up<<<(int)((threads + 255) / 256), 256, swcache::shared_bytes<Lines>(add_up, 256)>>>(
                p.sales, p.count, p.per_thread, p.revenue);
        });
}
APP_VARIANT("hand", launch);
