/*
 * Kernel tables as bytes: docs/trace-format.md, "Kernel table". Field by field, so that neither the compiler's layout
 * nor the machine's byte order shows.
 */
#include "trace/table.h"

#include "base/text.h"

enum { INST_BYTES = 32, LOOP_BYTES = 8, OP_BYTES = 14, REGION_BYTES = 36 };

const char *trace_inst_address(const struct trace_kernel *k, const struct trace_inst *i)
{
    if (i->mem_index == UINT32_MAX || i->opcode_at >= k->n_str)
        return NULL;
    const char *end = memchr(k->str + i->opcode_at, 0, k->n_str - i->opcode_at);
    return end && end + 1 < k->str + k->n_str && end[1] == '[' ? end + 2 : NULL;
}

static const char *inst_check(const struct trace_kernel *k, const struct trace_inst *i)
{
    if (i->cls >= TRACE_CLASS_COUNT)
        return "an instruction has an unknown class";
    if (i->space >= TRACE_SP_COUNT)
        return "an instruction has an unknown space";
    if (i->regs_at > k->n_reg_entries || (uint32_t)i->n_dst + i->n_src > k->n_reg_entries - i->regs_at)
        return "an instruction's registers are outside the register list";
    if (i->loop > k->n_loop)
        return "an instruction names a loop that does not exist";
    if (i->src_line && i->src_file >= k->n_file)
        return "an instruction names a source file that does not exist";
    if (i->opcode_at >= k->n_str)
        return "an instruction's text is outside the strings";
    if (i->mem_index == UINT32_MAX)
        return NULL;
    if (i->mem_index >= k->n_mem)
        return "a memory instruction's number is not below their count";
    if (i->space == TRACE_SP_NONE || i->space == TRACE_SP_PARAM)
        return "a memory instruction accesses no space";
    if ((i->space == TRACE_SP_ASYNC) != (i->cls == TRACE_ASYNC || i->cls == TRACE_MBARRIER || i->cls == TRACE_BARRIER))
        return "an instruction of the asynchronous proxy accesses an ordinary space, or the reverse";
    return NULL;
}

/* The operations [at, at + n) of a region. */
static const char *ops_check(const struct trace_kernel *k, const struct trace_region *r, uint32_t at, uint32_t n,
                             uint32_t copies)
{
    const struct trace_code *c = k->code;
    if (at > c->n_op || n > c->n_op - at)
        return "a region's operations are outside their list";
    for (const struct trace_op *o = c->op + at; o < c->op + at + n; o++) {
        if (o->cls >= TRACE_CLASS_COUNT)
            return "an operation has an unknown class";
        if (o->regs_at > c->n_reg_entries || (uint32_t)o->n_dst + o->n_src > c->n_reg_entries - o->regs_at)
            return "an operation's registers are outside the register list";
        if (o->pc < r->pc || o->pc - r->pc >= r->n_pc)
            return "an operation comes from an instruction outside its region";
        if (o->copy >= copies)
            return "an operation belongs to an iteration that its region does not have";
        if (o->flags & ~(TRACE_OP_ACCESS | TRACE_OP_GUARDED | TRACE_OP_CONVERGE))
            return "an operation has unknown flags";
        if (o->flags & TRACE_OP_GUARDED && !o->n_src)
            return "an operation has a guard but reads nothing";
        if (o->flags & TRACE_OP_ACCESS && (k->inst[o->pc].mem_index == UINT32_MAX || !o->width))
            return "an operation accesses memory for an instruction that does not";
    }
    return NULL;
}

