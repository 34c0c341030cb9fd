/*
 * The memory hierarchy: shared memory, L1, L2, DRAM, atomics, stores, textures, constants, translation.
 *
 * Latency is that of a chase: one thread follows pointers through a ring laid out with a stride in a footprint that was
 * walked once before. Throughput is measured on one SM where the L1 or shared memory answers and on all of them where
 * the L2 or DRAM does. Operations are loads of the thread (chases), warp instructions (one SM) or bytes (all SMs).
 */
#include "probe.h"

typedef unsigned long long u64;

enum path { CA, CG, NC, VOLATILE };

template <int P> __device__ __forceinline__ unsigned load(const void *p)
{
    unsigned v;
    if (P == CA)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    else if (P == CG)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    else if (P == NC)
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    else
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

/* ---- rings ---- */

/* Element i of a ring of n, `stride` bytes apart, names its successor in units of `unit` bytes. */
__global__ void lay_ring(char *base, u64 stride, unsigned n, unsigned unit, bool scattered)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned next = scattered ? (unsigned)(((u64)i * 1664525u + 1013904223u) % n) : i + 1 == n ? 0 : i + 1;
        *(unsigned *)(base + i * stride) = (unsigned)(next * stride / unit);
    }
}

static char *arena;
static u64 arena_bytes;

/* A ring in the arena. Scattered needs n to be a power of two (a full-period congruential generator). */
static void ring(u64 stride, u64 footprint, unsigned unit, bool scattered)
{
    unsigned n = (unsigned)(footprint / stride);
    if (footprint > arena_bytes) {
        fprintf(stderr, "memory: a ring of %llu bytes does not fit\n", footprint);
        exit(1);
    }
    lay_ring<<<model ? 4 : 256, 256>>>(arena, stride, n, unit, scattered);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    launches++;
}

extern __shared__ unsigned dynamic_shared[];

template <int P> __global__ void chase(const char *base, unsigned unit, int warm, int n, stamp *s, unsigned *out)
{
    u64 at = 0;
    for (int i = 0; i < warm; i++)
        at = (u64)load<P>(base + at) * unit;
    long long t = begin_timing();
#pragma unroll 8
    for (int i = 0; i < n; i++)
        at = (u64)load<P>(base + at) * unit;
    end_timing(s, t);
    out[0] = (unsigned)at;
}

