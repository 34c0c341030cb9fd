/* base/: errors, arenas, maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/demangle.h"
#include "base/err.h"
#include "base/mem.h"

#include <sys/wait.h>
#include <unistd.h>

static void printed_error_names_place_and_remedy(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(err_at(&e, "a.ini", 14, 3, "l1.assoc=%d is odd", 5), -1);
    err_hint(&e, "try %d", 4);
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    err_print(&e, f);
    fclose(f);
    assert_string_equal(text, "weir: a.ini:14:3: l1.assoc=5 is odd; try 4\n");
    free(text);
}

static void binary_error_names_offset(void **state)
{
    (void)state;
    struct err e;
    err_offset(&e, "x.wt", 4096, "checksum differs");
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    err_print(&e, f);
    fclose(f);
    assert_string_equal(text, "weir: x.wt: offset 4096: checksum differs\n");
    free(text);
}

static void arena_keeps_alignment_across_blocks(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (int i = 1; i < 3000; i += 7) {
        char *p = arena_alloc(a, (size_t)i);
        assert_int_equal((uintptr_t)p % 16, 0);
        char *q = arena_alloc64(a, 3);
        assert_int_equal((uintptr_t)q % 64, 0);
        for (int k = 0; k < i; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, (size_t)i);
    }
    char *big = arena_alloc(a, 1 << 20);
    assert_int_equal(big[(1 << 20) - 1], 0);
    arena_free(a);
}

static void strmap_survives_growth(void **state)
{
    (void)state;
    struct strmap m = {0};
    static char key[1000][8];
    for (int i = 0; i < 1000; i++) {
        int n = snprintf(key[i], sizeof key[i], "k%d", i);
        strmap_put(&m, key[i], (size_t)n, (uint32_t)i);
    }
    strmap_put(&m, "k7", 2, 70);
    assert_int_equal(m.n, 1000);
    assert_int_equal(strmap_get(&m, "k7", 2), 70);
    assert_int_equal(strmap_get(&m, "k999", 4), 999);
    assert_int_equal(strmap_get(&m, "k1000", 5), STRMAP_NONE);
    strmap_free(&m);
}

/* Not a crash: it says so and ends with the status of bad input. A sanitizer's allocator has its own opinion. */
static void no_memory_is_said(void **state)
{
    (void)state;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    skip();
#endif
#endif
    for (int way = 0; way < 4; way++) {
        int say[2], status;
        assert_int_equal(pipe(say), 0);
        const pid_t pid = fork();
        if (!pid) {
            volatile size_t much = SIZE_MAX / 4;
            dup2(say[1], STDERR_FILENO);
            void *p = way == 0   ? xmalloc(much)
                      : way == 1 ? xcalloc(much, 8)
                      : way == 2 ? xaligned(SIZE_MAX - 10)
                                 : xreallocarray(NULL, much, 16);
            _exit(p != NULL);
        }
        close(say[1]);
        char text[200] = {0};
        assert_true(read(say[0], text, sizeof text - 1) > 0);
        close(say[0]);
        waitpid(pid, &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 2);
        assert_non_null(strstr(text, "weir: out of memory"));
    }
}

static void names_in_tables_tell_instances_apart(void **state)
{
    char out[41];
    demangle_fit("_Z5plainPf", out, 40);
    assert_string_equal(out, "plain");
    demangle_fit("c_name", out, 40);
    assert_string_equal(out, "c_name");
    demangle_fit("_ZN5outer5inner6reduceILi32EfEEvPT0_", out, 40);
    assert_string_equal(out, "outer::inner::reduce<32, float>");
    demangle_fit("_ZN5outer5inner6reduceILi32EfEEvPT0_", out, 20);
    assert_string_equal(out, "reduce<32, float>");
    demangle_fit("_ZN5outer5inner6reduceILi32EfEEvPT0_", out, 12);
    assert_string_equal(out, "reduc..loat>");
    demangle_fit("_ZN12_GLOBAL__N_16hiddenEPf", out, 40);
    assert_string_equal(out, "(anonymous namespace)::hidden");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_error_names_place_and_remedy), cmocka_unit_test(binary_error_names_offset),
        cmocka_unit_test(arena_keeps_alignment_across_blocks),  cmocka_unit_test(strmap_survives_growth),
        cmocka_unit_test(names_in_tables_tell_instances_apart), cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
