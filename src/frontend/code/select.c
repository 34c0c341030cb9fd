/*
 * The operations of a region in program order: PTX instructions without those that were folded (fold.c), with the
 * sequences of those that were expanded (expand.c).
 *
 * An operation reads what its instruction reads and, in place of a folded result, what the folded one reads. Loads of
 * neighboring words of a shared variable become one wide load, since the assembler knows such a variable's address, also
 * behind an index that is a multiple of 16 bytes.
 */
#include "code/lower.h"

#include "code/name.h"
#include "code/unroll.h"

/* What the assembler assumes until a result can be read. Loads: that they hit. */
static uint16_t assumed_latency(const struct code_node *n)
{
    switch (n->cls) {
    case TRACE_LOAD:
    case TRACE_ATOM:
    case TRACE_TEX:
    case TRACE_SURF:
        if (!(n->flags & TRACE_OP_ACCESS))
            return 12;
        return n->addr.space == PTX_S_SHARED ? 29 : n->addr.space == PTX_S_CONST ? 12 : 100;
    case TRACE_SFU:
        return 20;
    case TRACE_WARP:
        return 24;
    case TRACE_CVT:
        return 8;
    case TRACE_DP_ADD:
    case TRACE_DP_MUL:
    case TRACE_DP_MAD:
    case TRACE_DP_MINMAX:
        return 10;
    case TRACE_TENSOR:
        return 32;
    default:
        return 5;
    }
}

/* ---- registers ---- */

/* The folded definition of a register at pc, or CODE_NONE. */
static uint32_t folded_def(const struct code_func *c, uint32_t reg)
{
    if (reg >= c->func->n_reg || c->defs.at[reg + 1] - c->defs.at[reg] != 1)
        return CODE_NONE;
    uint32_t def = c->defs.item[c->defs.at[reg]];
    return c->folded[def] == CODE_KEPT || c->folded[def] == CODE_GONE ? CODE_NONE : def;
}

static void add_src(struct code_region *r, struct code_node *n, uint32_t reg)
{
    uint32_t *src = code_src(r, n);
    for (unsigned k = 0; k < n->n_src; k++)
        if (src[k] == reg)
            return;
    if (n->n_src == UINT8_MAX)
        return;
    VEC_PUSH(&r->reg, reg);
    n->n_src++;
}

/*
 * The substitute for a register that pc reads. With `offset` (the base of an address) constants that it lacks are added
 * there; without, prepare() has made a register that has them.
 */
static uint32_t source(const struct code_func *c, const struct code_region *r, uint32_t reg, uint32_t pc,
                       int64_t *offset)
{
    const struct code_unroll *u = r->unroll;
    if (!u || reg >= c->func->n_reg)
        return reg;
    unsigned steps = code_unroll_steps(c, u, reg, pc);
    if (steps && !offset)
        return u->moved[reg].reg;
    if (steps)
        *offset += (int64_t)steps * u->step[reg];
    return u->copy && !u->is_steady[reg] && u->here[reg] != CODE_NONE ? u->here[reg] : reg;
}

static void add_dst(struct code_region *r, struct code_node *n, uint32_t reg)
{
    for (unsigned k = 0; k < n->n_dst; k++)
        if (code_dst(r, n)[k] == reg)
            return;
    if (n->n_dst == UINT8_MAX)
        return;
    VEC_PUSH(&r->reg, reg);
    n->n_dst++;
}

static void finish(struct code_region *r, struct code_node *n)
{
    n->latency = assumed_latency(n);
    VEC_PUSH(&r->node, *n);
}

/* The register behind the address of a memory instruction, or CODE_NONE. */
static uint32_t base_of(const struct ptx_inst *i)
{
    unsigned at = i->op == PTX_ST || i->op == PTX_RED ? 0 : 1;
    bool plain = i->op == PTX_LD || i->op == PTX_ST || i->op == PTX_ATOM || i->op == PTX_RED || i->op == PTX_LDU;
    if (!plain || i->n_opnd <= at || i->opnd[at].kind != PTX_O_ADDR || i->opnd[at].reg < 0)
        return CODE_NONE;
    return (uint32_t)i->opnd[at].reg;
}

/*
 * In an unrolled loop: makes the registers that pc reads and that are steps behind, one addition each. `base`: read by
 * the address only, which adds the constant itself.
 */
