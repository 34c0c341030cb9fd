/*
 * Kernel tables as bytes: docs/trace-format.md, "Kernel table". Field by field, so that neither the compiler's layout
 * nor the machine's byte order shows.
 */
#include "trace/table.h"

enum { INST_BYTES = 32, LOOP_BYTES = 8 };

static const char *inst_check(const struct trace_kernel *k, const struct trace_inst *i)
{
    if (i->cls >= TRACE_CLASS_COUNT)
        return "an instruction has an unknown class";
    if (i->space > TRACE_SP_GENERIC)
        return "an instruction has an unknown space";
    if (i->regs_at > k->n_reg_entries || (uint32_t)i->n_dst + i->n_src > k->n_reg_entries - i->regs_at)
        return "an instruction's registers lie outside the register list";
    if (i->loop > k->n_loop)
        return "an instruction names a loop that does not exist";
    if (i->src_line && i->src_file >= k->n_file)
        return "an instruction names a source file that does not exist";
    if (i->opcode_at >= k->n_str)
        return "an instruction's text lies outside the strings";
    if (i->mem_index == UINT32_MAX)
        return NULL;
    if (i->mem_index >= k->n_mem)
        return "a memory instruction's number is not below their count";
    if (i->space == TRACE_SP_NONE || i->space == TRACE_SP_PARAM)
        return "a memory instruction accesses no space";
    return NULL;
}

const char *table_check(const struct trace_kernel *k)
{
    const char *why = NULL;
    /* The machine makes room by these counts, so they may not be larger than what they count. */
    if (k->n_mem > k->n_inst)
        return "there are more memory instructions than instructions";
    if (k->n_scoreboard > UINT16_MAX + 1u)
        return "there are more registers than numbers for them";
    if (k->n_loop > UINT16_MAX)
        return "there are more loops than numbers for them";
    if (!k->n_str || k->str[k->n_str - 1] != '\0')
        return "the strings do not end with a NUL";
    for (uint32_t i = 0; !why && i < k->n_inst; i++)
        why = inst_check(k, &k->inst[i]);
    for (uint32_t i = 0; !why && i < k->n_reg_entries; i++)
        if (k->reg[i] >= k->n_scoreboard)
            why = "a register number is not below the scoreboard's size";
    for (uint32_t i = 0; !why && i < k->n_loop; i++)
        if (k->loop[i].parent > k->n_loop || k->loop[i].header_pc >= k->n_inst)
            why = "a loop's parent or header does not exist";
        else if (k->loop[i].parent && k->loop[k->loop[i].parent - 1].depth >= k->loop[i].depth)
            why = "a loop's parent is not less deep"; /* so that going outwards comes to an end */
    return why;
}

const char *launch_check(const struct trace_launch *l)
{
    uint64_t ctas = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!l->grid[i] || !l->block[i])
            return "a launch has an empty grid or block";
        if (__builtin_mul_overflow(ctas, (uint64_t)l->grid[i], &ctas))
            return "a launch has a grid beyond 64 bits";
        if (l->block[i] > 1024 || (threads *= l->block[i]) > 1024)
            return "a launch has more than 1024 threads in a block";
    }
    return NULL;
}

void table_put(byte_vec *v, const struct trace_kernel *k)
{
    put_str(v, k->name);
    put_var(v, k->n_inst);
    put_var(v, k->n_reg_entries);
    put_var(v, k->n_loop);
    put_var(v, k->n_file);
    put_var(v, k->n_str);
    put_var(v, k->n_mem);
    put_var(v, k->n_scoreboard);
    put_var(v, k->regs_per_thread);
    put_var(v, k->smem_static_bytes);
    put_var(v, k->local_bytes_per_thread);
    put_var(v, k->max_threads_per_cta);
    VEC_RESERVE(v, v->n + (size_t)k->n_inst * INST_BYTES);
    for (uint32_t i = 0; i < k->n_inst; i++) {
        const struct trace_inst *t = &k->inst[i];
        put_le(v, t->cls, 1);
        put_le(v, t->space, 1);
        put_le(v, t->width, 1);
        put_le(v, t->mem_flags, 1);
        put_le(v, t->n_dst, 1);
        put_le(v, t->n_src, 1);
        put_le(v, t->loop, 2);
        put_le(v, t->regs_at, 4);
        put_le(v, t->mem_index, 4);
        put_le(v, t->ptx_line, 4);
        put_le(v, t->src_line, 4);
        put_le(v, t->src_file, 2);
        put_le(v, t->barrier, 2);
        put_le(v, t->opcode_at, 4);
    }
    for (uint32_t i = 0; i < k->n_reg_entries; i++)
        put_le(v, k->reg[i], 2);
    for (uint32_t i = 0; i < k->n_loop; i++) {
        put_le(v, k->loop[i].parent, 2);
        put_le(v, k->loop[i].depth, 2);
        put_le(v, k->loop[i].header_pc, 4);
    }
    for (uint32_t i = 0; i < k->n_file; i++)
        put_str(v, k->file[i]);
    put_bytes(v, k->str, k->n_str);
}

