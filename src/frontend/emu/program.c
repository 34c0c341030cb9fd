/*
 * From a kernel to a program: which functions it may call, where their code and variables go.
 *
 * A program has one pc space: the entry, then every function it can reach, in the order found (ptx/kernel_table.h
 * counts the same way). A thread's local memory is a stack of frames, one per active function:
 *
 *     .local variables | .param variables of its calls | its own parameters | its results
 *
 * so parameters are passed by copying bytes from frame to frame. .param variables of calls that do not overlap in the
 * text share their place. Static .shared variables of all functions and all that is used of the module's come first in
 * shared memory, dynamic shared memory follows.
 */
#include "emu/state.h"

#include "base/bits.h"
#include "code/code.h"
#include "ptx/kernel_table.h"

void *emu_prog_alloc(struct emu_prog *p, size_t bytes)
{
    return arena_alloc64(p->arena, bytes ? bytes : 1);
}

static uint32_t align_up(uint32_t x, uint32_t align)
{
    return align > 1 ? (x + align - 1) / align * align : x;
}

/* ---- which functions ---- */

struct reach {
    struct emu_module *u;
    uint8_t *seen;      /* per def */
    VEC(uint32_t) list; /* defs, entry first */
    bool indirect;
};

static void reach_add(struct reach *r, int32_t def)
{
    if (def >= 0 && !r->seen[def]) {
        r->seen[def] = 1;
        VEC_PUSH(&r->list, (uint32_t)def);
    }
}

/* Every function whose address is taken by a variable's initializer or by code seen so far. */
static void add_address_taken(struct reach *r)
{
    struct emu_module *u = r->u;
    for (unsigned m = 0; m < u->n_ptx; m++)
        for (uint32_t i = 0; i < u->ptx[m]->n_var; i++) {
            const struct ptx_var *v = &u->ptx[m]->var[i];
            for (uint32_t k = 0; k < v->n_ref; k++)
                if (PTX_SYM_KIND(v->ref[k].sym) == PTX_SYM_FUNC)
                    reach_add(r, u->fn[m][PTX_SYM_INDEX(v->ref[k].sym)].def);
        }
    for (size_t i = 0; i < r->list.n; i++) {
        const struct emu_def *d = &u->def.p[r->list.p[i]];
        for (uint32_t pc = 0; pc < d->func->n_inst; pc++) {
            const struct ptx_inst *in = &d->func->inst[pc];
            if (in->op == PTX_CALL)
                continue;
            for (unsigned k = 0; k < in->n_opnd; k++) {
                const struct ptx_opnd *o = &in->opnd[k];
                if (o->kind != PTX_O_SYM || PTX_SYM_KIND(o->sym) != PTX_SYM_FUNC)
                    continue;
                int32_t def = u->fn[d->module_index][PTX_SYM_INDEX(o->sym)].def;
                if (def >= 0 && !u->def.p[def].func->is_entry) /* entries are named for launches, not for calls */
                    reach_add(r, def);
            }
        }
    }
}

static void reach_from(struct reach *r)
{
    struct emu_module *u = r->u;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct emu_def *d = &u->def.p[r->list.p[i]];
        for (uint32_t pc = 0; pc < d->func->n_inst; pc++) {
            const struct ptx_inst *in = &d->func->inst[pc];
            if (in->op != PTX_CALL || in->n_opnd < 2)
                continue;
            const struct ptx_opnd *callee = &in->opnd[1];
            if (callee->kind == PTX_O_SYM && PTX_SYM_KIND(callee->sym) == PTX_SYM_FUNC)
                reach_add(r, u->fn[d->module_index][PTX_SYM_INDEX(callee->sym)].def);
            else
                r->indirect = true;
        }
        if (r->indirect && i + 1 == r->list.n)
            add_address_taken(r);
    }
}

/* ---- frames ---- */

