/*
 * The fetch loop: one dispatch per warp instruction.
 *
 * Straight code runs in the inner loop: load kind, call handler, next. Everything that changes the path, the mask or
 * the warp that runs leaves it. Instructions are counted, and recorded, per run of straight code under one mask, so
 * that neither costs anything per instruction. An instruction whose guard switches lanes off is a run of its own; a
 * guarded branch counts with the lanes that take it.
 */
#include "emu/state.h"

#include "emu/access.h"

enum { POLLS_PER_YIELD = 8, CLOCK_PER_INST = 16 };

/* Counts and records `n` instructions from `in` on, under the mask of the current path. */
static inline void count_run(struct emu_warp_run *r, const struct emu_inst *in, uint32_t n, uint32_t mask)
{
    r->warp_insts += n;
    r->thread_insts += (uint64_t)n * r->n_active;
    if (__builtin_expect(r->enc != NULL, 0))
        stream_enc_run(r->enc, emu_pc_of(r, in), n, mask);
}

/* The same for one instruction with a mask of its own. */
static inline void count_one(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    r->warp_insts++;
    r->thread_insts += (uint32_t)__builtin_popcount(mask);
    if (__builtin_expect(r->enc != NULL, 0))
        stream_enc_run(r->enc, emu_pc_of(r, in), 1, mask);
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

enum emu_stop emu_warp_run(struct emu_warp_run *r, int64_t budget)
{
    struct emu_warp *w = &r->w;
    const struct emu_inst *const code = r->code;
    const struct emu_inst *in, *run;
    uint32_t active;

    if (!emu_fiber_resume(r))
        return EMU_STOP_BLOCKED;
    if (r->stop)
        return EMU_STOP_FAULT;

reload: /* the path has changed */
    in = run = code + w->pc;
    active = w->active;
    for (;;) {
        while (in->kind <= EMU_K_MEM) {
            in->fn(w, in, active);
            if (__builtin_expect(r->stop, 0))
                return EMU_STOP_FAULT;
            in++;
        }
#define CLOSE(end)                                                                                                     \
    do {                                                                                                               \
        uint32_t n_ = (uint32_t)((end)-run);                                                                           \
        if (n_) {                                                                                                      \
            count_run(r, run, n_, active);                                                                             \
            budget -= n_;                                                                                              \
        }                                                                                                              \
    } while (0)
        const unsigned kind = in->kind;
        if (kind & EMU_K_JOIN && r->fiber->path[r->fiber->n - 1].rpc == (uint32_t)(in - code)) {
            CLOSE(in);
            emu_path_pop(r);
            goto reload;
        }
        uint32_t mask = active;
        if (kind & EMU_K_GUARD)
            mask &= in->guard_neg ? ~w->pred[in->guard] : w->pred[in->guard];

        switch (kind & EMU_K_MASK) {
        case EMU_K_SYNC:
            if (mask && mask != w->live) {
                CLOSE(in);
                run = in;
                if (emu_sync_wait(r, in, mask))
                    goto blocked;
            }
            goto execute;
        case EMU_K_CLOCK:
            set_clocks(r, r->warp_insts + (uint64_t)(in - run));
            goto execute;
        case EMU_K_OP:
        case EMU_K_MEM:
        execute:
            if (mask == active) {
                in->fn(w, in, mask);
                if (__builtin_expect(r->stop, 0))
                    return EMU_STOP_FAULT;
                in++;
                continue;
            }
            CLOSE(in);
            if (mask) {
                in->fn(w, in, mask);
                if (__builtin_expect(r->stop, 0))
                    return EMU_STOP_FAULT;
            }
            count_one(r, in, mask);
            run = ++in;
            continue;

        case EMU_K_BRA:
            if (mask == active) {
                CLOSE(in + 1);
                const struct emu_inst *to = code + in->target;
                if (to <= in) {
                    if (kind & EMU_K_POLL && ++r->polls >= POLLS_PER_YIELD) {
                        give_way(r, in->target, EMU_POLL_WEIGHT);
                        return r->stop ? EMU_STOP_FAULT : EMU_STOP_POLL;
                    }
                    if (__builtin_expect(budget <= 0, 0)) {
                        give_way(r, in->target, 1);
                        return r->stop ? EMU_STOP_FAULT : EMU_STOP_SLICE;
                    }
                }
                in = run = to;
                continue;
            }
            CLOSE(in);
            count_one(r, in, mask);
            if (mask == 0) {
                run = ++in;
                continue;
            }
            emu_diverge(r, in, mask);
            goto reload;

        case EMU_K_BRX:
            CLOSE(in);
            count_one(r, in, mask);
            if (mask == 0) {
                run = ++in;
                continue;
            }
            emu_diverge_table(r, in, mask);
            if (r->stop)
                return EMU_STOP_FAULT;
            if (budget <= 0) {
                give_way(r, w->pc, 1);
                return r->stop ? EMU_STOP_FAULT : EMU_STOP_SLICE;
            }
            goto reload;

        case EMU_K_CALL:
            CLOSE(in);
            count_one(r, in, mask);
            if (mask == 0) {
                run = ++in;
                continue;
            }
            emu_do_call(r, in, mask);
            if (__builtin_expect(r->stop, 0))
                return EMU_STOP_FAULT;
            if (budget <= 0) { /* endless recursion has no backward branch */
                give_way(r, w->pc, 1);
                return r->stop ? EMU_STOP_FAULT : EMU_STOP_SLICE;
            }
            goto reload;

        case EMU_K_RET:
        case EMU_K_EXIT: {
            CLOSE(in);
            if (in->ptx) /* not the implied return at a function's end */
                count_one(r, in, mask);
            if (mask == 0) {
                run = ++in;
                continue;
            }
            bool left = (kind & EMU_K_MASK) == EMU_K_EXIT ? emu_lanes_exit(r, in, mask) : emu_lanes_return(r, in, mask);
            if (left)
                goto reload;
            emu_fiber_end(r);
            if (!r->fibers) {
                r->done = 1;
                return EMU_STOP_DONE;
            }
            goto blocked;
        }

        case EMU_K_BAR: {
            CLOSE(in);
            count_one(r, in, mask);
            if (mask == 0) {
                run = ++in;
                continue;
            }
            /* A barrier is the whole path's, whatever its guard: PTX wants all lanes to agree. */
            bool wait = emu_barrier_arrive(r, in, active);
            if (r->stop)
                return EMU_STOP_FAULT;
            if (wait)
                goto blocked;
            if (in->aux[0] == EMU_BAR_ARRIVE) {
                run = ++in;
                continue;
            }
            /* The last to come lets the others go first: warps leave a barrier in their order. */
            r->fiber->path[r->fiber->n - 1].pc = (uint32_t)(in + 1 - code);
            return EMU_STOP_SLICE;
        }

        case EMU_K_YIELD:
            CLOSE(in);
            count_one(r, in, mask);
            give_way(r, (uint32_t)(in + 1 - code), EMU_POLL_WEIGHT);
            return r->stop ? EMU_STOP_FAULT : EMU_STOP_POLL;

        case EMU_K_TRAP:
            if (mask) {
                emu_raise(w, in, __builtin_ctz(mask), EMU_FAULT_TRAP, "the thread executed a trap");
                return EMU_STOP_FAULT;
            }
            CLOSE(in);
            count_one(r, in, mask);
            run = ++in;
            continue;

        default:
            BUG("instruction of kind %u", kind);
        }
    }
#undef CLOSE

blocked: /* the running fiber waits, or has ended */
    if (!emu_fiber_next(r))
        return EMU_STOP_BLOCKED;
    if (r->stop)
        return EMU_STOP_FAULT;
    goto reload;
}
