/*
 * L1s that serve other SMs: an organization of the test sends each line to its home, and requests find their way there
 * and back, prefetches too.
 */
#include "l1/l1_priv.h"
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* ---- organization: a line lives in the L1 of SM (line mod SMs) ---- */
struct shared {
    struct l1_host *host;
    uint32_t n_sm;
    bool chunk;
    bool camp;      /* every line lives in SM 0 */
    uint32_t to_l2; /* pc of loads that go straight to the L2; 0 = none */
    unsigned replies[REQ_AT_COUNT], local, routed;
    uint32_t last_launch;
};
static enum l1_route route(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    struct shared *s = *(struct shared **)st;
    (void)set;
    s->routed++;
    *home = s->camp ? 0 : (uint32_t)(line % s->n_sm);
    return s->to_l2 && r->pc == s->to_l2 ? L1_ROUTE_L2 : L1_ROUTE_REMOTE;
}
static uint32_t chunk(void *st, const struct req *r)
{
    return (*(struct shared **)st)->chunk ? r->bytes : 128;
}
static void org_local(void *st, const struct l1_access *a)
{
    (void)a, (*(struct shared **)st)->local++;
}
static void org_reply(void *st, const struct req *r, bool from_home)
{
    (void)from_home;
    (*(struct shared **)st)->replies[r->served]++;
}
static void org_kernel(void *st, uint32_t launch)
{
    (*(struct shared **)st)->last_launch = launch;
}
static int share(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)e;
    *(struct shared **)st = &((struct shared *)params)[host->sm];
    (*(struct shared **)st)->host = host;
    return 0;
}
static const struct l1_organization test_shared = {.info = {.name = "test"},
                                                   .state_bytes = sizeof(struct shared *),
                                                   .init = share,
                                                   .remote = true,
                                                   .route = route,
                                                   .reply_bytes = chunk,
                                                   .on_lookup = org_local,
                                                   .on_reply = org_reply,
                                                   .on_kernel = org_kernel};

#define MESH28                                                                                                         \
    "[noc]\ntopology = mesh\ncore_to_core = direct\nmemory_nodes = 3 7 10 12 23 25 28 32\n[l1]\nwrite_global = "       \
    "through\n"

static struct memsys *shared_machine(struct shared *s, bool tick_all, bool is_chunked, uint64_t outstanding,
                                     const struct l1_prefetcher *prefetcher)
{
    for (uint32_t i = 0; i < 28; i++)
        s[i] = (struct shared){.n_sm = 28, .chunk = is_chunked};
    return memsys_new(&(struct memsys_config){.n_sm = 28,
                                              .n_channel = 8,
                                              .slices = 1,
                                              .core_khz = 1400000,
                                              .noc_khz = 700000,
                                              .l2_khz = 700000,
                                              .dram_khz = 924000,
                                              .tick_all = tick_all,
                                              .config = MESH28,
                                              .max_outstanding = outstanding,
                                              .organization = &test_shared,
                                              .prefetcher = prefetcher,
                                              .policy_params = s});
}

static bool same_lines(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    (void)ctx;
    if (nth >= 400)
        return false;
    uint64_t h = (nth * 28 + sm + 1) * 0x9e3779b97f4a7c15ull;
    s->addr = (h >> 40) % 1500 * 128;
    s->sectors = 1;
    s->kind = (h >> 30 & 15) == 0 ? REQ_WRITE : (h >> 30 & 15) == 1 ? REQ_ATOMIC : REQ_READ;
    return true;
}

static void remote_l1s(void **state)
{
    (void)state;
    static struct shared w[28], s[28], tick[28];
    struct memsys *whole = shared_machine(w, false, false, 512, NULL),
                  *chunked = shared_machine(s, false, true, 512, NULL),
                  *ticked = shared_machine(tick, true, true, 512, NULL);
    for (uint32_t i = 0; i < 28; i++) {
        memsys_source(whole, i, same_lines, NULL);
        memsys_source(chunked, i, same_lines, NULL);
        memsys_source(ticked, i, same_lines, NULL);
    }
    memsys_run(whole);
    uint64_t a = memsys_run(chunked), b = memsys_run(ticked);
    /* 1500 lines fit into 28 x 128, but for unlucky sets: most are fetched once, whoever asks. */
    uint64_t reads = memsys_stat(chunked, "l1.forwarded") + memsys_stat(chunked, "l1.accesses");
    assert_true(reads > 28 * 400);
    assert_int_equal(memsys_stat(chunked, "l1.forwarded"), memsys_stat(chunked, "l1.remote_requests"));
    assert_in_range(memsys_stat(chunked, "l1.load_misses"), 1400, 2200);
    assert_in_range(memsys_stat(whole, "l1.load_misses"), 1400, 2200);
    assert_true(memsys_stat(chunked, "noc.reply.flits_out") < memsys_stat(whole, "noc.reply.flits_out"));
    unsigned from_home = 0;
    for (uint32_t i = 0; i < 28; i++)
        from_home += s[i].replies[REQ_AT_REMOTE_L1];
    assert_true(from_home > 1000);
    /* And the engines agree. */
    assert_int_equal(a, b);
    assert_memory_equal(chunked->values, ticked->values, stats_count(chunked->stats) * sizeof *chunked->values);
    memsys_free(whole);
    memsys_free(chunked);
    memsys_free(ticked);
}

