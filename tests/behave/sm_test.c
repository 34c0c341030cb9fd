/*
 * One SM between a mock L1 and the dispatcher: in which cycle each thing happens.
 *
 * The mock answers every request a fixed number of cycles after it was sent. A test runs one kernel and looks at the
 * cycle in which its last CTA ended, at the mock's log of requests and at the counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "gpu/dispatch.h"
#include "sm/sched/ready_queue.h"
#include "sm/sm_priv.h"
#include "synth.h"

enum { LATENCY = 100 };

struct sent {
    uint64_t cycle, addr;
    uint32_t words, pc;
    uint16_t bytes, flags;
    uint8_t kind, space, sectors, nth, n_lines;
};

struct heard {
    enum event kind;
    uint32_t slot, argument;
    uint64_t cycle;
};

struct mock_l1 {
    struct comp comp;
    struct port in, events;
    struct port *fill;
    uint32_t take_every; /* cycles between requests taken */
    uint64_t next_take;
    uint64_t later; /* cycles beyond LATENCY until a reply is there */
    VEC(struct sent) log;
    VEC(struct heard) heard;
};

static uint64_t mock_tick(struct comp *c, uint64_t now)
{
    struct mock_l1 *m = (struct mock_l1 *)c;
    while (port_peek(&m->events, now)) {
        struct msg n = port_pop(&m->events);
        VEC_PUSH(&m->heard, (struct heard){event_kind(n.info), event_slot(n.info), n.req, now});
    }
    while (port_peek(&m->in, now)) {
        if (now < m->next_take)
            return m->next_take;
        m->next_take = now + m->take_every;
        req_id id = port_pop(&m->in).req;
        struct req *r = &c->eng->requests.req[id];
        VEC_PUSH(&m->log, (struct sent){.cycle = r->created_at,
                                        .addr = r->addr,
                                        .words = r->words,
                                        .pc = r->pc,
                                        .bytes = r->bytes,
                                        .flags = r->flags,
                                        .kind = r->kind,
                                        .space = r->space,
                                        .sectors = r->sectors,
                                        .nth = r->nth,
                                        .n_lines = r->n_lines});
        r->served = REQ_AT_L2;
        port_send_later(m->fill, id, 0, LATENCY - 2 + m->later);
    }
    return NEVER;
}

struct bench {
    struct arena *arena;
    struct engine *eng;
    struct sm *sm;
    struct mock_l1 *l1;
    struct dispatch *dispatch;
    struct sm_kernel *kernel;
    struct sm_config cfg;
    struct synth *synth;
};

static const struct cfg_section *const sections[] = {&sm_cfg_section, &icache_cfg_section};
static const struct policy_kind *const kinds[] = {&sm_sched_kind};
static const struct cfg_schema schema = {sections, 2, kinds, 1};

/* Every instruction issues ideally unless the test says otherwise: no fetch, no operand delay. */
static struct bench *bench_new(struct synth *s, const char *config, bool tick_all)
{
    struct err e;
    char copy[512], *save = NULL;
    const char *set[16];
    unsigned n_set = 0;
    snprintf(copy, sizeof copy, "%s", config);
    for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
        set[n_set++] = one;
    struct cfg *c = cfg_load_text(&schema, "test.ini",
                                  "[icache]\nsize = 0\n[sm]\nscheduler = gto\nfetch_width = 0\noperand_cycles = 0\n",
                                  set, n_set, NULL, &e);
    if (!c)
        fail_msg("%s", e.msg);
    struct bench *b = xcalloc(1, sizeof *b);
    b->synth = s;
    b->arena = arena_new();
    struct engine_config ec = {
        .khz = {1000, 1000, 1000, 1000}, .tick_all = tick_all, .deadlock_cycles = 10000, .max_requests = 8192};
    b->eng = engine_new(b->arena, &ec, &e);
    b->cfg = *(const struct sm_config *)cfg_section(c, "sm");
    struct sm_env env = {.n_sm = 1, .line_data = 128, .line_const = 64, .line_tex = 128};
    env.wanted_events = 1u << EVENT_LOOP_EXIT;
    env.sched_params = cfg_policy_params(c, "scheduler", b->cfg.scheduler);
    static const struct device_props one_sm = {.sm_count = 1, .gpc_count = 1};
    b->dispatch = dispatch_new(b->eng, &one_sm, 0, false, 1, b->cfg.cluster_barrier);
    b->sm = sm_new(b->eng, &b->cfg, cfg_section(c, "icache"), &env, "sm.0", &e);
    assert_non_null(b->sm);
    struct mock_l1 *m = b->l1 = arena_alloc64(b->arena, sizeof *m);
    m->comp.tick = mock_tick;
    m->take_every = 0;
    engine_add(b->eng, &m->comp, CLK_CORE, "mock");
    port_init(&m->in, b->eng, &m->comp, 32, 1, "in");
    m->in.cap = 4; /* unless the test says otherwise */
    port_init(&m->events, b->eng, &m->comp, 256, 1, "events");
    m->fill = sm_fill_in(b->sm);
    port_connect(m->fill, &m->comp);
    sm_connect(b->sm, &m->in, NULL, NULL, &m->events, dispatch_done_in(b->dispatch, 0));
    dispatch_connect(b->dispatch, 0, b->sm);
    engine_start(b->eng);
    b->kernel = sm_kernel_new(&s->kernel, &b->cfg, 1);
    sm_kernel_profile(b->kernel);
    cfg_free(c);
    return b;
}

/* Runs the kernel; returns the cycle in which the dispatcher heard of the last CTA's end. */
static uint64_t bench_run(struct bench *b, uint32_t ctas_at_once)
{
    const uint32_t cluster = b->synth->launch.cluster_ctas;
    const struct dispatch_grid grid = {
        .n_cta = trace_ctas(&b->synth->launch), .cluster = cluster ? cluster : 1, .per_sm = ctas_at_once, .warps = 1};
    sm_grid_begin(b->sm, 0, b->kernel, &b->synth->launch, 0, &b->synth->streams);
    dispatch_start(b->dispatch, 0, &grid, 1);
    assert_int_equal(engine_run(b->eng, 1000000), ENGINE_STOPPED);
    assert_int_equal(dispatch_ended(b->dispatch), 0);
    sm_grid_end(b->sm, 0);
    engine_sync(b->eng);
    struct err e;
    if (engine_check(b->eng, true, &e))
        fail_msg("%s", e.msg);
    return engine_cycle(b->eng, CLK_CORE);
}

static void bench_free(struct bench *b)
{
    VEC_FREE(&b->l1->log);
    VEC_FREE(&b->l1->heard);
    sm_kernel_free(b->kernel);
    dispatch_free(b->dispatch);
    sm_free(b->sm);
    engine_free(b->eng);
    arena_free(b->arena);
    free(b);
}

/*
 * Cycle 1: the dispatcher sends the CTA; cycle 2: the SM has it and issues the first instruction; an SM that issues its
 * last one in cycle c tells the dispatcher in cycle c + 1.
 */
enum { FIRST_ISSUE = 2 };

/* ---- issue ---- */

struct repeat {
    uint32_t pc, n;
};
static void repeat_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct repeat *r = ctx;
    (void)cta, (void)warp;
    for (uint32_t i = 0; i < r->n; i++)
        synth_do(s, r->pc, 1, ~0u);
}

/* Seals and runs a kernel of one CTA cycle by cycle and with skipped cycles, which end alike. Frees it; *stats may be NULL. */
static uint64_t end_of(struct synth *s, const char *config, struct sm_stats *stats)
{
    uint64_t end[2];
    synth_seal(s);
    for (int tick_all = 0; tick_all < 2; tick_all++) {
        struct bench *b = bench_new(s, config, tick_all);
        end[tick_all] = bench_run(b, 1);
        if (stats)
            *stats = b->sm->stats;
        bench_free(b);
    }
    synth_free(s);
    assert_int_equal(end[0], end[1]);
    return end[0];
}

static uint64_t cycles_of(enum trace_class cls, const int *dst, const int *src, uint32_t n, uint32_t warps,
                          const char *config, struct sm_stats *stats)
{
    struct repeat r = {.n = n};
    struct synth s;
    synth_init(&s, 1, 32 * warps, repeat_warp, &r);
    r.pc = synth_inst(&s, cls, dst, src);
    return end_of(&s, config, stats) - FIRST_ISSUE; /* cycles from the first issue to the end of the last */
}

static void independent_instructions_issue_every_cycle(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(TRACE_FP_ADD, REGS(1), REGS(2), 1, 1, "", NULL), 1);
    /* The same destination again and again is a dependence; without one, one instruction per cycle. */
    assert_int_equal(cycles_of(TRACE_BRANCH, NULL, NULL, 50, 1, "", NULL), 50);
}

static void dependent_instructions_wait_for_the_latency(void **state)
{
    (void)state;
    /* 10 adds in a chain, latency 4: the last issues 36 cycles after the first. */
    assert_int_equal(cycles_of(TRACE_FP_ADD, REGS(1), REGS(1), 10, 1, "", NULL), 9 * 4 + 1);
    assert_int_equal(cycles_of(TRACE_FP_ADD, REGS(1), REGS(1), 10, 1, "sm.lat.fp_add=7", NULL), 9 * 7 + 1);
    assert_int_equal(cycles_of(TRACE_FP_ADD, REGS(1), REGS(1), 10, 1, "sm.operand_cycles=3", NULL), 9 * 7 + 1);
    /* Same destination only: results are written in order, so it waits too. */
    assert_int_equal(cycles_of(TRACE_FP_ADD, REGS(1), NULL, 10, 1, "", NULL), 9 * 4 + 1);
}

static void initiation_interval_limits_a_unit(void **state)
{
    (void)state;
    /* 16 warps, one special function each, one unit with interval 8. */
    assert_int_equal(cycles_of(TRACE_SFU, REGS(1), REGS(2), 1, 16, "", NULL), 15 * 8 + 1);
    assert_int_equal(cycles_of(TRACE_SFU, REGS(1), REGS(2), 1, 16, "sm.sfu_units=2", NULL), 7 * 8 + 1);
    /* 16 lanes: every interval doubles. */
    assert_int_equal(cycles_of(TRACE_BRANCH, NULL, NULL, 1, 16, "sm.simt_width=16 sm.sp_units=2", NULL), 15);
}