static void get_inst(struct byte_reader *r, struct trace_inst *t)
{
    t->cls = (uint8_t)get_le(r, 1);
    t->space = (uint8_t)get_le(r, 1);
    t->width = (uint8_t)get_le(r, 1);
    t->mem_flags = (uint8_t)get_le(r, 1);
    t->n_dst = (uint8_t)get_le(r, 1);
    t->n_src = (uint8_t)get_le(r, 1);
    t->loop = (uint16_t)get_le(r, 2);
    t->regs_at = (uint32_t)get_le(r, 4);
    t->mem_index = (uint32_t)get_le(r, 4);
    t->ptx_line = (uint32_t)get_le(r, 4);
    t->src_line = (uint32_t)get_le(r, 4);
    t->src_file = (uint16_t)get_le(r, 2);
    t->barrier = (uint16_t)get_le(r, 2);
    t->opcode_at = (uint32_t)get_le(r, 4);
}

const char *table_get(struct byte_reader *r, struct arena *a, struct trace_kernel *k)
{
    static const char cut[] = "the kernel table ends early";
    size_t n = 0;
    const char *s = get_str(r, &n);
    if (!s)
        return cut;
    k->name = arena_strndup(a, s, n);
    k->n_inst = get_var32(r);
    k->n_reg_entries = get_var32(r);
    k->n_loop = get_var32(r);
    k->n_file = get_var32(r);
    k->n_str = get_var32(r);
    k->n_mem = get_var32(r);
    k->n_scoreboard = get_var32(r);
    k->regs_per_thread = get_var32(r);
    k->smem_static_bytes = get_var32(r);
    k->local_bytes_per_thread = get_var32(r);
    k->max_threads_per_cta = get_var32(r);
    uint64_t least = (uint64_t)k->n_inst * INST_BYTES + 2ull * k->n_reg_entries + (uint64_t)k->n_loop * LOOP_BYTES +
                     k->n_file + k->n_str;
    if (r->bad || least > reader_left(r))
        return cut;

    struct trace_inst *inst = arena_alloc64(a, (k->n_inst + 1ull) * sizeof *inst);
    for (uint32_t i = 0; i < k->n_inst; i++)
        get_inst(r, &inst[i]);
    uint16_t *reg = arena_alloc(a, (k->n_reg_entries + 1ull) * sizeof *reg);
    for (uint32_t i = 0; i < k->n_reg_entries; i++)
        reg[i] = (uint16_t)get_le(r, 2);
    struct trace_loop *loop = arena_alloc(a, (k->n_loop + 1ull) * sizeof *loop);
    for (uint32_t i = 0; i < k->n_loop; i++) {
        loop[i].parent = (uint16_t)get_le(r, 2);
        loop[i].depth = (uint16_t)get_le(r, 2);
        loop[i].header_pc = (uint32_t)get_le(r, 4);
    }
    const char **file = arena_alloc(a, (k->n_file + 1ull) * sizeof *file);
    for (uint32_t i = 0; i < k->n_file; i++) {
        if (!(s = get_str(r, &n)))
            return cut;
        file[i] = arena_strndup(a, s, n);
    }
    const uint8_t *text = get_bytes(r, k->n_str);
    if (!text)
        return cut;
    if (reader_left(r))
        return "the kernel table is longer than its contents";
    char *str = arena_alloc(a, k->n_str + 1ull);
    memcpy(str, text, k->n_str);
    k->inst = inst;
    k->reg = reg;
    k->loop = loop;
    k->file = file;
    k->str = str;
    return table_check(k);
}
