/*
 * The L2 as the counters of Nsight Compute see it: what stays in it behind copies, stores and reads, what a miss
 * fetches, what is written back, and what the two partitions of the L2 keep of each other's lines.
 *
 *     ncu ... l2 counters LABELS      every launch is one row of ncu's, in the order of the lines of the file LABELS
 *     l2 sides                        which SMs find near what one SM has read or written
 *     l2 latency                      loads timed one by one: near and far lines, by the SM's own clock
 *
 *     ncu ... l2 fresh WHAT MIB LABELS   the same for the first kernels of a process: what a copy leaves in an L2 that
 *                                        holds nothing yet. WHAT: h2d, pinned, memset, map, backwards, increment
 *
 * Each sequence of `counters` starts by reading 512 MiB, after which the L2 holds nothing of the buffer that is measured.
 */
#include "check.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

typedef unsigned long long u64;
static const u64 MiB = 1 << 20;
static const u64 evict_bytes = 512 * MiB, buffer_bytes = 256 * MiB;
static char *buffer, *evictor, *pinned;
static std::vector<char> pageable(128 * MiB, 1);
static unsigned *sink;
static FILE *labels;

/* Every thread takes one word of each piece of `stride` bytes its warp meets; a warp covers 128 bytes at stride 128. */
__global__ void read_words(const char *p, u64 bytes, unsigned shift, unsigned *out)
{
    u64 n = bytes / 4, i = (u64)((blockIdx.x + shift) % gridDim.x) * blockDim.x + threadIdx.x;
    unsigned x = 0;
    for (; i < n; i += (u64)gridDim.x * blockDim.x)
        x += __ldcg((const unsigned *)p + i);
    if (x == 0x12345678)
        *out = x;
}
/* Eight lanes take the 32 bytes at `offset` of each piece of `stride` bytes. */
__global__ void read_sectors(const char *p, u64 bytes, unsigned stride, unsigned offset, unsigned *out)
{
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = 0;
    for (; i / 8 * stride < bytes; i += (u64)gridDim.x * blockDim.x)
        x += __ldcg((const unsigned *)(p + i / 8 * stride + offset) + i % 8);
    if (x == 0x12345678)
        *out = x;
}
__global__ void write_words(char *p, u64 bytes, unsigned shift, unsigned value)
{
    u64 n = bytes / 4, i = (u64)((blockIdx.x + shift) % gridDim.x) * blockDim.x + threadIdx.x;
    for (; i < n; i += (u64)gridDim.x * blockDim.x)
        ((unsigned *)p)[i] = value;
}
/* One word of each piece of `stride` bytes. */
__global__ void write_some(char *p, u64 bytes, unsigned stride, unsigned value)
{
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i * stride < bytes; i += (u64)gridDim.x * blockDim.x)
        *(unsigned *)(p + i * stride) = value;
}
/* Whole sectors, one of each piece of `stride` bytes. */
__global__ void write_sectors(char *p, u64 bytes, unsigned stride, unsigned value)
{
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i / 8 * stride < bytes; i += (u64)gridDim.x * blockDim.x)
        ((unsigned *)(p + i / 8 * stride))[i % 8] = value;
}
__global__ void increment(char *p, u64 bytes)
{
    u64 n = bytes / 4, i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (u64)gridDim.x * blockDim.x)
        ((unsigned *)p)[i]++;
}

static const unsigned grid = 132 * 4, threads = 512;

static void done(const std::string &label)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fprintf(labels, "%s\n", label.c_str());
}
static std::string at(const char *what, const char *step, u64 mib)
{
    return std::string(what) + "\t" + step + "\t" + std::to_string(mib);
}
static void evict(const char *what, u64 mib)
{
    read_words<<<grid, threads>>>(evictor, evict_bytes, 0, sink);
    done(at(what, "evict", mib));
}
static void read(const char *what, const char *step, u64 mib, unsigned shift = 0)
{
    read_words<<<grid, threads>>>(buffer, mib * MiB, shift, sink);
    done(at(what, step, mib));
}

