/* sm/coalesce: the fast paths against the definition, byte by byte; shared-memory passes against a plain count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "sm/coalesce.h"

static uint64_t seed = 1;
static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33);
}

/* Which bytes of which lines are touched, by the definition. */
struct touched {
    uint64_t line[256];
    uint8_t byte[256][128];
    unsigned n;
};

static void touch(struct touched *t, uint64_t addr, unsigned line_bytes)
{
    uint64_t line = addr & ~(uint64_t)(line_bytes - 1);
    unsigned i = 0;
    while (i < t->n && t->line[i] != line)
        i++;
    if (i == t->n) {
        t->line[t->n++] = line;
        memset(t->byte[i], 0, sizeof t->byte[i]);
    }
    t->byte[i][addr - line] = 1;
}

static void compare(const struct touched *t, const struct line_access *out, unsigned n, unsigned line_bytes)
{
    assert_int_equal(n, t->n);
    for (unsigned i = 0; i < n; i++) {
        uint32_t words = 0;
        unsigned bytes = 0;
        bool partial = false;
        assert_int_equal(out[i].addr, t->line[i]); /* in the order of the lanes */
        for (unsigned w = 0; w < line_bytes / 4; w++) {
            unsigned in_word = 0;
            for (unsigned b = 0; b < 4; b++)
                in_word += t->byte[i][4 * w + b];
            words |= (uint32_t)(in_word != 0) << w;
            partial |= in_word && in_word != 4;
            bytes += in_word;
        }
        assert_int_equal(out[i].words, words);
        assert_int_equal(out[i].bytes, bytes);
        assert_int_equal(out[i].partial, partial);
    }
}

static void fill(struct stream_mem *m, unsigned width, unsigned kind)
{
    static const int64_t strides[] = {0, 1, 2, 4, 8, 12, 16, 64, 128, 132, -4, 1000};
    memset(m, 0, sizeof *m);
    m->mask = rnd() % 3 ? ~0u : rnd() | 1u << rnd() % 32;
    uint64_t base = 0x100000 + (uint64_t)(rnd() % 4096) * width;
    m->affine = kind == 0;
    m->group = kind == 0 ? 32 : kind == 1 ? (uint8_t)(2u << rnd() % 4) : 0;
    m->pitch = kind == 1 ? (int64_t)((rnd() % 3 ? rnd() % 64 : 0) * width) - 16 * (int64_t)width : 0;
    m->base = base;
    m->stride = rnd() % 2 ? (int64_t)width : strides[rnd() % 12] * (width > 4 ? width / 4 : 1);
    if (m->stride % (int64_t)width)
        m->stride = (int64_t)width;
    for (int i = 0; i < 32; i++) {
        if (kind < 2) /* the rows of a tile are affine, too */
            m->addr[i] = base + (uint64_t)(i % m->group * m->stride + i / m->group * m->pitch);
        else
            m->addr[i] = 0x100000 + (uint64_t)(rnd() % 2048) * width;
    }
}

static void lines_are_those_of_the_definition(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 4, 8, 16, 32};
    for (int round = 0; round < 20000; round++) {
        unsigned width = widths[rnd() % 6], line_bytes = rnd() % 2 ? 128 : rnd() % 2 ? 64 : 32;
        struct stream_mem m;
        struct line_access out[COALESCE_MAX];
        struct touched t = {.n = 0};
        fill(&m, width, rnd() % 3);
        for (int i = 0; i < 32; i++)
            for (unsigned b = 0; m.mask >> i & 1 && b < width; b++)
                touch(&t, m.addr[i] + b, line_bytes);
        compare(&t, out, coalesce(&m, width, line_bytes, false, out), line_bytes);
    }
}