static void prepare(const struct code_func *c, struct code_region *r, uint32_t pc, uint32_t base)
{
    struct code_unroll *u = r->unroll;
    for (uint32_t k = c->du.at[pc] + c->du.n_def[pc]; k < c->du.at[pc + 1]; k++) {
        uint32_t reg = c->du.reg[k], def = folded_def(c, reg);
        if (reg == base)
            continue;
        if (def != CODE_NONE) {
            prepare(c, r, def, CODE_NONE);
            continue;
        }
        reg = c->renamed[reg];
        unsigned steps = code_unroll_steps(c, u, reg, pc);
        if (!steps || (u->moved[reg].reg != CODE_NONE && u->moved[reg].steps == steps))
            continue;
        struct code_node n = {.pc = pc, .cls = TRACE_INT_ADD, .copy = (uint8_t)u->copy, .regs_at = (uint32_t)r->reg.n};
        u->moved[reg].reg = c->n_reg + r->n_temp++;
        u->moved[reg].steps = steps;
        add_dst(r, &n, u->moved[reg].reg);
        add_src(r, &n, reg);
        finish(r, &n);
    }
}

/* ---- constants ---- */

static uint8_t copy_of(const struct code_region *r)
{
    return (uint8_t)(r->unroll ? r->unroll->copy : 0);
}

/* What pc computes, with what is folded into it, as an assembler sees its operands. */
struct operands {
    uint32_t constant; /* the load of the first one that is reloaded, or CODE_NONE */
    bool one_register; /* no operand may be uniform: an immediate value, an address or a sequence is among them */
};

static void look_at_operands(const struct code_func *c, uint32_t pc, struct operands *o)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    for (unsigned k = 1; k < i->n_opnd; k++)
        o->one_register |= i->opnd[k].kind == PTX_O_IMM && c->folded[pc] != CODE_ADDRESS;
    for (uint32_t k = c->du.at[pc] + c->du.n_def[pc]; k < c->du.at[pc + 1]; k++) {
        uint32_t def = folded_def(c, c->du.reg[k]);
        if (def != CODE_NONE)
            look_at_operands(c, def, o);
    }
}

static void reload(const struct code_func *c, struct code_region *r, uint32_t pc, uint32_t load)
{
    for (size_t k = 0; k < r->reloaded.n; k++)
        if (r->reloaded.p[k].load == load)
            return;
    struct code_node n = {.pc = pc, .cls = TRACE_LOAD, .copy = copy_of(r), .regs_at = (uint32_t)r->reg.n};
    struct code_reloaded x = {.load = load, .reg = c->n_reg + r->n_temp++};
    VEC_PUSH(&r->reloaded, x);
    add_dst(r, &n, x.reg);
    finish(r, &n);
}

/* Loads the constants that pc reads and cannot have as a uniform operand. */
static void reload_constants(const struct code_func *c, struct code_region *r, uint32_t pc, struct operands *o)
{
    for (uint32_t k = c->du.at[pc] + c->du.n_def[pc]; k < c->du.at[pc + 1]; k++) {
        uint32_t reg = c->du.reg[k], def = folded_def(c, reg);
        if (def != CODE_NONE) {
            reload_constants(c, r, def, o);
            continue;
        }
        uint32_t load = code_constant_reloaded(c, reg, pc);
        if (load == CODE_NONE)
            continue;
        if (o->constant == CODE_NONE)
            o->constant = load;
        if (o->one_register || o->constant != load || ptx_reg_rows(&c->func->reg[reg]) > 1)
            reload(c, r, pc, load);
    }
}

/* The register in which pc finds the constant of `reg`; CODE_NONE: it is a uniform operand. */
static uint32_t reloaded(const struct code_region *r, uint32_t load)
{
    for (size_t k = 0; k < r->reloaded.n; k++)
        if (r->reloaded.p[k].load == load)
            return r->reloaded.p[k].reg;
    return CODE_NONE;
}

