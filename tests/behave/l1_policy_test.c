/*
 * The hooks of L1 management and of prefetchers, each driven by a small policy made for the test: what a policy decides
 * happens, and its arguments are right.
 */
#include "l1/l1_priv.h"
#include "memory_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define SET_STRIDE (32 * 128)
#define LINEAR     "[l1]\nset_hash = linear\n"

/* What the test's policies saw and what they are to answer. */
struct diary {
    enum l1_decision verdict[8]; /* by pc */
    uint32_t victim;
    uint32_t past; /* bits of enum stall that are bypassed */
    unsigned accesses, hits, pending_hits, misses, allocated, stores, fills, evictions, reused, replies, events,
        kernels, epochs;
    uint32_t last_slot, last_argument, last_launch;
    struct l1_host *host;
    uint64_t prefetch_ahead; /* bytes; 0 = none */
    unsigned prefetch_fills, unused_prefetches;
};

static enum l1_decision decide(void *st, struct l1_access *a)
{
    struct diary *d = *(struct diary **)st;
    d->accesses++;
    return d->verdict[a->req->pc & 7];
}
static uint32_t victim(void *st, const struct l1_access *a, uint64_t candidates)
{
    (void)a;
    struct diary *d = *(struct diary **)st;
    return d->victim == L1_NO_VICTIM || candidates >> d->victim & 1 ? d->victim : (uint32_t)__builtin_ctzll(candidates);
}
static bool bypass_on_stall(void *st, const struct l1_access *a, enum stall why)
{
    (void)a;
    return (*(struct diary **)st)->past >> why & 1;
}
static void on_hit(void *st, const struct l1_access *a)
{
    struct diary *d = *(struct diary **)st;
    d->hits += !a->pending;
    d->pending_hits += a->pending;
}
static void on_miss(void *st, const struct l1_access *a, bool allocated)
{
    struct diary *d = *(struct diary **)st;
    d->misses++;
    d->allocated += allocated;
    assert_int_equal(allocated, a->entry >= 0);
}
static void on_store(void *st, const struct l1_access *a)
{
    (void)a, (*(struct diary **)st)->stores++;
}
static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct diary *d = *(struct diary **)st;
    d->fills++;
    assert_int_equal(d->host->tags->line[entry], r->addr / 128);
}
static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct diary *d = *(struct diary **)st;
    assert_int_equal(d->host->tags->line[entry], line);
    d->evictions++;
    d->reused += reused;
}
static void on_reply(void *st, const struct req *r)
{
    (void)r, (*(struct diary **)st)->replies++;
}
static void on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    struct diary *d = *(struct diary **)st;
    assert_int_equal(kind, EVENT_LOOP_EXIT);
    d->events++;
    d->last_slot = slot;
    d->last_argument = argument;
    l1_notify_sm(d->host, EVENT_LOST_LOCALITY, slot, 1);
}
static void on_kernel(void *st, uint32_t launch)
{
    (void)launch, (*(struct diary **)st)->kernels++;
}
static uint64_t on_epoch(void *st, uint64_t now)
{
    return (*(struct diary **)st)->epochs++, now + 1000;
}

/* A policy of the test keeps its notes in the test's diary: params. */
static int keep_diary(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)e;
    struct diary *d = (struct diary *)params;
    *(struct diary **)st = d;
    d->host = host;
    return 0;
}

static const struct l1_management test_management = {.info = {.name = "test"},
                                                     .state_bytes = sizeof(struct diary *),
                                                     .init = keep_diary,
                                                     .events = 1u << EVENT_LOOP_EXIT,
                                                     .decide = decide,
                                                     .victim = victim,
                                                     .bypass_on_stall = bypass_on_stall,
                                                     .on_hit = on_hit,
                                                     .on_miss = on_miss,
                                                     .on_store = on_store,
                                                     .on_fill = on_fill,
                                                     .on_evict = on_evict,
                                                     .on_reply = on_reply,
                                                     .on_event = on_event,
                                                     .on_kernel = on_kernel,
                                                     .on_epoch = on_epoch};

static struct memsys *managed(const char *config, struct diary *d)
{
    return memsys_new(
        &(struct memsys_config){MEMSYS_ONE, .config = config, .management = &test_management, .policy_params = d});
}

