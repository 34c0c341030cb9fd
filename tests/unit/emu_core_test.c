/*
 * Control flow of the emulator: divergence, loops, exits, calls of every kind, indexed branches, parameters.
 */
#include "emu_core.h"

static void test_vector_add(void **state)
{
    (void)state;
    struct device d = device_open(BODY("setp.ge.u32 %p1, %r0, 1000;\n@%p1 bra DONE;\n"
                                       "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd2, %b, %rd1;\nadd.u64 %rd3, %n, %rd1;\n"
                                       "ld.global.f32 %f1, [%rd2];\nld.global.f32 %f2, [%rd3];\n"
                                       "add.f32 %f3, %f1, %f2;\nst.global.f32 [%out], %f3;\nDONE: ret;"),
                                  NULL);
    float *c = device_alloc(&d, 4000), *a = device_alloc(&d, 4000), *b = device_alloc(&d, 4000);
    for (int i = 0; i < 1000; i++) {
        a[i] = (float)i;
        b[i] = 0.5f * (float)i;
    }
    device_run(&d, "k", 8, 128, 0, c, a, (uint64_t)(uintptr_t)b);
    for (int i = 0; i < 1000; i++)
        assert_true(c[i] == 1.5f * (float)i);
    const struct emu_stats *s = emu_get_stats(d.emu);
    assert_int_equal(s->launches, 1);
    assert_int_equal(s->ctas, 8);
    /* 19 instructions; the last warp's branch is taken by 24 of its 32 threads, who then only return. */
    assert_int_equal(s->warp_insts, 32 * 19);
    assert_int_equal(s->thread_insts, 1000 * 18 + 24 * 12);
    device_close(&d);
}

/* if (tid & 1) x = 3 * tid (or 7 when a multiple of 3) else x = tid + 100; then all add 1 */
static void test_nested_divergence(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(BODY("and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra EVEN;\n"
                   "mul.lo.u32 %r2, %r0, 3;\nrem.u32 %r3, %r0, 3;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra JOIN;\n"
                   "mov.u32 %r2, 7;\nbra JOIN;\nEVEN: add.u32 %r2, %r0, 100;\n"
                   "JOIN: add.u32 %r2, %r2, 1;\nactivemask.b32 %r5;\nsetp.ne.u32 %p3, %r5, -1;\n@%p3 bra BAD;\n"
                   "st.global.u32 [%out], %r2;\nBAD: ret;"),
              1, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 1 + (i % 2 == 0 ? i + 100 : i % 3 == 0 ? 7 : 3 * i));
}

