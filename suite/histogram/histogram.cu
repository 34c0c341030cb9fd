/*
 * 256-bin histogram of bytes.
 *
 * Origin: CUDA SDK, histogram (the 256-bin variant). Six warps per block, one sub-histogram per warp in shared memory,
 * words of four bytes read at the stride of the grid, atomicAdd in shared memory, partial histograms merged by a second
 * kernel (one block per bin). Original 64 MB of data, which is "paper".
 */
#include "../common/suite.h"

#include <vector>

enum { WARPS = 6, THREADS = WARPS * 32, BINS = 256, PARTIALS = 240, MERGE_THREADS = 256 };

__global__ void partial(unsigned *out, const unsigned *data, unsigned n)
{
    __shared__ unsigned hist[WARPS * BINS];
    unsigned *mine = hist + (threadIdx.x >> 5) * BINS;
    for (unsigned i = threadIdx.x; i < WARPS * BINS; i += THREADS)
        hist[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x) {
        unsigned w = data[i];
        atomicAdd(&mine[w & 0xff], 1u);
        atomicAdd(&mine[w >> 8 & 0xff], 1u);
        atomicAdd(&mine[w >> 16 & 0xff], 1u);
        atomicAdd(&mine[w >> 24], 1u);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < BINS; bin += THREADS) {
        unsigned sum = 0;
        for (unsigned w = 0; w < WARPS; w++)
            sum += hist[bin + w * BINS];
        out[blockIdx.x * BINS + bin] = sum;
    }
}

__global__ void merge(unsigned *hist, const unsigned *partials, unsigned n)
{
    __shared__ unsigned s[MERGE_THREADS];
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += MERGE_THREADS)
        sum += partials[blockIdx.x + i * BINS];
    s[threadIdx.x] = sum;
    for (unsigned stride = MERGE_THREADS / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride)
            s[threadIdx.x] += s[threadIdx.x + stride];
    }
    if (threadIdx.x == 0)
        hist[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
    size_t words = suite_pick<size_t>(suite_parse_size(argc, argv), 16384, 3 << 20, 1 << 24);
    std::vector<unsigned> data(words), expect(BINS, 0), got(BINS);
    suite_rng r(13);
    for (unsigned &w : data) {
        w = (unsigned)(r.next() & r.next()); /* uneven bins, as in photographs */
        for (int k = 0; k < 4; k++)
            expect[w >> 8 * k & 0xff]++;
    }
    unsigned *dd = suite_to_device(data.data(), words), *dp = suite_device<unsigned>(PARTIALS * BINS),
             *dh = suite_device<unsigned>(BINS);
    partial<<<PARTIALS, THREADS>>>(dp, dd, (unsigned)words);
    merge<<<BINS, MERGE_THREADS>>>(dh, dp, PARTIALS);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dh, BINS);
    return suite_done("histogram", argc, argv, suite_diff_exact("bin", got.data(), expect.data(), BINS));
}