static void note_sym(const struct ptx_opnd *o, uint32_t pc, uint32_t *first, uint32_t *last)
{
    if ((o->kind == PTX_O_SYM || o->kind == PTX_O_ADDR) && o->sym >= 0 && PTX_SYM_KIND(o->sym) == PTX_SYM_LOCALVAR) {
        uint32_t v = (uint32_t)PTX_SYM_INDEX(o->sym);
        if (first[v] == UINT32_MAX)
            first[v] = pc;
        last[v] = pc;
    }
    if (o->kind == PTX_O_LIST || o->kind == PTX_O_VEC || o->kind == PTX_O_PAIR || o->kind == PTX_O_TEXADDR)
        for (unsigned k = 0; k < o->n; k++)
            note_sym(&o->elem[k], pc, first, last);
}

/* Call parameters: those whose uses do not overlap in the text share bytes. Returns the area's end. */
static uint32_t place_call_params(struct emu_func *f, uint32_t base)
{
    const struct ptx_func *p = f->ptx;
    uint32_t *first = xmalloc((p->n_var + 1) * 2 * sizeof *first), *last = first + p->n_var;
    for (uint32_t v = 0; v < p->n_var; v++)
        first[v] = last[v] = UINT32_MAX;
    for (uint32_t pc = 0; pc < p->n_inst; pc++)
        for (unsigned k = 0; k < p->inst[pc].n_opnd; k++)
            note_sym(&p->inst[pc].opnd[k], pc, first, last);
    /* In the order of first use; declarations are nearly so already. */
    uint32_t *order = xmalloc((p->n_var + 1) * sizeof *order), n = 0;
    for (uint32_t v = 0; v < p->n_var; v++) {
        if (p->var[v].space != PTX_S_PARAM || first[v] == UINT32_MAX)
            continue;
        uint32_t k = n++;
        for (; k > 0 && first[order[k - 1]] > first[v]; k--)
            order[k] = order[k - 1];
        order[k] = v;
    }
    uint32_t at = base, end = base, cluster_last = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct ptx_var *var = &p->var[order[k]];
        if (first[order[k]] > cluster_last)
            at = base;
        if (last[order[k]] > cluster_last)
            cluster_last = last[order[k]];
        at = align_up(at, var->align > 8 ? var->align : 8);
        f->var_off[order[k]] = at;
        at += (uint32_t)var->bytes;
        if (at > end)
            end = at;
    }
    free(order);
    free(first);
    return end;
}

/* The parameter without a size that holds what a variadic function's callers pass beyond the named ones (PTX: `[]`). */
static bool is_variadic(const struct ptx_func *f)
{
    return f->n_param && !f->param[f->n_param - 1].bytes && !f->param[f->n_param - 1].in_reg;
}

/* Room for the largest argument of any call of the program. */
static uint32_t largest_argument(const struct emu_prog *p)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->n_func; i++)
        for (uint32_t v = 0; v < p->func[i].ptx->n_var; v++) {
            const struct ptx_var *var = &p->func[i].ptx->var[v];
            if (var->space == PTX_S_PARAM && var->bytes > most)
                most = var->bytes;
        }
    return (uint32_t)most;
}

static int layout_frame(struct emu_func *f, bool entry, uint32_t variadic_bytes, struct err *e)
{
    const struct ptx_func *p = f->ptx;
    uint64_t at = 0;
    for (uint32_t v = 0; v < p->n_var; v++) {
        const struct ptx_var *var = &p->var[v];
        if (var->space != PTX_S_LOCAL)
            continue;
        at = align_up((uint32_t)at, var->align);
        f->var_off[v] = (uint32_t)at;
        at += var->bytes;
        if (at > 512u << 20)
            return err_at(e, f->module->name, (int)var->line, 0,
                          "%s needs more than 512 MiB of local memory per thread", p->name);
    }
    f->depot_bytes = (uint32_t)at;
    uint32_t end = align_up(place_call_params(f, align_up((uint32_t)at, 16)), 16);
    if (!entry) {
        f->param_off = end;
        f->variadic_bytes = is_variadic(p) ? variadic_bytes : 0;
        end = align_up(end + p->param_bytes + f->variadic_bytes, 16);
        f->ret_off = end;
        end = align_up(end + p->ret_bytes, 16) + 16; /* the return address, as the ABI of real GPUs has it */
    }
    f->frame_bytes = align_up(end, 16);
    return 0;
}

