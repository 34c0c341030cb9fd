// wgmma.mma_async.sp: every type, A from shared memory and from registers, both selectors, layouts with and without
// swizzle. Metadata by the figures of the PTX ISA: what a lane says of which rows and columns. Whole numbers, so every
// order of additions gives the same result.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "hopper_products.h"

/* N = 8 from shared memory; the metadata stand where A's registers stand otherwise. */
#define SP8(name, form, select, tail)                                                                                  \
    __global__ void name(args x)                                                                                       \
    {                                                                                                                  \
        float d[4];                                                                                                    \
        fill(x);                                                                                                       \
        get<8>(d, x);                                                                                                  \
        RUN("setp.ne.b32 add, %7, 0;\nwgmma.mma_async.sp.sync.aligned." form                                           \
            " {%0, %1, %2, %3}, %4, %5, %6, " select ", add" tail ";",                                                 \
            D4(d), "l"(place(x.a)), "l"(place(x.b)), "r"(x.a_regs[threadIdx.x * 8 + 4]), "r"(x.add));                  \
        put<8>(d, x);                                                                                                  \
    }
SP8(sp_f16, "m64n8k32.f32.f16.f16", "0", ", 1, 1, 0, 0")
SP8(sp_f16_1, "m64n8k32.f32.f16.f16", "1", ", 1, 1, 0, 0")
SP8(sp_f16_bt, "m64n8k32.f32.f16.f16", "0", ", -1, 1, 0, 1")
SP8(sp_bf16, "m64n8k32.f32.bf16.bf16", "1", ", 1, 1, 0, 0")
SP8(sp_tf32, "m64n8k16.f32.tf32.tf32", "0", ", 1, 1")
SP8(sp_tf32_1, "m64n8k16.f32.tf32.tf32", "1", ", 1, 1")
SP8(sp_e4m3, "m64n8k64.f32.e4m3.e4m3", "0", ", 1, 1")
SP8(sp_e5m2, "m64n8k64.f32.e5m2.e4m3", "0", ", 1, -1")

/* N = 24, A in registers. */
#define SP24(name, form, select, tail)                                                                                 \
    __global__ void name(args x)                                                                                       \
    {                                                                                                                  \
        float d[12];                                                                                                   \
        const uint32_t *a = x.a_regs + threadIdx.x * 8;                                                                \
        fill(x);                                                                                                       \
        get<24>(d, x);                                                                                                 \
        RUN("setp.ne.b32 add, %18, 0;\nwgmma.mma_async.sp.sync.aligned." form                                          \
            " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, %16, %17, " select ", add" tail \
            ";",                                                                                                       \
            D12(d), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(place(x.b)), "r"(a[4]), "r"(x.add));               \
        put<24>(d, x);                                                                                                 \
    }
SP24(sp_f16_rs, "m64n24k32.f32.f16.f16", "1", ", 1, 1, 0")
SP24(sp_tf32_rs, "m64n24k16.f32.tf32.tf32", "0", ", 1, 1")
SP24(sp_e4m3_rs, "m64n24k64.f32.e4m3.e5m2", "0", ", 1, 1")

/* Integers, N = 16. */
#define SP16(name, form, a_text, b_text, meta_text, add_text, ...)                                                     \
    __global__ void name(args x)                                                                                       \
    {                                                                                                                  \
        int d[8];                                                                                                      \
        const uint32_t *a = x.a_regs + threadIdx.x * 8;                                                                \
        fill(x);                                                                                                       \
        for (int r = 0; r < 8; r++)                                                                                    \
            d[r] = (int)x.c[row_of(r) * 16 + col_of(r)];                                                               \
        RUN("setp.ne.b32 add, " add_text ", 0;\nwgmma.mma_async.sp.sync.aligned." form                                 \
            " {%0, %1, %2, %3, %4, %5, %6, %7}, " a_text ", " b_text ", " meta_text ", 0, add;",                       \
            I8(d), __VA_ARGS__, "l"(place(x.b)), "r"(a[4]), "r"(x.add));                                               \
        for (int r = 0; r < 8; r++)                                                                                    \
            x.d[row_of(r) * 16 + col_of(r)] = (float)d[r];                                                             \
    }
SP16(sp_s8, "m64n16k64.s32.s8.s8", "%8", "%9", "%10", "%11", "l"(place(x.a)))
SP16(sp_u8_rs, "m64n16k64.s32.u8.s8.satfinite", "{%8, %9, %10, %11}", "%12", "%13", "%14", "r"(a[0]), "r"(a[1]),
     "r"(a[2]), "r"(a[3]))

struct test {
    const char *name;
    void (*kernel)(args);
    type ta, tb;
    int n, k; /* of the dense product */
    int selector, sign;
    bool trans_b, uns_a;
};

