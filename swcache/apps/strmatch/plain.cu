#include "problem.h"

static __global__ void find(const char *__restrict__ text, long bytes, pattern wanted, int chunk,
                            unsigned *__restrict__ matches)
{
    long thread = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long begin = thread * chunk, end = min(begin + chunk, bytes - PATTERN_BYTES + 1);
    unsigned count = 0;
    if (begin >= bytes)
        return;
    for (long i = begin; i < end; i++) {
        int k = 0;
        while (k < PATTERN_BYTES && text[i + k] == wanted.text[k])
            k++;
        if (k == PATTERN_BYTES)
            count++;
    }
    matches[thread] = count;
}

static void launch(const problem &p)
{
    find<<<(p.threads + 255) / 256, 256>>>(p.text, p.bytes, p.wanted, p.chunk, p.matches);
}
APP_VARIANT("plain", launch);
