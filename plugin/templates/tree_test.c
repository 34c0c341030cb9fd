/*
 * The policy NAME on one SM: it acts, and skipping idle time gives the statistics that ticking every cycle gives. To
 * start from: a test of a policy says what it must find in a pattern of accesses, in exact counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/stats.h"
#include "gpu/gpu.h"
#include "synth.h"

enum { WARPS = 8, LINES = 64 };

struct pcs {
    uint32_t load, exit;
};

/* Each warp walks over lines of its own, which together are more than the L1 holds. */
static void walk(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct pcs *pc = ctx;
    (void)cta;
    for (unsigned i = 0; i < LINES; i++)
        synth_affine(s, pc->load, ~0u, TRACE_SP_GLOBAL, 0x200000000000ull + (warp * LINES + i) * 128, 4);
    synth_do(s, pc->exit, 1, ~0u);
}

struct outcome {
    uint64_t cycles, statistic;
};

static struct outcome run(bool tick_all)
{
    static const char *const set[] = {"machine.sms=1"};
    struct gpu_opts o = {.machine = "gtx480", .with = "KIND=NAME", .set = set, .n_set = 1, .tick_all = tick_all};
    struct synth s;
    struct pcs pc;
    struct err e;
    synth_init(&s, 1, WARPS * 32, walk, &pc);
    pc.load = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(2));
    pc.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
    synth_seal(&s);
    struct gpu *g = gpu_new(&o, &e);
    if (!g)
        fail_msg("%s", e.msg);
    assert_int_equal(gpu_launch(g, &s.kernel, &s.launch, &s.streams, &e), GPU_DONE);
    if (gpu_finish(g, true, &e))
        fail_msg("%s", e.msg);
    const struct gpu_results *r = gpu_get_results(g);
    struct outcome out = {r->total[stats_find(r->stats, "cycles")], r->total[stats_find(r->stats, "NAME.STATISTIC")]};
    gpu_free(g);
    synth_free(&s);
    return out;
}

static void it_acts(void **state)
{
    (void)state;
    struct outcome skipped = run(false), ticked = run(true);
    assert_true(skipped.statistic > 0);
    assert_int_equal(skipped.statistic, ticked.statistic);
    assert_int_equal(skipped.cycles, ticked.cycles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_acts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
