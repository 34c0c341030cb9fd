/*
 * Decoding: PTX instructions become emu_inst, once per kernel, before its first launch.
 *
 * Operands turn into rows: registers of the frame, broadcast constants of the pool, special registers. Branches get
 * flat pcs and their point of reconvergence. Everything arithmetic is chosen by emu_op_select. An instruction that weir
 * cannot run, in code that can be reached, makes the launch fail here, before anything has run.
 */
#include "base/demangle.h"
#include "emu/decode.h"
#include "emu/watch.h"

#include <stdio.h>

int emu_unsupported(struct emu_decoder *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(d->why_buf, sizeof d->why_buf, fmt, ap);
    va_end(ap);
    d->why = d->why_buf;
    return -1;
}

uint8_t emu_lane_of(enum ptx_type t)
{
    if (t == PTX_T_PRED)
        return EMU_LANE_PRED;
    unsigned bytes = ptx_type_bytes(t);
    return bytes <= 4 ? EMU_LANE_32 : bytes == 8 ? EMU_LANE_64 : EMU_LANE_128;
}

/* Lays vectors, pairs and lists out flat. */
static unsigned flatten(const struct ptx_opnd *o, const struct ptx_opnd **out, unsigned n, unsigned max)
{
    if (o->kind == PTX_O_VEC || o->kind == PTX_O_PAIR || o->kind == PTX_O_LIST || o->kind == PTX_O_TEXADDR) {
        for (unsigned k = 0; k < o->n; k++)
            n = flatten(&o->elem[k], out, n, max);
        return n;
    }
    if (n < max)
        out[n] = o;
    return n + 1;
}

static int decode_address(struct emu_decoder *d, const struct ptx_opnd *o, struct emu_inst *in, struct emu_opnd *out)
{
    if (o->kind != PTX_O_ADDR)
        return emu_unsupported(d, "expected an address operand");
    if (o->reg >= 0) {
        struct ptx_opnd base = {.kind = PTX_O_REG, .reg = o->reg, .sym = -1};
        in->target = (uint32_t)o->imm;
        return emu_decode_src(d, &base, 'r', PTX_T_U64, out);
    }
    struct ptx_opnd at = {.kind = o->sym >= 0 ? PTX_O_SYM : PTX_O_IMM, .reg = -1, .sym = o->sym, .imm = o->imm};
    in->target = 0;
    const bool raw = d->p->raw_shared; /* no harm here: these reach their own CTA's shared memory alone */
    const int rc = emu_decode_src(d, &at, 'd', PTX_T_U64, out);
    d->p->raw_shared = raw;
    return rc;
}

/* Operands of an instruction chosen by emu_op_select. */
static int decode_op(struct emu_decoder *d, struct emu_inst *in)
{
    struct emu_op_sel sel;
    const char *why = "this form is not supported";
    memset(&sel, 0, sizeof sel);
    if (emu_op_select(d->inst, &sel, &why) < 0)
        return emu_unsupported(d, "%s", why);
    const struct ptx_opnd *flat[64];
    unsigned n = 0;
    for (unsigned k = 0; k < d->inst->n_opnd; k++)
        n = flatten(&d->inst->opnd[k], flat, n, 64);
    const char *bar = strchr(sel.sig, '>');
    if (!bar)
        BUG("signature '%s' of %s has no '>'", sel.sig, d->inst->text);
    unsigned n_dst = (unsigned)(bar - sel.sig), n_src = (unsigned)strlen(bar + 1);
    if (n != n_dst + n_src)
        return emu_unsupported(d, "it has %u operands where %u are expected", n, n_dst + n_src);
    struct emu_opnd *opnd = emu_prog_alloc(d->p, n * sizeof *opnd);
    for (unsigned k = 0; k < n; k++) {
        int rc;
        if (k < n_dst)
            rc = emu_decode_dst(d, flat[k], sel.sig[k], &opnd[k]);
        else if (bar[1 + k - n_dst] == 'a')
            rc = decode_address(d, flat[k], in, &opnd[k]);
        else
            rc = emu_decode_src(d, flat[k], bar[1 + k - n_dst], sel.src_type[k - n_dst], &opnd[k]);
        if (rc < 0)
            return -1;
    }
    in->fn = sel.fn;
    in->dst = opnd;
    in->src = opnd + n_dst;
    in->n_dst = (uint8_t)n_dst;
    in->n_src = (uint8_t)n_src;
    memcpy(in->aux, sel.aux, sizeof in->aux);
    in->imm = sel.imm;
    switch (d->inst->op) {
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_MATCH:
    case PTX_REDUX:
    case PTX_ELECT:
        if (ptx_has(d->inst, PTX_M_SYNC)) {
            in->kind = EMU_K_SYNC;
            in->target2 = EMU_SYNC_MEMBERS;
        }
        break;
    case PTX_WMMA:
    case PTX_MMA:
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
    case PTX_MOVMATRIX:
        in->kind = EMU_K_SYNC;
        in->target2 = EMU_SYNC_ALL;
        break;
    case PTX_TEX:
    case PTX_TLD4:
    case PTX_TXQ:
    case PTX_SULD:
    case PTX_SUST:
    case PTX_SURED:
    case PTX_SUQ:
        in->kind = EMU_K_MEM;
        break;
    }
    return 0;
}