/* Adds what instruction pc reads, through folded definitions. */
static void add_sources(const struct code_func *c, struct code_region *r, struct code_node *n, uint32_t pc,
                        uint32_t base)
{
    const uint32_t again = c->func->inst[pc].op == PTX_WGMMA ? c->du.n_def[pc] : 0; /* D: see kernel_table.c */
    for (uint32_t k = c->du.at[pc] + c->du.n_def[pc] + again; k < c->du.at[pc + 1]; k++) {
        uint32_t reg = c->du.reg[k], def = folded_def(c, reg);
        int64_t ignored;
        uint32_t load = def != CODE_NONE ? CODE_NONE : code_constant_reloaded(c, reg, pc);
        if (def != CODE_NONE)
            add_sources(c, r, n, def, reg == base ? c->du.reg[c->du.at[def + 1] - 1] : CODE_NONE);
        else if (load != CODE_NONE && reloaded(r, load) != CODE_NONE)
            add_src(r, n, reloaded(r, load));
        else if (load == CODE_NONE)
            add_src(r, n, source(c, r, c->renamed[reg], pc, reg == base ? &ignored : NULL));
    }
}

static uint32_t carry_of(const struct code_func *c)
{
    return c->func->n_reg;
}

/* The substitute for a register that is written: in later iterations of an unrolled loop, one of their own. */
static uint32_t result(const struct code_func *c, struct code_region *r, uint32_t reg)
{
    struct code_unroll *u = r->unroll;
    if (!u || !u->copy || u->is_steady[reg] || !code_is_local(c, reg))
        return reg;
    if (u->here[reg] == CODE_NONE)
        u->here[reg] = c->n_reg + r->n_temp++;
    return u->here[reg];
}

static void add_results(const struct code_func *c, struct code_region *r, struct code_node *n, uint32_t pc)
{
    for (uint32_t k = c->du.at[pc]; k < c->du.at[pc] + c->du.n_def[pc]; k++)
        add_dst(r, n, result(c, r, c->renamed[c->du.reg[k]]));
    if (ptx_has(&c->func->inst[pc], PTX_M_CC))
        add_dst(r, n, carry_of(c));
}

static bool reads_carry(const struct ptx_inst *i)
{
    return i->op == PTX_ADDC || i->op == PTX_SUBC || i->op == PTX_MADC;
}

/* ---- memory ---- */

static bool is_strong(const struct ptx_inst *i)
{
    static const enum ptx_mod strong[] = {PTX_M_VOLATILE, PTX_M_RELAXED, PTX_M_ACQUIRE, PTX_M_RELEASE,
                                          PTX_M_ACQ_REL,  PTX_M_SC,      PTX_M_MMIO};
    for (size_t k = 0; k < sizeof strong / sizeof *strong; k++)
        if (ptx_has(i, strong[k]))
            return true;
    return false;
}

static enum code_order order_of(const struct ptx_inst *i, unsigned cls)
{
    switch (cls) {
    case TRACE_LOAD:
        if (i->op == PTX_CP)
            return CODE_ALL;
        if (is_strong(i))
            return CODE_ALL;
        return i->space == PTX_S_PARAM || i->space == PTX_S_CONST || ptx_has(i, PTX_M_NC) ? CODE_FREE : CODE_READ;
    case TRACE_STORE:
        return is_strong(i) ? CODE_ALL : CODE_WRITE;
    case TRACE_RED:
    case TRACE_ATOM:
    case TRACE_FENCE:
    case TRACE_BARRIER:
    case TRACE_MBARRIER:
    case TRACE_ASYNC:
    case TRACE_WGMMA:
    case TRACE_SURF:
    case TRACE_CALL:
    case TRACE_SLEEP:
    case TRACE_NOP: /* griddepcontrol, the only one that is an operation */
        return CODE_ALL;
    case TRACE_WARP: /* a barrier of the warp orders memory; shuffles do not */
        return i->op == PTX_BAR || i->op == PTX_BARRIER ? CODE_ALL : CODE_FREE;
    default:
        return CODE_FREE;
    }
}