template <int P> static void chase_probe(const char *probe, const std::string &variant, u64 stride, u64 footprint,
                                         bool scattered, unsigned shared_bytes = 0)
{
    if (!want(probe))
        return;
    unsigned unit = footprint > (1u << 31) ? 128 : 1;
    ring(stride, footprint, unit, scattered);
    int lines = (int)(footprint / stride);
    int warm = lines < 300000 ? lines : 300000;
    int n = lines < 256 ? 256 : lines < 8192 ? lines : 8192;
    if (model) {
        warm = lines < 4096 ? lines : 4096;
        n = lines < 128 ? 128 : lines < 2048 ? lines : 2048;
    }
    CHECK(cudaFuncSetAttribute(chase<P>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    measure(probe, variant, n, 2 * n, 1, 1,
            [&](int k) { chase<P><<<1, 1, shared_bytes>>>(arena, unit, warm, k, stamps, sink); });
}

/* ---- one SM: warp loads that hit in the L1 ---- */

template <int P, int WIDTH> __device__ __forceinline__ unsigned wide(const char *p)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (WIDTH == 1)
        asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
    else if (WIDTH == 4)
        return load<P>(p);
    else if (WIDTH == 8 && P == CA)
        asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    else if (WIDTH == 8)
        asm volatile("ld.global.cg.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    else if (P == CA)
        asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
    else
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
    return a ^ b ^ c ^ d;
}

/*
 * Each lane reads its address again and again, in four chains. What is read is 0 and added to the address, which ptxas
 * cannot know: else it would read once.
 */
static const int read_chains = 4;

template <int P, int WIDTH>
__global__ void lanes(const char *base, unsigned stride, unsigned step, unsigned warp_step, int n, stamp *s, unsigned *out)
{
    const char *p[read_chains];
    for (int c = 0; c < read_chains; c++) {
        p[c] = base + (threadIdx.x & 31) * stride + (threadIdx.x >> 5) * warp_step + c * step;
        p[c] += wide<P, WIDTH>(p[c]) * (c + 1);
    }
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            p[k % read_chains] += wide<P, WIDTH>(p[k % read_chains]) * (k % read_chains + 1);
    end_timing(s, t);
    out[threadIdx.x] = (unsigned)(p[0] - p[1] + (p[2] - p[3]));
}

/* Lane l reads base + offset[l]: sets of lines and sectors chosen by the host. */
__global__ void gather(const char *base, const unsigned *offset, int n, stamp *s, unsigned *out)
{
    const char *p[read_chains];
    for (int c = 0; c < read_chains; c++) {
        p[c] = base + offset[threadIdx.x & 31];
        p[c] += load<CA>(p[c]) * (c + 1);
    }
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            p[k % read_chains] += load<CA>(p[k % read_chains]) * (k % read_chains + 1);
    end_timing(s, t);
    out[threadIdx.x] = (unsigned)(p[0] - p[1] + (p[2] - p[3]));
}

static void l1_rates()
{
    int a = model ? 1 : 8, b = model ? 3 : 40, warps = model ? 16 : 32;
    CHECK(cudaMemset(arena, 0, 64 << 20));
    auto run = [&](auto kernel, const std::string &v, unsigned stride, unsigned step, unsigned warp_step) {
        measure("l1_rate", v, a, b, 1, 8.0 * warps,
                [&](int n) { kernel<<<1, warps * 32>>>(arena, stride, step, warp_step, n, stamps, sink); });
    };
    static const unsigned strides[] = {0, 4, 8, 12, 16, 32, 36, 64, 68, 128, 132, 160, 256, 512, 1024, 2048, 4096};
    for (unsigned st : strides)
        run(lanes<CA, 4>, text("4B,stride=%u", st), st, 0, 0);
    run(lanes<CA, 1>, "1B,stride=1", 1, 0, 0);
    run(lanes<CA, 8>, "8B,stride=8", 8, 0, 0);
    run(lanes<CA, 8>, "8B,stride=32", 32, 0, 0);
    run(lanes<CA, 8>, "8B,stride=128", 128, 0, 0);
    run(lanes<CA, 16>, "16B,stride=16", 16, 0, 0);
    run(lanes<CA, 16>, "16B,stride=32", 32, 0, 0);
    run(lanes<CA, 16>, "16B,stride=128", 128, 0, 0);
    run(lanes<NC, 4>, "nc,4B,stride=4", 4, 0, 0);
    run(lanes<NC, 4>, "nc,4B,stride=128", 128, 0, 0);
    /* Each warp its own line; a new line for each load. */
    run(lanes<CA, 4>, "4B,stride=4,own_lines", 4, 4096, 128);
    run(lanes<CA, 4>, "4B,stride=32,own_lines", 32, 4096, 1024);
    /* Lines touched by the lanes, all in the first sector; then sectors of one line in lanes' order. */
    unsigned *offset;
    CHECK(cudaMalloc(&offset, 128));
    auto chosen = [&](const std::string &v, auto at) {
        unsigned h[32];
        for (unsigned l = 0; l < 32; l++)
            h[l] = at(l);
        CHECK(cudaMemcpy(offset, h, sizeof h, cudaMemcpyHostToDevice));
        measure("l1_rate", v, a, b, 1, 8.0 * warps,
                [&](int n) { gather<<<1, warps * 32>>>(arena, offset, n, stamps, sink); });
    };
    for (unsigned lines = 1; lines <= 32; lines *= 2)
        chosen(text("lines=%u,one_word", lines), [&](unsigned l) { return l % lines * 128; });
    for (unsigned lines = 1; lines <= 32; lines *= 2)
        chosen(text("lines=%u,own_bank", lines), [&](unsigned l) { return l % lines * 128 + l * 4; });
    for (unsigned lines = 2; lines <= 32; lines *= 2)
        chosen(text("lines=%u,blocked", lines), [&](unsigned l) { return l / (32 / lines) * 128 + l % (32 / lines) * 4; });
    chosen("lines=4,distant", [&](unsigned l) { return l % 4 * 32768 + l * 4; });
    chosen("reversed", [&](unsigned l) { return (31 - l) * 4; });
    chosen("random_words_of_4KiB", [&](unsigned l) { return (l * 2654435761u >> 20 & 1023) * 4; });
    CHECK(cudaFree(offset));
}

/* ---- one SM: shared memory ---- */

__global__ void shared_chase(int n, unsigned stride, stamp *s, unsigned *out)
{
    __shared__ unsigned ring_of[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        ring_of[i] = (i + stride) & 1023;
    __syncthreads();
    unsigned at = 0;
    long long t = begin_timing();
#pragma unroll 8
    for (int i = 0; i < n; i++)
        at = *(volatile unsigned *)&ring_of[at];
    end_timing(s, t);
    out[0] = at;
}

enum shared_op { S_LOAD, S_STORE, S_ATOMIC, S_ATOMIC_RETURN, S_LOAD16, S_FLOAT, S_CAS };

template <int OP> __global__ void shared_rate(int n, unsigned stride, unsigned modulus, stamp *s, unsigned *out)
{
    __shared__ __align__(16) unsigned area[8192];
    for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)
        area[i] = 0;
    __syncthreads();
    unsigned first = (unsigned)__cvta_generic_to_shared(&area[(threadIdx.x & 31) % modulus * stride & 8191]);
    unsigned at[read_chains], x = threadIdx.x, y = 0, z = 0, w = 0;
    for (int c = 0; c < read_chains; c++)
        at[c] = first + area[c] * (c + 1);
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned &p = at[k % read_chains];
            if (OP == S_LOAD) {
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(y) : "r"(p) : "memory");
                p += y;
            } else if (OP == S_LOAD16) {
                asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(y), "=r"(z), "=r"(w), "=r"(x) : "r"(p) : "memory");
                p += y | z | w | x;
            } else if (OP == S_STORE) {
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(p), "r"(x) : "memory");
            } else if (OP == S_ATOMIC) {
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(p), "r"(1) : "memory");
            } else if (OP == S_FLOAT) {
                asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(p), "f"(1.0f) : "memory");
            } else if (OP == S_CAS) {
                asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(y) : "r"(p), "r"(k), "r"(i) : "memory");
                x ^= y;
            } else {
                asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(y) : "r"(p), "r"(1) : "memory");
                x ^= y;
            }
        }
    end_timing(s, t);
    out[threadIdx.x] = x ^ at[0] ^ at[1] ^ at[2] ^ at[3];
}