static void counters()
{
    CHECK(cudaMallocHost((void **)&pinned, 128 * MiB));
    memset(pinned, 1, 128 * MiB);
    CHECK(cudaMemset(buffer, 0, buffer_bytes));
    CHECK(cudaMemset(evictor, 0, evict_bytes));
    evict("start", 0);
    evict("start", 1);
    for (u64 n : {4, 8, 16, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96}) {
        evict("reads", n);
        read("reads", "first", n);
        read("reads", "second", n);
        read("reads", "third", n);
        read("reads", "shifted", n, grid / 2);
        read("reads", "shifted_again", n, grid / 2);
    }
    for (u64 n : {4, 8, 16, 24, 32, 40, 48, 64, 96}) {
        evict("h2d", n);
        CHECK(cudaMemcpy(buffer, pageable.data(), n * MiB, cudaMemcpyHostToDevice));
        read("h2d", "first", n);
        read("h2d", "second", n);
        evict("h2d_pinned", n);
        CHECK(cudaMemcpy(buffer, pinned, n * MiB, cudaMemcpyHostToDevice));
        read("h2d_pinned", "first", n);
        read("h2d_pinned", "second", n);
        evict("h2d_dirty", n);
        CHECK(cudaMemcpy(buffer, pageable.data(), n * MiB, cudaMemcpyHostToDevice));
        evict("h2d_dirty_written_back", n);
        evict("memset", n);
        CHECK(cudaMemset(buffer, 0, n * MiB));
        read("memset", "first", n);
        read("memset", "second", n);
        evict("stores", n);
        write_words<<<grid, threads>>>(buffer, n * MiB, 0, 3);
        done(at("stores", "write", n));
        read("stores", "first", n);
        read("stores", "second", n);
        write_words<<<grid, threads>>>(buffer, n * MiB, 0, 4);
        done(at("stores", "write_again", n));
        write_words<<<grid, threads>>>(buffer, n * MiB, grid / 2, 4);
        done(at("stores", "write_shifted", n));
        read("stores", "third", n);
        read("stores", "fourth", n);
        evict("stores_written_back", n);
        CHECK(cudaMemcpy(buffer, pinned, n * MiB, cudaMemcpyHostToDevice));
        increment<<<grid, threads>>>(buffer, n * MiB);
        done(at("increment", "h2d", n));
        evict("increment_written_back", n);
        evict("d2h", n);
        read("d2h", "first", n);
        CHECK(cudaMemcpy(pageable.data(), buffer, n * MiB, cudaMemcpyDeviceToHost));
        read("d2h", "behind_copy", n);
    }
    /* What of a copy is still there, piece by piece, in the copy's order. */
    for (u64 n : {32, 48, 64, 96, 128})
        for (int backwards = 0; backwards < 2; backwards++) {
            evict(backwards ? "map_backwards" : "map", n);
            CHECK(cudaMemcpy(buffer, pageable.data(), n * MiB, cudaMemcpyHostToDevice));
            for (u64 k = 0; k < n / 4; k++) {
                u64 piece = backwards ? n / 4 - 1 - k : k;
                read_words<<<grid, threads>>>(buffer + piece * 4 * MiB, 4 * MiB, 0, sink);
                done(at(backwards ? "map_backwards" : "map", ("from=" + std::to_string(piece * 4)).c_str(), n));
            }
        }
    for (u64 n : {48, 64}) {
        evict("map_stores", n);
        write_words<<<grid, threads>>>(buffer, n * MiB, 0, 5);
        done(at("map_stores", "write", n));
        for (u64 k = 0; k < n / 4; k++) {
            read_words<<<grid, threads>>>(buffer + k * 4 * MiB, 4 * MiB, 0, sink);
            done(at("map_stores", ("from=" + std::to_string(k * 4)).c_str(), n));
        }
        evict("map_reads", n);
        read("map_reads", "read", n);
        for (u64 k = 0; k < n / 4; k++) {
            read_words<<<grid, threads>>>(buffer + k * 4 * MiB, 4 * MiB, 0, sink);
            done(at("map_reads", ("from=" + std::to_string(k * 4)).c_str(), n));
        }
    }
    /* What a miss fetches and what a store fetches or leaves to be written. */
    for (unsigned stride : {32u, 64u, 128u, 256u, 1024u, 4096u})
        for (unsigned offset : {0u, 32u}) {
            if (offset >= stride)
                continue;
            std::string name = "sectors,stride=" + std::to_string(stride) + ",offset=" + std::to_string(offset);
            u64 n = stride < 256 ? 16 : 128;
            evict(name.c_str(), n);
            read_sectors<<<grid, threads>>>(buffer, n * MiB, stride, offset, sink);
            done(at(name.c_str(), "read", n));
            read_sectors<<<grid, threads>>>(buffer, n * MiB, stride, offset, sink);
            done(at(name.c_str(), "again", n));
            read_sectors<<<grid, threads>>>(buffer, n * MiB, stride, offset ^ 32, sink);
            done(at(name.c_str(), "neighbor", n));
        }
    for (unsigned stride : {4u, 32u, 64u, 128u, 256u}) {
        std::string word = "write_word,stride=" + std::to_string(stride);
        evict(word.c_str(), 16);
        write_some<<<grid, threads>>>(buffer, 16 * MiB, stride, 7);
        done(at(word.c_str(), "write", 16));
        read(word.c_str(), "read", 16);
        evict((word + ",read_written_back").c_str(), 16);
        write_some<<<grid, threads>>>(buffer, 16 * MiB, stride, 7);
        done(at(word.c_str(), "write2", 16));
        evict((word + ",written_back").c_str(), 16);
        std::string sector = "write_sector,stride=" + std::to_string(stride);
        if (stride < 32)
            continue;
        write_sectors<<<grid, threads>>>(buffer, 16 * MiB, stride, 7);
        done(at(sector.c_str(), "write", 16));
        evict((sector + ",written_back").c_str(), 16);
    }
}

