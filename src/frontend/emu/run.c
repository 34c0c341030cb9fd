/*
 * The fetch loop: one dispatch per warp instruction.
 *
 * Straight code runs in the inner loop: load kind, call handler, next. Everything that changes the path, the mask or
 * the warp that runs leaves it, through step() and one function per kind of instruction. Instructions are counted, and
 * recorded, per run of straight code under one mask, so that neither costs anything per instruction. An instruction
 * whose guard switches lanes off is a run of its own; a guarded branch counts with the lanes that take it.
 *
 * The functions are inlined into the loop so that struct fetch stays in registers.
 */
#include "base/inline.h"
#include "emu/state.h"

#include "emu/access.h"

enum { POLLS_PER_YIELD = 8, CLOCK_PER_INST = 16 };

/* Where the loop is. */
struct fetch {
    const struct emu_inst *in;  /* the next instruction */
    const struct emu_inst *run; /* first of the straight run that is not counted yet */
    uint32_t active;            /* lanes of the current path */
    int64_t budget;             /* instructions left in this time slice */
};

/* What to do after an instruction: continue at f->in, or what the functions below found; smaller values are emu_stop. */
enum { NEXT = EMU_STOP_FAULT + 1, PATH_CHANGED, FIBER_STOPPED };

/* Counts and records `n` instructions from `in` on, under the mask of the current path. */
ALWAYS_INLINE void count_run(struct emu_warp_run *r, const struct emu_inst *in, uint32_t n, uint32_t mask)
{
    r->warp_insts += n;
    r->thread_insts += (uint64_t)n * r->n_active;
    if (__builtin_expect(r->enc != NULL, 0))
        stream_enc_run(r->enc, emu_pc_of(r, in), n, mask);
}

/* Counts the straight run up to `end` (exclusive). */
ALWAYS_INLINE void close_run(struct emu_warp_run *r, struct fetch *f, const struct emu_inst *end)
{
    uint32_t n = (uint32_t)(end - f->run);
    if (n) {
        count_run(r, f->run, n, f->active);
        f->budget -= n;
    }
}

/* Closes the run before f->in and counts f->in by itself, with a mask of its own. */
ALWAYS_INLINE void count_alone(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    close_run(r, f, f->in);
    r->warp_insts++;
    r->thread_insts += (uint32_t)__builtin_popcount(mask);
    if (__builtin_expect(r->enc != NULL, 0))
        stream_enc_run(r->enc, emu_pc_of(r, f->in), 1, mask);
}

/* Goes to the instruction after f->in, which is counted already. */
ALWAYS_INLINE int skip(struct fetch *f)
{
    f->run = ++f->in;
    return NEXT;
}

/* Clocks tick with executed instructions: monotonic, and the same in every run. */
static void set_clocks(struct emu_warp_run *r, uint64_t insts)
{
    uint64_t now = (r->w.emu->stats.warp_insts + insts) * CLOCK_PER_INST;
    for (uint32_t i = 0; i < r->prog->n_sreg; i++) {
        const struct emu_sreg_use *s = &r->prog->sreg[i];
        char *row = r->w.bank[EMU_BANK_SREG] + s->off;
        uint32_t v = 0;
        switch (s->sreg) {
        case PTX_SR_CLOCK64:
        case PTX_SR_GLOBALTIMER:
            for (int l = 0; l < EMU_LANES; l++)
                memcpy(row + 8 * l, &now, 8);
            continue;
        case PTX_SR_CLOCK:
        case PTX_SR_GLOBALTIMER_LO:
            v = (uint32_t)now;
            break;
        case PTX_SR_CLOCK_HI:
        case PTX_SR_GLOBALTIMER_HI:
            v = (uint32_t)(now >> 32);
            break;
        default:
            continue;
        }
        for (int l = 0; l < EMU_LANES; l++)
            memcpy(row + 4 * l, &v, 4);
    }
}

/*
 * The warp gives way. Lanes that wait on its stack for a path that may be spinning for them get their turn once this
 * has gone on for a while.
 */
static void give_way(struct emu_warp_run *r, uint32_t pc, uint32_t weight)
{
    struct emu_fiber *f = r->fiber;
    f->path[f->n - 1].pc = pc;
    r->polls = 0;
    r->spins += weight;
    if (r->spins >= r->grid->split_after) {
        uint32_t others = f->path[0].mask & ~f->path[f->n - 1].mask;
        r->spins = 0;
        if (others) {
            emu_fiber_split(r);
            r->grid->split_after = EMU_SPLIT_AGAIN;
        }
    }
    if (r->fibers->next)
        emu_fiber_next(r);
}

/* Ends the time slice; the warp continues at `pc`. */
static int end_slice(struct emu_warp_run *r, uint32_t pc, uint32_t weight, enum emu_stop why)
{
    give_way(r, pc, weight);
    return r->stop ? EMU_STOP_FAULT : why;
}

