/*
 * Video instructions: vadd vsub vabsdiff vmin vmax vshl vshr vmad vset on a byte, half-word or word of each source, and
 * the packed ones on two half-words (v*2) or four bytes (v*4). PTX ISA 9.0, "Scalar Video Instructions" and "SIMD
 * Video Instructions". Hopper has no hardware for most of them; they survive in old sources. The lane selectors and
 * masks of the packed forms (.h10, .b3210) are left out.
 */
#include "emu/op_lane.h"

enum kind { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_SHL, V_SHR, V_MAD, V_SET, V_AVRG };
enum { SIGNED_A = 1, SIGNED_B = 2, SIGNED_D = 4, SATURATE = 8, WRAP = 16, PLUS_ONE = 32 };

/* Byte or half-word of a register, extended; selector = ptx_mod or 0. */
static s64 part(u32 x, unsigned selector, bool is_signed)
{
    switch (selector) {
    case PTX_M_B0:
    case PTX_M_B1:
    case PTX_M_B2:
    case PTX_M_B3:
        x >>= 8 * (selector - PTX_M_B0);
        return is_signed ? (s8)x : (u8)x;
    case PTX_M_H0:
    case PTX_M_H1:
        x >>= 16 * (selector - PTX_M_H0);
        return is_signed ? (s16)x : (u16)x;
    }
    return is_signed ? (s64)(s32)x : (s64)x;
}

static s64 clamp(s64 x, s64 low, s64 high)
{
    return x < low ? low : x > high ? high : x;
}
static s64 saturate(s64 x, unsigned bits, bool is_signed)
{
    const s64 span = (s64)1 << bits;
    return is_signed ? clamp(x, -(span / 2), span / 2 - 1) : clamp(x, 0, span - 1);
}

static s64 compare(unsigned relation, s64 a, s64 b)
{
    switch (relation) {
    case PTX_M_EQ:
        return a == b;
    case PTX_M_NE:
        return a != b;
    case PTX_M_LT:
    case PTX_M_LO:
        return a < b;
    case PTX_M_LE:
    case PTX_M_LS:
        return a <= b;
    case PTX_M_GT:
    case PTX_M_HI:
        return a > b;
    }
    return a >= b;
}

/* aux: 0 kind, 1 flags, 2 selector of a, 3 of b, 4 of d or second operation, 5 relation or scale */
static s64 basic(const struct emu_inst *i, s64 a, s64 b)
{
    const unsigned flags = i->aux[1];
    switch (i->aux[0]) {
    case V_ADD:
        return a + b;
    case V_SUB:
        return a - b;
    case V_ABSDIFF:
        return a > b ? a - b : b - a;
    case V_MIN:
        return a < b ? a : b;
    case V_MAX:
        return a > b ? a : b;
    case V_AVRG:
        return (a + b + (a + b >= 0)) >> 1;
    case V_SET:
        return compare(i->aux[5], a, b);
    case V_SHL: {
        const u32 n = flags & WRAP ? (u32)b & 31 : (u32)b > 32 ? 32 : (u32)b;
        return (s64)((u64)a << n);
    }
    case V_SHR: {
        const u32 n = flags & WRAP ? (u32)b & 31 : (u32)b > 32 ? 32 : (u32)b;
        return a >> n;
    }
    }
    return 0;
}

/* ---- one byte, half-word or word ---- */
static u32 merge(unsigned selector, s64 x, u32 c)
{
    switch (selector) {
    case PTX_M_B0:
    case PTX_M_B1:
    case PTX_M_B2:
    case PTX_M_B3: {
        const unsigned at = 8 * (selector - PTX_M_B0);
        return (c & ~(0xffu << at)) | ((u32)x & 0xff) << at;
    }
    case PTX_M_H0:
    case PTX_M_H1: {
        const unsigned at = 16 * (selector - PTX_M_H0);
        return (c & ~(0xffffu << at)) | ((u32)x & 0xffff) << at;
    }
    }
    return (u32)x;
}
static u32 second(unsigned op, bool is_signed, u32 x, u32 c)
{
    const bool less = is_signed ? (s32)x < (s32)c : x < c;
    switch (op) {
    case PTX_M_ADD:
        return x + c;
    case PTX_M_MIN:
        return less ? x : c;
    case PTX_M_MAX:
        return less ? c : x;
    }
    return x;
}
static unsigned part_bits(unsigned selector)
{
    return selector >= PTX_M_B0 && selector <= PTX_M_B3 ? 8 : selector == PTX_M_H0 || selector == PTX_M_H1 ? 16 : 32;
}
EMU_HANDLER(video_scalar)
{
    const u32 *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]);
    const u32 *c = i->n_src > 2 ? emu_src(w, &i->src[2]) : NULL;
    const unsigned flags = i->aux[1], to = i->aux[4];
    const bool merges = part_bits(to) != 32;
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++) {
        s64 x = basic(i, part(a[l], i->aux[2], flags & SIGNED_A), part(b[l], i->aux[3], flags & SIGNED_B));
        if (flags & SATURATE)
            x = saturate(x, part_bits(to), flags & SIGNED_D);
        const u32 z = c ? c[l] : 0;
        t[l] = merges ? merge(to, x, z) : c ? second(to, flags & SIGNED_D, (u32)x, z) : (u32)x;
    }
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