static void told_the_truth(void **state)
{
    (void)state;
    struct diary d = {.victim = 0};
    struct memsys *m = managed(LINEAR, &d);
    struct shot shots[9];
    struct landing at[9];
    for (unsigned i = 0; i < 5; i++)
        shots[i] = (struct shot){1 + 1000 * i, i * SET_STRIDE}; /* the fifth replaces way 0 */
    shots[5] = (struct shot){6000, 4 * SET_STRIDE};             /* hit */
    shots[6] = (struct shot){6500, 9 * SET_STRIDE};             /* replaces it again, now reused */
    shots[7] = (struct shot){6501, 9 * SET_STRIDE};             /* merges */
    shots[8] = (struct shot){8000, 9 * SET_STRIDE, REQ_WRITE};  /* drops it */
    memsys_script(m, 0, shots, 9, at);
    engine_run(m->eng, 1); /* the port is there now */
    port_send(l1_events(m->l1[0]), 77, event_info(EVENT_LOOP_EXIT, 5));
    memsys_run(m);
    assert_int_equal(d.accesses, 8);
    assert_int_equal(d.hits, 1);
    assert_int_equal(d.pending_hits, 1);
    assert_int_equal(d.misses, 6);
    assert_int_equal(d.allocated, 6);
    assert_int_equal(d.fills, 6);
    assert_int_equal(d.evictions, 3);
    assert_int_equal(d.reused, 1);
    assert_int_equal(d.stores, 1);
    assert_int_equal(d.replies, 7); /* six lines and an acknowledgment */
    assert_int_equal(d.events, 1);
    assert_int_equal(d.last_slot, 5);
    assert_int_equal(d.last_argument, 77);
    assert_int_equal(m->sm[0].events_seen[EVENT_LOST_LOCALITY], 1);
    assert_int_equal(d.kernels, 1);
    assert_int_equal(d.epochs, 10);
    memsys_free(m);
}

