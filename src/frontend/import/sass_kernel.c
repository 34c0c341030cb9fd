/* Builds the static table of a kernel from its executions. */
#include "import/sass_kernel.h"

#include "base/demangle.h"
#include "base/mem.h"
#include "import/sass.h"
#include "trace/stream.h"

#include <limits.h>

/* Generic addresses of shared and of local memory are in windows of this size. */
#define WINDOW_BYTES (16ull << 20)
/* Instructions are 16 bytes long; before Volta 8, with 8 bytes of control information before every few instructions. A
 * gap of code that no warp executed gets at most MAX_FILL NOPs, because no instruction cache is larger. */
enum { MAX_REGS = 64, MAX_INSTS = 1 << 22, INST_BYTES = 16, MAX_FILL = 4096 };

struct gathered {
    uint32_t pc;
    struct trace_inst t; /* regs_at: into sass_kernel.reg; opcode_at: into sass_kernel.str */
    const struct sass_op *op;
};

struct back_jump {
    uint32_t header, jump; /* byte offsets; indices in the table after build_loops */
};

struct sass_kernel {
    char *name;
    VEC(struct gathered) inst; /* in the order of first execution; by address once it is finished */
    VEC(uint32_t) slot;        /* hash table by byte offset: index in `inst` + 1; 0 = free. A power of two in size */
    VEC(uint16_t) reg;
    VEC(char) str;
    VEC(struct back_jump) back;
    VEC(struct trace_loop) loop;
    uint32_t registers, n_scoreboard;
    uint64_t shared_base, local_base;
    uint64_t local_first, local_end; /* range of accessed offsets in local memory */
    /* state of the current warp */
    bool loaded[ACCELSIM_REGISTERS]; /* the value was loaded or computed from loaded data */
    uint32_t jumped;                 /* lanes whose latest instruction was a jump */
    uint32_t jump_pc[TRACE_WARP_SIZE];
    struct trace_inst *table_inst;
    struct trace_kernel table;
    char file_name[96];
    const char *file[1];
};

struct sass_kernel *sass_kernel_new(const char *name)
{
    struct sass_kernel *k = xcalloc(1, sizeof *k);
    k->name = xstrdup(name);
    k->local_first = UINT64_MAX;
    k->n_scoreboard = 1;
    return k;
}

void sass_kernel_free(struct sass_kernel *k)
{
    if (!k)
        return;
    VEC_FREE(&k->inst);
    VEC_FREE(&k->slot);
    VEC_FREE(&k->reg);
    VEC_FREE(&k->str);
    VEC_FREE(&k->back);
    VEC_FREE(&k->loop);
    free(k->table_inst);
    free(k->name);
    free(k);
}

const char *sass_kernel_name(const struct sass_kernel *k)
{
    return k->name;
}

void sass_kernel_launch(struct sass_kernel *k, const struct accelsim_kernel *l)
{
    if (l->registers > k->registers)
        k->registers = l->registers;
    k->shared_base = l->shared_base;
    k->local_base = l->local_base;
}

void sass_kernel_warp(struct sass_kernel *k)
{
    memset(k->loaded, 0, sizeof k->loaded);
    k->jumped = 0;
}

/* ---- instructions by address ---- */

static uint32_t *slot_of(struct sass_kernel *k, uint32_t pc)
{
    uint32_t mask = (uint32_t)k->slot.n - 1, at = pc * 0x9e3779b1u & mask;
    while (k->slot.p[at] && k->inst.p[k->slot.p[at] - 1].pc != pc)
        at = (at + 1) & mask;
    return &k->slot.p[at];
}

static void rehash(struct sass_kernel *k)
{
    size_t n = k->slot.n ? 2 * k->slot.n : 256;
    VEC_RESERVE(&k->slot, n);
    k->slot.n = n;
    memset(k->slot.p, 0, n * sizeof *k->slot.p);
    for (uint32_t i = 0; i < k->inst.n; i++)
        *slot_of(k, k->inst.p[i].pc) = i + 1;
}

