#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly, swcache::ReadOnly, swcache::ReadWrite>;

/* The three slices written out, as in the paper. */
static __global__ void compute(const char *__restrict__ charInput, const int *__restrict__ intInput, long count,
                               int per_thread, int *__restrict__ intOutput)
{
    long start = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(start + per_thread, count);
    Lines cache;
    cache.within<0>(charInput, count);
    cache.within<1>(intInput, count * sizeof(int));
    cache.within<2>(intOutput, count * sizeof(int));
    long i = start;
    for (; i < end && cache.monitoring(); i++) {
        char a = cache.watch<0>(&charInput[i]);
        int b = cache.watch<1>(&intInput[i]);
        int e = do_computation(a, b);
        cache.watch<2>(&intOutput[i]) = e;
    }
    cache.select();
    if (cache.active())
        for (; i < end; i++) {
            char a = cache.load<0>(&charInput[i]);
            int b = cache.load<1>(&intInput[i]);
            int e = do_computation(a, b);
            cache.ref<2>(&intOutput[i]) = e;
        }
    else
        for (; i < end; i++) {
            char a = charInput[i];
            int b = intInput[i];
            int e = do_computation(a, b);
            intOutput[i] = e;
        }
    cache.flush();
}

static void launch(const problem &p)
{
    long threads = (p.count + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            compute<<<(int)((threads + 255) / 256), 256, swcache::shared_bytes<Lines>(compute, 256)>>>(
                p.chars, p.ints, p.count, p.per_thread, p.out);
        });
}
APP_VARIANT("hand", launch);