ALWAYS_INLINE int execute(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    if (mask == f->active) { /* stays in the straight run */
        f->in->fn(&r->w, f->in, mask);
        f->in++;
        return __builtin_expect(r->stop, 0) ? EMU_STOP_FAULT : NEXT;
    }
    close_run(r, f, f->in);
    f->run = f->in;
    if (mask) {
        f->in->fn(&r->w, f->in, mask);
        if (__builtin_expect(r->stop, 0))
            return EMU_STOP_FAULT;
    }
    count_alone(r, f, mask);
    return skip(f);
}

ALWAYS_INLINE int branch(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    const struct emu_inst *in = f->in;
    if (mask == f->active) {
        close_run(r, f, in + 1);
        const struct emu_inst *to = r->code + in->target;
        if (to <= in) {
            if (in->kind & EMU_K_POLL && ++r->polls >= POLLS_PER_YIELD)
                return end_slice(r, in->target, EMU_POLL_WEIGHT, EMU_STOP_POLL);
            if (__builtin_expect(f->budget <= 0, 0))
                return end_slice(r, in->target, 1, EMU_STOP_SLICE);
        }
        f->in = f->run = to;
        return NEXT;
    }
    count_alone(r, f, mask);
    if (mask == 0)
        return skip(f);
    emu_diverge(r, in, mask);
    return PATH_CHANGED;
}

/* brx.idx and call: the target is known only now, and may be wrong. */
ALWAYS_INLINE int jump(struct emu_warp_run *r, struct fetch *f, uint32_t mask,
                       void (*to)(struct emu_warp_run *, const struct emu_inst *, uint32_t))
{
    count_alone(r, f, mask);
    if (mask == 0)
        return skip(f);
    to(r, f->in, mask);
    if (__builtin_expect(r->stop, 0))
        return EMU_STOP_FAULT;
    if (f->budget <= 0) /* endless recursion has no backward branch */
        return end_slice(r, r->w.pc, 1, EMU_STOP_SLICE);
    return PATH_CHANGED;
}

ALWAYS_INLINE int leave(struct emu_warp_run *r, struct fetch *f, uint32_t mask,
                        bool (*lanes_leave)(struct emu_warp_run *, const struct emu_inst *, uint32_t))
{
    if (f->in->ptx) /* not the implied return at a function's end */
        count_alone(r, f, mask);
    else
        close_run(r, f, f->in);
    if (mask == 0)
        return skip(f);
    if (lanes_leave(r, f->in, mask))
        return PATH_CHANGED;
    emu_fiber_end(r);
    if (r->fibers)
        return FIBER_STOPPED;
    r->done = 1;
    return EMU_STOP_DONE;
}

ALWAYS_INLINE int barrier(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    if (mask) {
        close_run(r, f, f->in);
        f->run = f->in;
        emu_barrier_record(r, f->in, mask);
    }
    count_alone(r, f, mask);
    if (mask == 0)
        return skip(f);
    /* A barrier is the whole path's, whatever its guard: PTX wants all lanes to agree. */
    bool wait = emu_barrier_arrive(r, f->in, f->active);
    if (r->stop)
        return EMU_STOP_FAULT;
    if (wait)
        return FIBER_STOPPED;
    if (f->in->aux[0] == EMU_BAR_ARRIVE)
        return skip(f);
    /* The last warp to arrive lets the others go first: warps leave a barrier in their order. */
    r->fiber->path[r->fiber->n - 1].pc = emu_pc_of(r, f->in) + 1;
    return EMU_STOP_SLICE;
}

/* mbarrier.try_wait: the lanes sleep until the phase completes. Only then, or when they give up, is it executed. */
ALWAYS_INLINE int try_wait(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    struct emu_mbarrier_wait wait;
    if (mask && !r->fiber->timed_out && emu_mbarrier_must_wait(&r->w, f->in, mask, &wait)) {
        close_run(r, f, f->in);
        emu_mbarrier_suspend(r, f->in, mask, &wait);
        return FIBER_STOPPED;
    }
    if (r->stop)
        return EMU_STOP_FAULT;
    r->fiber->timed_out = false;
    return execute(r, f, mask);
}

ALWAYS_INLINE int cluster_barrier(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    close_run(r, f, f->in);
    f->run = f->in;
    if (mask && emu_cluster_barrier(r, f->in, mask))
        return r->stop ? EMU_STOP_FAULT : FIBER_STOPPED;
    count_alone(r, f, mask);
    return skip(f);
}

