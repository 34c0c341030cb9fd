/*
 * Exclusive prefix sums of 32-bit integers, many arrays at once.
 *
 * Origin: CUDA SDK, scan. 256 threads per block scan 1024 elements: four each in registers (one uint4 load), the sums of
 * the threads in shared memory with zero padding instead of branches. Short arrays (up to 1024) end there. For large ones
 * (up to 262144) a second kernel scans the sums of blocks, which it takes from the last elements of input and output
 * (4 KB apart), and a third adds them. Simplified: one short and one large length (1024 and 262144) of the 17 that the
 * original tries one after the other. Original 6.5 Mi elements in all, which is "paper".
 */
#include "../common/suite.h"

#include <vector>

enum { THREADS = 256, BLOCK = 4 * THREADS, LARGE = BLOCK * THREADS };

/* Inclusive scan of `size` values side by side; `s` has 2 * THREADS entries. */
static __device__ unsigned scan_sums(unsigned value, volatile unsigned *s, unsigned size)
{
    unsigned pos = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    s[pos] = 0;
    pos += size;
    s[pos] = value;
    for (unsigned offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        unsigned t = s[pos] + s[pos - offset];
        __syncthreads();
        s[pos] = t;
    }
    return s[pos];
}

__global__ void scan_short(uint4 *out, const uint4 *in, unsigned length)
{
    __shared__ unsigned s[2 * THREADS];
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    uint4 v = in[i];
    unsigned xy = v.x + v.y, xyz = xy + v.z, all = xyz + v.w;
    unsigned before = scan_sums(all, s, length / 4) - all;
    out[i] = make_uint4(before, before + v.x, before + xy, before + xyz);
}

__global__ void scan_blocks(unsigned *sums, const unsigned *out, const unsigned *in, unsigned blocks, unsigned per_array)
{
    __shared__ unsigned s[2 * THREADS];
    unsigned i = blockIdx.x * THREADS + threadIdx.x, last = BLOCK - 1 + BLOCK * i, value = 0;
    if (i < blocks)
        value = out[last] + in[last];
    unsigned before = scan_sums(value, s, per_array) - value;
    if (i < blocks)
        sums[i] = before;
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

static size_t wrong(const char *what, const unsigned *dev, const std::vector<unsigned> &in, size_t length)
{
    std::vector<unsigned> got(in.size()), expect(in.size());
    suite_to_host(got.data(), dev, got.size());
    for (size_t i = 0; i < in.size(); i++)
        expect[i] = i % length ? expect[i - 1] + in[i - 1] : 0;
    return suite_diff_exact(what, got.data(), expect.data(), got.size());
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    size_t n = suite_pick<size_t>(size, 16384, 5 * LARGE, 26 * LARGE), length = suite_pick<size_t>(size, 8192, LARGE, LARGE);
    std::vector<unsigned> in(n);
    suite_rng r(7);
    for (unsigned &x : in)
        x = r.below(1000);
    unsigned blocks = (unsigned)(n / BLOCK);
    unsigned *din = suite_to_device(in.data(), n), *dout = suite_device<unsigned>(n), *dsum = suite_device<unsigned>(blocks);
    scan_short<<<blocks, THREADS>>>((uint4 *)dout, (const uint4 *)din, BLOCK);
    SUITE_LAUNCHED();
    size_t bad = wrong("short", dout, in, BLOCK);
    scan_short<<<blocks, THREADS>>>((uint4 *)dout, (const uint4 *)din, BLOCK);
    scan_blocks<<<(blocks + THREADS - 1) / THREADS, THREADS>>>(dsum, dout, din, blocks, (unsigned)(length / BLOCK));
    add_sums<<<blocks, THREADS>>>((uint4 *)dout, dsum);
    SUITE_LAUNCHED();
    return suite_done("scan", argc, argv, bad + wrong("large", dout, in, length));
}
