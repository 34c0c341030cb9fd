/*
 * The load/store unit: executes memory instructions in order, sends line requests to the L1, performs shared-memory
 * passes and receives replies.
 *
 * An instruction is coalesced when it is issued and waits in a queue of `sm.lsu_queue`. Only the head is active: a
 * shared-memory access occupies the unit for as many cycles as it has passes; a global, local, constant or texture
 * access sends `sm.lsu_lines` line requests per cycle as long as the L1's port has room, and a load occupies the unit
 * for as many cycles as it uses its busiest bank of the L1's data (sm.data_banks). A load's registers are written when
 * its last line has returned; a store is complete, for fences and for the CTA's end, when it is acknowledged.
 *
 * Not modeled: the width of the write-back bus beyond the L1's own one reply per cycle.
 */
#include "sm/sm_priv.h"

#define LOCAL_BASE 0x600000000000ull /* the caches' addresses of local memory, disjoint from global memory */
#define CONST_BASE 0x700000000000ull

static uint32_t alloc_pending(struct sm *sm, unsigned slot, const struct sm_inst *i, uint32_t left)
{
    uint32_t id = sm->pending_free;
    struct pending *p = &sm->pending[id];
    sm->pending_free = p->next;
    sm->pending_used++;
    *p = (struct pending){.left = left, .regs_at = i->regs_at, .n_dst = i->n_dst, .warp = (uint8_t)slot};
    return id;
}

/* The load's registers can be read from cycle `at` on. */
static void complete(struct sm *sm, uint32_t id, uint64_t at, uint64_t now)
{
    struct pending *p = &sm->pending[id];
    struct warp *w = &sm->warp[p->warp];
    for (unsigned i = 0; i < p->n_dst; i++)
        w->reg_at[w->regs[p->regs_at + i]] = at;
    if (w->wait == WARP_MEMORY || w->wait == WARP_NEAR)
        sm_settle(sm, p->warp, now);
    p->next = sm->pending_free;
    sm->pending_free = id;
    sm->pending_used--;
}

static uint8_t request_kind(const struct sm_inst *i)
{
    switch (i->cls) {
    case TRACE_ATOM:
        return REQ_ATOMIC;
    case TRACE_RED:
        return REQ_RED;
    case TRACE_STORE:
        return REQ_WRITE;
    case TRACE_SURF:
        return i->n_dst ? REQ_READ : REQ_WRITE;
    default:
        return REQ_READ;
    }
}

static uint16_t request_flags(const struct sm_inst *i)
{
    uint16_t f = 0;
    if (i->mem_flags & (TRACE_MEM_VOLATILE | TRACE_MEM_CG | TRACE_MEM_WT) || i->cls == TRACE_SURF)
        f |= REQ_F_BYPASS;
    if (i->mem_flags & TRACE_MEM_CS)
        f |= REQ_F_STREAM;
    if (i->mem_flags & TRACE_MEM_NC)
        f |= REQ_F_NC;
    if (i->mem_flags & TRACE_MEM_ADDR_FROM_LOAD)
        f |= REQ_F_INDIRECT;
    return f;
}

static void coalesce_into(struct sm *sm, unsigned slot, const struct sm_inst *i, const struct stream_mem *mem,
                          struct lsu_entry *e)
{
    bool split = i->cls == TRACE_ATOM || i->cls == TRACE_RED;
    switch (mem->space) {
    case TRACE_SP_LOCAL:
        e->where = LSU_DATA;
        e->space = REQ_SP_LOCAL;
        e->n_line = coalesce_local(mem, i->width, sm->env.line_data,
                                   ((uint64_t)sm->env.index * sm->cfg.max_warps + slot) * TRACE_WARP_SIZE,
                                   (uint64_t)sm->env.n_sm * sm->cfg.max_warps * TRACE_WARP_SIZE, LOCAL_BASE, e->line);
        break;
    case TRACE_SP_CONST:
        e->where = sm->to_l1[1] ? LSU_CONST : LSU_DATA;
        e->space = sm->to_l1[1] ? REQ_SP_CONST : REQ_SP_GLOBAL;
        e->n_line = coalesce(mem, i->width, sm->env.line_const, false, e->line);
        for (unsigned k = 0; k < e->n_line; k++)
            e->line[k].addr += CONST_BASE;
        break;
    case TRACE_SP_TEX:
        e->where = sm->to_l1[2] ? LSU_TEX : LSU_DATA; /* without a dedicated cache it goes through the L1 */
        e->space = REQ_SP_TEX;
        e->n_line = coalesce(mem, i->width, sm->env.line_tex, false, e->line);
        break;
    default:
        e->where = LSU_DATA;
        e->space = REQ_SP_GLOBAL;
        e->n_line = sm->cfg.coalesce == SM_COALESCE_SEGMENTS
                        ? coalesce_segments(mem, i->width, sm->env.line_data, split, e->line)
                        : coalesce(mem, i->width, sm->env.line_data, split, e->line);
        break;
    }
}

