/*
 * Occupancy: equal to CUDA's own calculator. The table was made by cudaOccMaxActiveBlocksPerMultiprocessor of CUDA 13's
 * cuda_occupancy.h for devices with these machines' limits; a few Fermi cases follow the calculator's spreadsheet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/props.h"

static const struct {
    const char *machine;
    uint32_t threads, regs, smem, ctas;
} cases[] = {
    /* clang-format off */
    {"h200", 96, 168, 0, 4}, {"h200", 384, 21, 2048, 5}, {"h200", 96, 40, 33000, 6}, {"h200", 512, 21, 0, 4},
    {"h200", 768, 8, 1, 2}, {"h200", 128, 128, 6200, 4}, {"h200", 768, 72, 0, 1}, {"h200", 32, 8, 2048, 32},
    {"h200", 384, 8, 2048, 5}, {"h200", 192, 64, 0, 5}, {"h200", 640, 8, 8192, 3}, {"h200", 512, 128, 6200, 1},
    {"h200", 768, 8, 0, 2}, {"h200", 32, 64, 8192, 25}, {"h200", 64, 32, 4096, 32}, {"h200", 768, 48, 0, 1},
    {"h200", 128, 96, 65536, 3}, {"h200", 96, 8, 2048, 21}, {"h200", 64, 21, 0, 32}, {"h200", 768, 72, 100000, 1},
    {"h200", 32, 255, 1, 8}, {"h200", 192, 72, 0, 4}, {"h200", 64, 16, 4096, 32}, {"h200", 32, 40, 4096, 32},
    {"h200", 64, 40, 0, 24}, {"h200", 64, 37, 1, 24}, {"h200", 256, 255, 33000, 1}, {"h200", 768, 16, 0, 2},
    {"h200", 128, 72, 1000, 7}, {"h200", 768, 96, 12288, 0}, {"h200", 512, 96, 0, 1}, {"h200", 1024, 96, 65536, 0},
    {"h200", 1024, 16, 16384, 2}, {"h200", 192, 64, 0, 5}, {"h200", 96, 16, 6200, 21}, {"h200", 768, 21, 232448, 1},
    {"h200", 1024, 48, 0, 1}, {"h200", 1024, 128, 4096, 0}, {"h200", 768, 72, 2048, 1}, {"h200", 128, 255, 0, 2},
    {"h200", 768, 37, 24576, 2}, {"h200", 768, 40, 8192, 2}, {"h200", 512, 168, 0, 0}, {"h200", 640, 96, 24576, 1},
    {"h200", 768, 8, 0, 2}, {"h200", 32, 48, 0, 32}, {"h200", 640, 48, 33000, 2}, {"h200", 640, 128, 16384, 0},
    {"h200", 640, 21, 0, 3}, {"h200", 64, 37, 232448, 1}, {"h200", 128, 48, 2048, 10}, {"h200", 1024, 72, 0, 0},
    {"h200", 768, 128, 6200, 0}, {"h200", 96, 37, 65536, 3}, {"h200", 128, 32, 0, 16}, {"h200", 96, 37, 0, 16},
    {"h200", 768, 64, 24576, 1}, {"h200", 128, 37, 0, 12}, {"h200", 768, 255, 232448, 0}, {"h200", 384, 8, 0, 5},
    {"gtx780", 96, 168, 0, 4}, {"gtx780", 384, 21, 2048, 5}, {"gtx780", 96, 40, 33000, 1}, {"gtx780", 512, 21, 0, 4},
    {"gtx780", 768, 8, 1, 2}, {"gtx780", 128, 128, 6200, 4}, {"gtx780", 768, 72, 0, 1}, {"gtx780", 32, 8, 2048, 16},
    {"gtx780", 384, 8, 2048, 5}, {"gtx780", 192, 64, 0, 5}, {"gtx780", 640, 8, 8192, 3},
    {"gtx780", 512, 128, 6200, 1}, {"gtx780", 768, 8, 0, 2}, {"gtx780", 32, 64, 8192, 6},
    {"gtx780", 64, 32, 4096, 12}, {"gtx780", 768, 48, 0, 1}, {"gtx780", 128, 96, 0, 5}, {"gtx780", 96, 8, 2048, 16},
    {"gtx780", 64, 21, 0, 16}, {"gtx780", 768, 72, 0, 1}, {"gtx780", 32, 255, 1, 8}, {"gtx780", 192, 72, 0, 4},
    {"gtx780", 64, 16, 4096, 12}, {"gtx780", 32, 40, 4096, 12}, {"gtx780", 64, 40, 0, 16}, {"gtx780", 64, 37, 1, 16},
    {"gtx780", 256, 255, 33000, 1}, {"gtx780", 768, 16, 0, 2}, {"gtx780", 128, 72, 1000, 7},
    {"gtx780", 768, 96, 12288, 0}, {"gtx780", 512, 96, 0, 1}, {"gtx780", 1024, 96, 0, 0},
    {"gtx780", 1024, 16, 16384, 2}, {"gtx780", 192, 64, 0, 5}, {"gtx780", 96, 16, 6200, 7},
    {"gtx780", 768, 21, 0, 2}, {"gtx780", 1024, 48, 0, 1}, {"gtx780", 1024, 128, 4096, 0},
    {"gtx780", 768, 72, 2048, 1}, {"gtx780", 128, 255, 0, 2}, {"gtx780", 768, 37, 24576, 2},
    {"gtx780", 768, 40, 8192, 2}, {"gtx780", 512, 168, 0, 0}, {"gtx780", 640, 96, 24576, 1},
    {"gtx780", 768, 8, 0, 2}, {"gtx780", 32, 48, 0, 16}, {"gtx780", 640, 48, 33000, 1},
    {"gtx780", 640, 128, 16384, 0}, {"gtx780", 640, 21, 0, 3}, {"gtx780", 64, 37, 0, 16},
    {"gtx780", 128, 48, 2048, 10}, {"gtx780", 1024, 72, 0, 0}, {"gtx780", 768, 128, 6200, 0},
    {"gtx780", 96, 37, 0, 16}, {"gtx780", 128, 32, 0, 16}, {"gtx780", 96, 37, 0, 16}, {"gtx780", 768, 64, 24576, 1},
    {"gtx780", 128, 37, 0, 12}, {"gtx780", 768, 255, 0, 0}, {"gtx780", 384, 8, 0, 5},
    /* clang-format on */
};