static void shared_probes()
{
    measure("shared_latency", "chase", 256, 1024, 1, 1, [&](int n) { shared_chase<<<1, 1>>>(n, 1, stamps, sink); });
    int a = model ? 1 : 4, b = model ? 3 : 20, warps = model ? 16 : 32;
    auto run = [&](auto kernel, const std::string &v, unsigned stride, unsigned modulus) {
        measure("shared_rate", v, a, b, 1, 8.0 * warps,
                [&](int n) { kernel<<<1, warps * 32>>>(n, stride, modulus, stamps, sink); });
    };
    for (unsigned st = 1; st <= 32; st *= 2)
        run(shared_rate<S_LOAD>, text("load,stride=%u", st), st, 32);
    run(shared_rate<S_LOAD>, "load,stride=3", 3, 32);
    run(shared_rate<S_LOAD>, "load,stride=33", 33, 32);
    run(shared_rate<S_LOAD>, "load,broadcast", 0, 32);
    run(shared_rate<S_LOAD16>, "load16,stride=4", 4, 32);
    run(shared_rate<S_STORE>, "store,stride=1", 1, 32);
    run(shared_rate<S_STORE>, "store,stride=32", 32, 32);
    for (unsigned m = 1; m <= 32; m *= 4) {
        run(shared_rate<S_ATOMIC>, text("red,words=%u", m), 1, m);
        run(shared_rate<S_ATOMIC_RETURN>, text("atom,words=%u", m), 1, m);
        run(shared_rate<S_FLOAT>, text("red_f32,words=%u", m), 1, m);
    }
    run(shared_rate<S_ATOMIC>, "red,words=32", 1, 32);
    run(shared_rate<S_ATOMIC_RETURN>, "atom,words=32", 1, 32);
    run(shared_rate<S_FLOAT>, "red_f32,words=32", 1, 32);
    run(shared_rate<S_CAS>, "cas,words=32", 1, 32);
    run(shared_rate<S_CAS>, "cas,words=1", 1, 1);
    run(shared_rate<S_ATOMIC>, "red,stride=32", 32, 32);
}

/* ---- constants and textures ---- */

__constant__ unsigned constants[16384];


/* words is a power of two, and constants[i] = i, so the address is masked: one AND and one ADD per step. */
__global__ void constant_ring(unsigned mask, unsigned stride, int warm, int n, stamp *s, unsigned *out)
{
    unsigned at = 0;
    for (int i = 0; i < warm; i++)
        at = (constants[at] + stride) & mask;
    long long t = begin_timing();
#pragma unroll 8
    for (int i = 0; i < n; i++)
        at = (constants[at] + stride) & mask;
    end_timing(s, t);
    out[0] = at;
}

/* Lanes read `spread` different words of the constant bank; constants[i] = i, so that the index stays. */
__global__ void constant_lanes(unsigned spread, unsigned mask, int n, stamp *s, unsigned *out)
{
    unsigned at[read_chains];
    for (int c = 0; c < read_chains; c++)
        at[c] = (threadIdx.x % spread + c * 32) & mask;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            at[k % read_chains] = constants[at[k % read_chains]];
    end_timing(s, t);
    out[threadIdx.x] = at[0] ^ at[1] ^ at[2] ^ at[3];
}

__global__ void texture_chase(cudaTextureObject_t tex, int warm, int n, stamp *s, unsigned *out)
{
    int at = 0;
    for (int i = 0; i < warm; i++)
        at = tex1Dfetch<int>(tex, at);
    long long t = begin_timing();
#pragma unroll 8
    for (int i = 0; i < n; i++)
        at = tex1Dfetch<int>(tex, at);
    end_timing(s, t);
    out[0] = (unsigned)at;
}

