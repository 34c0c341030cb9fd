#include "problem.h"

static __global__ void add_up(const sale *__restrict__ sales, long count, int per_thread,
                              unsigned long long *__restrict__ revenue)
{
    __shared__ unsigned long long bins[CATEGORIES];
    for (int k = threadIdx.x; k < CATEGORIES; k += blockDim.x)
        bins[k] = 0;
    __syncthreads();
    long begin = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(begin + per_thread, count);
    for (long i = begin; i < end; i++)
        atomicAdd(&bins[sales[i].category % CATEGORIES], (unsigned long long)sales[i].price * sales[i].quantity);
    __syncthreads();
    for (int k = threadIdx.x; k < CATEGORIES; k += blockDim.x)
        atomicAdd(&revenue[k], bins[k]);
}

static void launch(const problem &p)
{
    long threads = (p.count + p.per_thread - 1) / p.per_thread;
    add_up<<<(int)((threads + 255) / 256), 256>>>(p.sales, p.count, p.per_thread, p.revenue);
}
APP_VARIANT("plain", launch);
