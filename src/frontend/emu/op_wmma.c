/*
 * Matrices between memory and the registers of a warp: wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix.
 *
 * A wmma tile is read or written as a whole: cut into 32 equal pieces, one for each lane, which are checked and
 * recorded as an access of that width. So the machine sees each byte of the tile once, whatever the fragment's layout
 * is. ldmatrix and stmatrix access one row of 16 bytes for each lane that gives an address. Left out: the forms of
 * ldmatrix and stmatrix for 6- and 4-bit elements.
 */
#include "emu/access.h"
#include "emu/op_frag.h"
#include "emu/state.h"
#include "emu/watch.h"

enum { /* emu_inst.aux */
       AUX_M,
       AUX_N,
       AUX_K4, /* k / 4 */
       AUX_TYPE,
       AUX_ROLE,
       AUX_FLAGS,
};
enum { F_COL = 1, F_WMMA_F16 = 2, F_TRANS = 4 };

static enum ptx_space space_of(const struct emu_inst *i)
{
    return i->ptx->space == PTX_S_NONE ? PTX_S_GENERIC : (enum ptx_space)i->ptx->space;
}

/* Address operand o of a lane; its constant offset is in `target`. A 32-bit address wraps at 32 bits. */
static u64 lane_address(const struct emu_warp *w, const struct emu_inst *i, const struct emu_opnd *o, unsigned lane)
{
    u64 at = 0;
    memcpy(&at, (const char *)emu_src(w, o) + lane * o->lane, o->lane);
    at += (u64)(s64)(s32)i->target;
    return o->lane == EMU_LANE_32 ? (u32)at : at;
}

/* ---- wmma.load and wmma.store ---- */

struct tile {
    struct frag frag;
    unsigned bits;
    u32 row_step, col_step; /* of an element's index in bytes[], which has no gaps */
    u32 lines, line_bytes;  /* rows, or columns of a column-major tile, as stored in memory */
    u8 *line[32];
    _Alignas(64) u8 bytes[32 * 32 * 4]; /* the tile, line by line */
};

/* Host address of [at, at + bytes) when all of it is accessible, and the space it is in; NULL otherwise. */
static u8 *whole_range(const struct emu_warp *w, enum ptx_space space, u64 at, u64 bytes, enum trace_space *in)
{
    const struct emu_cta *cta = w->cta;
    const bool generic = space == PTX_S_GENERIC;
    if (space == PTX_S_SHARED || (generic && (at & EMU_WINDOW_MASK) == EMU_SHARED_WINDOW)) {
        const u64 from = generic ? at - EMU_SHARED_WINDOW : at;
        *in = TRACE_SP_SHARED;
        return from <= cta->smem_bytes && bytes <= cta->smem_bytes - from ? (u8 *)cta->smem + from : NULL;
    }
    *in = TRACE_SP_GLOBAL;
    return (space == PTX_S_GLOBAL || generic) && emu_mem_find(w->emu, at, bytes) ? (u8 *)(uintptr_t)at : NULL;
}

