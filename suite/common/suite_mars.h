/*
 * The Mars MapReduce framework: what its map phase reads, counts and writes around a program's own map function.
 *
 * A map task is one record: an int4 {key offset, key size, value offset, value size} leads to a key and a value in two
 * byte arrays. Map runs twice, 256 threads per block, one task per thread. The first pass adds up, in three arrays,
 * the bytes of keys, the bytes of values and the number of pairs that each task will emit. Prefix sums turn these into
 * places; the second pass emits. Emitting reads the task's places and how much it has written so far from global
 * memory, copies key and value byte by byte, and keeps an int4 for each pair that leads to them, as for the input.
 * Values that a task computes lie in 20 bytes of shared memory per thread until they are copied.
 *
 * Grouping sorts the int4 of the pairs with a bitonic network in global memory, one launch per step (as the original
 * does for up to 256 Ki pairs); a comparison follows both offsets to the keys. Then values and keys are copied byte by
 * byte into the new order and the ranges of equal keys are found, with prefix sums in between.
 *
 * Left out: the barrier with which the original opens every emission (its threads emit different numbers of pairs,
 * which CUDA does not allow at a barrier); passes of their own that take offsets and sizes out of the int4 and put them
 * back.
 */
#ifndef WEIR_SUITE_MARS_H
#define WEIR_SUITE_MARS_H

#include "suite_scan.h"

#include <vector>

enum { MARS_THREADS = 256, MARS_BUFFER_BYTES = 20 };

/* The records of a program, on the host. */
struct mars_input {
    std::vector<char> keys, values;
    std::vector<int4> index;

    template <class K, class V> void add(const K &key, const V &value)
    {
        index.push_back(make_int4((int)keys.size(), (int)sizeof key, (int)values.size(), (int)sizeof value));
        keys.insert(keys.end(), (const char *)&key, (const char *)(&key + 1));
        values.insert(values.end(), (const char *)&value, (const char *)(&value + 1));
    }
};

/* Emitted pairs, in the order of the tasks or sorted, on the host and on the device. */
struct mars_pairs {
    std::vector<char> keys, values;
    std::vector<int4> index;
};
struct mars_device_pairs {
    char *keys, *values;
    int4 *index;
    unsigned key_bytes, value_bytes, n;

    mars_pairs to_host() const
    {
        mars_pairs p = {std::vector<char>(key_bytes), std::vector<char>(value_bytes), std::vector<int4>(n)};
        suite_to_host(p.keys.data(), keys, key_bytes);
        suite_to_host(p.values.data(), values, value_bytes);
        suite_to_host(p.index.data(), index, n);
        return p;
    }
    void release()
    {
        SUITE_CUDA(cudaFree(keys));
        SUITE_CUDA(cudaFree(values));
        SUITE_CUDA(cudaFree(index));
    }
};

/* Bytes and pairs of each task: counted by the first pass, after the prefix sums the place of its first. */
struct mars_sizes {
    unsigned *key_bytes, *value_bytes, *pairs;
};

/* What the first pass calls for each pair. */
struct mars_counter {
    mars_sizes of;
    int task;

    __device__ void operator()(int key_size, int value_size) const
    {
        of.key_bytes[task] += key_size;
        of.value_bytes[task] += value_size;
        of.pairs[task]++;
    }
};

struct mars_output {
    mars_sizes first;
    int2 *written; /* bytes of keys and of values so far, by task */
    int *emitted;  /* pairs so far, by task */
    char *keys, *values;
    int4 *index;
};

/* What the second pass calls for each pair. */
struct mars_emitter {
    mars_output to;
    int task;

    /* The thread's part of shared memory. */
    __device__ char *buffer() const
    {
        extern __shared__ int mars_buffer[];
        return (char *)mars_buffer + threadIdx.x * MARS_BUFFER_BYTES;
    }
    __device__ void operator()(const void *key, const void *value, int key_size, int value_size) const
    {
        int2 done = to.written[task];
        char *k = to.keys + to.first.key_bytes[task] + done.x, *v = to.values + to.first.value_bytes[task] + done.y;
        for (int i = 0; i < key_size; i++)
            k[i] = ((const char *)key)[i];
        for (int i = 0; i < value_size; i++)
            v[i] = ((const char *)value)[i];
        to.written[task] = make_int2(done.x + key_size, done.y + value_size);
        int n = to.emitted[task];
        int4 *slot = to.index + to.first.pairs[task] + n, at = *slot;
        if (n > 0) {
            int4 before = slot[-1];
            at.x = before.x + before.y;
            at.z = before.z + before.w;
        }
        at.y = key_size;
        at.w = value_size;
        *slot = at;
        to.emitted[task] = n + 1;
    }
};

