/*
 * MRPB and RACB: what the L1 (and the L2) does when it cannot take a load, and in which order requests of several warps
 * reach it, counted by hand.
 */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define SET_STRIDE (32 * 128)
#define LINEAR     "[l1]\nset_hash = linear\n"

static struct memsys *one(const char *config)
{
    return memsys_new(&(struct memsys_config){MEMSYS_ONE, .config = config});
}

/* Loads of two warps arrive mixed and leave warp by warp: the lower number first, or the queue that was drained last.
 */
static void mrpb_sorts_by_warp(void **state)
{
    (void)state;
    static const struct {
        const char *drain;
        unsigned order[6]; /* loads, as they come back */
    } cases[] = {{"fixed", {0, 2, 4, 1, 3, 5}}, {"greedy", {0, 2, 4, 1, 3, 5}}, {"longest", {0, 1, 2, 3, 4, 5}}};
    for (unsigned i = 0; i < 3; i++) {
        char config[256];
        snprintf(config, sizeof config,
                 LINEAR
                 "order = mrpb\nmiss_queue = 2\n[noc]\ninject_queue = 1\nflit = 8\n[mrpb]\nqueues = 2\ndrain = %s\n",
                 cases[i].drain);
        struct memsys *m = one(config);
        /* Stores first: their large packets fill the way down, so that the loads gather in the buffer. */
        struct shot shots[12];
        struct landing at[12];
        for (unsigned k = 0; k < 6; k++)
            shots[k] = (struct shot){1, 0x10000 + k * 128, REQ_WRITE, .warp = 2};
        for (unsigned k = 0; k < 6; k++)
            shots[6 + k] = (struct shot){2, k * 128, .warp = (uint16_t)(4 + (k & 1))};
        m->sm[0].per_cycle = 12;
        l2_preload(m->l2, 1, 0, 6 * 128, false); /* replies come in the order of requests */
        memsys_script(m, 0, shots, 12, at);
        memsys_run(m);
        for (unsigned k = 0; k + 1 < 6; k++)
            assert_true(at[6 + cases[i].order[k]].back < at[6 + cases[i].order[k + 1]].back);
        memsys_free(m);
    }
}

/* Five loads of one set of four ways: the fifth waits for a way, or bypasses. */
static void bypass_where_a_load_would_wait(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        uint64_t stride;
        unsigned loads, bypasses;
    } cases[] = {
        {LINEAR, SET_STRIDE, 5, 0},
        {LINEAR "order = mrpb\n", SET_STRIDE, 5, 1},
        {LINEAR "order = mrpb\n[mrpb]\nbypass = none\n", SET_STRIDE, 5, 0},
        {LINEAR "order = mrpb\nmshrs = 2\n", SET_STRIDE + 128, 3, 0}, /* no MSHR: it waits, */
        {LINEAR "order = mrpb\nmshrs = 2\n[mrpb]\nbypass = any\n", SET_STRIDE + 128, 3,
         1}, /* unless any stall bypasses */
        {LINEAR "order = mrpb\nmax_merges = 2\n[mrpb]\nbypass = any\n", 0, 3, 1},
        {LINEAR "management = racb\n", SET_STRIDE, 5, 1},
        {LINEAR "management = racb\nmshrs = 2\n", SET_STRIDE + 128, 3, 1},
        {LINEAR "management = racb\nmax_merges = 2\n", 0, 3, 1},
        {LINEAR "management = racb\n[racb]\ncaches = l2\n", SET_STRIDE, 5, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memsys *m = one(cases[i].config);
        struct shot shots[8];
        struct landing at[8];
        for (unsigned k = 0; k < cases[i].loads; k++)
            shots[k] = (struct shot){1 + k, k * cases[i].stride};
        memsys_script(m, 0, shots, cases[i].loads, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.bypasses"), cases[i].bypasses);
        assert_int_equal(memsys_stat(m, "l1.loads"), cases[i].loads); /* a bypass is not served, a merge is */
        assert_int_equal(memsys_stat(m, "l1.unserved_loads"), cases[i].loads - memsys_stat(m, "l1.merges"));
        memsys_free(m);
    }
}

/* A load that is to bypass and finds the miss queue full is tried in every cycle, and counted when it bypasses. */
static void racb_counts_each_load_once(void **state)
{
    (void)state;
    static const struct {
        const char *config, *cause;
        uint64_t stride;
    } cases[] = {
        {LINEAR "management = racb\nmiss_queue = 2\n[noc]\ninject_queue = 1\nflit = 8\n", "racb.no_way", SET_STRIDE},
        {LINEAR "management = racb\nmiss_queue = 2\nmax_merges = 1\n[noc]\ninject_queue = 1\nflit = 8\n",
         "racb.no_merge_slot", 0}};
    for (unsigned i = 0; i < 2; i++) {
        struct memsys *m = one(cases[i].config);
        /* Stores between the loads: their large packets fill the way down. */
        struct shot shots[24];
        struct landing at[24];
        for (unsigned k = 0; k < 12; k++) {
            shots[2 * k] = (struct shot){1 + k, k * cases[i].stride};
            shots[2 * k + 1] = (struct shot){1 + k, 0x100000 + k * 128, REQ_WRITE};
        }
        m->sm[0].per_cycle = 24;
        memsys_script(m, 0, shots, 24, at);
        memsys_run(m);
        assert_true(memsys_stat(m, "l1.stall_cycles.miss_queue_full") > 12);
        assert_true(memsys_stat(m, cases[i].cause) > 2);
        assert_int_equal(memsys_stat(m, cases[i].cause), memsys_stat(m, "l1.bypasses"));
        memsys_free(m);
    }
}

/* RACB at the L2: with one MSHR entry in the slice the second read goes to DRAM past it. */
static void racb_at_the_l2(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        unsigned bypasses;
    } cases[] = {{"[l2]\nmshrs = 1\n", 0},
                 {"[l1]\nmanagement = racb\n[l2]\nmshrs = 1\n", 1},
                 {"[l1]\nmanagement = racb\n[l2]\nmshrs = 1\n[racb]\ncaches = l1\n", 0},
                 {"[l1]\nmanagement = racb\n[l2]\nmshrs = 1\n[racb]\ncaches = l2\n", 1}};
    for (unsigned i = 0; i < 4; i++) {
        struct memsys *m = one(cases[i].config);
        const struct shot shots[] = {{1, 0}, {2, 0x1000}};
        struct landing at[2];
        memsys_script(m, 0, shots, 2, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l2.bypasses"), cases[i].bypasses);
        memsys_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mrpb_sorts_by_warp),
                                       cmocka_unit_test(bypass_where_a_load_would_wait),
                                       cmocka_unit_test(racb_counts_each_load_once), cmocka_unit_test(racb_at_the_l2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
