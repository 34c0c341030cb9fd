// Bitonic sort: in shared memory for one block, and across blocks with one launch per step.
#include "check.h"
#include <algorithm>

__global__ void sort_block(unsigned *data)
{
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x, base = blockIdx.x * 512;
    s[t] = data[base + t];
    s[t + 256] = data[base + t + 256];
    for (unsigned size = 2; size <= 512; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned i = 2 * t - (t & (stride - 1));
            bool up = ((i + base) & size) == 0 || (size == 512 && (blockIdx.x & 1) == 0);
            if (size == 512)
                up = (blockIdx.x & 1) == 0;
            if ((s[i] > s[i + stride]) == up) {
                unsigned x = s[i];
                s[i] = s[i + stride];
                s[i + stride] = x;
            }
        }
    __syncthreads();
    data[base + t] = s[t];
    data[base + t + 256] = s[t + 256];
}
__global__ void merge_step(unsigned *data, unsigned size, unsigned stride)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
    bool up = (i & size) == 0;
    unsigned a = data[i], b = data[i + stride];
    if ((a > b) == up) {
        data[i] = b;
        data[i + stride] = a;
    }
}

int main()
{
    const unsigned n = 8192;
    rng r(27);
    std::vector<unsigned> data(n);
    for (auto &v : data)
        v = r.next();
    dev<unsigned> d(data);
    sort_block<<<n / 512, 256>>>(d);
    for (unsigned size = 1024; size <= n; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2)
            merge_step<<<n / 512, 256>>>(d, size, stride);
    RAN();
    std::sort(data.begin(), data.end());
    check_equal("sorted", d.get(), data);
    return check_result();
}
