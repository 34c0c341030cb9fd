/*
 * Page view rank: pages in the order of their view counts.
 *
 * Origin: Mars, PageViewRank. A record is a page's view count (key) and the offset of its address in the log (value);
 * keys and values lie in two byte buffers, an int4 {key offset, key size, value offset, value size} per record says
 * where. Map runs twice, 256 threads per block, one record per thread: first it counts the bytes it will emit; after
 * prefix sums it emits, copying byte by byte. The group stage sorts the int4 records with a bitonic sorting network in
 * global memory, one launch per step: a comparison follows both records' offsets to their keys. A last kernel copies
 * keys and values into their new order. No reduce. Input: counts with a Zipf-like distribution. Original a million
 * records; "paper" is 131072, cut for the limit on instructions.
 */
#include "../common/suite_scan.h"

#include <algorithm>
#include <vector>

enum { BLOCK = 256 };

__global__ void map_count(const int4 *index, unsigned *key_bytes, unsigned *value_bytes, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        int4 at = index[i];
        key_bytes[i] += at.y;
        value_bytes[i] += at.w;
    }
}

__global__ void map_emit(const char *keys, const char *values, const int4 *index, const unsigned *key_at,
                         const unsigned *value_at, char *out_keys, char *out_values, int4 *out_index, int n)
{
    __shared__ int2 pair[BLOCK]; /* what the task emits */
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    int4 at = index[i];
    pair[threadIdx.x] = make_int2(*(const int *)(keys + at.x), *(const int *)(values + at.z));
    const char *emitted = (const char *)&pair[threadIdx.x];
    char *k = out_keys + key_at[i], *v = out_values + value_at[i];
    for (int b = 0; b < at.y; b++)
        k[b] = emitted[b];
    for (int b = 0; b < at.w; b++)
        v[b] = emitted[sizeof(int) + b];
    out_index[i] = make_int4(key_at[i], at.y, value_at[i], at.w);
}

/* Whether a belongs behind b: more views come first; records without a key (padding) come last. */
static __device__ inline bool behind(const char *keys, int4 a, int4 b)
{
    if (a.x < 0 || b.x < 0)
        return a.x < 0 && b.x >= 0;
    return *(const int *)(keys + a.x) < *(const int *)(keys + b.x);
}

__global__ void bitonic_step(const char *keys, int4 *index, int k, int j)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, other = i ^ j;
    if (other <= i)
        return;
    int4 a = index[i], b = index[other];
    if ((i & k) == 0 ? behind(keys, a, b) : behind(keys, b, a)) {
        index[i] = b;
        index[other] = a;
    }
}

__global__ void gather(const char *keys, const char *values, const int4 *index, int *out_keys, int *out_values, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        int4 at = index[i];
        out_keys[i] = *(const int *)(keys + at.x);
        out_values[i] = *(const int *)(values + at.z);
    }
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 1000, 32000, 131072), padded = BLOCK,
        blocks = (n + BLOCK - 1) / BLOCK;
    while (padded < n)
        padded *= 2;
    std::vector<int> key(n), value(n), got_key(n), got_value(n);
    std::vector<int4> index(n), nothing(padded, int4{-1, -1, -1, -1});
    suite_rng r(347);
    for (int i = 0, at = 0; i < n; i++) {
        key[i] = (int)(1000000 / (1 + r.below(50000)));
        value[i] = at;
        at += 24 + (int)r.below(60); /* the length of a log line */
        index[i] = {4 * i, 4, 4 * i, 4};
    }
    size_t scanned = suite_scan_padded(n + 1);
    char *d_keys = (char *)suite_to_device(key.data(), n), *d_values = (char *)suite_to_device(value.data(), n);
    int4 *d_index = suite_to_device(index.data(), n), *d_sorted = suite_to_device(nothing.data(), padded);
    unsigned *d_bytes[2], *d_at[2], total[2];
    for (int i = 0; i < 2; i++) {
        d_bytes[i] = suite_device<unsigned>(scanned);
        d_at[i] = suite_device<unsigned>(scanned);
        SUITE_CUDA(cudaMemset(d_bytes[i], 0, scanned * sizeof(unsigned)));
    }
    map_count<<<blocks, BLOCK>>>(d_index, d_bytes[0], d_bytes[1], n);
    SUITE_LAUNCHED();
    for (int i = 0; i < 2; i++) {
        suite_scan(d_at[i], d_bytes[i], scanned);
        suite_to_host(&total[i], d_at[i] + n, 1);
    }
    char *d_inter_keys = suite_device<char>(total[0]), *d_inter_values = suite_device<char>(total[1]);
    map_emit<<<blocks, BLOCK>>>(d_keys, d_values, d_index, d_at[0], d_at[1], d_inter_keys, d_inter_values, d_sorted, n);
    SUITE_LAUNCHED();
    for (int k = 2; k <= padded; k *= 2)
        for (int j = k / 2; j > 0; j /= 2)
            bitonic_step<<<padded / BLOCK, BLOCK>>>(d_inter_keys, d_sorted, k, j);
    SUITE_LAUNCHED();
    int *d_out_keys = suite_device<int>(n), *d_out_values = suite_device<int>(n);
    gather<<<blocks, BLOCK>>>(d_inter_keys, d_inter_values, d_sorted, d_out_keys, d_out_values, n);
    SUITE_LAUNCHED();
    suite_to_host(got_key.data(), d_out_keys, n);
    suite_to_host(got_value.data(), d_out_values, n);

    /* Counts descend; equal counts may come in any order, so pairs are compared after sorting both sides fully. */
    std::vector<std::pair<int, int>> expect, got;
    size_t bad = 0;
    for (int i = 0; i < n; i++) {
        expect.push_back({key[i], value[i]});
        got.push_back({got_key[i], got_value[i]});
        bad += i > 0 && got_key[i] > got_key[i - 1];
    }
    std::sort(expect.begin(), expect.end());
    std::sort(got.begin(), got.end());
    return suite_done("pvr", argc, argv, bad + (expect != got));
}
