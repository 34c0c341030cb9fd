/*
 * Sum of a float array.
 *
 * Origin: SHOC, Reduction. 64 blocks of 256 threads; each thread adds elements at the stride of the grid, two at a time,
 * the block reduces in shared memory, the host adds the blocks' sums. Original 1 to 64 MB; "paper" is 64 MB once.
 */
#include "../common/suite.h"

#include <vector>

enum { THREADS = 256, BLOCKS = 64 };

__global__ void reduce(const float *in, float *out, unsigned n)
{
    extern __shared__ volatile float s[];
    unsigned tid = threadIdx.x, i = blockIdx.x * (THREADS * 2) + tid;
    const unsigned grid = THREADS * 2 * gridDim.x;
    s[tid] = 0;
    while (i < n) {
        s[tid] += in[i] + in[i + THREADS];
        i += grid;
    }
    __syncthreads();
    for (unsigned k = THREADS / 2; k > 0; k >>= 1) {
        if (tid < k)
            s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
    unsigned n = suite_pick(suite_parse_size(argc, argv), 131072u, 10u << 20, 16u << 20);
    std::vector<float> in(n), part(BLOCKS);
    double expect = 0, got = 0;
    for (unsigned i = 0; i < n; i++) {
        in[i] = (float)(i % 3);
        expect += in[i];
    }
    float *din = suite_to_device(in.data(), n), *dout = suite_device<float>(BLOCKS);
    reduce<<<BLOCKS, THREADS, THREADS * sizeof(float)>>>(din, dout, n);
    SUITE_LAUNCHED();
    suite_to_host(part.data(), dout, BLOCKS);
    for (float x : part)
        got += x;
    return suite_done("reduction", argc, argv, suite_diff("sum", &got, &expect, 1, 1e-6, 0));
}
