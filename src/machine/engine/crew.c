/*
 * The threads, the chunks and the barrier; see crew.h.
 *
 * The gate is a number that is odd while an instant's chunks may be taken. A worker says that it is inside before it looks
 * at the gate a second time, and the first worker looks whether any is inside after it has closed the gate; so it never goes
 * on while another ticks. A worker's cursor carries the gate's number, so nobody resets it: with an old number it stands
 * at the worker's first chunk.
 *
 * Waiting threads spin, because an instant takes microseconds, and sleep when nothing has come for longer; with more
 * threads than processors they sleep soon.
 */
#include "engine/crew.h"

#include "base/mem.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LEAST = 8,                       /* components that are worth it */
    SPINS = 4000, SPINS_CROWDED = 50 /* until a thread sleeps */
};

struct hand {
    _Atomic uint64_t cursor; /* gate << 32 | next chunk */
    atomic_bool inside;
    uint32_t first, end; /* its chunks */
    struct crew *crew;
    struct worker *worker;
    pthread_t thread;
} __attribute__((aligned(128)));

struct crew {
    _Atomic uint32_t gate, asleep;
    atomic_bool quit;
    uint32_t n, spins;
    struct engine *eng;
    struct comp **comp;
    uint32_t *chunk; /* where each begins in comp, and where the last ends */
    uint32_t n_comp, n_chunk;
    struct hand *hand;
};

