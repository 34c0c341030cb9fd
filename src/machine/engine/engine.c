/*
 * The engine: bitmaps of the components that run next, a wheel of those that run later, jumps over idle time.
 *
 * Each distinct frequency has a queue. Its `next` set holds the components of its next cycle, the wheel those of one of
 * the ENGINE_WHEEL cycles after that. An instant is a point in time at which at least one queue has an edge with work;
 * all edges that fall on it are collected before anybody is ticked, so what a tick asks for lands strictly later.
 * Cost per instant is a few words per queue; cost per sleeping component is nothing.
 */
#include "engine/crew.h"

static uint64_t gcd_u64(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Periods in time units: exact when the least common multiple of the frequencies is small, else 1/64 femtosecond. */
static void choose_periods(const uint64_t *khz, unsigned n, uint64_t *period)
{
    const uint64_t limit = 1ull << 25; /* 2^64 units then last 2^39 cycles: more than anyone will wait for */
    uint64_t g = 0;
    for (unsigned i = 0; i < n; i++)
        g = gcd_u64(g, khz[i]);
    unsigned __int128 lcm = 1;
    bool exact = true;
    for (unsigned i = 0; i < n && exact; i++) {
        uint64_t f = khz[i] / g;
        lcm = lcm / gcd_u64((uint64_t)lcm, f) * f;
        exact = lcm < (unsigned __int128)1 << 56;
    }
    for (unsigned i = 0; i < n && exact; i++)
        exact = (uint64_t)lcm / (khz[i] / g) < limit;
    for (unsigned i = 0; i < n; i++)
        period[i] = exact ? (uint64_t)lcm / (khz[i] / g) : (64000000000000ull + khz[i] / 2) / khz[i];
}

/* Two neighboring cache lines: what different threads write is that far apart. */
static void *alloc128(struct arena *arena, size_t bytes)
{
    return (void *)(((uintptr_t)arena_alloc64(arena, bytes + 64) + 127) & ~(uintptr_t)127);
}

struct engine *engine_new(struct arena *arena, const struct engine_config *cfg, struct err *err)
{
    static const char *const clk_name[CLK_COUNT] = {"core", "noc", "l2", "dram"};
    for (int i = 0; i < CLK_COUNT; i++) {
        if (cfg->khz[i] == 0) {
            err_set(err, "the %s clock has frequency 0", clk_name[i]);
            return NULL;
        }
    }
    struct engine *e = alloc128(arena, sizeof *e);
    e->arena = arena;
    e->cfg = *cfg;
    e->tick_all = cfg->tick_all;
    uint64_t khz[CLK_COUNT] = {0}, period[CLK_COUNT];
    for (int i = 0; i < CLK_COUNT; i++) {
        unsigned q = 0;
        while (q < e->n_queue && khz[q] != cfg->khz[i])
            q++;
        if (q == e->n_queue)
            khz[e->n_queue++] = cfg->khz[i];
        e->queue_of[i] = (uint8_t)q;
    }
    choose_periods(khz, e->n_queue, period);
    for (unsigned i = 0; i < e->n_queue; i++) {
        e->queue[i].period = period[i];
        e->queue[i].next_at = period[i];
    }
    e->n_worker = cfg->threads ? cfg->threads : 1;
    e->worker = alloc128(arena, e->n_worker * sizeof *e->worker);
    req_store_init(&e->requests, arena, cfg->max_requests, e->n_worker);
    for (uint32_t i = 0; i < e->n_worker; i++) {
        e->worker[i].index = i;
        req_pool_init(&e->worker[i].pool, &e->requests, e->n_worker == 1);
    }
    return e;
}

void engine_free(struct engine *e)
{
    if (!e)
        return;
    crew_free(e->crew);
    VEC_FREE(&e->comp);
    VEC_FREE(&e->watched);
}

void engine_add(struct engine *e, struct comp *c, enum clk clk, const char *name)
{
    if (e->started)
        BUG("component %s added after the engine was started", name);
    c->eng = e;
    c->worker = e->worker;
    c->clk = (uint8_t)clk;
    c->queue = e->queue_of[clk];
    c->id = (uint16_t)e->comp.n;
    c->name = name;
    c->bit = (uint16_t)e->queue[c->queue].n_comp++;
    VEC_PUSH(&e->comp, c);
}

void engine_watch(struct engine *e, const uint64_t *counter)
{
    VEC_PUSH(&e->watched, counter);
}

void engine_start(struct engine *e)
{
    for (unsigned i = 0; i < e->n_queue; i++) {
        struct engine_queue *q = &e->queue[i];
        q->words = (q->n_comp + 63) / 64;
        if (q->words == 0)
            q->words = 1;
        q->next = arena_alloc64(e->arena, q->words * 8);
        q->now = arena_alloc64(e->arena, q->words * 8);
        q->wheel = arena_alloc64(e->arena, (size_t)q->words * 8 * ENGINE_WHEEL);
        q->comp = arena_alloc64(e->arena, (q->n_comp + 1) * sizeof *q->comp);
    }
    for (size_t i = 0; i < e->comp.n; i++) {
        struct comp *c = e->comp.p[i];
        e->queue[c->queue].comp[c->bit] = c;
    }
    e->started = true;
    for (size_t i = 0; i < e->comp.n; i++)
        engine_wake(e->comp.p[i], 0);
}

/* The next cycle in which a queue that is at cycle `cyc` has work, or NEVER. */
static uint64_t queue_due(const struct engine_queue *q, uint64_t cyc)
{
    if (q->any_next)
        return cyc + 1;
    uint64_t from = cyc + 1; /* slots [from, from + ENGINE_WHEEL - 1) can be in use */
    uint32_t start = from & (ENGINE_WHEEL - 1);
    for (uint32_t k = 0; k <= ENGINE_WHEEL / 64; k++) {
        uint32_t w = (start / 64 + k) % (ENGINE_WHEEL / 64);
        uint64_t bits = q->busy[w];
        if (k == 0)
            bits &= ~0ull << (start & 63);
        else if (k == ENGINE_WHEEL / 64)
            bits &= ~(~0ull << (start & 63));
        if (bits) {
            uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(bits);
            return from + ((slot - start) & (ENGINE_WHEEL - 1));
        }
    }
    return NEVER;
}

/* Moves the queue's clock to instant t; true when t is one of its edges. */
static inline bool queue_advance(struct engine_queue *q, uint64_t *cyc, uint64_t t)
{
    if (t < q->next_at)
        return false;
    if (t < q->next_at + q->period) {
        ++*cyc;
        q->next_at += q->period;
    } else {
        *cyc = t / q->period;
        q->next_at = (*cyc + 1) * q->period;
    }
    return q->next_at - q->period == t;
}

/* Takes the set of components that run in cycle `cyc`; false when it is empty. */
static bool queue_collect(struct engine_queue *q, uint64_t cyc, uint64_t due, bool all)
{
    if (all) {
        for (uint32_t i = 0; i < q->n_comp; i++)
            q->now[i >> 6] |= 1ull << (i & 63);
    }
    /* `next` was meant for the cycle after the last one seen, which cannot have been jumped over while it had members.
     */
    if (q->any_next) {
        for (uint32_t w = 0; w < q->words; w++) {
            q->now[w] |= q->next[w];
            q->next[w] = 0;
        }
        q->any_next = false;
    } else if (due != cyc && !all) {
        return false;
    }
    uint64_t slot = cyc & (ENGINE_WHEEL - 1);
    if (q->busy[slot >> 6] >> (slot & 63) & 1) {
        q->busy[slot >> 6] &= ~(1ull << (slot & 63));
        uint64_t *set = &q->wheel[slot * q->words];
        for (uint32_t w = 0; w < q->words; w++) {
            q->now[w] |= set[w];
            set[w] = 0;
        }
    }
    return true;
}

static inline uint32_t first_of(uint64_t bits, bool reverse)
{
    return (uint32_t)(reverse ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits));
}

