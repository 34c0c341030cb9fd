/* Work in simulated time; see work.h. */
#include "gpu/work.h"

#include "gpu/launch.h"
#include "sm/sched/sched.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"

enum { ENGINES = 3 }; /* from the host, to the host, on the device */

struct work {
    uint64_t number;
    struct trace_event event;
    const struct trace_kernel *kernel;
    struct trace_launch launch;
    const struct gpu_source *source;
    uint32_t left;            /* work that it waits for */
    VEC(struct work *) next;  /* work that waits for it */
    VEC(struct work *) early; /* launches that it lets begin; their primary */
    struct work *primary;     /* not done yet; NULL = none */
    bool begun, ended;        /* of a grid; ended: all CTAs have */
    bool let;                 /* what is in `early` no longer waits for it to begin */
    uint64_t end_ps;          /* of a copy on its engine */
    int place;                /* of a grid */
    struct work *behind;      /* in its engine's queue */
};

struct workload {
    VEC(struct work *) all;       /* by number; NULL = done */
    VEC(uint64_t) done_ps;        /* by number */
    VEC(struct work *) ready;     /* in order of number */
    VEC(struct work *) over;      /* done, but not yet taken out */
    struct work *engine[ENGINES]; /* at work; others wait behind it */
    uint64_t n_done, barrier;     /* barrier: the last work that waits for everything before it */
    uint64_t idle_ps;             /* time in which no grid ran */
};

struct workload *workload_new(void)
{
    return xcalloc(1, sizeof(struct workload));
}

static void free_work(struct work *w)
{
    VEC_FREE(&w->next);
    VEC_FREE(&w->early);
    free(w);
}

void workload_free(struct workload *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->all.n; i++)
        if (l->all.p[i])
            free_work(l->all.p[i]);
    VEC_FREE(&l->all);
    VEC_FREE(&l->done_ps);
    VEC_FREE(&l->ready);
    VEC_FREE(&l->over);
    free(l);
}

/* ---- time ---- */

static uint64_t cycles_ns(const struct gpu *g, uint64_t cycles)
{
    return (uint64_t)((unsigned __int128)cycles * 1000000000u / g->clock->core);
}

static uint64_t now_ps(const struct gpu *g)
{
    return cycles_ns(g, engine_cycle(g->eng, CLK_CORE)) * 1000 + g->work->idle_ps;
}

/* The first cycle at which it is at least `ps`, if grids run until then. */
static uint64_t cycle_at(const struct gpu *g, uint64_t ps)
{
    const uint64_t ns = (ps - g->work->idle_ps + 999) / 1000;
    return (uint64_t)(((unsigned __int128)ns * g->clock->core + 999999999u) / 1000000000u);
}

uint64_t gpu_done_ps(const struct gpu *g, uint64_t number)
{
    return number < g->work->done_ps.n ? g->work->done_ps.p[number] : 0;
}

/* ---- what depends on what ---- */

static void make_ready(struct workload *l, struct work *w)
{
    VEC_PUSH(&l->ready, w);
    for (size_t i = l->ready.n - 1; i && l->ready.p[i - 1]->number > w->number; i--) {
        l->ready.p[i] = l->ready.p[i - 1];
        l->ready.p[i - 1] = w;
    }
}

static void depend(const struct gpu *g, struct work *w, uint64_t on)
{
    struct workload *l = g->work;
    struct work *before = on < l->all.n ? l->all.p[on] : NULL;
    if (!before || before == w)
        return;
    w->left++;
    if (w->event.early && w->event.primary == on && !before->begun && !gpu_takes_turns(g)) {
        VEC_PUSH(&before->early, w);
        w->primary = before;
    } else {
        VEC_PUSH(&before->next, w);
    }
}

