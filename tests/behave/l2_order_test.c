/*
 * Request orders in front of an L2 slice: CART's three cases of head-of-line blocking with exact cycles, queues by
 * bank, what a policy's hooks do to the slice, starvation, and random traffic whose values are those of a sequential
 * memory under every order.
 */
#include "memory_latency.h"

#include "l2/l2_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct memsys *machine_with(uint32_t n_sm, const struct order_policy *order, const char *map, const char *config)
{
    struct memsys_config c = {.n_sm = n_sm,
                              .n_channel = 1,
                              .slices = 1,
                              .core_khz = 1000000,
                              .noc_khz = 1000000,
                              .l2_khz = 1000000,
                              .dram_khz = 1000000,
                              .map = map,
                              .config = config,
                              .l2_order = order};
    return memsys_new(&c);
}

static struct memsys *machine(uint32_t n_sm, const char *config)
{
    return machine_with(n_sm, NULL, NULL, config);
}

/* A hit spends one cycle in the buffer; a selection of three cycles costs two more. */
static void unloaded(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        uint64_t more;
    } cases[] = {
        {"", 0},
        {"[l2]\norder = nonblocking\n", 1},
        {"[l2]\norder = bank_queues\n", 1},
        {"[l2]\norder = nonblocking\n[nonblocking]\nselect_cycles = 3\n", 3},
        {"[l2]\norder = bank_queues\n[bank_queues]\nselect_cycles = 3\n", 3},
        {"[l2]\norder = cart\n", 1},
        {"[l2]\norder = cart\n[cart]\nselect_cycles = 3\n", 3},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memsys *m = machine(1, cases[i].config);
        l2_preload(m->l2, 1, 0, 128, false);
        const struct shot shot = {1, 0};
        struct landing at;
        memsys_script(m, 0, &shot, 1, &at);
        memsys_run(m);
        assert_int_equal(at.back - at.sent, l2_hit_latency(m, 136) + cases[i].more);
        assert_int_equal(memsys_stat(m, "l2.requests"), 1);
        if (i) {
            assert_int_equal(memsys_stat(m, "l2_order.requests"), 1);
            assert_int_equal(memsys_stat(m, "l2_order.max_wait_cycles"), cases[i].more);
            assert_int_equal(memsys_stat(m, "l2_order.request_cycles"), cases[i].more);
        }
        memsys_free(m);
    }
}

/* What happens to the requests a, b, c of three SMs that reach the slice in this order, some cycles apart. */
static void three(const char *config, const struct shot *shots, bool warm_last, struct landing at[3], uint64_t *cases)
{
    struct memsys *m = machine(3, config);
    if (warm_last)
        l2_preload(m->l2, 1, shots[2].addr, 128, false);
    for (uint32_t i = 0; i < 3; i++)
        memsys_script(m, i, &shots[i], 1, &at[i]);
    memsys_run(m);
    if (cases) {
        cases[0] = memsys_stat(m, "l2_order.hol_blocking.merge");
        cases[1] = memsys_stat(m, "l2_order.hol_blocking.miss");
        cases[2] = memsys_stat(m, "l2_order.hol_blocking.hit");
        cases[3] = memsys_stat(m, "l2_order.tried_another");
        cases[4] = memsys_stat(m, "l2_order.reordered");
    }
    memsys_free(m);
}

#define BUFFERED_FIFO "order = bank_queues\n[bank_queues]\nqueues = 1\nentries = 64\n"

/* CART III-A (1): b finds no MSHR entry, and c could merge with a. */
static void merge_behind_a_miss(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {5, 0x4080}, {9, 0}};
    struct landing fifo[3], free[3];
    uint64_t n[5];
    three("[l2]\nmshrs = 1\n" BUFFERED_FIFO, shots, false, fifo, n);
    assert_int_equal(fifo[2].served, REQ_AT_L2); /* it waits behind b, until the line is there */
    assert_int_equal(n[4], 0);
    three("[l2]\nmshrs = 1\norder = nonblocking\n", shots, false, free, n);
    assert_int_equal(free[2].served, REQ_AT_DRAM);    /* it has merged */
    assert_int_equal(free[2].back, free[0].back + 5); /* a packet of five flits behind a */
    assert_int_equal(n[3], 1);
    assert_int_equal(n[4], 1); /* c left the buffer ahead of b */
    assert_true(free[1].back > free[2].back);
}

