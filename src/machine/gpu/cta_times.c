/* See cta_times.h. */
#include "gpu/cta_times.h"

#include "base/mem.h"

struct cta_times {
    uint32_t n_sm, every;
    uint64_t seen;
    uint64_t *used; /* by SM: lanes */
    size_t *at;     /* by SM and lane: the CTA that is in it, an index of cta */
    VEC(struct cta_time) cta;
};

struct cta_times *cta_times_new(uint32_t n_sm)
{
    struct cta_times *t = xcalloc(1, sizeof *t);
    t->n_sm = n_sm;
    t->every = 1;
    t->used = xcalloc(n_sm, sizeof *t->used);
    t->at = xcalloc((size_t)n_sm * CTA_LANES, sizeof *t->at);
    return t;
}

void cta_times_free(struct cta_times *t)
{
    if (!t)
        return;
    VEC_FREE(&t->cta);
    free(t->used);
    free(t->at);
    free(t);
}

/* Keeps half of the SMs. */
static void thin(struct cta_times *t)
{
    size_t n = 0;
    t->every *= 2;
    for (size_t i = 0; i < t->cta.n; i++) {
        const struct cta_time c = t->cta.p[i];
        if (c.sm % t->every)
            continue;
        if (c.end == NEVER)
            t->at[c.sm * CTA_LANES + c.lane] = n;
        t->cta.p[n++] = c;
    }
    t->cta.n = n;
}

static void begin(struct cta_times *t, uint32_t launch, uint64_t cta, uint32_t sm, uint64_t cycle)
{
    t->seen++;
    while (t->cta.n == CTA_TIMES && t->every < t->n_sm)
        thin(t);
    if (sm % t->every || t->cta.n == CTA_TIMES || t->used[sm] == UINT64_MAX)
        return;
    const unsigned lane = (unsigned)__builtin_ctzll(~t->used[sm]);
    t->used[sm] |= 1ull << lane;
    t->at[sm * CTA_LANES + lane] = t->cta.n;
    VEC_PUSH(&t->cta, (struct cta_time){cta, cycle, NEVER, launch, (uint16_t)sm, (uint8_t)lane});
}

static void end(struct cta_times *t, uint32_t launch, uint64_t cta, uint32_t sm, uint64_t cycle)
{
    for (uint64_t left = sm % t->every ? 0 : t->used[sm]; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        struct cta_time *c = &t->cta.p[t->at[sm * CTA_LANES + lane]];
        if (c->cta != cta || c->launch != launch)
            continue;
        c->end = cycle;
        t->used[sm] &= ~(1ull << lane);
        return;
    }
}

void cta_times_watch(void *ctx, uint32_t launch, uint64_t cta, uint32_t sm, uint64_t cycle, bool ends)
{
    if (ends)
        end(ctx, launch, cta, sm, cycle);
    else
        begin(ctx, launch, cta, sm, cycle);
}

const struct cta_time *cta_times_all(const struct cta_times *t, size_t *n)
{
    *n = t->cta.n;
    return t->cta.p;
}

uint64_t cta_times_seen(const struct cta_times *t)
{
    return t->seen;
}

uint32_t cta_times_every(const struct cta_times *t)
{
    return t->every;
}
