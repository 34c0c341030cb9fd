/*
 * One SM: CTAs in, warps issued, statistics, CTAs out.
 *
 * A cycle: replies and timers make warps ready; a new CTA arrives; the load/store unit advances; each scheduler issues
 * from one warp. An SM in which nothing can happen next cycle sleeps until its next timer, a reply, a CTA or room in
 * the L1's port. When it wakes, the stall cycles of its schedulers are charged as an interval, which equals charging
 * them cycle by cycle, because the state did not change.
 *
 * Sources: the pipeline is that of GPGPU-Sim 4 (schedulers, scoreboard, operand delay, execution units with initiation
 * intervals), described in docs/machines.md. Not modeled: register bank conflicts, the operand collector's queues,
 * the result bus, instruction-fetch traffic, dual issue to different units within one warp beyond sm.issue_width.
 */
#include "sm/sm_priv.h"

#include "base/mem.h"
#include "engine/waits.h"
#include "sm/sched/pick.h"

#include <inttypes.h>

/* ---- kernels ---- */

/*
 * Arithmetic shares the ports of the registers with the sums of products. A pass of 16 lanes or fewer waits
 * sm.wgmma_wait cycles for them; what 32 lanes compute in one pass goes through two units of 16, half as often each.
 */
static uint32_t waits_beside_products(const struct sm_config *cfg, const struct sm_inst *i)
{
    switch (i->unit) {
    case SM_UNIT_INT:
    case SM_UNIT_SFU:
        return i->interval > 1 ? cfg->wgmma_wait : cfg->wgmma_wait / 2;
    case SM_UNIT_SP:
        return i->cls == TRACE_FP_ADD || i->cls == TRACE_FP_MUL || i->cls == TRACE_FP_MAD || i->cls == TRACE_MOVE
                   ? cfg->wgmma_wait / 2
                   : 0;
    default:
        return 0;
    }
}

void sm_inst_of(const struct sm_config *cfg, const struct trace_inst *i, struct sm_inst *out)
{
    static const uint8_t unit[TRACE_CLASS_COUNT] = {
#define UNIT(unit, lat, ii) SM_UNIT_##unit
#define X(name, text, doc)  [TRACE_##name] = SM_CLASS_##name(UNIT),
        TRACE_CLASSES(X)
#undef X
#undef UNIT
    };
    uint32_t beats = 32 / cfg->simt_width;
    uint32_t interval = cfg->ii[i->cls] * beats;
    uint32_t u = unit[i->cls];
    if (u == SM_UNIT_INT && !cfg->int_units)
        u = SM_UNIT_SP;
    if (u == SM_UNIT_TENSOR && !cfg->tensor_units)
        u = SM_UNIT_SP;
    if (u == SM_UNIT_DP && !cfg->dp_units)
        u = SM_UNIT_SFU;
    *out = (struct sm_inst){
        .unit = (uint8_t)u,
        .cls = i->cls,
        .n_dst = i->n_dst,
        .n_reg = (uint8_t)(i->n_dst + i->n_src),
        .latency = (uint16_t)(cfg->operand_cycles + cfg->lat[i->cls] + (u == SM_UNIT_LSU ? 0 : beats - 1)),
        .interval = (uint16_t)(u == SM_UNIT_LSU ? cfg->ii[i->cls] : interval),
        .regs_at = i->regs_at,
        .mem_index = i->mem_index,
        .loop = i->loop,
        .width = i->width ? i->width : 4,
        .mem_flags = i->mem_flags,
        .barrier_warps = i->cls == TRACE_BARRIER || i->cls == TRACE_WGMMA ? i->width : 0,
        .barrier = (uint8_t)(i->barrier < SM_BARRIERS || i->cls == TRACE_WGMMA ? i->barrier : 0),
        .space = i->space,
    };
    out->beside = (uint8_t)waits_beside_products(cfg, out) & 63;
}

struct sm_kernel *sm_kernel_new(const struct trace_kernel *t, const struct sm_config *cfg, uint32_t workers)
{
    static const uint16_t no_operands;
    struct sm_kernel *k = xcalloc(1, sizeof *k);
    k->trace = t;
    k->inst = xcalloc(t->n_inst + 1, sizeof *k->inst);
    k->n_worker = workers;
    k->n_load = t->n_mem + 1;
    k->load = xcalloc((size_t)workers * k->n_load, sizeof *k->load);
    for (uint32_t pc = 0; pc < t->n_inst; pc++)
        sm_inst_of(cfg, &t->inst[pc], &k->inst[pc]);
    k->reg = t->reg;
    k->n_scoreboard = t->n_scoreboard;
    if (t->code && cfg->code == SM_CODE_SCHEDULED)
        sm_regions_build(k, cfg);
    if (!k->reg)
        k->reg = &no_operands; /* no instruction names a register */
    return k;
}

