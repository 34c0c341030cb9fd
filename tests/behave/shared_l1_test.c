/*
 * Shared L1s: every load returns a value that it may return, whatever the organization, through every change of the
 * dynamic ones and across kernels; nothing is lost and nothing deadlocks on any network, however short the queues; both
 * engines agree; and homes, routes and replies are those of the paper.
 *
 * Values. The machine keeps no data, so the test adds it: a store carries a version in req.policy_tag, the L2 keeps each
 * line's (l2.line_metadata) and hands it out, and a management policy of the test keeps it beside each line of the L1s. The L2
 * gives a store the version before it, so the order of a line's versions is known in the end. A load must not return a
 * version older than the last store of its own SM that was acknowledged before the load was made, nor than any store of
 * an earlier kernel. An SM never has a store and another request to the same line in flight together: which of them
 * comes first is the network's affair, and networks deliver in order there (one virtual channel).
 */
#include "l1/l1_priv.h"
#include "shared_machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_SM = 100, LINES = 320, ATOMIC_LINES = 8, VERSIONS = 65536, READS = 1 << 18 };

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull, x ^= x >> 33;
    return x;
}

/* ---- traffic whose values are followed ---- */
struct world {
    uint64_t seed;
    uint64_t made[MAX_SM], quota;    /* requests made by each SM; and how many it makes until this kernel ends */
    uint8_t reading[MAX_SM][LINES];  /* loads in flight */
    uint16_t writing[MAX_SM][LINES]; /* version of the store in flight, or 0 */
    uint16_t own[MAX_SM][LINES];     /* version of the last acknowledged store */
    uint16_t floor[LINES];           /* the version with which the kernel began */
    uint32_t versions;
    uint16_t before[VERSIONS]; /* the version that a store replaced at the L2 */
    uint16_t line_of[VERSIONS];
    struct {
        uint16_t line, got, own, floor;
    } read[READS];
    uint32_t reads;
};

/* Eight sets' worth of lines in each 4 KiB: many homes, few sets, so that lines compete. */
static uint64_t line_addr(uint32_t line)
{
    return (uint64_t)(line / 8) * 4096 + line % 8 * 128;
}
static uint32_t line_at(uint64_t addr)
{
    return (uint32_t)(addr / 4096 * 8 + addr % 4096 / 128);
}

static bool next_shot(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    struct world *w = ctx;
    (void)nth;
    if (w->made[sm] >= w->quota)
        return false;
    uint64_t h = mix(w->seed + sm * 1000003ull + w->made[sm]++ * 7919);
    /* A third of the SMs use few lines, so that dynamic organizations have reasons for either decision. */
    uint32_t span = sm % 3 == 0 ? 24 : LINES - ATOMIC_LINES, line = (uint32_t)(h >> 20) % span;
    bool store = (h & 7) == 0;
    if ((h >> 8 & 31) == 0) {
        s->addr = line_addr(LINES - 1 - line % ATOMIC_LINES);
        s->kind = REQ_ATOMIC;
        return true;
    }
    for (uint32_t tried = 0; w->writing[sm][line] || (store && w->reading[sm][line]); tried++) {
        line = line + 1 == span ? 0 : line + 1;
        store &= tried < span; /* none is free for a store: it becomes a load */
        assert_true(tried < 2 * span);
    }
    s->addr = line_addr(line);
    s->kind = store ? REQ_WRITE : REQ_READ;
    if (store) {
        assert_true(++w->versions < VERSIONS);
        s->policy_tag = w->writing[sm][line] = (uint16_t)w->versions;
        w->line_of[s->policy_tag] = (uint16_t)line;
    } else {
        w->reading[sm][line]++;
    }
    return true;
}

static void landed(void *ctx, uint32_t sm, const struct req *r)
{
    struct world *w = ctx;
    uint32_t line = line_at(r->addr);
    if (r->kind == REQ_WRITE) {
        w->own[sm][line] = w->writing[sm][line];
        w->before[w->own[sm][line]] = r->policy_tag;
        w->writing[sm][line] = 0;
    } else if (r->kind == REQ_READ) {
        w->reading[sm][line]--;
        assert_true(w->reads < READS);
        w->read[w->reads].line = (uint16_t)line;
        w->read[w->reads].got = r->policy_tag;
        w->read[w->reads].own = w->own[sm][line];
        w->read[w->reads++].floor = w->floor[line];
    }
}

