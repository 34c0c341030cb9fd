/*
 * The threads, the chunks and the barrier; see crew.h.
 *
 * The gate is a number that is odd while an instant's chunks may be taken. A worker says that it is inside before it looks
 * at the gate a second time, and the first worker looks whether any is inside after it has closed the gate; so it never goes
 * on while another ticks. A cursor carries the gate's number, so nobody resets it: with an old number it stands before the
 * hand's first chunk.
 *
 * Wake-ups of all workers but the first are collected apart, and the first enters them in the queues when the instant is
 * over, because the threads would otherwise write to the same few words; and so are the marks of ports.
 *
 * Where the host does not run a thread, the first worker takes its chunks, or waits for the one in its hands. After that it
 * works alone for a while, longer each time that it happens again.
 *
 * Waiting threads spin, because an instant takes microseconds, and sleep when nothing has come for longer; with more
 * threads than processors they sleep soon.
 */
#include "engine/crew.h"

#include "engine/port.h"

#include "base/clock.h"
#include "base/out_of_memory.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SPINS = 4000,       /* until a waiting thread sleeps */
    SPINS_CROWDED = 50, /* the same with more threads than processors */
    LATE_NS = 500000,   /* a thread that lets the first worker wait for longer does not run */
    ALONE_LEAST = 64,   /* instants that it works alone then: at first, and at most */
    ALONE_MOST = 8192,
    GRACE = 300,  /* spins until the first worker takes the chunks of others */
    SAMPLE = 32,  /* one of so many instants is measured */
    BALANCE = 64, /* measured instants between two looks at the shares */
    LEAST = 24    /* sum of weights of the components of an instant that is worth it */
};
/* What ticks cost, roughly: a network has the work of many SMs. */
static const uint32_t weight[CLK_COUNT] = {[CLK_CORE] = 2, [CLK_NOC] = 12, [CLK_L2] = 2, [CLK_DRAM] = 1};

/* Wake-ups and marks of one worker in one instant. `next` is as in the queues, by queue. */
struct wakes {
    uint32_t gate; /* the instant */
    uint32_t n_far, far_cap, n_marked, marked_cap;
    uint32_t *far; /* wheel slot << 18 | queue << 16 | bit */
    struct port **marked;
    uint64_t *next[CLK_COUNT];
    uint64_t set[];
};
enum { FAR_QUEUE = 16, FAR_SLOT = 18 };
_Static_assert(CLK_COUNT <= 4 && ENGINE_WHEEL <= 1 << 14, "a wake-up is 32 bits");

struct hand {
    _Atomic uint64_t cursor; /* gate << 32 | next chunk */
    atomic_bool inside;
    uint32_t first, end; /* its chunks */
    struct crew *crew;
    struct worker *worker;
    pthread_t thread;
    bool has_thread;
} __attribute__((aligned(128)));

struct crew {
    _Atomic uint32_t gate __attribute__((aligned(128)));
    _Atomic uint32_t asleep __attribute__((aligned(128)));
    atomic_bool quit;
    /* read by all */
    uint32_t n, spins;
    bool measures;
    struct engine *eng;
    struct comp **comp;
    struct place {
        uint16_t bit;
        uint8_t queue;
    } * place;                      /* of each */
    uint32_t *first;                /* by chunk: its first component, up to that of the next */
    const uint64_t *now[CLK_COUNT]; /* by queue: its set */
    struct hand *hand;
    uint64_t clock_ns; /* what reading the clock takes */
    /* of the first worker */
    uint32_t n_comp __attribute__((aligned(128))), n_chunk;
    uint32_t instants, measured;
    uint32_t alone, alone_next;     /* instants to work alone, now and next time */
    uint64_t *cost_ns;              /* by chunk, of measured instants */
    uint32_t *bound, *bound_before; /* of the hands' parts; balance() */
    uint64_t closed_at;             /* when the measured instant ended, until the next begins */
    uint64_t alone_ns;              /* what the first worker does between them */
};

