/*
 * Shared L1s that choose: phases, what is counted in them, the decision and what it leaves behind are those of the
 * paper, and of each reading of it that a parameter offers.
 */
#include "l1/l1_priv.h"
#include "l1/organization/shared/dynamic.h"
#include "shared_machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* ---- the dynamic organizations ---- */
static struct dynamic *dynamic_of(struct memsys *m, uint32_t sm)
{
    return m->l1[sm]->organization.st;
}

/* Routes one load of SM 0 to set `set` of home `home`. */
static enum l1_route ask(struct memsys *m, uint32_t home, uint32_t set, uint8_t kind, uint32_t *to)
{
    struct dynamic *d = dynamic_of(m, 0);
    struct req r = {.addr = addr_of(home, set), .kind = kind, .space = REQ_SP_GLOBAL};
    return dynamic_route(d, &r, r.addr / 128, set, to);
}

/* Even sets are private and odd sets shared until the SM has asked for R_S lines of each; the decision lasts for R_EX.
 */
static void phases(void **state)
{
    (void)state;
    static const struct organization org = {"dyneb", "[dyneb]\nsample = 2\nexecute = 3\nnearest = no\nthreshold = 0\n",
                                            false};
    struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
    struct dynamic *d = dynamic_of(m, 0);
    uint32_t home;
    ask(m, 5, 2, REQ_READ, &home);
    ask(m, 5, 2, REQ_READ, &home);
    ask(m, 5, 3, REQ_READ, &home);
    d->half[HALF_SHARED].home_replies = 1;
    assert_int_equal(d->phase, DYNAMIC_SAMPLE);
    ask(m, 5, 3, REQ_READ, &home);
    assert_int_equal(d->phase, DYNAMIC_SHARED);
    assert_int_equal(d->samples, 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(d->phase, DYNAMIC_SHARED);
        assert_int_equal(ask(m, 5, 2, REQ_READ, &home), L1_ROUTE_REMOTE);
    }
    assert_int_equal(d->phase, DYNAMIC_SAMPLE);
    memsys_free(m);
}

/* Counting the accesses to the SM's own L1 alone, as the paper's sentence has it. */
static void phases_by_local_accesses(void **state)
{
    (void)state;
    static const struct organization org = {
        "dyneb", "[dyneb]\nsample = 2\nexecute = 3\nnearest = no\ncount_scope = local\n", false};
    struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
    struct dynamic *d = dynamic_of(m, 0);
    uint32_t home;
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(d->phase, DYNAMIC_SAMPLE);
        assert_int_equal(d->half[HALF_PRIVATE].local + d->half[HALF_SHARED].local, 0);
        assert_int_equal(ask(m, 5, 2, REQ_READ, &home), L1_ROUTE_LOCAL); /* even: private */
        assert_int_equal(ask(m, 5, 2, REQ_WRITE, &home), L1_ROUTE_BOTH);
        assert_int_equal(ask(m, 5, 3, REQ_READ, &home), L1_ROUTE_REMOTE); /* odd: shared */
        assert_int_equal(home, 5);
        assert_int_equal(ask(m, 0, 3, REQ_READ, &home), L1_ROUTE_LOCAL);
        assert_int_equal(d->phase, DYNAMIC_SAMPLE);
        assert_int_equal(d->half[HALF_PRIVATE].local, 2);
        assert_int_equal(d->half[HALF_SHARED].local, 1);
        assert_int_equal(d->half[HALF_SHARED].remote, 1);
        /* What the replies would have counted: EB 60 x 100 / 50 = 120 against 20 x 100 / 20 + 20 or + 21. */
        d->half[HALF_PRIVATE].accesses = 100, d->half[HALF_PRIVATE].misses = 50, d->half[HALF_PRIVATE].l2_replies = 60;
        d->half[HALF_SHARED].accesses = 100, d->half[HALF_SHARED].misses = 20, d->half[HALF_SHARED].l2_replies = 20;
        d->half[HALF_SHARED].home_replies = round ? 21 : 20;
        assert_int_equal(ask(m, 0, 5, REQ_READ, &home), L1_ROUTE_LOCAL);
        assert_int_equal(d->phase, round ? DYNAMIC_SHARED : DYNAMIC_PRIVATE);
        assert_int_equal(ask(m, 5, 2, REQ_READ, &home), round ? L1_ROUTE_REMOTE : L1_ROUTE_LOCAL);
        assert_int_equal(ask(m, 5, 3, REQ_READ, &home), round ? L1_ROUTE_REMOTE : L1_ROUTE_LOCAL);
        while (d->phase != DYNAMIC_SAMPLE) /* remote requests do not count */
            ask(m, 0, 4, REQ_READ, &home);
        assert_int_equal(d->requests[round ? DYNAMIC_SHARED : DYNAMIC_PRIVATE], round ? 2 + 3 : 3);
    }
    assert_int_equal(d->samples, 2);
    assert_int_equal(d->to_shared, 1);
    assert_int_equal(d->low_miss_rate, 0);
    assert_int_equal(d->n_log, 5);
    /* Nine misses of a hundred: private, whatever the bandwidths. */
    for (unsigned i = 0; i < 2; i++)
        ask(m, 0, 2, REQ_READ, &home);
    ask(m, 0, 3, REQ_READ, &home);
    d->half[HALF_PRIVATE].loads = 100, d->half[HALF_PRIVATE].load_misses = 9;
    d->half[HALF_SHARED].home_replies = 100000;
    ask(m, 0, 3, REQ_READ, &home);
    assert_int_equal(d->phase, DYNAMIC_PRIVATE);
    assert_int_equal(d->low_miss_rate, 1);
    memsys_free(m);
}