/* Eight fetches an iteration in chains that start at `at`; what is fetched is 0. */
static __device__ __forceinline__ void time_fetches(cudaTextureObject_t tex, int at[read_chains], int n, stamp *s, unsigned *out)
{
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            at[k % read_chains] += tex1Dfetch<int>(tex, at[k % read_chains]);
    end_timing(s, t);
    out[threadIdx.x] = (unsigned)(at[0] ^ at[1] ^ at[2] ^ at[3]);
}

__global__ void texture_lanes(cudaTextureObject_t tex, int stride, int n, stamp *s, unsigned *out)
{
    int at[read_chains];
    for (int c = 0; c < read_chains; c++)
        at[c] = (int)(threadIdx.x & 31) * stride + c;
    time_fetches(tex, at, n, s, out);
}

/* Lane l fetches element offset[l] of what is 0 everywhere. */
__global__ void texture_gather(cudaTextureObject_t tex, const unsigned *offset, int n, stamp *s, unsigned *out)
{
    int at[read_chains];
    for (int c = 0; c < read_chains; c++)
        at[c] = (int)offset[threadIdx.x & 31];
    time_fetches(tex, at, n, s, out);
}

static void read_only_probes()
{
    std::vector<unsigned> same(16384);
    for (unsigned i = 0; i < 16384; i++)
        same[i] = i;
    CHECK(cudaMemcpyToSymbol(constants, same.data(), 65536));
    static const unsigned kib[] = {1, 2, 4, 16, 32, 48, 64};
    for (unsigned k : kib) {
        unsigned words = k * 256, n = words / 16;
        if (words & (words - 1))
            continue;
        if (n < 64)
            n = 64;
        measure("constant_latency", text("KiB=%u", k), (int)n, (int)(2 * n), 1, 1, [&](int c) {
            constant_ring<<<1, 1>>>(words - 1, 16, (int)(words / 16), c, stamps, sink);
        });
    }
    for (unsigned spread = 1; spread <= 32; spread *= 2)
        measure("constant_rate", text("words=%u", spread), 2, 6, 1, 8.0 * 16,
                [&](int n) { constant_lanes<<<1, 512>>>(spread, 255, n, stamps, sink); });

    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = arena;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = 64 << 20;
    cudaTextureDesc how = {};
    cudaTextureObject_t tex;
    CHECK(cudaCreateTextureObject(&tex, &what, &how, nullptr));
    static const unsigned texture_kib[] = {4, 32, 128, 224, 1024};
    for (unsigned k : texture_kib) {
        if (!want("texture_latency"))
            break;
        int lines = (int)(k * 8);
        ring(128, k << 10, 4, false);
        int n = lines < 256 ? 256 : lines;
        measure("texture_latency", text("KiB=%u", k), n, 2 * n, 1, 1,
                [&](int c) { texture_chase<<<1, 1>>>(tex, lines, c, stamps, sink); });
    }
    CHECK(cudaMemset(arena, 0, 1 << 20));
    int warps = model ? 16 : 32;
    for (int st = 1; st <= 32; st *= 2)
        measure("texture_rate", text("stride=%d", 4 * st), 2, 6, 1, 8.0 * warps,
                [&](int n) { texture_lanes<<<1, warps * 32>>>(tex, st, n, stamps, sink); });
    /* Lines that the lanes touch, chosen by the host: elements of 4 bytes. */
    unsigned *offset;
    CHECK(cudaMalloc(&offset, 128));
    auto chosen = [&](const std::string &v, auto element) {
        unsigned h[32];
        for (unsigned l = 0; l < 32; l++)
            h[l] = element(l);
        CHECK(cudaMemcpy(offset, h, sizeof h, cudaMemcpyHostToDevice));
        measure("texture_gather", v, 2, 6, 1, 8.0 * warps,
                [&](int n) { texture_gather<<<1, warps * 32>>>(tex, offset, n, stamps, sink); });
    };
    chosen("same", [](unsigned) { return 0u; });
    chosen("line_per_quad", [](unsigned l) { return l / 4 * 1024 + l % 4; });
    chosen("sector_per_quad", [](unsigned l) { return l / 4 * 1024 + l % 4 * 8; });
    chosen("two_lines_of_quad", [](unsigned l) { return l / 4 * 1024 + l % 2 * 32 + l % 4 / 2; });
    chosen("lines=4", [](unsigned l) { return l % 4 * 32; });
    chosen("lines=8", [](unsigned l) { return l % 8 * 32; });
    chosen("lines=32", [](unsigned l) { return l * 32; });
    chosen("random_of_4KiB", [](unsigned l) { return l * 2654435761u >> 22; });
    chosen("random_of_64KiB", [](unsigned l) { return l * 2654435761u >> 18; });
    CHECK(cudaFree(offset));
    CHECK(cudaDestroyTextureObject(tex));
}

/* ---- stores ---- */

