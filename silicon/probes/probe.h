/*
 * What the microbenchmarks share: timed launches and the rows they print.
 *
 * Every probe is a kernel that repeats one operation. It is launched with two counts of repetitions, and what is
 * reported is the difference of the two times over the difference of the two counts, so that launch, warm-up and loop
 * entry cancel. A row has
 *
 *     probe  variant  launch_a  launch_b  cycles_a  cycles_b  operations
 *
 * where the launches are numbered as they happen in the process and the cycles are those of the SMs' clocks: the
 * latest end minus the earliest start on the same SM, the maximum over SMs. A simulator whose clock register does not
 * follow simulated time takes the cycles of the two launches from its own statistics instead (compare.py does).
 *
 * Without a GPU's patience: --model takes fewer repetitions and smaller footprints and leaves out the probes of what a
 * simulator has no counterpart for.
 */
#ifndef SILICON_PROBE_H
#define SILICON_PROBE_H

#include "check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

struct stamp {
    long long start, end;
    unsigned sm;
};

__device__ __forceinline__ unsigned my_sm()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

/* Each CTA's first thread notes when it began and ended what is timed. */
__device__ __forceinline__ long long begin_timing()
{
    __syncthreads();
    return clock64();
}
__device__ __forceinline__ void end_timing(stamp *s, long long start)
{
    __syncthreads();
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{start, clock64(), my_sm()};
}

static int launches;       /* kernels launched so far, timed or not */
static bool model;         /* --model */
static const char *wanted; /* --only PREFIX */
static const unsigned max_ctas = 1 << 16;
static stamp *stamps;
static unsigned *sink;

static bool want(const char *probe)
{
    return !wanted || strncmp(probe, wanted, strlen(wanted)) == 0;
}

/* Waits for the last launch and returns its cycles. */
static long long finish(unsigned ctas)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    launches++;
    static std::vector<stamp> s;
    s.resize(ctas);
    CHECK(cudaMemcpy(s.data(), stamps, ctas * sizeof(stamp), cudaMemcpyDeviceToHost));
    std::map<unsigned, std::pair<long long, long long>> per_sm;
    for (auto &x : s) {
        auto it = per_sm.find(x.sm);
        if (it == per_sm.end())
            per_sm[x.sm] = {x.start, x.end};
        else {
            it->second.first = x.start < it->second.first ? x.start : it->second.first;
            it->second.second = x.end > it->second.second ? x.end : it->second.second;
        }
    }
    long long most = 0;
    for (auto &p : per_sm)
        most = p.second.second - p.second.first > most ? p.second.second - p.second.first : most;
    return most;
}

/*
 * Times `launch(n)` at two counts. On a board the smaller of several tries counts. `operations` is what one repetition
 * is worth.
 */
template <class F>
static void measure(const char *probe, const std::string &variant, int n_a, int n_b, unsigned ctas, double operations,
                    F launch)
{
    if (!want(probe))
        return;
    launch(n_a); /* caches as a launch leaves them */
    finish(ctas);
    long long best[2] = {-1, -1};
    int at[2] = {0, 0};
    for (int i = 0; i < (model ? 1 : 3); i++)
        for (int k = 0; k < 2; k++) {
            launch(k ? n_b : n_a);
            at[k] = launches;
            long long t = finish(ctas);
            if (best[k] < 0 || t < best[k])
                best[k] = t;
        }
    printf("%s\t%s\t%d\t%d\t%lld\t%lld\t%g\n", probe, variant.c_str(), at[0], at[1], best[0], best[1],
           operations * (n_b - n_a));
    fflush(stdout);
}

static void start(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--model") == 0)
            model = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            wanted = argv[++i];
        else {
            fprintf(stderr, "usage: %s [--model] [--only PROBE]\n", argv[0]);
            exit(2);
        }
    }
    CHECK(cudaMalloc(&stamps, max_ctas * sizeof(stamp)));
    CHECK(cudaMalloc(&sink, 1 << 20));
    printf("probe\tvariant\tlaunch_a\tlaunch_b\tcycles_a\tcycles_b\toperations\n");
}

static std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));
#include <cstdarg>
static std::string text(const char *format, ...)
{
    char b[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(b, sizeof b, format, ap);
    va_end(ap);
    return b;
}

#endif
