#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly>;

static __global__ void find(const char *__restrict__ text, long bytes, pattern wanted, int chunk,
                            unsigned *__restrict__ matches)
{
    long thread = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long begin = thread * chunk, end = min(begin + chunk, bytes - PATTERN_BYTES + 1);
    unsigned count = 0;
    if (begin >= bytes)
        return;
    Lines cache;
    cache.within<0>(text, bytes);
    const swcache::Id<0> text_;
    long i = begin;
    swcache::run(cache, i < end, [&](auto &memory) {
        int k = 0;
        while (k < PATTERN_BYTES && memory.load(text_, &text[i + k]) == wanted.text[k])
            k++;
        if (k == PATTERN_BYTES)
            count++;
        return ++i < end;
    });
    matches[thread] = count;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            find<<<(p.threads + 255) / 256, 256, swcache::shared_bytes<Lines>(find, 256)>>>(p.text, p.bytes, p.wanted,
                                                                                            p.chunk, p.matches);
        });
}
APP_VARIANT("hand", launch);
