/*
 * CAPS and its comparators on the whole machine: ticking every cycle equals skipping; what the prefetchers find on a
 * kernel made for them is what it has; and a prefetcher with nothing to prefetch changes no statistic.
 *
 * The kernel has a load with a stride between warps whose CTAs lie irregularly, one in a loop, one of several lines,
 * and one whose address depends on loaded data.
 */
#include "numbers.h"
#include "synth.h"

#include <string.h>

enum { CTAS = 180, WARPS = 6, ROUNDS = 6 };

struct loads {
    uint32_t once, loop, wide, indirect, add, exit;
    bool random;
};

static void make_kernel(struct synth *s, struct loads *k)
{
    k->once = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(8));
    k->loop = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(2), REGS(8));
    k->wide = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(3), REGS(8));
    k->indirect = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(4), REGS(1));
    s->inst.p[k->indirect].mem_flags |= TRACE_MEM_ADDR_FROM_LOAD;
    k->add = synth_inst(s, TRACE_INT_ADD, REGS(8), REGS(1, 2, 3, 4));
    k->exit = synth_inst(s, TRACE_EXIT, NULL, NULL);
    synth_seal(s);
}

static void warp_of(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct loads *k = ctx;
    const uint64_t memory = 0x200000000000ull;
    uint64_t base = memory + cta * cta % 1009 * 8192, x = cta * WARPS + warp + 1;
    if (k->random) {
        uint64_t lane[32];
        for (unsigned i = 0; i < 32; i++)
            lane[i] = memory + ((x * 32 + i) * 0x9e3779b97f4a7c15ull >> 40) * 128;
        synth_access(s, k->once, ~0u, TRACE_SP_GLOBAL, lane);
        synth_do(s, k->exit, 1, ~0u);
        return;
    }
    synth_affine(s, k->once, ~0u, TRACE_SP_GLOBAL, base + warp * 512, 4);
    synth_affine(s, k->wide, ~0u, TRACE_SP_GLOBAL, (1ull << 32) + base + warp * 1024, 16);
    synth_do(s, k->add, 1, ~0u);
    for (unsigned i = 0; i < ROUNDS; i++) {
        synth_affine(s, k->loop, ~0u, TRACE_SP_GLOBAL, (2ull << 32) + base + i * 65536 + warp * 256, 4);
        for (unsigned n = 0; n < 4; n++)
            synth_do(s, k->add, 1, ~0u);
    }
    synth_affine(s, k->indirect, ~0u, TRACE_SP_GLOBAL, (3ull << 32) + (x * 0x9e3779b97f4a7c15ull >> 44) * 128, 4);
    synth_do(s, k->add, 1, ~0u);
    synth_do(s, k->exit, 1, ~0u);
}

static struct numbers run(const char *with, const char *set, bool tick_all, bool random)
{
    struct loads k = {.random = random};
    struct synth s;
    struct err e;
    synth_init(&s, CTAS, WARPS * 32, warp_of, &k);
    make_kernel(&s, &k);
    struct gpu_opts o = {.machine = "caps15", .with = with, .set = &set, .n_set = set != NULL, .tick_all = tick_all};
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
        const char *with, *set;
    } cases[] = {{"caps", NULL},
                 {"caps", "caps.drop=no"},
                 {"caps", "caps.leaders=scheduler"},
                 {"caps", "caps.wakeup=no"},
                 {"caps", "caps.base=lrr"},
                 {"caps", "caps.base=gto"},
                 {"caps", "l1.allocate=on-fill"},
                 {"caps", "l1.prefetch_queue=1"},
                 {"caps", "l1.fill=sector"},
                 {"cap,gto", NULL},
                 {"cap,pas,apcm", NULL},
                 {"intra", NULL},
                 {"inter", "inter.degree=4"},
                 {"mta", NULL},
                 {"mta", "mta.throttle=yes"},
                 {"nlp", NULL},
                 {"lap", NULL},
                 {"orch", NULL}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct numbers a = run(cases[i].with, cases[i].set, false, false),
                       b = run(cases[i].with, cases[i].set, true, false);
        must_equal(&a, &b, cases[i].set ? cases[i].set : cases[i].with);
        if (!(cases[i].set && strstr(cases[i].set, "throttle"))) /* what is throttled may prefetch nothing */
            assert_true(number(&a, "prefetch.issued") + number(&a, "l1.prefetch.overtaken") > 0);
        uint64_t distances = 0;
        for (unsigned k = 0; k < a.n; k++)
            distances += strstr(a.name[k], "prefetch.distances.") == a.name[k] ? a.v[k] : 0;
        assert_int_equal(distances, number(&a, "prefetch.timely") + number(&a, "prefetch.late"));
        numbers_free(&a);
        numbers_free(&b);
    }
}

static void caps_finds_what_there_is(void **state)
{
    (void)state;
    /* This kernel's warps load at once, so that all prefetches would be overtaken in the queue. */
    struct numbers n = run("caps", "caps.drop=no", false, false);
    assert_int_equal(number(&n, "caps.strides_found"), 2 * 15 * 3); /* three loads of each SM, in each launch anew */
    assert_int_equal(number(&n, "caps.indirect"), 2 * CTAS * WARPS);
    assert_in_range(number(&n, "caps.percta_invalidated"), 0,
                    1); /* two warps may meet in different iterations of the loop */
    assert_true(number(&n, "caps.by_stride") > 0);
    assert_true(number(&n, "caps.by_leader") > number(&n, "caps.by_stride"));
    assert_true(number(&n, "caps.bases_updated") > 0);
    assert_true(number(&n, "caps.wakeups") > 0);
    assert_true(number(&n, "caps.picks.leading") > 0);
    numbers_free(&n);
    n = run("caps", "caps.wakeup=no", false, false);
    assert_int_equal(number(&n, "caps.wakeups"), 0);
    numbers_free(&n);
}

static void nothing_to_prefetch_changes_nothing(void **state)
{
    (void)state;
    static const char *const with[] = {"cap", "intra", "inter", "mta"};
    struct numbers plain = run(NULL, NULL, false, true);
    for (unsigned i = 0; i < 4; i++) {
        struct numbers n = run(with[i], NULL, false, true);
        assert_int_equal(number(&n, "prefetch.issued"), 0);
        for (unsigned k = 0; k < plain.n; k++)
            if (number(&n, plain.name[k]) != plain.v[k])
                fail_msg("%s: %s changes from %llu to %llu", with[i], plain.name[k], (unsigned long long)plain.v[k],
                         (unsigned long long)number(&n, plain.name[k]));
        numbers_free(&n);
    }
    numbers_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ticking_equals_skipping),
                                       cmocka_unit_test(caps_finds_what_there_is),
                                       cmocka_unit_test(nothing_to_prefetch_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
