/*
 * Atomics and reductions: atom and red in global, shared and generic space. Source: PTX ISA 9.0, 9.7.13.
 *
 * Lanes take effect one after the other in ascending order, warps in the order they run, so results are the same in
 * every run; a real GPU picks some order. Floating-point adds round to nearest even; atom.add.f32 flushes subnormals on
 * global memory and keeps them on shared memory, as the manual says of the hardware. Orders and scopes need nothing:
 * weir's memory is sequentially consistent.
 */
#include "emu/exec_mem.h"

#include "emu/op_float.h"
#include "emu/op_lane.h"

/*
 * Host addresses of the active lanes in a[], after checking and recording. *shared is set for lanes in shared memory.
 */
static bool atom_resolve(struct emu_warp_run *r, const struct emu_inst *in, u32 mask, u64 *a, u32 bytes)
{
    const struct emu_opnd *o = &in->src[0];
    const char *row = emu_src(&r->w, o);
    u64 off = in->imm;
    if (o->lane == EMU_LANE_64) {
        EMU_EACH_LANE
        a[l] = ((const u64 *)row)[l] + off;
    } else {
        EMU_EACH_LANE
        a[l] = (u32)(((const u32 *)row)[l] + (u32)off);
    }
    enum ptx_space space = in->aux[EMU_AUX_SPACE];
    if (space == PTX_S_SHARED || space == PTX_S_SHARED_CLUSTER) {
        const struct emu_cta *cta = r->w.cta;
        u64 bad = 0, limit = cta->smem_bytes;
        for (u32 m = mask; m; m &= m - 1) {
            u64 x = a[__builtin_ctz(m)] - cta->smem_base;
            bad |= (limit - bytes - x) | x;
            bad |= x & (bytes - 1) ? 1ull << 63 : 0;
        }
        if (!(bad >> 63)) {
            EMU_EACH_LANE
            a[l] -= cta->smem_base;
            if (r->enc)
                stream_enc_mem(r->enc, emu_pc_of(r, in), TRACE_SP_SHARED, mask, a);
            EMU_EACH_LANE
            a[l] += (u64)(uintptr_t)cta->smem;
            return true;
        }
    } else if (space == PTX_S_GLOBAL || space == PTX_S_GENERIC) {
        const struct emu_range *c = &r->cache[in->target];
        for (int round = 0; round < 2; round++) {
            u64 bad = 0, lo = c->lo, last = c->hi - bytes;
            for (u32 m = mask; m; m &= m - 1) {
                u64 x = a[__builtin_ctz(m)];
                bad |= (x - lo) | (last - x);
                bad |= x & (bytes - 1) ? 1ull << 63 : 0;
            }
            if (!(bad >> 63)) {
                if (r->enc)
                    stream_enc_mem(r->enc, emu_pc_of(r, in), TRACE_SP_GLOBAL, mask, a);
                return true;
            }
            if (!emu_range_refill(r, in, a[__builtin_ctz(mask)]))
                break;
        }
    }
    return emu_resolve_lanes(r, in, mask, space, a, bytes, bytes, true);
}

static bool is_shared(const struct emu_inst *in)
{
    return in->aux[EMU_AUX_SPACE] == PTX_S_SHARED || in->aux[EMU_AUX_SPACE] == PTX_S_SHARED_CLUSTER;
}

/*
 * T: the type in memory; L: lane of the registers. EXPR gives the new value from `old`, `b` and `c`. name is the
 * instruction, name_apply the operation on one element (of global memory, where that matters).
 */
#define ATOM(name, T, L, EXPR)                                                                                         \
    static inline T name##_of(const T old, const T b, const T c, const bool shared)                                    \
    {                                                                                                                  \
        (void)old, (void)b, (void)c, (void)shared;                                                                     \
        return (T)(EXPR);                                                                                              \
    }                                                                                                                  \
    static void name##_apply(void *at, const void *value)                                                              \
    {                                                                                                                  \
        T old, b;                                                                                                      \
        memcpy(&old, at, sizeof old);                                                                                  \
        memcpy(&b, value, sizeof b);                                                                                   \
        old = name##_of(old, b, b, false);                                                                             \
        memcpy(at, &old, sizeof old);                                                                                  \
    }                                                                                                                  \
    static void name(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)                                     \
    {                                                                                                                  \
        struct emu_warp_run *r = emu_run_of(w);                                                                        \
        u64 a[EMU_LANES];                                                                                              \
        if (!atom_resolve(r, in, mask, a, sizeof(T)))                                                                  \
            return;                                                                                                    \
        const L *pb = emu_src(w, &in->src[1]);                                                                         \
        const L *pc = in->n_src > 2 ? emu_src(w, &in->src[2]) : pb;                                                    \
        L *d = in->n_dst && in->dst[0].lane ? emu_dst(w, &in->dst[0]) : NULL;                                          \
        const bool shared = is_shared(in);                                                                             \
        u64 changed = 0;                                                                                               \
        for (u32 m = mask; m; m &= m - 1) {                                                                            \
            const int l = __builtin_ctz(m);                                                                            \
            T *p = (T *)(uintptr_t)a[l];                                                                               \
            const T old = *p, now = name##_of(old, (T)pb[l], (T)pc[l], shared);                                        \
            changed += memcmp(&now, &old, sizeof(T)) != 0;                                                             \
            *p = now;                                                                                                  \
            if (d)                                                                                                     \
                d[l] = (L)old;                                                                                         \
        }                                                                                                              \
        r->grid->changed += changed;                                                                                   \
    }

