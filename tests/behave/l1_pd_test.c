/* The policy `pd`: which line of a set of four leaves, and when a load bypasses, counted by hand. */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Runs loads of one set, far apart: "ABCDA" are lines 0..3 and 0; lower case, the same lines of the next set. */
static struct memsys *run(const char *lines, const char *params, struct landing *at)
{
    char config[256];
    snprintf(config, sizeof config, "[l1]\nmanagement = pd\nset_hash = linear\n[pd]\n%s", params);
    struct memsys_config c = {MEMSYS_ONE, .config = config};
    struct memsys *m = memsys_new(&c);
    static struct shot shots[32];
    unsigned n = (unsigned)strlen(lines);
    for (unsigned i = 0; i < n; i++) {
        bool other = lines[i] >= 'a';
        uint64_t line = (uint64_t)(lines[i] - (other ? 'a' : 'A'));
        shots[i] = (struct shot){.at = 1 + 2000 * i, .addr = line * 32 * 128 + (other ? 128 : 0)};
    }
    memsys_script(m, 0, shots, n, at);
    memsys_run(m);
    return m;
}

/* The sequence in `lines`, and the outcome of each: h hit, m missed and kept, - bypassed. */
static void check(const char *lines, const char *params, const char *expected)
{
    struct landing at[32];
    struct memsys *m = run(lines, params, at);
    unsigned hits = 0, past = 0, kept = 0;
    for (unsigned i = 0; expected[i]; i++) {
        if ((at[i].served == REQ_AT_L1) != (expected[i] == 'h'))
            fail_msg("%s with %s: load %u (%c) is not '%c'", lines, params, i + 1, lines[i], expected[i]);
        hits += expected[i] == 'h';
        past += expected[i] == '-';
        kept += expected[i] == 'm';
    }
    assert_int_equal(memsys_stat(m, "l1.hits"), hits);
    assert_int_equal(memsys_stat(m, "l1.bypass.all_protected"), past);
    assert_int_equal(memsys_stat(m, "l1.bypasses"), past);
    assert_int_equal(memsys_stat(m, "l1.misses"), kept);
    memsys_free(m);
}

static void a_line_stays_for_its_distance(void **state)
{
    (void)state;
    /* A comes with load 1. With distance 4 load 5 may replace it, with distance 5 load 6 is the first that may. */
    check("ABCDEABCD", "distance = 4\n", "mmmmmmmmm");
    check("ABCDEAFAB", "distance = 5\n", "mmmm-hmhm");
    /* Load 6 hit A, so B (load 2, until 7) went for F; at load 9 C (until 8) goes for B. */
    check("ABCDEFABC", "distance = 5\n", "mmmm-mmmm");
    /* Load 6 replaced A by F; 7 replaced B by A; 8 replaced C by B; 9 replaced D by C. */
}

static void hits_renew_or_not(void **state)
{
    (void)state;
    check("ABCDAEFA", "distance = 5\nrenew_on_hit = yes\n", "mmmmh-mh");
    check("ABCDAEFA", "distance = 5\n", "mmmmhmmm");
    /* Without renewal A goes at load 6, B at load 7 and C at load 8, five loads after each came. */
}

static void distances_count_loads_of_the_set_or_of_all(void **state)
{
    (void)state;
    check("ABCDaaaaaEA", "distance = 6\ncount_scope = set\n", "mmmmmhhhh-h");
    check("ABCDaaaaaEA", "distance = 6\n", "mmmmmhhhhmm");
}

static void a_full_set_may_give_one_up(void **state)
{
    (void)state;
    /* B was used; of the others D is protected longest. */
    check("ABCDBEABCD", "distance = 100\nbypass = no\n", "mmmmhmhhhm");
    struct landing at[32];
    struct memsys *m = run("ABCDBE", "distance = 100\nbypass = no\n", at);
    assert_int_equal(memsys_stat(m, "pd.protected_evictions"), 1);
    memsys_free(m);
}

static void hits_are_told_apart(void **state)
{
    (void)state;
    struct landing at[32];
    /* distance 2: A is hit 2 loads later, then 3 loads later; C once, right after it came. */
    struct memsys *m = run("ABACCDA", "distance = 2\n", at);
    assert_int_equal(memsys_stat(m, "l1.hits"), 3);
    assert_int_equal(memsys_stat(m, "pd.protected_hits"), 2);
    assert_int_equal(memsys_stat(m, "pd.unprotected_hits"), 1);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_stays_for_its_distance),
        cmocka_unit_test(hits_renew_or_not),
        cmocka_unit_test(distances_count_loads_of_the_set_or_of_all),
        cmocka_unit_test(a_full_set_may_give_one_up),
        cmocka_unit_test(hits_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
