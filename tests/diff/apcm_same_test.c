/*
 * APCM on the whole machine, two ways to the same numbers: ticking every cycle equals skipping, in every mode; and
 * where it decides nothing, every statistic of the baseline is what it is without it.
 *
 * The kernel has each kind of load: one that streams, one whose lines the warp uses again in a loop, one whose lines
 * another load uses last, one whose lines all warps share. Lanes leave the loop at different times.
 */
#include "numbers.h"
#include "synth.h"

enum { CTAS = 60, THREADS = 192, ROUNDS = 24 };

struct loads {
    uint32_t stream, own, first, last, shared, add, exit;
    bool reuse_only;
};

static void make_kernel(struct synth *s, struct loads *k)
{
    struct trace_loop loop = {.parent = 0, .depth = 1, .header_pc = 0};
    VEC_PUSH(&s->loop, loop);
    k->own = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(8));
    k->stream = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(2), REGS(8));
    k->shared = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(3), REGS(8));
    for (uint32_t pc = 0; pc <= k->shared; pc++)
        s->inst.p[pc].loop = 1;
    k->first = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(4), REGS(8));
    k->last = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(5), REGS(4));
    k->add = synth_inst(s, TRACE_INT_ADD, REGS(8), REGS(1, 2, 3));
    k->exit = synth_inst(s, TRACE_EXIT, NULL, NULL);
    synth_seal(s);
}

static void warp_of(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct loads *k = ctx;
    uint64_t w = cta * (THREADS / 32) + warp, base = 0x200000000000ull;
    uint32_t mask = ~0u;
    for (int i = 0; i < ROUNDS; i++) {
        /* Eight lines of the warp, eight rounds each; then eight others. */
        uint64_t row = base + (w * 64 + (uint64_t)(i / 8) * 8) * 128;
        synth_affine(s, k->own, mask, TRACE_SP_GLOBAL, row + (uint64_t)i % 8 * 4, 32);
        if (!k->reuse_only) {
            synth_affine(s, k->stream, mask, TRACE_SP_GLOBAL, base + (1ull << 32) + (w * ROUNDS + (uint64_t)i) * 128,
                         4);
            synth_affine(s, k->shared, mask, TRACE_SP_GLOBAL, base + (2ull << 32) + (uint64_t)i * 128, 4);
        }
        synth_do(s, k->add, 1, mask);
        if (i == 10 + (int)(w % 5)) /* half of the lanes have enough; they wait behind the loop */
            mask = 0x0000ffff;
    }
    mask = ~0u;
    for (int i = 0; i < 4 && !k->reuse_only; i++) {
        uint64_t line = base + (3ull << 32) + (w * 4 + (uint64_t)i) * 128;
        synth_affine(s, k->first, mask, TRACE_SP_GLOBAL, line, 4);
        synth_affine(s, k->last, mask, TRACE_SP_GLOBAL, line, 4);
    }
    synth_do(s, k->exit, 1, mask);
}

static struct numbers run(const char *machine, const char *with, const char *set, bool tick_all, bool reuse_only)
{
    struct loads k = {.reuse_only = reuse_only};
    struct synth s;
    struct err e;
    synth_init(&s, CTAS, THREADS, warp_of, &k);
    make_kernel(&s, &k);
    struct gpu_opts o = {.machine = machine, .with = with, .set = &set, .n_set = set != NULL, .tick_all = tick_all};
    struct gpu *g = gpu_new(&o, &e);
    if (!g)
        fail_msg("%s", e.msg);
    for (int launch = 0; launch < 2; launch++)
        assert_int_equal(gpu_launch(g, &s.kernel, &s.launch, &s.streams, &e), GPU_DONE);
    struct numbers out = numbers_of(g);
    gpu_free(g);
    synth_free(&s);
    return out;
}

static void ticking_equals_skipping(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *with, *set;
        unsigned sms;
    } cases[] = {{"gtx480", "apcm", "apcm.mode=both", 15},
                 {"gtx480", "apcm", "apcm.mode=protect", 15},
                 {"gtx480", "apcm", "apcm.mode=bypass", 15},
                 {"gtx480", "apcm", "apcm.replace_own=yes", 15},
                 {"gtx480", "apcm", "apcm.protect_distance=8", 15},
                 {"gtx480", "apcm", "l1.allocate=on-fill", 15},
                 {"gtx480", "apcm", "l1.miss_queue=2", 15},
                 {"gtx480", "apcm", "apcm.mta_assoc=32", 15},
                 {"gtx780", "gto,apcm", NULL, 16},
                 {"cart28", "apcm", NULL, 28}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *set = cases[i].set;
        struct numbers a = run(cases[i].machine, cases[i].with, set, false, false),
                       b = run(cases[i].machine, cases[i].with, set, true, false);
        must_equal(&a, &b, set ? set : cases[i].machine);
        /* Invariants: what began has ended; every bypass has a reason. */
        assert_int_equal(number(&a, "apcm.psb.set"), number(&a, "apcm.psb.by_load") + number(&a, "apcm.psb.by_loop") +
                                                         number(&a, "apcm.psb.by_exit"));
        assert_int_equal(number(&a, "l1.bypasses"), number(&a, "apcm.bypasses") + number(&a, "apcm.all_protected"));
        assert_int_equal(number(&a, "apcm.hits"), number(&a, "l1.load_hits") + number(&a, "l1.merges"));
        assert_int_equal(number(&a, "apcm.monitored"), 2 * cases[i].sms);
        numbers_free(&a);
        numbers_free(&b);
    }
}

static void every_kind_of_load_is_found(void **state)
{
    (void)state;
    struct numbers n = run("gtx480", "apcm", NULL, false, false);
    assert_true(number(&n, "apcm.bypasses") > 0);
    assert_true(number(&n, "apcm.protected.lines") > 0);
    assert_true(number(&n, "apcm.protected.hits") > 0);
    assert_true(number(&n, "apcm.psb.by_loop") > 0);
    assert_true(number(&n, "apcm.psb.by_load") > 0);
    assert_true(number(&n, "apcm.classified.streaming") > 0);
    assert_true(number(&n, "apcm.classified.intra") > 0);
    assert_true(number(&n, "apcm.accesses.normal") > 0); /* the shared load, once it is known */
    numbers_free(&n);
}

static void deciding_nothing_changes_nothing(void **state)
{
    (void)state;
    /* Bypassing only, and no load streams. */
    struct numbers without = run("gtx480", NULL, NULL, false, true),
                   with = run("gtx480", "apcm", "apcm.mode=bypass", false, true);
    assert_true(number(&with, "apcm.accesses.normal") > 0);
    for (unsigned i = 0; i < without.n; i++) {
        assert_null(strstr(without.name[i], "apcm"));
        if (number(&with, without.name[i]) != without.v[i])
            fail_msg("%s changes from %llu to %llu", without.name[i], (unsigned long long)without.v[i],
                     (unsigned long long)number(&with, without.name[i]));
    }
    numbers_free(&without);
    numbers_free(&with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticking_equals_skipping),
        cmocka_unit_test(every_kind_of_load_is_found),
        cmocka_unit_test(deciding_nothing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
