// A kernel waits for a word that the host would write after the launch, and counts its attempts: a warning.
// run: --max-insn 150000000
// fails: warning: nothing but polling in kernel waits.*if it waits for the host.*host_flag_counted\.cu:(9|10|11)\b.*--max-insn.*cudaErrorLaunchTimeout
#include "fault.h"

__global__ void waits(volatile int *flag, int *attempts)
{
    int n = 0;
    while (*flag == 0)
        n++;
    *attempts = n;
}

int main()
{
    int *flag, *attempts;
    CUDA(cudaMallocManaged(&flag, 4));
    CUDA(cudaMalloc(&attempts, 4));
    *flag = 0;
    waits<<<1, 1>>>(flag, attempts);
    *flag = 1;
    return finish();
}
