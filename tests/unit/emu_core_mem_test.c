/*
 * Memory of the emulator: spaces, widths, vectors, atomics, and what it says when an access is wrong.
 */
#include "emu_core.h"

#include <stdio.h>

/* ---- the allocator ---- */

static void test_allocator(void **state)
{
    (void)state;
    struct err e;
    struct emu_opts o = {.heap_bytes = 64 << 20};
    struct emu *emu = emu_new(&o, &e);
    uint64_t a, b, c;
    assert_int_equal(emu_mem_alloc(emu, 1000, EMU_MEM_DEVICE, &a), 0);
    assert_int_equal(emu_mem_alloc(emu, 16 << 20, EMU_MEM_MANAGED, &b), 0);
    assert_int_equal(a, EMU_HEAP_BASE);
    assert_int_equal(b % 512, 0);
    assert_true(b >= a + 1000 + 512);
    assert_int_equal(emu_mem_free_bytes(emu), (64 << 20) - 1000 - (16 << 20));
    assert_int_equal(emu_mem_alloc(emu, 60 << 20, EMU_MEM_DEVICE, &c), -1);
    assert_non_null(emu_mem_find(emu, a, 1000));
    assert_null(emu_mem_find(emu, a, 1001));
    assert_null(emu_mem_find(emu, a + 1000, 1));
    assert_null(emu_mem_find(emu, a - 1, 1));
    assert_int_equal(emu_mem_find(emu, b + 5, 100)->serial, 2);
    assert_int_equal(emu_mem_free(emu, b, EMU_MEM_DEVICE), -1); /* another kind */
    assert_int_equal(emu_mem_free(emu, b + 512, EMU_MEM_MANAGED), -1);
    memset((void *)(uintptr_t)b, 1, 16 << 20);
    assert_int_equal(emu_mem_free(emu, b, EMU_MEM_MANAGED), 0);
    assert_int_equal(emu_mem_free(emu, b, EMU_MEM_MANAGED), -1);
    assert_null(emu_mem_find(emu, b, 1));
    assert_true(emu_mem_nearest(emu, b + 1)->freed);
    /* Many blocks come and go: addresses are used again, and the table stays right. */
    uint64_t keep[100] = {0};
    for (unsigned i = 0; i < 40000; i++) {
        unsigned k = i * 7919 % 100;
        if (keep[k]) {
            assert_int_equal(*(uint32_t *)(uintptr_t)keep[k], k);
            assert_int_equal(emu_mem_free(emu, keep[k], EMU_MEM_DEVICE), 0);
        }
        assert_int_equal(emu_mem_alloc(emu, 4 + i % 5000, EMU_MEM_DEVICE, &keep[k]), 0);
        *(uint32_t *)(uintptr_t)keep[k] = k;
        assert_true(keep[k] < EMU_HEAP_BASE + (256 << 20));
    }
    static uint32_t host[64];
    assert_int_equal(emu_mem_register(emu, host, sizeof host), 0);
    assert_int_equal(emu_mem_register(emu, host + 8, 4), -1);
    assert_non_null(emu_mem_find(emu, (uint64_t)(uintptr_t)&host[63], 4));
    assert_int_equal(emu_mem_free(emu, (uint64_t)(uintptr_t)host, EMU_MEM_REGISTERED), 0);
    assert_null(emu_mem_find(emu, (uint64_t)(uintptr_t)host, 4));
    emu_free(emu);
}

/* ---- loads and stores ---- */