static void two_schedulers_issue_two_instructions(void **state)
{
    (void)state;
    struct sm_stats t;
    assert_int_equal(cycles_of(TRACE_BRANCH, NULL, NULL, 25, 2, "", &t), 25);
    assert_int_equal(t.warp_insts, 50);
    assert_int_equal(t.thread_insts, 1600);
    assert_int_equal(t.issue_cycles, 50);
    assert_int_equal(cycles_of(TRACE_BRANCH, NULL, NULL, 25, 2, "sm.schedulers=1", &t), 50);
    assert_int_equal(cycles_of(TRACE_BRANCH, NULL, NULL, 25, 2, "sm.sp_units=1", &t), 50);
    /* They take turns; while both have work one of them waits. */
    assert_int_equal(t.stall[SM_STALL_UNIT], 49);
}

static void registers_are_counted_for_each_warp(void **state)
{
    (void)state;
    struct sm_stats t;
    cycles_of(TRACE_FP_MAD, REGS(1), REGS(2, 3, 4), 10, 2, "", &t);
    assert_int_equal(t.register_reads, 2 * 10 * 3);
    assert_int_equal(t.register_writes, 2 * 10);
    cycles_of(TRACE_BRANCH, NULL, REGS(5), 10, 1, "", &t);
    assert_int_equal(t.register_reads, 10);
    assert_int_equal(t.register_writes, 0);
}

static void stalls_are_charged_to_their_reason(void **state)
{
    (void)state;
    struct sm_stats t;
    cycles_of(TRACE_FP_ADD, REGS(1), REGS(1), 10, 1, "sm.schedulers=1", &t);
    assert_int_equal(t.issue_cycles, 10);
    assert_int_equal(t.stall[SM_STALL_ALU], 27);
    /* Cycle 1 before the CTA comes, and the cycle in which the dispatcher hears. */
    assert_int_equal(t.stall[SM_STALL_NO_WARP], t.scheduler_cycles - 37);
}

static void straight_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    (void)ctx, (void)cta, (void)warp;
    synth_do(s, 0, s->kernel.n_inst, ~0u);
}

static void fetching_costs_what_it_should(void **state)
{
    (void)state;
    /* Straight code of 8 instructions needs a table of 8. */
    struct repeat dummy = {0};
    for (int width = 1; width <= 2; width++) {
        struct synth s;
        synth_init(&s, 1, 32, NULL, &dummy);
        for (int i = 0; i < 8; i++)
            synth_inst(&s, TRACE_BRANCH, NULL, NULL);
        synth_seal(&s);
        s.warp = straight_warp;
        struct bench *b = bench_new(
            &s, width == 1 ? "sm.fetch_width=1 sm.fetch_cycles=3" : "sm.fetch_width=2 sm.fetch_cycles=2", false);
        uint64_t end = bench_run(b, 1);
        /* width 1: every 3 cycles; width 2: pairs every 3 cycles (issue, issue, wait). The first fetch counts too. */
        uint64_t first = FIRST_ISSUE + (width == 1 ? 3 : 2);
        assert_int_equal(end, width == 1 ? first + 7 * 3 + 1 : first + 3 * 3 + 1 + 1);
        bench_free(b);
        synth_free(&s);
    }
}

static void branches_not_taken_cost_what_they_should(void **state)
{
    (void)state;
    struct repeat dummy = {0};
    for (int tick = 0; tick < 2; tick++) {
        struct synth s;
        synth_init(&s, 1, 32, straight_warp, &dummy);
        for (int i = 0; i < 8; i++)
            synth_inst(&s, TRACE_BRANCH, NULL, NULL);
        synth_seal(&s);
        struct bench *b = bench_new(&s, "sm.fall_through_cycles=5 sm.branch_cycles=20", tick);
        assert_int_equal(bench_run(b, 1) - FIRST_ISSUE, 7 * 5 + 1);
        bench_free(b);
        synth_free(&s);
    }
}

/* A comparison and a branch, again and again: back to the comparison, or on to the next pair. */
struct jumps {
    uint32_t n;
    bool forward;
};
static void jumping_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct jumps *j = ctx;
    (void)cta, (void)warp;
    for (uint32_t i = 0; i < j->n; i++)
        synth_do(s, j->forward ? 3 * i : 0, 2, ~0u);
}

static void jumps_cost_what_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        bool forward;
        unsigned period;
    } cases[] = {{"sm.lat.int_add=4", false, 4 + 1}, /* where nothing is fetched a jump is free by default */
                 {"sm.lat.int_add=4 sm.branch_cycles=3", false, 4 + 3},
                 {"sm.lat.int_add=4 sm.branch_cycles=3", true, 4 + 3},
                 {"sm.lat.int_add=4 sm.branch_cycles=3 sm.loop_cycles=20", false, 4 + 20},
                 {"sm.lat.int_add=4 sm.branch_cycles=3 sm.loop_cycles=20", true, 4 + 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int tick = 0; tick < 2; tick++) {
            struct jumps j = {.n = 5, .forward = cases[k].forward};
            struct synth s;
            synth_init(&s, 1, 32, jumping_warp, &j);
            for (uint32_t i = 0; i < 5; i++) {
                synth_inst(&s, TRACE_INT_ADD, REGS(1), NULL);
                synth_inst(&s, TRACE_BRANCH, NULL, REGS(1));
                synth_inst(&s, TRACE_INT_ADD, NULL, NULL);
            }
            synth_seal(&s);
            struct bench *b = bench_new(&s, cases[k].config, tick);
            assert_int_equal(bench_run(b, 1) - FIRST_ISSUE, 4 * cases[k].period + 4 + 1);
            bench_free(b);
            synth_free(&s);
        }
}

/* ---- memory ---- */

struct load_then_use {
    uint32_t load, use;
    uint64_t base;
    int64_t stride;
    uint32_t mask;
    enum trace_space space;
    enum trace_class cls; /* 0 = TRACE_LOAD */
};
static void load_use_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct load_then_use *l = ctx;
    (void)cta;
    synth_affine(s, l->load, l->mask, l->space, l->base + warp * 4096, l->stride);
    synth_do(s, l->use, 1, ~0u);
}

static struct bench *run_load(struct synth *s, struct load_then_use *l, unsigned width, uint32_t warps,
                              const char *config, uint64_t *end)
{
    synth_init(s, 1, 32 * warps, load_use_warp, l);
    l->load = synth_mem_inst(s, l->cls ? l->cls : TRACE_LOAD, l->space, width, REGS(1), REGS(2));
    l->use = synth_inst(s, TRACE_FP_ADD, REGS(3), REGS(1));
    synth_seal(s);
    struct bench *b = bench_new(s, config, false);
    *end = bench_run(b, 1);
    return b;
}

/* sm.store_passes: cycles from one warp's store to the next one's. */
static void stores_occupy_the_unit_by_sectors(void **state)
{
    (void)state;
    const struct {
        uint32_t mask;
        int64_t stride;
        unsigned lines, cycles;
    } shape[] = {{~0u, 4, 1, 4}, {0xff, 4, 1, 1}, {0xf, 4, 1, 2}, {0xfff, 4, 1, 3}, {~0u, 16, 4, 8}, {0x7, 128, 3, 6}};
    for (unsigned i = 0; i < 6; i++)
        for (unsigned on = 0; on < 2; on++) {
            struct load_then_use l = {.base = 0x10000,
                                      .stride = shape[i].stride,
                                      .mask = shape[i].mask,
                                      .space = TRACE_SP_GLOBAL,
                                      .cls = TRACE_STORE};
            struct synth s;
            uint64_t end;
            struct bench *b = run_load(
                &s, &l, 4, 4,
                on ? "sm.schedulers=4 sm.lsu_lines=8 sm.store_passes=yes" : "sm.schedulers=4 sm.lsu_lines=8", &end);
            assert_int_equal(b->l1->log.n, 4 * shape[i].lines);
            for (unsigned w = 1; w < 4 && (on || shape[i].lines == 1); w++)
                assert_int_equal(b->l1->log.p[w * shape[i].lines].cycle - b->l1->log.p[0].cycle,
                                 w * (on ? shape[i].cycles : 1));
            bench_free(b);
            synth_free(&s);
        }
}

static void a_load_wakes_its_user_when_the_line_is_there(void **state)
{
    (void)state;
    struct load_then_use l = {.base = 0x1000, .stride = 4, .mask = ~0u, .space = TRACE_SP_GLOBAL};
    struct synth s;
    uint64_t end;
    struct bench *b = run_load(&s, &l, 4, 1, "sm.schedulers=1", &end);
    assert_int_equal(b->l1->log.n, 1);
    struct sent *q = &b->l1->log.p[0];
    assert_int_equal(q->addr, 0x1000);
    assert_int_equal(q->words, ~0u);
    assert_int_equal(q->bytes, 128);
    assert_int_equal(q->sectors, 15);
    assert_int_equal(q->kind, REQ_READ);
    /* Issue in 2, sent in 3, back LATENCY later, the use issues then. */
    assert_int_equal(q->cycle, FIRST_ISSUE + 1);
    assert_int_equal(end, FIRST_ISSUE + 1 + LATENCY + 1);
    assert_int_equal(b->sm->stats.stall[SM_STALL_MEM], LATENCY);
    /* A profile lets the user wait and blames the load. */
    assert_int_equal(b->kernel->profile[l.use].waited[SM_STALL_MEM], LATENCY);
    assert_int_equal(b->kernel->profile[l.load].caused[SM_STALL_MEM], LATENCY);
    assert_int_equal(b->kernel->load[0].sectors, 4);
    assert_int_equal(b->sm->stats.latency_sum[REQ_AT_L2], LATENCY);
    assert_int_equal(b->kernel->load[0].executions, 1);
    assert_int_equal(b->kernel->load[0].lines, 1);
    bench_free(b);
    synth_free(&s);
}

/* sm.coalesce = segments: bytes are merged within 32, and what moves is an aligned segment. */
/* Replies that queue up come later than a port can wake its reader: the SM looks when they are there. */
static void a_late_reply_is_not_missed(void **state)
{
    (void)state;
    struct load_then_use l = {.base = 0x1000, .stride = 4, .mask = ~0u, .space = TRACE_SP_GLOBAL};
    struct synth s;
    synth_init(&s, 1, 32, load_use_warp, &l);
    l.load = synth_mem_inst(&s, TRACE_LOAD, l.space, 4, REGS(1), REGS(2));
    l.use = synth_inst(&s, TRACE_FP_ADD, REGS(3), REGS(1));
    synth_seal(&s);
    struct bench *b = bench_new(&s, "sm.schedulers=1", false);
    b->l1->later = 3 * ENGINE_WHEEL;
    assert_int_equal(bench_run(b, 1), FIRST_ISSUE + 1 + LATENCY + 3 * ENGINE_WHEEL + 1);
    bench_free(b);
    synth_free(&s);
}

