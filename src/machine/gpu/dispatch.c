/* The CTA dispatcher; see dispatch.h. */
#include "gpu/dispatch.h"

#include "base/mem.h"
#include "trace/stream.h"

#include <string.h>

#define MICRO 1000000ull

enum { SM_OF = 1 << 16 };

struct grid {
    struct dispatch_grid is;
    bool used, ended, watched;
    uint64_t next, done, start_at;
    uint64_t let;       /* CTAs that run and have executed griddepcontrol.launch_dependents */
    uint64_t pause_at;  /* CTAs that end before the engine is stopped for a look; NEVER = it is not */
    uint32_t *resident; /* by SM */
    uint16_t *sm_of;    /* by the CTA's number modulo SM_OF; NULL without clusters */
};

/* What is taken of an SM. */
struct taken {
    uint32_t ctas, warps, regs;
    uint64_t smem, smem_most;
};

struct dispatch {
    struct comp comp;
    uint32_t n_sm, last;            /* last: the SM that got a CTA last */
    bool from_first;                /* machine.cta_from_first */
    uint64_t cta_micro, free_micro; /* of a cycle: between two CTAs, 0 = nothing; when the next may start */
    struct grid grid[SM_GRIDS];
    uint8_t queue[SM_GRIDS]; /* grids with CTAs to hand out, in the order in which they get room */
    unsigned n_queue;
    struct taken *taken; /* by SM */
    uint32_t max_ctas, max_warps, max_regs;
    struct port *done_in;
    struct port **out, **peer_out[SM_PEER_PORTS];
    uint32_t n_gpc;
    uint32_t latency[SM_PEER_PORTS]; /* cycles of an event between CTAs of a cluster */
    dispatch_watch *watch;           /* NULL = nobody */
    void *watch_ctx;
    uint32_t *gpc_first; /* the SMs of a GPC are [gpc_first[g], gpc_first[g + 1]) */
};

static uint32_t least(uint32_t a, uint64_t b)
{
    return b < a ? (uint32_t)b : a;
}

/* How many CTAs of the grid the SM has room for. Alone, a grid has the room that CUDA's occupancy calculator says. */
static inline uint32_t room_for(const struct dispatch *d, const struct grid *g, uint32_t sm)
{
    const struct taken *t = &d->taken[sm];
    uint32_t room = g->is.per_sm - g->resident[sm];
    if (t->ctas == g->resident[sm] || !room)
        return room;
    room = least(room, d->max_ctas - t->ctas);
    room = least(room, (d->max_warps - t->warps) / g->is.warps);
    if (g->is.regs)
        room = least(room, t->regs > d->max_regs ? 0 : (d->max_regs - t->regs) / g->is.regs);
    if (g->is.smem)
        room = least(room, t->smem > t->smem_most ? 0 : (t->smem_most - t->smem) / g->is.smem);
    return room;
}

static void start_cta(struct dispatch *d, struct grid *g, uint32_t sm)
{
    const unsigned place = (unsigned)(g - d->grid);
    struct taken *t = &d->taken[sm];
    port_send(d->out[sm], (req_id)g->next, SM_CTA_INFO(g->next, place));
    if (g->sm_of)
        g->sm_of[g->next % SM_OF] = (uint16_t)sm;
    if (d->watch)
        d->watch(d->watch_ctx, g->is.number, g->next, sm, engine_cycle(d->comp.eng, CLK_CORE), false);
    g->next++;
    d->last = sm;
    d->comp.eng->tasks++;
    g->resident[sm]++;
    t->ctas++;
    t->warps += g->is.warps;
    t->regs += g->is.regs;
    t->smem += g->is.smem;
}

static void end_cta(struct dispatch *d, struct grid *g, uint32_t sm)
{
    struct taken *t = &d->taken[sm];
    g->resident[sm]--;
    g->done++;
    d->comp.eng->tasks--;
    t->ctas--;
    t->warps -= g->is.warps;
    t->regs -= g->is.regs;
    t->smem -= g->is.smem;
}

/* Whether the machine can start a CTA in this cycle (machine.cta_rate). */
static bool takes_its_time(struct dispatch *d, uint64_t now)
{
    if (!d->cta_micro)
        return false;
    if (d->free_micro >= (now + 1) * MICRO)
        return true;
    d->free_micro = (d->free_micro > now * MICRO ? d->free_micro : now * MICRO) + d->cta_micro;
    return false;
}

static bool is_idle(const struct dispatch *d)
{
    uint32_t ctas = 0;
    for (uint32_t sm = 0; sm < d->n_sm; sm++)
        ctas += d->taken[sm].ctas;
    return !ctas;
}

/* One CTA after the other, round robin over the SMs. Returns the cycle in which it can go on. */
static uint64_t start_ctas(struct dispatch *d, struct grid *g, uint64_t now)
{
    bool more = false;
    if (d->from_first && !g->next && is_idle(d))
        d->last = d->n_sm - 1;
    uint32_t sm = d->last;
    for (uint32_t k = 0; k < d->n_sm && g->next < g->is.n_cta; k++) {
        sm = sm + 1 == d->n_sm ? 0 : sm + 1;
        if (!room_for(d, g, sm))
            continue;
        if (takes_its_time(d, now))
            return d->free_micro / MICRO;
        start_cta(d, g, sm);
        more |= room_for(d, g, sm) > 0;
    }
    return more && g->next < g->is.n_cta ? now + 1 : NEVER;
}

