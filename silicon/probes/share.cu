/*
 * Words that many threads store to or add to, and lines that are read and cleared, as histograms, searches and clusterings do.
 *
 *     nvcc -O2 -arch=sm_90 -std=c++17 -o share share.cu && ./share > share.tsv      # rows as probe.h says; a few seconds
 *     ncu --metrics ... ./share --model                                             # what left the SMs, launch by launch
 *
 * What each decides:
 *   sweep           a turn that reads a line, clears it and writes another one takes two to four times as long as its load:
 *                   because of one of the stores (parts 1, 2), of who touched the lines before (behind), of the lines' number
 *                   (wrap) or of the warps that share an SM (ctas, warps)
 *   sweep_latency   the same from inside: how long each load of a warp takes, and the turn around it
 *   store_one       stores of every warp to one word between stores to other lines: whether bytes join less than words,
 *                   whether other lines push the word out, and what the slice takes for each
 *   store_lines     stores of one warp to lines in turn: whether a word that is written again joins as another word does
 *   red_words       reductions of lanes that want the same words of a line: by lane, by word or by sector
 *   red_lines       the same over several lines, and at random, as a clustering adds points to centers
 */
#include "probe.h"

/*
 * Thread t reads words t, t + threads, ... as a histogram's last kernel does: PARTS 1 clears what it read, 2 writes a word for
 * it elsewhere. `wrap` elements are used again and again.
 */
template <int PARTS> __global__ void sweep(int n, uint2 *data, unsigned *other, unsigned wrap, stamp *s, unsigned *out)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, sum = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        uint2 v = data[at];
        if (PARTS & 1)
            asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(data + at), "r"(0) : "memory");
        if (PARTS & 2)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(other + at), "r"(v.x + v.y) : "memory");
        else
            asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(v.x ^ v.y));
        at += step;
        if (at >= wrap)
            at -= wrap;
    }
    end_timing(s, t);
    if (sum)
        out[0] = sum;
}

/*
 * The same with the store behind the load's result (AFTER), or to the other half of the line, which is not read: the lower
 * halves of lines are read.
 */
template <bool AFTER, bool OTHER_HALF>
__global__ void sweep_halves(int n, uint2 *data, unsigned *, unsigned, stamp *s, unsigned *out)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, sum = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        uint2 *p = data + at / 8 * 16 + at % 8;
        uint2 v = *p;
        asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p + (OTHER_HALF ? 8 : 0)), "r"(AFTER ? v.x : 0)
                     : "memory");
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(v.x ^ v.y));
        at += step;
    }
    end_timing(s, t);
    if (sum)
        out[0] = sum;
}

/* Who was there before: all SMs read, clear or count, in another order than the sweep's. */
__global__ void read_all(const uint2 *data, unsigned n, unsigned *out)
{
    unsigned sum = 0;
    for (unsigned i = ((gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x)
        sum += __ldcg(&data[i]).x;
    if (sum)
        out[0] = sum;
}
__global__ void clear_all(uint2 *data, unsigned n)
{
    for (unsigned i = ((gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x)
        data[i] = uint2{0, 0};
}
__global__ void count_all(uint2 *data, unsigned n)
{
    for (unsigned i = ((gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x)
        if (i % 4 == 0)
            atomicAdd(&data[i].x, 0u); /* in each sector */
}

/* Of each warp's turns: cycles of the load, and of what follows it to the next turn. */
enum { TURNS = 48 };
template <int PARTS>
__global__ void sweep_timed(uint2 *data, unsigned *other, unsigned short *load_cycles, unsigned short *rest_cycles)
{
    __shared__ unsigned short cycles[2][32][TURNS];
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, warp = threadIdx.x / 32;
    __syncthreads();
    for (int i = 0; i < TURNS; i++) {
        long long a = clock64();
        uint2 v = data[at];
        if (v.x + v.y) /* never: all are zero; the branch waits for the load */
            return;
        long long b = clock64();
        if (PARTS & 1)
            asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(data + at), "r"(0) : "memory");
        if (PARTS & 2)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(other + at), "r"(0) : "memory");
        at += step;
        long long c = clock64();
        cycles[0][warp][i] = (unsigned short)(b - a);
        cycles[1][warp][i] = (unsigned short)(c - b);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < blockDim.x / 32 * TURNS; k += blockDim.x) {
        unsigned to = blockIdx.x * (blockDim.x / 32) * TURNS + k;
        load_cycles[to] = cycles[0][k / TURNS][k % TURNS];
        rest_cycles[to] = cycles[1][k / TURNS][k % TURNS];
    }
}

/*
 * Turns of one store of `BYTES` to the word that all share and `others` stores, each to `lanes` lines, as a search writes
 * what it found. FRESH: lines that no one wrote before; else each warp uses its own again.
 */
template <int BYTES, bool FRESH>
__global__ void store_one(int n, unsigned others, unsigned lanes, unsigned per_cta, char *base, stamp *s)
{
    char *one = base + blockIdx.x * per_cta;
    unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    char *own = base + (1 << 20) + (unsigned long long)warp * (FRESH ? 1 << 16 : 1 << 12) + lane * 128;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (lane < lanes) {
#pragma unroll 1
            for (unsigned k = 0; k < others; k++) {
                if (BYTES == 1)
                    asm volatile("st.global.u8 [%0], %1;" ::"l"(own), "r"(1) : "memory");
                else
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(own), "r"(1) : "memory");
                if (FRESH)
                    own += lanes * 128;
            }
            if (BYTES == 1)
                asm volatile("st.global.u8 [%0], %1;" ::"l"(one), "r"(1) : "memory");
            else
                asm volatile("st.global.u32 [%0], %1;" ::"l"(one), "r"(1) : "memory");
        }
        __syncwarp();
    }
    end_timing(s, t);
}

/* One warp stores to `lines` lines in turn: always the same word of each, the next word, or bytes of one word. */
template <int HOW> __global__ void store_lines(int n, unsigned lines, char *base, stamp *s)
{
    char *p = base + blockIdx.x * 8192;
    unsigned line = 0, word = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (HOW == 0)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(p + line * 128), "r"(k) : "memory");
            else if (HOW == 1)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(p + line * 128 + word * 4), "r"(k) : "memory");
            else
                asm volatile("st.global.u8 [%0], %1;" ::"l"(p + line * 128 + word % 4), "r"(k) : "memory");
            if (++line == lines)
                line = 0, word = (word + 1) % 32;
        }
    end_timing(s, t);
}

