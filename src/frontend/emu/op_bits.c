/*
 * Bits: and or xor not cnot lop3 shl shr shf prmt, popc clz bfind fns brev bfe bfi bmsk szext, and the byte dot
 * products dp2a dp4a. PTX ISA 9.0, "Logic and Shift Instructions" and the bit part of "Integer Arithmetic".
 *
 * Shift counts are 32-bit whatever the shifted type, and clamp at the width.
 */
#include "emu/op_lane.h"

/* ---- logic ---- */
EMU_OP2(and_32, u32, u32, u32, a &b)
EMU_OP2(or_32, u32, u32, u32, a | b)
EMU_OP2(xor_32, u32, u32, u32, a ^ b)
EMU_OP2(and_64, u64, u64, u64, a &b)
EMU_OP2(or_64, u64, u64, u64, a | b)
EMU_OP2(xor_64, u64, u64, u64, a ^ b)
EMU_OP2(and_16, u32, u32, u32, (u16)(a &b))
EMU_OP2(or_16, u32, u32, u32, (u16)(a | b))
EMU_OP2(xor_16, u32, u32, u32, (u16)(a ^ b))
EMU_OP1(not_16, u32, u32, (u16)~a)
EMU_OP1(not_32, u32, u32, ~a)
EMU_OP1(not_64, u64, u64, ~a)
EMU_OP1(cnot_16, u32, u32, (u16)a == 0)
EMU_OP1(cnot_32, u32, u32, a == 0)
EMU_OP1(cnot_64, u64, u64, a == 0)

#define PRED2(name, EXPR)                                                                                              \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const u32 a = emu_src_pred(w, &i->src[0]), b = emu_src_pred(w, &i->src[1]);                                    \
        emu_dst_pred(w, &i->dst[0], mask, EXPR);                                                                       \
    }
PRED2(and_pred, a &b)
PRED2(or_pred, a | b)
PRED2(xor_pred, a ^ b)
EMU_HANDLER(not_pred)
{
    emu_dst_pred(w, &i->dst[0], mask, ~emu_src_pred(w, &i->src[0]));
}

/*
 * Any function of three bits: the eight rows of the truth table, chosen by c, then b, then a. imm = the table; aux[0]:
 * 0, or PTX_M_AND / PTX_M_OR with a predicate result (d != 0) op q.
 */
EMU_HANDLER(lop3_32)
{
#define ROW(k) const u32 r##k = i->imm >> k & 1 ? ~0u : 0
    ROW(0);
    ROW(1);
    ROW(2);
    ROW(3);
    ROW(4);
    ROW(5);
    ROW(6);
    ROW(7);
#undef ROW
    const u32 *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]), *pc = emu_src(w, &i->src[2]);
    u32 t[EMU_LANES], nonzero = 0;
    for (int l = 0; l < EMU_LANES; l++) {
        const u32 a = pa[l], b = pb[l], c = pc[l];
        const u32 c0 = (r0 & ~c) | (r1 & c), c1 = (r2 & ~c) | (r3 & c), c2 = (r4 & ~c) | (r5 & c),
                  c3 = (r6 & ~c) | (r7 & c);
        const u32 b0 = (c0 & ~b) | (c1 & b), b1 = (c2 & ~b) | (c3 & b);
        t[l] = (b0 & ~a) | (b1 & a);
    }
    const u32 q = i->aux[0] ? emu_src_pred(w, &i->src[4]) : 0;
    if (i->dst[0].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
    if (!i->aux[0])
        return;
    for (int l = 0; l < EMU_LANES; l++)
        nonzero |= t[l] ? emu_bit[l] : 0;
    emu_dst_pred(w, &i->dst[1], mask, i->aux[0] == PTX_M_AND ? nonzero & q : nonzero | q);
}

