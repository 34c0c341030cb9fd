/*
 * The prefetchers on an L1 between mock neighbors: which lines each asks for, when and for whom. Loads come a thousand
 * cycles apart where nothing else is said, so that what one prefetches is there for the next.
 */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { PC = 7, KB = 1024 };

/* One execution of a load: a warp of a CTA asks for lines `line` .. of `n`, `step` bytes apart. */
struct load {
    unsigned cta, warp;
    uint64_t addr;
    const char *expected; /* a letter for each line: h: hit; m: miss; +: merged */
    uint32_t pc;
    uint16_t flags;
    uint64_t step;
    uint8_t sectors;
};

struct rig {
    struct memsys *m;
    struct shot shot[256];
    struct landing at[256];
    char expected[256];
    unsigned n, ctas, warps;
};

/* CTA c has the warps c * warps .. */
static void rig_init(struct rig *r, const char *prefetcher, const char *own, unsigned ctas, unsigned warps)
{
    char config[256];
    snprintf(config, sizeof config, "[l1]\nprefetcher = %s\nprefetch_queue = 64\n%s%s%s\n%s\n", prefetcher,
             *own ? "[" : "", *own ? prefetcher : "", *own ? "]" : "", own);
    struct memsys_config c = {1, 1, 1, 1000000, 1000000, 1000000, 1000000, false, NULL, config, 0, false};
    r->m = memsys_new(&c);
    r->n = 0;
    r->ctas = ctas;
    r->warps = warps;
    l1_kernel_begin(r->m->l1[0], 0);
}

static void add(struct rig *r, uint64_t at, const struct load *l)
{
    unsigned n = (unsigned)strlen(l->expected);
    for (unsigned i = 0; i < n; i++) {
        r->expected[r->n] = l->expected[i];
        r->shot[r->n++] = (struct shot){.at = at + i,
                                        .addr = l->addr + i * (l->step ? l->step : 128),
                                        .pc = l->pc ? l->pc : PC,
                                        .warp = (uint16_t)l->warp,
                                        .cta = (uint16_t)l->cta,
                                        .flags = l->flags,
                                        .sectors = l->sectors,
                                        .nth = (uint8_t)i,
                                        .n_lines = (uint8_t)n};
    }
}

/* Hands the script over and lets the CTAs begin. */
static void rig_begin(struct rig *r)
{
    memsys_script(r->m, 0, r->shot, r->n, r->at);
    engine_run(r->m->eng, 1);
    if (l1_wanted_events(r->m->l1[0]) >> EVENT_CTA_START & 1)
        for (unsigned i = 0; i < r->ctas; i++)
            port_send(l1_events(r->m->l1[0]), i * r->warps | r->warps << 16, event_info(EVENT_CTA_START, i));
}

static void rig_run(struct rig *r, const struct load *l, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        add(r, 1000 * (i + 1), &l[i]);
    rig_begin(r);
    memsys_run(r->m);
    for (unsigned i = 0; i < r->n; i++) {
        unsigned served = r->at[i].served;
        char was = served == REQ_AT_L1 ? 'h' : served == REQ_AT_L1_MERGE ? '+' : 'm';
        if (was != r->expected[i])
            fail_msg("cycle %lu: warp %u, address %lx is '%c', not '%c'", (unsigned long)r->shot[i].at, r->shot[i].warp,
                     (unsigned long)r->shot[i].addr, was, r->expected[i]);
    }
}
#define RUN(r, ...)                                                                                                    \
    rig_run(r, (const struct load[]){__VA_ARGS__}, sizeof((const struct load[]){__VA_ARGS__}) / sizeof(struct load))
#define STAT(r, name) (unsigned)memsys_stat((r)->m, name)

/* ---- cap ---- */

/* Base addresses of three CTAs that no stride joins, and the stride between the warps of each. */
#define A      (0x100000)
#define B      (0x100000 + 81 * 128)
#define C      (0x100000 + 179 * 128)
#define STRIDE 1024

