#include "problem.h"

static __global__ void price_all(const option_record *__restrict__ options, long count, int per_thread,
                                 price_record *__restrict__ prices)
{
    long begin = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(begin + per_thread, count);
    for (long i = begin; i < end; i++) {
        price_record p =
            price(options[i].spot, options[i].strike, options[i].years, options[i].rate, options[i].volatility);
        prices[i].call = p.call;
        prices[i].put = p.put;
    }
}

static void launch(const problem &p)
{
    long threads = (p.count + p.per_thread - 1) / p.per_thread;
    price_all<<<(int)((threads + 255) / 256), 256>>>(p.options, p.count, p.per_thread, p.prices);
}
APP_VARIANT("plain", launch);
