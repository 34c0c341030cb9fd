/*
 * A network between mock nodes: exact latencies, fair shares, back-pressure, head-of-line blocking, every pair of
 * nodes, nothing lost, message classes that do not wait for each other.
 */
#include "engine/waits.h"
#include "noc/noc_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct bench;
/* A node's end for one class: sends what its list says and takes what comes, one packet per `take_every` cycles. */
struct node {
    struct comp comp;
    struct bench *b;
    struct port in;   /* from the network */
    struct port *out; /* to it */
    uint32_t index;
    uint32_t to_send; /* packets left */
    uint32_t (*dest)(struct node *, uint32_t nth);
    uint32_t bytes, nth;
    uint32_t take_every;
    uint64_t last_take;
    uint64_t got, got_from[64];
    uint64_t first_sent, last_got;
};
struct bench {
    struct arena *arena;
    struct engine *eng;
    struct noc *net;
    struct node *node; /* [class * n + node], classes from 0 in the order of enum net_class */
    uint32_t n;
    struct noc_config cfg;
    struct noc_setup config;
};

static uint64_t node_tick(struct comp *comp, uint64_t now)
{
    struct node *n = (struct node *)comp;
    struct req_pool *pool = engine_pool(comp);
    uint64_t want = NEVER;
    if (port_peek(&n->in, now)) {
        if (now >= n->last_take + n->take_every) {
            req_id id = port_pop(&n->in).req;
            assert_int_equal(pool->req[id].to, n->index);
            n->got++;
            n->got_from[pool->req[id].from]++;
            n->last_got = now;
            n->last_take = now;
            req_release(pool, id);
        }
        want = n->last_take + n->take_every;
    }
    if (n->to_send && port_can_send(n->out)) {
        req_id id = req_alloc(pool);
        pool->req[id] = (struct req){.from = (uint16_t)n->index, .to = (uint16_t)n->dest(n, n->nth++)};
        if (!n->first_sent)
            n->first_sent = now;
        port_send(n->out, id, net_info(n->bytes, 15));
        if (--n->to_send)
            want = now + 1;
    }
    if (!port_empty(&n->in)) {
        uint64_t at = port_next_ready(&n->in);
        if (at > now && at < want)
            want = at;
    }
    return want > now ? want : now + 1;
}

static struct bench *bench_new_classes(uint32_t n_sm, uint32_t n_mem, struct noc_config cfg, uint32_t classes)
{
    struct bench *b = xcalloc(1, sizeof *b);
    struct err e = {0};
    b->cfg = cfg;
    b->config.cfg = &b->cfg;
    b->n = n_sm + n_mem;
    b->arena = arena_new();
    struct engine_config ec = {.khz = {1000, 1000, 1000, 1000}, .deadlock_cycles = 10000, .max_requests = 1 << 16};
    b->eng = engine_new(b->arena, &ec, &e);
    b->net = noc_new(b->eng, &b->config, &(struct noc_env){NOC_REQUEST, n_sm, n_mem, classes, NULL}, &e);
    if (!b->net)
        fail_msg("%s", e.msg);
    b->node = arena_alloc64(b->arena, (uint32_t)__builtin_popcount(classes) * b->n * sizeof *b->node);
    struct node *n = b->node;
    for (; classes; classes &= classes - 1) {
        enum net_class class = (enum net_class)__builtin_ctz(classes);
        for (uint32_t i = 0; i < b->n; i++, n++) {
            n->comp.tick = node_tick;
            n->b = b;
            n->index = i;
            n->take_every = 1;
            n->bytes = 8;
            engine_add(b->eng, &n->comp, CLK_NOC, "node");
            port_init(&n->in, b->eng, &n->comp, 8, 1, "node in");
            n->out = noc_in(b->net, class, i);
            port_connect(n->out, &n->comp);
            noc_connect(b->net, class, i, &n->in);
        }
    }
    engine_start(b->eng);
    arena_seal(b->arena);
    return b;
}

static struct bench *bench_new(uint32_t n_sm, uint32_t n_mem, struct noc_config cfg)
{
    return bench_new_classes(n_sm, n_mem, cfg, 1u << NET_TO_L2);
}

