/*
 * Texture and surface instructions: what reaches the texture unit and comes back, stores through surfaces, queries,
 * faults, recorded addresses. Filtering bit for bit is compared with silicon (silicon/exact/units_test.c); the
 * reference here is the formula of the CUDA Programming Guide.
 */
#include "emu_core.h"

#include "emu/tex.h"
#include "emu/tex_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* A float image of w x h x d whose texel (x, y, z) is value(). */
static float value(unsigned x, unsigned y, unsigned z)
{
    return (float)((x * 7 + y * 13 + z * 29) % 64) / 64.0f;
}

static struct emu_tex_desc image(struct device *d, enum emu_tex_shape shape, unsigned w, unsigned h, unsigned depth)
{
    struct emu_tex_desc t = {
        .shape = (uint8_t)shape, .n_channel = 1, .channel_bits = 32, .channel_kind = EMU_TEX_FLOAT, .n_level = 1};
    const unsigned rows = h ? h : 1, slices = depth ? depth : 1;
    float *p = device_alloc(d, 4ull * w * rows * slices);
    for (unsigned z = 0; z < slices; z++)
        for (unsigned y = 0; y < rows; y++)
            for (unsigned x = 0; x < w; x++)
                p[(z * rows + y) * w + x] = value(x, y, z);
    t.level[0] = (struct emu_tex_level){(uint64_t)(uintptr_t)p, w, h, depth, 4ull * w, 4ull * w * rows};
    for (int k = 0; k < 3; k++)
        t.address[k] = EMU_TEX_CLAMP;
    return t;
}

/* Kernel: one fetch a thread at the four words of %b, result to %a; %n is the handle. */
#define FETCH(instruction)                                                                                             \
    BODY(                                                                                                              \
        "mul.wide.u32 %rd1, %r0, 16;\nadd.u64 %rd2, %rd1, %b;\nadd.u64 %rd1, %rd1, %a;\n"                              \
        "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd2];\n"                                                             \
        "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n" instruction                         \
        "\nst.global.v4.b32 [%rd1], {%r10, %r11, %r12, %r13};\nret;")
#define RESULT "{%r10, %r11, %r12, %r13}"

static unsigned clamped(double x, unsigned n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : (unsigned)x;
}

/* The guide's bilinear formula in double precision. */
static double bilinear(double x, double y, unsigned z, unsigned w, unsigned h)
{
    const double fx = floor(x - 0.5), fy = floor(y - 0.5), a = x - 0.5 - fx, b = y - 0.5 - fy;
    const unsigned x0 = clamped(fx, w), x1 = clamped(fx + 1, w), y0 = clamped(fy, h), y1 = clamped(fy + 1, h);
    return (1 - a) * (1 - b) * value(x0, y0, z) + a * (1 - b) * value(x1, y0, z) + (1 - a) * b * value(x0, y1, z) +
           a * b * value(x1, y1, z);
}

static void fetches_follow_the_guide(void **state)
{
    (void)state;
    enum { W = 17, H = 9, N = 64 };
    for (unsigned layered = 0; layered < 2; layered++)
        for (unsigned linear = 0; linear < 2; linear++) {
            struct device d = device_open(layered ? FETCH("tex.a2d.v4.f32.f32 " RESULT ", [%n, {%r1, %r2, %r3, %r3}];")
                                                  : FETCH("tex.2d.v4.f32.f32 " RESULT ", [%n, {%r2, %r3}];"),
                                          NULL);
            struct emu_tex_desc t = image(&d, layered ? EMU_TEX_2D_LAYERED : EMU_TEX_2D, W, H, layered ? 3 : 0);
            t.filter = linear ? EMU_TEX_LINEAR : EMU_TEX_POINT;
            const uint64_t handle = emu_tex_create(d.emu, &t);
            assert_true(handle != 0);
            uint32_t *in = device_alloc(&d, N * 16), *out = device_alloc(&d, N * 16);
            for (unsigned i = 0; i < N; i++) {
                in[4 * i] = i % 3;
                in[4 * i + 1] = bits_of((float)(i * 37 % 200) / 10.0f - 1.0f);
                in[4 * i + 2] = bits_of((float)(i * 53 % 110) / 10.0f - 1.0f);
            }
            device_run(&d, "k", 1, N, 0, out, in, handle);
            for (unsigned i = 0; i < N; i++) {
                const float x = (float)(i * 37 % 200) / 10.0f - 1.0f, y = (float)(i * 53 % 110) / 10.0f - 1.0f;
                const unsigned z = layered ? i % 3 : 0;
                const double want =
                    linear ? bilinear(x, y, z, W, H) : value(clamped(floor(x), W), clamped(floor(y), H), z);
                float got;
                memcpy(&got, &out[4 * i], 4);
                assert_true(fabs(got - want) <= (linear ? 2.0 / 256 : 0));
            }
            device_close(&d);
        }
}