static void segments_leave_instead_of_lines(void **state)
{
    (void)state;
    struct load_then_use bytes = {.base = 0x1000, .stride = 4, .mask = ~0u, .space = TRACE_SP_GLOBAL};
    struct synth s;
    uint64_t end;
    struct bench *b = run_load(&s, &bytes, 1, 1, "sm.coalesce=segments", &end);
    assert_int_equal(b->l1->log.n, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(b->l1->log.p[i].addr, 0x1000);
        assert_int_equal(b->l1->log.p[i].sectors, 1u << i);
    }
    bench_free(b);
    synth_free(&s);
    /* Lanes 0 to 8 at 8 bytes from one another: the first three sectors. */
    static const struct {
        const char *config;
        unsigned sectors;
    } cases[] = {{"", 7}, {"sm.coalesce=segments", 15}};
    for (unsigned i = 0; i < 2; i++) {
        struct load_then_use words = {.base = 0x1000, .stride = 8, .mask = 0x1ff, .space = TRACE_SP_GLOBAL};
        b = run_load(&s, &words, 4, 1, cases[i].config, &end);
        assert_int_equal(b->l1->log.n, 1);
        assert_int_equal(b->l1->log.p[0].sectors, cases[i].sectors);
        bench_free(b);
        synth_free(&s);
    }
}

static void lines_leave_one_per_cycle(void **state)
{
    (void)state;
    struct load_then_use l = {.base = 0x10000, .stride = 128, .mask = ~0u, .space = TRACE_SP_GLOBAL};
    struct synth s;
    uint64_t end;
    struct bench *b = run_load(&s, &l, 4, 1, "", &end);
    assert_int_equal(b->l1->log.n, 32);
    for (unsigned i = 0; i < 32; i++) {
        struct sent *q = &b->l1->log.p[i];
        assert_int_equal(q->cycle, FIRST_ISSUE + 1 + i);
        assert_int_equal(q->addr, 0x10000 + 128 * i);
        assert_int_equal(q->words, 1);
        assert_int_equal(q->sectors, 1);
        assert_int_equal(q->nth, i);
        assert_int_equal(q->n_lines, 32);
        assert_int_equal((q->flags & REQ_F_LAST) != 0, i == 31);
    }
    assert_int_equal(end, FIRST_ISSUE + 1 + 31 + LATENCY + 1);
    bench_free(b);
    synth_free(&s);
}

/* Two texture fetches: the second one's lines leave when the first has had its cycles. */
static void fetch_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    (void)cta, (void)warp;
    synth_access(s, 0, ~0u, TRACE_SP_TEX, ctx);
    synth_affine(s, 1, 1, TRACE_SP_TEX, 0x100000, 0);
}

static void textures_are_fetched_by_quads(void **state)
{
    (void)state;
    static const struct {
        unsigned in_quad, by_quad; /* bytes from lane to lane, and from quad to quad */
        unsigned cycles, flags;
    } cases[] = {{4, 16, 4},                  /* two quads in two sectors go together */
                 {4, 16, 8, TRACE_MEM_PLANE}, /* but not where a sampling unit takes each lane */
                 {128, 512, 32, TRACE_MEM_PLANE},
                 {16, 64, 8},  /* a quad in a line */
                 {4, 4096, 8}, /* also when quads are far apart */
                 {128, 512, 32},
                 {1024, 4096, 8}}; /* lines of different KiB are looked up together */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t addr[32];
        for (unsigned l = 0; l < 32; l++)
            addr[l] = 0x10000 + l / 4 * cases[k].by_quad + l % 4 * cases[k].in_quad;
        struct synth s;
        synth_init(&s, 1, 32, fetch_warp, addr);
        synth_mem_inst(&s, TRACE_TEX, TRACE_SP_TEX, 4, REGS(1), NULL);
        s.inst.p[0].mem_flags = (uint8_t)cases[k].flags;
        synth_mem_inst(&s, TRACE_TEX, TRACE_SP_TEX, 4, REGS(2), NULL);
        synth_seal(&s);
        struct bench *b = bench_new(&s, "sm.lsu_lines=8 sm.tex_cycles=4 sm.tex_plane_cycles=8 sm.tex_quads=yes", false);
        b->l1->in.cap = 32;
        bench_run(b, 1);
        assert_int_equal(b->l1->log.p[b->l1->log.n - 1].cycle, FIRST_ISSUE + 1 + cases[k].cycles);
        bench_free(b);
        synth_free(&s);
    }
}

static void a_full_queue_stalls_issue(void **state)
{
    (void)state;
    /* 8 warps with 32 lines each through a queue of 2: issue is held back. */
    struct load_then_use l = {.base = 0x10000, .stride = 128, .mask = ~0u, .space = TRACE_SP_GLOBAL};
    struct synth s;
    uint64_t end;
    struct bench *b = run_load(&s, &l, 4, 8, "sm.schedulers=1 sm.lsu_queue=2", &end);
    assert_int_equal(b->l1->log.n, 256);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(b->l1->log.p[i].cycle, FIRST_ISSUE + 1 + i);
    assert_int_equal(end, FIRST_ISSUE + 1 + 255 + LATENCY + 1);
    /* The first two enter at once; the third when the first has left, 32 cycles later. */
    assert_true(b->sm->stats.stall[SM_STALL_LSU] > 4 * 32);
    bench_free(b);
    synth_free(&s);
}

struct store_then_load {
    uint32_t store, load;
};
static void store_load_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct store_then_load *x = ctx;
    (void)cta;
    synth_affine(s, x->store, ~0u, TRACE_SP_GLOBAL, 0x10000 + warp * 4096, 128);
    synth_affine(s, x->load, ~0u, TRACE_SP_GLOBAL, 0x90000, 4);
}

/* One warp: its load of one line waits while the store before it sends 32 through a queue of 1. */
static void a_full_queue_is_blamed_on_its_head(void **state)
{
    (void)state;
    struct store_then_load x;
    struct synth s;
    synth_init(&s, 1, 32, store_load_warp, &x);
    x.store = synth_mem_inst(&s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(1, 2));
    x.load = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(3), REGS(4));
    synth_seal(&s);
    struct bench *b = bench_new(&s, "sm.schedulers=1 sm.lsu_queue=1", false);
    bench_run(b, 1);
    const uint64_t lost = b->sm->stats.stall[SM_STALL_LSU];
    assert_in_range(lost, 30, 33);
    assert_int_equal(b->kernel->profile[x.load].waited[SM_STALL_LSU], lost);
    assert_int_equal(b->kernel->profile[x.store].caused[SM_STALL_LSU], lost);
    bench_free(b);
    synth_free(&s);
}

static void shared_memory_takes_its_passes(void **state)
{
    (void)state;
    static const struct {
        int64_t stride;
        unsigned width, passes;
    } cases[] = {{4, 4, 1}, {0, 4, 1}, {8, 4, 2},   {12, 4, 1},     {16, 4, 4}, {64, 4, 16}, {128, 4, 32}, {132, 4, 1},
                 {1, 1, 1}, {8, 8, 2}, {16, 16, 4}, {16, 8, 2 * 2}, {0, 8, 2},  {0, 16, 4},  {256, 8, 32}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_then_use l = {.stride = cases[i].stride, .mask = ~0u, .space = TRACE_SP_SHARED};
        struct synth s;
        uint64_t end;
        struct bench *b = run_load(&s, &l, cases[i].width, 1, "", &end);
        assert_int_equal(b->sm->stats.shared_passes, cases[i].passes);
        assert_int_equal(end, FIRST_ISSUE + 1 + 26 + cases[i].passes - 1 + 1);
        bench_free(b);
        synth_free(&s);
    }
}

/* An atomic of all lanes to one word that returns a value: 32 steps, of which each after the first adds to the latency. */
static void shared_atomics_wait_for_each_other(void **state)
{
    (void)state;
    struct load_then_use l = {.stride = 0, .mask = ~0u, .space = TRACE_SP_SHARED, .cls = TRACE_ATOM};
    struct synth s;
    uint64_t end;
    struct bench *b = run_load(&s, &l, 4, 1, "sm.smem_atomic_latency=28 sm.smem_atomic_wait=2", &end);
    assert_int_equal(end, FIRST_ISSUE + 1 + 28 + 2 * 31 + 1);
    bench_free(b);
    synth_free(&s);
    l.cls = TRACE_LOAD; /* a load is no atomic */
    b = run_load(&s, &l, 4, 1, "sm.smem_atomic_latency=28 sm.smem_atomic_wait=2", &end);
    assert_int_equal(end, FIRST_ISSUE + 1 + 26 + 1);
    bench_free(b);
    synth_free(&s);
}

/* Three loads of constants, each used before the next: the third finds the line of the first, unless others replaced it. */
struct constants {
    uint64_t at[3];
    int64_t stride;
};
static void constants_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct constants *c = ctx;
    (void)cta, (void)warp;
    for (uint32_t k = 0; k < 3; k++) {
        synth_affine(s, 0, ~0u, TRACE_SP_CONST, c->at[k], c->stride);
        synth_do(s, 1, 1, ~0u);
    }
}

static void constants_are_near_or_far(void **state)
{
    (void)state;
    static const struct {
        struct constants c;
        unsigned far, words;
    } cases[] = {{{{0, 4, 8}, 0}, 1, 0},    /* one line */
                 {{{0, 64, 4}, 0}, 2, 0},   /* two of two */
                 {{{0, 64, 128}, 0}, 3, 0}, /* three: */
                 {{{0, 0, 0}, 4}, 1, 32}};  /* a word for each lane, in two lines */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct constants c = cases[k].c;
        struct synth s;
        synth_init(&s, 1, 32, constants_warp, &c);
        synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_CONST, 4, REGS(1), NULL);
        synth_inst(&s, TRACE_FP_ADD, NULL, REGS(1));
        synth_seal(&s);
        uint64_t end[2];
        for (int far = 0; far < 2; far++) {
            struct bench *b =
                bench_new(&s,
                          far ? "sm.const_near=128B sm.const_far_latency=70 sm.const_interval=2 sm.lsu_lines=2"
                              : "sm.lsu_lines=2",
                          false);
            sm_connect(b->sm, &b->l1->in, &b->l1->in, NULL, &b->l1->events, dispatch_done_in(b->dispatch, 0));
            end[far] = bench_run(b, 1);
            bench_free(b);
        }
        assert_int_equal(end[1] - end[0], 70 * cases[k].far);
        synth_free(&s);
    }
}

