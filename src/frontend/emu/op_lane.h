/*
 * How an operation walks its 32 lanes, and how its source is compiled once per instruction set.
 *
 * A handler is a loop over lanes that the compiler turns into vector code. With all lanes active it writes the
 * destination directly; otherwise it computes all lanes (operations are total: no lane can trap) and blends. Sources
 * and destination of the same width may be the same row, never a shifted one; of different widths they may overlap in
 * any way, because a destination can take over the rows of a dying source: those handlers go through a temporary.
 *
 * Every op_*.c of a group is compiled for the baseline and for wider vector units (EMU_ISA = base, v3, v4). All
 * variants must give the same bits, so nothing here may depend on contraction, reassociation or the C library.
 */
#ifndef WEIR_EMU_OP_LANE_H
#define WEIR_EMU_OP_LANE_H

#include "base/inline.h"
#include "emu/warp.h"

#include <stdint.h>
#include <string.h>

#ifndef EMU_ISA
#define EMU_ISA base
#endif
#define EMU_CAT_(a, b)    a##_##b
#define EMU_CAT(a, b)     EMU_CAT_(a, b)
#define EMU_VARIANT(name) EMU_CAT(name, EMU_ISA)

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

#define EMU_ALL_LANES 0xffffffffu

/* A function of one lane: a call left in a loop over lanes would keep it from vectorizing. */

#ifdef __clang__
#define EMU_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define EMU_VECTOR _Pragma("GCC ivdep")
#endif
#define EMU_EACH_LANE EMU_VECTOR for (int l = 0; l < EMU_LANES; l++)

