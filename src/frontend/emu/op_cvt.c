/*
 * cvt: conversions among integers and all floating-point formats. PTX ISA 9.0, "Data Movement and Conversion
 * Instructions: cvt".
 *
 * The destination register may be wider than the type (the value is sign- or zero-extended to it) and the source
 * register too (its low part is taken). One general handler converts lane by lane through op_soft.h; the conversions
 * that real programs are full of have vector handlers, used when the registers have their types' width.
 */
#include "emu/op_float.h"
#include "emu/op_soft.h"

#include <math.h>

enum { FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_RELU = 4, FLAG_INTEGRAL = 8, FLAG_SATFINITE = 16 };
/* aux: 0 destination type, 1 source type, 2 rounding (enum soft_round), 3 flags */

static bool is_signed_int(enum ptx_type t)
{
    return t == PTX_T_S8 || t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64;
}
static bool is_int(enum ptx_type t)
{
    return is_signed_int(t) || t == PTX_T_U8 || t == PTX_T_U16 || t == PTX_T_U32 || t == PTX_T_U64;
}
static const struct soft_format *format_of(enum ptx_type t)
{
    switch (t) {
    case PTX_T_F16:
        return &soft_f16;
    case PTX_T_BF16:
        return &soft_bf16;
    case PTX_T_TF32:
        return &soft_tf32;
    case PTX_T_F32:
        return &soft_f32;
    case PTX_T_F64:
        return &soft_f64;
    case PTX_T_E4M3:
        return &soft_e4m3;
    case PTX_T_E5M2:
        return &soft_e5m2;
    default:
        return NULL;
    }
}

static u64 extend(u64 x, unsigned bytes, bool is_signed)
{
    if (bytes >= 8)
        return x;
    const unsigned up = 64 - 8 * bytes;
    return is_signed ? (u64)((s64)(x << up) >> up) : x << up >> up;
}

/* ---- one value; the result is extended to 64 bits as its type says ---- */
static u64 int_to_int(enum ptx_type dst, enum ptx_type src, u64 x, unsigned flags)
{
    const unsigned bytes = ptx_type_bytes(dst);
    if (flags & FLAG_SAT) {
        const bool negative = is_signed_int(src) && (s64)x < 0;
        const u64 max = is_signed_int(dst) ? ~0ull >> (65 - 8 * bytes) : ~0ull >> (64 - 8 * bytes);
        if (negative)
            x = !is_signed_int(dst) ? 0 : (s64)x < -(s64)max - 1 ? ~max : x;
        else
            x = x > max ? max : x;
    }
    return extend(x, bytes, is_signed_int(dst));
}

static u64 float_to_int(enum ptx_type dst, struct soft x, enum soft_round mode, unsigned flags, bool from_f64)
{
    const unsigned bytes = ptx_type_bytes(dst);
    const bool is_signed = is_signed_int(dst);
    const u64 max = is_signed ? ~0ull >> (65 - 8 * bytes) : ~0ull >> (64 - 8 * bytes);
    const u64 low = is_signed ? ~max : 0; /* sign-extended minimum */
    if (x.class == SOFT_NAN)
        return bytes == 8 || from_f64 ? extend(1ull << (8 * bytes - 1), bytes, is_signed) : 0;
    if (x.class == SOFT_FINITE && x.subnormal && flags & FLAG_FTZ)
        return 0;
    if (x.class == SOFT_ZERO)
        return 0;
    if (x.class == SOFT_INF || x.exponent + soft_top_bit(x.significand) >= 64)
        return x.negative ? low : max;
    u64 q;
    if (x.exponent >= 0)
        q = x.significand << x.exponent;
    else
        q = soft_shift_round(x.significand, -x.exponent, x.negative, mode);
    if (x.negative)
        return is_signed ? (q > max + 1 ? low : 0 - q) : 0;
    return q > max ? max : q;
}

/* Subnormal after rounding to 24 bits with an unbounded exponent; see f32_flush_small. */
static bool flushes(struct soft x, u64 r, enum soft_round mode)
{
    if ((r & 0x7fffffff) < 0x00800000)
        return true;
    if (x.class != SOFT_FINITE || (r & 0x7fffffff) > 0x00800000)
        return false;
    const s32 e = x.exponent + soft_top_bit(x.significand);
    return e < -126 && soft_shift_round(x.significand, e - 23 - x.exponent, x.negative, mode) < 1u << 24;
}