/* Figure 9a: A0, B0, C0 have registered their bases when A1 gives the stride: B1 and C1 are prefetched for. */
static void cap_stride_last(void **state)
{
    (void)state;
    static const char *const name[] = {"cap", "caps"};
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        rig_init(&r, name[i], "", 3, 2);
        RUN(&r, {0, 0, A, "m"}, {1, 2, B, "m"}, {2, 4, C, "m"}, {0, 1, A + STRIDE, "m"}, /* asks for two lines */
            {1, 3, B + STRIDE, "h"}, {2, 5, C + STRIDE, "h"});
        assert_int_equal(STAT(&r, "l1.prefetch.issued"), 2);
        assert_int_equal(STAT(&r, "l1.prefetch.timely"), 2);
        assert_int_equal(r.m->sm[0].events_seen[EVENT_PREFETCH_ARRIVED], 2); /* the scheduler hears of both */
        assert_int_equal(STAT(&r, i ? "caps.by_stride" : "cap.by_stride"), 2);
        assert_int_equal(STAT(&r, i ? "caps.verified" : "cap.verified"), 2);
        assert_int_equal(STAT(&r, i ? "caps.mispredicted" : "cap.mispredicted"), 0);
        memsys_free(r.m);
    }
}

/* B1 executes the load in the cycle after the prefetch for it was asked for, which waits for a cycle without a load. */
static void cap_drops_what_is_overtaken(void **state)
{
    (void)state;
    for (int drop = 0; drop < 2; drop++) {
        struct rig r;
        rig_init(&r, "cap", drop ? "" : "drop = no", 3, 2);
        const struct load l[] = {
            {0, 0, A, "m"}, {1, 2, B, "m"}, {2, 4, C, "m"}, {0, 1, A + STRIDE, "m"}, {1, 3, B + STRIDE, "m"}};
        for (unsigned i = 0; i < 5; i++)
            add(&r, 1000 * (i < 4 ? i + 1 : 4) + i, &l[i]);
        rig_begin(&r);
        memsys_run(r.m);
        assert_int_equal(STAT(&r, "l1.prefetch.overtaken"), drop);
        assert_int_equal(STAT(&r, "l1.prefetch.redundant"), !drop);
        assert_int_equal(STAT(&r, "l1.prefetch.issued"), 1); /* for C1 */
        memsys_free(r.m);
    }
}

/* B0 is an iteration ahead when B1 executes its first: what was asked for B1's second stays in the queue. */
static void cap_keeps_what_is_ahead(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 2);
    const struct load l[] = {
        {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"}, {1, 2, B, "m"}, {1, 2, B + 64 * KB, "m"}, {1, 3, B + STRIDE, "h"}};
    for (unsigned i = 0; i < 5; i++)
        add(&r, 1000 * (i < 4 ? i + 1 : 4) + i, &l[i]);
    rig_begin(&r);
    memsys_run(r.m);
    assert_int_equal(STAT(&r, "l1.prefetch.overtaken"), 0);
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 2);
    memsys_free(r.m);
}

/* Figure 9b: A0 and A1 have given the stride when B0 registers its base: all other warps of B are prefetched for. */
static void cap_base_last(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 3, 3);
    RUN(&r, {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"}, {1, 3, B, "m"}, {2, 6, C, "m"}, {1, 4, B + STRIDE, "h"},
        {1, 5, B + 2 * STRIDE, "h"}, {2, 7, C + STRIDE, "h"}, {2, 8, C + 2 * STRIDE, "h"},
        {0, 2, A + 2 * STRIDE, "m"}); /* nothing is prefetched within the leading CTA */
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 4);
    assert_int_equal(STAT(&r, "cap.by_leader"), 4);
    assert_int_equal(STAT(&r, "cap.by_stride"), 0);
    memsys_free(r.m);
}

/* Up to four lines, each with its own base, one stride; which warp leads does not matter, nor that warps are skipped.
 */
static void cap_several_lines(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 4);
    RUN(&r, {0, 3, A, "mmmm", .step = 4096}, {1, 6, B, "mmmm", .step = 4096},
        {0, 1, A - 2 * STRIDE, "mmmm", .step = 4096}, /* two warps before the leading one */
        {1, 4, B - 2 * STRIDE, "hhhh", .step = 4096}, {1, 7, B + STRIDE, "hhhh", .step = 4096});
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 12);
    assert_int_equal(STAT(&r, "cap.strides_found"), 1);
    memsys_free(r.m);

    rig_init(&r, "cap", "", 2, 4);
    RUN(&r, {0, 0, A, "mmmmm"}, {1, 4, B, "mmmmm"}, {0, 1, A + STRIDE, "mmmmm"}, {1, 5, B + STRIDE, "mmmmm"});
    assert_int_equal(STAT(&r, "l1.prefetch.requested"), 0); /* five are too many */
    assert_int_equal(STAT(&r, "cap.uncoalesced"), 4);
    memsys_free(r.m);
}

