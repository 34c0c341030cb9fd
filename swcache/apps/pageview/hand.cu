#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::Window>;

static __global__ void count_views(const char *__restrict__ log, long bytes, int chunk, unsigned *__restrict__ views)
{
    long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) * chunk, end = min(i + chunk, bytes);
    if (i >= bytes)
        return;
    Lines cache;
    cache.within<0>(log, bytes);
    const swcache::Id<0> log_;
    if (i > 0)
        while (i < end && cache.watch<0>(&log[i - 1]) != '\n')
            i++;
    swcache::run_together(cache, i < end, [&](auto &memory) {
        // address - - [time] "GET path HTTP/1.1" status size
        while (memory.load(log_, &log[i]) != '"')
            i++;
        while (memory.load(log_, &log[i]) != ' ')
            i++;
        unsigned hash = 2166136261u;
        for (;;) {
            char c = memory.load(log_, &log[++i]);
            if (c == ' ')
                break;
            hash = (hash ^ (unsigned char)c) * 16777619u;
        }
        while (memory.load(log_, &log[i]) != '\n')
            i++;
        i++;
        atomicAdd(&views[hash >> (32 - TABLE_BITS)], 1u);
        return i < end;
    });
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            count_views<<<(p.threads + 255) / 256, 256, swcache::shared_bytes<Lines>(count_views, 256)>>>(
                p.log, p.bytes, p.chunk, p.views);
        });
}
APP_VARIANT("hand", launch);