static void bench_run(struct bench *b)
{
    struct err e = {0};
    if (engine_run(b->eng, 1000000) != ENGINE_IDLE) {
        engine_report_deadlock(b->eng, stderr);
        fail_msg("the network did not come to rest");
    }
    if (engine_check(b->eng, true, &e))
        fail_msg("%s", e.msg);
}

static void bench_free(struct bench *b)
{
    engine_free(b->eng);
    arena_free(b->arena);
    free(b);
}

static uint32_t to_last(struct node *n, uint32_t nth)
{
    return (void)nth, n->b->n - 1;
}
static uint32_t to_all(struct node *n, uint32_t nth)
{
    return (n->index + 1 + nth) % n->b->n;
}
static uint32_t to_random(struct node *n, uint32_t nth)
{
    uint64_t x = (n->index * 7919ull + nth + 1) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 33) % n->b->n;
}

static const struct noc_config crossbar = {
    .topology = NOC_CROSSBAR, .flit = 32, .inject_queue = 8, .crossbar_latency = 4, .iterations = 1};
static const struct noc_config mesh = {.topology = NOC_MESH,
                                       .flit = 32,
                                       .inject_queue = 8,
                                       .router_latency = 2,
                                       .link_latency = 1,
                                       .vcs = 4,
                                       .vc_flits = 4,
                                       .memory_nodes = ""};
static const struct noc_config fly = {.topology = NOC_BUTTERFLY,
                                      .flit = 32,
                                      .inject_queue = 8,
                                      .router_latency = 2,
                                      .link_latency = 1,
                                      .vcs = 2,
                                      .vc_flits = 4,
                                      .memory_nodes = ""};

static void crossbar_latency(void **state)
{
    (void)state;
    for (uint32_t bytes = 8; bytes <= 136; bytes += 128) {
        struct bench *b = bench_new(3, 1, crossbar);
        b->node[0].to_send = 1;
        b->node[0].bytes = bytes;
        b->node[0].dest = to_last;
        bench_run(b);
        /* One cycle to the network, `latency` through it for the first flit, one more for each further flit. */
        assert_int_equal(b->node[3].last_got - b->node[0].first_sent, 1 + 4 + (bytes + 31) / 32 - 1);
        bench_free(b);
    }
}

/* n senders to one receiver: it gets a flit per cycle and every sender its share. */
static void fair_and_full(struct noc_config cfg, uint32_t n_sm, uint32_t bytes)
{
    struct bench *b = bench_new(n_sm, 1, cfg);
    uint32_t each = 200, per_packet = (bytes + cfg.flit - 1) / cfg.flit;
    for (uint32_t i = 0; i < n_sm; i++) {
        b->node[i].to_send = each;
        b->node[i].bytes = bytes;
        b->node[i].dest = to_last;
    }
    /* Half-way, nobody may be far ahead. */
    engine_run(b->eng, (uint64_t)each * n_sm * per_packet / 2);
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < n_sm; i++) {
        uint64_t got = b->node[n_sm].got_from[i];
        least = got < least ? got : least;
        most = got > most ? got : most;
    }
    if (cfg.topology == NOC_CROSSBAR)
        assert_true(most - least <= 1);
    else
        assert_true(least > 0);
    bench_run(b);
    uint64_t flits = (uint64_t)each * n_sm * per_packet, cycles = b->node[n_sm].last_got - b->node[0].first_sent;
    assert_int_equal(b->node[n_sm].got, each * n_sm);
    assert_true(cycles >= flits);
    assert_true(cycles * 100 <= flits * 103 + 100 * 40); /* 3% and the way through an empty network */
    bench_free(b);
}

static void fairness(void **state)
{
    (void)state;
    fair_and_full(crossbar, 15, 8);
    fair_and_full(crossbar, 15, 136);
    struct noc_config voq = crossbar;
    voq.voq = true;
    voq.iterations = 2;
    fair_and_full(voq, 15, 136);
    fair_and_full(fly, 15, 8);
    fair_and_full(mesh, 15, 136);
}

