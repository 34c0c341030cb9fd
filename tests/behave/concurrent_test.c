/*
 * Work in simulated time: kernels side by side and one after another, priorities, copies, whose statistics are whose.
 *
 * The kernels are chains of dependent additions whose CTAs need all the shared memory of an SM, so a CTA takes the same
 * time whatever runs on the other SMs, and the ends of kernels follow from sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/stats.h"
#include "gpu/work.h"
#include "synth.h"

#include <string.h>

enum { SMS = 4, ADDS = 200, WARPS_OF_MIX = 4 };

struct program {
    struct synth synth[4];
    struct gpu *gpu;
    struct gpu_source source;
    uint32_t launches;
};

struct adds {
    uint32_t add, load, lets, waits, exit;
};
static struct adds pc;

static void chain(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    (void)ctx, (void)cta, (void)warp;
    for (unsigned i = 0; i < ADDS; i++)
        synth_do(s, pc.add, 1, ~0u);
    synth_do(s, pc.exit, 1, ~0u);
}

/* Lets others begin after a quarter of its additions, waits after half of them. */
static void dependent(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    (void)ctx, (void)cta, (void)warp;
    for (unsigned i = 0; i < 4 * ADDS; i++) {
        if (i == ADDS)
            synth_do(s, pc.lets, 1, 1u << 5);
        if (i == 2 * ADDS)
            synth_do(s, pc.waits, 1, ~0u);
        synth_do(s, pc.add, 1, ~0u);
    }
    synth_do(s, pc.exit, 1, ~0u);
}

/* Loads, so that kernels disturb each other; `ctx`: where the kernel's data lies. */
static void loads(struct synth *s, void *ctx, uint64_t cta, uint32_t warp)
{
    const uint64_t base = (uint64_t)(uintptr_t)ctx;
    for (unsigned i = 0; i < 20; i++) {
        synth_affine(s, pc.load, ~0u, TRACE_SP_GLOBAL, base + ((cta * WARPS_OF_MIX + warp) * 20 + i) * 128, 4);
        synth_do(s, pc.add, 1, ~0u);
    }
    synth_do(s, pc.exit, 1, ~0u);
}

static void make(struct synth *s, uint32_t ctas, uint32_t threads, synth_warp *warp, void *ctx)
{
    synth_init(s, ctas, threads, warp, ctx);
    pc.add = synth_inst(s, TRACE_FP_ADD, REGS(1), REGS(1));
    pc.load = synth_mem_inst(s, TRACE_LOAD, TRACE_SP_GLOBAL, 4, REGS(1), NULL);
    pc.exit = synth_inst(s, TRACE_EXIT, NULL, NULL);
    pc.lets = synth_inst(s, TRACE_NOP, NULL, NULL);
    pc.waits = synth_inst(s, TRACE_NOP, NULL, NULL);
    synth_seal(s);
    s->inst.p[pc.lets].barrier = TRACE_GRIDDEP_LAUNCH;
    s->inst.p[pc.waits].barrier = TRACE_GRIDDEP_WAIT;
    s->kernel.smem_static_bytes = warp == loads ? 0 : 48 << 10;
}

static const struct sm_streams *open_launch(void *ctx, uint32_t launch)
{
    struct program *p = ctx;
    return &p->synth[launch].streams;
}

static void close_launch(void *ctx, uint32_t launch)
{
    (void)ctx, (void)launch;
}

static void begin(struct program *p, const char *with)
{
    static const char *const set[] = {"machine.sms=4", "machine.launch_cycles=0", "clock.core=700MHz", NULL};
    struct err e;
    const struct gpu_opts o = {.machine = "gtx480", .set = set, .n_set = 3, .with = with};
    memset(p, 0, sizeof *p);
    p->gpu = gpu_new(&o, &e);
    if (!p->gpu)
        fail_msg("%s", e.msg);
    p->source = (struct gpu_source){p, open_launch, close_launch};
}