template <class P>
__global__ void mars_count(char *keys, char *values, const int4 *index, mars_sizes sizes, int records)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= records)
        return;
    int4 at = index[t];
    P::count((typename P::key *)(keys + at.x), (typename P::value *)(values + at.z), mars_counter{sizes, t});
}

template <class P> __global__ void mars_map(char *keys, char *values, const int4 *index, mars_output out, int records)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= records)
        return;
    int4 *slot = out.index + out.first.pairs[t], first = *slot;
    first.x = (int)out.first.key_bytes[t];
    first.z = (int)out.first.value_bytes[t];
    *slot = first;
    int4 at = index[t];
    P::map((typename P::key *)(keys + at.x), (typename P::value *)(values + at.z), mars_emitter{out, t});
}

template <class T> static inline T *mars_zeros(size_t n)
{
    T *p = suite_device<T>(n);
    SUITE_CUDA(cudaMemset(p, 0, (n ? n : 1) * sizeof(T)));
    return p;
}

/* Turns the counts of all tasks into places; returns their sum. */
static inline unsigned mars_places(unsigned **counts, int tasks)
{
    size_t padded = suite_scan_padded((size_t)tasks + 1);
    unsigned *places = suite_device<unsigned>(padded), sum;
    suite_scan(places, *counts, padded);
    suite_to_host(&sum, places + tasks, 1);
    SUITE_CUDA(cudaFree(*counts));
    *counts = places;
    return sum;
}

/* The map phase of program P: its types `key` and `value` and its functions `count` and `map`. */
template <class P> static inline mars_device_pairs mars_map_phase(const mars_input &in)
{
    int tasks = (int)in.index.size(), blocks = (tasks + MARS_THREADS - 1) / MARS_THREADS;
    size_t padded = suite_scan_padded((size_t)tasks + 1);
    char *keys = suite_to_device(in.keys.data(), in.keys.size());
    char *values = suite_to_device(in.values.data(), in.values.size());
    int4 *index = suite_to_device(in.index.data(), in.index.size());
    mars_sizes sizes = {mars_zeros<unsigned>(padded), mars_zeros<unsigned>(padded), mars_zeros<unsigned>(padded)};
    mars_count<P><<<blocks, MARS_THREADS>>>(keys, values, index, sizes, tasks);
    SUITE_LAUNCHED();
    mars_device_pairs got;
    got.key_bytes = mars_places(&sizes.key_bytes, tasks);
    got.value_bytes = mars_places(&sizes.value_bytes, tasks);
    got.n = mars_places(&sizes.pairs, tasks);
    got.keys = mars_zeros<char>(got.key_bytes);
    got.values = mars_zeros<char>(got.value_bytes);
    /* One slot more: a task that emits nothing still reads the slot of the next one. */
    got.index = mars_zeros<int4>(got.n + 1);
    mars_output out = {sizes, mars_zeros<int2>(tasks), mars_zeros<int>(tasks), got.keys, got.values, got.index};
    mars_map<P><<<blocks, MARS_THREADS, MARS_THREADS * MARS_BUFFER_BYTES>>>(keys, values, index, out, tasks);
    SUITE_LAUNCHED();
    for (void *p : {(void *)keys, (void *)values, (void *)index, (void *)sizes.key_bytes, (void *)sizes.value_bytes,
                    (void *)sizes.pairs, (void *)out.written, (void *)out.emitted})
        SUITE_CUDA(cudaFree(p));
    return got;
}

/* The same for a program that ends with it. */
template <class P> static inline mars_pairs mars_run(const mars_input &in)
{
    return mars_map_phase<P>(in).to_host();
}

/* ---- grouping ---- */

/* P::compare of two keys; what fills the network up to a power of two (offset -1) comes first. */
template <class P> static __device__ inline int mars_compare(const char *keys, int4 a, int4 b)
{
    if (a.x < 0 || b.x < 0)
        return (a.x >= 0) - (b.x >= 0);
    return P::compare((const typename P::key *)(keys + a.x), (const typename P::key *)(keys + b.x));
}

