/*
 * Which register of which lane holds each element of a matrix: the fragments of mma, wmma and ldmatrix.
 *
 * All of them are built from one pattern (PTX ISA, "Matrix Fragments for mma"): a lane is group g = lane / 4 and place
 * t = lane % 4 in it; a 32-bit register holds W elements side by side (1 of 32 or 64 bits, 2 of 16, 4 of 8, 8 of 4, 32
 * of 1 bit).
 *
 *   A (m x k)  a register holds row g, columns W*t ..., of an 8 x 4W block
 *   B (k x n)  a register holds column g, rows W*t ..., of a 4W x 8 block
 *   C (m x n)  row g, columns 2t and 2t+1, of an 8 x 8 block: two 32-bit registers, or one with two f16
 *
 * wmma's fragments are opaque to programs; here they are the same blocks in the same order, as GPUs since Turing have
 * them. wmma keeps f16 A and B in 8 registers whatever their size: the rest repeat the first ones.
 */
#ifndef WEIR_EMU_OP_FRAG_H
#define WEIR_EMU_OP_FRAG_H

#include "emu/op_lane.h"

#include <stdbool.h>

enum frag_role { FRAG_A, FRAG_B, FRAG_C };

struct frag {
    u8 n_reg;  /* operands of the instruction */
    u8 n_used; /* distinct ones */
    u8 per_reg;
    u16 rows, cols;
    u8 row_of_g, row_of_w;  /* 1: g (w) counts rows; 0: columns */
    u8 w_per_t;             /* elements between neighboring t */
    u16 row0[16], col0[16]; /* per register: of g = 0, t = 0, w = 0 */
};

struct frag_shape {
    u16 m, n, k;
};

/* See frag_make, which also knows m8n32. */
static inline void frag_make_plain(struct frag *f, enum frag_role role, struct frag_shape s, unsigned bits,
                                   bool wmma_f16)
{
    const unsigned w = bits >= 32 ? 1 : 32 / bits;
    f->per_reg = (u8)w;
    f->row_of_g = role != FRAG_B;
    f->row_of_w = role == FRAG_B;
    f->w_per_t = (u8)w;
    f->rows = role == FRAG_B ? s.k : s.m;
    f->cols = role == FRAG_A ? s.k : s.n;
    if (role == FRAG_A) {
        const unsigned across = s.k / (4 * w), pair = s.m == 8 ? 1 : 2;
        f->n_used = (u8)(s.m / 8 * across);
        for (unsigned r = 0; r < f->n_used; r++) {
            const unsigned high = r / (pair * across), in = r % (pair * across);
            f->row0[r] = (u16)(8 * (pair * high + in % pair));
            f->col0[r] = (u16)(4 * w * (in / pair));
        }
    } else if (role == FRAG_B) {
        const unsigned down = s.k / (4 * w);
        f->n_used = (u8)(s.n / 8 * down);
        for (unsigned r = 0; r < f->n_used; r++) {
            f->row0[r] = (u16)(4 * w * (r % down));
            f->col0[r] = (u16)(8 * (r / down));
        }
    } else {
        const unsigned pair = s.m == 8 ? 1 : 2, across = s.n / 8;
        f->w_per_t = 2;
        f->n_used = (u8)(s.m / 8 * across * 2 / w);
        for (unsigned r = 0; r < f->n_used; r++) {
            const unsigned i = r * w, block = i / 2, high = block / (pair * across), in = block % (pair * across);
            f->row0[r] = (u16)(8 * (pair * high + in % pair));
            f->col0[r] = (u16)(8 * (in / pair) + i % 2);
        }
    }
    f->n_reg = wmma_f16 && role != FRAG_C ? 8 : f->n_used;
}

/*
 * bits: of one element. wmma_f16: A and B of wmma's f16 forms. m8n32 is m32n8 with the roles of A and B exchanged and
 * all matrices transposed.
 */
static inline void frag_make(struct frag *f, enum frag_role role, struct frag_shape s, unsigned bits, bool wmma_f16)
{
    if (s.m != 8 || s.n != 32) {
        frag_make_plain(f, role, s, bits, wmma_f16);
        return;
    }
    frag_make_plain(f,
                    role == FRAG_A   ? FRAG_B
                    : role == FRAG_B ? FRAG_A
                                     : FRAG_C,
                    (struct frag_shape){32, 8, s.k}, bits, wmma_f16);
    for (unsigned r = 0; r < f->n_used; r++) {
        const u16 row = f->row0[r];
        f->row0[r] = f->col0[r];
        f->col0[r] = row;
    }
    const u16 rows = f->rows;
    f->rows = f->cols;
    f->cols = rows;
    f->row_of_g = !f->row_of_g;
    f->row_of_w = !f->row_of_w;
}

/* Steps of a linear index into a matrix kept with `row_step` and `col_step` between neighbors. */
struct frag_walk {
    u32 g, t, w;
};
static inline struct frag_walk frag_walk_of(const struct frag *f, u32 row_step, u32 col_step)
{
    const u32 w = f->row_of_w ? row_step : col_step;
    return (struct frag_walk){f->row_of_g ? row_step : col_step, f->w_per_t * w, w};
}
static inline u32 frag_first(const struct frag *f, unsigned reg, u32 row_step, u32 col_step)
{
    return f->row0[reg] * row_step + f->col0[reg] * col_step;
}

/* .m16n8k16 and so on; false when the instruction names no shape. */
static inline bool emu_frag_shape(const struct ptx_inst *p, struct frag_shape *s)
{
    static const struct {
        u8 mod;
        struct frag_shape shape;
    } known[] = {
        {PTX_M_M16N16K16, {16, 16, 16}}, {PTX_M_M32N8K16, {32, 8, 16}},   {PTX_M_M8N32K16, {8, 32, 16}},
        {PTX_M_M8N8K4, {8, 8, 4}},       {PTX_M_M8N8K16, {8, 8, 16}},     {PTX_M_M8N8K32, {8, 8, 32}},
        {PTX_M_M8N8K128, {8, 8, 128}},   {PTX_M_M16N16K8, {16, 16, 8}},   {PTX_M_M16N8K4, {16, 8, 4}},
        {PTX_M_M16N8K8, {16, 8, 8}},     {PTX_M_M16N8K16, {16, 8, 16}},   {PTX_M_M16N8K32, {16, 8, 32}},
        {PTX_M_M16N8K64, {16, 8, 64}},   {PTX_M_M16N8K128, {16, 8, 128}}, {PTX_M_M16N8K256, {16, 8, 256}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (ptx_has(p, known[k].mod)) {
            *s = known[k].shape;
            return true;
        }
    return false;
}

/* Bits of an element type of mma and wmma; 0 = none. */
static inline unsigned emu_frag_bits(enum ptx_type t)
{
    switch (t) {
    case PTX_T_F64:
        return 64;
    case PTX_T_F32:
    case PTX_T_TF32:
    case PTX_T_S32:
        return 32;
    case PTX_T_F16:
    case PTX_T_BF16:
        return 16;
    case PTX_T_S8:
    case PTX_T_U8:
    case PTX_T_E4M3:
    case PTX_T_E5M2:
        return 8;
    case PTX_T_S4:
    case PTX_T_U4:
        return 4;
    case PTX_T_B1:
        return 1;
    default:
        return 0;
    }
}

/* wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix: op_wmma.c */
int emu_sel_matrix(const struct ptx_inst *, struct emu_op_sel *, const char **why);
/* tex, tld4, txq, suld, sust, sured, suq: op_tex.c */
int emu_sel_tex(const struct ptx_inst *, struct emu_op_sel *, const char **why);

#endif
