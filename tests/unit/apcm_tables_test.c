/* APCM's tables, each by its own rule: Koo et al., ISCA 2017, Table 2, sections 5.1 and 5.4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "l1/management/apcm/apcm.h"

static void table_2(void **state)
{
    (void)state;
    assert_int_equal(apcm_classify(1, 1), APCM_STREAMING);
    for (uint32_t n = 2; n <= 15; n++) {
        assert_int_equal(apcm_classify(n, 1), APCM_INTER);
        assert_int_equal(apcm_classify(n, n), APCM_INTRA);
        for (uint32_t m = 2; m < n; m++)
            assert_int_equal(apcm_classify(n, m), APCM_MIXED);
    }
    assert_int_equal(apcm_method_of(APCM_STREAMING), APCM_BYPASS);
    assert_int_equal(apcm_method_of(APCM_INTER), APCM_NORMAL);
    assert_int_equal(apcm_method_of(APCM_INTRA), APCM_PROTECT);
    assert_int_equal(apcm_method_of(APCM_MIXED), APCM_NORMAL);
}

static void lat_keeps_the_first_loads(void **state)
{
    (void)state;
    struct apcm_lat t = {.cap = 16};
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(apcm_lat_id(&t, 1000 + 8 * i), i);
    assert_int_equal(apcm_lat_id(&t, 5), APCM_NONE); /* full: the seventeenth is an ordinary load */
    assert_int_equal(t.n, 16);
    for (uint32_t i = 16; i-- > 0;)
        assert_int_equal(apcm_lat_id(&t, 1000 + 8 * i), i);
    assert_int_equal(apcm_lat_id(&t, 5), APCM_NONE);
    /* Another kernel's loads take the places of this one's, and only theirs; the same pc is another load. */
    t.kernel = 1;
    assert_int_equal(apcm_lat_id(&t, 1000), 0);
    assert_int_equal(apcm_lat_id(&t, 5), 1);
    assert_int_equal(apcm_lat_id(&t, 1000), 0);
    assert_int_equal(t.given, 18);
    t.kernel = 0;
    assert_int_equal(apcm_lat_id(&t, 1016), 2);
    assert_int_equal(apcm_lat_id(&t, 1000), 0);
    assert_int_equal(t.given, 19);
}

static void mta_counts(void **state)
{
    (void)state;
    struct apcm_mta t = {.sets = 32, .ways = 1, .max = 15};
    assert_null(apcm_mta_find(&t, 7));
    struct apcm_mta_entry *m = apcm_mta_place(&t, 7);
    assert_false(m->valid);
    apcm_mta_fill(&t, m, 7, 3, 1);
    assert_ptr_equal(apcm_mta_find(&t, 7), m);
    assert_null(apcm_mta_find(&t, 7 + 32));
    assert_int_equal(m->accesses, 1);
    assert_int_equal(m->own, 1);
    assert_int_equal(m->first, 3);
    assert_int_equal(m->last, APCM_NONE);

    apcm_mta_hit(&t, m, true, 5); /* the monitored warp: both counts, and its load is the last */
    assert_int_equal(m->accesses, 2);
    assert_int_equal(m->own, 2);
    assert_int_equal(m->last, 5);
    apcm_mta_hit(&t, m, false, 6); /* another warp: the access count alone */
    assert_int_equal(m->accesses, 3);
    assert_int_equal(m->own, 2);
    assert_int_equal(m->first, 3);
    assert_int_equal(m->last, 5);
    /* Four bits: both counts stand still, so that the type does not change any more. */
    for (int i = 0; i < 40; i++)
        apcm_mta_hit(&t, m, true, 5);
    assert_int_equal(m->accesses, 15);
    assert_int_equal(m->own, 14);
    assert_int_equal(apcm_classify(m->accesses, m->own), APCM_MIXED);

    /* A line of the L1 that others used before. */
    apcm_mta_fill(&t, apcm_mta_place(&t, 8), 8, 2, 4);
    assert_int_equal(apcm_mta_find(&t, 8)->accesses, 4);
    assert_int_equal(apcm_mta_find(&t, 8)->own, 1);
    apcm_mta_fill(&t, apcm_mta_place(&t, 9), 9, 2, 99);
    assert_int_equal(apcm_mta_find(&t, 9)->accesses, 15);
}

/* How many of `n` lines, `stride` apart, are still there after all were brought in, oldest first. */
static unsigned kept(uint32_t entries, uint32_t ways, uint64_t stride, unsigned n)
{
    struct apcm_mta t = {.sets = entries / ways, .ways = ways, .max = 15};
    unsigned there = 0;
    for (uint64_t i = 0; i < n; i++)
        apcm_mta_fill(&t, apcm_mta_place(&t, i * stride), i * stride, 0, 1);
    for (uint64_t i = 0; i < n; i++)
        there += apcm_mta_find(&t, i * stride) != NULL;
    return there;
}