/* Every thread loops tid % 7 times over an inner loop of tid % 5 rounds. */
static void test_nested_loops(void **state)
{
    (void)state;
    uint32_t out[96];
    run_words(BODY("mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nrem.u32 %r3, %r0, 7;\nrem.u32 %r4, %r0, 5;\n"
                   "OUTER: setp.ge.u32 %p1, %r1, %r3;\n@%p1 bra DONE;\nmov.u32 %r5, 0;\n"
                   "INNER: setp.ge.u32 %p2, %r5, %r4;\n@%p2 bra NEXT;\nadd.u32 %r2, %r2, 10;\nadd.u32 %r5, %r5, 1;\n"
                   "bra INNER;\nNEXT: add.u32 %r2, %r2, 1;\nadd.u32 %r1, %r1, 1;\nbra OUTER;\n"
                   "DONE: st.global.u32 [%out], %r2;\nret;"),
              1, 96, out, NULL, 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(out[i], i % 7 * (i % 5 * 10 + 1));
}

/* Early exits in the middle of a loop, by guard; the rest goes on together. */
static void test_early_exit(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(BODY("mov.u32 %r1, 0;\nLOOP: add.u32 %r1, %r1, 1;\nst.global.u32 [%out], %r1;\n"
                   "setp.eq.u32 %p1, %r1, %r0;\n@%p1 exit;\nsetp.lt.u32 %p2, %r1, 20;\n@%p2 bra LOOP;\n"
                   "add.u32 %r1, %r1, 100;\nst.global.u32 [%out], %r1;\nret;"),
              1, 32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i >= 1 && i <= 20 ? i : 120);
}

static void test_predicated_ret(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(HEAD
              ".func (.param .b32 r) pick(.param .b32 x)\n{\n.reg .pred %p;\n.reg .b32 %v;\n"
              "ld.param.b32 %v, [x];\nst.param.b32 [r], 5;\nsetp.lt.u32 %p, %v, 10;\n@%p ret;\n"
              "add.u32 %v, %v, 1000;\nst.param.b32 [r], %v;\nsetp.lt.u32 %p, %v, 1020;\n@!%p ret;\n"
              "st.param.b32 [r], 6;\nret;\n}\n" ENTRY("k") //
              "{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r0;\ncall.uni (y), pick, (x);\n"
              "ld.param.b32 %r1, [y]; }\nst.global.u32 [%out], %r1;\nret;\n}\n",
              1, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i < 10 ? 5 : i < 20 ? 6 : i + 1000);
}

/* What a caller passes beyond the named parameters: calls of different length, and a local variable behind it. */
static void test_variadic_function(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(
        HEAD
        ".func (.param .b32 r) sum(.param .b32 n, .param .align 8 .b8 %rest[])\n{\n.reg .pred %p;\n.reg .b32 %v, %w, "
        "%s;\n"
        ".reg .b64 %a;\n.local .align 4 .b32 mine;\nst.local.u32 [mine], 7;\nld.param.b32 %v, [n];\nmov.u64 %a, "
        "%rest;\n"
        "mov.u32 %s, 0;\nL: ld.local.u32 %w, [%a];\nadd.u32 %s, %s, %w;\nadd.u64 %a, %a, 4;\nsub.u32 %v, %v, 1;\n"
        "setp.ne.u32 %p, %v, 0;\n@%p bra L;\nld.local.u32 %w, [mine];\nadd.u32 %s, %s, %w;\nst.param.b32 [r], "
        "%s;\nret;\n}\n" ENTRY("k") //
        "{ .param .b32 n;\n.param .align 8 .b8 x[8];\n.param .b32 y;\nst.param.b32 [n], 2;\nst.param.b32 [x], %r0;\n"
        "st.param.b32 [x+4], 30;\ncall.uni (y), sum, (n, x);\nld.param.b32 %r1, [y]; }\n"
        "{ .param .b32 n;\n.param .align 8 .b8 x[24];\n.param .b32 y;\nst.param.b32 [n], 5;\nst.param.b32 [x], %r1;\n"
        "st.param.b32 [x+4], 100;\nst.param.b32 [x+8], 200;\nst.param.b32 [x+12], 300;\nst.param.b32 [x+16], 400;\n"
        "call.uni (y), sum, (n, x);\nld.param.b32 %r1, [y]; }\nst.global.u32 [%out], %r1;\nret;\n}\n",
        1, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i + 30 + 7 + 1000 + 7);
}

#define FIB                                                                                                            \
    ".func (.param .b32 r) fib(.param .b32 x)\n{\n.reg .pred %p;\n.reg .b32 %v, %w, %u;\n"                             \
    "ld.param.b32 %v, [x];\nmov.u32 %w, %v;\nsetp.lt.u32 %p, %v, 2;\n@%p bra OUT;\nsub.u32 %w, %v, 1;\n"               \
    "{ .param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %w;\ncall (b), fib, (a);\nld.param.b32 %w, [b]; }\n"          \
    "sub.u32 %u, %v, 2;\n"                                                                                             \
    "{ .param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %u;\ncall (b), fib, (a);\nld.param.b32 %u, [b]; }\n"          \
    "add.u32 %w, %w, %u;\nOUT: st.param.b32 [r], %w;\nret;\n}\n"

static void test_recursion(void **state)
{
    (void)state;
    uint32_t out[32], fib[32] = {0, 1};
    for (int i = 2; i < 32; i++)
        fib[i] = fib[i - 1] + fib[i - 2];
    run_words(HEAD FIB ENTRY("k") "rem.u32 %r1, %r0, 11;\n{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\n"
                                  "call (y), fib, (x);\nld.param.b32 %r1, [y]; }\nst.global.u32 [%out], %r1;\nret;\n}\n",
              1, 32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], fib[i % 11]);
}

static void test_endless_recursion(void **state)
{
    (void)state;
    struct device d = device_open(HEAD
                                  ".func down(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\n"
                                  "{ .param .b32 a;\nst.param.b32 [a], %v;\ncall down, (a); }\nret;\n}\n" ENTRY(
                                      "k") "{ .param .b32 x;\nst.param.b32 [x], %r0;\ncall down, (x); }\nret;\n}\n",
                                  NULL);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_STACK);
    assert_non_null(strstr(d.fault.text, "bytes of stack"));
    device_close(&d);
}

