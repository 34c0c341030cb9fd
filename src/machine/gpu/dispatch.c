/* The CTA dispatcher; see dispatch.h. */
#include "gpu/dispatch.h"

#include "base/mem.h"

#define MICRO 1000000ull

struct dispatch {
    struct comp comp;
    uint32_t n_sm, per_sm, last; /* last: the SM that got a CTA last */
    uint64_t n_cta, next, done, start_at;
    uint64_t cta_micro, free_micro; /* of a cycle: between two CTAs, 0 = nothing; when the next may start */
    bool running;
    uint32_t *resident;
    struct port *done_in;
    struct port **out;
};

static uint64_t tick(struct comp *c, uint64_t now)
{
    struct dispatch *d = (struct dispatch *)c;
    for (uint32_t i = 0; i < d->n_sm; i++)
        while (port_peek(&d->done_in[i], now)) {
            port_pop(&d->done_in[i]);
            d->resident[i]--;
            d->done++;
            c->eng->tasks--;
        }
    if (!d->running)
        return NEVER;
    if (d->done == d->n_cta) {
        d->running = false;
        engine_stop(c->eng);
        return NEVER;
    }
    if (now < d->start_at)
        return d->start_at;
    bool more = false;
    uint32_t sm = d->last;
    for (uint32_t k = 0; k < d->n_sm && d->next < d->n_cta; k++) {
        sm = sm + 1 == d->n_sm ? 0 : sm + 1;
        if (d->resident[sm] == d->per_sm)
            continue;
        if (d->cta_micro) {
            if (d->free_micro >= (now + 1) * MICRO)
                return d->free_micro / MICRO;
            d->free_micro = (d->free_micro > now * MICRO ? d->free_micro : now * MICRO) + d->cta_micro;
        }
        port_send(d->out[sm], (req_id)d->next, (uint32_t)(d->next >> 32));
        d->next++;
        d->last = sm;
        c->eng->tasks++;
        more |= ++d->resident[sm] < d->per_sm;
    }
    return more && d->next < d->n_cta ? now + 1 : NEVER;
}

struct dispatch *dispatch_new(struct engine *e, uint32_t n_sm, uint32_t ctas_per_1000_cycles)
{
    struct dispatch *d = arena_alloc64(e->arena, sizeof *d);
    d->n_sm = n_sm;
    d->last = n_sm - 1;
    d->cta_micro = ctas_per_1000_cycles ? 1000 * MICRO / ctas_per_1000_cycles : 0;
    d->resident = arena_alloc(e->arena, n_sm * sizeof *d->resident);
    d->done_in = arena_alloc64(e->arena, n_sm * sizeof *d->done_in);
    d->out = arena_alloc(e->arena, n_sm * sizeof *d->out);
    d->comp.tick = tick;
    engine_add(e, &d->comp, CLK_CORE, "dispatcher");
    for (uint32_t i = 0; i < n_sm; i++)
        port_init(&d->done_in[i], e, &d->comp, 64, 1, "done");
    return d;
}

struct port *dispatch_done_in(struct dispatch *d, uint32_t sm)
{
    return &d->done_in[sm];
}

void dispatch_connect(struct dispatch *d, uint32_t sm, struct port *cta_out)
{
    d->out[sm] = cta_out;
    port_connect(cta_out, &d->comp);
}

void dispatch_start(struct dispatch *d, uint64_t n_cta, uint32_t per_sm, uint32_t delay)
{
    d->n_cta = n_cta;
    d->per_sm = per_sm;
    d->next = d->done = 0;
    d->running = true;
    d->start_at = engine_cycle(d->comp.eng, CLK_CORE) + delay;
    engine_wake(&d->comp, d->start_at);
}