/* a * b + c, shifted right by imm; imm >> 8: 1 negates the product, 2 negates c. */
EMU_HANDLER(video_mad)
{
    const u32 *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]), *c = emu_src(w, &i->src[2]);
    const unsigned flags = i->aux[1], scale = (unsigned)i->imm & 0xff;
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++) {
        s128 x = (s128)part(a[l], i->aux[2], flags & SIGNED_A) * part(b[l], i->aux[3], flags & SIGNED_B);
        s128 z = flags & SIGNED_D ? (s128)(s32)c[l] : (s128)c[l];
        x = i->imm & 0x100 ? -x : x;
        z = i->imm & 0x200 ? -z : z;
        x = (x + z + (flags & PLUS_ONE ? 1 : 0)) >> scale;
        if (flags & SATURATE) {
            const s128 low = flags & SIGNED_D ? INT32_MIN : 0, high = flags & SIGNED_D ? INT32_MAX : UINT32_MAX;
            x = x < low ? low : x > high ? high : x;
        }
        t[l] = (u32)x;
    }
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

/* ---- two half-words or four bytes; imm = bits of one; aux[4] = PTX_M_ADD: sum of the results plus c ---- */
EMU_HANDLER(video_packed)
{
    const u32 *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]), *c = emu_src(w, &i->src[2]);
    const unsigned flags = i->aux[1], bits = (unsigned)i->imm;
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++) {
        u32 packed = 0, sum = c[l];
        for (unsigned at = 0; at < 32; at += bits) {
            const unsigned sel = bits == 8 ? PTX_M_B0 + at / 8 : PTX_M_H0 + at / 16;
            s64 x = basic(i, part(a[l], sel, flags & SIGNED_A), part(b[l], sel, flags & SIGNED_B));
            if (flags & SATURATE)
                x = saturate(x, bits, flags & SIGNED_D);
            packed |= ((u32)x & ((1u << bits) - 1)) << at;
            sum += (u32)x;
        }
        t[l] = i->aux[4] ? sum : packed;
    }
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

/* The one that compilers still emit, for sums of absolute differences. */
static inline u32 byte_difference(u32 a, u32 b, int at)
{
    const s32 d = (s32)(a >> at & 0xff) - (s32)(b >> at & 0xff);
    return (u32)(d < 0 ? -d : d);
}
EMU_OP3(vabsdiff4_u32_add, u32, u32, u32, u32,
        c + byte_difference(a, b, 0) + byte_difference(a, b, 8) + byte_difference(a, b, 16) + byte_difference(a, b, 24))

/* ---- selection ---- */
static int kind_of(u16 op, unsigned *bits)
{
    static const struct {
        u16 op;
        u8 kind, bits;
    } table[] = {
        {PTX_VADD, V_ADD, 32},  {PTX_VSUB, V_SUB, 32},   {PTX_VABSDIFF, V_ABSDIFF, 32}, {PTX_VMIN, V_MIN, 32},
        {PTX_VMAX, V_MAX, 32},  {PTX_VSHL, V_SHL, 32},   {PTX_VSHR, V_SHR, 32},         {PTX_VMAD, V_MAD, 32},
        {PTX_VSET, V_SET, 32},  {PTX_VADD2, V_ADD, 16},  {PTX_VSUB2, V_SUB, 16},        {PTX_VABSDIFF2, V_ABSDIFF, 16},
        {PTX_VMIN2, V_MIN, 16}, {PTX_VMAX2, V_MAX, 16},  {PTX_VAVRG2, V_AVRG, 16},      {PTX_VSET2, V_SET, 16},
        {PTX_VADD4, V_ADD, 8},  {PTX_VSUB4, V_SUB, 8},   {PTX_VABSDIFF4, V_ABSDIFF, 8}, {PTX_VMIN4, V_MIN, 8},
        {PTX_VMAX4, V_MAX, 8},  {PTX_VAVRG4, V_AVRG, 8}, {PTX_VSET4, V_SET, 8},
    };
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].op == op) {
            *bits = table[k].bits;
            return table[k].kind;
        }
    return -1;
}

