/*
 * Bitonic sort of 32-bit keys with values.
 *
 * Origin: CUDA SDK, sortingNetworks (bitonicSort). Tiles of 1024 pairs are sorted in shared memory by 512 threads; larger
 * merges run strides of 1024 and more through global memory, smaller ones in shared memory.
 * Original arrays of up to 1 Mi elements; "paper" is 256 Ki.
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

/* Sorts tiles, neighbouring ones in opposite directions. */
__global__ void sort_tiles(unsigned *key, unsigned *val)
{
    __shared__ unsigned sk[TILE], sv[TILE];
    unsigned t = threadIdx.x, base = blockIdx.x * TILE;
    sk[t] = key[base + t];
    sv[t] = val[base + t];
    sk[t + THREADS] = key[base + t + THREADS];
    sv[t + THREADS] = val[base + t + THREADS];
    for (unsigned size = 2; size <= TILE; size <<= 1) {
        bool up = size < TILE ? (t & (size / 2)) == 0 : (blockIdx.x & 1) == 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned p = 2 * t - (t & (stride - 1));
            order(sk[p], sv[p], sk[p + stride], sv[p + stride], up);
        }
    }
    __syncthreads();
    key[base + t] = sk[t];
    val[base + t] = sv[t];
    key[base + t + THREADS] = sk[t + THREADS];
    val[base + t + THREADS] = sv[t + THREADS];
}

__global__ void merge_global(unsigned *key, unsigned *val, unsigned size, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bool up = (i & (size / 2)) == 0;
    unsigned p = 2 * i - (i & (stride - 1));
    unsigned ka = key[p], va = val[p], kb = key[p + stride], vb = val[p + stride];
    order(ka, va, kb, vb, up);
    key[p] = ka;
    val[p] = va;
    key[p + stride] = kb;
    val[p + stride] = vb;
}

__global__ void merge_tiles(unsigned *key, unsigned *val, unsigned size)
{
    __shared__ unsigned sk[TILE], sv[TILE];
    unsigned t = threadIdx.x, base = blockIdx.x * TILE;
    sk[t] = key[base + t];
    sv[t] = val[base + t];
    sk[t + THREADS] = key[base + t + THREADS];
    sv[t + THREADS] = val[base + t + THREADS];
    bool up = ((blockIdx.x * THREADS + t) & (size / 2)) == 0;
    for (unsigned stride = THREADS; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned p = 2 * t - (t & (stride - 1));
        order(sk[p], sv[p], sk[p + stride], sv[p + stride], up);
    }
    __syncthreads();
    key[base + t] = sk[t];
    val[base + t] = sv[t];
    key[base + t + THREADS] = sk[t + THREADS];
    val[base + t + THREADS] = sv[t + THREADS];
}

int main(int argc, char **argv)
{
    unsigned n = suite_pick(suite_parse_size(argc, argv), 4096u, 65536u, 262144u);
    std::vector<unsigned> key(n), val(n), got_key(n), got_val(n);
    suite_rng r(23);
    for (unsigned i = 0; i < n; i++) {
        key[i] = (unsigned)r.next();
        val[i] = i;
    }
    unsigned *dk = suite_to_device(key.data(), n), *dv = suite_to_device(val.data(), n);
    sort_tiles<<<n / TILE, THREADS>>>(dk, dv);
    for (unsigned size = 2 * TILE; size <= n; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            if (stride >= TILE) {
                merge_global<<<n / TILE, THREADS>>>(dk, dv, size, stride);
            } else {
                merge_tiles<<<n / TILE, THREADS>>>(dk, dv, size);
                break;
            }
        }
    SUITE_LAUNCHED();
    suite_to_host(got_key.data(), dk, n);
    suite_to_host(got_val.data(), dv, n);
    size_t bad = 0;
    for (unsigned i = 0; i < n; i++)
        bad += got_val[i] >= n || key[got_val[i]] != got_key[i]; /* pairs stay together */
    std::sort(key.begin(), key.end());
    bad += suite_diff_exact("key", got_key.data(), key.data(), n);
    return suite_done("sortnet", argc, argv, bad);
}
