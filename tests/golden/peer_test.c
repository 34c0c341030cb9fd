/*
 * Against a peer: recordings of three kernels (built by nvcc 13 for compute_75) on the machine gtx480-gpgpusim, beside
 * what GPGPU-Sim 4.2 reported for the same kernels (built by nvcc 11.8 for compute_52) with its SM2_GTX480
 * configuration. Accesses must agree exactly, misses within 5%, cycles within 15%. matmul 256 thrashes its L1, and its
 * misses move by a tenth with any change of timing, in either simulator: there 15% are allowed.
 *
 * And recordings of two kernels (built by weir cc, with their scheduled code) on qv100-accelsim, beside what Accel-Sim
 * reported for traces of the same kernels with its SM7_QV100. It counts an L1 access for each sector, so that only
 * the L2's accesses can be compared: they must agree exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engine/stats.h"
#include "gpu/replay.h"

static double stat(const struct gpu_results *r, const char *name)
{
    int i = stats_find(r->stats, name);
    if (i < 0)
        fail_msg("no statistic %s", name);
    return stats_value(r->stats, r->total, (unsigned)i);
}

static void within(const char *kernel, const char *what, double got, double peer, double tolerance)
{
    print_message("%s: %s %.4f, the peer %.4f (%+.1f%%)\n", kernel, what, got, peer, 100 * (got / peer - 1));
    if (got < peer * (1 - tolerance) || got > peer * (1 + tolerance))
        fail_msg("%s: %s is off by more than %.0f%%", kernel, what, 100 * tolerance);
}

/* Results name kernels of the recording, so that both are needed until the end. */
static struct gpu *replay(const char *machine, const char *kernel, struct trace_file **file)
{
    const char *folder = getenv("WEIR_PEER");
    char path[4096];
    struct err e;
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/%s.wt", folder, kernel);
    struct trace_file *f = trace_open(path, &e);
    if (!f)
        fail_msg("%s", e.msg);
    struct gpu_opts o = {.machine = machine};
    struct gpu *g = gpu_new(&o, &e);
    assert_non_null(g);
    assert_int_equal(gpu_replay(g, f, &e), GPU_DONE);
    assert_int_equal(gpu_finish(g, true, &e), 0);
    *file = f;
    return g;
}

static void numbers_are_near_gpgpu_sims(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double cycles, l1_accesses, l1_miss_rate, l2_accesses, miss_tolerance;
    } peers[] = {{"vecadd-1048576", 85482, 98304, 1.0, 393366, 0.05},
                 {"matmul-128", 57884, 197632, 0.1229, 95410, 0.05},
                 {"matmul-256", 330998, 1576960, 0.1843, 1154478, 0.15}};
    for (unsigned i = 0; i < sizeof peers / sizeof *peers; i++) {
        struct trace_file *f;
        struct gpu *g = replay("gtx480-gpgpusim", peers[i].kernel, &f);
        const struct gpu_results *r = gpu_get_results(g);
        assert_int_equal(stat(r, "l1.accesses"), peers[i].l1_accesses);
        within(peers[i].kernel, "cycles", stat(r, "cycles"), peers[i].cycles, 0.15);
        within(peers[i].kernel, "L1 miss rate", stat(r, "l1.miss_rate"), peers[i].l1_miss_rate,
               peers[i].miss_tolerance);
        within(peers[i].kernel, "L2 accesses", stat(r, "l2.accesses"), peers[i].l2_accesses, peers[i].miss_tolerance);
        gpu_free(g);
        trace_close(f);
    }
}

static void numbers_are_near_accel_sims(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double cycles, l2_accesses;
    } peers[] = {{"vecadd-1048576-scheduled", 21479, 393216}, {"matmul-256-scheduled", 32732, 180224}};
    for (unsigned i = 0; i < sizeof peers / sizeof *peers; i++) {
        struct trace_file *f;
        struct gpu *g = replay("qv100-accelsim", peers[i].kernel, &f);
        const struct gpu_results *r = gpu_get_results(g);
        within(peers[i].kernel, "cycles", stat(r, "cycles"), peers[i].cycles, 0.15);
        assert_int_equal(stat(r, "l2.accesses"), peers[i].l2_accesses);
        gpu_free(g);
        trace_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_near_gpgpu_sims),
                                       cmocka_unit_test(numbers_are_near_accel_sims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
