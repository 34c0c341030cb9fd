/* The policy `selective`: streaming loads bypass at once, loads whose lines die unused once this has been learned. */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct memsys *machine(const char *config)
{
    struct memsys_config c = {MEMSYS_ONE, .config = config};
    struct memsys *m = memsys_new(&c);
    l1_kernel_begin(m->l1[0], 0);
    return m;
}

static void streaming_loads_do_not_allocate(void **state)
{
    (void)state;
    struct memsys *m = machine("[l1]\nmanagement = selective\n");
    const struct shot shots[] = {{1, 0x4000, .flags = REQ_F_STREAM}, {2000, 0x4000}, {4000, 0x4000}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.misses"), 2); /* the first did not allocate, the second did */
    assert_int_equal(memsys_stat(m, "l1.hits"), 1);
    assert_int_equal(memsys_stat(m, "selective.streaming"), 1);
    memsys_free(m);
}

static void dying_loads_are_learned(void **state)
{
    (void)state;
    struct memsys *m = machine("[l1]\nmanagement = selective\nset_hash = linear\n[selective]\nsamples = 2\n");
    struct shot shots[8];
    struct landing at[8];
    for (unsigned i = 0; i < 8; i++) /* eight lines of one four-way set: from the fifth on each evicts an unused one */
        shots[i] = (struct shot){1 + 2000 * i, (uint64_t)i * 32 * 128, .pc = 7};
    memsys_script(m, 0, shots, 8, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.evictions"), 2);
    assert_int_equal(memsys_stat(m, "selective.learned"), 2);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streaming_loads_do_not_allocate),
        cmocka_unit_test(dying_loads_are_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
