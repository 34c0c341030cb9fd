#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly>;

static __global__ void add_bytes(const char *__restrict__ text, int per_thread, int threads,
                                 unsigned *__restrict__ sums)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads)
        return;
    unsigned sum = 0;
    Lines cache;
    cache.within<0>(text, (size_t)per_thread * threads);
    const swcache::Id<0> text_;
    int i = 0;
    swcache::run(cache, i < per_thread, [&](auto &memory) {
        sum = sum * 31 + (unsigned char)memory.load(text_, &text[(long)thread * per_thread + i]);
        return ++i < per_thread;
    });
    sums[thread] = sum;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            add_bytes<<<(p.threads + 127) / 128, 128, swcache::shared_bytes<Lines>(add_bytes, 128)>>>(
                p.text, p.per_thread, p.threads, p.sums);
        });
}
APP_VARIANT("hand", launch);