/* Finds the tile in memory: checks all of it, records the access. */
static int tile_open(struct tile *t, struct emu_warp *w, const struct emu_inst *i, u32 mask,
                     const struct emu_opnd *address, const struct emu_opnd *stride)
{
    const struct frag_shape s = {i->aux[AUX_M], i->aux[AUX_N], (u16)(4 * i->aux[AUX_K4])};
    const bool col = i->aux[AUX_FLAGS] & F_COL;
    t->bits = emu_frag_bits(i->aux[AUX_TYPE]);
    frag_make(&t->frag, i->aux[AUX_ROLE], s, t->bits, i->aux[AUX_FLAGS] & F_WMMA_F16);
    const u32 line = col ? t->frag.rows : t->frag.cols; /* elements stored side by side */
    t->row_step = col ? 1 : line;
    t->col_step = col ? line : 1;
    t->lines = col ? t->frag.cols : t->frag.rows;
    t->line_bytes = line * t->bits / 8;

    const unsigned first = (unsigned)__builtin_ctz(mask);
    const u64 base = lane_address(w, i, address, first);
    const u64 step = (stride ? ((const u32 *)emu_src(w, stride))[first] : line) * (u64)t->bits / 8;
    const u32 piece = t->lines * t->line_bytes / EMU_LANES, align = t->bits < 8 ? 1 : t->bits / 8;
    u64 addr[EMU_LANES];
    for (unsigned l = 0; l < EMU_LANES; l++) {
        const u32 at = l * piece;
        addr[l] = base + at / t->line_bytes * step + at % t->line_bytes;
    }
    enum trace_space in;
    u8 *whole = base % align ? NULL : whole_range(w, space_of(i), base, (t->lines - 1) * step + t->line_bytes, &in);
    if (whole) {
        emu_watch_access(w, i, mask, space_of(i), addr, piece);
        if (emu_recording(w)) {
            if (space_of(i) == PTX_S_GENERIC && in == TRACE_SP_SHARED)
                for (unsigned l = 0; l < EMU_LANES; l++)
                    addr[l] -= EMU_SHARED_WINDOW;
            emu_record(w, i, in, mask, addr);
        }
        for (u32 k = 0; k < t->lines; k++)
            t->line[k] = whole + k * step;
        return 0;
    }

    /* The tile may still be there, in pieces; otherwise this says what is wrong with it. */
    void *at[EMU_LANES];
    if (emu_access_record(w, i, mask, space_of(i), addr, piece, align, at))
        return -1;
    for (u32 k = 0; k < t->lines; k++) {
        u64 one[EMU_LANES] = {0};
        one[first] = base + k * step;
        if (emu_access(w, i, 1u << first, space_of(i), one, t->line_bytes, align, at))
            return -1;
        t->line[k] = at[first];
    }
    return 0;
}

/* Copies lines of 8 to 128 bytes; constant lengths become moves. */
static void line_copy(u8 *to, const u8 *from, u32 bytes)
{
    switch (bytes) {
    case 8:
        memcpy(to, from, 8);
        return;
    case 16:
        memcpy(to, from, 16);
        return;
    case 32:
        memcpy(to, from, 32);
        return;
    case 64:
        memcpy(to, from, 64);
        return;
    default:
        memcpy(to, from, bytes);
    }
}

static void tile_read(struct tile *t)
{
    for (u32 k = 0; k < t->lines; k++)
        line_copy(t->bytes + k * t->line_bytes, t->line[k], t->line_bytes);
}

static void tile_write(const struct tile *t)
{
    for (u32 k = 0; k < t->lines; k++)
        line_copy(t->line[k], t->bytes + k * t->line_bytes, t->line_bytes);
}

/* One register of every lane from the tile. */
static void tile_row(const struct tile *t, unsigned reg, u8 *out)
{
    const struct frag_walk step = frag_walk_of(&t->frag, t->row_step, t->col_step);
    const u32 first = frag_first(&t->frag, reg, t->row_step, t->col_step);
    const unsigned reg_bytes = t->bits == 64 ? 8 : 4, element = t->bits / 8;
    /* Elements side by side in a register are often side by side in memory too. */
    if (step.w == 1 && reg_bytes == 4) {
        const u32 g = step.g * t->bits / 8, p = step.t * t->bits / 8;
        const u8 *at = t->bytes + (size_t)first * t->bits / 8;
        for (unsigned l = 0; l < EMU_LANES; l++)
            memcpy(out + l * 4, at + l / 4 * g + l % 4 * p, 4);
        return;
    }
    for (unsigned l = 0; l < EMU_LANES; l++) {
        const u8 *at = t->bytes + (size_t)(first + l / 4 * step.g + l % 4 * step.t) * element;
        for (unsigned e = 0; e < t->frag.per_reg; e++)
            for (unsigned b = 0; b < element; b++)
                out[l * reg_bytes + e * element + b] = at[e * step.w * element + b];
    }
}

EMU_HANDLER(wmma_load)
{
    struct tile t;
    if (tile_open(&t, w, i, mask, &i->src[0], i->n_src > 1 ? &i->src[1] : NULL))
        return;
    tile_read(&t);
    for (unsigned r = 0; r < t.frag.n_used; r++) {
        _Alignas(64) u8 out[EMU_LANES * 8];
        tile_row(&t, r, out);
        for (unsigned copy = r; copy < t.frag.n_reg; copy += t.frag.n_used)
            if (i->dst[copy].lane)
                emu_store_row(emu_dst(w, &i->dst[copy]), out, mask, t.bits == 64 ? 8 : 4);
    }
}