/* Follows constants that were folded into the address. */
static struct code_addr address_of(const struct code_func *c, const struct code_region *r, uint32_t pc, unsigned bytes)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    struct code_addr a = {
        .space = i->space == PTX_S_NONE ? PTX_S_GENERIC : i->space, .reg = CODE_NONE, .sym = -1, .bytes = bytes};
    unsigned at = i->op == PTX_ST || i->op == PTX_RED ? 0 : 1;
    if (i->n_opnd <= at || i->opnd[at].kind != PTX_O_ADDR)
        return a;
    const struct ptx_opnd *o = &i->opnd[at];
    a.offset = o->imm;
    a.sym = o->sym;
    if (o->reg < 0) {
        a.known = o->sym >= 0;
        return a;
    }
    uint32_t reg = (uint32_t)o->reg, def;
    while ((def = folded_def(c, reg)) != CODE_NONE) {
        const struct ptx_inst *d = &c->func->inst[def];
        const struct ptx_opnd *from = &d->opnd[1];
        if (from->kind == PTX_O_SYM && c->folded[def] == CODE_COPY) {
            a.sym = from->sym;
            a.offset += from->imm;
            a.known = true;
            return a;
        }
        if (from->kind != PTX_O_REG || (c->folded[def] != CODE_COPY && c->folded[def] != CODE_ADDRESS))
            return a;
        if (c->folded[def] == CODE_ADDRESS)
            a.offset += d->opnd[2].imm;
        reg = (uint32_t)from->reg;
        pc = def;
    }
    a.reg = source(c, r, c->renamed[reg], pc, &a.offset);
    a.known = true;
    return a;
}

/* ---- emission ---- */

static bool leaves(unsigned cls)
{
    return cls == TRACE_BRANCH || cls == TRACE_EXIT || cls == TRACE_RET || cls == TRACE_CALL || cls == TRACE_BARRIER ||
           cls == TRACE_MBARRIER || cls == TRACE_WGMMA || cls == TRACE_SLEEP;
}

/* The class of an instruction that took others in. */
static unsigned fused_class(const struct code_func *c, uint32_t pc, unsigned cls)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    for (uint32_t k = c->du.at[pc] + c->du.n_def[pc]; k < c->du.at[pc + 1]; k++) {
        uint32_t def = folded_def(c, c->du.reg[k]);
        if (def == CODE_NONE || c->folded[def] != CODE_FUSED)
            continue;
        const struct ptx_inst *d = &c->func->inst[def];
        if (d->op == PTX_MUL)
            return i->n_type && i->type[0] == PTX_T_F32 ? TRACE_FP_MAD : TRACE_INT_MAD;
        if (d->op == PTX_SETP)
            return ptx_class(d);
    }
    return cls;
}

/* Between integers: a move or a shift, and not the unit that converts floating-point numbers. */
static bool converts_integers(const struct ptx_inst *i)
{
    return i->op == PTX_CVT && i->n_type == 2 && i->type[0] >= PTX_T_B8 && i->type[0] <= PTX_T_S64 &&
           i->type[1] >= PTX_T_B8 && i->type[1] <= PTX_T_S64;
}

/* To half precision and from it: integer units round, those of single precision widen; the slow unit does neither. */
static bool rounds_to_half(const struct ptx_inst *i)
{
    return i->op == PTX_CVT && i->n_type == 2 && i->type[1] == PTX_T_F32 &&
           (i->type[0] == PTX_T_F16 || i->type[0] == PTX_T_BF16 || i->type[0] == PTX_T_F16X2 ||
            i->type[0] == PTX_T_BF16X2);
}
static bool widens_half(const struct ptx_inst *i)
{
    return i->op == PTX_CVT && i->n_type == 2 && i->type[0] == PTX_T_F32 &&
           (i->type[1] == PTX_T_F16 || i->type[1] == PTX_T_BF16);
}

/* Comparisons, selections, minima and maxima of single precision are done by the integer units. */
static bool by_integer_unit(const struct ptx_inst *i)
{
    enum ptx_type t = i->n_type ? (enum ptx_type)i->type[i->n_type - 1] : PTX_T_NONE;
    switch (i->op) {
    case PTX_SELP:
    case PTX_SLCT:
        return ptx_type_bytes(t) <= 4;
    case PTX_SETP:
    case PTX_SET:
    case PTX_MIN:
    case PTX_MAX:
        return t == PTX_T_F32;
    default:
        return false;
    }
}

/* Lanes that do not execute it keep what its result was: it has a guard, or a short branch goes around it. */
static bool keeps_old(const struct code_func *c, uint32_t pc)
{
    return c->func->inst[pc].guard >= 0 || c->predicate[pc] != CODE_NONE;
}

static void add_predicate(const struct code_func *c, struct code_region *r, struct code_node *n, uint32_t pc)
{
    if (c->predicate[pc] != CODE_NONE)
        add_src(r, n, c->renamed[c->predicate[pc]]);
}

