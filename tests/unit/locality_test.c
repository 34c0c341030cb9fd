/*
 * The classifier of loads, on access sequences whose types, counts, distances and similarity are known by hand
 * (APCM, section 3 and Table 2).
 */
#include "cache/locality.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct locality *start(uint32_t n_sm)
{
    struct err e;
    struct locality *l = locality_new(&(struct locality_config){.n_sm = n_sm}, &e);
    assert_non_null(l);
    return l;
}

/* One warp load of one line on SM 0. */
static void touch(struct locality *l, uint32_t warp, uint32_t load, uint64_t line)
{
    locality_access(l, 0, warp, load, 32, &line, 1);
}

static struct locality_load load_of(const struct locality *l, uint32_t kernel, uint32_t load)
{
    uint32_t n;
    const struct locality_load *all = locality_loads(l, kernel, &n);
    assert_true(load < n);
    return all[load];
}

static void assert_types(const struct locality_load *r, uint64_t streaming, uint64_t inter, uint64_t intra,
                         uint64_t both)
{
    assert_int_equal(r->line[LOCALITY_STREAMING], streaming);
    assert_int_equal(r->line[LOCALITY_INTER], inter);
    assert_int_equal(r->line[LOCALITY_INTRA], intra);
    assert_int_equal(r->line[LOCALITY_BOTH], both);
}

/* Table 2, one line of each kind; what counts is who brought the line in, not who used it most. */
static void test_types(void **state)
{
    (void)state;
    struct locality *l = start(1);
    locality_launch_begin(l, 0, 4);
    touch(l, 0, 0, 100); /* streaming: 1 use */
    touch(l, 0, 1, 200); /* inter: warp 0 once, warps 1 and 2 after it, warp 1 twice */
    touch(l, 1, 1, 200);
    touch(l, 2, 1, 200);
    touch(l, 1, 1, 200);
    touch(l, 5, 2, 300); /* intra: warp 5 alone */
    touch(l, 5, 2, 300);
    touch(l, 5, 2, 300);
    touch(l, 3, 3, 400); /* both: warp 3 twice, warp 4 once in between */
    touch(l, 4, 3, 400);
    touch(l, 3, 3, 400);
    locality_launch_end(l);

    const struct locality_load a = load_of(l, 0, 0), b = load_of(l, 0, 1), c = load_of(l, 0, 2), d = load_of(l, 0, 3);
    assert_types(&a, 1, 0, 0, 0);
    assert_types(&b, 0, 1, 0, 0);
    assert_types(&c, 0, 0, 1, 0);
    assert_types(&d, 0, 0, 0, 1);
    assert_int_equal(b.used[LOCALITY_INTER], 4);
    assert_int_equal(c.used[LOCALITY_INTRA], 3);
    assert_int_equal(locality_dominant(&a), LOCALITY_STREAMING);
    assert_int_equal(locality_dominant(&d), LOCALITY_BOTH);
    assert_float_equal(locality_aps(l, 0), 1.0, 1e-12);
    const struct locality_load sum = locality_sum(l, UINT32_MAX);
    assert_types(&sum, 1, 1, 1, 1);
    assert_int_equal(sum.executions, 11);
    assert_int_equal(locality_lines(&sum), 4);
    locality_free(l);
}

/* A line belongs to the load that brought it, also when other loads use it afterward. */
static void test_owner(void **state)
{
    (void)state;
    struct locality *l = start(1);
    locality_launch_begin(l, 0, 2);
    touch(l, 0, 0, 7);
    touch(l, 0, 1, 7);
    touch(l, 0, 1, 7);
    locality_launch_end(l);
    const struct locality_load a = load_of(l, 0, 0), b = load_of(l, 0, 1);
    assert_types(&a, 0, 0, 1, 0);
    assert_types(&b, 0, 0, 0, 0);
    assert_int_equal(a.used[LOCALITY_INTRA], 3);
    assert_int_equal(a.accesses, 1);
    assert_int_equal(b.accesses, 2);
    locality_free(l);
}

