/*
 * What the stored rows do not decide: the instruction cache behind jumps, divisions of special operands, parameters that
 * are loaded where they are needed, lanes that part, wide loads and atomics of shared memory, stores of many warps to one
 * word, straight code.
 *
 *     nvcc -O2 -arch=sm_90 -std=c++17 -o front front.cu && ./front > front.tsv     # rows as probe.h says; half a minute
 */
#include "probe.h"

/* Jumps over code that is never executed: a turn is `jumps` jumps of `bytes` each, so the loop's code is jumps * bytes. */
template <int jumps, int bytes> __global__ void jump_chain(int n, unsigned never, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < jumps; k++) {
            if (never == (unsigned)k) {
#pragma unroll
                for (int m = 0; m < bytes / 16; m++)
                    asm volatile("mad.lo.s32 %0, %0, 7, 1;" : "+r"(x));
                __syncwarp();
            }
            asm volatile("xor.b32 %0, %0, 1;" : "+r"(x));
        }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* A chain of divisions whose dividend is `zero` in the lanes of `mask`: 0 / x calls the function for special operands. */
__global__ void divide_special(int n, unsigned mask, float by, stamp *s, unsigned *out)
{
    float y = 0, x = mask >> (threadIdx.x & 31) & 1 ? 0.0f : 1.5f;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            y = x / by;
            asm volatile("mul.f32 %0, %1, %2;" : "=f"(x) : "f"(y), "f"(by)); /* x again */
        }
    end_timing(s, t);
    out[threadIdx.x] = __float_as_uint(y);
}
__global__ void root_special(int n, unsigned mask, stamp *s, unsigned *out)
{
    float x = mask >> (threadIdx.x & 31) & 1 ? 0.0f : 1.0f;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            x = sqrtf(x);
    end_timing(s, t);
    out[threadIdx.x] = __float_as_uint(x);
}

/* A block that `lanes` lanes enter, long enough not to be predicated. */
template <int blocks> __global__ void part(int n, unsigned lanes, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < blocks; k++) {
            if ((threadIdx.x & 31) < lanes) {
#pragma unroll
                for (int m = 0; m < 12; m++)
                    asm volatile("mad.lo.s32 %0, %0, 3, 5;" : "+r"(x));
            }
            asm volatile("xor.b32 %0, %0, 1;" : "+r"(x));
        }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* Constants by a computed address, at once: what a load from the constant bank takes without arithmetic around it. */
__constant__ unsigned ring[8192];
template <int kib> __global__ void constant_chase(int n, stamp *s, unsigned *out)
{
    unsigned at = 0;
    for (int i = 0; i < kib * 16; i++)
        asm volatile("ld.const.u32 %0, [%0];" : "+r"(at));
    long long t = begin_timing();
#pragma unroll 8
    for (int i = 0; i < n; i++)
        asm volatile("ld.const.u32 %0, [%0];" : "+r"(at));
    end_timing(s, t);
    out[0] = at;
}

/*
 * Every warp stores to one word, to its CTA's word, or to its own; then to eight words of a sector. `words` and `lines`
 * say how far each store of a turn is from the one before: 0 and 0 is always the same word.
 */
template <bool weak>
__global__ void store_words(int n, unsigned per_warp, unsigned per_cta, unsigned next, stamp *s, unsigned *out)
{
    unsigned *p = out + (threadIdx.x / 32 * per_warp + blockIdx.x * per_cta);
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (weak)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(p + k * next), "r"(k) : "memory");
            else
                asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p + k * next), "r"(k) : "memory");
        }
    end_timing(s, t);
}

/* The same word by all SMs, and between two stores to it `others` to lines that no other warp uses. */
__global__ void store_between(int n, unsigned others, stamp *s, unsigned *out)
{
    unsigned *own = out + 64 + (blockIdx.x * 8 + threadIdx.x / 32) * 64 + threadIdx.x % 32;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(out), "r"(k) : "memory");
