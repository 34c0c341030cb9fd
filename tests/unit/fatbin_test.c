/*
 * Fat binaries: containers as nvcc writes them (the fuzzer's corpus), containers made here, and damaged ones.
 */
#include "base/mem.h"
#include "cudart/cubin.h"
#include "cudart/fatbin.h"

#include <elf.h>
#include <lz4.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

typedef VEC(uint8_t) bytes;

static void put(bytes *b, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        VEC_PUSH(b, (uint8_t)(i < 8 ? value >> 8 * i : 0));
}

static void put_bytes(bytes *b, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(b, ((const uint8_t *)p)[i]);
}

struct spec {
    int kind, arch;
    enum fatbin_coding coding;
    const char *text, *options;
};

/* One entry, laid out as nvcc 13 does. */
static void put_entry(bytes *b, const struct spec *s)
{
    char packed[4096];
    size_t n = strlen(s->text) + 1, stored = n;
    if (s->coding == FATBIN_ZSTD)
        stored = ZSTD_compress(packed, sizeof packed, s->text, n, 3);
    else if (s->coding == FATBIN_LZ4)
        stored = (size_t)LZ4_compress_default(s->text, packed, (int)n, sizeof packed);
    else
        memcpy(packed, s->text, n);
    const size_t padded = (stored + 7) / 8 * 8, opt = s->options ? strlen(s->options) + 1 : 0;
    const uint32_t header = 0x40 + (opt ? 8 + (uint32_t)opt : 0);
    const bool coded = s->coding != FATBIN_RAW;
    put(b, (uint64_t)s->kind, 2);
    put(b, 0x0101, 2);
    put(b, header, 4);
    put(b, padded, 8);
    put(b, coded ? stored : 0, 4);
    put(b, opt ? 0x40 : 0, 4);
    put(b, 0, 2), put(b, 9, 2); /* PTX 9.0 */
    put(b, (uint64_t)s->arch, 4);
    put(b, 0, 4), put(b, 0, 4); /* no name */
    put(b, 0x11 | (s->coding == FATBIN_LZ4 ? 0x2000 : s->coding == FATBIN_ZSTD ? 0x8000 : 0), 8);
    put(b, 0, 8);
    put(b, coded ? n : 0, 8);
    if (opt) {
        put(b, 0x48, 4), put(b, opt - 1, 4);
        put_bytes(b, s->options, opt);
    }
    put_bytes(b, packed, stored);
    put(b, 0, (int)(padded - stored));
}

/* A fat binary of these entries, which are freed. */
static bytes wrap(bytes *entries)
{
    bytes b = {0};
    put(&b, FATBIN_MAGIC, 4);
    put(&b, 1, 2), put(&b, 16, 2);
    put(&b, entries->n, 8);
    put_bytes(&b, entries->p, entries->n);
    VEC_FREE(entries);
    return b;
}

static bytes container(const struct spec *s, size_t n)
{
    bytes entries = {0};
    for (size_t i = 0; i < n; i++)
        put_entry(&entries, &s[i]);
    return wrap(&entries);
}

/* ---- made here ---- */
static void every_coding_gives_the_text_back(void **state)
{
    (void)state;
    for (int coding = FATBIN_RAW; coding <= FATBIN_ZSTD; coding++) {
        const struct spec s = {FATBIN_PTX, 75, (enum fatbin_coding)coding, ".version 9.0\n.target sm_75\n", NULL};
        bytes b = container(&s, 1);
        struct fatbin_pick pick;
        struct err e;
        assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), 0);
        assert_non_null(pick.text);
        assert_string_equal(pick.text, s.text);
        assert_int_equal(pick.text_bytes, strlen(s.text));
        assert_int_equal(pick.arch, 75);
        free(pick.text);
        VEC_FREE(&b);
    }
}