/* The predicate that guards the operation becomes its last source. */
static void mark_guard(const struct code_func *c, struct code_region *r, struct code_node *n, uint32_t pc)
{
    int32_t guard = c->func->inst[pc].guard;
    if (guard < 0 && c->predicate[pc] == CODE_NONE)
        return;
    uint32_t reg = guard >= 0 ? source(c, r, c->renamed[guard], pc, NULL) : c->renamed[c->predicate[pc]];
    uint32_t *src = code_src(r, n);
    for (unsigned k = 0; k < n->n_src; k++)
        if (src[k] == reg) {
            src[k] = src[n->n_src - 1];
            src[n->n_src - 1] = reg;
            n->flags |= TRACE_OP_GUARDED;
            return;
        }
}

/*
 * A sequence: each step reads the one before; the first ones and those beside read the operands. The branch around the
 * rare case is guarded by the last step beside it, which is the test.
 */
static void select_sequence(struct code_func *c, struct code_region *r, uint32_t pc, const char *text)
{
    uint32_t temp = CODE_NONE, test = CODE_NONE;
    const struct ptx_inst *i = &c->func->inst[pc];
    while (*text) {
        struct code_step step = code_step_of(&text);
        struct code_node n = {.pc = pc,
                              .cls = step.cls,
                              .copy = copy_of(r),
                              .regs_at = (uint32_t)r->reg.n,
                              .keeps_old = keeps_old(c, pc),
                              .is_last = step.cls == TRACE_BRANCH};
        if (step.cls == TRACE_NOP && !*text) { /* the last one is BSYNC, behind everything else */
            n.flags = TRACE_OP_CONVERGE;
            n.is_last = true;
        }
        const char *rest = text;
        bool more = false; /* on the way to the result */
        while (*rest)
            more |= !code_step_of(&rest).beside;
        bool result = !step.beside && !more;
        if (result)
            add_results(c, r, &n, pc);
        else
            add_dst(r, &n, c->n_reg + r->n_temp++);
        if (step.beside || temp == CODE_NONE) {
            add_sources(c, r, &n, pc, CODE_NONE);
            if (reads_carry(i))
                add_src(r, &n, carry_of(c));
        } else {
            add_src(r, &n, temp);
            if (i->guard >= 0)
                add_src(r, &n, c->renamed[i->guard]);
        }
        add_predicate(c, r, &n, pc);
        if (step.cls == TRACE_BRANCH && step.beside && test != CODE_NONE) {
            add_src(r, &n, test);
            n.flags |= TRACE_OP_GUARDED;
        } else {
            mark_guard(c, r, &n, pc);
        }
        if (step.beside && step.cls != TRACE_NOP)
            test = code_dst(r, &n)[0];
        if (!step.beside && !result)
            temp = code_dst(r, &n)[0];
        finish(r, &n);
    }
}

static bool accesses_memory(const struct ptx_inst *i, unsigned cls)
{
    bool accesses = cls == TRACE_LOAD || cls == TRACE_STORE || cls == TRACE_ATOM || cls == TRACE_RED ||
                    cls == TRACE_TEX || cls == TRACE_SURF || cls == TRACE_ASYNC ||
                    (cls == TRACE_MBARRIER && ptx_mbarrier(i) != TRACE_MBARRIER_OTHER) ||
                    (cls == TRACE_BARRIER && ptx_barrier_varies(i));
    return accesses && i->space != PTX_S_PARAM;
}

/* BSYNC comes before what is behind it in the program, BSSY anywhere before the branch. */
static void mark_convergence(struct code_func *c, struct code_region *r, uint32_t pc, bool meets)
{
    struct code_node n = {
        .pc = pc, .cls = TRACE_NOP, .copy = copy_of(r), .is_last = meets, .regs_at = (uint32_t)r->reg.n};
    n.flags = meets ? TRACE_OP_CONVERGE : 0;
    if (!r->unroll && (meets ? c->meets[pc] : c->opens[pc]))
        finish(r, &n);
}