/*
 * The components of a machine do not fit into the host's first-level cache together: while one is ticked, the beginning
 * of the next is fetched, where components have what each tick reads.
 */
static inline void fetch_ahead(const struct comp *c)
{
    for (unsigned line = 0; line < 4; line++)
        __builtin_prefetch((const char *)c + 64 * line);
}

static void queue_tick(struct engine *e, struct engine_queue *q, uint64_t now)
{
    uint64_t ticks = 0;
    for (uint32_t w = 0; w < q->words; w++) {
        uint64_t bits = q->now[w];
        q->now[w] = 0;

        while (bits) {
            const uint32_t bit = first_of(bits, e->cfg.reverse);
            struct comp *c = q->comp[w * 64 + bit];
            bits &= ~(1ull << bit);
            ticks++;
            if (bits)
                fetch_ahead(q->comp[w * 64 + first_of(bits, e->cfg.reverse)]);
            c->worker = e->worker;
            uint64_t want = c->tick(c, now);
            if (want != NEVER)
                engine_wake(c, want);
        }
    }
    e->worker->ticks += ticks;
}

/* What grows whenever something moves: messages taken, requests made and retired, instructions issued. */
static uint64_t progress_of(const struct engine *e)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < e->n_worker; i++)
        sum += e->worker[i].progress + e->worker[i].pool.created + e->worker[i].pool.retired;
    for (size_t i = 0; i < e->watched.n; i++)
        sum += *e->watched.p[i];
    return sum;
}