/* What a sample counts of a private store, which goes through its home, and of replies that were never to be installed. */
static void counters_of_a_sample(void **state)
{
    (void)state;
    static const struct organization org = {"dyneb", "[dyneb]\nsample = 9\nnearest = no\n", false};
    struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
    struct dynamic *d = dynamic_of(m, 0);
    const struct dynamic_half *private = &d->half[HALF_PRIVATE], *shared = &d->half[HALF_SHARED];
    uint32_t home;
    assert_int_equal(ask(m, 5, 2, REQ_WRITE, &home), L1_ROUTE_BOTH);
    assert_int_equal(private->accesses, 1);
    assert_int_equal(private->misses, 1);
    assert_int_equal(private->loads, 0);
    /* The same of another SM, at its home: not of this L1's private half. Its loads are. */
    struct req r = {.addr = addr_of(0, 2), .kind = REQ_WRITE, .sm = 7, .flags = REQ_F_REMOTE | REQ_F_BOTH};
    struct l1_access a = {.req = &r, .set = 2};
    dynamic_on_local(d, &a);
    dynamic_on_reply(d, &r, false);
    assert_int_equal(private->accesses, 1);
    assert_int_equal(private->l2_replies, 0);
    r.flags = REQ_F_REMOTE;
    r.kind = REQ_READ;
    dynamic_on_local(d, &a);
    dynamic_on_reply(d, &r, false);
    assert_int_equal(private->accesses, 2);
    assert_int_equal(private->load_misses, 1);
    assert_int_equal(private->l2_replies, 1);
    /* The acknowledgment of the own store is one of the L2. */
    r = (struct req){.addr = addr_of(5, 2), .kind = REQ_WRITE, .flags = REQ_F_REMOTE | REQ_F_BOTH};
    dynamic_on_reply(d, &r, true);
    assert_int_equal(private->l2_replies, 2);
    assert_int_equal(private->home_replies, 0);
    /* A load of the shared half that Min(H, L2) sent to the L2. */
    r = (struct req){.addr = addr_of(5, 3), .kind = REQ_READ, .flags = REQ_F_BYPASS | REQ_F_ROUTED};
    dynamic_on_reply(d, &r, false);
    assert_int_equal(shared->past_replies, 1);
    assert_int_equal(shared->l2_replies, 0);
    memsys_free(m);
}

/* Which requests a sample counts: those that arrive in it or that were made in it; every SM's or its own. */
static void requests_of_a_sample(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        bool before, others;
    } cases[] = {{"", true, true}, {"members = made\n", false, true}, {"requesters = own\n", true, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "[dyneb]\nsample = 9\nexecute = 1\nnearest = no\n%s", cases[i].config);
        const struct organization org = {"dyneb", text, false};
        struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
        struct dynamic *d = dynamic_of(m, 0);
        const struct dynamic_half *private = &d->half[HALF_PRIVATE], *shared = &d->half[HALF_SHARED];
        /* A sample that starts late: the request that ends the phase before it was made before it. */
        const struct shot one = {1, addr_of(0, 2)};
        struct landing at;
        memsys_script(m, 1, &one, 1, &at);
        engine_run(m->eng, 400);
        d->phase = DYNAMIC_PRIVATE;
        struct req r = {.addr = addr_of(5, 2), .kind = REQ_READ, .space = REQ_SP_GLOBAL, .created_at = 399};
        uint32_t home;
        dynamic_route(d, &r, r.addr / 128, 2, &home);
        assert_int_equal(d->phase, DYNAMIC_SAMPLE);
        assert_int_equal(d->sample_start, 400);
        struct l1_access a = {.req = &r, .set = 2};
        for (unsigned late = 0; late < 2; late++) {
            r.created_at = 399 + late;
            dynamic_route(d, &r, r.addr / 128, 2, &home);
            assert_int_equal(private->counted, cases[i].before + late);
            dynamic_on_local(d, &a);
            assert_int_equal(private->accesses, cases[i].before + late);
            dynamic_on_reply(d, &r, false);
            assert_int_equal(private->l2_replies, cases[i].before + late);
        }
        r = (struct req){.addr = addr_of(0, 3), .kind = REQ_READ, .sm = 7, .flags = REQ_F_REMOTE, .created_at = 400};
        a.set = 3;
        dynamic_on_local(d, &a);
        dynamic_on_reply(d, &r, false);
        assert_int_equal(shared->accesses, cases[i].others);
        assert_int_equal(shared->l2_replies, cases[i].others);
        memsys_free(m);
    }
}

