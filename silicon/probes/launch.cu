/*
 * What a launch costs: an empty grid, CTAs by number and size, cold caches at its start.
 *
 * A kernel cannot see its own launch. Run this under Nsight Compute (collect.sh does) for the elapsed cycles of each
 * launch in the order of the rows; the cycles printed here are those between the first thread's first instruction and
 * the last thread's last one on an SM, so the difference is launch and drain. cycles_a: the first launch of its kind;
 * cycles_b: the third.
 */
#include "probe.h"

__global__ void empty()
{
}

__global__ void stamped(stamp *s)
{
    long long t = clock64();
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{t, clock64(), my_sm()};
}

/* One load, one store: the shortest kernel that does something. */
__global__ void touch(unsigned *data, stamp *s)
{
    long long t = clock64();
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{t, clock64(), my_sm()};
}

/* Each CTA works for about `cycles`. */
__global__ void busy(int cycles, stamp *s)
{
    long long t = clock64();
    while (clock64() - t < cycles)
        ;
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{t, clock64(), my_sm()};
}

/* Reads all of a buffer once. */
__global__ void read_all(const uint4 *data, unsigned n, stamp *s, unsigned *out)
{
    long long t = clock64();
    unsigned x = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = data[i];
        x ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (x == 12345)
        *out = x;
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{t, clock64(), my_sm()};
}

/* A fixed amount of arithmetic, whatever the clock says. */
__global__ void work(int n, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = clock64();
    for (int i = 0; i < n; i++)
        asm volatile("mad.lo.s32 %0, %0, %0, 7;" : "+r"(x));
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{t, clock64(), my_sm()};
    out[threadIdx.x] = x;
}

/* The times of a launch's first loads, seen by one thread: parameters, constants, data of one page and of another. */
__constant__ unsigned some_constants[1024];
__global__ void first_loads(const char *data, unsigned stride, unsigned zero, long long *times)
{
    long long t[10];
    unsigned x = 0, v;
    t[0] = clock64();
    x += some_constants[zero + 64];
    asm volatile("" : "+r"(x)::"memory");
    t[1] = clock64() + (x & zero);
    x += some_constants[zero + 65];
    asm volatile("" : "+r"(x)::"memory");
    t[2] = clock64() + (x & zero);
    x += some_constants[zero + 512];
    asm volatile("" : "+r"(x)::"memory");
    t[3] = clock64() + (x & zero);
    for (int i = 0; i < 6; i++) {
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + (size_t)(i / 2) * stride + (i & 1) * 128 + (x & zero)) : "memory");
        x += v;
        t[4 + i] = clock64() + (x & zero);
    }
    for (int i = 0; i < 10; i++)
        times[i] = t[i] - t[0];
}

/* Straight code of about 16 bytes an instruction, run twice: the first pass fetches it. */
template <int N> __global__ void long_code(int passes, unsigned a, unsigned b, long long *times, unsigned *out)
{
    unsigned x = a;
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
        long long t = clock64();
#pragma unroll
        for (int i = 0; i < N; i++)
            asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
        if (threadIdx.x == 0 && blockIdx.x == 0)
            times[p] = clock64() - t;
    }
    out[threadIdx.x] = x;
}

template <class F> static void row(const char *probe, const std::string &variant, unsigned ctas, bool has_stamps, F launch)
{
    if (!want(probe))
        return;
    long long c[3];
    int at[3];
    for (int i = 0; i < 3; i++) {
        launch();
        at[i] = launches;
        if (has_stamps)
            c[i] = finish(ctas);
        else {
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            launches++;
            c[i] = 0;
        }
    }
    printf("%s\t%s\t%d\t%d\t%lld\t%lld\t%u\n", probe, variant.c_str(), at[0], at[2], c[0], c[2], ctas);
}

