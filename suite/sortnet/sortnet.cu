/*
 * Bitonic sort of many arrays of 32-bit keys with values.
 *
 * Origin: CUDA SDK, sortingNetworks (bitonicSort). Tiles of 1024 pairs are sorted in shared memory by 512 threads; arrays
 * of up to 1024 end there, several to a tile. For longer ones strides of 1024 and more run through global memory (256
 * threads per block), smaller ones in shared memory. The original sorts 1 Mi pairs as arrays of 64, then of 128 and so
 * on. "small" sorts half of the pairs as arrays of 64, the beginning of the run, "paper" all of them as arrays of 64 and
 * of 128; "tiny" ends with one long array.
 */
#include "../common/suite.h"

#include <algorithm>
#include <vector>

enum { TILE = 1024, THREADS = TILE / 2 };

static __device__ inline void order(unsigned &ka, unsigned &va, unsigned &kb, unsigned &vb, bool up)
{
    if ((ka > kb) == up) {
        unsigned t = ka;
        ka = kb;
        kb = t;
        t = va;
        va = vb;
        vb = t;
    }
}

static __device__ inline void load_tile(unsigned *sk, unsigned *sv, const unsigned *key, const unsigned *val)
{
    unsigned t = threadIdx.x, at = blockIdx.x * TILE + t;
    sk[t] = key[at];
    sv[t] = val[at];
    sk[t + THREADS] = key[at + THREADS];
    sv[t + THREADS] = val[at + THREADS];
}

static __device__ inline void store_tile(const unsigned *sk, const unsigned *sv, unsigned *key, unsigned *val)
{
    unsigned t = threadIdx.x, at = blockIdx.x * TILE + t;
    __syncthreads();
    key[at] = sk[t];
    val[at] = sv[t];
    key[at + THREADS] = sk[t + THREADS];
    val[at + THREADS] = sv[t + THREADS];
}

/* Sorts the arrays of a tile; arrays that are longer than a tile begin with tiles in alternating directions. */
__global__ void sort_tiles(unsigned *key, unsigned *val, const unsigned *from_key, const unsigned *from_val,
                           unsigned length)
{
    __shared__ unsigned sk[TILE], sv[TILE];
    unsigned t = threadIdx.x, most = length < TILE ? length : TILE;
    load_tile(sk, sv, from_key, from_val);
    for (unsigned size = 2; size <= most; size <<= 1) {
        bool up = size < most ? (t & (size / 2)) == 0 : length <= TILE || (blockIdx.x & 1) == 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned p = 2 * t - (t & (stride - 1));
            order(sk[p], sv[p], sk[p + stride], sv[p + stride], up);
        }
    }
    store_tile(sk, sv, key, val);
}

/* One step of a merge of `size` pairs; arrays end up ascending. */
__global__ void merge_global(unsigned *key, unsigned *val, unsigned length, unsigned size, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bool up = (i & (length / 2 - 1) & (size / 2)) == 0;
    unsigned p = 2 * i - (i & (stride - 1));
    unsigned ka = key[p], va = val[p], kb = key[p + stride], vb = val[p + stride];
    order(ka, va, kb, vb, up);
    key[p] = ka;
    val[p] = va;
    key[p + stride] = kb;
    val[p + stride] = vb;
}

/* All steps of strides below a tile. */
__global__ void merge_tiles(unsigned *key, unsigned *val, unsigned length, unsigned size)
{
    __shared__ unsigned sk[TILE], sv[TILE];
    unsigned t = threadIdx.x;
    load_tile(sk, sv, key, val);
    bool up = ((blockIdx.x * THREADS + t) & (length / 2 - 1) & (size / 2)) == 0;
    for (unsigned stride = THREADS; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned p = 2 * t - (t & (stride - 1));
        order(sk[p], sv[p], sk[p + stride], sv[p + stride], up);
    }
    store_tile(sk, sv, key, val);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    unsigned n = suite_pick(size, 4096u, 1u << 19, 1u << 20);
    std::vector<unsigned> lengths = {64};
    if (size == SUITE_TINY)
        lengths.push_back(n);
    if (size == SUITE_PAPER)
        lengths.push_back(128);
    std::vector<unsigned> key(n), val(n), got_key(n), got_val(n);
    suite_rng r(23);
    for (unsigned i = 0; i < n; i++) {
        key[i] = (unsigned)r.next();
        val[i] = i;
    }
    unsigned *from_key = suite_to_device(key.data(), n), *from_val = suite_to_device(val.data(), n);
    unsigned *dk = suite_device<unsigned>(n), *dv = suite_device<unsigned>(n);
    size_t bad = 0;
    for (unsigned length : lengths) {
        sort_tiles<<<n / TILE, THREADS>>>(dk, dv, from_key, from_val, length);
        for (unsigned merged = 2 * TILE; merged <= length; merged <<= 1)
            for (unsigned stride = merged / 2; stride > 0; stride >>= 1) {
                if (stride >= TILE) {
                    merge_global<<<n / 512, 256>>>(dk, dv, length, merged, stride);
                } else {
                    merge_tiles<<<n / TILE, THREADS>>>(dk, dv, length, merged);
                    break;
                }
            }
        SUITE_LAUNCHED();
        suite_to_host(got_key.data(), dk, n);
        suite_to_host(got_val.data(), dv, n);
        for (unsigned i = 0; i < n; i++)
            bad += got_val[i] >= n || key[got_val[i]] != got_key[i]; /* pairs stay together */
        std::vector<unsigned> expect = key;
        for (unsigned i = 0; i < n; i += length)
            std::sort(expect.begin() + i, expect.begin() + i + length);
        bad += suite_diff_exact("key", got_key.data(), expect.data(), n);
    }
    return suite_done("sortnet", argc, argv, bad);
}
