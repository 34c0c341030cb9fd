/*
 * What a program's work depends on, for the machine's time: each event that goes to the sink names the earlier ones
 * that must be done before it begins. The emulator runs everything at once and in order; only time is laid out anew.
 *
 * Rules of CUDA: work of one stream is in order; work in the legacy default stream waits for that of all blocking
 * streams, and theirs for it; a stream waits for a recorded event; nodes of a graph wait for their dependences; what the
 * host submits after it has waited waits, too. The host itself takes no time.
 *
 * A launch with the attribute of programmatic stream serialization, right behind another one in its stream or graph,
 * may begin before that one's end if its kernel can execute griddepcontrol.launch_dependents; without it, CUDA counts
 * the end of each CTA, so there is nothing to overlap. Where the host has waited since, or measured time, or where all
 * work has had to wait for something else, the end of the first has passed.
 *
 * As long as a program has one stream, everything depends on what was before it. The creation of a stream, and the
 * launch of a graph that branches, end that: work before them is done before any work after them.
 *
 * Left out: that several host threads wait each for itself; here a wait holds for all of them.
 */
#include "cudart/runtime.h"

#define NONE UINT64_MAX

static struct {
    const struct stream_sink *to;
    struct stream_sink sink;
    bool on;                     /* the program has had more than one stream */
    bool legacy;                 /* the present work is in the legacy default stream, and not in a graph */
    uint64_t n;                  /* events so far */
    uint64_t floor;              /* the last event that everything after it depends on; NONE = none yet */
    uint64_t seen;               /* the host may have waited for the events before this one */
    uint64_t primary1;           /* the launch that the next one may overlap, plus one; 0 = none */
    uint64_t opened1;            /* order_opened() */
    uint64_t n_own;              /* events of the present operation */
    struct order now;            /* what the present work depends on */
    struct order gone, gone_own; /* last work of streams that were destroyed; of non-blocking ones */
    VEC(struct rt_stream *) stream;
} o = {.floor = NONE};

void order_add(struct order *to, const struct order *from)
{
    for (size_t i = 0; i < from->on.n; i++) {
        size_t k = 0;
        while (k < to->on.n && to->on.p[k] != from->on.p[i])
            k++;
        if (k == to->on.n)
            VEC_PUSH(&to->on, from->on.p[i]);
    }
}

static void set_one(struct order *to, uint64_t event)
{
    to->on.n = 0;
    if (event != NONE)
        VEC_PUSH(&to->on, event);
}

static bool is_blocking(const struct rt_stream *s)
{
    return !(s->flags & cudaStreamNonBlocking);
}

/* ---- events on their way to the sink ---- */

static bool all_block(void)
{
    bool yes = !o.gone_own.on.n;
    for (size_t i = 0; i < o.stream.n; i++)
        yes &= is_blocking(o.stream.p[i]);
    return yes;
}

/* All work so far is part of what everything waits for. */
static void clear_last(void)
{
    rt.legacy.last.on.n = o.gone.on.n = o.gone_own.on.n = 0;
    for (size_t i = 0; i < o.stream.n; i++)
        o.stream.p[i]->last.on.n = 0;
}

uint64_t order_opened(void)
{
    return o.opened1;
}

void order_overlap(uint64_t opened)
{
    o.primary1 = opened;
    o.opened1 = o.n_own = 0;
}

/* Whether the launch may begin before its primary's end. The machine of a running program stops at an event that all
 * wait for, unless this is known with the next one. */
static bool is_early(const struct trace_event *ev)
{
    const uint64_t primary = o.primary1 - 1;
    if (!o.primary1 || ev->kind != TRACE_EV_LAUNCH || primary < o.seen)
        return false;
    return primary + 1 == o.n || (ev->ordered && (o.floor == NONE || primary > o.floor));
}

static int on_event(void *ctx, const struct trace_event *given)
{
    struct trace_event ev = *given;
    if (o.on) {
        ev.ordered = o.now.on.n <= TRACE_AFTER_MAX; /* else it waits for everything */
        ev.priority = rt.priority;
        ev.after = o.now.on.p;
        ev.n_after = (uint32_t)o.now.on.n;
        ev.floor |= o.legacy && all_block();
    }
    ev.early = is_early(&ev);
    ev.primary = ev.early ? o.primary1 - 1 : 0;
    if (o.on && ev.floor && ev.kind != TRACE_EV_WAIT) {
        o.floor = o.n;
        clear_last();
    }
    const int status = o.to->event ? o.to->event(ctx, &ev) : 0;
    set_one(&o.now, o.n++);
    o.opened1 = !o.n_own++ && ev.lets_begin ? o.n : 0;
    o.primary1 = 0;
    return status;
}

void order_open(void)
{
    if (!rt.sink)
        return;
    o.to = rt.sink;
    o.sink = *o.to;
    o.sink.event = on_event;
    rt.sink = &o.sink;
}

bool order_is_on(void)
{
    return o.on;
}