static void show_load(const struct sm *sm, const struct lsu_entry *e, const struct warp *w)
{
    struct sm_load_seen seen = {.sm = sm->env.index,
                                .warp = sm->cta[w->cta].number * sm->cta[w->cta].grid->warps_per_cta + w->index,
                                .mem_index = e->mem_index,
                                .lanes = count_lanes(w->mem.mask),
                                .line = e->line,
                                .n_line = e->n_line};
    sm->env.on_load(sm->env.on_load_ctx, &seen);
}

/* The lines of a quad in the same KiB are looked up one after the other; lines further apart together. */
static uint32_t quad_passes(const struct stream_mem *mem, unsigned first)
{
    uint32_t most = 0;
    for (unsigned a = first; a < first + 4; a++) {
        uint32_t n = 1;
        bool again = !(mem->mask >> a & 1);
        for (unsigned b = first; b < a; b++) {
            if (!(mem->mask >> b & 1))
                continue;
            again |= mem->addr[b] >> 7 == mem->addr[a] >> 7;
            bool counted = false; /* with a lane before it */
            for (unsigned c = first; c < b; c++)
                counted |= mem->mask >> c & 1 && mem->addr[c] >> 7 == mem->addr[b] >> 7;
            n += !counted && mem->addr[b] >> 10 == mem->addr[a] >> 10;
        }
        if (!again && n > most)
            most = n;
    }
    return most;
}

/*
 * Cycles of a texture fetch: one for each line, or by quads (sm.tex_quads), two of which are served together when
 * their lanes are in at most two neighboring sectors. The minimum depends on the texture's dimensions.
 */
static uint32_t tex_passes(const struct sm *sm, const struct stream_mem *mem, uint32_t n_line, bool plane)
{
    const uint32_t least = plane && sm->cfg.tex_plane_cycles ? sm->cfg.tex_plane_cycles : sm->cfg.tex_cycles;
    uint32_t cycles = n_line;
    if (sm->cfg.tex_quads) {
        cycles = 0;
        for (unsigned first = 0; first < TRACE_WARP_SIZE; first += 8) {
            uint64_t low = UINT64_MAX, high = 0;
            for (unsigned l = first; l < first + 8; l++)
                if (mem->mask >> l & 1) {
                    low = mem->addr[l] < low ? mem->addr[l] : low;
                    high = mem->addr[l] > high ? mem->addr[l] : high;
                }
            if (low > high)
                continue;
            bool together = low >> 7 == high >> 7 && (high >> 5) - (low >> 5) < 2;
            cycles += together ? 1 : quad_passes(mem, first) + quad_passes(mem, first + 4);
        }
    }
    return cycles > least ? cycles : least;
}

/* Of each line a cycle for each whole sector of 32 bytes, and two for the parts of others. */
static uint32_t store_passes(const struct line_access *line, uint32_t n)
{
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool parts = line[i].partial;
        for (uint32_t s = 0; s < 4; s++) {
            const uint32_t words = line[i].words >> 8 * s & 0xff;
            cycles += words == 0xff;
            parts |= words && words != 0xff;
        }
        cycles += parts ? 2 : 0;
    }
    return cycles;
}