/* Bytes: four warps share a line, and the stride between them is a quarter of it. */
static void cap_within_lines(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 8);
    RUN(&r, {0, 0, A, "m", .sectors = 1}, {1, 8, B, "m", .sectors = 1}, {0, 1, A, "h", .sectors = 2},
        {1, 12, B + 128, "h", .sectors = 1}, {1, 15, B + 128, "h", .sectors = 8});
    assert_int_equal(STAT(&r, "l1.prefetch.requested"), 7);
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 1);
    assert_int_equal(STAT(&r, "cap.mispredicted"), 0);
    memsys_free(r.m);
}

/* Lines that move by different strides, or by no whole one, make the entry invalid: the next warp leads anew. */
static void cap_irregular(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 6);
    RUN(&r, {0, 0, A, "mm", .step = 4096}, {1, 6, B, "mm", .step = 4096},
        {0, 1, A + STRIDE, "mm", .step = 8192},  /* two strides */
        {0, 2, A + 16 * KB, "mm", .step = 4096}, /* leads now, and the next gives the stride */
        {0, 4, A + 18 * KB, "mm", .step = 4096}, {1, 7, B + STRIDE, "hh", .step = 4096});
    assert_int_equal(STAT(&r, "cap.percta_invalidated"), 1);
    assert_int_equal(STAT(&r, "cap.bases_registered"), 3);
    assert_int_equal(STAT(&r, "cap.strides_found"), 1);
    memsys_free(r.m);

    rig_init(&r, "cap", "", 2, 6);
    RUN(&r, {0, 0, A, "m"}, {1, 6, B, "m"}, {0, 3, A + 128, "m"});
    assert_int_equal(STAT(&r, "cap.percta_invalidated"), 1);
    assert_int_equal(STAT(&r, "l1.prefetch.requested"), 0);
    memsys_free(r.m);
}

static void cap_leaves_indirect_loads_alone(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 2);
    RUN(&r, {0, 0, A, "m", .flags = REQ_F_INDIRECT}, {1, 2, B, "m", .flags = REQ_F_INDIRECT},
        {0, 1, A + STRIDE, "m", .flags = REQ_F_INDIRECT}, {1, 3, B + STRIDE, "m", .flags = REQ_F_INDIRECT});
    assert_int_equal(STAT(&r, "cap.indirect"), 4);
    assert_int_equal(STAT(&r, "l1.prefetch.requested"), 0);
    memsys_free(r.m);
}

/* More mispredictions than the threshold end the prefetching for a load. */
static void cap_throttles(void **state)
{
    (void)state;
    for (unsigned allowed = 1; allowed <= 2; allowed++) {
        struct rig r;
        rig_init(&r, "cap", allowed == 1 ? "max_mispredictions = 1" : "max_mispredictions = 2", 2, 4);
        RUN(&r, {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"},        /* the stride */
            {0, 2, A + 64 * KB, "m"}, {0, 3, A + 96 * KB, "m"}, /* two mispredictions */
            {1, 4, B, "m"}, {1, 5, B + STRIDE, allowed == 1 ? "m" : "h"});
        assert_int_equal(STAT(&r, "cap.mispredicted"), 2);
        assert_int_equal(STAT(&r, "cap.throttled"), allowed == 1);
        memsys_free(r.m);
    }
}

/* The least recently updated of four entries gives way; its CTA has no base for that load then. */
static void cap_replaces(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 2);
    RUN(&r, {1, 2, B, "m", .pc = 1}, {1, 2, B + 64 * KB, "m", .pc = 2}, {1, 2, B + 128 * KB, "m", .pc = 3},
        {1, 2, B + 192 * KB, "m", .pc = 4}, {1, 2, B + 256 * KB, "m", .pc = 5}, /* the fifth takes the first's place */
        {0, 0, A, "m", .pc = 1}, {0, 1, A + STRIDE, "m", .pc = 1}, {0, 0, A + 32 * KB, "m", .pc = 2},
        {0, 1, A + 33 * KB, "m", .pc = 2}, {1, 3, B + 65 * KB, "h", .pc = 2},
        {1, 3, B + STRIDE, "m", .pc = 1}); /* leads anew, and takes the second's place */
    assert_int_equal(STAT(&r, "cap.percta_evictions"), 2);
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 1);
    memsys_free(r.m);
}

