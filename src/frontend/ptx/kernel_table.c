/* See kernel_table.h. */
#include "ptx/kernel_table.h"
#include "ptx/flow.h"

enum { MAX_SCOREBOARD = UINT16_MAX };

struct builder {
    struct arena *arena;
    struct trace_inst *inst;
    VEC(uint16_t) reg;
    VEC(char) str;
    VEC(struct trace_loop) loop;
    VEC(const char *) file;
    struct strmap text_at, file_at;
    uint32_t n_mem;
    bool lets_begin;
};

/* Offset of n bytes and a NUL in the pool; equal ones are stored once. */
static uint32_t intern(struct builder *b, const char *s, size_t n)
{
    uint32_t at = strmap_get(&b->text_at, s, n);
    if (at != STRMAP_NONE)
        return at;
    at = (uint32_t)b->str.n;
    for (size_t k = 0; k <= n; k++)
        VEC_PUSH(&b->str, s[k]);
    strmap_put(&b->text_at, s, n, at);
    return at;
}

/* The instruction's text, and behind it the address of its access where something is known of it. */
static uint32_t intern_text(struct builder *b, const struct ptx_code *c, const struct ptx_inst *i, const int32_t *base)
{
    char address[PTX_BASE_TEXT];
    if (!ptx_base_text(c->module, c->func, i, base, address))
        return intern(b, i->text, strlen(i->text));
    const size_t n = strlen(i->text), more = strlen(address);
    char *both = arena_alloc(b->arena, n + more + 2);
    memcpy(both, i->text, n);
    memcpy(both + n + 1, address, more);
    return intern(b, both, n + 1 + more);
}

static uint16_t file_index(struct builder *b, const struct ptx_module *m, uint16_t loc_file)
{
    if (loc_file >= m->n_file)
        return 0;
    const char *name = m->file[loc_file];
    uint32_t at = strmap_get(&b->file_at, name, strlen(name));
    if (at == STRMAP_NONE) {
        at = (uint32_t)b->file.n;
        VEC_PUSH(&b->file, arena_strndup(b->arena, name, strlen(name)));
        strmap_put(&b->file_at, name, strlen(name), at);
    }
    return (uint16_t)at;
}

/* ---- memory facts ---- */

static enum trace_space space_of(enum ptx_space s)
{
    switch (s) {
    case PTX_S_GLOBAL:
        return TRACE_SP_GLOBAL;
    case PTX_S_SHARED:
    case PTX_S_SHARED_CLUSTER:
        return TRACE_SP_SHARED;
    case PTX_S_LOCAL:
        return TRACE_SP_LOCAL;
    case PTX_S_CONST:
        return TRACE_SP_CONST;
    case PTX_S_PARAM:
        return TRACE_SP_PARAM;
    default:
        return TRACE_SP_GENERIC;
    }
}

