/*
 * The whole machine, two ways to the same numbers: ticking every cycle or skipping, by one host thread or several, from
 * a recording or live, alone or beside another machine in a second thread. Every counter must be equal.
 *
 * The kernel is random but repeatable: arithmetic, loads and stores to all spaces in regular and irregular patterns,
 * atomics, fences, barriers, divergence, early exits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/stats.h"
#include "gpu/live.h"
#include "gpu/replay.h"
#include "gpu/work.h"
#include "numbers.h"
#include "synth.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CTAS = 40, THREADS = 160, STEPS = 60 };

struct mix {
    uint32_t alu[4], sfu, load[3], store, shared_load, shared_store, local, atom, red, constant, tex, fence, barrier,
        lets, waits, jump, exit;
    uint64_t seed;
};

static uint32_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*x >> 33);
}

static void make_kernel(struct synth *s, struct mix *m)
{
    for (int i = 0; i < 4; i++)
        m->alu[i] = synth_inst(s, i & 1 ? TRACE_FP_MAD : TRACE_INT_ADD, REGS(8 + i), REGS(8 + (i + 1) % 4, 1, 2));
    m->sfu = synth_inst(s, TRACE_SFU, REGS(7), REGS(8));
    for (int i = 0; i < 3; i++)
        m->load[i] = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1 + i), REGS(8));
    m->store = synth_mem_inst(s, TRACE_STORE, TRACE_SP_GLOBAL, 4, NULL, REGS(1, 9));
    m->shared_load = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_SHARED, 8, REGS(4, 5), REGS(9));
    m->shared_store = synth_mem_inst(s, TRACE_STORE, TRACE_SP_SHARED, 4, NULL, REGS(4));
    m->local = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_LOCAL, 4, REGS(6), NULL);
    m->atom = synth_mem_inst(s, TRACE_ATOM, TRACE_SP_GLOBAL, 4, REGS(12), REGS(8));
    m->red = synth_mem_inst(s, TRACE_RED, TRACE_SP_GLOBAL, 4, NULL, REGS(8));
    m->constant = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_CONST, 4, REGS(13), NULL);
    m->tex = synth_mem_inst(s, TRACE_TEX, TRACE_SP_TEX, 16, REGS(14, 15, 16, 17), REGS(8));
    m->fence = synth_inst(s, TRACE_FENCE, NULL, NULL);
    m->barrier = synth_inst(s, TRACE_BARRIER, NULL, NULL);
    m->jump = synth_inst(s, TRACE_BRANCH, NULL, REGS(10));
    m->exit = synth_inst(s, TRACE_EXIT, NULL, NULL);
    m->lets = synth_inst(s, TRACE_NOP, NULL, NULL);
    m->waits = synth_inst(s, TRACE_NOP, NULL, NULL);
    synth_seal(s);
    s->inst.p[m->lets].barrier = TRACE_GRIDDEP_LAUNCH;
    s->inst.p[m->waits].barrier = TRACE_GRIDDEP_WAIT;
    s->kernel.smem_static_bytes = 4096;
}

static void mixed_warp(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const struct mix *m = ctx;
    uint64_t x = m->seed + cta * 1000 + warp, shared_x = m->seed + cta;
    uint32_t mask = ~0u;
    for (int i = 0; i < STEPS; i++) {
        /* Barriers must come at the same step in every warp of a CTA. */
        if (next_random(&shared_x) % 16 == 0) {
            synth_do(s, m->barrier, 1, mask);
            continue;
        }
        uint64_t addr[32], base = 0x200000000000ull + (next_random(&x) % 2048) * 128;
        uint32_t lanes = next_random(&x) % 4 ? mask : (next_random(&x) & mask) | (mask & -mask);
        for (int k = 0; k < 32; k++)
            addr[k] = 0x200000000000ull + (next_random(&x) % (1 << 18)) * 4;
        switch (next_random(&x) % 16) {
        case 0:
        case 1:
            synth_affine(s, m->load[0], lanes, TRACE_SP_GLOBAL, base, 4);
            break;
        case 2:
            synth_access(s, m->load[1], lanes, TRACE_SP_GLOBAL, addr);
            break;
        case 3:
            synth_affine(s, m->load[2], lanes, TRACE_SP_GLOBAL, base, 64);
            break;
        case 4:
            synth_affine(s, m->store, lanes, TRACE_SP_GLOBAL, base, next_random(&x) % 2 ? 4 : 36);
            break;
        case 5:
            synth_affine(s, m->shared_load, lanes, TRACE_SP_SHARED, 0, 8 * (int64_t)(1 + next_random(&x) % 8));
            break;
        case 6:
            synth_affine(s, m->shared_store, lanes, TRACE_SP_SHARED, 0, 4 * (int64_t)(next_random(&x) % 9));
            break;
        case 7:
            synth_affine(s, m->local, lanes, TRACE_SP_LOCAL, 4 * (next_random(&x) % 8), 0);
            break;
        case 8:
            synth_affine(s, m->atom, lanes & 0xf000000f ? lanes & 0xf000000f : lanes, TRACE_SP_GLOBAL, base, 0);
            break;
        case 9:
            synth_affine(s, m->red, lanes, TRACE_SP_GLOBAL, base, 4);
            break;
        case 10:
            synth_affine(s, m->constant, lanes, TRACE_SP_CONST, (next_random(&x) % 4096) * 4, 0);
            break;
        case 11:
            synth_affine(s, m->tex, lanes, TRACE_SP_TEX, base, 16);
            break;
        case 12:
            synth_do(s, m->fence, 1, mask);
            break;
        case 13:
            synth_do(s, m->sfu, 1, lanes);
            synth_do(s, m->jump, 1, mask);
            break;
        default:
            synth_do(s, m->alu[0], 4, lanes);
            break;
        }
        if (i == STEPS / 2 && warp == 3) { /* one warp leaves early, another loses half its lanes */
            break;
        }
        if (i == STEPS / 4 && cta % 3 && warp == cta % 4)
            synth_do(s, m->lets, 1, mask);
        if (i == STEPS / 2 - 2 && (cta + warp) % 2)
            synth_do(s, m->waits, 1, mask);
        if (i == STEPS / 3 && warp == 2) {
            synth_do(s, m->exit, 1, 0xffff);
            mask = 0xffff0000;
        }
    }
    synth_do(s, m->exit, 1, mask);
}