/* (2): b finds a's entry full, and c needs another entry. */
static void miss_behind_a_merge(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {5, 0}, {9, 0x4080}};
    struct landing fifo[3], free[3];
    uint64_t n[5];
    three("[l2]\nmax_merges = 1\n" BUFFERED_FIFO, shots, false, fifo, n);
    three("[l2]\nmax_merges = 1\norder = nonblocking\n", shots, false, free, n);
    assert_int_equal(n[3], 1);
    /* c waits for nobody: it is back when it is with merge slots for all. In the FIFO it starts when b has hit. */
    struct landing ample[3];
    three("[l2]\norder = nonblocking\n", shots, false, ample, NULL);
    assert_int_equal(free[2].back, ample[2].back);
    assert_int_equal(ample[1].served, REQ_AT_DRAM);
    assert_true(fifo[2].back > fifo[1].back);
    assert_int_equal(free[0].back, fifo[0].back);
    assert_int_equal(free[1].served, REQ_AT_L2);
}

/* (3): b finds no MSHR entry, and c would hit. */
static void hit_behind_a_miss(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {5, 0x4080}, {9, 0x8100}};
    struct landing fifo[3], free[3];
    uint64_t n[5];
    struct memsys *m = machine(1, "");
    uint64_t hit = l2_hit_latency(m, 136);
    memsys_free(m);
    three("[l2]\nmshrs = 1\n", shots, true, fifo, NULL);
    three("[l2]\nmshrs = 1\norder = nonblocking\n", shots, true, free, n);
    assert_true(fifo[2].back > fifo[0].back);
    assert_int_equal(free[2].back - free[2].sent, hit + 1); /* the cycle in the buffer */
    assert_int_equal(n[3], 1);
    /* The same in a queue of its own bank; and a queue of the same bank does not help. */
    three("[l2]\nmshrs = 1\norder = bank_queues\n", shots, true, free, n);
    assert_int_equal(free[2].back - free[2].sent, hit + 1);
    three("[l2]\nmshrs = 1\norder = bank_queues\n[bank_queues]\nqueues = 1\n", shots, true, free, n);
    assert_true(free[2].back > free[0].back);
}