static void select_one(struct code_func *c, struct code_region *r, uint32_t pc)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    uint32_t base = base_of(i);
    unsigned cls = ptx_class(i);
    if (c->folded[pc] != CODE_KEPT || code_constant_gone(c, pc))
        return;
    if (cls == TRACE_NOP && i->op != PTX_GRIDDEPCONTROL)
        return;
    if (i->op == PTX_BRA && c->predicate[pc] != CODE_NONE)
        return; /* what it goes around is predicated */
    if (code_turns_back(c->func, r->first, pc))
        return;
    if (r->unroll && code_unroll_skips(c, r->unroll, pc))
        return;
    if (r->unroll)
        prepare(c, r, pc, base);
    if (i->space == PTX_S_PARAM && !c->func->is_entry && (cls == TRACE_LOAD || cls == TRACE_STORE))
        cls = TRACE_MOVE; /* a function's own parameters: see kernel_table.c */
    if (converts_integers(i))
        cls = TRACE_INT_ADD;
    if (rounds_to_half(i))
        cls = TRACE_INT_ADD;
    if (widens_half(i))
        cls = TRACE_FP_ADD;
    if (by_integer_unit(i))
        cls = TRACE_INT_MINMAX;
    unsigned fused = fused_class(c, pc, cls);
    const char *text = fused == cls ? code_expansion(c, pc) : NULL;
    struct operands o = {.constant = CODE_NONE, .one_register = text || accesses_memory(i, cls)};
    look_at_operands(c, pc, &o);
    reload_constants(c, r, pc, &o);
    if (text) {
        select_sequence(c, r, pc, text);
        return;
    }
    struct code_node n = {.pc = pc,
                          .cls = (uint8_t)fused,
                          .copy = copy_of(r),
                          .regs_at = (uint32_t)r->reg.n,
                          .keeps_old = keeps_old(c, pc),
                          .is_last = leaves(cls),
                          .order = (uint8_t)order_of(i, cls)};
    if (cls != TRACE_WGMMA)
        add_results(c, r, &n, pc);
    add_sources(c, r, &n, pc, base);
    if (reads_carry(i))
        add_src(r, &n, carry_of(c));
    add_predicate(c, r, &n, pc);
    mark_guard(c, r, &n, pc);
    if (accesses_memory(i, cls)) {
        n.flags |= TRACE_OP_ACCESS;
        n.width = (uint8_t)ptx_access_bytes(i);
        n.addr = address_of(c, r, pc, n.width);
    }
    finish(r, &n);
}

/* ---- wide loads of shared variables ---- */

enum { WIDEST = 16, DEPTH = 8 };

static unsigned low_bit(int64_t value)
{
    return value & (WIDEST - 1) ? (unsigned)(value & -value) : WIDEST;
}

static unsigned alignment(const struct code_func *c, uint32_t reg, uint32_t above, unsigned depth);

static unsigned operand_alignment(const struct code_func *c, const struct ptx_opnd *o, uint32_t above, unsigned depth)
{
    switch (o->kind) {
    case PTX_O_IMM:
        return low_bit(o->imm);
    case PTX_O_SYM: /* the assembler places shared variables */
        return low_bit(o->imm);
    case PTX_O_REG:
        return alignment(c, (uint32_t)o->reg, above, depth);
    default:
        return 1;
    }
}

/* What the results of pc are multiples of, as far as an assembler sees it: up to 16. */
static unsigned result_alignment(const struct code_func *c, uint32_t pc, uint32_t above, unsigned depth)
{
    const struct ptx_inst *i = &c->func->inst[pc];
    unsigned x = i->n_opnd > 1 ? operand_alignment(c, &i->opnd[1], above, depth) : 1;
    unsigned y = i->n_opnd > 2 ? operand_alignment(c, &i->opnd[2], above, depth) : 1, product = x * y;
    product = product < WIDEST ? product : WIDEST;
    switch (i->op) {
    case PTX_MOV:
    case PTX_CVTA:
        return x;
    case PTX_CVT:
        return converts_integers(i) ? x : 1;
    case PTX_ADD:
    case PTX_SUB:
        return x < y ? x : y;
    case PTX_AND:
        return x > y ? x : y;
    case PTX_SHL:
        if (i->opnd[2].kind != PTX_O_IMM)
            return 1;
        return i->opnd[2].imm >= 4 || x << i->opnd[2].imm > WIDEST ? WIDEST : x << i->opnd[2].imm;
    case PTX_MUL:
        return ptx_has(i, PTX_M_HI) ? 1 : product;
    case PTX_MAD: {
        unsigned z = i->n_opnd > 3 ? operand_alignment(c, &i->opnd[3], above, depth) : 1;
        return ptx_has(i, PTX_M_HI) ? 1 : product < z ? product : z;
    }
    default:
        return 1;
    }
}

