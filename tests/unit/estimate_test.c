/*
 * The estimator of sampled simulation (gpu/estimate.h): what gaps take from whom, and whether intervals cover the truth
 * as often as they say, for noise and for drift.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "gpu/estimate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { UNITS = 400 };

static uint64_t seed = 1;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}
static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static void test_weights(void **state)
{
    (void)state;
    /* cold, two units, a gap of 30, a cold one, one unit, a gap of 10, nothing but a cold one */
    const struct estimate_unit u[] = {{.work = 5, .cold = true}, {.work = 10},           {.work = 5, .gap = 30},
                                      {.work = 5, .cold = true}, {.work = 5, .gap = 10}, {.work = 5, .cold = true}};
    const double should_be[] = {0, 1, 1, 0, 3 + 2, 0};
    double weight[6];
    estimate_weights(u, 6, weight);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(weight[i] - should_be[i]) < 1e-12);
    const double value[] = {1, 10, 5, 1, 5, 1};
    assert_true(estimate_variance(u, 6, weight, value).variance == 0);
    assert_true(estimate_spread(u, 6, value) == 0);
    assert_true(isinf(estimate_spread(u, 3, value)));
    const struct estimate_variance none = estimate_variance(u, 2, weight, value);
    assert_true(none.variance == 0 && estimate_half_width(none) == 0);
    const struct estimate_unit lone[] = {{.work = 5, .gap = 50, .gap_squares = 250}};
    estimate_weights(lone, 1, weight);
    assert_true(weight[0] == 10);
    assert_true(isinf(estimate_half_width(estimate_variance(lone, 1, weight, value))));
}

/* Of a population with noise and drift, each k-th unit; how often the interval holds the whole sum. */
static double coverage(int every, double noise, double drift)
{
    enum { TIMES = 2000 };
    int covered = 0;
    for (int t = 0; t < TIMES; t++) {
        struct estimate_unit u[UNITS] = {{0}};
        double value[UNITS], weight[UNITS], truth = 0, sum = 0;
        size_t n = 0;
        for (int i = 0; i < UNITS; i++) {
            const double work = 90 + 20 * uniform();
            const double x = work * (2 + drift * i / UNITS + noise * normal());
            truth += x;
            if (i % every && i + 1 < UNITS) {
                u[n - 1].gap += work;
                u[n - 1].gap_squares += work * work;
                continue;
            }
            u[n].work = work;
            value[n++] = x;
            sum += x;
        }
        estimate_weights(u, n, weight);
        for (size_t k = 0; k < n; k++)
            sum += weight[k] * value[k];
        covered += fabs(sum - truth) <= estimate_half_width(estimate_variance(u, n, weight, value));
    }
    return (double)covered / TIMES;
}

static void test_coverage(void **state)
{
    (void)state;
    const int every[] = {4, 10, 40, 80};
    for (int i = 0; i < 4; i++) {
        const double noisy = coverage(every[i], 0.1, 0), drifting = coverage(every[i], 0.1, 0.3);
        if (noisy < 0.925 || noisy > 0.985)
            fail_msg("every %d-th: %g of the intervals hold the truth", every[i], noisy);
        if (drifting < 0.925) /* the drift counts as noise: wide, never narrow */
            fail_msg("every %d-th, with drift: %g of the intervals hold the truth", every[i], drifting);
    }
}

static void test_sum(void **state)
{
    (void)state;
    const struct estimate_variance a = {4, 3}, b = {0, INFINITY}, c = {4, 3}, unknown = {1, 0};
    assert_true(estimate_add(a, b).variance == 4 && fabs(estimate_add(a, b).freedom - 3) < 1e-12);
    assert_true(fabs(estimate_add(a, c).freedom - 6) < 1e-12);
    assert_true(fabs(estimate_half_width(a) - 2 * 3.182) < 1e-9);
    assert_true(isinf(estimate_half_width(estimate_add(a, unknown))));
    assert_true(fabs(estimate_half_width((struct estimate_variance){1, 30}) - 2.0423) < 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights), cmocka_unit_test(test_coverage),
                                       cmocka_unit_test(test_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