/* `from` is added to `to` and is 0 then; both are counters. */
static void move_counts(void *to, void *from, size_t bytes)
{
    uint64_t *sum = to, *part = from;
    for (size_t i = 0; i < bytes / sizeof *sum; i++) {
        sum[i] += part[i];
        part[i] = 0;
    }
}

void sm_kernel_sum(struct sm_kernel *k)
{
    for (uint32_t i = 1; i < k->n_worker; i++) {
        move_counts(k->load, k->load + (size_t)i * k->n_load, k->n_load * sizeof *k->load);
        if (k->profile)
            move_counts(k->profile, k->profile + (size_t)i * k->n_profile, k->n_profile * sizeof *k->profile);
    }
}

void sm_kernel_free(struct sm_kernel *k)
{
    if (!k)
        return;
    sm_regions_free(k);
    free(k->inst);
    free(k->load);
    free(k->profile);
    free(k);
}

bool sm_room_grow(const struct sm *sm, struct warp_room *r, size_t each)
{
    if (each <= r->each)
        return false;
    uint8_t *p = xcalloc(each, sm->cfg.max_warps);
    for (unsigned i = 0; i < sm->cfg.max_warps && r->each; i++)
        memcpy(p + i * each, r->p + i * r->each, r->each);
    free(r->p);
    *r = (struct warp_room){p, each};
    return true;
}

/* The SM's own state that a kernel finds as if it were the first one. */
static void forget(struct sm *sm)
{
    if (sm->resident || sm->outstanding)
        BUG("%s: a new kernel while %u requests are outstanding", sm->comp.name, sm->outstanding);
    memset(sm->tensor_free_at, 0, sizeof sm->tensor_free_at);
    memset(sm->const_line, 0, sm->const_lines * sizeof *sm->const_line);
    if (sm->icache)
        memset(sm->icache, 0, (size_t)sm->icache_sets * sm->icfg.assoc * sizeof *sm->icache);
}

void sm_grid_begin(struct sm *sm, unsigned place, const struct sm_kernel *k, const struct trace_launch *l,
                   uint32_t number, const struct sm_streams *streams)
{
    if (!sm->n_grid++)
        forget(sm);
    const uint32_t rest = trace_threads_per_cta(l) % TRACE_WARP_SIZE;
    sm->grid[place] = (struct sm_grid){.kernel = k,
                                       .streams = streams,
                                       .count = &sm->stats,
                                       .number = number,
                                       .warps_per_cta = trace_warps_per_cta(l),
                                       .last_lanes = rest ? (1u << rest) - 1 : ~0u,
                                       .cluster_ctas = l->cluster_ctas ? l->cluster_ctas : 1};
    sm->clusters |= l->cluster_ctas > 1;
    /* The only allocations after the machine was built: a kernel may have more registers than all previous ones. */
    if (sm_room_grow(sm, &sm->regs_room, (k->n_scoreboard + 1) * sizeof *sm->warp->reg_at))
        for (unsigned i = 0; i < sm->cfg.max_warps; i++)
            sm->warp[i].reg_at = sm_room_of(&sm->regs_room, i);
    if (k->op)
        sm_regions_set_kernel(sm, k);
    if (sm->wanted >> EVENT_LOOP_EXIT & 1)
        sm_loops_set_kernel(sm, k);
    sm->profiles = k->profile != NULL;
    if (sm->profiles)
        sm_profile_set_kernel(sm, k);
    if (sm->sched->on_kernel)
        for (unsigned s = 0; s < sm->cfg.schedulers; s++)
            sm->sched->on_kernel(sm->sched_state[s]);
}

void sm_grid_end(struct sm *sm, unsigned place)
{
    sm->grid[place].kernel = NULL;
    sm->n_grid--;
    sm->clusters = false;
    for (unsigned i = 0; i < SM_GRIDS; i++)
        sm->clusters |= sm->grid[i].kernel && sm->grid[i].cluster_ctas > 1;
}

void sm_grid_apart(struct sm *sm, unsigned place, bool apart)
{
    if (!sm->apart)
        sm->apart = xcalloc(2 * SM_GRIDS, sizeof *sm->apart);
    struct sm_grid *g = &sm->grid[place];
    g->count = apart ? &sm->apart[place] : &sm->stats;
    for (unsigned i = 0; i < SM_CTAS; i++)
        if (sm->cta[i].busy && sm->cta[i].place == place)
            for (unsigned s = 0; s < sm->cfg.max_warps; s++)
                if (sm->resident >> s & 1 && sm->warp[s].cta == i)
                    sm->warp[s].count = g->count;
}

void sm_grid_take(struct sm *sm, unsigned place, struct sm_stats *sum)
{
    move_counts(sum, &sm->apart[SM_GRIDS + place], sizeof *sum);
}

/* ---- CTAs ---- */

