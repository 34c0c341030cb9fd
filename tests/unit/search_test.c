/* lab/search against oracles whose best is known: what is found, which points are asked for, and in how many rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "study/search.h"

struct oracle {
    double (*value)(const long *at);
    size_t n;
    bool patient; /* a point is known only in the round after it was asked for */
    long asked[256][SEARCH_KNOBS];
    size_t n_asked, n_known;
};

static bool ask(void *ctx, const long *at, double *value)
{
    struct oracle *o = ctx;
    size_t i = 0;
    while (i < o->n_asked && memcmp(o->asked[i], at, o->n * sizeof *at))
        i++;
    if (i == o->n_asked) {
        assert_true(o->n_asked < 256);
        memcpy(o->asked[o->n_asked++], at, o->n * sizeof *at);
    }
    *value = o->value(at);
    return !o->patient || i < o->n_known;
}

static const struct search_knob limits = {{1, 2, 4, 8, 24}, 5}, tokens = {{0, 4, 8, 16, 48}, 5};

/* The answer of a search with one knob, from `start`. */
static long find(struct oracle *o, double (*value)(const long *), long start)
{
    struct search_knob k = limits;
    *o = (struct oracle){.value = value, .n = 1};
    assert_true(search_refine(&k, 1, ask, o, &start));
    return start;
}

static double top_at_13(const long *at)
{
    return -labs(at[0] - 13);
}
static double top_at_1(const long *at)
{
    return -(double)at[0];
}
static double top_at_24(const long *at)
{
    return (double)at[0];
}
static double flat(const long *at)
{
    (void)at;
    return 1;
}

static void a_top_between_the_values_is_found(void **state)
{
    (void)state;
    struct oracle o;
    assert_int_equal(find(&o, top_at_13, 8), 13);
    /* 8, its neighbors 4 and 24; half-way 6 and 16; from 16 half-way 12 and 20; from 12 half-way 10 and 14; half-way
     * 11 and 13: the top, whose neighbors are known. */
    static const long in_turn[] = {8, 4, 24, 6, 16, 12, 20, 10, 14, 11, 13};
    assert_int_equal(o.n_asked, sizeof in_turn / sizeof *in_turn);
    for (size_t i = 0; i < o.n_asked; i++)
        assert_int_equal(o.asked[i][0], in_turn[i]);
}

static void a_search_stays_within_its_values(void **state)
{
    (void)state;
    struct oracle o;
    assert_int_equal(find(&o, top_at_1, 8), 1);
    assert_int_equal(find(&o, top_at_24, 8), 24);
    for (size_t i = 0; i < o.n_asked; i++)
        assert_in_range(o.asked[i][0], 1, 24);
}

static void the_first_of_equals_stays(void **state)
{
    (void)state;
    struct oracle o;
    assert_int_equal(find(&o, flat, 4), 4);
    /* 4, 2, 8; 3 and 6; then 5: nothing lies between 3, 4 and 5. */
    assert_int_equal(o.n_asked, 6);
}

/* Best where both are right: neither knob alone leads there from (24, 48) without the other. */
static double ridge(const long *at)
{
    return -(double)((at[0] - 7) * (at[0] - 7)) - 0.2 * (double)((at[1] - 11) * (at[1] - 11)) -
           0.1 * (double)labs((at[0] - 7) * (at[1] - 11));
}

static void two_knobs_are_searched_together(void **state)
{
    (void)state;
    long at[2] = {24, 48};
    struct search_knob k[2] = {limits, tokens};
    struct oracle o = {.value = ridge, .n = 2};
    assert_true(search_refine(k, 2, ask, &o, at));
    assert_int_equal(at[0], 7);
    assert_int_equal(at[1], 11);
    assert_true(o.n_asked < 40); /* of 24 x 49 */
}

static void all_points_of_a_step_are_asked_for_at_once(void **state)
{
    (void)state;
    struct oracle o = {.value = top_at_13, .n = 1, .patient = true};
    long at = 8;
    unsigned rounds = 0;
    for (bool done = false; !done; rounds++) {
        struct search_knob k = limits;
        at = 8; /* each round goes the same way again, with what is known */
        done = search_refine(&k, 1, ask, &o, &at);
        assert_true(done || o.n_asked > o.n_known);
        o.n_known = o.n_asked;
    }
    assert_int_equal(at, 13);
    assert_int_equal(o.n_asked, 11);
    assert_int_equal(rounds, 6); /* 8, 4, 24; 6, 16; 12, 20; 10, 14; 11, 13; and the answer */
}

static void ladder_is(long from, const long *rungs, size_t n)
{
    struct search_knob k = limits;
    search_ladder(&k, from);
    assert_int_equal(k.n, n);
    assert_memory_equal(k.value, rungs, n * sizeof *rungs);
}

/* Rungs an eighth apart, at least 1; the ends are rungs, too. */
static void a_ladder_goes_through_its_start(void **state)
{
    (void)state;
    static const long from_1[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                  11, 12, 13, 14, 15, 16, 18, 20, 22, 24}; /* 16 + 16 / 8 is 18 */
    static const long from_17[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 21, 23, 24};
    ladder_is(1, from_1, sizeof from_1 / sizeof *from_1);
    ladder_is(17, from_17, sizeof from_17 / sizeof *from_17);
    struct search_knob wide = {{1, 1000000000}, 2};
    search_ladder(&wide, 1000); /* more rungs than there is room for: the ends stay */
    assert_in_range(wide.n, 3, SEARCH_VALUES);
    assert_int_equal(wide.value[0], 1);
    assert_int_equal(wide.value[wide.n - 1], 1000000000);
    for (size_t i = 1; i < wide.n; i++)
        assert_true(wide.value[i - 1] < wide.value[i]);
}

static void a_climb_asks_for_little(void **state)
{
    (void)state;
    struct oracle o = {.value = top_at_13, .n = 1};
    struct search_knob k = limits;
    long at = 12;
    search_ladder(&k, at);
    assert_true(search_climb(&k, 1, ask, &o, &at));
    assert_int_equal(at, 13);
    static const long in_turn[] = {12, 11, 13, 14};
    assert_int_equal(o.n_asked, sizeof in_turn / sizeof *in_turn);
    for (size_t i = 0; i < o.n_asked; i++)
        assert_int_equal(o.asked[i][0], in_turn[i]);
    o = (struct oracle){.value = top_at_13, .n = 1, .patient = true};
    at = 12;
    assert_false(search_climb(&k, 1, ask, &o, &at));
    assert_int_equal(o.n_asked, 3); /* all at once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_top_between_the_values_is_found),
        cmocka_unit_test(a_search_stays_within_its_values),
        cmocka_unit_test(the_first_of_equals_stays),
        cmocka_unit_test(two_knobs_are_searched_together),
        cmocka_unit_test(all_points_of_a_step_are_asked_for_at_once),
        cmocka_unit_test(a_ladder_goes_through_its_start),
        cmocka_unit_test(a_climb_asks_for_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