/* sm.long_loads: a warp that waits for shared or constant memory keeps its place in the ready queue, or leaves it. */
static void near_loads_keep_their_place(void **state)
{
    (void)state;
    static const struct {
        enum trace_space space;
        const char *config;
        uint64_t demotions;
    } cases[] = {{TRACE_SP_SHARED, "sm.schedulers=1 sm.scheduler=two_level", 1},
                 {TRACE_SP_SHARED, "sm.schedulers=1 sm.scheduler=two_level sm.long_loads=memory", 0},
                 {TRACE_SP_LOCAL, "sm.schedulers=1 sm.scheduler=two_level sm.long_loads=memory", 1},
                 {TRACE_SP_GLOBAL, "sm.schedulers=1 sm.scheduler=two_level sm.long_loads=memory", 1}};
    uint64_t ends[4];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_then_use l = {.base = 0x1000, .stride = 4, .mask = ~0u, .space = cases[i].space};
        struct synth s;
        struct bench *b = run_load(&s, &l, 4, 1, cases[i].config, &ends[i]);
        assert_int_equal(((const struct ready_queue *)b->sm->sched_state[0])->demotions, cases[i].demotions);
        /* Which wait it is does not change how the cycles are counted. */
        assert_int_equal(b->kernel->profile[l.use].waited[SM_STALL_MEM], b->sm->stats.stall[SM_STALL_MEM]);
        bench_free(b);
        synth_free(&s);
    }
    assert_int_equal(ends[0], ends[1]);
}

static void local_memory_of_a_warp_is_one_line_per_word(void **state)
{
    (void)state;
    for (unsigned width = 4; width <= 16; width *= 2) {
        struct load_then_use l = {.base = 64, .stride = 0, .mask = ~0u, .space = TRACE_SP_LOCAL};
        struct synth s;
        uint64_t end;
        struct bench *b = run_load(&s, &l, width, 1, "", &end);
        assert_int_equal(b->l1->log.n, width / 4);
        for (unsigned i = 0; i < width / 4; i++) {
            assert_int_equal(b->l1->log.p[i].words, ~0u);
            assert_int_equal(b->l1->log.p[i].space, REQ_SP_LOCAL);
        }
        bench_free(b);
        synth_free(&s);
    }
}

struct store_fence {
    uint32_t store, fence, end;
};
static void store_fence_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct store_fence *f = ctx;
    (void)cta, (void)warp;
    synth_affine(s, f->store, ~0u, TRACE_SP_GLOBAL, 0x1000, 4);
    synth_do(s, f->fence, 1, ~0u);
    synth_do(s, f->end, 1, ~0u);
}

static void store_fence_kernel(struct synth *s, struct store_fence *f)
{
    synth_init(s, 1, 32, store_fence_warp, f);
    f->store = synth_mem_inst(s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(1));
    f->fence = synth_inst(s, TRACE_FENCE, NULL, NULL);
    f->end = synth_inst(s, TRACE_EXIT, NULL, NULL);
    synth_seal(s);
}

static void a_fence_waits_for_the_stores(void **state)
{
    (void)state;
    struct store_fence f;
    struct synth s;
    store_fence_kernel(&s, &f);
    struct bench *b = bench_new(&s, "sm.schedulers=1", false);
    uint64_t end = bench_run(b, 1);
    assert_int_equal(b->l1->log.p[0].kind, REQ_WRITE);
    /* Store sent in 3, acknowledged in 103: the fence issues then, the exit one later. */
    assert_int_equal(end, FIRST_ISSUE + 1 + LATENCY + 1 + 1);
    assert_int_equal(b->sm->stats.stall[SM_STALL_FENCE], LATENCY);
    bench_free(b);
    synth_free(&s);
}

static void store_only_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct store_fence *f = ctx;
    (void)cta, (void)warp;
    synth_affine(s, f->store, ~0u, TRACE_SP_GLOBAL, 0x1000, 4);
    synth_do(s, f->end, 1, ~0u);
}

static void a_cta_ends_when_its_stores_are_acknowledged(void **state)
{
    (void)state;
    struct store_fence f;
    struct synth s;
    synth_init(&s, 2, 32, store_only_warp, &f);
    f.store = synth_mem_inst(&s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(1));
    f.end = synth_inst(&s, TRACE_EXIT, NULL, NULL);
    synth_seal(&s);
    struct bench *b = bench_new(&s, "sm.schedulers=1", false);
    uint64_t end = bench_run(b, 1); /* one CTA at a time */
    uint64_t one = 1 + LATENCY;     /* first issue to the end */
    /* End in cycle c; the dispatcher hears in c + 1 and sends the next, which issues in c + 2. */
    assert_int_equal(end, FIRST_ISSUE + one + 2 + one + 1);
    assert_true(b->sm->stats.stall[SM_STALL_DRAIN] >= 2 * (LATENCY - 2));
    bench_free(b);
    synth_free(&s);
}

static void atomics_to_one_word_become_one_request_each(void **state)
{
    (void)state;
    struct load_then_use l = {.base = 0x1000, .stride = 0, .mask = 0xff, .space = TRACE_SP_GLOBAL};
    struct synth s;
    synth_init(&s, 1, 32, load_use_warp, &l);
    l.load = synth_mem_inst(&s, TRACE_ATOM, TRACE_SP_GLOBAL, 4, REGS(1), REGS(2));
    l.use = synth_inst(&s, TRACE_FP_ADD, REGS(3), REGS(1));
    synth_seal(&s);
    struct bench *b = bench_new(&s, "", false);
    bench_run(b, 1);
    assert_int_equal(b->l1->log.n, 8);
    assert_int_equal(b->l1->log.p[0].kind, REQ_ATOMIC);
    bench_free(b);
    synth_free(&s);
}

/* ---- barriers ---- */

struct phases {
    uint32_t work, barrier, tail, exit;
};
/* Warp w does w + 1 instructions, waits, does one more. */
static void phase_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct phases *p = ctx;
    (void)cta;
    for (uint32_t i = 0; i < 10 * (warp + 1); i++)
        synth_do(s, p->work, 1, ~0u);
    synth_do(s, p->barrier, 1, ~0u);
    synth_do(s, p->tail, 1, ~0u);
    synth_do(s, p->exit, 1, ~0u);
}

/* Four warps reach a barrier in two cycles; the SM takes their arrivals one after the other. */
static void crowd_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct phases *p = ctx;
    (void)cta, (void)warp;
    synth_do(s, p->barrier, 1, ~0u);
    synth_do(s, p->exit, 1, ~0u);
}

static void arrivals_at_barriers_take_turns(void **state)
{
    (void)state;
    for (unsigned interval = 0; interval < 4; interval += 2) {
        struct phases p;
        struct synth s;
        synth_init(&s, 1, 128, crowd_warp, &p);
        p.barrier = synth_inst(&s, TRACE_BARRIER, NULL, NULL);
        p.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
        synth_seal(&s);
        struct bench *b =
            bench_new(&s, interval ? "sm.lat.barrier=11 sm.barrier_interval=2" : "sm.lat.barrier=11", false);
        /* The last arrives a cycle after the first; of the two that exit per cycle, too. */
        assert_int_equal(bench_run(b, 1), FIRST_ISSUE + (interval ? 4 * interval : 1) + 11 + 1 + 1);
        bench_free(b);
        synth_free(&s);
    }
}

static void a_barrier_opens_for_the_last_warp(void **state)
{
    (void)state;
    struct phases p;
    struct synth s;
    synth_init(&s, 1, 64, phase_warp, &p);
    p.work = synth_inst(&s, TRACE_BRANCH, NULL, NULL);
    p.barrier = synth_inst(&s, TRACE_BARRIER, NULL, NULL);
    p.tail = synth_inst(&s, TRACE_BRANCH, NULL, NULL);
    p.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
    synth_seal(&s);
    struct bench *b = bench_new(&s, "", false);
    uint64_t end = bench_run(b, 1);
    /* Warp 1 has 20 cycles of work, its barrier issues 20 cycles after the first, then tail and exit. */
    assert_int_equal(end, FIRST_ISSUE + 20 + 1 + 1 + 1);
    assert_int_equal(b->sm->stats.barriers, 1);
    assert_int_equal(b->sm->stats.stall[SM_STALL_BARRIER], 10);
    assert_int_equal(b->kernel->profile[p.barrier].waited[SM_STALL_BARRIER], 10);
    assert_int_equal(b->kernel->profile[p.barrier].caused[SM_STALL_BARRIER], 10);
    bench_free(b);
    synth_free(&s);
}

/* Warp 0 exits before the barrier; the others must not wait for it. */
static void early_exit_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct phases *p = ctx;
    (void)cta;
    if (warp == 0) {
        for (int i = 0; i < 50; i++)
            synth_do(s, p->work, 1, ~0u);
    } else {
        synth_do(s, p->barrier, 1, ~0u);
        synth_do(s, p->tail, 1, ~0u);
    }
    synth_do(s, p->exit, 1, ~0u);
}

/* A diverged warp arrives in two parts and must wait only once, when both have come. */
static void diverged_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct phases *p = ctx;
    (void)cta;
    if (warp == 0) {
        synth_do(s, p->barrier, 1, 0xffff);
        synth_do(s, p->work, 1, 0xffff0000);
        synth_do(s, p->barrier, 1, 0xffff0000);
    } else {
        for (int i = 0; i < 30; i++)
            synth_do(s, p->work, 1, ~0u);
        synth_do(s, p->barrier, 1, ~0u);
    }
    synth_do(s, p->tail, 1, ~0u);
    synth_do(s, p->exit, 1, ~0u);
}

static void barriers_survive_exits_and_divergence(void **state)
{
    (void)state;
    synth_warp *const how[] = {early_exit_warp, diverged_warp};
    for (unsigned i = 0; i < 2; i++) {
        struct phases p;
        struct synth s;
        synth_init(&s, 1, 96, how[i], &p);
        p.work = synth_inst(&s, TRACE_BRANCH, NULL, NULL);
        p.barrier = synth_inst(&s, TRACE_BARRIER, NULL, NULL);
        p.tail = synth_inst(&s, TRACE_BRANCH, NULL, NULL);
        p.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
        synth_seal(&s);
        struct bench *b = bench_new(&s, "", false);
        bench_run(b, 1);
        assert_int_equal(b->sm->stats.barriers, 1);
        bench_free(b);
        synth_free(&s);
    }
}

/* ---- loops ---- */

/* Loop 1 holds loop 2. in[n]: an instruction in loop n; in[0]: in none. */
struct nest {
    uint32_t in[3], exit, call, ret;
};