enum store_then_load { LD, LD_ST_LD, ST_LD, ST_PART_LD, LD_RED_LD };

/* Visits n lines, each once per repetition of the walk; each step waits for the one before. */
template <int HOW> __global__ void store_walk(char *base, int lines, int n, stamp *s, unsigned *out)
{
    unsigned zero = 0;
    for (int i = 0; i < lines; i++)
        zero += load<CG>(base + (u64)i * 128 + zero);
    long long t = begin_timing();
    for (int i = 0; i < n; i++) {
        char *p = base + (u64)i * 128 + zero;
        if (HOW == LD || HOW == LD_ST_LD || HOW == LD_RED_LD)
            p += load<CA>(p);
        if (HOW == LD_ST_LD || HOW == ST_LD)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
        if (HOW == ST_PART_LD)
            asm volatile("st.global.u32 [%0+4], %1;" ::"l"(p), "r"(0) : "memory");
        if (HOW == LD_RED_LD)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
        if (HOW != LD)
            zero = load<CA>(p);
        else
            zero = (unsigned)(p - base) & 1;
    }
    end_timing(s, t);
    out[0] = zero;
}

static void store_probes()
{
    CHECK(cudaMemset(arena, 0, 1 << 20));
    int a = model ? 64 : 256, b = model ? 128 : 768;
    auto run = [&](auto kernel, const char *v) {
        measure("store_load", v, a, b, 1, 1, [&](int n) { kernel<<<1, 1>>>(arena, b, n, stamps, sink); });
    };
    run(store_walk<LD>, "ld");
    run(store_walk<LD_ST_LD>, "ld,st,ld");
    run(store_walk<ST_LD>, "st,ld");
    run(store_walk<ST_PART_LD>, "st_other_word,ld");
    run(store_walk<LD_RED_LD>, "ld,red,ld");
}

/* ---- all SMs: streams over a footprint ---- */

enum stream_op { READ, WRITE, COPY, READ4, WRITE4, READ_SECTOR, WRITE_SECTOR, WRITE_WORD };

/* Bytes that a thread of stream() covers. */
template <int OP> constexpr unsigned width_of = OP == READ || OP == WRITE || OP == COPY ? 16
                                                : OP == READ4 || OP == WRITE4           ? 4
                                                                                        : 128;

/*
 * Each CTA takes pieces of the footprint in turn. READ, WRITE, COPY: 16 bytes a thread. READ4, WRITE4: 4 bytes a
 * thread. READ_SECTOR, WRITE_SECTOR: a warp takes 32 sectors, one of each of 32 lines. WRITE_WORD: 4 bytes of each.
 */
template <int OP> __global__ void stream(char *base, u64 bytes, u64 from, int n, stamp *s, unsigned *out)
{
    const unsigned width = width_of<OP>;
    unsigned x = 0;
    u64 per_turn = (u64)gridDim.x * blockDim.x * width;
    u64 at = (from + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * width) % bytes;
    long long t = begin_timing();
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        char *p = base + at;
        if (OP == READ || OP == COPY)
            x ^= wide<CG, 16>(p);
        if (OP == WRITE)
            asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(x) : "memory");
        if (OP == COPY)
            asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p + bytes), "r"(i) : "memory");
        if (OP == READ4 || OP == READ_SECTOR)
            x ^= load<CG>(p);
        if (OP == WRITE4 || OP == WRITE_WORD)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
        if (OP == WRITE_SECTOR) {
            asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(i) : "memory");
            asm volatile("st.global.v4.u32 [%0+16], {%1,%1,%1,%1};" ::"l"(p), "r"(i) : "memory");
        }
        at += per_turn;
        at = at >= bytes ? at - bytes : at;
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

template <int OP> static void stream_probe(const char *probe, const std::string &variant, u64 bytes, unsigned ctas, int a,
                                           int b, double useful)
{
    if (!want(probe))
        return;
    u64 from = 0;
    measure(probe, variant, a, b, ctas, (double)ctas * 512 * useful, [&](int n) {
        stream<OP><<<ctas, 512>>>(arena, bytes, from, n, stamps, sink);
        if (model && bytes > (16u << 20)) /* go on where the last launch ended: what is not in the L2 yet */
            from = (from + (u64)n * ctas * 512 * width_of<OP>) % bytes;
    });
}

