/* Collects the waits of all components and finds the cycle among them; see waits.h. */
#include "engine/waits.h"

#include <stdarg.h>

enum kind { FOR_ROOM, FOR_REQUEST, FOR_COMP, FOR_ELSE };
struct wait {
    const struct comp *who;
    const struct port *at;
    req_id req;
    enum kind kind;
    const struct port *full;
    req_id other;
    const struct comp *comp;
    const char *why;
    uint32_t step; /* of the walk, from 1; 0 = not met */
};

struct waits {
    const struct comp *who;
    VEC(struct wait) all;
    VEC(char *) text;
};

#define NOWHERE       SIZE_MAX
#define SHOWN_AT_MOST 16 /* waits; the report fits on a screen */

static void add(struct waits *w, struct wait x)
{
    x.who = w->who;
    VEC_PUSH(&w->all, x);
}

void waits_for_room(struct waits *w, const struct port *at, req_id req, const struct port *full, const char *why)
{
    add(w, (struct wait){.at = at, .req = req, .kind = FOR_ROOM, .full = full, .why = why});
}
void waits_for_request(struct waits *w, const struct port *at, req_id req, req_id other, const char *why)
{
    add(w, (struct wait){.at = at, .req = req, .kind = FOR_REQUEST, .other = other, .why = why});
}
void waits_for_comp(struct waits *w, const struct port *at, req_id req, const struct comp *other, const char *why)
{
    add(w, (struct wait){.at = at, .req = req, .kind = FOR_COMP, .comp = other, .why = why});
}
void waits_for_else(struct waits *w, const struct port *at, req_id req, const char *why)
{
    add(w, (struct wait){.at = at, .req = req, .kind = FOR_ELSE, .why = why});
}

const char *waits_text(struct waits *w, const char *fmt, ...)
{
    char *text = xmalloc(128);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, 128, fmt, ap);
    va_end(ap);
    VEC_PUSH(&w->text, text);
    return text;
}

static bool in_port(const struct port *p, req_id req)
{
    for (uint32_t i = p->head; i != p->tail; i++)
        if (p->slot[i & p->mask].req == req)
            return true;
    return false;
}

/* The wait of the request itself, or that of the port it is queued in. */
static size_t where_is(const struct waits *w, req_id req)
{
    for (size_t i = 0; i < w->all.n; i++)
        if (w->all.p[i].req == req)
            return i;
    for (size_t i = 0; i < w->all.n; i++)
        if (w->all.p[i].at && in_port(w->all.p[i].at, req))
            return i;
    return NOWHERE;
}

/* The wait that wait i waits for. */
static size_t next_of(const struct waits *w, size_t i)
{
    const struct wait *x = &w->all.p[i];
    if (x->kind == FOR_REQUEST)
        return where_is(w, x->other);
    for (size_t k = 0; k < w->all.n; k++) {
        const struct wait *y = &w->all.p[k];
        if (x->kind == FOR_ROOM ? y->at == x->full : x->kind == FOR_COMP && y->who == x->comp && !y->at && k != i)
            return k;
    }
    return NOWHERE;
}

static size_t oldest(const struct waits *w, const struct req *pool, bool on_walk)
{
    size_t best = NOWHERE;
    for (size_t i = 0; i < w->all.n; i++) {
        const struct wait *x = &w->all.p[i];
        if (x->req == REQ_NONE || (on_walk && !x->step))
            continue;
        if (best == NOWHERE || pool[x->req].created_at < pool[w->all.p[best].req].created_at)
            best = i;
    }
    return best;
}

static void print_request(const struct req *r, FILE *out)
{
    static const char *const kind[REQ_KIND_COUNT] = {[REQ_READ] = "load",
                                                     [REQ_WRITE] = "store",
                                                     [REQ_ATOMIC] = "atomic",
                                                     [REQ_RED] = "reduction",
                                                     [REQ_WRITEBACK] = "write-back"};
    fprintf(out, "%s of line %lx", r->kind < REQ_KIND_COUNT ? kind[r->kind] : "request", (unsigned long)r->addr);
}