static void nest_kernel(struct synth *s, struct nest *n)
{
    VEC_PUSH(&s->loop, ((struct trace_loop){.parent = 0, .depth = 1}));
    VEC_PUSH(&s->loop, ((struct trace_loop){.parent = 1, .depth = 2}));
    for (uint16_t l = 0; l < 3; l++) {
        n->in[l] = synth_inst(s, TRACE_BRANCH, NULL, NULL);
        s->inst.p[n->in[l]].loop = l;
    }
    n->call = synth_inst(s, TRACE_CALL, NULL, NULL);
    s->inst.p[n->call].loop = 1;
    n->ret = synth_inst(s, TRACE_RET, NULL, NULL);
    n->exit = synth_inst(s, TRACE_EXIT, NULL, NULL);
    synth_seal(s);
}

static void nested_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct nest *n = ctx;
    (void)cta, (void)warp;
    synth_do(s, n->in[0], 1, ~0u);
    for (int i = 0; i < 2; i++) {
        synth_do(s, n->in[1], 1, ~0u);
        synth_do(s, n->in[2], 1, ~0u); /* entered and left twice */
        synth_do(s, n->in[2], 1, ~0u);
        synth_do(s, n->call, 1, ~0u); /* what is called belongs to the loop of the call */
        synth_do(s, n->ret, 1, ~0u);
    }
    synth_do(s, n->in[2], 1, ~0u); /* from the inner loop right out of both */
    synth_do(s, n->in[0], 1, ~0u);
    synth_do(s, n->exit, 1, ~0u);
}

static void leaving_in_parts_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct nest *n = ctx;
    (void)cta, (void)warp;
    synth_do(s, n->in[1], 1, ~0u);
    synth_do(s, n->in[0], 1, 0xff);       /* eight lanes run ahead: the loop is not over */
    synth_do(s, n->in[1], 1, 0xffffff00); /* eight wait at its end, unseen */
    synth_do(s, n->in[1], 1, 0xffff0000);
    synth_do(s, n->exit, 1, 0x0f000000); /* four end inside it */
    synth_do(s, n->in[0], 1, 0xf0ff0000);
    synth_do(s, n->in[0], 1, 0xff00); /* only now has the last one left */
    synth_do(s, n->in[0], 1, 0xf0ffffff);
    synth_do(s, n->exit, 1, 0xf0ffffff);
}

static void a_loop_ends_when_the_last_lane_has_left(void **state)
{
    (void)state;
    static const struct {
        synth_warp *warp;
        uint32_t left[4];
        unsigned n;
        uint64_t last; /* cycle in which the L1 hears of the last one */
    } cases[] = {{nested_warp, {2, 2, 2, 1}, 4, FIRST_ISSUE + 1 + 10 + 1},
                 {leaving_in_parts_warp, {1}, 1, FIRST_ISSUE + 5 + 1}};
    for (unsigned i = 0; i < 2; i++) {
        struct nest n;
        struct synth s;
        synth_init(&s, 1, 32, cases[i].warp, &n);
        nest_kernel(&s, &n);
        struct bench *b = bench_new(&s, "sm.lat.branch=1 sm.lat.call=1 sm.lat.ret=1", false);
        bench_run(b, 1);
        assert_int_equal(b->l1->heard.n, cases[i].n);
        for (unsigned k = 0; k < cases[i].n; k++) {
            assert_int_equal(b->l1->heard.p[k].kind, EVENT_LOOP_EXIT);
            assert_int_equal(b->l1->heard.p[k].slot, 0);
            assert_int_equal(b->l1->heard.p[k].argument, cases[i].left[k]);
        }
        assert_int_equal(b->l1->heard.p[cases[i].n - 1].cycle, cases[i].last);
        bench_free(b);
        synth_free(&s);
    }
}

/* ---- schedulers ---- */

struct order {
    uint32_t work, exit;
};
static void order_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct order *o = ctx;
    (void)cta;
    synth_affine(s, o->work + 0, ~0u, TRACE_SP_GLOBAL, 0x1000 * (warp + 1), 4);
    synth_affine(s, o->work + 1, ~0u, TRACE_SP_GLOBAL, 0x1000 * (warp + 1) + 0x100, 4);
    synth_affine(s, o->work + 2, ~0u, TRACE_SP_GLOBAL, 0x1000 * (warp + 1) + 0x200, 4);
    synth_do(s, o->exit, 1, ~0u);
}

/* The order in which requests leave tells the order in which warps issued. */
static void issue_order(const char *policy, const char *expect)
{
    struct order o;
    struct synth s;
    char config[256], got[64] = "";
    synth_init(&s, 1, 32 * 4, order_warp, &o);
    o.work = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), NULL);
    synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(2), NULL);
    synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(3), NULL);
    o.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
    synth_seal(&s);
    snprintf(config, sizeof config, "sm.schedulers=1 sm.scheduler=%s%s", policy,
             strcmp(policy, "two_level") ? "" : " two_level.ready=2");
    struct bench *b = bench_new(&s, config, false);
    bench_run(b, 1);
    for (size_t i = 0; i < b->l1->log.n; i++)
        got[i] = (char)('0' + b->l1->log.p[i].addr / 0x1000 - 1);
    assert_string_equal(got, expect);
    bench_free(b);
    synth_free(&s);
}

/* Every scheduler of an SM hears of a kernel's begin. */
static void *told[8];
static unsigned n_told;
static void note_kernel(void *st)
{
    told[n_told++] = st;
}
static void schedulers_hear_of_kernels(void **state)
{
    (void)state;
    struct store_fence f;
    struct synth s;
    store_fence_kernel(&s, &f);
    struct bench *b = bench_new(&s, "sm.schedulers=2", false);
    struct sm_sched listening = *b->sm->sched;
    listening.on_kernel = note_kernel;
    b->sm->sched = &listening;
    n_told = 0;
    bench_run(b, 1);
    assert_int_equal(n_told, 2);
    assert_ptr_equal(told[0], b->sm->sched_state[0]);
    assert_ptr_equal(told[1], b->sm->sched_state[1]);
    bench_free(b);
    synth_free(&s);
}

static void schedulers_keep_their_order(void **state)
{
    (void)state;
    issue_order("lrr", "012301230123");
    issue_order("gto", "000111222333");
    issue_order("two_level", "010101232323");
}

/* ---- scheduled code ---- */

/*
 * A region of two loads, each before its use, and a branch: 0 load r1, 1 use r1, 2 load r2, 3 use r2, 4 branch;
 * scheduled with both loads first, and unrolled by four with all loads first. Behind it: 5 an add, a region of its own.
 */
struct scheduled {
    struct trace_op op[64];
    uint16_t reg[256];
    struct trace_region region[2];
    struct trace_code code;
    unsigned iterations;
    uint32_t guard; /* lanes of the second load */
    bool stops;     /* the last iteration ends behind the first use */
    bool skips;     /* no lane executes the second load and its use */
    bool shrinks;   /* eight lanes leave with each iteration */
    unsigned lsu_interval;
};

static void scheduled_op(struct scheduled *x, uint32_t pc, uint8_t copy, enum trace_class cls, int dst, int src)
{
    struct trace_op *o = &x->op[x->code.n_op++];
    bool load = cls == TRACE_LOAD;
    *o = (struct trace_op){.pc = pc,
                           .copy = copy,
                           .cls = (uint8_t)cls,
                           .flags = load ? TRACE_OP_ACCESS : 0,
                           .width = load ? 4 : 0,
                           .regs_at = x->code.n_reg_entries,
                           .n_dst = dst >= 0,
                           .n_src = src >= 0};
    if (dst >= 0)
        x->reg[x->code.n_reg_entries++] = (uint16_t)dst;
    if (src >= 0)
        x->reg[x->code.n_reg_entries++] = (uint16_t)src;
}

static void scheduled_group(struct scheduled *x, unsigned copies)
{
    for (uint8_t k = 0; k < copies; k++) {
        scheduled_op(x, 0, k, TRACE_LOAD, 2 * k, -1);
        scheduled_op(x, 2, k, TRACE_LOAD, 2 * k + 1, -1);
    }
    for (uint8_t k = 0; k < copies; k++) {
        scheduled_op(x, 1, k, TRACE_FP_ADD, -1, 2 * k);
        scheduled_op(x, 3, k, TRACE_FP_ADD, -1, 2 * k + 1);
    }
    scheduled_op(x, 4, (uint8_t)(copies - 1), TRACE_BRANCH, -1, -1);
}

static void scheduled_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct scheduled *x = ctx;
    (void)cta, (void)warp;
    for (unsigned k = 0; k < x->iterations; k++) {
        bool stops = x->stops && k + 1 == x->iterations;
        uint32_t lanes = x->shrinks ? ~0u >> 8 * k : ~0u;
        synth_affine(s, 0, lanes, TRACE_SP_GLOBAL, 0x10000 + 0x1000 * k, 4);
        synth_do(s, 1, 1, lanes);
        if (stops)
            break;
        if (x->skips) {
            synth_do(s, 4, 1, lanes);
            continue;
        }
        if (x->guard)
            synth_affine(s, 2, x->guard, TRACE_SP_GLOBAL, 0x80000 + 0x1000 * k, 4);
        else
            synth_do(s, 2, 1, 0);
        synth_do(s, 3, 2, lanes);
    }
    synth_do(s, 5, 1, ~0u);
}

/* Runs it and writes the order of its requests as "pc.iteration". */
static struct bench *run_scheduled(struct synth *s, struct scheduled *x, bool tick_all, char *order, size_t room)
{
    synth_init(s, 1, 32, scheduled_warp, x);
    synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), NULL);
    synth_inst(s, TRACE_FP_ADD, NULL, REGS(1));
    synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(2), NULL);
    synth_inst(s, TRACE_FP_ADD, NULL, REGS(2));
    synth_inst(s, TRACE_BRANCH, NULL, NULL);
    synth_inst(s, TRACE_INT_ADD, NULL, NULL);
    synth_seal(s);
    struct trace_region *r = &x->region[0];
    *r = (struct trace_region){.pc = 0, .n_pc = 5, .copies = 4};
    scheduled_group(x, 1);
    r->n_op = x->code.n_op;
    r->all.op = x->code.n_op;
    scheduled_group(x, 4);
    r->all.n_op = x->code.n_op - r->all.op;
    r->half.op = x->code.n_op;
    scheduled_group(x, 2);
    r->half.n_op = x->code.n_op - r->half.op;
    x->region[1] = (struct trace_region){.pc = 5, .n_pc = 1, .op = x->code.n_op, .n_op = 1};
    scheduled_op(x, 5, 0, TRACE_INT_ADD, -1, -1);
    x->code.op = x->op;
    x->code.reg = x->reg;
    x->code.region = x->region;
    x->code.n_region = 2;
    x->code.n_scoreboard = 8;
    s->kernel.code = &x->code;
    char config[80];
    snprintf(config, sizeof config, "sm.schedulers=1 sm.code=scheduled sm.lsu_interval=%u",
             x->lsu_interval ? x->lsu_interval : 1);
    struct bench *b = bench_new(s, config, tick_all);
    bench_run(b, 1);
    size_t n = 0;
    for (size_t k = 0; k < b->l1->log.n; k++)
        n += (size_t)snprintf(order + n, room - n, "%s%u.%u", k ? " " : "", b->l1->log.p[k].pc,
                              (unsigned)(b->l1->log.p[k].addr >> 12 & 0xf));
    return b;
}

