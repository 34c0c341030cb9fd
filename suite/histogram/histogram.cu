/*
 * Histograms of bytes with 64 and with 256 bins.
 *
 * Origin: CUDA SDK, histogram. 64 bins: 64 threads per block, each with counters of one byte for itself in shared memory,
 * at most 240 bytes per thread, read 16 at a time at the stride of the grid; the block adds its threads' counters. 256
 * bins: six warps per block, one histogram per warp in shared memory, words of four bytes at the stride of the grid,
 * atomicAdd in shared memory. Partial histograms are merged by a second kernel (one block per bin).
 * Original 64 MB of data; "paper" is 48 MB.
 */
#include "../common/suite.h"

#include <vector>

enum { WARPS = 6, THREADS = WARPS * 32, BINS = 256, PARTIALS = 240, MERGE_THREADS = 256 };
enum { THREADS64 = 64, BINS64 = 64, BYTES_PER_THREAD64 = 240, BANKS64 = 16 };

__global__ void partial64(unsigned *out, const uint4 *data, unsigned n)
{
    __shared__ unsigned char hist[THREADS64 * BINS64];
    /* Neighboring threads' counters lie in neighboring words. */
    unsigned t = threadIdx.x, place = (t & (BANKS64 - 1)) << 2 | (t & (BANKS64 * 3)) >> 4;
    for (unsigned i = 0; i < BINS64 / 4; i++)
        ((unsigned *)hist)[t + i * THREADS64] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * THREADS64 + t; i < n; i += THREADS64 * gridDim.x) {
        uint4 v = data[i];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int w = 0; w < 4; w++)
#pragma unroll
            for (int shift = 2; shift < 32; shift += 8) /* the upper six bits of each byte */
                hist[place + (words[w] >> shift & 0x3f) * THREADS64]++;
    }
    __syncthreads();
    unsigned sum = 0, at = 4 * (t & (BANKS64 - 1));
    for (unsigned i = 0; i < THREADS64 / 4; i++) {
        const unsigned char *four = &hist[t * THREADS64 + at];
        sum += four[0] + four[1] + four[2] + four[3];
        at = (at + 4) & (THREADS64 - 1);
    }
    out[blockIdx.x * BINS64 + t] = sum;
}

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

__global__ void merge(unsigned *hist, const unsigned *partials, unsigned n, unsigned bins)
{
    __shared__ unsigned s[MERGE_THREADS];
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += MERGE_THREADS)
        sum += partials[blockIdx.x + i * bins];
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
    size_t words = suite_pick<size_t>(suite_parse_size(argc, argv), 16384, 1 << 20, 12 << 20);
    std::vector<unsigned> data(words), expect(BINS, 0), expect64(BINS64, 0), got(BINS), got64(BINS64);
    suite_rng r(13);
    for (unsigned &w : data) {
        w = (unsigned)(r.next() & r.next()); /* uneven bins, as in photographs */
        for (int k = 0; k < 4; k++) {
            expect[w >> 8 * k & 0xff]++;
            expect64[w >> (8 * k + 2) & 0x3f]++;
        }
    }
    unsigned partials64 = (unsigned)((words * 4 + THREADS64 * BYTES_PER_THREAD64 - 1) / (THREADS64 * BYTES_PER_THREAD64));
    unsigned *dd = suite_to_device(data.data(), words), *dp64 = suite_device<unsigned>(partials64 * BINS64),
             *dp = suite_device<unsigned>(PARTIALS * BINS), *dh = suite_device<unsigned>(BINS);
    partial64<<<partials64, THREADS64>>>(dp64, (const uint4 *)dd, (unsigned)(words / 4));
    merge<<<BINS64, MERGE_THREADS>>>(dh, dp64, partials64, BINS64);
    SUITE_LAUNCHED();
    suite_to_host(got64.data(), dh, BINS64);
    partial<<<PARTIALS, THREADS>>>(dp, dd, (unsigned)words);
    merge<<<BINS, MERGE_THREADS>>>(dh, dp, PARTIALS, BINS);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dh, BINS);
    return suite_done("histogram", argc, argv,
                      suite_diff_exact("bin of 64", got64.data(), expect64.data(), BINS64) +
                          suite_diff_exact("bin", got.data(), expect.data(), BINS));
}
