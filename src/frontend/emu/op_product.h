/*
 * What a tensor core makes of a tile: D = A * B + C in fixed point, as an H200 does it bit for bit. Shared by mma.sync,
 * wmma and wgmma.
 *
 * Matrices are plain arrays, row by row. f16, bf16 and tf32: see block_sum. fp8: see mul_fp8. Integers are exact. Other
 * GPUs sum smaller blocks and keep fewer bits.
 */
#ifndef WEIR_EMU_OP_PRODUCT_H
#define WEIR_EMU_OP_PRODUCT_H

#include "base/inline.h"
#include "emu/op_float.h"
#include "emu/op_frag.h"

enum { TILE_MAX = 32 * 32 }; /* elements of a matrix */
enum { F_D16 = 1, F_C16 = 2, F_SAT = 4, F_XOR = 8, F_WMMA_F16 = 16, F_A_COL = 32, F_B_ROW = 64 };

/* ---- between registers and matrices ---- */

/* Both are f16 with bits cut off: e5m2 at its low end, e4m3 at the top of its exponent. */
static inline f32 f32_of_fp8(u32 b, enum ptx_type t)
{
    const f32 e4m3 = f32_of_f16((b & 0x80) << 8 | (b & 0x7f) << 7) * 256;
    return t == PTX_T_E5M2 ? f32_of_f16(b << 8) : (b & 0x7f) == 0x7f ? emu_f32(F32_NAN) : e4m3;
}

static inline void lanes_to_f32(f32 *out, const u32 *row, enum ptx_type t, unsigned w)
{
    switch (t) {
    case PTX_T_F16:
        EMU_EACH_LANE out[l] = f32_of_f16(row[l] >> 16 * w & 0xffff);
        return;
    case PTX_T_BF16:
        EMU_EACH_LANE out[l] = f32_of_bf16(row[l] >> 16 * w & 0xffff);
        return;
    case PTX_T_TF32:
        EMU_EACH_LANE out[l] = emu_f32(row[l] & 0xffffe000);
        return;
    case PTX_T_E4M3:
    case PTX_T_E5M2:
        EMU_EACH_LANE out[l] = f32_of_fp8(row[l] >> 8 * w & 0xff, t);
        return;
    default:
        memcpy(out, row, EMU_LANES * sizeof *out);
    }
}

static inline void lanes_to_s32(s32 *out, const u32 *row, enum ptx_type t, unsigned w)
{
    switch (t) {
    case PTX_T_S8:
        EMU_EACH_LANE out[l] = (s8)(row[l] >> 8 * w);
        return;
    case PTX_T_U8:
        EMU_EACH_LANE out[l] = (u8)(row[l] >> 8 * w);
        return;
    case PTX_T_S4:
        EMU_EACH_LANE out[l] = (s32)(row[l] << (28 - 4 * w)) >> 28;
        return;
    case PTX_T_U4:
        EMU_EACH_LANE out[l] = (s32)(row[l] >> 4 * w & 15);
        return;
    case PTX_T_B1:
        EMU_EACH_LANE out[l] = (s32)(row[l] >> w & 1);
        return;
    default:
        memcpy(out, row, EMU_LANES * sizeof *out);
    }
}

/* Matrices are kept row by row: index = row * cols + col. */
#define UNPACK(name, T, U, CONVERT)                                                                                    \
    static inline void name(T *m, const struct frag *f, const struct emu_warp *w, const struct emu_opnd *o,            \
                            enum ptx_type t)                                                                           \
    {                                                                                                                  \
        const struct frag_walk step = frag_walk_of(f, f->cols, 1);                                                     \
        for (unsigned r = 0; r < f->n_used; r++) {                                                                     \
            const U *row = emu_src(w, &o[r]);                                                                          \
            const u32 first = frag_first(f, r, f->cols, 1);                                                            \
            for (unsigned e = 0; e < f->per_reg; e++) {                                                                \
                T lane[EMU_LANES];                                                                                     \
                CONVERT;                                                                                               \
                T *at = m + first + e * step.w;                                                                        \
                for (unsigned g = 0; g < 8; g++)                                                                       \
                    for (unsigned p = 0; p < 4; p++)                                                                   \
                        at[g * step.g + p * step.t] = lane[4 * g + p];                                                 \
            }                                                                                                          \
        }                                                                                                              \
    }
