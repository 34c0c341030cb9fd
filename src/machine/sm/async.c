/*
 * What sm_90 does beside its warps: the tensor memory accelerator, mbarriers, products of warpgroups, clusters; and
 * grids that overlap.
 *
 * TMA: a copy (stream.h: struct stream_copy) waits sm.tma_latency cycles and is then cut into requests of a line, or of
 * what a row has of one, of which sm.tma_lines go to the L2 in a cycle, through the L1's port and past its tags. When
 * the last has been answered, the copy counts at its mbarrier. A multicast makes its requests once.
 *
 * mbarriers count events (arrivals and completed copies). A warp that waits sleeps until as many have happened as the
 * emulator saw when the phase completed, and looks at the barrier every sm.mbarrier_poll cycles. Those of the cluster's
 * other CTAs come and go through the dispatcher, which knows where the CTAs are. So do all arrivals at the barrier of a
 * cluster of several CTAs, where sm.cluster_barrier says how long they take.
 *
 * wgmma: each scheduler has a tensor core; a product takes sm.wgmma_columns columns a cycle, at least sm.wgmma_least
 * cycles, or until shared memory has delivered its operands, whichever is longest. Warps continue and wait for groups,
 * sm.wgmma_latency cycles longer than the tensor core is busy, and with A in shared memory sm.wgmma_shared_latency more.
 * They run ahead of the tensor core by sm.wgmma_ahead products, by one less with A in registers.
 *
 * Shared memory serves 128 bytes a cycle: a cycle for each pass of a warp's access and each 128 bytes of a product's
 * operands. Operands of products that are queued leave the rest of their time to the warps; what these ask for beyond it
 * is added to the next product. The layouts that wgmma takes have no conflicts of their own, and what the TMA writes does
 * not delay them: on an H200 products beside copies take the time of products alone, however many lines are written
 * (silicon/probes/hopper.cu, wgmma_beside_tma). The network to other SMs carries sm.cluster_bytes a cycle of each SM's
 * loads, stores and copies.
 *
 * griddepcontrol (PTX ISA 9.1): with launch_dependents a CTA tells the dispatcher that the grid behind this one may begin;
 * the first warp that executes it does so for the CTA. A warp that executes wait sleeps until the grid before its own has
 * ended, with all its accesses. Both do nothing in a grid that overlaps no other.
 *
 * Left out: that accesses of warps wait for operands and for what the TMA writes; mbarriers beyond SM_MBARRIERS of a CTA,
 * at which no warp waits; the time in which setmaxnreg waits for registers; the network's width for st.async.
 * Sources: docs/hopper.md.
 */
#include "sm/sm_priv.h"

/* ---- what accesses share: 128 bytes of shared memory a cycle, and the network between SMs ---- */

static uint64_t take(uint64_t *free_at, uint64_t cycles, uint64_t now)
{
    *free_at = (*free_at > now ? *free_at : now) + cycles;
    return *free_at;
}

void sm_smem_take(struct sm *sm, uint64_t cycles, uint64_t now)
{
    struct smem *m = &sm->smem;
    if (now >= m->operands_until) {
        take(&m->free_at, cycles, now);
        return;
    }
    /* Of the time to come, products leave no more than what their operands do not take. */
    const uint64_t left = (m->operands_until - now) * m->idle / m->length;
    const uint64_t spare = m->spare < left ? m->spare : left, used = cycles < spare ? cycles : spare;
    m->spare = spare - used;
    m->owed += cycles - used;
}

/*
 * A product of so many cycles, `operands` of which shared memory is read, begins, not before the last one ends: the cycle
 * in which it ends.
 */
