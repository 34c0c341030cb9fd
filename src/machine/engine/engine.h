/*
 * Time and components.
 *
 * A simulation is a set of components (an SM, its L1 unit, a network, an L2 slice, a DRAM channel), each on one of four
 * clocks. A component sleeps until the cycle it asked for or until a port wakes it; the engine jumps over the time in
 * which no component has work. `tick_all` switches both off: everything is ticked on every edge of its clock. The
 * two must give the same statistics to the bit, which holds because
 *   - a tick that comes early is harmless: a component that finds nothing to do changes no state that statistics see;
 *   - components talk only through ports (port.h): what is sent at one instant is seen strictly later, and a slot that
 *     is freed at one instant can be used strictly later, so the order of ticks within an instant means nothing.
 * For the same reason several host threads may tick the components of one instant (engine_config.threads, crew.h): all
 * that a tick writes beside its component and the component's ends of its ports belongs to the thread (struct worker).
 *
 * Clocks are integers: all periods are whole numbers of one time unit (the least common multiple of the frequencies
 * when that stays small, 1/64 femtosecond otherwise). Logical clocks of equal frequency share one queue.
 *
 * A component is embedded as the first member of its own struct. It gets its memory from the arena before
 * engine_start() and allocates nothing afterward. Nothing here is global: many engines live in one process.
 */
#ifndef WEIR_ENGINE_ENGINE_H
#define WEIR_ENGINE_ENGINE_H

#include "base/err.h"
#include "base/mem.h"
#include "engine/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NEVER UINT64_MAX /* as a cycle: "a port wakes me" */

enum clk { CLK_CORE, CLK_NOC, CLK_L2, CLK_DRAM, CLK_COUNT };

struct engine;
struct waits; /* waits.h */
struct crew;  /* crew.h */
struct port;  /* port.h */
struct wakes; /* crew.c */
struct worker;

struct comp {
    /*
     * Does the work of cycle `now` of the component's own clock and returns the next cycle it wants (> now), or NEVER.
     * Asking for a cycle early costs time only. Messages that arrive by port wake the component by themselves.
     */
    uint64_t (*tick)(struct comp *, uint64_t now);
    /* Brings counters that add intervals up to date: statistics are read next. NULL = none. */
    void (*sync)(struct comp *, uint64_t now);
    /* Tells what the requests it holds wait for (waits.h): the deadlock report. NULL = it holds none. */
    void (*waits)(const struct comp *, struct waits *);
    /* Invariants (conservation); 0, or -1 with *e filled. `drained`: nothing is in flight any more. NULL = none. */
    int (*check)(const struct comp *, bool drained, struct err *e);
    const char *name; /* "sm.3.l1": the prefix of its statistics */
    struct engine *eng;
    struct worker *worker; /* that ticks it, or ticked it last */
    uint16_t id;           /* index in engine.comp */
    uint16_t bit;          /* index within its queue */
    uint8_t clk;           /* enum clk */
    uint8_t queue;
    bool together; /* all components with it set are ticked by one worker, in the order in which they were added */
};

/* Frequencies in kHz, so that 1.15 GHz and 877.5 MHz are whole numbers. */
struct engine_config {
    uint64_t khz[CLK_COUNT];
    bool tick_all;            /* --engine=tick */
    uint64_t deadlock_cycles; /* core cycles without progress, with requests or tasks in flight, before giving up */
    uint32_t max_requests;    /* that can be in flight */
    uint32_t threads;         /* host threads that tick the components of an instant; 0 = 1 */
    bool reverse; /* tick in the opposite order within an instant: for the test that it makes no difference */
};

/* Wake-ups further ahead than this are taken in steps (an early tick is harmless). A power of two. */
#define ENGINE_WHEEL 512

/* The components of one frequency and when they want to run. */
struct engine_queue {
    uint64_t period;  /* time units */
    uint64_t next_at; /* (engine.cyc + 1) * period */
    uint32_t words;   /* 64-bit words per set of components */
    uint32_t n_comp;
    bool any_next;
    uint64_t *next;                   /* the components that run in cycle cyc + 1 */
    uint64_t *now;                    /* those that run in this instant */
    uint64_t *wheel;                  /* ENGINE_WHEEL sets: those that run in cycle c, at c mod ENGINE_WHEEL */
    uint64_t busy[ENGINE_WHEEL / 64]; /* which of them are not empty */
    struct comp **comp;               /* by bit */
};

/*
 * A host thread, and what its ticks write beside the state of the component and its ports. The first is the thread that
 * calls engine_run, the only one unless engine_config.threads says otherwise.
 */
struct worker {
    uint32_t index;
    struct req_pool pool;
    uint64_t progress;   /* counts messages taken; with requests made and retired and the watched counters: progress */
    uint64_t ticks;      /* done: host cost, not a result */
    struct wakes *wakes; /* crew.c: what the present instant's ticks want; NULL = one worker */
} __attribute__((aligned(128)));