struct after {
    uint32_t n;
    uint64_t on[4];
};
#define AFTER(...) (&(struct after){sizeof((uint64_t[]){__VA_ARGS__}) / 8, {__VA_ARGS__}})
static const struct after nothing = {0};

/* after NULL: everything before it. `primary`: the launch whose end it need not wait for; UINT64_MAX = none. */
static uint64_t launch_early(struct program *p, uint32_t ctas, int8_t priority, const struct after *after,
                             uint64_t primary)
{
    struct synth *s = &p->synth[p->launches];
    if (!s->enc)
        make(s, ctas, 32, chain, NULL);
    const struct trace_event ev = {.kind = TRACE_EV_LAUNCH,
                                   .ordered = after != NULL,
                                   .priority = priority,
                                   .early = primary != UINT64_MAX,
                                   .primary = primary,
                                   .n_after = after ? after->n : 0,
                                   .after = after ? after->on : NULL,
                                   .index = p->launches++};
    return gpu_submit(p->gpu, &ev, &s->kernel, &s->launch, &p->source);
}

static uint64_t launch(struct program *p, uint32_t ctas, int8_t priority, const struct after *after)
{
    return launch_early(p, ctas, priority, after, UINT64_MAX);
}

static uint64_t event(struct program *p, enum trace_event_kind kind, uint64_t bytes, const struct after *after)
{
    const struct trace_event ev = {.kind = (uint8_t)kind,
                                   .ordered = true,
                                   .n_after = after->n,
                                   .after = after->on,
                                   .address = 0x200000000000ull,
                                   .bytes = bytes};
    return gpu_submit(p->gpu, &ev, NULL, NULL, NULL);
}

static const struct gpu_results *finish(struct program *p)
{
    struct err e;
    assert_int_equal(gpu_run_until(p->gpu, UINT64_MAX, &e), GPU_DONE);
    if (gpu_finish(p->gpu, true, &e))
        fail_msg("%s", e.msg);
    return gpu_get_results(p->gpu);
}

static uint64_t value(const struct gpu_results *r, const uint64_t *v, const char *name)
{
    return v[stats_find(r->stats, name)];
}

static uint64_t cycles_of(const struct gpu_results *r, unsigned kernel)
{
    return value(r, r->kernel[kernel].value, "cycles");
}

static uint64_t end_of(const struct gpu_results *r, unsigned kernel)
{
    return r->kernel[kernel].start_cycle + cycles_of(r, kernel);
}

static void end(struct program *p)
{
    gpu_free(p->gpu);
    for (unsigned i = 0; i < 4; i++)
        if (p->synth[i].enc)
            synth_free(&p->synth[i]);
}

/* Cycles of a kernel whose CTAs all run at once. */
static uint64_t alone(void)
{
    struct program p;
    begin(&p, NULL);
    launch(&p, 2, 0, &nothing);
    const uint64_t cycles = value(finish(&p), gpu_get_results(p.gpu)->total, "cycles");
    end(&p);
    assert_true(cycles > ADDS);
    return cycles;
}

static void halves_of_the_machine_take_the_time_of_one(void **state)
{
    (void)state;
    const uint64_t one = alone();
    struct program p;
    begin(&p, NULL);
    launch(&p, 2, 0, &nothing);
    launch(&p, 2, 0, &nothing);
    const struct gpu_results *r = finish(&p);
    assert_int_equal(cycles_of(r, 0), one);
    assert_int_equal(r->kernel[1].start_cycle, 0);
    assert_int_equal(cycles_of(r, 1), one + 1); /* the dispatcher comes to it a cycle later */
    assert_int_equal(value(r, r->total, "cycles"), one + 1);
    assert_int_equal(r->kernel[0].overlapped, one);
    assert_int_equal(r->kernel[1].overlapped, one);
    end(&p);
}