/* Regions tile the kernel, and a warp has room for what one execution of a region brings. */
static const char *code_check(const struct trace_kernel *k)
{
    const struct trace_code *c = k->code;
    const char *why = NULL;
    uint32_t pc = 0;
    if (c->n_scoreboard > UINT16_MAX + 1u)
        return "the code has more registers than numbers for them";
    for (uint32_t i = 0; i < c->n_reg_entries; i++)
        if (c->reg[i] >= c->n_scoreboard)
            return "a register number of the code is not below the scoreboard's size";
    for (uint32_t i = 0; !why && i < c->n_region; i++) {
        const struct trace_region *r = &c->region[i];
        uint32_t accesses = 0;
        if (r->pc != pc || !r->n_pc || r->n_pc > TRACE_REGION_PCS || r->n_pc > k->n_inst - pc)
            return "the code's regions do not tile the kernel";
        for (; pc < r->pc + r->n_pc; pc++)
            accesses += k->inst[pc].mem_index != UINT32_MAX;
        if (accesses > TRACE_REGION_ACCESSES)
            return "a region has too many memory instructions";
        if (r->copies % 2 || r->copies > TRACE_REGION_COPIES)
            return "a region is unrolled by an impossible number";
        why = ops_check(k, r, r->op, r->n_op, 1);
        if (!why)
            why = ops_check(k, r, r->all.op, r->all.n_op, r->copies);
        if (!why)
            why = ops_check(k, r, r->half.op, r->half.n_op, r->copies / 2);
    }
    return why ? why : pc == k->n_inst ? NULL : "the code's regions do not tile the kernel";
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
            why = "a loop's parent is not less deep"; /* so that a walk outward ends */
    return why || !k->code ? why : code_check(k);
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

static void code_put(byte_vec *v, const struct trace_code *c)
{
    put_var(v, c->n_op);
    put_var(v, c->n_reg_entries);
    put_var(v, c->n_region);
    put_var(v, c->n_scoreboard);
    for (uint32_t i = 0; i < c->n_op; i++) {
        const struct trace_op *o = &c->op[i];
        put_le(v, o->pc, 4);
        put_le(v, o->regs_at, 4);
        put_le(v, o->cls, 1);
        put_le(v, o->flags, 1);
        put_le(v, o->n_dst, 1);
        put_le(v, o->n_src, 1);
        put_le(v, o->width, 1);
        put_le(v, o->copy, 1);
    }
    for (uint32_t i = 0; i < c->n_reg_entries; i++)
        put_le(v, c->reg[i], 2);
    for (uint32_t i = 0; i < c->n_region; i++) {
        const struct trace_region *r = &c->region[i];
        put_le(v, r->pc, 4);
        put_le(v, r->n_pc, 4);
        put_le(v, r->op, 4);
        put_le(v, r->n_op, 4);
        put_le(v, r->copies, 4);
        put_le(v, r->all.op, 4);
        put_le(v, r->all.n_op, 4);
        put_le(v, r->half.op, 4);
        put_le(v, r->half.n_op, 4);
    }
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
    if (k->code)
        code_put(v, k->code);
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

static const char *code_get(struct byte_reader *r, struct arena *a, struct trace_kernel *k)
{
    struct trace_code *c = arena_alloc(a, sizeof *c);
    c->n_op = get_var32(r);
    c->n_reg_entries = get_var32(r);
    c->n_region = get_var32(r);
    c->n_scoreboard = get_var32(r);
    uint64_t bytes = (uint64_t)c->n_op * OP_BYTES + 2ull * c->n_reg_entries + (uint64_t)c->n_region * REGION_BYTES;
    if (r->bad || bytes > reader_left(r))
        return "the kernel's code ends early";
    struct trace_op *op = arena_alloc(a, (c->n_op + 1ull) * sizeof *op);
    for (struct trace_op *o = op; o < op + c->n_op; o++) {
        o->pc = (uint32_t)get_le(r, 4);
        o->regs_at = (uint32_t)get_le(r, 4);
        o->cls = (uint8_t)get_le(r, 1);
        o->flags = (uint8_t)get_le(r, 1);
        o->n_dst = (uint8_t)get_le(r, 1);
        o->n_src = (uint8_t)get_le(r, 1);
        o->width = (uint8_t)get_le(r, 1);
        o->copy = (uint8_t)get_le(r, 1);
    }
    uint16_t *reg = arena_alloc(a, (c->n_reg_entries + 1ull) * sizeof *reg);
    for (uint32_t i = 0; i < c->n_reg_entries; i++)
        reg[i] = (uint16_t)get_le(r, 2);
    struct trace_region *region = arena_alloc(a, (c->n_region + 1ull) * sizeof *region);
    for (struct trace_region *q = region; q < region + c->n_region; q++) {
        q->pc = (uint32_t)get_le(r, 4);
        q->n_pc = (uint32_t)get_le(r, 4);
        q->op = (uint32_t)get_le(r, 4);
        q->n_op = (uint32_t)get_le(r, 4);
        q->copies = (uint32_t)get_le(r, 4);
        q->all.op = (uint32_t)get_le(r, 4);
        q->all.n_op = (uint32_t)get_le(r, 4);
        q->half.op = (uint32_t)get_le(r, 4);
        q->half.n_op = (uint32_t)get_le(r, 4);
    }
    c->op = op;
    c->reg = reg;
    c->region = region;
    k->code = c;
    return NULL;
}

const char *table_get(struct byte_reader *r, struct arena *a, struct trace_kernel *k)
{
    static const char cut[] = "the kernel table ends early";
    size_t n = 0;
    const char *s = get_str(r, &n);
    if (!s)
        return cut;
    k->name = text_plain(arena_strndup(a, s, n));
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
        file[i] = text_plain(arena_strndup(a, s, n));
    }
    const uint8_t *text = get_bytes(r, k->n_str);
    if (!text)
        return cut;
    const char *why = reader_left(r) ? code_get(r, a, k) : NULL; /* format 1 had none */
    if (why)
        return why;
    if (reader_left(r))
        return "the kernel table is longer than its contents";
    char *str = arena_alloc(a, k->n_str + 1ull);
    memcpy(str, text, k->n_str);
    for (char *each = str; each < str + k->n_str; each += strlen(each) + 1)
        text_plain(each);
    k->inst = inst;
    k->reg = reg;
    k->loop = loop;
    k->file = file;
    k->str = str;
    return table_check(k);
}