/*
 * A whole cluster where one GPC has room for all its CTAs, the GPCs in turn; its CTAs go to the SMs with most room. At
 * most one cluster a cycle, and in all no more CTAs than the machine can start.
 */
static uint64_t start_cluster(struct dispatch *d, struct grid *g, uint64_t now)
{
    uint32_t gpc = 0;
    while (d->gpc_first[gpc + 1] <= d->last)
        gpc++;
    for (uint32_t k = 0; k < d->n_gpc; k++) {
        gpc = gpc + 1 == d->n_gpc ? 0 : gpc + 1;
        uint32_t room = 0;
        for (uint32_t sm = d->gpc_first[gpc]; sm < d->gpc_first[gpc + 1]; sm++)
            room += room_for(d, g, sm);
        if (room < g->is.cluster)
            continue;
        if (takes_its_time(d, now))
            return d->free_micro / MICRO;
        d->free_micro += d->cta_micro * (g->is.cluster - 1);
        for (uint32_t n = 0; n < g->is.cluster; n++) {
            uint32_t best = d->gpc_first[gpc];
            for (uint32_t sm = best; sm < d->gpc_first[gpc + 1]; sm++)
                best = room_for(d, g, sm) > room_for(d, g, best) ? sm : best;
            start_cta(d, g, best);
        }
        return g->next < g->is.n_cta ? now + 1 : NEVER;
    }
    return NEVER;
}

/* Messages of an SM: CTAs that have ended, and events for other CTAs of their clusters. False: the way is full. */
static bool take_messages(struct dispatch *d, uint32_t sm, uint64_t now)
{
    for (const struct msg *m; (m = port_peek(&d->done_in[sm], now));) {
        struct grid *g = &d->grid[SM_CTA_PLACE(m->info)];
        if (m->info & SM_CTA_EVENT) {
            const bool barrier = d->latency[SM_PEER_BARRIER] && (m->info & 0xffff) == STREAM_MBARRIER_CLUSTER;
            const enum sm_peer way = barrier ? SM_PEER_BARRIER : SM_PEER_EVENT;
            struct port *to = d->peer_out[way][g->sm_of[m->req % SM_OF]];
            if (!port_can_send(to))
                return false;
            const struct msg event = port_pop(&d->done_in[sm]);
            port_send_later(to, event.req, event.info, d->latency[way]);
            continue;
        }
        const struct msg done = port_pop(&d->done_in[sm]);
        if (done.info & SM_CTA_LETS_BEGIN) {
            g->let++;
            continue;
        }
        g->let -= (done.info & SM_CTA_HAS_LET) != 0;
        if (d->watch)
            d->watch(d->watch_ctx, g->is.number, SM_CTA_NUMBER(done.req, done.info), sm, now, true);
        end_cta(d, g, sm);
    }
    return true;
}

/* Looks for grids that have ended or let others begin, and for a pause. True: some have ended. */
static bool look_at_ends(struct dispatch *d)
{
    bool some = false;
    for (unsigned i = 0; i < SM_GRIDS; i++) {
        struct grid *g = &d->grid[i];
        if (!g->used || g->ended)
            continue;
        if (g->done == g->is.n_cta) {
            g->ended = some = true;
        } else if (g->done >= g->pause_at) {
            g->pause_at = NEVER;
            engine_stop(d->comp.eng);
        } else if (g->watched && g->done + g->let == g->is.n_cta) {
            g->watched = false;
            engine_stop(d->comp.eng);
        }
    }
    if (some)
        engine_stop(d->comp.eng);
    return some;
}

static uint64_t tick(struct comp *c, uint64_t now)
{
    struct dispatch *d = (struct dispatch *)c;
    bool all = true;
    for (uint32_t i = 0; i < d->n_sm; i++)
        all &= take_messages(d, i, now);
    if (look_at_ends(d))
        return d->n_queue || !all ? now + 1 : NEVER;
    uint64_t next = NEVER;
    for (unsigned i = 0; i < d->n_queue; i++) {
        struct grid *g = &d->grid[d->queue[i]];
        if (now < g->start_at) { /* those behind it go on until then */
            next = g->start_at < next ? g->start_at : next;
            continue;
        }
        const uint64_t at = g->is.cluster > 1 ? start_cluster(d, g, now) : start_ctas(d, g, now);
        next = at < next ? at : next;
        if (g->next == g->is.n_cta) { /* the next grid follows in the next cycle */
            memmove(&d->queue[i], &d->queue[i + 1], --d->n_queue - i);
            next = d->n_queue ? now + 1 : next;
        }
        break;
    }
    return all ? next : now + 1;
}

