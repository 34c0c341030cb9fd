/* The times of CTAs for a timeline: places of an SM, and what is kept of a run with more CTAs than a file can hold. */
#include "engine/engine.h"
#include "gpu/cta_times.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct cta_time *find(const struct cta_times *t, uint64_t cta)
{
    size_t n;
    const struct cta_time *c = cta_times_all(t, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].cta == cta)
            return &c[i];
    fail_msg("CTA %lu is not kept", (unsigned long)cta);
    return NULL;
}

/* A CTA takes the lowest free place of its SM, also where others end in another order. */
static void takes_the_lowest_place(void **state)
{
    (void)state;
    struct cta_times *t = cta_times_new(2);
    for (uint64_t i = 0; i < 3; i++)
        cta_times_watch(t, 0, i, 1, 10 + i, false);
    cta_times_watch(t, 0, 1, 1, 20, true);
    cta_times_watch(t, 0, 3, 1, 20, false);
    cta_times_watch(t, 7, 4, 0, 21, false);
    assert_int_equal(find(t, 1)->lane, 1);
    assert_int_equal(find(t, 1)->begin, 11);
    assert_int_equal(find(t, 1)->end, 20);
    assert_int_equal(find(t, 3)->lane, 1);
    assert_true(find(t, 3)->end == NEVER);
    assert_int_equal(find(t, 4)->lane, 0);
    assert_int_equal(find(t, 4)->launch, 7);
    assert_int_equal(find(t, 3)->launch, 0);
    assert_int_equal(cta_times_every(t), 1);
    cta_times_free(t);
}

/* Four SMs with two CTAs at a time each: those of every second SM stay, whole, and so do those that run then. */
static void keeps_every_second_sm(void **state)
{
    (void)state;
    enum { SMS = 4, ROUNDS = CTA_TIMES / 4 };
    struct cta_times *t = cta_times_new(SMS);
    uint64_t cta = 0;
    size_t n;
    for (uint64_t r = 0; r < ROUNDS; r++)
        for (uint32_t sm = 0; sm < SMS; sm++, cta++) {
            cta_times_watch(t, 0, cta, sm, 100 * r + sm, false);
            if (cta >= 2 * SMS)
                cta_times_watch(t, 0, cta - 2 * SMS, sm, 100 * r + sm, true);
        }
    assert_int_equal(cta_times_every(t), 1);
    cta_times_watch(t, 0, cta, 1, 100 * ROUNDS, false);
    assert_int_equal(cta_times_every(t), 2);
    assert_int_equal(cta_times_seen(t), CTA_TIMES + 1);
    cta_times_watch(t, 0, cta - 2, 2, 100 * ROUNDS + 5, true);
    const struct cta_time *c = cta_times_all(t, &n);
    assert_int_equal(n, CTA_TIMES / 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(c[i].sm % 2, 0);
        assert_int_equal(c[i].sm, c[i].cta % SMS);
    }
    assert_int_equal(find(t, cta - 2)->end, 100 * ROUNDS + 5);
    assert_true(find(t, cta - 4)->end == NEVER);
    cta_times_free(t);
}

/* One SM: the beginning stays. */
static void keeps_the_beginning_of_one_sm(void **state)
{
    (void)state;
    struct cta_times *t = cta_times_new(1);
    size_t n;
    for (uint64_t i = 0; i < CTA_TIMES + 10; i++) {
        cta_times_watch(t, 0, i, 0, i, false);
        cta_times_watch(t, 0, i, 0, i + 1, true);
    }
    const struct cta_time *c = cta_times_all(t, &n);
    assert_int_equal(n, CTA_TIMES);
    assert_int_equal(c[n - 1].cta, CTA_TIMES - 1);
    assert_int_equal(cta_times_seen(t), CTA_TIMES + 10);
    cta_times_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_lowest_place),
        cmocka_unit_test(keeps_every_second_sm),
        cmocka_unit_test(keeps_the_beginning_of_one_sm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