static void the_highest_target_that_fits_is_chosen(void **state)
{
    (void)state;
    const struct spec s[] = {
        {FATBIN_CUBIN, 75, FATBIN_RAW, "cubin", NULL}, {FATBIN_PTX, 75, FATBIN_RAW, "seventy-five", NULL},
        {FATBIN_PTX, 120, FATBIN_RAW, "above", NULL},  {FATBIN_PTX, 80, FATBIN_ZSTD, "eighty", NULL},
        {FATBIN_PTX, 52, FATBIN_LZ4, "old", NULL},
    };
    bytes b = container(s, 5);
    static const struct {
        uint32_t arch;
        const char *text;
    } cases[] = {{90, "eighty"}, {80, "eighty"}, {79, "seventy-five"}, {60, "old"}, {200, "above"}, {50, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fatbin_pick pick;
        struct err e;
        assert_int_equal(fatbin_choose(b.p, b.n, cases[i].arch, "t", &pick, &e), 0);
        if (cases[i].text)
            assert_string_equal(pick.text, cases[i].text);
        else
            assert_null(pick.text);
        assert_int_equal(pick.n_cubin, 1);
        free(pick.text);
    }
    VEC_FREE(&b);
}

static void nothing_to_run_says_what_there_was(void **state)
{
    (void)state;
    const struct spec cubin = {FATBIN_CUBIN, 86, FATBIN_RAW, "machine code", NULL};
    const struct spec above[] = {{FATBIN_PTX, 121, FATBIN_RAW, "x", NULL}, {FATBIN_PTX, 100, FATBIN_RAW, "y", NULL}};
    struct fatbin_pick pick;
    struct err e;
    bytes b = container(&cubin, 1);
    assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), 0);
    assert_null(pick.text);
    assert_int_equal(pick.cubin_arch, 86);
    VEC_FREE(&b);
    b = container(above, 2);
    assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), 0);
    assert_null(pick.text);
    assert_int_equal(pick.ptx_above, 100);
    VEC_FREE(&b);
    b = container(NULL, 0);
    assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), 0);
    assert_null(pick.text);
    VEC_FREE(&b);
}

static void the_register_limit_is_read_from_the_options(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        uint32_t regs;
    } cases[] = {{"-O1  -maxrregcount=32 ", 32}, {"--maxrregcount 64", 64}, {" --generate-line-info ", 0},
                 {"-maxrregcount", 0},           {"-maxrregcount=", 0},     {"-maxrregcount=128", 128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spec s = {FATBIN_PTX, 75, FATBIN_RAW, "x", cases[i].options};
        bytes b = container(&s, 1);
        struct fatbin_pick pick;
        struct err e;
        assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), 0);
        assert_int_equal(pick.maxrregcount, cases[i].regs);
        free(pick.text);
        VEC_FREE(&b);
    }
}

static void plain_text_is_taken_up_to_its_nul(void **state)
{
    (void)state;
    static const char text[] = ".version 7.1\n\0rest";
    struct fatbin_pick pick;
    struct err e;
    assert_int_equal(fatbin_choose(text, sizeof text, 90, "t", &pick, &e), 0);
    assert_string_equal(pick.text, ".version 7.1\n");
    free(pick.text);
    assert_int_equal(fatbin_choose(text, 8, 90, "t", &pick, &e), 0); /* no NUL in sight */
    assert_string_equal(pick.text, ".version");
    free(pick.text);
}

/* ---- damage: an error with the offset of the damaged field ---- */
static void expect_damage(const bytes *good, size_t at, uint64_t value, int n, uint64_t offset)
{
    bytes b = {0};
    put_bytes(&b, good->p, good->n);
    for (int i = 0; i < n; i++)
        b.p[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    struct fatbin_pick pick;
    struct err e;
    err_clear(&e);
    assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), -1);
    assert_int_equal(e.offset, offset);
    assert_true(e.msg[0]);
    VEC_FREE(&b);
}

