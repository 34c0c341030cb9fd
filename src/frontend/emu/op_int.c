/*
 * Integer arithmetic: add sub mul mad mul24 mad24 sad div rem abs neg min max, and the carry chain (.cc, addc, subc,
 * madc). PTX ISA 9.0, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic Instructions".
 *
 * All arithmetic is done on unsigned types, so that overflow wraps as the hardware's does. Division by zero and the
 * remainder of it give all ones, and INT_MIN / -1 wraps: what the H200 does (PTX leaves it open).
 */
#include "emu/op_lane.h"

/* ---- add, sub, mul.lo, mad.lo: the sign does not matter ---- */
EMU_OP2(add_16, u32, u32, u32, (u16)(a + b))
EMU_OP2(add_32, u32, u32, u32, a + b)
EMU_OP2(add_64, u64, u64, u64, a + b)
EMU_OP2(sub_16, u32, u32, u32, (u16)(a - b))
EMU_OP2(sub_32, u32, u32, u32, a - b)
EMU_OP2(sub_64, u64, u64, u64, a - b)
EMU_OP2(mul_lo_16, u32, u32, u32, (u16)(a *b))
EMU_OP2(mul_lo_32, u32, u32, u32, a *b)
EMU_OP2(mul_lo_64, u64, u64, u64, a *b)
EMU_OP3(mad_lo_16, u32, u32, u32, u32, (u16)(a *b + c))
EMU_OP3(mad_lo_32, u32, u32, u32, u32, a *b + c)
EMU_OP3(mad_lo_64, u64, u64, u64, u64, a *b + c)
EMU_OP2(add_16x2, u32, u32, u32, ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000)))

ALWAYS_INLINE s32 clamp_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}
EMU_OP2(add_sat_s32, u32, s32, s32, clamp_s32((s64)a + b))
EMU_OP2(sub_sat_s32, u32, s32, s32, clamp_s32((s64)a - b))

/* ---- mul.hi, mul.wide, mad.hi, mad.wide ---- */
ALWAYS_INLINE u32 hi_u16(u32 a, u32 b)
{
    return (u32)(u16)a * (u16)b >> 16;
}
ALWAYS_INLINE u32 hi_s16(u32 a, u32 b)
{
    return (u16)((u32)((s32)(s16)a * (s16)b) >> 16);
}
ALWAYS_INLINE u32 hi_u32(u32 a, u32 b)
{
    return (u32)((u64)a * b >> 32);
}
ALWAYS_INLINE u32 hi_s32(u32 a, u32 b)
{
    return (u32)((u64)((s64)(s32)a * (s32)b) >> 32);
}
ALWAYS_INLINE u64 hi_u64(u64 a, u64 b)
{
    return (u64)((u128)a * b >> 64);
}
ALWAYS_INLINE u64 hi_s64(u64 a, u64 b)
{
    return (u64)((u128)((s128)(s64)a * (s64)b) >> 64);
}

EMU_OP2(mul_hi_u16, u32, u32, u32, hi_u16(a, b))
EMU_OP2(mul_hi_s16, u32, u32, u32, hi_s16(a, b))
EMU_OP2(mul_hi_u32, u32, u32, u32, hi_u32(a, b))
EMU_OP2(mul_hi_s32, u32, u32, u32, hi_s32(a, b))
EMU_OP2(mul_hi_u64, u64, u64, u64, hi_u64(a, b))
EMU_OP2(mul_hi_s64, u64, u64, u64, hi_s64(a, b))
EMU_OP3(mad_hi_u16, u32, u32, u32, u32, (u16)(hi_u16(a, b) + c))
EMU_OP3(mad_hi_s16, u32, u32, u32, u32, (u16)(hi_s16(a, b) + c))
EMU_OP3(mad_hi_u32, u32, u32, u32, u32, hi_u32(a, b) + c)
EMU_OP3(mad_hi_s32, u32, u32, u32, u32, hi_s32(a, b) + c)
EMU_OP3(mad_hi_u64, u64, u64, u64, u64, hi_u64(a, b) + c)
EMU_OP3(mad_hi_s64, u64, u64, u64, u64, hi_s64(a, b) + c)
EMU_OP3(mad_hi_sat_s32, u32, u32, u32, s32, clamp_s32((s64)(s32)hi_s32(a, b) + c))

