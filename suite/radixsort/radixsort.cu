/*
 * Radix sort of 32-bit keys with 32-bit values.
 *
 * Origin: CUDA SDK, radixSortThrust, which calls thrust::sort_by_key; Thrust of that time holds the sort of Merrill and
 * Grimshaw ("Revisiting Sorting for GPGPU Stream Architectures", 2010). Its structure: a fixed number of blocks of 128
 * threads, each owning one run of consecutive tiles; per digit of four bits three kernels. Upsweep: a block counts the
 * digits of its run, keys loaded as uint4. Spine: one block scans the digit-major table of counts. Downsweep: a block
 * takes its tiles in order; every thread counts the digits of its keys in packed 16-bit counters in shared memory, the
 * block scans them, keys and then values are exchanged through shared memory into sorted order and written in
 * contiguous pieces, one per digit.
 * Simplified: tiles of 128 x 8 pairs for all; no early exit for passes with one digit.
 * Original 1 Mi pairs; "paper" is the same.
 */
#include "../common/suite_sort.h"

enum { THREADS = 128, PER_THREAD = 8, TILE = THREADS * PER_THREAD, DIGIT_BITS = 4, DIGITS = 1 << DIGIT_BITS };
enum { MAX_BLOCKS = 120, LANES = DIGITS / 2 }; /* a lane is a row of counters for two digits, one in each half-word */

static __device__ unsigned digit_of(unsigned key, int shift)
{
    return key >> shift & (DIGITS - 1);
}

/* The tiles of a block: the first ones get one more where they do not divide evenly. */
static __device__ void my_tiles(unsigned tiles, unsigned &first, unsigned &end)
{
    const unsigned share = tiles / gridDim.x, more = tiles % gridDim.x, b = blockIdx.x;
    first = b * share + min(b, more);
    end = first + share + (b < more);
}

__global__ void upsweep(const unsigned *keys, unsigned *count, unsigned tiles, int shift)
{
    __shared__ unsigned c[DIGITS][THREADS];
    unsigned first, end;
    my_tiles(tiles, first, end);
    for (int d = 0; d < DIGITS; d++)
        c[d][threadIdx.x] = 0;
    for (unsigned tile = first; tile < end; tile++) {
        const uint4 *in = (const uint4 *)(keys + tile * TILE);
#pragma unroll
        for (int i = 0; i < PER_THREAD / 4; i++) {
            const uint4 k = in[i * THREADS + threadIdx.x];
            c[digit_of(k.x, shift)][threadIdx.x]++;
            c[digit_of(k.y, shift)][threadIdx.x]++;
            c[digit_of(k.z, shift)][threadIdx.x]++;
            c[digit_of(k.w, shift)][threadIdx.x]++;
        }
    }
    __syncthreads();
    /* Eight threads add up each digit's row, then one adds theirs. */
    const int digit = threadIdx.x / 8, part = threadIdx.x % 8;
    unsigned sum = 0;
    for (int i = part; i < THREADS; i += 8)
        sum += c[digit][i];
    __syncthreads();
    c[digit][part] = sum;
    __syncthreads();
    if (part == 0) {
        for (int i = 1; i < 8; i++)
            sum += c[digit][i];
        count[digit * gridDim.x + blockIdx.x] = sum;
    }
}

/* Exclusive prefix sum of n counts in place, one block: each step scans THREADS of them and carries the sum on. */
__global__ void spine(unsigned *count, unsigned n)
{
    __shared__ unsigned s[2 * THREADS];
    unsigned carry = 0, t = threadIdx.x;
    s[t] = 0;
    for (unsigned first = 0; first < n; first += THREADS) {
        const unsigned mine = first + t < n ? count[first + t] : 0;
        s[THREADS + t] = mine;
        for (unsigned offset = 1; offset < THREADS; offset <<= 1) {
            __syncthreads();
            const unsigned x = s[THREADS + t] + s[THREADS + t - offset];
            __syncthreads();
            s[THREADS + t] = x;
        }
        __syncthreads();
        if (first + t < n)
            count[first + t] = carry + s[THREADS + t] - mine;
        carry += s[2 * THREADS - 1];
        __syncthreads();
    }
}

struct exchange {
    unsigned counter[LANES][THREADS]; /* two digits each; after the scan: pairs of earlier threads with the digit */
    unsigned partial[LANES][32];      /* sums of four neighboring threads */
    unsigned start[DIGITS];           /* of a digit within the sorted tile */
    unsigned to[DIGITS];              /* where the digit's next pair goes in the output */
    unsigned item[TILE];
};