/*
 * The slots of a CTA's n warps: the lowest free ones that CTAs of so many warps would have if the SM held no others, and
 * any where there is no such room between CTAs of other sizes.
 */
static uint64_t warp_slots(const struct sm *sm, unsigned n)
{
    const uint64_t block = n == 64 ? ~0ull : (1ull << n) - 1;
    for (unsigned first = 0; first + n <= sm->cfg.max_warps; first += n)
        if (!(sm->resident & block << first))
            return block << first;
    uint64_t slots = 0;
    for (unsigned s = 0; s < sm->cfg.max_warps && n; s++)
        if (!(sm->resident >> s & 1)) {
            slots |= warp_bit(s);
            n--;
        }
    if (n)
        BUG("%s: received too many CTAs", sm->comp.name);
    return slots;
}

static void start_cta(struct sm *sm, uint64_t number, unsigned place, uint64_t now)
{
    const struct sm_grid *g = &sm->grid[place];
    uint64_t free_slots = ~sm->cta_busy, slots = warp_slots(sm, g->warps_per_cta);
    unsigned slot = (unsigned)__builtin_ctzll(free_slots);
    if (slot >= sm->cfg.max_ctas)
        BUG("%s: received too many CTAs", sm->comp.name);
    struct cta *c = &sm->cta[slot];
    memset(c, 0, sizeof *c);
    c->number = number;
    c->grid = g;
    c->place = (uint8_t)place;
    c->busy = true;
    c->left = g->warps_per_cta;
    c->first_warp = (uint8_t)__builtin_ctzll(slots);
    sm->cta_busy |= 1ull << slot;
    sm_notify_l1(sm, EVENT_CTA_START, slot, c->first_warp | g->warps_per_cta << 16);
    c->running = slots;
    for (unsigned i = 0; i < g->warps_per_cta; i++, slots &= slots - 1) {
        unsigned s = (unsigned)__builtin_ctzll(slots);
        struct warp *w = &sm->warp[s];
        w->kernel = g->kernel;
        w->regs = g->kernel->reg;
        w->count = g->count;
        w->grid_number = g->number;
        if (g->kernel->op)
            sm_regions_begin(sm, s);
        memset(w->reg_at, 0, (g->kernel->n_scoreboard + 1) * sizeof *w->reg_at);
        memset(w->arrived, 0, sizeof w->arrived);
        w->live = w->way = i + 1 == g->warps_per_cta ? g->last_lanes : ~0u;
        w->outstanding = w->unsent = w->seq = w->call_depth = 0;
        w->product_at = w->hold_until = w->poll_at = 0;
        memset(w->group_at, 0, sizeof w->group_at);
        memset(w->ends_at, 0, sizeof w->ends_at);
        w->n_product = 0;
        w->index = i;
        w->cta = (uint8_t)slot;
        w->ended = false;
        w->gathered.region = NULL;
        w->gathered.op = w->gathered.op_end = 0;
        w->gathered.copies = w->gathered.copy = w->gathered.group = 0;
        stream_dec_begin(w->dec, g->kernel->trace);
        sm->age[s] = sm->next_age++;
        if (sm->sched->on_warp_start)
            sm->sched->on_warp_start(sm->sched_state[w->scheduler], s, slot, i);
        sm_notify_l1(sm, EVENT_WARP_START, s, slot);
        sm_start_warp(sm, s, now);
    }
}

/* ---- issue ---- */

static inline void take_unit(struct sm *sm, unsigned unit, uint64_t now, uint32_t interval)
{
    struct unit *x = &sm->unit[unit];
    uint64_t first = NEVER;
    bool taken = false;
    for (unsigned i = 0; i < x->n; i++) {
        if (!taken && x->free_at[i] <= now) {
            x->free_at[i] = now + interval;
            taken = true;
        }
        first = x->free_at[i] < first ? x->free_at[i] : first;
    }
    sm->first_free[unit] = first;
}

/* Warps of scheduler s whose next instruction has a free unit in this cycle. */
static inline uint64_t able(const struct sm *sm, unsigned s, uint64_t now)
{
    uint64_t can = 0;
    for (unsigned u = 0; u < SM_UNIT_LSU; u++)
        can |= sm->first_free[u] <= now ? sm->want[u] : 0;
    if (sm->want[SM_UNIT_ASYNC] && !sm_async_room(sm))
        can &= ~sm->want[SM_UNIT_ASYNC];
    if (sm->want[SM_UNIT_LSU] && sm->first_free[SM_UNIT_LSU] <= now && sm->lsu_free_at[s] <= now && sm_lsu_room(sm))
        can |= sm->want[SM_UNIT_LSU];
    return can & sm->owned[s];
}