UNPACK(unpack_f32, f32, u32, lanes_to_f32(lane, row, t, e))
UNPACK(unpack_s32, s32, u32, lanes_to_s32(lane, row, t, e))
UNPACK(unpack_f64, f64, f64, (void)t; memcpy(lane, row, sizeof lane))

static inline u32 f32_bits_cut(f64 x)
{
    const f64 cut = emu_f64(emu_f64_bits(x) & ~((1ull << 29) - 1));
    return x == x ? emu_f32_bits((f32)cut) : F32_NAN;
}
/* Nearest even, through f32: a sum has at most 8 bits more than f32, and sticky ones are kept. */
static inline u32 f16_bits(f64 x)
{
    const u64 u = emu_f64_bits(x), low = u & ((1ull << 29) - 1);
    return f16_of_f32((f32)emu_f64((u & ~((1ull << 29) - 1)) | (low ? 1ull << 29 : 0)));
}

/* f32 results are cut off, f16 results (f->per_reg is 2) rounded to nearest. */
static inline void pack_float(struct emu_warp *w, const struct emu_opnd *o, const struct frag *f, const f64 *m,
                              u32 mask)
{
    const struct frag_walk step = frag_walk_of(f, f->cols, 1);
    for (unsigned r = 0; r < f->n_used; r++) {
        const f64 *at = m + frag_first(f, r, f->cols, 1);
        u32 out[EMU_LANES];
        f64 part[2][EMU_LANES];
        for (unsigned e = 0; e < f->per_reg; e++)
            for (unsigned g = 0; g < 8; g++)
                for (unsigned p = 0; p < 4; p++)
                    part[e][4 * g + p] = at[g * step.g + p * step.t + e * step.w];
        if (f->per_reg == 2)
            EMU_EACH_LANE out[l] = f16_bits(part[0][l]) | f16_bits(part[1][l]) << 16;
        else
            EMU_EACH_LANE out[l] = f32_bits_cut(part[0][l]);
        if (o[r].lane)
            emu_store_row(emu_dst(w, &o[r]), out, mask, 4);
    }
}

static inline void pack_s32(struct emu_warp *w, const struct emu_opnd *o, const struct frag *f, const s32 *m, u32 mask)
{
    const struct frag_walk step = frag_walk_of(f, f->cols, 1);
    for (unsigned r = 0; r < f->n_used; r++) {
        const s32 *at = m + frag_first(f, r, f->cols, 1);
        s32 out[EMU_LANES];
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[l] = at[l / 4 * step.g + l % 4 * step.t];
        if (o[r].lane)
            emu_store_row(emu_dst(w, &o[r]), out, mask, 4);
    }
}

/* ---- products ---- */

#define EACH_N EMU_VECTOR for (unsigned n = 0; n < n_cols; n++)

/*
 * A tensor core adds a block of products and the accumulator in fixed point: all terms are aligned to the largest
 * exponent (that of a product being the sum of its factors' exponents), cut off 25 bits below it, and added exactly;
 * the sum is cut off to f32. Cutting off is toward zero.
 */
enum { KEPT_BITS = 25, NO_EXPONENT = -1000 };

/* Matrices as significands in (-2, 2) and exponents. */
struct split {
    f32 m[TILE_MAX];
    s32 e[TILE_MAX];
};

/* Whether all exponents are so small that products and their alignment stay inside f32. */
static inline bool is_narrow(const f32 *v, unsigned n)
{
    u32 wide = 0;
    EMU_VECTOR for (unsigned i = 0; i < n; i++)
    {
        const u32 u = emu_f32_bits(v[i]) & 0x7fffffff;
        wide |= u && u - (77u << 23) >= 100u << 23; /* outside 2^-50 .. 2^50 */
    }
    return !wide;
}

/* e_min: exponent of the format's subnormals, which are not normalized. `whole`: m is the number itself. */
static inline void split_make(struct split *s, const f32 *v, unsigned n, s32 e_min, bool whole)
{
    const f32 unit = emu_f32((u32)(127 - e_min) << 23);
    EMU_VECTOR for (unsigned i = 0; i < n; i++)
    {
        const u32 u = emu_f32_bits(v[i]);
        const s32 e = (s32)(u >> 23 & 255) - 127, bounded = e > e_min ? e : e_min;
        s->e[i] = u & 0x7fffffff ? bounded : NO_EXPONENT;
    }
    if (whole) {
        memcpy(s->m, v, n * sizeof *v);
        return;
    }
    EMU_VECTOR for (unsigned i = 0; i < n; i++)
    {
        const u32 u = emu_f32_bits(v[i]), normal = (u & 0x807fffff) | 0x3f800000, tiny = emu_f32_bits(v[i] * unit);
        s->m[i] = emu_f32((s32)(u >> 23 & 255) - 127 < e_min ? tiny : normal);
    }
}

