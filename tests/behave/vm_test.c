/*
 * Address translation between a mock L1 and a mock network, with exact cycles: hits, misses that others pass, requests
 * of one page in order, walks with few walkers and the walk cache, the reach of entries, first touch, what is counted.
 */
#include "engine/netmsg.h"
#include "vm/vm_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

enum { SHOTS = 64, SMS = 4 };
#define MiB (1ull << 20)

struct shot {
    uint64_t at, addr;
};

/* An SM's L1 and the network: sends a script, notes when each request comes out. */
struct mock {
    struct comp comp;
    struct port in, *out;
    const struct shot *script;
    uint32_t n, sent, came;
    uint32_t take_every;
    uint64_t last_take, sent_at[SHOTS], came_at[SHOTS];
    uint32_t order[SHOTS]; /* by arrival: which shot */
};

struct bench {
    struct arena *arena;
    struct engine *eng;
    struct vm_config cfg;
    struct mock mock[SMS];
    struct tlb *tlb[SMS];
    struct mmu *mmu;
    struct stats *stats;
};

static uint64_t mock_tick(struct comp *comp, uint64_t now)
{
    struct mock *m = (struct mock *)comp;
    struct req_pool *pool = engine_pool(comp);
    uint64_t want = NEVER;
    if (port_peek(&m->in, now) && now >= m->last_take + m->take_every) {
        const req_id id = port_pop(&m->in).req;
        m->order[m->came++] = pool->req[id].token;
        m->came_at[pool->req[id].token] = now;
        m->last_take = now;
        req_release(pool, id);
    }
    if (!port_empty(&m->in))
        want = now + 1;
    if (m->sent < m->n && now >= m->script[m->sent].at) {
        if (port_can_send(m->out)) {
            const req_id id = req_alloc(pool);
            pool->req[id] = (struct req){.addr = m->script[m->sent].addr, .token = m->sent, .next = REQ_NONE};
            m->sent_at[m->sent++] = now;
            port_send(m->out, id, net_info(8, 15));
            want = now + 1;
        }
    } else if (m->sent < m->n && m->script[m->sent].at < want) {
        want = m->script[m->sent].at;
    }
    return want;
}

/* Latencies that add up: an L1 TLB of 1 cycle, a shared one of 20, walks of 4 x 100. */
static const struct vm_config plain = {.enabled = true,
                                       .page = 2 * MiB,
                                       .l1_entries = 2,
                                       .l1_assoc = 2,
                                       .l1_latency = 1,
                                       .l1_misses = 4,
                                       .l1_waiting = 8,
                                       .l2_entries = 8,
                                       .l2_assoc = 8,
                                       .l2_latency = 20,
                                       .l2_ports = 1,
                                       .l2_misses = 8,
                                       .walkers = 2,
                                       .levels = 4,
                                       .level_latency = 100};

static struct bench *bench_new(struct vm_config cfg, bool tick_all)
{
    struct bench *b = xcalloc(1, sizeof *b);
    struct err e = {0};
    b->cfg = cfg;
    b->arena = arena_new();
    struct engine_config ec = {
        .khz = {1000, 1000, 1000, 1000}, .tick_all = tick_all, .deadlock_cycles = 200000, .max_requests = 1 << 12};
    b->eng = engine_new(b->arena, &ec, &e);
    assert_non_null(b->eng);
    b->stats = stats_new();
    b->mmu = mmu_new(b->eng, &b->cfg, SMS);
    mmu_register_stats(b->mmu, b->stats);
    for (unsigned i = 0; i < SMS; i++) {
        struct mock *m = &b->mock[i];
        m->comp.tick = mock_tick;
        m->take_every = 1;
        engine_add(b->eng, &m->comp, CLK_CORE, "mock");
        port_init(&m->in, b->eng, &m->comp, 4, 1, "to the network");
        b->tlb[i] = tlb_new(b->eng, &b->cfg, i, "tlb");
        tlb_connect(b->tlb[i], b->mmu, &m->in);
        tlb_register_stats(b->tlb[i], b->stats);
        m->out = tlb_in(b->tlb[i]);
        port_connect(m->out, &m->comp);
    }
    engine_start(b->eng);
    arena_seal(b->arena);
    return b;
}

