/*
 * What the end-to-end programs share: checked calls, reproducible numbers, device vectors, comparison with a reference
 * computed on the CPU. A program ends with `return check_result();`: 0 when everything agreed.
 */
#ifndef E2E_CHECK_H
#define E2E_CHECK_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* After a launch: it was accepted and ran to its end. */
#define RAN()                                                                                                          \
    do {                                                                                                               \
        CUDA(cudaGetLastError());                                                                                      \
        CUDA(cudaDeviceSynchronize());                                                                                 \
    } while (0)

static int check_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            if (check_failures++ < 10)                                                                                 \
                fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                              \
        }                                                                                                              \
    } while (0)

static inline int check_result(void)
{
    puts(check_failures ? "failed" : "passed");
    return check_failures != 0;
}

struct rng {
    uint32_t state;
    explicit rng(uint32_t seed = 1) : state(seed * 2654435761u + 1) {}
    uint32_t next()
    {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
    }
    uint32_t below(uint32_t n) { return next() % n; }
    float uniform(float lo = 0, float hi = 1) { return lo + (hi - lo) * (float)(next() >> 8) / 16777216.0f; }
};

/* A device array that frees itself. */
template <class T> struct dev {
    T *p;
    size_t n;
    explicit dev(size_t count) : n(count) { CUDA(cudaMalloc((void **)&p, n * sizeof(T))); }
    explicit dev(const std::vector<T> &v) : n(v.size())
    {
        CUDA(cudaMalloc((void **)&p, n * sizeof(T)));
        put(v);
    }
    ~dev() { cudaFree(p); }
    dev(const dev &) = delete;
    void put(const std::vector<T> &v) { CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    void fill(int byte) { CUDA(cudaMemset(p, byte, n * sizeof(T))); }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
    operator T *() const { return p; }
};

template <class T> static void check_equal(const char *what, const std::vector<T> &got, const std::vector<T> &want)
{
    size_t bad = 0, first = 0;
    CHECK(got.size() == want.size());
    for (size_t i = 0; i < got.size() && i < want.size(); i++)
        if (memcmp(&got[i], &want[i], sizeof(T)) && bad++ == 0)
            first = i;
    if (bad) {
        check_failures++;
        fprintf(stderr, "%s: %zu of %zu differ, the first at %zu\n", what, bad, got.size(), first);
        const unsigned char *g = (const unsigned char *)&got[first], *w = (const unsigned char *)&want[first];
        for (size_t k = 0; k < sizeof(T) && k < 16; k++)
            fprintf(stderr, "%s%02x%s", k ? " " : "  got ", g[k], k + 1 == sizeof(T) || k == 15 ? "\n" : "");
        for (size_t k = 0; k < sizeof(T) && k < 16; k++)
            fprintf(stderr, "%s%02x%s", k ? " " : "  want ", w[k], k + 1 == sizeof(T) || k == 15 ? "\n" : "");
    }
}

/* |got - want| <= tolerance * max(|want|, floor) */
template <class T>
static void check_close(const char *what, const std::vector<T> &got, const std::vector<T> &want, double tolerance,
                        double floor = 1)
{
    size_t bad = 0, first = 0;
    CHECK(got.size() == want.size());
    for (size_t i = 0; i < got.size() && i < want.size(); i++) {
        double w = (double)want[i], g = (double)got[i], scale = std::fabs(w) > floor ? std::fabs(w) : floor;
        if (!(std::fabs(g - w) <= tolerance * scale) && bad++ == 0)
            first = i;
    }
    if (bad) {
        check_failures++;
        fprintf(stderr, "%s: %zu of %zu are off, the first at %zu: got %.9g, want %.9g\n", what, bad, got.size(), first,
                (double)got[first], (double)want[first]);
    }
}

#endif