struct dispatch *dispatch_new(struct engine *e, const struct device_props *p, uint32_t ctas_per_1000_cycles,
                              bool from_first, uint32_t event_latency, uint32_t barrier_latency)
{
    const uint32_t n_sm = p->sm_count;
    struct dispatch *d = arena_alloc64(e->arena, sizeof *d);
    d->n_sm = n_sm;
    d->last = n_sm - 1;
    d->from_first = from_first;
    d->cta_micro = ctas_per_1000_cycles ? 1000 * MICRO / ctas_per_1000_cycles : 0;
    d->taken = arena_alloc(e->arena, n_sm * sizeof *d->taken);
    for (uint32_t i = 0; i < n_sm; i++)
        d->taken[i].smem_most = p->smem_per_sm;
    d->max_ctas = p->max_ctas_per_sm;
    d->max_warps = p->max_warps_per_sm;
    d->max_regs = p->regs_per_sm;
    for (unsigned i = 0; i < SM_GRIDS; i++)
        d->grid[i].resident = arena_alloc(e->arena, n_sm * sizeof *d->grid[i].resident);
    d->done_in = arena_alloc64(e->arena, n_sm * sizeof *d->done_in);
    d->out = arena_alloc(e->arena, n_sm * sizeof *d->out);
    for (unsigned i = 0; i < SM_PEER_PORTS; i++)
        d->peer_out[i] = arena_alloc(e->arena, n_sm * sizeof *d->peer_out[i]);
    d->n_gpc = p->gpc_count;
    d->latency[SM_PEER_EVENT] = event_latency;
    d->latency[SM_PEER_BARRIER] = barrier_latency;
    d->gpc_first = arena_alloc(e->arena, (d->n_gpc + 1) * sizeof *d->gpc_first);
    for (uint32_t g = 0; g < d->n_gpc; g++)
        d->gpc_first[g + 1] = d->gpc_first[g] + device_gpc_sms(p, g);
    d->comp.tick = tick;
    engine_add(e, &d->comp, CLK_CORE, "dispatcher");
    for (uint32_t i = 0; i < n_sm; i++)
        port_init(&d->done_in[i], e, &d->comp, 2048, 1, "done");
    return d;
}

void dispatch_free(struct dispatch *d)
{
    for (unsigned i = 0; d && i < SM_GRIDS; i++)
        free(d->grid[i].sm_of);
}

struct port *dispatch_done_in(struct dispatch *d, uint32_t sm)
{
    return &d->done_in[sm];
}

void dispatch_connect(struct dispatch *d, uint32_t i, struct sm *sm)
{
    d->out[i] = sm_cta_in(sm);
    port_connect(d->out[i], &d->comp);
    for (unsigned way = 0; way < SM_PEER_PORTS; way++) {
        d->peer_out[way][i] = sm_peer_in(sm, way);
        port_connect(d->peer_out[way][i], &d->comp);
    }
}

void dispatch_set_watch(struct dispatch *d, dispatch_watch *watch, void *ctx)
{
    d->watch = watch;
    d->watch_ctx = ctx;
}

void dispatch_start(struct dispatch *d, unsigned place, const struct dispatch_grid *is, uint32_t delay)
{
    struct grid *g = &d->grid[place];
    g->is = *is;
    g->used = true;
    g->ended = false;
    g->next = g->done = g->let = 0;
    g->watched = false;
    g->pause_at = NEVER;
    g->start_at = engine_cycle(d->comp.eng, CLK_CORE) + delay;
    if (is->cluster > 1 && !g->sm_of)
        g->sm_of = xcalloc(SM_OF, sizeof *g->sm_of);
    unsigned i = d->n_queue++;
    for (; i && d->grid[d->queue[i - 1]].is.priority > is->priority; i--)
        d->queue[i] = d->queue[i - 1];
    d->queue[i] = (uint8_t)place;
    engine_wake(&d->comp, g->start_at);
}

void dispatch_watch_lets(struct dispatch *d, unsigned place)
{
    d->grid[place].watched = true;
}

bool dispatch_lets_begin(const struct dispatch *d, unsigned place)
{
    const struct grid *g = &d->grid[place];
    return g->done + g->let == g->is.n_cta;
}

int dispatch_ended(struct dispatch *d)
{
    for (unsigned i = 0; i < SM_GRIDS; i++)
        if (d->grid[i].used && d->grid[i].ended) {
            d->grid[i].used = false;
            return (int)i;
        }
    return -1;
}

bool dispatch_idle(const struct dispatch *d, uint32_t sm)
{
    return !d->taken[sm].ctas;
}

void dispatch_set_smem(struct dispatch *d, uint32_t sm, uint64_t bytes)
{
    d->taken[sm].smem_most = bytes;
}

int dispatch_waiting(const struct dispatch *d)
{
    return d->n_queue ? d->queue[0] : -1;
}

void dispatch_pause(struct dispatch *d, uint64_t ctas)
{
    d->grid[0].pause_at = ctas;
}

bool dispatch_running(const struct dispatch *d)
{
    return d->grid[0].used && !d->grid[0].ended;
}

uint64_t dispatch_next(const struct dispatch *d)
{
    return d->grid[0].next;
}

void dispatch_skip(struct dispatch *d, uint64_t ctas)
{
    d->grid[0].next += ctas;
    d->grid[0].done += ctas;
}