static void bench_run(struct bench *b)
{
    struct err e = {0};
    if (engine_run(b->eng, 100000) != (b->eng->tick_all ? ENGINE_LIMIT : ENGINE_IDLE)) {
        engine_report_deadlock(b->eng, stderr);
        fail_msg("translations did not come to rest");
    }
    if (engine_check(b->eng, true, &e))
        fail_msg("%s", e.msg);
    for (unsigned i = 0; i < SMS; i++)
        assert_int_equal(b->mock[i].came, b->mock[i].n);
}

static void script(struct bench *b, unsigned sm, const struct shot *s, uint32_t n)
{
    b->mock[sm].script = s;
    b->mock[sm].n = n;
}
#define SCRIPT(b, sm, ...)                                                                                             \
    script(b, sm, (const struct shot[]){__VA_ARGS__}, sizeof((const struct shot[]){__VA_ARGS__}) / sizeof(struct shot))

static uint64_t stat(struct bench *b, const char *name)
{
    uint64_t value[64];
    assert_true(stats_count(b->stats) <= 64);
    engine_sync(b->eng);
    stats_read(b->stats, value);
    const int at = stats_find(b->stats, name);
    assert_true(at >= 0);
    return value[at];
}

static uint64_t latency(const struct bench *b, unsigned sm, unsigned shot)
{
    return b->mock[sm].came_at[shot] - b->mock[sm].sent_at[shot];
}

static void bench_free(struct bench *b)
{
    mmu_free(b->mmu);
    stats_free(b->stats);
    engine_free(b->eng);
    arena_free(b->arena);
    free(b);
}

enum { HIT = 2, SHARED_HIT = HIT + 20, WALK = SHARED_HIT + 400 };

static void levels_take_their_time(void **state)
{
    (void)state;
    struct bench *b = bench_new(plain, false);
    /* a walk; the same page; two other pages push it out of the SM's TLB, not out of the shared one */
    SCRIPT(b, 0, {10, 0}, {1000, 4096}, {2000, 2 * MiB}, {3000, 4 * MiB}, {4000, 128}, {5000, 256});
    bench_run(b);
    assert_int_equal(latency(b, 0, 0), WALK);
    assert_int_equal(latency(b, 0, 1), HIT);
    assert_int_equal(latency(b, 0, 2), WALK);
    assert_int_equal(latency(b, 0, 4), SHARED_HIT);
    assert_int_equal(latency(b, 0, 5), HIT);
    assert_int_equal(stat(b, "tlb.accesses"), 6);
    assert_int_equal(stat(b, "tlb.hits"), 2);
    assert_int_equal(stat(b, "tlb.misses"), 4);
    assert_int_equal(stat(b, "tlb.misses"), stat(b, "mmu.accesses"));
    assert_int_equal(stat(b, "mmu.walks"), 3);
    assert_int_equal(stat(b, "mmu.levels"), 12);
    assert_int_equal(stat(b, "mmu.walker_cycles"), 1200);
    assert_int_equal(stat(b, "tlb.wait_max"), WALK - HIT);
    bench_free(b);
}

static void hits_pass_misses_and_a_page_stays_in_order(void **state)
{
    (void)state;
    struct bench *b = bench_new(plain, false);
    SCRIPT(b, 0, {10, 0}, {1000, 2 * MiB}, {1001, 0}, {1002, 2 * MiB + 128}, {1003, 2 * MiB + 256}, {1004, 128});
    bench_run(b);
    const uint32_t order[] = {0, 2, 5, 1, 3, 4};
    assert_memory_equal(b->mock[0].order, order, sizeof order);
    assert_int_equal(latency(b, 0, 2), HIT);
    assert_int_equal(latency(b, 0, 1), WALK);
    assert_int_equal(b->mock[0].came_at[3], b->mock[0].came_at[1] + 1); /* one a cycle */
    assert_int_equal(b->mock[0].came_at[4], b->mock[0].came_at[1] + 2);
    assert_int_equal(stat(b, "tlb.merges"), 2);
    bench_free(b);
}

static void sms_share_walks_and_walkers_are_few(void **state)
{
    (void)state;
    struct bench *b = bench_new(plain, false);
    SCRIPT(b, 0, {10, 0});
    SCRIPT(b, 1, {10, 128});      /* joins the walk of SM 0 */
    SCRIPT(b, 2, {10, 2 * MiB});  /* the second walker */
    SCRIPT(b, 3, {10, 64 * MiB}); /* waits for one */
    bench_run(b);
    assert_int_equal(stat(b, "mmu.walks"), 3);
    assert_int_equal(stat(b, "mmu.merges"), 1);
    assert_int_equal(latency(b, 1, 0), latency(b, 0, 0));
    assert_true(latency(b, 3, 0) >= WALK + 390);
    assert_in_range(stat(b, "mmu.queue_cycles"), 390, 400);
    bench_free(b);
}