/* The three cases are counted where another request stands behind the one that is refused. */
static void cases_are_counted(void **state)
{
    (void)state;
    /* A hit of 16 cycles occupies the port while the others gather behind it. */
    static const struct {
        const char *config;
        struct shot b, c;
        bool warm;
        unsigned expected;
    } cases[] = {
        {"[l2]\nport_bytes = 8\nmshrs = 1\n" BUFFERED_FIFO, {9, 0x4080}, {9, 0}, false, 0},
        {"[l2]\nport_bytes = 8\nmax_merges = 1\n" BUFFERED_FIFO, {9, 0}, {9, 0x4080}, false, 1},
        {"[l2]\nport_bytes = 8\nmshrs = 1\n" BUFFERED_FIFO, {9, 0x4080}, {9, 0x8100}, true, 2},
        {"[l2]\nport_bytes = 8\nmax_merges = 1\n" BUFFERED_FIFO, {9, 0}, {9, 0x8100}, true, 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memsys *m = machine(4, cases[i].config);
        l2_preload(m->l2, 1, 0x20000, 128, false);
        if (cases[i].warm)
            l2_preload(m->l2, 1, cases[i].c.addr, 128, false);
        const struct shot a = {1, 0}, busy = {6, 0x20000};
        struct landing at[4];
        memsys_script(m, 0, &a, 1, &at[0]);
        memsys_script(m, 1, &busy, 1, &at[1]);
        memsys_script(m, 2, &cases[i].b, 1, &at[2]);
        memsys_script(m, 3, &cases[i].c, 1, &at[3]);
        memsys_run(m);
        static const char *const name[] = {"l2_order.hol_blocking.merge", "l2_order.hol_blocking.miss",
                                           "l2_order.hol_blocking.hit"};
        for (unsigned k = 0; k < 3; k++)
            if (memsys_stat(m, name[k]) != (k == cases[i].expected))
                fail_msg("case %u: %s is %lu", i, name[k], (unsigned long)memsys_stat(m, name[k]));
        assert_int_equal(memsys_stat(m, "l2_order.rejected"), 1);
        memsys_free(m);
    }
}

/*
 * Queues by bank are served in turn: of the banks 0 0 0 1 1 2 the requests leave as 0 1 2 0 1 0. With two slices the
 * banks of one are every second.
 */
static void banks_in_turn(void **state)
{
    (void)state;
    for (uint32_t slices = 1; slices <= 2; slices++) {
        struct memsys_config c = {.n_sm = 1,
                                  .n_channel = 1,
                                  .slices = slices,
                                  .core_khz = 1000000,
                                  .noc_khz = 1000000,
                                  .l2_khz = 1000000,
                                  .dram_khz = 1000000,
                                  .map = "RRRRRRRRRRRRRRRR.BBBB.CCCCCCCCCCC",
                                  .config =
                                      "[l2]\norder = bank_queues\nport_bytes = 8\n[noc]\nflit = 136\n"
                                      "[bank_queues]\nqueues = 8\n"};
        struct memsys *m = memsys_new(&c);
        const uint64_t bank = slices << 11;
        /* The first keeps the port busy for sixteen cycles while the others arrive. */
        const struct shot shots[] = {{1, 5 * bank}, {2, 0},          {3, 128},     {4, 256},
                                     {5, bank},     {6, bank + 128}, {7, 2 * bank}};
        static const unsigned turn[] = {1, 4, 6, 2, 5, 3};
        struct landing at[7];
        for (unsigned i = 0; i < 7; i++)
            l2_preload(m->l2, 1, shots[i].addr, 128, false);
        memsys_script(m, 0, shots, 7, at);
        memsys_run(m);
        uint64_t before = at[0].back;
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(at[turn[i]].back, before + 16);
            before = at[turn[i]].back;
        }
        assert_int_equal(memsys_stat(m, "l2_order.reordered"), 2); /* 4 and 6; 5 leaves in its own place */
        memsys_free(m);
    }
}

/* An entry is freed while hits wait behind the miss that wants it: the oldest gets it at once, or at its turn. */
static void round_robin(void **state)
{
    (void)state;
    enum { HITS = 40 };
    uint64_t back[2];
    for (int oldest = 0; oldest < 2; oldest++) {
        struct memsys *m =
            machine(1, oldest ? "[l2]\nmshrs = 1\norder = nonblocking\nport_bytes = 8\n[nonblocking]\nselect = oldest\n"
                              : "[l2]\nmshrs = 1\norder = nonblocking\nport_bytes = 8\n");
        struct shot shots[2 + HITS] = {{1, 0}, {2, 0x4080}};
        struct landing at[2 + HITS];
        for (uint32_t i = 0; i < HITS; i++) {
            shots[2 + i] = (struct shot){3 + i, 0x20000 + i * 128};
            l2_preload(m->l2, 1, shots[2 + i].addr, 128, false);
        }
        memsys_script(m, 0, shots, 2 + HITS, at);
        memsys_run(m);
        back[oldest] = at[1].back;
        /* The hits go on until the entry is there; then the miss passes those that are left, or follows them. */
        assert_int_equal(at[1].back < at[1 + HITS].back, oldest);
        assert_true(at[2].back < at[0].back);
        memsys_free(m);
    }
    assert_true(back[1] + 200 < back[0]);
}