/* Equation 1: load 0 brings 3 streaming and 1 intra line, load 1 brings 2 inter lines: (3 + 2) / 6. */
static void test_similarity(void **state)
{
    (void)state;
    struct locality *l = start(1);
    locality_launch_begin(l, 0, 2);
    for (uint64_t i = 0; i < 4; i++)
        touch(l, 0, 0, i);
    touch(l, 0, 0, 3);
    for (uint32_t warp = 0; warp < 2; warp++)
        for (uint64_t i = 10; i < 12; i++)
            touch(l, warp, 1, i);
    locality_launch_end(l);
    assert_float_equal(locality_aps(l, 0), 5.0 / 6.0, 1e-12);
    /* a second kernel whose loads are pure: similarity of each alone, and of all loads together */
    locality_launch_begin(l, 1, 1);
    for (uint64_t i = 0; i < 6; i++)
        touch(l, 0, 0, i);
    locality_launch_end(l);
    assert_float_equal(locality_aps(l, 1), 1.0, 1e-12);
    assert_float_equal(locality_aps(l, UINT32_MAX), 11.0 / 12.0, 1e-12);
    assert_float_equal(locality_aps(l, 7), 0, 1e-12);
    locality_free(l);
}

/* Distance = accesses to the SM's L1 from one use to the next; it goes to the type the line has in the end. */
static void test_distances(void **state)
{
    (void)state;
    struct locality *l = start(2);
    locality_launch_begin(l, 0, 3);
    touch(l, 0, 0, 1); /* clock 1 */
    touch(l, 0, 0, 1); /* 2: distance 1 -> bin 0, intra */
    for (uint64_t i = 0; i < 7; i++)
        touch(l, 9, 2, 1000 + i);                          /* 3 .. 9 */
    locality_access(l, 1, 9, 2, 32, &(uint64_t){5000}, 1); /* another SM's clock */
    touch(l, 0, 0, 1);                                     /* 10: distance 8 -> bin 3, intra */
    touch(l, 1, 1, 2);                                     /* 11 */
    touch(l, 2, 1, 2);                                     /* 12: distance 1, inter until now */
    touch(l, 3, 1, 2);                                     /* 13: distance 1 */
    touch(l, 1, 1, 2);                                     /* 14: distance 1, and now both: all three */
    touch(l, 9, 2, 2000);                                  /* 15 */
    touch(l, 4, 1, 2);                                     /* 16: distance 2 -> bin 1 */
    locality_launch_end(l);
    const struct locality_load a = load_of(l, 0, 0), b = load_of(l, 0, 1);
    assert_int_equal(a.distance[LOCALITY_INTRA][0], 1);
    assert_int_equal(a.distance[LOCALITY_INTRA][3], 1);
    assert_int_equal(b.distance[LOCALITY_BOTH][0], 3);
    assert_int_equal(b.distance[LOCALITY_BOTH][1], 1);
    uint64_t n = 0;
    const struct locality_load sum = locality_sum(l, 0);
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        for (int k = 0; k < LOCALITY_DISTANCE_BINS; k++)
            n += sum.distance[t][k];
    assert_int_equal(n, 6); /* one for every use after a line's first */
    locality_free(l);
}

/*
 * Infinite and 16 KB, 4-way, 32 sets: six lines of one set in turn, three times over: LRU never hits. Bits 13 and above
 * of a line's number do not enter Fermi's set hash.
 */
static void test_counts(void **state)
{
    (void)state;
    struct locality *l = start(1);
    locality_launch_begin(l, 0, 2);
    for (int round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 6; i++)
            touch(l, 0, 0, i << 13);
    /* and one line of another set, used 5 times in a row */
    for (int round = 0; round < 5; round++)
        touch(l, 0, 1, 33);
    locality_launch_end(l);
    const struct locality_load a = load_of(l, 0, 0), b = load_of(l, 0, 1);
    assert_int_equal(a.count[2], 6); /* 3-4 */
    assert_int_equal(a.finite_count[0], 18);
    assert_int_equal(a.finite_misses, 18);
    assert_int_equal(b.count[3], 1); /* 5-8 */
    assert_int_equal(b.finite_count[3], 1);
    assert_int_equal(b.finite_misses, 1);
    locality_free(l);
}