/* The barrier that this execution means, where its record has the number and the count. */
static struct sm_inst barrier_of(const struct warp *w, struct sm_inst i)
{
    if (i.space == TRACE_SP_ASYNC && w->mem.mask) {
        i.barrier = w->mem.addr[0] % SM_BARRIERS;
        i.barrier_warps = (uint8_t)(w->mem.addr[0] >> 8);
    }
    return i;
}

static void issue(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    const struct sm_inst i = w->inst;
    uint32_t pc = w->pc, mask = w->mask, way = w->way;
    struct sm_stats *count = w->count;
    if (!i.guarded)
        w->way = mask;
    sm->issued++;
    count->warp_insts++;
    count->thread_insts += count_lanes(mask);
    count->insts[i.cls]++;
    count->register_reads += (unsigned)(w->inst.n_reg - w->inst.n_dst);
    count->register_writes += w->inst.n_dst;
    take_unit(sm, i.unit, now, i.interval + (i.beside && sm->tensor_free_at[w->scheduler] > now ? i.beside : 0u));
    if (WEIR_HOOKS && sm->profiles)
        sm_profile_issue(sm, slot, &i, pc, mask);
    if (i.unit == SM_UNIT_LSU) {
        if (i.space != TRACE_SP_PARAM)
            sm->lsu_free_at[w->scheduler] = now + sm->cfg.lsu_interval;
        sm_lsu_push(sm, slot, &i, pc, now);
    } else {
        const uint16_t *reg = w->regs + i.regs_at;
        for (unsigned k = 0; k < i.n_dst; k++)
            w->reg_at[reg[k]] = now + i.latency;
        switch (i.cls) {
        case TRACE_NOP:
            if (i.converges)
                w->fetched_at = now + sm->cfg.converge_cycles + (mask & ~way ? sm->cfg.part_cycles : 0);
            else if (i.barrier && mask)
                sm_griddepcontrol(sm, slot, i.barrier);
            break;
        case TRACE_BRANCH:
            w->fetched_at = now + sm->cfg.fall_through_cycles; /* unless it jumps */
            if (i.n_reg > i.n_dst)
                w->condition_at = 0; /* else it is part of the branch before it */
            for (unsigned k = i.n_dst; k < i.n_reg; k++)
                if (w->reg_at[reg[k]] > w->condition_at)
                    w->condition_at = w->reg_at[reg[k]];
            break;
        case TRACE_BARRIER: {
            const struct sm_inst b = barrier_of(w, i);
            sm_barrier_arrive(sm, slot, &b, mask, now);
            sm_advance(sm, slot, now);
            sm_barrier_open(sm, slot, &b, now);
            return;
        }
        case TRACE_EXIT:
            sm_exit_lanes(sm, slot, mask);
            sm_advance(sm, slot, now);
            if (w->wait == WARP_BARRIER && !w->ended)
                sm_barrier_open(sm, slot, &(struct sm_inst){.barrier = w->at_barrier}, now);
            return;
        case TRACE_ASYNC:
        case TRACE_MBARRIER:
        case TRACE_WGMMA:
            sm_async_issue(sm, slot, &i, pc, now);
            break;
        case TRACE_CALL:
            w->call_depth++;
            break;
        case TRACE_RET:
            w->call_depth -= w->call_depth > 0;
            break;
        case TRACE_SLEEP:
            w->fetched_at = now + i.latency;
            break;
        }
    }
    sm_advance(sm, slot, now);
}

static enum sm_stall stall_reason(const struct sm *sm, unsigned s)
{
    uint64_t own = sm->owned[s];
    if (!(sm->resident & own))
        return SM_STALL_NO_WARP;
    uint64_t ready = sm->in[WARP_READY] & own;
    if (ready)
        return sm->throttled >> s & 1          ? SM_STALL_THROTTLE
               : ready & sm->want[SM_UNIT_LSU] ? SM_STALL_LSU
                                               : SM_STALL_UNIT;
    if (sm->in[WARP_ALU] & own)
        return SM_STALL_ALU;
    if (sm->in[WARP_FETCH] & own)
        return SM_STALL_FETCH;
    if ((sm->in[WARP_MEMORY] | sm->in[WARP_NEAR]) & own)
        return SM_STALL_MEM;
    if (sm->in[WARP_FENCE] & own)
        return SM_STALL_FENCE;
    if (sm->in[WARP_TENSOR] & own)
        return SM_STALL_TENSOR;
    if (sm->in[WARP_MBARRIER] & own)
        return SM_STALL_MBARRIER;
    return sm->in[WARP_BARRIER] & own ? SM_STALL_BARRIER : SM_STALL_DRAIN;
}

/* Cycles in which the scheduler did not issue. */
static inline void charge(struct sm *sm, unsigned s, uint64_t cycles)
{
    enum sm_stall why = stall_reason(sm, s);
    sm->stats.stall[why] += cycles;
    if (WEIR_HOOKS && sm->profiles)
        sm_profile_stall(sm, s, why, cycles);
}

