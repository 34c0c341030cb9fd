/* The papers' criteria for classes, at their borders, and the comparison with what program.ini says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "profile/program_classes.h"

static const struct class_measures unknown = {NAN, NAN, NAN, NAN, NAN};

static void test_apcm(void **state)
{
    (void)state;
    static const struct {
        double speedup;
        const char *want;
    } row[] = {{0.85, "CM"}, {0.95, "CI"}, {1.0, "CI"},  {1.09, "CI"},
               {1.11, "CM"}, {1.5, "CM"},  {1.51, "CS"}, {4, "CS"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct class_measures m = unknown;
        m.l1_speedup = row[i].speedup;
        assert_string_equal(class_of(CLASS_OF_APCM, &m), row[i].want);
    }
    assert_null(class_of(CLASS_OF_APCM, &unknown));
}

static void test_cart(void **state)
{
    (void)state;
    struct class_measures m = unknown;
    m.insts_per_l2_miss = 1499;
    assert_string_equal(class_of(CLASS_OF_CART, &m), "memory");
    m.insts_per_l2_miss = 1500;
    assert_string_equal(class_of(CLASS_OF_CART, &m), "compute");
    m.insts_per_l2_miss = INFINITY;
    assert_string_equal(class_of(CLASS_OF_CART, &m), "compute");
    assert_null(class_of(CLASS_OF_CART, &unknown));
}

/* All three conditions, each failing alone. */
static void test_shared(void **state)
{
    (void)state;
    const struct class_measures yes = {.replication = 0.11, .miss_rate = 0.51, .sixteenfold_speedup = 1.06};
    struct class_measures m = yes;
    assert_string_equal(class_of(CLASS_OF_SHAREDL1, &m), "friendly");
    m.replication = 0.1;
    assert_string_equal(class_of(CLASS_OF_SHAREDL1, &m), "not");
    m = yes;
    m.miss_rate = 0.5;
    assert_string_equal(class_of(CLASS_OF_SHAREDL1, &m), "not");
    m = yes;
    m.sixteenfold_speedup = 1.05;
    assert_string_equal(class_of(CLASS_OF_SHAREDL1, &m), "not");
    m.miss_rate = NAN;
    assert_null(class_of(CLASS_OF_SHAREDL1, &m));
}

static void test_compare(void **state)
{
    (void)state;
    char out[32];
    assert_int_equal(class_compare("CS", "BFS (CS)", out, sizeof out), CLASS_AGREES);
    assert_string_equal(out, "CS");
    assert_int_equal(class_compare("CM", "BFS (CS)", out, sizeof out), CLASS_DISAGREES);
    assert_int_equal(class_compare("CM", "BFS", out, sizeof out), CLASS_UNSAID);
    assert_string_equal(out, "");
    assert_int_equal(class_compare("CM", NULL, out, sizeof out), CLASS_UNSAID);
    assert_int_equal(class_compare(NULL, "BFS (CS)", out, sizeof out), CLASS_UNSAID);
    assert_string_equal(out, "CS");
    assert_int_equal(class_compare("CS", "odd (CS", out, sizeof out), CLASS_UNSAID);
}

static void test_papers(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(class_papers("apcm", &e), 1u << CLASS_OF_APCM);
    assert_int_equal(class_papers("sharedl1,cart", &e), 1u << CLASS_OF_CART | 1u << CLASS_OF_SHAREDL1);
    assert_int_equal(class_papers("apcm,caps", &e), 0);
    assert_int_equal(class_papers("car", &e), 0);
    assert_int_equal(class_papers("", &e), 0);
    assert_int_equal(class_papers(",apcm", &e), 0);
    for (int p = 0; p < CLASS_POINT_COUNT; p++)
        assert_non_null(class_point_def[p].machine);
    assert_int_equal(class_point_paper(CLASS_APCM_32), CLASS_OF_APCM);
    assert_int_equal(class_point_paper(CLASS_CART), CLASS_OF_CART);
    assert_int_equal(class_point_paper(CLASS_MESH_16X), CLASS_OF_SHAREDL1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apcm), cmocka_unit_test(test_cart),
                                       cmocka_unit_test(test_shared), cmocka_unit_test(test_compare),
                                       cmocka_unit_test(test_papers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
