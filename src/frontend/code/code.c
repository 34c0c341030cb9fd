/* Runs the passes over every region of a kernel's functions; see code.h and lower.h. */
#include "code/code.h"

#include "code/lower.h"
#include "code/name.h"
#include "code/unroll.h"

/*
 * Registers of a thread with which 64, 48, 40 ... warps fit an SM. ptxas 13 (sm_90) schedules a kernel for the fewest of
 * these that hold what is alive and five more (sums of 4 to 96 words, each with 8, 16 and 32 loads in flight), and lets
 * results that are waited for take the rest: of 240 kernels of the suite 44 have 32 exactly, of which 6 to 42 are alive in
 * PTX; with -maxrregcount 64 the same code issues all its loads first.
 */
static const uint32_t register_steps[] = {32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255};
enum { REGISTER_STEPS = sizeof register_steps / sizeof *register_steps, SPARE_REGISTERS = 5 };

struct builder {
    struct code_named named;
    VEC(struct trace_region) region;
    uint32_t n_scoreboard;
};

/* ---- regions ---- */

static bool ends_region(const struct ptx_inst *i)
{
    switch (ptx_class(i)) {
    case TRACE_BARRIER:
    case TRACE_MBARRIER:
    case TRACE_WGMMA:
    case TRACE_CALL:
    case TRACE_BRANCH:
    case TRACE_EXIT:
    case TRACE_RET:
    case TRACE_SLEEP:
        return true;
    default:
        return false;
    }
}

/*
 * A branch around so many instructions or fewer is none: the assembler predicates them. ptxas 13 predicates eight
 * multiply-adds or stores and branches around nine (sm_90).
 */
enum { PREDICATED = 8 };

static bool is_jumped_back_to(const struct ptx_func *f, uint32_t pc)
{
    for (uint32_t k = pc; k < f->n_inst; k++)
        for (unsigned o = 0; o < f->inst[k].n_opnd; o++)
            if (f->inst[k].opnd[o].kind == PTX_O_LABEL && f->label[f->inst[k].opnd[o].label].pc == pc)
                return true;
    return false;
}

/* Where the short branch at pc goes to, when the instructions between can be predicated; 0 when not. */
static uint32_t short_branch(const struct code_func *c, uint32_t pc)
{
    const struct ptx_func *f = c->func;
    const struct ptx_inst *i = &f->inst[pc];
    if (i->op != PTX_BRA || i->guard < 0 || i->n_opnd != 1 || i->opnd[0].kind != PTX_O_LABEL)
        return 0;
    uint32_t to = f->label[i->opnd[0].label].pc;
    if (to <= pc + 1 || to > pc + 1 + PREDICATED || to >= f->n_inst)
        return 0;
    unsigned ops = 0;
    for (uint32_t k = pc + 1; k < to; k++) {
        if (ends_region(&f->inst[k]) || (k > pc + 1 && f->block[f->inst_block[k]].first == k))
            return 0;
        const char *text = code_expansion(c, k);
        ops += !text;
        while (text && *text) {
            if (code_step_of(&text).cls == TRACE_BRANCH)
                return 0;
            ops++;
        }
    }
    if (ops > PREDICATED)
        return 0;
    return is_jumped_back_to(f, to) || is_jumped_back_to(f, pc + 1) ? 0 : to;
}

bool code_turns_back(const struct ptx_func *f, uint32_t first, uint32_t pc)
{
    const struct ptx_inst *leaves = pc > first ? &f->inst[pc - 1] : NULL, *back = &f->inst[pc];
    return leaves && leaves->op == PTX_BRA && leaves->guard >= 0 && back->op == PTX_BRA && back->guard < 0 &&
           back->n_opnd == 1 && back->opnd[0].kind == PTX_O_LABEL && f->label[back->opnd[0].label].pc == first;
}

/*
 * Numbers the regions of a function: basic blocks, cut behind barriers and calls and where they grow too large. Blocks
 * that a short branch goes around are predicated, and joined with what is before and behind them.
 */
