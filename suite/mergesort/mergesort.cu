/*
 * Merge sort of 32-bit keys with 32-bit values.
 *
 * Origin: CUDA SDK, mergeSort (Satish, Harris and Garland, IPDPS 2009). First, blocks of 512 threads sort 1024 pairs in
 * shared memory: each thread finds the places of two pairs by binary search in the partner run. Then runs are merged
 * pairwise in three kernels per level: every 128th key is a sample and finds its rank in the other run by binary search
 * in global memory (256 threads a block); samples of both runs are merged by rank into the limits of elementary
 * intervals; blocks of 128 threads merge one interval of at most 128 + 128 pairs in shared memory.
 * Simplified: the number of pairs is 1024 times a power of two, so that all runs of a level are full.
 * Original 4 Mi pairs, about 12 billion thread instructions. "small" sorts the runs of 128 Ki pairs and merges them once,
 * "paper" those of 512 Ki and merges them three times: the beginning of a sort that does not stay in the L2.
 */
#include "../common/suite_sort.h"

enum { RUN = 1024, SAMPLE = 128, SAMPLE_THREADS = 256 };

/* How many of the n sorted keys at `a` are less than the key (or equal, when they go first); n is a power of two. */
template <bool OR_EQUAL> static __device__ unsigned rank_in(unsigned key, const unsigned *a, unsigned n, unsigned step)
{
    unsigned pos = 0;
    for (; n && step > 0; step >>= 1) {
        const unsigned next = min(pos + step, n);
        if (OR_EQUAL ? a[next - 1] <= key : a[next - 1] < key)
            pos = next;
    }
    return pos;
}

__global__ void sort_runs(unsigned *key_out, unsigned *value_out, const unsigned *key_in, const unsigned *value_in)
{
    __shared__ unsigned key[RUN], value[RUN];
    const unsigned t = threadIdx.x, first = blockIdx.x * RUN;
    for (unsigned i = t; i < RUN; i += RUN / 2) {
        key[i] = key_in[first + i];
        value[i] = value_in[first + i];
    }
    for (unsigned stride = 1; stride < RUN; stride <<= 1) {
        const unsigned i = t & (stride - 1), base = 2 * (t - i);
        __syncthreads();
        const unsigned ka = key[base + i], va = value[base + i], kb = key[base + stride + i],
                       vb = value[base + stride + i];
        const unsigned pa = i + rank_in<false>(ka, key + base + stride, stride, stride);
        const unsigned pb = i + rank_in<true>(kb, key + base, stride, stride);
        __syncthreads();
        key[base + pa] = ka;
        value[base + pa] = va;
        key[base + pb] = kb;
        value[base + pb] = vb;
    }
    __syncthreads();
    for (unsigned i = t; i < RUN; i += RUN / 2) {
        key_out[first + i] = key[i];
        value_out[first + i] = value[i];
    }
}

/*
 * One thread per sample position of a run and its partner. rank_a and rank_b hold, for every sample of both runs (those
 * of the first run first), how many pairs of the first and of the second run come before it.
 */
__global__ void rank_samples(unsigned *rank_a, unsigned *rank_b, const unsigned *key, unsigned stride, unsigned threads)
{
    const unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
    if (pos >= threads)
        return;
    const unsigned samples = stride / SAMPLE, i = pos & (samples - 1), at = 2 * (pos - i);
    const unsigned *a = key + at * SAMPLE, *b = a + stride;
    rank_a[at + i] = i * SAMPLE;
    rank_b[at + i] = rank_in<false>(a[i * SAMPLE], b, stride, stride);
    rank_a[at + samples + i] = rank_in<true>(b[i * SAMPLE], a, stride, stride);
    rank_b[at + samples + i] = i * SAMPLE;
}

/* Sorts the samples' ranks of both runs into the limits of the intervals between neighboring samples. */
__global__ void merge_ranks(unsigned *limit, const unsigned *rank, unsigned stride, unsigned threads)
{
    const unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
    if (pos >= threads)
        return;
    const unsigned samples = stride / SAMPLE, i = pos & (samples - 1), at = 2 * (pos - i);
    const unsigned *a = rank + at, *b = a + samples;
    limit[at + i + rank_in<false>(a[i], b, samples, samples)] = a[i];
    limit[at + i + rank_in<true>(b[i], a, samples, samples)] = b[i];
}