EMU_OP2(mul_wide_u16, u32, u32, u32, (u32)(u16)a *(u16)b)
EMU_OP2(mul_wide_s16, u32, u32, u32, (u32)((s32)(s16)a *(s16)b))
EMU_OP2(mul_wide_u32, u64, u32, u32, (u64)a *b)
EMU_OP2(mul_wide_s32, u64, s32, s32, (u64)((s64)a *b))
EMU_OP3(mad_wide_u16, u32, u32, u32, u32, (u32)(u16)a *(u16)b + c)
EMU_OP3(mad_wide_s16, u32, u32, u32, u32, (u32)((s32)(s16)a *(s16)b) + c)
EMU_OP3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
EMU_OP3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *b) + c)

/* 24-bit multiplies: the low 24 bits of each source, sign-extended for .s32; lo = bits 31..0, hi = bits 47..16. */
ALWAYS_INLINE u64 mul24_u(u32 a, u32 b)
{
    return (u64)(a & 0xffffff) * (b & 0xffffff);
}
ALWAYS_INLINE u64 mul24_s(u32 a, u32 b)
{
    return (u64)((s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8));
}
EMU_OP2(mul24_lo_u32, u32, u32, u32, mul24_u(a, b))
EMU_OP2(mul24_lo_s32, u32, u32, u32, mul24_s(a, b))
EMU_OP2(mul24_hi_u32, u32, u32, u32, mul24_u(a, b) >> 16)
EMU_OP2(mul24_hi_s32, u32, u32, u32, mul24_s(a, b) >> 16)
EMU_OP3(mad24_lo_u32, u32, u32, u32, u32, mul24_u(a, b) + c)
EMU_OP3(mad24_lo_s32, u32, u32, u32, u32, mul24_s(a, b) + c)
EMU_OP3(mad24_hi_u32, u32, u32, u32, u32, (mul24_u(a, b) >> 16) + c)
EMU_OP3(mad24_hi_s32, u32, u32, u32, u32, (mul24_s(a, b) >> 16) + c)
EMU_OP3(mad24_hi_sat_s32, u32, u32, u32, s32, clamp_s32((s64)(s32)(mul24_s(a, b) >> 16) + c))

/* ---- sad: c + |a - b| ---- */
EMU_OP3(sad_u16, u32, u32, u32, u32, (u16)(c + ((u16)a > (u16)b ? a - b : b - a)))
EMU_OP3(sad_s16, u32, u32, u32, u32, (u16)(c + ((s16)a > (s16)b ? a - b : b - a)))
EMU_OP3(sad_u32, u32, u32, u32, u32, c + (a > b ? a - b : b - a))
EMU_OP3(sad_s32, u32, u32, u32, u32, c + ((s32)a > (s32)b ? a - b : b - a))
EMU_OP3(sad_u64, u64, u64, u64, u64, c + (a > b ? a - b : b - a))
EMU_OP3(sad_s64, u64, u64, u64, u64, c + ((s64)a > (s64)b ? a - b : b - a))

/* ---- div, rem ---- */

/*
 * Quotient of 32-bit values by a double division, which vector units have. The nearest integer to the rounded quotient
 * is the true quotient or one more; the product, exact in a double, tells. 2^52 + x has x in its low bits.
 */
ALWAYS_INLINE f64 f64_of_u32(u32 x)
{
    return emu_f64(0x4330000000000000 | x) - 0x1p52;
}
ALWAYS_INLINE u32 quot_u32(u32 a, u32 b)
{
    const f64 da = f64_of_u32(a), db = f64_of_u32(b), shifted = da / db + 0x1p52, n = shifted - 0x1p52;
    const u32 q = (u32)emu_f64_bits(n * db > da ? shifted - 1 : shifted);
    return b == 0 ? ~0u : q;
}
ALWAYS_INLINE u32 abs_u32(u32 x)
{
    return (s32)x < 0 ? 0 - x : x;
}
ALWAYS_INLINE u32 quot_s32(u32 a, u32 b)
{
    u32 q = quot_u32(abs_u32(a), abs_u32(b));
    q = (s32)(a ^ b) < 0 ? 0 - q : q;
    return b == 0 ? ~0u : q;
}
ALWAYS_INLINE u64 quot_u64(u64 a, u64 b)
{
    return b ? a / b : ~0ull;
}
ALWAYS_INLINE u64 quot_s64(u64 a, u64 b)
{
    if (b == 0)
        return ~0ull;
    u64 ua = (s64)a < 0 ? 0 - a : a, ub = (s64)b < 0 ? 0 - b : b;
    u64 q = ua / ub;
    return (s64)(a ^ b) < 0 ? 0 - q : q;
}
ALWAYS_INLINE u64 rem_of_u64(u64 a, u64 b)
{
    return b ? a % b : ~0ull;
}
ALWAYS_INLINE u64 rem_of_s64(u64 a, u64 b)
{
    return b ? a - quot_s64(a, b) * b : ~0ull;
}
ALWAYS_INLINE u32 rem_of_u32(u32 a, u32 b)
{
    return b ? a - quot_u32(a, b) * b : ~0u;
}
ALWAYS_INLINE u32 rem_of_s32(u32 a, u32 b)
{
    return b ? a - quot_s32(a, b) * b : ~0u;
}
ALWAYS_INLINE u32 sext16(u32 x)
{
    return (u32)(s32)(s16)x;
}

