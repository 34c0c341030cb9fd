/*
 * What the programs that test products of warpgroups share: operands as an image of shared memory, fragments of D,
 * numbers in every type, and where an element is in every layout.
 */
#ifndef E2E_HOPPER_PRODUCTS_H
#define E2E_HOPPER_PRODUCTS_H

#include "hopper.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { IMAGE = 32 << 10, B_AT = 16 << 10 };

/* What an instruction is called with. D is 64 x n, row by row, of 32-bit values (f16: widened by the kernel). */
struct args {
    const unsigned char *image; /* of shared memory: A from byte 0, B from B_AT */
    const uint32_t *a_regs;     /* 128 threads x 4 */
    const float *c;
    float *d;
    uint64_t a, b; /* descriptors without the base of shared memory */
    int add;
};

__device__ void fill(const args &x)
{
    for (int i = threadIdx.x; i < IMAGE / 4; i += blockDim.x)
        ((uint32_t *)shared_bytes)[i] = ((const uint32_t *)x.image)[i];
    fence_async();
    __syncthreads();
}
__device__ uint64_t place(uint64_t d)
{
    return d + (smem(shared_bytes) >> 4);
}
/* Column and row of register r of D of 32-bit elements. */
__device__ int row_of(int r)
{
    return threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + r / 2 % 2 * 8;
}
__device__ int col_of(int r)
{
    return r / 4 * 8 + threadIdx.x % 4 * 2 + r % 2;
}

template <int N> __device__ void get(float *d, const args &x)
{
    for (int r = 0; r < N / 2; r++)
        d[r] = x.c[row_of(r) * N + col_of(r)];
}
template <int N> __device__ void put(const float *d, const args &x)
{
    for (int r = 0; r < N / 2; r++)
        x.d[row_of(r) * N + col_of(r)] = d[r];
}

#define D4(d)  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define D12(d) D4(d), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define I8(d)  "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define RUN(text, outputs, ...)                                                                                        \
    wgmma_fence();                                                                                                     \
    asm volatile("{\n.reg .pred add;\n" text "\n}\n" : outputs:__VA_ARGS__ : "memory");                                \
    wgmma_commit();                                                                                                    \
    wgmma_wait<0>()

/* ---- the host's side ---- */

enum type { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1 };
static int bits_of(type t)
{
    return t == F16 || t == BF16 ? 16 : t == TF32 ? 32 : t == B1 ? 1 : 8;
}
static uint32_t encode(type t, int v)
{
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, 4);
    const int exponent = (int)(u >> 23 & 255) - 127;
    const uint32_t sign = u >> 31, top = u >> 16 & 0x7f; /* seven bits of the fraction hold these numbers exactly */
    switch (t) {
    case F16:
        return v ? sign << 15 | (uint32_t)(exponent + 15) << 10 | top << 3 : 0;
    case BF16:
        return u >> 16;
    case TF32:
        return u;
    case E4M3:
        return v ? sign << 7 | (uint32_t)(exponent + 7) << 3 | top >> 4 : 0;
    case E5M2:
        return v ? sign << 7 | (uint32_t)(exponent + 15) << 2 | top >> 5 : 0;
    case B1:
        return v & 1;
    default:
        return (uint32_t)v & 0xff;
    }
}

/* Byte and bit in shared memory of element (r, k) of an operand of `rows` rows; swizzle as in the descriptor. */
static size_t bit_at(type t, bool transposed, int swizzle, int rows, int k_bytes, int r, int k)
{
    const int bits = bits_of(t), span = swizzle == 1 ? 128 : swizzle == 2 ? 64 : swizzle == 3 ? 32 : 0;
    size_t at;
    if (!transposed) {
        const int byte = k * bits / 8;
        if (!span) /* next 16 bytes of K behind all rows: leading; next 8 rows: stride 128 */
            at = (size_t)byte / 16 * rows * 16 + r / 8 * 128 + r % 8 * 16 + byte % 16;
        else
            at = (size_t)r * span + byte;
    } else {
        const int byte = r * bits / 8;
        if (!span) /* next 8 rows of M: stride 128; next 8 of K: leading */
            at = (size_t)k / 8 * rows * 16 + r / 8 * 128 + k % 8 * 16 + byte % 16;
        else /* S bytes of M, then 8 rows of K; next S bytes of M behind all of K: leading; next 8 of K: stride */
            at = (size_t)byte / span * (k_bytes / 2) * span + (size_t)k * span + byte % span;
    }
    if (span)
        at ^= (at >> 7 & (span / 16 - 1)) << 4;
    return at * 8 + (bits < 8 ? k % 8 : 0);
}
static uint64_t describe(type t, bool transposed, int swizzle, int rows, int k_bytes, size_t at)
{
    const int span = swizzle == 1 ? 128 : swizzle == 2 ? 64 : swizzle == 3 ? 32 : 0;
    const uint64_t leading = !span ? rows * 16 : transposed ? (k_bytes / 2) * span : 16;
    const uint64_t stride = !span ? 128 : 8 * span;
    (void)t;
    return at >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | (uint64_t)swizzle << 62;
}

static void put_bits(std::vector<unsigned char> &image, size_t bit, int bits, uint32_t value)
{
    if (bits < 8) {
        image[bit / 8] |= (unsigned char)(value << bit % 8);
        return;
    }
    memcpy(&image[bit / 8], &value, (size_t)bits / 8);
}

#endif
