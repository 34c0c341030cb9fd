/*
 * A shared organization, ten lines long, on every machine that is shipped: random traffic and a recorded gather run to
 * their end through every way between SMs, with queues of one or two places, and what a machine lacks is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/stats.h"
#include "gpu/gpu_config.h"
#include "gpu/replay.h"
#include "l1/policy.h"
#include "synth.h"

#include <stdlib.h>
#include <string.h>

/* A line lives in the L1 of the SM that its number names. */
static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)params, (void)e;
    *(uint32_t *)st = host->n_sm;
    return 0;
}
static enum l1_route route(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    (void)r, (void)set;
    *home = (uint32_t)(line % *(uint32_t *)st);
    return L1_ROUTE_REMOTE;
}
static const struct l1_organization homes = {
    .info = {.name = "homes"}, .state_bytes = 4, .remote = true, .init = init, .route = route};

static void to_end(struct gpu *g, const char *machine, enum gpu_end end, struct err *e)
{
    if (end == GPU_DEADLOCKED)
        gpu_report_deadlock(g, stderr);
    if (end != GPU_DONE)
        fail_msg("%s: ended with %d", machine, end);
    if (gpu_finish(g, true, e))
        fail_msg("%s: %s", machine, e->msg);
    const struct gpu_results *r = gpu_get_results(g);
    int remote = stats_find(r->stats, "l1.forwarded"), served = stats_find(r->stats, "l1.remote_requests");
    assert_true(r->total[remote] > 1000);
    assert_int_equal(r->total[remote], r->total[served]);
}

static struct gpu *build(const char *machine, const char *const *set, unsigned n)
{
    struct err e = {0};
    struct gpu *g = gpu_new(&(struct gpu_opts){.machine = machine, .set = set, .n_set = n, .with = "homes"}, &e);
    if (!g)
        fail_msg("%s: %s", machine, e.msg);
    return g;
}

/* ---- random traffic ---- */
struct traffic {
    uint32_t load, store, atom, exit;
};
static void random_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct traffic *t = ctx;
    uint64_t x = cta * 64 + warp + 1, addr[32];
    for (int step = 0; step < 4; step++) {
        for (int lane = 0; lane < 32; lane++) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            addr[lane] = 0x10000000 + (x >> 33) % 100000 * 64; /* every lane its own line */
        }
        synth_access(s, step % 6 == 4 ? t->store : step % 6 == 5 ? t->atom : t->load, ~0u, TRACE_SP_GLOBAL, addr);
    }
    synth_do(s, t->exit, 1, ~0u);
}

static void random_traffic(const char *machine, const char *way, const char *network)
{
    struct traffic t;
    struct synth s;
    synth_init(&s, 40, 64, random_warp, &t);
    t.load = synth_mem_inst(&s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), REGS(8));
    t.store = synth_mem_inst(&s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(9));
    t.atom = synth_mem_inst(&s, TRACE_ATOM, TRACE_SP_GLOBAL, 4, REGS(2), REGS(8));
    t.exit = synth_inst(&s, TRACE_EXIT, NULL, NULL);
    synth_seal(&s);
    const char *set[] = {way,
                         network,
                         "noc.vcs=1",
                         "noc.vc_flits=1",
                         "noc.inject_queue=1",
                         "l1.miss_queue=2",
                         "l1.mshrs=4",
                         "l1.reply_queue=1",
                         "l2.ingress_queue=1",
                         "l2.miss_queue=3",
                         "l2.fill_queue=1",
                         "l2.dram_queue=1"};
    struct gpu *g = build(machine, set, sizeof set / sizeof *set);
    struct err e = {0};
    to_end(g, machine, gpu_launch(g, &s.kernel, &s.launch, &s.streams, &e), &e);
    gpu_free(g);
    synth_free(&s);
}

static void one_machine(void *ctx, const char *name, const char *path, const char *what)
{
    (void)path, (void)what;
    unsigned *n = ctx;
    random_traffic(name, "noc.core_to_core=direct", "noc.core_network=same");
    random_traffic(name, "noc.core_to_core=via-l2", "noc.core_network=same");
    ++*n;
}

static void every_machine(void **state)
{
    (void)state;
    unsigned n = 0;
    struct err e = {0};
    assert_int_equal(cfg_each_machine(one_machine, &n, &e), 0);
    assert_true(n >= 11);
}

/* ---- the recorded gather ---- */
static void gather(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *set[4];
        unsigned n;
    } on[] = {{"mesh28", {0}, 0},
              {"mesh64", {0}, 0},
              {"bfly36", {0}, 0},
              {"gtx480", {"noc.core_to_core=direct"}, 1},
              {"gtx480", {"noc.core_to_core=direct", "noc.voq=yes"}, 2},
              {"gtx480", {"noc.core_to_core=via-l2"}, 1},
              {"gtx480",
               {"noc.core_to_core=direct", "noc.core_network=butterfly", "noc.core_radix=6", "noc.core_stages=2"},
               4}};
    for (unsigned i = 0; i < sizeof on / sizeof *on; i++) {
        struct err e = {0};
        struct gpu *g = build(on[i].machine, on[i].set, on[i].n);
        struct trace_file *f = trace_open(getenv("WEIR_GATHER"), &e);
        if (!f)
            fail_msg("%s", e.msg);
        to_end(g, on[i].machine, gpu_replay(g, f, &e), &e);
        gpu_free(g);
        trace_close(f);
    }
}

static void refused(void **state)
{
    (void)state;
    struct err e = {0};
    assert_null(gpu_new(&(struct gpu_opts){.machine = "gtx480", .with = "homes"}, &e));
    assert_non_null(strstr(e.msg, "homes sends requests to other SMs"));
    assert_non_null(strstr(e.hint, "set noc.core_to_core = direct"));
    const char *set[] = {"noc.core_network=mesh"};
    assert_null(gpu_new(&(struct gpu_opts){.machine = "gtx480", .set = set, .n_set = 1}, &e));
    assert_non_null(strstr(e.hint, "noc.core_to_core = direct"));
}

int main(void)
{
    policy_add(&l1_organization_kind, &homes.info);
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(gather),
                                       cmocka_unit_test(every_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