/* Host time from launch to launch, without and with waiting for each. */
static void host_rate()
{
    if (model || !want("host"))
        return;
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    const int n = 500;
    for (int pass = 0; pass < 2; pass++) {
        CHECK(cudaEventRecord(a));
        for (int i = 0; i < n; i++)
            empty<<<132, 128>>>();
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        launches += n;
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    printf("host\tback_to_back,nanoseconds\t0\t0\t0\t%.0f\t%d\n", ms * 1e6, n);
}

template <int N> static void code_row()
{
    long long *times, h[2][3];
    CHECK(cudaMalloc(&times, sizeof h));
    if (!want("cold_code"))
        return;
    int first = launches;
    for (int i = 0; i < 2; i++) {
        long_code<N><<<model ? 1 : 132, 32>>>(3, 3, 5, times, sink);
        CHECK(cudaDeviceSynchronize());
        launches++;
        CHECK(cudaMemcpy(h[i], times, sizeof h[i], cudaMemcpyDeviceToHost));
    }
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 3; p++)
            printf("cold_code\tinstructions=%d,launch=%d,pass=%d\t%d\t%d\t0\t%lld\t%d\n", N, i, p, first, first + i, h[i][p], N);
    CHECK(cudaFree(times));
}

int main(int argc, char **argv)
{
    start(argc, argv);
    unsigned *data;
    CHECK(cudaMalloc(&data, 256 << 20));
    CHECK(cudaMemset(data, 0, 256 << 20));
    for (unsigned ctas : {1u, 132u, 264u, 528u, 1056u, 2112u, 4224u, 8448u, 16896u})
        for (unsigned threads : {32u, 128u, 256u, 512u, 1024u}) {
            if (model && ctas > 1056)
                continue;
            if ((threads == 32 || threads == 512) && ctas != 1 && ctas != 132 && ctas != 4224)
                continue;
            row("empty", text("ctas=%u,threads=%u", ctas, threads), ctas, false, [&] { empty<<<ctas, threads>>>(); });
        }
    for (unsigned ctas : {1u, 132u, 1056u})
        for (unsigned threads : {32u, 256u, 1024u}) {
            row("stamped", text("ctas=%u,threads=%u", ctas, threads), ctas, true, [&] { stamped<<<ctas, threads>>>(stamps); });
            row("touch", text("ctas=%u,threads=%u", ctas, threads), ctas, true, [&] { touch<<<ctas, threads>>>(data, stamps); });
        }
    for (int n : {16, 256, 1024, 4096})
        for (unsigned ctas : {1u, 132u})
            row("work", text("n=%d,ctas=%u", n, ctas), ctas, true, [&] { work<<<ctas, 128>>>(n, stamps, sink); });
    if (!model)
        for (int c : {2000, 8000})
            for (unsigned ctas : {132u, 132u * 8, 132u * 64})
                row("busy", text("cycles=%d,ctas=%u", c, ctas), ctas, true, [&] { busy<<<ctas, 256>>>(c, stamps); });
    if (want("first_loads")) {
        long long *times, h[10];
        CHECK(cudaMalloc(&times, sizeof h));
        static const char *const what[] = {"start",       "constant",       "constant,next",    "constant,other_line", "page0",
                                           "page0,line1", "page1",          "page1,line1",      "page2",               "page2,line1"};
        for (int i = 0; i < 3; i++) {
            first_loads<<<1, 1>>>((const char *)data, 4u << 20, 0, times);
            CHECK(cudaDeviceSynchronize());
            launches++;
            CHECK(cudaMemcpy(h, times, sizeof h, cudaMemcpyDeviceToHost));
            for (int k = 1; k < 10; k++)
                printf("first_loads\tlaunch=%d,%s\t%d\t%d\t%lld\t%lld\t1\n", i, what[k], launches - 1, launches - 1, h[k - 1], h[k]);
        }
    }
    /* What a copy from the host and a memset leave in the L2: cycles_a is the first read, cycles_b the third. */
    for (unsigned mib : {4u, 16u, 24u, 32u, 48u}) {
        if (model && mib > 4)
            continue;
        std::vector<char> h(mib << 20, 1);
        unsigned n = mib << 16;
        CHECK(cudaMemset(data, 1, 256 << 20));
        CHECK(cudaMemcpy(data, h.data(), h.size(), cudaMemcpyHostToDevice));
        row("after_copy", text("MiB=%u", mib), 264, true, [&] { read_all<<<264, 256>>>((uint4 *)data, n, stamps, sink); });
        CHECK(cudaMemset(data, 1, 256 << 20));
        CHECK(cudaMemset(data, 2, mib << 20));
        row("after_memset", text("MiB=%u", mib), 264, true, [&] { read_all<<<264, 256>>>((uint4 *)data, n, stamps, sink); });
    }
    code_row<64>();
    code_row<256>();
    code_row<1024>();
    code_row<4096>();
    if (!model)
        code_row<16384>();
    host_rate();
    return 0;
}
