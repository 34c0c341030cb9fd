/*
 * wgmma.mma_async: D (64 x N) += A (64 x K) * B (K x N) by the four warps of a warpgroup. Source: PTX ISA 9.1, 9.7.15.
 *
 * Each warp multiplies its own 16 rows when it executes the instruction: no warp reads another's registers. At
 * wgmma.wait_group the warpgroup meets, so that none overwrites operands which another has not read yet. B, and A unless
 * it is in registers, come from shared memory through a matrix descriptor. The product is mma.sync's with the
 * same k (op_product.h): one block of products per instruction. What a GPU leaves undefined, reading D before
 * wgmma.wait_group, gives the new value here.
 *
 * sparse (.sp): A holds half of K; the metadata tell which. A row's chosen products are one block.
 */
#include "emu/access.h"
#include "emu/op_product.h"
#include "emu/op_wgmma.h"
#include "emu/state.h"
#include "emu/watch.h"

enum { ROWS = 16, K_BYTES = 32, K_BYTES_SPARSE = 64, N_STEP = 32, N_MAX = 256, COLUMNS_A_CYCLE = 2 };

/* ---- operands in shared memory ---- */

struct descriptor {
    u32 start, leading, stride; /* bytes */
    u32 span;                   /* of the swizzle: 0, 32, 64, 128 */
    u32 base;                   /* where its pattern starts, in 128 bytes: the base offset */
};

static struct descriptor descriptor_of(u64 bits)
{
    static const u8 spans[] = {0, 128, 64, 32};
    return (struct descriptor){
        .start = (u32)(bits & 0x3fff) << 4,
        .leading = (u32)(bits >> 16 & 0x3fff) << 4,
        .stride = (u32)(bits >> 32 & 0x3fff) << 4,
        .span = spans[bits >> 62],
        .base = (u32)(bits >> 49) & 7,
    };
}

/* 16 bytes at a plain address of the layout, which the swizzle moves. */
static bool chunk(struct emu_warp *w, const struct emu_inst *i, const struct descriptor *d, u32 at, u8 *out)
{
    const u32 rows = d->span ? d->span / 16 - 1 : 0;
    at ^= (((at >> 7) - d->base) & rows) << 4;
    if (at + 16 > w->cta->smem_bytes) {
        emu_raise(w, i, -1, EMU_FAULT_ILLEGAL_ADDRESS,
                  "a matrix descriptor reaches byte %u of shared memory, and the CTA has %u: start %u, leading offset "
                  "%u, stride offset %u, swizzle %u bytes",
                  at, w->cta->smem_bytes, d->start, d->leading, d->stride, d->span);
        return false;
    }
    emu_watch_async(
        w, i, __builtin_ctz(w->active),
        (struct emu_async){.access = EMU_ASYNC_READ, .product = true, .cta = w->cta, .at = at, .bytes = 16});
    memcpy(out, w->cta->smem + at, 16);
    return true;
}

/* Rows of A (columns of B) first .. first + n as raw bytes, `k_bytes` each. */
static bool fetch(struct emu_warp *w, const struct emu_inst *i, const struct descriptor *d, unsigned first, unsigned n,
                  unsigned k_bytes, u8 *out)
{
    for (unsigned r = first; r < first + n; r++)
        for (unsigned c = 0; c < k_bytes; c += 16, out += 16) {
            const u32 in_row =
                !d->span ? c / 16 * d->leading + r % 8 * 16 : c / d->span * d->leading + c % d->span + r % 8 * d->span;
            if (!chunk(w, i, d, d->start + r / 8 * d->stride + in_row, out))
                return false;
        }
    return true;
}

