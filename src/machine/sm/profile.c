/*
 * Where an SM's issue slots went, by static instruction: for `weir profile`.
 *
 * A scheduler cycle without issue has one reason (enum sm_stall). The profile also charges it to two instructions: the
 * one that waits to issue, and the one to blame. If several warps wait for the same reason, the oldest is charged. To
 * blame for a missing register is the instruction that writes it; for a full load/store unit, the instruction that
 * occupies it; for a fence, and for stores in flight at a warp's end, the warp's last memory access; otherwise the
 * waiting instruction itself. A cycle without a resident warp belongs to no instruction.
 *
 * The charge depends only on the SM's state, which does not change while the SM sleeps, so charging an interval equals
 * charging its cycles one by one.
 */
#include "sm/sm_priv.h"

#include "base/mem.h"

void sm_kernel_profile(struct sm_kernel *k)
{
    if (k->profile)
        return;
    k->n_profile = k->trace->n_inst + 1;
    k->profile = xcalloc((size_t)k->n_worker * k->n_profile, sizeof *k->profile);
}

/* The writers of its registers are kept beside the cycles from which these can be read. */
void sm_profile_set_kernel(struct sm *sm, const struct sm_kernel *k)
{
    sm_room_grow(sm, &sm->profiled.writer, (k->n_scoreboard + 1) * sizeof(uint32_t));
}

void sm_profile_issue(struct sm *sm, unsigned slot, const struct sm_inst *i, uint32_t pc, uint32_t mask)
{
    const struct warp *w = &sm->warp[slot];
    struct sm_profile *p = sm_profile_of(sm, w->kernel, pc);
    uint32_t *writer = sm_room_of(&sm->profiled.writer, slot);
    p->issues++;
    p->lanes += count_lanes(mask);
    for (unsigned k = 0; k < i->n_dst; k++)
        writer[w->regs[i->regs_at + k]] = pc;
    if (i->unit == SM_UNIT_LSU && i->cls != TRACE_FENCE)
        sm->profiled.last_access[slot] = pc;
    sm->profiled.last_issue[slot] = pc;
}

void sm_profile_lines(struct sm *sm, const struct lsu_entry *e)
{
    uint64_t sectors = 0;
    for (unsigned i = 0; i < e->n_line; i++)
        for (unsigned s = 0; s < 4; s++)
            sectors += (e->line[i].words >> 8 * s & 0xff) != 0;
    sm_load_of(sm, e->kernel, e->mem_index)->sectors += sectors;
}

/* The writer of the register that the warp waits for: a pending one, or the last to be ready. */
static uint32_t awaited(const struct sm *sm, unsigned slot)
{
    const struct warp *w = &sm->warp[slot];
    const uint16_t *reg = w->regs + w->inst.regs_at;
    const uint32_t *writer = sm_room_of(&sm->profiled.writer, slot);
    uint64_t latest = 0;
    uint32_t pc = w->pc;
    for (unsigned k = 0; k < w->inst.n_reg; k++)
        if (w->reg_at[reg[k]] > latest) {
            latest = w->reg_at[reg[k]];
            pc = writer[reg[k]];
        }
    return pc;
}

/* An instruction of a kernel. */
struct place {
    const struct sm_kernel *in;
    uint32_t pc;
};

/*
 * The instruction that occupies the load/store unit: the head of its queue, or a preceding access whose passes
 * are not complete. The SM wakes when they are, if the head could start then.
 */
static struct place occupant(const struct sm *sm, struct place otherwise)
{
    if (!sm->lsu_n)
        return otherwise;
    const struct lsu_entry *head = &sm->lsu[sm->lsu_head];
    bool passes = sm->lsu_busy_until > sm->accounted && sm->lsu_busy_until > head->ready_at;
    if (passes)
        return (struct place){sm->profiled.busy_in, sm->profiled.busy_pc};
    return (struct place){head->kernel, head->pc};
}

void sm_profile_stall(struct sm *sm, unsigned scheduler, enum sm_stall why, uint64_t cycles)
{
    static const uint8_t set[SM_STALL_COUNT] = {
        [SM_STALL_THROTTLE] = WARP_READY,    [SM_STALL_LSU] = WARP_READY,       [SM_STALL_UNIT] = WARP_READY,
        [SM_STALL_ALU] = WARP_ALU,           [SM_STALL_FETCH] = WARP_FETCH,     [SM_STALL_MEM] = WARP_MEMORY,
        [SM_STALL_FENCE] = WARP_FENCE,       [SM_STALL_BARRIER] = WARP_BARRIER, [SM_STALL_DRAIN] = WARP_DRAIN,
        [SM_STALL_MBARRIER] = WARP_MBARRIER, [SM_STALL_TENSOR] = WARP_TENSOR};
    if (why == SM_STALL_NO_WARP)
        return;
    uint64_t waiting = sm->in[set[why]] & sm->owned[scheduler];
    if (why == SM_STALL_MEM)
        waiting |= sm->in[WARP_NEAR] & sm->owned[scheduler];
    if (why == SM_STALL_LSU)
        waiting &= sm->want[SM_UNIT_LSU];
    unsigned slot = (unsigned)__builtin_ctzll(waiting);
    for (uint64_t left = waiting & (waiting - 1); left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        slot = sm->age[s] < sm->age[slot] ? s : slot;
    }
    struct place at = {sm->warp[slot].kernel, sm->warp[slot].pc}, cause = at;
    if (why == SM_STALL_BARRIER) /* the instruction after the barrier is already decoded */
        at.pc = cause.pc = sm->profiled.last_issue[slot];
    else if (why == SM_STALL_ALU || why == SM_STALL_MEM)
        cause.pc = awaited(sm, slot);
    else if (why == SM_STALL_LSU)
        cause = occupant(sm, at);
    else if (why == SM_STALL_FENCE || why == SM_STALL_DRAIN)
        cause.pc = sm->profiled.last_access[slot];
    sm_profile_of(sm, at.in, at.pc)->waited[why] += cycles;
    sm_profile_of(sm, cause.in, cause.pc)->caused[why] += cycles;
}
