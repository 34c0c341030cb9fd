// wgmma.mma_async: every type, A from shared memory and from registers, transposes, negation, scale-d, layouts with and
// without swizzle, several N. Inputs are small whole numbers, so every order of additions gives the same result.
// flags: -gencode=arch=compute_90a,code=compute_90a
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
#define I8(d)                                                                                                          \
    "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define RUN(text, outputs, ...)                                                                                        \
    wgmma_fence();                                                                                                     \
    asm volatile("{\n.reg .pred add;\n" text "\n}\n" : outputs : __VA_ARGS__ : "memory");                              \
    wgmma_commit();                                                                                                    \
    wgmma_wait<0>()

/* N = 8: A and B from shared memory; `tail` holds the scales and transposes. */
#define SS8(name, form, tail)                                                                                          \
    __global__ void name(args x)                                                                                       \
    {                                                                                                                  \
        float d[4];                                                                                                    \
        fill(x);                                                                                                       \
        get<8>(d, x);                                                                                                  \
        RUN("setp.ne.b32 add, %6, 0;\nwgmma.mma_async.sync.aligned." form " {%0, %1, %2, %3}, %4, %5, add" tail ";",   \
            D4(d), "l"(place(x.a)), "l"(place(x.b)), "r"(x.add));                                                      \
        put<8>(d, x);                                                                                                  \
    }
SS8(f16_tn, "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
SS8(f16_neg, "m64n8k16.f32.f16.f16", ", -1, 1, 0, 0")
SS8(f16_neg_b, "m64n8k16.f32.f16.f16", ", 1, -1, 0, 0")
SS8(f16_mt, "m64n8k16.f32.f16.f16", ", 1, 1, 1, 0")
SS8(f16_tt, "m64n8k16.f32.f16.f16", ", 1, 1, 0, 1")
SS8(bf16_mm, "m64n8k16.f32.bf16.bf16", ", 1, 1, 1, 1")
SS8(tf32_ss, "m64n8k8.f32.tf32.tf32", ", 1, 1")
SS8(e4m3_ss, "m64n8k32.f32.e4m3.e4m3", ", 1, 1")
SS8(e4m3_e5m2, "m64n8k32.f32.e4m3.e5m2", ", 1, 1")
SS8(e5m2_neg, "m64n8k32.f32.e5m2.e5m2", ", 1, -1")

/* N = 24, A in registers. */
#define RS24(name, form, tail)                                                                                         \
    __global__ void name(args x)                                                                                       \
    {                                                                                                                  \
        float d[12];                                                                                                   \
        const uint32_t *a = x.a_regs + threadIdx.x * 4;                                                                \
        fill(x);                                                                                                       \
        get<24>(d, x);                                                                                                 \
        RUN("setp.ne.b32 add, %17, 0;\nwgmma.mma_async.sync.aligned." form                                             \
            " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, %16, add" tail ";",            \
            D12(d), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(place(x.b)), "r"(x.add));                          \
        put<24>(d, x);                                                                                                 \
    }
RS24(f16_rs, "m64n24k16.f32.f16.f16", ", 1, 1, 0")
RS24(bf16_rs, "m64n24k16.f32.bf16.bf16", ", -1, 1, 1")
RS24(tf32_rs, "m64n24k8.f32.tf32.tf32", ", 1, 1")
RS24(e5m2_rs, "m64n24k32.f32.e5m2.e4m3", ", 1, 1")

/* Integers, N = 16. */
#define INT16(name, form, a_text, b_text, add_text, ...)                                                               \
    __global__ void name(args x)                                                                                       \
    {                                                                                                                  \
        int d[8];                                                                                                      \
        const uint32_t *a = x.a_regs + threadIdx.x * 4;                                                                \
        (void)a;                                                                                                       \
        fill(x);                                                                                                       \
        for (int r = 0; r < 8; r++)                                                                                    \
            d[r] = (int)x.c[row_of(r) * 16 + col_of(r)];                                                               \
        RUN("setp.ne.b32 add, " add_text ", 0;\nwgmma.mma_async.sync.aligned." form                                    \
            " {%0, %1, %2, %3, %4, %5, %6, %7}, " a_text ", " b_text ", add;",                                         \
            I8(d), __VA_ARGS__, "l"(place(x.b)), "r"(x.add));                                                          \
        for (int r = 0; r < 8; r++)                                                                                    \
            x.d[row_of(r) * 16 + col_of(r)] = (float)d[r];                                                             \
    }
#define INT_RS(name, form)                                                                                             \
    INT16(name, form, "{%8, %9, %10, %11}", "%12", "%13", "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]))
INT16(s8_ss, "m64n16k32.s32.s8.s8", "%8", "%9", "%10", "l"(place(x.a)))
INT16(u8_s8, "m64n16k32.s32.u8.s8", "%8", "%9", "%10", "l"(place(x.a)))
INT16(b1_ss, "m64n16k256.s32.b1.b1.and.popc", "%8", "%9", "%10", "l"(place(x.a)))
INT_RS(s8_u8_rs, "m64n16k32.s32.s8.u8.satfinite")
INT_RS(b1_rs, "m64n16k256.s32.b1.b1.and.popc")

/* D of f16: two columns in a register. N = 8. */
__global__ void f16_d16(args x)
{
    uint32_t d[2];
    fill(x);
    for (int r = 0; r < 2; r++) {
        const float *c = x.c + (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + r * 8) * 8 + threadIdx.x % 4 * 2;
        const __half2 h = __floats2half2_rn(c[0], c[1]);
        memcpy(&d[r], &h, 4);
    }
    wgmma_fence();
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %4, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, add, 1, 1, 0, 0;\n}\n"
                 : "+r"(d[0]), "+r"(d[1])
                 : "l"(place(x.a)), "l"(place(x.b)), "r"(x.add)
                 : "memory");
    wgmma_commit();
    wgmma_wait<0>();
    for (int r = 0; r < 2; r++) {
        float *out = x.d + (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + r * 8) * 8 + threadIdx.x % 4 * 2;
        __half2 h;
        memcpy(&h, &d[r], 4);
        out[0] = __low2float(h);
        out[1] = __high2float(h);
    }
}

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

