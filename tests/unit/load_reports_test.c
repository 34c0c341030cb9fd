/* What several instances of a policy tell about one load becomes one report: each rule of enum load_combine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "gpu/loads.h"

enum { FOUND, DONE, CYCLE, LARGEST, BESIDE, SUM, N };
static const struct load_column columns[N + 1] = {
    [FOUND] = {"found", "found", "", LOAD_TEXT, "what was found", .reuse_type = true},
    [DONE] = {"done", "done", "", LOAD_TEXT, "what was done"},
    [CYCLE] = {"cycle", "cycle", "cycles", LOAD_MEAN, "when"},
    [LARGEST] = {"largest", "largest", "lines", LOAD_MAX, "the largest"},
    [BESIDE] = {"beside", "beside", "", LOAD_WITH_MAX, "what was beside it"},
    [SUM] = {"sum", "sum", "lines", LOAD_SUM, "all of them"},
    [N] = LOAD_COLUMN_END};

/* The state of an instance is the row it gives, about pc 1. */
static void report(const void *st, load_row *row, void *ctx)
{
    row(ctx, 1, st);
    row(ctx, 0, st); /* no memory instruction: left out */
    row(ctx, 9, st); /* not in the kernel: left out */
}

static const struct policy_info policy = {.name = "p", .load_columns = columns, .report_loads = report};
static const struct policy_info silent = {.name = "s"};
static const struct trace_inst insts[2] = {{.mem_index = UINT32_MAX}, {.mem_index = 0}};
static const struct trace_kernel kernel = {.n_inst = 2, .n_mem = 1, .inst = insts};

#define DECIDED(found, done, cycle, largest, beside)                                                                   \
    [FOUND] = {.given = true, .text = found}, [DONE] = {.given = true, .text = done},                                  \
    [CYCLE] = {.given = true, .n = cycle}, [LARGEST] = {.given = true, .n = largest},                                  \
    [BESIDE] = {.given = true, .n = beside}
#define SUMMED(x) [SUM] = {.given = true, .n = x}

static void values_combine_as_declared(void **state)
{
    (void)state;
    static const struct load_value row[][N] = {
        {SUMMED(1)}, /* undecided */
        {DECIDED("streaming", "bypass", 10, 0, 70), SUMMED(2)},
        {DECIDED("intra-warp", "protect", 20, 5, 71), SUMMED(3)},
        {DECIDED("intra-warp", "protect", 60, 5, 72), SUMMED(4)},
    };
    struct gpu_loads *l = gpu_loads_new(4, false, NULL);
    const struct gpu_load_report *r[GPU_REPORTERS];
    unsigned n;
    gpu_loads_begin(l, 2, &kernel);
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        gpu_loads_take(l, &silent, NULL);
        gpu_loads_take(l, &policy, row[i]);
    }
    gpu_loads_end(l);
    assert_ptr_equal(gpu_loads_reporters(l, &n)[0], &policy);
    assert_int_equal(n, 1);
    gpu_loads_reports(l, 0, 0, r);
    assert_null(r[0]); /* another kernel */
    gpu_loads_reports(l, 2, 0, r);
    assert_null(r[1]);
    assert_int_equal(r[0]->reports, 4);
    assert_int_equal(r[0]->decided, 3);
    assert_string_equal(r[0]->verdict[0].text[FOUND], "intra-warp");
    assert_string_equal(r[0]->verdict[0].text[DONE], "protect");
    assert_int_equal(r[0]->verdict[0].reports, 2);
    assert_string_equal(r[0]->verdict[1].text[FOUND], "streaming");
    assert_int_equal(r[0]->verdict[2].reports, 0);
    assert_int_equal(r[0]->n[CYCLE], 90);
    assert_int_equal(r[0]->given[CYCLE], 3);
    assert_int_equal(r[0]->n[LARGEST], 5);
    assert_int_equal(r[0]->n[BESIDE], 71); /* with the first of the largest */
    assert_int_equal(r[0]->n[SUM], 10);
    struct locality_load truth = {.line[LOCALITY_INTRA] = 3, .line[LOCALITY_STREAMING] = 2};
    assert_int_equal(gpu_loads_reuse_text(&policy), FOUND);
    assert_int_equal(gpu_loads_agreeing(r[0], FOUND, &truth), 2);
    gpu_loads_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_combine_as_declared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