template <class P> __global__ void mars_bitonic_step(const char *keys, int4 *index, int k, int j)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i)
        return;
    int4 a = index[i], b = index[other];
    int order = mars_compare<P>(keys, a, b);
    if ((i & k) == 0 ? order > 0 : order < 0) {
        index[i] = b;
        index[other] = a;
    }
}

__global__ void mars_sizes_of(const int4 *index, unsigned *key_bytes, unsigned *value_bytes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        key_bytes[i] = (unsigned)index[i].y;
        value_bytes[i] = (unsigned)index[i].w;
    }
}

/* Copies keys (or values: `x` and `y` of the index are then z and w) to their new places. */
template <bool VALUES> __global__ void mars_move(const char *from, char *to, int4 *index, const unsigned *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int4 at = index[i];
    int offset = VALUES ? at.z : at.x, size = VALUES ? at.w : at.y;
    unsigned start = place[i];
    for (int b = 0; b < size; b++)
        to[start + b] = from[offset + b];
    if (VALUES)
        at.z = (int)start;
    else
        at.x = (int)start;
    index[i] = at;
}

template <class P> __global__ void mars_starts(const char *keys, const int4 *index, unsigned *start, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        start[i] = i == 0 || mars_compare<P>(keys, index[i], index[i - 1]) != 0;
}

__global__ void mars_bounds(const unsigned *start, const unsigned *group, int *bound, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && start[i])
        bound[group[i]] = i;
}

__global__ void mars_ranges(const int *bound, int2 *range, int groups, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < groups)
        range[i] = make_int2(bound[i], i + 1 < groups ? bound[i + 1] : n);
}

/* Sorts the pairs by P::compare of their keys, in place; returns the ranges of equal keys, on the device. */
template <class P> static inline int2 *mars_group(mars_device_pairs &p, int *groups)
{
    int n = (int)p.n, blocks = (n + MARS_THREADS - 1) / MARS_THREADS, network = MARS_THREADS;
    while (network < n)
        network *= 2;
    int4 *all = suite_device<int4>(network);
    SUITE_CUDA(cudaMemset(all, 0xff, network * sizeof(int4)));
    SUITE_CUDA(cudaMemcpy(all, p.index, n * sizeof(int4), cudaMemcpyDeviceToDevice));
    for (int k = 2; k <= network; k *= 2)
        for (int j = k / 2; j > 0; j /= 2)
            mars_bitonic_step<P><<<network / MARS_THREADS, MARS_THREADS>>>(p.keys, all, k, j);
    SUITE_LAUNCHED();
    SUITE_CUDA(cudaMemcpy(p.index, all + network - n, n * sizeof(int4), cudaMemcpyDeviceToDevice));

    size_t padded = suite_scan_padded((size_t)n + 1);
    unsigned *key_at = mars_zeros<unsigned>(padded), *value_at = mars_zeros<unsigned>(padded);
    char *keys = suite_device<char>(p.key_bytes), *values = suite_device<char>(p.value_bytes);
    mars_sizes_of<<<blocks, MARS_THREADS>>>(p.index, key_at, value_at, n);
    SUITE_LAUNCHED();
    mars_places(&value_at, n);
    mars_move<true><<<blocks, MARS_THREADS>>>(p.values, values, p.index, value_at, n);
    mars_places(&key_at, n);
    mars_move<false><<<blocks, MARS_THREADS>>>(p.keys, keys, p.index, key_at, n);
    SUITE_LAUNCHED();
    for (void *old : {(void *)all, (void *)p.keys, (void *)p.values, (void *)key_at, (void *)value_at})
        SUITE_CUDA(cudaFree(old));
    p.keys = keys;
    p.values = values;

    unsigned *start = mars_zeros<unsigned>(padded), *group = suite_device<unsigned>(padded), found;
    mars_starts<P><<<blocks, MARS_THREADS>>>(p.keys, p.index, start, n);
    SUITE_LAUNCHED();
    suite_scan(group, start, padded);
    suite_to_host(&found, group + n, 1);
    int *bound = suite_device<int>(found);
    int2 *range = suite_device<int2>(found);
    mars_bounds<<<blocks, MARS_THREADS>>>(start, group, bound, n);
    mars_ranges<<<(found + MARS_THREADS - 1) / MARS_THREADS, MARS_THREADS>>>(bound, range, (int)found, n);
    SUITE_LAUNCHED();
    for (void *old : {(void *)start, (void *)group, (void *)bound})
        SUITE_CUDA(cudaFree(old));
    *groups = (int)found;
    return range;
}

#endif