enum red_op { RED_U32, RED_F32, ATOM_U32 };
template <int OP> __device__ __forceinline__ void add_one(char *p, unsigned &x)
{
    unsigned y;
    if (OP == RED_U32)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
    else if (OP == RED_F32)
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(1.0f) : "memory");
    else {
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(y) : "l"(p), "r"(1) : "memory");
        x ^= y;
    }
}

/* Lanes want `words` words, `stride` bytes apart: neighbors the same one, or lanes that are `words` apart. */
template <int OP>
__global__ void red_words(int n, unsigned words, unsigned stride, bool apart, unsigned per_cta, char *base, stamp *s,
                          unsigned *out)
{
    unsigned lane = threadIdx.x % 32, x = 0;
    char *p = base + blockIdx.x * per_cta + (apart ? lane % words : lane * words / 32) * stride;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        add_one<OP>(p, x);
    end_timing(s, t);
    if (x == ~0u)
        out[0] = x;
}

/* Each lane has one of `centers` of `row` bytes, at random, and adds to `words` words of it one after the other. */
template <int OP>
__global__ void red_centers(int n, unsigned centers, unsigned row, unsigned words, char *base, stamp *s, unsigned *out)
{
    unsigned seed = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, x = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        char *p = base + (seed >> 16) % centers * row;
#pragma unroll 1
        for (unsigned k = 0; k < words; k++)
            add_one<OP>(p + k * 4, x);
    }
    end_timing(s, t);
    if (x == ~0u)
        out[0] = x;
}

static char *base;
static const unsigned arena_bytes = 256u << 20;