EMU_HANDLER(wmma_store)
{
    struct tile t;
    const struct emu_opnd *reg = &i->src[1];
    frag_make(&t.frag, FRAG_C, (struct frag_shape){i->aux[AUX_M], i->aux[AUX_N], (u16)(4 * i->aux[AUX_K4])},
              emu_frag_bits(i->aux[AUX_TYPE]), false);
    const unsigned n_reg = t.frag.n_reg;
    if (tile_open(&t, w, i, mask, &i->src[0], i->n_src > 1 + n_reg ? &i->src[1 + n_reg] : NULL))
        return;
    if (mask != EMU_ALL_LANES)
        tile_read(&t); /* absent lanes leave their elements alone */
    const struct frag_walk step = frag_walk_of(&t.frag, t.row_step, t.col_step);
    const unsigned reg_bytes = t.bits == 64 ? 8 : 4, element = t.bits / 8;
    for (unsigned r = 0; r < n_reg; r++) {
        const u8 *row = emu_src(w, &reg[r]);
        const u32 first = frag_first(&t.frag, r, t.row_step, t.col_step);
        for (u32 left = mask; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctz(left);
            const u32 at = first + l / 4 * step.g + l % 4 * step.t;
            if (element == 4)
                memcpy(t.bytes + (size_t)at * 4, row + l * 4, 4);
            else
                for (unsigned e = 0; e < t.frag.per_reg; e++)
                    memcpy(t.bytes + (size_t)(at + e * step.w) * element, row + l * reg_bytes + e * element, element);
        }
    }
    tile_write(&t);
}

/* ---- ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16-bit elements ---- */

enum { MATRIX_ROW_BYTES = 16 };

/* Host address of each row; rows of absent lanes are NULL. -1 after a fault. */
static int rows_open(u8 *row[EMU_LANES], struct emu_warp *w, const struct emu_inst *i, u32 mask, unsigned n_matrix)
{
    const u32 giving = mask & (n_matrix == 4 ? EMU_ALL_LANES : (1u << 8 * n_matrix) - 1);
    u64 addr[EMU_LANES];
    void *at[EMU_LANES];
    for (unsigned l = 0; l < EMU_LANES; l++)
        addr[l] = lane_address(w, i, &i->src[0], l);
    if (emu_access_record(w, i, giving ? giving : mask, space_of(i), addr, MATRIX_ROW_BYTES, MATRIX_ROW_BYTES, at))
        return -1;
    if (giving)
        emu_watch_access(w, i, giving, space_of(i), addr, MATRIX_ROW_BYTES);
    for (unsigned l = 0; l < EMU_LANES; l++)
        row[l] = giving >> l & 1 ? at[l] : NULL;
    return 0;
}

/* Element (r, c) of a matrix is in lane 4r + c/2, half c%2. */
static u32 transpose_lane(const u16 m[8][8], unsigned l, bool trans)
{
    const unsigned r = l / 4, c = l % 4 * 2;
    return trans ? m[c][r] | (u32)m[c + 1][r] << 16 : m[r][c] | (u32)m[r][c + 1] << 16;
}

EMU_HANDLER(ldmatrix)
{
    u8 *row[EMU_LANES];
    const bool trans = i->aux[AUX_FLAGS] & F_TRANS;
    if (rows_open(row, w, i, mask, i->n_dst))
        return;
    u32 out[4][EMU_LANES];
    for (unsigned k = 0; k < i->n_dst; k++) {
        u16 m[8][8] = {{0}};
        for (unsigned r = 0; r < 8; r++)
            if (row[8 * k + r])
                memcpy(m[r], row[8 * k + r], MATRIX_ROW_BYTES);
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[k][l] = transpose_lane(m, l, trans);
    }
    for (unsigned k = 0; k < i->n_dst; k++)
        if (i->dst[k].lane)
            emu_store_row(emu_dst(w, &i->dst[k]), out[k], mask, 4);
}

EMU_HANDLER(stmatrix)
{
    u8 *row[EMU_LANES];
    const bool trans = i->aux[AUX_FLAGS] & F_TRANS;
    const unsigned n = i->n_src - 1u;
    if (rows_open(row, w, i, mask, n))
        return;
    for (unsigned k = 0; k < n; k++) {
        const u32 *reg = emu_src(w, &i->src[1 + k]);
        for (unsigned r = 0; r < 8; r++) {
            u16 line[8];
            for (unsigned c = 0; c < 8; c++) {
                const unsigned er = trans ? c : r, ec = trans ? r : c;
                line[c] = (u16)(reg[4 * er + ec / 2] >> 16 * (ec % 2));
            }
            if (row[8 * k + r])
                memcpy(row[8 * k + r], line, MATRIX_ROW_BYTES);
        }
    }
}

