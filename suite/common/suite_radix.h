/*
 * Radix sort of 32-bit keys with 32-bit values, the split sort of Satish, Harris and Garland (IPDPS 2009) that CUDPP
 * and the suites built on it use: four bits per pass, 256 threads per block with four pairs each (one uint4 load of
 * keys and one of values). A block splits its 1024 pairs bit by bit with a scan in shared memory, writes them back in
 * order and leaves its 16 digit counts in a digit-major table; after a prefix sum of the table every pair knows its
 * place.
 */
#ifndef WEIR_SUITE_RADIX_H
#define WEIR_SUITE_RADIX_H

#include "suite_scan.h"

#include <utility>

enum { RADIX_BITS = 4, RADIX_DIGITS = 1 << RADIX_BITS, RADIX_PER_BLOCK = 4 * SCAN_THREADS };

static __device__ inline unsigned radix_digit(unsigned key, int shift)
{
    return key >> shift & (RADIX_DIGITS - 1);
}

/* Sorts each block's pairs by the digit, in place, and counts the digits. */
__global__ void radix_split(unsigned *keys, unsigned *values, unsigned *count, int shift)
{
    __shared__ unsigned s[2 * SCAN_THREADS], key_s[RADIX_PER_BLOCK], value_s[RADIX_PER_BLOCK], count_s[RADIX_DIGITS],
        ones;
    unsigned t = threadIdx.x, first = blockIdx.x * RADIX_PER_BLOCK;
    uint4 k = ((const uint4 *)(keys + first))[t], v = ((const uint4 *)(values + first))[t];
    if (t < RADIX_DIGITS)
        count_s[t] = 0;
    __syncthreads();
    atomicAdd(&count_s[radix_digit(k.x, shift)], 1u);
    atomicAdd(&count_s[radix_digit(k.y, shift)], 1u);
    atomicAdd(&count_s[radix_digit(k.z, shift)], 1u);
    atomicAdd(&count_s[radix_digit(k.w, shift)], 1u);
    for (int b = shift; b < shift + RADIX_BITS; b++) {
        unsigned x = k.x >> b & 1, y = k.y >> b & 1, z = k.z >> b & 1, w = k.w >> b & 1, sum = x + y + z + w;
        unsigned upto = block_scan(sum, s);
        if (t == SCAN_THREADS - 1)
            ones = upto;
        __syncthreads();
        /* Ones go behind all zeros; a zero's place is its index less the ones before it. */
        unsigned zeros = RADIX_PER_BLOCK - ones, before = upto - sum, i = 4 * t;
        unsigned px = x ? zeros + before : i - before;
        unsigned py = y ? zeros + before + x : i + 1 - before - x;
        unsigned pz = z ? zeros + before + x + y : i + 2 - before - x - y;
        unsigned pw = w ? zeros + before + x + y + z : i + 3 - before - x - y - z;
        key_s[px] = k.x;
        key_s[py] = k.y;
        key_s[pz] = k.z;
        key_s[pw] = k.w;
        value_s[px] = v.x;
        value_s[py] = v.y;
        value_s[pz] = v.z;
        value_s[pw] = v.w;
        __syncthreads();
        k = make_uint4(key_s[i], key_s[i + 1], key_s[i + 2], key_s[i + 3]);
        v = make_uint4(value_s[i], value_s[i + 1], value_s[i + 2], value_s[i + 3]);
    }
    ((uint4 *)(keys + first))[t] = k;
    ((uint4 *)(values + first))[t] = v;
    if (t < RADIX_DIGITS)
        count[t * gridDim.x + blockIdx.x] = count_s[t];
}

/* Moves every pair to the place of its digit and block. */
__global__ void radix_move(const unsigned *keys, const unsigned *values, unsigned *keys_out, unsigned *values_out,
                           const unsigned *place, int shift)
{
    __shared__ unsigned place_s[RADIX_DIGITS], first_s[RADIX_DIGITS], digit_s[RADIX_PER_BLOCK];
    unsigned t = threadIdx.x, first = blockIdx.x * RADIX_PER_BLOCK;
    if (t < RADIX_DIGITS)
        place_s[t] = place[t * gridDim.x + blockIdx.x];
    for (unsigned i = t; i < RADIX_PER_BLOCK; i += SCAN_THREADS)
        digit_s[i] = radix_digit(keys[first + i], shift);
    __syncthreads();
    for (unsigned i = t; i < RADIX_PER_BLOCK; i += SCAN_THREADS)
        if (i == 0 || digit_s[i] != digit_s[i - 1])
            first_s[digit_s[i]] = i;
    __syncthreads();
    for (unsigned i = t; i < RADIX_PER_BLOCK; i += SCAN_THREADS) {
        unsigned to = place_s[digit_s[i]] + i - first_s[digit_s[i]];
        keys_out[to] = keys[first + i];
        values_out[to] = values[first + i];
    }
}

/* Sorts n pairs by the low `bits` of the key, stably; n is a multiple of RADIX_PER_BLOCK (pad with the largest key). */
static inline void suite_radix_sort(unsigned *&keys, unsigned *&values, size_t n, int bits)
{
    unsigned blocks = (unsigned)(n / RADIX_PER_BLOCK);
    size_t padded = suite_scan_padded((size_t)RADIX_DIGITS * blocks);
    unsigned *count = suite_device<unsigned>(padded), *place = suite_device<unsigned>(padded);
    unsigned *keys2 = suite_device<unsigned>(n), *values2 = suite_device<unsigned>(n);
    SUITE_CUDA(cudaMemset(count, 0, padded * sizeof(unsigned)));
    for (int shift = 0; shift < bits; shift += RADIX_BITS) {
        radix_split<<<blocks, SCAN_THREADS>>>(keys, values, count, shift);
        suite_scan(place, count, padded);
        radix_move<<<blocks, SCAN_THREADS>>>(keys, values, keys2, values2, place, shift);
        SUITE_LAUNCHED();
        std::swap(keys, keys2);
        std::swap(values, values2);
    }
    cudaFree(count);
    cudaFree(place);
    cudaFree(keys2);
    cudaFree(values2);
}

#endif
