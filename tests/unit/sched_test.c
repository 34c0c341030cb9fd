/*
 * Warp schedulers by themselves: the hooks are called by hand, and who is picked is checked against the rules in the
 * files' heads. Ages are slots unless a test says otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sm/sched/pas.h"
#include "sm/sched/sched.h"
#include "sm/sm_config.h"

enum { SCHEDULERS = 2, ALL = 0xff };

/* The schedulers of one SM of eight warps. */
struct rig {
    const struct sm_sched *s;
    void *st[SCHEDULERS], *shared;
    unsigned n_sched;
    uint64_t age[64];
    struct cfg *cfg;
};

static const struct cfg_section *const sections[] = {&sm_cfg_section};
static const struct policy_kind *const kinds[] = {&sm_sched_kind};
static const struct cfg_schema schema = {sections, 1, kinds, 1};

/* n_sched 0: SCHEDULERS, of eight warps; 1: one scheduler of nine. */
static struct rig rig_of(const char *name, const char *set, unsigned n_sched)
{
    struct err e;
    if (!n_sched)
        n_sched = SCHEDULERS;
    struct rig r = {.n_sched = n_sched, .cfg = cfg_load_text(&schema, "test.ini", "", &set, set != NULL, name, &e)};
    if (!r.cfg)
        fail_msg("%s", e.msg);
    unsigned index = (unsigned)policy_find(&sm_sched_kind, name);
    r.s = sm_sched_get(index);
    r.shared = xcalloc(1, r.s->shared_bytes + 1);
    for (unsigned i = 0; i < n_sched; i++) {
        struct sched_geom g = {
            .owned = i ? 0xaa : 0x55, .n_warp = 8, .n_sched = n_sched, .index = i, .shared = r.shared};
        if (n_sched == 1)
            g.owned = 0x1ff, g.n_warp = 9;
        r.st[i] = xcalloc(1, r.s->state_bytes);
        if (r.s->init)
            assert_int_equal(r.s->init(r.st[i], cfg_policy_params(r.cfg, "scheduler", index), &g, &e), 0);
    }
    for (unsigned w = 0; w < 64; w++)
        r.age[w] = w;
    return r;
}

static struct rig rig_new(const char *name, const char *set)
{
    return rig_of(name, set, 0);
}

static void rig_free(struct rig *r)
{
    for (unsigned i = 0; i < r->n_sched; i++)
        free(r->st[i]);
    free(r->shared);
    cfg_free(r->cfg);
}

static void *of(struct rig *r, unsigned warp)
{
    return r->st[warp % r->n_sched];
}
static void assign(struct rig *r, unsigned first, unsigned n)
{
    for (unsigned w = first; w < first + n; w++)
        r->s->on_warp_start(of(r, w), w, 0, w - first);
}
static void issue(struct rig *r, unsigned warp, unsigned times)
{
    while (times--)
        r->s->on_issue(of(r, warp), warp);
}
/* Whom scheduler i takes of the warps `can`, those of `loads` having a load next. */
static int pick(struct rig *r, unsigned i, uint64_t can, uint64_t loads, uint64_t now)
{
    struct sched_view v = {.issuable = can, .loads = loads, .age = r->age, .now = now};
    return r->s->pick(r->st[i], &v);
}

static void gto_is_greedy_then_oldest(void **state)
{
    (void)state;
    struct rig r = rig_new("gto", NULL);
    r.age[4] = 0, r.age[0] = 4;
    assert_int_equal(pick(&r, 0, 0x51, 0, 1), 4); /* 0, 4, 6: the oldest is 4 */
    issue(&r, 6, 1);
    assert_int_equal(pick(&r, 0, 0x51, 0, 2), 6);
    assert_int_equal(pick(&r, 0, 0x11, 0, 3), 4);
    r.s->on_warp_exit(of(&r, 6), 6);
    assert_int_equal(pick(&r, 0, 0x51, 0, 4), 4);
    rig_free(&r);
}

