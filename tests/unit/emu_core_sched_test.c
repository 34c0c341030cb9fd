/*
 * Who runs when: barriers, warps and lanes that wait for each other, blocks that wait for each other, runaways and
 * deadlocks, builtin functions, child launches, recorded streams.
 */
#include "emu_core.h"

#include <stdio.h>

/* ---- barriers ---- */

/* A block of 80 threads (a partial warp) reverses its numbers through shared memory. */
static void test_barrier_partial_warp(void **state)
{
    (void)state;
    uint32_t out[160];
    run_words(HEAD ".shared .align 4 .b32 s[80];\n" ENTRY("k")
                  "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\n"
                  "st.shared.u32 [%r4], %r0;\nbar.sync 0;\nsub.u32 %r5, 316, %r2;\nadd.u32 %r5, %r5, %r3;\n"
                  "ld.shared.u32 %r6, [%r5];\nst.global.u32 [%out], %r6;\nret;\n}\n",
              2, 80, out, NULL, 0);
    for (uint32_t i = 0; i < 160; i++)
        assert_int_equal(out[i], i / 80 * 80 + 79 - i % 80);
}

/* Threads that have exited are not waited for. */
static void test_barrier_after_exits(void **state)
{
    (void)state;
    uint32_t out[128];
    run_words(BODY("mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 50;\n@%p1 ret;\nbar.sync 0;\nbarrier.sync 3;\n"
                   "st.global.u32 [%out], 5;\nret;"),
              1, 128, out, NULL, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], i < 50 ? 5 : 0);
}

/* Both sides of a divergent branch, and code after a side with an exit, come to the same barrier. */
static void test_barrier_in_divergent_code(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(HEAD ".shared .align 4 .u32 n;\n" ENTRY("k")
                  "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 20;\n@%p1 bra A;\nsetp.eq.u32 %p2, %r1, 63;\n@%p2 exit;\n"
                  "atom.shared.add.u32 %r2, [n], 1;\nbar.sync 1;\nbra END;\n"
                  "A: atom.shared.add.u32 %r2, [n], 1;\nbar.sync 1;\n"
                  "END: ld.shared.u32 %r3, [n];\nst.global.u32 [%out], %r3;\nret;\n}\n",
              1, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 63; i++)
        assert_int_equal(out[i], 63);
    assert_int_equal(out[63], 0);
}

/* Producer and consumer warps over named barriers with counts. */
static void test_named_barriers(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(HEAD ".shared .align 4 .b32 s[32];\n" ENTRY("k")
                  "mov.u32 %r1, %tid.x;\nmov.u32 %r9, s;\nand.b32 %r2, %r1, 31;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r9, %r9, %r2;\n"
                  "mov.u32 %r7, 0;\nmov.u32 %r8, 0;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra CONSUME;\n"
                  "P: bar.sync 2, 64;\nadd.u32 %r3, %r7, %r2;\nst.shared.u32 [%r9], %r3;\nbar.arrive 1, 64;\n"
                  "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 10;\n@%p2 bra P;\nret;\n"
                  "CONSUME: bar.arrive 2, 64;\nC: bar.sync 1, 64;\nld.shared.u32 %r4, [%r9];\nadd.u32 %r8, %r8, %r4;\n"
                  "add.u32 %r7, %r7, 1;\nsetp.ge.u32 %p2, %r7, 10;\n@%p2 bra E;\nbar.arrive 2, 64;\nbra C;\n"
                  "E: st.global.u32 [%out], %r8;\nret;\n}\n",
              1, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 45 + 10 * 4 * i);
}