static void work_waits_for_what_it_depends_on(void **state)
{
    (void)state;
    const uint64_t one = alone();
    for (unsigned how = 0; how < 4; how++) {
        struct program p;
        begin(&p, NULL);
        const uint64_t a = launch(&p, 2, 0, &nothing);
        uint64_t on = a;
        if (how == 2) /* a wait of the host */
            on = event(&p, TRACE_EV_WAIT, 0, AFTER(a));
        if (how == 3) { /* the machine stands still in between, as when the program goes on later */
            struct err e;
            assert_int_equal(gpu_run_until(p.gpu, a, &e), GPU_DONE);
        }
        launch(&p, 2, 0, how == 1 ? NULL : AFTER(on));
        const struct gpu_results *r = finish(&p);
        assert_int_equal(cycles_of(r, 0), one);
        assert_int_equal(r->kernel[1].start_cycle, one);
        assert_int_equal(cycles_of(r, 1), one);
        assert_int_equal(value(r, r->total, "cycles"), 2 * one);
        assert_int_equal(r->kernel[1].overlapped, 0);
        end(&p);
    }
}

/* Six CTAs on four SMs leave two free in their second wave. */
static void room_that_is_left_goes_to_the_next_kernel(void **state)
{
    (void)state;
    const uint64_t one = alone();
    struct program p;
    begin(&p, NULL);
    launch(&p, 6, 0, &nothing);
    launch(&p, 2, 0, &nothing);
    const struct gpu_results *r = finish(&p);
    assert_in_range(end_of(r, 0), 3 * one / 2, 2 * one); /* the second wave finds its instructions in the cache */
    assert_in_range(end_of(r, 1), 2 * one - 2, 2 * one + 4);
    assert_int_equal(value(r, r->total, "sm.ctas"), 8);
    assert_int_equal(value(r, r->kernel[0].value, "sm.ctas"), 6);
    assert_int_equal(value(r, r->kernel[1].value, "sm.ctas"), 2);
    end(&p);
}

/* Both fill the machine: the first one first, unless the other has the higher priority. */
static void priority_goes_first(void **state)
{
    (void)state;
    const uint64_t one = alone();
    for (int8_t priority = 0; priority >= -1; priority--) {
        struct program p;
        begin(&p, NULL);
        launch(&p, SMS, 0, &nothing);
        launch(&p, SMS, priority, &nothing);
        const struct gpu_results *r = finish(&p);
        const unsigned first = priority ? 1 : 0;
        assert_in_range(end_of(r, first), one, one + 4);
        assert_in_range(end_of(r, !first), 2 * one - 2, 2 * one + 6);
        end(&p);
    }
}

/* A kernel that does not fit beside the first holds back one behind it that would. */
static void a_kernel_without_room_holds_back_the_next(void **state)
{
    (void)state;
    const uint64_t one = alone();
    struct program p;
    begin(&p, NULL);
    launch(&p, SMS, 0, &nothing);
    make(&p.synth[1], 1, 32, chain, NULL);
    make(&p.synth[2], 1, 32, chain, NULL);
    p.synth[2].kernel.smem_static_bytes = 0;
    launch(&p, 1, 0, &nothing);
    launch(&p, 1, 0, &nothing);
    const struct gpu_results *r = finish(&p);
    assert_in_range(end_of(r, 1), 2 * one - 2, 2 * one + 6);
    assert_in_range(end_of(r, 2), 2 * one - 2, 2 * one + 6);
    end(&p);
}

