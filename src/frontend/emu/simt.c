/*
 * SIMT execution: paths, calls, divergence and reconvergence of a warp's lanes.
 *
 * A fiber's stack holds paths; the last one runs. A branch whose lanes disagree turns the running path into one that
 * waits at the branch's immediate post-dominator and puts the two sides on top. A call puts a path in a new frame on
 * top.
 *
 * The stack of an if/else in a loop of a function g that a kernel calls:
 *
 *     path        pc           waits at
 *     0 kernel    after call   -
 *     1 g         loop exit    -            lanes that have left the loop
 *     2 g         end of if    loop exit
 *     3 g         else side    end of if
 *     4 g         then side    end of if    runs
 *
 * A stack alone would hang where lanes of a warp wait for each other (a spin lock within a warp; a barrier or shuffle
 * that both sides of a branch execute). Real GPUs since Volta schedule such lanes independently. Here the stack is then
 * split in two fibers: each keeps all paths, restricted to its own lanes. Fibers take turns; two fibers whose stacks
 * are equal but for the lanes become one again. Frames are shared by the fibers that have lanes in them: registers are
 * rows of lanes, so fibers do not interfere.
 */
#include "emu/state.h"

#include "emu/access.h"

enum { FIRST_CAP = 8 };

static struct emu_path *top_of(struct emu_fiber *f)
{
    return &f->path[f->n - 1];
}

/* ---- frames ---- */

static struct emu_frame *frame_new(struct emu_func *fn, struct emu_frame *caller, const struct emu_call *site)
{
    struct emu_frame *f = fn->spare;
    if (f) {
        fn->spare = f->next_spare;
    } else {
        size_t head = (sizeof *f + 63) / 64 * 64;
        f = xaligned(head + fn->reg_bytes + (fn->n_pred + 1) * sizeof(uint32_t));
        f->func = fn;
        f->reg = (char *)f + head;
        f->pred = (uint32_t *)(f->reg + fn->reg_bytes);
    }
    f->caller = caller;
    f->site = site;
    f->refs = 1;
    f->local_base = caller ? caller->local_top : 0;
    f->local_top = f->local_base + fn->frame_bytes;
    return f;
}

static void frame_unref(struct emu_frame *f)
{
    if (--f->refs)
        return;
    f->next_spare = f->func->spare;
    f->func->spare = f;
}

void emu_frame_enter(struct emu_warp_run *r, struct emu_frame *f)
{
    r->frame = f;
    r->w.bank[EMU_BANK_REG] = f->reg;
    r->w.pred = f->pred;
}

/* ---- paths ---- */

void emu_path_load(struct emu_warp_run *r)
{
    const struct emu_path *t = top_of(r->fiber);
    r->w.pc = t->pc;
    r->w.active = t->mask;
    r->n_active = (uint32_t)__builtin_popcount(t->mask);
    if (t->frame != r->frame)
        emu_frame_enter(r, t->frame);
}

static void push(struct emu_fiber *f, struct emu_path p)
{
    if (f->n == f->cap) {
        f->cap *= 2;
        f->path = xrealloc(f->path, f->cap * sizeof *f->path);
    }
    f->path[f->n++] = p;
}

static void drop_top(struct emu_fiber *f)
{
    struct emu_frame *frame = f->path[--f->n].frame;
    if (f->n == 0 || f->path[f->n - 1].frame != frame)
        frame_unref(frame);
}

/* Removes paths without lanes from the top. */
static bool settle(struct emu_warp_run *r)
{
    struct emu_fiber *f = r->fiber;
    while (f->n && top_of(f)->mask == 0)
        drop_top(f);
    r->spins = 0;
    if (f->n == 0)
        return false;
    emu_path_load(r);
    return true;
}

bool emu_path_pop(struct emu_warp_run *r)
{
    drop_top(r->fiber);
    return settle(r);
}

void emu_diverge(struct emu_warp_run *r, const struct emu_inst *in, uint32_t taken)
{
    struct emu_fiber *f = r->fiber;
    struct emu_path *t = top_of(f);
    uint32_t meet = in->target2;
    struct emu_path fall = {emu_pc_of(r, in) + 1, meet, t->mask & ~taken, t->frame};
    struct emu_path jump = {in->target, meet, taken, t->frame};
    if (t->rpc == meet)
        f->n--; /* a path below waits there already, with all these lanes */
    else
        t->pc = meet;
    if (jump.pc != meet)
        push(f, jump);
    if (fall.pc != meet)
        push(f, fall);
    r->spins = 0;
    emu_path_load(r);
}