/* `set`: assignments separated by spaces, or NULL. */
static struct numbers run_by(unsigned threads, const char *machine, const char *with, const char *set, bool tick_all,
                             uint64_t seed)
{
    struct mix m = {.seed = seed};
    struct synth s;
    synth_init(&s, CTAS, THREADS, mixed_warp, &m);
    make_kernel(&s, &m);
    char copy[256], *save = NULL;
    const char *assignment[8];
    struct gpu_opts o = {.machine = machine, .with = with, .tick_all = tick_all, .set = assignment, .threads = threads};
    snprintf(copy, sizeof copy, "%s", set ? set : "");
    for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
        assignment[o.n_set++] = one;
    struct err e;
    struct gpu *g = gpu_new(&o, &e);
    if (!g)
        fail_msg("%s: %s", machine, e.msg);
    for (int launch = 0; launch < 2; launch++) {
        enum gpu_end end = gpu_launch(g, &s.kernel, &s.launch, &s.streams, &e);
        if (end == GPU_DEADLOCKED)
            gpu_report_deadlock(g, stderr);
        assert_int_equal(end, GPU_DONE);
    }
    struct numbers n = numbers_of(g);
    gpu_free(g);
    synth_free(&s);
    return n;
}

static struct numbers run_synth(const char *machine, const char *with, const char *set, bool tick_all, uint64_t seed)
{
    return run_by(1, machine, with, set, tick_all, seed);
}