/* A request for a full queue waits outside, and with it those behind it that would have had room. */
static void room(void **state)
{
    (void)state;
    uint64_t last[2];
    for (int roomy = 0; roomy < 2; roomy++) {
        struct memsys *m = machine_with(1, NULL, "RRRRRRRRRRRRRRRR.BBBB.CCCCCCCCCCC",
                                        roomy ? "[l2]\norder = bank_queues\nport_bytes = 8\n[noc]\nflit = 136\n"
                                              : "[l2]\norder = bank_queues\nport_bytes = 8\n[noc]\nflit = 136\n"
                                                "[bank_queues]\nentries = 1\n");
        const uint64_t bank = 1ull << 11;
        const struct shot shots[] = {{1, 5 * bank}, {2, 0}, {3, 128}, {4, 256}, {5, bank}};
        struct landing at[5];
        for (unsigned i = 0; i < 5; i++)
            l2_preload(m->l2, 1, shots[i].addr, 128, false);
        memsys_script(m, 0, shots, 5, at);
        memsys_run(m);
        /*
         * Hits of sixteen cycles. The first leaves a cycle after its arrival. The third arrives a cycle later, and
         * finds room fifteen cycles later, when the second leaves; so does the fourth, a cycle behind the third.
         */
        assert_int_equal(memsys_stat(m, "l2_order.buffer_full_cycles"), roomy ? 0 : 15 + 15);
        last[roomy] = at[4].back;
        memsys_free(m);
    }
    assert_int_equal(last[0], last[1] + 16);
}

/* ---- policies of the test's own ---- */
enum pick_by { PICK_YOUNGEST, PICK_AT_RANDOM };

static struct {
    enum pick_by by;
    enum order_action verdict;
    bool hold; /* until the next kernel */
    uint32_t capacity, launches;
    uint64_t max_wait;
} wanted;

struct wayward {
    struct order_host *host;
    struct order_queue all;
    uint64_t rng;
    bool hold;
};

static int wayward_init(void *st, const void *params, struct order_host *h, struct err *e)
{
    (void)params, (void)e;
    struct wayward *s = st;
    *s = (struct wayward){h, ORDER_QUEUE_EMPTY, 88172645463325252ull, wanted.hold};
    h->capacity = wanted.capacity ? wanted.capacity : 32;
    h->max_wait = wanted.max_wait;
    /* What the L2 tells its policies. */
    assert_int_equal(h->at, ORDER_AT_L2);
    assert_int_equal(h->line_size, 128);
    assert_true(h->n_sm > 0 && h->n_warp == 0);
    assert_true(h->set_of(h->cache, 0x12340) < h->n_set);
    assert_non_null(h->map);
    return 0;
}
static bool wayward_take_in(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    (void)r, (void)now;
    struct wayward *s = st;
    s->rng ^= s->rng << 13, s->rng ^= s->rng >> 7, s->rng ^= s->rng << 17;
    order_queue_push(s->host, &s->all, slot);
    return true;
}
static uint32_t wayward_pick(const void *st, uint64_t now)
{
    (void)now;
    const struct wayward *s = st;
    if (s->hold)
        return ORDER_NONE;
    uint64_t skip = wanted.by == PICK_YOUNGEST ? s->all.n - 1 : (s->rng >> 20) % s->all.n;
    uint32_t slot = s->all.head, found = ORDER_NONE;
    for (uint64_t i = 0; slot != ORDER_NONE; i++, slot = order_queue_after(s->host, slot))
        if (order_ready(s->host, slot) && (found == ORDER_NONE || i <= skip))
            found = slot;
    return found;
}
static void wayward_taken(void *st, uint32_t slot)
{
    struct wayward *s = st;
    order_queue_remove(s->host, &s->all, slot);
}
static enum order_action wayward_could_not(void *st, uint32_t slot, enum stall why)
{
    (void)st, (void)slot, (void)why;
    return wanted.verdict;
}
static void wayward_on_kernel(void *st, uint32_t launch_index)
{
    wanted.launches += launch_index;
    ((struct wayward *)st)->hold = false;
}
static const struct order_policy wayward = {.info = {.name = "wayward"},
                                            .state_bytes = sizeof(struct wayward),
                                            .init = wayward_init,
                                            .enqueue = wayward_take_in,
                                            .pick = wayward_pick,
                                            .on_accept = wayward_taken,
                                            .on_reject = wayward_could_not,
                                            .on_kernel = wayward_on_kernel};