EMU_HANDLER(movmatrix)
{
    const u32 *a = emu_src(w, &i->src[0]);
    u16 m[8][8];
    for (unsigned r = 0; r < 8; r++)
        for (unsigned c = 0; c < 8; c++)
            m[r][c] = (u16)(a[4 * r + c / 2] >> 16 * (c % 2));
    u32 out[EMU_LANES];
    for (unsigned l = 0; l < EMU_LANES; l++)
        out[l] = transpose_lane(m, l, true);
    emu_store_row(emu_dst(w, &i->dst[0]), out, mask, 4);
}

/* ---- selection ---- */

static int select_wmma(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    struct frag_shape s;
    struct frag f;
    const bool store = ptx_has(p, PTX_M_STORE);
    const enum ptx_type type = p->n_type ? p->type[0] : PTX_T_NONE;
    const unsigned bits = emu_frag_bits(type);
    const enum frag_role role = ptx_has(p, PTX_M_A) ? FRAG_A : ptx_has(p, PTX_M_B) ? FRAG_B : FRAG_C;
    if (!emu_frag_shape(p, &s) || !bits)
        return emu_no(why, "this shape or type of matrix is not supported");
    const bool wmma_f16 = type == PTX_T_F16;
    const bool col = ptx_has(p, PTX_M_COL);
    if (bits < 8 && (role == FRAG_A ? col : role == FRAG_B ? !col : true))
        return emu_no(why, "elements of less than a byte must be stored along k");
    if (bits < 64 && role != FRAG_C && 4 * 32 / bits > s.k)
        return emu_no(why, "this shape does not go with this type");
    frag_make(&f, role, s, bits, wmma_f16);
    if (f.n_used > 8)
        return emu_no(why, "this shape does not go with this type");
    const unsigned n_other = p->n_opnd - 2u;
    if (p->n_opnd < 2 || n_other > 1)
        return emu_no(why, "it takes a matrix, an address and at most a stride");
    const char c = bits == 64 ? 'd' : 'w';
    char *at = sel->sig;
    if (store)
        *at++ = '>', *at++ = 'a';
    memset(at, c, f.n_reg);
    at += f.n_reg;
    if (!store)
        *at++ = '>', *at++ = 'a';
    if (n_other)
        *at++ = 'w';
    memset(sel->src_type, PTX_T_U32, sizeof sel->src_type);
    sel->fn = store ? wmma_store : wmma_load;
    sel->aux[AUX_M] = (u8)s.m;
    sel->aux[AUX_N] = (u8)s.n;
    sel->aux[AUX_K4] = (u8)(s.k / 4);
    sel->aux[AUX_TYPE] = (u8)type;
    sel->aux[AUX_ROLE] = (u8)role;
    sel->aux[AUX_FLAGS] = (u8)((col ? F_COL : 0) | (wmma_f16 ? F_WMMA_F16 : 0));
    return 0;
}

int emu_sel_matrix(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static const char *const load_sig[] = {"w>a", "ww>a", "wwww>a"}, *const store_sig[] = {">aw", ">aww", ">awwww"};
    if (p->op == PTX_WMMA)
        return select_wmma(p, sel, why);
    if (!ptx_has(p, PTX_M_M8N8) || !p->n_type || p->type[0] != PTX_T_B16)
        return emu_no(why, "only matrices of 8 x 8 elements of 16 bits are supported");
    sel->aux[AUX_FLAGS] = ptx_has(p, PTX_M_TRANS) ? F_TRANS : 0;
    if (p->op == PTX_MOVMATRIX) {
        emu_sig(sel, movmatrix, "w>w", PTX_T_B32);
        return 0;
    }
    const unsigned n = ptx_has(p, PTX_M_X4) ? 2 : ptx_has(p, PTX_M_X2) ? 1 : 0;
    const bool store = p->op == PTX_STMATRIX;
    emu_sig(sel, store ? stmatrix : ldmatrix, store ? store_sig[n] : load_sig[n], PTX_T_B32);
    return 0;
}
