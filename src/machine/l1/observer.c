/* The table of copies and the counters of the observer; see observer.h. */
#include "l1/observer.h"

#include "engine/stats.h"

#define NONE UINT32_MAX

/* A line that is in some data cache, or was until this cycle. */
struct copies {
    uint64_t line;
    uint64_t changed;     /* cycle of the last change */
    uint32_t n, n_before; /* copies now, and before cycle `changed` */
    uint32_t next;        /* in its bucket, or among the free ones */
    bool leaving;         /* in the list of those without a copy */
};

static const uint64_t used_bounds[] = {32, 64, 96};

struct l1_observer {
    struct copies *c;
    uint32_t *bucket, bucket_mask, free;
    uint32_t *leaving, n_leaving; /* removed when the cycle is over */
    uint64_t leaving_cycle;
    uint32_t n_sm;
    uint32_t *served, most_served; /* of each home in this kernel */
    uint64_t lines, copies, since; /* current number, and the cycle up to which it has been accumulated */
    /* statistics */
    uint64_t misses, remote_copies, line_cycles, copy_cycles;
    uint64_t used[4];
    uint64_t from_l1, from_home, from_l2;
    uint64_t home_requests, home_max_load;
};

#define S struct l1_observer
static const struct stat_def defs[] = {
    STAT_NAMED(S, misses, "replication.misses", "requests", "load misses"),
    STAT_NAMED(S, remote_copies, "replication.remote_copies", "requests", "of these, with the line in another L1"),
    STAT_QUOTIENT("replication.ratio", "", "l1.replication.remote_copies", "l1.replication.misses",
                  "load misses whose line another L1 has / load misses"),
    STAT_NAMED(S, line_cycles, "copies.line_cycles", "cycles", "cycles that lines were present in any L1"),
    STAT_NAMED(S, copy_cycles, "copies.copy_cycles", "cycles", "the same, counting each copy"),
    STAT_QUOTIENT("copies.per_line", "", "l1.copies.copy_cycles", "l1.copies.line_cycles",
                  "mean number of L1 copies of a cached line, over time"),
    STAT_HISTOGRAM(S, used, "used_bytes", "bytes", used_bounds, "bytes of a line requested by a load, in sectors"),
    STAT_NAMED(S, from_l1, "served_by.own_l1", "requests", "loads and stores answered by the SM's own L1"),
    STAT_NAMED(S, from_home, "served_by.home", "messages", "replies from other SMs' L1s"),
    STAT_NAMED(S, from_l2, "served_by.l2", "messages", "replies from the L2, for this SM or forwarded to another"),
    STAT_NAMED(S, home_requests, "home.requests", "requests", "loads and stores accepted by L1s, local and remote"),
    STAT_NAMED(S, home_max_load, "home.max_load", "requests",
               "number of L1s times the requests of the busiest L1, summed over kernels"),
    STAT_QUOTIENT("home.imbalance", "", "l1.home.max_load", "l1.home.requests",
                  "requests of the busiest L1 / mean requests per L1, over kernels"),
    STAT_END};
#undef S

struct l1_observer *l1_observer_new(struct arena *a, uint32_t n_sm, uint32_t n_line)
{
    struct l1_observer *o = arena_alloc64(a, sizeof *o);
    /* In one cycle every line may leave and as many others arrive. */
    uint32_t cap = 2 * n_line, buckets = 64;
    while (buckets < cap)
        buckets *= 2;
    o->n_sm = n_sm;
    o->c = arena_alloc64(a, cap * sizeof *o->c);
    o->bucket = arena_alloc64(a, buckets * sizeof *o->bucket);
    o->leaving = arena_alloc64(a, cap * sizeof *o->leaving);
    o->served = arena_alloc64(a, n_sm * sizeof *o->served);
    o->bucket_mask = buckets - 1;
    for (uint32_t i = 0; i < buckets; i++)
        o->bucket[i] = NONE;
    for (uint32_t i = 0; i < cap; i++)
        o->c[i].next = i + 1 < cap ? i + 1 : NONE;
    return o;
}