/* Every width, sign and destination, from 256 bytes 0x00..0xff, at a lane-dependent address. */
static void test_widths(void **state)
{
    (void)state;
    static const struct {
        const char *load;
        unsigned bytes;
    } form[] = {
        {"ld.global.u8 %r1, [%rd1];", 1},
        {"ld.global.s8 %r1, [%rd1];", 1},
        {"ld.global.s8 %h1, [%rd1];\ncvt.u32.u16 %r1, %h1;", 1},
        {"ld.global.u16 %r1, [%rd1];", 2},
        {"ld.global.s16 %r1, [%rd1];", 2},
        {"ld.global.b32 %r1, [%rd1];", 4},
        {"ld.global.s32 %rd2, [%rd1];\nshr.u64 %rd2, %rd2, 8;\ncvt.u32.u64 %r1, %rd2;", 4},
        {"ld.global.u32 %rd2, [%rd1];\nshr.u64 %rd2, %rd2, 8;\ncvt.u32.u64 %r1, %rd2;", 4},
        {"ld.global.u64 %rd2, [%rd1];\nshr.u64 %rd2, %rd2, 16;\ncvt.u32.u64 %r1, %rd2;", 8},
        {"ld.global.nc.v2.u8 {%r2, %r1}, [%rd1];", 2},
        {"ld.volatile.global.v4.u16 {%r2, %r3, %r1, %r4}, [%rd1];", 8},
        {"ld.global.v2.u32 {%r2, %r1}, [%rd1];", 8},
        {"ld.global.v4.u32 {%r2, %r3, %r1, %r4}, [%rd1];", 16},
        {"ld.global.v2.u64 {%rd2, %rd3}, [%rd1];\ncvt.u32.u64 %r1, %rd3;", 16},
        {"ld.global.v2.u32 {_, %r1}, [%rd1];", 8},
        {"ld.relaxed.gpu.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nmov.b32 %r1, %f4;", 16},
    };
    uint8_t bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
    for (unsigned k = 0; k < sizeof form / sizeof *form; k++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx,
                 "%smul.lo.u32 %%r9, %%r0, 3;\nrem.u32 %%r9, %%r9, %u;\nmul.wide.u32 %%rd1, %%r9, %u;\n"
                 "add.u64 %%rd1, %%rd1, %%b;\n%s\nst.global.u32 [%%out], %%r1;\nret;\n}\n",
                 HEAD ENTRY("k"), 256 / form[k].bytes, form[k].bytes, form[k].load);
        uint32_t out[32];
        run_words(ptx, 1, 32, out, bytes, 256);
        for (uint32_t l = 0; l < 32; l++) {
            const uint8_t *at = bytes + l * 3 % (256 / form[k].bytes) * form[k].bytes;
            uint32_t w[4] = {0};
            uint64_t d[2];
            memcpy(w, at, form[k].bytes);
            memcpy(d, w, 16);
            uint32_t want = 0;
            switch (k) {
            case 0:
            case 3:
            case 5:
                want = w[0];
                break;
            case 1:
                want = (uint32_t)(int32_t)(int8_t)w[0];
                break;
            case 2:
                want = (uint16_t)(int16_t)(int8_t)w[0];
                break;
            case 4:
                want = (uint32_t)(int32_t)(int16_t)w[0];
                break;
            case 6:
                want = (uint32_t)((uint64_t)(int64_t)(int32_t)w[0] >> 8);
                break;
            case 7:
                want = w[0] >> 8;
                break;
            case 8:
                want = (uint32_t)(d[0] >> 16);
                break;
            case 9:
                want = at[1];
                break;
            case 10:
                want = (uint16_t)(d[0] >> 32);
                break;
            case 11:
            case 14:
                want = w[1];
                break;
            case 12:
                want = w[2];
                break;
            case 13:
                want = (uint32_t)d[1];
                break;
            case 15:
                want = w[3];
                break;
            }
            if (out[l] != want)
                fail_msg("%s: lane %u: 0x%x, want 0x%x", form[k].load, l, out[l], want);
        }
    }
}