/* Charges the cycles up to and including `until` in which nothing happened. */
static void account(struct sm *sm, uint64_t until)
{
    uint64_t gap = until - sm->accounted;
    if (until <= sm->accounted)
        return;
    sm->accounted = until;
    for (unsigned s = 0; s < sm->cfg.schedulers; s++)
        charge(sm, s, gap);
    sm->stats.scheduler_cycles += gap * sm->cfg.schedulers;
    sm->stats.active_cycles += sm->resident ? gap : 0;
    sm->stats.warp_cycles += gap * sm->n_resident;
}

/* One scheduler's cycle. Returns whether it issued. */
static bool schedule(struct sm *sm, unsigned s, uint64_t now)
{
    uint64_t own = sm->owned[s];
    bool issued = false;
    int only = -1; /* further instructions of the cycle come from the same warp */
    sm->throttled &= ~(1ull << s);
    for (unsigned n = 0; n < sm->cfg.issue_width; n++) {
        uint64_t can = sm->in[WARP_READY] & own;
        if (only >= 0)
            can &= warp_bit((unsigned)only);
        if (!can || !(can &= able(sm, s, now)))
            break;
        int slot = only;
        if (only < 0 && sm->gto) {
            slot = sched_gto_pick(sm->sched_state[s], can, sm->age);
        } else if (only < 0) {
            struct sched_view v = {.issuable = can, .loads = sm->wants_load, .age = sm->age, .now = now};
            slot = sm->sched->pick(sm->sched_state[s], &v);
            if (slot == SCHED_NONE) {
                sm->throttled |= 1ull << s;
                break;
            }
            if (slot < 0 || slot >= 64 || !(can >> slot & 1))
                policy_fault(&sm->sched->info, "pick returned warp %d, but the issuable warps are %#lx", slot,
                             (unsigned long)can);
        }
        issue(sm, (unsigned)slot, now);
        if (sm->gto)
            sched_gto_issued(sm->sched_state[s], (unsigned)slot);
        else if (sm->sched->on_issue)
            sm->sched->on_issue(sm->sched_state[s], (unsigned)slot);
        issued = true;
        only = slot;
        if (sm->failed)
            break;
    }
    return issued;
}

/* When the first busy unit that a ready warp needs becomes free. */
static uint64_t next_unit(const struct sm *sm, uint64_t now)
{
    uint64_t next = NEVER;
    for (unsigned u = 0; u < SM_UNIT_COUNT; u++) {
        uint64_t warps = sm->want[u] & sm->in[WARP_READY], at = sm->first_free[u];
        if (!warps || (u == SM_UNIT_LSU && !sm_lsu_room(sm)) || (u == SM_UNIT_ASYNC && !sm_async_room(sm)))
            continue;
        if (u == SM_UNIT_LSU) {
            uint64_t first = NEVER; /* of the schedulers */
            for (unsigned s = 0; s < sm->cfg.schedulers; s++)
                if (warps & sm->owned[s] && sm->lsu_free_at[s] < first)
                    first = sm->lsu_free_at[s];
            at = first > at ? first : at;
        }
        if (at <= now + 1)
            return now + 1;
        next = at < next ? at : next;
    }
    return next;
}

/* CTAs to start, and events of other SMs. */
static void take_ctas(struct sm *sm, uint64_t now)
{
    while (port_peek(&sm->cta_in, now)) {
        struct msg cta = port_pop(&sm->cta_in);
        start_cta(sm, SM_CTA_NUMBER(cta.req, cta.info), SM_CTA_PLACE(cta.info), now);
    }
    port_unmark_if_empty(&sm->cta_in);
    for (unsigned i = 0; i < SM_PEER_PORTS; i++) {
        while (port_peek(&sm->peer[i], now)) {
            struct msg event = port_pop(&sm->peer[i]);
            sm_peer_event(sm, event.req, event.info, now);
        }
        port_unmark_if_empty(&sm->peer[i]);
    }
}