/* 2^(KEPT_BITS - below); 0 when that is beyond any significand. */
static inline f32 align_scale(s32 below)
{
    const s32 field = 127 + KEPT_BITS - below;
    return emu_f32((u32)(field > 0 ? field : 0) << 23);
}

/*
 * sum[n] (in units of 2^(top[n] - KEPT_BITS)) of one row of C and its products. `narrow`: no product can leave the
 * range of f32, so a product needs no separate exponent.
 */
ALWAYS_INLINE void block_sum(f64 *sum, s32 *top, const struct split *c, const struct split *a, const struct split *b,
                             unsigned row, struct frag_shape s, const unsigned n_cols, const bool narrow)
{
    const f32 *am = a->m + row * s.k;
    const s32 *ae = a->e + row * s.k;
    EACH_N top[n] = c->e[row * n_cols + n];
    for (unsigned k = 0; k < s.k; k++) {
        const s32 *be = b->e + k * n_cols;
        const s32 e_a = ae[k];
        EACH_N
        {
            const s32 e = e_a + be[n];
            top[n] = e > top[n] ? e : top[n];
        }
    }
    f32 scale[32];
    EACH_N
    {
        const s32 field = 127 + KEPT_BITS - top[n];
        scale[n] = emu_f32((u32)(field > 254 ? 254 : field) << 23);
    }
    s32 even[32] = {0}, odd[32] = {0}; /* each of at most 8 terms below 2^27 */
    for (unsigned k = 0; k < s.k; k += 2) {
        const f32 *b0 = b->m + k * n_cols, *b1 = b0 + n_cols;
        const s32 *e0 = b->e + k * n_cols, *e1 = e0 + n_cols;
        const f32 a0 = am[k], a1 = am[k + 1];
        const s32 ea0 = ae[k], ea1 = ae[k + 1];
        EACH_N
        {
            even[n] += (s32)(a0 * b0[n] * (narrow ? scale[n] : align_scale(top[n] - ea0 - e0[n])));
            odd[n] += (s32)(a1 * b1[n] * (narrow ? scale[n] : align_scale(top[n] - ea1 - e1[n])));
        }
    }
    EACH_N
    {
        const s32 own = (s32)(c->m[row * n_cols + n] * align_scale(top[n] - c->e[row * n_cols + n]));
        sum[n] = (f64)even[n] + (f64)odd[n] + (f64)own;
    }
}

/* sum * 2^(top - KEPT_BITS), exactly. Where every product has a factor 0, the other factors' exponents are still in top. */
static inline f64 block_value(f64 sum, s32 top)
{
    return top <= NO_EXPONENT / 2 ? 0 : sum * emu_f64((u64)(1023 + top - KEPT_BITS) << 52);
}
ALWAYS_INLINE void mul_blocks(f64 *d, const struct split *c, const struct split *a, const struct split *b,
                              struct frag_shape s, const unsigned n_cols, const bool narrow)
{
    for (unsigned row = 0; row < s.m; row++) {
        f64 sum[32];
        s32 top[32];
        block_sum(sum, top, c, a, b, row, s, n_cols, narrow);
        for (unsigned n = 0; n < n_cols; n++)
            d[row * n_cols + n] = block_value(sum[n], top[n]);
    }
}

/* d = c + a * b, not yet rounded to the type of D. Finite numbers only. */
static inline void mul_finite(f64 *d, const struct split *c, const struct split *a, const struct split *b,
                              struct frag_shape s, bool narrow)
{
#define MUL(columns)                                                                                                   \
    if (s.n == (columns)) {                                                                                            \
        if (narrow)                                                                                                    \
            mul_blocks(d, c, a, b, s, (columns), true);                                                                \
        else                                                                                                           \
            mul_blocks(d, c, a, b, s, (columns), false);                                                               \
    }
    MUL(8)
    MUL(16)
    MUL(32)
#undef MUL
}

