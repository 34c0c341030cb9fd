/*
 * mma.sync and wmma.mma: D = A * B + C over the registers of a warp.
 *
 * Fragments are unpacked into plain matrices, multiplied, and packed again. Integer results are exact (wrapping, or
 * clamped with .satfinite). f64 is one fma after the other in order of k, as the hardware does. For f16, bf16, tf32 and
 * fp8 inputs every product is exact in f32 and is added in order of k to an f32 sum that starts with C, each addition
 * rounded to nearest even; an f16 result is rounded once at the end. Tensor cores add in blocks and truncate, so f32
 * results may differ from theirs in the last bits. tf32 inputs lose their low 13 bits. NaN results are canonical.
 * Left out: mma.sp (sparse), block-scaled forms.
 */
#include "emu/op_float.h"
#include "emu/op_frag.h"
#include "emu/op_soft.h"

enum { TILE_MAX = 32 * 32, K_MAX = 256, INT_TILE_MAX = 16 * K_MAX };

enum { /* emu_inst.aux */
       AUX_M,
       AUX_N,
       AUX_K4, /* k / 4 */
       AUX_A,
       AUX_B, /* enum ptx_type */
       AUX_FLAGS,
};
enum { F_D16 = 1, F_C16 = 2, F_SAT = 4, F_XOR = 8, F_WMMA_F16 = 16, F_A_COL = 32, F_B_ROW = 64 };

static struct frag_shape shape_of(const struct emu_inst *i)
{
    return (struct frag_shape){i->aux[AUX_M], i->aux[AUX_N], (u16)(4 * i->aux[AUX_K4])};
}

/* ---- between registers and matrices ---- */

static void lanes_to_f32(f32 *out, const u32 *row, enum ptx_type t, unsigned w)
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
        for (int l = 0; l < EMU_LANES; l++)
            out[l] = emu_f32((u32)soft_pack(
                &soft_f32, soft_unpack(t == PTX_T_E4M3 ? &soft_e4m3 : &soft_e5m2, row[l] >> 8 * w & 0xff), SOFT_RN,
                false));
        return;
    default:
        memcpy(out, row, EMU_LANES * sizeof *out);
    }
}

