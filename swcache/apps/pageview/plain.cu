#include "problem.h"

static __global__ void count_views(const char *__restrict__ log, long bytes, int chunk, unsigned *__restrict__ views)
{
    long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) * chunk, end = min(i + chunk, bytes);
    if (i >= bytes)
        return;
    if (i > 0)
        while (i < end && log[i - 1] != '\n')
            i++;
    while (i < end) {
        // address - - [time] "GET path HTTP/1.1" status size
        while (log[i] != '"')
            i++;
        while (log[i] != ' ')
            i++;
        unsigned hash = 2166136261u;
        for (i++; log[i] != ' '; i++)
            hash = (hash ^ (unsigned char)log[i]) * 16777619u;
        while (log[i] != '\n')
            i++;
        i++;
        atomicAdd(&views[hash >> (32 - TABLE_BITS)], 1u);
    }
}

static void launch(const problem &p)
{
    count_views<<<(p.threads + 255) / 256, 256>>>(p.log, p.bytes, p.chunk, p.views);
}
APP_VARIANT("plain", launch);