static void swl_lets_the_oldest_issue(void **state)
{
    (void)state;
    struct rig r = rig_new("swl", "swl.limit=2");
    assign(&r, 0, 8);
    assert_int_equal(pick(&r, 0, 0x55, 0, 1), 0);
    assert_int_equal(pick(&r, 0, 0x54, 0, 1), 2);
    assert_int_equal(pick(&r, 0, 0x50, 0, 1), SCHED_NONE); /* 4 and 6 have no place */
    assert_int_equal(pick(&r, 1, 0xa8, 0, 1), 3);          /* each scheduler has its own */
    issue(&r, 2, 1);
    assert_int_equal(pick(&r, 0, 0x55, 0, 2), 2); /* greedy */

    /* One that waits at a barrier gives its place to the next, and has it back afterward; not one that waits for
     * memory. */
    r.s->on_wait(of(&r, 0), 0, WARP_MEMORY);
    assert_int_equal(pick(&r, 0, 0x50, 0, 3), SCHED_NONE);
    r.s->on_wait(of(&r, 0), 0, WARP_BARRIER);
    assert_int_equal(pick(&r, 0, 0x50, 0, 3), 4);
    r.s->on_wait(of(&r, 2), 2, WARP_FENCE);
    assert_int_equal(pick(&r, 0, 0x40, 0, 3), 6);
    r.s->on_wait(of(&r, 2), 2, WARP_READY);
    r.s->on_wait(of(&r, 0), 0, WARP_READY);
    assert_int_equal(pick(&r, 0, 0x50, 0, 4), SCHED_NONE);

    /* So does one that has ended, though its stores are on their way; a new warp in its slot is the youngest. */
    r.s->on_wait(of(&r, 0), 0, WARP_DRAIN);
    assert_int_equal(pick(&r, 0, 0x50, 0, 5), 4);
    r.s->on_warp_exit(of(&r, 0), 0);
    r.age[0] = 100;
    assign(&r, 0, 1);
    assert_int_equal(pick(&r, 0, 0x51, 0, 6), 4);
    assert_int_equal(pick(&r, 0, 0x41, 0, 6), SCHED_NONE);
    rig_free(&r);
}

static void swl_without_a_limit_is_gto(void **state)
{
    (void)state;
    struct rig a = rig_new("gto", NULL), b = rig_new("swl", NULL), c = rig_new("pcal", NULL);
    uint64_t x = 12345;
    assign(&b, 0, 8);
    assign(&c, 0, 8);
    for (unsigned i = 0; i < 1000; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        unsigned s = x >> 40 & 1;
        uint64_t can = x >> 50 & (s ? 0xaa : 0x55);
        if (!can)
            continue;
        int w = pick(&a, s, can, 0, i);
        assert_int_equal(pick(&b, s, can, 0, i), w);
        assert_int_equal(pick(&c, s, can, 0, i), w);
        issue(&a, (unsigned)w, 1);
        issue(&b, (unsigned)w, 1);
        issue(&c, (unsigned)w, 1);
    }
    rig_free(&a);
    rig_free(&b);
    rig_free(&c);
}

/* Four warps; warp 1 has lost 13 lines in 100 instructions of the SM, the last in cycle 1000. */
static struct rig losing(void)
{
    struct rig r = rig_new("ccws", NULL);
    assign(&r, 0, 4);
    issue(&r, 0, 100);
    for (unsigned i = 0; i < 13; i++)
        r.s->on_event(of(&r, 1), EVENT_LOST_LOCALITY, 1, 1000);
    return r;
}

/* Which of the four warps may load in a cycle. */
static unsigned may_load(struct rig *r, uint64_t now)
{
    unsigned set = 0;
    for (unsigned w = 0; w < 4; w++)
        set |= (unsigned)(pick(r, w % 2, 1u << w, ALL, now) >= 0) << w;
    return set;
}