static uint64_t tick(struct comp *c, uint64_t now)
{
    struct sm *sm = (struct sm *)c;
    if (sm->failed)
        return NEVER;
    account(sm, now - 1);
    if (sm->mail & SM_MAIL_REPLIES)
        sm_take_replies(sm, now);
    if (sm_timer_is_due(sm, now))
        sm_expire_timers(sm, now);
    if (sm->mail & SM_MAIL_CTAS)
        take_ctas(sm, now);
    if (now >= sm->lsu_at)
        sm_lsu_step(sm, now);
    if (sm->tma_head != sm->tma_tail)
        sm_tma_step(sm, now);
    if (!sm->resident && !sm->lsu_n) {
        account(sm, now);
        return NEVER;
    }

    sm->stats.active_cycles += sm->resident != 0;
    sm->stats.warp_cycles += sm->n_resident;
    sm->stats.scheduler_cycles += sm->cfg.schedulers;
    sm->accounted = now;
    uint64_t before = sm->issued;
    /* They take turns issuing first, because they share units. */
    const uint32_t n_sched = sm->cfg.schedulers;
    unsigned s = (unsigned)(n_sched & (n_sched - 1) ? now % n_sched : now & (n_sched - 1)); /* divides where it must */
    for (unsigned n = 0; n < sm->cfg.schedulers; n++, s = s + 1 == sm->cfg.schedulers ? 0 : s + 1) {
        if (!sm->failed && sm->in[WARP_READY] & sm->owned[s] && schedule(sm, s, now))
            sm->stats.issue_cycles++;
        else
            charge(sm, s, 1);
    }
    if (WEIR_HOOKS && sm->issued != before && sm->wanted >> EVENT_ISSUE & 1)
        port_send(sm->events, (req_id)(sm->issued - before), event_info(EVENT_ISSUE, 0));

    /* A scheduler counts as throttled while the policy alone holds it back; another may have taken the last unit since.
     */
    if (sm->throttled) {
        for (s = 0; s < sm->cfg.schedulers; s++)
            if (!(sm->in[WARP_READY] & able(sm, s, now + 1)))
                sm->throttled &= ~(1ull << s);
    }
    uint64_t next = sm_lsu_next(sm, now), tma = sm->tma_head == sm->tma_tail ? NEVER : sm_tma_next(sm, now);
    next = tma < next ? tma : next;
    if (next > now + 1 && sm->in[WARP_READY]) {
        uint64_t unit = next_unit(sm, now);
        next = unit < next ? unit : next;
    }
    if (next > now + 1) {
        uint64_t timer = sm_next_timer(sm, now);
        next = timer < next ? timer : next;
        if (sm->mail) { /* queued replies become ready later than the sender's wake-up */
            uint64_t hit = port_next_ready(&sm->hit), fill = port_next_ready(&sm->fill);
            uint64_t reply = hit < fill ? hit : fill;
            next = reply < next ? reply : next;
            for (unsigned i = 0; i < SM_PEER_PORTS; i++) {
                uint64_t peer = port_next_ready(&sm->peer[i]);
                next = peer < next ? peer : next;
            }
        }
    }
    return next;
}

/* ---- bookkeeping ---- */

static void sync(struct comp *c, uint64_t now)
{
    struct sm *sm = (struct sm *)c;
    account(sm, now);
    for (unsigned i = 0; i < SM_GRIDS && sm->apart; i++)
        if (sm->grid[i].kernel && sm->grid[i].count != &sm->stats) {
            struct sm_stats part = sm->apart[i];
            move_counts(&sm->apart[SM_GRIDS + i], &sm->apart[i], sizeof part);
            move_counts(&sm->stats, &part, sizeof part);
        }
}

/* Warps that wait for loads wait for requests, which other components report; unless there are none. */
static void waits(const struct comp *c, struct waits *w)
{
    const struct sm *sm = (const struct sm *)c;
    if (sm->lsu_n) {
        const struct lsu_entry *e = &sm->lsu[sm->lsu_head];
        if (e->where >= LSU_DATA && e->where <= LSU_TEX)
            waits_for_room(
                w, NULL, REQ_NONE, sm->to_l1[e->where - LSU_DATA],
                waits_text(w, "the L1 (warp %u, pc %u, line %u of %u)", e->warp, e->pc, e->next_line, e->n_line));
    }
    for (uint64_t left = sm->in[WARP_BARRIER]; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        const struct warp *x = &sm->warp[s];
        waits_for_else(w, NULL, REQ_NONE,
                       waits_text(w, "the other warps of CTA %" PRIu64 " at barrier %u (warp %u, pc %u)",
                                  sm->cta[x->cta].number, x->at_barrier, s, x->pc));
    }
    const uint64_t memory = sm->in[WARP_MEMORY] | sm->in[WARP_FENCE] | sm->in[WARP_DRAIN];
    for (uint64_t left = sm->outstanding ? 0 : memory; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        const struct warp *x = &sm->warp[s];
        waits_for_else(w, NULL, REQ_NONE,
                       waits_text(w,
                                  "a memory instruction of its own, which no request completes (CTA %" PRIu64
                                  ", warp %u, pc %u)",
                                  sm->cta[x->cta].number, s, x->pc));
    }
    for (uint64_t left = sm->held; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        waits_for_else(w, NULL, REQ_NONE,
                       waits_text(w, "the end of the grid before its own (CTA %" PRIu64 ", warp %u, pc %u)",
                                  sm->cta[sm->warp[s].cta].number, s, sm->warp[s].pc));
    }
    for (uint64_t left = sm->in[WARP_MBARRIER] & ~sm->held; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        const struct warp *x = &sm->warp[s];
        waits_for_else(w, NULL, REQ_NONE,
                       waits_text(w, "%u events at an mbarrier of CTA %" PRIu64 " (warp %u, pc %u)", x->needs_events,
                                  sm->cta[x->cta].number, s, x->pc));
    }
    for (uint64_t left = sm->throttled; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        waits_for_else(
            w, NULL, REQ_NONE,
            waits_text(w, "the scheduler policy '%s', which picks none of the %d warps that are ready (scheduler %u)",
                       sm->sched->info.name, __builtin_popcountll(sm->in[WARP_READY] & sm->owned[s]), s));
    }
}