static u32 add_f32(u32 x, u32 y, bool keep_subnormals)
{
    f32 a = emu_f32(x), b = emu_f32(y);
    if (!keep_subnormals) {
        if ((x & 0x7f800000) == 0)
            a = emu_f32(x & 0x80000000);
        if ((y & 0x7f800000) == 0)
            b = emu_f32(y & 0x80000000);
    }
    f32 s = a + b;
    u32 bits = emu_f32_bits(s);
    if (s != s)
        return 0x7fffffff;
    if (!keep_subnormals && (bits & 0x7f800000) == 0)
        bits &= 0x80000000;
    return bits;
}
/* NaNs keep their payload; the SM, which adds for shared memory, also makes them quiet, the L2 does not. */
static u64 add_f64(u64 x, u64 y, bool shared)
{
    const f64 a = emu_f64(x), b = emu_f64(y), s = a + b;
    const u64 quiet = shared ? 0x0008000000000000ull : 0;
    return b != b ? y | quiet : a != a ? x | quiet : s != s ? 0xfff8000000000000ull : emu_f64_bits(s);
}
static u16 add_f16(u16 x, u16 y)
{
    f32 s = f32_of_f16(x) + f32_of_f16(y);
    return s != s ? 0x7fff : (u16)f16_of_f32(s);
}
static u16 add_bf16(u16 x, u16 y)
{
    f32 s = f32_of_bf16(x) + f32_of_bf16(y);
    return s != s ? 0x7fff : (u16)bf16_of_f32(s);
}
/* min and max of halves: a NaN loses against a number. */
static u16 pick16(u16 x, u16 y, f32 fx, f32 fy, bool max)
{
    if (fx != fx)
        return fy != fy ? 0x7fff : y;
    if (fy != fy)
        return x;
    if (fx == fy)
        return max ? (x & y & 0x8000) | (x & 0x7fff) : x | (y & 0x8000);
    return (fx > fy) == max ? x : y;
}

ATOM(add_u32, u32, u32, old + b)
ATOM(add_u64, u64, u64, old + b)
ATOM(add_f32_, u32, u32, add_f32(old, b, shared))
ATOM(add_f64_, u64, u64, add_f64(old, b, shared))
ATOM(add_f16_, u16, u32, add_f16(old, b))
ATOM(add_bf16_, u16, u32, add_bf16(old, b))
ATOM(add_f16x2, u32, u32, add_f16((u16)old, (u16)b) | (u32)add_f16((u16)(old >> 16), (u16)(b >> 16)) << 16)
ATOM(add_bf16x2, u32, u32, add_bf16((u16)old, (u16)b) | (u32)add_bf16((u16)(old >> 16), (u16)(b >> 16)) << 16)
ATOM(min_u32, u32, u32, b < old ? b : old)
ATOM(max_u32, u32, u32, b > old ? b : old)
ATOM(min_s32, s32, u32, b < old ? b : old)
ATOM(max_s32, s32, u32, b > old ? b : old)
ATOM(min_u64, u64, u64, b < old ? b : old)
ATOM(max_u64, u64, u64, b > old ? b : old)
ATOM(min_s64, s64, u64, b < old ? b : old)
ATOM(max_s64, s64, u64, b > old ? b : old)
ATOM(min_f16, u16, u32, pick16(old, b, f32_of_f16(old), f32_of_f16(b), false))
ATOM(max_f16, u16, u32, pick16(old, b, f32_of_f16(old), f32_of_f16(b), true))
ATOM(min_bf16, u16, u32, pick16(old, b, f32_of_bf16(old), f32_of_bf16(b), false))
ATOM(max_bf16, u16, u32, pick16(old, b, f32_of_bf16(old), f32_of_bf16(b), true))
#define HALVES(op, o, x, MAX)                                                                                          \
    pick16((u16)(o), (u16)(x), op((u16)(o)), op((u16)(x)), MAX) |                                                      \
        (u32)pick16((u16)((o) >> 16), (u16)((x) >> 16), op((u16)((o) >> 16)), op((u16)((x) >> 16)), MAX) << 16