/* A table of functions in memory; lanes of one warp call different ones, and meet again behind the call. */
static void test_indirect_call(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(
        HEAD ".func (.param .b32 r) f0(.param .b32 x);\n.func (.param .b32 r) f1(.param .b32 x);\n"
             ".func (.param .b32 r) f2(.param .b32 x);\n.global .align 8 .u64 table[3] = {f0, f1, f2};\n"
             ".func (.param .b32 r) f0(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nadd.u32 %v, %v, 1;\n"
             "st.param.b32 [r], %v;\nret;\n}\n"
             ".func (.param .b32 r) f1(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nmul.lo.u32 %v, %v, 2;\n"
             "st.param.b32 [r], %v;\nret;\n}\n"
             ".func (.param .b32 r) f2(.param .b32 x)\n{\n.reg .b32 %v;\nmov.u32 %v, 77;\nst.param.b32 [r], %v;\nret;\n}\n" //
        ENTRY("k") "rem.u32 %r1, %r0, 3;\nmul.wide.u32 %rd1, %r1, 8;\nmov.u64 %rd2, table;\nadd.u64 %rd2, %rd2, %rd1;\n"
                   "ld.global.u64 %rd3, [%rd2];\n{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r0;\n"
                   "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %rd3, (x), P;\n"
                   "ld.param.b32 %r2, [y]; }\nactivemask.b32 %r3;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r2, %r2, %r3;\n"
                   "st.global.u32 [%out], %r2;\nret;\n}\n",
        1, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i % 3 == 0 ? i + 1 : i % 3 == 1 ? 2 * i : 77);
}

static void test_bad_function_pointer(void **state)
{
    (void)state;
    struct device d = device_open(BODY("mov.u64 %rd1, 12345;\nP: .callprototype _ ();\ncall %rd1, (), P;\nret;"), NULL);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_INSTRUCTION);
    assert_non_null(strstr(d.fault.text, "0x3039"));
    device_close(&d);
}

/* Arguments and results in registers, as old PTX and hand-written PTX have them. */
static void test_register_parameters(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(HEAD
              ".func (.reg .b32 %q) twice(.reg .b32 %x, .reg .b32 %y)\n{\nadd.u32 %q, %x, %x;\n"
              "add.u32 %q, %q, %y;\nret;\n}\n" ENTRY(
                  "k") "call (%r1), twice, (%r0, 5);\nst.global.u32 [%out], %r1;\nret;\n}\n",
              1, 32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 2 * i + 5);
}

static void test_indexed_branch(void **state)
{
    (void)state;
    uint32_t out[64];
    run_words(
        BODY(
            "rem.u32 %r1, %r0, 4;\nT: .branchtargets A, B, C, B;\nbrx.idx %r1, T;\n"
            "A: mov.u32 %r2, 10;\nbra.uni END;\nB: mov.u32 %r2, 20;\nbra.uni END;\nC: mov.u32 %r2, 30;\n"
            "END: activemask.b32 %r3;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r2, %r2, %r3;\nst.global.u32 [%out], %r2;\nret;"),
        1, 64, out, NULL, 0);
    static const uint32_t want[4] = {10, 20, 30, 20};
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], want[i % 4]);
}

static void test_indexed_branch_out_of_range(void **state)
{
    (void)state;
    struct device d = device_open(BODY("T: .branchtargets A, B;\nbrx.idx %r0, T;\nA: ret;\nB: ret;"), NULL);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, NULL, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_INSTRUCTION);
    assert_int_equal(d.fault.thread[0], 2);
    device_close(&d);
}