/* ---- control flow ---- */

static uint32_t flat_pc(const struct emu_decoder *d, uint32_t pc)
{
    /* The implied return that all functions share follows the last instruction. */
    return pc >= d->f->ptx->n_inst ? d->p->n_inst : d->f->base_pc + pc;
}

static uint32_t flat_reconv(const struct emu_decoder *d, uint32_t pc)
{
    uint32_t r = d->f->ptx->reconv_pc[pc];
    return r >= d->f->ptx->n_inst ? EMU_NO_PC : d->f->base_pc + r;
}

static int decode_bra(struct emu_decoder *d, struct emu_inst *in, uint32_t pc)
{
    if (d->inst->n_opnd < 1 || d->inst->opnd[0].kind != PTX_O_LABEL)
        return emu_unsupported(d, "a branch needs a label");
    in->kind = EMU_K_BRA;
    in->target = flat_pc(d, d->f->ptx->label[d->inst->opnd[0].label].pc);
    in->target2 = flat_reconv(d, pc);
    return 0;
}

static int decode_brx(struct emu_decoder *d, struct emu_inst *in, uint32_t pc)
{
    const struct ptx_inst *p = d->inst;
    if (p->n_opnd < 2 || p->opnd[1].kind != PTX_O_LABEL)
        return emu_unsupported(d, "brx.idx needs an index and a list of targets");
    const struct ptx_label *list = &d->f->ptx->label[p->opnd[1].label];
    if (!list->n_target)
        return emu_unsupported(d, "%s is not a list of branch targets", list->name);
    uint32_t *table = emu_prog_alloc(d->p, (list->n_target + 1) * sizeof *table);
    table[0] = list->n_target;
    for (uint32_t k = 0; k < list->n_target; k++)
        table[1 + k] = flat_pc(d, d->f->ptx->label[list->target[k]].pc);
    struct emu_opnd *src = emu_prog_alloc(d->p, sizeof *src);
    if (emu_decode_src(d, &p->opnd[0], 'w', PTX_T_U32, src) < 0)
        return -1;
    in->kind = EMU_K_BRX;
    in->src = src;
    in->n_src = 1;
    in->target = (uint32_t)d->table.n;
    in->target2 = flat_reconv(d, pc);
    VEC_PUSH(&d->table, table);
    return 0;
}

