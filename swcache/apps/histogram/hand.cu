#include "problem.h"
#include <swcache.cuh>

static __global__ void add_up(const sale *__restrict__ sales, long count, int per_thread,
                              unsigned long long *__restrict__ revenue)
{
    __shared__ unsigned long long bins[CATEGORIES];
    for (int k = threadIdx.x; k < CATEGORIES; k += blockDim.x)
        bins[k] = 0;
    __syncthreads();
    long begin = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(begin + per_thread, count);
    swcache::scan(&sales[begin], &sales[end],
                  [&](sale s) { atomicAdd(&bins[s.category % CATEGORIES], (unsigned long long)s.price * s.quantity); });
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
        [&] { add_up<<<(int)((threads + 255) / 256), 256>>>(p.sales, p.count, p.per_thread, p.revenue); });
}
APP_VARIANT("hand", launch);