/* A structure by value: fields at offsets, indexed by a register too. */
static void test_struct_parameter(void **state)
{
    (void)state;
    static const char ptx[] = HEAD
        ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24], .param .u8 c)\n{\n" REGS
        "ld.param.u64 %a, [out];\nmov.u32 %r0, %tid.x;\nld.param.u32 %r1, [s+4];\nld.param.s16 %h1, [s+10];\n"
        "cvt.s32.s16 %r2, %h1;\nadd.s32 %r1, %r1, %r2;\nld.param.v2.u32 {%r3, %r4}, [s+16];\nadd.u32 %r1, %r1, %r3;\n"
        "add.u32 %r1, %r1, %r4;\nld.param.u8 %r5, [c];\nadd.u32 %r1, %r1, %r5;\n"
        "mov.b64 %rd1, s;\nand.b32 %r6, %r0, 1;\nmul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
        "ld.param.u32 %r7, [%rd1];\nadd.u32 %r1, %r1, %r7;\nmul.wide.u32 %out, %r0, 4;\nadd.u64 %out, %out, %a;\n"
        "st.global.u32 [%out], %r1;\nret;\n}\n";
    struct device d = device_open(ptx, NULL);
    uint32_t *out = device_alloc(&d, 128);
    struct {
        uint64_t out;
        uint32_t w0, w1;
        int16_t h[4];
        uint32_t x, y;
        uint8_t c;
    } p = {(uint64_t)(uintptr_t)out, 1000, 2000, {0, -30, 0, 0}, 4, 5, 250};
    struct emu_kernel *k = emu_module_kernel(d.module, "k");
    uint32_t off, bytes;
    assert_int_equal(emu_kernel_param_bytes(k), 33);
    assert_int_equal(emu_kernel_param(k, 1, &off, &bytes), 0);
    assert_int_equal(off, 8);
    assert_int_equal(bytes, 24);
    assert_int_equal(emu_kernel_param(k, 3, &off, &bytes), -1);
    struct emu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &p};
    assert_int_equal(emu_launch(d.emu, k, &l, NULL, &d.fault), 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 2000 - 30 + 9 + 250 + (i % 2 ? 2000 : 1000));
    device_close(&d);
}

static void test_special_registers(void **state)
{
    (void)state;
    static const char ptx[] = HEAD
        ".visible .entry k(.param .u64 p)\n{\n" REGS
        "ld.param.u64 %a, [p];\nmov.u32 %r1, %ctaid.z;\nmov.u32 %r2, %nctaid.y;\nmov.u32 %r3, %ctaid.y;\n"
        "mad.lo.u32 %r1, %r1, %r2, %r3;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %ctaid.x;\n"
        "mad.lo.u32 %r1, %r1, %r2, %r3;\nmov.u32 %r2, %ntid.z;\nmov.u32 %r3, %tid.z;\nmad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mov.u32 %r2, %ntid.y;\nmov.u32 %r3, %tid.y;\nmad.lo.u32 %r1, %r1, %r2, %r3;\nmov.u32 %r2, %ntid.x;\n"
        "mov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;\nmul.wide.u32 %out, %r1, 4;\nadd.u64 %out, %out, %a;\n"
        "mov.u32 %r4, %laneid;\nmov.u32 %r5, %warpid;\nshl.b32 %r5, %r5, 8;\nadd.u32 %r4, %r4, %r5;\n"
        "mov.u32 %r6, %lanemask_lt;\npopc.b32 %r6, %r6;\nshl.b32 %r6, %r6, 16;\nadd.u32 %r4, %r4, %r6;\n"
        "st.global.u32 [%out], %r4;\nret;\n}\n";
    struct device d = device_open(ptx, NULL);
    uint32_t *out = device_alloc(&d, 2 * 3 * 2 * 60 * 4);
    uint64_t p = (uint64_t)(uintptr_t)out;
    struct emu_launch l = {.grid = {2, 3, 2}, .block = {5, 4, 3}, .params = &p};
    assert_int_equal(emu_launch(d.emu, emu_module_kernel(d.module, "k"), &l, NULL, &d.fault), 0);
    for (uint32_t i = 0; i < 12 * 60; i++)
        assert_int_equal(out[i], (i % 60 % 32) * 0x10001 + (i % 60 / 32 << 8));
    device_close(&d);
}

/* Clocks only ever go forward. */
static void test_clock(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(
        BODY("mov.u64 %rd1, %clock64;\nmov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nmov.u64 %rd2, %clock64;\n"
             "sub.u64 %rd3, %rd2, %rd1;\nsetp.lt.u64 %p1, %rd3, 1000;\n@%p1 bra L;\nst.global.u32 [%out], %r1;\nret;"),
        1, 32, out, NULL, 0);
    assert_true(out[0] > 1 && out[0] < 1000);
}