/* The same from a matrix of 16-bit elements that is kept the other way round. n is a multiple of 8. */
static bool fetch_transposed(struct emu_warp *w, const struct emu_inst *i, const struct descriptor *d, unsigned first,
                             unsigned n, unsigned k_bytes, u8 *out)
{
    for (unsigned k = 0; k < k_bytes / 2; k++)
        for (unsigned r = first; r < first + n; r += 8) {
            const u32 at = !d->span
                               ? r / 8 * d->stride + k / 8 * d->leading + k % 8 * 16
                               : r * 2 / d->span * d->leading + r * 2 % d->span + k % 8 * d->span + k / 8 * d->stride;
            u8 row[16];
            if (!chunk(w, i, d, d->start + at, row))
                return false;
            for (unsigned e = 0; e < 8; e++)
                memcpy(out + (r - first + e) * k_bytes + k * 2, row + e * 2, 2);
        }
    return true;
}

/* `n` elements of a type. */
static void to_f32(f32 *out, const u8 *raw, unsigned n, enum ptx_type t)
{
    u16 half[N_STEP * K_BYTES_SPARSE / 2];
    switch (t) {
    case PTX_T_F16:
        memcpy(half, raw, n * 2);
        EMU_VECTOR for (unsigned e = 0; e < n; e++) out[e] = f32_of_f16(half[e]);
        return;
    case PTX_T_BF16:
        memcpy(half, raw, n * 2);
        EMU_VECTOR for (unsigned e = 0; e < n; e++) out[e] = f32_of_bf16(half[e]);
        return;
    case PTX_T_TF32:
        for (unsigned e = 0; e < n; e++) {
            u32 u;
            memcpy(&u, raw + 4 * e, 4);
            out[e] = emu_f32(u & 0xffffe000);
        }
        return;
    default:
        EMU_VECTOR for (unsigned e = 0; e < n; e++) out[e] = f32_of_fp8(raw[e], t);
    }
}

static void to_s32(s32 *out, const u8 *raw, unsigned n, enum ptx_type t)
{
    switch (t) {
    case PTX_T_S8:
        for (unsigned e = 0; e < n; e++)
            out[e] = (s8)raw[e];
        return;
    case PTX_T_U8:
        for (unsigned e = 0; e < n; e++)
            out[e] = raw[e];
        return;
    default: /* b1 */
        for (unsigned e = 0; e < n; e++)
            out[e] = raw[e / 8] >> e % 8 & 1;
    }
}

/* ---- one instruction of one warp ---- */

struct product {
    struct emu_warp *w;
    const struct emu_inst *i;
    u32 mask;
    unsigned n, k, flags; /* k of the dense product; a sparse A has half of it */
    enum ptx_type ta, tb;
    bool add; /* scale-d: D takes part */
    struct descriptor a, b;
};

static unsigned first_row(const struct product *p)
{
    return p->w->index % 4 * ROWS;
}

/* A's 16 rows of this warp as bytes. */
static bool fetch_a(const struct product *p, u8 *out)
{
    return p->flags & WGMMA_TRANS_A ? fetch_transposed(p->w, p->i, &p->a, first_row(p), ROWS, K_BYTES, out)
                                    : fetch(p->w, p->i, &p->a, first_row(p), ROWS, K_BYTES, out);
}

static bool fetch_b(const struct product *p, unsigned first, unsigned n, u8 *out)
{
    const unsigned bytes = p->flags & WGMMA_SPARSE ? K_BYTES_SPARSE : K_BYTES;
    return p->flags & WGMMA_TRANS_B ? fetch_transposed(p->w, p->i, &p->b, first, n, bytes, out)
                                    : fetch(p->w, p->i, &p->b, first, n, bytes, out);
}

static struct frag_shape step_shape(const struct product *p, unsigned n)
{
    return (struct frag_shape){ROWS, (u16)n, (u16)(p->flags & WGMMA_SPARSE ? p->k / 2 : p->k)};
}

/* The most columns of which op_product.h takes 8, 16 or 32 at once, and that fit its arrays. */
static unsigned step_of(const struct product *p, unsigned left)
{
    const unsigned most = p->k > 32 ? 16 : N_STEP;
    return left >= 32 && most >= 32 ? 32 : left >= 16 ? 16 : 8;
}