static void fresh(const char *what, u64 n)
{
    bool is_pinned = !strcmp(what, "pinned") || !strcmp(what, "increment");
    if (is_pinned) {
        CHECK(cudaMallocHost((void **)&pinned, n * MiB));
        memset(pinned, 1, n * MiB);
        CHECK(cudaMemcpy(buffer, pinned, n * MiB, cudaMemcpyHostToDevice));
    } else if (!strcmp(what, "memset")) {
        CHECK(cudaMemset(buffer, 0, n * MiB));
    } else {
        CHECK(cudaMemcpy(buffer, pageable.data(), n * MiB, cudaMemcpyHostToDevice));
    }
    std::string name = std::string("fresh_") + what;
    if (!strcmp(what, "increment")) {
        increment<<<grid, threads>>>(buffer, n * MiB);
        done(at(name.c_str(), "increment", n));
    } else if (!strcmp(what, "map") || !strcmp(what, "backwards")) {
        for (u64 k = 0; k < n / 4; k++) {
            u64 piece = strcmp(what, "map") ? n / 4 - 1 - k : k;
            read_words<<<grid, threads>>>(buffer + piece * 4 * MiB, 4 * MiB, 0, sink);
            done(at(name.c_str(), ("from=" + std::to_string(piece * 4)).c_str(), n));
        }
    } else {
        read(name.c_str(), "first", n);
        read(name.c_str(), "second", n);
    }
    evict((name + "_written_back").c_str(), n);
}

/* ---- latencies ---- */

/* CTAs go to all SMs; only the one on the wanted SM does anything. One load of each line, timed. */
__global__ void touch(const char *base, unsigned lines, unsigned stride, unsigned sm, int repeat, unsigned short *cycles)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    if (id != sm || threadIdx.x)
        return;
    unsigned zero = 0;
    for (unsigned i = 0; i < lines; i++) {
        const char *p = base + (u64)i * stride + zero;
        long long a = clock64();
        for (int k = 0; k < repeat; k++) {
            unsigned v;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + zero) : "memory");
            zero = v & 1;
        }
        if (zero)
            return; /* never, for what is read is 0; the branch waits for the loads, so the clock is read behind them */
        long long b = clock64();
        cycles[i] = (unsigned short)((b - a) / repeat);
    }
}