/* ---- shared memory ---- */

struct shared_place {
    struct emu_prog *p;
    uint32_t at;
    uint32_t dyn_align;
};

static uint32_t *shared_slot(struct emu_prog *p, unsigned m, uint32_t v)
{
    return &p->shared_off[p->shared_base[m] + v];
}

static void place_shared(struct shared_place *s, unsigned m, uint32_t v)
{
    struct emu_module *u = s->p->kernel->unit;
    const struct ptx_var *var = &u->ptx[m]->var[v];
    uint32_t *slot = shared_slot(s->p, m, v);
    if (var->space != PTX_S_SHARED || *slot != UINT32_MAX)
        return;
    if (var->unsized || var->bytes == 0) {
        *slot = UINT32_MAX - 1; /* set when the static part is known */
        if (var->align > s->dyn_align)
            s->dyn_align = var->align;
        return;
    }
    if (var->linkage == PTX_L_EXTERN)
        for (unsigned o = 0; o < u->n_ptx; o++) {
            int32_t d = o == m ? -1 : ptx_find_var(u->ptx[o], var->name);
            if (d >= 0 && u->ptx[o]->var[d].space == PTX_S_SHARED && u->ptx[o]->var[d].linkage != PTX_L_EXTERN) {
                place_shared(s, o, (uint32_t)d);
                *slot = *shared_slot(s->p, o, (uint32_t)d);
                return;
            }
        }
    s->at = align_up(s->at, var->align);
    *slot = s->at;
    s->at += (uint32_t)var->bytes;
}

static void place_shared_used(struct shared_place *s, unsigned m, const struct ptx_opnd *o)
{
    if ((o->kind == PTX_O_SYM || o->kind == PTX_O_ADDR) && o->sym >= 0 && PTX_SYM_KIND(o->sym) == PTX_SYM_VAR)
        place_shared(s, m, (uint32_t)PTX_SYM_INDEX(o->sym));
    if (o->kind == PTX_O_LIST || o->kind == PTX_O_VEC || o->kind == PTX_O_PAIR || o->kind == PTX_O_TEXADDR)
        for (unsigned k = 0; k < o->n; k++)
            place_shared_used(s, m, &o->elem[k]);
}

static void layout_shared(struct emu_prog *p)
{
    struct emu_module *u = p->kernel->unit;
    struct shared_place s = {.p = p, .dyn_align = 16};
    for (uint32_t i = 0; i < p->n_func; i++) {
        struct emu_func *f = &p->func[i];
        for (uint32_t v = 0; v < f->ptx->n_var; v++) {
            const struct ptx_var *var = &f->ptx->var[v];
            if (var->space != PTX_S_SHARED)
                continue;
            if (var->unsized || var->bytes == 0) {
                f->var_off[v] = UINT32_MAX - 1;
                if (var->align > s.dyn_align)
                    s.dyn_align = var->align;
                continue;
            }
            s.at = align_up(s.at, var->align);
            f->var_off[v] = s.at;
            s.at += (uint32_t)var->bytes;
        }
    }
    for (uint32_t i = 0; i < p->n_func; i++)
        for (uint32_t pc = 0; pc < p->func[i].ptx->n_inst; pc++) {
            const struct ptx_inst *in = &p->func[i].ptx->inst[pc];
            for (unsigned k = 0; k < in->n_opnd; k++)
                place_shared_used(&s, p->func[i].module_index, &in->opnd[k]);
        }
    p->smem_static = s.at;
    uint32_t dyn = align_up(s.at, s.dyn_align);
    bool uses_dynamic = false;
    for (uint32_t i = 0; i < p->n_func; i++)
        for (uint32_t v = 0; v < p->func[i].ptx->n_var; v++)
            if (p->func[i].ptx->var[v].space == PTX_S_SHARED && p->func[i].var_off[v] == UINT32_MAX - 1) {
                p->func[i].var_off[v] = dyn;
                uses_dynamic = true;
            }
    for (unsigned m = 0; m < u->n_ptx; m++)
        for (uint32_t v = 0; v < u->ptx[m]->n_var; v++)
            if (*shared_slot(p, m, v) == UINT32_MAX - 1) {
                *shared_slot(p, m, v) = dyn;
                uses_dynamic = true;
            }
    if (uses_dynamic)
        p->smem_static = dyn;
}