/* A policy that holds everything back until a kernel begins: the slice sleeps, and wakes when it does. */
static void kernel_begins(void **state)
{
    (void)state;
    memset(&wanted, 0, sizeof wanted);
    wanted.hold = true;
    struct memsys *m = machine_with(1, &wayward, NULL, "");
    l2_preload(m->l2, 1, 0, 128, false);
    const struct shot shots[] = {{1, 0}, {900, 0}}; /* the second keeps the clock going */
    struct landing at[2];
    memsys_script(m, 0, shots, 2, at);
    assert_int_equal(engine_run(m->eng, 700), ENGINE_LIMIT);
    assert_int_equal(at[0].back, 0);
    engine_sync(m->eng);
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "l2_order.request_cycles"), 701 - (at[0].sent + to_l2(m, 8)));
    assert_int_equal(order_count(m->l2[0]->order), 1);
    l2_kernel_begin(m->l2[0], 5);
    memsys_run(m);
    assert_int_equal(wanted.launches, 5);
    assert_int_equal(at[0].back, 701 + from_l2(m, 136));
    memsys_free(m);
}

/* What the policy answers when a request cannot be taken: wait, let others pass, or bypass. */
static void verdicts(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {5, 0x4080}, {9, 0x8100}, {3000, 0x4080, .flags = REQ_F_BYPASS}};
    struct landing at[3][4];
    static const enum order_action verdict[] = {ORDER_WAIT, ORDER_PICK_ANOTHER, ORDER_BYPASS};
    for (unsigned i = 0; i < 3; i++) {
        memset(&wanted, 0, sizeof wanted);
        wanted.verdict = verdict[i];
        struct memsys *m = machine_with(1, &wayward, NULL, "[l2]\nmshrs = 1\n");
        l2_preload(m->l2, 1, 0x8100, 128, false);
        memsys_script(m, 0, shots, 4, at[i]);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l2.bypasses"), verdict[i] == ORDER_BYPASS);
        assert_int_equal(memsys_stat(m, "l2.stalled_requests.no_mshr"), verdict[i] != ORDER_BYPASS);
        assert_int_equal(memsys_stat(m, "l2_order.rejected"), 1);
        /* The second comes when the first is back, or at once; what bypassed is not kept. */
        assert_int_equal(at[i][1].back > at[i][0].back + 100, verdict[i] != ORDER_BYPASS);
        assert_int_equal(at[i][2].back > at[i][0].back, verdict[i] == ORDER_WAIT);
        assert_int_equal(at[i][3].served, verdict[i] == ORDER_BYPASS ? REQ_AT_DRAM : REQ_AT_L2);
        memsys_free(m);
    }
}

/*
 * A bypass that finds the miss queue full waits for room below, not for what it was refused for, whether the policy or
 * l2.bypass_on_stall decides it: stores that go around the cache fill the queue while a line is in flight for long whose
 * MSHR takes no second request.
 */
