/*
 * Matrices in a warp's registers: wmma.load/store, ldmatrix, stmatrix, movmatrix, mma against plain loops. What tensor
 * cores compute bit for bit is compared with silicon elsewhere (silicon/exact/units_test.c); here inputs are small
 * whole numbers, so that any order of additions gives the same result.
 */
#include "emu_core.h"

#include <stdio.h>
#include <stdlib.h>

/* PTX is full of percent signs, so templates mark their gaps with '$', filled by the strings that follow in turn. */
static const char *fill(char *out, size_t cap, const char *template, ...)
{
    va_list ap;
    size_t n = 0;
    va_start(ap, template);
    for (; *template && n + 1 < cap; template ++) {
        if (*template != '$') {
            out[n++] = *template;
            continue;
        }
        n += (size_t)snprintf(out + n, cap - n, "%s", va_arg(ap, const char *));
        assert_true(n < cap);
    }
    va_end(ap);
    out[n] = '\0';
    return out;
}

static int small_number(unsigned i, unsigned salt)
{
    return (int)((i * 2654435761u + salt * 40503u) >> 13 & 7) - 3;
}

static uint16_t half_of_int(int v)
{
    static const uint16_t positive[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    return v < 0 ? 0x8000 | positive[-v] : positive[v];
}

/* D (m x n) = A (m x k) * B (k x n) + C of f16 in f32, in memory of `space` with the given leading dimensions. */
static void gemm(unsigned m, unsigned n, unsigned k, const char *layout_a, const char *layout_b, const char *layout_d,
                 unsigned lda, unsigned ldb, unsigned ldd, bool shared)
{
    char ptx[8192];
    const char *space = shared ? "shared" : "global", *base = shared ? "%r9" : "%a";
    /* Shared: all of the 8 KiB of input is copied first. a at 0, b at 2048, c (f32) at 4096; d goes to 0x2000. */
    const char *copy = shared ? "mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r9, tile;\n"
                                "LOOP: setp.ge.u32 %p1, %r1, 8192;\n@%p1 bra DONE;\ncvt.u64.u32 %rd1, %r1;\n"
                                "add.u64 %rd1, %rd1, %a;\nld.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r9, %r1;\n"
                                "st.shared.u32 [%r3], %r2;\nadd.u32 %r1, %r1, 128;\nbra LOOP;\nDONE: bar.sync 0;\n"
                              : "";
    char shape[16], step_a[8], step_b[8], step_c[8], step_d[8];
    snprintf(shape, sizeof shape, "m%un%uk%u", m, n, k);
    snprintf(step_a, sizeof step_a, "%u", lda);
    snprintf(step_b, sizeof step_b, "%u", ldb);
    snprintf(step_c, sizeof step_c, "%u", n);
    snprintf(step_d, sizeof step_d, "%u", ldd);
#define EIGHT(r) "{%" r "0, %" r "1, %" r "2, %" r "3, %" r "4, %" r "5, %" r "6, %" r "7}"
    fill(ptx, sizeof ptx,
         HEAD ".shared .align 16 .b8 tile[8192];\n" ENTRY("k") "$"
         ".reg .b32 %fa<8>, %fb<8>;\n.reg .f32 %fc<8>, %fd<8>;\n"
         "wmma.load.a.sync.aligned.$.$.$.f16 " EIGHT("fa") ", [$], $;\n"
         "wmma.load.b.sync.aligned.$.$.$.f16 " EIGHT("fb") ", [$+2048], $;\n"
         "wmma.load.c.sync.aligned.row.$.$.f32 " EIGHT("fc") ", [$+4096], $;\n"
         "wmma.mma.sync.aligned.$.$.$.f32.f32 " EIGHT("fd") ", " EIGHT("fa") ", " EIGHT("fb") ", " EIGHT("fc") ";\n"
         "wmma.store.d.sync.aligned.$.$.f32 [%b], " EIGHT("fd") ", $;\nret;\n}\n",
         copy, layout_a, shape, space, base, step_a, layout_b, shape, space, base, step_b, shape, space, base, step_c,
         layout_a, layout_b, shape, layout_d, shape, step_d);
    struct device d = device_open(ptx, NULL);
    uint8_t *in = device_alloc(&d, 8192);
    float *out = device_alloc(&d, 8192);
    uint16_t *a = (uint16_t *)(void *)in, *b = (uint16_t *)(void *)(in + 2048);
    float *c = (float *)(void *)(in + 4096);
    bool row_a = !strcmp(layout_a, "row"), row_b = !strcmp(layout_b, "row"), row_d = !strcmp(layout_d, "row");
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < k; j++)
            a[row_a ? i * lda + j : j * lda + i] = half_of_int(small_number(i * k + j, 1));
    for (unsigned i = 0; i < k; i++)
        for (unsigned j = 0; j < n; j++)
            b[row_b ? i * ldb + j : j * ldb + i] = half_of_int(small_number(i * n + j, 2));
    for (unsigned i = 0; i < m * n; i++)
        c[i] = (float)small_number(i, 3);
    device_run(&d, "k", 1, 32, 0, in, out, 0);
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < n; j++) {
            int sum = small_number(i * n + j, 3);
            for (unsigned l = 0; l < k; l++)
                sum += small_number(i * k + l, 1) * small_number(l * n + j, 2);
            assert_true(out[row_d ? i * ldd + j : j * ldd + i] == (float)sum);
        }
    device_close(&d);
}