static void ccws_scores(void **state)
{
    (void)state;
    struct rig r = rig_new("ccws", NULL);
    assign(&r, 0, 4);
    issue(&r, 0, 100);
    r.s->on_event(of(&r, 1), EVENT_LOST_LOCALITY, 1, 900);
    assert_int_equal(may_load(&r, 901), 0xf); /* 1/100 x 8 x 400 = 32, less than the base of 100 */
    rig_free(&r);

    r = losing(); /* 13/100 x 8 x 400 = 416; the cutoff is 4 x 100 */
    assert_int_equal(may_load(&r, 1001), 0x2);
    assert_int_equal(pick(&r, 0, 0x5, 0x1, 1001), 2); /* others may do what is not a load */
    assert_int_equal(pick(&r, 0, 0x5, 0x5, 1001), SCHED_NONE);
    assert_int_equal(may_load(&r, 1017), 0x2); /* 400: the cutoff is reached */
    assert_int_equal(may_load(&r, 1018), 0x3); /* 399 + 100: one more, the lowest slot of those with the base */
    assert_int_equal(may_load(&r, 1117), 0x3); /* 300 + 100 */
    assert_int_equal(may_load(&r, 1118), 0x7);
    assert_int_equal(may_load(&r, 1218), 0xf);
    assert_int_equal(may_load(&r, 5000), 0xf);
    rig_free(&r);
}

static void ccws_caps_what_a_score_can_be(void **state)
{
    (void)state;
    struct rig r = losing();
    issue(&r, 3, 100); /* 13/200 x 8 x 400 = 208 */
    assert_int_equal(may_load(&r, 1001), 0x7);
    assert_int_equal(may_load(&r, 1208), 0x7); /* 416 - 207 = 209 is still above the cap: 208 + 2 x 100 */
    assert_int_equal(may_load(&r, 1217), 0x7); /* 200 + 2 x 100 */
    assert_int_equal(may_load(&r, 1218), 0xf);
    rig_free(&r);
}

static void ccws_forgets_those_that_end(void **state)
{
    (void)state;
    struct rig r = losing();
    r.s->on_wait(of(&r, 1), 1, WARP_DRAIN);
    assert_int_equal(may_load(&r, 1002) & 0xd, 0xd);
    r.s->on_event(of(&r, 1), EVENT_LOST_LOCALITY, 1, 1002); /* comes too late */
    assert_int_equal(may_load(&r, 1003) & 0xd, 0xd);
    /* Its losses have left the sum: one loss of another is worth 1/100 x 8 x 300. */
    r.s->on_warp_exit(of(&r, 1), 1);
    r.s->on_event(of(&r, 2), EVENT_LOST_LOCALITY, 2, 1010);
    assert_int_equal(may_load(&r, 1011) & 0xd, 0xd);
    rig_free(&r);
}

static void ccws_does_not_hold_back_for_a_barrier(void **state)
{
    (void)state;
    struct rig r = losing();
    r.s->on_wait(of(&r, 1), 1, WARP_BARRIER);
    assert_int_equal(may_load(&r, 1002) & 0xd, 0xd);
    r.s->on_wait(of(&r, 1), 1, WARP_READY);
    assert_int_equal(may_load(&r, 1003), 0x2);
    rig_free(&r);
}

/* Three CTAs of three warps arrive; each warp issues its load and waits. Who issues, one after the other. */
static void expect_issue_order(const char *policy, const char *set, const char *order)
{
    static const char *const name[] = {"A0", "A1", "A2", "B0", "B1", "B2", "C0", "C1", "C2"};
    struct rig r = rig_of(policy, set, 1);
    uint64_t ready = 0x1ff;
    char got[64] = "";
    for (unsigned w = 0; w < 9; w++)
        if (r.s->on_warp_start)
            r.s->on_warp_start(of(&r, w), w, w / 3, w % 3);
    while (ready) {
        int w = pick(&r, 0, ready, ready, 1);
        assert_true(w >= 0);
        issue(&r, (unsigned)w, 1);
        ready &= ~(1ull << w);
        if (r.s->on_wait)
            r.s->on_wait(of(&r, (unsigned)w), (unsigned)w, WARP_MEMORY);
        strcat(strcat(got, *got ? " " : ""), name[w]);
    }
    assert_string_equal(got, order);
    rig_free(&r);
}