static void ticking_and_threads_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *with, *set;
    } cases[] = {
        {"gtx480", NULL, NULL},
        {"gtx480", "gto", NULL},
        {"gtx480", "two_level", NULL},
        {"gtx780", NULL, NULL},
        {"caps15", NULL, NULL},
        {"cart28", NULL, NULL},
        {"gtx480-gpgpusim", NULL, NULL},
        {"qv100-accelsim", NULL, NULL},
        {"v100", NULL, NULL},
        {"a100", NULL, NULL},
        {"rtx4090", NULL, NULL},
        {"mesh28", NULL, NULL},
        {"bfly36", NULL, NULL},
        {"h200", NULL, NULL},
        {"gtx480", "swl", "swl.limit=2"},
        {"gtx780", "swl", "swl.limit=1"},
        {"gtx480", "ccws", "ccws.k=200"},
        {"h200", "ccws", "ccws.k=1000 ccws.vta_entries=64"},
        {"gtx480", "pcal", "pcal.warps=3 pcal.tokens=2"},
        {"gtx480", "abyp", "abyp.threshold=1"},
        {"h200", "abyp,gto", "abyp.threshold=1 abyp.own_marks_only=no"},
        {"gtx480", "pd", "pd.distance=8"},
        {"gtx480", "pd,gto", "pd.distance=64 pd.count_scope=cache pd.renew_on_hit=no pd.bypass=no"},
        {"gtx480", "apcm,swl", "swl.limit=3"},
        {"mesh28", "shared", "noc.core_to_core=via-l2 noc.vcs=2"},
        /* Few MSHR entries and short queues: accesses stall for every reason, and are tried again and again. */
        {"gtx480", "racb",
         "l1.mshrs=4 l1.max_merges=2 l1.miss_queue=2 l2.max_merges=1 l2.miss_queue=3 l2.dram_queue=2"},
        {"mesh28", "racb", "l1.mshrs=4 l1.max_merges=2 l1.miss_queue=2 l2.mshrs=4"},
        {"h200", "racb", "l1.mshrs=4 l2.mshrs=4 l2.max_merges=2 l2.dram_queue=2"},
        {"gtx480", "racb,cart", "l1.mshrs=4 l1.miss_queue=2 l2.mshrs=4 l2.max_merges=2 l2.dram_queue=2"},
        {"gtx480", "mrpb", "l1.mshrs=4 l1.max_merges=2 l1.miss_queue=2 mrpb.bypass=any"},
        {"gtx480", NULL, "l2.partitions=2 l2.miss_queue=3 dram.queue=1"},
        {"gtx480", "bank_queues", "l2.partitions=2 l2.max_merges=1 l2.miss_queue=3 dram.queue=2"},
        {"h200", NULL, "memory.channels=2 l2.miss_queue=3"},
        {"gtx480", NULL, "vm.enabled=yes vm.page=64KiB vm.l1_entries=4 vm.l1_assoc=4 vm.l2_entries=8 vm.l2_assoc=8"},
        {"mesh28", "dyneb",
         "vm.enabled=yes vm.page=4KiB vm.l1_waiting=4 vm.l1_misses=2 vm.walkers=2 vm.first_touch=yes"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct numbers skip = run_synth(cases[i].machine, cases[i].with, cases[i].set, false, i);
        struct numbers tick = run_synth(cases[i].machine, cases[i].with, cases[i].set, true, i);
        must_equal(&skip, &tick, cases[i].with ? cases[i].with : cases[i].machine);
        if (i % 2 == 0) {
            struct numbers threads =
                run_by(2 + i / 2 % 2, cases[i].machine, cases[i].with, cases[i].set, i % 8 == 0, i);
            must_equal(&skip, &threads, "several threads");
            numbers_free(&threads);
        }
        numbers_free(&skip);
        numbers_free(&tick);
    }
}