static void regions_issue_as_they_are_scheduled(void **state)
{
    static const struct {
        unsigned iterations;
        bool stops;
        const char *order;
        unsigned issued; /* without the addition behind */
    } cases[] = {
        {1, false, "0.0 2.0", 5},
        {3, false, "0.0 2.0 0.1 2.1 0.2 2.2", 9 + 5},
        {4, false, "0.0 2.0 0.1 2.1 0.2 2.2 0.3 2.3", 17},
        {5, true, "0.0 2.0 0.1 2.1 0.2 2.2 0.3 2.3 0.4", 17 + 2},
        {2, true, "0.0 2.0 0.1", 5 + 2},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int tick = 0; tick < 2; tick++) {
            struct scheduled x = {.iterations = cases[k].iterations, .stops = cases[k].stops, .guard = ~0u};
            struct synth s;
            char order[256] = "";
            struct bench *b = run_scheduled(&s, &x, tick, order, sizeof order);
            assert_string_equal(order, cases[k].order);
            assert_int_equal(b->sm->stats.warp_insts, cases[k].issued + 1);
            if (cases[k].iterations == 4) { /* one wait for eight loads, one a cycle */
                assert_int_equal(b->l1->log.p[7].cycle, FIRST_ISSUE + 8);
                assert_int_equal(b->sm->stats.stall[SM_STALL_MEM], LATENCY - 7);
            }
            bench_free(b);
            synth_free(&s);
        }
}

static void memory_instructions_of_a_scheduler_keep_their_distance(void **state)
{
    (void)state;
    for (int tick = 0; tick < 2; tick++) {
        struct scheduled x = {.iterations = 4, .guard = ~0u, .lsu_interval = 4};
        struct synth s;
        char order[256] = "";
        struct bench *b = run_scheduled(&s, &x, tick, order, sizeof order);
        for (unsigned k = 0; k < 8; k++)
            assert_int_equal(b->l1->log.p[k].cycle, FIRST_ISSUE + 1 + 4 * k);
        bench_free(b);
        synth_free(&s);
    }
}

/* An addition, and behind it an instruction that reads the result or that it guards. */
static void predicates_guard_later_than_they_are_read(void **state)
{
    (void)state;
    for (int guarded = 0; guarded < 2; guarded++)
        for (int tick = 0; tick < 2; tick++) {
            struct scheduled x = {0};
            struct synth s;
            synth_init(&s, 1, 32, straight_warp, NULL);
            synth_inst(&s, TRACE_INT_ADD, REGS(1), NULL);
            synth_inst(&s, TRACE_FP_ADD, NULL, REGS(1));
            synth_seal(&s);
            scheduled_op(&x, 0, 0, TRACE_INT_ADD, 0, -1);
            scheduled_op(&x, 1, 0, TRACE_FP_ADD, -1, 0);
            x.op[1].flags = guarded ? TRACE_OP_GUARDED : 0;
            x.region[0] = (struct trace_region){.n_pc = 2, .n_op = 2};
            x.code.op = x.op;
            x.code.reg = x.reg;
            x.code.region = x.region;
            x.code.n_region = x.code.n_scoreboard = 1;
            s.kernel.code = &x.code;
            struct bench *b = bench_new(&s, "sm.code=scheduled sm.lat.int_add=4 sm.guard_cycles=9", tick);
            assert_int_equal(bench_run(b, 1) - FIRST_ISSUE, 4 + 9 * guarded + 1);
            bench_free(b);
            synth_free(&s);
        }
}

/* A branch inside a region, around a rare case, and what is behind it: no jump. */
static void branches_around_rare_cases_are_short(void **state)
{
    (void)state;
    for (int tick = 0; tick < 2; tick++) {
        struct scheduled x = {0};
        struct synth s;
        synth_init(&s, 1, 32, straight_warp, NULL);
        synth_inst(&s, TRACE_FP_DIV, NULL, NULL);
        synth_inst(&s, TRACE_FP_ADD, NULL, NULL);
        synth_seal(&s);
        scheduled_op(&x, 0, 0, TRACE_BRANCH, -1, -1);
        scheduled_op(&x, 1, 0, TRACE_FP_ADD, -1, -1);
        x.region[0] = (struct trace_region){.n_pc = 2, .n_op = 2};
        x.code.op = x.op;
        x.code.reg = x.reg;
        x.code.region = x.region;
        x.code.n_region = x.code.n_scoreboard = 1;
        s.kernel.code = &x.code;
        struct bench *b = bench_new(&s, "sm.code=scheduled sm.branch_cycles=20 sm.fall_through_cycles=5", tick);
        assert_int_equal(bench_run(b, 1) - FIRST_ISSUE, 5 + 1);
        bench_free(b);
        synth_free(&s);
    }
}

/* An addition, then where lanes meet, then another addition; or a load of a parameter in place of the first one. */
static void lanes_take_time_to_meet(void **state)
{
    (void)state;
    for (int load = 0; load < 2; load++)
        for (int tick = 0; tick < 2; tick++) {
            struct scheduled x = {0};
            struct synth s;
            synth_init(&s, 1, 32, straight_warp, NULL);
            synth_inst(&s, TRACE_INT_ADD, NULL, NULL);
            synth_inst(&s, TRACE_FP_ADD, NULL, NULL);
            synth_seal(&s);
            scheduled_op(&x, 0, 0, load ? TRACE_LOAD : TRACE_INT_ADD, -1, -1);
            scheduled_op(&x, 1, 0, TRACE_NOP, -1, -1);
            scheduled_op(&x, 1, 0, TRACE_FP_ADD, -1, -1);
            x.op[0].flags = 0; /* a parameter has no address */
            x.op[1].flags = TRACE_OP_CONVERGE;
            x.region[0] = (struct trace_region){.n_pc = 2, .n_op = 3};
            x.code.op = x.op;
            x.code.reg = x.reg;
            x.code.region = x.region;
            x.code.n_region = x.code.n_scoreboard = 1;
            s.kernel.code = &x.code;
            struct bench *b = bench_new(&s, "sm.code=scheduled sm.converge_cycles=3 sm.converge_drain=9", tick);
            assert_int_equal(bench_run(b, 1) - FIRST_ISSUE, (load ? 1 : 9) + 3 + 1);
            bench_free(b);
            synth_free(&s);
        }
}

/* Half of the lanes, or all, execute the addition before the point at which lanes meet. */
static void half_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    (void)cta, (void)warp;
    synth_do(s, 0, 1, *(uint32_t *)ctx);
    synth_do(s, 1, 1, ~0u);
}

static void lanes_that_have_parted_meet_later(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        uint32_t lanes = apart ? 0xffff : ~0u;
        struct scheduled x = {0};
        struct synth s;
        synth_init(&s, 1, 32, half_warp, &lanes);
        synth_inst(&s, TRACE_INT_ADD, NULL, NULL);
        synth_inst(&s, TRACE_FP_ADD, NULL, NULL);
        synth_seal(&s);
        scheduled_op(&x, 0, 0, TRACE_INT_ADD, -1, -1);
        scheduled_op(&x, 1, 0, TRACE_NOP, -1, -1);
        scheduled_op(&x, 1, 0, TRACE_FP_ADD, -1, -1);
        x.op[1].flags = TRACE_OP_CONVERGE;
        x.region[0] = (struct trace_region){.n_pc = 2, .n_op = 3};
        x.code.op = x.op;
        x.code.reg = x.reg;
        x.code.region = x.region;
        x.code.n_region = x.code.n_scoreboard = 1;
        s.kernel.code = &x.code;
        struct bench *b = bench_new(&s, "sm.code=scheduled sm.converge_cycles=3 sm.part_cycles=18", false);
        assert_int_equal(bench_run(b, 1) - FIRST_ISSUE, 1 + 3 + (apart ? 18 : 0) + 1);
        bench_free(b);
        synth_free(&s);
    }
}

static void guards_keep_their_lanes_in_regions(void **state)
{
    (void)state;
    struct scheduled x = {.iterations = 6, .guard = 0xff};
    struct synth s;
    char order[256] = "";
    struct bench *b = run_scheduled(&s, &x, false, order, sizeof order);
    assert_string_equal(order, "0.0 2.0 0.1 2.1 0.2 2.2 0.3 2.3 0.4 2.4 0.5 2.5");
    assert_int_equal(b->kernel->load[0].lanes, 6 * 32);
    assert_int_equal(b->kernel->load[1].lanes, 6 * 8);
    assert_int_equal(b->sm->stats.thread_insts, 6 * (32 + 8 + 32 + 32) + 2 * 32 + 32);
    bench_free(b);
    synth_free(&s);
    /* A guard that switches all lanes off: the load is issued and asks for nothing. */
    x = (struct scheduled){.iterations = 2, .guard = 0};
    b = run_scheduled(&s, &x, false, order, sizeof order);
    assert_string_equal(order, "0.0 0.1");
    bench_free(b);
    synth_free(&s);
}

static void lanes_leave_regions_and_skip_parts_of_them(void **state)
{
    (void)state;
    struct synth s;
    char order[256] = "";
    /* Iterations from which lanes drop out are issued together all the same. */
    struct scheduled x = {.iterations = 4, .guard = 0xff, .shrinks = true};
    struct bench *b = run_scheduled(&s, &x, false, order, sizeof order);
    assert_string_equal(order, "0.0 2.0 0.1 2.1 0.2 2.2 0.3 2.3");
    assert_int_equal(b->sm->stats.warp_insts, 17 + 1);
    assert_int_equal(b->kernel->load[0].lanes, 32 + 24 + 16 + 8);
    bench_free(b);
    synth_free(&s);
    /* A predicated part that no lane executes is issued, and asks for nothing. */
    x = (struct scheduled){.iterations = 2, .skips = true};
    b = run_scheduled(&s, &x, false, order, sizeof order);
    assert_string_equal(order, "0.0 0.1");
    assert_int_equal(b->sm->stats.warp_insts, 9 + 1);
    assert_int_equal(b->sm->stats.thread_insts, 2 * 2 * 32 + 32 + 32);
    bench_free(b);
    synth_free(&s);
}

