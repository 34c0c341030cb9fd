/* What shared memory takes out of the L1's array: the sizes an H200's driver chose, and lists that are no lists. */
#include "gpu/carveout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* after what it needs */
#include <cmocka.h>

static void sizes_are_those_of_the_board(void **state)
{
    (void)state;
    /* silicon/probes/h200_carveouts.tsv */
    static const struct {
        uint64_t smem;
        uint32_t per_sm, kib;
    } seen[] = {{0, 32, 32},     {0, 16, 32},      {0, 8, 32},       {0, 4, 16},       {0, 2, 8},
                {1024, 8, 32},   {1088, 8, 64},    {3072, 8, 64},    {3096, 8, 100},   {5120, 8, 100},
                {4096, 16, 132}, {8192, 16, 164},  {13312, 8, 132},  {24576, 2, 100},  {7168, 28, 228},
                {64512, 3, 196}, {134144, 1, 132}, {166912, 1, 164}, {199680, 1, 196}, {232448, 1, 228}};
    struct carveouts c;
    assert_int_equal(carve_outs_parse(&c, "8 16 32 64 100 132 164 196 228", NULL), 0);
    assert_int_equal(c.n, 9);
    for (unsigned i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_int_equal(carveout(&c, seen[i].smem, seen[i].per_sm, 1024, 128), (uint64_t)seen[i].kib << 10);
}

static void no_list_takes_nothing(void **state)
{
    (void)state;
    struct carveouts c;
    assert_int_equal(carve_outs_parse(&c, "", NULL), 0);
    assert_int_equal(carveout(&c, 48 << 10, 4, 1024, 128), 0);
}

static void kernels_without_shared_memory_may_leave_it_all_to_the_l1(void **state)
{
    (void)state;
    struct carveouts c;
    assert_int_equal(carve_outs_parse(&c, "0 8 16 32 64 96", NULL), 0);
    assert_int_equal(carveout(&c, 0, 32, 0, 256), 0);
    assert_int_equal(carveout(&c, 4096, 2, 0, 256), 16 << 10);
}

static void other_lists_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"8 8",  "16 8",  "0",     "x",
                                      "8,16", "8 16K", "99999", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct carveouts c;
        struct err e;
        err_clear(&e);
        assert_int_equal(carve_outs_parse(&c, bad[i], &e), -1);
        assert_true(strlen(e.msg) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_board),
        cmocka_unit_test(no_list_takes_nothing),
        cmocka_unit_test(kernels_without_shared_memory_may_leave_it_all_to_the_l1),
        cmocka_unit_test(other_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
