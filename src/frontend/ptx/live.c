/*
 * Live ranges, per thread: a register is alive from a write to the last read that may see it.
 *
 * A guarded write does not end the life of the old value: lanes that are switched off keep it. Reads count as alive
 * through their whole instruction, so a destination never shares a row with another register that the instruction
 * reads; an emulator may write one part of a wide result before it reads the last source.
 *
 * Liveness at block boundaries is found register by register: from each block that reads it before writing it, walk
 * against the edges until the blocks that write it. The cost is the size of the result.
 */
#include "ptx/flow.h"

enum { MAX_LIVE_PAIRS = 1 << 28 }; /* (block, register) pairs; beyond that a function is refused */

typedef VEC(struct ptx_pair) pair_vec;

/* Reads before any write in the block, and certain writes: both as (register, block) pairs, each once. */
static void scan_blocks(const struct ptx_func *f, const struct ptx_defuse *du, struct arena *scratch, pair_vec *reads,
                        pair_vec *kills)
{
    uint32_t *read_in = arena_alloc(scratch, (size_t)f->n_reg * sizeof *read_in);     /* last block + 1 */
    uint32_t *killed_in = arena_alloc(scratch, (size_t)f->n_reg * sizeof *killed_in); /* likewise */
    for (uint32_t b = 0; b < f->n_block; b++) {
        for (uint32_t pc = f->block[b].first; pc <= f->block[b].last; pc++) {
            for (uint32_t k = du->at[pc] + du->n_def[pc]; k < du->at[pc + 1]; k++) {
                uint32_t r = du->reg[k];
                if (killed_in[r] != b + 1 && read_in[r] != b + 1) {
                    read_in[r] = b + 1;
                    VEC_PUSH(reads, (struct ptx_pair){r, b});
                }
            }
            if (f->inst[pc].guard >= 0)
                continue;
            for (uint32_t k = du->at[pc]; k < du->at[pc] + du->n_def[pc]; k++) {
                uint32_t r = du->reg[k];
                if (killed_in[r] != b + 1) {
                    killed_in[r] = b + 1;
                    VEC_PUSH(kills, (struct ptx_pair){r, b});
                }
            }
        }
    }
}

/* Registers alive at the end of each block, as (block, register) pairs. Returns -1 when there are too many. */
static int spread(const struct ptx_func *f, const struct ptx_lists *reads, const struct ptx_lists *kills,
                  struct arena *scratch, pair_vec *out)
{
    size_t bytes = (size_t)f->n_block * sizeof(uint32_t);
    uint32_t *kill = arena_alloc(scratch, bytes), *live_in = arena_alloc(scratch, bytes); /* last register + 1 */
    uint32_t *live_out = arena_alloc(scratch, bytes), *stack = arena_alloc(scratch, bytes);
    for (uint32_t r = 0; r < f->n_reg; r++) {
        uint32_t n = 0;
        for (uint32_t k = kills->at[r]; k < kills->at[r + 1]; k++)
            kill[kills->item[k]] = r + 1;
        for (uint32_t k = reads->at[r]; k < reads->at[r + 1]; k++) {
            live_in[reads->item[k]] = r + 1;
            stack[n++] = reads->item[k];
        }
        while (n) {
            const struct ptx_block *b = &f->block[stack[--n]];
            for (uint32_t k = 0; k < b->n_pred; k++) {
                uint32_t p = b->pred[k];
                if (live_out[p] == r + 1)
                    continue;
                live_out[p] = r + 1;
                if (out->n == MAX_LIVE_PAIRS)
                    return -1;
                VEC_PUSH(out, (struct ptx_pair){p, r});
                if (kill[p] != r + 1 && live_in[p] != r + 1) {
                    live_in[p] = r + 1;
                    stack[n++] = p;
                }
            }
        }
    }
    return 0;
}

/* The set of registers alive at one point, while walking a block backward. */
struct alive {
    const struct ptx_func *f;
    uint32_t *until; /* last pc of the open segment */
    uint32_t *place; /* in list + 1; 0 = not alive */
    uint32_t *list;
    uint32_t n;
    uint32_t rows, max_rows; /* their width */
};

struct raw_segment { /* in order of falling start, because code is walked backward */
    uint32_t reg;
    struct ptx_segment s;
};
typedef VEC(struct raw_segment) raw_vec;

static void begin(struct alive *a, uint32_t r, uint32_t pc)
{
    if (a->place[r])
        return;
    a->list[a->n++] = r;
    a->place[r] = a->n;
    a->until[r] = pc;
    a->rows += ptx_reg_rows(&a->f->reg[r]);
}

static void end(struct alive *a, uint32_t r)
{
    uint32_t hole = a->place[r] - 1, last = a->list[--a->n];
    a->list[hole] = last;
    a->place[last] = hole + 1;
    a->place[r] = 0;
    a->rows -= ptx_reg_rows(&a->f->reg[r]);
}

static void note_peak(struct alive *a, uint32_t rows)
{
    if (rows > a->max_rows)
        a->max_rows = rows;
}