static uint32_t find_regions(struct code_func *c)
{
    const struct ptx_func *f = c->func;
    uint32_t n = 0, pcs = 0, accesses = 0;
    uint32_t join = 0;  /* the end of the predicated block */
    uint32_t first = 0; /* of the region */
    c->region_of = arena_alloc(c->arena, (f->n_inst + 1ull) * sizeof *c->region_of);
    c->predicate = arena_alloc(c->arena, (f->n_inst + 1ull) * sizeof *c->predicate);
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        bool joined = pc && join >= pc;
        bool starts = pc == 0 ||
                      (!joined && !code_turns_back(f, first, pc) &&
                       (f->block[f->inst_block[pc]].first == pc || ends_region(&f->inst[pc - 1]))) ||
                      pcs == TRACE_REGION_PCS || accesses == TRACE_REGION_ACCESSES;
        c->predicate[pc] = pc < join ? c->predicate[pc - 1] : CODE_NONE;
        if (!joined || pc == join)
            if ((join = short_branch(c, pc)))
                c->predicate[pc] = (uint32_t)f->inst[pc].guard;
        if (starts) {
            n++;
            first = pc;
            pcs = accesses = 0;
        }
        c->region_of[pc] = n - 1;
        pcs++;
        unsigned cls = ptx_class(&f->inst[pc]);
        accesses += cls == TRACE_LOAD || cls == TRACE_STORE || cls == TRACE_ATOM || cls == TRACE_RED ||
                    cls == TRACE_TEX || cls == TRACE_SURF;
    }
    return n;
}

/* ---- functions ---- */

static void list_mentions(struct code_func *c)
{
    VEC(struct ptx_pair) defs = {0}, uses = {0};
    const struct ptx_defuse *du = &c->du;
    for (uint32_t pc = 0; pc < c->func->n_inst; pc++)
        for (uint32_t k = du->at[pc]; k < du->at[pc + 1]; k++) {
            struct ptx_pair p = {du->reg[k], pc};
            if (k < du->at[pc] + du->n_def[pc])
                VEC_PUSH(&defs, p);
            else
                VEC_PUSH(&uses, p);
        }
    c->defs = ptx_lists_build(c->arena, c->func->n_reg, defs.p, defs.n);
    c->uses = ptx_lists_build(c->arena, c->func->n_reg, uses.p, uses.n);
    VEC_FREE(&defs);
    VEC_FREE(&uses);
}

static int begin(struct code_func *c, const struct ptx_code *code, struct err *e)
{
    const struct ptx_func *f = code->func;
    *c = (struct code_func){.module = code->module, .func = f, .arena = arena_new(), .n_reg = f->n_reg + 1};
    ptx_defuse_build(f, c->arena, &c->du);
    if (ptx_live_build(c->module, f, &c->du, c->arena, &c->live, e) < 0)
        return -1;
    list_mentions(c);
    c->folded = arena_alloc(c->arena, f->n_inst + 1ull);
    c->taken = arena_alloc(c->arena, f->n_inst + 1ull);
    c->renamed = arena_alloc(c->arena, (c->n_reg + 1ull) * sizeof *c->renamed);
    for (uint32_t r = 0; r < c->n_reg; r++)
        c->renamed[r] = r;
    return 0;
}

/* Adds the operations of one execution of a region, or of some iterations; returns how many. */
static uint32_t add_ops(struct builder *b, struct code_func *c, struct code_names *names, uint32_t base_pc,
                        uint32_t first, uint32_t last, unsigned copies)
{
    struct arena *scratch = arena_new();
    struct code_region r = {.first = first, .last = last};
    struct code_graph g;
    if (copies > 1)
        r.unroll = code_unroll_begin(c, first, last, copies, scratch);
    code_select(c, &r);
    code_graph_build(c, &r, scratch, &g);
    uint32_t *order = arena_alloc(scratch, (g.n + 1ull) * sizeof *order);
    code_schedule(c, &r, &g, scratch, order);
    size_t op = b->named.op.n;
    code_name(names, c, &r, order, scratch, &b->named);
    for (size_t k = op; k < b->named.op.n; k++)
        b->named.op.p[k].pc += base_pc;
    VEC_FREE(&r.node);
    VEC_FREE(&r.reg);
    VEC_FREE(&r.reloaded);
    arena_free(scratch);
    return (uint32_t)(b->named.op.n - op);
}