/* The example of the CAPS study's Figure 8, with a ready queue of four warps: where the leading warps come. */
static void pas_takes_leading_warps_first(void **state)
{
    (void)state;
    expect_issue_order("two_level", "two_level.ready=4", "A0 A1 A2 B0 B1 B2 C0 C1 C2");
    expect_issue_order("pas", "pas.ready=4", "A0 B0 C0 A1 A2 B1 B2 C1 C2");
    expect_issue_order("pas", "pas.base=lrr", "A0 B0 C0 C1 C2 A1 A2 B1 B2"); /* round robin goes on behind C0 */
    expect_issue_order("pas", "pas.base=gto", "A0 B0 C0 A1 A2 B1 B2 C1 C2");
    expect_issue_order("gto", NULL, "A0 A1 A2 B0 B1 B2 C0 C1 C2");
}

/* pas.leaders: two CTAs of four warps under two schedulers; who leads under the second, which has the odd warps. */
static void pas_leads_by_cta_or_scheduler(void **state)
{
    (void)state;
    static const unsigned order[2][4] = {{1, 3, 5, 7}, {1, 5, 7, 3}};
    for (int by_scheduler = 0; by_scheduler < 2; by_scheduler++) {
        struct rig r = rig_of("pas", by_scheduler ? "pas.leaders=scheduler" : NULL, 2);
        for (unsigned w = 0; w < 8; w++)
            r.s->on_warp_start(of(&r, w), w, w / 4, w % 4);
        uint64_t ready = 0xaa;
        for (unsigned i = 0; i < 4; i++) {
            int w = pick(&r, 1, ready, ready, 1);
            assert_int_equal(w, order[by_scheduler][i]);
            issue(&r, (unsigned)w, 1);
            ready &= ~(1ull << w);
        }
        rig_free(&r);
    }
}

static void pas_wakes_warps(void **state)
{
    (void)state;
    for (unsigned eager = 0; eager < 2; eager++) {
        struct rig r = rig_of("pas", NULL, 1);
        const struct pas_params p = {PAS_TWO_LEVEL, PAS_LEAD_ALWAYS, 4, eager, PAS_LEADER_OF_CTA};
        const struct sched_geom g = {.owned = 0x1ff, .n_warp = 9, .n_sched = 1};
        assert_int_equal(r.s->init(r.st[0], &p, &g, NULL), 0);
        for (unsigned w = 0; w < 9; w++)
            r.s->on_warp_start(of(&r, w), w, w / 3, w % 3);
        /* In the queue: the leading warps 0, 3, 6, and 1. */
        assert_int_equal(pick(&r, 0, 1 << 1, 0, 1), 1);
        assert_int_equal(pick(&r, 0, 1 << 8, 0, 1), SCHED_NONE);
        r.s->on_event(of(&r, 3), EVENT_PREFETCH_ARRIVED, 3, 0); /* it is there already */
        r.s->on_event(of(&r, 8), EVENT_PREFETCH_ARRIVED, 8, 0);
        assert_int_equal(pick(&r, 0, 1 << 8, 0, 1), eager ? 8 : SCHED_NONE);
        assert_int_equal(pick(&r, 0, 1 << 1, 0, 1), eager ? SCHED_NONE : 1); /* the trailing warp gave way */
        assert_int_equal(pick(&r, 0, 0x49, 0, 1), 0);
        /* One that waits is not moved; it takes its turn when it can go on. */
        r.s->on_wait(of(&r, 5), 5, WARP_MEMORY);
        r.s->on_event(of(&r, 5), EVENT_PREFETCH_ARRIVED, 5, 0);
        r.s->on_wait(of(&r, 5), 5, WARP_READY);
        assert_int_equal(pick(&r, 0, 1 << 5, 0, 1), SCHED_NONE);
        rig_free(&r);
    }
}

