// A kernel that never ends, stopped by --max-insn.
// run: --max-insn 100000
// fails: more than 100000 warp instructions.*runaway\.cu:.*cudaErrorLaunchTimeout
#include "fault.h"

__global__ void forever(unsigned *p)
{
    unsigned x = *p;
    for (;;) {
        x = x * 3 + 1;
        if (x == 12345 && *p == 99)
            break;
        *(volatile unsigned *)p = x;
    }
}

int main()
{
    unsigned *p;
    CUDA(cudaMalloc(&p, 4));
    CUDA(cudaMemset(p, 0, 4));
    forever<<<1, 32>>>(p);
    return finish();
}