/* One word for all lanes goes through the uniform data path, beside the load/store unit. */
static uint32_t const_passes(const struct sm *sm, const struct lsu_entry *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_line; i++)
        n += count_lanes(e->line[i].words);
    return n > 1 ? n * sm->cfg.const_interval : 0;
}

/* Constants that the near level lacks take longer, and lie in it then. */
static uint32_t const_delay(struct sm *sm, const struct lsu_entry *e)
{
    const uint32_t n = sm->const_lines;
    bool far = false;
    for (uint32_t i = 0; i < e->n_line; i++) {
        uint32_t at = 0;
        while (at < n && sm->const_line[at] != e->line[i].addr)
            at++;
        far |= at == n;
        for (at = at == n ? n - 1 : at; at; at--)
            sm->const_line[at] = sm->const_line[at - 1];
        sm->const_line[0] = e->line[i].addr;
    }
    return far ? sm->cfg.const_far_latency : 0;
}

/* When the head of the queue can begin: its operands have been read, and the instruction before has passed. */
static uint64_t begins_at(const struct sm *sm, const struct lsu_entry *head)
{
    return head->ready_at > sm->lsu_busy_until ? head->ready_at : sm->lsu_busy_until;
}

void sm_lsu_push(struct sm *sm, unsigned slot, const struct sm_inst *i, uint32_t pc, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    const struct stream_mem *mem = &w->mem;
    uint32_t at = sm->lsu_head + sm->lsu_n++;
    struct lsu_entry *e = &sm->lsu[at >= sm->lsu_cap ? at - sm->lsu_cap : at];
    e->warp = (uint8_t)slot;
    e->cls = i->cls;
    e->kernel = w->kernel;
    e->pc = pc;
    e->loop = i->loop;
    e->mem_index = i->mem_index;
    e->pending = UINT32_MAX;
    e->ready_at = now + 1 + sm->cfg.operand_cycles;
    if (sm->lsu_n == 1)
        sm->lsu_at = begins_at(sm, e);
    e->n_line = e->next_line = e->passes = 0;
    w->count->mem_insts++;
    if (i->cls == TRACE_FENCE) {
        e->where = LSU_FENCE;
    } else if (i->mem_index == UINT32_MAX || !mem->mask) {
        e->where = LSU_PARAM; /* a kernel parameter, or no active lane: only the pipeline latency */
        w->outstanding++;
    } else if (mem->space == TRACE_SP_SHARED) {
        e->where = LSU_SHARED;
        e->remote_bytes = mem->addr[__builtin_ctz(mem->mask)] >> STREAM_RANK_AT ? i->width * count_lanes(mem->mask) : 0;
        w->outstanding++;
        bool atomic = i->cls == TRACE_ATOM || i->cls == TRACE_RED;
        e->passes = smem_passes(mem, i->width, sm->cfg.smem_banks, atomic, sm->cfg.smem_pairs && i->cls == TRACE_LOAD);
        if (atomic)
            e->passes *= sm->cfg.smem_atomic_cycles;
        w->count->shared_insts++;
        w->count->shared_passes += e->passes;
    } else {
        e->req_kind = request_kind(i);
        e->flags = request_flags(i);
        coalesce_into(sm, slot, i, mem, e);
        if (e->space == REQ_SP_TEX)
            e->passes = tex_passes(sm, mem, e->n_line, i->mem_flags & TRACE_MEM_PLANE);
        else if (e->where == LSU_CONST)
            e->passes = const_passes(sm, e);
        else if (sm->cfg.data_banks && e->req_kind == REQ_READ)
            e->passes = data_passes(e->line, e->n_line);
        else if (sm->cfg.store_passes && e->req_kind == REQ_WRITE)
            e->passes = store_passes(e->line, e->n_line);
        w->outstanding += e->n_line;
        if (sm->env.on_load && i->cls == TRACE_LOAD && mem->space == TRACE_SP_GLOBAL && !(e->flags & REQ_F_BYPASS))
            show_load(sm, e, w);
    }
    if (i->mem_index != UINT32_MAX && mem->mask) {
        struct sm_load_stats *l = sm_load_of(sm, w->kernel, i->mem_index);
        l->executions++;
        l->lanes += count_lanes(mem->mask);
        l->lines += e->where == LSU_SHARED ? e->passes : e->n_line;
        if (WEIR_HOOKS && sm->profiles)
            sm_profile_lines(sm, e);
    }
    if (i->n_dst) {
        bool near =
            sm->cfg.long_loads == SM_LONG_MEMORY && (mem->space == TRACE_SP_SHARED || mem->space == TRACE_SP_CONST);
        e->pending = alloc_pending(sm, slot, i, e->n_line);
        if (e->where == LSU_CONST && sm->const_lines)
            sm->pending[e->pending].late = const_delay(sm, e);
        else if (mem->space == TRACE_SP_TEX)
            sm->pending[e->pending].late = sm->cfg.tex_latency;
        for (unsigned k = 0; k < i->n_dst; k++)
            w->reg_at[w->regs[i->regs_at + k]] = near ? REG_PENDING_NEAR : REG_PENDING;
    }
}

