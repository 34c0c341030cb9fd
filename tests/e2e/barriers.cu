// Barriers that reduce, named barriers between halves of a block, barriers reached by different ways.
#include "check.h"

__global__ void reducing(int *out)
{
    int t = threadIdx.x, *o = out + t * 4;
    o[0] = __syncthreads_count(t % 3 == 0);
    o[1] = __syncthreads_and(t < 1000);
    o[2] = __syncthreads_or(t == 77);
    o[3] = __syncthreads_and(t != 5);
}

// The first two warps and the last two use barriers of their own.
__global__ void named(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;
    s[t] = t;
    if (half == 0)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    int v = s[half * 64 + 63 - t % 64];
    __syncthreads();
    out[t] = v;
}

// Producers arrive without waiting, consumers wait for them.
__global__ void arrive(int *out)
{
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = threadIdx.x * 5;
        __threadfence_block();
        asm volatile("bar.arrive 3, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        out[threadIdx.x - 32] = s[63 - threadIdx.x];
    }
}

// A number and a count that only the run knows: warp 0 waits for warp 2 there, and warp 1 for warp 0 at barrier 3.
__global__ void varying(int *out, int number, int count)
{
    __shared__ volatile int s[2];
    if (threadIdx.x < 32) {
        asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(count) : "memory");
        s[1] = s[0] + 1;
        asm volatile("bar.arrive 3, 64;" ::: "memory");
    } else if (threadIdx.x < 64) {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        out[threadIdx.x - 32] = s[1];
    } else {
        s[0] = 7;
        asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(count) : "memory");
    }
}

// Whole warps meet the same barrier from two places of the program.
__global__ void two_ways(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    if (threadIdx.x < 32) {
        s[threadIdx.x] = 2;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x + 32];
    } else {
        s[threadIdx.x] = 3;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x - 32];
    }
}

int main()
{
    dev<int> out(160 * 4);
    reducing<<<1, 160>>>(out);
    RAN();
    std::vector<int> got = out.get();
    for (int t = 0; t < 160; t++)
        CHECK(got[t * 4] == 54 && got[t * 4 + 1] && got[t * 4 + 2] && !got[t * 4 + 3]);
    named<<<1, 128>>>(out);
    RAN();
    got = out.get();
    for (int t = 0; t < 128; t++)
        CHECK(got[t] == t / 64 * 64 + 63 - t % 64);
    arrive<<<1, 64>>>(out);
    RAN();
    got = out.get();
    for (int t = 0; t < 32; t++)
        CHECK(got[t] == (31 - t) * 5);
    varying<<<1, 96>>>(out, 9, 64);
    RAN();
    CHECK(out.get()[0] == 8);
    two_ways<<<1, 64>>>(out);
    RAN();
    got = out.get();
    for (int t = 0; t < 64; t++)
        CHECK(got[t] == (t < 32 ? 3 : 2));
    return check_result();
}
