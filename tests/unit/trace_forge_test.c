/* trace/: recordings whose checksums are right and whose contents lie. Each lie is refused when the file is opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../fuzz/trace_forge.h"
#include "trace/file.h"

#include <stdio.h>

/* The frames of the fuzzer's corpus: a real recording of two launches. */
static struct forge base(void)
{
    struct forge f = {0};
    byte_vec in = {0};
    FILE *file = fopen(getenv("WEIR_TRACE_SEED"), "rb");
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        put_le(&in, (uint64_t)c, 1);
    fclose(file);
    struct byte_reader r = {in.p + 1, in.p + in.n, false};
    while (reader_left(&r)) {
        const enum frame_kind kind = (enum frame_kind)get_le(&r, 1);
        const size_t n = (size_t)get_le(&r, 4);
        forge_add(&f, kind, get_bytes(&r, n), n);
    }
    VEC_FREE(&in);
    return f;
}

/* Opens what was forged and frees it: what the reader says, "" = nothing. */
static const char *verdict(struct forge *f)
{
    static struct err e;
    byte_vec out = {0};
    forge_write(f, &out);
    err_clear(&e);
    struct trace_file *file = trace_open_mem(out.p, out.n, "forged.wt", &e);
    trace_close(file);
    VEC_FREE(&out);
    forge_free(f);
    return file ? "" : e.msg;
}

#define assert_says(f, text)                                                                                           \
    do {                                                                                                               \
        const char *said = verdict(f);                                                                                 \
        if (!strstr(said, text))                                                                                       \
            fail_msg("expected '%s', it said '%s'", text, said);                                                       \
    } while (0)

static void unchanged_recording_is_read(void **state)
{
    (void)state;
    struct forge f = base();
    assert_string_equal(verdict(&f), "");
}

enum { TABLE_N_LOOP = 2, TABLE_N_MEM = 5, TABLE_N_SCOREBOARD };

static void counts_of_tables(void **state)
{
    (void)state;
    static const struct {
        unsigned field;
        uint64_t value;
        const char *says;
    } lie[] = {
        {TABLE_N_MEM, UINT32_MAX, "more memory instructions than instructions"},
        {TABLE_N_MEM, 0, "number is not below their count"},
        {TABLE_N_SCOREBOARD, UINT32_MAX, "more registers than numbers"},
        {TABLE_N_SCOREBOARD, 65537, "more registers than numbers"},
        {TABLE_N_SCOREBOARD, 1, "not below the scoreboard"},
        {TABLE_N_LOOP, UINT32_MAX, "ends early"},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        struct forge f = base();
        byte_vec *table = forge_raw(&f, FRAME_KERNEL);
        forge_set_var(table, forge_table_field(table, lie[i].field), lie[i].value);
        assert_says(&f, lie[i].says);
    }
}

enum { EVENT_INDEX = 2, LAUNCH_GRID = 1, CHUNK_SEQ_LAST = 1, CHUNK_BYTES = 3, CHUNK_INSTS = 4 };

/* The n-th event that is a launch. */
static unsigned launch_event(const byte_vec *journal, unsigned n)
{
    for (unsigned k = 0;; k++) {
        const size_t at = forge_record(journal, JRN_EVENT, k, 0);
        assert_true(at != SIZE_MAX);
        if (journal->p[at] == TRACE_EV_LAUNCH && !n--)
            return k;
    }
}

static void numbers_in_the_journal(void **state)
{
    (void)state;
    static const struct {
        unsigned record, n, field;
        uint64_t value;
        const char *says;
    } lie[] = {
        {JRN_EVENT, 0, EVENT_INDEX, 1000, "not announced in order"},
        {JRN_EVENT, 0, EVENT_INDEX, UINT32_MAX, "not announced in order"},
        {JRN_EVENT, 1, EVENT_INDEX, 0, "not announced in order"},
        {JRN_LAUNCH, 0, LAUNCH_GRID, 1u << 30, "incomplete: launch 0"},
        {JRN_LAUNCH, 1, LAUNCH_GRID + 1, 2, "incomplete: launch 1"},
        {JRN_LAUNCH, 0, LAUNCH_GRID, 3, "outside its grid"},
        {JRN_CHUNK, 1, CHUNK_SEQ_LAST, 0, "incomplete: launch 0"},
        {JRN_CHUNK, 0, CHUNK_BYTES, 0, "too short"},
        {JRN_CHUNK, 0, CHUNK_INSTS, 1ull << 40, "more instructions than it can hold"},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        struct forge f = base();
        byte_vec *journal = forge_raw(&f, FRAME_JOURNAL);
        const unsigned n = lie[i].record == JRN_EVENT ? launch_event(journal, lie[i].n) : lie[i].n;
        const size_t at = forge_record(journal, lie[i].record, n, lie[i].field);
        assert_true(at != SIZE_MAX);
        forge_set_var(journal, at, lie[i].value);
        assert_says(&f, lie[i].says);
    }
}

/* What a program that failed in the middle of a kernel used to leave. */
static void launch_without_end(void **state)
{
    (void)state;
    struct forge f = base();
    byte_vec *journal = forge_raw(&f, FRAME_JOURNAL);
    assert_int_equal(journal->p[journal->n - 1], JRN_LAUNCH_END);
    journal->n--;
    assert_says(&f, "has not ended");

    f = base();
    journal = forge_raw(&f, FRAME_JOURNAL);
    put_le(journal, JRN_LAUNCH_END, 1);
    assert_says(&f, "ends that has not begun");
}

/* Many equal records are a few bytes behind zstd; the reader does not make room for all of them. */
static void small_file_with_endless_records(void **state)
{
    (void)state;
    struct forge f = base();
    byte_vec more = {0};
    const uint8_t event[] = {JRN_EVENT, TRACE_EV_MEMSET, 0, 0, 0, 0, 0};
    while (more.n + sizeof event < 20u << 20) /* 3 million of them in 2 KB */
        put_bytes(&more, event, sizeof event);
    forge_add(&f, FRAME_JOURNAL, more.p, more.n);
    VEC_FREE(&more);
    assert_says(&f, "more events than a file of its size can have");
}

static void table_that_unpacks_to_much(void **state)
{
    (void)state;
    struct forge f = base();
    byte_vec zeros = {0};
    for (unsigned i = 0; i < 8u << 20; i++)
        put_le(&zeros, 0, 1);
    forge_add(&f, FRAME_KERNEL, zeros.p, zeros.n);
    VEC_FREE(&zeros);
    assert_says(&f, "impossible frame");
}

static void origins(void **state)
{
    (void)state;
    static const uint8_t good[] = "\0050.1.0\006gtx480";
    struct forge f = base();
    forge_add(&f, FRAME_ORIGIN, good, sizeof good - 1);
    assert_string_equal(verdict(&f), "");
    f = base();
    forge_add(&f, FRAME_ORIGIN, good, sizeof good - 1);
    forge_add(&f, FRAME_ORIGIN, good, sizeof good - 1);
    assert_says(&f, "more than one origin");
    f = base();
    forge_add(&f, FRAME_ORIGIN, good, 6);
    assert_says(&f, "the origin is no version and machine");
    f = base();
    forge_add(&f, FRAME_ORIGIN, good, sizeof good);
    assert_says(&f, "the origin is no version and machine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_recording_is_read),
        cmocka_unit_test(counts_of_tables),
        cmocka_unit_test(numbers_in_the_journal),
        cmocka_unit_test(launch_without_end),
        cmocka_unit_test(small_file_with_endless_records),
        cmocka_unit_test(table_that_unpacks_to_much),
        cmocka_unit_test(origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
