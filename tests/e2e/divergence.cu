// Threads of a warp take different ways through nested branches and meet again.
#include "check.h"

__host__ __device__ static int path(int i, int x)
{
    int r = 0;
    if (x & 1) {
        r += 1;
        if (x & 2) {
            r += 10;
            if (i % 3 == 0)
                r *= 2;
            else if (i % 3 == 1)
                r -= 5;
        } else {
            r += 100;
        }
        r ^= 0x55;
    } else {
        if ((x & 6) == 6)
            r = x * 3;
        else
            r = x < 50 ? -x : x + i;
    }
    return (x > 90 || (i & 4 && x < 20)) ? r + 1000 : r;
}

__global__ void walk(const int *in, int *out, int *met, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = path(i, in[i]);
    // All branches have joined here: the whole warp takes part.
    met[i] = __popc(__ballot_sync(0xffffffff, 1));
}

int main()
{
    const int n = 4096;
    rng r(7);
    std::vector<int> in(n), want(n), met(n, 32);
    for (int i = 0; i < n; i++) {
        in[i] = (int)r.below(100);
        want[i] = path(i, in[i]);
    }
    dev<int> din(in), dout(n), dmet(n);
    walk<<<n / 128, 128>>>(din, dout, dmet, n);
    RAN();
    check_equal("paths", dout.get(), want);
    check_equal("threads that met", dmet.get(), met);
    return check_result();
}