static uint32_t first_blocked(struct node *n, uint32_t nth)
{
    return nth == 0 ? n->b->n - 1 : n->b->n - 2;
}

static void head_of_line(void **state)
{
    (void)state;
    for (int voq = 0; voq < 2; voq++) {
        struct noc_config cfg = crossbar;
        cfg.voq = voq;
        struct bench *b = bench_new(2, 2, cfg);
        b->node[3].take_every = 200; /* the last node hardly takes anything, and its port is full soon */
        b->node[0].dest = to_last;
        b->node[0].to_send = 12;
        engine_run(b->eng, 100);
        b->node[1].dest = first_blocked; /* one packet for it, then one for its neighbor */
        b->node[1].to_send = 2;
        engine_wake(&b->node[1].comp, 0);
        bench_run(b);
        if (voq)
            assert_true(b->node[2].last_got < b->node[1].first_sent + 20);
        else
            assert_true(b->node[2].last_got > b->node[1].first_sent + 100);
        bench_free(b);
    }
}

static void mesh_latency(void **state)
{
    (void)state;
    struct noc_config cfg = mesh;
    cfg.memory_nodes = "35"; /* the far corner of 6 x 6 */
    struct bench *b = bench_new(35, 1, cfg);
    assert_int_equal(noc_hops(b->net, 0, 35), 11);
    assert_int_equal(noc_hops(b->net, 0, 1), 2);
    b->node[0].to_send = 1;
    b->node[0].bytes = 136;
    b->node[0].dest = to_last;
    bench_run(b);
    /* To the network 1; ten links of router + link; out of the last router; four more flits. */
    assert_int_equal(b->node[35].last_got - b->node[0].first_sent, 1 + 10 * (2 + 1 - 1) + 2 + 4);
    bench_free(b);
}

/* Twelve packets for the last node, eight for the one before it, then two for each in turn. */
static uint32_t both_behind(struct node *n, uint32_t nth)
{
    return n->b->n - 1 - (nth < 12 ? 0 : nth < 20 ? 1 : ~nth & 1);
}

/*
 * Three routers in a row; the first sends packets of four flits, each of which fills a virtual channel. The two others
 * take nothing until cycle 1000: by then both have eight packets at their door, the last router has four, and the four
 * channels into the middle router hold two packets for its own node and two for the last. From there on one input port
 * has something to send to two outputs, which take turns.
 */
static void input_ports_are_fair(void **state)
{
    (void)state;
    struct noc_config cfg = mesh;
    cfg.width = 3;
    cfg.height = 1;
    cfg.memory_nodes = "2";
    struct bench *b = bench_new(2, 1, cfg);
    b->node[1].last_take = b->node[2].last_take = 1000;
    b->node[0].to_send = 24;
    b->node[0].bytes = 4 * 32;
    b->node[0].dest = both_behind;
    bench_run(b);
    assert_int_equal(b->node[1].got, 10);
    assert_int_equal(b->node[2].got, 14);
    /* Alone, the eight flits would have crossed by 1009 and be taken by 1011; six times it is the other output's turn.
     */
    assert_int_equal(b->node[1].last_got, 1011 + 6);
    bench_free(b);
}

static void butterfly_latency(void **state)
{
    (void)state;
    struct noc_config cfg = fly;
    cfg.radix = 4;
    cfg.stages = 3;
    struct bench *b = bench_new(48, 16, cfg);
    assert_int_equal(noc_hops(b->net, 0, 63), 3);
    b->node[5].to_send = 1;
    b->node[5].dest = to_last;
    bench_run(b);
    assert_int_equal(b->node[63].last_got - b->node[5].first_sent, 1 + 2 * (2 + 1 - 1) + 2);
    bench_free(b);
}

static void every_pair(struct noc_config cfg, uint32_t n_sm, uint32_t n_mem)
{
    struct bench *b = bench_new(n_sm, n_mem, cfg);
    for (uint32_t i = 0; i < b->n; i++) {
        b->node[i].to_send = b->n - 1;
        b->node[i].dest = to_all;
        b->node[i].bytes = i % 2 ? 8 : 136;
    }
    bench_run(b);
    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            assert_int_equal(b->node[i].got_from[k], i != k);
    bench_free(b);
}