struct engine {
    /* What all workers read; it changes between two instants only. */
    uint64_t time;
    uint64_t cyc[CLK_COUNT]; /* by queue: cycles begun at `time`, floor(time / period) */
    struct crew *crew;       /* NULL = one worker, or not started yet */
    struct worker *worker;
    uint32_t n_worker, n_queue;
    bool tick_all;
    bool started;
    /* What the first worker changes while others work. */
    struct engine_queue queue[CLK_COUNT] __attribute__((aligned(128)));
    uint64_t moved;    /* progress when the watch last looked, ... */
    uint64_t moved_at; /* ... in this core cycle */
    uint32_t tasks;    /* work other than requests that must end: CTAs that run */
    VEC(const uint64_t *) watched;
    bool stop; /* atomic */
    uint8_t queue_of[CLK_COUNT];
    struct req_store requests;
    VEC(struct comp *) comp;
    struct arena *arena;
    struct engine_config cfg;
    uint64_t instants;
};

/* The arena holds everything the engine and the components allocate; the engine does not own it. */
struct engine *engine_new(struct arena *, const struct engine_config *, struct err *);
void engine_free(struct engine *); /* before arena_free */
/* Fills in c's bookkeeping. `name` must outlive the engine; the function pointers must be set. Before engine_start. */
void engine_add(struct engine *, struct comp *c, enum clk, const char *name);
/* All components are there: builds the queues. Everyone is ticked in cycle 1 of its clock. */
void engine_start(struct engine *);

enum engine_end {
    ENGINE_STOPPED,  /* someone called engine_stop */
    ENGINE_LIMIT,    /* the core clock reached the given cycle */
    ENGINE_IDLE,     /* no work and no request in flight; the clock is at the limit, if there is one */
    ENGINE_DEADLOCK, /* requests or tasks in flight, but nothing moves */
};
/* Runs until one of the above. Can be called again to continue (not after a deadlock): the watch for progress continues,
 * too.
 */
enum engine_end engine_run(struct engine *, uint64_t core_cycle_limit);
/* Ends engine_run after the current instant is complete. For a component's tick or the caller of engine_run. */
static inline void engine_stop(struct engine *e)
{
    __atomic_store_n(&e->stop, true, __ATOMIC_RELAXED);
}

/* A counter that grows with what no message shows: instructions issued. Read only when the watch looks. Before
 * engine_start. */
void engine_watch(struct engine *, const uint64_t *counter);

void engine_sync(struct engine *); /* calls every comp.sync */
/* waits.c: one screen, the cycle of waits by component and the oldest request in it. After ENGINE_DEADLOCK. */
void engine_report_deadlock(const struct engine *, FILE *);
int engine_check(const struct engine *, bool drained, struct err *); /* every comp.check, then the pool */

/* The cycle of a clock that has begun at the current instant; a component's `now` is that of its own clock. */
static inline uint64_t engine_cycle(const struct engine *e, enum clk c)
{
    return e->cyc[e->queue_of[c]];
}

/* The pool of requests for a component's tick. */
static inline struct req_pool *engine_pool(const struct comp *c)
{
    return &c->worker->pool;
}
uint32_t engine_in_flight(const struct engine *); /* requests; between two instants */
uint64_t engine_ticks(const struct engine *);     /* of components so far */

/* crew.c: at the end of the instant the first worker wakes the component, marks the port. */
void engine_wake_later(struct worker *, struct comp *, uint64_t cycle);
void engine_mark_later(struct worker *, struct port *);

/* As engine_wake, by the worker of another component. */
static inline void engine_wake_from(struct worker *w, struct comp *c, uint64_t cycle)
{
    if (__builtin_expect(w->index, 0)) {
        engine_wake_later(w, c, cycle);
        return;
    }
    struct engine_queue *q = &c->eng->queue[c->queue];
    const uint64_t now = c->eng->cyc[c->queue];
    uint64_t word = c->bit >> 6, bit = 1ull << (c->bit & 63);
    if (cycle <= now + 1) {
        q->next[word] |= bit;
        q->any_next = true;
        return;
    }
    if (cycle - now >= ENGINE_WHEEL) {
        if (cycle == NEVER)
            return;
        cycle = now + ENGINE_WHEEL - 1;
    }
    uint64_t slot = cycle & (ENGINE_WHEEL - 1);
    q->wheel[slot * q->words + word] |= bit;
    q->busy[slot >> 6] |= 1ull << (slot & 63);
}
/*
 * Wakes `c` in cycle `cycle` of its clock; a cycle that is not in the future means the next one. For its own tick, and
 * between two instants.
 */
static inline void engine_wake(struct comp *c, uint64_t cycle)
{
    engine_wake_from(c->worker, c, cycle);
}

/*
 * How many cycles of `to`'s clock begin in the next `cycles` cycles of `from`'s, which has an edge at the present
 * instant. A message that is under way for that long is sent to `to` with port_send_later(..., this).
 */
static inline uint64_t engine_convert(const struct comp *from, uint64_t cycles, const struct comp *to)
{
    if (from->queue == to->queue)
        return cycles;
    const struct engine_queue *f = &from->eng->queue[from->queue], *t = &from->eng->queue[to->queue];
    return (from->eng->cyc[from->queue] + cycles) * f->period / t->period - from->eng->cyc[to->queue];
}

/* The first cycle of c's clock strictly after the current instant. */
static inline uint64_t engine_next_cycle(const struct comp *c)
{
    return c->eng->cyc[c->queue] + 1;
}

#endif
