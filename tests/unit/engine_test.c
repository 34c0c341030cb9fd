/*
 * The engine alone: clocks, waking, jumping, ports between clocks, deadlock; and the address mapping.
 */
#include "engine/addrmap.h"
#include "engine/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct probe {
    struct comp comp;
    uint64_t period;  /* wants to run this often; 0 = never by itself */
    uint64_t n, last; /* ticks and the last one's cycle */
    uint64_t stop_at;
    struct port in;
    uint64_t got_at[64], n_got;
    struct port *out;
    uint64_t to_send, sent_at[64], n_sent;
};

static uint64_t probe_tick(struct comp *comp, uint64_t now)
{
    struct probe *p = (struct probe *)comp;
    assert_true(now > p->last || p->n == 0);
    p->n++;
    p->last = now;
    while (p->in.eng && port_peek(&p->in, now)) {
        p->got_at[p->n_got++] = now;
        req_release(engine_pool(comp), port_pop(&p->in).req);
    }
    if (p->out && p->to_send && port_can_send(p->out)) {
        p->sent_at[p->n_sent++] = now;
        p->to_send--;
        port_send(p->out, req_alloc(engine_pool(comp)), 0);
    }
    if (p->stop_at && now >= p->stop_at)
        engine_stop(comp->eng);
    return p->period ? now + p->period : NEVER;
}

struct rig {
    struct arena *arena;
    struct engine *eng;
    struct probe p[4];
};

static struct rig *rig_new(uint64_t core, uint64_t noc, uint64_t l2, uint64_t dram)
{
    struct rig *r = xaligned(sizeof *r);
    struct err e = {0};
    r->arena = arena_new();
    struct engine_config c = {.khz = {core, noc, l2, dram}, .deadlock_cycles = 1000, .max_requests = 64};
    r->eng = engine_new(r->arena, &c, &e);
    assert_non_null(r->eng);
    for (int i = 0; i < 4; i++) {
        r->p[i].comp.tick = probe_tick;
        engine_add(r->eng, &r->p[i].comp, (enum clk)i, "probe");
    }
    return r;
}
static void rig_free(struct rig *r)
{
    engine_free(r->eng);
    arena_free(r->arena);
    free(r);
}

static void clocks(void **state)
{
    (void)state;
    /* Whole ratios, odd ratios, and frequencies whose least common multiple is too large to be exact. */
    static const uint64_t khz[][4] = {
        {1400000, 700000, 700000, 924000}, {1400000, 700000, 1150000, 1400000}, {1980001, 1754999, 1593003, 877501}};
    for (int k = 0; k < 3; k++) {
        struct rig *r = rig_new(khz[k][0], khz[k][1], khz[k][2], khz[k][3]);
        for (int i = 0; i < 4; i++)
            r->p[i].period = 1;
        engine_start(r->eng);
        assert_int_equal(engine_run(r->eng, khz[k][0]), ENGINE_LIMIT); /* one millisecond */
        for (int i = 0; i < 4; i++) {
            uint64_t want = khz[k][i], got = r->p[i].n;
            assert_true(got >= want - 1 && got <= want + 1);
            assert_int_equal(engine_cycle(r->eng, (enum clk)i), r->p[i].last);
        }
        assert_int_equal(r->p[0].n, khz[k][0]);
        rig_free(r);
    }
}

static void jumps(void **state)
{
    (void)state;
    struct rig *r = rig_new(1000, 1000, 1000, 700);
    r->p[0].period = 100;
    r->p[1].period = 100000; /* further than the wheel: taken in steps */
    engine_start(r->eng);
    engine_run(r->eng, 1000000);
    assert_int_equal(r->p[0].n, 10000); /* cycles 1, 101, ... */
    assert_true(r->p[1].n >= 10 && r->p[1].n < 10 + 1000000 / (ENGINE_WHEEL - 1) + 1);
    assert_int_equal(r->p[2].n, 1);
    assert_true(r->eng->instants < 20000);
    assert_int_equal(engine_cycle(r->eng, CLK_DRAM), 700000);
    rig_free(r);
}