static void crowded_bypass(void **state)
{
    (void)state;
#define CROWDED                                                                                                        \
    "[dram]\nqueue = 1\nlatency = 300\n[l2]\nmax_merges = 1\nmiss_queue = 2\ndram_queue = 1\nwrite_miss = around\n"
    for (unsigned i = 0; i < 2; i++) {
        memset(&wanted, 0, sizeof wanted);
        wanted.verdict = i ? ORDER_PICK_ANOTHER : ORDER_BYPASS;
        struct memsys *m = machine_with(1, &wayward, NULL, i ? CROWDED "bypass_on_stall = yes\n" : CROWDED);
        struct shot shots[8] = {{1, 0}};
        struct landing at[8];
        for (unsigned k = 1; k < 7; k++)
            shots[k] = (struct shot){1 + k, k * 0x10080, REQ_WRITE};
        shots[7] = (struct shot){8, 0, .flags = REQ_F_BYPASS};
        memsys_script(m, 0, shots, 8, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l2.bypasses"), 1);
        assert_int_equal(memsys_stat(m, "l2.stalled_requests.no_merge_slot"), 1);
        assert_int_equal(at[7].served, REQ_AT_DRAM);
        assert_true(at[7].back < at[0].back + 300);
        memsys_free(m);
    }
}

/* ---- random traffic against a sequential memory ---- */
enum { SMS = 6, PER_SM = 400, SHARED = 12, OWN = 4, LINES = SHARED + SMS * OWN };

/* The value of a sector is the number of writes it has seen, as of the tags. */
static struct {
    const struct order_policy *inner;
    uint32_t value[LINES][4];
    uint32_t got[SMS][PER_SM][4]; /* per request and sector: what it read, or wrote */
    unsigned accepted;
} memory;

static void watched_taken(void *st, uint32_t slot)
{
    /* Every policy of this test begins its state with its host. */
    const struct order_host *h = *(const struct order_host **)st;
    const struct req *r = order_req(h, slot);
    uint64_t line = r->addr / 128;
    for (uint32_t k = 0; k < 4; k++)
        if (r->sectors >> k & 1) {
            memory.got[r->sm][r->token][k] = memory.value[line][k];
            memory.value[line][k] += r->kind != REQ_READ;
        }
    memory.accepted++;
    memory.inner->on_accept(st, slot);
}

struct step {
    uint8_t kind, sectors;
    uint32_t line;
};
static struct step step_of(uint32_t sm, uint64_t nth)
{
    uint64_t h = (sm * 1000003 + nth + 1) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29, h *= 0xbf58476d1ce4e5b9ull, h ^= h >> 32;
    struct step x;
    x.line = h & 1 ? (uint32_t)(h >> 8) % SHARED : SHARED + sm * OWN + (uint32_t)(h >> 8) % OWN;
    x.kind = (h >> 20) % 8 < 4 ? REQ_READ : (h >> 20) % 8 < 6 ? REQ_WRITE : (h >> 20) % 8 < 7 ? REQ_ATOMIC : REQ_RED;
    x.sectors =
        x.kind == REQ_READ || x.kind == REQ_WRITE ? (uint8_t)(1 + (h >> 24) % 15) : (uint8_t)(1u << (h >> 24) % 4);
    return x;
}
static bool traffic(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    (void)ctx;
    if (nth == PER_SM)
        return false;
    struct step x = step_of(sm, nth);
    s->addr = x.line * 128;
    s->kind = x.kind;
    s->sectors = x.sectors;
    s->flags = REQ_F_BYPASS; /* the L2 sees every request, in the order of the SM */
    return true;
}

/* An SM sees its own lines as a sequential memory has them; shared ones never go back in time. */
static void check_values(void)
{
    assert_int_equal(memory.accepted, SMS * PER_SM);
    for (uint32_t sm = 0; sm < SMS; sm++) {
        uint32_t least[LINES][4] = {{0}};
        for (uint32_t i = 0; i < PER_SM; i++) {
            struct step x = step_of(sm, i);
            for (uint32_t k = 0; k < 4; k++) {
                if (!(x.sectors >> k & 1))
                    continue;
                uint32_t got = memory.got[sm][i][k];
                if (x.line >= SHARED ? got != least[x.line][k] : got < least[x.line][k])
                    fail_msg("SM %u, request %u: sector %u of line %u has value %u, %u expected", sm, i, k, x.line, got,
                             least[x.line][k]);
                least[x.line][k] = got + (x.kind != REQ_READ);
            }
        }
    }
}

static uint64_t run_traffic(const struct order_policy *inner, const char *config, bool tick_all, uint64_t *values)
{
    struct order_policy watched = *inner;
    watched.on_accept = watched_taken;
    memset(&memory, 0, sizeof memory);
    memory.inner = inner;
    struct memsys_config c = {.n_sm = SMS,
                              .n_channel = 1,
                              .slices = 1,
                              .core_khz = 1400000,
                              .noc_khz = 700000,
                              .l2_khz = 700000,
                              .dram_khz = 924000,
                              .config = config,
                              .tick_all = tick_all,
                              .max_outstanding = 48,
                              .l2_order = &watched};
    struct memsys *m = memsys_new(&c);
    for (uint32_t i = 0; i < SMS; i++)
        memsys_source(m, i, traffic, NULL);
    uint64_t cycles = memsys_run(m);
    check_values();
    unsigned n = stats_count(m->stats);
    assert_true(n < 512);
    memcpy(values, m->values, n * sizeof *values);
    assert_int_equal(memsys_stat(m, "l2_order.requests"), SMS * PER_SM);
    memsys_free(m);
    return cycles;
}

static void random_traffic(void **state)
{
    (void)state;
#define SMALL "[l2]\nsize = 4KiB\nmshrs = "
    static const char *const l2[] = {
        "[dram]\nqueue = 2\n" SMALL "4\nmax_merges = 2\nmiss_queue = 2\natomic_interval = 3\ndram_queue = 1\n",
        SMALL "6\nmax_merges = 2\nsplit_sectors = yes\nbypass_on_stall = yes\n",
        SMALL "4\nwrite_miss = fetch\nsectored = no\nport_bytes = 16\n",
        "[noc]\nflit = 8\n" SMALL "1\nmax_merges = 1\n", /* replies wait; so do their MSHRs */
    };
    static const struct {
        const char *name, *config;
    } policy[] = {
        {"nonblocking", "[nonblocking]\nentries = 24\n"},
        {"nonblocking", "[nonblocking]\nselect = oldest\nselect_cycles = 2\nmax_wait = 100\n"},
        {"bank_queues", "[bank_queues]\nqueues = 4\nentries = 3\n"},
        {"bank_queues", "[bank_queues]\nqueues = 1\nentries = 64\n"},
        {"cart", ""},
        {"cart", "[cart]\nrows = 1\ncolumns = 1\nstall = wait\n"},
        {"cart", "[cart]\ndrain = longest\nmax_wait = 200\n"},
    };
    static uint64_t a[512], b[512];
    char config[512];
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < sizeof policy / sizeof *policy; k++) {
            snprintf(config, sizeof config, "%sorder = %s\n%s", l2[i], policy[k].name, policy[k].config);
            const struct order_policy *p =
                (const void *)l2_order_kind.policy[policy_find(&l2_order_kind, policy[k].name)];
            assert_int_equal(run_traffic(p, config, false, a), run_traffic(p, config, true, b));
            assert_memory_equal(a, b, sizeof a);
        }
        for (unsigned k = 0; k < 4; k++) {
            memset(&wanted, 0, sizeof wanted);
            wanted.by = k & 1 ? PICK_AT_RANDOM : PICK_YOUNGEST;
            wanted.verdict = k & 2 ? ORDER_BYPASS : ORDER_PICK_ANOTHER;
            wanted.max_wait = 2000;
            assert_int_equal(run_traffic(&wayward, l2[i], false, a), run_traffic(&wayward, l2[i], true, b));
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

/* The youngest first starves the oldest as long as others come; with max_wait it does not. */
static void starvation(void **state)
{
    (void)state;
    uint64_t longest[2];
    for (int bounded = 0; bounded < 2; bounded++) {
        memset(&wanted, 0, sizeof wanted);
        wanted.by = PICK_YOUNGEST;
        wanted.verdict = ORDER_PICK_ANOTHER;
        wanted.max_wait = bounded ? 300 : 0;
        struct memsys_config c = {.n_sm = SMS,
                                  .n_channel = 1,
                                  .slices = 1,
                                  .core_khz = 1000000,
                                  .noc_khz = 1000000,
                                  .l2_khz = 1000000,
                                  .dram_khz = 1000000,
                                  .config = "",
                                  .max_outstanding = 48,
                                  .l2_order = &wayward};
        struct memsys *m = memsys_new(&c);
        l2_preload(m->l2, 1, 0, LINES * 128, false);
        for (uint32_t i = 0; i < SMS; i++)
            memsys_source(m, i, traffic, NULL);
        memsys_run(m);
        longest[bounded] = memsys_stat(m, "l2_order.max_wait_cycles");
        if (bounded)
            assert_true(memsys_stat(m, "l2_order.aged") > 0);
        memsys_free(m);
    }
    /* When its time has come at most the rest of the buffer, all overdue too, goes before it: 32 hits of 4 cycles. */
    assert_true(longest[0] > 1000);
    assert_in_range(longest[1], 300, 300 + 32 * 4 + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unloaded),
        cmocka_unit_test(merge_behind_a_miss),
        cmocka_unit_test(miss_behind_a_merge),
        cmocka_unit_test(hit_behind_a_miss),
        cmocka_unit_test(cases_are_counted),
        cmocka_unit_test(banks_in_turn),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(room),
        cmocka_unit_test(kernel_begins),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(crowded_bypass),
        cmocka_unit_test(random_traffic),
        cmocka_unit_test(starvation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