static void damage_is_named_by_its_offset(void **state)
{
    (void)state;
    const struct spec s = {FATBIN_PTX, 75, FATBIN_ZSTD, ".version 9.0\n.target sm_75\n", "-O3"};
    bytes b = container(&s, 1);
    expect_damage(&b, 6, 8, 2, 6);                 /* header shorter than itself */
    expect_damage(&b, 8, b.n, 8, 8);               /* more entries than bytes */
    expect_damage(&b, 8, 0x20, 8, 16);             /* room for half an entry header */
    expect_damage(&b, 16 + 4, 0x3f, 4, 16 + 4);    /* entry header too small */
    expect_damage(&b, 16 + 4, 1 << 20, 4, 16 + 4); /* ... too large */
    expect_damage(&b, 16 + 8, UINT64_MAX, 8, 16 + 8);
    expect_damage(&b, 16 + 0x10, 0, 4, 16 + 0x10); /* compressed, but nothing stored */
    expect_damage(&b, 16 + 0x10, 9999, 4, 16 + 0x10);
    expect_damage(&b, 16 + 0x14, 0x1000, 4, 16 + 0x14);
    expect_damage(&b, 16 + 0x38, 1ull << 40, 8, 16 + 0x38);
    expect_damage(&b, 16 + 0x38, 5, 8, 16); /* does not decompress to that */
    expect_damage(&b, 16 + 0x40, 0x7000, 4, 16 + 0x40);
    VEC_FREE(&b);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    const struct spec s[] = {{FATBIN_PTX, 75, FATBIN_ZSTD, ".version 9.0\n", "-maxrregcount=40"},
                             {FATBIN_CUBIN, 75, FATBIN_RAW, "code", NULL}};
    bytes b = container(s, 2);
    for (size_t n = FATBIN_HEADER_BYTES; n < b.n; n++) {
        uint8_t *exact = malloc(n);
        struct fatbin_pick pick;
        struct err e;
        memcpy(exact, b.p, n);
        assert_int_equal(fatbin_choose(exact, n, 90, "t", &pick, &e), -1);
        free(exact);
    }
    VEC_FREE(&b);
}

/* ---- as nvcc 13 wrote them ---- */
static bytes from_corpus(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("WEIR_FATBIN_CORPUS"), name);
    FILE *f = fopen(path, "rb");
    bytes b = {0};
    if (!f)
        fail_msg("%s is missing", path);
    fgetc(f); /* the fuzzer's selector */
    for (int c; (c = fgetc(f)) != EOF;)
        VEC_PUSH(&b, (uint8_t)c);
    fclose(f);
    return b;
}

static void nvcc_output_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t arch, regs, cubins;
        const char *name;
    } cases[] = {{"zstd", 75, 0, 0, ""},         {"lz4", 75, 0, 0, ""},  {"raw", 75, 0, 0, ""},
                 {"two", 90, 32, 0, "scale.cu"}, {"both", 75, 0, 1, ""}, {"plain_ptx", 0, 0, 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = from_corpus(cases[i].file);
        struct fatbin_pick pick;
        struct err e;
        assert_int_equal(fatbin_choose(b.p, b.n, 90, cases[i].file, &pick, &e), 0);
        assert_non_null(pick.text);
        assert_non_null(strstr(pick.text, ".entry scale"));
        assert_int_equal(pick.arch, cases[i].arch);
        assert_int_equal(pick.maxrregcount, cases[i].regs);
        assert_int_equal(pick.n_cubin, cases[i].cubins);
        assert_string_equal(pick.name, cases[i].name);
        free(pick.text);
        VEC_FREE(&b);
    }
}

static void a_compressed_cubin_alone_gives_no_text(void **state)
{
    (void)state;
    bytes b = from_corpus("cubin");
    struct fatbin_pick pick;
    struct err e;
    assert_int_equal(fatbin_choose(b.p, b.n, 90, "cubin", &pick, &e), 0);
    assert_null(pick.text);
    assert_int_equal(pick.n_cubin, 1);
    assert_int_equal(pick.cubin_arch, 75);
    VEC_FREE(&b);
}

/* ---- machine code beside the PTX ---- */