/* Columns and rows of a wmma tile: .a is m x k, .b is k x n, .c and .d are m x n. */
static unsigned wmma_elements(const struct ptx_inst *i)
{
    static const struct {
        uint8_t shape, m, n;
        uint16_t k;
    } shapes[] = {
        {PTX_M_M16N16K16, 16, 16, 16}, {PTX_M_M32N8K16, 32, 8, 16}, {PTX_M_M8N32K16, 8, 32, 16},
        {PTX_M_M8N8K32, 8, 8, 32},     {PTX_M_M8N8K128, 8, 8, 128}, {PTX_M_M16N16K8, 16, 16, 8},
        {PTX_M_M8N8K4, 8, 8, 4},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        if (ptx_has(i, (enum ptx_mod)shapes[s].shape)) {
            if (ptx_has(i, PTX_M_A))
                return shapes[s].m * shapes[s].k;
            if (ptx_has(i, PTX_M_B))
                return shapes[s].k * shapes[s].n;
            return shapes[s].m * shapes[s].n;
        }
    return 256;
}

static unsigned type_bits(enum ptx_type t)
{
    return t == PTX_T_U4 || t == PTX_T_S4 ? 4 : t == PTX_T_B1 ? 1 : 8 * ptx_type_bytes(t);
}

unsigned ptx_access_bytes(const struct ptx_inst *i)
{
    enum ptx_type first = i->n_type ? (enum ptx_type)i->type[0] : PTX_T_B32;
    unsigned bytes;
    switch (i->op) {
    case PTX_WMMA:
        bytes = wmma_elements(i) * type_bits(first) / 8 / TRACE_WARP_SIZE;
        break;
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
        return 16;
    case PTX_MBARRIER:
        return 8;
    case PTX_CP: { /* cp.async.ca.shared.global [dst], [src], 16 */
        bool sized = i->n_opnd > 2 && i->opnd[2].kind == PTX_O_IMM;
        bytes = sized ? (unsigned)(i->opnd[2].imm & 31) : 16;
        break;
    }
    default:
        bytes = i->vec * ptx_type_bytes(first);
    }
    return bytes == 0 ? 1 : bytes > 32 ? 32 : bytes;
}

static unsigned mem_flags(const struct ptx_inst *i)
{
    static const enum ptx_mod strong[] = {PTX_M_VOLATILE, PTX_M_RELAXED, PTX_M_ACQUIRE, PTX_M_RELEASE,
                                          PTX_M_ACQ_REL,  PTX_M_SC,      PTX_M_MMIO};
    unsigned flags = 0;
    for (size_t k = 0; k < sizeof strong / sizeof strong[0]; k++)
        if (ptx_has(i, strong[k]) && i->op != PTX_ATOM && i->op != PTX_RED)
            flags |= TRACE_MEM_VOLATILE;
    flags |= ptx_has(i, PTX_M_NC) ? TRACE_MEM_NC : 0;
    flags |= ptx_has(i, PTX_M_CG) ? TRACE_MEM_CG : 0;
    flags |= ptx_has(i, PTX_M_CS) ? TRACE_MEM_CS : 0;
    flags |= ptx_has(i, PTX_M_WT) || ptx_has(i, PTX_M_CV) ? TRACE_MEM_WT : 0;
    flags |= i->op == PTX_CP ? TRACE_MEM_ASYNC : 0;
    flags |= (i->op == PTX_TEX || i->op == PTX_TLD4) && !ptx_has(i, PTX_M_1D) ? TRACE_MEM_PLANE : 0;
    return flags;
}

/* Space, width and flags. The class says that it accesses memory, except that a .func's own parameters are moves. */
static void describe_access(struct builder *b, const struct ptx_func *f, uint32_t pc, struct trace_inst *out)
{
    const struct ptx_inst *i = &f->inst[pc];
    switch (out->cls) {
    case TRACE_LOAD:
    case TRACE_STORE:
    case TRACE_ATOM:
    case TRACE_RED:
        out->space = (uint8_t)space_of((enum ptx_space)i->space);
        if (i->op == PTX_CP && out->cls == TRACE_LOAD)
            out->space = TRACE_SP_GLOBAL;
        if (i->op == PTX_LDMATRIX || i->op == PTX_STMATRIX)
            out->space = TRACE_SP_SHARED;
        break;
    case TRACE_ASYNC:
    case TRACE_MBARRIER:
        if (out->cls == TRACE_MBARRIER)
            out->barrier = (uint16_t)ptx_mbarrier(i);
        if (out->cls == TRACE_MBARRIER && out->barrier == TRACE_MBARRIER_OTHER)
            return;
        out->space = TRACE_SP_ASYNC;
        out->width = 8;
        out->mem_index = b->n_mem++;
        return;
    case TRACE_BARRIER:
        if (ptx_barrier_varies(i)) {
            out->space = TRACE_SP_ASYNC;
            out->mem_index = b->n_mem++;
        }
        return;
    case TRACE_TEX:
        out->space = TRACE_SP_TEX;
        break;
    case TRACE_SURF:
        out->space = TRACE_SP_GLOBAL;
        break;
    default:
        return;
    }
    if (out->space == TRACE_SP_PARAM && !f->is_entry) {
        out->cls = TRACE_MOVE;
        out->space = TRACE_SP_NONE;
        return;
    }
    out->width = (uint8_t)ptx_access_bytes(i);
    out->mem_flags = (uint8_t)mem_flags(i);
    if (f->addr_from_load[pc])
        out->mem_flags |= TRACE_MEM_ADDR_FROM_LOAD;
    if (out->space != TRACE_SP_PARAM)
        out->mem_index = b->n_mem++;
}

/* ---- registers ---- */

static uint16_t scoreboard(const struct ptx_code *c, uint32_t reg)
{
    const struct ptx_reg *r = &c->func->reg[reg];
    return (uint16_t)(c->base_reg + r->row + (r->type == PTX_T_PRED ? c->func->n_row : 0));
}

/* The carry flag follows the function's predicates. */
static bool sets_carry(const struct ptx_inst *i)
{
    return ptx_has(i, PTX_M_CC);
}
static bool reads_carry(const struct ptx_inst *i)
{
    return i->op == PTX_ADDC || i->op == PTX_SUBC || i->op == PTX_MADC;
}

/* Appends a number unless it is among the list's entries from `first` on. Counts are bytes: later ones are dropped. */
static unsigned add_reg(struct builder *b, size_t first, uint16_t number, unsigned n)
{
    for (size_t k = first; k < b->reg.n; k++)
        if (b->reg.p[k] == number)
            return n;
    if (n == UINT8_MAX)
        return n;
    VEC_PUSH(&b->reg, number);
    return n + 1;
}

static void list_regs(struct builder *b, const struct ptx_code *c, const struct ptx_defuse *du, uint32_t pc,
                      struct trace_inst *out)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    uint16_t carry = (uint16_t)(c->base_reg + c->func->n_row + c->func->n_pred_row);
    size_t first = b->reg.n;
    unsigned n = 0;
    out->regs_at = (uint32_t)first;
    /* A product writes D when it likes: programs wait for its group, the scoreboard does not. */
    const uint32_t n_def = du->n_def[pc], skip = i->op == PTX_WGMMA ? n_def : 0;
    for (uint32_t k = du->at[pc] + skip; k < du->at[pc] + n_def; k++)
        n = add_reg(b, first, scoreboard(c, du->reg[k]), n);
    if (sets_carry(i))
        n = add_reg(b, first, carry, n);
    out->n_dst = (uint8_t)n;
    first = b->reg.n;
    n = 0;
    for (uint32_t k = du->at[pc] + n_def + skip; k < du->at[pc + 1]; k++)
        n = add_reg(b, first, scoreboard(c, du->reg[k]), n);
    if (reads_carry(i))
        n = add_reg(b, first, carry, n);
    out->n_src = (uint8_t)n;
}