/* ---- what sm_90 does beside its warps ---- */

struct products {
    uint32_t loads, n; /* the instructions: loads of shared memory, a product, commit, wait, what waits */
    uint32_t between;  /* loads in front of one more product */
    uint32_t lines;    /* that a copy beside them writes to shared memory; they end before one more product */
};
static void product_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct products *p = ctx;
    (void)cta;
    if (p->lines && warp == 0) {
        const uint64_t copy[32] = {STREAM_COPY_LOAD, 0, 0, 1 << 20, 128 * p->lines};
        synth_access(s, 5, (1u << STREAM_COPY_BOX) - 1, TRACE_SP_ASYNC, copy);
    }
    for (uint32_t i = 0; i < p->loads; i++)
        synth_affine(s, 0, ~0u, TRACE_SP_SHARED, 0, 4);
    for (uint32_t i = 0; i < p->n; i++)
        synth_do(s, 1, 1, ~0u);
    for (uint32_t i = 0; i < p->between; i++)
        synth_affine(s, 0, ~0u, TRACE_SP_SHARED, 0, 4);
    if (p->lines)
        synth_do(s, 2, 2, ~0u);
    if (p->between || p->lines)
        synth_do(s, 1, 1, ~0u);
    synth_do(s, 2, 3, ~0u);
}

static const char *product_machine = "sm.schedulers=4";

/* Cycles in which a warpgroup finishes its products. */
static uint64_t products_and(struct products p, unsigned columns, unsigned flags, struct sm_stats *stats)
{
    struct synth s;
    synth_init(&s, 1, 128, product_warp, &p);
    synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_SHARED, 4, REGS(1), NULL);
    for (int k = 0; k < 3; k++)
        synth_inst(&s, TRACE_WGMMA, NULL, NULL);
    synth_inst(&s, TRACE_BRANCH, NULL, NULL);
    synth_mem_inst(&s, TRACE_ASYNC, TRACE_SP_ASYNC, 0, NULL, NULL);
    s.inst.p[1].width = (uint8_t)(columns / 8);
    s.inst.p[1].mem_flags = (uint8_t)flags;
    s.inst.p[2].barrier = TRACE_WGMMA_COMMIT;
    return end_of(&s, product_machine, stats) - FIRST_ISSUE;
}

static uint64_t products(uint32_t n, unsigned columns, unsigned flags, uint32_t loads, struct sm_stats *stats)
{
    return products_and((struct products){.loads = loads, .n = n}, columns, flags, stats);
}

static void products_take_the_longer_of_tensor_cores_and_operands(void **state)
{
    (void)state;
    struct sm_stats t;
    /* Two columns a cycle; 128 bytes of operands a cycle, of A only where it is in shared memory. */
    const uint64_t one = products(1, 256, 0, 0, &t);
    assert_int_equal(products(9, 256, 0, 0, &t) - one, 8 * 128);
    assert_int_equal(t.wgmma_cycles, 4 * 9 * 128);
    assert_int_equal(t.wgmma_operand_cycles, 9 * 64);
    const uint64_t narrow = products(1, 8, TRACE_WGMMA_A_SHARED, 0, &t);
    assert_int_equal(products(9, 8, TRACE_WGMMA_A_SHARED, 0, &t) - narrow, 8 * 18);
    assert_int_equal(products(17, 8, 0, 0, &t) - products(9, 8, 0, 0, &t), 8 * 4);
    product_machine = "sm.schedulers=4 sm.wgmma_least=14";
    assert_int_equal(products(17, 8, 0, 0, &t) - products(9, 8, 0, 0, &t), 8 * 14);
    assert_int_equal(products(17, 8, TRACE_WGMMA_A_SHARED, 0, &t) - products(9, 8, TRACE_WGMMA_A_SHARED, 0, &t),
                     8 * 18);
    /* A wait ends later than the tensor cores do, most of all when A is in shared memory. */
    product_machine = "sm.schedulers=4 sm.wgmma_latency=15 sm.wgmma_shared_latency=10";
    assert_int_equal(products(9, 256, 0, 0, &t) - one, 8 * 128 + 15);
    assert_int_equal(products(9, 256, TRACE_WGMMA_A_SHARED, 0, &t) - one, 8 * 128 + 25);
    product_machine = "sm.schedulers=4";
    /* What warps have asked of shared memory before goes first. */
    assert_true(products(9, 8, TRACE_WGMMA_A_SHARED, 100, &t) > products(9, 8, 0, 100, &t));
    assert_int_equal(t.shared_passes, 400);
    /*
     * Products that leave shared memory half of its time let 32 passes of four warps through. Those that need all of it end
     * later by the passes before the last of them is issued: 29.
     */
    const struct products loads = {.n = 8, .between = 8};
    const uint64_t alone = products(9, 64, 0, 0, &t);
    assert_int_equal(products_and(loads, 64, 0, &t), alone);
    assert_int_equal(t.shared_passes, 32);
    assert_int_equal(products_and(loads, 64, TRACE_WGMMA_A_SHARED, &t),
                     products(9, 64, TRACE_WGMMA_A_SHARED, 0, &t) + 29);
    /* However much the TMA writes, products that need shared memory all the time are as fast. */
    const struct products line = {.n = 40, .lines = 1}, box = {.n = 40, .lines = 256};
    const uint64_t beside_one = products_and(line, 64, TRACE_WGMMA_A_SHARED, &t);
    assert_int_equal(t.tma_copies, 1);
    assert_int_equal(products_and(box, 64, TRACE_WGMMA_A_SHARED, &t), beside_one);
    assert_in_range(beside_one, 41 * 32, 41 * 32 + 40);
}

/* Four warps multiply, four others execute `n` independent instructions of a class, which end last. */
struct beside {
    uint32_t n, cls;
};
static void beside_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct beside *x = ctx;
    (void)cta;
    if (warp < 4)
        synth_do(s, 0, 1, ~0u);
    else
        for (uint32_t i = 0; i < x->n; i++)
            synth_do(s, 1, 1, ~0u);
}
static uint64_t beside_products(uint32_t n, uint32_t cls, const char *machine)
{
    struct beside x = {n, cls};
    struct synth s;
    synth_init(&s, 1, 256, beside_warp, &x);
    synth_inst(&s, TRACE_WGMMA, NULL, NULL);
    synth_inst(&s, (enum trace_class)cls, REGS(1), REGS(2));
    s.inst.p[0].width = 256 / 8;
    return end_of(&s, machine, NULL);
}
static void arithmetic_waits_beside_products(void **state)
{
    (void)state;
#define BESIDE(wait)                                                                                                   \
    "sm.schedulers=4 sm.sp_units=4 sm.int_units=4 sm.sfu_units=4 sm.operand_cycles=0 sm.ii.int_minmax=2 sm.ii.sfu=8 "  \
    "sm.ii.fp_mad=1 sm.lat.int_minmax=1 sm.lat.sfu=1 sm.lat.fp_mad=1 sm.wgmma_wait=" wait
    const char *never = BESIDE("0"), *two = BESIDE("2");
    static const struct {
        uint32_t cls, n, longer; /* in the 128 cycles of a product of 256 columns */
    } cases[] = {{TRACE_INT_MINMAX, 100, 128 / 4 * 2},
                 {TRACE_SFU, 40, 128 / 10 * 2 + 2},
                 {TRACE_FP_MAD, 200, 128 / 2},
                 {TRACE_NOP, 200, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(beside_products(cases[i].n, cases[i].cls, two),
                         beside_products(cases[i].n, cases[i].cls, never) + cases[i].longer);
#undef BESIDE
}

/* A warpgroup issues products and then arithmetic; the cycle in which that ends, which waits for no product. */
struct ahead {
    uint32_t n;
};
static void ahead_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct ahead *x = ctx;
    (void)cta, (void)warp;
    for (uint32_t i = 0; i < x->n; i++)
        synth_do(s, 0, 1, ~0u);
    synth_do(s, 1, 1, ~0u);
}
static uint64_t issued(uint32_t n, unsigned flags, const char *machine)
{
    struct ahead x = {n};
    struct synth s;
    synth_init(&s, 1, 128, ahead_warp, &x);
    synth_inst(&s, TRACE_WGMMA, NULL, NULL);
    synth_inst(&s, TRACE_INT_ADD, REGS(1), REGS(2));
    s.inst.p[0].width = 256 / 8;
    s.inst.p[0].mem_flags = (uint8_t)flags;
    return end_of(&s, machine, NULL);
}
static void warps_run_ahead_of_tensor_cores(void **state)
{
    (void)state;
    const char *far = "sm.schedulers=4 sm.sp_units=4 sm.wgmma_latency=15 sm.wgmma_shared_latency=10",
               *three = "sm.schedulers=4 sm.sp_units=4 sm.wgmma_latency=15 sm.wgmma_shared_latency=10 sm.wgmma_ahead=3";
    const uint64_t one = issued(1, TRACE_WGMMA_A_SHARED, far);
    assert_int_equal(issued(9, TRACE_WGMMA_A_SHARED, far), one + 8);
    assert_int_equal(issued(3, TRACE_WGMMA_A_SHARED, three), one + 2);
    /* The fourth when the first has ended, 128 cycles and the latency behind the first issue; the next 128 later. */
    assert_int_equal(issued(4, TRACE_WGMMA_A_SHARED, three), one + 128 + 25);
    assert_int_equal(issued(5, TRACE_WGMMA_A_SHARED, three), one + 2 * 128 + 25);
    assert_int_equal(issued(3, 0, three), one + 128 + 15);
}

/* A warp stores boxes of 64 lines in bulk and waits for all or all but `pending`; the cycle in which it goes on. */
struct bulk_stores {
    uint32_t n;
};
static void storing_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct bulk_stores *x = ctx;
    const uint64_t store[32] = {STREAM_COPY_STORE, 0, 0, 1 << 20, 128 * 64};
    (void)cta, (void)warp;
    for (uint32_t i = 0; i < x->n; i++)
        synth_access(s, 0, (1u << STREAM_COPY_BOX) - 1, TRACE_SP_ASYNC, store);
    synth_do(s, 1, 1, ~0u);
    synth_do(s, 2, 1, ~0u);
}
static uint64_t stored(uint32_t n, uint16_t barrier)
{
    uint64_t at[2];
    for (int tick_all = 0; tick_all < 2; tick_all++) {
        struct bulk_stores x = {n};
        struct synth s;
        synth_init(&s, 1, 32, storing_warp, &x);
        synth_mem_inst(&s, TRACE_ASYNC, TRACE_SP_ASYNC, 0, NULL, NULL);
        synth_inst(&s, TRACE_FENCE, NULL, NULL);
        synth_inst(&s, TRACE_BRANCH, NULL, NULL);
        s.inst.p[1].barrier = barrier;
        synth_seal(&s);
        struct bench *b = bench_new(&s, "sm.tma_latency=88", tick_all);
        bench_run(b, 1);
        at[tick_all] = b->sm->stats.stall[SM_STALL_FENCE]; /* of the one warp's scheduler */
        assert_int_equal(b->sm->stats.tma_lines, 64 * n);
        bench_free(b);
        synth_free(&s);
    }
    assert_int_equal(at[0], at[1]);
    return at[0];
}
static void waits_for_bulk_stores_end_when_they_are_sent(void **state)
{
    (void)state;
    const uint64_t sent = stored(1, 1);
    assert_in_range(sent, 88 + 64 - 8, 88 + 64 + 8);
    assert_true(stored(1, 0) > sent); /* a fence lasts until the memory has them */
    assert_in_range(stored(2, 1) - sent, 60, 68);
    assert_int_equal(stored(1, 2), 0); /* one may be pending */
    assert_in_range(stored(2, 2), sent - 4, sent);
}

