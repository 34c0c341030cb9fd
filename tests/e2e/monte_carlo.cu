// Pi by random points: a generator per thread, counts reduced by the warp, exact against the same on the CPU.
#include "check.h"

__host__ __device__ static unsigned hits(unsigned seed, int n)
{
    unsigned long long x = seed * 0x9e3779b97f4a7c15ull + 1;
    unsigned count = 0;
    for (int i = 0; i < n; i++) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        unsigned long long v = x * 0x2545f4914f6cdd1dull;
        float a = (float)(unsigned)(v >> 40) / 16777216.0f, b = (float)((unsigned)v >> 8) / 16777216.0f;
        float d = a * a;
        count += d + b * b < 1.0f;
    }
    return count;
}
__global__ void sample(unsigned *total, unsigned *each, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = hits(i, n);
    each[i] = h;
    for (int s = 16; s > 0; s /= 2)
        h += __shfl_xor_sync(0xffffffff, h, s);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, h);
}

int main()
{
    const int threads = 512, n = 100;
    dev<unsigned> total(1), each(threads);
    total.fill(0);
    sample<<<threads / 128, 128>>>(total, each, n);
    RAN();
    std::vector<unsigned> got = each.get();
    unsigned sum = 0;
    for (int i = 0; i < threads; i++) {
        sum += got[i];
        // A fused multiply-add may round a point on the circle's edge the other way.
        CHECK(abs((int)got[i] - (int)hits((unsigned)i, n)) <= 1);
    }
    CHECK(total.get()[0] == sum);
    CHECK(std::fabs(4.0 * sum / (threads * n) - 3.14159) < 0.05);
    return check_result();
}