void emu_diverge_table(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct emu_fiber *f = r->fiber;
    const uint32_t *table = r->prog->table[in->target];
    const uint32_t *index = emu_src(&r->w, &in->src[0]);
    uint32_t meet = in->target2, active = top_of(f)->mask, pc = emu_pc_of(r, in);
    for (uint32_t m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (index[l] >= table[0]) {
            emu_raise(&r->w, in, l, EMU_FAULT_ILLEGAL_INSTRUCTION, "branch number %u of a list of %u", index[l],
                      table[0]);
            return;
        }
    }
    uint32_t first = table[1 + index[__builtin_ctz(mask)]];
    struct emu_frame *frame = top_of(f)->frame;
    r->spins = 0;
    struct emu_path group[EMU_LANES + 1];
    unsigned n = 0;
    if (active & ~mask)
        group[n++] = (struct emu_path){pc + 1, meet, active & ~mask, frame};
    for (uint32_t m = mask; m;) {
        uint32_t to = n == 0 ? first : table[1 + index[__builtin_ctz(m)]], same = 0;
        for (uint32_t k = m; k; k &= k - 1)
            if (table[1 + index[__builtin_ctz(k)]] == to)
                same |= k & -k;
        group[n++] = (struct emu_path){to, meet, same, frame};
        m &= ~same;
    }
    if (n == 1) {
        top_of(f)->pc = group[0].pc;
        emu_path_load(r);
        return;
    }
    if (top_of(f)->rpc == meet)
        f->n--;
    else
        top_of(f)->pc = meet;
    while (n--)
        if (group[n].pc != meet)
            push(f, group[n]);
    emu_path_load(r);
}

bool emu_lanes_exit(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct emu_fiber *f = r->fiber;
    top_of(f)->pc = emu_pc_of(r, in) + 1;
    for (uint32_t i = 0; i < f->n; i++)
        f->path[i].mask &= ~mask;
    r->w.live &= ~mask;
    r->w.cta->live -= (uint32_t)__builtin_popcount(mask);
    emu_barrier_recheck(r->w.cta);
    emu_cluster_exit(r->w.cta, (uint32_t)__builtin_popcount(mask));
    return settle(r);
}

/* ---- calls ---- */

/* Moves one value between registers and frames for the lanes in mask. */
struct place {
    char *at;       /* lane 0 */
    size_t stride;  /* bytes between lanes */
    uint32_t bytes; /* that exist */
};

static struct place place_in_frame(const struct emu_warp_run *r, const struct emu_frame *f, uint32_t off,
                                   uint32_t bytes)
{
    return (struct place){r->local + f->local_base + off, r->local_stride, bytes};
}

static void copy_lanes(struct place to, struct place from, uint32_t mask)
{
    uint32_t n = to.bytes < from.bytes ? to.bytes : from.bytes;
    for (uint32_t m = mask; m; m &= m - 1) {
        size_t l = (size_t)__builtin_ctz(m);
        if (to.bytes > n && to.bytes <= 8)
            memset(to.at + l * to.stride, 0, to.bytes);
        memcpy(to.at + l * to.stride, from.at + l * from.stride, n);
    }
}

static struct place arg_place(struct emu_warp_run *r, const struct emu_frame *caller, const struct emu_arg *a)
{
    if (a->in_frame)
        return place_in_frame(r, caller, a->off, a->bytes);
    const struct emu_opnd *o = &a->opnd;
    char *row = (o->bank == EMU_BANK_REG ? caller->reg : r->w.bank[o->bank]) + o->off;
    return (struct place){row, o->lane, o->lane};
}

bool emu_arg_get(struct emu_warp_run *r, const struct emu_call *c, uint32_t i, unsigned lane, void *out, uint32_t bytes)
{
    if (i >= c->n_arg)
        return false;
    struct place p = arg_place(r, r->frame, &c->arg[i]);
    memset(out, 0, bytes);
    memcpy(out, p.at + lane * p.stride, bytes < p.bytes ? bytes : p.bytes);
    return true;
}