static int check(const struct comp *c, bool drained, struct err *e)
{
    const struct sm *sm = (const struct sm *)c;
    const struct sm_stats *t = &sm->stats;
    uint64_t sum = t->issue_cycles;
    for (unsigned i = 0; i < SM_STALL_COUNT; i++)
        sum += t->stall[i];
    if (sum != t->scheduler_cycles || t->scheduler_cycles != sm->accounted * sm->cfg.schedulers)
        return err_set(e,
                       "%s: scheduler cycles do not add up: issue and stalls %" PRIu64 ", charged %" PRIu64
                       ", cycles x schedulers %" PRIu64,
                       c->name, sum, t->scheduler_cycles, sm->accounted * sm->cfg.schedulers);
    uint64_t insts = 0, served = 0;
    for (unsigned i = 0; i < TRACE_CLASS_COUNT; i++)
        insts += t->insts[i];
    for (unsigned i = 0; i < REQ_AT_COUNT; i++)
        served += t->served[i];
    if (insts != t->warp_insts)
        return err_set(e, "%s: %" PRIu64 " instructions by class, %" PRIu64 " issued", c->name, insts, t->warp_insts);
    uint64_t sent = t->lines[0] + t->lines[1] + t->lines[2];
    if (served != t->replies || sent != t->replies + sm->outstanding)
        return err_set(e, "%s: %" PRIu64 " requests sent, %" PRIu64 " answered, %u outstanding", c->name, sent,
                       t->replies, sm->outstanding);
    if (drained && (sm->outstanding || sm->tma.free != ~0ull || sm->resident || sm->lsu_n || sm->pending_used))
        return err_set(e, "%s: not empty at the end: %u requests, %u loads", c->name, sm->outstanding,
                       sm->pending_used);
    return 0;
}

/* ---- building ---- */

static void make_unit(struct sm *sm, unsigned unit, uint32_t n)
{
    sm->unit[unit].n = n;
    sm->first_free[unit] = n ? 0 : NEVER;
}

