#include "problem.h"

static __global__ void gather(const unsigned *__restrict__ table, unsigned mask, int threads, int per_thread,
                              unsigned *__restrict__ sums)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads)
        return;
    unsigned sum = 0, state = thread * 2654435761u + 12345u;
    for (int k = 0; k < per_thread; k++) {
        state = state * 1664525u + 1013904223u;
        sum += table[(state >> 5) & mask];
    }
    sums[thread] = sum;
}

static void launch(const problem &p)
{
    gather<<<(p.threads + 255) / 256, 256>>>(p.table, p.mask, p.threads, p.per_thread, p.sums);
}
APP_VARIANT("plain", launch);
