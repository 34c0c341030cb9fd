/*
 * Sampled simulation (gpu/sampled.h) against the whole: launches that are alike, launches whose rate changes, one long
 * launch, what may not be sampled, the L2 behind skipped launches, and two policies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "gpu/replay.h"
#include "engine/stats.h"
#include "synth_file.h"

#include <math.h>
#include <stdlib.h>

#define ALL  UINT32_MAX
#define LINE 128ull
enum { MATH = 40 };

/* A load, arithmetic that waits for it, a store. */
struct kernel {
    struct synth s;
    uint32_t load, math, store;
    uint64_t first_line;     /* of this launch */
    uint32_t lines;          /* that the lanes of one load touch */
    uint32_t repeats, wraps; /* loads of a warp; lines that all warps share, 0 = each has its own */
};

static void act(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct kernel *k = ctx;
    const uint64_t number = (cta * trace_warps_per_cta(&s->launch) + warp) * k->repeats;
    for (uint32_t i = 0; i < k->repeats; i++) {
        const uint64_t at = k->wraps ? (number * 7 + i * 13) % k->wraps : number + i;
        const uint64_t line = k->first_line + at * k->lines;
        synth_affine(s, k->load, ALL, TRACE_SP_GLOBAL, line * LINE, (int64_t)(k->lines * LINE / 32));
        synth_do(s, k->math, MATH, ALL);
        synth_affine(s, k->store, ALL, TRACE_SP_GLOBAL, line * LINE, 4);
    }
}

static void make(struct kernel *k, uint32_t number, uint32_t ctas)
{
    *k = (struct kernel){.lines = 1, .repeats = 1};
    synth_init(&k->s, ctas, 64, act, k);
    k->s.launch.kernel = number;
    k->load = synth_mem_inst(&k->s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(0));
    k->math = synth_inst(&k->s, TRACE_FP_MAD, REGS(2), REGS(1, 2));
    for (unsigned i = 1; i < MATH; i++)
        synth_inst(&k->s, TRACE_FP_MAD, REGS(2), REGS(1, 2));
    k->store = synth_mem_inst(&k->s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(0, 2));
    synth_seal(&k->s);
}

/* A finished simulation. error: 0 = of everything. */
struct result {
    struct gpu *g;
    const struct gpu_results *r;
};
static struct result simulate(struct trace_file *f, double error, const char *with)
{
    static const char *const set[] = {"machine.sms=4"};
    const struct gpu_opts o = {.machine = "gtx480", .set = set, .n_set = 1, .with = with, .sampled = error};
    struct err e;
    struct result x = {.g = gpu_new(&o, &e)};
    if (!x.g)
        fail_msg("%s", e.msg);
    assert_int_equal(gpu_replay(x.g, f, &e), GPU_DONE);
    if (gpu_finish(x.g, true, &e))
        fail_msg("%s", e.msg);
    x.r = gpu_get_results(x.g);
    return x;
}

static double of(const struct result *x, const char *name)
{
    const int at = stats_find(x->r->stats, name);
    assert_true(at >= 0);
    return stats_value(x->r->stats, x->r->total, (unsigned)at);
}
static double half(const struct result *x, const char *name)
{
    return x->r->sampled->half[stats_find(x->r->stats, name)];
}

static void assert_near(double is, double should_be, double relative)
{
    if (fabs(is - should_be) > relative * fabs(should_be))
        fail_msg("%g is not within %g%% of %g", is, 100 * relative, should_be);
}

static void test_equal_launches(void **state)
{
    (void)state;
    struct recording r;
    struct kernel k;
    make(&k, 0, 8);
    record_begin(&r);
    for (int i = 0; i < 200; i++)
        record_launch(&r, &k.s);
    struct trace_file *f = record_end(&r);
    struct result whole = simulate(f, 0, NULL), part = simulate(f, 0.02, NULL);
    assert_null(whole.r->sampled);
    assert_int_equal(part.r->sampled->launches, 200);
    assert_true(part.r->sampled->launches_simulated < 25);
    assert_near(part.r->sampled->share, part.r->sampled->launches_simulated / 200.0, 1e-9);
    for (const char *const *name = (const char *const[]){"launches", "warp_insts", "thread_insts", "sm.ctas", NULL};
         *name; name++)
        assert_true(of(&part, *name) == of(&whole, *name));
    assert_near(of(&part, "cycles"), of(&whole, "cycles"), 0.001);
    assert_true(half(&part, "cycles") < 0.001 * of(&part, "cycles"));
    assert_int_equal(part.r->n_kernel, 200);
    assert_true(part.r->kernel[0].simulated == 1 && part.r->kernel[100].simulated == 0);
    assert_near((double)gpu_time_ns(part.g), (double)gpu_time_ns(whole.g), 0.001);
    gpu_free(whole.g);
    gpu_free(part.g);
    trace_close(f);
    synth_free(&k.s);
}

/* From launch 60 on a load touches four lines instead of one; from 61 on nothing of that can be foreseen. */
static void test_phases(void **state)
{
    (void)state;
    struct recording r;
    struct kernel k;
    make(&k, 0, 16);
    record_begin(&r);
    for (int i = 0; i < 120; i++) {
        k.lines = i < 60 ? 1 : 4;
        record_launch(&r, &k.s);
    }
    struct trace_file *f = record_end(&r);
    struct result whole = simulate(f, 0, NULL), part = simulate(f, 0.02, NULL);
    assert_true(part.r->sampled->share < 0.5);
    assert_near(of(&part, "cycles"), of(&whole, "cycles"), 0.05);
    assert_near(of(&part, "l1.accesses"), of(&whole, "l1.accesses"), 0.05);
    gpu_free(whole.g);
    gpu_free(part.g);
    trace_close(f);
    synth_free(&k.s);
}