/* Bit of each lane: `mask & emu_bit[l]` vectorizes on every instruction set, `mask >> l` does not. */
static const u32 emu_bit[EMU_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

static inline u32 emu_f32_bits(f32 x)
{
    u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline f32 emu_f32(u32 u)
{
    f32 x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline u64 emu_f64_bits(f64 x)
{
    u64 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline f64 emu_f64(u64 u)
{
    f64 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* d[l] = mask has l ? t[l] : d[l], for lanes of 4 and 8 bytes. */
static inline void emu_blend4(void *dst, const void *tmp, u32 mask)
{
    u32 *d = dst;
    const u32 *t = tmp;
    EMU_EACH_LANE
    {
        u32 m = mask & emu_bit[l] ? ~0u : 0;
        d[l] = (t[l] & m) | (d[l] & ~m);
    }
}
static inline void emu_blend8(void *dst, const void *tmp, u32 mask)
{
    u64 *d = dst;
    const u64 *t = tmp;
    EMU_EACH_LANE
    {
        u64 m = (u64)(s64)(mask & emu_bit[l] ? -1 : 0);
        d[l] = (t[l] & m) | (d[l] & ~m);
    }
}
/* Stores a whole computed row of n-byte lanes. */
static inline void emu_store_row(void *dst, const void *tmp, u32 mask, size_t lane_bytes)
{
    if (mask == EMU_ALL_LANES)
        memcpy(dst, tmp, EMU_LANES * lane_bytes);
    else if (lane_bytes == 4)
        emu_blend4(dst, tmp, mask);
    else
        emu_blend8(dst, tmp, mask);
}

/*
 * A handler whose lanes are independent. TD is the lane type of the destination, TA.. those of the sources a, b, c,
 * EXPR the value. 16-bit values travel in 32-bit lanes; EXPR narrows them itself.
 */
#define EMU_HANDLER(name) static void name(struct emu_warp *w, const struct emu_inst *i, u32 mask)

#define EMU_BODY(TD, SAME_WIDTH, FETCH, ...)                                                                           \
    TD *d = emu_dst(w, &i->dst[0]);                                                                                    \
    if ((SAME_WIDTH) && mask == EMU_ALL_LANES) {                                                                       \
        EMU_EACH_LANE                                                                                                  \
        {                                                                                                              \
            FETCH;                                                                                                     \
            d[l] = (TD)(__VA_ARGS__);                                                                                  \
        }                                                                                                              \
    } else {                                                                                                           \
        TD t[EMU_LANES];                                                                                               \
        for (int l = 0; l < EMU_LANES; l++) {                                                                          \
            FETCH;                                                                                                     \
            t[l] = (TD)(__VA_ARGS__);                                                                                  \
        }                                                                                                              \
        emu_store_row(d, t, mask, sizeof(TD));                                                                         \
    }

#define EMU_OP1(name, TD, TA, ...)                                                                                     \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const TA *pa = emu_src(w, &i->src[0]);                                                                         \
        EMU_BODY(TD, sizeof(TD) == sizeof(TA), const TA a = pa[l], __VA_ARGS__)                                        \
    }
#define EMU_OP2(name, TD, TA, TB, ...)                                                                                 \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const TA *pa = emu_src(w, &i->src[0]);                                                                         \
        const TB *pb = emu_src(w, &i->src[1]);                                                                         \
        EMU_BODY(TD, sizeof(TD) == sizeof(TA) && sizeof(TD) == sizeof(TB), const TA a = pa[l];                         \
                 const TB b = pb[l], __VA_ARGS__)                                                                      \
    }
#define EMU_OP3(name, TD, TA, TB, TC, ...)                                                                             \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const TA *pa = emu_src(w, &i->src[0]);                                                                         \
        const TB *pb = emu_src(w, &i->src[1]);                                                                         \
        const TC *pc = emu_src(w, &i->src[2]);                                                                         \
        EMU_BODY(TD, sizeof(TD) == sizeof(TA) && sizeof(TD) == sizeof(TB) && sizeof(TD) == sizeof(TC),                 \
                 const TA a = pa[l];                                                                                   \
                 const TB b = pb[l]; const TC c = pc[l], __VA_ARGS__)                                                  \
    }

/* ---- what a group's select function uses ---- */

/* Signature with every source's constants of type `t`. */
static inline void emu_sig(struct emu_op_sel *sel, emu_op_fn *fn, const char *sig, enum ptx_type t)
{
    sel->fn = fn;
    strncpy(sel->sig, sig, sizeof sel->sig - 1);
    memset(sel->src_type, t, sizeof sel->src_type);
}
static inline int emu_no(const char **why, const char *reason)
{
    *why = reason;
    return -1;
}
/* Every suffix of the instruction is among `mods` (ended by 0): what a group does not know it must not ignore. */
static inline bool emu_knows_mods(const struct ptx_inst *p, const u8 *mods)
{
    for (unsigned k = 0; k < p->n_mod; k++) {
        const u8 *m = mods;
        while (*m && *m != p->mod[k])
            m++;
        if (!*m)
            return false;
    }
    return true;
}
/* 'd' for 64-bit types, 'w' for narrower ones. */
static inline char emu_sig_of(enum ptx_type t)
{
    return ptx_type_bytes(t) == 8 ? 'd' : ptx_type_bytes(t) == 16 ? 'q' : 'w';
}
/* The signature with its 'x' replaced by the class of `t`: "x>xx" */
static inline void emu_sig_x(struct emu_op_sel *sel, emu_op_fn *fn, const char *pattern, enum ptx_type t)
{
    emu_sig(sel, fn, pattern, t);
    for (char *p = sel->sig; *p; p++)
        if (*p == 'x')
            *p = emu_sig_of(t);
}

/*
 * The groups. Each looks at the instructions named in its file's head, and returns 0 or -1 with the reason.
 */
#define emu_sel_int    EMU_VARIANT(emu_sel_int)
#define emu_sel_bits   EMU_VARIANT(emu_sel_bits)
#define emu_sel_cmp    EMU_VARIANT(emu_sel_cmp)
#define emu_sel_mov    EMU_VARIANT(emu_sel_mov)
#define emu_sel_f32    EMU_VARIANT(emu_sel_f32)
#define emu_sel_f64    EMU_VARIANT(emu_sel_f64)
#define emu_sel_half   EMU_VARIANT(emu_sel_half)
#define emu_sel_cvt    EMU_VARIANT(emu_sel_cvt)
#define emu_sel_approx EMU_VARIANT(emu_sel_approx)
#define emu_sel_round  EMU_VARIANT(emu_sel_round)
#define emu_sel_video  EMU_VARIANT(emu_sel_video)
#define emu_sel_warp   EMU_VARIANT(emu_sel_warp)
#define emu_sel_mma    EMU_VARIANT(emu_sel_mma)
typedef int emu_sel_fn(const struct ptx_inst *, struct emu_op_sel *, const char **why);
emu_sel_fn emu_sel_int, emu_sel_bits, emu_sel_cmp, emu_sel_mov, emu_sel_f32, emu_sel_f64, emu_sel_half, emu_sel_cvt,
    emu_sel_approx, emu_sel_round, emu_sel_video, emu_sel_warp, emu_sel_mma;

#endif