/* The bins' borders: 1, 2, 3-4, 5-8, ..., 33-64, more. */
static void test_count_bins(void **state)
{
    (void)state;
    static const struct {
        unsigned uses, bin;
    } want[] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {16, 4}, {17, 5}, {64, 6}, {65, 7}, {1000, 7}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct locality *l = start(1);
        locality_launch_begin(l, 0, 1);
        for (unsigned k = 0; k < want[i].uses; k++)
            touch(l, 0, 0, 1);
        locality_launch_end(l);
        const struct locality_load a = load_of(l, 0, 0);
        assert_int_equal(a.count[want[i].bin], 1);
        locality_free(l);
    }
}

/* Replication: a miss whose line another SM's L1 holds. */
static void test_replication(void **state)
{
    (void)state;
    struct locality *l = start(3);
    locality_launch_begin(l, 0, 1);
    const uint64_t line[] = {0 << 13, 1 << 13, 2 << 13, 3 << 13, 4 << 13, 5 << 13}; /* one set of the finite L1 */
    locality_access(l, 0, 0, 0, 32, line, 1);
    locality_access(l, 1, 1, 0, 32, line, 1);     /* SM 0 has it */
    locality_access(l, 1, 1, 0, 32, line, 1);     /* a hit */
    locality_access(l, 2, 2, 0, 32, line + 1, 1); /* nobody */
    for (unsigned i = 2; i < 6; i++) {            /* pushes the first line out of the finite L1s of SM 0 and 1 */
        locality_access(l, 0, 3, 0, 32, line + i, 1);
        locality_access(l, 1, 4, 0, 32, line + i, 1);
    }
    locality_access(l, 2, 5, 0, 32, line, 1); /* the infinite L1s still have it, the finite ones do not */
    locality_launch_end(l);
    const struct locality_load a = load_of(l, 0, 0);
    assert_int_equal(locality_lines(&a), 12);
    assert_int_equal(a.replicated, 6);
    assert_int_equal(a.finite_misses, 12);
    assert_int_equal(a.finite_replicated, 5);
    /* each launch starts with empty caches */
    locality_launch_begin(l, 0, 1);
    locality_access(l, 1, 0, 0, 32, line, 1);
    locality_launch_end(l);
    const struct locality_load b = load_of(l, 0, 0);
    assert_int_equal(b.replicated, 6);
    assert_int_equal(b.finite_replicated, 5);
    assert_int_equal(locality_lines(&b), 13);
    locality_free(l);
}

static void test_iterations_and_coalescing(void **state)
{
    (void)state;
    struct locality *l = start(1);
    uint64_t spread[32];
    for (uint64_t i = 0; i < 32; i++)
        spread[i] = 500 + 3 * i;
    for (int launch = 0; launch < 2; launch++) { /* warps of another launch are others */
        locality_launch_begin(l, 0, 3);
        for (uint32_t warp = 0; warp < 130; warp += 2)
            for (int i = 0; i < 4; i++)
                touch(l, warp, 0, warp);
        locality_access(l, 0, 3, 2, 20, spread, 20);
        locality_launch_end(l);
    }
    const struct locality_load a = load_of(l, 0, 0), never = load_of(l, 0, 1), c = load_of(l, 0, 2);
    assert_int_equal(a.warps, 2 * 65);
    assert_int_equal(a.repeats, 2 * 65 * 3);
    assert_float_equal(locality_iterations(&a), 4.0, 1e-12);
    assert_float_equal(locality_iterations(&never), 0, 1e-12);
    assert_int_equal(c.accesses, 40);
    assert_int_equal(c.lanes, 40);
    assert_int_equal(c.executions, 2);
    assert_int_equal(c.repeats, 0);
    locality_free(l);
}