static void sweeps()
{
    uint2 *data = (uint2 *)base;
    unsigned *other = (unsigned *)(base + (128 << 20));
    const int a = model ? 2 : 16, b = model ? 6 : 48;
    CHECK(cudaMemset(base, 0, arena_bytes));
    auto row = [&](auto kernel, const char *what, unsigned ctas, unsigned threads, unsigned wrap, int behind) {
        if (!want("sweep"))
            return;
        kernel<<<ctas, threads>>>(b, data, other, wrap, stamps, sink); /* the L2 has all of it */
        finish(ctas);
        measure("sweep", text("%s,ctas=%u,warps=%u", what, ctas, threads / 32), a, b, ctas, 1, [&](int n) {
            const unsigned elements = ctas * threads * (unsigned)n * (what[0] == 'h' ? 2 : 1);
            if (behind == 1)
                read_all<<<264, 512>>>(data, elements, sink);
            else if (behind == 2)
                clear_all<<<264, 512>>>(data, elements);
            else if (behind == 3)
                count_all<<<264, 512>>>(data, elements);
            launches += behind != 0;
            kernel<<<ctas, threads>>>(n, data, other, wrap, stamps, sink);
        });
    };
    for (unsigned threads : {32u, 128u, 512u})
        for (unsigned ctas : {1u, 42u}) {
            row(sweep<0>, "load", ctas, threads, ~0u, 0);
            row(sweep<1>, "load,clear", ctas, threads, ~0u, 0);
            row(sweep<2>, "load,write", ctas, threads, ~0u, 0);
            row(sweep<3>, "load,clear,write", ctas, threads, ~0u, 0);
        }
    row(sweep<3>, "load,clear,write", 132, 512, ~0u, 0);
    row(sweep<3>, "load,clear,write", 84, 256, ~0u, 0);
    row(sweep<0>, "load,same", 42, 512, 42 * 512 * 2, 0);
    row(sweep<3>, "load,clear,write,same", 42, 512, 42 * 512 * 2, 0);
    row(sweep<0>, "load,behind=read", 42, 512, ~0u, 1);
    row(sweep<0>, "load,behind=clear", 42, 512, ~0u, 2);
    row(sweep<0>, "load,behind=count", 42, 512, ~0u, 3);
    row(sweep<3>, "load,clear,write,behind=read", 42, 512, ~0u, 1);
    row(sweep<3>, "load,clear,write,behind=clear", 42, 512, ~0u, 2);
    row(sweep<3>, "load,clear,write,behind=count", 42, 512, ~0u, 3);
    row(sweep_halves<false, false>, "half,clear,behind=count", 42, 512, ~0u, 3);
    row(sweep_halves<true, false>, "half,clear_after,behind=count", 42, 512, ~0u, 3);
    row(sweep_halves<false, true>, "half,clear_other,behind=count", 42, 512, ~0u, 3);
    row(sweep_halves<false, false>, "half,clear,behind=read", 42, 512, ~0u, 1);
    row(sweep_halves<false, true>, "half,clear_other,behind=read", 42, 512, ~0u, 1);
}

/* A distribution: in the last two columns how many turns of all warps; then the mean of each turn. */
static void sweep_latencies()
{
    if (model || !want("sweep_latency"))
        return;
    const unsigned ctas = 42, warps = 16, n = ctas * warps * TURNS;
    unsigned short *d;
    CHECK(cudaMalloc(&d, 2 * n * 2));
    std::vector<unsigned short> h(2 * n);
    auto row = [&](auto kernel, const char *what, unsigned threads) {
        const unsigned used = ctas * (threads / 32) * TURNS;
        for (int pass = 0; pass < 3; pass++) {
            kernel<<<ctas, threads>>>((uint2 *)base, (unsigned *)(base + (128 << 20)), d, d + n);
            CHECK(cudaDeviceSynchronize());
            launches++;
        }
        CHECK(cudaMemcpy(h.data(), d, 2 * n * 2, cudaMemcpyDeviceToHost));
        for (unsigned part = 0; part < 2; part++) {
            std::map<unsigned, unsigned> histogram;
            for (unsigned i = 0; i < used; i++)
                histogram[h[part * n + i] / 64 * 64]++;
            for (auto &e : histogram)
                if (e.second >= used / 200)
                    printf("sweep_latency\t%s,warps=%u,%s,cycles=%u..%u\t0\t0\t0\t%u\t%u\n", what, threads / 32,
                           part ? "rest" : "load", e.first, e.first + 63, e.second, used);
        }
        for (unsigned i = 0; i < TURNS; i++) {
            unsigned long long sum = 0;
            for (unsigned k = i; k < used; k += TURNS)
                sum += h[k];
            printf("sweep_latency\t%s,warps=%u,load,turn=%u\t0\t0\t0\t%llu\t%u\n", what, threads / 32, i, sum,
                   used / TURNS);
        }
    };
    CHECK(cudaMemset(base, 0, arena_bytes));
    row(sweep_timed<0>, "load", 32);
    row(sweep_timed<3>, "load,clear,write", 32);
    row(sweep_timed<0>, "load", 512);
    row(sweep_timed<1>, "load,clear", 512);
    row(sweep_timed<2>, "load,write", 512);
    row(sweep_timed<3>, "load,clear,write", 512);
    CHECK(cudaFree(d));
}

