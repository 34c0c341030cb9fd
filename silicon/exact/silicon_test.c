/*
 * Every instruction form against what an H200 computed, bit for bit: also where PTX gives only an error bound.
 *
 *   silicon_test FORMS.ptx FORMS.txt H200.bin.zst [SUBSTRING]
 *
 * With a fourth argument only forms whose name contains it are run, and every difference is printed.
 */
#include "direct.h"
#include "forms.h"

#include "emu/emu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <zstd.h>

static struct {
    struct silicon_forms forms;
    struct ptx_module *module;
    uint8_t *data;
    size_t n_data;
    const char *only;
    char *text;
    size_t n_text;
} g;

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *p = xmalloc(*n + 1);
    *n = fread(p, 1, *n, f);
    p[*n] = 0;
    fclose(f);
    return p;
}

/* Forms that need a memory run through emu_launch only. */
static bool is_memory(const struct silicon_form *f)
{
    return !strcmp(f->check, "memory");
}
/* Forms where weir follows the PTX manual and the code of NVIDIA's assembler does not: differences are only counted. */
static bool is_manual(const struct silicon_form *f)
{
    return !strcmp(f->check, "manual");
}
static bool is_warp_wide(const struct silicon_form *f)
{
    static const char *const start[] = {"shfl", "vote", "match", "redux", "activemask", "elect"};
    for (unsigned k = 0; k < sizeof start / sizeof *start; k++)
        if (!strncmp(f->name, start[k], strlen(start[k])))
            return true;
    return false;
}

struct outcome {
    unsigned forms, unsupported, wrong_forms;
    uint64_t elements, wrong, manual;
};

static void report(const struct silicon_form *f, uint32_t e, unsigned k, uint64_t got, uint64_t want)
{
    printf("  %s element %u, result %u: weir %0*llx, H200 %0*llx;", f->name, e, k, f->out_bits[k] / 4,
           (unsigned long long)got, f->out_bits[k] / 4, (unsigned long long)want);
    for (unsigned s = 0; s < f->n_in; s++)
        printf(" %llx", (unsigned long long)silicon_input(f->name, f->in_kind[s], s, f->n_in, e));
    printf("\n");
}

static uint64_t keep_bits(uint64_t x, unsigned bits)
{
    return bits == 64 ? x : x & ((1ull << bits) - 1);
}

/* Compares up to 32 results from element `first` on; returns how many differ. */
static uint64_t compare(const struct silicon_form *f, const uint8_t *block, uint32_t first, uint64_t out[2][EMU_LANES],
                        uint32_t mask, uint64_t already)
{
    uint64_t wrong = 0;
    for (unsigned k = 0; k < f->n_out; k++)
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const uint64_t want = silicon_result(f, block, k, first + l), got = keep_bits(out[k][l], f->out_bits[k]);
            if (!(mask >> l & 1) || got == want)
                continue;
            if (g.only || (already + wrong < 3 && !is_manual(f)))
                report(f, first + l, k, got, want);
            wrong++;
        }
    return wrong;
}
static uint64_t run_direct(const struct silicon_form *f, const uint8_t *block, struct direct *d, uint32_t mask,
                           bool *kept)
{
    uint64_t in[4][EMU_LANES], out[2][EMU_LANES], wrong = 0;
    for (uint32_t first = 0; first < f->elements; first += EMU_LANES) {
        for (unsigned s = 0; s < f->n_in; s++)
            for (uint32_t l = 0; l < EMU_LANES; l++)
                in[s][l] = silicon_input(f->name, f->in_kind[s], s, f->n_in, first + l);
        *kept &= direct_run(d, in, out, mask);
        wrong += compare(f, block, first, out, mask, wrong);
    }
    return wrong;
}

static void count(struct outcome *o, const struct silicon_form *f, uint64_t wrong)
{
    o->elements += f->elements;
    if (is_manual(f)) {
        o->manual += wrong;
        return;
    }
    o->wrong += wrong;
    o->wrong_forms += wrong != 0;
    if (wrong)
        printf("%s: %llu differences\n", f->name, (unsigned long long)wrong);
}
static void conclude(const char *what, const struct outcome *o)
{
    printf(
        "%s: %u forms, %llu elements: %u forms unsupported, %u forms differ in %llu results; %llu results follow the "
        "manual "
        "against the GPU\n",
        what, o->forms, (unsigned long long)o->elements, o->unsupported, o->wrong_forms, (unsigned long long)o->wrong,
        (unsigned long long)o->manual);
    assert_int_equal(o->unsupported, 0);
    assert_int_equal(o->wrong, 0);
}

