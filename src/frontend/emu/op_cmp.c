/*
 * Comparison and selection: set setp selp slct testp. PTX ISA 9.0, "Comparison and Selection Instructions" and "Half
 * Precision Comparison Instructions".
 *
 * A comparison yields a mask of lanes. The plain `setp p, a, b` has a handler of its own per type and operator; the
 * combining forms (.and .or .xor with a third source, a second destination) share one and look the comparison up.
 */
#include "emu/op_float.h"

/* ---- comparisons: operand rows to a mask of lanes ---- */
typedef u32 compare_fn(const void *, const void *);

#define COMPARE(name, T, LOAD, OPERATOR)                                                                               \
    static inline u32 compare_##name(const void *pa, const void *pb)                                                   \
    {                                                                                                                  \
        const T *ra = pa, *rb = pb;                                                                                    \
        u32 m = 0;                                                                                                     \
        for (int l = 0; l < EMU_LANES; l++) {                                                                          \
            const __typeof__(LOAD(ra[l])) x = LOAD(ra[l]), y = LOAD(rb[l]);                                            \
            m |= OPERATOR(x, y) ? emu_bit[l] : 0;                                                                      \
        }                                                                                                              \
        return m;                                                                                                      \
    }                                                                                                                  \
    EMU_HANDLER(setp_##name)                                                                                           \
    {                                                                                                                  \
        emu_dst_pred(w, &i->dst[0], mask, compare_##name(emu_src(w, &i->src[0]), emu_src(w, &i->src[1])));             \
    }

#define EQ(a, b)   ((a) == (b))
#define NE(a, b)   ((a) != (b))
#define LT(a, b)   ((a) < (b))
#define LE(a, b)   ((a) <= (b))
#define GT(a, b)   ((a) > (b))
#define GE(a, b)   ((a) >= (b))
#define FNE(a, b)  (((a) < (b)) | ((a) > (b))) /* ordered: false on NaN */
#define EQU(a, b)  (!FNE(a, b))
#define NEU(a, b)  ((a) != (b))
#define LTU(a, b)  (!((a) >= (b)))
#define LEU(a, b)  (!((a) > (b)))
#define GTU(a, b)  (!((a) <= (b)))
#define GEU(a, b)  (!((a) < (b)))
#define NUM(a, b)  (((a) == (a)) & ((b) == (b)))
#define NAN_(a, b) (((a) != (a)) | ((b) != (b)))

#define AS_IS(x)  (x)
#define AS_U16(x) ((u16)(x))
#define AS_S16(x) ((s16)(x))
#define INT_COMPARES(t, T, LOAD)                                                                                       \
    COMPARE(eq_##t, T, LOAD, EQ)                                                                                       \
    COMPARE(ne_##t, T, LOAD, NE)                                                                                       \
    COMPARE(lt_##t, T, LOAD, LT)                                                                                       \
    COMPARE(le_##t, T, LOAD, LE)                                                                                       \
    COMPARE(gt_##t, T, LOAD, GT)                                                                                       \
    COMPARE(ge_##t, T, LOAD, GE)
#define FLOAT_COMPARES(t, T, LOAD)                                                                                     \
    COMPARE(eq_##t, T, LOAD, EQ)                                                                                       \
    COMPARE(ne_##t, T, LOAD, FNE)                                                                                      \
    COMPARE(lt_##t, T, LOAD, LT)                                                                                       \
    COMPARE(le_##t, T, LOAD, LE)                                                                                       \
    COMPARE(gt_##t, T, LOAD, GT)                                                                                       \
    COMPARE(ge_##t, T, LOAD, GE)                                                                                       \
    COMPARE(equ_##t, T, LOAD, EQU)                                                                                     \
    COMPARE(neu_##t, T, LOAD, NEU)                                                                                     \
    COMPARE(ltu_##t, T, LOAD, LTU)                                                                                     \
    COMPARE(leu_##t, T, LOAD, LEU)                                                                                     \
    COMPARE(gtu_##t, T, LOAD, GTU)                                                                                     \
    COMPARE(geu_##t, T, LOAD, GEU)                                                                                     \
    COMPARE(num_##t, T, LOAD, NUM)                                                                                     \
    COMPARE(nan_##t, T, LOAD, NAN_)

#define F16_LO(x)     f32_of_f16((x)&0xffff)
#define F16_HI(x)     f32_of_f16((x) >> 16)
#define BF16_LO(x)    f32_of_bf16((x)&0xffff)
#define BF16_HI(x)    f32_of_bf16((x) >> 16)
#define F16_FLUSH(x)  ((x)&0x7c00 ? (x) : (x)&0x8000)
#define F16_LO_FTZ(x) f32_of_f16(F16_FLUSH((x)&0xffff))
#define F16_HI_FTZ(x) f32_of_f16(F16_FLUSH((x) >> 16))

INT_COMPARES(u16, u32, AS_U16)
INT_COMPARES(s16, u32, AS_S16)
INT_COMPARES(u32, u32, AS_IS)
INT_COMPARES(s32, s32, AS_IS)
INT_COMPARES(u64, u64, AS_IS)
INT_COMPARES(s64, s64, AS_IS)
FLOAT_COMPARES(f32, f32, AS_IS)
FLOAT_COMPARES(f32_ftz, f32, f32_flush)
FLOAT_COMPARES(f64, f64, AS_IS)
FLOAT_COMPARES(f16, u32, F16_LO)
FLOAT_COMPARES(f16hi, u32, F16_HI)
FLOAT_COMPARES(f16_ftz, u32, F16_LO_FTZ)
FLOAT_COMPARES(f16hi_ftz, u32, F16_HI_FTZ)
FLOAT_COMPARES(bf16, u32, BF16_LO)
FLOAT_COMPARES(bf16hi, u32, BF16_HI)

enum domain {
    D_U16,
    D_S16,
    D_U32,
    D_S32,
    D_U64,
    D_S64,
    D_F32,
    D_F32_FTZ,
    D_F64,
    D_F16,
    D_F16HI,
    D_F16_FTZ,
    D_F16HI_FTZ,
    D_BF16,
    D_BF16HI,
    D_COUNT
};
enum relation { R_EQ, R_NE, R_LT, R_LE, R_GT, R_GE, R_EQU, R_NEU, R_LTU, R_LEU, R_GTU, R_GEU, R_NUM, R_NAN, R_COUNT };

#define INT_ROW(P, t)                                                                                                  \
    {                                                                                                                  \
        P##eq_##t, P##ne_##t, P##lt_##t, P##le_##t, P##gt_##t, P##ge_##t                                               \
    }
#define FLOAT_ROW(P, t)                                                                                                \
    {                                                                                                                  \
        P##eq_##t, P##ne_##t, P##lt_##t, P##le_##t, P##gt_##t, P##ge_##t, P##equ_##t, P##neu_##t, P##ltu_##t,          \
            P##leu_##t, P##gtu_##t, P##geu_##t, P##num_##t, P##nan_##t                                                 \
    }
#define DOMAINS(P)                                                                                                     \
    [D_U16] = INT_ROW(P, u16), [D_S16] = INT_ROW(P, s16), [D_U32] = INT_ROW(P, u32), [D_S32] = INT_ROW(P, s32),        \
    [D_U64] = INT_ROW(P, u64), [D_S64] = INT_ROW(P, s64), [D_F32] = FLOAT_ROW(P, f32),                                 \
    [D_F32_FTZ] = FLOAT_ROW(P, f32_ftz), [D_F64] = FLOAT_ROW(P, f64), [D_F16] = FLOAT_ROW(P, f16),                     \
    [D_F16HI] = FLOAT_ROW(P, f16hi), [D_F16_FTZ] = FLOAT_ROW(P, f16_ftz), [D_F16HI_FTZ] = FLOAT_ROW(P, f16hi_ftz),     \
    [D_BF16] = FLOAT_ROW(P, bf16), [D_BF16HI] = FLOAT_ROW(P, bf16hi)
static compare_fn *const compare[D_COUNT][R_COUNT] = {DOMAINS(compare_)};
static emu_op_fn *const setp_plain[D_COUNT][R_COUNT] = {DOMAINS(setp_)};

/* ---- the general forms. aux: 0 domain, 1 relation, 2 combining operator (a ptx_mod or 0), 3 domain of high half ----
 */
static u32 combine(struct emu_warp *w, const struct emu_inst *i, u32 m)
{
    const u32 c = i->aux[2] ? emu_src_pred(w, &i->src[2]) : 0;
    switch (i->aux[2]) {
    case PTX_M_AND:
        return m & c;
    case PTX_M_OR:
        return m | c;
    case PTX_M_XOR:
        return m ^ c;
    }
    return m;
}
static u32 compare_with(struct emu_warp *w, const struct emu_inst *i, unsigned domain)
{
    return compare[domain][i->aux[1]](emu_src(w, &i->src[0]), emu_src(w, &i->src[1]));
}
EMU_HANDLER(setp_general)
{
    const u32 m = compare_with(w, i, i->aux[0]);
    const u32 p = combine(w, i, m), q = i->n_dst > 1 ? combine(w, i, ~m) : 0;
    emu_dst_pred(w, &i->dst[0], mask, p);
    if (i->n_dst > 1)
        emu_dst_pred(w, &i->dst[1], mask, q);
}
/* Packed halves: p from the low one, q from the high one. */
EMU_HANDLER(setp_packed)
{
    const u32 p = combine(w, i, compare_with(w, i, i->aux[0])), q = combine(w, i, compare_with(w, i, i->aux[3]));
    emu_dst_pred(w, &i->dst[0], mask, p);
    if (i->n_dst > 1)
        emu_dst_pred(w, &i->dst[1], mask, q);
}
/* imm = what "true" looks like in the destination. */
EMU_HANDLER(set_general)
{
    const u32 m = combine(w, i, compare_with(w, i, i->aux[0])), yes = (u32)i->imm;
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = m & emu_bit[l] ? yes : 0;
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}
EMU_HANDLER(set_packed)
{
    const u32 lo = combine(w, i, compare_with(w, i, i->aux[0])), hi = combine(w, i, compare_with(w, i, i->aux[3]));
    const u32 yes = (u32)i->imm;
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = (lo & emu_bit[l] ? yes & 0xffff : 0) | (hi & emu_bit[l] ? yes & 0xffff0000 : 0);
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

/* ---- selp, slct ---- */
#define SELP(name, T, MASK)                                                                                            \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const T *pa = emu_src(w, &i->src[0]), *pb = emu_src(w, &i->src[1]);                                            \
        const u32 p = emu_src_pred(w, &i->src[2]);                                                                     \
        EMU_BODY(T, 1, const T m = (T)(p & emu_bit[l] ? ~(T)0 : 0), ((pa[l] & m) | (pb[l] & ~m)) & (MASK))             \
    }
SELP(selp_16, u32, 0xffff)
SELP(selp_32, u32, ~0u)
SELP(selp_64, u64, ~0ull)

EMU_OP3(slct_16_s32, u32, u32, u32, s32, (u16)(c >= 0 ? a : b))
EMU_OP3(slct_32_s32, u32, u32, u32, s32, c >= 0 ? a : b)
EMU_OP3(slct_64_s32, u64, u64, u64, s32, c >= 0 ? a : b)
EMU_OP3(slct_16_f32, u32, u32, u32, f32, (u16)(c >= 0 ? a : b))
EMU_OP3(slct_32_f32, u32, u32, u32, f32, c >= 0 ? a : b)
EMU_OP3(slct_64_f32, u64, u64, u64, f32, c >= 0 ? a : b)
EMU_OP3(slct_ftz_16, u32, u32, u32, f32, (u16)(f32_flush(c) >= 0 ? a : b))
EMU_OP3(slct_ftz_32, u32, u32, u32, f32, f32_flush(c) >= 0 ? a : b)
EMU_OP3(slct_ftz_64, u64, u64, u64, f32, f32_flush(c) >= 0 ? a : b)

/* ---- testp ---- */
static bool test_class(unsigned what, bool is_nan, bool is_inf, bool is_subnormal)
{
    switch (what) {
    case PTX_M_FINITE:
        return !is_nan && !is_inf;
    case PTX_M_INFINITE:
        return is_inf;
    case PTX_M_NUMBER:
        return !is_nan;
    case PTX_M_NOTANUMBER:
        return is_nan;
    case PTX_M_NORMAL:
        return !is_nan && !is_inf && !is_subnormal; /* zeros count as normal */
    }
    return is_subnormal;
}
EMU_HANDLER(testp_f32)
{
    const u32 *a = emu_src(w, &i->src[0]);
    u32 m = 0;
    for (int l = 0; l < EMU_LANES; l++) {
        const u32 x = a[l] & 0x7fffffff;
        m |= test_class(i->aux[0], x > 0x7f800000, x == 0x7f800000, x && x < 0x00800000) ? emu_bit[l] : 0;
    }
    emu_dst_pred(w, &i->dst[0], mask, m);
}
EMU_HANDLER(testp_f64)
{
    const u64 *a = emu_src(w, &i->src[0]), inf = 0x7ff0000000000000;
    u32 m = 0;
    for (int l = 0; l < EMU_LANES; l++) {
        const u64 x = a[l] & 0x7fffffffffffffff;
        m |= test_class(i->aux[0], x > inf, x == inf, x && x < 0x0010000000000000) ? emu_bit[l] : 0;
    }
    emu_dst_pred(w, &i->dst[0], mask, m);
}

/* ---- selection ---- */
static int relation_of(const struct ptx_inst *p)
{
    static const struct {
        uint8_t mod, relation;
    } table[] = {{PTX_M_EQ, R_EQ},   {PTX_M_NE, R_NE},   {PTX_M_LT, R_LT},      {PTX_M_LE, R_LE},   {PTX_M_GT, R_GT},
                 {PTX_M_GE, R_GE},   {PTX_M_LO, R_LT},   {PTX_M_LS, R_LE},      {PTX_M_HI, R_GT},   {PTX_M_HS, R_GE},
                 {PTX_M_EQU, R_EQU}, {PTX_M_NEU, R_NEU}, {PTX_M_LTU, R_LTU},    {PTX_M_LEU, R_LEU}, {PTX_M_GTU, R_GTU},
                 {PTX_M_GEU, R_GEU}, {PTX_M_NUM, R_NUM}, {PTX_M_NANTEST, R_NAN}};
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
        if (p->n_mod && p->mod[0] == table[k].mod)
            return table[k].relation;
    return -1;
}
static int domain_of(enum ptx_type t, bool ftz)
{
    switch (t) {
    case PTX_T_B16:
    case PTX_T_U16:
        return D_U16;
    case PTX_T_S16:
        return D_S16;
    case PTX_T_B32:
    case PTX_T_U32:
        return D_U32;
    case PTX_T_S32:
        return D_S32;
    case PTX_T_B64:
    case PTX_T_U64:
        return D_U64;
    case PTX_T_S64:
        return D_S64;
    case PTX_T_F32:
        return ftz ? D_F32_FTZ : D_F32;
    case PTX_T_F64:
        return D_F64;
    case PTX_T_F16:
    case PTX_T_F16X2:
        return ftz ? D_F16_FTZ : D_F16;
    case PTX_T_BF16:
    case PTX_T_BF16X2:
        return D_BF16;
    default:
        return -1;
    }
}

/* What set writes for "true". */
static bool true_value(enum ptx_type dst, enum ptx_type src, u64 *yes)
{
    const bool packed = src == PTX_T_F16X2 || src == PTX_T_BF16X2;
    switch (dst) {
    case PTX_T_U32:
    case PTX_T_S32:
        *yes = 0xffffffff;
        return true;
    case PTX_T_U16:
    case PTX_T_S16:
        *yes = 0xffff;
        return !packed;
    case PTX_T_F32:
        *yes = 0x3f800000;
        return !packed;
    case PTX_T_F16:
        *yes = 0x3c00;
        return !packed;
    case PTX_T_BF16:
        *yes = 0x3f80;
        return !packed;
    case PTX_T_F16X2:
        *yes = 0x3c003c00;
        return packed;
    case PTX_T_BF16X2:
        *yes = 0x3f803f80;
        return packed;
    default:
        return false;
    }
}

static int sel_compare(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const bool is_set = p->op == PTX_SET;
    if (p->n_type != (is_set ? 2 : 1))
        return emu_no(why, "a comparison names its types");
    const enum ptx_type t = p->type[p->n_type - 1];
    const bool packed = t == PTX_T_F16X2 || t == PTX_T_BF16X2;
    const int relation = relation_of(p), domain = domain_of(t, ptx_has(p, PTX_M_FTZ));
    if (relation < 0 || domain < 0 || !compare[domain][relation])
        return emu_no(why, "there is no such comparison");
    const unsigned op = ptx_has(p, PTX_M_AND)   ? PTX_M_AND
                        : ptx_has(p, PTX_M_OR)  ? PTX_M_OR
                        : ptx_has(p, PTX_M_XOR) ? PTX_M_XOR
                                                : 0;
    sel->aux[0] = (u8)domain;
    sel->aux[1] = (u8)relation;
    sel->aux[2] = (u8)op;
    sel->aux[3] = (u8)(domain + 1);
    if (is_set) {
        if (!true_value(p->type[0], t, &sel->imm))
            return emu_no(why, "set cannot write this type");
        emu_sig_x(sel, packed ? set_packed : set_general, op ? "w>xxp" : "w>xx", t);
        return 0;
    }
    const bool two = p->n_opnd && p->opnd[0].kind == PTX_O_PAIR;
    if (!packed && !two && !op)
        emu_sig_x(sel, setp_plain[domain][relation], "p>xx", t);
    else
        emu_sig_x(sel, packed ? setp_packed : setp_general, two ? (op ? "pp>xxp" : "pp>xx") : op ? "p>xxp" : "p>xx", t);
    return 0;
}

int emu_sel_cmp(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    const enum ptx_type t = p->n_type ? p->type[0] : PTX_T_NONE;
    static const u8 selection[] = {PTX_M_FTZ, 0},
                    comparison[] = {PTX_M_EQ,  PTX_M_NE,  PTX_M_LT,  PTX_M_LE,  PTX_M_GT,  PTX_M_GE,
                                    PTX_M_LO,  PTX_M_LS,  PTX_M_HI,  PTX_M_HS,  PTX_M_EQU, PTX_M_NEU,
                                    PTX_M_LTU, PTX_M_LEU, PTX_M_GTU, PTX_M_GEU, PTX_M_NUM, PTX_M_NANTEST,
                                    PTX_M_AND, PTX_M_OR,  PTX_M_XOR, PTX_M_FTZ, 0};
    static const u8 classes[] = {
        PTX_M_FINITE, PTX_M_INFINITE, PTX_M_NUMBER, PTX_M_NOTANUMBER, PTX_M_NORMAL, PTX_M_SUBNORMAL, 0};
    const bool compares = p->op == PTX_SET || p->op == PTX_SETP;
    if (!emu_knows_mods(p, compares ? comparison : p->op == PTX_TESTP ? classes : selection))
        return emu_no(why, "this comparison or selection has no such suffix");
    const unsigned bytes = ptx_type_bytes(t), width = bytes == 2 ? 0 : bytes == 4 ? 1 : bytes == 8 ? 2 : 3;
    switch (p->op) {
    case PTX_SET:
    case PTX_SETP:
        return sel_compare(p, sel, why);
    case PTX_SELP: {
        static emu_op_fn *const table[] = {selp_16, selp_32, selp_64};
        if (width > 2)
            break;
        emu_sig_x(sel, table[width], "x>xxp", t);
        return 0;
    }
    case PTX_SLCT: {
        static emu_op_fn *const table[3][3] = {{slct_16_s32, slct_32_s32, slct_64_s32},
                                               {slct_16_f32, slct_32_f32, slct_64_f32},
                                               {slct_ftz_16, slct_ftz_32, slct_ftz_64}};
        if (width > 2 || p->n_type != 2 || (p->type[1] != PTX_T_S32 && p->type[1] != PTX_T_F32))
            break;
        const int row = p->type[1] == PTX_T_S32 ? 0 : ptx_has(p, PTX_M_FTZ) ? 2 : 1;
        emu_sig_x(sel, table[row][width], "x>xxw", t);
        sel->src_type[2] = p->type[1];
        return 0;
    }
    case PTX_TESTP:
        if (t != PTX_T_F32 && t != PTX_T_F64)
            break;
        emu_sig_x(sel, t == PTX_T_F32 ? testp_f32 : testp_f64, "p>x", t);
        sel->aux[0] = p->n_mod ? p->mod[0] : 0;
        return 0;
    }
    return emu_no(why, "there is no such comparison or selection");
}
