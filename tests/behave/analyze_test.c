/*
 * The walk over a recording (profile/analyze.h): who executes when, on which SM, and what counts. Kernels of a few
 * instructions, recorded into a file, whose answers follow from the order that analyze.h promises.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "profile/analyze.h"
#include "profile/analyze_summary.h"
#include "synth_file.h"

#include <stdio.h>
#include <unistd.h>

#define ALL  UINT32_MAX
#define LINE 128ull

/* ---- recording what a synth does ---- */
/* Closes, analyzes with the settings given, and removes the file; the caller frees. */
static struct trace_file *analyze(struct recording *r, struct analysis *a, const char *const *set, unsigned n_set)
{
    struct err e;
    struct trace_file *f = record_end(r);
    const struct analyze_opts o = {.machine = "gtx480", .set = set, .n_set = n_set};
    if (analyze_trace(f, &o, a, &e))
        fail_msg("%s", e.msg);
    return f;
}

static struct locality_load load_of(const struct analysis *a, uint32_t load)
{
    uint32_t n;
    const struct locality_load *all = locality_loads(a->locality, 0, &n);
    assert_true(load < n);
    return all[load];
}

/* ---- a kernel with two loads and a barrier between ---- */
struct two_loads {
    struct synth s;
    uint32_t first, barrier, second, third, nop;
};

static void make(struct two_loads *k, uint32_t ctas, synth_warp *warp)
{
    synth_init(&k->s, ctas, 64, warp, k);
    k->first = synth_mem_inst(&k->s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(0));
    k->barrier = synth_inst(&k->s, TRACE_BARRIER, NULL, NULL);
    k->second = synth_mem_inst(&k->s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(2), REGS(0));
    k->third = synth_mem_inst(&k->s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(3), REGS(0));
    k->nop = synth_inst(&k->s, TRACE_INT_ADD, REGS(4), REGS(4));
    synth_seal(&k->s);
}

static void load_line(struct two_loads *k, uint32_t pc, uint64_t line)
{
    synth_affine(&k->s, pc, ALL, TRACE_SP_GLOBAL, line * LINE, 4);
}

/* Each warp a line of its own, a barrier, then all of them line 50. */
static void own_then_common(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    struct two_loads *k = ctx;
    (void)s;
    load_line(k, k->first, 100 + cta * 2 + warp);
    synth_do(&k->s, k->barrier, 1, ALL);
    load_line(k, k->second, 50);
}

/* Two CTAs on one SM: first loads are accesses 1 to 4, second loads 5 to 8, whoever the scheduler would be. */
static void test_round_robin(void **state)
{
    (void)state;
    struct recording r;
    struct two_loads k;
    struct analysis a;
    make(&k, 2, own_then_common);
    record_begin(&r);
    record_launch(&r, &k.s);
    struct trace_file *f = analyze(&r, &a, (const char *const[]){"machine.sms=1"}, 1);
    const struct locality_load first = load_of(&a, 0), second = load_of(&a, 1);
    assert_int_equal(a.ctas, 2);
    assert_int_equal(a.warp_insts, 12);
    assert_int_equal(a.thread_insts, 12 * 32);
    assert_int_equal(first.line[LOCALITY_STREAMING], 4);
    assert_int_equal(second.line[LOCALITY_INTER], 1);
    assert_int_equal(second.distance[LOCALITY_INTER][0], 3);
    assert_int_equal(second.accesses, 4);
    analysis_free(&a);
    trace_close(f);
    synth_free(&k.s);
}

/* Room for one CTA at a time: the second starts when the first has ended, so its first loads come in between. */
static void test_occupancy(void **state)
{
    (void)state;
    struct recording r;
    struct two_loads k;
    struct analysis a;
    make(&k, 2, own_then_common);
    record_begin(&r);
    record_launch(&r, &k.s);
    struct trace_file *f = analyze(&r, &a, (const char *const[]){"machine.sms=1", "sm.max_ctas=1"}, 2);
    const struct locality_load second = load_of(&a, 1);
    assert_int_equal(second.distance[LOCALITY_INTER][0], 2); /* 3 -> 4, 7 -> 8 */
    assert_int_equal(second.distance[LOCALITY_INTER][1], 1); /* 4 -> 7: distance 3 */
    analysis_free(&a);
    trace_close(f);
    synth_free(&k.s);
}