/* With infinities or NaNs among the inputs only those matter. */
static inline void mul_special(f64 *d, const f32 *c, const f32 *a, const f32 *b, struct frag_shape s)
{
    for (unsigned m = 0; m < s.m; m++)
        for (unsigned n = 0; n < s.n; n++) {
            f64 sum = c[m * s.n + n];
            bool special = !(sum - sum == 0);
            for (unsigned k = 0; k < s.k; k++) {
                const f64 x = (f64)a[m * s.k + k] * (f64)b[k * s.n + n];
                special = special || !(x - x == 0);
                sum += x;
            }
            if (special)
                d[m * s.n + n] = sum;
        }
}

static inline bool all_finite(const f32 *v, unsigned n)
{
    u32 bad = 0;
    EMU_VECTOR for (unsigned i = 0; i < n; i++) bad |= (emu_f32_bits(v[i]) & 0x7f800000) == 0x7f800000;
    return !bad;
}

ALWAYS_INLINE void mul_s32_n(s32 *c, const s32 *a, const s32 *b, struct frag_shape s, unsigned flags,
                             const unsigned n_cols)
{
    for (unsigned m = 0; m < s.m; m++) {
        s32 sum[32] = {0}; /* of products alone: at most 64 * 255 * 255 */
        for (unsigned k = 0; k < s.k; k++) {
            const s32 x = a[m * s.k + k];
            if (flags & F_XOR)
                EACH_N sum[n] += x ^ b[k * n_cols + n];
            else
                EACH_N sum[n] += x * b[k * n_cols + n];
        }
        for (unsigned n = 0; n < n_cols; n++) {
            const s64 total = (s64)c[m * n_cols + n] + sum[n];
            c[m * n_cols + n] = !(flags & F_SAT)    ? (s32)(u32)(u64)total
                                : total > INT32_MAX ? INT32_MAX
                                : total < INT32_MIN ? INT32_MIN
                                                    : (s32)total;
        }
    }
}

static inline void mul_s32(s32 *c, const s32 *a, const s32 *b, struct frag_shape s, unsigned flags)
{
    if (s.n == 8)
        mul_s32_n(c, a, b, s, flags, 8);
    else if (s.n == 16)
        mul_s32_n(c, a, b, s, flags, 16);
    else
        mul_s32_n(c, a, b, s, flags, 32);
}

/* Exponent of the smallest numbers of the format in which a tensor core takes this type. */
static inline s32 min_exponent(enum ptx_type t)
{
    return t == PTX_T_F16 || t == PTX_T_E4M3 || t == PTX_T_E5M2 ? -14 : -126;
}

static inline void mul_float(f64 *d, const f32 *c, const f32 *a, const f32 *b, struct frag_shape s, enum ptx_type t)
{
    struct split sa, sb, sc;
    const bool narrow = is_narrow(a, s.m * s.k) && is_narrow(b, s.k * s.n);
    split_make(&sa, a, s.m * s.k, min_exponent(t), narrow);
    split_make(&sb, b, s.k * s.n, min_exponent(t), narrow);
    split_make(&sc, c, s.m * s.n, -126, false);
    mul_finite(d, &sc, &sa, &sb, s, narrow);
    if (narrow && all_finite(c, s.m * s.n))
        return;
    if (!all_finite(a, s.m * s.k) || !all_finite(b, s.k * s.n) || !all_finite(c, s.m * s.n))
        mul_special(d, c, a, b, s);
}

/*
 * fp8 runs as two f16 products over half of k each (k % 4 = 0, 1 and 2, 3), the second added to the first, and C is
 * added last, rounded to nearest.
 */
static inline void mul_fp8(f64 *d, const f32 *c, const f32 *a, const f32 *b, struct frag_shape s)
{
    const struct frag_shape half = {s.m, s.n, s.k / 2};
    f32 sum[TILE_MAX] = {0};
    for (unsigned part = 0; part < 2; part++) {
        f32 ha[TILE_MAX], hb[TILE_MAX];
        for (unsigned k = 0; k < half.k; k++) {
            const unsigned from = k / 2 * 4 + part * 2 + k % 2;
            for (unsigned m = 0; m < s.m; m++)
                ha[m * half.k + k] = a[m * s.k + from];
            for (unsigned n = 0; n < s.n; n++)
                hb[k * s.n + n] = b[from * s.n + n];
        }
        mul_float(d, sum, ha, hb, half, PTX_T_F16);
        for (unsigned i = 0; i < (unsigned)s.m * s.n; i++)
            sum[i] = emu_f32(f32_bits_cut(d[i]));
    }
    for (unsigned i = 0; i < (unsigned)s.m * s.n; i++)
        d[i] = (f64)(c[i] + sum[i]);
}

#endif