/* The same of a register, over all that writes it. `above`: the register whose own definitions are being looked at. */
static unsigned alignment(const struct code_func *c, uint32_t reg, uint32_t above, unsigned depth)
{
    unsigned least = WIDEST;
    if (reg == above)
        return WIDEST;
    if (reg >= c->func->n_reg || !depth || c->defs.at[reg] == c->defs.at[reg + 1])
        return 1;
    for (uint32_t k = c->defs.at[reg]; k < c->defs.at[reg + 1]; k++) {
        bool several = c->defs.at[reg + 1] - c->defs.at[reg] > 1;
        unsigned a = result_alignment(c, c->defs.item[k], several ? reg : above, depth - 1);
        least = a < least ? a : least;
    }
    return least;
}

static bool may_join(const struct code_func *c, const struct code_node *n)
{
    bool may = n->cls == TRACE_LOAD && n->order == CODE_READ && n->addr.space == PTX_S_SHARED && n->addr.known &&
               !n->keeps_old && n->width >= 4 && n->width < WIDEST && n->addr.offset % n->width == 0;
    return may && (n->addr.reg == CODE_NONE || alignment(c, n->addr.reg, CODE_NONE, DEPTH) == WIDEST);
}

static bool is_base_written(const struct code_region *r, const struct code_node *n, const struct code_node *by)
{
    for (unsigned k = 0; k < by->n_dst; k++)
        if (code_dst(r, by)[k] == n->addr.reg)
            return true;
    return false;
}

/* The loads of the same 16 bytes that follow n, up to the next write that they may not pass, go into n. */
static void join_loads(const struct code_func *c, struct code_region *r, size_t first, bool *gone)
{
    struct code_node *n = &r->node.p[first];
    int64_t from = n->addr.offset & ~INT64_C(15);
    uint32_t dst[4] = {code_dst(r, n)[0]};
    unsigned n_dst = 1, mask = 1u << (n->addr.offset - from) / 4;
    if (n->width != 4 || n->n_dst != 1 || (n->addr.reg != CODE_NONE && n->addr.offset != from))
        return;
    for (size_t k = first + 1; k < r->node.n; k++) {
        const struct code_node *other = &r->node.p[k];
        if (other->order == CODE_ALL || other->order == CODE_WRITE || is_base_written(r, n, other))
            break;
        if (gone[k] || !may_join(c, other) || other->addr.reg != n->addr.reg || other->addr.sym != n->addr.sym ||
            other->width != 4 || other->n_dst != 1 || (other->addr.offset & ~INT64_C(15)) != from)
            continue;
        unsigned bit = 1u << (other->addr.offset - from) / 4;
        if (mask & bit)
            continue;
        mask |= bit;
        dst[n_dst++] = code_dst(r, other)[0];
        gone[k] = true;
    }
    if (n_dst == 1)
        return;
    uint32_t at = (uint32_t)r->reg.n;
    for (unsigned k = 0; k < n_dst; k++)
        VEC_PUSH(&r->reg, dst[k]);
    for (unsigned k = 0; k < n->n_src; k++)
        VEC_PUSH(&r->reg, code_src(r, n)[k]);
    n->regs_at = at;
    n->n_dst = (uint16_t)n_dst;
    n->width = n_dst > 2 ? 16 : 8;
    n->addr.offset = from;
    n->addr.bytes = 16;
}

static void join_shared(const struct code_func *c, struct code_region *r, struct arena *scratch)
{
    bool *gone = arena_alloc(scratch, r->node.n + 1);
    for (size_t k = 0; k < r->node.n; k++)
        if (!gone[k] && may_join(c, &r->node.p[k]))
            join_loads(c, r, k, gone);
    size_t n = 0;
    for (size_t k = 0; k < r->node.n; k++)
        if (!gone[k])
            r->node.p[n++] = r->node.p[k];
    r->node.n = n;
}

void code_select(struct code_func *c, struct code_region *r)
{
    struct arena *scratch = arena_new();
    for (unsigned copy = 0; copy < (r->unroll ? r->unroll->copies : 1); copy++) {
        if (r->unroll)
            code_unroll_next(c, r->unroll, copy);
        for (uint32_t pc = r->first; pc <= r->last; pc++) {
            mark_convergence(c, r, pc, true);
            mark_convergence(c, r, pc, false);
            select_one(c, r, pc);
        }
    }
    join_shared(c, r, scratch);
    arena_free(scratch);
}
