/*
 * The host's side: which operations are complete when another begins, what copies touch, where memory was allocated.
 *
 * Order among operations is a vector clock per stream and one for the host: operations of a stream are in order, the
 * default stream waits for the others and they for it, events and synchronization carry clocks. The host's own accesses
 * are not seen, nor what happens in parallel within a graph: its nodes count as one operation.
 */
#include "check/state.h"

#include <execinfo.h>
#include <stdio.h>

enum { RANGES = 256 };

/* ---- clocks ---- */

static void join(struct vclock *to, const struct vclock *from)
{
    VEC_RESERVE(&to->v, from->v.n);
    while (to->v.n < from->v.n)
        to->v.p[to->v.n++] = 0;
    for (size_t i = 0; i < from->v.n; i++)
        if (to->v.p[i] < from->v.p[i])
            to->v.p[i] = from->v.p[i];
}

static struct vclock *stream_clock(struct check *c, uint32_t stream)
{
    while (c->stream.n <= stream) {
        VEC_PUSH(&c->stream, (struct vclock){{0}});
        VEC_PUSH(&c->stream_apart, 0);
    }
    return &c->stream.p[stream];
}

void check_stream(struct check *c)
{
    c->several_streams = true;
}

void check_op(struct check *c, uint32_t stream, bool apart, bool barrier)
{
    struct vclock *own = stream_clock(c, stream);
    c->stream_apart.p[stream] = apart;
    c->several_streams |= stream != 0;
    join(own, &c->host);
    for (size_t i = 0; !apart && i < c->stream.n; i++)
        if (i != stream && !c->stream_apart.p[i] && (barrier || i == 0))
            join(own, &c->stream.p[i]);
    while (own->v.n <= stream)
        VEC_PUSH(&own->v, 0);
    c->op_stream = stream;
    c->op_seq = ++own->v.p[stream];
}

void check_host_waits_stream(struct check *c, uint32_t stream)
{
    join(&c->host, stream_clock(c, stream));
}

void check_host_waits_all(struct check *c)
{
    for (size_t i = 0; i < c->stream.n; i++)
        join(&c->host, &c->stream.p[i]);
    c->range.n = 0; /* all of them are over */
}

static struct vclock *event_clock(struct check *c, const void *event, bool make)
{
    for (size_t i = 0; i < c->event.n; i++)
        if (c->event.p[i].event == event)
            return &c->event.p[i].clock;
    if (!make)
        return NULL;
    VEC_PUSH(&c->event, (struct event){.event = event});
    return &c->event.p[c->event.n - 1].clock;
}

void check_event_record(struct check *c, const void *event, uint32_t stream)
{
    struct vclock *e = event_clock(c, event, true);
    e->v.n = 0;
    join(e, stream_clock(c, stream));
}

void check_event_forget(struct check *c, const void *event)
{
    struct vclock *e = event_clock(c, event, false);
    if (!e)
        return;
    const size_t i = (size_t)((char *)e - (char *)&c->event.p[0].clock) / sizeof *c->event.p;
    VEC_FREE(&e->v);
    c->event.p[i] = c->event.p[--c->event.n];
}

void check_host_waits_event(struct check *c, const void *event)
{
    const struct vclock *e = event_clock(c, event, false);
    if (e)
        join(&c->host, e);
}

void check_stream_waits_event(struct check *c, uint32_t stream, const void *event)
{
    const struct vclock *e = event_clock(c, event, false);
    if (e)
        join(stream_clock(c, stream), e);
}

/* Is the launch over for the running operation? */
bool host_ordered(const struct check *c, const struct launch *l)
{
    if (!c->several_streams || l->stream == c->op_stream)
        return true;
    const struct vclock *own = &c->stream.p[c->op_stream];
    return l->stream < own->v.n && own->v.p[l->stream] >= l->seq;
}

struct launch *host_launch(struct check *c)
{
    struct launch *l = xcalloc(1, sizeof *l);
    l->serial = c->next_owner++;
    l->stream = c->op_stream;
    l->seq = c->op_seq;
    VEC_PUSH(&c->launches, l);
    c->overlap.n = 0;
    for (size_t i = 0; i < c->range.n; i++)
        if (!host_ordered(c, c->range.p[i].launch))
            VEC_PUSH(&c->overlap, c->range.p[i]);
    return l;
}