/* DIST is full of four strides: a fifth load takes no part, or takes the place of the one updated least recently. */
static void cap_selects(void **state)
{
    (void)state;
    for (unsigned replace = 0; replace < 2; replace++) {
        struct rig r;
        rig_init(&r, "cap", replace ? "replace_dist = yes" : "", 2, 2);
        uint64_t at = 0;
        for (uint32_t pc = 1; pc <= 5; pc++) {
            add(&r, at += 1000, &(struct load){0, 0, A + pc * 16 * KB, "m", .pc = pc});
            add(&r, at += 1000, &(struct load){0, 1, A + pc * 16 * KB + STRIDE, "m", .pc = pc});
        }
        add(&r, at += 1000, &(struct load){1, 2, B, "m", .pc = 5});
        add(&r, at += 1000, &(struct load){1, 3, B + STRIDE, replace ? "h" : "m", .pc = 5});
        add(&r, at += 1000, &(struct load){1, 2, B + 128 * KB, "m", .pc = 1});
        add(&r, at += 1000, &(struct load){1, 3, B + 128 * KB + STRIDE, replace ? "m" : "h", .pc = 1});
        rig_run(&r, NULL, 0);
        assert_int_equal(STAT(&r, "cap.dist_full"), replace ? 0 : 4);
        assert_int_equal(STAT(&r, "cap.dist_evictions"), replace ? 2 : 0);
        memsys_free(r.m);
    }
    /* Warps that share an address have no stride worth a place. */
    struct rig r;
    rig_init(&r, "cap", "", 2, 2);
    RUN(&r, {0, 0, A, "m"}, {1, 2, B, "m"}, {0, 1, A, "h"}, {1, 3, B, "h"});
    assert_int_equal(STAT(&r, "cap.strides_found"), 0);
    memsys_free(r.m);
}

/* In a loop the leading warp renews its base, and prefetches for its CTA again. */
static void cap_renews(void **state)
{
    (void)state;
    for (unsigned renew = 0; renew < 2; renew++) {
        struct rig r;
        rig_init(&r, "cap", renew ? "" : "update_bases = no", 2, 2);
        RUN(&r, {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"}, {0, 0, A + 32 * KB, "m"},
            {0, 1, A + 32 * KB + STRIDE, renew ? "h" : "m"}, {0, 0, A + 32 * KB, "h"});
        assert_int_equal(STAT(&r, "cap.bases_updated"), renew);
        assert_int_equal(STAT(&r, "cap.mispredicted"), !renew);
        memsys_free(r.m);
    }
}

/* A CTA's table goes with the CTA, the strides with the kernel; loads of warps of no known CTA are nobody's. */
static void cap_forgets(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "cap", "", 2, 2);
    add(&r, 1000, &(struct load){0, 0, A, "m"});
    add(&r, 2000, &(struct load){1, 2, B, "m"});
    add(&r, 4000, &(struct load){0, 1, A + STRIDE, "m"});
    add(&r, 5000, &(struct load){1, 3, B + STRIDE, "m"});
    rig_begin(&r);
    engine_run(r.m->eng, 3000);
    port_send(l1_events(r.m->l1[0]), 0, event_info(EVENT_CTA_END, 1));
    memsys_run(r.m);
    assert_int_equal(STAT(&r, "cap.executions"), 3);
    assert_int_equal(STAT(&r, "l1.prefetch.requested"), 0);
    l1_kernel_end(r.m->l1[0]);
    l1_kernel_begin(r.m->l1[0], 1);
    memsys_free(r.m);
}

/* ---- the others ---- */

static void next_line(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "nlp", "", 1, 1);
    RUN(&r, {0, 0, A, "m"}, {0, 0, A + 128, "h"}, {0, 0, A + 256, "m"}, {0, 0, A + 384, "h"});
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 2); /* by misses alone */
    memsys_free(r.m);
}

static void intra_warp(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "intra", "", 1, 2);
    RUN(&r, {0, 0, A, "m"}, {0, 0, A + STRIDE, "m"}, {0, 0, A + 2 * STRIDE, "m"}, /* twice the same stride */
        {0, 1, B, "m"}, {0, 0, A + 3 * STRIDE, "h"}, {0, 0, A + 5 * STRIDE, "m"}, /* another one */
        {0, 1, B + STRIDE, "m"});
    assert_int_equal(STAT(&r, "l1.prefetch.issued"), 2);
    memsys_free(r.m);
}