/* Every format without conversion, positions inside, outside, fractional and not a number, against the sampler. */
static void point_samples_agree_with_the_sampler(void **state)
{
    (void)state;
    enum { W = 13, H = 7, N = 96, PITCH = 256 };
    static const float at[] = {0, 0.999f, 1, 3.5f, 6.999f, 7, 12.99f, 13, 40, 3e9f, INFINITY, -0.1f, -2, -3e9f, NAN};
    for (unsigned ints = 0; ints < 2; ints++)
        for (unsigned bits = 8; bits <= 32; bits *= 2)
            for (unsigned channels = 1; channels <= 4; channels *= 2)
                for (unsigned kind = EMU_TEX_SIGNED; kind <= EMU_TEX_FLOAT; kind++) {
                    if (kind == EMU_TEX_FLOAT && bits == 8)
                        continue;
                    struct device d = device_open(ints ? FETCH("tex.2d.v4.u32.s32 " RESULT ", [%n, {%r2, %r3}];")
                                                       : FETCH("tex.2d.v4.u32.f32 " RESULT ", [%n, {%r2, %r3}];"),
                                                  NULL);
                    struct emu_tex_desc t = {.shape = EMU_TEX_2D,
                                             .n_channel = (uint8_t)channels,
                                             .channel_bits = (uint8_t)bits,
                                             .channel_kind = (uint8_t)kind,
                                             .address = {EMU_TEX_CLAMP, EMU_TEX_WRAP, EMU_TEX_CLAMP},
                                             .n_level = 1};
                    uint8_t *p = device_alloc(&d, PITCH * H);
                    for (unsigned k = 0; k < PITCH * H; k++)
                        p[k] = (uint8_t)(k * 37 + k / 256 * 11);
                    t.level[0] = (struct emu_tex_level){(uint64_t)(uintptr_t)p, W, H, 0, PITCH, PITCH * H};
                    uint32_t *in = device_alloc(&d, N * 16), *out = device_alloc(&d, N * 16);
                    for (unsigned i = 0; i < N; i++)
                        for (unsigned k = 1; k < 3; k++) {
                            const unsigned n = sizeof at / sizeof *at;
                            in[4 * i + k] =
                                ints ? i * (k == 1 ? 5u : 3u) % 40 - 12 : bits_of(at[(k == 1 ? i : i / 7) % n]);
                        }
                    device_run(&d, "k", 1, N, 0, out, in, emu_tex_create(d.emu, &t));
                    for (unsigned i = 0; i < N; i++) {
                        struct tex_coord c = {
                            .is_int = ints, .ix = (int32_t)in[4 * i + 1], .iy = (int32_t)in[4 * i + 2]};
                        struct tex_result want;
                        memcpy(&c.x, &in[4 * i + 1], 4);
                        memcpy(&c.y, &in[4 * i + 2], 4);
                        tex_fetch(&t, &c, &want);
                        assert_memory_equal(&out[4 * i], want.c, 16);
                    }
                    device_close(&d);
                }
}