/* ---- allocations ---- */

/* Who calls, but for this function and its own caller. */
static void frames(struct place *p)
{
    enum { OWN_FRAMES = 2 };
    void *frame[17];
    const int n = backtrace(frame, 17);
    for (int i = OWN_FRAMES; i < n && p->n_frame < 6; i++)
        p->frame[p->n_frame++] = frame[i];
}

void check_alloc(struct check *c, uint64_t addr, uint64_t bytes, enum emu_mem_kind kind)
{
    const struct emu_alloc *a = emu_mem_find(c->emu, addr, 1);
    struct place p = {.addr = addr, .bytes = bytes, .serial = a ? a->serial : 0, .live = true, .kind = (uint8_t)kind};
    frames(&p);
    VEC_PUSH(&c->place, p);
    init_set(c, addr, bytes, kind != EMU_MEM_DEVICE && kind != EMU_MEM_HEAP);
}

void check_free(struct check *c, uint64_t addr, uint64_t bytes)
{
    for (size_t i = c->place.n; i-- > 0;)
        if (c->place.p[i].addr == addr && c->place.p[i].live) {
            c->place.p[i].live = false;
            break;
        }
    /* The addresses may be given to somebody else. */
    for (uint64_t at = addr & ~(uint64_t)(PAGE_BYTES - 1); at < addr + bytes; at += PAGE_BYTES) {
        struct page *p = shadow_find(c, at);
        if (p && at >= addr && at + PAGE_BYTES <= addr + bytes)
            page_drop(c, p);
    }
}

const struct place *host_place(const struct check *c, uint64_t addr)
{
    for (size_t i = c->place.n; i-- > 0;)
        if (addr - c->place.p[i].addr < c->place.p[i].bytes)
            return &c->place.p[i];
    return NULL;
}

/* ---- copies and memsets ---- */

/* What the host has waited for is over for all that comes. */
static void forget_ranges(struct check *c)
{
    size_t keep = 0;
    for (size_t i = 0; i < c->range.n; i++) {
        const struct launch *l = c->range.p[i].launch;
        if (l->stream >= c->host.v.n || c->host.v.p[l->stream] < l->seq)
            c->range.p[keep++] = c->range.p[i];
    }
    c->range.n = keep;
}

static void range(struct check *c, uint64_t addr, uint64_t bytes, bool write, const char *call)
{
    if (!c->several_streams || !(c->opts.tools & CHECK_RACE))
        return;
    if (c->range.n >= RANGES)
        forget_ranges(c);
    struct launch *l = host_launch(c);
    l->call = call;
    race_range(c, l, addr, addr + bytes, write);
    VEC_PUSH(&c->range, (struct range_op){l, addr, addr + bytes, write});
}

void check_write(struct check *c, uint64_t addr, uint64_t bytes, const char *call)
{
    range(c, addr, bytes, true, call);
    if (c->opts.tools & CHECK_INIT)
        init_set(c, addr, bytes, true);
}

void check_span(struct check *c, uint64_t addr, uint64_t bytes, const char *call)
{
    range(c, addr, bytes, true, call);
}

static bool written(const struct check *c, uint64_t addr)
{
    const struct page *p = shadow_find(c, addr);
    return p && p->init[addr % PAGE_BYTES / 64] >> addr % 64 & 1;
}

void check_read(struct check *c, uint64_t addr, uint64_t bytes, const char *call)
{
    range(c, addr, bytes, false, call);
    if (!(c->opts.tools & CHECK_INIT))
        return;
    const struct emu_alloc *a = emu_mem_find(c->emu, addr, 1);
    if (!a || a->kind != EMU_MEM_DEVICE)
        return;
    uint64_t missing = 0, first = 0;
    for (uint64_t b = addr; b < addr + bytes;) {
        const struct page *p = shadow_find(c, b);
        if (b % 64 == 0 && addr + bytes - b >= 64 && p && p->init[b % PAGE_BYTES / 64] == ~0ull) {
            b += 64;
            continue;
        }
        if (!written(c, b)) {
            first = missing ? first : b;
            missing++;
        }
        b++;
    }
    struct finding *f;
    if (!missing || !finding_new(c, UNINIT_HOST, (uintptr_t)call, a->serial, 0, &f))
        return;
    f->space = PTX_S_GLOBAL;
    f->addr = first;
    f->a = (struct end){.what = call};
    f->where = finding_where(c, PTX_S_GLOBAL, first);
    f->text =
        xasprintf("%llu of the %llu bytes were never written", (unsigned long long)missing, (unsigned long long)bytes);
    f->severity = WARNING; /* the host may never look at them */
    f->advice = xasprintf("copy what the kernels have written, or cudaMemset() the memory first");
    finding_done(c, f);
}