/* ---- the table ---- */

/* Number, expected warps and whether it waits: bar{.red} [d,] a {, b}. barrier.cluster has neither and is barrier 0. */
static void describe_barrier(const struct ptx_inst *i, struct trace_inst *out)
{
    unsigned at = ptx_has(i, PTX_M_RED) ? 1 : 0;
    const struct ptx_opnd *number = i->n_opnd > at ? &i->opnd[at] : NULL;
    const struct ptx_opnd *threads = i->n_opnd > at + 1 ? &i->opnd[at + 1] : NULL;
    if (number && number->kind == PTX_O_IMM && number->imm >= 0 && number->imm < 16)
        out->barrier = (uint16_t)number->imm;
    else if (number)
        out->barrier = 0xffff;
    if (threads && threads->kind == PTX_O_IMM && threads->imm > 0 && threads->imm <= 1024)
        out->width = (uint8_t)((threads->imm + TRACE_WARP_SIZE - 1) / TRACE_WARP_SIZE);
    if (ptx_has(i, PTX_M_ARRIVE))
        out->mem_flags = 1;
}

/* A product's columns and where its A is; what a fence or a group instruction waits for. */
static void describe_wgmma(const struct ptx_inst *i, struct trace_inst *out)
{
    if (ptx_has(i, PTX_M_MMA_ASYNC)) {
        out->width = (uint8_t)(i->wg_n / 8);
        out->mem_flags = (i->n_opnd > 1 && i->opnd[1].kind == PTX_O_VEC ? 0 : TRACE_WGMMA_A_SHARED) |
                         (ptx_has(i, PTX_M_SP) ? TRACE_WGMMA_SPARSE : 0);
    } else if (ptx_has(i, PTX_M_WAIT_GROUP)) {
        const bool known = i->n_opnd > 0 && i->opnd[0].kind == PTX_O_IMM && i->opnd[0].imm >= 0 && i->opnd[0].imm < 8;
        out->barrier = known ? (uint16_t)i->opnd[0].imm : 0;
    } else {
        out->barrier = ptx_has(i, PTX_M_COMMIT_GROUP) ? TRACE_WGMMA_COMMIT : TRACE_WGMMA_FENCE;
    }
}

