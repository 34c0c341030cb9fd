/*
 * mov: copies, and the packing and unpacking of vectors: {a, b} <-> a register as wide as all elements together.
 * PTX ISA 9.0, "Data Movement and Conversion Instructions: mov". Addresses and special registers arrive as ordinary
 * sources: decode.c puts them into a row.
 */
#include "emu/op_lane.h"

EMU_OP1(mov_16, u32, u32, (u16)a)
EMU_OP1(mov_32, u32, u32, a)
EMU_OP1(mov_64, u64, u64, a)
EMU_HANDLER(mov_pred)
{
    emu_dst_pred(w, &i->dst[0], mask, emu_src_pred(w, &i->src[0]));
}
EMU_HANDLER(mov_128)
{
    char *d = emu_dst(w, &i->dst[0]);
    const char *a = emu_src(w, &i->src[0]);
    for (int l = 0; l < EMU_LANES; l++)
        if (mask >> l & 1)
            memmove(d + 16 * l, a + 16 * l, 16);
}

/* Elements 0, 1, ... take bits from the lowest up. imm = bytes of an element. Lanes are little-endian bytes. */
EMU_HANDLER(mov_pack)
{
    const size_t bytes = i->imm, lane = i->dst[0].lane;
    u8 t[EMU_LANES * 16] = {0};
    for (unsigned k = 0; k < i->n_src; k++) {
        const u8 *a = emu_src(w, &i->src[k]);
        for (int l = 0; l < EMU_LANES; l++)
            memcpy(t + l * lane + k * bytes, a + l * i->src[k].lane, bytes);
    }
    u8 *d = emu_dst(w, &i->dst[0]);
    for (int l = 0; l < EMU_LANES; l++)
        if (mask >> l & 1)
            memcpy(d + l * lane, t + l * lane, lane);
}
EMU_HANDLER(mov_unpack)
{
    const size_t bytes = i->imm, lane = i->src[0].lane;
    u8 t[EMU_LANES * 16];
    memcpy(t, emu_src(w, &i->src[0]), EMU_LANES * lane);
    for (unsigned k = 0; k < i->n_dst; k++) {
        const size_t to = i->dst[k].lane;
        if (to == EMU_LANE_NONE)
            continue;
        u8 *d = emu_dst(w, &i->dst[k]);
        for (int l = 0; l < EMU_LANES; l++)
            if (mask >> l & 1) {
                u64 x = 0;
                memcpy(&x, t + l * lane + k * bytes, bytes);
                memcpy(d + l * to, &x, to);
            }
    }
}
/* The common pairs: two halves of a 32-bit or 64-bit register. */
EMU_OP2(mov_pack_16x2, u32, u32, u32, b << 16 | (u16)a)
EMU_HANDLER(mov_unpack_16x2)
{
    const u32 *a = emu_src(w, &i->src[0]);
    u32 lo[EMU_LANES], hi[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++) {
        lo[l] = a[l] & 0xffff;
        hi[l] = a[l] >> 16;
    }
    if (i->dst[0].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[0]), lo, mask, 4);
    if (i->dst[1].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[1]), hi, mask, 4);
}
EMU_OP2(mov_pack_32x2, u64, u32, u32, (u64)b << 32 | a)
EMU_HANDLER(mov_unpack_32x2)
{
    const u64 *a = emu_src(w, &i->src[0]);
    u32 lo[EMU_LANES], hi[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++) {
        lo[l] = (u32)a[l];
        hi[l] = (u32)(a[l] >> 32);
    }
    if (i->dst[0].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[0]), lo, mask, 4);
    if (i->dst[1].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[1]), hi, mask, 4);
}

static int sel_vector(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why, enum ptx_type t)
{
    const bool pack = p->opnd[1].kind == PTX_O_VEC;
    const struct ptx_opnd *vec = &p->opnd[pack ? 1 : 0];
    const unsigned whole = ptx_type_bytes(t), n = vec->n;
    if ((n != 2 && n != 4) || whole % n || (pack && p->opnd[0].kind == PTX_O_VEC))
        return emu_no(why, "mov packs two or four elements into one register of their total width");
    const unsigned each = whole / n;
    char element = each == 8 ? 'd' : 'w', *s = sel->sig, total = whole == 16 ? 'q' : whole == 8 ? 'd' : 'w';
    memset(sel->sig, 0, sizeof sel->sig);
    if (pack)
        *s++ = total;
    else
        for (unsigned k = 0; k < n; k++)
            *s++ = element;
    *s++ = '>';
    if (!pack)
        *s++ = total;
    else
        for (unsigned k = 0; k < n; k++)
            *s++ = element;
    const enum ptx_type each_type = each == 8 ? PTX_T_B64 : each == 4 ? PTX_T_B32 : each == 2 ? PTX_T_B16 : PTX_T_B8;
    memset(sel->src_type, pack ? each_type : t, sizeof sel->src_type);
    sel->imm = each;
    if (n == 2 && each == 4)
        sel->fn = pack ? mov_pack_32x2 : mov_unpack_32x2;
    else if (n == 2 && each == 2)
        sel->fn = pack ? mov_pack_16x2 : mov_unpack_16x2;
    else
        sel->fn = pack ? mov_pack : mov_unpack;
    return 0;
}

int emu_sel_mov(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum ptx_type t = p->n_type ? p->type[0] : PTX_T_NONE;
    if (p->op != PTX_MOV || p->n_opnd != 2 || p->n_mod)
        return emu_no(why, "mov takes one destination and one source");
    if (p->opnd[0].kind == PTX_O_VEC || p->opnd[1].kind == PTX_O_VEC)
        return sel_vector(p, sel, why, t);
    if (t == PTX_T_PRED) {
        emu_sig(sel, mov_pred, "p>p", t);
        return 0;
    }
    switch (ptx_type_bytes(t)) {
    case 2:
        emu_sig(sel, mov_16, "w>w", t);
        return 0;
    case 4:
        emu_sig(sel, mov_32, "w>w", t);
        return 0;
    case 8:
        emu_sig(sel, mov_64, "d>d", t);
        return 0;
    case 16:
        emu_sig(sel, mov_128, "q>q", t);
        return 0;
    }
    return emu_no(why, "mov takes .pred and 16- to 128-bit types");
}