static void walk_inst(struct alive *a, const struct ptx_defuse *du, uint32_t pc, raw_vec *out)
{
    bool certain = a->f->inst[pc].guard < 0;
    uint32_t dead_rows = 0; /* a result that is never read still needs a row */
    for (uint32_t k = du->at[pc]; k < du->at[pc] + du->n_def[pc]; k++) {
        uint32_t r = du->reg[k];
        if (!a->place[r])
            dead_rows += ptx_reg_rows(&a->f->reg[r]);
    }
    note_peak(a, a->rows + dead_rows);
    for (uint32_t k = du->at[pc]; k < du->at[pc] + du->n_def[pc]; k++) {
        uint32_t r = du->reg[k];
        if (!a->place[r])
            VEC_PUSH(out, (struct raw_segment){r, {pc, pc}});
        else if (certain) {
            VEC_PUSH(out, (struct raw_segment){r, {pc, a->until[r]}});
            end(a, r);
        }
    }
    for (uint32_t k = du->at[pc] + du->n_def[pc]; k < du->at[pc + 1]; k++)
        begin(a, du->reg[k], pc);
    note_peak(a, a->rows);
}

static void walk_blocks(struct alive *a, const struct ptx_defuse *du, const struct ptx_lists *live_out, raw_vec *out)
{
    for (uint32_t b = a->f->n_block; b-- > 0;) {
        const struct ptx_block *block = &a->f->block[b];
        for (uint32_t k = live_out->at[b]; k < live_out->at[b + 1]; k++)
            begin(a, live_out->item[k], block->last);
        for (uint32_t pc = block->last + 1; pc-- > block->first;)
            walk_inst(a, du, pc, out);
        while (a->n) {
            uint32_t r = a->list[a->n - 1];
            VEC_PUSH(out, (struct raw_segment){r, {block->first, a->until[r]}});
            end(a, r);
        }
    }
}

/* Sorts the raw segments by register and start, and joins neighbors. */
static void gather(const struct ptx_func *f, const raw_vec *raw, struct arena *scratch, struct ptx_live *out)
{
    uint32_t *count = arena_alloc(scratch, ((size_t)f->n_reg + 1) * sizeof *count);
    out->at = arena_alloc(scratch, ((size_t)f->n_reg + 1) * sizeof *out->at);
    out->segment = arena_alloc(scratch, raw->n * sizeof *out->segment);
    for (size_t k = 0; k < raw->n; k++)
        count[raw->p[k].reg + 1]++;
    for (uint32_t r = 0; r < f->n_reg; r++)
        count[r + 1] += count[r];
    struct ptx_segment *sorted = arena_alloc(scratch, raw->n * sizeof *sorted);
    uint32_t *fill = arena_alloc(scratch, (size_t)f->n_reg * sizeof *fill);
    for (size_t k = raw->n; k-- > 0;) {
        uint32_t r = raw->p[k].reg;
        sorted[count[r] + fill[r]++] = raw->p[k].s;
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->n_reg; r++) {
        out->at[r] = n;
        for (uint32_t k = count[r]; k < count[r + 1]; k++) {
            if (n > out->at[r] && sorted[k].first <= out->segment[n - 1].last + 1) {
                if (sorted[k].last > out->segment[n - 1].last)
                    out->segment[n - 1].last = sorted[k].last;
            } else {
                out->segment[n++] = sorted[k];
            }
        }
    }
    out->at[f->n_reg] = n;
}

int ptx_live_build(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_defuse *du,
                   struct arena *scratch, struct ptx_live *out, struct err *e)
{
    pair_vec reads = {0}, kills = {0}, across = {0};
    raw_vec raw = {0};
    scan_blocks(f, du, scratch, &reads, &kills);
    struct ptx_lists read_blocks = ptx_lists_build(scratch, f->n_reg, reads.p, reads.n);
    struct ptx_lists kill_blocks = ptx_lists_build(scratch, f->n_reg, kills.p, kills.n);
    int rc = spread(f, &read_blocks, &kill_blocks, scratch, &across);
    if (rc < 0) {
        err_at(e, m->name, (int)f->line, 0, "function '%s' is too large: over %d live values across blocks", f->name,
               MAX_LIVE_PAIRS);
    } else {
        struct ptx_lists live_out = ptx_lists_build(scratch, f->n_block, across.p, across.n);
        size_t bytes = (size_t)f->n_reg * sizeof(uint32_t);
        struct alive a = {
            .f = f,
            .until = arena_alloc(scratch, bytes),
            .place = arena_alloc(scratch, bytes),
            .list = arena_alloc(scratch, bytes),
        };
        walk_blocks(&a, du, &live_out, &raw);
        /* A caller writes parameters in registers before the first instruction, whether they are read or not. */
        for (uint32_t k = 0; k < f->n_param && f->n_inst > 0; k++)
            if (f->param[k].in_reg)
                VEC_PUSH(&raw, (struct raw_segment){(uint32_t)f->param[k].reg, {0, 0}});
        gather(f, &raw, scratch, out);
        out->max_live = a.max_rows;
    }
    VEC_FREE(&reads);
    VEC_FREE(&kills);
    VEC_FREE(&across);
    VEC_FREE(&raw);
    return rc;
}
