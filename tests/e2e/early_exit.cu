// Threads that return early, from inside loops and branches, while their neighbors go on to barriers and votes.
#include "check.h"

__global__ void leave(const int *in, int *out, int *alive)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    if (x < 0) {
        out[i] = -1;
        return;
    }
    int sum = 0;
    for (int k = 0; k < 100; k++) {
        sum += k;
        if (k == x) {
            out[i] = sum;
            if (x & 1)
                return;
            break;
        }
    }
    unsigned mask = __activemask();
    alive[i] = (mask >> (threadIdx.x & 31)) & 1;
    out[i] += 1;
}

// Whole warps leave before the barrier; the rest must not wait for them.
__global__ void barrier_after_exit(int *out)
{
    __shared__ int tile[128];
    if (threadIdx.x >= 64)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

int main()
{
    const int n = 1024;
    rng r(5);
    std::vector<int> in(n), want(n), alive(n);
    for (int i = 0; i < n; i++) {
        in[i] = (int)r.below(60) - 10;
        want[i] = in[i] < 0 ? -1 : in[i] * (in[i] + 1) / 2 + (in[i] & 1 ? 0 : 1);
        alive[i] = in[i] >= 0 && !(in[i] & 1);
    }
    dev<int> din(in), dout(n), dalive(n), second(128);
    dalive.fill(0);
    leave<<<n / 128, 128>>>(din, dout, dalive);
    barrier_after_exit<<<2, 128>>>(second);
    RAN();
    check_equal("results", dout.get(), want);
    check_equal("alive", dalive.get(), alive);
    std::vector<int> reversed;
    for (int i = 0; i < 128; i++)
        reversed.push_back(63 - i % 64);
    check_equal("barrier", second.get(), reversed);
    return check_result();
}