static int decode_args(struct emu_decoder *d, const struct ptx_opnd *list, uint32_t *n, struct emu_arg **out)
{
    *n = list->n;
    struct emu_arg *a = emu_prog_alloc(d->p, list->n * sizeof *a);
    *out = a;
    for (uint32_t k = 0; k < list->n; k++) {
        const struct ptx_opnd *o = &list->elem[k];
        if (o->kind == PTX_O_SYM && PTX_SYM_KIND(o->sym) != PTX_SYM_FUNC && PTX_SYM_KIND(o->sym) != PTX_SYM_VAR) {
            uint64_t addr, bytes;
            bool frame;
            enum ptx_space space;
            if (emu_decode_sym(d, o->sym, &addr, &frame, &space, &bytes) < 0)
                return -1;
            if (space != PTX_S_PARAM || !frame)
                return emu_unsupported(d, "a call's argument must be a register, a constant or a .param variable");
            a[k] = (struct emu_arg){.in_frame = 1, .off = (uint32_t)addr + (uint32_t)o->imm, .bytes = (uint32_t)bytes};
            continue;
        }
        if (emu_decode_src(d, o, 'r', PTX_T_B64, &a[k].opnd) < 0)
            return -1;
        a[k].bytes = a[k].opnd.lane;
    }
    return 0;
}

static int decode_call(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    if (p->n_opnd < 3 || p->opnd[0].kind != PTX_O_LIST || p->opnd[2].kind != PTX_O_LIST)
        return emu_unsupported(d, "this form of call is not supported");
    struct emu_call c = {.func = -1, .builtin = -1};
    if (decode_args(d, &p->opnd[0], &c.n_ret, &c.ret) < 0 || decode_args(d, &p->opnd[2], &c.n_arg, &c.arg) < 0)
        return -1;
    const struct ptx_opnd *callee = &p->opnd[1];
    if (callee->kind == PTX_O_SYM && PTX_SYM_KIND(callee->sym) == PTX_SYM_FUNC) {
        uint32_t index = (uint32_t)PTX_SYM_INDEX(callee->sym);
        const struct emu_fn_ref *r = &d->unit->fn[d->f->module_index][index];
        const char *name = d->f->module->func[index].name;
        if (r->def == EMU_FN_UNRESOLVED)
            return emu_refuse_undefined(d, "function", name);
        if (r->def == EMU_FN_BUILTIN) {
            c.builtin = r->builtin;
        } else {
            c.func = (int32_t)d->p->func_of_def[r->def];
            const struct ptx_func *f = d->p->func[c.func].ptx;
            if (f->n_param != c.n_arg || f->n_ret != c.n_ret)
                return emu_unsupported(d, "%s takes %u arguments and gives %u results, the call has %u and %u", name,
                                       f->n_param, f->n_ret, c.n_arg, c.n_ret);
        }
    } else {
        struct emu_opnd *src = emu_prog_alloc(d->p, sizeof *src);
        if (emu_decode_src(d, callee, 'd', PTX_T_U64, src) < 0)
            return -1;
        in->src = src;
        in->n_src = 1;
    }
    in->kind = EMU_K_CALL;
    in->target = (uint32_t)d->call.n;
    VEC_PUSH(&d->call, c);
    return 0;
}