/* A copy of 25000 bytes from the host takes 2 us. */
static void copies_have_their_own_time(void **state)
{
    (void)state;
    const uint64_t one = alone();
    struct program p;
    begin(&p, NULL);
    const uint64_t a = event(&p, TRACE_EV_COPY_H2D, 25000, &nothing), b = event(&p, TRACE_EV_COPY_D2H, 25000, &nothing);
    const uint64_t c = event(&p, TRACE_EV_COPY_H2D, 25000, &nothing);
    const uint64_t k = launch(&p, 2, 0, AFTER(c)), l = launch(&p, 2, 0, AFTER(k));
    const uint64_t d = event(&p, TRACE_EV_COPY_H2D, 25, AFTER(c));
    const struct gpu_results *r = finish(&p);
    assert_int_equal(gpu_done_ps(p.gpu, a), 2000000);
    assert_int_equal(gpu_done_ps(p.gpu, b), 2000000); /* another engine */
    assert_int_equal(gpu_done_ps(p.gpu, c), 4000000); /* the same one */
    assert_int_equal(r->kernel[0].start_cycle, 0);    /* the machine's cycles have stood still */
    assert_int_equal(value(r, r->total, "cycles"), 2 * one);
    assert_int_equal(gpu_done_ps(p.gpu, k), 4000000 + one * 10 / 7 * 1000);
    assert_int_equal(gpu_done_ps(p.gpu, l), 4000000 + 2 * one * 10 / 7 * 1000);
    assert_in_range(gpu_done_ps(p.gpu, d), 5001000, 5002000); /* meanwhile, on a cycle's end */
    end(&p);
}

/* Kernels that share SMs and caches: what they did themselves is theirs, and adds up. */
static void counters_of_kernels_add_up(void **state)
{
    (void)state;
    static const char *const own[] = {"warp_insts", "thread_insts",  "sm.ctas",         "sm.mem_insts",
                                      "sm.replies", "sm.insts.load", "sm.insts.fp_add", "sm.line_requests.data",
                                      "launches"};
    struct program p;
    uint64_t before[2][sizeof own / sizeof *own];
    for (unsigned how = 0; how < 2; how++) {
        begin(&p, NULL);
        make(&p.synth[0], 40, WARPS_OF_MIX * 32, loads, (void *)0x200000000000ull);
        make(&p.synth[1], 25, WARPS_OF_MIX * 32 - 5, loads, (void *)0x200000010000ull);
        launch(&p, 0, 0, &nothing);
        launch(&p, 0, 0, how ? &nothing : AFTER(0));
        const struct gpu_results *r = finish(&p);
        assert_int_equal(r->kernel[0].overlapped > 0, how);
        for (unsigned i = 0; i < sizeof own / sizeof *own; i++) {
            uint64_t sum = 0;
            for (unsigned k = 0; k < 2; k++) {
                const uint64_t v = value(r, r->kernel[k].value, own[i]);
                if (how)
                    assert_int_equal(v, before[k][i]);
                before[k][i] = v;
                sum += v;
            }
            assert_int_equal(sum, value(r, r->total, own[i]));
        }
        /* All that was served was served to one of them. */
        uint64_t sum = 0;
        for (unsigned k = 0; k < 2; k++)
            sum += value(r, r->kernel[k].value, "sm.served.l1") + value(r, r->kernel[k].value, "sm.served.l1_merge") +
                   value(r, r->kernel[k].value, "sm.served.l2") + value(r, r->kernel[k].value, "sm.served.dram");
        assert_int_equal(sum, value(r, r->total, "sm.replies"));
        end(&p);
    }
}

/* Ends of kernels in a stream, in quarters of a kernel; each but the first may overlap the one before. */
static void overlap(unsigned n, const char *with, const double *begins, const double *ends)
{
    struct program p;
    begin(&p, with);
    uint64_t before = UINT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        make(&p.synth[i], 2, 32, dependent, NULL);
        before = launch_early(&p, 2, 0, i ? AFTER(before) : &nothing, before);
    }
    const struct gpu_results *r = finish(&p);
    const double quarter = (double)cycles_of(r, 0) / 4;
    for (unsigned i = 0; i < n; i++) {
        assert_float_equal((double)r->kernel[i].start_cycle / quarter, begins[i], 0.3); /* the first takes longest */
        assert_float_equal((double)end_of(r, i) / quarter, ends[i], 0.3);
        assert_int_equal(value(r, r->kernel[i].value, "warp_insts"), 2 * (4 * ADDS + 3));
    }
    end(&p);
}