static void check(const test &t, int swizzle, bool add)
{
    rng r((unsigned)t.n * 37 + swizzle);
    const int kept = t.k / 2, group = t.ta == TF32 ? 2 : 4, of_group = group / 2; /* 1 of 2, or 2 of 4 columns */
    const int bytes_a = kept * bits_of(t.ta) / 8, bytes_b = 2 * bytes_a;
    std::vector<int> dense(64 * t.k, 0), a(64 * kept), b(t.n * t.k);
    std::vector<uint32_t> nibble(64 * t.k / group), regs(128 * 8, 0);
    for (int i = 0; i < 64; i++)
        for (int q = 0; q < t.k / group; q++) {
            int first = (int)r.below(group == 2 ? 2 : 3), second = first + 1 + (int)r.below(3 - first);
            nibble[i * (t.k / group) + q] = group == 2 ? (first ? 14 : 4) : first | second << 2;
            for (int e = 0; e < of_group; e++) {
                const int v = t.uns_a ? (int)r.below(7) : (int)r.below(7) - 3;
                a[i * kept + q * of_group + e] = v;
                dense[i * t.k + q * group + (e ? second : first)] = v;
            }
        }
    for (int &v : b)
        v = (int)r.below(7) - 3;
    /* What lane l of a quad says: 16 bits (four groups) of each of two rows, or all 32 bits of one row (8-bit types). */
    for (int thread = 0; thread < 128; thread++) {
        const int row = thread / 32 * 16 + thread % 32 / 4, l = thread % 4, groups = t.k / group;
        uint32_t meta = 0xffffffff; /* of lanes that do not count */
        if (bits_of(t.ta) == 8) {
            meta = 0;
            for (int q = 0; q < 8; q++)
                meta |= nibble[(row + l % 2 * 8) * groups + l / 2 * 8 + q] << 4 * q;
        } else if (l / 2 == t.selector) {
            meta = 0;
            for (int q = 0; q < 8; q++)
                meta |= nibble[(row + q / 4 * 8) * groups + l % 2 * 4 + q % 4] << 4 * q;
        }
        regs[thread * 8 + 4] = meta;
    }
    std::vector<float> c(64 * t.n), want(64 * t.n);
    for (float &v : c)
        v = (float)r.below(50) - 25;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < t.n; j++) {
            int sum = 0;
            for (int k = 0; k < t.k; k++)
                sum += dense[i * t.k + k] * b[j * t.k + k];
            want[i * t.n + j] = (float)(t.sign * sum) + (add ? c[i * t.n + j] : 0);
        }
    std::vector<unsigned char> image(IMAGE, 0);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < kept; k++)
            put_bits(image, bit_at(t.ta, false, swizzle, 64, bytes_a, i, k), bits_of(t.ta), encode(t.ta, a[i * kept + k]));
    for (int j = 0; j < t.n; j++)
        for (int k = 0; k < t.k; k++)
            put_bits(image, B_AT * 8 + bit_at(t.tb, t.trans_b, swizzle, t.n, bytes_b, j, k), bits_of(t.tb),
                     encode(t.tb, b[j * t.k + k]));
    const int per = 32 / bits_of(t.ta);
    for (int thread = 0; thread < 128; thread++)
        for (int q = 0; q < 4; q++)
            for (int e = 0; e < per; e++) {
                const int row = thread / 32 * 16 + thread % 32 / 4 + q % 2 * 8;
                const int k = q / 2 * 4 * per + thread % 4 * per + e;
                regs[thread * 8 + q] |= encode(t.ta, a[row * kept + k]) << (e * bits_of(t.ta) % 32);
            }
    dev<unsigned char> di(image);
    dev<uint32_t> dr(regs);
    dev<float> dc(c), dd(64 * t.n);
    args x = {di.p,
              dr.p,
              dc.p,
              dd.p,
              describe(t.ta, false, swizzle, 64, bytes_a, 0),
              describe(t.tb, t.trans_b, swizzle, t.n, bytes_b, B_AT),
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
        {"f16", sp_f16, F16, F16, 8, 32, 0, 1},
        {"f16 selector 1", sp_f16_1, F16, F16, 8, 32, 1, 1},
        {"-f16 B^T", sp_f16_bt, F16, F16, 8, 32, 0, -1, true},
        {"bf16", sp_bf16, BF16, BF16, 8, 32, 1, 1},
        {"tf32", sp_tf32, TF32, TF32, 8, 16, 0, 1},
        {"tf32 selector 1", sp_tf32_1, TF32, TF32, 8, 16, 1, 1},
        {"e4m3", sp_e4m3, E4M3, E4M3, 8, 64, 0, 1},
        {"e5m2 -e4m3", sp_e5m2, E5M2, E4M3, 8, 64, 0, -1},
        {"f16 regs", sp_f16_rs, F16, F16, 24, 32, 1, 1},
        {"tf32 regs", sp_tf32_rs, TF32, TF32, 24, 16, 0, 1},
        {"e4m3 e5m2 regs", sp_e4m3_rs, E4M3, E5M2, 24, 64, 0, 1},
        {"s8", sp_s8, S8, S8, 16, 64, 0, 1},
        {"u8 s8 regs", sp_u8_rs, U8, S8, 16, 64, 0, 1, false, true},
    };
    for (const test &t : tests)
        for (int swizzle = 0; swizzle < 3; swizzle++) /* 64-byte rows of B do not fit a swizzle of 32 */
            check(t, swizzle, swizzle % 2);
    return check_result();
}