static u64 to_float(const struct soft_format *f, struct soft x, enum soft_round mode, unsigned flags)
{
    const u64 sign = 1ull << (f->fraction_bits + f->exponent_bits + f->low_zeros);
    if (flags & FLAG_SAT) { /* [0, 1], NaN to +0 */
        if (x.class == SOFT_NAN || x.negative)
            return 0;
        if (x.class == SOFT_INF)
            x = (struct soft){.class = SOFT_FINITE, .significand = 1};
    }
    u64 r = soft_pack(f, x, mode, flags & FLAG_SATFINITE);
    if (flags & FLAG_SAT) {
        const u64 one = (u64)soft_bias(f) << f->fraction_bits << f->low_zeros;
        r = r > one ? one : r;
    }
    if (flags & FLAG_RELU && x.class != SOFT_NAN && r & sign)
        r = 0;
    if (flags & FLAG_FTZ && f == &soft_f32 && flushes(x, r, mode))
        r &= 0x80000000;
    return r;
}

/*
 * What becomes of a NaN differs by pair of formats (observed): f64 on either side keeps sign and payload, quiet; a copy
 * and bf16 -> f32 keep the bits; .rna.tf32 keeps the bits that fit; the others write the canonical NaN.
 */
static u64 convert_nan(enum ptx_type dst, enum ptx_type src, struct soft v, u64 x, enum soft_round mode, unsigned flags)
{
    const struct soft_format *to = format_of(dst);
    if (dst == src && !flags && dst != PTX_T_F16)
        return x;
    if (flags & FLAG_FTZ && dst == PTX_T_F64)
        return soft_pack_nan(to, soft_unpack(&soft_f32, F32_NAN));
    if (dst == PTX_T_F64 || src == PTX_T_F64)
        return soft_pack_nan(to, v);
    if (dst == PTX_T_F32 && src == PTX_T_BF16 && !flags)
        return x << 16;
    if (dst == PTX_T_TF32 && mode == SOFT_RNA)
        return x & 0xffffe000;
    return soft_pack(to, v, mode, flags & FLAG_SATFINITE);
}

static u64 convert(enum ptx_type dst, enum ptx_type src, u64 x, enum soft_round mode, unsigned flags)
{
    const struct soft_format *from = format_of(src), *to = format_of(dst);
    if (!from) {
        x = extend(x, ptx_type_bytes(src), is_signed_int(src));
        return to ? to_float(to, soft_from_int(x, is_signed_int(src)), mode, flags) : int_to_int(dst, src, x, flags);
    }
    x = extend(x, ptx_type_bytes(src), false);
    struct soft v = soft_unpack(from, x);
    if (!to)
        return float_to_int(dst, v, mode, src == PTX_T_F32 ? flags : flags & ~(unsigned)FLAG_FTZ, src == PTX_T_F64);
    if (v.class == SOFT_NAN && !(flags & FLAG_SAT))
        return convert_nan(dst, src, v, x, mode, flags);
    /* A flush needs a destination that could hold the subnormal: conversions to 16 bits ignore it. */
    if (flags & FLAG_FTZ && src == PTX_T_F32 && v.subnormal && ptx_type_bytes(dst) > 2)
        v.class = SOFT_ZERO;
    if (flags & FLAG_INTEGRAL)
        v = soft_to_integral(v, mode);
    return to_float(to, v, mode, flags);
}