static void all_to_all(void **state)
{
    (void)state;
    every_pair(crossbar, 15, 12);
    every_pair(mesh, 28, 8);
    struct noc_config cfg = mesh;
    cfg.vcs = 1;
    cfg.vc_flits = 1;
    every_pair(cfg, 12, 4);
    every_pair(fly, 28, 8); /* 6-ary 2-fly */
    cfg = fly;
    cfg.radix = 4;
    cfg.stages = 3;
    every_pair(cfg, 48, 16);
    cfg.radix = 2;
    cfg.stages = 5;
    cfg.vcs = 1;
    every_pair(cfg, 20, 8);
}

/* Slow receivers, tiny buffers: everything arrives all the same. */
static void back_pressure(void **state)
{
    (void)state;
    struct noc_config cfgs[] = {crossbar, crossbar, mesh, fly};
    cfgs[1].voq = true;
    for (int k = 0; k < 4; k++) {
        cfgs[k].inject_queue = 1;
        cfgs[k].vc_flits = 1;
        struct bench *b = bench_new(12, 4, cfgs[k]);
        uint64_t total = 0;
        for (uint32_t i = 0; i < b->n; i++) {
            b->node[i].to_send = 150;
            b->node[i].dest = to_random;
            b->node[i].bytes = 8 + 32 * (i % 5);
            b->node[i].take_every = 1 + i % 7;
        }
        bench_run(b);
        for (uint32_t i = 0; i < b->n; i++)
            total += b->node[i].got;
        assert_int_equal(total, 16 * 150);
        bench_free(b);
    }
}

/* The left half of a 6 x 6 mesh sends to the right half, row by row: six links are the cut, and they are full. */
static uint32_t across(struct node *n, uint32_t nth)
{
    return (void)nth, n->index + 3;
}
static void bisection(void **state)
{
    (void)state;
    struct bench *b = bench_new(36, 0, mesh);
    uint32_t each = 400;
    for (uint32_t i = 0; i < 36; i++) {
        b->node[i].to_send = i % 6 < 3 ? each : 0;
        b->node[i].dest = across;
        b->node[i].bytes = 136;
    }
    bench_run(b);
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < 36; i++)
        cycles = b->node[i].last_got > cycles ? b->node[i].last_got : cycles;
    double per_link = 3.0 * each * 5 / (double)cycles;
    assert_true(per_link <= 1.0 && per_link >= 0.97);
    bench_free(b);
}

/* ---- message classes ---- */
#define TWO_CLASSES   (1u << NET_TO_HOME | 1u << NET_TO_L2)
#define THREE_CLASSES (TWO_CLASSES | 1u << NET_TO_HOME_FORWARDED)
#define NOTHING_TAKEN UINT32_MAX

/* The topologies, with buffers as small as they get. */
static unsigned small_networks(struct noc_config out[5])
{
    out[0] = out[1] = crossbar;
    out[1].voq = true;
    out[2] = mesh;
    out[3] = out[4] = fly;
    out[4].radix = 2;
    out[4].stages = 4;
    for (unsigned k = 0; k < 5; k++) {
        out[k].inject_queue = 1;
        out[k].vcs = k == 2 ? 1 : 2;
        out[k].vc_flits = 1;
    }
    return 5;
}

/* Every node fills class `class` until nothing of it moves, because no receiver takes any of it. */
static void block_class(struct bench *b, uint32_t class)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct node *n = &b->node[class * b->n + i];
        n->take_every = NOTHING_TAKEN;
        n->to_send = 1000;
        n->dest = to_random;
        n->bytes = 8 + 32 * (i % 5);
        engine_wake(&n->comp, 0);
    }
    engine_run(b->eng, engine_cycle(b->eng, CLK_CORE) + 3000);
    uint64_t progress = b->eng->worker->progress;
    engine_run(b->eng, engine_cycle(b->eng, CLK_CORE) + 1000);
    assert_int_equal(b->eng->worker->progress, progress);
}