static void print_wait(const struct wait *x, const struct req *pool, FILE *out)
{
    fprintf(out, "  %s", x->who->name);
    if (x->at)
        fprintf(out, ", %s", x->at->name);
    fputs(": ", out);
    if (x->req != REQ_NONE) {
        print_request(&pool[x->req], out);
        fputs(" ", out);
    }
    fprintf(out, "waits for %s", x->why);
    if (x->kind == FOR_ROOM)
        fprintf(out, ": room in %s, %s", x->full->consumer->name, x->full->name);
    else if (x->kind == FOR_COMP)
        fprintf(out, ": %s", x->comp->name);
    fputs("\n", out);
}

/* The waits of steps first .. last. */
static void print_steps(const struct waits *w, const struct req *pool, uint32_t first, uint32_t last, FILE *out)
{
    for (uint32_t s = first; s <= last && s < first + SHOWN_AT_MOST; s++)
        for (size_t i = 0; i < w->all.n; i++)
            if (w->all.p[i].step == s)
                print_wait(&w->all.p[i], pool, out);
    if (last - first >= SHOWN_AT_MOST)
        fprintf(out, "  ... and %u more\n", last - first + 1 - SHOWN_AT_MOST);
}

/* Follows the waits from wait i, numbering them. Returns the first step of the cycle; 0 when the walk ends. */
static uint32_t follow(struct waits *w, size_t i, uint32_t *last)
{
    *last = 0;
    for (; i != NOWHERE && !w->all.p[i].step; i = next_of(w, i))
        w->all.p[i].step = ++*last;
    return i == NOWHERE ? 0 : w->all.p[i].step;
}

/* The cycle that the waits of the oldest request lead to, or the chain of them. */
static void report_oldest(struct waits *w, const struct req *pool, size_t start, FILE *out)
{
    uint32_t last, first = follow(w, start, &last);
    fputs(first ? "wait cycle (each waits for the next, the last for the first):\n"
                : "wait chain of the oldest request:\n",
          out);
    for (size_t i = 0; i < w->all.n; i++)
        if (w->all.p[i].step < first)
            w->all.p[i].step = 0; /* the way into the cycle */
    print_steps(w, pool, first ? first : 1, last, out);
    const struct req *r = &pool[w->all.p[oldest(w, pool, true)].req];
    fputs("the oldest request in it: ", out);
    print_request(r, out);
    if (r->origin == REQ_FROM_L2)
        fprintf(out, ", for L2 slice %u", r->slice);
    else
        fprintf(out, ", for SM %u, warp %u, pc %u", r->sm, r->warp, r->pc);
    fprintf(out, ", created in core cycle %lu\n", (unsigned long)r->created_at);
}

void engine_report_deadlock(const struct engine *e, FILE *out)
{
    struct waits w = {0};
    const struct req *pool = e->requests.req;
    for (size_t i = 0; i < e->comp.n; i++) {
        w.who = e->comp.p[i];
        if (w.who->waits)
            w.who->waits(w.who, &w);
    }
    fprintf(out, "core cycle %lu, no progress: %u requests in flight, %u CTAs running\n",
            (unsigned long)engine_cycle(e, CLK_CORE), engine_in_flight(e), e->tasks);
    size_t start = oldest(&w, pool, false);
    if (start != NOWHERE) {
        report_oldest(&w, pool, start, out);
    } else if (w.all.n) {
        fputs("no request waits, but\n", out);
        for (size_t i = 0; i < w.all.n && i < SHOWN_AT_MOST; i++)
            print_wait(&w.all.p[i], pool, out);
        if (w.all.n > SHOWN_AT_MOST)
            fprintf(out, "  ... and %zu more\n", w.all.n - SHOWN_AT_MOST);
    } else {
        fputs("no component holds anything that waits\n", out);
    }
    VEC_FREE_ALL(&w.text);
    VEC_FREE(&w.all);
}