ATOM(min_f16x2, u32, u32, HALVES(f32_of_f16, old, b, false))
ATOM(max_f16x2, u32, u32, HALVES(f32_of_f16, old, b, true))
ATOM(min_bf16x2, u32, u32, HALVES(f32_of_bf16, old, b, false))
ATOM(max_bf16x2, u32, u32, HALVES(f32_of_bf16, old, b, true))
ATOM(inc_u32, u32, u32, old >= b ? 0 : old + 1)
ATOM(dec_u32, u32, u32, old == 0 || old > b ? b : old - 1)
ATOM(exch_b32, u32, u32, b)
ATOM(exch_b64, u64, u64, b)
ATOM(exch_b128, u128, u128, b)
ATOM(cas_b16, u16, u32, old == b ? c : old)
ATOM(cas_b32, u32, u32, old == b ? c : old)
ATOM(cas_b64, u64, u64, old == b ? c : old)
ATOM(cas_b128, u128, u128, old == b ? c : old)
ATOM(and_b32, u32, u32, old &b)
ATOM(or_b32, u32, u32, old | b)
ATOM(xor_b32, u32, u32, old ^ b)
ATOM(and_b64, u64, u64, old &b)
ATOM(or_b64, u64, u64, old | b)
ATOM(xor_b64, u64, u64, old ^ b)

static const struct {
    uint8_t op, type;
    emu_op_fn *fn;
    emu_apply_fn *apply;
} table[] = {
#define ROW(op, type, fn) {EMU_ATOM_##op, PTX_T_##type, fn, fn##_apply},
    /* clang-format off */
    ROW(ADD, U32, add_u32) ROW(ADD, S32, add_u32) ROW(ADD, U64, add_u64) ROW(ADD, S64, add_u64)
    ROW(ADD, F32, add_f32_) ROW(ADD, F64, add_f64_) ROW(ADD, F16, add_f16_) ROW(ADD, BF16, add_bf16_)
    ROW(ADD, F16X2, add_f16x2) ROW(ADD, BF16X2, add_bf16x2) ROW(MIN, U32, min_u32) ROW(MAX, U32, max_u32)
    ROW(MIN, S32, min_s32) ROW(MAX, S32, max_s32) ROW(MIN, U64, min_u64) ROW(MAX, U64, max_u64) ROW(MIN, S64, min_s64)
    ROW(MAX, S64, max_s64) ROW(MIN, F16, min_f16) ROW(MAX, F16, max_f16) ROW(MIN, BF16, min_bf16)
    ROW(MAX, BF16, max_bf16) ROW(MIN, F16X2, min_f16x2) ROW(MAX, F16X2, max_f16x2) ROW(MIN, BF16X2, min_bf16x2)
    ROW(MAX, BF16X2, max_bf16x2) ROW(INC, U32, inc_u32) ROW(DEC, U32, dec_u32) ROW(EXCH, B32, exch_b32)
    ROW(EXCH, B64, exch_b64) ROW(EXCH, B128, exch_b128) ROW(CAS, B16, cas_b16) ROW(CAS, B32, cas_b32)
    ROW(CAS, B64, cas_b64) ROW(CAS, B128, cas_b128) ROW(AND, B32, and_b32) ROW(OR, B32, or_b32) ROW(XOR, B32, xor_b32)
    ROW(AND, B64, and_b64) ROW(OR, B64, or_b64) ROW(XOR, B64, xor_b64)
/* clang-format on */
#undef ROW
};

/* Types whose bits are treated alike by bitwise operations, exchange and compare-and-swap. */
static enum ptx_type as_bits(enum ptx_type t)
{
    switch (ptx_type_bytes(t)) {
    case 2:
        return PTX_T_B16;
    case 4:
        return PTX_T_B32;
    case 8:
        return PTX_T_B64;
    case 16:
        return PTX_T_B128;
    }
    return t;
}

/* Index in the table, or -1. */
static int find(enum emu_atom_op op, enum ptx_type type)
{
    if (op >= EMU_ATOM_EXCH)
        type = as_bits(type);
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op && table[i].type == type)
            return (int)i;
    return -1;
}

emu_op_fn *emu_atom_select(enum emu_atom_op op, enum ptx_type type, const char **why)
{
    const int i = find(op, type);
    *why = i < 0 ? "this combination of operation and type does not exist" : NULL;
    return i < 0 ? NULL : table[i].fn;
}

emu_apply_fn *emu_atom_apply(enum emu_atom_op op, enum ptx_type type)
{
    const int i = find(op, type);
    return i < 0 ? NULL : table[i].apply;
}

/* atom and red with .v2, .v4, .v8: each element is an operation of its own. dst: old values; src[1..]: the others. */
void emu_atom_vector(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    const u32 bytes = in->aux[EMU_AUX_BYTES], n = in->aux[EMU_AUX_VEC];
    emu_apply_fn *apply = emu_atom_apply(in->aux[EMU_AUX_OP], in->aux[EMU_AUX_TYPE]);
    u64 a[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        a[l] = emu_lane_address(w, in, l);
    if (!emu_resolve_lanes(r, in, mask, in->aux[EMU_AUX_SPACE], a, bytes * n, bytes * n, true))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        for (u32 k = 0; k < n; k++) {
            char *at = (char *)(uintptr_t)a[l] + (size_t)k * bytes;
            const u64 value = emu_lane_value(w, &in->src[1 + k], l);
            u64 old = 0;
            memcpy(&old, at, bytes);
            apply(at, &value);
            if (in->n_dst)
                emu_set_lane(w, &in->dst[k], l, old);
        }
    }
    r->grid->changed++;
}