EMU_OP2(div_u16, u32, u32, u32, (u16)quot_u32((u16)a, (u16)b))
EMU_OP2(div_s16, u32, u32, u32, (u16)quot_s32(sext16(a), sext16(b)))
EMU_OP2(div_u32, u32, u32, u32, quot_u32(a, b))
EMU_OP2(div_s32, u32, u32, u32, quot_s32(a, b))
EMU_OP2(div_u64, u64, u64, u64, quot_u64(a, b))
EMU_OP2(div_s64, u64, u64, u64, quot_s64(a, b))
EMU_OP2(rem_u16, u32, u32, u32, (u16)rem_of_u32((u16)a, (u16)b))
EMU_OP2(rem_s16, u32, u32, u32, (u16)rem_of_s32(sext16(a), sext16(b)))
EMU_OP2(rem_u32, u32, u32, u32, rem_of_u32(a, b))
EMU_OP2(rem_s32, u32, u32, u32, rem_of_s32(a, b))
EMU_OP2(rem_u64, u64, u64, u64, rem_of_u64(a, b))
EMU_OP2(rem_s64, u64, u64, u64, rem_of_s64(a, b))

/* ---- abs, neg, min, max ---- */
EMU_OP1(abs_s16, u32, u32, (u16)((s16)a < 0 ? 0 - a : a))
EMU_OP1(abs_s32, u32, u32, (s32)a < 0 ? 0 - a : a)
EMU_OP1(abs_s64, u64, u64, (s64)a < 0 ? 0 - a : a)
EMU_OP1(neg_16, u32, u32, (u16)(0 - a))
EMU_OP1(neg_32, u32, u32, 0 - a)
EMU_OP1(neg_64, u64, u64, 0 - a)