/* Stores of every width, in every space, read back: global, shared, local, and each through generic addresses. */
static void test_spaces(void **state)
{
    (void)state;
    static const char *const var[] = {".shared .align 16 .b8 m[2048];\n", ".local .align 16 .b8 m[64];\n"};
    static const char *const name[] = {"shared", "local"};
    for (int s = 0; s < 2; s++)
        for (int generic = 0; generic < 2; generic++) {
            char ptx[4096], space[16], to[64] = "";
            snprintf(space, sizeof space, ".%s", name[s]);
            if (generic) {
                snprintf(to, sizeof to, "cvta%s.u64 %%rd1, %%rd1;\n", space);
                space[0] = 0;
            }
            /* A thread's 64 bytes: its own in local memory, a slice in shared memory. */
            snprintf(ptx, sizeof ptx,
                     "%s%s%smov.u64 %%rd1, m;\n%s%s"
                     "add.u32 %%r1, %%r0, 0x01020300;\nst%s.u32 [%%rd1], %%r1;\n"
                     "st%s.u16 [%%rd1+4], %%r1;\nst%s.u8 [%%rd1+6], %%r1;\nst%s.u8 [%%rd1+7], 9;\n"
                     "cvt.u64.u32 %%rd3, %%r1;\nst%s.v2.u64 [%%rd1+16], {%%rd3, 77};\n"
                     "ld%s.u64 %%rd4, [%%rd1];\nld%s.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%%rd1+16];\n"
                     "shr.u64 %%rd4, %%rd4, 32;\ncvt.u32.u64 %%r6, %%rd4;\nadd.u32 %%r6, %%r6, %%r2;\n"
                     "add.u32 %%r6, %%r6, %%r3;\nadd.u32 %%r6, %%r6, %%r4;\n"
                     "st.global.u32 [%%out], %%r6;\nret;\n}\n",
                     HEAD, s == 0 ? var[0] : "", ENTRY("k"),
                     s == 0 ? "mul.wide.u32 %rd2, %r0, 64;\nadd.u64 %rd1, %rd1, %rd2;\n" : "", to, space, space, space,
                     space, space, space, space);
            if (s == 1) { /* the local variable belongs into the body */
                char *at = strstr(ptx, ".reg .pred");
                memmove(at + strlen(var[1]), at, strlen(at) + 1);
                memcpy(at, var[1], strlen(var[1]));
            }
            uint32_t out[32];
            run_words(ptx, 1, 32, out, NULL, 0);
            for (uint32_t i = 0; i < 32; i++) {
                uint32_t v = 0x01020300 + i;
                uint32_t high = (v & 0xffff) | (v & 0xff) << 16 | 9u << 24;
                assert_int_equal(out[i], high + v + 0 + 77);
            }
        }
}