/* aux of a barrier: what it does. */
static int decode_bar(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    struct emu_opnd *o = emu_prog_alloc(d->p, 4 * sizeof *o);
    unsigned at = 0;
    if (ptx_has(p, PTX_M_WARP)) { /* bar.warp.sync membermask */
        if (p->n_opnd < 1 || emu_decode_src(d, &p->opnd[0], 'w', PTX_T_B32, &o[0]) < 0)
            return emu_unsupported(d, "bar.warp.sync needs a member mask");
        in->kind = EMU_K_SYNC;
        in->fn = emu_op_nothing;
        in->target2 = EMU_SYNC_MEMBERS;
        in->src = o;
        in->n_src = 1;
        return 0;
    }
    if (ptx_has(p, PTX_M_CLUSTER)) {
        in->kind = EMU_K_CLUSTER;
        in->aux[0] = ptx_has(p, PTX_M_WAIT) ? EMU_CLUSTER_WAIT : EMU_CLUSTER_ARRIVE;
        return p->n_opnd ? emu_unsupported(d, "barrier.cluster takes no operands") : 0;
    }
    in->kind = EMU_K_BAR;
    in->aux[0] = ptx_has(p, PTX_M_ARRIVE) ? EMU_BAR_ARRIVE : ptx_has(p, PTX_M_RED) ? EMU_BAR_RED : EMU_BAR_SYNC;
    if (in->aux[0] == EMU_BAR_RED) {
        in->aux[1] = ptx_has(p, PTX_M_AND) ? EMU_BAR_AND : ptx_has(p, PTX_M_OR) ? EMU_BAR_OR : EMU_BAR_POPC;
        struct emu_opnd *dst = &o[3];
        if (p->n_opnd < 3 || emu_decode_dst(d, &p->opnd[0], in->aux[1] == EMU_BAR_POPC ? 'w' : 'p', dst) < 0)
            return emu_unsupported(d, "bar.red needs a destination, a barrier and a predicate");
        in->dst = dst;
        in->n_dst = 1;
        at = 1;
    }
    /* src: barrier number, thread count (or absent), predicate */
    unsigned n_pred = in->aux[0] == EMU_BAR_RED ? 1 : 0;
    unsigned left = p->n_opnd - at - n_pred;
    if (left < 1 || left > 2)
        return emu_unsupported(d, "a barrier takes a number and at most a thread count");
    if (emu_decode_src(d, &p->opnd[at], 'w', PTX_T_U32, &o[0]) < 0)
        return -1;
    if (left == 2 && emu_decode_src(d, &p->opnd[at + 1], 'w', PTX_T_U32, &o[1]) < 0)
        return -1;
    if (n_pred && emu_decode_src(d, &p->opnd[p->n_opnd - 1], 'p', PTX_T_PRED, &o[2]) < 0)
        return -1;
    in->src = o;
    in->n_src = 3;
    return 0;
}

void emu_op_nothing(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    (void)w, (void)in, (void)mask;
}

static int decode_inst(struct emu_decoder *d, struct emu_inst *in, uint32_t pc)
{
    switch (d->inst->op) {
    case PTX_BRA:
        return decode_bra(d, in, pc);
    case PTX_BRX:
        return decode_brx(d, in, pc);
    case PTX_CALL:
        return decode_call(d, in);
    case PTX_RET:
        in->kind = d->f == &d->p->func[0] ? EMU_K_EXIT : EMU_K_RET;
        return 0;
    case PTX_EXIT:
        in->kind = EMU_K_EXIT;
        return 0;
    case PTX_TRAP:
    case PTX_BRKPT:
        in->kind = EMU_K_TRAP;
        return 0;
    case PTX_BAR:
    case PTX_BARRIER:
        return decode_bar(d, in);
    case PTX_NANOSLEEP:
        in->kind = EMU_K_YIELD;
        return 0;
    case PTX_MEMBAR:
    case PTX_FENCE:
    case PTX_PMEVENT:
    case PTX_GRIDDEPCONTROL:
    case PTX_SETMAXNREG:
        in->fn = emu_op_nothing; /* memory is sequentially consistent here */
        return 0;
    }
    int rc = emu_decode_async(d, in);
    if (rc == 1)
        rc = emu_decode_mem(d, in);
    return rc == 1 ? decode_op(d, in) : rc;
}

/* ---- loops that only look at memory ---- */

static bool strong_read(const struct ptx_inst *in)
{
    if (in->op == PTX_ATOM || in->op == PTX_NANOSLEEP)
        return true;
    if (in->op == PTX_MBARRIER)
        return true;
    return in->op == PTX_LD && (ptx_has(in, PTX_M_VOLATILE) || ptx_has(in, PTX_M_RELAXED) ||
                                ptx_has(in, PTX_M_ACQUIRE) || ptx_has(in, PTX_M_MMIO) || ptx_has(in, PTX_M_CV));
}

static bool reads_clock(const struct ptx_inst *in)
{
    for (unsigned k = 0; k < in->n_opnd; k++)
        if (in->opnd[k].kind == PTX_O_SREG && emu_is_clock(in->opnd[k].sreg))
            return true;
    return false;
}

/*
 * Marks the backward branches of innermost loops that poll: they read memory that others may change, and do nothing
 * else that anybody could see. Such a warp yields after a few rounds instead of using up its slice.
 */