static void stop_and_go_on(void **state)
{
    (void)state;
    struct rig *r = rig_new(1000, 1000, 1000, 1000);
    r->p[0].period = 1;
    r->p[0].stop_at = 50;
    engine_start(r->eng);
    assert_int_equal(engine_run(r->eng, 1000), ENGINE_STOPPED);
    assert_int_equal(r->p[0].last, 50);
    r->p[0].stop_at = 0;
    r->p[0].period = 0;
    engine_wake(&r->p[1].comp, 60);
    assert_int_equal(engine_run(r->eng, 1000), ENGINE_IDLE);
    assert_int_equal(r->p[1].last, 60);
    assert_int_equal(engine_cycle(r->eng, CLK_CORE), 1000);
    rig_free(r);
}

static void port_timing(void **state)
{
    (void)state;
    /* Producer on the core clock, consumer on another, for several pairs of frequencies and latencies. */
    static const uint64_t khz[][2] = {{1000, 1000}, {1400, 700}, {700, 1400}, {1400, 924}, {924, 1400}};
    for (int k = 0; k < 5; k++) {
        for (uint32_t latency = 1; latency <= 5; latency += 4) {
            struct rig *r = rig_new(khz[k][0], khz[k][1], 500, 500);
            port_init(&r->p[1].in, r->eng, &r->p[1].comp, 4, latency, "test");
            port_connect(&r->p[1].in, &r->p[0].comp);
            r->p[0].out = &r->p[1].in;
            r->p[0].to_send = 30;
            r->p[0].period = 1;
            engine_start(r->eng);
            engine_run(r->eng, 2000);
            assert_int_equal(r->p[1].n_got, 30);
            for (int i = 0; i < 30; i++) {
                /* First edge of the consumer strictly after the producer's, then latency - 1 more. */
                uint64_t edge = r->p[0].sent_at[i] * khz[k][1] / khz[k][0] + 1;
                assert_int_equal(r->p[1].got_at[i], edge + latency - 1);
            }
            rig_free(r);
        }
    }
}

static void port_full(void **state)
{
    (void)state;
    /* One slot: freed in cycle t, used in t + 1. A message per two cycles, each a cycle on its way. */
    struct rig *r = rig_new(1000, 1000, 1000, 1000);
    port_init(&r->p[1].in, r->eng, &r->p[1].comp, 1, 1, "test");
    port_connect(&r->p[1].in, &r->p[0].comp);
    r->p[0].out = &r->p[1].in;
    r->p[0].to_send = 10;
    engine_start(r->eng); /* the producer sleeps: only the freed slot wakes it */
    engine_run(r->eng, 100);
    assert_int_equal(r->p[1].n_got, 10);
    for (int i = 1; i < 10; i++) {
        assert_int_equal(r->p[1].got_at[i] - r->p[1].got_at[i - 1], 2);
        assert_int_equal(r->p[0].sent_at[i], r->p[1].got_at[i - 1] + 1);
    }
    rig_free(r);
}

/* The report's text; the caller frees it. */
static char *report(const struct engine *e)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    engine_report_deadlock(e, f);
    fclose(f);
    return text;
}

static void deadlock(void **state)
{
    (void)state;
    /* A request in flight and nobody who moves. */
    struct rig *r = rig_new(1000, 1000, 1000, 1000);
    engine_start(r->eng);
    req_id id = req_alloc(engine_pool(r->eng->comp.p[0]));
    assert_int_equal(engine_run(r->eng, NEVER), ENGINE_DEADLOCK);
    char *text = report(r->eng);
    assert_non_null(strstr(text, "1 requests in flight"));
    assert_non_null(strstr(text, "no component holds anything"));
    free(text);
    struct err e = {0};
    assert_int_equal(engine_check(r->eng, true, &e), -1);
    req_release(engine_pool(r->eng->comp.p[0]), id);
    assert_int_equal(engine_check(r->eng, true, &e), 0);
    rig_free(r);
    /* Someone spins without getting anywhere. */
    r = rig_new(1000, 1000, 1000, 1000);
    r->p[0].period = 1;
    engine_start(r->eng);
    req_alloc(engine_pool(r->eng->comp.p[0]));
    assert_int_equal(engine_run(r->eng, 100000), ENGINE_DEADLOCK);
    assert_true(r->p[0].last < 3000);
    rig_free(r);
}