/* ---- a new instruction ---- */

static uint32_t put_text(struct sass_kernel *k, const char *text)
{
    const size_t at = k->str.n, n = strlen(text) + 1;
    VEC_RESERVE(&k->str, at + n);
    memcpy(k->str.p + at, text, n);
    k->str.n += n;
    return (uint32_t)at;
}

static unsigned put_registers(struct sass_kernel *k, size_t first, unsigned have, uint16_t reg, unsigned n)
{
    if (reg == ACCELSIM_NO_REGISTER)
        return have;
    for (unsigned r = reg; r < reg + n && r < ACCELSIM_REGISTERS; r++) {
        bool known = false;
        for (size_t i = first; i < k->reg.n; i++)
            known |= k->reg.p[i] == r;
        if (known || have == MAX_REGS)
            continue;
        VEC_PUSH(&k->reg, (uint16_t)r);
        have++;
        if (r >= k->n_scoreboard)
            k->n_scoreboard = r + 1;
    }
    return have;
}

static void describe_registers(struct sass_kernel *k, struct gathered *g, const struct accelsim_inst *i)
{
    static const struct sass_op plain = {"", TRACE_MOVE, TRACE_SP_NONE, 0};
    const struct sass_op *op = g->op ? g->op : &plain;
    unsigned n = 0;
    g->t.regs_at = (uint32_t)k->reg.n;
    for (unsigned d = 0; d < i->n_dst; d++) /* a tracer that names several results names every one */
        n = put_registers(k, g->t.regs_at, n, i->dst[d], i->n_dst > 1 ? 1 : sass_registers(op, i->opcode, -1));
    g->t.n_dst = (uint8_t)n;
    size_t sources = k->reg.n;
    n = 0;
    for (unsigned s = 0; s < i->n_src; s++)
        n = put_registers(k, sources, n, i->src[s], sass_registers(op, i->opcode, (int)s));
    g->t.n_src = (uint8_t)n;
}

static int describe(struct sass_kernel *k, struct gathered *g, const struct accelsim_inst *i, struct err *e)
{
    const struct sass_op *op = g->op = sass_find(i->opcode);
    struct trace_inst *t = &g->t;
    *t = (struct trace_inst){.cls = TRACE_MOVE, .mem_index = UINT32_MAX, .src_line = i->line};
    if (!op && i->addresses)
        return err_set(e, "the memory instruction '%.40s' is not known", i->opcode);
    if (op) {
        t->cls = (uint8_t)sass_class(op, i->opcode);
        t->space = op->space;
    }
    if (t->cls == TRACE_BARRIER && sass_has(i->opcode, "ARV"))
        return err_set(e, "'%.40s' arrives at a barrier for a number of warps that the trace does not contain",
                       i->opcode);
    if (t->space == TRACE_SP_CONST && !i->addresses)
        t->space = TRACE_SP_PARAM; /* addresses of constants are not traced; most are kernel parameters */
    if (t->space != TRACE_SP_NONE) {
        t->width = (uint8_t)sass_width(op, i->opcode);
        t->mem_flags = (uint8_t)sass_mem_flags(op, i->opcode);
    }
    if (t->space != TRACE_SP_NONE && t->space != TRACE_SP_PARAM)
        t->mem_index = 0; /* sass_kernel_finish numbers it */
    describe_registers(k, g, i);
    t->opcode_at = put_text(k, i->opcode);
    return 0;
}

