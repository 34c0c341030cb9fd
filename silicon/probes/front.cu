/*
 * What the stored rows do not decide: the instruction cache behind jumps, divisions of special operands, parameters that
 * are loaded where they are needed, lanes that part, registers that a load still reads, wide loads of shared memory, stores of many warps to one word.
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
__global__ void part(int n, unsigned lanes, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
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

/* An address register that is overwritten right behind the load that reads it; apart: a second register. */
template <bool apart> __global__ void overwrite(int n, const unsigned *p, stamp *s, unsigned *out)
{
    unsigned sum = 0;
    unsigned long long a = (unsigned long long)p, b = a;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 16; k++) {
            unsigned v;
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a));
            asm volatile("xor.b64 %0, %0, 4;" : "+l"(b));
            if (!apart)
                a = b;
            sum += v;
        }
    end_timing(s, t);
    out[threadIdx.x] = sum + (unsigned)b;
}

/* Every warp stores to one word, to its CTA's word, or to its own. */
__global__ void store_words(int n, unsigned per_warp, unsigned per_cta, stamp *s, unsigned *out)
{
    volatile unsigned *p = out + (threadIdx.x / 32 * per_warp + blockIdx.x * per_cta);
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            *p = k;
    end_timing(s, t);
}

/* Wide loads of shared memory, of which `rows` are different: whether lanes that want the same 16 bytes share a pass. */
template <int words> __global__ void wide_shared(int n, unsigned rows, stamp *s, unsigned *out)
{
    __shared__ uint4 data[1024];
    data[threadIdx.x] = uint4{threadIdx.x, 0, 0, 0};
    unsigned at = (unsigned)__cvta_generic_to_shared(data) + threadIdx.x % 32 * rows / 32 * 16, sum = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned a, b, c, d;
            if (words == 4)
                asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
            else
                asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
            sum += a;
        }
    end_timing(s, t);
    out[threadIdx.x] = sum;
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
                    [&](int n) { part<<<1, w * 32>>>(n, lanes, stamps, sink); });
    static unsigned next[8192];
    for (unsigned i = 0; i < 8192; i++)
        next[i] = (i * 4 + 64) % (32 * 1024);
    CHECK(cudaMemcpyToSymbol(ring, next, sizeof next));
    measure("constant_chase", "KiB=32", 512, 1536, 1, 1, [&](int n) { constant_chase<32><<<1, 1>>>(n, stamps, sink); });
    for (unsigned i = 0; i < 256; i++)
        next[i] = (i * 4 + 64) % 1024;
    CHECK(cudaMemcpyToSymbol(ring, next, sizeof next));
    measure("constant_chase", "KiB=1", 512, 1536, 1, 1, [&](int n) { constant_chase<1><<<1, 1>>>(n, stamps, sink); });
    measure("overwrite", "one register", 64, 192, 1, 16,
            [&](int n) { overwrite<false><<<1, 32>>>(n, sink, stamps, sink); });
    measure("overwrite", "another", 64, 192, 1, 16, [&](int n) { overwrite<true><<<1, 32>>>(n, sink, stamps, sink); });
    for (unsigned rows : {1u, 2u, 4u, 8u, 16u, 32u}) {
        measure("wide_shared", text("bytes=16,rows=%u", rows), 64, 192, 1, 8 * 16,
                [&](int n) { wide_shared<4><<<1, 512>>>(n, rows, stamps, sink); });
        measure("wide_shared", text("bytes=8,rows=%u", rows), 64, 192, 1, 8 * 16,
                [&](int n) { wide_shared<2><<<1, 512>>>(n, rows, stamps, sink); });
    }
    for (int ctas : {1, 132, 264}) {
        measure("store_words", text("one,ctas=%d", ctas), 16, 48, ctas, 8 * 8,
                [&](int n) { store_words<<<ctas, 256>>>(n, 0, 0, stamps, sink); });
        measure("store_words", text("per_cta,ctas=%d", ctas), 16, 48, ctas, 8 * 8,
                [&](int n) { store_words<<<ctas, 256>>>(n, 0, 64, stamps, sink); });
        measure("store_words", text("per_warp,ctas=%d", ctas), 16, 48, ctas, 8 * 8,
                [&](int n) { store_words<<<ctas, 256>>>(n, 64, 512, stamps, sink); });
    }
    return 0;
}
