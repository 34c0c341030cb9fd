/*
 * What every program of the suite shares: sizes, error checks, deterministic inputs, comparison of results.
 *
 * A program is called `prog SIZE` with SIZE one of tiny, small, paper. It generates its input, runs its kernels, checks
 * the result against a CPU reference written in the same file, prints one line and exits 0, or 1 when the check fails.
 * Header-only and free of library calls whose result could differ between systems (inputs come from integer
 * arithmetic), so that a program does the same work everywhere.
 */
#ifndef WEIR_SUITE_H
#define WEIR_SUITE_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum suite_size { SUITE_TINY, SUITE_SMALL, SUITE_PAPER };

static inline suite_size suite_parse_size(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "tiny";
    if (argc <= 2 && !strcmp(s, "tiny"))
        return SUITE_TINY;
    if (argc <= 2 && !strcmp(s, "small"))
        return SUITE_SMALL;
    if (argc <= 2 && !strcmp(s, "paper"))
        return SUITE_PAPER;
    fprintf(stderr, "usage: %s [tiny|small|paper]\n", argv[0]);
    exit(2);
}

/* One of three values, by size. */
template <class T> static inline T suite_pick(suite_size s, T tiny, T small, T paper)
{
    return s == SUITE_TINY ? tiny : s == SUITE_SMALL ? small : paper;
}

#define SUITE_CUDA(call)                                                                                               \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
/* After a launch: its configuration errors, then its execution errors. */
#define SUITE_LAUNCHED()                                                                                               \
    do {                                                                                                               \
        SUITE_CUDA(cudaGetLastError());                                                                                \
        SUITE_CUDA(cudaDeviceSynchronize());                                                                           \
    } while (0)

/* Device copies of host arrays, and back. */
template <class T> static inline T *suite_device(size_t n)
{
    T *p = nullptr;
    SUITE_CUDA(cudaMalloc((void **)&p, (n ? n : 1) * sizeof(T)));
    return p;
}
template <class T> static inline T *suite_to_device(const T *host, size_t n)
{
    T *p = suite_device<T>(n);
    SUITE_CUDA(cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static inline void suite_to_host(T *host, const T *dev, size_t n)
{
    SUITE_CUDA(cudaMemcpy(host, dev, n * sizeof(T), cudaMemcpyDeviceToHost));
}
template <class T> static inline T *suite_host(size_t n)
{
    T *p = (T *)calloc(n ? n : 1, sizeof(T));
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

/* splitmix64: small, fast, the same everywhere. */
struct suite_rng {
    uint64_t s;
    explicit suite_rng(uint64_t seed) : s(seed) {}
    uint64_t next()
    {
        uint64_t z = (s += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    uint32_t below(uint32_t n) { return (uint32_t)((next() >> 32) * (uint64_t)n >> 32); }
    float unit() { return (float)(next() >> 40) * (1.0f / 16777216.0f); } /* [0, 1) */
    float range(float lo, float hi) { return lo + (hi - lo) * unit(); }
};

/* ---- checks ---- */
/* Counts elements that differ by more than abs + rel * |expected|; prints the first. NaN never passes. */
template <class T>
static inline size_t suite_diff(const char *what, const T *got, const T *expected, size_t n, double rel, double abs_)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        double e = (double)expected[i], g = (double)got[i];
        if (!(fabs(g - e) <= abs_ + rel * fabs(e)) && bad++ == 0)
            fprintf(stderr, "%s[%zu] is %.9g, expected %.9g\n", what, i, g, e);
    }
    return bad;
}
template <class T> static inline size_t suite_diff_exact(const char *what, const T *got, const T *expected, size_t n)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &expected[i], sizeof(T)) != 0 && bad++ == 0)
            fprintf(stderr, "%s[%zu] differs\n", what, i);
    return bad;
}
/* The program's one line and its exit status. */
static inline int suite_done(const char *name, int argc, char **argv, size_t bad)
{
    printf("%s %s: %s\n", name, argc > 1 ? argv[1] : "tiny", bad ? "FAILED" : "ok");
    return bad != 0;
}

#endif