/* ---- shifts ---- */
EMU_OP2(shl_16, u32, u32, u32, b > 15 ? 0 : (u16)(a << (b & 15)))
EMU_OP2(shl_32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))
EMU_OP2(shl_64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))
EMU_OP2(shr_u16, u32, u32, u32, b > 15 ? 0 : (u32)(u16)a >> (b & 15))
EMU_OP2(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))
EMU_OP2(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))
EMU_OP2(shr_s16, u32, u32, u32, (u16)((s32)(s16)a >> (b > 15 ? 15 : b)))
EMU_OP2(shr_s32, u32, s32, u32, (u32)(a >> (b > 31 ? 31 : b)))
EMU_OP2(shr_s64, u64, s64, u32, (u64)(a >> (b > 63 ? 63 : b)))

ALWAYS_INLINE u64 funnel(u32 lo, u32 hi)
{
    return (u64)hi << 32 | lo;
}
ALWAYS_INLINE u32 clamp32(u32 n)
{
    return n > 32 ? 32 : n;
}
EMU_OP3(shf_l_wrap, u32, u32, u32, u32, (funnel(a, b) << (c & 31)) >> 32)
EMU_OP3(shf_l_clamp, u32, u32, u32, u32, (funnel(a, b) << clamp32(c)) >> 32)
EMU_OP3(shf_r_wrap, u32, u32, u32, u32, funnel(a, b) >> (c & 31))
EMU_OP3(shf_r_clamp, u32, u32, u32, u32, funnel(a, b) >> clamp32(c))