/* The readings of equation (3) and of L1MRpr, with counters by hand. */
static void readings_of_the_decision(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        bool shared, low;
    } cases[] = {
        /* Private: 40 / 0.5 = 80. Shared: 10 / 0.5 + 30 + 20 past, of three times as many requests. */
        {"threshold = 0\n", false, false},
        {"threshold = 0\npast = divided\n", true, false}, /* 30 / 0.5 + 30 */
        {"threshold = 0\npast = ignored\n", false, false},
        {"threshold = 0\npast = divided\ncompare = per_request\n", false, false}, /* 80 / 2 against 90 / 6 */
        {"threshold = 40\n", false, true},                                        /* 3 of 10 loads miss */
        {"threshold = 40\nrule = all\npast = divided\n", true, false},            /* 50 of 100 accesses */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "[dyneb]\nsample = 2\nnearest = no\n%s", cases[i].config);
        const struct organization org = {"dyneb", text, false};
        struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
        struct dynamic *d = dynamic_of(m, 0);
        uint32_t home;
        for (unsigned k = 0; k < 6; k++)
            ask(m, 5, 3, REQ_READ, &home);
        ask(m, 0, 2, REQ_READ, &home);
        d->half[HALF_PRIVATE] = (struct dynamic_half){
            .counted = 1, .accesses = 100, .misses = 50, .loads = 10, .load_misses = 3, .l2_replies = 40};
        d->half[HALF_SHARED] = (struct dynamic_half){
            .counted = 6, .accesses = 100, .misses = 50, .l2_replies = 10, .past_replies = 20, .home_replies = 30};
        ask(m, 0, 2, REQ_READ, &home);
        assert_int_equal(d->phase, cases[i].shared ? DYNAMIC_SHARED : DYNAMIC_PRIVATE);
        assert_int_equal(d->low_miss_rate, cases[i].low);
        assert_int_equal(d->to_larger_half, cases[i].shared); /* six requests to the shared half, two to the other */
        memsys_free(m);
    }
}

/* AMAT: equations (1) and (2) by hand. */
static void access_times(void **state)
{
    (void)state;
    static const struct organization org = {"dynamat", "[dynamat]\nsample = 1\nthreshold = 0\nnearest = no\n", false};
    for (unsigned i = 0; i < 2; i++) {
        struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
        struct dynamic *d = dynamic_of(m, 0);
        uint32_t home;
        ask(m, 0, 2, REQ_READ, &home);
        /* Private: half of the accesses miss, 200 cycles each: 100 cycles beyond a hit. */
        d->half[HALF_PRIVATE].own_accesses = 10, d->half[HALF_PRIVATE].own_misses = 5;
        d->half[HALF_PRIVATE].l2_timed = 4, d->half[HALF_PRIVATE].l2_cycles = 800;
        /* Shared, with the access that ends the sample one of two local and two of four remote: 1/2 x 0 + 1/2 x (home
         * latency + 1/4 x 200). 150 + 50 is as long as private: not shorter. */
        d->half[HALF_SHARED].local = 1, d->half[HALF_SHARED].remote = 2;
        d->half[HALF_SHARED].own_accesses = 2;
        d->half[HALF_SHARED].home_hits = 3, d->half[HALF_SHARED].home_misses = 1;
        d->half[HALF_SHARED].home_hit_cycles = 3 * (i ? 149 : 150);
        ask(m, 0, 3, REQ_READ, &home);
        assert_int_equal(d->phase, i ? DYNAMIC_SHARED : DYNAMIC_PRIVATE);
        memsys_free(m);
    }
}

/* With replace_leftovers_first a line whose home is elsewhere goes first, though others were used longer ago. */
static void left_over_lines(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct organization org = {
            "dyneb", i ? "[dyneb]\nreplace_leftovers_first = yes\nnearest = no\n" : "[dyneb]\nnearest = no\n", false};
        struct memsys *m = machine(&machines[0], &org, "", "", (struct memsys_config){0});
        /* Four ways of the private set 2: three lines of SM 0's own blocks, then one of SM 5's; then all is shared. */
        const struct shot shots[] = {{1, addr_of(0, 2)},    {500, addr_of(32, 2)},  {1000, addr_of(64, 2)},
                                     {1500, addr_of(5, 2)}, {3000, addr_of(96, 2)}, {5000, addr_of(0, 2)}};
        struct landing at[6];
        memsys_script(m, 0, shots, 6, at);
        engine_run(m->eng, 2500);
        dynamic_of(m, 0)->phase = DYNAMIC_SHARED;
        memsys_run(m);
        assert_int_equal(at[5].served, i ? REQ_AT_L1 : REQ_AT_L2); /* the oldest line is there or gone */
        memsys_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases),
                                       cmocka_unit_test(phases_by_local_accesses),
                                       cmocka_unit_test(counters_of_a_sample),
                                       cmocka_unit_test(requests_of_a_sample),
                                       cmocka_unit_test(readings_of_the_decision),
                                       cmocka_unit_test(access_times),
                                       cmocka_unit_test(left_over_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
