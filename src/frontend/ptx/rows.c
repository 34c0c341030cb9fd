/*
 * Registers to rows: registers that are never alive at the same pc may share one.
 *
 * First fit over live ranges with holes, in order of first life: each register takes the lowest place that is free in
 * all of its segments. Each width has rows of its own, widest first, because lanes of a diverged warp are at different
 * bytes of a narrow and of a wide row: sharing across widths would let one path overwrite values of the other.
 * A 64-bit register takes two rows from an even one, a 128-bit register four from a multiple of four.
 */
#include "ptx/flow.h"

enum { MAX_ROWS = 1 << 15 }; /* ptx_reg.row has 16 bits */

struct row {
    VEC(struct ptx_segment) taken; /* sorted, disjoint */
};
typedef VEC(struct row) row_vec;

/* First taken segment of the row that ends at or behind pc. */
static size_t row_seek(const struct row *row, uint32_t pc)
{
    size_t lo = 0, hi = row->taken.n;
    if (hi == 0 || row->taken.p[hi - 1].last < pc)
        return hi;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (row->taken.p[mid].last < pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool row_is_free(const struct row *row, const struct ptx_segment *s, uint32_t n)
{
    size_t at = row_seek(row, s[0].first);
    for (uint32_t k = 0; k < n; k++) {
        if (at < row->taken.n && row->taken.p[at].last < s[k].first)
            at = row_seek(row, s[k].first);
        if (at == row->taken.n)
            return true;
        if (row->taken.p[at].first <= s[k].last)
            return false;
    }
    return true;
}

/* Adds the segments, merging the two sorted lists from the back. */
static void row_take(struct row *row, const struct ptx_segment *s, uint32_t n)
{
    size_t old = row->taken.n, at = old + n;
    VEC_RESERVE(&row->taken, at);
    row->taken.n = at;
    struct ptx_segment *p = row->taken.p;
    while (n > 0) {
        if (old > 0 && p[old - 1].first > s[n - 1].first)
            p[--at] = p[--old];
        else
            p[--at] = s[--n];
    }
}

/* The lowest row that is free in all the segments; makes one if need be. */
static int place(row_vec *rows, const struct ptx_segment *s, uint32_t n, uint32_t *out)
{
    uint32_t r = 0;
    while (r < rows->n && !row_is_free(&rows->p[r], s, n))
        r++;
    if (r == MAX_ROWS)
        return -1;
    if (r == rows->n)
        VEC_PUSH(rows, (struct row){0});
    row_take(&rows->p[r], s, n);
    *out = r;
    return 0;
}

static void rows_free(row_vec *rows)
{
    for (size_t k = 0; k < rows->n; k++)
        VEC_FREE(&rows->p[k].taken);
    VEC_FREE(rows);
}

/* Registers of one width, and predicates, which have none. */
enum width { W128, W64, W32, WPRED, N_WIDTHS };

static enum width width_of(const struct ptx_reg *r)
{
    switch (ptx_reg_rows(r)) {
    case 0:
        return WPRED;
    case 1:
        return W32;
    case 2:
        return W64;
    default:
        return W128;
    }
}

/* Registers in order of their first pc; those that never live are left out. */
static uint32_t order_by_start(const struct ptx_func *f, const struct ptx_live *live, struct arena *scratch,
                               struct ptx_lists *out)
{
    struct ptx_pair *pair = arena_alloc(scratch, (size_t)f->n_reg * sizeof *pair);
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->n_reg; r++)
        if (live->at[r] < live->at[r + 1])
            pair[n++] = (struct ptx_pair){live->segment[live->at[r]].first, r};
    *out = ptx_lists_build(scratch, f->n_inst, pair, n);
    return n;
}

int ptx_rows_assign(const struct ptx_module *m, struct ptx_func *f, const struct ptx_live *live, struct err *e)
{
    struct arena *scratch = arena_new();
    struct ptx_lists order;
    uint32_t n = order_by_start(f, live, scratch, &order);
    row_vec rows[N_WIDTHS] = {0};
    int rc = 0;
    for (uint32_t k = 0; k < n && rc == 0; k++) {
        uint32_t r = order.item[k], from = live->at[r], to = live->at[r + 1], row = 0;
        rc = place(&rows[width_of(&f->reg[r])], live->segment + from, to - from, &row);
        f->reg[r].row = (uint16_t)row;
    }
    uint32_t first64 = (uint32_t)rows[W128].n * 4, first32 = first64 + (uint32_t)rows[W64].n * 2;
    f->n_row = first32 + (uint32_t)rows[W32].n;
    f->n_pred_row = (uint32_t)rows[WPRED].n;
    for (unsigned w = 0; w < N_WIDTHS; w++)
        rows_free(&rows[w]);
    if (rc < 0 || f->n_row > MAX_ROWS) {
        rc = err_at(e, m->name, (int)f->line, 0, "function '%s' has more than %d live registers", f->name, MAX_ROWS);
    } else {
        for (uint32_t k = 0; k < n; k++) {
            struct ptx_reg *r = &f->reg[order.item[k]];
            enum width w = width_of(r);
            if (w == W128)
                r->row = (uint16_t)(r->row * 4);
            else if (w == W64)
                r->row = (uint16_t)(first64 + r->row * 2);
            else if (w == W32)
                r->row = (uint16_t)(first32 + r->row);
        }
    }
    arena_free(scratch);
    return rc;
}