struct test {
    const char *name;
    void (*kernel)(args);
    type ta, tb;
    int n, k;
    bool trans_a, trans_b, a_regs;
    int sign;
    bool uns_a, uns_b;
};

static void check(const test &t, int swizzle, bool add)
{
    rng r((unsigned)t.n * 31 + swizzle);
    const int k_bytes = t.k * bits_of(t.ta) / 8;
    std::vector<int> a(64 * t.k), b(t.n * t.k);
    const int low_a = t.uns_a || t.ta == B1 ? 0 : -3, low_b = t.uns_b || t.tb == B1 ? 0 : -3;
    for (int &v : a)
        v = t.ta == B1 ? (int)r.below(2) : low_a + (int)r.below(7);
    for (int &v : b)
        v = t.tb == B1 ? (int)r.below(2) : low_b + (int)r.below(7);
    std::vector<float> c(64 * t.n), want(64 * t.n);
    for (float &v : c)
        v = (float)r.below(50) - 25;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < t.n; j++) {
            int sum = 0;
            for (int k = 0; k < t.k; k++)
                sum += a[i * t.k + k] * b[j * t.k + k];
            want[i * t.n + j] = (float)(t.sign * sum) + (add ? c[i * t.n + j] : 0);
        }
    std::vector<unsigned char> image(IMAGE, 0);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < t.k; k++)
            put_bits(image, bit_at(t.ta, t.trans_a, swizzle, 64, k_bytes, i, k), bits_of(t.ta), encode(t.ta, a[i * t.k + k]));
    /* A transposed swizzled B needs whole spans of its rows. */
    for (int j = 0; j < t.n; j++)
        for (int k = 0; k < t.k; k++)
            put_bits(image, B_AT * 8 + bit_at(t.tb, t.trans_b, swizzle, t.n, k_bytes, j, k), bits_of(t.tb),
                     encode(t.tb, b[j * t.k + k]));
    std::vector<uint32_t> regs(128 * 4, 0);
    const int per = 32 / bits_of(t.ta);
    for (int thread = 0; thread < 128; thread++)
        for (int q = 0; q < 4; q++)
            for (int e = 0; e < per; e++) {
                const int row = thread / 32 * 16 + thread % 32 / 4 + q % 2 * 8;
                const int k = q / 2 * 4 * per + thread % 4 * per + e;
                regs[thread * 4 + q] |= encode(t.ta, a[row * t.k + k]) << (e * bits_of(t.ta) % 32);
            }
    dev<unsigned char> di(image);
    dev<uint32_t> dr(regs);
    dev<float> dc(c), dd(64 * t.n);
    args x = {di.p,
              dr.p,
              dc.p,
              dd.p,
              describe(t.ta, t.trans_a, swizzle, 64, k_bytes, 0),
              describe(t.tb, t.trans_b, swizzle, t.n, k_bytes, B_AT),
              add};
    t.kernel<<<1, 128, IMAGE>>>(x);
    RAN();
    char what[96];
    snprintf(what, sizeof what, "%s swizzle %d add %d", t.name, swizzle, add);
    check_equal(what, dd.get(), want);
}

int main()
{
    const test tests[] = {
        {"f16", f16_tn, F16, F16, 8, 16, false, false, false, 1},
        {"-f16", f16_neg, F16, F16, 8, 16, false, false, false, -1},
        {"f16 * -f16", f16_neg_b, F16, F16, 8, 16, false, false, false, -1},
        {"f16 A^T", f16_mt, F16, F16, 8, 16, true, false, false, 1},
        {"f16 B^T", f16_tt, F16, F16, 8, 16, false, true, false, 1},
        {"bf16 A^T B^T", bf16_mm, BF16, BF16, 8, 16, true, true, false, 1},
        {"tf32", tf32_ss, TF32, TF32, 8, 8, false, false, false, 1},
        {"e4m3", e4m3_ss, E4M3, E4M3, 8, 32, false, false, false, 1},
        {"e4m3 e5m2", e4m3_e5m2, E4M3, E5M2, 8, 32, false, false, false, 1},
        {"-e5m2", e5m2_neg, E5M2, E5M2, 8, 32, false, false, false, -1},
        {"f16 regs", f16_rs, F16, F16, 24, 16, false, false, true, 1},
        {"-bf16 regs B^T", bf16_rs, BF16, BF16, 24, 16, false, true, true, -1},
        {"tf32 regs", tf32_rs, TF32, TF32, 24, 8, false, false, true, 1},
        {"e5m2 e4m3 regs", e5m2_rs, E5M2, E4M3, 24, 32, false, false, true, 1},
        {"s8", s8_ss, S8, S8, 16, 32, false, false, false, 1},
        {"u8 s8", u8_s8, U8, S8, 16, 32, false, false, false, 1, true, false},
        {"s8 u8 regs", s8_u8_rs, S8, U8, 16, 32, false, false, true, 1, false, true},
        {"b1", b1_ss, B1, B1, 16, 256, false, false, false, 1},
        {"b1 regs", b1_rs, B1, B1, 16, 256, false, false, true, 1},
        {"f16 into f16", f16_d16, F16, F16, 8, 16, false, false, false, 1},
    };
    for (const test &t : tests)
        for (int swizzle = 0; swizzle < 4; swizzle++)
            check(t, swizzle, swizzle % 2);
    return check_result();
}