static void integer_fetch_outside_linear_memory_is_zero(void **state)
{
    (void)state;
    struct device d = device_open(FETCH("tex.1d.v4.s32.s32 " RESULT ", [%n, {%r1}];"), NULL);
    int32_t *p = device_alloc(&d, 40 * 4);
    for (int i = 0; i < 40; i++)
        p[i] = 1000 - i;
    struct emu_tex_desc t = {
        .shape = EMU_TEX_LINEAR_MEM, .n_channel = 1, .channel_bits = 32, .channel_kind = EMU_TEX_SIGNED, .n_level = 1};
    t.level[0] = (struct emu_tex_level){(uint64_t)(uintptr_t)p, 40, 0, 0, 160, 160};
    uint32_t *in = device_alloc(&d, 64 * 16), *out = device_alloc(&d, 64 * 16);
    for (int i = 0; i < 64; i++)
        in[4 * i] = (uint32_t)(i - 12);
    device_run(&d, "k", 1, 64, 0, out, in, emu_tex_create(d.emu, &t));
    for (int i = 0; i < 64; i++)
        assert_int_equal((int32_t)out[4 * i], i >= 12 && i < 52 ? 1000 - (i - 12) : 0);
    device_close(&d);
}

static void wrap_and_mirror_repeat_the_image(void **state)
{
    (void)state;
    enum { W = 8, N = 64 };
    for (unsigned mode = EMU_TEX_WRAP; mode <= EMU_TEX_MIRROR; mode += EMU_TEX_MIRROR - EMU_TEX_WRAP) {
        struct device d = device_open(FETCH("tex.1d.v4.f32.f32 " RESULT ", [%n, {%r1}];"), NULL);
        struct emu_tex_desc t = image(&d, EMU_TEX_1D, W, 0, 0);
        t.address[0] = (uint8_t)mode;
        t.normalized_coords = true;
        uint32_t *in = device_alloc(&d, N * 16), *out = device_alloc(&d, N * 16);
        for (int i = 0; i < N; i++)
            in[4 * i] = bits_of(((float)(i - 32) + 0.5f) / W);
        device_run(&d, "k", 1, N, 0, out, in, emu_tex_create(d.emu, &t));
        for (int i = 0; i < N; i++) {
            const unsigned at = (unsigned)(i - 32 + 64) % (mode == EMU_TEX_WRAP ? W : 2 * W);
            assert_int_equal(out[4 * i], bits_of(value(at < W ? at : 2 * W - 1 - at, 0, 0)));
        }
        device_close(&d);
    }
}

static void surface_stores_and_reductions_reach_memory(void **state)
{
    (void)state;
    enum { W = 16, H = 4 };
    struct device d =
        device_open(BODY("and.b32 %r1, %r0, 15;\nshr.u32 %r2, %r0, 4;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r0, 100;\n"
                         "sust.b.2d.b32.trap [%n, {%r3, %r2}], %r4;\n"
                         "suld.b.2d.b32.trap %r5, [%n, {%r3, %r2}];\nst.global.u32 [%out], %r5;\n"
                         "mov.u32 %r6, 0;\nsured.b.add.2d.u32.trap [%n, {%r6, %r6}], %r0;\n"
                         "mov.u32 %r7, 4096;\nsust.b.2d.b32.zero [%n, {%r7, %r2}], %r4;\nret;"),
                    NULL);
    struct emu_tex_desc t = image(&d, EMU_TEX_2D, W, H, 0);
    t.channel_kind = EMU_TEX_UNSIGNED;
    uint32_t *out = device_alloc(&d, 64 * 4);
    device_run(&d, "k", 1, 64, 0, out, NULL, emu_surf_create(d.emu, &t));
    const uint32_t *p = (const uint32_t *)(uintptr_t)t.level[0].addr;
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(out[i], 100 + i);
        assert_int_equal(p[i], i ? 100 + i : 100 + 63 * 64 / 2);
    }
    device_close(&d);
}

static void formatted_store_converts(void **state)
{
    (void)state;
    struct device d = device_open(
        BODY("mov.u32 %r1, 0;\nmov.b32 %r3, 0f3f000000;\nmov.b32 %r4, 0f40000000;\nmov.b32 %r5, 0fbf800000;\n"
             "mov.b32 %r6, 0f3f800000;\nsust.p.2d.v4.f32.trap [%n, {%r0, %r1}], {%r3, %r4, %r5, %r6};\nret;"),
        NULL);
    struct emu_tex_desc t = {
        .shape = EMU_TEX_2D, .n_channel = 4, .channel_bits = 8, .channel_kind = EMU_TEX_UNSIGNED, .n_level = 1};
    uint8_t *p = device_alloc(&d, 32 * 4);
    t.level[0] = (struct emu_tex_level){(uint64_t)(uintptr_t)p, 32, 1, 0, 128, 128};
    device_run(&d, "k", 1, 32, 0, NULL, NULL, emu_surf_create(d.emu, &t));
    for (unsigned i = 0; i < 32; i++) {
        assert_in_range(p[4 * i], 127, 128);
        assert_int_equal(p[4 * i + 1], 255);
        assert_int_equal(p[4 * i + 2], 0);
        assert_int_equal(p[4 * i + 3], 255);
    }
    device_close(&d);
}