static void stores()
{
    const int a = model ? 4 : 8, b = model ? 12 : 24;
    for (unsigned ctas : {1u, 132u})
        for (unsigned threads : {32u, 256u}) {
            auto row = [&](auto kernel, const char *what, unsigned others, unsigned lanes, unsigned per_cta) {
                measure("store_one",
                        text("%s,others=%u,lanes=%u%s,ctas=%u,warps=%u", what, others, lanes, per_cta ? ",per_cta" : "",
                             ctas, threads / 32),
                        a, b, ctas, threads / 32,
                        [&](int n) { kernel<<<ctas, threads>>>(n, others, lanes, per_cta, base, stamps); });
            };
            row(store_one<1, false>, "bytes", 0, 1, 0);
            row(store_one<4, false>, "words", 0, 1, 0);
            row(store_one<1, false>, "bytes", 1, 1, 0);
            row(store_one<4, false>, "words", 1, 1, 0);
            row(store_one<1, true>, "fresh_bytes", 1, 1, 0);
            row(store_one<4, true>, "fresh_words", 1, 1, 0);
            row(store_one<1, true>, "fresh_bytes", 3, 4, 0);
            row(store_one<4, true>, "fresh_words", 3, 4, 0);
            row(store_one<4, true>, "fresh_words", 3, 4, 128);
            row(store_one<4, true>, "fresh_words", 3, 1, 0);
            row(store_one<4, true>, "fresh_words", 1, 16, 0);
        }
    for (unsigned ctas : {1u, 132u})
        for (unsigned lines : {1u, 2u, 4u, 8u, 16u, 32u}) {
            auto row = [&](auto kernel, const char *what) {
                measure("store_lines", text("%s,lines=%u,ctas=%u", what, lines, ctas), 16, 48, ctas, 8,
                        [&](int n) { kernel<<<ctas, 32>>>(n, lines, base, stamps); });
            };
            row(store_lines<0>, "same_word");
            row(store_lines<1>, "next_word");
            row(store_lines<2>, "bytes");
        }
}

static void reductions()
{
    CHECK(cudaMemset(base, 0, 64 << 20));
    const int a = model ? 1 : 4, b = model ? 3 : 20;
    for (unsigned ctas : {1u, 132u}) {
        auto row = [&](auto kernel, const char *op, unsigned words, unsigned stride, bool apart, unsigned per_cta) {
            measure("red_words",
                    text("%s,words=%u,stride=%u%s%s,ctas=%u", op, words, stride, apart ? ",apart" : "",
                         per_cta ? ",per_cta" : "", ctas),
                    a, b, ctas, ctas * 8.0,
                    [&](int n) { kernel<<<ctas, 256>>>(n, words, stride, apart, per_cta, base, stamps, sink); });
        };
        for (unsigned words : {1u, 2u, 4u, 8u, 16u, 32u}) {
            row(red_words<RED_U32>, "red", words, 4, false, 0);
            row(red_words<RED_U32>, "red", words, 4, true, 0);
            if (words <= 4)
                row(red_words<RED_U32>, "red", words, 32, true, 0);
            if (words > 1)
                row(red_words<RED_U32>, "red", words, 128, true, 0);
        }
        row(red_words<RED_U32>, "red", 8, 128, false, 0);
        row(red_words<RED_U32>, "red", 8, 512, true, 0);
        row(red_words<RED_F32>, "red_f32", 8, 4, true, 0);
        row(red_words<RED_F32>, "red_f32", 8, 128, true, 0);
        row(red_words<ATOM_U32>, "atom", 8, 4, true, 0);
        row(red_words<RED_U32>, "red", 1, 4, true, 4096);
        row(red_words<RED_U32>, "red", 8, 4, true, 4096);
        row(red_words<RED_U32>, "red", 32, 4, true, 4096);
        auto random = [&](auto kernel, const char *op, unsigned centers, unsigned bytes, unsigned words) {
            measure("red_lines", text("%s,centers=%u,row=%u,words=%u,ctas=%u", op, centers, bytes, words, ctas), a, b,
                    ctas, ctas * 8.0 * words,
                    [&](int n) { kernel<<<ctas, 256>>>(n, centers, bytes, words, base, stamps, sink); });
        };
        random(red_centers<RED_U32>, "red", 24, 4, 1);
        random(red_centers<RED_U32>, "red", 4, 32, 8);
        random(red_centers<RED_U32>, "red", 24, 32, 8);
        random(red_centers<RED_F32>, "red_f32", 24, 32, 8);
        random(red_centers<RED_U32>, "red", 96, 32, 8);
        random(red_centers<RED_U32>, "red", 24, 4096, 8);
    }
}

int main(int argc, char **argv)
{
    start(argc, argv);
    CHECK(cudaMalloc(&base, arena_bytes));
    sweeps();
    sweep_latencies();
    stores();
    reductions();
    return 0;
}