/* Cycles from sending one packet of a class to its arrival. */
static uint64_t alone(struct bench *b, uint32_t class, uint32_t from)
{
    struct node *sender = &b->node[class * b->n + from], *receiver = &b->node[class * b->n + b->n - 1];
    sender->to_send = 1;
    sender->bytes = 136;
    sender->dest = to_last;
    sender->first_sent = 0;
    engine_wake(&sender->comp, 0);
    engine_run(b->eng, engine_cycle(b->eng, CLK_CORE) + 200);
    assert_int_equal(receiver->got, 1);
    return receiver->last_got - sender->first_sent;
}

/* Whatever stands still in the other classes, a packet arrives in exactly the cycle it would in an empty network. */
static void blocked_class_is_passed(void **state)
{
    (void)state;
    struct noc_config cfgs[5];
    unsigned n = small_networks(cfgs);
    for (unsigned k = 0; k < n; k++)
        for (uint32_t moving = 0; moving < 3; moving++) {
            struct bench *b = bench_new_classes(12, 4, cfgs[k], THREE_CLASSES);
            uint64_t empty = alone(b, moving, 2);
            bench_free(b);
            b = bench_new_classes(12, 4, cfgs[k], THREE_CLASSES);
            for (uint32_t c = 0; c < 3; c++)
                if (c != moving)
                    block_class(b, c);
            assert_int_equal(alone(b, moving, 2), empty);
            bench_free(b);
        }
}

/* Random traffic of one class, through a network whose other classes stand still, arrives to the last packet. */
static void blocked_class_loses_nothing(void **state)
{
    (void)state;
    struct noc_config cfgs[5];
    unsigned n = small_networks(cfgs);
    for (unsigned k = 0; k < n; k++)
        for (uint32_t moving = 0; moving < 2; moving++) {
            struct bench *b = bench_new_classes(12, 4, cfgs[k], TWO_CLASSES);
            block_class(b, 1 - moving);
            struct node *node = &b->node[moving * b->n];
            uint64_t total = 0, blocked = 0;
            for (uint32_t i = 0; i < b->n; i++) {
                node[i].to_send = 100;
                node[i].dest = to_random;
                node[i].bytes = 8 + 32 * (i % 5);
                node[i].take_every = 1 + i % 3;
                engine_wake(&node[i].comp, 0);
            }
            engine_run(b->eng, engine_cycle(b->eng, CLK_CORE) + 9000);
            for (uint32_t i = 0; i < b->n; i++)
                total += node[i].got;
            assert_int_equal(total, b->n * 100);
            /* And when the others are taken after all, everything comes out. */
            for (uint32_t i = 0; i < b->n; i++) {
                struct node *other = &b->node[(1 - moving) * b->n + i];
                other->to_send = 0;
                blocked += other->nth;
                other->take_every = 1;
                engine_wake(&other->comp, 0);
            }
            bench_run(b);
            for (uint32_t i = 0; i < b->n; i++)
                blocked -= b->node[(1 - moving) * b->n + i].got;
            assert_int_equal(blocked, 0);
            bench_free(b);
        }
}

/* Two classes from one node to one other share its bandwidth evenly, and use all of it. */
static void classes_share(void **state)
{
    (void)state;
    struct noc_config cfgs[] = {crossbar, crossbar, mesh, fly};
    cfgs[1].voq = true;
    for (int k = 0; k < 4; k++) {
        struct bench *b = bench_new_classes(4, 1, cfgs[k], TWO_CLASSES);
        for (uint32_t c = 0; c < 2; c++) {
            b->node[c * b->n].to_send = 400;
            b->node[c * b->n].bytes = 136;
            b->node[c * b->n].dest = to_last;
        }
        engine_run(b->eng, 2000);
        uint64_t first = b->node[b->n - 1].got, second = b->node[2 * b->n - 1].got;
        assert_in_range(first, second - 2, second + 2);
        assert_in_range(first + second, 2000 * 97 / 500, 400);
        bench_run(b);
        assert_int_equal(b->node[b->n - 1].got + b->node[2 * b->n - 1].got, 800);
        bench_free(b);
    }
}