static uint64_t read_operands(struct smem *m, uint64_t cycles, uint64_t operands, uint64_t begins, uint64_t now)
{
    const uint64_t length = cycles > operands ? cycles : operands, idle = length - operands;
    begins = begins > m->operands_until ? begins : m->operands_until;
    const uint64_t gap = begins - m->operands_until;
    uint64_t owed = m->owed > gap ? m->owed - gap : 0;
    owed += m->free_at > begins ? m->free_at - begins : 0;
    const uint64_t used = owed < idle ? owed : idle;
    m->spare = (now < m->operands_until ? m->spare : 0) + idle - used;
    m->owed = m->free_at = 0;
    m->idle = idle;
    m->length = length;
    m->operands_until = begins + length + owed - used;
    return m->operands_until;
}

uint64_t sm_network_take(struct sm *sm, struct sm_stats *count, uint64_t bytes, uint64_t now)
{
    const uint64_t width = sm->cfg.cluster_bytes, cycles = (bytes + width - 1) / width;
    count->cluster_bytes += bytes;
    return take(&sm->network_free_at, cycles, now);
}

/* ---- mbarriers ---- */

static struct mbarrier *find(struct cta *c, uint32_t number)
{
    for (unsigned i = 0; i < SM_MBARRIERS; i++) {
        struct mbarrier *b = &c->mbarrier[(number + i) % SM_MBARRIERS];
        if (!b->used || b->number == number) {
            b->used = true;
            b->number = (uint16_t)number;
            return b;
        }
    }
    return NULL;
}

static void count_event(struct sm *sm, struct cta *c, uint32_t number, uint64_t now)
{
    struct mbarrier *b = find(c, number);
    if (!b)
        return;
    b->events++;
    for (uint64_t left = b->waiting; left; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(left);
        struct warp *w = &sm->warp[slot];
        if (b->events < w->needs_events)
            continue;
        b->waiting &= ~warp_bit(slot);
        w->fetched_at = w->fetched_at > now ? w->fetched_at : now;
        if (sm->cfg.mbarrier_poll && number != STREAM_MBARRIER_CLUSTER) /* poll_at: when it looked first */
            w->poll_at += (now - w->poll_at + sm->cfg.mbarrier_poll) / sm->cfg.mbarrier_poll * sm->cfg.mbarrier_poll;
        sm_settle(sm, slot, now + 1);
    }
}

/* Counts an event at a barrier of a CTA of the cluster, by rank; the own one's at once. */
static void send_event(struct sm *sm, struct cta *c, unsigned rank, uint32_t number, uint64_t now)
{
    const uint64_t own = c->number % c->grid->cluster_ctas;
    if (rank == own)
        count_event(sm, c, number, now);
    else
        port_send(sm->done_out, (req_id)(c->number - own + rank), SM_EVENT_INFO(c->place, number));
}

/* The cluster's barrier: an own arrival counts with those of the others, when the network has told all of it. */
static void arrive_at_cluster(struct sm *sm, struct cta *c, unsigned rank, uint64_t now)
{
    const uint64_t own = c->number % c->grid->cluster_ctas;
    if (sm->cfg.cluster_barrier && c->grid->cluster_ctas > 1)
        port_send(sm->done_out, (req_id)(c->number - own + rank), SM_EVENT_INFO(c->place, STREAM_MBARRIER_CLUSTER));
    else
        send_event(sm, c, rank, STREAM_MBARRIER_CLUSTER, now);
}

void sm_peer_event(struct sm *sm, uint32_t cta, uint32_t info, uint64_t now)
{
    for (uint64_t left = sm->cta_busy; left; left &= left - 1) {
        struct cta *c = &sm->cta[__builtin_ctzll(left)];
        if ((uint32_t)c->number == cta && c->place == SM_CTA_PLACE(info))
            count_event(sm, c, info & 0xffff, now);
    }
}

