#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly, swcache::ReadWrite>;

static __global__ void price_all(const option_record *__restrict__ options, long count, int per_thread,
                                 price_record *__restrict__ prices)
{
    long begin = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(begin + per_thread, count);
    Lines cache;
    cache.within<0>(options, count * sizeof(option_record));
    cache.within<1>(prices, count * sizeof(price_record));
    const swcache::Id<0> options_;
    const swcache::Id<1> prices_;
    long i = begin;
    swcache::run(cache, i < end, [&](auto &memory) {
        const option_record *o = &options[i];
        float spot = memory.load(options_, &o->spot), strike = memory.load(options_, &o->strike);
        float years = memory.load(options_, &o->years), rate = memory.load(options_, &o->rate);
        price_record p = price(spot, strike, years, rate, memory.load(options_, &o->volatility));
        memory.store(prices_, &prices[i].call, p.call);
        memory.store(prices_, &prices[i].put, p.put);
        return ++i < end;
    });
}

static void launch(const problem &p)
{
    long threads = (p.count + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            price_all<<<(int)((threads + 255) / 256), 256, swcache::shared_bytes<Lines>(price_all, 256)>>>(
                p.options, p.count, p.per_thread, p.prices);
        });
}
APP_VARIANT("hand", launch);