/*
 * The one of the 2K columns that each element of a compressed row represents. Four bits of metadata describe four columns,
 * of which two are kept (two bits each), or two columns of tf32, of which one is kept. A lane's metadata describe 16
 * columns (tf32: 8) of rows g and g + 8, and come from the two lanes of a quad that the selector names; with 8-bit types,
 * all four lanes count: 32 columns of one row.
 */
static void sparse_places(const struct product *p, u8 place[ROWS][32])
{
    const u32 *meta = emu_src(p->w, &p->i->src[p->i->n_src - 1]);
    const unsigned selector = (unsigned)p->i->imm, kept = p->k / 2, of_four = p->ta == PTX_T_TF32 ? 1 : 2;
    const bool bytes = emu_frag_bits(p->ta) == 8;
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned e = 0; e < kept; e++) {
            const unsigned group = e / of_four, high = r >= 8;
            const unsigned lane = r % 8 * 4 + (bytes ? group / 8 * 2 + high : selector * 2 + group / 4);
            const unsigned bit = bytes ? group % 8 * 4 : high * 16 + group % 4 * 4;
            const u32 told = meta[lane] >> bit & 15;
            place[r][e] = (u8)(of_four == 1 ? 2 * group + (told == 14) : 4 * group + (e % 2 ? told >> 2 : told & 3));
        }
}

static void sparse_step(f64 *d, const f32 *c, const f32 *a, const f32 *b, const u8 place[ROWS][32],
                        const struct product *p, unsigned n)
{
    const struct frag_shape one = {1, (u16)n, (u16)(p->k / 2)};
    for (unsigned r = 0; r < ROWS; r++) {
        f32 chosen[TILE_MAX];
        for (unsigned e = 0; e < one.k; e++)
            memcpy(chosen + e * n, b + place[r][e] * n, n * sizeof *b);
        if (emu_frag_bits(p->ta) == 8)
            mul_fp8(d + r * n, c + r * n, a + r * one.k, chosen, one);
        else
            mul_float(d + r * n, c + r * n, a + r * one.k, chosen, one, p->ta);
    }
}

static void run_float(const struct product *p)
{
    const struct frag_shape whole = step_shape(p, 8);
    const unsigned bits = emu_frag_bits(p->ta), d_bits = p->flags & WGMMA_D16 ? 16 : 32;
    const unsigned k_a = whole.k, per_block = d_bits == 16 ? 2 : 4; /* registers of D per 8 columns */
    u8 raw[N_STEP * K_BYTES_SPARSE], place[ROWS][32];
    f32 a[TILE_MAX], b[TILE_MAX], c[TILE_MAX], line[N_STEP * K_BYTES_SPARSE];
    f64 d[TILE_MAX];
    if (p->flags & WGMMA_A_REGS) {
        struct frag f;
        frag_make(&f, FRAG_A, whole, bits, false);
        unpack_f32(a, &f, p->w, p->i->src, p->ta);
    } else {
        if (!fetch_a(p, raw))
            return;
        to_f32(a, raw, ROWS * k_a, p->ta);
    }
    if (p->flags & WGMMA_NEG_A)
        for (unsigned e = 0; e < ROWS * k_a; e++)
            a[e] = -a[e];
    if (p->flags & WGMMA_SPARSE)
        sparse_places(p, place);
    for (unsigned at = 0, n; at < p->n; at += n) {
        n = step_of(p, p->n - at);
        const struct frag_shape s = step_shape(p, n);
        const struct emu_opnd *o = p->i->dst + at / 8 * per_block;
        if (!fetch_b(p, at, n, raw))
            return;
        to_f32(line, raw, n * p->k, p->tb);
        const f32 sign = p->flags & WGMMA_NEG_B ? -1.0f : 1.0f;
        for (unsigned x = 0; x < n; x++)
            for (unsigned k = 0; k < p->k; k++)
                b[k * n + x] = sign * line[x * p->k + k];
        struct frag f;
        frag_make(&f, FRAG_C, s, d_bits, false);
        if (p->add)
            unpack_f32(c, &f, p->w, o, d_bits == 16 ? PTX_T_F16 : PTX_T_F32);
        else
            memset(c, 0, ROWS * n * sizeof *c);
        if (p->flags & WGMMA_SPARSE)
            sparse_step(d, c, a, b, place, p, n);
        else if (bits == 8)
            mul_fp8(d, c, a, b, s);
        else
            mul_float(d, c, a, b, s, p->ta);
        pack_float(p->w, o, &f, d, p->mask);
    }
}