/* Each warp reads aligned pieces of `piece` bytes (32 lanes share them) at addresses drawn from the footprint. */
template <bool STORE> __global__ void scatter(char *base, u64 mask, unsigned piece, int n, stamp *s, unsigned *out)
{
    unsigned lanes_per = piece / 4 < 32 ? piece / 4 : 32, x = 0;
    u64 seed = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / lanes_per * 0x9e3779b97f4a7c15ull + 12345;
    long long t = begin_timing();
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        char *p = base + ((seed >> 20) & mask & ~(u64)(piece - 1)) + threadIdx.x % lanes_per * 4;
        if (STORE)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
        else
            x ^= load<CG>(p);
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* ---- atomics on all SMs or one ---- */

enum atomic_op { RED, ATOM, RED_CTA, ATOM_CTA, RED_SYS, CAS, RED_F32, ATOM_64 };
enum atomic_where { SAME, WARP_OWN, LANES, SPREAD, SECTORS };

template <int OP> __global__ void atomics(char *base, int where, int n, stamp *s, unsigned *out)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, x = 0, y;
    char *p = base;
    if (where == WARP_OWN)
        p += thread / 32 * 128;
    else if (where == LANES)
        p += thread % 32 * 4 + (OP == ATOM_64 ? thread % 32 * 4 : 0);
    else if (where == SPREAD)
        p += (u64)thread * (OP == ATOM_64 ? 8 : 4);
    else if (where == SECTORS)
        p += (u64)thread * 32;
    long long t = begin_timing();
    for (int i = 0; i < n; i++) {
        if (OP == RED)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
        else if (OP == RED_CTA)
            asm volatile("red.relaxed.cta.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
        else if (OP == RED_SYS)
            asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
        else if (OP == RED_F32)
            asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(1.0f) : "memory");
        else if (OP == ATOM) {
            asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(y) : "l"(p), "r"(1) : "memory");
            x ^= y;
        } else if (OP == ATOM_CTA) {
            asm volatile("atom.relaxed.cta.global.add.u32 %0, [%1], %2;" : "=r"(y) : "l"(p), "r"(1) : "memory");
            x ^= y;
        } else if (OP == ATOM_64) {
            u64 z;
            asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(z) : "l"(p), "l"(1ull) : "memory");
            x ^= (unsigned)z;
        } else {
            asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(y) : "l"(p), "r"(i), "r"(i + 1) : "memory");
            x ^= y;
        }
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* A thread waits for each atomic before the next. */
template <int OP> __global__ void atomic_chain(char *base, int n, stamp *s, unsigned *out)
{
    unsigned x = 0;
    long long t = begin_timing();
    for (int i = 0; i < n; i++) {
        if (OP == ATOM)
            asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(base + (x & 0)), "r"(0) : "memory");
        else if (OP == ATOM_CTA)
            asm volatile("atom.relaxed.cta.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(base + (x & 0)), "r"(0) : "memory");
        else
            asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;" : "=r"(x) : "l"(base + (x & 0)), "r"(x) : "memory");
        base += x;
    }
    end_timing(s, t);
    out[0] = x;
}

static void atomic_probes()
{
    static const char *const place[] = {"same_word", "word_per_warp", "words_of_a_line", "own_words", "own_sectors"};
    CHECK(cudaMemset(arena, 0, 64 << 20));
    auto all = [&](auto kernel, const char *op, int where, unsigned ctas) {
        measure("atomic_rate", text("%s,%s,ctas=%u", op, place[where], ctas), model ? 1 : 4, model ? 3 : 20, ctas,
                ctas * 8.0, [&](int n) { kernel<<<ctas, 256>>>(arena, where, n, stamps, sink); });
    };
    for (unsigned ctas : {1u, 132u})
        for (int where = SAME; where <= SECTORS; where++) {
            all(atomics<RED>, "red", where, ctas);
            all(atomics<ATOM>, "atom", where, ctas);
            if (where == SAME || where == SPREAD || where == LANES) {
                all(atomics<CAS>, "cas", where, ctas);
                all(atomics<RED_F32>, "red_f32", where, ctas);
                all(atomics<RED_CTA>, "red_cta", where, ctas);
                all(atomics<ATOM_CTA>, "atom_cta", where, ctas);
                all(atomics<RED_SYS>, "red_sys", where, ctas);
                all(atomics<ATOM_64>, "atom_64", where, ctas);
            }
        }
    CHECK(cudaMemset(arena, 0, 64 << 20));
    measure("atomic_latency", "atom", 64, 192, 1, 1, [&](int n) { atomic_chain<ATOM><<<1, 1>>>(arena, n, stamps, sink); });
    measure("atomic_latency", "atom_cta", 64, 192, 1, 1,
            [&](int n) { atomic_chain<ATOM_CTA><<<1, 1>>>(arena, n, stamps, sink); });
    measure("atomic_latency", "cas", 64, 192, 1, 1, [&](int n) { atomic_chain<CAS><<<1, 1>>>(arena, n, stamps, sink); });
}

/* ---- near and far L2, one load at a time (a board's clocks only) ---- */

