/*
 * Matrix and texture instructions against what an H200 computed (units.h lists them).
 *
 *   units_test UNITS.bin.zst [SUBSTRING]
 *
 * Bit for bit, except for what `allowed` names. With a second argument only cases whose name contains it are run, and
 * every difference is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "emu/emu.h"
#include "emu/tex.h"
#include "units.h"

#include <math.h>
#include <zstd.h>

static struct {
    uint8_t *data;
    size_t n_data;
    const char *only;
    struct unit_case list[UNIT_MAX_CASES];
    unsigned n;
    struct emu *emu;
    struct emu_module *module;
} g;

static float f32_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static int load_results(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    static uint8_t packed[1 << 20];
    size_t n = fread(packed, 1, sizeof packed, f);
    fclose(f);
    unsigned long long bytes = ZSTD_getFrameContentSize(packed, n);
    if (bytes > 16 << 20)
        return -1;
    g.data = xmalloc((size_t)bytes);
    g.n_data = ZSTD_decompress(g.data, (size_t)bytes, packed, n);
    return ZSTD_isError(g.n_data) ? -1 : 0;
}

/* ---- running one case on the emulator ---- */
static uint64_t device_copy(const void *p, size_t n)
{
    uint64_t at;
    assert_int_equal(emu_mem_alloc(g.emu, n ? n : 1, EMU_MEM_DEVICE, &at), 0);
    if (p)
        memcpy((void *)(uintptr_t)at, p, n);
    return at;
}

static uint64_t make_object(const struct unit_tex *t, uint32_t c, struct emu_tex_desc *d)
{
    *d = (struct emu_tex_desc){.shape = t->shape,
                               .n_channel = t->n_channel,
                               .channel_bits = t->bits,
                               .channel_kind = t->kind,
                               .filter = t->filter,
                               .mip_filter = t->mip_filter,
                               .normalized_coords = t->normalized,
                               .read_normalized = t->read_normalized,
                               .srgb = t->srgb,
                               .max_level = (float)(t->levels - 1),
                               .n_level = t->levels};
    for (int k = 0; k < 3; k++)
        d->address[k] = t->address;
    for (int k = 0; k < 4; k++)
        d->border[k] = 0.25f * (float)(k + 1);
    const unsigned texel = t->n_channel * t->bits / 8u;
    for (unsigned level = 0; level < t->levels; level++) {
        struct emu_tex_level *l = &d->level[level];
        l->width = unit_level_size(t->w, level);
        l->height = t->h ? unit_level_size(t->h, level) : 0;
        l->depth = t->d;
        l->row_bytes = l->width * texel;
        l->slice_bytes = l->row_bytes * (l->height ? l->height : 1);
        const uint64_t n = (uint64_t)l->width * (l->height ? l->height : 1) * (t->d ? t->d : 1);
        uint8_t *bytes = xmalloc(n * texel);
        for (uint64_t i = 0; i < n; i++)
            for (unsigned ch = 0; ch < t->n_channel; ch++) {
                const uint32_t v = unit_texel(t, c, level, i, ch);
                memcpy(bytes + (i * t->n_channel + ch) * t->bits / 8, &v, t->bits / 8);
            }
        l->addr = device_copy(bytes, n * texel);
        free(bytes);
    }
    return t->op >= UT_SULD_ZERO ? emu_surf_create(g.emu, d) : emu_tex_create(g.emu, d);
}

static void run_case(const struct unit_case *u, uint32_t c, uint8_t *in, uint8_t *out)
{
    char name[16];
    snprintf(name, sizeof name, "u%u", c);
    struct emu_tex_desc d = {0};
    unit_inputs(u, c, in);
    const uint64_t handle = u->kind == UNIT_TEX ? make_object(&u->tex, c, &d) : 0;
    const uint64_t d_in = device_copy(in, unit_in_bytes(u)), d_out = device_copy(NULL, unit_out_bytes(u));
    const uint64_t params[3] = {handle, d_in, d_out};
    const struct emu_launch launch = {
        .grid = {unit_blocks(u), 1, 1}, .block = {unit_threads(u), 1, 1}, .params = params};
    struct emu_fault fault;
    struct emu_kernel *k = emu_module_kernel(g.module, name);
    assert_non_null(k);
    if (emu_launch(g.emu, k, &launch, NULL, &fault)) {
        emu_fault_print(&fault, stderr);
        fail_msg("%s failed", u->name);
    }
    memcpy(out, (void *)(uintptr_t)d_out, unit_out_bytes(u));
    emu_mem_free(g.emu, d_in, EMU_MEM_DEVICE);
    emu_mem_free(g.emu, d_out, EMU_MEM_DEVICE);
    if (handle)
        emu_tex_destroy(g.emu, handle);
    for (unsigned level = 0; handle && level < d.n_level; level++)
        emu_mem_free(g.emu, d.level[level].addr, EMU_MEM_DEVICE);
}