static inline void spin(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Zeroed, and on cache lines of its own: the arena is sealed when a machine runs for the first time. */
static void *alloc_apart(size_t bytes)
{
    const size_t lines = (bytes + 127) & ~(size_t)127;
    void *p = aligned_alloc(128, lines);
    if (!p)
        out_of_memory(lines);
    return memset(p, 0, lines);
}

/* ---- wake-ups ---- */

void engine_wake_later(struct worker *me, struct comp *c, uint64_t cycle)
{
    struct wakes *w = me->wakes;
    const uint64_t now = c->eng->cyc[c->queue];
    if (cycle <= now + 1) {
        w->next[c->queue][c->bit >> 6] |= 1ull << (c->bit & 63);
        return;
    }
    if (cycle == NEVER)
        return;
    if (cycle - now >= ENGINE_WHEEL)
        cycle = now + ENGINE_WHEEL - 1;
    if (w->n_far == w->far_cap) {
        w->far_cap = w->far_cap ? 2 * w->far_cap : 1024;
        w->far = xrealloc(w->far, w->far_cap * sizeof *w->far);
    }
    w->far[w->n_far++] = (uint32_t)(cycle & (ENGINE_WHEEL - 1)) << FAR_SLOT | (uint32_t)c->queue << FAR_QUEUE | c->bit;
}

void engine_mark_later(struct worker *me, struct port *p)
{
    struct wakes *w = me->wakes;
    if (w->n_marked == w->marked_cap) {
        w->marked_cap = w->marked_cap ? 2 * w->marked_cap : 256;
        w->marked = xrealloc(w->marked, w->marked_cap * sizeof(struct port *));
    }
    w->marked[w->n_marked++] = p;
}

static void set_marks(struct wakes *w)
{
    for (uint32_t i = 0; i < w->n_marked; i++)
        *w->marked[i]->mark |= w->marked[i]->mark_bit;
    w->n_marked = 0;
}

/* Enters them in the queues. */
static void enter_wakes(struct engine *e, const struct wakes *w)
{
    for (unsigned i = 0; i < e->n_queue; i++) {
        struct engine_queue *q = &e->queue[i];
        for (uint32_t k = 0; k < q->words; k++)
            if (w->next[i][k]) {
                q->next[k] |= w->next[i][k];
                q->any_next = true;
            }
    }
    for (uint32_t i = 0; i < w->n_far; i++) {
        const uint32_t slot = w->far[i] >> FAR_SLOT, bit = w->far[i] & 0xffff;
        struct engine_queue *q = &e->queue[w->far[i] >> FAR_QUEUE & 3];
        q->wheel[slot * q->words + (bit >> 6)] |= 1ull << (bit & 63);
        q->busy[slot >> 6] |= 1ull << (slot & 63);
    }
}

static struct wakes *wakes_new(const struct engine *e)
{
    uint32_t words = 0;
    for (unsigned i = 0; i < e->n_queue; i++)
        words += e->queue[i].words;
    struct wakes *w = alloc_apart(sizeof *w + words * sizeof *w->set);
    words = 0;
    for (unsigned i = 0; i < e->n_queue; i++) {
        w->next[i] = w->set + words;
        words += e->queue[i].words;
    }
    return w;
}

static void wakes_begin(struct wakes *w, const struct engine *e, uint32_t gate)
{
    w->gate = gate;
    w->n_far = 0;
    for (unsigned i = 0; i < e->n_queue; i++)
        memset(w->next[i], 0, e->queue[i].words * sizeof *w->set);
}

/* ---- the chunks ---- */

static void tick_chunk(const struct crew *w, struct worker *me, uint32_t chunk)
{
    const struct engine *e = w->eng;
    const uint64_t began_ns = w->measures ? clock_ns() : 0;
    for (uint32_t i = w->first[chunk]; i < w->first[chunk + 1]; i++) {
        const struct place at = w->place[i];
        if (!(w->now[at.queue][at.bit >> 6] >> (at.bit & 63) & 1))
            continue;
        struct comp *c = w->comp[i];
        c->worker = me;
        me->ticks++;
        const uint64_t want = c->tick(c, e->cyc[c->queue]);
        if (want != NEVER)
            engine_wake(c, want);
    }
    if (w->measures) {
        const uint64_t ns = clock_ns() - began_ns;
        w->cost_ns[chunk] += ns > w->clock_ns ? ns - w->clock_ns : 0;
    }
}

/* The next `most` chunks of a hand, or what it has left: [*from, *to). */
static bool take(struct hand *h, uint32_t gate, uint32_t most, uint32_t *from, uint32_t *to)
{
    uint64_t at = atomic_load_explicit(&h->cursor, memory_order_relaxed);
    do {
        *from = at >> 32 == gate ? (uint32_t)at : h->first;
        if (*from == h->end)
            return false;
        *to = h->end - *from > most ? *from + most : h->end;
    } while (!atomic_compare_exchange_weak_explicit(&h->cursor, &at, (uint64_t)gate << 32 | *to, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void tick_chunks(const struct crew *w, struct hand *of, struct worker *me, uint32_t gate)
{
    const uint32_t most = of->worker == me ? (of->end - of->first) / 4 + 1 : 1;
    for (uint32_t chunk, to; take(of, gate, most, &chunk, &to);)
        for (; chunk < to; chunk++)
            tick_chunk(w, me, chunk);
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
        if (atomic_load(&w->gate) == gate) {
            wakes_begin(h->worker->wakes, w->eng, gate);
            tick_chunks(w, h, h->worker, gate);
        }
        atomic_store_explicit(&h->inside, false, memory_order_release);
    }
}

static void open_gate(struct crew *w, uint32_t gate)
{
    atomic_store(&w->gate, gate);
    if (atomic_load(&w->asleep))
        futex(&w->gate, FUTEX_WAKE, INT_MAX);
}

static bool has_chunks(struct hand *h, uint32_t gate)
{
    const uint64_t at = atomic_load_explicit(&h->cursor, memory_order_relaxed);
    return h->first != h->end && (at >> 32 != gate || (uint32_t)at < h->end);
}

/* Waits for the others, and takes the chunks of those that do not come. Returns whether some have not even begun. */
static bool help_out(struct crew *w, uint32_t gate)
{
    uint32_t spins = 0;
    bool late = false;
    for (uint32_t i = 1; i < w->n; i++) {
        while (has_chunks(&w->hand[i], gate) && spins++ < GRACE)
            spin();
        late |= has_chunks(&w->hand[i], gate) && atomic_load(&w->hand[i].cursor) >> 32 != gate;
        tick_chunks(w, &w->hand[i], w->hand->worker, gate);
    }
    return late;
}

static void wait_for_hands(struct crew *w, bool late)
{
    uint64_t since_ns = 0;
    for (uint32_t i = 1, spins = 0; i < w->n; i++)
        while (atomic_load(&w->hand[i].inside))
            if (++spins < SPINS) {
                spin();
            } else {
                since_ns = since_ns ? since_ns : clock_ns();
                sched_yield();
            }
    if (late || (since_ns && clock_ns() - since_ns > LATE_NS)) {
        w->alone = w->alone_next;
        w->alone_next = 2 * w->alone_next < ALONE_MOST ? 2 * w->alone_next : ALONE_MOST;
    } else if (w->alone_next > ALONE_LEAST) {
        w->alone_next--;
    }
}

/* ---- equal shares ---- */

/* The most that a hand has to do if hand i gets the chunks from bound[i] to bound[i + 1]. */
static uint64_t longest(const struct crew *w, const uint32_t *bound)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t sum = i ? 0 : w->alone_ns;
        for (uint32_t k = bound[i]; k < bound[i + 1]; k++)
            sum += w->cost_ns[k];
        most = sum > most ? sum : most;
    }
    return most;
}

/* Cuts the row of chunks into parts of equal cost, where that makes the longest part shorter by more than a 32nd. */
static void balance(struct crew *w)
{
    uint64_t all = w->alone_ns, sum = w->alone_ns;
    for (uint32_t i = 0; i < w->n_chunk; i++)
        all += w->cost_ns[i];
    uint32_t hand = 0;
    w->bound[0] = 0;
    for (uint32_t i = 0; i < w->n_chunk; i++) {
        sum += w->cost_ns[i];
        while (hand + 1 < w->n && (sum - w->cost_ns[i] / 2) * w->n >= all * (hand + 1))
            w->bound[++hand] = i;
    }
    while (hand < w->n)
        w->bound[++hand] = w->n_chunk;
    for (uint32_t i = 0; i <= w->n; i++)
        w->bound_before[i] = i < w->n ? w->hand[i].first : w->n_chunk;
    const uint64_t before = longest(w, w->bound_before);
    if (longest(w, w->bound) + before / 32 < before)
        for (uint32_t i = 0; i < w->n; i++) {
            w->hand[i].first = w->bound[i];
            w->hand[i].end = w->bound[i + 1];
        }
    for (uint32_t i = 0; i < w->n_chunk; i++)
        w->cost_ns[i] /= 2;
    w->alone_ns /= 2;
}

/* Before an instant: whether it is measured. */
static void begin_measure(struct crew *w)
{
    if (w->closed_at)
        w->alone_ns += clock_ns() - w->closed_at;
    w->closed_at = 0;
    const bool measures = ++w->instants % SAMPLE == 0;
    if (w->measures != measures)
        w->measures = measures;
}

static void end_measure(struct crew *w)
{
    if (!w->measures)
        return;
    if (++w->measured % BALANCE == 0)
        balance(w);
    w->closed_at = clock_ns();
}

/* ---- an instant ---- */

static bool is_worth_it(const struct engine *e)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < e->n_queue; i++) {
        const struct engine_queue *q = &e->queue[i];
        for (uint32_t k = 0; k < q->words; k++)
            for (uint64_t left = q->now[k]; left; left &= left - 1) {
                sum += weight[q->comp[k * 64 + (uint32_t)__builtin_ctzll(left)]->clk];
                if (sum >= LEAST)
                    return true;
            }
    }
    return false;
}