static void latencies()
{
    const unsigned lines = 4096;
    unsigned short *d;
    CHECK(cudaMalloc(&d, lines * 2));
    std::vector<unsigned short> h(lines), kept[2];
    CHECK(cudaMemset(buffer, 0, buffer_bytes));
    auto run = [&](unsigned sm, int repeat) {
        touch<<<132 * 2, 1024>>>(buffer, lines, 128, sm, repeat, d);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(h.data(), d, lines * 2, cudaMemcpyDeviceToHost));
    };
    auto print = [&](const std::string &name, unsigned loader, unsigned sm) {
        std::map<unsigned, unsigned> histogram;
        double sum = 0;
        for (auto v : h)
            histogram[v / 16 * 16]++, sum += v;
        for (auto &e : histogram)
            if (e.second >= lines / 200)
                printf("%s\tloader=%u\tsm=%u\tmean=%.1f\tcycles=%u..%u\t%u\n", name.c_str(), loader, sm, sum / lines, e.first,
                       e.first + 15, e.second);
    };
    auto fresh = [&]() {
        read_words<<<grid, threads>>>(evictor, evict_bytes, 0, sink);
        CHECK(cudaDeviceSynchronize());
    };
    /* Cold, then again, by the same SM; then by another: near lines, far lines, copies. */
    for (unsigned loader : {0u, 1u, 2u, 17u, 64u, 131u}) {
        fresh();
        run(loader, 1);
        print("cold", loader, loader);
        run(loader, 1);
        print("again", loader, loader);
        for (unsigned sm : {0u, 1u, 2u, 3u, 16u, 17u, 18u, 33u, 64u, 65u, 100u, 131u}) {
            fresh();
            run(loader, 1);
            run(sm, 1);
            print("first_touch", loader, sm);
            if (sm == 0u || sm == 1u)
                kept[sm] = h;
            run(sm, 1);
            print("second_touch", loader, sm);
        }
        /* The lines that are far for one SM and not for another: how the partitions share the addresses. */
        if (loader == 0)
            for (unsigned i = 0; i < 256; i++)
                printf("line\t%u\t%u\t%u\n", i, kept[0][i], kept[1][i]);
    }
    /* Stores of one SM between two reads of another: does a copy survive? */
    for (unsigned sm : {0u, 1u, 2u, 17u}) {
        fresh();
        run(sm, 1);
        run(sm, 1);
        print("before_stores", sm, sm);
        write_words<<<1, 1024>>>(buffer, lines * 128, 0, 0);
        CHECK(cudaDeviceSynchronize());
        run(sm, 1);
        print("behind_stores", 0, sm);
        run(sm, 1);
        print("behind_stores_again", 0, sm);
        fresh();
        CHECK(cudaMemcpy(buffer, pageable.data() + 64 * MiB, lines * 128, cudaMemcpyHostToDevice));
        run(sm, 1);
        print("behind_h2d", 0, sm);
        run(sm, 1);
        print("behind_h2d_again", 0, sm);
    }
    run(0, 8);
    print("repeated", 0, 0);
}

/* The same lines stored to by one SM. */
__global__ void store_from(char *base, unsigned lines, unsigned stride, unsigned sm)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    if (id != sm)
        return;
    for (unsigned i = threadIdx.x; i < lines * 32; i += blockDim.x)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(base + (u64)(i / 32) * stride + i % 32 * 4), "r"(0) : "memory");
}

/* On which side of the L2 each SM is: what it finds near of lines that SM 0 has read, or written. */
static void sides()
{
    const unsigned lines = 1024;
    unsigned short *d;
    CHECK(cudaMalloc(&d, lines * 2));
    std::vector<unsigned short> h(lines);
    CHECK(cudaMemset(buffer, 0, buffer_bytes));
    auto run = [&](unsigned sm) {
        touch<<<132 * 2, 1024>>>(buffer, lines, 128, sm, 1, d);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(h.data(), d, lines * 2, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (auto v : h)
            sum += v;
        return sum / lines;
    };
    printf("probe\tsm\tfirst\tsecond\n");
    for (unsigned sm = 0; sm < 132; sm++)
        for (int stored = 0; stored < 2; stored++) {
            read_words<<<grid, threads>>>(evictor, evict_bytes, 0, sink);
            if (stored)
                store_from<<<132 * 2, 1024>>>(buffer, lines, 128, 0);
            else
                run(0);
            CHECK(cudaDeviceSynchronize());
            const double first = run(sm), second = run(sm);
            printf("%s\t%u\t%.1f\t%.1f\n", stored ? "behind_stores_of_0" : "behind_loads_of_0", sm, first, second);
        }
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc(&buffer, buffer_bytes));
    CHECK(cudaMalloc(&evictor, evict_bytes));
    CHECK(cudaMalloc(&sink, 4096));
    if (argc == 3 && !strcmp(argv[1], "counters")) {
        labels = fopen(argv[2], "w");
        if (!labels) {
            perror(argv[2]);
            return 1;
        }
        counters();
        return fclose(labels) != 0;
    }
    if (argc == 5 && !strcmp(argv[1], "fresh") && atoi(argv[3]) > 0 && atoi(argv[3]) <= 128) {
        labels = fopen(argv[4], "a");
        if (!labels) {
            perror(argv[4]);
            return 1;
        }
        fresh(argv[2], (u64)atoi(argv[3]));
        return fclose(labels) != 0;
    }
    if (argc == 2 && !strcmp(argv[1], "latency")) {
        memset(pageable.data(), 0, pageable.size());
        latencies();
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "sides")) {
        sides();
        return 0;
    }
    fprintf(stderr, "usage: l2 sides | l2 counters LABELS | l2 fresh WHAT MIB LABELS | l2 latency\n");
    return 2;
}