static void mark_polling(struct emu_prog *p, struct emu_func *f)
{
    const struct ptx_func *x = f->ptx;
    if (!x->n_loop)
        return;
    enum { READS = 1, WORKS = 2 };
    uint8_t *loop = xcalloc(x->n_loop + 1, 1);
    for (uint32_t i = 0; i < x->n_loop; i++)
        if (x->loop[i].parent)
            loop[x->loop[i].parent] |= WORKS; /* not innermost */
    for (uint32_t b = 0; b < x->n_block; b++) {
        uint32_t l = x->block[b].loop;
        if (!l)
            continue;
        for (uint32_t pc = x->block[b].first; pc <= x->block[b].last; pc++) {
            const struct ptx_inst *in = &x->inst[pc];
            if (strong_read(in))
                loop[l] |= READS;
            if (in->op == PTX_ST || in->op == PTX_RED || in->op == PTX_BAR || in->op == PTX_BARRIER ||
                in->op == PTX_CALL || in->op == PTX_SUST || reads_clock(in))
                loop[l] |= in->op == PTX_BAR && ptx_has(in, PTX_M_WARP) ? 0 : WORKS;
        }
    }
    for (uint32_t b = 0; b < x->n_block; b++) {
        uint32_t l = x->block[b].loop;
        if (!l || loop[l] != READS)
            continue;
        struct emu_inst *in = &p->inst[f->base_pc + x->block[b].last];
        uint32_t header = f->base_pc + x->block[x->loop[l - 1].header].first;
        if ((in->kind & EMU_K_MASK) == EMU_K_BRA && in->target == header)
            in->kind |= EMU_K_POLL;
    }
    free(loop);
}

/* ---- the whole kernel ---- */

static uint8_t *reachable_blocks(const struct ptx_func *f)
{
    uint8_t *seen = xcalloc(f->n_block + 1, 1);
    VEC(uint32_t) todo = {0};
    if (f->n_block) {
        seen[0] = 1;
        VEC_PUSH(&todo, 0);
    }
    while (todo.n) {
        const struct ptx_block *b = &f->block[todo.p[--todo.n]];
        for (uint32_t k = 0; k < b->n_succ; k++)
            if (b->succ[k] < f->n_block && !seen[b->succ[k]]) {
                seen[b->succ[k]] = 1;
                VEC_PUSH(&todo, b->succ[k]);
            }
    }
    VEC_FREE(&todo);
    return seen;
}

static bool falls_through(const struct emu_decoder *d, const struct emu_inst *in, const struct ptx_inst *p)
{
    if (in->kind & EMU_K_GUARD)
        return true;
    if (p->op == PTX_CALL && p->n_opnd > 1 && p->opnd[1].kind == PTX_O_SYM &&
        PTX_SYM_KIND(p->opnd[1].sym) == PTX_SYM_FUNC && d->f->module->func[PTX_SYM_INDEX(p->opnd[1].sym)].noreturn)
        return false;
    uint8_t k = in->kind & EMU_K_MASK;
    return k != EMU_K_BRA && k != EMU_K_BRX && k != EMU_K_RET && k != EMU_K_EXIT && k != EMU_K_TRAP;
}