static void wmma_multiplies_in_every_shape_and_layout(void **state)
{
    (void)state;
    static const unsigned shape[][3] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
    for (unsigned s = 0; s < 3; s++)
        for (unsigned l = 0; l < 8; l++) {
            const unsigned m = shape[s][0], n = shape[s][1], k = shape[s][2];
            const char *la = l & 1 ? "col" : "row", *lb = l & 2 ? "col" : "row", *ld = l & 4 ? "col" : "row";
            gemm(m, n, k, la, lb, ld, (l & 1 ? m : k) + 8, (l & 2 ? k : n) + 8, (l & 4 ? m : n) + 4, false);
            gemm(m, n, k, la, lb, ld, l & 1 ? m : k, l & 2 ? k : n, l & 4 ? m : n, true);
        }
}

/* Lane l gets row l/4, columns 2(l%4) and 2(l%4)+1 of each matrix; with .trans of its transpose. */
static void ldmatrix_distributes_rows(void **state)
{
    (void)state;
    for (unsigned trans = 0; trans < 2; trans++)
        for (unsigned log = 0; log < 3; log++) {
            static const char *const regs[] = {"{%r10}", "{%r10, %r11}", "{%r10, %r11, %r12, %r13}"};
            static const char *const count[] = {"1", "2", "4"};
            const unsigned n = 1u << log;
            char ptx[4096];
            /* Row r of matrix i lies at tile + 48 * (8i + r); lane 8i+r gives its address. */
            fill(ptx, sizeof ptx,
                     HEAD ".shared .align 16 .b8 tile[1536];\n" ENTRY("k")
                     "mov.u32 %r1, tile;\nmad.lo.u32 %r2, %r0, 48, %r1;\nmul.wide.u32 %rd1, %r0, 16;\n"
                     "add.u64 %rd1, %rd1, %b;\nld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1];\n"
                     "st.shared.v4.u32 [%r2], {%r3, %r4, %r5, %r6};\nbar.sync 0;\n"
                     "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
                     "ldmatrix.sync.aligned.m8n8.x$$.shared.b16 $, [%r2];\n"
                     "mul.wide.u32 %rd1, %r0, 16;\nadd.u64 %rd1, %rd1, %a;\n"
                     "st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\nret;\n}\n",
                     count[log], trans ? ".trans" : "", regs[log]);
            struct device d = device_open(ptx, NULL);
            uint32_t *out = device_alloc(&d, 512);
            uint16_t *in = device_alloc(&d, 512);
            for (unsigned i = 0; i < 256; i++)
                in[i] = (uint16_t)(i * 3 + 1);
            device_run(&d, "k", 1, 32, 0, out, in, 0);
            for (unsigned l = 0; l < 32; l++)
                for (unsigned i = 0; i < 4; i++)
                    for (unsigned h = 0; h < 2; h++) {
                        const unsigned r = l / 4, c = l % 4 * 2 + h;
                        const uint16_t want = in[64 * i + (trans ? 8 * c + r : 8 * r + c)];
                        assert_int_equal(out[4 * l + i] >> 16 * h & 0xffff, i < n ? want : 0);
                    }
            device_close(&d);
        }
}

static void stmatrix_undoes_ldmatrix(void **state)
{
    (void)state;
    for (unsigned trans = 0; trans < 2; trans++) {
        char ptx[4096];
        fill(ptx, sizeof ptx,
                 ".version 7.8\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[1024];\n" ENTRY("k")
                 "mov.u32 %r1, tile;\nmad.lo.u32 %r2, %r0, 16, %r1;\nmul.wide.u32 %rd1, %r0, 16;\n"
                 "add.u64 %rd2, %rd1, %b;\nadd.u64 %rd1, %rd1, %a;\n"
                 "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2];\n"
                 "st.shared.v4.u32 [%r2], {%r3, %r4, %r5, %r6};\nbar.sync 0;\n"
                 "ldmatrix.sync.aligned.m8n8.x4$.shared.b16 {%r10, %r11, %r12, %r13}, [%r2];\n"
                 "stmatrix.sync.aligned.m8n8.x4$.shared.b16 [%r2+512], {%r10, %r11, %r12, %r13};\nbar.sync 0;\n"
                 "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2+512];\n"
                 "st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6};\nret;\n}\n",
                 trans ? ".trans" : "", trans ? ".trans" : "");
        struct device d = device_open(ptx, NULL);
        uint32_t *out = device_alloc(&d, 512), *in = device_alloc(&d, 512);
        for (unsigned i = 0; i < 128; i++)
            in[i] = i * 0x9e3779b1u;
        device_run(&d, "k", 1, 32, 0, out, in, 0);
        assert_memory_equal(out, in, 512);
        device_close(&d);
    }
}