int emu_sel_video(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static const u8 relations[] = {PTX_M_EQ, PTX_M_NE, PTX_M_LT, PTX_M_LE, PTX_M_GT,
                                   PTX_M_GE, PTX_M_LO, PTX_M_LS, PTX_M_HI, PTX_M_HS};
    static const u8 seconds[] = {PTX_M_ADD, PTX_M_MIN, PTX_M_MAX};
    static const u8 mods[] = {PTX_M_EQ,   PTX_M_NE,    PTX_M_LT,   PTX_M_LE,    PTX_M_GT,  PTX_M_GE,  PTX_M_LO,
                              PTX_M_LS,   PTX_M_HI,    PTX_M_HS,   PTX_M_SAT,   PTX_M_ADD, PTX_M_MIN, PTX_M_MAX,
                              PTX_M_WRAP, PTX_M_CLAMP, PTX_M_SHR7, PTX_M_SHR15, PTX_M_PO,  0};
    if (!emu_knows_mods(p, mods))
        return emu_no(why, "this video instruction has no such suffix");
    unsigned bits = 0;
    const int kind = kind_of(p->op, &bits);
    const bool is_set = kind == V_SET;
    if (kind < 0 || p->n_type != (is_set ? 2 : 3) || p->n_opnd < 3 || p->n_opnd > 4)
        return emu_no(why, "there is no such video instruction");
    const enum ptx_type d = is_set ? PTX_T_U32 : p->type[0], a = p->type[is_set ? 0 : 1], b = p->type[is_set ? 1 : 2];
    sel->aux[0] = (u8)kind;
    sel->aux[1] = (u8)((a == PTX_T_S32 ? SIGNED_A : 0) | (b == PTX_T_S32 ? SIGNED_B : 0) |
                       (d == PTX_T_S32 ? SIGNED_D : 0) | (ptx_has(p, PTX_M_SAT) ? SATURATE : 0) |
                       (ptx_has(p, PTX_M_WRAP) ? WRAP : 0) | (ptx_has(p, PTX_M_PO) ? PLUS_ONE : 0));
    sel->aux[2] = p->opnd[1].sel;
    sel->aux[3] = p->opnd[2].sel;
    sel->aux[4] = p->opnd[0].sel;
    for (unsigned k = 0; k < sizeof relations; k++)
        if (ptx_has(p, relations[k]))
            sel->aux[5] = relations[k];
    for (unsigned k = 0; k < sizeof seconds; k++)
        if (ptx_has(p, seconds[k]))
            sel->aux[4] = seconds[k];
    if (kind == V_MAD) {
        if (p->n_opnd != 4)
            return emu_no(why, "vmad takes three sources");
        sel->imm = ptx_has(p, PTX_M_SHR7) ? 7 : ptx_has(p, PTX_M_SHR15) ? 15 : 0;
        sel->imm |= (p->opnd[1].neg ^ p->opnd[2].neg ? 0x100u : 0) | (p->opnd[3].neg ? 0x200u : 0);
        emu_sig(sel, video_mad, "w>www", PTX_T_U32);
        return 0;
    }
    if (bits != 32) {
        if (p->n_opnd != 4)
            return emu_no(why, "packed video instructions take three sources");
        sel->imm = bits;
        const bool sum = kind == V_ABSDIFF && bits == 8 && sel->aux[1] == 0 && sel->aux[4] == PTX_M_ADD;
        emu_sig(sel, sum ? vabsdiff4_u32_add : video_packed, "w>www", PTX_T_U32);
        return 0;
    }
    emu_sig(sel, video_scalar, p->n_opnd == 4 ? "w>www" : "w>ww", PTX_T_U32);
    return 0;
}