static void verdicts(void **state)
{
    (void)state;
    struct diary d = {.verdict = {L1_NORMAL, L1_BYPASS_MISS, L1_BYPASS}};
    struct memsys *m = managed(LINEAR, &d);
    const struct shot shots[] = {
        {1, 0x4000, .pc = 1},
        {2, 0x4000, .pc = 1},                  /* two misses that do not allocate merge all the same */
        {2000, 0x4000, .pc = 1},               /* ... and miss again */
        {4000, 0x4000, .pc = 2, .sectors = 1}, /* not looked up */
        {6000, 0x4000, .pc = 1},
        {6001, 0x4000, .pc = 0},               /* one that may allocate joins: it is kept */
        {8000, 0x4000, .pc = 1},               /* hit */
        {9000, 0x4000, .pc = 2, .sectors = 1}, /* past a line that is there */
    };
    struct landing at[8];
    memsys_script(m, 0, shots, 8, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.misses"), 3);
    assert_int_equal(memsys_stat(m, "l1.merges"), 2);
    assert_int_equal(memsys_stat(m, "l1.bypasses"), 2);
    assert_int_equal(memsys_stat(m, "l1.hits"), 1);
    assert_int_equal(at[6].served, REQ_AT_L1);
    assert_int_equal(at[7].served, REQ_AT_L2);
    memsys_free(m);
}

/* l1.bypass_fetch: what an MSHR tracks fetches its line, kept or not, unless told otherwise. */
static void what_is_not_kept_is_fetched_whole(void **state)
{
    (void)state;
    struct diary d = {.verdict = {L1_NORMAL, L1_BYPASS_MISS}};
    struct memsys *m = managed(LINEAR, &d);
    const struct shot shots[] = {
        {1, 0x4000, .pc = 1, .sectors = 1},
        {2, 0x4000, .pc = 1, .sectors = 3},    /* all of it is in flight */
        {2000, 0x4000, .pc = 1, .sectors = 1}, /* it was not kept */
    };
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.misses"), 2);
    assert_int_equal(memsys_stat(m, "l1.merges"), 1);
    assert_int_equal(memsys_stat(m, "dram.read_bytes"), 128);
    memsys_free(m);
}

static void what_is_not_kept_need_not_be_fetched_whole(void **state)
{
    (void)state;
    struct diary d = {.verdict = {L1_NORMAL, L1_BYPASS_MISS}};
    struct memsys *m = managed(LINEAR "bypass_fetch = sector\n", &d);
    const struct shot shots[] = {
        {1, 0x4000, .pc = 1, .sectors = 1},    /* one sector */
        {2, 0x4000, .pc = 1, .sectors = 3},    /* another: one of its two is in flight */
        {2000, 0x8000, .pc = 1, .sectors = 1}, /* one sector, */
        {2001, 0x8000, .pc = 0, .sectors = 1}, /* then the other three for the one that may keep the line */
        {4000, 0x8000, .pc = 0, .sectors = 8},
    };
    struct landing at[5];
    memsys_script(m, 0, shots, 5, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.misses"), 4);
    assert_int_equal(memsys_stat(m, "l1.sector_misses"), 2);
    assert_int_equal(memsys_stat(m, "l1.hits"), 1);
    assert_int_equal(memsys_stat(m, "dram.read_bytes"), (1 + 1 + 1 + 3) * 32);
    assert_int_equal(at[4].served, REQ_AT_L1);
    memsys_free(m);
}

static void protection(void **state)
{
    (void)state;
    /* All ways protected: the access bypasses, and what was there stays. */
    struct diary d = {.victim = L1_NO_VICTIM};
    struct memsys *m = managed(LINEAR, &d);
    struct shot shots[6];
    struct landing at[6];
    for (unsigned i = 0; i < 5; i++)
        shots[i] = (struct shot){1 + 1000 * i, i * SET_STRIDE};
    shots[5] = (struct shot){9000, 0};
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.bypass.all_protected"), 1);
    assert_int_equal(memsys_stat(m, "l1.bypasses"), 1);
    assert_int_equal(memsys_stat(m, "l1.evictions"), 0);
    assert_int_equal(at[5].served, REQ_AT_L1);
    memsys_free(m);
}

static void stalled_load_bypasses(void **state)
{
    (void)state;
    static const struct {
        enum stall why;
        const char *config;
        uint64_t stride;
        unsigned n;
    } cases[] = {{STALL_NO_WAY, LINEAR, SET_STRIDE, 5},
                 {STALL_NO_MSHR, LINEAR "mshrs = 2\n", SET_STRIDE + 128, 3},
                 {STALL_NO_MERGE_SLOT, LINEAR "max_merges = 2\n", 0, 3}};
    for (unsigned i = 0; i < 3; i++) {
        for (int on = 0; on < 2; on++) {
            struct diary d = {.past = on ? 1u << cases[i].why : 0};
            struct memsys *m = managed(cases[i].config, &d);
            struct shot shots[5];
            struct landing at[5];
            for (unsigned k = 0; k < cases[i].n; k++)
                shots[k] = (struct shot){1 + k, k * cases[i].stride};
            memsys_script(m, 0, shots, cases[i].n, at);
            memsys_run(m);
            uint64_t cycles = memsys_stat(m, "l1.stall_cycles.no_way") + memsys_stat(m, "l1.stall_cycles.no_mshr") +
                              memsys_stat(m, "l1.stall_cycles.no_merge_slot");
            assert_int_equal(cycles == 0, on);
            assert_int_equal(memsys_stat(m, "l1.bypasses"), on);
            memsys_free(m);
        }
    }
}

/* ---- prefetcher: the line `ahead` bytes further, after every access ---- */
static void pf_access(void *st, const struct l1_access *a)
{
    struct diary *d = *(struct diary **)st;
    l1_prefetch(d->host, a->req->addr + d->prefetch_ahead, a->req->pc, a->req->warp, a->req->cta);
}
static void pf_fill(void *st, const struct req *r, uint32_t entry)
{
    struct diary *d = *(struct diary **)st;
    (void)entry;
    d->prefetch_fills += (r->flags & REQ_F_PREFETCH) != 0;
}
static void pf_evict(void *st, uint32_t entry, uint64_t line, bool unused)
{
    (void)entry, (void)line;
    (*(struct diary **)st)->unused_prefetches += unused;
}
static void pf_kernel(void *st, uint32_t launch)
{
    (*(struct diary **)st)->last_launch = launch;
}
static const struct l1_prefetcher test_prefetcher = {.info = {.name = "test"},
                                                     .state_bytes = sizeof(struct diary *),
                                                     .init = keep_diary,
                                                     .on_access = pf_access,
                                                     .on_fill = pf_fill,
                                                     .on_evict = pf_evict,
                                                     .on_kernel = pf_kernel};

static struct memsys *prefetching_machine(const char *config, struct diary *d)
{
    return memsys_new(
        &(struct memsys_config){MEMSYS_ONE, .config = config, .prefetcher = &test_prefetcher, .policy_params = d});
}

/* The same counts whether a line gets its place when it misses or when it comes. */
static void prefetching(void **state)
{
    (void)state;
    static const char *const rule[] = {LINEAR, LINEAR "allocate = on-fill\n"};
    for (unsigned i = 0; i < 2; i++) {
        struct diary d = {.prefetch_ahead = 128};
        struct memsys *m = prefetching_machine(rule[i], &d);
        const struct shot shots[] = {
            {1, 0},                          /* prefetches 0x80 */
            {2000, 0x80},                    /* useful; prefetches 0x100 */
            {2005, 0x100},                   /* late: it is in flight; prefetches 0x180 */
            {4000, 0x100},                   /* its prefetch is there already */
            {6000, 0x180, .kind = REQ_WRITE} /* drops a line that was prefetched and not used */
        };
        struct landing at[5];
        memsys_script(m, 0, shots, 5, at);
        memsys_run(m);
        assert_int_equal(at[1].served, REQ_AT_L1);
        assert_int_equal(at[2].served, REQ_AT_L1_MERGE);
        assert_int_equal(memsys_stat(m, "l1.prefetch.requested"), 4);
        assert_int_equal(memsys_stat(m, "l1.prefetch.issued"), 3);
        assert_int_equal(memsys_stat(m, "l1.prefetch.redundant"), 1);
        assert_int_equal(memsys_stat(m, "l1.prefetch.timely"), 1);
        assert_int_equal(memsys_stat(m, "l1.prefetch.late"), 1);
        assert_int_equal(memsys_stat(m, "l1.prefetch.unused"), 1);
        assert_int_equal(memsys_stat(m, "l1.load_misses"), 1); /* demand misses only */
        assert_int_equal(memsys_stat(m, "l1.accesses"), 5);
        assert_int_equal(d.prefetch_fills, 3);
        assert_int_equal(d.unused_prefetches, 1); /* the prefetcher's hook is called */
        /* A prefetch is issued in the cycle behind the access that asks for it: 1998 and 4 cycles before its load. */
        assert_int_equal(memsys_stat(m, "prefetch.timely"), 1);
        assert_int_equal(memsys_stat(m, "prefetch.distance_sum"), 1998 + 4);
        assert_int_equal(memsys_stat(m, "prefetch.distances.le_16"), 1);
        assert_int_equal(memsys_stat(m, "prefetch.distances.le_4096"), 1);
        assert_int_equal(memsys_stat(m, "prefetch.evicted"), 0); /* a store dropped it */
        assert_int_equal(memsys_stat(m, "prefetch.noc_bytes"), 3 * (128 + 2 * 8));
        assert_int_equal(memsys_stat(m, "prefetch.dram_bytes"), 3 * 128);
        memsys_free(m);
    }
}

/* Prefetched lines that leave unused: replaced, and flushed with the kernel. */
static void unused_prefetches(void **state)
{
    (void)state;
    struct diary d = {.prefetch_ahead = SET_STRIDE * 8};
    struct memsys *m = prefetching_machine(LINEAR, &d);
    struct shot shots[8];
    struct landing at[8];
    for (unsigned i = 0; i < 8; i++) /* one set of four ways; each load brings a second line into it */
        shots[i] = (struct shot){1 + 2000 * i, (uint64_t)i * SET_STRIDE};
    memsys_script(m, 0, shots, 8, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.prefetch.issued"), 8);
    assert_int_equal(memsys_stat(m, "l1.prefetch.unused"), 6);
    assert_int_equal(d.unused_prefetches, 6);
    l1_kernel_end(m->l1[0]);
    assert_int_equal(m->l1[0]->cache[L1_DATA]->stats.prefetch_unused, 8);
    memsys_free(m);
}

/* A prefetch is judged like a load: what the management would not keep is not fetched. */
static void prefetches_are_judged(void **state)
{
    (void)state;
    static const struct {
        enum l1_decision verdict;
        unsigned issued, refused;
    } cases[] = {{L1_NORMAL, 1, 0}, {L1_BYPASS_MISS, 0, 1}, {L1_BYPASS, 0, 1}};
    for (unsigned i = 0; i < 3; i++) {
        struct diary d = {.prefetch_ahead = 128, .verdict = {[3] = cases[i].verdict}};
        struct memsys *m =
            memsys_new(&(struct memsys_config){MEMSYS_ONE, .config = LINEAR, .management = &test_management,
                                               .prefetcher = &test_prefetcher, .policy_params = &d});
        const struct shot shots[] = {{1, 0, .pc = 3}};
        struct landing at[1];
        memsys_script(m, 0, shots, 1, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.prefetch.issued"), cases[i].issued);
        assert_int_equal(memsys_stat(m, "l1.prefetch.policy_rejected"), cases[i].refused);
        assert_int_equal(d.accesses, 2); /* the load's and the prefetch's */
        if (cases[i].verdict == L1_NORMAL)
            assert_int_equal(d.misses, 2);
        memsys_free(m);
    }
}

/* Events reach the policy that asked for their kind, and no other. */
static void events_by_kind(void **state)
{
    (void)state;
    struct diary d = {.victim = 0};
    struct memsys *m = managed(LINEAR, &d);
    engine_run(m->eng, 1); /* the port is there now */
    port_send(l1_events(m->l1[0]), 1, event_info(EVENT_WARP_START, 1));
    port_send(l1_events(m->l1[0]), 1, event_info(EVENT_LOOP_EXIT, 2));
    memsys_run(m);
    assert_int_equal(l1_wanted_events(m->l1[0]), 1u << EVENT_LOOP_EXIT);
    assert_int_equal(d.events, 1);
    memsys_free(m);
}

/* Prefetches that wait when the kernel ends are dropped, and counted. */
static void canceled_prefetches(void **state)
{
    (void)state;
    struct diary d = {.prefetch_ahead = 128};
    struct memsys *m = prefetching_machine(LINEAR "prefetch_queue = 2\n", &d);
    struct err e;
    memsys_run(m);
    assert_true(l1_prefetch(d.host, 0x1000, 0, 0, 0));
    assert_true(l1_prefetch(d.host, 0x2000, 0, 0, 0));
    assert_false(l1_prefetch(d.host, 0x3000, 0, 0, 0)); /* the queue is full */
    l1_kernel_end(m->l1[0]);
    assert_int_equal(m->l1[0]->cache[L1_DATA]->stats.prefetch_canceled, 2);
    assert_int_equal(m->l1[0]->cache[L1_DATA]->stats.prefetch_queue_full, 1);
    l1_kernel_begin(m->l1[0], 7);
    assert_int_equal(d.last_launch, 7); /* the prefetcher's hook is called */
    engine_sync(m->eng);
    assert_int_equal(engine_check(m->eng, true, &e), 0);
    memsys_free(m);
}

/* A prefetch takes a cycle that no load wants: behind a row of loads it goes last. */
static void loads_go_before_prefetches(void **state)
{
    (void)state;
    struct diary d = {.prefetch_ahead = 0x10000};
    struct memsys *m = prefetching_machine(LINEAR "mshrs = 64\nmiss_queue = 64\n", &d);
    struct shot shots[16];
    struct landing at[16];
    for (unsigned i = 0; i < 16; i++)
        shots[i] = (struct shot){1 + i, (uint64_t)i * 128};
    memsys_script(m, 0, shots, 16, at);
    engine_run(m->eng, 16 + m->l1_config.cache[0]->tag_latency); /* the last load has reached the tags */
    assert_int_equal(m->l1[0]->cache[L1_DATA]->stats.prefetch_issued, 0);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.prefetch.issued"), 16);
    memsys_free(m);
}

/* The management hears of a store that stays in the cache, too. */
static void stores_that_stay(void **state)
{
    (void)state;
    struct diary d = {.victim = 0};
    struct memsys *m = managed(LINEAR "write_global = back\n", &d);
    const struct shot shots[] = {{1, 0}, {2000, 0, REQ_WRITE}, {2100, 0x1000, REQ_WRITE}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_int_equal(at[1].served, REQ_AT_L1);
    assert_int_equal(at[2].served, REQ_AT_L2);
    assert_int_equal(d.stores, 2);
    memsys_free(m);
}

/* However long a load stalls, policies judge it once. */
static void judged_once(void **state)
{
    (void)state;
    struct diary d = {.prefetch_ahead = 0};
    struct memsys *m = managed(LINEAR "mshrs = 1\n", &d);
    const struct shot shots[] = {{1, 0}, {2, 0x1000}, {3, 0x2000}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_true(memsys_stat(m, "l1.stall_cycles.no_mshr") > 100);
    assert_int_equal(memsys_stat(m, "l1.stalled_requests.no_mshr"), 2);
    assert_int_equal(d.accesses, 3);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(told_the_truth),
                                       cmocka_unit_test(verdicts),
                                       cmocka_unit_test(what_is_not_kept_is_fetched_whole),
                                       cmocka_unit_test(what_is_not_kept_need_not_be_fetched_whole),
                                       cmocka_unit_test(protection),
                                       cmocka_unit_test(stalled_load_bypasses),
                                       cmocka_unit_test(prefetching),
                                       cmocka_unit_test(unused_prefetches),
                                       cmocka_unit_test(prefetches_are_judged),
                                       cmocka_unit_test(events_by_kind),
                                       cmocka_unit_test(canceled_prefetches),
                                       cmocka_unit_test(loads_go_before_prefetches),
                                       cmocka_unit_test(judged_once),
                                       cmocka_unit_test(stores_that_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