void emu_ret_set(struct emu_warp_run *r, const struct emu_call *c, unsigned lane, uint64_t value)
{
    if (!c->n_ret)
        return;
    struct place p = arg_place(r, r->frame, &c->ret[0]);
    memcpy(p.at + lane * p.stride, &value, p.bytes < 8 ? p.bytes : 8);
}

static struct place formal_place(struct emu_warp_run *r, const struct emu_frame *f, uint32_t i)
{
    const struct ptx_func *x = f->func->ptx;
    const struct ptx_param *p = &x->param[i];
    if (!p->in_reg)
        return place_in_frame(r, f, (i < x->n_param ? f->func->param_off : f->func->ret_off) + p->offset,
                              i + 1 == x->n_param && !p->bytes ? f->func->variadic_bytes : p->bytes);
    const struct ptx_reg *reg = &x->reg[p->reg];
    uint32_t lane = ptx_type_bytes(reg->type) <= 4 ? 4 : ptx_type_bytes(reg->type);
    return (struct place){f->reg + (size_t)reg->row * EMU_ROW_BYTES, lane, lane};
}

static void enter_function(struct emu_warp_run *r, const struct emu_inst *in, const struct emu_call *c,
                           struct emu_func *fn, uint32_t mask)
{
    struct emu_frame *caller = r->frame;
    struct emu_frame *f = frame_new(fn, caller, c);
    if (f->local_top > r->local_stride) {
        uint32_t depth = 0;
        for (const struct emu_frame *up = caller; up; up = up->caller)
            depth++;
        frame_unref(f);
        emu_raise(
            &r->w, in, -1, EMU_FAULT_STACK,
            "call depth %u needs %u bytes of stack, a thread has %u (cudaDeviceSetLimit(cudaLimitStackSize) raises it)",
            depth, f->local_top, r->local_stride);
        return;
    }
    for (uint32_t i = 0; i < c->n_arg; i++)
        copy_lanes(formal_place(r, f, i), arg_place(r, caller, &c->arg[i]), mask);
    struct emu_fiber *fb = r->fiber;
    top_of(fb)->pc = emu_pc_of(r, in) + 1;
    uint32_t pc = fn->ptx->n_inst ? fn->base_pc : r->prog->n_inst;
    push(fb, (struct emu_path){pc, EMU_NO_PC, mask, f});
    r->spins = 0;
    emu_path_load(r);
}

/* Lanes that call different functions go one function at a time, and meet behind the call. */
static uint32_t part_callers(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    const uint64_t *to = emu_src(&r->w, &in->src[0]);
    uint64_t first = to[__builtin_ctz(mask)];
    uint32_t same = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        if (to[__builtin_ctz(m)] == first)
            same |= m & -m;
    if (same == mask)
        return mask;
    struct emu_fiber *f = r->fiber;
    struct emu_frame *frame = top_of(f)->frame;
    uint32_t pc = emu_pc_of(r, in);
    if (top_of(f)->rpc == pc + 1)
        f->n--;
    else
        top_of(f)->pc = pc + 1;
    push(f, (struct emu_path){pc, pc + 1, mask & ~same, frame});
    push(f, (struct emu_path){pc + 1, pc + 1, same, frame});
    return same;
}

void emu_do_call(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    const struct emu_call *c = &r->prog->call[in->target];
    if (c->builtin >= 0) {
        emu_builtin_call(r, in, c, mask);
        top_of(r->fiber)->pc = emu_pc_of(r, in) + 1;
        emu_path_load(r);
        return;
    }
    if (c->func >= 0) {
        enter_function(r, in, c, &r->prog->func[c->func], mask);
        return;
    }
    int lane = __builtin_ctz(mask);
    uint64_t to = ((const uint64_t *)emu_src(&r->w, &in->src[0]))[lane];
    const struct emu_module *u = r->prog->kernel->unit;
    uint64_t index = (to - EMU_FUNC_WINDOW) / 16 - u->func_base;
    uint32_t fn =
        (to & EMU_WINDOW_MASK) == EMU_FUNC_WINDOW && index < u->def.n ? r->prog->func_of_def[index] : UINT32_MAX;
    if (fn == UINT32_MAX || fn == 0) {
        emu_raise(&r->w, in, lane, EMU_FAULT_ILLEGAL_INSTRUCTION, "call of address 0x%llx, which is not a function",
                  (unsigned long long)to);
        return;
    }
    const struct ptx_func *x = r->prog->func[fn].ptx;
    if (x->n_param != c->n_arg || x->n_ret < c->n_ret) {
        emu_raise(&r->w, in, lane, EMU_FAULT_ILLEGAL_INSTRUCTION, "call of %s, which takes %u arguments, with %u",
                  x->name, x->n_param, c->n_arg);
        return;
    }
    enter_function(r, in, c, &r->prog->func[fn], part_callers(r, in, mask));
}