#pragma unroll 1
            for (unsigned m = 0; m < others; m++)
                asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(own + m % 2 * 32), "r"(k) : "memory");
        }
    end_timing(s, t);
}

/*
 * One warp stores to a word again and again, with `gap` multiply-adds of 4 cycles in between: how long a store waits for
 * others to join it. What leaves the SM is what Nsight Compute counts (h200_store_join.tsv).
 */
template <int gap> __global__ void store_join_near(int n, stamp *s, unsigned *out)
{
    float x = (float)threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(out), "r"(__float_as_int(x)) : "memory");
#pragma unroll
            for (int m = 0; m < gap; m++)
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
        }
    end_timing(s, t);
}

/*
 * A chain of loads that hit the L2, each with a store: to the same words at once (0), when the load has returned (1), to
 * words of another line at once (2), none (3). CTAs and turns use lines of their own, which hold zeros.
 */
template <int HOW> __global__ void load_store(int n, stamp *s, unsigned *out)
{
    unsigned *p = out + blockIdx.x * 512 + threadIdx.x, x = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        unsigned v, *q = p + (i & 7) * 21504 + x;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(q) : "memory");
        if (HOW < 2)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(q), "r"(HOW ? v : 0) : "memory");
        if (HOW == 2)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + 172032), "r"(0) : "memory");
        x = v;
    }
    end_timing(s, t);
    if (x)
        out[0] = x;
}

/* Wide loads of shared memory, of which `rows` are different: whether lanes that want the same 16 bytes share a pass. */
template <int words, bool apart> __global__ void wide_shared(int n, unsigned rows, stamp *s, unsigned *out)
{
    __shared__ uint4 data[1024];
    data[threadIdx.x] = uint4{threadIdx.x, 0, 0, 0};
    unsigned lane = threadIdx.x % 32, sum = 0;
    /* neighboring lanes share a row, or lanes that are `rows` apart do */
    unsigned at = (unsigned)__cvta_generic_to_shared(data) + (apart ? lane % rows : lane * rows / 32) * 16;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned a, b, c = 0, d = 0;
            if (words == 4)
                asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "r"(at + k * 512)
                             : "memory");
            else
                asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at + k * 512) : "memory");
            sum += a ^ b ^ c ^ d;
        }
    end_timing(s, t);
    out[threadIdx.x] = sum;
}

/* Atomics in shared memory: lanes want `words` different words, in one bank or in as many. */
template <bool result>
__global__ void shared_atomic(int n, unsigned words, unsigned stride, stamp *s, unsigned *out)
{
    __shared__ unsigned data[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        data[i] = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(data) + threadIdx.x % words * stride, sum = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (result) {
                unsigned v;
                asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at + (sum & 0x80000000)) : "memory");
                sum += v;
            } else
                asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
        }
    end_timing(s, t);
    out[threadIdx.x] = sum + data[threadIdx.x];
}

/* A word goes through shared memory to another lane, as in dynamic programming: with and without a barrier. */
template <int HOW> __global__ void shared_hand_on(int n, stamp *s, unsigned *out)
{
    __shared__ unsigned data[1024];
    unsigned x = threadIdx.x, own = (unsigned)__cvta_generic_to_shared(data + threadIdx.x),
             next = (unsigned)__cvta_generic_to_shared(data + (threadIdx.x ^ 1));
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(own), "r"(x) : "memory");
            if (HOW == 1)
                __syncthreads();
            if (HOW == 2)
                __syncwarp();
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(next) : "memory");
        }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* Multiply-adds that wait for nothing, in a loop of `insts` of them: how fast code comes. */
template <int insts> __global__ void straight(int n, float m, stamp *s, unsigned *out)
{
    float x[8];
    for (int k = 0; k < 8; k++)
        x[k] = (float)threadIdx.x + k;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < insts; k++)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[k % 8]) : "f"(m));
    end_timing(s, t);
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += x[k];
    out[threadIdx.x] = (unsigned)sum;
}