/* ---- prmt ---- */
ALWAYS_INLINE u32 prmt_byte(u64 bytes, u32 sel)
{
    const u32 b = (u32)(bytes >> (sel & 7) * 8) & 0xff;
    return sel & 8 ? (b & 0x80 ? 0xff : 0) : b;
}
ALWAYS_INLINE u32 prmt_of(u32 a, u32 b, u32 sel)
{
    const u64 bytes = funnel(a, b);
    return prmt_byte(bytes, sel) | prmt_byte(bytes, sel >> 4) << 8 | prmt_byte(bytes, sel >> 8) << 16 |
           prmt_byte(bytes, sel >> 12) << 24;
}
EMU_OP3(prmt_any, u32, u32, u32, u32, prmt_of(a, b, c))
/* The usual selector is a constant: then each byte has one source and one shift for all lanes. */
EMU_HANDLER(prmt_32)
{
    if (i->src[2].bank != EMU_BANK_POOL) {
        prmt_any(w, i, mask);
        return;
    }
    const u32 *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]), sel = *(const u32 *)emu_src(w, &i->src[2]);
    u32 t[EMU_LANES] = {0};
    for (unsigned k = 0; k < 4; k++) {
        const u32 nibble = sel >> 4 * k & 15, down = 8 * (nibble & 3), *from = nibble & 4 ? b : a;
        for (int l = 0; l < EMU_LANES; l++) {
            const u32 byte = from[l] >> down & 0xff;
            t[l] |= (nibble & 8 ? (0 - (byte >> 7)) & 0xff : byte) << 8 * k;
        }
    }
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}
/* The other modes are a table of selectors, by the two low bits of c. */
#define PRMT_MODE(name, S0, S1, S2, S3)                                                                                \
    static const u32 name##_sel[4] = {S0, S1, S2, S3};                                                                 \
    EMU_OP3(name, u32, u32, u32, u32, prmt_of(a, b, name##_sel[c & 3]))
PRMT_MODE(prmt_f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT_MODE(prmt_b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT_MODE(prmt_rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT_MODE(prmt_ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT_MODE(prmt_ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT_MODE(prmt_rc16, 0x1010, 0x3232, 0x1010, 0x3232)

/* ---- counting ---- */
ALWAYS_INLINE u32 popc_of(u32 x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101u >> 24;
}
/* The exponent of x as a double tells its highest bit; 2^52 + x - 2^52 converts in vector code. */
ALWAYS_INLINE u32 clz_of(u32 x)
{
    const u64 u = emu_f64_bits(emu_f64(0x4330000000000000 | x) - 0x1p52);
    return x ? 1054 - (u32)(u >> 52) : 32;
}
ALWAYS_INLINE u32 clz64_of(u64 x)
{
    const u32 hi = (u32)(x >> 32), above = clz_of(hi), below = 32 + clz_of((u32)x);
    return hi ? above : below;
}
EMU_OP1(popc_32, u32, u32, popc_of(a))
EMU_OP1(popc_64, u32, u64, popc_of((u32)a) + popc_of((u32)(a >> 32)))
EMU_OP1(clz_32, u32, u32, clz_of(a))
EMU_OP1(clz_64, u32, u64, clz64_of(a))

/* Position of the highest bit that differs from the sign (all ones: none); .shiftamt: the shift that brings it up. */
EMU_OP1(bfind_u32, u32, u32, 31 - clz_of(a))
EMU_OP1(bfind_s32, u32, s32, 31 - clz_of((u32)(a ^ a >> 31)))
EMU_OP1(bfind_u64, u32, u64, 63 - clz64_of(a))
EMU_OP1(bfind_s64, u32, s64, 63 - clz64_of((u64)(a ^ a >> 63)))
EMU_OP1(bfind_shiftamt_u32, u32, u32, a ? clz_of(a) : ~0u)
EMU_OP1(bfind_shiftamt_s32, u32, s32, a ^ a >> 31 ? clz_of((u32)(a ^ a >> 31)) : ~0u)
EMU_OP1(bfind_shiftamt_u64, u32, u64, a ? clz64_of(a) : ~0u)
EMU_OP1(bfind_shiftamt_s64, u32, s64, a ^ a >> 63 ? clz64_of((u64)(a ^ a >> 63)) : ~0u)

/* The offset-th set bit at or above (offset > 0) or at or below (offset < 0) base; offset 0 asks for base itself. */
ALWAYS_INLINE u32 fns_of(u32 bits, u32 base, s32 offset)
{
    if (base > 31)
        return ~0u;
    if (offset == INT32_MIN) /* what the GPU's code sequence makes of it */
        return 0;
    if (offset == 0)
        return bits >> base & 1 ? base : ~0u;
    const s32 step = offset > 0 ? 1 : -1;
    u32 left = offset > 0 ? (u32)offset : 0 - (u32)offset;
    for (s32 pos = (s32)base; pos >= 0 && pos < 32; pos += step)
        if (bits >> pos & 1 && --left == 0)
            return (u32)pos;
    return ~0u;
}
EMU_OP3(fns_32, u32, u32, u32, s32, fns_of(a, b, c))

/* ---- bit fields ---- */
ALWAYS_INLINE u32 brev_of(u32 x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}
EMU_OP1(brev_32, u32, u32, brev_of(a))
EMU_OP1(brev_64, u64, u64, funnel(brev_of((u32)(a >> 32)), brev_of((u32)a)))

ALWAYS_INLINE u64 low_ones(u32 n)
{
    return n > 63 ? ~0ull : (1ull << (n & 63)) - 1;
}
ALWAYS_INLINE u32 low_ones32(u32 n)
{
    return n > 31 ? ~0u : (1u << (n & 31)) - 1;
}
/* Positions and lengths: of a 32-bit field the low 8 bits count, of a 64-bit one all (PTX allows 0..255 only). */
ALWAYS_INLINE u64 bfe_u(u64 a, u32 pos, u32 len)
{
    return (pos > 63 ? 0 : a >> (pos & 63)) & low_ones(len);
}
/* Bits beyond the top are copies of the sign; a field of length 0 is 0. a is already sign-extended. */
ALWAYS_INLINE u64 bfe_s(s64 a, u32 pos, u32 len)
{
    const s64 field = a >> (pos > 63 ? 63 : pos);
    if (len == 0)
        return 0;
    const u32 up = len > 63 ? 0 : 64 - len;
    return (u64)((s64)((u64)field << up) >> up);
}
ALWAYS_INLINE u32 bfe_u_32(u32 a, u32 pos, u32 len)
{
    return (pos > 31 ? 0 : a >> (pos & 31)) & low_ones32(len);
}
EMU_OP3(bfe_u32, u32, u32, u32, u32, bfe_u_32(a, b & 0xff, c & 0xff))
EMU_OP3(bfe_s32, u32, s32, u32, u32, bfe_s(a, b & 0xff, c & 0xff))
EMU_OP3(bfe_u64, u64, u64, u32, u32, bfe_u(a, b, c))
EMU_OP3(bfe_s64, u64, s64, u32, u32, bfe_s(a, b, c))

ALWAYS_INLINE u64 bfi_64_of(u64 a, u64 b, u32 pos, u32 len)
{
    const u64 m = pos > 63 ? 0 : low_ones(len) << (pos & 63);
    return (a << (pos & 63) & m) | (b & ~m);
}
ALWAYS_INLINE u32 bfi_32_of(u32 a, u32 b, u32 pos, u32 len)
{
    const u32 m = (pos & 0xff) > 31 ? 0 : low_ones32(len & 0xff) << (pos & 31);
    return (a << (pos & 31) & m) | (b & ~m);
}
#define BFI(name, T)                                                                                                   \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const T *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]);                                              \
        const u32 *c = emu_src(w, &i->src[2]), *e = emu_src(w, &i->src[3]);                                            \
        T t[EMU_LANES];                                                                                                \
        for (int l = 0; l < EMU_LANES; l++)                                                                            \
            t[l] = name##_of(a[l], b[l], c[l], e[l]);                                                                  \
        emu_store_row(emu_dst(w, &i->dst[0]), t, mask, sizeof(T));                                                     \
    }
BFI(bfi_32, u32)
BFI(bfi_64, u64)

/* b ones from bit a up. clamp: counts above 32 act as 32; wrap: both modulo 32. */
EMU_OP2(bmsk_clamp, u32, u32, u32, a > 31 ? 0 : low_ones32(b) << (a & 31))
EMU_OP2(bmsk_wrap, u32, u32, u32, low_ones32(b & 31) << (a & 31))

/* Sign- or zero-extension from the low b bits. */
ALWAYS_INLINE u32 szext_of(u32 a, u32 n, bool is_signed)
{
    if (n > 31)
        return a;
    const u32 low = a & (u32)low_ones(n);
    return is_signed && n && low >> (n - 1) & 1 ? low | ~(u32)low_ones(n) : low;
}
EMU_OP2(szext_clamp_u32, u32, u32, u32, szext_of(a, b, false))
EMU_OP2(szext_clamp_s32, u32, u32, u32, szext_of(a, b, true))
EMU_OP2(szext_wrap_u32, u32, u32, u32, szext_of(a, b & 31, false))
EMU_OP2(szext_wrap_s32, u32, u32, u32, szext_of(a, b & 31, true))

/* ---- byte dot products ---- */
ALWAYS_INLINE u32 byte_of(u32 x, int k, bool is_signed)
{
    return is_signed ? (u32)(s32)(s8)(x >> 8 * k) : (u8)(x >> 8 * k);
}
ALWAYS_INLINE u32 half_of(u32 x, int k, bool is_signed)
{
    return is_signed ? (u32)(s32)(s16)(x >> 16 * k) : (u16)(x >> 16 * k);
}
ALWAYS_INLINE u32 dp4a_of(u32 a, u32 b, u32 c, bool sa, bool sb)
{
    for (int k = 0; k < 4; k++)
        c += byte_of(a, k, sa) * byte_of(b, k, sb);
    return c;
}
ALWAYS_INLINE u32 dp2a_of(u32 a, u32 b, u32 c, bool sa, bool sb)
{
    return c + half_of(a, 0, sa) * byte_of(b, 0, sb) + half_of(a, 1, sa) * byte_of(b, 1, sb);
}
#define DOT(SUFFIX, SA, SB)                                                                                            \
    EMU_OP3(dp4a_##SUFFIX, u32, u32, u32, u32, dp4a_of(a, b, c, SA, SB))                                               \
    EMU_OP3(dp2a_lo_##SUFFIX, u32, u32, u32, u32, dp2a_of(a, b, c, SA, SB))                                            \
    EMU_OP3(dp2a_hi_##SUFFIX, u32, u32, u32, u32, dp2a_of(a, b >> 16, c, SA, SB))
DOT(uu, false, false)
DOT(us, false, true)
DOT(su, true, false)
DOT(ss, true, true)

/* ---- selection ---- */
static int sel_logic(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why, enum ptx_type t)
{
    static emu_op_fn *const table[5][4] = {/* 16, 32, 64, pred */
                                           {and_16, and_32, and_64, and_pred},
                                           {or_16, or_32, or_64, or_pred},
                                           {xor_16, xor_32, xor_64, xor_pred},
                                           {not_16, not_32, not_64, not_pred},
                                           {cnot_16, cnot_32, cnot_64, NULL}};
    const int row = p->op == PTX_AND ? 0 : p->op == PTX_OR ? 1 : p->op == PTX_XOR ? 2 : p->op == PTX_NOT ? 3 : 4;
    const int col = t == PTX_T_B16 ? 0 : t == PTX_T_B32 ? 1 : t == PTX_T_B64 ? 2 : t == PTX_T_PRED ? 3 : -1;
    if (col < 0 || !table[row][col])
        return emu_no(why, "bitwise instructions take .pred, .b16, .b32 or .b64");
    if (col == 3)
        emu_sig(sel, table[row][col], row < 3 ? "p>pp" : "p>p", t);
    else
        emu_sig_x(sel, table[row][col], row < 3 ? "x>xx" : "x>x", t);
    return 0;
}

static int sel_lop3(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const bool combine = ptx_has(p, PTX_M_AND) || ptx_has(p, PTX_M_OR);
    if (p->n_opnd < 5 || p->opnd[4].kind != PTX_O_IMM)
        return emu_no(why, "the truth table of lop3 must be a constant");
    emu_sig(sel, lop3_32, combine ? "wp>wwwwp" : "w>wwww", PTX_T_B32);
    sel->imm = (u64)p->opnd[4].imm & 0xff;
    sel->aux[0] = ptx_has(p, PTX_M_AND) ? PTX_M_AND : combine ? PTX_M_OR : 0;
    return 0;
}

static int sel_shift(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why, enum ptx_type t)
{
    const unsigned bytes = ptx_type_bytes(t);
    const bool is_signed = t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64;
    emu_op_fn *fn = NULL;
    if (p->op == PTX_SHL)
        fn = bytes == 2 ? shl_16 : bytes == 4 ? shl_32 : bytes == 8 ? shl_64 : NULL;
    else if (is_signed)
        fn = bytes == 2 ? shr_s16 : bytes == 4 ? shr_s32 : shr_s64;
    else
        fn = bytes == 2 ? shr_u16 : bytes == 4 ? shr_u32 : bytes == 8 ? shr_u64 : NULL;
    if (!fn)
        return emu_no(why, "shifts take 16-, 32- and 64-bit types");
    emu_sig_x(sel, fn, "x>xw", t);
    sel->src_type[1] = PTX_T_U32;
    return 0;
}

static int sel_prmt(const struct ptx_inst *p, struct emu_op_sel *sel)
{
    emu_op_fn *fn = ptx_has(p, PTX_M_F4E)    ? prmt_f4e
                    : ptx_has(p, PTX_M_B4E)  ? prmt_b4e
                    : ptx_has(p, PTX_M_RC8)  ? prmt_rc8
                    : ptx_has(p, PTX_M_ECL)  ? prmt_ecl
                    : ptx_has(p, PTX_M_ECR)  ? prmt_ecr
                    : ptx_has(p, PTX_M_RC16) ? prmt_rc16
                                             : prmt_32;
    emu_sig(sel, fn, "w>www", PTX_T_B32);
    return 0;
}

static int sel_dot(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static emu_op_fn *const table[3][2][2] = {
        {{dp4a_uu, dp4a_us}, {dp4a_su, dp4a_ss}},
        {{dp2a_lo_uu, dp2a_lo_us}, {dp2a_lo_su, dp2a_lo_ss}},
        {{dp2a_hi_uu, dp2a_hi_us}, {dp2a_hi_su, dp2a_hi_ss}},
    };
    if (p->n_type != 2)
        return emu_no(why, "a dot product names the types of both sources");
    const int row = p->op == PTX_DP4A ? 0 : ptx_has(p, PTX_M_HI) ? 2 : 1;
    emu_sig(sel, table[row][p->type[0] == PTX_T_S32][p->type[1] == PTX_T_S32], "w>www", PTX_T_B32);
    return 0;
}

int emu_sel_bits(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum ptx_type t = p->n_type ? p->type[0] : PTX_T_NONE;
    const bool wide = ptx_type_bytes(t) == 8, is_signed = t == PTX_T_S32 || t == PTX_T_S64;
    const bool clamp = ptx_has(p, PTX_M_CLAMP), shiftamt = ptx_has(p, PTX_M_SHIFTAMT);
    static const u8 mods[] = {PTX_M_AND,      PTX_M_OR,  PTX_M_L,   PTX_M_R,   PTX_M_WRAP, PTX_M_CLAMP,
                              PTX_M_SHIFTAMT, PTX_M_F4E, PTX_M_B4E, PTX_M_RC8, PTX_M_ECL,  PTX_M_ECR,
                              PTX_M_RC16,     PTX_M_LO,  PTX_M_HI,  0};
    if (!emu_knows_mods(p, mods))
        return emu_no(why, "this bit instruction has no such suffix");
    if (p->op != PTX_AND && p->op != PTX_OR && p->op != PTX_XOR && p->op != PTX_NOT && p->op != PTX_CNOT &&
        p->op != PTX_SHL && p->op != PTX_SHR && ptx_type_bytes(t) != 4 && !wide)
        return emu_no(why, "this bit instruction takes 32- and 64-bit types");
    switch (p->op) {
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_NOT:
    case PTX_CNOT:
        return sel_logic(p, sel, why, t);
    case PTX_LOP3:
        return sel_lop3(p, sel, why);
    case PTX_SHL:
    case PTX_SHR:
        return sel_shift(p, sel, why, t);
    case PTX_SHF:
        if (ptx_has(p, PTX_M_L))
            emu_sig(sel, clamp ? shf_l_clamp : shf_l_wrap, "w>www", PTX_T_B32);
        else
            emu_sig(sel, clamp ? shf_r_clamp : shf_r_wrap, "w>www", PTX_T_B32);
        return 0;
    case PTX_PRMT:
        return sel_prmt(p, sel);
    case PTX_POPC:
        emu_sig(sel, wide ? popc_64 : popc_32, wide ? "w>d" : "w>w", t);
        return 0;
    case PTX_CLZ:
        emu_sig(sel, wide ? clz_64 : clz_32, wide ? "w>d" : "w>w", t);
        return 0;
    case PTX_BFIND: {
        static emu_op_fn *const table[2][2][2] = {
            {{bfind_u32, bfind_s32}, {bfind_u64, bfind_s64}},
            {{bfind_shiftamt_u32, bfind_shiftamt_s32}, {bfind_shiftamt_u64, bfind_shiftamt_s64}}};
        emu_sig(sel, table[shiftamt][wide][is_signed], wide ? "w>d" : "w>w", t);
        return 0;
    }
    case PTX_FNS:
        emu_sig(sel, fns_32, "w>www", PTX_T_B32);
        return 0;
    case PTX_BREV:
        emu_sig_x(sel, wide ? brev_64 : brev_32, "x>x", t);
        return 0;
    case PTX_BFE:
        emu_sig_x(sel, wide ? (is_signed ? bfe_s64 : bfe_u64) : (is_signed ? bfe_s32 : bfe_u32), "x>xww", t);
        sel->src_type[1] = sel->src_type[2] = PTX_T_U32;
        return 0;
    case PTX_BFI:
        emu_sig_x(sel, wide ? bfi_64 : bfi_32, "x>xxww", t);
        sel->src_type[2] = sel->src_type[3] = PTX_T_U32;
        return 0;
    case PTX_BMSK:
        emu_sig(sel, clamp ? bmsk_clamp : bmsk_wrap, "w>ww", PTX_T_B32);
        return 0;
    case PTX_SZEXT:
        emu_sig(sel,
                clamp ? (is_signed ? szext_clamp_s32 : szext_clamp_u32) : (is_signed ? szext_wrap_s32 : szext_wrap_u32),
                "w>ww", PTX_T_U32);
        return 0;
    case PTX_DP4A:
    case PTX_DP2A:
        return sel_dot(p, sel, why);
    }
    return emu_no(why, "there is no such bit instruction");
}