static void inter_warp(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "inter", "", 2, 4);
    /* Right within a CTA, wrong across its boundary. */
    RUN(&r, {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"}, {0, 2, A + 2 * STRIDE, "m"}, {0, 3, A + 3 * STRIDE, "h"},
        {1, 4, B, "m"});
    assert_int_equal(STAT(&r, "inter.checked"), 2);
    assert_int_equal(STAT(&r, "inter.correct"), 1);
    assert_int_equal(STAT(&r, "inter.lead_time_sum"), 2000);
    memsys_free(r.m);

    /* Strides are per warp, so that a warp may be skipped. */
    for (unsigned divide = 0; divide < 2; divide++) {
        rig_init(&r, "inter", divide ? "" : "per_warp_stride = no", 1, 6);
        RUN(&r, {0, 0, A, "m"}, {0, 2, A + 2 * STRIDE, "m"}, {0, 3, A + 3 * STRIDE, "m"},
            {0, 4, A + 4 * STRIDE, divide ? "h" : "m"});
        memsys_free(r.m);
    }
    rig_init(&r, "inter", "distance = 2", 1, 6);
    RUN(&r, {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"}, {0, 2, A + 2 * STRIDE, "m"}, {0, 3, A + 3 * STRIDE, "m"},
        {0, 4, A + 4 * STRIDE, "h"});
    memsys_free(r.m);
}

static void many_thread_aware(void **state)
{
    (void)state;
    /* Warps that load once: for the next warp, after three equal strides. */
    struct rig r;
    rig_init(&r, "mta", "", 1, 8);
    RUN(&r, {0, 0, A, "m"}, {0, 1, A + STRIDE, "m"}, {0, 2, A + 2 * STRIDE, "m"}, {0, 3, A + 3 * STRIDE, "m"},
        {0, 4, A + 4 * STRIDE, "h"});
    assert_int_equal(STAT(&r, "mta.by_ip"), 2);
    memsys_free(r.m);
    /* A warp that iterates: its own stride, until warps agree on it often enough. */
    rig_init(&r, "mta", "", 1, 8);
    RUN(&r, {0, 0, A, "m"}, {0, 0, A + STRIDE, "m"}, {0, 0, A + 2 * STRIDE, "m"}, {0, 0, A + 3 * STRIDE, "h"},
        {0, 0, A + 4 * STRIDE, "h"}, {0, 1, C, "m"}, {0, 1, C + STRIDE, "h"});
    assert_int_equal(STAT(&r, "mta.by_pws"), 2);
    assert_int_equal(STAT(&r, "mta.by_gs"), 3);
    memsys_free(r.m);
    /* Two of five are dropped at first; nothing merges, so the throttle turns it off after a period. */
    rig_init(&r, "mta", "throttle = yes\nperiod = 3500", 1, 8);
    RUN(&r, {0, 0, A, "m"}, {0, 0, A + STRIDE, "m"}, {0, 0, A + 2 * STRIDE, "m"}, {0, 0, A + 3 * STRIDE, "m"},
        {0, 0, A + 4 * STRIDE, "h"}, {0, 0, A + 5 * STRIDE, "m"}, {0, 0, A + 6 * STRIDE, "m"});
    assert_int_equal(STAT(&r, "mta.throttled"), 4);
    memsys_free(r.m);
}

static void locality_aware(void **state)
{
    (void)state;
    static const char *const name[] = {"lap", "orch"};
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        rig_init(&r, name[i], "", 1, 1);
        RUN(&r, {0, 0, A + 128, "m"}, {0, 0, A + 128, "h"}, {0, 0, A + 384, "m"}, /* two lines of a block of four */
            {0, 0, A, "h"}, {0, 0, A + 256, "h"}, {0, 0, A + 512, "m"});
        assert_int_equal(STAT(&r, i ? "orch.macro_blocks" : "lap.macro_blocks"), 1);
        assert_int_equal(STAT(&r, "l1.prefetch.issued"), 2);
        memsys_free(r.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cap_stride_last),
        cmocka_unit_test(cap_drops_what_is_overtaken),
        cmocka_unit_test(cap_keeps_what_is_ahead),
        cmocka_unit_test(cap_base_last),
        cmocka_unit_test(cap_several_lines),
        cmocka_unit_test(cap_within_lines),
        cmocka_unit_test(cap_irregular),
        cmocka_unit_test(cap_leaves_indirect_loads_alone),
        cmocka_unit_test(cap_throttles),
        cmocka_unit_test(cap_replaces),
        cmocka_unit_test(cap_selects),
        cmocka_unit_test(cap_renews),
        cmocka_unit_test(cap_forgets),
        cmocka_unit_test(next_line),
        cmocka_unit_test(intra_warp),
        cmocka_unit_test(inter_warp),
        cmocka_unit_test(many_thread_aware),
        cmocka_unit_test(locality_aware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