bool crew_tick(struct crew *w)
{
    struct engine *e = w->eng;
    set_marks(e->worker->wakes); /* of the instant before, and of what was sent between two runs */
    if (w->alone ? w->alone-- : !is_worth_it(e)) {
        w->closed_at = 0;
        return false;
    }
    begin_measure(w);
    const uint32_t gate = atomic_load_explicit(&w->gate, memory_order_relaxed) + 1;
    open_gate(w, gate);
    tick_chunks(w, w->hand, w->hand->worker, gate);
    const bool late = help_out(w, gate);
    atomic_store(&w->gate, gate + 1);
    wait_for_hands(w, late);
    for (uint32_t i = 1; i < w->n; i++)
        if (e->worker[i].wakes->gate == gate) {
            enter_wakes(e, e->worker[i].wakes);
            set_marks(e->worker[i].wakes);
        }
    for (unsigned i = 0; i < e->n_queue; i++)
        memset(e->queue[i].now, 0, e->queue[i].words * sizeof *e->queue[i].now);
    end_measure(w);
    return true;
}

/* ---- building ---- */

static void end_chunk(struct crew *w)
{
    if (w->n_comp > w->first[w->n_chunk])
        w->first[++w->n_chunk] = w->n_comp;
}

/* Each network is a chunk, and `each` of the others of a clock, in their order: an SM and its L1 are neighbors. */
static void cut(struct crew *w, enum clk clk, uint32_t each)
{
    for (size_t i = 0; i < w->eng->comp.n; i++) {
        struct comp *c = w->eng->comp.p[i];
        if (c->clk != clk || c->together)
            continue;
        w->comp[w->n_comp++] = c;
        if (w->n_comp - w->first[w->n_chunk] == (clk == CLK_NOC ? 1 : each))
            end_chunk(w);
    }
    end_chunk(w);
}