static void lanes_to_s32(s32 *out, const u32 *row, enum ptx_type t, unsigned w)
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
    static void name(T *m, const struct frag *f, const struct emu_warp *w, const struct emu_opnd *o, enum ptx_type t)  \
    {                                                                                                                  \
        const struct frag_walk step = frag_walk_of(f, f->cols, 1);                                                     \
        for (unsigned r = 0; r < f->n_used; r++) {                                                                     \
            const U *row = emu_src(w, &o[r]);                                                                          \
            const u32 first = frag_first(f, r, f->cols, 1);                                                            \
            for (unsigned e = 0; e < f->per_reg; e++) {                                                                \
                T lane[EMU_LANES];                                                                                     \
                CONVERT;                                                                                               \
                T *at = m + first + e * step.w;                                                                        \
                for (unsigned l = 0; l < EMU_LANES; l++)                                                               \
                    at[l / 4 * step.g + l % 4 * step.t] = lane[l];                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }
UNPACK(unpack_f32, f32, u32, lanes_to_f32(lane, row, t, e))
UNPACK(unpack_s32, s32, u32, lanes_to_s32(lane, row, t, e))
UNPACK(unpack_f64, f64, f64, (void)t; memcpy(lane, row, sizeof lane))

/* 32-bit results, or pairs of f16 when f->per_reg is 2. */
static void pack_f32(struct emu_warp *w, const struct emu_opnd *o, const struct frag *f, const f32 *m, u32 mask)
{
    const struct frag_walk step = frag_walk_of(f, f->cols, 1);
    for (unsigned r = 0; r < f->n_used; r++) {
        const f32 *at = m + frag_first(f, r, f->cols, 1);
        u32 out[EMU_LANES];
        if (f->per_reg == 2) {
            f32 lo[EMU_LANES], hi[EMU_LANES];
            for (unsigned l = 0; l < EMU_LANES; l++) {
                lo[l] = at[l / 4 * step.g + l % 4 * step.t];
                hi[l] = at[l / 4 * step.g + l % 4 * step.t + step.w];
            }
            EMU_EACH_LANE out[l] = f16_of_f32(lo[l]) | f16_of_f32(hi[l]) << 16;
        } else {
            for (unsigned l = 0; l < EMU_LANES; l++)
                out[l] = emu_f32_bits(f32_canon(at[l / 4 * step.g + l % 4 * step.t]));
        }
        if (o[r].lane)
            emu_store_row(emu_dst(w, &o[r]), out, mask, 4);
    }
}

/* ---- products ---- */

#define EACH_N EMU_VECTOR for (unsigned n = 0; n < n_cols; n++)

static inline __attribute__((always_inline)) void mul_f32_n(f32 *c, const f32 *a, const f32 *b, unsigned m_rows,
                                                            unsigned k_len, const unsigned n_cols)
{
    for (unsigned m = 0; m < m_rows; m++) {
        f32 sum[32];
        EACH_N sum[n] = c[m * n_cols + n];
        for (unsigned k = 0; k < k_len; k++) {
            const f32 x = a[m * k_len + k];
            EACH_N sum[n] += x * b[k * n_cols + n];
        }
        EACH_N c[m * n_cols + n] = sum[n];
    }
}

static void mul_f32(f32 *c, const f32 *a, const f32 *b, struct frag_shape s)
{
    if (s.n == 8)
        mul_f32_n(c, a, b, s.m, s.k, 8);
    else if (s.n == 16)
        mul_f32_n(c, a, b, s.m, s.k, 16);
    else
        mul_f32_n(c, a, b, s.m, s.k, 32);
}

static void mul_s32(s32 *c, const s32 *a, const s32 *b, struct frag_shape s, unsigned flags)
{
    const unsigned n_cols = s.n;
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

/* ---- handlers ---- */

EMU_HANDLER(mma_float)
{
    const struct frag_shape s = shape_of(i);
    const unsigned flags = i->aux[AUX_FLAGS];
    const enum ptx_type ta = i->aux[AUX_A], tb = i->aux[AUX_B];
    struct frag fa, fb, fc, fd;
    frag_make(&fa, FRAG_A, s, emu_frag_bits(ta), flags & F_WMMA_F16);
    frag_make(&fb, FRAG_B, s, emu_frag_bits(tb), flags & F_WMMA_F16);
    frag_make(&fc, FRAG_C, s, flags & F_C16 ? 16 : 32, false);
    frag_make(&fd, FRAG_C, s, flags & F_D16 ? 16 : 32, false);
    f32 a[TILE_MAX], b[TILE_MAX], c[TILE_MAX];
    unpack_f32(a, &fa, w, i->src, ta);
    unpack_f32(b, &fb, w, i->src + fa.n_reg, tb);
    unpack_f32(c, &fc, w, i->src + fa.n_reg + fb.n_reg, flags & F_C16 ? PTX_T_F16 : PTX_T_F32);
    mul_f32(c, a, b, s);
    pack_f32(w, i->dst, &fd, c, mask);
}

EMU_HANDLER(mma_int)
{
    const struct frag_shape s = shape_of(i);
    const enum ptx_type ta = i->aux[AUX_A], tb = i->aux[AUX_B];
    struct frag fa, fb, fc;
    frag_make(&fa, FRAG_A, s, emu_frag_bits(ta), false);
    frag_make(&fb, FRAG_B, s, emu_frag_bits(tb), false);
    frag_make(&fc, FRAG_C, s, 32, false);
    s32 a[INT_TILE_MAX], b[INT_TILE_MAX], c[TILE_MAX];
    unpack_s32(a, &fa, w, i->src, ta);
    unpack_s32(b, &fb, w, i->src + fa.n_reg, tb);
    unpack_s32(c, &fc, w, i->src + fa.n_reg + fb.n_reg, PTX_T_S32);
    mul_s32(c, a, b, s, i->aux[AUX_FLAGS]);
    const struct frag_walk step = frag_walk_of(&fc, fc.cols, 1);
    for (unsigned r = 0; r < fc.n_used; r++) {
        const s32 *at = c + frag_first(&fc, r, fc.cols, 1);
        s32 out[EMU_LANES];
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[l] = at[l / 4 * step.g + l % 4 * step.t];
        if (i->dst[r].lane)
            emu_store_row(emu_dst(w, &i->dst[r]), out, mask, 4);
    }
}

EMU_HANDLER(mma_f64)
{
    const struct frag_shape s = shape_of(i);
    struct frag fa, fb, fc;
    frag_make(&fa, FRAG_A, s, 64, false);
    frag_make(&fb, FRAG_B, s, 64, false);
    frag_make(&fc, FRAG_C, s, 64, false);
    f64 a[16 * 16], b[16 * 16], c[16 * 16];
    unpack_f64(a, &fa, w, i->src, PTX_T_F64);
    unpack_f64(b, &fb, w, i->src + fa.n_reg, PTX_T_F64);
    unpack_f64(c, &fc, w, i->src + fa.n_reg + fb.n_reg, PTX_T_F64);
    for (unsigned m = 0; m < s.m; m++)
        for (unsigned n = 0; n < s.n; n++)
            for (unsigned k = 0; k < s.k; k++)
                c[m * s.n + n] = __builtin_fma(a[m * s.k + k], b[k * s.n + n], c[m * s.n + n]);
    const struct frag_walk step = frag_walk_of(&fc, fc.cols, 1);
    for (unsigned r = 0; r < fc.n_used; r++) {
        const f64 *at = c + frag_first(&fc, r, fc.cols, 1);
        f64 out[EMU_LANES];
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[l] = at[l / 4 * step.g + l % 4 * step.t];
        if (i->dst[r].lane)
            emu_store_row(emu_dst(w, &i->dst[r]), out, mask, 8);
    }
}

/*
 * mma.m8n8k4 with f16: Volta's own form. Four products at once, each by the eight lanes of a quad pair: lanes 4q..4q+3
 * and 16+4q..16+4q+3. `high` is 4 for lanes of the upper half.
 */
EMU_HANDLER(mma_volta)
{
    const unsigned flags = i->aux[AUX_FLAGS];
    const unsigned n_c = flags & F_C16 ? 4 : 8, n_d = flags & F_D16 ? 4 : 8;
    f32 a[4][8][4], b[4][4][8], c[4][8][8];
    for (unsigned l = 0; l < EMU_LANES; l++) {
        const unsigned q = l / 4 % 4, at = l % 4, high = l < 16 ? 0 : 4;
        for (unsigned e = 0; e < 4; e++) {
            const f32 x = f32_of_f16(((const u32 *)emu_src(w, &i->src[e / 2]))[l] >> 16 * (e % 2) & 0xffff);
            const f32 y = f32_of_f16(((const u32 *)emu_src(w, &i->src[2 + e / 2]))[l] >> 16 * (e % 2) & 0xffff);
            if (flags & F_A_COL)
                a[q][e + high][at] = x;
            else
                a[q][at + high][e] = x;
            if (flags & F_B_ROW)
                b[q][at][e + high] = y;
            else
                b[q][e][at + high] = y;
        }
        for (unsigned e = 0; e < 8; e++) {
            if (n_c == 4)
                c[q][at + high][e] =
                    f32_of_f16(((const u32 *)emu_src(w, &i->src[4 + e / 2]))[l] >> 16 * (e % 2) & 0xffff);
            else
                c[q][(l & 1) + (e & 2) + high][(e & 4) + (l & 2) + (e & 1)] =
                    ((const f32 *)emu_src(w, &i->src[4 + e]))[l];
        }
    }
    for (unsigned q = 0; q < 4; q++)
        for (unsigned m = 0; m < 8; m++)
            for (unsigned n = 0; n < 8; n++)
                for (unsigned k = 0; k < 4; k++)
                    c[q][m][n] += a[q][m][k] * b[q][k][n];
    for (unsigned r = 0; r < n_d; r++) {
        u32 out[EMU_LANES];
        for (unsigned l = 0; l < EMU_LANES; l++) {
            const unsigned q = l / 4 % 4, at = l % 4, high = l < 16 ? 0 : 4;
            if (n_d == 4)
                out[l] = f16_of_f32(c[q][at + high][2 * r]) | f16_of_f32(c[q][at + high][2 * r + 1]) << 16;
            else
                out[l] = emu_f32_bits(f32_canon(c[q][(l & 1) + (r & 2) + high][(r & 4) + (l & 2) + (r & 1)]));
        }
        if (i->dst[r].lane)
            emu_store_row(emu_dst(w, &i->dst[r]), out, mask, 4);
    }
}

/* ---- selection ---- */

/* Signature: n operands of class c. */
static char *sig_add(char *s, unsigned n, char c)
{
    memset(s, c, n);
    return s + n;
}

static bool is_f32_input(enum ptx_type t)
{
    return t == PTX_T_F16 || t == PTX_T_BF16 || t == PTX_T_TF32 || t == PTX_T_E4M3 || t == PTX_T_E5M2;
}
static bool is_int_input(enum ptx_type t)
{
    return t == PTX_T_S8 || t == PTX_T_U8 || t == PTX_T_S4 || t == PTX_T_U4 || t == PTX_T_B1;
}

int emu_sel_mma(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    struct frag_shape s;
    if (!emu_frag_shape(p, &s))
        return emu_no(why, "this shape of matrices is not supported");
    enum ptx_type td, ta, tb, tc;
    if (p->n_type == 4) {
        td = p->type[0], ta = p->type[1], tb = p->type[2], tc = p->type[3];
    } else if (p->n_type == 2 && p->op == PTX_WMMA) { /* f16 A and B are not named */
        td = p->type[0], ta = tb = PTX_T_F16, tc = p->type[1];
    } else {
        return emu_no(why, "its types are not those of a matrix product");
    }
    unsigned flags = (td == PTX_T_F16 ? F_D16 : 0) | (tc == PTX_T_F16 ? F_C16 : 0);
    if (p->op == PTX_WMMA && ta == PTX_T_F16)
        flags |= F_WMMA_F16;
    if (ptx_has(p, PTX_M_SATFINITE) && is_int_input(ta))
        flags |= F_SAT;
    if (ptx_has(p, PTX_M_XOR))
        flags |= F_XOR;
    const unsigned bits_a = emu_frag_bits(ta), bits_b = emu_frag_bits(tb);
    if (bits_a != bits_b)
        return emu_no(why, "A and B of different widths are not supported");

    char *at = sel->sig;
    if (ta == PTX_T_F16 && p->op == PTX_MMA && s.m == 8 && s.k == 4) {
        const struct ptx_inst *i = p;
        unsigned n_layout = 0;
        for (unsigned j = 0; j < i->n_mod; j++)
            if (i->mod[j] == PTX_M_ROW || i->mod[j] == PTX_M_COL) {
                if (n_layout == 0 && i->mod[j] == PTX_M_COL)
                    flags |= F_A_COL;
                if (n_layout == 1 && i->mod[j] == PTX_M_ROW)
                    flags |= F_B_ROW;
                n_layout++;
            }
        at = sig_add(at, flags & F_D16 ? 4 : 8, 'w');
        *at++ = '>';
        sig_add(at, 4 + (flags & F_C16 ? 4 : 8), 'w');
        sel->fn = mma_volta;
    } else {
        const bool wide = ta == PTX_T_F64;
        if (!(wide ? tb == ta && td == ta && tc == ta
              : is_f32_input(ta)
                  ? is_f32_input(tb) && (td == PTX_T_F32 || td == PTX_T_F16) && (tc == PTX_T_F32 || tc == PTX_T_F16)
                  : is_int_input(ta) && is_int_input(tb) && td == PTX_T_S32 && tc == PTX_T_S32))
            return emu_no(why, "these types of matrices cannot be multiplied");
        if (4 * 32 / bits_a > s.k && bits_a < 64)
            return emu_no(why, "this shape does not go with these types");
        struct frag fa, fb, fc, fd;
        frag_make(&fa, FRAG_A, s, bits_a, flags & F_WMMA_F16);
        frag_make(&fb, FRAG_B, s, bits_b, flags & F_WMMA_F16);
        frag_make(&fc, FRAG_C, s, wide ? 64 : flags & F_C16 ? 16 : 32, false);
        frag_make(&fd, FRAG_C, s, wide ? 64 : flags & F_D16 ? 16 : 32, false);
        if (fa.n_used > 8 || fb.n_used > 8 || fc.n_used > 8)
            return emu_no(why, "this shape does not go with these types");
        const char c = wide ? 'd' : 'w';
        at = sig_add(at, fd.n_reg, c);
        *at++ = '>';
        sig_add(at, fa.n_reg + fb.n_reg + fc.n_reg, c);
        sel->fn = wide ? mma_f64 : is_int_input(ta) ? mma_int : mma_float;
    }
    memset(sel->src_type, ta == PTX_T_F64 ? PTX_T_F64 : PTX_T_B32, sizeof sel->src_type);
    sel->aux[AUX_M] = (u8)s.m;
    sel->aux[AUX_N] = (u8)s.n;
    sel->aux[AUX_K4] = (u8)(s.k / 4);
    sel->aux[AUX_A] = (u8)ta;
    sel->aux[AUX_B] = (u8)tb;
    sel->aux[AUX_FLAGS] = (u8)flags;
    return 0;
}