static void test_barrier_reductions(void **state)
{
    (void)state;
    uint32_t out[96];
    run_words(
        BODY("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 70;\nbar.red.popc.u32 %r2, 0, %p1;\n"
             "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\nbar.red.and.pred %p4, 0, !%p1;\n"
             "selp.u32 %r3, 1000, 0, %p2;\nselp.u32 %r4, 100, 0, %p3;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, %r4;\n"
             "selp.u32 %r3, 5000, 0, %p4;\nadd.u32 %r2, %r2, %r3;\nst.global.u32 [%out], %r2;\nret;"),
        1, 96, out, NULL, 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(out[i], 170);
}

static void test_barrier_never(void **state)
{
    (void)state;
    /* The first warp waits at barrier 0, the others at barrier 1. */
    struct device d =
        device_open(BODY("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1;\nret;\n"
                         "A: bar.sync 0;\nret;"),
                    NULL);
    assert_int_equal(device_try(&d, "k", 1, 96, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_BARRIER);
    assert_non_null(
        strstr(d.fault.text, "barrier 0 can never complete: 32 of the CTA's 96 running threads wait there"));
    device_close(&d);
    d = device_open(BODY("bar.sync 0, 128;\nret;"), NULL);
    assert_int_equal(device_try(&d, "k", 1, 96, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_BARRIER);
    assert_non_null(strstr(d.fault.text, "it expects 128 threads, 96 have arrived"));
    device_close(&d);
    d = device_open(BODY("bar.sync 0, 40;\nret;"), NULL);
    assert_int_equal(device_try(&d, "k", 1, 96, 0, NULL, NULL, 0), -1);
    assert_non_null(strstr(d.fault.text, "multiple of 32"));
    device_close(&d);
    d = device_open(BODY("mov.u32 %r1, 16;\nbar.sync %r1;\nret;"), NULL);
    assert_int_equal(device_try(&d, "k", 1, 96, 0, NULL, NULL, 0), -1);
    assert_non_null(strstr(d.fault.text, "barrier number 16"));
    device_close(&d);
}

/* ---- lanes that wait for lanes ---- */

/* while (atomicCAS(lock, 0, 1)); counter++ ; atomicExch(lock, 0): all lanes of two warps want one lock */
static void test_spin_lock_in_warp(void **state)
{
    (void)state;
    struct device d =
        device_open(BODY("S: atom.global.cas.b32 %r1, [%b], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra S;\n"
                         "ld.volatile.global.u32 %r2, [%b+4];\nadd.u32 %r2, %r2, 1;\n"
                         "st.volatile.global.u32 [%b+4], %r2;\nmembar.gl;\n"
                         "atom.global.exch.b32 %r3, [%b], 0;\nst.global.u32 [%out], %r2;\nret;"),
                    NULL);
    uint32_t *out = device_alloc(&d, 512), *lock = device_alloc(&d, 8);
    device_run(&d, "k", 2, 64, 0, out, lock, 0);
    assert_int_equal(lock[0], 0);
    assert_int_equal(lock[1], 128);
    uint8_t seen[129] = {0};
    for (uint32_t i = 0; i < 128; i++) {
        assert_in_range(out[i], 1, 128);
        seen[out[i]]++;
    }
    for (uint32_t i = 1; i <= 128; i++)
        assert_int_equal(seen[i], 1);
    assert_true(emu_get_stats(d.emu)->warp_insts < 2000000);
    device_close(&d);
}

/* A spin that the stack's order would never end: the waiting side runs first, the releasing side waits for it. */
static void test_spin_on_own_warp(void **state)
{
    (void)state;
    for (int flip = 0; flip < 2; flip++) {
        struct device d = device_open(
            flip ? BODY("setp.ne.u32 %p1, %r0, 5;\n@%p1 bra W;\nst.volatile.global.u32 [%b], 1;\nbra END;\n"
                        "W: ld.volatile.global.u32 %r1, [%b];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\n"
                        "END: st.global.u32 [%out], 3;\nret;")
                 : BODY("setp.eq.u32 %p1, %r0, 5;\n@%p1 bra S;\n"
                        "W: ld.volatile.global.u32 %r1, [%b];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\nbra END;\n"
                        "S: st.volatile.global.u32 [%b], 1;\nEND: st.global.u32 [%out], 3;\nret;"),
            NULL);
        uint32_t *out = device_alloc(&d, 128), *flag = device_alloc(&d, 4);
        device_run(&d, "k", 1, 32, 0, out, flag, 0);
        for (int i = 0; i < 32; i++)
            assert_int_equal(out[i], 3);
        device_close(&d);
    }
}

/* Lanes that have parted for good (one side may exit) meet at a shuffle that names them all, and stay together. */
static void test_sync_reconverges(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(
        BODY("setp.lt.u32 %p1, %r0, 8;\n@!%p1 bra GO;\nsetp.eq.u32 %p2, %r0, 99;\n@%p2 exit;\nadd.u32 %r0, %r0, 100;\n"
             "GO: shfl.sync.bfly.b32 %r1, %r0, 31, 31, -1;\nactivemask.b32 %r2;\nadd.u32 %r2, %r2, 1;\n"
             "add.u32 %r1, %r1, %r2;\nst.global.u32 [%out], %r1;\nret;"),
        1, 32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 31 - i < 8 ? 131 - i : 31 - i);
}

static void test_warp_barrier(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(HEAD ".shared .align 4 .b32 s[32];\n" ENTRY("k")
                  "mov.u32 %r9, s;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r8, %r9, %r2;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\n"
                  "st.shared.u32 [%r8], %r0;\nbar.warp.sync -1;\nxor.b32 %r3, %r2, 124;\nadd.u32 %r3, %r3, %r9;\n"
                  "ld.shared.u32 %r4, [%r3];\nbra END;\n"
                  "LOW: add.u32 %r5, %r0, 1000;\nst.shared.u32 [%r8], %r5;\nbar.warp.sync -1;\nxor.b32 %r3, %r2, 124;\n"
                  "add.u32 %r3, %r3, %r9;\nld.shared.u32 %r4, [%r3];\nEND: st.global.u32 [%out], %r4;\nret;\n}\n",
              1, 32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 16 ? 31 - i : 1031 - i);
}

/* ---- blocks that wait for blocks ---- */

/* Every block adds to a counter, then its first thread waits until all blocks have. */
static void test_grid_barrier(void **state)
{
    (void)state;
    struct device d =
        device_open(BODY("mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra J;\n"
                         "atom.global.add.u32 %r2, [%b], 1;\ncvt.u32.u64 %r5, %n;\n"
                         "W: ld.volatile.global.u32 %r3, [%b];\nsetp.lt.u32 %p2, %r3, %r5;\n@%p2 bra W;\n"
                         "J: bar.sync 0;\nld.volatile.global.u32 %r4, [%b];\nst.global.u32 [%out], %r4;\nret;"),
                    NULL);
    uint32_t *out = device_alloc(&d, 100 * 64 * 4), *count = device_alloc(&d, 4);
    device_run(&d, "k", 100, 64, 0, out, count, 100);
    for (int i = 0; i < 6400; i++)
        assert_int_equal(out[i], 100);
    assert_true(emu_get_stats(d.emu)->warp_insts < 100000);
    device_close(&d);
}

/* Blocks wait for the next one: the worst order for running one after the other. */
static void test_backward_chain(void **state)
{
    (void)state;
    struct emu_opts o = {.sm_count = 4, .ctas_per_sm = 4};
    struct device d =
        device_open(BODY("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nsub.u32 %r2, %r2, 1;\n"
                         "mul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd1, %b;\nsetp.eq.u32 %p1, %r1, %r2;\n"
                         "@%p1 bra GO;\nW: ld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p2, %r3, 0;\n"
                         "@%p2 bra W;\nGO: add.u32 %r3, %r3, 1;\nst.release.gpu.global.u32 [%rd1], %r3;\n"
                         "st.global.u32 [%out], %r3;\nret;"),
                    &o);
    uint32_t *out = device_alloc(&d, 16 * 32 * 4), *flag = device_alloc(&d, 17 * 4);
    device_run(&d, "k", 16, 32, 0, out, flag, 0);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(flag[i], 16 - i);
    device_close(&d);
}

static void test_deadlock(void **state)
{
    (void)state;
    struct device d =
        device_open(BODY("W: ld.volatile.global.u32 %r3, [%b];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra W;\nret;"), NULL);
    uint32_t *flag = device_alloc(&d, 4);
    assert_int_equal(device_try(&d, "k", 3, 64, 0, NULL, flag, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_DEADLOCK);
    device_close(&d);
}

static void test_runaway(void **state)
{
    (void)state;
    struct emu_opts o = {.max_warp_insts = 100000};
    struct device d = device_open(BODY("L: add.u32 %r1, %r1, 1;\nbra L;"), &o);
    assert_int_equal(device_try(&d, "k", 3, 64, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_RUNAWAY);
    assert_non_null(strstr(d.fault.text, "100000"));
    assert_true(emu_get_stats(d.emu)->warp_insts < 200000);
    device_close(&d);
}

/* ---- builtins ---- */

static char *printed(const char *ptx, uint32_t grid, uint32_t block)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    struct emu_opts o = {.printf_out = f};
    struct device d = device_open(ptx, &o);
    device_run(&d, "k", grid, block, 0, NULL, NULL, 0);
    fclose(f);
    device_close(&d);
    return text;
}

#define PRINTF                                                                                                         \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                                           \
    ".global .align 1 .b8 str[5] = {104, 101, 108, 108, 0};\n"
#define CALL_PRINTF                                                                                                    \
    "mov.u64 %rd8, fmt;\ncvta.global.u64 %rd8, %rd8;\n{ .param .b64 x;\n.param .b64 y;\n.param .b32 z;\n"              \
    "st.param.b64 [x], %rd8;\nst.param.b64 [y], %rd9;\ncall.uni (z), vprintf, (x, y);\nld.param.b32 %r9, [z]; }\n"

static void test_printf(void **state)
{
    (void)state;
    /* "%d|%5.2f|%s|%c|%lld|%x|%%|%-4u|%p|%*d\n" */
    char *text = printed(
        HEAD PRINTF ".global .align 1 .b8 fmt[40] = {37, 100, 124, 37, 53, 46, 50, 102, 124, 37, 115, 124, 37, 99, 124, 37, "
                    "108, 108, 100, 124, 37, 120, 124, 37, 37, 124, 37, 45, 52, 117, 124, 37, 112, 124, 37, 42, 100, 10, 0};\n" //
        ENTRY("k") ".local .align 8 .b8 l[80];\nmov.u64 %rd1, l;\ncvta.local.u64 %rd9, %rd1;\nneg.s32 %r1, %r0;\n"
                   "st.local.u32 [%rd1], %r1;\nmov.f64 %d1, 0d400921FB54442D18;\nst.local.f64 [%rd1+8], %d1;\n"
                   "mov.u64 %rd2, str;\ncvta.global.u64 %rd2, %rd2;\nst.local.u64 [%rd1+16], %rd2;\n"
                   "add.u32 %r2, %r0, 65;\nst.local.u32 [%rd1+24], %r2;\nst.local.u64 [%rd1+32], -5000000000;\n"
                   "st.local.u32 [%rd1+40], 255;\nst.local.u32 [%rd1+44], 7;\nst.local.u64 [%rd1+48], 4096;\n"
                   "st.local.u32 [%rd1+56], 3;\nst.local.u32 [%rd1+60], 9;\n" CALL_PRINTF "ret;\n}\n",
        1, 2);
    assert_string_equal(text,
                        "0| 3.14|hell|A|-5000000000|ff|%|7   |0x1000|  9\n"
                        "-1| 3.14|hell|B|-5000000000|ff|%|7   |0x1000|  9\n");
    free(text);
}

static void test_device_malloc(void **state)
{
    (void)state;
    struct device d = device_open(
        HEAD ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" //
        ENTRY("k") "mov.u64 %rd5, 16;\n{ .param .b64 x;\n.param .b64 y;\nst.param.b64 [x], %rd5;\ncall.uni (y), malloc, (x);\n"
                   "ld.param.b64 %rd1, [y]; }\nst.u32 [%rd1+12], %r0;\nld.u32 %r1, [%rd1+12];\n"
                   "{ .param .b64 x;\nst.param.b64 [x], %rd1;\ncall.uni free, (x); }\nst.global.u32 [%out], %r1;\n"
                   "setp.ne.u64 %p1, %n, 0;\n@%p1 bra BAD;\nret;\nBAD: ld.u32 %r1, [%rd1];\nret;\n}\n",
        NULL);
    uint32_t *out = device_alloc(&d, 256);
    uint64_t before = emu_mem_free_bytes(d.emu);
    for (int i = 0; i < 50; i++)
        device_run(&d, "k", 1, 64, 0, out, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i);
    assert_int_equal(emu_mem_free_bytes(d.emu), before);
    assert_int_equal(device_try(&d, "k", 1, 1, 0, out, NULL, 1), -1);
    assert_non_null(strstr(d.fault.text, "16-byte freed device malloc allocation"));
    device_close(&d);
}

static void test_assert(void **state)
{
    (void)state;
    struct device d = device_open(
        HEAD ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 fn, .param .b64 n) .noreturn;\n"
             ".global .align 1 .b8 m[6] = {120, 32, 60, 32, 51, 0};\n.global .align 1 .b8 f[5] = {97, 46, 99, 117, 0};\n" //
        ENTRY("k") "setp.lt.u32 %p1, %r0, 3;\n@%p1 bra OK;\nmov.u64 %rd1, m;\nmov.u64 %rd2, f;\n"
                   "{ .param .b64 a;\n.param .b64 b;\n.param .b32 c;\n.param .b64 d;\n.param .b64 e;\nst.param.b64 [a], %rd1;\n"
                   "st.param.b64 [b], %rd2;\nst.param.b32 [c], 12;\nst.param.b64 [d], %rd2;\nst.param.b64 [e], 1;\n"
                   "call.uni __assertfail, (a, b, c, d, e); }\nOK: ret;\n}\n",
        NULL);
    device_run(&d, "k", 1, 3, 0, NULL, NULL, 0);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ASSERT);
    assert_string_equal(d.fault.text, "a.cu:12: a.cu: assertion `x < 3' failed");
    assert_int_equal(d.fault.thread[0], 3);
    device_close(&d);
}

/* A kernel launches another, which runs after it. */
static void test_child_launch(void **state)
{
    (void)state;
    struct device d = device_open(
        HEAD ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "
             ".param .align 4 .b8 b[12], .param .b32 s);\n"
             ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
             ".visible .entry child(.param .u64 p, .param .u32 v)\n{\n" REGS
             "ld.param.u64 %a, [p];\nld.param.u32 %r1, [v];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
             "mad.lo.u32 %r4, %r2, %r3, %r4;\nmul.wide.u32 %rd1, %r4, 4;\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r5, [%rd1];\n"
             "add.u32 %r5, %r5, %r1;\nst.global.u32 [%rd1], %r5;\nret;\n}\n" //
        ENTRY("k") "st.global.u32 [%out], 100;\nmov.u64 %rd1, child;\n"
                   "{ .param .b64 f;\n.param .align 4 .b8 g[12];\n.param .align 4 .b8 b[12];\n.param .b32 s;\n.param .b64 r;\n"
                   "st.param.b64 [f], %rd1;\nst.param.b32 [g], 2;\nst.param.b32 [g+4], 1;\nst.param.b32 [g+8], 1;\n"
                   "st.param.b32 [b], 16;\nst.param.b32 [b+4], 1;\nst.param.b32 [b+8], 1;\nst.param.b32 [s], 0;\n"
                   "call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\nld.param.b64 %rd2, [r]; }\n"
                   "st.u64 [%rd2], %a;\nst.u32 [%rd2+8], %r0;\n"
                   "{ .param .b64 p;\n.param .b64 s;\n.param .b32 r;\nst.param.b64 [p], %rd2;\nst.param.b64 [s], 0;\n"
                   "call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s);\nld.param.b32 %r1, [r]; }\n"
                   "st.global.u32 [%out], 200;\nret;\n}\n",
        NULL);
    uint32_t *out = device_alloc(&d, 128);
    device_run(&d, "k", 1, 32, 0, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 200 + 496); /* each of 32 children adds its parent thread's number */
    assert_int_equal(emu_get_stats(d.emu)->launches, 33);
    device_close(&d);
}

/* ---- streams ---- */

struct collected {
    const struct trace_kernel *kernel;
    struct trace_launch launch;
    uint64_t insts, decoded, threads;
    uint32_t chunks, ends, events, last_cta, n_mem;
    uint64_t addr_sum;
    struct stream_dec *dec[64][8];
};

static int on_event(void *ctx, const struct trace_event *ev)
{
    ((struct collected *)ctx)->events += ev->kind == TRACE_EV_LAUNCH;
    return 0;
}
static int on_begin(void *ctx, const struct trace_kernel *k, const struct trace_launch *l, uint32_t index)
{
    struct collected *c = ctx;
    (void)index;
    c->kernel = k;
    c->launch = *l;
    return 0;
}
static int on_chunk(void *ctx, uint32_t index, const struct stream_chunk *k)
{
    struct collected *c = ctx;
    (void)index;
    c->chunks++;
    c->insts += k->n_inst;
    assert_true(k->cta < 64 && k->n_warp <= 8);
    for (uint32_t w = 0; w < k->n_warp; w++) {
        if (k->seq == 0) {
            c->dec[k->cta][w] = xmalloc(stream_dec_bytes());
            stream_dec_begin(c->dec[k->cta][w], c->kernel);
        }
        uint32_t from = w ? k->end[w - 1] : 0;
        stream_dec_feed(c->dec[k->cta][w], k->bytes + from, k->end[w] - from);
        struct stream_step step;
        struct stream_mem mem;
        int rc;
        while ((rc = stream_dec_next(c->dec[k->cta][w], &step, &mem)) == 1) {
            c->decoded++;
            c->threads += (uint32_t)__builtin_popcount(step.mask);
            const struct trace_inst *in = &c->kernel->inst[step.pc];
            if (in->mem_index != UINT32_MAX && step.mask) {
                c->n_mem++;
                for (uint32_t m = mem.mask; m; m &= m - 1)
                    c->addr_sum += mem.addr[__builtin_ctz(m)];
            }
        }
        assert_int_equal(rc, 0);
        if (k->last)
            free(c->dec[k->cta][w]);
    }
    return 0;
}
static int on_end(void *ctx, uint32_t index)
{
    (void)index;
    ((struct collected *)ctx)->ends++;
    return 0;
}

/* What is recorded is what was executed, instruction by instruction. */
static void test_stream(void **state)
{
    (void)state;
    static const char *const body[] = {
        /* divergent loops, guards, shared memory, barriers */
        HEAD ".shared .align 4 .b32 s[64];\n" ENTRY("k")
            "mov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
            "bar.sync 0;\nmov.u32 %r4, 0;\nrem.u32 %r5, %r1, 9;\nL: setp.ge.u32 %p1, %r4, %r5;\n@%p1 bra E;\n"
            "add.u32 %r4, %r4, 1;\nsetp.eq.u32 %p2, %r4, 3;\n@%p2 ld.shared.u32 %r6, [%r2];\n@!%p2 add.u32 %r6, %r4, 1;\n"
            "bra L;\nE: st.global.u32 [%out], %r6;\nret;\n}\n",
        /* blocks that wait for each other */
        BODY("mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra J;\natom.global.add.u32 %r2, [%b], 1;\n"
             "W: ld.volatile.global.u32 %r3, [%b];\nsetp.lt.u32 %p2, %r3, 6;\n@%p2 bra W;\nJ: bar.sync 0;\nret;"),
        /* lanes that wait for each other */
        BODY("S: atom.global.cas.b32 %r1, [%b], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra S;\n"
             "atom.global.exch.b32 %r3, [%b], 0;\nret;"),
        /* calls */
        HEAD ".func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nadd.u32 %v, %v, 1;\n"
             "st.param.b32 [r], %v;\nret;\n}\n" ENTRY("k") "{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r0;\n"
                                                           "call.uni (y), f, (x);\nld.param.b32 %r1, [y]; }\n"
                                                           "st.global.u32 [%out], %r1;\nret;\n}\n",
    };
    for (unsigned i = 0; i < sizeof body / sizeof *body; i++) {
        struct device d = device_open(body[i], NULL);
        uint32_t *out = device_alloc(&d, 6 * 64 * 4), *word = device_alloc(&d, 4);
        struct collected c = {0};
        struct stream_sink sink = {&c, on_event, on_begin, on_chunk, on_end};
        uint64_t params[3] = {(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)word, 0};
        struct emu_launch l = {.grid = {6, 1, 1}, .block = {64, 1, 1}, .params = params};
        if (emu_launch(d.emu, emu_module_kernel(d.module, "k"), &l, &sink, &d.fault) < 0)
            fail_msg("%s", d.fault.text);
        const struct emu_stats *s = emu_get_stats(d.emu);
        assert_int_equal(c.events, 1);
        assert_int_equal(c.ends, 1);
        assert_true(c.chunks >= 6);
        assert_int_equal(c.insts, s->warp_insts);
        assert_int_equal(c.decoded, s->warp_insts);
        assert_int_equal(c.threads, s->thread_insts);
        assert_true(c.n_mem > 0);
        device_close(&d);
    }
}

static int refuse_chunk(void *ctx, uint32_t index, const struct stream_chunk *k)
{
    (void)ctx, (void)index;
    return k->cta == 2 ? -1 : 0;
}

static void test_sink_refuses(void **state)
{
    (void)state;
    struct device d = device_open(BODY("st.global.u32 [%out], 1;\nret;"), NULL);
    uint32_t *out = device_alloc(&d, 6 * 64 * 4);
    struct collected c = {0};
    struct stream_sink sink = {&c, on_event, on_begin, refuse_chunk, on_end};
    uint64_t params[3] = {(uint64_t)(uintptr_t)out};
    struct emu_launch l = {.grid = {6, 1, 1}, .block = {64, 1, 1}, .params = params};
    assert_int_equal(emu_launch(d.emu, emu_module_kernel(d.module, "k"), &l, &sink, &d.fault), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_SINK);
    assert_int_equal(c.ends, 0);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier_partial_warp),
        cmocka_unit_test(test_barrier_after_exits),
        cmocka_unit_test(test_barrier_in_divergent_code),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_barrier_reductions),
        cmocka_unit_test(test_barrier_never),
        cmocka_unit_test(test_spin_lock_in_warp),
        cmocka_unit_test(test_spin_on_own_warp),
        cmocka_unit_test(test_sync_reconverges),
        cmocka_unit_test(test_warp_barrier),
        cmocka_unit_test(test_grid_barrier),
        cmocka_unit_test(test_backward_chain),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_runaway),
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_device_malloc),
        cmocka_unit_test(test_assert),
        cmocka_unit_test(test_child_launch),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_sink_refuses),
    };
    return cmocka_run_group_tests_name("emu_core_sched", tests, NULL, NULL);
}