static void test_dynamic_shared(void **state)
{
    (void)state;
    struct device d = device_open(HEAD ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b32 fixed[32];\n" ENTRY("k")
                                      "mov.u32 %r1, dyn;\nmov.u32 %r2, fixed;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r4, %r1, %r3;\n"
                                      "add.u32 %r5, %r2, %r3;\nst.shared.u32 [%r4], %r0;\nst.shared.u32 [%r5], 500;\n"
                                      "bar.sync 0;\nxor.b32 %r6, %r3, 124;\nadd.u32 %r6, %r6, %r1;\nld.shared.u32 %r7, [%r6];\n"
                                      "ld.shared.u32 %r8, [fixed+8];\nadd.u32 %r7, %r7, %r8;\nst.global.u32 [%out], %r7;\n"
                                      "ret;\n}\n",
                                  NULL);
    uint32_t *out = device_alloc(&d, 128);
    device_run(&d, "k", 1, 32, 128, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 500 + (31 - i));
    /* One byte less, and the last thread is outside. */
    assert_int_equal(device_try(&d, "k", 1, 32, 127, out, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_ADDRESS);
    assert_int_equal(d.fault.thread[0], 31);
    assert_non_null(strstr(d.fault.text, "shared"));
    assert_non_null(strstr(d.fault.text, "255 bytes of shared memory (128 static, 127 dynamic)"));
    struct emu_kernel_info info;
    struct err e;
    assert_int_equal(emu_kernel_info(emu_module_kernel(d.module, "k"), &info, &e), 0);
    assert_int_equal(info.smem_static_bytes, 128);
    device_close(&d);
}

static void test_constants_and_initializers(void **state)
{
    (void)state;
    struct device d = device_open(
        HEAD ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n.const .align 4 .u32 later;\n"
             ".global .align 8 .u64 where[2] = {generic(table)+4, list};\n.global .align 4 .u32 list[2] = {7, 8};\n" //
        ENTRY("k") "and.b32 %r1, %r0, 3;\nmul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, table;\nadd.u64 %rd2, %rd2, %rd1;\n"
                   "ld.const.u32 %r2, [%rd2];\nld.const.u32 %r3, [later];\nadd.u32 %r2, %r2, %r3;\n"
                   "cvta.const.u64 %rd3, %rd2;\nld.u32 %r4, [%rd3];\nadd.u32 %r2, %r2, %r4;\n"
                   "ld.global.u64 %rd4, [where];\nld.u32 %r5, [%rd4];\nadd.u32 %r2, %r2, %r5;\n"
                   "ld.global.u64 %rd4, [where+8];\nld.global.u32 %r5, [%rd4+4];\nadd.u32 %r2, %r2, %r5;\n"
                   "st.global.u32 [%out], %r2;\nret;\n}\n",
        NULL);
    uint64_t addr, bytes;
    assert_int_equal(emu_module_var(d.module, "later", &addr, &bytes), 0);
    *(uint32_t *)(uintptr_t)addr = 1000; /* what cudaMemcpyToSymbol does */
    uint32_t *out = device_alloc(&d, 128);
    device_run(&d, "k", 1, 32, 0, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 2 * (10 + 10 * (i % 4)) + 1000 + 20 + 8);
    device_close(&d);
}

static void test_generic_mixed_spaces(void **state)
{
    (void)state;
    struct device d = device_open(HEAD ".shared .align 4 .b32 s[1];\n" ENTRY("k")
                                      "mov.u64 %rd1, s;\nst.shared.u32 [%rd1], 55;\ncvta.shared.u64 %rd1, %rd1;\n"
                                      "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\nselp.b64 %rd2, %rd1, %b, %p1;\n"
                                      "ld.u32 %r2, [%rd2];\nisspacep.shared %p2, %rd2;\nselp.u32 %r3, 100, 0, %p2;\n"
                                      "add.u32 %r2, %r2, %r3;\nst.u32 [%out], %r2;\nret;\n}\n",
                                  NULL);
    uint32_t *out = device_alloc(&d, 128), *in = device_alloc(&d, 4);
    *in = 66;
    device_run(&d, "k", 1, 32, 0, out, in, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 2 ? 66 : 155);
    assert_int_equal(emu_get_stats(d.emu)->mixed_space_accesses, 1);
    device_close(&d);
}

/* ---- atomics ---- */

static void test_atomics(void **state)
{
    (void)state;
    /* One operation on one word by 32 threads in lane order; %r1 = thread number, result = old value. */
    static const struct {
        const char *op;
        uint64_t init, last, sum_of_old;
    } t[] = {
        {"atom.global.add.u32 %r2, [%b], %r1;", 100, 100 + 496, 0},
        {"atom.global.min.s32 %r2, [%b], %r1;", 5, 0, 0},
        {"atom.global.max.u32 %r2, [%b], %r1;", 5, 31, 0},
        {"atom.global.min.u32 %r2, [%b], -1;", 0xfffffffe, 0xfffffffe, 0},
        {"atom.global.max.s32 %r2, [%b], -1;", 0xfffffffe, 0xffffffff, 0},
        {"atom.global.inc.u32 %r2, [%b], 5;", 0, 32 % 6, 0},
        {"atom.global.dec.u32 %r2, [%b], 5;", 0, 4, 0},
        {"atom.global.exch.b32 %r2, [%b], %r1;", 77, 31, 0},
        {"atom.global.cas.b32 %r2, [%b], %r1, %r3;", 0, 32, 0},
        {"atom.global.and.b32 %r2, [%b], %r1;", 31, 0, 0},
        {"atom.global.or.b32 %r2, [%b], %r1;", 0, 31, 0},
        {"atom.global.xor.b32 %r2, [%b], %r1;", 1, 1, 0},
        {"red.global.add.u32 [%b], %r1;", 0, 496, 0},
        {"atom.global.add.f32 %f2, [%b], %f1;", 0, 0x43f80000, 0},
        {"atom.add.u32 %r2, [%b], 1;", 0, 32, 0},
        {"atom.global.add.u64 %rd2, [%b], %rd1;", 0xffffffff, 0xffffffffull + 496, 0},
        {"atom.global.max.s64 %rd2, [%b], %rd1;", 0x8000000000000000ull, 31, 0},
        {"atom.global.cas.b64 %rd2, [%b], %rd1, 9;", 31, 9, 0},
        {"atom.global.add.f64 %d2, [%b], %d1;", 0, 0x407f000000000000ull, 0},
        {"atom.global.add.noftz.f16x2 %r2, [%b], 0x3c003c00;", 0, 0x50005000, 0},
        {"atom.global.cas.b16 %h2, [%b], %h1, 3;", 0, 3, 0},
        {"atom.global.add.noftz.bf16x2 %r2, [%b], 0x3f803f80;", 0, 0x42004200, 0},
        {"red.relaxed.gpu.global.max.u64 [%b], %rd1;", 3, 31, 0},
    };
    for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s%s%s",
                 HEAD ENTRY("k") //
                 "mov.u32 %r1, %r0;\nadd.u32 %r3, %r1, 1;\ncvt.rn.f32.u32 %f1, %r1;\ncvt.rn.f64.u32 %d1, %r1;\n"
                 "cvt.u64.u32 %rd1, %r1;\ncvt.u16.u32 %h1, %r1;\n",
                 t[k].op, "\nret;\n}\n");
        struct device d = device_open(ptx, NULL);
        uint64_t *word = device_alloc(&d, 8);
        *word = t[k].init;
        device_run(&d, "k", 1, 32, 0, NULL, word, 0);
        if (*word != t[k].last)
            fail_msg("%s: 0x%llx, want 0x%llx", t[k].op, (unsigned long long)*word, (unsigned long long)t[k].last);
        device_close(&d);
    }
}

