/*
 * mma.sync and wmma.mma: D = A * B + C over the registers of a warp.
 *
 * Fragments are unpacked into plain matrices, multiplied, and packed again. Integer results are exact (wrapping, or
 * clamped with .satfinite). f64 is one fma after the other in order of k. f16, bf16, tf32 and fp8 follow the tensor
 * cores of an H200 bit for bit (op_product.h). tf32 inputs lose their low 13 bits. NaN results are canonical. Left out:
 * mma.sp (sparse), block-scaled forms.
 */
#include "emu/op_product.h"

enum { K_MAX = 256, INT_TILE_MAX = 16 * K_MAX };

enum { /* emu_inst.aux */
       AUX_M,
       AUX_N,
       AUX_K4, /* k / 4 */
       AUX_A,
       AUX_B, /* enum ptx_type */
       AUX_FLAGS,
};

static struct frag_shape shape_of(const struct emu_inst *i)
{
    return (struct frag_shape){i->aux[AUX_M], i->aux[AUX_N], (u16)(4 * i->aux[AUX_K4])};
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
    f64 d[TILE_MAX];
    unpack_f32(a, &fa, w, i->src, ta);
    unpack_f32(b, &fb, w, i->src + fa.n_reg, tb);
    unpack_f32(c, &fc, w, i->src + fa.n_reg + fb.n_reg, flags & F_C16 ? PTX_T_F16 : PTX_T_F32);
    if (emu_frag_bits(ta) == 8)
        mul_fp8(d, c, a, b, s);
    else
        mul_float(d, c, a, b, s, ta);
    pack_float(w, i->dst, &fd, d, mask);
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
    pack_s32(w, i->dst, &fc, c, mask);
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
 * and 16+4q..16+4q+3. `high` is 4 for lanes of the upper half. An H200 adds up f32 results one by one, C last.
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
    f64 d[4][8][8];
    for (unsigned q = 0; q < 4; q++) {
        if (flags & F_D16) {
            mul_float(&d[q][0][0], &c[q][0][0], &a[q][0][0], &b[q][0][0], (struct frag_shape){8, 8, 4}, PTX_T_F16);
            continue;
        }
        for (unsigned m = 0; m < 8; m++)
            for (unsigned n = 0; n < 8; n++) {
                f32 sum = 0; /* products are exact */
                for (unsigned k = 0; k < 4; k++)
                    sum += a[q][m][k] * b[q][k][n];
                d[q][m][n] = (f64)(sum + c[q][m][n]);
            }
    }
    for (unsigned r = 0; r < n_d; r++) {
        u32 out[EMU_LANES];
        for (unsigned l = 0; l < EMU_LANES; l++) {
            const unsigned q = l / 4 % 4, at = l % 4, high = l < 16 ? 0 : 4;
            if (n_d == 4)
                out[l] = f16_bits(d[q][at + high][2 * r]) | f16_bits(d[q][at + high][2 * r + 1]) << 16;
            else
                out[l] = f32_bits_cut(d[q][(l & 1) + (r & 2) + high][(r & 4) + (l & 2) + (r & 1)]);
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