__global__ void merge_intervals(unsigned *key_out, unsigned *value_out, const unsigned *key_in,
                                const unsigned *value_in, const unsigned *limit_a, const unsigned *limit_b,
                                unsigned stride)
{
    __shared__ unsigned key[2 * SAMPLE], value[2 * SAMPLE];
    __shared__ unsigned from_a, from_b, len_a, len_b;
    const unsigned t = threadIdx.x, intervals = 2 * stride / SAMPLE, i = blockIdx.x & (intervals - 1);
    const unsigned first = (blockIdx.x - i) * SAMPLE;
    if (t == 0) {
        from_a = limit_a[blockIdx.x];
        from_b = limit_b[blockIdx.x];
        len_a = (i + 1 < intervals ? limit_a[blockIdx.x + 1] : stride) - from_a;
        len_b = (i + 1 < intervals ? limit_b[blockIdx.x + 1] : stride) - from_b;
    }
    __syncthreads();
    unsigned *a = key, *b = key + SAMPLE;
    if (t < len_a) {
        a[t] = key_in[first + from_a + t];
        value[t] = value_in[first + from_a + t];
    }
    if (t < len_b) {
        b[t] = key_in[first + stride + from_b + t];
        value[SAMPLE + t] = value_in[first + stride + from_b + t];
    }
    __syncthreads();
    unsigned ka = 0, va = 0, pa = 0, kb = 0, vb = 0, pb = 0;
    if (t < len_a) {
        ka = a[t];
        va = value[t];
        pa = t + rank_in<false>(ka, b, len_b, SAMPLE);
    }
    if (t < len_b) {
        kb = b[t];
        vb = value[SAMPLE + t];
        pb = t + rank_in<true>(kb, a, len_a, SAMPLE);
    }
    __syncthreads();
    if (t < len_a) {
        key[pa] = ka;
        value[pa] = va;
    }
    if (t < len_b) {
        key[pb] = kb;
        value[pb] = vb;
    }
    __syncthreads();
    const unsigned to = first + from_a + from_b;
    if (t < len_a) {
        key_out[to + t] = key[t];
        value_out[to + t] = value[t];
    }
    if (t < len_b) {
        key_out[to + len_a + t] = key[len_a + t];
        value_out[to + len_a + t] = value[len_a + t];
    }
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const unsigned n = suite_pick(size, 1u << 12, 1u << 17, 1u << 19), sorted = suite_pick(size, n, 2u * RUN, 8u * RUN);
    std::vector<unsigned> key(n), value(n);
    suite_rng r(37);
    for (unsigned i = 0; i < n; i++) {
        key[i] = r.below(n / 2 + 1);
        value[i] = i;
    }
    unsigned *k_in = suite_to_device(key.data(), n), *v_in = suite_to_device(value.data(), n);
    unsigned *k = suite_device<unsigned>(n), *v = suite_device<unsigned>(n);
    unsigned *k2 = suite_device<unsigned>(n), *v2 = suite_device<unsigned>(n);
    const unsigned samples = n / SAMPLE, threads = samples / 2,
                   blocks = (threads + SAMPLE_THREADS - 1) / SAMPLE_THREADS;
    unsigned *rank_a = suite_device<unsigned>(samples), *rank_b = suite_device<unsigned>(samples);
    unsigned *limit_a = suite_device<unsigned>(samples), *limit_b = suite_device<unsigned>(samples);
    sort_runs<<<n / RUN, RUN / 2>>>(k, v, k_in, v_in);
    SUITE_LAUNCHED();
    for (unsigned stride = RUN; stride < sorted; stride <<= 1) {
        rank_samples<<<blocks, SAMPLE_THREADS>>>(rank_a, rank_b, k, stride, threads);
        merge_ranks<<<blocks, SAMPLE_THREADS>>>(limit_a, rank_a, stride, threads);
        merge_ranks<<<blocks, SAMPLE_THREADS>>>(limit_b, rank_b, stride, threads);
        merge_intervals<<<samples, SAMPLE>>>(k2, v2, k, v, limit_a, limit_b, stride);
        SUITE_LAUNCHED();
        std::swap(k, k2);
        std::swap(v, v2);
    }
    return suite_done("mergesort", argc, argv, suite_sort_diff(key, k, v, sorted));
}