uint64_t gpu_submit(struct gpu *g, const struct trace_event *ev, const struct trace_kernel *k,
                    const struct trace_launch *launch, const struct gpu_source *source)
{
    struct workload *l = g->work;
    struct work *w = xcalloc(1, sizeof *w);
    w->number = l->all.n;
    w->event = *ev;
    w->event.after = NULL;
    w->kernel = k;
    if (launch)
        w->launch = *launch;
    w->source = source;
    VEC_PUSH(&l->all, w);
    VEC_PUSH(&l->done_ps, 0);
    g->has_streams |= ev->ordered || ev->early;
    if (ev->ordered) {
        for (uint32_t i = 0; i < ev->n_after; i++)
            depend(g, w, ev->after[i]);
    } else {
        for (uint64_t n = l->barrier; n < w->number; n++)
            depend(g, w, n);
        l->barrier = w->number;
    }
    if (!w->left)
        make_ready(l, w);
    return w->number;
}

static void arrive(struct workload *l, struct work *w)
{
    if (!--w->left)
        make_ready(l, w);
}

/* All CTAs have let dependent grids begin, or have ended. */
static void let_begin(struct workload *l, struct work *w)
{
    for (size_t i = 0; i < w->early.n && !w->let; i++)
        arrive(l, w->early.p[i]);
    w->let = true;
}

/* Those that began early have waited for it: their warps, and, where they have ended themselves, what is behind them. */
static void finish(struct gpu *g, struct work *done)
{
    struct workload *l = g->work;
    VEC_PUSH(&l->over, done);
    while (l->over.n) {
        struct work *w = l->over.p[--l->over.n];
        l->all.p[w->number] = NULL;
        l->done_ps.p[w->number] = now_ps(g);
        l->n_done++;
        for (size_t i = 0; i < w->next.n; i++)
            arrive(l, w->next.p[i]);
        let_begin(l, w);
        for (size_t i = 0; i < w->early.n; i++) {
            struct work *e = w->early.p[i];
            e->primary = NULL;
            if (e->ended)
                VEC_PUSH(&l->over, e);
            for (unsigned s = 0; s < g->n_sm && e->begun && !e->ended; s++)
                sm_grid_release(g->sm[s], (unsigned)e->place);
        }
        free_work(w);
    }
}

/* ---- beginnings ---- */

const char *gpu_takes_turns(const struct gpu *g)
{
    if (g->sampling)
        return "a sample is simulated launch by launch";
    if (g->machine->concurrent_kernels == 1)
        return "machine.concurrent_kernels is 1";
    if (g->classify)
        return "the loads are classified launch by launch";
    if (g->hooked)
        return "the machine's policies know one kernel at a time";
    return NULL;
}

static void end_launch(struct gpu *g, struct work *w)
{
    grid_end(g, (unsigned)w->place, true);
    w->source->close(w->source->ctx, w->event.index);
    w->ended = true;
    if (w->primary)
        let_begin(g->work, w);
    else
        finish(g, w);
}

static void depend_on_grids(struct gpu *g, const struct work *w)
{
    if (w->early.n)
        dispatch_watch_lets(g->dispatch, (unsigned)w->place);
    for (unsigned i = 0; i < g->n_sm; i++)
        sm_grid_depend(g->sm[i], (unsigned)w->place, w->early.n, w->primary);
}

static enum gpu_end begin_launch(struct gpu *g, struct work *w, struct err *e)
{
    const struct sm_streams *from = w->source->open(w->source->ctx, w->event.index);
    if (!from)
        return GPU_INTERRUPTED;
    w->place = grid_begin(g, w->kernel, &w->launch, w->event.index, w->event.priority, from, e);
    if (w->place < 0)
        return GPU_FAILED;
    w->begun = true;
    g->grid[w->place].work = w;
    if (!trace_ctas(&w->launch))
        end_launch(g, w);
    else if (w->early.n || w->primary)
        depend_on_grids(g, w);
    return GPU_DONE;
}

static unsigned engine_of(const struct trace_event *ev)
{
    return ev->kind == TRACE_EV_COPY_H2D ? 0 : ev->kind == TRACE_EV_COPY_D2H ? 1 : 2;
}

/* The engine's next copy. */
static void begin_copy(struct gpu *g, struct work *w)
{
    gpu_event(g, &w->event);
    w->end_ps = now_ps(g) + device_copy_ps(&g->props, (enum trace_event_kind)w->event.kind, w->event.bytes);
}

