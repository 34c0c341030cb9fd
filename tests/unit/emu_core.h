/*
 * For the emulator's tests: PTX text in, device memory out.
 *
 * BODY wraps a kernel body in a module whose kernel `k` takes three 64-bit parameters: %a, %b and %n hold them.
 */
#ifndef WEIR_TESTS_EMU_CORE_H
#define WEIR_TESTS_EMU_CORE_H

#include "emu/emu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
#define REGS                                                                                                           \
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<32>, %a, %b, %n, %out;\n" \
    ".reg .f64 %d<8>;\n"
/* %r0 = global thread number, %out = %a + 4 * it */
#define ENTRY(name)                                                                                                    \
    ".visible .entry " name "(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" REGS                               \
    "ld.param.u64 %a, [p0];\nld.param.u64 %b, [p1];\nld.param.u64 %n, [p2];\n"                                         \
    "mov.u32 %r30, %ctaid.x;\nmov.u32 %r31, %ntid.x;\nmov.u32 %r0, %tid.x;\nmad.lo.u32 %r0, %r30, %r31, %r0;\n"        \
    "mul.wide.u32 %out, %r0, 4;\nadd.u64 %out, %out, %a;\n"
#define BODY(...) HEAD ENTRY("k") __VA_ARGS__ "\n}\n"

struct device {
    struct emu *emu;
    struct emu_module *module;
    struct emu_fault fault;
};

static inline struct device device_open(const char *ptx, const struct emu_opts *opts)
{
    struct device d = {0};
    struct err e;
    err_clear(&e);
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), "test.ptx", &e);
    if (!m)
        fail_msg("%d:%d: %s", e.line, e.col, e.msg);
    d.emu = emu_new(opts, &e);
    if (!d.emu)
        fail_msg("%s", e.msg);
    d.module = emu_module_load(d.emu, &m, 1, &e);
    if (!d.module)
        fail_msg("%s", e.msg);
    return d;
}

static inline void device_close(struct device *d)
{
    emu_free(d->emu);
}

static inline void *device_alloc(struct device *d, uint64_t bytes)
{
    uint64_t addr;
    assert_int_equal(emu_mem_alloc(d->emu, bytes, EMU_MEM_DEVICE, &addr), 0);
    assert_int_equal(addr % 512, 0);
    memset((void *)(uintptr_t)addr, 0, bytes);
    return (void *)(uintptr_t)addr;
}

static inline int device_try(struct device *d, const char *kernel, uint32_t grid, uint32_t block, uint32_t smem,
                             const void *a, const void *b, uint64_t n)
{
    struct emu_kernel *k = emu_module_kernel(d->module, kernel);
    assert_non_null(k);
    uint64_t params[3] = {(uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)b, n};
    struct emu_launch l = {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .smem_dynamic_bytes = smem, .params = params};
    return emu_launch(d->emu, k, &l, NULL, &d->fault);
}

static inline void device_run(struct device *d, const char *kernel, uint32_t grid, uint32_t block, uint32_t smem,
                              const void *a, const void *b, uint64_t n)
{
    if (device_try(d, kernel, grid, block, smem, a, b, n) < 0)
        fail_msg("%s at %u:%u (%s)", d->fault.text, d->fault.ptx_line, d->fault.ptx_col, d->fault.inst);
}

/* Runs BODY text with one output word per thread. */
static inline void run_words(const char *ptx, uint32_t grid, uint32_t block, uint32_t *out, const void *b, uint64_t n)
{
    struct device d = device_open(ptx, NULL);
    uint32_t *mem = device_alloc(&d, (uint64_t)grid * block * 4);
    void *in = NULL;
    if (b) {
        in = device_alloc(&d, n);
        memcpy(in, b, n);
    }
    device_run(&d, "k", grid, block, 0, mem, in, n);
    memcpy(out, mem, (size_t)grid * block * 4);
    device_close(&d);
}

#endif