/* A prefetch goes to the line's home, and no other L1 keeps the line. */
static void home_prefetch(void *st, const struct l1_access *a)
{
    struct l1_host *host = (*(struct shared **)st)->host;
    l1_prefetch(host, a->req->addr + 128, a->req->pc, a->req->warp, a->req->cta);
}
static int share_prefetch(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)e;
    *(struct shared **)st = &((struct shared *)params)[host->sm];
    (*(struct shared **)st)->host = host;
    return 0;
}
static const struct l1_prefetcher test_home_prefetcher = {.info = {.name = "test"},
                                                          .state_bytes = sizeof(struct shared *),
                                                          .init = share_prefetch,
                                                          .on_access = home_prefetch};

static void prefetches_go_home(void **state)
{
    (void)state;
    static struct shared s[28];
    struct memsys *m = shared_machine(s, false, false, 64, &test_home_prefetcher);
    for (uint32_t i = 0; i < 28; i++)
        memsys_source(m, i, same_lines, NULL);
    memsys_run(m);
    assert_true(memsys_stat(m, "l1.prefetch.to_home") > 100);
    assert_true(memsys_stat(m, "l1.prefetch.issued") > 100);
    assert_int_equal(memsys_stat(m, "l1.prefetch.to_home"), memsys_stat(m, "l1.prefetch.from_remote_sms"));
    for (uint32_t i = 0; i < 28; i++) {
        const struct tags *t = &m->l1[i]->cache[L1_DATA]->tags;
        for (uint32_t k = 0; k < tags_entries(t); k++)
            assert_true(t->line[k] == TAG_NONE || t->line[k] % 28 == i);
    }
    memsys_free(m);
}

/* Two SMs beside each other; lines with an even number live in SM 0. */
static struct memsys *two(struct shared *s, const char *config)
{
    return memsys_new(&(struct memsys_config){.n_sm = 2,
                                              .n_channel = 1,
                                              .slices = 1,
                                              .core_khz = 1000000,
                                              .noc_khz = 1000000,
                                              .l2_khz = 1000000,
                                              .dram_khz = 1000000,
                                              .config = config,
                                              .organization = &test_shared,
                                              .policy_params = s});
}
#define TWO "[noc]\ntopology = mesh\ncore_to_core = direct\n[l1]\nset_hash = linear\n"