static inline void spin(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* ---- the chunks ---- */

static void tick_chunk(struct crew *w, struct worker *me, uint32_t chunk)
{
    const struct engine *e = w->eng;
    for (uint32_t i = w->chunk[chunk]; i < w->chunk[chunk + 1]; i++) {
        struct comp *c = w->comp[i];
        const struct engine_queue *q = &e->queue[c->queue];
        if (!(q->now[c->bit >> 6] >> (c->bit & 63) & 1))
            continue;
        if (c->worker != me)
            c->worker = me;
        me->ticks++;
        const uint64_t want = c->tick(c, q->cyc);
        if (want != NEVER)
            engine_wake(c, want);
    }
}

/* The next chunk of a hand; false: all are taken. */
static bool take(struct hand *h, uint32_t gate, uint32_t *chunk)
{
    uint64_t at = atomic_load_explicit(&h->cursor, memory_order_relaxed);
    do {
        *chunk = at >> 32 == gate ? (uint32_t)at : h->first;
        if (*chunk == h->end)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&h->cursor, &at, (uint64_t)gate << 32 | (*chunk + 1),
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void tick_chunks(struct crew *w, uint32_t index, uint32_t gate)
{
    for (uint32_t i = 0, from = index; i < w->n; i++, from = from + 1 == w->n ? 0 : from + 1)
        for (uint32_t chunk; take(&w->hand[from], gate, &chunk);)
            tick_chunk(w, w->hand[index].worker, chunk);
}

/* ---- the threads ---- */

static void futex(_Atomic uint32_t *word, int op, uint32_t value)
{
    syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static uint32_t wait_for_gate(struct crew *w, uint32_t seen)
{
    for (;;) {
        for (uint32_t i = 0; i < w->spins; i++) {
            const uint32_t gate = atomic_load(&w->gate);
            if (gate != seen)
                return gate;
            spin();
        }
        atomic_fetch_add(&w->asleep, 1);
        futex(&w->gate, FUTEX_WAIT, seen);
        atomic_fetch_sub(&w->asleep, 1);
    }
}

static void *thread_main(void *arg)
{
    struct hand *h = arg;
    struct crew *w = h->crew;
    for (uint32_t gate = 0;;) {
        gate = wait_for_gate(w, gate);
        if (atomic_load(&w->quit))
            return NULL;
        if (!(gate & 1))
            continue;
        atomic_store(&h->inside, true);
        if (atomic_load(&w->gate) == gate)
            tick_chunks(w, h->worker->index, gate);
        atomic_store_explicit(&h->inside, false, memory_order_release);
    }
}

static void open_gate(struct crew *w, uint32_t gate)
{
    atomic_store(&w->gate, gate);
    if (atomic_load(&w->asleep))
        futex(&w->gate, FUTEX_WAKE, INT_MAX);
}

/* Whether there are components of two workers or more to tick, and enough of them. */
static bool is_worth_it(const struct engine *e)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < e->n_queue; i++)
        for (uint32_t k = 0; k < e->queue[i].words; k++)
            n += (uint32_t)__builtin_popcountll(e->queue[i].now[k]);
    return n >= LEAST;
}

bool crew_tick(struct crew *w)
{
    struct engine *e = w->eng;
    if (!is_worth_it(e))
        return false;
    const uint32_t gate = atomic_load_explicit(&w->gate, memory_order_relaxed) + 1;
    open_gate(w, gate);
    tick_chunks(w, 0, gate);
    atomic_store(&w->gate, gate + 1);
    for (uint32_t i = 1; i < w->n; i++)
        for (uint32_t spins = 0; atomic_load(&w->hand[i].inside);)
            if (++spins < w->spins)
                spin();
            else
                sched_yield();
    for (unsigned i = 0; i < e->n_queue; i++)
        memset(e->queue[i].now, 0, e->queue[i].words * sizeof *e->queue[i].now);
    return true;
}

/* ---- building ---- */

/* Ends the chunk that is being filled, if there is anything in it. */
static void end_chunk(struct crew *w)
{
    if (w->n_comp > w->chunk[w->n_chunk])
        w->chunk[++w->n_chunk] = w->n_comp;
}

static void add(struct crew *w, struct hand *h, struct comp *c)
{
    w->comp[w->n_comp++] = c;
    c->worker = h->worker;
}

/* The hand's part of a clock's components: each network by itself, neighbors of the SMs, every n-th of the others. */
static void add_clock(struct crew *w, struct hand *h, enum clk clk, uint32_t each)
{
    const struct engine *e = w->eng;
    uint32_t of_clock = 0, at = 0;
    for (size_t i = 0; i < e->comp.n; i++)
        of_clock += e->comp.p[i]->clk == clk && !e->comp.p[i]->together;
    for (size_t i = 0; i < e->comp.n; i++) {
        struct comp *c = e->comp.p[i];
        if (c->clk != clk || c->together)
            continue;
        const uint64_t owner = clk == CLK_CORE ? (uint64_t)at * w->n / of_clock : at % w->n;
        at++;
        if (owner != h->worker->index)
            continue;
        add(w, h, c);
        if (w->n_comp - w->chunk[w->n_chunk] == (clk == CLK_NOC ? 1 : each))
            end_chunk(w);
    }
    end_chunk(w);
}

/* The few heavy components, the networks, come first. What must be ticked together is one chunk of the first hand. */
static void share_out(struct crew *w)
{
    static const enum clk order[CLK_COUNT] = {CLK_NOC, CLK_CORE, CLK_L2, CLK_DRAM};
    const struct engine *e = w->eng;
    const uint32_t n = (uint32_t)e->comp.n, fair = n / (8 * w->n), each = fair < 2 ? 2 : fair > 8 ? 8 : fair;
    w->comp = xmalloc((n + 1) * sizeof(struct comp *));
    w->chunk = xcalloc(n + 2, sizeof *w->chunk);
    for (uint32_t h = 0; h < w->n; h++) {
        w->hand[h].first = w->n_chunk;
        for (uint32_t i = 0; i < n && h == 0; i++)
            if (e->comp.p[i]->together)
                add(w, w->hand, e->comp.p[i]);
        end_chunk(w);
        for (unsigned i = 0; i < CLK_COUNT; i++)
            add_clock(w, &w->hand[h], order[i], each);
        w->hand[h].end = w->n_chunk;
    }
}

struct crew *crew_new(struct engine *e)
{
    struct crew *w = xcalloc(1, sizeof *w);
    w->eng = e;
    w->n = e->n_worker;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    w->spins = processors > 0 && (unsigned long)processors < w->n ? SPINS_CROWDED : SPINS;
    if (posix_memalign((void **)&w->hand, 128, w->n * sizeof *w->hand))
        BUG("out of memory");
    memset(w->hand, 0, w->n * sizeof *w->hand);
    for (uint32_t i = 0; i < w->n; i++) {
        w->hand[i].crew = w;
        w->hand[i].worker = &e->worker[i];
    }
    share_out(w);
    /* Signals are for the program's own threads, but those that a thread causes itself. */
    sigset_t none, before;
    sigfillset(&none);
    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&none, own[i]);
    pthread_sigmask(SIG_SETMASK, &none, &before);
    uint32_t started = 1;
    while (started < w->n && !pthread_create(&w->hand[started].thread, NULL, thread_main, &w->hand[started]))
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* Without their threads, the chunks of the others are taken by those that run. */
    for (uint32_t i = started; i < w->n; i++)
        w->hand[i].thread = 0;
    return w;
}

void crew_free(struct crew *w)
{
    if (!w)
        return;
    atomic_store(&w->quit, true);
    open_gate(w, atomic_load(&w->gate) + 2);
    for (uint32_t i = 1; i < w->n; i++)
        if (w->hand[i].thread)
            pthread_join(w->hand[i].thread, NULL);
    free(w->hand);
    free(w->comp);
    free(w->chunk);
    free(w);
}