static void send_line(struct sm *sm, struct lsu_entry *e, uint64_t now)
{
    unsigned which = e->where - LSU_DATA;
    struct req_pool *pool = engine_pool(&sm->comp);
    const struct line_access *l = &e->line[e->next_line];
    req_id id = req_alloc(pool);
    struct req *r = &pool->req[id];
    *r = (struct req){
        .addr = l->addr,
        .created_at = now,
        .next = REQ_NONE,
        .token = e->pending,
        .pc = e->pc,
        .words = l->words,
        .sm = (uint16_t)sm->env.index,
        .warp = e->warp,
        .cta = sm->warp[e->warp].cta,
        .loop = e->loop,
        .bytes = l->bytes,
        .flags =
            (uint16_t)(e->flags | (l->partial ? REQ_F_PARTIAL : 0) | (e->next_line + 1 == e->n_line ? REQ_F_LAST : 0)),
        .kind = e->req_kind,
        .space = e->space,
        .first = l->first,
        .nth = (uint8_t)(e->next_line > 255 ? 255 : e->next_line),
        .n_lines = (uint8_t)(e->n_line > 255 ? 255 : e->n_line),
    };
    r->sectors = coalesce_sectors(l->words);
    if (sm->cfg.coalesce == SM_COALESCE_SEGMENTS && e->where == LSU_DATA) {
        r->sectors = coalesce_segment_of(r->sectors);
        if (r->kind != REQ_READ) /* the packet of a store is as long as its segment */
            r->bytes = (uint16_t)(32 * __builtin_popcount(r->sectors));
    }
    port_send(sm->to_l1[which], id, 0);
    sm->warp[e->warp].count->lines[which]++;
    sm->outstanding++;
    e->next_line++;
}

void sm_settle_account(struct sm *sm, unsigned slot, uint64_t now)
{
    struct warp *w = &sm->warp[slot];
    if (--w->outstanding)
        return;
    if (w->wait == WARP_FENCE)
        sm_settle(sm, slot, now);
    else if (w->wait == WARP_DRAIN)
        sm_warp_gone(sm, slot, now);
}

static bool is_blocked(const struct sm *sm, const struct lsu_entry *e)
{
    return e->next_line < e->n_line &&
           (!port_can_send(sm->to_l1[e->where - LSU_DATA]) || sm->outstanding >= sm->cfg.outstanding_requests);
}

/* The entry's passes keep the unit busy, also when the entry has left the queue. */
static void occupy(struct sm *sm, const struct lsu_entry *e, uint64_t began_at)
{
    sm->lsu_busy_until = began_at + e->passes;
    sm->profiled.busy_pc = e->pc;
    sm->profiled.busy_in = e->kernel;
}

/* From the access to its result. */
static uint64_t shared_latency(const struct sm *sm, const struct lsu_entry *e)
{
    const struct sm_config *c = &sm->cfg;
    if (e->cls != TRACE_ATOM)
        return c->smem_latency + e->passes - 1;
    return (c->smem_atomic_latency ? c->smem_atomic_latency : c->smem_latency) + (e->passes - 1) * c->smem_atomic_wait;
}

