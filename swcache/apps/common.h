/*
 * What the software-cache applications share: one program per folder, made of app.cu (input, reference, main) and one
 * file per variant of the kernel (plain.cu, hand.cu, and what the transformer makes of plain.cu). Each variant
 * registers a launch function; the program runs all of them on the same data, compares every output with a reference
 * computed on the CPU and bit for bit with the plain variant's, and times the launches in turns.
 *
 *   app [--size tiny|small|full] [--launches N] [--variant NAME] [--json FILE] [--list]
 */
#ifndef SWCACHE_APPS_COMMON_H
#define SWCACHE_APPS_COMMON_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
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

struct rng {
    uint32_t state;
    explicit rng(uint64_t seed = 1) : state((uint32_t)(seed * 2654435761u) ^ (uint32_t)(seed >> 32) ^ 0x9e3779b9u)
    {
        state += !state;
        for (int i = 0; i < 4; i++)
            next();
    }
    uint32_t next()
    {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
    }
    uint32_t below(uint32_t n) { return (uint32_t)(((uint64_t)next() * n) >> 32); }
    float uniform(float lo = 0, float hi = 1) { return lo + (hi - lo) * (float)(next() >> 8) / 16777216.0f; }
};

/* Calls work(k) for k in [0, n) on all of the host's cores. Work on k must not depend on other k. */
template <class F> static void parallel_for(long n, F work)
{
    long workers = std::min<long>(n, std::max(1u, std::thread::hardware_concurrency()));
    if (workers <= 1) {
        for (long k = 0; k < n; k++)
            work(k);
        return;
    }
    std::vector<std::thread> threads;
    for (long w = 0; w < workers; w++)
        threads.emplace_back([=] {
            for (long k = n * w / workers; k < n * (w + 1) / workers; k++)
                work(k);
        });
    for (auto &t : threads)
        t.join();
}

/* Fills bytes in pieces of 64 KiB, each from a generator of its own: write(rng, piece, length) may leave nothing out.
 */
template <class F> static std::vector<char> generate_text(long bytes, uint64_t seed, F write)
{
    const long piece = 65536;
    std::vector<char> text(bytes);
    parallel_for((bytes + piece - 1) / piece, [&](long k) {
        rng r(seed * 1000003 + k);
        write(r, text.data() + k * piece, std::min(piece, bytes - k * piece));
    });
    return text;
}

/* A word of a small vocabulary: common words are short and frequent. Returns its length. */
static inline int random_word(rng &r, char *word)
{
    uint32_t rank = r.below(64) ? r.below(1 + r.below(512)) : r.below(65536);
    int length = 2 + (int)(rank % 3) + (rank > 40) * 3 + (rank > 300) * 2;
    for (int i = 0; i < length; i++)
        word[i] = (char)('a' + (rank * 2654435761u >> (i * 3 & 31)) % 26);
    return length;
}

/* Registered by APP_VARIANT in each variant's file. */
template <class Problem> struct app_variant {
    std::string name;
    void (*launch)(const Problem &);
};
template <class Problem> std::vector<app_variant<Problem>> &app_variants()
{
    static std::vector<app_variant<Problem>> list;
    return list;
}
template <class Problem> struct app_registration {
    app_registration(const char *name, void (*launch)(const Problem &))
    {
        app_variants<Problem>().push_back({name, launch});
    }
};

/* Launches the plain variant: what a program would do that chooses between its own kernel and a cached one. */
template <class Problem> void app_plain(const Problem &p)
{
    for (auto &v : app_variants<Problem>())
        if (v.name == "plain")
            return v.launch(p);
}

/* The build names the variants that share a source with another: -DAPP_VARIANT_NAME='"auto"'. */
#ifdef APP_VARIANT_NAME
#define APP_VARIANT(name, launch) static app_registration<problem> app_registration_(APP_VARIANT_NAME, launch)
#else
#define APP_VARIANT(name, launch) static app_registration<problem> app_registration_(name, launch)
#endif

