// Critical sections: a lock taken by one thread of each block, and one taken by every thread of a warp in turn.
#include "check.h"

__device__ int lock, counter;

__device__ static void acquire(int *l)
{
    while (atomicCAS(l, 0, 1) != 0)
        ;
    __threadfence();
}
__device__ static void release(int *l)
{
    __threadfence();
    atomicExch(l, 0);
}

__global__ void per_block(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == 0) {
            acquire(&lock);
            int v = *(volatile int *)&counter;
            __threadfence();
            *(volatile int *)&counter = v + 1;
            release(&lock);
        }
        __syncthreads();
    }
}

// The loop with the test inside works also where threads of a warp cannot wait for each other.
__global__ void per_thread(int *l, int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(l, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)sum += threadIdx.x;
            __threadfence();
            atomicExch(l, 0);
            done = true;
        }
    }
}

int main()
{
    per_block<<<12, 64>>>(10);
    RAN();
    int got;
    CUDA(cudaMemcpyFromSymbol(&got, counter, sizeof got));
    CHECK(got == 120);
    dev<int> l(1), sum(1);
    l.fill(0);
    sum.fill(0);
    per_thread<<<4, 96>>>(l, sum);
    RAN();
    CHECK(sum.get()[0] == 4 * 96 * 95 / 2);
    return check_result();
}
