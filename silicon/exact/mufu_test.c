/*
 * The special-function unit against an H200, on every input of whole binades: 150 million results. Stored is a hash of
 * the results of each sweep, as silicon/exact/sweep.cu prints it.
 */
#include "emu/op_mufu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

/* sin.approx and cos.approx multiply by 1/2pi, rounded toward zero, before they ask the unit. */
static u32 turns(u32 x)
{
    const f64 exact = (f64)emu_f32(x) * (f64)0.15915493667125701904f;
    const f32 nearest = (f32)exact;
    return emu_f32_bits(nearest) - (fabs((f64)nearest) > fabs(exact));
}
static u32 sin_of(u32 x)
{
    return mufu_sine(turns(x), 0);
}
static u32 cos_of(u32 x)
{
    return mufu_sine(turns(x), 1);
}
/* Packed: both halves are the same in the sweeps. */
static u32 ex2_f16x2(u32 x)
{
    return mufu_to_f16(mufu_ex2(emu_f32_bits(f32_of_f16(x & 0xffff)))) * 0x10001;
}
static u32 ex2_bf16x2(u32 x)
{
    return mufu_to_bf16(mufu_ex2(x << 16)) * 0x10001;
}
static u32 tanh_f16x2(u32 x)
{
    return mufu_to_f16(mufu_tanh(emu_f32_bits(f32_of_f16(x & 0xffff)))) * 0x10001;
}
static u32 tanh_bf16x2(u32 x)
{
    return mufu_to_bf16(mufu_tanh(x << 16)) * 0x10001;
}

static const struct sweep {
    const char *name;
    u32 (*fn)(u32);
    u32 first, step, n;
    u64 hash;
} sweeps[] = {
    {"cos", cos_of, 0x38000000, 0x40, 1835008, 0x15ea21f203a6c75a},
    {"cos", cos_of, 0x3f000000, 0x1, 16777216, 0xec029396b1587636},
    {"cos", cos_of, 0x40000000, 0x4, 8388608, 0xb43fd64520e5474f},
    {"ex2", mufu_ex2, 0x33000000, 0x100, 786432, 0x6bdfa10d804c00a4},
    {"ex2", mufu_ex2, 0x3f000000, 0x1, 16777216, 0x8c0fa7770a32c059},
    {"ex2", mufu_ex2, 0x40000000, 0x40, 786432, 0xee50bc4d27c6ff25},
    {"ex2", mufu_ex2, 0xbf000000, 0x1, 8388608, 0x86cbd167bc4daa17},
    {"ex2_b", ex2_bf16x2, 0x00000000, 0x10001, 65536, 0xfe33ba6c9d0d138a},
    {"ex2_h", ex2_f16x2, 0x00000000, 0x10001, 65536, 0xfdf2082e0232e21a},
    {"lg2", mufu_lg2, 0x3f000000, 0x1, 16777216, 0x8fa28712e80eb150},
    {"lg2", mufu_lg2, 0x40000000, 0x8, 1048576, 0x65cf479fd2ca0952},
    {"rcp", mufu_rcp, 0x3f800000, 0x1, 8388608, 0xfa72a6c698274964},
    {"rsqrt", mufu_rsqrt, 0x3f800000, 0x1, 16777216, 0xbdf1cb386ee78bc2},
    {"sin", sin_of, 0x38000000, 0x40, 1835008, 0xe42b9855b259e9ee},
    {"sin", sin_of, 0x3f000000, 0x1, 16777216, 0xf4a1441e33db433b},
    {"sin", sin_of, 0x40000000, 0x4, 8388608, 0x0db65886b5b4111d},
    {"sin", sin_of, 0xbf000000, 0x40, 131072, 0x06f7064bfcf5813e},
    {"sqrt", mufu_sqrt, 0x3f800000, 0x1, 16777216, 0x50712c001bd4eb00},
    {"tanh", mufu_tanh, 0x38000000, 0x10, 9437184, 0xa70b43bf902cb543},
    {"tanh_b", tanh_bf16x2, 0x00000000, 0x10001, 65536, 0x5022be6d0c1d5a09},
    {"tanh_h", tanh_f16x2, 0x00000000, 0x10001, 65536, 0x626c23b23d857b9d},
};

static void test_sweeps(void **state)
{
    unsigned wrong = 0;
    for (unsigned k = 0; k < sizeof sweeps / sizeof *sweeps; k++) {
        const struct sweep *s = &sweeps[k];
        u64 hash = 0xcbf29ce484222325ull;
        for (u32 i = 0; i < s->n; i++)
            hash = (hash ^ s->fn(s->first + i * s->step)) * 0x100000001b3ull;
        if (hash != s->hash)
            printf("%s from %08x, step %x: differs from the H200\n", s->name, s->first, s->step);
        wrong += hash != s->hash;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
