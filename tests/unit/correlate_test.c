/* Counters of a board read from Nsight Compute's files, and weir's kernels matched with them. */
#include "gpu/ncu_names.h"
#include "profile/correlate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
/* after what it needs */
#include <cmocka.h>

#define CYCLES "sm__cycles_elapsed.max"
#define LOADS  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"

static const char raw[] =
    "==PROF== Connected to process 12\n"
    "the program's output, with a \"quote\"\n"
    "\"ID\",\"Kernel Name\",\"" CYCLES "\",\"dram__bytes_read.sum\",\"" LOADS ".sum\",\"" LOADS
    "_lookup_hit.sum\",\"other\"\n"
    "\"\",\"\",\"cycle\",\"Kbyte\",\"sector\",\"sector\",\"\"\n"
    "\"0\",\"void ns::copy<unsigned char, 4>(T1 *, int)\",\"1,000\",\"2.5\",\"100\",\"50\",\"x\"\n"
    "more output\n"
    "\"1\",\"void ns::copy<float, 4>(T1 *, int)\",\"3,000\",\"n/a\",\"100\",\"0\",\"x\"\n"
    "\"2\",\"(anonymous namespace)::sum(float *)\",\"500\",\"0\",\"0\",\"0\",\"x\"\n"
    "\"3\",\"void ns::copy<unsigned char, 4>(T1 *, int)\",\"1,400\",\"0\",\"100\",\"100\",\"x\"\n";

static char path[] = "/tmp/weir-correlate-XXXXXX";