struct sm *sm_new(struct engine *eng, const struct sm_config *cfg, const struct icache_config *icfg,
                  const struct sm_env *env, const char *name, struct err *e)
{
    struct arena *a = eng->arena;
    struct sm *sm = arena_alloc64(a, sizeof *sm);
    sm->cfg = *cfg;
    sm->icfg = *icfg;
    sm->env = *env;
    sm->wanted = env->wanted_events;
    sm->comp.tick = tick;
    sm->comp.sync = sync;
    sm->comp.waits = waits;
    sm->comp.check = check;
    sm->comp.together = env->on_load != NULL; /* it sees the loads of an instant in the order of the SMs */
    engine_add(eng, &sm->comp, CLK_CORE, name);
    engine_watch(eng, &sm->issued);

    sm->warp = arena_alloc64(a, cfg->max_warps * sizeof *sm->warp);
    size_t dec = (stream_dec_bytes() + 63) & ~(size_t)63;
    char *decoders = arena_alloc64(a, cfg->max_warps * dec);
    for (unsigned i = 0; i < cfg->max_warps; i++) {
        sm->warp[i].dec = (struct stream_dec *)(decoders + i * dec);
        sm->warp[i].scheduler = (uint8_t)(i % cfg->schedulers);
        sm->owned[sm->warp[i].scheduler] |= warp_bit(i);
    }
    sm->timer = arena_alloc64(a, SM_TIMERS * sizeof *sm->timer);
    make_unit(sm, SM_UNIT_SP, cfg->sp_units);
    make_unit(sm, SM_UNIT_INT, cfg->int_units);
    make_unit(sm, SM_UNIT_SFU, cfg->sfu_units);
    make_unit(sm, SM_UNIT_DP, cfg->dp_units);
    make_unit(sm, SM_UNIT_TENSOR, cfg->tensor_units);
    make_unit(sm, SM_UNIT_LSU, 1);
    make_unit(sm, SM_UNIT_ASYNC, 1);
    sm->tma.free = ~0ull;
    sm->const_lines = (uint32_t)(cfg->const_near / env->line_const);
    sm->const_line = arena_alloc64(a, (sm->const_lines + 1) * sizeof *sm->const_line);

    sm->lsu_cap = cfg->lsu_queue;
    sm->lsu_at = NEVER;
    sm->lsu = arena_alloc64(a, sm->lsu_cap * sizeof *sm->lsu);
    sm->pending = arena_alloc64(a, cfg->pending_loads * sizeof *sm->pending);
    for (uint32_t i = 0; i < cfg->pending_loads; i++)
        sm->pending[i].next = i + 1 < cfg->pending_loads ? i + 1 : UINT32_MAX;

    if (icfg->size && cfg->fetch_width) {
        sm->icache_sets = (uint32_t)(icfg->size / icfg->line / icfg->assoc);
        sm->icache_shift = (uint32_t)__builtin_ctzll(icfg->line / icfg->inst_bytes);
        sm->icache = arena_alloc64(a, (size_t)sm->icache_sets * icfg->assoc * sizeof *sm->icache);
    }

    port_init(&sm->hit, eng, &sm->comp, cfg->outstanding_requests, 1, "hit");
    port_init(&sm->fill, eng, &sm->comp, cfg->outstanding_requests, 1, "fill");
    port_init(&sm->event, eng, &sm->comp, 1024, 1, "event");
    port_init(&sm->peer[SM_PEER_EVENT], eng, &sm->comp, SM_PEER_EVENTS, 1, "peer");
    port_init(&sm->peer[SM_PEER_BARRIER], eng, &sm->comp, SM_PEER_EVENTS, 1, "cluster");
    port_init(&sm->cta_in, eng, &sm->comp, SM_CTAS, 1, "cta");
    port_watch(&sm->hit, &sm->mail, SM_MAIL_HIT);
    port_watch(&sm->fill, &sm->mail, SM_MAIL_FILL);
    port_watch(&sm->event, &sm->mail, SM_MAIL_EVENT);
    for (unsigned i = 0; i < SM_PEER_PORTS; i++)
        port_watch(&sm->peer[i], &sm->mail, SM_MAIL_PEER << i);
    port_watch(&sm->cta_in, &sm->mail, SM_MAIL_CTA);

    sm->sched = sm_sched_get(cfg->scheduler);
    sm->gto = sm->sched == &sm_sched_gto;
    void *shared = sm->sched->shared_bytes ? arena_alloc64(a, sm->sched->shared_bytes) : NULL;
    for (unsigned s = 0; s < cfg->schedulers; s++) {
        sm->sched_state[s] = arena_alloc64(a, sm->sched->state_bytes ? sm->sched->state_bytes : 1);
        struct sched_geom g = {.owned = sm->owned[s],
                               .n_warp = cfg->max_warps,
                               .n_sched = cfg->schedulers,
                               .index = s,
                               .sm = env->index,
                               .shared = shared};
        err_clear(e);
        if (sm->sched->init && sm->sched->init(sm->sched_state[s], env->sched_params, &g, e)) {
            policy_hook_failed(&sm->sched->info, "init", e);
            return NULL;
        }
    }
    return sm;
}

void sm_free(struct sm *sm)
{
    if (!sm)
        return;
    free(sm->apart);
    free(sm->regs_room.p);
    free(sm->regions_room.p);
    free(sm->loops_room.p);
    free(sm->profiled.writer.p);
}

struct port *sm_hit_in(struct sm *sm)
{
    return &sm->hit;
}
struct port *sm_fill_in(struct sm *sm)
{
    return &sm->fill;
}
struct port *sm_event_in(struct sm *sm)
{
    return &sm->event;
}
struct port *sm_peer_in(struct sm *sm, enum sm_peer which)
{
    return &sm->peer[which];
}
struct port *sm_cta_in(struct sm *sm)
{
    return &sm->cta_in;
}

void sm_connect(struct sm *sm, struct port *data, struct port *constant, struct port *texture, struct port *events,
                struct port *done_out)
{
    sm->to_l1[0] = data;
    sm->to_l1[1] = constant;
    sm->to_l1[2] = texture;
    sm->events = events;
    sm->done_out = done_out;
    for (unsigned i = 0; i < 3; i++)
        if (sm->to_l1[i])
            port_connect(sm->to_l1[i], &sm->comp);
    if (events)
        port_connect(events, &sm->comp);
    port_connect(done_out, &sm->comp);
}

bool sm_drained(const struct sm *sm)
{
    return !sm->resident && !sm->outstanding && !sm->lsu_n && port_empty(&sm->cta_in);
}

uint64_t sm_issued(const struct sm *sm)
{
    return sm->issued;
}

int sm_failed(const struct sm *sm, uint64_t *cta, uint32_t *warp, bool *corrupt)
{
    if (!sm->failed)
        return 0;
    *cta = sm->failed_cta;
    *warp = sm->failed_warp;
    *corrupt = sm->failed == 1;
    return 1;
}