static int decode_func(struct emu_decoder *d, uint32_t index, struct emu_fault *fault)
{
    d->f = &d->p->func[index];
    const struct ptx_func *x = d->f->ptx;
    uint8_t *live = reachable_blocks(x);
    int rc = 0;
    for (uint32_t pc = 0; pc < x->n_inst && rc == 0; pc++) {
        struct emu_inst *in = &d->p->inst[d->f->base_pc + pc];
        const struct ptx_inst *p = &x->inst[pc];
        d->inst = p;
        d->why = NULL;
        d->clock = false;
        in->ptx = p;
        in->guard = -1;
        if (!live[x->inst_block[pc]]) { /* never runs: weir need not know it */
            in->kind = EMU_K_TRAP;
            continue;
        }
        if (p->bad)
            rc = emu_unsupported(d, "%s", p->bad);
        else
            rc = decode_inst(d, in, pc);
        if (d->clock && in->kind == EMU_K_OP)
            in->kind = EMU_K_CLOCK;
        if (rc == 0 && p->guard >= 0) {
            in->guard = (int16_t)x->reg[p->guard].row;
            in->guard_neg = p->guard_neg;
            in->kind |= EMU_K_GUARD;
        }
        if (rc == 0 && pc + 1 == x->n_inst && index + 1 < d->p->n_func && falls_through(d, in, p))
            rc = emu_unsupported(d, "the function %s has no return at its end", x->name);
    }
    if (rc < 0) {
        emu_fault_place(d->emu, fault, d->f->module, &d->p->func[0], d->f->ptx, d->inst);
        fault->kind = EMU_FAULT_UNSUPPORTED;
        snprintf(fault->text, sizeof fault->text, "weir cannot run this instruction: %s", d->why);
    } else {
        for (uint32_t pc = 0; pc < x->n_inst; pc++) {
            const struct emu_inst *in = &d->p->inst[d->f->base_pc + pc];
            uint8_t k = in->kind & EMU_K_MASK;
            if ((k == EMU_K_BRA || k == EMU_K_BRX) && in->target2 != EMU_NO_PC)
                d->p->inst[in->target2].kind |= EMU_K_JOIN;
            if (k == EMU_K_CALL && in->n_src) /* lanes that called different functions meet behind the call */
                d->p->inst[d->f->base_pc + pc + 1].kind |= EMU_K_JOIN;
        }
        mark_polling(d->p, d->f);
    }
    free(live);
    return rc;
}

int emu_decode_kernel(struct emu_kernel *k, struct emu_fault *fault)
{
    struct emu_prog *p = k->prog;
    if (p->decoded)
        return 0;
    if (p->refused) {
        *fault = *p->refused;
        return -1;
    }
    struct emu_decoder d = {.emu = k->unit->emu, .unit = k->unit, .p = p};
    p->inst = emu_prog_alloc(p, ((size_t)p->n_inst + 1) * sizeof *p->inst);
    memset(p->inst, 0, ((size_t)p->n_inst + 1) * sizeof *p->inst);
    p->inst[p->n_inst] = (struct emu_inst){.kind = EMU_K_RET, .guard = -1}; /* the implied return */
    int rc = 0;
    for (uint32_t i = 0; i < p->n_func && rc == 0; i++)
        rc = decode_func(&d, i, fault);
    if (rc == 0) {
        p->pool_bytes = (uint32_t)d.pool.n;
        p->pool = emu_prog_alloc(p, d.pool.n);
        memcpy(p->pool, d.pool.p ? d.pool.p : "", d.pool.n);
        p->n_sreg = (uint32_t)d.sreg.n;
        p->sreg_bytes = p->n_sreg * EMU_LANES * 8;
        p->sreg = emu_prog_alloc(p, d.sreg.n * sizeof *p->sreg);
        memcpy(p->sreg, d.sreg.p ? (void *)d.sreg.p : "", d.sreg.n * sizeof *p->sreg);
        p->n_call = (uint32_t)d.call.n;
        p->call = emu_prog_alloc(p, d.call.n * sizeof *p->call);
        memcpy(p->call, d.call.p ? (void *)d.call.p : "", d.call.n * sizeof *p->call);
        p->n_table = (uint32_t)d.table.n;
        p->table = emu_prog_alloc(p, d.table.n * sizeof *p->table);
        memcpy(p->table, d.table.p ? (void *)d.table.p : "", d.table.n * sizeof *p->table);
        p->n_cache = d.n_cache;
        p->cache = emu_prog_alloc(p, d.n_cache * sizeof *p->cache);
        p->decoded = true;
        emu_tell_unwaited(d.emu, p);
        if (d.emu->opts.watch)
            d.emu->opts.watch->decoded(d.emu->opts.watch->ctx, p);
    } else {
        p->refused = emu_prog_alloc(p, sizeof *p->refused);
        *p->refused = *fault;
    }
    VEC_FREE(&d.pool);
    VEC_FREE(&d.sreg);
    VEC_FREE(&d.call);
    VEC_FREE(&d.table);
    free(d.slot);
    return rc;
}