enum app_size { APP_TINY, APP_SMALL, APP_FULL };

template <class Problem> class app
{
  public:
    app(const char *name, int argc, char **argv) : name_(name)
    {
        auto &variants = app_variants<Problem>();
        std::sort(variants.begin(), variants.end(), [](const app_variant<Problem> &a, const app_variant<Problem> &b) {
            return std::make_pair(a.name != "plain", a.name) < std::make_pair(b.name != "plain", b.name);
        });
        for (int i = 1; i < argc; i++) {
            std::string option = argv[i];
            if (option == "--list") {
                for (auto &v : variants)
                    puts(v.name.c_str());
                exit(0);
            }
            if (i + 1 == argc)
                usage();
            std::string value = argv[++i];
            if (option == "--size" && value == "tiny")
                size_ = APP_TINY;
            else if (option == "--size" && value == "small")
                size_ = APP_SMALL;
            else if (option == "--size" && value == "full")
                size_ = APP_FULL;
            else if (option == "--launches" && atoi(value.c_str()) > 0)
                launches_ = atoi(value.c_str());
            else if (option == "--variant")
                only_ = value;
            else if (option == "--json")
                json_ = value;
            else
                usage();
        }
    }

    app_size size() const { return size_; }
    template <class T> T pick(T tiny, T small, T full) const
    {
        return size_ == APP_TINY ? tiny : size_ == APP_SMALL ? small : full;
    }

    /* A device array with this content; with offset, its first element is that many elements into an allocation. */
    template <class T> const T *input(const std::vector<T> &v, size_t offset = 0)
    {
        T *p;
        CUDA(cudaMalloc((void **)&p, std::max<size_t>(1, v.size() + offset) * sizeof(T)));
        CUDA(cudaMemcpy(p + offset, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
        bytes_ += v.size() * sizeof(T);
        return p + offset;
    }

    /* A device array that every launch must leave like `want`: exactly, or each element within tolerance * max(1,
     * |want|). */
    template <class T> T *output(const std::vector<T> &want, double tolerance = 0)
    {
        T *p;
        size_t bytes = std::max<size_t>(1, want.size()) * sizeof(T);
        CUDA(cudaMalloc((void **)&p, bytes));
        bytes_ += bytes;
        outputs_.push_back(
            {p, want.size() * sizeof(T), {}, [=](const char *got) { return agree(want, got, tolerance); }});
        return p;
    }

    /* The fewest bytes the kernel must move; without this call, the sum of all inputs and outputs. */
    void must_move(size_t bytes) { bytes_ = bytes; }

    int run(const Problem &p)
    {
        std::vector<app_variant<Problem>> variants;
        for (auto &v : app_variants<Problem>())
            if (only_.empty() || only_ == v.name)
                variants.push_back(v);
        if (variants.empty())
            usage();
        for (auto &v : variants)
            check(p, v);
        if (launches_ > 1)
            time(p, variants);
        puts(failures_ ? "failed" : "passed");
        return failures_ != 0;
    }

  private:
    struct result {
        void *device;
        size_t bytes;
        std::vector<char> first; /* what the first variant left */
        std::function<bool(const char *)> right;
    };

    const char *name_;
    app_size size_ = APP_TINY;
    int launches_ = 1, failures_ = 0;
    size_t bytes_ = 0;
    std::string only_, json_;
    std::vector<result> outputs_;

    [[noreturn]] void usage() const
    {
        fprintf(stderr, "usage: %s [--size tiny|small|full] [--launches N] [--variant NAME] [--json FILE] [--list]\n",
                name_);
        exit(2);
    }

    static double number(double x) { return x; }
    template <class T> static double number(const T &) { return 0; } /* structures are compared exactly */

    template <class T> static bool agree(const std::vector<T> &want, const char *got, double tolerance)
    {
        for (size_t i = 0; i < want.size(); i++) {
            T g;
            memcpy(&g, got + i * sizeof(T), sizeof(T));
            if (!memcmp(&g, &want[i], sizeof(T)))
                continue;
            double w = number(want[i]);
            if (tolerance > 0 && std::fabs(number(g) - w) <= tolerance * std::max(1.0, std::fabs(w)))
                continue;
            fprintf(stderr, "element %zu of %zu differs from the reference: got %.9g, want %.9g\n", i, want.size(),
                    number(g), w);
            return false;
        }
        return true;
    }

    void clear()
    {
        for (auto &o : outputs_)
            CUDA(cudaMemset(o.device, 0, o.bytes));
    }

    /* Two launches, because a variant may choose between kernels and begin with either. */
    void check(const Problem &p, const app_variant<Problem> &v)
    {
        for (int launch = 0; launch < 2; launch++) {
            clear();
            v.launch(p);
            CUDA(cudaGetLastError());
            CUDA(cudaDeviceSynchronize());
            for (auto &o : outputs_)
                compare(v.name.c_str(), o);
        }
    }

    void compare(const char *variant, result &o)
    {
        std::vector<char> got(o.bytes);
        CUDA(cudaMemcpy(got.data(), o.device, o.bytes, cudaMemcpyDeviceToHost));
        bool right = o.right(got.data());
        if (o.first.empty())
            o.first = got;
        bool same = o.first == got;
        if (!right || !same)
            fprintf(stderr, "%s: %s: %s\n", name_, variant, right ? "not bit for bit the first variant" : "wrong");
        failures_ += !right || !same;
    }

    /* Launches the variants in turns, so that clocks and temperature favor none; prints medians. */
    void time(const Problem &p, const std::vector<app_variant<Problem>> &variants)
    {
        cudaEvent_t begin, end;
        CUDA(cudaEventCreate(&begin));
        CUDA(cudaEventCreate(&end));
        std::vector<std::vector<float>> ms(variants.size());
        for (int round = -10; round < launches_; round++) /* ten rounds to warm up, and to let a tuner decide */
            for (size_t k = 0; k < variants.size(); k++) {
                CUDA(cudaEventRecord(begin));
                variants[k].launch(p);
                CUDA(cudaEventRecord(end));
                CUDA(cudaEventSynchronize(end));
                float t;
                CUDA(cudaEventElapsedTime(&t, begin, end));
                if (round >= 0)
                    ms[k].push_back(t);
            }
        cudaDeviceProp device;
        CUDA(cudaGetDeviceProperties(&device, 0));
        FILE *json = json_.empty() ? NULL : fopen(json_.c_str(), "w");
        if (json)
            fprintf(json, "{\"app\": \"%s\", \"device\": \"%s\", \"bytes\": %zu, \"launches\": %d, \"variants\": {",
                    name_, device.name, bytes_, launches_);
        for (size_t k = 0; k < variants.size(); k++) {
            std::sort(ms[k].begin(), ms[k].end());
            float median = ms[k][ms[k].size() / 2], low = ms[k][ms[k].size() / 10], high = ms[k][ms[k].size() * 9 / 10];
            if (!only_.size() || k == 0)
                printf("%-14s %-10s %9.4f ms  [%.4f, %.4f]  %7.1f GB/s  %5.2fx\n", name_, variants[k].name.c_str(),
                       median, low, high, bytes_ / median * 1e-6, ms[0][ms[0].size() / 2] / median);
            if (json)
                fprintf(json, "%s\"%s\": {\"median_ms\": %.6g, \"p10_ms\": %.6g, \"p90_ms\": %.6g}", k ? ", " : "",
                        variants[k].name.c_str(), median, low, high);
        }
        if (json) {
            fputs("}}\n", json);
            fclose(json);
        }
        CUDA(cudaEventDestroy(begin));
        CUDA(cudaEventDestroy(end));
    }
};

#endif
