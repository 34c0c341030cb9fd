/*
 * Exclusive prefix sum of 32-bit integers, as the CUDA SDK's scan does it: 256 threads per block, each scans four
 * consecutive elements in registers (one uint4 load), the block scans the per-thread sums in shared memory with zero
 * padding instead of branches; sums of blocks are scanned by one more level and added back. Used by
 * the MapReduce programs, which turn counts into output positions with it, and by sorts.
 */
#ifndef WEIR_SUITE_SCAN_H
#define WEIR_SUITE_SCAN_H

#include "suite.h"

enum { SCAN_THREADS = 256, SCAN_PER_BLOCK = 4 * SCAN_THREADS };

/* Inclusive scan over the block; `s` has 2 * SCAN_THREADS entries, the lower half zero. */
static __device__ unsigned block_scan(unsigned value, volatile unsigned *s)
{
    unsigned pos = threadIdx.x;
    s[pos] = 0;
    pos += SCAN_THREADS;
    s[pos] = value;
    for (unsigned offset = 1; offset < SCAN_THREADS; offset <<= 1) {
        __syncthreads();
        unsigned t = s[pos] + s[pos - offset];
        __syncthreads();
        s[pos] = t;
    }
    return s[pos];
}

__global__ void scan_blocks(uint4 *out, const uint4 *in, unsigned *sums)
{
    __shared__ unsigned s[2 * SCAN_THREADS];
    unsigned i = blockIdx.x * SCAN_THREADS + threadIdx.x;
    uint4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    unsigned before = block_scan(v.w, s) - v.w;
    uint4 r = make_uint4(before, before + v.x, before + v.y, before + v.z);
    out[i] = r;
    if (sums && threadIdx.x == SCAN_THREADS - 1)
        sums[blockIdx.x] = before + v.w;
}

__global__ void add_sums(uint4 *data, const unsigned *sums)
{
    __shared__ unsigned s;
    if (threadIdx.x == 0)
        s = sums[blockIdx.x];
    __syncthreads();
    unsigned i = blockIdx.x * SCAN_THREADS + threadIdx.x;
    uint4 v = data[i];
    v.x += s;
    v.y += s;
    v.z += s;
    v.w += s;
    data[i] = v;
}

/* n is a multiple of SCAN_PER_BLOCK. */
static inline void suite_scan(unsigned *out, const unsigned *in, size_t n)
{
    size_t blocks = n / SCAN_PER_BLOCK, padded = (blocks + SCAN_PER_BLOCK - 1) / SCAN_PER_BLOCK * SCAN_PER_BLOCK;
    if (blocks == 1) {
        scan_blocks<<<1, SCAN_THREADS>>>((uint4 *)out, (const uint4 *)in, nullptr);
        SUITE_LAUNCHED();
        return;
    }
    unsigned *sums = suite_device<unsigned>(padded), *before = suite_device<unsigned>(padded);
    SUITE_CUDA(cudaMemset(sums, 0, padded * sizeof(unsigned)));
    scan_blocks<<<(unsigned)blocks, SCAN_THREADS>>>((uint4 *)out, (const uint4 *)in, sums);
    SUITE_LAUNCHED();
    suite_scan(before, sums, padded);
    add_sums<<<(unsigned)blocks, SCAN_THREADS>>>((uint4 *)out, before);
    SUITE_LAUNCHED();
    cudaFree(sums);
    cudaFree(before);
}

/* Room that suite_scan needs for n elements: inputs are padded with zeros to it. */
static inline size_t suite_scan_padded(size_t n)
{
    return (n + SCAN_PER_BLOCK - 1) / SCAN_PER_BLOCK * SCAN_PER_BLOCK;
}

#endif