static void occupancy_is_that_of_cuda(void **state)
{
    (void)state;
    struct device_props p;
    const char *loaded = "";
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e;
        if (strcmp(loaded, cases[i].machine)) {
            if (gpu_props_load(cases[i].machine, NULL, 0, NULL, &p, &e))
                fail_msg("%s", e.msg);
            loaded = cases[i].machine;
        }
        uint32_t got = device_occupancy(&p, cases[i].threads, cases[i].regs, cases[i].smem, NULL);
        if (got != cases[i].ctas)
            fail_msg("%s: %u threads, %u registers, %u bytes: %u CTAs, not %u", cases[i].machine, cases[i].threads,
                     cases[i].regs, cases[i].smem, got, cases[i].ctas);
    }
}

static void fermi_limits_bind_one_by_one(void **state)
{
    (void)state;
    struct device_props p;
    struct err e;
    assert_int_equal(gpu_props_load("gtx480", NULL, 0, NULL, &p, &e), 0);
    enum device_limit limit;
    assert_int_equal(device_occupancy(&p, 64, 16, 0, &limit), 8);
    assert_int_equal(limit, DEVICE_LIMIT_CTAS);
    assert_int_equal(device_occupancy(&p, 512, 16, 0, &limit), 3);
    assert_int_equal(limit, DEVICE_LIMIT_WARPS);
    assert_int_equal(device_occupancy(&p, 256, 32, 0, &limit), 4); /* 32768 / (8 warps x 1024) */
    assert_int_equal(limit, DEVICE_LIMIT_REGS);
    assert_int_equal(device_occupancy(&p, 256, 20, 16 * 1024 + 1, &limit), 2);
    assert_int_equal(limit, DEVICE_LIMIT_SMEM);
    /* 63 registers are all a thread can have; .maxntid makes a compiler keep below what fits. */
    assert_int_equal(device_kernel_regs(&p, 200, 0), 63);
    assert_int_equal(device_kernel_regs(&p, 200, 1024), 32);
    assert_int_equal(device_kernel_regs(&p, 20, 1024), 20);
    assert_int_equal(device_occupancy(&p, 1024, device_kernel_regs(&p, 200, 1024), 0, &limit), 1);
    assert_int_equal(device_occupancy(&p, 2048, 20, 0, &limit), 0);
    assert_int_equal(limit, DEVICE_LIMIT_BLOCK);
}

static void properties_follow_the_configuration(void **state)
{
    (void)state;
    struct device_props p;
    struct err e;
    assert_int_equal(gpu_props_load("gtx480", NULL, 0, NULL, &p, &e), 0);
    assert_int_equal(p.sm_count, 15);
    assert_int_equal(p.clock_khz, 700000);
    assert_int_equal(p.mem_clock_khz, 924000);
    assert_int_equal(p.mem_bus_bits, 384);
    assert_int_equal(p.l2_bytes, 768 << 10);
    assert_int_equal(p.regs_per_sm, 32768);
    assert_int_equal(p.max_threads_per_sm, 1536);
    assert_int_equal(p.cc_major, 9);
    const char *set[] = {"machine.sms=4", "l2.size=128KiB"};
    assert_int_equal(gpu_props_load("gtx480", set, 2, NULL, &p, &e), 0);
    assert_int_equal(p.sm_count, 4);
    assert_int_equal(p.l2_bytes, 1536 << 10);
    assert_int_equal(gpu_props_load("gtx48", NULL, 0, NULL, &p, &e), -1);
    assert_string_equal(e.hint, "did you mean 'gtx480'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_is_that_of_cuda),
        cmocka_unit_test(fermi_limits_bind_one_by_one),
        cmocka_unit_test(properties_follow_the_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