static void the_walk_cache_skips_levels(void **state)
{
    (void)state;
    struct vm_config cfg = plain;
    cfg.walk_cache = 8;
    struct bench *b = bench_new(cfg, false);
    /* The second page is in the same last-level table, the third in another of the same second level. */
    SCRIPT(b, 0, {10, 0}, {1000, 2 * MiB}, {2000, 2048 * MiB});
    bench_run(b);
    assert_int_equal(latency(b, 0, 0), WALK);
    assert_int_equal(latency(b, 0, 1), SHARED_HIT + 100);
    assert_int_equal(latency(b, 0, 2), SHARED_HIT + 200);
    assert_int_equal(stat(b, "mmu.levels"), 7);
    bench_free(b);
}

static void entries_reach_further_than_a_page(void **state)
{
    (void)state;
    struct vm_config cfg = plain;
    cfg.l2_reach = 32 * MiB;
    struct bench *b = bench_new(cfg, false);
    SCRIPT(b, 0, {10, 0}, {1000, 30 * MiB}, {2000, 32 * MiB});
    bench_run(b);
    assert_int_equal(latency(b, 0, 1), SHARED_HIT);
    assert_int_equal(latency(b, 0, 2), WALK);
    bench_free(b);
}

static void the_first_touch_is_a_fault(void **state)
{
    (void)state;
    struct vm_config cfg = plain;
    cfg.first_touch = true;
    cfg.fault_latency = 5000;
    cfg.l2_entries = cfg.l2_assoc = 1;
    struct bench *b = bench_new(cfg, false);
    SCRIPT(b, 0, {10, 0}, {10000, 2 * MiB}, {20000, 4 * MiB}, {30000, 0});
    bench_run(b);
    assert_int_equal(latency(b, 0, 0), WALK + 5000);
    assert_int_equal(latency(b, 0, 2), WALK + 5000);
    assert_int_equal(latency(b, 0, 3), WALK); /* it walks again, but the page is there */
    assert_int_equal(stat(b, "mmu.faults"), 3);
    bench_free(b);
}

/* Little room everywhere and a slow network: all arrive, and skipping idle cycles changes no number. */
static void ticking_equals_skipping(void **state)
{
    (void)state;
    uint64_t value[2][64];
    static struct shot shot[SMS][SHOTS];
    uint64_t x = 7;
    for (unsigned i = 0; i < SMS; i++)
        for (unsigned k = 0; k < SHOTS; k++) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            shot[i][k] =
                (struct shot){.at = 10 + k * (i + 1), .addr = (x >> 40) % 12 * 2 * MiB + (x >> 20) % 4096 * 128};
        }
    for (unsigned tick = 0; tick < 2; tick++) {
        struct vm_config cfg = plain;
        cfg.l1_misses = 2;
        cfg.l1_waiting = 3;
        cfg.l2_entries = cfg.l2_assoc = 4;
        cfg.l2_misses = 3;
        cfg.walk_cache = 2;
        struct bench *b = bench_new(cfg, tick);
        for (unsigned i = 0; i < SMS; i++) {
            script(b, i, shot[i], SHOTS);
            b->mock[i].take_every = 1 + i % 3;
        }
        bench_run(b);
        memset(value[tick], 0, sizeof value[tick]);
        stats_read(b->stats, value[tick]);
        assert_true(stat(b, "tlb.stalled") > 0);
        assert_int_equal(stat(b, "tlb.accesses"), SMS * SHOTS);
        bench_free(b);
    }
    assert_memory_equal(value[0], value[1], sizeof value[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_take_their_time),
        cmocka_unit_test(hits_pass_misses_and_a_page_stays_in_order),
        cmocka_unit_test(sms_share_walks_and_walkers_are_few),
        cmocka_unit_test(the_walk_cache_skips_levels),
        cmocka_unit_test(entries_reach_further_than_a_page),
        cmocka_unit_test(the_first_touch_is_a_fault),
        cmocka_unit_test(ticking_equals_skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