/* ---- rows ---- */
static u64 load_lane(const void *row, unsigned lane, int l)
{
    return lane == 8 ? ((const u64 *)row)[l] : ((const u32 *)row)[l];
}
static void store_lane(const struct emu_opnd *o, void *row, int l, u64 x)
{
    if (o->lane == 8)
        ((u64 *)row)[l] = x;
    else
        ((u32 *)row)[l] = (u32)extend(x, ptx_type_bytes(o->type), false);
}
EMU_HANDLER(cvt_general)
{
    const void *a = emu_src(w, &i->src[0]);
    u64 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = convert(i->aux[0], i->aux[1], load_lane(a, i->src[0].lane, l), i->aux[2], i->aux[3]);
    void *d = emu_dst(w, &i->dst[0]);
    for (int l = 0; l < EMU_LANES; l++)
        if (mask >> l & 1)
            store_lane(&i->dst[0], d, l, t[l]);
}
/* Two sources into a packed pair: the first becomes the high half. imm = bits of a half. */
EMU_HANDLER(cvt_pack)
{
    const u32 *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]);
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = (u32)convert(i->aux[0], i->aux[1], a[l], i->aux[2], i->aux[3]) << i->imm |
               (u32)convert(i->aux[0], i->aux[1], b[l], i->aux[2], i->aux[3]);
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}
/* Packed pair to packed pair; imm = bits of a source half, aux[4] = bits of a destination half. */
EMU_HANDLER(cvt_pairs)
{
    const u32 *a = emu_src(w, &i->src[0]);
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = (u32)convert(i->aux[0], i->aux[1], a[l] >> i->imm, i->aux[2], i->aux[3]) << i->aux[4] |
               (u32)convert(i->aux[0], i->aux[1], a[l] & ((1u << i->imm) - 1), i->aux[2], i->aux[3]);
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

/*
 * ---- the hot ones ----
 * FAST makes name (for the widths it is meant for; others go to cvt_general) from the value of one lane. DB, SB: bytes
 * of the destination and source types.
 */
#define FAST(name, DB, SB, TD, TA, ...)                                                                                \
    EMU_OP1(name##_exact, TD, TA, __VA_ARGS__)                                                                         \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        if (ptx_type_bytes(i->dst[0].type) == (DB) && ptx_type_bytes(i->src[0].type) >= (SB) &&                        \
            i->src[0].lane == sizeof(TA))                                                                              \
            name##_exact(w, i, mask);                                                                                  \
        else                                                                                                           \
            cvt_general(w, i, mask);                                                                                   \
    }
/* Integers. */
FAST(cvt_64_s32, 8, 4, u64, s32, (u64)(s64)a)
FAST(cvt_64_u32, 8, 4, u64, u32, a)
FAST(cvt_64_s16, 8, 2, u64, u32, (u64)(s64)(s16)a)
FAST(cvt_64_u16, 8, 2, u64, u32, (u16)a)
FAST(cvt_32_64, 4, 8, u32, u64, (u32)a)
FAST(cvt_16_32, 2, 4, u32, u32, (u16)a)
FAST(cvt_16_64, 2, 8, u32, u64, (u16)a)
FAST(cvt_32_u16, 4, 2, u32, u32, (u16)a)
FAST(cvt_32_s16, 4, 2, u32, u32, (u32)(s32)(s16)a)
FAST(cvt_32_u8, 4, 1, u32, u32, (u8)a)
FAST(cvt_32_s8, 4, 1, u32, u32, (u32)(s32)(s8)a)
FAST(cvt_16_u8, 2, 1, u32, u32, (u8)a)
FAST(cvt_16_s8, 2, 1, u32, u32, (u16)(s8)a)

/* Integers to floats, nearest even. 2^52 + x has x in its low bits: exact, and vector units can do it. */
ALWAYS_INLINE f64 f64_of_u32(u32 x)
{
    return emu_f64(0x4330000000000000 | x) - 0x1p52;
}
FAST(cvt_rn_f32_s32, 4, 4, f32, s32, (f32)a)
FAST(cvt_rn_f32_u32, 4, 4, f32, u32, (f32)f64_of_u32(a))
FAST(cvt_rn_f32_s16, 4, 2, f32, u32, (f32)(s32)(s16)a)
FAST(cvt_rn_f32_u16, 4, 2, f32, u32, (f32)(s32)(u16)a)
FAST(cvt_rn_f32_s8, 4, 1, f32, u32, (f32)(s32)(s8)a)
FAST(cvt_rn_f32_u8, 4, 1, f32, u32, (f32)(s32)(u8)a)
FAST(cvt_rn_f64_s32, 8, 4, f64, s32, (f64)a)
FAST(cvt_rn_f64_u32, 8, 4, f64, u32, f64_of_u32(a))
FAST(cvt_rn_f64_s64, 8, 8, f64, s64, (f64)a)
FAST(cvt_rn_f64_u64, 8, 8, f64, u64, (f64)a)
FAST(cvt_rn_f32_s64, 4, 8, f32, s64, (f32)a)
FAST(cvt_rn_f32_u64, 4, 8, f32, u64, (f32)a)