/*
 * The chunks in a row, so that neighbors on a request's path are neighbors in it: what must be ticked together, DRAM and L2,
 * networks, SMs. Each hand has a part of the row, at first of equal weight.
 */
static void share_out(struct crew *w)
{
    static const enum clk order[CLK_COUNT] = {CLK_DRAM, CLK_L2, CLK_NOC, CLK_CORE};
    const uint32_t n = (uint32_t)w->eng->comp.n;
    w->comp = xmalloc((n + 1) * sizeof(struct comp *));
    w->first = xcalloc(n + 2, sizeof *w->first);
    w->cost_ns = xcalloc(n + 1, sizeof *w->cost_ns);
    w->bound = xcalloc(w->n + 1, sizeof *w->bound);
    w->bound_before = xcalloc(w->n + 1, sizeof *w->bound_before);
    for (uint32_t i = 0; i < n; i++)
        if (w->eng->comp.p[i]->together)
            w->comp[w->n_comp++] = w->eng->comp.p[i];
    end_chunk(w);
    for (unsigned k = 0; k < CLK_COUNT; k++)
        cut(w, order[k], 2);
    for (uint32_t i = 0; i < w->n_chunk; i++)
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
            w->cost_ns[i] += 100 * weight[w->comp[k]->clk];
    w->hand->end = w->n_chunk;
    for (uint32_t i = 1; i < w->n; i++)
        w->hand[i].first = w->hand[i].end = w->n_chunk;
    balance(w);
}