/* How many versions of its line came before it; 0 = what was there at first. */
static uint32_t place(const struct world *w, uint32_t version)
{
    uint32_t n = 0;
    for (; version; version = w->before[version])
        n++;
    return n;
}

/* The kernel is over: the last version of each line is the one that no store replaced. */
static void end_kernel(struct world *w)
{
    static bool replaced[VERSIONS];
    memset(replaced, 0, sizeof replaced);
    for (uint32_t v = 1; v <= w->versions; v++)
        replaced[w->before[v]] |= w->before[v] != 0;
    for (uint32_t v = 1; v <= w->versions; v++)
        if (!replaced[v])
            w->floor[w->line_of[v]] = (uint16_t)v;
}

static void check_reads(const struct world *w, const char *what)
{
    static uint32_t at[VERSIONS];
    for (uint32_t v = 1; v <= w->versions; v++)
        at[v] = place(w, v);
    for (uint32_t i = 0; i < w->reads; i++) {
        uint16_t line = w->read[i].line, got = w->read[i].got;
        if (got && w->line_of[got] != line)
            fail_msg("%s: a load of line %u got version %u, of line %u", what, line, got, w->line_of[got]);
        if (at[got] < at[w->read[i].own])
            fail_msg("%s: a load of line %u got version %u (%u), older than the SM's own store %u (%u)", what, line,
                     got, at[got], w->read[i].own, at[w->read[i].own]);
        if (at[got] < at[w->read[i].floor])
            fail_msg("%s: a load of line %u got version %u of an earlier kernel's, %u was the last", what, line, got,
                     w->read[i].floor);
    }
}

/* ---- the L1s' share of the values: a management that decides nothing ---- */
struct values {
    struct l1_host *host;
    uint16_t version[1024], over[1024]; /* of each entry; of a store to it while the line was in flight */
};
static int values_init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)params, (void)e;
    ((struct values *)st)->host = host;
    assert_true(tags_entries(host->tags) <= 1024);
    return 0;
}
static void values_hit(void *st, const struct l1_access *a)
{
    if (!a->pending)
        ((struct req *)a->req)->policy_tag = ((struct values *)st)->version[a->entry];
}
static void values_miss(void *st, const struct l1_access *a, bool allocated)
{
    if (allocated)
        ((struct values *)st)->over[a->entry] = 0;
}
static void values_store(void *st, const struct l1_access *a)
{
    struct values *v = st;
    if (a->entry < 0)
        return;
    if (v->host->tags->pending[a->entry])
        v->over[a->entry] = a->req->policy_tag;
    else
        v->version[a->entry] = a->req->policy_tag;
}
static void values_fill(void *st, const struct req *r, uint32_t entry)
{
    struct values *v = st;
    struct l1 *l1 = v->host->l1;
    const struct mshr *mshr = &l1->cache[L1_DATA]->mshr;
    v->version[entry] = v->over[entry] ? v->over[entry] : r->policy_tag;
    const struct mshr_entry *e = &mshr->e[mshr_find(mshr, v->host->tags->line[entry])];
    for (uint32_t id = e->head; id != MSHR_NONE; id = l1->req[id].next)
        l1->req[id].policy_tag = v->version[entry];
}
static const struct l1_management values = {.info = {.name = "test"},
                                            .state_bytes = sizeof(struct values),
                                            .init = values_init,
                                            .on_hit = values_hit,
                                            .on_miss = values_miss,
                                            .on_store = values_store,
                                            .on_fill = values_fill};