void sm_lsu_step(struct sm *sm, uint64_t now)
{
    struct lsu_entry *e = &sm->lsu[sm->lsu_head];
    uint64_t done_at = 0;
    switch (e->where) {
    case LSU_FENCE:
        if (e->pending != UINT32_MAX) /* a register that an imported trace names: no access is left to write it */
            complete(sm, e->pending, now + 1, now);
        break;
    case LSU_PARAM:
        done_at = now + sm->cfg.param_latency;
        break;
    case LSU_SHARED:
        occupy(sm, e, now);
        sm_smem_take(sm, e->passes, now);
        done_at = e->remote_bytes
                      ? sm_network_take(sm, sm->warp[e->warp].count, e->remote_bytes, now) + sm->cfg.cluster_latency - 1
                      : now + shared_latency(sm, e);
        break;
    default:
        if (!e->next_line)
            e->began_at = now;
        for (unsigned room = sm->cfg.lsu_lines; room && e->next_line < e->n_line && !is_blocked(sm, e); room--)
            send_line(sm, e, now);
        if (e->next_line < e->n_line)
            return;
        occupy(sm, e, e->began_at);
        break;
    }
    unsigned slot = e->warp;
    uint32_t pending = e->pending;
    sm->lsu_head = sm->lsu_head + 1 == sm->lsu_cap ? 0 : sm->lsu_head + 1;
    sm->lsu_n--;
    sm->lsu_at = sm->lsu_n ? begins_at(sm, &sm->lsu[sm->lsu_head]) : NEVER;
    if (done_at) {
        if (pending != UINT32_MAX)
            complete(sm, pending, done_at, now);
        sm_settle_account(sm, slot, now);
    }
}

uint64_t sm_lsu_next(const struct sm *sm, uint64_t now)
{
    /* A full port wakes the SM when it has room; replies wake it when too many requests are outstanding. */
    if (sm->lsu_at > now + 1)
        return sm->lsu_at;
    return is_blocked(sm, &sm->lsu[sm->lsu_head]) ? NEVER : now + 1;
}

static void take_reply(struct sm *sm, req_id id, uint64_t now)
{
    struct req_pool *pool = engine_pool(&sm->comp);
    struct req *r = &pool->req[id];
    const struct warp *w = &sm->warp[r->warp];
    struct sm_load_stats *l = sm_load_of(sm, w->kernel, w->kernel->inst[r->pc].mem_index);
    struct sm_stats *count = w->count;
    uint64_t latency = now - r->created_at;
    count->replies++;
    count->served[r->served]++;
    count->latency_sum[r->served] += latency;
    l->served[r->served]++;
    l->latency_sum[r->served] += latency;
    sm->outstanding--;
    const bool is_tma = r->token != UINT32_MAX && r->token & SM_TOKEN_TMA;
    if (!is_tma && r->token != UINT32_MAX && --sm->pending[r->token].left == 0)
        complete(sm, r->token, now + sm->pending[r->token].late, now);
    if (is_tma)
        sm_tma_reply(sm, r->token, now);
    else
        sm_settle_account(sm, r->warp, now);
    req_release(pool, id);
}

void sm_take_replies(struct sm *sm, uint64_t now)
{
    const uint64_t mail = sm->mail;
    if (mail & SM_MAIL_HIT) {
        while (port_peek(&sm->hit, now))
            take_reply(sm, port_pop(&sm->hit).req, now);
        port_unmark_if_empty(&sm->hit);
    }
    if (mail & SM_MAIL_FILL) {
        while (port_peek(&sm->fill, now))
            take_reply(sm, port_pop(&sm->fill).req, now);
        port_unmark_if_empty(&sm->fill);
    }
    if (!(mail & SM_MAIL_EVENT))
        return;
    while (port_peek(&sm->event, now)) {
        struct msg n = port_pop(&sm->event);
        unsigned slot = event_slot(n.info);
        if (sm->sched->on_event && sm->sched->events >> event_kind(n.info) & 1)
            sm->sched->on_event(sm->sched_state[sm->warp[slot].scheduler], event_kind(n.info), slot, n.req);
    }
    port_unmark_if_empty(&sm->event);
}