/* Old values come back in lane order; shared and generic atomics too. */
static void test_atomic_order(void **state)
{
    (void)state;
    uint32_t out[128];
    run_words(HEAD ".shared .align 4 .u32 c;\n" ENTRY("k")
                  "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra GO;\nst.shared.u32 [c], 7;\n"
                  "GO: bar.sync 0;\natom.shared.add.u32 %r2, [c], 1;\nst.global.u32 [%out], %r2;\nret;\n}\n",
              2, 64, out, NULL, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], 7 + i % 64);
}

static void test_async_copy(void **state)
{
    (void)state;
    uint32_t in[128], out[32];
    for (uint32_t i = 0; i < 128; i++)
        in[i] = i * i;
    run_words(HEAD ".shared .align 16 .b8 s[512];\n" ENTRY("k")
                  "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 4;\nadd.u32 %r1, %r1, %r2;\nmul.wide.u32 %rd1, %r0, 16;\n"
                  "add.u64 %rd1, %rd1, %b;\ncp.async.cg.shared.global [%r1], [%rd1], 16, 12;\ncp.async.commit_group;\n"
                  "cp.async.wait_group 0;\nld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];\nadd.u32 %r3, %r3, %r4;\n"
                  "add.u32 %r3, %r3, %r5;\nadd.u32 %r3, %r3, %r6;\nst.global.u32 [%out], %r3;\nret;\n}\n",
              1, 32, out, in, sizeof in);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], in[4 * i] + in[4 * i + 1] + in[4 * i + 2]);
}

/* ---- faults ---- */

static struct device fault_of(const char *ptx, uint32_t block, enum emu_fault_kind kind, uint64_t bytes)
{
    struct device d = device_open(ptx, NULL);
    device_alloc(&d, 64);
    device_alloc(&d, 64);
    uint32_t *mem = device_alloc(&d, bytes);
    assert_int_equal(device_try(&d, "k", 2, block, 0, mem, NULL, 0), -1);
    if (d.fault.kind != kind)
        fail_msg("fault %d: %s", d.fault.kind, d.fault.text);
    return d;
}