static void run_int(const struct product *p)
{
    const struct frag_shape whole = step_shape(p, 8);
    u8 raw[16 * K_BYTES_SPARSE], place[ROWS][32];
    s32 a[ROWS * 256], b[16 * 256], c[ROWS * 16], line[16 * 256];
    if (p->flags & WGMMA_A_REGS) {
        struct frag f;
        frag_make(&f, FRAG_A, whole, emu_frag_bits(p->ta), false);
        unpack_s32(a, &f, p->w, p->i->src, p->ta);
    } else {
        if (!fetch_a(p, raw))
            return;
        to_s32(a, raw, ROWS * whole.k, p->ta);
    }
    if (p->flags & WGMMA_SPARSE)
        sparse_places(p, place);
    for (unsigned at = 0, n; at < p->n; at += n) {
        n = p->n - at >= 16 ? 16 : 8;
        const struct frag_shape s = step_shape(p, n);
        const struct emu_opnd *o = p->i->dst + at / 8 * 4;
        if (!fetch_b(p, at, n, raw))
            return;
        to_s32(line, raw, n * p->k, p->tb);
        for (unsigned x = 0; x < n; x++)
            for (unsigned k = 0; k < p->k; k++)
                b[k * n + x] = line[x * p->k + k];
        struct frag f;
        frag_make(&f, FRAG_C, s, 32, false);
        if (p->add)
            unpack_s32(c, &f, p->w, o, PTX_T_S32);
        else
            memset(c, 0, sizeof c);
        const unsigned flags = p->flags & WGMMA_SAT ? F_SAT : 0;
        if (p->flags & WGMMA_SPARSE)
            for (unsigned r = 0; r < ROWS; r++) {
                s32 chosen[32 * 16];
                for (unsigned e = 0; e < s.k; e++)
                    memcpy(chosen + e * n, b + place[r][e] * n, n * sizeof *b);
                mul_s32(c + r * n, a + r * s.k, chosen, (struct frag_shape){1, s.n, s.k}, flags);
            }
        else
            mul_s32(c, a, b, s, flags);
        pack_s32(p->w, o, &f, c, p->mask);
    }
}

static void wgmma(struct emu_warp *w, const struct emu_inst *i, uint32_t mask)
{
    struct product p = {
        .w = w,
        .i = i,
        .mask = mask,
        .n = 8u * i->aux[WGMMA_AUX_N8],
        .k = 8u * i->aux[WGMMA_AUX_K8],
        .flags = i->aux[WGMMA_AUX_FLAGS],
        .ta = i->aux[WGMMA_AUX_A],
        .tb = i->aux[WGMMA_AUX_B],
    };
    w->product_cycles += p.n / COLUMNS_A_CYCLE;
    const unsigned first = (unsigned)__builtin_ctz(mask), n_a = p.flags & WGMMA_A_REGS ? 4 : 1;
    const u64 *desc_b = emu_src(w, &i->src[n_a]);
    p.add = emu_src_pred(w, &i->src[n_a + 1]) >> first & 1;
    p.b = descriptor_of(desc_b[first]);
    if (n_a == 1)
        p.a = descriptor_of(((const u64 *)emu_src(w, &i->src[0]))[first]);
    if (p.ta == PTX_T_S8 || p.ta == PTX_T_U8 || p.ta == PTX_T_B1)
        run_int(&p);
    else
        run_float(&p);
}

emu_op_fn *EMU_VARIANT(emu_wgmma_select)(void)
{
    return wgmma;
}