static void add_inst(struct builder *b, const struct ptx_code *c, const struct ptx_defuse *du, const int32_t *base,
                     uint32_t loop_base, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    struct trace_inst *out = &b->inst[c->base_pc + pc];
    uint16_t loop = c->func->block[c->func->inst_block[pc]].loop;
    *out = (struct trace_inst){
        .cls = (uint8_t)ptx_class(i),
        .loop = (uint16_t)(loop ? loop_base + loop : 0),
        .mem_index = UINT32_MAX,
        .ptx_line = i->line,
        .src_line = i->loc_line,
        .src_file = file_index(b, c->module, i->loc_file),
        .opcode_at = intern_text(b, c, i, base),
    };
    if (out->cls == TRACE_BARRIER)
        describe_barrier(i, out);
    if (out->cls == TRACE_WGMMA)
        describe_wgmma(i, out);
    if (i->op == PTX_CP && ptx_has(i, PTX_M_BULK) && out->cls == TRACE_FENCE) {
        const int64_t pending = i->n_opnd > 0 && i->opnd[0].kind == PTX_O_IMM ? i->opnd[0].imm : 0;
        out->barrier =
            (uint16_t)(pending >= 0 && pending < TRACE_FENCE_STORES_MOST ? pending + 1 : TRACE_FENCE_STORES_MOST);
    }
    if (i->op == PTX_GRIDDEPCONTROL)
        out->barrier = ptx_has(i, PTX_M_WAIT) ? TRACE_GRIDDEP_WAIT : TRACE_GRIDDEP_LAUNCH;
    b->lets_begin |= i->op == PTX_GRIDDEPCONTROL && out->barrier == TRACE_GRIDDEP_LAUNCH;
    describe_access(b, c->func, pc, out);
    list_regs(b, c, du, pc, out);
}

static void add_func(struct builder *b, const struct ptx_code *c)
{
    struct ptx_func *f = c->func;
    uint32_t loop_base = (uint32_t)b->loop.n;
    for (uint32_t k = 0; k < f->n_loop; k++) {
        struct trace_loop l = {
            .parent = (uint16_t)(f->loop[k].parent ? loop_base + f->loop[k].parent : 0),
            .depth = f->loop[k].depth,
            .header_pc = c->base_pc + f->block[f->loop[k].header].first,
        };
        VEC_PUSH(&b->loop, l);
    }
    struct arena *scratch = arena_new();
    struct ptx_defuse du;
    ptx_defuse_build(f, scratch, &du);
    const int32_t *base = ptx_base_build(f, scratch);
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        add_inst(b, c, &du, base, loop_base, pc);
    arena_free(scratch);
}

static uint64_t align_up(uint64_t v, uint32_t align)
{
    return align > 1 ? (v + align - 1) / align * align : v;
}