template <int insts> static void straight_of()
{
    for (int w = 1; w <= 16; w *= 4)
        measure("straight", text("KiB=%g,warps=%d", insts / 64.0, w), 4, 12, 1, insts,
                [&](int n) { straight<insts><<<1, w * 32>>>(n, 1.0f, stamps, sink); });
}

template <int jumps, int bytes> static void jumps_of()
{
    measure("jump", text("KiB=%g,bytes=%d", jumps * bytes / 1024.0, bytes), 16, 48, 1, jumps,
            [&](int n) { jump_chain<jumps, bytes><<<1, 32>>>(n, ~0u, stamps, sink); });
}

int main(int argc, char **argv)
{
    start(argc, argv);
    jumps_of<8, 192>();
    jumps_of<16, 192>();
    jumps_of<64, 192>();
    jumps_of<128, 192>();
    jumps_of<512, 192>();
    jumps_of<16, 512>();
    jumps_of<64, 512>();
    jumps_of<256, 512>();
    for (unsigned mask : {0u, 1u, 0xffffu, ~0u}) {
        measure("divide_special", text("zeros=%08x", mask), 64, 192, 1, 4,
                [&](int n) { divide_special<<<1, 32>>>(n, mask, 1.0f, stamps, sink); });
        measure("root_special", text("zeros=%08x", mask), 64, 192, 1, 4,
                [&](int n) { root_special<<<1, 32>>>(n, mask, stamps, sink); });
    }
    for (unsigned lanes : {0u, 16u, 32u})
        for (int w = 1; w <= 16; w *= 4)
            measure("part", text("lanes=%u,warps=%d", lanes, w), 64, 192, 1, 4,
                    [&](int n) { part<4><<<1, w * 32>>>(n, lanes, stamps, sink); });
    for (unsigned lanes : {0u, 16u, 32u})
        measure("part", text("lanes=%u,blocks=16", lanes), 64, 192, 1, 16,
                [&](int n) { part<16><<<1, 32>>>(n, lanes, stamps, sink); });
    static unsigned next[8192];
    for (unsigned i = 0; i < 8192; i++)
        next[i] = (i * 4 + 64) % (32 * 1024);
    CHECK(cudaMemcpyToSymbol(ring, next, sizeof next));
    measure("constant_chase", "KiB=32", 512, 1536, 1, 1, [&](int n) { constant_chase<32><<<1, 1>>>(n, stamps, sink); });
    for (unsigned i = 0; i < 256; i++)
        next[i] = (i * 4 + 64) % 1024;
    CHECK(cudaMemcpyToSymbol(ring, next, sizeof next));
    measure("constant_chase", "KiB=1", 512, 1536, 1, 1, [&](int n) { constant_chase<1><<<1, 1>>>(n, stamps, sink); });
    for (unsigned rows : {1u, 2u, 4u, 8u, 16u, 32u}) {
        measure("wide_shared", text("bytes=16,rows=%u", rows), 64, 192, 1, 8 * 16,
                [&](int n) { wide_shared<4, false><<<1, 512>>>(n, rows, stamps, sink); });
        measure("wide_shared", text("bytes=8,rows=%u", rows), 64, 192, 1, 8 * 16,
                [&](int n) { wide_shared<2, false><<<1, 512>>>(n, rows, stamps, sink); });
        measure("wide_shared", text("bytes=16,rows=%u,apart", rows), 64, 192, 1, 8 * 16,
                [&](int n) { wide_shared<4, true><<<1, 512>>>(n, rows, stamps, sink); });
        measure("wide_shared", text("bytes=8,rows=%u,apart", rows), 64, 192, 1, 8 * 16,
                [&](int n) { wide_shared<2, true><<<1, 512>>>(n, rows, stamps, sink); });
    }
    measure("wide_latency", "bytes=16", 64, 192, 1, 8, [&](int n) { wide_shared<4, false><<<1, 32>>>(n, 32, stamps, sink); });
    measure("wide_latency", "bytes=8", 64, 192, 1, 8, [&](int n) { wide_shared<2, false><<<1, 32>>>(n, 32, stamps, sink); });
    for (unsigned words : {1u, 2u, 8u, 32u})
        for (unsigned stride : {4u, 128u}) {
            measure("shared_atomic", text("red,words=%u,stride=%u", words, stride), 16, 48, 1, 4 * 16,
                    [&](int n) { shared_atomic<false><<<1, 512>>>(n, words, stride, stamps, sink); });
            measure("shared_atomic", text("atom,words=%u,stride=%u", words, stride), 16, 48, 1, 4 * 16,
                    [&](int n) { shared_atomic<true><<<1, 512>>>(n, words, stride, stamps, sink); });
            measure("shared_atomic", text("chain,words=%u,stride=%u", words, stride), 16, 48, 1, 4,
                    [&](int n) { shared_atomic<true><<<1, 32>>>(n, words, stride, stamps, sink); });
        }
    for (int w = 1; w <= 16; w *= 4) {
        measure("shared_hand_on", text("plain,warps=%d", w), 64, 192, 1, 4,
                [&](int n) { shared_hand_on<0><<<1, w * 32>>>(n, stamps, sink); });
        measure("shared_hand_on", text("barrier,warps=%d", w), 64, 192, 1, 4,
                [&](int n) { shared_hand_on<1><<<1, w * 32>>>(n, stamps, sink); });
        measure("shared_hand_on", text("syncwarp,warps=%d", w), 64, 192, 1, 4,
                [&](int n) { shared_hand_on<2><<<1, w * 32>>>(n, stamps, sink); });
    }
    straight_of<128>();
    straight_of<512>();
    straight_of<1024>();
    straight_of<2048>();
    straight_of<4096>();
    straight_of<7168>();
    straight_of<12288>();
    for (int ctas : {1, 132, 264}) {
        auto stores = [&](auto kernel, const char *what, unsigned per_warp, unsigned per_cta, unsigned next) {
            measure("store_words", text("%s,ctas=%d", what, ctas), 16, 48, ctas, 8 * 8,
                    [&](int n) { kernel<<<ctas, 256>>>(n, per_warp, per_cta, next, stamps, sink); });
        };
        stores(store_words<false>, "one", 0, 0, 0);
        stores(store_words<false>, "per_cta", 0, 64, 0);
        stores(store_words<false>, "per_warp", 64, 512, 0);
        stores(store_words<true>, "weak,sector", 0, 0, 1);
        stores(store_words<true>, "weak,lines", 0, 0, 32);
        stores(store_words<true>, "weak,lines,per_cta", 0, 512, 32);
        for (unsigned others : {1u, 4u})
            measure("store_between", text("others=%u,ctas=%d", others, ctas), 16, 48, ctas, 4 * 8,
                    [&](int n) { store_between<<<ctas, 256>>>(n, others, stamps, sink); });
    }
    for (int ctas : {1, 132}) {
        auto near = [&](auto kernel, int gap) {
            measure("store_join", text("mads=%d,ctas=%d", gap, ctas), 16, 48, ctas, 8,
                    [&](int n) { kernel<<<ctas, 32>>>(n, stamps, sink); });
        };
        near(store_join_near<1>, 1);
        near(store_join_near<2>, 2);
        near(store_join_near<3>, 3);
        near(store_join_near<4>, 4);
        near(store_join_near<6>, 6);
        near(store_join_near<8>, 8);
    }
    CHECK(cudaMemset(sink, 0, 1 << 20));
    for (int w = 1; w <= 16; w *= 4) {
        auto pairs = [&](auto kernel, const char *what) {
            measure("load_store", text("%s,warps=%d", what, w), 16, 48, 42, 1,
                    [&](int n) { kernel<<<42, w * 32>>>(n, stamps, sink); });
        };
        pairs(load_store<0>, "at once");
        pairs(load_store<1>, "after");
        pairs(load_store<2>, "another line");
        pairs(load_store<3>, "none");
    }
    return 0;
}
