#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly>;

static __global__ void gather(const unsigned *__restrict__ table, unsigned mask, int threads, int per_thread,
                              unsigned *__restrict__ sums)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads)
        return;
    unsigned sum = 0, state = thread * 2654435761u + 12345u;
    Lines cache;
    cache.within<0>(table, ((size_t)mask + 1) * sizeof(unsigned));
    const swcache::Id<0> table_;
    int k = 0;
    swcache::run(cache, k < per_thread, [&](auto &memory) {
        state = state * 1664525u + 1013904223u;
        sum += memory.load(table_, &table[(state >> 5) & mask]);
        return ++k < per_thread;
    });
    sums[thread] = sum;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            gather<<<(p.threads + 255) / 256, 256, swcache::shared_bytes<Lines>(gather, 256)>>>(
                p.table, p.mask, p.threads, p.per_thread, p.sums);
        });
}
APP_VARIANT("hand", launch);