/* Static shared memory and the local stack frame of all functions' own variables. */
static void sum_variables(const struct ptx_code *code, unsigned n_code, struct trace_kernel *out)
{
    uint64_t shared = 0, local = 0;
    for (unsigned k = 0; k < n_code; k++) {
        const struct ptx_func *f = code[k].func;
        for (uint32_t v = 0; v < f->n_var; v++) {
            uint64_t *sum = f->var[v].space == PTX_S_SHARED ? &shared : f->var[v].space == PTX_S_LOCAL ? &local : NULL;
            if (sum)
                *sum = align_up(*sum, f->var[v].align) + f->var[v].bytes;
        }
    }
    out->smem_static_bytes = shared > UINT32_MAX ? UINT32_MAX : (uint32_t)shared;
    out->local_bytes_per_thread = local > UINT32_MAX ? UINT32_MAX : (uint32_t)local;
}

/* Gives every function its own pcs and, as far as 16 bits reach, its own registers. */
static int lay_out(struct ptx_code *code, unsigned n_code, struct trace_kernel *out, struct err *e)
{
    uint64_t n_inst = 0, n_reg = 0, widest = 0, n_loop = 0;
    for (unsigned k = 0; k < n_code; k++) {
        struct ptx_func *f = code[k].func;
        if (ptx_analyze(code[k].module, f, e) < 0)
            return -1;
        uint64_t need = (uint64_t)f->n_row + f->n_pred_row + 1;
        code[k].base_pc = (uint32_t)n_inst;
        /* Out of numbers: callees share some. A false dependence between two frames is the only harm. */
        if (n_reg + need > MAX_SCOREBOARD)
            n_reg = 0;
        code[k].base_reg = (uint32_t)n_reg;
        n_inst += f->n_inst;
        n_reg += need;
        n_loop += f->n_loop;
        widest = n_reg > widest ? n_reg : widest;
    }
    const struct ptx_func *entry = code[0].func;
    if (n_inst >= UINT32_MAX || n_loop >= UINT16_MAX || widest > MAX_SCOREBOARD)
        return err_at(e, code[0].module->name, (int)entry->line, 0, "kernel '%s' with all it calls is too large",
                      entry->name);
    out->n_inst = (uint32_t)n_inst;
    out->n_scoreboard = (uint32_t)widest;
    return 0;
}

static void *keep(struct arena *a, const void *list, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    if (bytes)
        memcpy(copy, list, bytes);
    return copy;
}

/* A kernel's registers are those of its deepest need: a callee's own come on top of what is alive at the call, which
 * is not followed; the largest of all functions stands for it. */
static uint32_t kernel_regs(const struct ptx_code *code, unsigned n_code)
{
    uint32_t most = 0;
    if (code[0].func->assembled_regs)
        return code[0].func->assembled_regs;
    for (unsigned k = 0; k < n_code; k++) {
        uint32_t n = ptx_regs_per_thread(code[k].module, code[k].func);
        most = n > most ? n : most;
    }
    const struct ptx_func *entry = code[0].func;
    uint32_t cap = entry->maxnreg ? entry->maxnreg : code[0].module->maxrregcount;
    return cap && most > cap ? cap : most;
}

int ptx_build_kernel(struct ptx_code *code, unsigned n_code, struct arena *arena, struct trace_kernel *out,
                     struct err *e)
{
    *out = (struct trace_kernel){0};
    if (lay_out(code, n_code, out, e) < 0)
        return -1;
    const struct ptx_func *entry = code[0].func;
    struct builder b = {.arena = arena, .inst = arena_alloc(arena, (size_t)out->n_inst * sizeof(struct trace_inst))};
    for (unsigned k = 0; k < n_code; k++)
        add_func(&b, &code[k]);
    out->name = arena_strndup(arena, entry->name, strlen(entry->name));
    out->inst = b.inst;
    out->n_reg_entries = (uint32_t)b.reg.n;
    out->reg = keep(arena, b.reg.p, b.reg.n * sizeof *b.reg.p);
    out->n_loop = (uint32_t)b.loop.n;
    out->loop = keep(arena, b.loop.p, b.loop.n * sizeof *b.loop.p);
    out->n_file = (uint32_t)b.file.n;
    out->file = keep(arena, b.file.p, b.file.n * sizeof *b.file.p);
    out->n_str = (uint32_t)b.str.n;
    out->str = keep(arena, b.str.p, b.str.n);
    out->n_mem = b.n_mem;
    out->regs_per_thread = kernel_regs(code, n_code);
    const uint32_t *bound = entry->reqntid[0] ? entry->reqntid : entry->maxntid;
    uint64_t threads = (uint64_t)bound[0] * bound[1];
    threads = threads > UINT32_MAX ? UINT32_MAX : threads * bound[2];
    out->max_threads_per_cta = threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
    out->lets_begin = b.lets_begin;
    sum_variables(code, n_code, out);
    VEC_FREE(&b.reg);
    VEC_FREE(&b.str);
    VEC_FREE(&b.loop);
    VEC_FREE(&b.file);
    strmap_free(&b.text_at);
    strmap_free(&b.file_at);
    return 0;
}