/* The entry of the instruction at that address, added if it is new. NULL and *e on errors. */
static struct gathered *instruction_at(struct sass_kernel *k, const struct accelsim_inst *i, struct err *e)
{
    if (2 * k->inst.n >= k->slot.n)
        rehash(k);
    uint32_t *slot = slot_of(k, i->pc);
    if (*slot) {
        struct gathered *g = &k->inst.p[*slot - 1];
        if (!strcmp(k->str.p + g->t.opcode_at, i->opcode))
            return g;
        err_set(e, "the instruction at %#x is '%.40s', and was '%.40s' before: launches of '%.80s' have different code",
                i->pc, i->opcode, k->str.p + g->t.opcode_at, k->name);
        return NULL;
    }
    if (k->inst.n == MAX_INSTS) {
        err_set(e, "the kernel has more than %d instructions", MAX_INSTS);
        return NULL;
    }
    struct gathered g = {.pc = i->pc};
    if (describe(k, &g, i, e))
        return NULL;
    VEC_PUSH(&k->inst, g);
    *slot = (uint32_t)k->inst.n;
    return &k->inst.p[k->inst.n - 1];
}

/* ---- dependences, loops and local memory, from executions ---- */

static void follow_loads(struct sass_kernel *k, struct gathered *g)
{
    if (!g->t.n_dst && !g->t.n_src)
        return; /* k->reg.p may be NULL: perhaps no instruction has named a register yet */
    const uint16_t *dst = k->reg.p + g->t.regs_at, *src = dst + g->t.n_dst;
    bool access = g->t.mem_index != UINT32_MAX, from_memory = access && g->t.n_dst;
    bool loaded = false;
    for (unsigned s = 0; s < g->t.n_src; s++)
        loaded |= k->loaded[src[s]];
    if (access && loaded) {
        /* Only the address matters. Its registers come first, before the data of stores and atomics. */
        unsigned n = sass_registers(g->op, k->str.p + g->t.opcode_at, 0);
        if (g->op->flags & SASS_COPY)
            n = g->t.n_src;
        for (unsigned s = 0; s < n && s < g->t.n_src; s++)
            if (k->loaded[src[s]])
                g->t.mem_flags |= TRACE_MEM_ADDR_FROM_LOAD;
    }
    for (unsigned d = 0; d < g->t.n_dst; d++)
        k->loaded[dst[d]] = access ? from_memory : loaded;
}

static void back_jump(struct sass_kernel *k, uint32_t header, uint32_t jump)
{
    for (size_t i = 0; i < k->back.n; i++)
        if (k->back.p[i].header == header) {
            if (jump > k->back.p[i].jump)
                k->back.p[i].jump = jump;
            return;
        }
    VEC_PUSH(&k->back, (struct back_jump){header, jump});
}

static void follow_jumps(struct sass_kernel *k, const struct gathered *g, uint32_t mask)
{
    for (uint32_t left = mask & k->jumped, seen = UINT32_MAX; left; left &= left - 1) {
        uint32_t jump = k->jump_pc[__builtin_ctz(left)];
        if (g->pc <= jump && jump != seen) /* lanes mostly come from the same jump */
            back_jump(k, g->pc, jump);
        seen = jump;
    }
    k->jumped &= ~mask;
    if (!g->op || !(g->op->flags & SASS_JUMP))
        return;
    k->jumped |= mask;
    for (uint32_t left = mask; left; left &= left - 1)
        k->jump_pc[__builtin_ctz(left)] = g->pc;
}

static uint64_t in_window(uint64_t a, uint64_t base)
{
    return base && a >= base && a - base < WINDOW_BYTES ? a - base : a;
}

int sass_kernel_add(struct sass_kernel *k, const struct accelsim_inst *i, struct err *e)
{
    struct gathered *g = instruction_at(k, i, e);
    if (!g)
        return -1;
    bool has = g->t.mem_index != UINT32_MAX;
    if (i->mask && has != i->addresses)
        return has ? err_set(e, "'%.40s' has no addresses", i->opcode)
                   : err_set(e, "'%.40s' has addresses, but is no memory instruction or had none before", i->opcode);
    follow_loads(k, g);
    follow_jumps(k, g, i->mask);
    if (!has || g->t.space == TRACE_SP_SHARED || g->t.space == TRACE_SP_GLOBAL || g->t.space == TRACE_SP_CONST)
        return 0;
    for (uint32_t left = i->mask; left; left &= left - 1) {
        uint64_t a = i->addr[__builtin_ctz(left)], offset = in_window(a, k->local_base);
        if (offset == a && g->t.space != TRACE_SP_LOCAL)
            continue;
        k->local_first = offset < k->local_first ? offset : k->local_first;
        k->local_end = offset + g->t.width > k->local_end ? offset + g->t.width : k->local_end;
    }
    return 0;
}