static void mbarrier(struct sm *sm, unsigned slot, const struct sm_inst *i, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    struct cta *c = &sm->cta[w->cta];
    const struct stream_mem *mem = &w->mem;
    if (!mem->mask || mem->space != TRACE_SP_ASYNC)
        return;
    if (i->barrier == TRACE_MBARRIER_WAIT) {
        const uint64_t number = mem->addr[0] >> 32;
        struct mbarrier *b = find(c, (uint32_t)number & 0xffff);
        w->needs_events = (uint32_t)mem->addr[0];
        if (b && b->events < w->needs_events) {
            b->waiting |= warp_bit(slot);
            w->poll_at = now;
            sm_move_warp(sm, slot, WARP_MBARRIER);
        }
        return;
    }
    for (uint32_t left = mem->mask; left; left &= left - 1) {
        const uint64_t a = mem->addr[__builtin_ctz(left)];
        const uint32_t number = (uint32_t)a & 0xffff, rank1 = (uint32_t)(a >> 16) & 0x1f;
        if (number == STREAM_MBARRIER_CLUSTER)
            for (unsigned r = 0; r < c->grid->cluster_ctas; r++)
                arrive_at_cluster(sm, c, r, now);
        else if (!rank1)
            count_event(sm, c, number, now);
        else if (rank1 <= c->grid->cluster_ctas)
            send_event(sm, c, rank1 - 1, number, now);
    }
}

/* ---- grids that overlap ---- */

void sm_griddepcontrol(struct sm *sm, unsigned slot, unsigned what)
{
    struct cta *c = &sm->cta[sm->warp[slot].cta];
    if (what == TRACE_GRIDDEP_WAIT && c->grid->waits) {
        sm->held |= warp_bit(slot);
        sm_move_warp(sm, slot, WARP_MBARRIER);
    } else if (what == TRACE_GRIDDEP_LAUNCH && c->grid->lets && !c->has_let) {
        c->has_let = true;
        port_send(sm->done_out, (req_id)c->number, SM_CTA_INFO(c->number, c->place) | SM_CTA_LETS_BEGIN);
    }
}

void sm_grid_depend(struct sm *sm, unsigned place, bool lets, bool waits)
{
    sm->grid[place].lets = lets;
    sm->grid[place].waits = waits;
}

void sm_grid_release(struct sm *sm, unsigned place)
{
    const uint64_t now = engine_cycle(sm->comp.eng, CLK_CORE);
    sm->grid[place].waits = false;
    for (uint64_t left = sm->held; left; left &= left - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(left);
        struct warp *w = &sm->warp[slot];
        if (sm->cta[w->cta].place != place)
            continue;
        sm->held &= ~warp_bit(slot);
        w->fetched_at = w->fetched_at > now ? w->fetched_at : now;
        sm_settle(sm, slot, now + 1);
        engine_wake(&sm->comp, now + 1);
    }
}

/* ---- the TMA ---- */

/* Room for a copy, and for the events that an instruction's lanes and the copies in flight can send. */
bool sm_async_room(const struct sm *sm)
{
    return sm->tma.free && (!sm->clusters || port_has_room(sm->done_out, SM_EVENTS_MOST));
}

static void push_copy(struct sm *sm, unsigned slot, const struct sm_inst *i, uint32_t pc, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    const struct stream_mem *mem = &w->mem;
    if (!mem->mask || mem->space != TRACE_SP_ASYNC)
        return;
    uint64_t number[STREAM_COPY_WORDS];
    stream_copy_numbers(mem, number);
    const unsigned at = (unsigned)__builtin_ctzll(sm->tma.free);
    struct tma_copy *t = &sm->tma.copy[at];
    *t = (struct tma_copy){
        .kind = (uint8_t)number[STREAM_COPY_KIND],
        .cta = w->cta,
        .warp = (uint8_t)slot,
        .mbarrier = (uint16_t)number[STREAM_COPY_MBARRIER],
        .ctas = (uint16_t)number[STREAM_COPY_CTAS],
        .pc = pc,
        .mem_index = i->mem_index,
        .base = number[STREAM_COPY_BASE],
        .row_bytes = (uint32_t)number[STREAM_COPY_ROW],
        .start_at = now + sm->cfg.tma_latency,
    };
    for (unsigned d = 0; d < STREAM_COPY_DIMS; d++) {
        const uint64_t n = number[STREAM_COPY_BOX + 2 * d];
        t->n[d] = n ? (uint32_t)n : 1;
        t->step[d] = number[STREAM_COPY_BOX + 2 * d + 1];
    }
    if (t->kind == STREAM_COPY_CLUSTER) { /* from shared memory to shared memory: no requests */
        t->start_at = sm_network_take(sm, w->count, t->row_bytes, t->start_at) + sm->cfg.cluster_latency;
        t->row_bytes = 0;
    }
    sm->tma.free &= ~(1ull << at);
    sm->tma.order[sm->tma_tail++ % SM_TMA_COPIES] = (uint8_t)at;
    w->outstanding++;
    w->unsent += t->kind == STREAM_COPY_STORE;
    w->count->tma_copies++;
    struct sm_load_stats *l = sm_load_of(sm, w->kernel, i->mem_index);
    l->executions++;
    l->lanes += count_lanes(w->mask);
}