/* Code that cannot be reached may hold anything; code that can be must be runnable, and says where when it is not. */
static void test_unsupported(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(BODY("mov.u32 %r1, 3;\nst.global.u32 [%out], %r1;\nbra.uni END;\nfrobnicate.f32 %f1, %f2;\nEND: ret;"), 1,
              32, out, NULL, 0);
    assert_int_equal(out[5], 3);
    struct device d = device_open(BODY("st.global.u32 [%out], %r0;\nfrobnicate.f32 %f1, %f2;\nret;"), NULL);
    uint32_t *mem = device_alloc(&d, 128);
    mem[1] = 42;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(device_try(&d, "k", 1, 32, 0, mem, NULL, 0), -1);
        assert_int_equal(d.fault.kind, EMU_FAULT_UNSUPPORTED);
        assert_int_equal(mem[1], 42); /* nothing has run */
        assert_string_equal(d.fault.ptx_file, "test.ptx");
        assert_string_equal(d.fault.inst, "frobnicate.f32");
        assert_non_null(strstr(d.fault.text, "frobnicate"));
        assert_true(d.fault.ptx_line > 10);
    }
    device_close(&d);
}

static void test_unresolved_name(void **state)
{
    (void)state;
    struct device d = device_open(HEAD ".extern .func nowhere();\n" ENTRY("k") "call nowhere;\nret;\n}\n" //
                                  ENTRY("fine") "st.global.u32 [%out], 9;\nret;\n}\n",
                                  NULL);
    uint32_t *mem = device_alloc(&d, 128);
    device_run(&d, "fine", 1, 32, 0, mem, NULL, 0);
    assert_int_equal(mem[31], 9);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, mem, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_UNSUPPORTED);
    assert_non_null(strstr(d.fault.text, "nowhere"));
    device_close(&d);
}

/* Functions and variables of one module used by another. */
static void test_linking(void **state)
{
    (void)state;
    static const char one[] = HEAD ".extern .global .align 4 .b32 shared_word;\n.extern .func (.param .b32 r) add7(.param .b32 x);\n" //
        ENTRY("k") "ld.global.u32 %r1, [shared_word];\n{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\n"
                   "call (y), add7, (x);\nld.param.b32 %r1, [y]; }\nst.global.u32 [%out], %r1;\nret;\n}\n";
    static const char two[] = HEAD
        ".visible .global .align 4 .b32 shared_word = 35;\n"
        ".visible .func (.param .b32 r) add7(.param .b32 x)\n{\n.reg .b32 %v;\n"
        "ld.param.b32 %v, [x];\nadd.u32 %v, %v, 7;\nst.param.b32 [r], %v;\nret;\n}\n";
    struct err e;
    struct emu *emu = emu_new(NULL, &e);
    struct ptx_module *m[2] = {ptx_parse(one, strlen(one), "one", &e), ptx_parse(two, strlen(two), "two", &e)};
    assert_non_null(m[0]);
    assert_non_null(m[1]);
    struct device d = {.emu = emu, .module = emu_module_load(emu, m, 2, &e)};
    uint32_t *mem = device_alloc(&d, 128);
    device_run(&d, "k", 1, 32, 0, mem, NULL, 0);
    assert_int_equal(mem[3], 42);
    uint64_t addr, bytes;
    assert_int_equal(emu_module_var(d.module, "shared_word", &addr, &bytes), 0);
    assert_int_equal(bytes, 4);
    *(uint32_t *)(uintptr_t)addr = 1;
    device_run(&d, "k", 1, 32, 0, mem, NULL, 0);
    assert_int_equal(mem[3], 8);
    assert_int_equal(emu_module_var(d.module, "nothing", &addr, &bytes), -1);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_add),
        cmocka_unit_test(test_nested_divergence),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_early_exit),
        cmocka_unit_test(test_predicated_ret),
        cmocka_unit_test(test_variadic_function),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_endless_recursion),
        cmocka_unit_test(test_indirect_call),
        cmocka_unit_test(test_bad_function_pointer),
        cmocka_unit_test(test_register_parameters),
        cmocka_unit_test(test_indexed_branch),
        cmocka_unit_test(test_indexed_branch_out_of_range),
        cmocka_unit_test(test_struct_parameter),
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_unresolved_name),
        cmocka_unit_test(test_linking),
    };
    return cmocka_run_group_tests_name("emu_core", tests, NULL, NULL);
}