static void add_region(struct builder *b, struct code_func *c, struct code_names *names, uint32_t base_pc,
                       uint32_t first, uint32_t last)
{
    struct trace_region r = {.pc = base_pc + first, .n_pc = last - first + 1, .op = (uint32_t)b->named.op.n};
    r.n_op = add_ops(b, c, names, base_pc, first, last, 1);
    if (code_may_unroll(c, first, last)) {
        r.copies = CODE_COPIES;
        r.all.op = (uint32_t)b->named.op.n;
        r.all.n_op = add_ops(b, c, names, base_pc, first, last, CODE_COPIES);
        r.half.op = (uint32_t)b->named.op.n;
        r.half.n_op = add_ops(b, c, names, base_pc, first, last, CODE_COPIES / 2);
    }
    VEC_PUSH(&b->region, r);
}

/* The most registers that are alive at once; constants are not kept in them. */
static uint32_t most_alive(const struct code_func *c)
{
    const struct ptx_func *f = c->func;
    int32_t *change = arena_alloc(c->arena, (f->n_inst + 2ull) * sizeof *change), alive = 0, most = 0;
    for (uint32_t reg = 0; reg < f->n_reg; reg++) {
        if (c->constant[reg] != CODE_NONE)
            continue;
        for (uint32_t k = c->live.at[reg]; k < c->live.at[reg + 1]; k++) {
            change[c->live.segment[k].first] += (int32_t)ptx_reg_rows(&f->reg[reg]);
            change[c->live.segment[k].last] -= (int32_t)ptx_reg_rows(&f->reg[reg]);
        }
    }
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        alive += change[pc];
        most = alive > most ? alive : most;
    }
    return (uint32_t)most;
}

static uint32_t budget_of(const struct code_func *c)
{
    const uint32_t need = most_alive(c) + SPARE_REGISTERS;
    unsigned k = 0;
    while (k + 1 < REGISTER_STEPS && register_steps[k] < need)
        k++;
    return register_steps[k];
}

static int add_func(struct builder *b, const struct ptx_code *code, struct err *e)
{
    struct code_func c;
    struct code_names names;
    const struct ptx_func *f = code->func;
    int rc = begin(&c, code, e);
    if (rc == 0 && f->n_inst) {
        size_t reg_at = b->named.reg.n;
        uint32_t n_region = find_regions(&c);
        code_constants_find(&c);
        c.budget = budget_of(&c);
        code_converge_find(&c);
        code_names_begin(&names, &c, b->n_scoreboard);
        for (uint32_t first = 0, k = 0; k < n_region; k++) {
            uint32_t last = first;
            while (last + 1 < f->n_inst && c.region_of[last + 1] == k)
                last++;
            code_fold(&c, first, last);
            add_region(b, &c, &names, code->base_pc, first, last);
            first = last + 1;
        }
        for (size_t k = reg_at; k < b->named.reg.n; k++) {
            uint32_t number = b->named.reg.p[k];
            b->named.reg.p[k] = names.base + (number & CODE_POOL ? names.n_global + (number & ~CODE_POOL) : number);
        }
        b->n_scoreboard += names.n_global + names.n_pool;
    }
    arena_free(c.arena);
    return rc;
}

int code_build(const struct ptx_code *code, unsigned n_code, struct arena *arena, struct trace_kernel *k, struct err *e)
{
    struct builder b = {0};
    int rc = 0;
    for (unsigned i = 0; i < n_code && rc == 0; i++)
        rc = add_func(&b, &code[i], e);
    if (rc == 0 && b.n_scoreboard <= UINT16_MAX) {
        struct trace_code *out = arena_alloc(arena, sizeof *out);
        struct trace_op *op = arena_alloc(arena, (b.named.op.n + 1) * sizeof *op);
        uint16_t *reg = arena_alloc(arena, (b.named.reg.n + 1) * sizeof *reg);
        struct trace_region *region = arena_alloc(arena, (b.region.n + 1) * sizeof *region);
        memcpy(op, b.named.op.p, b.named.op.n * sizeof *op);
        memcpy(region, b.region.p, b.region.n * sizeof *region);
        for (size_t i = 0; i < b.named.reg.n; i++)
            reg[i] = (uint16_t)b.named.reg.p[i];
        *out = (struct trace_code){.n_op = (uint32_t)b.named.op.n,
                                   .n_reg_entries = (uint32_t)b.named.reg.n,
                                   .n_region = (uint32_t)b.region.n,
                                   .n_scoreboard = b.n_scoreboard,
                                   .op = op,
                                   .reg = reg,
                                   .region = region};
        k->code = out;
    }
    VEC_FREE(&b.named.op);
    VEC_FREE(&b.named.reg);
    VEC_FREE(&b.region);
    return rc;
}
