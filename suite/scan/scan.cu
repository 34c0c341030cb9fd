/*
 * Exclusive prefix sum of 32-bit integers.
 *
 * Origin: CUDA SDK, scan (and the SHOC scan, same structure). 256 threads per block, each scans four consecutive elements
 * in registers (one uint4 load), the block scans the per-thread sums in shared memory with double-width padding instead of
 * branches; sums of blocks are scanned by one more level and added back.
 * Original up to 13 million elements; "paper" is 4 Mi.
 */
#include "../common/suite.h"

#include <vector>

enum { THREADS = 256, PER_BLOCK = 4 * THREADS };

/* Inclusive scan over the block; `s` has 2 * THREADS entries, the lower half zero. */
static __device__ unsigned block_scan(unsigned value, volatile unsigned *s)
{
    unsigned pos = threadIdx.x;
    s[pos] = 0;
    pos += THREADS;
    s[pos] = value;
    for (unsigned offset = 1; offset < THREADS; offset <<= 1) {
        __syncthreads();
        unsigned t = s[pos] + s[pos - offset];
        __syncthreads();
        s[pos] = t;
    }
    return s[pos];
}

__global__ void scan_blocks(uint4 *out, const uint4 *in, unsigned *sums)
{
    __shared__ unsigned s[2 * THREADS];
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    uint4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    unsigned before = block_scan(v.w, s) - v.w;
    uint4 r = make_uint4(before, before + v.x, before + v.y, before + v.z);
    out[i] = r;
    if (sums && threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = before + v.w;
}

__global__ void add_sums(uint4 *data, const unsigned *sums)
{
    __shared__ unsigned s;
    if (threadIdx.x == 0)
        s = sums[blockIdx.x];
    __syncthreads();
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    uint4 v = data[i];
    v.x += s;
    v.y += s;
    v.z += s;
    v.w += s;
    data[i] = v;
}

/* n is a multiple of PER_BLOCK. */
static void scan(unsigned *out, const unsigned *in, size_t n)
{
    size_t blocks = n / PER_BLOCK, padded = (blocks + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;
    if (blocks == 1) {
        scan_blocks<<<1, THREADS>>>((uint4 *)out, (const uint4 *)in, nullptr);
        SUITE_LAUNCHED();
        return;
    }
    unsigned *sums = suite_device<unsigned>(padded), *before = suite_device<unsigned>(padded);
    SUITE_CUDA(cudaMemset(sums, 0, padded * sizeof(unsigned)));
    scan_blocks<<<(unsigned)blocks, THREADS>>>((uint4 *)out, (const uint4 *)in, sums);
    SUITE_LAUNCHED();
    scan(before, sums, padded);
    add_sums<<<(unsigned)blocks, THREADS>>>((uint4 *)out, before);
    SUITE_LAUNCHED();
    cudaFree(sums);
    cudaFree(before);
}

int main(int argc, char **argv)
{
    size_t n = suite_pick<size_t>(suite_parse_size(argc, argv), 16384, 1 << 21, 1 << 22);
    std::vector<unsigned> in(n), expect(n), got(n);
    suite_rng r(7);
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        in[i] = r.below(1000);
        expect[i] = sum;
        sum += in[i];
    }
    unsigned *din = suite_to_device(in.data(), n), *dout = suite_device<unsigned>(n);
    scan(dout, din, n);
    suite_to_host(got.data(), dout, n);
    return suite_done("scan", argc, argv, suite_diff_exact("scan", got.data(), expect.data(), n));
}