static void movmatrix_transposes(void **state)
{
    (void)state;
    uint32_t out[32];
    run_words(BODY("mul.lo.u32 %r1, %r0, 0x00020002;\nadd.u32 %r1, %r1, 0x00010000;\n"
                   "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\nst.global.u32 [%out], %r2;\nret;"),
              1, 32, out, NULL, 0);
    for (unsigned l = 0; l < 32; l++) /* element (r, c) had the value 8r + c */
        for (unsigned h = 0; h < 2; h++)
            assert_int_equal(out[l] >> 16 * h & 0xffff, 8 * (l % 4 * 2 + h) + l / 4);
}

static void integer_products_wrap_or_saturate(void **state)
{
    (void)state;
    for (unsigned sat = 0; sat < 2; sat++) {
        char ptx[2048];
        fill(ptx, sizeof ptx,
             BODY("mov.u32 %r1, 0x7f7f7f7f;\nmov.u32 %r2, 0x7fffff00;\n"
                  "mma.sync.aligned.m8n8k16.row.col$.s32.s8.s8.s32 {%r3, %r4}, {%r1}, {%r1}, {%r2, %r2};\n"
                  "st.global.u32 [%out], %r3;\nret;"),
             sat ? ".satfinite" : "");
        uint32_t out[32];
        run_words(ptx, 1, 32, out, NULL, 0);
        for (unsigned l = 0; l < 32; l++)
            assert_int_equal(out[l], sat ? 0x7fffffffu : 0x7fffff00u + 16u * 127 * 127);
    }
}

/* ---- what is recorded, and faults ---- */
struct recorded {
    unsigned records;
    uint32_t mask;
    uint8_t space, width;
    uint64_t addr[32];
    const struct trace_kernel *kernel;
};

static int keep_kernel(void *ctx, const struct trace_kernel *k, const struct trace_launch *l, uint32_t index)
{
    (void)l, (void)index;
    ((struct recorded *)ctx)->kernel = k;
    return 0;
}
static int nothing(void *ctx, uint32_t index)
{
    (void)ctx, (void)index;
    return 0;
}
static int no_event(void *ctx, const struct trace_event *e)
{
    (void)ctx, (void)e;
    return 0;
}
static int keep_records(void *ctx, uint32_t index, const struct stream_chunk *c)
{
    (void)index;
    struct recorded *r = ctx;
    struct stream_dec *dec = malloc(stream_dec_bytes());
    struct stream_step step;
    struct stream_mem mem;
    stream_dec_begin(dec, r->kernel);
    stream_dec_feed(dec, c->bytes, c->end[0]);
    while (stream_dec_next(dec, &step, &mem) == 1)
        if (mem.mask) {
            r->records++;
            r->mask = mem.mask;
            r->space = mem.space;
            r->width = r->kernel->inst[step.pc].width;
            memcpy(r->addr, mem.addr, sizeof r->addr);
        }
    free(dec);
    return 0;
}

static int run_recorded(struct device *d, const void *a, struct recorded *r)
{
    const struct stream_sink sink = {r, no_event, keep_kernel, keep_records, nothing};
    uint64_t params[3] = {(uint64_t)(uintptr_t)a, 0, 0};
    struct emu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = params};
    return emu_launch(d->emu, emu_module_kernel(d->module, "k"), &l, &sink, &d->fault);
}

#define LOAD_A(stride)                                                                                                 \
    BODY(                                                                                                              \
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "                                                           \
        "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%a], " stride ";\nret;")

static void a_tile_is_recorded_byte_for_byte(void **state)
{
    (void)state;
    struct device d = device_open(LOAD_A("40"), NULL);
    uint16_t *a = device_alloc(&d, 2 * (15 * 40 + 16));
    struct recorded r = {0};
    assert_int_equal(run_recorded(&d, a, &r), 0);
    assert_int_equal(r.records, 1);
    assert_int_equal(r.mask, UINT32_MAX);
    assert_int_equal(r.space, TRACE_SP_GLOBAL);
    assert_int_equal(r.width, 16);
    for (unsigned l = 0; l < 32; l++) /* rows of 32 bytes, two lanes each */
        assert_int_equal(r.addr[l], (uint64_t)(uintptr_t)a + l / 2 * 80 + l % 2 * 16);
    device_close(&d);
}

static void a_tile_outside_memory_is_a_fault(void **state)
{
    (void)state;
    struct device d = device_open(LOAD_A("40"), NULL);
    uint16_t *a = device_alloc(&d, 2 * (15 * 40 + 16) - 2);
    struct recorded r = {0};
    assert_int_equal(run_recorded(&d, a, &r), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_ADDRESS);
    assert_int_equal(run_recorded(&d, (char *)a + 1, &r), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_MISALIGNED);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wmma_multiplies_in_every_shape_and_layout),
        cmocka_unit_test(ldmatrix_distributes_rows),
        cmocka_unit_test(stmatrix_undoes_ldmatrix),
        cmocka_unit_test(movmatrix_transposes),
        cmocka_unit_test(integer_products_wrap_or_saturate),
        cmocka_unit_test(a_tile_is_recorded_byte_for_byte),
        cmocka_unit_test(a_tile_outside_memory_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