void host_define(struct check *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (!from) {
        init_set(c, to, bytes, true);
        return;
    }
    for (uint64_t i = 0; i < bytes;) {
        const struct page *p = shadow_find(c, from + i);
        const uint64_t in_page = PAGE_BYTES - (from + i) % PAGE_BYTES, n = in_page < bytes - i ? in_page : bytes - i;
        bool all = p != NULL;
        for (uint64_t k = 0; all && k < n; k++)
            all = written(c, from + i + k);
        if (all)
            init_set(c, to + i, n, true);
        else
            for (uint64_t k = 0; k < n; k++)
                init_set(c, to + i + k, 1, written(c, from + i + k));
        i += n;
    }
}

void check_copy(struct check *c, uint64_t to, uint64_t from, uint64_t bytes, const char *call)
{
    range(c, from, bytes, false, call);
    range(c, to, bytes, true, call);
    if (c->opts.tools & CHECK_INIT)
        host_define(c, to, from, bytes);
}

/* ---- faults and leaks ---- */

void check_fault(struct check *c, const struct emu_fault *x)
{
    struct finding *f;
    const bool fatal = x->kind != EMU_FAULT_UNDEFINED;
    const enum class class = !fatal                                                          ? UNDEFINED
                             : x->kind == EMU_FAULT_BARRIER || x->kind == EMU_FAULT_DEADLOCK ? BARRIER
                                                                                             : MEMORY;
    if (!fatal && !(c->opts.tools & CHECK_SYNC))
        return;
    if (!finding_new(c, class, x->kind, x->ptx_line, x->src_line, &f))
        return;
    f->a = (struct end){.line = x->src_line ? x->src_line : x->ptx_line, .has_thread = x->has_thread};
    VEC_PUSH(&c->kept, xstrdup(x->kernel));
    f->a.kernel = c->kept.p[c->kept.n - 1];
    VEC_PUSH(&c->kept, xstrdup(x->src_line ? x->src_file : x->ptx_file));
    f->a.file = c->kept.p[c->kept.n - 1];
    snprintf(f->a.inst, sizeof f->a.inst, "%.47s", x->inst);
    memcpy(f->a.cta, x->cta, sizeof x->cta);
    memcpy(f->a.thread, x->thread, sizeof x->thread);
    f->text = xstrdup(x->text);
    finding_done(c, f);
}

void check_call(struct check *c, const char *text)
{
    struct place p = {.n_frame = 0};
    struct finding *f;
    char by[256];
    frames(&p);
    if (!(c->opts.tools & CHECK_MEM) || !finding_new(c, MEMORY, (uintptr_t)place_frame(&p), 1, 0, &f))
        return;
    place_text(&p, by, sizeof by);
    f->text = *by ? xasprintf("%s; called at %s", text, by) : xstrdup(text);
    finding_done(c, f);
}

void check_left(struct check *c, const char *what, unsigned n)
{
    struct finding *f;
    if (!n || !(c->opts.tools & CHECK_LEAK) || !finding_new(c, LEAK, (uintptr_t)what, 0, 0, &f))
        return;
    f->text = xasprintf("%u %s%s never destroyed", n, what, n == 1 ? " was" : "s were");
    finding_done(c, f);
}

void host_free(struct check *c)
{
    for (size_t i = 0; i < c->stream.n; i++)
        VEC_FREE(&c->stream.p[i].v);
    for (size_t i = 0; i < c->event.n; i++)
        VEC_FREE(&c->event.p[i].clock.v);
    VEC_FREE(&c->stream);
    VEC_FREE(&c->stream_apart);
    VEC_FREE(&c->event);
    VEC_FREE(&c->host.v);
    VEC_FREE(&c->range);
    VEC_FREE(&c->overlap);
    VEC_FREE(&c->place);
}