void l1_observer_register_stats(struct l1_observer *o, struct stats *s)
{
    stats_add(s, "l1", defs, o);
}

static uint32_t *bucket_of(struct l1_observer *o, uint64_t line)
{
    return &o->bucket[(uint32_t)(line * 0x9e3779b97f4a7c15ull >> 40) & o->bucket_mask];
}

static uint32_t find(struct l1_observer *o, uint64_t line)
{
    uint32_t i = *bucket_of(o, line);
    while (i != NONE && o->c[i].line != line)
        i = o->c[i].next;
    return i;
}

static void remove_line(struct l1_observer *o, uint32_t i)
{
    uint32_t *link = bucket_of(o, o->c[i].line);
    while (*link != i)
        link = &o->c[*link].next;
    *link = o->c[i].next;
    o->c[i].next = o->free;
    o->free = i;
}

/* A new cycle has begun: lines without a copy are forgotten. */
static void advance(struct l1_observer *o, uint64_t now)
{
    if (o->n_leaving && o->leaving_cycle < now) {
        for (uint32_t k = 0; k < o->n_leaving; k++) {
            struct copies *c = &o->c[o->leaving[k]];
            c->leaving = false;
            if (!c->n)
                remove_line(o, o->leaving[k]);
        }
        o->n_leaving = 0;
    }
    if (now > o->since) {
        o->line_cycles += o->lines * (now - o->since);
        o->copy_cycles += o->copies * (now - o->since);
        o->since = now;
    }
}

void l1_observe_copy(struct l1_observer *o, uint64_t line, bool got, uint64_t now)
{
    advance(o, now);
    uint32_t i = find(o, line);
    if (i == NONE) {
        uint32_t *b = bucket_of(o, line);
        i = o->free;
        o->free = o->c[i].next;
        o->c[i] = (struct copies){.line = line, .changed = now, .next = *b};
        *b = i;
    }
    struct copies *c = &o->c[i];
    if (c->changed != now) {
        c->changed = now;
        c->n_before = c->n;
    }
    o->lines -= c->n > 0;
    o->copies -= c->n;
    c->n = got ? c->n + 1 : c->n - 1;
    o->lines += c->n > 0;
    o->copies += c->n;
    if (!c->n && !c->leaving) {
        c->leaving = true;
        o->leaving[o->n_leaving++] = i;
        o->leaving_cycle = now;
    }
}

void l1_observe_miss(struct l1_observer *o, uint64_t line, uint64_t now)
{
    uint32_t i = find(o, line);
    o->misses++;
    if (i != NONE)
        o->remote_copies += (o->c[i].changed == now ? o->c[i].n_before : o->c[i].n) > 0;
}

void l1_observe_request(struct l1_observer *o, const struct req *r, bool hit)
{
    if (r->kind == REQ_READ) {
        uint32_t sectors = (uint32_t)__builtin_popcount(r->sectors);
        stat_hist_add(o->used, used_bounds, sizeof used_bounds / sizeof *used_bounds, 32 * sectors);
    }
    o->from_l1 += hit;
}

void l1_observe_reply(struct l1_observer *o, bool from_home)
{
    o->from_home += from_home;
    o->from_l2 += !from_home;
}

void l1_observe_home(struct l1_observer *o, uint32_t home)
{
    o->home_requests++;
    if (++o->served[home] > o->most_served) {
        o->most_served++;
        o->home_max_load += o->n_sm;
    }
}

void l1_observe_kernel(struct l1_observer *o)
{
    o->most_served = 0;
    for (uint32_t i = 0; i < o->n_sm; i++)
        o->served[i] = 0;
}

void l1_observe_sync(struct l1_observer *o, uint64_t now)
{
    advance(o, now + 1);
}
