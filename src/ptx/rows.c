/*
 * Registers to rows: registers that are never alive at the same pc may share one.
 *
 * First fit over live ranges with holes, in order of first life: each register takes the lowest aligned rows that are
 * free in all of its segments. A 64-bit register takes two rows from an even one, a 128-bit register four. Predicates
 * have rows of their own kind.
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

/* Lowest multiple of `width` such that this many rows from there are free; makes rows as needed. */
static int place(row_vec *rows, unsigned width, const struct ptx_segment *s, uint32_t n, uint32_t *out)
{
    for (uint32_t r = 0; r + width <= MAX_ROWS; r += width) {
        while (rows->n < r + width)
            VEC_PUSH(rows, (struct row){0});
        bool is_free = true;
        for (unsigned k = 0; k < width && is_free; k++)
            is_free = row_is_free(&rows->p[r + k], s, n);
        if (!is_free)
            continue;
        for (unsigned k = 0; k < width; k++)
            row_take(&rows->p[r + k], s, n);
        *out = r;
        return 0;
    }
    return -1;
}

static uint32_t rows_in_use(const row_vec *rows)
{
    uint32_t n = (uint32_t)rows->n;
    while (n > 0 && rows->p[n - 1].taken.n == 0)
        n--;
    return n;
}

static void rows_free(row_vec *rows)
{
    for (size_t k = 0; k < rows->n; k++)
        VEC_FREE(&rows->p[k].taken);
    VEC_FREE(rows);
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
    row_vec general = {0}, pred = {0};
    int rc = 0;
    for (uint32_t k = 0; k < n && rc == 0; k++) {
        struct ptx_reg *r = &f->reg[order.item[k]];
        uint32_t from = live->at[order.item[k]], to = live->at[order.item[k] + 1], row = 0;
        unsigned width = ptx_reg_rows(r);
        rc = place(width ? &general : &pred, width ? width : 1, live->segment + from, to - from, &row);
        r->row = (uint16_t)row;
    }
    f->n_row = rows_in_use(&general);
    f->n_pred_row = rows_in_use(&pred);
    rows_free(&general);
    rows_free(&pred);
    arena_free(scratch);
    if (rc < 0)
        err_at(e, m->name, (int)f->line, 0, "function '%s' has more than %d registers alive at once", f->name,
               MAX_ROWS);
    return rc;
}