/* Two SMs, a CTA each: line 50 is brought into both, and the second copy is a replica. */
static void test_sms(void **state)
{
    (void)state;
    struct recording r;
    struct two_loads k;
    struct analysis a;
    make(&k, 2, own_then_common);
    record_begin(&r);
    record_launch(&r, &k.s);
    record_launch(&r, &k.s); /* once more, with empty caches */
    struct trace_file *f = analyze(&r, &a, (const char *const[]){"machine.sms=2"}, 1);
    const struct locality_load first = load_of(&a, 0), second = load_of(&a, 1);
    assert_int_equal(a.launches, 2);
    assert_int_equal(first.line[LOCALITY_STREAMING], 8);
    assert_int_equal(first.replicated, 0);
    assert_int_equal(second.line[LOCALITY_INTER], 4);
    assert_int_equal(second.replicated, 2);
    assert_int_equal(second.finite_replicated, 2);
    struct analyze_summary s;
    analyze_summarize(&a, f, &s);
    assert_float_equal(s.replication, 2.0 / 12, 1e-12);
    assert_float_equal(s.by_lines[LOCALITY_STREAMING], 8.0 / 12, 1e-12);
    assert_float_equal(s.by_accesses[LOCALITY_INTER], 8.0 / 16, 1e-12);
    assert_float_equal(s.aps, 1, 1e-12);
    assert_float_equal(s.lines_per_load, 1, 1e-12);
    assert_float_equal(s.iterations, 1, 1e-12);
    assert_int_equal(s.load.n, 2);
    assert_int_equal(s.n_repeated, 0);
    analyze_summary_free(&s);
    analysis_free(&a);
    trace_close(f);
    synth_free(&k.s);
}

/*
 * CTA 0's warp 1 is slow to the barrier, so CTA 1 reads line 50 first, by another load than CTA 0: the line belongs to
 * that load. Without the barrier CTA 0's warp 0 would have been first.
 */
static void slow_to_barrier(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    struct two_loads *k = ctx;
    (void)s;
    for (int i = 0; i < 9 && cta == 0 && warp == 1; i++)
        synth_do(&k->s, k->nop, 1, ALL);
    synth_do(&k->s, k->barrier, 1, ALL);
    if (cta == 1)
        synth_do(&k->s, k->nop, 1, ALL);
    load_line(k, cta == 0 ? k->second : k->third, 50);
}

static void test_barrier(void **state)
{
    (void)state;
    struct recording r;
    struct two_loads k;
    struct analysis a;
    make(&k, 2, slow_to_barrier);
    record_begin(&r);
    record_launch(&r, &k.s);
    struct trace_file *f = analyze(&r, &a, (const char *const[]){"machine.sms=1"}, 1);
    const struct locality_load second = load_of(&a, 1), third = load_of(&a, 2);
    assert_int_equal(locality_lines(&second), 0);
    assert_int_equal(third.line[LOCALITY_INTER], 1);
    assert_int_equal(second.accesses, 2);
    analysis_free(&a);
    trace_close(f);
    synth_free(&k.s);
}

/* A warp that ends without the barrier lets the others pass; a warp repeats a load. */
static void ends_early(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    struct two_loads *k = ctx;
    (void)s, (void)cta;
    for (int i = 0; i < 5 && warp == 0; i++)
        load_line(k, k->first, 7);
    if (warp == 0)
        synth_do(&k->s, k->barrier, 1, ALL);
    load_line(k, k->second, 8 + warp);
}