/* Limits beyond what there is, tokens for everybody: the machine underneath. Only their own counters are added. */
static void policies_that_decide_nothing_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *with, *set;
    } cases[] = {{"swl", NULL},
                 {"pcal", NULL},
                 {"l1-management=pcal,gto", NULL},
                 {"l1-management=ccws,gto", NULL},
                 {"pd,gto", "pd.distance=1"}};
    struct numbers plain = run_synth("gtx480", "gto", NULL, false, 9);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct numbers with = run_synth("gtx480", cases[i].with, cases[i].set, false, 9);
        unsigned found = 0;
        for (unsigned k = 0; k < with.n; k++)
            for (unsigned j = 0; j < plain.n; j++)
                if (!strcmp(with.name[k], plain.name[j])) {
                    found++;
                    if (with.v[k] != plain.v[j])
                        fail_msg("%s: %s is %llu, not %llu", cases[i].with, with.name[k], (unsigned long long)with.v[k],
                                 (unsigned long long)plain.v[j]);
                }
        assert_int_equal(found, plain.n);
        numbers_free(&with);
    }
    numbers_free(&plain);
}

/* What events wait for: everything before them; or, in two streams, random ones of the latest, and now and then all.
 * `early`: launches may overlap one that they wait for. */
struct waiting {
    bool ordered, early;
    uint64_t launches; /* bit per event */
    uint64_t seed, n, floor;
    uint64_t after[4];
};

static void send(struct waiting *w, const struct stream_sink *sink, struct trace_event ev)
{
    if (w->ordered) {
        const bool wait = ev.kind == TRACE_EV_WAIT;
        ev.ordered = true;
        ev.floor = wait;
        ev.priority = (int8_t) - (next_random(&w->seed) % 3);
        ev.after = w->after;
        if (w->n)
            w->after[ev.n_after++] = w->floor;
        for (uint64_t i = w->floor + 1; i < w->n; i++)
            if (ev.n_after < 4 && (wait || next_random(&w->seed) % 3 == 0))
                w->after[ev.n_after++] = i;
        if (wait)
            w->floor = w->n;
    }
    if (w->early && ev.kind == TRACE_EV_LAUNCH) {
        ev.primary = w->ordered ? ev.n_after ? w->after[ev.n_after - 1] : 0 : w->n - 1;
        ev.early = w->launches >> ev.primary & 1 && (!w->ordered || ev.primary > w->floor);
        ev.lets_begin = true;
        w->launches |= 1ull << w->n;
    }
    w->n++;
    assert_int_equal(sink->event(sink->ctx, &ev), 0);
}

/* Sends the synthetic program to a sink as an emulator would: CTAs interleaved, in chunks. */
static void play(struct synth *s, const struct stream_sink *sink, unsigned launches, bool ordered, bool early)
{
    struct waiting order = {.ordered = ordered, .early = early, .seed = launches};
    send(&order, sink, (struct trace_event){.kind = TRACE_EV_COPY_H2D, .address = 0x200000000000ull, .bytes = 65536});
    for (unsigned l = 0; l < launches; l++) {
        if (ordered && l % 3 == 2)
            send(&order, sink, (struct trace_event){.kind = TRACE_EV_WAIT});
        if (ordered && l % 2)
            send(&order, sink,
                 (struct trace_event){.kind = TRACE_EV_COPY_D2H, .address = 0x200000000000ull, .bytes = 999});
        send(&order, sink, (struct trace_event){.kind = TRACE_EV_LAUNCH, .index = l});
        assert_int_equal(sink->launch_begin(sink->ctx, &s->kernel, &s->launch, l), 0);
        uint32_t warps = trace_warps_per_cta(&s->launch);
        for (uint64_t cta = 0; cta < trace_ctas(&s->launch); cta++) {
            uint32_t end[64];
            uint8_t *bytes = NULL;
            size_t len = 0, cap = 0;
            for (uint32_t w = 0; w < warps; w++) {
                stream_enc_begin(s->enc, &s->kernel);
                s->warp(s, s->ctx, cta, w);
                stream_enc_take(s->enc, &bytes, &len, &cap);
                end[w] = (uint32_t)len;
            }
            struct stream_chunk k = {.cta = cta, .last = 1, .n_warp = warps, .end = end, .bytes = bytes};
            assert_int_equal(sink->chunk(sink->ctx, l, &k), 0);
            free(bytes);
        }
        assert_int_equal(sink->launch_end(sink->ctx, l), 0);
    }
}