/* ---- call depth ---- */

/* Longest chain of frames from function f; 0 in *depot and *bytes while on the chain means a cycle. */
static void chain(struct emu_prog *p, uint32_t f, uint8_t *state, uint32_t *bytes, uint32_t *depot)
{
    struct emu_module *u = p->kernel->unit;
    state[f] = 1;
    uint32_t deepest = 0, deepest_depot = 0;
    const struct emu_func *fn = &p->func[f];
    for (uint32_t pc = 0; pc < fn->ptx->n_inst; pc++) {
        const struct ptx_inst *in = &fn->ptx->inst[pc];
        if (in->op != PTX_CALL || in->n_opnd < 2 || in->opnd[1].kind != PTX_O_SYM ||
            PTX_SYM_KIND(in->opnd[1].sym) != PTX_SYM_FUNC)
            continue;
        int32_t def = u->fn[fn->module_index][PTX_SYM_INDEX(in->opnd[1].sym)].def;
        if (def < 0)
            continue;
        uint32_t c = p->func_of_def[def];
        if (state[c] == 1) {
            p->recursive = true;
            continue;
        }
        if (state[c] == 0)
            chain(p, c, state, bytes, depot);
        if (bytes[c] > deepest)
            deepest = bytes[c];
        if (depot[c] > deepest_depot)
            deepest_depot = depot[c];
    }
    state[f] = 2;
    bytes[f] = fn->frame_bytes + deepest;
    depot[f] = fn->depot_bytes + deepest_depot;
}

static void measure_stack(struct emu_prog *p)
{
    uint8_t *state = xcalloc(p->n_func, 1);
    uint32_t *bytes = xcalloc(2 * (size_t)p->n_func, sizeof *bytes), *depot = bytes + p->n_func;
    chain(p, 0, state, bytes, depot);
    p->stack_bytes = bytes[0];
    p->depot_bytes = depot[0];
    p->needs_stack = p->indirect || p->recursive;
    if (p->needs_stack) { /* every function once is the least that must fit */
        p->stack_bytes = p->depot_bytes = 0;
        for (uint32_t i = 0; i < p->n_func; i++) {
            p->stack_bytes += p->func[i].frame_bytes;
            p->depot_bytes += p->func[i].depot_bytes;
        }
    }
    free(state);
    free(bytes);
}

int emu_link_kernel(struct emu_kernel *k, struct err *e)
{
    if (k->prog)
        return 0;
    struct emu_module *u = k->unit;
    struct reach r = {.u = u, .seen = xcalloc(u->def.n, 1)};
    reach_add(&r, (int32_t)k->def);
    reach_from(&r);

    struct emu_prog *p = xcalloc(1, sizeof *p);
    p->arena = arena_new();
    p->kernel = k;
    p->indirect = r.indirect;
    p->n_func = (uint32_t)r.list.n;
    p->func = emu_prog_alloc(p, p->n_func * sizeof *p->func);
    p->func_of_def = emu_prog_alloc(p, u->def.n * sizeof *p->func_of_def);
    memset(p->func_of_def, 0xff, u->def.n * sizeof *p->func_of_def);
    int rc = 0;
    for (uint32_t i = 0; i < p->n_func && rc == 0; i++) {
        const struct emu_def *d = &u->def.p[r.list.p[i]];
        struct emu_func *f = &p->func[i];
        p->func_of_def[r.list.p[i]] = i;
        rc = ptx_analyze(d->module, d->func, e);
        *f =
            (struct emu_func){.module = d->module, .module_index = d->module_index, .ptx = d->func, .def = r.list.p[i]};
        f->base_pc = p->n_inst;
        p->n_inst += d->func->n_inst;
        f->reg_bytes = d->func->n_row * EMU_ROW_BYTES;
        f->n_pred = d->func->n_pred_row;
        f->var_off = emu_prog_alloc(p, d->func->n_var * sizeof *f->var_off);
    }
    const uint32_t variadic_bytes = rc == 0 ? largest_argument(p) : 0;
    for (uint32_t i = 0; i < p->n_func && rc == 0; i++)
        rc = layout_frame(&p->func[i], i == 0, variadic_bytes, e);
    free(r.seen);
    VEC_FREE(&r.list);
    if (rc < 0) {
        arena_free(p->arena);
        free(p);
        return -1;
    }
    uint32_t n_var = 0;
    p->shared_base = emu_prog_alloc(p, u->n_ptx * sizeof *p->shared_base);
    for (unsigned m = 0; m < u->n_ptx; m++) {
        p->shared_base[m] = n_var;
        n_var += u->ptx[m]->n_var;
    }
    p->shared_off = emu_prog_alloc(p, n_var * sizeof *p->shared_off);
    memset(p->shared_off, 0xff, n_var * sizeof *p->shared_off);
    layout_shared(p);
    measure_stack(p);
    k->prog = p;
    return 0;
}