/* ---- the deadlock report ---- */
/* Passes every packet on to another node, in the class it came in: what message classes are there to avoid. */
static uint64_t relay_tick(struct comp *comp, uint64_t now)
{
    struct node *n = (struct node *)comp;
    struct req_pool *pool = engine_pool(comp);
    if (n->to_send && port_can_send(n->out)) {
        req_id id = req_alloc(pool);
        pool->req[id] = (struct req){.addr = n->nth, .created_at = now, .to = (uint16_t)to_random(n, n->nth)};
        n->nth++;
        n->to_send--;
        port_send(n->out, id, net_info(n->bytes, 15));
    } else if (port_peek(&n->in, now) && port_can_send(n->out)) {
        struct msg m = port_pop(&n->in);
        pool->req[m.req].to = (uint16_t)to_random(n, n->nth++);
        port_send(n->out, m.req, m.info);
    }
    return port_can_send(n->out) ? now + 1 : NEVER;
}
static void relay_waits(const struct comp *comp, struct waits *w)
{
    const struct node *n = (const struct node *)comp;
    if (!port_empty(&n->in))
        waits_for_room(w, &n->in, port_oldest(&n->in), n->out, "the network");
}

/* On every topology the report is the cycle: from a node into the network and back, on one screen. */
static void deadlock_report(void **state)
{
    (void)state;
    struct noc_config cfgs[5];
    unsigned n = small_networks(cfgs);
    for (unsigned k = 0; k < n; k++) {
        struct bench *b = bench_new(12, 4, cfgs[k]);
        for (uint32_t i = 0; i < b->n; i++) {
            b->node[i].comp.tick = relay_tick;
            b->node[i].comp.waits = relay_waits;
            b->node[i].to_send = 100;
            b->node[i].bytes = 136;
        }
        assert_int_equal(engine_run(b->eng, 1000000), ENGINE_DEADLOCK);
        char *text = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&text, &len);
        engine_report_deadlock(b->eng, f);
        fclose(f);
        unsigned lines = 0;
        for (const char *p = text; *p; p++)
            lines += *p == '\n';
        if (!strstr(text, "wait cycle") || !strstr(text, "node, node in: load of line") ||
            !strstr(text, "waits for the network: room in noc.request, noc.to_l2") ||
            !strstr(text, "waits for its receiver: room in node, node in") || !strstr(text, "the oldest request in it"))
            fail_msg("network %u: the report is\n%s", k, text);
        assert_in_range(lines, 4, 24);
        free(text);
        bench_free(b);
    }
}

static void refused(void **state)
{
    (void)state;
    struct noc_config bad[] = {mesh, mesh, mesh, fly, mesh};
    bad[0].width = bad[0].height = 3;    /* nine routers for sixteen nodes */
    bad[1].memory_nodes = "3 99 4 5";    /* no such router */
    bad[2].memory_nodes = "3 3 4 5";     /* twice */
    bad[3].radix = 2, bad[3].stages = 2; /* four nodes only */
    bad[4].vcs = 8;                      /* three classes: 5 x 24 channels */
    for (int k = 0; k < 5; k++) {
        struct arena *a = arena_new();
        struct err e = {0};
        struct engine_config ec = {.khz = {1, 1, 1, 1}, .max_requests = 1};
        struct engine *eng = engine_new(a, &ec, &e);
        struct noc_setup c = {&bad[k]};
        assert_null(noc_new(eng, &c,
                            &(struct noc_env){NOC_REQUEST, 12, 4, k == 4 ? THREE_CLASSES : 1u << NET_TO_L2, NULL}, &e));
        assert_true(e.msg[0]);
        engine_free(eng);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossbar_latency),
        cmocka_unit_test(fairness),
        cmocka_unit_test(head_of_line),
        cmocka_unit_test(mesh_latency),
        cmocka_unit_test(input_ports_are_fair),
        cmocka_unit_test(butterfly_latency),
        cmocka_unit_test(all_to_all),
        cmocka_unit_test(back_pressure),
        cmocka_unit_test(bisection),
        cmocka_unit_test(refused),
        cmocka_unit_test(blocked_class_is_passed),
        cmocka_unit_test(blocked_class_loses_nothing),
        cmocka_unit_test(classes_share),
        cmocka_unit_test(deadlock_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