/* wgmma.wait_group: no warp of a warpgroup continues before all have arrived, their parts of the products done. */
ALWAYS_INLINE int meet_group(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    const int next = execute(r, f, mask);
    if (next != NEXT || !mask || emu_wgmma_met(r))
        return next;
    close_run(r, f, f->in);
    f->run = f->in;
    struct emu_fiber *fiber = r->fiber;
    fiber->path[fiber->n - 1].pc = emu_pc_of(r, f->in);
    fiber->state = EMU_WAIT_GROUP;
    fiber->mask = mask;
    fiber->wait = f->in - 1;
    return FIBER_STOPPED;
}

/* An atomic by which one thread may take its next piece of work: the warp stops in front of it until it is its turn. */
ALWAYS_INLINE int ticket(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    if (r->grid->in_turn && mask && !(mask & (mask - 1))) {
        if (!r->has_turn) {
            close_run(r, f, f->in);
            r->fiber->path[r->fiber->n - 1].pc = emu_pc_of(r, f->in);
            r->wants_ticket = true;
            return EMU_STOP_SLICE;
        }
        r->has_turn = false;
    }
    return execute(r, f, mask);
}

ALWAYS_INLINE int trap(struct emu_warp_run *r, struct fetch *f, uint32_t mask)
{
    if (mask) {
        emu_raise(&r->w, f->in, __builtin_ctz(mask), EMU_FAULT_TRAP, "the thread executed a trap");
        return EMU_STOP_FAULT;
    }
    count_alone(r, f, mask);
    return skip(f);
}

/* An instruction that is guarded, that lanes may wait at, or that is not straight code. */
ALWAYS_INLINE int step(struct emu_warp_run *r, struct fetch *f)
{
    const struct emu_inst *in = f->in;
    const unsigned kind = in->kind;
    if (kind & EMU_K_JOIN && r->fiber->path[r->fiber->n - 1].rpc == emu_pc_of(r, in)) {
        close_run(r, f, in);
        emu_path_pop(r);
        return PATH_CHANGED;
    }
    uint32_t mask = f->active;
    if (kind & EMU_K_GUARD)
        mask &= in->guard_neg ? ~r->w.pred[in->guard] : r->w.pred[in->guard];

    switch ((enum emu_kind)(kind & EMU_K_MASK)) {
    case EMU_K_SYNC:
    case EMU_K_GROUP:
        if (mask && mask != r->w.live) {
            close_run(r, f, in);
            f->run = in;
            if (emu_sync_wait(r, in, mask))
                return FIBER_STOPPED;
        }
        return (kind & EMU_K_MASK) == EMU_K_GROUP ? meet_group(r, f, mask) : execute(r, f, mask);
    case EMU_K_CLOCK:
        set_clocks(r, r->warp_insts + (uint64_t)(in - f->run));
        return execute(r, f, mask);
    case EMU_K_OP:
    case EMU_K_MEM:
        return execute(r, f, mask);
    case EMU_K_BRA:
        return branch(r, f, mask);
    case EMU_K_BRX:
        return jump(r, f, mask, emu_diverge_table);
    case EMU_K_CALL:
        return jump(r, f, mask, emu_do_call);
    case EMU_K_RET:
        return leave(r, f, mask, emu_lanes_return);
    case EMU_K_EXIT:
        return leave(r, f, mask, emu_lanes_exit);
    case EMU_K_BAR:
        return barrier(r, f, mask);
    case EMU_K_YIELD:
        count_alone(r, f, mask);
        return end_slice(r, emu_pc_of(r, in) + 1, EMU_POLL_WEIGHT, EMU_STOP_POLL);
    case EMU_K_TRAP:
        return trap(r, f, mask);
    case EMU_K_WAIT:
        return try_wait(r, f, mask);
    case EMU_K_CLUSTER:
        return cluster_barrier(r, f, mask);
    case EMU_K_TICKET:
        return ticket(r, f, mask);
    case EMU_K_MASK:
    case EMU_K_GUARD:
    case EMU_K_JOIN:
    case EMU_K_POLL:
        break;
    }
    BUG("instruction of kind %u", kind);
}

enum emu_stop emu_warp_run(struct emu_warp_run *r, int64_t budget)
{
    struct fetch f = {.budget = budget};
    if (!emu_fiber_resume(r))
        return EMU_STOP_BLOCKED;
    for (;;) { /* once per path */
        if (r->stop)
            return EMU_STOP_FAULT;
        f.in = f.run = r->code + r->w.pc;
        f.active = r->w.active;
        int next;
        do {
            while (f.in->kind <= EMU_K_MEM) {
                f.in->fn(&r->w, f.in, f.active);
                if (__builtin_expect(r->stop, 0))
                    return EMU_STOP_FAULT;
                f.in++;
            }
            next = step(r, &f);
        } while (next == NEXT);
        if (next == FIBER_STOPPED && !emu_fiber_next(r)) /* it waits, or its lanes have exited */
            return EMU_STOP_BLOCKED;
        if (next < NEXT)
            return (enum emu_stop)next;
    }
}
