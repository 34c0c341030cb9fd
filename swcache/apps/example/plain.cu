#include "problem.h"

static __global__ void compute(const char *__restrict__ charInput, const int *__restrict__ intInput, long count,
                               int per_thread, int *__restrict__ intOutput)
{
    long start = ((long)blockIdx.x * blockDim.x + threadIdx.x) * per_thread, end = min(start + per_thread, count);
    for (long i = start; i < end; i++) {
        char a = charInput[i];
        int b = intInput[i];
        int e = do_computation(a, b);
        intOutput[i] = e;
    }
}

static void launch(const problem &p)
{
    long threads = (p.count + p.per_thread - 1) / p.per_thread;
    compute<<<(int)((threads + 255) / 256), 256>>>(p.chars, p.ints, p.count, p.per_thread, p.out);
}
APP_VARIANT("plain", launch);