/* Exclusive scan of every lane; two lanes to a warp, each of its threads rakes four neighbors. */
static __device__ void scan_lanes(exchange &s)
{
    const int warp = threadIdx.x / 32, x = threadIdx.x % 32;
    for (int lane = warp; lane < LANES; lane += THREADS / 32) {
        unsigned c[4], sum = 0;
        for (int i = 0; i < 4; i++) {
            c[i] = s.counter[lane][4 * x + i];
            sum += c[i];
        }
        volatile unsigned *p = s.partial[lane];
        unsigned upto = sum;
        p[x] = upto;
        __syncwarp();
        for (int offset = 1; offset < 32; offset <<= 1) {
            const unsigned before = x >= offset ? p[x - offset] : 0;
            __syncwarp();
            upto += before;
            p[x] = upto;
            __syncwarp();
        }
        unsigned at = upto - sum;
        for (int i = 0; i < 4; i++) {
            s.counter[lane][4 * x + i] = at;
            at += c[i];
        }
    }
}

__global__ void downsweep(const unsigned *keys, const unsigned *values, unsigned *keys_out, unsigned *values_out,
                          const unsigned *place, unsigned tiles, int shift)
{
    __shared__ exchange s;
    const unsigned t = threadIdx.x;
    unsigned first, end;
    my_tiles(tiles, first, end);
    if (t < DIGITS)
        s.to[t] = place[t * gridDim.x + blockIdx.x];
    for (unsigned tile = first; tile < end; tile++) {
        unsigned key[PER_THREAD], rank[PER_THREAD];
        const uint4 *in = (const uint4 *)(keys + tile * TILE) + t * (PER_THREAD / 4);
#pragma unroll
        for (int i = 0; i < PER_THREAD / 4; i++) {
            const uint4 k = in[i];
            key[4 * i] = k.x, key[4 * i + 1] = k.y, key[4 * i + 2] = k.z, key[4 * i + 3] = k.w;
        }
        for (int lane = 0; lane < LANES; lane++)
            s.counter[lane][t] = 0;
#pragma unroll
        for (int i = 0; i < PER_THREAD; i++) { /* the place among the thread's own pairs of the digit */
            const unsigned d = digit_of(key[i], shift), half = d / LANES * 16;
            rank[i] = s.counter[d % LANES][t] >> half & 0xffff;
            s.counter[d % LANES][t] += 1u << half;
        }
        __syncthreads();
        scan_lanes(s);
        __syncthreads();
        if (t == 0) { /* totals of the digits, lower half-words first */
            unsigned sum = 0;
            for (int d = 0; d < DIGITS; d++) {
                s.start[d] = sum;
                sum += s.partial[d % LANES][31] >> d / LANES * 16 & 0xffff;
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < PER_THREAD; i++) {
            const unsigned d = digit_of(key[i], shift);
            rank[i] += s.start[d] + (s.counter[d % LANES][t] >> d / LANES * 16 & 0xffff);
            s.item[rank[i]] = key[i];
        }
        __syncthreads();
        unsigned at[PER_THREAD];
#pragma unroll
        for (int i = 0; i < PER_THREAD; i++) {
            const unsigned p = i * THREADS + t, k = s.item[p], d = digit_of(k, shift);
            at[i] = s.to[d] + p - s.start[d];
            keys_out[at[i]] = k;
        }
        __syncthreads();
        const uint4 *vin = (const uint4 *)(values + tile * TILE) + t * (PER_THREAD / 4);
#pragma unroll
        for (int i = 0; i < PER_THREAD / 4; i++) {
            const uint4 v = vin[i];
            s.item[rank[4 * i]] = v.x, s.item[rank[4 * i + 1]] = v.y;
            s.item[rank[4 * i + 2]] = v.z, s.item[rank[4 * i + 3]] = v.w;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < PER_THREAD; i++)
            values_out[at[i]] = s.item[i * THREADS + t];
        if (t < DIGITS)
            s.to[t] += s.partial[t % LANES][31] >> t / LANES * 16 & 0xffff;
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    const unsigned n = suite_pick(suite_parse_size(argc, argv), 1u << 13, 1u << 17, 1u << 20), tiles = n / TILE;
    const unsigned blocks = std::min<unsigned>(tiles, MAX_BLOCKS);
    std::vector<unsigned> key(n), value(n);
    suite_rng r(31);
    for (unsigned i = 0; i < n; i++) {
        key[i] = (uint32_t)r.next();
        value[i] = i;
    }
    for (unsigned i = 0; i < n / 16; i++) /* some keys are equal: the sort must be stable */
        key[r.below(n)] = key[r.below(n)];
    unsigned *k = suite_to_device(key.data(), n), *v = suite_to_device(value.data(), n);
    unsigned *k2 = suite_device<unsigned>(n), *v2 = suite_device<unsigned>(n);
    unsigned *count = suite_device<unsigned>(DIGITS * blocks);
    for (int shift = 0; shift < 32; shift += DIGIT_BITS) {
        upsweep<<<blocks, THREADS>>>(k, count, tiles, shift);
        spine<<<1, THREADS>>>(count, DIGITS * blocks);
        downsweep<<<blocks, THREADS>>>(k, v, k2, v2, count, tiles, shift);
        SUITE_LAUNCHED();
        std::swap(k, k2);
        std::swap(v, v2);
    }
    return suite_done("radixsort", argc, argv, suite_sort_diff(key, k, v, n));
}