bool emu_lanes_return(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct emu_frame *f = r->frame;
    if (!f->caller)
        return emu_lanes_exit(r, in, mask);
    const struct emu_call *c = f->site;
    for (uint32_t i = 0; i < c->n_ret; i++)
        copy_lanes(arg_place(r, f->caller, &c->ret[i]), formal_place(r, f, f->func->ptx->n_param + i), mask);
    struct emu_fiber *fb = r->fiber;
    top_of(fb)->pc = emu_pc_of(r, in) + 1;
    for (uint32_t i = fb->n; i-- > 0 && fb->path[i].frame == f;)
        fb->path[i].mask &= ~mask;
    return settle(r);
}

/* ---- fibers ---- */

static struct emu_fiber *fiber_new(struct emu_warp_run *r)
{
    struct emu_fiber *f = r->spare_fibers;
    if (f) {
        r->spare_fibers = f->next;
    } else {
        f = xcalloc(1, sizeof *f);
        f->cap = FIRST_CAP;
        f->path = xmalloc(f->cap * sizeof *f->path);
    }
    f->n = 0;
    f->state = EMU_READY;
    f->timed_out = false;
    f->next = NULL;
    return f;
}

static void fiber_drop(struct emu_warp_run *r, struct emu_fiber *f)
{
    while (f->n)
        drop_top(f);
    for (struct emu_fiber **at = &r->fibers; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    f->next = r->spare_fibers;
    r->spare_fibers = f;
}

void emu_warp_start(struct emu_warp_run *r, uint32_t live)
{
    struct emu_func *entry = &r->prog->func[0];
    struct emu_frame *f = frame_new(entry, NULL, NULL);
    memset(f->reg, 0, entry->reg_bytes + (entry->n_pred + 1) * sizeof(uint32_t));
    struct emu_fiber *fb = fiber_new(r);
    r->fibers = r->fiber = fb;
    push(fb, (struct emu_path){entry->ptx->n_inst ? 0 : r->prog->n_inst, EMU_NO_PC, live, f});
    r->w.live = live;
    r->w.cc = 0;
    r->stop = r->done = 0;
    r->warp_insts = r->thread_insts = 0;
    r->polls = r->spins = 0;
    memset(r->bar_partial, 0, sizeof r->bar_partial);
    r->cluster_phase = r->cluster_arrived = r->group_waits = 0;
    r->wants_ticket = r->has_turn = false;
    r->w.product_cycles = 0;
    r->frame = NULL;
    emu_path_load(r);
}

void emu_warp_drop(struct emu_warp_run *r)
{
    while (r->fibers)
        fiber_drop(r, r->fibers);
    r->fiber = NULL;
}

void emu_fiber_end(struct emu_warp_run *r)
{
    struct emu_fiber *f = r->fiber;
    r->fiber = f->next ? f->next : r->fibers;
    fiber_drop(r, f);
    if (!r->fibers)
        r->fiber = NULL;
}

void emu_fiber_split(struct emu_warp_run *r)
{
    struct emu_fiber *f = r->fiber;
    uint32_t mine = top_of(f)->mask;
    if ((f->path[0].mask & ~mine) == 0)
        return; /* the top path has all lanes of this stack */
    struct emu_fiber *rest = fiber_new(r);
    uint32_t keep = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        struct emu_path p = f->path[i];
        if (p.mask & ~mine) {
            if (rest->n == 0 || top_of(rest)->frame != p.frame)
                p.frame->refs++;
            push(rest, (struct emu_path){p.pc, p.rpc, p.mask & ~mine, p.frame});
        }
        if (p.mask & mine) {
            p.mask &= mine;
            f->path[keep++] = p;
        }
    }
    f->n = keep;
    rest->next = f->next;
    f->next = rest;
    r->spins = 0;
}