static void test_long_launch(void **state)
{
    (void)state;
    struct recording r;
    struct kernel k;
    make(&k, 0, 12000);
    k.repeats = 4;
    record_begin(&r);
    record_launch(&r, &k.s);
    struct trace_file *f = record_end(&r);
    struct result whole = simulate(f, 0, NULL), part = simulate(f, 0.02, NULL), again = simulate(f, 0.02, NULL);
    assert_int_equal(part.r->sampled->launches_simulated, 1);
    assert_true(part.r->sampled->share < 0.7 && part.r->kernel[0].simulated == part.r->sampled->share);
    assert_true(of(&part, "sm.ctas") == 12000);
    assert_near(of(&part, "warp_insts"), of(&whole, "warp_insts"), 1e-6);
    assert_near(of(&part, "cycles"), of(&whole, "cycles"), 0.04);
    assert_near(of(&part, "dram.reads"), of(&whole, "dram.reads"), 0.05);
    assert_true(half(&part, "cycles") > 0);
    assert_memory_equal(part.r->total, again.r->total, stats_count(part.r->stats) * sizeof *part.r->total);
    assert_memory_equal(part.r->sampled->half, again.r->sampled->half, stats_count(part.r->stats) * sizeof(double));
    gpu_free(whole.g);
    gpu_free(part.g);
    gpu_free(again.g);
    trace_close(f);
    synth_free(&k.s);
}

/* Launches of different shapes, and a long one that stands still under no tolerance: everything is simulated. */
static void test_nothing_to_sample(void **state)
{
    (void)state;
    struct recording r;
    struct kernel k[5];
    record_begin(&r);
    for (uint32_t i = 0; i < 5; i++) {
        make(&k[i], i, i == 4 ? 3000 : 10 + 7 * i);
        k[i].wraps = i == 4 ? 97 : 0;
        record_launch(&r, &k[i].s);
    }
    struct trace_file *f = record_end(&r);
    struct result whole = simulate(f, 0, NULL), part = simulate(f, 1e-9, NULL);
    assert_true(part.r->sampled->share == 1);
    assert_int_equal(part.r->sampled->launches_whole, 5);
    assert_memory_equal(part.r->total, whole.r->total, stats_count(whole.r->stats) * sizeof *whole.r->total);
    for (unsigned i = 0; i < 5; i++) {
        assert_true(part.r->kernel[i].start_cycle == whole.r->kernel[i].start_cycle);
        assert_memory_equal(part.r->kernel[i].value, whole.r->kernel[i].value,
                            stats_count(whole.r->stats) * sizeof *whole.r->total);
    }
    assert_true(half(&part, "cycles") == 0);
    gpu_free(whole.g);
    gpu_free(part.g);
    trace_close(f);
    for (uint32_t i = 0; i < 5; i++)
        synth_free(&k[i].s);
}

/* Each launch of the first kernel leaves lines in the L2 that the second one's next launch finds there. */
static void test_warm_l2(void **state)
{
    (void)state;
    struct recording r;
    struct kernel writes, reads;
    make(&writes, 0, 64);
    make(&reads, 1, 64);
    record_begin(&r);
    for (uint64_t i = 0; i < 83; i++) {
        writes.first_line = reads.first_line = i * 4096;
        record_launch(&r, &writes.s);
        if (i >= 3) /* so that other launches of it are skipped */
            record_launch(&r, &reads.s);
    }
    struct trace_file *f = record_end(&r);
    struct result whole = simulate(f, 0, NULL), part = simulate(f, 0.02, NULL);
    assert_true(part.r->sampled->share < 0.4);
    assert_near(of(&part, "cycles"), of(&whole, "cycles"), 0.02);
    assert_near(of(&part, "l2.misses"), of(&whole, "l2.misses"), 0.02);
    assert_near(of(&part, "dram.reads"), of(&whole, "dram.reads"), 0.02);
    gpu_free(whole.g);
    gpu_free(part.g);
    trace_close(f);
    synth_free(&writes.s);
    synth_free(&reads.s);
}

/* A kernel that thrashes the L1: what protecting lines and fewer warps change must be the same in a sample. */
static void test_policies(void **state)
{
    (void)state;
    struct recording r;
    struct kernel k;
    make(&k, 0, 4000);
    k.repeats = 6;
    k.wraps = 300;
    record_begin(&r);
    record_launch(&r, &k.s);
    struct trace_file *f = record_end(&r);
    double speed_up[2][2];
    for (int sampled = 0; sampled < 2; sampled++) {
        const char *const with[] = {NULL, "pd", "ccws"};
        double cycles[3];
        for (int i = 0; i < 3; i++) {
            struct result x = simulate(f, sampled ? 0.01 : 0, with[i]);
            cycles[i] = of(&x, "cycles");
            if (sampled)
                assert_true(x.r->sampled->share < 0.8);
            gpu_free(x.g);
        }
        for (int i = 0; i < 2; i++)
            speed_up[sampled][i] = cycles[0] / cycles[1 + i];
    }
    for (int i = 0; i < 2; i++)
        assert_near(speed_up[1][i], speed_up[0][i], 0.02);
    trace_close(f);
    synth_free(&k.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_launches),    cmocka_unit_test(test_phases),  cmocka_unit_test(test_long_launch),
        cmocka_unit_test(test_nothing_to_sample), cmocka_unit_test(test_warm_l2), cmocka_unit_test(test_policies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