static void begin_event(struct gpu *g, struct work *w)
{
    if (w->event.kind == TRACE_EV_WAIT) {
        finish(g, w);
        return;
    }
    struct work **at = &g->work->engine[engine_of(&w->event)];
    if (!*at)
        begin_copy(g, w);
    while (*at)
        at = &(*at)->behind;
    *at = w;
}

/* Whether there is a place for one more grid. */
static bool has_place(const struct gpu *g)
{
    return g->n_grid < (gpu_takes_turns(g) ? 1 : g->machine->concurrent_kernels);
}

/* Begins what can begin, in order of submission; of launches that wait for a place, those of highest priority first. */
static enum gpu_end begin_ready(struct gpu *g, struct err *e)
{
    struct workload *l = g->work;
    for (;;) {
        size_t best = l->ready.n;
        for (size_t i = 0; i < l->ready.n; i++) {
            const struct trace_event *ev = &l->ready.p[i]->event;
            if (ev->kind != TRACE_EV_LAUNCH) {
                best = i;
                break;
            }
            if (has_place(g) && (best == l->ready.n || ev->priority < l->ready.p[best]->event.priority))
                best = i;
        }
        if (best == l->ready.n)
            return GPU_DONE;
        struct work *w = l->ready.p[best];
        memmove(&l->ready.p[best], &l->ready.p[best + 1], (--l->ready.n - best) * sizeof *l->ready.p);
        if (w->event.kind != TRACE_EV_LAUNCH)
            begin_event(g, w);
        else {
            const enum gpu_end end = begin_launch(g, w, e);
            if (end != GPU_DONE)
                return end;
        }
    }
}

/* ---- ends ---- */

/* The first end of a copy; NEVER: none is at work. */
static uint64_t next_copy_ps(const struct workload *l)
{
    uint64_t ps = NEVER;
    for (unsigned i = 0; i < ENGINES; i++)
        if (l->engine[i] && l->engine[i]->end_ps < ps)
            ps = l->engine[i]->end_ps;
    return ps;
}

static void end_copies(struct gpu *g)
{
    for (unsigned i = 0; i < ENGINES; i++) {
        struct work **at = &g->work->engine[i];
        while (*at && (*at)->end_ps <= now_ps(g)) {
            struct work *w = *at;
            *at = w->behind;
            if (*at)
                begin_copy(g, *at);
            finish(g, w);
        }
    }
}

static void end_grids(struct gpu *g)
{
    for (int place; (place = dispatch_ended(g->dispatch)) >= 0;)
        end_launch(g, g->grid[place].work);
    for (unsigned i = 0; i < SM_GRIDS; i++) {
        struct work *w = g->grid[i].used ? g->grid[i].work : NULL;
        if (w && w->early.n && !w->let && dispatch_lets_begin(g->dispatch, i))
            let_begin(g->work, w);
    }
}

static enum gpu_end give_up(struct gpu *g, enum gpu_end end)
{
    for (unsigned i = 0; i < SM_GRIDS; i++)
        if (g->grid[i].used)
            grid_end(g, i, false);
    return end;
}

static bool is_done(const struct workload *l, uint64_t number)
{
    return number == UINT64_MAX ? l->n_done == l->all.n : number >= l->all.n || !l->all.p[number];
}

enum gpu_end gpu_run_until(struct gpu *g, uint64_t number, struct err *e)
{
    struct workload *l = g->work;
    for (;;) {
        enum gpu_end end = begin_ready(g, e);
        if (end != GPU_DONE)
            return give_up(g, end);
        if (is_done(l, number))
            return GPU_DONE;
        const uint64_t copy_ps = next_copy_ps(l);
        if (g->n_grid) {
            end = gpu_run(g, copy_ps == NEVER ? NEVER : cycle_at(g, copy_ps), e);
            if (end != GPU_DONE)
                return give_up(g, end);
            end_grids(g);
        } else if (copy_ps != NEVER) {
            l->idle_ps += copy_ps - now_ps(g);
        } else {
            BUG("work waits, and nothing is under way");
        }
        end_copies(g);
    }
}
