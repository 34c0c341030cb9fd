/* Runs the passes over every region of a kernel's functions; see code.h and lower.h. */
#include "code/code.h"

#include "code/lower.h"
#include "code/name.h"
#include "code/unroll.h"

/*
 * Registers that the assembler spends on results it waits for, beyond what PTX keeps alive. Where a loop has more loads
 * than that, ptxas issues 13 to 17 before it uses the first (unrolled sums of products, sm_90); of 184 kernels of the
 * suite it takes at most 13 more registers for 95%, 19 for one.
 */
enum { LOADS_AHEAD = 13 };

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
    *c = (struct code_func){.module = code->module,
                            .func = f,
                            .arena = arena_new(),
                            .n_reg = f->n_reg + 1,
                            .budget = f->max_live + LOADS_AHEAD};
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
