// wgmma.mma_async: every type, A from shared memory and from registers, transposes, negation, scale-d, layouts with and
// without swizzle, several N. Inputs are small whole numbers, so every order of additions gives the same result.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "hopper_products.h"

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

/* One thread changes A as soon as its own wait is over: then all four warps have read it. */
__global__ void meets(float *out)
{
    __shared__ __align__(1024) __half a[64 * 16], b[8 * 16];
    __shared__ __align__(8) uint64_t ready;
    float d[4] = {0, 0, 0, 0};
    const uint64_t da = descriptor(smem(a), 1024, 128, 0), db = descriptor(smem(b), 128, 128, 0);
    b[threadIdx.x] = __float2half(1);
    fence_async();
    if (threadIdx.x == 0)
        mbar_init(smem(&ready), 1);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0) {
            for (int i = 0; i < 64 * 16; i++)
                a[i] = __float2half((float)(round + 1));
            fence_async();
            mbar_arrive(smem(&ready));
        }
        mbar_wait(smem(&ready), round & 1);
        RUN("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;", D4(d), "l"(da),
            "l"(db));
    }
    for (int r = 0; r < 4; r++)
        out[row_of(r) * 8 + col_of(r)] = d[r];
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

/* base: A's swizzle pattern starts so many 128 bytes behind a boundary. */
static void check(const test &t, int swizzle, bool add, int base = 0)
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
            put_bits(image, base * 1024 + bit_at(t.ta, t.trans_a, swizzle, 64, k_bytes, i, k), bits_of(t.ta),
                     encode(t.ta, a[i * t.k + k]));
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
              describe(t.ta, t.trans_a, swizzle, 64, k_bytes, base * 128) | (uint64_t)base << 49,
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
    dev<float> met(64 * 8);
    meets<<<1, 128>>>(met.p);
    RAN();
    check_equal("all warps have read A", met.get(), std::vector<float>(64 * 8, 16.0f * (1 + 2 + 3)));
    for (int base = 1; base < 8; base++)
        for (int swizzle = 1; swizzle < 4; swizzle++)
            check(tests[0], swizzle, false, base);
    return check_result();
}