uint32_t engine_in_flight(const struct engine *e)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < e->n_worker; i++)
        n += e->worker[i].pool.created - e->worker[i].pool.retired;
    return (uint32_t)n;
}

uint64_t engine_ticks(const struct engine *e)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < e->n_worker; i++)
        n += e->worker[i].ticks;
    return n;
}

static bool in_flight(const struct engine *e)
{
    return e->tasks || engine_in_flight(e);
}

/* Looked at once per deadlock_cycles: true when nothing has moved in between although something is in flight. */
static bool stands_still(struct engine *e, uint64_t core_cycle)
{
    uint64_t now = progress_of(e);
    if (now == e->moved && in_flight(e))
        return true;
    e->moved = now;
    e->moved_at = core_cycle;
    return false;
}

static enum engine_end run(struct engine *e, uint64_t core_cycle_limit)
{
    const uint64_t period = e->queue[e->queue_of[CLK_CORE]].period, *core_cycle = &e->cyc[e->queue_of[CLK_CORE]];
    uint64_t limit = core_cycle_limit > NEVER / period ? NEVER - 1 : core_cycle_limit * period;
    e->stop = false;
    for (;;) {
        uint64_t due[CLK_COUNT], t = NEVER;
        for (unsigned i = 0; i < e->n_queue; i++) {
            struct engine_queue *q = &e->queue[i];
            due[i] = e->tick_all && q->n_comp ? e->cyc[i] + 1 : queue_due(q, e->cyc[i]);
            if (due[i] != NEVER && due[i] * q->period < t)
                t = due[i] * q->period;
        }
        if (t == NEVER && in_flight(e))
            return ENGINE_DEADLOCK;
        if (t == NEVER && limit == NEVER - 1)
            return ENGINE_IDLE;
        if (t == NEVER || t > limit) {
            /* Stands exactly at the limit, whatever the others would do next. */
            e->time = limit > e->time ? limit : e->time;
            for (unsigned i = 0; i < e->n_queue; i++)
                queue_advance(&e->queue[i], &e->cyc[i], e->time);
            return t == NEVER ? ENGINE_IDLE : ENGINE_LIMIT;
        }
        e->time = t;
        e->instants++;
        bool runs[CLK_COUNT];
        for (unsigned i = 0; i < e->n_queue; i++) {
            struct engine_queue *q = &e->queue[i];
            runs[i] = queue_advance(q, &e->cyc[i], t) && queue_collect(q, e->cyc[i], due[i], e->tick_all);
        }
        if (e->crew && crew_tick(e->crew))
            memset(runs, 0, sizeof runs);
        for (unsigned i = 0; i < e->n_queue; i++)
            if (runs[i])
                queue_tick(e, &e->queue[i], e->cyc[i]);
        if (e->stop)
            return ENGINE_STOPPED;
        if (*core_cycle - e->moved_at >= e->cfg.deadlock_cycles && stands_still(e, *core_cycle))
            return ENGINE_DEADLOCK;
    }
}

enum engine_end engine_run(struct engine *e, uint64_t core_cycle_limit)
{
    if (e->n_worker > 1 && !e->crew)
        e->crew = crew_new(e);
    const enum engine_end end = run(e, core_cycle_limit);
    /* What is called between two runs acts for components, too. */
    for (size_t i = 0; i < e->comp.n; i++)
        e->comp.p[i]->worker = e->worker;
    return end;
}

void engine_sync(struct engine *e)
{
    for (size_t i = 0; i < e->comp.n; i++) {
        struct comp *c = e->comp.p[i];
        if (c->sync)
            c->sync(c, e->cyc[c->queue]);
    }
}

int engine_check(const struct engine *e, bool drained, struct err *err)
{
    for (size_t i = 0; i < e->comp.n; i++) {
        const struct comp *c = e->comp.p[i];
        if (c->check && c->check(c, drained, err))
            return -1;
    }
    if (drained && engine_in_flight(e))
        return err_set(err, "%u requests never returned", engine_in_flight(e));
    return 0;
}