static void test_early_end(void **state)
{
    (void)state;
    struct recording r;
    struct two_loads k;
    struct analysis a;
    make(&k, 1, ends_early);
    record_begin(&r);
    record_launch(&r, &k.s);
    struct trace_file *f = analyze(&r, &a, NULL, 0);
    const struct locality_load first = load_of(&a, 0), second = load_of(&a, 1);
    assert_int_equal(first.line[LOCALITY_INTRA], 1);
    assert_int_equal(first.used[LOCALITY_INTRA], 5);
    assert_float_equal(locality_iterations(&first), 5, 1e-12);
    assert_int_equal(second.line[LOCALITY_STREAMING], 2);
    struct analyze_summary s;
    analyze_summarize(&a, f, &s);
    assert_float_equal(s.iterations, 3, 1e-12); /* 5 and 1 */
    assert_int_equal(s.n_repeated, 1);
    assert_int_equal(s.load.p[0].pc, k.first); /* most accesses first */
    /* warp 1's load comes after the first of the five: a distance of 2, then three of 1 */
    assert_int_equal(analyze_distance(&s.sum, LOCALITY_INTRA, 0.5), 2);
    assert_int_equal(analyze_distance(&s.sum, LOCALITY_INTRA, 1), 4);
    analyze_summary_free(&s);
    analysis_free(&a);
    trace_close(f);
    synth_free(&k.s);
}

/* Only cached loads of global memory count: not stores, atomics, other spaces, or loads past the L1. */
static void of_every_kind(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const uint32_t n = *(const uint32_t *)ctx;
    (void)cta, (void)warp;
    static const enum trace_space space[] = {TRACE_SP_GLOBAL, TRACE_SP_GLOBAL, TRACE_SP_GLOBAL, TRACE_SP_GLOBAL,
                                             TRACE_SP_SHARED, TRACE_SP_CONST,  TRACE_SP_TEX,    TRACE_SP_GLOBAL};
    for (uint32_t pc = 0; pc < n; pc++)
        synth_affine(s, pc, pc == 0 ? 0xff : ALL, space[pc], 4096, 64);
}

static void test_what_counts(void **state)
{
    (void)state;
    struct recording r;
    struct synth s;
    struct analysis a;
    uint32_t n = 8;
    synth_init(&s, 1, 32, of_every_kind, &n);
    synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GENERIC, 4, REGS(1), REGS(0)); /* resolved to global by each execution */
    synth_mem_inst(&s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(0, 1));
    synth_mem_inst(&s, TRACE_ATOM, TRACE_SP_GLOBAL, 4, REGS(1), REGS(0));
    const uint32_t cg = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(0));
    s.inst.p[cg].mem_flags = TRACE_MEM_CG;
    synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_SHARED, 4, REGS(1), REGS(0));
    synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_CONST, 4, REGS(1), REGS(0));
    synth_mem_inst(&s, TRACE_TEX, TRACE_SP_TEX, 4, REGS(1), REGS(0));
    const uint32_t vol = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(0));
    s.inst.p[vol].mem_flags = TRACE_MEM_VOLATILE;
    synth_seal(&s);
    record_begin(&r);
    record_launch(&r, &s);
    struct trace_file *f = analyze(&r, &a, NULL, 0);
    const struct locality_load sum = locality_sum(a.locality, UINT32_MAX);
    assert_int_equal(sum.executions, 1);
    assert_int_equal(sum.lanes, 8);
    assert_int_equal(sum.accesses, 4); /* 8 lanes, 64 bytes apart */
    assert_int_equal(a.stores, 1);
    assert_int_equal(a.atomics, 1);
    assert_int_equal(a.loads_uncached, 2);
    assert_int_equal(a.loads_other, 2);
    analysis_free(&a);
    trace_close(f);
    synth_free(&s);
}

static void test_refused(void **state)
{
    (void)state;
    struct recording r;
    struct two_loads k;
    struct analysis a;
    struct err e;
    make(&k, 1, own_then_common);
    k.s.kernel.smem_static_bytes = 1 << 20;
    record_begin(&r);
    record_launch(&r, &k.s);
    assert_int_equal(trace_writer_close(r.writer, &e), 0);
    struct trace_file *f = trace_open(r.path, &e);
    unlink(r.path);
    assert_int_equal(analyze_trace(f, &(struct analyze_opts){.machine = "gtx480"}, &a, &e), -1);
    assert_non_null(strstr(e.msg, "not even one CTA fits"));
    assert_int_equal(analyze_trace(f, &(struct analyze_opts){.machine = "gtx999"}, &a, &e), -1);
    trace_close(f);
    synth_free(&k.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_robin), cmocka_unit_test(test_occupancy), cmocka_unit_test(test_sms),
        cmocka_unit_test(test_barrier),     cmocka_unit_test(test_early_end), cmocka_unit_test(test_what_counts),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