/* The watch goes on from call to call, however short they are. */
static void deadlock_across_calls(void **state)
{
    (void)state;
    struct rig *r = rig_new(1000, 1000, 1000, 1000);
    r->p[0].period = 1;
    engine_start(r->eng);
    req_alloc(engine_pool(r->eng->comp.p[0]));
    uint64_t until = 0;
    enum engine_end end;
    do
        end = engine_run(r->eng, until += 10);
    while (end == ENGINE_LIMIT && until < 100000);
    assert_int_equal(end, ENGINE_DEADLOCK);
    assert_in_range(r->p[0].last, 1000, 2010); /* of 1000 cycles, one whole interval without progress */
    rig_free(r);
}

/* Instructions issued are progress; without requests in flight nothing but a task makes standing still a deadlock. */
static void watched_counters(void **state)
{
    (void)state;
    struct rig *r = rig_new(1000, 1000, 1000, 1000);
    r->p[0].period = 1;
    engine_watch(r->eng, &r->p[0].n); /* grows with every tick */
    engine_start(r->eng);
    req_alloc(engine_pool(r->eng->comp.p[0]));
    assert_int_equal(engine_run(r->eng, 20000), ENGINE_LIMIT);
    rig_free(r);
    for (uint32_t tasks = 0; tasks < 2; tasks++) {
        r = rig_new(1000, 1000, 1000, 1000);
        r->p[0].period = 1;
        engine_start(r->eng);
        engine_run(r->eng, 5000);
        r->eng->tasks = tasks;
        assert_int_equal(engine_run(r->eng, 20000), tasks ? ENGINE_DEADLOCK : ENGINE_LIMIT);
        rig_free(r);
    }
    /* After a long quiet time the first request is not a deadlock. */
    r = rig_new(1000, 1000, 1000, 1000);
    engine_start(r->eng);
    engine_run(r->eng, 500000);
    port_init(&r->p[1].in, r->eng, &r->p[1].comp, 1, 400, "test");
    port_send(&r->p[1].in, req_alloc(engine_pool(r->eng->comp.p[0])), 0);
    assert_int_equal(engine_run(r->eng, 600000), ENGINE_IDLE);
    rig_free(r);
}

/* ---- two components that each wait for room in the other's port, and a third that waits for one of them ---- */
static uint64_t stuck_tick(struct comp *comp, uint64_t now)
{
    struct probe *p = (struct probe *)comp;
    if (port_peek(&p->in, now) && port_can_send(p->out))
        port_send(p->out, port_pop(&p->in).req, 0);
    return NEVER;
}
static void stuck_waits(const struct comp *comp, struct waits *w)
{
    const struct probe *p = (const struct probe *)comp;
    waits_for_room(w, &p->in, port_oldest(&p->in), p->out, "its neighbor");
}

static void check_cycle_of_waits(enum req_origin origin, const char *maker)
{
    static const char *const name[3] = {"left", "right", "beside"};
    struct rig *r = rig_new(1000, 1000, 1000, 1000);
    for (int i = 0; i < 3; i++) {
        r->p[i].comp.tick = stuck_tick;
        r->p[i].comp.waits = stuck_waits;
        r->p[i].comp.name = name[i];
        port_init(&r->p[i].in, r->eng, &r->p[i].comp, 1, 1, "in");
        r->p[i].out = &r->p[i == 0].in; /* right to left, left to right, beside to left */
    }
    engine_start(r->eng);
    for (int i = 0; i < 3; i++) {
        req_id id = req_alloc(engine_pool(r->eng->comp.p[0]));
        r->eng->requests.req[id] = (struct req){.addr = 0x1000u * (unsigned)(i + 1),
                                                .created_at = (uint64_t)(30 - 10 * i),
                                                .sm = 7,
                                                .origin = (uint8_t)origin};
        port_send(&r->p[i].in, id, 0);
    }
    assert_int_equal(engine_run(r->eng, NEVER), ENGINE_DEADLOCK);
    char *text = report(r->eng);
    assert_non_null(strstr(text, "wait cycle (each waits for the next"));
    assert_non_null(strstr(text, "left, in: load of line 1000 waits for its neighbor: room in right, in"));
    assert_non_null(strstr(text, "right, in: load of line 2000 waits for its neighbor: room in left, in"));
    assert_null(strstr(text, "beside")); /* the oldest of all, but not in the cycle */
    assert_non_null(strstr(text, "the oldest request in it: load of line 2000, for "));
    assert_non_null(strstr(text, maker));
    free(text);
    rig_free(r);
}