/* ---- comparing ---- */

/* What is not bit for bit: docs/deviations.md, "Textures". Words that differ by more than `by` are wrong, `few` of them
 * may. */
struct allowance {
    double by;
    unsigned few;
};

static struct allowance allowed(const struct unit_case *u)
{
    const struct unit_tex *t = &u->tex;
    if (u->kind != UNIT_TEX)
        return (struct allowance){0, 0};
    if (t->srgb) /* the hardware's table */
        return (struct allowance){0.004, 0};
    if (t->op == UT_GRAD) /* level of detail within 0.04 of the hardware's */
        return (struct allowance){0.1, t->mip_filter ? 0 : 5};
    if (t->kind == 0 && t->bits == 8 && t->filter) /* one step of 16 bits */
        return (struct allowance){3.2e-5, 0};
    return (struct allowance){0, 0};
}

/* Returns how many words are wrong. */
static unsigned compare_words(const struct unit_case *u, uint32_t c, const uint8_t *got, const uint8_t *want, size_t n)
{
    const struct allowance allow = allowed(u);
    unsigned wrong = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint32_t a, b;
        memcpy(&a, got + i, 4);
        memcpy(&b, want + i, 4);
        if (a == b)
            continue;
        if (g.only)
            printf("  case %u word %zu: weir %08x %.9g, H200 %08x %.9g\n", c, i / 4, a, (double)f32_of(a), b,
                   (double)f32_of(b));
        wrong += !(fabs((double)f32_of(a) - (double)f32_of(b)) <= allow.by);
    }
    return wrong > allow.few ? wrong : 0;
}

static void units_agree(void **state)
{
    (void)state;
    size_t at = 0;
    unsigned bad = 0, ran = 0;
    for (unsigned c = 0; c < g.n; c++) {
        const struct unit_case *u = &g.list[c];
        assert_true(at < g.n_data);
        if (!g.data[at++])
            continue;
        const size_t n = unit_out_bytes(u);
        assert_true(n <= g.n_data - at);
        if (!g.only || strstr(u->name, g.only)) {
            uint8_t *in = xmalloc(unit_in_bytes(u)), *out = xmalloc(n);
            run_case(u, c, in, out);
            const unsigned wrong = compare_words(u, c, out, g.data + at, n);
            if (wrong)
                printf("%4u %s: %u of %zu words differ\n", c, u->name, wrong, n / 4);
            bad += wrong != 0;
            ran++;
            free(in);
            free(out);
        }
        at += n;
    }
    assert_int_equal(at, g.n_data);
    assert_int_equal(ran, g.only ? ran : g.n);
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_agree)};
    struct err e;
    if (argc < 2 || load_results(argv[1])) {
        fprintf(stderr, "usage: units_test UNITS.bin.zst [SUBSTRING]\n");
        return 2;
    }
    g.only = argc > 2 ? argv[2] : NULL;
    g.n = unit_cases(g.list);
    g.emu = emu_new(&(struct emu_opts){0}, &e);
    char *text = unit_ptx(g.list, g.n);
    struct ptx_module *ptx = ptx_parse(text, strlen(text), "units.ptx", &e);
    if (ptx && g.emu)
        g.module = emu_module_load(g.emu, &ptx, 1, &e);
    free(text);
    if (!g.module) {
        err_print(&e, stderr);
        return 2;
    }
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    emu_free(g.emu);
    free(g.data);
    return rc;
}