/* ---- the table ---- */

static int by_pc(const void *a, const void *b)
{
    const struct gathered *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_header(const void *a, const void *b)
{
    const struct back_jump *x = a, *y = b;
    return x->header < y->header ? -1 : x->header > y->header;
}

/*
 * Fills code that no warp executed with NOPs, one per 16 bytes, because a jump over it would otherwise look like a step
 * to the next instruction. Only as many are added as can matter to an instruction cache.
 */
static void fill_gaps(struct sass_kernel *k)
{
    const size_t n = k->inst.n;
    const uint32_t nop = put_text(k, "NOP");
    for (size_t i = 1; i < n; i++) {
        uint32_t from = k->inst.p[i - 1].pc, fill = (k->inst.p[i].pc - from - 1) / INST_BYTES;
        fill = fill > MAX_FILL ? MAX_FILL : fill;
        for (uint32_t f = 1; f <= fill && k->inst.n < 2 * (size_t)MAX_INSTS; f++) {
            struct gathered g = {.pc = from + f * INST_BYTES,
                                 .op = sass_find("NOP"),
                                 .t = {.cls = TRACE_NOP, .mem_index = UINT32_MAX, .opcode_at = nop}};
            VEC_PUSH(&k->inst, g);
        }
    }
}

/* Builds the tree of loops. A loop that begins inside another and ends after it extends the outer one. */
static void build_loops(struct sass_kernel *k)
{
    VEC(struct back_jump) open = {0};
    VEC(uint16_t) number = {0};
    for (size_t i = 0; i < k->back.n; i++) {
        k->back.p[i].header = sass_kernel_index(k, k->back.p[i].header, 0);
        k->back.p[i].jump = sass_kernel_index(k, k->back.p[i].jump, 0);
    }
    if (k->back.n)
        qsort(k->back.p, k->back.n, sizeof *k->back.p, by_header);
    for (size_t i = k->back.n; i-- > 0;) /* inner loops first, because they may extend outer ones */
        for (size_t j = i + 1; j < k->back.n && k->back.p[j].header <= k->back.p[i].jump; j++)
            if (k->back.p[j].jump > k->back.p[i].jump)
                k->back.p[i].jump = k->back.p[j].jump;
    size_t next = 0;
    for (uint32_t pc = 0; pc < k->inst.n; pc++) {
        while (open.n && open.p[open.n - 1].jump < pc) {
            open.n--;
            number.n--;
        }
        if (next < k->back.n && k->back.p[next].header == pc) {
            uint16_t parent = number.n ? number.p[number.n - 1] : 0;
            if (k->loop.n < UINT16_MAX) {
                VEC_PUSH(&k->loop, (struct trace_loop){parent, (uint16_t)(number.n + 1), pc});
                VEC_PUSH(&open, k->back.p[next]);
                VEC_PUSH(&number, (uint16_t)k->loop.n);
            }
            next++;
        }
        k->inst.p[pc].t.loop = number.n ? number.p[number.n - 1] : 0;
    }
    VEC_FREE(&open);
    VEC_FREE(&number);
}

void sass_kernel_finish(struct sass_kernel *k)
{
    uint32_t n_mem = 0;
    bool lines = false, copies = false;
    for (size_t i = 0; i < k->inst.n; i++)
        copies |= k->inst.p[i].op && k->inst.p[i].op->flags & SASS_COMMIT;
    if (k->inst.n)
        qsort(k->inst.p, k->inst.n, sizeof *k->inst.p, by_pc);
    fill_gaps(k);
    if (k->inst.n)
        qsort(k->inst.p, k->inst.n, sizeof *k->inst.p, by_pc);
    build_loops(k);
    k->table_inst = xcalloc(k->inst.n + 1, sizeof *k->table_inst);
    for (size_t i = 0; i < k->inst.n; i++) {
        struct trace_inst *t = &k->table_inst[i];
        *t = k->inst.p[i].t;
        if (!copies && k->inst.p[i].op && k->inst.p[i].op->flags & SASS_WAIT)
            t->cls = TRACE_NOP; /* it waits for registers, which the SM's scoreboard does by itself */
        if (t->mem_index != UINT32_MAX)
            t->mem_index = n_mem++;
        lines |= t->src_line != 0;
    }
    /* Traces give line numbers without the file's name. If there are none, the instruction's number is used instead. */
    demangle_fit(k->name, k->file_name, sizeof k->file_name - sizeof ".sass");
    strcat(k->file_name, lines ? ".cu" : ".sass");
    k->file[0] = k->file_name;
    for (uint32_t i = 0; !lines && i < k->inst.n; i++)
        k->table_inst[i].src_line = i + 1;
    k->table = (struct trace_kernel){
        .name = k->name,
        .n_inst = (uint32_t)k->inst.n,
        .n_reg_entries = (uint32_t)k->reg.n,
        .n_loop = (uint32_t)k->loop.n,
        .n_file = 1,
        .n_str = (uint32_t)k->str.n,
        .n_mem = n_mem,
        .inst = k->table_inst,
        .reg = k->reg.p,
        .loop = k->loop.p,
        .file = k->file,
        .str = k->str.p,
        .n_scoreboard = k->n_scoreboard,
        .regs_per_thread = k->registers,
        .local_bytes_per_thread = k->local_end > k->local_first && k->local_end - k->local_first <= WINDOW_BYTES
                                      ? (uint32_t)(k->local_end - k->local_first)
                                      : 0,
    };
}

const struct trace_kernel *sass_kernel_table(const struct sass_kernel *k)
{
    return &k->table;
}

uint32_t sass_kernel_index(const struct sass_kernel *k, uint32_t pc, uint32_t near)
{
    size_t first = 0, end = k->inst.n;
    if (near < end && k->inst.p[near].pc == pc)
        return near;
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (k->inst.p[middle].pc < pc)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == k->inst.n || k->inst.p[first].pc != pc)
        BUG("instruction %#x of '%s' was never gathered", pc, k->name);
    return (uint32_t)first;
}