static void cycle_of_waits(void **state)
{
    (void)state;
    check_cycle_of_waits(REQ_FROM_SM, ", for SM 7, warp 0, pc 0, created in core cycle 20\n");
    check_cycle_of_waits(REQ_FROM_L2, ", for L2 slice 7, created in core cycle 20\n");
}

/* Every address has one place, every place one address; consecutive interleave blocks go around the channels. */
static void mapping(void **state)
{
    (void)state;
    struct addrmap m;
    struct err e = {0};
    for (int i = 0; i < 8; i++) {
        const int hash = i & 3;
        const char *text = i < 4 ? "RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS" : "RRRR.RRRRRRRR.BBCCCCLB.CCSSSSSS";
        assert_int_equal(addrmap_init(&m, text, 256, 6, 2, hash & 1, hash & 2, &e), 0);
        assert_int_equal(m.n_bank, 16);
        uint8_t *seen = xcalloc(6u << 18, 1);
        unsigned count[12] = {0};
        for (uint64_t a = 0; a < 6u << 18; a += 32) {
            struct addr_place p;
            addrmap_place(&m, a, &p);
            assert_int_equal(p.slice, addrmap_slice(&m, a));
            assert_true(p.channel < 6 && p.bank < 16 && p.slice / 2 == p.channel);
            /* Rebuild a number from the place: it must be new. Banks are 16, columns 4 KiB. */
            uint64_t local = ((uint64_t)p.row * 16 + p.bank) * 4096 + p.col;
            uint64_t key = local / 32 * 6 + p.channel;
            assert_true(key < 6u << 18);
            assert_int_equal(seen[key], 0);
            seen[key] = 1;
            count[p.slice]++;
        }
        for (int slice = 1; slice < 12; slice++)
            assert_int_equal(count[slice], count[0]);
        free(seen);
        /* Within a slice the local addresses are dense: all sets are used. */
        uint64_t top = 0;
        for (uint64_t a = 0; a < 12 * 4096; a += 128)
            if (addrmap_slice(&m, a) == 3 && addrmap_local(&m, a) > top)
                top = addrmap_local(&m, a);
        assert_true(top < 3 * 4096);
    }
    struct addr_place p;
    assert_int_equal(addrmap_init(&m, "RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 256, 6, 2, false, false, &e), 0);
    addrmap_place(&m, 256 * 6, &p); /* the second block of channel 0: the low bank bit */
    assert_int_equal(p.channel, 0);
    assert_int_equal(p.bank, 1);
    assert_int_equal(p.slice, 1);
    addrmap_place(&m, 256 * 7, &p);
    assert_int_equal(p.channel, 1);
    assert_int_equal(addrmap_init(&m, "RRRR.RRRRRRRR.BBCCCCLB.CCSSSSSS", 256, 6, 2, false, false, &e), 0);
    addrmap_place(&m, 256 * 6, &p); /* another bank of the same slice */
    assert_int_equal(p.bank, 2);
    assert_int_equal(p.slice, 0);
    addrmap_place(&m, 256 * 12, &p); /* the other slice */
    assert_int_equal(p.bank, 1);
    assert_int_equal(p.slice, 1);
    assert_int_equal(addrmap_init(&m, "RRRR.RRRRRRRR.BLCCCCLB.CCSSSSSS", 256, 6, 2, false, false, &e), -1); /* four */
    assert_int_equal(addrmap_init(&m, "RRQQ", 256, 6, 2, false, false, &e), -1);
    assert_int_equal(addrmap_init(&m, "RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 300, 6, 2, false, false, &e), -1);
    assert_int_equal(addrmap_init(&m, "RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 256, 6, 3, false, false, &e), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clocks),
                                       cmocka_unit_test(jumps),
                                       cmocka_unit_test(stop_and_go_on),
                                       cmocka_unit_test(port_timing),
                                       cmocka_unit_test(port_full),
                                       cmocka_unit_test(deadlock),
                                       cmocka_unit_test(deadlock_across_calls),
                                       cmocka_unit_test(watched_counters),
                                       cmocka_unit_test(cycle_of_waits),
                                       cmocka_unit_test(mapping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
