#include "problem.h"
#include <swcache.cuh>

static __global__ void find(const char *__restrict__ text, long bytes, pattern wanted, int chunk,
                            unsigned *__restrict__ matches)
{
    long thread = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long begin = thread * chunk, end = min(begin + chunk, bytes - PATTERN_BYTES + 1);
    unsigned count = 0;
    if (begin >= bytes)
        return;
    swcache::slide<PATTERN_BYTES>(&text[begin], &text[end], [&](auto ahead) {
        int k = 0;
#pragma unroll
        while (k < PATTERN_BYTES && ahead[k] == wanted.text[k])
            k++;
        if (k == PATTERN_BYTES)
            count++;
    });
    matches[thread] = count;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] { find<<<(p.threads + 255) / 256, 256>>>(p.text, p.bytes, p.wanted, p.chunk, p.matches); });
}
APP_VARIANT("hand", launch);
