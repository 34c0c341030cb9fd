/*
 * Copies that are larger than the L2 skip their middle: what they leave must be what the same copy leaves line by line,
 * for random contents of the cache, with kernels' lines, reserved ways and copies of the other partition's lines in it.
 * Compared are each set's lines from the least recently used on, with all their bits, and the statistic.
 */
#include "l2/l2_priv.h"
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { TRIALS = 400, LINE = 128 };

static uint32_t random_below(uint64_t *x, uint32_t n)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*x >> 33) % n;
}

struct entry {
    uint64_t line, used;
    uint8_t valid, dirty, pending, flags;
};

/* The lines of a set in the order of their use; returns their number. */
static uint32_t in_order(const struct tags *t, uint32_t set, struct entry out[64])
{
    uint32_t n = 0;
    for (uint32_t k = set * t->n_way; k < (set + 1) * t->n_way; k++) {
        if (t->line[k] == TAG_NONE)
            continue;
        uint32_t at = n++;
        for (; at && out[at - 1].used > t->used[k]; at--)
            out[at] = out[at - 1];
        out[at] = (struct entry){t->line[k], t->used[k], t->valid[k], t->dirty[k], t->pending[k], t->flags[k]};
    }
    for (uint32_t i = 0; i < n; i++)
        out[i].used = 0;
    return n;
}

static uint64_t preloaded(const struct memsys *m, uint32_t n_slice)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n_slice; i++)
        sum += m->l2[i]->stats.preloaded;
    return sum;
}

/* Lines that kernels used, wrote or are fetching, and ways that are empty. */
static void disturb(struct l2 *l2, uint64_t seed)
{
    struct tags *t = &l2->tags;
    for (uint32_t k = 0; k < tags_entries(t); k++) {
        const uint32_t what = random_below(&seed, 8);
        if (t->line[k] == TAG_NONE)
            continue;
        if (what < 3)
            t->flags[k] = 0;
        if (what == 2 || what == 3)
            t->dirty[k] = 1;
        if (what == 4 && random_below(&seed, 3) == 0)
            t->pending[k] = 2;
        if (what == 5)
            tags_drop(t, k);
    }
}

static void line_by_line(struct memsys *m, uint32_t n_slice, uint64_t addr, uint64_t bytes, bool by_kernel)
{
    for (uint64_t a = addr & ~(uint64_t)(LINE - 1); a < addr + bytes; a += LINE)
        l2_preload(m->l2, n_slice, a, LINE, by_kernel);
}

static void skips_exactly(void **state)
{
    (void)state;
    uint64_t x = 1, full = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        char text[256];
        const bool partitioned = random_below(&x, 2);
        const uint32_t n_channel = partitioned ? 2u << random_below(&x, 2) : 1 + random_below(&x, 3);
        const uint32_t slices = 1 + random_below(&x, 2), n_slice = n_channel * slices;
        snprintf(
            text, sizeof text,
            "[l2]\nsize = %uKiB\nassoc = 4\npartitions = %d\ncopy_ways = %u\ncopy_dirty_ways = %u\nset_hash = %s\n",
            2 << random_below(&x, 2), partitioned ? 2 : 1, random_below(&x, 5), random_below(&x, 3),
            random_below(&x, 2) ? "xor" : "linear");
        const struct memsys_config c = {
            .n_sm = 1, .n_channel = n_channel, .slices = slices, MEMSYS_1GHZ, .config = text};
        struct memsys *m[2] = {memsys_new(&c), memsys_new(&c)};
        const uint64_t before = x;
        for (int i = 0; i < 2; i++) {
            uint64_t y = before;
            for (int n = 0; n < 6; n++)
                line_by_line(m[i], n_slice, random_below(&y, 1 << 18), 1 + random_below(&y, 1 << 14),
                             random_below(&y, 2));
            for (uint32_t s = 0; s < n_slice; s++)
                disturb(m[i]->l2[s], y + s);
            for (int n = 0; n < 2; n++) {
                const uint64_t addr = random_below(&y, 1 << 17), bytes = 1 + random_below(&y, 1 << 18);
                const bool by_kernel = random_below(&y, 2);
                if (i)
                    line_by_line(m[i], n_slice, addr, bytes, by_kernel);
                else
                    l2_preload(m[i]->l2, n_slice, addr, bytes, by_kernel);
            }
            x = y;
        }
        assert_int_equal(preloaded(m[0], n_slice), preloaded(m[1], n_slice));
        for (uint32_t s = 0; s < n_slice; s++)
            for (uint32_t set = 0; set < m[0]->l2[s]->tags.n_set; set++) {
                struct entry a[64], b[64];
                memset(a, 0, sizeof a);
                memset(b, 0, sizeof b);
                const uint32_t n = in_order(&m[0]->l2[s]->tags, set, a);
                assert_int_equal(in_order(&m[1]->l2[s]->tags, set, b), n);
                assert_memory_equal(a, b, sizeof a);
                full += n == 4;
            }
        for (int i = 0; i < 2; i++)
            memsys_free(m[i]);
    }
    assert_true(full > TRIALS);
}

/* A copy of a terabyte takes no longer than one of twice the cache; a walk over its lines would take minutes. */
static void huge(void **state)
{
    (void)state;
    const struct memsys_config c = {.n_sm = 1, .n_channel = 6, .slices = 2, MEMSYS_1GHZ};
    struct memsys *m = memsys_new(&c);
    for (int i = 0; i < 1000; i++)
        l2_preload(m->l2, 12, 0x1000, 1ull << 40, i & 1);
    assert_int_equal(preloaded(m, 12), 1000 * (1ull << 33));
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(skips_exactly), cmocka_unit_test(huge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