void order_turn_on(void)
{
    if (o.on || !rt.sink)
        return;
    o.on = true;
    o.floor = o.n ? o.n - 1 : NONE;
    set_one(&o.now, o.floor);
}

/* ---- streams ---- */

void order_stream_new(struct rt_stream *s)
{
    order_turn_on();
    VEC_PUSH(&o.stream, s);
}

void order_stream_gone(struct rt_stream *s)
{
    order_add(is_blocking(s) ? &o.gone : &o.gone_own, &s->last);
    VEC_FREE(&s->last.on);
    for (size_t i = 0; i < o.stream.n; i++)
        if (o.stream.p[i] == s)
            o.stream.p[i] = o.stream.p[--o.stream.n];
}

void order_forget_streams(void)
{
    o.stream.n = 0;
}

/* What work of the stream waits for, if the host is not asked. */
static void add_last(struct order *to, const struct rt_stream *s)
{
    order_add(to, &s->last);
    if (is_blocking(s))
        order_add(to, &rt.legacy.last);
    if (s != &rt.legacy)
        return;
    order_add(to, &o.gone);
    for (size_t i = 0; i < o.stream.n; i++)
        if (is_blocking(o.stream.p[i]))
            order_add(to, &o.stream.p[i]->last);
}

void order_begin(const struct rt_stream *s, const struct rt_op *op)
{
    rt.priority = (int8_t)s->priority;
    order_overlap(op->kind == OP_KERNEL && op->kernel.early ? s->opened1 : 0);
    if (!o.on)
        return;
    set_one(&o.now, o.floor);
    add_last(&o.now, s);
    o.legacy = s == &rt.legacy && op->kind != OP_GRAPH;
}

void order_end(struct rt_stream *s)
{
    o.legacy = false;
    s->opened1 = o.opened1;
    if (!o.on)
        return;
    s->last.on.n = 0;
    if (o.now.on.n != 1 || o.now.on.p[0] != o.floor)
        order_add(&s->last, &o.now);
    if (s != &rt.legacy)
        return;
    o.gone.on.n = 0; /* what they waited for is part of it */
    for (size_t i = 0; i < o.stream.n; i++)
        if (is_blocking(o.stream.p[i]))
            o.stream.p[i]->last.on.n = 0;
}

/* ---- the host waits ---- */

/* `what` holds more than the floor: the host waits for it, and so does all that it submits from now on. */
static void wait_for(const struct order *what)
{
    bool done = true;
    for (size_t i = 0; i < what->on.n; i++)
        done &= what->on.p[i] == o.floor;
    if (done)
        return;
    struct order before = o.now;
    o.now = (struct order){0};
    set_one(&o.now, o.floor);
    order_add(&o.now, what);
    const uint64_t wait = o.n;
    const struct trace_event ev = {.kind = TRACE_EV_WAIT, .floor = true};
    rt_send_event(&ev);
    o.floor = wait;
    VEC_FREE(&o.now.on);
    o.now = before;
}

void host_waits(struct rt_stream *s)
{
    checking_host_waits(s);
    host_passes_time(s);
}

void host_passes_time(struct rt_stream *s)
{
    o.seen = o.n;
    if (!o.on)
        return;
    struct order what = {0};
    if (s) {
        add_last(&what, s);
    } else {
        add_last(&what, &rt.legacy);
        order_add(&what, &o.gone_own);
        for (size_t i = 0; i < o.stream.n; i++)
            order_add(&what, &o.stream.p[i]->last);
    }
    wait_for(&what);
    VEC_FREE(&what.on);
    if (s)
        s->last.on.n = 0;
    else
        clear_last();
}

void host_waits_event(struct rt_event *ev)
{
    if (rt.check)
        check_host_waits_event(rt.check, ev);
    o.seen = o.n;
    if (!o.on || ev->waited)
        return;
    wait_for(&ev->after);
    ev->waited = true;
}

/* ---- events of the program ---- */

void order_record(struct rt_event *ev)
{
    ev->after.on.n = 0;
    ev->waited = false;
    if (o.on)
        order_add(&ev->after, &o.now);
    else
        set_one(&ev->after, o.n ? o.n - 1 : NONE);
    ev->time_ps = rt.now_ps;
}

void order_wait(struct rt_stream *s, const struct rt_event *ev)
{
    if (s)
        s->opened1 = 0;
    if (o.on)
        order_add(s ? &s->last : &o.now, &ev->after);
}

uint64_t order_event_ps(const struct rt_event *ev)
{
    uint64_t ps = 0;
    for (size_t i = 0; i < ev->after.on.n && timing_on(); i++) {
        const uint64_t done = timing_done_ps(ev->after.on.p[i]);
        ps = done > ps ? done : ps;
    }
    return ps + ev->time_ps;
}

/* ---- graphs ---- */

struct order order_take(void)
{
    const struct order now = o.now;
    o.now = (struct order){0};
    return now;
}

void order_put(struct order now)
{
    VEC_FREE(&o.now.on);
    o.now = now;
}