static bool same_stack(const struct emu_fiber *a, const struct emu_fiber *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = a->n; i-- > 0;)
        if (a->path[i].pc != b->path[i].pc || a->path[i].rpc != b->path[i].rpc || a->path[i].frame != b->path[i].frame)
            return false;
    return true;
}

/* Merges every ready fiber whose pc is f's. */
static void merge_into(struct emu_warp_run *r, struct emu_fiber *f)
{
    for (struct emu_fiber *o = r->fibers, *next; o; o = next) {
        next = o->next;
        if (o == f || o->state != EMU_READY || !same_stack(f, o))
            continue;
        for (uint32_t i = 0; i < f->n; i++)
            f->path[i].mask |= o->path[i].mask;
        if (r->fiber == o)
            r->fiber = f;
        fiber_drop(r, o);
    }
}

/* Executes a warp synchronization for all fibers that wait at the same instruction as f. */
static void release_sync(struct emu_warp_run *r, struct emu_fiber *f)
{
    uint32_t pc = top_of(f)->pc, mask = 0;
    struct emu_frame *frame = top_of(f)->frame;
    const struct emu_inst *in = &r->code[pc];
    for (struct emu_fiber *o = r->fibers; o; o = o->next)
        if (o->state == EMU_WAIT_SYNC && top_of(o)->pc == pc && top_of(o)->frame == frame) {
            mask |= o->mask;
            o->state = EMU_READY;
            top_of(o)->pc = pc + 1;
        }
    emu_frame_enter(r, frame);
    in->fn(&r->w, in, mask);
    r->warp_insts++;
    r->thread_insts += (uint32_t)__builtin_popcount(mask);
    if (r->enc)
        stream_enc_run(r->enc, pc, 1, mask);
    merge_into(r, f);
}

static bool release_complete_syncs(struct emu_warp_run *r)
{
    uint32_t here = 0;
    for (struct emu_fiber *f = r->fibers; f; f = f->next)
        if (f->state == EMU_WAIT_SYNC)
            here |= f->mask;
    for (struct emu_fiber *f = r->fibers; f; f = f->next)
        if (f->state == EMU_WAIT_SYNC && (f->members & r->w.live & ~here) == 0) {
            release_sync(r, f);
            return true;
        }
    return false;
}

bool emu_fiber_next(struct emu_warp_run *r)
{
    for (;;) {
        struct emu_fiber *f = r->fiber;
        do {
            f = f->next ? f->next : r->fibers;
            if (f->state == EMU_READY) {
                r->fiber = f;
                if (r->fibers->next)
                    merge_into(r, f);
                emu_path_load(r);
                return true;
            }
        } while (f != r->fiber);
        if (!release_complete_syncs(r))
            return false;
    }
}

bool emu_fiber_resume(struct emu_warp_run *r)
{
    if (r->fiber->state != EMU_READY)
        return emu_fiber_next(r);
    if (r->fibers->next)
        merge_into(r, r->fiber);
    emu_path_load(r);
    return true;
}

bool emu_sync_wait(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    uint32_t need = r->w.live;
    if (in->target2 == EMU_SYNC_MEMBERS) {
        const uint32_t *row = emu_src(&r->w, &in->src[in->n_src - 1]);
        need = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            need |= row[__builtin_ctz(m)];
    }
    /* Lanes at this instruction with their guard off will not arrive; nor will those that have exited. */
    if ((need & r->w.live & ~r->w.active) == 0)
        return false;
    struct emu_fiber *f = r->fiber;
    top_of(f)->pc = emu_pc_of(r, in);
    emu_fiber_split(r);
    f->state = EMU_WAIT_SYNC;
    f->members = need & ~(r->w.active & ~mask);
    f->mask = mask;
    return true;
}

bool emu_sync_force(struct emu_warp_run *r)
{
    for (struct emu_fiber *f = r->fibers; f; f = f->next)
        if (f->state == EMU_WAIT_SYNC) {
            release_sync(r, f);
            return true;
        }
    return false;
}

void emu_mbarrier_suspend(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask,
                          const struct emu_mbarrier_wait *wait)
{
    struct emu_fiber *f = r->fiber;
    top_of(f)->pc = emu_pc_of(r, in); /* it executes once the phase has completed */
    f->state = EMU_WAIT_MBARRIER;
    f->mask = mask;
    f->wait = in;
    f->mbarrier = *wait;
}
