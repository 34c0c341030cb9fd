/* What weir run thinks of an executable, from ELF files made here. */
#include "base/mem.h"
#include "cudart/elf_check.h"

#include <elf.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* An ELF file of one page: header, two program headers, dynamic section, strings, some data. */
struct image {
    Elf64_Ehdr eh;
    Elf64_Phdr ph[2];
    Elf64_Dyn dyn[6];
    char str[128];
    char data[64];
};

static struct image make(const char *needed, int path_tag, const char *data)
{
    struct image f = {
        .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
               .e_type = ET_DYN,
               .e_machine = EM_X86_64,
               .e_phoff = offsetof(struct image, ph),
               .e_phentsize = sizeof(Elf64_Phdr),
               .e_phnum = 2},
        .ph = {{.p_type = PT_LOAD, .p_vaddr = 0x400000, .p_filesz = sizeof f},
               {.p_type = PT_DYNAMIC, .p_offset = offsetof(struct image, dyn), .p_filesz = sizeof f.dyn}},
        .dyn = {{DT_NEEDED, {1}},
                {DT_NEEDED, {80}},
                {DT_STRTAB, {0x400000 + offsetof(struct image, str)}},
                {path_tag, {1}},
                {DT_NULL, {0}}},
    };
    snprintf(f.str + 1, 70, "%s", needed);
    snprintf(f.str + 80, 40, "libc.so.6");
    snprintf(f.data, sizeof f.data, "%s", data);
    return f;
}

static int examine(const void *p, size_t n, struct program *out, struct err *e)
{
    err_clear(e);
    return program_examine(p, n, "./app", out, e);
}

static void shared_runtime_is_accepted(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libcudart.so.13", DT_DEBUG, "libcuda.so.1");
    assert_int_equal(examine(&f, sizeof f, &p, &e), 0);
    assert_int_equal(p.kind, PROGRAM_CUDA);
    assert_false(p.has_rpath);
}

static void a_search_path_inside_is_noticed(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libcudart.so.13", DT_RPATH, "");
    assert_int_equal(examine(&f, sizeof f, &p, &e), 0);
    assert_true(p.has_rpath);
    f = make("libcudart.so.13", DT_RUNPATH, "");
    assert_int_equal(examine(&f, sizeof f, &p, &e), 0);
    assert_false(p.has_rpath);
}

static void static_runtime_is_refused_with_the_flag(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libm.so.6", DT_DEBUG, "libcuda.so.1 cuGetExportTable");
    assert_int_equal(examine(&f, sizeof f, &p, &e), -1);
    assert_string_equal(e.msg, "./app links the CUDA runtime statically and would run unsimulated");
    assert_string_equal(e.hint, "rebuild it with: nvcc -cudart shared");
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libcudart.so.12", DT_DEBUG, "");
    assert_int_equal(examine(&f, sizeof f, &p, &e), -1);
    assert_non_null(strstr(e.msg, "libcudart.so.12"));
}

static void the_driver_is_accepted_linked_or_opened(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libcuda.so.1", DT_DEBUG, "");
    assert_int_equal(examine(&f, sizeof f, &p, &e), 0);
    assert_int_equal(p.kind, PROGRAM_CUDA);
    f = make("libm.so.6", DT_DEBUG, "libcuda.so.1");
    assert_int_equal(examine(&f, sizeof f, &p, &e), 0);
    assert_int_equal(p.kind, PROGRAM_OTHER);
}

static void programs_without_cuda_and_scripts_pass(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libm.so.6", DT_DEBUG, "nothing");
    assert_int_equal(examine(&f, sizeof f, &p, &e), 0);
    assert_int_equal(p.kind, PROGRAM_OTHER);
    assert_int_equal(examine("#!/bin/sh\n", 10, &p, &e), 0);
    assert_int_equal(p.kind, PROGRAM_SCRIPT);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct program p;
    struct err e;
    struct image f = make("libcudart.so.13", DT_DEBUG, "");
    assert_int_equal(examine("hello", 5, &p, &e), -1);
    assert_int_equal(examine("", 0, &p, &e), -1);
    f.eh.e_machine = EM_AARCH64;
    assert_int_equal(examine(&f, sizeof f, &p, &e), -1);
    assert_non_null(strstr(e.msg, "architecture"));
    f = make("libcudart.so.13", DT_DEBUG, "");
    f.eh.e_ident[EI_CLASS] = ELFCLASS32;
    assert_int_equal(examine(&f, sizeof f, &p, &e), -1);
    assert_non_null(strstr(e.msg, "32-bit"));
    f = make("libcudart.so.13", DT_DEBUG, "");
    f.eh.e_type = ET_REL;
    assert_int_equal(examine(&f, sizeof f, &p, &e), -1);
    assert_non_null(strstr(e.msg, "object file"));
}

static void truncated_files_do_not_crash(void **state)
{
    (void)state;
    struct image f = make("libcudart.so.13", DT_RPATH, "");
    for (size_t n = 0; n < sizeof f; n++) {
        struct program p;
        struct err e;
        void *exact = malloc(n + 1);
        memcpy(exact, &f, n);
        examine(exact, n, &p, &e);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_runtime_is_accepted),
        cmocka_unit_test(a_search_path_inside_is_noticed),
        cmocka_unit_test(static_runtime_is_refused_with_the_flag),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(the_driver_is_accepted_linked_or_opened),
        cmocka_unit_test(programs_without_cuda_and_scripts_pass),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(truncated_files_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
