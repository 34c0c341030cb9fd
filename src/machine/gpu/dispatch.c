/* The CTA dispatcher; see dispatch.h. */
#include "gpu/dispatch.h"

#include "base/mem.h"

#define MICRO 1000000ull

struct dispatch {
    struct comp comp;
    uint32_t n_sm, per_sm, last; /* last: the SM that got a CTA last */
    uint64_t n_cta, next, done, start_at;
    uint64_t pause_at;              /* CTAs that end before the engine is stopped for a look; NEVER = it is not */
    uint64_t cta_micro, free_micro; /* of a cycle: between two CTAs, 0 = nothing; when the next may start */
    bool running;
    uint32_t *resident;
    struct port *done_in;
    struct port **out, **peer_out;
    /* clusters */
    uint32_t n_gpc, cluster, latency; /* CTAs of a cluster; cycles of an event between them */
    dispatch_watch *watch;            /* NULL = none */
    void *watch_ctx;
    uint32_t *gpc_first; /* the SMs of a GPC are [gpc_first[g], gpc_first[g + 1]) */
    uint16_t *sm_of;     /* by the CTA's number modulo SM_OF */
};
enum { SM_OF = 1 << 16, CTA_EVENT = 1u << 31 };

static void start_cta(struct dispatch *d, uint32_t sm)
{
    port_send(d->out[sm], (req_id)d->next, (uint32_t)(d->next >> 32));
    d->sm_of[d->next % SM_OF] = (uint16_t)sm;
    if (d->watch)
        d->watch(d->watch_ctx, d->next, sm, engine_cycle(d->comp.eng, CLK_CORE), false);
    d->next++;
    d->last = sm;
    d->comp.eng->tasks++;
    d->resident[sm]++;
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

/* One CTA after the other, round robin over the SMs. Returns the cycle in which it can continue. */
static uint64_t start_ctas(struct dispatch *d, uint64_t now)
{
    bool more = false;
    uint32_t sm = d->last;
    for (uint32_t k = 0; k < d->n_sm && d->next < d->n_cta; k++) {
        sm = sm + 1 == d->n_sm ? 0 : sm + 1;
        if (d->resident[sm] == d->per_sm)
            continue;
        if (takes_its_time(d, now))
            return d->free_micro / MICRO;
        start_cta(d, sm);
        more |= d->resident[sm] < d->per_sm;
    }
    return more && d->next < d->n_cta ? now + 1 : NEVER;
}

/*
 * A whole cluster where one GPC has room for all its CTAs, the GPCs in turn; its CTAs go to the SMs with most room. At
 * most one cluster a cycle, and in all no more CTAs than the machine can start.
 */
static uint64_t start_cluster(struct dispatch *d, uint64_t now)
{
    uint32_t gpc = 0;
    while (d->gpc_first[gpc + 1] <= d->last)
        gpc++;
    for (uint32_t k = 0; k < d->n_gpc; k++) {
        gpc = gpc + 1 == d->n_gpc ? 0 : gpc + 1;
        uint32_t room = 0;
        for (uint32_t sm = d->gpc_first[gpc]; sm < d->gpc_first[gpc + 1]; sm++)
            room += d->per_sm - d->resident[sm];
        if (room < d->cluster)
            continue;
        if (takes_its_time(d, now))
            return d->free_micro / MICRO;
        d->free_micro += d->cta_micro * (d->cluster - 1);
        for (uint32_t n = 0; n < d->cluster; n++) {
            uint32_t best = d->gpc_first[gpc];
            for (uint32_t sm = best; sm < d->gpc_first[gpc + 1]; sm++)
                best = d->resident[sm] < d->resident[best] ? sm : best;
            start_cta(d, best);
        }
        return d->next < d->n_cta ? now + 1 : NEVER;
    }
    return NEVER;
}

/* Messages of an SM: CTAs that have ended, and events for other CTAs of their clusters. False: the way is full. */
static bool take_messages(struct dispatch *d, uint32_t sm, uint64_t now)
{
    for (const struct msg *m; (m = port_peek(&d->done_in[sm], now));) {
        if (m->info & CTA_EVENT) {
            struct port *to = d->peer_out[d->sm_of[m->req % SM_OF]];
            if (!port_can_send(to))
                return false;
            const struct msg event = port_pop(&d->done_in[sm]);
            port_send_later(to, event.req, event.info, d->latency);
            continue;
        }
        const struct msg done = port_pop(&d->done_in[sm]);
        if (d->watch)
            d->watch(d->watch_ctx, (uint64_t)done.info << 32 | done.req, sm, now, true);
        d->resident[sm]--;
        d->done++;
        d->comp.eng->tasks--;
    }
    return true;
}

static uint64_t tick(struct comp *c, uint64_t now)
{
    struct dispatch *d = (struct dispatch *)c;
    bool all = true;
    for (uint32_t i = 0; i < d->n_sm; i++)
        all &= take_messages(d, i, now);
    if (!d->running)
        return NEVER;
    if (d->done == d->n_cta) {
        d->running = false;
        engine_stop(c->eng);
        return NEVER;
    }
    if (d->done >= d->pause_at) {
        d->pause_at = NEVER;
        engine_stop(c->eng);
    }
    if (now < d->start_at)
        return d->start_at;
    const uint64_t next = d->next == d->n_cta ? NEVER : d->cluster > 1 ? start_cluster(d, now) : start_ctas(d, now);
    return all ? next : now + 1;
}

struct dispatch *dispatch_new(struct engine *e, const struct device_props *p, uint32_t ctas_per_1000_cycles,
                              uint32_t cluster_latency)
{
    const uint32_t n_sm = p->sm_count;
    struct dispatch *d = arena_alloc64(e->arena, sizeof *d);
    d->n_sm = n_sm;
    d->last = n_sm - 1;
    d->cta_micro = ctas_per_1000_cycles ? 1000 * MICRO / ctas_per_1000_cycles : 0;
    d->resident = arena_alloc(e->arena, n_sm * sizeof *d->resident);
    d->done_in = arena_alloc64(e->arena, n_sm * sizeof *d->done_in);
    d->out = arena_alloc(e->arena, n_sm * sizeof *d->out);
    d->peer_out = arena_alloc(e->arena, n_sm * sizeof *d->peer_out);
    d->sm_of = arena_alloc(e->arena, SM_OF * sizeof *d->sm_of);
    d->n_gpc = p->gpc_count;
    d->latency = cluster_latency;
    d->gpc_first = arena_alloc(e->arena, (d->n_gpc + 1) * sizeof *d->gpc_first);
    for (uint32_t g = 0; g < d->n_gpc; g++)
        d->gpc_first[g + 1] = d->gpc_first[g] + device_gpc_sms(p, g);
    d->comp.tick = tick;
    engine_add(e, &d->comp, CLK_CORE, "dispatcher");
    for (uint32_t i = 0; i < n_sm; i++)
        port_init(&d->done_in[i], e, &d->comp, 2048, 1, "done");
    return d;
}

struct port *dispatch_done_in(struct dispatch *d, uint32_t sm)
{
    return &d->done_in[sm];
}

void dispatch_connect(struct dispatch *d, uint32_t sm, struct port *cta_out, struct port *peer_out)
{
    d->out[sm] = cta_out;
    d->peer_out[sm] = peer_out;
    port_connect(cta_out, &d->comp);
    port_connect(peer_out, &d->comp);
}

void dispatch_set_watch(struct dispatch *d, dispatch_watch *watch, void *ctx)
{
    d->watch = watch;
    d->watch_ctx = ctx;
}

void dispatch_start(struct dispatch *d, uint64_t n_cta, uint32_t cluster, uint32_t per_sm, uint32_t delay)
{
    d->cluster = cluster;
    d->n_cta = n_cta;
    d->per_sm = per_sm;
    d->next = d->done = 0;
    d->pause_at = NEVER;
    d->running = true;
    d->start_at = engine_cycle(d->comp.eng, CLK_CORE) + delay;
    engine_wake(&d->comp, d->start_at);
}

void dispatch_pause(struct dispatch *d, uint64_t ctas)
{
    d->pause_at = ctas;
}

bool dispatch_running(const struct dispatch *d)
{
    return d->running;
}

uint64_t dispatch_next(const struct dispatch *d)
{
    return d->next;
}

void dispatch_skip(struct dispatch *d, uint64_t ctas)
{
    d->next += ctas;
    d->done += ctas;
}