/* Warp 0 waits at a barrier for what warp 1 does behind `before` instructions; the cycle in which it goes on. */
static void waiting_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const uint32_t *before = ctx;
    const uint64_t wait[32] = {7ull << 32 | 1}, arrive[32] = {STREAM_MBARRIER(0, 7)};
    (void)cta;
    if (warp == 0) {
        synth_access(s, 0, 1, TRACE_SP_ASYNC, wait);
        synth_do(s, 2, 1, 1);
        return;
    }
    for (uint32_t i = 0; i < *before; i++)
        synth_do(s, 2, 1, ~0u);
    synth_access(s, 1, 1, TRACE_SP_ASYNC, arrive);
}
/* The cycle in which CTAs end that wait at an mbarrier, arrive at it and add; cluster: CTAs of one, 0 = none. */
static uint64_t mbarrier_end(uint32_t ctas, uint32_t threads, uint32_t cluster, synth_warp *warp, void *ctx,
                             const char *machine)
{
    uint64_t end[2];
    for (int tick_all = 0; tick_all < 2; tick_all++) {
        struct synth s;
        synth_init(&s, ctas, threads, warp, ctx);
        s.launch.cluster_ctas = (uint8_t)cluster;
        for (int k = 0; k < 2; k++)
            synth_mem_inst(&s, TRACE_MBARRIER, TRACE_SP_ASYNC, 0, NULL, NULL);
        synth_inst(&s, TRACE_INT_ADD, REGS(1), REGS(1));
        s.inst.p[0].barrier = TRACE_MBARRIER_WAIT;
        s.inst.p[1].barrier = TRACE_MBARRIER_ARRIVE;
        synth_seal(&s);
        struct bench *b = bench_new(&s, machine, tick_all);
        end[tick_all] = bench_run(b, ctas);
        bench_free(b);
        synth_free(&s);
    }
    assert_int_equal(end[0], end[1]);
    return end[0];
}
static uint64_t wait_for(uint32_t before, const char *machine)
{
    return mbarrier_end(1, 64, 0, waiting_warp, &before, machine);
}
static void warps_look_at_mbarriers_again(void **state)
{
    (void)state;
    const char *once = "sm.lat.int_add=10 sm.operand_cycles=0",
               *again = "sm.lat.int_add=10 sm.operand_cycles=0 sm.mbarrier_poll=40";
    const uint64_t ten = wait_for(1, once);
    assert_int_equal(wait_for(2, once), ten + 10);
    assert_int_equal(wait_for(7, once), ten + 60);
    /* In steps of 40 cycles from its first look. */
    uint64_t at = wait_for(1, again), steps = 0;
    assert_int_equal(at, FIRST_ISSUE + 40 + 1);
    assert_in_range(at, ten, ten + 40);
    for (uint32_t before = 2; before <= 17; before++) {
        const uint64_t next = wait_for(before, again);
        assert_true(next == at || next == at + 40);
        assert_in_range(next, ten + 10 * (before - 1), ten + 10 * (before - 1) + 40);
        steps += next != at;
        at = next;
    }
    assert_int_equal(steps, 4);
}

/* Two CTAs of a cluster meet at its barrier: one at once, the other behind so many dependent additions. */
struct meeting {
    uint32_t before, ctas;
};
static void meeting_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct meeting *m = ctx;
    const uint64_t arrive[32] = {STREAM_MBARRIER_CLUSTER},
                   wait[32] = {(uint64_t)STREAM_MBARRIER_CLUSTER << 32 | m->ctas};
    (void)warp;
    for (uint32_t i = 0; cta && i < m->before; i++)
        synth_do(s, 2, 1, ~0u);
    synth_access(s, 1, 1, TRACE_SP_ASYNC, arrive);
    synth_access(s, 0, 1, TRACE_SP_ASYNC, wait);
    for (uint32_t i = 0; i < 1 + cta; i++) /* so that the last one to arrive ends last */
        synth_do(s, 2, 1, ~0u);
}
static uint64_t meeting(uint32_t before, uint32_t ctas, const char *machine)
{
    struct meeting m = {before, ctas};
    return mbarrier_end(2, 32, ctas, meeting_warp, &m, machine);
}
static void clusters_meet_when_all_know_of_all(void **state)
{
    (void)state;
    const char *none = "sm.lat.int_add=10 sm.operand_cycles=0",
               *slow = "sm.lat.int_add=10 sm.operand_cycles=0 sm.cluster_barrier=100",
               *slower = "sm.lat.int_add=10 sm.operand_cycles=0 sm.cluster_barrier=200";
    /*
     * Without the key the last one to arrive does not wait: its addition issues 9 cycles after its arrival, 10 after the
     * addition before. With it the CTAs hear of it 101 cycles after, and issue in the next.
     */
    const uint64_t at_once = meeting(4, 2, none), late = meeting(4, 2, slow);
    assert_int_equal(late, at_once + 102 - 9);
    assert_int_equal(meeting(4, 2, slower), late + 100);
    assert_int_equal(meeting(9, 2, slow), late + 50);
    /* A CTA of its own waits for nobody. */
    const uint64_t alone = meeting(4, 1, none);
    assert_int_equal(meeting(4, 1, slow), alone);
}

static void loads_of_other_ctas_share_the_network(void **state)
{
    (void)state;
    uint64_t end[2];
    for (int narrow = 0; narrow < 2; narrow++) {
        struct load_then_use l = {.mask = ~0u, .space = TRACE_SP_SHARED, .base = 1u << STREAM_RANK_AT, .stride = 16};
        struct synth s;
        struct bench *b = run_load(&s, &l, 16, 4, narrow ? "sm.cluster_bytes=4" : "sm.cluster_bytes=16", &end[narrow]);
        assert_int_equal(b->sm->stats.cluster_bytes, 4 * 512);
        bench_free(b);
        synth_free(&s);
    }
    assert_int_equal(end[1] - end[0], 4 * (512 / 4 - 512 / 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_take_the_longer_of_tensor_cores_and_operands),
        cmocka_unit_test(arithmetic_waits_beside_products),
        cmocka_unit_test(warps_run_ahead_of_tensor_cores),
        cmocka_unit_test(waits_for_bulk_stores_end_when_they_are_sent),
        cmocka_unit_test(warps_look_at_mbarriers_again),
        cmocka_unit_test(clusters_meet_when_all_know_of_all),
        cmocka_unit_test(loads_of_other_ctas_share_the_network),
        cmocka_unit_test(independent_instructions_issue_every_cycle),
        cmocka_unit_test(dependent_instructions_wait_for_the_latency),
        cmocka_unit_test(initiation_interval_limits_a_unit),
        cmocka_unit_test(two_schedulers_issue_two_instructions),
        cmocka_unit_test(stalls_are_charged_to_their_reason),
        cmocka_unit_test(registers_are_counted_for_each_warp),
        cmocka_unit_test(fetching_costs_what_it_should),
        cmocka_unit_test(jumps_cost_what_they_should),
        cmocka_unit_test(branches_not_taken_cost_what_they_should),
        cmocka_unit_test(stores_occupy_the_unit_by_sectors),
        cmocka_unit_test(a_load_wakes_its_user_when_the_line_is_there),
        cmocka_unit_test(a_late_reply_is_not_missed),
        cmocka_unit_test(segments_leave_instead_of_lines),
        cmocka_unit_test(lines_leave_one_per_cycle),
        cmocka_unit_test(textures_are_fetched_by_quads),
        cmocka_unit_test(a_full_queue_stalls_issue),
        cmocka_unit_test(a_full_queue_is_blamed_on_its_head),
        cmocka_unit_test(shared_memory_takes_its_passes),
        cmocka_unit_test(near_loads_keep_their_place),
        cmocka_unit_test(local_memory_of_a_warp_is_one_line_per_word),
        cmocka_unit_test(a_fence_waits_for_the_stores),
        cmocka_unit_test(a_cta_ends_when_its_stores_are_acknowledged),
        cmocka_unit_test(atomics_to_one_word_become_one_request_each),
        cmocka_unit_test(shared_atomics_wait_for_each_other),
        cmocka_unit_test(constants_are_near_or_far),
        cmocka_unit_test(arrivals_at_barriers_take_turns),
        cmocka_unit_test(lanes_that_have_parted_meet_later),
        cmocka_unit_test(a_barrier_opens_for_the_last_warp),
        cmocka_unit_test(barriers_survive_exits_and_divergence),
        cmocka_unit_test(a_loop_ends_when_the_last_lane_has_left),
        cmocka_unit_test(schedulers_keep_their_order),
        cmocka_unit_test(schedulers_hear_of_kernels),
        cmocka_unit_test(regions_issue_as_they_are_scheduled),
        cmocka_unit_test(memory_instructions_of_a_scheduler_keep_their_distance),
        cmocka_unit_test(predicates_guard_later_than_they_are_read),
        cmocka_unit_test(branches_around_rare_cases_are_short),
        cmocka_unit_test(lanes_take_time_to_meet),
        cmocka_unit_test(guards_keep_their_lanes_in_regions),
        cmocka_unit_test(lanes_leave_regions_and_skip_parts_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
