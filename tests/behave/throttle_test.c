/*
 * Throttling warps on one SM: 48 warps, each going round its own 12 lines, thrash a cache of 128; eight of them would
 * fit. The schemes that limit who may issue, load or allocate must find the reuse that is there, and say how.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/stats.h"
#include "gpu/gpu.h"
#include "synth.h"

#include <string.h>

/* A load touches all lines of its warp; LOADS counts lines. */
enum { WARPS = 48, LINES = 12, ROUNDS = 30, USES = 20, LOADS = WARPS * LINES * ROUNDS, COLD = WARPS * LINES };

struct pcs {
    uint32_t load, use, exit;
};

static void go_round(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct pcs *pc = ctx;
    uint64_t mine = 0x200000000000ull + (cta * 6 + warp) * LINES * 128;
    for (unsigned r = 0; r < ROUNDS; r++) {
        synth_affine(s, pc->load, ~0u, TRACE_SP_GLOBAL, mine, LINES * 128 / 32);
        for (unsigned k = 0; k < USES; k++)
            synth_do(s, pc->use, 1, ~0u);
    }
    synth_do(s, pc->exit, 1, ~0u);
}

struct run {
    uint64_t cycles, hits, misses, past, throttled;
    double mean; /* active or allowed warps */
};

static struct run run_with(const char *with, const char *own, const char *mean)
{
    struct pcs pc;
    struct synth s;
    synth_init(&s, WARPS / 6, 6 * 32, go_round, &pc);
    pc.load = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(2));
    pc.use = synth_inst(&s, TRACE_INT_ADD, REGS(2), REGS(1, 2));
    pc.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
    synth_seal(&s);
    char copy[128], *save = NULL;
    const char *set[8] = {"machine.sms=1", "l1.set_hash=linear"};
    struct gpu_opts o = {.machine = "gtx480", .with = with, .set = set, .n_set = 2};
    snprintf(copy, sizeof copy, "%s", own);
    for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
        set[o.n_set++] = one;
    struct err e;
    struct gpu *g = gpu_new(&o, &e);
    if (!g)
        fail_msg("%s", e.msg);
    assert_int_equal(gpu_launch(g, &s.kernel, &s.launch, &s.streams, &e), GPU_DONE);
    if (gpu_finish(g, true, &e))
        fail_msg("%s", e.msg);
    const struct gpu_results *r = gpu_get_results(g);
#define STAT(name) r->total[stats_find(r->stats, name)]
    struct run out = {.cycles = STAT("cycles"),
                      .hits = STAT("l1.load_hits") + STAT("l1.merges"),
                      .misses = STAT("l1.load_misses"),
                      .past = STAT("l1.bypasses"),
                      .throttled = STAT("sm.stall.throttle")};
    if (mean)
        out.mean = stats_value(r->stats, r->total, (unsigned)stats_find(r->stats, mean));
    assert_int_equal(out.hits + out.misses + out.past, LOADS);
    gpu_free(g);
    synth_free(&s);
    return out;
}

static void limits_make_working_sets_fit(void **state)
{
    (void)state;
    struct run all = run_with("gto", "", NULL);
    assert_true(all.misses > LOADS / 2);
    assert_int_equal(all.throttled, 0);

    struct run swl = run_with("swl", "swl.limit=4", "swl.active"); /* 8 warps of the SM: 96 lines */
    assert_in_range(swl.misses, COLD, COLD + COLD / 5);
    assert_true(swl.cycles < all.cycles && swl.throttled > 0);
    assert_true(swl.mean > 3 && swl.mean <= 4);
    assert_true(run_with("swl", "swl.limit=8", NULL).misses > 3 * swl.misses); /* 16 warps do not fit */

    /* CCWS finds a limit by itself: far better than none, not as good as the right one from the start. */
    struct run ccws = run_with("ccws", "", "ccws.allowed");
    assert_in_range(ccws.misses, swl.misses, all.misses / 3);
    assert_true(ccws.cycles < all.cycles && ccws.throttled > 0);
    assert_true(ccws.mean < WARPS);
    assert_true(run_with("ccws", "ccws.k=1", NULL).misses > ccws.misses); /* throttles less */
}

static void tokens_keep_what_fits(void **state)
{
    (void)state;
    struct run all = run_with("gto", "", NULL), swl = run_with("swl", "swl.limit=4", NULL);
    /* All warps issue, those of the oldest eight keep their lines: fewer hits than with a limit of eight, until few are
     * left. */
    struct run t8 = run_with("pcal", "pcal.tokens=8", NULL);
    assert_true(t8.misses < all.misses && t8.misses > swl.misses);
    assert_int_equal(t8.throttled, 0);
    /* Tokens for all that issue: swl. */
    struct run same = run_with("pcal", "pcal.warps=4", NULL);
    assert_int_equal(same.cycles, swl.cycles);
    assert_int_equal(same.misses, swl.misses);
    assert_int_equal(run_with("pcal", "pcal.tokens=0", NULL).hits, 0); /* nothing ever comes in */
}

static void the_l1_decides_under_a_limit(void **state)
{
    (void)state;
    /* Protection keeps some working sets while other loads bypass; with fewer warps there is less to choose from. */
    struct run all = run_with("gto", "", NULL),
               pd = run_with("pd,gto", "pd.distance=64 pd.count_scope=set pd.renew_on_hit=yes", NULL),
               both = run_with("pd,swl", "pd.distance=64 pd.count_scope=set pd.renew_on_hit=yes swl.limit=4", NULL);
    assert_true(pd.past > LOADS / 2 && pd.hits > 2 * all.hits && pd.cycles < all.cycles);
    assert_true(both.hits > pd.hits && both.past < pd.past && both.cycles < pd.cycles);
    assert_true(pd.throttled == 0 && both.throttled > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_make_working_sets_fit),
        cmocka_unit_test(tokens_keep_what_fits),
        cmocka_unit_test(the_l1_decides_under_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