/* ---- tests ---- */
static void values_are_right(void **state)
{
    (void)state;
    static struct world w;
    uint64_t to_shared = 0, to_private = 0, left_over = 0;
    for (unsigned i = 0; i < MACHINES; i++) {
        for (unsigned o = 0; o < ORGANIZATIONS; o++) {
            struct memsys *m = machine(&machines[i], &organizations[o], "size = 4KiB\n", "vcs = 1\n",
                                       (struct memsys_config){.management = &values, .max_outstanding = 24});
            memset(&w, 0, sizeof w);
            w.seed = 77 * (i + 1) + o;
            drive(m, next_shot, &w);
            for (uint32_t s = 0; s < m->c.n_sm; s++)
                m->sm[s].landed = landed;
            for (unsigned kernel = 0; kernel < 3; kernel++) {
                w.quota += 8000 / m->c.n_sm;
                memsys_run(m);
                end_kernel(&w);
                memsys_next_kernel(m);
            }
            char what[100];
            snprintf(what, sizeof what, "%s, %s (%u)", machines[i].name, organizations[o].name, o);
            check_reads(&w, what);
            assert_true(w.reads > 10000 && w.versions > 1000);
            if (!strcmp(organizations[o].name, "dyneb")) {
                to_shared += memsys_stat(m, "dyneb.to_shared");
                to_private += memsys_stat(m, "dyneb.to_private");
            }
            if (o && (i < MESHES || !organizations[o].nearest))
                assert_true(memsys_stat(m, "l1.forwarded") > 100);
            assert_int_equal(memsys_stat(m, "l1.forwarded"), memsys_stat(m, "l1.remote_requests"));
            left_over += memsys_stat(m, "l1.invalidations");
            memsys_free(m);
        }
    }
    /* The changes have happened, in both directions, and stores have met copies that they made stale. */
    assert_true(to_shared > 300 && to_private > 200 && left_over > 100);
}

struct traffic {
    uint64_t seed, n, lines;
};
static bool any_shot(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    const struct traffic *t = ctx;
    if (nth >= t->n)
        return false;
    uint64_t h = mix(t->seed + sm * 1000003ull + nth), k = h >> 40 & 63;
    s->addr = (h % t->lines) * 128;
    s->kind = k < 44 ? REQ_READ : k < 58 ? REQ_WRITE : k < 61 ? REQ_ATOMIC : REQ_RED;
    s->sectors = (uint8_t)(1 + (h >> 32 & 14));
    s->space = k == 40 ? REQ_SP_CONST : k == 41 ? REQ_SP_TEX : k == 42 || k == 57 ? REQ_SP_LOCAL : 0;
    s->flags = k == 43 ? REQ_F_BYPASS : 0;
    return true;
}

/* Nothing has room for more than one or two, everybody sends all the time, and many lines have one home. */
static void full_queues(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        for (unsigned o = 1; o < ORGANIZATIONS; o++) {
            struct traffic t = {i * 31 + o, 1600 / machines[i].n_sm, o & 1 ? 64 : 4096};
            struct memsys *m =
                machine(&machines[i], &organizations[o], "mshrs = 2\nmax_merges = 1\nmiss_queue = 2\nreply_queue = 1\n",
                        "inject_queue = 1\nvc_flits = 1\nvcs = 1\n", (struct memsys_config){.max_outstanding = 64});
            drive(m, any_shot, &t);
            memsys_run(m);
            memsys_free(m);
        }
    }
}

/* A request order in front of the tags goes on when the queue to the homes has room again, though nothing is filled
 * here. */
