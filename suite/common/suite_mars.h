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
 * Left out: the barrier with which the original opens every emission (its threads emit different numbers of pairs, which
 * CUDA does not allow at a barrier) and the grouping of pairs by a bitonic sort, which follows the map phase; the
 * programs check the emitted pairs on the host.
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

/* The pairs that the tasks emitted, in the order of the tasks, on the host. */
struct mars_pairs {
    std::vector<char> keys, values;
    std::vector<int4> index;
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
template <class P> static inline mars_pairs mars_run(const mars_input &in)
{
    int tasks = (int)in.index.size(), blocks = (tasks + MARS_THREADS - 1) / MARS_THREADS;
    size_t padded = suite_scan_padded((size_t)tasks + 1);
    char *keys = suite_to_device(in.keys.data(), in.keys.size());
    char *values = suite_to_device(in.values.data(), in.values.size());
    int4 *index = suite_to_device(in.index.data(), in.index.size());
    mars_sizes sizes = {mars_zeros<unsigned>(padded), mars_zeros<unsigned>(padded), mars_zeros<unsigned>(padded)};
    mars_count<P><<<blocks, MARS_THREADS>>>(keys, values, index, sizes, tasks);
    SUITE_LAUNCHED();
    mars_pairs got;
    got.keys.resize(mars_places(&sizes.key_bytes, tasks));
    got.values.resize(mars_places(&sizes.value_bytes, tasks));
    got.index.resize(mars_places(&sizes.pairs, tasks));
    /* One slot more: a task that emits nothing still reads the slot of the next one. */
    mars_output out = {sizes,
                       mars_zeros<int2>(tasks),
                       mars_zeros<int>(tasks),
                       mars_zeros<char>(got.keys.size()),
                       mars_zeros<char>(got.values.size()),
                       mars_zeros<int4>(got.index.size() + 1)};
    mars_map<P><<<blocks, MARS_THREADS, MARS_THREADS * MARS_BUFFER_BYTES>>>(keys, values, index, out, tasks);
    SUITE_LAUNCHED();
    suite_to_host(got.keys.data(), out.keys, got.keys.size());
    suite_to_host(got.values.data(), out.values, got.values.size());
    suite_to_host(got.index.data(), out.index, got.index.size());
    return got;
}

#endif