static void dependent_kernels_overlap_up_to_the_wait(void **state)
{
    (void)state;
    overlap(2, NULL, (double[]){0, 1}, (double[]){4, 6}); /* waits in the third quarter of its own */
    overlap(3, NULL, (double[]){0, 1, 2}, (double[]){4, 6, 8});
    overlap(3, "apcm", (double[]){0, 4, 8}, (double[]){4, 8, 12}); /* one kernel at a time */
}

/* CTAs that never let others begin do so when they end; the grid is done with the last, and not before its primary. */
static void all_ctas_let_dependents_begin_or_end(void **state)
{
    (void)state;
    struct program p;
    begin(&p, NULL);
    make(&p.synth[0], 2, 32, dependent, NULL);
    make(&p.synth[1], 6, 32, chain, NULL);
    const uint64_t first = launch(&p, 2, 0, &nothing), second = launch_early(&p, 6, 0, AFTER(first), first);
    const uint64_t third = launch_early(&p, 2, 0, AFTER(second), second);
    const uint64_t fourth = launch(&p, 2, 0, AFTER(third));
    const struct gpu_results *r = finish(&p);
    const uint64_t one = cycles_of(r, 2);
    /* Its six CTAs have two SMs until the first kernel ends; the third begins with its last one's end. */
    assert_in_range(r->kernel[1].start_cycle, one - 20, one + 20);
    assert_in_range(end_of(r, 1), 7 * one / 2, 9 * one / 2);
    assert_int_equal(r->kernel[2].start_cycle, end_of(r, 1));
    assert_int_equal(r->kernel[3].start_cycle, end_of(r, 2));
    assert_true(gpu_done_ps(p.gpu, second) >= gpu_done_ps(p.gpu, first));
    assert_true(gpu_done_ps(p.gpu, fourth) > gpu_done_ps(p.gpu, third));
    end(&p);
    /* Done before the first: what follows it waits for both. */
    begin(&p, NULL);
    make(&p.synth[0], 2, 32, dependent, NULL);
    const uint64_t a = launch(&p, 2, 0, &nothing), b = launch_early(&p, 2, 0, AFTER(a), a);
    const uint64_t c = launch(&p, 2, 0, AFTER(b));
    r = finish(&p);
    assert_true(end_of(r, 1) < end_of(r, 0));
    assert_int_equal(gpu_done_ps(p.gpu, a), gpu_done_ps(p.gpu, b));
    assert_int_equal(r->kernel[2].start_cycle, end_of(r, 0));
    assert_true(gpu_done_ps(p.gpu, c) > gpu_done_ps(p.gpu, b));
    end(&p);
}

static void policies_that_know_one_kernel_take_turns(void **state)
{
    (void)state;
    struct program p;
    begin(&p, "apcm");
    assert_non_null(gpu_takes_turns(p.gpu));
    launch(&p, 2, 0, &nothing);
    launch(&p, 2, 0, &nothing);
    const struct gpu_results *r = finish(&p);
    assert_int_equal(r->kernel[1].start_cycle, cycles_of(r, 0));
    assert_int_equal(r->kernel[1].overlapped, 0);
    end(&p);
    begin(&p, NULL);
    assert_null(gpu_takes_turns(p.gpu));
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_the_machine_take_the_time_of_one),
        cmocka_unit_test(work_waits_for_what_it_depends_on),
        cmocka_unit_test(room_that_is_left_goes_to_the_next_kernel),
        cmocka_unit_test(priority_goes_first),
        cmocka_unit_test(a_kernel_without_room_holds_back_the_next),
        cmocka_unit_test(copies_have_their_own_time),
        cmocka_unit_test(counters_of_kernels_add_up),
        cmocka_unit_test(dependent_kernels_overlap_up_to_the_wait),
        cmocka_unit_test(all_ctas_let_dependents_begin_or_end),
        cmocka_unit_test(policies_that_know_one_kernel_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