/* A leading warp that has issued a load is a warp like the others, or is not. */
static void pas_leads_until(void **state)
{
    (void)state;
    for (unsigned always = 0; always < 2; always++) {
        struct rig r = rig_of("pas", always ? NULL : "pas.lead=first_load", 1);
        for (unsigned w = 0; w < 6; w++)
            r.s->on_warp_start(of(&r, w), w, w / 3, w % 3);
        assert_int_equal(pick(&r, 0, 0x3f, 0, 1), 0);
        issue(&r, 0, 1); /* not a load */
        assert_int_equal(pick(&r, 0, 0x07, 0x01, 2), 0);
        issue(&r, 0, 1); /* its load */
        assert_int_equal(pick(&r, 0, 0x07, 0, 3), always ? 0 : 1);
        assert_int_equal(pick(&r, 0, 0x3f, 0, 3), 3); /* the other CTA's still leads */
        rig_free(&r);
    }
}

/* Nine warps and five places: the groups are 0 2 4 6 8 and 1 3 5 7. */
static void orch_keeps_neighbors_apart(void **state)
{
    (void)state;
    expect_issue_order("orch", "orch.group=5", "A0 A2 B1 C0 C2 A1 B0 B2 C1");
    struct rig r = rig_of("orch", "orch.group=5", 1);
    assign(&r, 0, 9);
    assert_int_equal(pick(&r, 0, 0x0aa, 0, 1), SCHED_NONE); /* the first group has the places */
    r.s->on_wait(of(&r, 2), 2, WARP_MEMORY);
    assert_int_equal(pick(&r, 0, 0x0aa, 0, 1), 1); /* one of the second takes the place, */
    r.s->on_wait(of(&r, 4), 4, WARP_MEMORY);
    r.s->on_wait(of(&r, 2), 2, WARP_READY);
    r.s->on_wait(of(&r, 1), 1, WARP_MEMORY);
    assert_int_equal(pick(&r, 0, 0x084, 0, 1), SCHED_NONE); /* and its group stays the present one: 3 and 5 are there */
    assert_int_equal(pick(&r, 0, 0x029, 0, 1), 0);          /* those of the group that issues come first */
    assert_int_equal(pick(&r, 0, 0x028, 0, 1), 3);
    for (unsigned w = 0; w < 9; w++)
        r.s->on_warp_exit(of(&r, w), w);
    /* A kernel with fewer warps has fewer groups: five are one. */
    r.s->on_kernel(r.st[0]);
    assign(&r, 0, 5);
    assert_int_equal(pick(&r, 0, 0x02, 0, 1), 1);
    rig_free(&r);
}

/* What a scheduler answers must not depend on how often it was asked, nor in which cycles. */
static void asking_changes_nothing(void **state)
{
    (void)state;
    struct rig a = losing(), b = losing();
    uint64_t x = 99;
    for (uint64_t now = 1001; now < 1400; now++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        may_load(&a, now); /* b is asked now and then only */
        if (x >> 60 == 0)
            assert_int_equal(may_load(&a, now), may_load(&b, now));
    }
    rig_free(&a);
    rig_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gto_is_greedy_then_oldest),
        cmocka_unit_test(swl_lets_the_oldest_issue),
        cmocka_unit_test(swl_without_a_limit_is_gto),
        cmocka_unit_test(ccws_scores),
        cmocka_unit_test(ccws_caps_what_a_score_can_be),
        cmocka_unit_test(ccws_forgets_those_that_end),
        cmocka_unit_test(ccws_does_not_hold_back_for_a_barrier),
        cmocka_unit_test(pas_takes_leading_warps_first),
        cmocka_unit_test(pas_leads_by_cta_or_scheduler),
        cmocka_unit_test(pas_wakes_warps),
        cmocka_unit_test(pas_leads_until),
        cmocka_unit_test(orch_keeps_neighbors_apart),
        cmocka_unit_test(asking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