/* Straight to the L2: neither L1 keeps the line, and however long a request stalls it is routed once. */
static void routes_to_the_l2(void **state)
{
    (void)state;
    struct shared s[2] = {{.n_sm = 2, .to_l2 = 7}, {.n_sm = 2, .to_l2 = 7}};
    struct memsys *m = two(s, TWO "miss_queue = 2\n");
    struct shot shots[32];
    struct landing at[32];
    for (unsigned i = 0; i < 32; i++)
        shots[i] = (struct shot){1 + i, (uint64_t)i * 128, REQ_WRITE, .pc = 7};
    memsys_script(m, 0, shots, 32, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.bypasses"), 32);
    assert_int_equal(memsys_stat(m, "l1.forwarded"), 0);
    assert_int_equal(memsys_stat(m, "l1.fills"), 0);
    assert_true(memsys_stat(m, "l1.stall_cycles.miss_queue_full") > 0);
    assert_int_equal(s[0].routed, 32);
    l1_kernel_begin(m->l1[0], 3);
    assert_int_equal(s[0].last_launch, 3); /* the organization's hook is called */
    memsys_free(m);
}

/* A request for another L1 that stalls is shown to the prefetcher once, and routed once. */
static void seen_once(void **state)
{
    (void)state;
    static struct shared s[28];
    struct memsys *m = shared_machine(s, false, false, 512, &test_home_prefetcher);
    struct shot shots[64];
    struct landing at[64];
    for (unsigned i = 0; i < 64; i++) /* all of them live in SM 5 */
        shots[i] = (struct shot){1 + i, (5 + 28ull * i) * 128};
    memsys_script(m, 0, shots, 64, at);
    memsys_run(m);
    assert_true(memsys_stat(m, "l1.stall_cycles.miss_queue_full") > 0);
    assert_int_equal(memsys_stat(m, "l1.forwarded"), 64);
    assert_int_equal(memsys_stat(m, "l1.prefetch.requested"), 64);
    assert_int_equal(memsys_stat(m, "l1.loads"), 64); /* once, by the SM that issued them */
    assert_int_equal(memsys_stat(m, "l1.unserved_loads"), 64);
    assert_true(s[0].routed <= 64 + 64);
    memsys_free(m);
}

/* One home for all: more requests than it can answer at a time wait outside, and none is lost. */
static void camping(void **state)
{
    (void)state;
    static struct shared s[28];
    struct memsys *m = shared_machine(s, false, false, 64, NULL);
    for (uint32_t i = 0; i < 28; i++) {
        s[i].camp = true;
        memsys_source(m, i, same_lines, NULL);
    }
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.forwarded"), memsys_stat(m, "l1.remote_requests"));
    assert_true(memsys_stat(m, "l1.forwarded") > 27 * 300);
    memsys_free(m);
}

/* Distances in the 6 x 6 mesh: SM 0 is at router 0, SM 3 at router 4, slice 0 at router 3. */
static void distances(void **state)
{
    (void)state;
    static struct shared s[28];
    struct memsys *m = shared_machine(s, false, false, 64, NULL);
    assert_int_equal(l1_hops_to_sm(s[0].host, 3), 5);
    assert_int_equal(l1_hops_to_sm(s[3].host, 0), 5);
    uint64_t addr = 0;
    while (addrmap_slice(&m->map, addr) != 0)
        addr += 128;
    assert_int_equal(l1_hops_to_l2(s[0].host, addr), 4);
    assert_int_equal(l1_hops_to_l2(s[3].host, addr), 2);
    memsys_free(m);
}

/* While SM 0 uses a bank in every cycle, a request of SM 1 for that bank waits; one for the other bank does not. */
static void banks_are_shared_with_other_sms(void **state)
{
    (void)state;
    for (unsigned same = 0; same < 2; same++) {
        struct shared s[2] = {{.n_sm = 2, .camp = true}, {.n_sm = 2, .camp = true}};
        struct memsys *m = two(s, TWO "ports = 2\nbanks = 2\n");
        static struct shot own[402], other[2];
        static struct landing at[402], back[2];
        own[0] = (struct shot){1, 0};
        own[1] = (struct shot){2, 0x80};
        for (unsigned i = 2; i < 402; i++)
            own[i] = (struct shot){3000 + i, 0};
        other[0] = (struct shot){3020, same ? 0 : 0x80};
        memsys_script(m, 0, own, 402, at);
        memsys_script(m, 1, other, 1, back);
        memsys_run(m);
        assert_int_equal(back[0].served, REQ_AT_REMOTE_L1);
        assert_int_equal(back[0].back > at[401].sent, same);
        memsys_free(m);
    }
}

/* Replies of the L2 and of homes are taken in turn. */
static void replies_in_turn(void **state)
{
    (void)state;
    struct shared s[2] = {{.n_sm = 2}, {.n_sm = 2}};
    struct memsys *m = two(s, TWO);
    struct l1 *l1 = m->l1[0];
    engine_run(m->eng, 1);
    for (unsigned i = 0; i < 8; i++) {
        req_id id = req_alloc(engine_pool(m->eng->comp.p[0]));
        m->eng->requests.req[id] = (struct req){.sectors = 1, .kind = REQ_READ, .space = REQ_SP_GLOBAL, .n_lines = 1};
        l1->in_flight++;
        m->sm[0].sent++;
        port_send(i & 1 ? l1_reply_in(l1) : l1_home_reply_in(l1), id, net_info(NET_HEADER_BYTES, 1));
    }
    engine_run(m->eng, 5); /* four of them have been taken */
    assert_int_equal(port_count(l1_reply_in(l1)), 2);
    assert_int_equal(port_count(l1_home_reply_in(l1)), 2);
    engine_run(m->eng, 40);
    assert_int_equal(m->sm[0].back, 8);
    memsys_free(m);
}

/* The organization hears of every look-up here, loads and stores, of this SM and of others, once each. */
static void local_look_ups(void **state)
{
    (void)state;
    struct shared s[2] = {{.n_sm = 2}, {.n_sm = 2}};
    struct memsys *m = two(s, TWO "miss_queue = 2\n");
    static struct shot own[32], other[2];
    static struct landing at[32], back[2];
    for (unsigned i = 0; i < 32; i++) /* lines that live in SM 0; their large packets make the stores stall */
        own[i] = (struct shot){1 + i, (uint64_t)i * 256, REQ_WRITE};
    other[0] = (struct shot){1, 0x10000};
    other[1] = (struct shot){2, 0x10100, REQ_WRITE};
    memsys_script(m, 0, own, 32, at);
    memsys_script(m, 1, other, 2, back);
    memsys_run(m);
    assert_true(memsys_stat(m, "l1.stall_cycles.miss_queue_full") > 0);
    assert_int_equal(s[0].local, 32 + 2);
    assert_int_equal(s[1].local, 0);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(remote_l1s),
                                       cmocka_unit_test(prefetches_go_home),
                                       cmocka_unit_test(routes_to_the_l2),
                                       cmocka_unit_test(seen_once),
                                       cmocka_unit_test(camping),
                                       cmocka_unit_test(distances),
                                       cmocka_unit_test(banks_are_shared_with_other_sms),
                                       cmocka_unit_test(replies_in_turn),
                                       cmocka_unit_test(local_look_ups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