static uint8_t resolve(const struct sass_kernel *k, uint8_t space, uint64_t *a)
{
    uint64_t shared = in_window(*a, k->shared_base), local = in_window(*a, k->local_base);
    if (space == TRACE_SP_GENERIC)
        space = shared != *a ? TRACE_SP_SHARED : local != *a ? TRACE_SP_LOCAL : TRACE_SP_GLOBAL;
    if (space == TRACE_SP_SHARED)
        *a = shared;
    if (space == TRACE_SP_LOCAL)
        *a = local - k->local_first;
    return space;
}

uint32_t sass_kernel_access(const struct sass_kernel *k, const struct trace_inst *t, const struct accelsim_inst *i,
                            uint8_t *space, uint64_t addr[TRACE_WARP_SIZE])
{
    uint32_t lanes = 0;
    if (!trace_has_addresses(t))
        return 0;
    *space = TRACE_SP_NONE;
    for (uint32_t left = i->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        addr[lane] = i->addr[lane];
        uint8_t own = resolve(k, t->space, &addr[lane]);
        if (*space == TRACE_SP_NONE)
            *space = own;
        lanes |= own == *space ? 1u << lane : 0;
    }
    return lanes;
}

void sass_kernel_each_remark(const struct sass_kernel *k, void (*fn)(void *ctx, const char *opcode, bool known),
                             void *ctx)
{
    for (size_t i = 0; i < k->inst.n; i++)
        if (!k->inst.p[i].op || k->inst.p[i].op->flags & SASS_NOT_TRACED)
            fn(ctx, k->str.p + k->inst.p[i].t.opcode_at, k->inst.p[i].op != NULL);
}