static void put(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static int read_text(struct hw_counters *b, const char *text, struct err *e)
{
    put(text, strlen(text));
    err_clear(e);
    return hw_read(b, path, e);
}

static double value(const struct hw_row *r, const char *metric)
{
    int m = hw_metric(metric);
    assert_true(m >= 0);
    return r->value[m];
}

static void test_raw_page(void **state)
{
    (void)state;
    struct hw_counters b = {0};
    struct err e;
    assert_int_equal(read_text(&b, raw, &e), 0);
    assert_false(b.summed);
    assert_int_equal(b.row.n, 4);
    assert_string_equal(b.row.p[0].kernel, "void ns::copy<unsigned char, 4>(T1 *, int)");
    assert_true(value(&b.row.p[0], CYCLES) == 1000);
    assert_true(value(&b.row.p[0], "dram__bytes_read.sum") == 2500);
    assert_true(isnan(value(&b.row.p[1], "dram__bytes_read.sum")));
    assert_true(isnan(value(&b.row.p[0], "dram__bytes_write.sum")));
    hw_free(&b);
}

static void test_details_page(void **state)
{
    (void)state;
    static const char text[] =
        "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"k(int)\",\"GPU Speed Of Light\",\"Elapsed Cycles\",\"cycle\",\"1,234\"\n"
        "\"0\",\"k(int)\",\"GPU Speed Of Light\",\"Duration\",\"us\",\"1.5\"\n"
        "\"0\",\"k(int)\",\"Memory\",\"unknown\",\"\",\"text\"\n"
        "\"1\",\"k(int)\",\"GPU Speed Of Light\",\"Elapsed Cycles\",\"cycle\",\"99\"\n";
    struct hw_counters b = {0};
    struct err e;
    assert_int_equal(read_text(&b, text, &e), 0);
    assert_int_equal(b.row.n, 2);
    assert_true(value(&b.row.p[0], CYCLES) == 1234);
    assert_true(value(&b.row.p[0], "gpu__time_duration.sum") == 1500);
    assert_true(value(&b.row.p[1], CYCLES) == 99);
    hw_free(&b);
}

static void test_sums(void **state)
{
    (void)state;
    static const char text[] =
        "# a remark\n"
        "program\tkernel\tlaunches\t" CYCLES
        "\n"
        "# another\n"
        "bfs\texpand\t12\t1000\n";
    struct hw_counters b = {0};
    struct err e;
    assert_int_equal(read_text(&b, text, &e), 0);
    assert_true(b.summed);
    assert_int_equal(b.row.n, 1);
    assert_int_equal(b.row.p[0].launches, 12);
    assert_string_equal(b.row.p[0].program, "bfs");
    hw_free(&b);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"", 1, "no Nsight Compute header"},
        {"nothing here\n", 1, "no Nsight Compute header"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n", 1, "no launch"},
        {"\"ID\",\"Kernel Name\",\"what\"\n\"0\",\"k\",\"1\"\n", 1, "none of these metrics"},
        {"\"ID\",\"Kernel\",\"" CYCLES "\"\n", 1, "kernel's name"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"k\"\n", 2, "2 fields, but the header has 3"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"k\",\"12x\"\n", 2, "not a count: 12x"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"k\",\"-1\"\n", 2, "not a count: -1"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"k\",\"1\n", 2, "quote is not closed"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"k\"x,\"1\"\n", 2, "must be a comma"},
        {"\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"\",\"1\"\n", 2, "no name"},
        {"program\tkernel\t" CYCLES "\n", 1, "'launches'"},
        {"program\tkernel\tlaunches\t" CYCLES "\nbfs\tk\t0\t1\n", 2, "number of launches"},
        {"program\tkernel\tlaunches\t" CYCLES "\nbfs\tk\n", 2, "2 fields"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hw_counters b = {0};
        struct err e;
        assert_int_equal(read_text(&b, bad[i].text, &e), -1);
        assert_int_equal(e.line, bad[i].line);
        assert_non_null(strstr(e.msg, bad[i].says));
        hw_free(&b);
    }
    struct hw_counters b = {0};
    struct err e;
    put("a\0b\n", 4);
    assert_int_equal(hw_read(&b, path, &e), -1);
    assert_non_null(strstr(e.msg, "zero byte"));
    assert_int_equal(hw_read(&b, "/nonexistent", &e), -1);
    hw_free(&b);
}

/* Whatever is changed in a file, it is read or refused with a message. */
static void test_mutations(void **state)
{
    (void)state;
    static const char some[] = "\",\n\t#-0 9e\0xID\r";
    uint32_t random = 12345;
    for (int i = 0; i < 500; i++) {
        char text[sizeof raw];
        memcpy(text, raw, sizeof raw);
        size_t n = sizeof raw - 1;
        for (int k = 0; k < 1 + i % 5; k++) {
            random = random * 1664525u + 1013904223u;
            text[(random >> 8) % n] = some[(random >> 4) % (sizeof some - 1)];
        }
        if (i % 3 == 0)
            n = (random >> 10) % n;
        put(text, n);
        struct hw_counters b = {0};
        struct err e;
        err_clear(&e);
        if (hw_read(&b, path, &e))
            assert_true(e.msg[0] != 0);
        else
            assert_true(b.row.n > 0);
        hw_free(&b);
    }
}

static struct run_launch launch(const char *kernel, double cycles, double sectors, double hits)
{
    struct run_launch l = {.kernel = strdup(kernel)};
    for (int m = 0; m < BOARD_METRICS; m++)
        l.value[m] = 0;
    l.value[hw_metric(CYCLES)] = cycles;
    l.value[hw_metric(LOADS ".sum")] = sectors;
    l.value[hw_metric(LOADS "_lookup_hit.sum")] = hits;
    return l;
}

/* Two instances of a template are told apart by order; the launches of each are added. */
static void test_match(void **state)
{
    (void)state;
    struct hw_counters b = {0};
    struct err e;
    assert_int_equal(read_text(&b, raw, &e), 0);
    struct run r = {.program = strdup("p")};
    VEC_PUSH(&r.launch, launch("_ZN2ns4copyIhLi4EEEvPT_i", 900, 100, 100));
    VEC_PUSH(&r.launch, launch("_ZN2ns4copyIfLi4EEEvPT_i", 2700, 10, 0));
    VEC_PUSH(&r.launch, launch("_ZN12_GLOBAL__N_13sumEPf", 1000, 0, 0));
    VEC_PUSH(&r.launch, launch("_ZN2ns4copyIhLi4EEEvPT_i", 1500, 100, 50));
    VEC_PUSH(&r.launch, launch("_ZN2ns4copyIhLi4EEEvPT_i", 99999, 0, 0)); /* not profiled */
    struct correlation c = {0};
    correlate(&c, &b, &r, 1);
    assert_int_equal(c.pair.n, 3);
    assert_int_equal(c.unmatched.n, 0);
    assert_int_equal(c.pair.p[0].launches, 2);
    assert_true(pair_cycles(&c.pair.p[0], true) == 2400 && pair_cycles(&c.pair.p[0], false) == 2400);
    assert_true(pair_l1_hit(&c.pair.p[0], true) == 0.75 && pair_l1_hit(&c.pair.p[0], false) == 0.75);
    assert_true(pair_cycles(&c.pair.p[1], true) == 3000 && pair_cycles(&c.pair.p[1], false) == 2700);
    assert_true(pair_cycles(&c.pair.p[2], true) == 500 && pair_cycles(&c.pair.p[2], false) == 1000);
    assert_true(isnan(pair_l1_hit(&c.pair.p[2], true)));
    struct correlation_summary s = {0};
    for (size_t i = 0; i < c.pair.n; i++)
        summary_add(&s, &c.pair.p[i]);
    summary_finish(&s);
    assert_int_equal(s.n, 3);
    assert_true(fabs(s.error - (0 + 0.1 + 1) / 3) < 1e-12);
    assert_true(fabs(s.factor - exp((log(1 / 0.9) + log(2)) / 3)) < 1e-12);
    assert_int_equal(s.n_l1, 2);
    assert_int_equal(s.l1_within_5, 2);
    correlation_free(&c);
    run_free(&r);
    hw_free(&b);
}

/* A profile with names cut to the function's: the launches of all instances in their order. */
static void test_match_short_names(void **state)
{
    (void)state;
    struct hw_counters b = {0};
    struct err e;
    assert_int_equal(read_text(&b,
                               "\"ID\",\"Kernel Name\",\"" CYCLES "\"\n\"0\",\"copy\",\"1\"\n\"1\",\"copy\",\"2\"\n"
                               "\"2\",\"absent\",\"2\"\n",
                               &e),
                     0);
    struct run r = {.program = strdup("p")};
    VEC_PUSH(&r.launch, launch("_Z4copyIhEvPT_", 10, 0, 0));
    VEC_PUSH(&r.launch, launch("_Z4copyIfEvPT_", 20, 0, 0));
    struct correlation c = {0};
    correlate(&c, &b, &r, 1);
    assert_int_equal(c.pair.n, 1);
    assert_int_equal(c.pair.p[0].launches, 2);
    assert_true(pair_cycles(&c.pair.p[0], true) == 3 && pair_cycles(&c.pair.p[0], false) == 30);
    assert_int_equal(c.unmatched.n, 1);
    correlation_free(&c);
    run_free(&r);
    hw_free(&b);
}

/* A table of sums: the program's own run, and of each kernel as many launches as the table adds up. */
static void test_match_sums(void **state)
{
    (void)state;
    struct hw_counters b = {0};
    struct err e;
    assert_int_equal(
        read_text(&b, "program\tkernel\tlaunches\t" CYCLES "\na\tk\t2\t30\nb\tk\t1\t7\nb\tother\t1\t5\n", &e), 0);
    struct run r[2] = {{.program = strdup("b")}, {.program = strdup("a")}};
    VEC_PUSH(&r[0].launch, launch("_Z1kv", 8, 0, 0));
    for (int i = 0; i < 3; i++)
        VEC_PUSH(&r[1].launch, launch("_Z1kv", 10, 0, 0));
    struct correlation c = {0};
    correlate(&c, &b, r, 2);
    assert_int_equal(c.pair.n, 2);
    assert_string_equal(c.pair.p[0].program, "a");
    assert_true(pair_cycles(&c.pair.p[0], false) == 20);
    assert_true(pair_cycles(&c.pair.p[1], false) == 8);
    assert_int_equal(c.unmatched.n, 1);
    struct pair whole = pair_sum(&c, "a");
    assert_true(pair_cycles(&whole, true) == 30);
    correlation_free(&c);
    run_free(&r[0]);
    run_free(&r[1]);
    hw_free(&b);
}

static double stat(void *ctx, const char *name)
{
    (void)ctx;
    return !strcmp(name, "cycles") ? 1980 : !strcmp(name, "a") ? 8 : !strcmp(name, "b") ? 2 : NAN;
}

static void test_names(void **state)
{
    (void)state;
    const struct ncu_metric difference = {"x", "", "a-b", NULL, 1}, rate = {"y", "%", "b", "a", 100},
                            none = {"z", "", "a", "b-b", 1}, missing = {"w", "", "a+c", NULL, 1};
    assert_true(ncu_value(&difference, 1, stat, NULL) == 6);
    assert_true(ncu_value(&rate, 1, stat, NULL) == 25);
    assert_true(isnan(ncu_value(&none, 1, stat, NULL)));
    assert_true(isnan(ncu_value(&missing, 1, stat, NULL)));
    const struct ncu_metric *time = &ncu_metrics[hw_metric("gpu__time_duration.sum")];
    assert_true(fabs(ncu_value(time, 1.98e9, stat, NULL) - 1000) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw_page),   cmocka_unit_test(test_details_page),      cmocka_unit_test(test_sums),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_mutations),         cmocka_unit_test(test_match),
        cmocka_unit_test(test_match_sums), cmocka_unit_test(test_match_short_names), cmocka_unit_test(test_names),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