/* Rounding to integral values: adding the number whose last place is 1 rounds to nearest; then corrected. */
#define ROUND_TO_INTEGRAL(T, LIMIT, ABS, COPYSIGN, SUFFIX)                                                             \
    ALWAYS_INLINE T rni_##SUFFIX(T x)                                                                                  \
    {                                                                                                                  \
        const T m = ABS(x), r = m < (LIMIT) ? (m + (LIMIT)) - (LIMIT) : m;                                             \
        return COPYSIGN(r, x);                                                                                         \
    }                                                                                                                  \
    ALWAYS_INLINE T rzi_##SUFFIX(T x)                                                                                  \
    {                                                                                                                  \
        const T m = ABS(x), r = m < (LIMIT) ? (m + (LIMIT)) - (LIMIT) : m;                                             \
        return COPYSIGN(r > m ? r - 1 : r, x);                                                                         \
    }                                                                                                                  \
    ALWAYS_INLINE T rmi_##SUFFIX(T x)                                                                                  \
    {                                                                                                                  \
        const T r = rni_##SUFFIX(x);                                                                                   \
        return r > x ? r - 1 : r;                                                                                      \
    }                                                                                                                  \
    ALWAYS_INLINE T rpi_##SUFFIX(T x)                                                                                  \
    {                                                                                                                  \
        const T r = rni_##SUFFIX(x);                                                                                   \
        return COPYSIGN(r < x ? r + 1 : r, x);                                                                         \
    }
ROUND_TO_INTEGRAL(f32, 0x1p23f, fabsf, copysignf, f32)
ROUND_TO_INTEGRAL(f64, 0x1p52, fabs, copysign, f64)