/* Segments: the lines of the definition, cut at 32 bytes for bytes and at 64 for half words. */
static void segments_are_cut_by_width(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 4, 8};
    for (int round = 0; round < 5000; round++) {
        unsigned width = widths[rnd() % 4], segment = width == 1 ? 32 : width == 2 ? 64 : 128;
        struct stream_mem m;
        struct line_access out[COALESCE_MAX];
        struct touched t = {.n = 0};
        fill(&m, width, rnd() % 3);
        for (int i = 0; i < 32; i++)
            for (unsigned b = 0; m.mask >> i & 1 && b < width; b++)
                touch(&t, m.addr[i] + b, segment);
        unsigned n = coalesce_segments(&m, width, 128, false, out);
        for (unsigned i = 0; i < n && i < t.n; i++) { /* the line, and where in it the segment lies */
            unsigned offset = (unsigned)(t.line[i] & 127);
            assert_int_equal(out[i].addr, t.line[i] - offset);
            assert_in_range(out[i].first, offset, offset + segment - 1);
            out[i].addr += offset;
            out[i].words >>= offset / 4;
        }
        compare(&t, out, n, segment);
    }
}

static void a_segment_is_aligned_and_holds_all(void **state)
{
    (void)state;
    static const uint8_t segment[16] = {0, 1, 2, 3, 4, 15, 15, 15, 8, 15, 15, 15, 12, 15, 15, 15};
    for (uint8_t s = 0; s < 16; s++)
        assert_int_equal(coalesce_segment_of(s), segment[s]);
}

static void misaligned_lanes_are_taken_as_they_are(void **state)
{
    (void)state;
    struct stream_mem m = {.mask = 3, .addr = {0x107e, 0x1000}};
    struct line_access out[COALESCE_MAX];
    struct touched t = {.n = 0};
    for (int i = 0; i < 2; i++)
        for (unsigned b = 0; b < 4; b++)
            touch(&t, m.addr[i] + b, 128);
    unsigned n = coalesce(&m, 4, 128, false, out);
    assert_int_equal(n, 2);
    assert_int_equal(out[0].words, 1u << 31 | 1);
    assert_int_equal(out[1].addr, 0x1080);
    assert_int_equal(out[1].words, 1);
}

static void atomics_of_one_word_are_apart(void **state)
{
    (void)state;
    struct stream_mem m = {.mask = ~0u};
    struct line_access out[COALESCE_MAX];
    for (int i = 0; i < 32; i++)
        m.addr[i] = 0x1000 + (uint64_t)(i % 4) * 4; /* eight lanes to each of four words */
    assert_int_equal(coalesce(&m, 4, 128, true, out), 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(out[i].words, 15);
}

static void local_words_lie_side_by_side(void **state)
{
    (void)state;
    struct stream_mem m = {.mask = ~0u};
    struct line_access out[COALESCE_MAX];
    for (int i = 0; i < 32; i++)
        m.addr[i] = 40;
    assert_int_equal(coalesce_local(&m, 8, 128, 64, 1024, 0, out), 2);
    assert_int_equal(out[0].addr, (10 * 1024 + 64) * 4);
    assert_int_equal(out[1].addr, (11 * 1024 + 64) * 4);
    assert_int_equal(out[0].words, ~0u);
    for (int i = 0; i < 32; i++)
        m.addr[i] = 4 * (uint64_t)i; /* every lane another word: no two share a line */
    assert_int_equal(coalesce_local(&m, 4, 128, 64, 1024, 0, out), 32);
}

/* Passes by the definition: per group of lanes, the most distinct words of any bank. */
static unsigned plain_passes(const struct stream_mem *m, unsigned width, bool atomic, bool pairs)
{
    unsigned words = (width + 3) / 4, lanes = words == 1 ? 32 : words == 2 ? 16 : words <= 4 ? 8 : 4, total = 0;
    for (unsigned other = 1; pairs && words > 1 && other <= 2; other++) {
        bool all = true;
        for (unsigned i = 0; i < 32; i++)
            all &= !(m->mask >> i & m->mask >> (i ^ other) & 1) || m->addr[i] == m->addr[i ^ other];
        if (all) {
            lanes *= 2;
            break;
        }
    }
    for (unsigned g = 0; g < 32; g += lanes) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            uint64_t seen[256];
            unsigned n = 0;
            for (unsigned i = g; i < g + lanes; i++)
                for (unsigned w = 0; m->mask >> i & 1 && w < words; w++) {
                    uint64_t word = (m->addr[i] >> 2) + w;
                    bool known = false;
                    for (unsigned k = 0; k < n; k++)
                        known |= seen[k] == word;
                    if (word % 32 == bank && (!known || atomic))
                        seen[n++] = word;
                }
            most = n > most ? n : most;
        }
        total += most;
    }
    return total;
}