/* Against a plain O(n * m) evaluation of the definitions, with growing tables and several SMs. */
static void test_random(void **state)
{
    (void)state;
    enum { N = 20000, LINES = 3000, SMS = 3 };
    static struct {
        uint32_t uses, own, warp, load;
    } ref[SMS][LINES];
    struct locality *l = start(SMS);
    uint64_t want[4][LOCALITY_TYPE_COUNT] = {0}, replicated = 0, x = 12345;
    for (int launch = 0; launch < 3; launch++) {
        memset(ref, 0, sizeof ref);
        locality_launch_begin(l, 0, 4);
        for (int i = 0; i < N; i++) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            const uint32_t sm = (uint32_t)(x >> 40) % SMS, warp = (uint32_t)(x >> 33) % 5,
                           load = (uint32_t)(x >> 50) % 4;
            const uint64_t line = (x >> 20 & 0xfffff) % (launch == 1 ? 40 : LINES);
            if (!ref[sm][line].uses) {
                ref[sm][line].warp = warp;
                ref[sm][line].load = load;
                replicated += ref[(sm + 1) % SMS][line].uses || ref[(sm + 2) % SMS][line].uses;
            }
            ref[sm][line].uses++;
            ref[sm][line].own += ref[sm][line].warp == warp;
            locality_access(l, sm, warp, load, 1, &line, 1);
        }
        locality_launch_end(l);
        for (int s = 0; s < SMS; s++)
            for (int k = 0; k < LINES; k++) {
                const uint32_t n = ref[s][k].uses, m = ref[s][k].own;
                if (n)
                    want[ref[s][k].load][n == 1   ? LOCALITY_STREAMING
                                         : m == n ? LOCALITY_INTRA
                                         : m == 1 ? LOCALITY_INTER
                                                  : LOCALITY_BOTH]++;
            }
    }
    for (uint32_t i = 0; i < 4; i++) {
        const struct locality_load r = load_of(l, 0, i);
        assert_types(&r, want[i][LOCALITY_STREAMING], want[i][LOCALITY_INTER], want[i][LOCALITY_INTRA],
                     want[i][LOCALITY_BOTH]);
    }
    const struct locality_load sum = locality_sum(l, UINT32_MAX);
    assert_int_equal(sum.replicated, replicated);
    uint64_t distances = 0, finite = 0;
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++)
            distances += sum.distance[t][b];
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        finite += sum.finite_count[b];
    assert_int_equal(distances, sum.accesses - locality_lines(&sum));
    assert_int_equal(finite, sum.finite_misses);
    locality_free(l);
}

/* Beyond max_lines new lines are counted, not remembered; those already known go on. */
static void test_bounded(void **state)
{
    (void)state;
    struct err e;
    struct locality *l = locality_new(&(struct locality_config){.n_sm = 1, .max_lines = 10}, &e);
    locality_launch_begin(l, 0, 1);
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 25; i++)
            touch(l, 0, 0, i);
    locality_launch_end(l);
    const struct locality_load a = load_of(l, 0, 0);
    assert_types(&a, 0, 0, 10, 0);
    assert_int_equal(a.accesses, 50);
    assert_int_equal(a.untracked, 30);
    locality_free(l);
}

static void test_refused(void **state)
{
    (void)state;
    struct err e;
    assert_null(locality_new(&(struct locality_config){.n_sm = 0}, &e));
    assert_null(locality_new(&(struct locality_config){.n_sm = 70000}, &e));
    assert_null(locality_new(&(struct locality_config){.n_sm = 1, .finite_bytes = 12 << 10}, &e));
    assert_non_null(strstr(e.msg, "power of two"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),       cmocka_unit_test(test_owner),
        cmocka_unit_test(test_similarity),  cmocka_unit_test(test_distances),
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_count_bins),
        cmocka_unit_test(test_replication), cmocka_unit_test(test_iterations_and_coalescing),
        cmocka_unit_test(test_random),      cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