static void expect(struct device *d, const char *part)
{
    if (!strstr(d->fault.text, part))
        fail_msg("'%s' is not in '%s'", part, d->fault.text);
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    struct device d = fault_of(BODY("st.global.u32 [%out+4], %r0;\nret;"), 512, EMU_FAULT_ILLEGAL_ADDRESS, 4096);
    expect(&d, "invalid global write of 4 bytes at address 0x200000001800");
    expect(&d, "just past the end of the 4096-byte allocation #3 at 0x200000000800");
    assert_string_equal(d.fault.kernel, "k");
    assert_string_equal(d.fault.inst, "st.global.u32");
    assert_true(d.fault.has_thread);
    assert_int_equal(d.fault.cta[0], 1);
    assert_int_equal(d.fault.thread[0], 511);
    device_close(&d);

    d = fault_of(BODY("st.global.u32 [%out+8], %r0;\nret;"), 512, EMU_FAULT_ILLEGAL_ADDRESS, 4096);
    assert_int_equal(d.fault.thread[0], 510);
    device_close(&d);
    d = fault_of(BODY("ld.global.u32 %r1, [%out+4100];\nret;"), 32, EMU_FAULT_ILLEGAL_ADDRESS, 4096);
    expect(&d, "4 bytes past the end of the 4096-byte allocation #3");
    device_close(&d);
    d = fault_of(BODY("ld.global.u32 %r1, [%out-8];\nret;"), 32, EMU_FAULT_ILLEGAL_ADDRESS, 4096);
    expect(&d, "8 bytes before the start of the 4096-byte allocation #3");
    device_close(&d);
    d = fault_of(BODY("ld.global.v2.u32 {%r1, %r2}, [%a+8];\nret;"), 32, EMU_FAULT_ILLEGAL_ADDRESS, 12);
    expect(&d, "its last 4 bytes are past the end of the 12-byte allocation #3");
    device_close(&d);
    d = fault_of(BODY("mov.u64 %rd1, 16;\nld.u32 %r1, [%rd1];\nret;"), 32, EMU_FAULT_ILLEGAL_ADDRESS, 4096);
    expect(&d, "null pointer");
    device_close(&d);
    d = fault_of(BODY("red.global.add.u32 [%out+4096], 1;\nret;"), 32, EMU_FAULT_ILLEGAL_ADDRESS, 4096);
    expect(&d, "invalid global atomic access");
    device_close(&d);
    d = fault_of(HEAD ".global .align 4 .u32 small[4];\n" ENTRY("k") "ld.global.u32 %r1, [small+16];\nret;\n}\n", 32,
                 EMU_FAULT_ILLEGAL_ADDRESS, 64);
    expect(&d, "just past the end of the 16-byte variable small");
    device_close(&d);
}

static void test_use_after_free(void **state)
{
    (void)state;
    struct device d = device_open(BODY("st.global.u32 [%out], %r0;\nret;"), NULL);
    uint32_t *mem = device_alloc(&d, 4096);
    device_run(&d, "k", 1, 32, 0, mem, NULL, 0);
    assert_int_equal(emu_mem_free(d.emu, (uint64_t)(uintptr_t)mem, EMU_MEM_DEVICE), 0);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, mem + 5, NULL, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_ADDRESS);
    expect(&d, "20 bytes into the 4096-byte freed allocation #1");
    device_close(&d);
}

static void test_misaligned(void **state)
{
    (void)state;
    struct device d = fault_of(BODY("ld.global.u32 %r1, [%out+2];\nret;"), 32, EMU_FAULT_MISALIGNED, 4096);
    expect(&d, "must be a multiple of 4");
    device_close(&d);
    d = fault_of(BODY("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out];\nret;"), 32, EMU_FAULT_MISALIGNED, 4096);
    assert_int_equal(d.fault.thread[0], 1);
    device_close(&d);
    d = fault_of(HEAD
                 ".shared .align 8 .b8 s[64];\n" ENTRY("k") "mov.u32 %r1, s;\nld.shared.u64 %rd1, [%r1+4];\nret;\n}\n",
                 32, EMU_FAULT_MISALIGNED, 64);
    expect(&d, "misaligned shared read of 8 bytes");
    device_close(&d);
}