static void reordered(void **state)
{
    (void)state;
    static const struct organization shared = {"shared", "", false};
    struct memsys *m = machine(&machines[0], &shared, "miss_queue = 2\norder = mrpb\n", "", (struct memsys_config){0});
    struct shot shots[32];
    struct landing at[32];
    for (uint32_t i = 0; i < 32; i++)
        shots[i] = (struct shot){1, 5 * 4096 + i * 128};
    memsys_script(m, 0, shots, 32, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.remote_requests"), 32);
    assert_true(memsys_stat(m, "l1.stall_cycles.miss_queue_full") > 0);
    memsys_free(m);
}

static void same_counters(void **state)
{
    (void)state;
    static const unsigned which[] = {0, 3, 6};
    for (unsigned k = 0; k < 3; k++) {
        const struct machine *x = &machines[which[k]];
        for (unsigned o = 0; o < ORGANIZATIONS; o++) {
            struct traffic t = {o * 13 + k, 250, o & 1 ? 700 : 20000};
            struct memsys *m[3];
            uint64_t cycles[3];
            for (unsigned e = 0; e < 3; e++) {
                m[e] = machine(x, &organizations[o], "observe = yes\n", k == 1 ? "vcs = 2\n" : "",
                               (struct memsys_config){.tick_all = e == 1, .reverse = e == 2});
                drive(m[e], any_shot, &t);
                cycles[e] = memsys_run(m[e]);
            }
            for (unsigned e = 1; e < 3; e++) {
                assert_int_equal(cycles[e], cycles[0]);
                for (unsigned s = 0; s < stats_count(m[0]->stats); s++)
                    if (m[e]->values[s] != m[0]->values[s])
                        fail_msg("%s, %s: %s is %lu, and %lu %s", x->name, organizations[o].name,
                                 stats_name(m[0]->stats, s)->name, (unsigned long)m[0]->values[s],
                                 (unsigned long)m[e]->values[s], e == 1 ? "ticking" : "in reverse");
            }
            for (unsigned e = 0; e < 3; e++)
                memsys_free(m[e]);
        }
    }
}

/* The observer changes nothing, and counts what one can count by hand. */
static void observed(void **state)
{
    (void)state;
    static const struct organization private = {"private", "", false}, shared = {"shared", "", false};
    for (unsigned o = 0; o < 2; o++) {
        struct traffic t = {5, 300, 500};
        struct memsys *seen = machine(&machines[0], o ? &shared : &private, "observe = yes\n", "",
                                      (struct memsys_config){0}),
                      *alone = machine(&machines[0], o ? &shared : &private, "", "", (struct memsys_config){0});
        drive(seen, any_shot, &t);
        drive(alone, any_shot, &t);
        assert_int_equal(memsys_run(seen), memsys_run(alone));
        assert_int_equal(memsys_stat(seen, "noc.flits"), memsys_stat(alone, "noc.flits"));
        uint64_t copies = memsys_stat(seen, "l1.copies.copy_cycles"),
                 lines = memsys_stat(seen, "l1.copies.line_cycles");
        assert_true(lines > 0);
        if (o == 0)
            assert_true(copies > 2 * lines && memsys_stat(seen, "l1.replication.remote_copies") > 1000);
        memsys_free(seen);
        memsys_free(alone);
    }
    /* SM 0 has line 0, SM 1 misses on it; SM 1 stores nothing. Then both have it. */
    struct memsys *m = machine(&machines[0], &private, "observe = yes\n", "", (struct memsys_config){0});
    const struct shot first[] = {{1, 0, .sectors = 1}}, second[] = {{2000, 0, .sectors = 3}, {4000, 0, .sectors = 15}};
    struct landing at[3];
    memsys_script(m, 0, first, 1, at);
    memsys_script(m, 1, second, 2, at + 1);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.replication.misses"), 2);
    assert_int_equal(memsys_stat(m, "l1.replication.remote_copies"), 1);
    assert_int_equal(memsys_stat(m, "l1.used_bytes.le_32"), 1);
    assert_int_equal(memsys_stat(m, "l1.used_bytes.le_64"), 1);
    assert_int_equal(memsys_stat(m, "l1.used_bytes.above_96"), 1);
    assert_int_equal(memsys_stat(m, "l1.served_by.own_l1"), 1);
    assert_int_equal(memsys_stat(m, "l1.served_by.l2"), 2);
    assert_int_equal(memsys_stat(m, "l1.home.requests"), 3);
    assert_int_equal(memsys_stat(m, "l1.home.max_load"), 2 * 28);
    memsys_free(m);
}

static bool global_shot(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    bool more = any_shot(ctx, sm, nth, s);
    s->space = 0;
    s->flags = 0;
    return more;
}

/* One copy of a line across all L1s, in the L1 that the low five bits of its tag name, modulo 28. */
static void one_home(void **state)
{
    (void)state;
    for (unsigned o = 1; o < 5; o++) {
        struct traffic t = {9, 200, 3000};
        struct memsys *m = machine(&machines[0], &organizations[o], "observe = yes\n", "", (struct memsys_config){0});
        drive(m, global_shot, &t);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.copies.copy_cycles"), memsys_stat(m, "l1.copies.line_cycles"));
        assert_int_equal(memsys_stat(m, "l1.replication.remote_copies"), 0);
        uint32_t lines = 0;
        for (uint32_t i = 0; i < 28; i++) {
            const struct tags *x = &m->l1[i]->cache[L1_DATA]->tags;
            for (uint32_t k = 0; k < tags_entries(x); k++) {
                if (x->line[k] == TAG_NONE)
                    continue;
                lines++;
                assert_int_equal((x->line[k] >> 5 & 31) % 28, i);
            }
        }
        assert_true(lines > 1000);
        memsys_free(m);
    }
}

/* A hit in another L1 takes as long as one in the own L1 where the network costs nothing, and longer where it does. */
static void zero_cost(void **state)
{
    (void)state;
    static const struct organization zero = {"zero-cost", "", false}, shared = {"shared", "", false};
    for (unsigned o = 0; o < 2; o++) {
        struct memsys *m = machine(&machines[0], o ? &shared : &zero, "", "", (struct memsys_config){0});
        const struct shot shots[] = {
            {1, addr_of(0, 3)}, {1, addr_of(5, 3)}, {3000, addr_of(0, 3)}, {4000, addr_of(5, 3)}};
        struct landing at[4];
        memsys_script(m, 0, shots, 4, at);
        memsys_run(m);
        uint64_t own = at[2].back - at[2].sent, other = at[3].back - at[3].sent;
        assert_int_equal(own, 35); /* l1.latency */
        assert_int_equal(at[3].served, REQ_AT_REMOTE_L1);
        if (o)
            assert_true(other > own + 10);
        else
            assert_int_equal(other, own);
        memsys_free(m);
    }
}

/* A home's own accesses go first; those that skip its tags, because their home is elsewhere, leave these to other SMs.
 */
static void own_accesses_first(void **state)
{
    (void)state;
    static const struct organization zero = {"zero-cost", "", false};
    enum { STREAM = 40, BEGIN = 3000, LATER = 10, WAY = 3 };
    for (uint32_t home = 0; home < 8; home += 7) {
        struct memsys *m = machine(&machines[0], &zero, "", "", (struct memsys_config){0});
        struct shot own[1 + STREAM] = {{1, addr_of(home, 3)}};
        for (uint32_t i = 0; i < STREAM; i++)
            own[1 + i] = (struct shot){BEGIN + i, addr_of(home, 3)};
        const struct shot other[] = {{1, addr_of(0, 4)}, {BEGIN + LATER, addr_of(0, 4)}};
        struct landing own_at[1 + STREAM], at[2];
        memsys_script(m, 0, own, 1 + STREAM, own_at);
        memsys_script(m, 5, other, 2, at);
        memsys_run(m);
        assert_int_equal(at[1].served, REQ_AT_REMOTE_L1);
        /* It comes to the tags WAY cycles after an access that the home made at the same time. */
        assert_int_equal(at[1].back - at[1].sent, 35 + (home == 0 ? STREAM - LATER - WAY : 0));
        memsys_free(m);
    }
}

/* A home whose own misses wait for an MSHR entry leaves every other one that comes free to another SM. */
static void stalled_gives_way(void **state)
{
    (void)state;
    static const struct organization zero = {"zero-cost", "", false};
    enum { MISSES = 30 };
    struct memsys *m = machine(&machines[0], &zero, "mshrs = 1\n", "", (struct memsys_config){0});
    struct shot own[MISSES];
    for (uint32_t i = 0; i < MISSES; i++)
        own[i] = (struct shot){1 + i, addr_of(0, i)};
    const struct shot other[] = {{100, addr_of(32, 0)}, {101, addr_of(32, 1)}};
    struct landing own_at[MISSES], at[2];
    memsys_script(m, 0, own, MISSES, own_at);
    memsys_script(m, 5, other, 2, at);
    memsys_run(m);
    uint64_t miss = own_at[0].back - own_at[0].sent;
    assert_true(own_at[MISSES - 1].back > (MISSES + 1) * miss / 2);
    assert_true(at[0].back < 100 + 3 * miss);
    assert_true(at[1].back < 100 + 5 * miss);
    memsys_free(m);
}

/* A reply of a home is a line, or what was asked for; what is nearer to the L2 goes there. */
static void chunks_and_hops(void **state)
{
    (void)state;
    static const struct organization shared = {"shared", "", false}, chunk = {"shared+chunk", "", false},
                                     nearest = {"shared++", "", true};
    static const struct organization *const org[] = {&shared, &chunk, &nearest};
    for (unsigned o = 0; o < 3; o++) {
        struct memsys *m =
            machine(&machines[0], org[o], "", "memory_nodes = 3 7 10 12 23 25 28 32\n", (struct memsys_config){0});
        /* SM 0 sits in a corner, SM 27 in the opposite one; homes near and far, one sector of each line. */
        struct shot shots[28];
        struct landing at[28];
        uint64_t to_l2 = 0;
        for (uint32_t i = 0; i < 28; i++) {
            shots[i] = (struct shot){1 + i * 400, addr_of(i, i), .sectors = 2};
            const struct l1_host *h = &m->l1[0]->organization.host;
            to_l2 += i && l1_hops_to_l2(h, addr_of(i, i)) < l1_hops_to_sm(h, i);
        }
        memsys_script(m, 0, shots, 28, at);
        memsys_run(m);
        assert_true(to_l2 > 3 && to_l2 < 24);
        assert_int_equal(memsys_stat(m, "l1.forwarded"), o == 2 ? 27 - to_l2 : 27);
        assert_int_equal(memsys_stat(m, "l1.bypasses"), o == 2 ? to_l2 : 0);
        /* 8 bytes of header and 128 or 32 of data, in flits of 32. */
        assert_int_equal(memsys_stat(m, "noc.from_home.flits"), memsys_stat(m, "l1.forwarded") * (o == 0 ? 5 : 2));
        memsys_free(m);
    }
}

/* Stores go through the home and are acknowledged through it; local memory and atomics do not go there. */
static void stores_and_atomics(void **state)
{
    (void)state;
    static const struct organization shared = {"shared", "", false};
    struct memsys *m = machine(&machines[0], &shared, "", "", (struct memsys_config){0});
    const struct shot shots[] = {{1, addr_of(5, 3)},
                                 {2000, addr_of(5, 3), REQ_WRITE},
                                 {4000, addr_of(6, 3), REQ_ATOMIC},
                                 {6000, addr_of(7, 3), .space = REQ_SP_LOCAL}};
    struct landing at[4];
    memsys_script(m, 0, shots, 4, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.forwarded"), 2);
    assert_int_equal(memsys_stat(m, "l1.store_hits"), 1); /* at the home */
    assert_int_equal(memsys_stat(m, "noc.from_home.packets"), 2);
    assert_int_equal(memsys_stat(m, "l1.atomics"), 1);
    assert_int_equal(memsys_stat(m, "l1.load_misses"), 2);
    memsys_free(m);
}

/* Local and remote misses on one line share an MSHR entry at the home. */
static void merged_at_home(void **state)
{
    (void)state;
    static const struct organization shared = {"shared", "", false};
    struct memsys *m = machine(&machines[0], &shared, "", "", (struct memsys_config){0});
    const struct shot one[] = {{1, addr_of(5, 3)}};
    struct landing at[3];
    memsys_script(m, 1, one, 1, &at[0]);
    memsys_script(m, 5, one, 1, &at[1]);
    memsys_script(m, 9, one, 1, &at[2]);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.load_misses"), 1);
    assert_int_equal(memsys_stat(m, "l1.merges"), 2);
    assert_int_equal(memsys_stat(m, "l2.requests"), 1);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_home),           cmocka_unit_test(zero_cost),       cmocka_unit_test(own_accesses_first),
        cmocka_unit_test(stalled_gives_way),  cmocka_unit_test(chunks_and_hops), cmocka_unit_test(merged_at_home),
        cmocka_unit_test(stores_and_atomics), cmocka_unit_test(observed),        cmocka_unit_test(values_are_right),
        cmocka_unit_test(full_queues),        cmocka_unit_test(reordered),       cmocka_unit_test(same_counters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