/* The operations alone, one compiled variant of them; with all lanes and with some. */
static void test_variant(void **state)
{
    const struct emu_op_variant *variant = *state;
    struct outcome o = {0};
    bool all_kept = true;
    const uint8_t *block = g.data + 16;
    for (unsigned i = 0; i < g.forms.n; block += silicon_result_bytes(&g.forms.form[i]), i++) {
        const struct silicon_form *f = &g.forms.form[i];
        if (is_memory(f) || (g.only && !strstr(f->name, g.only)))
            continue;
        const char *why = "?";
        struct direct *d = direct_new(g.module, f->kernel, variant->select, &why);
        o.forms++;
        if (!d) {
            printf("  %s: %s\n", f->name, why);
            o.unsupported++;
            continue;
        }
        bool kept = true;
        uint64_t wrong = run_direct(f, block, d, ~0u, &kept);
        if (!is_warp_wide(f))
            wrong += run_direct(f, block, d, 0x5a3c0ff1u, &kept);
        if (!kept)
            printf("  %s writes lanes that are not active\n", f->name);
        all_kept &= kept;
        count(&o, f, wrong);
        direct_free(d);
    }
    conclude(variant->name, &o);
    assert_true(all_kept);
}

/* The whole emulator: the kernel is launched as on the GPU. */
static void test_launch(void **state)
{
    enum { ARRAY_BYTES = 512 << 10 };
    struct outcome o = {0};
    struct err e;
    struct emu *emu = emu_new(&(struct emu_opts){.arch = 90}, &e);
    assert_non_null(emu);
    struct ptx_module *ptx = ptx_parse(g.text, g.n_text, "forms.ptx", &e);
    struct emu_module *module = emu_module_load(emu, &ptx, 1, &e);
    if (!module)
        err_print(&e, stderr);
    assert_non_null(module);
    uint64_t array[6]; /* a b c e, results 0 1: device addresses are host addresses */
    for (unsigned k = 0; k < 6; k++)
        assert_int_equal(emu_mem_alloc(emu, ARRAY_BYTES, EMU_MEM_DEVICE, &array[k]), 0);
    const uint8_t *block = g.data + 16;
    for (unsigned i = 0; i < g.forms.n; block += silicon_result_bytes(&g.forms.form[i]), i++) {
        const struct silicon_form *f = &g.forms.form[i];
        if (g.only && !strstr(f->name, g.only))
            continue;
        for (unsigned s = 0; s < f->n_in; s++)
            for (uint32_t l = 0; l < f->elements; l++)
                ((uint64_t *)array[s])[l] = silicon_input(f->name, f->in_kind[s], s, f->n_in, l);
        const struct emu_launch launch = {
            .grid = {f->elements / EMU_LANES, 1, 1}, .block = {EMU_LANES, 1, 1}, .params = array};
        struct emu_fault fault;
        o.forms++;
        struct emu_kernel *kernel = emu_module_kernel(module, f->kernel);
        if (!kernel || emu_launch(emu, kernel, &launch, NULL, &fault)) {
            printf("  %s: %s\n", f->name, kernel ? fault.text : "no kernel");
            o.unsupported++;
            continue;
        }
        uint64_t wrong = 0;
        for (uint32_t first = 0; first < f->elements; first += EMU_LANES) {
            uint64_t out[2][EMU_LANES];
            for (unsigned k = 0; k < f->n_out; k++)
                memcpy(out[k], (uint64_t *)array[4 + k] + first, sizeof out[k]);
            wrong += compare(f, block, first, out, ~0u, wrong);
        }
        count(&o, f, wrong);
    }
    emu_free(emu);
    conclude("launched", &o);
}

static int load(char **argv)
{
    size_t n_text, n_packed;
    char *text = read_file(argv[1], &n_text), *packed = read_file(argv[3], &n_packed);
    if (!text || !packed || silicon_read_forms(argv[2], &g.forms))
        return -1;
    struct err e;
    g.module = ptx_parse(text, n_text, "forms.ptx", &e);
    if (!g.module) {
        err_print(&e, stderr);
        return -1;
    }
    g.n_data = 16;
    for (unsigned i = 0; i < g.forms.n; i++)
        g.n_data += silicon_result_bytes(&g.forms.form[i]);
    g.data = xmalloc(g.n_data);
    const size_t got = ZSTD_decompress(g.data, g.n_data, packed, n_packed);
    uint64_t head[2];
    memcpy(head, g.data, sizeof head);
    free(packed);
    g.text = text;
    g.n_text = n_text;
    if (ZSTD_isError(got) || got != g.n_data || head[0] != SILICON_MAGIC || head[1] != g.forms.hash) {
        fprintf(stderr, "the results do not belong to this list of forms: see silicon/exact/README.md\n");
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4 || load(argv)) {
        fprintf(stderr, "usage: silicon_test FORMS.ptx FORMS.txt RESULTS.bin.zst [SUBSTRING]\n");
        return 2;
    }
    g.only = argc > 4 ? argv[4] : NULL;
    struct emu_op_variant variant[3];
    const unsigned n = emu_op_variants(variant);
    struct CMUnitTest tests[4];
    unsigned n_tests = 0;
    for (unsigned k = 0; k < n; k++)
        tests[n_tests++] = (struct CMUnitTest){variant[k].name, test_variant, NULL, NULL, &variant[k]};
    tests[n_tests++] = (struct CMUnitTest){"launched", test_launch, NULL, NULL, NULL};
    return _cmocka_run_group_tests("silicon", tests, n_tests, NULL, NULL);
}