static void live_equals_replay(bool ordered, bool early, unsigned launches, bool tick, unsigned threads)
{
    struct mix m = {.seed = 77};
    struct synth s;
    synth_init(&s, CTAS, THREADS, mixed_warp, &m);
    make_kernel(&s, &m);
    char path[] = "/tmp/weir-same-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct err e;
    struct trace_writer *w = trace_writer_open(path, "synthetic", NULL, &e);
    assert_non_null(w);
    play(&s, trace_writer_sink(w), launches, ordered, early);
    assert_int_equal(trace_writer_close(w, &e), 0);

    struct gpu_opts o = {.machine = "gtx480-gpgpusim", .tick_all = tick};
    struct gpu *g = gpu_new(&o, &e);
    struct trace_file *f = trace_open(path, &e);
    assert_non_null(f);
    assert_int_equal(gpu_replay(g, f, &e), GPU_DONE);
    uint64_t replay_ns = gpu_time_ns(g);
    const struct gpu_results *r = gpu_get_results(g);
    uint64_t overlapped = 0, last_ps = gpu_done_ps(g, trace_n_events(f) - 1);
    for (unsigned i = 0; i < r->n_kernel; i++)
        overlapped += r->kernel[i].overlapped;
    assert_int_equal(overlapped > 0, ordered || early);
    struct numbers replay = numbers_of(g);
    gpu_free(g);
    trace_close(f);

    o.tick_all = false;
    o.threads = threads;
    struct gpu_live *live = gpu_live_open(&o, &e);
    assert_non_null(live);
    play(&s, gpu_live_sink(live), launches, ordered, early);
    if (!ordered)
        assert_int_equal(gpu_live_done_ps(live, gpu_live_events(live) - 1), last_ps);
    g = gpu_live_finish(live);
    assert_int_equal(gpu_live_status(live, &e), GPU_DONE);
    assert_int_equal(gpu_time_ns(g), replay_ns);
    assert_int_equal(gpu_done_ps(g, gpu_live_events(live) - 1), last_ps);
    struct numbers now = numbers_of(g);
    must_equal(&replay, &now, "live and replay");
    gpu_live_close(live);
    numbers_free(&replay);
    numbers_free(&now);
    remove(path);
    synth_free(&s);
}

static void live_equals_replay_in_order(void **state)
{
    (void)state;
    live_equals_replay(false, false, 3, false, 1);
    live_equals_replay(false, false, 3, false, 3);
}

static void live_equals_replay_side_by_side(void **state)
{
    (void)state;
    live_equals_replay(true, false, 5, false, 1);
    live_equals_replay(true, false, 8, false, 3);
    live_equals_replay(true, false, 4, true, 1);
}

static void live_equals_replay_of_dependent_launches(void **state)
{
    (void)state;
    live_equals_replay(false, true, 5, false, 1);
    live_equals_replay(false, true, 3, true, 3);
    live_equals_replay(true, true, 8, false, 1);
    live_equals_replay(true, true, 5, true, 3);
}

static void *in_thread(void *arg)
{
    *(struct numbers *)arg = run_synth("gtx480", NULL, NULL, false, 5);
    return NULL;
}

static void machines_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct numbers alone = run_synth("gtx480", NULL, NULL, false, 5), beside[3];
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&t[i], NULL, in_thread, &beside[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        must_equal(&alone, &beside[i], "threads");
        numbers_free(&beside[i]);
    }
    numbers_free(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticking_and_threads_change_nothing),
        cmocka_unit_test(policies_that_decide_nothing_change_nothing),
        cmocka_unit_test(live_equals_replay_in_order),
        cmocka_unit_test(live_equals_replay_side_by_side),
        cmocka_unit_test(live_equals_replay_of_dependent_launches),
        cmocka_unit_test(machines_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