/* A cubin of two kernels, as far as it is read: names, symbols, what .nv.info says of their registers. */
static bytes cubin_of(uint32_t first, uint32_t second)
{
    static const char names[] = "\0.nv.info\0.symtab\0.names\0first\0second";
    enum { INFO = 1, SYMTAB = 10, NAMES = 18, FIRST = 25, SECOND = 31 };
    bytes info = {0}, b = {0};
    put(&info, 0x3601, 2), put(&info, 7, 2); /* a record whose value stands in place of its size */
    put(&info, 0x1104, 2), put(&info, 8, 2), put(&info, 2, 4), put(&info, 999, 4); /* of another attribute */
    put(&info, 0x2f04, 2), put(&info, 8, 2), put(&info, 2, 4), put(&info, second, 4);
    put(&info, 0x2f04, 2), put(&info, 8, 2), put(&info, 1, 4), put(&info, first, 4);
    Elf64_Sym symbol[3] = {{0}, {.st_name = FIRST}, {.st_name = SECOND}};
    const uint64_t names_at = sizeof(Elf64_Ehdr), symbols_at = names_at + sizeof names,
                   info_at = symbols_at + sizeof symbol;
    Elf64_Shdr section[4] = {
        {0},
        {.sh_name = NAMES, .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof names},
        {.sh_name = SYMTAB, .sh_type = SHT_SYMTAB, .sh_offset = symbols_at, .sh_size = sizeof symbol, .sh_link = 1},
        {.sh_name = INFO, .sh_type = SHT_PROGBITS, .sh_offset = info_at, .sh_size = info.n},
    };
    Elf64_Ehdr eh = {.e_shoff = info_at + info.n, .e_shnum = 4, .e_shstrndx = 1};
    memcpy(eh.e_ident, ELFMAG, SELFMAG);
    eh.e_ident[EI_CLASS] = ELFCLASS64;
    put_bytes(&b, &eh, sizeof eh);
    put_bytes(&b, names, sizeof names);
    put_bytes(&b, symbol, sizeof symbol);
    put_bytes(&b, info.p, info.n);
    put_bytes(&b, section, sizeof section);
    VEC_FREE(&info);
    return b;
}

static void machine_code_says_how_many_registers(void **state)
{
    (void)state;
    bytes b = cubin_of(197, 42);
    assert_int_equal(cubin_registers(b.p, b.n, "first"), 197);
    assert_int_equal(cubin_registers(b.p, b.n, "second"), 42);
    assert_int_equal(cubin_registers(b.p, b.n, "third"), 0);
    assert_int_equal(cubin_registers("PTX", 4, "first"), 0);
    for (size_t n = 0; n < b.n; n++) { /* nothing is read behind the end */
        uint8_t *exact = malloc(n + 1);
        memcpy(exact, b.p, n);
        assert_int_equal(cubin_registers(exact, n, "first"), 0);
        free(exact);
    }
    for (size_t at = 0; at < b.n; at++) { /* whatever a byte is, it ends */
        const uint8_t old = b.p[at];
        b.p[at] = 0xff;
        cubin_registers(b.p, b.n, "first");
        b.p[at] = old;
    }
    VEC_FREE(&b);
}

static bytes with_code(const bytes *code, uint32_t arch)
{
    const struct spec ptx = {FATBIN_PTX, 75, FATBIN_ZSTD, ".version 9.0\n", NULL};
    bytes entries = {0};
    put_entry(&entries, &ptx);
    put(&entries, FATBIN_CUBIN, 2), put(&entries, 0x0101, 2), put(&entries, 0x40, 4);
    put(&entries, (code->n + 7) / 8 * 8, 8), put(&entries, 0, 8), put(&entries, 0, 4), put(&entries, arch, 4);
    put(&entries, 0, 8), put(&entries, 0x11, 8), put(&entries, 0, 16);
    put_bytes(&entries, code->p, code->n);
    put(&entries, 0, (int)(-code->n & 7));
    return wrap(&entries);
}

static void only_code_for_the_device_counts(void **state)
{
    (void)state;
    bytes code = cubin_of(64, 32);
    for (uint32_t arch = 86; arch <= 90; arch += 4) {
        bytes b = with_code(&code, arch);
        struct fatbin_pick pick;
        struct err e;
        assert_int_equal(fatbin_choose(b.p, b.n, 90, "t", &pick, &e), 0);
        assert_string_equal(pick.text, ".version 9.0\n");
        if (arch == 90)
            assert_int_equal(cubin_registers(pick.cubin, pick.cubin_bytes, "first"), 64);
        else
            assert_null(pick.cubin);
        fatbin_pick_free(&pick);
        VEC_FREE(&b);
    }
    VEC_FREE(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coding_gives_the_text_back),
        cmocka_unit_test(the_highest_target_that_fits_is_chosen),
        cmocka_unit_test(nothing_to_run_says_what_there_was),
        cmocka_unit_test(the_register_limit_is_read_from_the_options),
        cmocka_unit_test(plain_text_is_taken_up_to_its_nul),
        cmocka_unit_test(damage_is_named_by_its_offset),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(nvcc_output_is_read),
        cmocka_unit_test(a_compressed_cubin_alone_gives_no_text),
        cmocka_unit_test(machine_code_says_how_many_registers),
        cmocka_unit_test(only_code_for_the_device_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