static void finish_copy(struct sm *sm, unsigned at, uint64_t now)
{
    struct tma_copy *t = &sm->tma.copy[at];
    struct cta *c = &sm->cta[t->cta];
    sm->tma.free |= 1ull << at;
    for (uint32_t left = t->ctas; left; left &= left - 1)
        if ((unsigned)__builtin_ctz(left) < c->grid->cluster_ctas)
            send_event(sm, c, (unsigned)__builtin_ctz(left), t->mbarrier, now);
    sm_settle_account(sm, t->warp, now);
}

/* The next line of the copy, or what its row has of it. */
static void send_part(struct sm *sm, struct tma_copy *t, unsigned copy, uint64_t now)
{
    struct req_pool *pool = engine_pool(&sm->comp);
    uint64_t row = t->base;
    for (unsigned d = 0; d < STREAM_COPY_DIMS; d++)
        row += t->i[d] * t->step[d];
    const uint64_t from = row + t->at, line = from & ~(uint64_t)(sm->env.line_data - 1);
    const uint32_t in_line = sm->env.line_data - (uint32_t)(from - line), in_row = t->row_bytes - t->at,
                   bytes = in_line < in_row ? in_line : in_row;
    const unsigned first = (unsigned)(from - line) / 4, last = (unsigned)(from - line + bytes + 3) / 4; /* words */
    const uint32_t words = (uint32_t)((last < 32 ? 1ull << last : 1ull << 32) - (1ull << first));
    req_id id = req_alloc(pool);
    struct req *r = &pool->req[id];
    *r = (struct req){
        .addr = line,
        .created_at = now,
        .next = REQ_NONE,
        .token = SM_TOKEN_TMA | copy,
        .pc = t->pc,
        .words = words,
        .sm = (uint16_t)sm->env.index,
        .warp = t->warp,
        .cta = t->cta,
        .bytes = (uint16_t)bytes,
        .flags = (uint16_t)(REQ_F_BYPASS | (bytes < sm->env.line_data ? REQ_F_PARTIAL : 0)),
        .kind = t->kind == STREAM_COPY_STORE ? REQ_WRITE : REQ_READ,
        .space = REQ_SP_GLOBAL,
        .first = 0,
        .n_lines = 1,
    };
    for (unsigned s = 0; s < 4; s++)
        r->sectors |= (uint8_t)((words >> 8 * s & 0xff) != 0) << s;
    port_send(sm->to_l1[0], id, 0);
    const struct warp *w = &sm->warp[t->warp];
    w->count->lines[0]++;
    w->count->tma_lines++;
    sm_load_of(sm, w->kernel, t->mem_index)->lines++;
    sm->outstanding++;
    t->left++;
    t->at += bytes;
    if (t->at < t->row_bytes)
        return;
    t->at = 0;
    unsigned d = 0;
    while (d < STREAM_COPY_DIMS && ++t->i[d] == t->n[d])
        t->i[d++] = 0;
    t->sent = d == STREAM_COPY_DIMS;
}

static bool is_blocked(const struct sm *sm)
{
    return !port_can_send(sm->to_l1[0]) || sm->outstanding >= sm->cfg.outstanding_requests;
}