/* Eight dependent loads of the same line, none of which the L1 may answer. */
__global__ void each_line(const char *base, unsigned lines, unsigned short *latency, unsigned *sms)
{
    u64 at = 0;
    for (unsigned i = 0; i < lines; i++) {
        const char *p = base + (u64)i * 128 + at;
        at = load<CG>(p);
        __syncthreads();
        long long a = clock64();
#pragma unroll
        for (int k = 0; k < 8; k++)
            at = load<CG>(p + at);
        if (at)
            return; /* never; the clock is read after the branch, which waits for the loads */
        long long b = clock64();
        latency[i] = (unsigned short)((b - a) / 8);
    }
    *sms = my_sm();
}

static void near_and_far()
{
    if (model || !want("l2_near_far"))
        return;
    const unsigned lines = 4096;
    unsigned short *d;
    CHECK(cudaMalloc(&d, lines * 2));
    CHECK(cudaMemset(arena, 0, lines * 128));
    std::vector<unsigned short> h(lines);
    for (int pass = 0; pass < 3; pass++) {
        each_line<<<1, 1>>>(arena, lines, d, sink);
        CHECK(cudaDeviceSynchronize());
        launches++;
    }
    CHECK(cudaMemcpy(h.data(), d, lines * 2, cudaMemcpyDeviceToHost));
    std::map<unsigned, unsigned> histogram;
    for (auto v : h)
        histogram[v / 8 * 8]++;
    for (auto &e : histogram)
        printf("l2_near_far\tcycles=%u..%u\t0\t0\t0\t%u\t%u\n", e.first, e.first + 7, e.second, lines);
    CHECK(cudaFree(d));
}

/* ---- translation: one load per 2 MiB page, first and second walk ---- */

__global__ void page_walk(const char *base, u64 stride, int n, stamp *s, unsigned *out)
{
    unsigned zero = 0;
    long long t = begin_timing();
    for (int i = 0; i < n; i++)
        zero = load<CG>(base + (u64)i * stride + zero) & 1;
    end_timing(s, t);
    out[0] = zero;
}