/* ---- the call graph ---- */

struct reach {
    const struct ptx_module *m;
    uint32_t *list, n;
    uint8_t *in; /* per function */
    bool any_indirect;
};

static void reach_add(struct reach *r, uint32_t func)
{
    if (r->in[func])
        return;
    r->in[func] = 1;
    r->list[r->n++] = func;
}

static void reach_calls(struct reach *r, const struct ptx_func *f)
{
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        const struct ptx_inst *i = &f->inst[pc];
        if (i->op != PTX_CALL || i->n_opnd < 3)
            continue;
        if (i->opnd[1].kind == PTX_O_SYM) {
            reach_add(r, (uint32_t)PTX_SYM_INDEX(i->opnd[1].sym));
            continue;
        }
        const struct ptx_label *l =
            i->n_opnd > 3 && i->opnd[3].kind == PTX_O_LABEL ? &f->label[i->opnd[3].label] : NULL;
        if (l && l->is_calltargets)
            for (uint32_t k = 0; k < l->n_target; k++)
                reach_add(r, (uint32_t)PTX_SYM_INDEX(l->target[k]));
        else
            r->any_indirect = true;
    }
}

static void reach_sym(struct reach *r, int32_t sym)
{
    if (sym >= 0 && PTX_SYM_KIND(sym) == PTX_SYM_FUNC && !r->m->func[PTX_SYM_INDEX(sym)].is_entry)
        reach_add(r, (uint32_t)PTX_SYM_INDEX(sym));
}

/* Every function whose address the module takes: in an initializer, or as an operand of anything but a call. */
static void reach_address_taken(struct reach *r)
{
    const struct ptx_module *m = r->m;
    for (uint32_t v = 0; v < m->n_var; v++)
        for (uint32_t k = 0; k < m->var[v].n_ref; k++)
            reach_sym(r, m->var[v].ref[k].sym);
    for (uint32_t f = 0; f < m->n_func; f++) {
        for (uint32_t pc = 0; pc < m->func[f].n_inst; pc++) {
            const struct ptx_inst *i = &m->func[f].inst[pc];
            for (unsigned k = 0; k < i->n_opnd && i->op != PTX_CALL; k++)
                if (i->opnd[k].kind == PTX_O_SYM)
                    reach_sym(r, i->opnd[k].sym);
        }
        for (uint32_t v = 0; v < m->func[f].n_var; v++)
            for (uint32_t k = 0; k < m->func[f].var[v].n_ref; k++)
                reach_sym(r, m->func[f].var[v].ref[k].sym);
    }
}

uint32_t ptx_reachable(const struct ptx_module *m, uint32_t func, uint32_t *list)
{
    struct reach r = {.m = m, .list = list, .in = xcalloc(m->n_func, 1)};
    bool address_taken_added = false;
    reach_add(&r, func);
    for (uint32_t k = 0; k < r.n; k++) {
        reach_calls(&r, &m->func[list[k]]);
        if (r.any_indirect && !address_taken_added) {
            address_taken_added = true;
            reach_address_taken(&r);
        }
    }
    free(r.in);
    return r.n;
}