#define MINMAX(name, LESS)                                                                                             \
    EMU_OP2(name##_u16, u32, u32, u32, (u16)a LESS(u16) b ? (u16)a : (u16)b)                                           \
    EMU_OP2(name##_s16, u32, u32, u32, (s16)a LESS(s16) b ? (u16)a : (u16)b)                                           \
    EMU_OP2(name##_u32, u32, u32, u32, a LESS b ? a : b)                                                               \
    EMU_OP2(name##_s32, s32, s32, s32, a LESS b ? a : b)                                                               \
    EMU_OP2(name##_u64, u64, u64, u64, a LESS b ? a : b)                                                               \
    EMU_OP2(name##_s64, s64, s64, s64, a LESS b ? a : b)                                                               \
    ALWAYS_INLINE u32 name##_half_s(u32 a, u32 b)                                                                      \
    {                                                                                                                  \
        return (s16)a LESS(s16) b ? (u16)a : (u16)b;                                                                   \
    }                                                                                                                  \
    ALWAYS_INLINE u32 name##_half_u(u32 a, u32 b)                                                                      \
    {                                                                                                                  \
        return (u16)a LESS(u16) b ? (u16)a : (u16)b;                                                                   \
    }                                                                                                                  \
    EMU_OP2(name##_u16x2, u32, u32, u32, name##_half_u(a, b) | name##_half_u(a >> 16, b >> 16) << 16)                  \
    EMU_OP2(name##_s16x2, u32, u32, u32, name##_half_s(a, b) | name##_half_s(a >> 16, b >> 16) << 16)                  \
    ALWAYS_INLINE u32 name##_half_relu(u32 a, u32 b)                                                                   \
    {                                                                                                                  \
        u32 r = name##_half_s(a, b);                                                                                   \
        return (s16)r < 0 ? 0 : r;                                                                                     \
    }                                                                                                                  \
    ALWAYS_INLINE s32 name##_relu_of(s32 a, s32 b)                                                                     \
    {                                                                                                                  \
        s32 r = a LESS b ? a : b;                                                                                      \
        return r < 0 ? 0 : r;                                                                                          \
    }                                                                                                                  \
    EMU_OP2(name##_relu_s16x2, u32, u32, u32, name##_half_relu(a, b) | name##_half_relu(a >> 16, b >> 16) << 16)       \
    EMU_OP2(name##_relu_s32, s32, s32, s32, name##_relu_of(a, b))
MINMAX(min, <)
MINMAX(max, >)

/*
 * ---- carry chain ----
 * w->cc holds each lane's carry flag: the carry out of additions, the borrow out of subtractions (PTX's definition).
 * MODE: 1 reads the flag, 2 writes it, 3 both.
 */
#define CARRY_IN(MODE) ((MODE)&1 ? (w->cc >> l & 1) : 0u)
#define CARRY(name, T, MODE, FETCH, SUM, OUT)                                                                          \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const T *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]);                                            \
        T t[EMU_LANES];                                                                                                \
        u32 out = 0;                                                                                                   \
        for (int l = 0; l < EMU_LANES; l++) {                                                                          \
            const T cin = CARRY_IN(MODE);                                                                              \
            FETCH;                                                                                                     \
            t[l] = (SUM);                                                                                              \
            out |= (OUT) ? emu_bit[l] : 0;                                                                             \
        }                                                                                                              \
        emu_store_row(emu_dst(w, &i->dst[0]), t, mask, sizeof(T));                                                     \
        if ((MODE)&2)                                                                                                  \
            w->cc = (w->cc & ~mask) | (out & mask);                                                                    \
    }
#define ADDSUB(name, T, MODE)                                                                                          \
    CARRY(add##name, T, MODE, const T a = pa[l]; const T b = pb[l];                                                    \
          const T s = a + b, s + cin, s < a || (T)(s + cin) < s)                                                       \
    CARRY(sub##name, T, MODE, const T a = pa[l]; const T b = pb[l]; const T s = a - b, s - cin, a < b || s < cin)
#define MADC(name, T, MODE, PRODUCT)                                                                                   \
    CARRY(mad##name, T, MODE, const T c = ((const T *)emu_src(w, &i->src[2]))[l]; const T a = PRODUCT(pa[l], pb[l]);   \
          const T s = a + c, s + cin, s < a || (T)(s + cin) < s)
#define LO_OF(a, b) ((a) * (b))
ADDSUB(_cc_32, u32, 2)
ADDSUB(c_32, u32, 1)
ADDSUB(c_cc_32, u32, 3)
ADDSUB(_cc_64, u64, 2)
ADDSUB(c_64, u64, 1)
ADDSUB(c_cc_64, u64, 3)
#define MADC_ALL(SUFFIX, T, HALF, PRODUCT)                                                                             \
    MADC(_##HALF##_cc_##SUFFIX, T, 2, PRODUCT)                                                                         \
    MADC(c_##HALF##_##SUFFIX, T, 1, PRODUCT)                                                                           \
    MADC(c_##HALF##_cc_##SUFFIX, T, 3, PRODUCT)
MADC_ALL(32, u32, lo, LO_OF)
MADC_ALL(64, u64, lo, LO_OF)
MADC_ALL(u32, u32, hi, hi_u32)
MADC_ALL(s32, u32, hi, hi_s32)
MADC_ALL(u64, u64, hi, hi_u64)
MADC_ALL(s64, u64, hi, hi_s64)

/* ---- selection ---- */
typedef emu_op_fn *const by_type[PTX_T_COUNT];
#define UNSIGNED_AND_SIGNED(n)                                                                                         \
    [PTX_T_U16] = n##_u16, [PTX_T_S16] = n##_s16, [PTX_T_U32] = n##_u32, [PTX_T_S32] = n##_s32, [PTX_T_U64] = n##_u64, \
    [PTX_T_S64] = n##_s64
#define ANY_SIGN(n)                                                                                                    \
    [PTX_T_U16] = n##_16, [PTX_T_S16] = n##_16, [PTX_T_U32] = n##_32, [PTX_T_S32] = n##_32, [PTX_T_U64] = n##_64,      \
    [PTX_T_S64] = n##_64
#define ANY_SIGN_32_64(n)                                                                                              \
    [PTX_T_U32] = n##_32, [PTX_T_S32] = n##_32, [PTX_T_U64] = n##_64, [PTX_T_S64] = n##_64, [PTX_T_B32] = n##_32,      \
    [PTX_T_B64] = n##_64
#define SIGNS_32_64(n) [PTX_T_U32] = n##_u32, [PTX_T_S32] = n##_s32, [PTX_T_U64] = n##_u64, [PTX_T_S64] = n##_s64
#define ONLY_SIGNED(n) [PTX_T_S16] = n##_s16, [PTX_T_S32] = n##_s32, [PTX_T_S64] = n##_s64

static by_type fn_add = {ANY_SIGN(add), [PTX_T_U16X2] = add_16x2, [PTX_T_S16X2] = add_16x2};
static by_type fn_sub = {ANY_SIGN(sub)}, fn_mul_lo = {ANY_SIGN(mul_lo)}, fn_mad_lo = {ANY_SIGN(mad_lo)};
static by_type fn_add_sat = {[PTX_T_S32] = add_sat_s32}, fn_sub_sat = {[PTX_T_S32] = sub_sat_s32};
static by_type fn_mul_hi = {UNSIGNED_AND_SIGNED(mul_hi)}, fn_mad_hi = {UNSIGNED_AND_SIGNED(mad_hi)};
static by_type fn_mad_hi_sat = {[PTX_T_S32] = mad_hi_sat_s32}, fn_mad24_hi_sat = {[PTX_T_S32] = mad24_hi_sat_s32};
static by_type fn_mul_wide = {
    [PTX_T_U16] = mul_wide_u16, [PTX_T_S16] = mul_wide_s16, [PTX_T_U32] = mul_wide_u32, [PTX_T_S32] = mul_wide_s32};
static by_type fn_mad_wide = {
    [PTX_T_U16] = mad_wide_u16, [PTX_T_S16] = mad_wide_s16, [PTX_T_U32] = mad_wide_u32, [PTX_T_S32] = mad_wide_s32};
static by_type fn_mul24_lo = {[PTX_T_U32] = mul24_lo_u32, [PTX_T_S32] = mul24_lo_s32};
static by_type fn_mul24_hi = {[PTX_T_U32] = mul24_hi_u32, [PTX_T_S32] = mul24_hi_s32};
static by_type fn_mad24_lo = {[PTX_T_U32] = mad24_lo_u32, [PTX_T_S32] = mad24_lo_s32};
static by_type fn_mad24_hi = {[PTX_T_U32] = mad24_hi_u32, [PTX_T_S32] = mad24_hi_s32};
static by_type fn_sad = {UNSIGNED_AND_SIGNED(sad)}, fn_div = {UNSIGNED_AND_SIGNED(div)};
static by_type fn_rem = {UNSIGNED_AND_SIGNED(rem)}, fn_abs = {ONLY_SIGNED(abs)}, fn_neg = {ANY_SIGN(neg)};
static by_type fn_min = {UNSIGNED_AND_SIGNED(min), [PTX_T_U16X2] = min_u16x2, [PTX_T_S16X2] = min_s16x2};
static by_type fn_max = {UNSIGNED_AND_SIGNED(max), [PTX_T_U16X2] = max_u16x2, [PTX_T_S16X2] = max_s16x2};
static by_type fn_min_relu = {[PTX_T_S32] = min_relu_s32, [PTX_T_S16X2] = min_relu_s16x2};
static by_type fn_max_relu = {[PTX_T_S32] = max_relu_s32, [PTX_T_S16X2] = max_relu_s16x2};
static by_type fn_add_cc = {ANY_SIGN_32_64(add_cc)}, fn_sub_cc = {ANY_SIGN_32_64(sub_cc)};
static by_type fn_addc = {ANY_SIGN_32_64(addc)}, fn_addc_cc = {ANY_SIGN_32_64(addc_cc)};
static by_type fn_subc = {ANY_SIGN_32_64(subc)}, fn_subc_cc = {ANY_SIGN_32_64(subc_cc)};
static by_type fn_mad_lo_cc = {ANY_SIGN_32_64(mad_lo_cc)}, fn_mad_hi_cc = {SIGNS_32_64(mad_hi_cc)};
static by_type fn_madc_lo = {ANY_SIGN_32_64(madc_lo)}, fn_madc_hi = {SIGNS_32_64(madc_hi)};
static by_type fn_madc_lo_cc = {ANY_SIGN_32_64(madc_lo_cc)}, fn_madc_hi_cc = {SIGNS_32_64(madc_hi_cc)};

int emu_sel_int(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum ptx_type t = p->n_type ? p->type[0] : PTX_T_NONE;
    const bool cc = ptx_has(p, PTX_M_CC), hi = ptx_has(p, PTX_M_HI), sat = ptx_has(p, PTX_M_SAT);
    const bool wide = ptx_has(p, PTX_M_WIDE), relu = ptx_has(p, PTX_M_RELU);
    static const u8 none[] = {0}, sums[] = {PTX_M_CC, PTX_M_SAT, 0}, orders[] = {PTX_M_RELU, 0};
    static const u8 products[] = {PTX_M_LO, PTX_M_HI, PTX_M_WIDE, 0}, products24[] = {PTX_M_LO, PTX_M_HI, 0};
    static const u8 mads[] = {PTX_M_LO, PTX_M_HI, PTX_M_WIDE, PTX_M_CC, PTX_M_SAT, 0};
    static const u8 madcs[] = {PTX_M_LO, PTX_M_HI, PTX_M_CC, 0}, mads24[] = {PTX_M_LO, PTX_M_HI, PTX_M_SAT, 0};
    const u8 *mods = none;
    const char *sig = "x>xx";
    emu_op_fn *const *fn = NULL;
    switch (p->op) {
    case PTX_ADD:
        mods = sums;
        fn = cc ? fn_add_cc : sat ? fn_add_sat : fn_add;
        break;
    case PTX_SUB:
        mods = sums;
        fn = cc ? fn_sub_cc : sat ? fn_sub_sat : fn_sub;
        break;
    case PTX_ADDC:
        mods = sums;
        fn = cc ? fn_addc_cc : fn_addc;
        break;
    case PTX_SUBC:
        mods = sums;
        fn = cc ? fn_subc_cc : fn_subc;
        break;
    case PTX_MUL:
        mods = products;
        fn = wide ? fn_mul_wide : hi ? fn_mul_hi : fn_mul_lo;
        break;
    case PTX_MAD:
        mods = mads;
        sig = "x>xxx";
        if (cc)
            fn = hi ? fn_mad_hi_cc : fn_mad_lo_cc;
        else
            fn = wide ? fn_mad_wide : hi ? (sat ? fn_mad_hi_sat : fn_mad_hi) : fn_mad_lo;
        break;
    case PTX_MADC:
        mods = madcs;
        sig = "x>xxx";
        fn = hi ? (cc ? fn_madc_hi_cc : fn_madc_hi) : (cc ? fn_madc_lo_cc : fn_madc_lo);
        break;
    case PTX_MUL24:
        mods = products24;
        fn = hi ? fn_mul24_hi : fn_mul24_lo;
        break;
    case PTX_MAD24:
        mods = mads24;
        sig = "x>xxx";
        fn = hi ? (sat ? fn_mad24_hi_sat : fn_mad24_hi) : fn_mad24_lo;
        break;
    case PTX_SAD:
        sig = "x>xxx";
        fn = fn_sad;
        break;
    case PTX_DIV:
        fn = fn_div;
        break;
    case PTX_REM:
        fn = fn_rem;
        break;
    case PTX_MIN:
        mods = orders;
        fn = relu ? fn_min_relu : fn_min;
        break;
    case PTX_MAX:
        mods = orders;
        fn = relu ? fn_max_relu : fn_max;
        break;
    case PTX_ABS:
        sig = "x>x";
        fn = fn_abs;
        break;
    case PTX_NEG:
        sig = "x>x";
        fn = fn_neg;
        break;
    }
    if (!fn || !fn[t] || !emu_knows_mods(p, mods) || (wide && (cc || sat || hi)))
        return emu_no(why, "there is no such integer instruction");
    emu_sig_x(sel, fn[t], sig, t);
    if (wide && (t == PTX_T_U32 || t == PTX_T_S32)) { /* 32 x 32 -> 64 */
        emu_sig(sel, fn[t], p->op == PTX_MUL ? "d>ww" : "d>wwd", t);
        sel->src_type[2] = t == PTX_T_U32 ? PTX_T_U64 : PTX_T_S64;
    } else if (wide) {
        sel->src_type[2] = t == PTX_T_U16 ? PTX_T_U32 : PTX_T_S32;
    }
    return 0;
}