/* x is integral (or infinite or NaN): saturates; a NaN becomes 0 from f32 and the smallest number from f64. */
ALWAYS_INLINE s32 s32_of_f32(f32 x)
{
    const bool in = x > -0x1p31f && x < 0x1p31f;
    const s32 r = (s32)(in ? x : 0);
    return x >= 0x1p31f ? INT32_MAX : x <= -0x1p31f ? INT32_MIN : r;
}
ALWAYS_INLINE u32 u32_of_f32(f32 x)
{
    const bool high = x >= 0x1p31f;
    const f32 low = high ? x - 0x1p31f : x;
    const u32 r = (u32)(s32)(low >= 0 && low < 0x1p31f ? low : 0) + (high ? 0x80000000 : 0);
    return x >= 0x1p32f ? UINT32_MAX : r;
}
ALWAYS_INLINE s32 s32_of_f64(f64 x)
{
    const bool in = x > -0x1p31 && x < 0x1p31;
    const s32 r = (s32)(in ? x : 0);
    return x >= 0x1p31 ? INT32_MAX : x > -0x1p31 ? r : INT32_MIN;
}
#define FROM_F32(mode)                                                                                                 \
    FAST(cvt_##mode##_s32_f32, 4, 4, s32, f32, s32_of_f32(mode##_f32(a)))                                              \
    FAST(cvt_##mode##_u32_f32, 4, 4, u32, f32, u32_of_f32(mode##_f32(a)))                                              \
    FAST(cvt_##mode##_s32_f64, 4, 8, s32, f64, s32_of_f64(mode##_f64(a)))                                              \
    FAST(cvt_##mode##_f32_f32, 4, 4, f32, f32, f32_canon(mode##_f32(a)))                                               \
    FAST(cvt_##mode##_f64_f64, 8, 8, f64, f64, a == a ? mode##_f64(a) : f64_quiet(a))
FROM_F32(rni)
FROM_F32(rzi)
FROM_F32(rmi)
FROM_F32(rpi)

/* Floats. The host's own conversion between f32 and f64 treats NaNs as the GPU's does. */
FAST(cvt_f64_f32, 8, 4, f64, f32, (f64)a)
FAST(cvt_rn_f32_f64, 4, 8, f32, f64, (f32)a)
FAST(cvt_sat_f32_f32, 4, 4, f32, f32, f32_saturate(a))
FAST(cvt_rn_f16_f32, 2, 4, u32, f32, f16_of_f32(a))
FAST(cvt_f32_f16, 4, 2, f32, u32, f32_canon(f32_of_f16((u16)a)))
FAST(cvt_rn_bf16_f32, 2, 4, u32, f32, bf16_of_f32(a))
FAST(cvt_f32_bf16, 4, 2, u32, u32, a << 16)
EMU_OP2(cvt_rn_f16x2_f32, u32, f32, f32, f16_of_f32(a) << 16 | f16_of_f32(b))
EMU_OP2(cvt_rn_bf16x2_f32, u32, f32, f32, bf16_of_f32(a) << 16 | bf16_of_f32(b))

static emu_op_fn *fast_int(enum ptx_type dst, enum ptx_type src)
{
    static const struct {
        u8 to, from;             /* bytes */
        emu_op_fn *plain, *sign; /* by the source's signedness */
    } table[] = {{8, 4, cvt_64_u32, cvt_64_s32}, {8, 2, cvt_64_u16, cvt_64_s16}, {4, 8, cvt_32_64, cvt_32_64},
                 {2, 4, cvt_16_32, cvt_16_32},   {2, 8, cvt_16_64, cvt_16_64},   {4, 2, cvt_32_u16, cvt_32_s16},
                 {4, 1, cvt_32_u8, cvt_32_s8},   {2, 1, cvt_16_u8, cvt_16_s8}};
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].to == ptx_type_bytes(dst) && table[k].from == ptx_type_bytes(src))
            return is_signed_int(src) ? table[k].sign : table[k].plain;
    return NULL;
}
/* The vector handler for a conversion, or NULL. */
static emu_op_fn *fast_fn(enum ptx_type dst, enum ptx_type src, unsigned mode, unsigned flags)
{
#define T(x) PTX_T_##x
#define INTEGRAL(m, M)                                                                                                 \
    {T(S32), T(F32), M, 0, cvt_##m##_s32_f32}, {T(U32), T(F32), M, 0, cvt_##m##_u32_f32},                              \
        {T(S32), T(F64), M, 0, cvt_##m##_s32_f64}, {T(F32), T(F32), M, FLAG_INTEGRAL, cvt_##m##_f32_f32},              \
    {                                                                                                                  \
        T(F64), T(F64), M, FLAG_INTEGRAL, cvt_##m##_f64_f64                                                            \
    }
    static const struct {
        u8 dst, src, mode, flags;
        emu_op_fn *fn;
    } table[] = {
        INTEGRAL(rni, SOFT_RN),
        INTEGRAL(rzi, SOFT_RZ),
        INTEGRAL(rmi, SOFT_RM),
        INTEGRAL(rpi, SOFT_RP),
        {T(F32), T(S32), SOFT_RN, 0, cvt_rn_f32_s32},
        {T(F32), T(U32), SOFT_RN, 0, cvt_rn_f32_u32},
        {T(F32), T(S16), SOFT_RN, 0, cvt_rn_f32_s16},
        {T(F32), T(U16), SOFT_RN, 0, cvt_rn_f32_u16},
        {T(F32), T(S8), SOFT_RN, 0, cvt_rn_f32_s8},
        {T(F32), T(U8), SOFT_RN, 0, cvt_rn_f32_u8},
        {T(F32), T(S64), SOFT_RN, 0, cvt_rn_f32_s64},
        {T(F32), T(U64), SOFT_RN, 0, cvt_rn_f32_u64},
        {T(F64), T(S32), SOFT_RN, 0, cvt_rn_f64_s32},
        {T(F64), T(U32), SOFT_RN, 0, cvt_rn_f64_u32},
        {T(F64), T(S64), SOFT_RN, 0, cvt_rn_f64_s64},
        {T(F64), T(U64), SOFT_RN, 0, cvt_rn_f64_u64},
        {T(F64), T(F32), SOFT_RN, 0, cvt_f64_f32},
        {T(F32), T(F64), SOFT_RN, 0, cvt_rn_f32_f64},
        {T(F32), T(F32), SOFT_RN, FLAG_SAT, cvt_sat_f32_f32},
        {T(F16), T(F32), SOFT_RN, 0, cvt_rn_f16_f32},
        {T(F32), T(F16), SOFT_RN, 0, cvt_f32_f16},
        {T(BF16), T(F32), SOFT_RN, 0, cvt_rn_bf16_f32},
        {T(F32), T(BF16), SOFT_RN, 0, cvt_f32_bf16},
    };
#undef T
    if (is_int(dst) && is_int(src))
        return flags ? NULL : fast_int(dst, src);
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].dst == dst && table[k].src == src && table[k].mode == mode && table[k].flags == flags)
            return table[k].fn;
    return NULL;
}

static int mode_of(const struct ptx_inst *p, unsigned *flags)
{
    static const struct {
        u8 mod, mode, integral;
    } table[] = {{PTX_M_RN, SOFT_RN, 0},  {PTX_M_RZ, SOFT_RZ, 0},   {PTX_M_RM, SOFT_RM, 0},
                 {PTX_M_RP, SOFT_RP, 0},  {PTX_M_RNA, SOFT_RNA, 0}, {PTX_M_RNI, SOFT_RN, 1},
                 {PTX_M_RZI, SOFT_RZ, 1}, {PTX_M_RMI, SOFT_RM, 1},  {PTX_M_RPI, SOFT_RP, 1}};
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
        if (ptx_has(p, table[k].mod)) {
            *flags |= table[k].integral ? FLAG_INTEGRAL : 0;
            return table[k].mode;
        }
    return SOFT_RN;
}

static enum ptx_type half_of(enum ptx_type t)
{
    switch (t) {
    case PTX_T_F16X2:
        return PTX_T_F16;
    case PTX_T_BF16X2:
        return PTX_T_BF16;
    case PTX_T_E4M3X2:
        return PTX_T_E4M3;
    case PTX_T_E5M2X2:
        return PTX_T_E5M2;
    default:
        return PTX_T_NONE;
    }
}

int emu_sel_cvt(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    if (p->op != PTX_CVT || p->n_type != 2)
        return emu_no(why, "cvt names its two types");
    const enum ptx_type dst = p->type[0], src = p->type[1], dst_half = half_of(dst), src_half = half_of(src);
    unsigned flags = (ptx_has(p, PTX_M_FTZ) ? FLAG_FTZ : 0) | (ptx_has(p, PTX_M_SAT) ? FLAG_SAT : 0) |
                     (ptx_has(p, PTX_M_RELU) ? FLAG_RELU : 0) | (ptx_has(p, PTX_M_SATFINITE) ? FLAG_SATFINITE : 0);
    const int mode = mode_of(p, &flags);
    static const u8 mods[] = {PTX_M_RN,  PTX_M_RZ,  PTX_M_RM,  PTX_M_RP,  PTX_M_RNA,  PTX_M_RNI,       PTX_M_RZI,
                              PTX_M_RMI, PTX_M_RPI, PTX_M_FTZ, PTX_M_SAT, PTX_M_RELU, PTX_M_SATFINITE, 0};
    if (!emu_knows_mods(p, mods))
        return emu_no(why, "this rounding or suffix of cvt is not supported");
    sel->aux[2] = (u8)mode;
    sel->aux[3] = (u8)flags;
    if (dst_half && src == PTX_T_F32 && p->n_opnd == 3) {
        const bool plain = mode == SOFT_RN && !flags;
        emu_op_fn *fn = plain && dst_half == PTX_T_F16    ? cvt_rn_f16x2_f32
                        : plain && dst_half == PTX_T_BF16 ? cvt_rn_bf16x2_f32
                                                          : cvt_pack;
        emu_sig(sel, fn, "w>ww", PTX_T_F32);
        sel->aux[0] = dst_half;
        sel->aux[1] = src;
        sel->imm = dst_half == PTX_T_F16 || dst_half == PTX_T_BF16 ? 16 : 8;
        return 0;
    }
    if (dst_half && src_half) {
        emu_sig(sel, cvt_pairs, "w>w", PTX_T_B32);
        sel->aux[0] = dst_half;
        sel->aux[1] = src_half;
        sel->aux[4] = dst_half == PTX_T_F16 || dst_half == PTX_T_BF16 ? 16 : 8;
        sel->imm = src_half == PTX_T_F16 || src_half == PTX_T_BF16 ? 16 : 8;
        return 0;
    }
    if ((!is_int(dst) && !format_of(dst)) || (!is_int(src) && !format_of(src)))
        return emu_no(why, "there is no such conversion");
    /* Converting a float to an integer is integral by nature. */
    if (is_int(dst))
        flags &= ~(unsigned)FLAG_INTEGRAL;
    sel->aux[0] = (u8)dst;
    sel->aux[1] = (u8)src;
    sel->aux[3] = (u8)flags;
    emu_op_fn *fast = fast_fn(dst, src, (unsigned)mode, flags);
    emu_sig(sel, fast ? fast : cvt_general, "r>r", src);
    return 0;
}