/* Its source may be written, and to its warp it is done: the board's waits do not last until the L2 has the lines. */
static void note_sent(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    w->unsent--;
    if (w->wait == WARP_FENCE)
        sm_settle(sm, slot, now);
}

void sm_tma_step(struct sm *sm, uint64_t now)
{
    for (unsigned lines = sm->cfg.tma_lines; sm->tma_head != sm->tma_tail;) {
        const unsigned at = sm->tma.order[sm->tma_head % SM_TMA_COPIES];
        struct tma_copy *t = &sm->tma.copy[at];
        if (now < t->start_at)
            return;
        t->sent |= t->row_bytes == 0;
        for (; lines && !t->sent && !is_blocked(sm); lines--)
            send_part(sm, t, at, now);
        if (!t->sent)
            return;
        sm->tma_head++;
        if (t->kind == STREAM_COPY_STORE)
            note_sent(sm, t->warp, now);
        if (!t->left)
            finish_copy(sm, at, now);
    }
}

uint64_t sm_tma_next(const struct sm *sm, uint64_t now)
{
    const struct tma_copy *t = &sm->tma.copy[sm->tma.order[sm->tma_head % SM_TMA_COPIES]];
    if (t->start_at > now + 1)
        return t->start_at;
    return t->row_bytes && !t->sent && is_blocked(sm) ? NEVER : now + 1;
}

void sm_tma_reply(struct sm *sm, uint32_t token, uint64_t now)
{
    const unsigned at = token & (SM_TMA_COPIES - 1);
    struct tma_copy *t = &sm->tma.copy[at];
    if (--t->left == 0 && t->sent)
        finish_copy(sm, at, now);
}

/* ---- products of warpgroups ---- */

static void wgmma(struct sm *sm, unsigned slot, const struct sm_inst *i, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    if (i->barrier_warps) { /* a product of this many times eight columns */
        const uint32_t columns = 8u * i->barrier_warps, b_bytes = i->mem_flags & TRACE_WGMMA_SPARSE ? 64 : 32;
        const uint32_t bytes = columns * b_bytes + (i->mem_flags & TRACE_WGMMA_A_SHARED ? 64 * 32 : 0);
        const uint32_t whole = columns / sm->cfg.wgmma_columns,
                       cycles = whole > sm->cfg.wgmma_least ? whole : sm->cfg.wgmma_least;
        uint64_t *free_at = &sm->tensor_free_at[w->scheduler];
        const uint64_t begins = *free_at > now ? *free_at : now;
        take(free_at, cycles, now);
        /* The first of the four warps reads the operands for all; a product ends when they have been read. */
        if (w->index % 4 == 0) {
            *free_at = read_operands(&sm->smem, cycles, bytes / 128, begins, now);
            w->count->wgmma_operand_cycles += bytes / 128;
        }
        w->product_at =
            *free_at + sm->cfg.wgmma_latency + (i->mem_flags & TRACE_WGMMA_A_SHARED ? sm->cfg.wgmma_shared_latency : 0);
        w->ends_at[w->n_product++ % SM_WGMMA_AHEAD] = w->product_at;
        w->count->wgmma_cycles += cycles;
    } else if (i->barrier == TRACE_WGMMA_COMMIT) {
        memmove(w->group_at + 1, w->group_at, sizeof w->group_at - sizeof *w->group_at);
        w->group_at[0] = w->product_at;
    } else if (i->barrier < SM_WGMMA_GROUPS) {
        w->hold_until = w->group_at[i->barrier]; /* the latest ones may be pending */
    }
}

void sm_async_issue(struct sm *sm, unsigned slot, const struct sm_inst *i, uint32_t pc, uint64_t now)
{
    if (i->cls == TRACE_ASYNC)
        push_copy(sm, slot, i, pc, now);
    else if (i->cls == TRACE_MBARRIER)
        mbarrier(sm, slot, i, now);
    else
        wgmma(sm, slot, i, now);
}