void emu_prog_free(struct emu_prog *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_func; i++)
        for (struct emu_frame *f = p->func[i].spare, *next; f; f = next) {
            next = f->next_spare;
            free(f);
        }
    VEC_FREE(&p->remarked);
    arena_free(p->arena);
    free(p);
}

/* At most UINT32_MAX; a dimension that is not given is 1. */
static uint32_t threads_of(const uint32_t dim[3])
{
    const uint64_t n = sat_mul(sat_mul(dim[0], dim[1] ? dim[1] : 1), dim[2] ? dim[2] : 1);
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

int emu_kernel_info(struct emu_kernel *k, struct emu_kernel_info *info, struct err *e)
{
    if (emu_link_kernel(k, e) < 0)
        return -1;
    const struct emu_def *d = &k->unit->def.p[k->def];
    const struct ptx_func *f = d->func;
    uint32_t max = 0;
    if (f->reqntid[0])
        max = threads_of(f->reqntid);
    else if (f->maxntid[0])
        max = threads_of(f->maxntid);
    *info = (struct emu_kernel_info){
        .name = f->name,
        .regs_per_thread = ptx_regs_per_thread(d->module, f),
        .smem_static_bytes = k->prog->smem_static,
        .const_bytes = (uint32_t)k->unit->const_bytes,
        .local_bytes_per_thread = k->prog->depot_bytes,
        .max_threads_per_cta = max,
        .cluster = {f->reqcluster[0], f->reqcluster[1], f->reqcluster[2]},
        .threads = {f->reqntid[0], f->reqntid[1], f->reqntid[2]},
        .blocks_are_clusters = f->blocks_are_clusters,
        .n_param = f->n_param,
        .ptx_version = d->module->target_sm,
        .binary_version = d->module->target_sm,
    };
    return 0;
}

const struct trace_kernel *emu_kernel_trace(struct emu_kernel *k, struct err *e)
{
    if (k->trace)
        return k->trace;
    if (emu_link_kernel(k, e) < 0)
        return NULL;
    struct emu_prog *p = k->prog;
    struct ptx_code *code = xcalloc(p->n_func, sizeof *code);
    for (uint32_t i = 0; i < p->n_func; i++) {
        const struct emu_def *d = &k->unit->def.p[p->func[i].def];
        code[i] = (struct ptx_code){.module = d->module, .func = d->func};
    }
    struct trace_kernel *t = emu_prog_alloc(p, sizeof *t);
    int rc = ptx_build_kernel(code, p->n_func, p->arena, t, e);
    if (rc == 0)
        rc = code_build(code, p->n_func, p->arena, t, e);
    for (uint32_t i = 0; rc == 0 && i < p->n_func; i++)
        if (code[i].base_pc != p->func[i].base_pc)
            BUG("pc spaces of the emulator and of the kernel table differ in %s", p->func[i].ptx->name);
    free(code);
    if (rc < 0)
        return NULL;
    t->smem_static_bytes = p->smem_static;
    t->local_bytes_per_thread = p->depot_bytes ? p->stack_bytes : 0;
    k->trace = t;
    return t;
}