int main(int argc, char **argv)
{
    start(argc, argv);
    size_t free_bytes = 0, total = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    arena_bytes = model ? 1024u << 20 : free_bytes > (66ull << 30) ? 65ull << 30 : free_bytes / 2;
    CHECK(cudaMalloc(&arena, arena_bytes));
    int device = 0, sms = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));

    if (!model && want("translation")) { /* before anything has touched the pages */
        for (u64 gib : {2ull, 8ull, 32ull, 64ull})
            for (int walk = 0; walk < 3; walk++) {
                int n = (int)(gib << 9);
                page_walk<<<1, 1>>>(arena + 128 * walk, 2u << 20, n, stamps, sink);
                long long c = finish(1);
                printf("translation\tGiB=%llu,walk=%d\t0\t%d\t0\t%lld\t%d\n", gib, walk, launches - 1, c, n);
            }
        for (u64 mib : {16ull, 64ull, 256ull, 1024ull, 4096ull, 16384ull, 65536ull})
            for (u64 page : {64ull << 10, 2ull << 20}) {
                if (mib << 20 < page * 8 || (mib << 20) / page > 65536)
                    continue;
                chase_probe<CG>("translation", text("chase,MiB=%llu,page=%lluKiB", mib, page >> 10), page + 128,
                                (mib << 20) / page * (page + 128), false);
            }
    }

    CHECK(cudaMemset(arena, 0, 256 << 20));
    /* L1: latency by footprint, at several carve-outs of shared memory. */
    static const unsigned kib[] = {4, 16, 32, 64, 96, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256, 272, 320, 512};
    static const unsigned carve[] = {0, 7, 31, 63, 99, 131, 163, 195, 227};
    for (unsigned c : carve)
        for (unsigned k : kib) {
            if (model && (k & 31))
                continue;
            if (c && (k & 15))
                continue;
            chase_probe<CA>("l1_latency", text("shared=%uKiB,KiB=%u", c, k), 128, k << 10, false, c << 10);
        }
    /* Conflicts: lines at a large stride; how many before they miss. */
    for (u64 stride : {1024ull, 4096ull, 8192ull, 16384ull, 32768ull, 65536ull})
        for (unsigned lines : {16u, 32u, 64u, 128u, 256u, 512u}) {
            if (model && stride * lines > (32u << 20))
                continue;
            chase_probe<CA>("l1_stride", text("stride=%llu,lines=%u", stride, lines), stride, stride * lines, false);
        }
    /* Sectors: neighbors of a fetched sector are not fetched. */
    chase_probe<CA>("l1_latency", "stride=32,KiB=64", 32, 64 << 10, false);
    chase_probe<CA>("l1_latency", "scattered,KiB=128", 128, 128 << 10, true);
    chase_probe<CA>("l1_latency", "scattered,KiB=256", 128, 256 << 10, true);
    chase_probe<CA>("l1_latency", "scattered,KiB=512", 128, 512 << 10, true);
    chase_probe<NC>("l1_latency", "nc,KiB=32", 128, 32 << 10, false);
    chase_probe<NC>("l1_latency", "nc,KiB=192", 128, 192 << 10, false);
    chase_probe<VOLATILE>("l1_latency", "volatile,KiB=32", 128, 32 << 10, false);
    l1_rates();
    shared_probes();
    read_only_probes();
    store_probes();

    /* L2 and DRAM: latency by footprint. */
    for (unsigned mib : {1u, 4u, 16u, 32u, 64u, 128u, 512u, 2048u})
        if (!model || mib <= 1)
            chase_probe<CG>("l2_latency", text("MiB=%u", mib), model ? 256 : 4096 + 128, (u64)mib << 20, model);
    if (!model) {
        for (unsigned mib : {8u, 24u, 40u, 56u, 1024u})
            chase_probe<CG>("l2_latency", text("lines,MiB=%u", mib), 128, (u64)mib << 20, mib == 8 || mib == 1024);
    } else {
        chase_probe<CG>("l2_latency", "lines,MiB=8", 4096, 8 << 20, true);
    }
    near_and_far();

    /* L2 bandwidth, one SM and all; DRAM by operation. */
    unsigned ctas = (unsigned)sms * 2;
    int a = model ? 1 : 8, b = model ? 3 : 40;
    for (unsigned c : {1u, 2u, 4u, ctas}) {
        u64 foot = c < 8 ? 4u << 20 : model ? 8u << 20 : 16u << 20;
        stream_probe<READ>("l2_bandwidth", text("read16,ctas=%u", c), foot, c, a, b, 16);
        stream_probe<READ4>("l2_bandwidth", text("read4,ctas=%u", c), foot, c, a, b, 4);
        stream_probe<READ_SECTOR>("l2_bandwidth", text("read_sector,ctas=%u", c), foot, c, a, b, 32);
        stream_probe<WRITE>("l2_bandwidth", text("write16,ctas=%u", c), foot, c, a, b, 16);
        stream_probe<WRITE4>("l2_bandwidth", text("write4,ctas=%u", c), foot, c, a, b, 4);
        stream_probe<WRITE_SECTOR>("l2_bandwidth", text("write_sector,ctas=%u", c), foot, c, a, b, 32);
        stream_probe<WRITE_WORD>("l2_bandwidth", text("write_word,ctas=%u", c), foot, c, a, b, 4);
        stream_probe<COPY>("l2_bandwidth", text("copy16,ctas=%u", c), foot / 2, c, a, b, 32);
    }
    /* With --model, warm-up and shorter launch together displace what the L2 holds, so that stores go to DRAM. */
    u64 large = model ? 512u << 20 : 8ull << 30;
    auto dram = [&](int n) { return model ? n : 100; };
    auto dram_b = [&](int n) { return model ? 3 * n : 500; };
    ctas = (unsigned)sms * 4;
    stream_probe<READ>("dram_bandwidth", "read16", large, ctas, dram(10), dram_b(10), 16);
    stream_probe<READ4>("dram_bandwidth", "read4", large, ctas, dram(32), dram_b(32), 4);
    stream_probe<WRITE>("dram_bandwidth", "write16", large, ctas, dram(14), dram_b(14), 16);
    stream_probe<COPY>("dram_bandwidth", "copy16", large / 2, ctas, dram(8), dram_b(8), 32);
    stream_probe<READ_SECTOR>("dram_bandwidth", "read_sector", large, ctas, dram(2), dram_b(2), 32);
    stream_probe<WRITE_WORD>("dram_bandwidth", "write_word", large, ctas, dram(2), dram_b(2), 4);
    for (unsigned piece : {32u, 64u, 128u}) {
        u64 mask = (model ? 256u << 20 : 4ull << 30) - 1, from = 0;
        double useful = (double)ctas * 512 * 4;
        measure("dram_random", text("read,piece=%u", piece), model ? 16 : 50, model ? 32 : 250, ctas, useful, [&](int n) {
            scatter<false><<<ctas, 512>>>(arena + from, mask, piece, n, stamps, sink);
            if (model) /* the same offsets from another base: lines that the L2 does not hold */
                from += mask + 1;
        });
        if (!model)
            measure("dram_random", text("write,piece=%u", piece), 50, 250, ctas, useful,
                    [&](int n) { scatter<true><<<ctas, 512>>>(arena, mask, piece, n, stamps, sink); });
        u64 small = (model ? 4u << 20 : 16u << 20) - 1;
        measure("l2_random", text("read,piece=%u", piece), model ? 1 : 50, model ? 3 : 250, ctas, useful,
                [&](int n) { scatter<false><<<ctas, 512>>>(arena, small, piece, n, stamps, sink); });
        measure("l2_random", text("read,piece=%u,one_sm", piece), model ? 1 : 50, model ? 3 : 250, 1, 512.0 * 4,
                [&](int n) { scatter<false><<<1, 512>>>(arena, small, piece, n, stamps, sink); });
    }
    atomic_probes();
    return 0;
}