static void passes_are_those_of_the_definition(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 4, 8, 16};
    for (int round = 0; round < 5000; round++) {
        unsigned width = widths[rnd() % 5];
        bool atomic = width == 4 && rnd() % 4 == 0;
        struct stream_mem m;
        fill(&m, width, rnd() % 3);
        if (round % 3 == 0) /* neighbors, or every other lane, at one address */
            for (unsigned i = 0; i < 32; i++)
                m.addr[i] = m.addr[i & ~(1u << round % 2)];
        m.affine &= round % 3 != 0;
        const bool pairs = round % 2 == 0;
        assert_int_equal(smem_passes(&m, width, 32, atomic, pairs), plain_passes(&m, width, atomic, pairs));
    }
}

/* wide_shared on an H200 (silicon/probes/h200_front.tsv): `rows` of 16 bytes, wanted by neighbors or by lanes far apart. */
static void wide_loads_take_the_boards_passes(void **state)
{
    (void)state;
    static const struct {
        unsigned width, rows, near, apart;
    } cases[] = {{16, 1, 2, 2}, {16, 2, 2, 2}, {16, 4, 2, 4}, {16, 16, 2, 4}, {16, 32, 4, 4}, {8, 1, 1, 1},
                 {8, 2, 1, 1},  {8, 4, 1, 2},  {8, 8, 1, 2},  {8, 16, 2, 4},  {8, 32, 4, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned apart = 0; apart < 2; apart++) {
            struct stream_mem m = {.mask = ~0u};
            for (unsigned l = 0; l < 32; l++)
                m.addr[l] = 16 * (apart ? l % cases[k].rows : l * cases[k].rows / 32);
            assert_int_equal(smem_passes(&m, cases[k].width, 32, false, true), apart ? cases[k].apart : cases[k].near);
        }
}

static void banks_of_lines_are_counted(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[4];
        unsigned n, passes;
    } known[] = {{{~0u}, 1, 1}, {{1, 2, 4, 8}, 4, 1}, {{1, 1, 1, 1}, 4, 4}, {{~0u, ~0u, 0xff}, 3, 3}, {{3, 6}, 2, 2}};
    struct line_access line[COALESCE_MAX] = {0};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        for (unsigned k = 0; k < known[i].n; k++)
            line[k].words = known[i].words[k];
        assert_int_equal(data_passes(line, known[i].n), known[i].passes);
    }
    for (int round = 0; round < 2000; round++) {
        unsigned n = 1 + rnd() % (round % 10 ? 32 : COALESCE_MAX), count[32] = {0}, most = 0;
        for (unsigned k = 0; k < n; k++) {
            line[k].words = round % 3 ? (uint32_t)rnd() & (uint32_t)rnd() : 1u << rnd() % 4;
            for (unsigned b = 0; b < 32; b++)
                count[b] += line[k].words >> b & 1;
        }
        for (unsigned b = 0; b < 32; b++)
            most = count[b] > most ? count[b] : most;
        assert_int_equal(data_passes(line, n), most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_the_definition),  cmocka_unit_test(segments_are_cut_by_width),
        cmocka_unit_test(a_segment_is_aligned_and_holds_all), cmocka_unit_test(misaligned_lanes_are_taken_as_they_are),
        cmocka_unit_test(atomics_of_one_word_are_apart),      cmocka_unit_test(local_words_lie_side_by_side),
        cmocka_unit_test(passes_are_those_of_the_definition), cmocka_unit_test(wide_loads_take_the_boards_passes),
        cmocka_unit_test(banks_of_lines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