static void mta_geometries(void **state)
{
    (void)state;
    assert_int_equal(kept(32, 1, 1, 32), 32);
    assert_int_equal(kept(32, 1, 32, 32), 1); /* direct-mapped: one place for all of them */
    assert_int_equal(kept(32, 4, 32, 32), 4);
    assert_int_equal(kept(32, 32, 32, 32), 32); /* fully associative */
    assert_int_equal(kept(32, 32, 1, 33), 32);
    assert_int_equal(kept(128, 8, 16, 200), 8);

    /* Among ways the least recently used goes; other warps' accesses do not count as uses. */
    struct apcm_mta t = {.sets = 1, .ways = 2, .max = 15};
    apcm_mta_fill(&t, apcm_mta_place(&t, 1), 1, 0, 1);
    apcm_mta_fill(&t, apcm_mta_place(&t, 2), 2, 0, 1);
    apcm_mta_hit(&t, apcm_mta_find(&t, 1), true, 0);
    apcm_mta_hit(&t, apcm_mta_find(&t, 2), false, 0);
    assert_int_equal(apcm_mta_place(&t, 3)->line, 2);
}

static struct apcm_mta_entry seen(uint8_t first, uint8_t last, uint16_t accesses, uint16_t own)
{
    return (struct apcm_mta_entry){.accesses = accesses, .own = own, .first = first, .last = last, .valid = true};
}

static void cait_is_overwritten_by_larger_counts_only(void **state)
{
    (void)state;
    struct apcm_cait_entry cait[16] = {0};
    struct apcm_mta_entry m = seen(4, APCM_NONE, 1, 1);
    assert_true(apcm_cait_update(cait, &m, 100));
    assert_true(cait[4].valid);
    assert_int_equal(cait[4].method, APCM_BYPASS);
    assert_int_equal(cait[4].last, 4);
    assert_int_equal(cait[4].accesses, 1);
    assert_int_equal(cait[4].decided_at, 100);

    assert_false(apcm_cait_update(cait, &m, 200)); /* equal is not larger */
    assert_int_equal(cait[4].writes, 1);

    m = seen(4, 9, 3, 3);
    assert_true(apcm_cait_update(cait, &m, 300));
    assert_int_equal(cait[4].method, APCM_PROTECT);
    assert_int_equal(cait[4].last, 9);
    assert_int_equal(cait[4].accesses, 3);
    assert_int_equal(cait[4].decided_at, 100);
    assert_int_equal(cait[4].changed_at, 300);

    m = seen(4, APCM_NONE, 2, 1);
    assert_false(apcm_cait_update(cait, &m, 400));
    assert_int_equal(cait[4].method, APCM_PROTECT);
    assert_int_equal(cait[4].last, 9);

    m = seen(4, 4, 5, 2);
    assert_true(apcm_cait_update(cait, &m, 500));
    assert_int_equal(cait[4].method, APCM_NORMAL);
    assert_int_equal(cait[4].type, APCM_MIXED);
    assert_int_equal(cait[4].first_type, APCM_STREAMING);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(cait[i].valid, i == 4);
}

static void psb_has_one_load(void **state)
{
    (void)state;
    struct apcm_psb_entry p = {0};
    assert_true(apcm_psb_admits(&p, 3, 7));
    p = (struct apcm_psb_entry){.set = true, .last = 7};
    assert_true(apcm_psb_admits(&p, 3, 7));  /* further lines of the same protection */
    assert_false(apcm_psb_admits(&p, 3, 3)); /* another load's */
    assert_false(apcm_psb_admits(&p, 7, 7)); /* load 7 in a loop of its own is not "until load 7" */
    p = (struct apcm_psb_entry){.set = true, .loop = true, .last = 7};
    assert_true(apcm_psb_admits(&p, 7, 7));
    assert_false(apcm_psb_admits(&p, 3, 7));
}

static void table_3(void **state)
{
    (void)state;
    /* The paper's machine: 16 KB of 128-byte lines, 48 warps, 32-bit addresses. */
    struct apcm_params p = {
        .load_entries = 16, .mta_entries = 32, .mta_assoc = 1, .mta_requests = 2, .count_bits = 4, .threshold = 8};
    struct apcm_geometry g = {.lines = 128, .warps = 48, .line_bytes = 128, .address_bits = 32};
    struct policy_cost r[POLICY_COSTS];
    assert_int_equal(apcm_storage(&p, &g, r), 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(r[i].bits, r[i].published_bits);
        assert_int_equal(r[i].entries, r[i].published_entries);
    }
    /* Another one: the widths follow. */
    p.load_entries = 32;
    p.mta_entries = 64;
    p.mta_assoc = 64;
    g.address_bits = 40;
    apcm_storage(&p, &g, r);
    assert_int_equal(r[1].bits, 33 + 2 * 5 + 2 * 4); /* no index: the whole line number is the tag */
    assert_int_equal(r[1].entries, 64);
    assert_int_equal(r[2].bits, 12);
    assert_int_equal(r[4].bits, 7);
    p.protect_distance = 64; /* a distance per line instead of a warp, no board */
    apcm_storage(&p, &g, r);
    assert_int_equal(r[0].bits, 4 + 1 + 7);
    assert_int_equal(r[4].bits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_2),          cmocka_unit_test(lat_keeps_the_first_loads),
        cmocka_unit_test(mta_counts),       cmocka_unit_test(mta_geometries),
        cmocka_unit_test(psb_has_one_load), cmocka_unit_test(cait_is_overwritten_by_larger_counts_only),
        cmocka_unit_test(table_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