static void queries_tell_the_size(void **state)
{
    (void)state;
    struct device d = device_open(
        BODY("txq.width.b32 %r1, [%n];\ntxq.height.b32 %r2, [%n];\nsuq.width.b32 %r3, [%n];\n"
             "mul.lo.u32 %r1, %r1, 10000;\nmul.lo.u32 %r2, %r2, 100;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n"
             "st.global.u32 [%out], %r1;\nret;"),
        NULL);
    struct emu_tex_desc t = image(&d, EMU_TEX_2D, 21, 6, 0);
    uint32_t *out = device_alloc(&d, 4);
    device_run(&d, "k", 1, 1, 0, out, NULL, emu_tex_create(d.emu, &t));
    assert_int_equal(out[0], 21 * 10000 + 6 * 100 + 21);
    device_close(&d);
}

/* ---- faults ---- */
static void bad_objects_are_faults(void **state)
{
    (void)state;
    struct device d = device_open(FETCH("tex.2d.v4.f32.f32 " RESULT ", [%n, {%r1, %r2}];"), NULL);
    uint32_t *in = device_alloc(&d, 512), *out = device_alloc(&d, 512);
    struct emu_tex_desc t = image(&d, EMU_TEX_2D, 8, 8, 0);
    const uint64_t handle = emu_tex_create(d.emu, &t), other = handle + 12345;
    assert_int_equal(device_try(&d, "k", 1, 32, 0, out, in, handle), 0);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, out, in, other), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_INSTRUCTION);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, out, in, 0), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_INSTRUCTION);
    struct emu_tex_desc line = image(&d, EMU_TEX_1D, 8, 0, 0); /* another shape than the instruction's */
    assert_int_equal(device_try(&d, "k", 1, 32, 0, out, in, emu_tex_create(d.emu, &line)), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_INSTRUCTION);
    assert_int_equal(emu_mem_free(d.emu, t.level[0].addr, EMU_MEM_DEVICE), 0);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, out, in, handle), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_ADDRESS);
    assert_int_equal(emu_tex_destroy(d.emu, handle), 0);
    assert_int_equal(emu_tex_destroy(d.emu, handle), -1);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, out, in, handle), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_INSTRUCTION);
    device_close(&d);
}

static void surface_access_outside_traps(void **state)
{
    (void)state;
    struct device d = device_open(
        BODY("mov.u32 %r1, 0;\nshl.b32 %r2, %r0, 2;\nsust.b.2d.b32.trap [%n, {%r2, %r1}], %r0;\nret;"), NULL);
    struct emu_tex_desc t = image(&d, EMU_TEX_2D, 31, 2, 0);
    assert_int_equal(device_try(&d, "k", 1, 31, 0, NULL, NULL, emu_surf_create(d.emu, &t)), 0);
    assert_int_equal(device_try(&d, "k", 1, 32, 0, NULL, NULL, emu_surf_create(d.emu, &t)), -1);
    assert_int_equal(d.fault.kind, EMU_FAULT_ILLEGAL_ADDRESS);
    assert_int_equal(d.fault.thread[0], 31);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetches_follow_the_guide),
        cmocka_unit_test(point_samples_agree_with_the_sampler),
        cmocka_unit_test(integer_fetch_outside_linear_memory_is_zero),
        cmocka_unit_test(wrap_and_mirror_repeat_the_image),
        cmocka_unit_test(surface_stores_and_reductions_reach_memory),
        cmocka_unit_test(formatted_store_converts),
        cmocka_unit_test(queries_tell_the_size),
        cmocka_unit_test(bad_objects_are_faults),
        cmocka_unit_test(surface_access_outside_traps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