static void test_other_spaces_out_of_bounds(void **state)
{
    (void)state;
    struct device d = fault_of(HEAD ".shared .align 4 .b8 s[64];\n" ENTRY(
                                   "k") "mov.u32 %r2, s;\nshl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], 1;\nret;\n}\n",
                               32, EMU_FAULT_ILLEGAL_ADDRESS, 64);
    expect(&d, "invalid shared write of 4 bytes at byte 64: the CTA has 64 bytes of shared memory");
    assert_int_equal(d.fault.thread[0], 16);
    device_close(&d);
    d = fault_of(HEAD ENTRY("k") ".local .align 4 .b8 l[16];\nmov.u64 %rd1, l;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
                                 "st.local.u32 [%rd1], 1;\nret;\n}\n",
                 32, EMU_FAULT_ILLEGAL_ADDRESS, 64);
    expect(&d, "invalid local write of 4 bytes at byte 16: the thread's frame ends at byte 16");
    assert_int_equal(d.fault.thread[0], 4);
    device_close(&d);
    d = fault_of(HEAD ".const .align 4 .b32 c[2];\n" ENTRY(
                     "k") "mul.wide.u32 %rd2, %r0, 4;\nld.const.u32 %r1, [%rd2];\nret;\n}\n",
                 32, EMU_FAULT_ILLEGAL_ADDRESS, 64);
    expect(&d, "8 bytes of constants");
    assert_int_equal(d.fault.thread[0], 2);
    device_close(&d);
    d = fault_of(HEAD ENTRY("k") "mov.b64 %rd1, p0;\nmul.wide.u32 %rd2, %r0, 8;\nadd.u64 %rd1, %rd1, %rd2;\nld.param.u64 %rd3, [%rd1];\nret;\n}\n",
                 32, EMU_FAULT_ILLEGAL_ADDRESS, 64);
    expect(&d, "24 bytes of parameters");
    assert_int_equal(d.fault.thread[0], 3);
    device_close(&d);
}

/* A store that faults in one lane writes nothing in the others. */
static void test_fault_is_clean(void **state)
{
    (void)state;
    struct device d = device_open(BODY("mov.u32 %r1, 1;\nst.global.u32 [%out], %r1;\nret;"), NULL);
    uint32_t *mem = device_alloc(&d, 64);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, mem, NULL, 0), -1);
    for (int i = 0; i < 16; i++)
        assert_int_equal(mem[i], 0);
    device_close(&d);
}

static void test_line_info(void **state)
{
    (void)state;
    struct device d = fault_of(HEAD ".file 1 \"dir/prog.cu\"\n" ENTRY("_Z1kPfS_i") "ret;\n}\n" ENTRY(
                                   "k") ".loc 1 17 3\nld.global.u32 %r1, [%out+4096];\nret;\n}\n",
                               32, EMU_FAULT_ILLEGAL_ADDRESS, 64);
    assert_string_equal(d.fault.src_file, "dir/prog.cu");
    assert_int_equal(d.fault.src_line, 17);
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    emu_fault_print(&d.fault, f);
    fclose(f);
    assert_non_null(strstr(text, "weir: illegal address in kernel k\n"));
    assert_non_null(strstr(text, "weir:   from dir/prog.cu:17\n"));
    assert_non_null(strstr(text, "thread (0,0,0) of CTA (0,0,0)"));
    free(text);
    device_close(&d);
}

static void test_trap(void **state)
{
    (void)state;
    struct device d = fault_of(BODY("setp.eq.u32 %p1, %r0, 40;\n@%p1 trap;\nret;"), 64, EMU_FAULT_TRAP, 64);
    assert_int_equal(d.fault.thread[0], 40);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocator),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_dynamic_shared),
        cmocka_unit_test(test_constants_and_initializers),
        cmocka_unit_test(test_generic_mixed_spaces),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_order),
        cmocka_unit_test(test_async_copy),
        cmocka_unit_test(test_out_of_bounds),
        cmocka_unit_test(test_use_after_free),
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_other_spaces_out_of_bounds),
        cmocka_unit_test(test_fault_is_clean),
        cmocka_unit_test(test_line_info),
        cmocka_unit_test(test_trap),
    };
    return cmocka_run_group_tests_name("emu_core_mem", tests, NULL, NULL);
}