/* Signals are for the program's own threads, but those that a thread causes itself. */
static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

struct crew *crew_new(struct engine *e)
{
    struct crew *w = alloc_apart(sizeof *w);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    w->eng = e;
    w->n = e->n_worker;
    w->spins = processors > 0 && (unsigned long)processors < w->n ? SPINS_CROWDED : SPINS;
    w->hand = alloc_apart(w->n * sizeof *w->hand);
    for (uint32_t i = 0; i < w->n; i++) {
        w->hand[i].crew = w;
        w->hand[i].worker = &e->worker[i];
        e->worker[i].wakes = wakes_new(e);
    }
    for (unsigned i = 0; i < e->n_queue; i++)
        w->now[i] = e->queue[i].now;
    w->alone_next = ALONE_LEAST;
    share_out(w);
    w->place = xmalloc((w->n_comp + 1) * sizeof *w->place);
    for (uint32_t i = 0; i < w->n_comp; i++)
        w->place[i] = (struct place){w->comp[i]->bit, w->comp[i]->queue};
    w->clock_ns = UINT64_MAX;
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t begin = clock_ns(), ns = clock_ns() - begin;
        w->clock_ns = ns < w->clock_ns ? ns : w->clock_ns;
    }
    sigset_t before;
    block_signals(&before);
    /* The first worker does the work of those whose thread cannot be started. */
    for (uint32_t i = 1; i < w->n; i++)
        w->hand[i].has_thread = !pthread_create(&w->hand[i].thread, NULL, thread_main, &w->hand[i]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return w;
}

void crew_free(struct crew *w)
{
    if (!w)
        return;
    atomic_store(&w->quit, true);
    open_gate(w, atomic_load(&w->gate) + 2);
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->hand[i].has_thread)
            pthread_join(w->hand[i].thread, NULL);
        free(w->eng->worker[i].wakes->far);
        free(w->eng->worker[i].wakes->marked);
        free(w->eng->worker[i].wakes);
    }
    free(w->hand);
    free(w->comp);
    free(w->place);
    free(w->bound);
    free(w->bound_before);
    free(w->first);
    free(w->cost_ns);
    free(w);
}
